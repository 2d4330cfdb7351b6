/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Catalogue files: one that replaces the built-in catalogue, and drop-ins that extend and correct
 * it. A member that the file omits is unknown.
 */
#include "catalog/internal.h"

#include <inttypes.h>
#include <jansson.h>

#include "base/file.h"
#include "base/texts.h"
#include "record/rec.h"

#define CATALOGUE_MAX (16 << 20)
#define SCHEMA "gpuaas.accelerators/1"
#define HEX "0123456789abcdef"

static const char *const sections[] = { "schema",	"built",	   "label_suffixes",
					"sources",	"groups",	   "instances",
					"platform_labels", "accelerators", "corrections" };
#define FIRST_LIST 3

/* Adds the members of the schema that the file omits: null, and empty lists. */
static void complete(const struct ga_schema *schema, json_t *json)
{
	const struct ga_field *f;
	json_t *item;
	size_t i;

	for (f = schema->fields; json_is_object(json) && f->name; f++) {
		json_t *value = json_object_get(json, f->name);

		if (!value && f->type == GA_F_OBJ)
			json_object_set_new(json, f->name, value = json_object());
		else if (!value && (f->type == GA_F_LIST || f->type == GA_F_TEXTS))
			json_object_set_new(json, f->name, value = json_array());
		else if (!value && f->presence == GA_NULLOK)
			json_object_set_new(json, f->name, json_null());
		if (f->type == GA_F_OBJ)
			complete(f->sub, value);
		else if (f->type == GA_F_LIST)
			json_array_foreach(value, i, item)
				complete(f->sub, item);
	}
}

/* Accepts the first form of the file, which users wrote before drop-ins existed: "10de:18be" alone
 * is a board without a name, and "role" is "pf" or "vf". */
static void first_form(json_t *type)
{
	static const char *const lists[] = { "subsystems", "other_subsystems", "vgpu_subsystems" };
	json_t *pci, *board;
	size_t i, j, k;

	json_array_foreach(json_object_get(type, "pci"), i, pci) {
		const char *role = json_string_value(json_object_get(pci, "role"));

		if (role && !json_object_get(pci, "function"))
			json_object_set_new(pci, "function",
					    json_string(strcmp(role, "vf") ? "physical" :
									     "virtual"));
		json_object_del(pci, "role");
		for (j = 0; j < GA_ARRAY_SIZE(lists); j++)
			json_array_foreach(json_object_get(pci, lists[j]), k, board)
				if (json_is_string(board))
					json_array_set_new(json_object_get(pci, lists[j]), k,
							   json_pack("{s:O}", "id", board));
	}
}

static bool is_hex4(const char *text)
{
	return strlen(text) == 4; /* four hex digits: the schema has checked the digits */
}

static int check_boards(const void *from, struct ga_err *err)
{
	const GA_LIST(struct ga_accel_board) *boards = from;
	size_t i;

	for (i = 0; i < boards->n; i++) {
		const char *id = boards->v[i].id;

		if (strspn(id, HEX) != 4 || id[4] != ':' || strspn(id + 5, HEX) != 4 || id[9])
			return ga_fail(err, GA_BADREC, "subsystem '%.32s' is not such as "
				       "10de:18be", id);
	}
	return 0;
}

static int check_ids(const struct ga_accel_type *type, struct ga_err *err)
{
	size_t i;

	if (type->pci.n && !type->vendor_id)
		return ga_fail(err, GA_BADREC, "it has PCI ids and no 'vendor_id'");
	if (type->vendor_id && !is_hex4(type->vendor_id))
		return ga_fail(err, GA_BADREC, "'vendor_id' is not four hex digits");
	for (i = 0; i < type->pci.n; i++) {
		const struct ga_accel_pci *p = &type->pci.v[i];

		if (!is_hex4(p->device_id))
			return ga_fail(err, GA_BADREC, "'device_id' is not four hex digits");
		if (check_boards(&p->subsystems, err) < 0 ||
		    check_boards(&p->other_subsystems, err) < 0 ||
		    check_boards(&p->vgpu_subsystems, err) < 0)
			return -1;
	}
	return 0;
}

/* Checks ranges, because the figures are factors and divisors: 1 .. 1000000 GB or GPUs, 1 .. 100 kW
 * in watts. Within these ranges their products fit. */
static int check_figures(const struct ga_accel_type *type, struct ga_err *err)
{
	const struct {
		const char *name;
		int64_t n, most;
	} figures[] = { { "memory.nominal_gb", type->memory.nominal_gb, 1000000 },
			{ "memory.gpu_gb", type->memory.gpu_gb, 1000000 },
			{ "gpus_per_card", type->gpus_per_card, 1000000 },
			{ "power.tdp_w", type->power.tdp_w, 100000 } };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(figures); i++)
		if (figures[i].n != GA_UNKNOWN &&
		    (figures[i].n < 1 || figures[i].n > figures[i].most))
			return ga_fail(err, GA_BADREC, "member '%s' is %" PRId64 ", not within "
				       "1 .. %" PRId64, figures[i].name, figures[i].n,
				       figures[i].most);
	return 0;
}

