/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The marker probe: this run writes random blocks of 4 KiB at random places, which only it knows.
 * When the blocks are gone afterwards, the drive was erased in this run; the probe detects a drive
 * that reports success and did not erase. When a part r of the disk was left unerased, K markers
 * miss it with probability (1-r)^K.
 */
#ifndef GA_ACT_DEVICE_MARKERS_H
#define GA_ACT_DEVICE_MARKERS_H

#include "act/device/disk.h"
#include "decide/wipe/plan.h"

struct ga_markers;

struct ga_marker_set {
	unsigned char seed[32];
	int64_t offsets[GA_MARKER_COUNT];
	size_t n;
};

/* Draws the seed and ga_wipe_marker_count() places: always in the first and the last MiB, the
 * others at random. */
GA_MUST_CHECK int ga_markers_draw(struct ga_marker_set *set, int64_t size_bytes,
				  struct ga_err *err);
/* Writes the markers, flushes, reads them back: all must be there. Sets seed_digest and written. */
GA_MUST_CHECK int ga_markers_write(const struct ga_marker_set *set, struct ga_disk *d,
				   struct ga_markers *ret, struct ga_err *err);
/* Counts the markers that survive (one sector of a marker is enough) and those that cannot be read.
 * Unreadable places are no error here: after a crypto erase a drive may refuse reads until the next
 * write. */
GA_MUST_CHECK int ga_markers_check(const struct ga_marker_set *set, struct ga_disk *d,
				   struct ga_markers *ret, struct ga_err *err);

#endif
