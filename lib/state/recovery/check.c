/* SPDX-License-Identifier: Apache-2.0 */
/* The check of a state file: file, triggers, states, rules, evidence, audit. */
#include "state/recovery/check.h"

#include <syslog.h>

#include "record/digest.h"
#include "record/rec.h"
#include "record/state.h"
#include "state/db/audit.h"
#include "state/db/fsm.h"
#include "state/db/invariant.h"
#include "state/recovery/check_rules.h"
#include "state/slot/content.h"
#include "state/slot/facts.h"

#define MISSING_NAMED 5
#define MADE_AGAIN "'gpuaas-state migrate' makes all triggers again"

struct check {
	struct ga_db *db;
	int (*each)(const struct ga_finding *finding, void *arg, struct ga_err *err);
	void *arg;
	struct ga_err *err;
	int found;
	json_t *named; /* members: the objects that have findings */
	bool damaged;  /* the tables and indexes differ from those of its version */
};

static int report(struct check *c, const char *check, const char *object, const char *sentence,
		  const char *hint)
{
	ga_autofree char *a = ga_xstrdup(check), *b = ga_strdup0(object),
			 *s = ga_xstrdup(sentence), *h = ga_strdup0(hint);
	struct ga_finding f = { .check = a, .object = b, .sentence = s, .hint = h };

	c->found++;
	if (object)
		json_object_set_new(c->named, object, json_true());
	return c->each(&f, c->arg, c->err) < 0 ? -1 : 0;
}

static int on_integrity(const char *finding, void *arg)
{
	return report(arg, "integrity", NULL, finding, "stop all writers and go back to a backup");
}

static int on_schema(const char *name, const char *sentence, void *arg)
{
	((struct check *)arg)->damaged = true;
	return report(arg, "schema", name, sentence, "stop all writers and go back to a backup");
}

/* Whether the complete statement is in ddl: the ';' rules out a mere beginning of a view. */
static bool stands_in(const char *ddl, const char *sql)
{
	const char *p = strstr(ddl, sql);

	return p && p[strlen(sql)] == ';';
}

/* Reports how many objects of the statements the file lacks, and the names of the first of them. */
static int check_missing(struct check *c, const char *ddl)
{
	ga_autostr struct ga_str names = GA_STR_INIT;
	ga_autofree char *sentence = NULL;
	int wanted = 0, missing = 0;
	const char *p;

	for (p = ddl; (p = strstr(p, "CREATE ")); wanted++) {
		ga_autofree char *type = NULL, *name = NULL;
		int r;

		p += strlen("CREATE ");
		type = ga_xstrndup(p, strcspn(p, " "));
		p += strlen(type) + 1;
		name = ga_xstrndup(p, strcspn(p, " "));
		r = ga_db_one(c->db, c->err, "SELECT 1 FROM sqlite_schema WHERE name = ?1 "
			      "AND upper(type) = ?2", "ss", name, type);
		if (r < 0)
			return -1;
		if (!r && ++missing <= MISSING_NAMED)
			ga_str_addf(&names, "%s%s", missing > 1 ? ", " : "", name);
	}
	if (!missing)
		return 0;
	sentence = ga_xprintf("%d of %d triggers and views are missing: %s%s", missing, wanted,
			      names.buf, missing > MISSING_NAMED ? " and others" : "");
	return report(c, "trigger", NULL, sentence, MADE_AGAIN);
}

/* A missing or changed trigger leaves an invariant unguarded; so does such a view, because triggers
 * query it. */
