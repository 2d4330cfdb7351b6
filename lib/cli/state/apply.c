/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-state apply: stores declared objects from several files, in order. Each record is one
 * transaction and is printed after its commit. The first error ends the run and names the file and
 * the line; the records before it stay stored. A dry run is one transaction, which is rolled back,
 * and prints what each record would change. It holds the turn of the writers, so it reads its
 * inputs first: nobody waits for a program or person that writes them.
 */
#include <errno.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/stop.h"
#include "base/str.h"
#include "base/vec.h"
#include "cli/app.h"
#include "cli/frame/diff.h"
#include "cli/frame/emit.h"
#include "cli/frame/tell_state.h"
#include "cli/frame/types.h"
#include "cli/state/state.h"
#include "record/access.h"
#include "record/app.h"
#include "record/closest.h"
#include "record/request.h"
#include "record/result.h"
#include "record/state.h"
#include "state/access/access.h"
#include "state/fold/take.h"
#include "state/query/list.h"

static struct ga_db *db;
static const char *file; /* that is read now */
static bool dry_run;

const struct ga_opt ga_cli_apply_opts[] = {
	{ .name = "dry-run", .type = GA_O_FLAG, .var = &dry_run,
	  .help = "show what would change; store nothing" },
	GA_OPTS_END,
};

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

/* ---- one record ---- */

/* The kinds that are applied, and how a list finds the object that the record declares. */
static const struct applied {
	const struct ga_schema *schema;
	const char *list;	 /* kind of gpuaas-list */
	const char *key, *other; /* members that name it; NULL: the state has one */
} applied[] = {
	{ &ga_profile_schema, "profile", "name", NULL },
	{ &ga_app_schema, "app", "name", NULL },
	{ &ga_image_schema, "image", "name", NULL },
	{ &ga_node_image_schema, "node-image", "image", "node" },
	{ &ga_node_settings_schema, "node", "node", NULL },
	{ &ga_region_schema, "region", "name", NULL },
	{ &ga_team_schema, "team", "name", NULL },
	{ &ga_grant_schema, "grant", "name", NULL },
	{ &ga_access_settings_schema, "access-settings", NULL, NULL },
};

static int store(const struct ga_rec *rec, struct ga_err *err)
{
	if (rec->schema == &ga_profile_schema)
		return ga_cli_apply_profile(db, rec, dry_run, err);
	if (rec->schema == &ga_app_schema)
		return ga_cli_apply_app(db, rec, dry_run, err);
	if (rec->schema == &ga_node_image_schema && !dry_run)
		return ga_tell_apply_node_image(db, rec, err);
	if (ga_store_take(db, rec, err) < 0)
		return -1;
	return dry_run ? 0 : ga_emit_raw(rec, err);
}

static int keep_json(const struct ga_schema *schema, const void *obj, void *arg,
		     struct ga_err *err)
{
	json_t **ret = arg;

	(void)err;
	json_decref(*ret);
	*ret = ga_schema_format(schema, obj);
	return 0;
}

/* The object that the record declares, as the state has it now; NULL: it has none. */
static int look(const struct applied *a, const struct ga_rec *rec, json_t **ret,
		struct ga_err *err)
{
	ga_cleanup(ga_wheres_release) struct ga_wheres where = { 0 };
	struct ga_list_query q = { .kind = a->list, .where = &where };
	const struct ga_schema *schema = ga_list_schema(a->list, err);
	const char *const members[] = { a->key, a->other };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(members) && members[i]; i++) {
		const char *name = json_string_value(json_object_get(rec->json, members[i]));
		ga_autofree char *text = ga_xprintf("%s=\"%s\"", members[i], name ? name : "-");

		/* No name in place of an id: a declared node that is not there is new. */
		if (ga_where_parse(schema, text, 0, ga_list_add(&where), err) < 0)
			return -1;
	}
	return ga_store_list(db, &q, keep_json, ret, err);
}

/* Emits the changes that the record would make; the transaction of the dry run keeps them for the
 * records after it. */
static int preview(const struct applied *a, const struct ga_rec *rec, struct ga_err *err)
{
	ga_autojson json_t *before = NULL, *after = NULL;
	struct ga_change change = { 0 };
	const char *object, *node;
	int r;

	if (look(a, rec, &before, err) < 0 || store(rec, err) < 0 ||
	    look(a, rec, &after, err) < 0)
		return -1;
	object = a->key ? json_string_value(json_object_get(rec->json, a->key)) : NULL;
	node = a->other ? json_string_value(json_object_get(rec->json, a->other)) : NULL;
	change.record = ga_xstrdup(a->schema->kind);
	change.object = ga_strdup0(object);
	change.node = ga_strdup0(node);
	change.dry_run = true;
	ga_diff(ga_list_schema(a->list, err), before, after, &change);
	r = ga_emit(&ga_change_schema, &change, err);
	ga_schema_release(&ga_change_schema, &change);
	return r;
}

