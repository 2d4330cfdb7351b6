/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge of the validation suite: a pure function of a scenario and of what was seen.
 *
 * Times. A check counts from the last step of the act (of arrange, where it stands in given) and
 * its seconds are multiplied by the technology's time scale. Observations from the first step of
 * the act on count too: a job may start while later steps are still sent.
 *
 * The meaning of each kind of check (gpuaas-scenario(5) says the same to authors):
 *   are           at one moment, before the deadline, all jobs are in the state
 *   never         no job is in the state until the deadline
 *   count         the number of jobs in the state; of evicted, failed, done, lost and refused those
 *                 that ever were in it. It must hold at the end, and with a deadline from then on;
 *                 the end of what is given is the first step of the act
 *   order         the jobs start in this order
 *   on_node       each job starts on one of the nodes (or clusters)
 *   together      a gang has all of its slots or none; within_seconds: it may be half for so long
 *   reason_in     what was last reported of each waiting (or refused) job has one of the codes
 *   explain_has   the last answer has all fields, one of the codes, and none of the texts
 *   sum_at_most   the slots in use never are more
 *   equal_runs    the jobs start on the same nodes in each run; one that differs is a failure
 *   lost_none     every acknowledged job is known at the end, under an id of its own
 *   value_between a value is within the bounds, as count
 *
 * A check is unknown, and the outcome inconclusive, when what was seen ends before the deadline, or
 * when nothing was looked at for longer than GA_JUDGE_GAP_MS on a real clock: something shorter
 * could have passed unseen.
 */
#ifndef GA_VALIDATE_JUDGE_H
#define GA_VALIDATE_JUDGE_H

#include "record/scenario.h"
#include "record/trial.h"

#define GA_JUDGE_GAP_MS 5000
#define GA_JUDGE_SENTENCE_MAX 1000 /* bytes of a sentence */

/* Judges one scenario. digest is that of the scenario as it was run. Fills *ret, which the caller
 * releases by ga_verdict_schema; never fails: observations that make no sense are inconclusive, and
 * the verdict says why. */
void ga_judge(const struct ga_scenario *scenario, const char *digest, const struct ga_trial *trial,
	      struct ga_verdict *ret);

#endif
