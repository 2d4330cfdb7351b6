/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-state acknowledge. */
#include "state/watch/acknowledge.h"

#include "base/clock.h"
#include "cli/state/state.h"
#include "look/host/host.h"
#include "record/time.h"
#include "state/access/access.h"
#include "state/query/find.h"

static const char *code, *reason, *until;
static bool remove_it;

const struct ga_opt ga_cli_acknowledge_opts[] = {
	{ .name = "code", .type = GA_O_TEXT, .var = &code, .arg = "CODE",
	  .help = "the entry of this code, where the object has several" },
	{ .name = "reason", .type = GA_O_PERSON, .var = &reason, .arg = "TEXT",
	  .help = "why nobody has to act until then" },
	{ .name = "until", .type = GA_O_TEXT, .var = &until, .arg = "TIME",
	  .help = "the end: 3d, or 2026-01-31T08:15:00Z; at most 90 days from now" },
	{ .name = "remove", .type = GA_O_FLAG, .var = &remove_it,
	  .help = "the entry is shown again" },
	GA_OPTS_END,
};

static int read_end(int64_t *ret, struct ga_err *err)
{
	struct ga_when when;

	if (ga_when_parse(until, ga_clock_micros(), true, &when, err) < 0)
		return ga_wrap(err, "--until");
	*ret = when.since;
	return 0;
}

static int check_options(struct ga_acknowledge *a, struct ga_err *err)
{
	if (remove_it) {
		if (!reason && !until)
			return 0;
		return ga_fail(err, GA_USAGE, "--remove takes no --reason and no --until");
	}
	if (ga_cli_need_reason(reason, "acknowledge", err) < 0)
		return -1;
	if (!until)
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("acknowledge needs --until: nothing is hidden for ever"),
				 ("--until 3d, or a time such as 2026-01-31T08:15:00Z"));
	a->reason = reason;
	return read_end(&a->until, err);
}

int ga_cli_acknowledge(struct ga_err *err)
{
	ga_autofree char *here = ga_host_node_if_known(ga_cli_setting("GPUAAS_NODE", NULL));
	struct ga_acknowledge a = { .code = code, .here = here };
	struct ga_err unknown = GA_ERR_INIT;
	ga_autodb struct ga_db *db = NULL;
	ga_cleanup(ga_attentions_release) struct ga_attentions rows = { 0 };
	ga_autofree char *id = NULL;
	size_t i;
	int n;

	a.object = ga_cli_args(&n)[0];
	if (check_options(&a, err) < 0 ||
	    ga_cli_stale_after(&a.stale_seconds, err) < 0 ||
	    ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_WRITE, &db, err) < 0 ||
	    ga_store_begin(db, ga_cli_program(), err) < 0)
		return -1;
	/* The state itself and hooks have no id: those are given as the row has them. */
	if (ga_store_resolve(db, NULL, a.object, &id, NULL, &unknown) == 0) {
		a.object = id;
	} else if (unknown.code != GA_NOTFOUND) {
		*err = unknown;
		return -1;
	}
	if (ga_store_acknowledge(db, &a, &rows, err) < 0 || ga_db_commit(db, err) < 0) {
		ga_db_rollback(db);
		return ga_store_access_is_refusal(err) ? ga_store_access_note(db, err) : -1;
	}
	for (i = 0; i < rows.n; i++)
		if (ga_emit(&ga_attention_schema, &rows.v[i], err) < 0)
			return -1;
	return 0;
}
