/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-approve: the checks on this host, and the output. */
#include "cli/approve.h"

#include <stdlib.h>

#include "base/quote.h"
#include "cli/frame/cli.h"
#include "cli/objects/several.h"
#include "decide/setup/remote.h"
#include "look/block/block.h"
#include "look/host/host.h"
#include "record/state.h"
#include "record/wipe.h"
#include "state/node/verbs.h"

/* ---- looking again ---- */

static void look_at_disk(const struct ga_block_table *table, struct ga_nvme *d)
{
	ga_autoblock struct ga_block_dev dev = { 0 };
	ga_autouses struct ga_block_uses uses = { 0 };
	struct ga_err why = GA_ERR_INIT;
	bool is_seen;

	if (ga_block_find(d->wwid, &dev, &why) < 0) {
		/* A disk that is absent is not wiped either; the check found nothing new. */
		if (why.code == GA_NOTFOUND)
			return;
		ga_say("%s: %s", ga_cli_program(), why.msg);
		/* There may be two disks with this wwid now. So set all values of the older
		 * discovery to unknown, which blocks the slot. */
		d->is_block = GA_UNKNOWN;
		d->uses_known = d->signatures_known = false;
		free(d->content);
		d->content = ga_xstrdup("unread");
		return;
	}
	ga_block_uses_in(table, &dev, true, &uses);
	/* A discovery by root is more complete than a check by another user. */
	is_seen = d->signatures_known && d->is_block != GA_UNKNOWN;
	if (uses.signatures_known || !is_seen || ga_block_is_used(&uses))
		ga_block_show(&dev, &uses, d);
}

void ga_approve_look_again(struct ga_candidates *candidates)
{
	ga_autofree char *here = ga_host_node_if_known(ga_cli_setting("GPUAAS_NODE", NULL));
	ga_autoblocktable struct ga_block_table *table = NULL;
	size_t i;

	for (i = 0; here && i < candidates->n; i++) {
		struct ga_candidate *c = &candidates->v[i];

		if (!ga_streq(c->node, here) || !c->nvme || !c->nvme->wwid)
			continue;
		table = table ? table : ga_block_table_read();
		look_at_disk(table, c->nvme);
	}
}

/* ---- what comes next ---- */

/* Orders that were written, by node. */
static struct {
	struct ga_texts nodes, slots; /* one each */
} ordered;

static void note_order(const struct ga_wipe_order *order)
{
	ga_texts_add(&ordered.nodes, order->node);
	ga_texts_add(&ordered.slots, order->object);
}

/* The command that writes the orders of a node again, and wipes. */
static char *again(const struct ga_approve_run *run, const char *verb, const char *node)
{
	ga_autostr struct ga_str out = GA_STR_INIT;
	size_t i;

	if (!verb) {
		ga_str_add(&out, "gpuaas-discover | gpuaas-approve");
		if (run->all)
			ga_str_add(&out, " --all-ready");
		for (i = 0; i < run->slots.n; i++)
			ga_str_addf(&out, " --slot %lld", (long long)run->slots.v[i]);
	} else {
		ga_str_add(&out, "gpuaas-approve repair");
		for (i = 0; i < ordered.slots.n; i++)
			if (ga_streq(ordered.nodes.v[i], node))
				ga_str_addf(&out, " %s", ordered.slots.v[i]);
		ga_str_add(&out, " --reason ");
		ga_quote_word(&out, run->reason ? run->reason : verb);
	}
	ga_str_add(&out, " | gpuaas-wipe");
	return ga_str_take(&out);
}

void ga_approve_say_next(const struct ga_approve_run *run, const char *verb)
{
	ga_autofree char *here = ga_host_node_if_known(ga_cli_setting("GPUAAS_NODE", NULL));
	ga_autotexts struct ga_texts said = { 0 };
	size_t i;

	for (i = 0; i < ordered.nodes.n; i++) {
		const char *node = ordered.nodes.v[i];
		ga_autofree char *command = again(run, verb, node), *there = NULL;

		if (ga_texts_has(&said, node))
			continue;
		ga_texts_add(&said, node);
		there = ga_streq(node, here) ? NULL : ga_remote_command(command, node);
		ga_cli_next("these orders do nothing yet, and nothing is for sale before its wipe: "
			    "'%s' does it", there ? there : command);
	}
	ga_texts_release(&ordered.nodes);
	ga_texts_release(&ordered.slots);
}

