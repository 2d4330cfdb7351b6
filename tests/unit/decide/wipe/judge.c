/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Evidence and its judge: the test changes every member of a good record in every way that its
 * schema allows, one at a time. The judge must refuse the record and name the member. Members that
 * prove nothing are in a list, each with the reason. A new member of the record has no entry and
 * fails here until somebody decides.
 */
#include "evidence_world.h"
#include "record/rec.h"
#include "t.h"

#define SIZE (INT64_C(1) << 30)
#define SAMPLE ((int64_t)GA_SAMPLES * GA_SAMPLE_BYTES + 2 * GA_SAMPLE_EDGE)

static const struct ga_wipe_asked asked = {
	.cause = "first", .claim = "cm000001", .allocation = "av000001",
	.wwid = "eui.1", .serial = "S1", .size_bytes = SIZE, .gpu_identity = "slot:1:10de:2335",
	.minimum_class = "purge", .verify = "full", .gpu_memory = "if_supported", .fabric = 1,
};

/* Members (of lists without the index) that may change, and why; value: only to that, as JSON. */
static const struct {
	const char *path, *value, *why;
} proves_nothing[] = {
	{ "evidence", NULL, "a name" },
	{ "node", NULL, "the fold compares it with the slot's" },
	{ "object", NULL, "the fold takes the order from it" },
	{ "generation", NULL, "the fold compares it with the order's" },
	{ "attempt", NULL, "the fold compares it with the order's" },
	{ "started_at", "\"2001-01-01T00:00:00.000000Z\"",
	  "an earlier beginning proves less; the fold compares it with the last use" },
	{ "finished_at", "\"2099-01-01T00:00:00.000000Z\"",
	  "a later end proves no more; the next taint is later still, by the triggers" },
	{ "boot_id", NULL, "when the host was started" },
	{ "tool", NULL, "a name" },
	{ "previous_digest", NULL, "the host's own chain" },
	{ "digest", NULL, "the fold compares it with the record's" },
	{ "device.model", NULL, "a name" },
	{ "device.firmware", NULL, "a name" },
	{ "device.pci_address", NULL, "a place, no identity" },
	{ "device.path", NULL, "a place, no identity" },
	{ "device.logical_block_bytes", "null", "not every disk tells" },
	{ "device.nsid", "2", "of the drive; the wwid is the namespace's" },
	{ "device.nsid", "null", "a disk that is no namespace has none" },
	{ "capabilities.oacs", NULL, "no format is claimed" },
	{ "capabilities.oncs", NULL, "zeros are read back, however written" },
	{ "capabilities.fna", NULL, "no format is claimed" },
	{ "capabilities.dlfeat", NULL, "zeros are read back, however written" },
	{ "capabilities.sanicap", "3", "what is claimed is still among them" },
	{ "guard", "in another order", "within a look; looks have their cases below" },
	{ "guard[].detail", NULL, "for people" },
	{ "guard[].outcome", "\"not_proven\"", "of 'domains': open files are looked for as well" },
	{ "attempts[]", "gone", "an attempt that did not start" },
	{ "attempts[].detail", NULL, "for people" },
	{ "markers.seed_digest", NULL, "the seed is not kept" },
	{ "gpu_memory.outcome", "\"confirmed\"", "more than the policy asks" },
	{ "gpu_memory.detail", NULL, "for people" },
	{ "gpu_reset.detail", NULL, "for people" },
	{ "vf_state.detail", NULL, "for people" },
	{ "gpu_reset_method", "gone", "a kernel that does not tell which it was" },
};
static bool passed[GA_ARRAY_SIZE(proves_nothing)];

#define AT(second) "2026-01-01T00:00:" second ".000000Z"

static void replace(char **text, const char *with)
{
	free(*text);
	*text = ga_xstrdup(with);
}

