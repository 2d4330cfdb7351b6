/* SPDX-License-Identifier: Apache-2.0 */
/* The health of a slot: the signs in records, and the transitions. */
#include "decide/slot/health.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "decide/drift/drift.h"
#include "record/fault.h"

void ga_health_sign_release(struct ga_health_sign *s)
{
	free(s->detail);
	*s = (struct ga_health_sign){ 0 };
}

/* ---- the transitions ---- */

enum health { UNKNOWN, OK, FAILED, HEALTHS };

static const char *const names[HEALTHS] = { "unknown", "ok", "failed" };

/* The table in the header. */
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

/* ---- the signs in records ---- */

static void GA_PRINTF(3, 4) say(struct ga_health_sign *s, enum ga_health_event event,
				const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	s->event = event;
	s->detail = ga_xvprintf(fmt, ap);
	va_end(ap);
}

/* Whether the sentence is about the device: it quotes the name, or a path with the name
 * (record/fault.h). A name without quotes is another device, such as the GPU beside the broken one
 * on its bridge. */
static bool is_about(const char *sentence, const char *device)
{
	ga_autofree char *quoted = ga_xprintf("'%s'", device ? device : "");
	ga_autofree char *in_path = ga_xprintf("/%s/", device ? device : "");

	return device && sentence && (strstr(sentence, quoted) || strstr(sentence, in_path));
}

static bool is_about_one(const char *sentence, const struct ga_health_devices *d)
{
	return is_about(sentence, d->gpu_pci_address) ||
	       is_about(sentence, d->fabric_vf_pci_address) || is_about(sentence, d->nvme_wwid);
}

/* Whether the device failed at the step. If a process has the device open, the device is not at
 * fault. */
static bool is_fault(const struct ga_step *s)
{
	return ga_streq(s->outcome, "failed") && !ga_starts(s->detail, GA_SAID_USED_BY) &&
	       !ga_starts(s->detail, GA_SAID_USED_UNSEEN);
}

static bool is_proven(const struct ga_step *s)
{
	return ga_streq(s->outcome, "confirmed") || ga_streq(s->outcome, "not_needed");
}

/* Whether the drive made the wipe fail. Other causes are a signal, the guard, a clock that was
 * set, the policy, the host's memory, and the steps of the other devices, which have their own
 * outcomes. */
static bool is_of_disk(const struct ga_wipe_evidence *e)
{
	static const char *const codes[] = { GA_FAULTS_OF_WIPES };
	size_t i;

	if (!e->reason || (!ga_streq(e->outcome, "failed") && !ga_streq(e->outcome, "unknown")))
		return false;
	for (i = 0; i < GA_ARRAY_SIZE(codes); i++)
		if (ga_starts(e->reason, codes[i]) && e->reason[strlen(codes[i])] == ':')
			return true;
	return false;
}

void ga_health_of_wipe(const struct ga_wipe_evidence *e, struct ga_health_sign *ret)
{
	/* The failed step, of those that touch the GPU and the fabric function. */
	const struct ga_step *step = is_fault(&e->gpu_reset) ? &e->gpu_reset :
				     is_fault(&e->vf_state)  ? &e->vf_state :
							       NULL;

	*ret = (struct ga_health_sign){ 0 };
	if (e->dry_run)
		return;
	if (is_of_disk(e))
		say(ret, GA_HEALTH_FAULT, "drive %s: wipe %s: %s", e->device.wwid, e->outcome,
		    e->reason);
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

		if (!ga_streq(s->step, "gpu_reset") || !is_fault(s) || !is_about_one(s->detail, d))
			continue;
		say(ret, GA_HEALTH_FAULT, "%s failed: %s", s->step, s->detail);
		return;
	}
}

/* Whether a provisioning failed because of a device: in the phases that check and prepare it. Other
 * codes of these phases (bind_failed, device_in_use) are the host's fault. */
static bool is_of_device(const struct ga_failure *f)
{
	static const char *const codes[] = { GA_FAULTS_OF_FAILURES };
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
		/* With several slots, only the slot of the device has the fault. */
		if (is_about_one(f->sentence, d))
			say(ret, GA_HEALTH_FAULT, "%s: %s", f->phase, f->sentence);
		return;
	}
	for (i = 0; i < GA_ARRAY_SIZE(doubtful); i++)
		if (ga_streq(f->phase, doubtful[i]))
			say(ret, GA_HEALTH_DOUBT, "%s: %s", f->phase, f->sentence);
}

/* The drift codes of a slot that are faults of its devices. counted: only if the drift is new. */
static const struct {
	enum ga_drift_code code;
	bool counted;
} faults[] = {
	{ GA_D_GPU_LOST, false },
	{ GA_D_DISK_MISSING, false },
	{ GA_D_GPU_ERRORS, true },
};

void ga_health_of_drift(const struct ga_drift *d, const char *before, struct ga_health_sign *ret)
{
	size_t i;

	*ret = (struct ga_health_sign){ 0 };
	if (d->repaired || !ga_streq(d->observation, "bad"))
		return;
	for (i = 0; i < GA_ARRAY_SIZE(faults); i++)
		if (ga_streq(ga_drift_word(faults[i].code), d->code) &&
		    !(faults[i].counted && before && ga_streq(before, d->observed)))
			say(ret, GA_HEALTH_FAULT, "%s: expected %s, and the host shows %s",
			    d->code, d->expected ? d->expected : "it",
			    d->observed ? d->observed : "nothing");
}

void ga_health_of_seen(const struct ga_health_seen *s, struct ga_health_sign *ret)
{
	*ret = (struct ga_health_sign){ 0 };
	if (!s->gpu_there)
		say(ret, GA_HEALTH_FAULT, "discovery: " GA_SAID_NOT_THERE "%s is not on the host",
		    s->slot);
	else if (s->gpu_answers == 0)
		say(ret, GA_HEALTH_FAULT, "discovery: '%s'" GA_SAID_NO_ANSWER "on the bus",
		    s->gpu_pci_address);
	else if (s->gpu_can_reset == 0 && !s->baremetal)
		say(ret, GA_HEALTH_FAULT,
		    "discovery: " GA_SAID_NO_RESET "'%s' between tenants",
		    s->gpu_pci_address);
}

bool ga_health_needs_look(const char *detail)
{
	static const char *const signs[] = { GA_SAID_OF_LOOKS };
	const char *lost = ga_drift_word(GA_D_GPU_LOST);
	size_t i;

	if (!detail || ga_starts(detail, "drive "))
		return false;
	for (i = 0; i < GA_ARRAY_SIZE(signs); i++)
		if (strstr(detail, signs[i]))
			return true;
	return ga_starts(detail, lost) && detail[strlen(lost)] == ':';
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
