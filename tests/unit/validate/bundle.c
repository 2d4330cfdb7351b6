/* SPDX-License-Identifier: Apache-2.0 */
/* Bundles: names, the same bytes each time, every changed byte, every edited verdict. */
#include "validate/bundle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "record/digest.h"
#include "record/rec.h"
#include "t.h"
#include "validate/evidence.h"
#include "validate/judge.h"
#include "validate/suite.h"
#include "validate/tape.h"
#include "validate/verify.h"

#define SCENARIO \
	"{\"kind\":\"gpuaas.scenario/1\",\"id\":\"T-01\",\"level\":\"must\",\"title\":\"t\"," \
	"\"requirements\":[{\"id\":\"R\",\"coverage\":\"full\"}],\"needs\":[\"queues\"]," \
	"\"clock\":\"any\",\"nodes\":[{\"name\":\"n1\",\"slots\":2,\"type\":\"h100\"}]," \
	"\"queues\":[{\"name\":\"a\"}],\"arrange\":[{\"submit\":{" \
	"\"name\":\"j\",\"queue\":\"a\",\"slots\":2}}],\"given\":[{\"id\":\"there\"," \
	"\"check\":\"are\",\"jobs\":[\"j\"],\"state\":\"pending\",\"within_seconds\":2}]," \
	"\"act\":[" \
	"{\"submit\":{\"name\":\"k\",\"queue\":\"a\",\"slots\":2}}]," \
	"\"expect\":[{\"id\":\"starts\",\"check\":\"are\",\"jobs\":[\"j\"]," \
	"\"state\":\"running\",\"within_seconds\":2}],\"negative\":\"x\"}"
#define TAPE \
	"hello queues\n0 phase arrange\n+ step submit j\n+ phase given\n0 poll\n" \
	"+ j pending\n+ phase act\n+ step submit k\n" \
	"+ phase expect\n100 poll\n+ k pending\n200 poll\n+ j running n1:0,1\n" \
	"2400 poll\n2500 phase ask\n+ end\n"

static char folder[] = "/tmp/ga-bundle.XXXXXX";

static char *file_of(const char *name)
{
	return ga_xprintf("%s/%s", folder, name);
}

/* ---- a bundle ---- */

/* More lines than a bundle keeps, then a reply that names a raw file. */
static void fill_protocol(int fd)
{
	static const char late[] = "{\"received\":{\"id\":1,\"ok\":true,\"raw\":[\"late\"]}}\n";
	ga_autofree char *raw = file_of("late");
	struct ga_err err = GA_ERR_INIT;
	char line[1024];
	size_t i;

	memset(line, 'x', sizeof(line));
	memcpy(line, "{\"sent\":\"", 9);
	memcpy(line + sizeof(line) - 3, "\"}\n", 3);
	for (i = 0; i < (GA_EVIDENCE_PROTOCOL_BYTES >> 10) + 10; i++)
		if (ga_write_all(fd, line, sizeof(line)) < 0)
			t_ok(false, "line %zu", i);
	t_int(ga_write_all(fd, late, strlen(late)), 0, "a late line");
	t_int(ga_file_replace(raw, "native", 6, 0600, &err), 0, "a raw file: %s", err.msg);
}

static void fill(struct ga_evidence *e, const struct ga_scenario *scenario, bool large)
{
	struct ga_trial trial;
	struct ga_verdict verdict;
	char digest[GA_DIGEST_SIZE];
	struct ga_err err = GA_ERR_INIT;
	static const char line[] = "{\"at\":\"2026-11-20T18:24:00.123456Z\",\"sent\":{\"id\":1}}\n";
	int fd = ga_evidence_protocol(e, folder);

	t_int(ga_write_all(fd, line, strlen(line)), 0, "a protocol");
	if (large)
		fill_protocol(fd);
	t_int(tape_read(TAPE, &trial, &err), 0, "a tape: %s", err.msg);
	t_int(ga_evidence_clean(&trial, &err), 0, "without secrets: %s", err.msg);
	ga_rec_digest(&ga_scenario_schema, scenario, NULL, digest);
	ga_judge(scenario, digest, &trial, &verdict);
	t_str(verdict.outcome, "pass", "the judge: %s", verdict.why);
	t_int(ga_evidence_scenario(e, scenario, &trial, &verdict, "a log\n", &err), 0,
	      "a scenario is added: %s", err.msg);
	ga_schema_release(&ga_verdict_schema, &verdict);
	ga_trial_release(&trial);
}

