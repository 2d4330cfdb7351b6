/* SPDX-License-Identifier: Apache-2.0 */
/* Completion: the option tables and the synopsis say what may follow; gpuaas-list knows the
 * objects. */
#include "cli/frame/complete.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/proc.h"
#include "base/vec.h"
#include "catalog/throughput.h"
#include "cli/frame/cell.h"
#include "cli/frame/form.h"
#include "cli/frame/help.h"
#include "cli/frame/table_views.h"
#include "cli/frame/ways.h"

/* Objects whose names another program knows. */
struct objects {
	const char *ask[2];  /* program and its operand */
	const char *where;   /* a condition, or NULL */
	const char *id, *name;	/* members with what people type; name may be NULL; id NULL: each
				 * line is a word, and no record */
	const char *about[4];	/* members that describe the object */
	const char *aliases;	/* a list of other names, in lower case; NULL: none */
	const char *more[2];	/* options of the program */
	bool of_operand;	/* only those about the object that is the first operand */
};

#define OBJECTS(var, kind, member, ...) \
	static const struct objects var = { .ask = { "gpuaas-list", kind }, .id = (member), \
					    .about = { __VA_ARGS__ } }
OBJECTS(all_slots, "slots", "slot", "node", "slot_index", "state", "type_name");
static const struct objects slots = {
	.ask = { "gpuaas-list", "slots" }, .id = "slot",
	.about = { "node", "slot_index", "state", "type_name" },
	.where = "state!=retired", /* no command takes one that is */
};
OBJECTS(disks, "slots", "nvme_wwid", "node", "slot", "state");
OBJECTS(images, "images", "name", "probe", "features");
OBJECTS(apps, "apps", "name", "title");
OBJECTS(teams, "teams", "name", "note");
OBJECTS(regions, "regions", "name", "title");
OBJECTS(pools, "nodes", "pool", NULL);
OBJECTS(projects, "allocations", "project", NULL);
OBJECTS(proposals, "proposals", "proposal", "action", "object", "state");
OBJECTS(windows, "maintenance", "maintenance", "node", "state", "from");
static const struct objects nodes = { .ask = { "gpuaas-list", "nodes" }, .id = "node",
				      .name = "name", .about = { "state", "mode", "region" } };
static const struct objects allocations = {
	.ask = { "gpuaas-list", "allocations" }, .id = "allocation", .name = "name",
	.about = { "state", "project", "profile", "node" },
};
static const struct objects live = {
	.ask = { "gpuaas-list", "allocations" }, .id = "allocation", .name = "name",
	.about = { "state", "project", "profile", "node" },
	.where = "state!=released,cancelled,refused", /* what gpuaas-release can end */
};
/* Users who cannot read the state get the published view. */
static const struct objects profiles = { .ask = { "gpuaas-profile", "list" }, .id = "name",
					 .about = { "summary" } };
static const struct objects types = { .ask = { "gpuaas-profile", "catalog" }, .id = "slug",
				      .about = { "name" }, .aliases = "aliases" };
static const struct objects host_images = { .ask = { "gpuaas-image", "list" }, .id = "image",
					    .about = { "path" } };

/* The objects that gpuaas-state acknowledge takes; --remove takes acknowledged ones. */
static const struct objects entries = { .ask = { "gpuaas-list", "attention" }, .id = "object",
					.about = { "code", "state" }, .more = { "--all" } };
static const struct objects entry_codes = { .ask = { "gpuaas-list", "attention" }, .id = "code",
					    .about = { "sentence" }, .more = { "--all" },
					    .of_operand = true };
static const struct objects scenarios = { .ask = { "gpuaas-validate", "list" }, .id = "id",
					  .about = { "title" } };

/* Not records: a word a line. */
static const struct objects evidence = { .ask = { "gpuaas-wipe", "--list" } };
static const struct objects explained = { .ask = { "gpuaas-explain", "--list" } };

static const char *const modes[] = { "slice", "baremetal", NULL };

