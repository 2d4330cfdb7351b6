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
#include "cli/app.h"
#include "cli/frame/cli.h"
#include "cli/frame/types.h"
#include "cli/offer.h"
#include "decide/app/app.h"
#include "record/decimal.h"
#include "record/money.h"
#include "record/rec.h"
#include "record/request.h"
#include "state/capacity/app.h"
#include "state/capacity/profile.h"
#include "state/node/image.h"
#include "state/query/find.h"

struct profiles {
	struct ga_hardware_profile *v;
	size_t n;
};

struct guide {
	struct ga_place_opts *o; /* given, and answered */
	struct ga_texts typed;	 /* owns the texts of the answers */
	struct ga_accels *accels;
	struct ga_app app;
	bool has_app;
	struct profiles profiles, left; /* left: the numbers that the app leaves of them */
	const struct ga_hardware_profile *profile; /* the chosen one */
	GA_LIST(struct ga_image) images; /* that the request can name */
	char *image;		/* the profile's own, or NULL */
	struct ga_request within; /* the GPUs that the options leave: the numbers count only them */
	struct ga_texts types;	  /* the slugs of it */
	char *node;		  /* the id of it */
	bool narrow;		  /* whether they leave anything out */
};

static void release_profiles(struct profiles *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		ga_schema_release(&ga_hardware_profile_schema, &list->v[i]);
	ga_list_release(list);
}

static void guide_release(struct guide *s)
{
	size_t i;

	release_profiles(&s->profiles);
	release_profiles(&s->left);
	for (i = 0; i < s->images.n; i++)
		ga_schema_release(&ga_image_schema, &s->images.v[i]);
	ga_list_release(&s->images);
	ga_texts_release(&s->typed);
	free(s->image);
	ga_texts_release(&s->types);
	free(s->node);
	if (s->has_app)
		ga_schema_release(&ga_app_schema, &s->app);
	ga_accels_close(s->accels);
}

/* ---- what the state offers ---- */

static int keep(const struct ga_schema *schema, const void *obj, void *arg, struct ga_err *err)
{
	struct profiles *list = arg;

	(void)err;
	ga_schema_copy(schema, obj, ga_list_add(list));
	return 0;
}

/* The app, which a user who sees only the published view cannot choose by. */
static int read_app(struct guide *s, struct ga_err *err)
{
	ga_autodb_leave struct ga_db *db = NULL;

	if (!s->o->app)
		return 0;
	if (ga_cli_offers_are_published())
		return ga_cli_app_unpublished(s->o->app, err);
	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0 ||
	    ga_db_begin_read(db, err) < 0 || ga_store_app(db, s->o->app, &s->app, err) < 0)
		return -1;
	s->has_app = true;
	return 0;
}

/* Reads the options that leave out a part of the fleet. A name of no type is kept: no GPU is of
 * it. */
static int read_within(struct guide *s, struct ga_err *err)
{
	ga_autodb_leave struct ga_db *db = NULL;
	const struct ga_place_opts *o = s->o;
	size_t i;

	ga_schema_init(&ga_request_schema, &s->within); /* borrows every member */
	s->within.region = (char *)(uintptr_t)o->region;
	s->within.pool = (char *)(uintptr_t)o->pool;
	s->within.run_seconds = o->run_time;
	s->narrow = o->region || o->pool || o->node || o->types.n || o->min_memory ||
		    o->run_time != GA_UNKNOWN;
	if (o->min_memory &&
	    ga_memory_parse(o->min_memory, "--min-memory", &s->within.min_memory_mib, err) < 0)
		return -1;
	for (i = 0; i < o->types.n; i++) {
		struct ga_err unknown = GA_ERR_INIT;

		if (ga_cli_type_means(s->accels, o->types.v[i], &s->types, &unknown) < 0)
			ga_texts_add(&s->types, o->types.v[i]);
	}
	s->within.types = s->types;
	if (!o->node || ga_cli_offers_are_published())
		return 0;
	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0 ||
	    ga_db_begin_read(db, err) < 0 ||
	    ga_store_resolve(db, "node", o->node, &s->node, NULL, err) < 0)
		return -1;
	s->within.node = s->node;
	return 0;
}

