/* SPDX-License-Identifier: Apache-2.0 */
/* Diagnostics on stderr, off by default. */
#include "record/log.h"

#include <stdarg.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/str.h"
#include "record/time.h"

static enum ga_log_level log_level;

void ga_log_set(enum ga_log_level level)
{
	log_level = level;
}

void ga_log_at(enum ga_log_level level, const char *fmt, ...)
{
	ga_autostr struct ga_str line = GA_STR_INIT;
	char now[GA_TIME_SIZE], text[2048];
	va_list ap;

	if (level > log_level)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ga_printable(text);
	ga_str_addf(&line, "%s %s: %s\n", ga_time_format(ga_clock_micros(), now),
		    level == GA_LOG_INFO ? "info" : "debug", text);
	if (ga_write_all(2, line.buf, line.len) < 0)
		log_level = GA_LOG_OFF; /* nobody reads stderr */
}
