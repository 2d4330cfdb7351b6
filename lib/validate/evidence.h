/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects the evidence of a run for its bundle (gpuaas-validate(1), Bundles): what was seen of
 * each scenario, what the adapter said, its raw files, and the pages that are made of these.
 * Secrets are taken out of all of it (redact.h) before it is kept.
 */
#ifndef GA_VALIDATE_EVIDENCE_H
#define GA_VALIDATE_EVIDENCE_H

#include "record/scenario.h"
#include "record/sign.h"
#include "record/trial.h"
#include "record/validation.h"

/* Bounds of what is kept of a scenario; what is beyond is named in friction.md. */
#define GA_EVIDENCE_RAW_FILES 100
#define GA_EVIDENCE_RAW_BYTES (1 << 20) /* of one file */
#define GA_EVIDENCE_PROTOCOL_BYTES (8 << 20)
#define GA_EVIDENCE_ATTACHED_BYTES (64 << 20) /* of one file that a person attaches */

struct ga_evidence;

/* Begins a bundle now. plan is copied. executed_by: NULL: not said; seed: GA_UNKNOWN: none. */
struct ga_evidence *ga_evidence_new(const struct ga_test_plan *plan, const char *executed_by,
				    int64_t seed);
void ga_evidence_free(struct ga_evidence *evidence);

/* A descriptor for ga_adapter_new, which gets the protocol; it belongs to the evidence. folder: the
 * adapter's, in which its raw files are; the caller keeps the text until the last scenario. */
int ga_evidence_protocol(struct ga_evidence *evidence, const char *folder);
/* Takes the secrets out of what was seen. */
GA_MUST_CHECK int ga_evidence_clean(struct ga_trial *trial, struct ga_err *err);
/* Adds what was seen of a scenario, the protocol since the last one, and the raw files that replies
 * name. said: standard error of the adapter. */
GA_MUST_CHECK int ga_evidence_scenario(struct ga_evidence *evidence,
				       const struct ga_scenario *scenario,
				       const struct ga_trial *trial,
				       const struct ga_verdict *verdict, const char *said,
				       struct ga_err *err);
/* Adds a file of a person: the text of deployment.md, gaps.md, risks.md and friction.md goes to the
 * end of these pages, each other file to attached/NAME. GA_CONFLICT: attached twice; GA_USAGE: its
 * name cannot stand in a bundle, or it is too large; GA_NOTFOUND. */
GA_MUST_CHECK int ga_evidence_attach(struct ga_evidence *evidence, const char *path,
				     struct ga_err *err);
/* Adds the parameters that the adapter gets. */
void ga_evidence_parameters(struct ga_evidence *evidence, json_t *parameters);
/* Writes the bundle to a new file, signed with the key (NULL: not signed). Errors as of
 * ga_pack_write. Sets digest, of GA_DIGEST_SIZE bytes, to the one that names the bundle. */
GA_MUST_CHECK int ga_evidence_write(struct ga_evidence *evidence, const struct ga_sign_key *key,
				    const char *path, char *digest, struct ga_err *err);

#endif
