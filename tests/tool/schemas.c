/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes the JSON Schema of every kind to DIR/NAME.json ("slot.json" of gpuaas.slot/1): `make
 * schemas` for share/schema, and the check that what is committed there is fresh.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "record/kind.h"
#include "record/schema.h"

static int write_schema(const struct ga_schema *shape, const char *dir)
{
	json_t *schema = ga_json_schema_of(shape);
	char name[32];
	ga_autofree char *path = ga_xprintf("%s/%s.json", dir, ga_kind_short(shape, name));
	ga_autofile FILE *f = fopen(path, "w");
	int r = -1;

	if (f && !json_dumpf(schema, f, JSON_INDENT(2)) && fputc('\n', f) == '\n' && !fflush(f))
		r = 0;
	if (r < 0)
		fprintf(stderr, "schemas: cannot write '%s': %s\n", path, strerror(errno));
	json_decref(schema);
	return r;
}

int main(int argc, char **argv)
{
	size_t i;

	if (argc != 2) {
		fprintf(stderr, "usage: schemas DIR\n");
		return 2;
	}
	if (mkdir(argv[1], 0777) < 0 && errno != EEXIST) {
		fprintf(stderr, "schemas: cannot make '%s': %s\n", argv[1], strerror(errno));
		return 1;
	}
	for (i = 0; ga_kinds[i]; i++)
		if (write_schema(ga_kinds[i], argv[1]) < 0)
			return 1;
	return 0;
}
