/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A tenant's user-data on its way to a host. It travels before its plan on the stream (user-data
 * records, base64 in pieces that fit a line), never in arguments or in the plan. It stays in memory
 * until provision writes it, with the inverse of the write in the journal: a refused plan leaves no
 * trace of it.
 */
#ifndef GA_ACT_IMAGE_USERDATA_H
#define GA_ACT_IMAGE_USERDATA_H

#include "base/str.h"
#include "base/vec.h"

struct ga_user_data;

#define GA_USER_DATA_MAX (1 << 20)

/* The tenant's user-data from DIR/DIGEST (without "sha256:"), checked against its digest.
 * GA_NOTFOUND "user_data_missing", GA_CONFLICT "user_data_digest". */
GA_MUST_CHECK int ga_user_data_read(const char *dir, const char *digest, struct ga_str *out,
				    struct ga_err *err);

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

/* Adds a piece. GA_BADREC when an earlier piece is missing, or when the complete user-data does not
 * match its digest. */
GA_MUST_CHECK int ga_user_data_take(struct ga_user_datas *list, const struct ga_user_data *piece,
				    struct ga_err *err);
/* The user-data with this digest when all its pieces came, else NULL. */
const struct ga_str *ga_user_data_find(const struct ga_user_datas *list, const char *digest);
/* Reads the user-data into out: from given, else from dir, else from other. other is the folder of
 * gpuaas-place, where the state is on this machine; NULL: none. Errors as ga_user_data_read's for
 * dir. */
GA_MUST_CHECK int ga_user_data_get(const struct ga_user_datas *given, const char *dir,
				   const char *other, const char *digest, struct ga_str *out,
				   struct ga_err *err);
void ga_user_datas_release(struct ga_user_datas *list); /* overwrites the bytes, then frees */

#endif
