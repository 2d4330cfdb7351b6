/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-profile list: the view of profiles for operators, for a team and for everybody. */
#include "cli/offer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "catalog/name.h"
#include "cli/frame/cli.h"
#include "cli/frame/types.h"
#include "decide/offer/published.h"
#include "record/money.h"
#include "record/schema_write.h"
#include "record/time.h"

/* Warn if the published view is older than this; the timer publishes every ten seconds. */
#define PUBLISHED_SECONDS 60

struct listing {
	const struct ga_offer_opts *o;
	const struct ga_accels *accels;
	int file; /* descriptor, or -1: stdout */
	size_t n, bytes;
};

/* Whether the profile names a type that one of the words means; true without words. */
static bool has_type(const struct listing *l, const struct ga_hardware_profile *p)
{
	bool found = !l->o->types.n;
	size_t i, j, k;

	for (i = 0; !found && i < l->o->types.n; i++) {
		ga_autonamed struct ga_accel_named named;

		ga_accels_named(l->accels, GA_NAME_PEOPLE, l->o->types.v[i], &named);
		for (j = 0; !found && j < p->types.n; j++) {
			found = ga_streq(p->types.v[j], l->o->types.v[i]);
			for (k = 0; !found && k < named.types.n; k++)
				found = ga_streq(p->types.v[j], named.types.v[k]);
		}
	}
	return found;
}

static bool has_team(const struct listing *l, const struct ga_hardware_profile *p)
{
	return !l->o->team || l->o->is_public || !p->teams.n || ga_texts_has(&p->teams, l->o->team);
}

/* The file is one complete document: a browser and gpuaas-serve need nothing else. */
static int write_text(struct listing *l, const struct ga_str *text, struct ga_err *err)
{
	l->bytes += text->len;
	if (l->bytes > GA_PUBLISHED_MAX)
		return ga_refuse(err, GA_CONFLICT, NULL, NULL,
				 ("'%s' would be larger than %d MiB", l->o->output,
				  GA_PUBLISHED_MAX >> 20),
				 ("the previous one stays; retire profiles that nobody uses"));
	if (ga_write_all(l->file, text->buf, text->len) < 0)
		return ga_fail_sys(err, "cannot write '%s'", l->o->output);
	return 0;
}

static int show(const struct ga_schema *schema, const void *obj, void *arg, struct ga_err *err)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct listing *l = arg;

	if (!has_type(l, obj) || !has_team(l, obj))
		return 0;
	l->n++;
	if (l->file < 0)
		return ga_emit(schema, obj, err);
	ga_str_add(&text, l->n > 1 ? ",\n" : "\n");
	ga_schema_write(&ga_hardware_profile_schema, obj, &text);
	return write_text(l, &text, err);
}

/* ---- the source: the state, or the published view ---- */

/* Whether the user cannot read the state of this machine: then the user gets the published view.
 * False for a state named by --state. */
bool ga_cli_offers_are_published(void)
{
	return !ga_cli_state_named() && access(ga_cli_state_path(), R_OK) < 0 && errno == EACCES;
}

static int read_published(const struct ga_offer_query *q, ga_store_each each, void *arg,
			  struct ga_err *err)
{
	const char *path = ga_cli_setting("GPUAAS_PUBLISHED", GA_PUBLISHED_PATH);
	ga_autopublished struct ga_published p = { 0 };
	ga_autostr struct ga_str text = GA_STR_INIT;
	int64_t age;
	size_t i;

	if (ga_file_read(path, GA_PUBLISHED_MAX, &text, err) < 0) {
		err->code = GA_DENIED;
		(void)ga_wrap(err, "you may not read the state '%s', and nothing is published",
			      ga_cli_state_path());
		return ga_hint(err, "ask who runs this machine for gpuaas-publish.timer, or run it "
				    "as the user that owns the state");
	}
	if (ga_published_parse(text.buf, text.len, q->now_micros, &p, err) < 0)
		return ga_wrap(err, "'%s'", path);
	age = (q->now_micros - p.made_micros) / GA_SECOND;
	if (age < -PUBLISHED_SECONDS)
		return ga_fail(err, GA_CONFLICT, "'%s' was published %lld seconds from now: a "
			       "clock is wrong, and its age is unknown", path,
			       (long long)-age);
	if (q->stale_seconds && age > q->stale_seconds)
		return ga_refuse(err, GA_CONFLICT, NULL, NULL,
				 ("'%s' was published %lld seconds ago: what is free now is not "
				  "known", path, (long long)age),
				 ("gpuaas-publish.timer keeps it (systemctl status)"));
	if (age > PUBLISHED_SECONDS)
		ga_say("'%s' was published %lld seconds ago; gpuaas-publish.timer keeps it", path,
		       (long long)age);
	for (i = 0; i < p.profiles.n; i++) {
		struct ga_hardware_profile *one = &p.profiles.v[i];

		/* GA_UNKNOWN is less than any age, so an unknown age is not too old. */
		if (q->stale_seconds && one->stale_seconds > q->stale_seconds)
			ga_offer_forget(one);
		if (each(&ga_hardware_profile_schema, one, arg, err) < 0)
			return -1;
	}
	return 1;
}

