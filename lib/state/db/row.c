/* SPDX-License-Identifier: Apache-2.0 */
/* Reads rows into records by the tables of the schemas. */
#include "state/db/row.h"

#include "record/bundle.h"
#include "record/host.h"
#include "record/rec.h"
#include "state/db/json.h"

static size_t size_of(const struct ga_field *f)
{
	if (f->type == GA_F_OBJ)
		return f->presence == GA_REQ ? f->sub->size : sizeof(void *);
	return f->type == GA_F_JSON ? sizeof(json_t *) : sizeof(struct ga_any_list);
}

/* Reads one member from its JSON text, by a schema with this field alone. When something outside
 * gpuaas damaged the text, the row is read all the same with the member empty; attention and the
 * check name the row (state/node/damaged.c). Reasons that cannot be read become a reason. */
static void read_json(const struct ga_field *f, const char *text, void *member)
{
	struct ga_field fields[2] = { *f };
	struct ga_schema one = { .size = size_of(f), .fields = fields };
	ga_autojson json_t *object = json_object();
	struct ga_err unreadable = GA_ERR_INIT;
	json_error_t why;
	json_t *value;

	/* A free-form object may be empty; any other empty value means that the member is
	 * absent. */
	if (!text || !strcmp(text, "[]") || (f->type != GA_F_JSON && !strcmp(text, "{}")))
		return;
	fields[0].offset = 0;
	value = json_loads(text, JSON_REJECT_DUPLICATES, &why);
	if (value) {
		json_object_set_new(object, f->name, value);
		ga_schema_clamp(&one, object);
		if (ga_schema_parse(&one, object, member, &unreadable) == 0)
			return;
	}
	ga_schema_init(&one, member);
	if (f->sub == &ga_reason_schema)
		ga_reasons_add(member, "row_damaged", NULL, GA_DAMAGED_REASONS, NULL);
}

/* Returns the number of columns read. */
static int read_policy(const struct ga_rows *rows, int column, const struct ga_field *f,
		       void *member)
{
	struct ga_wipe_policy *p = member;

	if (f->presence != GA_REQ) {
		if (!ga_rows_text(rows, column))
			return 3;
		p = *(struct ga_wipe_policy **)member = ga_xcalloc(1, sizeof(*p));
	}
	*p = (struct ga_wipe_policy){
		.minimum_class = ga_rows_dup(rows, column),
		.verify = ga_rows_dup(rows, column + 1),
		.gpu_memory = ga_rows_dup(rows, column + 2),
	};
	return 3;
}

/* Returns the number of columns read. */
static int read_field(const struct ga_rows *rows, int column, const struct ga_field *f,
		      void *member)
{
	int64_t n;

	if (f->type == GA_F_OBJ && f->sub == &ga_wipe_policy_schema)
		return read_policy(rows, column, f, member);
	switch (f->type) {
	case GA_F_TEXT:
		*(char **)member = ga_rows_dup(rows, column);
		break;
	case GA_F_INT:
		/* A row of an older version may have a value outside today's bounds. */
		n = ga_rows_int(rows, column);
		*(int64_t *)member = n == GA_UNKNOWN ? n : ga_field_clamp(f, n);
		break;
	case GA_F_DECIMAL:
	case GA_F_TRI:
		*(int64_t *)member = ga_rows_int(rows, column);
		break;
	case GA_F_BOOL:
		*(bool *)member = ga_rows_bool(rows, column);
		break;
	case GA_F_OBJ:
	case GA_F_LIST:
	case GA_F_TEXTS:
	case GA_F_INTS:
	case GA_F_JSON:
		read_json(f, ga_rows_text(rows, column), member);
		break;
	}
	return 1;
}

int ga_row_read(const struct ga_rows *rows, int column, const struct ga_schema *schema, void *obj,
		struct ga_err *err)
{
	const struct ga_field *f;

	ga_schema_init(schema, obj);
	(void)err; /* a column that cannot be read is empty */
	for (f = schema->fields; f->name; f++)
		column += read_field(rows, column, f, (char *)obj + f->offset);
	return 0;
}

int ga_row_first(struct ga_rows *rows, const struct ga_schema *schema, void *obj,
		 struct ga_err *err)
{
	ga_autorows struct ga_rows *closed = rows;
	int r = ga_rows_next(closed, err);

	return r > 0 && ga_row_read(closed, 0, schema, obj, err) < 0 ? -1 : r;
}
