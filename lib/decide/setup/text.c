/* SPDX-License-Identifier: Apache-2.0 */
/* The texts of the files of a prepared host. */
#include "decide/setup/bootstrap.h"

#include <ctype.h>
#include <inttypes.h>

#include "base/texts.h"
#include "record/size.h"

#define HEAD "# SPDX-License-Identifier: Apache-2.0\n# " GA_SETUP_MARK "; "

const char *const ga_setup_paths[] = {
	GA_SETUP_CONF,	    GA_SETUP_DEVICES,	GA_SETUP_DNSMASQ,   GA_SETUP_GRUB, GA_SETUP_MODULES,
	GA_SETUP_SYSCTL,    GA_SETUP_TUNED,	GA_SETUP_UDEV,	    GA_SETUP_LVM,  GA_SETUP_MDADM,
	GA_SETUP_MULTIPATH, GA_SETUP_INITRAMFS, GA_SETUP_AUTOSTART, NULL,
};

/* The tuned profile: buffers for long fat paths (the values of NVIDIA's and Mellanox's guides for
 * 100 GbE and up), no page migration below pinned guests, a queue of native I/O for each disk. */
const struct ga_setup_setting ga_setup_sysctls[] = {
	{ "net.ipv4.ip_forward", "1", "guests leave by the host" },
	{ "net.core.rmem_max", "268435456", "receive buffers of fast links" },
	{ "net.core.wmem_max", "268435456", "send buffers of fast links" },
	{ "net.core.netdev_max_backlog", "250000", "bursts of fast links" },
	{ "net.ipv4.tcp_rmem", "4096 87380 134217728", "receive windows of fast links" },
	{ "net.ipv4.tcp_wmem", "4096 65536 134217728", "send windows of fast links" },
	{ "net.ipv4.neigh.default.gc_thresh3", "8192", "neighbours of a large fabric" },
	{ "kernel.numa_balancing", "0", "memory of guests is pinned where it belongs" },
	{ "vm.zone_reclaim_mode", "0", "no reclaim beside free memory of the other node" },
	{ "vm.swappiness", "10", "the host keeps its programs in memory" },
	{ "fs.aio-max-nr", "1048576", "native I/O of many disks" },
	{ NULL, NULL, NULL },
};

const char *const ga_setup_modules[] = { "vfio-pci", "vfio_iommu_type1", NULL };

const struct ga_setup_file *ga_setup_file(const struct ga_setup_facts *f, const char *path)
{
	size_t i;

	for (i = 0; i < f->files.n; i++)
		if (ga_streq(f->files.v[i].path, path))
			return &f->files.v[i];
	return NULL;
}

bool ga_setup_wwid_is_plain(const char *wwid)
{
	const char *p;

	for (p = wwid; *p; p++)
		if (!isalnum((unsigned char)*p) && !strchr("._:-", *p))
			return false;
	return p > wwid && p - wwid < 200;
}

bool ga_setup_has_word(const char *cmdline, const char *word, size_t len)
{
	const char *p = cmdline;

	while (*p) {
		size_t n;

		p += strspn(p, " \t\n");
		n = strcspn(p, " \t\n");
		if (n == len && !strncmp(p, word, len))
			return true;
		p += n;
	}
	return false;
}

bool ga_setup_has_words(const char *cmdline, const char *words)
{
	const char *p = words;

	while (*p) {
		size_t n = strcspn(p, " ");

		if (n && !ga_setup_has_word(cmdline, p, n))
			return false;
		p += n + (p[n] == ' ');
	}
	return true;
}

/* ---- kernel arguments ---- */

static bool is_pages_word(const char *word, size_t len)
{
	static const char *const keys[] = { "hugepages=", "hugepagesz=", "default_hugepagesz=" };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(keys); i++)
		if (len > strlen(keys[i]) && !strncmp(word, keys[i], strlen(keys[i])))
			return true;
	return false;
}

