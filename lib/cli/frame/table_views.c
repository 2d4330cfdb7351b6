/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of the tables for people. */
#include "cli/frame/table_views.h"

#include <ctype.h>

#include "record/accel.h"
#include "record/access.h"
#include "record/app.h"
#include "record/boot.h"
#include "record/expectation.h"
#include "record/host.h"
#include "record/inventory.h"
#include "record/match.h"
#include "record/node.h"
#include "record/notice.h"
#include "record/offer.h"
#include "record/plan.h"
#include "record/pod.h"
#include "record/release.h"
#include "record/report.h"
#include "record/request.h"
#include "record/result.h"
#include "record/scenario.h"
#include "record/state.h"
#include "record/trial.h"
#include "record/validation.h"
#include "record/vm.h"
#include "record/wipe.h"
static const struct ga_view views[] = {
	{ &ga_host_schema, NULL,
	  { { "NODE", "node", 0 }, { "PRODUCT", "product", 4 }, { "KERNEL", "kernel", 2 },
	    { "CPUS", "cpus", 3 }, { "MEMORY", "memory_mib", 0 }, { "BLOCKERS", "blockers", 0 },
	    { "WARNINGS", "warnings", 0 } } },
	{ &ga_candidate_schema, NULL,
	  { { "NODE", "node", 0 }, { "#", "slot_index", 0 }, { "SLOT", "slot", 0 },
	    { "GPU", "gpu.pci_address", 1 }, { "TYPE", "gpu.type_name", 0 },
	    { "NUMA", "numa_node", 6 }, { "NVME", "nvme.path", 2 },
	    { "SIZE", "nvme.size_bytes", 3 }, { "FABRIC VF", "fabric.vf_pci_address", 4 },
	    { "MAC", "suggested.mac", 5 }, { "BLOCKED BY", "reasons", 0 } } },
	{ &ga_slot_schema, NULL,
	  { { "SLOT", "slot", 0 }, { "NODE", "node", 0 }, { "#", "slot_index", 1 },
	    { "STATE", "state", GA_RANK_KEPT },
	    { "TYPE", "type_name", 2 }, { "GPU", "gpu_pci_address", 4 }, { "NVME", "nvme_wwid", 5 },
	    { "NUMA", "numa_node", 6 }, { "ALLOCATION", "allocation", 0 },
	    { "TAINTED", "tainted", 3 },
	    { "HEALTH", "health_state", 2 }, { "GPU MEMORY", "gpu_memory", 7 },
	    { "BLOCKERS", "blockers", 0 } } },
	{ &ga_node_schema, NULL,
	  { { "NODE", "node", 0 }, { "NAME", "name", 0 }, { "STATE", "state", GA_RANK_KEPT },
	    { "MODE", "mode", 2 },
	    { "REGION", "region", 3 }, { "POOL", "pool", 4 }, { "SLOTS", "slots", 0 },
	    { "AVAILABLE", "available", 0 }, { "HELD BY", "held_by", 2 },
	    { "OBSERVED", "observed_at", 5 },
	    { "KEY SINCE", "node_key_since", 7 }, { "REASON", "cordon_reason", 0 },
	    { "BLOCKERS", "blockers", 0 } } },
	{ &ga_maintenance_schema, NULL,
	  { { "WINDOW", "maintenance", 0 }, { "NODE", "node", 2 },
	    { "STATE", "state", GA_RANK_KEPT },
	    { "FROM", "from", 0 }, { "TO", "to", 0 }, { "BY", "created_by", 3 } } },
	{ &ga_drain_blocker_schema, NULL,
	  { { "BLOCKED BY", "object", 0 }, { "KIND", "object_kind", 4 },
	    { "STATE", "state", GA_RANK_KEPT },
	    { "PROJECT", "project", 3 }, { "OWNER", "owner", 0 }, { "UNTIL", "until", 0 } } },
	{ &ga_event_schema, NULL,
	  { { "SEQ", "seq", 0 }, { "AT", "at", 0 }, { "ACTION", "action", 0 },
	    { "OBJECT", "object", 0 },
	    { "KIND", "object_kind", 4 }, { "NODE", "node", 2 }, { "PROJECT", "project", 3 },
	    { "ACTOR", "actor", 0 } } },
	{ &ga_profile_schema, NULL,
	  { { "PROFILE", "name", 0 }, { "VERSION", "version", 7 }, { "SHAPE", "shape", 0 },
	    { "COUNTS", "counts", 0 }, { "VCPUS/GPU", "vcpus_per_gpu", 4 },
	    { "MEMORY/GPU", "memory_mib_per_gpu", 4 }, { "IMAGE", "image", 2 },
	    { "WIPE", "wipe.minimum_class", 5 }, { "VERIFY", "wipe.verify", 6 },
	    { "PRICE/GPU-HOUR", "price_micros", 0 }, { "RETIRED", "retired", 1 },
	    { "TEAMS", "teams", 3 },
	    { "TYPES", "types", 1 } } },
	{ &ga_app_schema, NULL,
	  { { "APP", "name", 0 }, { "VERSION", "version", 6 }, { "RUNTIME", "runtime", 0 },
	    { "SPAN", "span", 0 }, { "SHAPES", "shapes", 0 }, { "GPUS", "counts", 0 },
	    { "MEMORY/GPU", "min_memory_mib", 4 }, { "IMAGE NEEDS", "image_features", 3 },
	    { "RETIRED", "retired", 1 }, { "TITLE", "title", 1 } } },
	{ &ga_app_fit_schema, NULL,
	  { { "ALLOCATION", "allocation", 0 }, { "NAME", "name", 0 }, { "STATE", "state", 0 },
	    { "PROFILE", "profile", 1 }, { "FITS", "fits", 0 }, { "REASON", "reasons", 0 } } },
	{ &ga_image_schema, NULL,
	  { { "IMAGE", "name", 0 }, { "FORMAT", "format", 0 }, { "SIZE", "size_bytes", 0 },
	    { "FIRMWARE", "firmware", 3 }, { "PROBE", "probe", 2 }, { "DIGEST", "digest", 4 } } },
	{ &ga_node_image_schema, NULL,
	  { { "NODE", "node", 0 }, { "IMAGE", "image", 0 }, { "PATH", "path", 3 },
	    { "SIZE", "file_bytes", 2 },
	    { "VERIFIED", "verified_at", 0 }, { "WITHDRAWN", "withdrawn_at", 0 },
	    { "USED BY", "used_by", 0 } } },
	{ &ga_plan_schema, NULL,
	  { { "ALLOCATION", "allocation", 0 }, { "NODE", "node", 0 }, { "SHAPE", "shape", 3 },
	    { "GPUS", "count", 0 }, { "PROFILE", "profile", 0 }, { "VCPUS", "vcpus", 4 },
	    { "MEMORY", "memory_mib", 4 }, { "IP", "private_ip", 0 },
	    { "EXPIRES", "expires_at", 2 } } },
	{ &ga_explanation_schema, "nodes",
	  { { "NODE", "node", 0 }, { "TAKEN", "taken", 0 }, { "REASON", "code", 0 },
	    { "DETAIL", "detail", 0 }, { "SCORE", "terms", 0 } } },
	{ &ga_refusal_schema, NULL,
	  { { "REFUSED", "code", 0 }, { "PROFILE", "profile", 2 }, { "GPUS", "count", 2 } } },
	{ &ga_kept_refusal_schema, NULL,
	  { { "SEQ", "seq", 6 }, { "LAST", "last_at", 0 }, { "CODE", "code", 0 },
	    { "GPUS", "count", 0 }, { "TYPE", "type", 5 }, { "PROFILE", "profile", 2 },
	    { "PROJECT", "project", 1 }, { "NAME", "name", 4 }, { "ATTEMPTS", "attempts", 3 },
	    { "USER", "user", 1 }, { "FIRST", "first_at", 6 } } },
	{ &ga_progress_schema, NULL,
	  { { "OBJECT", "object", 0 }, { "PHASE", "phase", 0 }, { "STATE", "state", 0 },
	    { "BYTES", "bytes", 0 } } },
	{ &ga_allocation_schema, NULL,
	  { { "ALLOCATION", "allocation", 0 }, { "NAME", "name", 0 },
	    { "STATE", "state", GA_RANK_KEPT }, { "NODE", "node", 1 }, { "PROJECT", "project", 0 },
	    { "USER", "user", 0 }, { "PROFILE", "profile", 4 },
	    { "GPUS", "count", 0 }, { "POWER", "power_observed", 5 },
	    { "ADDRESS", "access.address", 0 },
	    { "SINCE", "since", 2 }, { "REASON", "reason", 1 } } },
	{ &ga_released_schema, NULL,
	  { { "RELEASED", "allocation", 0 }, { "NODE", "node", 0 }, { "SLOTS", "slots", 0 },
	    { "AT", "at", 0 } } },
	{ &ga_hold_order_schema, NULL,
	  { { "HOLD ORDER", "allocation", 0 }, { "ACTION", "action", 0 }, { "NODE", "node", 0 },
	    { "UNTIL", "until", 0 } } },
	{ &ga_wipe_order_schema, NULL,
	  { { "WIPE ORDER", "object", 0 }, { "NODE", "node", 0 }, { "DISK", "nvme_wwid", 0 },
	    { "SIZE", "nvme_size_bytes", 2 }, { "CAUSE", "cause", 0 },
	    { "CLASS", "wipe.minimum_class", 3 }, { "DESTROYS", "destroy_data", 0 } } },
	{ &ga_wipe_evidence_schema, NULL,
	  { { "EVIDENCE", "evidence", 0 }, { "SLOT", "object", 0 }, { "DISK", "device.wwid", 3 },
	    { "OUTCOME", "outcome", GA_RANK_KEPT }, { "CLASS", "class", 0 },
	    { "READ BACK", "read_back.bytes_read", 5 },
	    { "NOT ZERO", "read_back.mismatches", 4 }, { "GPU MEMORY", "gpu_memory.outcome", 1 },
	    { "REASON", "reason", 0 } } },
	{ &ga_drift_schema, NULL,
	  { { "SEVERITY", "severity", 0 }, { "DRIFT", "code", 0 }, { "OBJECT", "object", 0 },
	    { "EXPECTED", "expected", 0 }, { "OBSERVED", "observed", 0 },
	    { "REPAIRED", "repaired", 0 } } },
	{ &ga_observation_schema, NULL,
	  { { "NODE", "node", 0 }, { "NO ERRORS", "agreed", 0 }, { "DRIFTS", "drifts", 0 },
	    { "UNFINISHED", "journal_open", 0 }, { "AT", "at", 0 } } },
	{ &ga_failure_schema, NULL,
	  { { "FAILED", "object", 0 }, { "PHASE", "phase", 0 }, { "CODE", "code", 0 } } },
	{ &ga_node_end_schema, NULL,
	  { { "NODE", "node", 0 }, { "COMPLETE", "complete", 0 }, { "STATUS", "status", 0 },
	    { "ORDERS", "orders", 0 }, { "RECORDS", "records", 0 }, { "AT", "at", 0 } } },
	{ &ga_power_schema, NULL,
	  { { "ALLOCATION", "allocation", 0 }, { "WANTED", "power_wanted", 0 },
	    { "OBSERVED", "power_observed", 0 }, { "REASON", "reason", 0 }, { "AT", "at", 0 } } },
	{ &ga_ingress_schema, NULL,
	  { { "ALLOCATION", "allocation", 0 }, { "PROTO", "proto", 0 }, { "PORT", "port", 0 },
	    { "ADDRESS", "address", 0 }, { "TO PORT", "to_port", 0 },
	    { "PUBLISHED", "published", 0 } } },
	{ &ga_claim_schema, NULL,
	  { { "CLAIM", "claim", 0 }, { "ALLOCATION", "allocation", 0 }, { "NODE", "node", 0 },
	    { "SLOT", "slot", 0 }, { "KIND", "claim_kind", 2 }, { "LIVE", "live", 0 },
	    { "SINCE", "created_at", 0 }, { "ENDED", "ended_at", 3 } } },
	{ &ga_task_schema, NULL,
	  { { "SEQ", "seq", 0 }, { "OBJECT", "object", 0 }, { "PHASE", "phase", 0 },
	    { "STATE", "state", 0 },
	    { "STARTED", "started_at", 0 }, { "TOOK", "elapsed_micros", 0 },
	    { "BYTES", "bytes", 3 } } },
	{ &ga_usage_schema, NULL,
	  { { "SEQ", "seq", 3 }, { "ALLOCATION", "allocation", 0 }, { "PROJECT", "project", 2 },
	    { "KIND", "usage_kind", 0 },
	    { "GPUS", "count", 0 }, { "FROM", "started_at", 0 }, { "TO", "ended_at", 0 } } },
	{ &ga_audit_schema, NULL,
	  { { "SEQ", "seq", 2 }, { "AT", "at", 0 }, { "ACTOR", "actor", 0 },
	    { "PROGRAM", "program", 3 },
	    { "ACTION", "action", 0 }, { "OBJECT", "object", 0 },
	    { "DETAIL", "detail", 7 } } },
	{ &ga_attention_schema, NULL,
	  { { "OBJECT", "object", 0 }, { "NAME", "name", 1 }, { "CODE", "code", 0 },
	    { "STATE", "state", 2 }, { "SINCE", "since", 0 }, { "PROJECT", "project", 3 },
	    { "OWNER", "owner", 4 } } },
	{ &ga_notice_schema, NULL,
	  { { "NOTICE", "notice", 0 }, { "CHANGE", "change", 0 }, { "HOOK", "hook", 4 },
	    { "DELIVERED", "told", 0 }, { "CODE", "code", 0 }, { "OBJECT", "object", 0 },
	    { "REASON", "sentence", 0 }, { "FAILURE", "failure", 2 } } },
	{ &ga_pool_schema, NULL,
	  { { "POOL", "pool", 0 }, { "REGION", "region", 2 }, { "TYPE", "type", 0 },
	    { "NODES", "nodes", 0 }, { "SLOTS", "slots", 0 },
	    { "AVAILABLE", "available", 0 }, { "RESERVED", "reserved", 4 },
	    { "ACTIVE", "active", 1 },
	    { "CLEANING", "cleaning", 3 }, { "BLOCKED", "blocked", 3 },
	    { "DISABLED", "disabled", 4 },
	    { "LARGEST", "largest", 0 }, { "FRAGMENTED", "fragmentation_ppm", 5 } } },
	{ &ga_region_schema, NULL,
	  { { "REGION", "name", 0 }, { "TITLE", "title", 0 }, { "OPEN", "open", 0 },
	    { "REASON", "reason", 0 }, { "NODES", "nodes", 0 }, { "SLOTS", "slots", 0 },
	    { "AVAILABLE", "available", 0 } } },
	{ &ga_hardware_profile_schema, NULL,
	  { { "PROFILE", "name", 0 }, { "SUMMARY", "summary", 0 },
	    { "LARGEST FREE", "largestAvailable", 0 },
	    { "TOTAL", "totalCount", 0 }, { "UNKNOWN", "unknownCount", 3 },
	    { "BLOCKED BY", "unavailableCode", GA_RANK_KEPT },
	    { "EXPECTED", "expectedAvailableAt", 2 }, { "COUNTS", "counts", 5 },
	    { "PRICE/GPU-HOUR", "priceMicros", 0 }, { "CURRENCY", "currency", 4 },
	    { "AGE", "staleSeconds", 6 }, { "VERSION", "version", 7 }, { "TEAMS", "teams", 6 },
	    { "RETIRED", "retired", 1 } } },
	{ &ga_accelerator_schema, NULL,
	  { { "TYPE", "slug", 0 }, { "NAME", "name", GA_RANK_KEPT },
	    { "MEMORY", "memory.gpu_gb", 0 },
	    { "MEMORY TYPE", "memory.type", 6 },
	    { "BANDWIDTH", "memory.bandwidth_mb_s", 0 },
	    { "ARCHITECTURE", "architecture.name", 4 },
	    { "CC", "architecture.compute_capability", 5 },
	    { "BF16", "dense.bf16_gflops", 2 },
	    { "FP8", "dense.fp8_gflops", 3 }, { "POWER", "power.tdp_w", 3 },
	    { "FROM", "origin", 7 } } },
	{ &ga_node_view_schema, NULL,
	  { { "NODE", "node", 0 }, { "NAME", "name", 3 }, { "ACCELERATORS", "summary", 0 },
	    { "GPUS", "gpus", 0 },
	    { "ALLOCATABLE", "allocatable", 0 }, { "NODE MEMORY", "node_memory_mib", 5 },
	    { "STATE", "state", 0 }, { "AGE", "age_seconds", 4 },
	    { "WARNINGS", "warnings", 0 } } },
	{ &ga_label_finding_schema, NULL,
	  { { "NODE", "node", 0 }, { "PLATFORM", "platform", 4 }, { "SEVERITY", "severity", 0 },
	    { "FINDING", "code", 0 }, { "LABEL", "label", 0 }, { "VALUE", "value", 3 },
	    { "TYPE", "type", 0 },
	    { "MEANING", "sentence", 1 }, { "HINT", "hint", 1 } } },
	{ &ga_pod_patch_schema, NULL,
	  { { "NAMESPACE", "namespace", 0 }, { "POD", "name", 0 }, { "NODE", "node", 0 },
	    { "REQUESTS", "resource", 0 }, { "STATE", "state", 0 }, { "TYPE", "type", 0 },
	    { "ANNOTATED", "annotated", 0 }, { "BASIS", "basis", 0 },
	    { "WARNINGS", "warnings", 0 } } },
	{ &ga_allocation_match_schema, NULL,
	  { { "EXPECTED TYPE", "match.accelerator_type", 0 }, { "GPUS", "match.count", 0 },
	    { "TOKENS/S", "match.tokens_per_second_milli", 0 }, { "HOURS", "match.seconds", 0 },
	    { "COST", "match.cost_micros", 0 }, { "BASIS", "match.basis", 0 },
	    { "FALLBACK", "match.fallback", 0 } } },
	{ &ga_match_schema, NULL,
	  { { "#", "rank", 0 }, { "PROFILE", "profile", GA_RANK_KEPT },
	    { "TYPE", "type_name", 4 }, { "GPUS", "count", 0 }, { "FITS", "fits", 0 },
	    { "AVAILABLE", "availability", 2 },
	    { "BLOCKED BY", "unavailable_code", GA_RANK_KEPT }, { "SLO", "slo", 5 },
	    { "TOKENS/S", "tokens_per_second_milli", 1 },
	    /* Only of a training, where they are the answer. */
	    { "HOURS", "seconds", 0 }, { "COST", "cost_micros", 0 },
	    { "PRICE/HOUR", "cost_per_hour_micros", 2 }, { "CURRENCY", "currency", 6 },
	    /* The sentences below the table say it, too. */
	    { "REASON", "reasons", 3 } } },
	{ &ga_bootstrap_step_schema, NULL,
	  { { "STATE", "state", 0 }, { "STEP", "step", 0 }, { "SUBJECT", "subject", 0 },
	    { "REASON", "reason", 0 }, { "CHANGE", "change", 2 }, { "HINT", "hint", 0 } } },
	{ &ga_bootstrap_schema, NULL,
	  { { "NODE", "node", 0 }, { "MODE", "mode", 0 }, { "CHANGES", "changes", 0 },
	    { "AFTER REBOOT", "waiting", 0 }, { "LEFT", "left", 0 },
	    { "REBOOT", "reboot_required", 0 },
	    { "READY", "ready", 0 } } },
	{ &ga_tuning_schema, NULL,
	  { { "NODE", "node", 0 }, { "AT", "at", 0 }, { "TUNED", "tuned", 0 },
	    { "LEFT", "left", 0 } } },
	{ &ga_team_schema, NULL,
	  { { "TEAM", "name", 0 }, { "PROJECTS", "projects", 0 }, { "GROUPS", "groups", 0 },
	    { "RETIRED", "retired", 1 }, { "NOTE", "note", 0 } } },
	{ &ga_grant_schema, NULL,
	  { { "GRANT", "name", 0 }, { "ACTIONS", "actions", 0 }, { "GROUP", "group", 0 },
	    { "USER", "user", 0 }, { "PROFILES", "profiles", 0 }, { "POOLS", "pools", 0 },
	    { "PROJECTS", "projects", 0 }, { "REVOKED", "revoked", 1 }, { "NOTE", "note", 0 } } },
	{ &ga_access_settings_schema, NULL,
	  { { "GRANTS", "grants", 0 }, { "TWO PEOPLE", "two_people", 0 },
	    { "TIME TO CONFIRM", "confirm_seconds", 0 } } },
	{ &ga_proposal_schema, NULL,
	  { { "PROPOSAL", "proposal", 0 }, { "OVERRIDE", "action", 0 }, { "SLOT", "object", 0 },
	    { "STATE", "state", 0 }, { "BY", "proposed_by", 0 }, { "UNTIL", "expires_at", 0 },
	    { "REASON", "reason", 0 }, { "DISPOSAL", "disposal", 3 },
	    { "DECIDED BY", "decided_by", 2 } } },
	{ &ga_usage_report_schema, NULL,
	  { { "TEAM", "team", 0 }, { "PROJECT", "project", 0 }, { "TYPE", "type", 0 },
	    { "PROFILE", "profile", 0 }, { "NODE", "node", 0 }, { "ALLOCATION", "allocation", 0 },
	    { "USER", "user", 0 }, { "ALLOCATIONS", "allocations", 0 },
	    { "GPU HOURS", "active_gpu_seconds", 0 },
	    { "PROVISIONING", "provisioning_gpu_seconds", 3 }, { "HOLD", "hold_gpu_seconds", 3 },
	    { "CLEANUP", "cleanup_gpu_seconds", 3 } } },
	{ &ga_cost_report_schema, NULL,
	  { { "TEAM", "team", 0 }, { "PROJECT", "project", 0 }, { "TYPE", "type", 0 },
	    { "PROFILE", "profile", 0 }, { "NODE", "node", 0 }, { "ALLOCATION", "allocation", 0 },
	    { "USER", "user", 0 }, { "GPU HOURS", "billed_gpu_seconds", 0 },
	    { "NOT BILLED", "not_billed_gpu_seconds", 3 }, { "COST", "cost_micros", 0 },
	    { "CURRENCY", "currency", 0 }, { "WHAT IF", "what_if.cost_micros", 0 },
	    { "DIFFERENCE", "what_if.difference_micros", 0 } } },
	{ &ga_refusal_report_schema, NULL,
	  { { "GPUS", "gpus", 0 }, { "REQUESTS", "requests", 0 }, { "DAY", "day", 0 },
	    { "CODE", "code", 0 }, { "TYPE", "type", 0 }, { "PROJECT", "project", 0 },
	    { "PROFILE", "profile", 0 }, { "USER", "user", 0 }, { "GPU DAYS", "gpu_days", 2 },
	    { "ATTEMPTS", "attempts", 3 } } },
	{ &ga_change_schema, NULL,
	  { { "RECORD", "record", 0 }, { "OBJECT", "object", 0 }, { "NODE", "node", 0 },
	    { "CHANGE", "change", 0 } } },
	{ &ga_finding_schema, NULL,
	  { { "CHECK", "check", 0 }, { "OBJECT", "object", 0 } } },
	{ &ga_doctor_finding_schema, NULL,
	  { { "#", "rank", 0 }, { "SEVERITY", "severity", 0 }, { "CHECK", "check", 1 },
	    { "CODE", "code", 1 }, { "OBJECT", "object", 0 } } },
	{ &ga_scenario_schema, NULL,
	  { { "SCENARIO", "id", 0 }, { "LEVEL", "level", 0 }, { "CLOCK", "clock", 1 },
	    { "TITLE", "title", 0 } } },
	{ &ga_verdict_schema, NULL,
	  { { "SCENARIO", "scenario", 0 }, { "OUTCOME", "outcome", 0 }, { "REASON", "why", 0 } } },
	{ &ga_test_plan_schema, NULL,
	  { { "PLAN", "digest", 0 }, { "VERSION", "suite_version", 1 } } },
	{ &ga_plan_approval_schema, NULL,
	  { { "BY", "by", 0 }, { "AT", "at", 0 }, { "PLAN", "plan_digest", 1 } } },
	{ &ga_alignment_schema, NULL,
	  { { "PLAN", "plan_digest", 1 }, { "PEOPLE", "people", 0 }, { "AGREED", "agreed", 0 },
	    { "AT", "at", 2 } } },
	{ &ga_bundle_finding_schema, NULL,
	  { { "BUNDLE", "bundle", 1 }, { "CODE", "code", 0 }, { "OBJECT", "object", 0 } } },
	{ &ga_state_schema, NULL,
	  { { "STATE", "path", 0 }, { "ACTION", "action", 0 }, { "SCHEMA", "schema_version", 0 },
	    { "EPOCH", "epoch", 0 }, { "LAB", "lab", 0 } } },
};

