/* SPDX-License-Identifier: Apache-2.0 */
/* The frame of drift: words, what the host shows, the list of drift, the short record. */
#include "decide/drift/internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/quote.h"
#include "record/expectation.h"
#include "record/time.h"
#include "record/words.h"

struct words {
	const char *word, *doc;
};

static const struct words codes[GA_D_COUNT] = {
#define GA_X(name, word, doc) [GA_D_##name] = { word, doc },
	GA_DRIFT_CODES(GA_X)
#undef GA_X
};

static const struct words repairs[GA_R_COUNT] = {
#define GA_X(name, word, doc) [GA_R_##name] = { word, doc },
	GA_REPAIRS(GA_X)
#undef GA_X
};

const char *ga_drift_word(enum ga_drift_code code)
{
	return codes[code].word;
}

const char *ga_repair_word(enum ga_repair repair)
{
	return repairs[repair].word;
}

const char *ga_repair_doc(enum ga_repair repair)
{
	return repairs[repair].doc;
}

const char *ga_area_word(enum ga_area area)
{
	static const char *const words[GA_A_COUNT] = {
		[GA_A_DOMAINS] = "domains",   [GA_A_PCI] = "pci",
		[GA_A_DISKS] = "disks",	      [GA_A_LEASES] = "leases",
		[GA_A_DHCP] = "dhcp",	      [GA_A_PORTS] = "ports",
		[GA_A_NETWORK] = "network",   [GA_A_SEEDS] = "seeds",
		[GA_A_NVRAM] = "nvram",	      [GA_A_HUGEPAGES] = "hugepages",
		[GA_A_PARTITIONS] = "partitions", [GA_A_WORK] = "work",
		[GA_A_INGRESS] = "ingress",
	};

	return words[area];
}

/* ---- what the host shows ---- */

void ga_seen_init(struct ga_seen *s)
{
	*s = (struct ga_seen){ .bridge = GA_UNKNOWN, .nat = GA_UNKNOWN, .forwarding = GA_UNKNOWN,
			       .closed = GA_UNKNOWN, .isolated = GA_UNKNOWN };
}

#define EACH(list, code) \
	do { \
		for (size_t _i = 0; _i < (list)->n; _i++) { \
			__typeof__((list)->v) x = &(list)->v[_i]; \
			code; \
		} \
		ga_list_release(list); \
	} while (0)

void ga_seen_release(struct ga_seen *s)
{
	free(s->node);
	free(s->boot_id);
	free(s->fingerprint);
	free(s->other_controller);
	for (size_t i = 0; i < GA_A_COUNT; i++)
		free(s->blind[i]);
	EACH(&s->domains, free(x->name); free(x->allocation); free(x->state); free(x->cause);
	     ga_texts_release(&x->devices));
	EACH(&s->pci, free(x->address); free(x->identity); free(x->driver); free(x->power));
	EACH(&s->disks, free(x->wwid); free(x->serial); free(x->path); ga_texts_release(&x->uses));
	EACH(&s->leases, free(x->mac); free(x->ip));
	EACH(&s->reservations, free(x->path); free(x->allocation); free(x->mac); free(x->ip));
	EACH(&s->ports, free(x->name); free(x->bridge); free(x->allocation));
	EACH(&s->ingress, free(x->allocation); free(x->proto); free(x->address);
	     free(x->elsewhere));
	free(s->lacks);
	free(s->bridges);
	EACH(&s->numa, free(x->cpus); ga_list_release(&x->hugepages));
	ga_list_release(&s->partitions);
	EACH(&s->seeds, free(x->path); free(x->allocation));
	EACH(&s->nvram, free(x->path); free(x->allocation));
	EACH(&s->entries, free(x->object); free(x->op); free(x->subject));
	EACH(&s->works, free(x->object); free(x->program); free(x->attempt); free(x->state);
	     free(x->phase); free(x->boot_id); free(x->started_at));
	EACH(&s->blockers, ga_schema_release(&ga_reason_schema, x));
	ga_seen_init(s);
}

