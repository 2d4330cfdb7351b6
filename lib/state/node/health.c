/* SPDX-License-Identifier: Apache-2.0 */
/* The health of slots: writes the reports of hosts about it into the state. */
#include "state/node/health.h"

#include <string.h>

#include "record/result.h"
#include "state/allocation/release.h"
#include "state/db/audit.h"
#include "state/db/row.h"

/* The columns of a slot that its health needs. */
struct patient {
	char *slot, *state, *health, *allocation, *gpu, *vf, *wwid;
};

struct patients {
	struct patient *v;
	size_t n;
};

static void cleanup_patients(struct patients *list)
{
	for (size_t i = 0; i < list->n; i++) {
		free(list->v[i].slot);
		free(list->v[i].state);
		free(list->v[i].health);
		free(list->v[i].allocation);
		free(list->v[i].gpu);
		free(list->v[i].vf);
		free(list->v[i].wwid);
	}
	ga_list_release(list);
}

#define PATIENTS \
	"SELECT s.id, s.state, s.health_state, c.allocation_id, s.gpu_pci_address, " \
	"s.fabric_vf_pci_address, s.nvme_wwid FROM slot s "

static int read_patients(struct ga_rows *rows, struct patients *ret, struct ga_err *err)
{
	int r;

	while ((r = ga_rows_next(rows, err)) > 0)
		*ga_list_add(ret) = (struct patient){
			.slot = ga_rows_dup(rows, 0),
			.state = ga_rows_dup(rows, 1),
			.health = ga_rows_dup(rows, 2),
			.allocation = ga_rows_dup(rows, 3),
			.gpu = ga_rows_dup(rows, 4),
			.vf = ga_rows_dup(rows, 5),
			.wwid = ga_rows_dup(rows, 6),
		};
	return r;
}

/* One slot that is not retired, or none. */
static int find(struct ga_db *db, const char *slot, struct patients *ret, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;

	if (ga_db_query(db, &rows, err,
			PATIENTS "LEFT JOIN claim c ON c.slot_id = s.id AND c.live = 1 "
				 "WHERE s.id = ?1 AND s.retired = 0",
			"s", slot) < 0)
		return -1;
	return read_patients(rows, ret, err);
}

static int claimed(struct ga_db *db, const char *allocation, struct patients *ret,
		   struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;

	if (ga_db_query(db, &rows, err,
			PATIENTS "JOIN claim c ON c.slot_id = s.id AND c.live = 1 "
				 "WHERE c.allocation_id = ?1 ORDER BY s.slot_index, s.id",
			"s", allocation) < 0)
		return -1;
	return read_patients(rows, ret, err);
}

/* ---- writing ---- */

static int apply(struct ga_db *db, const struct patient *p, const struct ga_health_sign *sign,
		 const char *at, struct ga_err *err)
{
	const char *to = ga_health_next(p->health, sign->event);
	bool failed = !strcmp(to, "failed");
	char when[GA_TIME_SIZE];

	if (!strcmp(to, p->health))
		return 0;
	if (ga_store_not_ahead(at, when, err) < 0)
		return -1;
	/* A plan that no host took up frees its slots before one of them leaves sale. When
	 * two devices fail at once, the first one cancels the plan for both, so the slot is
	 * read again. */
	if (failed) {
		ga_autofree char *reason =
			ga_xprintf("health of slot %s: %s", p->slot, sign->detail);
		ga_cleanup(cleanup_patients) struct patients now = { 0 };
		ga_autoallocation struct ga_allocation_row h = { 0 };

		if (find(db, p->slot, &now, err) < 0)
			return -1;
		if (now.n && !strcmp(now.v[0].state, "reserved") &&
		    (ga_store_allocation_row(db, now.v[0].allocation, &h, err) < 0 ||
		     ga_store_cancel(db, &h, reason, when, err) < 0))
			return -1;
	}
	if (ga_db_change(db, err,
			 "UPDATE slot SET health_state = ?2, health_detail = ?3, health_since = "
			 "?4, since = CASE WHEN ?5 AND state = 'available' THEN ?4 ELSE since END, "
			 "state = CASE WHEN ?5 AND state = 'available' THEN 'disabled' "
			 "ELSE state END, generation = generation + 1 WHERE id = ?1",
			 "ssssb", p->slot, to, sign->detail, when, failed) < 0)
		return -1;
	return ga_audit_add(db, "health", p->slot,
			    json_pack("{s:s, s:s, s:s?}", "from", p->health, "to", to, "detail",
				      sign->detail),
			    err) < 0 ? -1 : 1;
}

