/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-state adopt and rebuild: reads complete inventories from a stream and adopts each node in
 * its own transaction; prints the changes after the commit.
 */
#include "cli/state/state.h"

#include <unistd.h>

#include "cli/frame/tell_state.h"
#include "cli/place/place.h"
#include "record/digest.h"
#include "record/request.h"
#include "record/result.h"
#include "record/wipe.h"
#include "state/access/access.h"
#include "state/allocation/allocation.h"
#include "state/allocation/wipe.h"
#include "state/db/row.h"
#include "state/host/hostdb.h"
#include "state/node/key.h"
#include "state/query/find.h"
#include "state/recovery/adopt.h"
#include "state/slot/slot.h"

static const char *reason;
static const char *machine, *project, *profile, *name;
static bool wipe, lab, rebuilds;

#define REASON { .name = "reason", .type = GA_O_PERSON, .var = &reason, .arg = "TEXT", \
		 .help = "the reason, for the audit" }
#define WIPE { .name = "wipe", .type = GA_O_FLAG, .var = &wipe, \
	       .help = "order the wipe of idle slots that cannot be adopted" }

const struct ga_opt ga_cli_adopt_opts[] = {
	REASON,
	WIPE,
	{ .name = "machine", .type = GA_O_TEXT, .var = &machine, .arg = "NODE",
	  .help = "take in this baremetal node, which a tenant had before gpuaas knew it" },
	{ .name = "profile", .type = GA_O_TEXT, .var = &profile, .arg = "PROFILE",
	  .help = "with --machine: the profile of its allocation" },
	{ .name = "project", .type = GA_O_TEXT, .var = &project, .arg = "PROJECT",
	  .help = "with --machine: the project that has it (default: " GA_PROJECT_DEFAULT ")" },
	{ .name = "name", .type = GA_O_TEXT, .var = &name, .arg = "NAME",
	  .help = "with --machine: the name of its allocation" },
	GA_OPTS_END,
};
const struct ga_opt ga_cli_rebuild_opts[] = {
	REASON,
	{ .name = "lab", .type = GA_O_FLAG, .var = &lab, .help = "the hosts belong to a lab" },
	GA_OPTS_END,
};

/* ---- reading ---- */

struct reading {
	struct ga_inventory_of of;
	char *node;
	struct ga_str lines;
	bool whole;
	json_t *json, *signature; /* of the end record; its digest covers the lines before it */
};

static struct {
	GA_LIST(struct reading) list;
	struct ga_db *db;
} all;

static void release_all(void)
{
	for (size_t i = 0; i < all.list.n; i++) {
		ga_inventory_of_release(&all.list.v[i].of);
		ga_str_release(&all.list.v[i].lines);
		free(all.list.v[i].node);
		json_decref(all.list.v[i].json);
		json_decref(all.list.v[i].signature);
	}
	ga_list_release(&all.list);
	ga_db_close(GA_TAKE(all.db));
}

/* The open stream of the node (its end record has not come); begins a new one if there is none. */
static struct reading *reading_of(const char *node)
{
	struct reading *r;

	for (size_t i = 0; i < all.list.n; i++)
		if (!all.list.v[i].whole && ga_streq(all.list.v[i].node, node))
			return &all.list.v[i];
	r = ga_list_add(&all.list);
	r->node = ga_xstrdup(node);
	r->lines = (struct ga_str)GA_STR_INIT;
	return r;
}

static int take_work(const struct ga_rec *rec, struct ga_err *err)
{
	struct ga_inventory_work w;
	struct reading *r;

	if (ga_rec_parse(rec, &ga_inventory_work_schema, &w, err) < 0)
		return -1;
	r = reading_of(w.node);
	*ga_list_add(&r->of.works) = w;
	ga_str_add_bytes(&r->lines, rec->raw, rec->raw_len);
	ga_str_addc(&r->lines, '\n');
	return 0;
}

