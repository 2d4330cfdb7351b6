/* SPDX-License-Identifier: Apache-2.0 */
/* The accelerator catalogue by its settings, and types of it by their names. */
#include "cli/types.h"

#include <string.h>

#include "cli/frame/cli.h"

const char *ga_cli_catalogue_file(void)
{
	ga_accels_drop_ins(
		ga_cli_setting("GPUAAS_ACCELERATORS_DIR", "/etc/gpuaas/accelerators.d"));
	return ga_cli_setting("GPUAAS_ACCELERATORS", NULL);
}

int ga_cli_catalogue(struct ga_accels **ret, struct ga_err *err)
{
	return ga_accels_open(ga_cli_catalogue_file(), ret, err);
}

int ga_cli_type_unknown(const struct ga_accels *list, const char *name, struct ga_err *err)
{
	ga_autostr struct ga_str slugs = GA_STR_INIT;
	struct ga_near near;
	size_t i;

	ga_accels_near(list, name, &near);
	for (i = 0; i < near.n; i++)
		ga_str_addf(&slugs, "%s%s", i ? ", " : "", near.names[i]);
	(void)ga_fail_for(err, GA_USAGE, "unknown_type", "'%.64s' is no type of the catalogue%s%s",
			  name, near.n ? "; near to it: " : "", slugs.buf);
	if (strchr(name, ','))
		return ga_hint(err, "give --type again for each of them");
	return ga_hint(err, "'gpuaas-profile catalog' shows them; a drop-in can add one: "
			    "gpuaas-accelerators(7)");
}

static char *listed(const struct ga_accel_named *named)
{
	struct ga_str types = GA_STR_INIT;
	size_t i;

	for (i = 0; i < named->types.n; i++)
		ga_str_addf(&types, "%s%s", i ? ", " : "", named->types.v[i]);
	return ga_str_take(&types);
}

int ga_cli_types_known(const struct ga_accels *list, const char *const *names, size_t n,
		       struct ga_err *err)
{
	size_t i;

	for (i = 0; i < n; i++) {
		ga_autonamed struct ga_accel_named named = { 0 };
		ga_autofree char *types = NULL;

		ga_accels_named(list, GA_NAME_PEOPLE, names[i], &named);
		if (!named.types.n)
			return ga_cli_type_unknown(list, names[i], err);
		types = listed(&named);
		if (strcmp(types, names[i]) != 0)
			ga_say("type '%.64s' means %s", names[i], types);
	}
	return 0;
}

int ga_cli_type_several(const char *name, const struct ga_accel_named *named, struct ga_err *err)
{
	ga_autofree char *types = listed(named);

	(void)ga_fail(err, GA_USAGE, "'%.64s' means one of several types: %s", name, types);
	return ga_hint(err, "say which of them");
}

int ga_cli_type_named(const struct ga_accels *list, const char *name, struct ga_accel_named *ret,
		      struct ga_err *err)
{
	ga_accels_named(list, GA_NAME_PEOPLE, name, ret);
	if (!ret->types.n)
		return ga_cli_type_unknown(list, name, err);
	if (ret->part || ret->shared)
		return ga_fail(err, GA_USAGE, "'%.64s' is a part of a GPU, and types are of whole "
			       "ones", name);
	return 0;
}
