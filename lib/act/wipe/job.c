/* SPDX-License-Identifier: Apache-2.0 */
/* Orders, attempts and evidence around a wipe. */
#include "act/wipe/job.h"

#include <errno.h>
#include <fts.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/texts.h"
#include "decide/wipe/judge.h"
#include "look/host/host.h"
#include "record/log.h"
#include "record/wipe.h"
#include "state/host/list.h"

int ga_wipe_order_check(const struct ga_wipe_order *order, const char *node, bool dry_run,
			struct ga_err *err)
{
	if (order->dry_run && !dry_run)
		return ga_refuse(err, GA_CONFLICT, "dry_run", NULL,
				 ("the wipe order of '%s' is of a dry run", order->object),
				 ("make it without --dry-run, or give --dry-run here too"));
	if (!ga_streq(order->node, node))
		return ga_refuse(err, GA_CONFLICT, "wrong_node", NULL,
				 ("the wipe order of '%s' is for node '%s', and this is '%s'",
				  order->object, order->node, node),
				 ("hand it to its node, as in 'ssh HOST gpuaas-wipe < order | "
				  "gpuaas-state fold -'"));
	return 0;
}

/* The file that is a disk of a lab or of a loop device. */
struct disk_file {
	char *path; /* without links; NULL when the file is gone */
	dev_t device;
	ino_t inode;
};

/* Whether the disk is a file: by its identity, which is compared with the open descriptor later,
 * or, for a disk of a recorded host, by the file at its path. The caller frees ret->path. */
static bool file_of(const struct ga_disk *d, struct disk_file *ret)
{
	unsigned long long device, inode;
	struct stat st;

	if (sscanf(d->identity, "file:%llx:%llu", &device, &inode) == 2 ||
	    sscanf(d->identity, "loop:%llx:%llu", &device, &inode) == 2)
		*ret = (struct disk_file){ .device = (dev_t)device, .inode = (ino_t)inode };
	else if (stat(d->dev.path, &st) == 0 && S_ISREG(st.st_mode))
		*ret = (struct disk_file){ .device = st.st_dev, .inode = st.st_ino };
	else
		return false;
	ret->path = realpath(d->dev.path, NULL);
	return true;
}

static bool is_below(const char *path, const char *folder)
{
	ga_autofree char *real = realpath(folder, NULL);
	size_t n = real ? strlen(real) : 0;

	return path && n && !strncmp(path, real, n) && path[n] == '/';
}

/* Whether the file is kept or lies anywhere below it, under any name: 1, 0 or -1. */
static int lies_in(const struct disk_file *f, const char *kept, struct ga_err *err)
{
	char *const paths[] = { (char *)(uintptr_t)kept, NULL };
	int r = 0, failed = 0;
	FTSENT *e;
	FTS *tree;

	if (is_below(f->path, kept))
		return 1;
	tree = fts_open(paths, FTS_LOGICAL | FTS_NOCHDIR, NULL);
	if (!tree)
		return ga_fail_sys(err, "cannot look into '%s'", kept);
	while (errno = 0, !r && !failed && (e = fts_read(tree)))
		if (e->fts_info == FTS_DNR || e->fts_info == FTS_ERR ||
		    (e->fts_info == FTS_NS && e->fts_errno != ENOENT))
			failed = e->fts_errno;
		else if (e->fts_info == FTS_F)
			r = e->fts_statp->st_dev == f->device && e->fts_statp->st_ino == f->inode;
	if (!r && (failed || errno)) {
		errno = failed ? failed : errno;
		r = ga_fail_sys(err, "cannot check whether the disk is a file in '%s'", kept);
	}
	fts_close(tree);
	return r;
}

/* Refuses files that gpuaas itself needs: in a lab a disk is a file too. */
static int refuse_kept(const struct ga_disk *d, const char *const *kept, struct ga_err *err)
{
	struct disk_file file = { 0 };
	int r = 0;

	if (!file_of(d, &file))
		return 0;
	for (; !r && *kept; kept++)
		if (access(*kept, F_OK) == 0 && (r = lies_in(&file, *kept, err)) > 0)
			r = ga_fail_for(err, GA_CONFLICT, "nvme_in_use",
					"'%s' belongs to '%s', which gpuaas itself needs, and is "
					"no disk to wipe", d->dev.path, *kept);
	free(file.path);
	return r;
}

