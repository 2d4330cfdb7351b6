/* SPDX-License-Identifier: Apache-2.0 */
/* The terminal's part of gpuaas-vm: the question before a rebuild, access records, and ssh. */
#ifndef GA_CLI_VM_H
#define GA_CLI_VM_H

#include "act/vm/vm.h"

/* Fills the options from the settings. Results are committed to the state and written out; in a dry
 * run they are only written out. progress is "auto", "json" or "none". */
GA_MUST_CHECK int ga_vm_tell_begin(const char *progress, bool dry_run, struct ga_vm_opts *ret,
				   struct ga_err *err);
/* Closes the results and releases the options. */
void ga_vm_tell_end(struct ga_vm_opts *o);

/* If the state is on this machine, checks that the user may release the allocation
 * (state/access/access.h); without a state there is no check. Except in a dry run, the audit
 * records a refusal. */
GA_MUST_CHECK int ga_vm_may(const char *id, bool dry_run, struct ga_err *err);
/* Asks the user on the terminal to type the allocation's name (or id); GA_USAGE without a terminal,
 * GA_NO for any other text. */
GA_MUST_CHECK int ga_vm_confirm(const char *id, const struct ga_vm_opts *opts, struct ga_err *err);
/* Reads "8080:80" or "8080"; to NULL: only one port is allowed. GA_USAGE. */
GA_MUST_CHECK int ga_vm_parse_ports(const char *text, int64_t *from, int64_t *to,
				    struct ga_err *err);
/* Emits the access record. */
GA_MUST_CHECK int ga_vm_show_access(const char *id, const struct ga_vm_opts *opts,
				    struct ga_err *err);
/* Replaces this process with ssh(1) to the guest, which must have the published host key. command
 * is NULL-terminated and may be empty. Returns only on failure. */
GA_MUST_CHECK int ga_vm_ssh(const char *id, char *const *command, const struct ga_vm_opts *opts,
			    struct ga_err *err);

#endif
