/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-state apply: stores declared objects from several files, in order. Each record is one
 * transaction and is printed after its commit. The first error ends the run and names the file and
 * the line; the records before it stay stored.
 */
#include <inttypes.h>

#include "base/str.h"
#include "base/vec.h"
#include "cli/app.h"
#include "cli/frame/emit.h"
#include "cli/frame/tell_state.h"
#include "cli/frame/types.h"
#include "cli/state/state.h"
#include "record/access.h"
#include "record/app.h"
#include "record/state.h"
#include "state/fold/take.h"

static struct ga_db *db;
static const char *file; /* that is read now */

/* Names where the record stands. */
static int at_line(int r, const struct ga_rec *rec, struct ga_err *err)
{
	if (r >= 0)
		return r;
	/* The parser named the line already. */
	if (ga_starts(err->msg, "line "))
		return ga_wrap(err, "%s", file);
	return ga_wrap(err, "%s, line %" PRIu64, file, rec->line);
}

static int apply(const struct ga_rec *rec, struct ga_err *err)
{
	int r = at_line(ga_store_take(db, rec, err), rec, err);

	return r < 0 ? -1 : ga_emit_raw(rec, err);
}

static int apply_node_image(const struct ga_rec *rec, struct ga_err *err)
{
	return at_line(ga_tell_apply_node_image(db, rec, err), rec, err);
}

static int apply_profile(const struct ga_rec *rec, struct ga_err *err)
{
	return at_line(ga_cli_apply_profile(db, rec, err), rec, err);
}

static int apply_app(const struct ga_rec *rec, struct ga_err *err)
{
	return at_line(ga_cli_apply_app(db, rec, err), rec, err);
}

struct inputs {
	GA_LIST(int) fds; /* 0: standard input */
};

static void close_inputs(struct inputs *in)
{
	size_t i;

	for (i = 0; i < in->fds.n; i++)
		if (in->fds.v[i] > 0)
			ga_cleanup_fd(&in->fds.v[i]);
	ga_list_release(&in->fds);
}

/* Opens every file before the first record is stored: a name that is wrong changes nothing. */
static int open_inputs(char *const *names, int n, struct inputs *ret, struct ga_err *err)
{
	bool standard = false;
	int i, fd;

	for (i = 0; i < n; i++) {
		bool is_standard = ga_streq(names[i], "-");

		if (standard && is_standard)
			return ga_fail(err, GA_USAGE, "standard input is named twice");
		standard = standard || is_standard;
		if (is_standard && ga_cli_need_pipe("records", err) < 0)
			return -1;
		fd = ga_cli_open(names[i], err);
		if (fd < 0)
			return -1;
		*ga_list_add(&ret->fds) = fd;
	}
	return 0;
}

int ga_cli_apply(struct ga_err *err)
{
	static const struct ga_consumer table[] = {
		{ &ga_profile_schema, apply_profile }, { &ga_image_schema, apply },
		{ &ga_app_schema, apply_app },
		{ &ga_node_image_schema, apply_node_image }, { &ga_node_settings_schema, apply },
		{ &ga_team_schema, apply },	 { &ga_grant_schema, apply },
		{ &ga_access_settings_schema, apply },	 { &ga_region_schema, apply },
		{ NULL, NULL },
	};
	ga_cleanup(close_inputs) struct inputs in = { .fds = { 0 } };
	int n, r = 0;
	char *const *names = ga_cli_args(&n);
	size_t i;

	if (open_inputs(names, n, &in, err) < 0 ||
	    ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_WRITE, &db, err) < 0)
		return -1;
	for (i = 0; r == 0 && i < in.fds.n; i++) {
		file = in.fds.v[i] ? names[i] : "standard input";
		r = ga_cli_stream(in.fds.v[i], file, table, err);
	}
	ga_db_close(GA_TAKE(db));
	return r;
}
