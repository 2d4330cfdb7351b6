/* SPDX-License-Identifier: Apache-2.0 */
/* SHA-256 by libcrypto; in records "sha256:" and 64 lower-case hex digits. */
#ifndef GA_RECORD_DIGEST_H
#define GA_RECORD_DIGEST_H

#include "base/ga.h"

#define GA_SHA256_BYTES 32
#define GA_DIGEST_SIZE (7 + 64 + 1)

/* Writes the hash of the bytes to out. */
void ga_sha256(const void *data, size_t len, unsigned char out[GA_SHA256_BYTES]);
/* Writes the text form of a hash to out; returns out. */
char *ga_digest_format(const unsigned char hash[GA_SHA256_BYTES], char out[GA_DIGEST_SIZE]);
/* Writes the digest of the bytes in its text form to out; returns out. */
char *ga_digest_of(const void *data, size_t len, char out[GA_DIGEST_SIZE]);
/* Whether text, or NULL, has the text form. */
bool ga_digest_is_valid(const char *text);

/* An incremental digest: open it, add any number of times; close writes the text form. */
struct ga_digest;
struct ga_digest *ga_digest_open(void);
void ga_digest_add(struct ga_digest *d, const void *data, size_t len);
void ga_digest_close(struct ga_digest *d, char out[GA_DIGEST_SIZE]);

#endif
