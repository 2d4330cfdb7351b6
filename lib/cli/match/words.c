/* SPDX-License-Identifier: Apache-2.0 */
/* The words of a requirement, looked up in the catalogue, the measurements and the state. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/texts.h"
#include "catalog/name.h"
#include "cli/frame/cli.h"
#include "cli/match/match.h"

#define NAME_LETTERS 6 /* a shorter name stands in many texts by chance */
#define autowords ga_cleanup(words_release)

static void words_release(struct ga_borrowed_texts *w)
{
	ga_list_release(w);
}

/* Adds a word, each only once. */
static void add(struct ga_borrowed_texts *w, const char *word)
{
	size_t i;

	for (i = 0; word && i < w->n; i++)
		if (!strcasecmp(w->v[i], word))
			return;
	if (word)
		*ga_list_add(w) = word;
}

/* Models have many spellings, so people write "meta-llama/Llama-2-70b-hf": a name is near, too, if
 * it stands in the last part of the text, letters and digits only. */
static void add_near_models(const struct ga_borrowed_texts *w, const char *text, struct ga_str *out)
{
	const char *slash = strrchr(text, '/'), *last = slash && slash[1] ? slash + 1 : text;
	struct ga_closest_names near, whole;
	ga_autofree char *end = NULL;
	size_t i;

	ga_closest_begin(&near, last);
	for (i = 0; i < w->n; i++) {
		size_t far = ga_closest_spelling(&near, w->v[i], GA_CLOSEST_FAR);

		/* The other way round: whether the text contains the name. */
		ga_closest_begin(&whole, w->v[i]);
		if (whole.letters >= NAME_LETTERS && whole.letters <= near.letters &&
		    ga_closest_spelling(&whole, last, GA_CLOSEST_FAR) <= 1)
			far = 0;
		ga_closest_add(&near, w->v[i], far);
	}
	end = ga_closest_end(&near);
	ga_str_add(out, end);
}

/* Adds a size that stands in the name of a model, such as 70B, as the option that it would be. */
static void add_size(const char *name, struct ga_str *out)
{
	const char *p, *end;

	for (p = name; *p; p = *end ? end + (end == p) : end) {
		end = p + strspn(p, "0123456789.");
		if (end == p || !isdigit((unsigned char)*p) || !isdigit((unsigned char)end[-1]) ||
		    !strchr("bBmM", *end) || !*end || isalnum((unsigned char)end[1]))
			continue;
		if (p > name && isalnum((unsigned char)p[-1])) /* "8x7B" are experts */
			continue;
		ga_str_addf(out, "; if it has %.*s parameters: --model-params %.*s%c",
			    (int)(end + 1 - p), p, (int)(end - p), p, toupper((unsigned char)*end));
		return;
	}
}

static int refuse(const struct ga_borrowed_texts *w, const char *text, const char *what,
		  struct ga_err *err)
{
	ga_autofree char *end = NULL;
	struct ga_closest_names near;
	size_t i;

	ga_closest_begin(&near, text);
	for (i = 0; i < w->n; i++)
		ga_closest_word(&near, w->v[i]);
	end = ga_closest_end(&near);
	return ga_refuse(err, GA_USAGE, NULL, NULL,
			 ("'%.64s' is no %s of the catalogue%s", text, what, end),
			 ("'gpuaas-profile catalog' shows them; a drop-in can add one: "
			  "gpuaas-accelerators(7)"));
}

static int check_architecture(const struct ga_accels *accels, const char *text,
			      struct ga_err *err)
{
	autowords struct ga_borrowed_texts names = { 0 };
	size_t i;

	for (i = 0; i < ga_accels_count(accels); i++) {
		const struct ga_accel_architecture *a = &ga_accels_at(accels, i)->architecture;

		if ((a->name && !strcasecmp(a->name, text)) ||
		    (a->family && !strcasecmp(a->family, text)))
			return 0;
		add(&names, a->name);
	}
	return refuse(&names, text, "architecture", err);
}

