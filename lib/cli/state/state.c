/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-state backup, restore, audit. */
#include "cli/state/state.h"

#include "cli/frame/tell_state.h"
#include "record/state.h"
#include "state/access/access.h"
#include "state/recovery/backup.h"
#include "state/recovery/restore.h"

static const char *reason;
static int64_t keep = GA_UNKNOWN;

#define REASON { .name = "reason", .type = GA_O_PERSON, .var = &reason, .arg = "TEXT", \
		 .help = "the reason, for the audit" }

const struct ga_opt ga_cli_backup_opts[] = {
	{ .name = "keep", .type = GA_O_INT, .var = &keep, .arg = "N", .min = 1, .max = 100000,
	  .help = "FILE is a folder: make a dated, checked backup there, keep the N newest" },
	GA_OPTS_END,
};
const struct ga_opt ga_cli_restore_opts[] = { REASON, GA_OPTS_END };

static int on_finding(const struct ga_finding *f, void *arg, struct ga_err *err)
{
	(void)arg;
	return ga_emit(&ga_finding_schema, f, err);
}

int ga_cli_backup(struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	int n;
	char *const *args = ga_cli_args(&n);

	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0)
		return -1;
	if (keep != GA_UNKNOWN) {
		ga_autofree char *made = NULL;
		int found = ga_state_backup(db, args[0], keep, on_finding, NULL, &made, err);

		if (found < 0 || ga_tell_state(db, "backup", made, err) < 0)
			return -1;
		return found > 0;
	}
	if (ga_db_backup(db, args[0], err) < 0)
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

int ga_cli_need_reason(const char *given, const char *command, struct ga_err *err)
{
	if (!given)
		return ga_fail(err, GA_USAGE, "%s needs --reason: it is kept in the audit",
			       command);
	return 0;
}

/* A user who may not administer the existing state may not replace it either. If the state cannot
 * be read, there is no check: that is the case for which backups exist. */
static int may_replace(struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	struct ga_err why = GA_ERR_INIT;
	int r;

	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_WRITE, &db, &why) < 0 ||
	    ga_store_begin(db, ga_cli_program(), &why) < 0) {
		if (why.code != GA_BUSY)
			return 0;
		*err = why;
		return -1;
	}
	r = ga_store_may_state(db, "the state", err);
	ga_db_rollback(db);
	return r < 0 && ga_store_access_is_refusal(err) ? ga_store_access_note(db, err) : 0;
}

/* Whether the keys that were revoked since the backup stay so. */
static void tell_revoked(const struct ga_restored *done)
{
	if (done->revoked == GA_UNKNOWN)
		ga_say("%s: keys that were revoked since the backup count again, since the "
		       "replaced state could not be read: before you adopt, revoke those "
		       "that you know of: "
		       "gpuaas-node revoke-key NODE --reason TEXT --yes", ga_cli_program());
	else if (done->revoked)
		ga_say("%s: keys that were revoked since the backup, and stay revoked: %lld",
		       ga_cli_program(), (long long)done->revoked);
	for (size_t i = 0; i < done->unkept.n; i++)
		ga_say("%s: a key of node '%s' was revoked, and the backup does not have the node: "
		       "adopt it only after it has a new key (gpuaas-host-bootstrap --new-key)",
		       ga_cli_program(), done->unkept.v[i]);
}

int ga_cli_restore(struct ga_err *err)
{
	ga_autorestored struct ga_restored done = { 0 };
	ga_autodb struct ga_db *db = NULL;
	int n;
	char *const *args = ga_cli_args(&n);

	if (ga_cli_need_reason(reason, "restore", err) < 0 || may_replace(err) < 0 ||
	    ga_state_restore(ga_cli_state_path(), args[0], reason, on_finding, NULL, &done, err) <
		    0)
		return -1;
	ga_say("%s: epoch %lld: nothing is placed on a node until its host has answered: "
	       "gpuaas-operations(7), BACKUPS, AND THE WAY BACK",
	       ga_cli_program(), (long long)done.epoch);
	tell_revoked(&done);
	if (done.kept)
		ga_say("%s: the replaced file is kept as '%s'", ga_cli_program(), done.kept);
	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0)
		return -1;
	return ga_tell_state(db, "restore", ga_cli_state_path(), err);
}
