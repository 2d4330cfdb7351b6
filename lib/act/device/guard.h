/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guard before anything destructive: is this the disk that was meant, and does nothing use it?
 *
 * Checked while the disk is held by O_EXCL, which the kernel grants only when neither the disk nor
 * a partition is mounted, swap or part of another device, in any mount namespace. Uses that O_EXCL
 * does not see are looked for one by one: plain openers such as QEMU, mappings, loop devices,
 * exports, domains that are defined and off, inactive members of LVM, md and ZFS. A disk without a
 * known signature may still have data: a sample of its blocks is read. decide/wipe/guard_steps.h
 * has the names of the steps. The caller keeps the descriptor open until it is done.
 */
#ifndef GA_ACT_DEVICE_GUARD_H
#define GA_ACT_DEVICE_GUARD_H

#include "act/device/disk.h"
#include "base/ga.h"
#include "record/result.h"

/* The caller's own way to count the domains that use the disk, in place of libvirt_uri below: it
 * has a connection already, or a domain of its own that may use the disk. Adds their names. -1 with
 * err when the hypervisor does not answer. 0 with err set (GA_CONFLICT): it is not known whether
 * the domain that err names uses it (ga_virt_domains_using). */
typedef int (*ga_domains_fn)(const char *path, const char *wwid, struct ga_str *names,
			     struct ga_err *err);

struct ga_guard_opts {
	const char *wwid;	  /* the disk that was meant, by ga_disk's identity */
	int64_t size_bytes;	  /* as ordered, or GA_UNKNOWN */
	const char *diskseq;	  /* as planned, or NULL */
	const char *destroy_data; /* identity whose foreign content may be destroyed, or NULL */
	bool content_expected;	  /* a tenant's disk: content is recorded, not refused */
	const char *seen;	  /* the signatures that the order's last run found, as in its
				     step: a new one (ga_guard_saw) is somebody else's. NULL: this
				     is its first run */
	const char *wiped;	  /* why content is not expected although the order expects it, by
				     the host's own records of the disk: a sentence, or NULL */
	bool begun;		  /* a wipe of it began here: data without signature is ours */
	int64_t lab;		  /* 1: files only, 0: block devices only, GA_UNKNOWN: both */
	ga_domains_fn domains;	  /* or NULL */
	const char *holder;	  /* the allocation that has the disk by the host's journal: a
				     hypervisor that does not answer is a refusal then; or NULL */
	bool ordered;		  /* by a state, which knows who has the disk; without an order a
				     holder is a refusal whatever the hypervisor says */
	const char *libvirt_uri;  /* whose domains are checked when domains is NULL; or NULL */
};

struct ga_guard_steps {
	struct ga_step *v;
	size_t n;
};

/*
 * Opens the disk (write: for writing) and looks at everything; each check becomes a step. 1: all
 * clear, the disk is open; 0: refused, the failed steps say "code: sentence"; -1: could not look.
 */
GA_MUST_CHECK int ga_guard_take(struct ga_disk *d, const struct ga_guard_opts *o, bool write,
				struct ga_guard_steps *steps, struct ga_err *err);
/* Checks the open descriptor again, right before the first destructive command and after the last
 * one: identity, size, uses and openers. step names the checks. format_ran: a Format gives the disk
 * a new diskseq. Returns as ga_guard_take; -1 with err where the kernel's lists cannot be read. */
GA_MUST_CHECK int ga_guard_again(struct ga_disk *d, const struct ga_guard_opts *o, const char *step,
				 bool format_ran, struct ga_guard_steps *steps, struct ga_err *err);

#endif
