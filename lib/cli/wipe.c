/* SPDX-License-Identifier: Apache-2.0 */
/* gpuaas-wipe: pending orders, plans and certificates. */
#include "cli/wipe.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/texts.h"
#include "cli/frame/cli.h"
#include "cli/frame/result.h"
#include "look/pci.h"
#include "record/wipe.h"
#include "state/allocation/move.h"
#include "state/allocation/wipe.h"
#include "state/db/db.h"
#include "state/db/fsm.h"
#include "state/host/list.h"

int ga_wipe_keep(const struct ga_rec *rec, const char *node, struct ga_err *err)
{
	struct ga_err refused = GA_ERR_INIT;
	struct ga_wipe_order order;
	int r = 0;

	if (ga_rec_parse(rec, &ga_wipe_order_schema, &order, err) < 0)
		return -1;
	if (ga_wipe_order_check(&order, node, false, &refused) == 0)
		r = ga_wipe_keep_order(ga_cli_host_dir(), &order, err);
	ga_schema_release(&ga_wipe_order_schema, &order);
	return r;
}

/* ---- pending orders ---- */

/* Ends with status 0 all the same: an order that is not here is no failure of this host. */
static void say_none(const char *node)
{
	ga_autodb struct ga_db *db = NULL;
	ga_autotexts struct ga_texts slots = { 0 };
	ga_autostr struct ga_str names = GA_STR_INIT;
	struct ga_err why = GA_ERR_INIT;

	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, &why) < 0 ||
	    ga_store_wiping(db, node, &slots, &why) < 0) {
		ga_say("%s: note: no wipe order is pending on this host; the state could not be "
		       "read, so slots of this host may wait for a wipe: %s", ga_cli_program(),
		       why.msg);
		ga_say("%s: hint: orders come through a pipe: 'gpuaas-release ALLOCATION | "
		       "gpuaas-wipe'; where the state is, 'gpuaas-list slots --where "
		       "state=wiping' shows the slots that wait, and 'gpuaas-approve repair SLOT "
		       "--reason TEXT' writes the order of one again", ga_cli_program());
		return;
	}
	for (size_t i = 0; i < slots.n; i++)
		ga_str_addf(&names, " %s", slots.v[i]);
	ga_say("%s: note: no wipe order is pending on this host%s%s", ga_cli_program(),
	       slots.n ? ", and in the state these slots of it wait for a wipe:" :
			 ", and in the state no slot of it waits for a wipe",
	       names.buf ? names.buf : "");
	if (slots.n)
		ga_say("%s: hint: write their orders again: gpuaas-approve repair%s --reason 'the "
		       "order was lost' | gpuaas-wipe", ga_cli_program(), names.buf);
}

int ga_wipe_refuse_piped(int wait_ms, struct ga_err *err)
{
	return ga_cli_refuse_piped("without --pending, gpuaas-wipe reads wipe-orders", wait_ms,
				   err);
}

int ga_wipe_pending(const char *node, bool unanswered, int *fd, struct ga_err *err)
{
	int n;

	if (ga_wipe_refuse_piped(GA_CLI_PIPE_WAIT_MS, err) < 0)
		return -1;
	n = ga_wipe_pending_stream(ga_cli_host_dir(), unanswered, fd, err);
	if (n == 0 && !unanswered)
		say_none(node);
	return n ? n : ga_wipe_refuse_piped(0, err);
}