/* The meanings of the words of --help. */
struct meaning {
	const char *word, *means;
	const struct objects *objects[5];
	const char *const *values; /* the only words */
	const char *command; /* only in this command; NULL: everywhere */
};

static const struct meaning meanings[] = {
	{ "OBJECT", "object", { &entries }, NULL, "acknowledge" },
	{ "CODE", "code", { &entry_codes }, NULL, "acknowledge" },
	{ "NODE", "node", { &nodes }, NULL, NULL },
	{ "SLOT", "slot", { &slots }, NULL, NULL },
	{ "WWID", "disk", { &disks }, NULL, NULL },
	{ "ALLOCATION", "allocation", { &live }, NULL, NULL },
	{ "OBJECT", "object", { &allocations, &nodes, &all_slots, &teams, &apps }, NULL, NULL },
	{ "PROFILE", "profile", { &profiles }, NULL, NULL },
	{ "TYPE", "type", { &types }, NULL, NULL },
	{ "IMAGE", "image", { &images, &host_images }, NULL, NULL },
	{ "APP", "app", { &apps }, NULL, NULL },
	{ "TEAM", "team", { &teams }, NULL, NULL },
	{ "REGION", "region", { &regions }, NULL, NULL },
	{ "POOL", "pool", { &pools }, NULL, NULL },
	{ "PROJECT", "project", { &projects }, NULL, NULL },
	{ "SCENARIO", "scenario", { &scenarios }, NULL, NULL },
	{ "PROPOSAL", "proposal", { &proposals }, NULL, NULL },
	{ "MAINTENANCE", "maintenance", { &windows }, NULL, NULL },
	{ "EVIDENCE", "evidence", { &evidence }, NULL, NULL },
	{ "WORD", "explained", { &explained }, NULL, NULL },
	{ "MODE", "mode", { NULL }, modes, NULL },
	{ "MODEL", "model", { NULL }, NULL, NULL },
	{ "TECHNOLOGY", "technology", { NULL }, NULL, NULL },
	{ "KIND", "kind", { NULL }, NULL, NULL },
	{ "CONDITION", "condition", { NULL }, NULL, NULL },
	{ "[-]MEMBER", "member", { NULL }, NULL, NULL },
	{ "MEMBER", "member", { NULL }, NULL, NULL },
	{ "COLUMN", "column", { NULL }, NULL, NULL },
	{ "PROGRAM", "program", { NULL }, NULL, NULL },
	{ "COMMAND", "command", { NULL }, NULL, NULL },
	{ "FILE", "file", { NULL }, NULL, NULL },
	{ "PATH", "file", { NULL }, NULL, NULL },
	{ "FOLDER", "folder", { NULL }, NULL, NULL },
	{ "DIR", "folder", { NULL }, NULL, NULL },
};

/* Words whose values nobody can list, with what they mean. */
static const char *const free_words[][2] = {
	{ "NAME", "text" }, { "TEXT", "text" }, { "ARGUMENT", "text" }, { "N", "number" },
	{ "INDEX", "number" }, { "SIZE", "size" }, { "SIZE:N", "size" }, { "TIME", "time" },
	{ "DURATION", "duration" }, { "ID", "text" }, { "KEY", "text" }, { "DIGEST", "digest" },
	{ "VERSION", "text" }, { "LOGIN", "text" }, { "ADDRESS", "address" },
	{ "ADDRESS:PORT", "address" }, { "NETWORK", "address" }, { "CPUS", "cpus" },
	{ "PORT", "number" }, { "PRICE", "price" }, { "CODE", "text" }, { "X.Y", "text" },
	{ "SEARCH", "text" }, { "INTERFACE", "text" }, { "type=TYPE", "text" },
};

/* The word under the cursor, and the words before it. */
struct cursor {
	const struct ga_prog *prog;
	const struct ga_cmd *cmd;
	const char *begin;	     /* what is typed of the word */
	const struct ga_opt *option; /* the word is its value; NULL: it is not */
	char *const *operands;	     /* before it, in the memory of the caller */
	int n_operands;
	const char *state;   /* of --state, or NULL */
	bool only_operands;  /* after "--" */
};

