/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose orders this host carries out (hostdb.h). A state restored from a backup is another
 * controller than the state that continues beside it. By mistake both may run: each would sell
 * slots that the other has sold, and end allocations that it does not know.
 */
#include "record/time.h"
#include "state/host/hostdb.h"

void ga_served_release(struct ga_served *s)
{
	free(s->controller);
	free(s->since);
	free(s->refused_controller);
	free(s->refused_at);
	*s = (struct ga_served){ 0 };
}

int ga_hostdb_served(struct ga_hostdb *h, struct ga_served *ret, struct ga_err *err)
{
	*ret = (struct ga_served){ 0 };
	return ga_db_one(h->db, err,
			 "SELECT controller, epoch, since, refused_controller, refused_epoch, "
			 "refused_at FROM served",
			 "SISSIS", &ret->controller, &ret->epoch, &ret->since,
			 &ret->refused_controller, &ret->refused_epoch, &ret->refused_at);
}

/* An order already begun is finished and reported again, whichever controller is
 * accepted now. */
static int is_known(struct ga_hostdb *h, const char *attempt, struct ga_err *err)
{
	if (!attempt)
		return 0;
	return ga_db_one(h->db, err,
			 "SELECT 1 FROM attempt WHERE attempt = ?1 UNION ALL "
			 "SELECT 1 FROM wipe_order WHERE attempt = ?1",
			 "s", attempt);
}

static int begin_to_serve(struct ga_hostdb *h, const struct ga_issuer *by, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();

	return ga_db_change(h->db, err,
			    "INSERT INTO served (one, controller, epoch, since) "
			    "VALUES (1, ?1, ?2, ?3) ON CONFLICT (one) DO UPDATE SET "
			    "controller = excluded.controller, epoch = excluded.epoch, "
			    "since = excluded.since, refused_controller = NULL, "
			    "refused_epoch = NULL, refused_at = NULL",
			    "sis", by->controller, by->epoch, now);
}

/* Recorded, so that the accepted state learns of the other one. */
static int note_refused(struct ga_hostdb *h, const struct ga_issuer *by, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();

	return ga_db_change(h->db, err,
			    "UPDATE served SET refused_controller = ?1, refused_epoch = ?2, "
			    "refused_at = ?3",
			    "sis", by->controller, by->epoch, now);
}

static int refuse(const struct ga_issuer *by, const struct ga_served *s, struct ga_err *err)
{
	ga_autofree char *whose = by->controller ?
					  ga_xprintf("another state, %s of epoch %lld",
						     by->controller, (long long)by->epoch) :
					  ga_xstrdup("a state that it does not name");

	return ga_refuse(err, GA_CONFLICT, "other_controller", by->object,
			 ("this host carries out orders of the state %s of epoch %lld, since %s: "
			  "the order for '%s' comes from %s", s->controller, (long long)s->epoch,
			  s->since, by->object, whose),
			 ("'gpuaas-state check' shows which a state is; if only the other one is "
			  "to go on: gpuaas-state expect --node NODE | gpuaas-on gpuaas-reconcile "
			  "--take-over - | gpuaas-state fold -"));
}

/* 1: refuse, and s is the accepted controller. */
static int decide(struct ga_hostdb *h, const struct ga_issuer *by, bool take_over,
		  struct ga_served *s, struct ga_err *err)
{
	int known = is_known(h, by->attempt, err), there;

	if (known)
		return known < 0 ? -1 : 0;
	there = ga_hostdb_served(h, s, err);
	if (there < 0)
		return -1;
	if (there && ga_streq(s->controller, by->controller))
		return 0;
	if (!there || take_over)
		return begin_to_serve(h, by, err);
	return note_refused(h, by, err) < 0 ? -1 : 1;
}

int ga_hostdb_would_serve(struct ga_hostdb *h, const struct ga_issuer *by, struct ga_err *err)
{
	ga_autoserved struct ga_served s = { 0 };
	int r;

	if (!h->db)
		return 0;
	r = is_known(h, by->attempt, err);
	if (r)
		return r < 0 ? -1 : 0;
	r = ga_hostdb_served(h, &s, err);
	if (r <= 0)
		return r;
	return ga_streq(s.controller, by->controller) ? 0 : refuse(by, &s, err);
}

int ga_hostdb_accept_controller(struct ga_hostdb *h, const struct ga_issuer *by, bool take_over,
				struct ga_err *err)
{
	ga_autoserved struct ga_served s = { 0 };
	int r;

	/* No controller to remember, and none to record. */
	if (!by->controller)
		return ga_hostdb_would_serve(h, by, err);
	if (ga_db_begin(h->db, "whose orders", err) < 0)
		return -1;
	r = decide(h, by, take_over, &s, err);
	if (r < 0) {
		ga_db_rollback(h->db);
		return -1;
	}
	if (ga_db_commit(h->db, err) < 0)
		return -1;
	return r ? refuse(by, &s, err) : 0;
}

int ga_hostdb_accept_controller_in(const char *dir, const struct ga_issuer *by, bool take_over,
				   struct ga_err *err)
{
	ga_autohostdb struct ga_hostdb h = { 0 };

	if (!by->controller)
		return ga_hostdb_open_read(dir, &h, err) < 0 ?
			       -1 :
			       ga_hostdb_would_serve(&h, by, err);
	return ga_hostdb_open_or_make(dir, &h, err) < 0 ?
		       -1 :
		       ga_hostdb_accept_controller(&h, by, take_over, err);
}
