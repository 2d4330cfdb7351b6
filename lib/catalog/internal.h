/* SPDX-License-Identifier: Apache-2.0 */
/* The inside of the catalogue; private to lib/catalog. */
#ifndef GA_CATALOG_INTERNAL_H
#define GA_CATALOG_INTERNAL_H

#include "base/str.h"
#include "catalog/accel.h"

struct ga_accel_entry {
	char *slug;
	const char *text; /* the built-in line, not parsed yet; NULL: type is set */
	size_t len;
	struct ga_accel_type *type;
	const char *origin; /* owned by the list's files, or a literal */
};

/* A PCI id and the type that has it. */
struct ga_accel_ref {
	unsigned int vendor, device;
	size_t entry;
};

/* A name of a type or group, folded (name.c); the index is built on the first search by name. */
struct ga_accel_word {
	char *folded;
	const char *text; /* as the catalogue spells it */
	int sort;	  /* enum of name.c */
	size_t entry;	  /* index of a type or of a group */
};

struct ga_accel_lazy {
	bool has_refs, has_rest;
	GA_LIST(struct ga_accel_ref) refs;
	struct ga_accel_rest rest;
	GA_LIST(struct ga_accel_word) words;
};

/* A file that was read, and where its rows begin in the other parts of the catalogue. */
struct ga_accel_file {
	char *name;
	size_t groups, instances, platform_labels;
};

struct ga_accels {
	GA_LIST(struct ga_accel_entry) entries; /* by slug */
	GA_LIST(struct ga_accel_file) files;	/* in the order of reading */
	const char *head; /* the part of the built-in text before its types; NULL: the catalogue
			   * is not the built-in one */
	size_t head_len;
	struct ga_accel_lazy *lazy;
};

/* The text must have the form that make-accelerators writes. */
void ga_accels_index(struct ga_accels *list, const char *text, size_t len);
/* Reads a file of the catalogue (JSON). drop_in: the file adds to the catalogue or corrects it;
 * else it is a complete catalogue. GA_BADREC names the file. */
GA_MUST_CHECK int ga_accels_load(struct ga_accels *list, const char *file, bool drop_in,
				 struct ga_err *err);
/* Checks that each type that a group, a machine or a label of the files names exists. Call it after
 * all files are read. GA_BADREC names the file. */
GA_MUST_CHECK int ga_accels_check_slugs(const struct ga_accels *list, struct ga_err *err);
/* The entry of a type, or NULL; owned by the list, valid until the next ga_accels_put. */
struct ga_accel_entry *ga_accels_entry(const struct ga_accels *list, const char *slug);
/* Adds a type, or replaces the one with the same slug. The list owns the type from then on. */
void ga_accels_put(struct ga_accels *list, struct ga_accel_type *type, const char *origin);
/* The lazy part, with refs: the first search by PCI id builds them. */
const struct ga_accel_lazy *ga_accels_refs(const struct ga_accels *list);
/* The rest of the catalogue; owned by the list. The first call parses the built-in text. */
struct ga_accel_rest *ga_accels_rest_of(const struct ga_accels *list);
/* Forgets the index of names. */
void ga_accels_forget_words(const struct ga_accels *list);
void ga_accels_rest_release(struct ga_accel_rest *rest);

#endif
