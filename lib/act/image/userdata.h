/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tenant's user-data on its way to a host: in front of its plan on the stream (user-data records,
 * base64 in pieces that fit a line), never in arguments or in the plan. It is kept in memory alone
 * until provision writes it with its inverse in the journal, so that a plan that is refused leaves
 * nothing of it behind.
 */
#ifndef GA_ACT_IMAGE_USERDATA_H
#define GA_ACT_IMAGE_USERDATA_H

#include "base/str.h"
#include "base/vec.h"
#include "record/plan.h"

#define GA_USER_DATA_MAX (1 << 20)

/* Adds the records for the user-data in DIR/DIGEST (without "sha256:") to out, a line each.
 * Errors as ga_user_data_read's. */
GA_MUST_CHECK int ga_user_data_lines(const char *dir, const char *digest, struct ga_str *out,
				     struct ga_err *err);

struct ga_user_data_given {
	char *digest;
	struct ga_str bytes;
	bool whole;
};
struct ga_user_datas {
	struct ga_user_data_given *v;
	size_t n;
};

/* Takes a piece. GA_BADREC: a piece is missing, or the whole does not have its digest. */
GA_MUST_CHECK int ga_user_data_take(struct ga_user_datas *list, const struct ga_user_data *piece,
				    struct ga_err *err);
/* The user-data of this digest when all of it was given, else NULL. */
const struct ga_str *ga_user_data_find(const struct ga_user_datas *list, const char *digest);
/* Reads it from what was given, else from dir, else from another folder (NULL: there is none), as
 * what place kept beside the state counts where both are on this machine. */
GA_MUST_CHECK int ga_user_data_get(const struct ga_user_datas *given, const char *dir,
				   const char *other, const char *digest, struct ga_str *out,
				   struct ga_err *err);
void ga_user_datas_release(struct ga_user_datas *list); /* overwritten first */

#endif
