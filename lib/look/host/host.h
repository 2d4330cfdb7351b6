/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Facts of the host itself: its id, its boot, processors, memory, NUMA nodes and hugepages. Reads
 * only, and works without root. Sources: /proc, /sys/devices/system, /sys/class/dmi/id.
 */
#ifndef GA_LOOK_HOST_HOST_H
#define GA_LOOK_HOST_HOST_H

#include "base/ga.h"
#include "look/block/block.h"
#include "look/pci.h"
#include "record/digest.h"
#include "record/host.h"

/* The kernel's boot id (a UUID that is new at each boot), allocated, or NULL when unreadable. */
char *ga_host_boot_id(void);

/*
 * The node id, allocated: setting when it is not NULL, else "n-" and the first 12 hex digits of the
 * machine id (machine-id(5)), so that the id survives a change of host name. GA_USAGE when the
 * setting is no valid name, GA_HOST when there is no machine id.
 */
GA_MUST_CHECK int ga_host_node_id(const char *setting, char **ret, struct ga_err *err);
/* The same, or NULL where there is none: for reports, not for decisions. */
char *ga_host_node_if_known(const char *setting);
/* Why the machine id is not this machine's own (empty, zero, left in an image), or NULL. */
const char *ga_host_clone_reason(void);

/*
 * One digest over the sorted hardware identities: GPUs, NVSwitches and the physical functions of
 * network adapters (slot or path, and PCI ids), NVMe namespaces (wwid). It has no names, device
 * paths or boot ids, and nothing that only root may read, so that every user gets the same digest,
 * whatever drivers are bound.
 */
GA_MUST_CHECK int ga_host_fingerprint(char digest[GA_DIGEST_SIZE], struct ga_err *err);
/* The same from a scan that exists already. */
void ga_host_fingerprint_of(const struct ga_pci *pci, const struct ga_block_devs *disks,
			    char digest[GA_DIGEST_SIZE]);

/* Fills hostname, kernel, DMI names, cpus, memory_mib, numa and boot_id of the record. A value that
 * cannot be read stays NULL or unknown. */
void ga_host_fill(struct ga_host *host);

/* The kernel command line, allocated; "" when unreadable. */
char *ga_host_cmdline(void);
/* Whether the command line has the word, or KEY=…,VALUE,… when value is not NULL. */
bool ga_host_cmdline_has(const char *cmdline, const char *key, const char *value);
/* The thread siblings of a CPU as a list ("3,51"), allocated, or NULL when unknown. */
char *ga_host_cpu_siblings(int cpu);

#endif
