# SPDX-License-Identifier: Apache-2.0
"""The events of a day: each is a function of the day that says in words what it did."""

from host import Refused, WRITES, LOOKS, dump, sign

ENDED = ("released", "cancelled", "refused")


def fate_of_provision(day):
    n = day.rng.random()
    if n < 0.75:
        return "ok"
    if n < 0.80:
        return "fail:" + day.rng.choice(LOOKS[1:])
    if n < 0.90:
        return "fail:" + day.rng.choice(WRITES)
    return "die:" + day.rng.choice(LOOKS + WRITES)


def fate_of_wipe(day):
    return day.rng.choices(("ok", "failed", "unknown", "not_started", "die"),
                           (88, 3, 3, 3, 3))[0]


def choose(day, rows):
    return day.rng.choice(rows) if rows else None


# ---- what the host side does with orders ----

def provision(day, plan, c=None):
    """One plan on its host, and its results to the state, in whatever way they go today."""
    host = day.hosts[plan["node"]]
    if not host.up:
        return "host is down"
    fate = fate_of_provision(day)
    results = host.provision(plan, fate, progress=day.rng.random() < 0.3)
    return fate + ", " + deliver(day, results, c)


def wipe(day, orders, c=None, quiet=False):
    """Wipe orders on their hosts."""
    said = []
    for o in orders:
        host = day.hosts[o["node"]]
        if not host.up:
            said.append("down")
            continue
        fate = "ok" if quiet else fate_of_wipe(day)
        said.append(fate + " " + deliver(day, host.wipe(o, fate), c, quiet))
    return " ".join(said)


def release_on_host(day, orders, c=None, quiet=False):
    """Release orders on their hosts, then the wipes that follow."""
    said = []
    for o in orders:
        host = day.hosts[o["node"]]
        if not host.up:
            said.append("host is down")
            continue
        fate = "ok" if quiet else day.rng.choices(("ok", "fail", "die", "die_late"),
                                                  (85, 5, 5, 5))[0]
        out = host.release(o, fate)
        wipes = [r for r in out if r["kind"] == "gpuaas.wipe-order/1"]
        results = [r for r in out if r["kind"] != "gpuaas.wipe-order/1"]
        if wipes and not quiet and day.rng.random() < 0.2:  # the wipe's result comes first
            said.append("wiped first: " + wipe(day, wipes, c) + "; " + deliver(day, results, c))
            continue
        said.append(fate + " " + deliver(day, results, c, quiet))
        said.append(wipe(day, wipes, c, quiet))
    return "; ".join(said)


def deliver(day, results, c=None, quiet=False):
    """Results travel: at once, twice, later, or never (the host still has them)."""
    c = c or day.a
    if not results:
        return "nothing said"
    n = 0 if quiet else day.rng.random()
    if n > 0.92:
        return "lost"
    if n > 0.84:
        day.late.append(results)
        return "late"
    day.fold(c, results)
    if n > 0.78:
        day.fold(c, results)
        return "told twice"
    return "told"


# ---- ordinary ----

def place(day):
    argv = ["gpuaas-place", "--profile", "lab", "--gpus", str(day.rng.choice((1, 1, 1, 2, 2, 4))),
            "--project", day.rng.choice(("vision", "speech", "ops"))]
    if day.rng.random() < 0.3:
        argv += ["--run-time", day.rng.choice(("1h", "6h", "48h"))]
    r = day.a.run(*argv, allow=(0, 1))
    if not r.of("plan"):
        return "refused: " + r.of("refusal")[0]["code"]
    plan = r.of("plan")[0]
    day.plans.append(plan)
    if day.rng.random() < 0.1:
        return "%s: nobody takes it up" % plan["allocation"]
    return "%s on %s: %s" % (plan["allocation"], plan["node"], provision(day, plan))


def release(day):
    row = choose(day, day.a.allocations("placed", "provisioning", "active", "failed", "held",
                                        "releasing", "release_failed"))
    if not row:
        return None
    if row[2] == "provisioning":  # its host finishes or fails it first
        day.a.run("gpuaas-release", row[0], allow=(4,))
        host = day.hosts[row[1]]
        return "%s (%s): %s" % (row[0], row[2], reconcile_one(day, host) if host.up else "down")
    r = day.a.run("gpuaas-release", row[0])
    return "%s (%s): %s" % (row[0], row[2],
                            release_on_host(day, r.of("release-order")) or "cancelled")


def hold(day):
    row = choose(day, day.a.allocations("active"))
    if not row:
        return None
    r = day.a.run("gpuaas-release", "--hold", day.rng.choice(("10m", "3h")), row[0])
    return "%s: %s" % (row[0], give_holds(day, r))


