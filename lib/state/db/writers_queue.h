/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writers' turnstile of a database: two lock files beside it. FILE.lock (flock(2)) is the turn;
 * FILE.gate is the queue for it, in the order of coming: SQLite's own busy handler sleeps and
 * retries, and starves (1 commit against 14,172), and one lock for all wakes all who wait at each
 * turn. Who waits draws the number n from FILE.gate, locks byte n of it (fcntl(2), OFD locks) and
 * waits for byte n-1, so that each turn wakes one process. The bytes only order those who wait:
 * that there is one writer at a time rests on FILE.lock alone. FILE.lock names its holder for the
 * message of those who gave up. The kernel frees all of it when a process ends, however it ends.
 * The WAL is checkpointed only under this lock, because SQLite before 3.51.3 can damage a database
 * when the WAL is reset during a checkpoint.
 */
#ifndef GA_STATE_DB_WRITERS_QUEUE_H
#define GA_STATE_DB_WRITERS_QUEUE_H

#include "base/ga.h"

struct ga_writers_queue {
	int gate, lock;	 /* descriptors, -1 when not open */
	int64_t number;	 /* drawn from the gate: the byte of it that we hold, 0 for none */
	bool held;
	char path[512];	 /* of the database, for messages */
};

#define GA_TURNSTILE_INIT { .gate = -1, .lock = -1 }

/* How long a writer waits, in seconds (default 10; 0: not at all). For the whole process. */
void ga_writers_queue_set_deadline(int64_t seconds);

/* Opens (and makes, 0600, of the database's owner) FILE.gate and FILE.lock of the database at path,
 * which must be there. */
GA_MUST_CHECK int ga_writers_queue_open(struct ga_writers_queue *t, const char *path,
					struct ga_err *err);
void ga_writers_queue_close(struct ga_writers_queue *t);
/* Waits for the turn. GA_BUSY "locked" naming the holder after the deadline, GA_BUSY "interrupted"
 * when a signal asked to stop. what tells those who wait what for ("wipe evidence"); the program's
 * name is put before it where it does not begin with that. */
GA_MUST_CHECK int ga_writers_queue_enter(struct ga_writers_queue *t, const char *what,
					 struct ga_err *err);
/* Takes the turn only when nobody holds or waits for it; false when not. */
bool ga_writers_queue_try(struct ga_writers_queue *t, const char *what);
void ga_writers_queue_leave(struct ga_writers_queue *t); /* harmless when not held */

#endif
