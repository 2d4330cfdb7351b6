/* SPDX-License-Identifier: Apache-2.0 */
/* share/sql/ inside the library. To add a migration, add its line to the list below. */
#include "base/embed.h"

#define STATE_MIGRATIONS(X) \
	X(ga_sql_state_1, "share/sql/0001-base.sql") \
	X(ga_sql_state_2, "share/sql/0002-recovery.sql") \
	X(ga_sql_state_3, "share/sql/0003-node.sql") \
	X(ga_sql_state_4, "share/sql/0004-drift.sql") \
	X(ga_sql_state_5, "share/sql/0005-node-key.sql") \
	X(ga_sql_state_6, "share/sql/0006-report.sql") \
	X(ga_sql_state_7, "share/sql/0007-notice.sql") \
	X(ga_sql_state_8, "share/sql/0008-access.sql") \
	X(ga_sql_state_9, "share/sql/0009-accelerator.sql") \
	X(ga_sql_state_10, "share/sql/0010-report-span.sql") \
	X(ga_sql_state_11, "share/sql/0011-allocation-types.sql") \
	X(ga_sql_state_12, "share/sql/0012-usage-line.sql") \
	X(ga_sql_state_13, "share/sql/0013-slot-views.sql") \
	X(ga_sql_state_14, "share/sql/0014-usage-allocation.sql") \
	X(ga_sql_state_15, "share/sql/0015-node-capacity.sql") \
	X(ga_sql_state_16, "share/sql/0016-node-alike.sql") \
	X(ga_sql_state_17, "share/sql/0017-node-partitions.sql") \
	X(ga_sql_state_18, "share/sql/0018-capacity-alike.sql") \
	X(ga_sql_state_19, "share/sql/0019-given-back.sql") \
	X(ga_sql_state_20, "share/sql/0020-evidence-content.sql") \
	X(ga_sql_state_21, "share/sql/0021-slot-health.sql") \
	X(ga_sql_state_22, "share/sql/0022-usage-triggers.sql") \
	X(ga_sql_state_23, "share/sql/0023-audit-count.sql") \
	X(ga_sql_state_24, "share/sql/0024-suspect.sql") \
	X(ga_sql_state_25, "share/sql/0025-suspect-again.sql") \
	X(ga_sql_state_26, "share/sql/0026-app-region.sql") \
	X(ga_sql_state_27, "share/sql/0027-refusal.sql") \
	X(ga_sql_state_28, "share/sql/0028-cordon.sql")

#define HOST_MIGRATIONS(X) \
	X(ga_sql_host_1, "share/sql/host-0001-base.sql") \
	X(ga_sql_host_2, "share/sql/host-0002-attempts.sql") \
	X(ga_sql_host_3, "share/sql/host-0003-served.sql") \
	X(ga_sql_host_4, "share/sql/host-0004-gpu-errors.sql") \
	X(ga_sql_host_5, "share/sql/host-0005-no-module.sql") \
	X(ga_sql_host_6, "share/sql/host-0006-tuning.sql")

#define INCLUDE(symbol, path) \
	__asm__(".pushsection .rodata\n" #symbol ":\n\t.incbin \"" GA_SOURCE_DIR "/" path \
		"\"\n\t.byte 0\n.popsection\n"); \
	extern const char symbol[];

STATE_MIGRATIONS(INCLUDE)
HOST_MIGRATIONS(INCLUDE)

#define ROW(symbol, path) { path, symbol },

const struct ga_migration ga_state_migrations[] = { STATE_MIGRATIONS(ROW) { NULL, NULL } };
const struct ga_migration ga_host_migrations[] = { HOST_MIGRATIONS(ROW) { NULL, NULL } };