static const struct {
	const struct ga_schema *schema;
	struct ga_sometimes columns[GA_VIEW_SOMETIMES + 1];
} sometimes[] = {
	{ &ga_profile_schema,
	  { { { "POOL", "pool", 2 }, true }, { { "REGION", "region", 2 }, true },
	    { { "PAGES", "hugepage_kib", 5 }, true }, { { "HOLD", "hold_seconds", 4 }, false },
	    { { "GRACEFUL", "graceful_seconds", 6 }, false },
	    { { "DOMAIN", "domain_type", 6 }, false },
	    { { "GPU MEMORY", "wipe.gpu_memory", 5 }, false } } },
	{ &ga_node_schema, { { { "DEADLINE", "drain_deadline", 0 }, true } } },
	{ &ga_slot_schema, { { { "REASON", "cordon_reason", 0 }, true } } },
	{ &ga_attention_schema,
	  { { { "HIDDEN UNTIL", "acknowledged.until", 0 }, true },
	    { { "BY", "acknowledged.by", 3 }, true } } },
	{ &ga_image_schema,
	  { { { "DRIVER", "driver_version", 1 }, true }, { { "CUDA", "cuda_version", 1 }, true },
	    { { "FEATURES", "features", 1 }, true } } },
	{ &ga_allocation_schema,
	  { { { "ENDS", "run_until", 1 }, true }, { { "EXPIRES", "expires_at", 1 }, true },
	    { { "PROFILE CHANGED", "profile_changed", 2 }, true } } },
};

