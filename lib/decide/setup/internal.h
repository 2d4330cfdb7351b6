/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the plan. */
#ifndef GA_DECIDE_SETUP_INTERNAL_H
#define GA_DECIDE_SETUP_INTERNAL_H

#include "base/str.h"
#include "decide/setup/bootstrap.h"

/* A file wanted. shared: others have their say in it, too; its mode is then kept. */
struct ga_boot_wish {
	const char *step, *path, *reason;
	bool shared;
	int64_t mode;
	unsigned int runs;
};

struct ga_boot_step *ga_boot_add(struct ga_boot_plan *plan, enum ga_boot_op op, const char *step,
				 const char *subject, const char *state, const char *reason);
/* The words for people; NULL members stay unknown. */
void ga_boot_tell(struct ga_boot_step *s, const char *change, const char *inverse,
		  const char *hint);
/* A whole file; what is in the way becomes a blocker. */
struct ga_boot_step *ga_boot_add_file(const struct ga_boot_facts *f, struct ga_boot_plan *plan,
				      const struct ga_boot_wish *w, const struct ga_str *text);

void ga_boot_plan_devices(const struct ga_boot_facts *f, struct ga_boot_plan *plan);
void ga_boot_plan_network(const struct ga_boot_facts *f, struct ga_boot_plan *plan);
void ga_boot_plan_services(const struct ga_boot_facts *f, struct ga_boot_plan *plan);

#endif
