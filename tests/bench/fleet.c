/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fleet STATE NODES [FIRST [AUDIT]] < DISCOVERY: adds NODES nodes of 8 available slots each to a
 * lab state, from number FIRST (1), through the same store functions as the programs: observe,
 * approve, fold of wipe evidence; then rows to the audit until it has AUDIT of them. The discovery
 * (of the h200 recording) is the pattern; names and identities are made from the node's number.
 * For benchmarks and for tests that need a fleet.
 */
#include "../unit/evidence_world.h"
#include "record/id.h"
#include "record/mac.h"
#include "record/rec.h"
#include "record/result.h"
#include "record/state.h"
#include "record/time.h"
#include "record/wipe.h"
#include "state/db/audit.h"
#include "state/fold/fold.h"
#include "state/node/approve.h"
#include "state/node/key.h"
#include "state/node/observe.h"

#define SLOTS 8
#define NODES_A_COMMIT 25 /* a transaction larger than SQLite's cache spills and gets slow */

struct pattern {
	struct ga_host host;
	struct ga_candidate candidate;
};

static void put(char **text, char *value)
{
	free(*text);
	*text = value;
}

static int read_pattern(struct pattern *p, struct ga_err *err)
{
	ga_autoreader struct ga_reader *r = ga_reader_open(0, "standard input");
	bool host = false, candidate = false;
	struct ga_rec rec;
	int more;

	while ((more = ga_reader_next(r, &rec, err)) > 0) {
		if (!host && ga_rec_is(&rec, &ga_host_schema)) {
			host = true;
			if (ga_rec_parse(&rec, &ga_host_schema, &p->host, err) < 0)
				return -1;
		} else if (!candidate && ga_rec_is(&rec, &ga_candidate_schema)) {
			candidate = true;
			if (ga_rec_parse(&rec, &ga_candidate_schema, &p->candidate, err) < 0)
				return -1;
		}
	}
	if (more < 0 || (host && candidate))
		return more;
	return ga_fail(err, GA_BADREC, "the pattern needs a host and a candidate record");
}

/* Slot i of a node gets its own part of the 192 CPUs and of the NUMA node's memory. */
static void vary(const struct pattern *p, const char *node, int i, struct ga_candidate *c)
{
	char mac[GA_MAC_SIZE];

	ga_schema_copy(&ga_candidate_schema, &p->candidate, c);
	put(&c->node, ga_xstrdup(node));
	c->slot_index = i;
	c->numa_node = c->gpu->numa_node = c->nvme->numa_node = c->fabric->numa_node = i / 4;
	put(&c->gpu->identity, ga_xprintf("serial:%s-%d", node, i));
	put(&c->gpu->pci_address, ga_xprintf("0000:%02x:00.0", 0x10 + i));
	c->gpu->module_id = i + 1;
	put(&c->nvme->wwid, ga_xprintf("eui.%s-%d", node, i));
	put(&c->nvme->serial, ga_xprintf("S%s%d", node, i));
	put(&c->nvme->path, ga_xprintf("/dev/nvme%dn1", i));
	put(&c->fabric->vf_pci_address, ga_xprintf("0000:%02x:00.1", 0x40 + i));
	put(&c->fabric->pf_pci_address, ga_xprintf("0000:%02x:00.0", 0x40 + i));
	ga_mac_suggest(node, i, mac);
	put(&c->suggested.mac, ga_xstrdup(mac));
	put(&c->suggested.private_ip, ga_xprintf("10.100.0.%d", 10 + i));
	put(&c->suggested.port, ga_xprintf("gp-%d", i));
	put(&c->suggested.cpuset, ga_xprintf("%d-%d", i / 4 * 48 + i % 4 * 12,
					     i / 4 * 48 + i % 4 * 12 + 11));
	c->suggested.memory_mib = 65536;
}

/* Confirmed evidence for an order, as gpuaas-wipe would write it of a lab disk. */
static int prove(struct ga_db *db, const struct ga_wipe_order *o, struct ga_err *err)
{
	ga_autofree char *now = ga_time_now();
	struct ga_wipe_evidence e;
	int r;

	ga_schema_init(&ga_wipe_evidence_schema, &e);
	ew_prove(&e, o->nvme_wwid, o->nvme_size_bytes, now);
	e.evidence = ga_id_new();
	e.node = ga_xstrdup(o->node);
	e.object = ga_xstrdup(o->object);
	e.generation = o->generation;
	e.attempt = ga_xstrdup(o->attempt);
	e.device.serial = ga_strdup0(o->nvme_serial);
	e.gpu_identity = ga_strdup0(o->gpu_identity);
	ga_wipe_evidence_seal(&e);
	r = ga_fold(db, &ga_wipe_evidence_schema, &e, err);
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	return r;
}

