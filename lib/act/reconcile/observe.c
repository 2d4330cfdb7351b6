/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Looks at a host for gpuaas-reconcile, area by area: the host itself, its host.db, its devices,
 * its domains. observe_net.c looks at the network.
 */
#include "act/reconcile/observe.h"

#include <dirent.h>
#include <errno.h>
#include <libvirt/libvirt.h>
#include <libvirt/virterror.h>
#include <sys/stat.h>

#include "act/device/virt.h"
#include "act/reconcile/internal.h"
#include "act/vm/change.h"
#include "base/clock.h"
#include "base/texts.h"
#include "look/block/block.h"
#include "look/discover/discover.h"
#include "look/host/host.h"
#include "look/nvfm.h"
#include "look/pci.h"
#include "look/sys.h"
#include "record/expectation.h"
#include "record/id.h"
#include "record/plan.h"
#include "record/time.h"
#include "state/host/list.h"

#define SEED "seed.iso"
#define NVRAM_DIR "/var/lib/libvirt/qemu/nvram"

/* ---- the host ---- */

/* Runs discover for the host itself: its blockers, its hugepages, its fingerprint. */
static void look_host(const struct ga_look *l)
{
	const struct ga_network *n = &l->want->network;
	struct ga_discover_opts opts = l->opts->discover;
	ga_autodiscovery struct ga_discovery d = { 0 };
	struct ga_err err = GA_ERR_INIT;

	opts.node = l->want->node;
	opts.bridge = n->bridge ? n->bridge : opts.bridge;
	opts.uplink = n->uplink ? n->uplink : opts.uplink;
	opts.dhcp_hosts_dir = n->dhcp_hosts_dir ? n->dhcp_hosts_dir : opts.dhcp_hosts_dir;
	opts.lease_file = n->lease_file ? n->lease_file : opts.lease_file;
	opts.tool = "gpuaas-reconcile " GA_VERSION;
	if (ga_discover(&opts, &d, &err) < 0) {
		ga_seen_blind(l->seen, GA_A_HUGEPAGES, err.msg);
		return;
	}
	l->seen->fingerprint = GA_TAKE(d.host.fingerprint);
	l->seen->blockers = d.host.blockers;
	d.host.blockers = (struct ga_reasons){ 0 };
	l->seen->numa.v = d.host.numa.v;
	l->seen->numa.n = d.host.numa.n;
	d.host.numa.v = NULL;
	d.host.numa.n = 0;
}

/* ---- host.db: attempts and open journal entries ---- */

static int64_t seconds_since(const char *at)
{
	int64_t micros, now = ga_clock_micros();

	if (!ga_time_read(at, &micros))
		return GA_UNKNOWN;
	return micros > now ? 0 : (now - micros) / GA_SECOND;
}

/* The hugepage size of the plan that the attempt carries out, in KiB, or GA_UNKNOWN. */
static int64_t hugepages_of(const struct ga_attempt *a)
{
	struct ga_err ignored = GA_ERR_INIT;
	struct ga_plan plan;
	int64_t kib;

	/* The order of a rebuild is the plan that it carries out again. */
	if ((!ga_streq(a->program, "provision") && !ga_streq(a->program, "rebuild")) ||
	    ga_rec_parse_text(a->order, &ga_plan_schema, &plan, &ignored) < 0)
		return GA_UNKNOWN;
	kib = plan.hugepage_kib;
	ga_schema_release(&ga_plan_schema, &plan);
	return kib;
}

