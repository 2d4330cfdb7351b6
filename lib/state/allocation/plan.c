/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: a plan has everything that a host needs to know, from the rows at the time of
 * placement. */
#include "state/allocation/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/texts.h"
#include "decide/slot/verdict.h"
#include "record/cpuset.h"
#include "record/digest.h"
#include "record/mac.h"
#include "record/plan.h"
#include "record/rec.h"
#include "record/schema_write.h"
#include "state/db/controller.h"
#include "state/db/invariant.h"
#include "state/slot/facts.h"

void ga_plan_maker_release(struct ga_plan_maker *m)
{
	free(m->network_text);
	free(m->image_text);
	free(m->controller);
	ga_schema_release(&ga_network_schema, &m->network);
	ga_schema_release(&ga_image_schema, &m->image);
	memset(m, 0, sizeof(*m));
}

/* Parses the text of a row, unless it is the text parsed last. */
static int parse_again(const char *now, char **before, const struct ga_schema *schema, void *ret,
		       struct ga_err *err)
{
	if (*before && !strcmp(now, *before))
		return 0;
	free(GA_TAKE(*before));
	ga_schema_release(schema, ret);
	if (ga_rec_parse_text(now, schema, ret, err) < 0)
		return -1;
	*before = ga_xstrdup(now);
	return 0;
}

static int fill_node(struct ga_db *db, const char *node, struct ga_plan_maker *m,
		     struct ga_plan *p, struct ga_err *err)
{
	ga_autofree char *network = NULL;
	int r = ga_db_one(db, err, "SELECT boot_id, fingerprint, network FROM node WHERE id = ?1",
			  "sSSS", node, &p->boot_id, &p->fingerprint, &network);

	if (r <= 0)
		return r < 0 ? -1 : ga_fail(err, GA_NOTFOUND, "there is no node '%s'", node);
	p->node = ga_xstrdup(node);
	if (ga_streq(network, "{}"))
		return 0;
	if (parse_again(network, &m->network_text, &ga_network_schema, &m->network, err) < 0)
		return ga_wrap(err, "the network of node '%s'", node);
	ga_schema_release(&ga_network_schema, &p->network);
	ga_schema_copy(&ga_network_schema, &m->network, &p->network);
	return 0;
}

void ga_store_tighten(struct ga_wipe_policy *p, const char *class, const char *verify,
		      const char *gpu_memory)
{
	if (!p->minimum_class || ga_class_rank(class) > ga_class_rank(p->minimum_class)) {
		free(p->minimum_class);
		p->minimum_class = ga_xstrdup(class);
	}
	if (!p->verify || ga_streq(verify, "full")) {
		free(p->verify);
		p->verify = ga_xstrdup(verify);
	}
	if (!p->gpu_memory || ga_streq(gpu_memory, "required")) {
		free(p->gpu_memory);
		p->gpu_memory = ga_xstrdup(gpu_memory);
	}
}

/* 1, or 0 when the slot may not be sold: refused has the reasons. */
static int add_bundle(struct ga_db *db, const char *slot, struct ga_plan *p,
		      struct ga_reasons *refused, struct ga_err *err)
{
	bool baremetal = ga_streq(p->shape, "baremetal");
	ga_autorows struct ga_rows *rows = NULL;
	struct ga_bundle *bundle;
	int r;

	if (ga_db_query(db, &rows, err, GA_SQL_SLOT_FACTS "WHERE id = ?1", "s", slot) < 0)
		return -1;
	r = ga_rows_next(rows, err);
	if (r <= 0)
		return r < 0 ? -1 : ga_fail(err, GA_NOTFOUND, "there is no slot '%s'", slot);
	bundle = ga_list_add(&p->bundles);
	ga_store_fill_bundle(rows, bundle);
	if (!baremetal &&
	    ga_ip_is_of_network(bundle->private_ip, p->network.gateway, p->network.prefix_bits))
		ga_reasons_add(refused, "duplicate_identity", bundle->private_ip,
			       "the node's network has that address itself",
			       "discover again, or set the network (gpuaas-node(1))");
	if (ga_store_sale_blockers(db, rows, bundle, baremetal, refused) || refused->n)
		return 0;
	ga_store_tighten(&p->wipe, ga_rows_text(rows, GA_SF_CLASS),
			 ga_rows_text(rows, GA_SF_VERIFY), ga_rows_text(rows, GA_SF_GPU_MEMORY));
	return 1;
}

