/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The work of this host, in DIR/host.db (ga_cli_host_dir, 0700): the journal of changes with their
 * inverses; the attempts (orders begun, so that a killed program can run again); the results
 * (kept until they are folded, and after that for a repeated order); and the chain of wipe
 * evidence. Seeds, user-data and locks are files beside it. A host can finish or prove its work
 * without the state.
 */
#ifndef GA_STATE_HOST_HOSTDB_H
#define GA_STATE_HOST_HOSTDB_H

#include "base/vec.h"
#include "record/boot.h"
#include "record/rec.h"
#include "record/sign.h"
#include "state/db/db.h"

struct ga_wipe_order;
struct ga_wipe_evidence;

struct ga_hostdb {
	struct ga_db *db;
	char *dir;
};

/* Opens host.db; makes the folder, host.db and the host's key when they do not exist. */
GA_MUST_CHECK int ga_hostdb_open_or_make(const char *dir, struct ga_hostdb *ret,
					 struct ga_err *err);
/* The same without a key: otherwise all machines made from one image would share a key. */
GA_MUST_CHECK int ga_hostdb_open_image(const char *dir, struct ga_hostdb *ret, struct ga_err *err);
/* For a dry run: reads only, and makes nothing. db is NULL when there is none yet. */
GA_MUST_CHECK int ga_hostdb_open_read(const char *dir, struct ga_hostdb *ret, struct ga_err *err);
void ga_hostdb_close(struct ga_hostdb *h);
#define ga_autohostdb ga_cleanup(ga_hostdb_close)

/*
 * The lock of an object: a flock on DIR/hold/OBJECT, so that one object has one worker. Only the
 * lock shows that a worker lives, never a time. GA_BUSY naming pid and program when another program
 * still holds it after half a second. The descriptor holds the lock: close it to unlock.
 */
GA_MUST_CHECK int ga_object_lock(const char *dir, const char *object, const char *program, int *fd,
				 struct ga_err *err);

/* ---- attempts: one row for each order begun ---- */

struct ga_attempt {
	char *attempt, *object, *program; /* program: provision, release, wipe, rebuild */
	char *order;  /* the order's record as text */
	char *state;  /* working, done, failed */
	char *phase;  /* last phase finished, or NULL */
	char *result; /* the record that ended it, as text, or NULL */
	char *boot_id, *started_at;
};
void ga_attempt_release(struct ga_attempt *a);
#define ga_autoattempt ga_cleanup(ga_attempt_release)

/* Records that an order is begun: 1 new, 0 known (the caller continues, or prints its result
 * again). GA_CONFLICT "old_digest" for the same attempt with another order text. */
GA_MUST_CHECK int ga_attempt_begin(struct ga_hostdb *h, const char *attempt, const char *object,
				   const char *program, const char *order, const char *boot_id,
				   struct ga_err *err);
GA_MUST_CHECK int ga_attempt_get(struct ga_hostdb *h, const char *attempt, struct ga_attempt *ret,
				 struct ga_err *err); /* 1 found, 0 not */
/* The newest attempt of a program for an object (or NULL: of any object in state "working"). */
GA_MUST_CHECK int ga_attempt_find(struct ga_hostdb *h, const char *program, const char *object,
				  struct ga_attempt *ret, struct ga_err *err);
/* Records the phase as the last one finished. GA_NOTFOUND when host.db has no such attempt. */
GA_MUST_CHECK int ga_attempt_phase(struct ga_hostdb *h, const char *attempt, const char *phase,
				   struct ga_err *err);
/* Ends the attempt. state: done or failed; result: the record that ended it, as text, or NULL.
 * GA_NOTFOUND when host.db has no such attempt. */
GA_MUST_CHECK int ga_attempt_end(struct ga_hostdb *h, const char *attempt, const char *state,
				 const char *result, struct ga_err *err);

/* ---- the accepted controller (served.c) ---- */