static void add_try(struct ga_wipe_evidence *e, const char *method, const char *outcome,
		    const char *from, const char *to)
{
	*(struct ga_wipe_try *)ga_list_add(&e->attempts) =
		(struct ga_wipe_try){ ga_xstrdup(method), ga_xstrdup(from), ga_xstrdup(to),
				      ga_xstrdup(outcome), NULL };
}

/* A purge of a real drive that can sanitize by block erase alone, each step a second. */
static void good(struct ga_wipe_evidence *e)
{
	struct ga_wipe_try *zero;

	ga_schema_init(&ga_wipe_evidence_schema, e);
	ew_prove(e, "eui.1", SIZE, AT("01"));
	e->evidence = ga_xstrdup("ev000001");
	e->node = ga_xstrdup("n1");
	e->object = ga_xstrdup("s0000001");
	e->generation = 2;
	e->attempt = ga_xstrdup("wf000001");
	e->claim = ga_xstrdup("cm000001");
	e->allocation = ga_xstrdup("av000001");
	e->device.nsid = 1;
	e->gpu_reset_method = ga_xstrdup("bus");
	replace(&e->finished_at, AT("20"));
	e->device.serial = ga_xstrdup("S1");
	replace(&e->device.medium, "nvme");
	e->device.diskseq_before = ga_xstrdup("7");
	e->device.diskseq_after = ga_xstrdup("7");
	e->capabilities = (struct ga_nvme_caps){ 0, 8, 0, 2, 1 };
	replace(&e->policy.minimum_class, "purge");
	zero = &e->attempts.v[0];
	replace(&zero->method, "sanitize_crypto");
	replace(&zero->outcome, "not_started");
	replace(&zero->started_at, AT("02"));
	replace(&zero->finished_at, AT("03"));
	add_try(e, "sanitize_block", "confirmed", AT("04"), AT("05"));
	add_try(e, "zeroout", "confirmed", AT("06"), AT("07"));
	replace(&e->read_back->started_at, AT("08"));
	replace(&e->read_back->finished_at, AT("09"));
	replace(&e->class, "purge");
	e->gpu_identity = ga_xstrdup("slot:1:10de:2335");
	e->lab = false;
	ga_wipe_evidence_seal(e);
}

/* ---- one change ---- */

/* The path without the index of list elements. */
static char *without_index(const char *path)
{
	ga_autostr struct ga_str s = GA_STR_INIT;

	for (; *path; path++)
		if (path[0] != '[')
			ga_str_addc(&s, *path);
		else
			for (ga_str_add(&s, "[]"); *path != ']'; path++)
				;
	return ga_str_take(&s);
}

/* Whether the list has it, for this value. */
static bool is_allowed(const char *plain, const char *value)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(proves_nothing); i++)
		if (ga_streq(plain, proves_nothing[i].path) &&
		    (!proves_nothing[i].value || ga_streq(value, proves_nothing[i].value)))
			return passed[i] = true;
	return false;
}

/* The record as it is now, changed at path. value: what it was changed to, for the list. */
static void try_it(json_t *record, const char *path, const char *value)
{
	ga_autofree char *plain = without_index(path);
	ga_autoverdict struct ga_wipe_verdict v = { 0 };
	struct ga_err err = GA_ERR_INIT;
	struct ga_wipe_evidence e;
	bool proved;

	if (ga_schema_parse(&ga_wipe_evidence_schema, record, &e, &err) < 0) {
		t_ok(strstr(err.msg, plain) || strchr(plain, '['), "%s %s is no record: %s", path,
		     value, err.msg);
		return;
	}
	proved = ga_wipe_proves(&asked, &e, &v);
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	if (proved)
		t_ok(is_allowed(plain, value), "%s %s proves nothing, as the list says", path,
		     value);
	else
		t_ok(v.code && v.status && (strstr(v.sentence, path) || strstr(v.sentence, plain)),
		     "%s %s is refused: %s: %s", path, value, v.code, v.sentence);
}

