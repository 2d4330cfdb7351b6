/* SPDX-License-Identifier: Apache-2.0 */
/* The prerequisites of a host for its mode. */
#include "look/host/prereq.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include "base/file.h"
#include "base/texts.h"
#include "look/host/host.h"
#include "look/iommu.h"
#include "look/sys.h"
#include "record/size.h"

/* With less free space than this, an import or a log fills the disk. */
#define FREE_SPACE_MIN (INT64_C(10) << 30)

#define UDEV_RULES "/etc/udev/rules.d"
#define GRUB_D "/etc/default/grub.d"

/* The hint names one command: gpuaas-host-bootstrap decides what is needed. */
#define BOOTSTRAP "run 'gpuaas-host-bootstrap --mode slice'"

enum state { OK, MISSING, UNKNOWN };

struct check {
	const struct ga_prereq_facts *f;
	struct ga_host *host;
};

/* Adds a prerequisite. blocker is the blocker's name when it is missing; NULL: a warning
 * NAME_missing. */
static void add(struct check *c, const char *name, const char *blocker, enum state state,
		const char *evidence, const char *hint)
{
	static const char *const words[] = { "ok", "missing", "unknown" };

	*ga_list_add(&c->host->prerequisites) = (struct ga_prereq){
		.name = ga_xstrdup(name),
		.state = ga_xstrdup(words[state]),
		.evidence = ga_strdup0(evidence),
		.hint = state == OK ? NULL : ga_strdup0(hint),
	};
	if (state != MISSING)
		return;
	if (blocker) {
		ga_reasons_add(&c->host->blockers, blocker, name, evidence, hint);
	} else {
		ga_autofree char *code = ga_xprintf("%s_missing", name);

		ga_reasons_add(&c->host->warnings, code, name, evidence, hint);
	}
}

static void check_kvm(struct check *c)
{
	struct stat st;
	bool there = !stat("/dev/kvm", &st) && S_ISCHR(st.st_mode);

	add(c, "kvm", NULL, there ? OK : MISSING,
	    there ? "/dev/kvm is there (not opened)" : "/dev/kvm is not there",
	    "enable VT-x or AMD-V in the firmware, then 'modprobe kvm_intel' or 'kvm_amd'");
}

static void check_iommu(struct check *c)
{
	const char *kind = ga_iommu_kind();
	const char *arg = ga_streq(ga_iommu_vendor(), "amd") ? "amd_iommu" : "intel_iommu";
	bool asked = ga_host_cmdline_has(c->f->cmdline, arg, "on");
	bool pass = ga_host_cmdline_has(c->f->cmdline, "iommu", "pt");
	int groups = ga_iommu_groups();
	ga_autofree char *evidence = ga_xprintf("%d group%s in /sys/kernel/iommu_groups", groups,
						groups == 1 ? "" : "s");
	ga_autofree char *args = ga_xprintf("/proc/cmdline has %s%s and %siommu=pt",
					    asked ? "" : "no ", arg, pass ? "" : "no ");
	ga_autofree char *fix = ga_xprintf(
		BOOTSTRAP ", which gives the kernel '%s=on iommu=pt', then reboot", arg);
	enum state state = groups ? OK : MISSING;

	add(c, "iommu_groups", "no_iommu", state, evidence,
	    asked ? "the kernel argument is set: enable VT-d or AMD-Vi in the firmware" : fix);
	/* A kernel may have the IOMMU on by its own configuration: then the groups are the
	 * proof. */
	add(c, "kernel_arguments", NULL, groups || asked ? OK : MISSING, args, fix);
	if (kind && !pass)
		ga_reasons_add(&c->host->warnings, "iommu_not_passthrough", "iommu=pt", args,
			       BOOTSTRAP ", then reboot: without iommu=pt the host's own devices "
			       "are slower");
}

/* Interrupt remapping: Intel units report it in bit 3 of the extended capabilities (VT-d 3.0,
 * 10.4.3); AMD's do it whenever they are on. */
static void check_interrupt_remapping(struct check *c)
{
	const char *kind = ga_iommu_kind();
	ga_autofree char *ecap = NULL;
	bool off = ga_host_cmdline_has(c->f->cmdline, "intremap", "off") ||
		   ga_host_cmdline_has(c->f->cmdline, "nointremap", NULL);
	bool able;

	if (off) {
		add(c, "interrupt_remapping", "no_interrupt_remapping", MISSING,
		    "/proc/cmdline turns it off",
		    "take 'intremap=off' out of the kernel arguments");
	} else if (!kind) {
		add(c, "interrupt_remapping", NULL, UNKNOWN, "no IOMMU is on",
		    "turn the IOMMU on first");
	} else if (ga_streq(kind, "intel")) {
		ecap = ga_sys_attr("/sys/class/iommu/dmar0", "intel-iommu/ecap");
		able = ecap && strtoull(ecap, NULL, 16) >> 3 & 1;
		add(c, "interrupt_remapping", "no_interrupt_remapping",
		    able ? OK : ecap ? MISSING : UNKNOWN,
		    ecap ? (able ? "dmar0 has it (ecap bit 3)" : "dmar0 lacks it (ecap bit 3)") :
			   "ecap of dmar0 cannot be read",
		    "enable x2APIC and interrupt remapping in the firmware");
	} else {
		add(c, "interrupt_remapping", NULL, ga_streq(kind, "amd") ? OK : UNKNOWN,
		    "an AMD IOMMU is on, and nothing turns it off", NULL);
	}
}

