/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of accelerator types as the settings of this machine have it. */
#ifndef GA_CLI_ACCEL_H
#define GA_CLI_ACCEL_H

#include "catalog/name.h"

/* GPUAAS_ACCELERATORS in place of the built-in one, with the drop-ins of GPUAAS_ACCELERATORS_DIR
 * (default /etc/gpuaas/accelerators.d). */
GA_MUST_CHECK int ga_cli_catalogue(struct ga_accels **ret, struct ga_err *err);
/* Only the settings, for what opens a catalogue itself. The file to stand in, or NULL. */
const char *ga_cli_catalogue_file(void);

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

#endif
