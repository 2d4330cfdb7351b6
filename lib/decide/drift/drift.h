/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Drift: compares the desired state of a node (an expectation) with what its host shows. In: both
 * values; out: the list of differences. Pure: it reads and changes nothing, and the same two values
 * give the same list in the same order.
 *
 * Unknown is never drift: an area that could not be observed gives one "unobserved" of severity
 * info and no other drift. A guest that powered itself off is as its tenant wants it. Only "error"
 * means that a promise is broken or may be; "warning" needs a person or a repair soon.
 */
#ifndef GA_DECIDE_DRIFT_DRIFT_H
#define GA_DECIDE_DRIFT_DRIFT_H

#include "base/texts.h"
#include "record/result.h"

struct ga_expectation;
struct ga_expected_allocation;
struct ga_expected_slot;

/* Every code of a drift record: name, word, description. gpuaas-reconcile(1) lists them. */
#define GA_DRIFT_CODES(X) \
	X(DOMAIN_MISSING, "domain_missing", "an allocation's domain is not defined") \
	X(DOMAIN_ORPHAN, "domain_orphan", "a domain of ours belongs to no allocation of the node") \
	X(DOMAIN_DUPLICATE, "domain_duplicate", "two domains claim one allocation or one device") \
	X(POWER_OFF, "power_off", "a domain is off that should run; info when the guest did it") \
	X(POWER_ON, "power_on", "a domain runs that should be off") \
	X(GUEST_UNHEALTHY, "guest_unhealthy", \
	  "a domain is paused, crashed, in an I/O error, or its guest agent is silent") \
	X(PCI_BINDING, "pci_binding", "a function is not bound to vfio-pci") \
	X(PCI_MISSING, "pci_missing", "a function of a slot is not there") \
	X(GPU_LOST, "gpu_lost", \
	  "a GPU is gone from the bus or does not answer; the slot's health fails") \
	X(GPU_ERRORS, "gpu_errors", \
	  "the bus has counted fatal errors of a GPU; the slot's health fails") \
	X(GPU_DEGRADED, "gpu_degraded", \
	  "a GPU's link is narrower than it can be, or the bus had to repeat a lot") \
	X(PCI_MOVED, "pci_moved", "a GPU is at another address than approved") \
	X(DISK_MISSING, "disk_missing", "no disk has the wwid of the slot") \
	X(DISK_CHANGED, "disk_changed", "the wwid is there with another size or serial") \
	X(DISK_IN_USE, "disk_in_use", "the host mounts or uses a slot's disk") \
	X(DISK_PATH_MOVED, "disk_path_moved", "a disk has another path; harmless") \
	X(LEASE_MISSING, "lease_missing", "a running guest has no DHCP lease") \
	X(LEASE_MISMATCH, "lease_mismatch", "a guest's lease is for another address") \
	X(LEASE_STALE, "lease_stale", "an idle slot's MAC has a DHCP lease still") \
	X(DHCP_MISSING, "dhcp_reservation_missing", "an allocation has no DHCP reservation") \
	X(DHCP_STALE, "dhcp_reservation_stale", "a DHCP reservation belongs to no allocation") \
	X(OVS_PORT_MISSING, "ovs_port_missing", "a running guest's port is not on the bridge") \
	X(OVS_PORT_ORPHAN, "ovs_port_orphan", "a port of ours belongs to no allocation") \
	X(OVS_FLOWS_MISSING, "ovs_flows_missing", "a port lacks its anti-spoofing flows") \
	X(OVS_FLOWS_ORPHAN, "ovs_flows_orphan", "flows of ours belong to no allocation") \
	X(BRIDGE_MISSING, "bridge_missing", "the bridge of the private network is not there") \
	X(BRIDGE_OPEN, "bridge_open", "the bridge forwards what no flow allows") \
	X(NAT_MISSING, "nat_missing", "the private network is not masqueraded") \
	X(ISOLATION_MISSING, "isolation_missing", \
	  "no rules keep slices from each other, from the host, or the outside from them") \
	X(FORWARDING_OFF, "forwarding_off", "the kernel does not forward IPv4") \
	X(INGRESS_MISSING, "ingress_missing", "a published port does not lead to its slice") \
	X(INGRESS_ORPHAN, "ingress_orphan", "a port is open that nobody has published") \
	X(SEED_MISSING, "seed_missing", "an allocation's seed is gone; its domain cannot start") \
	X(SEED_ORPHAN, "seed_orphan", "a seed belongs to no allocation") \
	X(NVRAM_ORPHAN, "nvram_orphan", "firmware variables belong to no allocation") \
	X(HUGEPAGES_SHORT, "hugepages_short", "a NUMA node has fewer hugepages than sold") \
	X(PARTITION_INACTIVE, "partition_inactive", \
	  "an allocation's fabric partition is inactive") \
	X(PARTITION_ORPHAN, "partition_orphan", \
	  "an active fabric partition belongs to no allocation") \
	X(JOURNAL_OPEN, "journal_open", "changes of the host wait for being undone") \
	X(ATTEMPT_OPEN, "attempt_open", "an order was begun and nobody works on it") \
	X(RESULT_UNTOLD, "result_untold", "the host ended an order and the state does not know") \
	X(STUCK, "stuck", "an object is in its state for longer than it may be") \
	X(PLAN_EXPIRED, "plan_expired", "a plan was not begun in time") \
	X(FINGERPRINT_CHANGED, "fingerprint_changed", "the hardware is not the approved one") \
	X(BOOT_CHANGED, "boot_changed", "the host was restarted since it was last observed") \
	X(OTHER_CONTROLLER, "other_controller", "orders of another state came and were refused") \
	X(HOST_BLOCKER, "host_blocker", "the host lacks what running allocations need") \
	X(UNOBSERVED, "unobserved", "could not be checked; its state is unknown")