static void set_and_try(json_t *record, json_t *in, const char *member, const char *path,
			json_t *value)
{
	json_t *was = json_incref(json_object_get(in, member));
	ga_autofree char *text = value ? json_dumps(value, JSON_ENCODE_ANY) : ga_xstrdup("gone");

	if (value && was && json_equal(value, was)) {
		json_decref(value);
	} else {
		if (value)
			json_object_set_new(in, member, value);
		else
			json_object_del(in, member);
		try_it(record, path, text);
		if (was)
			json_object_set(in, member, was);
		else
			json_object_del(in, member);
	}
	json_decref(was);
}

static const char *const others[][3] = {
	[GA_T_ANY] = { "other" },
	[GA_T_ID] = { "zzzzzzzz" },
	[GA_T_NAME] = { "elsewhere" },
	[GA_T_CODE] = { "other" },
	[GA_T_TIME] = { "2001-01-01T00:00:00.000000Z", "2099-01-01T00:00:00.000000Z" },
	[GA_T_DIGEST] = {
		"sha256:1111111111111111111111111111111111111111111111111111111111111111",
	},
	[GA_T_PCI] = { "0000:ff:00.0" },
	[GA_T_WORD] = { "other" },
};

static void change_text(json_t *record, json_t *in, const struct ga_field *f, const char *path)
{
	size_t i;

	for (i = 0; f->values && f->values[i]; i++)
		set_and_try(record, in, f->name, path, json_string(f->values[i]));
	for (i = 0; !f->values && i < 3 && others[f->format][i]; i++)
		set_and_try(record, in, f->name, path, json_string(others[f->format][i]));
}

static void change_int(json_t *record, json_t *in, const struct ga_field *f, const char *path)
{
	json_int_t now = json_integer_value(json_object_get(in, f->name));

	set_and_try(record, in, f->name, path, json_integer(0));
	set_and_try(record, in, f->name, path, json_integer(now + 1));
	if (now)
		set_and_try(record, in, f->name, path, json_integer(now - 1));
}

/* ---- every member ---- */

static void change_all(json_t *record, json_t *in, const struct ga_schema *schema,
		       const char *prefix);

static void change_list(json_t *record, json_t *list, const struct ga_schema *schema,
			const char *path)
{
	size_t i, n = json_array_size(list);

	t_ok(n > 0, "%s has elements to change", path);
	for (i = 0; i < n; i++) {
		ga_autofree char *one = ga_xprintf("%s[%zu]", path, i);
		ga_autofree char *prefix = ga_xprintf("%s.", one);
		json_t *was = json_incref(json_array_get(list, i));

		change_all(record, was, schema, prefix);
		json_array_remove(list, i);
		/* A member that is missing at its end is named by its list. */
		if (ga_streq(path, "attempts") && !i)
			try_it(record, one, "gone");
		else
			try_it(record, path, "one gone");
		json_array_insert(list, i, was);
		if (i) {
			json_array_remove(list, i);
			json_array_insert(list, i - 1, was);
			try_it(record, path, "in another order");
			json_array_remove(list, i - 1);
			json_array_insert(list, i, was);
		}
		json_decref(was);
	}
}

static void empty_list(json_t *record, json_t *in, const char *member, const char *path)
{
	set_and_try(record, in, member, path, json_array());
}

static void change_member(json_t *record, json_t *in, const struct ga_field *f, const char *path)
{
	ga_autofree char *prefix = ga_xprintf("%s.", path);
	json_t *now = json_object_get(in, f->name);

	if (f->presence == GA_NULLOK)
		set_and_try(record, in, f->name, path, json_null());
	if (f->presence == GA_OPT && now)
		set_and_try(record, in, f->name, path, NULL);
	switch (f->type) {
	case GA_F_TEXT:
		change_text(record, in, f, path);
		break;
	case GA_F_INT:
		change_int(record, in, f, path);
		break;
	case GA_F_BOOL:
		set_and_try(record, in, f->name, path, json_boolean(!json_is_true(now)));
		break;
	case GA_F_OBJ:
		change_all(record, now, f->sub, prefix);
		break;
	case GA_F_LIST:
		change_list(record, now, f->sub, path);
		empty_list(record, in, f->name, path);
		break;
	case GA_F_DECIMAL:
	case GA_F_TRI:
	case GA_F_TEXTS:
	case GA_F_INTS:
	case GA_F_JSON:
		t_ok(false, "%s has a type that this test does not know how to change", path);
	}
}

