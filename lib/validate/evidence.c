/* SPDX-License-Identifier: Apache-2.0 */
#include "validate/evidence.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/openat2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/file.h"
#include "record/digest.h"
#include "record/rec.h"
#include "validate/bundle.h"
#include "validate/redact.h"

#define LOG "stderr" /* standard error of the adapter */

/* The pages of a bundle. */
enum { DEPLOYMENT, GAPS, RISKS, FRICTION, PAGES };
static const char *const page_names[] = { "deployment.md", "gaps.md", "risks.md", "friction.md" };
static const char *const page_begins[] = {
	"# Deployment\n\n", "# Gaps\n\n", "# Risks\n\n", "# Friction\n\n",
};

struct ga_evidence {
	struct ga_pack pack;
	struct ga_test_plan plan;
	struct ga_validation_bundle manifest;
	struct ga_trial_hello hello; /* the first one */
	bool has_hello;
	struct ga_str pages[PAGES], attached[PAGES];
	struct ga_texts settings; /* lines of deployment.md that are there */
	struct ga_texts ran;	  /* ids */
	json_t *workarounds;
	int protocol;
	const char *folder;
};

struct ga_evidence *ga_evidence_new(const struct ga_test_plan *plan, const char *executed_by,
				    int64_t seed)
{
	struct ga_evidence *e = ga_xcalloc(1, sizeof(*e));
	size_t i;

	e->protocol = -1;
	e->workarounds = json_object();
	ga_schema_copy(&ga_test_plan_schema, plan, &e->plan);
	ga_schema_init(&ga_validation_bundle_schema, &e->manifest);
	e->manifest.suite_version = ga_xstrdup(GA_VERSION);
	e->manifest.plan_digest = ga_xstrdup(plan->digest);
	e->manifest.started_at = ga_time_now();
	e->manifest.executed_by = ga_strdup0(executed_by);
	e->manifest.seed = seed;
	for (i = 0; i < PAGES; i++) {
		e->pages[i] = e->attached[i] = (struct ga_str)GA_STR_INIT;
		ga_str_add(&e->pages[i], page_begins[i]);
	}
	return e;
}

void ga_evidence_free(struct ga_evidence *evidence)
{
	size_t i;

	if (!evidence)
		return;
	ga_pack_release(&evidence->pack);
	ga_schema_release(&ga_test_plan_schema, &evidence->plan);
	ga_schema_release(&ga_validation_bundle_schema, &evidence->manifest);
	ga_schema_release(&ga_trial_hello_schema, &evidence->hello);
	for (i = 0; i < PAGES; i++) {
		ga_str_release(&evidence->pages[i]);
		ga_str_release(&evidence->attached[i]);
	}
	ga_texts_release(&evidence->settings);
	ga_texts_release(&evidence->ran);
	json_decref(evidence->workarounds);
	ga_cleanup_fd(&evidence->protocol);
	free(evidence);
}

int ga_evidence_protocol(struct ga_evidence *evidence, const char *folder)
{
	ga_cleanup_fd(&evidence->protocol);
	evidence->protocol = memfd_create("gpuaas-validate", MFD_CLOEXEC);
	evidence->folder = folder;
	return evidence->protocol;
}

int ga_evidence_clean(struct ga_trial *trial, struct ga_err *err)
{
	size_t i;

	for (i = 0; i < trial->seen.n; i++) {
		struct ga_trial_seen *seen = &trial->seen.v[i];
		ga_autojson json_t *json = ga_schema_format(&ga_trial_seen_schema, seen);

		/* The judge reads the same as readers of the bundle. */
		ga_redact_json(&json);
		ga_schema_release(&ga_trial_seen_schema, seen);
		if (ga_schema_parse(&ga_trial_seen_schema, json, seen, err) < 0)
			return ga_wrap(err, "an observation cannot be kept");
	}
	return 0;
}

/* ---- pages ---- */

