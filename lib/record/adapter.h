/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The messages between gpuaas-validate and an adapter (gpuaas-adapter(7)): one JSON object a line,
 * a request and its reply. They are no gpuaas records: an adapter is somebody else's program.
 * Members that are not known are ignored, on both sides.
 */
#ifndef GA_RECORD_ADAPTER_H
#define GA_RECORD_ADAPTER_H

#include "base/texts.h"
#include "record/schema.h"
#include "record/scenario.h"
#include "record/trial.h"

#define GA_ADAPTER_PROTOCOL 1

struct ga_adapter_request {
	int64_t protocol;
	int64_t id; /* from 1, one more each time */
	char *verb; /* ga_adapter_verbs */
	int64_t deadline_seconds;
	json_t *params; /* by the verb */
};

struct ga_adapter_reply {
	int64_t id;
	bool ok;
	char *at;	  /* the adapter's clock; NULL: not said */
	json_t *result; /* by the verb; NULL: none */
	struct ga_trial_error *error; /* when ok is false */
	struct ga_texts raw; /* files below its folder with the native answers */
};

/* The answer of an adapter about one job that was submitted. */
struct ga_adapter_submitted {
	char *name;
	char *id;    /* NULL: it was refused */
	struct ga_trial_reason *reason; /* of a refusal */
};

/* The results of the verbs that have no schema of their own in record/trial.h. */
struct ga_adapter_submit_result {
	GA_LIST(struct ga_adapter_submitted) jobs;
};
struct ga_adapter_jobs_result {
	GA_LIST(struct ga_trial_report) jobs;
};
/* Of setup and queues. */
struct ga_adapter_set_result {
	struct ga_texts ignored;     /* settings that the technology cannot take */
	struct ga_texts workarounds; /* settings that differ from its defaults */
	struct ga_texts differs;     /* of setup: "l4 instead of t4" */
};
struct ga_adapter_teardown_result {
	struct ga_texts leftovers; /* must be empty */
};
struct ga_adapter_digest_result {
	char *digest;
};

extern const char *const ga_adapter_verbs[];

extern const struct ga_schema ga_adapter_request_schema, ga_adapter_reply_schema,
	ga_adapter_submit_schema, ga_adapter_jobs_schema, ga_adapter_set_schema,
	ga_adapter_teardown_schema, ga_adapter_digest_schema;

/* Reads one line of an adapter. GA_BADREC: it is no reply, and the message says why. */
GA_MUST_CHECK int ga_adapter_read_reply(const char *line, size_t len, struct ga_adapter_reply *ret,
					struct ga_err *err);
/* Reads the result of a reply by the schema of its verb; GA_BADREC. */
GA_MUST_CHECK int ga_adapter_read_result(const struct ga_adapter_reply *reply,
					 const struct ga_schema *schema, void *ret,
					 struct ga_err *err);

#endif
