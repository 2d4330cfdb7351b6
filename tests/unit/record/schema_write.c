/* SPDX-License-Identifier: Apache-2.0 */
/* Lines written from structs equal those that jansson writes. */
#include "base/texts.h"
#include "record/bundle.h"
#include "record/host.h"
#include "record/rec.h"
#include "record/request.h"
#include "record/result.h"
#include "record/schema_write.h"
#include "record/state.h"
#include "t.h"

static bool same(const struct ga_schema *schema, const void *obj)
{
	ga_autojson json_t *json = ga_schema_format(schema, obj);
	ga_autostr struct ga_str want = GA_STR_INIT;
	ga_autostr struct ga_str is = GA_STR_INIT;

	ga_rec_dump(json, &want);
	ga_schema_write(schema, obj, &is);
	if (strcmp(is.buf, want.buf)) {
		printf("# %s\n# %s\n", is.buf, want.buf);
		return false;
	}
	/* Without a member: as digests are taken. */
	ga_str_clear(&want);
	ga_str_clear(&is);
	json_object_del(json, schema->fields[0].name);
	ga_rec_dump(json, &want);
	ga_schema_write_without(schema, obj, schema->fields[0].name, &is);
	return !strcmp(is.buf, want.buf);
}

static void texts(void)
{
	static const char *const cases[] = {
		"plain", "a \"quoted\" \\ back", "tab\tnewline\nreturn\rbell\afeed\fback\b",
		"\x01\x1f\x7f",
		"Grüße 漢字 🙂", "not UTF-8 \xff\xfe", "half \xc3", "/slash/", "",
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_error e = { .program = (char *)(uintptr_t)cases[i], .status = 7,
				      .sentence = (char *)(uintptr_t)cases[i] };

		t_ok(same(&ga_error_schema, &e), "text %zu", i);
	}
}

static void random_texts(void)
{
	uint64_t seed = t_seed();
	bool good = true;
	int i, k;

	for (i = 0; i < 20000 && good; i++) {
		char text[24];
		struct ga_error e = { .program = text, .status = i, .sentence = text };
		int len = (int)(t_random(&seed) % sizeof(text));

		for (k = 0; k < len; k++)
			text[k] = (char)(1 + t_random(&seed) % 255);
		text[len] = '\0';
		good = same(&ga_error_schema, &e);
	}
	t_ok(good, "random bytes");
}

/* Every sort of field, present and absent. */
static void fields(void)
{
	struct ga_request request;
	struct ga_candidate candidate;
	struct ga_profile profile;
	struct ga_audit audit = { .seq = 1, .at = (char *)(uintptr_t) "t",
	.detail = json_object() };

	ga_schema_init(&ga_request_schema, &request);
	request.profile = ga_xstrdup("lab");
	t_ok(same(&ga_request_schema, &request), "members left out");
	ga_texts_add(&request.types, "h200");
	ga_texts_add(&request.types, "mi300x");
	request.preemptible = true;
	t_ok(same(&ga_request_schema, &request), "a list of texts");
	ga_schema_release(&ga_request_schema, &request);

	ga_schema_init(&ga_candidate_schema, &candidate);
	candidate.node = ga_xstrdup("n");
	candidate.fingerprint = ga_xstrdup("f");
	ga_reasons_add(&candidate.reasons, "missing_gpu", NULL, "none", NULL);
	ga_reasons_add(&candidate.reasons, "missing_ip", "x", NULL, "y");
	t_ok(same(&ga_candidate_schema, &candidate), "nulls, inner objects, a list of objects");
	candidate.fabric = ga_xcalloc(1, sizeof(*candidate.fabric));
	ga_schema_init(&ga_fabric_schema, candidate.fabric);
	candidate.fabric->vf_pci_address = ga_xstrdup("v");
	candidate.fabric->pf_pci_address = ga_xstrdup("p");
	candidate.fabric->claim_mode = ga_xstrdup("per_slot_vf");
	t_ok(same(&ga_candidate_schema, &candidate), "an object that may be null");
	ga_schema_release(&ga_candidate_schema, &candidate);

	ga_schema_init(&ga_profile_schema, &profile);
	profile.name = profile.shape = (char *)(uintptr_t) "x";
	profile.wipe = (struct ga_wipe_policy){ profile.name, profile.name, profile.name };
	*ga_list_add(&profile.counts) = 1;
	*ga_list_add(&profile.counts) = GA_UNKNOWN + 1;
	t_ok(same(&ga_profile_schema, &profile), "numbers");
	ga_list_release(&profile.counts);

	audit.actor = audit.program = audit.action = audit.object = audit.at;
	audit.previous_hash = audit.hash = audit.at;
	t_ok(same(&ga_audit_schema, &audit), "an object of free form");
	json_object_set_new(audit.detail, "a", json_pack("[i,s,n,b]", 1, "b", 1));
	t_ok(same(&ga_audit_schema, &audit), "with something in it");
	json_decref(audit.detail);
}

int main(void)
{
	texts();
	random_texts();
	fields();
	return t_done();
}
