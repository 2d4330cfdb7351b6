/* SPDX-License-Identifier: Apache-2.0 */
/* Devices as they are now: PCI functions, disks and their uses, partitions of the fabric. */
#include "act/reconcile/observe_part.h"

#include "look/block/block.h"
#include "look/nvfm.h"
#include "look/pci.h"
#include "look/sys.h"

/* ---- GPUs ---- */

/* Requests that a device does not know are counted as well, and every scan of the bus makes some:
 * they are no error of it. */
static int64_t nonfatal(const char *address)
{
	int64_t all = ga_pci_aer(address, "aer_dev_nonfatal", "TOTAL_ERR_NONFATAL");
	int64_t unknown = ga_pci_aer(address, "aer_dev_nonfatal", "UnsupReq");

	return all > 0 && unknown > 0 && unknown <= all ? all - unknown : all;
}

/* The lanes that a function and the port above it both have. */
static int64_t lanes(const struct ga_pci_dev *d)
{
	ga_autofree char *port = d->path ? ga_xprintf("%s/..", d->path) : NULL;
	ga_autofree char *dir = ga_xprintf(GA_PCI_SYSFS "/%s", d->address);
	int64_t own = ga_sys_attr_int(dir, "max_link_width");
	int64_t above = port ? ga_sys_attr_int(port, "max_link_width") : GA_UNKNOWN;

	return above > 0 && above < own ? above : own;
}

static void look_gpu(const struct ga_pci_dev *d, struct ga_seen_pci *p)
{
	ga_autofree char *dir = ga_xprintf(GA_PCI_SYSFS "/%s", d->address);

	p->identity = ga_pci_identity(d);
	p->answers = ga_pci_answers(d->address);
	p->power = ga_sys_attr(dir, "power_state");
	p->fatal = ga_pci_aer(d->address, "aer_dev_fatal", "TOTAL_ERR_FATAL");
	p->nonfatal = nonfatal(d->address);
	p->correctable = ga_pci_aer(d->address, "aer_dev_correctable", "TOTAL_ERR_COR");
	p->width = ga_sys_attr_int(dir, "current_link_width");
	p->width_max = lanes(d);
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
		struct ga_seen_pci *p;

		if (d->sort == GA_PCI_OTHER || d->sort == GA_PCI_BRIDGE)
			continue;
		p = ga_list_add(&l->seen->pci);
		p->address = ga_xstrdup(d->address);
		p->driver = ga_strdup0(d->driver);
		p->answers = GA_UNKNOWN;
		p->fatal = p->nonfatal = p->correctable = GA_UNKNOWN;
		p->width = p->width_max = GA_UNKNOWN;
		if (d->sort == GA_PCI_GPU)
			look_gpu(d, p);
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

/* Only the disks of slots are looked into: what is on others is not this program's to know. */
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

void ga_look_devices(const struct ga_look *l)
{
	look_pci(l);
	look_disks(l);
	look_partitions(l);
}
