/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks a bundle of evidence again: its form, every digest, the signatures, and every verdict,
 * which the judge makes again from the bundle's own scenario and observations. Nothing of a bundle
 * is believed.
 */
#ifndef GA_VALIDATE_VERIFY_H
#define GA_VALIDATE_VERIFY_H

#include "record/scenario.h"
#include "record/sign.h"
#include "record/trial.h"
#include "record/validation.h"
#include "validate/bundle.h"

/* A scenario of a bundle, and the verdict that was made again. */
struct ga_verified_trial {
	struct ga_scenario scenario;
	struct ga_verdict verdict;
};

struct ga_verified_review {
	struct ga_bundle_review review;
	char *signer; /* public key in base64 */
};

/* The content of a bundle, as far as it could be read. */
struct ga_verified {
	const char *bundle; /* its file, borrowed */
	struct ga_validation_bundle manifest; /* zeroed where it cannot be read */
	bool has_manifest;
	char *signer; /* public key of a signature that fits; NULL: none */
	GA_LIST(struct ga_verified_trial) trials; /* by id */
	GA_LIST(struct ga_verified_review) reviews; /* that are right */
	size_t findings;
};
#define ga_autoverified ga_cleanup(ga_verified_release)
void ga_verified_release(struct ga_verified *verified);

struct ga_verify {
	const char *key; /* public key that must have signed; NULL: any, or none */
	const struct ga_test_plan *plan; /* the bundle must be of it; NULL: of any */
	/* Called with each finding; -1 ends the check. */
	int (*found)(const struct ga_bundle_finding *finding, void *data, struct ga_err *err);
	void *data;
};

/* Checks the bundle in the file; pack gets its files. 0 also when there are findings, and when the
 * archive is refused, which is one. -1: the file cannot be opened, or found ended it. The caller
 * releases *pack and *ret. */
GA_MUST_CHECK int ga_verify_file(const char *path, const struct ga_verify *verify,
				 struct ga_pack *pack, struct ga_verified *ret, struct ga_err *err);
/* The same of an archive that was read. exact: see ga_pack_read. name: for findings. */
GA_MUST_CHECK int ga_verify_pack(const struct ga_pack *pack, bool exact, const char *name,
				 const struct ga_verify *verify, struct ga_verified *ret,
				 struct ga_err *err);
/* Reports a finding of the bundle, as the functions above do; object may be NULL. */
GA_MUST_CHECK int ga_verify_found(const struct ga_verify *verify, struct ga_verified *of,
				  const char *code, const char *object, struct ga_err *err,
				  const char *fmt, ...) GA_PRINTF(6, 7);

/* Adds the review, signed with the key, to the files of a bundle, and changes nothing else.
 * GA_CONFLICT: there is one by this name already; GA_USAGE: the name has no letter or digit. */
GA_MUST_CHECK int ga_verify_add_review(struct ga_pack *pack, const struct ga_bundle_review *review,
				       const struct ga_sign_key *key, struct ga_err *err);

#endif
