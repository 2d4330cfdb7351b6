/* SPDX-License-Identifier: Apache-2.0 */
/* The scenarios of a folder, and running them one after another. */
#ifndef GA_VALIDATE_SUITE_H
#define GA_VALIDATE_SUITE_H

#include "base/texts.h"
#include "base/vec.h"
#include "record/scenario.h"
#include "record/trial.h"

struct ga_suite {
	GA_LIST(struct ga_scenario) scenarios; /* in the order of their ids */
};

/* Reads and checks the scenarios of the folder, each in a file ID.json, and whether each id of only
 * is there. The caller releases *ret. GA_BADREC for a file that is no scenario; GA_NOTFOUND for a
 * folder, or an id, that is not there. */
GA_MUST_CHECK int ga_suite_read(const char *folder, const struct ga_borrowed_texts *only,
				struct ga_suite *ret, struct ga_err *err);
void ga_suite_release(struct ga_suite *suite);

/* Runs the scenarios, only those that are named unless none is, through the adapter, a file, and
 * calls judged with each verdict. GA_NOTFOUND or GA_DENIED, before anything is run, for an adapter
 * that is not there or cannot be executed. */
GA_MUST_CHECK int ga_suite_run(const struct ga_suite *suite, const struct ga_borrowed_texts *only,
			       const char *adapter,
			       int (*judged)(const struct ga_verdict *verdict, void *data,
					     struct ga_err *err),
			       void *data, struct ga_err *err);

#endif