int ga_wipe_alone(const struct ga_wipe_hand *hand, const char *const *kept,
		  struct ga_wipe_order *ret, struct ga_err *err)
{
	ga_autodisk struct ga_disk d = GA_DISK_INIT;

	if (!hand->confirm && !hand->dry_run)
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("--confirm is missing: wiping '%s' cannot be undone",
				  hand->device),
				 ("look at it with --dry-run, and give --confirm the identity "
				  "shown there"));
	if (ga_disk_find(hand->device, &d, err) < 0)
		return -1;
	if (hand->confirm && !ga_streq(hand->confirm, d.identity))
		return ga_refuse(err, GA_CONFLICT, "wrong_wwid", NULL,
				 ("'%s' is not '%s'", hand->device, hand->confirm),
				 ("'--device %s --dry-run' shows what it is", hand->device));
	if (refuse_kept(&d, kept, err) < 0)
		return -1;
	ga_schema_init(&ga_wipe_order_schema, ret);
	ret->nvme_wwid = ga_xstrdup(d.identity);
	ret->nvme_path = ga_xstrdup(d.dev.path);
	ret->nvme_size_bytes = d.dev.size_bytes;
	/* A person who confirms the identity allows the loss of the content; a dry run shows the
	 * plan for that. */
	ret->destroy_data = ga_xstrdup(d.identity);
	ret->wipe.minimum_class = ga_xstrdup(hand->class ? hand->class : "purge");
	ret->wipe.verify = ga_xstrdup(hand->verify ? hand->verify : "full");
	ret->wipe.gpu_memory = ga_xstrdup("if_supported");
	ret->generation = 0;
	ret->lab = hand->lab;
	return 0;
}

/* The signatures that the order's last run found on the disk, allocated. "" when the run did not
 * get so far, or refused them: then no data on the disk is known to be the tenant's. */
static char *signatures_seen(const struct ga_wipe_evidence *e)
{
	size_t i;

	for (i = 0; i < e->guard.n; i++)
		if (ga_streq(e->guard.v[i].step, "signatures") &&
		    ga_streq(e->guard.v[i].outcome, "confirmed"))
			return ga_xstrdup(e->guard.v[i].detail ? e->guard.v[i].detail : "");
	return ga_xstrdup("");
}

/* 1 and the evidence of this attempt, when the wipe is confirmed already and nobody has written on
 * the disk since; else 0. A restored state may order again a wipe that was done, and whose disk was
 * sold, before. seen: as in act/device/guard.h; the caller frees it. */
static int confirmed_before(struct ga_hostdb *h, const struct ga_wipe_order *w, char **seen,
			    bool *rewritten, struct ga_wipe_evidence *ret, struct ga_err *err)
{
	ga_autofree char *by = NULL;
	int r = ga_evidence_get(h, w->attempt, ret, err), written = 0;

	if (r <= 0)
		return r;
	*seen = ga_streq(ret->outcome, "confirmed") ? ga_xstrdup("") : signatures_seen(ret);
	/* The state would refuse evidence that is older than the current rules: wipe the disk
	 * again. */
	if (ga_streq(ret->outcome, "confirmed") && ga_streq(ret->attempt, w->attempt) &&
	    !ga_wipe_is_old(ret)) {
		written = ga_hostdb_unwiped(h, ret->device.wwid, "", &by, err);
		if (!written)
			return 1;
		*rewritten = written > 0;
	}
	ga_schema_release(&ga_wipe_evidence_schema, ret);
	return written < 0 ? -1 : 0;
}

/* ret: the reason to expect no tenant's data, as in act/device/guard.h; the caller frees it; NULL:
 * no reason. */
static int wiped_since(struct ga_hostdb *h, const struct ga_wipe_order *w, char **ret,
		       struct ga_err *err)
{
	ga_autofree char *boot_id = ga_host_boot_id(), *at = NULL, *by = NULL;
	int r = ga_hostdb_wiped_since(h, w->nvme_wwid, w->allocation, boot_id, &at, &by, err);