/* Whether the signature is with the key of this host. ga_store_key_check checks the signature. */
static int is_own(json_t *signature, bool *ret, struct ga_err *err)
{
	ga_autofree char *path = ga_xprintf("%s/node.key", ga_cli_host_dir());
	const char *key = json_string_value(json_object_get(signature, "key"));
	ga_autosign struct ga_sign_key *own = NULL;
	int r = key && access(path, R_OK) == 0 ? ga_hostdb_key(ga_cli_host_dir(), &own, err) : 0;

	*ret = r > 0 && ga_streq(key, ga_sign_public(own));
	return r < 0 ? -1 : 0;
}

static int take_end(const struct ga_rec *rec, struct ga_err *err)
{
	struct ga_inventory end;
	char digest[GA_DIGEST_SIZE];
	struct reading *r;

	if (ga_rec_parse(rec, &ga_inventory_schema, &end, err) < 0)
		return -1;
	r = reading_of(end.node);
	ga_digest_of(r->lines.buf ? r->lines.buf : "", r->lines.len, digest);
	r->of.end = end;
	if (end.count == (int64_t)r->of.works.n && ga_streq(end.digest, digest)) {
		r->whole = true;
		r->json = json_incref(rec->json);
		r->signature = json_incref(rec->signature);
		r->of.is_signed = rec->signature != NULL;
		return is_own(rec->signature, &r->of.is_own, err);
	}
	return ga_refuse(err, GA_BADREC, "cut_short", NULL,
			 ("line %llu: the inventory of '%s' is not what its host wrote: %zu works "
			  "of %lld, or changed ones", (unsigned long long)rec->line, r->node,
			  r->of.works.n, (long long)end.count),
			 ("take it again: gpuaas-reconcile --inventory"));
}

static int read_all(struct ga_err *err)
{
	static const struct ga_consumer table[] = { { &ga_inventory_work_schema, take_work },
						    { &ga_inventory_schema, take_end },
						    { NULL, NULL } };
	int n;
	char *const *args = ga_cli_args(&n);

	return ga_cli_stream_from(n ? args[0] : NULL, "inventories", table, err);
}

/* ---- output ---- */

static int tell_allocations(const struct ga_adoption *a, struct ga_err *err)
{
	for (size_t i = 0; i < a->allocations.n; i++) {
		struct ga_allocation x;
		int r;

		if (ga_store_allocation(all.db, a->allocations.v[i], &x, err) < 0)
			return -1;
		r = ga_emit(&ga_allocation_schema, &x, err);
		ga_schema_release(&ga_allocation_schema, &x);
		if (r < 0)
			return -1;
	}
	return 0;
}

static int tell_slots(const struct ga_adoption *a, struct ga_err *err)
{
	for (size_t i = 0; i < a->slots.n; i++) {
		struct ga_slot s;
		int r;

		if (ga_store_slot(all.db, a->slots.v[i], &s, err) < 0)
			return -1;
		r = ga_emit(&ga_slot_schema, &s, err);
		ga_schema_release(&ga_slot_schema, &s);
		if (r < 0)
			return -1;
	}
	return 0;
}

static int tell_wipes(const struct ga_adoption *a, struct ga_err *err)
{
	for (size_t i = 0; i < a->wipes.n; i++) {
		struct ga_wipe_order o;
		int r;

		if (ga_store_wipe_order(all.db, a->wipes.v[i], &o, err) < 0)
			return -1;
		r = ga_emit(&ga_wipe_order_schema, &o, err);
		ga_schema_release(&ga_wipe_order_schema, &o);
		if (r < 0)
			return -1;
	}
	return 0;
}

static int tell(const struct ga_adoption *a, struct ga_err *err)
{
	int r = 0;

	if (ga_db_begin_read(all.db, err) < 0)
		return -1;
	if (tell_allocations(a, err) < 0 || tell_slots(a, err) < 0 || tell_wipes(a, err) < 0)
		r = -1;
	ga_db_rollback(all.db);
	for (size_t i = 0; r == 0 && i < a->findings.n; i++)
		r = ga_emit(&ga_finding_schema, &a->findings.v[i], err);
	return r;
}

/* ---- the commands ---- */