def give_holds(day, r):
    return "; ".join(deliver(day, day.hosts[o["node"]].hold(o)) for o in r.of("hold-order")
                     if day.hosts[o["node"]].up)


def undo(day):
    row = choose(day, day.a.allocations("held"))
    if not row:
        return None
    r = day.a.run("gpuaas-release", "--undo", row[0])
    return "%s: %s" % (row[0], give_holds(day, r))


def holds_over(day):
    r = day.a.run("gpuaas-release", "--pending")
    return release_on_host(day, r.of("release-order")) or "none is over"


def time_passes(day):
    minutes = day.rng.choice((1, 5, 20, 45, 120))
    day.shift += minutes * 60
    return "%d minutes" % minutes


def plans_again(day):
    """gpuaas-list plan | gpuaas-provision, some of it given twice."""
    plans = day.a.run("gpuaas-list", "plan").of("plan")
    return "%d plans: " % len(plans) + "; ".join(
        provision(day, p) for p in plans for _ in range(day.rng.choice((1, 1, 2))))


def repair(day):
    row = choose(day, day.a.slots("cleanup_blocked", "wiping"))
    if not row:
        return None
    r = day.a.run("gpuaas-approve", "repair", row[0], "--reason", "again", allow=(0, 4))
    if r.status:
        return "%s: refused: %s" % (row[0], r.err.splitlines()[0])
    return "%s: %s" % (row[0], wipe(day, r.of("wipe-order")))


def slot_out(day):
    """One slot is taken out, or brought back, by a person."""
    row = choose(day, day.a.slots("available", "disabled", "quarantined", "cleanup_blocked"))
    if not row:
        return None
    verb = {"available": ("disable", "cordon", "quarantine"), "disabled": ("enable",),
            "quarantined": ("disable",), "cleanup_blocked": ("quarantine",)}[row[2]]
    verb = day.rng.choice(verb)
    r = day.a.run("gpuaas-approve", verb, row[0], "--reason", "a test", allow=(0, 1, 4))
    return "%s %s (%s): %d, %s" % (verb, row[0], row[2], r.status,
                                   wipe(day, r.of("wipe-order")))


def uncordon(day):
    row = choose(day, day.a.sql("SELECT id FROM slot WHERE cordon_reason IS NOT NULL AND "
                                "state <> 'retired' ORDER BY number"))
    if not row:
        return None
    day.a.run("gpuaas-approve", "uncordon", row[0])
    return row[0]


# ---- nodes ----

def node_of(day, *states):
    return choose(day, day.a.sql("SELECT id, state FROM node WHERE state IN (%s) ORDER BY number" %
                                 ",".join("?" * len(states)), *states))


def drain(day):
    row = node_of(day, "active")
    if not row:
        return None
    argv = ["gpuaas-node", "drain", row[0], "--reason", "new firmware"]
    if day.rng.random() < 0.5:
        argv += ["--deadline", "1h"]
    r = day.a.run(*argv, allow=(0, 1))
    blockers = r.of("drain-blocker")
    agreed = [b["object"] for b in blockers if b["state"] == "active" and day.rng.random() < 0.6]
    if not agreed:
        return "%s: %d in the way" % (row[0], len(blockers))
    r = day.a.run("gpuaas-node", "drain", row[0], "--evacuate",
                  *[x for a in agreed for x in ("--consent", a)], allow=(0, 1, 4))
    day.plans += r.of("plan")
    said = [provision(day, p) for p in r.of("plan")]
    return "%s, %d evacuated: %s; %s" % (row[0], len(said), "; ".join(said),
                                         release_on_host(day, r.of("release-order")))


def undrain(day):
    row = node_of(day, "draining", "quarantined")
    if not row:
        return None
    day.a.run("gpuaas-node", "undrain", row[0], "--reason", "looked at")
    return "%s (%s)" % row


def quarantine_node(day):
    row = node_of(day, "active", "draining")
    if not row:
        return None
    day.a.run("gpuaas-node", "quarantine", row[0], "--reason", "smoke")
    return row[0]


def host_down(day):
    up = [h for h in day.hosts.values() if h.up]
    if len(up) < len(day.hosts) * 3 // 4:
        return None
    host = day.rng.choice(up)
    host.up = False
    return host.node


def host_back(day):
    down = [h for h in day.hosts.values() if not h.up]
    if not down:
        return None
    host = day.rng.choice(down)
    host.up = True
    if day.rng.random() < 0.5:
        host.boot()
    return "%s: %s" % (host.node, look(day, host))


def lost(day):
    """A host that is down is given up; it may come back all the same."""
    down = [h for h in day.hosts.values() if not h.up]
    if not down:
        return None
    host = day.rng.choice(down)
    r = day.a.run("gpuaas-node", "lost", host.node, "--reason", "it burnt", "--yes",
                  allow=(0, 4))
    return "%s: %d" % (host.node, r.status)


