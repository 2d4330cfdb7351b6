/* SPDX-License-Identifier: Apache-2.0 */
/* The results of gpuaas-vm, which works on a running allocation on its host. ga_fold commits them
 * to the state. */
#ifndef GA_RECORD_VM_H
#define GA_RECORD_VM_H

#include "record/result.h"

/* The power that is wanted from now on, and the power that was observed after the work. */
struct ga_power {
	char *allocation, *node;
	int64_t generation; /* of the plan in force, as every result names it */
	char *attempt;
	bool dry_run;
	char *power_wanted, *power_observed; /* on, off; power_observed NULL: unknown */
	char *reason; /* started, already_on, stopped, powered_off, already_off,
			 guest_did_not_stop, rebooted, rebuilt, not_started */
	char *order_issued_at; /* of the hold-order, by the state's clock; NULL: a person did it */
	char *at;
	bool lab;
};

/* A console session. gpuaas-vm reports it when it opens (digest, bytes and ended_at are unknown)
 * and when it closes. The recording of the session stays on the host. */
struct ga_console {
	char *allocation, *node;
	int64_t generation;
	char *attempt;
	char *path; /* of the recording, on the host */
	char *digest;
	int64_t bytes;
	char *started_at, *ended_at;
	bool lab;
};

/* A port of the host that leads to a port of one guest; opened, or closed again. */
struct ga_ingress {
	char *allocation, *node;
	int64_t generation;
	char *attempt;
	bool dry_run;
	char *proto; /* tcp, udp */
	int64_t port, to_port;
	char *address; /* of the guest */
	bool published;
	char *at;
	bool lab;
};

/* The way to reach a tenant's guest; only an answer, never committed to the state. */
struct ga_reach {
	char *allocation, *node, *user, *address, *jump_host, *host_key_fingerprint;
	char *known_hosts; /* a line for ssh's known_hosts with the published host key */
};

extern const char *const ga_proto_words[]; /* tcp, udp */
extern const struct ga_schema ga_power_schema, ga_console_schema, ga_ingress_schema,
	ga_reach_schema;

#endif
