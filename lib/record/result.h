/* SPDX-License-Identifier: Apache-2.0 */
/* Results: the records in which a host reports its work and observations. ga_fold commits them to
 * the state. */
#ifndef GA_RECORD_RESULT_H
#define GA_RECORD_RESULT_H

#include "base/texts.h"
#include "record/bundle.h"
#include "record/host.h"
#include "record/schema.h"

struct ga_progress {
	char *node, *object; /* allocation id in provision and release, slot id in wipe */
	char *attempt;
	int64_t generation;
	char *phase;
	char *state; /* started, running, finished, failed */
	char *at;
	int64_t elapsed_micros, bytes, total_bytes;
	char *detail;
};

struct ga_phase {
	char *phase, *started_at;
	int64_t elapsed_micros, bytes;
	char *detail;
};

struct ga_access {
	char *user, *address, *jump_host, *host_key_fingerprint;
};

struct ga_lease {
	char *mac, *expected_ip, *actual_ip;
	char *lease_state; /* seen, missing, mismatch, unknown */
};

/* A running allocation: the result of gpuaas-provision; "gpuaas-list allocation" shows it too. */
struct ga_allocation {
	char *allocation, *name, *node;
	int64_t generation;
	char *attempt;
	bool dry_run;
	char *state, *since, *reason;
	char *project, *profile, *shape, *type;
	int64_t profile_version, count, priority;
	struct ga_texts slots;
	char *power_wanted, *power_observed; /* on, off */
	struct ga_access *access;
	struct ga_lease *network;
	GA_LIST(struct ga_phase) phases;
	char *created_at, *expires_at;
	bool lab;
	int64_t profile_changed; /* tristate; GA_UNKNOWN from a host */
	char *type_reason;
	char *app; /* that the request named, or NULL */
	int64_t app_version;
	char *tenant_image; /* that its plan names, or NULL */
	char *run_until; /* while it runs or is held: the end of its run time, or NULL */
	char *user; /* who asked for it, as in the audit; NULL from a host */
};

struct ga_step {
	char *step;
	char *outcome; /* confirmed, not_needed, not_proven, failed */
	char *detail;
};

struct ga_released {
	char *allocation, *node;
	int64_t generation;
	char *attempt;
	bool dry_run;
	char *at;
	GA_LIST(struct ga_step) steps;
	struct ga_texts slots;
	bool lab;
};

struct ga_wiped_device {
	char *wwid, *serial, *model, *firmware, *pci_address, *path;
	int64_t size_bytes, logical_block_bytes, nsid;
	char *diskseq_before, *diskseq_after;
	char *medium; /* nvme, block, file */
};

struct ga_wipe_try {
	char *method; /* sanitize_crypto, sanitize_block, format_crypto, format_user, zeroout */
	char *started_at, *finished_at;
	char *outcome; /* confirmed, not_started, unknown, failed */
	char *detail;
};

struct ga_markers {
	char *seed_digest;
	int64_t written, surviving, unreadable;
};

struct ga_read_back {
	char *verify; /* full, sampled */
	char *started_at, *finished_at;
	int64_t bytes_read, mismatches;
	int64_t remnant_bound_ppb; /* sampled: at most this part of the disk may still hold old
				      data, in 1e-9, at 99 % confidence; full: 0 */
};

/* The first version of the rules in evidence. A plain number, because SQL reads it too. */
#define GA_WIPE_RULES_FIRST 1

struct ga_wipe_evidence {
	char *evidence, *node, *object, *claim, *allocation;
	int64_t generation;
	char *attempt;
	bool dry_run;
	char *started_at, *finished_at, *boot_id, *cause;
	struct ga_wiped_device device;
	struct ga_nvme_caps capabilities;
	struct ga_wipe_policy policy;
	GA_LIST(struct ga_step) guard;
	GA_LIST(struct ga_wipe_try) attempts;
	struct ga_markers *markers;
	struct ga_read_back *read_back;
	struct ga_step gpu_memory, gpu_reset, vf_state;
	char *gpu_reset_method; /* bus, flr, …: as in the kernel's reset_method, or NULL */
	char *gpu_identity;
	char *class; /* none, clear, purge */
	char *outcome; /* confirmed, not_started, unknown, failed */
	char *reason; /* why it is not confirmed */
	int64_t status; /* exit status for the pipeline; 0 when confirmed */
	bool lab;
	char *tool;
	int64_t rules; /* version of its rules (decide/wipe/judge.h), from GA_WIPE_RULES_FIRST on;
			  GA_UNKNOWN: older than the first */
	char *previous_digest; /* of the previous evidence of this host */
	char *digest; /* of this record without this member */
};

struct ga_observed_allocation {
	char *allocation;
	char *power; /* on, off, or NULL when unknown */
};

struct ga_observation {
	char *node, *at, *boot_id, *fingerprint;
	bool agreed; /* no drift of severity error remains */
	int64_t journal_open, drifts;
	GA_LIST(struct ga_observed_allocation) allocations;
};

struct ga_drift {
	char *node, *object;
	char *code, *severity; /* error, warning, info */
	char *expected, *observed;
	char *observation; /* ok, bad, unknown */
	int64_t age_seconds;
	char *repair;  /* name of the safe repair, or NULL */
	char *command; /* for a person, or NULL */
	bool repaired;
	char *at;
};

struct ga_failure {
	char *node, *object, *attempt;
	int64_t generation;
	char *program, *phase, *code, *sentence, *hint;
	int64_t status;
	char *at;
	bool dry_run;
};

/* Closes the output of one node in gpuaas-on. Without this record, or when complete is false, some
 * output of the node may be missing. */
struct ga_node_end {
	char *node;
	bool complete;
	int64_t status; /* of the command on the node; GA_UNKNOWN: gpuaas-on did not see its end */
	int64_t orders; /* records sent to the node */
	int64_t records; /* lines from the node that gpuaas-on passed on */
	char *digest;	 /* SHA-256 over these lines, each with its newline */
	int64_t elapsed_micros;
	char *at;
};

extern const struct ga_schema ga_step_schema, ga_phase_schema, ga_access_schema, ga_lease_schema;
extern const struct ga_schema ga_progress_schema, ga_allocation_schema, ga_released_schema,
	ga_wipe_evidence_schema, ga_observation_schema, ga_drift_schema, ga_failure_schema,
	ga_node_end_schema;

/* Sets the digest of a finished evidence record. */
void ga_wipe_evidence_seal(struct ga_wipe_evidence *e);

#endif
