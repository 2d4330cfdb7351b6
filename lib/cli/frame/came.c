/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The records that came in the streams of this program, so that one that had nothing to do says so.
 * Beside stream.c, because every program ends with it, also those that read no records.
 */
#include <inttypes.h>
#include <string.h>

#include "base/vec.h"
#include "cli/frame/cli.h"
#include "cli/frame/emit.h"
#include "record/request.h"
#include "record/result.h"

/* Kinds beyond these are counted together: a stream may have any number of unknown ones. */
#define KINDS_MAX 8

/* The records of all streams of this program so far. */
static struct {
	struct {
		char name[40]; /* "wipe order" */
		uint64_t n;
	} passed[KINDS_MAX];
	size_t n_passed;
	uint64_t others;
	GA_LIST(const struct ga_schema *) wanted;
	const char *from; /* the file, or NULL for standard input */
	bool began, taken;
	bool explained; /* a refusal or failure came: it says why there was nothing to do */
} came;

/* "wipe order" of gpuaas.wipe-order/1 */
static void words_of(const char *kind, char *ret, size_t size)
{
	const char *p = ga_starts(kind, "gpuaas.") ? kind + strlen("gpuaas.") : kind;
	size_t n = strcspn(p, "/"), i;

	n = n < size ? n : size - 1;
	for (i = 0; i < n; i++)
		ret[i] = p[i] == '-' ? ' ' : p[i];
	ret[n] = '\0';
}

void ga_cli_stream_began(const char *name, const struct ga_schema *const *kinds)
{
	came.began = true;
	came.from = strcmp(name, "-") && strcmp(name, "standard input") ? name : NULL;
	ga_list_release(&came.wanted);
	for (; *kinds; kinds++)
		*ga_list_add(&came.wanted) = *kinds;
}

void ga_cli_stream_forget(void)
{
	came.began = false;
}

void ga_cli_stream_took(void)
{
	came.taken = true;
}

void ga_cli_stream_passed(const struct ga_rec *rec)
{
	char name[sizeof(came.passed[0].name)];
	size_t i;

	came.explained = came.explained || ga_rec_is(rec, &ga_refusal_schema) ||
			 ga_rec_is(rec, &ga_failure_schema);
	if (came.taken)
		return;
	words_of(json_string_value(json_object_get(rec->json, "kind")), name, sizeof(name));
	for (i = 0; i < came.n_passed && strcmp(came.passed[i].name, name); i++)
		;
	if (i == KINDS_MAX) {
		came.others++;
		return;
	}
	if (i == came.n_passed) {
		memcpy(came.passed[i].name, name, sizeof(name));
		came.n_passed++;
	}
	came.passed[i].n++;
}

static const char *s_of(uint64_t n)
{
	return n == 1 ? "" : "s";
}

void ga_cli_stream_say(void)
{
	ga_autostr struct ga_str passed = GA_STR_INIT, wanted = GA_STR_INIT;
	size_t i, n = came.wanted.n;

	if (!came.began || came.taken || came.explained)
		return;
	for (i = 0; i < came.n_passed; i++)
		ga_str_addf(&passed, "%s%" PRIu64 " %s record%s", i ? ", " : "", came.passed[i].n,
			    came.passed[i].name, s_of(came.passed[i].n));
	if (came.others)
		ga_str_addf(&passed, ", %" PRIu64 " other%s", came.others, s_of(came.others));
	for (i = 0; i < n; i++) {
		char name[sizeof(came.passed[0].name)];

		words_of(came.wanted.v[i]->kind, name, sizeof(name));
		ga_str_addf(&wanted, "%s%s", !i ? "" : i + 1 < n ? ", " : " or ", name);
	}
	if (passed.len)
		ga_say("%s: %s passed on; no %s came: nothing was done", ga_cli_program(),
		       passed.buf, wanted.buf);
	else
		ga_say("%s: no record came%s%s%s: nothing was done", ga_cli_program(),
		       came.from ? " from '" : "", came.from ? came.from : "",
		       came.from ? "'" : "");
}
