/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-profile nodes: the accelerators of each node, from the state or from Kubernetes. */
#include "cli/profile/profile.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/frame/cli.h"
#include "cli/frame/types.h"
#include "exchange/kube/view.h"
#include "record/size.h"
#include "state/access/access.h"
#include "state/capacity/view.h"
#include "state/db/audit.h"

struct nodes {
	const struct ga_nodes_opts *o;
	const struct ga_accels *list;
	struct ga_manual_types manual;
	int64_t now;
	GA_LIST(struct ga_node_view) views;
};

/* ---- selection and order ---- */

static bool has_slug(const struct ga_node_view *v, const char *slug)
{
	size_t i, j;

	for (i = 0; i < v->types.n; i++) {
		if (ga_streq(v->types.v[i].type, slug))
			return true;
		for (j = 0; j < v->types.v[i].may_be.n; j++)
			if (!strcmp(v->types.v[i].may_be.v[j], slug))
				return true;
	}
	return false;
}

static bool has_unknown(const struct ga_node_view *v)
{
	size_t i;

	for (i = 0; i < v->types.n; i++)
		if (!v->types.v[i].type)
			return true;
	return false;
}

static bool is_wanted(const struct nodes *n, const struct ga_node_view *v)
{
	size_t i, j;
	bool found = !n->o->types.n;

	if (n->o->unknown && !has_unknown(v))
		return false;
	for (i = 0; !found && i < n->o->types.n; i++) {
		ga_autonamed struct ga_accel_named named = { 0 };

		ga_accels_named(n->list, GA_NAME_PEOPLE, n->o->types.v[i], &named);
		for (j = 0; !found && j < named.types.n; j++)
			found = has_slug(v, named.types.v[j]);
	}
	return found;
}

static int by_node(const void *a, const void *b)
{
	const struct ga_node_view *x = a, *y = b;

	return strcmp(x->node, y->node);
}

/* Sorts the nodes, and warns if the document has one twice: we cannot know which item is right. */
static void warn_of_twins(struct nodes *n)
{
	struct ga_node_view *v = n->views.v;
	size_t i, same;

	if (n->views.n)
		qsort(v, n->views.n, sizeof(*v), by_node);
	for (i = 0; i < n->views.n; i += same) {
		size_t k;

		for (same = 1; i + same < n->views.n && !strcmp(v[i].node, v[i + same].node);)
			same++;
		for (k = i; same > 1 && k < i + same; k++)
			ga_view_warn(&v[k], "node_twice", "%zu items are of node '%s'", same,
				     v[k].node);
	}
}

static int emit_all(struct nodes *n, struct ga_err *err)
{
	ga_autostr struct ga_str filters = GA_STR_INIT;
	size_t i;
	int r = 0;

	warn_of_twins(n);
	ga_cli_add_filter(&filters, "--type", n->o->types.v, n->o->types.n);
	if (n->o->unknown)
		ga_str_add(&filters, " --unknown");
	if (!n->views.n)
		ga_cli_say_none("node", "nodes", filters.buf);
	for (i = 0; i < n->views.n && r == 0; i++)
		r = ga_emit(&ga_node_view_schema, &n->views.v[i], err);
	return r;
}

static void release(struct nodes *n)
{
	size_t i;

	for (i = 0; i < n->views.n; i++)
		ga_schema_release(&ga_node_view_schema, &n->views.v[i]);
	ga_list_release(&n->views);
	ga_manual_types_release(&n->manual);
}

static void keep(struct nodes *n, struct ga_node_view *v)
{
	if (is_wanted(n, v)) {
		*ga_list_add(&n->views) = *v;
		memset(v, 0, sizeof(*v));
	} else {
		ga_schema_release(&ga_node_view_schema, v);
	}
}

/* ---- sources ---- */

static int take_item(json_t *item, size_t number, void *arg, struct ga_err *err)
{
	struct nodes *n = arg;
	struct ga_kube_node node;
	struct ga_node_view v;

	(void)number;
	if (ga_kube_node(item, &node, err) < 0)
		return -1;
	ga_kube_view(n->list, &node, &n->manual, n->now, &v);
	keep(n, &v);
	return 0;
}

static int take_view(struct ga_node_view *v, void *arg, struct ga_err *err)
{
	(void)err;
	keep(arg, v);
	return 0;
}

static int from_kubernetes(struct nodes *n, const char *file, struct ga_err *err)
{
	int fd, r;

	/* Types recorded by hand also count for nodes of Kubernetes. */
	if (ga_cli_manual_types(&n->manual, err) < 0 ||
	    (!strcmp(file, "-") && ga_cli_need_pipe("the nodes", err) < 0))
		return -1;
	fd = ga_cli_open(file, err);
	if (fd < 0)
		return -1;
	r = ga_kube_items(fd, file, take_item, n, err);
	if (fd)
		close(fd);
	return r;
}

static int from_state(struct nodes *n, struct ga_err *err)
{
	ga_autodb_leave struct ga_db *db = NULL;

	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0 ||
	    ga_db_begin_read(db, err) < 0)
		return -1;
	return ga_store_node_views(db, n->list, n->now, take_view, n, err);
}

static int show(const struct ga_nodes_opts *o, const char *file, struct ga_err *err)
{
	ga_autoaccels struct ga_accels *list = NULL;
	struct nodes n = { .o = o, .now = ga_clock_micros() };
	int r;

	if (ga_cli_catalogue(&list, err) < 0)
		return -1;
	n.list = list;
	r = ga_cli_types_known(list, o->types.v, o->types.n, err);
	if (r == 0)
		r = file ? from_kubernetes(&n, file, err) : from_state(&n, err);
	if (r == 0)
		r = emit_all(&n, err);
	release(&n);
	return r;
}

