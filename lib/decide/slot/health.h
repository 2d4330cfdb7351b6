/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The health of a slot: what was seen of its devices, in; its health and the sentence beside it,
 * out. Pure: nothing is read or written here.
 *
 * A slot is unknown until something was proven of it, ok when its last proof was good, failed when
 * a device of it is known not to work. Nothing that a program sees takes failed away: a device
 * that works again by itself is not trusted with the next tenant. A person repairs the slot
 * (gpuaas-approve repair), it is unknown, and the next proof settles it.
 *
 *   event    unknown   ok        failed
 *   proven   ok        ok        failed     a guest became ready; a wipe was confirmed
 *   doubt    unknown   unknown   failed     a guest never became ready: perhaps its image
 *   fault    failed    failed    failed     the drive, a reset, the bus, a GPU that is gone
 *   repaired unknown   ok        unknown    a person says so
 */
#ifndef GA_DECIDE_SLOT_HEALTH_H
#define GA_DECIDE_SLOT_HEALTH_H

#include "record/result.h"

enum ga_health_event {
	GA_HEALTH_NOTHING, /* the record says nothing of health */
	GA_HEALTH_PROVEN,
	GA_HEALTH_DOUBT,
	GA_HEALTH_FAULT,
	GA_HEALTH_REPAIRED,
	GA_HEALTH_EVENTS
};

/* What a record says of the health of a slot. */
struct ga_health_sign {
	enum ga_health_event event;
	char *detail; /* owned; the sentence for health_detail, or NULL */
};
void ga_health_sign_release(struct ga_health_sign *s);
#define ga_autohealth ga_cleanup(ga_health_sign_release)

/* The devices of a slot, as sentences name them; any may be NULL. */
struct ga_health_devices {
	const char *gpu_pci_address, *fabric_vf_pci_address, *nvme_wwid;
};

/* The health after the event: "unknown", "ok" or "failed". */
const char *ga_health_next(const char *health, enum ga_health_event event);

/* A confirmed wipe with a GPU that came back from its reset is a proof. A wipe that the drive ended
 * (the reasons in record/fault.h) and a failed reset are faults. A guard that refused, an
 * interrupt, a clock that was set and a policy that asks for more say nothing of the devices. */
void ga_health_of_wipe(const struct ga_wipe_evidence *e, struct ga_health_sign *ret);
/* Steps of a release: the reset of one of the slot's devices that failed. */
void ga_health_of_release(const struct ga_released *r, const struct ga_health_devices *d,
			  struct ga_health_sign *ret);
/* A provisioning that failed: with a code of record/fault.h, in a phase that looks at devices or
 * makes them ready, it is a fault of the slot whose device the sentence quotes. Where no device is
 * known to be the cause, from the fabric to readiness, the slot's health is in doubt: images and
 * networks fail there as well. */
void ga_health_of_failure(const struct ga_failure *f, const struct ga_health_devices *d,
			  struct ga_health_sign *ret);
/*
 * A drift of a slot. Errors of a GPU are counted since the host's last start and stay in the
 * counters after a repair: they are a fault when they were not found before, or the text about them
 * is another now (before: what the run before observed, NULL: nothing). The text has the count and
 * the boot (decide/drift/devices.c): the same count of a later boot is of new errors.
 */
void ga_health_of_drift(const struct ga_drift *d, const char *before, struct ga_health_sign *ret);

/* What a discovery shows of the devices of a slot. */
struct ga_health_seen {
	const char *slot, *gpu_pci_address;
	bool gpu_there;
	int64_t gpu_answers, gpu_can_reset; /* 1, 0, GA_UNKNOWN */
	bool whole; /* its node is sold whole: nobody resets its GPU by itself */
};
/* A GPU that is gone, does not answer or cannot be reset any more is a fault. A disk is not judged:
 * a discovery pairs those that are free, and leaves out what is in use. */
void ga_health_of_seen(const struct ga_health_seen *s, struct ga_health_sign *ret);

/* Whether only a later discovery shows that what failed (a health_detail) is well: a GPU or
 * function that is gone from the bus, does not answer, hangs or cannot be reset, which as a rule a
 * cold start of the machine brings back, or one for which the kernel has no reset. */
bool ga_health_needs_look(const char *detail);

/*
 * One counter of an AER attribute of sysfs, whose lines are "NAME COUNT", the last of them a sum
 * such as TOTAL_ERR_FATAL (Linux: Documentation/ABI/testing/sysfs-bus-pci-devices-aer_stats).
 * GA_UNKNOWN when the text has no such line, or no count in it.
 */
int64_t ga_health_aer(const char *text, const char *name);

#endif
