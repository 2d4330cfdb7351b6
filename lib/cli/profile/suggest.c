/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-profile create --from-nodes and --suggest: profiles from the hardware of nodes. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/texts.h"
#include "cli/frame/types.h"
#include "cli/profile/make.h"
#include "decide/place/suggest.h"
#include "record/state.h"
#include "state/capacity/profile.h"
#include "state/capacity/view.h"
#include "state/node/node_facts.h"
#include "state/query/find.h"

/* A node with its view and its facts. */
struct looked {
	struct ga_node_view view;
	struct ga_node_facts facts;
	char *why; /* why no profile can be made from it, or NULL */
};

struct looking {
	struct ga_db *db;
	const struct ga_texts *wanted; /* ids; NULL: all */
	GA_LIST(struct looked) nodes;
};

static void release(struct looking *l)
{
	size_t i;

	for (i = 0; i < l->nodes.n; i++) {
		ga_schema_release(&ga_node_view_schema, &l->nodes.v[i].view);
		ga_node_facts_release(&l->nodes.v[i].facts);
		free(l->nodes.v[i].why);
	}
	ga_list_release(&l->nodes);
}

/* ---- which nodes ---- */

static struct ga_texts *piped; /* collects the nodes of the stream's views */

static int take_view(const struct ga_rec *rec, struct ga_err *err)
{
	struct ga_node_view v;
	int r = 0;

	if (ga_rec_parse(rec, &ga_node_view_schema, &v, err) < 0)
		return -1;
	if (ga_streq(v.source, "discovery"))
		ga_texts_add(piped, v.node);
	else
		r = ga_refuse(err, GA_USAGE, NULL, NULL,
			      ("node '%.64s' is one of Kubernetes: a profile is made from nodes of "
			       "the state", v.node),
			      ("gpuaas-profile nodes --type TYPE --json gives those"));
	ga_schema_release(&ga_node_view_schema, &v);
	return r;
}

int ga_profile_piped(const struct ga_profile_opts *o, char *const *more, int n,
		     struct ga_texts *ret, struct ga_err *err)
{
	static const struct ga_consumer table[] = { { &ga_node_view_schema, take_view },
						    { NULL, NULL } };
	size_t i;
	int j;

	for (i = 0; i < o->from_nodes.n; i++) {
		if (strcmp(o->from_nodes.v[i], "-") != 0) {
			ga_texts_add(ret, o->from_nodes.v[i]);
			continue;
		}
		piped = ret;
		if (ga_cli_stream_from("-", "node views", table, err) < 0)
			return -1;
	}
	for (j = 0; j < n; j++)
		ga_texts_add(ret, more[j]);
	if (o->from_nodes.n && !ret->n)
		return ga_fail(err, GA_NO, "no node came: there is nothing to make a profile from");
	return 0;
}

/* Replaces names with ids, each id once. */
static int resolve(struct ga_db *db, const struct ga_texts *nodes,
		   struct ga_texts *ret, struct ga_err *err)
{
	size_t i, j;

	for (i = 0; i < nodes->n; i++) {
		ga_autofree char *id = NULL;

		if (ga_store_resolve(db, "node", nodes->v[i], &id, NULL, err) < 0)
			return -1;
		for (j = 0; j < ret->n && strcmp(ret->v[j], id) != 0; j++)
			;
		if (j == ret->n)
			*ga_list_add(ret) = GA_TAKE(id);
	}
	return 0;
}

/* ---- hardware of the nodes ---- */

/* The reason why no profile can be made, or NULL. An uncertain type is a reason: otherwise a
 * profile would sell a guess. */
static char *why_not(const struct ga_node_view *v)
{
	ga_autostr struct ga_str may_be = GA_STR_INIT;
	size_t i, j;

	for (i = 0; i < v->types.n; i++) {
		const struct ga_node_type *t = &v->types.v[i];

		if (t->type && t->count != GA_UNKNOWN)
			continue;
		for (j = 0; j < t->may_be.n; j++)
			ga_str_addf(&may_be, "%s%s", j ? " or " : ": it may be ", t->may_be.v[j]);
		return ga_xprintf("what it has is not known: %s%s", t->name, may_be.buf);
	}
	return v->types.n ? NULL : ga_xstrdup("no GPU of it is known");
}

static int look_at(struct ga_node_view *v, void *arg, struct ga_err *err)
{
	struct looking *l = arg;
	struct looked *n;

	if (l->wanted && !ga_texts_has(l->wanted, v->node))
		return 0;
	n = ga_list_add(&l->nodes);
	if (ga_store_node_facts(l->db, v->node, &n->facts, err) < 0)
		return -1;
	n->why = why_not(v);
	n->view = *v;
	memset(v, 0, sizeof(*v));
	return 0;
}

static int look(struct looking *l, const struct ga_accels *list, struct ga_err *err)
{
	return ga_store_node_views(l->db, list, ga_clock_micros(), look_at, l, err);
}