enum ga_drift_code {
#define GA_X(name, word, doc) GA_D_##name,
	GA_DRIFT_CODES(GA_X)
#undef GA_X
	GA_D_COUNT
};

/* The safe class of repairs: none of them ends a running domain or writes to a disk. */
#define GA_REPAIRS(X) \
	X(NONE, NULL, NULL) \
	X(BIND_VFIO, "bind_vfio", "bind a function that nothing uses to vfio-pci") \
	X(ACTIVATE_PARTITION, "activate_partition", \
	  "activate a partition while its domain is off") \
	X(WRITE_DHCP_HOST, "write_dhcp_host", "write an allocation's DHCP reservation again") \
	X(SETUP_BRIDGE, "setup_bridge", "close the bridge, and add all flows again") \
	X(ADD_PORT, "add_port", \
	  "put the port of a running guest on the bridge again, with its flows") \
	X(ADD_FLOWS, "add_flows", "add a port's anti-spoofing flows again") \
	X(FORWARD, "forward", "switch the forwarding of IPv4 on") \
	X(SETUP_NAT, "setup_nat", "set the table of NAT and isolation up again") \
	X(PUBLISH, "publish", "publish a recorded port again") \
	X(TELL_AGAIN, "tell_again", "give the stored result of an ended order again") \
	X(START_DOMAIN, "start_domain", "start a recorded domain; only with --boot") \
	X(RESUME, "resume", "finish or clean up after an interrupted attempt") \
	X(UNDO_JOURNAL, "undo_journal", "carry out the inverses of an ended allocation") \
	X(UNPUBLISH, "unpublish", "close a port that nobody has published") \
	X(REMOVE_PORT, "remove_port", "remove an orphan port") \
	X(REMOVE_FLOWS, "remove_flows", "remove orphan flows") \
	X(REMOVE_DHCP_HOST, "remove_dhcp_host", "remove a stale DHCP reservation") \
	X(RELEASE_LEASE, "release_lease", "have dnsmasq forget a stale lease") \
	X(REMOVE_SEED, "remove_seed", "remove an orphan seed") \
	X(REMOVE_NVRAM, "remove_nvram", "remove orphan firmware variables")

/* In the order of repair: devices, fabric, network, domains, then leftovers. */
enum ga_repair {
#define GA_X(name, word, doc) GA_R_##name,
	GA_REPAIRS(GA_X)
#undef GA_X
	GA_R_COUNT
};

/* The stable word of a code or a repair, and what a repair does, for people; all are static. */
const char *ga_drift_word(enum ga_drift_code code);
const char *ga_repair_word(enum ga_repair repair); /* NULL for GA_R_NONE */
const char *ga_repair_doc(enum ga_repair repair);

/* ---- what the host shows; all members are owned; NULL and GA_UNKNOWN mean unknown ---- */

