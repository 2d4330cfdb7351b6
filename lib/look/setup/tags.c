/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tags: the purpose that the deployer of the machine gave it. MAAS does not pass tags to the
 * machines that it deploys, so they come in one of three ways: a line of /etc/gpuaas/tags (written
 * by the deployment's user-data), a word of the kernel's arguments (a MAAS tag has kernel options
 * of its own), a list "tags" in cloud-init's instance data. Tags show intent, never readiness.
 */
#include <jansson.h>

#include "base/texts.h"
#include "look/host/host.h"
#include "look/setup/look.h"

#define TAG "gpuaas-profile-"

static void take(struct ga_texts *tags, const char *word, size_t len)
{
	static const char *const known[] = { TAG "slice-vm", TAG "baremetal" };
	size_t i, j;

	for (i = 0; i < GA_ARRAY_SIZE(known); i++) {
		if (strlen(known[i]) != len || strncmp(known[i], word, len))
			continue;
		for (j = 0; j < tags->n; j++)
			if (ga_streq(tags->v[j], known[i]))
				return;
		ga_texts_add(tags, known[i]);
	}
}

static void take_words(struct ga_texts *tags, const char *text)
{
	while (*text) {
		size_t n;

		text += strspn(text, " \t\n,");
		n = strcspn(text, " \t\n,");
		take(tags, text, n);
		text += n;
	}
}

/* Lists named "tags", at most a few levels down: each data source nests them its own way. */
static void take_json(struct ga_texts *tags, json_t *json, int depth)
{
	const char *key;
	json_t *value, *tag;
	size_t i;

	if (depth > 4 || !json_is_object(json))
		return;
	json_object_foreach(json, key, value) {
		if (ga_streq(key, "tags"))
			json_array_foreach(value, i, tag)
				if (json_is_string(tag))
					take(tags, json_string_value(tag), json_string_length(tag));
		take_json(tags, value, depth + 1);
	}
}

void ga_setup_tags(const struct ga_root *root, struct ga_texts *tags)
{
	ga_autostr struct ga_str text = GA_STR_INIT, data = GA_STR_INIT;
	ga_autofree char *cmdline = root->image ? NULL : ga_host_cmdline();
	struct ga_err ignored = GA_ERR_INIT;
	json_error_t why;
	struct stat st;
	json_t *json;

	if (ga_root_read(root, "/etc/gpuaas/tags", 65536, &text, &st, &ignored) > 0)
		take_words(tags, text.buf);
	if (cmdline)
		take_words(tags, cmdline);
	if (ga_root_read(root, "/run/cloud-init/instance-data.json", 1 << 20, &data, &st,
			 &ignored) <= 0)
		return;
	json = json_loadb(data.buf, data.len, 0, &why);
	take_json(tags, json_object_get(json, "ds"), 0);
	json_decref(json);
}
