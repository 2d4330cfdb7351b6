/* SPDX-License-Identifier: Apache-2.0 */
/* The user view: numbers of decide/offer/offer.h, facts of the catalogue, sentences for people. */
#include "state/capacity/offer.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/texts.h"
#include "decide/offer/offer.h"
#include "record/rec.h"
#include "record/state.h"
#include "record/time.h"
#include "state/access/access.h"
#include "state/capacity/internal.h"
#include "state/capacity/profile.h"
#include "state/db/invariant.h"
#include "state/db/row.h"

#define WIPES_MAX 301 /* the last wipes, whose durations are counted */

/* The GPUs that waiting requests need. */
struct pending {
	char *profile;
	int64_t gpus;
};

/* Duration of a wipe. */
struct wiped {
	const char *type; /* type of the slot's GPU, interned in ending; NULL: not known */
	int64_t micros;
};

struct offering {
	struct ga_db *db;
	const struct ga_offer_query *q;
	struct ga_fleet fleet;
	GA_LIST(struct pending) pending;
	bool knows_ending;	     /* the members below are read at the first need */
	struct ga_fleet ending;	     /* the nodes where capacity becomes free */
	bool knows_full;
	struct ga_fleet full; /* every node by itself, for refusals; read at the first need */
	struct ga_offer_refuser refuser;
	GA_LIST(struct wiped) wiped;	    /* the shortest first */
	GA_LIST(struct ga_offer_soon) soon; /* in the order of slots */
};

static void offering_release(struct offering *o)
{
	size_t i;

	for (i = 0; i < o->pending.n; i++)
		free(o->pending.v[i].profile);
	for (i = 0; i < o->soon.n; i++)
		free(o->soon.v[i].slot);
	ga_list_release(&o->pending);
	ga_list_release(&o->wiped);
	ga_list_release(&o->soon);
	ga_fleet_release(&o->fleet);
	ga_fleet_release(&o->ending);
	ga_offer_refuser_release(&o->refuser);
	ga_fleet_release(&o->full);
}

/* ---- capacity that becomes free ---- */

/* The time in the column, or GA_UNKNOWN. */
static int64_t time_of(const struct ga_rows *rows, int column)
{
	int64_t micros;

	return ga_time_read(ga_rows_text(rows, column), &micros) ? micros : GA_UNKNOWN;
}

static int by_micros(const void *a, const void *b)
{
	const struct wiped *x = a, *y = b;

	return x->micros < y->micros ? -1 : x->micros > y->micros;
}

static int read_wiped(struct offering *o, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(o->db, &rows, err,
			"SELECT s.accelerator_type, e.started_at, e.finished_at "
			"FROM wipe_evidence e JOIN slot s ON s.id = e.slot_id "
			"WHERE e.outcome = 'confirmed' ORDER BY e.number DESC LIMIT ?1", "i",
			(int64_t)WIPES_MAX) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		int64_t from = time_of(rows, 1), to = time_of(rows, 2);

		if (from != GA_UNKNOWN && to != GA_UNKNOWN && to >= from)
			*ga_list_add(&o->wiped) =
				(struct wiped){ ga_fleet_word(&o->ending, ga_rows_text(rows, 0)),
						to - from };
	}
	if (o->wiped.n)
		qsort(o->wiped.v, o->wiped.n, sizeof(*o->wiped.v), by_micros);
	return r;
}

/* The median duration of wipes of the type's slots, or of all slots when the type has none;
 * GA_UNKNOWN when no slot was wiped yet. The type is interned in ending. */
static int64_t wipe_takes(const struct offering *o, const char *type)
{
	size_t i, of_type = 0, seen = 0;

	for (i = 0; i < o->wiped.n; i++)
		of_type += o->wiped.v[i].type == type;
	for (i = 0; of_type && i < o->wiped.n; i++)
		if (o->wiped.v[i].type == type && seen++ == (of_type - 1) / 2)
			return o->wiped.v[i].micros;
	return o->wiped.n ? o->wiped.v[(o->wiped.n - 1) / 2].micros : GA_UNKNOWN;
}

