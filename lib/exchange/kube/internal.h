/* SPDX-License-Identifier: Apache-2.0 */
/* Findings of labels in the making; private to kube_label*.c. */
#ifndef GA_EXCHANGE_KUBE_INTERNAL_H
#define GA_EXCHANGE_KUBE_INTERNAL_H

#include "catalog/name.h"
#include "exchange/kube/label.h"

struct ga_label_telling {
	const struct ga_accels *list;
	const struct ga_kube_node *node;
	const char *platform;
	ga_label_each each;
	void *arg;
	struct ga_err *err;
	int bad; /* warnings and errors so far; -1: stop */
};

/* What is told of one label; value NULL where it is no text. */
struct ga_label_told {
	const char *severity, *code, *label, *value, *type, *hint;
};

void ga_label_tell(struct ga_label_telling *t, const struct ga_label_told *what, const char *fmt,
		   ...) GA_PRINTF(3, 4);

/* Tells what the name of a product means, which the label w holds; fills w. */
void ga_label_name(struct ga_label_telling *t, struct ga_label_told *w, enum ga_name_family family,
		   const char *name);

/* Each label by its key (label_key.c): numbers, words, clouds, and keys that nothing reads. */
void ga_label_keys(struct ga_label_telling *t);
/* Those that hold PCI ids, and AMD's with the value in the key (label_id.c). */
void ga_label_ids(struct ga_label_telling *t);
/* Whose GPUs the labels of clouds say there are, against those of the view (label_key.c). */
void ga_label_makers(struct ga_label_telling *t, const struct ga_node_view *view);

#endif