static int check_triggers(struct check *c)
{
	ga_autorows struct ga_rows *rows = NULL;
	ga_autostr struct ga_str ddl = GA_STR_INIT;
	int r;

	ga_fsm_ddl(GA_M_SLOT, &ddl);
	ga_fsm_ddl(GA_M_ALLOCATION, &ddl);
	ga_fsm_ddl(GA_M_NODE, &ddl);
	ga_invariant_ddl(&ddl);
	if (ga_db_query(c->db, &rows, c->err,
			"SELECT name, sql, type FROM sqlite_schema WHERE type = 'trigger' "
			"OR name = 'slot_proven' ORDER BY name",
			"") < 0)
		return -1;
	while ((r = ga_rows_next(rows, c->err)) > 0) {
		ga_autofree char *sentence = ga_xprintf("the %s is not the one of this version",
							ga_rows_text(rows, 2));

		if (!stands_in(ddl.buf, ga_rows_text(rows, 1)) &&
		    report(c, "trigger", ga_rows_text(rows, 0), sentence, MADE_AGAIN) < 0)
			return -1;
	}
	return r < 0 ? -1 : check_missing(c, ddl.buf);
}

static int check_states(struct check *c, enum ga_machine m, const char *sql)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(c->db, &rows, c->err, sql, "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, c->err)) > 0)
		if (!ga_fsm_find(m, ga_rows_text(rows, 0)) &&
		    report(c, "unknown_state", ga_rows_text(rows, 1),
			   "it is in a state that its machine does not have, which no program "
			   "of gpuaas writes",
			   "stop all writers and go back to a backup (gpuaas-state restore), or "
			   "have the person who changed it repair it") < 0)
			return -1;
	return r;
}

/* The hint, with ID replaced by the object's id. */
static char *for_object(const char *hint, const char *object)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	const char *at;

	if (!hint || !object)
		return ga_strdup0(hint);
	while ((at = strstr(hint, " ID "))) {
		ga_str_add_bytes(&text, hint, (size_t)(at - hint));
		ga_str_addf(&text, " %s", object);
		hint = at + 3;
	}
	ga_str_add(&text, hint);
	return ga_str_take(&text);
}

static int check_rule(struct check *c, const struct ga_check_rule *rule)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(c->db, &rows, c->err, rule->sql, "") < 0)
		return ga_wrap(c->err, "check %s", rule->check);
	while ((r = ga_rows_next(rows, c->err)) > 0) {
		ga_autofree char *hint = for_object(rule->hint, ga_rows_text(rows, 0));

		if (report(c, rule->check, ga_rows_text(rows, 0), rule->sentence, hint) < 0)
			return -1;
	}
	return r;
}

/* The digest covers the record without its last member, which is the digest itself. */
static bool digest_is_right(const char *record, const char *digest)
{
	ga_autofree char *end = ga_xprintf(",\"digest\":\"%s\"}", digest);
	size_t n = strlen(record), k = strlen(end);
	ga_autostr struct ga_str text = GA_STR_INIT;
	char found[GA_DIGEST_SIZE];

	if (n <= k || strcmp(record + n - k, end))
		return false;
	ga_str_add_bytes(&text, record, n - k);
	ga_str_addc(&text, '}');
	return ga_streq(ga_digest_of(text.buf, text.len, found), digest);
}

static int check_evidence(struct check *c)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(c->db, &rows, c->err,
			"SELECT id, record, digest FROM wipe_evidence ORDER BY number", "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, c->err)) > 0)
		if (!digest_is_right(ga_rows_text(rows, 1), ga_rows_text(rows, 2)) &&
		    report(c, "evidence_digest", ga_rows_text(rows, 0),
			   "the evidence was changed after it was made",
			   "compare it with the one in the host's own host.db") < 0)
			return -1;
	return r;
}

/* A slot in use is wiped when it is released, with new evidence. */
static int on_content(const struct ga_doubted *d, void *arg)
{
	ga_autofree char *hint = NULL;

	if (!d->slot)
		hint = ga_xstrdup("no slot has its disk any more: retire it, or approve it again, "
				  "which wipes it");
	else if (ga_streq(d->state, "available") || ga_streq(d->state, "disabled") ||
		 ga_streq(d->state, "quarantined"))
		hint = ga_xprintf("'gpuaas-approve disable %s --reason evidence_content && "
				  "gpuaas-approve repair %s --reason evidence_content | "
				  "gpuaas-wipe' wipes it again", d->slot, d->slot);
	else
		hint = ga_xprintf("slot %s is %s: its next wipe makes new evidence; "
				  "'gpuaas-show %s' shows it", d->slot, d->state, d->slot);
	return report(arg, "evidence_content", d->evidence, d->sentence, hint);
}

