/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binding PCI functions to vfio-pci and resetting them. The caller has checked that no domain uses
 * the function. A write to sysfs may hang, because the kernel waits until the device is no longer
 * in use: each write runs in a child process with a deadline.
 */
#ifndef GA_ACT_DEVICE_VFIO_H
#define GA_ACT_DEVICE_VFIO_H

#include "base/ga.h"
#include "base/str.h"

/* Writes text to a sysfs attribute in a child; GA_BUSY "device_busy" when the kernel does not
 * return within the time (0: 15 s). */
GA_MUST_CHECK int ga_sysfs_write(const char *path, const char *text, int64_t timeout_micros,
				 struct ga_err *err);

/* Driver and driver_override of a function; NULL: none. */
struct ga_vfio_before {
	char *driver, *override;
};
void ga_vfio_before_release(struct ga_vfio_before *b);
#define ga_autobefore ga_cleanup(ga_vfio_before_release)
/* Reads both; the caller releases ret. GA_NOTFOUND when there is no such function. */
GA_MUST_CHECK int ga_vfio_look(const char *address, struct ga_vfio_before *ret, struct ga_err *err);
/* Binds the function to the driver ("vfio-pci", or the driver before; NULL: none) with
 * driver_override, and reads back: GA_HOST "bind_failed" when the function has another driver
 * afterwards. */
GA_MUST_CHECK int ga_vfio_bind(const char *address, const char *driver, const char *override,
			       struct ga_err *err);
/* The way in which a function was reset, or would be. */
struct ga_vfio_reset {
	char method[24];      /* a word of reset_method; "" when this kernel names none */
	char why_not_bus[200]; /* "" when the reset is by bus */
	int64_t micros;	      /* from the write until it answered */
};
/*
 * Resets the function and waits until it answers (ga_pci_answers; at most 60 s). Takes a bus reset
 * where the kernel offers one and everything below the same bridge is an unused part of this
 * device: a function-level reset leaves state behind in some GPUs. Else takes the first other
 * method that the kernel offers. Restores the attribute reset_method afterwards, also when the
 * reset fails. 1: reset; 0: the kernel has no method that resets this device alone. GA_HOST
 * "reset_failed" when the kernel reports a failure, "device_lost" when the function does not
 * answer; GA_BUSY "device_busy".
 */
GA_MUST_CHECK int ga_vfio_reset(const char *address, struct ga_vfio_reset *ret,
				struct ga_err *err);
/* Describes for a dry run what ga_vfio_reset would write; allocated. */
char *ga_vfio_reset_words(const char *address);
/* Always -1, with "gpu_no_reset": for callers that take the result 0 above for an error. how may be
 * NULL. */
GA_MUST_CHECK int ga_vfio_no_reset(const char *address, const struct ga_vfio_reset *how,
				   struct ga_err *err);
/* Waits until the function answers in configuration space; GA_HOST "device_lost" at the
 * deadline. */
GA_MUST_CHECK int ga_vfio_wait_config(const char *address, int64_t timeout_micros,
				      struct ga_err *err);

#endif
