/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-match: compares the offers of the state with a requirement. */
#include "cli/match/match.h"

#include <stdlib.h>
#include <string.h>

#include "act/device/hooks.h"
#include "act/estimator.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/str.h"
#include "base/texts.h"
#include "catalog/name.h"
#include "cli/app.h"
#include "cli/frame/cli.h"
#include "cli/frame/types.h"
#include "cli/offer.h"
#include "cli/place/place.h"
#include "record/time.h"
#include "state/capacity/app.h"
#include "state/capacity/profile.h"
#include "state/node/image.h"

#define MEASURED_MAX (16 << 20) /* bytes of a file */

struct profiles {
	struct ga_hardware_profile *v;
	size_t n;
};

/* The image of a request for a profile; image is its record, when it is known. */
struct profile_image {
	char *name;
	bool known;
	struct ga_image image;
};

struct matching {
	const struct ga_match_opts *o;
	struct ga_requirement need;
	struct ga_app app; /* when has_app: the app of the requirement */
	bool has_app;
	struct ga_accels *accels;
	struct ga_throughput throughput;
	struct ga_access_rules rules; /* of the state, for the project's teams */
	bool published; /* profiles are from the published view, and the rules are unknown */
	struct ga_measured_list measured;
	struct profiles profiles;
	GA_LIST(struct profile_image) images; /* with an app: of each profile */
	GA_LIST(struct ga_match_offer) offers;
	struct ga_match_tables tables; /* of these offers */
	struct ga_matches answers;
	char *question; /* for estimators; NULL before the first call of one */
};

/* Releases the data from the state, and the offers and answers made from it. */
static void forget_offers(struct matching *m)
{
	size_t i;

	ga_matches_release(&m->answers);
	ga_list_release(&m->offers);
	for (i = 0; i < m->profiles.n; i++)
		ga_schema_release(&ga_hardware_profile_schema, &m->profiles.v[i]);
	ga_list_release(&m->profiles);
	for (i = 0; i < m->images.n; i++) {
		free(m->images.v[i].name);
		if (m->images.v[i].known)
			ga_schema_release(&ga_image_schema, &m->images.v[i].image);
	}
	ga_list_release(&m->images);
	ga_access_rules_release(&m->rules);
	if (m->has_app)
		ga_schema_release(&ga_app_schema, &m->app);
	m->has_app = false;
}

static void cleanup_matching(struct matching *m)
{
	free(m->question);
	forget_offers(m);
	ga_measured_release(&m->measured);
	ga_throughput_release(&m->throughput);
	ga_accels_close(m->accels);
	ga_schema_release(&ga_requirement_schema, &m->need);
}

/* ---- offers ---- */

static int keep(const struct ga_schema *schema, const void *obj, void *arg, struct ga_err *err)
{
	struct profiles *list = arg;

	(void)err;
	ga_schema_copy(schema, obj, ga_list_add(list));
	return 0;
}

/* The image that a request for the profile would get. */
static int read_image(struct matching *m, struct ga_db *db, const char *profile,
		      struct ga_err *err)
{
	struct profile_image *of = ga_list_add(&m->images);
	struct ga_err gone = GA_ERR_INIT;
	struct ga_profile p;
	int r;

	of->name = ga_strdup0(m->need.image);
	if (!of->name && ga_store_profile(db, profile, &p, &gone) == 0) {
		of->name = GA_TAKE(p.image);
		ga_schema_release(&ga_profile_schema, &p);
	}
	r = of->name ? ga_store_image(db, of->name, &of->image, err) : 0;
	of->known = r > 0;
	return r < 0 ? -1 : 0;
}

/* Reads the manifest of the required app, and the image of each profile. */
static int read_app(struct matching *m, struct ga_err *err)
{
	ga_autodb_leave struct ga_db *db = NULL;
	size_t i;

	if (!m->need.app)
		return 0;
	if (m->published)
		return ga_cli_app_unpublished(m->need.app, err);
	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0 ||
	    ga_db_begin_read(db, err) < 0 || ga_store_app(db, m->need.app, &m->app, err) < 0)
		return -1;
	m->has_app = true;
	for (i = 0; i < m->profiles.n; i++)
		if (read_image(m, db, m->profiles.v[i].name, err) < 0)
			return -1;
	return 0;
}

static struct ga_offer_query query_of(struct matching *m)
{
	return (struct ga_offer_query){ .accels = m->accels, .now_micros = ga_clock_micros(),
					.image = m->need.image, .rules = &m->rules };
}

