/* SPDX-License-Identifier: Apache-2.0 */
/* Schemas: every type and presence read, written, copied, released and described. */
#include "t.h"

#include "base/texts.h"
#include "record/internal.h"
#include "record/kind.h"
#include "record/rec.h"
#include "record/result.h"
#include "record/schema.h"
#include "record/size.h"
#include "record/wipe.h"

struct inner {
	char *name;
	int64_t n;
};
struct all {
	char *text, *word, *maybe, *opt;
	int64_t n, pct, n_maybe, tri, price, speed;
	bool flag;
	struct inner obj, *obj_maybe, *obj_opt;
	GA_LIST(struct inner) list;
	struct ga_texts texts;
	struct ga_ints ints;
	json_t *free_form;
	char *lines;
};

static const char *const words[] = { "red", "blue", NULL };
static const struct ga_field inner_fields[] = {
	GA_TEXT(inner, name, GA_REQ, GA_T_NAME, "a name"),
	GA_AMOUNT(inner, n, GA_NULLOK, "a number"),
	GA_FIELDS_END,
};
static const struct ga_schema inner_schema = { .doc = "inner", .size = sizeof(struct inner),
					      .fields = inner_fields };
static const struct ga_field all_fields[] = {
	GA_TEXT(all, text, GA_REQ, GA_T_ANY, "text"),
	GA_ENUM(all, word, GA_REQ, words, "a word"),
	GA_TEXT(all, maybe, GA_NULLOK, GA_T_PCI, "may be unknown"),
	GA_TEXT(all, opt, GA_OPT, GA_T_MAC, "may be absent"),
	GA_AMOUNT(all, n, GA_REQ, "a number"),
	GA_INT_IN(all, pct, GA_REQ, -1, 100, "percent"),
	GA_AMOUNT(all, n_maybe, GA_NULLOK, "may be unknown"),
	GA_TRI(all, tri, "yes, no, unknown"),
	GA_BOOL(all, flag, "a flag"),
	GA_OBJ(all, obj, GA_REQ, &inner_schema, "inside"),
	GA_OBJ(all, obj_maybe, GA_NULLOK, &inner_schema, "may be unknown"),
	GA_OBJ(all, obj_opt, GA_OPT, &inner_schema, "may be absent"),
	GA_LISTOF(all, list, &inner_schema, "several"),
	GA_TEXTS(all, texts, GA_REQ, GA_T_CPUS, "texts"),
	GA_INTS_IN(all, ints, GA_REQ, 0, GA_INT_MAX_SAFE, "numbers"),
	GA_JSON(all, free_form, GA_NULLOK, "any object"),
	GA_TEXT(all, lines, GA_NULLOK, GA_T_MULTILINE, "lines"),
	GA_AS(all, price, "perHour", GA_F_DECIMAL, GA_REQ, .digits = 6, .doc = "a price"),
	GA_AS(all, speed, "speed", GA_F_DECIMAL, GA_NULLOK, .digits = 3, .doc = "a speed"),
	GA_FIELDS_END,
};
static const struct ga_schema shape = { .kind = "gpuaas.all/1", .doc = "all",
				       .size = sizeof(struct all), .fields = all_fields };

static const char full[] =
	"{\"kind\":\"gpuaas.all/1\",\"text\":\"t\",\"word\":\"red\",\"maybe\":\"0000:18:00.0\","
	"\"opt\":\"52:54:00:aa:bb:cc\",\"n\":5,\"pct\":-1,\"n_maybe\":7,\"tri\":true,"
	"\"flag\":false,\"obj\":{\"name\":\"a\",\"n\":1},\"obj_maybe\":{\"name\":\"b\",\"n\":null},"
	"\"obj_opt\":{\"name\":\"c\",\"n\":2},\"list\":[{\"name\":\"d\",\"n\":3},"
	"{\"name\":\"e\",\"n\":null}],\"texts\":[\"0-7\",\"9\"],\"ints\":[1,2,3],"
	"\"free_form\":{\"x\":[1,{\"y\":null}]},\"lines\":\"a\\nb\\tc\","
	"\"perHour\":9007199.000001,\"speed\":989.05}";
