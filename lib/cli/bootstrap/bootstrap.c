/* SPDX-License-Identifier: Apache-2.0 */
/* Settings, output and the closing record of gpuaas-host-bootstrap. */
#include "cli/bootstrap/bootstrap.h"

#include <inttypes.h>
#include <unistd.h>

#include "act/device/virt.h"
#include "base/texts.h"
#include "cli/discover.h"
#include "cli/frame/cli.h"
#include "cli/frame/types.h"
#include "look/host/host.h"
#include "look/setup/look.h"
#include "look/sys.h"
#include "record/id.h"
#include "record/log.h"
#include "record/mac.h"
#include "record/time.h"

#define DATA_DIR "/var/lib/gpuaas"

void ga_cli_boot_close(struct ga_cli_boot *c)
{
	ga_hostdb_close(&c->h);
	ga_root_close(&c->root);
	ga_str_release(&c->conf);
	ga_str_release(&c->tried);
	ga_schema_release(&ga_bootstrap_schema, &c->sum);
	ga_texts_release(&c->tags);
	ga_texts_release(&c->kept);
	free(c->node);
	free(c->gateway);
}

/* ---- settings ---- */

/* A setting of this machine, or, when an image is prepared, of the image; never mixed. */
static const char *setting(struct ga_cli_boot *c, const char *key, const char *fallback)
{
	size_t len = strlen(key);
	const char *p = c->conf.buf;

	if (!c->root.image)
		return ga_cli_setting(key, fallback);
	while (*p) {
		size_t line = strcspn(p, "\n");

		if (line > len + 1 && !strncmp(p, key, len) && p[len] == '=')
			return *ga_list_add(&c->kept) = ga_xstrndup(p + len + 1, line - len - 1);
		p += line + (p[line] == '\n');
	}
	return fallback;
}

/* An option may set a value that has no setting; it must not contradict a setting. */
static int choose(struct ga_cli_boot *c, const char *option, const char *key,
		  const char *fallback, const char **ret, struct ga_err *err)
{
	const char *set = setting(c, key, NULL);

	*ret = option ? option : set ? set : fallback;
	if (!option || !set || ga_streq(option, set))
		return 0;
	return ga_refuse(err, GA_CONFLICT, NULL, NULL,
			 ("%s is '%s' in %s, not '%.64s'", key, set, GA_SETUP_CONF, option),
			 ("change it there first: present settings are never changed"));
}

/* Whether name is valid for a network device and has no character with a meaning in a file that we
 * write. */
static bool is_interface(const char *name)
{
	return *name && strlen(name) <= 15 && !name[strcspn(name, " \t\n\"'/,;#=\\")];
}

static int choose_network(struct ga_cli_boot *c, struct ga_err *err)
{
	const struct ga_cli_boot_opts *o = c->opts;
	char text[GA_IP_SIZE];
	uint32_t net;
	int bits;

	if (choose(c, o->bridge, "GPUAAS_BRIDGE", "ovsbr0", &c->bridge, err) < 0 ||
	    choose(c, o->network, "GPUAAS_NETWORK", "10.100.0.0/24", &c->network, err) < 0 ||
	    choose(c, o->uplink, "GPUAAS_UPLINK", NULL, &c->uplink, err) < 0)
		return -1;
	c->dhcp_hosts = setting(c, "GPUAAS_DHCP_HOSTS", DATA_DIR "/dhcp-hosts");
	c->leases = setting(c, "GPUAAS_LEASES", DATA_DIR "/dnsmasq.leases");
	if (ga_ip_net_parse(c->network, &net, &bits, err) < 0) {
		err->code = GA_USAGE;
		return ga_wrap(err, "the private network");
	}
	if (!is_interface(c->bridge) || (c->uplink && !is_interface(c->uplink)))
		return ga_fail(err, GA_USAGE, "'%.64s' can be no interface's name",
			       is_interface(c->bridge) ? c->uplink : c->bridge);
	c->gateway = ga_xstrdup(ga_ip_format(net + 1, text));
	c->prefix_bits = bits;
	return 0;
}

