/* SPDX-License-Identifier: Apache-2.0 */
/* Carries out a plan in rounds: check, do the pending steps, check again. */
#include "base/stop.h"
#include "cli/bootstrap/bootstrap.h"
#include "cli/frame/cli.h"

/* Whether the step was tried already (tried lists "step subject"): no run tries a step twice. */
static bool was_tried(const struct ga_cli_boot *c, const struct ga_bootstrap_step *s)
{
	ga_autofree char *key = ga_xprintf("\n%s %s\n", s->step, s->subject);

	return strstr(c->tried.buf, key);
}

/* Returns the number of steps tried. */
static int round_of(struct ga_cli_boot *c, const struct ga_setup_plan *plan, bool starts,
		    struct ga_err *err)
{
	int done = 0;
	size_t i;

	for (i = 0; i < plan->n; i++) {
		const struct ga_setup_step *s = &plan->v[i];
		struct ga_err why = GA_ERR_INIT;
		int r;

		if (!ga_setup_step_is_change(s) || (s->op == GA_SETUP_DO_START) != starts ||
		    was_tried(c, &s->say))
			continue;
		if (ga_stop_asked())
			return ga_fail(err, GA_BUSY, "asked to stop: run it again to go on");
		ga_str_addf(&c->tried, "\n%s %s\n", s->say.step, s->say.subject);
		r = ga_setup_do(&c->doer, s, &why);
		if (r < 0) {
			c->sum.left++;
			c->failure = c->failure ? c->failure : (int)why.code;
			ga_say("%s %s: %s", s->say.step, s->say.subject, why.msg);
		} else {
			c->sum.changes++;
		}
		if (ga_cli_boot_tell(c, &s->say, r < 0 ? "failed" : "changed", r < 0 ? &why : NULL,
					err) < 0)
			return -1;
		done++;
	}
	return done;
}

static int look_again(struct ga_cli_boot *c, struct ga_setup_facts *facts,
		      struct ga_setup_plan *plan, struct ga_err *err)
{
	unsigned int pending = 0;

	if (ga_setup_pending(&c->doer, &pending, err) < 0)
		return -1;
	return ga_cli_boot_look(c, pending, facts, plan, err);
}

int ga_cli_boot_apply(struct ga_cli_boot *c, struct ga_setup_facts *facts,
		      struct ga_setup_plan *plan, struct ga_err *err)
{
	int r;

	do {
		r = round_of(c, plan, false, err);
		if (r < 0 || (r > 0 && look_again(c, facts, plan, err) < 0))
			return -1;
	} while (r > 0);
	return 0;
}

int ga_cli_boot_start(struct ga_cli_boot *c, struct ga_setup_facts *facts,
		      struct ga_setup_plan *plan, struct ga_err *err)
{
	int r = round_of(c, plan, true, err);

	return r < 0 || (r > 0 && look_again(c, facts, plan, err) < 0) ? -1 : 0;
}

int ga_cli_boot_tell_rest(struct ga_cli_boot *c, const struct ga_setup_plan *plan,
			  struct ga_err *err)
{
	bool failed = c->failure, looks = c->opts->check || c->opts->dry_run;
	struct ga_err why = GA_ERR_INIT;
	size_t i;

	ga_err_set(&why, GA_HOST, "it was done, and the host does not show it");
	for (i = 0; i < plan->n; i++) {
		const struct ga_bootstrap_step *s = &plan->v[i].say;
		bool due = !looks && ga_setup_step_is_change(&plan->v[i]);

		/* After a failure, skip open steps: the failed ones were reported, and the others
		 * depend on them. */
		if (due && failed)
			continue;
		if (due) {
			c->failure = GA_HOST;
			c->sum.left++;
		}
		if ((due || looks || !was_tried(c, s)) &&
		    ga_cli_boot_tell(c, s, due ? "failed" : NULL, due ? &why : NULL, err) < 0)
			return -1;
	}
	return 0;
}
