/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-export: writing the output of each format, and the format openmetrics. */
#include "cli/export/export.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/str.h"
#include "exchange/openmetrics.h"
#include "record/time.h"
#include "state/watch/metrics.h"

static const char *output, *backups;

const struct ga_opt ga_cli_export_opts[] = {
	{ .name = "output", .type = GA_O_PATH, .var = &output, .arg = "FILE",
	  .help = "replace this file at once, readable by everybody (default: standard output)" },
	GA_OPTS_END,
};

const struct ga_opt ga_cli_openmetrics_opts[] = {
	{ .name = "backups", .type = GA_O_PATH, .var = &backups, .arg = "DIR",
	  .help = "folder of the backups (default $GPUAAS_BACKUPS, /var/lib/gpuaas/backup)" },
	GA_OPTS_END,
};

int ga_cli_export_open(struct ga_db **ret, struct ga_err *err)
{
	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, ret, err) < 0)
		return -1;
	return ga_db_begin_read(*ret, err);
}

int ga_cli_export_write(const struct ga_str *text, struct ga_err *err)
{
	ga_autofree char *line = NULL;

	if (output && ga_cli_may_replace(output, err) < 0)
		return -1;
	if (output)
		return ga_file_replace(output, text->buf, text->len, 0644, err) < 0 ?
			       ga_hint(err, "its folder must be there and writable") :
			       0;
	/* ga_emit_line adds the newline of the last line. */
	line = ga_xstrndup(text->buf, text->len ? text->len - 1 : 0);
	return ga_emit_line(line, err);
}

const char *ga_cli_export_output(void)
{
	return output;
}

static char *plain(const char *text)
{
	return ga_printable(ga_xstrndup(text, 128));
}

int ga_cli_export_unfit(const char *what, const char *name, const char *system, const char *fits,
			struct ga_err *err)
{
	ga_autofree char *shown = plain(name);

	return ga_refuse(err, GA_CONFLICT, "name_unfit", shown,
			 ("%s '%s' has a name that %s does not take", what, shown, system),
			 ("%s", fits));
}

void ga_cli_export_left_out(const char *what, const char *name, const char *why)
{
	ga_autofree char *shown = plain(name);

	ga_say("%s '%s' is left out: %s", what, shown, why);
	ga_cli_note_status(GA_NO);
}

int ga_cli_openmetrics(struct ga_err *err)
{
	struct ga_metrics_query q = { .now = ga_clock_micros(), .backups = backups };
	ga_autostr struct ga_str text = GA_STR_INIT;
	ga_autodb_leave struct ga_db *db = NULL;

	if (!q.backups)
		q.backups = ga_cli_setting("GPUAAS_BACKUPS", "/var/lib/gpuaas/backup");
	if (ga_cli_stale_after(&q.stale_seconds, err) < 0 ||
	    ga_cli_export_open(&db, err) < 0 || ga_store_metrics(db, &q, &text, err) < 0)
		return -1;
	ga_om_end(&text);
	return ga_cli_export_write(&text, err);
}
