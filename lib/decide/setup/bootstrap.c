/* SPDX-License-Identifier: Apache-2.0 */
/* The plan: the steps that prepare a host. net.c has the steps of the network, dev.c those of the
 * devices. */
#include "decide/setup/bootstrap.h"

#include <inttypes.h>

#include "decide/setup/internal.h"

/* ---- lists ---- */

void ga_setup_list_release(struct ga_setup_list *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		free(list->v[i].sort);
		free(list->v[i].address);
		free(list->v[i].identity);
	}
	ga_list_release(list);
}

const struct ga_setup_listed *ga_setup_list_find(const struct ga_setup_list *list, const char *sort,
						 const char *identity)
{
	size_t i;

	for (i = 0; i < list->n; i++)
		if (ga_streq(list->v[i].sort, sort) && ga_streq(list->v[i].identity, identity))
			return &list->v[i];
	return NULL;
}

static void release_values(struct ga_setup_value *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		free(v[i].key);
		free(v[i].value);
	}
}

void ga_setup_facts_release(struct ga_setup_facts *f)
{
	size_t i;

	for (i = 0; i < f->devs.n; i++) {
		struct ga_setup_dev *d = &f->devs.v[i];

		free(d->sort);
		free(d->address);
		free(d->identity);
		free(d->driver);
		free(d->override);
		free(d->pf);
		free(d->code);
		free(d->why);
		free(d->hint);
	}
	ga_list_release(&f->devs);
	for (i = 0; i < f->pfs.n; i++) {
		free(f->pfs.v[i].address);
		free(f->pfs.v[i].identity);
		free(f->pfs.v[i].assigned);
		free(f->pfs.v[i].code);
		free(f->pfs.v[i].why);
	}
	ga_list_release(&f->pfs);
	for (i = 0; i < f->disks.n; i++) {
		free(f->disks.v[i].wwid);
		free(f->disks.v[i].path);
		free(f->disks.v[i].content);
	}
	ga_list_release(&f->disks);
	ga_setup_list_release(&f->listed);
	for (i = 0; i < f->files.n; i++) {
		free(f->files.v[i].path);
		free(f->files.v[i].text);
	}
	ga_list_release(&f->files);
	release_values(f->sysctls.v, f->sysctls.n);
	ga_list_release(&f->sysctls);
	release_values(f->modules.v, f->modules.n);
	ga_list_release(&f->modules);
	for (i = 0; i < f->units.n; i++)
		free(f->units.v[i].name);
	ga_list_release(&f->units);
	ga_list_release(&f->hugepages);
	free(f->cpu);
	free(f->cmdline);
	free(f->tuned_profile);
	free(f->lvm_filter);
	free(f->md_arrays);
	free(f->bridge_mode);
	free(f->bridge_foreign);
	free(f->governor);
	free(f->thp);
	ga_list_release(&f->pages);
	*f = (struct ga_setup_facts){ 0 };
}

void ga_setup_plan_release(struct ga_setup_plan *plan)
{
	size_t i;

	for (i = 0; i < plan->n; i++) {
		ga_schema_release(&ga_bootstrap_step_schema, &plan->v[i].say);
		free(plan->v[i].text);
	}
	for (i = 0; i < plan->blockers.n; i++)
		ga_schema_release(&ga_reason_schema, &plan->blockers.v[i]);
	ga_list_release(&plan->blockers);
	free(plan->v);
	*plan = (struct ga_setup_plan){ 0 };
}

bool ga_setup_step_is_change(const struct ga_setup_step *s)
{
	return ga_streq(s->say.state, "pending");
}

/* ---- steps ---- */

struct ga_setup_step *ga_setup_add(struct ga_setup_plan *plan, enum ga_setup_op op,
				   const char *step, const char *subject, const char *state,
				   const char *reason)
{
	struct ga_setup_step *s =
		ga_list_grow((struct ga_any_list *)(void *)plan, sizeof(*plan->v));

	ga_schema_init(&ga_bootstrap_step_schema, &s->say);
	s->op = op;
	s->say.step = ga_xstrdup(step);
	s->say.subject = ga_xstrdup(subject);
	s->say.state = ga_xstrdup(state);
	s->say.reason = ga_xstrdup(reason);
	return s;
}

void ga_setup_emit(struct ga_setup_step *s, const char *change, const char *inverse,
		   const char *hint)
{
	s->say.change = ga_strdup0(change);
	s->say.inverse = ga_strdup0(inverse);
	s->say.hint = ga_strdup0(hint);
}

