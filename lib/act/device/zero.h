/* SPDX-License-Identifier: Apache-2.0 */
/* The pass that makes a disk read as zeros, and the read-back that proves it. */
#ifndef GA_ACT_DEVICE_ZERO_H
#define GA_ACT_DEVICE_ZERO_H

#include "act/device/disk.h"
#include "decide/wipe/plan.h"

struct ga_read_back;

/* Whether all n bytes are zero. */
bool ga_is_zero(const void *p, size_t n);

/* Makes the whole disk read as zeros, by the drive's Write Zeroes (BLKZEROOUT) or by a hole, else
 * by writing zeros; flushes at the end. GA_BUSY "interrupted" when a signal asked to stop. */
GA_MUST_CHECK int ga_zero_pass(struct ga_disk *d, const struct ga_watch *watch, struct ga_err *err);

/*
 * Reads the disk back, every byte of it or a sample (decide/wipe/plan.h; a disk not much larger
 * than the sample is read completely), by direct I/O in two threads. Holes are read like everything
 * else: a list of holes is only the disk's own claim. Fills verify, times, bytes_read, mismatches
 * (in blocks of 4 KiB) and the bound. 0 also with mismatches; -1 when a part could not be read or a
 * signal asked to stop (finished_at stays NULL).
 */
GA_MUST_CHECK int ga_read_back(struct ga_disk *d, bool sampled, const struct ga_watch *watch,
			       struct ga_read_back *ret, struct ga_err *err);

/* The speed at which the beginning of the disk reads, in bytes a second, measured for a moment; 0
 * when it cannot be read. For estimates only. */
int64_t ga_read_rate(struct ga_disk *d);

#endif
