/* SPDX-License-Identifier: Apache-2.0 */
/* The user view: numbers of offer.h, facts of the catalogue, words for people. */
#include "store_offer.h"

#include <ctype.h>

#include "offer.h"
#include "rec.h"
#include "store_place.h"
#include "store_query.h"
#include "time.h"

/* What requests that wait ask for. */
struct pending {
	char *profile;
	int64_t gpus;
};

struct offering {
	const struct ga_offer_query *q;
	struct ga_fleet fleet;
	GA_LIST(struct pending) pending;
};

static void offering_release(struct offering *o)
{
	size_t i;

	for (i = 0; i < o->pending.n; i++)
		free(o->pending.v[i].profile);
	ga_list_release(&o->pending);
	ga_fleet_release(&o->fleet);
}

static int read_pending(struct ga_db *db, struct offering *o, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err,
			"SELECT profile, sum(count) FROM allocation WHERE state = 'pending' "
			"GROUP BY profile ORDER BY profile", "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		*ga_list_add(&o->pending) =
			(struct pending){ ga_rows_dup(rows, 0), ga_rows_int(rows, 1) };
	return r;
}

/* ---- facts ---- */

static char *lower(const char *text)
{
	char *copy = ga_strdup0(text), *p;

	for (p = copy; p && *p; p++)
		*p = (char)tolower((unsigned char)*p);
	return copy;
}

/* Of a figure of a card, what one of its GPUs has. */
static int64_t share_of(const struct ga_accel_type *t, int64_t figure)
{
	if (figure == GA_UNKNOWN || !ga_streq(t->figures_per, "card") ||
	    t->gpus_per_card == GA_UNKNOWN || t->gpus_per_card < 2)
		return figure;
	return figure / t->gpus_per_card;
}

static void add_facts(const struct ga_accel_type *t, struct ga_hardware_profile *ret)
{
	ret->memory_gb = t->memory.gpu_gb;
	if (ret->memory_gb != GA_UNKNOWN)
		ret->memory = ga_xprintf("%lldGB", (long long)ret->memory_gb);
	ret->memory_type = ga_strdup0(t->memory.type);
	ret->architecture = ga_strdup0(t->architecture.name);
	ret->vendor = lower(t->vendor);
	ret->compute_capability = ga_strdup0(t->architecture.compute_capability);
	ret->bandwidth_mb_s = share_of(t, t->memory.bandwidth_mb_s);
	ret->fp64_gflops = share_of(t, t->dense.fp64_gflops);
	ret->fp32_gflops = share_of(t, t->dense.fp32_gflops);
	ret->tf32_gflops = share_of(t, t->dense.tf32_gflops);
	ret->fp16_gflops = share_of(t, t->dense.fp16_gflops);
	ret->bf16_gflops = share_of(t, t->dense.bf16_gflops);
	ret->fp8_gflops = share_of(t, t->dense.fp8_gflops);
	ret->int8_gops = share_of(t, t->dense.int8_gflops);
	ret->fp4_gflops = share_of(t, t->dense.fp4_gflops);
}

static void add_type(const struct offering *o, const char *type, const struct ga_offer_numbers *n,
		     struct ga_hardware_profile *ret)
{
	const struct ga_accel_type *t = type ? ga_accels_type(o->q->accels, type) : NULL;
	struct ga_offer_type *row = ga_list_add(&ret->by_type);
	size_t i;

	*row = (struct ga_offer_type){
		.type = ga_strdup0(type),
		.name = ga_xstrdup(t ? t->name : type ? type : "type unknown"),
		.memory_gb = t ? t->memory.gpu_gb : GA_UNKNOWN,
	};
	for (i = 0; i < n->types.n; i++)
		if (ga_streq(n->types.v[i].type, type) || (!type && !n->types.v[i].type)) {
			row->available = n->types.v[i].available;
			row->total = n->types.v[i].total;
		}
}

/* In the profile's order; of a generic one, whatever there is. */
static void add_types(const struct offering *o, const struct ga_profile *p,
		      const struct ga_offer_numbers *n, struct ga_hardware_profile *ret)
{
	const struct ga_accel_type *t;
	size_t i;

	for (i = 0; i < p->types.n; i++) {
		ga_texts_add(&ret->types, p->types.v[i]);
		add_type(o, p->types.v[i], n, ret);
	}
	for (i = 0; !p->types.n && i < n->types.n; i++)
		add_type(o, n->types.v[i].type, n, ret);
	if (!p->types.n)
		return;
	ret->type = ga_xstrdup(p->types.v[0]);
	t = ga_accels_type(o->q->accels, ret->type);
	if (t)
		add_facts(t, ret);
}

/* ---- words ---- */