static void make(const char *path, const struct ga_sign_key *key, bool large)
{
	struct ga_suite suite = { 0 };
	struct ga_test_plan plan;
	struct ga_evidence *e;
	char digest[GA_DIGEST_SIZE];
	struct ga_err err = GA_ERR_INIT;

	t_int(ga_suite_read_text(SCENARIO, strlen(SCENARIO), "T", ga_list_add(&suite.scenarios),
				 &err), 0, "a scenario: %s", err.msg);
	ga_suite_plan(&suite, &plan);
	e = ga_evidence_new(&plan, "Anna", 7);
	fill(e, &suite.scenarios.v[0], large);
	t_int(ga_evidence_write(e, key, path, digest, &err), 0, "it is written: %s", err.msg);
	ga_evidence_free(e);
	ga_schema_release(&ga_test_plan_schema, &plan);
	ga_suite_release(&suite);
}

/* ---- checking ---- */

struct findings {
	size_t n;
	char codes[256];
};

static int found(const struct ga_bundle_finding *finding, void *data, struct ga_err *err)
{
	struct findings *f = data;

	f->n++;
	if (!strstr(f->codes, finding->code))
		snprintf(f->codes + strlen(f->codes), sizeof(f->codes) - strlen(f->codes), "%s%s",
			 *f->codes ? " " : "", finding->code);
	return ga_schema_check(&ga_bundle_finding_schema, finding, err);
}

static struct findings check_pack(const struct ga_pack *pack, bool exact, const char *key)
{
	struct findings f = { 0 };
	struct ga_verify verify = { .key = key, .found = found, .data = &f };
	struct ga_verified v;
	struct ga_err err = GA_ERR_INIT;

	if (ga_verify_pack(pack, exact, "it", &verify, &v, &err) < 0)
		t_ok(false, "it cannot be checked: %s", err.msg);
	ga_verified_release(&v);
	return f;
}

/* Whether a changed tar is found. */
static bool is_found(const struct ga_str *tar)
{
	ga_autopack struct ga_pack pack = { 0 };
	struct ga_err err = GA_ERR_INIT;
	bool exact;

	if (ga_pack_read_tar(tar->buf, tar->len, &pack, &exact, &err) < 0)
		return err.code == GA_BADREC;
	return check_pack(&pack, exact, NULL).n > 0;
}

/* Every byte of the archive as it is unpacked. */
static void flip_all(const char *path)
{
	ga_autopack struct ga_pack pack = { 0 };
	ga_autostr struct ga_str tar = GA_STR_INIT;
	struct ga_err err = GA_ERR_INIT;
	size_t i, missed = 0;
	bool exact;

	t_int(ga_pack_read(path, &pack, &exact, &err), 0, "it is read: %s", err.msg);
	t_ok(exact, "it is exactly what its files make");
	t_str(check_pack(&pack, exact, NULL).codes, "", "it has no findings");
	t_int(ga_pack_tar(&pack, &tar, &err), 0, "a tar");
	t_ok(!is_found(&tar), "as it is, the tar has no findings");
	for (i = 0; i < tar.len; i++) {
		char was = tar.buf[i];

		tar.buf[i] = (char)(was ^ (1 << (i % 8)));
		if (!is_found(&tar) && !missed++)
			t_ok(false, "byte %zu of %zu is not found", i, tar.len);
		tar.buf[i] = was;
	}
	t_ok(!missed, "%zu of %zu changed bytes are not found", missed, tar.len);
	for (i = 0; i < tar.len; i += 512) {
		struct ga_str shorter = { tar.buf, i, 0 };

		if (!is_found(&shorter))
			t_ok(false, "a tar of %zu bytes is not found", i);
	}
	ga_str_addc(&tar, '\0');
	t_ok(is_found(&tar), "a byte more is found");
}

