/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writers' queue of a database: two lock files beside it. FILE.lock (flock(2)) is the writer
 * lock; FILE.gate is the queue for it, first come, first served. SQLite's own busy handler sleeps
 * and retries, and starves (1 commit against 14,172); one lock for all wakes all waiting writers at
 * each turn. A waiting writer draws the number n from FILE.gate, locks byte n of it (fcntl(2), OFD
 * locks) and waits for byte n-1, so that each turn wakes one process. The bytes only order the
 * waiting writers: FILE.lock alone guarantees one writer at a time. FILE.lock has the name of its
 * holder, for the message of writers that gave up. The kernel releases all locks when a process
 * ends in any way. The WAL is checkpointed only under this lock, because SQLite before 3.51.3 can
 * damage a database when the WAL is reset during a checkpoint.
 */
#ifndef GA_STATE_DB_WRITERS_QUEUE_H
#define GA_STATE_DB_WRITERS_QUEUE_H

#include "base/ga.h"

struct ga_writers_queue {
	int gate, lock;	 /* descriptors, -1 when not open */
	int64_t number;	 /* drawn from the gate: the byte of it that we lock, 0 for none */
	bool held;
	char path[512];	 /* of the database, for messages */
};

#define GA_WRITERS_QUEUE_INIT { .gate = -1, .lock = -1 }

/* Sets how long a writer waits, in seconds (default 10; 0: not at all). For the whole process. */
void ga_writers_queue_set_deadline(int64_t seconds);

/* Opens FILE.gate and FILE.lock of the database at path, which must exist. Missing lock files are
 * made (0600, with the owner of the database). */
GA_MUST_CHECK int ga_writers_queue_open(struct ga_writers_queue *t, const char *path,
					struct ga_err *err);
void ga_writers_queue_close(struct ga_writers_queue *t);
/* Waits for the writer lock. GA_BUSY "locked" naming the holder after the deadline, GA_BUSY
 * "interrupted" after a signal to stop. what shows other waiting writers the work of this one
 * ("wipe evidence"); the program's name is put before it unless it begins with that name. */
GA_MUST_CHECK int ga_writers_queue_enter(struct ga_writers_queue *t, const char *what,
					 struct ga_err *err);
/* Takes the writer lock only when nobody holds it or waits for it; else false. */
bool ga_writers_queue_try(struct ga_writers_queue *t, const char *what);
void ga_writers_queue_leave(struct ga_writers_queue *t); /* harmless when not held */

#endif