static bool plain(const char *word)
{
	return !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789._:/@=,+-")];
}

/* A name may come from outside: a word that a shell would change or run is never offered. */
void ga_cli_offer(const char *word, const char *description, const char *begin)
{
	ga_autofree char *text = NULL;

	if (!ga_starts(word, begin) || !plain(word + strlen(begin)))
		return;
	text = ga_xstrdup(description ? description : "");
	printf("%s\t%s\n", word, ga_printable(text));
}

static void instruct(const char *what)
{
	printf("\t%s\n", what);
}

/* ---- objects ---- */

/* The settings of this program, for the other one: programs get a clean environment. */
static void add_environment(const struct cursor *c, struct ga_texts *env)
{
	char *const *e;

	for (e = environ; *e; e++)
		if (ga_starts(*e, "GPUAAS_") &&
		    !(c->state && ga_starts(*e, "GPUAAS_STATE=")))
			*(char **)ga_list_add(env) = ga_xstrdup(*e);
	if (c->state)
		*(char **)ga_list_add(env) = ga_xprintf("GPUAAS_STATE=%s", c->state);
	*(char **)ga_list_add(env) = NULL;
}

/* All that the other program says, one record a line; empty when it fails. */
static void ask(const struct cursor *c, const struct objects *o, struct ga_str *ret)
{
	ga_autofree char *program = ga_cli_beside(o->ask[0]);
	ga_autofree char *of = o->of_operand && c->n_operands ?
			       ga_xprintf("object=%s", c->operands[0]) : NULL;
	const char *where = of ? of : o->where;
	const char *argv[9] = { program, o->ask[1] };
	size_t n = 2, i;
	struct ga_texts env = { 0 };
	ga_autoproc struct ga_proc_result result = GA_PROC_RESULT_INIT;
	struct ga_err ignored = GA_ERR_INIT;

	if (o->id) {
		argv[n++] = "-o";
		argv[n++] = "json";
	}
	for (i = 0; i < GA_ARRAY_SIZE(o->more) && o->more[i]; i++)
		argv[n++] = o->more[i];
	if (where) {
		argv[n++] = "--where";
		argv[n++] = where;
	}
	add_environment(c, &env);
	if (ga_proc_run(&(struct ga_proc){ .argv = argv, .env = (const char *const *)env.v,
					   .timeout_micros = 3 * GA_SECOND, .ends_with_us = true },
			&result, &ignored) == 0)
		ga_str_add(ret, result.out.buf);
	ga_texts_release(&env);
}

static bool is_new(struct ga_texts *seen, const char *word)
{
	size_t i;

	for (i = 0; i < seen->n; i++)
		if (!strcmp(seen->v[i], word))
			return false;
	*(char **)ga_list_add(seen) = ga_xstrdup(word);
	return true;
}

/* The text of members of the record, separated by spaces. */
static void describe(json_t *json, const char *const *members, size_t n, struct ga_str *out)
{
	size_t i;

	for (i = 0; i < n && members[i]; i++) {
		if (!ga_cell_member(json, members[i]) ||
		    json_is_null(ga_cell_member(json, members[i])))
			continue;
		if (out->len)
			ga_str_add(out, " ");
		ga_cell_show(json, members[i], 0, out);
	}
}

static void offer_name(const char *name, const char *about, const char *before, const char *begin,
		       struct ga_texts *seen)
{
	ga_autofree char *word = name ? ga_xprintf("%s%s", before, name) : NULL;

	if (word && is_new(seen, word))
		ga_cli_offer(word, about, begin);
}

