/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Metrics as text that three parsers accept: OpenMetrics 1.0, the classic text format of
 * Prometheus, and node_exporter's textfile collector. The output avoids everything that this
 * collector refuses: every family is a gauge, no sample has a time stamp (ages are gauges of the
 * time itself), the samples of a family are adjacent, and "# EOF" is the last line.
 */
#ifndef GA_EXCHANGE_OPENMETRICS_H
#define GA_EXCHANGE_OPENMETRICS_H

#include "base/ga.h"
#include "base/str.h"

struct ga_label {
	const char *name;
	const char *value; /* NULL or "": the label is left out, which means the same to a parser */
};

/* The header of a family of gauges. A name that ends in _seconds or _bytes gets that unit. */
void ga_om_family(struct ga_str *to, const char *name, const char *help);
/* A sample. labels ends with an entry without name; NULL: no labels. Values are escaped; a byte
 * that is no UTF-8, or a control character, becomes \xHH. */
void ga_om_int(struct ga_str *to, const char *name, const struct ga_label *labels, int64_t value);
/* The same for a value in millionths: micros 1500000 is 1.5. */
void ga_om_micros(struct ga_str *to, const char *name, const struct ga_label *labels,
		  int64_t micros);
/* The last line. */
void ga_om_end(struct ga_str *to);

#endif