/* Reads the profile's image, and the images that the request can name: of a slice those that a node
 * has; for baremetal all. A record that cannot be read is left out; attention names it. */
static int read_images(struct guide *s, struct ga_err *err)
{
	ga_autodb_leave struct ga_db *db = NULL;
	ga_autotexts struct ga_texts on_nodes = { NULL, 0 };
	ga_autorows struct ga_rows *rows = NULL;
	struct ga_profile profile;
	int r;

	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0 ||
	    ga_db_begin_read(db, err) < 0 ||
	    ga_store_images_on_nodes(db, &on_nodes, err) < 0 ||
	    ga_store_profile(db, s->profile->name, &profile, err) < 0)
		return -1;
	s->image = GA_TAKE(profile.image);
	ga_schema_release(&ga_profile_schema, &profile);
	if (ga_query_images(db, &rows, err) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		struct ga_err unreadable = GA_ERR_INIT;
		struct ga_image image;

		if ((s->o->baremetal || ga_texts_has(&on_nodes, ga_rows_text(rows, 1))) &&
		    ga_rec_parse_text(ga_rows_text(rows, 0), &ga_image_schema, &image,
				      &unreadable) == 0)
			*ga_list_add(&s->images) = image;
	}
	return r;
}

/* ---- what the app can run on ---- */

static bool is_baremetal(const struct ga_hardware_profile *p)
{
	return ga_streq(p->shape, "baremetal");
}

/* The first reason why the app cannot run on GPUs of one type of a profile in any number that there
 * is, the image aside; t NULL: the type aside, too. Allocated; NULL: it can. */
static char *type_unsuited(const struct guide *s, const struct ga_hardware_profile *p,
			   const struct ga_offer_type *t)
{
	ga_autoreasons struct ga_match_reasons found = { 0 };
	struct ga_ints sizes = p->counts;
	struct ga_app_target target = { .shape = p->shape };

	if (is_baremetal(p))
		sizes = t && t->machines.n ? t->machines :
			p->mixed	   ? p->mixed->machines :
					     (struct ga_ints){ NULL, 0 };
	target.count = ga_app_size_of(&s->app, sizes.v, sizes.n,
				      is_baremetal(p) ? s->o->gpus : GA_UNKNOWN);
	ga_app_size_blockers(&s->app, &target, &found);
	if (t) {
		ga_app_set_type(&target, s->accels, t->type);
		ga_app_type_blockers(&s->app, &target, &found);
	}
	return found.n ? ga_xstrdup(found.v[0].sentence) : NULL;
}

static bool is_wanted(const struct guide *s, const struct ga_offer_type *t)
{
	return !s->types.n || (t->type && ga_texts_has(&s->types, t->type));
}

static char *profile_unsuited(const struct guide *s, const struct ga_hardware_profile *p)
{
	char *why = s->has_app ? type_unsuited(s, p, NULL) : NULL;
	size_t i;

	for (i = 0; s->has_app && i < p->by_type.n; i++) {
		if (!is_wanted(s, &p->by_type.v[i]))
			continue;
		free(why);
		why = type_unsuited(s, p, &p->by_type.v[i]);
		if (!why)
			return NULL;
	}
	return why;
}

/* Reads the offers, and those within the limits of the app: 1 published, 0, -1. */
static int read_offers(struct guide *s, struct ga_err *err)
{
	struct ga_offer_query q = { .accels = s->accels, .now_micros = ga_clock_micros(),
				    .image = s->o->image,
				    .within = s->narrow ? &s->within : NULL };
	struct ga_borrowed_texts allowed = { 0 };
	struct ga_place_limits limits;
	size_t i, j;
	int r = ga_cli_read_offers(&q, true, keep, &s->profiles, err);

	if (r || !s->has_app)
		return r;
	for (i = 0; i < s->profiles.n; i++) {
		const struct ga_hardware_profile *p = &s->profiles.v[i];

		for (j = 0; j < p->by_type.n; j++) {
			ga_autoreasons struct ga_match_reasons found = { 0 };
			struct ga_app_target target = { .count = GA_UNKNOWN };

			ga_app_set_type(&target, s->accels, p->by_type.v[j].type);
			if (!ga_app_type_blockers(&s->app, &target, &found))
				*ga_list_add(&allowed) = p->by_type.v[j].type;
		}
	}
	limits = (struct ga_place_limits){
		.app = s->app.name, .version = s->app.version,
		.any_type = !ga_app_minds_type(&s->app),
		.types = allowed.v, .n_types = allowed.n,
		.counts = s->app.counts.v, .n_counts = s->app.counts.n,
	};
	q.limits = &limits;
	r = ga_cli_read_offers(&q, false, keep, &s->left, err);
	ga_list_release(&allowed);
	return r;
}

