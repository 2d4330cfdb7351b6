/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-place --guide. */
#include "cli/place/guide.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/quote.h"
#include "base/str.h"
#include "cli/frame/cli.h"
#include "cli/frame/types.h"
#include "cli/offer.h"
#include "cli/place/place.h"
#include "record/money.h"
#include "record/request.h"
#include "state/capacity/profile.h"
#include "state/node/image.h"

struct guide {
	struct ga_guide *g;
	GA_LIST(struct ga_hardware_profile) profiles;
	const struct ga_hardware_profile *profile; /* the chosen one */
	struct ga_texts images; /* that a node has */
	char *image;		/* the profile's own, or NULL */
};

static void guide_release(struct guide *s)
{
	size_t i;

	for (i = 0; i < s->profiles.n; i++)
		ga_schema_release(&ga_hardware_profile_schema, &s->profiles.v[i]);
	ga_list_release(&s->profiles);
	ga_texts_release(&s->images);
	free(s->image);
}

/* ---- what the state offers ---- */

static int keep(const struct ga_schema *schema, const void *obj, void *arg, struct ga_err *err)
{
	struct guide *s = arg;

	(void)err;
	ga_schema_copy(schema, obj, ga_list_add(&s->profiles));
	return 0;
}

/* The images that nodes have, and the profile's. A user who sees only the published view types the
 * name of an image. */
static int read_images(struct guide *s, struct ga_err *err)
{
	ga_autodb_leave struct ga_db *db = NULL;
	struct ga_profile profile;

	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0 ||
	    ga_db_begin_read(db, err) < 0 ||
	    ga_store_images_on_nodes(db, &s->images, err) < 0 ||
	    ga_store_profile(db, s->profile->name, &profile, err) < 0)
		return -1;
	s->image = GA_TAKE(profile.image);
	ga_schema_release(&ga_profile_schema, &profile);
	return 0;
}

/* ---- questions ---- */

/* Keeps the text of an answer for the guide's owner. */
static const char *take_answer(struct ga_guide *g, const char *text)
{
	ga_texts_add(&g->typed, text);
	return g->typed.v[g->typed.n - 1];
}

/* Reads one answer, without the white space around it; allocated, NULL with an error. */
static char *read_answer(struct ga_err *err)
{
	ga_autofree char *line = NULL;
	size_t size = 0, len;
	ssize_t n = getline(&line, &size, stdin);
	char *from = line;

	if (n < 0 || !from) {
		(void)ga_refuse(err, GA_USAGE, NULL, NULL,
				("the input ended before the last question was answered"),
				("answer at a terminal, or give the choices as options"));
		return NULL;
	}
	while (strchr(" \t", *from) && *from)
		from++;
	len = strcspn(from, "\r\n");
	while (len && strchr(" \t", from[len - 1]))
		len--;
	return ga_xstrndup(from, len);
}

/* The number that an answer is, or 0. */
static int64_t number_of(const char *answer)
{
	size_t len = strlen(answer);

	return len && len < 6 && strspn(answer, "0123456789") == len ? strtol(answer, NULL, 10) : 0;
}

struct choice {
	const char *word; /* a valid answer, as its number is */
	const char *text;
};

/* Asks for one of the choices: its index. preferred: the answer of an empty line. */
static int ask_one(const char *question, const struct choice *choices, size_t n, size_t preferred,
		   struct ga_err *err)
{
	int64_t number;
	size_t i;

	ga_say("%s", question);
	for (i = 0; i < n; i++)
		ga_say("  %zu) %s%s%s", i + 1, choices[i].word, *choices[i].text ? ": " : "",
		       choices[i].text);
	for (;;) {
		ga_autofree char *answer = NULL;

		ga_say("number or name [%s]:", choices[preferred].word);
		answer = read_answer(err);
		if (!answer)
			return -1;
		if (!*answer)
			return (int)preferred;
		for (i = 0; i < n; i++)
			if (!strcmp(choices[i].word, answer))
				return (int)i;
		number = number_of(answer);
		if (number >= 1 && number <= (int64_t)n)
			return (int)number - 1;
		ga_say("'%s' is none of these", answer);
	}
}