/* Every byte of the file: it is found, or what is unpacked is the same. */
static void flip_file(const char *path)
{
	ga_autofree char *changed = file_of("changed");
	ga_autopack struct ga_pack pack = { 0 };
	ga_autostr struct ga_str data = GA_STR_INIT, tar = GA_STR_INIT;
	struct ga_err err = GA_ERR_INIT;
	size_t i, missed = 0;
	bool exact;

	if (ga_file_read(path, 1 << 20, &data, &err) < 0 ||
	    ga_pack_read(path, &pack, &exact, &err) < 0 || ga_pack_tar(&pack, &tar, &err) < 0)
		t_ok(false, "it cannot be read: %s", err.msg);
	for (i = 0; i < data.len; i++) {
		ga_autopack struct ga_pack other = { 0 };
		ga_autostr struct ga_str again = GA_STR_INIT;

		data.buf[i] ^= 0x10;
		if (ga_file_replace(changed, data.buf, data.len, 0600, &err) < 0)
			t_ok(false, "cannot write: %s", err.msg);
		data.buf[i] ^= 0x10;
		if (ga_pack_read(changed, &other, &exact, &err) < 0 ||
		    check_pack(&other, exact, NULL).n)
			continue;
		if (ga_pack_tar(&other, &again, &err) < 0 || again.len != tar.len ||
		    memcmp(again.buf, tar.buf, tar.len))
			missed++;
	}
	t_ok(!missed, "%zu of %zu changed bytes of the file give other files, and no finding",
	     missed, data.len);
}

/* ---- edits by somebody who knows the format ---- */

static struct ga_pack_file *file_in(struct ga_pack *pack, const char *name)
{
	return (struct ga_pack_file *)(uintptr_t)ga_pack_find(pack, name);
}

static void edit(struct ga_pack *pack, const char *name, const char *from, const char *to)
{
	struct ga_pack_file *file = file_in(pack, name);
	char *at = file ? strstr(file->data.buf, from) : NULL;
	ga_autostr struct ga_str text = GA_STR_INIT;

	t_ok(at, "%s has %s", name, from);
	if (!at)
		return;
	ga_str_add_bytes(&text, file->data.buf, (size_t)(at - file->data.buf));
	ga_str_add(&text, to);
	ga_str_add(&text, at + strlen(from));
	ga_str_clear(&file->data);
	ga_str_add_bytes(&file->data, text.buf, text.len);
}

/* Makes the manifest anew, as the forger can. */
static void seal(struct ga_pack *pack)
{
	struct ga_pack_file *file = file_in(pack, "manifest.json");
	struct ga_validation_bundle m;
	struct ga_err err = GA_ERR_INIT;
	char digest[GA_DIGEST_SIZE];
	size_t i;

	if (ga_rec_parse_text(file->data.buf, &ga_validation_bundle_schema, &m, &err) < 0) {
		t_ok(false, "a manifest: %s", err.msg);
		return;
	}
	for (i = 0; i < m.files.n; i++) {
		const struct ga_pack_file *of = ga_pack_find(pack, m.files.v[i].name);

		free(m.files.v[i].sha256);
		m.files.v[i].sha256 = ga_xstrdup(ga_digest_of(of->data.buf, of->data.len, digest));
		m.files.v[i].bytes = (int64_t)of->data.len;
	}
	ga_rec_digest(&ga_validation_bundle_schema, &m, "digest", digest);
	free(m.digest);
	m.digest = ga_xstrdup(digest);
	ga_autofree char *line = ga_rec_format_text(&ga_validation_bundle_schema, &m);

	ga_str_clear(&file->data);
	ga_str_addf(&file->data, "%s\n", line);
	ga_schema_release(&ga_validation_bundle_schema, &m);
}

