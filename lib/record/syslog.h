/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row of the audit as a message of RFC 5424, for log collectors: facility 13 (log audit),
 * severity notice, or warning for a failure. APP-NAME is the program, MSGID the action. Number,
 * actor, object and hashes are structured data of gpuaas@32473 (a number that IANA reserves for
 * examples), so that a collector can check the hash chain. The message is the detail as JSON.
 */
#ifndef GA_RECORD_SYSLOG_H
#define GA_RECORD_SYSLOG_H

#include "base/str.h"
#include "record/state.h"

/* Adds the message, without a newline. hostname NULL or empty: "-". */
void ga_syslog_format(const struct ga_audit *a, const char *hostname, struct ga_str *out);

#endif
