/* SPDX-License-Identifier: Apache-2.0 */
/* The files as metrics: size of the state, free space on its file system, time of the last
 * backup. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "exchange/openmetrics.h"
#include "state/recovery/backup.h"
#include "state/watch/metrics.h"

static int add_size(const char *path, const char *which, struct ga_str *to, struct ga_err *err)
{
	const struct ga_label of[] = { { "file", which }, { NULL, NULL } };
	struct stat st = { .st_size = 0 };

	/* A state without writers has no WAL. */
	if (stat(path, &st) < 0 && errno != ENOENT)
		return ga_fail_sys(err, "looking at '%s' failed", path);
	ga_om_int(to, "gpuaas_state_size_bytes", of, (int64_t)st.st_size);
	return 0;
}

static int sizes(const char *path, struct ga_str *to, struct ga_err *err)
{
	ga_autofree char *wal = ga_xprintf("%s-wal", path);
	struct statvfs v;

	ga_om_family(to, "gpuaas_state_size_bytes", "Size of the state file and of its WAL.");
	if (add_size(path, "main", to, err) < 0 || add_size(wal, "wal", to, err) < 0)
		return -1;
	if (statvfs(path, &v) < 0)
		return ga_fail_sys(err, "looking at the file system of '%s' failed", path);
	ga_om_family(to, "gpuaas_state_free_bytes", "Room on the file system of the state.");
	ga_om_int(to, "gpuaas_state_free_bytes", NULL, (int64_t)(v.f_bavail * v.f_frsize));
	return 0;
}

int ga_metrics_files(struct ga_db *db, const char *backups, struct ga_str *to, struct ga_err *err)
{
	struct ga_backups b;

	if (sizes(ga_db_path(db), to, err) < 0 || ga_state_backups(backups, &b, err) < 0)
		return -1;
	ga_om_family(to, "gpuaas_backups", "Kept backups without findings.");
	ga_om_int(to, "gpuaas_backups", NULL, b.good);
	ga_om_family(to, "gpuaas_backups_with_findings",
		     "Kept backups with findings.");
	ga_om_int(to, "gpuaas_backups_with_findings", NULL, b.findings);
	ga_om_family(to, "gpuaas_backup_newest_timestamp_seconds",
		     "When the newest backup without findings was made; 0: there is none.");
	ga_om_micros(to, "gpuaas_backup_newest_timestamp_seconds", NULL, b.newest_micros);
	return 0;
}