/* Whether a finding needs work. Findings "not_recorded" do not: they report work that has ended. */
static bool is_open(const struct ga_adoption *a)
{
	for (size_t i = 0; i < a->findings.n; i++)
		if (strcmp(a->findings.v[i].check, "not_recorded"))
			return true;
	return false;
}

/* The end record, whose signature covers every line of the inventory; borrowed. */
static struct ga_rec end_of(const struct reading *r)
{
	return (struct ga_rec){ .schema = &ga_inventory_schema, .json = r->json,
				.signature = r->signature,
				.raw = r->lines.len ? r->lines.buf : "",
				.raw_len = r->lines.len };
}

/* Ends the transaction without a change; a refusal goes to the audit. Always -1. */
static int refuse_all(const struct ga_rec *end, struct ga_err *err)
{
	struct ga_err second = GA_ERR_INIT;

	ga_db_rollback(all.db);
	if (ga_store_key_is_refusal(err) && ga_store_key_note(all.db, end, err, &second) < 0)
		*err = second;
	return ga_store_access_note(all.db, err);
}

/* Begins the transaction of an inventory that changes the node: 1 when its signature registered the
 * first key of the machine that wrote it. */
static int begin(const char *node, const struct ga_rec *end, struct ga_err *err)
{
	int first;

	if (ga_store_begin(all.db, "gpuaas-state adopt", err) < 0)
		return -1;
	if (ga_store_may_node(all.db, "administer", node, err) < 0 ||
	    (first = ga_store_key_check(all.db, end, err)) < 0)
		return refuse_all(end, err);
	return first;
}

static int tell_cut_short(const struct reading *r, struct ga_err *err)
{
	char check[] = "cut_short", hint[] = "gpuaas-reconcile --inventory",
	     sentence[] = "its inventory has no end: nothing of it was taken";
	struct ga_finding f = { check, r->node, sentence, hint };

	return ga_emit(&ga_finding_schema, &f, err) < 0 ? -1 : 1;
}

/* Adopts one node; 1 when some work could not be adopted. */
static int adopt_one(const struct reading *r, struct ga_err *err)
{
	ga_autoadoption struct ga_adoption a = { .reason = reason, .wipe = wipe,
						.rebuilds = rebuilds };
	const struct ga_rec end = end_of(r);
	int first;

	if (!r->whole)
		return tell_cut_short(r, err);
	first = begin(r->node, &end, err);
	if (first < 0)
		return ga_wrap(err, "node '%s'", r->node);
	if (ga_store_adopt(all.db, &r->of, &a, err) < 0) {
		(void)refuse_all(&end, err);
		return ga_wrap(err, "node '%s'", r->node);
	}
	if (ga_db_commit(all.db, err) < 0)
		return -1;
	if (first)
		ga_tell_first_key(&end);
	for (size_t i = 0; i < a.unchanged.n; i++)
		ga_say("%s: %s", ga_cli_program(), a.unchanged.v[i]);
	if (tell(&a, err) < 0)
		return -1;
	return is_open(&a);
}

static int adopt_all(struct ga_err *err)
{
	int found = 0;

	for (size_t i = 0; i < all.list.n; i++) {
		int r = adopt_one(&all.list.v[i], err);

		if (r < 0)
			return -1;
		found |= r;
	}
	return found;
}

/* ---- one machine that a tenant has ---- */

static void cleanup_request(struct ga_request *r)
{
	ga_schema_release(&ga_request_schema, r);
}

static int fill_request(struct ga_request *r, struct ga_err *err)
{
	ga_schema_init(&ga_request_schema, r);
	r->name = ga_strdup0(name);
	r->profile = ga_xstrdup(profile);
	r->project = ga_strdup0(project);
	ga_request_complete(r);
	return ga_request_check(r, err);
}

