/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/frame/diff.h"

#include "cli/frame/cli.h"

/* NULL for no value: an absent member, null, and an empty list are the same to a person. */
static char *text_of(json_t *json, const char *member)
{
	json_t *value = json_object_get(json, member);

	if (!value || json_is_null(value) || (json_is_array(value) && !json_array_size(value)))
		return NULL;
	return json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);
}

void ga_diff(const struct ga_schema *schema, json_t *before, json_t *after, struct ga_change *ret)
{
	const struct ga_field *f;

	for (f = schema->fields; f->name; f++) {
		ga_autofree char *was = text_of(before, f->name), *is = text_of(after, f->name);

		if (!ga_streq(was, is) && (was || is))
			*ga_list_add(&ret->members) = (struct ga_changed_member){
				ga_xstrdup(f->name), GA_TAKE(was), GA_TAKE(is) };
	}
	ret->change = ga_xstrdup(!before	 ? "new" :
				 !after		 ? "removed" :
				 ret->members.n	 ? "changed" :
						   "unchanged");
}

void ga_diff_say(const struct ga_change *change, const char *skip)
{
	size_t i;

	for (i = 0; i < change->members.n; i++) {
		const struct ga_changed_member *m = &change->members.v[i];

		if (!ga_streq(m->member, skip))
			ga_say("  %-24s%s -> %s", m->member, m->before ? m->before : "none",
			       m->after ? m->after : "none");
	}
}
