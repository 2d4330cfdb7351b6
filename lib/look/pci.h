/* SPDX-License-Identifier: Apache-2.0 */
/*
 * PCI functions as libpci and sysfs show them: ids, class, place in the tree, driver, SR-IOV, BARs.
 * Reads only, and works without root. Only ga_pci_answers reads the configuration space.
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
	GA_PCI_BRIDGE,	 /* class 06xx except NVSwitches */
	GA_PCI_DISPLAY,	 /* a display of another vendor: boot VGA and the like */
	GA_PCI_GPU,	 /* class 0300, 0302, 0380, 0b40 or 1200 of an accelerator vendor, and every
			  * device that ga_pci_know adds */
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
	/* The members below are read for every sort except OTHER and BRIDGE. */
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
 * Makes every function whose ids are in the list count as an accelerator from now on, whatever its
 * class and vendor: the operator's own catalogue knows devices that we do not know. The list is
 * borrowed until the next call; NULL ends it.
 */
void ga_pci_know(const struct ga_accels *list);

/* All functions, by address; none on a machine without a PCI bus. */
GA_MUST_CHECK int ga_pci_scan(struct ga_pci *ret, struct ga_err *err);
void ga_pci_release(struct ga_pci *pci);
#define ga_autopci ga_cleanup(ga_pci_release)
/* The function with this address (which may be NULL), or NULL; owned by pci. */
const struct ga_pci_dev *ga_pci_find(const struct ga_pci *pci, const char *address);

/*
 * Whether a function answers in configuration space now: 1, 0 (it fell off the bus, or did not come
 * back from a reset), or GA_UNKNOWN when its configuration space cannot be read. A function that is
 * gone reads as ones. The command register is checked as well as the ids: we have seen a GPU whose
 * ids still read correctly while that register was all ones; bits 11 to 15 of the register are zero
 * in every device (PCI Local Bus 3.0, 6.2.2). The vendor of a virtual function is not checked: it
 * always reads as ones.
 */
int64_t ga_pci_answers(const char *address);
/* Reads a counter from an AER attribute of a function. attr is aer_dev_fatal, aer_dev_nonfatal or
 * aer_dev_correctable; name is the name of one of its lines (a kind of error, or the sum).
 * GA_UNKNOWN where the device or the host has no such counter. */
int64_t ga_pci_aer(const char *address, const char *attr, const char *name);
/* The driver to which a function is bound now, allocated, or NULL (none, or no such function). */
char *ga_pci_driver(const char *address);
/* Whether the kernel can reset the function without resetting another device. A bus reset counts
 * when only parts of the same card are on that bus. Linux before 5.15 has no reset_method: there
 * the file "reset" decides. */
bool ga_pci_can_reset(const char *address);
/*
 * Whether a wipe cannot prove that the memory of a GPU is cleared: a driver other than vfio-pci has
 * the GPU, or the kernel cannot reset it, and the folder scrubs has no executable for its ids
 * (act/device/gpuwipe.h). Then why and fix are set, allocated. A folder that this user cannot read
 * counts as one that has the executable.
 */
bool ga_pci_wipe_unproven(const char *address, const char *scrubs, char **why, char **fix);
/* Whether this word of reset_method means a reset of the bus above the function. */
bool ga_pci_is_bus_reset(const char *method);
/* Adds to ret the other functions below the same bridge, and returns the address of that bridge,
 * allocated; NULL where there is no bridge (a virtual function, a root complex). */
char *ga_pci_beside(const char *address, struct ga_texts *ret);
/* Whether other is a function of the same card that is no product of its own: sound or USB. */
bool ga_pci_is_part(const char *address, const char *other);
/* Adds the words of the attribute reset_method, best first. */
void ga_pci_reset_methods(const char *address, struct ga_texts *list);
/* Adds the memory BARs from /sys/…/resource. */
void ga_pci_bars(const char *address, struct ga_bars *list);
/* One attribute in the function's sysfs directory, allocated, without newline; or NULL. */
char *ga_pci_attr(const char *address, const char *name);

/*
 * The upstream port of the PCIe switch above a function, allocated, or NULL: the topmost bridge
 * below its root port that has another bridge below it on the way to the function.
 */
char *ga_pci_switch(const struct ga_pci_dev *dev);
/*
 * The identity of a function, the same after every reboot; allocated: "slot:" and its physical
 * slot, else its path of device.function numbers from the root complex (bus numbers may change),
 * then ":VVVV:DDDD". It has no serial number: only root or a bound driver can read that, and every
 * user must get the same identity.
 */
char *ga_pci_identity(const struct ga_pci_dev *dev);

#endif
