/* SPDX-License-Identifier: Apache-2.0 */
/* The scenarios of a folder, and running them one after another. */
#ifndef GA_VALIDATE_SUITE_H
#define GA_VALIDATE_SUITE_H

#include "base/texts.h"
#include "record/scenario.h"
#include "record/trial.h"

/* Runs the scenarios of the folder (NULL: those that come with gpuaas) in the order of their ids,
 * only those that are named unless none is, and calls judged with each verdict. GA_BADREC for a
 * scenario that is none, GA_NOTFOUND for an id that is not there; both before anything is run. */
GA_MUST_CHECK int ga_suite_run(const char *folder, const struct ga_borrowed_texts *only,
			       const char *adapter,
			       int (*judged)(const struct ga_verdict *verdict, void *data,
					     struct ga_err *err),
			       void *data, struct ga_err *err);

#endif