static const char bare[] =
	"{\"kind\":\"gpuaas.all/1\",\"text\":\"t\",\"word\":\"blue\",\"maybe\":null,\"n\":0,"
	"\"pct\":100,\"n_maybe\":null,\"tri\":null,\"flag\":true,\"obj\":{\"name\":\"a\","
	"\"n\":null},\"obj_maybe\":null,\"list\":[],\"texts\":[],\"ints\":[],"
	"\"free_form\":null,\"lines\":null,\"perHour\":5,\"speed\":null}";

static void round_trip(const char *text, const char *name)
{
	ga_autofree char *out = NULL, *copied = NULL;
	struct ga_err err = GA_ERR_INIT;
	struct all a, b;

	t_int(ga_rec_parse_text(text, &shape, &a, &err), 0, "%s is read (%s)", name, err.msg);
	out = ga_rec_format_text(&shape, &a);
	t_str(out, text, "%s is written as it was", name);
	ga_schema_copy(&shape, &a, &b);
	ga_schema_release(&shape, &a);
	t_ok(!a.text && !a.list.v && !a.obj_maybe, "%s is released to zeroes", name);
	copied = ga_rec_format_text(&shape, &b);
	t_str(copied, text, "a copy of %s stands on its own", name);
	ga_schema_release(&shape, &b);
}

/* Puts one member of the full record to another value (NULL: takes it away). */
static json_t *changed(const char *member, const char *value)
{
	json_t *json = json_loads(full, 0, NULL);

	if (value)
		json_object_set_new(json, member, json_loads(value, JSON_DECODE_ANY, NULL));
	else
		json_object_del(json, member);
	return json;
}