static int read_profiles(struct matching *m, struct ga_err *err)
{
	const struct ga_offer_query q = query_of(m);
	int r = ga_cli_read_offers(&q, true, keep, &m->profiles, err);

	m->published = r > 0;
	return r < 0 || read_app(m, err) < 0 ? -1 : 0;
}

static const struct ga_offer_type *of_type(const struct ga_hardware_profile *p, const char *slug)
{
	size_t i;

	for (i = 0; i < p->by_type.n; i++)
		if (ga_streq(p->by_type.v[i].type, slug))
			return &p->by_type.v[i];
	return NULL;
}

/* Whether the named team, else a team of the project, may use the profile; gpuaas-place decides by
 * the same rule. */
static bool may_use(const struct matching *m, const struct ga_hardware_profile *p)
{
	const char *project = m->need.project ? m->need.project : GA_PROJECT_DEFAULT;

	if (m->need.team)
		return !p->teams.n || ga_texts_has(&p->teams, m->need.team);
	return ga_access_is_for_project(&m->rules, p->teams.v, p->teams.n, project);
}

/* Adds an offer; slug NULL: GPUs of any type. */
static void add_offer(struct matching *m, const struct ga_hardware_profile *p, const char *slug)
{
	const struct ga_offer_type *numbers = slug ? of_type(p, slug) : NULL;
	const struct profile_image *image = m->has_app ? &m->images.v[p - m->profiles.v] : NULL;
	struct ga_match_offer *o = ga_list_add(&m->offers);
	int64_t memory = slug ? ga_accels_memory_mib(m->accels, slug) : 0;

	*o = (struct ga_match_offer){
		.profile = p->name, .shape = p->shape, .slug = slug,
		.type = slug ? ga_accels_type(m->accels, slug) : NULL,
		.memory_mib = memory > 0 ? memory : GA_UNKNOWN,
		.counts = p->counts.v, .n_counts = p->counts.n,
		.price_micros = p->price_micros, .currency = p->currency,
		.available = p->available_count, .largest = p->largest_available,
		.counts_now = p->counts_now.v, .n_counts_now = p->counts_now.n,
		.pending = p->pending_count, .uncertain = p->unknown_count > 0,
		.expected_at = p->expected_available_at,
		.unavailable_code = p->unavailable_code, .stale_seconds = p->stale_seconds,
		.team = may_use(m, p),
		.image_name = image ? image->name : NULL,
		.image = image && image->known ? &image->image : NULL,
	};
	o->type_name = o->type ? o->type->name : slug;
	if (!slug)
		return;
	o->available = numbers ? numbers->available : 0;
	o->largest = numbers ? numbers->largest : 0;
	o->counts_now = numbers ? numbers->counts_now.v : NULL;
	o->n_counts_now = numbers ? numbers->counts_now.n : 0;
	o->expected_at = numbers ? numbers->expected_at : NULL;
	o->unavailable_code = numbers ? numbers->unavailable_code : p->unavailable_code;
	if (!numbers || !ga_streq(p->shape, "baremetal"))
		return;
	o->counts_now = numbers->machines_now.v;
	o->n_counts_now = numbers->machines_now.n;
	o->machines = numbers->machines.v;
	o->n_machines = numbers->machines.n;
}

/* Adds the machines with GPUs of several types: a request gets one if it names no type. */
static void add_mixed(struct matching *m, const struct ga_hardware_profile *p)
{
	const struct ga_offer_mix *mixed = p->mixed;
	struct ga_match_offer *o;

	add_offer(m, p, NULL);
	o = &m->offers.v[m->offers.n - 1];
	o->mixed = mixed;
	o->available = mixed->available;
	o->unavailable_code = mixed->unavailable_code;
	o->largest = mixed->machines_now.n ? mixed->machines_now.v[mixed->machines_now.n - 1] : 0;
	o->counts_now = mixed->machines_now.v;
	o->n_counts_now = mixed->machines_now.n;
	o->machines = mixed->machines.v;
	o->n_machines = mixed->machines.n;
}

/* Whether all GPUs that the profile has of the type stand in machines with other types. */
static bool is_only_mixed(const struct ga_hardware_profile *p, const char *slug)
{
	const struct ga_offer_type *t = of_type(p, slug);

	return p->mixed && t && t->total && !t->machines.n;
}

