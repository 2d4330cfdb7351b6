/* SPDX-License-Identifier: Apache-2.0 */
/* The fast reader of lines gives the same result as jansson and the schema. */
#include "record/schema_read.h"

#include "base/texts.h"
#include "record/accel.h"
#include "record/rec.h"
#include "record/state.h"
#include "t.h"

extern const char ga_accel_builtin[], ga_accel_builtin_end[];

struct inner {
	char *name;
	int64_t n;
};
struct all {
	char *text, *word, *maybe, *opt;
	int64_t n, below, n_opt, tri, speed;
	bool flag;
	struct inner obj, *obj_maybe, *obj_opt;
	GA_LIST(struct inner) list;
	struct ga_texts texts;
	struct ga_ints ints;
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
	GA_INT_IN(all, below, GA_REQ, -10, 10, "a number that may be below 0"),
	GA_AMOUNT(all, n_opt, GA_OPT, "may be absent"),
	GA_TRI(all, tri, "yes, no, unknown"),
	GA_FIELD(all, speed, GA_F_DECIMAL, GA_NULLOK, .digits = 3, .doc = "a speed"),
	GA_BOOL(all, flag, "a flag"),
	GA_OBJ(all, obj, GA_REQ, &inner_schema, "inside"),
	GA_OBJ(all, obj_maybe, GA_NULLOK, &inner_schema, "may be unknown"),
	GA_OBJ(all, obj_opt, GA_OPT, &inner_schema, "may be absent"),
	GA_LISTOF(all, list, &inner_schema, "several"),
	GA_TEXTS(all, texts, GA_REQ, GA_T_CPUS, "texts"),
	GA_INTS_IN(all, ints, GA_REQ, 0, GA_INT_MAX_SAFE, "numbers"),
	GA_FIELDS_END,
};
static const struct ga_schema shape = { .kind = "gpuaas.all/1", .doc = "all",
				       .size = sizeof(struct all), .fields = all_fields };

static const char full[] =
	"{\"kind\":\"gpuaas.all/1\",\"text\":\"a \\\"b\\\" \\\\c\",\"word\":\"red\","
	"\"maybe\":\"0000:18:00.0\",\"opt\":\"52:54:00:aa:bb:cc\",\"n\":5,\"below\":-7,"
	"\"n_opt\":0,\"tri\":true,\"speed\":989.05,\"flag\":false,\"obj\":{\"name\":\"a\",\"n\":1},"
	"\"obj_maybe\":{\"name\":\"b\",\"n\":null},\"obj_opt\":{\"name\":\"c\",\"n\":2},"
	"\"list\":[{\"name\":\"d\",\"n\":3},{\"name\":\"e\",\"n\":null}],"
	"\"texts\":[\"0-7\",\"9\"],\"ints\":[1,20,300]}";
static const char bare[] =
	"{\"kind\":\"gpuaas.all/1\",\"text\":\"t\",\"word\":\"blue\",\"maybe\":null,\"n\":0,"
	"\"below\":10,\"tri\":null,\"speed\":null,\"flag\":true,\"obj\":{\"name\":\"a\","
	"\"n\":null},\"obj_maybe\":null,\"list\":[],\"texts\":[],\"ints\":[]}";

/* Whether it is read the short way; when it is, then as the long way reads it. */
static bool is_read(const struct ga_schema *s, const char *text, size_t len, bool *same)
{
	ga_autofree void *a = ga_xcalloc(1, s->size), *b = ga_xcalloc(1, s->size);
	ga_autofree char *one = NULL, *two = NULL;
	ga_autojson json_t *json = NULL;
	struct ga_err err = GA_ERR_INIT;
	json_error_t why;

	*same = true;
	if (!ga_schema_read(s, text, len, a))
		return false;
	json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
	*same = json && ga_schema_parse(s, json, b, &err) == 0;
	if (*same) {
		one = ga_rec_format_text(s, a);
		two = ga_rec_format_text(s, b);
		*same = ga_streq(one, two);
		ga_schema_release(s, b);
	}
	ga_schema_release(s, a);
	return true;
}

/* full with the one place FROM changed to TO */
static char *with(const char *from, const char *to)
{
	const char *at = strstr(full, from);

	return at ? ga_xprintf("%.*s%s%s", (int)(at - full), full, to, at + strlen(from)) : NULL;
}

