/* SPDX-License-Identifier: Apache-2.0 */
/* NVMe erasing against a scripted drive: honest, slow, broken and lying drives. */
#include "t.h"

#include <errno.h>

#include "act/device/nvme.h"


/* One state of the sanitize log, and for how many looks it stays. */
struct look {
	uint16_t progress, state;
	uint32_t cdw10;
	int times;  /* 0: for good */
	int answer; /* status or -errno instead of a log */
};

struct drive {
	/* Identify */
	uint16_t oacs;
	uint32_t sanicap;
	uint8_t fna, cmic, flbas, dps;
	uint8_t warning; /* of the health log */
	int health_answer; /* status or -errno instead of that log */
	int namespaces;
	int identify_answer;
	/* commands */
	const struct look *before, *after; /* the log before and after a Sanitize came in */
	int erase_answer;
	uint32_t estimate;
	int stop_after; /* waits until a signal comes; 0: never */
	/* what happened */
	int64_t clock;
	int waits, looks, erases;
	uint32_t last_cdw10, last_nsid;
	uint8_t last_opcode;
};

static void put16(unsigned char *p, uint16_t v)
{
	p[0] = (unsigned char)v;
	p[1] = (unsigned char)(v >> 8);
}

static void put32(unsigned char *p, uint32_t v)
{
	put16(p, (uint16_t)v);
	put16(p + 2, (uint16_t)(v >> 16));
}

static int play_identify(struct drive *d, struct ga_nvme_cmd *c)
{
	unsigned char *p = c->data;
	int i;

	if (d->identify_answer)
		return d->identify_answer;
	switch (c->cdw10) {
	case 0:
		p[26] = d->flbas;
		p[29] = d->dps;
		p[33] = 1;
		return 0;
	case 1:
		p[76] = d->cmic;
		put16(p + 256, d->oacs);
		put32(p + 328, d->sanicap);
		p[524] = d->fna;
		return 0;
	case 2:
	case 0x10:
		if (c->cdw10 == 0x10 && !(d->oacs & 8))
			return 2;
		for (i = 0; i < d->namespaces; i++)
			put32(p + 4 * i, (uint32_t)i + 1);
		return 0;
	default:
		return 2;
	}
}

static int play_log(struct drive *d, struct ga_nvme_cmd *c)
{
	const struct look *l = d->erases ? d->after : d->before;
	unsigned char *p = c->data;
	int n;

	if ((c->cdw10 & 0xff) == 2) {
		p[0] = d->warning;
		return d->health_answer;
	}
	if (!l)
		return 2;
	for (n = d->looks++; l->times && n >= l->times; l++)
		n -= l->times;
	if (l->answer)
		return l->answer;
	put16(p, l->progress);
	put16(p + 2, l->state);
	put32(p + 4, l->cdw10);
	put32(p + 12, d->estimate);
	put32(p + 16, d->estimate);
	return 0;
}

static int play(void *ctx, struct ga_nvme_cmd *c)
{
	struct drive *d = ctx;

	switch (c->opcode) {
	case 0x06:
		return play_identify(d, c);
	case 0x02:
		return play_log(d, c);
	case 0x80:
	case 0x84:
		d->erases++;
		d->looks = 0;
		d->last_opcode = c->opcode;
		d->last_cdw10 = c->cdw10;
		d->last_nsid = c->nsid;
		return d->erase_answer;
	default:
		return 1;
	}
}

static int64_t play_now(void *ctx)
{
	return ((struct drive *)ctx)->clock;
}

static bool play_wait(void *ctx, int64_t micros)
{
	struct drive *d = ctx;

	d->clock += micros;
	return !d->stop_after || ++d->waits < d->stop_after;
}

static const struct ga_nvme_ops ops = { play, play_now, play_wait };

static struct ga_nvme_dev dev(struct drive *d)
{
	return (struct ga_nvme_dev){ .ops = &ops, .ctx = d, .nsid = 7 };
}

#define LOG(...) ((const struct look[]){ __VA_ARGS__ })
#define IDLE LOG({ 0xffff, 0, 0, 0, 0 })

