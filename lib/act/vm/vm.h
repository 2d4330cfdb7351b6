/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The VM of a running allocation on this host: power, rebuild, console, ports, access.
 *
 * Everything acts on the host's own records: the plan in host.db and the domain that has the
 * allocation's id. Where this machine also has the state, names are resolved there and an
 * allocation that is not active is refused. Functions that change something lock the allocation, so
 * that a release never runs at the same time. Only our own domains are touched.
 */
#ifndef GA_ACT_VM_VM_H
#define GA_ACT_VM_VM_H

#include "act/device/fabric.h"
#include "act/vm/work.h"
#include "record/vm.h"

struct ga_vm_opts {
	const char *program; /* for locks and records */
	const char *node;    /* this host's node id */
	const char *host_dir, *images_dir, *libvirt_uri;
	const char *state_path; /* the state on this machine; NULL, or no such file: none */
	struct ga_fabric_at fabric;
	const char *scrub_hooks; /* act/device/gpuwipe.h */
	bool dry_run;
	const char *attempt; /* of the order; NULL: a person runs the command */
	const char *order_issued_at; /* with attempt: the order that the result answers */
	bool *begun; /* set to true once the VM is found and locked; may be NULL */
	/* A start that ends the hold of a stopped VM: the state has recorded the start already,
	 * except in a dry run. */
	bool undoes_hold;
	struct ga_work_to to;
	/* Applies a result to the state on this machine without writing it out. */
	int (*fold)(const struct ga_schema *schema, const void *obj, struct ga_err *err);
};

/*
 * Everywhere: id is an allocation's id, a unique prefix of one, or a name. GA_NOTFOUND: this host
 * has no such allocation. GA_CONFLICT: "wrong_state", it is not active or is being released;
 * "no_vm", it is baremetal. GA_BUSY "held": another program works on it.
 *
 * start, stop and reboot emit one gpuaas.power record. When there is nothing to do its reason is
 * already_on or already_off.
 */
GA_MUST_CHECK int ga_vm_start(const char *id, const struct ga_vm_opts *opts, struct ga_err *err);
/* Asks the guest to shut down and waits. If the guest is still on then: with force it is powered
 * off, without force the result is GA_BUSY "guest_did_not_stop". */
GA_MUST_CHECK int ga_vm_stop(const char *id, int64_t timeout_seconds, bool force,
			     const struct ga_vm_opts *opts, struct ga_err *err);
/* Stops and starts the VM: the guest boots with its devices reset. */
GA_MUST_CHECK int ga_vm_reboot(const char *id, int64_t timeout_seconds, bool force,
			       const struct ga_vm_opts *opts, struct ga_err *err);

/*
 * Gives the allocation a fresh copy of its image: stops the VM, wipes its disks by the plan's
 * policy (the evidence is kept and emitted), clones the image again, starts the VM with the same
 * seed and waits until it is ready. Emits the evidence, the allocation and its power, or a
 * gpuaas.failure; the allocation stays active in any case. When it is run again, it starts over,
 * however the last run ended.
 */
GA_MUST_CHECK int ga_vm_rebuild(const char *id, int64_t timeout_seconds,
				const struct ga_vm_opts *opts, struct ga_err *err);

/*
 * publish forwards a port of this host (proto is tcp or udp) to a port of the guest; unpublish
 * closes it. The port is in the journal, so that release closes it too. Both emit gpuaas.ingress.
 * GA_CONFLICT "port_taken": published already, in use by the host, or a port of the host's sshd;
 * GA_NOTFOUND "not_published".
 */
GA_MUST_CHECK int ga_vm_publish(const char *id, const char *proto, int64_t port, int64_t to_port,
				const struct ga_vm_opts *opts, struct ga_err *err);
GA_MUST_CHECK int ga_vm_unpublish(const char *id, const char *proto, int64_t port,
				  const struct ga_vm_opts *opts, struct ga_err *err);
/* Emits one record for each published port of the journal; its member published shows whether the
 * host forwards the port now. opts->to.result must only write these records out: they are no
 * results. */
GA_MUST_CHECK int ga_vm_published(const char *id, const struct ga_vm_opts *opts,
				  struct ga_err *err);

/*
 * Attaches the descriptors in and out to the serial console until ^] or its end. The guest's output
 * is recorded in HOST_DIR/console (mode 0600). A gpuaas.console record names the recording: it is
 * applied to the state, for the audit, and kept beside the recording, never written out. Takes no
 * lock: a release ends the session. GA_CONFLICT "vm_off".
 */
GA_MUST_CHECK int ga_vm_console(const char *id, int in, int out, const struct ga_vm_opts *opts,
				struct ga_err *err);

/* The allocation's id and its name (NULL: none), for a person to confirm; both are allocated. */
GA_MUST_CHECK int ga_vm_resolve(const char *id, const struct ga_vm_opts *opts, char **ret,
				char **name, struct ga_err *err);

/* Reads how to reach the guest. Release ret with ga_schema_release(&ga_reach_schema, …), also after
 * an error. known_hosts: the path of a file that has only the guest's host key, allocated, or
 * NULL. */
GA_MUST_CHECK int ga_vm_access(const char *id, const struct ga_vm_opts *opts, struct ga_reach *ret,
			       char **known_hosts, struct ga_err *err);

#endif
