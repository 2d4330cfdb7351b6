/* SPDX-License-Identifier: Apache-2.0 */
/* The commands of gpuaas-report. */
#ifndef GA_CLI_REPORT_H
#define GA_CLI_REPORT_H

#include "base/ga.h"

/* The options as typed; NULL: not given. */
struct ga_report_opts {
	const char *by;	      /* "team,type" */
	const char *from, *to; /* a time, a date, or a duration before now */
	const char *currency; /* ISO 4217 */
	const char *what_if;  /* "type=SLUG[,profile=NAME]" */
};

/* Reads the state and writes the report: a record a group, or FOCUS rows. cost false: only use. */
GA_MUST_CHECK int ga_report(const struct ga_report_opts *o, bool cost, struct ga_err *err);
/* The same for the demand that was refused: a record a group, by code and type where by is NULL. */
GA_MUST_CHECK int ga_report_refusals(const struct ga_report_opts *o, struct ga_err *err);

#endif