static void check_overrides(struct check *c)
{
	ga_autofree char *unsafe = ga_sys_attr("/sys/module/vfio_iommu_type1/parameters",
					       "allow_unsafe_interrupts");
	bool acs = strstr(c->f->cmdline, "pcie_acs_override=");
	bool bad = ga_streq(unsafe, "Y") || ga_streq(unsafe, "1");

	add(c, "no_acs_override", "acs_override", acs ? MISSING : OK,
	    acs ? "/proc/cmdline has pcie_acs_override: groups look pure that are not" :
		  "/proc/cmdline has no pcie_acs_override",
	    "take pcie_acs_override out of the kernel arguments and reboot");
	add(c, "no_unsafe_interrupts", "unsafe_interrupts", bad ? MISSING : unsafe ? OK : UNKNOWN,
	    unsafe ? (bad ? "allow_unsafe_interrupts is on: a guest could inject interrupts" :
			    "allow_unsafe_interrupts is N") :
		     "vfio_iommu_type1 is not loaded",
	    bad ? "take allow_unsafe_interrupts=1 out of /etc/modprobe.d and reboot" :
		  "run 'modprobe vfio_iommu_type1'");
}

static void check_vfio(struct check *c)
{
	bool there = ga_sys_exists("/sys/bus/pci/drivers/vfio-pci") ||
		     ga_sys_exists("/sys/module/vfio_pci");

	add(c, "vfio_pci", "no_vfio_pci", there ? OK : MISSING,
	    there ? "the driver vfio-pci is there" : "no driver vfio-pci in /sys/bus/pci/drivers",
	    BOOTSTRAP ", which loads it now and at boot");
}

static void check_sriov(struct check *c)
{
	size_t able = 0, vfs = 0, i;
	ga_autofree char *evidence = NULL;

	for (i = 0; i < c->f->pci->n; i++) {
		const struct ga_pci_dev *d = &c->f->pci->v[i];

		able += d->sort == GA_PCI_NIC && !d->pf && d->total_vfs > 0;
		vfs += d->sort == GA_PCI_NIC && d->pf;
	}
	evidence = ga_xprintf("%zu network functions can do SR-IOV, %zu virtual ones are there",
			      able, vfs);
	add(c, "sriov", NULL, vfs ? OK : MISSING, evidence,
	    able ? BOOTSTRAP ", which makes them now and at boot" :
		   "enable SR-IOV in the firmware and on the adapter (mlxconfig SRIOV_EN=1 "
		   "NUM_OF_VFS=N)");
}

/* Finds the datapath of the bridge: with Open vSwitch's own datapath in user space the bridge is a
 * tap device, with the kernel's it is not. A bridge in user space leaves the host's stack open at
 * every port (gpuaas-operations(7)). */
static void check_datapath(struct check *c)
{
	ga_autofree char *tap = ga_xprintf("/sys/class/net/%s/tun_flags", c->f->bridge);

	if (ga_sys_exists(tap))
		ga_reasons_add(&c->host->warnings, "userspace_datapath", c->f->bridge,
			       "the bridge is switched in user space (datapath_type=netdev), which "
			       "does not keep slices from the host: it is for tests",
			       "with no slice on this host: ovs-vsctl set bridge BRIDGE "
			       "datapath_type=system");
}

