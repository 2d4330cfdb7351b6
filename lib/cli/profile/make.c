/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-profile create, show, set, retire, teams. */
#include "cli/profile/make.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/texts.h"
#include "cli/frame/diff.h"
#include "cli/frame/types.h"
#include "record/money.h"
#include "record/size.h"
#include "record/state.h"
#include "record/words.h"
#include "state/access/access.h"
#include "state/allocation/plan.h"
#include "state/capacity/profile.h"
#include "state/db/audit.h"

static struct ga_profile_opts opt;

#define DRY_RUN \
	{ .name = "dry-run", .type = GA_O_FLAG, .var = &opt.dry_run, \
	  .help = "show the changes; change nothing" }
#define MEMBERS \
	{ .name = "shape", .type = GA_O_WORD, .var = &opt.shape, .arg = "SHAPE", \
	  .values = ga_schema_words, .help = "slice or baremetal (default slice)" }, \
	{ .name = "type", .type = GA_O_TEXTS, .var = &opt.types, .arg = "TYPE,…", \
	  .help = "accelerator type; several, best first" }, \
	{ .name = "count", .type = GA_O_TEXTS, .var = &opt.counts, .arg = "N,…", \
	  .help = "numbers of GPUs that a slice can have" }, \
	{ .name = "vcpus-per-gpu", .type = GA_O_TEXT, .var = &opt.vcpus, .arg = "N", \
	  .help = "virtual CPUs for each GPU" }, \
	{ .name = "memory-per-gpu", .type = GA_O_TEXT, .var = &opt.memory, .arg = "SIZE", \
	  .help = "memory for each GPU" }, \
	{ .name = "hugepages", .type = GA_O_TEXT, .var = &opt.hugepages, .arg = "SIZE", \
	  .help = "size of the guest's pages: 2M, 1G; 0: ordinary pages" }, \
	{ .name = "image", .type = GA_O_TEXT, .var = &opt.image, .arg = "IMAGE", \
	  .help = "default image" }, \
	{ .name = "price", .type = GA_O_TEXT, .var = &opt.price, .arg = "PRICE", \
	  .help = "price of a GPU hour, such as 3.50" }, \
	{ .name = "region", .type = GA_O_TEXT, .var = &opt.region, .arg = "REGION", \
	  .help = "place only in this region" }, \
	{ .name = "pool", .type = GA_O_TEXT, .var = &opt.pool, .arg = "POOL", \
	  .help = "place only in this pool" }, \
	{ .name = "team", .type = GA_O_TEXTS, .var = &opt.teams, .arg = "TEAM,…", \
	  .help = "only for these teams" }, \
	{ .name = "wipe", .type = GA_O_WORD, .var = &opt.wipe, .arg = "CLASS", \
	  .values = ga_class_words, .help = "least class of a wipe" }, \
	{ .name = "wipe-verify", .type = GA_O_WORD, .var = &opt.wipe_verify, .arg = "HOW", \
	  .values = ga_verify_words, .help = "how much of the disk is read back" }, \
	{ .name = "wipe-gpu-memory", .type = GA_O_WORD, .var = &opt.wipe_gpu_memory, \
	  .arg = "HOW", .values = ga_gpu_memory_words, \
	  .help = "whether wiping GPU memory needs proof" }, \
	{ .name = "domain-type", .type = GA_O_WORD, .var = &opt.domain_type, .arg = "TYPE", \
	  .values = ga_domain_types, \
	  .help = "libvirt's domain type (default kvm; in a lab state test)" }, \
	{ .name = "hold", .type = GA_O_TEXT, .var = &opt.hold, .arg = "DURATION", \
	  .help = "default time that a released allocation is held" }, \
	{ .name = "graceful", .type = GA_O_TEXT, .var = &opt.graceful, .arg = "DURATION", \
	  .help = "time that a guest has to stop (default 60s)" }

