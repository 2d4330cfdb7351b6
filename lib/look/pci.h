/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PCI functions as libpci and sysfs show them: ids, class, place in the tree, driver, SR-IOV, BARs.
 * Reads only, and works without root; the configuration space is not touched.
 */
#ifndef GA_LOOK_PCI_H
#define GA_LOOK_PCI_H

#include "base/ga.h"
#include "catalog/accel.h"
#include "look/sys.h"
#include "record/host.h"
#include "record/pciaddr.h"

#define GA_PCI_SYSFS "/sys/bus/pci/devices"

enum ga_pci_sort {
	GA_PCI_OTHER,
	GA_PCI_BRIDGE,	 /* class 06xx but NVSwitches */
	GA_PCI_DISPLAY,	 /* a display of nobody we know: boot VGA and the like */
	GA_PCI_GPU,	 /* class 0300, 0302, 0380, 0b40 or 1200 of an accelerator vendor, and
			  * whatever ga_pci_know names */
	GA_PCI_NVME,	 /* class 0108 */
	GA_PCI_NIC,	 /* class 0200, 0207 */
	GA_PCI_NVSWITCH, /* 10de, class 0680 */
};

struct ga_pci_dev {
	struct ga_pciaddr addr;
	char address[GA_PCIADDR_SIZE];
	enum ga_pci_sort sort;
	unsigned int vendor, device; /* 16 bits each */
	unsigned int class;	     /* 24 bits: class, subclass, programming interface */
	/* The rest is read for every sort but OTHER and BRIDGE. */
	int64_t sub_vendor, sub_device; /* GA_UNKNOWN when there is none */
	int64_t revision;
	int64_t numa_node, iommu_group; /* GA_UNKNOWN */
	char *driver, *physical_slot;	/* or NULL */
	char *path;	/* real sysfs path, or NULL */
	char *pf;	/* of a virtual function: address of its physical function, or NULL */
	int64_t vf_index; /* of a virtual function */
	int64_t total_vfs; /* of a physical function; 0: no SR-IOV */
	int64_t boot_display; /* tristate */
};

struct ga_pci {
	struct ga_pci_dev *v;
	size_t n;
};

/*
 * From now on functions whose ids are in the list are accelerators, whatever their class and
 * vendor: an operator's own catalogue names what we do not know. The list is kept, not copied; NULL
 * ends it.
 */
void ga_pci_know(const struct ga_accels *list);

/* All functions, by address. A machine without a PCI bus has none. */
GA_MUST_CHECK int ga_pci_scan(struct ga_pci *ret, struct ga_err *err);
void ga_pci_release(struct ga_pci *pci);
#define ga_autopci ga_cleanup(ga_pci_release)
const struct ga_pci_dev *ga_pci_find(const struct ga_pci *pci, const char *address);

/*
 * Whether a function answers in configuration space now: 1, 0 (it fell off the bus, or did not come
 * back from a reset), or GA_UNKNOWN when its configuration space cannot be read. What is gone reads
 * as ones. Every program asks this one function: a GPU has been seen whose ids still read right
 * while its command register was ones, whose bits 11 to 15 read as zero in every device (PCI Local
 * Bus 3.0, 6.2.2). A virtual function has no vendor of its own there, all else it has.
 */
int64_t ga_pci_answers(const char *address);
/* One counter of the AER attributes of a function (aer_dev_fatal and its like): a line a kind of
 * error, and a sum. GA_UNKNOWN where the device or the host has none. */
int64_t ga_pci_aer(const char *address, const char *attr, const char *name);
/* The driver a function is bound to now, allocated, or NULL (none, or no such function). */
char *ga_pci_driver(const char *address);
/* Whether the kernel has a way to reset the function and no other device: a reset of the bus counts
 * where only the function's own parts hang from it too. Linux before 5.15 has no reset_method:
 * there the file "reset" says so alone. */
bool ga_pci_can_reset(const char *address);
/* Whether a method of reset_method is one of the bus above the function. */
bool ga_pci_is_bus_reset(const char *method);
/* The functions that hang from the bridge above this one, itself left out, into ret, and that
 * bridge's address, allocated; NULL where it has none (a virtual function, a root complex). */
char *ga_pci_beside(const char *address, struct ga_texts *ret);
/* Whether other is a part of the same card that nobody is sold: its sound or USB function. */
bool ga_pci_is_part(const char *address, const char *other);
/* Adds the words of the attribute reset_method to a GA_LIST(char *), best first. */
void ga_pci_reset_methods(const char *address, struct ga_any_list *list);
/* The memory BARs from /sys/…/resource, added to a GA_LIST(struct ga_bar). */
void ga_pci_bars(const char *address, struct ga_any_list *list);
/* One attribute below the function's sysfs directory, allocated without newline, or NULL. */
char *ga_pci_attr(const char *address, const char *name);

/*
 * The upstream port of the PCIe switch a function hangs from, allocated, or NULL: the topmost
 * bridge below its root port that has another bridge below it on the way to the function.
 */
char *ga_pci_switch(const struct ga_pci_dev *dev);
/*
 * What a function is called over reboots, allocated: "slot:" and its physical slot, else its path
 * of device.function numbers from the root complex (bus numbers may change), then ":VVVV:DDDD".
 * Serial numbers are left out on purpose: only root or a bound driver can read them, and an
 * identity must not depend on who looks.
 */
char *ga_pci_identity(const struct ga_pci_dev *dev);

#endif
