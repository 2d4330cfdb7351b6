/* SPDX-License-Identifier: Apache-2.0 */
/* One row of gpuaas.attention: an object that needs a person. The code that finds it writes the
 * row. */
#ifndef GA_STATE_DB_ATTEND_H
#define GA_STATE_DB_ATTEND_H

#include "base/str.h"
#include "base/texts.h"
#include "record/state.h"
#include "state/db/row.h"

/* The members of a record of gpuaas.attention. */
struct ga_attend {
	const char *object, *object_kind, *state, *code, *since, *node, *project;
	char *sentence, *command; /* owned; ga_attention_emit frees both; NULL: state check */
	bool from_here; /* the command runs on this machine, whichever node the row names */
};
/* Nodes on which nothing of gpuaas may run: their system answers what its tenant wants. */
struct ga_tenants {
	struct ga_texts sure;	/* a baremetal tenant has the machine */
	struct ga_texts unsure; /* baremetal, and not verified since a restore: a tenant that the
				   state does not know may have it */
};
/* A row that a person acknowledged: it is acknowledged as long as all of these are the same. */
struct ga_acknowledgement {
	char *object_kind, *object, *code, *state, *since, *sentence;
	struct ga_acknowledged shown;
};
struct ga_acknowledgements {
	struct ga_acknowledgement *v;
	size_t n;
};
/* The sentence without what changes by itself: times, and for a hook each number, as it counts its
 * attempts. Allocated. */
char *ga_attend_lasting(const char *object_kind, const char *sentence);
/* "evidence: hint", with as much of the hint as makes one line of a table in 80 columns: up to the
 * end of one of its steps. gpuaas-show and gpuaas-explain have the whole hint. hint: NULL: none.
 * Allocated. */
char *ga_attend_why(const char *evidence, const char *hint);
/* The receiver of the rows, and the node that this machine is (NULL: not known, or none). A command
 * for another node goes through gpuaas-on (decide/setup/remote.h). */
struct ga_attend_to {
	ga_store_each each;
	void *arg;
	const char *here;
	int64_t stale_seconds; /* nodes not observed for so long give a row; 0: none does */
	/* NULL, or where each finds the row's ga_attend_lasting; released by whoever gave it. The
	 * sentence of the row is for people: shortened, and made for this machine. */
	struct ga_str *lasting;
	/* ga_store_list_attention fills these in: */
	struct ga_db *db; /* has the names of objects */
	const struct ga_tenants *tenants;
	const struct ga_acknowledgements *acknowledged;
};
/* Passes one row to to->each and returns its result; frees the sentence and command of f. An object
 * that has ended (released, retired, …) has no row. A command that would run on a machine while a
 * tenant has it, or may have it, is replaced, and the sentence says why. */
GA_MUST_CHECK int ga_attention_emit(const struct ga_attend *f, const struct ga_attend_to *to,
				    struct ga_err *err);

#endif
