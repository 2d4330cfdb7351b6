/* SPDX-License-Identifier: Apache-2.0 */
/* The lists of columns end within their arrays: a column too many would leave no end. */
#include "t.h"

#include "cli/frame/table_views.h"
#include "record/kind.h"
#include "state/query/list.h"

/* Kinds whose records have no word that another program takes: rows of histories, reports and
 * findings, what did not work, and what only a pipe passes on. */
static const char *const nameless[] = {
	"candidate", "end", "request", "user-data", "refusal", "kept-refusal", "progress", "drift",
	"failure", "node-end", "claim", "task", "usage", "audit", "event", "notice",
	"inventory-work", "usage-report", "cost-report", "refusal-report", "bootstrap-step",
	"label-finding", "pod-patch", "requirement", "allocation-match", "access-settings",
	"change", "finding", "doctor-finding", "scenario-observation", "test-plan", "approval",
	"alignment", "review", "validation-bundle", "bundle-finding", "validation-requirements",
	"matrix", "error",
};

/* Each kind has a member for -o name, a text of its rows, or stands above. */
static void operand(const struct ga_schema *kind)
{
	const struct ga_view *view = ga_view_of(kind);
	const char *path = ga_view_operand(kind);
	const struct ga_field *f = kind->fields;
	bool has_none = false;
	char name[32];
	size_t i;

	ga_kind_short(kind, name);
	for (i = 0; i < GA_ARRAY_SIZE(nameless); i++)
		has_none = has_none || !strcmp(nameless[i], name);
	t_ok(has_none == !path, "-o name of %s prints %s", name, path ? path : "nothing");
	if (!path)
		return;
	for (; view && view->rows && f->name && strcmp(f->name, view->rows) != 0; f++)
		;
	for (f = view && view->rows ? f->sub->fields : f; f->name && strcmp(f->name, path) != 0;)
		f++;
	t_ok(f->name && f->type == GA_F_TEXT && !f->values, "%s.%s is a text", name, path);
}

int main(void)
{
	const struct ga_schema *const *kind;
	size_t n = 0;

	for (kind = ga_kinds; *kind; kind++) {
		const struct ga_view *view = ga_view_of(*kind);
		const struct ga_sometimes *some = view ? ga_view_sometimes(view) : NULL;
		const char *name = (*kind)->kind;

		operand(*kind);
		if (!view)
			continue;
		n++;
		t_ok(ga_view_is_history(view) || !ga_list_is_history(*kind),
		     "a table of %s has exact times if it is a history", name);
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
