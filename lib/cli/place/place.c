/* SPDX-License-Identifier: Apache-2.0 */
/* Placement with the settings of this machine, and the members of a request typed by people. */
#include "cli/place/place.h"

#include <string.h>
#include <unistd.h>

#include "act/image/userdata.h"
#include "base/file.h"
#include "base/str.h"
#include "base/texts.h"
#include "cli/frame/cli.h"
#include "cli/frame/types.h"
#include "decide/setup/remote.h"
#include "look/host/host.h"
#include "record/decimal.h"
#include "record/digest.h"
#include "record/plan.h"
#include "record/rec.h"
#include "state/allocation/move.h"
#include "state/allocation/userdata.h"

#define KEYS_MAX 65536

/* ---- placing ---- */

static int type_means(const struct ga_placer *p, const char *name, struct ga_texts *ret,
		      struct ga_err *err)
{
	if (ga_cli_type_means(p->accels, name, ret, err) < 0)
		return -1;
	if (p->once)
		ga_cli_type_say(name, ret->v, ret->n);
	return 0;
}

int ga_placer_run(struct ga_placer *p, const struct ga_request *requests, size_t n,
		  struct ga_err *err)
{
	size_t i;
	int r;

	p->catalogue = ga_cli_catalogue;
	p->type_means = type_means;
	r = ga_placer_batch(p, requests, n, err);
	for (i = 0; i < p->warnings.n; i++)
		ga_say("%s: %s", ga_cli_program(), p->warnings.v[i]);
	return r;
}

/* The codes of the reasons, each once. */
static char *codes_of(const struct ga_match_reasons *reasons)
{
	struct ga_str s = GA_STR_INIT;
	size_t i, j;

	for (i = 0; i < reasons->n; i++) {
		for (j = 0; !ga_streq(reasons->v[j].code, reasons->v[i].code); j++)
			;
		if (j == i)
			ga_str_addf(&s, "%s%s", i ? "," : "", reasons->v[i].code);
	}
	return ga_str_take(&s);
}

/* For people, the reasons of an app stand as gpuaas-match shows them: the codes in the row, and
 * below it each sentence by itself. */
static int emit_refusal(const struct ga_placed *r, struct ga_err *err)
{
	ga_autofree char *codes = r->reasons.n ? codes_of(&r->reasons) : NULL;
	struct ga_refusal shown = r->refusal; /* borrows every member */
	size_t i;

	if (!codes || !ga_emit_is_table())
		return ga_emit(&ga_refusal_schema, &shown, err);
	shown.sentence = codes;
	shown.hint = NULL;
	shown.alternatives.n = 0;
	if (ga_emit(&ga_refusal_schema, &shown, err) < 0)
		return -1;
	for (i = 0; i < r->reasons.n; i++)
		ga_print_item("%s: %s", shown.profile, r->reasons.v[i].sentence);
	for (i = 0; i < r->refusal.alternatives.n; i++)
		ga_print_item("would fit: %s", r->refusal.alternatives.v[i]);
	if (r->refusal.hint)
		ga_print_item("hint: %s", r->refusal.hint);
	return 0;
}

/* A plan is only a claim: a host makes the VM of it. */
static void say_next(const struct ga_plan *plan, const char *here)
{
	ga_autofree char *command = ga_store_leave(GA_M_ALLOCATION, "placed", plan->shape,
						   plan->allocation);
	ga_autofree char *there = ga_streq(plan->node, here) ||
						  ga_streq(plan->shape, "baremetal") ?
					  NULL : ga_remote_command(command, plan->node);

	ga_cli_next("nothing runs yet: '%s' starts it", there ? there : command);
}

int ga_placer_emit(const struct ga_placer *p, struct ga_err *err)
{
	ga_autofree char *here = ga_host_node_if_known(ga_cli_setting("GPUAAS_NODE", NULL));
	size_t i;

	for (i = 0; i < p->results.n; i++) {
		const struct ga_placed *r = &p->results.v[i];

		if (r->is_plan ? ga_emit_text(&ga_plan_schema, &r->plan, r->text, err) < 0 :
				 emit_refusal(r, err) < 0)
			return -1;
		if (r->is_plan && !r->plan.dry_run)
			say_next(&r->plan, here);
		if (p->explain && ga_emit(&ga_explanation_schema, &r->explanation, err) < 0)
			return -1;
	}
	return 0;
}

/* ---- a request by hand ---- */

void ga_request_complete(struct ga_request *r)
{
	if (!r->project)
		r->project = ga_xstrdup(GA_PROJECT_DEFAULT);
	if (r->priority == GA_UNKNOWN)
		r->priority = GA_PRIORITY_DEFAULT;
}

static bool is_key(const char *text)
{
	return ga_starts(text, "ssh-") || ga_starts(text, "ecdsa-") || ga_starts(text, "sk-");
}

static int add_key(struct ga_request *request, const char *text, size_t len, const char *what,
		   struct ga_err *err)
{
	ga_autofree char *key = ga_xstrndup(text, len);
	size_t i;

	if (!is_key(key) || !strchr(key, ' '))
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("'%.80s' has a line that is no ssh public key", what),
				 ("a public key begins with ssh- or ecdsa-; the file ends in "
				  ".pub"));
	if (len > GA_TEXT_MAX)
		return ga_fail(err, GA_USAGE, "'%.80s': a key is longer than 16 KiB", what);
	for (i = 0; i < len; i++)
		if ((unsigned char)key[i] < ' ')
			return ga_fail(err, GA_USAGE, "'%.80s': a key has a control character",
				       what);
	ga_texts_add(&request->keys, key);
	return 0;
}

