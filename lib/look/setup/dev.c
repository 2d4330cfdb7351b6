/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of devices: which are for slices, and why the others are not. gpuaas-discover decides with
 * the same code. */
#include <inttypes.h>

#include "base/texts.h"
#include "look/discover/parts.h"
#include "look/host/host.h"
#include "look/iommu.h"
#include "look/setup/internal.h"
#include "look/sys.h"

static const struct ga_left_out *left_out(const struct ga_host *host, const char *device,
					  const char *address)
{
	size_t i;

	for (i = 0; i < host->left_out.n; i++)
		if (ga_streq(host->left_out.v[i].device, device) &&
		    ga_streq(host->left_out.v[i].address, address))
			return &host->left_out.v[i];
	return NULL;
}

static char *override_of(const char *address)
{
	ga_autofree char *text = ga_pci_attr(address, "driver_override");

	if (ga_streq(text, "(null)") || ga_streq(text, "")) /* the kernel's word for none */
		return NULL;
	return GA_TAKE(text);
}

static void refuse(struct ga_setup_dev *d, const char *code, const char *why, const char *hint)
{
	if (d->code)
		return;
	d->code = ga_xstrdup(code);
	d->why = ga_xstrdup(why ? why : code);
	d->hint = ga_strdup0(hint);
}

/* At boot only listed functions are changed. */
static void check_listed(const struct ga_setup_facts *f, struct ga_setup_dev *d)
{
	if (f->boot && !ga_setup_list_find(&f->listed, d->sort, d->identity))
		refuse(d, "not_listed", "not in " GA_SETUP_DEVICES, NULL);
}

static void check_twin(const struct ga_setup_facts *f, struct ga_setup_dev *d)
{
	size_t i;

	for (i = 0; i < f->devs.n; i++)
		if (&f->devs.v[i] != d && ga_streq(f->devs.v[i].identity, d->identity))
			refuse(d, "duplicate_identity",
			       "another device of this machine has the same identity", NULL);
}

static void add_gpu(struct ga_setup_facts *f, const struct ga_gpu *gpu)
{
	struct ga_setup_dev *d = ga_list_add(&f->devs);

	d->sort = ga_xstrdup("gpu");
	d->address = ga_xstrdup(gpu->pci_address);
	d->identity = ga_xstrdup(gpu->identity);
	d->driver = ga_strdup0(gpu->driver);
	d->override = override_of(gpu->pci_address);
	if (gpu->boot_display == 1)
		refuse(d, "boot_display", "left alone: it is the console of the host", NULL);
	if (gpu->iommu_group_members.n && !ga_streq(gpu->driver, "vfio-pci"))
		refuse(d, "iommu_group_shared",
		       "left alone: its IOMMU group has other devices, so that no slice can get it",
		       NULL);
	check_listed(f, d);
}

/* ---- virtual functions ---- */

static bool is_up(const struct ga_net *net, const char *address)
{
	size_t i;

	for (i = 0; i < net->n; i++) {
		ga_autofree char *dir = ga_xprintf("/sys/class/net/%s", net->v[i].name);
		int64_t flags;

		if (!ga_streq(net->v[i].pci_address, address))
			continue;
		flags = ga_sys_attr_int(dir, "flags");
		if (net->v[i].master || flags == GA_UNKNOWN || flags & 1)
			return true;
	}
	return false;
}

static void add_vf(const struct ga_look *look, const struct ga_host *host,
		   const struct ga_pci_dev *vf, const char *pf_identity, struct ga_setup_facts *f)
{
	const struct ga_left_out *out = left_out(host, "fabric", vf->address);
	struct ga_setup_dev *d = ga_list_add(&f->devs);
	bool listed;

	d->sort = ga_xstrdup("vf");
	d->address = ga_xstrdup(vf->address);
	d->identity = ga_xprintf("%s/%" PRId64, pf_identity,
				 vf->vf_index == GA_UNKNOWN ? -1 : vf->vf_index);
	d->pf = ga_xstrdup(vf->pf);
	d->driver = ga_strdup0(vf->driver);
	d->override = override_of(vf->address);
	listed = ga_setup_list_find(&f->listed, "vf", d->identity);
	if (is_up(&look->net, vf->address))
		refuse(d, "management_nic", "left alone: its interface is up", NULL);
	if (out && ga_streq(out->code, "in_use") && !listed)
		refuse(d, "in_use",
		       "left alone: it has a driver, and nothing says that it is for slices",
		       "if the host does not need it, unbind it ('echo ADDRESS > "
		       "/sys/bus/pci/devices/ADDRESS/driver/unbind'), then run this again");
	if (out && !ga_streq(out->code, "in_use"))
		refuse(d, out->code, out->evidence, NULL);
	check_listed(f, d);
}