static int check_vendor(const struct ga_accels *accels, const char *text, struct ga_err *err)
{
	autowords struct ga_borrowed_texts names = { 0 };
	size_t i;

	for (i = 0; i < ga_accels_count(accels); i++) {
		const char *have = ga_accels_at(accels, i)->vendor;

		if (have && ga_accel_is_vendor(have, text))
			return 0;
		add(&names, have);
	}
	return refuse(&names, text, "vendor", err);
}

static void check_model(const struct ga_requirement *need, const struct ga_match_words *w)
{
	const struct ga_throughput_model *model = ga_throughput_model(w->throughput, need->model);
	ga_autostr struct ga_str near = GA_STR_INIT;
	autowords struct ga_borrowed_texts names = { 0 };
	size_t i, without = 0;
	bool known = model;

	for (i = 0; i < w->throughput->models.n; i++)
		add(&names, w->throughput->models.v[i].model);
	for (i = 0; i < w->measured->n; i++) {
		const char *name = w->measured->v[i].model;

		known = known || (name && !strcasecmp(name, need->model));
		add(&names, name);
		without += !name;
	}
	if (model && need->params == GA_UNKNOWN) {
		const struct ga_throughput *t = w->throughput;
		const char *what = model->source;
		size_t j;

		for (j = 0; j < t->sources.n; j++)
			if (!strcmp(t->sources.v[j].name, model->source))
				what = t->sources.v[j].what;
		ga_say("model '%s' has %lld parameters: %s", model->model, (long long)model->params,
		       what);
	}
	if (model && model->context != GA_UNKNOWN && need->context != GA_UNKNOWN &&
	    need->context > model->context)
		ga_say("warning: model '%s' takes at most %lld tokens, not %lld", model->model,
		       (long long)model->context, (long long)need->context);
	if (ga_estimate_is_training(need))
		return;
	if (without)
		ga_say("warning: %zu record%s of --measured name%s no model, and do%s not count "
		       "for '%.64s'", without, without == 1 ? "" : "s", without == 1 ? "s" : "",
		       without == 1 ? "es" : "", need->model);
	if (known)
		return;
	add_near_models(&names, need->model, &near);
	if (need->params == GA_UNKNOWN)
		add_size(need->model, &near);
	ga_say("warning: nobody measured the model '%.64s'%s", need->model, near.buf);
}

static void check_team(const struct ga_requirement *need, const struct ga_match_words *w)
{
	size_t i;

	for (i = 0; w->rules && i < w->rules->teams.n; i++)
		if (!w->rules->teams.v[i].retired &&
		    !strcmp(w->rules->teams.v[i].name, need->team))
			return;
	if (w->rules)
		ga_say("warning: there is no team '%s'", need->team);
	else
		ga_say("warning: what is published has no profiles of teams: those of '%s' are "
		       "left out", need->team);
}

static int refused(bool typed, struct ga_err *err)
{
	if (!typed)
		err->code = GA_BADREC;
	return -1;
}

int ga_match_check_words(const struct ga_requirement *need, const struct ga_match_words *words,
			 struct ga_err *err)
{
	size_t i;

	for (i = 0; i < need->architectures.n; i++)
		if (check_architecture(words->accels, need->architectures.v[i], err) < 0)
			return refused(words->typed->architectures.n, err);
	if (need->vendor && check_vendor(words->accels, need->vendor, err) < 0)
		return refused(words->typed->vendor, err);
	if (need->model)
		check_model(need, words);
	else if (need->params != GA_UNKNOWN && !ga_estimate_is_training(need)) {
		const char *name = words->measured->n ? words->measured->v[0].model : NULL;

		/* Several models may have this number of parameters, so measurements of one model
		 * do not count. (All are of one model; otherwise the requirement was refused.) */
		if (name)
			ga_say("warning: the measurements are of '%.64s', and do not count: if the "
			       "model is that one, give --model",
			       name);
	}
	if (need->team)
		check_team(need, words);
	if (need->image && !words->rules)
		ga_say("warning: the published view does not list the nodes with a copy of image "
		       "'%.64s'",
		       need->image);
	return 0;
}