static bool is_ours(const struct ga_setup_file *now)
{
	return strnlen(now->text, now->len) == now->len && strstr(now->text, GA_SETUP_MARK);
}

/* Why a path cannot be written, or NULL. own: the complete file must be one of gpuaas. */
static const char *in_the_way(const struct ga_setup_file *now, bool own)
{
	if (!now || now->state == GA_SETUP_ABSENT)
		return NULL;
	if (now->state == GA_SETUP_LINK)
		return "it is a symbolic link: what it leads to may be shared with others";
	if (now->state == GA_SETUP_OTHER)
		return "it is no regular file";
	if (own && !is_ours(now))
		return "somebody else wrote a file of this name";
	return NULL;
}

struct ga_setup_step *ga_setup_add_file(const struct ga_setup_facts *f, struct ga_setup_plan *plan,
					const struct ga_setup_wish *w, const struct ga_str *text)
{
	const struct ga_setup_file *now = ga_setup_file(f, w->path);
	bool there = now && now->state == GA_SETUP_REGULAR;
	const char *way = in_the_way(now, !w->shared);
	struct ga_setup_step *s;

	if (there && !way && now->len == text->len && !memcmp(now->text, text->buf, text->len) &&
	    (w->shared || now->mode == w->mode))
		return ga_setup_add(plan, GA_SETUP_DO_NOTE, w->step, w->path, "ok", w->reason);
	s = ga_setup_add(plan, GA_SETUP_DO_FILE, w->step, w->path, way ? "blocked" : "pending",
			 way ? way : w->reason);
	if (way) {
		s->op = GA_SETUP_DO_NOTE;
		ga_setup_emit(s, NULL, NULL, "look at it, move it away, then run this again");
		ga_reasons_add(&plan->blockers, "file_in_the_way", w->path, way,
			       "look at it, move it away, then run this again");
		return s;
	}
	ga_setup_emit(s, !there ? "write it" : w->shared ? "change what is ours in it" :
							  "write it again",
		      there ? "put the old content back" : "remove it", NULL);
	s->text = ga_xstrndup(text->buf, text->len);
	s->len = text->len;
	s->number = w->shared && there ? now->mode : w->mode;
	s->runs = w->runs;
	return s;
}

/* Writes the block of gpuaas in a file that others write too; "" removes the block. */
static void add_block(const struct ga_setup_facts *f, struct ga_setup_plan *plan,
		      const struct ga_setup_wish *w, const char *block)
{
	const struct ga_setup_file *now = ga_setup_file(f, w->path);
	bool there = now && now->state == GA_SETUP_REGULAR;
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_setup_step *s;

	if (!there && !*block)
		return;
	if (ga_setup_text_block(there ? now->text : "", there ? now->len : 0, block, &text) < 0) {
		s = ga_setup_add(plan, GA_SETUP_DO_NOTE, w->step, w->path, "blocked",
				 "the lines that begin and end our block in it do not match");
		ga_setup_emit(s, NULL, NULL, "repair or remove the lines '" GA_SETUP_BEGIN "' and '"
			      GA_SETUP_END "'");
		ga_reasons_add(&plan->blockers, "file_in_the_way", w->path,
			       "the lines that begin and end our block in it do not "
			       "match", s->say.hint);
		return;
	}
	ga_setup_add_file(f, plan, w, &text);
}

/* ---- settings, folders ---- */

static void plan_conf(const struct ga_setup_facts *f, struct ga_setup_plan *plan)
{
	const struct ga_setup_wish w = {
		.step = "configuration", .path = GA_SETUP_CONF, .shared = true, .mode = 0644,
		.reason = "every program reads the node's settings there",
	};
	ga_autostr struct ga_str text = GA_STR_INIT;

	ga_setup_text_conf(f, ga_setup_file(f, w.path), &text);
	if (text.len)
		ga_setup_add_file(f, plan, &w, &text);
}

static void add_folder(struct ga_setup_plan *plan, const char *path, int64_t now, int64_t want,
		       const char *reason)
{
	bool ok = now != GA_UNKNOWN && (now & want) == want;
	struct ga_setup_step *s = ga_setup_add(plan, ok ? GA_SETUP_DO_NOTE : GA_SETUP_DO_FOLDER,
					       "folder", path, ok ? "ok" : "pending", reason);

	s->number = now == GA_UNKNOWN ? want : now | want;
	if (!ok)
		ga_setup_emit(s, now == GA_UNKNOWN ? "make it" : "let others pass through it",
			      now == GA_UNKNOWN ? "remove it when empty" : "the mode before", NULL);
}

