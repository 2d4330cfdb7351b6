/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables for people: the columns of each kind, aligned over the rows that stand together. A kind
 * without columns here is shown as "member: value" lines.
 */
#include "cost.h"
#include "emit.h"
#include "kind_accel.h"
#include "kind_access.h"
#include "kind_boot.h"
#include "kind_host.h"
#include "kind_match.h"
#include "kind_node.h"
#include "kind_notice.h"
#include "kind_offer.h"
#include "kind_order.h"
#include "kind_pod.h"
#include "kind_report.h"
#include "kind_result.h"
#include "kind_state.h"
#include "kind_vm.h"
#include "size.h"
#include "time.h"
#include "vec.h"

#define COLUMNS_MAX 13

struct column {
	const char *title;
	const char *path; /* "gpu.type_name": members from the record down */
};

struct view {
	const struct ga_shape *shape;
	const char *rows; /* a list whose elements are the rows; NULL: the record is one */
	struct column columns[COLUMNS_MAX + 1];
};

static const struct view views[] = {
	{ &ga_host_shape, NULL,
	  { { "NODE", "node" }, { "PRODUCT", "product" }, { "KERNEL", "kernel" },
	    { "CPUS", "cpus" }, { "MEMORY MIB", "memory_mib" }, { "BLOCKERS", "blockers" },
	    { "WARNINGS", "warnings" } } },
	{ &ga_candidate_shape, NULL,
	  { { "NODE", "node" }, { "#", "slot_index" }, { "GPU", "gpu.pci_address" },
	    { "TYPE", "gpu.type_name" }, { "NUMA", "numa_node" }, { "NVME", "nvme.path" },
	    { "SIZE", "nvme.size_bytes" }, { "FABRIC VF", "fabric.vf_pci_address" },
	    { "MAC", "suggested.mac" }, { "IN THE WAY", "reasons" } } },
	{ &ga_slot_shape, NULL,
	  { { "SLOT", "slot" }, { "NODE", "node" }, { "#", "slot_index" }, { "STATE", "state" },
	    { "TYPE", "type_name" }, { "GPU", "gpu_pci_address" }, { "NVME", "nvme_wwid" },
	    { "NUMA", "numa_node" }, { "ALLOCATION", "allocation" }, { "TAINTED", "tainted" },
	    { "GPU MEMORY", "gpu_memory" }, { "BLOCKERS", "blockers" } } },
	{ &ga_node_shape, NULL,
	  { { "NODE", "node" }, { "NAME", "name" }, { "STATE", "state" }, { "MODE", "mode" },
	    { "POOL", "pool" }, { "SLOTS", "slots" }, { "AVAILABLE", "available" },
	    { "HELD BY", "held_by" }, { "OBSERVED", "observed_at" },
	    { "OUT BECAUSE", "cordon_reason" }, { "BLOCKERS", "blockers" } } },
	{ &ga_maintenance_shape, NULL,
	  { { "MAINTENANCE", "maintenance" }, { "NODE", "node" }, { "STATE", "state" },
	    { "FROM", "from" }, { "TO", "to" }, { "WHAT FOR", "reason" },
	    { "BY", "created_by" } } },
	{ &ga_drain_blocker_shape, NULL,
	  { { "IN THE WAY", "object" }, { "WHAT", "object_kind" }, { "STATE", "state" },
	    { "PROJECT", "project" }, { "OWNER", "owner" }, { "UNTIL", "until" },
	    { "COMMAND", "command" } } },
	{ &ga_event_shape, NULL,
	  { { "SEQ", "seq" }, { "AT", "at" }, { "ACTION", "action" }, { "OBJECT", "object" },
	    { "WHAT", "object_kind" }, { "NODE", "node" }, { "PROJECT", "project" },
	    { "ACTOR", "actor" } } },
	{ &ga_profile_shape, NULL,
	  { { "PROFILE", "name" }, { "VERSION", "version" }, { "SHAPE", "shape" },
	    { "COUNTS", "counts" }, { "VCPUS/GPU", "vcpus_per_gpu" },
	    { "MIB/GPU", "memory_mib_per_gpu" }, { "IMAGE", "image" },
	    { "WIPE", "wipe.minimum_class" }, { "VERIFY", "wipe.verify" },
	    { "PRICE/HOUR", "price_micros" }, { "RETIRED", "retired" }, { "TEAMS", "teams" },
	    { "TYPES", "types" } } },
	{ &ga_image_shape, NULL,
	  { { "IMAGE", "name" }, { "FORMAT", "format" }, { "SIZE", "size_bytes" },
	    { "FIRMWARE", "firmware" }, { "PROBE", "probe" }, { "DIGEST", "digest" } } },
	{ &ga_node_image_shape, NULL,
	  { { "NODE", "node" }, { "IMAGE", "image" }, { "PATH", "path" }, { "SIZE", "file_bytes" },
	    { "VERIFIED", "verified_at" }, { "WITHDRAWN", "withdrawn_at" },
	    { "USED BY", "used_by" } } },
	{ &ga_plan_shape, NULL,
	  { { "ALLOCATION", "allocation" }, { "NODE", "node" }, { "SHAPE", "shape" },
	    { "GPUS", "count" }, { "PROFILE", "profile" }, { "VCPUS", "vcpus" },
	    { "MIB", "memory_mib" }, { "IP", "private_ip" }, { "EXPIRES", "expires_at" },
	    { "DRY RUN", "dry_run" } } },
	{ &ga_explanation_shape, "nodes",
	  { { "NODE", "node" }, { "TAKEN", "taken" }, { "WHY NOT", "code" },
	    { "DETAIL", "detail" }, { "SCORE (SMALLER WINS, FIRST TERM FIRST)", "terms" } } },
	{ &ga_refusal_shape, NULL,
	  { { "REFUSED", "code" }, { "PROFILE", "profile" }, { "GPUS", "count" },
	    { "WHY", "sentence" }, { "WHAT TO DO", "hint" } } },
	{ &ga_progress_shape, NULL,
	  { { "OBJECT", "object" }, { "PHASE", "phase" }, { "STATE", "state" },
	    { "BYTES", "bytes" }, { "DETAIL", "detail" } } },
	{ &ga_allocation_shape, NULL,
	  { { "ALLOCATION", "allocation" }, { "NAME", "name" }, { "STATE", "state" },
	    { "NODE", "node" }, { "PROJECT", "project" }, { "PROFILE", "profile" },
	    { "GPUS", "count" }, { "POWER", "power_observed" }, { "ADDRESS", "access.address" },
	    { "SINCE", "since" }, { "REASON", "reason" } } },
	{ &ga_released_shape, NULL,
	  { { "RELEASED", "allocation" }, { "NODE", "node" }, { "SLOTS", "slots" },
	    { "AT", "at" } } },
	{ &ga_hold_order_shape, NULL,
	  { { "HOLD ORDER", "allocation" }, { "ACTION", "action" }, { "NODE", "node" },
	    { "UNTIL", "until" } } },
	{ &ga_wipe_order_shape, NULL,
	  { { "WIPE ORDER", "object" }, { "NODE", "node" }, { "DISK", "nvme_wwid" },
	    { "SIZE", "nvme_size_bytes" }, { "CAUSE", "cause" },
	    { "CLASS", "wipe.minimum_class" }, { "DESTROYS", "destroy_data" } } },
	{ &ga_wipe_evidence_shape, NULL,
	  { { "EVIDENCE", "evidence" }, { "SLOT", "object" }, { "DISK", "device.wwid" },
	    { "OUTCOME", "outcome" }, { "CLASS", "class" }, { "READ BACK", "read_back.bytes_read" },
	    { "NOT ZERO", "read_back.mismatches" }, { "GPU MEMORY", "gpu_memory.outcome" },
	    { "REASON", "reason" } } },
	{ &ga_drift_shape, NULL,
	  { { "SEVERITY", "severity" }, { "DRIFT", "code" }, { "OBJECT", "object" },
	    { "EXPECTED", "expected" }, { "OBSERVED", "observed" }, { "REPAIRED", "repaired" },
	    { "COMMAND", "command" } } },
	{ &ga_observation_shape, NULL,
	  { { "NODE", "node" }, { "AGREED", "agreed" }, { "DRIFTS", "drifts" },
	    { "JOURNAL OPEN", "journal_open" }, { "AT", "at" } } },
	{ &ga_failure_shape, NULL,
	  { { "FAILED", "object" }, { "PHASE", "phase" }, { "CODE", "code" },
	    { "WHY", "sentence" }, { "WHAT TO DO", "hint" } } },
	{ &ga_node_end_shape, NULL,
	  { { "NODE", "node" }, { "COMPLETE", "complete" }, { "STATUS", "status" },
	    { "ORDERS", "orders" }, { "RECORDS", "records" }, { "AT", "at" } } },
	{ &ga_power_shape, NULL,
	  { { "ALLOCATION", "allocation" }, { "WANTED", "power_wanted" },
	    { "OBSERVED", "power_observed" }, { "WHAT HAPPENED", "reason" }, { "AT", "at" } } },
	{ &ga_ingress_shape, NULL,
	  { { "ALLOCATION", "allocation" }, { "PROTO", "proto" }, { "PORT", "port" },
	    { "ADDRESS", "address" }, { "TO PORT", "to_port" }, { "PUBLISHED", "published" } } },
	{ &ga_claim_shape, NULL,
	  { { "CLAIM", "claim" }, { "ALLOCATION", "allocation" }, { "NODE", "node" },
	    { "SLOT", "slot" }, { "KIND", "claim_kind" }, { "LIVE", "live" },
	    { "SINCE", "created_at" }, { "ENDED", "ended_at" } } },
	{ &ga_task_shape, NULL,
	  { { "OBJECT", "object" }, { "PHASE", "phase" }, { "STATE", "state" },
	    { "STARTED", "started_at" }, { "MICROS", "elapsed_micros" }, { "BYTES", "bytes" },
	    { "DETAIL", "detail" } } },
	{ &ga_usage_shape, NULL,
	  { { "ALLOCATION", "allocation" }, { "PROJECT", "project" }, { "KIND", "usage_kind" },
	    { "GPUS", "count" }, { "FROM", "started_at" }, { "TO", "ended_at" } } },
	{ &ga_audit_shape, NULL,
	  { { "SEQ", "seq" }, { "AT", "at" }, { "ACTOR", "actor" }, { "PROGRAM", "program" },
	    { "ACTION", "action" }, { "OBJECT", "object" } } },
	{ &ga_attention_shape, NULL,
	  { { "OBJECT", "object" }, { "STATE", "state" }, { "SINCE", "since" },
	    { "PROJECT", "project" }, { "WHY", "sentence" }, { "COMMAND", "command" } } },
	{ &ga_notice_shape, NULL,
	  { { "NOTICE", "notice" }, { "CHANGE", "change" }, { "HOOK", "hook" },
	    { "TOLD", "told" }, { "CODE", "code" }, { "OBJECT", "object" }, { "WHY", "sentence" },
	    { "FAILURE", "failure" } } },
	{ &ga_pool_shape, NULL,
	  { { "POOL", "pool" }, { "TYPE", "type" }, { "NODES", "nodes" }, { "SLOTS", "slots" },
	    { "AVAILABLE", "available" }, { "ACTIVE", "active" }, { "CLEANING", "cleaning" },
	    { "BLOCKED", "blocked" }, { "DISABLED", "disabled" }, { "LARGEST", "largest" },
	    { "FRAGMENTED PPM", "fragmentation_ppm" } } },
	{ &ga_hardware_profile_shape, NULL,
	  { { "PROFILE", "name" }, { "WHAT", "summary" }, { "AT ONCE", "largestAvailable" },
	    { "OF", "totalCount" }, { "UNKNOWN", "unknownCount" },
	    { "EXPECTED", "expectedAvailableAt" }, { "COUNTS", "counts" },
	    { "PRICE/HOUR", "priceMicros" }, { "CURRENCY", "currency" },
	    { "AGE S", "staleSeconds" }, { "VERSION", "version" }, { "TEAMS", "teams" },
	    { "RETIRED", "retired" } } },
	{ &ga_accelerator_shape, NULL,
	  { { "TYPE", "slug" }, { "NAME", "name" }, { "GB", "memory.gpu_gb" },
	    { "MEMORY", "memory.type" }, { "MB/S", "memory.bandwidth_mb_s" },
	    { "ARCHITECTURE", "architecture.name" },
	    { "CC", "architecture.compute_capability" }, { "BF16 GFLOPS", "dense.bf16_gflops" },
	    { "FP8 GFLOPS", "dense.fp8_gflops" }, { "WATT", "power.tdp_w" },
	    { "FROM", "origin" } } },
	{ &ga_node_view_shape, NULL,
	  { { "NODE", "node" }, { "NAME", "name" }, { "ACCELERATORS", "summary" },
	    { "GPUS", "gpus" },
	    { "ALLOCATABLE", "allocatable" }, { "NODE MIB", "node_memory_mib" },
	    { "STATE", "state" }, { "AGE S", "age_seconds" },
	    { "WARNINGS", "warnings" } } },
	{ &ga_label_finding_shape, NULL,
	  { { "NODE", "node" }, { "PLATFORM", "platform" }, { "SEVERITY", "severity" },
	    { "FINDING", "code" }, { "LABEL", "label" }, { "VALUE", "value" }, { "TYPE", "type" },
	    { "WHAT IT MEANS", "sentence" }, { "WHAT TO DO", "hint" } } },
	{ &ga_pod_patch_shape, NULL,
	  { { "NAMESPACE", "namespace" }, { "POD", "name" }, { "NODE", "node" },
	    { "ASKS FOR", "resource" }, { "STATE", "state" }, { "TYPE", "type" },
	    { "ANNOTATED", "annotated" }, { "BASIS", "basis" }, { "WARNINGS", "warnings" } } },
	{ &ga_allocation_match_shape, NULL,
	  { { "TYPE COUNTED ON", "match.accelerator_type" }, { "GPUS", "match.count" },
	    { "TOKENS/S", "match.tokens_per_second_milli" }, { "HOURS", "match.seconds" },
	    { "COST", "match.cost_micros" }, { "BASIS", "match.basis" },
	    { "GIVEN UP", "match.fallback" } } },
	{ &ga_match_shape, NULL,
	  { { "#", "rank" }, { "PROFILE", "profile" }, { "TYPE", "type_name" },
	    { "GPUS", "count" }, { "FITS", "fits" }, { "AVAILABLE", "availability" },
	    { "SLO", "slo" }, { "TOKENS/S", "tokens_per_second_milli" },
	    { "HOURS", "seconds" }, { "COST", "cost_micros" },
	    { "AN HOUR", "cost_per_hour_micros" }, { "CURRENCY", "currency" },
	    { "AGAINST IT", "reasons" } } },
	{ &ga_bootstrap_step_shape, NULL,
	  { { "STATE", "state" }, { "STEP", "step" }, { "SUBJECT", "subject" },
	    { "WHY", "reason" }, { "CHANGE", "change" }, { "WHAT TO DO", "hint" } } },
	{ &ga_bootstrap_shape, NULL,
	  { { "NODE", "node" }, { "MODE", "mode" }, { "CHANGES", "changes" },
	    { "AFTER REBOOT", "waiting" }, { "LEFT", "left" }, { "REBOOT", "reboot_required" },
	    { "READY", "ready" } } },
	{ &ga_team_shape, NULL,
	  { { "TEAM", "name" }, { "PROJECTS", "projects" }, { "GROUPS", "groups" },
	    { "RETIRED", "retired" }, { "NOTE", "note" } } },
	{ &ga_grant_shape, NULL,
	  { { "GRANT", "name" }, { "ACTIONS", "actions" }, { "GROUP", "group" },
	    { "USER", "user" }, { "PROFILES", "profiles" }, { "POOLS", "pools" },
	    { "PROJECTS", "projects" }, { "REVOKED", "revoked" }, { "NOTE", "note" } } },
	{ &ga_access_settings_shape, NULL,
	  { { "GRANTS", "grants" }, { "TWO PEOPLE", "two_people" },
	    { "SECONDS TO CONFIRM", "confirm_seconds" } } },
	{ &ga_proposal_shape, NULL,
	  { { "PROPOSAL", "proposal" }, { "OVERRIDE", "action" }, { "SLOT", "object" },
	    { "STATE", "state" }, { "BY", "proposed_by" }, { "UNTIL", "expires_at" },
	    { "REASON", "reason" }, { "DISPOSAL", "disposal" },
	    { "DECIDED BY", "decided_by" } } },
	{ &ga_usage_report_shape, NULL,
	  { { "TEAM", "team" }, { "PROJECT", "project" }, { "TYPE", "type" },
	    { "PROFILE", "profile" }, { "NODE", "node" }, { "ALLOCATION", "allocation" },
	    { "ALLOCATIONS", "allocations" }, { "GPU HOURS", "active_gpu_seconds" },
	    { "PROVISIONING", "provisioning_gpu_seconds" }, { "HELD", "hold_gpu_seconds" },
	    { "CLEANUP", "cleanup_gpu_seconds" } } },
	{ &ga_cost_report_shape, NULL,
	  { { "TEAM", "team" }, { "PROJECT", "project" }, { "TYPE", "type" },
	    { "PROFILE", "profile" }, { "NODE", "node" }, { "ALLOCATION", "allocation" },
	    { "GPU HOURS", "billed_gpu_seconds" },
	    { "NOT BILLED", "not_billed_gpu_seconds" }, { "COST", "cost_micros" },
	    { "CURRENCY", "currency" }, { "WHAT IF", "what_if.cost_micros" },
	    { "DIFFERENCE", "what_if.difference_micros" } } },
	{ &ga_finding_shape, NULL,
	  { { "CHECK", "check" }, { "OBJECT", "object" }, { "WHAT IS WRONG", "sentence" },
	    { "WHAT TO DO", "hint" } } },
	{ &ga_state_shape, NULL,
	  { { "STATE", "path" }, { "ACTION", "action" }, { "SCHEMA", "schema_version" },
	    { "EPOCH", "epoch" }, { "LAB", "lab" } } },
};

