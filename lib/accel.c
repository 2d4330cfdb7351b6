/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue of accelerator types. */
#include "accel.h"

#include <jansson.h>

#include "file.h"
#include "str.h"
#include "vec.h"

#define CATALOGUE_MAX (16 << 20)

__asm__(".section .rodata\n"
	".global ga_accel_builtin\n"
	".global ga_accel_builtin_end\n"
	"ga_accel_builtin:\n"
	".incbin \"" GA_SOURCE_DIR "/share/accelerators.json\"\n"
	"ga_accel_builtin_end:\n"
	".byte 0\n"
	".previous\n");
extern const char ga_accel_builtin[], ga_accel_builtin_end[];

/* One PCI id of one type; a type has several. */
struct id_row {
	unsigned int vendor, device;
	const char *slug, *name; /* in the JSON */
	const char *ambiguous;	 /* why the id alone does not tell, or NULL */
	json_t *subsystems;	 /* "10de:18be" …; in the JSON */
};

struct ga_accels {
	json_t *json;
	GA_LIST(struct id_row) rows;
};

static int bad(const char *what, const char *slug, const char *why, struct ga_err *err)
{
	return ga_fail(err, GA_BADREC, "%s, accelerator '%.64s': %s", what, slug ? slug : "?", why);
}

static bool hex16(const char *text, unsigned int *ret)
{
	if (!text || strlen(text) != 4 || strspn(text, "0123456789abcdef") != 4)
		return false;
	*ret = (unsigned int)strtoul(text, NULL, 16);
	return true;
}

static int add_type(struct ga_accels *list, json_t *type, const char *what, struct ga_err *err)
{
	const char *slug = json_string_value(json_object_get(type, "slug"));
	const char *name = json_string_value(json_object_get(type, "name"));
	json_t *vendor = json_object_get(type, "vendor_id"), *pci;
	unsigned int vendor_id, device_id;
	size_t i;

	if (!slug || !name)
		return bad(what, slug, "'slug' and 'name' are needed", err);
	if (!json_is_string(vendor)) /* known by name only */
		return 0;
	if (!hex16(json_string_value(vendor), &vendor_id))
		return bad(what, slug, "'vendor_id' is not four hex digits", err);
	json_array_foreach(json_object_get(type, "pci"), i, pci) {
		if (!hex16(json_string_value(json_object_get(pci, "device_id")), &device_id))
			return bad(what, slug, "'device_id' is not four hex digits", err);
		*ga_list_add(&list->rows) = (struct id_row){
			.vendor = vendor_id,
			.device = device_id,
			.slug = slug,
			.name = name,
			.ambiguous = json_string_value(json_object_get(pci, "ambiguous")),
			.subsystems = json_object_get(pci, "subsystems"),
		};
	}
	return 0;
}

static int load(struct ga_accels *list, const char *text, size_t len, const char *what,
		struct ga_err *err)
{
	json_error_t why;
	json_t *types, *type;
	size_t i;

	list->json = json_loadb(text, len, JSON_REJECT_DUPLICATES, &why);
	if (!list->json)
		return ga_fail(err, GA_BADREC, "%s, line %d: not JSON: %s", what, why.line,
			       why.text);
	types = json_object_get(list->json, "accelerators");
	if (!json_is_array(types))
		return ga_fail(err, GA_BADREC, "%s has no array 'accelerators'", what);
	json_array_foreach(types, i, type)
		if (add_type(list, type, what, err) < 0)
			return -1;
	return 0;
}

int ga_accels_open(const char *file, struct ga_accels **ret, struct ga_err *err)
{
	ga_autoaccels struct ga_accels *list = ga_xcalloc(1, sizeof(*list));
	ga_autostr struct ga_str text = GA_STR_INIT;
	ga_autofree char *what = NULL;
	int r;

	if (file) {
		what = ga_xprintf("catalogue '%s'", file);
		if (ga_file_read(file, CATALOGUE_MAX, &text, err) < 0)
			return ga_wrap(err, "accelerator catalogue");
		r = load(list, text.buf, text.len, what, err);
	} else {
		r = load(list, ga_accel_builtin,
			 (size_t)(ga_accel_builtin_end - ga_accel_builtin), "built-in catalogue",
			 err);
	}
	if (r < 0)
		return -1;
	*ret = GA_TAKE(list);
	return 0;
}