/* A wipe that should be over counts from now: it may not have begun. */
static void add_soon(struct offering *o, const struct ga_rows *rows)
{
	const char *type = ga_fleet_word(&o->ending, ga_rows_text(rows, 1));
	int64_t now = o->q->now_micros, takes = wipe_takes(o, type), at;
	bool held = ga_rows_bool(rows, 4);

	at = time_of(rows, held ? 3 : 2);
	if (at == GA_UNKNOWN || takes == GA_UNKNOWN)
		return;
	at = (held ? at < now : at + takes < now) ? now + takes : at + takes;
	*ga_list_add(&o->soon) = (struct ga_offer_soon){
		.slot = ga_rows_dup(rows, 0),
		.at_micros = at,
		.basis = held ? "hold_ending" : "wiping",
	};
}

#define USABLE "AND NOT " GA_SQL_SLOT_BLOCKED("s") " "

static int read_soon(struct offering *o, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(o->db, &rows, err,
			"SELECT s.id, s.accelerator_type, s.since, NULL, 0 "
			"FROM slot s INDEXED BY slot_place WHERE s.node_id IN "
			"(SELECT node_id FROM node_capacity WHERE waiting > 0) "
			"AND s.state IN ('releasing', 'wiping') " USABLE
			"UNION ALL SELECT s.id, s.accelerator_type, NULL, a.expires_at, 1 "
			"FROM allocation a CROSS JOIN claim c ON c.allocation_id = a.id "
			"AND c.live = 1 CROSS JOIN slot s ON s.id = c.slot_id "
			"WHERE a.state = 'held' "
			"AND s.state NOT IN ('releasing', 'wiping', 'retired') " USABLE
			"ORDER BY 1", "") < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		add_soon(o, rows);
	return r;
}

static int read_ending(struct offering *o, struct ga_err *err)
{
	if (o->knows_ending)
		return 0;
	o->ending = (struct ga_fleet){ .stale_micros = o->fleet.stale_micros,
				       .now_micros = o->fleet.now_micros };
	o->knows_ending = true;
	if (ga_store_fleet_load_ending(o->db, &o->ending, err) < 0)
		return -1;
	if (!o->ending.nodes.n)
		return 0; /* nothing ends: the durations of wipes are not needed */
	return read_wiped(o, err) < 0 ? -1 : read_soon(o, err);
}

/* ---- types ---- */

static void copy_numbers(const struct ga_ints *from, struct ga_ints *to)
{
	size_t i;

	for (i = 0; i < from->n; i++)
		*ga_list_add(to) = from->v[i];
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
		.machine = GA_UNKNOWN,
	};
	for (i = 0; i < n->types.n; i++) {
		const struct ga_offer_number *of = &n->types.v[i];

		if (!ga_streq(of->type, type))
			continue;
		row->available = of->available;
		row->total = of->total;
		row->largest = of->largest;
		copy_numbers(&of->counts, &row->counts_now);
		copy_numbers(&of->machines, &row->machines);
		copy_numbers(&of->machines_now, &row->machines_now);
		if (row->machines.n)
			row->machine = row->machines.v[row->machines.n - 1];
	}
}

static void add_mixed(const struct ga_offer_mixed *m, struct ga_hardware_profile *ret)
{
	size_t i;

	if (!m->total)
		return;
	ret->mixed = ga_xcalloc(1, sizeof(*ret->mixed));
	ret->mixed->available = m->available;
	ret->mixed->total = m->total;
	copy_numbers(&m->machines, &ret->mixed->machines);
	copy_numbers(&m->machines_now, &ret->mixed->machines_now);
	for (i = 0; i < m->types.n; i++) {
		if (m->types.v[i])
			ga_texts_add(&ret->mixed->types, m->types.v[i]);
		else
			ret->mixed->unknown = true;
	}
}

