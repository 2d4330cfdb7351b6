/* SPDX-License-Identifier: Apache-2.0 */
/* Lines for Slurm, and the names that they may contain. */
#include "exchange/slurm.h"

#include <string.h>

#include "t.h"

static void names(void)
{
	static const struct {
		const char *name;
		bool valid;
	} rows[] = {
		{ "n1", true }, { "gpu-07.rack_2", true }, { "7", true },
		{ "alles", true }, { "default1", true },
		{ "", false }, { "-n", false }, { ".n", false }, { "_n", false },
		{ "n[1-2]", false }, { "a,b", false }, { "a b", false }, { "a=b", false },
		{ "a\nNodeName=b", false }, { "#a", false }, { "a\"b", false }, { "a\\b", false },
		{ "gr\xc3\xbc", false }, { "\xc3\xbc", false },
		{ "DEFAULT", false }, { "Default", false }, { "ALL", false }, { "all", false },
	};
	char longest[65] = "";
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++)
		t_ok(ga_slurm_name_is_valid(rows[i].name) == rows[i].valid, "name %zu is %s", i,
		     rows[i].valid ? "one" : "none");
	memset(longest, 'a', 63);
	t_ok(ga_slurm_name_is_valid(longest), "63 characters");
	longest[63] = 'a';
	t_ok(!ga_slurm_name_is_valid(longest), "64 characters");
}

struct row {
	const char *name;
	struct {
		const char *type;
		int64_t count;
	} types[3]; /* to the first count of 0 */
	int64_t cpus, memory_mib;
	bool files;
	const char *node, *gres;
};

/* How often it stands there. */
static int times(const char *text, const char *what)
{
	int n = 0;

	for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
		n++;
	return n;
}

static void one(const struct row *r)
{
	ga_autostr struct ga_str node = GA_STR_INIT, gres = GA_STR_INIT;
	struct ga_node_view v;
	bool all;
	size_t i;

	ga_schema_init(&ga_node_view_schema, &v);
	v.node = (char *)(uintptr_t) "n1";
	v.node_memory_mib = r->memory_mib;
	for (i = 0; i < 3 && r->types[i].count; i++) {
		struct ga_node_type *t = ga_list_add(&v.types);

		t->type = (char *)(uintptr_t)r->types[i].type;
		t->count = r->types[i].count;
	}
	ga_str_clear(&node);
	ga_str_clear(&gres);
	ga_slurm_node(&v, r->cpus, &node);
	all = ga_slurm_gres(&v, r->files, &gres);
	t_str(node.buf, r->node, "%s: slurm.conf", r->name);
	t_str(gres.buf, r->gres, "%s: gres.conf", r->name);
	t_ok(all == (times(r->gres, "\n") == times(r->gres, " File=")),
	     "%s: whether each line has its files", r->name);
	ga_list_release(&v.types);
}

static void lines(void)
{
	static const struct row rows[] = {
		{ "eight of one type", { { "nvidia-h200-141gb", 8 } }, 96, 2063476, false,
		  "NodeName=n1 CPUs=96 RealMemory=2063476 Gres=gpu:nvidia-h200-141gb:8 "
		  "Feature=nvidia-h200-141gb\n",
		  "NodeName=n1 Name=gpu Type=nvidia-h200-141gb Count=8\n" },
		{ "nothing known of the host", { { "nvidia-h200-141gb", 8 } }, GA_UNKNOWN,
		  GA_UNKNOWN, true,
		  "NodeName=n1 Gres=gpu:nvidia-h200-141gb:8 Feature=nvidia-h200-141gb\n",
		  "NodeName=n1 Name=gpu Type=nvidia-h200-141gb Count=8 "
		  "File=/dev/nvidia[0-7]\n" },
		{ "a single one", { { "nvidia-l4-24gb", 1 } }, 8, 64000, true,
		  "NodeName=n1 CPUs=8 RealMemory=64000 Gres=gpu:nvidia-l4-24gb:1 "
		  "Feature=nvidia-l4-24gb\n",
		  "NodeName=n1 Name=gpu Type=nvidia-l4-24gb Count=1 File=/dev/nvidia0\n" },
		{ "two types: which file is whose is not known",
		  { { "nvidia-a100-sxm4-80gb", 2 }, { "nvidia-l4-24gb", 1 } }, 8, 64000, true,
		  "NodeName=n1 CPUs=8 RealMemory=64000 Gres=gpu:nvidia-a100-sxm4-80gb:2,"
		  "gpu:nvidia-l4-24gb:1 Feature=nvidia-a100-sxm4-80gb,nvidia-l4-24gb\n",
		  "NodeName=n1 Name=gpu Type=nvidia-a100-sxm4-80gb Count=2\n"
		  "NodeName=n1 Name=gpu Type=nvidia-l4-24gb Count=1\n" },
		{ "another maker's files have other names", { { "amd-mi300x-192gb", 8 } }, 0, 0,
		  true,
		  "NodeName=n1 Gres=gpu:amd-mi300x-192gb:8 Feature=amd-mi300x-192gb\n",
		  "NodeName=n1 Name=gpu Type=amd-mi300x-192gb Count=8\n" },
		{ "some of an unknown type", { { NULL, 4 }, { "nvidia-l4-24gb", 1 } }, 8, 64000,
		  true,
		  "NodeName=n1 CPUs=8 RealMemory=64000 Gres=gpu:nvidia-l4-24gb:1 "
		  "Feature=nvidia-l4-24gb\n",
		  "NodeName=n1 Name=gpu Type=nvidia-l4-24gb Count=1\n" },
		{ "of an unknown number", { { "nvidia-l4-24gb", GA_UNKNOWN } }, 8, 64000, true, "",
		  "" },
		{ "only unknown types", { { NULL, 8 } }, 8, 64000, true, "", "" },
		{ "no GPU", { { NULL, 0 } }, 8, 64000, true, "", "" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++)
		one(&rows[i]);
}

/* slurmd finds its line by the name of its host. */
static void hosts(void)
{
	static const struct {
		const char *name, *want;
	} rows[] = {
		{ NULL, "NodeName=n1 CPUs=8 Gres=gpu:x:2 Feature=x\n" },
		{ "n1", "NodeName=n1 CPUs=8 Gres=gpu:x:2 Feature=x\n" },
		{ "gpu7.rack-2",
		  "NodeName=n1 NodeHostname=gpu7.rack-2 CPUs=8 Gres=gpu:x:2 Feature=x\n" },
	};
	char id[] = "n1", type[] = "x";
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		ga_autostr struct ga_str out = GA_STR_INIT;
		ga_autofree char *name = ga_strdup0(rows[i].name);
		struct ga_node_view v;
		struct ga_node_type *t;

		ga_schema_init(&ga_node_view_schema, &v);
		v.node = id;
		v.name = name;
		t = ga_list_add(&v.types);
		t->type = type;
		t->count = 2;
		ga_slurm_node(&v, 8, &out);
		t_str(out.buf, rows[i].want, "a host called %s", name ? name : "nothing known");
		ga_list_release(&v.types);
	}
}

int main(void)
{
	names();
	lines();
	hosts();
	return t_done();
}
