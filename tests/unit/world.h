/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A state to attack: made by ga_db_init, filled by plain SQL as any SQLite tool could. Two nodes;
 * n1: s1 active under allocation a1, s2 available, s3 wiping after use, s4 disabled and empty;
 * n2: s5 and s6 available. Devices are dW and gW of slot sW.
 */
#ifndef WORLD_H
#define WORLD_H

#include <dirent.h>
#include <sqlite3.h>
#include <unistd.h>

#include "state/db/db.h"
#include "t.h"

static char w_dir[64], w_path[96];

/* Runs statements; the message of the first that fails is kept in w_message. */
static char w_message[512];

__attribute__((unused)) static int w_run(sqlite3 *db, const char *sql)
{
	char *message = NULL;
	int rc = sqlite3_exec(db, sql, NULL, NULL, &message);

	snprintf(w_message, sizeof(w_message), "%s", message ? message : "");
	sqlite3_free(message);
	return rc;
}

__attribute__((unused)) static void w_must(sqlite3 *db, const char *sql)
{
	if (w_run(db, sql) == SQLITE_OK)
		return;
	printf("Bail out! %s\n# %s\n", w_message, sql);
	exit(1);
}

/* The first column of the first row as text ("" when NULL or none): also the SQL of a trigger. */
__attribute__((unused)) static const char *w_get(sqlite3 *db, const char *sql)
{
	static char out[8192];
	sqlite3_stmt *stmt = NULL;

	out[0] = '\0';
	if (sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK &&
	    sqlite3_step(stmt) == SQLITE_ROW && sqlite3_column_text(stmt, 0))
		snprintf(out, sizeof(out), "%s", (const char *)sqlite3_column_text(stmt, 0));
	sqlite3_finalize(stmt);
	return out;
}

/* The columns of evidence that its rules brought, and what they have when all is well. */
#define W_PROOF_COLUMNS \
	"rules, gpu_reset, vf_state, medium, size_bytes, bytes_read, mismatches, surviving, " \
	"vf_pci_address, guard"
#define W_PROOF_WITH(vf) \
	"1, 'confirmed', 'confirmed', 'file', 4096, 4096, 0, 0, " vf ", 'confirmed'"
#define W_PROOF W_PROOF_WITH("fabric_vf_pci_address") /* of the slot that it is selected from */
#define W_PROOF_OF(slot) \
	W_PROOF_WITH("(SELECT fabric_vf_pci_address FROM slot WHERE id = '" slot "')")

/* An evidence row of slot sW: good but for what is put in the place of its members. */
__attribute__((unused)) static char *w_evidence(const char *id, int slot, const char *attempt,
						const char *started)
{
	return ga_xprintf(
		"INSERT INTO wipe_evidence (id, slot_id, node_id, attempt, wwid, "
		"gpu_identity, started_at, finished_at, class, outcome, verify, gpu_memory, "
		"lab, digest, record, folded_at, " W_PROOF_COLUMNS ") SELECT '%s', id, node_id, "
		"'%s', nvme_wwid, gpu_identity, '%s', '%s', 'purge', 'confirmed', 'full', "
		"'confirmed', 1, 'digest-%s', '{}', 'now', " W_PROOF " FROM slot "
		"WHERE id = 's%d';",
		id, attempt, started, started, id, slot);
}

__attribute__((unused)) static void w_slot(sqlite3 *db, int i, const char *node)
{
	ga_autofree char *sql = ga_xprintf(
		"INSERT INTO device (id, device_kind, node_id, dirty_since, dirtied_by, "
		"first_seen_at) VALUES ('d%d', 'disk', '%s', '2026-01-01T00:00:00.000000Z', "
		"'first_seen', "
		"'x'), ('%s/g%d', 'gpu', '%s', '2026-01-01T00:00:00.000000Z', 'first_seen', 'x');"
		"INSERT INTO slot (id, node_id, slot_index, since, gpu_id, gpu_identity, "
		"gpu_pci_address, nvme_wwid, nvme_size_bytes, fabric_claim_mode, "
		"fabric_vf_pci_address, "
		"fabric_pf_pci_address, numa_node, cpuset, memory_mib, mac, private_ip, "
		"storage_ownership, wipe_minimum_class, wipe_verify, wipe_gpu_memory) VALUES "
		"('s%d', '%s', %d, 'x', '%s/g%d', 'g%d', '0000:1%d:00.0', 'd%d', 4096, "
		"'per_slot_vf', "
		"'0000:f0:00.%d', '0000:e0:00.0', 0, '%d-%d,%d', 1000, '02:00:00:00:00:0%d', "
		"'10.0.0.%d', 'tenant_slice', 'purge', 'full', 'required');"
		"INSERT INTO slot_cpu (node_id, cpu, slot_id) VALUES ('%s', %d, 's%d'), "
		"('%s', %d, 's%d'), ('%s', %d, 's%d');",
		i, node, node, i, node, i, node, i, node, i, i, i, i, i, 10 * i, 10 * i + 1,
		10 * i + 5, i, i, node, 10 * i, i, node, 10 * i + 1, i, node, 10 * i + 5, i);
	ga_autofree char *id = ga_xprintf("e%d", i), *attempt = ga_xprintf("w%d", i);
	ga_autofree char *evidence = w_evidence(id, i, attempt, "2026-02-01T00:00:00.000000Z");
	ga_autofree char *wipe = ga_xprintf("UPDATE slot SET state = 'wiping', wipe_attempt = "
					    "'w%d', generation = generation + 1 "
					    "WHERE id = 's%d'; %s UPDATE slot SET state = "
					    "'available', wipe_evidence_id = 'e%d', "
					    "generation = generation + 1 WHERE id = 's%d';",
					    i, i, evidence, i, i);

	w_must(db, sql);
	w_must(db, wipe);
}