struct row {
	char *cells[COLUMNS_MAX];
};

static struct {
	const struct view *view;
	GA_LIST(struct row) rows;
} table;

/* Columns a text takes on a terminal: characters, not bytes (UTF-8 was checked on input). */
static int width_of(const char *s)
{
	int n = 0;

	for (; *s; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}

static json_t *member(json_t *json, const char *path)
{
	ga_autofree char *name = ga_xstrndup(path, strcspn(path, "."));
	json_t *value = json_object_get(json, name);
	const char *dot = strchr(path, '.');

	return dot && value ? member(value, dot + 1) : value;
}

static void add_value(struct ga_str *out, const char *path, json_t *value);

/* A reason is shown by its code, a term of a score as name=value, any other element as it is. */
/* Whether an element before the n-th has the code, too. */
static bool has_code(json_t *list, size_t n, json_t *code)
{
	size_t i;

	for (i = 0; code && i < n; i++)
		if (json_equal(json_object_get(json_array_get(list, i), "code"), code))
			return true;
	return false;
}

static void add_list(struct ga_str *out, json_t *list)
{
	json_t *item;
	size_t i;

	json_array_foreach(list, i, item) {
		json_t *code = json_object_get(item, "code");
		json_t *value = json_object_get(item, "value");

		if (has_code(list, i, code))
			continue;

		if (value) {
			ga_str_addf(out, "%s%s=", i ? " " : "",
				    json_string_value(json_object_get(item, "name")));
			add_value(out, "", value);
			continue;
		}
		if (i)
			ga_str_addc(out, ',');
		add_value(out, "", code ? code : item);
	}
}

/* The last member of a path. */
static const char *last_name(const char *path)
{
	const char *dot = strrchr(path, '.');

	return dot ? dot + 1 : path;
}

/* Whether that is a number of bytes: "size_bytes", "read_back.bytes_read". */
static bool is_bytes(const char *path)
{
	const char *name = last_name(path);
	size_t len = strlen(name);

	return ga_starts(name, "bytes") || (len > 6 && !strcmp(name + len - 6, "_bytes"));
}

static bool is_money(const char *path)
{
	const char *name = last_name(path);

	return ga_streq(name, "cost_micros") || ga_streq(name, "difference_micros") ||
	       ga_streq(name, "cost_per_hour_micros") || ga_streq(name, "priceMicros") ||
	       ga_streq(name, "price_micros");
}

static bool is_gpu_time(const char *path)
{
	size_t len = strlen(path);

	return len > 12 && !strcmp(path + len - 12, "_gpu_seconds");
}

/* A number as people read what it counts. */
static void add_number(struct ga_str *out, const char *path, int64_t n)
{
	char size[GA_SIZE_SIZE];

	if (is_bytes(path))
		ga_str_add(out, ga_size_format(n, size));
	else if (is_money(path))
		ga_cost_format(n, out);
	else if (is_gpu_time(path))
		ga_cost_hours(n, 3, out);
	else if (ga_streq(last_name(path), "seconds")) /* of a match: shown as hours */
		ga_cost_hours(n, 1, out);
	else if (ga_streq(last_name(path), "tokens_per_second_milli"))
		ga_str_addf(out, "%lld", (long long)((n + 500) / 1000));
	else
		ga_str_addf(out, "%lld", (long long)n);
}

/* Records have no control characters below U+0080; what else wrote the state has any. */
static void add_plain(struct ga_str *out, const char *text)
{
	while (*text) {
		unsigned int code;
		size_t bytes = ga_unprintable(text, &code);

		if (bytes)
			ga_str_addf(out, bytes == 1 ? "\\x%02x" : "\\u%04x", code);
		else
			ga_str_addc(out, *text);
		text += bytes ? bytes : 1;
	}
}

/* A time to the second; any other text as it is. */
static void add_text(struct ga_str *out, const char *text)
{
	int64_t micros;

	if (strlen(text) == 27 && ga_time_read(text, &micros))
		ga_str_addf(out, "%.10s %.8sZ", text, text + 11);
	else
		add_plain(out, text);
}

static void add_value(struct ga_str *out, const char *path, json_t *value)
{
	if (json_is_string(value))
		add_text(out, json_string_value(value));
	else if (json_is_integer(value))
		add_number(out, path, json_integer_value(value));
	else if (json_is_real(value))
		ga_str_addf(out, "%.15g", json_real_value(value));
	else if (json_is_boolean(value))
		ga_str_add(out, json_is_true(value) ? "yes" : "no");
	else if (json_is_array(value))
		add_list(out, value);
	else if (json_is_object(value))
		ga_rec_dump(value, out);
}

static const struct view *find_view(const struct ga_shape *shape)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(views); i++)
		if (views[i].shape == shape)
			return &views[i];
	return NULL;
}

