/* SPDX-License-Identifier: Apache-2.0 */
/* Format and Sanitize, and their outcomes. */
#include "act/device/nvme.h"

#include <errno.h>
#include <linux/nvme_ioctl.h>
#include <sys/ioctl.h>

#include "base/clock.h"
#include "base/stop.h"

#define ADMIN_IDENTIFY 0x06
#define ADMIN_GET_LOG 0x02
#define ADMIN_FORMAT 0x80
#define ADMIN_SANITIZE 0x84
#define LOG_SANITIZE 0x81
#define LOG_HEALTH 0x02
#define INVALID_LOG_PAGE 0x109 /* status of a drive that has no such log */
#define CNS_NAMESPACE 0x00
#define CNS_CONTROLLER 0x01
#define CNS_ACTIVE 0x02
#define CNS_ALLOCATED 0x10
#define OACS_NS_MANAGEMENT (1 << 3)
#define CMIC_MANY_CONTROLLERS (1 << 1)
#define SANACT_BLOCK 2
#define SANACT_CRYPTO 4
#define SES_USER 1
#define SES_CRYPTO 2

#define COMMAND_MS 60000
#define FORMAT_MS (4 * 3600 * 1000)
#define STILL_SECONDS 1800 /* no progress for so long, or twice the estimate: stuck */
#define WHOLE_SECONDS (12 * 3600)

static int real_admin(void *ctx, struct ga_nvme_cmd *cmd)
{
	struct nvme_passthru_cmd c = {
		.opcode = cmd->opcode,
		.nsid = cmd->nsid,
		.addr = (uint64_t)(uintptr_t)cmd->data,
		.data_len = cmd->data_len,
		.cdw10 = cmd->cdw10,
		.cdw11 = cmd->cdw11,
		.timeout_ms = cmd->timeout_ms,
	};
	int r = ioctl(*(int *)ctx, NVME_IOCTL_ADMIN_CMD, &c);

	return r < 0 ? -errno : r & 0x7ff;
}

static int64_t real_now(void *ctx)
{
	(void)ctx;
	return ga_clock_mono_micros();
}

static bool real_wait(void *ctx, int64_t micros)
{
	int64_t until = ga_clock_mono_micros() + micros;

	(void)ctx;
	while (!ga_stop_asked() && ga_clock_mono_micros() < until)
		ga_clock_wait(until, GA_SECOND / 5);
	return !ga_stop_asked();
}

const struct ga_nvme_ops ga_nvme_real_ops = { real_admin, real_now, real_wait };

static uint32_t le32(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint16_t le16(const unsigned char *p)
{
	return (uint16_t)(p[0] | p[1] << 8);
}

/* "status 0x1d (sanitize in progress)" or the error of the system call. */
static void explain(int r, char *out, size_t size)
{
	static const struct {
		int status;
		const char *words;
	} known[] = {
		{ 0x001, "invalid command" },	    { 0x002, "invalid field" },
		{ 0x006, "internal error" },	    { 0x00b, "invalid namespace" },
		{ 0x015, "operation denied" },	    { 0x01c, "sanitize failed" },
		{ 0x01d, "sanitize in progress" },  { 0x020, "namespace is write protected" },
		{ 0x10a, "invalid format" },	    { 0x10b, "firmware needs reset" },
		{ 0x123, "sanitize prohibited while persistent memory is on" },
	};
	const char *words = "";
	size_t i;

	if (r < 0) {
		snprintf(out, size, "%s", strerror(-r));
		return;
	}
	for (i = 0; i < GA_ARRAY_SIZE(known); i++)
		if (known[i].status == r)
			words = known[i].words;
	snprintf(out, size, "status 0x%x%s%s%s", (unsigned int)r, *words ? " (" : "", words,
		 *words ? ")" : "");
}

/* Whether the drive refused the command before it did anything. After any other error that is
 * unknown. */
static bool turned_down(int r)
{
	static const int statuses[] = { 0x001, 0x002, 0x00b, 0x015, 0x01c, 0x01d, 0x020,
					0x10a, 0x10b, 0x123, -ENOTTY, -EINVAL, -EPERM,
					-EACCES, -EBUSY, -EFAULT, -ENOMEM, -EOPNOTSUPP };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(statuses); i++)
		if (statuses[i] == r)
			return true;
	return false;
}

