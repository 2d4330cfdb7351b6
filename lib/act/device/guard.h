/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The guard before a destructive command: is this the intended disk, and does nothing use it?
 *
 * The guard holds the disk with O_EXCL while it checks. The kernel grants O_EXCL only when neither
 * the disk nor a partition is mounted, swap or part of another device, in any mount namespace. The
 * guard looks one by one for uses that O_EXCL does not see: plain openers such as QEMU, mappings,
 * loop devices, exports, domains that are defined and off, inactive members of LVM, md and ZFS. A
 * disk without a known signature may still have data: the guard reads a sample of its blocks.
 * decide/wipe/guard_steps.h has the names of the steps. The caller keeps the descriptor open until
 * it is done.
 */
#ifndef GA_ACT_DEVICE_GUARD_H
#define GA_ACT_DEVICE_GUARD_H

#include "act/device/disk.h"
#include "base/ga.h"

struct ga_step;

/* Finds the domains that use the disk, in place of libvirt_uri below, for a caller that has a
 * connection already or has a domain of its own that may use the disk. Adds the domains' names. -1
 * with err when the hypervisor does not answer. 0 with err set (GA_CONFLICT): it is unknown whether
 * the domain that err names uses the disk (ga_virt_domains_using). */
typedef int (*ga_domains_fn)(const char *path, const char *wwid, struct ga_str *names,
			     struct ga_err *err);

struct ga_guard_opts {
	const char *wwid;	  /* the intended disk, by ga_disk's identity */
	int64_t size_bytes;	  /* as ordered, or GA_UNKNOWN */
	const char *diskseq;	  /* as planned, or NULL */
	const char *destroy_data; /* identity whose foreign content may be destroyed, or NULL */
	bool content_expected;	  /* a tenant's disk: content is recorded and no refusal */
	const char *seen;	  /* the signatures that the order's last run found, as in its step:
				     a new signature (ga_guard_saw) belongs to somebody else. NULL:
				     this is its first run */
	const char *wiped;	  /* a sentence: why the host's records of the disk expect no
				     content although the order does; or NULL */
	bool begun;		  /* a wipe of the disk began here: data without signature is
				     ours */
	int64_t lab;		  /* 1: files only, 0: block devices only, GA_UNKNOWN: both */
	ga_domains_fn domains;	  /* or NULL */
	const char *holder;	  /* the allocation that has the disk in the host's journal, or
				     NULL. With it, a hypervisor that does not answer is a
				     refusal */
	bool ordered;		  /* a state gave the order and knows the disk's holder; without an
				     order a holder is a refusal, whatever the hypervisor reports */
	const char *ends;	  /* for a dry run of an order of a dry run: the domain that the
				     release ends before the wipe, so that its use of the disk is
				     no refusal; or NULL */
	const char *libvirt_uri;  /* its domains are checked when domains is NULL; or NULL */
};

struct ga_guard_steps {
	struct ga_step *v;
	size_t n;
};

/*
 * Opens the disk (write: for writing) and makes all checks; each check becomes a step. 1: all
 * clear, the disk is open; 0: refused, the failed steps have "code: sentence"; -1: a check could
 * not be made.
 */
GA_MUST_CHECK int ga_guard_take(struct ga_disk *d, const struct ga_guard_opts *o, bool write,
				struct ga_guard_steps *steps, struct ga_err *err);
/* Checks the open descriptor again, right before the first destructive command and after the last
 * one: identity, size, uses and openers. step names the checks. format_ran: a Format ran, which
 * gives the disk a new diskseq. Returns as ga_guard_take; -1 with err when the kernel's lists
 * cannot be read. */
GA_MUST_CHECK int ga_guard_again(struct ga_disk *d, const struct ga_guard_opts *o, const char *step,
				 bool format_ran, struct ga_guard_steps *steps, struct ga_err *err);

#endif