/* ---- by hand ---- */

/* Reads "4xA100-SXM4-40GB" or "nvidia-h200-141gb": a type with an optional count before it. */
static int read_type(const struct ga_accels *list, const char *text, struct ga_manual_type *ret,
		     struct ga_err *err)
{
	ga_autonamed struct ga_accel_named named = { 0 };
	size_t digits = strspn(text, "0123456789");
	const char *name = text;

	ret->count = GA_UNKNOWN;
	if (digits && text[digits] == 'x') {
		ret->count = digits < 9 ? strtol(text, NULL, 10) : 0;
		name = text + digits + 1;
		if (ret->count < 1 || ret->count > GA_MANUAL_COUNT_MAX)
			return ga_fail(err, GA_USAGE, "'%.64s': a node has 1 .. %d of a type", text,
				       GA_MANUAL_COUNT_MAX);
	}
	if (ga_cli_type_named(list, name, &named, err) < 0)
		return -1;
	if (named.types.n > 1)
		return ga_cli_type_several(name, &named, err);
	ret->type = ga_xstrdup(named.types.v[0]);
	return 0;
}

/* *ret is the node's id in the state if text is its complete id or name; else text itself, as the
 * name of a node of Kubernetes. No prefix of an id: such a name may begin like an id. */
static int node_of(struct ga_db *db, const char *text, char **ret, bool *of_state,
		   struct ga_err *err)
{
	const char *p;

	if (ga_store_node_called(db, text, ret, err) < 0)
		return -1;
	*of_state = *ret != NULL;
	if (*ret && strcmp(*ret, text) != 0)
		ga_say("'%s' is node '%s' of the state", text, *ret);
	if (*ret)
		return 0;
	for (p = text; *p && *p > 0x20 && *p != 0x7f; p++)
		;
	if (*p || p == text || p - text > 253)
		return ga_fail(err, GA_USAGE, "'%.64s' is no name of a node", text);
	ga_say("'%s' is no node of the state: it is taken as one of Kubernetes", text);
	*ret = ga_xstrdup(text);
	return 0;
}

struct recorded {
	const char *node;
	struct ga_node_view view; /* zeroes: the state does not have the node */
};

/* Keeps the view of the node, and prints its warnings: a better source may contradict the type
 * recorded by hand. */
static int keep_recorded(struct ga_node_view *v, void *arg, struct ga_err *err)
{
	struct recorded *r = arg;
	size_t i;

	(void)err;
	if (strcmp(v->node, r->node) != 0)
		return 0;
	for (i = 0; i < v->warnings.n; i++)
		ga_say("%s: %s", v->warnings.v[i].code, v->warnings.v[i].sentence);
	r->view = *v;
	*v = (struct ga_node_view){ 0 };
	return 0;
}

static void cleanup_recorded(struct recorded *r)
{
	ga_schema_release(&ga_node_view_schema, &r->view);
}

/* list has the meaning of the types. */
static int record(const struct ga_nodes_opts *o, const struct ga_accels *list, const char *node,
		  const struct ga_manual_types *types, struct ga_err *err)
{
	ga_cleanup(cleanup_recorded) struct recorded r = { 0 };
	ga_autodb struct ga_db *db = NULL;
	ga_autofree char *id = NULL;
	bool of_state;

	ga_audit_program(ga_cli_program());
	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_WRITE, &db, err) < 0 ||
	    ga_db_begin(db, ga_cli_program(), err) < 0 ||
	    node_of(db, node, &id, &of_state, err) < 0)
		return -1;
	r.node = id;
	/* The recorded type becomes the type of slots, and so affects their price. */
	if ((of_state ? ga_store_may_node(db, "administer", id, err) :
			ga_store_may_state(db, "types of nodes", err)) < 0)
		return o->dry_run ? -1 : ga_store_access_note(db, err);
	if (ga_store_set_manual_types(db, id, types->v, types->n, o->reason, err) < 0 ||
	    ga_store_node_views(db, list, ga_clock_micros(), keep_recorded, &r, err) < 0 ||
	    (!o->dry_run && ga_db_commit(db, err) < 0))
		return -1;
	return r.view.node ? ga_emit(&ga_node_view_schema, &r.view, err) : 0;
}

static int set(const struct ga_nodes_opts *o, char *const *args, int n, struct ga_err *err)
{
	ga_automanual struct ga_manual_types types = { NULL, 0 };
	ga_autoaccels struct ga_accels *list = NULL;
	int i;

	if (n < 2)
		return ga_fail(err, GA_USAGE, "nodes set takes a node and its types");
	if (!o->reason)
		return ga_fail(err, GA_USAGE, "--reason is missing: how the type is known");
	if (ga_cli_catalogue(&list, err) < 0)
		return -1;
	for (i = 1; i < n; i++)
		if (read_type(list, args[i], ga_list_add(&types), err) < 0)
			return -1;
	return record(o, list, args[0], &types, err);
}

int ga_cli_nodes(const struct ga_nodes_opts *o, struct ga_err *err)
{
	const struct ga_manual_types none = { NULL, 0 };
	ga_autoaccels struct ga_accels *list = NULL;
	char *const *args;
	int n;

	args = ga_cli_args(&n);
	if (n && !strcmp(args[0], "set"))
		return set(o, args + 1, n - 1, err);
	if (n && !strcmp(args[0], "clear")) {
		if (n != 2)
			return ga_fail(err, GA_USAGE, "nodes clear takes one node");
		if (ga_cli_catalogue(&list, err) < 0)
			return -1;
		return record(o, list, args[1], &none, err);
	}
	if (n > 1)
		return ga_fail(err, GA_USAGE, "unexpected operand '%.64s'", args[1]);
	return show(o, n ? args[0] : NULL, err);
}
