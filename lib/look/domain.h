/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The libvirt domain of an allocation, as XML, from its plan and the paths that the host resolved.
 * Pure: no file, clock or libvirt; the same input gives the same bytes. Every text goes through
 * ga_str_add_xml.
 *
 * Devices are unmanaged (managed='no'): we bind them to vfio-pci ourselves, with a journal entry
 * and a read-back, before libvirt uses them.
 */
#ifndef GA_LOOK_DOMAIN_H
#define GA_LOOK_DOMAIN_H

#include "base/str.h"

struct ga_plan;

/* XML namespace of our metadata element <gpuaas:allocation>, by which our domains are
 * recognized. */
#define GA_DOMAIN_NS "https://gpuaas.org/xmlns/domain/1"

/* The paths that the host resolved. disks has one path for each bundle of the plan (NULL: it has
 * none). */
struct ga_domain_env {
	const char *seed;	 /* the NoCloud image, or NULL */
	const char *console_log; /* where the serial console is recorded, or NULL */
	const char *const *disks;
	bool disks_are_files; /* lab */
};

/* GA_BADREC when the plan cannot be a domain (no bundles, no CPUs, more vCPUs than CPUs, …). */
GA_MUST_CHECK int ga_domain_xml(const struct ga_plan *plan, const struct ga_domain_env *env,
				struct ga_str *out, struct ga_err *err);

/* A UUID that is always the same for the same purpose and id (version 8, SHA-256). */
#define GA_UUID_SIZE 37
char *ga_domain_uuid(const char *purpose, const char *id, char out[GA_UUID_SIZE]);

/*
 * Whether the 64-bit BARs of the passed-through devices fit below the guest's physical address
 * limit. bars are sizes in bytes, one list a device. OVMF gives PCI an eighth of the address space
 * (PlatformPei); a BAR takes its size rounded up to a power of two, naturally aligned, and a root
 * port's window is aligned to its largest BAR. Sets the bytes that the devices need and that the
 * guest has.
 */
struct ga_domain_bars {
	const int64_t *size_bytes;
	size_t n;
};
bool ga_domain_mmio_fits(const struct ga_domain_bars *devices, size_t n, int phys_bits,
			 int64_t *need_bytes, int64_t *have_bytes);

#endif
