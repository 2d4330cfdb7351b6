/* SPDX-License-Identifier: Apache-2.0 */
/* Facts from files: settings, installed programs, units. dev.c and net.c have the facts of the
 * machine. */
#include "look/setup/look.h"

#include <dirent.h>
#include <unistd.h>

#include "base/file.h"
#include "base/proc.h"
#include "look/host/host.h"
#include "look/iommu.h"
#include "look/setup/internal.h"
#include "look/sys.h"

#define FILE_MAX (1 << 20)

static int read_file(const struct ga_root *root, const char *path, struct ga_setup_facts *f,
		     struct ga_err *err)
{
	struct ga_setup_file *file = ga_list_add(&f->files);
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct stat st = { 0 };
	int r = ga_root_stat(root, path, &st, err);

	file->path = ga_xstrdup(path);
	file->state = r == 0 ? GA_SETUP_ABSENT :
		      S_ISREG(st.st_mode) ? GA_SETUP_REGULAR :
		      S_ISLNK(st.st_mode) ? GA_SETUP_LINK : GA_SETUP_OTHER;
	if (r > 0 && file->state == GA_SETUP_REGULAR)
		r = ga_root_read(root, path, FILE_MAX, &text, &st, err);
	if (r < 0)
		return -1;
	file->mode = st.st_mode & 07777;
	file->len = text.len;
	file->text = ga_str_take(&text);
	return 0;
}

static bool has_any(const struct ga_root *root, const char *const *paths)
{
	for (; *paths; paths++)
		if (ga_root_has(root, *paths))
			return true;
	return false;
}

static void look_programs(const struct ga_root *root, struct ga_setup_facts *f)
{
	static const char *const grub[] = { "/usr/sbin/update-grub", NULL };
	static const char *const lvm[] = { "/usr/sbin/lvm", "/sbin/lvm", NULL };
	static const char *const md[] = { "/usr/sbin/mdadm", "/sbin/mdadm", NULL };
	static const char *const mp[] = { "/usr/sbin/multipathd", "/sbin/multipathd", NULL };
	static const char *const tuned[] = { "/usr/sbin/tuned-adm", NULL };
	static const char *const irfs[] = { "/usr/sbin/update-initramfs", NULL };
	static const char *const virt[] = { "/usr/sbin/libvirtd", "/usr/sbin/virtqemud", NULL };
	static const char *const ovs[] = { "/usr/bin/ovs-vsctl", NULL };
	static const char *const dns[] = { "/usr/sbin/dnsmasq", NULL };
	static const char *const nft[] = { "/usr/sbin/nft", NULL };
	static const char *const ct[] = { "/usr/sbin/conntrack", NULL };

	f->grub = has_any(root, grub);
	f->lvm = has_any(root, lvm);
	f->mdadm = has_any(root, md);
	f->multipath = has_any(root, mp);
	f->tuned = has_any(root, tuned);
	f->initramfs = has_any(root, irfs);
	f->libvirt = has_any(root, virt);
	f->ovs = has_any(root, ovs);
	f->dnsmasq = has_any(root, dns);
	f->nft = has_any(root, nft);
	f->conntrack = has_any(root, ct);
	f->systemd = !f->rooted && ga_sys_exists("/run/systemd/system");
}

/* ---- settings of others ---- */

/* The inside of "global_filter = [ … ]" outside comments and our own block, or NULL. */
static char *filter_of(const char *text)
{
	ga_autostr struct ga_str plain = GA_STR_INIT;
	ga_autofree char *copy = ga_xstrdup(text);
	char *rest = copy, *line, *at, *end;
	bool ours = false, quoted = false;

	while ((line = strsep(&rest, "\n"))) {
		if (ga_streq(line, GA_SETUP_BEGIN) || ga_streq(line, GA_SETUP_END))
			ours = ga_streq(line, GA_SETUP_BEGIN);
		line += strspn(line, " \t");
		if (!ours && *line != '#')
			ga_str_addf(&plain, "%s ", line);
	}
	at = strstr(plain.buf, "global_filter");
	at = at ? strchr(at, '[') : NULL;
	for (end = at; end && *end && (quoted || *end != ']'); end++)
		quoted ^= *end == '"';
	return end && *end ? ga_sys_tidy(ga_xstrndup(at + 1, (size_t)(end - at - 1))) : NULL;
}

static void look_lvm(const struct ga_root *root, struct ga_setup_facts *f)
{
	const struct ga_setup_file *local = ga_setup_file(f, GA_SETUP_LVM);
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	struct stat st;

	if (local && local->state == GA_SETUP_REGULAR)
		f->lvm_filter = filter_of(local->text);
	f->lvm_local = f->lvm_filter != NULL;
	if (!f->lvm_filter && ga_root_read(root, "/etc/lvm/lvm.conf", FILE_MAX, &text, &st,
					   &ignored) > 0)
		f->lvm_filter = filter_of(text.buf);
	if (f->lvm_filter && !*f->lvm_filter)
		free(GA_TAKE(f->lvm_filter));
}

