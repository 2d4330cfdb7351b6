/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles: every version is kept; one of them is current. */
#include "state/capacity/profile.h"

#include <inttypes.h>
#include <string.h>

#include "record/access.h"
#include "record/id.h"
#include "record/money.h"
#include "record/rec.h"
#include "record/state.h"
#include "record/time.h"
#include "state/access/access.h"
#include "state/db/audit.h"
#include "state/db/fsm.h"
#include "state/db/near.h"
#include "state/db/row.h"

static int current_profile(struct ga_db *db, const char *name, char **text, int64_t *version,
			   struct ga_err *err)
{
	*text = NULL;
	*version = 0;
	return ga_db_one(db, err,
			 "SELECT record, version FROM profile WHERE name = ?1 AND current = 1",
			 "sSI", name, text, version);
}

static int no_profile(struct ga_db *db, const char *name, struct ga_err *err)
{
	ga_autofree char *near = ga_db_near(db, "profile", name);

	return ga_refuse(err, GA_NOTFOUND, "no_profile", name,
			 ("there is no profile '%s'", name),
			 ("%s'gpuaas-list profiles' shows them; 'gpuaas-profile create' makes one",
			  near));
}

int ga_store_profile(struct ga_db *db, const char *name, struct ga_profile *ret,
		     struct ga_err *err)
{
	ga_autofree char *text = NULL;
	int64_t version;
	int r = current_profile(db, name, &text, &version, err);

	if (r <= 0)
		return r < 0 ? -1 : no_profile(db, name, err);
	return ga_rec_parse_text(text, &ga_profile_schema, ret, err);
}

int ga_store_profile_version(struct ga_db *db, const char *name, int64_t version,
			     struct ga_profile *ret, struct ga_err *err)
{
	ga_autofree char *text = NULL, *newest = NULL;
	int64_t current;
	int r;

	if (!version)
		return ga_store_profile(db, name, ret, err);
	r = ga_db_one(db, err, "SELECT record FROM profile WHERE name = ?1 AND version = ?2", "siS",
		      name, version, &text);
	if (r > 0)
		return ga_rec_parse_text(text, &ga_profile_schema, ret, err);
	if (r == 0)
		r = current_profile(db, name, &newest, &current, err);
	if (r <= 0)
		return r < 0 ? -1 : no_profile(db, name, err);
	return ga_refuse(err, GA_NOTFOUND, "no_version", name,
			 ("profile '%s' has no version %" PRId64 ": %" PRId64 " is its newest",
			  name, version, current),
			 ("'gpuaas-profile show %s --versions' shows all of them", name));
}

/* skip: a record that cannot be read is left out (attention names it); else it is an error. */
static int each_record(struct ga_rows *query, bool skip, ga_store_each each, void *arg,
		       struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = query;
	struct ga_profile p;
	int n = 0, r;

	while ((r = ga_rows_next(rows, err)) > 0) {
		if (ga_rec_parse_text(ga_rows_text(rows, 0), &ga_profile_schema, &p, err) < 0) {
			if (!skip)
				return ga_wrap(err, "a stored profile");
			ga_err_clear(err);
			continue;
		}
		r = each(&ga_profile_schema, &p, arg, err);
		ga_schema_release(&ga_profile_schema, &p);
		if (r < 0)
			return -1;
		n++;
	}
	return r < 0 ? -1 : n;
}

int ga_store_profile_versions(struct ga_db *db, const char *name, ga_store_each each, void *arg,
			      struct ga_err *err)
{
	struct ga_rows *rows = NULL;
	int n;

	if (ga_db_query(db, &rows, err,
			"SELECT record FROM profile WHERE name = ?1 ORDER BY version", "s",
			name) < 0)
		return -1;
	n = each_record(rows, false, each, arg, err);
	return n < 0 ? -1 : n ? 0 : no_profile(db, name, err);
}

int ga_store_profiles(struct ga_db *db, ga_store_each each, void *arg, struct ga_err *err)
{
	struct ga_rows *rows = NULL;

	return ga_query_profiles(db, &rows, err) < 0 ? -1 :
						       each_record(rows, true, each, arg, err);
}