void ga_refused_slots_release(struct ga_refused_slots *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		ga_reasons_release(&list->v[i].reasons);
	ga_list_release(list);
}

static int refuse_spare(struct ga_refused_slots *refused, const char *code, const char *device,
			const char *why, const char *fix)
{
	struct ga_refused_slot *out = ga_list_add(refused);

	*out = (struct ga_refused_slot){ .by_hint = true };
	ga_reasons_add(&out->reasons, code, device, why, fix);
	return 0;
}

/* A baremetal allocation also gets the devices of the machine that stand in no slot. 1, or 0 when a
 * tenant left one of them unwiped, or one is a GPU, which nobody would bill and wipe: refused then
 * has the first slot of the machine. */
static int check_spare(struct ga_db *db, const char *node, struct ga_refused_slots *refused,
		       struct ga_err *err)
{
	ga_autofree char *device = NULL, *by = NULL, *why = NULL, *gpu = NULL;
	int r = ga_db_one(db, err,
			  "SELECT d.id, d.dirtied_by FROM device d WHERE " GA_SQL_SPARE_DIRTY("?1")
			  " ORDER BY d.id LIMIT 1", "sSS", node, &device, &by);

	if (r < 0)
		return -1;
	if (r) {
		why = ga_xprintf("the node is not sold as baremetal: its '%s' is in no slot and "
				 "was not wiped since '%s' had it", device, by);
		return refuse_spare(refused, "waiting_for_wipe", device, why,
				    "give it a slot, which wipes it (gpuaas-discover | "
				    "gpuaas-approve --all-ready | gpuaas-wipe), or remove it and "
				    "discover again with --accept-change");
	}
	r = ga_db_one(db, err,
		      "SELECT g FROM (SELECT json_extract(" GA_SQL_OBJECT("record") ", "
		      "'$.gpu.identity') AS g FROM candidate WHERE node_id = ?1) AS seen "
		      "WHERE g IS NOT NULL AND NOT EXISTS (SELECT 1 FROM slot s WHERE "
		      "s.node_id = ?1 AND s.retired = 0 AND s.gpu_id = ?1 || '/' || g) "
		      "ORDER BY g LIMIT 1",
		      "sS", node, &gpu);
	if (r <= 0)
		return r < 0 ? -1 : 1;
	why = ga_xprintf("its GPU '%s' is in no slot: a tenant of the machine would have it, and "
			 "nobody would bill or wipe it", gpu);
	return refuse_spare(refused, "gpu_in_no_slot", gpu, why,
			    "give each GPU of the machine a slot, with a disk of its own: "
			    "gpuaas-discover | gpuaas-approve --all-ready | gpuaas-wipe");
}

/* 1, or 0 when slots of the decision may not be sold: refused has all of these. */
static int fill_bundles(struct ga_db *db, const struct ga_decision *d, struct ga_plan *p,
			struct ga_refused_slots *refused, struct ga_err *err)
{
	size_t i;

	for (i = 0; i < d->slots.n; i++) {
		struct ga_reasons reasons = { 0 };
		int r = add_bundle(db, d->slots.v[i]->id, p, &reasons, err);

		if (r < 0)
			return -1;
		if (!r)
			*ga_list_add(refused) = (struct ga_refused_slot){
				.slot = i, .reasons = reasons,
				.by_hint = ga_streq(reasons.v[0].code, "duplicate_identity"),
			};
	}
	if (refused->n)
		return 0;
	p->count = (int64_t)d->slots.n;
	if (ga_streq(p->shape, "baremetal"))
		return 1;
	p->mac = ga_strdup0(p->bundles.v[0].mac);
	p->private_ip = ga_strdup0(p->bundles.v[0].private_ip);
	p->port = ga_strdup0(p->bundles.v[0].port);
	return 1;
}

/* A baremetal tenant gets every CPU and all memory of the machine, as last discovered. */
static int fill_machine(struct ga_db *db, struct ga_plan *p, struct ga_err *err)
{
	ga_autofree char *cpus = NULL;
	struct ga_cpuset set;

	if (ga_db_get(db, err,
		      "SELECT json_extract(" GA_SQL_OBJECT("record") ", '$.cpus'), "
		      "coalesce(json_extract(" GA_SQL_OBJECT("record") ", '$.memory_mib'), 0) "
		      "FROM node_observation WHERE node_id = ?1",
		      "sSI", p->node, &cpus, &p->memory_mib) < 0)
		return -1;
	if (cpus && ga_cpuset_parse(cpus, &set, err) < 0)
		return ga_wrap(err, "the CPUs of node '%s'", p->node);
	p->vcpus = cpus ? ga_cpuset_count(&set) : 0;
	return 0;
}