static void print_members(json_t *json)
{
	const char *key;
	json_t *value;

	json_object_foreach(json, key, value) {
		ga_autostr struct ga_str text = GA_STR_INIT;

		add_value(&text, key, value);
		printf("%s: %s\n", key, text.buf);
	}
	printf("\n");
}

/* What is estimated or measured as a range: the expected value, its least, its most. */
static const char *const ranges[][3] = {
	{ "seconds", "seconds_low", "seconds_high" },
	{ "cost_micros", "cost_low_micros", "cost_high_micros" },
	{ "tokens_per_second_milli", "tokens_per_second_low_milli",
	  "tokens_per_second_high_milli" },
};

/* Whole cents: more would say that an estimate is exact. */
static json_int_t rounded(const char *path, json_int_t n)
{
	return is_money(path) && n >= 1000000 ? (n + 5000) / 10000 * 10000 : n;
}

/* "2 (1.8-3)", where the record has a range. */
static bool add_range(struct ga_str *out, const char *path, json_t *json)
{
	int prefix = (int)(last_name(path) - path);
	json_int_t n[3];
	size_t i, j;

	for (i = 0; i < GA_ARRAY_SIZE(ranges) && strcmp(last_name(path), ranges[i][0]) != 0; i++)
		;
	if (i == GA_ARRAY_SIZE(ranges))
		return false;
	for (j = 0; j < 3; j++) {
		ga_autofree char *name = ga_xprintf("%.*s%s", prefix, path, ranges[i][j]);
		json_t *value = member(json, name);

		if (!json_is_integer(value))
			return false;
		n[j] = rounded(path, json_integer_value(value));
	}
	if (n[1] == n[2])
		return false;
	add_number(out, path, n[0]);
	ga_str_add(out, " (");
	add_number(out, path, n[1]);
	ga_str_addc(out, '-');
	add_number(out, path, n[2]);
	ga_str_addc(out, ')');
	return true;
}