static int on_unnamed(const char *object, const char *sentence, void *arg, struct ga_err *err)
{
	(void)err; /* c->err is the same */
	return report(arg, "audit_short", object, sentence,
		      "compare the heads in the system log with a backup");
}

static int check_audit(struct check *c)
{
	int64_t seq = 0;
	char hash[GA_DIGEST_SIZE], why[128];
	int r = ga_audit_verify(c->db, &seq, why, c->err);

	if (r < 0)
		return -1;
	if (r > 0) {
		ga_autofree char *object = ga_xprintf("%lld", (long long)seq);
		ga_autofree char *sentence = ga_xprintf("the audit is broken at row %s: %s", object,
							why);

		if (report(c, "audit_chain", object, sentence,
			   "compare the heads in the system log with a backup") < 0)
			return -1;
	}
	if (ga_audit_missing(c->db, on_unnamed, c, c->err) < 0 ||
	    ga_audit_head(c->db, &seq, hash, c->err) < 0)
		return -1;
	syslog(LOG_NOTICE, "gpuaas audit head of %s: %lld %s", ga_db_path(c->db), (long long)seq,
	       hash);
	return 0;
}

/* A slot on sale that placement and attention refuse is a finding of the check, too: once. */
static int on_unsellable(const struct ga_rows *rows, const char *left_out,
			 const struct ga_reasons *reasons, void *arg, struct ga_err *err)
{
	const struct ga_reason *why = &reasons->v[0];
	ga_autofree char *sentence = ga_xprintf("the slot is on sale, and placement %s: %s%s%s",
						left_out, why->code, why->evidence ? ": " : "",
						why->evidence ? why->evidence : "");
	ga_autofree char *hint = NULL;
	const char *slot = ga_rows_text(rows, GA_SF_ID);
	struct check *c = arg;

	(void)err; /* c->err is the same */
	if (json_object_get(c->named, slot))
		return 0;
	hint = ga_xprintf("'gpuaas-approve disable %s --reason TEXT' takes it out of sale; then "
			  "discover and enable it", slot);
	return report(c, "not_for_sale", slot, sentence, hint);
}

static int check_all(struct check *c)
{
	const struct ga_check_rule *rule;

	if (ga_db_integrity(c->db, on_integrity, c, c->err) < 0 ||
	    ga_db_schema(c->db, on_schema, c, c->err) < 0 || check_triggers(c) < 0)
		return -1;
	if (check_states(c, GA_M_SLOT, "SELECT state, min(id) FROM slot GROUP BY 1") < 0 ||
	    check_states(c, GA_M_ALLOCATION,
			 "SELECT state, min(id) FROM allocation GROUP BY 1") < 0 ||
	    check_states(c, GA_M_NODE, "SELECT state, min(id) FROM node GROUP BY 1") < 0)
		return -1;
	for (rule = ga_check_rules; rule->check; rule++)
		if (check_rule(c, rule) < 0)
			return -1;
	if (check_evidence(c) < 0 || ga_check_content(c->db, on_content, c, c->err) < 0)
		return -1;
	/* Without one of its indexes this query fails; the missing index is a finding already. */
	if (ga_store_each_unsellable(c->db, on_unsellable, c, c->err) < 0) {
		if (!c->damaged)
			return -1;
		ga_err_clear(c->err);
	}
	return check_audit(c);
}

int ga_state_check(struct ga_db *db,
		   int (*each)(const struct ga_finding *finding, void *arg, struct ga_err *err),
		   void *arg, struct ga_err *err)
{
	ga_autojson json_t *named = json_object();
	struct check c = { .db = db, .each = each, .arg = arg, .err = err, .named = named };
	int r;

	if (ga_db_begin_read(db, err) < 0)
		return -1;
	r = check_all(&c);
	ga_db_rollback(db);
	return r < 0 ? -1 : c.found;
}
