/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the published view of profiles. */
#include "decide/offer/published.h"

#include "record/rec.h"
#include "record/time.h"

static int bad(struct ga_err *err, const char *what)
{
	return ga_fail(err, GA_BADREC, "is no published view of profiles: %s", what);
}

static int add_profile(json_t *json, int64_t now_micros, struct ga_published *ret,
		       struct ga_err *err)
{
	const struct ga_schema *schema = &ga_hardware_profile_schema;
	struct ga_hardware_profile p;
	int64_t as_of;

	if (!ga_streq(json_string_value(json_object_get(json, "kind")), schema->kind))
		return bad(err, "one of its profiles is of another kind");
	if (ga_schema_parse(schema, json, &p, err) < 0)
		return ga_wrap(err, "is no published view of profiles");
	if (ga_time_read(p.as_of, &as_of))
		p.stale_seconds = as_of < now_micros ? (now_micros - as_of) / GA_SECOND : 0;
	*ga_list_add(&ret->profiles) = p;
	return 0;
}

static int read_document(json_t *doc, int64_t now_micros, struct ga_published *ret,
			 struct ga_err *err)
{
	const char *made = json_string_value(json_object_get(doc, "madeAt"));
	json_t *list = json_object_get(doc, "profiles"), *one;
	size_t i;

	if (!made || ga_time_parse(made, &ret->made_micros, err) < 0)
		return bad(err, "it has no time at which it was made");
	if (!json_is_array(list))
		return bad(err, "it has no list of profiles");
	json_array_foreach(list, i, one)
		if (add_profile(one, now_micros, ret, err) < 0)
			return -1;
	return 0;
}

int ga_published_parse(const char *text, size_t len, int64_t now_micros,
		       struct ga_published *ret, struct ga_err *err)
{
	ga_autojson json_t *doc = NULL;
	json_error_t why;

	*ret = (struct ga_published){ 0 };
	if (len > GA_PUBLISHED_MAX)
		return bad(err, "it is too large");
	doc = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
	if (!doc)
		return bad(err, why.text);
	if (read_document(doc, now_micros, ret, err) < 0) {
		ga_published_release(ret);
		return -1;
	}
	return 0;
}

void ga_published_release(struct ga_published *p)
{
	size_t i;

	for (i = 0; i < p->profiles.n; i++)
		ga_schema_release(&ga_hardware_profile_schema, &p->profiles.v[i]);
	ga_list_release(&p->profiles);
}