/* Makes a complete type of the JSON that a person wrote. */
static int parse_type(json_t *json, struct ga_accel_type **ret, struct ga_err *err)
{
	struct ga_accel_type *type = ga_xcalloc(1, sizeof(*type));
	ga_autojson json_t *copy = json_deep_copy(json);

	first_form(copy);
	complete(&ga_accel_type_schema, copy);
	if (ga_schema_parse(&ga_accel_type_schema, copy, type, err) == 0) {
		if (type->memory.gpu_gb == GA_UNKNOWN)
			type->memory.gpu_gb = type->memory.nominal_gb;
		if (check_ids(type, err) == 0 && check_figures(type, err) == 0) {
			*ret = type;
			return 0;
		}
		ga_schema_release(&ga_accel_type_schema, type);
	}
	free(type);
	return -1;
}

static int add_type(struct ga_accels *list, json_t *json, const char *file, struct ga_err *err)
{
	const char *slug = json_string_value(json_object_get(json, "slug"));
	struct ga_accel_type *type;
	struct ga_accel_entry *have;

	if (!slug || !json_is_string(json_object_get(json, "name")))
		return ga_fail(err, GA_BADREC, "accelerator '%.64s': 'slug' and 'name' are needed",
			       slug ? slug : "?");
	have = ga_accels_entry(list, slug);
	if (have)
		return ga_refuse(err, GA_BADREC, NULL, NULL,
				 ("accelerator '%.64s' is there already, from %s", slug,
				  have->origin),
				 ("put changes of it under \"corrections\""));
	if (parse_type(json, &type, err) < 0)
		return ga_wrap(err, "accelerator '%.64s'", slug);
	ga_accels_put(list, type, file);
	return 0;
}

/* Each member of a correction replaces the type's member; in objects, it replaces member by
 * member. */
static int correct(struct ga_accels *list, json_t *json, const char *file, struct ga_err *err)
{
	const char *slug = json_string_value(json_object_get(json, "slug"));
	const struct ga_accel_type *have = ga_accels_type(list, slug);
	ga_autojson json_t *whole = NULL;
	struct ga_accel_type *type;

	if (!have)
		return ga_fail(err, GA_BADREC, "a correction is of no known accelerator: '%.64s'",
			       slug ? slug : "?");
	whole = ga_schema_format(&ga_accel_type_schema, have);
	json_object_update_recursive(whole, json);
	if (parse_type(whole, &type, err) < 0)
		return ga_wrap(err, "correction of '%.64s'", slug);
	ga_accels_put(list, type, file);
	return 0;
}

/* ---- parts other than types ---- */

static const struct ga_accel_source *source_named(const struct ga_accel_rest *rest,
						  const char *name)
{
	size_t i;

	for (i = 0; i < rest->sources.n; i++)
		if (ga_streq(rest->sources.v[i].name, name))
			return &rest->sources.v[i];
	return NULL;
}

/* Checks each name in a member "sources" or "…_sources", at any depth. */
static int check_sources(const struct ga_accel_rest *rest, json_t *json, struct ga_err *err)
{
	const char *key;
	json_t *value, *item;
	size_t i;

	if (json_is_array(json))
		json_array_foreach(json, i, item)
			if (check_sources(rest, item, err) < 0)
				return -1;
	json_object_foreach(json, key, value) {
		size_t n = strlen(key);

		if (n < 7 || strcmp(key + n - 7, "sources")) {
			if (check_sources(rest, value, err) < 0)
				return -1;
			continue;
		}
		json_array_foreach(value, i, item)
			if (!source_named(rest, json_string_value(item)))
				return ga_refuse(err, GA_BADREC, NULL, NULL,
						 ("source '%.64s' is not known",
						  json_is_string(item) ? json_string_value(item) :
						  "?"),
						 ("describe it under \"sources\" with name, what, "
						  "where and trust"));
	}
	return 0;
}

static int parse_rows(json_t *json, const char *section, const struct ga_schema *schema,
		      struct ga_any_list *ret, struct ga_err *err)
{
	json_t *rows = json_object_get(json, section), *row;
	size_t i;

	if (rows && !json_is_array(rows))
		return ga_fail(err, GA_BADREC, "'%s' is not a list", section);
	json_array_foreach(rows, i, row) {
		ga_autojson json_t *copy = json_deep_copy(row);
		ga_autofree void *obj = ga_xcalloc(1, schema->size);

		complete(schema, copy);
		if (ga_schema_parse(schema, copy, obj, err) < 0)
			return ga_wrap(err, "%s[%zu]", section, i);
		memcpy(ga_list_grow(ret, schema->size), obj, schema->size);
	}
	return 0;
}

