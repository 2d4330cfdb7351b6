/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcrypto, loaded at first use: most runs of a program neither digest nor sign, and loading it is
 * a large part of what a short one costs (gpuaas-hacking(7), DEPENDENCIES). No program is linked
 * with it, so that a call that does not go through here does not link.
 */
#ifndef GA_RECORD_CRYPTO_H
#define GA_RECORD_CRYPTO_H

/* The low-level functions of SHA-256: lib/record/digest.c says why. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>

#include "base/ga.h"

/* Every function of it that is used. A macro of its headers that calls one does not go through
 * here: BIO_get_mem_data() is BIO_ctrl(). */
#define GA_CRYPTO_FUNCTIONS(X) \
	X(BIO_ctrl) \
	X(BIO_free) \
	X(BIO_new) \
	X(BIO_new_mem_buf) \
	X(BIO_s_mem) \
	X(EVP_DecodeBlock) \
	X(EVP_DigestSign) \
	X(EVP_DigestSignInit) \
	X(EVP_DigestVerify) \
	X(EVP_DigestVerifyInit) \
	X(EVP_EncodeBlock) \
	X(EVP_MD_CTX_free) \
	X(EVP_MD_CTX_new) \
	X(EVP_PKEY_Q_keygen) \
	X(EVP_PKEY_free) \
	X(EVP_PKEY_get_base_id) \
	X(EVP_PKEY_get_raw_public_key) \
	X(EVP_PKEY_new_raw_public_key) \
	X(PEM_read_bio_PrivateKey) \
	X(PEM_write_bio_PKCS8PrivateKey) \
	X(SHA256_Final) \
	X(SHA256_Init) \
	X(SHA256_Update)

struct ga_crypto {
#define GA_CRYPTO_MEMBER(name) __typeof__(name) *name;
	GA_CRYPTO_FUNCTIONS(GA_CRYPTO_MEMBER)
#undef GA_CRYPTO_MEMBER
};

/* The same for the life of the process, also in threads; after the first call no lock is taken.
 * Where it cannot be loaded the process ends (ga_die) with GA_SYSTEM: it is as little to be
 * expected as being out of memory, and no caller could do better. */
const struct ga_crypto *ga_crypto(void) __attribute__((returns_nonnull));

#endif