static const struct {
	const char *file, *from, *to;
	bool sealed;
	const char *codes;
} edits[] = {
	{ "results/T-01/verdict.json", "\"pass\"", "\"fail\"", false,
	  "digest_differs verdict_differs" },
	{ "results/T-01/verdict.json", "\"pass\"", "\"fail\"", true, "verdict_differs" },
	{ "results/T-01/verdict.json", "all checks", "nearly all checks", true, "verdict_differs" },
	{ "results/T-01/verdict.json", "\"contended\":true", "\"contended\":false", true,
	  "verdict_differs" },
	{ "results/T-01/verdict.json", "\"runs\":1", "\"runs\":2", true, "verdict_differs" },
	{ "results/T-01/verdict.json", "\"agreeing\":1", "\"agreeing\":2", true,
	  "verdict_differs" },
	{ "results/T-01/verdict.json", "\"met\"", "\"late\"", true, "verdict_differs" },
	{ "results/T-01/verdict.json", "\"scenario\":", "\"scenario\": ", true,
	  "verdict_differs" },
	{ "results/T-01/verdict.json", "\"T-01\"", "\"T-02\"", true, "verdict_differs" },
	{ "results/T-01/verdict.json", "{", "", true, "verdict_differs" },
	{ "results/T-01/observations.ndjson", "\"state\":\"running\"", "\"state\":\"pending\"",
	  true, "verdict_differs" },
	{ "results/T-01/observations.ndjson", "{", "", true,
	  "trial_invalid verdict_differs manifest_invalid" },
	{ "results/T-01/observations.ndjson", "\"run\":1", "\"run\":0", true,
	  "trial_invalid verdict_differs manifest_invalid" },
	{ "results/T-01/stderr", "a log", "no log", false, "digest_differs" },
	{ "scenarios/T-01.json", "\"within_seconds\":2", "\"within_seconds\":3", true,
	  "plan_differs verdict_differs" },
	{ "scenarios/T-01.json", "\"T-01\"", "\"T-02\"", true,
	  "scenario_invalid manifest_invalid" },
	{ "scenarios/T-01.json", "\"check\":\"are\"", "\"check\":\"arre\"", true,
	  "scenario_invalid manifest_invalid" },
	{ "plan.json", "\"must\"", "\"should\"", true, "plan_differs" },
	{ "plan.json", "\"title\":\"t\"", "\"title\":\"u\"", false, "digest_differs plan_differs" },
	{ "manifest.json", "\"system\"", "\"model\"", false, "manifest_invalid" },
	{ "manifest.json", "\"system\"", "\"model\"", true, "manifest_invalid" },
	{ "manifest.json", "\"toy\"", "\"slurm\"", true, "manifest_invalid" },
	{ "manifest.json", "\"Anna\"", "\"Bert\"", false, "manifest_invalid" },
	{ "manifest.json", "\"seed\":7", "\"seed\": 7", false, "manifest_invalid" },
	{ "manifest.json", "\"seed\":7", "\"seed\":7,\"seed\":7", false, "manifest_invalid" },
	{ "manifest.json", "gpuaas.validation-bundle/1", "gpuaas.validation-bundle/2", false,
	  "manifest_invalid" },
};