/* ---- showing ---- */

void ga_approve_tell_content(const struct ga_candidates *candidates)
{
	static const struct {
		const char *content, *what;
	} words[] = {
		{ "empty", "no known signature, all zero" },
		{ "pattern", "no known signature, all 0xff, as erased flash reads" },
		{ "unknown_content", "no known signature, and not empty" },
		{ "signatures", "known signatures" },
		{ "unread", "it could not be read" },
	};
	size_t i, j;

	for (j = 0; j < GA_ARRAY_SIZE(words); j++) {
		const char *node = NULL;
		int64_t blocks = 0;
		size_t n = 0;

		for (i = 0; i < candidates->n; i++) {
			const struct ga_nvme *d = candidates->v[i].nvme;

			if (!d || !ga_streq(d->content ? d->content : "unread", words[j].content))
				continue;
			blocks = n && blocks < d->content_blocks ? blocks : d->content_blocks;
			node = candidates->v[i].node;
			n++;
		}
		if (n && j < 3)
			ga_say("%s: content of %zu disk%s of '%s': %s (%lld block%s of 4 KiB "
			       "sampled of each)",
			       ga_cli_program(), n, n > 1 ? "s" : "", node, words[j].what,
			       (long long)blocks, blocks == 1 ? "" : "s");
		else if (n)
			ga_say("%s: content of %zu disk%s of '%s': %s", ga_cli_program(), n,
			       n > 1 ? "s" : "", node, words[j].what);
	}
}

int ga_approve_check_verb(const char *verb, size_t n, bool where, struct ga_err *err)
{
	static const char *const verbs[] = { "disable", "enable", "repair", "cordon", "uncordon",
					     "quarantine", "retire", "confirm", "withdraw", NULL };
	static const char *const final[] = { "retire", "confirm", "withdraw" };
	bool is_final = false;
	size_t i;

	for (i = 0; verbs[i] && !ga_streq(verbs[i], verb); i++)
		;
	if (!verbs[i])
		return ga_cli_unknown_command(verb, verbs, err);
	for (i = 0; i < GA_ARRAY_SIZE(final); i++)
		is_final = is_final || ga_streq(final[i], verb);
	if (where && is_final)
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("%s takes no --where: it cannot be undone", verb),
				 ("name each, as the list shows it"));
	if (n || where)
		return 0;
	if (ga_streq(verb, "confirm") || ga_streq(verb, "withdraw"))
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("%s needs a proposal", verb),
				 ("'gpuaas-list proposals' shows those that are open"));
	return ga_refuse(err, GA_USAGE, NULL, NULL, ("%s needs a slot", verb),
			 (ga_streq(verb, "repair") ?
				  "'gpuaas-list attention' shows which need one: "
				  "gpuaas-approve repair SLOT --reason TEXT" :
				  "'gpuaas-list slots' shows them"));
}

/* Shows people the blockers of a slot with their fixes: all, or only the first. */
static void explain_slot(const struct ga_slot *s, bool all)
{
	size_t i;

	if (s->cordon)
		ga_say("slot %lld of '%s': a person cordoned it: %s; when that is settled: "
		       "gpuaas-approve uncordon %s",
		       (long long)s->slot_index, s->node, s->cordon, s->slot);
	if (s->cordon_reason && !ga_streq(s->cordon_reason, s->cordon))
		ga_say("slot %lld of '%s': a person disabled it: %s; fix: gpuaas-approve enable %s "
		       "| gpuaas-wipe",
		       (long long)s->slot_index, s->node, s->cordon_reason, s->slot);
	for (i = 0; i < s->blockers.n && (all || !i); i++) {
		const struct ga_reason *r = &s->blockers.v[i];

		ga_say("slot %lld of '%s': %s%s%s%s%s%s%s", (long long)s->slot_index, s->node,
		       r->code, r->subject ? " " : "", r->subject ? r->subject : "",
		       r->evidence ? ": " : "", r->evidence ? r->evidence : "",
		       r->hint ? "; fix: " : "", r->hint ? r->hint : "");
	}
}

