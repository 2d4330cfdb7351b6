/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-validate: plans, runs, bundles of evidence. */
#ifndef GA_CLI_VALIDATE_VALIDATE_H
#define GA_CLI_VALIDATE_VALIDATE_H

#include "base/texts.h"
#include "record/sign.h"
#include "validate/suite.h"

/* The options of all commands; NULL, empty or false: not given. */
struct ga_validate_opts {
	const char *scenarios; /* folder */
	struct ga_borrowed_texts only; /* ids */
	const char *adapter;
	const char *out;  /* file of a bundle */
	const char *by, *reason;
	const char *sign; /* file of a private key */
	/* plan */
	bool approve;
	const char *agreed;
	struct ga_borrowed_texts with; /* people */
	/* run */
	struct ga_borrowed_texts attach; /* files */
	const char *param;
	int64_t seed; /* GA_UNKNOWN: none */
	/* verify */
	const char *key; /* public key */
	bool review, rerun;
	const char *verdict;
	/* matrix */
	const char *requirements, *approval; /* files */
	bool markdown, html;
	/* new */
	const char *dir;
};

/* Reads the scenarios of the folder; NULL: those that come with gpuaas. The caller releases *ret.
 */
GA_MUST_CHECK int ga_cli_read_suite(const char *folder, const struct ga_borrowed_texts *only,
				    struct ga_suite *ret, struct ga_err *err);
/* Reads the private key in a PEM file; NULL for NULL. The caller closes *ret. */
GA_MUST_CHECK int ga_cli_read_sign_key(const char *path, struct ga_sign_key **ret,
				       struct ga_err *err);

/* The commands. */
GA_MUST_CHECK int ga_cli_validate_list(const struct ga_validate_opts *opts, struct ga_err *err);
GA_MUST_CHECK int ga_cli_validate_plan(const struct ga_validate_opts *opts, struct ga_err *err);
GA_MUST_CHECK int ga_cli_validate_run(const struct ga_validate_opts *opts, struct ga_err *err);
/* bundles: n files. */
GA_MUST_CHECK int ga_cli_validate_verify(const struct ga_validate_opts *opts,
					 char *const *bundles, int n, struct ga_err *err);
/* The same; prints the matrix of the bundles. */
GA_MUST_CHECK int ga_cli_validate_matrix(const struct ga_validate_opts *opts,
					 char *const *bundles, int n, struct ga_err *err);
/* Makes a folder with an adapter for the technology that answers hello, setup and teardown, and a
 * README.md, and prints their paths. GA_CONFLICT: the folder exists; GA_USAGE: the name cannot be
 * that of a technology. */
GA_MUST_CHECK int ga_cli_validate_new(const struct ga_validate_opts *opts, const char *name,
				      struct ga_err *err);

#endif
