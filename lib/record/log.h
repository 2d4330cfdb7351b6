/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Diagnostics for whoever asked for them: GPUAAS_LOG=info|debug writes lines to stderr, otherwise
 * nothing is written. Never the place for results or errors. No secret may be passed in.
 */
#ifndef GA_RECORD_LOG_H
#define GA_RECORD_LOG_H

#include "base/ga.h"

enum ga_log_level { GA_LOG_OFF, GA_LOG_INFO, GA_LOG_DEBUG };

void ga_log_set(enum ga_log_level level);
#define ga_info(...) ga_log_at(GA_LOG_INFO, __VA_ARGS__)
#define ga_debug(...) ga_log_at(GA_LOG_DEBUG, __VA_ARGS__)
void ga_log_at(enum ga_log_level level, const char *fmt, ...) GA_PRINTF(2, 3);

#endif
