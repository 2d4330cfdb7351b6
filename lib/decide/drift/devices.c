/* SPDX-License-Identifier: Apache-2.0 */
/* Drift of devices: PCI functions and their binding, disks, hugepages. */
#include "decide/drift/internal.h"
#include "record/expectation.h"

#include <inttypes.h>
#include <string.h>

/* A missing device of a slot that is not offered harms nobody: it is only a warning. */
static bool is_offered(const struct ga_expected_slot *s)
{
	return !ga_streq(s->state, "disabled") && !ga_streq(s->state, "quarantined");
}

static struct ga_drift_item *add_for_slot(const struct ga_drift_ctx *c, enum ga_drift_code code,
					  const struct ga_expected_slot *s)
{
	struct ga_drift_item *d =
		ga_drift_add(c, code, is_offered(s) ? GA_DRIFT_ERROR : GA_DRIFT_WARNING,
			     s->bundle.slot);

	d->slot = ga_xstrdup(s->bundle.slot);
	return d;
}

static const struct ga_seen_pci *pci_at(const struct ga_drift_ctx *c, const char *address)
{
	for (size_t i = 0; i < c->seen->pci.n; i++)
		if (ga_streq(c->seen->pci.v[i].address, address))
			return &c->seen->pci.v[i];
	return NULL;
}

static const struct ga_seen_pci *pci_named(const struct ga_drift_ctx *c, const char *identity)
{
	for (size_t i = 0; identity && i < c->seen->pci.n; i++)
		if (ga_streq(c->seen->pci.v[i].identity, identity))
			return &c->seen->pci.v[i];
	return NULL;
}

/* Whether the node's journal has a binding of the function. It stays bound while the node is in
 * slice mode. */
static bool was_bound(const struct ga_drift_ctx *c, const char *address)
{
	for (size_t i = 0; i < c->seen->entries.n; i++)
		if (c->seen->entries.v[i].done &&
		    ga_streq(c->seen->entries.v[i].subject, address) &&
		    ga_streq(c->seen->entries.v[i].op, "vfio_bind"))
			return true;
	return false;
}

/*
 * Another driver below a running guest means that somebody took the device away from it. On an idle
 * slot it is the effect of a reboot, and provision binds the function again.
 */
static void binding(const struct ga_drift_ctx *c, const struct ga_expected_slot *s,
		    const struct ga_seen_pci *p)
{
	const struct ga_expected_allocation *a = ga_drift_allocation(c->want, s->allocation);
	const char *power = ga_seen_power(c->seen, s->allocation);
	bool used = a && ga_wants_domain(a) && ga_streq(a->power, "on");
	struct ga_drift_item *d;

	if (ga_streq(p->driver, "vfio-pci") || !ga_streq(c->want->mode, "slice") ||
	    (!used && !was_bound(c, p->address)))
		return;
	if (c->want->lab)
		d = ga_drift_add(c, GA_D_PCI_BINDING, GA_DRIFT_INFO, s->bundle.slot);
	else if (used)
		d = ga_drift_add(c, GA_D_PCI_BINDING, GA_DRIFT_ERROR, s->bundle.slot);
	else
		d = ga_drift_add(c, GA_D_PCI_BINDING, GA_DRIFT_WARNING, s->bundle.slot);
	ga_autofree char *expected = ga_xprintf("%s bound to vfio-pci", p->address);
	ga_autofree char *observed = ga_xprintf("driver %s", p->driver ? p->driver : "none");

	ga_drift_say(d, expected, observed);
	d->slot = ga_xstrdup(s->bundle.slot);
	if (c->want->lab)
		return;
	if (!s->allocation || ga_streq(power, "off"))
		ga_drift_repair(d, GA_R_BIND_VFIO, s->allocation, p->address);
	else
		ga_drift_command(d, "gpuaas-show %s", s->bundle.slot);
}

/* ---- GPUs ---- */

/* Whether somebody works on the slot. A GPU in its reset does not answer, and that is no fault. */
static bool is_worked_on(const struct ga_drift_ctx *c, const struct ga_expected_slot *s)
{
	const struct ga_seen_work *a = ga_seen_work_of(c->seen, s->allocation);
	const struct ga_seen_work *w = ga_seen_work_of(c->seen, s->bundle.slot);

	return (a && a->held) || (w && w->held);
}