int ga_store_profile_is_current(struct ga_db *db, const struct ga_profile *profile,
				struct ga_err *err)
{
	return ga_db_one(db, err,
			 "SELECT 1 FROM profile WHERE name = ?1 AND version = ?2 AND current = 1",
			 "si", profile->name, profile->version);
}

/* Without these members no request for a slice could be valid, or no VM could run. */
static int check_slice(const struct ga_profile *p, struct ga_err *err)
{
	const char *missing = !p->counts.n		    ? "counts" :
			      p->vcpus_per_gpu == 0	    ? "vcpus_per_gpu" :
			      p->memory_mib_per_gpu == 0 ? "memory_mib_per_gpu" :
							      NULL;

	if (!missing || !ga_streq(p->shape, "slice"))
		return 0;
	return ga_fail(err, GA_BADREC, "profile '%s' sells slices: member '%s' must not be empty",
		       p->name, missing);
}

/* A price with digits too many or too few would be billed, so it is checked before any
 * placement. */
static int check_price(const struct ga_profile *p, struct ga_err *err)
{
	if (p->price_micros >= 0 && p->price_micros <= GA_PRICE_MAX)
		return 0;
	return ga_refuse(err, GA_BADREC, "price", p->name,
			 ("profile '%s': a price_micros of %lld is not between 0 and %lld", p->name,
			  (long long)p->price_micros, (long long)GA_PRICE_MAX),
			 ("it is the price of a GPU hour in millionths: 3500000 for 3.50"));
}

/* A count that no request can have, or a count that stands twice, is a typing error. */
static int check_counts(const struct ga_profile *p, struct ga_err *err)
{
	size_t i, j;

	for (i = 0; i < p->counts.n; i++) {
		if (p->counts.v[i] < 1 || p->counts.v[i] > GA_REQUEST_GPUS)
			return ga_fail(err, GA_BADREC, "profile '%s': a count of %" PRId64
				       " is not between 1 and %d", p->name, p->counts.v[i],
				       GA_REQUEST_GPUS);
		for (j = 0; j < i; j++)
			if (p->counts.v[j] == p->counts.v[i])
				return ga_fail(err, GA_BADREC, "profile '%s': the count %" PRId64
					       " is given twice", p->name, p->counts.v[i]);
	}
	return 0;
}

static int check_types(const struct ga_profile *p, struct ga_err *err)
{
	size_t i, j;

	for (i = 0; i < p->types.n; i++) {
		/* The user view shows the type to everybody. A profile from before this rule can
		 * still be retired. */
		if (!ga_name_is_valid(p->types.v[i]) && !p->retired)
			return ga_fail(err, GA_BADREC, "profile '%s': '%.64s' is no type: small "
				       "letters, digits, '.', '_' and '-', 63 at most", p->name,
				       p->types.v[i]);
		for (j = 0; j < i; j++)
			if (!strcmp(p->types.v[j], p->types.v[i]))
				return ga_fail(err, GA_BADREC, "profile '%s': the type '%.64s' is "
					       "given twice", p->name, p->types.v[i]);
	}
	return 0;
}

/* The memory of a guest consists of whole pages, of a size that these hosts have. A retired profile
 * gives memory to no guest, so it is not checked. */
static int check_pages(const struct ga_profile *p, struct ga_err *err)
{
	int64_t kib = p->hugepage_kib, mib;
	size_t i;

	if (kib == GA_UNKNOWN || p->retired)
		return 0;
	if (kib != 2048 && kib != 1048576)
		return ga_refuse(err, GA_BADREC, NULL, NULL,
				 ("profile '%s': there are no pages of %" PRId64 " KiB", p->name,
				  kib),
				 ("hugepage_kib is 2048 or 1048576; none: ordinary pages"));
	for (i = 0; p->memory_mib_per_gpu != GA_UNKNOWN && i < p->counts.n; i++) {
		mib = p->memory_mib_per_gpu * p->counts.v[i];
		if (mib % (kib / 1024) == 0)
			continue;
		return ga_refuse(err, GA_BADREC, NULL, NULL,
				 ("profile '%s': a guest of %" PRId64 " GPU%s gets %" PRId64
				  " MiB, and pages are of %" PRId64 " MiB", p->name, p->counts.v[i],
				  p->counts.v[i] == 1 ? "" : "s", mib, kib / 1024),
				 ("a multiple of the page size, or smaller pages"));
	}
	return 0;
}