int ga_wipe_open(const char *operand, int *fd, struct ga_err *err)
{
	char first;
	struct stat st;

	if (!operand)
		return ga_cli_need_pipe("wipe orders", err) < 0 ? -1 : 1;
	*fd = ga_cli_open(operand, err);
	/* The first byte of a record, or of a blank line before it. */
	if (*fd > 0 && fstat(*fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    pread(*fd, &first, 1, 0) == 1 && !strchr("{ \t\r\n", first ? first : 'x')) {
		ga_cleanup_fd(fd);
		*fd = ga_fail_for(err, GA_USAGE, "is_disk", "'%s' is a disk, or another file "
				  "without records", operand);
	}
	if (*fd < 0 && ga_streq(err->reason, "is_disk"))
		return ga_hint(err, "a disk is wiped with 'gpuaas-wipe --device %.200s': first "
			       "look at it with --dry-run", operand);
	return *fd < 0 ? -1 : 1;
}

/* ---- by hand ---- */

/* The state on this machine: 1: a lab; 0: real disks; GA_UNKNOWN: no readable state. */
static int64_t state_is_lab(void)
{
	ga_autodb struct ga_db *db = NULL;
	struct ga_err none = GA_ERR_INIT; /* without a state, files do not count as disks here */

	if (ga_db_open(ga_cli_state_path(), GA_DB_STATE, GA_DB_READ, &db, &none) < 0)
		return GA_UNKNOWN;
	return ga_db_is_lab(db);
}

int ga_wipe_by_hand(struct ga_wipe_hand *hand, struct ga_wipe_order *ret, struct ga_err *err)
{
	const char *state = ga_cli_state_path(), *host = ga_cli_host_dir();
	ga_autofree char *db = ga_xprintf("%s/host.db", host), *wal = ga_xprintf("%s-wal", state);
	const char *const kept[] = { db, state, wal, host,
				     ga_cli_setting("GPUAAS_IMAGES", "/var/lib/gpuaas/images"),
				     ga_cli_setting("GPUAAS_BACKUPS", "/var/lib/gpuaas/backup"),
				     NULL };
	int64_t lab = state_is_lab();

	hand->lab = lab == GA_UNKNOWN ? hand->lab : lab == 1;
	return ga_wipe_alone(hand, kept, ret, err);
}

void ga_wipe_warn(const struct ga_wipe_opts *o)
{
	const char *address = o->order->gpu_pci_address;
	ga_autofree char *why = NULL, *fix = NULL;

	if (!address || o->refused || !ga_pci_wipe_unproven(address, o->scrub_hooks, &why, &fix))
		return;
	ga_say("%s: warning: this wipe will not prove that GPU %s is cleared: %s", ga_cli_program(),
	       address, why);
	ga_say("%s: hint: before the disk is read back, %s", ga_cli_program(), fix);
}

/* Says how a person frees a disk that something uses. A refused wipe makes its slot
 * cleanup_blocked; a disk that was wiped by hand has no slot. */
static void hint_in_use(const struct ga_wipe_evidence *e)
{
	ga_autofree char *again = NULL;

	if (!e->reason || (!ga_starts(e->reason, "nvme_in_use: ") &&
			   !ga_starts(e->reason, "nvme_mounted: ")))
		return;
	if (e->object && ga_result_has_state())
		again = ga_store_leave(GA_M_SLOT, "cleanup_blocked", NULL, e->object);
	ga_say("%s: hint: end what uses the disk; then %s", ga_cli_program(),
	       again	 ? again :
	       e->object ? "the operator of the state orders the wipe again, as gpuaas-list "
			   "attention says there" :
			   "run the same again");
}

void ga_wipe_say(const struct ga_wipe_evidence *e)
{
	if (!ga_streq(e->outcome, "confirmed"))
		ga_say("%s: the wipe of disk '%s'%s%s%s is %s: %s", ga_cli_program(),
		       e->device.wwid ? e->device.wwid : "unknown", e->object ? " of slot '" : "",
		       e->object ? e->object : "", e->object ? "'" : "", e->outcome,
		       e->reason ? e->reason : "the record has no reason");
	if (ga_streq(e->outcome, "not_started"))
		hint_in_use(e);
}

void ga_wipe_keep_evidence(struct ga_hostdb *h, struct ga_wipe_evidence *e)
{
	struct ga_err lost = GA_ERR_INIT;

	if (h && ga_evidence_add(h, e, &lost) >= 0)
		return;
	ga_wipe_evidence_seal(e);
	if (!h)
		return;
	(void)ga_wrap(&lost, "the evidence is not kept on this host");
	ga_cli_say_error(&lost);
}

int ga_wipe_show(const struct ga_wipe_evidence *e, struct ga_err *err)
{
	ga_autostr struct ga_str text = GA_STR_INIT;

	if (!e->dry_run)
		ga_wipe_say(e);
	/* Without a slot, the class is that of the command line. */
	if (!e->object && e->reason && ga_starts(e->reason, "policy_not_reachable"))
		ga_say("%s: hint: '--class clear' overwrites the disk with zeros and reads it "
		       "back, which does not reach blocks that the drive has set aside",
		       ga_cli_program());
	if (!e->dry_run || !ga_emit_is_table())
		return ga_emit(&ga_wipe_evidence_schema, e, err);
	ga_wipe_plan_text(e, &text);
	ga_print("%s", text.buf);
	ga_cli_note_status((int)e->status);
	return 0;
}

static int words_of(struct ga_str *out, struct ga_err *err)
{
	ga_autohostdb struct ga_hostdb h = { 0 };
	ga_autotexts struct ga_texts words = { 0 };

	if (ga_hostdb_open_read(ga_cli_host_dir(), &h, err) < 0 ||
	    (h.db && ga_evidence_words(&h, &words, err) < 0))
		return -1;
	for (size_t i = 0; i < words.n; i++)
		ga_str_addf(out, "%s\n", words.v[i]);
	return 0;
}

int ga_wipe_print_certificate(const char *key, struct ga_err *err)
{
	ga_autostr struct ga_str text = GA_STR_INIT;

	if (!key ? words_of(&text, err) < 0 :
		   ga_wipe_certificate_of(ga_cli_host_dir(), key, &text, err) < 0)
		return -1;
	ga_print_text(text.buf ? text.buf : "");
	return 0;
}
