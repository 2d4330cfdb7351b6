/* SPDX-License-Identifier: Apache-2.0 */
/* The marker probe. */
#include "act/device/markers.h"

#include "base/file.h"
#include "base/stop.h"
#include "record/digest.h"
#include "record/fault.h"

#define MIB (INT64_C(1) << 20)
#define SECTOR 512

/* The content of marker i: SHA-256 over seed, marker and position, one hash after the other. */
static void content(const struct ga_marker_set *set, size_t i, unsigned char *out)
{
	unsigned char in[sizeof(set->seed) + 2 * sizeof(uint64_t)];
	uint64_t where[2] = { i, 0 };

	memcpy(in, set->seed, sizeof(set->seed));
	for (; where[1] < GA_MARKER_BYTES / GA_SHA256_BYTES; where[1]++) {
		memcpy(in + sizeof(set->seed), where, sizeof(where));
		ga_sha256(in, sizeof(in), out + where[1] * GA_SHA256_BYTES);
	}
}

static bool taken(const struct ga_marker_set *set, int64_t offset)
{
	size_t i;

	for (i = 0; i < set->n; i++)
		if (set->offsets[i] == offset)
			return true;
	return false;
}

/* A place for marker i, in whole blocks of the disk: two in each end, the others anywhere. */
static int64_t place(size_t i, int64_t blocks, uint64_t r)
{
	int64_t edge = blocks < MIB / GA_MARKER_BYTES ? blocks : MIB / GA_MARKER_BYTES;

	if (i == 0)
		return 0;
	if (i == 1)
		return (blocks - 1) * GA_MARKER_BYTES;
	if (i == 2)
		return (int64_t)(r % (uint64_t)edge) * GA_MARKER_BYTES;
	if (i == 3)
		return (blocks - 1 - (int64_t)(r % (uint64_t)edge)) * GA_MARKER_BYTES;
	return (int64_t)(r % (uint64_t)blocks) * GA_MARKER_BYTES;
}

int ga_markers_draw(struct ga_marker_set *set, int64_t size_bytes, struct ga_err *err)
{
	int64_t blocks = size_bytes / GA_MARKER_BYTES;
	uint64_t random[GA_MARKER_COUNT];
	size_t i;

	set->n = 0;
	if (blocks < 1)
		return ga_fail(err, GA_HOST, "a disk of %lld bytes is too small",
			       (long long)size_bytes);
	if (ga_random_all(set->seed, sizeof(set->seed)) < 0 ||
	    ga_random_all(random, sizeof(random)) < 0)
		return ga_fail_sys(err, "cannot get random bytes");
	for (i = 0; (int64_t)i < ga_wipe_marker_count(size_bytes); i++) {
		int64_t offset = place(i, blocks, random[i]);

		/* When the place has a marker already, take the next free place: the evidence must
		 * have the full number of markers. */
		while (taken(set, offset))
			offset = (offset / GA_MARKER_BYTES + 1) % blocks * GA_MARKER_BYTES;
		set->offsets[set->n++] = offset;
	}
	return 0;
}

static int verify_written(const struct ga_marker_set *set, struct ga_disk *d, struct ga_err *err)
{
	ga_autofree unsigned char *want = ga_disk_buffer(GA_MARKER_BYTES);
	ga_autofree unsigned char *got = ga_disk_buffer(GA_MARKER_BYTES);
	size_t i;

	for (i = 0; i < set->n; i++) {
		content(set, i, want);
		if (ga_disk_read(d, got, GA_MARKER_BYTES, set->offsets[i], err) < 0)
			return -1;
		if (memcmp(want, got, GA_MARKER_BYTES))
			return ga_fail_for(err, GA_EXTERNAL, GA_FAULT_MARKER_LOST,
					   "'%s' does not return what was written at %lld",
					   d->dev.path, (long long)set->offsets[i]);
	}
	return 0;
}

int ga_markers_write(const struct ga_marker_set *set, struct ga_disk *d, struct ga_markers *ret,
		     struct ga_err *err)
{
	ga_autofree unsigned char *block = ga_disk_buffer(GA_MARKER_BYTES);
	char digest[GA_DIGEST_SIZE];
	size_t i;

	ret->seed_digest = ga_xstrdup(ga_digest_of(set->seed, sizeof(set->seed), digest));
	for (i = 0; i < set->n; i++) {
		content(set, i, block);
		if (ga_stop_check("the wipe", err) < 0 ||
		    ga_disk_write(d, block, GA_MARKER_BYTES, set->offsets[i], err) < 0)
			return -1;
		ret->written++;
	}
	if (ga_disk_sync(d, err) < 0)
		return -1;
	return verify_written(set, d, err);
}

static bool survives(const unsigned char *want, const unsigned char *got)
{
	size_t at;

	for (at = 0; at < GA_MARKER_BYTES; at += SECTOR)
		if (!memcmp(want + at, got + at, SECTOR))
			return true;
	return false;
}

int ga_markers_check(const struct ga_marker_set *set, struct ga_disk *d, struct ga_markers *ret,
		     struct ga_err *err)
{
	ga_autofree unsigned char *want = ga_disk_buffer(GA_MARKER_BYTES);
	ga_autofree unsigned char *got = ga_disk_buffer(GA_MARKER_BYTES);
	size_t i;

	ret->surviving = ret->unreadable = 0;
	for (i = 0; i < set->n; i++) {
		struct ga_err unreadable = GA_ERR_INIT;

		if (ga_stop_check("the marker probe", err) < 0)
			return -1;
		content(set, i, want);
		if (ga_disk_read(d, got, GA_MARKER_BYTES, set->offsets[i], &unreadable) < 0)
			ret->unreadable++;
		else if (survives(want, got))
			ret->surviving++;
	}
	return 0;
}
