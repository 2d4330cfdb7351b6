/* SPDX-License-Identifier: Apache-2.0 */
/* Lists from host.db for gpuaas-reconcile; reads only. */
#ifndef GA_STATE_HOST_LIST_H
#define GA_STATE_HOST_LIST_H

#include "state/host/hostdb.h"

/* Condition on an attempt: its phase is not the word (record/phase.h). */
#define GA_SQL_NOT_PHASE(word) "AND a.phase <> '" #word "' "

struct ga_attempts {
	struct ga_attempt *v;
	size_t n;
};
void ga_attempts_release(struct ga_attempts *list);
#define ga_autoattempts ga_cleanup(ga_attempts_release)

/* The newest attempt of every object, newest first, at most 4096. */
GA_MUST_CHECK int ga_attempts_newest(struct ga_hostdb *h, struct ga_attempts *ret,
				     struct ga_err *err);

/* The newest attempt of every object by each of provision, release and wipe, in the order they were
 * begun. GA_SYSTEM when there are more than 4096: an incomplete list would be no inventory. */
GA_MUST_CHECK int ga_attempts_newest_works(struct ga_hostdb *h, struct ga_attempts *ret,
					   struct ga_err *err);

/* The newest attempt of one object; 1 found, 0 none. */
GA_MUST_CHECK int ga_attempt_newest(struct ga_hostdb *h, const char *object, struct ga_attempt *ret,
				    struct ga_err *err);

/* Finds the allocation by an id, the name in its plan, or a unique prefix of an id. An id ranks
 * before a name, a name before a prefix; a name means the allocation that has it now. GA_NOTFOUND,
 * or GA_USAGE "ambiguous". The caller frees ret. */
GA_MUST_CHECK int ga_hostdb_resolve(struct ga_hostdb *h, const char *text, char **ret,
				    struct ga_err *err);
/* The name in the plan of an allocation of this host (the caller frees it); NULL when it
 * has none. */
char *ga_hostdb_name(struct ga_hostdb *h, const char *allocation);

/*
 * Another object that wrote on the disk here since its last confirmed wipe here: 1 with its id in
 * ret (the caller frees it), 0 none. This is the host's own memory: it counts also when the state
 * was restored, or does not know of that work yet.
 */
GA_MUST_CHECK int ga_hostdb_unwiped(struct ga_hostdb *h, const char *wwid, const char *object,
				    char **ret, struct ga_err *err);
/*
 * Whether the object may have the disk, as far as this host remembers: 1 when a wipe of the disk
 * was confirmed here and no other object wrote on it since; else 0, and by is the object that wrote
 * (the caller frees it), or NULL when no wipe of the disk was ever confirmed here.
 */
GA_MUST_CHECK int ga_hostdb_wiped(struct ga_hostdb *h, const char *wwid, const char *object,
				  char **by, struct ga_err *err);
/* The allocation that has the disk on this host now, by the journal: provisioned here and not
 * released. 1 and ret (the caller frees it), 0, -1. */
GA_MUST_CHECK int ga_hostdb_holder_of(struct ga_hostdb *h, const char *wwid, char **ret,
				      struct ga_err *err);
/* Whether a wipe of the disk for the object began to write here and was not confirmed since: then
 * the disk has markers, or the remains of a purge. 1, 0, -1. */
GA_MUST_CHECK int ga_hostdb_wipe_begun(struct ga_hostdb *h, const char *object, const char *wwid,
				       struct ga_err *err);

/*
 * Whether a program holds the lock of the object now, by /proc/locks. It never takes the lock, not
 * even briefly, because a program that starts at that moment would fail. Only for reports: a
 * program that changes something takes the lock. 1, 0, or -1 when the result is unknown.
 */
GA_MUST_CHECK int ga_object_is_locked(const char *dir, const char *object);

/* Adds the ids of the evidence that a person means: by its id, its attempt, the WWID or slot (the
 * newest of it), an allocation by id or name, also one that has ended (the newest of each of its
 * disks), or a unique prefix of the id of evidence, a slot or an allocation. Adds none if there is
 * none. GA_USAGE "ambiguous". */
GA_MUST_CHECK int ga_evidence_find(struct ga_hostdb *h, const char *text, struct ga_texts *ret,
				   struct ga_err *err);

/* Adds the words that mean evidence of this host: allocations by name and id, then evidence, slots
 * and WWIDs. */
GA_MUST_CHECK int ga_evidence_words(struct ga_hostdb *h, struct ga_texts *ret, struct ga_err *err);

#endif
