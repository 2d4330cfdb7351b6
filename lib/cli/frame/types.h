/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of accelerator types from the settings of this machine, and the lookup of names
 * that people type: each name gives one or more slugs, or a refusal. */
#ifndef GA_CLI_FRAME_TYPES_H
#define GA_CLI_FRAME_TYPES_H

#include "catalog/census.h"
#include "catalog/name.h"
#include "record/rec.h"
#include "state/db/db.h"

/* Opens the catalogue: the file of GPUAAS_ACCELERATORS, else the built-in one, with the drop-ins of
 * GPUAAS_ACCELERATORS_DIR (default /etc/gpuaas/accelerators.d). */
GA_MUST_CHECK int ga_cli_catalogue(struct ga_accels **ret, struct ga_err *err);
/* Sets the folder of drop-ins from the settings, for code that opens a catalogue itself. Returns
 * the file that replaces the built-in catalogue, or NULL. */
const char *ga_cli_catalogue_file(void);
/* The types of nodes that people recorded by hand; none if there is no state. The caller releases
 * ret, also after an error. */
GA_MUST_CHECK int ga_cli_manual_types(struct ga_manual_types *ret, struct ga_err *err);

/* The types (one or several) that a name means, for complete GPUs; a slug means itself. GA_USAGE:
 * the name means a part of a GPU, or it is unknown ("unknown_type"). */
GA_MUST_CHECK int ga_cli_type_named(const struct ga_accels *list, const char *name,
				    struct ga_accel_named *ret, struct ga_err *err);
/* Checks that each of the names means one or several types; GA_USAGE "unknown_type". Prints on
 * stderr the meaning of a name that is no slug, because a search by the name may find nothing. */
GA_MUST_CHECK int ga_cli_types_known(const struct ga_accels *list, const char *const *names,
				     size_t n, struct ga_err *err);
/* GA_USAGE "unknown_type", with similar types. */
GA_MUST_CHECK int ga_cli_type_unknown(const struct ga_accels *list, const char *name,
				      struct ga_err *err);
/* GA_USAGE for a name that means several types, with these types. */
GA_MUST_CHECK int ga_cli_type_several(const char *name, const struct ga_accel_named *named,
				      struct ga_err *err);

/* Appends to ret the slugs that a name means in a profile (complete GPUs), the one with the most
 * memory first. GA_USAGE: the name means a part of a GPU, or it is unknown ("unknown_type", with
 * similar types). */
GA_MUST_CHECK int ga_cli_type_means(const struct ga_accels *list, const char *name,
				    struct ga_texts *ret, struct ga_err *err);
/* Prints on stderr the slugs that replaced a name, unless the name is the slug itself. */
void ga_cli_type_say(const char *name, char *const *slugs, size_t n);

/*
 * Appends to ret the slugs of the names, in their order, each once. The name of one type becomes
 * its slug; the name of a group becomes its types (most memory first, without types that are in ret
 * already). Prints both replacements on stderr. GA_USAGE: a part of a GPU, the same type twice, and
 * with strict an unknown name ("unknown_type", with similar types). Without strict, reports an
 * unknown name on stderr and keeps it.
 */
GA_MUST_CHECK int ga_cli_profile_types(const struct ga_accels *list, char *const *names, size_t n,
				       bool strict, struct ga_texts *ret, struct ga_err *err);

/* "gpuaas-state apply" of a profile: replaces its types with slugs, then stores and emits it.
 * Reports a type that is not in the catalogue on stderr and keeps it: its drop-in may come
 * later. quiet: emits nothing. */
GA_MUST_CHECK int ga_cli_apply_profile(struct ga_db *db, const struct ga_rec *rec, bool quiet,
				       struct ga_err *err);

#endif
