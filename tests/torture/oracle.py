# SPDX-License-Identifier: Apache-2.0
"""The promises of a state, without its triggers, its views and gpuaas-state check.

read(db) takes a picture of a state; wrong(picture) says what does not hold in it, changed(before,
after) what must not have become of it. Used remembers which devices somebody had, by what it saw
and not by the taint that the state keeps.
"""

import datetime
import functools
import re

EDGES = {
    "slot": {
        "disabled": {"available", "wiping", "quarantined", "retired", "provisioning"},
        "available": {"reserved", "wiping", "disabled", "quarantined"},
        "reserved": {"available", "provisioning"},
        "provisioning": {"active", "cleanup_blocked"},
        "active": {"releasing"},
        "releasing": {"wiping", "cleanup_blocked"},
        "wiping": {"available", "disabled", "cleanup_blocked"},
        "cleanup_blocked": {"releasing", "wiping", "quarantined"},
        "quarantined": {"disabled"},
        "retired": set(),
    },
    "allocation": {
        "pending": {"placed", "cancelled", "refused"},
        "placed": {"provisioning", "pending", "cancelled"},
        "provisioning": {"active", "failed"},
        "active": {"held", "preempting", "releasing"},
        "held": {"active", "releasing"},
        "preempting": {"active", "releasing"},
        "failed": {"releasing"},
        "releasing": {"released", "release_failed"},
        "release_failed": {"releasing"},
        "released": set(),
        "cancelled": set(),
        "refused": set(),
    },
    "node": {
        "enrolled": {"active", "retired"},
        "active": {"draining", "quarantined"},
        "draining": {"active", "quarantined", "retired"},
        "quarantined": {"active", "draining", "retired"},
        "retired": set(),
    },
}
BIRTH = {"slot": "disabled", "allocation": "pending", "node": "enrolled"}
KEPT = ["meta", "node", "device", "slot", "claim", "allocation", "wipe_evidence", "audit", "usage"]
KEY = {"meta": "one", "audit": "seq"}
COUNTED = ["slot", "allocation", "node"]
ON_SALE = ("available", "reserved")
TENANTS = ("provisioning", "active")  # somebody may write to its devices
FREE = ("available", "disabled", "retired")
HARDWARE = ["node_id", "slot_index", "shape", "sharing_mechanism", "gpu_id", "gpu_identity",
            "gpu_pci_address", "nvme_wwid", "fabric_vf_pci_address", "cpuset", "memory_mib", "mac",
            "private_ip", "wipe_minimum_class", "wipe_verify", "wipe_gpu_memory"]
ONCE = ["gpu_id", "nvme_wwid", "mac", ("node_id", "slot_index"), ("node_id", "private_ip"),
        ("node_id", "gpu_pci_address"), ("node_id", "fabric_vf_pci_address")]
NEEDED = ["gpu_id", "nvme_wwid", "mac", "private_ip", "cpuset", "memory_mib",
          "fabric_vf_pci_address", "wipe_minimum_class", "wipe_verify", "wipe_gpu_memory"]
# Of these, what only slices need.
SLICES = ["mac", "private_ip", "cpuset", "memory_mib", "fabric_vf_pci_address"]
FIXED = {
    "meta": ["lab", "created_at"],
    "device": ["device_kind", "first_seen_at"],
    "claim": ["allocation_id", "node_id", "slot_id", "claim_kind", "created_at"],
    "allocation": ["request", "project", "shape", "created_at", "created_by"],
    "usage": ["allocation_id", "usage_kind", "count", "accelerator_type", "price_micros",
              "started_at", "number", "project", "profile", "node_id"],
}
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z")
FIRST = "sha256:" + "0" * 64


LARGE = ("record", "profile_record", "plan", "order_text", "detail", "facts")


