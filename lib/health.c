/* SPDX-License-Identifier: Apache-2.0 */
/* What records say of the health of a slot, and what its health is then. */
#include "health.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "str.h"

void ga_health_sign_release(struct ga_health_sign *s)
{
	free(s->detail);
	*s = (struct ga_health_sign){ 0 };
}

/* ---- the transitions ---- */

enum health { UNKNOWN, OK, FAILED, HEALTHS };

static const char *const names[HEALTHS] = { "unknown", "ok", "failed" };

/* As drawn in the header. */
static const enum health next[GA_HEALTH_EVENTS][HEALTHS] = {
	[GA_HEALTH_NOTHING] = { UNKNOWN, OK, FAILED },
	[GA_HEALTH_PROVEN] = { OK, OK, FAILED },
	[GA_HEALTH_DOUBT] = { UNKNOWN, UNKNOWN, FAILED },
	[GA_HEALTH_FAULT] = { FAILED, FAILED, FAILED },
	[GA_HEALTH_REPAIRED] = { UNKNOWN, OK, UNKNOWN },
};

const char *ga_health_next(const char *health, enum ga_health_event event)
{
	enum health h;

	for (h = UNKNOWN; h < FAILED && !ga_streq(names[h], health); h++)
		;
	return names[next[event][h]];
}

/* ---- what records say ---- */

static void GA_PRINTF(3, 4) say(struct ga_health_sign *s, enum ga_health_event event,
				const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	s->event = event;
	s->detail = ga_xvprintf(fmt, ap);
	va_end(ap);
}

static bool is_of_word(char c)
{
	return isalnum((unsigned char)c) || c == ':' || c == '.';
}

/* Whether the sentence has the address as a word of its own: 0000:18:00.1 is not in 0000:18:00.10.
 * An address at the end of a sentence may have a full stop behind it. */
static bool has_address(const char *sentence, const char *address)
{
	size_t n = address ? strlen(address) : 0;
	const char *p = sentence;

	for (; n && p && (p = strstr(p, address)); p++) {
		const char *after = p + n;

		if (p > sentence && is_of_word(p[-1]))
			continue;
		if (!is_of_word(*after) || (ispunct((unsigned char)*after) &&
					    !isalnum((unsigned char)after[1])))
			return true;
	}
	return false;
}

static bool names_device(const char *sentence, const struct ga_health_devices *d)
{
	return has_address(sentence, d->gpu_pci_address) ||
	       has_address(sentence, d->fabric_vf_pci_address) ||
	       has_address(sentence, d->nvme_wwid);
}

/* Whether the device failed at the step: who has it open (ga_gpu_use_refuse) is not its fault. */
static bool is_fault(const struct ga_step *s)
{
	return ga_streq(s->outcome, "failed") && !ga_starts(s->detail, "process ") &&
	       !ga_starts(s->detail, "a process ");
}

/* The step that failed, of those that touch the GPU and the fabric function. */
static const struct ga_step *failed_step(const struct ga_wipe_evidence *e)
{
	if (is_fault(&e->gpu_reset))
		return &e->gpu_reset;
	return is_fault(&e->vf_state) ? &e->vf_state : NULL;
}

static bool is_proven(const struct ga_step *s)
{
	return ga_streq(s->outcome, "confirmed") || ga_streq(s->outcome, "not_needed");
}

/* What ends a wipe without a fault of the disk: a person's signal, what the policy asks for, and
 * the steps of the other devices, which have their own outcomes. */
static bool is_of_disk(const struct ga_wipe_evidence *e)
{
	static const char *const others[] = { "interrupted:", "wipe_below_policy:",
					      "gpu_memory_not_proven:", "gpu_reset_failed:",
					      "gpu_reset_not_proven:", "vf_not_proven:" };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(others); i++)
		if (e->reason && ga_starts(e->reason, others[i]))
			return false;
	return ga_streq(e->outcome, "failed") || ga_streq(e->outcome, "unknown");
}

void ga_health_of_wipe(const struct ga_wipe_evidence *e, struct ga_health_sign *ret)
{
	const struct ga_step *step = failed_step(e);

	*ret = (struct ga_health_sign){ 0 };
	if (e->dry_run)
		return;
	if (is_of_disk(e))
		say(ret, GA_HEALTH_FAULT, "drive %s: wipe %s: %s", e->device.wwid, e->outcome,
		    e->reason ? e->reason : "no reason was given");
	else if (step)
		say(ret, GA_HEALTH_FAULT, "%s failed: %s", step->step,
		    step->detail ? step->detail : "no detail");
	else if (ga_streq(e->outcome, "confirmed") && is_proven(&e->gpu_reset))
		say(ret, GA_HEALTH_PROVEN, "disk wiped and GPU reset (evidence %s)", e->evidence);
}

