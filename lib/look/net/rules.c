/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the rules in effect from nft's JSON (libnftables-json(5)). The text is nft's, but anybody
 * may have made the tables: a rule that is not understood completely counts for nothing.
 */
#include "look/net/net.h"

#include <jansson.h>
#include <unistd.h>

#include "base/proc.h"
#include "record/id.h"
#include "record/mac.h"
#include "record/rec.h"

#define OUTPUT_MAX (8 << 20)

/* The parts of one rule that matter here. */
struct rule {
	const char *iif, *oif, *not_iif, *not_oif; /* one interface each, or NULL */
	bool by_source; /* it matches the source address */
	bool covers;	/* it matches every address of the network, or matches no source */
	bool aside;	/* it excludes some targets, as NAT does ("to others than …") */
	bool narrow;	/* another match narrows it */
	bool drop, accept, masquerade, from_map;
};

static const char *text_of(const json_t *o, const char *name)
{
	return json_string_value(json_object_get(o, name));
}

/* A prefix, or one address, as numbers. */
static bool is_prefix(const json_t *v, uint32_t *net, int *bits)
{
	const json_t *p = json_object_get(v, "prefix"), *len = json_object_get(p, "len");
	const char *addr = p ? text_of(p, "addr") : json_string_value(v);
	struct ga_err ignored = GA_ERR_INIT;

	if (!addr || ga_ip_parse(addr, net, &ignored) < 0)
		return false;
	*bits = p ? (int)json_integer_value(len) : 32;
	return *bits >= 0 && *bits <= 32;
}

static bool holds(const json_t *v, uint32_t net, int bits)
{
	const json_t *members = json_object_get(v, "set"), *one;
	uint32_t outer;
	int outer_bits;
	size_t i;

	json_array_foreach(members, i, one)
		if (holds(one, net, bits)) /* a set in a set is none: jansson bounds the depth */
			return true;
	if (members || !is_prefix(v, &outer, &outer_bits) || outer_bits > bits)
		return false;
	return !outer_bits || (outer ^ net) >> (32 - outer_bits) == 0;
}

static void read_match(const json_t *m, uint32_t net, int bits, struct rule *r)
{
	const json_t *left = json_object_get(m, "left"), *right = json_object_get(m, "right");
	const json_t *payload = json_object_get(left, "payload");
	const char *key = text_of(json_object_get(left, "meta"), "key");
	const char *name = json_string_value(right), *op = text_of(m, "op");
	bool equal = ga_streq(op, "=="), known = equal || ga_streq(op, "!=");

	if (known && name && ga_streq(key, "iifname"))
		*(equal ? &r->iif : &r->not_iif) = name;
	else if (known && name && ga_streq(key, "oifname"))
		*(equal ? &r->oif : &r->not_oif) = name;
	else if (known && ga_streq(text_of(payload, "protocol"), "ip") &&
		 ga_streq(text_of(payload, "field"), "saddr")) {
		r->by_source = true;
		r->covers &= equal && holds(right, net, bits);
	} else if ((ga_streq(op, "!=") && ga_streq(text_of(payload, "field"), "daddr")) ||
		   json_object_get(left, "fib")) {
		r->aside = true;
	} else {
		r->narrow = true;
	}
}

static void read_rule(const json_t *rule, uint32_t net, int bits, struct rule *r)
{
	const json_t *list = json_object_get(rule, "expr"), *e;
	size_t i;

	*r = (struct rule){ .covers = true };
	json_array_foreach(list, i, e) {
		const json_t *xt = json_object_get(e, "xt"), *dnat = json_object_get(e, "dnat");
		const char *target = text_of(xt, "name");
		const json_t *map = json_object_get(json_object_get(dnat, "addr"), "map");

		if (json_object_get(e, "match"))
			read_match(json_object_get(e, "match"), net, bits, r);
		else if (json_object_get(e, "drop") || json_object_get(e, "reject"))
			r->drop = true;
		else if (json_object_get(e, "accept"))
			r->accept = true;
		else if (json_object_get(e, "masquerade") || json_object_get(e, "snat") ||
			 ga_streq(target, "MASQUERADE") || ga_streq(target, "SNAT"))
			r->masquerade = true;
		else if (map)
			r->from_map = ga_streq(text_of(map, "data"), "@ingress");
		else if (!json_object_get(e, "counter") && !json_object_get(e, "log") &&
			 !json_object_get(e, "comment"))
			r->narrow = true; /* limit, jump, xt match, … */
	}
}

/* Opens nft's output: one object with one list. */
static int open_list(const char *text, size_t len, json_t **json, json_t **list, struct ga_err *err)
{
	json_error_t why;

	*json = json_loadb(text, len, 0, &why);
	*list = json_object_get(*json, "nftables");
	if (json_is_array(*list))
		return 0;
	return ga_fail(err, GA_BADREC, "nft did not print its rules as JSON: %.100s",
		       *json ? "it has no list 'nftables'" : why.text);
}