/* SQL that takes slot sW for a new allocation aW of one slot, up to the slot's state reserved. */
__attribute__((unused)) static char *w_claim(int i, const char *node)
{
	return ga_xprintf(
		"INSERT INTO allocation (id, request, project, shape, count, since, profile, "
		"profile_version, profile_record, price_micros, created_at, created_by) VALUES "
		"('a%d', '{}', 'p', 'slice', 1, 'x', 'h', 1, '{}', 5, "
		"'2026-02-28T00:00:00.000000Z', 'me');"
		"UPDATE node SET held_by = 'slices', generation = generation + 1 WHERE id = '%s' "
		"AND "
		"held_by IS NULL;"
		"INSERT INTO claim (id, allocation_id, node_id, slot_id, claim_kind, live, "
		"held_by, "
		"created_at) VALUES ('c%d', 'a%d', '%s', 's%d', 'slot', 1, 'slices', "
		"'2026-03-01T00:00:00.000000Z');"
		"UPDATE slot SET state = 'reserved', generation = generation + 1 WHERE id = 's%d';"
		"UPDATE allocation SET state = 'placed', node_id = '%s', "
		"generation = generation + 1 WHERE id = 'a%d';",
		i, node, i, i, node, i, i, node, i);
}

__attribute__((unused)) static char *w_move(int i, const char *state)
{
	return ga_xprintf("UPDATE slot SET state = '%s', retired = %d, "
			  "generation = generation + 1 WHERE id = 's%d';",
			  state, !strcmp(state, "retired"), i);
}

__attribute__((unused)) static void w_move_now(sqlite3 *db, int i, const char *state)
{
	ga_autofree char *sql = w_move(i, state);

	w_must(db, sql);
}

__attribute__((unused)) static void w_fill(sqlite3 *db)
{
	ga_autofree char *c1 = w_claim(1, "n1"), *c3 = w_claim(3, "n1");
	int i;

	w_must(db, "BEGIN; INSERT INTO node (id, since) VALUES ('n1', 'x'), ('n2', 'x');"
		   "INSERT INTO node_memory VALUES ('n1', 0, 5000, 1000), ('n2', 0, 5000, 1000);"
		   "UPDATE node SET state = 'active', generation = 2;");
	for (i = 1; i <= 3; i++)
		w_slot(db, i, "n1");
	w_slot(db, 5, "n2");
	w_slot(db, 6, "n2");
	w_must(db, "INSERT INTO slot (id, node_id, slot_index, since) VALUES ('s4', 'n1', 4, 'x')");
	w_must(db, c1);
	w_must(db, c3);
	w_move_now(db, 1, "provisioning");
	w_move_now(db, 1, "active");
	w_move_now(db, 3, "provisioning");
	w_move_now(db, 3, "active");
	w_move_now(db, 3, "releasing");
	w_must(db,
	       "UPDATE slot SET wipe_attempt = 'w3b', state = 'wiping', "
	       "generation = generation + 1 WHERE id = 's3';"
	       "UPDATE allocation SET state = 'provisioning', generation = generation + 1;"
	       "UPDATE allocation SET state = 'active', generation = generation + 1;"
	       "INSERT INTO usage (id, allocation_id, usage_kind, count, price_micros, started_at, "
	       "number, project, profile, node_id) SELECT iif(id = 'a1', 1, 2), id, 'active', 1, "
	       "5, '2026-03-01T00:00:00.000000Z', number, project, profile, node_id "
	       "FROM allocation WHERE id IN ('a1', 'a3');"
	       "UPDATE usage SET ended_at = '2026-03-02T00:00:00.000000Z' WHERE id = 2;"
	       "INSERT INTO profile VALUES ('h', 1, '{}', 'x', 0), ('h', 2, '{}', 'x', 1);"
	       "INSERT INTO audit SELECT 2, 'x', 'me', 'test', 'made', 'n1', '{}', hash, "
	       "printf('sha256:%064d', 1) FROM audit;"
	       "UPDATE meta SET audit_seq = 2;"
	       "COMMIT");
}

/* Removes the folder and its files, also when a statement that must succeed ends the program. */
__attribute__((unused)) static void w_clean(void)
{
	DIR *dir = opendir(w_dir);
	struct dirent *e;

	while (dir && (e = readdir(dir)) != NULL)
		if (*e->d_name != '.')
			unlinkat(dirfd(dir), e->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(w_dir);
}

/* Makes the state in a folder of its own and connects as a foreign tool would. */
__attribute__((unused)) static sqlite3 *w_open(void)
{
	ga_autodb struct ga_db *db = NULL;
	struct ga_err err = GA_ERR_INIT;
	sqlite3 *raw = NULL;

	snprintf(w_dir, sizeof(w_dir), "%s/gpuaas-unit-XXXXXX",
		 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	if (!mkdtemp(w_dir))
		exit(1);
	atexit(w_clean);
	snprintf(w_path, sizeof(w_path), "%s/state.db", w_dir);
	if (ga_db_init(w_path, true, &db, &err) < 0 || sqlite3_open(w_path, &raw) != SQLITE_OK) {
		printf("Bail out! %s\n", err.msg);
		exit(1);
	}
	/* An attack needs no durability. */
	w_must(raw, "PRAGMA foreign_keys=ON; PRAGMA synchronous=OFF; PRAGMA trusted_schema=OFF");
	return raw;
}

__attribute__((unused)) static void w_close(sqlite3 *raw)
{
	sqlite3_close(raw);
	w_clean();
}

#endif
