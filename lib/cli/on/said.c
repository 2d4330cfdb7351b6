/* SPDX-License-Identifier: Apache-2.0 */
/* The output of a node, checked line by line, and the failures of the node. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "cli/frame/cli.h"
#include "cli/on/node.h"
#include "record/plan.h"
#include "record/result.h"
#include "record/schema.h"
#include "record/time.h"

#define HELD_MAX (64 << 20)

static char *text(const char *s)
{
	return (char *)(uintptr_t)s;
}

/* ---- failures and the node-end record ---- */

static int tell(struct ga_on_node *n, const char *phase, const struct ga_err *why,
		const char *sentence, const char *hint, struct ga_err *err)
{
	char at[GA_TIME_SIZE];
	struct ga_failure f;

	ga_schema_init(&ga_failure_schema, &f);
	f.node = n->node;
	f.program = text(n->opts->program);
	f.phase = text(phase);
	f.code = text(why->reason[0] ? why->reason : "command_failed");
	f.sentence = text(sentence);
	f.hint = text(hint);
	f.status = why->code ? (int64_t)why->code : GA_EXTERNAL;
	f.at = ga_time_format(ga_clock_micros(), at);
	return ga_emit(&ga_failure_schema, &f, err);
}

int ga_on_tell(struct ga_on_node *n, const char *phase, const struct ga_err *why,
	       struct ga_err *err)
{
	ga_autostr struct ga_str sentence = GA_STR_INIT;
	ga_autofree char *later = NULL;
	size_t i;

	if (n->failed)
		return 0;
	n->failed = true;
	ga_str_addf(&sentence, "node '%s'", n->node);
	if (n->address && strcmp(n->address, n->node))
		ga_str_addf(&sentence, " at '%s'", n->address);
	ga_str_addf(&sentence, ": %s", why->msg);
	/* Name the objects of orders that the node has not answered. */
	for (i = 0; i < n->open.n && i < 8; i++)
		ga_str_addf(&sentence, "%s%s", i ? ", " : "; no answer for ", n->open.v[i]);
	if (n->open.n > 8)
		ga_str_addf(&sentence, " and %zu more", n->open.n - 8);
	if (!why->hint[0] && n->orders && !strcmp(phase, "run"))
		later = ga_xprintf("the host finishes what it began; later: "
				   "'gpuaas-state expect --node %s | gpuaas-on gpuaas-reconcile - |"
				   " gpuaas-state fold -'",
				   n->node);
	return tell(n, phase, why, sentence.buf,
		    later	 ? later :
		    why->hint[0] ? why->hint :
				   NULL,
		    err);
}

int ga_on_tell_unsent(struct ga_on_node *n, const char *object, struct ga_err *err)
{
	ga_autofree char *sentence = ga_xprintf("node '%s': the order for '%s' came when its "
						"command had ended, and was not sent", n->node,
						object);
	const struct ga_err why = { .code = GA_EXTERNAL, .reason = "not_sent", .msg = "not sent" };

	return tell(n, "connect", &why, sentence, "send it again", err);
}

int ga_on_tell_end(struct ga_on_node *n, int64_t status, struct ga_err *err)
{
	char digest[GA_DIGEST_SIZE], at[GA_TIME_SIZE];
	const struct ga_node_end end = {
		.node = n->node,
		.complete = !n->failed,
		.status = status,
		.orders = n->orders,
		.records = n->records,
		.digest = digest,
		.elapsed_micros = n->started ? ga_clock_mono_micros() - n->started : GA_UNKNOWN,
		.at = ga_time_format(ga_clock_micros(), at),
	};

	ga_digest_close(GA_TAKE(n->digest), digest);
	return ga_emit(&ga_node_end_schema, &end, err);
}

/* ---- passing on ---- */

static int pass(struct ga_on_node *n, const struct ga_rec *rec, struct ga_err *err)
{
	n->records++;
	ga_digest_add(n->digest, rec->raw, rec->raw_len);
	ga_digest_add(n->digest, "\n", 1);
	n->had_status = n->had_status || json_integer_value(json_object_get(rec->json, "status"));
	return ga_emit_raw(rec, err);
}

static void strike(struct ga_on_node *n, const char *object)
{
	size_t i;

	for (i = 0; object && i < n->open.n; i++) {
		if (strcmp(n->open.v[i], object))
			continue;
		free(n->open.v[i]);
		n->open.v[i] = n->open.v[--n->open.n];
		return;
	}
}

/* A failure record without a node gets the name of this node. */
static int pass_failure(struct ga_on_node *n, struct ga_rec *rec, struct ga_err *err)
{
	ga_autostr struct ga_str line = GA_STR_INIT;

	if (json_is_string(json_object_get(rec->json, "node")))
		return pass(n, rec, err);
	json_object_set_new(rec->json, "node", json_string(n->node));
	ga_rec_dump(rec->json, &line);
	rec->raw = line.buf;
	rec->raw_len = line.len;
	return pass(n, rec, err);
}