/* ---- kernel ---- */

static bool pages_fit(const struct ga_setup_facts *f, struct ga_setup_plan *plan)
{
	ga_autofree char *evidence = NULL;
	int64_t mib = 0;
	size_t i;

	for (i = 0; i < f->hugepages.n; i++)
		mib += f->hugepages.v[i].count * (f->hugepages.v[i].size_kib / 1024);
	/* A host needs at least a sixteenth of its memory, and at least 1 GiB. */
	if (f->memory_mib == GA_UNKNOWN || f->rooted ||
	    mib <= f->memory_mib - (f->memory_mib / 16 > 1024 ? f->memory_mib / 16 : 1024))
		return true;
	evidence = ga_xprintf("%" PRId64 " MiB of hugepages and %" PRId64 " MiB of memory", mib,
			      f->memory_mib);
	ga_reasons_add(&plan->blockers, "hugepages_too_many", "--hugepages", evidence,
		       "leave the host a sixteenth of its memory, and at least 1 GiB");
	return false;
}

static void plan_kernel(const struct ga_setup_facts *f, struct ga_setup_plan *plan)
{
	const struct ga_setup_wish w = {
		.step = "kernel_arguments", .path = GA_SETUP_GRUB, .mode = 0644,
		.runs = GA_SETUP_RUN_GRUB,
		.reason = "the IOMMU isolates devices of slices; the host's own devices bypass it",
	};
	ga_autostr struct ga_str words = GA_STR_INIT, text = GA_STR_INIT;
	struct ga_setup_step *s;
	bool now;

	if (!pages_fit(f, plan))
		return;
	ga_setup_arguments(f, &words);
	now = !f->rooted && ga_setup_has_words(f->cmdline, words.buf);
	if (f->grub || f->rooted) {
		ga_setup_text_grub(f, &text);
		ga_setup_add_file(f, plan, &w, &text);
	} else if (!now) {
		ga_autofree char *hint = ga_xprintf("add '%s' to the kernel's arguments in your "
						    "boot loader, then reboot", words.buf);

		s = ga_setup_add(plan, GA_SETUP_DO_NOTE, "kernel_arguments", "/proc/cmdline",
				 "manual", "this host has no GRUB to configure");
		ga_setup_emit(s, NULL, NULL, hint);
	}
	if (f->rooted)
		return;
	s = ga_setup_add(plan, GA_SETUP_DO_NOTE, "kernel_running", "/proc/cmdline",
			 now ? "ok" : "waiting",
			 now ? "the running kernel was started with them" :
			      "the running kernel was started without them");
	s->say.reboot = !now;
	plan->reboot_required = plan->reboot_required || !now;
}

static const char *value_of(const struct ga_setup_value *v, size_t n, const char *key)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (ga_streq(v[i].key, key))
			return v[i].value;
	return NULL;
}

static void plan_modules(const struct ga_setup_facts *f, struct ga_setup_plan *plan)
{
	const struct ga_setup_wish w = {
		.step = "modules", .path = GA_SETUP_MODULES, .mode = 0644,
		.reason = "vfio-pci hands devices to slices and is loaded at boot",
	};
	ga_autostr struct ga_str text = GA_STR_INIT;
	size_t i;

	ga_setup_text_modules(&text);
	ga_setup_add_file(f, plan, &w, &text);
	for (i = 0; ga_setup_modules[i] && !f->rooted; i++) {
		bool ok = value_of(f->modules.v, f->modules.n, ga_setup_modules[i]);
		struct ga_setup_step *s = ga_setup_add(
			plan, ok ? GA_SETUP_DO_NOTE : GA_SETUP_DO_MODULE, "module",
			ga_setup_modules[i], ok ? "ok" : "pending",
			"devices are handed to slices by it");

		if (!ok)
			ga_setup_emit(s, "load it", "stays loaded until the next reboot", NULL);
	}
}

/* ---- the tenants' disks ---- */

