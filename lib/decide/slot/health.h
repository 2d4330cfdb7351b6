/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The health of a slot: observations of its devices in; its health and the sentence beside it out.
 * Pure: it reads and writes nothing.
 *
 * A slot is unknown until something is proven of it, ok when its last proof was good, failed when a
 * device of it is known not to work. No observation of a program ends failed: a device that works
 * again by itself is not trusted with the next tenant. A person repairs the slot (gpuaas-approve
 * repair). Then it is unknown, and the next proof decides.
 *
 *   event    unknown   ok        failed
 *   proven   ok        ok        failed     a guest became ready; a wipe was confirmed
 *   doubt    unknown   unknown   failed     a guest never became ready: perhaps its image
 *   fault    failed    failed    failed     the drive, a reset, the bus, a GPU that is gone
 *   repaired unknown   ok        unknown    a person repaired it
 */
#ifndef GA_DECIDE_SLOT_HEALTH_H
#define GA_DECIDE_SLOT_HEALTH_H

#include "base/vec.h"

struct ga_drift;
struct ga_failure;
struct ga_released;
struct ga_wipe_evidence;

enum ga_health_event {
	GA_HEALTH_NOTHING, /* the record shows nothing about health */
	GA_HEALTH_PROVEN,
	GA_HEALTH_DOUBT,
	GA_HEALTH_FAULT,
	GA_HEALTH_REPAIRED,
	GA_HEALTH_EVENTS
};

/* The sign of a slot's health in a record. */
struct ga_health_sign {
	enum ga_health_event event;
	char *detail; /* owned; the sentence for health_detail, or NULL */
};
void ga_health_sign_release(struct ga_health_sign *s);
#define ga_autohealth ga_cleanup(ga_health_sign_release)

/* The names of a slot's devices in sentences; any may be NULL. */
struct ga_health_devices {
	const char *gpu_pci_address, *fabric_vf_pci_address, *nvme_wwid;
};

/* The health after the event: "unknown", "ok" or "failed". */
const char *ga_health_next(const char *health, enum ga_health_event event);

/* A confirmed wipe with a GPU that came back from its reset is a proof. A wipe that the drive
 * ended (the reasons in record/fault.h) and a failed reset are faults. A guard that refused, an
 * interrupt, a clock that was set and a policy that requires more show nothing about the
 * devices. */
void ga_health_of_wipe(const struct ga_wipe_evidence *e, struct ga_health_sign *ret);
/* Steps of a release: the failed reset of one of the slot's devices is a fault. */
void ga_health_of_release(const struct ga_released *r, const struct ga_health_devices *d,
			  struct ga_health_sign *ret);
/* A failed provisioning. With a code of record/fault.h, in a phase that checks or prepares devices,
 * it is a fault of the slot whose device the sentence quotes. In the phases from devices to
 * readiness, without a known faulty device, the slot's health is in doubt: images and networks fail
 * there too. */
void ga_health_of_failure(const struct ga_failure *f, const struct ga_health_devices *d,
			  struct ga_health_sign *ret);
/*
 * A drift of a slot. Counters of GPU errors start at the host's start, and a repair does not reset
 * them. They are a fault when the run before did not find them, or when their text has changed
 * (before: the text of the run before, NULL: none). The text has the count and the boot
 * (decide/drift/devices.c): the same count in a later boot means new errors.
 */
void ga_health_of_drift(const struct ga_drift *d, const char *before, struct ga_health_sign *ret);

/* The devices of a slot in a discovery. */
struct ga_health_seen {
	const char *slot, *gpu_pci_address;
	bool gpu_there;
	int64_t gpu_answers, gpu_can_reset; /* 1, 0, GA_UNKNOWN */
	bool baremetal; /* its node is baremetal: no program resets its GPU alone */
};
/* A GPU that is gone, does not answer or can no longer be reset is a fault. Disks are not judged: a
 * discovery pairs free disks and leaves out disks in use. */
void ga_health_of_seen(const struct ga_health_seen *s, struct ga_health_sign *ret);

/* Whether only a later discovery can show that the fault (a health_detail) is cured: a GPU or
 * function that is gone from the bus, does not answer, hangs or cannot be reset, which a cold start
 * of the machine usually restores; or a device for which the kernel has no reset. */
bool ga_health_needs_look(const char *detail);

/*
 * One counter of an AER attribute of sysfs, whose lines are "NAME COUNT", the last of them a sum
 * such as TOTAL_ERR_FATAL (Linux: Documentation/ABI/testing/sysfs-bus-pci-devices-aer_stats).
 * GA_UNKNOWN when the text has no such line, or the line has no count.
 */
int64_t ga_health_aer(const char *text, const char *name);

#endif