static int fill_sizes(const struct ga_profile *profile, struct ga_plan *p, struct ga_err *err)
{
	int64_t cpus = 0, memory = 0;
	size_t i;

	for (i = 0; i < p->bundles.n; i++) {
		struct ga_cpuset set;

		memory += p->bundles.v[i].memory_mib == GA_UNKNOWN ? 0 : p->bundles.v[i].memory_mib;
		if (!p->bundles.v[i].cpuset)
			continue;
		if (ga_cpuset_parse(p->bundles.v[i].cpuset, &set, err) < 0)
			return ga_wrap(err, "slot '%s'", p->bundles.v[i].slot);
		cpus += ga_cpuset_count(&set);
	}
	p->vcpus = profile->vcpus_per_gpu == GA_UNKNOWN ? cpus :
							  profile->vcpus_per_gpu * p->count;
	p->memory_mib = profile->memory_mib_per_gpu == GA_UNKNOWN ?
				memory :
				profile->memory_mib_per_gpu * p->count;
	return 0;
}

int ga_store_probe_counts(struct ga_db *db, const char *name, const char *probe,
			  struct ga_err *err)
{
	if (ga_db_is_lab(db) || !ga_streq(probe, "running"))
		return 0;
	return ga_refuse(err, GA_CONFLICT, "lab_probe", NULL,
			 ("image '%s' proves readiness by 'running' only, which counts in a lab "
			  "state alone", name),
			 ("give the image the probe ssh, serial or agent"));
}

int ga_store_domain_counts(struct ga_db *db, const struct ga_profile *p, struct ga_err *err)
{
	if (ga_db_is_lab(db) || !ga_streq(p->domain_type, "test"))
		return 0;
	return ga_refuse(err, GA_CONFLICT, "lab_domain", p->name,
			 ("profile '%s' has domain_type test: that driver of libvirt runs no "
			  "guest, and counts in a lab state alone", p->name),
			 ("give it --domain-type kvm: gpuaas-profile create takes that, and "
			  "gpuaas-profile set of one that is there"));
}

static int fill_image(struct ga_db *db, const char *name, struct ga_plan_maker *m,
		      struct ga_plan *p, struct ga_err *err)
{
	ga_autofree char *record = NULL, *path = NULL;
	const struct ga_image *image = &m->image;
	int r = ga_db_one(db, err,
			  "SELECT i.record, c.path FROM image i JOIN node_image c "
			  "ON c.image = i.name AND c.digest = i.digest "
			  "WHERE i.name = ?1 AND c.node_id = ?2",
			  "ssSS", name, p->node, &record, &path);

	if (r <= 0)
		return r < 0 ? -1 : ga_fail_for(err, GA_CONFLICT, "concurrent_update",
						"the image '%s' was removed from node '%s'", name,
						p->node);
	if (parse_again(record, &m->image_text, &ga_image_schema, &m->image, err) < 0)
		return ga_wrap(err, "image '%s'", name);
	p->image = ga_xcalloc(1, sizeof(*p->image));
	*p->image = (struct ga_plan_image){
		.name = ga_strdup0(image->name),
		.digest = ga_strdup0(image->digest),
		.chunks_digest = ga_strdup0(image->chunks_digest),
		.path = GA_TAKE(path),
		.format = ga_strdup0(image->format),
		.size_bytes = image->size_bytes,
		.firmware = ga_strdup0(image->firmware),
		.probe = ga_strdup0(image->probe),
		.user = ga_strdup0(image->user),
		.driver_version = ga_strdup0(image->driver_version),
		.ready_seconds = image->ready_seconds,
	};
	return ga_store_probe_counts(db, name, p->image->probe, err);
}

/* The node of a baremetal tenant has no copy: only name and digest go to the executables. */
static int fill_tenant_image(struct ga_db *db, const char *name, struct ga_plan *p,
			     struct ga_err *err)
{
	ga_autofree char *digest = NULL;

