/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this host did, in DIR/host.db (ga_cli_host_dir, 0700): the journal of changes with their
 * inverses, the attempts (orders taken up, so that a killed program can be run again), the results
 * (kept until folded or asked for again) and the chain of wipe evidence. Seeds, user-data and locks
 * are files beside it. A host never needs the state to finish or prove what it began.
 */
#ifndef GA_STATE_HOST_HOSTDB_H
#define GA_STATE_HOST_HOSTDB_H

#include "base/vec.h"
#include "record/rec.h"
#include "record/result.h"
#include "record/sign.h"
#include "record/wipe.h"
#include "state/db/db.h"

struct ga_hostdb {
	struct ga_db *db;
	char *dir;
};

/* Makes the folder, host.db and the host's key where they are not there. */
GA_MUST_CHECK int ga_hostdb_open_or_make(const char *dir, struct ga_hostdb *ret,
					 struct ga_err *err);
/* The same without a key: all machines that are made from an image would have the same one. */
GA_MUST_CHECK int ga_hostdb_open_image(const char *dir, struct ga_hostdb *ret, struct ga_err *err);
/* For a dry run: only to be read, and nothing is made. db is NULL when there is none yet. */
GA_MUST_CHECK int ga_hostdb_open_read(const char *dir, struct ga_hostdb *ret, struct ga_err *err);
void ga_hostdb_close(struct ga_hostdb *h);
#define ga_autohostdb ga_cleanup(ga_hostdb_close)

/*
 * The hold: a flock on DIR/hold/OBJECT, so that one object has one worker. Liveness is the lock,
 * never a time. GA_BUSY naming pid and program when somebody has it for half a second more. The
 * descriptor is the hold: close it to let go.
 */
GA_MUST_CHECK int ga_object_lock(const char *dir, const char *object, const char *program, int *fd,
				 struct ga_err *err);

/* ---- attempts: one row an order taken up ---- */

struct ga_attempt {
	char *attempt, *object, *program; /* program: provision, release, wipe */
	char *order;  /* the order's record as text */
	char *state;  /* working, done, failed */
	char *phase;  /* last phase finished, or NULL */
	char *result; /* the record that ended it, as text, or NULL */
	char *boot_id, *started_at;
};
void ga_attempt_release(struct ga_attempt *a);
#define ga_autoattempt ga_cleanup(ga_attempt_release)

/* Records that an order is taken up; 1 when new, 0 when known (the caller continues or prints its
 * result again). The same attempt with another order text is GA_CONFLICT "old_digest". */
GA_MUST_CHECK int ga_attempt_begin(struct ga_hostdb *h, const char *attempt, const char *object,
				   const char *program, const char *order, const char *boot_id,
				   struct ga_err *err);
GA_MUST_CHECK int ga_attempt_get(struct ga_hostdb *h, const char *attempt, struct ga_attempt *ret,
				 struct ga_err *err); /* 1 found, 0 not */
/* The newest attempt of a program for an object (or NULL: of any object in state "working"). */
GA_MUST_CHECK int ga_attempt_find(struct ga_hostdb *h, const char *program, const char *object,
				  struct ga_attempt *ret, struct ga_err *err);
GA_MUST_CHECK int ga_attempt_phase(struct ga_hostdb *h, const char *attempt, const char *phase,
				   struct ga_err *err);
GA_MUST_CHECK int ga_attempt_end(struct ga_hostdb *h, const char *attempt, const char *state,
				 const char *result, struct ga_err *err);

/* ---- whose orders are carried out (served.c) ---- */

/* Who asks for something new: controller and epoch of its orders (state/db/controller.h). */
struct ga_issuer {
	const char *object;	/* what the order is of, for the message */
	const char *attempt;	/* of the order; NULL: it is no order that is taken up */
	const char *controller; /* NULL: an order of before there were any */
	int64_t epoch;
};

struct ga_served {
	char *controller, *since;
	int64_t epoch;
	char *refused_controller, *refused_at; /* the last that was refused, or NULL */
	int64_t refused_epoch;
};
void ga_served_release(struct ga_served *s);
#define ga_autoserved ga_cleanup(ga_served_release)

/* 1 with whom this host serves (ga_served_release), 0 when nobody yet. */
GA_MUST_CHECK int ga_hostdb_served(struct ga_hostdb *h, struct ga_served *ret, struct ga_err *err);
/* Serves the issuer: the first one that comes, or whoever takes over. What was taken up before is
 * always gone on with. GA_CONFLICT "other_controller" for anybody else, who is noted, and for an
 * order without a controller where one is served already. */
GA_MUST_CHECK int ga_hostdb_accept_controller(struct ga_hostdb *h, const struct ga_issuer *by,
					      bool take_over, struct ga_err *err);
/* Whether it would: nothing is noted. For a dry run, also without a db. */
GA_MUST_CHECK int ga_hostdb_would_serve(struct ga_hostdb *h, const struct ga_issuer *by,
					struct ga_err *err);
