/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Erasing NVMe namespaces: Format NVM (0x80) and Sanitize (0x84), and the Sanitize Status log
 * (0x81) with its result. NVM Express Base Specification 2.0, Linux' nvme_ioctl.h.
 *
 * All commands go through a table, so that a test can replace the drive. The success of a command
 * proves nothing: callers check the capability bits before it (decide/wipe/plan.h) and the disk
 * after it.
 */
#ifndef GA_ACT_DEVICE_NVME_H
#define GA_ACT_DEVICE_NVME_H

#include "act/device/disk.h"
#include "base/ga.h"
#include "decide/wipe/plan.h"

struct ga_nvme_cmd {
	uint8_t opcode;
	uint32_t nsid, cdw10, cdw11;
	void *data;
	uint32_t data_len, timeout_ms;
};

struct ga_nvme_ops {
	/* 0; the drive's status (> 0, without the DNR and More bits); or -errno. */
	int (*admin)(void *ctx, struct ga_nvme_cmd *cmd);
	int64_t (*now)(void *ctx); /* monotonic, microseconds */
	/* Waits so long; false when a signal asked to stop. */
	bool (*wait)(void *ctx, int64_t micros);
};
/* The real drive: ctx points to the open descriptor (int). */
extern const struct ga_nvme_ops ga_nvme_real_ops;

struct ga_nvme_dev {
	const struct ga_nvme_ops *ops;
	void *ctx;
	uint32_t nsid;
	uint32_t format_cdw10;	 /* keeps LBA format, metadata and protection as they are */
	struct ga_wipe_facts facts; /* medium, capabilities, namespaces of the subsystem */
};

/* Fills format_cdw10 and facts by Identify. GA_HOST where the node takes no NVMe commands. */
GA_MUST_CHECK int ga_nvme_read(struct ga_nvme_dev *d, struct ga_err *err);

struct ga_sanitize_log {
	uint16_t progress; /* in 1/65536; 0xffff: no sanitize runs */
	uint16_t state;	   /* SSTAT bits 2:0 */
	uint32_t cdw10;	   /* of the Sanitize command that the log is about */
	int64_t block_seconds, crypto_seconds; /* the drive's estimates, or GA_UNKNOWN */
};
enum { GA_SANITIZE_NEVER, GA_SANITIZE_DONE, GA_SANITIZE_RUNS, GA_SANITIZE_FAILED,
       GA_SANITIZE_DONE_NODEALLOC };

/* Reads the Sanitize Status log. 0, or a status or -errno as the ops return them. */
GA_MUST_CHECK int ga_nvme_sanitize_log(struct ga_nvme_dev *d, struct ga_sanitize_log *ret);

/* The faults that the drive reports in its SMART / Health Information log, in words; NULL: none.
 * Three critical warnings count as faults: reliability, a read-only medium, the backup of volatile
 * memory. Spare and temperature are warnings only. A drive that refuses the command has no such
 * log: no fault. A drive that fails to read the log has a fault, because every NVMe drive must have
 * it. */
const char *ga_nvme_failing(struct ga_nvme_dev *d);

/* The outcome of a method. */
struct ga_nvme_try {
	enum ga_wipe_outcome outcome;
	bool stop; /* the method was not started, and no other method must be tried */
	char detail[256];
};

/*
 * Carries out sanitize_* or format_* and waits for its end. "confirmed": the drive reports success,
 * and for a sanitize its log is about our command. "unknown": the command began and its end was not
 * seen (timeout, no progress, another command in the log, a signal).
 */
void ga_nvme_erase(struct ga_nvme_dev *d, enum ga_wipe_method method, const struct ga_watch *watch,
		   struct ga_nvme_try *ret);

/*
 * Before a run: an earlier sanitize may still be running, because the drive goes on when the
 * program is killed. resume: this host began one before; wait for its end. Any other running
 * sanitize is GA_BUSY "sanitize_runs".
 */
GA_MUST_CHECK int ga_nvme_settle(struct ga_nvme_dev *d, bool resume, const struct ga_watch *watch,
				 struct ga_err *err);

/* The drive's own estimate for a method in seconds, or GA_UNKNOWN. */
int64_t ga_nvme_estimate(struct ga_nvme_dev *d, enum ga_wipe_method method);

#endif
