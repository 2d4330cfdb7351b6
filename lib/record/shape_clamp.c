/* SPDX-License-Identifier: Apache-2.0 */
/* What an older version wrote with other bounds. */
#include "record/shape_internal.h"

int64_t ga_field_clamp(const struct ga_field *f, int64_t n)
{
	if (n < f->min)
		return f->min;
	return n > f->max ? f->max : n;
}

static void clamp_number(const struct ga_field *f, json_t *value)
{
	if (json_is_integer(value))
		json_integer_set(value, ga_field_clamp(f, json_integer_value(value)));
}

static void clamp_elements(const struct ga_field *f, json_t *list)
{
	json_t *item;
	size_t i;

	json_array_foreach(list, i, item) {
		if (f->type == GA_F_INTS)
			clamp_number(f, item);
		else
			ga_shape_clamp(f->sub, item);
	}
}

void ga_shape_clamp(const struct ga_shape *shape, json_t *json)
{
	const struct ga_field *f;

	for (f = shape->fields; f->name; f++) {
		json_t *value = json_object_get(json, f->name);

		if (f->type == GA_F_INT)
			clamp_number(f, value);
		else if (f->type == GA_F_OBJ)
			ga_shape_clamp(f->sub, value);
		else if (f->type == GA_F_INTS || f->type == GA_F_LIST)
			clamp_elements(f, value);
	}
}