/* In the profile's order; for a profile without types, every type of the fleet. */
static void add_types(const struct offering *o, const struct ga_profile *p,
		      const struct ga_offer_numbers *n, struct ga_hardware_profile *ret)
{
	const struct ga_accel_type *t;
	size_t i;
	char *c;

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
	if (!t)
		return;
	ret->memory_gb = t->memory.gpu_gb;
	if (ret->memory_gb != GA_UNKNOWN)
		ret->memory = ga_xprintf("%lldGB", (long long)ret->memory_gb);
	ret->memory_type = ga_strdup0(t->memory.type);
	ret->architecture = ga_strdup0(t->architecture.name);
	ret->vendor = ga_strdup0(t->vendor);
	for (c = ret->vendor; c && *c; c++)
		*c = (char)tolower((unsigned char)*c);
	ret->compute_capability = ga_strdup0(t->architecture.compute_capability);
	ret->bandwidth_mb_s = ga_accel_of_gpu(t, t->memory.bandwidth_mb_s);
	ret->fp64_gflops = ga_accel_of_gpu(t, t->dense.fp64_gflops);
	ret->fp32_gflops = ga_accel_of_gpu(t, t->dense.fp32_gflops);
	ret->tf32_gflops = ga_accel_of_gpu(t, t->dense.tf32_gflops);
	ret->fp16_gflops = ga_accel_of_gpu(t, t->dense.fp16_gflops);
	ret->bf16_gflops = ga_accel_of_gpu(t, t->dense.bf16_gflops);
	ret->fp8_gflops = ga_accel_of_gpu(t, t->dense.fp8_gflops);
	ret->int8_gops = ga_accel_of_gpu(t, t->dense.int8_gflops);
	ret->fp4_gflops = ga_accel_of_gpu(t, t->dense.fp4_gflops);
}

/* ---- names and sentences ---- */

/* Types with equal names are one type to people, whatever else differs. */
static void add_names(const struct ga_hardware_profile *view, struct ga_str *to)
{
	const char *before = " (";
	size_t i, j;

	for (i = 0; i < view->by_type.n; i++) {
		const char *name = view->by_type.v[i].name;

		for (j = 0; j < i && !ga_streq(view->by_type.v[j].name, name); j++)
			;
		if (j < i)
			continue;
		ga_str_addf(to, "%s%s", before, name);
		before = " or ";
	}
	ga_str_addc(to, ')');
}

