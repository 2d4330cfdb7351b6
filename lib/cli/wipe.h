/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-wipe: pending orders, and the output for people. */
#ifndef GA_CLI_WIPE_H
#define GA_CLI_WIPE_H

#include "act/wipe/job.h"
#include "record/rec.h"
#include "state/host/hostdb.h"

struct ga_wipe_evidence;

/*
 * Stores the wipe order as a pending order of this host (node is its id) as soon as it is read, so
 * that an order that waits for a disk survives the process. Returns 0 without storing an order of
 * another node or of a dry run; the code that carries out the order reports that.
 */
GA_MUST_CHECK int ga_wipe_keep(const struct ga_rec *rec, const char *node, struct ga_err *err);

/* The pending orders of this host (ga_wipe_pending_stream), whose id is node. When there is none,
 * says so on stderr, with the slots that wait for a wipe in the state of this machine, or why it
 * could not be read, and what to do; not for unanswered, which a timer runs. Returns their number.
 * Refuses orders that wait on standard input (GA_USAGE). */
GA_MUST_CHECK int ga_wipe_pending(const char *node, bool unanswered, int *fd, struct ga_err *err);
/* The same refusal by itself, for orders that came while the pending ones were carried out. */
GA_MUST_CHECK int ga_wipe_refuse_piped(int wait_ms, struct ga_err *err);

/* Opens the file of wipe orders that an operand names (NULL: standard input, which must not be a
 * terminal). Returns 1. GA_USAGE "is_disk" for a disk, also for a file that is one in a lab: people
 * give it as they do to other programs that erase. */
GA_MUST_CHECK int ga_wipe_open(const char *operand, int *fd, struct ga_err *err);

/* ga_wipe_alone on this machine. Refuses the files that gpuaas itself uses here. Accepts a file as
 * a disk only if the state is a lab, or if there is no state and hand->lab is set. */
GA_MUST_CHECK int ga_wipe_by_hand(struct ga_wipe_hand *hand, struct ga_wipe_order *ret,
				  struct ga_err *err);

/* Warns on stderr, before a wipe, that it will not prove that the GPU of its order is cleared. */
void ga_wipe_warn(const struct ga_wipe_opts *o);

/* Shows on stderr why a wipe is not confirmed, and of a disk in use what to do; its record often
 * goes into a file or pipe. Call it between ga_result_open and ga_result_close. */
void ga_wipe_say(const struct ga_wipe_evidence *e);

/* Seals the evidence of a disk that was wiped by hand, and adds it to h; reports a failure of that
 * on stderr. h is NULL in a dry run: nothing is added. */
void ga_wipe_keep_evidence(struct ga_hostdb *h, struct ga_wipe_evidence *e);

/* Writes the evidence: for a dry run on a terminal a readable plan, else the record. */
GA_MUST_CHECK int ga_wipe_show(const struct ga_wipe_evidence *e, struct ga_err *err);

/* Prints the certificate of kept evidence; key as in ga_wipe_certificate_of. NULL: the words that
 * it may be, one a line. */
GA_MUST_CHECK int ga_wipe_print_certificate(const char *key, struct ga_err *err);

#endif