const struct ga_opt ga_profile_create_opts[] = {
	MEMBERS,
	{ .name = "from-nodes", .type = GA_O_TEXTS, .var = &opt.from_nodes, .arg = "NODE|-",
	  .help = "fill the profile from these nodes; more nodes may follow NAME" },
	{ .name = "mixed", .type = GA_O_FLAG, .var = &opt.mixed,
	  .help = "with --from-nodes: nodes may have several types" },
	{ .name = "suggest", .type = GA_O_FLAG, .var = &opt.suggest,
	  .help = "print profiles for the groups of similar nodes; change nothing" },
	DRY_RUN, GA_OPTS_END,
};
const struct ga_opt ga_profile_show_opts[] = {
	{ .name = "versions", .type = GA_O_FLAG, .var = &opt.versions,
	  .help = "every version, oldest first" },
	GA_OPTS_END,
};
const struct ga_opt ga_profile_set_opts[] = {
	MEMBERS,
	{ .name = "generic", .type = GA_O_FLAG, .var = &opt.generic,
	  .help = "remove the types: any GPU will do" },
	DRY_RUN, GA_OPTS_END,
};
const struct ga_opt ga_profile_retire_opts[] = {
	{ .name = "undo", .type = GA_O_FLAG, .var = &opt.undo,
	  .help = "take a retired profile into use again" },
	DRY_RUN, GA_OPTS_END,
};
const struct ga_opt ga_profile_teams_opts[] = {
	{ .name = "allow", .type = GA_O_TEXTS, .var = &opt.allow, .arg = "TEAM,…",
	  .help = "allow these teams to use it" },
	{ .name = "forbid", .type = GA_O_TEXTS, .var = &opt.forbid, .arg = "TEAM,…",
	  .help = "forbid these teams to use it" },
	{ .name = "everyone", .type = GA_O_FLAG, .var = &opt.everyone,
	  .help = "allow every team to use it" },
	DRY_RUN, GA_OPTS_END,
};

static void say(const char *sentence)
{
	ga_say("%s: %s", ga_cli_program(), sentence);
}

/* ---- storing ---- */

/* Warns of a price of zero, and of a price that changes by a factor of ten or more: a typing error
 * would be billed. */
static void cost_note(const struct ga_profile *before, const struct ga_profile *now)
{
	int64_t was = before ? before->price_micros : 0, is = now->price_micros;

	if (!is && (!before || was))
		ga_say("%s: its price is 0: 'gpuaas-profile set %s --price PRICE' changes that",
		       ga_cli_program(), now->name);
	else if (was && is && (is / 10 >= was || was / 10 >= is))
		say(is > was ? "the price becomes ten times what it was, or more" :
			       "the price becomes a tenth of what it was, or less");
}

static void say_changes(const struct ga_profile *before, const struct ga_profile *now)
{
	ga_autojson json_t *was = ga_schema_format(&ga_profile_schema, before);
	ga_autojson json_t *is = ga_schema_format(&ga_profile_schema, now);
	struct ga_change change = { 0 };

	ga_say("%s: profile '%s' becomes version %" PRId64, ga_cli_program(), now->name,
	       now->version);
	ga_diff(&ga_profile_schema, was, is, &change);
	ga_diff_say(&change, "version");
	ga_schema_release(&ga_change_schema, &change);
}

static int say_behind(struct ga_db *db, const struct ga_profile *now, struct ga_err *err)
{
	int64_t n = ga_store_profile_behind(db, now->name, now->version, err);

	if (n > 0)
		ga_say("%s: %" PRId64 " allocation%s keep%s the version %s placed with",
		       ga_cli_program(), n, n == 1 ? "" : "s", n == 1 ? "s" : "",
		       n == 1 ? "it was" : "they were");
	return n < 0 ? -1 : 0;
}

/* Stores the profile in the open transaction; ret is the stored version. 1: changed; 0: equal. */
static int put(struct ga_db *db, const struct ga_profile *before, const struct ga_profile *p,
	       struct ga_profile *ret, struct ga_err *err)
{
	int r;

