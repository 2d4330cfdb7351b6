# SPDX-License-Identifier: Apache-2.0
"""Signatures of results (gpuaas-state(5)), for tests that play hosts.

A node's key is made from its name, so that whoever plays the node has the same one.
"""

import base64
import ctypes
import ctypes.util
import hashlib
import json

CRYPTO = ctypes.CDLL(ctypes.util.find_library("crypto") or "libcrypto.so.3")
ED25519 = 1087
KEYS = {}

for name, result, arguments in (
        ("EVP_PKEY_new_raw_private_key", "p", "ipSz"), ("EVP_PKEY_get_raw_public_key", "i", "ppp"),
        ("EVP_MD_CTX_new", "p", ""), ("EVP_MD_CTX_free", "v", "p"),
        ("EVP_DigestSignInit", "i", "ppppp"), ("EVP_DigestSign", "i", "pppSz")):
    kinds = {"p": ctypes.c_void_p, "i": ctypes.c_int, "S": ctypes.c_char_p, "z": ctypes.c_size_t,
             "v": None}
    getattr(CRYPTO, name).restype = kinds[result]
    getattr(CRYPTO, name).argtypes = [kinds[a] for a in arguments]


def dump(record):
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False)


def key_of(node):
    """The private key, and the public one as it stands in records."""
    if node not in KEYS:
        seed = hashlib.sha256(node.encode()).digest()
        private = CRYPTO.EVP_PKEY_new_raw_private_key(ED25519, None, seed, len(seed))
        raw, size = ctypes.create_string_buffer(32), ctypes.c_size_t(32)
        if CRYPTO.EVP_PKEY_get_raw_public_key(private, raw, ctypes.byref(size)) != 1:
            raise SystemExit("libcrypto makes no ed25519 key")
        KEYS[node] = private, base64.b64encode(raw.raw).decode()
    return KEYS[node]


def sign(record, node=None):
    """The record with the signature of its node, in place of the one it has."""
    private, public = key_of(node or record["node"])
    record = {k: v for k, v in record.items() if k != "signature"}
    text = ("gpuaas.signature/1\n" + dump(record)).encode()
    value, size = ctypes.create_string_buffer(64), ctypes.c_size_t(64)
    context = CRYPTO.EVP_MD_CTX_new()
    if CRYPTO.EVP_DigestSignInit(context, None, None, None, private) != 1 or \
            CRYPTO.EVP_DigestSign(context, value, ctypes.byref(size), text, len(text)) != 1:
        raise SystemExit("libcrypto does not sign")
    CRYPTO.EVP_MD_CTX_free(context)
    return {**record, "signature": {"key": public,
                                    "value": base64.b64encode(value.raw).decode()}}
