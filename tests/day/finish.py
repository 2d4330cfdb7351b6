# SPDX-License-Identifier: Apache-2.0
"""The end of the day: everything is given back, by the commands that the programs name."""

import shlex

from events import look, release_on_host, wipe
from host import dump
from recovery import bring_in

ROUNDS = 12


def give_all_back(day):
    for h in day.hosts.values():
        h.up = True
        day.shift += 1
    for node in sorted(day.unasked):
        bring_in(day, day.hosts[node])
    day.unasked = set()
    while day.late:
        day.fold(day.a, day.late.pop())
    for n in range(ROUNDS):
        for h in day.hosts.values():
            if not n or h.domains or h.node in busy_nodes(day):
                look(day, h)
        for row in day.a.sql("SELECT id FROM node WHERE state IN ('draining', 'quarantined') "
                             "ORDER BY number"):
            day.a.run("gpuaas-node", "undrain", row[0], "--reason", "looked at")
        follow_attention(day)
        refused = release_rest(day)
        by_hand(day)
        if is_over(day):
            day.log.append("given back after %d rounds" % (n + 1))
            return
    left = day.a.run("gpuaas-list", "attention").records
    day.shout("not given back after %d rounds:\n%s\n%s\n%s" % (
        ROUNDS, "\n".join(dump(r) for r in left[:8]),
        day.a.sql("SELECT id, state, node_id FROM slot WHERE state NOT IN ('available', "
                  "'retired') LIMIT 8"), "\n".join(refused)))


def busy_nodes(day):
    return {row[0] for row in day.a.sql(
        "SELECT node_id FROM slot WHERE state NOT IN ('available', 'retired') UNION SELECT id FROM "
        "node WHERE state <> 'active' UNION SELECT node_id FROM claim WHERE live = 1")}


def is_over(day):
    busy = day.a.sql("SELECT 1 FROM slot WHERE state NOT IN ('available', 'retired') OR "
                     "cordon_reason IS NOT NULL AND state <> 'retired' UNION ALL "
                     "SELECT 1 FROM claim WHERE live = 1 UNION ALL "
                     "SELECT 1 FROM allocation WHERE state NOT IN ('released', 'cancelled', "
                     "'refused')")
    return not busy


def follow_attention(day):
    done = set()
    for r in day.a.run("gpuaas-list", "attention").of("attention"):
        if r["command"] not in done:
            done.add(r["command"])
            follow(day, r)


def typed_there(words):
    """gpuaas-on [--nodes SELECTION] before what it runs: there, that is what is typed."""
    if words[0] != "gpuaas-on":
        return words
    return words[3:] if words[1] == "--nodes" else words[1:]


def follow(day, r):
    """One command line of attention. The part for the host is done on the simulated one."""
    first, *rest = [typed_there(shlex.split(x)) for x in r["command"].split("|")]
    first = [("as attention says" if w == "TEXT" else w) for w in first]
    if first[0] == "gpuaas-discover":
        day.a.run("gpuaas-approve", *rest[0][1:],
                  stdin="\n".join(day.hosts[r["node"]].discovery()) + "\n", allow=(0, 1, 4))
        return
    if {"gpuaas-reconcile", "gpuaas-provision"} & {first[0], *(x[0] for x in rest)} or \
            first[0] == "gpuaas-wipe":
        look(day, day.hosts[r["node"]])
        for h in day.hosts.values():
            wipe(day, h.pending(), quiet=True)
        return
    out = day.a.run(*first, allow=(0, 1, 4))
    if out.status == 4 and "has changed" not in out.err and "is released" not in out.err:
        day.log.append("%s: %s" % (r["command"], out.err.splitlines()[0]))
    release_on_host(day, out.of("release-order"), quiet=True)
    wipe(day, out.of("wipe-order"), quiet=True)


def release_rest(day):
    """Allocations that need nobody's attention are released all the same: the day is over. Returns
    those that were refused, with the reasons."""
    refused = []
    for row in day.a.allocations("placed", "provisioning", "active", "held", "failed",
                                 "releasing", "release_failed"):
        r = day.a.run("gpuaas-release", row[0], allow=(0, 4))
        if r.status:
            refused.append("%s: %s" % (row[0], r.err))
        release_on_host(day, r.of("release-order"), quiet=True)
    for row in day.a.slots("wiping"):
        r = day.a.run("gpuaas-approve", "repair", row[0], "--reason", "once more", allow=(0, 4))
        wipe(day, r.of("wipe-order"), quiet=True)
    for row in day.a.slots("disabled"):
        r = day.a.run("gpuaas-approve", "enable", row[0], allow=(0, 1, 4))
        wipe(day, r.of("wipe-order"), quiet=True)
    for row in day.a.sql("SELECT id FROM slot WHERE cordon_reason IS NOT NULL AND state <> "
                         "'retired'"):
        day.a.run("gpuaas-approve", "uncordon", row[0])
    return refused


def by_hand(day):
    """The work of a person: a domain that the state knows nothing of, a dead disk."""
    for h in day.hosts.values():
        live = {row[0] for row in day.a.allocations("placed", "provisioning", "active", "held",
                                                    "failed", "releasing", "release_failed")}
        for a in [a for a in h.domains if a not in live]:
            h.domains.pop(a)
            day.counts["domain ended by hand"] += 1
    for row in day.a.sql("SELECT s.id, s.state, s.nvme_wwid, s.node_id FROM slot s WHERE "
                         "s.state IN ('cleanup_blocked', 'quarantined', 'disabled')"):
        if row[2] not in day.hosts[row[3]].dead:
            continue
        if row[1] == "cleanup_blocked":
            day.a.run("gpuaas-approve", "quarantine", row[0], "--reason", "its disk is dead")
        if row[1] != "disabled":
            day.a.run("gpuaas-approve", "disable", row[0], "--reason", "its disk is dead")
        day.a.run("gpuaas-approve", "retire", row[0], "--reason", "its disk is dead",
                  "--disposal", "shredded")
        day.counts["disk disposed of"] += 1