static void fill(const struct looked *from, struct ga_suggest_node *ret)
{
	size_t i;

	*ret = (struct ga_suggest_node){
		.node = from->view.node,
		.mode = from->facts.mode,
		.numa = from->facts.numa,
		.memory_mib = from->facts.memory_mib,
		.hugepage_kib = from->facts.hugepage_kib,
		.vcpus_per_gpu = from->facts.vcpus_per_gpu,
		.memory_mib_per_gpu = from->facts.memory_mib_per_gpu,
	};
	for (i = 0; i < from->view.types.n; i++)
		*ga_list_add(&ret->types) = (struct ga_suggest_type){
			from->view.types.v[i].type, from->view.types.v[i].count,
			from->view.types.v[i].memory_gb };
}

/* Warns if no slot was approved with a type: placement uses the types of the approval. */
static void say_slots(const struct looked *n)
{
	size_t i, j;

	for (i = 0; n->facts.has_slots && i < n->view.types.n; i++) {
		for (j = 0; j < n->facts.slot_types.n; j++)
			if (ga_streq(n->facts.slot_types.v[j], n->view.types.v[i].type))
				break;
		if (j == n->facts.slot_types.n)
			ga_say("%s: no slot of node '%s' was approved as %s: nothing is placed "
			       "there by that type until they are approved again",
			       ga_cli_program(), n->view.node, n->view.types.v[i].type);
	}
}

/* The nodes in the form that decide/place/suggest.h needs; the caller releases it. */
struct shaped {
	struct ga_suggest_node *v;
	size_t n;
};

static void cleanup_shaped(struct shaped *s)
{
	size_t i;

	for (i = 0; i < s->n; i++)
		ga_list_release(&s->v[i].types);
	ga_list_release(s);
}

static void shape_all(const struct looking *l, struct shaped *ret)
{
	size_t i;

	for (i = 0; i < l->nodes.n; i++)
		if (!l->nodes.v[i].why)
			fill(&l->nodes.v[i], ga_list_add(ret));
}

/* ---- --from-nodes ---- */

int ga_profile_from_nodes(struct ga_db *db, const struct ga_profile_opts *o,
			  const struct ga_texts *nodes, struct ga_profile *ret,
			  struct ga_err *err)
{
	ga_cleanup(ga_texts_release) struct ga_texts ids = { NULL, 0 };
	ga_autoaccels struct ga_accels *list = NULL;
	ga_cleanup(release) struct looking l = { .db = db, .wanted = &ids };
	size_t i, j;
	ga_cleanup(cleanup_shaped) struct shaped shaped = { NULL, 0 };
	const char *why;

	if (ga_cli_catalogue(&list, err) < 0 || resolve(db, nodes, &ids, err) < 0 ||
	    look(&l, list, err) < 0)
		return -1;
	for (i = 0; i < l.nodes.n; i++)
		if (l.nodes.v[i].why) {
			const struct looked *n = &l.nodes.v[i];

			return ga_refuse(err, GA_CONFLICT, "type_open", n->view.node,
					 ("node '%s': %.400s", n->view.node, n->why),
					 ("'gpuaas-profile nodes set %s NxTYPE --reason WHY', or "
					  "discover it again",
					  n->view.node));
		}
	for (i = 0; i < ids.n; i++) {
		for (j = 0; j < l.nodes.n; j++)
			if (!strcmp(l.nodes.v[j].view.node, ids.v[i]))
				break;
		if (j == l.nodes.n)
			return ga_fail_for(err, GA_CONFLICT, "wrong_state",
					   "node '%s' is retired: no profile is for it",
					   ids.v[i]);
	}
	shape_all(&l, &shaped);
	why = ga_suggest_profile(shaped.v, shaped.n, o->shape, NULL, ret);
	if (ga_streq(why, "modes"))
		return ga_refuse(err, GA_CONFLICT, "mixed_modes", NULL,
				 ("some of these nodes are for slices and some for baremetal"),
				 ("--shape slice or --shape baremetal, or fewer nodes"));
	if (why)
		return ga_fail(err, GA_NO, "these nodes have no GPU");
	if (ret->types.n > 1 && !o->mixed && !o->types.n) {
		ga_autostr struct ga_str types = GA_STR_INIT;
		size_t k;

		for (k = 0; k < ret->types.n; k++)
			ga_str_addf(&types, "%s%s", k ? ", " : "", ret->types.v[k]);
		return ga_refuse(err, GA_CONFLICT, "mixed_types", NULL,
				 ("these nodes have several types: %.600s", types.buf),
				 ("--mixed takes them in this order of preference; or fewer nodes, "
				  "or --type"));
	}
	for (i = 0; ret->types.n > 1 && !o->types.n && i < ret->types.n; i++)
		ga_say("%s: preference %zu: %s", ga_cli_program(), i + 1, ret->types.v[i]);
	for (i = 0; i < l.nodes.n; i++)
		say_slots(&l.nodes.v[i]);
	return 0;
}

/* ---- --suggest ---- */