/* The members below a row: why, and what to do about it. */
static const struct {
	const struct ga_schema *schema;
	struct ga_below below[GA_VIEW_BELOW + 1];
} belows[] = {
	{ &ga_attention_schema, { { "sentence", "REASON", "" }, { "command", "COMMAND", "$ " },
	    { "acknowledged.reason", "ACKNOWLEDGED", "acknowledged: " } } },
	{ &ga_refusal_schema,
	  { { "sentence", "REASON", "" }, { "hint", "HINT", "hint: " },
	    { "alternatives", "WOULD FIT", "would fit: " } } },
	{ &ga_kept_refusal_schema, { { "sentence", "REASON", "" } } },
	{ &ga_maintenance_schema, { { "reason", "REASON", "reason: " } } },
	{ &ga_task_schema, { { "detail", "DETAIL", "" } } },
	{ &ga_progress_schema, { { "detail", "DETAIL", "" } } },
	{ &ga_failure_schema, { { "sentence", "REASON", "" }, { "hint", "HINT", "hint: " } } },
	{ &ga_doctor_finding_schema,
	  { { "sentence", "REASON", "" }, { "command", "COMMAND", "$ " } } },
	{ &ga_finding_schema, { { "sentence", "PROBLEM", "" }, { "hint", "HINT", "hint: " } } },
	{ &ga_bundle_finding_schema, { { "sentence", "PROBLEM", "" } } },
	{ &ga_change_schema, { { "members", "MEMBERS", "" } } },
	{ &ga_drift_schema, { { "command", "COMMAND", "$ " } } },
	{ &ga_audit_schema, { { "detail.reason", "REASON", "reason: " } } },
	{ &ga_drain_blocker_schema,
	  { { "sentence", "REASON", "" }, { "command", "COMMAND", "$ " } } },
};

