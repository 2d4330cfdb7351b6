/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 by libcrypto. libcrypto fails only for want of memory, which ends the process. */
#include "digest.h"

#include <openssl/evp.h>
#include <pthread.h>

struct ga_digest {
	EVP_MD_CTX *ctx;
};

/* Fetched once: EVP_sha256() is looked up in libcrypto's tables, under their locks, at each use. */
static EVP_MD *sha256;

static void fetch(void)
{
	sha256 = EVP_MD_fetch(NULL, "SHA2-256", NULL);
	if (!sha256)
		abort();
}

static const EVP_MD *algorithm(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, fetch);
	return sha256;
}

void ga_sha256(const void *data, size_t len, unsigned char out[GA_SHA256_BYTES])
{
	if (EVP_Digest(data, len, out, NULL, algorithm(), NULL) != 1)
		abort();
}

char *ga_digest_format(const unsigned char hash[GA_SHA256_BYTES], char out[GA_DIGEST_SIZE])
{
	static const char digits[] = "0123456789abcdef";
	char *p = out + 7;
	size_t i;

	memcpy(out, "sha256:", 7);
	for (i = 0; i < GA_SHA256_BYTES; i++) {
		*p++ = digits[hash[i] >> 4];
		*p++ = digits[hash[i] & 15];
	}
	*p = '\0';
	return out;
}

char *ga_digest_of(const void *data, size_t len, char out[GA_DIGEST_SIZE])
{
	unsigned char hash[GA_SHA256_BYTES];

	ga_sha256(data, len, hash);
	return ga_digest_format(hash, out);
}

bool ga_digest_is_valid(const char *text)
{
	return ga_starts(text, "sha256:") && strlen(text) == GA_DIGEST_SIZE - 1 &&
	       strspn(text + 7, "0123456789abcdef") == 64;
}

struct ga_digest *ga_digest_open(void)
{
	struct ga_digest *d = ga_xcalloc(1, sizeof(*d));

	d->ctx = EVP_MD_CTX_new();
	if (!d->ctx || EVP_DigestInit_ex(d->ctx, algorithm(), NULL) != 1)
		abort();
	return d;
}

void ga_digest_add(struct ga_digest *d, const void *data, size_t len)
{
	if (EVP_DigestUpdate(d->ctx, data, len) != 1)
		abort();
}

void ga_digest_close(struct ga_digest *d, char out[GA_DIGEST_SIZE])
{
	unsigned char hash[GA_SHA256_BYTES];

	if (EVP_DigestFinal_ex(d->ctx, hash, NULL) != 1)
		abort();
	EVP_MD_CTX_free(d->ctx);
	free(d);
	ga_digest_format(hash, out);
}