static int ask_shape(struct guide *s, struct ga_err *err)
{
	static const struct choice choices[] = {
		{ "slice", "GPUs of a machine, in a VM of their own" },
		{ "baremetal", "a complete machine" },
	};
	bool slice = false, baremetal = s->g->baremetal;
	size_t i;
	int r;

	for (i = 0; i < s->profiles.n && !s->g->baremetal; i++) {
		slice |= ga_streq(s->profiles.v[i].shape, "slice");
		baremetal |= ga_streq(s->profiles.v[i].shape, "baremetal");
	}
	if (!slice || !baremetal) {
		s->g->baremetal = baremetal;
		return 0;
	}
	r = ask_one("A slice of a machine, or a complete machine?", choices, 2, 0, err);
	s->g->baremetal = r == 1;
	return r < 0 ? -1 : 0;
}

/* "NVIDIA H200 141GB; 6 GPUs available, at most 4 in one request; 3.50 EUR a GPU hour" */
static char *describe(const struct ga_hardware_profile *p)
{
	ga_autostr struct ga_str out = GA_STR_INIT;
	size_t i;

	for (i = 0; i < p->by_type.n; i++)
		ga_str_addf(&out, "%s%s", i ? " or " : "", p->by_type.v[i].name);
	ga_str_addf(&out, "%s%lld GPU%s available", out.len ? "; " : "",
		    (long long)p->available_count, p->available_count == 1 ? "" : "s");
	if (p->largest_available > 0)
		ga_str_addf(&out, ", at most %lld in one request", (long long)p->largest_available);
	if (p->price_micros > 0) {
		ga_str_add(&out, "; ");
		ga_cost_format(p->price_micros, &out);
		ga_str_addf(&out, "%s%s a GPU hour", p->currency ? " " : "",
			    p->currency ? p->currency : "");
	}
	return ga_xstrdup(out.buf);
}

static int ask_profile(struct guide *s, struct ga_err *err)
{
	const char *shape = s->g->baremetal ? "baremetal" : "slice";
	const struct ga_hardware_profile *of[256];
	struct choice choices[GA_ARRAY_SIZE(of)];
	size_t i, n = 0, preferred = 0;
	bool available = false;
	int r;

	for (i = 0; i < s->profiles.n && n < GA_ARRAY_SIZE(of); i++) {
		if (!ga_streq(s->profiles.v[i].shape, shape))
			continue;
		if (s->profiles.v[i].available && !available) {
			preferred = n;
			available = true;
		}
		choices[n] = (struct choice){ s->profiles.v[i].name, describe(&s->profiles.v[i]) };
		of[n++] = &s->profiles.v[i];
	}
	if (!n)
		return ga_refuse(err, GA_NO, "no_profile", NULL,
				 ("the state has no profile of the shape %s", shape),
				 ("gpuaas-profile create makes one"));
	r = ask_one("Which hardware?", choices, n, preferred, err);
	for (i = 0; i < n; i++)
		free((char *)(uintptr_t)choices[i].text);
	if (r < 0)
		return -1;
	s->profile = of[r];
	s->g->profile = take_answer(s->g, s->profile->name);
	return 0;
}

static int find_profile(struct guide *s, struct ga_err *err)
{
	size_t i;

	for (i = 0; i < s->profiles.n; i++)
		if (ga_streq(s->profiles.v[i].name, s->g->profile))
			s->profile = &s->profiles.v[i];
	if (!s->profile)
		return ga_refuse(err, GA_NOTFOUND, "no_profile", s->g->profile,
				 ("there is no profile '%s'", s->g->profile),
				 ("'gpuaas-profile list' shows them"));
	s->g->baremetal = s->g->baremetal || ga_streq(s->profile->shape, "baremetal");
	return 0;
}