#define LIST(l) ((struct ga_any_list *)(void *)&(l))

static int parse_rest(json_t *json, struct ga_accel_rest *rest, struct ga_err *err)
{
	return parse_rows(json, "groups", &ga_accel_group_schema, LIST(rest->groups), err) < 0 ||
			       parse_rows(json, "instances", &ga_accel_instance_schema,
					  LIST(rest->instances), err) < 0 ||
			       parse_rows(json, "platform_labels", &ga_accel_platform_label_schema,
					  LIST(rest->platform_labels), err) < 0 ?
		       -1 :
		       0;
}

static void release_rows(const struct ga_schema *schema, struct ga_any_list *list)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		ga_schema_release(schema, (char *)list->v + i * schema->size);
	free(list->v);
	*list = (struct ga_any_list){ NULL, 0 };
}

static bool is_same(const struct ga_accel_source *a, const struct ga_accel_source *b)
{
	return ga_streq(a->what, b->what) && ga_streq(a->where, b->where) &&
	       ga_streq(a->trust, b->trust);
}

/* A source that several files describe in the same words counts once. In different words it is
 * refused. */
static int add_source(struct ga_accel_rest *rest, struct ga_accel_source *s, const char *file,
		      struct ga_err *err)
{
	const struct ga_accel_source *have = source_named(rest, s->name);

	if (have && !is_same(have, s))
		return ga_refuse(err, GA_BADREC, NULL, NULL,
				 ("source '%.64s' is there already, described in other words by %s",
				  s->name, have->origin),
				 ("give it another name, or the same what, where and trust"));
	if (have)
		return 0;
	s->origin = file;
	*ga_list_add(&rest->sources) = *s;
	memset(s, 0, sizeof(*s));
	return 0;
}

static int parse_sources(json_t *json, struct ga_accel_rest *rest, const char *file,
			 struct ga_err *err)
{
	GA_LIST(struct ga_accel_source) sources = { NULL, 0 };
	int r = parse_rows(json, "sources", &ga_accel_source_schema, LIST(sources), err);
	size_t i;

	for (i = 0; r == 0 && i < sources.n; i++)
		r = add_source(rest, &sources.v[i], file, err);
	release_rows(&ga_accel_source_schema, LIST(sources));
	return r;
}

void ga_accels_rest_release(struct ga_accel_rest *rest)
{
	release_rows(&ga_accel_source_schema, LIST(rest->sources));
	release_rows(&ga_accel_group_schema, LIST(rest->groups));
	release_rows(&ga_accel_instance_schema, LIST(rest->instances));
	release_rows(&ga_accel_platform_label_schema, LIST(rest->platform_labels));
}

struct ga_accel_rest *ga_accels_rest_of(const struct ga_accels *list)
{
	struct ga_accel_lazy *lazy = list->lazy;
	ga_autostr struct ga_str text = GA_STR_INIT;
	ga_autojson json_t *json = NULL;
	struct ga_err err = GA_ERR_INIT;
	json_error_t why;

	if (lazy->has_rest || !list->head)
		return &lazy->rest;
	lazy->has_rest = true;
	ga_str_add_bytes(&text, list->head, list->head_len);
	ga_str_add(&text, "]}");
	json = json_loadb(text.buf, text.len, 0, &why);
	if (!json || parse_sources(json, &lazy->rest, "built-in", &err) < 0 ||
	    parse_rest(json, &lazy->rest, &err) < 0)
		abort(); /* unit tests read the built-in text */
	return &lazy->rest;
}

const struct ga_accel_rest *ga_accels_rest(const struct ga_accels *list)
{
	return ga_accels_rest_of(list);
}

/* ---- a file ---- */

static int check_members(json_t *json, struct ga_err *err)
{
	const char *key, *schema = json_string_value(json_object_get(json, "schema"));
	json_t *value;
	size_t i;

	if (!json_is_object(json))
		return ga_fail(err, GA_BADREC, "it is no JSON object");
	if (schema && strcmp(schema, SCHEMA))
		return ga_fail(err, GA_BADREC, "its schema is '%.64s', this is " SCHEMA, schema);
	json_object_foreach(json, key, value) {
		for (i = 0; i < GA_ARRAY_SIZE(sections) && strcmp(key, sections[i]); i++)
			;
		if (i == GA_ARRAY_SIZE(sections))
			return ga_fail(err, GA_BADREC, "unknown member '%.64s'", key);
		if (i >= FIRST_LIST && !json_is_array(value))
			return ga_fail(err, GA_BADREC, "'%s' is not a list", key);
	}
	return 0;
}

