/* SPDX-License-Identifier: Apache-2.0 */
/* Ports of the host that lead to one guest: opened, closed, listed. */
#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

#include "act/vm/internal.h"
#include "base/file.h"
#include "record/time.h"

#define SSHD_CONFIG "/etc/ssh/sshd_config"

/* "Port 2222" of sshd's own file; without one it is 22, which is kept for it in any case. Whatever
 * else it listens on is found among the sockets. */
static bool is_sshd_port(int64_t port)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err ignored = GA_ERR_INIT;
	const char *line;
	long long found;

	if (port == 22)
		return true;
	if (ga_file_read(SSHD_CONFIG, 1 << 20, &text, &ignored) < 0)
		return false;
	for (line = text.buf; line; line = strchr(line, '\n')) {
		line += strspn(line, " \t\n");
		if (strncasecmp(line, "port", 4) || !line[4] || !strchr(" \t=", line[4]))
			continue;
		line += 4 + strspn(line + 4, " \t=");
		if (sscanf(line, "%lld", &found) == 1 && found == port)
			return true;
	}
	return false;
}

static int check_port(const struct ga_vm *vm, const char *proto, int64_t port, struct ga_err *err)
{
	if (!vm->plan.private_ip)
		return ga_fail_for(err, GA_CONFLICT, "missing_ip",
				   "allocation '%s' has no address to lead a port to",
				   vm->plan.allocation);
	if (!ga_streq(proto, "tcp") || !is_sshd_port(port))
		return 0;
	return ga_refuse(err, GA_CONFLICT, "port_taken", NULL,
			 ("port tcp/%" PRId64 " is how this host itself is reached by ssh", port),
			 ("take another port of the host: '--port 2222:22' leads one to the "
			  "guest's ssh"));
}

/* Another allocation of this host may have it, also when its rule is missing at the moment. */
static int check_others(struct ga_vm *vm, const char *subject, struct ga_err *err)
{
	ga_autojournal struct ga_journal j = { 0 };

	if (vm->opts->dry_run)
		return 0;
	if (ga_journal_open_entries(&vm->p.h, NULL, &j, err) < 0)
		return -1;
	for (size_t i = 0; i < j.n; i++) {
		if (!ga_streq(j.v[i].op, "ingress") || !ga_streq(j.v[i].subject, subject) ||
		    ga_streq(j.v[i].object, vm->plan.allocation))
			continue;
		return ga_refuse(err, GA_CONFLICT, "port_taken", NULL,
				 ("port %s is published for allocation '%s'", subject,
				  j.v[i].object),
				 ("take another port, or gpuaas-vm unpublish %s --port %s",
				  j.v[i].object, strchr(subject, '/') + 1));
	}
	return 0;
}

static int tell(struct ga_vm *vm, const struct ga_net_ingress *i, bool open, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();
	const struct ga_ingress rec = {
		.allocation = vm->plan.allocation,
		.node = vm->plan.node,
		.generation = vm->plan.generation,
		.attempt = vm->plan.attempt,
		.dry_run = vm->opts->dry_run,
		.proto = i->proto,
		.port = i->port,
		.to_port = i->to_port,
		.address = i->address,
		.published = open,
		.at = now,
		.lab = vm->plan.lab,
	};

	return ga_provision_emit(&vm->p, &ga_ingress_shape, &rec, err);
}

static int give_stdout_error(const struct ga_vm *vm, struct ga_err *err)
{
	if (vm->p.stdout_err.code == GA_OK)
		return 0;
	*err = vm->p.stdout_err;
	return -1;
}

int ga_vm_publish(const char *id, const char *proto, int64_t port, int64_t to_port,
		  const struct ga_vm_opts *opts, struct ga_err *err)
{
	ga_autofree char *subject = ga_xprintf("%s/%" PRId64, proto, port);
	struct ga_net_ingress i = { .proto = (char *)(uintptr_t)proto, .port = port,
				    .to_port = to_port, .passes = true };
	ga_autovm struct ga_vm vm;

	if (ga_vm_open(id, opts, &vm, err) < 0 || ga_vm_hold(&vm, true, err) < 0)
		return -1;
	i.address = vm.plan.private_ip;
	i.allocation = vm.plan.allocation;
	if (check_port(&vm, proto, port, err) < 0 || check_others(&vm, subject, err) < 0 ||
	    ga_change_ingress(&vm.p.changes, &i, err) < 0 || tell(&vm, &i, true, err) < 0)
		return -1;
	return give_stdout_error(&vm, err);
}

