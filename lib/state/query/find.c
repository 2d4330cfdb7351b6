/* SPDX-License-Identifier: Apache-2.0 */
/* Finds an object by the text that a person types: an id, a name, or a unique prefix of an id. */
#include <string.h>

#include "state/db/fsm.h"
#include "state/db/near.h"
#include "state/db/row.h"
#include "state/query/find.h"

/*
 * Names of live allocations come first: the name of an ended allocation may have a new owner, and
 * else means the newest one that had it. The prefix is a range of ids, so that the index of the
 * keys finds it. rank: 0 id, 1 name, 2 name of an ended allocation, 3 prefix, 4 team, grant,
 * proposal or app. A prefix comes after the name of an ended allocation: "gpuaas-release job" a
 * second time must not end another allocation whose id begins with "job".
 */
#define FINDING \
	"SELECT 'allocation' AS k, id, CASE WHEN id = ?1 THEN 0 WHEN name = ?1 THEN 1 ELSE 3 END " \
	"AS rank FROM allocation WHERE id >= ?1 AND id < ?1 || '~' OR name = ?1 " \
	"AND state NOT IN " GA_SQL_ENDED " " \
	"UNION ALL SELECT 'slot', id, CASE WHEN id = ?1 THEN 0 ELSE 3 END FROM slot " \
	"WHERE id >= ?1 AND id < ?1 || '~' " \
	"UNION ALL SELECT 'node', id, CASE WHEN id = ?1 THEN 0 WHEN name = ?1 THEN 1 ELSE 3 END " \
	"FROM node WHERE id >= ?1 AND id < ?1 || '~' OR name = ?1 " \
	"UNION ALL SELECT * FROM (SELECT 'allocation', id, 2 FROM allocation WHERE name = ?1 " \
	"AND state IN " GA_SQL_ENDED " ORDER BY created_at DESC LIMIT 1) e " \
	"UNION ALL SELECT 'team', name, 4 FROM team WHERE name = ?1 " \
	"UNION ALL SELECT 'grant', name, 4 FROM access_grant WHERE name = ?1 " \
	"UNION ALL SELECT 'proposal', id, 4 FROM proposal WHERE id = ?1 " \
	"UNION ALL SELECT 'app', name, 4 FROM app WHERE name = ?1 AND current = 1"

enum { PREFIX = 3 }; /* of the ranks */

/* Objects that gpuaas-show does not show, and names that nodes have. */
#define LISTED \
	"SELECT 'profile' AS k, name FROM profile UNION ALL SELECT 'image', name FROM image " \
	"UNION ALL SELECT 'region', name FROM region UNION ALL SELECT 'region', region FROM node " \
	"UNION ALL SELECT 'pool', n.pool FROM node n JOIN slot s ON s.node_id = n.id " \
	"WHERE s.retired = 0"
/* The words behind gpuaas-list that list the objects of the kind k with the name ?1. */
#define WORDS \
	"CASE k WHEN 'evidence' THEN 'evidence --where evidence=' " \
	"WHEN 'pool' THEN 'pools --where pool=' ELSE k || 's --where name=' END || ?1"

static const char *word(const char *kind)
{
	static const char *const words[] = { "allocation", "slot",     "node", "team",
					     "grant",	   "proposal", "app" };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(words); i++)
		if (ga_streq(words[i], kind))
			return words[i];
	return NULL;
}

static int unknown(struct ga_db *db, const char *kind, const char *text, struct ga_err *err)
{
	ga_autofree char *near = ga_db_near(db, kind, text), *other = NULL;
	struct ga_err ignored = GA_ERR_INIT;

	if (!kind && ga_db_one(db, &ignored,
			       "SELECT " WORDS " FROM (" LISTED ") listed WHERE name = ?1 LIMIT 1",
			       "sS", text, &other) > 0)
		return ga_refuse(err, GA_NOTFOUND, NULL, text, ("there is no object '%s'", text),
				 ("'gpuaas-list %s' shows what has that name", other));
	if (!kind)
		return ga_refuse(err, GA_NOTFOUND, NULL, text,
				 ("there is no object '%s'", text),
				 ("%s'gpuaas-list nodes', 'gpuaas-list slots' and 'gpuaas-list "
				  "allocations' show them", near));
	/* Projects have no list of their own. */
	return ga_refuse(err, GA_NOTFOUND, NULL, text,
			 ("there is no %s '%s'", kind, text),
			 ("%s'gpuaas-list %ss' shows them", near,
			  strcmp(kind, "project") ? kind : "allocation"));
}