static int identify(struct ga_nvme_dev *d, uint32_t cns, uint32_t nsid, unsigned char data[4096])
{
	struct ga_nvme_cmd c = { .opcode = ADMIN_IDENTIFY, .nsid = nsid, .cdw10 = cns,
				 .data = data, .data_len = 4096, .timeout_ms = COMMAND_MS };

	memset(data, 0, 4096);
	return d->ops->admin(d->ctx, &c);
}

/* Counts the namespaces of the whole subsystem. The list of allocated ones shows all of them.
 * Without namespace management these are the active ones of this controller, unless other
 * controllers share the subsystem. */
static int64_t count_namespaces(struct ga_nvme_dev *d, bool management, bool shared)
{
	unsigned char list[4096];
	int64_t n = 0;

	if (!management && shared)
		return GA_UNKNOWN;
	if (identify(d, management ? CNS_ALLOCATED : CNS_ACTIVE, 0, list))
		return GA_UNKNOWN;
	while (n < 1024 && le32(list + 4 * n))
		n++;
	return n ? n : GA_UNKNOWN;
}

int ga_nvme_read(struct ga_nvme_dev *d, struct ga_err *err)
{
	unsigned char id[4096];
	char why[96];
	int r = identify(d, CNS_CONTROLLER, 0, id);

	if (r) {
		explain(r, why, sizeof(why));
		return ga_fail_for(err, GA_HOST, "no_nvme_ioctl",
				   "the drive does not answer Identify: %s", why);
	}
	d->facts.medium = "nvme";
	d->facts.caps.oacs = le16(id + 256);
	d->facts.caps.sanicap = le32(id + 328);
	d->facts.caps.oncs = le16(id + 520);
	d->facts.caps.fna = id[524];
	d->facts.namespaces = count_namespaces(d, le16(id + 256) & OACS_NS_MANAGEMENT,
					       id[76] & CMIC_MANY_CONTROLLERS);
	r = identify(d, CNS_NAMESPACE, d->nsid, id);
	if (r) {
		explain(r, why, sizeof(why));
		return ga_fail_for(err, GA_HOST, "no_nvme_ioctl",
				   "the drive does not answer Identify Namespace: %s", why);
	}
	d->facts.caps.dlfeat = id[33];
	/* FLBAS 3:0 and 6:5 are the format, bit 4 the metadata; DPS 2:0 protection, bit 3 where. */
	d->format_cdw10 = (id[26] & 0xfu) | (id[26] & 0x10u) | (uint32_t)(id[29] & 0xfu) << 5 |
			  (uint32_t)(id[26] & 0x60u) << 7;
	return 0;
}

int ga_nvme_sanitize_log(struct ga_nvme_dev *d, struct ga_sanitize_log *ret)
{
	unsigned char log[512] = { 0 };
	struct ga_nvme_cmd c = { .opcode = ADMIN_GET_LOG, .nsid = 0xffffffff,
				 .cdw10 = LOG_SANITIZE | (sizeof(log) / 4 - 1) << 16,
				 .data = log, .data_len = sizeof(log), .timeout_ms = COMMAND_MS };
	int r = d->ops->admin(d->ctx, &c);

	if (r)
		return r;
	ret->progress = le16(log);
	ret->state = le16(log + 2) & 7;
	ret->cdw10 = le32(log + 4);
	ret->block_seconds = le32(log + 12) == 0xffffffff ? GA_UNKNOWN : le32(log + 12);
	ret->crypto_seconds = le32(log + 16) == 0xffffffff ? GA_UNKNOWN : le32(log + 16);
	return 0;
}

/* NVMe Base 2.0, figure 207: byte 0, Critical Warning. */
const char *ga_nvme_failing(struct ga_nvme_dev *d)
{
	static const char *const words[8] = {
		[2] = "its reliability is degraded by errors",
		[3] = "it no longer takes writes",
		[4] = "the backup of its volatile memory has failed",
	};
	unsigned char log[512] = { 0 };
	struct ga_nvme_cmd c = { .opcode = ADMIN_GET_LOG, .nsid = 0xffffffff,
				 .cdw10 = LOG_HEALTH | (sizeof(log) / 4 - 1) << 16,
				 .data = log, .data_len = sizeof(log), .timeout_ms = COMMAND_MS };
	int r = d->ops->admin(d->ctx, &c);
	size_t i;

	if (turned_down(r) || r == INVALID_LOG_PAGE)
		return NULL;
	if (r)
		return "its health log cannot be read";
	for (i = 0; i < GA_ARRAY_SIZE(words); i++)
		if (words[i] && log[0] & 1 << i)
			return words[i];
	return NULL;
}