struct suggesting {
	const struct ga_profile_opts *o;
	bool lab;
	GA_LIST(struct ga_profile) known; /* stored profiles, then those suggested in this run */
	size_t there;			   /* number of stored profiles in known */
	size_t made;
};

static void cleanup_suggesting(struct suggesting *s)
{
	size_t i;

	for (i = 0; i < s->known.n; i++)
		ga_schema_release(&ga_profile_schema, &s->known.v[i]);
	ga_list_release(&s->known);
}

static int keep_known(const struct ga_schema *schema, const void *obj, void *arg,
		      struct ga_err *err)
{
	struct suggesting *s = arg;

	(void)err;
	ga_schema_copy(schema, obj, ga_list_add(&s->known));
	return 0;
}

static bool taken(const char *name, void *arg)
{
	const struct suggesting *s = arg;
	size_t i;

	for (i = 0; i < s->known.n; i++)
		if (!strcmp(s->known.v[i].name, name))
			return true;
	return false;
}

static const struct ga_profile *covering(const struct suggesting *s, const struct ga_profile *p)
{
	size_t i;

	for (i = 0; i < s->known.n; i++)
		if (ga_suggest_is_covered(p, &s->known.v[i]))
			return &s->known.v[i];
	return NULL;
}

static void say_nodes(const char *what, const char *name, const struct ga_suggest_node *nodes,
		      size_t n)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	size_t i;

	for (i = 0; i < n && i < 8; i++)
		ga_str_addf(&text, "%s%s", i ? ", " : "", nodes[i].node);
	if (n > i)
		ga_str_addf(&text, " and %zu more", n - i);
	ga_say("%s: %s '%s': %s", ga_cli_program(), what, name, text.buf);
}

/* One profile for the nodes of a group: of the type only, or (only NULL) of all their types. */
static int suggest(struct suggesting *s, const struct ga_suggest_node *nodes, size_t n,
		   const char *only, struct ga_err *err)
{
	const struct ga_profile *by;
	ga_autofree char *name = NULL;
	struct ga_profile p;
	int r = 0;

	ga_profile_blank("", s->lab, &p);
	(void)ga_suggest_profile(nodes, n, s->o->shape, only, &p);
	by = covering(s, &p);
	if (!by) {
		name = ga_suggest_name(p.types.v[0], ga_streq(p.shape, "baremetal"), taken, s);
		free(p.name);
		p.name = GA_TAKE(name);
		r = ga_profile_flags(s->o, &p, err);
		if (r == 0)
			r = ga_profile_check(&p, err);
	}
	if (by) {
		say_nodes("covered by profile", by->name, nodes, n);
		ga_schema_release(&ga_profile_schema, &p);
		return 0;
	}
	if (r == 0) {
		say_nodes("suggested for profile", p.name, nodes, n);
		s->made++;
		r = ga_emit(&ga_profile_schema, &p, err);
	}
	*ga_list_add(&s->known) = p;
	return r;
}

/* A slice has one type, so a machine with several types gets a profile for each. */
static int suggest_group(struct suggesting *s, const struct ga_suggest_node *nodes, size_t n,
			 struct ga_err *err)
{
	bool baremetal = ga_streq(s->o->shape ? s->o->shape : nodes[0].mode, "baremetal");
	size_t i;

	if (baremetal)
		return suggest(s, nodes, n, NULL, err);
	for (i = 0; i < nodes[0].types.n; i++)
		if (suggest(s, nodes, n, nodes[0].types.v[i].type, err) < 0)
			return -1;
	return 0;
}

int ga_profile_suggest(const struct ga_profile_opts *o, struct ga_err *err)
{
	ga_cleanup(cleanup_suggesting) struct suggesting s = { .o = o };
	ga_autoaccels struct ga_accels *list = NULL;
	ga_cleanup(release) struct looking l = { 0 };
	ga_autodb struct ga_db *db = NULL;
	ga_cleanup(cleanup_shaped) struct shaped shaped = { NULL, 0 };
	size_t i, first = 0;

	if (ga_cli_catalogue(&list, err) < 0 ||
	    ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0 ||
	    ga_db_begin_read(db, err) < 0)
		return -1;
	l.db = db;
	s.lab = ga_db_is_lab(db);
	if (ga_store_profiles(db, keep_known, &s, err) < 0 || look(&l, list, err) < 0)
		return -1;
	for (i = 0; i < l.nodes.n; i++)
		if (l.nodes.v[i].why)
			ga_say("%s: node '%s' is left out: %s", ga_cli_program(),
			       l.nodes.v[i].view.node, l.nodes.v[i].why);
	shape_all(&l, &shaped);
	(void)ga_suggest_groups(shaped.v, shaped.n);
	for (i = 1; i <= shaped.n; i++) {
		if (i < shaped.n && shaped.v[i].group == shaped.v[first].group)
			continue;
		if (suggest_group(&s, &shaped.v[first], i - first, err) < 0)
			return -1;
		first = i;
	}
	if (s.made && !s.o->price)
		ga_say("%s: their price is 0: --price PRICE gives one to all of them",
		       ga_cli_program());
	return 0;
}
