/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A discovery approved as one transaction: a candidate that cannot be a slot yet does not affect
 * the others; an error undoes all of its discovery, and none of the earlier discoveries.
 */
#include "state/capacity/profile.h"
#include "state/transaction/approve.h"
#include "state_world.h"

#define CANDIDATES 3

struct discovery {
	struct ga_host host;
	struct ga_candidate v[CANDIDATES];
};

static void *parse(char *text, const struct ga_schema *schema, void *ret)
{
	sw_must(ga_rec_parse_text(text, schema, ret, &sw_err));
	free(text);
	return ret;
}

/* Of a node: candidate 1 has a disk that is mounted, the others have nothing against them. */
static struct discovery *discover(const char *node, int number)
{
	struct discovery *d = ga_xcalloc(1, sizeof(*d));
	ga_autofree char *now = ga_time_now();
	int i;

	parse(ga_xprintf("{\"kind\":\"gpuaas.host/1\",\"node\":\"%s\",\"hostname\":\"%s\","
			 "\"observed_at\":\"%s\",\"tool\":\"test\",\"boot_id\":\"b%d\","
			 "\"kernel\":\"6\",\"vendor\":\"v\",\"product\":\"p\","
			 "\"reboot_required\":false,\"blockers\":[],\"warnings\":[],"
			 "\"left_out\":[],\"node_key\":null,"
			 "\"fabric_manager\":{\"state\":\"absent\","
			 "\"evidence\":\"none\",\"partitions\":[]},\"network\":{\"bridge\":\"br0\","
			 "\"uplink\":null,\"gateway\":\"10.255.0.1\",\"prefix_bits\":8,"
			 "\"dhcp_hosts_dir\":\"/d\",\"lease_file\":\"/l\"},"
			 "\"cpus\":\"0-7\",\"memory_mib\":16000,\"numa\":[{\"numa_node\":0,"
			 "\"cpus\":\"0-7\",\"memory_mib\":16000,\"hugepages\":[]}],"
			 "\"prerequisites\":[],\"fingerprint\":\"" SW_FINGERPRINT "\"}",
			 node, node, now, number),
	      &ga_host_schema, &d->host);
	for (i = 0; i < CANDIDATES; i++)
		parse(ga_xprintf(
			      "{\"kind\":\"gpuaas.candidate/1\",\"node\":\"%s\",\"slot_index\":%d,"
			      "\"fingerprint\":\"" SW_FINGERPRINT "\",\"numa_node\":0,"
			      "\"gpu\":{\"identity\":\"slot:%d\",\"pci_address\":\"0000:1%d:00.0\","
			      "\"vendor_id\":\"10de\",\"device_id\":\"2335\","
			      "\"subsystem_vendor_id\":\"10de\",\"subsystem_device_id\":\"18be\","
			      "\"revision\":\"a1\",\"class\":\"030200\",\"pcie_switch\":null,"
			      "\"physical_slot\":null,\"module_id\":null,\"type\":\"h200\","
			      "\"type_name\":\"NVIDIA H200\",\"numa_node\":0,\"iommu_group\":4%d,"
			      "\"iommu_group_members\":[],\"driver\":\"vfio-pci\","
			      "\"reset_methods\":[\"flr\"],\"can_reset\":true,\"answers\":true,"
			      "\"bars\":[{\"index\":0,\"size_bytes\":16777216,"
			      "\"prefetchable\":true}],\"boot_display\":false},"
			      "\"nvme\":{\"wwid\":\"eui.%d%d\",\"serial\":\"S%d%d\","
			      "\"model\":\"m\",\"firmware\":\"f\",\"diskseq\":\"1\","
			      "\"capabilities\":{\"oacs\":null,\"oncs\":null,\"fna\":null,"
			      "\"sanicap\":null,\"dlfeat\":null},\"path\":"
			      "\"/dev/nvme%dn1\",\"pci_address\":\"0000:2%d:00.0\",\"numa_node\":0,"
			      "\"size_bytes\":67108864,\"logical_block_bytes\":512,\"nsid\":1,"
			      "\"namespaces\":1,\"is_block\":false,\"mounts\":[%s],\"holders\":[],"
			      "\"uses_known\":true,\"signatures\":[],\"signatures_known\":true,"
			      "\"content\":\"empty\",\"content_blocks\":1024},"
			      "\"fabric\":{\"vf_pci_address\":\"0000:3%d:00.1\","
			      "\"pf_pci_address\":\"0000:3%d:00.0\",\"vf_index\":0,\"numa_node\":0,"
			      "\"iommu_group\":5%d,\"driver\":\"vfio-pci\",\"link_layer\":"
			      "\"infiniband\",\"rdma_device\":\"mlx5_%d\",\"guid\":"
			      "\"a088:c203:0010:000%d\",\"claim_mode\":\"per_slot_vf\"},"
			      "\"suggested\":{\"mac\":\"02:00:00:00:0%d:0%d\",\"private_ip\":"
			      "\"10.0.%d.%d\",\"bridge\":\"br0\",\"port\":\"port%d\",\"cpuset\":"
			      "\"%d\",\"memory_mib\":1000},\"reasons\":[]}",
			      node, i, i, i, i, number, i, number, i, i, i,
			      i == 1 ? "\"/srv\"" : "", i, i, i, i, i, number, i, number, i + 2, i,
			      i),
		      &ga_candidate_schema, &d->v[i]);
	return d;
}