static int take_one(const struct reading *r, const struct ga_request *request, struct ga_err *err)
{
	const struct ga_rec end = end_of(r);
	struct ga_take_in in = { .request = request, .reason = reason };
	ga_autofree char *node = NULL, *made = NULL;
	struct ga_allocation x;
	int first, taken;

	if (ga_store_resolve(all.db, "node", machine, &node, NULL, err) < 0)
		return -1;
	first = begin(node, &end, err);
	if (first < 0)
		return -1;
	in.node = node;
	taken = ga_store_take_in(all.db, &r->of, &in, err);
	made = in.allocation;
	if (taken < 0)
		return refuse_all(&end, err);
	if (ga_db_commit(all.db, err) < 0)
		return -1;
	if (first)
		ga_tell_first_key(&end);
	if (ga_store_allocation(all.db, made, &x, err) < 0)
		return -1;
	taken = ga_emit(&ga_allocation_schema, &x, err);
	ga_schema_release(&ga_allocation_schema, &x);
	return taken;
}

/* Takes in the machine by the one inventory of the stream, which must be complete; 1 when it has no
 * end. */
static int take_in(const struct ga_request *request, struct ga_err *err)
{
	if (all.list.n == 1)
		return all.list.v[0].whole ? take_one(&all.list.v[0], request, err) :
					     tell_cut_short(&all.list.v[0], err);
	return ga_refuse(err, GA_USAGE, NULL, NULL,
			 ("--machine takes one inventory, and there are %zu", all.list.n),
			 ("on the machine that deploys: gpuaas-reconcile --inventory --machine %s",
			  machine));
}

int ga_cli_adopt(struct ga_err *err)
{
	ga_cleanup(cleanup_request) struct ga_request request = { 0 };
	int r;

	if (!machine != !profile || ((name || project) && !machine) || (wipe && machine))
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("%s", wipe && machine ? "--machine takes a machine in, and wipes "
					"nothing: not with --wipe" :
					machine ? "--machine needs --profile" :
					"--profile, --project and --name belong to --machine"),
				 ("gpuaas-state adopt --machine NODE --profile NAME --project NAME "
				  "--reason TEXT INVENTORY"));
	if (ga_cli_need_reason(reason, "adopt", err) < 0 ||
	    (machine && fill_request(&request, err) < 0) ||
	    ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_WRITE, &all.db, err) < 0)
		return -1;
	r = read_all(err) < 0 ? -1 : machine ? take_in(&request, err) : adopt_all(err);
	release_all();
	return r;
}

/* Makes the file only after the complete stream was read, so that a bad stream leaves no file. */
static int rebuild(struct ga_err *err)
{
	GA_LIST(struct ga_inventory_of) whole = { 0 };
	int r;

	for (size_t i = 0; i < all.list.n; i++)
		if (all.list.v[i].whole)
			*ga_list_add(&whole) = all.list.v[i].of; /* borrowed */
	if (!whole.n)
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("there is no whole inventory in the stream"),
				 ("gpuaas-reconcile --inventory on each host prints one"));
	r = ga_db_init(ga_cli_state_path(), lab, &all.db, err);
	if (r == 0)
		r = ga_db_begin(all.db, "gpuaas-state rebuild", err);
	if (r == 0) {
		r = ga_store_adopt_epoch(all.db, whole.v, whole.n, reason, err);
		r = r < 0 ? -1 : ga_db_commit(all.db, err);
	}
	ga_list_release(&whole);
	if (r < 0)
		return -1;
	/* Open the new state again: its epoch has changed since it was opened. */
	ga_db_close(GA_TAKE(all.db));
	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_WRITE, &all.db, err) < 0)
		return -1;
	r = adopt_all(err);
	if (r >= 0 && ga_tell_state(all.db, "rebuild", ga_cli_state_path(), err) < 0)
		return -1;
	return r;
}

int ga_cli_rebuild(struct ga_err *err)
{
	int r = -1;

	rebuilds = true;
	if (ga_cli_need_reason(reason, "rebuild", err) == 0 && read_all(err) == 0)
		r = rebuild(err);
	release_all();
	if (r >= 0)
		ga_say("%s: what hosts do not know is not in it: profiles, images, node settings "
		       "(apply them again), owners of allocations, earlier usage and audit",
		       ga_cli_program());
	return r;
}