static void change_all(json_t *record, json_t *in, const struct ga_schema *schema,
		       const char *prefix)
{
	const struct ga_field *f;

	for (f = schema->fields; f->name; f++) {
		ga_autofree char *path = ga_xprintf("%s%s", prefix, f->name);

		change_member(record, in, f, path);
	}
}

static void each_member(void)
{
	struct ga_wipe_evidence e;
	ga_autoverdict struct ga_wipe_verdict v = { 0 };
	json_t *record;
	size_t i;

	good(&e);
	t_ok(ga_wipe_proves(&asked, &e, &v), "the record as it is proves the wipe (%s)",
	     v.sentence ? v.sentence : "");
	record = ga_schema_format(&ga_wipe_evidence_schema, &e);
	ga_schema_release(&ga_wipe_evidence_schema, &e);
	change_all(record, record, &ga_wipe_evidence_schema, "");
	json_decref(record);
	for (i = 0; i < GA_ARRAY_SIZE(proves_nothing); i++)
		t_ok(passed[i], "%s is still judged by nobody: %s", proves_nothing[i].path,
		     proves_nothing[i].why);
}

/* ---- what takes more than one member ---- */

static void set_step(struct ga_wipe_evidence *e, const char *step, const char *outcome)
{
	size_t i;

	for (i = 0; i < e->guard.n; i++)
		if (ga_streq(e->guard.v[i].step, step))
			replace(&e->guard.v[i].outcome, outcome);
}

static void drop_try(struct ga_wipe_evidence *e)
{
	struct ga_wipe_try *t = &e->attempts.v[0];

	free(t->method);
	free(t->started_at);
	free(t->finished_at);
	free(t->outcome);
	memmove(t, t + 1, --e->attempts.n * sizeof(*t));
}

static void lone_zero(struct ga_wipe_evidence *e)
{
	drop_try(e);
	drop_try(e);
}

static void sample(struct ga_wipe_evidence *e, int64_t bytes, int64_t bound)
{
	replace(&e->policy.verify, "sampled");
	replace(&e->read_back->verify, "sampled");
	e->read_back->bytes_read = bytes;
	e->read_back->remnant_bound_ppb = bound;
}

static void add_newer_step(struct ga_wipe_evidence *e)
{
	struct ga_step *at;

	(void)ga_list_add(&e->guard);
	at = &e->guard.v[3];
	memmove(at + 1, at, (e->guard.n - 4) * sizeof(*at));
	*at = ew_step("of_tomorrow", "confirmed");
}

static void can_not_format(struct ga_wipe_evidence *e)
{
	replace(&e->attempts.v[1].method, "format_user");
	replace(&e->device.diskseq_after, "8");
}

/* The disk has another number after it. */
static void formatted(struct ga_wipe_evidence *e)
{
	can_not_format(e);
	e->capabilities.oacs = 2;
}

static void lone_clear(struct ga_wipe_evidence *e)
{
	lone_zero(e);
	replace(&e->policy.minimum_class, "clear");
	replace(&e->class, "clear");
}

static void sampled(struct ga_wipe_evidence *e)
{
	sample(e, SAMPLE, ga_wipe_remnant_ppb(GA_SAMPLES));
}

static void sampled_short(struct ga_wipe_evidence *e)
{
	sample(e, SAMPLE - GA_SAMPLE_BYTES, ga_wipe_remnant_ppb(GA_SAMPLES - 1));
}

static void sampled_bound(struct ga_wipe_evidence *e)
{
	sample(e, SAMPLE, ga_wipe_remnant_ppb(GA_SAMPLES) - 1);
}