static void refusals(void)
{
	static const struct {
		const char *member, *value, *message;
	} cases[] = {
		{ "text", NULL, "member 'text' is missing" },
		{ "text", "null", "member 'text' must be text, not null" },
		{ "text", "1", "member 'text' must be text, not a number" },
		{ "text", "\"\"", "member 'text' is empty" },
		{ "text", "\"a\\nb\"", "control characters" },
		{ "text", "\"a\\u007f\"", "control characters" },
		{ "word", "\"green\"", "member 'word' takes one of red, blue, not 'green'" },
		{ "word", "\"bleu\"",
		  "member 'word' takes one of red, blue, not 'bleu'; near to it: blue" },
		{ "maybe", NULL, "member 'maybe' is missing" },
		{ "maybe", "\"0000:AB:00.0\"", "not a PCI address" },
		{ "opt", "null", "member 'opt' must be text" },
		{ "opt", "\"52:54:00:AA:bb:cc\"", "not a MAC" },
		{ "n", "-1", "not within 0" },
		{ "n", "9007199254740992", "not within 0" },
		{ "n", "1.0", "must be a whole number, not a fraction" },
		{ "n", "\"5\"", "must be a whole number, not text" },
		{ "n", "true", "must be a whole number, not true" },
		{ "pct", "101", "not within -1 .. 100" },
		{ "pct", "-2", "not within -1 .. 100" },
		{ "tri", "0", "must be true, false or null" },
		{ "flag", "null", "must be true or false" },
		{ "obj", "null", "must be an object" },
		{ "obj", "[]", "member 'obj' must be an object, not a list" },
		{ "obj", "{\"name\":\"A\",\"n\":1}", "member 'obj.name' is not a name" },
		{ "obj", "{\"name\":\"a\"}", "member 'obj.n' is missing" },
		{ "obj_maybe", "{\"name\":\"a\",\"n\":1,\"x\":1}", "unknown member 'obj_maybe.x'" },
		{ "list", "null", "must be a list" },
		{ "list", "{}", "must be a list" },
		{ "list", "[{\"name\":\"a\",\"n\":1},7]", "member 'list[1]' must be an object" },
		{ "list", "[{\"name\":\"a\",\"n\":1},{\"n\":1}]", "'list[1].name' is missing" },
		{ "texts", "[\"0-7\",\"x\"]", "member 'texts[1]' is not a CPU list" },
		{ "texts", "[\"0-7\",1]", "member 'texts[1]' must be text" },
		{ "ints", "[1,-1]", "member 'ints[1]' is -1" },
		{ "free_form", "[]", "must be an object" },
		{ "lines", "\"a\\u0001\"", "control characters" },
		{ "perHour", "null", "must be a number, not null" },
		{ "perHour", "\"5\"", "must be a number, not text" },
		{ "perHour", "-0.5", "below 0 or too large" },
		{ "speed", "1e300", "below 0 or too large" },
		{ "stranger", "1", "unknown member 'stranger'" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autojson json_t *json = changed(cases[i].member, cases[i].value);
		struct ga_err err = GA_ERR_INIT;
		struct all a;
		int r = ga_schema_parse(&shape, json, &a, &err);

		t_code(r, &err, GA_BADREC, cases[i].message, "%s = %s is refused", cases[i].member,
		       cases[i].value ? cases[i].value : "(missing)");
		t_ok(!a.text && !a.word && !a.list.v, "and nothing is kept of it");
		if (r == 0)
			ga_schema_release(&shape, &a);
	}
}

static void formats(void)
{
	static const struct {
		enum ga_format format;
		const char *good, *bad;
	} cases[] = {
		{ GA_T_ID, "0123abcd", "0123abci" },
		{ GA_T_NAME, "h7.a_b-c", "-h7" },
		{ GA_T_CODE, "iommu_off_2", "iommu-off" },
		{ GA_T_TIME, "2026-11-20T18:24:00.000000Z", "2026-11-20T18:24:00Z" },
		{ GA_T_DIGEST,
		  "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
		  "sha256:0123" },
		{ GA_T_PCI, "10000:18:00.0", "0000:18:00.9" },
		{ GA_T_MAC, "52:54:00:aa:bb:cc", "53:54:00:aa:bb:cc" },
		{ GA_T_IP, "10.0.0.1", "10.0.0.256" },
		{ GA_T_CPUS, "0-7,16", "7-0" },
		{ GA_T_HEX, "00ff", "0x00" },
		{ GA_T_WORD, "eui.0025-1_b:c/2", "eui.$(id)" },
		{ GA_T_ANY, "any thing", "two\nlines" },
		{ GA_T_MULTILINE, "two\nlines", "\x01" },
	};
	size_t i;
	int bad;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct one {
			char *it;
		} o;
		const struct ga_field fields[] = {
			GA_TEXT(one, it, GA_REQ, cases[i].format, "one"),
			GA_FIELDS_END,
		};
		const struct ga_schema one = { NULL, "one", sizeof(o), fields, false };

		for (bad = 0; bad < 2; bad++) {
			const char *text = bad ? cases[i].bad : cases[i].good;
			ga_autojson json_t *json = json_pack("{s:s}", "it", text);
			struct ga_err err = GA_ERR_INIT;
			int r = ga_schema_parse(&one, json, &o, &err);

			t_int(r, bad ? -1 : 0, "format %d, %s", (int)cases[i].format,
			      bad ? "bad" : "good");
			ga_schema_release(&one, &o);
		}
	}
}

static void limits(void)
{
	ga_autofree char *text = ga_xcalloc(1, GA_TEXT_MAX + 2);
	struct ga_err err = GA_ERR_INIT;
	json_t *json = json_loads(full, 0, NULL);
	struct all a;

	memset(text, 'x', GA_TEXT_MAX);
	json_object_set_new(json, "text", json_string(text));
	t_int(ga_schema_parse(&shape, json, &a, &err), 0, "the longest text");
	ga_schema_release(&shape, &a);
	text[GA_TEXT_MAX] = 'x';
	json_object_set_new(json, "text", json_string(text));
	t_code(ga_schema_parse(&shape, json, &a, &err), &err, GA_BADREC, "longer than",
	       "one byte more is refused");
	json_decref(json);
}

