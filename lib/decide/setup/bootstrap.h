/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preparing a host: turns the facts of a host and the requested mode into an ordered list of steps,
 * each with its reason and its inverse. Pure: the same facts give the same plan, and facts in which
 * every step was carried out give a plan without changes.
 *
 * look/setup/look.h gathers the facts; act/setup/do.h carries the steps out.
 */
#ifndef GA_DECIDE_SETUP_BOOTSTRAP_H
#define GA_DECIDE_SETUP_BOOTSTRAP_H

#include "base/ga.h"
#include "base/vec.h"
#include "record/boot.h"

/* The first line of each file of gpuaas has this mark; a file without it belongs to somebody
 * else. */
#define GA_SETUP_MARK "Written by gpuaas-host-bootstrap"
/* In a file shared with others, gpuaas changes only the part between these two lines. */
#define GA_SETUP_BEGIN "# gpuaas-host-bootstrap begin"
#define GA_SETUP_END "# gpuaas-host-bootstrap end"

#define GA_SETUP_CONF "/etc/gpuaas/gpuaas.conf"
#define GA_SETUP_DEVICES "/etc/gpuaas/devices"
#define GA_SETUP_DNSMASQ "/etc/gpuaas/dnsmasq.conf"
#define GA_SETUP_GRUB "/etc/default/grub.d/60-gpuaas.cfg"
#define GA_SETUP_MODULES "/etc/modules-load.d/gpuaas.conf"
#define GA_SETUP_SYSCTL "/etc/sysctl.d/60-gpuaas.conf"
#define GA_SETUP_TUNED "/etc/tuned/gpuaas-slice/tuned.conf"
#define GA_SETUP_UDEV "/etc/udev/rules.d/61-gpuaas.rules"
#define GA_SETUP_LVM "/etc/lvm/lvmlocal.conf"
#define GA_SETUP_MDADM "/etc/mdadm/mdadm.conf"
#define GA_SETUP_MULTIPATH "/etc/multipath/conf.d/gpuaas.conf"
#define GA_SETUP_INITRAMFS "/etc/initramfs-tools/hooks/gpuaas"
#define GA_SETUP_AUTOSTART "/etc/libvirt/qemu/networks/autostart/default.xml"

enum ga_setup_file_state { GA_SETUP_ABSENT, GA_SETUP_REGULAR, GA_SETUP_LINK, GA_SETUP_OTHER };

struct ga_setup_file {
	char *path;
	enum ga_setup_file_state state;
	char *text; /* of a regular file, ends with a NUL; may hold any bytes */
	size_t len;
	int64_t mode; /* permission bits */
};

/* A function to bind to vfio-pci, or the reason why not. */
struct ga_setup_dev {
	char *sort;	/* gpu, vf */
	char *address, *identity;
	char *driver;	/* or NULL */
	char *override; /* or NULL */
	char *pf;	/* for a VF: address of its physical function, or NULL */
	char *code;	/* why gpuaas does not touch it, or NULL */
	char *why;
	char *hint;
};

/* A physical function that has fabric VFs. */
struct ga_setup_pf {
	char *address, *identity;
	int64_t total_vfs, vfs; /* GA_UNKNOWN */
	char *assigned; /* a VF that a guest uses, or NULL */
	char *code, *why; /* why gpuaas does not touch it, or NULL */
};

struct ga_setup_disk {
	char *wwid, *path;
	char *content; /* its content now ("nvme1n1: LVM2_member"), or NULL */
};

struct ga_setup_value {
	char *key, *value; /* value NULL: the host has no such setting or module */
};

struct ga_setup_unit {
	char *name;
	bool there, enabled;
	int64_t active; /* tristate */
};

/* One line of the devices file. The identity decides; the address is only the last one seen. */
struct ga_setup_listed {
	char *sort; /* gpu, vf, pf */
	char *address; /* "-" for a vf: its physical function gives the address */
	char *identity; /* for a vf: the identity of its physical function, "/" and its index */
	int64_t vfs; /* for a pf */
};
struct ga_setup_list {
	struct ga_setup_listed *v;
	size_t n;
};
void ga_setup_list_release(struct ga_setup_list *list);
#define ga_autosetuplist ga_cleanup(ga_setup_list_release)
/* The line of this sort with this identity, or NULL; owned by the list. */
const struct ga_setup_listed *ga_setup_list_find(const struct ga_setup_list *list, const char *sort,
						 const char *identity);