static void offer_objects(const struct cursor *c, const struct objects *o, const char *before,
			  const char *begin, struct ga_texts *seen)
{
	ga_autostr struct ga_str said = GA_STR_INIT;
	char *line, *save = NULL, *p;
	json_t *alias;
	size_t i;

	ask(c, o, &said);
	for (line = said.buf ? strtok_r(said.buf, "\n", &save) : NULL; line;
	     line = strtok_r(NULL, "\n", &save)) {
		ga_autostr struct ga_str about = GA_STR_INIT;
		ga_autojson json_t *json = o->id ? json_loads(line, 0, NULL) : NULL;
		ga_autofree char *of_id = NULL;
		const char *name;

		if (!o->id)
			offer_name(line, NULL, before, begin, seen);
		if (!json)
			continue;
		describe(json, o->about, GA_ARRAY_SIZE(o->about), &about);
		name = o->name ? json_string_value(ga_cell_member(json, o->name)) : NULL;
		offer_name(name, about.buf, before, begin, seen);
		/* zsh shows words with the same description on one line, and these are many. */
		of_id = ga_xprintf("%s%s%s", name ? name : "", name ? " " : "",
				   about.buf ? about.buf : "");
		offer_name(json_string_value(ga_cell_member(json, o->id)), of_id, before, begin,
			   seen);
		/* Of reasons, such as blockers, the codes. */
		json_array_foreach(ga_cell_member(json, o->id), i, alias)
			offer_name(json_string_value(json_is_object(alias) ?
							     json_object_get(alias, "code") :
							     alias),
				   NULL, before, begin, seen);
		/* Other names only help somebody who began to type one. */
		json_array_foreach(o->aliases && begin[strlen(before)] ?
				   ga_cell_member(json, o->aliases) : NULL, i, alias) {
			ga_autofree char *other = ga_xstrdup(json_string_value(alias));

			for (p = other; *p; p++)
				*p = (char)tolower((unsigned char)*p);
			offer_name(other, about.buf, before, begin, seen);
		}
	}
}

/* ---- members ---- */

static bool is_kind(const char *word, const char *kind)
{
	size_t len = strlen(kind);

	return !strncmp(word, kind, len) && (!word[len] || !strcmp(word + len, "s"));
}

const struct ga_schema *ga_cli_listed(const struct ga_prog *prog, const char *word)
{
	const struct ga_schema *const *k;
	const char *dash;
	char name[32];

	for (k = prog->produces; k && *k; k++)
		if (is_kind(word, ga_kind_short(*k, name)))
			return *k;
	for (k = prog->produces; k && *k; k++)
		for (dash = strchr(ga_kind_short(*k, name), '-'); dash;
		     dash = strchr(dash + 1, '-'))
			if (is_kind(word, dash + 1))
				return *k;
	return NULL;
}

/* The kinds of records whose members can be meant: that of the operand KIND, else all that the
 * program writes. NULL-terminated. */
static const struct ga_schema *const *schemas(const struct cursor *c)
{
	static const struct ga_schema *one[2];
	static const struct ga_schema *const none[] = { NULL };

	if (c->prog->kinds && c->n_operands)
		one[0] = ga_cli_listed(c->prog, c->operands[0]);
	if (one[0])
		return one;
	return c->prog->produces ? c->prog->produces : none;
}

/* The kind that a condition is about; NULL: not known before the operand KIND. */
static const struct ga_schema *condition_on(const struct cursor *c)
{
	if (c->prog->condition_on)
		return c->prog->condition_on;
	return c->prog->kinds && c->n_operands ? ga_cli_listed(c->prog, c->operands[0]) : NULL;
}

/* kinds is NULL-terminated. */
static void offer_members(const struct ga_schema *const *kinds, const char *before,
			  const char *after, const char *begin, struct ga_texts *seen)
{
	const struct ga_schema *const *s;
	const struct ga_field *f;

	for (s = kinds; *s; s++) {
		for (f = (*s)->fields; f->name; f++) {
			ga_autofree char *name = ga_xprintf("%s%s", f->name, after);

			offer_name(name, f->doc, before, begin, seen);
		}
	}
	if (*after)
		instruct("nospace");
}

