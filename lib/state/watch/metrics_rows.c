/* SPDX-License-Identifier: Apache-2.0 */
/* Samples from rows, with a bound on their number in a family. */
#include <stdlib.h>

#include "exchange/openmetrics.h"
#include "state/db/db.h"
#include "state/watch/metrics.h"

#define LABELS_MAX 7

static void labels_of(const struct ga_rows *rows, const char *const *names,
		      struct ga_label ret[LABELS_MAX + 1])
{
	int n;

	for (n = 0; names[n]; n++)
		ret[n] = (struct ga_label){ names[n], ga_rows_text(rows, n) };
	ret[n] = (struct ga_label){ NULL, NULL };
}

static int count_labels(const char *const *names)
{
	int n = 0;

	while (names[n])
		n++;
	return n;
}

int ga_metrics_rows(struct ga_rows *rows, const char *name, const char *const *labels,
		    struct ga_str *to, struct ga_err *err)
{
	int number = count_labels(labels), r;
	struct ga_label of[LABELS_MAX + 1];

	while ((r = ga_rows_next(rows, err)) > 0) {
		labels_of(rows, labels, of);
		ga_om_int(to, name, of, ga_rows_int(rows, number));
	}
	return r;
}

/* ---- rows beyond the bound ---- */

void ga_metrics_tell(struct ga_metrics_bounded *b, const struct ga_label *of, int64_t n)
{
	const char *first = of[0].value;
	size_t i;

	if (b->emitted++ < GA_METRICS_MAX) {
		ga_om_int(b->to, b->name, of, n);
		return;
	}
	for (i = 0; i < b->rest.n && !ga_streq(b->rest.v[i].first, first); i++)
		;
	if (i == b->rest.n)
		ga_list_add(&b->rest)->first = ga_strdup0(first);
	b->rest.v[i].n += n;
}

void ga_metrics_tell_rest(struct ga_metrics_bounded *b, const char *label)
{
	size_t i;

	for (i = 0; i < b->rest.n; i++) {
		const struct ga_label of[] = { { label, b->rest.v[i].first }, { NULL, NULL } };

		ga_om_int(b->to, b->name, of, b->rest.v[i].n);
		free(b->rest.v[i].first);
	}
	ga_list_release(&b->rest);
}

int ga_metrics_bounded_rows(struct ga_rows *rows, const char *name, const char *const *labels,
			    struct ga_str *to, struct ga_err *err)
{
	struct ga_metrics_bounded b = { .name = name, .to = to };
	int number = count_labels(labels), r;
	struct ga_label of[LABELS_MAX + 1];

	while ((r = ga_rows_next(rows, err)) > 0) {
		labels_of(rows, labels, of);
		ga_metrics_tell(&b, of, ga_rows_int(rows, number));
	}
	ga_metrics_tell_rest(&b, labels[0]);
	return r;
}
