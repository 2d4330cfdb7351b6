/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The readiness gate: whether a VM serves its tenant. A hard gate: what is not proved within the
 * deadline fails the allocation.
 */
#ifndef GA_ACT_VM_READY_H
#define GA_ACT_VM_READY_H

#include "act/device/virt.h"
#include "record/plan.h"

/* Seconds a VM may take from start to readiness: what its image asks for, else 180 s; 2 s a GiB of
 * memory (pinning is linear in it) and 60 s a GPU (drivers and firmware). At most two hours where
 * the image asks for nothing. */
int64_t ga_ready_seconds(const struct ga_plan *plan);

/*
 * Whether sshd answers at the address with the host key that the seed published. known_hosts is a
 * file of ours with that key alone. 1 yes; 0 not yet; -1 with GA_CONFLICT "host_key_mismatch" when
 * somebody else answers. No login is needed: the key exchange comes before it, and a server that
 * goes on to refuse us has proved the key.
 */
GA_MUST_CHECK int ga_ready_ssh(const char *user, const char *address, const char *known_hosts,
			       struct ga_err *err);
/* Whether the console log has the marker the seed prints at the end of cloud-init. */
bool ga_ready_serial(const char *console_log);

#endif
