/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libcrypto, loaded at first use. Most runs of a program neither digest nor sign, and loading
 * libcrypto takes a large part of the time of a short run (gpuaas-hacking(7), DEPENDENCIES). No
 * program links with libcrypto, so a call that bypasses this file fails at link time.
 */
#ifndef GA_RECORD_CRYPTO_H
#define GA_RECORD_CRYPTO_H

/* We use the low-level functions of SHA-256; lib/record/digest.c gives the reason. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/sha.h>

#include "base/ga.h"

/* Every function of libcrypto that we use. A macro of its headers calls the function directly and
 * bypasses this list: for BIO_get_mem_data(), call BIO_ctrl(). */
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

/* Returns the same table for the life of the process, also in threads; only the first call takes a
 * lock. If libcrypto cannot be loaded, the process ends (ga_die) with GA_SYSTEM: this is as rare as
 * being out of memory, and no caller could do better. */
const struct ga_crypto *ga_crypto(void) __attribute__((returns_nonnull));

#endif