/* The areas; each is observed on its own. */
enum ga_area {
	GA_A_DOMAINS,
	GA_A_PCI,
	GA_A_DISKS,
	GA_A_LEASES,
	GA_A_DHCP,
	GA_A_PORTS,
	GA_A_NETWORK, /* bridge, NAT, forwarding */
	GA_A_INGRESS, /* published ports */
	GA_A_SEEDS,
	GA_A_NVRAM,
	GA_A_HUGEPAGES,
	GA_A_PARTITIONS,
	GA_A_WORK, /* attempts and journal in host.db */
	GA_A_COUNT
};

struct ga_seen_domain {
	char *name;
	char *allocation; /* from its metadata; NULL: not a domain of gpuaas */
	char *state;	  /* running, paused, shutoff, crashed, or NULL */
	char *cause; /* for shutoff: guest, destroyed, crashed, failed; for paused: user,
		      * ioerror, busy; NULL when libvirt does not know */
	int64_t agent; /* tristate: the guest agent answers; unknown: the domain has none */
	struct ga_texts devices; /* PCI addresses and disk paths of the domain */
};

struct ga_seen_pci {
	char *address, *identity; /* identity only for GPUs */
	char *driver;		  /* NULL: none */
	/* For GPUs only: whether the configuration space answers (tristate), the power state in the
	 * words of sysfs, the errors that the bus has counted since the host's start, the lanes in
	 * use, and the lanes that the GPU and the port above it both have. */
	int64_t answers;
	char *power;
	int64_t fatal, nonfatal, correctable;
	int64_t width, width_max;
};

struct ga_seen_disk {
	char *wwid, *serial, *path;
	int64_t size_bytes;
	struct ga_texts uses; /* "mounted on /data", "held by dm-0" */
};

struct ga_seen_file { /* a seed, or firmware variables */
	char *path, *allocation;
	int64_t age_seconds;
};

struct ga_seen_files {
	struct ga_seen_file *v;
	size_t n;
};

struct ga_seen_reservation {
	char *path, *allocation, *mac, *ip;
};

struct ga_seen_lease {
	char *mac, *ip;
};

struct ga_seen_port {
	char *name, *bridge;
	char *allocation; /* from its external ids or flows; NULL: not a port of gpuaas */
	bool is_port;	  /* it is on the bridge now; false: only its flows are left */
	bool loose;	  /* an interface with the port's name that is on no bridge (bridge is
			   * NULL) */
	bool dead;	  /* a port without an interface: its guest is gone */
	int64_t flows;	  /* tristate: its flows exist */
};

/* A published port: in the journal, in the kernel, or in both. */
struct ga_seen_ingress {
	char *allocation; /* NULL: a rule of the kernel without a comment of gpuaas */
	char *proto, *address;
	int64_t port, to_port;
	bool entered, done; /* entered: in the journal; done: the change was made */
	bool there;	    /* the kernel forwards the port to the address now */
	char *elsewhere;    /* another target that it forwards to, or NULL */
};

struct ga_seen_partition {
	int64_t id;
	bool active;
};

struct ga_seen_entry { /* an open journal entry */
	int64_t seq;
	char *object, *op, *subject;
	bool done;
	int64_t age_seconds;
};

/* The newest attempt in host.db for one allocation (or for a slot, in a wipe), and its lock. */
struct ga_seen_work {
	char *object, *program, *attempt; /* program and attempt of the newest attempt */
	char *state, *phase;		  /* working, done, failed */
	char *boot_id, *started_at;
	bool held;		 /* a program works on it now (its lock is held) */
	int64_t hugepage_kib;	 /* from its plan; unknown: ordinary pages */
	bool resumable;		 /* reconcile can run the stage again without a person */
};

struct ga_seen {
	char *node, *boot_id, *fingerprint;
	int64_t at_micros; /* end of the look; ages are counted up to it */
	bool booting;	   /* --boot: the reboot explains an off domain of unknown cause */
	char *blind[GA_A_COUNT]; /* why an area could not be observed; NULL: it was observed */
	GA_LIST(struct ga_seen_domain) domains;
	GA_LIST(struct ga_seen_pci) pci;
	GA_LIST(struct ga_seen_disk) disks;
	GA_LIST(struct ga_seen_lease) leases;
	GA_LIST(struct ga_seen_reservation) reservations;
	GA_LIST(struct ga_seen_port) ports;
	int64_t bridge, nat, forwarding; /* tristates */
	int64_t closed;	    /* the bridge drops traffic that no flow allows */
	int64_t isolated;   /* all rules of the table (act/device/nat.h) are in effect */
	char *lacks;	    /* the missing rules, in words */
	char *bridges;	    /* all bridges of the host, "br1 br2" */
	bool strangers;	    /* the bridge has ports that belong to no slot */
	GA_LIST(struct ga_seen_ingress) ingress;
	struct ga_seen_files seeds, nvram;
	GA_LIST(struct ga_numa) numa;
	GA_LIST(struct ga_seen_partition) partitions;
	GA_LIST(struct ga_seen_entry) entries;
	GA_LIST(struct ga_seen_work) works;
	struct ga_reasons blockers; /* of the host */
	char *other_controller; /* the controller whose order was refused last, in words, or NULL */
	int64_t other_seconds;	/* since that refusal */
};