/* ---- discoveries ---- */

static int pass_held(struct ga_on_node *n, struct ga_err *err)
{
	char *p = n->held.buf, *end;

	for (; (end = strchr(p, '\n')); p = end + 1) {
		ga_autojson json_t *json = NULL;
		struct ga_rec rec;
		int r;

		if (ga_rec_of_line(p, (size_t)(end - p), &rec, err) < 0)
			return -1;
		json = rec.json;
		r = pass(n, &rec, err);
		if (r < 0)
			return -1;
	}
	ga_str_clear(&n->held);
	return 0;
}

/* A reader accepts only a complete discovery, and its digest allows no other line in between. So
 * the lines are held back until the end record has come and its digest fits. */
static int hold(struct ga_on_node *n, const struct ga_rec *rec, struct ga_err *err)
{
	struct ga_err why = GA_ERR_INIT;
	int r;

	if (n->held.len + rec->raw_len > HELD_MAX)
		r = ga_fail(&why, GA_BADREC, "its discovery is longer than 64 MiB");
	else
		r = ga_host_stream_take(&n->discovery, rec, &why);
	if (r < 0) {
		ga_host_stream_release(&n->discovery);
		ga_str_clear(&n->held);
		ga_err_about(&why, "bad_discovery", NULL);
		return ga_on_tell(n, "run", &why, err);
	}
	ga_str_add_bytes(&n->held, rec->raw, rec->raw_len);
	ga_str_addc(&n->held, '\n');
	return r ? pass_held(n, err) : 0;
}

int ga_on_said_end(struct ga_on_node *n, struct ga_err *err)
{
	struct ga_err why = GA_ERR_INIT;

	if (!n->held.len && !n->cut)
		return 0;
	ga_fail_about(&why, GA_BADREC, "cut_short", NULL,
		      n->held.len ? "its discovery has no end: nothing of it is passed on" :
				    "its last line is cut off: nothing of it is passed on");
	ga_str_clear(&n->held);
	return ga_on_tell(n, "run", &why, err);
}

/* ---- a line ---- */

static int bad_line(struct ga_on_node *n, const char *code, const struct ga_err *what,
		    struct ga_err *err)
{
	struct ga_err why = GA_ERR_INIT;

	ga_refuse(&why, GA_BADREC, code, NULL,
		  ("line %llu of its output is %s", (unsigned long long)n->out.line, what->msg),
		  ("a login there (motd, .bashrc) must not print on stdout"));
	return ga_on_tell(n, "run", &why, err);
}

int ga_on_said_too_long(struct ga_on_node *n, struct ga_err *err)
{
	struct ga_err what = GA_ERR_INIT;

	ga_err_set(&what, GA_BADREC, "longer than 1 MiB");
	return bad_line(n, "line_too_long", &what, err);
}

int ga_on_said(struct ga_on_node *n, const char *line, size_t len, struct ga_err *err)
{
	struct ga_err what = GA_ERR_INIT;
	ga_autojson json_t *json = NULL;
	const char *named;
	struct ga_rec rec;

	if (!len)
		return 0;
	if (ga_rec_of_line(line, len, &rec, &what) < 0)
		return bad_line(n, "not_a_record", &what, err);
	json = rec.json;
	rec.line = n->out.line;
	n->had_output = true;
	named = json_string_value(json_object_get(json, "node"));
	if (named && strcmp(named, n->node)) {
		struct ga_err why = GA_ERR_INIT;

		/* The connection reached the wrong node: it answers with another name. */
		ga_refuse(&why, GA_CONFLICT, "other_node", NULL,
			  ("it answers as node '%.80s': nothing more of it is passed on", named),
			  ("correct the address of node '%s', or GPUAAS_NODE in "
			   "/etc/gpuaas/gpuaas.conf there", n->node));
		return ga_on_node_fail(n, "run", &why, err);
	}
	if (rec.schema == &ga_user_data_schema)
		return 0; /* passed on by a command that does not use it: drop it, it is secret */
	/* A result of its object answers an order; a progress record does not. */
	if (rec.schema != &ga_progress_schema) {
		strike(n, json_string_value(json_object_get(rec.json, "allocation")));
		strike(n, json_string_value(json_object_get(rec.json, "object")));
		if (rec.schema == &ga_observation_schema)
			strike(n, n->node);
	}
	if (rec.schema == &ga_host_schema || rec.schema == &ga_candidate_schema ||
	    rec.schema == &ga_end_schema)
		return hold(n, &rec, err);
	return rec.schema == &ga_failure_schema ? pass_failure(n, &rec, err) : pass(n, &rec, err);
}
