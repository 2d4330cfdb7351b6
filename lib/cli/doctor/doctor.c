/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-doctor: running the checks, and the order of what they found. */
#include "cli/doctor/doctor.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/quote.h"
#include "base/texts.h"
#include "cli/frame/cli.h"

#define TIMEOUT_MICROS (300 * GA_SECOND)
#define ANSWER_MAX (32 << 20)

void ga_answer_release(struct ga_answer *a)
{
	ga_proc_result_release(&a->result);
}

char *ga_doctor_command(const char *hint)
{
	static const char begin[] = "'gpuaas-";
	const char *at = hint ? strstr(hint, begin) : NULL, *end = at ? strchr(at + 1, '\'') : NULL;

	return end ? ga_xstrndup(at + 1, (size_t)(end - at - 1)) : NULL;
}

bool ga_doctor_may_paste(const char *command)
{
	static const char *const words[] = { "gpuaas-wipe", "--destroy-data", " retire ", " TEXT" };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(words); i++)
		if (strstr(command, words[i]))
			return false;
	return true;
}

void ga_doctor_add(struct ga_doctor *d, const char *severity, const char *check,
		   const char *object, const char *code, const char *sentence, const char *command)
{
	*ga_list_add(&d->findings) = (struct ga_doctor_finding){
		.severity = ga_xstrdup(severity),
		.check = ga_xstrdup(check),
		.object = ga_strdup0(object),
		.code = ga_strdup0(code),
		.sentence = ga_xstrdup(sentence),
		.command = ga_strdup0(command),
	};
}

/* ---- running ---- */

/* The environment of this process, without what base/proc.h sets itself and with errors as records:
 * the checks go by the same settings. */
static void environment(struct ga_borrowed_texts *ret)
{
	static const char *const own[] = { "PATH=", "LC_ALL=", "GPUAAS_ERRORS=" };
	char **e;
	size_t i;

	for (e = environ; *e; e++) {
		for (i = 0; i < GA_ARRAY_SIZE(own) && !ga_starts(*e, own[i]); i++)
			;
		if (i == GA_ARRAY_SIZE(own))
			*ga_list_add(ret) = *e;
	}
	*ga_list_add(ret) = (char *)(uintptr_t) "GPUAAS_ERRORS=json";
	*ga_list_add(ret) = NULL;
}

/* The last error record on standard error; false: there is none. */
static bool find_error(const struct ga_proc_result *r, struct ga_error *ret)
{
	const char *line = r->err.buf;
	bool found = false;

	while (line && *line) {
		size_t n = strcspn(line, "\n");
		struct ga_err ignored = GA_ERR_INIT;
		struct ga_rec rec;

		if (*line == '{' && ga_rec_of_line(line, n, &rec, &ignored) == 0) {
			if (ga_rec_is(&rec, &ga_error_schema)) {
				if (found)
					ga_schema_release(&ga_error_schema, ret);
				found = ga_rec_parse(&rec, &ga_error_schema, ret, &ignored) == 0;
			}
			json_decref(rec.json);
		}
		line += n + (line[n] == '\n');
	}
	return found;
}

/* A machine need not have a state; one that is named and not there is lost, or its name is
 * wrong. */
static bool need_not_be_there(const struct ga_error *e)
{
	return ga_streq(e->reason, "no_state") && !ga_cli_state_named() &&
	       !ga_cli_setting("GPUAAS_STATE", NULL);
}

/* A check that this user or this machine cannot make is no trouble; any other failure is. */
static void add_failure(struct ga_doctor *d, const char *check, const char *const *argv,
			const struct ga_proc_result *r)
{
	ga_autostr struct ga_str command = GA_STR_INIT;
	ga_autofree char *sentence = NULL;
	struct ga_error e;
	bool unchecked;
	size_t i;

	if (!find_error(r, &e)) {
		sentence = ga_xprintf("%s ended with status %d and said nothing", argv[0],
				      r->status);
		for (i = 0; argv[i]; i++) {
			ga_str_add(&command, i ? " " : "");
			ga_quote_word(&command, argv[i]);
		}
		ga_doctor_add(d, "error", check, NULL, NULL, sentence, command.buf);
		return;
	}
	d->denied = d->denied || r->status == GA_DENIED;
	unchecked = r->status == GA_DENIED || r->status == GA_USAGE ||
		    need_not_be_there(&e);
	sentence = ga_xprintf("%s%s%s%s", unchecked ? "not checked: " : "", e.sentence,
			      e.hint ? "; " : "", e.hint ? e.hint : "");
	ga_doctor_add(d, unchecked ? "unchecked" : "error", check, e.object, e.reason, sentence,
		      NULL);
	ga_schema_release(&ga_error_schema, &e);
}

void ga_doctor_ask(struct ga_doctor *d, const char *check, const char *const *argv,
		   struct ga_answer *ret)
{
	ga_autofree char *program = ga_cli_beside(argv[0]);
	struct ga_borrowed_texts words = { 0 }, env = { 0 };
	ga_autofree char *sentence = NULL;
	struct ga_err err = GA_ERR_INIT;
	struct ga_proc p;
	size_t i;
	int r;