/* "KIND.MEMBER.": its members. */
static void offer_members_of(const char *begin, struct ga_texts *seen)
{
	const char *path, *point = strrchr(begin, '.');
	ga_autofree char *parent = ga_xstrndup(begin, (size_t)(point - begin));
	ga_autofree char *before = ga_xprintf("%s.", parent);
	const struct ga_schema *one[] = { ga_kind_named(parent, &path), NULL };
	const struct ga_field *f;

	if (one[0] && *path) {
		f = ga_schema_member(one[0], path + 1);
		one[0] = f ? f->sub : NULL;
	}
	offer_members(one, before, "", begin, seen);
}

/* The titles of the columns as --columns takes them, and the other members. */
static void offer_columns(const struct cursor *c, const char *before, const char *begin,
			  struct ga_texts *seen)
{
	const struct ga_schema *const *s;
	char *p;

	for (s = schemas(c); *s; s++) {
		const struct ga_view *view = ga_view_of(*s);
		const struct ga_column *column = view ? view->columns : NULL;

		for (; column && column->title; column++) {
			ga_autofree char *name = ga_xstrdup(column->title);

			for (p = name; *p; p++)
				*p = *p == ' ' ? '_' : (char)tolower((unsigned char)*p);
			offer_name(name, column->path, before, begin, seen);
		}
	}
	offer_members(schemas(c), before, "", begin, seen);
}

/* "[-]MEMBER" */
static void offer_sorts(const struct cursor *c, const char *before, const char *begin,
			struct ga_texts *seen)
{
	ga_autofree char *minus = ga_xprintf("%s-", before);

	offer_members(schemas(c), ga_starts(begin, minus) ? minus : before, "", begin, seen);
}

static const struct ga_field *member(const struct ga_schema *schema, const char *name, size_t len)
{
	const struct ga_field *f;

	for (f = schema->fields; f->name; f++)
		if (strlen(f->name) == len && !strncmp(f->name, name, len))
			return f;
	return NULL;
}

static const struct meaning *find_meaning(const struct cursor *c, const char *word, size_t len);
static void offer_meaning(const struct cursor *c, const char *word, size_t len, const char *before,
			  const char *begin);

static void offer_words(const char *const *values, const char *before, const char *begin)
{
	for (; values && *values; values++) {
		ga_autofree char *word = ga_xprintf("%s%s", before, *values);

		ga_cli_offer(word, NULL, begin);
	}
}

const char *ga_cli_member_means(const struct ga_schema *schema, const struct ga_field *field)
{
	static const char *const members[][2] = {
		{ "node", "node" }, { "slot", "slot" }, { "slots", "slot" },
		{ "allocation", "allocation" }, { "held_by", "allocation" },
		{ "profile", "profile" }, { "profiles", "profile" },
		{ "image", "image" }, { "region", "region" }, { "pool", "pool" },
		{ "pools", "pool" }, { "project", "project" }, { "projects", "project" },
		{ "team", "team" }, { "teams", "team" }, { "app", "app" },
		{ "accelerator_type", "type" }, { "type", "type" }, { "types", "type" },
		{ "type_name", "type" },
	};
	/* Nodes and allocations have ids; of these kinds the name is the key. */
	static const char *const named[] = { "profile", "image", "region", "team", "app" };
	char kind[32] = "";
	size_t i;

	if ((field->type != GA_F_TEXT && field->type != GA_F_TEXTS) || field->values)
		return NULL;
	for (i = 0; i < GA_ARRAY_SIZE(members); i++)
		if (ga_streq(field->name, members[i][0]))
			return members[i][1];
	if (schema && schema->kind && ga_streq(field->name, "name"))
		ga_kind_short(schema, kind);
	for (i = 0; i < GA_ARRAY_SIZE(named); i++)
		if (ga_streq(kind, named[i]))
			return named[i];
	return NULL;
}

/* The words and codes that records of the kind have as this member. */
static void offer_known(const struct cursor *c, const struct ga_schema *schema,
			const struct ga_field *f, const char *before, const char *begin,
			struct ga_texts *seen)
{
	const struct ga_view *view = ga_view_of(schema);
	char name[32];
	struct objects known = {
		.ask = { "gpuaas-list", c->prog->condition_on ? ga_kind_short(schema, name) :
							       c->operands[0] },
		.id = f->name,
		/* A history can be long. */
		.more = { "--limit=1000", view && ga_view_is_history(view) ? "--newest" : NULL },
	};

