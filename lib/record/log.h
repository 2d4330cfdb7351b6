/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diagnostics on request: with GPUAAS_LOG=info|debug a program writes lines to stderr, otherwise
 * nothing. Results and errors never go here. Callers must not pass secrets.
 */
#ifndef GA_RECORD_LOG_H
#define GA_RECORD_LOG_H

#include "base/ga.h"

enum ga_log_level { GA_LOG_OFF, GA_LOG_INFO, GA_LOG_DEBUG };

/* Sets the level of this process; GA_LOG_OFF until then. */
void ga_log_set(enum ga_log_level level);
#define ga_info(...) ga_log_at(GA_LOG_INFO, __VA_ARGS__)
#define ga_debug(...) ga_log_at(GA_LOG_DEBUG, __VA_ARGS__)
/* Writes one line with time and level to stderr, if the level set includes this one. A text longer
 * than 2047 bytes is cut. After an error of stderr it writes nothing more. */
void ga_log_at(enum ga_log_level level, const char *fmt, ...) GA_PRINTF(2, 3);

#endif