static int choose_node(struct ga_cli_boot *c, struct ga_err *err)
{
	const char *id, *clone;

	if (choose(c, c->opts->node, "GPUAAS_NODE", NULL, &id, err) < 0)
		return -1;
	if (c->root.image) {
		c->node = ga_strdup0(id);
		return !id || ga_name_is_valid(id) ?
			       0 :
			       ga_fail(err, GA_USAGE, "'%.64s' can be no node's id", id);
	}
	clone = ga_host_clone_reason();
	if (!id && clone)
		return ga_refuse(err, GA_HOST, "node_id_clone", NULL,
				 ("this machine has no id of its own: %s", clone),
				 ("run 'rm /etc/machine-id && systemd-machine-id-setup', or give "
				  "--node NAME: two hosts with one id would be one node"));
	return ga_host_node_id(id, &c->node, err);
}

static int choose_mode(struct ga_cli_boot *c, struct ga_err *err)
{
	const char *set = setting(c, "GPUAAS_MODE", NULL), *mode = c->opts->mode;

	c->mode_source = mode ? "option" : set ? "setting" : "tag";
	ga_setup_tags(&c->root, &c->tags);
	if (set && !ga_streq(set, "slice") && !ga_streq(set, "baremetal"))
		return ga_fail(err, GA_USAGE, "GPUAAS_MODE is '%.64s', not slice or baremetal",
			       set);
	if (mode && set && !ga_streq(mode, set))
		return ga_refuse(err, GA_CONFLICT, NULL, NULL,
				 ("this host was prepared for %s", set),
				 ("run 'gpuaas-host-bootstrap --undo' first"));
	mode = mode ? mode : set;
	if (!mode && c->tags.n > 1)
		return ga_refuse(err, GA_CONFLICT, NULL, NULL,
				 ("this machine has the tags '%s' and '%s'", c->tags.v[0],
				  c->tags.v[1]),
				 ("name the mode with --mode"));
	if (!mode && c->tags.n)
		mode = strstr(c->tags.v[0], "baremetal") ? "baremetal" : "slice";
	if (!mode && (c->opts->boot || c->opts->undo || c->opts->record)) {
		c->mode_source = "setting"; /* the devices file and the journal have it */
		mode = "slice";
	}
	if (!mode)
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("the mode of this host is not set"),
				 ("'gpuaas-host-bootstrap --mode slice' or baremetal sets it, "
				  "as does GPUAAS_MODE in /etc/gpuaas/gpuaas.conf"));
	c->baremetal = ga_streq(mode, "baremetal");
	return 0;
}

/* ---- the journal ---- */

/* The journal of an image is in the image, because its machine needs the journal for --undo. */
static int image_folder(struct ga_cli_boot *c, bool make, char **ret, struct ga_err *err)
{
	static const char *const folders[] = { "/var", "/var/lib", DATA_DIR, DATA_DIR "/host" };
	struct stat st;
	size_t i;
	int fd;

	for (i = 0; i < GA_ARRAY_SIZE(folders) && make; i++) {
		int r = ga_root_stat(&c->root, folders[i], &st, err);

		if (r < 0 || (!r && ga_root_mkdir(&c->root, folders[i], i < 2 ? 0755 : 0711,
						  err) < 0))
			return -1;
	}
	fd = ga_root_folder(&c->root, DATA_DIR "/host");
	if (fd < 0 && make)
		return ga_fail_sys(err, "cannot open '" DATA_DIR "/host' of the image");
	/* The descriptor stays open for the life of the process: the path uses it. */
	*ret = fd < 0 ? NULL : ga_xprintf("/proc/self/fd/%d", fd);
	return 0;
}

static int open_journal(struct ga_cli_boot *c, struct ga_err *err)
{
	bool make = !c->opts->check && !c->opts->dry_run;
	ga_autofree char *dir = NULL, *db = NULL;

	if (!c->root.image)
		dir = ga_xstrdup(ga_cli_host_dir());
	else if (image_folder(c, make, &dir, err) < 0)
		return -1;
	db = dir ? ga_xprintf("%s/host.db", dir) : NULL;
	if (!make && (!db || !ga_sys_exists(db)))
		return 0;
	/* Each machine that starts from the image makes its own key. */
	return c->root.image ? ga_hostdb_open_image(dir, &c->h, err) :
			       ga_hostdb_open_or_make(dir, &c->h, err);
}