static int by_slug(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A profile without types gets one offer for each type that it has now, ordered by slug. */
static void add_given(struct matching *m, const struct ga_hardware_profile *p)
{
	struct ga_borrowed_texts slugs = { 0 };
	size_t i;

	for (i = 0; i < p->by_type.n; i++)
		if (p->by_type.v[i].type && !is_only_mixed(p, p->by_type.v[i].type))
			*ga_list_add(&slugs) = p->by_type.v[i].type;
	if (slugs.n)
		qsort(slugs.v, slugs.n, sizeof(*slugs.v), by_slug);
	for (i = 0; i < slugs.n; i++)
		add_offer(m, p, slugs.v[i]);
	ga_list_release(&slugs);
}

static void match_offers(struct matching *m)
{
	size_t i;

	m->tables.app = m->has_app ? &m->app : NULL;

	for (i = 0; i < m->profiles.n; i++) {
		const struct ga_hardware_profile *p = &m->profiles.v[i];
		size_t j;
		size_t n = m->offers.n;

		for (j = 0; j < p->types.n; j++)
			if (!is_only_mixed(p, p->types.v[j]))
				add_offer(m, p, p->types.v[j]);
		if (!p->types.n)
			add_given(m, p);
		if (p->mixed)
			add_mixed(m, p);
		if (m->offers.n == n)
			add_offer(m, p, NULL);
	}
	ga_match(&m->need, &m->tables, m->offers.v, m->offers.n, &m->answers);
}

/* ---- external estimators ---- */

/* The file name of a path, safe for records and terminals. */
static char *estimator_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *name = ga_xstrndup(slash ? slash + 1 : path, 64), *p;

	for (p = name; *p; p++)
		if (*p < 0x20 || *p > 0x7e)
			*p = '?';
	return name;
}

static void warn(const char *estimator, const char *why)
{
	ga_say("warning: estimator '%s' is left out: %s", estimator, why);
}

static void ask_one(struct matching *m, const char *path)
{
	ga_autosaid struct ga_said_times said = { 0 };
	ga_autofree char *name = estimator_name(path);
	struct ga_err why = GA_ERR_INIT;

	if (!m->question)
		m->question = ga_estimator_question(&m->need, &m->tables, &m->answers);
	if (ga_estimator_ask(path, m->question, m->o->estimator_seconds, &said, &why) < 0) {
		warn(name, why.msg);
	} else {
		size_t i, unknown = 0;

		for (i = 0; i < said.n; i++) {
			const struct ga_said_time *s = &said.v[i];
			ga_autofree char *basis = ga_xprintf("%s: %s", name, s->basis ? s->basis :
							     "it gives no basis for that");
			const struct ga_external_time t = { .profile = s->profile, .type = s->type,
							    .time = s->time, .basis = basis,
							    .estimator = name };

			unknown += !ga_match_external(&m->answers, &t);
		}
		if (unknown)
			ga_say("warning: estimator '%s' answered %zu time%s for a profile or type "
			       "that was not in the question",
			       name, unknown, unknown == 1 ? "" : "s");
	}
}

/* For each answer, uses the time of the first estimator that gives one. A failed estimator gives no
 * times. */
static void ask_estimators(struct matching *m)
{
	const char *folder = ga_cli_setting("GPUAAS_ESTIMATORS_DIR", "/etc/gpuaas/estimators.d");
	ga_autohooks struct ga_hooks hooks = { 0 };
	struct ga_err why = GA_ERR_INIT;
	size_t i;

	if (!ga_estimate_is_training(&m->need)) {
		if (m->o->estimators.n)
			ga_say("warning: --estimator is not run: it estimates how long a "
			       "training takes, and the requirement has none");
		return;
	}
	for (i = 0; i < m->o->estimators.n; i++)
		ask_one(m, m->o->estimators.v[i]);
	if (ga_hooks_find(folder, &hooks, &why) < 0)
		ga_say("warning: the estimators of '%s' are left out: %s", folder, why.msg);
	for (i = 0; i < hooks.n; i++) {
		if (hooks.v[i].refused)
			warn(hooks.v[i].name, hooks.v[i].refused);
		else
			ask_one(m, hooks.v[i].path);
	}
}

/* ---- output of answers ---- */

/* Sentences about answers, each once, in the order of the answers. */
struct notes {
	GA_LIST(struct note) v;
};
struct note {
	const char *before, *sentence; /* borrowed from the answers */
	const char *profile;	       /* of the first answer */
	struct ga_ints ranks;	       /* in their order */
};