def read(db):
    """Every kept table as {key: {column: value}}, but for what is large; and whose which CPU is."""
    picture = {}
    for table in KEPT:
        names = [r[1] for r in db.execute("PRAGMA main.table_info(%s)" % table)
                 if r[1] not in LARGE]
        key = names.index(KEY.get(table, "id"))
        cursor = db.execute("SELECT %s FROM main.%s" % (", ".join(names), table))
        picture[table] = {row[key]: dict(zip(names, row)) for row in cursor}
    picture["cpu"] = {(n, c): s for n, c, s in
                      db.execute("SELECT node_id, cpu, slot_id FROM main.slot_cpu")}
    return picture


@functools.lru_cache(maxsize=10000)
def is_time(text):
    if not isinstance(text, str) or not TIME.fullmatch(text):
        return False
    try:
        datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ")
    except ValueError:
        return False
    return True


def cpus(text):
    found = set()
    for part in (text or "").split(","):
        first, _, last = part.partition("-")
        if first.isdigit() and (last or first).isdigit():
            found.update(range(int(first), int(last or first) + 1))
        else:
            found.add(-1)
    return found


def devices(p, slot):
    return [(i, p["device"].get(i)) for i in (slot["nvme_wwid"], slot["gpu_id"])]


def live(p):
    return [c for c in p["claim"].values() if c["live"] == 1]


def wrong_claims(p):
    slots, holders, nodes = {}, {}, {}
    for c in live(p):
        if c["claim_kind"] == "slot":
            slots.setdefault(c["slot_id"], []).append(c["id"])
        holders.setdefault(c["node_id"], set()).add(
            c["allocation_id"] if c["claim_kind"] == "node" else "")
        nodes.setdefault(c["allocation_id"], set()).add(c["node_id"])
        node = p["node"].get(c["node_id"])
        if not node or node["held_by"] != c["held_by"] or c["held_by"] is None:
            yield "claim %s lives, and its node is not held for it" % c["id"]
        slot = p["slot"].get(c["slot_id"])
        if c["claim_kind"] == "slot" and (not slot or slot["node_id"] != c["node_id"]):
            yield "claim %s is of a slot that is not of its node" % c["id"]
    for slot, claims in slots.items():
        if len(claims) > 1:
            yield "slot %s is sold twice: %s" % (slot, claims)
    for c in live(p):
        if c["claim_kind"] == "node" and any(
                o["allocation_id"] != c["allocation_id"] for o in live(p)
                if o["node_id"] == c["node_id"]):
            yield "node %s is sold whole and beside it" % c["node_id"]
    for allocation, on in nodes.items():
        if len(on) > 1:
            yield "allocation %s is on nodes %s" % (allocation, sorted(on))
    for s in p["slot"].values():
        if s["state"] in ("reserved",) + TENANTS and s["id"] not in slots:
            yield "slot %s is %s without a live claim" % (s["id"], s["state"])


def wrong_slots(p):
    here = [s for s in p["slot"].values() if s["retired"] == 0]
    for columns in ONCE:
        columns = columns if isinstance(columns, tuple) else (columns,)
        seen = {}
        for s in here:
            value = tuple(s[c] for c in columns)
            if None in value:
                continue
            if value in seen:
                yield "%s of slots %s and %s are one" % (columns, seen[value], s["id"])
            seen[value] = s["id"]
    for s in p["slot"].values():
        if s["retired"] != (s["state"] == "retired") or s["state"] not in EDGES["slot"]:
            yield "slot %s is %s, retired %s" % (s["id"], s["state"], s["retired"])
        if s["state"] in ON_SALE + TENANTS:
            for cpu in cpus(s["cpuset"]):
                if p["cpu"].get((s["node_id"], cpu)) != s["id"]:
                    yield "slot %s is %s, CPU %d is not its own" % (s["id"], s["state"], cpu)
                    break
        if s["state"] not in ON_SALE:
            continue
        # A slot of a baremetal node has no share of what only slices need.
        bare = p["node"][s["node_id"]]["mode"] == "baremetal"
        if any(s[c] in (None, "") for c in NEEDED if not (bare and c in SLICES)) or \
                not (bare or s["memory_mib"] > 0) or \
                s["storage_ownership"] != "tenant_slice" or s["shape"] != "slice" or \
                s["sharing_mechanism"] != "exclusive_device" or s["health_state"] == "failed" or \
                (s["state"] == "available" and s["blockers"] != "[]"):
            yield "slot %s is %s and incomplete" % (s["id"], s["state"])