static int look_attempts(const struct ga_look *l, struct ga_hostdb *h, struct ga_err *err)
{
	ga_autoattempts struct ga_attempts list = { 0 };

	if (ga_attempts_newest(h, &list, err) < 0)
		return -1;
	for (size_t i = 0; i < list.n; i++) {
		struct ga_attempt *a = &list.v[i];
		struct ga_seen_work *w = ga_list_add(&l->seen->works);

		w->hugepage_kib = hugepages_of(a);
		w->object = GA_TAKE(a->object);
		w->program = GA_TAKE(a->program);
		w->attempt = GA_TAKE(a->attempt);
		w->state = GA_TAKE(a->state);
		w->phase = GA_TAKE(a->phase);
		w->boot_id = GA_TAKE(a->boot_id);
		w->started_at = GA_TAKE(a->started_at);
		/* If this is unknown, somebody may be working on the object. */
		w->held = ga_object_is_locked(l->opts->host_dir, w->object) != 0;
		/* A wipe writes to a disk: only a person or its own program continues it. */
		w->resumable = ga_streq(w->program, "provision");
	}
	return 0;
}

/* The last refused order of another state, for a day: long enough for the person who checks what
 * needs attention. */
static int look_served(const struct ga_look *l, struct ga_hostdb *h, struct ga_err *err)
{
	ga_autoserved struct ga_served s = { 0 };
	int r = ga_hostdb_served(h, &s, err);

	if (r <= 0 || !s.refused_controller)
		return r < 0 ? -1 : 0;
	l->seen->other_seconds = seconds_since(s.refused_at);
	if (l->seen->other_seconds < 24 * 3600)
		l->seen->other_controller =
			ga_xprintf("an order of the state %s of epoch %lld came at %s",
				   s.refused_controller, (long long)s.refused_epoch, s.refused_at);
	return 0;
}

static int look_journal(const struct ga_look *l, struct ga_hostdb *h, struct ga_err *err)
{
	ga_autojournal struct ga_journal j = { 0 };

	if (ga_journal_open_entries(h, NULL, &j, err) < 0)
		return -1;
	for (size_t i = 0; i < j.n; i++) {
		struct ga_seen_entry *e;

		/* The preparation of the host is no open work. */
		if (ga_streq(j.v[i].object, "bootstrap"))
			continue;
		e = ga_list_add(&l->seen->entries);
		/* A port that is published in the journal; observe_net.c looks where it leads. */
		if (ga_streq(j.v[i].op, "ingress")) {
			struct ga_net_ingress in = { 0 };
			struct ga_seen_ingress *s;

			if (ga_change_ingress_of(&j.v[i], &in, err) < 0)
				return -1;
			s = ga_list_add(&l->seen->ingress);
			s->allocation = GA_TAKE(in.allocation);
			s->proto = GA_TAKE(in.proto);
			s->address = GA_TAKE(in.address);
			s->port = in.port;
			s->to_port = in.to_port;
			s->entered = true;
			s->done = j.v[i].done;
		}
		e->seq = j.v[i].seq;
		e->object = GA_TAKE(j.v[i].object);
		e->op = GA_TAKE(j.v[i].op);
		e->subject = GA_TAKE(j.v[i].subject);
		e->done = j.v[i].done;
		e->age_seconds = seconds_since(j.v[i].at);
	}
	return 0;
}

/* A host that has done nothing yet has no host.db, and looking does not make one. */
static void look_hostdb(const struct ga_look *l)
{
	ga_autofree char *path = ga_xprintf("%s/host.db", l->opts->host_dir);
	ga_autohostdb struct ga_hostdb h = { 0 };
	struct ga_err err = GA_ERR_INIT;
	struct stat st;

	if (stat(path, &st) < 0 && errno == ENOENT)
		return;
	if (ga_hostdb_open_or_make(l->opts->host_dir, &h, &err) < 0 ||
	    look_attempts(l, &h, &err) < 0 || look_served(l, &h, &err) < 0 ||
	    look_journal(l, &h, &err) < 0)
		ga_seen_blind(l->seen, GA_A_WORK, err.msg);
}

/* ---- files named by allocation ---- */

