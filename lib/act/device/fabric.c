/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions through Fabric Manager's library. */
#include "act/device/fabric.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/proc.h"
#include "look/nvfm.h"

#define START_MICROS (60 * GA_SECOND)

#define DIGITS "0123456789"

/* The length of "550.54" at the start of a version; 0 when it does not begin so. */
static size_t release_of(const char *version)
{
	size_t major = strspn(version, DIGITS), minor;

	if (!major || version[major] != '.')
		return 0;
	minor = strspn(version + major + 1, DIGITS);
	return minor ? major + 1 + minor : 0;
}

bool ga_fabric_same_release(const char *a, const char *b)
{
	size_t n = release_of(a);

	return n && n == release_of(b) && !strncmp(a, b, n);
}

char *ga_fabric_version(const char *program)
{
	const char *argv[] = { program, "--version", NULL };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	const char *at;

	if (!program ||
	    ga_proc_run(&(const struct ga_proc){ .argv = argv, .output_max = 65536 }, &out,
			&ignored) < 0 || out.status)
		return NULL;
	at = strstr(out.out.buf, "Fabric Manager");
	at = at ? strpbrk(at, DIGITS) : NULL;
	while (at && !release_of(at))
		at = strpbrk(at + strspn(at, DIGITS), DIGITS);
	return at ? ga_xstrndup(at, strspn(at, DIGITS ".")) : NULL;
}

static int read_active(struct ga_nvfm *fm, int64_t partition, struct ga_err *err)
{
	ga_autopartitions struct ga_nvfm_partitions list = { 0 };
	size_t i;

	if (ga_nvfm_partitions(fm, &list, err) < 0)
		return -1;
	for (i = 0; i < list.n; i++)
		if (list.v[i].id == partition)
			return list.v[i].active;
	return ga_fail_for(err, GA_NOTFOUND, "fabric_partition_unknown",
			   "Fabric Manager has no partition %" PRId64, partition);
}

/* Sends one command, whatever state the partition is in. */
static int command(struct ga_nvfm *fm, int64_t partition, bool want, struct ga_err *err)
{
	const char *function = want ? "fmActivateFabricPartition" : "fmDeactivateFabricPartition";
	ga_autofree char *what = ga_xprintf("%sactivate partition %" PRId64, want ? "" : "de",
					    partition);
	int (*send)(void *handle, unsigned int id);
	int r;

	if (partition < 0 || partition > UINT32_MAX)
		return ga_fail(err, GA_USAGE, "%" PRId64 " is no partition id", partition);
	if (ga_nvfm_find(fm, function, &send, err) < 0)
		return -1;
	r = send(ga_nvfm_handle(fm), (unsigned int)partition);
	return r ? ga_nvfm_failed(r, what, err) : 0;
}

static int set_active(struct ga_nvfm *fm, int64_t partition, bool want, struct ga_err *err)
{
	struct ga_err said = GA_ERR_INIT;
	int r = read_active(fm, partition, err);

	if (r < 0 || (r == 1) == want)
		return r < 0 ? -1 : 0;
	r = command(fm, partition, want, &said);
	if (r < 0 && ga_nvfm_retry(&said)) {
		*err = said;
		return -1;
	}
	r = read_active(fm, partition, err);
	if (r < 0 || (r == 1) == want)
		return r < 0 ? -1 : 0;
	if (said.code != GA_OK) {
		*err = said;
		return -1;
	}
	return ga_fail_for(err, GA_EXTERNAL, "fm_no_effect",
			   "Fabric Manager accepted it, and partition %" PRId64 " is still "
			   "%sactive",
			   partition, want ? "in" : "");
}

static int set_within(const struct ga_fabric_at *at, int64_t partition, bool want,
		      struct ga_err *err)
{
	ga_autonvfm struct ga_nvfm *fm = NULL;
	int64_t deadline = ga_clock_mono_micros() + START_MICROS;

	if (ga_nvfm_open(at->library, at->address, &fm, err) < 0)
		return -1;
	while (set_active(fm, partition, want, err) < 0) {
		if (!ga_nvfm_retry(err) || !ga_clock_wait(deadline, 500000))
			return ga_wrap(err, "cannot %sactivate fabric partition %" PRId64,
				       want ? "" : "de", partition);
		ga_err_clear(err);
	}
	return 0;
}

int ga_fabric_activate(const struct ga_fabric_at *at, int64_t partition, struct ga_err *err)
{
	return set_within(at, partition, true, err);
}

int ga_fabric_deactivate(const struct ga_fabric_at *at, int64_t partition, struct ga_err *err)
{
	return set_within(at, partition, false, err);
}