/* Only where the profile leaves a choice. */
static int ask_type(struct guide *s, struct ga_err *err)
{
	struct choice choices[64] = { { "any", "in the order of the profile" } };
	const struct ga_hardware_profile *p = s->profile;
	size_t i, n = 1;
	int r;

	for (i = 0; i < p->by_type.n && n < GA_ARRAY_SIZE(choices); i++)
		if (p->by_type.v[i].type)
			choices[n++] = (struct choice){ p->by_type.v[i].type,
							p->by_type.v[i].name };
	if (s->g->any_type || n < 3)
		return 0;
	r = ask_one("Which type?", choices, n, 0, err);
	if (r > 0)
		s->g->type = take_answer(s->g, choices[r].word);
	return r < 0 ? -1 : 0;
}

static bool allows(const struct ga_hardware_profile *p, int64_t count)
{
	size_t i;

	for (i = 0; i < p->counts.n; i++)
		if (p->counts.v[i] == count)
			return true;
	return !p->counts.n && count >= 1 && count <= GA_REQUEST_GPUS;
}

static int ask_count(struct guide *s, struct ga_err *err)
{
	const struct ga_hardware_profile *p = s->profile;
	ga_autostr struct ga_str allowed = GA_STR_INIT;
	size_t i;

	for (i = 0; i < p->counts.n; i++)
		ga_str_addf(&allowed, "%s%lld", i ? ", " : "", (long long)p->counts.v[i]);
	if (!p->counts.n)
		ga_str_addf(&allowed, "1 to %d", GA_REQUEST_GPUS);
	ga_say(s->g->baremetal ? "How many GPUs must the machine have at least? (%s)" :
				 "How many GPUs? (%s)", allowed.buf);
	for (;;) {
		ga_autofree char *answer = NULL;
		int64_t count = p->counts.n ? p->counts.v[0] : 1;

		if (s->g->baremetal)
			ga_say("number [any]:");
		else
			ga_say("number [%lld]:", (long long)count);
		answer = read_answer(err);
		if (!answer)
			return -1;
		if (!*answer && s->g->baremetal)
			return 0;
		if (*answer)
			count = number_of(answer);
		if (allows(p, count)) {
			s->g->gpus = count;
			return 0;
		}
		ga_say("'%s' is not allowed: %s", answer, allowed.buf);
	}
}

static int ask_image(struct guide *s, struct ga_err *err)
{
	struct choice *choices = ga_xcalloc(s->images.n + 1, sizeof(*choices));
	size_t i, preferred = 0;
	int r = 0;

	for (i = 0; i < s->images.n; i++) {
		choices[i] = (struct choice){ s->images.v[i], "" };
		if (ga_streq(s->images.v[i], s->image)) {
			choices[i].text = "the profile's";
			preferred = i;
		}
	}
	if (!s->images.n)
		ga_say("no node has a verified copy of an image yet (gpuaas-image add)");
	else
		r = ask_one("Which image?", choices, s->images.n, preferred, err);
	if (r >= 0 && s->images.n)
		s->g->image = take_answer(s->g, s->images.v[r]);
	free(choices);
	return r < 0 ? -1 : 0;
}

/* The user's own public key, allocated, or NULL. */
static char *own_key(void)
{
	static const char *const names[] = { "id_ed25519.pub", "id_ecdsa.pub", "id_rsa.pub" };
	const char *home = getenv("HOME");
	size_t i;

	for (i = 0; home && *home == '/' && i < GA_ARRAY_SIZE(names); i++) {
		char *path = ga_xprintf("%s/.ssh/%s", home, names[i]);

		if (access(path, R_OK) == 0)
			return path;
		free(path);
	}
	return NULL;
}

