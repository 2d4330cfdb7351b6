/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-state backup, restore, audit. */
#include "cli_state.h"

#include "store_restore.h"
#include "tell_state.h"

static const char *reason;

#define REASON { .name = "reason", .type = GA_O_TEXT, .var = &reason, .arg = "TEXT", \
		 .help = "why; it stands in the audit" }

const struct ga_opt ga_cli_restore_opts[] = { REASON, GA_OPTS_END };

int ga_cli_backup(struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	int n;
	char *const *args = ga_cli_args(&n);

	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0 ||
	    ga_db_backup(db, args[0], err) < 0)
		return -1;
	return ga_tell_state(db, "backup", args[0], err);
}

int ga_cli_audit(struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	int n;
	char *const *args = ga_cli_args(&n);
	bool head = ga_streq(args[0], "head");

	if (!head && !ga_streq(args[0], "verify"))
		return ga_fail(err, GA_USAGE, "audit takes verify or head, not '%.64s'", args[0]);
	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0 ||
	    ga_db_begin_read(db, err) < 0)
		return -1;
	return head ? ga_tell_audit_head(db, err) : ga_tell_audit_verify(db, err);
}

static int need_reason(const char *command, struct ga_err *err)
{
	if (reason && *reason)
		return 0;
	return ga_fail(err, GA_USAGE, "%s needs --reason: it stands in the audit", command);
}

static int on_finding(const struct ga_finding *f, void *arg, struct ga_err *err)
{
	(void)arg;
	return ga_emit(&ga_finding_shape, f, err);
}

int ga_cli_restore(struct ga_err *err)
{
	ga_autorestored struct ga_restored done = { 0 };
	ga_autodb struct ga_db *db = NULL;
	int n;
	char *const *args = ga_cli_args(&n);

	if (need_reason("restore", err) < 0 ||
	    ga_state_restore(ga_cli_state_path(), args[0], reason, on_finding, NULL, &done, err) <
		    0)
		return -1;
	ga_say("%s: epoch %lld: nothing is placed on a node until its host was asked",
	       ga_cli_program(), (long long)done.epoch);
	if (done.kept)
		ga_say("%s: what was there is kept as '%s'", ga_cli_program(), done.kept);
	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0)
		return -1;
	return ga_tell_state(db, "restore", ga_cli_state_path(), err);
}