struct ga_setup_pages {
	int64_t size_kib, count;
};

struct ga_setup_facts {
	bool baremetal, rooted; /* rooted: an image, of which only files are known and changed */
	bool boot;		/* only listed devices, and only settings that a reboot loses */

	/* settings */
	const char *node, *bridge, *gateway, *network, *uplink, *dhcp_hosts, *leases;
	int64_t prefix_bits;
	int64_t vfs_wanted; /* for a physical function; GA_UNKNOWN: the current number, else what
			     * the GPUs need */
	GA_LIST(struct ga_setup_pages) hugepages; /* requested; none: those of the file */

	/* the machine */
	char *cpu;     /* decides on the IOMMU argument: intel, amd, other */
	char *cmdline; /* of the running kernel */
	int64_t iommu_groups;
	int64_t memory_mib;
	bool systemd, grub, lvm, mdadm, multipath, tuned, initramfs, libvirt, ovs, dnsmasq, nft,
		conntrack;
	char *tuned_profile; /* the active one, or NULL */
	char *lvm_filter;    /* the rules of somebody else's global_filter for LVM, or NULL */
	bool lvm_local;	     /* that filter is in lvmlocal.conf itself */
	char *md_arrays;     /* ARRAY lines of the running arrays, or NULL */
	int64_t grub_has;    /* tristate: grub.cfg has the arguments of our file */
	GA_LIST(struct ga_setup_file) files;
	GA_LIST(struct ga_setup_value) sysctls;
	GA_LIST(struct ga_setup_value) modules; /* value "loaded", or NULL */
	GA_LIST(struct ga_setup_unit) units;
	GA_LIST(struct ga_setup_pf) pfs;
	GA_LIST(struct ga_setup_dev) devs;
	GA_LIST(struct ga_setup_disk) disks;
	struct ga_setup_list listed; /* the content of the devices file */
	int64_t bridge_there, bridge_up, bridge_address, bridge_flows; /* tristates */
	char *bridge_mode; /* fail mode, or NULL */
	char *bridge_foreign; /* a port that belongs to no slice, or NULL */
	bool bridge_guests;   /* the bridge has ports of slices */
	int64_t nat; /* tristate */
	int64_t data_mode, hosts_mode; /* permission bits of the folders; GA_UNKNOWN: absent */
	unsigned int pending; /* GA_SETUP_RUN_* that were intended and did not finish */

	/* only for a record of the tuning (ga_setup_look_tuning) */
	char *governor;	 /* of the CPUs, several separated by commas; NULL: no cpufreq driver */
	char *thp;	 /* transparent huge pages: always, madvise, never; NULL: none */
	GA_LIST(struct ga_setup_pages) pages; /* reserved now */
};
void ga_setup_facts_release(struct ga_setup_facts *f);
#define ga_autosetupfacts ga_cleanup(ga_setup_facts_release)

/* The files whose content decides on the plan, NULL-terminated. */
extern const char *const ga_setup_paths[];
/* Kernel settings: name and value. */
struct ga_setup_setting {
	const char *key, *value;
	const char *why;
};
extern const struct ga_setup_setting ga_setup_sysctls[]; /* ends with key NULL */
extern const char *const ga_setup_modules[];
/* The units to enable, and whether to start them as well. */
struct ga_setup_unit_wish {
	const char *name;
	bool enable, start;
	const char *why;
};
extern const struct ga_setup_unit_wish ga_setup_units[]; /* ends with name NULL */

/* Programs to run after files were written, each once. */
enum {
	GA_SETUP_RUN_GRUB = 1,
	GA_SETUP_RUN_INITRAMFS = 2,
	GA_SETUP_RUN_UDEV = 4,
	GA_SETUP_RUN_SYSTEMD = 8,
	GA_SETUP_RUN_MULTIPATH = 16,
};

enum ga_setup_op {
	GA_SETUP_DO_NOTE, /* nothing to carry out: a report only */
	GA_SETUP_DO_FILE,
	GA_SETUP_DO_UNLINK, /* remove a symbolic link */
	GA_SETUP_DO_FOLDER, /* make it, or widen its mode to number */
	GA_SETUP_DO_MODULE,
	GA_SETUP_DO_VALUE, /* set a sysctl: subject is the key, text the value */
	GA_SETUP_DO_VFS,   /* subject: a physical function; number: VFs */
	GA_SETUP_DO_BIND,
	GA_SETUP_DO_BRIDGE,	 /* make it, or set its fail mode */
	GA_SETUP_DO_ADDRESS, /* set the bridge's address and its link up */
	GA_SETUP_DO_FLOWS,	 /* the flows of the bridge itself */
	GA_SETUP_DO_NAT,
	GA_SETUP_DO_TUNED,
	GA_SETUP_DO_ENABLE,
	GA_SETUP_DO_DISABLE,
	GA_SETUP_DO_START,
	GA_SETUP_DO_RUN, /* number: one of GA_SETUP_RUN_* */
};