def proves(e, s, kind):
    """Whether evidence e proves the wipe of the device of that kind of slot s, as its policy asks."""
    rank = {"none": 0, "clear": 1, "purge": 2}
    if kind == "disk" and e["wwid"] != s["nvme_wwid"]:
        return False
    if kind == "gpu" and "%s/%s" % (e["node_id"], e["gpu_identity"]) != s["gpu_id"]:
        return False
    return (e["outcome"] == "confirmed" and rank[e["class"]] >= rank[s["wipe_minimum_class"]] and
            e["class"] != "none" and (e["verify"] == "full" or s["wipe_verify"] == "sampled") and
            (e["gpu_memory"] == "confirmed" or s["wipe_gpu_memory"] != "required"))


def wrong_wipes(p):
    for s in p["slot"].values():
        if s["state"] in ON_SALE:
            for i, d in devices(p, s):
                if not d or d["node_id"] != s["node_id"] or d["dirty_since"] is not None:
                    yield "slot %s is %s, device %s is tainted or not known" % (
                        s["id"], s["state"], i)
                    continue
                e = p["wipe_evidence"].get(d["cleared_by"])
                if not e or not proves(e, s, d["device_kind"]):
                    yield "slot %s is %s, no evidence cleared device %s as it asks" % (
                        s["id"], s["state"], i)
        if s["state"] in ("active", "releasing") and any(
                c["slot_id"] == s["id"] for c in live(p)):
            for i, d in devices(p, s):
                if not d or d["dirty_since"] is None:
                    yield "slot %s is %s, device %s counts as clean" % (s["id"], s["state"], i)


def wrong_usage(p):
    spans = {}
    for u in p["usage"].values():
        a = p["allocation"].get(u["allocation_id"])
        if not a or any(u[c] != a[c] for c in ("count", "price_micros", "accelerator_type",
                                               "project", "profile", "number", "node_id")):
            yield "span %s says other things than its allocation" % u["id"]
        if not is_time(u["started_at"]) or (u["ended_at"] is not None and (
                not is_time(u["ended_at"]) or u["ended_at"] < u["started_at"])):
            yield "span %s is from %s to %s" % (u["id"], u["started_at"], u["ended_at"])
        spans.setdefault(u["allocation_id"], []).append(
            (u["started_at"], u["ended_at"] or "9999", u["id"]))
    for allocation, of in spans.items():
        of.sort()
        for one, next_one in zip(of, of[1:]):
            if next_one[0] < one[1]:
                yield "spans %s and %s of allocation %s share time" % (one[2], next_one[2],
                                                                      allocation)


def wrong_audit(p):
    previous, want = FIRST, 1
    for seq in sorted(p["audit"]):
        row = p["audit"][seq]
        if seq != want or row["previous_hash"] != previous or len(row["hash"]) != 71:
            yield "the audit breaks at row %s" % seq
            return
        previous, want = row["hash"], seq + 1


def wrong(p):
    if len(p["meta"]) != 1:
        yield "the state has %d rows of meta" % len(p["meta"])
    for look in (wrong_claims, wrong_slots, wrong_wipes, wrong_usage, wrong_audit):
        yield from look(p)


