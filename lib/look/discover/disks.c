/* SPDX-License-Identifier: Apache-2.0 */
/* NVMe namespaces as parts of candidates: by wwid, never by size or name. */
#include <fcntl.h>
#include <unistd.h>

#include "base/quote.h"
#include "base/texts.h"
#include "look/discover/parts.h"
#include "look/iommu.h"
#include "look/nvme_id.h"
#include "look/sys.h"

/* Identify needs root and a real drive; otherwise the capabilities stay unknown. */
static void read_caps(const struct ga_block_dev *d, struct ga_nvme_caps *caps)
{
	ga_autofd int fd = -1;
	struct ga_err ignored = GA_ERR_INIT;
	struct ga_nvme_id id;

	if (d->is_block != 1 || d->nsid == GA_UNKNOWN)
		return;
	fd = open(d->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && ga_nvme_identify(fd, d->nsid, &id, &ignored) == 0)
		*caps = id.caps;
}

static struct ga_nvme *new_nvme(const struct ga_block_dev *d, const struct ga_block_uses *uses)
{
	struct ga_nvme *n = ga_xcalloc(1, sizeof(*n));

	ga_schema_init(&ga_nvme_schema, n);
	n->wwid = ga_strdup0(d->wwid);
	n->serial = ga_strdup0(d->serial);
	n->model = ga_strdup0(d->model);
	n->firmware = ga_strdup0(d->firmware);
	n->path = ga_xstrdup(d->path);
	n->pci_address = ga_strdup0(d->pci_address);
	n->numa_node = d->numa_node;
	n->size_bytes = d->size_bytes;
	n->logical_block_bytes = d->logical_block_bytes;
	n->nsid = d->nsid;
	n->namespaces = d->namespaces;
	n->diskseq = ga_strdup0(d->diskseq);
	read_caps(d, &n->capabilities);
	ga_block_show(d, uses, n);
	return n;
}

/* The reason why a disk cannot be part of a candidate, or NULL. */
static const char *refuse(const struct ga_block_dev *d, const struct ga_block_uses *uses,
			  const char **why, const char **hint)
{
	*why = NULL;
	*hint = NULL;
	if (ga_block_is_system(uses))
		return "boot_disk";
	if (uses->mounts.n) {
		*hint = "umount it, and take it out of /etc/fstab";
		return "mounted";
	}
	if (ga_block_is_used(uses)) {
		*hint = "see 'lsblk' and 'losetup'; swapoff, losetup -d, vgchange -an, "
			"mdadm --stop, and what set it up";
		return "in_use";
	}
	if (!d->wwid) {
		*why = "the drive reports no wwid, and could be mistaken for another";
		return "no_wwid";
	}
	if (!ga_is_word(d->wwid)) {
		*why = "its wwid has characters that no wwid of an NVMe drive has";
		return "no_wwid";
	}
	if (uses->same.n) {
		*why = "another disk of this host has the same wwid";
		return "duplicate_identity";
	}
	if (!d->pci_address) {
		*why = "not on PCIe: a namespace over fabrics is not this host's own";
		return "not_local";
	}
	return NULL;
}

static void look_at_disk(const struct ga_look *look, struct ga_host *host,
			 const struct ga_block_dev *d, struct ga_parts *ret)
{
	const struct ga_pci_dev *pci = ga_pci_find(&look->pci, d->pci_address);
	ga_autouses struct ga_block_uses uses = { 0 };
	const char *code, *why, *hint;
	struct ga_part *part;

	/* A disk in use is not opened more than needed: its signatures are its owner's business. */
	ga_block_uses_in(look->table, d, false, &uses);
	code = refuse(d, &uses, &why, &hint);
	if (code) {
		ga_autofree char *used = ga_block_uses_text(&uses), *evidence = NULL;

		/* The state looks for the wwid: it shows that a tenant's disk is still in this
		 * host. */
		if (d->wwid)
			evidence = ga_xprintf("%s (%s)", why ? why : used, d->wwid);
		ga_left_out_add(host, "nvme", d->pci_address, d->path, code,
				evidence ? evidence : why, hint);
		return;
	}
	ga_block_uses_release(&uses);
	ga_block_uses_in(look->table, d, true, &uses);
	part = ga_list_add(ret);
	part->numa_node = d->numa_node;
	part->pcie_switch = pci ? ga_pci_switch(pci) : NULL;
	part->nvme = new_nvme(d, &uses);
}

/* Drives without a block device: bound to vfio-pci, or without a namespace. */
static void look_at_controllers(const struct ga_look *look, struct ga_host *host)
{
	size_t i, j;

	for (i = 0; i < look->pci.n; i++) {
		const struct ga_pci_dev *d = &look->pci.v[i];
		ga_autofree char *evidence = NULL;

		if (d->sort != GA_PCI_NVME)
			continue;
		for (j = 0; j < look->disks.n; j++)
			if (ga_streq(look->disks.v[j].pci_address, d->address))
				break;
		if (j < look->disks.n)
			continue;
		evidence = ga_xprintf("driver %s, no namespace seen by the host",
				      d->driver ? d->driver : "none");
		ga_left_out_add(host, "nvme", d->address, NULL, "no_namespace", evidence,
				ga_streq(d->driver, "nvme") ?
					"make a namespace with 'nvme create-ns' and attach it" :
					"bind the drive to nvme: slots take block devices");
	}
}

void ga_look_disks(const struct ga_look *look, struct ga_host *host, struct ga_parts *ret)
{
	ga_autotexts struct ga_texts hidden = { 0 };
	size_t i;

	for (i = 0; i < look->disks.n; i++)
		look_at_disk(look, host, &look->disks.v[i], ret);
	look_at_controllers(look, host);
	ga_block_hidden(&hidden);
	for (i = 0; i < hidden.n; i++)
		ga_left_out_add(host, "nvme", NULL, hidden.v[i], "hidden_path",
				"one path of a multipath namespace, which is listed by itself",
				NULL);
}