static void GA_PRINTF(4, 5) conclude(struct ga_nvme_try *ret, enum ga_wipe_outcome outcome,
				     bool stop, const char *fmt, ...)
{
	va_list ap;

	ret->outcome = outcome;
	ret->stop = stop;
	va_start(ap, fmt);
	vsnprintf(ret->detail, sizeof(ret->detail), fmt, ap);
	va_end(ap);
}

/* Whether the log shows the end of the sanitize that began with cdw10; fills ret then. */
static bool sanitize_ended(const struct ga_sanitize_log *log, uint32_t cdw10,
			   struct ga_nvme_try *ret)
{
	if (log->cdw10 != cdw10)
		conclude(ret, GA_WIPE_UNKNOWN, false,
			 "the drive reports another sanitize (0x%x, ours is 0x%x)", log->cdw10,
			 cdw10);
	else if (log->state == GA_SANITIZE_DONE || log->state == GA_SANITIZE_DONE_NODEALLOC)
		conclude(ret, GA_WIPE_CONFIRMED, false, "the drive's log says it completed");
	else if (log->state == GA_SANITIZE_FAILED)
		conclude(ret, GA_WIPE_FAILED, false, "the drive's log says it failed");
	else if (log->state == GA_SANITIZE_RUNS)
		return false;
	else
		conclude(ret, GA_WIPE_UNKNOWN, false, "the drive's log says it never ran");
	return true;
}

static void await_sanitize(struct ga_nvme_dev *d, uint32_t cdw10, const struct ga_watch *watch,
			   struct ga_nvme_try *ret)
{
	int64_t began = d->ops->now(d->ctx), moved = began, interval = GA_SECOND / 10;
	struct ga_sanitize_log log;
	uint16_t last = 0;
	int failures = 0;

	for (;;) {
		int64_t now = d->ops->now(d->ctx), still = STILL_SECONDS, expected;
		int r = ga_nvme_sanitize_log(d, &log);

		/* A drive may refuse other commands for a moment while a sanitize starts. */
		if (r && ++failures >= 30) {
			char why[96];

			explain(r, why, sizeof(why));
			conclude(ret, GA_WIPE_UNKNOWN, false, "the log cannot be read: %s", why);
			return;
		}
		if (!r) {
			failures = 0;
			if (sanitize_ended(&log, cdw10, ret))
				return;
			if (log.progress != last)
				moved = now;
			last = log.progress;
			expected = (cdw10 & 7) == SANACT_CRYPTO ? log.crypto_seconds :
								  log.block_seconds;
			if (expected != GA_UNKNOWN && 2 * expected > still)
				still = 2 * expected;
			ga_watch_tell(watch, log.progress, 65536);
		}
		if (now - moved > still * GA_SECOND || now - began > WHOLE_SECONDS * GA_SECOND) {
			conclude(ret, GA_WIPE_UNKNOWN, false,
				 "no progress for %lld s at %u %% (the drive continues by itself)",
				 (long long)((now - moved) / GA_SECOND), last * 100u / 65536);
			return;
		}
		if (!d->ops->wait(d->ctx, interval)) {
			conclude(ret, GA_WIPE_UNKNOWN, false,
				 "interrupted at %u %%; the drive continues by itself",
				 last * 100u / 65536);
			return;
		}
		interval = interval * 2 > 5 * GA_SECOND ? 5 * GA_SECOND : interval * 2;
	}
}

static void sanitize(struct ga_nvme_dev *d, uint32_t action, const struct ga_watch *watch,
		     struct ga_nvme_try *ret)
{
	struct ga_nvme_cmd c = { .opcode = ADMIN_SANITIZE, .cdw10 = action,
				 .timeout_ms = COMMAND_MS };
	struct ga_sanitize_log before;
	char why[96];
	int r = ga_nvme_sanitize_log(d, &before);

