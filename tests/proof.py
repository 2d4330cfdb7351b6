# SPDX-License-Identifier: Apache-2.0
"""The members of wipe evidence that prove a wipe, for programs of tests that play a host.

The evidence that gpuaas-wipe would have written had it wiped the disk of the order. Its guard's steps are read
from the sources, so that a step more is here at once.
"""

import os
import re
import secrets

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
with open(os.path.join(ROOT, "lib/decide/wipe/guard_steps.c"), encoding="utf-8") as source:
    GUARD = re.findall(r'\{ "([a-z_]+)", GA_GUARD_', source.read())
MARKERS, MARKER_BYTES = 64, 4096
RULES = 1


def step(name, outcome, detail=None):
    return {"step": name, "outcome": outcome, "detail": detail}


def attempt(method, at):
    return {"method": method, "started_at": at, "finished_at": at, "outcome": "confirmed",
            "detail": None}


def device(o):
    real = not o["lab"]
    return {"wwid": o["nvme_wwid"], "serial": o["nvme_serial"], "model": None, "firmware": None,
            "pci_address": None, "path": o["nvme_path"], "size_bytes": o["nvme_size_bytes"],
            "logical_block_bytes": None, "nsid": None, "diskseq_before": "7" if real else None,
            "diskseq_after": "7" if real else None, "medium": "nvme" if real else "file"}


def capabilities(o):
    return {"oacs": None, "oncs": None, "fna": None, "sanicap": None if o["lab"] else 1,
            "dlfeat": None}


def proof(o, at):
    """From guard to read-back, all at that moment."""
    size, purge = o["nvme_size_bytes"], o["wipe"]["minimum_class"] == "purge"
    return {"guard": [step(name, "confirmed") for name in GUARD],
            "attempts": [attempt("sanitize_crypto", at)] * purge + [attempt("zeroout", at)],
            "markers": {"seed_digest": "sha256:" + secrets.token_hex(32),
                        "written": min(MARKERS, size // MARKER_BYTES), "surviving": 0,
                        "unreadable": 0},
            "read_back": {"verify": "full", "started_at": at, "finished_at": at,
                          "bytes_read": size, "mismatches": 0, "remnant_bound_ppb": 0}}


def nothing():
    """The same of a wipe that proved nothing."""
    return {"guard": [], "attempts": [], "markers": None, "read_back": None}


def devices(o, done="confirmed"):
    """The steps of GPU and fabric function; what is not there needs none."""
    return {"gpu_memory": step("gpu_memory", done if o["gpu_identity"] else "not_needed"),
            "gpu_reset": step("gpu_reset", done if o["gpu_identity"] else "not_needed"),
            "vf_state": step("vf_state", done if o["fabric_vf_pci_address"] else "not_needed")}
