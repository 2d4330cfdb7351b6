/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Equal nodes of a fleet as one. Every node that it stands for answers a request in the same way,
 * with the same code; so the code of a refusal can be found from few nodes.
 */
#ifndef GA_DECIDE_PLACE_EQUAL_H
#define GA_DECIDE_PLACE_EQUAL_H

#include "decide/place/place.h"

/* Fills ret with the first of the nodes that are equal, and their number in grouped; the nodes of f
 * are by id. ret borrows all of f but the array of nodes, which the caller frees
 * (ga_list_release). */
void ga_fleet_merge_equal(const struct ga_fleet *f, struct ga_fleet *ret);

#endif
