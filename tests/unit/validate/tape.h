/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tapes: what was seen of a scenario, in a short form that people write and read.
 *
 *   hello NEED…                the technology "toy"; with "virtual" a virtual clock, "scale=150",
 *                              "jobs=4" at most, "lacks=NEED" for a reason that is "none"
 *   run                        the next run begins; its times count from the end of the last one
 *   again N                    N more runs like the last one
 *   MS phase NAME              MS: milliseconds since the run began; "+": that of the line before
 *   MS step VERB [WORD…]       jobs that are acknowledged; ignored=TEXT, set=TEXT (a workaround)
 *   MS poll
 *   MS..MS poll                a poll each second
 *   MS JOBS STATE [NODE:COUNT | NODE:SLOT,SLOT] [code=] [native=] [by=] [id=] [since=]
 *   MS answer explain|state|plan|events JSON
 *   MS answer snapshot|replay DIGEST
 *   MS trouble VERB CODE TEXT…
 *   MS end
 * JOBS are "a", or "a,b1..3": a, b1, b2 and b3; so are the jobs of a step. Blank lines and lines
 * with # are left out. tests/adapters/tape reads the same.
 */
#ifndef GA_TESTS_TAPE_H
#define GA_TESTS_TAPE_H

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"
#include "base/str.h"
#include "record/rec.h"
#include "record/trial.h"

#define TAPE_MAX 10000 /* jobs of a word, polls of a line, runs */

struct tape {
	struct ga_trial trial;
	int64_t run, ms, began; /* began: the time at which the run began */
	size_t run_at;		/* the place of its first observation */
};

static inline int tape_bad(struct ga_err *err, const char *line, const char *why)
{
	return ga_fail(err, GA_BADREC, "tape: '%.100s': %s", line, why);
}

static inline struct ga_trial_seen *tape_add(struct tape *tape, const char *what)
{
	struct ga_trial_seen *seen = ga_list_add(&tape->trial.seen);

	ga_schema_init(&ga_trial_seen_schema, seen);
	seen->run = tape->run;
	seen->ms = tape->ms;
	seen->what = ga_xstrdup(what);
	return seen;
}

/* The value of "name=value", or NULL. */
static inline const char *tape_value(const char *word, const char *name)
{
	size_t len = strlen(name);

	return !strncmp(word, name, len) && word[len] == '=' ? word + len + 1 : NULL;
}

static inline void tape_hello(struct tape *tape, char *words)
{
	struct ga_trial_hello *h = ga_xcalloc(1, sizeof(*h));
	const char *value;
	char *word, *save = NULL;

	ga_schema_init(&ga_trial_hello_schema, h);
	h->technology = ga_xstrdup("toy");
	h->version = ga_xstrdup("1");
	h->technology_class = ga_xstrdup("system");
	h->clock = ga_xstrdup("real");
	for (word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
		value = tape_value(word, "scale");
		if (value) {
			h->time_scale_percent = strtoll(value, NULL, 10);
		} else if ((value = tape_value(word, "jobs"))) {
			h->max_jobs = strtoll(value, NULL, 10);
		} else if ((value = tape_value(word, "lacks"))) {
			*ga_list_add(&h->lacks) = (struct ga_trial_lack){
				.need = ga_xstrdup(value), .sentence = ga_xstrdup("none"),
				.reference = ga_xstrdup("page 1"),
			};
		} else if (!strcmp(word, "virtual")) {
			free(h->clock);
			h->clock = ga_xstrdup(word);
		} else {
			ga_texts_add(&h->supports, word);
		}
	}
	tape_add(tape, "hello")->hello = h;
}

/* Adds the names that a word means. */
static inline void tape_names(const char *word, struct ga_texts *ret)
{
	ga_autofree char *copy = ga_xstrdup(word);
	char *name, *save = NULL;

	for (name = strtok_r(copy, ",", &save); name; name = strtok_r(NULL, ",", &save)) {
		char *dots = strstr(name, "..");
		char *digits = dots ? dots : name;
		int64_t i;

		while (dots && digits > name && strchr("0123456789", digits[-1]))
			digits--;
		if (!dots)
			ga_texts_add(ret, name);
		for (i = strtoll(digits, NULL, 10);
		     dots && i <= TAPE_MAX && i <= strtoll(dots + 2, NULL, 10); i++) {
			ga_autofree char *one =
				ga_xprintf("%.*s%" PRId64, (int)(digits - name), name, i);

			ga_texts_add(ret, one);
		}
	}
}