/* The numbers of the profile that options and app leave. */
static const struct ga_hardware_profile *numbers_of(const struct guide *s,
						    const struct ga_hardware_profile *p)
{
	size_t i;

	for (i = 0; i < s->left.n; i++)
		if (ga_streq(s->left.v[i].name, p->name))
			return &s->left.v[i];
	return p;
}

/* ---- questions ---- */

/* Keeps the text of an answer. */
static const char *take_answer(struct guide *s, const char *text)
{
	ga_texts_add(&s->typed, text);
	return s->typed.v[s->typed.n - 1];
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

/* Whether the request would get its GPUs of the profile now. */
static bool has_now(const struct guide *s, const struct ga_hardware_profile *of)
{
	const struct ga_hardware_profile *p = numbers_of(s, of);

	if (s->o->gpus == GA_UNKNOWN || !p->available || !p->counts_now.n)
		return p->available && s->o->gpus <= p->largest_available;
	return ga_ints_have(p->counts_now.v, p->counts_now.n, s->o->gpus);
}

/* The better default: what is there now; then the cheapest GPU, one without a price last. */
static bool is_better(const struct guide *s, const struct ga_hardware_profile *p,
		      const struct ga_hardware_profile *than)
{
	bool now = has_now(s, p);

	if (!now || !has_now(s, than))
		return now && !has_now(s, than);
	return p->price_micros > 0 &&
	       (than->price_micros <= 0 || p->price_micros < than->price_micros);
}

/* A shape that no profile is left of is left out, with the reason of its first profile. */
static int ask_shape(struct guide *s, struct ga_err *err)
{
	static const struct choice choices[] = {
		{ "slice", "GPUs of a machine, in a VM of their own" },
		{ "baremetal", "a complete machine" },
	};
	bool left[2] = { false }, now[2] = { false };
	char *why[2] = { NULL, NULL };
	size_t i;
	int r = 0;

	for (i = 0; i < s->profiles.n && !s->o->baremetal; i++) {
		bool complete = is_baremetal(&s->profiles.v[i]);
		char *unsuited = profile_unsuited(s, &s->profiles.v[i]);

		if (!unsuited) {
			left[complete] = true;
			now[complete] |= has_now(s, &s->profiles.v[i]);
		} else if (!why[complete]) {
			why[complete] = GA_TAKE(unsuited);
		}
		free(unsuited);
	}
	if (left[0] && left[1]) {
		r = ask_one("A slice of a machine, or a complete machine?", choices, 2,
			    now[1] && !now[0], err);
		s->o->baremetal = r == 1;
	} else if (!s->o->baremetal) {
		s->o->baremetal = left[1];
		/* ask_profile gives the reasons of the other shape. */
		if (why[!left[1]])
			ga_say("%s is left out: %s", choices[!left[1]].word, why[!left[1]]);
	}
	free(why[0]);
	free(why[1]);
	return r < 0 ? -1 : 0;
}

/* "NVIDIA H200 141GB; 6 GPUs available, at most 4 in one request; 3.50 EUR a GPU hour" */
static char *describe(const struct guide *s, const struct ga_hardware_profile *of)
{
	const struct ga_hardware_profile *p = numbers_of(s, of);
	ga_autostr struct ga_str out = GA_STR_INIT;
	size_t i;

	for (i = 0; i < of->by_type.n; i++) {
		const struct ga_offer_type *t = &of->by_type.v[i];
		ga_autofree char *why = s->has_app ? type_unsuited(s, of, t) : NULL;

		if (is_wanted(s, t) && !why)
			ga_str_addf(&out, "%s%s", out.len ? " or " : "", t->name);
	}
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
	const char *shape = s->o->baremetal ? "baremetal" : "slice";
	const struct ga_hardware_profile *of[256];
	struct choice choices[GA_ARRAY_SIZE(of)];
	size_t i, n = 0, preferred = 0;
	int r;

	for (i = 0; i < s->profiles.n && n < GA_ARRAY_SIZE(of); i++) {
		ga_autofree char *why = NULL;

		if (!ga_streq(s->profiles.v[i].shape, shape))
			continue;
		why = profile_unsuited(s, &s->profiles.v[i]);
		if (why) {
			ga_say("profile '%s' is left out: %s", s->profiles.v[i].name, why);
			continue;
		}
		choices[n] = (struct choice){ s->profiles.v[i].name,
					      describe(s, &s->profiles.v[i]) };
		of[n] = &s->profiles.v[i];
		if (is_better(s, of[n], of[preferred]))
			preferred = n;
		n++;
	}
	if (!n && s->has_app)
		return ga_refuse(err, GA_NO, "no_profile", NULL,
				 ("app '%s' can run on no profile%s", s->app.name,
				  s->o->baremetal ? " of the shape baremetal" : ""),
				 ("'gpuaas-match --app %s' shows the reason of each", s->app.name));
	if (!n)
		return ga_refuse(err, GA_NO, "no_profile", NULL,
				 ("the state has no profile of the shape %s", shape),
				 ("gpuaas-profile create makes one"));
	r = ask_one(s->narrow ? "Which hardware? (GPUs that your options leave)" :
				"Which hardware?", choices, n, preferred, err);
	for (i = 0; i < n; i++)
		free((char *)(uintptr_t)choices[i].text);
	if (r < 0)
		return -1;
	s->profile = of[r];
	s->o->profile = take_answer(s, s->profile->name);
	return 0;
}

static int find_profile(struct guide *s, struct ga_err *err)
{
	size_t i;

	for (i = 0; i < s->profiles.n; i++)
		if (ga_streq(s->profiles.v[i].name, s->o->profile))
			s->profile = &s->profiles.v[i];
	if (!s->profile)
		return ga_refuse(err, GA_NOTFOUND, "no_profile", s->o->profile,
				 ("there is no profile '%s'", s->o->profile),
				 ("'gpuaas-profile list' shows them"));
	s->o->baremetal = s->o->baremetal || ga_streq(s->profile->shape, "baremetal");
	return 0;
}

/* Only where the profile leaves a choice. */
static int ask_type(struct guide *s, struct ga_err *err)
{
	struct choice choices[64] = { { "any", "in the order of the profile" } };
	const struct ga_hardware_profile *p = s->profile;
	size_t i, n = 1;
	int r;

	for (i = 0; i < p->by_type.n && n < GA_ARRAY_SIZE(choices); i++) {
		ga_autofree char *why =
			s->has_app ? type_unsuited(s, p, &p->by_type.v[i]) : NULL;

		if (p->by_type.v[i].type && !why)
			choices[n++] = (struct choice){ p->by_type.v[i].type,
							p->by_type.v[i].name };
	}
	if (s->o->types.n || n < 3)
		return 0;
	r = ask_one("Which type?", choices, n, 0, err);
	if (r > 0)
		*ga_list_add(&s->o->types) = take_answer(s, choices[r].word);
	return r < 0 ? -1 : 0;
}

/* Whether profile and app allow so many GPUs. */
static bool allows(const struct guide *s, int64_t count)
{
	const struct ga_hardware_profile *p = s->profile;
	bool listed = !p->counts.n && count >= 1 && count <= GA_REQUEST_GPUS;
	size_t i;

	for (i = 0; i < p->counts.n; i++)
		listed = listed || p->counts.v[i] == count;
	/* For baremetal it is a least number; the machine's own number counts. */
	return listed && (!s->has_app || s->o->baremetal || ga_app_allows_count(&s->app, count));
}

static int ask_count(struct guide *s, struct ga_err *err)
{
	bool any = !s->profile->counts.n &&
		   (!s->has_app || !s->app.counts.n || s->o->baremetal);
	ga_autostr struct ga_str allowed = GA_STR_INIT;
	int64_t i, first = 0;

	for (i = 1; i <= GA_REQUEST_GPUS && !any; i++) {
		if (!allows(s, i))
			continue;
		ga_str_addf(&allowed, "%s%lld", first ? ", " : "", (long long)i);
		first = first ? first : i;
	}
	if (any)
		ga_str_addf(&allowed, "1 to %d", GA_REQUEST_GPUS);
	ga_say(s->o->baremetal ? "How many GPUs must the machine have at least? (%s)" :
				 "How many GPUs? (%s)", allowed.buf);
	for (;;) {
		ga_autofree char *answer = NULL;
		int64_t count = first ? first : 1;

		if (s->o->baremetal)
			ga_say("number [any]:");
		else
			ga_say("number [%lld]:", (long long)count);
		answer = read_answer(err);
		if (!answer)
			return -1;
		if (!*answer && s->o->baremetal)
			return 0;
		if (*answer)
			count = number_of(answer);
		if (allows(s, count)) {
			s->o->gpus = count;
			return 0;
		}
		ga_say("'%s' is not allowed: %s", answer, allowed.buf);
	}
}

static int ask_image(struct guide *s, struct ga_err *err)
{
	struct choice *choices = ga_xcalloc(s->images.n + 1, sizeof(*choices));
	size_t i, n = 0, preferred = 0;
	int r = 0;

	for (i = 0; i < s->images.n; i++) {
		ga_autoreasons struct ga_match_reasons why = { 0 };
		const char *name = s->images.v[i].name;
		struct ga_app_target target = { .image_name = name, .image = &s->images.v[i] };

		if (s->has_app && ga_app_image_blockers(&s->app, &target, &why)) {
			ga_say("image '%s' is left out: %s", name, why.v[0].sentence);
			continue;
		}
		choices[n] = (struct choice){ name, "" };
		if (ga_streq(name, s->image)) {
			choices[n].text = "the profile's";
			preferred = n;
		}
		n++;
	}
	if (!n && s->images.n)
		r = ga_refuse(err, GA_NO, "image_missing", NULL,
			      ("app '%s' can run in no image that %s has", s->app.name,
			       s->o->baremetal ? "the state" : "a node"),
			      ("the options --driver-version, --cuda-version and --feature of "
			       "'gpuaas-image add' say what is in an image"));
	else if (!n)
		ga_say(s->o->baremetal ? "there is no image yet (gpuaas-image add)" :
		       "no node has a verified copy of an image yet (gpuaas-image add)");
	else
		r = ask_one("Which image?", choices, n, preferred, err);
	if (r >= 0 && n)
		s->o->image = take_answer(s, choices[r].word);
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
			*ga_list_add(&s->o->keys) = take_answer(s, answer);
			return 0;
		}
		ga_say("%s", why.msg);
	}
}

