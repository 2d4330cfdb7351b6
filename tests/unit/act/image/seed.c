/* SPDX-License-Identifier: Apache-2.0 */
/* Seeds: the files that cloud-init reads, reproducibility, user-data by digest. */
#include "t.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/image/seed.h"
#include "act/image/userdata.h"
#include "base/file.h"
#include "base/texts.h"
#include "record/plan.h"
#include "record/rec.h"

static char dir[] = "/tmp/ga-seed.XXXXXX";

/* The text of a file of the image, or "" when it is not there. */
static void read_member(const struct ga_str *iso, const char *name, struct ga_str *out)
{
	struct archive *a = archive_read_new();
	struct archive_entry *e;
	char buf[8192];
	la_ssize_t n;

	ga_str_clear(out);
	archive_read_support_format_iso9660(a);
	if (archive_read_open_memory(a, iso->buf, iso->len) == ARCHIVE_OK)
		while (archive_read_next_header(a, &e) == ARCHIVE_OK)
			if (ga_streq(archive_entry_pathname(e), name))
				while ((n = archive_read_data(a, buf, sizeof(buf))) > 0)
					ga_str_add_bytes(out, buf, (size_t)n);
	archive_read_free(a);
}

static void make_plan(struct ga_plan *p)
{
	ga_schema_init(&ga_plan_schema, p);
	p->allocation = ga_xstrdup("a110c000");
	p->attempt = ga_xstrdup("attempt0");
	p->domain = ga_xstrdup("gpuaas-a110c000");
	p->mac = ga_xstrdup("02:00:00:00:00:01");
	/* A key that would end a YAML string or start another member. */
	ga_texts_add(&p->keys, "ssh-ed25519 AAAA \"}\\n'evil: 1");
}

static void texts(const struct ga_str *iso, const struct ga_host_key *key)
{
	ga_autostr struct ga_str text = GA_STR_INIT;
	ga_autojson json_t *json = NULL;
	json_t *keys;
	json_error_t why;

	read_member(iso, "user-data", &text);
	t_ok(ga_starts(text.buf, "#cloud-config\n{"), "user-data is a cloud-config of JSON");
	json = json_loads(strchr(text.buf, '\n'), 0, &why);
	keys = json_object_get(json, "ssh_authorized_keys");
	t_ok(json_array_size(keys) == 1 &&
		     ga_streq(json_string_value(json_array_get(keys, 0)),
			      "ssh-ed25519 AAAA \"}\\n'evil: 1"),
	     "a key stays one string");
	t_ok(ga_streq(json_string_value(json_object_get(json_object_get(json, "ssh_keys"),
						       "ed25519_public")),
		      key->public.buf),
	     "the host key is published");
	t_ok(json_is_false(json_object_get(json, "ssh_pwauth")), "no passwords");
	read_member(iso, "meta-data", &text);
	t_ok(strstr(text.buf, "\"instance-id\":\"gpuaas-a110c000-attempt0\"") != NULL,
	     "instance id");
	read_member(iso, "network-config", &text);
	t_ok(strstr(text.buf, "\"macaddress\":\"02:00:00:00:00:01\"") != NULL, "network by MAC");
	read_member(iso, "vendor-data", &text);
	t_int((int64_t)text.len, 0, "no vendor-data without a tenant's user-data");
}

static void image(void)
{
	ga_autohostkey struct ga_host_key key = GA_HOST_KEY_INIT, same = GA_HOST_KEY_INIT;
	ga_autostr struct ga_str iso = GA_STR_INIT, later = GA_STR_INIT, ud = GA_STR_INIT;
	ga_autostr struct ga_str text = GA_STR_INIT;
	struct ga_err err = GA_ERR_INIT;
	int64_t second;
	struct ga_plan p;
	struct ga_seed s = { .plan = &p, .key = &key };

	make_plan(&p);
	t_int(ga_host_key_get(dir, &key, &err), 0, "a host key is made");
	t_ok(ga_starts(key.fingerprint, "SHA256:"), "with its fingerprint");
	t_int(ga_host_key_get(dir, &same, &err), 0, "and found again");
	t_ok(ga_streq(key.public.buf, same.public.buf), "the same one");
	t_int(ga_seed_iso(&s, &iso, &err), 0, "an image");
	t_ok(iso.len > 40000 && !memcmp(iso.buf + 16 * 2048 + 1, "CD001", 5), "of ISO 9660");
	t_ok(!strncasecmp(iso.buf + 16 * 2048 + 40, "cidata ", 7), "labelled cidata");
	texts(&iso, &key);
	/* In another second, when a time stamp would show. */
	for (second = ga_clock_micros() / GA_SECOND; ga_clock_micros() / GA_SECOND == second;)
		ga_clock_wait(ga_clock_mono_micros() + GA_SECOND, 20000);
	t_int(ga_seed_iso(&s, &later, &err), 0, "again, later");
	t_ok(later.len == iso.len && !memcmp(later.buf, iso.buf, iso.len), "the same bytes");
	ga_str_add(&ud, "#!/bin/sh\nexit 0\n");
	s.user_data = &ud;
	t_int(ga_seed_iso(&s, &later, &err), 0, "with a tenant's user-data");
	read_member(&later, "user-data", &text);
	t_ok(ga_streq(text.buf, ud.buf), "it stands as it came");
	read_member(&later, "vendor-data", &text);
	t_ok(ga_starts(text.buf, "#cloud-config\n{"), "and ours is vendor-data");
	ga_schema_release(&ga_plan_schema, &p);
}

static void user_data(void)
{
	ga_autofree char *path = ga_xprintf("%s/%064d", dir, 0);
	ga_autofree char *digest = ga_xprintf("sha256:%064d", 0);
	ga_autostr struct ga_str out = GA_STR_INIT;
	struct ga_err err = GA_ERR_INIT;

	t_int(ga_user_data_read(dir, digest, &out, &err), -1, "user-data that is not there");
	t_ok(ga_streq(err.reason, "user_data_missing"), "is reported so: %s", err.reason);
	ga_err_clear(&err);
	t_int(ga_file_replace(path, "x", 1, 0600, &err), 0, "a file of that name");
	t_int(ga_user_data_read(dir, digest, &out, &err), -1, "whose bytes are others");
	t_ok(ga_streq(err.reason, "user_data_digest"), "is refused: %s", err.reason);
	unlink(path);
}

int main(void)
{
	ga_autofree char *key = NULL, *pub = NULL;

	if (!mkdtemp(dir))
		return 1;
	image();
	user_data();
	key = ga_xprintf("%s/host_key", dir);
	pub = ga_xprintf("%s/host_key.pub", dir);
	unlink(key);
	unlink(pub);
	rmdir(dir);
	return t_done();
}