static void notes_release(struct notes *n)
{
	size_t i;

	for (i = 0; i < n->v.n; i++)
		ga_list_release(&n->v.v[i].ranks);
	ga_list_release(&n->v);
}

static void add_note(struct notes *n, const struct ga_match *a, const char *before,
		     const char *sentence)
{
	struct note *note;
	size_t i;

	for (i = 0; i < n->v.n; i++)
		if (!strcmp(n->v.v[i].before, before) && !strcmp(n->v.v[i].sentence, sentence))
			break;
	if (i == n->v.n) {
		note = ga_list_add(&n->v);
		*note = (struct note){ .before = before, .sentence = sentence,
				       .profile = a->profile };
	}
	note = &n->v.v[i];
	if (!note->ranks.n || note->ranks.v[note->ranks.n - 1] != a->rank)
		*ga_list_add(&note->ranks) = a->rank;
}

/* "1-3, 5: ", or of one answer "4. standard: " */
static void print_note(const struct note *note)
{
	ga_autostr struct ga_str ranks = GA_STR_INIT;
	size_t i, j;

	for (i = 0; i < note->ranks.n; i = j) {
		for (j = i + 1; j < note->ranks.n &&
				note->ranks.v[j] == note->ranks.v[j - 1] + 1; j++)
			;
		ga_str_addf(&ranks, "%s%lld", i ? ", " : "", (long long)note->ranks.v[i]);
		if (j > i + 1)
			ga_str_addf(&ranks, "%s%lld", j > i + 2 ? "-" : ", ",
				    (long long)note->ranks.v[j - 1]);
	}
	if (note->ranks.n == 1)
		ga_str_addf(&ranks, ". %s", note->profile);
	ga_print_item("%s: %s%s", ranks.buf, note->before, note->sentence);
}

static void print_notes(const struct ga_matches *answers)
{
	ga_cleanup(notes_release) struct notes notes = { 0 };
	size_t i, j, k;

	for (i = 0; i < answers->n; i++) {
		const struct ga_match *a = &answers->v[i];
		const struct ga_match_reasons *const lists[] = { &a->reasons, &a->unknown };

		if (a->basis)
			add_note(&notes, a, "", a->basis);
		for (j = 0; j < GA_ARRAY_SIZE(lists); j++)
			for (k = 0; k < lists[j]->n; k++)
				add_note(&notes, a, j ? "not known: " : "",
					 lists[j]->v[k].sentence);
		if (a->fallback)
			add_note(&notes, a, "", a->fallback);
	}
	for (i = 0; i < notes.v.n; i++)
		print_note(&notes.v.v[i]);
}

static const char *const makes_profile = "'gpuaas-profile create' makes one";

static const char *no_profile(const struct matching *m)
{
	return m->published ? "what is published has no profile" : "there is no profile yet";
}

/* No answer is known to fit, and some may. */
static void say_unknown(const struct ga_match *a, bool unsure)
{
	struct ga_err err = GA_ERR_INIT;

	(void)ga_refuse(&err, GA_NO, "no_match", NULL,
			("it is unknown whether any profile fits, even '%s'", a->profile),
			("each answer lists what is not known%s", unsure ?
				 "; --model-params and --memory say what a model needs" :
				 "; --measured takes measurements of your own"));
	ga_cli_say_error(&err);
}

/* Adds the codes of requests for more GPUs than are free: an offer has that of the smallest request
 * alone. The published view has no others. */
static int add_refusals(struct matching *m, struct ga_err *err)
{
	const struct ga_offer_query q = query_of(m);
	GA_LIST(struct ga_offer_asked) asked = { 0 };
	GA_LIST(struct ga_match *) of = { 0 };
	size_t i;
	int r;

	for (i = 0; !m->published && i < m->answers.n; i++) {
		struct ga_match *a = &m->answers.v[i];

		if (ga_streq(a->availability, "now") || a->unavailable_code)
			continue;
		*ga_list_add(&of) = a;
		*ga_list_add(&asked) = (struct ga_offer_asked){
			.profile = a->profile, .type = a->accelerator_type, .count = a->count,
			.mixed = m->offers.v[m->answers.more[i].offer].mixed != NULL,
		};
	}
	r = asked.n ? ga_cli_read_offer_refusals(&q, asked.v, asked.n, err) : 0;
	for (i = 0; i < asked.n; i++)
		of.v[i]->unavailable_code = asked.v[i].code;
	ga_list_release(&asked);
	ga_list_release(&of);
	return r;
}

