/* SPDX-License-Identifier: Apache-2.0 */
/* The operator's executables for bare metal. */
#include "act/vm/metal.h"

#include "act/device/hooks.h"
#include "base/proc.h"
#include "record/rec.h"

#define HOOK_MICROS (7200 * GA_SECOND) /* a deploy with its reboots */

/* Merges the last line of the output into the answer; an executable that prints nothing adds
 * nothing. */
static int merge_answer(const char *path, const char *out, json_t *into, struct ga_err *err)
{
	ga_autojson json_t *json = NULL;
	json_error_t why;
	size_t n = strlen(out), from;

	while (n && out[n - 1] == '\n')
		n--;
	for (from = n; from && out[from - 1] != '\n'; from--)
		;
	if (!n)
		return 0;
	json = json_loadb(out + from, n - from, JSON_REJECT_DUPLICATES, &why);
	if (json_is_object(json))
		return json_object_update(into, json);
	return ga_fail_for(err, GA_EXTERNAL, "hook_answer",
			   "the last line of what '%s' prints is no JSON object: '%.*s'", path,
			   n - from < 60 ? (int)(n - from) : 60, out + from);
}

/* The executables of the stage: at least one, and all are safe to run. The caller releases ret,
 * also after an error. */
static int need_hooks(const char *dir, const char *stage, struct ga_hooks *ret, struct ga_err *err)
{
	ga_autofree char *folder = ga_xprintf("%s/%s", dir, stage);

	if (ga_hooks_find(folder, ret, err) < 0)
		return -1;
	for (size_t i = 0; i < ret->n; i++) {
		const struct ga_hook *h = &ret->v[i];

		if (!h->refused)
			continue;
		(void)ga_fail_for(err, GA_DENIED, "hook_unsafe", "'%s' is not run: %s", h->path,
				  h->refused);
		return h->is_link ? -1 : ga_hint(err, "chown root '%s' && chmod go-w '%s'", h->path,
						 h->path);
	}
	if (ret->n)
		return 0;
	return ga_refuse(err, GA_HOST, "no_hooks", NULL,
			 ("there is no executable in '%s'%s%s", folder,
			  ret->ignored.len ? "; ignored: " : "",
			  ret->ignored.len ? ret->ignored.buf : ""),
			 ("bare metal is deployed and released by the operator's own "
			  "executables, see gpuaas-provision(1)"));
}

int ga_metal_check(const char *dir, const char *stage, struct ga_err *err)
{
	ga_autohooks struct ga_hooks hooks = { 0 };

	return need_hooks(dir, stage, &hooks, err);
}

int ga_metal_run(const char *dir, const char *stage, const char *order, json_t **ret,
		 struct ga_err *err)
{
	ga_autohooks struct ga_hooks hooks = { 0 };
	ga_autojson json_t *answer = json_object();

	if (need_hooks(dir, stage, &hooks, err) < 0)
		return -1;
	for (size_t i = 0; i < hooks.n; i++) {
		const char *argv[] = { hooks.v[i].path, NULL };
		const struct ga_proc p = { .argv = argv, .input = order, .input_len = strlen(order),
					   .timeout_micros = HOOK_MICROS };
		ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

		if (ga_proc_check(&p, &out, err) < 0)
			return ga_err_about(err, "hook_failed", NULL);
		if (merge_answer(hooks.v[i].path, out.out.buf, answer, err) < 0)
			return -1;
	}
	*ret = GA_TAKE(answer);
	return 0;
}

int ga_metal_check_tenant(const char *dir, const char *node, const char *allocation,
			  struct ga_err *err)
{
	ga_autojson json_t *question = json_pack("{s:s, s:s}", "node", node, "allocation",
						 allocation);
	ga_autojson json_t *answer = NULL;
	ga_autostr struct ga_str text = GA_STR_INIT;
	const char *has;

	if (ga_metal_check(dir, "status", err) < 0) {
		if (!ga_streq(err->reason, "no_hooks"))
			return -1;
		ga_err_clear(err);
		return 0;
	}
	ga_rec_dump(question, &text);
	if (ga_metal_run(dir, "status", text.buf, &answer, err) < 0)
		return -1;
	has = json_string_value(json_object_get(answer, "allocation"));
	if (!has || !*has || ga_streq(has, allocation))
		return 0;
	return ga_refuse(err, GA_CONFLICT, "sold_once", allocation,
			 ("node '%s' belongs to allocation '%s' now, as the executables in "
			  "'%s/status' say: nothing was done for '%s'", node, has, dir, allocation),
			 ("the machine of the state shows who has it: gpuaas-list allocations "
			  "--where node=%s", node));
}
