/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clearing what a slot's GPU and fabric function keep of a tenant: GPU memory, the state of the
 * device, the state of the virtual function. Each becomes a named step of the evidence: confirmed,
 * not_needed, not_proven or failed, with the reason. A step is confirmed only by what was observed.
 */
#ifndef GA_ACT_DEVICE_GPUWIPE_H
#define GA_ACT_DEVICE_GPUWIPE_H

#include "base/ga.h"
#include "record/result.h"

/*
 * Resets a PCI function (ga_vfio_reset). Only while vfio-pci or nothing is bound to it and nobody
 * uses it (gpuuse.h), and only when it is the device that was meant: identity is ga_pci_identity's,
 * ids is "vendor:device"; NULL is not compared. *method gets the kernel's word for its method,
 * allocated, when the step is confirmed and the kernel names it; method may be NULL.
 */
void ga_gpu_reset(const char *address, const char *identity, const char *ids, const char *step,
		  struct ga_step *ret, char **method);

/*
 * Clears the memory of a GPU after its reset. There is no method that works for every device
 * without the vendor's driver, so an operator's executable does it: hooks/VVVV:DDDD, called with
 * the PCI address; status 0 is "confirmed", its last line of output the detail. It must belong to
 * root and be writable by nobody else. Without one: not_proven.
 */
void ga_gpu_scrub(const char *hooks, const char *address, const char *ids, struct ga_step *ret);

/* Reads the state of a fabric function after its reset: bound to vfio-pci or nothing, its physical
 * function the one that was meant. A GUID stays: only the physical function can set it. */
void ga_vf_check(const char *vf_address, const char *pf_address, struct ga_step *ret);

/* Sets a step; detail may be NULL. */
void GA_PRINTF(4, 5) ga_step_set(struct ga_step *s, const char *step, const char *outcome,
				 const char *fmt, ...);

#endif
