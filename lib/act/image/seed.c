/* SPDX-License-Identifier: Apache-2.0 */
/* NoCloud seeds: texts by jansson, the image by libarchive. */
#include "act/image/seed.h"

#include <archive.h>
#include <archive_entry.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/proc.h"
#include "record/plan.h"
#include "record/rec.h"

/* ---- the host key ---- */

void ga_host_key_release(struct ga_host_key *k)
{
	if (k->private.len)
		explicit_bzero(k->private.buf, k->private.len);
	ga_str_release(&k->private);
	ga_str_release(&k->public);
	free(k->fingerprint);
	k->fingerprint = NULL;
}

/* "256 SHA256:… comment (ED25519)" of ssh-keygen -l: the second word. */
static int read_fingerprint(const char *file, char **ret, struct ga_err *err)
{
	const char *argv[] = { "ssh-keygen", "-l", "-f", file, NULL };
	const struct ga_proc p = { .argv = argv };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;
	const char *word;

	if (ga_proc_check(&p, &out, err) < 0)
		return -1;
	word = strchr(out.out.buf, ' ');
	if (!word || !ga_starts(word + 1, "SHA256:"))
		return ga_fail(err, GA_EXTERNAL, "ssh-keygen printed no fingerprint of '%s'", file);
	*ret = ga_xstrndup(word + 1, strcspn(word + 1, " \n"));
	return 0;
}

int ga_host_key_get(const char *dir, struct ga_host_key *ret, struct ga_err *err)
{
	ga_autofree char *file = ga_xprintf("%s/host_key", dir);
	ga_autofree char *public = ga_xprintf("%s.pub", file);
	const char *argv[] = { "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", file,
			       NULL };
	const struct ga_proc p = { .argv = argv, .timeout_micros = 120 * GA_SECOND };
	ga_autoproc struct ga_proc_result out = GA_PROC_RESULT_INIT;

	*ret = (struct ga_host_key)GA_HOST_KEY_INIT;
	if (access(public, R_OK) < 0) {
		unlink(file); /* one key of a pair, from a run that was killed: ssh-keygen would ask
				 a question */
		if (ga_proc_check(&p, &out, err) < 0)
			return ga_wrap(err, "cannot make a host key");
	}
	if (ga_file_read(file, 65536, &ret->private, err) < 0 ||
	    ga_file_read(public, 65536, &ret->public, err) < 0 ||
	    read_fingerprint(file, &ret->fingerprint, err) < 0) {
		ga_host_key_release(ret);
		return -1;
	}
	while (ret->public.len && ret->public.buf[ret->public.len - 1] == '\n')
		ret->public.buf[--ret->public.len] = '\0';
	return 0;
}

/* ---- the texts ---- */

static json_t *text_of(const char *s)
{
	json_t *json = json_string(s);

	return json ? json : json_string("");
}

void ga_seed_config(const struct ga_seed *s, struct ga_str *out)
{
	ga_autojson json_t *root = json_object();
	json_t *keys = json_array(), *host = json_object();
	size_t i;

	for (i = 0; i < s->plan->keys.n; i++)
		json_array_append_new(keys, text_of(s->plan->keys.v[i]));
	json_object_set_new(host, "ed25519_private", text_of(s->key->private.buf));
	json_object_set_new(host, "ed25519_public", text_of(s->key->public.buf));
	json_object_set_new(root, "ssh_authorized_keys", keys);
	json_object_set_new(root, "ssh_keys", host);
	json_object_set_new(root, "ssh_deletekeys", json_true());
	json_object_set_new(root, "ssh_pwauth", json_false());
	json_object_set_new(root, "disable_root", json_true());
	/* The serial probe waits for this line, and a person looks for it on the console. */
	json_object_set_new(root, "final_message", json_string("gpuaas-ready $UPTIME"));
	ga_str_clear(out);
	ga_str_add(out, "#cloud-config\n");
	ga_rec_dump(root, out);
	ga_str_addc(out, '\n');
}

void ga_seed_meta_data(const struct ga_seed *s, struct ga_str *out)
{
	ga_autojson json_t *root = json_object();
	ga_autofree char *id = ga_xprintf("gpuaas-%s-%s", s->plan->allocation, s->plan->attempt);

	json_object_set_new(root, "instance-id", json_string(id));
	json_object_set_new(root, "local-hostname",
			    text_of(s->plan->name ? s->plan->name : s->plan->domain));
	ga_str_clear(out);
	ga_rec_dump(root, out);
	ga_str_addc(out, '\n');
}

void ga_seed_network(const struct ga_seed *s, struct ga_str *out)
{
	ga_autojson json_t *root = json_object();
	json_t *ethernets = json_object(), *card = json_object(), *match = json_object();

	if (s->plan->mac) {
		json_object_set_new(match, "macaddress", json_string(s->plan->mac));
		json_object_set_new(card, "match", match);
		json_object_set_new(card, "dhcp4", json_true());
		json_object_set_new(ethernets, "management", card);
	} else {
		json_decref(card);
		json_decref(match);
	}
	json_object_set_new(root, "version", json_integer(2));
	json_object_set_new(root, "ethernets", ethernets);
	ga_str_clear(out);
	ga_rec_dump(root, out);
	ga_str_addc(out, '\n');
}