static void unread_content(struct ga_wipe_evidence *e)
{
	set_step(e, "signatures", "not_proven");
}

static void no_sequence(struct ga_wipe_evidence *e)
{
	free(GA_TAKE(e->device.diskseq_before));
	free(GA_TAKE(e->device.diskseq_after));
}

static void small_disk(struct ga_wipe_evidence *e)
{
	e->device.size_bytes = e->read_back->bytes_read = 3 * GA_MARKER_BYTES;
	e->markers->written = 3;
}

/* The guard saw this user's processes alone. */
static void in_no_lab(struct ga_wipe_evidence *e)
{
	set_step(e, "open_files", "not_proven");
}

static void in_a_lab(struct ga_wipe_evidence *e)
{
	lone_clear(e);
	e->lab = true;
	replace(&e->device.medium, "file");
	set_step(e, "mounts", "not_needed");
	in_no_lab(e);
}

static void neither(struct ga_wipe_evidence *e)
{
	replace(&e->gpu_reset.outcome, "not_proven");
}

static void scrubbed(struct ga_wipe_evidence *e)
{
	neither(e);
	replace(&e->gpu_memory.outcome, "confirmed");
}

static void reset_failed(struct ga_wipe_evidence *e)
{
	scrubbed(e);
	replace(&e->gpu_reset.outcome, "failed");
}

static void no_gpu(struct ga_wipe_evidence *e)
{
	free(GA_TAKE(e->gpu_identity));
	replace(&e->gpu_memory.outcome, "not_needed");
	replace(&e->gpu_reset.outcome, "not_needed");
}

static void no_fabric(struct ga_wipe_evidence *e)
{
	replace(&e->vf_state.outcome, "not_needed");
}

/* A check that belongs before the erase stands after it. */
static void late_guard(struct ga_wipe_evidence *e)
{
	struct ga_step first = e->guard.v[0];

	memmove(&e->guard.v[0], &e->guard.v[1], (e->guard.n - 1) * sizeof(first));
	e->guard.v[e->guard.n - 1] = first;
}

/* The second look after the third. */
static void late_recheck(struct ga_wipe_evidence *e)
{
	size_t i;

	for (i = 0; i < e->guard.n; i++) {
		char *step = e->guard.v[i].step;

		if (ga_starts(step, "identity_before"))
			e->guard.v[i].step = ga_xprintf("identity_after%s", step + 15);
		else if (ga_starts(step, "identity_after"))
			e->guard.v[i].step = ga_xprintf("identity_before%s", step + 14);
		if (e->guard.v[i].step != step)
			free(step);
	}
}

/* The host's own verdict says more than that it failed. */
static void ended_with_code(struct ga_wipe_evidence *e)
{
	replace(&e->outcome, "failed");
	e->reason = ga_xstrdup("gpu_reset_failed: it does not answer");
}

static void ended_with_half_a_code(struct ga_wipe_evidence *e)
{
	replace(&e->outcome, "failed");
	e->reason = ga_xstrdup("gpu_reset_failed:");
}

static void newer_rules(struct ga_wipe_evidence *e)
{
	e->rules = GA_WIPE_RULES + 1;
}

static void function_reset(struct ga_wipe_evidence *e)
{
	replace(&e->gpu_reset_method, "flr");
}

static void no_such_reset(struct ga_wipe_evidence *e)
{
	replace(&e->gpu_reset_method, "x");
}

static void null_claim(struct ga_wipe_evidence *e)
{
	free(GA_TAKE(e->claim));
}

static void null_allocation(struct ga_wipe_evidence *e)
{
	free(GA_TAKE(e->allocation));
}

