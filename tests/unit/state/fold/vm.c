/* SPDX-License-Identifier: Apache-2.0 */
/* The fold of gpuaas-vm's results: power, consoles, ports, rebuilds; and the refusals. */
#include "record/vm.h"
#include "state_world.h"

#define WHEN "2026-11-20T20:00:00.000000Z"

static struct ga_db *active_world(struct ga_err *err)
{
	struct ga_db *db = sw_open(1);

	sw_ready(db, 1);
	sw_place(db, 1, 1, 1);
	sw_must(sw_active(db, 1, err));
	return db;
}

static void release(struct ga_db *db, struct ga_release_order *o)
{
	struct ga_err err = GA_ERR_INIT;
	bool has_order;

	sw_must(sw_release(db, 1, o, &has_order, &err));
}

/* ---- power ---- */

static struct ga_power power_rec(const char *wanted, const char *reason)
{
	return (struct ga_power){
		.allocation = TXT("a0000001"), .node = TXT("n1"), .generation = 2,
		.attempt = TXT("pa000001"), .power_wanted = TXT(wanted),
		.power_observed = TXT(wanted), .reason = TXT(reason), .at = TXT(WHEN), .lab = true,
	};
}

#define POWER "SELECT power_wanted || ' ' || power_observed FROM allocation"
#define AUDITS(action) "SELECT count(*) FROM audit WHERE action = '" action "'"

static void power(void)
{
	struct ga_err err = GA_ERR_INIT;
	struct ga_db *db = active_world(&err);
	struct ga_power p = power_rec("off", "stopped");

	t_str(sw_get(db, POWER), "on on", "it runs");
	t_int(sw_fold(db, &ga_power_schema, &p, &err), 1, "an operator stopped it");
	t_str(sw_get(db, POWER), "off off", "wanted and seen");
	t_str(sw_allocation_is(db, 1), "active", "it stays active");
	t_str(sw_get(db, "SELECT count(*) FROM usage WHERE ended_at IS NULL"), "1", "and billed");
	t_int(sw_fold(db, &ga_power_schema, &p, &err), 0, "told again, nothing changes");
	p = power_rec("off", "already_off");
	t_int(sw_fold(db, &ga_power_schema, &p, &err), 0, "what was so already is no change");
	t_str(sw_get(db, AUDITS("power")), "1", "and stands in the audit once");
	p = power_rec("on", "not_started");
	p.power_observed = NULL;
	t_int(sw_fold(db, &ga_power_schema, &p, &err), 1, "a start that was not seen to succeed");
	t_str(sw_get(db, POWER), "on off", "leaves what was seen before");
	sw_close(db);
}

static void power_refused(void)
{
	struct ga_err err = GA_ERR_INIT;
	struct ga_db *db = active_world(&err);
	struct ga_power p = power_rec("off", "powered_off");
	struct ga_release_order o;

	p.attempt = TXT("pa000009");
	t_code(sw_fold(db, &ga_power_schema, &p, &err), &err, GA_CONFLICT, "has changed since",
	       "power by another attempt");
	p.attempt = TXT("pa000001");
	p.dry_run = true;
	t_code(sw_fold(db, &ga_power_schema, &p, &err), &err, GA_CONFLICT, "dry run",
	       "power of a dry run");
	p.dry_run = false;
	p.lab = false;
	t_code(sw_fold(db, &ga_power_schema, &p, &err), &err, GA_CONFLICT, "lab",
	       "power of a real node in a lab");
	p.lab = true;
	t_str(sw_get(db, "SELECT power_wanted FROM allocation"), "on", "none of them changed it");
	release(db, &o);
	t_code(sw_fold(db, &ga_power_schema, &p, &err), &err, GA_CONFLICT, "has changed since",
	       "power that was switched before the release came");
	ga_schema_release(&ga_release_order_schema, &o);
	sw_close(db);
}

static void power_too_early(void)
{
	struct ga_db *db = sw_open(1);
	struct ga_err err = GA_ERR_INIT;
	struct ga_power p = power_rec("off", "powered_off");

	sw_ready(db, 1);
	sw_place(db, 1, 1, 1);
	t_code(sw_fold(db, &ga_power_schema, &p, &err), &err, GA_CONFLICT, "is placed",
	       "power of an allocation that is not active yet");
	sw_close(db);
}

/* ---- console and ports ---- */

static void console(void)
{
	struct ga_err err = GA_ERR_INIT;
	struct ga_db *db = active_world(&err);
	struct ga_release_order o;
	struct ga_console c = { .allocation = TXT("a0000001"), .node = TXT("n1"), .generation = 2,
				.attempt = TXT("pa000001"), .path = TXT("/x/console/1.log"),
				.bytes = GA_UNKNOWN, .started_at = TXT(WHEN), .lab = true };

	t_int(sw_fold(db, &ga_console_schema, &c, &err), 1, "a console was opened");
	t_str(sw_get(db, AUDITS("console_opened")), "1", "the audit says so");
	release(db, &o);
	c.ended_at = TXT(WHEN);
	c.digest = TXT("sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa");
	c.bytes = 7;
	t_int(sw_fold(db, &ga_console_schema, &c, &err), 1, "and closed, by the release");
	t_str(sw_get(db, "SELECT json_extract(detail, '$.bytes') || json_extract(detail, '$.path') "
			 "FROM audit WHERE action = 'console_closed'"),
	      "7/x/console/1.log", "the audit names the recording");
	c.allocation = TXT("zzzzzzzz");
	t_code(sw_fold(db, &ga_console_schema, &c, &err), &err, GA_NOTFOUND, "zzzzzzzz",
	       "a console of nobody");
	ga_schema_release(&ga_release_order_schema, &o);
	sw_close(db);
}