/* The kernel's hook of a chain ("forward"), or NULL: it has none, or there is no such chain. */
static const char *hook_of(const json_t *list, const json_t *rule)
{
	const json_t *e;
	size_t i;

	json_array_foreach(list, i, e) {
		const json_t *c = json_object_get(e, "chain");

		if (c && ga_streq(text_of(c, "name"), text_of(rule, "chain")) &&
		    ga_streq(text_of(c, "table"), text_of(rule, "table")) &&
		    ga_streq(text_of(c, "family"), text_of(rule, "family")))
			return text_of(c, "hook");
	}
	return NULL;
}

int ga_net_nat_parse(const char *text, size_t len, const char *network, struct ga_str *evidence,
		     struct ga_err *err)
{
	ga_autojson json_t *json = NULL;
	json_t *list, *e;
	uint32_t net;
	size_t i;
	int bits;

	if (ga_ip_net_parse(network, &net, &bits, err) < 0 ||
	    open_list(text, len, &json, &list, err) < 0)
		return -1;
	json_array_foreach(list, i, e) {
		const json_t *rule = json_object_get(e, "rule");
		struct rule r;

		if (!rule)
			continue;
		read_rule(rule, net, bits, &r);
		if (!r.masquerade || !r.covers || r.narrow || r.iif)
			continue;
		ga_str_clear(evidence);
		ga_str_addf(evidence, "nft: source NAT for %s in table '%.64s', chain '%.64s'",
			    network, text_of(rule, "table"), text_of(rule, "chain"));
		return 1;
	}
	return 0;
}

int ga_net_forward_parse(const char *text, size_t len, struct ga_str *evidence, struct ga_err *err)
{
	ga_autojson json_t *json = NULL;
	json_t *list, *e;
	size_t i;

	if (open_list(text, len, &json, &list, err) < 0)
		return -1;
	json_array_foreach(list, i, e) {
		const json_t *c = json_object_get(e, "chain");
		const char *family = text_of(c, "family"), *table = text_of(c, "table");

		if (!ga_streq(text_of(c, "hook"), "forward") ||
		    !ga_streq(text_of(c, "policy"), "drop") || ga_streq(table, "gpuaas") ||
		    (!ga_streq(family, "ip") && !ga_streq(family, "inet")))
			continue;
		ga_str_clear(evidence);
		ga_str_addf(evidence,
			    "table '%.64s', chain '%.64s' of nftables drops by its policy what it "
			    "does not accept",
			    table, text_of(c, "name"));
		return 1;
	}
	return 0;
}

/* ---- our own table ---- */

/* The decisions of a chain before its next rule is read. */
struct walk {
	const char *bridge;
	uint32_t net;
	int bits;
	bool forward_accepts; /* a rule accepts some packets */
	bool forward_open, input_open; /* a rule accepts all packets to the bridge; all packets from
					  it */
};

/* Whether the rule applies to every packet between its interfaces. */
static bool is_plain(const struct rule *r)
{
	return !r->narrow && !r->aside && !r->by_source && !r->not_iif && !r->not_oif;
}

static void take_forward(struct walk *w, const struct rule *r, struct ga_net_rules *ret)
{
	bool in = ga_streq(r->iif, w->bridge), out = ga_streq(r->oif, w->bridge);
	bool plain = is_plain(r);

	if (r->accept) {
		w->forward_accepts = true;
		w->forward_open |= plain && !r->iif && (out || !r->oif);
	}
	if (!r->drop || !plain)
		return;
	ret->isolated |= in && out && !w->forward_accepts;
	ret->closed |= out && !r->iif && !w->forward_open;
}

static void take_input(struct walk *w, const struct rule *r, struct ga_net_rules *ret)
{
	bool in = ga_streq(r->iif, w->bridge), plain = is_plain(r);

	w->input_open |= r->accept && plain && (in || !r->iif);
	ret->guarded |= r->drop && plain && in && !w->input_open;
}

static void take_rule(const json_t *list, const json_t *rule, struct walk *w,
		      struct ga_net_rules *ret)
{
	const char *hook = hook_of(list, rule);
	struct rule r;

	read_rule(rule, w->net, w->bits, &r);
	if (ga_streq(hook, "forward"))
		take_forward(w, &r, ret);
	else if (ga_streq(hook, "input"))
		take_input(w, &r, ret);
	else if (ga_streq(hook, "postrouting") && r.masquerade && r.covers && !r.narrow)
		ret->nat |= ga_streq(r.not_oif, w->bridge) && !r.oif && !r.iif;
	else if (ga_streq(hook, "prerouting") && r.from_map && !r.narrow)
		ret->publishing |= ga_streq(r.not_iif, w->bridge) && !r.iif;
}

/* One value of a concatenation: part returns its text, number its port number. */
static const char *part(const json_t *v, size_t i)
{
	return json_string_value(json_array_get(json_object_get(v, "concat"), i));
}

static int64_t number(const json_t *v, size_t i)
{
	const json_t *n = json_array_get(json_object_get(v, "concat"), i);
	int64_t port = json_is_integer(n) ? json_integer_value(n) : 0;

	return port >= 1 && port <= 65535 ? port : 0;
}

