/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-wipe: orders that wait, and what a person reads. */
#ifndef GA_CLI_WIPE_H
#define GA_CLI_WIPE_H

#include "act/wipe/job.h"
#include "record/rec.h"
#include "record/result.h"
#include "state/host/hostdb.h"

/*
 * Makes the wipe order one of the pending ones of this host (node is its id) as it is read: what
 * waits for a disk is then not lost with the process. An order of another node or of a dry
 * run is none of this host's: 0, and whoever takes it says so.
 */
GA_MUST_CHECK int ga_wipe_keep(const struct ga_rec *rec, const char *node, struct ga_err *err);

/* ga_wipe_alone on this machine: none of the files that gpuaas goes by here, and a file only where
 * the state is of a lab, or where there is none and hand->lab was given. */
GA_MUST_CHECK int ga_wipe_by_hand(struct ga_wipe_hand *hand, struct ga_wipe_order *ret,
				  struct ga_err *err);

/* Says on standard error why a wipe is not confirmed: its record often goes into a file or pipe. */
void ga_wipe_say(const struct ga_wipe_evidence *e);

/* Seals the evidence of a disk that was wiped by hand, and adds it to h. Says on standard error
 * when it cannot be added. h is NULL in a dry run: nothing is added. */
void ga_wipe_keep_evidence(struct ga_hostdb *h, struct ga_wipe_evidence *e);

/* Writes the evidence: a dry run at a terminal is a plan to read, everything else the record. */
GA_MUST_CHECK int ga_wipe_show(const struct ga_wipe_evidence *e, struct ga_err *err);

/* Prints the certificate of kept evidence; key as in ga_wipe_certificate_of. */
GA_MUST_CHECK int ga_wipe_print_certificate(const char *key, struct ga_err *err);

#endif