static void ingress(void)
{
	struct ga_err err = GA_ERR_INIT;
	struct ga_db *db = active_world(&err);
	struct ga_release_order o;
	struct ga_ingress i = { .allocation = TXT("a0000001"), .node = TXT("n1"), .generation = 2,
				.attempt = TXT("pa000001"), .proto = TXT("tcp"), .port = 8080,
				.to_port = 80, .address = TXT("10.100.0.11"), .published = true,
				.at = TXT(WHEN), .lab = true };

	t_int(sw_fold(db, &ga_ingress_schema, &i, &err), 1, "a port is published");
	t_str(sw_get(db, "SELECT detail FROM task WHERE phase = 'publish_tcp_8080'"),
	      "tcp port 8080 to 10.100.0.11 port 80", "the timeline has it");
	release(db, &o);
	i.at = TXT("2026-11-20T21:00:00.000000Z");
	t_code(sw_fold(db, &ga_ingress_schema, &i, &err), &err, GA_CONFLICT, "has changed since",
	       "no port is published for what is being released");
	i.published = false;
	t_int(sw_fold(db, &ga_ingress_schema, &i, &err), 1, "but closed it is at any time");
	t_str(sw_get(db, AUDITS("published")), "1", "published once");
	t_str(sw_get(db, AUDITS("unpublished")), "1", "closed once");
	ga_schema_release(&ga_release_order_schema, &o);
	sw_close(db);
}

/* ---- rebuild ---- */

static int rebuilt_evidence(struct ga_db *db, const char *attempt, struct ga_wipe_evidence *e,
			    struct ga_err *err)
{
	sw_evidence(1, attempt, 4, e);
	sw_whose(db, 1, e);
	free(e->cause);
	e->cause = ga_xstrdup("rebuild");
	ga_wipe_evidence_seal(e);
	return sw_fold(db, &ga_wipe_evidence_schema, e, err);
}

/* A proof about a disk that was written again at once proves nothing about it later. */
static void rebuild_wipe(void)
{
	struct ga_err err = GA_ERR_INIT;
	struct ga_db *db = active_world(&err);
	struct ga_release_order o;
	struct ga_wipe_evidence e, late;

	t_int(rebuilt_evidence(db, "rb000001", &e, &err), 1, "the wipe of a rebuild");
	t_str(sw_slot_is(db, 1), "active", "moves no slot");
	t_str(sw_get(db, "SELECT count(*) FROM device WHERE dirty_since IS NOT NULL"), "2",
	      "clears no taint");
	t_str(sw_get(db, AUDITS("rebuild_wiped")), "1", "and is in the audit");
	t_int(sw_fold(db, &ga_wipe_evidence_schema, &e, &err), 0, "once");
	release(db, &o);
	sw_must(sw_released(db, &o, &err));
	t_code(rebuilt_evidence(db, o.bundles.v[0].wipe_attempt, &late, &err), &err, GA_CONFLICT,
	       "of a rebuild", "a wipe of a rebuild that names the order in force");
	t_str(sw_slot_is(db, 1), "wiping", "leaves the slot where it is");
	sw_begin(db);
	t_ok(ga_db_exec(db, &err, "UPDATE slot SET state = 'available', generation = generation "
				  "+ 1, wipe_evidence_id = ?1", "s", e.evidence) < 0,
	     "nor is it made available by hand with that evidence");
	ga_db_rollback(db);
	t_int(sw_wiped(db, 1, o.bundles.v[0].wipe_attempt, o.bundles.v[0].generation), 1,
	      "its own wipe does that");
	t_str(sw_slot_is(db, 1), "available", "and nothing else");
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	ga_schema_release(&ga_wipe_evidence_schema, &late);
	ga_schema_release(&ga_release_order_schema, &o);
	sw_close(db);
}

static void rebuild_failed(void)
{
	struct ga_err err = GA_ERR_INIT;
	struct ga_db *db = active_world(&err);
	struct ga_allocation a = sw_running(TXT("a0000001"), TXT("pa000001"));

	t_int(sw_failure(db, 1, "gpuaas-vm", "pa000001", 2, "rebuild_check", &err), 1,
	      "a rebuild that touched nothing");
	t_str(sw_get(db, "SELECT reason FROM allocation"), "", "leaves no reason");
	t_int(sw_failure(db, 1, "gpuaas-vm", "pa000001", 2, "rebuild_clone", &err), 1,
	      "a rebuild that failed in the middle");
	t_str(sw_allocation_is(db, 1), "active", "leaves it active");
	t_str(sw_slot_is(db, 1), "active", "and its slot sold");
	t_ok(strstr(sw_get(db, "SELECT reason FROM allocation"), "rebuild_clone: "),
	     "with the reason");
	t_int(sw_failure(db, 1, "gpuaas-vm", "pa000001", 2, "power_define", &err), 1,
	      "a start that failed");
	t_ok(strstr(sw_get(db, "SELECT reason FROM allocation"), "rebuild_clone: "),
	     "changes nothing of that");
	a.since = TXT("2099-01-01T00:00:00.000000Z");
	sw_must(sw_fold(db, &ga_allocation_schema, &a, &err));
	t_str(sw_get(db, "SELECT reason FROM allocation"), "", "a rebuild that ends well answers "
	      "it");
	sw_close(db);
}

int main(void)
{
	power();
	power_refused();
	power_too_early();
	console();
	ingress();
	rebuild_wipe();
	rebuild_failed();
	return t_done();
}