/* Keeps the huge page words of our own file in a later run without the option. */
static void add_pages_of_file(const struct ga_setup_facts *f, struct ga_str *out)
{
	const struct ga_setup_file *file = ga_setup_file(f, GA_SETUP_GRUB);
	const char *p = file && file->state == GA_SETUP_REGULAR ? file->text : "";

	while (*p) {
		size_t n;

		p += strspn(p, " \t\n\"");
		n = strcspn(p, " \t\n\"");
		if (is_pages_word(p, n)) {
			ga_str_addc(out, ' ');
			ga_str_add_bytes(out, p, n);
		}
		p += n;
	}
}

static const char *pages_size(int64_t kib)
{
	return kib >= 1 << 20 ? "1G" : "2M";
}

void ga_setup_arguments(const struct ga_setup_facts *f, struct ga_str *out)
{
	size_t i;

	ga_str_clear(out);
	if (f->rooted || !ga_streq(f->cpu, "amd"))
		ga_str_add(out, "intel_iommu=on ");
	if (f->rooted || ga_streq(f->cpu, "amd"))
		ga_str_add(out, "amd_iommu=on ");
	ga_str_add(out, "iommu=pt");
	if (!f->hugepages.n) {
		add_pages_of_file(f, out);
		return;
	}
	/* libvirt finds the pages through /dev/hugepages, which has the default size. */
	ga_str_addf(out, " default_hugepagesz=%s", pages_size(f->hugepages.v[0].size_kib));
	for (i = 0; i < f->hugepages.n; i++)
		ga_str_addf(out, " hugepagesz=%s hugepages=%" PRId64,
			    pages_size(f->hugepages.v[i].size_kib), f->hugepages.v[i].count);
}

int ga_setup_pages_parse(const char *text, struct ga_setup_pages *ret, struct ga_err *err)
{
	size_t size = strcspn(text, ":");

	if (!text[size] || size != 2 || (strncmp(text, "1G", 2) && strncmp(text, "2M", 2)))
		return ga_fail(err, GA_USAGE, "--hugepages takes 1G:N or 2M:N, not '%.64s'", text);
	ret->size_kib = text[0] == '1' ? 1 << 20 : 2048;
	return ga_int_parse(text + size + 1, "--hugepages", 1, 1 << 24, &ret->count, err);
}

void ga_setup_text_grub(const struct ga_setup_facts *f, struct ga_str *out)
{
	ga_autostr struct ga_str words = GA_STR_INIT;

	ga_setup_arguments(f, &words);
	ga_str_add(out, HEAD "read by update-grub.\n");
	ga_str_addf(out, "GRUB_CMDLINE_LINUX=\"$GRUB_CMDLINE_LINUX %s\"\n", words.buf);
}

/* ---- modules, sysctl, tuned ---- */

void ga_setup_text_modules(struct ga_str *out)
{
	size_t i;

	ga_str_add(out, HEAD "slices are passed through by vfio.\n");
	for (i = 0; ga_setup_modules[i]; i++)
		ga_str_addf(out, "%s\n", ga_setup_modules[i]);
}

void ga_setup_text_sysctl(struct ga_str *out)
{
	size_t i;

	ga_str_add(out, HEAD "see gpuaas-host-bootstrap(8).\n");
	/* The minus: a kernel without the setting reports no error. */
	for (i = 0; ga_setup_sysctls[i].key; i++)
		ga_str_addf(out, "# %s\n%s%s = %s\n", ga_setup_sysctls[i].why,
			    ga_starts(ga_setup_sysctls[i].key, "net.ipv4.ip_forward") ? "" : "-",
			    ga_setup_sysctls[i].key, ga_setup_sysctls[i].value);
}

void ga_setup_text_tuned(struct ga_str *out)
{
	size_t i;

	ga_str_add(out, HEAD "see gpuaas-host-bootstrap(8).\n");
	ga_str_add(out, "[main]\nsummary=Host of GPU slices\ninclude=virtual-host\n\n[sysctl]\n");
	for (i = 0; ga_setup_sysctls[i].key; i++)
		ga_str_addf(out, "%s=%s\n", ga_setup_sysctls[i].key, ga_setup_sysctls[i].value);
}