static void forget(struct discovery *d)
{
	size_t i;

	ga_schema_release(&ga_host_schema, &d->host);
	for (i = 0; i < CANDIDATES; i++)
		ga_schema_release(&ga_candidate_schema, &d->v[i]);
	free(d);
}

static int approve(struct ga_approve_run *run, struct discovery *d, struct ga_err *err)
{
	const struct ga_candidates all = { d->v, CANDIDATES };

	return ga_approve_discovery(run, &d->host, &all, err);
}

static const char *slots(struct ga_db *db)
{
	return sw_get(db, "SELECT group_concat(node_id || ' ' || slot_index || ' ' || state, '; ') "
			  "FROM (SELECT * FROM slot ORDER BY node_id, slot_index)");
}

static struct ga_approve_run begin(struct ga_db *db)
{
	static int64_t counts[] = { 1 };
	const struct ga_profile lab = {
		.name = TXT("lab"), .version = GA_UNKNOWN, .shape = TXT("slice"),
		.counts = { counts, 1 }, .vcpus_per_gpu = 1, .memory_mib_per_gpu = 1000,
		.hugepage_kib = GA_UNKNOWN, .price_micros = 5, .hold_seconds = GA_UNKNOWN,
		.graceful_seconds = GA_UNKNOWN, .domain_type = TXT("test"),
		.wipe = { TXT("clear"), TXT("full"), TXT("if_supported") } };
	struct ga_approve_run run = { .db = db, .all = true };

	sw_begin(db);
	sw_must(ga_store_apply_profile(db, &lab, &sw_err));
	sw_commit(db);
	sw_must(ga_approve_policy(&run, NULL, NULL, NULL, NULL, &sw_err));
	return run;
}

static void one_is_not_ready(void)
{
	struct ga_db *db = sw_open(0);
	struct ga_approve_run run = begin(db);
	struct discovery *d = discover("h1", 1);
	struct ga_err err = GA_ERR_INIT;

	t_str(run.wipe.minimum_class, "clear", "the policy of a lab");
	t_int(approve(&run, d, &err), 0, "all candidates of a node");
	t_int((int64_t)run.results.n, CANDIDATES, "each has its result");
	t_str(slots(db), "h1 0 wiping; h1 1 disabled; h1 2 wiping",
	      "the disk in use stays out of sale, the others are to be wiped");
	t_ok(run.results.v[0].has_order && !run.results.v[1].has_order, "by orders");
	t_ok(run.results.v[1].slot.blockers.n > 0, "and the one has its blockers");
	t_int(run.approved, 2, "two are approved");
	t_ok(run.content_checked, "the disks were judged");
	t_int(approve(&run, d, &err), 0, "the same discovery again");
	t_str(slots(db), "h1 0 wiping; h1 1 disabled; h1 2 wiping", "changes no slot");
	forget(d);
	ga_approve_release(&run);
	sw_close(db);
}

static void one_is_an_error(void)
{
	int64_t wanted[] = { 0, 7 };
	struct ga_db *db = sw_open(0);
	struct ga_approve_run run = begin(db);
	struct discovery *first = discover("h1", 1), *second = discover("h2", 2);
	struct ga_err err = GA_ERR_INIT;

	sw_must(approve(&run, first, &err));
	run.all = false;
	run.slots.v = wanted;
	run.slots.n = 2;
	t_code(approve(&run, second, &err), &err, GA_NOTFOUND, "no candidate 7",
	       "a second discovery, without a named candidate");
	t_ok(!ga_db_in_transaction(db), "leaves no transaction open");
	t_str(slots(db), "h1 0 wiping; h1 1 disabled; h1 2 wiping", "nothing of it is a slot");
	t_str(sw_get(db, "SELECT count(*) FROM node WHERE id = 'h2'"), "0", "its node is unknown");
	ga_err_clear(&err);
	run.slots.n = 1;
	t_int(approve(&run, second, &err), 0, "the same with one that is there");
	t_str(slots(db), "h1 0 wiping; h1 1 disabled; h1 2 wiping; h2 0 wiping", "is its slot");
	forget(first);
	forget(second);
	ga_approve_release(&run);
	sw_close(db);
}