	if (f->type == GA_F_LIST || f->format == GA_T_CODE || f->format == GA_T_WORD ||
	    f->format == GA_T_NAME)
		offer_objects(c, &known, before, begin, seen);
}

/* A condition: first the members, then the closed values, or the objects that the member
 * names. before is the text in front of the condition ("--where="). */
static void offer_condition(const struct cursor *c, const char *before, const char *begin,
			    struct ga_texts *seen)
{
	static const char *const yes_no[] = { "true", "false", NULL };
	const char *condition = begin + strlen(before), *p = condition + strcspn(condition, "=!<>");
	const struct ga_schema *const kinds[] = { condition_on(c), NULL };
	ga_autofree char *up_to_value = NULL;
	const struct ga_field *f;

	if (!*p)
		offer_members(kinds, before, "=", begin, seen);
	if (!*p || !kinds[0])
		return;
	f = member(kinds[0], condition, (size_t)(p - condition));
	p += strspn(p, "=!<>");
	/* Several values are separated by commas. */
	if (strrchr(p, ','))
		p = strrchr(p, ',') + 1;
	up_to_value = ga_xstrndup(begin, (size_t)(p - begin));
	if (f && f->type == GA_F_TEXT && f->values) {
		offer_words(f->values, up_to_value, begin);
	} else if (f && (f->type == GA_F_BOOL || f->type == GA_F_TRI)) {
		offer_words(yes_no, up_to_value, begin);
	} else if (f) {
		const char *means = ga_cli_member_means(kinds[0], f);
		ga_autofree char *word = ga_xstrdup(means ? means : f->name);
		char *q;

		for (q = word; *q; q++)
			*q = (char)toupper((unsigned char)*q);
		if (find_meaning(c, word, strlen(word)))
			offer_meaning(c, word, strlen(word), up_to_value, begin);
		else if (f->type == GA_F_TEXT || f->type == GA_F_TEXTS || f->type == GA_F_LIST)
			offer_known(c, kinds[0], f, up_to_value, begin, seen);
	}
}

/* ---- what a word of --help means ---- */

static const struct meaning *find_meaning(const struct cursor *c, const char *word, size_t len)
{
	const char *command = c && c->cmd ? c->cmd->name : NULL;
	const struct meaning *m;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(meanings); i++) {
		m = &meanings[i];
		if (strlen(m->word) == len && !strncmp(m->word, word, len) &&
		    (!m->command || ga_streq(m->command, command)))
			return m;
	}
	return NULL;
}

static void offer_kinds(const struct ga_prog *prog, const char *begin)
{
	const char *const *k;

	for (k = prog->kinds; k && *k; k++) {
		const struct ga_schema *schema = ga_cli_listed(prog, *k);

		ga_cli_offer(*k, schema ? schema->doc : NULL, begin);
	}
}

/* The models that were measured (catalog/throughput.h). */
static void offer_models(const char *before, const char *begin, struct ga_texts *seen)
{
	struct ga_throughput t;
	size_t i;

	ga_throughput_read(&t);
	for (i = 0; i < t.models.n; i++)
		offer_name(t.models.v[i].model, NULL, before, begin, seen);
	ga_throughput_release(&t);
}

static void offer_meaning(const struct cursor *c, const char *word, size_t len, const char *before,
			  const char *begin)
{
	const struct meaning *m = find_meaning(c, word, len);
	struct ga_texts seen = { 0 };
	size_t i;

	if (!m)
		return;
	offer_words(m->values, before, begin);
	for (i = 0; i < GA_ARRAY_SIZE(m->objects) && m->objects[i]; i++)
		offer_objects(c, m->objects[i], before, begin, &seen);
	if (ga_streq(m->means, "kind"))
		offer_kinds(c->prog, begin);
	else if (ga_streq(m->means, "model"))
		offer_models(before, begin, &seen);
	else if (ga_streq(m->means, "condition"))
		offer_condition(c, before, begin, &seen);
	else if (ga_streq(m->means, "member"))
		offer_sorts(c, before, begin, &seen);
	else if (ga_streq(m->means, "column"))
		offer_columns(c, before, begin, &seen);
	else if (ga_streq(m->means, "explained") && strchr(begin, '.'))
		offer_members_of(begin, &seen);
	else if (ga_streq(m->means, "file"))
		instruct("files");
	else if (ga_streq(m->means, "folder"))
		instruct("folders");
	else if (ga_streq(m->means, "command"))
		instruct("commands");
	ga_texts_release(&seen);
}