static void add_pf(const struct ga_look *look, const struct ga_host *host,
		   const struct ga_pci_dev *pf, struct ga_setup_facts *f)
{
	const struct ga_left_out *out = left_out(host, "fabric", pf->address);
	ga_autofree char *identity = ga_pci_identity(pf), *now = ga_pci_attr(pf->address,
									     "sriov_numvfs");
	struct ga_setup_pf *p = ga_list_add(&f->pfs);
	bool listed = ga_setup_list_find(&f->listed, "pf", identity);
	size_t i;

	p->address = ga_xstrdup(pf->address);
	p->identity = ga_xstrdup(identity);
	p->total_vfs = pf->total_vfs;
	p->vfs = ga_sys_number(now);
	if (out && !ga_streq(out->code, "no_free_vf")) {
		p->code = ga_xstrdup(out->code);
		p->why = ga_xprintf("left alone: %s", out->evidence ? out->evidence : out->code);
	} else if (p->vfs == GA_UNKNOWN || (f->boot && !listed)) {
		p->code = ga_xstrdup("not_listed");
		p->why = ga_xstrdup(p->vfs == GA_UNKNOWN ?
					    "left alone: sriov_numvfs is unreadable" :
					    "not in " GA_SETUP_DEVICES);
	}
	for (i = 0; i < look->pci.n && !p->code; i++)
		if (ga_streq(look->pci.v[i].pf, pf->address))
			add_vf(look, host, &look->pci.v[i], identity, f);
}

/* ---- disks ---- */

static void add_disk(struct ga_setup_facts *f, const char *wwid, const char *path,
		     const char *content)
{
	struct ga_setup_disk *d;
	size_t i;

	for (i = 0; i < f->disks.n; i++)
		if (ga_streq(f->disks.v[i].wwid, wwid))
			return;
	d = ga_list_add(&f->disks);
	d->wwid = ga_xstrdup(wwid);
	d->path = ga_strdup0(path);
	d->content = content ? ga_sys_tidy(ga_xstrdup(content)) : NULL;
}

static int by_wwid(const void *a, const void *b)
{
	return strcmp(((const struct ga_setup_disk *)a)->wwid,
		      ((const struct ga_setup_disk *)b)->wwid);
}

/* Disks in our udev rules stay listed, whatever their state now: a tenant may have them. */
static void add_disks(struct ga_look *look, struct ga_host *host, struct ga_setup_facts *f)
{
	const struct ga_setup_file *rules = ga_setup_file(f, GA_SETUP_UDEV);
	ga_cleanup(ga_parts_release) struct ga_parts parts = { 0 };
	ga_autotexts struct ga_texts listed = { 0 };
	size_t i;

	look->table = ga_block_table_read();
	ga_look_disks(look, host, &parts);
	for (i = 0; i < parts.n; i++)
		if (parts.v[i].nvme->wwid && ga_setup_wwid_is_plain(parts.v[i].nvme->wwid))
			add_disk(f, parts.v[i].nvme->wwid, parts.v[i].nvme->path,
				 parts.v[i].nvme->signatures.n ?
					 parts.v[i].nvme->signatures.v[0] :
					 NULL);
	if (rules && rules->state == GA_SETUP_REGULAR)
		ga_setup_listed_disks(rules->text, &listed);
	for (i = 0; i < listed.n; i++)
		add_disk(f, listed.v[i], NULL, NULL);
	if (f->disks.n)
		qsort(f->disks.v, f->disks.n, sizeof(*f->disks.v), by_wwid);
}

/* ---- all ---- */

static void release_look(struct ga_look *look)
{
	ga_pci_release(&look->pci);
	ga_block_devs_release(&look->disks);
	ga_block_table_free(look->table);
	ga_net_release(&look->net);
	ga_rdma_release(&look->rdma);
	ga_accels_close(look->accels);
	free(look->uplink);
}

static void release_host(struct ga_host *host)
{
	ga_schema_release(&ga_host_schema, host);
}

int ga_setup_look_devices(const char *accelerators, struct ga_setup_facts *f, struct ga_err *err)
{
	ga_cleanup(release_look) struct ga_look look = { 0 };
	ga_cleanup(release_host) struct ga_host host;
	ga_cleanup(ga_gpus_release) struct ga_gpus gpus = { 0 };
	ga_cleanup(ga_parts_release) struct ga_parts vfs = { 0 };
	size_t i;

	ga_schema_init(&ga_host_schema, &host);
	if (ga_accels_open(accelerators, &look.accels, err) < 0 ||
	    ga_pci_scan(&look.pci, err) < 0 ||
	    ga_net_scan(&look.net, err) < 0 || ga_rdma_scan(&look.rdma, err) < 0 ||
	    (!f->boot && ga_block_scan(&look.disks, err) < 0))
		return -1;
	ga_host_fill(&host);
	f->memory_mib = host.memory_mib;
	f->iommu_groups = ga_iommu_groups();
	look.uplink = f->uplink ? ga_xstrdup(f->uplink) : ga_net_default_uplink(&look.net);
	ga_look_gpus(&look, &host, &gpus);
	ga_look_fabric(&look, &host, &vfs);
	for (i = 0; i < gpus.n; i++)
		add_gpu(f, &gpus.v[i]);
	for (i = 0; i < look.pci.n; i++)
		if (look.pci.v[i].sort == GA_PCI_NIC && !look.pci.v[i].pf &&
		    look.pci.v[i].total_vfs > 0)
			add_pf(&look, &host, &look.pci.v[i], f);
	for (i = 0; i < f->devs.n; i++)
		check_twin(f, &f->devs.v[i]);
	if (!f->boot)
		add_disks(&look, &host, f);
	return 0;
}
