/* SPDX-License-Identifier: Apache-2.0 */
/* The files that a matrix is made of. */
#ifndef GA_VALIDATE_SOURCE_H
#define GA_VALIDATE_SOURCE_H

#include "validate/matrix.h"

/* Reads a bundle and checks it as `gpuaas-validate verify` does: its verdicts are made again. Also
 * returns 0 when there are findings; then wrong names the first one. GA_NOTFOUND. The caller
 * releases *ret. */
GA_MUST_CHECK int ga_matrix_source_read(const char *path, struct ga_matrix_source *ret,
					struct ga_err *err);
/* Reads requirements and checks them against the scenarios. GA_BADREC, GA_NOTFOUND. */
GA_MUST_CHECK int ga_asked_read(const char *path, const struct ga_scenario *scenarios, size_t n,
				struct ga_asked_list *ret, struct ga_err *err);
/* Reads an approval. *signer gets the public key of its signature, allocated; NULL: it is not
 * signed. GA_BADREC, also when the signature does not fit; GA_NOTFOUND. */
GA_MUST_CHECK int ga_plan_approval_read(const char *path, struct ga_plan_approval *ret,
					char **signer, struct ga_err *err);

#endif