/* The alternatives of a word ("FILE|KEY"). */
static void offer_alternatives(const struct cursor *c, const char *word, const char *before,
			       const char *begin)
{
	size_t len;

	for (; *word; word += len + (word[len] == '|')) {
		len = strcspn(word, "|");
		offer_meaning(c, word, ga_word_bare(word, len), before, begin);
	}
}

/* ---- operands ---- */

/* The line of a word that is typed as it is, or NULL. */
static const char *line_of(const struct ga_prog *prog, const char *word)
{
	const char *const(*l)[2];

	for (l = prog->lines; l && (*l)[0]; l++)
		if (ga_streq((*l)[0], word))
			return (*l)[1];
	return NULL;
}

/* false: no operand can stand here. */
static bool offer_operands(const struct cursor *c)
{
	const char *args = c->cmd ? c->cmd->args : c->prog->args;
	struct ga_way ways[GA_WAYS_MAX];
	size_t i, n = ga_ways_parse(args, ways), k = (size_t)c->n_operands;
	bool any = false;

	for (i = 0; i < n; i++) {
		const struct ga_way *w = &ways[i];
		size_t at = k < w->words.n ? k : w->again ? w->words.n - 1 : w->words.n;

		if (at == w->words.n ||
		    (k && ga_word_is_literal(w->words.v[0]) &&
		     strcmp(w->words.v[0], c->operands[0])))
			continue;
		any = true;
		if (ga_word_is_literal(w->words.v[at]))
			ga_cli_offer(w->words.v[at], line_of(c->prog, w->words.v[at]), c->begin);
		else
			offer_alternatives(c, w->words.v[at], "", c->begin);
	}
	ga_ways_release(ways, n);
	return any;
}

const char *ga_cli_meaning(const char *word)
{
	size_t len = ga_word_bare(word, strcspn(word, "|"));
	const struct meaning *m = find_meaning(NULL, word, len);
	size_t i;

	for (i = 0; !m && i < GA_ARRAY_SIZE(free_words); i++)
		if (strlen(free_words[i][0]) == len && !strncmp(free_words[i][0], word, len))
			return free_words[i][1];
	return m ? m->means : NULL;
}

/* ---- the command line ---- */

static void offer_options(const struct cursor *c)
{
	const struct ga_opt *const *t = ga_cli_tables(c->prog, c->cmd);
	const struct ga_opt *o;

	for (; *t; t++) {
		for (o = *t; o->name; o++) {
			ga_autofree char *word = ga_xprintf("--%s", o->name);

			if (ga_cli_is_offered(c->prog, c->cmd, o))
				ga_cli_offer(word, o->help, c->begin);
		}
	}
}

/* Whether the command or KIND of the line has the forms that only this program has. */
static bool has_forms(const struct cursor *c)
{
	const char *of = c->cmd ? c->cmd->name : c->n_operands ? c->operands[0] : NULL;

	return !c->prog->forms_of || !of || ga_streq(of, c->prog->forms_of);
}

static void offer_value(const struct cursor *c, const struct ga_opt *o, const char *before)
{
	ga_autofree char *up_to_last = NULL;
	const char *last = strrchr(c->begin + strlen(before), ',');

	/* "TEAM,…": after a comma comes the next one. */
	if (last && strstr(o->arg, ",…"))
		before = up_to_last = ga_xstrndup(c->begin, (size_t)(last + 1 - c->begin));
	if (!ga_cli_is_offered(c->prog, c->cmd, o))
		return;
	if (o->short_name == 'o' && !has_forms(c))
		offer_words(ga_form_words, before, c->begin);
	else if (o->values)
		offer_words(o->values, before, c->begin);
	else if (o->type == GA_O_TEXT || o->type == GA_O_TEXTS || o->type == GA_O_PATH)
		offer_alternatives(c, o->arg, before, c->begin);
}

