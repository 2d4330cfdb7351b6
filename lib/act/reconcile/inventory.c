/* SPDX-License-Identifier: Apache-2.0 */
/* The inventory of a host: works, strange domains, the closing record. */
#include "act/reconcile/inventory.h"

#include <errno.h>
#include <sys/stat.h>

#include "act/device/virt.h"
#include "look/discover/discover.h"
#include "record/digest.h"
#include "record/rec.h"
#include "record/time.h"
#include "state/host/list.h"

struct taking {
	const char *node;
	int (*result)(const struct ga_shape *shape, const void *obj, struct ga_err *err);
	struct ga_hostdb h;
	struct ga_virt_domains domains;
	bool domains_known;
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
	ga_autofree char *line = ga_rec_format_text(&ga_inventory_work_shape, w);

	ga_str_add(&t->lines, line);
	ga_str_addc(&t->lines, '\n');
	t->count++;
	return t->result(&ga_inventory_work_shape, w, err);
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

/* Who wrote on the disk of a wipe order since the last confirmed wipe of it. */
static int look_unwiped(struct taking *t, struct ga_inventory_work *w, struct ga_err *err)
{
	const char *wwid = json_string_value(json_object_get(w->order, "nvme_wwid"));

	if (!wwid || !ga_streq(w->program, "wipe"))
		return 0;
	return ga_hostdb_unwiped(&t->h, wwid, "", &w->unwiped_by, err);
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
	int r;

	if (!wipe)
		w.power = ga_strdup0(power_of(t, w.object));
	r = look_unwiped(t, &w, err) < 0 ? -1 : give(t, &w, err);
	ga_shape_release(&ga_inventory_work_shape, &w);
	return r;
}

static int give_works(struct taking *t, const struct ga_attempts *list, struct ga_err *err)
{
	for (size_t i = 0; i < list->n; i++)
		if (give_attempt(t, &list->v[i], err) < 0)
			return -1;
	return 0;
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

	ga_shape_release(&ga_inventory_work_shape, &w);
	return r;
}

static int give_strangers(struct taking *t, bool *known, struct ga_err *err)
{
	for (size_t i = 0; i < t->domains.n; i++) {
		const struct ga_virt_domain *d = &t->domains.v[i];

		/* Another node's: a lab has several nodes behind one libvirt. */
		if (known[i] || (d->node && !ga_streq(d->node, t->node)))
			continue;
		if (give_stranger(t, d, err) < 0)
			return -1;
	}
	return 0;
}

static void look_domains(struct taking *t, const char *uri)
{
	ga_autovirt struct ga_virt *v = NULL;
	struct ga_err ignored = GA_ERR_INIT; /* the closing record says that it is not known */

	t->domains_known = ga_virt_open(uri, &v, &ignored) == 0 &&
			   ga_virt_list(v, &t->domains, &ignored) == 0;
}

/* ---- the whole ---- */

/* A host that never did anything has no host.db, and looking does not make one. */
static int open_hostdb(struct taking *t, const char *dir, struct ga_err *err)
{
	ga_autofree char *path = ga_xprintf("%s/host.db", dir);
	struct stat st;

	if (stat(path, &st) < 0 && errno == ENOENT)
		return 0;
	return ga_hostdb_open(dir, &t->h, err) < 0 ? -1 : 1;
}

static int give_all(struct taking *t, const char *dir, struct ga_err *err)
{
	ga_autoattempts struct ga_attempts list = { 0 };
	ga_autofree bool *known = NULL;
	int r = open_hostdb(t, dir, err);

	if (r < 0 || (r > 0 && ga_attempts_newest_works(&t->h, &list, err) < 0))
		return -1;
	known = ga_xcalloc(t->domains.n + 1, sizeof(*known));
	for (size_t i = 0; i < t->domains.n; i++)
		known[i] = is_known(&list, t->domains.v[i].allocation);
	return give_works(t, &list, err) < 0 ? -1 : give_strangers(t, known, err);
}

static int close_it(struct taking *t, const struct ga_observe_opts *look, struct ga_err *err)
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
	if (ga_discover(&opts, &d, err) < 0 || ga_hostdb_key(look->host_dir, &key, err) < 0)
		return -1;
	if (key)
		d.host.node_key = ga_xstrdup(ga_sign_public(key));
	end.candidates.v = d.candidates.v;
	end.candidates.n = d.candidates.n;
	ga_digest_of(t->lines.buf ? t->lines.buf : "", t->lines.len, digest);
	return t->result(&ga_inventory_shape, &end, err);
}

int ga_inventory(const char *node, const struct ga_observe_opts *look,
		 int (*result)(const struct ga_shape *shape, const void *obj, struct ga_err *err),
		 struct ga_err *err)
{
	ga_cleanup(cleanup_taking) struct taking t = { .node = node, .result = result,
						       .lines = GA_STR_INIT };

	look_domains(&t, look->libvirt_uri);
	return give_all(&t, look->host_dir, err) < 0 ? -1 : close_it(&t, look, err);
}