int ga_store_health(struct ga_db *db, const char *slot, const struct ga_health_sign *sign,
		    const char *at, struct ga_err *err)
{
	ga_cleanup(cleanup_patients) struct patients list = { 0 };

	if (sign->event == GA_HEALTH_NOTHING)
		return 0;
	if (find(db, slot, &list, err) < 0)
		return -1;
	return list.n ? apply(db, &list.v[0], sign, at, err) : 0;
}

/* ---- folded results ---- */

int ga_store_health_ready(struct ga_db *db, const char *allocation, const char *at,
			  struct ga_err *err)
{
	ga_autohealth struct ga_health_sign sign = {
		.event = GA_HEALTH_PROVEN,
		.detail = ga_xprintf("allocation %s became ready at %s", allocation, at),
	};
	ga_cleanup(cleanup_patients) struct patients list = { 0 };
	size_t i;

	if (claimed(db, allocation, &list, err) < 0)
		return -1;
	for (i = 0; i < list.n; i++)
		if (apply(db, &list.v[i], &sign, at, err) < 0)
			return -1;
	return 0;
}

int ga_store_health_released(struct ga_db *db, const struct ga_released *r, struct ga_err *err)
{
	ga_cleanup(cleanup_patients) struct patients list = { 0 };
	size_t i;

	if (claimed(db, r->allocation, &list, err) < 0)
		return -1;
	for (i = 0; i < list.n; i++) {
		ga_autohealth struct ga_health_sign sign = { 0 };

		ga_health_of_release(r,
				     &(struct ga_health_devices){ list.v[i].gpu, list.v[i].vf,
								  NULL },
				     &sign);
		if (apply(db, &list.v[i], &sign, r->at, err) < 0)
			return -1;
	}
	return 0;
}

int ga_store_health_not_ready(struct ga_db *db, const struct ga_failure *f, struct ga_err *err)
{
	ga_cleanup(cleanup_patients) struct patients list = { 0 };
	size_t i;

	if (claimed(db, f->object, &list, err) < 0)
		return -1;
	for (i = 0; i < list.n; i++) {
		ga_autohealth struct ga_health_sign sign = { 0 };

		ga_health_of_failure(f,
				     &(struct ga_health_devices){ list.v[i].gpu, list.v[i].vf,
								  list.v[i].wwid },
				     &sign);
		if (apply(db, &list.v[i], &sign, f->at, err) < 0)
			return -1;
	}
	return 0;
}

int ga_store_health_wiped(struct ga_db *db, const struct ga_wipe_evidence *e, char **health,
			  struct ga_err *err)
{
	ga_autohealth struct ga_health_sign sign = { 0 };
	const char *to;

	ga_health_of_wipe(e, &sign);
	if (ga_store_health(db, e->object, &sign, e->finished_at, err) < 0)
		return -1;
	if (!health)
		return 0;
	to = ga_health_next(*health, sign.event);
	free(*health);
	*health = ga_xstrdup(to);
	return 0;
}

int ga_store_health_drift(struct ga_db *db, const struct ga_drift *d, struct ga_err *err)
{
	ga_autohealth struct ga_health_sign sign = { 0 };
	ga_autofree char *before = NULL;

	if (!d->object)
		return 0;
	if (ga_db_get(db, err,
		      "SELECT observed FROM node_drift WHERE node_id = ?1 AND object = ?2 "
		      "AND code = ?3",
		      "sssS", d->node, d->object, d->code, &before) < 0)
		return -1;
	ga_health_of_drift(d, before, &sign);
	return ga_store_health(db, d->object, &sign, d->at, err) < 0 ? -1 : 0;
}