void ga_accels_close(struct ga_accels *list)
{
	if (!list)
		return;
	json_decref(list->json);
	ga_list_release(&list->rows);
	free(list);
}

void ga_cleanup_accels(struct ga_accels **list)
{
	ga_accels_close(*list);
}

static bool has_subsystem(const struct id_row *row, int64_t vendor, int64_t device)
{
	ga_autofree char *text = ga_xprintf("%04llx:%04llx", (unsigned long long)vendor,
					    (unsigned long long)device);
	json_t *one;
	size_t i;

	if (vendor < 0 || device < 0)
		return false;
	json_array_foreach(row->subsystems, i, one)
		if (ga_streq(json_string_value(one), text))
			return true;
	return false;
}

/* The names of the types an id may be: "A or B (10de:25b6)". */
static char *either(const struct ga_accels *list, unsigned int vendor, unsigned int device)
{
	ga_autostr struct ga_str out = GA_STR_INIT;
	const char *last = NULL;
	size_t i, n = 0;

	for (i = 0; i < list->rows.n; i++) {
		const struct id_row *row = &list->rows.v[i];

		if (row->vendor != vendor || row->device != device || ga_streq(row->slug, last))
			continue;
		ga_str_addf(&out, "%s%s", n++ ? " or " : "", row->name);
		last = row->slug;
	}
	ga_str_addf(&out, "%s (%04x:%04x)", n > 1 ? "" : " or another", vendor, device);
	return ga_str_take(&out);
}

void ga_accels_find(const struct ga_accels *list, unsigned int vendor, unsigned int device,
		    int64_t sub_vendor, int64_t sub_device, struct ga_accel *ret)
{
	const struct id_row *found = NULL;
	bool several = false, sure = false;
	size_t i;

	*ret = (struct ga_accel){ .match = GA_ACCEL_UNKNOWN };
	for (i = 0; i < list->rows.n && !sure; i++) {
		const struct id_row *row = &list->rows.v[i];

		if (row->vendor != vendor || row->device != device)
			continue;
		sure = has_subsystem(row, sub_vendor, sub_device);
		several = several || row->ambiguous || (found && !ga_streq(found->slug, row->slug));
		found = row;
	}
	if (!found) {
		ret->name = ga_xprintf("type unknown (%04x:%04x)", vendor, device);
	} else if (several && !sure) {
		ret->match = GA_ACCEL_AMBIGUOUS;
		ret->name = either(list, vendor, device);
	} else {
		ret->match = GA_ACCEL_KNOWN;
		ret->slug = found->slug;
		ret->name = ga_xstrdup(found->name);
	}
}

bool ga_accels_has(const struct ga_accels *list, unsigned int vendor, unsigned int device)
{
	size_t i;

	for (i = 0; i < list->rows.n; i++)
		if (list->rows.v[i].vendor == vendor && list->rows.v[i].device == device)
			return true;
	return false;
}

int64_t ga_accels_memory_mib(const struct ga_accels *list, const char *slug)
{
	json_t *type, *memory, *reported;
	size_t i;

	json_array_foreach(json_object_get(list->json, "accelerators"), i, type) {
		if (!ga_streq(json_string_value(json_object_get(type, "slug")), slug))
			continue;
		memory = json_object_get(type, "memory");
		reported = json_object_get(memory, "reported_mib");
		if (json_is_integer(reported))
			return json_integer_value(reported);
		return (int64_t)(json_number_value(json_object_get(memory, "nominal_gb")) * 1024);
	}
	return 0;
}