static void check_network(struct check *c)
{
	const struct ga_net_dev *bridge = ga_net_find(c->f->net, c->f->bridge);
	bool ovs = ga_net_find(c->f->net, "ovs-system") ||
		   ga_sys_exists("/run/openvswitch/db.sock");
	ga_autofree char *seen = ga_xprintf("interface '%s' is %sthere", c->f->bridge,
					    bridge ? "" : "not ");
	ga_autofree char *fix = ga_xprintf(BOOTSTRAP ", which makes '%s', or set GPUAAS_BRIDGE",
					   c->f->bridge);
	int forward = ga_net_ip_forward(), nat;
	ga_autostr struct ga_str evidence = GA_STR_INIT;
	static const char nat_fix[] = BOOTSTRAP ", which loads the table 'ip gpuaas'";

	add(c, "ovs", NULL, ovs ? OK : MISSING,
	    ovs ? "Open vSwitch is running" : "neither ovs-system nor /run/openvswitch/db.sock",
	    "apt install openvswitch-switch");
	add(c, "bridge", NULL, bridge ? OK : MISSING, seen, fix);
	add(c, "ip_forward", NULL, forward < 0 ? UNKNOWN : forward ? OK : MISSING,
	    forward < 0 ? "net.ipv4.ip_forward cannot be read" :
	    forward	? "net.ipv4.ip_forward is 1" :
			  "net.ipv4.ip_forward is 0",
	    BOOTSTRAP ", which turns it on now and at boot");
	if (!bridge) { /* without a bridge no rule has an effect: do not run nft */
		add(c, "nat_rule", NULL, UNKNOWN, "there is no bridge yet", nat_fix);
		return;
	}
	check_datapath(c);
	nat = ga_net_nat(c->f->network, &evidence);
	add(c, "nat_rule", NULL, nat < 0 ? UNKNOWN : nat ? OK : MISSING, evidence.buf, nat_fix);
}

/* The socket that a URI names ("…?socket=/path"), else the daemons' usual sockets. */
static void check_libvirt(struct check *c)
{
	const char *socket = c->f->libvirt_uri ? strstr(c->f->libvirt_uri, "socket=") : NULL;
	ga_autofree char *own = socket ? ga_xstrndup(socket + 7, strcspn(socket + 7, "&")) : NULL;
	const char *paths[] = { own ? own : "/run/libvirt/virtqemud-sock",
				own ? own : "/run/libvirt/libvirt-sock" };
	ga_autofree char *evidence = NULL;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(paths) && !evidence; i++)
		if (ga_sys_exists(paths[i]))
			evidence = ga_xprintf("%s is there", paths[i]);
	add(c, "libvirt", NULL, evidence ? OK : MISSING,
	    evidence ? evidence : own ? "the socket of the URI is not there" :
					"no socket in /run/libvirt",
	    "apt install libvirt-daemon-system, then 'systemctl start libvirtd.socket'");
}

static void check_firmware(struct check *c)
{
	static const char *const paths[] = {
		"/usr/share/OVMF/OVMF_CODE_4M.fd", "/usr/share/OVMF/OVMF_CODE.fd",
		"/usr/share/edk2/x64/OVMF_CODE.4m.fd", "/usr/share/edk2/ovmf/OVMF_CODE.fd",
		"/usr/share/AAVMF/AAVMF_CODE.fd",
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(paths); i++)
		if (ga_sys_exists(paths[i]))
			break;
	add(c, "firmware", NULL, i < GA_ARRAY_SIZE(paths) ? OK : MISSING,
	    i < GA_ARRAY_SIZE(paths) ? paths[i] : "no OVMF_CODE below /usr/share",
	    "apt install ovmf");
}

static void check_rdma(struct check *c)
{
	ga_autofree char *evidence = ga_xprintf("%zu device%s in /sys/class/infiniband",
						c->f->rdma->n, c->f->rdma->n == 1 ? "" : "s");

	add(c, "rdma", NULL, c->f->rdma->n ? OK : MISSING, evidence,
	    "apt install rdma-core, and load the adapter's RDMA driver (mlx5_ib)");
}

/* Free bytes at a path; when it does not exist yet, at its nearest parent that exists. */
static int64_t free_bytes(const char *path)
{
	ga_autofree char *at = ga_xstrdup(path);
	struct statvfs v;
	char *slash;

	while (statvfs(at, &v) < 0) {
		slash = strrchr(at, '/');
		if (!slash || slash == at)
			return statvfs("/", &v) < 0 ? -1 : (int64_t)(v.f_bavail * v.f_frsize);
		*slash = '\0';
	}
	return (int64_t)(v.f_bavail * v.f_frsize);
}

static void check_space(struct check *c)
{
	ga_autofree char *images = ga_xprintf("%s/images", c->f->data_dir);
	int64_t data = free_bytes(c->f->data_dir), image = free_bytes(images);
	char one[GA_SIZE_SIZE], two[GA_SIZE_SIZE];
	ga_autofree char *evidence = NULL, *hint = NULL;

	if (data < 0 || image < 0) {
		add(c, "free_space", NULL, UNKNOWN, "the file systems do not report it", NULL);
		return;
	}
	evidence = ga_xprintf("%s has %s free, %s %s", c->f->data_dir, ga_size_format(data, one),
			      images, ga_size_format(image, two));
	hint = ga_xprintf("make room: at least 10 GiB, and more for the images; or mount a "
			  "file system on %s", images);
	add(c, "free_space", NULL, data >= FREE_SPACE_MIN && image >= FREE_SPACE_MIN ? OK : MISSING,
	    evidence, hint);
}