/* ---- the guide ---- */

static int ask(struct guide *s, struct ga_err *err)
{
	bool wants_image;
	int published;

	if (read_app(s, err) < 0 || ga_cli_catalogue(&s->accels, err) < 0)
		return -1;
	if (read_within(s, err) < 0)
		return -1;
	published = read_offers(s, err);
	if (published < 0)
		return -1;
	if (published && s->narrow) {
		s->narrow = false;
		ga_say("the published view has no nodes: the numbers are of all GPUs, whatever "
		       "your options leave");
	}
	if (s->o->profile ? find_profile(s, err) < 0 :
			    ask_shape(s, err) < 0 || ask_profile(s, err) < 0)
		return -1;
	if (ask_type(s, err) < 0 || (s->o->gpus == GA_UNKNOWN && ask_count(s, err) < 0))
		return -1;
	/* The operator's executables install a baremetal machine; only an app may need to know what
	 * they install. */
	wants_image = !s->o->baremetal || (s->has_app && ga_app_minds_image(&s->app));
	if (!s->o->image && wants_image && !published &&
	    (read_images(s, err) < 0 || ask_image(s, err) < 0))
		return -1;
	return s->o->keys.n ? 0 : ask_key(s, err);
}

/* The command line that stands for the words (without --guide) and the answers; allocated. */
static char *command_of(const struct ga_place_opts *given, const struct ga_place_opts *o,
			char *const *words)
{
	ga_autostr struct ga_str out = GA_STR_INIT;
	ga_autofree char *gpus = ga_xprintf("%lld", (long long)o->gpus);
	const struct {
		const char *option, *value;
		bool answered;
	} answers[] = {
		{ "--profile", o->profile, !given->profile },
		{ "--baremetal", NULL, o->baremetal && !given->baremetal },
		{ "--type", o->types.n ? o->types.v[0] : NULL, o->types.n && !given->types.n },
		{ "--gpus", gpus, o->gpus != given->gpus },
		{ "--image", o->image, o->image && !given->image },
		{ "--key", o->keys.n ? o->keys.v[0] : NULL, o->keys.n && !given->keys.n },
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

static void tell_answer(const struct ga_placed *answer)
{
	const struct ga_refusal *r = &answer->refusal;
	size_t i;

	if (answer->is_plan) {
		ga_say("now it would be placed on node '%s'", answer->plan.node);
		return;
	}
	ga_cli_note_status((int)r->status);
	ga_say("now it would be refused:%s%s", answer->reasons.n ? "" : " ",
	       answer->reasons.n ? "" : r->sentence);
	for (i = 0; i < answer->reasons.n; i++)
		ga_say("  %s", answer->reasons.v[i].sentence);
	if (r->hint)
		ga_say("hint: %s", r->hint);
	for (i = 0; i < r->alternatives.n; i++)
		ga_say("would fit: %s", r->alternatives.v[i]);
}

/* Says what placement answers to the request now, and claims nothing: 0 when it refuses it, else 1.
 * It says nothing to a user who may not write the state: the command will. */
static int try_out(const struct ga_place_opts *o, struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	struct ga_placer placer = { .fleet = { .version = GA_FLEET_UNREAD }, .dry_run = true,
				    .once = true, .maker.expires_seconds = o->expires };
	struct ga_err barred = GA_ERR_INIT;
	struct ga_place_opts dry = *o;
	struct ga_request request;
	int r;

	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_WRITE, &db, &barred) < 0) {
		if (barred.code == GA_DENIED)
			return 1;
		*err = barred;
		return -1;
	}
	dry.dry_run = true;
	placer.db = db;
	r = ga_request_of(&dry, &request, err);
	if (r == 0 && (ga_cli_stale_after(&placer.stale_seconds, err) < 0 ||
		       ga_placer_run(&placer, &request, 1, err) < 0))
		r = -1;
	if (r == 0 && placer.results.n) {
		tell_answer(&placer.results.v[0]);
		r = placer.results.v[0].is_plan;
	}
	ga_schema_release(&ga_request_schema, &request);
	ga_placer_release(&placer);
	return r;
}

int ga_cli_guide(const struct ga_place_opts *given, char *const *words, struct ga_err *err)
{
	ga_autofree char *command = NULL;
	struct ga_place_opts chosen = *given; /* a list that gets an answer is empty in given */
	ga_cleanup(guide_release) struct guide s = { .o = &chosen };
	int r = ask(&s, err);

	if (r == 0)
		r = try_out(&chosen, err);
	if (r >= 0) {
		command = command_of(given, &chosen, words);
		ga_say(r ? "nothing is claimed yet; this command does it, and with '| "
			   "gpuaas-provision' behind it starts what it placed:" :
			   "nothing is claimed; when the reason is gone, this command places it:");
		r = ga_emit_line(command, err);
	}
	if (!given->types.n)
		ga_list_release(&chosen.types);
	if (!given->keys.n)
		ga_list_release(&chosen.keys);
	return r;
}