static void edit_all(const char *path)
{
	size_t i;

	for (i = 0; i < sizeof(edits) / sizeof(*edits); i++) {
		ga_autopack struct ga_pack pack = { 0 };
		struct ga_err err = GA_ERR_INIT;
		bool exact;

		t_int(ga_pack_read(path, &pack, &exact, &err), 0, "it is read: %s", err.msg);
		edit(&pack, edits[i].file, edits[i].from, edits[i].to);
		if (edits[i].sealed)
			seal(&pack);
		t_str(check_pack(&pack, true, NULL).codes, edits[i].codes, "%s: %s: %s%s",
		      edits[i].file, edits[i].from, edits[i].to,
		      edits[i].sealed ? ", sealed" : "");
	}
}

static void other_files(const char *path)
{
	ga_autopack struct ga_pack pack = { 0 };
	struct ga_err err = GA_ERR_INIT;
	bool exact;

	t_int(ga_pack_read(path, &pack, &exact, &err), 0, "it is read: %s", err.msg);
	ga_pack_add(&pack, "results/T-01/raw/x", "x", 1);
	ga_pack_sort(&pack);
	t_str(check_pack(&pack, true, NULL).codes, "file_unlisted", "a file more");
	ga_pack_add(&pack, "results/T-02/verdict.json", "x", 1);
	ga_pack_sort(&pack);
	t_str(check_pack(&pack, true, NULL).codes, "file_unlisted scenario_invalid",
	      "results without a scenario");
	ga_pack_release(&pack);

	t_int(ga_pack_read(path, &pack, &exact, &err), 0, "it is read: %s", err.msg);
	free(pack.files.v[0].name); /* deployment.md */
	ga_str_release(&pack.files.v[0].data);
	memmove(&pack.files.v[0], &pack.files.v[1], --pack.files.n * sizeof(*pack.files.v));
	t_str(check_pack(&pack, true, NULL).codes, "file_missing", "a file less");
	pack.seconds++;
	t_str(check_pack(&pack, true, NULL).codes, "archive_differs file_missing", "another time");
}

/* ---- signatures and reviews ---- */

static void reviews(const char *path, const struct ga_sign_key *key)
{
	char by[] = "Anna Lee", digest[] = "sha256:"
		"0000000000000000000000000000000000000000000000000000000000000000";
	char at[] = "2026-11-20T18:24:00.123456Z", verdict[] = "agree", why[] = "seen";
	char nobody[] = "王";
	struct ga_bundle_review review = { digest, NULL, by, at, verdict, why };
	ga_autopack struct ga_pack pack = { 0 };
	ga_autojson json_t *manifest = NULL;
	struct ga_err err = GA_ERR_INIT;
	bool exact;

	t_int(ga_pack_read(path, &pack, &exact, &err), 0, "it is read: %s", err.msg);
	t_str(check_pack(&pack, true, ga_sign_public(key)).codes, "", "signed with the key");
	t_str(check_pack(&pack, true, digest).codes, "signer_differs", "with another one");
	manifest = json_loads(file_in(&pack, "manifest.json")->data.buf, 0, NULL);
	review.bundle_digest = (char *)(uintptr_t)json_string_value(json_object_get(manifest,
										    "digest"));
	t_int(ga_verify_add_review(&pack, &review, key, &err), 0, "a review: %s", err.msg);
	ga_pack_sort(&pack);
	t_str(check_pack(&pack, true, NULL).codes, "", "a review breaks nothing");
	t_code(ga_verify_add_review(&pack, &review, key, &err), &err, GA_CONFLICT, "already",
	       "a second one by the same person");
	review.by = nobody;
	t_code(ga_verify_add_review(&pack, &review, key, &err), &err, GA_USAGE, "no letter",
	       "a name without a letter");
	edit(&pack, "reviews/anna-lee.json", "\"agree\"", "\"contest\"");
	t_str(check_pack(&pack, true, NULL).codes, "review_invalid", "an edited review");
	edit(&pack, "manifest.json", "\"Anna\"", "\"Bert\"");
	seal(&pack);
	t_str(check_pack(&pack, true, NULL).codes, "signature_wrong review_invalid",
	      "another manifest");
	ga_pack_release(&pack);

	t_int(ga_pack_read(path, &pack, &exact, &err), 0, "it is read: %s", err.msg);
	review.by = by;
	review.bundle_digest = digest;
	t_int(ga_verify_add_review(&pack, &review, key, &err), 0, "a review: %s", err.msg);
	ga_pack_sort(&pack);
	t_str(check_pack(&pack, true, NULL).codes, "review_invalid", "a review of another bundle");
}