void ga_health_of_release(const struct ga_released *r, const struct ga_health_devices *d,
			  struct ga_health_sign *ret)
{
	size_t i;

	*ret = (struct ga_health_sign){ 0 };
	for (i = 0; !r->dry_run && i < r->steps.n; i++) {
		const struct ga_step *s = &r->steps.v[i];

		if (!ga_streq(s->step, "gpu_reset") || !is_fault(s) || !names_device(s->detail, d))
			continue;
		say(ret, GA_HEALTH_FAULT, "%s failed: %s", s->step, s->detail);
		return;
	}
}

/* What a provisioning says of a device before and while it is made ready; other codes of these
 * phases (bind_failed, device_in_use) are the host's. */
static bool is_of_device(const struct ga_failure *f)
{
	static const char *const codes[] = { "gpu_missing",  "device_lost", "gpu_not_answering",
					     "reset_failed", "gpu_no_reset", "health_failed" };
	size_t i;

	if (!ga_streq(f->phase, "recheck") && !ga_streq(f->phase, "devices"))
		return false;
	for (i = 0; i < GA_ARRAY_SIZE(codes); i++)
		if (ga_streq(codes[i], f->code))
			return true;
	return false;
}

void ga_health_of_failure(const struct ga_failure *f, const struct ga_health_devices *d,
			  struct ga_health_sign *ret)
{
	static const char *const doubtful[] = { "devices", "fabric", "start", "lease_seen",
						"ssh_ready" };
	size_t i;

	*ret = (struct ga_health_sign){ 0 };
	if (f->dry_run)
		return;
	if (is_of_device(f)) {
		/* Of several slots only the one that is named. */
		if (names_device(f->sentence, d))
			say(ret, GA_HEALTH_FAULT, "%s: %s", f->phase, f->sentence);
		return;
	}
	for (i = 0; i < GA_ARRAY_SIZE(doubtful); i++)
		if (ga_streq(f->phase, doubtful[i]))
			say(ret, GA_HEALTH_DOUBT, "%s: %s", f->phase, f->sentence);
}

/* Drift of a slot that is a fault of its devices, and whether it is so only when it is new. */
static const struct {
	const char *code;
	bool counted;
} faults[] = {
	{ "gpu_lost", false },
	{ "disk_missing", false },
	{ "gpu_errors", true },
};

void ga_health_of_drift(const struct ga_drift *d, const char *before, struct ga_health_sign *ret)
{
	size_t i;

	*ret = (struct ga_health_sign){ 0 };
	if (d->repaired || !ga_streq(d->observation, "bad"))
		return;
	for (i = 0; i < GA_ARRAY_SIZE(faults); i++)
		if (ga_streq(faults[i].code, d->code) &&
		    !(faults[i].counted && before && ga_streq(before, d->observed)))
			say(ret, GA_HEALTH_FAULT, "%s: expected %s, and the host shows %s",
			    d->code, d->expected ? d->expected : "it",
			    d->observed ? d->observed : "nothing");
}

bool ga_health_is_gone(const char *detail)
{
	static const char *const signs[] = { " does not answer ", "there is no PCI function ",
					     "cannot reset '" };
	size_t i;

	if (!detail || ga_starts(detail, "drive "))
		return false;
	for (i = 0; i < GA_ARRAY_SIZE(signs); i++)
		if (strstr(detail, signs[i]))
			return true;
	return ga_starts(detail, "gpu_lost: ");
}

/* ---- AER ---- */

int64_t ga_health_aer(const char *text, const char *name)
{
	size_t n = strlen(name);
	const char *line = text;
	long long count;
	char *end;

	while (line && (strncmp(line, name, n) || line[n] != ' ')) {
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	if (!line || !isdigit((unsigned char)line[n + 1]))
		return GA_UNKNOWN;
	count = strtoll(line + n + 1, &end, 10);
	if (*end && *end != '\n')
		return GA_UNKNOWN;
	/* Integers of records stay below 2^53. */
	return count < INT64_C(1) << 53 ? count : (INT64_C(1) << 53) - 1;
}