/* The rules of gpuaas, all in one text. */
static void read_rules(struct ga_str *out)
{
	ga_autotexts struct ga_texts names = { 0 };
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	size_t i;

	ga_sys_list(UDEV_RULES, &names);
	for (i = 0; i < names.n; i++) {
		ga_autofree char *path = ga_xprintf(UDEV_RULES "/%s", names.v[i]);

		if (strstr(names.v[i], "gpuaas") &&
		    ga_file_read(path, 1 << 20, &text, &ignored) == 0)
			ga_str_addf(out, "\n%s", text.buf);
	}
}

#define AUTOACTIVATION ", which keeps LVM, md and multipath from the disks of slots"

/* The host must not activate a tenant's LVM, md or multipath data: a rule must name each disk that
 * the host does not use itself. */
static void check_autoactivation(struct check *c)
{
	ga_autostr struct ga_str rules = GA_STR_INIT;
	ga_autofree char *evidence = NULL;
	size_t i, named = 0, open = 0;
	const char *first = NULL;

	read_rules(&rules);
	for (i = 0; i < c->f->disks->n; i++) {
		const struct ga_block_dev *d = &c->f->disks->v[i];
		ga_autouses struct ga_block_uses uses = { 0 };

		if (!d->wwid)
			continue;
		if (strstr(rules.buf, d->wwid)) {
			named++;
			continue;
		}
		ga_block_uses_in(c->f->table, d, false, &uses);
		if (ga_block_is_used(&uses) || ga_block_is_system(&uses))
			continue;
		open++;
		first = first ? first : d->path;
	}
	evidence = !rules.len ? ga_xprintf("no rule of gpuaas in " UDEV_RULES) :
				ga_xprintf("rules of gpuaas in " UDEV_RULES " name %zu disks%s%s",
					   named, first ? ", and not " : "", first ? first : "");
	add(c, "disk_autoactivation", NULL, rules.len && !open ? OK : MISSING, evidence,
	    c->f->baremetal ? "run 'gpuaas-host-bootstrap --mode baremetal'" AUTOACTIVATION :
			      BOOTSTRAP AUTOACTIVATION);
}

/* Whether an argument is in the boot loader's settings but not on the command line. */
static bool is_waiting(const char *settings, const char *cmdline, const char *word)
{
	const char *p = settings;

	while ((p = strstr(p, word))) {
		const char *line = p;

		while (line > settings && line[-1] != '\n')
			line--;
		if (*line != '#')
			return !strstr(cmdline, word);
		p += strlen(word);
	}
	return false;
}

/* The first word of settings that the command line of the running kernel lacks, or NULL. */
static const char *waiting_word(const char *settings, const char *cmdline)
{
	static const char *const words[] = { "intel_iommu=on", "amd_iommu=on", "iommu=pt",
					     "default_hugepagesz=", "hugepages=" };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(words); i++)
		if (is_waiting(settings, cmdline, words[i]))
			return words[i];
	return NULL;
}

static void check_grub_file(struct check *c, const char *path)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	ga_autofree char *evidence = NULL;
	const char *word;

	if (ga_file_read(path, 1 << 16, &text, &ignored) < 0)
		return; /* another boot loader: nothing to compare with */
	word = waiting_word(text.buf, c->f->cmdline);
	if (!word)
		return;
	evidence = ga_xprintf("it is in %s and not in /proc/cmdline", path);
	c->host->reboot_required = true;
	ga_reasons_add(&c->host->warnings, "reboot_required", word, evidence,
		       "run update-grub, drain the node and reboot it");
}

static void check_reboot(struct check *c)
{
	ga_autotexts struct ga_texts names = { 0 };
	size_t i;

	if (ga_sys_exists("/run/reboot-required")) {
		c->host->reboot_required = true;
		ga_reasons_add(&c->host->warnings, "reboot_required", NULL,
			       "/run/reboot-required is there", "drain the node and reboot it");
	}
	check_grub_file(c, "/etc/default/grub");
	ga_sys_list(GRUB_D, &names);
	for (i = 0; i < names.n; i++) {
		ga_autofree char *path = ga_xprintf(GRUB_D "/%s", names.v[i]);
		size_t len = strlen(names.v[i]);

		if (len > 4 && ga_streq(names.v[i] + len - 4, ".cfg"))
			check_grub_file(c, path);
	}
}

void ga_prereqs_read(const struct ga_prereq_facts *facts, struct ga_host *host)
{
	struct check c = { .f = facts, .host = host };

	if (!facts->baremetal) {
		check_kvm(&c);
		check_iommu(&c);
		check_interrupt_remapping(&c);
		check_overrides(&c);
		check_vfio(&c);
		check_sriov(&c);
		check_network(&c);
		check_libvirt(&c);
		check_firmware(&c);
		check_rdma(&c);
	}
	check_space(&c);
	check_autoactivation(&c);
	check_reboot(&c);
}