/* A line of a list. Texts of adapters stay in their line. */
static void add_item(struct ga_str *page, const char *fmt, ...) GA_PRINTF(2, 3);
static void add_item(struct ga_str *page, const char *fmt, ...)
{
	ga_autofree char *line = NULL;
	va_list ap;

	va_start(ap, fmt);
	line = ga_xvprintf(fmt, ap);
	va_end(ap);
	ga_redact("- ", 2, page);
	ga_redact(ga_printable(line), strlen(line), page);
	ga_str_addc(page, '\n');
}

/* Lines of deployment.md, each once. */
static void add_settings(struct ga_evidence *e, const char *what, const struct ga_texts *texts)
{
	size_t i;

	for (i = 0; i < texts->n; i++) {
		ga_autofree char *line = ga_xprintf("%s: %s", what, texts->v[i]);

		if (ga_texts_has(&e->settings, line))
			continue;
		ga_texts_add(&e->settings, line);
	}
}

static void add_pages(struct ga_evidence *e, const struct ga_scenario *s,
		      const struct ga_trial *trial, const struct ga_verdict *verdict)
{
	size_t i;

	for (i = 0; i < trial->seen.n; i++) {
		const struct ga_trial_seen *seen = &trial->seen.v[i];

		if (seen->hello && !e->has_hello) {
			ga_schema_copy(&ga_trial_hello_schema, seen->hello, &e->hello);
			e->has_hello = true;
		}
		if (!strcmp(seen->what, "trouble") && strcmp(seen->error->code, "unsupported") &&
		    strcmp(seen->error->code, "refused"))
			add_item(&e->pages[FRICTION], "%s: %s: %s: %s", s->id, seen->verb,
				 seen->error->code, seen->error->sentence);
		if (!strcmp(seen->what, "trouble") && !strcmp(seen->error->code, "unsupported"))
			add_item(&e->pages[GAPS], "%s: %s: %s%s%s", s->id, seen->verb,
				 seen->error->sentence, seen->error->reference ? ", see " : "",
				 seen->error->reference ? seen->error->reference : "");
		add_settings(e, "ignored", &seen->ignored);
		add_settings(e, "no default", &seen->workarounds);
	}
	if (!strcmp(verdict->outcome, "fail"))
		add_item(&e->pages[RISKS], "%s (%s%s), %s: %s", s->id, s->level,
			 s->safety ? ", safety" : "", s->title, verdict->why);
	if (!strcmp(verdict->outcome, "unsupported") || !strcmp(verdict->outcome, "inconclusive"))
		add_item(&e->pages[GAPS], "%s (%s), %s: %s: %s", s->id, s->level, s->title,
			 verdict->outcome, verdict->why);
	if (verdict->workarounds.n) {
		json_t *list = json_array();

		for (i = 0; i < verdict->workarounds.n; i++)
			json_array_append_new(list, json_string(verdict->workarounds.v[i]));
		json_object_set_new(e->workarounds, s->id, list);
	}
}

static void describe(struct ga_evidence *e)
{
	const struct ga_trial_hello *hello = &e->hello;
	struct ga_str *page = &e->pages[DEPLOYMENT];
	size_t i;

	if (!e->has_hello) {
		ga_str_add(page, "The adapter never said what it is.\n");
		return;
	}
	add_item(page, "technology: %s %s (%s)", hello->technology, hello->version,
		 hello->technology_class);
	add_item(page, "clock: %s", hello->clock);
	add_item(page, "time scale: %" PRId64 " %%",
		 hello->time_scale_percent == GA_UNKNOWN ? 100 : hello->time_scale_percent);
	for (i = 0; i < hello->components.n; i++)
		add_item(page, "component: %s %s%s%s", hello->components.v[i].name,
			 hello->components.v[i].version, hello->components.v[i].digest ? " " : "",
			 hello->components.v[i].digest ? hello->components.v[i].digest : "");
	for (i = 0; i < hello->supports.n; i++)
		add_item(page, "supports: %s", hello->supports.v[i]);
	for (i = 0; i < e->settings.n; i++)
		add_item(page, "setting: %s", e->settings.v[i]);
}

