/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A NoCloud seed by the product's own code, for a VM that a test starts by hand:
 * seed DIR NAME MAC KEY-FILE. Makes DIR/host_key (.pub) and DIR/seed.iso; with a file
 * DIR/user-data that text goes in as the tenant's own.
 */
#include <stdio.h>
#include <unistd.h>

#include "act/image/seed.h"
#include "base/file.h"
#include "base/texts.h"
#include "record/plan.h"
#include "record/schema.h"

static int read_line(const char *path, struct ga_str *out, struct ga_err *err)
{
	if (ga_file_read(path, 65536, out, err) < 0)
		return -1;
	while (out->len && out->buf[out->len - 1] == '\n')
		out->buf[--out->len] = '\0';
	return 0;
}

static void release_plan(struct ga_plan *p)
{
	ga_schema_release(&ga_plan_schema, p);
}

static int make(char **arg, struct ga_err *err)
{
	ga_autofree char *iso_path = ga_xprintf("%s/seed.iso", arg[1]);
	ga_autofree char *user_path = ga_xprintf("%s/user-data", arg[1]);
	ga_autostr struct ga_str iso = GA_STR_INIT, user = GA_STR_INIT, line = GA_STR_INIT;
	ga_autohostkey struct ga_host_key key = GA_HOST_KEY_INIT;
	ga_cleanup(release_plan) struct ga_plan plan;
	struct ga_seed seed = { .plan = &plan, .key = &key };

	ga_schema_init(&ga_plan_schema, &plan);
	plan.allocation = ga_xstrdup("testvm00");
	plan.attempt = ga_xstrdup("attempt0");
	plan.domain = ga_xstrdup("gpuaas-testvm00");
	plan.name = ga_xstrdup(arg[2]);
	plan.mac = ga_xstrdup(arg[3]);
	if (read_line(arg[4], &line, err) < 0)
		return -1;
	ga_texts_add(&plan.keys, line.buf);
	if (!access(user_path, F_OK)) {
		if (ga_file_read(user_path, 65536, &user, err) < 0)
			return -1;
		seed.user_data = &user;
	}
	if (ga_host_key_get(arg[1], &key, err) < 0 || ga_seed_iso(&seed, &iso, err) < 0)
		return -1;
	return ga_file_replace(iso_path, iso.buf, iso.len, 0600, err);
}

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;

	if (argc != 5) {
		fprintf(stderr, "usage: seed DIR NAME MAC KEY-FILE\n");
		return 2;
	}
	if (make(argv, &err) < 0) {
		fprintf(stderr, "seed: %s\n", err.msg);
		return 1;
	}
	return 0;
}
