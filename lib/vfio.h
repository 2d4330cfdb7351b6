/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Binding PCI functions to vfio-pci and resetting them (host-facts d1). Only what is ours is
 * touched: the caller has checked that no domain uses the function. Every write to sysfs that may
 * not return (the kernel waits for whoever holds the device) is made in a child with a deadline.
 */
#ifndef GA_VFIO_H
#define GA_VFIO_H

#include "ga.h"
#include "str.h"

/* Writes text to a sysfs attribute in a child; GA_BUSY "device_busy" when the kernel does not
 * return within the time (0: 15 s). */
int ga_sysfs_write(const char *path, const char *text, int64_t timeout_micros,
		   struct ga_err *err);

/* What a function was before we bound it: driver and override, NULL when none. */
struct ga_vfio_before {
	char *driver, *override;
};
void ga_vfio_before_release(struct ga_vfio_before *b);
#define ga_autobefore ga_cleanup(ga_vfio_before_release)
/* GA_NOTFOUND when there is no such function. */
int ga_vfio_look(const char *address, struct ga_vfio_before *ret, struct ga_err *err);
/* Binds to the driver ("vfio-pci", or what it was before; NULL: none) with driver_override, and
 * reads back: GA_HOST "bind_failed" when another driver holds it afterwards. */
int ga_vfio_bind(const char *address, const char *driver, const char *override,
		 struct ga_err *err);
/* Resets the function and waits until its configuration space answers (at most 60 s). 1 reset, 0
 * the kernel knows no way to reset it. */
int ga_vfio_reset(const char *address, struct ga_err *err);
/* Waits until the vendor id reads right in configuration space. A virtual function has none. */
int ga_vfio_wait_config(const char *address, int64_t timeout_micros, struct ga_err *err);

#endif
