/* SPDX-License-Identifier: Apache-2.0 */
/* Records of the host's tuning (hostdb.h). */
#include "state/host/hostdb.h"

int ga_hostdb_keep_tuning(struct ga_hostdb *h, const struct ga_tuning *t, struct ga_err *err)
{
	ga_autofree char *text = ga_rec_format_text(&ga_tuning_schema, t);

	return ga_db_change(h->db, err, "INSERT INTO tuning (tuned, record) VALUES (?1, ?2)", "bs",
			    t->tuned, text);
}

int ga_hostdb_tuning(struct ga_hostdb *h, bool tuned, struct ga_tuning *ret, struct ga_err *err)
{
	ga_autofree char *text = NULL;
	int r = ga_db_one(h->db, err,
			  "SELECT record FROM tuning WHERE tuned = ?1 ORDER BY seq DESC LIMIT 1",
			  "bS", tuned, &text);

	if (r <= 0)
		return r;
	if (ga_rec_parse_text(text, &ga_tuning_schema, ret, err) < 0)
		return ga_wrap(err, "a record of the tuning in host.db");
	return 1;
}
