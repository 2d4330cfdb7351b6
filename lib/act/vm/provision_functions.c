/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at the PCI functions of a plan, and at who uses them; changes nothing. */
#include "act/device/disk.h"
#include "act/device/gpuuse.h"
#include "act/device/vfio.h"
#include "act/vm/provision_int.h"
#include "base/texts.h"
#include "decide/slot/verdict.h"
#include "look/iommu.h"
#include "record/fault.h"

static int missing_gpu(struct ga_provision *p, const struct ga_bundle *b, struct ga_err *err)
{
	return REFUSE(p, GA_FAULT_MISSING_GPU, "gpuaas-reconcile shows what changed",
		      GA_SAID_NOT_THERE "'%s' is not at '%s'", b->slot,
		      b->gpu_pci_address ? b->gpu_pci_address : "(no address)");
}

static int find_disk(const struct ga_bundle *b, struct ga_err *err)
{
	ga_autodisk struct ga_disk found = GA_DISK_INIT;

	if (!b->nvme_wwid || ga_disk_find(b->nvme_wwid, &found, err) >= 0)
		return 0;
	if (err->code == GA_NOTFOUND)
		ga_err_reason(err, GA_FAULT_MISSING_NVME);
	return ga_wrap(err, "disk of slot '%s'", b->slot);
}

int ga_provision_find_devices(struct ga_provision *p, struct ga_err *err)
{
	ga_autopci struct ga_pci pci = { 0 };
	size_t i;

	if (ga_pci_scan(&pci, err) < 0)
		return -1;
	for (i = 0; i < p->plan->bundles.n; i++) {
		const struct ga_bundle *b = &p->plan->bundles.v[i];

		if (b->gpu_pci_address && !ga_pci_find(&pci, b->gpu_pci_address))
			return missing_gpu(p, b, err);
		if (find_disk(b, err) < 0)
			return -1;
	}
	return 0;
}

static int check_gpu(struct ga_provision *p, const struct ga_pci *pci, const struct ga_bundle *b,
		     struct ga_err *err)
{
	const struct ga_pci_dev *d =
		b->gpu_pci_address ? ga_pci_find(pci, b->gpu_pci_address) : NULL;
	bool whole = ga_streq(p->plan->shape, "baremetal");
	ga_autofree char *ids = NULL, *identity = NULL;

	if (!d)
		return missing_gpu(p, b, err);
	if (ga_pci_answers(d->address) != 1)
		return REFUSE(p, GA_FAULT_NOT_ANSWERING,
			      "see 'dmesg'; start the host anew from power off, then discover and "
			      "approve again",
			      "GPU '%s' of slot '%s'" GA_SAID_NO_ANSWER "in configuration space",
			      d->address, b->slot);
	/* Between the tenants of a whole machine its release is at work, and the wipe's scrub. */
	if (!whole && !ga_pci_can_reset(d->address))
		return ga_vfio_no_reset(d->address, NULL, err);
	ids = ga_xprintf("%04x:%04x", d->vendor, d->device);
	identity = ga_pci_identity(d);
	if ((b->gpu_device && !ga_streq(ids, b->gpu_device)) ||
	    (b->gpu_identity && !ga_streq(identity, b->gpu_identity)))
		return REFUSE(p, "gpu_changed",
			      "gpuaas-discover | gpuaas-approve; then place again",
			      "'%s' is '%s' and not the GPU of slot '%s'", b->gpu_pci_address,
			      identity ? identity : ids, b->slot);
	if (!whole && b->fabric_vf_pci_address && !ga_pci_find(pci, b->fabric_vf_pci_address))
		return REFUSE(p, GA_FAULT_MISSING_FABRIC_VF, "gpuaas-reconcile shows what changed",
			      "fabric function of slot '%s' is not at '%s'", b->slot,
			      b->fabric_vf_pci_address);
	return 0;
}

/* The predicate of the three gates, of what the plan says and this host sees. Nothing was written:
 * the state sold what it should not have, or the host changed since. */
int ga_provision_check_bundle(struct ga_provision *p, const struct ga_bundle *b,
			      const struct ga_pci_dev *gpu, const char *fault, struct ga_err *err)
{
	const struct ga_plan *plan = p->plan;
	struct ga_texts members = { 0 };
	struct ga_reasons why = { 0 };
	struct ga_slot_facts f = {
		.node = plan->node,
		.slot_index = b->slot_index,
		.lab = plan->lab,
		.baremetal = ga_streq(plan->shape, "baremetal"),
		.gpu_pci_address = b->gpu_pci_address,
		.gpu_identity = b->gpu_identity,
		.iommu_group = gpu ? gpu->iommu_group : GA_UNKNOWN,
		.gpu_boot_display = gpu ? gpu->boot_display : GA_UNKNOWN,
		.nvme_wwid = b->nvme_wwid,
		.wipe = &plan->wipe,
		.mac = b->mac,
		.private_ip = b->private_ip,
		.fabric_vf_pci_address = b->fabric_vf_pci_address,
		.fabric_pf_pci_address = b->fabric_pf_pci_address,
		.cpuset = b->cpuset,
		.memory_mib = b->memory_mib,
		/* What does not answer, or cannot be asked, runs no tenant. */
		.health = fault || (gpu && ga_pci_answers(gpu->address) != 1) ? "failed" : NULL,
		.health_why = fault,
	};
	int r = 0;

	if (gpu)
		ga_iommu_members(gpu->iommu_group, gpu->address,
				 (struct ga_any_list *)(void *)&members);
	f.iommu_group_members = members.n;
	if (ga_slot_blockers(&f, GA_GATE_PROVISION, &why))
		r = REFUSE(p, why.v[0].code,
			   "nothing was written; gpuaas-release frees the plan, 'gpuaas-list "
			   "attention' shows what to do about the slot",
			   "slot '%s' cannot be used: %s%s%s", b->slot, why.v[0].code,
			   why.v[0].evidence ? ": " : "",
			   why.v[0].evidence ? why.v[0].evidence : "");
	ga_texts_release(&members);
	ga_reasons_release(&why);
	return r;
}

