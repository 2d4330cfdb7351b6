/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The settings of a tenant's fabric function: its MAC (Ethernet) or GUIDs (InfiniBand); spoofchk
 * on, so that it cannot forge addresses; trust off, so that it cannot change the whole port
 * (linux/if_link.h IFLA_VF_*). ip(8) sets them through the physical function, and they are read
 * back: a tenant's driver cannot change them from inside.
 */
#ifndef GA_ACT_DEVICE_VF_H
#define GA_ACT_DEVICE_VF_H

#include "base/ga.h"
#include "base/vec.h"

struct ga_vf {
	char *netdev;	 /* interface of the physical function */
	int64_t index;	 /* of the virtual function in it: virtfnINDEX */
	bool infiniband; /* GUIDs instead of a MAC */
	char *mac;	 /* NULL: unknown; so for every text here */
	char *node_guid, *port_guid; /* "02:11:22:33:44:55:66:07" */
	int64_t trust, spoofchk;     /* tristates */
};
void ga_vf_release(struct ga_vf *v);
#define ga_autovf ga_cleanup(ga_vf_release)

/* Reads the settings of a virtual function: 1; 0 when its physical function has no interface on
 * this host, so that nothing can be set; GA_NOTFOUND when vf is no function of pf. */
GA_MUST_CHECK int ga_vf_look(const char *vf, const char *pf, struct ga_vf *ret, struct ga_err *err);
/* Reads the settings of one function from the output of "ip -j link show": netdev and index of ret
 * choose it, the other members are filled. GA_BADREC. */
GA_MUST_CHECK int ga_vf_parse(const char *text, struct ga_vf *ret, struct ga_err *err);
/* The settings that the function of a slot should have. Its addresses follow from node and slot
 * index, so that the tables of a fabric manager stay valid over reboots. netdev, index and
 * infiniband are copied from now. */
void ga_vf_want(const struct ga_vf *now, const char *node, int64_t slot_index, struct ga_vf *ret);
/* The name of a setting of now that differs from want: "mac", "trust", …; NULL: none. A setting
 * that the kernel does not show differs only when it is an address, because addresses are always
 * set. */
const char *ga_vf_differs(const struct ga_vf *now, const struct ga_vf *want);
/* Sets the settings of want and reads them back: GA_HOST "vf_settings" when they are not in
 * effect. */
GA_MUST_CHECK int ga_vf_set(const struct ga_vf *want, const char *vf, const char *pf,
			    struct ga_err *err);

#endif