static const char *action(const struct ga_cli_boot_opts *o)
{
	return o->check ? "check" : o->dry_run ? "dry_run" : o->undo ? "undo" :
	       o->boot	? "boot" : "apply";
}

int ga_cli_boot_open(const struct ga_cli_boot_opts *opts, struct ga_cli_boot *c,
		     struct ga_err *err)
{
	struct stat st;

	*c = (struct ga_cli_boot){ .opts = opts, .root = GA_ROOT_INIT, .conf = GA_STR_INIT,
				    .tried = GA_STR_INIT };
	ga_schema_init(&ga_bootstrap_schema, &c->sum);
	if (geteuid())
		return ga_fail(err, GA_DENIED, "only root can prepare or check a host");
	if (ga_root_open(opts->root, &c->root, err) < 0 ||
	    ga_root_read(&c->root, GA_SETUP_CONF, 65536, &c->conf, &st, err) < 0)
		return -1;
	if (choose_mode(c, err) < 0 || choose_network(c, err) < 0 || choose_node(c, err) < 0 ||
	    open_journal(c, err) < 0)
		return -1;
	c->doer = (struct ga_setup_doer){
		.h = &c->h,
		.root = &c->root,
		.root_dir = opts->root,
		.libvirt_uri = ga_cli_setting("GPUAAS_LIBVIRT_URI", GA_VIRT_URI),
	};
	c->sum.node = ga_strdup0(c->node);
	c->sum.mode = ga_xstrdup(c->baremetal ? "baremetal" : "slice");
	c->sum.mode_source = ga_xstrdup(c->mode_source);
	c->sum.action = ga_xstrdup(action(opts));
	c->sum.root = ga_strdup0(opts->root);
	c->sum.tool = ga_xprintf("%s %s", ga_cli_program(), GA_VERSION);
	return 0;
}

/* ---- looking ---- */

int ga_cli_boot_look(struct ga_cli_boot *c, unsigned int pending, struct ga_setup_facts *f,
		     struct ga_setup_plan *plan, struct ga_err *err)
{
	size_t i;

	ga_setup_facts_release(f);
	ga_setup_plan_release(plan);
	*f = (struct ga_setup_facts){
		.baremetal = c->baremetal,
		.rooted = c->root.image,
		.boot = c->opts->boot,
		.node = c->node,
		.bridge = c->bridge,
		.gateway = c->gateway,
		.network = c->network,
		.uplink = c->uplink,
		.dhcp_hosts = c->dhcp_hosts,
		.leases = c->leases,
		.prefix_bits = c->prefix_bits,
		.vfs_wanted = c->opts->vfs,
		.pending = pending,
	};
	for (i = 0; i < c->opts->hugepages.n; i++)
		if (ga_setup_pages_parse(c->opts->hugepages.v[i], ga_list_add(&f->hugepages),
					 err) < 0)
			return -1;
	if (ga_cli_accelerators(err) < 0 ||
	    ga_setup_look(&c->root, ga_cli_catalogue_file(), f, err) < 0)
		return -1;
	ga_setup_users(f);
	ga_setup_plan_make(f, plan);
	c->doer.facts = f;
	return 0;
}

/* ---- telling ---- */

int ga_cli_boot_tell(struct ga_cli_boot *c, const struct ga_bootstrap_step *s, const char *state,
		     const struct ga_err *why, struct ga_err *err)
{
	struct ga_bootstrap_step copy = *s;
	struct ga_err lost = GA_ERR_INIT;
	ga_autofree char *now = ga_time_now();
	ga_autofree char *reason = why ? ga_sys_tidy(ga_xstrdup(why->msg)) : NULL;
	ga_autofree char *hint = why && why->hint[0] ? ga_sys_tidy(ga_xstrdup(why->hint)) : NULL;

	/* A borrowed copy: nothing of it is freed. */
	copy.node = c->node;
	copy.at = now;
	if (state)
		copy.state = (char *)(uintptr_t)state;
	if (why) {
		copy.reason = reason;
		copy.hint = hint ? hint : copy.hint;
	}
	if (ga_emit_is_table() && ga_streq(copy.state, "ok"))
		return 0;
	/* If the reader of stdout is gone, the work goes on; the exit status shows the error. */
	(void)err;
	if (ga_emit(&ga_bootstrap_step_schema, &copy, &lost) < 0)
		ga_info("%s %s: %s", copy.step, copy.subject, lost.msg);
	return 0;
}