static void lost(const struct ga_drift_ctx *c, const struct ga_expected_slot *s,
		 const char *observed)
{
	const struct ga_bundle *b = &s->bundle;
	struct ga_drift_item *d = add_for_slot(c, GA_D_GPU_LOST, s);
	ga_autofree char *expected =
		ga_xprintf("%s that answers at %s",
			   b->gpu_identity ? b->gpu_identity : "a GPU", b->gpu_pci_address);

	ga_drift_say(d, expected, observed);
	ga_drift_command(d, "gpuaas-discover | gpuaas-approve --record-only");
}

/* A warning, not an error: the count stays until the host starts again, even after a repair, and an
 * error would keep a restored node from being verified. It fails the slot all the same
 * (decide/slot/health.h), once for each text. The text names the boot, because the next boot counts
 * from 0 again. */
static void fatal_errors(const struct ga_drift_ctx *c, const struct ga_expected_slot *s,
			 const struct ga_seen_pci *p)
{
	const char *boot = c->seen->boot_id;
	ga_autofree char *observed =
		ga_xprintf("%lld since the host's start%s%s%s", (long long)p->fatal,
			   boot ? " (boot " : "", boot ? boot : "", boot ? ")" : "");
	struct ga_drift_item *d =
		ga_drift_add(c, GA_D_GPU_ERRORS, GA_DRIFT_WARNING, s->bundle.slot);

	d->slot = ga_xstrdup(s->bundle.slot);
	d->subject = ga_xstrdup(p->address);
	ga_drift_say(d, "no fatal bus error of its GPU", observed);
	ga_drift_command(d, "cat /sys/bus/pci/devices/%s/aer_dev_fatal", p->address);
}

/* A link repeats damaged packets; a few of these correctable errors a day are normal. The speed is
 * not compared: drivers lower the speed of an idle GPU to save power. */
static void degraded(const struct ga_drift_ctx *c, const struct ga_expected_slot *s,
		     const struct ga_seen_pci *p)
{
	enum { CORRECTABLE_MANY = 1000 };
	bool narrow = p->width > 0 && p->width_max > 0 && p->width < p->width_max;
	bool noisy = p->correctable != GA_UNKNOWN && p->correctable >= CORRECTABLE_MANY;
	bool nonfatal = p->nonfatal != GA_UNKNOWN && p->nonfatal > 0;
	ga_autostr struct ga_str observed = GA_STR_INIT;
	struct ga_drift_item *d;

	if (!narrow && !noisy && !nonfatal)
		return;
	if (narrow)
		ga_str_addf(&observed, "%lld of %lld lanes", (long long)p->width,
			    (long long)p->width_max);
	if (nonfatal)
		ga_str_addf(&observed, "%s%lld uncorrectable error%s", observed.len ? ", " : "",
			    (long long)p->nonfatal, p->nonfatal == 1 ? "" : "s");
	if (noisy)
		ga_str_addf(&observed, "%s%lld or more errors corrected",
			    observed.len ? ", " : "",
			    (long long)(p->correctable / CORRECTABLE_MANY * CORRECTABLE_MANY));
	d = ga_drift_add(c, GA_D_GPU_DEGRADED, GA_DRIFT_WARNING, s->bundle.slot);
	d->slot = ga_xstrdup(s->bundle.slot);
	ga_drift_say(d, "a link of its GPU with all lanes and few errors", observed.buf);
	ga_drift_command(d, "lspci -vvs %s", p->address);
}

/* Checks the state of the GPU that the bus shows without a driver; the driver is in the guest. */
static void condition(const struct ga_drift_ctx *c, const struct ga_expected_slot *s,
		      const struct ga_seen_pci *p)
{
	if (is_worked_on(c, s))
		return;
	/* A configuration space of all ones: the device's other values do not count. */
	if (p->answers == 0) {
		ga_autofree char *observed = ga_xprintf("all ones in its configuration space%s%s",
				   p->power ? ", power state " : "", p->power ? p->power : "");

		lost(c, s, observed);
		return;
	}
	if (p->fatal != GA_UNKNOWN && p->fatal > 0)
		fatal_errors(c, s, p);
	degraded(c, s, p);
}