/* "n1:2" two slots of n1, "n1:0,3" these. */
static inline void tape_place(struct ga_trial_report *r, char *word, char *colon)
{
	struct ga_trial_place *p = ga_list_add(&r->places);
	char *slot, *save = NULL;

	*colon = '\0';
	p->node = ga_xstrdup(word);
	if (!strchr(colon + 1, ',')) {
		p->count = strtoll(colon + 1, NULL, 10);
		return;
	}
	for (slot = strtok_r(colon + 1, ",", &save); slot; slot = strtok_r(NULL, ",", &save)) {
		*ga_list_add(&p->slots) = strtoll(slot, NULL, 10);
		p->count++;
	}
}

static inline struct ga_trial_reason *tape_reason(struct ga_trial_report *r)
{
	if (!r->reason)
		r->reason = ga_xcalloc(1, sizeof(*r->reason));
	return r->reason;
}

/* Of a word that stands twice the last counts. */
static inline void tape_set(char **text, const char *value)
{
	free(*text);
	*text = ga_xstrdup(value);
}

static inline int tape_job(struct tape *tape, const char *name, const char *state, char **save,
			   const char *line, struct ga_err *err)
{
	struct ga_trial_report *r = ga_xcalloc(1, sizeof(*r));
	char *word;

	ga_schema_init(&ga_trial_report_schema, r);
	tape_add(tape, "job")->job = r;
	r->name = ga_xstrdup(name);
	r->state = ga_xstrdup(state ? state : "");
	while ((word = strtok_r(NULL, " ", save))) {
		const char *value;
		char *colon = strchr(word, ':');

		if ((value = tape_value(word, "code")))
			tape_set(&tape_reason(r)->code, value);
		else if ((value = tape_value(word, "native")))
			tape_set(&tape_reason(r)->native, value);
		else if ((value = tape_value(word, "by")))
			tape_set(&r->evicted_by, value);
		else if ((value = tape_value(word, "id")))
			tape_set(&r->id, value);
		else if ((value = tape_value(word, "since")))
			tape_set(&r->since, value);
		else if (colon)
			tape_place(r, word, colon);
		else
			return tape_bad(err, line, "a word of the job is not known");
	}
	return 0;
}

static inline int tape_answer(struct tape *tape, const char *verb, const char *json,
			      const char *line, struct ga_err *err)
{
	struct ga_trial_seen *seen = tape_add(tape, "answer");
	bool digest = !strcmp(verb, "snapshot") || !strcmp(verb, "replay");
	ga_autojson json_t *value =
		digest ? json_string(json) : json_loads(json ? json : "", 0, NULL);
	ga_autojson json_t *object = json_object();
	struct ga_trial_seen parsed;

	if (!value)
		return tape_bad(err, line, "the answer is no JSON");
	json_object_set_new(object, "kind", json_string(ga_trial_seen_schema.kind));
	json_object_set_new(object, "run", json_integer(seen->run));
	json_object_set_new(object, "ms", json_integer(seen->ms));
	json_object_set_new(object, "what", json_string("answer"));
	json_object_set_new(object, "verb", json_string(verb));
	json_object_set(object, digest ? "digest" : verb, value);
	if (ga_schema_parse(&ga_trial_seen_schema, object, &parsed, err) < 0)
		return ga_wrap(err, "tape: '%.60s'", line);
	ga_schema_release(&ga_trial_seen_schema, seen);
	*seen = parsed;
	return 0;
}

static inline int tape_step(struct tape *tape, char **save)
{
	char *verb = strtok_r(NULL, " ", save), *word;
	struct ga_trial_seen *seen = tape_add(tape, "step");
	const char *value;

	seen->verb = ga_xstrdup(verb ? verb : "submit");
	while ((word = strtok_r(NULL, " ", save))) {
		if ((value = tape_value(word, "ignored")))
			ga_texts_add(&seen->ignored, value);
		else if ((value = tape_value(word, "set")))
			ga_texts_add(&seen->workarounds, value);
		else
			tape_names(word, &seen->jobs);
	}
	return 0;
}

static inline int tape_trouble(struct tape *tape, char **save, const char *line, struct ga_err *err)
{
	char *verb = strtok_r(NULL, " ", save), *code = strtok_r(NULL, " ", save);
	struct ga_trial_seen *seen = tape_add(tape, "trouble");

	if (!code)
		return tape_bad(err, line, "a trouble has a verb and a code");
	seen->verb = ga_xstrdup(verb);
	seen->error = ga_xcalloc(1, sizeof(*seen->error));
	seen->error->code = ga_xstrdup(code);
	seen->error->sentence = ga_xstrdup(**save ? *save : "it broke");
	return 0;
}

