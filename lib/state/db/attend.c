/* SPDX-License-Identifier: Apache-2.0 */
/* A row of gpuaas.attention, with its command made for the machine where people type it. */
#include "state/db/attend.h"

#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "base/str.h"
#include "decide/setup/remote.h"
#include "record/state.h"
#include "record/time.h"
#include "state/db/fsm.h"

/* Whether the object is in a state that it never leaves: no command helps there. */
static bool has_ended(const struct ga_attend *f)
{
	static const struct {
		const char *kind;
		enum ga_machine machine;
	} kinds[] = { { "slot", GA_M_SLOT }, { "allocation", GA_M_ALLOCATION },
		      { "plan", GA_M_ALLOCATION }, { "node", GA_M_NODE } };
	const struct ga_fsm_state *s;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(kinds); i++) {
		if (strcmp(kinds[i].kind, f->object_kind))
			continue;
		s = ga_fsm_find(kinds[i].machine, f->state);
		return s && !s->to[0];
	}
	return false;
}

/* Replaces a command that would run on a machine of a tenant; false: it would not. The machine that
 * deploys asks the operator's executables (baremetal.d/status), or the row waits for the
 * release. */
static bool keep_off(const struct ga_attend *f, const struct ga_attend_to *to, bool elsewhere,
		     char **sentence, char **command)
{
	bool sure = f->node && ga_texts_has(&to->tenants->sure, f->node);
	bool unsure = f->node && ga_texts_has(&to->tenants->unsure, f->node);
	ga_autofree char *said = NULL, *given = NULL;

	if ((!sure && !unsure) || !ga_remote_runs_there(*command, f->from_here))
		return false;
	said = GA_TAKE(*sentence);
	given = GA_TAKE(*command);
	if (!sure) {
		ga_autofree char *there = elsewhere ? ga_remote_command(given, f->node) :
						      GA_TAKE(given);

		*sentence = ga_xprintf("%s; a tenant that this state does not know may have the "
				       "machine: ask the executables of baremetal.d/status first "
				       "(TEXT: what they say); if none has it: %s", said, there);
	} else {
		*sentence = ga_xprintf("%s; a tenant has the machine: %s", said,
				       unsure ? "the executables of baremetal.d/status confirm it "
						"(TEXT: what they say)" :
						"nothing of gpuaas runs there until its release");
	}
	*command = unsure ? ga_command("gpuaas-reconcile --inventory --machine %s | gpuaas-state "
				       "adopt --reason TEXT -", f->node) :
			    ga_command("gpuaas-list claims --where node=%s --where live=true",
				       f->node);
	return true;
}

/* The number of characters of a time of a record at the beginning of text; 0: there is none. */
static size_t time_at(const char *text)
{
	static const char form[] = "0000-00-00T00:00:00.000000Z";
	size_t i;

	for (i = 0; form[i]; i++)
		if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i])
			return 0;
	return i;
}

char *ga_attend_lasting(const char *object_kind, const char *sentence)
{
	bool hook = ga_streq(object_kind, "hook");
	struct ga_str out = GA_STR_INIT;
	const char *p;

	for (p = sentence; *p; p++) {
		size_t skip = time_at(p);

		if (skip)
			p += skip - 1;
		else if (!hook || *p < '0' || *p > '9')
			ga_str_addc(&out, *p);
	}
	ga_str_add(&out, "");
	return ga_str_take(&out);
}

#define WHY_MAX 76 /* the columns that a table has beside its indent */

char *ga_attend_why(const char *evidence, const char *hint)
{
	static const char *const ends[] = { "; ", ", or ", ", then ", " (" };
	size_t room, fits = 0, whole = hint ? strlen(hint) : 0, i, k;

	room = strlen(evidence) + 2 < WHY_MAX ? WHY_MAX - strlen(evidence) - 2 : 0;
	for (i = 1; i <= whole && i <= room; i++) {
		for (k = 0; k < GA_ARRAY_SIZE(ends); k++)
			if (ga_starts(hint + i, ends[k]))
				fits = i;
		fits = i == whole ? i : fits;
	}
	return ga_xprintf("%s%s%.*s", evidence, fits ? ": " : "", (int)fits, hint ? hint : "");
}