	if (ga_profile_check(p, err) < 0 ||
	    (before && ga_store_may_apply(db, &ga_profile_schema, before, err) < 0) ||
	    ga_store_may_apply(db, &ga_profile_schema, p, err) < 0)
		return -1;
	r = p->retired ? 0 : ga_store_domain_counts(db, p, err);
	if (r == 0)
		r = ga_store_apply_profile(db, p, err);
	if (r < 0 || ga_store_profile(db, p->name, ret, err) < 0)
		return -1;
	if (before && r)
		say_changes(before, ret);
	if (before && !r)
		ga_say("%s: nothing differs: profile '%s' stays at version %" PRId64,
		       ga_cli_program(), ret->name, ret->version);
	cost_note(before, ret);
	if (ga_store_profile_lacks(db, ret, say, err) < 0 || (r && say_behind(db, ret, err) < 0)) {
		ga_schema_release(&ga_profile_schema, ret);
		return -1;
	}
	return r;
}

static int store(struct ga_db *db, const struct ga_profile *before, const struct ga_profile *p,
		 struct ga_err *err)
{
	struct ga_profile now;
	int r;

	if (put(db, before, p, &now, err) < 0) /* a dry run does not even record the refusal */
		return opt.dry_run ? -1 : ga_store_access_note(db, err);
	r = opt.dry_run ? 0 : ga_db_commit(db, err);
	ga_db_rollback(db);
	if (r == 0)
		r = ga_emit(&ga_profile_schema, &now, err);
	ga_schema_release(&ga_profile_schema, &now);
	return r;
}

static int begin(struct ga_db **db, struct ga_err *err)
{
	ga_audit_program(ga_cli_program());
	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_WRITE, db, err) < 0)
		return -1;
	return ga_store_begin(*db, ga_cli_program(), err);
}

/* ---- create ---- */

/* Refuses an empty --type: a profile without types means any GPU, which needs an explicit
 * choice. */
static int need_types(const struct ga_texts *words, struct ga_err *err)
{
	size_t i;

	for (i = 0; i < words->n && *words->v[i]; i++)
		;
	if (i == words->n)
		return 0;
	return ga_refuse(err, GA_USAGE, NULL, NULL,
			 ("--type names no type"),
			 ("for any GPU: 'create' without it, 'set' with --generic"));
}

/* Replaces the type names of the options with slugs. */
static int resolve_types(struct ga_texts *ret, struct ga_err *err)
{
	ga_autotexts struct ga_texts words = { NULL, 0 };
	ga_autoaccels struct ga_accels *list = NULL;

	if (!opt.types.n)
		return 0;
	ga_profile_words(&opt.types, &words);
	if (need_types(&words, err) < 0 || ga_cli_catalogue(&list, err) < 0 ||
	    ga_cli_profile_types(list, words.v, words.n, true, ret, err) < 0)
		return -1;
	opt.slugs.v = ret->v; /* borrowed */
	opt.slugs.n = ret->n;
	return 0;
}

static int refuse_existing(struct ga_db *db, const char *name, struct ga_err *err)
{
	struct ga_err none = GA_ERR_INIT;
	struct ga_profile p;
	int r;

	if (ga_store_profile(db, name, &p, &none) < 0) {
		if (none.code == GA_NOTFOUND)
			return 0;
		*err = none;
		return -1;
	}
	r = ga_refuse(err, GA_CONFLICT, "profile_exists", name,
		      ("there is a profile '%s' already%s: version %" PRId64, name,
		       p.retired ? ", retired" : "", p.version),
		      (p.retired ? "another name, or 'gpuaas-profile retire %s --undo'" :
				   "another name, or 'gpuaas-profile set %s --price PRICE'", name));
	ga_schema_release(&ga_profile_schema, &p);
	return r;
}