/* The issuer of an order: controller and epoch of its state (state/db/controller.h). */
struct ga_issuer {
	const char *object;	/* object of the order, for the message */
	const char *attempt;	/* attempt of the order; NULL: this order is not begun */
	const char *controller; /* NULL: an order of a version without controllers */
	int64_t epoch;
};

struct ga_served {
	char *controller, *since;
	int64_t epoch;
	char *refused_controller, *refused_at; /* the controller refused last, or NULL */
	int64_t refused_epoch;
};
void ga_served_release(struct ga_served *s);
#define ga_autoserved ga_cleanup(ga_served_release)

/* 1 with the controller that this host accepts (ga_served_release), 0 when there is none yet. */
GA_MUST_CHECK int ga_hostdb_served(struct ga_hostdb *h, struct ga_served *ret, struct ga_err *err);
/*
 * Accepts orders of this controller: the first controller is remembered; another one is refused
 * unless take_over. Orders already begun are always finished. GA_CONFLICT "other_controller" for
 * another controller, which is recorded, and for an order without a controller when one is
 * remembered.
 */
GA_MUST_CHECK int ga_hostdb_accept_controller(struct ga_hostdb *h, const struct ga_issuer *by,
					      bool take_over, struct ga_err *err);
/* The same check without any change: nothing is recorded. For a dry run, also without a db. */
GA_MUST_CHECK int ga_hostdb_would_serve(struct ga_hostdb *h, const struct ga_issuer *by,
					struct ga_err *err);
/* The same with the host.db in dir. */
GA_MUST_CHECK int ga_hostdb_accept_controller_in(const char *dir, const struct ga_issuer *by,
						 bool take_over, struct ga_err *err);

/* ---- the journal: every change of the host with its inverse, committed before the change ---- */

struct ga_journal_entry {
	int64_t seq;
	char *object;  /* allocation, or "node" for changes of the node itself */
	char *op;      /* vfio_bind, file, ovs_port, ovs_flow, domain, partition, vf, … */
	char *subject; /* PCI address, path, port, domain, … */
	char *inverse; /* JSON object that the op's undo understands */
	bool done;     /* the change was made (else: only intended) */
	bool undone;   /* the inverse was carried out and verified */
	char *at;
};
void ga_journal_entry_release(struct ga_journal_entry *e);

/* The intent, committed before the change; ret is the entry's number. An open entry with
 * the same object, op and subject is not added twice: its number is returned, and the first
 * inverse stays. */
GA_MUST_CHECK int ga_journal_intend(struct ga_hostdb *h, const char *object, const char *op,
				    const char *subject, const char *inverse, int64_t *seq,
				    struct ga_err *err);
/* Records that the change of this entry was made. GA_NOTFOUND when there is no such entry. */
GA_MUST_CHECK int ga_journal_done(struct ga_hostdb *h, int64_t seq, struct ga_err *err);
/* Records that its inverse was carried out and verified. GA_NOTFOUND when there is no such
 * entry. */
GA_MUST_CHECK int ga_journal_undone(struct ga_hostdb *h, int64_t seq, struct ga_err *err);
/* Entries not undone, newest first; object NULL: all. */
struct ga_journal {
	struct ga_journal_entry *v;
	size_t n;
};
GA_MUST_CHECK int ga_journal_open_entries(struct ga_hostdb *h, const char *object,
					  struct ga_journal *ret, struct ga_err *err);
void ga_journal_release(struct ga_journal *j);
#define ga_autojournal ga_cleanup(ga_journal_release)

/*
 * Whether the newest record of a disk in host.db is a confirmed wipe, and since then no allocation
 * had the disk and no wipe began to write on it: 1 with when and the wipe's attempt (the caller
 * frees both), 0, -1. A baremetal tenant leaves no trace in host.db: after a reboot (another
 * boot_id) it is 0 for an allocation that this host never took up. allocation, boot_id: or NULL.
 */