/* The ids and names that another program takes. Only --after takes the numbers of histories. */
static const struct {
	const struct ga_schema *schema;
	const char *path;
} operands[] = {
	{ &ga_host_schema, "node" },		   { &ga_node_schema, "node" },
	{ &ga_node_settings_schema, "node" },	   { &ga_node_view_schema, "node" },
	{ &ga_explanation_schema, "node" },	   { &ga_expectation_schema, "node" },
	{ &ga_observation_schema, "node" },	   { &ga_inventory_schema, "node" },
	{ &ga_bootstrap_schema, "node" },	   { &ga_tuning_schema, "node" },
	{ &ga_slot_schema, "slot" },		   { &ga_wipe_order_schema, "object" },
	{ &ga_allocation_schema, "allocation" },   { &ga_app_fit_schema, "allocation" },
	{ &ga_plan_schema, "allocation" },	   { &ga_release_order_schema, "allocation" },
	{ &ga_hold_order_schema, "allocation" },   { &ga_released_schema, "allocation" },
	{ &ga_power_schema, "allocation" },	   { &ga_console_schema, "allocation" },
	{ &ga_ingress_schema, "allocation" },	   { &ga_reach_schema, "allocation" },
	{ &ga_drain_blocker_schema, "object" },	   { &ga_attention_schema, "object" },
	{ &ga_profile_schema, "name" },		   { &ga_hardware_profile_schema, "name" },
	{ &ga_match_schema, "profile" },	   { &ga_accelerator_schema, "slug" },
	{ &ga_image_schema, "name" },		   { &ga_node_image_schema, "image" },
	{ &ga_app_schema, "name" },		   { &ga_team_schema, "name" },
	{ &ga_grant_schema, "name" },		   { &ga_proposal_schema, "proposal" },
	{ &ga_region_schema, "name" },		   { &ga_pool_schema, "pool" },
	{ &ga_maintenance_schema, "maintenance" }, { &ga_wipe_evidence_schema, "evidence" },
	{ &ga_state_schema, "path" },		   { &ga_scenario_schema, "id" },
	{ &ga_verdict_schema, "scenario" },
};

