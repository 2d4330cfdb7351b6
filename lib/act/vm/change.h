/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Changes of the host, and their inverses. A change is in the journal with its inverse before it is
 * made; all inverses are carried out here. A change that was made already is made again only where
 * that does no harm. An inverse that finds nothing to do counts as done.
 *
 *   op          subject     the change                       its inverse
 *   disk        wwid        an image is written on it        the wipe, by its own order
 *   file        path        a file of ours is written        it is removed
 *   folder      path        a folder of ours is made         it is removed when empty
 *   vfio_bind   address     bound to vfio-pci                the driver before (node's journal)
 *   vf          address     a fabric function's MAC or       the settings before (node's journal)
 *                           GUIDs, trust and spoofchk
 *   partition   number      the fabric partition activated   deactivated
 *   domain      name        defined and started              powered off, undefined, NVRAM removed
 *   ovs_flow    cookie      flows of the port                removed by cookie
 *   ovs_port    port        made by libvirt at start         removed if still there
 *   lease       MAC         given by dnsmasq                 forgotten
 *   ingress     tcp/8080    a port of the host is published  closed, if still the allocation's
 */
#ifndef GA_ACT_VM_CHANGE_H
#define GA_ACT_VM_CHANGE_H

#include "act/device/fabric.h"
#include "act/device/nat.h"
#include "act/device/ovs.h"
#include "act/device/virt.h"
#include "state/host/hostdb.h"

struct ga_changes {
	struct ga_hostdb *h;
	const char *object;	 /* allocation the changes belong to */
	const char *libvirt_uri;
	struct ga_fabric_at fabric;
	struct ga_virt *virt;	 /* opened when first needed */
	bool dry_run;		 /* changes and journals nothing; say gets the planned changes */
	void (*say)(const char *line);
};
void ga_changes_close(struct ga_changes *c);
#define ga_autochanges ga_cleanup(ga_changes_close)

/* The connection to libvirt, opened at the first call and closed by ga_changes_close. */
GA_MUST_CHECK int ga_changes_virt(struct ga_changes *c, struct ga_virt **ret, struct ga_err *err);
/* Passes one or several lines to say in a dry run; does nothing otherwise. */
void ga_changes_say(const struct ga_changes *c, const char *fmt, ...) GA_PRINTF(2, 3);

/* Passes to say, in a dry run, how the function would be reset. */
void ga_change_reset_say(const struct ga_changes *c, const char *address);

/*
 * The changes. Each function enters the inverse, makes the change and marks the entry as done; in a
 * dry run it passes the planned change to say. 0, or -1 with the error of the step that failed;
 * then the entry stays open and its inverse can be carried out.
 */

/* Enters a write of the disk in the journal; the caller writes the disk. what: words for a dry
 * run. */
GA_MUST_CHECK int ga_change_disk(struct ga_changes *c, const char *wwid, const char *what,
				 struct ga_err *err);
GA_MUST_CHECK int ga_change_file(struct ga_changes *c, const char *path, const void *data,
				 size_t len, unsigned int mode, struct ga_err *err);
/* Enters a file that another program (by) writes later; NULL: it is there already. */
GA_MUST_CHECK int ga_change_file_by_other(struct ga_changes *c, const char *path, const char *by,
					  struct ga_err *err);
GA_MUST_CHECK int ga_change_folder(struct ga_changes *c, const char *path, unsigned int mode,
				   struct ga_err *err);
/* Binds a function to vfio-pci. The entry is in the journal of the node: release keeps the binding;
 * drain, repair and retire undo it. */
GA_MUST_CHECK int ga_change_bind(struct ga_changes *c, const char *address, struct ga_err *err);
/* Gives the fabric function of a slot its settings (act/device/vf.h); the entry is in the journal
 * of the node too. 1: the settings are right; 0: the physical function has no interface to set them
 * by. */
GA_MUST_CHECK int ga_change_vf(struct ga_changes *c, const char *vf, const char *pf,
			       const char *node, int64_t slot_index, struct ga_err *err);
GA_MUST_CHECK int ga_change_partition(struct ga_changes *c, int64_t partition, struct ga_err *err);
GA_MUST_CHECK int ga_change_domain(struct ga_changes *c, const char *name, const char *xml,
				   struct ga_err *err);
/* Enters port and flows in the journal, before the domain starts; ga_ovs_protect makes the flows
 * once it has started. */
GA_MUST_CHECK int ga_change_network(struct ga_changes *c, const struct ga_ovs_port *p,
				    struct ga_err *err);
GA_MUST_CHECK int ga_change_lease(struct ga_changes *c, const char *mac, const char *ip,
				  const char *bridge, struct ga_err *err);
/* Publishes a port of the host (ga_nat_publish); i->allocation is c->object. A refused port leaves
 * no entry. */
GA_MUST_CHECK int ga_change_ingress(struct ga_changes *c, const struct ga_net_ingress *i,
				    struct ga_err *err);
/* Reads the port that an entry of op "ingress" published; the caller releases ret. GA_BADREC when
 * the entry has another op. */
GA_MUST_CHECK int ga_change_ingress_of(const struct ga_journal_entry *e, struct ga_net_ingress *ret,
				       struct ga_err *err);

/* Carries out the inverse of an entry and closes the entry. 1 undone; 0 nothing to undo here (disk:
 * the wipe does it; the entry is closed); on an error the entry stays open. */
GA_MUST_CHECK int ga_change_undo(struct ga_changes *c, const struct ga_journal_entry *e,
				 struct ga_err *err);

#endif