	*ret = (struct ga_answer){ .result = GA_PROC_RESULT_INIT };
	for (i = 0; argv[i]; i++)
		*ga_list_add(&words) = (char *)(uintptr_t)argv[i];
	*ga_list_add(&words) = NULL;
	words.v[0] = program;
	environment(&env);
	p = (struct ga_proc){ .argv = (const char *const *)(uintptr_t)words.v,
			      .env = (const char *const *)(uintptr_t)env.v,
			      .timeout_micros = TIMEOUT_MICROS, .output_max = ANSWER_MAX,
			      .ends_with_us = true };
	r = ga_proc_run(&p, &ret->result, &err);
	ga_list_release(&words);
	ga_list_release(&env);
	if (r < 0) {
		sentence = ga_xprintf("not checked: %s", err.msg);
		ga_doctor_add(d, err.code == GA_EXTERNAL ? "unchecked" : "error", check, argv[0],
			      NULL, sentence, NULL);
		return;
	}
	ret->ran = ret->result.status == 0 || ret->result.status == GA_NO;
	if (!ret->ran)
		add_failure(d, check, argv, &ret->result);
}

void ga_doctor_records(struct ga_doctor *d, const char *check, const struct ga_answer *a,
		       void (*each)(struct ga_doctor *d, const struct ga_rec *rec))
{
	const char *line = a->ran ? a->result.out.buf : NULL;

	while (line && *line) {
		size_t n = strcspn(line, "\n");
		struct ga_err why = GA_ERR_INIT;
		struct ga_rec rec;

		if (ga_rec_of_line(line, n, &rec, &why) < 0) {
			ga_autofree char *sentence = ga_xprintf("its answer cannot be read: a line "
								"is %s", why.msg);

			ga_doctor_add(d, "error", check, NULL, NULL, sentence, NULL);
			return;
		}
		each(d, &rec);
		json_decref(rec.json);
		line += n + (line[n] == '\n');
	}
}

/* ---- the order ---- */

bool ga_doctor_is_order(const char *check, const char *code)
{
	return ga_streq(check, "attention") && ga_streq(code, "cordoned");
}

static int severity_rank(const struct ga_doctor_finding *f)
{
	if (!strcmp(f->severity, "error"))
		return 0;
	if (strcmp(f->severity, "warning") != 0)
		return 3;
	return ga_doctor_is_order(f->check, f->code) ? 2 : 1;
}

/* By severity, orders of people behind faults; of equals, in the order of the checks, kept in rank:
 * the state comes first, because the rest goes by it. */
static int in_order(const void *a, const void *b)
{
	const struct ga_doctor_finding *x = a, *y = b;
	int r = severity_rank(x) - severity_rank(y);

	return r ? r : (x->rank > y->rank) - (x->rank < y->rank);
}

static void cleanup_doctor(struct ga_doctor *d)
{
	size_t i;

	for (i = 0; i < d->findings.n; i++)
		ga_schema_release(&ga_doctor_finding_schema, &d->findings.v[i]);
	ga_list_release(&d->findings);
	for (i = 0; i < d->slots.n; i++)
		ga_schema_release(&ga_slot_schema, &d->slots.v[i]);
	ga_list_release(&d->slots);
	ga_str_release(&d->gpus);
	ga_str_release(&d->disks);
	ga_str_release(&d->unowned);
}

int ga_doctor(struct ga_err *err)
{
	ga_cleanup(cleanup_doctor) struct ga_doctor d = {
		.gpus = GA_STR_INIT, .disks = GA_STR_INIT, .unowned = GA_STR_INIT,
	};
	ga_autofree char *verdict = NULL;
	size_t i, to_do = 0, unchecked = 0;

	ga_doctor_state(&d);
	ga_doctor_host(&d);
	ga_doctor_units(&d);
	for (i = 0; i < d.findings.n; i++)
		d.findings.v[i].rank = (int64_t)i;
	if (d.findings.n)
		qsort(d.findings.v, d.findings.n, sizeof(*d.findings.v), in_order);
	for (i = 0; i < d.findings.n; i++) {
		struct ga_doctor_finding *f = &d.findings.v[i];

		f->rank = (int64_t)i + 1;
		*(severity_rank(f) < 3 ? &to_do : &unchecked) += 1;
		if (ga_emit(&ga_doctor_finding_schema, f, err) < 0)
			return -1;
	}
	verdict = to_do	? ga_xprintf("%zu thing%s to do, in this order; 'gpuaas-explain CODE' "
				     "explains a code", to_do, to_do == 1 ? "" : "s") :
		  ga_xstrdup(d.denied  ? "nothing to do was found, but this user may not check "
					 "everything: see above" :
			     unchecked ? "ok: nothing has to be done; what could not be checked is "
					 "listed" :
					 "ok: nothing has to be done");
	if (ga_emit_is_table())
		ga_print_item("%s", verdict); /* the last line of the table, also in a pager */
	else
		ga_say("%s", verdict);
	return to_do ? GA_NO : 0;
}