static int check_types(const struct ga_accels *list, const char *what, const char *name,
		       const struct ga_texts *types, struct ga_err *err)
{
	size_t i;

	for (i = 0; i < types->n; i++)
		if (!ga_accels_entry(list, types->v[i]))
			return ga_fail(err, GA_BADREC, "%s '%.64s' names the type '%.64s', which "
				       "is not there", what, name, types->v[i]);
	return 0;
}

/* Checks the rows of one file: those from its own start to the start of the next file. */
static int check_rows(const struct ga_accels *list, const struct ga_accel_file *from,
		      const struct ga_accel_file *to, struct ga_err *err)
{
	const struct ga_accel_rest *r = &list->lazy->rest;
	size_t i;

	for (i = from->groups; i < to->groups; i++)
		if (check_types(list, "group", r->groups.v[i].name, &r->groups.v[i].types,
				err) < 0)
			return -1;
	for (i = from->instances; i < to->instances; i++)
		if (check_types(list, "machine", r->instances.v[i].name, &r->instances.v[i].types,
				err) < 0)
			return -1;
	for (i = from->platform_labels; i < to->platform_labels; i++)
		if (check_types(list, "label", r->platform_labels.v[i].value,
				&r->platform_labels.v[i].types, err) < 0)
			return -1;
	return 0;
}

static struct ga_accel_file file_of(const struct ga_accel_rest *rest, char *name)
{
	return (struct ga_accel_file){ name, rest->groups.n, rest->instances.n,
				       rest->platform_labels.n };
}

int ga_accels_check_slugs(const struct ga_accels *list, struct ga_err *err)
{
	struct ga_accel_file end = file_of(&list->lazy->rest, NULL);
	size_t i;

	for (i = 0; i < list->files.n; i++) {
		const struct ga_accel_file *f = &list->files.v[i];

		if (check_rows(list, f, i + 1 < list->files.n ? f + 1 : &end, err) == 0)
			continue;
		(void)ga_wrap(err, "catalogue '%s'", f->name);
		return ga_hint(err, "'gpuaas-profile catalog check FILE ...' looks at files "
			       "together, and at nothing else");
	}
	return 0;
}

static int take_drop_in(struct ga_accels *list, json_t *json, const char *file, struct ga_err *err)
{
	struct ga_accel_rest *rest = ga_accels_rest_of(list);
	json_t *one;
	size_t i;

	if (check_members(json, err) < 0 || parse_sources(json, rest, file, err) < 0 ||
	    check_sources(rest, json_object_get(json, "accelerators"), err) < 0 ||
	    check_sources(rest, json_object_get(json, "corrections"), err) < 0 ||
	    check_sources(rest, json_object_get(json, "instances"), err) < 0 ||
	    check_sources(rest, json_object_get(json, "platform_labels"), err) < 0 ||
	    parse_rest(json, rest, err) < 0)
		return -1;
	json_array_foreach(json_object_get(json, "accelerators"), i, one)
		if (add_type(list, one, file, err) < 0)
			return -1;
	json_array_foreach(json_object_get(json, "corrections"), i, one)
		if (correct(list, one, file, err) < 0)
			return -1;
	return 0;
}

static int take_whole(struct ga_accels *list, json_t *json, const char *file, struct ga_err *err)
{
	json_t *types = json_object_get(json, "accelerators"), *one;
	size_t i;

	if (!json_is_array(types))
		return ga_fail(err, GA_BADREC, "it has no array 'accelerators'");
	json_array_foreach(types, i, one)
		if (add_type(list, one, file, err) < 0)
			return -1;
	/* The first version of the file has an object there. */
	if (!json_is_object(json_object_get(json, "sources")) &&
	    parse_sources(json, &list->lazy->rest, file, err) < 0)
		return -1;
	return parse_rest(json, &list->lazy->rest, err);
}

int ga_accels_load(struct ga_accels *list, const char *file, bool drop_in, struct ga_err *err)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	ga_autojson json_t *json = NULL;
	json_error_t why;
	char *name;
	int r;

	if (ga_file_read(file, CATALOGUE_MAX, &text, err) < 0)
		return ga_wrap(err, "accelerator catalogue");
	json = json_loadb(text.buf, text.len, JSON_REJECT_DUPLICATES, &why);
	if (!json)
		return ga_fail(err, GA_BADREC, "catalogue '%s', line %d: not JSON: %s", file,
			       why.line, why.text);
	name = ga_xstrdup(file);
	*ga_list_add(&list->files) = file_of(ga_accels_rest_of(list), name);
	ga_accels_forget_words(list);
	r = drop_in ? take_drop_in(list, json, name, err) : take_whole(list, json, name, err);
	if (r < 0) {
		(void)ga_wrap(err, "catalogue '%s'", file);
		return drop_in ? ga_hint(err, "'gpuaas-profile catalog check FILE' looks at it "
					 "alone") :
				 -1;
	}
	return 0;
}
