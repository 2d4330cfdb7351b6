/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-validate new: the beginning of an adapter, from share/adapters/skeleton. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/err.h"
#include "base/file.h"
#include "base/str.h"
#include "cli/frame/cli.h"
#include "cli/validate/validate.h"
#include "record/id.h"

#define SKELETON_MAX (1 << 20)

/* The text with the name in place of each @NAME@. */
static void name_it(const char *text, const char *name, struct ga_str *out)
{
	static const char mark[] = "@NAME@";
	const char *at;

	for (; (at = strstr(text, mark)); text = at + strlen(mark)) {
		ga_str_add_bytes(out, text, (size_t)(at - text));
		ga_str_add(out, name);
	}
	ga_str_add(out, text);
}

/* The file of the skeleton, for the technology. */
static int read_file(const char *file, const char *name, struct ga_str *ret, struct ga_err *err)
{
	ga_autofree char *path = ga_xprintf("adapters/skeleton/%s", file);
	ga_autofree char *from = ga_cli_own_share(path);
	ga_autostr struct ga_str text = GA_STR_INIT;

	if (ga_file_read(from, SKELETON_MAX, &text, err) < 0)
		return -1;
	name_it(text.buf, name, ret);
	return 0;
}

int ga_cli_validate_new(const struct ga_validate_opts *opts, const char *name, struct ga_err *err)
{
	ga_autostr struct ga_str adapter = GA_STR_INIT, readme = GA_STR_INIT;
	const struct {
		const char *name;
		struct ga_str *text;
		unsigned int mode;
	} files[] = { { "adapter", &adapter, 0755 }, { "README.md", &readme, 0644 } };
	ga_autostr struct ga_str made = GA_STR_INIT;
	const char *dir = opts->dir ? opts->dir : name;
	size_t i;

	if (!ga_name_is_valid(name))
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("'%s' cannot be the name of a technology", name),
				 ("a name has lower-case letters, digits and ._-, such as "
				  "htcondor"));
	for (i = 0; i < GA_ARRAY_SIZE(files); i++)
		if (read_file(files[i].name, name, files[i].text, err) < 0)
			return -1;
	if (mkdir(dir, 0755) < 0) {
		if (errno != EEXIST)
			return ga_fail_sys(err, "cannot make folder '%s'", dir);
		return ga_refuse(err, GA_CONFLICT, NULL, dir, ("'%s' exists already", dir),
				 ("choose another folder: gpuaas-validate new %s --dir DIR",
				  name));
	}
	for (i = 0; i < GA_ARRAY_SIZE(files); i++) {
		ga_autofree char *to = ga_xprintf("%s/%s", dir, files[i].name);

		if (ga_file_replace(to, files[i].text->buf, files[i].text->len, files[i].mode,
				    err) < 0)
			return -1;
		ga_str_addf(&made, "%s\n", to);
	}
	ga_print_text(made.buf);
	ga_cli_next("next: read %s/README.md, then gpuaas-validate run --adapter %s/adapter "
		    "--only PRI-04", dir, dir);
	return 0;
}