int ga_request_add_key(struct ga_request *request, const char *text, struct ga_err *err)
{
	ga_autostr struct ga_str content = GA_STR_INIT;
	const char *p;

	if (is_key(text))
		return add_key(request, text, strlen(text), "--key", err);
	if (ga_file_read(text, KEYS_MAX, &content, err) < 0) {
		(void)ga_wrap(err, "--key");
		return ga_hint(err, "a public key (ssh-ed25519 AAAA...), or a file with them "
			       "(.pub), is expected");
	}
	/* For a private key, the message must not contain a byte of it. */
	if (strstr(content.buf, "PRIVATE KEY"))
		return ga_fail(err, GA_USAGE, "'%.200s' is a private key; name its .pub file",
			       text);
	for (p = content.buf; *p;) {
		size_t len = strcspn(p, "\n"), used = len;

		while (used && (p[used - 1] == '\r' || p[used - 1] == ' '))
			used--;
		if (used && *p != '#' && add_key(request, p, used, text, err) < 0)
			return -1;
		p += len + (p[len] == '\n');
	}
	return 0;
}

/* Stores user-data with mode 0600 below the state's folder, under its digest, and puts the digest
 * into the request. */
static int add_user_data(struct ga_request *request, const char *file, bool dry_run,
			 struct ga_err *err)
{
	ga_autostr struct ga_str content = GA_STR_INIT;
	char digest[GA_DIGEST_SIZE];

	if (ga_file_read(file, GA_USER_DATA_MAX, &content, err) < 0) {
		(void)ga_wrap(err, "--user-data");
		return ga_hint(err, "a file with user-data of cloud-init is expected");
	}
	ga_digest_of(content.buf, content.len, digest);
	request->user_data_digest = ga_xstrdup(digest);
	if (dry_run)
		return 0;
	return ga_store_user_data_put(ga_cli_state_path(), digest, content.buf, content.len, err);
}

static bool is_given(const struct ga_opt *o)
{
	switch (o->type) {
	case GA_O_FLAG:
		return *(const bool *)o->var;
	case GA_O_TEXTS:
		return ((const struct ga_borrowed_texts *)o->var)->n > 0;
	case GA_O_INT:
	case GA_O_SIZE:
	case GA_O_DURATION:
		return *(const int64_t *)o->var != GA_UNKNOWN;
	case GA_O_TEXT:
	case GA_O_PERSON:
	case GA_O_PATH:
	case GA_O_WORD:
		break;
	}
	return *(const char *const *)o->var != NULL;
}

int ga_request_needs_profile(const struct ga_opt *opts, struct ga_err *err)
{
	static const char *const of_all[] = { "expires", "dry-run", "explain" };
	size_t i;

	for (; opts->name; opts++) {
		for (i = 0; i < GA_ARRAY_SIZE(of_all) && strcmp(of_all[i], opts->name) != 0; i++)
			;
		if (i < GA_ARRAY_SIZE(of_all) || !is_given(opts))
			continue;
		return ga_refuse(err, GA_USAGE, NULL, NULL,
				 ("--%s belongs to a request, and without --profile the requests "
				  "come from standard input", opts->name),
				 ("give --profile NAME; 'gpuaas-profile list' shows them"));
	}
	return 0;
}

int ga_request_check(const struct ga_request *request, struct ga_err *err)
{
	ga_autojson json_t *json = ga_schema_format(&ga_request_schema, request);
	struct ga_request unused;

	if (ga_schema_parse(&ga_request_schema, json, &unused, err) < 0) {
		err->code = GA_USAGE;
		return -1;
	}
	ga_schema_release(&ga_request_schema, &unused);
	return 0;
}

int ga_request_of(const struct ga_place_opts *opts, struct ga_request *ret, struct ga_err *err)
{
	size_t i;

	ga_schema_init(&ga_request_schema, ret);
	ret->request_id = ga_strdup0(opts->request_id);
	ret->name = ga_strdup0(opts->name);
	ret->profile = ga_strdup0(opts->profile);
	ret->shape = opts->baremetal ? ga_xstrdup("baremetal") : NULL;
	ret->count = opts->gpus;
	ret->project = ga_strdup0(opts->project);
	ret->priority = opts->priority;
	ret->region = ga_strdup0(opts->region);
	ret->pool = ga_strdup0(opts->pool);
	ret->node = ga_strdup0(opts->node);
	ret->image = ga_strdup0(opts->image);
	ret->app = ga_strdup0(opts->app);
	ret->run_seconds = opts->run_time;
	ret->preemptible = opts->preemptible;
	ga_request_complete(ret);
	if (opts->min_memory &&
	    ga_memory_parse(opts->min_memory, "--min-memory", &ret->min_memory_mib, err) < 0)
		return -1;
	for (i = 0; i < opts->types.n; i++)
		ga_texts_add(&ret->types, opts->types.v[i]);
	for (i = 0; i < opts->keys.n; i++)
		if (ga_request_add_key(ret, opts->keys.v[i], err) < 0)
			return -1;
	if (opts->data && add_user_data(ret, opts->data, opts->dry_run, err) < 0)
		return -1;
	return ga_request_check(ret, err);
}