/* Bytes of hardware that are no UTF-8 are shown, not lost; unknown numbers are null. */
static void writing(void)
{
	ga_autofree char *out = NULL;
	struct inner in;

	ga_schema_init(&inner_schema, &in);
	in.name = ga_xstrdup("disk\xff\xfe");
	out = ga_rec_format_text(&inner_schema, &in);
	t_str(out, "{\"name\":\"disk??\",\"n\":null}", "bytes that are no UTF-8, a number unknown");
	ga_schema_release(&inner_schema, &in);
}

static void digest(void)
{
	struct ga_err err = GA_ERR_INIT;
	char one[80], two[80], three[80];
	struct all a;

	if (ga_rec_parse_text(full, &shape, &a, &err) < 0)
		return t_report(false, __FILE__, __LINE__, err.msg);
	ga_rec_digest(&shape, &a, "n", one);
	a.n = 99;
	ga_rec_digest(&shape, &a, "n", two);
	t_str(two, one, "the member left out does not count");
	a.pct = 3;
	ga_rec_digest(&shape, &a, "n", three);
	t_ok(strcmp(one, three) != 0, "every other member does");
	ga_schema_release(&shape, &a);
}

/* Members of a schema: all fields, required where always present, nothing else allowed. */
static int check_schema(const struct ga_schema *s, json_t *schema)
{
	json_t *properties = json_object_get(schema, "properties");
	json_t *required = json_object_get(schema, "required");
	const struct ga_field *f;
	size_t n = s->kind ? 1 : 0, always = n;

	if (s->is_signed && !json_object_get(properties, "signature"))
		return -1;

	for (f = s->fields; f->name; f++, n++) {
		always += f->presence != GA_OPT;
		if (!json_object_get(properties, f->name) || !f->doc || !f->doc[0])
			return -1;
	}
	if (json_object_size(properties) != n + s->is_signed || json_array_size(required) != always)
		return -1;
	return json_is_false(json_object_get(schema, "additionalProperties")) ? 0 : -1;
}

static void check_kind(const struct ga_schema *s, const char *name, int depth);

static void check_member(const struct ga_field *f, const char *name, int depth)
{
	ga_autofree char *path = ga_xprintf("%s %s", name, f->name);

	check_kind(f->sub, path, depth + 1);
}

/* Every kind: member names fit, texts are bounded, offsets stay within, the schema is complete. */
/* Sums may be long; all else that is a time, a size or a count has a bound with which the code can
 * calculate. */
static int64_t most(const char *name)
{
	static const char *const spans[] = {
		"age_seconds", "stale_seconds", "staleSeconds", "seconds", "seconds_low",
		"seconds_high", NULL,
	};
	size_t i, n = strlen(name);

	for (i = 0; spans[i]; i++)
		if (!strcmp(name, spans[i]))
			return GA_TIME_SPAN_MAX;
	if (n >= 3 && !strcmp(name + n - 3, "_ms"))
		return INT64_C(1000000000000);
	if (n >= 8 && !strcmp(name + n - 8, "_seconds"))
		return n > 12 && !strcmp(name + n - 12, "_gpu_seconds") ? GA_INT_MAX_SAFE :
									  GA_SECONDS_MAX;
	if ((n >= 5 && !strcmp(name + n - 5, "bytes")))
		return GA_BYTES_MAX;
	if (strstr(name, "_mib") || strstr(name, "_kib"))
		return GA_BYTES_MAX >> 10;
	return !strcmp(name, "count") || strstr(name, "Count") ? GA_COUNT_MAX : GA_INT_MAX_SAFE;
}

static bool is_bounded(const struct ga_field *f)
{
	if (f->type != GA_F_INT && f->type != GA_F_INTS)
		return true;
	return f->min < f->max && f->min >= -GA_INT_MAX_SAFE && f->max <= most(f->name);
}