/* ---- bounds ---- */

static void large_protocol(void)
{
	ga_autofree char *path = file_of("large"), *raw = file_of("late");
	ga_autopack struct ga_pack pack = { 0 };
	struct ga_err err = GA_ERR_INIT;
	const struct ga_pack_file *protocol;
	bool exact;

	make(path, NULL, true);
	t_int(ga_pack_read(path, &pack, &exact, &err), 0, "it is read: %s", err.msg);
	protocol = ga_pack_find(&pack, "results/T-01/protocol.ndjson");
	t_ok(protocol && protocol->data.len <= GA_EVIDENCE_PROTOCOL_BYTES &&
		     protocol->data.len > GA_EVIDENCE_PROTOCOL_BYTES - 2048,
	     "the protocol has its bound");
	t_ok(strstr(file_in(&pack, "friction.md")->data.buf, "T-01: the protocol is cut at 8 MiB"),
	     "friction.md has the cut");
	t_ok(ga_pack_find(&pack, "results/T-01/raw/late") != NULL,
	     "raw files behind the cut are there");
	t_str(check_pack(&pack, exact, NULL).codes, "", "it has no findings");
	unlink(path);
	unlink(raw);
}

/* ---- names ---- */

static void names(void)
{
	static const char *const right[] = { "a", "a/b.json", "a..b", ".a", "results/A-1/x_y+z" };
	static const char *const wrong[] = { "", "/a", "a/", "a//b", ".", "..", "a/..", "../a",
					     "a/./b", "a b", "a\\b", "a\nb", "ä", "a:b" };
	char big[GA_PACK_NAME_MAX + 2];
	size_t i;

	for (i = 0; i < sizeof(right) / sizeof(*right); i++)
		t_ok(ga_pack_name_is_valid(right[i]), "'%s' is a name", right[i]);
	for (i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		t_ok(!ga_pack_name_is_valid(wrong[i]), "wrong name %zu", i);
	memset(big, 'x', sizeof(big));
	big[sizeof(big) - 1] = '\0';
	t_ok(!ga_pack_name_is_valid(big), "one that is too long is none");
}

int main(void)
{
	ga_autofree char *plain = NULL, *sealed = NULL, *changed = NULL;
	ga_autosign struct ga_sign_key *key = NULL;
	ga_autostr struct ga_str pem = GA_STR_INIT;
	ga_autopack struct ga_pack pack = { 0 };
	struct ga_err err = GA_ERR_INIT;
	bool exact;

	t_ok(mkdtemp(folder) != NULL, "a folder");
	plain = file_of("plain");
	sealed = file_of("signed");
	changed = file_of("changed");
	t_int(ga_sign_make(&pem, &err) < 0 || ga_sign_open(pem.buf, &key, &err) < 0, 0, "a key");
	names();
	make(plain, NULL, false);
	make(sealed, key, false);
	t_int(ga_pack_read(plain, &pack, &exact, &err), 0, "it is read: %s", err.msg);
	t_code(ga_pack_write(&pack, sealed, &err), &err, GA_CONFLICT, "exists",
	       "no file is replaced");
	t_str(check_pack(&pack, true, ga_sign_public(key)).codes, "signature_missing",
	      "one without signature");
	flip_all(sealed);
	flip_file(sealed);
	edit_all(plain);
	other_files(plain);
	reviews(sealed, key);
	large_protocol();
	unlink(plain);
	unlink(sealed);
	unlink(changed);
	t_int(rmdir(folder), 0, "nothing is left");
	return t_done();
}
