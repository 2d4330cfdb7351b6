/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of gpuaas-profile that tell of accelerators and nodes. */
#ifndef GA_CLI_PROFILE_PROFILE_H
#define GA_CLI_PROFILE_PROFILE_H

#include "cli/frame/types.h"

/* gpuaas-profile catalog [SEARCH…|check FILE…] */
GA_MUST_CHECK int ga_cli_catalog(struct ga_err *err);

#endif