/* A pending proposal changed nothing yet: the status is GA_NO, and the message shows that a second
 * person has to confirm it. */
static int emit_proposal(const struct ga_proposal *p, struct ga_err *err)
{
	if (ga_streq(p->state, "pending")) {
		ga_cli_note_status(GA_NO);
		ga_say("%s: slot %s: %s, once another person has confirmed it before %s%s%s",
		       ga_cli_program(), p->object,
		       ga_streq(p->action, GA_DESTROY_DATA) ? "the data on its disk is destroyed" :
							      "it is retired unwiped",
		       p->expires_at, p->dry_run ? "" : ": gpuaas-approve confirm ",
		       p->dry_run ? "" : p->proposal);
	}
	return ga_emit(&ga_proposal_schema, p, err);
}

int ga_approve_emit(const struct ga_approve_run *run, bool explain, struct ga_err *err)
{
	size_t i;

	for (i = 0; i < run->notes.n; i++)
		ga_say("%s: %s", ga_cli_program(), run->notes.v[i]);
	if (run->has_node && ga_emit(&ga_node_schema, &run->node, err) < 0)
		return -1;
	for (i = 0; i < run->results.n; i++) {
		const struct ga_approve_result *r = &run->results.v[i];
		/* Show blockers of slots that the user named; with "all", only if none was
		 * approved. */
		bool is_asked_for = !r->has_proposal && (run->sells || run->slots.n ||
							 (run->all && !run->approved));

		if (r->has_slot && ga_streq(r->slot.state, "disabled") && (explain || is_asked_for))
			explain_slot(&r->slot, explain);
		if ((r->has_slot && ga_emit(&ga_slot_schema, &r->slot, err) < 0) ||
		    (r->has_order && ga_emit(&ga_wipe_order_schema, &r->order, err) < 0) ||
		    (r->has_proposal && emit_proposal(&r->proposal, err) < 0))
			return -1;
		if (r->has_order && !run->dry_run)
			note_order(&r->order);
	}
	return 0;
}

bool ga_approve_is_refused(const struct ga_approve_run *run)
{
	size_t i;

	for (i = 0; run->sells && i < run->results.n; i++) {
		const struct ga_slot *s = &run->results.v[i].slot;

		if (run->results.v[i].has_slot && ga_streq(s->state, "disabled") &&
		    !s->cordon_reason && s->blockers.n)
			return true;
	}
	return false;
}

/* ---- several objects ---- */

static int one(struct ga_approve_run *run, const char *verb, char *object, bool explain,
	       struct ga_err *err)
{
	if (ga_approve_move(run, verb, &object, 1, err) < 0 ||
	    ga_approve_emit(run, explain, err) < 0)
		return -1;
	if (run->left)
		ga_cli_several_left("slot", object);
	return ga_approve_is_refused(run) ? GA_NO : GA_OK;
}

int ga_approve_each(struct ga_approve_run *run, char *const *args, size_t n,
		    const struct ga_borrowed_texts *where, bool explain, struct ga_err *err)
{
	ga_cleanup(ga_cli_several_release) struct ga_several ask = {
		.kind = "slot", .operands = args + 1, .n = n - 1,
		.where = where->v, .n_where = where->n,
	};
	bool of_slots = !ga_streq(args[0], "confirm") && !ga_streq(args[0], "withdraw");
	ga_autotexts struct ga_texts objects = { 0 };
	size_t i;

	if (of_slots && ga_cli_several(&ask, &objects, err) < 0)
		return -1;
	/* The same for all: it is reported once. */
	if (objects.n && !run->reason && ga_store_slot_needs_reason(args[0]))
		return ga_fail(err, GA_USAGE, "%s needs --reason", args[0]);
	run->still = ask.still;
	for (i = 1; !of_slots && i < n; i++)
		if (!ga_texts_has(&objects, args[i]))
			ga_texts_add(&objects, args[i]);
	for (i = 0; i < objects.n; i++) {
		int r = one(run, args[0], objects.v[i], explain, err);

		if (!ga_cli_several_goes_on(objects.n, r, err)) {
			run->still = NULL; /* it goes with ask */
			return r;
		}
	}
	run->still = NULL;
	return 0;
}