/* ---- the tenants' disks ---- */

void ga_setup_text_udev(const struct ga_setup_facts *f, struct ga_str *out)
{
	size_t i;

	ga_str_add(out, HEAD "disks of slots.\n"
			"# What a tenant leaves on them, LVM or md, must not wake up here.\n"
			"# After 60-persistent-storage.rules, which probe; before those that act.\n"
			"SUBSYSTEM!=\"block\", GOTO=\"gpuaas_end\"\n"
			"KERNEL!=\"nvme*\", GOTO=\"gpuaas_end\"\n"
			"ACTION==\"remove\", GOTO=\"gpuaas_end\"\n");
	for (i = 0; i < f->disks.n; i++)
		ga_str_addf(out,
			    "# disk %s\nATTRS{wwid}==\"%s\", ENV{ID_FS_TYPE}=\"\", "
			    "ENV{ID_FS_USAGE}=\"\", ENV{SYSTEMD_READY}=\"0\", "
			    "ENV{UDISKS_IGNORE}=\"1\", ENV{GPUAAS_DISK}=\"1\"\n",
			    f->disks.v[i].wwid, f->disks.v[i].wwid);
	ga_str_add(out, "LABEL=\"gpuaas_end\"\n");
}

void ga_setup_listed_disks(const char *text, struct ga_texts *wwids)
{
	static const char mark[] = "# disk ";

	while (*text) {
		size_t n = strcspn(text, "\n");

		if (n > strlen(mark) && !strncmp(text, mark, strlen(mark))) {
			ga_autofree char *w = ga_xstrndup(text + strlen(mark), n - strlen(mark));

			if (ga_setup_wwid_is_plain(w))
				ga_texts_add(wwids, w);
		}
		text += n + (text[n] == '\n');
	}
}

/* A wwid as a regular expression: '.' is the only plain character with a meaning. */
static void add_escaped(struct ga_str *out, const char *wwid)
{
	for (; *wwid; wwid++) {
		if (*wwid == '.')
			ga_str_add(out, "[.]");
		else
			ga_str_addc(out, *wwid);
	}
}

/* lvmlocal.conf is read after lvm.conf and wins (lvm.conf(5)), so our filter repeats the one of
 * lvm.conf after its own rules. LVM also knows a disk by its links
 * (obtain_device_list_from_udev). */
void ga_setup_text_lvm(const struct ga_setup_facts *f, struct ga_str *out)
{
	size_t i;

	ga_str_add(out, "# Disks of slots: never scanned, never activated.\n"
			"devices/global_filter = [ ");
	for (i = 0; i < f->disks.n; i++) {
		ga_str_addf(out, "%s\"r|^/dev/disk/by-id/nvme-", i ? ", " : "");
		add_escaped(out, f->disks.v[i].wwid);
		ga_str_add(out, "(-part[0-9]+)?$|\"");
	}
	ga_str_addf(out, "%s%s ]\n", f->lvm_filter ? ", " : "", f->lvm_filter ? f->lvm_filter : "");
}

/* mdadm.conf(5): with AUTO -all, mdadm assembles only the arrays of ARRAY lines. The names of
 * tenants' arrays are not known in advance; those of the host's own arrays are. */
void ga_setup_text_mdadm(const struct ga_setup_facts *f, struct ga_str *out)
{
	ga_str_add(out, "# Only the host's own arrays are assembled, none on a disk of a slot.\n");
	if (f->md_arrays)
		ga_str_add(out, f->md_arrays);
	ga_str_add(out, "AUTO -all\n");
}