/* Whether the set "published" has the target of the element. */
static bool passes(const json_t *list, const struct ga_net_ingress *n)
{
	const json_t *e, *key;
	size_t i, j;

	json_array_foreach(list, i, e) {
		const json_t *set = json_object_get(e, "set");

		if (!set || !ga_streq(text_of(set, "name"), "published"))
			continue;
		json_array_foreach(json_object_get(set, "elem"), j, key)
			if (ga_streq(part(key, 0), n->proto) &&
			    ga_streq(part(key, 1), n->address) && number(key, 2) == n->to_port)
				return true;
	}
	return false;
}

static void take_element(const json_t *list, const json_t *pair, struct ga_net_rules *ret)
{
	const json_t *key = json_array_get(pair, 0), *to = json_array_get(pair, 1);
	const json_t *elem = json_object_get(key, "elem");
	const char *comment = elem ? text_of(elem, "comment") : NULL, *proto, *address;
	struct ga_err ignored = GA_ERR_INIT;
	struct ga_net_ingress *n;
	uint32_t ip;

	key = elem ? json_object_get(elem, "val") : key;
	proto = part(key, 0);
	address = part(to, 0);
	if ((!ga_streq(proto, "tcp") && !ga_streq(proto, "udp")) || !number(key, 1) || !address ||
	    ga_ip_parse(address, &ip, &ignored) < 0 || !number(to, 1))
		return;
	n = ga_list_add(&ret->ingress);
	n->proto = ga_xstrdup(proto);
	n->port = number(key, 1);
	n->address = ga_xstrdup(address);
	n->to_port = number(to, 1);
	n->allocation = comment && ga_id_is_valid(comment) ? ga_xstrdup(comment) : NULL;
	n->passes = passes(list, n);
}

int ga_net_rules_parse(const char *text, size_t len, const char *bridge, const char *network,
		       struct ga_net_rules *ret, struct ga_err *err)
{
	ga_autojson json_t *json = NULL;
	struct walk w = { .bridge = bridge };
	json_t *list, *e;
	size_t i, j;

	*ret = (struct ga_net_rules){ 0 };
	if ((network && ga_ip_net_parse(network, &w.net, &w.bits, err) < 0) ||
	    open_list(text, len, &json, &list, err) < 0)
		return -1;
	ret->table = true;
	json_array_foreach(list, i, e) {
		const json_t *map = json_object_get(e, "map"), *rule = json_object_get(e, "rule");
		const json_t *pair;

		if (rule && network)
			take_rule(list, rule, &w, ret);
		if (map && ga_streq(text_of(map, "name"), "ingress"))
			json_array_foreach(json_object_get(map, "elem"), j, pair)
				take_element(list, pair, ret);
	}
	return 0;
}

void ga_net_ingress_release(struct ga_net_ingress *i)
{
	free(i->proto);
	free(i->address);
	free(i->allocation);
	*i = (struct ga_net_ingress){ 0 };
}

void ga_net_rules_release(struct ga_net_rules *r)
{
	for (size_t i = 0; i < r->ingress.n; i++)
		ga_net_ingress_release(&r->ingress.v[i]);
	ga_list_release(&r->ingress);
	*r = (struct ga_net_rules){ 0 };
}

bool ga_net_rules_stand(const struct ga_net_rules *r)
{
	return r->table && r->nat && r->isolated && r->closed && r->guarded && r->publishing;
}

void ga_net_rules_lack(const struct ga_net_rules *r, struct ga_str *out)
{
	const struct {
		bool there;
		const char *what;
	} rules[] = {
		{ r->nat, "source NAT" },
		{ r->isolated, "no traffic between slices" },
		{ r->closed, "no traffic from outside" },
		{ r->guarded, "the host closed to slices" },
		{ r->publishing, "published ports" },
	};

	ga_str_clear(out);
	if (!r->table)
		ga_str_add(out, "no table 'ip gpuaas'");
	for (size_t i = 0; r->table && i < GA_ARRAY_SIZE(rules); i++)
		if (!rules[i].there)
			ga_str_addf(out, "%s%s", out->len ? ", " : "the table lacks: ",
				    rules[i].what);
}

int ga_net_rules_read(const char *bridge, const char *network, struct ga_net_rules *ret,
		      struct ga_err *err)
{
	static const char *const argv[] = { "nft", "-j", "list", "table", "ip", "gpuaas", NULL };
	const struct ga_proc p = { .argv = argv, .timeout_micros = 5 * GA_SECOND,
				   .output_max = OUTPUT_MAX };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

	*ret = (struct ga_net_rules){ 0 };
	if (geteuid())
		return ga_fail(err, GA_DENIED, "only root may read the rules of nftables");
	if (ga_proc_run(&p, &out, err) < 0)
		return -1;
	if (out.status && strstr(out.err.buf, "No such file or directory"))
		return 0; /* nft's words for: no such table */
	if (out.status)
		return ga_fail_for(err, GA_EXTERNAL, "nft", "nft cannot list its table: %.200s",
				   out.err.buf);
	return ga_net_rules_parse(out.out.buf, out.out.len, bridge, network, ret, err);
}
