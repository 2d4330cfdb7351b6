/* SPDX-License-Identifier: Apache-2.0 */
/* The output of gpuaas-state about the state file itself. */
#include "cli/frame/tell_state.h"

#include "base/clock.h"
#include "cli/frame/cli.h"
#include "cli/frame/emit.h"
#include "record/expectation.h"
#include "record/state.h"
#include "record/time.h"
#include "state/access/access.h"
#include "state/allocation/userdata.h"
#include "state/db/audit.h"
#include "state/db/controller.h"
#include "state/db/row.h"
#include "state/fold/take.h"
#include "state/node/damaged.h"
#include "state/node/expect.h"
#include "state/node/image.h"
#include "state/query/find.h"
#include "state/query/list.h"
#include "state/recovery/check.h"
#include "state/slot/content.h"
#include "state/slot/facts.h"

static int tell_checked(struct ga_db *db, const char *action, const char *path, int64_t findings,
			struct ga_state *checked, struct ga_err *err)
{
	ga_autofree char *file = ga_xstrdup(path), *done = ga_xstrdup(action);
	char now[GA_TIME_SIZE], controller[GA_CONTROLLER_SIZE];
	struct ga_err ignored = GA_ERR_INIT; /* a damaged audit: "check" reports it */
	bool known = ga_store_controller(db, controller, &ignored) == 0;
	struct ga_state s = { .path = file, .action = done, .lab = ga_db_is_lab(db),
			      .schema_version = ga_db_schema_version(db), .epoch = ga_db_epoch(db),
			      .controller = known ? controller : NULL,
			      .at = ga_time_format(ga_clock_micros(), now),
			      .findings = findings,
			      .audit_rows = checked ? checked->audit_rows : GA_UNKNOWN,
			      .audit_from = checked ? checked->audit_from : NULL,
			      .audit_to = checked ? checked->audit_to : NULL };

	return ga_emit(&ga_state_schema, &s, err);
}

int ga_tell_state(struct ga_db *db, const char *action, const char *path, struct ga_err *err)
{
	return tell_checked(db, action, path, GA_UNKNOWN, NULL, err);
}

/* The last line of a table. */
static void print_verdict(const char *what, int64_t findings, const struct ga_state *s)
{
	if (!ga_emit_is_table())
		return;
	ga_table_flush();
	if (findings || !s)
		ga_print_item("%lld finding%s: %s is not in order; 'gpuaas-explain WORD' explains "
			      "each word under CHECK", (long long)findings,
			      findings == 1 ? "" : "s", what);
	else
		ga_print_item("ok: %s is in order: %lld row%s of the audit, the chain is unbroken "
			      "from %s to %s", what, (long long)s->audit_rows,
			      s->audit_rows == 1 ? "" : "s", s->audit_from ? s->audit_from : "-",
			      s->audit_to ? s->audit_to : "-");
}

/* The record with the numbers, and the verdict: the number of findings, or -1. */
static int tell_verdict(struct ga_db *db, const char *action, const char *path, const char *what,
			int findings, struct ga_err *err)
{
	ga_autofree char *from = NULL, *to = NULL;
	struct ga_state s = { .audit_rows = 0 };
	int r = ga_audit_span(db, &s.audit_rows, &from, &to, err);

	if (r < 0 && !findings)
		return -1;
	/* A damaged audit is one of the findings. */
	ga_err_clear(err);
	s.audit_rows = r < 0 ? GA_UNKNOWN : s.audit_rows;
	s.audit_from = from;
	s.audit_to = to;
	if (tell_checked(db, action, path, findings, &s, err) < 0)
		return -1;
	print_verdict(what, findings, &s);
	return findings;
}

static int tell_unsellable(const struct ga_rows *rows, const char *left_out,
			   const struct ga_reasons *reasons, void *arg, struct ga_err *err)
{
	const struct ga_reason *why = &reasons->v[0];
	const char *id = ga_rows_text(rows, GA_SF_ID);

	(void)arg;
	(void)err;
	ga_say("%s: slot '%s' of node '%s' is available, and placement %s: %s%s%s; "
	       "take it out of sale with 'gpuaas-approve disable %s --reason %s'",
	       ga_cli_program(), id, ga_rows_text(rows, GA_SF_NODE), left_out, why->code,
	       why->evidence ? ": " : "", why->evidence ? why->evidence : "", id, why->code);
	return 0;
}

static int tell_damaged(const char *kind, const char *id, const char *what, void *arg,
			struct ga_err *err)
{
	(void)arg;
	(void)err;
	ga_say("%s: %s '%s' is damaged: %s; 'gpuaas-list attention' says what to do",
	       ga_cli_program(), kind, id, what);
	return 0;
}

static int tell_kept_image(const struct ga_rec *rec, const struct ga_node_image *wanted,
			   const struct ga_node_image *kept, struct ga_err *err)
{
	if (!ga_streq(kept->digest, wanted->digest))
		return ga_emit_raw(rec, err);
	ga_say("gpuaas-state: the copy of image '%s' on node '%s' stays: it was verified at %s, "
	       "after its withdrawal of %s; 'gpuaas-image rm %s' on the node withdraws it now",
	       kept->image, kept->node, kept->verified_at, wanted->withdrawn_at, kept->image);
	return ga_emit(&ga_node_image_schema, kept, err);
}