static void list_not_run(struct ga_evidence *e)
{
	size_t i;

	for (i = 0; i < e->plan.scenarios.n; i++) {
		const struct ga_planned_scenario *s = &e->plan.scenarios.v[i];

		if (!ga_texts_has(&e->ran, s->id))
			add_item(&e->pages[GAPS], "%s (%s), %s: not run", s->id, s->level,
				 s->title);
	}
}

/* ---- files ---- */

static void add_line(struct ga_evidence *e, const char *name, const struct ga_schema *schema,
		     const void *obj)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	ga_autofree char *line = ga_rec_format_text(schema, obj);

	ga_str_addf(&text, "%s\n", line);
	ga_pack_add(&e->pack, name, text.buf, text.len);
}

static void add_json(struct ga_evidence *e, const char *name, json_t *json)
{
	ga_autostr struct ga_str text = GA_STR_INIT;

	ga_rec_dump(json, &text);
	ga_str_addc(&text, '\n');
	ga_pack_add(&e->pack, name, text.buf, text.len);
}

/* Reads a file below the folder, which the adapter made. Returns NULL, or why it is not taken. */
static const char *read_raw(const char *folder, const char *name, struct ga_str *out)
{
	ga_autofd int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd = -1;
	struct open_how how = {
		.flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	struct ga_err why = GA_ERR_INIT;
	struct stat st;

	if (dir >= 0)
		fd = (int)syscall(SYS_openat2, dir, name, &how, sizeof(how));
	if (fd < 0)
		return errno == ELOOP ? "it is a link" : strerror(errno);
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return "it is no regular file";
	if (st.st_size > GA_EVIDENCE_RAW_BYTES ||
	    ga_file_read_fd(fd, name, GA_EVIDENCE_RAW_BYTES, out, &why) < 0)
		return "it is too large";
	return NULL;
}

/* Adds the raw files that a reply names. */
static void add_raw(struct ga_evidence *e, const char *id, json_t *reply, size_t *taken)
{
	json_t *list = json_object_get(reply, "raw"), *value;
	size_t i;

	json_array_foreach(list, i, value) {
		const char *name = json_string_value(value);
		ga_autostr struct ga_str text = GA_STR_INIT, clean = GA_STR_INIT;
		ga_autofree char *path = NULL;
		const char *why = NULL;

		if (!name)
			continue;
		path = ga_xprintf("results/%s/raw/%s", id,
				  ga_starts(name, "raw/") ? name + strlen("raw/") : name);
		if (!ga_pack_name_is_valid(path) || strlen(name) > 90)
			why = "its name cannot stand in a bundle";
		else if (ga_pack_find(&e->pack, path))
			continue;
		else if (*taken == GA_EVIDENCE_RAW_FILES)
			why = "there are too many";
		else
			why = read_raw(e->folder, name, &text);
		if (why) {
			add_item(&e->pages[FRICTION], "%s: raw file '%.90s' is not here: %s", id,
				 name, why);
			continue;
		}
		++*taken;
		ga_redact(text.buf, text.len, &clean);
		ga_pack_add(&e->pack, path, clean.buf, clean.len);
	}
}

/* Adds the protocol of a scenario, and the raw files that it names. */
static int add_protocol(struct ga_evidence *e, const char *id, struct ga_err *err)
{
	ga_autofree char *path = ga_xprintf("results/%s/protocol.ndjson", id);
	ga_autostr struct ga_str clean = GA_STR_INIT;
	size_t len, taken = 0;
	struct stat st;
	char *text, *line, *end;
	bool cut = false;

	if (fstat(e->protocol, &st) < 0)
		return ga_fail_sys(err, "cannot look at the protocol");
	len = (size_t)st.st_size;
	text = len ? mmap(NULL, len, PROT_READ, MAP_PRIVATE, e->protocol, 0) : NULL;
	if (text == MAP_FAILED)
		return ga_fail_sys(err, "cannot read the protocol");
	for (line = text; line && (end = memchr(line, '\n', len - (size_t)(line - text)));
	     line = end + 1) {
		ga_autojson json_t *json = json_loadb(line, (size_t)(end - line), 0, NULL);

		if (!json)
			continue;
		add_raw(e, id, json_object_get(json, "received"), &taken);
		ga_redact_json(&json);
		cut |= clean.len + (size_t)(end - line) > GA_EVIDENCE_PROTOCOL_BYTES;
		if (cut)
			continue;
		ga_rec_dump(json, &clean);
		ga_str_addc(&clean, '\n');
	}
	if (text)
		munmap(text, len);
	if (cut)
		add_item(&e->pages[FRICTION], "%s: the protocol is cut at %d MiB", id,
			 GA_EVIDENCE_PROTOCOL_BYTES >> 20);
	ga_pack_add(&e->pack, path, clean.buf, clean.len);
	if (ftruncate(e->protocol, 0) < 0 || lseek(e->protocol, 0, SEEK_SET) < 0)
		return ga_fail_sys(err, "cannot empty the protocol");
	return 0;
}

int ga_evidence_scenario(struct ga_evidence *evidence, const struct ga_scenario *scenario,
			 const struct ga_trial *trial, const struct ga_verdict *verdict,
			 const char *said, struct ga_err *err)
{
	ga_autofree char *as_run = ga_xprintf("scenarios/%s.json", scenario->id);
	ga_autofree char *judged = ga_xprintf("results/%s/verdict.json", scenario->id);
	ga_autofree char *seen = ga_xprintf("results/%s/observations.ndjson", scenario->id);
	ga_autofree char *log = ga_xprintf("results/%s/" LOG, scenario->id);
	ga_autostr struct ga_str text = GA_STR_INIT, clean = GA_STR_INIT;
	size_t i;

	if (evidence->protocol < 0)
		return ga_fail(err, GA_SYSTEM, "there is no memory for the protocol");
	ga_texts_add(&evidence->ran, scenario->id);
	add_pages(evidence, scenario, trial, verdict);
	add_line(evidence, as_run, &ga_scenario_schema, scenario);
	add_line(evidence, judged, &ga_verdict_schema, verdict);
	for (i = 0; i < trial->seen.n; i++) {
		ga_autofree char *line = ga_rec_format_text(&ga_trial_seen_schema,
							    &trial->seen.v[i]);

		ga_str_addf(&text, "%s\n", line);
	}
	ga_pack_add(&evidence->pack, seen, text.buf, text.len);
	ga_redact(said, strlen(said), &clean);
	ga_pack_add(&evidence->pack, log, clean.buf, clean.len);
	return add_protocol(evidence, scenario->id, err);
}

int ga_evidence_attach(struct ga_evidence *evidence, const char *path, struct ga_err *err)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	ga_autofree char *as = ga_xprintf("attached/%s", name);
	ga_autostr struct ga_str text = GA_STR_INIT, clean = GA_STR_INIT;
	ga_autofd int fd = -1;
	struct stat st;
	size_t i;

	if (!ga_pack_name_is_valid(as) || strlen(name) > 90)
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("file '%s' cannot stand in a bundle under its name", path),
				 ("rename it: letters, digits and ._+- are allowed"));
	fd = ga_file_open(path, err);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > GA_EVIDENCE_ATTACHED_BYTES)
		return ga_fail(err, GA_USAGE, "'%s' is no regular file of at most %d MiB", path,
			       GA_EVIDENCE_ATTACHED_BYTES >> 20);
	if (ga_file_read_fd(fd, path, GA_EVIDENCE_ATTACHED_BYTES, &text, err) < 0)
		return -1;
	ga_redact(text.buf, text.len, &clean);
	for (i = 0; i < PAGES && strcmp(name, page_names[i]); i++)
		;
	if (ga_pack_find(&evidence->pack, as) || (i < PAGES && evidence->attached[i].len))
		return ga_fail(err, GA_CONFLICT, "a file '%s' is attached twice", name);
	if (i < PAGES)
		ga_str_add_bytes(&evidence->attached[i], clean.buf, clean.len);
	else
		ga_pack_add(&evidence->pack, as, clean.buf, clean.len);
	return 0;
}