/* Its index, or -1. */
static int find_entry(struct ga_vm *vm, const struct ga_journal *j, const char *subject)
{
	for (size_t i = 0; i < j->n; i++)
		if (ga_streq(j->v[i].op, "ingress") && ga_streq(j->v[i].subject, subject) &&
		    ga_streq(j->v[i].object, vm->plan.allocation))
			return (int)i;
	return -1;
}

static int no_such_port(const char *subject, const char *allocation, struct ga_err *err)
{
	return ga_refuse(err, GA_NOTFOUND, "not_published", NULL,
			 ("port %s is not published for allocation '%s'", subject, allocation),
			 ("'gpuaas-vm published %s' lists its ports", allocation));
}

int ga_vm_unpublish(const char *id, const char *proto, int64_t port,
		    const struct ga_vm_opts *opts, struct ga_err *err)
{
	ga_autofree char *subject = ga_xprintf("%s/%" PRId64, proto, port);
	ga_autoingress struct ga_net_ingress was = { 0 };
	ga_autojournal struct ga_journal j = { 0 };
	ga_autohostdb struct ga_hostdb h = { 0 };
	ga_autovm struct ga_vm vm;
	int at;

	/* Closing is right whatever became of the allocation: only its hold is asked for. */
	if (ga_vm_open(id, opts, &vm, err) < 0 ||
	    (!opts->dry_run && ga_provision_hold(&vm.p, vm.plan.allocation, err) < 0) ||
	    ga_hostdb_open(opts->host_dir, &h, err) < 0 ||
	    ga_journal_open_entries(&h, vm.plan.allocation, &j, err) < 0)
		return -1;
	at = find_entry(&vm, &j, subject);
	if (at < 0)
		return no_such_port(subject, vm.plan.allocation, err);
	if (ga_change_ingress_of(&j.v[at], &was, err) < 0 ||
	    ga_change_undo(&vm.p.changes, &j.v[at], err) < 0 || tell(&vm, &was, false, err) < 0)
		return -1;
	return give_stdout_error(&vm, err);
}

/* What the journal says is published, and whether the host really leads it there now. */
int ga_vm_published(const char *id, const struct ga_vm_opts *opts, struct ga_err *err)
{
	ga_autorules struct ga_net_rules rules = { 0 };
	ga_autojournal struct ga_journal j = { 0 };
	ga_autohostdb struct ga_hostdb h = { 0 };
	ga_autovm struct ga_vm vm;
	bool asked = false;

	if (ga_vm_open(id, opts, &vm, err) < 0 || ga_hostdb_open(opts->host_dir, &h, err) < 0 ||
	    ga_journal_open_entries(&h, vm.plan.allocation, &j, err) < 0)
		return -1;
	for (size_t i = j.n; i-- > 0;) {
		ga_autoingress struct ga_net_ingress e = { 0 };
		bool open = false;

		if (!ga_streq(j.v[i].op, "ingress"))
			continue;
		if ((!asked && ga_net_rules_read(NULL, NULL, &rules, err) < 0) ||
		    ga_change_ingress_of(&j.v[i], &e, err) < 0)
			return -1;
		asked = true;
		for (size_t k = 0; k < rules.ingress.n; k++) {
			const struct ga_net_ingress *r = &rules.ingress.v[k];

			open |= r->port == e.port && r->to_port == e.to_port && r->passes &&
				ga_streq(r->proto, e.proto) && ga_streq(r->address, e.address) &&
				ga_streq(r->allocation, e.allocation);
		}
		if (tell(&vm, &e, open, err) < 0)
			return -1;
	}
	return give_stdout_error(&vm, err);
}