static void add_words(const struct ga_profile *p, struct ga_hardware_profile *ret)
{
	ga_autofree char *title = ga_offer_title(p->name);
	ga_autostr struct ga_str what = GA_STR_INIT, line = GA_STR_INIT;
	size_t i;

	ga_str_add(&what, title);
	for (i = 0; i < p->types.n; i++)
		ga_str_addf(&what, "%s%s", i ? " or " : " (", ret->by_type.v[i].name);
	if (p->types.n)
		ga_str_addc(&what, ')');
	ga_str_addf(&line, "%s - ", what.buf);
	if (ret->available_count)
		ga_str_addf(&line, "%lld available", (long long)ret->available_count);
	else if (ret->unknown_count && ret->unknown_count == ret->total_count)
		ga_str_add(&line, "availability unknown");
	else
		ga_str_add(&line, "none available");
	if (ret->pending_count)
		ga_str_addf(&line, ", %lld pending", (long long)ret->pending_count);
	ret->display_name = ga_str_take(&what);
	ret->summary = ga_str_take(&line);
}

static char *time_text(int64_t micros)
{
	char text[GA_TIME_SIZE];

	return ga_xstrdup(ga_time_format(micros, text));
}

static void add_age(const struct offering *o, const struct ga_offer_numbers *n,
		    struct ga_hardware_profile *ret)
{
	int64_t now = o->q->now_micros;

	ret->made_at = time_text(now);
	if (n->oldest_micros == GA_UNKNOWN)
		return;
	ret->as_of = time_text(n->oldest_micros);
	ret->stale_seconds = n->oldest_micros < now ? (now - n->oldest_micros) / 1000000 : 0;
}

/* ---- one profile ---- */

static void add_numbers(const struct offering *o, const struct ga_offer_numbers *n,
			struct ga_hardware_profile *ret)
{
	size_t i;

	ret->available = n->available > 0;
	ret->available_count = n->available;
	ret->largest_available = n->largest;
	ret->total_count = n->total;
	ret->unknown_count = n->unknown;
	for (i = 0; i < o->pending.n; i++)
		if (!strcmp(o->pending.v[i].profile, ret->name))
			ret->pending_count = o->pending.v[i].gpus;
}

static void make(const struct offering *o, const struct ga_profile *p,
		 struct ga_hardware_profile *ret)
{
	ga_autooffer struct ga_offer_numbers n;
	size_t i;

	ga_offer_count(&o->fleet, p, &n);
	ga_shape_init(&ga_hardware_profile_shape, ret);
	ret->name = ga_xstrdup(p->name);
	ret->shape = ga_xstrdup(p->shape);
	for (i = 0; i < p->counts.n; i++)
		*ga_list_add(&ret->counts) = p->counts.v[i];
	add_numbers(o, &n, ret);
	add_types(o, p, &n, ret);
	add_words(p, ret);
	add_age(o, &n, ret);
	ret->price_micros = ret->price_per_hour = p->price_micros;
	ret->currency = ga_strdup0(o->q->currency);
	ret->version = p->version;
	ret->retired = p->retired;
	for (i = 0; i < p->teams.n; i++)
		ga_texts_add(&ret->teams, p->teams.v[i]);
	if (o->q->concealed)
		ga_offer_conceal(ret);
}

static bool wanted(const struct ga_offer_query *q, const struct ga_profile *p)
{
	size_t i;

	if (p->retired && !q->retired)
		return false;
	if (!q->concealed || !p->teams.n)
		return true;
	for (i = 0; q->team && i < p->teams.n; i++)
		if (!strcmp(p->teams.v[i], q->team))
			return true;
	return false;
}

static int each_profile(const struct offering *o, const char *text, ga_store_each each, void *arg,
			struct ga_err *err)
{
	struct ga_hardware_profile view;
	struct ga_profile p;
	int r = 0;

	if (ga_rec_parse_text(text, &ga_profile_shape, &p, err) < 0)
		return -1;
	if (wanted(o->q, &p)) {
		make(o, &p, &view);
		r = each(&ga_hardware_profile_shape, &view, arg, err);
		ga_shape_release(&ga_hardware_profile_shape, &view);
	}
	ga_shape_release(&ga_profile_shape, &p);
	return r;
}

int ga_store_offers(struct ga_db *db, const struct ga_offer_query *q, ga_store_each each,
		    void *arg, struct ga_err *err)
{
	ga_cleanup(offering_release) struct offering o = {
		.q = q, .fleet = { .version = GA_FLEET_UNREAD, .now_micros = q->now_micros },
	};
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (q->stale_seconds)
		o.fleet.stale_micros = q->now_micros - q->stale_seconds * 1000000;
	if (ga_store_fleet_load(db, &o.fleet, err) < 0 || read_pending(db, &o, err) < 0 ||
	    ga_query_profiles(db, &rows, err) < 0)
		return -1;
	o.fleet.now_micros = q->now_micros;
	while ((r = ga_rows_next(rows, err)) > 0)
		if (each_profile(&o, ga_rows_text(rows, 0), each, arg, err) < 0)
			return -1;
	return r;
}
