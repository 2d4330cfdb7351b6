/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kinds of records: every schema that a line may have. The structs are in host.h (discovery of
 * a host), request.h (requests and answers), plan.h, release.h and wipe.h (orders to a host),
 * expectation.h (expected state of a node), result.h (results of a host), vm.h (results of
 * gpuaas-vm), inventory.h (inventory of a host), state.h (the content of the state), and in a
 * header by the subject for the rest: accel, access, boot, match, node, notice, offer, pod, report,
 * scenario, trial and validation (of the validation suite).
 */
#ifndef GA_RECORD_KIND_H
#define GA_RECORD_KIND_H

#include "base/ga.h"
#include "record/schema.h"

/* All kinds, NULL-terminated, in the order of gpuaas-records(5). */
extern const struct ga_schema *const ga_kinds[];

/* Finds the schema of "gpuaas.NAME/VERSION". Returns 0 and sets *ret; *ret is NULL for a
 * well-formed gpuaas kind that this program does not know (pass such a record on). GA_BADREC: the
 * kind is not gpuaas's, or this program has another version of it. */
GA_MUST_CHECK int ga_kind_find(const char *kind, const struct ga_schema **ret, struct ga_err *err);
/* The kind that a person names as "slot", "gpuaas.slot" or "gpuaas.slot/1"; a point and a path may
 * follow ("slot.gpu.uuid"). *member is that rest of word with its point, or "". NULL: no kind. */
const struct ga_schema *ga_kind_named(const char *word, const char **member);
/* Writes the short name to out, as --help and command lines use it: "slot" for "gpuaas.slot/1". */
char *ga_kind_short(const struct ga_schema *schema, char out[32]);

#endif