/* The id between prefix and the next '.' or '_' or the end; NULL when there is no valid id. */
static char *id_of(const char *name, const char *prefix)
{
	ga_autofree char *id = NULL;

	if (!ga_starts(name, prefix))
		return NULL;
	name += strlen(prefix);
	id = ga_xstrndup(name, strcspn(name, "._"));
	return ga_id_is_valid(id) ? GA_TAKE(id) : NULL;
}

static void add_file(struct ga_seen_files *list, const char *dir, const char *name,
		     char *allocation)
{
	struct ga_seen_file *f = ga_list_add(list);
	struct stat st;

	f->path = ga_xprintf("%s/%s", dir, name);
	f->allocation = allocation;
	f->age_seconds = GA_UNKNOWN;
	if (stat(f->path, &st) == 0 && ga_clock_micros() / GA_SECOND >= st.st_mtime)
		f->age_seconds = ga_clock_micros() / GA_SECOND - st.st_mtime;
}

/* The names in a folder; a folder that does not exist has none. */
static bool list_folder(const struct ga_look *l, enum ga_area area, const char *dir,
			struct ga_texts *names)
{
	ga_autodir DIR *d = opendir(dir);
	ga_autofree char *why = NULL;

	if (d) {
		ga_sys_list(dir, names);
		return true;
	}
	if (errno == ENOENT)
		return false;
	why = ga_xprintf("cannot open '%s': %s", dir, strerror(errno));
	ga_seen_blind(l->seen, area, why);
	return false;
}

/* Provision keeps the files of a VM in HOST_DIR/vm/ALLOCATION (act/vm/provision.h). */
static void look_seeds(const struct ga_look *l)
{
	ga_autofree char *dir = ga_xprintf("%s/vm", l->opts->host_dir);
	ga_autotexts struct ga_texts names = { 0 };

	if (!list_folder(l, GA_A_SEEDS, dir, &names))
		return;
	for (size_t i = 0; i < names.n; i++) {
		ga_autofree char *seed = ga_xprintf("%s/%s/" SEED, dir, names.v[i]);
		ga_autofree char *file = ga_xprintf("%s/" SEED, names.v[i]);

		if (!ga_id_is_valid(names.v[i]))
			continue;
		if (ga_sys_exists(seed))
			add_file(&l->seen->seeds, dir, file, ga_xstrdup(names.v[i]));
		else if (!ga_drift_is_live(l->want, names.v[i]))
			add_file(&l->seen->seeds, dir, names.v[i], ga_xstrdup(names.v[i]));
	}
}

/* libvirt names the files DOMAIN_VARS.fd; our domains have the name gpuaas-ALLOCATION. */
static void look_nvram(const struct ga_look *l)
{
	const char *dir = l->opts->nvram_dir ? l->opts->nvram_dir : NVRAM_DIR;
	ga_autotexts struct ga_texts names = { 0 };

	if (!list_folder(l, GA_A_NVRAM, dir, &names))
		return;
	for (size_t i = 0; i < names.n; i++) {
		char *id = id_of(names.v[i], "gpuaas-");

		if (id)
			add_file(&l->seen->nvram, dir, names.v[i], id);
	}
}

/* ---- devices ---- */

/* The number of lanes that both a function and the port above it have. */
static int64_t lanes(const struct ga_pci_dev *d)
{
	ga_autofree char *port = d->path ? ga_xprintf("%s/..", d->path) : NULL;
	ga_autofree char *dir = ga_xprintf(GA_PCI_SYSFS "/%s", d->address);
	int64_t own = ga_sys_attr_int(dir, "max_link_width");
	int64_t above = port ? ga_sys_attr_int(port, "max_link_width") : GA_UNKNOWN;

	return above > 0 && above < own ? above : own;
}

