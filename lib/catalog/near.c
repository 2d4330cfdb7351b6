/* SPDX-License-Identifier: Apache-2.0 */
/* Types whose names are near to one that names none. */
#include <stdlib.h>

#include "catalog/name.h"

static size_t far_from(const struct ga_near *near, const struct ga_accel_type *t)
{
	ga_autofree char *shortest = ga_accel_short_name(t);
	size_t far = GA_NEAR_FAR, i;

	far = ga_near_spelling(near, t->slug, far);
	far = ga_near_spelling(near, t->name, far);
	far = ga_near_spelling(near, shortest, far);
	for (i = 0; i < t->aliases.n; i++)
		far = ga_near_spelling(near, t->aliases.v[i], far);
	return far;
}

void ga_accels_near(const struct ga_accels *list, const char *text, struct ga_near *ret)
{
	size_t i;

	ga_near_begin(ret, text);
	for (i = 0; i < ga_accels_count(list); i++)
		ga_near_add(ret, ga_accels_at(list, i)->slug, far_from(ret, ga_accels_at(list, i)));
}
