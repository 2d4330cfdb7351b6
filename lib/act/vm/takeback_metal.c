/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a whole machine that came back can be trusted, and which disks it has. */
#include "act/vm/takeback_metal.h"

#include <inttypes.h>
#include <stdarg.h>

#include "record/plan.h"

struct trust {
	const struct ga_release_order *order;
	const char *dir;
	struct ga_hostdb *h;
	struct ga_released *out;
};

static void GA_PRINTF(4, 5) add_step(struct trust *t, const char *step, const char *outcome,
				     const char *fmt, ...)
{
	struct ga_step *s = ga_list_add(&t->out->steps);
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	s->step = ga_xstrdup(step);
	s->outcome = ga_xstrdup(outcome);
	s->detail = ga_xstrdup(text);
}

/* What the machine was before it was handed over: the order says it, or, where that is of an older
 * state, the plan this machine carried out. */
static int find_before(struct trust *t, char **boot_id, char **fingerprint, struct ga_err *err)
{
	ga_autoattempt struct ga_attempt a = { 0 };
	struct ga_plan plan = { 0 };
	int r;

	*boot_id = ga_strdup0(t->order->boot_id);
	*fingerprint = ga_strdup0(t->order->fingerprint);
	if (*boot_id || *fingerprint)
		return 1;
	r = ga_attempt_find(t->h, "provision", t->order->allocation, &a, err);
	if (r <= 0)
		return r;
	if (ga_rec_parse_text(a.order, &ga_plan_shape, &plan, err) < 0)
		return -1;
	*boot_id = GA_TAKE(plan.boot_id);
	*fingerprint = GA_TAKE(plan.fingerprint);
	ga_shape_release(&ga_plan_shape, &plan);
	return 1;
}

static int fail_trust(struct trust *t, const char *why, struct ga_err *err)
{
	return ga_refuse(err, GA_CONFLICT, "untrusted_host", NULL,
			 ("nothing proves that '%s' runs a trusted image again: %s", t->order->node,
			  why),
			 ("the executables in '%s/release' answer boot_id, image and fingerprint "
			  "of the machine after it was booted from the trusted image", t->dir));
}

/* What came back must be a machine we trust, not the tenant's root showing us one. */
static int check_trust(struct trust *t, json_t *answer, struct ga_err *err)
{
	const char *boot = json_string_value(json_object_get(answer, "boot_id"));
	const char *image = json_string_value(json_object_get(answer, "image"));
	const char *fingerprint = json_string_value(json_object_get(answer, "fingerprint"));
	ga_autofree char *old_boot = NULL, *approved = NULL;
	int r = find_before(t, &old_boot, &approved, err);

	if (r < 0)
		return -1;
	if (!r)
		return fail_trust(t, "neither the order nor this host says what it was", err);
	if (!boot || !*boot)
		return fail_trust(t, "its boot id was not answered", err);
	if (!image || !*image)
		return fail_trust(t, "the id of its image was not answered", err);
	if (ga_streq(boot, old_boot))
		return fail_trust(t, "it was not booted since it was handed over", err);
	if (approved && !fingerprint)
		return fail_trust(t, "the fingerprint of its hardware was not answered", err);
	if (approved && !ga_streq(fingerprint, approved))
		return fail_trust(t, "its hardware is not what was approved", err);
	add_step(t, "trusted_host", "confirmed", "image %s, boot %s", image, boot);
	return 0;
}

static const struct ga_bundle *bundle_of(const struct trust *t, const char *wwid)
{
	size_t i;

	for (i = 0; i < t->order->bundles.n; i++)
		if (ga_streq(t->order->bundles.v[i].nvme_wwid, wwid))
			return &t->order->bundles.v[i];
	return NULL;
}

/* Whoever had the machine had every disk of it, those in no slot too: each is in the record. */
static void note_disks(struct trust *t, json_t *answer)
{
	json_t *disks = json_object_get(answer, "disks"), *disk;
	size_t i;

	json_array_foreach (disks, i, disk) {
		const char *wwid = json_string_value(disk);
		const struct ga_bundle *b = wwid ? bundle_of(t, wwid) : NULL;

		if (b)
			add_step(t, "disk", "confirmed", "%s: of slot %" PRId64 ", to be wiped",
				 wwid, b->slot_index);
		else if (wwid)
			add_step(t, "disk", "not_proven", "%s: in no slot, nobody wipes it", wwid);
	}
}

int ga_takeback_trust(const struct ga_release_order *order, json_t *answer, const char *dir,
		      struct ga_hostdb *h, struct ga_released *out, struct ga_err *err)
{
	struct trust t = { .order = order, .dir = dir, .h = h, .out = out };

	if (check_trust(&t, answer, err) < 0)
		return -1;
	note_disks(&t, answer);
	return 0;
}
