# SPDX-License-Identifier: Apache-2.0
"""A simulated GPU host: what the host programs would do and say, without doing it.

It has disks, domains, a journal of the orders it took up, and the guards of the real programs
(gpuaas-provision, -release, -wipe, -reconcile): an order that those refuse is refused here with the
same code. Beyond them it knows what really is on each disk, and calls `shout` where an order would
have sold something twice or unwiped and nobody could be excused for it.
"""

import hashlib
import json
import os
import subprocess
import sys

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from proof import RULES, capabilities, device, devices, nothing, proof, step
from signer import key_of, sign

WRITES = ["clone", "seed", "network", "devices", "fabric", "define", "start", "ssh_ready"]
LOOKS = ["hold", "recheck", "prerequisites"]


def dump(o):
    return json.dumps(o, separators=(",", ":"), ensure_ascii=False)


def digest(text):
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


class Refused(Exception):
    """A guard said no: phase, code, sentence, status."""


class Host:
    def __init__(self, day, discovery, prepared):
        self.day = day
        self.host = discovery[0]
        self.candidates = discovery[1:-1]
        self.node = self.host["node"]
        self.boots, self.up = 0, True
        # The real content of each disk: the allocation whose data it holds, or None.
        self.data = {c["nvme"]["wwid"]: "factory" for c in self.candidates}
        self.dead = set()  # disks that cannot be wiped any more
        self.domains = {}  # allocation: {"plan", "on"}
        self.works = {}    # attempt: {"program", "object", "order", "state", "result", "at"}
        self.orders = []   # wipe orders that wait
        self.unwiped = {}  # wwid: allocation; what host.db knows (a disk journal entry)
        self.previous = None
        self.wipes_nothing = False  # what it says of wipes is a lie (day --break wipe)
        self.serves = None  # {"controller", "epoch"}; which state's orders are carried out
        if prepared:
            self.make_key()
        self.boot()

    # ---- records ----

    def boot(self):
        self.boots += 1
        seed = hashlib.sha256(("%s %d" % (self.node, self.boots)).encode()).hexdigest()
        self.boot_id = "%s-%s-4%s-8%s-%s" % (seed[:8], seed[8:12], seed[13:16], seed[17:20],
                                             seed[20:32])
        self.host["boot_id"] = self.boot_id
        for d in self.domains.values():
            d["on"] = False

    def sign(self, records):
        """As the programs do: orders as they are, results with the host's key."""
        self.make_key()
        return [sign(r, self.node) if r["kind"] in SIGNED else r for r in records]

    def make_key(self):
        self.host["node_key"] = key_of(self.node)[1]

    def discovery(self):
        self.host["observed_at"] = self.day.now()
        lines = [dump(self.host)] + [dump(c) for c in self.candidates]
        text = "".join(line + "\n" for line in lines)
        return lines + [dump({"kind": "gpuaas.end/1", "node": self.node,
                              "count": len(self.candidates), "digest": digest(text),
                              "fingerprint": self.host["fingerprint"]})]

    def failure(self, order, program, phase, code, sentence, status):
        return {"kind": "gpuaas.failure/1", "node": self.node, "object": order["allocation"],
                "attempt": order["attempt"], "generation": order["generation"],
                "program": "gpuaas-" + program, "phase": phase, "code": code,
                "sentence": sentence, "hint": None, "status": status, "at": self.day.now(),
                "dry_run": False}

    def progress(self, order, phase, state):
        return {"kind": "gpuaas.progress/1", "node": self.node,
                "object": order.get("object") or order["allocation"],
                "attempt": order["attempt"], "generation": order["generation"], "phase": phase,
                "state": state, "at": self.day.now(), "elapsed_micros": 1000, "bytes": None,
                "total_bytes": None, "detail": None}

    def take_up(self, order, program, obj):
        self.works[order["attempt"]] = {
            "program": program, "object": obj, "attempt": order["attempt"], "order": order,
            "state": "working", "result": None, "at": self.day.now()}
        return self.works[order["attempt"]]

    @staticmethod
    def end(work, state, result):
        work["state"], work["result"] = state, result
        return result

    # ---- whose orders ----

    def serve(self, order, take_over=False):
        """lib/state/host/served.c: one state at a time, and a person's word for another one."""
        controller = order.get("controller")
        taken_up = order["kind"] not in ("gpuaas.hold-order/1", "gpuaas.expectation/1") and (
            order["attempt"] in self.works or
            order["attempt"] in (o["attempt"] for o in self.orders))
        if not controller or taken_up:
            return
        if self.serves is None or take_over:
            self.serves = {"controller": controller, "epoch": order["epoch"]}
        if self.serves["controller"] != controller:
            raise Refused("hold", "other_controller", "this host serves state %s of epoch %d" % (
                self.serves["controller"], self.serves["epoch"]), 4)

    # ---- provision ----

    def check_plan(self, plan, known):
        whole = {k: v for k, v in plan.items() if k != "digest"}
        if digest(dump(whole)) != plan["digest"]:
            raise Refused("hold", "old_digest", "not the digest it names", 4)
        if plan["node"] != self.node:
            raise Refused("hold", "wrong_node", "for another node", 4)
        self.serve(plan)
        if known and known["order"] != plan:
            raise Refused("clone", "old_digest", "begun with another text", 4)
        if not known and plan["expires_at"] <= self.day.now():
            raise Refused("hold", "expired", "it expired", 4)
        if known and known["state"] != "working":
            return
        if plan["boot_id"] and plan["boot_id"] != self.boot_id:
            raise Refused("recheck", "other_boot", "the host was restarted", 4)
        if plan["fingerprint"] and plan["fingerprint"] != self.host["fingerprint"]:
            raise Refused("recheck", "fingerprint_changed", "other hardware", 4)
        for b in plan["bundles"]:
            self.check_bundle(plan, b, known)

    def check_bundle(self, plan, b, known):
        wwid, me = b["nvme_wwid"], plan["allocation"]
        if wwid not in self.data:
            raise Refused("recheck", "missing_nvme", "no such disk", 5)
        for other, d in self.domains.items():
            if other != me and any(o["nvme_wwid"] == wwid or
                                   o["gpu_identity"] == b["gpu_identity"]
                                   for o in d["plan"]["bundles"]):
                self.day.sold(self, plan, wwid, other, "runs on it")
                raise Refused("recheck", "device_in_use", "used by %s" % other, 4)
        if not known and self.unwiped.get(wwid):
            self.day.sold(self, plan, wwid, self.unwiped[wwid], "left data on it")
            raise Refused("recheck", "not_wiped", "written by %s" % self.unwiped[wwid], 4)

    def provision(self, plan, fate="ok", progress=False):
        """fate: ok, fail:PHASE, die:PHASE (no record follows, the attempt stays open)."""
        known = self.works.get(plan["attempt"])
        try:
            self.check_plan(plan, known)
            if known and known["state"] != "working":
                if not known["result"]:
                    raise Refused("hold", "undone", "undone when its allocation had ended", 4)
                return self.sign([known["result"]])
            return self.sign(self.carry_out(plan, known, fate, progress))
        except Refused as e:
            phase, code, sentence, status = e.args
            f = self.failure(plan, "provision", phase, code, sentence, status)
            if known and known["state"] == "working" and phase not in LOOKS[:1]:
                self.end(known, "failed", f)
            return self.sign([f])

    def carry_out(self, plan, known, fate, progress):
        how, _, at = fate.partition(":")
        out = []
        for phase in LOOKS + WRITES:
            if phase in WRITES and not known:
                known = self.take_up(plan, "provision", plan["allocation"])
            if how == "die" and at == phase:
                return out if progress else []
            if how == "fail" and at == phase:
                f = self.failure(plan, "provision", phase, "failed", phase + " said no", 9)
                if known:
                    self.end(known, "failed", f)
                return out + [f]
            if phase == "clone":
                self.write(plan)
            if phase == "define":
                self.domains[plan["allocation"]] = {"plan": plan, "on": False}
            if phase == "start":
                self.domains[plan["allocation"]]["on"] = True
            if progress and phase in WRITES:
                out.append(self.progress(plan, phase, "finished"))
        return out + [self.end(known, "done", self.running(plan))]

    def write(self, plan):
        for b in plan["bundles"]:
            wwid, me = b["nvme_wwid"], plan["allocation"]
            if self.data[wwid] not in (None, me):
                self.day.shout("host %s: %s of %s gets %s, and %s's data was not wiped" % (
                    self.node, wwid, b["slot"], me, self.data[wwid]))
            self.data[wwid] = self.unwiped[wwid] = me

    def running(self, plan):
        at = self.day.now()
        return {"kind": "gpuaas.allocation/1", "allocation": plan["allocation"],
                "name": plan["name"], "node": self.node, "generation": plan["generation"],
                "attempt": plan["attempt"], "dry_run": False, "state": "active", "since": at,
                "reason": None, "project": plan["project"], "profile": plan["profile"],
                "shape": "slice", "type": None, "profile_version": plan["profile_version"],
                "count": plan["count"], "priority": 100,
                "slots": [b["slot"] for b in plan["bundles"]], "power_wanted": "on",
                "power_observed": "on",
                "access": {"user": "ubuntu", "address": plan["private_ip"], "jump_host": None,
                           "host_key_fingerprint": None},
                "network": None,
                "phases": [{"phase": p, "started_at": at, "elapsed_micros": 1000, "bytes": None,
                            "detail": None} for p in LOOKS + WRITES],
                "created_at": plan["created_at"], "expires_at": None, "lab": True}

    # ---- hold ----

    def hold(self, order):
        try:
            self.serve(order)
        except Refused as e:
            return self.sign([self.failure(order, "release", *e.args)])
        d = self.domains.get(order["allocation"])
        if not d or d["plan"]["attempt"] != order["attempt"]:
            return []
        d["on"] = order["action"] == "undo"
        return self.sign([{
            "kind": "gpuaas.power/1", "allocation": order["allocation"], "node": self.node,
            "generation": order["generation"], "attempt": order["attempt"], "dry_run": False,
            "power_wanted": "on" if d["on"] else "off",
            "power_observed": "on" if d["on"] else "off", "reason": "by_order",
            "order_issued_at": order["issued_at"], "at": self.day.now(),
            "lab": True}])

    # ---- release ----

    def release(self, order, fate="ok"):
        """fate: ok, fail, die. Results first, then the wipe orders."""
        known = self.works.get(order["attempt"])
        try:
            self.serve(order)
        except Refused as e:
            return self.sign([self.failure(order, "release", *e.args)])
        if known and known["state"] == "done":
            return self.sign([known["result"]]) + self.wipe_orders(order)
        work = known or self.take_up(order, "release", order["allocation"])
        if fate == "fail":
            return self.sign([self.failure(order, "release", "vm_stopped", "vm_stuck",
                                           "domain still runs", 9)])
        if fate == "die":
            return []
        self.domains.pop(order["allocation"], None)
        if fate == "die_late":
            return []
        for o in self.wipe_orders(order):
            self.keep(o)
        return self.sign([self.end(work, "done", {
            "kind": "gpuaas.released/1", "allocation": order["allocation"], "node": self.node,
            "generation": order["generation"], "attempt": order["attempt"], "dry_run": False,
            "at": self.day.now(), "steps": [step("vm_stopped", "confirmed")],
            "slots": [b["slot"] for b in order["bundles"]], "lab": True,
        })]) + self.wipe_orders(order)

    def wipe_orders(self, order):
        return [{"kind": "gpuaas.wipe-order/1", "node": self.node, "object": b["slot"],
                 "claim": b["claim"], "allocation": order["allocation"],
                 "generation": b["generation"], "attempt": b["wipe_attempt"], "dry_run": False,
                 "issued_at": order["issued_at"], "cause": "release",
                 "nvme_wwid": b["nvme_wwid"], "nvme_serial": b["nvme_serial"],
                 "nvme_path": b["nvme_path"], "nvme_size_bytes": b["nvme_size_bytes"],
                 "destroy_data": None, "gpu_identity": b["gpu_identity"],
                 "gpu_pci_address": b["gpu_pci_address"], "gpu_device": b["gpu_device"],
                 "fabric_vf_pci_address": b["fabric_vf_pci_address"],
                 "fabric_pf_pci_address": b["fabric_pf_pci_address"], "wipe": order["wipe"],
                 "lab": True, **{k: order[k] for k in ("epoch", "controller") if k in order}}
                for b in order["bundles"]]

    def keep(self, order):
        if order["attempt"] not in (o["attempt"] for o in self.orders):
            self.orders.append(order)

    # ---- wipe ----

    def wipe(self, order, fate="ok"):
        """fate: ok, failed, unknown, not_started, die."""
        known = self.works.get(order["attempt"])
        try:
            self.serve(order)
        except Refused as e:
            f = self.failure(order, "wipe", *e.args)
            f["object"] = order["object"]
            return self.sign([f])
        self.keep(order)
        if known and known["state"] == "done" and not self.unwiped.get(order["nvme_wwid"]):
            return self.sign([known["result"]])
        work = known or self.take_up(order, "wipe", order["object"])
        wwid, at = order["nvme_wwid"], self.day.now()
        if fate == "die":
            return []
        if any(b["nvme_wwid"] == wwid for d in self.domains.values()
               for b in d["plan"]["bundles"]):
            fate = "not_started"
        elif wwid in self.dead and fate == "ok":
            fate = "failed"
        outcome = "confirmed" if fate == "ok" else fate
        if outcome == "confirmed":
            if self.held_by(wwid):
                self.day.shout("host %s wiped %s below %s" % (self.node, wwid,
                                                              self.held_by(wwid)))
            if not self.wipes_nothing:
                self.data[wwid] = None
            self.unwiped.pop(wwid, None)
        e = self.evidence(order, outcome, at)
        self.end(work, "done" if outcome == "confirmed" else "failed", e)
        return self.sign([e])

    def held_by(self, wwid):
        for allocation, d in self.domains.items():
            if any(b["nvme_wwid"] == wwid for b in d["plan"]["bundles"]):
                return allocation
        return None

    def evidence(self, o, outcome, at):
        good = outcome == "confirmed"
        done = "confirmed" if good else "not_proven"
        e = {
            "kind": "gpuaas.wipe-evidence/1", "evidence": self.day.new_id(), "node": self.node,
            "object": o["object"], "claim": o["claim"], "allocation": o["allocation"],
            "generation": o["generation"], "attempt": o["attempt"], "dry_run": False,
            "started_at": at, "finished_at": self.day.now(), "boot_id": self.boot_id,
            "cause": o["cause"],
            "device": device(o), "capabilities": capabilities(o), "policy": o["wipe"],
            **(proof(o, at) if good else nothing()), **devices(o, done),
            "gpu_identity": o["gpu_identity"],
            "class": o["wipe"]["minimum_class"] if good else "none", "outcome": outcome,
            "reason": None if good else "the simulated disk said " + outcome,
            "status": 0 if good else 9, "lab": True, "tool": "tests/day", "rules": RULES,
            "previous_digest": self.previous,
        }
        e["digest"] = self.previous = digest(dump(e))
        return e

    def pending(self):
        """gpuaas-wipe --pending: the newest order of each slot that has no confirmed evidence."""
        newest = {o["object"]: o for o in self.orders}
        return [o for o in newest.values()
                if self.works.get(o["attempt"], {}).get("state") != "done"]

    # ---- reconcile ----

    def drift(self, obj, code, severity, repaired=False):
        return {"kind": "gpuaas.drift/1", "node": self.node, "object": obj, "code": code,
                "severity": severity, "expected": "x", "observed": "y", "observation": "bad",
                "age_seconds": 0, "repair": None, "command": None, "repaired": repaired,
                "at": self.day.now()}

    def reconcile(self, want, repair=True, boot=False, take_over=False):
        self.serve(want, take_over)
        live = {a["allocation"]: a for a in want["allocations"]}
        out, found = [], []
        for attempt in list(self.works):
            out += self.look_at(self.works[attempt], want, live, found, repair)
        for a in live.values():
            d = self.domains.get(a["allocation"])
            if a["state"] in ("active", "held") and not d:
                found.append(self.drift(a["allocation"], "domain_missing", "error"))
            elif a["state"] == "active" and not d["on"] and a["power"] == "on":
                d["on"] = repair and boot
                found.append(self.drift(a["allocation"], "power_off", "error", d["on"]))
        for allocation in self.domains:
            if allocation not in live:
                found.append(self.drift("gpuaas-" + allocation, "domain_orphan", "error"))
        left = [f for f in found if not f["repaired"]]
        out += found
        out.append({"kind": "gpuaas.observation/1", "node": self.node, "at": self.day.now(),
                    "boot_id": self.boot_id, "fingerprint": self.host["fingerprint"],
                    "agreed": not any(f["severity"] == "error" for f in left),
                    "journal_open": 0, "drifts": len(left),
                    "allocations": [{"allocation": a, "power": "on" if d["on"] else "off"}
                                    for a, d in self.domains.items()]})
        return self.sign(out)

    @staticmethod
    def unsigned(records):
        """Records of reconcile without their own signatures: it signs once, at its end."""
        return [{k: v for k, v in r.items() if k != "signature"} for r in records]

    def newest(self, work):
        return [w for w in self.works.values() if w["object"] == work["object"]][-1] is work

    def look_at(self, w, want, live, found, repair):
        """An order of before: its result once more, or what was left half done."""
        a = live.get(w["object"])
        mine = a and a["attempt"] == w["attempt"]
        if w["state"] == "working" and self.newest(w):
            if w["program"] == "wipe" or not repair:
                found.append(self.drift(w["object"], "attempt_open", "warning"))
                return []
            return self.resume(w, a, found)
        awaited = mine and a["state"] in (("placed", "provisioning")
                                          if w["program"] == "provision" else ("releasing",))
        if w["program"] == "wipe":
            awaited = any(s["bundle"]["slot"] == w["object"] and s["state"] == "wiping" and
                          s["bundle"]["wipe_attempt"] == w["attempt"] for s in want["slots"])
        if w["state"] == "working" or not awaited or not self.newest(w):
            return []
        told = repair and not (w["program"] == "wipe" and
                               self.unwiped.get(w["order"]["nvme_wwid"]))
        found.append(self.drift(w["object"], "result_untold", "warning", told))
        return [w["result"]] if told else []

    def resume(self, w, a, found):
        if w["program"] == "provision" and a and a["state"] in ("placed", "provisioning"):
            found.append(self.drift(w["object"], "attempt_open", "warning", True))
            try:
                self.check_plan(w["order"], w)
                return self.carry_out(w["order"], w, "ok", False)
            except Refused as e:
                return [self.end(w, "failed",
                                 self.failure(w["order"], "provision", *e.args))]
        off = not self.domains.get(w["object"], {"on": False})["on"]
        if w["program"] == "release" and a and off:
            found.append(self.drift(w["object"], "attempt_open", "warning", True))
            return [r for r in self.unsigned(self.release(w["order"]))
                    if r["kind"] in SIGNED]
        if not a and w["program"] == "provision" and off:
            # Of an allocation that has ended: the journal is undone, the disk waits for a wipe.
            self.domains.pop(w["object"], None)
            self.end(w, "failed", None)
            return []
        found.append(self.drift(w["object"], "attempt_open", "warning"))
        return []

    # ---- inventory ----

    def inventory(self):
        newest = {}
        for w in self.works.values():
            newest[w["program"], w["object"]] = w
        lines = []
        for w in newest.values():
            wwid = w["order"].get("nvme_wwid")
            domain = self.domains.get(w["object"])
            lines.append(dump({
                "kind": "gpuaas.inventory-work/1", "node": self.node, "object": w["object"],
                "object_kind": "slot" if w["program"] == "wipe" else "allocation",
                "program": w["program"], "attempt": w["attempt"], "state": w["state"],
                "started_at": w["at"], "order": w["order"], "result": w["result"],
                "power": None if w["program"] == "wipe" else "absent" if not domain else
                         "on" if domain["on"] else "off",
                "unwiped_by": self.unwiped.get(wwid) if w["program"] == "wipe" else None}))
        text = "".join(line + "\n" for line in lines)
        end = {"kind": "gpuaas.inventory/1", "node": self.node, "at": self.day.now(),
               "count": len(lines), "domains_known": True, "host": self.host,
               "candidates": self.candidates, "digest": digest(text)}
        self.host["observed_at"] = self.day.now()
        return lines + [dump(self.sign([end])[0])]


# ---- signatures ----

SIGNED = {"gpuaas." + k + "/1" for k in (
    "progress", "allocation", "released", "wipe-evidence", "observation", "drift", "failure",
    "power", "inventory")}
