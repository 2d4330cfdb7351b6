/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the JSON Schema of every kind to DIR/NAME.json ("slot.json" of gpuaas.slot/1), and
 * DIR/asyncapi.json, which describes the streams that programs follow, and DIR/adapter-*.json, the
 * messages of adapters of gpuaas-validate: `make schemas` for share/schema, and the check that what
 * is committed there is fresh.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "record/adapter.h"
#include "record/kind.h"
#include "record/node.h"
#include "record/schema.h"
#include "record/state.h"

static int write_json(json_t *json, const char *dir, const char *name)
{
	ga_autofree char *path = ga_xprintf("%s/%s.json", dir, name);
	ga_autofile FILE *f = fopen(path, "w");
	int r = -1;

	if (f && !json_dumpf(json, f, JSON_INDENT(2)) && fputc('\n', f) == '\n' && !fflush(f))
		r = 0;
	if (r < 0)
		fprintf(stderr, "schemas: cannot write '%s': %s\n", path, strerror(errno));
	json_decref(json);
	return r;
}

/* The streams of "gpuaas-list KIND --follow": one record a line on standard output. */
static const struct {
	const char *name, *command, *title, *what;
	const struct ga_schema *schema;
} streams[] = {
	{ "events", "gpuaas-list events --follow --json", "Changes of the state",
	  "One record a line, in the order of seq, as each change is committed. seq grows by one "
	  "with each change, so a reader sees whether it lost any. A reader that was away goes on "
	  "with --after SEQ and its last seq. When a restore replaced the state, the stream ends "
	  "with status 4 and the reason \"restored\"; begin again after a row that both have.",
	  &ga_event_schema },
	{ "audit", "gpuaas-list audit --follow --json", "The audit",
	  "One record a line, in the order of seq, each with the hash of the one before it. A "
	  "reader that was away goes on with --after SEQ and its last seq.",
	  &ga_audit_schema },
};

/* AsyncAPI 3.0 (https://www.asyncapi.com/docs/reference/specification/v3.0.0). A channel's address
 * is the command that opens it: no broker is between a program and its reader. */
static json_t *asyncapi(void)
{
	json_t *channels = json_object(), *operations = json_object(), *messages = json_object();
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(streams); i++) {
		char name[32];
		ga_autofree char *schema = NULL, *in_channel = NULL, *channel = NULL,
				 *message = NULL;

		ga_kind_short(streams[i].schema, name);
		schema = ga_xprintf("./%s.json", name);
		message = ga_xprintf("#/components/messages/%s", name);
		channel = ga_xprintf("#/channels/%s", streams[i].name);
		in_channel = ga_xprintf("%s/messages/%s", channel, name);
		json_object_set_new(messages, name, json_pack(
			"{s:s, s:s, s:s, s:{s:s, s:{s:s}}}", "name", streams[i].schema->kind,
			"summary", streams[i].schema->doc, "contentType", "application/json",
			"payload", "schemaFormat", "application/schema+json;version=2020-12",
			"schema", "$ref", schema));
		json_object_set_new(channels, streams[i].name, json_pack(
			"{s:s, s:s, s:s, s:{s:{s:s}}}", "address", streams[i].command, "title",
			streams[i].title, "description", streams[i].what, "messages", name,
			"$ref", message));
		json_object_set_new(operations, streams[i].name, json_pack(
			"{s:s, s:{s:s}, s:[{s:s}]}", "action", "send", "channel", "$ref", channel,
			"messages", "$ref", in_channel));
	}
	return json_pack("{s:s, s:{s:s, s:s, s:s}, s:s, s:o, s:o, s:{s:o}}", "asyncapi", "3.0.0",
			 "info", "title", "gpuaas: streams that programs follow", "version",
			 GA_VERSION, "description",
			 "Each channel is the standard output of a command, one JSON record a "
			 "line. gpuaas-records(5) describes the records, gpuaas-list(1) the "
			 "commands.",
			 "defaultContentType", "application/json", "channels", channels,
			 "operations", operations, "components", "messages", messages);
}

/* The answer to each verb of an adapter; the others have none that is read. */
static const struct {
	const char *verb;
	const struct ga_schema *schema;
} results[] = {
	{ "hello", &ga_trial_hello_schema },	  { "setup", &ga_adapter_set_schema },
	{ "queues", &ga_adapter_set_schema },	  { "submit", &ga_adapter_submit_schema },
	{ "jobs", &ga_adapter_jobs_schema },	  { "explain", &ga_trial_explanation_schema },
	{ "state", &ga_trial_state_schema },	  { "plan", &ga_trial_plan_schema },
	{ "events", &ga_trial_events_schema },	  { "snapshot", &ga_adapter_digest_schema },
	{ "replay", &ga_adapter_digest_schema },  { "teardown", &ga_adapter_teardown_schema },
};

/* Messages of other people's programs: members that are not known are ignored. */
static json_t *opened(json_t *schema)
{
	const char *name;
	json_t *member;
	size_t i;

	json_object_del(schema, "additionalProperties");
	json_object_foreach(schema, name, member)
		opened(member);
	json_array_foreach(schema, i, member)
		opened(member);
	return schema;
}

static json_t *adapter_results(void)
{
	json_t *defs = json_object();
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(results); i++) {
		json_t *schema = opened(ga_json_schema_of(results[i].schema));

		json_object_del(schema, "$schema");
		json_object_set_new(defs, results[i].verb, schema);
	}
	return json_pack("{s:s, s:s, s:o}", "$schema",
			 "https://json-schema.org/draft/2020-12/schema", "description",
			 "the result of a reply of an adapter, by the verb of the request: "
			 "gpuaas-adapter(7)",
			 "$defs", defs);
}

static int write_adapter(const char *dir)
{
	if (write_json(opened(ga_json_schema_of(&ga_adapter_request_schema)), dir,
		       "adapter-request") < 0 ||
	    write_json(opened(ga_json_schema_of(&ga_adapter_reply_schema)), dir,
		       "adapter-reply") < 0)
		return -1;
	return write_json(adapter_results(), dir, "adapter-results");
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc != 2) {
		fprintf(stderr, "usage: schemas DIR\n");
		return 2;
	}
	if (mkdir(argv[1], 0777) < 0 && errno != EEXIST) {
		fprintf(stderr, "schemas: cannot make '%s': %s\n", argv[1], strerror(errno));
		return 1;
	}
	for (i = 0; ga_kinds[i]; i++) {
		char name[32];

		ga_kind_short(ga_kinds[i], name);
		if (write_json(ga_json_schema_of(ga_kinds[i]), argv[1], name) < 0)
			return 1;
	}
	return write_json(asyncapi(), argv[1], "asyncapi") < 0 || write_adapter(argv[1]) < 0;
}