int ga_cli_boot_ask(struct ga_cli_boot *c, const struct ga_setup_plan *plan, struct ga_err *err)
{
	char answer[16] = "";
	size_t i, n = 0;

	for (i = 0; i < plan->n; i++)
		n += ga_setup_step_is_change(&plan->v[i]);
	if (!n || c->opts->yes || !isatty(STDIN_FILENO))
		return 1;
	for (i = 0; i < plan->n && ga_emit_is_table(); i++)
		if (ga_cli_boot_tell(c, &plan->v[i].say, NULL, NULL, err) < 0)
			return -1;
	ga_print("%s", ""); /* prints the rows of the table before the question */
	ga_say("%zu changes%s. Make them now? [y/N]", n,
	       plan->reboot_required ? "; some have their effect after a reboot" : "");
	return read(STDIN_FILENO, answer, sizeof(answer) - 1) > 0 &&
	       (answer[0] == 'y' || answer[0] == 'Y');
}

/* ---- the end ---- */

static void copy_reasons(struct ga_reasons *to, const struct ga_reasons *from)
{
	size_t i;

	for (i = 0; i < from->n; i++)
		ga_reasons_add(to, from->v[i].code, from->v[i].subject, from->v[i].evidence,
			       from->v[i].hint);
}

/* Runs a discovery of the host and copies its blockers and warnings. */
static int ask_discovery(struct ga_cli_boot *c, struct ga_err *err)
{
	ga_autodiscovery struct ga_discovery d = { 0 };
	struct ga_discover_opts opts;

	if (ga_cli_discover_opts(&opts, err) < 0)
		return -1;
	opts.node = c->node;
	opts.bridge = c->bridge;
	opts.network = c->network;
	opts.uplink = c->uplink;
	if (ga_discover(&opts, &d, err) < 0)
		return -1;
	copy_reasons(&c->sum.blockers, &d.host.blockers);
	copy_reasons(&c->sum.warnings, &d.host.warnings);
	c->sum.reboot_required = c->sum.reboot_required || d.host.reboot_required;
	return ga_setup_firmware(&c->sum.firmware, err);
}

int ga_cli_boot_finish(struct ga_cli_boot *c, const struct ga_setup_plan *plan, struct ga_err *err)
{
	struct ga_bootstrap *sum = &c->sum;
	bool looks = c->opts->check || c->opts->dry_run;
	int64_t due = 0;
	size_t i;

	for (i = 0; i < plan->n; i++) {
		const char *state = plan->v[i].say.state;

		due += ga_setup_step_is_change(&plan->v[i]);
		sum->waiting += ga_streq(state, "waiting");
		sum->left += ga_streq(state, "manual") || ga_streq(state, "blocked");
	}
	if (looks)
		sum->changes = due;
	sum->reboot_required = sum->reboot_required || plan->reboot_required;
	copy_reasons(&sum->blockers, &plan->blockers);
	for (i = 0; i < c->tags.n; i++)
		ga_texts_add(&sum->tags, c->tags.v[i]);
	if (!c->root.image && !c->baremetal && !c->opts->boot && ask_discovery(c, err) < 0)
		return -1;
	sum->at = ga_time_now();
	sum->ready = !c->opts->undo && !due && !sum->waiting && !sum->left &&
		     !sum->reboot_required &&
		     !sum->blockers.n;
	if (ga_emit(&ga_bootstrap_schema, sum, err) < 0)
		return -1;
	for (i = 0; i < sum->firmware.n; i++) {
		const struct ga_prereq *p = &sum->firmware.v[i];

		if (!ga_streq(p->state, "ok"))
			ga_print("firmware: %s %s: %s%s%s", p->name, p->state, p->evidence,
				 p->hint ? "\n          " : "", p->hint ? p->hint : "");
	}
	for (i = 0; i < sum->blockers.n; i++)
		ga_print("blocker: %s: %s%s%s", sum->blockers.v[i].code,
			 sum->blockers.v[i].evidence ? sum->blockers.v[i].evidence : "",
			 sum->blockers.v[i].hint ? "\n         " : "",
			 sum->blockers.v[i].hint ? sum->blockers.v[i].hint : "");
	return 0;
}