void ga_setup_text_multipath(const struct ga_setup_facts *f, struct ga_str *out)
{
	size_t i;

	ga_str_add(out, HEAD "disks of slots.\nblacklist {\n");
	for (i = 0; i < f->disks.n; i++) {
		ga_str_add(out, "\twwid \"^");
		add_escaped(out, f->disks.v[i].wwid);
		ga_str_add(out, "$\"\n");
	}
	ga_str_add(out, "}\n");
}

/* The initial RAM disk needs the rule too, because md already assembles arrays there. */
void ga_setup_text_initramfs(struct ga_str *out)
{
	ga_str_add(out, "#!/bin/sh\n" HEAD "run by update-initramfs.\n"
			"[ \"$1\" != prereqs ] || { echo udev; exit 0; }\n"
			". /usr/share/initramfs-tools/hook-functions\n"
			"[ ! -e " GA_SETUP_UDEV " ] || copy_file rule " GA_SETUP_UDEV "\n");
}

/* ---- network ---- */

void ga_setup_text_dnsmasq(const struct ga_setup_facts *f, struct ga_str *out)
{
	uint32_t mask = f->prefix_bits <= 0 ? 0 : UINT32_MAX << (32 - f->prefix_bits);

	ga_str_add(out, HEAD "addresses of slices.\n");
	/* bind-dynamic: the bridge may appear after the daemon. Only a MAC with a hosts file gets
	 * an address. */
	ga_str_addf(out,
		    "interface=%s\nexcept-interface=lo\nbind-dynamic\n"
		    "dhcp-range=%.*s,static,%u.%u.%u.%u,12h\n"
		    "dhcp-option=option:router,%s\ndhcp-option=option:dns-server,%s\n"
		    "dhcp-hostsdir=%s\ndhcp-leasefile=%s\ndhcp-authoritative\n"
		    "no-hosts\ndomain-needed\nbogus-priv\nstop-dns-rebind\n",
		    f->bridge, (int)strcspn(f->network, "/"), f->network, mask >> 24,
		    mask >> 16 & 255, mask >> 8 & 255, mask & 255, f->gateway, f->gateway,
		    f->dhcp_hosts, f->leases);
}

/* ---- devices that a boot restores ---- */

void ga_setup_text_devices(const struct ga_setup_list *list, struct ga_str *out)
{
	size_t i;

	ga_str_add(out, HEAD "what gpuaas-host-bootstrap --boot brings back.\n"
			"# sort address identity [virtual functions]\n");
	for (i = 0; i < list->n; i++) {
		const struct ga_setup_listed *l = &list->v[i];

		ga_str_addf(out, "%s %s %s", l->sort, l->address, l->identity);
		if (ga_streq(l->sort, "pf"))
			ga_str_addf(out, " %" PRId64, l->vfs);
		ga_str_addc(out, '\n');
	}
}

static int parse_device(char *line, struct ga_setup_list *ret, struct ga_err *err)
{
	char *sort = strsep(&line, " "), *address = line ? strsep(&line, " ") : NULL;
	char *identity = line ? strsep(&line, " ") : NULL;
	bool pf = ga_streq(sort, "pf");
	struct ga_setup_listed *l;
	int64_t vfs = GA_UNKNOWN;

	if (!identity || pf != (line != NULL) ||
	    (!pf && !ga_streq(sort, "gpu") && !ga_streq(sort, "vf")) ||
	    (pf && ga_int_parse(line, "virtual functions", 0, 65535, &vfs, err) < 0))
		return ga_fail(err, GA_BADREC, "a line of '%s' is no 'sort address identity'",
			       GA_SETUP_DEVICES);
	l = ga_list_add(ret);
	l->sort = ga_xstrdup(sort);
	l->address = ga_xstrdup(address);
	l->identity = ga_xstrdup(identity);
	l->vfs = vfs;
	return 0;
}