const struct ga_column ga_dry_run_column = { "DRY RUN", "dry_run", 0 };

const struct ga_view *ga_view_of(const struct ga_schema *schema)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(views); i++)
		if (views[i].schema == schema)
			return &views[i];
	return NULL;
}

bool ga_view_is_history(const struct ga_view *view)
{
	/* Each of ga_list_is_history (tests/unit/cli/frame/views.c), which gpuaas does not load. */
	static const struct ga_schema *const histories[] = {
		&ga_audit_schema, &ga_event_schema, &ga_task_schema, &ga_usage_schema,
		&ga_kept_refusal_schema, &ga_wipe_evidence_schema, &ga_progress_schema,
		&ga_maintenance_schema,
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(histories); i++)
		if (histories[i] == view->schema)
			return true;
	return false;
}

const struct ga_below *ga_view_below(const struct ga_view *view)
{
	static const struct ga_below none[] = { { NULL, NULL, NULL } };
	size_t i;

	for (i = 0; view && i < GA_ARRAY_SIZE(belows); i++)
		if (belows[i].schema == view->schema)
			return belows[i].below;
	return none;
}

const char *ga_view_operand(const struct ga_schema *schema)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(operands); i++)
		if (operands[i].schema == schema)
			return operands[i].path;
	return NULL;
}