	if (r) {
		explain(r, why, sizeof(why));
		conclude(ret, GA_WIPE_NOT_STARTED, false, "its log cannot be read: %s", why);
		return;
	}
	if (before.state == GA_SANITIZE_RUNS) {
		conclude(ret, GA_WIPE_NOT_STARTED, true,
			 "another sanitize (0x%x) is running", before.cdw10);
		return;
	}
	r = d->ops->admin(d->ctx, &c);
	if (r)
		explain(r, why, sizeof(why));
	if (r && turned_down(r))
		conclude(ret, GA_WIPE_NOT_STARTED, r == 0x01d, "refused: %s", why);
	else if (r)
		conclude(ret, GA_WIPE_UNKNOWN, false, "may have begun: %s", why);
	else
		await_sanitize(d, action, watch, ret);
}

static void format(struct ga_nvme_dev *d, uint32_t ses, struct ga_nvme_try *ret)
{
	struct ga_nvme_cmd c = { .opcode = ADMIN_FORMAT, .nsid = d->nsid,
				 .cdw10 = d->format_cdw10 | ses << 9, .timeout_ms = FORMAT_MS };
	int r = d->ops->admin(d->ctx, &c);
	char why[96];

	if (!r) {
		conclude(ret, GA_WIPE_CONFIRMED, false, "the drive says it completed");
		return;
	}
	explain(r, why, sizeof(why));
	if (turned_down(r))
		conclude(ret, GA_WIPE_NOT_STARTED, r == 0x01d, "refused: %s", why);
	else
		conclude(ret, GA_WIPE_UNKNOWN, false, "may have begun: %s", why);
}

void ga_nvme_erase(struct ga_nvme_dev *d, enum ga_wipe_method method, const struct ga_watch *watch,
		   struct ga_nvme_try *ret)
{
	switch (method) {
	case GA_WIPE_SANITIZE_CRYPTO:
		sanitize(d, SANACT_CRYPTO, watch, ret);
		return;
	case GA_WIPE_SANITIZE_BLOCK:
		sanitize(d, SANACT_BLOCK, watch, ret);
		return;
	case GA_WIPE_FORMAT_CRYPTO:
		format(d, SES_CRYPTO, ret);
		return;
	case GA_WIPE_FORMAT_USER:
		format(d, SES_USER, ret);
		return;
	case GA_WIPE_ZEROOUT:
		break;
	}
	conclude(ret, GA_WIPE_NOT_STARTED, false, "not a command of the drive");
}

int ga_nvme_settle(struct ga_nvme_dev *d, bool resume, const struct ga_watch *watch,
		   struct ga_err *err)
{
	struct ga_nvme_try t = { .outcome = GA_WIPE_NOT_STARTED };
	struct ga_sanitize_log log;

	/* A drive without the log cannot be sanitizing. */
	if (ga_nvme_sanitize_log(d, &log) || log.state != GA_SANITIZE_RUNS)
		return 0;
	if (!resume || (log.cdw10 != SANACT_BLOCK && log.cdw10 != SANACT_CRYPTO))
		return ga_refuse(err, GA_BUSY, "sanitize_runs", NULL,
				 ("a sanitize (0x%x) that this host did not begin is running",
				  log.cdw10),
				 ("wait for its end ('nvme sanitize-log'), then run this again"));
	await_sanitize(d, log.cdw10, watch, &t);
	/* The result of the earlier sanitize does not count: this run starts over. */
	if (t.outcome == GA_WIPE_CONFIRMED || t.outcome == GA_WIPE_FAILED)
		return 0;
	return ga_fail_for(err, GA_BUSY, "sanitize_runs",
			   "the sanitize begun earlier has not ended: %s", t.detail);
}

int64_t ga_nvme_estimate(struct ga_nvme_dev *d, enum ga_wipe_method method)
{
	struct ga_sanitize_log log;

	if (ga_nvme_sanitize_log(d, &log))
		return GA_UNKNOWN;
	return method == GA_WIPE_SANITIZE_CRYPTO || method == GA_WIPE_FORMAT_CRYPTO ?
		       log.crypto_seconds :
		       log.block_seconds;
}
