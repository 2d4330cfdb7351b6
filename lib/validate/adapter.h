/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An adapter as a process (gpuaas-adapter(7)): a line to its standard input, a line from its
 * standard output, one request at a time.
 *
 * Its lines are not believed: a line that is no reply, a reply to another request, one that is
 * too long or comes too late are troubles of the adapter, never answers. It gets
 * SIGTERM and is killed GA_ADAPTER_GRACE_SECONDS later, with all that it started; the next request
 * starts a new one. The process must have no other children when an adapter ends: they end too.
 */
#ifndef GA_VALIDATE_ADAPTER_H
#define GA_VALIDATE_ADAPTER_H

#include "base/ga.h"
#include "record/adapter.h"

#define GA_ADAPTER_GRACE_SECONDS 10
#define GA_ADAPTER_STRAY_ROUNDS 100 /* looks for processes that left its group */
#define GA_ADAPTER_LINE_MAX (4 << 20)	/* bytes of a reply */
#define GA_ADAPTER_STDERR_MAX (8 << 20) /* bytes that are kept of a scenario */

/* The variable that marks the processes of an adapter. One that left its group is ended with it
 * where it still has the variable; a child of ours without it is somebody else's. */
#define GA_ADAPTER_MARK "GPUAAS_ADAPTER"

struct ga_adapter;

/* Prepares an adapter; nothing is started yet. program: its file. folder: an empty folder of its
 * own, in which it runs. protocol: gets each line that was sent and received, with its time, as
 * JSON; or -1. The caller keeps the descriptors and the texts until ga_adapter_close. */
struct ga_adapter *ga_adapter_new(const char *program, const char *folder, int protocol);
/* Ends the process, if there is one, and frees. */
void ga_adapter_close(struct ga_adapter *adapter);

/*
 * Sends one request and waits for its reply. params is taken over. Returns 0 with an answer, or 1
 * with an error of the adapter (unsupported, refused, conflict, failed) or a trouble (timeout,
 * died, failed) in *error, by its words in ga_trial_error_words; then *ret is empty. -1: the
 * system failed. An interruption (base/stop.h) leaves a request on its way
 * GA_ADAPTER_GRACE_SECONDS more, so that teardown can follow it.
 */
GA_MUST_CHECK int ga_adapter_ask(struct ga_adapter *adapter, const char *verb, json_t *params,
				 int64_t deadline_seconds, struct ga_adapter_reply *ret,
				 struct ga_trial_error *error, struct ga_err *err);

/* Times that the process ended by itself or was ended since ga_adapter_new. */
int64_t ga_adapter_deaths(const struct ga_adapter *adapter);
/* The text of its standard error since the last call; the caller frees it. */
char *ga_adapter_take_stderr(struct ga_adapter *adapter);

#endif