static int ask_key(struct guide *s, struct ga_err *err)
{
	ga_autofree char *own = own_key();

	ga_say("Which ssh public key may log in? (a .pub file, or none)");
	for (;;) {
		ga_autofree char *answer = NULL;
		struct ga_err why = GA_ERR_INIT;
		struct ga_request probe;
		int r;

		ga_say("file [%s]:", own ? own : "none");
		answer = read_answer(err);
		if (!answer)
			return -1;
		if (!*answer && own) {
			free(answer);
			answer = ga_xstrdup(own);
		}
		if (!*answer || !strcmp(answer, "none"))
			return 0;
		ga_schema_init(&ga_request_schema, &probe);
		r = ga_request_add_key(&probe, answer, &why);
		ga_schema_release(&ga_request_schema, &probe);
		if (r == 0) {
			s->g->key = take_answer(s->g, answer);
			return 0;
		}
		ga_say("%s", why.msg);
	}
}

/* ---- the guide ---- */

static int ask(struct ga_guide *g, struct ga_err *err)
{
	ga_cleanup(guide_release) struct guide s = { .g = g };
	ga_autoaccels struct ga_accels *accels = NULL;
	struct ga_offer_query q = { .now_micros = ga_clock_micros(), .image = g->image };
	int published;

	if (ga_cli_catalogue(&accels, err) < 0)
		return -1;
	q.accels = accels;
	published = ga_cli_read_offers(&q, true, keep, &s, err);
	if (published < 0)
		return -1;
	if (g->profile ? find_profile(&s, err) < 0 :
			 ask_shape(&s, err) < 0 || ask_profile(&s, err) < 0)
		return -1;
	if (ask_type(&s, err) < 0 || (g->gpus == GA_UNKNOWN && ask_count(&s, err) < 0))
		return -1;
	/* A baremetal machine gets its image from the operator's executables. */
	if (!g->image && !g->baremetal && !published &&
	    (read_images(&s, err) < 0 || ask_image(&s, err) < 0))
		return -1;
	return g->key ? 0 : ask_key(&s, err);
}

/* The command line that stands for the words (without --guide) and the answers; allocated. */
static char *command_of(const struct ga_guide *was, const struct ga_guide *g, char *const *words)
{
	ga_autostr struct ga_str out = GA_STR_INIT;
	ga_autofree char *gpus = ga_xprintf("%lld", (long long)g->gpus);
	const struct {
		const char *option, *value;
		bool answered;
	} answers[] = {
		{ "--profile", g->profile, !was->profile },
		{ "--baremetal", NULL, g->baremetal && !was->baremetal },
		{ "--type", g->type, g->type && !was->type },
		{ "--gpus", gpus, g->gpus != was->gpus },
		{ "--image", g->image, g->image && !was->image },
		{ "--key", g->key, g->key && !was->key },
	};
	size_t i;

	ga_str_add(&out, "gpuaas-place");
	for (i = 0; i < GA_ARRAY_SIZE(answers); i++) {
		if (!answers[i].answered)
			continue;
		ga_str_addf(&out, " %s", answers[i].option);
		if (answers[i].value) {
			ga_str_add(&out, " ");
			ga_quote_word(&out, answers[i].value);
		}
	}
	for (words++; *words; words++) {
		if (!strcmp(*words, "--guide"))
			continue;
		ga_str_add(&out, " ");
		ga_quote_word(&out, *words);
	}
	return ga_xstrdup(out.buf);
}

int ga_cli_guide(const struct ga_guide *given, char *const *words, struct ga_err *err)
{
	ga_autofree char *command = NULL;
	struct ga_guide chosen = *given;
	int r = ask(&chosen, err);

	if (r == 0) {
		command = command_of(given, &chosen, words);
		ga_say("nothing is claimed yet; this command does it (--dry-run --explain shows "
		       "where):");
		r = ga_emit_line(command, err);
	}
	ga_texts_release(&chosen.typed);
	return r;
}