/* The option of a word before the cursor; *value: its value stands in the same word. */
static const struct ga_opt *option_of(const struct cursor *c, const char *word, bool *value)
{
	bool is_long = word[1] == '-';
	size_t len = is_long ? strcspn(word + 2, "=") : 1;

	*value = is_long ? word[2 + len] == '=' : word[2] != '\0';
	return ga_cli_find_opt(c->prog, c->cmd, is_long ? word + 2 : NULL, len,
			       is_long ? 0 : word[1]);
}

static void read_words(struct cursor *c, char *const *words, int n, char **operands)
{
	const struct ga_cmd *cmd;
	bool has_value;
	int i;

	for (i = 0; i < n - 1; i++) {
		const char *word = words[i];

		if (!c->only_operands && ga_streq(word, "--")) {
			c->only_operands = true;
		} else if (!c->only_operands && word[0] == '-' && word[1]) {
			const struct ga_opt *o = option_of(c, word, &has_value);

			if (!o || o->type == GA_O_FLAG)
				continue;
			if (!has_value && i + 1 == n - 1)
				c->option = o;
			if (ga_streq(o->name, "state"))
				c->state = has_value ? strchr(word, '=') + 1 : words[i + 1];
			i += !has_value;
		} else if (c->prog->cmds && !c->cmd) {
			for (cmd = c->prog->cmds; cmd->name; cmd++)
				if (ga_streq(cmd->name, word))
					c->cmd = cmd;
		} else {
			operands[c->n_operands++] = words[i];
			c->only_operands = c->only_operands || c->prog->runs_command;
		}
	}
}

/* The word belongs to the command line of another program, which answers for it. */
static void complete_for(char *const *operands, int n, const char *begin)
{
	ga_autofree char *program = strchr(operands[0], '/') ? NULL : ga_cli_beside(operands[0]);
	ga_autofree const char **argv = ga_xcalloc((size_t)n + 3, sizeof(*argv));
	int i;

	if (!program)
		return;
	argv[0] = program;
	argv[1] = GA_COMPLETE;
	for (i = 1; i < n; i++)
		argv[1 + i] = operands[i];
	argv[1 + n] = begin;
	ga_proc_exec(argv, environ);
}

void ga_cli_complete(const struct ga_prog *prog, char *const *words, int n)
{
	ga_autofree char **operands = ga_xcalloc((size_t)n + 1, sizeof(*operands));
	struct cursor c = { .prog = prog, .begin = n ? words[n - 1] : "", .operands = operands };
	const struct ga_cmd *cmd;
	bool has_value = false;

	read_words(&c, words, n, operands);
	if (c.option) {
		offer_value(&c, c.option, "");
	} else if (!c.only_operands && c.begin[0] == '-' && c.begin[1]) {
		const struct ga_opt *o = option_of(&c, c.begin, &has_value);
		ga_autofree char *before = ga_xstrndup(c.begin, strcspn(c.begin, "=") + 1);

		if (!has_value)
			offer_options(&c);
		else if (o && o->type != GA_O_FLAG && c.begin[1] == '-')
			offer_value(&c, o, before);
	} else if (!c.only_operands && c.begin[0] == '-') {
		offer_options(&c);
	} else if (prog->cmds && !c.cmd) {
		for (cmd = prog->cmds; cmd->name; cmd++)
			ga_cli_offer(cmd->name, cmd->abstract, c.begin);
	} else if (prog->runs_command && c.n_operands && ga_starts(operands[0], "gpuaas-")) {
		complete_for(operands, c.n_operands, c.begin);
	} else if (!offer_operands(&c) && !c.only_operands) {
		offer_options(&c);
	}
}
