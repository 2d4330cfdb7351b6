/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signatures of results: ed25519 (RFC 8032) by libcrypto. A host has one key pair; the state knows
 * its public half, so that what comes from elsewhere is its own word and nobody else's. Keys and
 * signatures are text in base64 (RFC 4648, padded); the pair is kept as PEM (PKCS #8).
 */
#ifndef GA_RECORD_SIGN_H
#define GA_RECORD_SIGN_H

#include <jansson.h>

#include "base/ga.h"
#include "base/str.h"

#define GA_SIGN_KEY_LEN 44   /* 32 bytes in base64 */
#define GA_SIGN_VALUE_LEN 88 /* 64 bytes in base64 */

struct ga_sign_key;

/* A new pair as PEM, added to out. */
GA_MUST_CHECK int ga_sign_make(struct ga_str *pem, struct ga_err *err);
/* GA_BADREC when the text is no ed25519 private key. ret is closed with ga_sign_close. */
GA_MUST_CHECK int ga_sign_open(const char *pem, struct ga_sign_key **ret, struct ga_err *err);
void ga_sign_close(struct ga_sign_key *key);
void ga_cleanup_sign(struct ga_sign_key **key);
#define ga_autosign ga_cleanup(ga_cleanup_sign)
/* The public half, GA_SIGN_KEY_LEN characters. */
const char *ga_sign_public(const struct ga_sign_key *key);

/*
 * Adds the member "signature" to a record: {"key", "value"}. Signed is the compact text of the
 * record without that member, behind "gpuaas.signature/1\n", so that it is good for nothing else.
 */
GA_MUST_CHECK int ga_sign_record(const struct ga_sign_key *key, json_t *record, struct ga_err *err);
/* Whether the signature (an object as above) is the one of this record, which is without it. The
 * key is in it: whose it is, is the caller's to look up. */
bool ga_sign_is_of(json_t *signature, json_t *record);

#endif