void ga_seen_init(struct ga_seen *s); /* nothing observed, nothing known */
void ga_seen_release(struct ga_seen *s);
#define ga_autoseen ga_cleanup(ga_seen_release)
const char *ga_area_word(enum ga_area area); /* "domains", "pci", … */
/* Marks the area as not observed; the first reason stays. */
void ga_seen_blind(struct ga_seen *s, enum ga_area area, const char *why);
/* The work that the host has on the object, or NULL. */
const struct ga_seen_work *ga_seen_work_of(const struct ga_seen *s, const char *object);
/* The domain of an allocation, or NULL. */
const struct ga_seen_domain *ga_seen_domain_of(const struct ga_seen *s, const char *allocation);
/* Power in an observation of the allocation: on, off, or NULL when unknown. */
const char *ga_seen_power(const struct ga_seen *s, const char *allocation);

/* ---- drift ---- */

/* How long an object may stay in a state, and the command that ends the state ("… %s" for the id).
 * Returns false when there is no limit. The program passes the table (state/db/fsm.h). */
typedef bool (*ga_drift_limit_fn)(bool is_slot, bool baremetal, const char *state, int64_t *seconds,
				  const char **exit_command);

/* A drift, with the facts that a repair needs. */
struct ga_drift_item {
	struct ga_drift drift; /* the record; repaired is false, at is the time of the look */
	enum ga_drift_code code;
	enum ga_repair repair;
	char *allocation; /* the allocation concerned, or NULL */
	char *slot;	  /* the slot concerned, or NULL */
	char *subject;	  /* PCI address, path, port, domain */
	int64_t number;	  /* partition */
};

struct ga_drifts {
	struct ga_drift_item *v;
	size_t n;
};
void ga_drifts_release(struct ga_drifts *d);
#define ga_autodrifts ga_cleanup(ga_drifts_release)

/* Whether a command that a host reports has the form of those that this decision makes: known
 * programs with plain words, joined by " | ", " && " or "; ", and nothing that destroys data. Any
 * other text of a host is not for pasting. false for NULL. */
bool ga_drift_is_command(const char *command);

/* Adds every difference to ret: by area, then in the order of the expectation, then of the host. */
void ga_drift_compare(const struct ga_expectation *want, const struct ga_seen *seen,
		      ga_drift_limit_fn limit, struct ga_drifts *ret);
/* Counts the drift that was not repaired: of severity error (errors), of error or warning
 * (remaining). */
size_t ga_drift_errors(const struct ga_drifts *d);
size_t ga_drift_remaining(const struct ga_drifts *d);
/* The short record of what the host shows; the caller releases it with its schema. */
void ga_drift_observation(const struct ga_expectation *want, const struct ga_seen *seen,
			  const struct ga_drifts *d, struct ga_observation *ret);
/* Whether the expectation has the allocation and it has not ended. */
bool ga_drift_is_live(const struct ga_expectation *want, const char *allocation);
/*
 * Whether leftovers with the allocation's id may be cleaned up: the allocation is not live, nobody
 * works on it, no domain has it, and this host did not take it up after the expectation was
 * written.
 */
bool ga_drift_is_over(const struct ga_expectation *want, const struct ga_seen *seen,
		      const char *allocation);
/* Whether an off domain may be started again: it has exactly the devices of its slots, and no drift
 * of severity error is left for them. When it may not, *why is allocated. */
bool ga_drift_may_start(const struct ga_expectation *want, const struct ga_seen *seen,
			const struct ga_drifts *d, const char *allocation, char **why);
/* The first slot of the allocation: the guest has its MAC and address. NULL when there is none. */
const struct ga_expected_slot *ga_drift_first_slot(const struct ga_expectation *want,
						   const char *allocation);
/* The expected allocation of this id, or NULL. */
const struct ga_expected_allocation *ga_drift_allocation(const struct ga_expectation *want,
							 const char *allocation);

#endif
