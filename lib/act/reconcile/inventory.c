/* SPDX-License-Identifier: Apache-2.0 */
/* The inventory of a host: its work, domains that host.db does not know, machines that it gave to
 * tenants, the closing record. */
#include "act/reconcile/inventory.h"

#include <errno.h>
#include <sys/stat.h>

#include "act/device/virt.h"
#include "act/vm/metal.h"
#include "look/discover/discover.h"
#include "record/digest.h"
#include "record/rec.h"
#include "record/time.h"
#include "state/host/list.h"

struct taking {
	const char *node;
	int (*result)(const struct ga_schema *schema, const void *obj, struct ga_err *err);
	struct ga_hostdb h;
	struct ga_virt_domains domains;
	bool domains_known, says_whose; /* says_whose: answers about machines are wanted */
	int64_t count;
	struct ga_str lines; /* every work line, for the digest */
};

static void cleanup_taking(struct taking *t)
{
	ga_hostdb_close(&t->h);
	ga_virt_domains_release(&t->domains);
	ga_str_release(&t->lines);
}

static int give(struct taking *t, const struct ga_inventory_work *w, struct ga_err *err)
{
	ga_autofree char *line = ga_rec_format_text(&ga_inventory_work_schema, w);

	ga_str_add(&t->lines, line);
	ga_str_addc(&t->lines, '\n');
	t->count++;
	return t->result(&ga_inventory_work_schema, w, err);
}

/* ---- host.db ---- */

static json_t *object_of(const char *text)
{
	json_t *json = text ? json_loads(text, 0, NULL) : NULL;

	if (json_is_object(json))
		return json;
	json_decref(json);
	return NULL;
}

static const char *power_of(const struct taking *t, const char *allocation)
{
	for (size_t i = 0; i < t->domains.n; i++) {
		const struct ga_virt_domain *d = &t->domains.v[i];

		if (ga_streq(d->allocation, allocation))
			return d->state == GA_VIRT_OFF || d->state == GA_VIRT_CRASHED ? "off" :
											"on";
	}
	return t->domains_known ? "absent" : NULL;
}

static int give_attempt(struct taking *t, struct ga_attempt *a, struct ga_err *err)
{
	bool wipe = ga_streq(a->program, "wipe");
	struct ga_inventory_work w = {
		.node = ga_xstrdup(t->node),
		.object = GA_TAKE(a->object),
		.object_kind = ga_xstrdup(wipe ? "slot" : "allocation"),
		.program = GA_TAKE(a->program),
		.attempt = GA_TAKE(a->attempt),
		.state = GA_TAKE(a->state),
		.started_at = GA_TAKE(a->started_at),
		.order = object_of(a->order),
		.result = object_of(a->result),
	};
	const char *wwid = json_string_value(json_object_get(w.order, "nvme_wwid"));
	int r = 0;

	if (!wipe)
		w.power = ga_strdup0(power_of(t, w.object));
	else if (wwid)
		r = ga_hostdb_unwiped(&t->h, wwid, "", &w.unwiped_by, err);
	r = r < 0 ? -1 : give(t, &w, err);
	ga_schema_release(&ga_inventory_work_schema, &w);
	return r;
}

/* ---- domains ---- */

static bool is_known(const struct ga_attempts *list, const char *allocation)
{
	for (size_t i = 0; allocation && i < list->n; i++)
		if (ga_streq(list->v[i].object, allocation))
			return true;
	return false;
}

static int give_stranger(struct taking *t, const struct ga_virt_domain *d, struct ga_err *err)
{
	struct ga_inventory_work w = {
		.node = ga_xstrdup(t->node),
		.object = ga_xstrdup(d->allocation ? d->allocation : d->name),
		.object_kind = ga_xstrdup("domain"),
		.power = ga_xstrdup(d->state == GA_VIRT_OFF ? "off" : "on"),
	};
	int r = give(t, &w, err);

	ga_schema_release(&ga_inventory_work_schema, &w);
	return r;
}

/* ---- baremetal machines ---- */

/* Whether this host deployed a machine by the attempt and did not release it since; node: of the
 * machine, allocated. */
static bool is_given(const struct ga_attempts *list, const struct ga_attempt *a, char **node)
{
	ga_autojson json_t *order = ga_streq(a->program, "provision") ? object_of(a->order) : NULL;

	if (!ga_streq(json_string_value(json_object_get(order, "shape")), "baremetal"))
		return false;
	for (size_t i = 0; i < list->n; i++)
		if (ga_streq(list->v[i].program, "release") &&
		    ga_streq(list->v[i].object, a->object) && ga_streq(list->v[i].state, "done"))
			return false;
	*node = ga_strdup0(json_string_value(json_object_get(order, "node")));
	return *node != NULL;
}

/* Asks the operator's executables who has the machine. An executable that fails is an answer, too:
 * the state then takes nothing on its word. */
