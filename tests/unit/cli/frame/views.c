/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of columns end within their arrays: a column too many would leave no end. */
#include "t.h"

#include "cli/frame/table_views.h"
#include "record/kind.h"

int main(void)
{
	const struct ga_schema *const *kind;
	size_t n = 0;

	for (kind = ga_kinds; *kind; kind++) {
		const struct ga_view *view = ga_view_of(*kind);
		const struct ga_sometimes *some = view ? ga_view_sometimes(view) : NULL;
		const char *name = (*kind)->kind;

		if (!view)
			continue;
		n++;
		t_ok(!view->columns[GA_VIEW_COLUMNS].title, "columns of %s", name);
		t_ok(!some || !some[GA_VIEW_SOMETIMES].column.title,
		     "columns of %s that are shown sometimes", name);
		/* A kind without them has the end alone. */
		t_ok(!ga_view_below(view)->path || !ga_view_below(view)[GA_VIEW_BELOW].path,
		     "members below %s", name);
	}
	t_ok(n > 30, "%zu kinds have columns", n);
	return t_done();
}