void ga_evidence_parameters(struct ga_evidence *evidence, json_t *parameters)
{
	ga_autojson json_t *clean = json_deep_copy(parameters);

	ga_redact_json(&clean);
	add_json(evidence, "parameters.json", clean);
}

/* ---- the end ---- */

static void add_configuration(struct ga_evidence *e)
{
	const char *text = e->hello.configuration;
	ga_autostr struct ga_str clean = GA_STR_INIT;
	char digest[GA_DIGEST_SIZE];

	if (!e->has_hello || !text)
		return;
	ga_redact(text, strlen(text), &clean);
	ga_pack_add(&e->pack, "configuration/applied", clean.buf, clean.len);
	e->manifest.configuration_digest = ga_xstrdup(ga_digest_of(clean.buf, clean.len, digest));
}

static void fill_manifest(struct ga_evidence *e)
{
	struct ga_validation_bundle *m = &e->manifest;
	struct ga_trial_hello *hello = &e->hello;
	int64_t now = ga_clock_micros();
	char text[GA_TIME_SIZE], digest[GA_DIGEST_SIZE];
	size_t i;

	m->ended_at = ga_xstrdup(ga_time_format(now, text));
	e->pack.seconds = now / GA_SECOND;
	if (e->has_hello) {
		m->technology = ga_xstrdup(hello->technology);
		m->version = ga_xstrdup(hello->version);
		m->technology_class = ga_xstrdup(hello->technology_class);
		m->clock = ga_xstrdup(hello->clock);
		m->time_scale_percent = hello->time_scale_percent;
		for (i = 0; i < hello->components.n; i++)
			ga_schema_copy(&ga_trial_component_schema, &hello->components.v[i],
				       ga_list_add(&m->components));
	}
	for (i = 0; i < e->pack.files.n; i++) {
		const struct ga_pack_file *file = &e->pack.files.v[i];

		*ga_list_add(&m->files) = (struct ga_bundle_entry){
			.name = ga_xstrdup(file->name),
			.sha256 = ga_xstrdup(ga_digest_of(file->data.buf, file->data.len, digest)),
			.bytes = (int64_t)file->data.len,
		};
	}
	ga_rec_digest(&ga_validation_bundle_schema, m, "digest", digest);
	m->digest = ga_xstrdup(digest);
}

