/* SPDX-License-Identifier: Apache-2.0 */
/* Complete wipes of a file that plays a disk and a drive: honest drives and lying drives. */
#include "t.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/device/zero.h"
#include "act/wipe/wipe.h"
#include "base/stop.h"
#include "decide/slot/health.h"
#include "decide/wipe/guard_steps.h"
#include "record/wipe.h"

#define SIZE (INT64_C(12) << 20)

/* The fault of the disk. */
enum lie {
	HONEST,
	ZERO_DOES_NOTHING,
	ONE_SECTOR_STAYS,
	WRITES_ARE_LOST,
	CANNOT_READ,
	NO_WRITE_ZEROES,
	SHRINKS,
	STOP_IN_ZERO
};

/* How the drive answers an erase. */
enum erase { ERASES, ERASES_NOTHING, ERASES_HALF, REFUSES, FIRST_REFUSES, NO_ANSWER };

struct play {
	enum lie lie;
	enum erase erase;
	char path[64];
	int fd; /* of its own, for the drive */
	int erases, zeros;
	int64_t sector; /* the one that stays */
};

static ssize_t play_read(struct ga_disk *d, void *buf, size_t len, int64_t offset)
{
	struct play *p = d->arg;

	if (p->lie == CANNOT_READ && p->zeros && offset <= 5 << 20 &&
	    offset + (int64_t)len > 5 << 20)
		return errno = EIO, -1;
	return ga_disk_real_ops.read(d, buf, len, offset);
}

static ssize_t play_write(struct ga_disk *d, const void *buf, size_t len, int64_t offset)
{
	struct play *p = d->arg;

	return p->lie == WRITES_ARE_LOST ? (ssize_t)len :
					   ga_disk_real_ops.write(d, buf, len, offset);
}

static int play_zero(struct ga_disk *d, int64_t offset, int64_t len)
{
	struct play *p = d->arg;

	p->zeros++;
	switch (p->lie) {
	case ZERO_DOES_NOTHING:
		return 0;
	case NO_WRITE_ZEROES:
		return errno = EOPNOTSUPP, -1;
	case SHRINKS:
		return ftruncate(p->fd, SIZE / 2);
	case STOP_IN_ZERO:
		raise(SIGTERM);
		break;
	case HONEST:
	case ONE_SECTOR_STAYS:
	case WRITES_ARE_LOST:
	case CANNOT_READ:
		break;
	}
	return ga_disk_real_ops.zero(d, offset, len);
}

static int play_sync(struct ga_disk *d)
{
	struct play *p = d->arg;

	if (p->lie == ONE_SECTOR_STAYS && p->zeros && pwrite(p->fd, "x", 1, p->sector) != 1)
		return -1;
	return ga_disk_real_ops.sync(d);
}

static const struct ga_disk_ops disk_ops = { play_read, play_write, play_zero, play_sync };

/* A crypto erase: other bytes everywhere, not zeros. */
static void scramble(struct play *p, int64_t len)
{
	char block[4096];
	int64_t at;

	memset(block, 0x5a, sizeof(block));
	for (at = 0; at < len; at += (int64_t)sizeof(block))
		if (pwrite(p->fd, block, sizeof(block), at) != (ssize_t)sizeof(block))
			abort();
}

static int admin(void *ctx, struct ga_nvme_cmd *c)
{
	struct play *p = ctx;
	unsigned char *data = c->data;

	if (c->opcode == 0x06) {
		data[256] = 2;		       /* Format */
		data[524] = 4;		       /* crypto erase */
		data[0] = c->cdw10 == 2 ? 1 : 0; /* one namespace */
		return 0;
	}
	if (c->opcode != 0x80)
		return 2; /* no sanitize log */
	p->erases++;
	if (p->erase == REFUSES || (p->erase == FIRST_REFUSES && p->erases == 1))
		return 2;
	if (p->erase == NO_ANSWER)
		return -EIO;
	if (p->erase != ERASES_NOTHING)
		scramble(p, p->erase == ERASES_HALF ? SIZE / 2 : SIZE);
	return 0;
}

static int64_t now(void *ctx)
{
	(void)ctx;
	return ga_clock_mono_micros();
}

static bool no_wait(void *ctx, int64_t micros)
{
	(void)ctx;
	(void)micros;
	return true;
}