/* The jobs of a line, each with the rest of it. */
static inline int tape_jobs(struct tape *tape, const char *names, const char *rest,
			    const char *line, struct ga_err *err)
{
	ga_autotexts struct ga_texts list = { 0 };
	size_t i;
	int r = 0;

	tape_names(names, &list);
	for (i = 0; !r && i < list.n; i++) {
		ga_autofree char *copy = ga_xstrdup(rest);
		char *save = NULL, *state = strtok_r(copy, " ", &save);

		r = tape_job(tape, list.v[i], state, &save, line, err);
	}
	return r;
}

/* More runs like the last one, each behind the one before. */
static inline void tape_again(struct tape *tape, int64_t n)
{
	size_t from = tape->run_at, to = tape->trial.seen.n, i;
	int64_t took = tape->ms - tape->began, k;

	for (k = 1; k <= n && k <= TAPE_MAX; k++) {
		tape->run++;
		tape->run_at = tape->trial.seen.n;
		tape->began += took;
		tape->ms += took;
		for (i = from; i < to; i++) {
			struct ga_trial_seen *seen = ga_list_add(&tape->trial.seen);

			ga_schema_copy(&ga_trial_seen_schema, &tape->trial.seen.v[i], seen);
			seen->run = tape->run;
			seen->ms += k * took;
		}
	}
}

static inline int64_t tape_time(const struct tape *tape, const char *word)
{
	int64_t ms = strtoll(word, NULL, 10), sum;

	return __builtin_add_overflow(tape->began, ms, &sum) ? INT64_MAX : sum;
}

static inline void tape_polls(struct tape *tape, const char *word)
{
	const char *dots = strstr(word, "..");
	int64_t to = dots ? tape_time(tape, dots + 2) : tape->ms, i;

	tape_add(tape, "poll");
	for (i = 1; i < TAPE_MAX && to >= 1000 && tape->ms <= to - 1000; i++) {
		tape->ms += 1000;
		tape_add(tape, "poll");
	}
}

static inline int tape_line(struct tape *tape, const char *line, struct ga_err *err)
{
	ga_autofree char *copy = ga_xstrdup(line);
	char *save = NULL, *word = strtok_r(copy, " \t", &save), *what;

	if (!word || *word == '#')
		return 0;
	if (!strcmp(word, "hello")) {
		tape_hello(tape, save);
		return 0;
	}
	if (!strcmp(word, "run")) {
		tape->run++;
		tape->began = tape->ms;
		tape->run_at = tape->trial.seen.n;
		return 0;
	}
	if (!strcmp(word, "again")) {
		tape_again(tape, strtoll(save, NULL, 10));
		return 0;
	}
	if (strcmp(word, "+"))
		tape->ms = tape_time(tape, word);
	what = strtok_r(NULL, " ", &save);
	if (!what)
		return tape_bad(err, line, "nothing stands behind the time");
	if (!strcmp(what, "phase")) {
		const char *phase = strtok_r(NULL, " ", &save);

		if (!phase)
			return tape_bad(err, line, "a phase has a name");
		tape_add(tape, "phase")->phase = ga_xstrdup(phase);
		return 0;
	}
	if (!strcmp(what, "poll")) {
		tape_polls(tape, word);
		return 0;
	}
	if (!strcmp(what, "end")) {
		tape_add(tape, what);
		return 0;
	}
	if (!strcmp(what, "step"))
		return tape_step(tape, &save);
	if (!strcmp(what, "trouble"))
		return tape_trouble(tape, &save, line, err);
	if (!strcmp(what, "answer")) {
		const char *verb = strtok_r(NULL, " ", &save);

		return tape_answer(tape, verb ? verb : "", save, line, err);
	}
	return tape_jobs(tape, what, save, line, err);
}

/* Reads a tape; on error the trial is released. Each observation is one that the schema accepts. */
static inline int tape_read(const char *text, struct ga_trial *ret, struct ga_err *err)
{
	struct tape tape = { .run = 1 };
	const char *at, *end;
	int r = 0;
	size_t i;

	for (at = text; !r && *at; at = *end ? end + 1 : end) {
		ga_autofree char *line = NULL;

		end = strchrnul(at, '\n');
		line = ga_xprintf("%.*s", (int)(end - at), at);
		r = tape_line(&tape, line, err);
	}
	for (i = 0; !r && i < tape.trial.seen.n; i++)
		r = ga_schema_check(&ga_trial_seen_schema, &tape.trial.seen.v[i], err);
	*ret = tape.trial;
	if (!r)
		return 0;
	ga_trial_release(ret);
	return -1;
}

#endif
