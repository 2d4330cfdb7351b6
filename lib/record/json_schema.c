/* SPDX-License-Identifier: Apache-2.0 */
/* The JSON Schema (2020-12) of a schema: share/schema is written from here and checked fresh. */
#include "record/schema.h"

static const char *const patterns[] = {
	[GA_T_ANY] = NULL,
	[GA_T_ID] = "^[0-9a-hjkmnp-tv-z]{8}$",
	[GA_T_NAME] = "^[a-z0-9][a-z0-9._-]{0,62}$",
	[GA_T_CODE] = "^[a-z0-9_]+$",
	[GA_T_TIME] = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{6}Z$",
	[GA_T_DIGEST] = "^sha256:[0-9a-f]{64}$",
	[GA_T_PCI] = "^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\\.[0-7]$",
	[GA_T_MAC] = "^([0-9a-f]{2}:){5}[0-9a-f]{2}$",
	[GA_T_IP] = "^([0-9]{1,3}\\.){3}[0-9]{1,3}$",
	[GA_T_CPUS] = "^([0-9]+(-[0-9]+)?)(,[0-9]+(-[0-9]+)?)*$",
	[GA_T_HEX] = "^[0-9a-f]+$",
	[GA_T_MULTILINE] = NULL,
};

static json_t *object_schema(const struct ga_schema *schema);

static json_t *text_schema(const struct ga_field *f)
{
	json_t *s = json_pack("{s:s, s:i, s:i}", "type", "string", "minLength", 1, "maxLength",
			      GA_TEXT_MAX);
	const char *const *v;

	if (f->values) {
		json_t *values = json_array();

		for (v = f->values; *v; v++)
			json_array_append_new(values, json_string(*v));
		json_object_clear(s);
		json_object_set_new(s, "enum", values);
	} else if (patterns[f->format]) {
		json_object_set_new(s, "pattern", json_string(patterns[f->format]));
	}
	return s;
}

static json_t *int_schema(const struct ga_field *f)
{
	return json_pack("{s:s, s:I, s:I}", "type", "integer", "minimum", (json_int_t)f->min,
			 "maximum", (json_int_t)f->max);
}

static json_t *value_schema(const struct ga_field *f)
{
	switch (f->type) {
	case GA_F_TEXT:
		return text_schema(f);
	case GA_F_INT:
		return int_schema(f);
	case GA_F_DECIMAL:
		return json_pack("{s:s, s:i}", "type", "number", "minimum", 0);
	case GA_F_BOOL:
	case GA_F_TRI:
		return json_pack("{s:s}", "type", "boolean");
	case GA_F_OBJ:
		return object_schema(f->sub);
	case GA_F_LIST:
		return json_pack("{s:s, s:o}", "type", "array", "items", object_schema(f->sub));
	case GA_F_TEXTS:
		return json_pack("{s:s, s:o}", "type", "array", "items", text_schema(f));
	case GA_F_INTS:
		return json_pack("{s:s, s:o}", "type", "array", "items", int_schema(f));
	case GA_F_JSON:
		break;
	}
	return json_pack("{s:s}", "type", "object");
}

static json_t *member_schema(const struct ga_field *f)
{
	json_t *s = value_schema(f);

	if (f->presence == GA_NULLOK)
		s = json_pack("{s:[o, {s:s}]}", "anyOf", s, "type", "null");
	if (f->doc)
		json_object_set_new(s, "description", json_string(f->doc));
	return s;
}

static json_t *object_schema(const struct ga_schema *schema)
{
	json_t *members = json_object(), *required = json_array();
	const struct ga_field *f;

	if (schema->kind) {
		json_object_set_new(members, "kind", json_pack("{s:s}", "const", schema->kind));
		json_array_append_new(required, json_string("kind"));
	}
	for (f = schema->fields; f->name; f++) {
		json_object_set_new(members, f->name, member_schema(f));
		if (f->presence != GA_OPT)
			json_array_append_new(required, json_string(f->name));
	}
	return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", members,
			 "required", required, "additionalProperties", 0);
}

static json_t *signature_schema(void)
{
	json_t *key = json_pack("{s:s, s:s}", "type", "string", "description",
				"the node's public key: ed25519, base64");
	json_t *value = json_pack("{s:s, s:s}", "type", "string", "description",
				  "over the record's compact text without this member, base64");

	return json_pack("{s:s, s:{s:o, s:o}, s:[s, s], s:b, s:s}", "type", "object", "properties",
			 "key", key, "value", value, "required", "key", "value",
			 "additionalProperties", 0, "description",
			 "by the host that says this; missing where it was folded on the spot");
}

json_t *ga_json_schema_of(const struct ga_schema *schema)
{
	json_t *s = json_pack("{s:s}", "$schema", "https://json-schema.org/draft/2020-12/schema");
	json_t *body = object_schema(schema);

	if (schema->kind)
		json_object_set_new(s, "title", json_string(schema->kind));
	if (schema->doc)
		json_object_set_new(s, "description", json_string(schema->doc));
	if (schema->is_signed)
		json_object_set_new(json_object_get(body, "properties"), "signature",
				    signature_schema());
	json_object_update(s, body);
	json_decref(body);
	return s;
}
