/* SPDX-License-Identifier: Apache-2.0 */
/* What gpuaas-vm did with a running allocation on its host; results that ga_fold commits. */
#ifndef GA_RECORD_VM_H
#define GA_RECORD_VM_H

#include "record/result.h"

/* Power as it is wanted from now on, and as it was seen after the work. */
struct ga_power {
	char *allocation, *node;
	int64_t generation; /* of the plan in force, as every result names it */
	char *attempt;
	bool dry_run;
	char *power_wanted, *power_observed; /* on, off; observed NULL: could not be looked at */
	char *reason; /* started, already_on, stopped_by_guest, powered_off, already_off,
			 guest_did_not_stop, rebooted, rebuilt, not_started */
	char *order_issued_at; /* of the hold-order, by the state's clock; NULL: a person asked */
	char *at;
	bool lab;
};

/* A console that was shown to somebody: told when it is opened (digest, bytes and ended_at are
 * unknown) and when it is closed. What was shown stays on the host. */
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

/* A port of the host opened to a port of one guest, or closed again. */
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

/* How a tenant's guest is reached; an answer, never folded. */
struct ga_reach {
	char *allocation, *node, *user, *address, *jump_host, *host_key_fingerprint;
	char *known_hosts; /* a line of known_hosts with the published key */
};

extern const char *const ga_proto_words[]; /* tcp, udp */
extern const struct ga_schema ga_power_schema, ga_console_schema, ga_ingress_schema,
	ga_reach_schema;

#endif
