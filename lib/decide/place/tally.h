/* SPDX-License-Identifier: Apache-2.0 */
/* Private to placement: counts the slots of the nodes for a request, and finds the node that comes
 * nearest to it. Refusals rest on it (refuse.c). */
#ifndef GA_DECIDE_PLACE_TALLY_H
#define GA_DECIDE_PLACE_TALLY_H

#include "decide/place/score.h"

/* A node that comes near to the request, and the reason against it. */
struct nearest {
	const struct ga_fleet_node *node;
	const char *why, *detail;
	const struct ga_fleet_slot *slot; /* has that reason; NULL: the node is out */
	bool no_image;			  /* it lacks the image, too */
	int64_t idle;			  /* wanted slots that nobody uses */
};

/* The fleet's slots for the request. */
struct tally {
	int64_t slots;	    /* of a wanted type, on all nodes of the wanted place */
	int64_t free;	    /* free slots of these, on nodes that are not out */
	int64_t used;	    /* in use or waiting for a wipe, on nodes that others could leave */
	int64_t waiting;    /* waiting for a wipe */
	int64_t other;	    /* free, but of a type that the request does not want */
	int64_t most_free;  /* most free slots on one node */
	const char *most_node;
	const char *enough_waiting; /* a node that takes the request when its wipes are done */
	bool waiting_no_image;	    /* and when it has the image, which it lacks */
	const char *enough_topology, *enough_image, *topology_why;
	struct nearest out;	/* enough free slots, but the node is out */
	struct nearest blocked; /* takes the request if slots of it were not blocked */
	/* The slots of blocked that suffice, where commands free them: cordoned ones by their rank
	 * (ga_place_slot_rank), and whether wipes must be done, too. n_lift 0: commands do not
	 * help. */
	const struct ga_fleet_slot *lift[GA_PLACE_SLOTS];
	size_t n_lift;
	bool lift_wipe;
	/* A node where nobody uses enough slots, but they are no fabric partition, and why. */
	const char *idle, *idle_why;
	struct nearest most;	/* too few for that, and the most idle slots of all nodes */
	const char *held;	/* the machine with the fewest slots in use that slices hold */
	int64_t held_used;
	const char *app_why; /* the app's limits leave a node out: the reason of the first */
	const char *common;  /* the reason against every node; NULL: they differ, or no node */
	bool taken;	     /* a node can take the request */
	bool here;	    /* a node is in the wanted place */
	bool in_region;	    /* or at least in the wanted region */
};

/* ret is overwritten; it points into the fleet. A node that stands for several (grouped) counts as
 * often. Stops at a node that can take the request. refusal: gets the answers of the nodes, in the
 * order of their ids; NULL: not wanted. */
void ga_place_tally(const struct ga_place_ask *ask, struct tally *ret, struct ga_refusal *refusal);

#endif