int ga_tell_apply_node_image(struct ga_db *db, const struct ga_rec *rec, struct ga_err *err)
{
	struct ga_node_image wanted, kept;
	int r;

	if (ga_store_take(db, rec, err) < 0 ||
	    ga_rec_parse(rec, &ga_node_image_schema, &wanted, err) < 0)
		return -1;
	r = wanted.withdrawn_at ?
		    ga_store_node_image(db, wanted.node, wanted.image, &kept, err) : 0;
	if (r > 0) {
		r = tell_kept_image(rec, &wanted, &kept, err);
		ga_schema_release(&ga_node_image_schema, &kept);
	} else if (!r) {
		r = ga_emit_raw(rec, err);
	}
	ga_schema_release(&ga_node_image_schema, &wanted);
	return r;
}

int ga_tell_unsellable(struct ga_db *db, struct ga_err *err)
{
	return ga_store_each_unsellable(db, tell_unsellable, NULL, err) < 0 ?
		       -1 :
		       ga_store_each_damaged(db, tell_damaged, NULL, err);
}

void ga_tell_engine(void)
{
	const char *warning = ga_db_engine_warning();

	if (warning)
		ga_say("%s: note: %s", ga_cli_program(), warning);
}

/* An unreadable state is not reported here: "check" has a finding for it. */
void ga_tell_open(struct ga_db *db)
{
	struct ga_err ignored = GA_ERR_INIT;
	ga_autofree char *open = ga_store_access_open(db, &ignored);

	if (open)
		ga_say("%s: note: %s", ga_cli_program(), open);
}

static int on_finding(const struct ga_finding *f, void *arg, struct ga_err *err)
{
	(void)arg;
	return ga_emit(&ga_finding_schema, f, err);
}

int ga_tell_check(struct ga_db *db, struct ga_err *err)
{
	int64_t unjudged;
	int found = ga_state_check(db, on_finding, NULL, err), left;

	if (found < 0 || ga_check_unjudged(db, &unjudged, err) < 0)
		return -1;
	if (unjudged)
		ga_say("%s: note: %lld piece%s of evidence older than the rules that content is "
		       "judged by (gpuaas-wipe(1)) keep%s devices clean, and the content was not "
		       "judged",
		       ga_cli_program(), (long long)unjudged, unjudged == 1 ? "" : "s",
		       unjudged == 1 ? "s" : "");
	left = ga_store_user_data_check(db, on_finding, NULL, err);
	return left < 0 ? -1 :
			  tell_verdict(db, "check", ga_db_path(db), "the state", found + left, err);
}

void ga_tell_first_key(const struct ga_rec *rec)
{
	const char *node = json_string_value(json_object_get(rec->json, "node"));
	const char *key = json_string_value(json_object_get(rec->signature, "key"));

	ga_say("gpuaas-state: warning: node '%s' had no key: %s, with which this result is signed, "
	       "is its key from now on; 'gpuaas-discover' on the host shows whether it is the "
	       "host's own",
	       node ? node : "?", key ? key : "?");
}

static int on_row(const struct ga_schema *schema, const void *obj, void *arg, struct ga_err *err)
{
	(void)arg;
	return ga_emit(schema, obj, err);
}

int ga_tell_audit_head(struct ga_db *db, struct ga_err *err)
{
	char hash[GA_DIGEST_SIZE], after[24];
	struct ga_list_query q = { .kind = "audit", .after = after };
	int64_t seq;

	if (ga_audit_head(db, &seq, hash, err) < 0)
		return -1;
	if (seq == 0)
		return ga_fail(err, GA_NOTFOUND, "the audit has no row yet");
	snprintf(after, sizeof(after), "%lld", (long long)seq - 1);
	return ga_store_list(db, &q, on_row, NULL, err);
}

static int tell_unnamed(const char *object, const char *sentence, void *arg, struct ga_err *err)
{
	char check[] = "audit_short";
	ga_autofree char *o = ga_xstrdup(object), *s = ga_xstrdup(sentence);
	struct ga_finding f = { .check = check, .object = o, .sentence = s };

	++*(int *)arg;
	return ga_emit(&ga_finding_schema, &f, err);
}

int ga_tell_audit_verify(struct ga_db *db, struct ga_err *err)
{
	char why[128], object[24], check[] = "audit_chain";
	struct ga_finding f = { .check = check, .object = object, .sentence = why };
	int64_t seq;
	int found = 0, r = ga_audit_verify(db, &seq, why, err);

	if (r > 0) {
		found = 1;
		snprintf(object, sizeof(object), "%lld", (long long)seq);
		r = ga_emit(&ga_finding_schema, &f, err);
	} else if (r == 0) {
		r = ga_audit_missing(db, tell_unnamed, &found, err);
	}
	if (r < 0)
		return -1;
	if (!found)
		return tell_verdict(db, "audit_verify", ga_db_path(db), "the audit", 0, err);
	print_verdict("the audit", found, NULL);
	return GA_NO;
}

static int expect(struct ga_db *db, const char *node, struct ga_err *err)
{
	struct ga_expectation e;
	int r;

	if (ga_store_expectation(db, node, &e, err) < 0)
		return -1;
	r = ga_emit(&ga_expectation_schema, &e, err);
	ga_schema_release(&ga_expectation_schema, &e);
	return r;
}

static int expect_each(const struct ga_schema *schema, const void *obj, void *db,
		       struct ga_err *err)
{
	const struct ga_node *n = obj;

	(void)schema;
	return ga_streq(n->state, "retired") ? 0 : expect(db, n->node, err);
}

int ga_tell_expect(struct ga_db *db, const char *node, struct ga_err *err)
{
	const struct ga_list_query all = { .kind = "nodes" };
	ga_autofree char *id = NULL;
	int r;

	if (ga_db_begin_read(db, err) < 0 ||
	    (node && ga_store_resolve(db, "node", node, &id, NULL, err) < 0))
		return -1;
	r = node ? expect(db, id, err) : ga_store_list(db, &all, expect_each, db, err);
	ga_db_rollback(db);
	return r;
}