int ga_store_profile_check(const struct ga_profile *p, struct ga_err *err)
{
	return check_slice(p, err) < 0 || check_price(p, err) < 0 || check_counts(p, err) < 0 ||
			       check_types(p, err) < 0 || check_pages(p, err) < 0 ?
		       -1 :
		       0;
}

int ga_store_apply_profile(struct ga_db *db, const struct ga_profile *p, struct ga_err *err)
{
	ga_autofree char *old = NULL, *text = NULL, *now = ga_time_now();
	struct ga_profile next = *p; /* borrows every member */
	int64_t version;

	if (ga_store_profile_check(p, err) < 0 ||
	    current_profile(db, p->name, &old, &version, err) < 0)
		return -1;
	next.version = version;
	text = ga_rec_format_text(&ga_profile_schema, &next);
	if (ga_streq(old, text))
		return 0;
	free(text);
	next.version = version + 1;
	text = ga_rec_format_text(&ga_profile_schema, &next);
	if (ga_db_change(db, err, "UPDATE profile SET current = 0 WHERE name = ?1 AND current = 1",
			 "s", p->name) < 0 ||
	    ga_db_change(db, err,
			 "INSERT INTO profile (name, version, record, created_at, current) "
			 "VALUES (?1, ?2, ?3, ?4, 1)",
			 "siss", p->name, next.version, text, now) < 0 ||
	    ga_audit_add(db, "profile_applied", p->name,
			 json_pack("{s:I}", "version", (json_int_t)next.version), err) < 0)
		return -1;
	return 1;
}

/* ---- use of profiles, and their references ---- */

int64_t ga_store_profile_behind(struct ga_db *db, const char *name, int64_t version,
				struct ga_err *err)
{
	int64_t n;

	return ga_db_get(db, err,
			 "SELECT count(*) FROM allocation WHERE profile = ?1 AND "
			 "profile_version <> ?2 AND state NOT IN " GA_SQL_ENDED, "siI",
			 name, version, &n) < 0 ? -1 : n;
}

static int lacks_team(struct ga_db *db, const char *team, void (*tell)(const char *),
		      struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	ga_autofree char *said = NULL;
	struct ga_team t;
	int r;

	if (ga_query_teams(db, team, &rows, err) < 0)
		return -1;
	r = ga_rows_next(rows, err);
	if (r < 0)
		return -1;
	if (r) {
		if (ga_rec_parse_text(ga_rows_text(rows, 0), &ga_team_schema, &t, err) < 0)
			return ga_wrap(err, "the stored team '%s'", team);
		if (t.retired)
			said = ga_xprintf("team '%s' is retired: nobody is in it", team);
		ga_schema_release(&ga_team_schema, &t);
	} else {
		said = ga_xprintf("there is no team '%s' yet: nobody is in it", team);
	}
	if (said)
		tell(said);
	return 0;
}

int ga_store_profile_lacks(struct ga_db *db, const struct ga_profile *p,
			   void (*tell)(const char *sentence), struct ga_err *err)
{
	int r = p->image ? ga_db_one(db, err, "SELECT 1 FROM image WHERE name = ?1", "s",
				     p->image) : 1;
	size_t i;

	if (r < 0)
		return -1;
	if (!r) {
		ga_autofree char *said = ga_xprintf("there is no image '%s' yet: nothing is placed "
						    "without one", p->image);

		tell(said);
	}
	for (i = 0; i < p->teams.n; i++)
		if (lacks_team(db, p->teams.v[i], tell, err) < 0)
			return -1;
	return 0;
}

/* ---- as rows ---- */

int ga_query_profiles(struct ga_db *db, struct ga_rows **ret, struct ga_err *err)
{
	return ga_db_query(db, ret, err,
			   "SELECT record, name FROM profile WHERE current = 1 ORDER BY name", "");
}