static const struct ga_nvme_ops nvme_ops = { admin, now, no_wait };

struct test {
	const char *name, *minimum, *verify;
	bool drive;
	enum lie lie;
	enum erase erase;
	const char *outcome, *class, *reason;
	int64_t status;
	int erases; /* commands that must have come */
	bool zero_at_end; /* the disk is all zero */
};

static const struct test tests[] = {
	{ "clear", "clear", "full", false, HONEST, 0, "confirmed", "clear", NULL, 0, 0, true },
	{ "clear, sampled, but small", "clear", "sampled", false, HONEST, 0, "confirmed", "clear",
	  NULL, 0, 0, true },
	{ "no Write Zeroes", "clear", "full", false, NO_WRITE_ZEROES, 0, "confirmed", "clear", NULL,
	  0, 0, true },
	{ "a zero pass that does nothing", "clear", "full", false, ZERO_DOES_NOTHING, 0, "failed",
	  "none", "markers_survive", 9, 0, false },
	{ "one sector stays", "clear", "full", false, ONE_SECTOR_STAYS, 0, "failed", "none",
	  "not_zero: 1 blocks", 9, 0, false },
	{ "writes are lost", "clear", "full", false, WRITES_ARE_LOST, 0, "failed", "none",
	  "marker_lost", 9, 0, false },
	{ "a place that cannot be read", "clear", "full", false, CANNOT_READ, 0, "failed", "none",
	  "disk_read_failed", 10, 0, true },
	{ "the disk changes its size", "clear", "full", false, SHRINKS, 0, "failed", "none", NULL,
	  -1, 0, false },
	{ "purge of what cannot be purged", "purge", "full", false, HONEST, 0, "not_started",
	  "none", "policy_not_reachable", 7, 0, false },
	{ "purge", "purge", "full", true, HONEST, ERASES, "confirmed", "purge", NULL, 0, 1, true },
	{ "purge, the first method refused", "purge", "full", true, HONEST, FIRST_REFUSES,
	  "confirmed", "purge", NULL, 0, 2, true },
	{ "all methods refused", "purge", "full", true, HONEST, REFUSES, "not_started", "none",
	  "policy_not_reachable", 7, 2, false },
	{ "success, and nothing erased", "purge", "full", true, HONEST, ERASES_NOTHING, "failed",
	  "none", "markers_survive", 9, 1, false },
	{ "success, and half erased", "purge", "full", true, HONEST, ERASES_HALF, "failed", "none",
	  "markers_survive", 9, 1, false },
	{ "no answer: no fallback", "purge", "full", true, HONEST, NO_ANSWER, "unknown", "none",
	  "purge_unknown", 9, 1, false },
	{ "purged, and one sector stays", "purge", "full", true, ONE_SECTOR_STAYS, ERASES, "failed",
	  "none", "not_zero", 9, 1, false },
	{ "purged, and the zero pass does nothing", "purge", "full", true, ZERO_DOES_NOTHING,
	  ERASES, "failed", "none", "not_zero", 9, 1, false },
	{ "stopped in the zero pass", "clear", "full", false, STOP_IN_ZERO, 0, "failed", "none",
	  "interrupted", 8, 0, true },
};

static bool file_is_zero(struct play *p)
{
	ga_autofree char *buf = ga_disk_buffer(SIZE);

	return pread(p->fd, buf, SIZE, 0) == SIZE && ga_is_zero(buf, SIZE);
}

/* A confirmed wipe has every step of the table, in its order. */
static void check_steps(const struct test *t, const struct ga_wipe_evidence *e)
{
	size_t i;

	for (i = 0; ga_guard_rules[i].step; i++) {
		const struct ga_step *s = i < e->guard.n ? &e->guard.v[i] : NULL;

		t_str(s ? s->step : "none", ga_guard_rules[i].step, "%s: guard step %zu", t->name,
		      i);
		if (s && ga_guard_rules[i].lack == GA_GUARD_NEVER)
			t_str(s->outcome, "confirmed", "%s: %s", t->name, s->step);
	}
	t_int((int64_t)e->guard.n, (int64_t)i, "%s: guard steps", t->name);
}

