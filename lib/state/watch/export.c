/* SPDX-License-Identifier: Apache-2.0 */
/* GPUs and processors of a node, for exports. */
#include "state/watch/export.h"

#include <stdlib.h>

#include "record/cpuset.h"
#include "state/db/json.h"

void ga_export_gpus_release(struct ga_export_gpus *list)
{
	size_t i;

	for (i = 0; i < list->n; i++) {
		free(list->v[i].pci_address);
		free(list->v[i].type);
	}
	ga_list_release(list);
}

#define RECORD GA_SQL_OBJECT("c.record")
#define GPUS \
	"SELECT c.slot_index, json_extract(" RECORD ", '$.gpu.pci_address'), " \
	"json_extract(" RECORD ", '$.gpu.numa_node'), json_extract(" RECORD ", '$.gpu.type') " \
	"FROM candidate c WHERE c.node_id = ?1 AND c.gpu IS NOT NULL " \
	"UNION ALL SELECT s.slot_index, s.gpu_pci_address, s.numa_node, s.accelerator_type " \
	"FROM slot s WHERE s.node_id = ?1 AND s.retired = 0 AND NOT EXISTS " \
	"(SELECT 1 FROM candidate c WHERE c.node_id = ?1 AND c.gpu IS NOT NULL) ORDER BY 1"

int ga_store_export_gpus(struct ga_db *db, const struct ga_node_view *view,
			 struct ga_export_gpus *ret, struct ga_err *err)
{
	const char *type = view->types.n == 1 ? view->types.v[0].type : NULL;
	ga_autorows struct ga_rows *rows = NULL;
	int r;

	*ret = (struct ga_export_gpus){ NULL, 0 };
	if (ga_db_query(db, &rows, err, GPUS, "s", view->node) < 0)
		return -1;
	while ((r = ga_rows_next(rows, err)) > 0)
		*ga_list_add(ret) = (struct ga_export_gpu){
			.index = ga_rows_int(rows, 0),
			.pci_address = ga_rows_dup(rows, 1),
			.numa_node = ga_rows_int(rows, 2),
			.type = type ? ga_xstrdup(type) : ga_rows_dup(rows, 3),
		};
	return r;
}

int ga_store_export_cpus(struct ga_db *db, const char *node, int64_t *ret, struct ga_err *err)
{
	ga_autofree char *text = NULL;
	struct ga_cpuset cpus;

	*ret = GA_UNKNOWN;
	if (ga_db_get(db, err,
		      "SELECT json_extract(" GA_SQL_OBJECT("record") ", '$.cpus') "
		      "FROM node_observation WHERE node_id = ?1",
		      "sS", node, &text) < 0)
		return -1;
	if (!text)
		return 0;
	if (ga_cpuset_parse(text, &cpus, err) < 0)
		return ga_wrap(err, "the CPUs of node '%s'", node);
	if (ga_cpuset_count(&cpus))
		*ret = ga_cpuset_count(&cpus);
	return 0;
}
