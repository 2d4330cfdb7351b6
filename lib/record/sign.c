/* SPDX-License-Identifier: Apache-2.0 */
/* Signatures of results. */
#include "record/sign.h"

#include <string.h>

#include "record/crypto.h"
#include "record/rec.h"

#define CONTEXT "gpuaas.signature/1\n"
#define KEY_BYTES 32
#define VALUE_BYTES 64

struct ga_sign_key {
	EVP_PKEY *pair;
	char public[GA_SIGN_KEY_LEN + 1];
};

static void cleanup_pkey(EVP_PKEY **p)
{
	ga_crypto()->EVP_PKEY_free(*p);
}

static void cleanup_bio(BIO **b)
{
	ga_crypto()->BIO_free(*b);
}

static void cleanup_ctx(EVP_MD_CTX **c)
{
	ga_crypto()->EVP_MD_CTX_free(*c);
}

int ga_sign_make(struct ga_str *pem, struct ga_err *err)
{
	const struct ga_crypto *c = ga_crypto();
	ga_cleanup(cleanup_pkey) EVP_PKEY *pair = c->EVP_PKEY_Q_keygen(NULL, NULL, "ED25519");
	ga_cleanup(cleanup_bio) BIO *bio = c->BIO_new(c->BIO_s_mem());
	char *text;
	long n;

	if (!pair || !bio ||
	    !c->PEM_write_bio_PKCS8PrivateKey(bio, pair, NULL, NULL, 0, NULL, NULL))
		return ga_fail(err, GA_SYSTEM, "libcrypto cannot make an ed25519 key");
	n = c->BIO_ctrl(bio, BIO_CTRL_INFO, 0, &text);
	ga_str_add_bytes(pem, text, (size_t)n);
	explicit_bzero(text, (size_t)n);
	return 0;
}

int ga_sign_open(const char *pem, struct ga_sign_key **ret, struct ga_err *err)
{
	const struct ga_crypto *c = ga_crypto();
	ga_cleanup(cleanup_bio) BIO *bio = c->BIO_new_mem_buf(pem, -1);
	ga_cleanup(cleanup_pkey) EVP_PKEY *pair = NULL;
	unsigned char raw[KEY_BYTES];
	size_t n = sizeof(raw);

	/* Passes an empty password, so that libcrypto does not ask for one on the terminal. */
	pair = bio ? c->PEM_read_bio_PrivateKey(bio, NULL, NULL, (void *)(uintptr_t) "") : NULL;
	if (!pair || c->EVP_PKEY_get_base_id(pair) != EVP_PKEY_ED25519 ||
	    !c->EVP_PKEY_get_raw_public_key(pair, raw, &n) || n != KEY_BYTES)
		return ga_fail(err, GA_BADREC, "it is no ed25519 private key in PEM");
	*ret = ga_xcalloc(1, sizeof(**ret));
	(*ret)->pair = GA_TAKE(pair);
	c->EVP_EncodeBlock((unsigned char *)(*ret)->public, raw, KEY_BYTES);
	return 0;
}

void ga_sign_close(struct ga_sign_key *key)
{
	if (!key)
		return;
	ga_crypto()->EVP_PKEY_free(key->pair);
	free(key);
}

void ga_cleanup_sign(struct ga_sign_key **key)
{
	ga_sign_close(*key);
}

const char *ga_sign_public(const struct ga_sign_key *key)
{
	return key->public;
}

static void text_to_sign(json_t *record, struct ga_str *out)
{
	ga_str_add(out, CONTEXT);
	ga_rec_dump(record, out);
}

int ga_sign_record(const struct ga_sign_key *key, json_t *record, struct ga_err *err)
{
	const struct ga_crypto *c = ga_crypto();
	ga_cleanup(cleanup_ctx) EVP_MD_CTX *ctx = c->EVP_MD_CTX_new();
	ga_autostr struct ga_str text = GA_STR_INIT;
	unsigned char raw[VALUE_BYTES];
	char value[GA_SIGN_VALUE_LEN + 1];
	size_t n = sizeof(raw);

	text_to_sign(record, &text);
	if (!ctx || c->EVP_DigestSignInit(ctx, NULL, NULL, NULL, key->pair) != 1 ||
	    c->EVP_DigestSign(ctx, raw, &n, (const unsigned char *)text.buf, text.len) != 1)
		return ga_fail(err, GA_SYSTEM, "libcrypto cannot sign a record");
	c->EVP_EncodeBlock((unsigned char *)value, raw, VALUE_BYTES);
	json_object_set_new(record, "signature",
			    json_pack("{s:s, s:s}", "key", key->public, "value", value));
	return 0;
}

/* Reads base64 of exactly n bytes, in canonical form only: no other text gives the same bytes. */
static bool decode(const char *text, size_t text_len, unsigned char *out, size_t n)
{
	const struct ga_crypto *c = ga_crypto();
	unsigned char room[3 * GA_SIGN_VALUE_LEN / 4], again[GA_SIGN_VALUE_LEN + 1];

	if (!text || strlen(text) != text_len ||
	    c->EVP_DecodeBlock(room, (const unsigned char *)text, (int)text_len) < (int)n)
		return false;
	memcpy(out, room, n);
	c->EVP_EncodeBlock(again, out, (int)n);
	return !memcmp(again, text, text_len);
}

bool ga_sign_is_of(json_t *signature, json_t *record)
{
	const struct ga_crypto *c = ga_crypto();
	ga_cleanup(cleanup_ctx) EVP_MD_CTX *ctx = c->EVP_MD_CTX_new();
	ga_cleanup(cleanup_pkey) EVP_PKEY *public = NULL;
	ga_autostr struct ga_str text = GA_STR_INIT;
	unsigned char key[KEY_BYTES], value[VALUE_BYTES];

	if (json_object_size(signature) != 2 ||
	    !decode(json_string_value(json_object_get(signature, "key")), GA_SIGN_KEY_LEN, key,
		    sizeof(key)) ||
	    !decode(json_string_value(json_object_get(signature, "value")), GA_SIGN_VALUE_LEN,
		    value, sizeof(value)))
		return false;
	public = c->EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, NULL, key, sizeof(key));
	text_to_sign(record, &text);
	return ctx && public && c->EVP_DigestVerifyInit(ctx, NULL, NULL, NULL, public) == 1 &&
	       c->EVP_DigestVerify(ctx, value, sizeof(value), (const unsigned char *)text.buf,
				   text.len) == 1;
}