GA_MUST_CHECK int ga_hostdb_wiped_since(struct ga_hostdb *h, const char *wwid,
					const char *allocation, const char *boot_id, char **at,
					char **attempt, struct ga_err *err);

/* ---- evidence: a chain, never changed ---- */

/* Sets previous_digest, seals (ga_wipe_evidence_seal) and stores it, in one transaction. */
GA_MUST_CHECK int ga_evidence_add(struct ga_hostdb *h, struct ga_wipe_evidence *e,
				  struct ga_err *err);
/* The stored record by evidence id or attempt, or the newest of a slot or wwid; 1 found, 0 not. */
GA_MUST_CHECK int ga_evidence_get(struct ga_hostdb *h, const char *key,
				  struct ga_wipe_evidence *ret, struct ga_err *err);
/* Orders that this host took up or saw and whose wipe is not confirmed yet, as texts. unanswered:
 * only orders without any evidence, because an order with weaker evidence waits for a person. */
GA_MUST_CHECK int ga_hostdb_pending_wipes(struct ga_hostdb *h, bool unanswered,
					  struct ga_texts *texts, struct ga_err *err);

/* ---- the key that signs results ---- */

/*
 * The host's own key pair, DIR/node.key (PEM, 0600). 1 with ret (ga_sign_close), 0 when there is
 * none. GA_DENIED "key_unsafe" unless it is a regular file of this user or root that nobody else
 * may open; GA_BADREC when it is no key.
 */
GA_MUST_CHECK int ga_hostdb_key(const char *dir, struct ga_sign_key **ret, struct ga_err *err);
/* The same, but makes the key when there is none: 1 made, 0 it existed. When several programs run
 * at once, one of them makes it and all get that one. */
GA_MUST_CHECK int ga_hostdb_make_key(const char *dir, struct ga_sign_key **ret, struct ga_err *err);
/* Replaces the key pair, if any, by a new one: the old one is gone. */
GA_MUST_CHECK int ga_hostdb_renew_key(const char *dir, struct ga_err *err);

/* ---- the tuning of this host (tuning.c) ---- */

GA_MUST_CHECK int ga_hostdb_keep_tuning(struct ga_hostdb *h, const struct ga_tuning *t,
					struct ga_err *err);
/* The newest record of the host as it is tuned, or untuned: 1 with ret, which the caller releases
 * (ga_schema_release); 0 when there is none. */
GA_MUST_CHECK int ga_hostdb_tuning(struct ga_hostdb *h, bool tuned, struct ga_tuning *ret,
				   struct ga_err *err);

/* ---- waiting wipe orders (gpuaas-wipe --pending) ---- */

/* The order's text without its issuer, allocated: after a restore the same order, with the same
 * attempt, comes from a state with another identity. */
char *ga_hostdb_order_text(const struct ga_wipe_order *o);
/* Stores the order for gpuaas-wipe --pending; does nothing when host.db has an order of this
 * attempt. GA_CONFLICT "dry_run" for an order of a dry run. */
GA_MUST_CHECK int ga_hostdb_keep_order(struct ga_hostdb *h, const struct ga_wipe_order *o,
				       struct ga_err *err);

/*
 * The number of fatal bus errors of a GPU that gpuaas-reconcile has reported to the state in this
 * boot; 0 when it has reported none. The state judges the reported count (decide/slot/health.h): it
 * fails the slot, and a person may repair the slot while the count stays. A higher count is not
 * judged yet.
 */
GA_MUST_CHECK int ga_hostdb_gpu_errors(struct ga_hostdb *h, const char *gpu_identity,
				       const char *boot_id, int64_t *fatal, struct ga_err *err);
/* Stores the count that was reported in this boot; it replaces an earlier one. */
GA_MUST_CHECK int ga_hostdb_keep_gpu_errors(struct ga_hostdb *h, const char *gpu_identity,
					    const char *boot_id, int64_t fatal,
					    struct ga_err *err);

#endif
