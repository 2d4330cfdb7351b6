/* SPDX-License-Identifier: Apache-2.0 */
/* Ports of the host that lead to one guest: publish, unpublish, list. */
#include <inttypes.h>
#include <stdio.h>
#include <strings.h>

#include "act/vm/internal.h"
#include "base/file.h"
#include "record/time.h"

#define SSHD_CONFIG "/etc/ssh/sshd_config"

/* Whether the port is 22, which is kept for sshd in any case, or a "Port 2222" of sshd's own file.
 * ga_nat_publish finds other ports of sshd among the listening sockets. */
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

	return ga_work_emit(&vm->p.work, &ga_ingress_schema, &rec, err);
}

int ga_vm_publish(const char *id, const char *proto, int64_t port, int64_t to_port,
		  const struct ga_vm_opts *opts, struct ga_err *err)
{
	ga_autofree char *subject = ga_xprintf("%s/%" PRId64, proto, port);
	struct ga_net_ingress i = { .proto = (char *)(uintptr_t)proto, .port = port,
				    .to_port = to_port, .passes = true };
	ga_autojournal struct ga_journal j = { 0 };
	ga_autovm struct ga_vm vm;

	if (ga_vm_open(id, opts, &vm, err) < 0 || ga_vm_hold(&vm, true, err) < 0)
		return -1;
	i.address = vm.plan.private_ip;
	i.allocation = vm.plan.allocation;
	if (!vm.plan.private_ip)
		return ga_fail_for(err, GA_CONFLICT, "missing_ip",
				   "allocation '%s' has no address for a published port",
				   vm.plan.allocation);
	if (ga_streq(proto, "tcp") && is_sshd_port(port))
		return ga_refuse(err, GA_CONFLICT, "port_taken", NULL,
				 ("port tcp/%" PRId64 " is the ssh port of this host itself",
				  port),
				 ("use another port of the host: '--port 2222:22' leads from 2222 "
				  "to the guest's ssh"));
	/* Another allocation of this host may have the port, even when its rule is missing now. */
	if (!opts->dry_run && ga_journal_open_entries(&vm.p.h, NULL, &j, err) < 0)
		return -1;
	for (size_t k = 0; k < j.n; k++)
		if (ga_streq(j.v[k].op, "ingress") && ga_streq(j.v[k].subject, subject) &&
		    !ga_streq(j.v[k].object, vm.plan.allocation))
			return ga_refuse(err, GA_CONFLICT, "port_taken", NULL,
					 ("port %s is published for allocation '%s'", subject,
					  j.v[k].object),
					 ("use another port, or gpuaas-vm unpublish %s --port %s",
					  j.v[k].object, strchr(subject, '/') + 1));
	if (ga_change_ingress(&vm.p.changes, &i, err) < 0 || tell(&vm, &i, true, err) < 0)
		return -1;
	return ga_work_stdout_error(&vm.p.work, err);
}

int ga_vm_unpublish(const char *id, const char *proto, int64_t port,
		    const struct ga_vm_opts *opts, struct ga_err *err)
{
	ga_autofree char *subject = ga_xprintf("%s/%" PRId64, proto, port);
	ga_autoingress struct ga_net_ingress was = { 0 };
	ga_autojournal struct ga_journal j = { 0 };
	ga_autohostdb struct ga_hostdb h = { 0 };
	ga_autovm struct ga_vm vm;
	size_t at = 0;

	/* Closing a port is right in every state of the allocation: only take its lock. */
	if (ga_vm_open(id, opts, &vm, err) < 0 ||
	    (!opts->dry_run && ga_work_lock(&vm.p.work, vm.plan.allocation, err) < 0) ||
	    ga_hostdb_open_or_make(opts->host_dir, &h, err) < 0 ||
	    ga_journal_open_entries(&h, vm.plan.allocation, &j, err) < 0)
		return -1;
	while (at < j.n && !(ga_streq(j.v[at].op, "ingress") &&
			     ga_streq(j.v[at].subject, subject)))
		at++;
	if (at == j.n)
		return ga_refuse(err, GA_NOTFOUND, "not_published", NULL,
				 ("port %s is not published for allocation '%s'", subject,
				  vm.plan.allocation),
				 ("'gpuaas-vm published %s' lists its ports", vm.plan.allocation));
	if (ga_change_ingress_of(&j.v[at], &was, err) < 0 ||
	    ga_change_undo(&vm.p.changes, &j.v[at], err) < 0 || tell(&vm, &was, false, err) < 0)
		return -1;
	return ga_work_stdout_error(&vm.p.work, err);
}

/* Lists the published ports of the journal, and whether the host forwards each of them now. */
int ga_vm_published(const char *id, const struct ga_vm_opts *opts, struct ga_err *err)
{
	ga_autorules struct ga_net_rules rules = { 0 };
	ga_autojournal struct ga_journal j = { 0 };
	ga_autohostdb struct ga_hostdb h = { 0 };
	ga_autovm struct ga_vm vm;
	bool asked = false;

	if (ga_vm_open(id, opts, &vm, err) < 0 ||
	    ga_hostdb_open_or_make(opts->host_dir, &h, err) < 0 ||
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
	return ga_work_stdout_error(&vm.p.work, err);
}
