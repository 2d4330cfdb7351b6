/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The VM of a running allocation on this host: power, rebuild, console, ports, access.
 *
 * Everything acts on what the host knows itself: the plan in host.db and the domain that carries
 * the allocation's id. Where this machine also holds the state, names are resolved there and an
 * allocation that is not active is refused. Whatever changes something works under the hold of the
 * allocation, so that a release and this never meet. Nothing else than our own domains is touched.
 */
#ifndef GA_ACT_VM_VM_H
#define GA_ACT_VM_VM_H

#include "act/device/fabric.h"
#include "record/vm.h"

struct ga_vm_opts {
	const char *program; /* for holds and records */
	const char *node;    /* this host's node id */
	const char *host_dir, *images_dir, *libvirt_uri;
	const char *state_path; /* the state on this machine; NULL or no such file: none */
	struct ga_fabric_at fabric;
	const char *scrub_hooks; /* act/device/gpuwipe.h */
	bool dry_run;
	const char *attempt; /* of the order; NULL: a person asks */
	const char *order_issued_at; /* with attempt: tells its result from that of another */
	bool *begun; /* set once the VM is found and held; may be NULL */
	bool undoes_hold; /* a start of what is held; the state moves first, but in a dry run */
	/* As in provision.h. */
	int (*result)(const struct ga_shape *shape, const void *obj, struct ga_err *err);
	int (*progress)(const struct ga_progress *p, struct ga_err *err);
	/* Takes a result into the state of this machine without writing it out. */
	int (*fold)(const struct ga_shape *shape, const void *obj, struct ga_err *err);
	void (*say)(const char *line);
	void (*moving)(const char *what, int64_t done, int64_t total, int64_t started);
};

/*
 * id is everywhere an allocation's id, a unique prefix of one, or a name. GA_NOTFOUND: this host
 * has no such allocation; GA_CONFLICT "wrong_state": it is not active, or being released; GA_BUSY
 * "held": somebody works on it.
 *
 * start, stop and reboot emit one gpuaas.power; it is so already: reason already_on, already_off.
 */
GA_MUST_CHECK int ga_vm_start(const char *id, const struct ga_vm_opts *opts, struct ga_err *err);
/* Asks the guest and waits; force powers it off after that. GA_BUSY "guest_did_not_stop". */
GA_MUST_CHECK int ga_vm_stop(const char *id, int64_t timeout_seconds, bool force,
			     const struct ga_vm_opts *opts, struct ga_err *err);
/* stop and start: the guest begins anew, with its devices reset. */
GA_MUST_CHECK int ga_vm_reboot(const char *id, int64_t timeout_seconds, bool force,
			       const struct ga_vm_opts *opts, struct ga_err *err);

/*
 * The same claim with an empty disk: stopped, the disks wiped by the plan's policy (evidence is
 * kept and emitted), cloned again, the same seed, started, ready. Emits the evidence, the
 * allocation and its power, or a gpuaas.failure; the allocation stays active in any case. Run again
 * after whatever ended it, it starts over.
 */
GA_MUST_CHECK int ga_vm_rebuild(const char *id, int64_t timeout_seconds,
				const struct ga_vm_opts *opts, struct ga_err *err);

/*
 * Leads a port of this host to a port of the guest, and closes it again; in the journal, so that
 * release closes it. Emits gpuaas.ingress. GA_CONFLICT "port_taken": published already, in use by
 * the host, or its sshd's; GA_NOTFOUND "not_published".
 */
GA_MUST_CHECK int ga_vm_publish(const char *id, const char *proto, int64_t port, int64_t to_port,
				const struct ga_vm_opts *opts, struct ga_err *err);
GA_MUST_CHECK int ga_vm_unpublish(const char *id, const char *proto, int64_t port,
				  const struct ga_vm_opts *opts, struct ga_err *err);
/* Emits one record a port that is published by the journal; published is what stands now. Nothing
 * of it is to be folded: opts->result only writes it. */
GA_MUST_CHECK int ga_vm_published(const char *id, const struct ga_vm_opts *opts,
				  struct ga_err *err);

/*
 * Attaches in and out to the serial console until ^] or its end. What it shows is recorded in
 * HOST_DIR/console (0600), and a gpuaas.console record names that in the audit: it is folded and
 * kept beside the recording, never written out. Needs no hold: a release ends it. GA_CONFLICT
 * "vm_off".
 */
GA_MUST_CHECK int ga_vm_console(const char *id, int in, int out, const struct ga_vm_opts *opts,
				struct ga_err *err);

/* The allocation's id, for a person to confirm; allocated. */
GA_MUST_CHECK int ga_vm_resolve(const char *id, const struct ga_vm_opts *opts, char **ret,
				char **name, struct ga_err *err);

/* How the guest is reached; known_hosts (allocated, may be NULL) is a file with its key alone. */
GA_MUST_CHECK int ga_vm_access(const char *id, const struct ga_vm_opts *opts, struct ga_reach *ret,
			       char **known_hosts, struct ga_err *err);

#endif
