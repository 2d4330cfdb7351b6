/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of vm.h: the results of gpuaas-vm. */
#include "record/vm.h"

#include "record/words.h"

const char *const ga_proto_words[] = { "tcp", "udp", NULL };

#define S ga_power
const struct ga_schema ga_power_schema = {
	.kind = "gpuaas.power/1",
	.doc = "the power of an allocation's VM, wanted and observed",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the order"),
		GA_TEXT(S, attempt, GA_REQ, GA_T_ID, "attempt of the order"),
		GA_BOOL(S, dry_run, "true: nothing was done"),
		GA_ENUM(S, power_wanted, GA_REQ, ga_power_words, "power wanted from now on"),
		GA_ENUM(S, power_observed, GA_NULLOK, ga_power_words,
			"power seen after the action; null: unknown"),
		GA_TEXT(S, reason, GA_REQ, GA_T_CODE, "result of the action"),
		GA_TEXT(S, order_issued_at, GA_NULLOK, GA_T_TIME,
			"issued_at of the hold-order that this answers; null: a person acted"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when the power was observed"),
		GA_BOOL(S, lab, "true: a lab"),
		GA_FIELDS_END },
};
#undef S

#define S ga_console
const struct ga_schema ga_console_schema = {
	.kind = "gpuaas.console/1",
	.doc = "a session on a serial console, and the path of its recording",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the order"),
		GA_TEXT(S, attempt, GA_REQ, GA_T_ID, "attempt of the order"),
		GA_TEXT(S, path, GA_REQ, GA_T_ANY, "path of the recording on the node"),
		GA_TEXT(S, digest, GA_NULLOK, GA_T_DIGEST,
			"digest of the recording, once it is closed"),
		GA_BYTES(S, bytes, GA_NULLOK, "length of the recording, once it is closed"),
		GA_TEXT(S, started_at, GA_REQ, GA_T_TIME, "when the session was opened"),
		GA_TEXT(S, ended_at, GA_NULLOK, GA_T_TIME, "when the session was closed"),
		GA_BOOL(S, lab, "true: a lab"),
		GA_FIELDS_END },
};
#undef S

#define S ga_ingress
const struct ga_schema ga_ingress_schema = {
	.kind = "gpuaas.ingress/1",
	.doc = "a port of the host that leads to a port of a guest, opened or closed again",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the order"),
		GA_TEXT(S, attempt, GA_REQ, GA_T_ID, "attempt of the order"),
		GA_BOOL(S, dry_run, "true: nothing was done"),
		GA_ENUM(S, proto, GA_REQ, ga_proto_words, "protocol"),
		GA_INT_IN(S, port, GA_REQ, 1, 65535, "port of the host"),
		GA_INT_IN(S, to_port, GA_REQ, 1, 65535, "port of the guest"),
		GA_TEXT(S, address, GA_REQ, GA_T_IP, "address of the guest"),
		GA_BOOL(S, published, "true: the port is open"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when the port was seen so"),
		GA_BOOL(S, lab, "true: a lab"),
		GA_FIELDS_END },
};
#undef S

#define S ga_reach
const struct ga_schema ga_reach_schema = {
	.kind = "gpuaas.access/1",
	.doc = "how to reach the guest of an allocation",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, user, GA_NULLOK, GA_T_ANY, "login of the guest"),
		GA_TEXT(S, address, GA_NULLOK, GA_T_ANY, "address of the guest"),
		GA_TEXT(S, jump_host, GA_NULLOK, GA_T_ANY, "ssh jump host"),
		GA_TEXT(S, host_key_fingerprint, GA_NULLOK, GA_T_ANY,
			"fingerprint of the guest's ssh host key, SHA256:…"),
		GA_TEXT(S, known_hosts, GA_NULLOK, GA_T_ANY, "line for known_hosts with that key"),
		GA_FIELDS_END },
};
#undef S
