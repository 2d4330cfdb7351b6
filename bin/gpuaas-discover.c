/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpuaas-discover: lists the devices of this machine for GPU slots, and what blocks them.
 *
 * Writes one host record, a candidate for each GPU, and an end record that closes the stream. Only
 * reads; needs no root, no state and no vendor tool.
 */
#include "cli/discover.h"
#include "cli/frame/cli.h"
#include "record/digest.h"
#include "record/size.h"
#include "record/words.h"

static struct {
	const char *node, *mode;
	bool explain;
} opt;

static const struct ga_opt opts[] = {
	{ .name = "node", .type = GA_O_TEXT, .var = &opt.node, .arg = "NAME",
	  .help = "the node's id (default $GPUAAS_NODE, else made from the machine id)" },
	{ .name = "mode", .type = GA_O_WORD, .var = &opt.mode, .arg = "MODE",
	  .values = ga_mode_words,
	  .help = "look for what slices or baremetal need (default $GPUAAS_MODE, else slice)" },
	{ .name = "explain", .type = GA_O_FLAG, .var = &opt.explain,
	  .help = "for people: also what is in order, and where each value was read" },
	GA_OPTS_END,
};

static const struct ga_prog prog = {
	.name = "gpuaas-discover",
	.abstract = "show the hardware of this machine for GPU slots, and what blocks it",
	.opts = opts,
	.looks = "*",
	.produces = (const struct ga_schema *const[]){ &ga_host_schema, &ga_candidate_schema,
						       &ga_end_schema, NULL },
	.examples = (const char *const[]){ "gpuaas-discover", "gpuaas-discover --explain",
					   "gpuaas-discover | gpuaas-approve --all-ready",
					   "gpuaas-discover | jq '.left_out[]?'", NULL },
};

static void print_hint(const char *hint)
{
	if (hint)
		ga_print("      fix: %s", hint);
}

static void print_prerequisites(const struct ga_host *h)
{
	size_t fine = 0, i;

	ga_print("\nprerequisites%s", h->mode ? " of baremetal (those of slices are left out)" :
						 "");
	for (i = 0; i < h->prerequisites.n; i++) {
		const struct ga_prereq *p = &h->prerequisites.v[i];
		bool is_ok = !strcmp(p->state, "ok");

		fine += is_ok;
		if (is_ok && !opt.explain)
			continue;
		ga_print("  %-8s %-22s %s", p->state, p->name, p->evidence ? p->evidence : "");
		print_hint(p->hint);
	}
	if (!opt.explain)
		ga_print("  ok       %zu of %zu (--explain shows them)", fine, h->prerequisites.n);
}

/* Whether a reason only repeats a prerequisite. The prerequisites show their fix already. */
static bool is_echo(const struct ga_host *h, const struct ga_reason *r)
{
	size_t i;

	for (i = 0; i < h->prerequisites.n; i++)
		if (ga_streq(h->prerequisites.v[i].name, r->subject))
			return true;
	return false;
}

static void print_reasons(const struct ga_host *h, const char *title,
			  const struct ga_reasons *list, bool name_echoes)
{
	bool titled = false;
	size_t i;

	for (i = 0; i < list->n; i++) {
		const struct ga_reason *r = &list->v[i];
		bool echo = is_echo(h, r);

		if (echo && !name_echoes)
			continue;
		if (!titled)
			ga_print("\n%s", title);
		titled = true;
		if (echo) {
			ga_print("  %-22s see %s above", r->code, r->subject);
			continue;
		}
		ga_print("  %-22s %s%s%s", r->code, r->subject ? r->subject : "",
			 r->subject && r->evidence ? ": " : "", r->evidence ? r->evidence : "");
		print_hint(r->hint);
	}
}

static void print_left_out(const struct ga_host *h)
{
	size_t i;

	if (h->left_out.n)
		ga_print("\nleft out");
	for (i = 0; i < h->left_out.n; i++) {
		const struct ga_left_out *l = &h->left_out.v[i];
		const struct ga_left_out *next = i + 1 < h->left_out.n ? l + 1 : NULL;

		ga_print("  %-6s %-12s %-16s %-20s %s", l->device, l->address ? l->address : "-",
			 l->name ? l->name : "-", l->code, l->evidence ? l->evidence : "");
		/* Consecutive devices with the same code and hint share one hint line. */
		if (!next || !ga_streq(next->hint, l->hint) || !ga_streq(next->code, l->code))
			print_hint(l->hint);
	}
}