def reboot(day):
    host = day.rng.choice([h for h in day.hosts.values() if h.up])
    host.boot()
    return "%s: %s" % (host.node, look(day, host) if day.rng.random() < 0.7 else "nobody looks")


def look(day, host, c=None, take_over=False):
    """discover | approve --record-only, then reconcile --repair --boot."""
    c = c or day.a
    c.run("gpuaas-approve", "--record-only", stdin="\n".join(host.discovery()) + "\n")
    return reconcile_one(day, host, c, take_over)


def reconcile_one(day, host, c=None, take_over=False):
    c = c or day.a
    want = c.run("gpuaas-state", "expect", "--node", host.node).of("expectation")[0]
    try:
        out = host.reconcile(want, boot=True, take_over=take_over)
    except Refused as e:
        return "refused: " + e.args[1]
    day.fold(c, out)
    return "%d records" % len(out)


def reconcile(day):
    hosts = [h for h in day.hosts.values() if h.up]
    return "; ".join(h.node + " " + reconcile_one(day, h)
                     for h in day.rng.sample(hosts, min(3, len(hosts))))


def disk_dies(day):
    host = day.rng.choice(list(day.hosts.values()))
    wwid = day.rng.choice(sorted(host.data))
    host.dead.add(wwid)
    return "%s of %s" % (wwid, host.node)


# ---- telling ----

def late_results(day):
    """Records that were under way arrive, in any order."""
    if not day.late:
        return None
    batch, day.late = day.late, []
    records = [r for results in batch for r in results]
    day.rng.shuffle(records)
    day.fold(day.a, records)
    return "%d records" % len(records)


def replay(day):
    """Old results once more: nothing may move."""
    if not day.history:
        return None
    records = day.rng.sample(day.history, min(6, len(day.history)))
    before = day.picture()
    day.a.fold(records)
    day.same(before, "a replay of old results")
    return "%d records" % len(records)


def lie(day):
    """Somebody with a host's key says what is not so: nothing may move."""
    if not day.history:
        return None
    r = dict(day.rng.choice(day.history))
    liar = r["node"]
    how = day.rng.choice(("attempt", "generation", "node", "dry_run", "lab", "signature"))
    if how == "attempt":
        r["attempt"] = day.new_id()
    elif how == "generation":
        r["generation"] = 999
    elif how == "node":
        r["node"] = day.rng.choice(sorted(set(day.hosts) - {r["node"]}))
    elif how == "signature" and "signature" in r:
        r["signature"] = {**r["signature"], "value": "A" * 86 + "=="}
    elif how in r:
        r[how] = not r[how]
    else:
        return None
    if r["kind"] in ("gpuaas.drift/1", "gpuaas.observation/1") and how != "signature":
        return None  # these name no order: a node is believed about itself
    if how != "signature":
        r = sign(r, liar)
    before = day.picture()
    day.a.fold([r])
    day.same(before, "a lie (%s) about %s" % (how, r["kind"]))
    return how + " of a " + r["kind"]


def at_once(day):
    """Several operators and hosts at the same moment."""
    calls = [(["gpuaas-place", "--profile", "lab", "--gpus", "1"], "")
             for _ in range(day.rng.randint(2, 4))]
    victims = day.a.allocations("active", "failed")
    for row in day.rng.sample(victims, min(2, len(victims))):
        calls.append((["gpuaas-release", row[0]], ""))
        calls.append((["gpuaas-release", row[0]], ""))
    calls.append((["gpuaas-list", "attention"], ""))
    if day.late:
        batch = day.late.pop()
        day.note_told(batch)
        calls.append((["gpuaas-state", "fold", "-"], "".join(dump(r) + "\n" for r in batch)))
    results = day.a.together(calls, (0, 1, 4, 5, 6, 7, 8, 9))
    said, orders = [], {}
    for r in results:
        for plan in r.of("plan"):
            day.plans.append(plan)
            said.append(provision(day, plan))
        for o in r.of("release-order"):
            orders[o["attempt"]] = o
    return "%d programs, %d turns: %s; %s" % (len(calls), day.a.turns, "; ".join(said),
                                              release_on_host(day, list(orders.values())))


def old_orders(day):
    """An order of long ago is given to its host again; whatever it says is folded."""
    if not day.plans:
        return None
    plan = day.rng.choice(day.plans)
    host = day.hosts[plan["node"]]
    if not host.up:
        return None
    out = host.provision(plan)
    day.fold(day.a, out)
    return "%s: %s" % (plan["allocation"], out[-1].get("code") or out[-1].get("state"))