int ga_setup_devices_parse(const char *text, struct ga_setup_list *ret, struct ga_err *err)
{
	ga_autofree char *copy = ga_xstrdup(text);
	char *rest = copy, *line;

	while ((line = strsep(&rest, "\n"))) {
		if (!*line || *line == '#')
			continue;
		if (parse_device(line, ret, err) < 0)
			return ga_hint(err, "repair the line, or remove the file and run "
					    "gpuaas-host-bootstrap --mode slice");
	}
	return 0;
}

/* ---- the configuration ---- */

/* Whether KEY= is at the start of a line, as lib/cli/frame/cli.c reads it. */
static bool has_key(const char *text, const char *key)
{
	size_t len = strlen(key);

	while (*text) {
		if (!strncmp(text, key, len) && text[len] == '=')
			return true;
		text += strcspn(text, "\n");
		text += *text == '\n';
	}
	return false;
}

void ga_setup_text_conf(const struct ga_setup_facts *f, const struct ga_setup_file *now,
			struct ga_str *out)
{
	const struct {
		const char *key, *value;
	} wish[] = {
		{ "GPUAAS_MODE", f->baremetal ? "baremetal" : "slice" },
		{ "GPUAAS_NODE", f->node },
		{ "GPUAAS_BRIDGE", f->baremetal ? NULL : f->bridge },
		{ "GPUAAS_NETWORK", f->baremetal ? NULL : f->network },
		{ "GPUAAS_UPLINK", f->baremetal ? NULL : f->uplink },
		{ "GPUAAS_DHCP_HOSTS", f->baremetal ? NULL : f->dhcp_hosts },
		{ "GPUAAS_LEASES", f->baremetal ? NULL : f->leases },
	};
	bool there = now && now->state == GA_SETUP_REGULAR, said = false;
	size_t i;

	if (there)
		ga_str_add_bytes(out, now->text, now->len);
	for (i = 0; i < GA_ARRAY_SIZE(wish); i++) {
		if (!wish[i].value || (there && has_key(now->text, wish[i].key)))
			continue;
		if (out->len && out->buf[out->len - 1] != '\n')
			ga_str_addc(out, '\n');
		if (!said)
			ga_str_add(out, "# " GA_SETUP_MARK "; present keys are never changed.\n");
		said = true;
		ga_str_addf(out, "%s=%s\n", wish[i].key, wish[i].value);
	}
}

/* ---- marked blocks ---- */

/* Offset of the line in the text; -1 when it is missing, -2 when it occurs twice. */
static ptrdiff_t find_line(const char *text, size_t len, const char *line)
{
	size_t n = strlen(line), at = 0;
	ptrdiff_t found = -1;

	while (at < len) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t here = end ? (size_t)(end - text) - at : len - at;

		if (here == n && !memcmp(text + at, line, n)) {
			if (found >= 0)
				return -2;
			found = (ptrdiff_t)at;
		}
		at += here + 1;
	}
	return found;
}

static void add_block(struct ga_str *out, const char *block)
{
	ga_str_addf(out, "%s\n%s%s\n", GA_SETUP_BEGIN, block, GA_SETUP_END);
}

int ga_setup_text_block(const char *now, size_t len, const char *block, struct ga_str *out)
{
	ptrdiff_t begin = find_line(now, len, GA_SETUP_BEGIN);
	ptrdiff_t end = find_line(now, len, GA_SETUP_END);
	size_t after;

	ga_str_clear(out);
	if (begin < -1 || end < -1 || (begin < 0) != (end < 0) || end < begin)
		return -1;
	if (begin < 0) {
		ga_str_add_bytes(out, now, len);
		if (!block || !*block)
			return 0;
		if (len && now[len - 1] != '\n')
			ga_str_addc(out, '\n');
		add_block(out, block);
		return 0;
	}
	ga_str_add_bytes(out, now, (size_t)begin);
	if (block && *block)
		add_block(out, block);
	after = (size_t)end + strlen(GA_SETUP_END);
	if (after < len) /* the line's newline */
		after++;
	ga_str_add_bytes(out, now + after, len - after);
	return 0;
}