static int create(const char *name, const struct ga_texts *nodes, struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	struct ga_profile p;
	int r;

	if (begin(&db, err) < 0 || refuse_existing(db, name, err) < 0)
		return -1;
	ga_profile_blank(name, ga_db_is_lab(db), &p);
	r = nodes->n ? ga_profile_from_nodes(db, &opt, nodes, &p, err) : 0;
	if (r == 0)
		r = ga_profile_flags(&opt, &p, err);
	if (r == 0)
		r = store(db, NULL, &p, err);
	ga_schema_release(&ga_profile_schema, &p);
	return r;
}

int ga_cli_profile_create(struct ga_err *err)
{
	ga_cleanup(ga_texts_release) struct ga_texts nodes = { NULL, 0 };
	ga_autotexts struct ga_texts types = { NULL, 0 };
	char *const *args;
	int n, r;

	args = ga_cli_args(&n);
	if (opt.suggest && (n || opt.from_nodes.n || opt.types.n))
		return ga_fail(err, GA_USAGE, "--suggest looks at all nodes, and names the "
			       "profiles itself");
	if (opt.suggest)
		return ga_profile_suggest(&opt, err);
	if (!n)
		return ga_fail(err, GA_USAGE, "the profile's NAME is missing");
	if (n > 1 && !opt.from_nodes.n)
		return ga_fail(err, GA_USAGE, "unexpected operand '%.64s'", args[1]);
	if (opt.mixed && !opt.from_nodes.n)
		return ga_fail(err, GA_USAGE, "--mixed is about nodes: it goes with --from-nodes");
	r = resolve_types(&types, err);
	if (r == 0)
		r = ga_profile_piped(&opt, args + 1, n - 1, &nodes, err);
	if (r == 0)
		r = create(args[0], &nodes, err);
	return r;
}

/* ---- show ---- */

static int show_one(const struct ga_schema *schema, const void *obj, void *arg, struct ga_err *err)
{
	(void)arg;
	return ga_emit(schema, obj, err);
}

/* Splits "name@3" into its parts; *version is 0 without a version. */
static int split(const char *text, char **name, int64_t *version, struct ga_err *err)
{
	const char *at = strrchr(text, '@');

	*version = 0;
	*name = at ? ga_xstrndup(text, (size_t)(at - text)) : ga_xstrdup(text);
	return at ? ga_int_parse(at + 1, "version", 1, INT64_MAX, version, err) : 0;
}

int ga_cli_profile_show(struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	ga_autofree char *name = NULL;
	struct ga_profile p;
	int64_t version;
	int n, r;

	if (split(ga_cli_args(&n)[0], &name, &version, err) < 0 ||
	    ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0 ||
	    ga_db_begin_read(db, err) < 0)
		return -1;
	if (opt.versions && version)
		return ga_fail(err, GA_USAGE, "--versions shows every version of '%.64s'", name);
	if (opt.versions)
		return ga_store_profile_versions(db, name, show_one, NULL, err);
	if (ga_store_profile_version(db, name, version, &p, err) < 0)
		return -1;
	r = ga_emit(&ga_profile_schema, &p, err);
	if (r == 0 && ga_emit_is_table() && !version)
		r = say_behind(db, &p, err);
	ga_schema_release(&ga_profile_schema, &p);
	return r;
}

/* ---- set, retire, teams ---- */

/* The change that a command makes to the stored profile. */
typedef int (*change_fn)(struct ga_profile *p, struct ga_err *err);

static int change(const char *name, change_fn apply, struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	struct ga_profile before, now;
	int r;

	if (begin(&db, err) < 0 || ga_store_profile(db, name, &before, err) < 0)
		return -1;
	ga_schema_copy(&ga_profile_schema, &before, &now);
	r = apply(&now, err);
	if (r == 0)
		r = store(db, &before, &now, err);
	ga_schema_release(&ga_profile_schema, &before);
	ga_schema_release(&ga_profile_schema, &now);
	return r;
}

