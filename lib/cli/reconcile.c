/* SPDX-License-Identifier: Apache-2.0 */
/* Settings and outputs of gpuaas-reconcile. */
#include "cli/reconcile.h"

#include <unistd.h>

#include "act/device/virt.h"
#include "act/reconcile/inventory.h"
#include "cli/discover.h"
#include "cli/frame/cli.h"
#include "cli/frame/result.h"
#include "look/host/host.h"
#include "record/wipe.h"
#include "state/db/row.h"
#include "state/node/expect.h"
#include "state/query/find.h"

static void say(const char *line)
{
	ga_say("%s", line);
}

static const char *baremetal_dir(void)
{
	return ga_cli_setting("GPUAAS_BAREMETAL_DIR", "/etc/gpuaas/baremetal.d");
}

static int progress(const struct ga_progress *p, struct ga_err *err)
{
	return ga_result_progress(p, false, err);
}

/* A wipe-order is no result: it is written out for gpuaas-wipe. */
static int result(const struct ga_schema *schema, const void *obj, struct ga_err *err)
{
	return schema == &ga_wipe_order_schema ? ga_emit(schema, obj, err) :
					       ga_result_emit(schema, obj, err);
}

/* The id of the node, where there is a state that has it and can be read; else the text, which then
 * is an id. The caller frees it. */
static char *node_named(const char *text)
{
	ga_autodb struct ga_db *db = NULL;
	struct ga_err none = GA_ERR_INIT;
	char *id = NULL;

	if (access(ga_cli_state_path(), R_OK) == 0 &&
	    (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, &none) < 0 ||
	     ga_db_begin_read(db, &none) < 0 ||
	     ga_store_resolve(db, "node", text, &id, NULL, &none) < 0))
		ga_err_clear(&none);
	return id ? id : ga_xstrdup(text);
}

int ga_cli_reconcile_look(struct ga_observe_opts *look, const char *node, char **node_id,
			  struct ga_err *err)
{
	ga_autofree char *named = node ? node_named(node) : NULL;

	if (ga_cli_discover_opts(&look->discover, err) < 0 ||
	    ga_host_node_id(named ? named : look->discover.node, node_id, err) < 0)
		return -1;
	look->host_dir = ga_cli_host_dir();
	look->libvirt_uri = ga_cli_setting("GPUAAS_LIBVIRT_URI", GA_VIRT_URI);
	look->nvram_dir = NULL; /* libvirt's default */
	return 0;
}


static const struct ga_texts *asked; /* machines that a person named */
static int unanswered;		     /* of them: how many questions failed */

static int inventory_line(const struct ga_schema *schema, const void *obj, struct ga_err *err)
{
	const struct ga_inventory_work *w = obj;

	if (schema == &ga_inventory_work_schema && ga_streq(w->program, "status") &&
	    ga_streq(w->state, "failed")) {
		const char *why = json_string_value(json_object_get(w->result, "error"));

		unanswered += ga_texts_has(asked, w->object);
		ga_say("%s: node '%s': nobody says who has it: %s", ga_cli_program(), w->object,
		       why ? why : "its executables failed");
	}
	return ga_result_say(schema, obj, err);
}

int ga_cli_inventory(const char *node, const struct ga_observe_opts *look,
		     const char *const *machines, size_t n, struct ga_err *err)
{
	ga_autotexts struct ga_texts list = { 0 };
	int r;

	for (size_t i = 0; i < n; i++)
		*ga_list_add(&list) = node_named(machines[i]);
	asked = &list;
	r = ga_inventory(node, look, baremetal_dir(), &list, inventory_line, err);
	asked = NULL;
	return r < 0 ? -1 : unanswered > 0;
}

int ga_cli_reconcile_opts(struct ga_reconcile_opts *opts, const char *program, const char *node,
			  char **node_id, struct ga_err *err)
{
	struct ga_observe_opts *look = &opts->look;

	if (ga_cli_reconcile_look(look, node, node_id, err) < 0)
		return -1;
	opts->node = *node_id;
	opts->repair = (struct ga_repair_opts){
		.program = program,
		.node = *node_id,
		.host_dir = look->host_dir,
		.images_dir = ga_cli_images_dir(),
		.libvirt_uri = look->libvirt_uri,
		.fabric = { look->discover.libnvfm, look->discover.fabric_address },
		.baremetal_dir = baremetal_dir(),
		.holds_state = access(ga_cli_state_path(), F_OK) == 0,
		.to = { result, progress, say, NULL, ga_result_release_in_force },
	};
	return ga_result_open(ga_cli_state_path(), err);
}

int ga_cli_reconcile_want(const char *node, struct ga_expectation *ret, struct ga_err *err)
{
	ga_autofree char *id = NULL;
	ga_autodb struct ga_db *db = NULL;

	/* This function closes the state again before the observation of the host begins. */
	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, err) < 0 ||
	    ga_db_begin_read(db, err) < 0 ||
	    ga_store_resolve(db, "node", node, &id, NULL, err) < 0)
		return -1;
	return ga_store_expectation(db, id, ret, err);
}