static int make_slot(struct ga_db *db, const struct ga_candidate *c, struct ga_err *err)
{
	static char clear[] = "clear", full[] = "full", if_supported[] = "if_supported";
	struct ga_approval a = { .candidate = c, .wipe = { clear, full, if_supported } };
	struct ga_wipe_order order = { 0 };
	struct ga_slot slot = { 0 };
	bool has_order = false;
	int r = ga_store_approve(db, &a, &slot, &order, &has_order, err);

	if (r >= 0 && !has_order)
		r = ga_fail(err, GA_CONFLICT, "slot %s is %s: %s", slot.slot, slot.state,
			    slot.blockers.n ? slot.blockers.v[0].code : "no order");
	else if (r >= 0)
		r = prove(db, &order, err);
	ga_schema_release(&ga_slot_schema, &slot);
	ga_schema_release(&ga_wipe_order_schema, &order);
	return r;
}

static int make_node(struct ga_db *db, struct pattern *p, int64_t number, struct ga_err *err)
{
	struct ga_candidate of[SLOTS];
	struct ga_candidates all = { of, SLOTS };
	ga_autofree char *node = ga_xprintf("n%05lld", (long long)number);
	int i, r;

	put(&p->host.node, ga_xstrdup(node));
	for (i = 0; i < SLOTS; i++)
		vary(p, node, i, &of[i]);
	put(&p->host.node_key, ga_xprintf("%043lld=", (long long)number)); /* nobody's */
	r = ga_store_observe(db, &p->host, &all, err);
	if (r >= 0)
		r = ga_store_key_learn(db, &p->host, false, err);
	for (i = 0; i < SLOTS && r >= 0; i++)
		r = make_slot(db, &of[i], err);
	for (i = 0; i < SLOTS; i++)
		ga_schema_release(&ga_candidate_schema, &of[i]);
	return r;
}

static int fill_audit(struct ga_db *db, int64_t rows, struct ga_err *err)
{
	char head[GA_DIGEST_SIZE];
	int64_t seq;

	if (ga_audit_head(db, &seq, head, err) < 0)
		return -1;
	for (; seq < rows; seq++)
		if (ga_audit_add(db, "observed", "n00001",
				 json_pack("{s:s, s:I}", "digest", head, "candidates",
					   (json_int_t)SLOTS), err) < 0)
			return -1;
	return 0;
}

static int run(const char *path, int64_t nodes, int64_t first, int64_t rows, struct ga_err *err)
{
	ga_autodb struct ga_db *db = NULL;
	struct pattern p = { 0 };
	int64_t n;

	if (read_pattern(&p, err) < 0 ||
	    ga_db_open(path, GA_DB_STATE, GA_DB_WRITE, &db, err) < 0 ||
	    ga_db_begin(db, "fleet", err) < 0)
		return -1;
	for (n = first; n < first + nodes; n++) {
		if (make_node(db, &p, n, err) < 0)
			return -1;
		if (n % NODES_A_COMMIT == 0 &&
		    (ga_db_commit(db, err) < 0 || ga_db_begin(db, "fleet", err) < 0))
			return -1;
	}
	ga_schema_release(&ga_host_schema, &p.host);
	ga_schema_release(&ga_candidate_schema, &p.candidate);
	return fill_audit(db, rows, err) < 0 ? -1 : ga_db_commit(db, err);
}

static int64_t number(int argc, char **argv, int i, int64_t fallback)
{
	return i < argc ? strtoll(argv[i], NULL, 10) : fallback;
}

int main(int argc, char **argv)
{
	struct ga_err err = GA_ERR_INIT;

	if (argc < 3) {
		fprintf(stderr, "usage: fleet STATE NODES [FIRST [AUDIT]] < DISCOVERY\n");
		return GA_USAGE;
	}
	if (run(argv[1], number(argc, argv, 2, 0), number(argc, argv, 3, 1),
		number(argc, argv, 4, 0), &err) < 0) {
		fprintf(stderr, "fleet: %s\n", err.msg);
		return (int)err.code;
	}
	return 0;
}
