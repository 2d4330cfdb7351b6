/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/list.h"

#include <inttypes.h>
#include <string.h>

#include "base/str.h"
#include "cli/frame/cli.h"
#include "cli/frame/form.h"
#include "state/query/list.h"

const char *const ga_list_kinds[] = {
	"nodes", "slots", "candidates", "profiles", "apps", "images", "node-images", "allocations",
	"plans", "claims", "tasks", "usage", "evidence", "audit", "events", "refusals",
	"pools", "regions", "maintenance", "teams", "grants", "access-settings",
	"proposals", "attention", NULL,
};

int ga_list_check(const struct ga_list_ask *ask, const char **kind, struct ga_err *err)
{
	const struct ga_schema *schema;
	char *const *args;
	const char *k;
	int n;

	args = ga_cli_args(&n);
	if (!n) {
		ga_autostr struct ga_str names = GA_STR_INIT;

		for (const char *const *p = ga_list_kinds; *p; p++)
			ga_str_addf(&names, "%s%s", names.len ? " " : "", *p);
		return ga_refuse(err, GA_USAGE, NULL, NULL, ("KIND is missing"), ("%s", names.buf));
	}
	*kind = k = args[0];
	if ((ask->app || ask->explain) && strcmp(k, "allocation") && strcmp(k, "allocations"))
		return ga_fail(err, GA_USAGE, "--app and --explain are for allocations, not for "
			       "'%s'", k);
	if (ask->explain && !ask->app)
		return ga_fail(err, GA_USAGE, "--explain goes with --app: it says why the app "
			       "cannot run");
	if (ga_streq(ga_cli_form(), "syslog") && strcmp(k, "audit"))
		return ga_fail(err, GA_USAGE, "-o syslog is for the audit, not for '%s'", k);
	if (ask->follow && strcmp(k, "audit") && strcmp(k, "event") && strcmp(k, "events"))
		return ga_fail(err, GA_USAGE, "--follow is for the audit and for events, not for "
			       "'%s'", k);
	if (ask->all && strcmp(k, "attention"))
		return ga_fail(err, GA_USAGE, "--all is for attention, not for '%s'", k);
	if (ask->follow && ask->watch)
		return ga_fail(err, GA_USAGE, "--follow and --watch exclude each other");
	if (ask->follow && ask->newest)
		return ga_fail(err, GA_USAGE, "--follow prints rows as they are written, the "
			       "oldest first: --newest does not go with it");
	schema = ga_list_schema(k, err);
	return schema ? ga_form_has_name(schema, err) : -1;
}

void ga_list_say_none(const struct ga_list_ask *ask, const char *kind)
{
	ga_autostr struct ga_str filters = GA_STR_INIT;
	ga_autofree char *entry = NULL;
	const char *one = kind, *many = kind;

	ga_list_words(kind, &one, &many);
	if (!strcmp(one, many)) /* "usage" */
		one = many = entry = ga_xprintf("entry of %s", kind);
	ga_cli_add_filter(&filters, "--where", ask->where.v, ask->where.n);
	ga_cli_add_filter(&filters, "--app", &ask->app, 1);
	ga_cli_add_filter(&filters, "--since", &ask->since, 1);
	ga_cli_add_filter(&filters, "--after", &ask->after, 1);
	if (!filters.len && ga_streq(kind, "attention") && ga_form()->terminal)
		ga_say("nothing needs attention");
	else
		ga_cli_say_none(one, many, filters.buf);
}

void ga_list_tell_hidden(int64_t hidden)
{
	static const char all[] = "'gpuaas-list attention --all'";
	ga_autofree char *text = hidden == 1 ?
		ga_xprintf("1 acknowledged entry is hidden; %s shows it", all) :
		ga_xprintf("%" PRId64 " acknowledged entries are hidden; %s shows them", hidden,
			   all);

	if (!hidden)
		return;
	if (ga_emit_is_table())
		ga_print("%s", text);
	else
		ga_say("%s", text);
}
