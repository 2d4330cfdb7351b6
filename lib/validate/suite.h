/* SPDX-License-Identifier: Apache-2.0 */
/* The scenarios of a folder, and running them one after another. */
#ifndef GA_VALIDATE_SUITE_H
#define GA_VALIDATE_SUITE_H

#include "base/texts.h"
#include "base/vec.h"
#include "record/scenario.h"
#include "record/trial.h"
#include "record/validation.h"
#include "validate/evidence.h"

struct ga_suite {
	GA_LIST(struct ga_scenario) scenarios; /* in the order of their ids */
};

/* Reads and checks the scenarios of the folder, each in a file ID.json, and whether each id of only
 * is there. The caller releases *ret. GA_BADREC for a file that is no scenario; GA_NOTFOUND for a
 * folder, or an id, that is not there. */
GA_MUST_CHECK int ga_suite_read(const char *folder, const struct ga_borrowed_texts *only,
				struct ga_suite *ret, struct ga_err *err);
void ga_suite_release(struct ga_suite *suite);

/* Reads one scenario from its JSON and checks it; name is for messages. GA_BADREC. */
GA_MUST_CHECK int ga_suite_read_text(const char *text, size_t len, const char *name,
				     struct ga_scenario *ret, struct ga_err *err);

/* The plan of all scenarios of the suite; the caller releases *ret. */
void ga_suite_plan(const struct ga_suite *suite, struct ga_test_plan *ret);

struct ga_suite_run {
	const struct ga_borrowed_texts *only; /* ids; NULL or empty: all */
	const char *adapter; /* its file */
	json_t *hello; /* members of the params of hello */
	struct ga_evidence *evidence; /* gets what was seen; NULL: nobody keeps it */
	/* Called with each verdict; -1 ends the run. */
	int (*judged)(const struct ga_scenario *scenario, const struct ga_verdict *verdict,
		      void *data, struct ga_err *err);
	void *data;
};

/* Runs the scenarios through the adapter. GA_NOTFOUND or GA_DENIED, before anything is run, for an
 * adapter that is not there or cannot be executed. */
GA_MUST_CHECK int ga_suite_run(const struct ga_suite *suite, const struct ga_suite_run *run,
			       struct ga_err *err);

#endif