/* "0", or "255": people mean the slot of that number on its node. */
static bool is_slot_number(const char *text)
{
	size_t n = strspn(text, "0123456789");

	return n && n <= 3 && !text[n];
}

int ga_store_resolve(struct ga_db *db, const char *kind, const char *text, char **ret,
		     const char **kind_found, struct ga_err *err)
{
	ga_autostr struct ga_str matches = GA_STR_INIT;
	ga_autorows struct ga_rows *rows = NULL;
	int64_t best = GA_UNKNOWN;
	int r = 0, n = 0;

	*ret = NULL;
	if (kind && !word(kind)) {
		r = ga_db_has_name(db, kind, text, err);
		if (r > 0)
			*ret = ga_xstrdup(text);
		return r > 0 ? 0 : r < 0 ? -1 : unknown(db, kind, text, err);
	}
	if (ga_streq(kind, "slot") && is_slot_number(text))
		return ga_refuse(err, GA_USAGE, "ambiguous", NULL,
				 ("'%s' may be the number of a slot on its node, or the beginning "
				  "of an id", text),
				 ("--where slot_index=%s means the number; more of the id means "
				  "that slot", text));
	if (ga_db_query(db, &rows, err,
			"SELECT k, id, rank FROM (" FINDING ") found WHERE ?2 IS NULL OR k = ?2 "
			"ORDER BY rank, k, id LIMIT 9",
			"ss", text, kind) < 0)
		return -1;
	while (*text && (r = ga_rows_next(rows, err)) > 0) {
		if (n && ga_rows_int(rows, 2) != best)
			break;
		if (!n) {
			best = ga_rows_int(rows, 2);
			*ret = ga_rows_dup(rows, 1);
			if (kind_found)
				*kind_found = word(ga_rows_text(rows, 0));
		}
		ga_str_addf(&matches, "%s%s %s", n++ ? ", " : "", ga_rows_text(rows, 0),
			    ga_rows_text(rows, 1));
	}
	if (r < 0)
		return -1;
	if (n > 1) {
		free(*ret);
		*ret = NULL;
		return ga_refuse(err, GA_USAGE, "ambiguous", NULL,
				 ("'%s' could be %s", text, matches.buf),
				 ("give %s", best == PREFIX ?
					  "more of the id of the one that is meant" :
					  "the id of the one that is meant"));
	}
	return n ? 0 : unknown(db, kind, text, err);
}

int ga_store_also_named(struct ga_db *db, const char *kind, const char *text,
			struct ga_texts *ret, struct ga_err *err)
{
	return ga_db_texts(db, ret, err,
			   "SELECT DISTINCT " WORDS " FROM ("
			   "SELECT 'allocation' AS k FROM allocation WHERE name = ?1 "
			   "UNION ALL SELECT 'node' FROM node WHERE name = ?1 "
			   "UNION ALL SELECT 'team' FROM team WHERE name = ?1 "
			   "UNION ALL SELECT 'grant' FROM access_grant WHERE name = ?1 "
			   "UNION ALL SELECT 'app' FROM app WHERE name = ?1 AND current = 1 "
			   "UNION ALL SELECT k FROM (" LISTED ") listed WHERE name = ?1 "
			   "UNION ALL SELECT 'evidence' FROM wipe_evidence WHERE id = ?1) named "
			   "WHERE k <> ?2 ORDER BY 1",
			   "ss", text, kind);
}
