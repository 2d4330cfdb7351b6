/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The serial console of a domain as a descriptor. libvirt gives the console as a stream, which
 * needs libvirt's event loop. The loop runs in a thread of its own, on a connection of its own, and
 * carries bytes between the stream and one end of a socket pair; the caller has the other end.
 */
#ifndef GA_ACT_DEVICE_VIRT_CONSOLE_H
#define GA_ACT_DEVICE_VIRT_CONSOLE_H

#include "base/ga.h"

struct ga_virt_console;

/* GA_EXTERNAL when the domain has no console, or somebody else has it open. */
GA_MUST_CHECK int ga_virt_console_open(const char *uri, const char *domain,
				       struct ga_virt_console **ret, struct ga_err *err);
/* The descriptor to read and write the console; ga_virt_console_close closes it. */
int ga_virt_console_fd(const struct ga_virt_console *c);
/* Ends the thread and closes the console. */
void ga_virt_console_close(struct ga_virt_console *c);
void ga_cleanup_virt_console(struct ga_virt_console **c);
#define ga_autovirtconsole ga_cleanup(ga_cleanup_virt_console)

#endif