static void gpu(const struct ga_drift_ctx *c, const struct ga_expected_slot *s)
{
	const struct ga_bundle *b = &s->bundle;
	const struct ga_seen_pci *named = pci_named(c, b->gpu_identity);
	const struct ga_seen_pci *p = named ? named : pci_at(c, b->gpu_pci_address);
	struct ga_drift_item *d;

	if (!b->gpu_pci_address)
		return;
	/* A device at the address with another identity is not the GPU. */
	if (p && b->gpu_identity && !ga_streq(p->identity, b->gpu_identity)) {
		d = add_for_slot(c, GA_D_PCI_MISSING, s);
		ga_autofree char *observed = ga_xprintf(
			"%s is %s", p->address, p->identity ? p->identity : "another device");

		ga_drift_say(d, b->gpu_identity, observed);
		ga_drift_command(d, "gpuaas-discover | gpuaas-approve --record-only");
	} else if (!p) {
		lost(c, s, "no such GPU");
	} else if (!ga_streq(p->address, b->gpu_pci_address)) {
		d = add_for_slot(c, GA_D_PCI_MOVED, s);
		ga_drift_say(d, b->gpu_pci_address, p->address);
		ga_drift_command(d, "gpuaas-discover | gpuaas-approve --record-only");
	} else {
		binding(c, s, p);
		condition(c, s, p);
	}
}

static void fabric(const struct ga_drift_ctx *c, const struct ga_expected_slot *s)
{
	const struct ga_seen_pci *p;
	struct ga_drift_item *d;

	if (!s->bundle.fabric_vf_pci_address)
		return;
	p = pci_at(c, s->bundle.fabric_vf_pci_address);
	if (p) {
		binding(c, s, p);
		return;
	}
	d = add_for_slot(c, GA_D_PCI_MISSING, s);
	ga_autofree char *expected =
		ga_xprintf("fabric function %s", s->bundle.fabric_vf_pci_address);

	/* sriov_numvfs is 0 after a reboot unless the operator's own unit sets it. */
	ga_drift_say(d, expected, "no such function");
	if (s->bundle.fabric_pf_pci_address)
		ga_drift_command(d, "cat /sys/bus/pci/devices/%s/sriov_numvfs",
				 s->bundle.fabric_pf_pci_address);
}

/* ---- disks ---- */

static const struct ga_seen_disk *disk_of(const struct ga_drift_ctx *c, const char *wwid)
{
	for (size_t i = 0; i < c->seen->disks.n; i++)
		if (ga_streq(c->seen->disks.v[i].wwid, wwid))
			return &c->seen->disks.v[i];
	return NULL;
}

static void disk_changed(const struct ga_drift_ctx *c, const struct ga_expected_slot *s,
			 const struct ga_seen_disk *k)
{
	const struct ga_bundle *b = &s->bundle;
	bool size = b->nvme_size_bytes != GA_UNKNOWN && k->size_bytes != GA_UNKNOWN &&
		    b->nvme_size_bytes != k->size_bytes;
	bool serial = b->nvme_serial && k->serial && !ga_streq(b->nvme_serial, k->serial);
	ga_autofree char *expected = NULL, *observed = NULL;
	struct ga_drift_item *d;

	if (!size && !serial)
		return;
	d = add_for_slot(c, GA_D_DISK_CHANGED, s);
	if (size) {
		expected = ga_xprintf("%s of %lld bytes", b->nvme_wwid,
				      (long long)b->nvme_size_bytes);
		observed = ga_xprintf("%s has %lld bytes", k->path, (long long)k->size_bytes);
	} else {
		expected = ga_xprintf("%s with serial %s", b->nvme_wwid, b->nvme_serial);
		observed = ga_xprintf("%s has serial %s", k->path, k->serial);
	}
	ga_drift_say(d, expected, observed);
	ga_drift_command(d, "gpuaas-approve disable %s --reason disk_changed", b->slot);
}