/* Whether a title is that name: in any case, with _ for a space. */
static bool is_title(const char *title, const char *name)
{
	for (; *title && *name; title++, name++)
		if (tolower((unsigned char)*title) != tolower((unsigned char)*name) &&
		    !(*title == ' ' && *name == '_'))
			return false;
	return !*title && !*name;
}

static bool has_member(const struct ga_schema *schema, const char *path)
{
	size_t n = strcspn(path, ".");
	const struct ga_field *f;

	for (f = schema->fields; f->name; f++)
		if (strlen(f->name) == n && !strncmp(f->name, path, n))
			return !path[n] ||
			       (f->type == GA_F_OBJ && has_member(f->sub, path + n + 1));
	return false;
}

bool ga_view_find(const struct ga_schema *schema, const char *name, struct ga_column *ret)
{
	const struct ga_view *view = ga_view_of(schema);
	const struct ga_sometimes *some = view ? ga_view_sometimes(view) : NULL;
	const struct ga_below *b;
	const struct ga_column *c;

	for (c = view ? view->columns : NULL; c && c->title; c++)
		if (is_title(c->title, name) || !strcmp(c->path, name)) {
			*ret = *c;
			return true;
		}
	for (; some && some->column.title; some++)
		if (is_title(some->column.title, name) || !strcmp(some->column.path, name)) {
			*ret = some->column;
			return true;
		}
	for (b = ga_view_below(view); b->path; b++)
		if (is_title(b->title, name) || !strcmp(b->path, name)) {
			*ret = (struct ga_column){ .title = b->title, .path = b->path };
			return true;
		}
	if (view && view->rows)
		return false;
	if (is_title(ga_dry_run_column.title, name) && has_member(schema, "dry_run")) {
		*ret = ga_dry_run_column;
		return true;
	}
	if (!has_member(schema, name))
		return false;
	*ret = (struct ga_column){ .title = name, .path = name };
	return true;
}

const struct ga_sometimes *ga_view_sometimes(const struct ga_view *view)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(sometimes); i++)
		if (sometimes[i].schema == view->schema)
			return sometimes[i].columns;
	return NULL;
}