/* "ARRAY name … UUID=u" as "ARRAY name UUID=u", once. */
static void add_array(struct ga_str *out, char *line)
{
	char *uuid = strstr(line, "UUID="), *name = line + strlen("ARRAY");
	ga_autofree char *id = NULL, *text = NULL;

	name += strspn(name, " \t");
	if (!uuid || *name == '<')
		return;
	id = ga_xstrndup(uuid, strcspn(uuid, " \t\n"));
	if (strstr(out->buf, id))
		return;
	text = ga_xprintf("ARRAY %.*s %s", (int)strcspn(name, " \t"), name, id);
	ga_str_addf(out, "%s\n", ga_sys_tidy(text));
}

static void add_arrays(struct ga_str *out, const char *text, bool ours_only)
{
	ga_autofree char *copy = ga_xstrdup(text);
	char *rest = copy, *line;
	bool ours = false;

	while ((line = strsep(&rest, "\n"))) {
		if (ga_streq(line, GA_SETUP_BEGIN) || ga_streq(line, GA_SETUP_END))
			ours = ga_streq(line, GA_SETUP_BEGIN);
		else if (ga_starts(line, "ARRAY") && (ours || !ours_only))
			add_array(out, line);
	}
}

/* The host's own arrays: those that our block names already, and those that run now. */
static void look_md(struct ga_setup_facts *f)
{
	static const char *const argv[] = { "mdadm", "--detail", "--scan", NULL };
	const struct ga_proc p = { .argv = argv };
	const struct ga_setup_file *conf = ga_setup_file(f, GA_SETUP_MDADM);
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	ga_autostr struct ga_str arrays = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;

	if (conf && conf->state == GA_SETUP_REGULAR)
		add_arrays(&arrays, conf->text, true);
	if (f->mdadm && !f->rooted && ga_proc_check(&p, &out, &ignored) == 0)
		add_arrays(&arrays, out.out.buf, false);
	if (arrays.len)
		f->md_arrays = ga_str_take(&arrays);
}

/* Whether every kernel line of grub.cfg has every argument of ours. */
static void look_grub(const struct ga_root *root, struct ga_setup_facts *f)
{
	ga_autostr struct ga_str text = GA_STR_INIT, words = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	char *rest, *line;
	struct stat st;

	f->grub_has = GA_UNKNOWN;
	if (ga_root_read(root, "/boot/grub/grub.cfg", FILE_MAX, &text, &st, &ignored) <= 0)
		return;
	ga_setup_arguments(f, &words);
	rest = text.buf;
	while ((line = strsep(&rest, "\n"))) {
		line += strspn(line, " \t");
		if (!ga_starts(line, "linux") || !strstr(line, "vmlinuz"))
			continue;
		if (f->grub_has == GA_UNKNOWN)
			f->grub_has = 1;
		f->grub_has = f->grub_has && ga_setup_has_words(line, words.buf);
	}
}

/* ---- units ---- */

/* Whether a unit is wanted by a target: a link in a *.wants or *.requires folder. */
static bool is_enabled(const struct ga_root *root, const char *name)
{
	ga_autofree char *own = ga_xprintf("/etc/systemd/system/%s", name);
	ga_autofree char *target = ga_root_link(root, own);
	ga_autofd int fd = ga_root_folder(root, "/etc/systemd/system");
	ga_autodir DIR *d = fd < 0 ? NULL : fdopendir(dup(fd));
	struct dirent *e;
	bool found = false;

	if (ga_streq(target, "/dev/null"))
		return false; /* masked */
	while (d && !found && (e = readdir(d))) {
		ga_autofree char *path = ga_xprintf("/etc/systemd/system/%s/%s", e->d_name, name);
		struct ga_err ignored = GA_ERR_INIT;
		struct stat st;

		if (strstr(e->d_name, ".wants") || strstr(e->d_name, ".requires"))
			found = ga_root_stat(root, path, &st, &ignored) > 0;
	}
	return found;
}

static int64_t is_active(const char *name)
{
	const char *argv[] = { "systemctl", "is-active", "--quiet", name, NULL };
	const struct ga_proc p = { .argv = argv };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	struct ga_err ignored = GA_ERR_INIT;

	return ga_proc_run(&p, &out, &ignored) < 0 ? GA_UNKNOWN : out.status == 0;
}