static const struct {
	const char *name;
	void (*twist)(struct ga_wipe_evidence *e); /* NULL: as it is */
	/* Differences in the order: class, verify, GPU memory; GPU ("" for none). */
	const char *minimum, *verify, *memory, *gpu;
	int64_t fabric, lab, size;
	bool may_destroy;
	const char *code, *member; /* NULL: proved */
} cases[] = {
#define P "purge", "full", "if_supported", NULL, 1, 0, SIZE, false
#define C "clear", "full", "if_supported", NULL, 1, 0, SIZE, false
	{ "a purge", NULL, P, NULL, NULL },
	{ "a purge where clear is required", NULL, C, NULL, NULL },
	{ "a purge by a format, after which the disk appears anew", formatted, P, NULL, NULL },
	{ "a format by a drive that has none", can_not_format, P, "wipe_not_proven",
	  "capabilities" },
	{ "the zero pass where clear is required", lone_clear, C, NULL, NULL },
	{ "the zero pass where purge is required", lone_clear, P, "wipe_below_policy",
	  "policy.minimum_class" },
	{ "class purge with only zeroout", lone_zero, P, "wipe_below_policy", "attempts" },
	{ "class purge with only zeroout, clear asked", lone_zero, C, "wipe_below_policy",
	  "class" },
	{ "a sample where that is required", sampled, "purge", "sampled", "if_supported", NULL, 1,
	  0, SIZE, false, NULL, NULL },
	{ "a sample where full is required", sampled, P, "wipe_below_policy", "policy.verify" },
	{ "all of it where a sample is required", NULL, "purge", "sampled", "if_supported", NULL,
	  1, 0, SIZE, false, NULL, NULL },
	{ "less than a sample", sampled_short, "purge", "sampled", "if_supported", NULL, 1, 0, SIZE,
	  false, "wipe_not_proven", "read_back.bytes_read" },
	{ "a sample with a better bound than it has", sampled_bound, "purge", "sampled",
	  "if_supported", NULL, 1, 0, SIZE, false, "wipe_not_proven", "remnant_bound_ppb" },
	{ "content that could not be read and may go", unread_content, "purge", "full",
	  "if_supported", NULL, 1, 0, SIZE, true, NULL, NULL },
	{ "content that could not be read", unread_content, P, "wipe_not_proven", "guard[" },
	{ "a first look after the erase", late_guard, P, "wipe_not_proven", "].step is" },
	{ "a second look after the third", late_recheck, P, "wipe_not_proven", "].step is" },
	{ "a disk without sequence number", no_sequence, P, "wrong_device",
	  "device.diskseq_before" },
	{ "a file in a lab", in_a_lab, "clear", "full", "if_supported", NULL, 1, 1, SIZE, false,
	  NULL, NULL },
	{ "a file for a real disk", in_a_lab, C, "wrong_device", "lab" },
	{ "a real disk in a lab", lone_clear, "clear", "full", "if_supported", NULL, 1, 1, SIZE,
	  false, "wrong_device", "lab" },
	{ "a wipe alone, of a file", in_a_lab, "clear", "full", "if_supported", NULL, 1, GA_UNKNOWN,
	  GA_UNKNOWN, false, NULL, NULL },
	{ "a guard of a drive that saw not every process", in_no_lab, P, "wipe_not_proven",
	  "guard[" },
	{ "a scrub without a reset", scrubbed, P, NULL, NULL },
	{ "a scrub where it is required", scrubbed, "purge", "full", "required", NULL, 1, 0, SIZE,
	  false, "wipe_below_policy", "policy.gpu_memory" },
	{ "neither reset nor scrub", neither, P, "gpu_reset_not_proven", "gpu_reset.outcome" },
	{ "a scrub after a reset that failed", reset_failed, P, "gpu_reset_failed",
	  "gpu_reset.outcome" },
	{ "no GPU", no_gpu, "purge", "full", "if_supported", "", 1, 0, SIZE, false, NULL, NULL },
	{ "no GPU where there is one", no_gpu, P, "wrong_device", "gpu_identity" },
	{ "no fabric function", no_fabric, "purge", "full", "if_supported", NULL, 0, 0, SIZE, false,
	  NULL, NULL },
	{ "no fabric function where there is one", no_fabric, P, "vf_not_proven",
	  "vf_state.outcome" },
	{ "a fabric function, and whether there is one is not known", NULL, "purge", "full",
	  "if_supported", NULL, GA_UNKNOWN, 0, SIZE, false, NULL, NULL },
	{ "none, and whether there is one is not known", no_fabric, "purge", "full",
	  "if_supported", NULL, GA_UNKNOWN, 0, SIZE, false, NULL, NULL },
	{ "a disk with room for three markers", small_disk, "purge", "full", "if_supported", NULL,
	  1, 0, 3 * GA_MARKER_BYTES, false, NULL, NULL },
	{ "a disk of another size", small_disk, P, "wrong_device", "device.size_bytes" },
	{ "a host that ended with a verdict", ended_with_code, P, "gpu_reset_failed",
	  "outcome is failed: it does not answer" },
	{ "a host that ended with half of one", ended_with_half_a_code, P, "wipe_failed",
	  "outcome is failed: gpu_reset_failed:" },
	{ "a newer host's, which looks at more", add_newer_step, P, NULL, NULL },
	{ "of rules that are not known here", newer_rules, P, "wipe_not_proven", "rules is 2" },
	{ "a reset of the function alone", function_reset, P, NULL, NULL },
	{ "a reset by no method of the kernel", no_such_reset, P, "gpu_reset_not_proven",
	  "gpu_reset_method is x" },
	{ "of no claim", null_claim, P, "wipe_not_proven", "claim is null" },
	{ "of no allocation", null_allocation, P, "wipe_not_proven", "allocation is null" },
};