static void test_read(void)
{
	static const struct {
		const char *name;
		struct drive d;
		int64_t namespaces;
		uint32_t format;
	} cases[] = {
		{ "one namespace", { .oacs = 2, .namespaces = 1, .flbas = 1 }, 1, 1 },
		{ "namespace management", { .oacs = 10, .namespaces = 3 }, 3, 0 },
		{ "shared, no list", { .oacs = 2, .cmic = 2, .namespaces = 1 }, GA_UNKNOWN, 0 },
		{ "shared, with list", { .oacs = 10, .cmic = 2, .namespaces = 1 }, 1, 0 },
		{ "empty list", { .oacs = 10, .namespaces = 0 }, GA_UNKNOWN, 0 },
		/* format 0x25: low 5, high 1; metadata in line; protection 2 at the start */
		{ "format kept", { .oacs = 2, .namespaces = 1, .flbas = 0x35, .dps = 0x0a }, 1,
		  0x5 | 0x10 | 0x2 << 5 | 1 << 8 | 1 << 12 },
	};
	struct drive refused = { .identify_answer = -ENOTTY };
	struct ga_err err = GA_ERR_INIT;
	struct ga_nvme_dev r = dev(&refused);
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct drive d = cases[i].d;
		struct ga_nvme_dev n = dev(&d);

		t_int(ga_nvme_read(&n, &err), 0, "%s: read", cases[i].name);
		t_int(n.facts.namespaces, cases[i].namespaces, "%s: namespaces", cases[i].name);
		t_int(n.format_cdw10, cases[i].format, "%s: format", cases[i].name);
	}
	t_code(ga_nvme_read(&r, &err), &err, GA_HOST, "Identify", "a file is no drive");
}

