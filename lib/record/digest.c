/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 by libcrypto, through its low-level functions. The EVP functions run the same code, but
 * at the first digest they read the configuration and load providers, which takes as long as
 * reading the nodes of a fleet. OpenSSL 3 marks the low-level functions as deprecated.
 */
#include "record/digest.h"

#include "record/crypto.h"

struct ga_digest {
	SHA256_CTX ctx;
};

void ga_sha256(const void *data, size_t len, unsigned char out[GA_SHA256_BYTES])
{
	const struct ga_crypto *c = ga_crypto();
	SHA256_CTX ctx;

	/* SHA256() would go through EVP again. */
	c->SHA256_Init(&ctx);
	c->SHA256_Update(&ctx, data, len);
	c->SHA256_Final(out, &ctx);
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

	ga_crypto()->SHA256_Init(&d->ctx);
	return d;
}

void ga_digest_add(struct ga_digest *d, const void *data, size_t len)
{
	ga_crypto()->SHA256_Update(&d->ctx, data, len);
}

void ga_digest_close(struct ga_digest *d, char out[GA_DIGEST_SIZE])
{
	unsigned char hash[GA_SHA256_BYTES];

	ga_crypto()->SHA256_Final(hash, &d->ctx);
	free(d);
	ga_digest_format(hash, out);
}