static void dry_run(void)
{
	struct ga_db *db = sw_open(0);
	struct ga_approve_run run = begin(db);
	struct discovery *d = discover("h1", 1);
	struct ga_err err = GA_ERR_INIT;
	ga_autofree char *audit = ga_xstrdup(sw_get(db, "SELECT count(*) FROM audit"));

	run.dry_run = true;
	t_int(approve(&run, d, &err), 0, "a dry run");
	t_int((int64_t)run.results.n, CANDIDATES, "has results");
	t_ok(run.results.v[0].slot.dry_run && run.results.v[0].order.dry_run, "that say so");
	t_str(slots(db), "", "there is no slot");
	t_str(sw_get(db, "SELECT count(*) FROM node WHERE id = 'h1'"), "0", "no node");
	t_str(sw_get(db, "SELECT count(*) FROM audit"), audit, "and nothing in the audit");
	run.dry_run = false;
	run.record_only = true;
	t_int(approve(&run, d, &err), 0, "a discovery to be stored only");
	t_ok(run.has_node && ga_streq(run.node.node, "h1"), "has its node as the result");
	t_str(slots(db), "", "and makes no slot");
	forget(d);
	ga_approve_release(&run);
	sw_close(db);
}

static void destroy_data(void)
{
	const char *wwids[] = { "eui.12", "eui.99" };
	struct ga_db *db = sw_open(0);
	struct ga_approve_run run = begin(db);
	struct discovery *d = discover("h1", 1);
	struct ga_err err = GA_ERR_INIT;

	run.destroy_data.v = wwids;
	run.destroy_data.n = 2;
	t_code(approve(&run, d, &err), &err, GA_NOTFOUND, "eui.99",
	       "leave to destroy what is on a disk that is not there");
	t_str(slots(db), "", "approves nothing");
	t_ok(!run.content_checked, "and no disk was judged");
	ga_err_clear(&err);
	run.destroy_data.n = 1;
	run.wipe.minimum_class[0] = 'X';
	t_int(approve(&run, d, &err), -1, "under a wipe policy that no table takes");
	t_ok(run.content_checked, "the disks were judged before that failed");
	run.wipe.minimum_class[0] = 'c';
	ga_err_clear(&err);
	t_int(approve(&run, d, &err), 0, "of one that is there");
	t_int((int64_t)run.notes.n, 1, "people get a note");
	t_ok(run.notes.n && strstr(run.notes.v[0], "destroys the data on disk 'eui.12'"),
	     "of what");
	t_str(sw_get(db, "SELECT group_concat(id) FROM device WHERE destroy_data_by IS NOT NULL"),
	      "eui.12", "the leave is for that disk");
	forget(d);
	ga_approve_release(&run);
	sw_close(db);
}

static void verbs(void)
{
	char *both[] = { TXT("s0000001"), TXT("s0000002") };
	struct ga_db *db = sw_open(2);
	struct ga_approve_run run = begin(db);
	struct ga_err err = GA_ERR_INIT;

	sw_ready(db, 1);
	t_code(ga_approve_move(&run, "quarantine", both, 2, &err), &err, GA_USAGE, "--reason",
	       "a verb without its reason");
	ga_err_clear(&err);
	run.reason = "smoke";
	t_code(ga_approve_move(&run, "disable", both, 2, &err), &err, GA_CONFLICT, NULL,
	       "two slots, of which one cannot be moved");
	t_str(sw_slot_is(db, 1), "available", "move neither");
	t_ok(!ga_db_in_transaction(db), "and leave no transaction open");
	ga_err_clear(&err);
	t_int(ga_approve_move(&run, "disable", both, 1, &err), 0, "the one that can");
	t_str(sw_slot_is(db, 1), "disabled", "is moved");
	t_ok(!run.sells, "nothing is to be sold");
	t_int(ga_approve_move(&run, "repair", both, 1, &err), 0, "and repaired");
	t_str(sw_slot_is(db, 1), "wiping", "is to be wiped");
	t_ok(run.sells && run.results.n == 1 && run.results.v[0].has_order, "by an order");
	ga_approve_release(&run);
	sw_close(db);
}

int main(void)
{
	one_is_not_ready();
	one_is_an_error();
	dry_run();
	destroy_data();
	verbs();
	return t_done();
}