/* The same with the host.db in dir. */
GA_MUST_CHECK int ga_hostdb_accept_controller_in(const char *dir, const struct ga_issuer *by,
						 bool take_over, struct ga_err *err);

/* ---- the journal: every change of the host, with its inverse, before it is made ---- */

struct ga_journal_entry {
	int64_t seq;
	char *object;  /* allocation, or "node" for what belongs to the node itself */
	char *op;      /* vfio_bind, file, ovs_port, ovs_flow, domain, partition, vf, … */
	char *subject; /* PCI address, path, port, domain, … */
	char *inverse; /* JSON object that the op's undo understands */
	bool done;     /* the change was made (else: only intended) */
	bool undone;   /* the inverse was carried out and verified */
	char *at;
};
void ga_journal_entry_release(struct ga_journal_entry *e);

/* Intent, committed before the change; ret is the entry's number. The same open (object, op,
 * subject) is not entered twice: its number is returned and the first inverse stays. */
GA_MUST_CHECK int ga_journal_intend(struct ga_hostdb *h, const char *object, const char *op,
				    const char *subject, const char *inverse, int64_t *seq,
				    struct ga_err *err);
GA_MUST_CHECK int ga_journal_done(struct ga_hostdb *h, int64_t seq, struct ga_err *err);
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
 * Whether the newest that host.db has of a disk is a confirmed wipe, and since then no allocation
 * had it and no wipe began to write on it: 1 with when and by which attempt (the caller's), 0, -1.
 * A whole machine is given away without a word in host.db: where it booted since (boot_id is
 * another), it is 0 for an allocation that this host never took up. allocation, boot_id: or NULL.
 */
GA_MUST_CHECK int ga_hostdb_wiped_since(struct ga_hostdb *h, const char *wwid,
					const char *allocation, const char *boot_id, char **at,
					char **attempt, struct ga_err *err);

/* ---- evidence: a chain, never changed ---- */

/* Sets previous_digest, seals (ga_wipe_evidence_seal) and stores it, in one transaction. */
GA_MUST_CHECK int ga_evidence_add(struct ga_hostdb *h, struct ga_wipe_evidence *e,
				  struct ga_err *err);
/* The stored record by evidence id, attempt or (newest) slot or wwid; 1 found, 0 not. */
GA_MUST_CHECK int ga_evidence_get(struct ga_hostdb *h, const char *key,
				  struct ga_wipe_evidence *ret, struct ga_err *err);
/* Orders taken up or seen by this host whose wipe is not confirmed yet, as texts; unanswered: only
 * those without any evidence, because what was answered with less waits for a person. */
GA_MUST_CHECK int ga_hostdb_pending_wipes(struct ga_hostdb *h, bool unanswered,
					  struct ga_any_list *texts, struct ga_err *err);

/* ---- the key that results are signed with ---- */

/*
 * The host's own pair, DIR/node.key (PEM, 0600). 1 with ret (ga_sign_close), 0 when there is none.
 * GA_DENIED "key_unsafe" when the file is no regular one of this user's or root's that nobody else
 * may open, GA_BADREC when it is no key.
 */
GA_MUST_CHECK int ga_hostdb_key(const char *dir, struct ga_sign_key **ret, struct ga_err *err);
/* The same, made when it is not there yet: 1 made, 0 it was there. Of several programs at once one
 * makes it, and all get that one. */
GA_MUST_CHECK int ga_hostdb_make_key(const char *dir, struct ga_sign_key **ret, struct ga_err *err);
/* A new pair in the place of the one that is there, if any: the old one is gone. */
GA_MUST_CHECK int ga_hostdb_renew_key(const char *dir, struct ga_err *err);

/* ---- wipe orders that wait (gpuaas-wipe --pending) ---- */

/* The order's text without who gave it, allocated: after a restore the same order, with the same
 * attempt, comes from the state of then. */
char *ga_hostdb_order_text(const struct ga_wipe_order *o);
GA_MUST_CHECK int ga_hostdb_keep_order(struct ga_hostdb *h, const struct ga_wipe_order *o,
				       struct ga_err *err);

/*
 * The number of fatal bus errors of a GPU that gpuaas-reconcile has reported to the state in this
 * boot; 0 when it has reported none. The state judges what is reported (decide/slot/health.h): it
 * fails the slot, and a person may repair the slot while the count stays. Nobody has judged a
 * higher count.
 */
GA_MUST_CHECK int ga_hostdb_gpu_errors(struct ga_hostdb *h, const char *gpu_identity,
				       const char *boot_id, int64_t *fatal, struct ga_err *err);
GA_MUST_CHECK int ga_hostdb_told_gpu_errors(struct ga_hostdb *h, const char *gpu_identity,
					    const char *boot_id, int64_t fatal,
					    struct ga_err *err);

#endif