static void test_sanitize(void)
{
	const struct {
		const char *name;
		struct drive d;
		enum ga_wipe_method method;
		enum ga_wipe_outcome want;
		bool stop;
		const char *detail;
	} cases[] = {
		{ "crypto, in progress, then done",
		  { .before = IDLE, .estimate = 10,
		    .after = LOG({ 100, 2, 4, 3, 0 }, { 50000, 2, 4, 2, 0 }, { 0xffff, 1, 4, 0,
		    0 }) },
		  GA_WIPE_SANITIZE_CRYPTO, GA_WIPE_CONFIRMED, false, "completed" },
		{ "block, done with deallocation",
		  { .before = IDLE, .after = LOG({ 0xffff, 4, 2, 0, 0 }) },
		  GA_WIPE_SANITIZE_BLOCK, GA_WIPE_CONFIRMED, false, "completed" },
		{ "the same as last time, at once",
		  { .before = LOG({ 0xffff, 1, 4, 0, 0 }), .after = LOG({ 0xffff, 1, 4, 0, 0 }) },
		  GA_WIPE_SANITIZE_CRYPTO, GA_WIPE_CONFIRMED, false, "completed" },
		{ "failed",
		  { .before = IDLE, .after = LOG({ 100, 2, 2, 2, 0 }, { 0xffff, 3, 2, 0, 0 }) },
		  GA_WIPE_SANITIZE_BLOCK, GA_WIPE_FAILED, false, "failed" },
		{ "stuck at a third",
		  { .before = IDLE, .estimate = 0xffffffff, .after = LOG({ 20000, 2, 2, 0, 0 }) },
		  GA_WIPE_SANITIZE_BLOCK, GA_WIPE_UNKNOWN, false, "no progress" },
		{ "somebody else's afterwards",
		  { .before = IDLE, .after = LOG({ 100, 2, 2, 2, 0 }, { 0xffff, 1, 3, 0, 0 }) },
		  GA_WIPE_SANITIZE_BLOCK, GA_WIPE_UNKNOWN, false, "another sanitize" },
		{ "somebody else's going on", { .before = LOG({ 100, 2, 3, 0, 0 }) },
		  GA_WIPE_SANITIZE_BLOCK, GA_WIPE_NOT_STARTED, true, "is running" },
		{ "success, and the log says never",
		  { .before = IDLE, .after = LOG({ 0xffff, 0, 4, 0, 0 }) },
		  GA_WIPE_SANITIZE_CRYPTO, GA_WIPE_UNKNOWN, false, "never ran" },
		{ "success, and the log does not change",
		  { .before = IDLE, .after = LOG({ 0xffff, 0, 0, 0, 0 }) },
		  GA_WIPE_SANITIZE_CRYPTO, GA_WIPE_UNKNOWN, false, "another sanitize" },
		{ "the log cannot be read any more",
		  { .before = IDLE, .after = LOG({ .answer = -EIO }) },
		  GA_WIPE_SANITIZE_CRYPTO, GA_WIPE_UNKNOWN, false, "cannot be read" },
		{ "the log hides for a moment",
		  { .before = IDLE,
		    .after = LOG({ .answer = 0x1d, .times = 5 }, { 0xffff, 1, 4, 0, 0 }) },
		  GA_WIPE_SANITIZE_CRYPTO, GA_WIPE_CONFIRMED, false, "completed" },
		{ "no log at all", { .before = NULL }, GA_WIPE_SANITIZE_CRYPTO,
		  GA_WIPE_NOT_STARTED, false, "log cannot be read" },
		{ "refused", { .before = IDLE, .after = IDLE, .erase_answer = 0x001 },
		  GA_WIPE_SANITIZE_CRYPTO, GA_WIPE_NOT_STARTED, false, "invalid command" },
		{ "refused, one is running", { .before = IDLE, .after = IDLE,
		.erase_answer = 0x1d },
		  GA_WIPE_SANITIZE_CRYPTO, GA_WIPE_NOT_STARTED, true, "in progress" },
		{ "not permitted", { .before = IDLE, .after = IDLE, .erase_answer = -EPERM },
		  GA_WIPE_SANITIZE_CRYPTO, GA_WIPE_NOT_STARTED, false, "permitted" },
		{ "an error that leaves it open",
		  { .before = IDLE, .after = IDLE, .erase_answer = 0x006 },
		  GA_WIPE_SANITIZE_CRYPTO, GA_WIPE_UNKNOWN, false, "may have begun" },
		{ "no answer", { .before = IDLE, .after = IDLE, .erase_answer = -EIO },
		  GA_WIPE_SANITIZE_CRYPTO, GA_WIPE_UNKNOWN, false, "may have begun" },
		{ "interrupted",
		  { .before = IDLE, .after = LOG({ 32768, 2, 2, 0, 0 }), .stop_after = 3 },
		  GA_WIPE_SANITIZE_BLOCK, GA_WIPE_UNKNOWN, false, "interrupted at 50 %" },
		{ "format, done", { .before = IDLE }, GA_WIPE_FORMAT_CRYPTO, GA_WIPE_CONFIRMED,
		false,
		  "completed" },
		{ "format, refused", { .erase_answer = 0x10a }, GA_WIPE_FORMAT_USER,
		  GA_WIPE_NOT_STARTED, false, "invalid format" },
		{ "format, no answer", { .erase_answer = -ETIMEDOUT }, GA_WIPE_FORMAT_USER,
		  GA_WIPE_UNKNOWN, false, "may have begun" },
		{ "format, internal error", { .erase_answer = 0x006 }, GA_WIPE_FORMAT_USER,
		  GA_WIPE_UNKNOWN, false, "internal error" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct drive d = cases[i].d;
		struct ga_nvme_dev n = dev(&d);
		struct ga_nvme_try t = { .outcome = GA_WIPE_FAILED };

		ga_nvme_erase(&n, cases[i].method, NULL, &t);
		t_str(ga_wipe_outcome_word(t.outcome), ga_wipe_outcome_word(cases[i].want),
		      "%s", cases[i].name);
		t_ok(t.stop == cases[i].stop, "%s: stop", cases[i].name);
		t_ok(strstr(t.detail, cases[i].detail), "%s: '%s'", cases[i].name, t.detail);
	}
}

static void test_commands(void)
{
	struct drive d = { .oacs = 2, .namespaces = 1, .flbas = 2, .dps = 1 };
	struct ga_nvme_dev n = dev(&d);
	struct ga_nvme_try t;
	struct ga_err err = GA_ERR_INIT;

	t_int(ga_nvme_read(&n, &err), 0, "read");
	ga_nvme_erase(&n, GA_WIPE_FORMAT_CRYPTO, NULL, &t);
	t_int(d.last_opcode, 0x80, "format: opcode");
	t_int(d.last_nsid, 7, "format: our namespace only");
	t_int(d.last_cdw10, 2 | 1 << 5 | 2 << 9, "format: crypto, layout as it was");
	ga_nvme_erase(&n, GA_WIPE_FORMAT_USER, NULL, &t);
	t_int(d.last_cdw10, 2 | 1 << 5 | 1 << 9, "format: user data, layout as it was");
	d = (struct drive){ .before = IDLE, .after = LOG({ 0xffff, 1, 2, 0, 0 }) };
	ga_nvme_erase(&n, GA_WIPE_SANITIZE_BLOCK, NULL, &t);
	t_int(d.last_opcode, 0x84, "sanitize: opcode");
	t_int(d.last_cdw10, 2, "sanitize: block erase");
	ga_nvme_erase(&n, GA_WIPE_ZEROOUT, NULL, &t);
	t_int(d.erases, 1, "the zero pass is no command");
	t_str(ga_wipe_outcome_word(t.outcome), "not_started", "the zero pass is not begun here");
}

static void test_settle(void)
{
	struct drive idle = { .before = IDLE }, none = { .before = NULL };
	struct drive ours = { .before = LOG({ 100, 2, 4, 5, 0 }, { 0xffff, 1, 4, 0, 0 }) };
	struct drive stuck = { .before = LOG({ 100, 2, 4, 0, 0 }) };
	struct drive overwrite = { .before = LOG({ 100, 2, 3, 0, 0 }) };
	struct ga_nvme_dev n = dev(&idle);
	struct ga_err err = GA_ERR_INIT;

	t_int(ga_nvme_settle(&n, false, NULL, &err), 0, "an idle drive");
	n = dev(&none);
	t_int(ga_nvme_settle(&n, false, NULL, &err), 0, "a drive without the log");
	n = dev(&ours);
	t_code(ga_nvme_settle(&n, false, NULL, &err), &err, GA_BUSY, "is running",
	       "not begun here");
	n = dev(&ours);
	ours.looks = 0;
	t_int(ga_nvme_settle(&n, true, NULL, &err), 0, "begun here: waited for");
	n = dev(&stuck);
	err = (struct ga_err)GA_ERR_INIT;
	t_code(ga_nvme_settle(&n, true, NULL, &err), &err, GA_BUSY, "not ended", "never ends");
	n = dev(&overwrite);
	err = (struct ga_err)GA_ERR_INIT;
	t_code(ga_nvme_settle(&n, true, NULL, &err), &err, GA_BUSY, "did not begin",
	       "of a kind never begun here");
}

static void test_failing(void)
{
	static const char unread[] = "its health log cannot be read";
	static const struct {
		uint8_t warning;
		int answer;
		const char *want;
	} rows[] = {
		{ 0, 0, NULL },
		{ 0x01, 0, NULL }, /* spare */
		{ 0x02, 0, NULL }, /* temperature */
		{ 0x04, 0, "its reliability is degraded by errors" },
		{ 0x08, 0, "it no longer takes writes" },
		{ 0x10, 0, "the backup of its volatile memory has failed" },
		{ 0x23, 0, NULL },
		{ 0xff, 0, "its reliability is degraded by errors" },
		/* no such log, or nobody who may ask */
		{ 0xff, 0x109, NULL },
		{ 0xff, 0x002, NULL },
		{ 0xff, -ENOTTY, NULL },
		{ 0xff, -EACCES, NULL },
		/* the log of a drive that breaks down at it */
		{ 0, 0x006, unread },
		{ 0, -EIO, unread },
		{ 0, -ENODEV, unread },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(rows); i++) {
		struct drive d = { .warning = rows[i].warning, .health_answer = rows[i].answer };
		struct ga_nvme_dev n = dev(&d);

		t_str(ga_nvme_failing(&n), rows[i].want, "critical warning 0x%x, answer %d",
		      rows[i].warning, rows[i].answer);
	}
}

int main(void)
{
	test_read();
	test_failing();
	test_sanitize();
	test_commands();
	test_settle();
	return t_done();
}