	if (!name)
		return 0;
	if (ga_db_get(db, err, "SELECT digest FROM image WHERE name = ?1", "sS", name, &digest) <
	    0)
		return -1;
	if (!digest)
		return ga_fail_for(err, GA_CONFLICT, "concurrent_update",
				   "the image '%s' was removed", name);
	p->tenant_image = ga_xcalloc(1, sizeof(*p->tenant_image));
	p->tenant_image->name = ga_xstrdup(name);
	p->tenant_image->digest = GA_TAKE(digest);
	return 0;
}

int ga_store_plan_fill(struct ga_db *db, const struct ga_request *request,
		       const struct ga_profile *profile, const struct ga_decision *decision,
		       struct ga_plan_maker *maker, struct ga_plan *ret,
		       struct ga_refused_slots *refused, struct ga_err *err)
{
	bool baremetal = ga_place_is_baremetal(request, profile);
	const char *image = request->image ? request->image : profile->image;
	char controller[GA_CONTROLLER_SIZE];
	size_t i;
	int r;

	ret->name = ga_strdup0(request->name);
	ret->shape = ga_xstrdup(baremetal ? "baremetal" : "slice");
	ret->project = ga_xstrdup(request->project);
	ret->profile = ga_xstrdup(profile->name);
	ret->profile_version = profile->version;
	ret->app = ga_strdup0(request->app);
	if (ret->app &&
	    ga_db_get(db, err, "SELECT version FROM app WHERE name = ?1 AND current = 1", "sI",
		      ret->app, &ret->app_version) < 0)
		return -1;
	ret->lab = ga_db_is_lab(db);
	/* gpuaas-state apply takes any profile, also one of a lab. */
	if (ga_store_domain_counts(db, profile, err) < 0)
		return -1;
	ret->price_micros = profile->price_micros;
	/* A lab is no place for KVM: its disks are files, and its hypervisor is libvirt's test
	 * driver unless the profile names another. */
	ret->domain_type = ga_xstrdup(profile->domain_type ? profile->domain_type :
				      ret->lab		   ? "test" : "kvm");
	ret->user_data_digest = ga_strdup0(request->user_data_digest);
	ret->fabric_partition = decision->fabric_partition;
	for (i = 0; i < request->keys.n; i++)
		ga_texts_add(&ret->keys, request->keys.v[i]);
	/* Read once: it changes only by a restore, and a process that goes on after a restore
	 * writes nothing. */
	if (!maker->controller) {
		if (ga_store_controller(db, controller, err) < 0)
			return -1;
		maker->controller = ga_xstrdup(controller);
	}
	ret->epoch = ga_db_epoch(db);
	ret->controller = ga_xstrdup(maker->controller);
	if (fill_node(db, decision->node->id, maker, ret, err) < 0)
		return -1;
	r = baremetal ? check_spare(db, decision->node->id, refused, err) : 1;
	if (r > 0)
		r = fill_bundles(db, decision, ret, refused, err);
	if (r <= 0)
		return r;
	ret->hugepage_kib = profile->hugepage_kib;
	r = baremetal ? fill_machine(db, ret, err) : fill_sizes(profile, ret, err);
	if (r < 0)
		return -1;
	/* A lab's disk is a file and cannot be purged: there only the policy of the slots
	 * counts. */
	if (!ret->lab)
		ga_store_tighten(&ret->wipe, profile->wipe.minimum_class, profile->wipe.verify,
				 profile->wipe.gpu_memory);
	r = baremetal ? fill_tenant_image(db, image, ret, err) :
			fill_image(db, image, maker, ret, err);
	return r < 0 ? -1 : 1;
}

char *ga_store_plan_seal(struct ga_plan *plan)
{
	struct ga_str text = GA_STR_INIT;
	char digest[GA_DIGEST_SIZE];

	/* The digest covers the record without the digest, and is its last member. */
	ga_str_reserve(&text, 4096);
	ga_schema_write_without(&ga_plan_schema, plan, "digest", &text);
	ga_digest_of(text.buf, text.len, digest);
	free(plan->digest);
	plan->digest = ga_xstrdup(digest);
	text.len--;
	ga_str_add(&text, ",\"digest\":\"");
	ga_str_add(&text, digest);
	ga_str_add(&text, "\"}");
	return ga_str_take(&text);
}

int ga_query_plans(struct ga_db *db, struct ga_rows **ret, struct ga_err *err)
{
	return ga_db_query(db, ret, err,
			   "SELECT plan, id FROM allocation WHERE plan IS NOT NULL "
			   "AND state IN ('placed', 'provisioning') ORDER BY created_at, id",
			   "");
}