void ga_seen_blind(struct ga_seen *s, enum ga_area area, const char *why)
{
	if (!s->blind[area])
		s->blind[area] = ga_xstrdup(why);
}

const struct ga_seen_work *ga_seen_work_of(const struct ga_seen *s, const char *object)
{
	for (size_t i = 0; object && i < s->works.n; i++)
		if (ga_streq(s->works.v[i].object, object))
			return &s->works.v[i];
	return NULL;
}

const struct ga_seen_domain *ga_seen_domain_of(const struct ga_seen *s, const char *allocation)
{
	for (size_t i = 0; allocation && i < s->domains.n; i++)
		if (ga_streq(s->domains.v[i].allocation, allocation))
			return &s->domains.v[i];
	return NULL;
}

const char *ga_seen_power(const struct ga_seen *s, const char *allocation)
{
	const struct ga_seen_domain *d = ga_seen_domain_of(s, allocation);

	if (s->blind[GA_A_DOMAINS] || (d && !d->state))
		return NULL;
	if (!d || ga_streq(d->state, "shutoff") || ga_streq(d->state, "crashed"))
		return "off";
	return "on";
}

/* ---- the expectation ---- */

const struct ga_expected_allocation *ga_drift_allocation(const struct ga_expectation *want,
							 const char *allocation)
{
	for (size_t i = 0; allocation && i < want->allocations.n; i++)
		if (ga_streq(want->allocations.v[i].allocation, allocation))
			return &want->allocations.v[i];
	return NULL;
}

bool ga_drift_is_live(const struct ga_expectation *want, const char *allocation)
{
	const struct ga_expected_allocation *a = ga_drift_allocation(want, allocation);

	return a && !ga_allocation_has_ended(a->state);
}

bool ga_drift_is_over(const struct ga_expectation *want, const struct ga_seen *seen,
		      const char *allocation)
{
	const struct ga_seen_work *w = ga_seen_work_of(seen, allocation);

	if (!allocation || seen->blind[GA_A_WORK] || seen->blind[GA_A_DOMAINS])
		return false;
	if (ga_drift_is_live(want, allocation) || ga_seen_domain_of(seen, allocation))
		return false;
	/* Times are canonical text: text order is time order. */
	return !w || (!w->held && w->started_at && strcmp(w->started_at, want->at) < 0);
}

const struct ga_expected_slot *ga_drift_first_slot(const struct ga_expectation *want,
						   const char *allocation)
{
	const struct ga_expected_slot *first = NULL;

	for (size_t i = 0; i < want->slots.n; i++) {
		const struct ga_expected_slot *s = &want->slots.v[i];

		if (allocation && ga_streq(s->allocation, allocation) &&
		    (!first || s->bundle.slot_index < first->bundle.slot_index))
			first = s;
	}
	return first;
}

bool ga_wants_domain(const struct ga_expected_allocation *a)
{
	return ga_streq(a->shape, "slice") &&
	       (ga_streq(a->state, "active") || ga_streq(a->state, "held") ||
		ga_streq(a->state, "preempting"));
}

bool ga_is_running(const struct ga_drift_ctx *c, const char *allocation)
{
	return ga_seen_domain_of(c->seen, allocation) &&
	       ga_streq(ga_seen_power(c->seen, allocation), "on");
}

/* ---- drift ---- */

/* The severity and the observation of a record. */
static const struct {
	const char *severity, *observation;
} severities[] = {
	[GA_DRIFT_ERROR] = { "error", "bad" },
	[GA_DRIFT_WARNING] = { "warning", "bad" },
	[GA_DRIFT_INFO] = { "info", "ok" },
	[GA_DRIFT_UNKNOWN] = { "info", "unknown" },
};