static int give_machine(struct taking *t, const char *dir, const char *node,
			const char *allocation, struct ga_err *err)
{
	ga_autofree char *at = ga_time_now();
	json_t *question = json_pack("{s:s, s:s?}", "node", node, "allocation", allocation);
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err why = GA_ERR_INIT;
	struct ga_inventory_work w = {
		.node = ga_xstrdup(t->node),
		.object = ga_xstrdup(node),
		.object_kind = ga_xstrdup("machine"),
		.program = ga_xstrdup("status"),
		.started_at = GA_TAKE(at),
		.order = question,
	};
	int r;

	ga_rec_dump(question, &text);
	r = ga_metal_run(dir, "status", text.buf, &w.result, &why);
	w.state = ga_xstrdup(r < 0 ? "failed" : "done");
	if (r < 0)
		w.result = json_pack("{s:s}", "error", why.msg);
	ga_err_clear(&why);
	r = give(t, &w, err);
	ga_schema_release(&ga_inventory_work_schema, &w);
	return r;
}

struct given {
	struct ga_texts nodes, allocations;
};

static void cleanup_given(struct given *g)
{
	ga_texts_release(&g->nodes);
	ga_texts_release(&g->allocations);
}

/* ---- the whole ---- */

/* The record that closes the inventory: the host, its candidates, and a digest of the works. */
static int give_end(struct taking *t, const struct ga_observe_opts *look, struct ga_err *err)
{
	struct ga_discover_opts opts = look->discover;
	ga_autodiscovery struct ga_discovery d = { 0 };
	ga_autosign struct ga_sign_key *key = NULL;
	ga_autofree char *at = ga_time_now(), *node = ga_xstrdup(t->node);
	char digest[GA_DIGEST_SIZE];
	struct ga_inventory end = { .node = node, .at = at, .count = t->count,
				    .domains_known = t->domains_known, .host = &d.host,
				    .digest = digest };

	opts.node = t->node;
	/* A machine that only deploys may have done no work yet: its answers about others are
	 * signed, too. */
	if (ga_discover(&opts, &d, err) < 0 ||
	    (t->says_whose ? ga_hostdb_make_key(look->host_dir, &key, err) :
			     ga_hostdb_key(look->host_dir, &key, err)) < 0)
		return -1;
	if (key)
		d.host.node_key = ga_xstrdup(ga_sign_public(key));
	end.candidates.v = d.candidates.v;
	end.candidates.n = d.candidates.n;
	ga_digest_of(t->lines.buf ? t->lines.buf : "", t->lines.len, digest);
	return t->result(&ga_inventory_schema, &end, err);
}

int ga_inventory(const char *node, const struct ga_observe_opts *look, const char *baremetal_dir,
		 const struct ga_texts *machines,
		 int (*result)(const struct ga_schema *schema, const void *obj, struct ga_err *err),
		 struct ga_err *err)
{
	ga_cleanup(cleanup_taking) struct taking t = { .node = node, .result = result,
						       .lines = GA_STR_INIT,
						       .says_whose = machines->n > 0 };
	ga_autofree char *path = ga_xprintf("%s/host.db", look->host_dir);
	ga_autoattempts struct ga_attempts works = { 0 };
	ga_cleanup(cleanup_given) struct given given = { 0 };
	ga_autovirt struct ga_virt *v = NULL;
	ga_autofree bool *strange = NULL;
	struct ga_err unknown = GA_ERR_INIT; /* the closing record has domains_known */
	struct stat st;

	t.domains_known = ga_virt_open(look->libvirt_uri, &v, &unknown) == 0 &&
			  ga_virt_list(v, &t.domains, &unknown) == 0;
	/* A host that has done no work yet has no host.db, and the inventory does not make one. */
	if ((stat(path, &st) == 0 || errno != ENOENT) &&
	    (ga_hostdb_open_or_make(look->host_dir, &t.h, err) < 0 ||
	     ga_attempts_newest_works(&t.h, &works, err) < 0))
		return -1;
	/* These come first, because give_attempt moves the texts out of works. */
	for (size_t i = 0; i < works.n; i++) {
		ga_autofree char *machine = NULL;

		if (!is_given(&works, &works.v[i], &machine))
			continue;
		ga_texts_add(&given.nodes, machine);
		ga_texts_add(&given.allocations, works.v[i].object);
	}
	strange = ga_xcalloc(t.domains.n + 1, sizeof(*strange));
	for (size_t i = 0; i < t.domains.n; i++) {
		const struct ga_virt_domain *d = &t.domains.v[i];

		/* A lab has several nodes behind one libvirt. */
		strange[i] = !is_known(&works, d->allocation) &&
			     (!d->node || ga_streq(d->node, node));
	}
	for (size_t i = 0; i < works.n; i++)
		if (give_attempt(&t, &works.v[i], err) < 0)
			return -1;
	for (size_t i = 0; i < t.domains.n; i++)
		if (strange[i] && give_stranger(&t, &t.domains.v[i], err) < 0)
			return -1;
	for (size_t i = 0; i < given.nodes.n; i++)
		if (give_machine(&t, baremetal_dir, given.nodes.v[i], given.allocations.v[i],
				 err) < 0)
			return -1;
	for (size_t i = 0; i < machines->n; i++)
		if (give_machine(&t, baremetal_dir, machines->v[i], NULL, err) < 0)
			return -1;
	return give_end(&t, look, err);
}
