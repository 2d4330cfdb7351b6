/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the allocations of a host for an action; each refusal names its allocation. */
#include <stdlib.h>
#include <unistd.h>

#include "act/vm/vm.h"
#include "base/proc.h"
#include "record/plan.h"
#include "record/release.h"
#include "record/result.h"
#include "state/host/hostdb.h"
#include "t.h"

static char dir[64];

static void clean(void)
{
	const char *argv[] = { "rm", "-rf", "--", dir, NULL };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	struct ga_err err = GA_ERR_INIT;

	(void)ga_proc_run(&(const struct ga_proc){ .argv = argv }, &out, &err);
}

static const char at[] = "2026-01-01T00:00:00.000000Z";

/* The host's records of an allocation "ID": its plan, attempt "ID" with a 2 at its end, taken up,
 * and how that ended. */
static void provisioned(struct ga_hostdb *h, const char *id, const char *shape, const char *end)
{
	ga_autofree char *attempt = ga_xprintf("%.7s2", id), *domain = ga_xprintf("gpuaas-%s", id);
	ga_autofree char *digest = ga_xprintf("sha256:%064d", 0), *order = NULL, *result = NULL;
	struct ga_plan p;
	struct ga_allocation a;
	struct ga_err err = GA_ERR_INIT;

	ga_schema_init(&ga_plan_schema, &p);
	p.allocation = ga_xstrdup(id);
	p.node = ga_xstrdup("h1");
	p.attempt = ga_xstrdup(attempt);
	p.shape = ga_xstrdup(shape);
	p.project = ga_xstrdup("demo");
	p.profile = ga_xstrdup("demo");
	p.generation = p.profile_version = p.count = p.epoch = 1;
	p.vcpus = p.memory_mib = 1;
	p.created_at = ga_xstrdup(at);
	p.expires_at = ga_xstrdup(at);
	p.domain = ga_xstrdup(domain);
	p.domain_type = ga_xstrdup("test");
	p.wipe.minimum_class = ga_xstrdup("clear");
	p.wipe.verify = ga_xstrdup("full");
	p.wipe.gpu_memory = ga_xstrdup("if_supported");
	p.price_micros = 0;
	p.lab = true;
	p.digest = ga_xstrdup(digest);
	ga_schema_init(&ga_allocation_schema, &a);
	a.allocation = ga_xstrdup(id);
	a.generation = a.profile_version = a.count = 1;
	a.priority = 100;
	a.state = ga_xstrdup("active");
	a.since = ga_xstrdup(at);
	a.created_at = ga_xstrdup(at);
	a.project = ga_xstrdup("demo");
	a.profile = ga_xstrdup("demo");
	a.shape = ga_xstrdup(shape);
	order = ga_rec_format_text(&ga_plan_schema, &p);
	result = ga_rec_format_text(&ga_allocation_schema, &a);
	if (ga_attempt_begin(h, attempt, id, "provision", order, "boot", &err) < 0 ||
	    (end && ga_attempt_end(h, attempt, end, result, &err) < 0)) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	ga_schema_release(&ga_plan_schema, &p);
	ga_schema_release(&ga_allocation_schema, &a);
}

static void say(const char *line)
{
	(void)line;
}

static const struct ga_vm_opts opts = { .program = "unit", .node = "h1", .host_dir = dir,
					.libvirt_uri = "test:///default", .to.say = say };

/* A program that acts on one of these ends with this. */
static void refusals(void)
{
	static const struct {
		const char *id;
		enum ga_code code;
		const char *reason, *text, *hint;
	} rows[] = {
		{ "aaaaaaaa", GA_CONFLICT, "vm_off", "is off", "gpuaas-vm start aaaaaaaa" },
		{ "bbbbbbbb", GA_CONFLICT, "no_vm", "is baremetal", "" },
		{ "cccccccc", GA_CONFLICT, "wrong_state",
		  "the provisioning of 'cccccccc' is working",
		  "gpuaas-provision --resume cccccccc" },
		{ "dddddddd", GA_CONFLICT, "wrong_state",
		  "the provisioning of 'dddddddd' is failed",
		  "gpuaas-release dddddddd | gpuaas-wipe" },
		{ "eeeeeeee", GA_CONFLICT, "wrong_state", "the release of 'eeeeeeee' is working",
		  "gpuaas-release eeeeeeee | gpuaas-wipe" },
	};

	for (size_t i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct ga_err err = GA_ERR_INIT;

		t_code(ga_vm_console(rows[i].id, -1, -1, &opts, &err), &err, rows[i].code,
		       rows[i].text, "refusal: %s: %s", rows[i].id, rows[i].text);
		t_str(err.reason, rows[i].reason, "refusal: %s: its reason", rows[i].id);
		t_str(err.object, rows[i].id, "refusal: %s: it names the allocation", rows[i].id);
		t_ok(strstr(err.hint, rows[i].hint), "refusal: %s: its hint", rows[i].id);
	}
}

static void stopping(void)
{
	struct ga_err err = GA_ERR_INIT;

	t_code(ga_vm_start("bbbbbbbb", &opts, &err), &err, GA_CONFLICT, "is baremetal",
	       "start: a whole machine has no VM");
	t_code(ga_vm_start("ffffffff", &opts, &err), &err, GA_NOTFOUND, "ffffffff",
	       "start: this host knows no such allocation");
}

int main(void)
{
	ga_autohostdb struct ga_hostdb h = { 0 };
	struct ga_err err = GA_ERR_INIT;

	snprintf(dir, sizeof(dir), "/tmp/gpuaas-unit-XXXXXX");
	if (!mkdtemp(dir))
		return 1;
	atexit(clean);
	t_code(ga_vm_start("aaaaaaaa", &opts, &err), &err, GA_NOTFOUND, "begun no plan",
	       "a host without host.db");
	t_int(ga_hostdb_open_or_make(dir, &h, &err), 0, "host.db: %s", err.msg);
	provisioned(&h, "aaaaaaaa", "slice", "done");
	provisioned(&h, "bbbbbbbb", "baremetal", "done");
	provisioned(&h, "cccccccc", "slice", NULL);
	provisioned(&h, "dddddddd", "slice", "failed");
	provisioned(&h, "eeeeeeee", "slice", "done");
	t_int(ga_attempt_begin(&h, "eeeeeee3", "eeeeeeee", "release", "{}", "boot", &err), 1,
	      "a release has begun: %s", err.msg);
	refusals();
	stopping();
	return t_done();
}
