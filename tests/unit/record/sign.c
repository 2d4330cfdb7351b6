/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signatures of results: signed and verified; refused after any change of record, key or value; and
 * texts that are no signature. The first vector is RFC 8032, 7.1, test 3, with a message of two
 * bytes: it shows that our keys are the keys of the standard.
 */
#include "record/sign.h"

#include <string.h>

#include "record/rec.h"
#include "t.h"

static const char public[] = "/FHNjmIYoaONpH7QAjDwWAgW7RO6MwOsXeuRFUiQgCU=";

static struct ga_sign_key *made(void)
{
	ga_autostr struct ga_str pem = GA_STR_INIT;
	struct ga_sign_key *key = NULL;
	struct ga_err err = GA_ERR_INIT;

	t_int(ga_sign_make(&pem, &err), 0, "a key is made");
	t_ok(strstr(pem.buf, "-----BEGIN PRIVATE KEY-----") == pem.buf, "as PEM");
	t_int(ga_sign_open(pem.buf, &key, &err), 0, "and read");
	t_int((int64_t)strlen(ga_sign_public(key)), GA_SIGN_KEY_LEN, "its public half");
	return key;
}

/* RFC 8032 7.1, test 3: the secret key behind the head of PKCS #8, and the public one. */
static void vector(void)
{
	static const char pem[] = "-----BEGIN PRIVATE KEY-----\n"
				  "MC4CAQAwBQYDK2VwBCIEIMWqjfQ/n4N7"
				  "7bdELzHct7Fm04U1B28JS4XOOi4LRFj3\n"
				  "-----END PRIVATE KEY-----\n";
	struct ga_sign_key *key = NULL;
	struct ga_err err = GA_ERR_INIT;

	t_int(ga_sign_open(pem, &key, &err), 0, "the key of RFC 8032 is read");
	if (key)
		t_str(ga_sign_public(key), public, "its public half is the RFC's");
	ga_sign_close(key);
}

static void record(void)
{
	ga_autosign struct ga_sign_key *key = made();
	ga_autojson json_t *json = json_pack("{s:s, s:i, s:{s:s}}", "kind", "gpuaas.power/1", "n",
					     7, "o", "x", "\xc3\xa4\"\\\n");
	ga_autojson json_t *signature = NULL;
	struct ga_err err = GA_ERR_INIT;
	ga_autostr struct ga_str text = GA_STR_INIT;
	json_error_t why;

	t_int(ga_sign_record(key, json, &err), 0, "a record is signed");
	ga_rec_dump(json, &text);
	{
		ga_autojson json_t *again = json_loads(text.buf, 0, &why);

		signature = json_incref(json_object_get(again, "signature"));
		json_object_del(again, "signature");
		t_ok(ga_sign_is_of(signature, again), "and right after it was written and read");
		json_object_set_new(again, "n", json_integer(8));
		t_ok(!ga_sign_is_of(signature, again), "another value");
		json_object_set_new(again, "n", json_integer(7));
		t_ok(ga_sign_is_of(signature, again), "the value put back");
		json_object_set_new(again, "m", json_integer(7));
		t_ok(!ga_sign_is_of(signature, again), "a member more");
	}
	json_object_del(json, "signature");
	t_ok(ga_sign_is_of(signature, json), "the record it was made of");
	json_object_set_new(signature, "key", json_string(public));
	t_ok(!ga_sign_is_of(signature, json), "another key");
}

static void texts(void)
{
	static const char *const bad[] = {
		"",
		"x",
		"/FHNjmIYoaONpH7QAjDwWAgW7RO6MwOsXeuRFUiQgCU",   /* no padding */
		"/FHNjmIYoaONpH7QAjDwWAgW7RO6MwOsXeuRFUiQgCV=",  /* bits behind the end */
		"/FHNjmIYoaONpH7QAjDwWAgW7RO6MwOsXeuRFUiQgCU=x", /* more */
		"!FHNjmIYoaONpH7QAjDwWAgW7RO6MwOsXeuRFUiQgCU=",
	};
	static const char *const pems[] = { "", "-----BEGIN PRIVATE KEY-----\n", "x" };
	ga_autosign struct ga_sign_key *key = made();
	struct ga_err err = GA_ERR_INIT;
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(bad); i++) {
		ga_autojson json_t *json = json_pack("{s:i}", "n", 7);
		ga_autojson json_t *signature = NULL;

		if (ga_sign_record(key, json, &err) < 0)
			exit(1);
		signature = json_incref(json_object_get(json, "signature"));
		json_object_del(json, "signature");
		json_object_set_new(signature, "key", json_string(bad[i]));
		t_ok(!ga_sign_is_of(signature, json), "no key: '%s'", bad[i]);
	}
	{
		ga_autojson json_t *json = json_object(), *text = json_string("x");

		t_ok(!ga_sign_is_of(text, json), "a signature that is a text");
		t_ok(!ga_sign_is_of(json, json), "one that is empty");
	}
	for (i = 0; i < GA_ARRAY_SIZE(pems); i++) {
		struct ga_sign_key *none = NULL;

		ga_err_clear(&err);
		t_code(ga_sign_open(pems[i], &none, &err), &err, GA_BADREC, "private key",
		       "no key file");
	}
}

int main(void)
{
	vector();
	record();
	texts();
	return t_done();
}
