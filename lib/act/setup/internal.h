/* SPDX-License-Identifier: Apache-2.0 */
/* Private to act/setup: the changes that have a file of their own, and the journal around all
 * changes. */
#ifndef GA_ACT_SETUP_INTERNAL_H
#define GA_ACT_SETUP_INTERNAL_H

#include "act/setup/do.h"

struct ga_setup_undo_ctx {
	const struct ga_setup_doer *d;
	const struct ga_journal_entry *e;
	json_t *inverse;
	char *why; /* the reason why a change was left, allocated */
};
/* 1 undone, 0 left (why is set), -1 with err. */
GA_MUST_CHECK int ga_setup_undo_file(struct ga_setup_undo_ctx *u, struct ga_err *err);
GA_MUST_CHECK int ga_setup_undo_folder(struct ga_setup_undo_ctx *u, struct ga_err *err);
GA_MUST_CHECK int ga_setup_undo_link(struct ga_setup_undo_ctx *u, struct ga_err *err);
GA_MUST_CHECK int ga_setup_undo_sysctl(struct ga_setup_undo_ctx *u, struct ga_err *err);
GA_MUST_CHECK int ga_setup_undo_vfs(struct ga_setup_undo_ctx *u, struct ga_err *err);
GA_MUST_CHECK int ga_setup_undo_bind(struct ga_setup_undo_ctx *u, struct ga_err *err);

/* Each carries out one step of its kind (do.h): enters the inverse in the journal, makes the
 * change, and marks the entry as done. 0, or -1 with err; then the entry stays open.
 * ga_setup_do_bind: GA_CONFLICT "device_busy" while a guest has the device. */
GA_MUST_CHECK int ga_setup_do_file(const struct ga_setup_doer *d, const struct ga_setup_step *s,
				   struct ga_err *err);
GA_MUST_CHECK int ga_setup_do_folder(const struct ga_setup_doer *d, const struct ga_setup_step *s,
				     struct ga_err *err);
GA_MUST_CHECK int ga_setup_do_link(const struct ga_setup_doer *d, const struct ga_setup_step *s,
				   struct ga_err *err);
GA_MUST_CHECK int ga_setup_do_sysctl(const struct ga_setup_doer *d, const struct ga_setup_step *s,
				     struct ga_err *err);
GA_MUST_CHECK int ga_setup_do_vfs(const struct ga_setup_doer *d, const struct ga_setup_step *s,
				  struct ga_err *err);
GA_MUST_CHECK int ga_setup_do_bind(const struct ga_setup_doer *d, const struct ga_setup_step *s,
				   struct ga_err *err);
/* How far an open entry of op etc_file came: 1 the file was written, 0 it was not, -2 somebody else
 * wrote the file since. */
GA_MUST_CHECK int ga_setup_file_stands(const struct ga_setup_doer *d, json_t *inverse,
				       struct ga_err *err);

/* Runs the program of a journal's entry "run". */
GA_MUST_CHECK int ga_setup_run_by_name(const struct ga_setup_doer *d, const char *subject,
				       struct ga_err *err);
/* Enters a change of this object in the journal; consumes inverse. */
GA_MUST_CHECK int ga_setup_intend(const struct ga_setup_doer *d, const char *op,
				  const char *subject, json_t *inverse, int64_t *seq,
				  struct ga_err *err);
/* Runs a program; a status other than 0 is GA_EXTERNAL. */
GA_MUST_CHECK int ga_setup_program(const char *const *argv, int64_t seconds, struct ga_err *err);

#endif