static int open_state(struct ga_db **db, struct ga_err *err)
{
	return ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, db, err) < 0 ||
			       ga_db_keep_pages(*db, GA_DB_KEEP_LITTLE, err) < 0 ||
			       ga_db_begin_read(*db, err) < 0 ?
		       -1 :
		       0;
}

int ga_cli_read_offers(const struct ga_offer_query *query, bool published, ga_store_each each,
		       void *arg, struct ga_err *err)
{
	ga_autodb_leave struct ga_db *db = NULL;
	struct ga_offer_query q = *query;

	q.currency = ga_cli_setting("GPUAAS_CURRENCY", NULL);
	if (q.currency && !*q.currency)
		q.currency = NULL;
	if ((q.currency && ga_currency_check(q.currency, err) < 0) ||
	    ga_cli_stale_after(&q.stale_seconds, err) < 0)
		return -1;
	if (published && ga_cli_offers_are_published())
		return read_published(&q, each, arg, err);
	return open_state(&db, err) < 0 ? -1 : ga_store_offers(db, &q, each, arg, err);
}

int ga_cli_read_offer_refusals(const struct ga_offer_query *query, struct ga_offer_asked *asked,
			       size_t n, struct ga_err *err)
{
	ga_autodb_leave struct ga_db *db = NULL;
	struct ga_offer_query q = *query;

	if (ga_cli_stale_after(&q.stale_seconds, err) < 0 || open_state(&db, err) < 0)
		return -1;
	return ga_store_offer_refusals(db, &q, asked, n, err);
}

/* Warns of an unknown team: a mistyped name must not look like a team without profiles. */
static void tell_team(const char *team, const struct ga_access_rules *rules)
{
	size_t i;

	for (i = 0; i < rules->teams.n; i++)
		if (!rules->teams.v[i].retired && !strcmp(rules->teams.v[i].name, team))
			return;
	ga_say("warning: there is no team '%s'", team);
}

static int run_query(struct listing *l, int64_t now, struct ga_err *err)
{
	ga_autorules struct ga_access_rules rules = { 0 };
	struct ga_offer_query q = {
		.accels = l->accels,
		.now_micros = now,
		.retired = l->o->all,
		.concealed = l->o->is_public,
		.team = l->o->team,
		.rules = l->o->team ? &rules : NULL,
	};
	int r;

	/* Output for publishing (--output) comes from the state, never from the published view. */
	r = ga_cli_read_offers(&q, l->o->is_public && !l->o->output, show, l, err);
	if (r > 0 && l->o->team)
		ga_say("what is published has no profiles of teams: those of '%s' are not shown",
		       l->o->team);
	else if (r == 0 && l->o->team)
		tell_team(l->o->team, &rules);
	return r < 0 ? -1 : 0;
}

/* Replaces the file atomically: a reader finds either the old file or the complete new one. */
static int write_file(struct listing *l, struct ga_err *err)
{
	ga_autoreplace struct ga_replace file = GA_REPLACE_INIT;
	ga_autostr struct ga_str head = GA_STR_INIT, tail = GA_STR_INIT;
	int64_t now = ga_clock_micros();
	char at[GA_TIME_SIZE];

	if (ga_cli_may_replace(l->o->output, err) < 0)
		return -1;
	if (ga_replace_begin(l->o->output, &file, err) < 0)
		return ga_hint(err, "its folder must be there and writable");
	l->file = file.fd;
	ga_str_addf(&head, "{\"madeAt\":\"%s\",\"profiles\":[", ga_time_format(now, at));
	ga_str_add(&tail, "\n]}\n");
	if (write_text(l, &head, err) < 0 || run_query(l, now, err) < 0 ||
	    write_text(l, &tail, err) < 0)
		return -1;
	return ga_replace_commit(&file, 0644, err);
}

int ga_cli_offers(const struct ga_offer_opts *opts, struct ga_err *err)
{
	ga_autoaccels struct ga_accels *accels = NULL;
	struct listing l = { .o = opts, .file = -1 };

	if (ga_cli_catalogue(&accels, err) < 0)
		return -1;
	if (opts->all && opts->is_public)
		return ga_fail(err, GA_USAGE, "--all is for operators: the public view has no "
					      "retired profiles");
	if (opts->output && (!opts->is_public || opts->team))
		return ga_fail(err, GA_USAGE,
			       "--output makes a file for everybody: it needs --public, and goes "
			       "without --team");
	if (ga_cli_types_known(accels, opts->types.v, opts->types.n, err) < 0)
		return -1;
	l.accels = accels;
	return opts->output ? write_file(&l, err) : run_query(&l, ga_clock_micros(), err);
}
