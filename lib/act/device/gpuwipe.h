/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clears the data of a tenant from a slot's GPU and fabric function: GPU memory, the state of the
 * device, the state of the virtual function. Each becomes a named step of the evidence: confirmed,
 * not_needed, not_proven or failed, with the reason. A step is confirmed only by an observation.
 */
#ifndef GA_ACT_DEVICE_GPUWIPE_H
#define GA_ACT_DEVICE_GPUWIPE_H

#include "base/ga.h"

struct ga_step;

/*
 * Resets a PCI function (ga_vfio_reset). It does so only while vfio-pci or no driver is bound to
 * the function and nobody uses it (gpuuse.h), and only when it is the intended device: identity is
 * compared with ga_pci_identity, ids with "vendor:device"; NULL is not compared. When the step is
 * confirmed and the kernel names its reset method, *method gets that name, allocated; method may be
 * NULL.
 */
void ga_gpu_reset(const char *address, const char *identity, const char *ids, const char *step,
		  struct ga_step *ret, char **method);

/*
 * Clears the memory of a GPU after its reset. No method works for every device without the vendor's
 * driver, so an operator's executable does it: hooks/VVVV:DDDD, called with the PCI address. Its
 * status 0 means "confirmed"; the last line of its output becomes the detail. Root must own it and
 * nobody else may write it. Without an executable the step is not_proven.
 */
void ga_gpu_scrub(const char *hooks, const char *address, const char *ids, struct ga_step *ret);

/* Checks a fabric function after its reset: vfio-pci or no driver is bound to it, and its physical
 * function is the intended one. A GUID stays: only the physical function can set it. */
void ga_vf_check(const char *vf_address, const char *pf_address, struct ga_step *ret);

/* Sets a step; detail may be NULL. */
void GA_PRINTF(4, 5) ga_step_set(struct ga_step *s, const char *step, const char *outcome,
				 const char *fmt, ...);

#endif