static int write_answers(struct matching *m, struct ga_err *err)
{
	const struct ga_match *first = m->answers.n ? &m->answers.v[0] : NULL;
	size_t i;

	if (add_refusals(m, err) < 0)
		return -1;
	for (i = 0; i < m->answers.n; i++)
		if (ga_emit(&ga_match_schema, &m->answers.v[i], err) < 0)
			return -1;
	if (m->answers.n)
		ga_print("%s", "");
	else
		ga_say("%s: %s", no_profile(m), makes_profile);
	print_notes(&m->answers);
	/* Those that fit are first, then those that may. */
	if (!ga_match_asks(&m->need) || (first && first->fits == 1))
		return 0;
	if (first && first->fits == GA_UNKNOWN)
		say_unknown(first, m->answers.more[0].unsure);
	else
		ga_cli_note_status(GA_NO);
	return 0;
}

/* The figures that the request carries; copies the texts. */
static struct ga_request_match *figures_of(const struct ga_match *a)
{
	struct ga_request_match *r = ga_xcalloc(1, sizeof(*r));

	*r = (struct ga_request_match){
		.accelerator_type = ga_strdup0(a->accelerator_type), .count = a->count,
		.tokens_per_second_low_milli = a->tokens_per_second_low_milli,
		.tokens_per_second_milli = a->tokens_per_second_milli,
		.tokens_per_second_high_milli = a->tokens_per_second_high_milli,
		.seconds_low = a->seconds_low, .seconds = a->seconds,
		.seconds_high = a->seconds_high,
		.cost_per_hour_micros = a->cost_per_hour_micros,
		.cost_low_micros = a->cost_low_micros, .cost_micros = a->cost_micros,
		.cost_high_micros = a->cost_high_micros,
		.basis = ga_strdup0(a->basis), .confidence = ga_strdup0(a->confidence),
		.estimator = ga_strdup0(a->estimator), .fallback = ga_strdup0(a->fallback),
	};
	return r;
}

static int fill_request(const struct matching *m, const struct ga_match *a,
			struct ga_request *r, struct ga_err *err)
{
	size_t i;

	r->name = ga_strdup0(m->o->name);
	r->profile = ga_xstrdup(a->profile);
	r->shape = ga_xstrdup(a->shape);
	r->count = a->count;
	r->project = ga_strdup0(m->need.project);
	r->image = ga_strdup0(m->need.image);
	r->app = ga_strdup0(m->need.app);
	r->match = figures_of(a);
	if (a->accelerator_type)
		ga_texts_add(&r->types, a->accelerator_type);
	for (i = 0; i < m->o->keys.n; i++)
		if (ga_request_add_key(r, m->o->keys.v[i], err) < 0)
			return -1;
	return ga_request_check(r, err);
}

/* Whether a profile would be available now if no copy of the image were needed. Removes the image
 * from m, so this must be the last use of m. */
static int has_without_image(struct matching *m, struct ga_err *err)
{
	free(GA_TAKE(m->need.image));
	forget_offers(m);
	if (read_profiles(m, err) < 0)
		return -1;
	match_offers(m);
	return ga_match_best(&m->answers) != NULL;
}

/* Refuses: profiles fit, but none is known to be available now. */
static int refuse_capacity(struct matching *m, struct ga_err *err)
{
	const struct ga_match *best = &m->answers.v[0];
	const struct ga_match_offer *o = &m->offers.v[m->answers.more[0].offer];
	ga_autofree char *image = ga_strdup0(m->need.image), *way = NULL;
	ga_autofree char *profile = ga_xstrdup(best->profile); /* the answers are read again */
	int r;

	if (o->uncertain || o->largest == GA_UNKNOWN)
		return ga_refuse(err, GA_NO, "no_capacity", NULL,
				 ("it is unknown whether a fitting profile is available now: nodes "
				  "of the best, '%s', were not seen for too long", best->profile),
				 ("'gpuaas-list nodes' says which; 'gpuaas-profile list' has how "
				  "many of its GPUs are unknown"));
	r = image ? has_without_image(m, err) : 0;
	if (r < 0)
		return -1;
	if (r)
		way = ga_xprintf("only nodes with a verified copy of image '%.64s' count "
				 "(gpuaas-image prewarm)", image);
	return ga_refuse(err, GA_NO, "no_capacity", NULL,
			 ("no fitting profile is available now; the best is profile '%s'",
			  profile),
			 ("%s", way ? way :
				      "'gpuaas-place --dry-run' with that profile and as many GPUs "
				      "says what blocks it"));
}