static int apply(const struct ga_rec *rec, struct ga_err *err)
{
	size_t i;

	for (i = 0; dry_run && i < GA_ARRAY_SIZE(applied); i++)
		if (applied[i].schema == rec->schema)
			return at_line(preview(&applied[i], rec, err), rec, err);
	return at_line(store(rec, err), rec, err);
}

/* Records of other kinds are mistakes here. A refusal or failure of the stage before is passed on,
 * and so is the node-end with which gpuaas-on ends the images of each node. */
static int refuse(const struct ga_rec *rec, struct ga_err *err)
{
	const char *kind = json_string_value(json_object_get(rec->json, "kind"));
	ga_autostr struct ga_str names = GA_STR_INIT;
	ga_autofree char *hint = NULL;
	struct ga_closest_names near;
	size_t i;

	if (ga_rec_is(rec, &ga_refusal_schema) || ga_rec_is(rec, &ga_failure_schema) ||
	    ga_rec_is(rec, &ga_node_end_schema))
		return ga_emit_raw(rec, err);
	ga_closest_begin(&near, kind);
	for (i = 0; i < GA_ARRAY_SIZE(applied); i++) {
		ga_closest_word(&near, applied[i].schema->kind);
		ga_str_addf(&names, "%s%s", i ? ", " : "", applied[i].schema->kind);
	}
	hint = rec->schema ? ga_xstrdup("") : ga_closest_hint(&near);
	return at_line(ga_refuse(err, GA_BADREC, "not_applied", NULL,
				 (rec->schema ? "a record of kind '%.64s' is nothing to apply" :
						"there is no kind '%.64s'", kind),
				 ("%sapply takes %s%s", hint, names.buf,
				  rec->schema ? "; results of hosts go to 'gpuaas-state fold'" :
						"")),
		       rec, err);
}

/* ---- the files ---- */

#define INPUTS_MAX (64 << 20) /* bytes that a dry run reads before it begins */

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

static const char *input_name(const char *operand)
{
	return ga_streq(operand, "-") ? "standard input" : operand;
}

/* Copies an input into memory and puts the copy in its place. */
static int read_first(const char *name, int *fd, int64_t *room, struct ga_err *err)
{
	ga_autofd int copy = memfd_create("records", MFD_CLOEXEC);
	char part[1 << 16];
	ssize_t n = 0;

	if (copy < 0)
		return ga_fail_sys(err, "cannot make room for the records of a dry run");
	for (;;) {
		n = read(*fd, part, sizeof(part));
		if (n < 0 && errno == EINTR && ga_stop_check("the dry run", err) == 0)
			continue;
		if (n <= 0)
			break;
		*room -= n;
		if (*room < 0)
			return ga_refuse(err, GA_USAGE, NULL, NULL,
					 ("a dry run reads at most %d MiB, and the inputs have "
					  "more", INPUTS_MAX >> 20),
					 ("split them; apply without --dry-run has no limit"));
		if (ga_write_all(copy, part, (size_t)n) < 0)
			return ga_fail_sys(err, "cannot keep the records of a dry run");
	}
	if (n < 0)
		return err->code ? -1 : ga_fail_sys(err, "cannot read %s", name);
	if (lseek(copy, 0, SEEK_SET) < 0)
		return ga_fail_sys(err, "cannot rewind the records of a dry run");
	if (*fd > 0)
		ga_cleanup_fd(fd);
	*fd = GA_TAKE_FD(copy);
	return 0;
}

static int read_all_first(char *const *names, struct inputs *in, struct ga_err *err)
{
	int64_t room = INPUTS_MAX;
	size_t i;

	for (i = 0; i < in->fds.n; i++)
		if (read_first(input_name(names[i]), &in->fds.v[i], &room, err) < 0)
			return -1;
	return 0;
}

int ga_cli_apply(struct ga_err *err)
{
	struct ga_consumer table[GA_ARRAY_SIZE(applied) + 1] = { 0 };
	ga_cleanup(close_inputs) struct inputs in = { .fds = { 0 } };
	int n, r = 0;
	char *const *names = ga_cli_args(&n);
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(applied); i++)
		table[i] = (struct ga_consumer){ applied[i].schema, apply };
	table[i].take = refuse;
	if (open_inputs(names, n, &in, err) < 0 ||
	    (dry_run && read_all_first(names, &in, err) < 0) ||
	    ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_WRITE, &db, err) < 0 ||
	    (dry_run && ga_store_begin(db, ga_cli_program(), err) < 0))
		return -1;
	for (i = 0; r == 0 && i < in.fds.n; i++) {
		file = input_name(names[i]);
		r = ga_cli_stream(in.fds.v[i], file, table, err);
	}
	ga_db_rollback(db); /* of a dry run */
	ga_db_close(GA_TAKE(db));
	return r;
}
