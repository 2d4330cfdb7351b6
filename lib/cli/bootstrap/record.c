/* SPDX-License-Identifier: Apache-2.0 */
/* --record: the settings and rates of the host, kept in host.db, and the newest record of the
 * untuned host beside the newest one of the tuned host. */
#include <inttypes.h>

#include "act/setup/measure.h"
#include "cli/bootstrap/bootstrap.h"
#include "cli/frame/cli.h"
#include "decide/setup/tuning.h"
#include "look/host/host.h"
#include "look/setup/look.h"
#include "record/time.h"

static const char *head(const struct ga_tuning *t, bool found)
{
	return found ? t->at : "not recorded";
}

static void print_rows(const struct ga_tuning *untuned, bool has_untuned,
		       const struct ga_tuning *tuned, bool has_tuned)
{
	ga_autotuningrows struct ga_tuning_rows rows = { 0 };
	int name = 4, u = (int)strlen(head(untuned, has_untuned));
	int t = (int)strlen(head(tuned, has_tuned));
	size_t i;

	ga_tuning_compare(has_untuned ? untuned : NULL, has_tuned ? tuned : NULL, &rows);
	for (i = 0; i < rows.n; i++) {
		int a = (int)strlen(rows.v[i].name), b = (int)strlen(rows.v[i].untuned);
		int c = (int)strlen(rows.v[i].tuned);

		name = a > name ? a : name;
		u = b > u ? b : u;
		t = c > t ? c : t;
	}
	ga_print("%-*s  %-*s  %-*s  %s", name, "", u, "UNTUNED", t, "TUNED", "DIFFERENCE");
	ga_print("%-*s  %-*s  %s", name, "at", u, head(untuned, has_untuned),
		 head(tuned, has_tuned));
	for (i = 0; i < rows.n; i++)
		ga_print("%-*s  %-*s  %-*s%s%s", name, rows.v[i].name, u, rows.v[i].untuned,
			 rows.v[i].difference[0] ? t : 0, rows.v[i].tuned,
			 rows.v[i].difference[0] ? "  " : "", rows.v[i].difference);
}

static void print_missing(const struct ga_tuning *now, bool has_untuned, bool has_tuned)
{
	size_t i;

	for (i = 0; i < now->measured.n; i++)
		if (now->measured.v[i].reason)
			ga_print("%s was not measured: %s", now->measured.v[i].name,
				 now->measured.v[i].reason);
	if (!has_tuned)
		ga_print("there is no record of this host tuned: %" PRId64 " step%s left; "
			 "'gpuaas-host-bootstrap --check --mode slice' shows them", now->left,
			 now->left == 1 ? " is" : "s are");
	if (!has_untuned)
		ga_print("there is no record of this host untuned: record it before the "
			 "bootstrap");
}

static int measure(struct ga_cli_boot *c, const struct ga_setup_facts *facts,
		   const struct ga_setup_plan *plan, struct ga_tuning *t, struct ga_err *err)
{
	t->node = ga_xstrdup(c->node);
	t->boot_id = ga_host_boot_id();
	t->tool = ga_xprintf("%s %s", ga_cli_program(), GA_VERSION);
	t->left = ga_tuning_left(plan);
	t->tuned = t->left == 0;
	ga_tuning_settings(facts, t);
	if (ga_measure_disk(c->opts->scratch, ga_cli_images_dir(), t, err) < 0 ||
	    ga_measure_network(t, err) < 0)
		return -1;
	t->at = ga_time_now();
	return 0;
}

/* Emits both records, or prints them side by side. */
static int show(struct ga_cli_boot *c, const struct ga_tuning *now, struct ga_err *err)
{
	struct ga_tuning both[2] = { 0 }; /* untuned, tuned */
	int has[2] = { 0 }, i, r = 0;

	for (i = 0; i < 2 && r >= 0; i++) {
		r = has[i] = ga_hostdb_tuning(&c->h, i, &both[i], err);
		if (r > 0 && !ga_emit_is_table())
			r = ga_emit(&ga_tuning_schema, &both[i], err);
	}
	if (r >= 0 && ga_emit_is_table()) {
		print_rows(&both[0], has[0], &both[1], has[1]);
		print_missing(now, has[0], has[1]);
	}
	for (i = 0; i < 2; i++)
		ga_schema_release(&ga_tuning_schema, &both[i]);
	return r < 0 ? -1 : 0;
}

int ga_cli_boot_record(struct ga_cli_boot *c, struct ga_setup_facts *facts,
		       struct ga_setup_plan *plan, struct ga_err *err)
{
	struct ga_tuning t;
	unsigned int pending = 0;
	int r;

	if (c->baremetal)
		return ga_refuse(err, GA_CONFLICT, "not_tuned", NULL,
				 ("this host is sold as baremetal, and nothing tunes it"),
				 ("only hosts that sell slices are tuned and recorded"));
	if (ga_setup_pending(&c->doer, &pending, err) < 0 ||
	    ga_cli_boot_look(c, pending, facts, plan, err) < 0)
		return -1;
	ga_setup_look_tuning(facts);
	ga_schema_init(&ga_tuning_schema, &t);
	r = measure(c, facts, plan, &t, err);
	if (r == 0)
		r = ga_hostdb_keep_tuning(&c->h, &t, err);
	if (r == 0)
		r = show(c, &t, err);
	ga_schema_release(&ga_tuning_schema, &t);
	return r;
}
