/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of records: every shape that may stand on a line. The structs are in host.h (what a
 * host shows), request.h (what somebody wants), plan.h, release.h and wipe.h (orders to a host),
 * expectation.h (what a node should look like), result.h (what a host did), vm.h (what gpuaas-vm
 * did), inventory.h (what a host knows of itself) and state.h (what the state holds).
 */
#ifndef GA_RECORD_KIND_H
#define GA_RECORD_KIND_H

#include "base/ga.h"
#include "record/schema.h"

/* All kinds, NULL-terminated, in the order of gpuaas-records(5). */
extern const struct ga_schema *const ga_kinds[];

/* The shape of "gpuaas.NAME/VERSION". 0 with *ret set, or with *ret NULL for a well-formed gpuaas
 * kind that this version does not know (to be passed on). GA_BADREC: outside gpuaas, or of a
 * higher version than the one known. */
GA_MUST_CHECK int ga_kind_find(const char *kind, const struct ga_schema **ret, struct ga_err *err);
/* "slot" of "gpuaas.slot/1", as used in --help and on command lines; writes to out. */
char *ga_kind_short(const struct ga_schema *schema, char out[32]);

#endif