static void look_pci(const struct ga_look *l)
{
	ga_autopci struct ga_pci pci = { 0 };
	struct ga_err err = GA_ERR_INIT;

	if (ga_pci_scan(&pci, &err) < 0) {
		ga_seen_blind(l->seen, GA_A_PCI, err.msg);
		return;
	}
	for (size_t i = 0; i < pci.n; i++) {
		const struct ga_pci_dev *d = &pci.v[i];
		ga_autofree char *dir = NULL;
		struct ga_seen_pci *p;
		int64_t unknown;

		if (d->sort == GA_PCI_OTHER || d->sort == GA_PCI_BRIDGE)
			continue;
		p = ga_list_add(&l->seen->pci);
		p->address = ga_xstrdup(d->address);
		p->driver = ga_strdup0(d->driver);
		p->answers = GA_UNKNOWN;
		p->fatal = p->nonfatal = p->correctable = GA_UNKNOWN;
		p->width = p->width_max = GA_UNKNOWN;
		if (d->sort != GA_PCI_GPU)
			continue;
		dir = ga_xprintf(GA_PCI_SYSFS "/%s", d->address);
		p->identity = ga_pci_identity(d);
		p->answers = ga_pci_answers(d->address);
		p->power = ga_sys_attr(dir, "power_state");
		p->fatal = ga_pci_aer(d->address, "aer_dev_fatal", "TOTAL_ERR_FATAL");
		p->correctable = ga_pci_aer(d->address, "aer_dev_correctable", "TOTAL_ERR_COR");
		p->nonfatal = ga_pci_aer(d->address, "aer_dev_nonfatal", "TOTAL_ERR_NONFATAL");
		/* The counter includes requests that a device does not know; every scan of the bus
		 * makes some. They are no error of the device. */
		unknown = ga_pci_aer(d->address, "aer_dev_nonfatal", "UnsupReq");
		if (unknown > 0 && unknown <= p->nonfatal)
			p->nonfatal -= unknown;
		p->width = ga_sys_attr_int(dir, "current_link_width");
		p->width_max = lanes(d);
	}
}

static void add_uses(struct ga_seen_disk *k, const struct ga_block_uses *u)
{
	for (size_t i = 0; i < u->mounts.n; i++)
		*ga_list_add(&k->uses) = ga_xprintf("mounted on %s (%s)", u->mounts.v[i].where,
						    u->mounts.v[i].device);
	for (size_t i = 0; i < u->holders.n; i++)
		*ga_list_add(&k->uses) = ga_xprintf("held by %s", u->holders.v[i]);
	for (size_t i = 0; i < u->swap.n; i++)
		*ga_list_add(&k->uses) = ga_xprintf("swap (%s)", u->swap.v[i]);
	for (size_t i = 0; i < u->md.n; i++)
		*ga_list_add(&k->uses) = ga_xprintf("part of array %s", u->md.v[i]);
}

/* Only the disks of slots are examined: the other disks are not gpuaas's. */
static bool is_of_slot(const struct ga_look *l, const char *wwid)
{
	for (size_t i = 0; wwid && i < l->want->slots.n; i++)
		if (ga_streq(l->want->slots.v[i].bundle.nvme_wwid, wwid))
			return true;
	return false;
}

static void look_disks(const struct ga_look *l)
{
	ga_autoblocktable struct ga_block_table *table = ga_block_table_read();
	ga_autoblocks struct ga_block_devs devs = { 0 };
	struct ga_err err = GA_ERR_INIT;

	if (ga_block_scan(&devs, &err) < 0) {
		ga_seen_blind(l->seen, GA_A_DISKS, err.msg);
		return;
	}
	for (size_t i = 0; i < devs.n; i++) {
		const struct ga_block_dev *d = &devs.v[i];
		ga_autouses struct ga_block_uses uses = { 0 };
		struct ga_seen_disk *k;

		if (!is_of_slot(l, d->wwid))
			continue;
		k = ga_list_add(&l->seen->disks);
		k->wwid = ga_xstrdup(d->wwid);
		k->serial = ga_strdup0(d->serial);
		k->path = ga_xstrdup(d->path);
		k->size_bytes = d->size_bytes;
		ga_block_uses_in(table, d, false, &uses);
		add_uses(k, &uses);
	}
}