static void disk(const struct ga_drift_ctx *c, const struct ga_expected_slot *s)
{
	const struct ga_bundle *b = &s->bundle;
	const struct ga_seen_disk *k = b->nvme_wwid ? disk_of(c, b->nvme_wwid) : NULL;
	struct ga_drift_item *d;

	if (!b->nvme_wwid)
		return;
	if (!k) {
		d = add_for_slot(c, GA_D_DISK_MISSING, s);
		ga_drift_say(d, b->nvme_wwid, "no disk has this wwid");
		ga_drift_command(d, "gpuaas-discover | gpuaas-approve --record-only");
		return;
	}
	disk_changed(c, s, k);
	for (size_t i = 0; i < k->uses.n; i++) {
		d = add_for_slot(c, GA_D_DISK_IN_USE, s);
		ga_autofree char *observed = ga_xprintf("%s is %s", k->path, k->uses.v[i]);

		ga_drift_say(d, "used by nobody but its guest", observed);
		ga_drift_command(d, "lsblk %s", k->path);
	}
	if (b->nvme_path && !ga_streq(b->nvme_path, k->path)) {
		d = ga_drift_add(c, GA_D_DISK_PATH_MOVED, GA_DRIFT_INFO, b->slot);
		ga_drift_say(d, b->nvme_path, k->path);
		d->slot = ga_xstrdup(b->slot);
	}
}

/* ---- hugepages ---- */

static int64_t pages_of(const struct ga_drift_ctx *c, int64_t node, int64_t size_kib)
{
	for (size_t i = 0; i < c->seen->numa.n; i++)
		for (size_t j = 0; c->seen->numa.v[i].numa_node == node &&
				   j < c->seen->numa.v[i].hugepages.n;
		     j++)
			if (c->seen->numa.v[i].hugepages.v[j].size_kib == size_kib)
				return c->seen->numa.v[i].hugepages.v[j].total;
	return 0;
}

/* Compares the pages sold on a NUMA node: the sum over the plans of its allocations. */
static void hugepages(const struct ga_drift_ctx *c, int64_t node, int64_t size_kib)
{
	int64_t need_mib = 0, have = pages_of(c, node, size_kib), need;

	for (size_t i = 0; i < c->want->slots.n; i++) {
		const struct ga_expected_slot *s = &c->want->slots.v[i];
		const struct ga_expected_allocation *a =
			ga_drift_allocation(c->want, s->allocation);
		const struct ga_seen_work *w = ga_seen_work_of(c->seen, s->allocation);

		if (a && ga_wants_domain(a) && s->bundle.numa_node == node && w &&
		    w->hugepage_kib == size_kib && s->bundle.memory_mib != GA_UNKNOWN)
			need_mib += s->bundle.memory_mib;
	}
	need = (need_mib * 1024 + size_kib - 1) / size_kib;
	if (have >= need)
		return;
	ga_autofree char *object = ga_xprintf("numa node %lld", (long long)node);
	ga_autofree char *expected = ga_xprintf("%lld page%s of %lld KiB", (long long)need,
						need == 1 ? "" : "s", (long long)size_kib);
	ga_autofree char *observed = ga_xprintf("%lld page%s", (long long)have,
						have == 1 ? "" : "s");
	struct ga_drift_item *d = ga_drift_add(c, GA_D_HUGEPAGES_SHORT, GA_DRIFT_WARNING, object);

	ga_drift_say(d, expected, observed);
	ga_drift_command(d,
			 "echo %" PRId64 " > /sys/devices/system/node/node%" PRId64 "/hugepages/"
			 "hugepages-%" PRId64 "kB/nr_hugepages", need, node, size_kib);
}

void ga_drift_devices(const struct ga_drift_ctx *c)
{
	for (size_t i = 0; i < c->want->slots.n; i++) {
		const struct ga_expected_slot *s = &c->want->slots.v[i];

		if (ga_streq(s->state, "retired"))
			continue;
		if (ga_drift_sees(c, GA_A_PCI)) {
			gpu(c, s);
			fabric(c, s);
		}
		if (ga_drift_sees(c, GA_A_DISKS))
			disk(c, s);
	}
	if (!c->want->lab && ga_drift_sees(c, GA_A_HUGEPAGES) &&
	    ga_drift_sees(c, GA_A_WORK)) {
		static const int64_t sizes[] = { 2048, 1048576 };

		for (size_t i = 0; i < c->seen->numa.n; i++)
			for (size_t j = 0; j < GA_ARRAY_SIZE(sizes); j++)
				hugepages(c, c->seen->numa.v[i].numa_node, sizes[j]);
	}
}
