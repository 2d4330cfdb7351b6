/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs one scenario through an adapter and writes down what was seen. It judges nothing: it uses
 * the checks only to know how long to look.
 *
 * On a real clock the jobs are looked at every GA_RUNNER_POLL_MS; a virtual clock is moved by a
 * second before each look. A job that the technology acknowledged and does not show is seen as
 * lost.
 */
#ifndef GA_VALIDATE_RUNNER_H
#define GA_VALIDATE_RUNNER_H

#include "record/scenario.h"
#include "record/trial.h"
#include "validate/adapter.h"

#define GA_RUNNER_POLL_MS 200
#define GA_RUNNER_DEADLINE_SECONDS 60 /* of one request, times the adapter's time scale */
#define GA_RUNNER_DEATHS 3	      /* after so many deaths of the adapter a scenario ends */
#define GA_RUNNER_JOBS 500	      /* of one submit request, on a virtual clock */
#define GA_RUNNER_BATCH 5	      /* on a real one; between two it looks when it is time */

/* Runs the scenario, all its runs, and adds to *trial what was seen, which the caller releases. The
 * adapter gets the members of hello, an object, with hello. 0 also when the adapter broke: that is
 * seen too. -1: interrupted, or the system failed. */
GA_MUST_CHECK int ga_runner_run(const struct ga_scenario *scenario, struct ga_adapter *adapter,
				json_t *hello, struct ga_trial *trial,
				struct ga_err *err);

#endif
