/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The marker probe: blocks of 4 KiB that only this run can have written, at places that only it
 * knows. When they are gone afterwards, this run has erased the drive; a drive that reports success
 * and did not erase is found out. When a part r of the disk was left as it was, K markers miss that
 * with probability (1-r)^K.
 */
#ifndef GA_ACT_DEVICE_MARKERS_H
#define GA_ACT_DEVICE_MARKERS_H

#include "act/device/disk.h"
#include "decide/wipe/plan.h"
#include "record/result.h"

struct ga_marker_set {
	unsigned char seed[32];
	int64_t offsets[GA_MARKER_COUNT];
	size_t n;
};

/* Draws the seed and the places: first and last MiB always, the rest at random;
 * ga_wipe_marker_count() of them. */
GA_MUST_CHECK int ga_markers_draw(struct ga_marker_set *set, int64_t size_bytes,
				  struct ga_err *err);
/* Writes them, flushes, reads them back: all must be there. Sets seed_digest and written. */
GA_MUST_CHECK int ga_markers_write(const struct ga_marker_set *set, struct ga_disk *d,
				   struct ga_markers *ret, struct ga_err *err);
/* Counts what survives (one sector of a marker is enough) and what cannot be read. Unreadable
 * places are no error here: after a crypto erase a drive may refuse reads until the next write. */
GA_MUST_CHECK int ga_markers_check(const struct ga_marker_set *set, struct ga_disk *d,
				   struct ga_markers *ret, struct ga_err *err);

#endif
