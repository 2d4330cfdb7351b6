/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-doctor: the checks that the other programs have, run one after the other, and their
 * answers in the order in which a person acts. It only runs programs that look, and opens nothing
 * itself.
 */
#ifndef GA_CLI_DOCTOR_DOCTOR_H
#define GA_CLI_DOCTOR_DOCTOR_H

#include "base/proc.h"
#include "base/vec.h"
#include "record/rec.h"
#include "record/state.h"

/* Runs the checks and writes a record for each finding. 0: nothing has to be done; GA_NO: something
 * has; what could not be checked is listed and does not count. */
GA_MUST_CHECK int ga_doctor(struct ga_err *err);

/* ---- private to this folder ---- */

struct ga_doctor {
	GA_LIST(struct ga_doctor_finding) findings;
	GA_LIST(struct ga_slot) slots; /* of this host, as the state has them */
	struct ga_str gpus, disks; /* of this host, as conditions of gpuaas-list slots */
	struct ga_str unowned; /* candidates whose disk has data and is in no slot that is known */
	bool has_state, has_gpu, denied; /* denied: a check needs another user */
};

/* An answer: its status and its records. */
struct ga_answer {
	struct ga_proc_result result;
	bool ran; /* false: it is a finding that it did not */
};
void ga_answer_release(struct ga_answer *a);
#define ga_autoanswer ga_cleanup(ga_answer_release)

/* The command that a hint has in quotes ("run 'gpuaas-host-bootstrap --mode slice', which …"), one
 * of gpuaas; allocated. NULL: the hint has none, because the fix is no single command, needs a
 * decision first, or is made by hand. Also NULL for NULL. */
char *ga_doctor_command(const char *hint);
/* Whether people may paste the command as it stands: no stage of it erases a disk or removes a
 * device for good, and it has no TEXT to fill in. */
bool ga_doctor_may_paste(const char *command);
/* Whether the finding is an order of a person, as a cordon: a warning, which stands behind the
 * faults. */
bool ga_doctor_is_order(const char *check, const char *code);
/* Adds a finding; object, code and command may be NULL. A command is one that people paste as it
 * stands, on this machine, and that destroys no data by itself. */
void ga_doctor_add(struct ga_doctor *d, const char *severity, const char *check,
		   const char *object, const char *code, const char *sentence, const char *command);
/* Runs a program of gpuaas that stands beside this one, or in the fixed path. A program that is not
 * installed, does not end, or fails with another status than 0 and 1 becomes a finding. */
void ga_doctor_ask(struct ga_doctor *d, const char *check, const char *const *argv,
		   struct ga_answer *ret);
/* Calls each with every record of the answer. A line that is no record becomes a finding. */
void ga_doctor_records(struct ga_doctor *d, const char *check, const struct ga_answer *a,
		       void (*each)(struct ga_doctor *d, const struct ga_rec *rec));

/* The checks. */
void ga_doctor_state(struct ga_doctor *d);
void ga_doctor_host(struct ga_doctor *d);
void ga_doctor_units(struct ga_doctor *d);

#endif