/* ---- the image ---- */

static la_ssize_t add_bytes(struct archive *a, void *out, const void *data, size_t n)
{
	(void)a;
	ga_str_add_bytes(out, data, n);
	return (la_ssize_t)n;
}

static bool add_file(struct archive *a, const char *name, const struct ga_str *text)
{
	struct archive_entry *e = archive_entry_new();
	bool ok;

	archive_entry_set_pathname(e, name);
	archive_entry_set_filetype(e, AE_IFREG);
	archive_entry_set_perm(e, 0600);
	archive_entry_set_size(e, (la_int64_t)text->len);
	archive_entry_set_mtime(e, 0, 0);
	archive_entry_set_atime(e, 0, 0);
	archive_entry_set_ctime(e, 0, 0);
	archive_entry_set_birthtime(e, 0, 0);
	ok = archive_write_header(a, e) == ARCHIVE_OK &&
	     archive_write_data(a, text->buf, text->len) == (la_ssize_t)text->len;
	archive_entry_free(e);
	return ok;
}

/* Replaces the short dates (ECMA-119 9.1.5: six bytes and the zone) of one second. */
static void forget_second(char *p, size_t len, time_t second)
{
	static const char epoch[7] = { 80, 1, 1, 0, 0, 0, 0 };
	struct tm tm;
	char date[6];
	size_t i;

	if (!localtime_r(&second, &tm))
		return;
	date[0] = (char)tm.tm_year;
	date[1] = (char)(tm.tm_mon + 1);
	date[2] = (char)tm.tm_mday;
	date[3] = (char)tm.tm_hour;
	date[4] = (char)tm.tm_min;
	date[5] = (char)tm.tm_sec;
	for (i = 0; i + sizeof(epoch) <= len; i++)
		if (!memcmp(p + i, date, sizeof(date)))
			memcpy(p + i, epoch, sizeof(epoch));
}

/* libarchive writes the present time into the volume descriptors (ECMA-119 8.4.26 to 8.4.29: "not
 * specified" instead), into a line about itself, and into the records of the root folder. The bytes
 * from end on are the files' contents and stay as they are. */
static void forget_times(struct ga_str *iso, size_t end, time_t from, time_t to)
{
	static const size_t dates = 813, dates_len = 4 * 17, sector = 2048;
	size_t at, i;

	for (at = 16 * sector; at + sector <= end; at += sector) {
		unsigned char type = (unsigned char)iso->buf[at];

		if (!memcmp(iso->buf + at, "INFO ", 5))
			memset(iso->buf + at + 5, ' ', 24);
		if (memcmp(iso->buf + at + 1, "CD001", 5) != 0 || (type != 1 && type != 2))
			continue;
		for (i = 0; i < dates_len; i++)
			iso->buf[at + dates + i] = i % 17 == 16 ? '\0' : '0';
	}
	for (; from <= to; from++)
		forget_second(iso->buf + 16 * sector, end - 16 * sector, from);
}

/* The offset of the first byte that belongs to a file. */
static size_t content_start(const struct ga_str *iso, const struct ga_str *const *texts)
{
	size_t end = iso->len;

	for (; *texts; texts++) {
		const char *at = (*texts)->len ? memmem(iso->buf, iso->len, (*texts)->buf,
							(*texts)->len) :
						 NULL;

		if (at && (size_t)(at - iso->buf) < end)
			end = (size_t)(at - iso->buf);
	}
	return end;
}

static bool write_iso(struct archive *a, const struct ga_seed *s, struct ga_str *out)
{
	ga_autostr struct ga_str config = GA_STR_INIT, meta = GA_STR_INIT, network = GA_STR_INIT;
	const struct ga_str *const texts[] = { &meta, &network, &config, s->user_data, NULL };
	time_t began = time(NULL);
	bool ok;

	ga_seed_config(s, &config);
	ga_seed_meta_data(s, &meta);
	ga_seed_network(s, &network);
	ok = archive_write_set_format_iso9660(a) == ARCHIVE_OK &&
	     archive_write_set_options(a, "iso9660:volume-id=cidata,iso9660:!pad") == ARCHIVE_OK &&
	     archive_write_set_bytes_per_block(a, 0) == ARCHIVE_OK &&
	     archive_write_open(a, out, NULL, add_bytes, NULL) == ARCHIVE_OK &&
	     add_file(a, "meta-data", &meta) && add_file(a, "network-config", &network) &&
	     add_file(a, "user-data", s->user_data ? s->user_data : &config) &&
	     (!s->user_data || add_file(a, "vendor-data", &config)) &&
	     archive_write_close(a) == ARCHIVE_OK;
	if (ok)
		forget_times(out, content_start(out, texts), began, time(NULL));
	explicit_bzero(config.buf, config.len);
	return ok;
}

int ga_seed_iso(const struct ga_seed *s, struct ga_str *out, struct ga_err *err)
{
	struct archive *a = archive_write_new();
	int r = 0;

	ga_str_clear(out);
	if (!a || !write_iso(a, s, out))
		r = ga_fail(err, GA_SYSTEM, "cannot make the seed of '%s': %s", s->plan->allocation,
			    a ? archive_error_string(a) : "out of memory");
	if (a)
		archive_write_free(a);
	return r;
}
