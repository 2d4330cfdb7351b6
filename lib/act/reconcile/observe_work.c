/* SPDX-License-Identifier: Apache-2.0 */
/* What this host noted itself: attempts, open journal entries, seeds, firmware variables. */
#include "act/reconcile/observe_part.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>

#include "act/vm/change.h"
#include "base/clock.h"
#include "base/texts.h"
#include "look/sys.h"
#include "record/id.h"
#include "record/plan.h"
#include "record/time.h"
#include "state/host/list.h"

#define SEED "seed.iso"
#define FILES(list) ((struct ga_any_list *)(void *)(list))
#define NVRAM_DIR "/var/lib/libvirt/qemu/nvram"

/* ---- host.db ---- */

static int64_t seconds_since(const char *at)
{
	int64_t micros, now = ga_clock_micros();

	if (!ga_time_read(at, &micros))
		return GA_UNKNOWN;
	return micros > now ? 0 : (now - micros) / 1000000;
}

static int64_t hugepages_of(const struct ga_attempt *a)
{
	struct ga_err ignored = GA_ERR_INIT;
	struct ga_plan plan;
	int64_t kib;

	/* A rebuild is taken up with the plan it carries out again. */
	if ((!ga_streq(a->program, "provision") && !ga_streq(a->program, "rebuild")) ||
	    ga_rec_parse_text(a->order, &ga_plan_shape, &plan, &ignored) < 0)
		return GA_UNKNOWN;
	kib = plan.hugepage_kib;
	ga_shape_release(&ga_plan_shape, &plan);
	return kib;
}

static int look_attempts(const struct ga_look *l, struct ga_hostdb *h, struct ga_err *err)
{
	ga_autoattempts struct ga_attempts list = { 0 };

	if (ga_attempts_newest(h, &list, err) < 0)
		return -1;
	for (size_t i = 0; i < list.n; i++) {
		struct ga_attempt *a = &list.v[i];
		struct ga_seen_work *w = ga_list_add(&l->seen->works);

		w->hugepage_kib = hugepages_of(a);
		w->object = GA_TAKE(a->object);
		w->program = GA_TAKE(a->program);
		w->attempt = GA_TAKE(a->attempt);
		w->state = GA_TAKE(a->state);
		w->phase = GA_TAKE(a->phase);
		w->boot_id = GA_TAKE(a->boot_id);
		w->started_at = GA_TAKE(a->started_at);
		/* When it cannot be told, somebody may be at it. */
		w->held = ga_hold_is_taken(l->opts->host_dir, w->object) != 0;
		/* A wipe writes to a disk: only a person or its own program takes that up again. */
		w->resumable = ga_streq(w->program, "provision");
	}
	return 0;
}

/* A day long: that is enough for the one who looks at what needs attention. */
static int look_served(const struct ga_look *l, struct ga_hostdb *h, struct ga_err *err)
{
	ga_autoserved struct ga_served s = { 0 };
	int r = ga_hostdb_served(h, &s, err);

	if (r <= 0 || !s.refused_controller)
		return r < 0 ? -1 : 0;
	l->seen->other_seconds = seconds_since(s.refused_at);
	if (l->seen->other_seconds < 24 * 3600)
		l->seen->other_controller =
			ga_xprintf("an order of the state %s of epoch %lld came at %s",
				   s.refused_controller, (long long)s.refused_epoch, s.refused_at);
	return 0;
}

/* A port that the journal has as published; observe_net.c looks where it leads. */
static int look_published(const struct ga_look *l, const struct ga_journal_entry *e,
			  struct ga_err *err)
{
	struct ga_net_ingress i = { 0 };
	struct ga_seen_ingress *s;

	if (ga_change_ingress_of(e, &i, err) < 0)
		return -1;
	s = ga_list_add(&l->seen->ingress);
	s->allocation = GA_TAKE(i.allocation);
	s->proto = GA_TAKE(i.proto);
	s->address = GA_TAKE(i.address);
	s->port = i.port;
	s->to_port = i.to_port;
	s->entered = true;
	s->done = e->done;
	return 0;
}

static int look_journal(const struct ga_look *l, struct ga_hostdb *h, struct ga_err *err)
{
	ga_autojournal struct ga_journal j = { 0 };

	if (ga_journal_open_entries(h, NULL, &j, err) < 0)
		return -1;
	for (size_t i = 0; i < j.n; i++) {
		struct ga_seen_entry *e;

		/* How the host was prepared is no open work. */
		if (ga_streq(j.v[i].object, "bootstrap"))
			continue;
		e = ga_list_add(&l->seen->entries);

		if (ga_streq(j.v[i].op, "ingress") && look_published(l, &j.v[i], err) < 0)
			return -1;
		e->seq = j.v[i].seq;
		e->object = GA_TAKE(j.v[i].object);
		e->op = GA_TAKE(j.v[i].op);
		e->subject = GA_TAKE(j.v[i].subject);
		e->done = j.v[i].done;
		e->age_seconds = seconds_since(j.v[i].at);
	}
	return 0;
}

