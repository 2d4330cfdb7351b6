/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The readiness check: whether a VM serves its tenant. A VM that does not prove it before the
 * deadline fails its allocation.
 */
#ifndef GA_ACT_VM_READY_H
#define GA_ACT_VM_READY_H

#include "base/vec.h"

struct ga_plan;

/* The seconds that a VM may take from its start until it is ready: ready_seconds of its image, else
 * 180; plus 2 for each GiB of memory (pinning is linear in it) and 60 for each GPU (drivers and
 * firmware). Without ready_seconds it is at most two hours. */
int64_t ga_ready_seconds(const struct ga_plan *plan);

/*
 * Whether sshd answers at the address with the host key that the seed gave the guest. known_hosts
 * is the path of a file of ours that has only that key. 1 yes; 0 not yet; -1: GA_CONFLICT
 * "host_key_mismatch" when another key answers, GA_EXTERNAL when ssh cannot be run. It needs no
 * login: the key exchange comes first, so a server that then refuses the login has proved its key.
 */
GA_MUST_CHECK int ga_ready_ssh(const char *user, const char *address, const char *known_hosts,
			       struct ga_err *err);
/* Whether the console log has the marker that the seed prints at the end of cloud-init. */
bool ga_ready_serial(const char *console_log);

#endif
