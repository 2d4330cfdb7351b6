/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of accelerator types as the settings of this machine have it, and what names that
 * people type mean in it: every one a slug, or a refusal. */
#ifndef GA_CLI_FRAME_TYPES_H
#define GA_CLI_FRAME_TYPES_H

#include "catalog/census.h"
#include "catalog/name.h"
#include "record/rec.h"
#include "record/state.h"
#include "state/db/db.h"

/* GPUAAS_ACCELERATORS in place of the built-in one, with the drop-ins of GPUAAS_ACCELERATORS_DIR
 * (default /etc/gpuaas/accelerators.d). */
GA_MUST_CHECK int ga_cli_catalogue(struct ga_accels **ret, struct ga_err *err);
/* Sets the folder of drop-ins from the settings, for code that opens a catalogue itself. Returns
 * the file that replaces the built-in catalogue, or NULL. */
const char *ga_cli_catalogue_file(void);
/* The types of nodes that people recorded by hand; none where there is no state. ret is the
 * caller's to release, also after an error. */
GA_MUST_CHECK int ga_cli_manual_types(struct ga_manual_types *ret, struct ga_err *err);

/* The types that people call so, one or several, of whole GPUs; a slug is itself. GA_USAGE: a part
 * of a GPU, or a name that means nothing ("unknown_type"). */
GA_MUST_CHECK int ga_cli_type_named(const struct ga_accels *list, const char *name,
				    struct ga_accel_named *ret, struct ga_err *err);
/* Whether each of the names means a type, or one of several; what a name that is no slug means is
 * said on stderr, because what is found by it may be nothing. GA_USAGE, "unknown_type". */
GA_MUST_CHECK int ga_cli_types_known(const struct ga_accels *list, const char *const *names,
				     size_t n, struct ga_err *err);
/* GA_USAGE, "unknown_type", with the types that are near to it. */
GA_MUST_CHECK int ga_cli_type_unknown(const struct ga_accels *list, const char *name,
				      struct ga_err *err);
/* GA_USAGE, with the types that it means. */
GA_MUST_CHECK int ga_cli_type_several(const char *name, const struct ga_accel_named *named,
				      struct ga_err *err);

/* The slugs that a name means to whoever sells whole GPUs, the one with the most memory first;
 * appended to ret. GA_USAGE: a part of a GPU, and what means nothing ("unknown_type", with near
 * ones). */
GA_MUST_CHECK int ga_cli_type_means(const struct ga_accels *list, const char *name,
				    struct ga_texts *ret, struct ga_err *err);
/* Says on stderr what became of a name, where it is not the slug itself. */
void ga_cli_type_say(const char *name, char *const *slugs, size_t n);

/*
 * Slugs of what was asked for, in its order, each once; appended to ret. A name of one type becomes
 * its slug, that of a group its types (best memory first, those that stand already left out); both
 * are said on stderr. GA_USAGE: a part of a GPU, the same type twice, and with strict a name that
 * means nothing ("unknown_type", with near ones); without strict it is said and kept.
 */
GA_MUST_CHECK int ga_cli_profile_types(const struct ga_accels *list, char *const *names, size_t n,
				       bool strict, struct ga_texts *ret, struct ga_err *err);

/* gpuaas-state apply of a profile: its types become slugs, and it is stored and emitted with
 * them. A type that the catalogue does not know is named on stderr and kept: its drop-in may
 * come later. */
GA_MUST_CHECK int ga_cli_apply_profile(struct ga_db *db, const struct ga_rec *rec,
				       struct ga_err *err);

#endif