static void plan_filters(const struct ga_setup_facts *f, struct ga_setup_plan *plan)
{
	const struct ga_setup_wish lvm = {
		.step = "disks_lvm", .path = GA_SETUP_LVM, .shared = true, .mode = 0644,
		.reason = "a volume group on a slot's disk must not be activated on the host",
	};
	const struct ga_setup_wish md = {
		.step = "disks_md", .path = GA_SETUP_MDADM, .shared = true, .mode = 0644,
		.runs = GA_SETUP_RUN_INITRAMFS,
		.reason = "an array on a slot's disk must not be assembled on the host",
	};
	const struct ga_setup_wish mp = {
		.step = "disks_multipath", .path = GA_SETUP_MULTIPATH, .mode = 0644,
		.runs = GA_SETUP_RUN_MULTIPATH,
		.reason = "multipath must not claim a slot's disk",
	};
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_setup_step *s;

	if (f->lvm && (f->lvm_local || (f->lvm_filter && strstr(f->lvm_filter, "\"a")))) {
		s = ga_setup_add(plan, GA_SETUP_DO_NOTE, "disks_lvm",
				 f->lvm_local ? GA_SETUP_LVM : "/etc/lvm/lvm.conf", "manual",
				 f->lvm_local ? "it has a global_filter of its own" :
					       "its global_filter accepts by pattern, and one "
					       "accepted name of a disk is enough for LVM");
		ga_setup_emit(s, NULL, NULL,
			      "put \"r|^/dev/disk/by-id/nvme-WWID|\" and the kernel's names of the "
			      "slots' disks before its accepting patterns");
	} else if (f->lvm) {
		ga_setup_text_lvm(f, &text);
		add_block(f, plan, &lvm, text.buf);
	}
	if (f->mdadm) {
		ga_str_clear(&text);
		ga_setup_text_mdadm(f, &text);
		add_block(f, plan, &md, text.buf);
	}
	if (f->multipath) {
		ga_str_clear(&text);
		ga_setup_text_multipath(f, &text);
		ga_setup_add_file(f, plan, &mp, &text);
	}
}

/* A disk with content may belong to somebody: the step names it before the host hides the disk. */
static void tell_content(const struct ga_setup_facts *f, struct ga_setup_step *s)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	size_t i, n = 0;

	for (i = 0; i < f->disks.n; i++)
		if (f->disks.v[i].content && n++ < 8)
			ga_str_addf(&text, "%s%s", text.len ? ", " : "", f->disks.v[i].content);
	if (!n || !ga_setup_step_is_change(s))
		return;
	free(s->say.change);
	s->say.change = ga_xprintf("write it; not empty now: %s%s", text.buf, n > 8 ? ", …" : "");
}

static void plan_disks(const struct ga_setup_facts *f, struct ga_setup_plan *plan)
{
	const struct ga_setup_wish udev = {
		.step = "disks_udev", .path = GA_SETUP_UDEV, .mode = 0644,
		.runs = GA_SETUP_RUN_UDEV | (f->initramfs ? GA_SETUP_RUN_INITRAMFS : 0),
		.reason = "LVM and md on a slot's disk must not be activated on the host",
	};
	const struct ga_setup_wish hook = {
		.step = "disks_initramfs", .path = GA_SETUP_INITRAMFS, .mode = 0755,
		.runs = GA_SETUP_RUN_INITRAMFS,
		.reason = "the same holds before the root file system is there",
	};
	ga_autostr struct ga_str text = GA_STR_INIT;

	if (f->initramfs) {
		ga_setup_text_initramfs(&text);
		ga_setup_add_file(f, plan, &hook, &text);
	}
	if (f->rooted || !f->disks.n)
		return;
	ga_str_clear(&text);
	ga_setup_text_udev(f, &text);
	tell_content(f, ga_setup_add_file(f, plan, &udev, &text));
	plan_filters(f, plan);
}

/* ---- settings of the running kernel ---- */

bool ga_setup_same_value(const char *a, const char *b)
{
	while (*a || *b) {
		size_t blank_a = strspn(a, " \t\n"), blank_b = strspn(b, " \t\n");

		a += blank_a;
		b += blank_b;
		if ((!blank_a) != (!blank_b) && *a && *b)
			return false;
		if (*a != *b)
			return false;
		a += *a != '\0';
		b += *b != '\0';
	}
	return true;
}

