/* SPDX-License-Identifier: Apache-2.0 */
/* The schemas of vm.h: the results of gpuaas-vm. */
#include "record/vm.h"

#include "record/words.h"

const char *const ga_proto_words[] = { "tcp", "udp", NULL };

#define S ga_power
const struct ga_schema ga_power_schema = {
	.kind = "gpuaas.power/1",
	.doc = "power of an allocation's VM, as wanted and as seen",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the order"),
		GA_TEXT(S, attempt, GA_REQ, GA_T_ID, "attempt of the order"),
		GA_BOOL(S, dry_run, "nothing was done"),
		GA_ENUM(S, power_wanted, GA_REQ, ga_power_words, "power wanted from now on"),
		GA_ENUM(S, power_observed, GA_NULLOK, ga_power_words, "power seen after it"),
		GA_TEXT(S, reason, GA_REQ, GA_T_CODE, "what happened"),
		GA_TEXT(S, order_issued_at, GA_NULLOK, GA_T_TIME,
			"issued_at of the hold-order it answers; null: a person asked"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when"),
		GA_BOOL(S, lab, "of a lab"),
		GA_FIELDS_END },
};
#undef S

#define S ga_console
const struct ga_schema ga_console_schema = {
	.kind = "gpuaas.console/1",
	.doc = "a serial console that was shown to somebody, and where its recording lies",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the order"),
		GA_TEXT(S, attempt, GA_REQ, GA_T_ID, "attempt of the order"),
		GA_TEXT(S, path, GA_REQ, GA_T_ANY, "the recording, on the node"),
		GA_TEXT(S, digest, GA_NULLOK, GA_T_DIGEST, "of the recording, once it is closed"),
		GA_BYTES(S, bytes, GA_NULLOK, "length of the recording, once it is closed"),
		GA_TEXT(S, started_at, GA_REQ, GA_T_TIME, "when it was opened"),
		GA_TEXT(S, ended_at, GA_NULLOK, GA_T_TIME, "when it was closed"),
		GA_BOOL(S, lab, "of a lab"),
		GA_FIELDS_END },
};
#undef S

#define S ga_ingress
const struct ga_schema ga_ingress_schema = {
	.kind = "gpuaas.ingress/1",
	.doc = "a port of the host that leads to a port of one guest, or does no longer",
	.size = sizeof(struct S),
	.is_signed = true,
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_SERIAL(S, generation, GA_REQ, "generation of the order"),
		GA_TEXT(S, attempt, GA_REQ, GA_T_ID, "attempt of the order"),
		GA_BOOL(S, dry_run, "nothing was done"),
		GA_ENUM(S, proto, GA_REQ, ga_proto_words, "protocol"),
		GA_INT_IN(S, port, GA_REQ, 1, 65535, "port of the host"),
		GA_INT_IN(S, to_port, GA_REQ, 1, 65535, "port of the guest"),
		GA_TEXT(S, address, GA_REQ, GA_T_IP, "address of the guest"),
		GA_BOOL(S, published, "the port is open"),
		GA_TEXT(S, at, GA_REQ, GA_T_TIME, "when it was seen so"),
		GA_BOOL(S, lab, "of a lab"),
		GA_FIELDS_END },
};
#undef S

#define S ga_reach
const struct ga_schema ga_reach_schema = {
	.kind = "gpuaas.access/1",
	.doc = "how the guest of an allocation is reached",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, allocation, GA_REQ, GA_T_ID, "allocation id"),
		GA_TEXT(S, node, GA_REQ, GA_T_NAME, "node id"),
		GA_TEXT(S, user, GA_NULLOK, GA_T_ANY, "login"),
		GA_TEXT(S, address, GA_NULLOK, GA_T_ANY, "address"),
		GA_TEXT(S, jump_host, GA_NULLOK, GA_T_ANY, "ssh jump host"),
		GA_TEXT(S, host_key_fingerprint, GA_NULLOK, GA_T_ANY, "SHA256:… of its host key"),
		GA_TEXT(S, known_hosts, GA_NULLOK, GA_T_ANY, "line of known_hosts with that key"),
		GA_FIELDS_END },
};
#undef S