static bool nothing_given(void)
{
	return !opt.shape && !opt.image && !opt.price && !opt.region && !opt.pool &&
	       !opt.domain_type && !opt.wipe && !opt.wipe_verify && !opt.wipe_gpu_memory &&
	       !opt.types.n && !opt.counts.n && !opt.teams.n && !opt.vcpus && !opt.memory &&
	       !opt.hugepages && !opt.hold && !opt.graceful && !opt.generic;
}

static int apply_flags(struct ga_profile *p, struct ga_err *err)
{
	return ga_profile_flags(&opt, p, err);
}

int ga_cli_profile_set(struct ga_err *err)
{
	ga_autotexts struct ga_texts types = { NULL, 0 };
	int n, r;

	if (nothing_given())
		return ga_fail(err, GA_USAGE, "set changes what options say, and none is given");
	if (opt.generic && opt.types.n)
		return ga_fail(err, GA_USAGE, "--generic and --type exclude each other");
	r = resolve_types(&types, err);
	if (r == 0)
		r = change(ga_cli_args(&n)[0], apply_flags, err);
	return r;
}

static int apply_retired(struct ga_profile *p, struct ga_err *err)
{
	(void)err;
	p->retired = !opt.undo;
	return 0;
}

int ga_cli_profile_retire(struct ga_err *err)
{
	int n;

	return change(ga_cli_args(&n)[0], apply_retired, err);
}

static size_t find(const struct ga_profile *p, const char *team)
{
	size_t i;

	for (i = 0; i < p->teams.n && strcmp(p->teams.v[i], team) != 0; i++)
		;
	return i;
}

static int allow(struct ga_profile *p, const struct ga_texts *teams)
{
	size_t i;

	if (teams->n && !p->teams.n && !opt.everyone)
		say("every team could use it until now: from now on those that are named");
	for (i = 0; i < teams->n; i++)
		if (find(p, teams->v[i]) == p->teams.n)
			ga_texts_add(&p->teams, teams->v[i]);
	return 0;
}

/* Refuses to remove the last team: an empty list means every team, not nobody. */
static int forbid(struct ga_profile *p, const struct ga_texts *teams, struct ga_err *err)
{
	size_t i, at;

	for (i = 0; i < teams->n; i++) {
		at = find(p, teams->v[i]);
		if (at == p->teams.n && p->teams.n) {
			ga_say("%s: team '%s' may not use it anyway", ga_cli_program(),
			       teams->v[i]);
			continue;
		}
		if (p->teams.n < 2)
			return ga_refuse(err, GA_CONFLICT, "no_team_left", NULL,
					 (p->teams.n ? "team '%.64s' is the last that may use it, "
					  "and without one every team may" :
					  "every team may use it: to forbid '%.64s', name the "
					  "teams that may", teams->v[i]),
					 ("--allow TEAM for each of them; 'gpuaas-profile retire' "
					  "if none may"));
		free(p->teams.v[at]);
		memmove(&p->teams.v[at], &p->teams.v[at + 1],
			(--p->teams.n - at) * sizeof(*p->teams.v));
	}
	return 0;
}

static int apply_teams(struct ga_profile *p, struct ga_err *err)
{
	ga_autotexts struct ga_texts allowed = { NULL, 0 }, forbidden = { NULL, 0 };
	size_t i;

	ga_profile_words(&opt.allow, &allowed);
	ga_profile_words(&opt.forbid, &forbidden);
	for (i = 0; opt.everyone && i < p->teams.n; i++)
		free(p->teams.v[i]);
	if (opt.everyone)
		ga_list_release(&p->teams);
	allow(p, &allowed);
	return forbid(p, &forbidden, err);
}

int ga_cli_profile_teams(struct ga_err *err)
{
	int n;

	if (opt.everyone && (opt.allow.n || opt.forbid.n))
		return ga_fail(err, GA_USAGE, "--everyone goes with neither --allow nor --forbid");
	if (!opt.everyone && !opt.allow.n && !opt.forbid.n)
		return ga_fail(err, GA_USAGE, "teams takes --allow, --forbid or --everyone");
	return change(ga_cli_args(&n)[0], apply_teams, err);
}