/* No other domain may have the function. */
static int check_users(struct ga_provision *p, struct ga_virt *virt, const char *address,
		       struct ga_err *err)
{
	struct ga_texts names = { 0 };
	size_t i;
	int r;

	if (!address)
		return 0;
	r = ga_virt_domains_using_pci(virt, address, (struct ga_any_list *)(void *)&names, err);
	for (i = 0; i < names.n; i++) {
		if (!r && !ga_streq(names.v[i], p->plan->domain))
			r = REFUSE(p, "device_in_use",
				   "gpuaas-reconcile shows whose domain that is",
				   "'%s' is used by domain '%s'", address, names.v[i]);
		free(names.v[i]);
	}
	ga_list_release(&names);
	return r;
}

/* Nor any process. While our own domain has it, it runs already, and nothing is reset. */
static int check_processes(struct ga_provision *p, enum ga_virt_state state, const char *address,
			   struct ga_err *err)
{
	if (!address || (state != GA_VIRT_ABSENT && state != GA_VIRT_OFF))
		return 0;
	return ga_gpu_use_refuse(address, p->plan->lab, err);
}

int ga_provision_check_domain(struct ga_provision *p, struct ga_err *err)
{
	ga_autovirtdomain struct ga_virt_domain d = { 0 };
	enum ga_virt_state state;
	struct ga_virt *virt;
	size_t i;
	int r;

	if (ga_changes_virt(&p->changes, &virt, err) < 0 ||
	    ga_virt_state(virt, p->plan->domain, &state, err) < 0)
		return -1;
	r = ga_virt_find(virt, p->plan->domain, &d, err);
	if (r < 0)
		return -1;
	if (state != GA_VIRT_ABSENT && !(r && ga_streq(d.allocation, p->plan->allocation)))
		return REFUSE(p, "domain_exists", "gpuaas-reconcile shows whose it is",
			      "domain '%s' is there already and is not this allocation's",
			      p->plan->domain);
	for (i = 0; i < p->plan->bundles.n; i++)
		if (check_users(p, virt, p->plan->bundles.v[i].gpu_pci_address, err) < 0 ||
		    check_users(p, virt, p->plan->bundles.v[i].fabric_vf_pci_address, err) < 0 ||
		    check_processes(p, state, p->plan->bundles.v[i].gpu_pci_address, err) < 0 ||
		    check_processes(p, state, p->plan->bundles.v[i].fabric_vf_pci_address, err) < 0)
			return -1;
	return 0;
}

/* What the bus has counted against the GPU and the state was not told of yet: then no slot failed
 * by it, and nobody has repaired it. */
static int find_fault(struct ga_provision *p, const struct ga_pci_dev *gpu, char **ret,
		      struct ga_err *err)
{
	int64_t fatal = ga_pci_aer(gpu->address, "aer_dev_fatal", "TOTAL_ERR_FATAL"), told;
	ga_autofree char *identity = ga_pci_identity(gpu);

	*ret = NULL;
	if (fatal == GA_UNKNOWN || fatal <= 0)
		return 0;
	if (ga_hostdb_gpu_errors(&p->h, identity, p->boot_id, &told, err) < 0)
		return -1;
	if (fatal > told)
		*ret = ga_xprintf("the bus has counted fatal errors of GPU '%s', %lld since the "
				  "host's start, and 'gpuaas-reconcile' told of %lld",
				  gpu->address, (long long)fatal, (long long)told);
	return 0;
}

int ga_provision_check_functions(struct ga_provision *p, bool anew, struct ga_err *err)
{
	ga_autopci struct ga_pci pci = { 0 };
	size_t i;

	if (ga_pci_scan(&pci, err) < 0)
		return -1;
	for (i = 0; i < p->plan->bundles.n; i++) {
		const struct ga_bundle *b = &p->plan->bundles.v[i];
		ga_autofree char *fault = NULL;
		const struct ga_pci_dev *gpu;

		if (check_gpu(p, &pci, b, err) < 0)
			return -1;
		gpu = ga_pci_find(&pci, b->gpu_pci_address);
		if ((anew && find_fault(p, gpu, &fault, err) < 0) ||
		    ga_provision_check_bundle(p, b, gpu, fault, err) < 0)
			return -1;
	}
	return 0;
}