/* A fault of the drive counts against the drive, by the reason that the wipe really gives. */
static void check_health(const struct test *t, const struct ga_wipe_evidence *e)
{
	bool ended = ga_streq(t->outcome, "failed") || ga_streq(t->outcome, "unknown");
	ga_autohealth struct ga_health_sign s = { 0 };

	ga_health_of_wipe(e, &s);
	if (t->reason)
		t_int(s.event == GA_HEALTH_FAULT, ended && !ga_streq(t->reason, "interrupted"),
		      "%s: fault of the drive (%s)", t->name, e->reason);
}

static void run_one(const struct test *t, struct play *p)
{
	struct ga_nvme_dev drive = { .ops = &nvme_ops, .ctx = p, .nsid = 1 };
	struct ga_wipe_order order = { 0 };
	struct ga_wipe_evidence e = { 0 };
	struct ga_wipe_opts o = { .order = &order, .alone = true, .tool = "test",
				  .scrub_hooks = "/nonexistent", .disk_ops = &disk_ops,
				  .disk_arg = p, .drive = t->drive ? &drive : NULL };
	struct stat st;

	scramble(p, SIZE);
	fstat(p->fd, &st);
	ga_schema_init(&ga_wipe_order_schema, &order);
	order.lab = true;
	order.nvme_path = ga_xstrdup(p->path);
	order.nvme_wwid = ga_xprintf("file:%llx:%llu", (unsigned long long)st.st_dev,
				     (unsigned long long)st.st_ino);
	order.destroy_data = ga_xstrdup(order.nvme_wwid);
	order.wipe = (struct ga_wipe_policy){ ga_xstrdup(t->minimum), ga_xstrdup(t->verify),
					      ga_xstrdup("if_supported") };
	ga_wipe_run(&o, &e);
	t_str(e.outcome, t->outcome, "%s: outcome (%s)", t->name, e.reason ? e.reason : "");
	t_str(e.class, t->class, "%s: class", t->name);
	if (t->status >= 0)
		t_int(e.status, t->status, "%s: status", t->name);
	if (t->reason)
		t_ok(e.reason && ga_starts(e.reason, t->reason), "%s: reason '%s'", t->name,
		     e.reason ? e.reason : "");
	t_int(p->erases, t->erases, "%s: erase commands", t->name);
	t_ok(file_is_zero(p) == t->zero_at_end, "%s: content", t->name);
	if (ga_streq(t->outcome, "confirmed"))
		check_steps(t, &e);
	check_health(t, &e);
	/* The record is complete, however the wipe ended. */
	ga_wipe_evidence_seal(&e);
	t_ok(e.digest && ga_starts(e.digest, "sha256:"), "%s: sealed", t->name);
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	ga_schema_release(&ga_wipe_order_schema, &order);
}

/* A surviving sector is found wherever it is: ends, chunk borders, anywhere. */
static void test_sectors(void)
{
	static const struct test t = { "a sector", "clear", "full", false, ONE_SECTOR_STAYS, 0,
				       "failed", "none", "not_zero: 1 blocks", 9, 0, false };
	uint64_t seed = t_seed();
	int64_t places[] = { 0, SIZE - 1, (4 << 20) - 1, 4 << 20, 0, 0, 0 };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(places); i++) {
		struct play p = { .lie = t.lie };

		p.sector = i < 4 ? places[i] : (int64_t)(t_random(&seed) % SIZE);
		snprintf(p.path, sizeof(p.path), "/dev/shm/ga-wipe-XXXXXX");
		p.fd = mkstemp(p.path);
		run_one(&t, &p);
		unlink(p.path);
		close(p.fd);
	}
}

static void test_is_zero(void)
{
	char buf[100] = { 0 };
	size_t len, at;
	bool good = true;

	for (len = 0; len <= sizeof(buf); len++)
		good = good && ga_is_zero(buf, len);
	t_ok(good, "zeros of every length are zero");
	for (at = 0; at < sizeof(buf); at++) {
		buf[at] = 1;
		for (len = 0; len <= sizeof(buf); len++)
			good = good && ga_is_zero(buf, len) == (len <= at);
		buf[at] = 0;
	}
	t_ok(good, "one byte that is not zero is found at every place");
}

/* The other thread of a read-back has switched direct I/O off while this one's read failed for
 * it. */