static void add_row(const struct view *view, json_t *json)
{
	struct row *row = ga_list_add(&table.rows);
	size_t i;

	for (i = 0; view->columns[i].title; i++) {
		struct ga_str cell = GA_STR_INIT;

		if (!add_range(&cell, view->columns[i].path, json))
			add_value(&cell, view->columns[i].path,
				  member(json, view->columns[i].path));
		if (!cell.len)
			ga_str_addc(&cell, '-');
		row->cells[i] = ga_str_take(&cell);
	}
}

void ga_table_add(const struct ga_shape *shape, json_t *json)
{
	const struct view *view = find_view(shape);
	json_t *item;
	size_t i;

	if (view != table.view || !view)
		ga_table_flush();
	table.view = view;
	if (!view)
		print_members(json);
	else if (!view->rows)
		add_row(view, json);
	else
		json_array_foreach(json_object_get(json, view->rows), i, item)
			add_row(view, item);
}

static void print_row(const struct view *view, const int *widths, char *const *cells)
{
	size_t i;

	for (i = 0; view->columns[i].title; i++) {
		bool last = !view->columns[i + 1].title;

		printf("%s%*s", cells[i], last ? 0 : widths[i] - width_of(cells[i]) + 2, "");
	}
	printf("\n");
}

void ga_table_forget(void)
{
	size_t i, r;

	for (r = 0; r < table.rows.n; r++)
		for (i = 0; table.view->columns[i].title; i++)
			free(table.rows.v[r].cells[i]);
	ga_list_release(&table.rows);
	table.view = NULL;
}

void ga_table_flush(void)
{
	const struct view *view = table.view;
	char *titles[COLUMNS_MAX] = { NULL };
	int widths[COLUMNS_MAX] = { 0 };
	size_t i, r;

	if (!table.rows.n)
		return;
	for (i = 0; view->columns[i].title; i++) {
		titles[i] = (char *)(uintptr_t)view->columns[i].title;
		widths[i] = width_of(titles[i]);
		for (r = 0; r < table.rows.n; r++)
			if (width_of(table.rows.v[r].cells[i]) > widths[i])
				widths[i] = width_of(table.rows.v[r].cells[i]);
	}
	print_row(view, widths, titles);
	for (r = 0; r < table.rows.n; r++)
		print_row(view, widths, table.rows.v[r].cells);
	ga_table_forget();
	fflush(stdout);
}