static void look_partitions(const struct ga_look *l)
{
	ga_autopartitions struct ga_nvfm_partitions list = { 0 };
	ga_autonvfm struct ga_nvfm *fm = NULL;
	struct ga_err err = GA_ERR_INIT;

	if (ga_nvfm_open(l->opts->discover.libnvfm, l->opts->discover.fabric_address, &fm, &err) <
		    0 ||
	    ga_nvfm_partitions(fm, &list, &err) < 0) {
		ga_seen_blind(l->seen, GA_A_PARTITIONS, err.msg);
		return;
	}
	for (size_t i = 0; i < list.n; i++) {
		struct ga_seen_partition *p = ga_list_add(&l->seen->partitions);

		p->id = list.v[i].id;
		p->active = list.v[i].active;
	}
}

/* ---- domains ---- */

static const char *state_word(enum ga_virt_state state)
{
	switch (state) {
	case GA_VIRT_OFF:
		return "shutoff";
	case GA_VIRT_ON:
		return "running";
	case GA_VIRT_PAUSED:
		return "paused";
	case GA_VIRT_CRASHED:
		return "crashed";
	case GA_VIRT_ABSENT:
		break;
	}
	return NULL;
}

static struct ga_seen_domain *domain_named(const struct ga_look *l, const char *name)
{
	struct ga_seen_domain *d;

	for (size_t i = 0; i < l->seen->domains.n; i++)
		if (ga_streq(l->seen->domains.v[i].name, name))
			return &l->seen->domains.v[i];
	d = ga_list_add(&l->seen->domains);
	d->name = ga_xstrdup(name);
	d->agent = GA_UNKNOWN;
	return d;
}

/* Adds the device to every domain that has it. */
static int look_users(const struct ga_look *l, struct ga_virt *v, const char *device, bool is_pci,
		      struct ga_err *err)
{
	ga_autotexts struct ga_texts names = { 0 };
	int r;

	if (!device)
		return 0;
	r = is_pci ? ga_virt_domains_using_pci(v, device, &names, err) :
		     ga_virt_domains_using(v, device, &names, err);
	for (size_t i = 0; i < names.n; i++)
		ga_texts_add(&domain_named(l, names.v[i])->devices, device);
	return r;
}

/* The path that the disk has now; the path in the bundle is only a cache. */
static const char *path_of(const struct ga_look *l, const char *wwid)
{
	for (size_t i = 0; wwid && i < l->seen->disks.n; i++)
		if (ga_streq(l->seen->disks.v[i].wwid, wwid))
			return l->seen->disks.v[i].path;
	return NULL;
}

/* Why a domain is off or paused: a word of drift, or NULL. */
static const char *cause_of(int state, int reason)
{
	switch (state) {
	case VIR_DOMAIN_SHUTOFF:
		return reason == VIR_DOMAIN_SHUTOFF_SHUTDOWN  ? "guest" :
		       reason == VIR_DOMAIN_SHUTOFF_DESTROYED ? "destroyed" :
		       reason == VIR_DOMAIN_SHUTOFF_CRASHED   ? "crashed" :
		       reason == VIR_DOMAIN_SHUTOFF_FAILED    ? "failed" :
								NULL;
	case VIR_DOMAIN_PAUSED:
		return reason == VIR_DOMAIN_PAUSED_IOERROR	  ? "ioerror" :
		       reason == VIR_DOMAIN_PAUSED_USER		  ? "user" :
		       reason == VIR_DOMAIN_PAUSED_MIGRATION ||
				       reason == VIR_DOMAIN_PAUSED_SAVE ||
				       reason == VIR_DOMAIN_PAUSED_DUMP ||
				       reason == VIR_DOMAIN_PAUSED_SNAPSHOT ||
				       reason == VIR_DOMAIN_PAUSED_STARTING_UP ||
				       reason == VIR_DOMAIN_PAUSED_FROM_SNAPSHOT ?
								    "busy" :
								    NULL;
	default:
		return NULL;
	}
}

