/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the parts of the plan. */
#ifndef GA_DECIDE_SETUP_INTERNAL_H
#define GA_DECIDE_SETUP_INTERNAL_H

#include "base/str.h"
#include "decide/setup/bootstrap.h"

/* A file to write. shared: others write in it too, so its mode stays. */
struct ga_setup_wish {
	const char *step, *path, *reason;
	bool shared;
	int64_t mode;
	unsigned int runs;
};

/* Adds a step with copies of the texts. The plan owns it; valid until the next one is added. */
struct ga_setup_step *ga_setup_add(struct ga_setup_plan *plan, enum ga_setup_op op,
				   const char *step, const char *subject, const char *state,
				   const char *reason);
/* Sets the texts for people; NULL members stay unknown. */
void ga_setup_emit(struct ga_setup_step *s, const char *change, const char *inverse,
		   const char *hint);
/* Adds a complete file; an obstacle at the path becomes a blocker. */
struct ga_setup_step *ga_setup_add_file(const struct ga_setup_facts *f, struct ga_setup_plan *plan,
					const struct ga_setup_wish *w, const struct ga_str *text);

/* Add the steps for functions and bindings, for bridge, DHCP and NAT, and for services. With
 * f->boot they leave out the files. */
void ga_setup_plan_devices(const struct ga_setup_facts *f, struct ga_setup_plan *plan);
void ga_setup_plan_network(const struct ga_setup_facts *f, struct ga_setup_plan *plan);
void ga_setup_plan_services(const struct ga_setup_facts *f, struct ga_setup_plan *plan);

#endif