/* A host that never did anything has no host.db, and looking does not make one. */
static void look_hostdb(const struct ga_look *l)
{
	ga_autofree char *path = ga_xprintf("%s/host.db", l->opts->host_dir);
	ga_autohostdb struct ga_hostdb h = { 0 };
	struct ga_err err = GA_ERR_INIT;
	struct stat st;

	if (stat(path, &st) < 0 && errno == ENOENT)
		return;
	if (ga_hostdb_open(l->opts->host_dir, &h, &err) < 0 || look_attempts(l, &h, &err) < 0 ||
	    look_served(l, &h, &err) < 0 ||
	    look_journal(l, &h, &err) < 0)
		ga_seen_blind(l->seen, GA_A_WORK, err.msg);
}

/* ---- files named by allocation ---- */

/* The id between prefix and the next '.' or '_', or the end; NULL when it is none. */
static char *id_of(const char *name, const char *prefix)
{
	ga_autofree char *id = NULL;

	if (!ga_starts(name, prefix))
		return NULL;
	name += strlen(prefix);
	id = ga_xstrndup(name, strcspn(name, "._"));
	return ga_id_is_valid(id) ? GA_TAKE(id) : NULL;
}

static void add_file(struct ga_any_list *to, const char *dir, const char *name, char *allocation)
{
	GA_LIST(struct ga_seen_file) *list = (void *)to;
	struct ga_seen_file *f = ga_list_add(list);
	struct stat st;

	f->path = ga_xprintf("%s/%s", dir, name);
	f->allocation = allocation;
	f->age_seconds = GA_UNKNOWN;
	if (stat(f->path, &st) == 0 && ga_clock_micros() / 1000000 >= st.st_mtime)
		f->age_seconds = ga_clock_micros() / 1000000 - st.st_mtime;
}

/* Names in a folder; a folder that is not there has nothing in it. */
static bool list_folder(const struct ga_look *l, enum ga_area area, const char *dir,
			struct ga_texts *names)
{
	ga_autodir DIR *d = opendir(dir);
	ga_autofree char *why = NULL;

	if (d) {
		ga_sys_list(dir, names);
		return true;
	}
	if (errno == ENOENT)
		return false;
	why = ga_xprintf("cannot open '%s': %s", dir, strerror(errno));
	ga_seen_blind(l->seen, area, why);
	return false;
}

/* Provision keeps what belongs to a VM in HOST_DIR/vm/ALLOCATION (act/vm/provision.h). */
static void look_seeds(const struct ga_look *l)
{
	ga_autofree char *dir = ga_xprintf("%s/vm", l->opts->host_dir);
	ga_autotexts struct ga_texts names = { 0 };

	if (!list_folder(l, GA_A_SEEDS, dir, &names))
		return;
	for (size_t i = 0; i < names.n; i++) {
		ga_autofree char *seed = ga_xprintf("%s/%s/" SEED, dir, names.v[i]);
		ga_autofree char *file = ga_xprintf("%s/" SEED, names.v[i]);

		if (!ga_id_is_valid(names.v[i]))
			continue;
		if (ga_sys_exists(seed))
			add_file(FILES(&l->seen->seeds), dir, file, ga_xstrdup(names.v[i]));
		else if (!ga_drift_is_live(l->want, names.v[i]))
			add_file(FILES(&l->seen->seeds), dir, names.v[i], ga_xstrdup(names.v[i]));
	}
}

/* libvirt names them DOMAIN_VARS.fd; our domains are called gpuaas-ALLOCATION. */
static void look_nvram(const struct ga_look *l)
{
	const char *dir = l->opts->nvram_dir ? l->opts->nvram_dir : NVRAM_DIR;
	ga_autotexts struct ga_texts names = { 0 };

	if (!list_folder(l, GA_A_NVRAM, dir, &names))
		return;
	for (size_t i = 0; i < names.n; i++) {
		char *id = id_of(names.v[i], "gpuaas-");

		if (id)
			add_file(FILES(&l->seen->nvram), dir, names.v[i], id);
	}
}

void ga_look_work(const struct ga_look *l)
{
	look_hostdb(l);
	look_seeds(l);
	if (!l->want->lab)
		look_nvram(l);
}
