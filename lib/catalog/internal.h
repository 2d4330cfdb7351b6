/* SPDX-License-Identifier: Apache-2.0 */
/* The catalogue inside; private to lib/catalog. */
#ifndef GA_CATALOG_INTERNAL_H
#define GA_CATALOG_INTERNAL_H

#include "base/str.h"
#include "catalog/accel.h"

struct ga_accel_entry {
	char *slug;
	const char *text; /* of the built-in line, not parsed yet; NULL: type is there */
	size_t len;
	struct ga_accel_type *type;
	const char *origin; /* owned by files of the list, or a literal */
};

/* A PCI id and the type that has it. */
struct ga_accel_ref {
	unsigned int vendor, device;
	size_t entry;
};

/* A name, folded, of a type or group; built when the first name is asked for. */
struct ga_accel_word {
	char *folded;
	const char *text; /* as the catalogue spells it */
	int sort;	  /* enum of name.c */
	size_t entry;	  /* of a type, or of a group */
};

struct ga_accel_lazy {
	bool has_refs, has_rest;
	GA_LIST(struct ga_accel_ref) refs;
	struct ga_accel_rest rest;
	GA_LIST(struct ga_accel_word) words;
};

/* A file that was read, and where its rows begin in the rest of the catalogue. */
struct ga_accel_file {
	char *name;
	size_t groups, instances, platform_labels;
};

struct ga_accels {
	GA_LIST(struct ga_accel_entry) entries; /* by slug */
	GA_LIST(struct ga_accel_file) files;	/* in the order of reading */
	const char *head; /* of the built-in text: all before its types; NULL: not built in */
	size_t head_len;
	struct ga_accel_lazy *lazy;
};

/* The text must be a catalogue as make-accelerators writes it. */
void ga_accels_index(struct ga_accels *list, const char *text, size_t len);
GA_MUST_CHECK int ga_accels_load(struct ga_accels *list, const char *file, bool drop_in,
				 struct ga_err *err);
/* Whether each type that a group, a machine or a label of the files names is there, now that all
 * of them are read. GA_BADREC names the file. */
GA_MUST_CHECK int ga_accels_check_slugs(const struct ga_accels *list, struct ga_err *err);
struct ga_accel_entry *ga_accels_entry(const struct ga_accels *list, const char *slug);
/* Adds a type, which it owns from then on, or puts it in the place of one with its slug. */
void ga_accels_put(struct ga_accels *list, struct ga_accel_type *type, const char *origin);
/* With refs, which are made when the first PCI id is asked for. */
const struct ga_accel_lazy *ga_accels_refs(const struct ga_accels *list);
struct ga_accel_rest *ga_accels_rest_of(const struct ga_accels *list);
/* Forgets the index of names. */
void ga_accels_forget_words(const struct ga_accels *list);
void ga_accels_rest_release(struct ga_accel_rest *rest);

#endif