static void add_words(const struct ga_profile *p, struct ga_hardware_profile *ret)
{
	ga_autofree char *title = ga_offer_title(p->name);
	ga_autostr struct ga_str what = GA_STR_INIT, line = GA_STR_INIT;

	ga_str_add(&what, title);
	if (p->types.n)
		add_names(ret, &what);
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

/* ---- one profile ---- */

/* Whether the view needs the time at which capacity becomes free. */
static bool is_scarce(const struct ga_hardware_profile *view)
{
	bool scarce = !view->available;
	size_t i;

	for (i = 0; !scarce && i < view->by_type.n; i++)
		scarce = view->by_type.v[i].type && view->by_type.v[i].total &&
			 !view->by_type.v[i].largest;
	return scarce;
}

/* The time of the profile is the earliest time of its types: without it no type has one. */
static void add_expected_types(const struct offering *o, const struct ga_profile *p,
			       struct ga_hardware_profile *ret)
{
	bool any = ret->available || ret->expected_available_at;
	size_t i;

	for (i = 0; any && i < ret->by_type.n; i++) {
		struct ga_offer_type *row = &ret->by_type.v[i];
		struct ga_profile only = *p; /* borrows every member */
		struct ga_offer_expected e = { .at_micros = GA_UNKNOWN };

		only.types.v = &row->type;
		only.types.n = 1;
		if (p->types.n == 1)
			row->expected_at = ga_strdup0(ret->expected_available_at);
		else if (row->type && row->total && !row->largest)
			ga_offer_expect(&o->ending, &only, o->soon.v, o->soon.n, &e);
		if (e.at_micros != GA_UNKNOWN)
			row->expected_at = time_text(e.at_micros);
	}
}

/* Reads every node by itself, for refusals. */
static int read_full(struct offering *o, struct ga_err *err)
{
	if (o->knows_full)
		return 0;
	o->full = (struct ga_fleet){ .stale_micros = o->fleet.stale_micros,
				     .now_micros = o->fleet.now_micros };
	if (ga_store_fleet_load_expired(o->db, &o->full, err) < 0)
		return -1;
	o->refuser.fleet = &o->full;
	o->knows_full = true;
	return 0;
}

static bool lacks_type(const struct ga_offer_type *row)
{
	return row->type && !row->largest;
}

static bool lacks_mixed(const struct ga_hardware_profile *view)
{
	return view->mixed && !view->mixed->machines_now.n;
}

/* Why the profile, or one of its types, has nothing to give: as placement says it. */
static int add_refusals(struct offering *o, const struct ga_profile *p,
			struct ga_hardware_profile *ret, struct ga_err *err)
{
	bool any = !ret->available || lacks_mixed(ret);
	size_t i;

	for (i = 0; i < ret->by_type.n; i++)
		any |= lacks_type(&ret->by_type.v[i]);
	if (!any)
		return 0;
	if (read_full(o, err) < 0)
		return -1;
	if (!ret->available)
		ret->unavailable_code = ga_offer_refusal(&o->refuser, p, NULL, GA_UNKNOWN);
	for (i = 0; i < ret->by_type.n; i++) {
		struct ga_offer_type *row = &ret->by_type.v[i];

		if (!lacks_type(row))
			continue;
		/* A request for the only type is a request of the profile. */
		row->unavailable_code =
			p->types.n == 1 && !ret->available ?
				ga_strdup0(ret->unavailable_code) :
				ga_offer_refusal(&o->refuser, p, row->type, GA_UNKNOWN);
	}
	if (lacks_mixed(ret))
		ret->mixed->unavailable_code =
			ga_offer_mixed_refusal(&o->refuser, p, GA_UNKNOWN);
	return 0;
}

static int make(struct offering *o, const struct ga_profile *p, struct ga_hardware_profile *ret,
		struct ga_err *err)
{
	ga_autooffer struct ga_offer_numbers n;
	struct ga_offer_expected e = { .at_micros = GA_UNKNOWN };
	int64_t now = o->q->now_micros;
	size_t i;

	ga_schema_init(&ga_hardware_profile_schema, ret);
	ga_offer_count_within(&o->fleet, p, o->q->within, o->q->limits, &n);
	ret->name = ga_xstrdup(p->name);
	ret->shape = ga_xstrdup(p->shape);
	copy_numbers(&p->counts, &ret->counts);
	ret->available = n.available > 0;
	ret->available_count = n.available;
	ret->largest_available = n.largest;
	ret->total_count = n.total;
	ret->unknown_count = n.unknown;
	copy_numbers(&n.counts, &ret->counts_now);
	for (i = 0; i < o->pending.n; i++)
		if (!strcmp(o->pending.v[i].profile, ret->name))
			ret->pending_count = o->pending.v[i].gpus;
	add_types(o, p, &n, ret);
	add_mixed(&n.mixed, ret);
	add_words(p, ret);
	ret->made_at = time_text(now);
	if (n.oldest_micros != GA_UNKNOWN) {
		ret->as_of = time_text(n.oldest_micros);
		ret->stale_seconds =
			n.oldest_micros < now ? (now - n.oldest_micros) / GA_SECOND : 0;
	}
	if (!o->q->within && !o->q->limits && is_scarce(ret)) {
		if (read_ending(o, err) < 0)
			return -1;
		if (!ret->available)
			ga_offer_expect(&o->ending, p, o->soon.v, o->soon.n, &e);
		if (e.at_micros != GA_UNKNOWN) {
			ret->expected_available_at = time_text(e.at_micros);
			ret->expected_basis = ga_xstrdup(e.basis);
		}
		add_expected_types(o, p, ret);
	}
	if (!o->q->within && !o->q->limits && add_refusals(o, p, ret, err) < 0)
		return -1;
	ret->price_micros = ret->price_per_hour = p->price_micros;
	ret->currency = ga_strdup0(o->q->currency);
	ret->version = p->version;
	ret->retired = p->retired;
	for (i = 0; i < p->teams.n; i++)
		ga_texts_add(&ret->teams, p->teams.v[i]);
	if (o->q->concealed)
		ga_offer_conceal(ret);
	return 0;
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

static void set_image(const struct offering *o, struct ga_profile *p)
{
	if (!o->q->image)
		return;
	free(p->image);
	p->image = ga_xstrdup(o->q->image);
}

static int each_profile(struct offering *o, const char *text, ga_store_each each, void *arg,
			struct ga_err *err)
{
	struct ga_hardware_profile view;
	struct ga_profile p;
	int r = 0;

	/* A profile that cannot be read sells nothing; attention names it. */
	if (ga_rec_parse_text(text, &ga_profile_schema, &p, err) < 0) {
		ga_err_clear(err);
		return 0;
	}
	set_image(o, &p);
	if (wanted(o->q, &p)) {
		r = make(o, &p, &view, err);
		if (r == 0)
			r = each(&ga_hardware_profile_schema, &view, arg, err);
		ga_schema_release(&ga_hardware_profile_schema, &view);
	}
	ga_schema_release(&ga_profile_schema, &p);
	return r;
}

/* The time of the fleet that is read, and the age up to which a node is in it. */
static void begin(struct offering *o)
{
	o->fleet.now_micros = o->q->now_micros;
	if (o->q->stale_seconds)
		o->fleet.stale_micros = ga_time_after(o->q->now_micros, -o->q->stale_seconds);
}

int ga_store_offers(struct ga_db *db, const struct ga_offer_query *q, ga_store_each each,
		    void *arg, struct ga_err *err)
{
	ga_cleanup(offering_release) struct offering o = { .db = db, .q = q };
	ga_autorows struct ga_rows *rows = NULL, *pending = NULL;
	int r;

	begin(&o);
	/* A grouped fleet has no node by its id. */
	if ((q->rules && ga_store_access_load(db, q->rules, err) < 0) ||
	    (q->within && q->within->node ?
		     ga_store_fleet_load_expired(db, &o.fleet, err) :
		     ga_store_fleet_load_grouped(db, &o.fleet, err)) < 0 ||
	    ga_db_query(db, &pending, err,
			"SELECT profile, sum(count) FROM allocation WHERE state = 'pending' "
			"GROUP BY profile ORDER BY profile", "") < 0)
		return -1;
	while ((r = ga_rows_next(pending, err)) > 0)
		*ga_list_add(&o.pending) =
			(struct pending){ ga_rows_dup(pending, 0), ga_rows_int(pending, 1) };
	if (r < 0 || ga_query_profiles(db, &rows, err) < 0)
		return -1;
	if (q->within && q->within->min_memory_mib != GA_UNKNOWN)
		ga_store_fleet_memory(&o.fleet, q->accels);
	while ((r = ga_rows_next(rows, err)) > 0)
		if (each_profile(&o, ga_rows_text(rows, 0), each, arg, err) < 0)
			return -1;
	return r;
}

int ga_store_offer_refusals(struct ga_db *db, const struct ga_offer_query *q,
			    struct ga_offer_asked *asked, size_t n, struct ga_err *err)
{
	ga_cleanup(offering_release) struct offering o = { .db = db, .q = q };
	size_t i;

	begin(&o);
	for (i = 0; i < n; i++) {
		struct ga_profile p;

		if (read_full(&o, err) < 0 || ga_store_profile(db, asked[i].profile, &p, err) < 0)
			return -1;
		set_image(&o, &p);
		asked[i].code = asked[i].mixed ?
			ga_offer_mixed_refusal(&o.refuser, &p, asked[i].count) :
			ga_offer_refusal(&o.refuser, &p, asked[i].type, asked[i].count);
		ga_schema_release(&ga_profile_schema, &p);
	}
	return 0;
}
