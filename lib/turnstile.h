/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writers' turnstile of a database: two flock(2) files beside it. A writer takes FILE.gate,
 * then FILE.lock, then leaves the gate, so that whoever just wrote stands behind those who wait:
 * SQLite's own busy handler sleeps and retries, and starves (1 commit against 14,172).
 * FILE.lock names its holder for the message of those who gave up. The kernel frees both when a
 * process ends, however it ends.
 */
#ifndef GA_TURNSTILE_H
#define GA_TURNSTILE_H

#include "ga.h"

struct ga_turnstile {
	int gate, lock;	 /* descriptors, -1 when not open */
	bool held;
	char path[512];	 /* of the database, for messages */
};

#define GA_TURNSTILE_INIT { .gate = -1, .lock = -1 }

/* How long a writer waits, in seconds (default 10; 0: not at all). For the whole process. */
void ga_turnstile_set_deadline(int64_t seconds);
int64_t ga_turnstile_deadline(void);

/* Opens (and makes, 0600, of the database's owner) FILE.gate and FILE.lock of the database at path,
 * which must be there. */
int ga_turnstile_open(struct ga_turnstile *t, const char *path, struct ga_err *err);
void ga_turnstile_close(struct ga_turnstile *t);
/* Waits for the turn. GA_BUSY "locked" naming the holder after the deadline, GA_BUSY "interrupted"
 * when a signal asked to stop. what says who we are to those who wait ("gpuaas-place"). */
int ga_turnstile_enter(struct ga_turnstile *t, const char *what, struct ga_err *err);
/* Takes the turn only when nobody holds or waits for it; false when not. */
bool ga_turnstile_try(struct ga_turnstile *t, const char *what);
void ga_turnstile_leave(struct ga_turnstile *t); /* harmless when not held */

#endif