static void plan_tuning(const struct ga_setup_facts *f, struct ga_setup_plan *plan)
{
	const struct ga_setup_wish sysctl = {
		.step = "sysctl_file", .path = GA_SETUP_SYSCTL, .mode = 0644,
		.reason = "forwarding, buffers of fast links, memory of guests is not moved",
	};
	const struct ga_setup_wish tuned = {
		.step = "tuned_profile", .path = GA_SETUP_TUNED, .mode = 0644,
		.reason = "tuned would set other values than ours",
	};
	ga_autostr struct ga_str text = GA_STR_INIT;
	size_t i;

	ga_setup_text_sysctl(&text);
	ga_setup_add_file(f, plan, &sysctl, &text);
	if (f->tuned) {
		ga_str_clear(&text);
		ga_setup_text_tuned(&text);
		ga_setup_add_file(f, plan, &tuned, &text);
	}
	if (f->rooted)
		return;
	if (f->tuned) {
		bool ok = ga_streq(f->tuned_profile, "gpuaas-slice");
		struct ga_setup_step *s =
			ga_setup_add(plan, ok ? GA_SETUP_DO_NOTE : GA_SETUP_DO_TUNED, "tuned",
				     "gpuaas-slice", ok ? "ok" : "pending", tuned.reason);

		if (!ok)
			ga_setup_emit(s, "make it the active profile", "the profile before", NULL);
	}
	for (i = 0; ga_setup_sysctls[i].key; i++) {
		const struct ga_setup_setting *w = &ga_setup_sysctls[i];
		const char *now = value_of(f->sysctls.v, f->sysctls.n, w->key);
		bool ok = !now || ga_setup_same_value(now, w->value);
		struct ga_setup_step *s;

		/* A kernel without the setting needs no change. */
		s = ga_setup_add(plan, ok ? GA_SETUP_DO_NOTE : GA_SETUP_DO_VALUE, "sysctl", w->key,
				 ok ? "ok" : "pending", w->why);
		if (!ok) {
			ga_autofree char *change = ga_xprintf("%s -> %s", now, w->value);

			ga_setup_emit(s, change, "the value before", NULL);
			s->text = ga_xstrdup(w->value);
		}
	}
}

/* ---- programs to run ---- */

static void plan_runs(const struct ga_setup_facts *f, struct ga_setup_plan *plan)
{
	static const struct {
		unsigned int run;
		const char *name, *reason;
	} runs[] = {
		{ GA_SETUP_RUN_UDEV, "udevadm", "the rules for the slots' disks take effect" },
		{ GA_SETUP_RUN_MULTIPATH, "multipath", "multipathd reads its settings again" },
		{ GA_SETUP_RUN_SYSTEMD, "daemon-reload", "systemd reads its units again" },
		{ GA_SETUP_RUN_INITRAMFS, "update-initramfs",
		  "the initial RAM disk has the rules, too" },
		{ GA_SETUP_RUN_GRUB, "update-grub", "GRUB has the kernel arguments" },
	};
	unsigned int due = f->pending;
	size_t i;

	for (i = 0; i < plan->n; i++)
		if (ga_setup_step_is_change(&plan->v[i]))
			due |= plan->v[i].runs;
	if (f->grub && f->grub_has == 0)
		due |= GA_SETUP_RUN_GRUB;
	for (i = 0; i < GA_ARRAY_SIZE(runs); i++) {
		struct ga_setup_step *s;

		if (!(due & runs[i].run))
			continue;
		s = ga_setup_add(plan, f->rooted ? GA_SETUP_DO_NOTE : GA_SETUP_DO_RUN, "run",
				 runs[i].name, f->rooted ? "waiting" : "pending", runs[i].reason);
		s->number = runs[i].run;
		ga_setup_emit(s, f->rooted ? NULL : "run it", f->rooted ? NULL : "run again",
			      f->rooted ? "run it in the image, or let the machine's first boot do "
					 "it by gpuaas-host-bootstrap" : NULL);
	}
}

void ga_setup_plan_make(const struct ga_setup_facts *f, struct ga_setup_plan *ret)
{
	*ret = (struct ga_setup_plan){ 0 };
	if (f->boot) {
		if (!f->baremetal) {
			ga_setup_plan_devices(f, ret);
			ga_setup_plan_network(f, ret);
		}
		return;
	}
	plan_conf(f, ret);
	add_folder(ret, "/var/lib/gpuaas", f->data_mode, 0711,
		   "dnsmasq and QEMU reach their files in it");
	if (!f->baremetal) {
		add_folder(ret, f->dhcp_hosts, f->hosts_mode, 0755,
			   "dnsmasq reads one file a slice there");
		plan_kernel(f, ret);
		plan_modules(f, ret);
	}
	/* The wipe after a baremetal tenant also needs disks that the host leaves alone. */
	plan_disks(f, ret);
	if (!f->baremetal) {
		plan_tuning(f, ret);
		ga_setup_plan_devices(f, ret);
		ga_setup_plan_network(f, ret);
		ga_setup_plan_services(f, ret);
	}
	plan_runs(f, ret);
}