static void look_units(const struct ga_root *root, struct ga_setup_facts *f)
{
	static const char *const folders[] = { "/etc/systemd/system",
					       "/usr/local/lib/systemd/system",
					       "/usr/lib/systemd/system", "/lib/systemd/system" };
	size_t i, j;

	for (i = 0; ga_setup_units[i].name; i++) {
		struct ga_setup_unit *u = ga_list_add(&f->units);

		u->name = ga_xstrdup(ga_setup_units[i].name);
		for (j = 0; j < GA_ARRAY_SIZE(folders) && !u->there; j++) {
			ga_autofree char *path = ga_xprintf("%s/%s", folders[j], u->name);

			u->there = ga_root_has(root, path);
		}
		u->enabled = u->there && is_enabled(root, u->name);
		u->active = u->there && f->systemd && ga_setup_units[i].start ? is_active(u->name) :
									      GA_UNKNOWN;
	}
}

static int64_t folder_mode(const struct ga_root *root, const char *path)
{
	struct ga_err ignored = GA_ERR_INIT;
	struct stat st;

	return ga_root_stat(root, path, &st, &ignored) > 0 && S_ISDIR(st.st_mode) ?
		       st.st_mode & 07777 :
		       GA_UNKNOWN;
}

static int look_files(const struct ga_root *root, struct ga_setup_facts *f, struct ga_err *err)
{
	ga_autostr struct ga_str profile = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	const struct ga_setup_file *devices;
	struct stat st;
	size_t i;

	for (i = 0; ga_setup_paths[i]; i++)
		if (read_file(root, ga_setup_paths[i], f, err) < 0)
			return -1;
	devices = ga_setup_file(f, GA_SETUP_DEVICES);
	if (devices->state == GA_SETUP_REGULAR &&
	    ga_setup_devices_parse(devices->text, &f->listed, err) < 0)
		return -1;
	if (ga_root_read(root, "/etc/tuned/active_profile", 4096, &profile, &st, &ignored) > 0 &&
	    profile.len)
		f->tuned_profile = ga_sys_tidy(ga_str_take(&profile));
	f->data_mode = folder_mode(root, "/var/lib/gpuaas");
	f->hosts_mode = f->dhcp_hosts ? folder_mode(root, f->dhcp_hosts) : GA_UNKNOWN;
	return 0;
}

/* ---- the kernel ---- */

char *ga_setup_sysctl_path(const char *key)
{
	char *path = ga_xprintf("/proc/sys/%s", key), *p;

	for (p = path + strlen("/proc/sys/"); *p; p++)
		*p = *p == '.' ? '/' : *p;
	return path;
}

char *ga_setup_sysctl(const char *key)
{
	ga_autofree char *path = ga_setup_sysctl_path(key);
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	char *p;

	if (ga_file_read(path, 4096, &text, &ignored) < 0)
		return NULL;
	for (p = text.buf; *p; p++)
		*p = *p == '\t' ? ' ' : *p;
	return ga_sys_tidy(ga_str_take(&text));
}

static void look_kernel(struct ga_setup_facts *f)
{
	size_t i;

	f->cpu = ga_xstrdup(ga_iommu_vendor());
	f->cmdline = ga_host_cmdline();
	for (i = 0; ga_setup_sysctls[i].key && !f->rooted; i++) {
		struct ga_setup_value *v = ga_list_add(&f->sysctls);

		v->key = ga_xstrdup(ga_setup_sysctls[i].key);
		v->value = ga_setup_sysctl(ga_setup_sysctls[i].key);
	}
	for (i = 0; ga_setup_modules[i] && !f->rooted; i++) {
		struct ga_setup_value *v = ga_list_add(&f->modules);
		ga_autofree char *name = ga_xstrdup(ga_setup_modules[i]), *path = NULL;
		ga_autofree char *driver = ga_xprintf("/sys/bus/pci/drivers/%s", name);
		char *p;

		for (p = name; *p; p++)
			*p = *p == '-' ? '_' : *p;
		path = ga_xprintf("/sys/module/%s", name);
		v->key = ga_xstrdup(ga_setup_modules[i]);
		v->value = ga_sys_exists(path) || ga_sys_exists(driver) ? ga_xstrdup("loaded") :
									   NULL;
	}
}

int ga_setup_look(const struct ga_root *root, const char *accelerators, struct ga_setup_facts *f,
		  struct ga_err *err)
{
	f->memory_mib = f->bridge_there = f->bridge_up = f->bridge_address = f->nat = GA_UNKNOWN;
	f->bridge_flows = f->grub_has = GA_UNKNOWN;
	look_programs(root, f);
	if (look_files(root, f, err) < 0)
		return -1;
	look_kernel(f);
	if (!f->boot) {
		look_lvm(root, f);
		look_md(f);
		look_grub(root, f);
		look_units(root, f);
	}
	if (f->rooted)
		return 0;
	if (!f->baremetal)
		ga_setup_look_network(f);
	return ga_setup_look_devices(accelerators, f, err);
}