struct ga_drift_item *ga_drift_add(const struct ga_drift_ctx *c, enum ga_drift_code code,
				   enum ga_drift_severity severity, const char *object)
{
	struct ga_drift_item *d = ga_list_add(c->ret);
	char at[GA_TIME_SIZE];

	ga_schema_init(&ga_drift_schema, &d->drift);
	d->code = code;
	d->repair = GA_R_NONE;
	d->number = GA_UNKNOWN;
	d->drift.node = ga_xstrdup(c->want->node);
	d->drift.object = ga_strdup0(object);
	d->drift.code = ga_xstrdup(ga_drift_word(code));
	d->drift.severity = ga_xstrdup(severities[severity].severity);
	d->drift.observation = ga_xstrdup(severities[severity].observation);
	d->drift.at = ga_xstrdup(ga_time_format(c->seen->at_micros, at));
	return d;
}

void ga_drift_say(struct ga_drift_item *d, const char *expected, const char *observed)
{
	d->drift.expected = ga_strdup0(expected);
	d->drift.observed = ga_strdup0(observed);
}

void ga_drift_command(struct ga_drift_item *d, const char *fmt, ...)
{
	va_list ap;
	char *command;

	va_start(ap, fmt);
	command = ga_vcommand(fmt, ap); /* the arguments may point into the old command */
	va_end(ap);
	ga_drift_set_command(d, command);
}

void ga_drift_set_command(struct ga_drift_item *d, char *command)
{
	free(d->drift.command);
	d->drift.command = command;
}

void ga_drift_repair(struct ga_drift_item *d, enum ga_repair repair, const char *allocation,
		     const char *subject)
{
	d->repair = repair;
	d->drift.repair = ga_strdup0(ga_repair_word(repair));
	d->allocation = ga_strdup0(allocation);
	d->subject = ga_strdup0(subject);
	if (!d->drift.command)
		d->drift.command = ga_xprintf("gpuaas-reconcile --repair%s",
					      repair == GA_R_START_DOMAIN ? " --boot" : "");
}

void ga_drift_unknown(const struct ga_drift_ctx *c, const char *object, const char *what,
		      const char *why)
{
	struct ga_drift_item *d = ga_drift_add(c, GA_D_UNOBSERVED, GA_DRIFT_UNKNOWN, object);

	ga_drift_say(d, what, why);
}

bool ga_drift_sees(const struct ga_drift_ctx *c, enum ga_area area)
{
	return !c->seen->blind[area];
}

void ga_drifts_release(struct ga_drifts *d)
{
	EACH(d, ga_schema_release(&ga_drift_schema, &x->drift); free(x->allocation); free(x->slot);
	     free(x->subject));
}

/* A lab has files and a test hypervisor: it needs no bridge, NAT, hugepages or fabric. */
static bool is_expected_of(const struct ga_expectation *want, enum ga_area area)
{
	bool partitions = false;

	for (size_t i = 0; i < want->allocations.n; i++)
		partitions |= want->allocations.v[i].fabric_partition != GA_UNKNOWN;
	if (area == GA_A_PARTITIONS)
		return partitions;
	return !want->lab ||
	       (area != GA_A_PORTS && area != GA_A_NETWORK && area != GA_A_INGRESS &&
		area != GA_A_HUGEPAGES && area != GA_A_LEASES && area != GA_A_NVRAM);
}

void ga_drift_compare(const struct ga_expectation *want, const struct ga_seen *seen,
		      ga_drift_limit_fn limit, struct ga_drifts *ret)
{
	struct ga_drift_ctx c = { .want = want, .seen = seen, .limit = limit, .ret = ret };

	for (enum ga_area a = 0; a < GA_A_COUNT; a++)
		if (seen->blind[a] && is_expected_of(want, a))
			ga_drift_unknown(&c, ga_area_word(a), NULL, seen->blind[a]);
	ga_drift_state(&c);
	ga_drift_devices(&c);
	ga_drift_net(&c);
	ga_drift_vm(&c);
}