static void check_kind(const struct ga_schema *s, const char *name, int depth)
{
	ga_autojson json_t *schema = ga_json_schema_of(s);
	static const char ours[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	/* Spelled by those who read it. */
	static const char theirs[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				     "0123456789";
	const char *letters = ga_starts(name, "gpuaas.hardware-profile/") ? theirs : ours;
	const struct ga_field *f;
	bool good = s->size && (!s->kind || (s->doc && s->doc[0]));
	int i = 0;

	if (depth > 8)
		return;
	for (f = s->fields; f->name; f++) {
		const struct ga_field *g;

		good = good && f->name[strspn(f->name, letters)] == '\0' && f->offset < s->size;
		t_ok(is_bounded(f), "%s: '%s' has bounds", name, f->name);
		for (g = s->fields; g < f; g++)
			good = good && strcmp(g->name, f->name) && g->offset != f->offset;
		if (f->type == GA_F_OBJ || f->type == GA_F_LIST)
			check_member(f, name, depth);
		i++;
	}
	t_ok(good && i, "%s: names, offsets, words", name);
	t_int(check_schema(s, schema), 0, "%s: its schema", name);
}

/* A record with older bounds reads as today's, and one from outside is refused. */
static void older_bounds(void)
{
	static const struct {
		const char *member, *value;
	} cases[] = {
		{ "pct", "101" }, { "pct", "-2" }, { "n", "9007199254740992" },
		{ "n", "-1" }, { "ints", "[1,-1,9223372036854775807]" },
		{ "list", "[{\"name\":\"d\",\"n\":-3}]" },
		{ "obj", "{\"name\":\"a\",\"n\":9223372036854775807}" },
	};
	static const char *const expected[] = {
		"100", "-1", "9007199254740991", "0", "[1,0,9007199254740991]",
		"[{\"name\":\"d\",\"n\":0}]", "{\"name\":\"a\",\"n\":9007199254740991}",
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autojson json_t *json = changed(cases[i].member, cases[i].value), *now = NULL;
		ga_autofree char *text = json_dumps(json, JSON_COMPACT), *value = NULL;
		struct ga_err err = GA_ERR_INIT;
		struct all a;
		int r;

		t_code(ga_schema_parse(&shape, json, &a, &err), &err, GA_BADREC, cases[i].member,
		       "'%s' is refused from outside", cases[i].member);
		err = (struct ga_err)GA_ERR_INIT;
		r = ga_rec_parse_text(text, &shape, &a, &err);
		t_int(r, 0, "and reads from a row (%s)", err.msg);
		if (r < 0)
			continue;
		now = ga_schema_format(&shape, &a);
		value = json_dumps(json_object_get(now, cases[i].member),
				   JSON_COMPACT | JSON_ENCODE_ANY);
		t_str(value, expected[i], "as the bound");
		ga_schema_release(&shape, &a);
	}
}

/* gpuaas-wipe --device takes SCSI disks, too, and host.db keeps its records. */
static void scsi_wipes(void)
{
	static const char name[] = "t10.ATA     VENDOR MODEL";
	const struct ga_field *f, *device = NULL, *wwid = NULL, *order = NULL;
	struct ga_err err = GA_ERR_INIT;

	for (f = ga_wipe_evidence_schema.fields; f->name; f++)
		device = strcmp(f->name, "device") ? device : f;
	for (f = device->sub->fields; f->name; f++)
		wwid = strcmp(f->name, "wwid") ? wwid : f;
	for (f = ga_wipe_order_schema.fields; f->name; f++)
		order = strcmp(f->name, "nvme_wwid") ? order : f;
	t_int(ga_schema_check_text(wwid, name, strlen(name), "wwid", &err), 0, "evidence");
	t_int(ga_schema_check_text(order, name, strlen(name), "wwid", &err), 0, "an order");
}

int main(void)
{
	size_t i;

	round_trip(full, "a full record");
	round_trip(bare, "a bare record");
	refusals();
	formats();
	scsi_wipes();
	limits();
	older_bounds();
	writing();
	digest();
	for (i = 0; ga_kinds[i]; i++)
		check_kind(ga_kinds[i], ga_kinds[i]->kind, 0);
	return t_done();
}