int ga_evidence_write(struct ga_evidence *evidence, const struct ga_sign_key *key, const char *path,
		      char *digest, struct ga_err *err)
{
	ga_autojson json_t *json = NULL;
	size_t i;

	describe(evidence);
	list_not_run(evidence);
	for (i = 0; i < PAGES; i++) {
		struct ga_str *page = &evidence->pages[i];

		if (evidence->attached[i].len) {
			ga_str_addc(page, '\n');
			ga_str_add_bytes(page, evidence->attached[i].buf,
					 evidence->attached[i].len);
		}
		ga_pack_add(&evidence->pack, page_names[i], page->buf, page->len);
	}
	add_json(evidence, "workarounds.json", evidence->workarounds);
	add_line(evidence, "plan.json", &ga_test_plan_schema, &evidence->plan);
	add_configuration(evidence);
	ga_pack_sort(&evidence->pack);
	fill_manifest(evidence);
	add_line(evidence, "manifest.json", &ga_validation_bundle_schema, &evidence->manifest);
	if (key) {
		json = ga_schema_format(&ga_validation_bundle_schema, &evidence->manifest);
		if (ga_sign_record(key, json, err) < 0)
			return -1;
		add_json(evidence, "signature", json_object_get(json, "signature"));
	}
	memcpy(digest, evidence->manifest.digest, GA_DIGEST_SIZE);
	return ga_pack_write(&evidence->pack, path, err);
}
