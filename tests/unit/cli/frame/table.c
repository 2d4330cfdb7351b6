/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of every kind with long values fit a terminal. */
#include "t.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/frame/cell.h"
#include "cli/frame/emit.h"
#include "cli/frame/form.h"
#include "cli/frame/table_views.h"
#include "record/kind.h"

static const char *text_of(const struct ga_field *f)
{
	static const char *const formats[] = {
		[GA_T_ID] = "r-0d5c2f7a91be", [GA_T_NAME] = "training-cluster-7",
		[GA_T_CODE] = "maintenance_too_long", [GA_T_TIME] = "2026-11-25T03:56:13.000001Z",
		[GA_T_DIGEST] = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b",
		[GA_T_PCI] = "0000:19:00.0", [GA_T_MAC] = "52:54:00:12:34:56",
		[GA_T_IP] = "fd00:10:20:30::1234", [GA_T_CPUS] = "0-11,24-35",
		[GA_T_HEX] = "e3b0c4", [GA_T_WORD] = "eui.002538b5410a1001",
	};
	const char *longest = NULL;

	for (const char *const *w = f->values; w && *w; w++)
		longest = !longest || strlen(*w) > strlen(longest) ? *w : longest;
	if (longest)
		return longest;
	if (f->format < GA_ARRAY_SIZE(formats) && formats[f->format])
		return formats[f->format];
	return "the sanitize log says that 12 blocks could not be overwritten, "
	       "/sys/devices/pci0000:00/0000:00:01.0/0000:01:00.0 too";
}

/* The member of the first column, which is shown whole whatever it is. */
static const char *first;

static json_t *record_of(const struct ga_schema *schema, int depth);

/* A value of a member as a busy site has it; depth ends kinds that contain themselves. */
static json_t *value_of(const struct ga_field *f, int depth)
{
	json_t *list = NULL;
	int i;

	if (!strcmp(f->name, "dry_run"))
		return json_false();
	switch (f->type) {
	case GA_F_TEXT:
		if (f->format == GA_T_ANY && !f->values && !strcmp(f->name, first))
			return json_string("node-h7-1");
		return json_string(text_of(f));
	case GA_F_INT:
		return json_integer(f->max < 123456789 ? f->max : 123456789);
	case GA_F_BOOL:
	case GA_F_TRI:
		return json_true();
	case GA_F_DECIMAL:
		return json_real(989500.125);
	case GA_F_OBJ:
		return depth < 4 ? record_of(f->sub, depth + 1) : json_object();
	case GA_F_JSON:
		return json_pack("{s:s}", "reason", "the fans of the third tray are replaced");
	case GA_F_LIST:
	case GA_F_TEXTS:
	case GA_F_INTS:
		break;
	}
	list = json_array();
	for (i = 0; i < 6; i++)
		json_array_append_new(list, f->type == GA_F_INTS ? json_integer(1000 + i) :
					    f->type == GA_F_TEXTS ? json_string(text_of(f)) :
					    depth < 4 ? record_of(f->sub, depth + 1) :
							json_object());
	return list;
}

static json_t *record_of(const struct ga_schema *schema, int depth)
{
	json_t *json = json_object();

	for (const struct ga_field *f = schema->fields; f->name; f++)
		json_object_set_new(json, f->name, value_of(f, depth));
	return json;
}

/* The table of the record, twice, as it is printed; allocated. */
static char *print(const struct ga_schema *schema, json_t *json)
{
	int fd = memfd_create("table", MFD_CLOEXEC), real = dup(STDOUT_FILENO);
	struct ga_str text = GA_STR_INIT;
	char part[4096];
	ssize_t n;

	fflush(stdout);
	dup2(fd, STDOUT_FILENO);
	ga_table_add(schema, json);
	ga_table_add(schema, json);
	ga_table_flush();
	fflush(stdout);
	dup2(real, STDOUT_FILENO);
	close(real);
	lseek(fd, 0, SEEK_SET);
	while ((n = read(fd, part, sizeof(part))) > 0)
		ga_str_add_bytes(&text, part, (size_t)n);
	close(fd);
	return ga_str_take(&text);
}

/* The first line that is wider, but for a command to copy; NULL: none is. */
static char *too_wide(const char *text, int width)
{
	size_t n;

	for (; *text; text += n + (text[n] == '\n')) {
		char *line = ga_xstrndup(text, n = strcspn(text, "\n"));

		if (ga_cell_width(line) > width && !ga_starts(line, "    $ "))
			return line;
		free(line);
	}
	return NULL;
}

static void choose(const char *word, int width)
{
	ga_autofree char *columns = ga_xprintf("%d", width);
	struct ga_err err = GA_ERR_INIT;

	setenv("COLUMNS", columns, 1);
	t_int(ga_form_choose(word, NULL, NULL, NULL, &err), 0, "-o %s, %d columns", word, width);
	ga_emit_open(true, true);
}

static void every_kind(int width)
{
	choose("table", width);
	for (const struct ga_schema *const *k = ga_kinds; *k; k++) {
		const struct ga_view *view = ga_view_of(*k);
		const struct ga_column *c;
		ga_autofree char *text = NULL, *wide = NULL;
		const char *dot = view ? strrchr(view->columns[0].path, '.') : NULL;
		char kind[32];
		json_t *json;

		if (!view)
			continue;
		first = dot ? dot + 1 : view->columns[0].path;
		json = record_of(*k, 0);
		text = print(*k, json);
		wide = too_wide(text, width);
		ga_kind_short(*k, kind);
		t_ok(!wide, "a table of '%s' is no wider than %d columns", kind, width);
		if (wide)
			printf("# %d: %s\n", ga_cell_width(wide), wide);
		t_ok(view->columns[0].rank ||
			     ga_starts(text + strspn(text, " "), view->columns[0].title),
		     "'%s' has its first column", kind);
		for (c = view->columns; c->title; c++)
			if (c->rank == GA_RANK_KEPT)
				t_ok(strstr(text, c->title) != NULL, "'%s' has %s at %d columns",
				     kind, c->title, width);
		json_decref(json);
	}
}

/* A table of each kind keeps one column, however narrow the terminal is. */
static void narrowest(int width)
{
	choose("table", width);
	for (const struct ga_schema *const *k = ga_kinds; *k; k++) {
		const struct ga_view *view = ga_view_of(*k);
		ga_autofree char *text = NULL;
		char kind[32];
		json_t *json;

		if (!view)
			continue;
		first = "";
		json = record_of(*k, 0);
		text = print(*k, json);
		ga_kind_short(*k, kind);
		t_ok(strchr(text, '\n') != NULL, "a table of '%s' at %d columns", kind, width);
		json_decref(json);
	}
}

int main(void)
{
	every_kind(80);
	every_kind(70);
	narrowest(9);
	narrowest(1);
	return t_done();
}