static void each_case(void)
{
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		ga_autoverdict struct ga_wipe_verdict v = { 0 };
		struct ga_wipe_asked a = asked;
		struct ga_wipe_evidence e;
		bool proved;

		a.minimum_class = cases[i].minimum;
		a.verify = cases[i].verify;
		a.gpu_memory = cases[i].memory;
		if (cases[i].gpu)
			a.gpu_identity = *cases[i].gpu ? cases[i].gpu : NULL;
		a.fabric = cases[i].fabric;
		a.lab = cases[i].lab;
		a.size_bytes = cases[i].size;
		a.may_destroy = cases[i].may_destroy;
		good(&e);
		if (cases[i].twist)
			cases[i].twist(&e);
		proved = ga_wipe_proves(&a, &e, &v);
		t_ok(proved == !cases[i].code && proved == !v.code, "%s: %s", cases[i].name,
		     proved ? "proved" : v.sentence);
		t_str(v.code, cases[i].code, "%s: the code", cases[i].name);
		t_ok(proved || strstr(v.sentence, cases[i].member), "%s: names %s", cases[i].name,
		     proved ? "nothing" : cases[i].member);
		ga_schema_release(&ga_wipe_evidence_schema, &e);
	}
}

/* The cause of evidence is that of its order, in both directions. */
static void each_cause(void)
{
	static const char *const causes[] = { "first", "release", "repair", "rebuild", "alone" };
	size_t i, k;

	for (i = 0; i < GA_ARRAY_SIZE(causes); i++)
		for (k = 0; k <= GA_ARRAY_SIZE(causes); k++) {
			const char *ordered = k < GA_ARRAY_SIZE(causes) ? causes[k] : NULL;
			ga_autoverdict struct ga_wipe_verdict v = { 0 };
			struct ga_wipe_asked a = asked;
			struct ga_wipe_evidence e;
			bool proved;

			a.cause = ordered;
			good(&e);
			replace(&e.cause, causes[i]);
			proved = ga_wipe_proves(&a, &e, &v);
			t_ok(proved == (!ordered || i == k), "a wipe for %s, ordered for %s: %s",
			     causes[i], ordered ? ordered : "nobody knows what",
			     proved ? "proved" : v.sentence);
			t_ok(proved || strstr(v.sentence, "cause is "), "it names cause");
			ga_schema_release(&ga_wipe_evidence_schema, &e);
		}
}

int main(void)
{
	each_member();
	each_cause();
	each_case();
	return t_done();
}
