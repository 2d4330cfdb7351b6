/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signatures of results: ed25519 (RFC 8032) by libcrypto. A host has one key pair. The state knows
 * the public half, so it can check that a result really comes from this host. Keys and signatures
 * are text in base64 (RFC 4648, padded); the host keeps the pair as PEM (PKCS #8).
 */
#ifndef GA_RECORD_SIGN_H
#define GA_RECORD_SIGN_H

#include <jansson.h>

#include "base/ga.h"
#include "base/str.h"

#define GA_SIGN_KEY_LEN 44   /* 32 bytes in base64 */
#define GA_SIGN_VALUE_LEN 88 /* 64 bytes in base64 */

struct ga_sign_key;

/* Makes a new key pair and adds it to pem. */
GA_MUST_CHECK int ga_sign_make(struct ga_str *pem, struct ga_err *err);
/* GA_BADREC when the text is no ed25519 private key. Close *ret with ga_sign_close. */
GA_MUST_CHECK int ga_sign_open(const char *pem, struct ga_sign_key **ret, struct ga_err *err);
void ga_sign_close(struct ga_sign_key *key);
void ga_cleanup_sign(struct ga_sign_key **key);
#define ga_autosign ga_cleanup(ga_cleanup_sign)
/* The public half, GA_SIGN_KEY_LEN characters. */
const char *ga_sign_public(const struct ga_sign_key *key);

/*
 * Adds the member "signature" to a record: {"key", "value"}. The signed bytes are
 * "gpuaas.signature/1\n" and then the compact text of the record without that member; the prefix
 * makes the signature useless for any other purpose.
 */
GA_MUST_CHECK int ga_sign_record(const struct ga_sign_key *key, json_t *record, struct ga_err *err);
/* Whether the signature (an object as above) fits the record, which must not contain it. The key is
 * in the signature; the caller must look up the host of this key. */
bool ga_sign_is_of(json_t *signature, json_t *record);

#endif