def changed(a, b, at_once):
    """at_once: more than one step may lie between a and b, so edges and births are not asked."""
    for table in KEPT:
        gone = a[table].keys() - b[table].keys()
        if gone:
            yield "rows of %s are gone: %s" % (table, sorted(map(str, gone)))
    for table in ("wipe_evidence", "audit"):
        for key, row in a[table].items():
            if key in b[table] and b[table][key] != row:
                yield "%s %s was changed" % (table, key)
    for table, columns in FIXED.items():
        for key, row in a[table].items():
            now = b[table].get(key, row)
            for c in columns:
                if now[c] != row[c]:
                    yield "%s of %s %s was changed" % (c, table, key)
    for key, row in a["usage"].items():
        now = b["usage"].get(key, row)
        if row["ended_at"] is not None and now["ended_at"] != row["ended_at"]:
            yield "the end of span %s was changed" % key
    for key, row in a["claim"].items():
        now = b["claim"].get(key, row)
        if row["live"] == 0 and now["live"] != 0:
            yield "claim %s lives again" % key
    for table in COUNTED:
        for key, now in b[table].items():
            row = a[table].get(key)
            if row is not None and row != now and now["generation"] <= row["generation"]:
                yield "%s %s changed, its generation did not grow" % (table, key)
            if at_once:
                continue
            if row is None and now["state"] != BIRTH[table]:
                yield "%s %s was born %s" % (table, key, now["state"])
            if row is not None and now["state"] != row["state"] and \
                    now["state"] not in EDGES[table].get(row["state"], ()):
                yield "%s %s went from %s to %s" % (table, key, row["state"], now["state"])
    for key, m in a["meta"].items():
        if b["meta"].get(key, m)["epoch"] < m["epoch"]:
            yield "the epoch went back"
    if at_once:
        return
    for key, row in a["slot"].items():
        now = b["slot"].get(key, row)
        if row["state"] != "disabled" and any(now[c] != row[c] for c in HARDWARE):
            yield "slot %s is %s, and consists of something else" % (key, row["state"])
    for key, row in a["claim"].items():
        now = b["claim"].get(key, row)
        slot = b["slot"].get(row["slot_id"])
        if row["live"] == 1 and now["live"] == 0 and slot and slot["state"] not in FREE:
            yield "claim %s ended, its slot %s is %s" % (key, slot["id"], slot["state"])


class Used:
    """Devices that somebody had since the evidence with that number: not wiped since."""

    def __init__(self, p, of=None):
        self.since = dict(of.since) if of else {
            i: 0 for i, d in p["device"].items() if d["dirty_since"] is not None}
        self.known = set(of.known) if of else set(p["device"])
        self.held = set(of.held) if of else set()  # slots that somebody has

    def copy(self):
        return Used(None, self)

    def look(self, p):
        """Takes in what the picture shows; says what is on sale and was not wiped since."""
        last = max((e["number"] for e in p["wipe_evidence"].values()), default=0)
        for i in p["device"].keys() - self.known:
            self.since[i] = 0
        self.known |= p["device"].keys()
        in_slots = {i for s in p["slot"].values() if not s["retired"]
                    for i in (s["nvme_wwid"], s["gpu_id"])}
        whole = {c["node_id"] for c in live(p) if c["claim_kind"] == "slot" and
                 p["allocation"][c["allocation_id"]]["shape"] == "baremetal" and
                 p["slot"][c["slot_id"]]["state"] in TENANTS}
        held = {s["id"] for s in p["slot"].values() if s["state"] in TENANTS}
        for slot in held - self.held:
            for i, _ in devices(p, p["slot"][slot]):
                self.since[i] = last
        self.held = held
        for i, d in p["device"].items():
            if d["node_id"] in whole and i not in in_slots:
                self.since.setdefault(i, last)
        for s in p["slot"].values():
            if s["state"] not in ON_SALE:
                continue
            for i, d in devices(p, s):
                if i not in self.since:
                    continue
                if any(e["number"] > self.since[i] and proves(e, s, d["device_kind"])
                       for e in p["wipe_evidence"].values()):
                    del self.since[i]
                else:
                    yield "slot %s is %s, nobody wiped device %s since it was used" % (
                        s["id"], s["state"], i)