static void cases(void)
{
	static const struct {
		const char *from, *to;
		bool read;
	} table[] = {
		{ "\"n\":5", "\"n\":0", true },
		{ "\"n\":5", "\"n\":9007199254740991", true },
		{ "\"n\":5", "\"n\":9007199254740992", false },
		{ "\"n\":5", "\"n\":99999999999999999999", false },
		{ "\"n\":5", "\"n\":05", false },
		{ "\"n\":5", "\"n\":-5", false },
		{ "\"n\":5", "\"n\":5.0", false },
		{ "\"n\":5", "\"n\":5e0", false },
		{ "\"n\":5", "\"n\":", false },
		{ "\"n\":5", "\"n\":null", false },
		{ "\"n\":5", "\"n\": 5", false },
		{ "\"below\":-7", "\"below\":-0", true },
		{ "\"below\":-7", "\"below\":-11", false },
		{ "\"below\":-7", "\"below\":--7", false },
		{ "989.05", "989", true },
		{ "989.05", "0.125", true },
		{ "989.05", "0.1", true },
		{ "989.05", "1000000000000", true },
		{ "989.05", "1000000000000.001", false },
		{ "989.05", "989.0505", false },
		{ "989.05", "989.", false },
		{ "989.05", ".5", false },
		{ "989.05", "-989.05", false },
		{ "989.05", "9.8e2", false },
		{ "true", "false", true },
		{ "true", "null", true },
		{ "true", "truer", false },
		{ "true", "1", false },
		{ ":false", ":null", false },
		{ "\\\\c", "\\nc", false },
		{ "\\\\c", "\\u0041c", false },
		{ "\\\\c", "\\c", false },
		{ "\\\\c", "\tc", false },
		{ "\\\\c", "gr\xc3\xbcn", false },
		{ "\\\\c", "\x7f", false },
		{ "\"red\"", "\"blue\"", true },
		{ "\"red\"", "\"green\"", false },
		{ "\"red\"", "\"\"", false },
		{ "\"red\"", "null", false },
		{ "0000:18:00.0", "0000:18:00.9", false },
		{ ",\"opt\":\"52:54:00:aa:bb:cc\"", "", true },
		{ ",\"opt\":\"52:54:00:aa:bb:cc\"", ",\"opt\":null", false },
		{ ",\"n_opt\":0", "", true },
		{ ",\"tri\":true", "", false },
		{ ",\"tri\":true", ",\"tri\":true,\"tri\":true", false },
		{ ",\"tri\":true", ",\"stranger\":1,\"tri\":true", false },
		{ "\"list\":[", "\"list\":[ ", false },
		{ "[1,20,300]", "[]", true },
		{ "[1,20,300]", "[1,20,]", false },
		{ "[1,20,300]", "[,1]", false },
		{ "[1,20,300]", "[1 20]", false },
		{ "[1,20,300]", "[1,20", false },
		{ "[1,20,300]", "[\n1,\n20,300\n]", true },
		{ "[1,20,300]", "[\n]", true },
		{ "[1,20,300]", "[1\n,20,300]", false },
		{ ",\"tri\":true", ",\n\"tri\":true", true },
		{ "[1,20,300]", "null", false },
		{ "300]}", "300]} ", false },
		{ "300]}", "300]}}", false },
		{ "300]}", "300]", false },
		{ "gpuaas.all/1", "gpuaas.all/2", false },
		{ "{\"kind\":\"gpuaas.all/1\",", "{", false },
	};
	bool same;
	size_t i;

	t_ok(is_read(&shape, full, strlen(full), &same) && same, "every member");
	t_ok(is_read(&shape, bare, strlen(bare), &same) && same, "no more than must be");
	t_ok(!is_read(&shape, full, 0, &same), "nothing");
	for (i = 0; i < GA_ARRAY_SIZE(table); i++) {
		ga_autofree char *text = with(table[i].from, table[i].to);

		t_ok(is_read(&shape, text, strlen(text), &same) == table[i].read && same,
		     "case %zu, %s changed, is %s", i, table[i].from,
		     table[i].read ? "read" : "left to jansson");
	}
}

static void cut_and_changed(void)
{
	static const char marks[] = "{}[]\",:\\0123456789.-+eEnulltrue \t\nx\x80";
	uint64_t seed = t_seed();
	bool good = true, same;
	int i, was_read = 0;
	size_t n;

	for (n = 0; n < strlen(full); n++)
		good = good && !is_read(&shape, full, n, &same);
	t_ok(good, "no beginning of a record is read");
	for (i = 0; i < 20000 && good; i++) {
		char text[sizeof(full)];
		int k, changes = 1 + (int)(t_random(&seed) % 3);

		memcpy(text, full, sizeof(full));
		for (k = 0; k < changes; k++)
			text[t_random(&seed) % strlen(full)] =
				marks[t_random(&seed) % (sizeof(marks) - 1)];
		was_read += is_read(&shape, text, strlen(full), &same);
		good = same;
		if (!good)
			printf("# %s\n", text);
	}
	t_ok(good, "changed anywhere, what is read is what jansson reads");
	t_ok(was_read > 100, "and some of it is read (%d)", was_read);
}

/* The uses of this: the catalogue in the programs, and records as the state keeps them. */
static void catalogue(void)
{
	const char *line = strstr(ga_accel_builtin, "\n{\"slug\":"), *end;
	int n = 0, short_ones = 0;
	bool good = true, same;

	while (line && line[1] == '{') {
		line++;
		end = strchr(line, '\n');
		short_ones += is_read(&ga_accel_type_schema, line,
				      (size_t)(end - line) - (end[-1] == ','), &same);
		good = good && same;
		line = end;
		n++;
	}
	t_ok(good && n > 100, "%d types of the catalogue are read as jansson reads them", n);
	t_int(short_ones, n, "all of them the short way");
}

static void profile(void)
{
	static const char written[] =
		"{\"name\":\"lab\",\"kind\":\"gpuaas.profile/1\",\"shape\":\"slice\","
		"\"counts\":[1,2,4,8],\"image\":\"lab\",\"price_micros\":0,\"wipe\":"
		"{\"minimum_class\":\"clear\",\"verify\":\"full\","
		"\"gpu_memory\":\"if_supported\"}}";
	ga_autofree char *kept = NULL;
	struct ga_err err = GA_ERR_INIT;
	struct ga_profile p;
	bool same;

	t_ok(!is_read(&ga_profile_schema, written, strlen(written), &same),
	     "a profile as a person wrote it is left to jansson");
	t_int(ga_rec_parse_text(written, &ga_profile_schema, &p, &err), 0, "which reads it (%s)",
	      err.msg);
	kept = ga_rec_format_text(&ga_profile_schema, &p);
	t_ok(is_read(&ga_profile_schema, kept, strlen(kept), &same) && same,
	     "as the state keeps it, it is read the short way");
	ga_schema_release(&ga_profile_schema, &p);
}

int main(void)
{
	cases();
	cut_and_changed();
	catalogue();
	profile();
	return t_done();
}