	*ret = r <= 0 ? NULL :
			ga_xprintf("this host knows the disk as wiped since %s by attempt %s, and "
				   "gpuaas did not use it since", at, by);
	return r < 0 ? -1 : 0;
}

void ga_cleanup_wipe_memory(struct ga_wipe_memory *m)
{
	free(m->holder);
	free(m->seen);
	free(m->wiped);
}

int ga_wipe_remember(const char *dir, struct ga_wipe_opts *o, struct ga_wipe_memory *ret,
		     struct ga_err *err)
{
	ga_autohostdb struct ga_hostdb h = { 0 };
	const struct ga_wipe_order *w = o->order;
	struct ga_wipe_evidence before = { 0 };
	int r;

	if (ga_hostdb_open_read(dir, &h, err) < 0)
		return ga_wrap(err, "cannot read in this host's journal who has the disk");
	if (!h.db)
		return 0;
	if (ga_hostdb_holder_of(&h, w->nvme_wwid, &ret->holder, err) < 0)
		return -1;
	o->holder = ret->holder;
	if (o->alone)
		return 0;
	r = confirmed_before(&h, w, &ret->seen, &o->rewritten, &before, err);
	ga_schema_release(&ga_wipe_evidence_schema, &before);
	if (r < 0)
		return -1;
	o->seen = ret->seen;
	if (wiped_since(&h, w, &ret->wiped, err) < 0)
		return -1;
	o->wiped = ret->wiped;
	r = ga_hostdb_wipe_begun(&h, w->object, w->nvme_wwid, err);
	o->begun = r > 0;
	return r < 0 ? -1 : 0;
}

/* Sits between the run and the caller's callback: records finished phases in the attempt. */
struct noting {
	struct ga_hostdb *h;
	const char *attempt;
	bool begun; /* something was written: phases that only look are no longer recorded */
	ga_wipe_phase_fn phase;
	void *arg;
};

static void note_phase(void *arg, const char *phase, const char *state, int64_t bytes,
		       int64_t total, const char *detail)
{
	struct noting *n = arg;
	struct ga_err lost = GA_ERR_INIT; /* harmless: the next run starts over anyway */

	if (ga_streq(state, "finished") && !(n->begun && ga_wipe_phase_looks(phase)) &&
	    ga_attempt_phase(n->h, n->attempt, phase, &lost) < 0)
		ga_info("phase %s of %s: %s", phase, n->attempt, lost.msg);
	if (n->phase)
		n->phase(n->arg, phase, state, bytes, total, detail);
}

/* Records that this run writes from now on: if it is killed later, the guard of the next run knows
 * that markers on the disk are ours. */
static int note_begun(void *arg, struct ga_err *err)
{
	struct noting *n = arg;

	n->begun = true;
	return ga_attempt_phase(n->h, n->attempt, "markers", err);
}

int ga_wipe_job(struct ga_hostdb *h, struct ga_wipe_opts *o, struct ga_wipe_evidence *ret,
		struct ga_err *err)
{
	const struct ga_wipe_order *w = o->order;
	ga_autofree char *order = ga_hostdb_order_text(w);
	const struct ga_issuer by = { w->object, w->attempt, w->controller, w->epoch };
	ga_autofree char *boot_id = ga_host_boot_id();
	ga_autofree char *result = NULL, *holder = NULL, *seen = NULL, *wiped = NULL;
	struct noting noting = { h, w->attempt, false, o->phase, o->arg };
	ga_autofd int hold = -1;
	int r;