/* ---- discoveries ---- */

enum { V_SLOT, V_GPU, V_GPU_THERE, V_ANSWERS, V_RESET, V_BAREMETAL };

int ga_store_health_seen(struct ga_db *db, const char *node, const char *at, struct ga_err *err)
{
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	if (ga_db_query(db, &rows, err,
			"SELECT s.id, s.gpu_pci_address, k.node_id IS NOT NULL, "
			"json_extract(k.record, '$.gpu.answers'), "
			"json_extract(k.record, '$.gpu.can_reset'), "
			"n.mode = 'baremetal' FROM slot s JOIN node n ON n.id = s.node_id "
			"LEFT JOIN candidate k ON k.node_id = s.node_id AND "
			"json_extract(k.record, '$.gpu.identity') = s.gpu_identity "
			"WHERE s.node_id = ?1 AND s.retired = 0 AND s.gpu_identity IS NOT NULL AND "
			"s.health_state <> 'failed' ORDER BY s.slot_index", "s", node) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0) {
		ga_autohealth struct ga_health_sign sign = { 0 };
		const struct ga_health_seen seen = {
			.slot = ga_rows_text(rows, V_SLOT),
			.gpu_pci_address = ga_rows_text(rows, V_GPU),
			.gpu_there = ga_rows_bool(rows, V_GPU_THERE),
			.gpu_answers = ga_rows_int(rows, V_ANSWERS),
			.gpu_can_reset = ga_rows_int(rows, V_RESET),
			.baremetal = ga_rows_bool(rows, V_BAREMETAL),
		};

		ga_health_of_seen(&seen, &sign);
		if (ga_store_health(db, seen.slot, &sign, at, err) < 0)
			return -1;
	}
	return r;
}

int ga_store_health_may_repair(struct ga_db *db, const char *slot, struct ga_err *err)
{
	ga_autofree char *detail = NULL, *since = NULL, *seen = NULL;
	int r = ga_db_one(db, err,
			  "SELECT s.health_detail, s.health_since, " GA_SQL_SEEN_WELL("s")
			  " FROM slot s WHERE s.id = ?1 AND s.health_state = 'failed'",
			  "sSSS", slot, &detail, &since, &seen);

	if (r <= 0 || !ga_health_needs_look(detail))
		return r < 0 ? -1 : 0;
	if (seen && (!since || strcmp(seen, since) > 0))
		return 0;
	return ga_refuse(err, GA_CONFLICT, "not_seen_since", slot,
			 ("slot '%s' failed at %s: %s; no discovery since has seen its GPU well",
			  slot, since ? since : "a time that is not known", detail),
			 ("repair it (a GPU that is gone: start the machine cold), then on the "
			  "host 'gpuaas-discover | gpuaas-approve --record-only', then run this "
			  "again"));
}

int ga_store_health_inherit(struct ga_db *db, const char *slot, const struct ga_candidate *c,
			    struct ga_err *err)
{
	ga_autofree char *gpu = c->gpu ? ga_xprintf("%s/%s", c->node, c->gpu->identity) : NULL;

	return ga_db_exec(db, err,
			  "UPDATE slot SET health_state = 'failed', health_detail = "
			  "o.health_detail, health_since = o.health_since, generation = "
			  "slot.generation + 1 FROM (SELECT * FROM slot WHERE number IN ((SELECT "
			  "max(number) FROM slot WHERE retired = 1 AND gpu_id = ?2), (SELECT "
			  "max(number) FROM slot WHERE retired = 1 AND nvme_wwid = ?3)) AND "
			  "health_state = 'failed' ORDER BY since DESC LIMIT 1) o "
			  "WHERE slot.id = ?1", "sss", slot, gpu, c->nvme ? c->nvme->wwid : NULL);
}
