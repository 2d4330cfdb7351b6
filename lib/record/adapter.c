/* SPDX-License-Identifier: Apache-2.0 */
#include "record/adapter.h"

#include <string.h>

#include "base/err.h"
#include "record/rec.h"

const char *const ga_adapter_verbs[] = { "hello",  "setup",   "queues", "submit",  "change",
					 "cancel", "jobs",    "events", "explain", "state",
					 "plan",   "fault",   "advance", "history", "client",
					 "snapshot", "replay", "teardown", NULL };

#define LISTOF_OPT(s, m, sh, d) GA_FIELD(s, m, GA_F_LIST, GA_OPT, .sub = (sh), .doc = (d))

#define S ga_adapter_request
const struct ga_schema ga_adapter_request_schema = {
	.doc = "a request to an adapter",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_INT_IN(S, protocol, GA_REQ, 1, 1000, "version of the protocol"),
		GA_SERIAL(S, id, GA_REQ, "number of the request; the reply has it too"),
		GA_ENUM(S, verb, GA_REQ, ga_adapter_verbs, "work to do"),
		GA_SECONDS(S, deadline_seconds, GA_REQ,
			   "seconds after which the adapter is ended"),
		GA_JSON(S, params, GA_REQ, "parameters of the verb: gpuaas-adapter(7)"),
		GA_FIELDS_END },
};
#undef S

#define S ga_adapter_reply
const struct ga_schema ga_adapter_reply_schema = {
	.doc = "the reply of an adapter",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_SERIAL(S, id, GA_REQ, "number of the request"),
		GA_BOOL(S, ok, "true: result is the answer; false: error says why there is none"),
		GA_TEXT(S, at, GA_OPT, GA_T_TIME, "time by the adapter's clock"),
		GA_JSON(S, result, GA_OPT, "answer to the verb: gpuaas-adapter(7)"),
		GA_OBJ(S, error, GA_OPT, &ga_trial_error_schema, "why there is no answer"),
		GA_TEXTS(S, raw, GA_OPT, GA_T_ANY,
			 "files below the adapter's folder with the native answers"),
		GA_FIELDS_END },
};
#undef S

#define S ga_adapter_submitted
static const struct ga_schema submitted_schema = {
	.doc = "a job that was submitted",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, name, GA_REQ, GA_T_NAME, "job, as the scenario names it"),
		GA_TEXT(S, id, GA_OPT, GA_T_ANY, "id of the technology; left out: it was refused"),
		GA_OBJ(S, reason, GA_OPT, &ga_trial_reason_schema, "why it was refused"),
		GA_FIELDS_END },
};
#undef S

#define S ga_adapter_submit_result
const struct ga_schema ga_adapter_submit_schema = {
	.doc = "the answer to submit",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_LISTOF(S, jobs, &submitted_schema, "the jobs, each taken or refused"),
		GA_FIELDS_END },
};
#undef S

#define S ga_adapter_jobs_result
const struct ga_schema ga_adapter_jobs_schema = {
	.doc = "the answer to jobs",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_LISTOF(S, jobs, &ga_trial_report_schema,
			  "all jobs that were submitted, also those that ended"),
		GA_FIELDS_END },
};
#undef S

#define S ga_adapter_set_result
const struct ga_schema ga_adapter_set_schema = {
	.doc = "the answer to setup and queues",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXTS(S, ignored, GA_OPT, GA_T_ANY, "settings that the technology cannot take"),
		GA_TEXTS(S, workarounds, GA_OPT, GA_T_ANY,
			 "settings that differ from the technology's defaults"),
		GA_TEXTS(S, differs, GA_OPT, GA_T_ANY, "differences from the scenario's nodes"),
		GA_FIELDS_END },
};
#undef S

#define S ga_adapter_teardown_result
const struct ga_schema ga_adapter_teardown_schema = {
	.doc = "the answer to teardown",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXTS(S, leftovers, GA_OPT, GA_T_ANY,
			 "things that could not be removed; must be empty"),
		GA_FIELDS_END },
};
#undef S

#define S ga_adapter_digest_result
const struct ga_schema ga_adapter_digest_schema = {
	.doc = "the answer to snapshot and replay",
	.size = sizeof(struct S),
	.fields = (const struct ga_field[]){
		GA_TEXT(S, digest, GA_REQ, GA_T_DIGEST, "digest of the state or of its decision"),
		GA_FIELDS_END },
};
#undef S

int ga_adapter_read_reply(const char *line, size_t len, struct ga_adapter_reply *ret,
			  struct ga_err *err)
{
	json_error_t why;
	ga_autojson json_t *json = json_loadb(line, len, JSON_REJECT_DUPLICATES, &why);

	*ret = (struct ga_adapter_reply){ 0 };
	if (!json_is_object(json))
		return ga_fail(err, GA_BADREC, "the reply is no JSON object: %.80s",
			       json ? "the line has another JSON type" : why.text);
	ga_schema_trim(&ga_adapter_reply_schema, json);
	if (ga_schema_parse(&ga_adapter_reply_schema, json, ret, err) < 0)
		return ga_wrap(err, "the reply");
	if (ret->ok == !ret->error)
		return 0;
	ga_schema_release(&ga_adapter_reply_schema, ret);
	return ga_fail(err, GA_BADREC,
		       "the reply is ok and has an error, or is not ok and has none");
}

int ga_adapter_read_result(const struct ga_adapter_reply *reply, const struct ga_schema *schema,
			   void *ret, struct ga_err *err)
{
	/* The result stays in the reply as it came: the protocol of the bundle shows it. */
	ga_autojson json_t *json = json_deep_copy(reply->result);

	if (!json)
		return ga_fail(err, GA_BADREC, "the reply has no result");
	ga_schema_trim(schema, json);
	return ga_schema_parse(schema, json, ret, err) < 0 ? ga_wrap(err, "the result") : 0;
}
