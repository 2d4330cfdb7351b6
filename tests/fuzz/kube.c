/* SPDX-License-Identifier: Apache-2.0 */
/* Documents of kubectl: the scanner for items, then each node's view and labels. */
#include "fuzz.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "exchange/kube/label.h"
#include "record/rec.h"

static struct ga_accels *list;

static int ignore(const struct ga_label_finding *f, void *arg, struct ga_err *err)
{
	ga_autojson json_t *json = ga_schema_format(&ga_label_finding_schema, f);
	struct ga_label_finding back;

	(void)arg;
	/* Each finding is a record. */
	fuzz_check(!ga_schema_parse(&ga_label_finding_schema, json, &back, err));
	ga_schema_release(&ga_label_finding_schema, &back);
	return 0;
}

static int take(json_t *item, size_t number, void *arg, struct ga_err *err)
{
	struct ga_kube_node node;
	struct ga_node_view v, back;
	ga_autojson json_t *json = NULL;

	(void)arg;
	fuzz_check(number >= 1 && json_is_object(item));
	if (ga_kube_node(item, &node, err) < 0)
		return -1;
	ga_kube_view(list, &node, NULL, 1795363200000000, &v);
	json = ga_schema_format(&ga_node_view_schema, &v);
	fuzz_check(!ga_schema_parse(&ga_node_view_schema, json, &back, err));
	ga_schema_release(&ga_node_view_schema, &back);
	ga_schema_release(&ga_node_view_schema, &v);
	return ga_kube_labels(list, &node, 1795363200000000, ignore, NULL, err) < 0 ? -1 : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	ga_autofd int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct ga_err err = GA_ERR_INIT;
	int r;

	ga_accels_drop_ins(NULL);
	if (!list && ga_accels_open(NULL, &list, &err) < 0)
		abort();
	if (fd < 0 || ga_write_all(fd, data, size) < 0 || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	r = ga_kube_items(fd, "input", take, NULL, &err);
	fuzz_check(r == 0 || (err.code == GA_BADREC && err.msg[0]));
	return 0;
}