static int write_request(struct matching *m, struct ga_err *err)
{
	const struct ga_match *best = ga_match_best(&m->answers);
	struct ga_request r;
	int result;

	if (!best) {
		if (!m->answers.n)
			return ga_refuse(err, GA_NO, "no_match", NULL,
					 ("%s", no_profile(m)),
					 ("%s", makes_profile));
		if (m->answers.v[0].fits == 0)
			return ga_refuse(err, GA_NO, "no_match", NULL, ("no profile fits"),
					 ("the same command without --request shows every profile "
					  "and why it does not fit"));
		if (m->answers.more[0].unsure)
			return ga_refuse(err, GA_NO, "no_match", NULL,
					 ("it is unknown whether any profile fits, even '%s'",
					  m->answers.v[0].profile),
					 ("--model-params or --memory say what it needs; the same "
					  "command without --request shows what is not known"));
		return refuse_capacity(m, err);
	}
	if (best->fallback)
		ga_say("warning: %s", best->fallback);
	if (ga_streq(best->slo, "unknown"))
		ga_say("warning: it is unknown whether profile '%s' is as fast as required",
		       best->profile);
	ga_schema_init(&ga_request_schema, &r);
	result = fill_request(m, best, &r, err);
	if (result == 0)
		result = ga_emit(&ga_request_schema, &r, err);
	ga_schema_release(&ga_request_schema, &r);
	return result;
}

static const char read_piped[] = "'gpuaas-match -' reads a requirement";

int ga_cli_match(const struct ga_match_opts *o, struct ga_err *err)
{
	ga_cleanup(cleanup_matching) struct matching m = { .o = o };
	struct ga_match_words words;
	char *const *args;
	int n;
	ga_autostr struct ga_str text = GA_STR_INIT;
	const char *first;
	bool forgot;
	size_t i;

	args = ga_cli_args(&n);
	if (ga_match_need(o, n ? args[0] : NULL, &m.need, err) < 0)
		return -1;
	/* With a requirement in options, the records are those of the loop around it. */
	forgot = !n && !ga_match_asks(&m.need);
	if ((forgot && ga_cli_refuse_piped(read_piped, GA_CLI_PIPE_WAIT_MS, err) < 0) ||
	    ga_cli_catalogue(&m.accels, err) < 0)
		return -1;
	if (m.o->measured) {
		if (ga_file_read(m.o->measured, MEASURED_MAX, &text, err) < 0 ||
		    ga_measured_parse(text.buf, text.len, m.accels, &m.measured, err) < 0)
			return ga_wrap(err, "--measured '%.200s'", m.o->measured);
		if (m.measured.left_out)
			ga_say("warning: %zu record%s of --measured %s of hardware that the "
			       "catalogue does not know (gpuaas-profile catalog)",
			       m.measured.left_out, m.measured.left_out == 1 ? "" : "s",
			       m.measured.left_out == 1 ? "is" : "are");
	}
	/* Without a model in the requirement, the measurements must all be of one model. */
	first = m.measured.n ? m.measured.v[0].model : NULL;
	for (i = 1; !m.need.model && i < m.measured.n; i++) {
		if (ga_streq(m.measured.v[i].model, first))
			continue;
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("--measured has measurements of several models"),
				 ("name the one with --model"));
	}
	if (read_profiles(&m, err) < 0)
		return -1;
	ga_throughput_read(&m.throughput);
	words = (struct ga_match_words){ o, m.accels, &m.throughput, &m.measured,
					 m.published ? NULL : &m.rules };
	if (ga_match_check_words(&m.need, &words, err) < 0)
		return -1;
	m.tables = (struct ga_match_tables){ m.accels, &m.throughput, m.measured.v, m.measured.n,
					     NULL };
	match_offers(&m);
	ask_estimators(&m);
	ga_match_rank(&m.need, m.accels, &m.answers);
	if ((o->request ? write_request(&m, err) : write_answers(&m, err)) < 0)
		return -1;
	/* A requirement that came meanwhile. */
	return forgot ? ga_cli_refuse_piped(read_piped, 0, err) : 0;
}