struct ga_setup_step {
	enum ga_setup_op op;
	struct ga_bootstrap_step say; /* the record; node and at are set when it is reported */
	char *text;		      /* content of a file, value, … or NULL */
	size_t len;
	int64_t number;	   /* mode of a file or folder, VFs, … */
	unsigned int runs; /* programs to run after the step */
};

struct ga_setup_plan {
	struct ga_setup_step *v;
	size_t n;
	bool reboot_required; /* a change takes effect only after a reboot */
	struct ga_reasons blockers;
};
void ga_setup_plan_release(struct ga_setup_plan *plan);
#define ga_autosetupplan ga_cleanup(ga_setup_plan_release)

/* Whether the step changes something. */
bool ga_setup_step_is_change(const struct ga_setup_step *s);

/* Whether two kernel settings are equal apart from the blanks between their parts: the kernel
 * prints tabs. */
bool ga_setup_same_value(const char *a, const char *b);

/* Fills ret with all steps in the order of execution, also steps that change nothing. The caller
 * releases ret. */
void ga_setup_plan_make(const struct ga_setup_facts *facts, struct ga_setup_plan *ret);

/* ---- texts (text.c) ---- */

/* The required kernel arguments, separated by blanks. Huge pages as requested, else those of the
 * file. */
void ga_setup_arguments(const struct ga_setup_facts *f, struct ga_str *out);
/* Whether the command line has all of these words. */
bool ga_setup_has_words(const char *cmdline, const char *words);
/* Whether the command line has the argument as a complete word. */
bool ga_setup_has_word(const char *cmdline, const char *word, size_t len);
/* Each adds the text of its file, or where noted only of our block in it, to out. */
void ga_setup_text_grub(const struct ga_setup_facts *f, struct ga_str *out);
void ga_setup_text_modules(struct ga_str *out);
void ga_setup_text_sysctl(struct ga_str *out);
void ga_setup_text_tuned(struct ga_str *out);
void ga_setup_text_udev(const struct ga_setup_facts *f, struct ga_str *out);
void ga_setup_text_lvm(const struct ga_setup_facts *f, struct ga_str *out);	/* the block */
void ga_setup_text_mdadm(const struct ga_setup_facts *f, struct ga_str *out);	/* the block */
void ga_setup_text_multipath(const struct ga_setup_facts *f, struct ga_str *out);
void ga_setup_text_dnsmasq(const struct ga_setup_facts *f, struct ga_str *out);
void ga_setup_text_devices(const struct ga_setup_list *list, struct ga_str *out);
void ga_setup_text_initramfs(struct ga_str *out);
/* Adds the missing keys to the configuration. */
void ga_setup_text_conf(const struct ga_setup_facts *f, const struct ga_setup_file *now,
			struct ga_str *out);
/* Puts our block into the file: in place of the old block, else at the end; block NULL or empty:
 * removes it. Returns -1 when the begin and end lines do not pair. */
GA_MUST_CHECK int ga_setup_text_block(const char *now, size_t len, const char *block,
				      struct ga_str *out);

/* The file at path as the host has it; NULL when the facts have none. Owned by f. */
const struct ga_setup_file *ga_setup_file(const struct ga_setup_facts *f, const char *path);
/* Whether a rule may contain the wwid: letters, digits, '.', '_', ':' and '-' only. */
bool ga_setup_wwid_is_plain(const char *wwid);
/* Adds the wwids of our exclusion file to the list: those after "# disk ". */
void ga_setup_listed_disks(const char *text, struct ga_texts *wwids);
/* Reads the devices file; refuses lines that it does not understand. */
GA_MUST_CHECK int ga_setup_devices_parse(const char *text, struct ga_setup_list *ret,
					 struct ga_err *err);
/* Reads "1G:512" or "2M:1024". */
GA_MUST_CHECK int ga_setup_pages_parse(const char *text, struct ga_setup_pages *ret,
				       struct ga_err *err);

#endif