/* Uses a connection of its own: no other program needs the cause. */
static void look_causes(const struct ga_look *l)
{
	virConnectPtr conn = virConnectOpen(l->opts->libvirt_uri);

	for (size_t i = 0; conn && i < l->seen->domains.n; i++) {
		struct ga_seen_domain *d = &l->seen->domains.v[i];
		virDomainPtr dom = virDomainLookupByName(conn, d->name);
		int state = VIR_DOMAIN_NOSTATE, reason = 0;

		if (dom && virDomainGetState(dom, &state, &reason, 0) == 0)
			d->cause = ga_strdup0(cause_of(state, reason));
		if (dom)
			virDomainFree(dom);
	}
	if (conn)
		virConnectClose(conn);
}

static void look_domains(const struct ga_look *l)
{
	ga_autovirtdomains struct ga_virt_domains list = { 0 };
	ga_autovirt struct ga_virt *v = NULL;
	struct ga_err err = GA_ERR_INIT;

	if (ga_virt_open(l->opts->libvirt_uri, &v, &err) < 0 || ga_virt_list(v, &list, &err) < 0) {
		ga_seen_blind(l->seen, GA_A_DOMAINS, err.msg);
		return;
	}
	for (size_t i = 0; i < list.n; i++) {
		struct ga_err ignored = GA_ERR_INIT;
		struct ga_seen_domain *d;
		int agent = -1;

		/* The domain belongs to another node: a lab has several nodes behind one
		 * libvirt. */
		if (list.v[i].node && !ga_streq(list.v[i].node, l->want->node))
			continue;
		d = domain_named(l, list.v[i].name);
		d->allocation = ga_strdup0(list.v[i].allocation);
		d->state = ga_strdup0(state_word(list.v[i].state));
		/* The domain has the agent's channel when its image names the probe "agent". */
		if (list.v[i].state == GA_VIRT_ON && ga_virt_has_agent(v, d->name, &ignored) > 0)
			agent = ga_virt_agent(v, d->name, &ignored);
		d->agent = agent < 0 ? GA_UNKNOWN : agent;
	}
	for (size_t i = 0; i < l->want->slots.n; i++) {
		const struct ga_bundle *b = &l->want->slots.v[i].bundle;

		if (look_users(l, v, path_of(l, b->nvme_wwid), false, &err) < 0 ||
		    look_users(l, v, b->gpu_pci_address, true, &err) < 0 ||
		    look_users(l, v, b->fabric_vf_pci_address, true, &err) < 0) {
			ga_seen_blind(l->seen, GA_A_DOMAINS, err.msg);
			break;
		}
	}
	look_causes(l);
	/* An interrupted release may continue by itself only where no running domain would be ended
	 * by it. */
	for (size_t i = 0; i < l->seen->works.n; i++) {
		struct ga_seen_work *w = &l->seen->works.v[i];

		if (ga_streq(w->program, "release"))
			w->resumable = ga_streq(ga_seen_power(l->seen, w->object), "off");
	}
}

/* ---- everything ---- */

void ga_observe(const struct ga_expectation *want, const struct ga_observe_opts *opts,
		struct ga_seen *ret)
{
	const struct ga_look look = { .want = want, .opts = opts, .seen = ret };

	ga_seen_init(ret);
	ret->node = ga_xstrdup(want->node);
	ret->boot_id = ga_host_boot_id();
	ret->booting = opts->booting;
	look_host(&look);
	look_hostdb(&look);
	look_seeds(&look);
	if (!want->lab)
		look_nvram(&look);
	look_pci(&look);
	look_disks(&look);
	look_partitions(&look);
	look_domains(&look); /* after the disks, whose paths it needs */
	ga_look_net(&look);  /* after host.db, whose allocations it needs */
	ret->at_micros = ga_clock_micros();
}
