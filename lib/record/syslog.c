/* SPDX-License-Identifier: Apache-2.0 */
/* The audit in the syntax of RFC 5424, section 6. */
#include "record/syslog.h"

#include <string.h>

#include "record/rec.h"

#define FACILITY 13 /* log audit */
#define NOTICE 5
#define WARNING 4

static int severity(const char *action)
{
	static const char *const wrong[] = {
		"access_refused", "disk_not_wiped", "drift", "hold_failed", "key_revoked",
		"node_lost", "node_quarantined", "notify_failed", "provision_failed",
		"provision_not_started", "rebuild_failed", "release_failed", "result_refused",
		"state_rebuilt", "state_restored", "undo_failed", "wipe_not_confirmed",
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(wrong); i++)
		if (ga_streq(wrong[i], action))
			return WARNING;
	return NOTICE;
}

/* Adds at most "most" characters of PRINTUSASCII; an empty text becomes "-" (NILVALUE). */
static void add_word(struct ga_str *out, const char *text, size_t most)
{
	size_t i;

	ga_str_addc(out, ' ');
	if (!text || !*text)
		ga_str_addc(out, '-');
	for (i = 0; text && text[i] && i < most; i++)
		ga_str_addc(out, text[i] > 32 && text[i] < 127 ? text[i] : '_');
}

/* Adds a PARAM-VALUE: escapes three characters; the rest is UTF-8. */
static void add_param(struct ga_str *out, const char *name, const char *value)
{
	ga_str_addf(out, " %s=\"", name);
	for (; *value; value++) {
		if (strchr("\"\\]", *value))
			ga_str_addc(out, '\\');
		ga_str_addc(out, *value);
	}
	ga_str_addc(out, '"');
}

void ga_syslog_format(const struct ga_audit *a, const char *hostname, struct ga_str *out)
{
	ga_autostr struct ga_str detail = GA_STR_INIT;

	ga_rec_dump(a->detail, &detail);
	ga_str_addf(out, "<%d>1", FACILITY * 8 + severity(a->action));
	add_word(out, a->at, 32);
	add_word(out, hostname, 255);
	add_word(out, a->program, 48);
	ga_str_add(out, " -");
	add_word(out, a->action, 32);
	ga_str_addf(out, " [gpuaas@32473 seq=\"%lld\"", (long long)a->seq);
	add_param(out, "actor", a->actor);
	add_param(out, "object", a->object);
	add_param(out, "hash", a->hash);
	add_param(out, "previous_hash", a->previous_hash);
	ga_str_addf(out, "] %s", detail.buf ? detail.buf : "{}");
}