size_t ga_drift_errors(const struct ga_drifts *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		n += !d->v[i].drift.repaired && ga_streq(d->v[i].drift.severity, "error");
	return n;
}

size_t ga_drift_remaining(const struct ga_drifts *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		n += !d->v[i].drift.repaired && !ga_streq(d->v[i].drift.severity, "info");
	return n;
}

/* The entries of the journal that journal_open found and no repair undid. Those of what runs stay
 * open as long as it runs. */
static int64_t left_open(const struct ga_seen *seen, const struct ga_drifts *d)
{
	int64_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		for (size_t j = 0; j < seen->entries.n && d->v[i].code == GA_D_JOURNAL_OPEN &&
				   !d->v[i].drift.repaired; j++)
			n += ga_streq(seen->entries.v[j].object, d->v[i].drift.object);
	return n;
}

void ga_drift_observation(const struct ga_expectation *want, const struct ga_seen *seen,
			  const struct ga_drifts *d, struct ga_observation *ret)
{
	char at[GA_TIME_SIZE];

	ga_schema_init(&ga_observation_schema, ret);
	ret->node = ga_xstrdup(want->node);
	ret->at = ga_xstrdup(ga_time_format(seen->at_micros, at));
	ret->boot_id = ga_strdup0(seen->boot_id);
	ret->fingerprint = ga_strdup0(seen->fingerprint);
	ret->agreed = !ga_drift_errors(d);
	ret->journal_open = left_open(seen, d);
	ret->drifts = (int64_t)d->n;
	for (size_t i = 0; i < want->allocations.n; i++) {
		const struct ga_expected_allocation *a = &want->allocations.v[i];

		if (!ga_streq(a->shape, "slice") || !ga_drift_is_live(want, a->allocation))
			continue;
		__typeof__(ret->allocations.v) o = ga_list_add(&ret->allocations);

		o->allocation = ga_xstrdup(a->allocation);
		o->power = ga_strdup0(ga_seen_power(seen, a->allocation));
	}
}

/* ---- commands of hosts ---- */

static bool is_stage(const char *text, bool target)
{
	static const char *const programs[] = { "cat",	"echo",	     "fmpm",  "grep", "lsblk",
						"lspci", "ovs-vsctl", "virsh", "nft" };
	ga_autotexts struct ga_texts words = { 0 };
	struct ga_err ignored = GA_ERR_INIT;
	size_t i;

	if (target)
		return ga_starts(text, "/sys/devices/system/node/") && ga_is_word(text) &&
		       !strstr(text, "..");
	if (ga_quote_split(text, &words, &ignored) < 0 || !words.n)
		return false;
	for (i = 0; i < words.n; i++)
		if (ga_starts(words.v[i], "--destroy"))
			return false;
	for (i = 0; i < GA_ARRAY_SIZE(programs); i++)
		if (ga_streq(words.v[0], programs[i]))
			return true;
	return ga_starts(words.v[0], "gpuaas-");
}

bool ga_drift_is_command(const char *command)
{
	static const char *const joins[] = { " | ", " && ", "; ", " > " };
	ga_autofree char *copy = ga_strdup0(command);
	bool quoted = false, target = false;
	char *stage = copy, *p = copy;
	size_t i;

	while (p && *p) {
		if (*p == '\'')
			quoted = !quoted;
		else if (*p == '\\' && !quoted && p[1])
			p++;
		for (i = 0; i < GA_ARRAY_SIZE(joins); i++)
			if (!quoted && ga_starts(p, joins[i]))
				break;
		if (i == GA_ARRAY_SIZE(joins)) {
			p++;
			continue;
		}
		*p = '\0';
		if (!is_stage(stage, target))
			return false;
		target = joins[i][1] == '>';
		stage = p = p + strlen(joins[i]);
	}
	return stage && is_stage(stage, target);
}
