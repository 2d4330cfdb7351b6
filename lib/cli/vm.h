/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal's side of gpuaas-vm: asking before a rebuild, showing access, becoming ssh. */
#ifndef GA_CLI_VM_H
#define GA_CLI_VM_H

#include "act/vm/vm.h"

/* Fills the options from the settings: results are folded and written out (only written in a dry
 * run), progress is "auto", "json" or "none". */
GA_MUST_CHECK int ga_vm_tell_begin(const char *progress, bool dry_run, struct ga_vm_opts *ret,
				   struct ga_err *err);
void ga_vm_tell_end(struct ga_vm_opts *o);

/* Whether who runs it may release the allocation, where the state is on this machine
 * (state/access/access.h); elsewhere nobody can be asked. The refusal stands in the audit but for a
 * dry run. */
GA_MUST_CHECK int ga_vm_may(const char *id, bool dry_run, struct ga_err *err);
/* Asks on the terminal for the allocation's name (or id) to be typed; GA_USAGE when there is no
 * terminal to ask on, GA_NO when something else was typed. */
GA_MUST_CHECK int ga_vm_confirm(const char *id, const struct ga_vm_opts *opts, struct ga_err *err);
/* "8080:80" or "8080"; to NULL: one port only. GA_USAGE. */
GA_MUST_CHECK int ga_vm_parse_ports(const char *text, int64_t *from, int64_t *to,
				    struct ga_err *err);
/* Emits the access record. */
GA_MUST_CHECK int ga_vm_show_access(const char *id, const struct ga_vm_opts *opts,
				    struct ga_err *err);
/* Replaces this process by ssh(1) to the guest, which must show the published host key; command is
 * NULL-terminated and may be empty. Returns only when that failed. */
GA_MUST_CHECK int ga_vm_ssh(const char *id, char *const *command, const struct ga_vm_opts *opts,
			    struct ga_err *err);

#endif