	if (ga_hostdb_accept_controller(h, &by, false, err) < 0 ||
	    ga_object_lock(h->dir, w->object, o->tool, &hold, err) < 0)
		return -1;
	if (o->refused) {
		r = confirmed_before(h, w, &seen, &o->rewritten, ret, err);
		if (!r)
			*err = *o->refused;
		return r > 0 ? 1 : -1;
	}
	if (ga_hostdb_holder_of(h, w->nvme_wwid, &holder, err) < 0 ||
	    ga_hostdb_keep_order(h, w, err) < 0)
		return -1;
	o->holder = holder;
	r = ga_attempt_begin(h, w->attempt, w->object, "wipe", order, boot_id ? boot_id : "", err);
	if (r < 0)
		return -1;
	o->resume = r == 0;
	r = confirmed_before(h, w, &seen, &o->rewritten, ret, err);
	if (r)
		return r;
	o->seen = seen;
	if (wiped_since(h, w, &wiped, err) < 0)
		return -1;
	o->wiped = wiped;
	r = ga_hostdb_wipe_begun(h, w->object, w->nvme_wwid, err);
	if (r < 0)
		return -1;
	o->begun = noting.begun = r > 0;
	o->phase = note_phase;
	o->begins = note_begun;
	o->arg = &noting;
	ga_wipe_run(o, ret);
	o->phase = noting.phase;
	o->begins = NULL;
	o->arg = noting.arg;
	o->holder = o->seen = o->wiped = NULL;
	if (ga_evidence_add(h, ret, err) < 0)
		return ga_wrap(err, "the evidence of '%s' (%s) cannot be kept", w->object,
			       ret->outcome);
	result = ga_rec_format_text(&ga_wipe_evidence_schema, ret);
	return ga_attempt_end(h, w->attempt,
			      ga_streq(ret->outcome, "confirmed") ? "done" : "failed", result, err);
}

int ga_wipe_keep_order(const char *dir, const struct ga_wipe_order *order, struct ga_err *err)
{
	ga_autohostdb struct ga_hostdb h = { 0 };
	const struct ga_issuer by = { order->object, order->attempt, order->controller,
				      order->epoch };

	if (ga_hostdb_open_or_make(dir, &h, err) < 0)
		return -1;
	/* A kept order counts as begun. The order of another controller is not kept, and its run
	 * reports that. */
	if (ga_hostdb_accept_controller(&h, &by, false, err) < 0) {
		if (err->code != GA_CONFLICT)
			return -1;
		ga_err_clear(err);
		return 0;
	}
	return ga_hostdb_keep_order(&h, order, err);
}

int ga_wipe_pending_stream(const char *dir, bool unanswered, int *fd, struct ga_err *err)
{
	ga_autohostdb struct ga_hostdb h = { 0 };
	ga_autofd int out = memfd_create("pending", MFD_CLOEXEC);
	ga_autotexts struct ga_texts orders = { 0 };

	if (out < 0)
		return ga_fail_sys(err, "cannot make a stream of the pending orders");
	if (ga_hostdb_open_or_make(dir, &h, err) < 0 ||
	    ga_hostdb_pending_wipes(&h, unanswered, &orders, err) < 0)
		return -1;
	for (size_t i = 0; i < orders.n; i++)
		if (ga_write_all(out, orders.v[i], strlen(orders.v[i])) < 0 ||
		    ga_write_all(out, "\n", 1) < 0)
			return ga_fail_sys(err, "cannot make a stream of the pending orders");
	if (lseek(out, 0, SEEK_SET) < 0)
		return ga_fail_sys(err, "cannot rewind the pending orders");
	*fd = GA_TAKE_FD(out);
	return (int)orders.n;
}

int ga_wipe_certificate_of(const char *dir, const char *key, struct ga_str *out,
			   struct ga_err *err)
{
	ga_autohostdb struct ga_hostdb h = { 0 };
	ga_autotexts struct ga_texts ids = { 0 };
	struct ga_wipe_evidence e;
	size_t i;

	if (ga_hostdb_open_or_make(dir, &h, err) < 0 || ga_evidence_find(&h, key, &ids, err) < 0)
		return -1;
	for (i = 0; i < ids.n; i++) {
		int r = ga_evidence_get(&h, ids.v[i], &e, err);

		if (r == 0)
			r = ga_refuse(err, GA_NOTFOUND, NULL, key,
				      ("evidence '%.64s' was removed meanwhile", ids.v[i]),
				      ("run the same again"));
		if (r < 0)
			return -1;
		if (i)
			ga_str_addc(out, '\n');
		ga_wipe_certificate(&e, out);
		ga_schema_release(&ga_wipe_evidence_schema, &e);
	}
	if (ids.n)
		return 0;
	return ga_refuse(err, GA_NOTFOUND, NULL, key,
			 ("this host keeps no evidence of '%.64s'", key),
			 ("an id or the beginning of one, the name of an allocation, or the WWID "
			  "of a disk; 'gpuaas-list evidence' shows the evidence of every host"));
}