static void print_host(const struct ga_host *h, size_t candidates)
{
	char size[GA_SIZE_SIZE];

	ga_print("%s  %s %s, Linux %s, CPUs %s, %s", h->node,
		 h->vendor ? h->vendor : "unknown maker,",
		 h->product ? h->product : "unknown product", h->kernel ? h->kernel : "?",
		 h->cpus ? h->cpus : "?",
		 h->memory_mib == GA_UNKNOWN ? "?" : ga_size_format(h->memory_mib << 20, size));
	print_prerequisites(h);
	print_reasons(h, "blockers: no slot of this host can be sold until these are gone",
		      &h->blockers, true);
	print_reasons(h, "warnings", &h->warnings, false);
	if (h->reboot_required)
		ga_print("\na reboot is waiting");
	print_left_out(h);
	if (opt.explain || strcmp(h->fabric_manager.state, "absent"))
		ga_print("\nFabric Manager: %s, %s", h->fabric_manager.state,
			 h->fabric_manager.evidence ? h->fabric_manager.evidence : "?");
	ga_print(candidates ? "\ncandidates" : "\nno GPU found: nothing to offer on this host");
}

static void print_candidate_reasons(const struct ga_candidates *list)
{
	size_t i, j;

	for (i = 0; i < list->n; i++) {
		const struct ga_candidate *c = &list->v[i];

		for (j = 0; j < c->reasons.n; j++) {
			const struct ga_reason *r = &c->reasons.v[j];

			ga_print("  #%lld %s: %s", (long long)c->slot_index, r->code,
				 r->evidence ? r->evidence : "");
			print_hint(r->hint);
		}
	}
}

/* Adds the exact bytes of a record's line to the digest. */
static void digest_line(struct ga_digest *d, const struct ga_schema *schema, const void *obj)
{
	ga_autofree char *line = ga_rec_format_text(schema, obj);

	ga_digest_add(d, line, strlen(line));
	ga_digest_add(d, "\n", 1);
}

static int emit(const struct ga_discovery *found, struct ga_err *err)
{
	struct ga_digest *d = ga_digest_open();
	char digest[GA_DIGEST_SIZE];
	struct ga_end end = {
		.node = found->host.node,
		.count = (int64_t)found->candidates.n,
		.digest = digest,
		.fingerprint = found->host.fingerprint,
	};
	int r = ga_emit_is_table() ? 0 : ga_emit(&ga_host_schema, &found->host, err);
	size_t i;

	digest_line(d, &ga_host_schema, &found->host);
	for (i = 0; i < found->candidates.n; i++) {
		digest_line(d, &ga_candidate_schema, &found->candidates.v[i]);
		r = r < 0 ? r : ga_emit(&ga_candidate_schema, &found->candidates.v[i], err);
	}
	ga_digest_close(d, digest);
	if (r < 0 || ga_emit_is_table())
		return r;
	return ga_emit(&ga_end_schema, &end, err);
}

static int run(struct ga_err *err)
{
	ga_autodiscovery struct ga_discovery found = { 0 };
	struct ga_discover_opts settings;

	if (ga_cli_discover_opts(&settings, err) < 0)
		return -1;
	settings.node = opt.node ? opt.node : settings.node;
	settings.mode = opt.mode ? opt.mode : settings.mode;
	if (ga_discover(&settings, &found, err) < 0 || ga_cli_discover_key(&found.host, err) < 0)
		return -1;
	print_host(&found.host, found.candidates.n);
	if (emit(&found, err) < 0)
		return -1;
	print_candidate_reasons(&found.candidates);
	return 0;
}

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;
	int r = ga_cli_parse(&prog, argc, argv, &err);

	if (r > 0)
		r = run(&err);
	return ga_cli_finish(&prog, r, &err);
}