static ssize_t read_beside(struct ga_disk *d, void *buf, size_t len, int64_t offset)
{
	int *calls = d->arg;

	(void)offset;
	if (++*calls == 1) {
		d->direct = false;
		return errno = EINVAL, -1;
	}
	memset(buf, 'x', len);
	return (ssize_t)len;
}

static void test_direct(void)
{
	static const struct ga_disk_ops ops = { .read = read_beside };
	struct ga_err err = GA_ERR_INIT;
	struct ga_disk d = GA_DISK_INIT;
	char buf[512] = "";
	int calls = 0;

	d.ops = &ops;
	d.arg = &calls;
	d.direct = true;
	d.dev.path = ga_xstrdup("a disk");
	t_int(ga_disk_read(&d, buf, sizeof(buf), 0, &err), 0, "read again without direct I/O (%s)",
	      err.msg);
	t_ok(calls == 2 && buf[0] == 'x' && buf[511] == 'x', "all of it");
	calls = 0;
	t_code(ga_disk_read(&d, buf, sizeof(buf), 0, &err), &err, GA_SYSTEM, "cannot read 'a disk'",
	       "without direct I/O the error is one");
	ga_disk_release(&d);
}

/* The first step of a guard that looks again, of a file that plays a disk of that medium and is
 * meant to have that identity, or NULL for its own. */
static void look_again(const char *path, const char *medium, const char *wwid, const char *outcome,
		       const char *detail)
{
	struct ga_guard_steps steps = { 0 };
	struct ga_guard_opts o = { .size_bytes = GA_UNKNOWN, .lab = GA_UNKNOWN };
	struct ga_err err = GA_ERR_INIT;
	ga_autodisk struct ga_disk d = GA_DISK_INIT;
	size_t i;

	t_int(ga_disk_find(path, &d, &err), 0, "the file is found (%s)", err.msg);
	t_int(ga_disk_open(&d, false, &err), 0, "and opened (%s)", err.msg);
	o.wwid = wwid ? wwid : d.identity;
	d.medium = medium;
	(void)ga_guard_again(&d, &o, "identity_before", false, &steps, &err);
	t_str(steps.v[0].step, "identity_before", "medium %s: its first step", medium);
	t_str(steps.v[0].outcome, outcome, "medium %s, identity %.4s", medium,
	      wwid ? wwid : "its");
	t_ok(strstr(steps.v[0].detail, detail), "medium %s: '%s'", medium, steps.v[0].detail);
	for (i = 0; i < steps.n; i++) {
		free(steps.v[i].step);
		free(steps.v[i].outcome);
		free(steps.v[i].detail);
	}
	ga_list_release(&steps);
}

/* Before Linux 5.15 disks have no sequence number, and their evidence would prove nothing. */
static void test_identity(void)
{
	char path[] = "/dev/shm/ga-wipe-XXXXXX", wwid[2000];
	int fd = mkstemp(path);

	t_int(fd < 0 ? -1 : ftruncate(fd, SIZE), 0, "a file");
	look_again(path, "file", NULL, "confirmed", "file:");
	look_again(path, "nvme", NULL, "failed",
		   "wrong_device: the kernel shows no disk sequence number");
	look_again(path, "block", NULL, "failed", "wrong_device: ");
	/* The next run of the order reads the text of a step again: none of it is cut off. */
	memset(wwid, 'x', sizeof(wwid));
	snprintf(wwid + sizeof(wwid) - 8, 8, "the end");
	look_again(path, "file", wwid, "failed", "the end");
	unlink(path);
	close(fd);
}

int main(void)
{
	size_t i;

	ga_stop_install();
	test_identity();
	test_direct();
	test_is_zero();
	test_sectors();
	/* The last one asks this process to stop, for good. */
	for (i = 0; i < GA_ARRAY_SIZE(tests); i++) {
		struct play p = { .lie = tests[i].lie, .erase = tests[i].erase, .sector = 7777 };

		snprintf(p.path, sizeof(p.path), "/dev/shm/ga-wipe-XXXXXX");
		p.fd = mkstemp(p.path);
		if (p.fd < 0)
			return 99;
		run_one(&tests[i], &p);
		unlink(p.path);
		close(p.fd);
	}
	return t_done();
}