/* The text that a person writes for TEXT, by the command that it explains. */
static const char *text_for(const char *command)
{
	static const struct {
		const char *start, *what;
	} words[] = {
		{ "gpuaas-approve repair", "what was done" },
		{ "gpuaas-node undrain", "what was done" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(words); i++)
		if (strstr(command, words[i].start))
			return words[i].what;
	return "why";
}

/* NULL: the row is not acknowledged. */
static const struct ga_acknowledgement *find_acknowledged(const struct ga_attend *f,
							   const char *lasting,
							   const struct ga_attend_to *to)
{
	const struct ga_acknowledgement *a;
	size_t i;

	for (i = 0; to->acknowledged && i < to->acknowledged->n; i++) {
		a = &to->acknowledged->v[i];
		if (!ga_streq(a->object_kind, f->object_kind) || !ga_streq(a->object, f->object) ||
		    !ga_streq(a->code, f->code) || !ga_streq(a->state, f->state) ||
		    !ga_streq(a->since, f->since))
			continue;
		if (ga_streq(a->sentence, lasting))
			return a;
	}
	return NULL;
}

/* Reads the name of a node or allocation, and the owner of an allocation, also of the one that has
 * the slot; NULL: it has none. */
static int read_name(struct ga_db *db, const struct ga_attend *f, char **ret, char **owner,
		     struct ga_err *err)
{
	if (ga_streq(f->object_kind, "node"))
		return ga_db_one(db, err, "SELECT name FROM node WHERE id = ?1", "sS", f->object,
				 ret);
	if (ga_streq(f->object_kind, "allocation") || ga_streq(f->object_kind, "plan"))
		return ga_db_one(db, err, "SELECT name, created_by FROM allocation WHERE id = ?1",
				 "sSS", f->object, ret, owner);
	if (ga_streq(f->object_kind, "slot"))
		return ga_db_one(db, err,
				 "SELECT a.created_by FROM claim c "
				 "JOIN allocation a ON a.id = c.allocation_id WHERE c.slot_id = ?1 "
				 "AND c.live = 1 AND c.claim_kind = 'slot'",
				 "sS", f->object, owner);
	return 0;
}

int ga_attention_emit(const struct ga_attend *f, const struct ga_attend_to *to, struct ga_err *err)
{
	ga_autofree char *sentence = f->sentence, *given = f->command, *command = NULL;
	ga_autofree char *name = NULL, *owner = NULL;
	bool elsewhere = f->node && to->here && !f->from_here && strcmp(f->node, to->here) != 0;
	struct ga_attention a = {
		.object = (char *)(uintptr_t)f->object,
		.object_kind = (char *)(uintptr_t)f->object_kind,
		.state = (char *)(uintptr_t)f->state,
		.code = (char *)(uintptr_t)f->code,
		.since = (char *)(uintptr_t)f->since,
		.node = (char *)(uintptr_t)f->node,
		.project = (char *)(uintptr_t)f->project,
	};
	/* Of the sentence before it is shortened and made for this machine. */
	ga_autofree char *lasting = ga_attend_lasting(f->object_kind, sentence ? sentence : "");
	const struct ga_acknowledgement *known = find_acknowledged(f, lasting, to);
	bool from_here = keep_off(f, to, elsewhere, &sentence, &given);

	command = elsewhere && !from_here ? ga_remote_command(given, f->node) : GA_TAKE(given);
	a.acknowledged = known ? (struct ga_acknowledged *)(uintptr_t)&known->shown : NULL;
	a.command = command ? command : (char *)(uintptr_t) "gpuaas-state check";
	if (sentence && strstr(a.command, " TEXT") && !strstr(sentence, "TEXT: ")) {
		ga_autofree char *why = sentence;

		sentence = ga_xprintf("%s; TEXT: %s", why, text_for(a.command));
	}
	a.sentence = sentence ? ga_time_shorten(sentence) : NULL;
	if (read_name(to->db, f, &name, &owner, err) < 0)
		return -1;
	a.name = name;
	a.owner = owner;
	if (to->lasting) {
		ga_str_clear(to->lasting);
		ga_str_add(to->lasting, lasting);
	}
	return has_ended(f) ? 0 : to->each(&ga_attention_schema, &a, to->arg, err);
}
