# SPDX-License-Identifier: Apache-2.0
"""Backups, restores in the middle of the day, and second controllers by mistake."""

import shutil

from control import Control
from events import deliver, look, release_on_host, wipe
from host import Refused


def backup(day):
    path = day.dir + "/backup.%d" % day.step
    day.a.run("gpuaas-state", "backup", path)
    day.backups.append((path, set(day.told)))
    return path


def restore(day):
    """The state is put back to a backup; then the way of gpuaas-operations(7)."""
    if not day.backups:
        return None
    path, told = day.backups[-1]
    # At the time of the restore what is known of hosts is what the backup knew.
    day.a.run("gpuaas-state", "restore", path, "--reason", "a disk died")
    day.told = told
    day.history = []  # results since then are news again
    down = [h for h in day.hosts.values() if not h.up]
    said = [bring_in(day, h) for h in day.hosts.values() if h.up]
    day.unasked = {h.node for h in down}
    return "%s: %s" % (path, ", ".join(s for s in said if s))


def bring_in(day, host):
    """Of one host: adopt what it knows, let it agree, wipe what cannot be adopted."""
    day.a.run("gpuaas-state", "adopt", "--reason", "restored", "-",
              stdin="\n".join(host.inventory()) + "\n", allow=(0, 1))
    look(day, host, take_over=True)
    r = day.a.run("gpuaas-state", "adopt", "--reason", "restored", "--wipe", "-",
                  stdin="\n".join(host.inventory()) + "\n", allow=(0, 1))
    day.tell_works(host)
    orders = r.of("wipe-order")
    if orders:
        return "%s: %s" % (host.node, wipe(day, orders, quiet=True))
    return ""


def ask_unasked(day):
    """A host that was down at the restore and is back."""
    nodes = sorted(n for n in day.unasked if day.hosts[n].up)
    if not nodes:
        return None
    for n in nodes:
        bring_in(day, day.hosts[n])
        day.unasked.discard(n)
    return ", ".join(nodes)


def second_restored(day):
    """Somebody restores a backup on another machine and works with it: the hosts say no."""
    if not day.backups:
        return None
    b = Control(day, day.dir + "/second.%d.db" % day.step)
    b.run("gpuaas-state", "restore", day.backups[-1][0], "--reason", "a look")
    before = day.truth()
    said = []
    for host in [h for h in day.hosts.values() if h.up and h.serves][:3]:
        want = b.run("gpuaas-state", "expect", "--node", host.node).of("expectation")[0]
        try:
            day.fold(b, host.reconcile(want))
            said.append("agreed")
        except Refused as e:
            said.append(e.args[1])
    r = b.run("gpuaas-place", "--profile", "lab", "--gpus", "1", allow=(0, 1))
    if r.of("plan"):
        day.shout("the second controller sold a slot that it knows nothing of")
    for row in b.allocations("active")[:2]:
        r = b.run("gpuaas-release", row[0])
        for o in r.of("release-order"):
            if day.hosts[o["node"]].up and day.hosts[o["node"]].serves:
                out = day.hosts[o["node"]].release(o)
                said.append(out[0].get("code") or out[0]["kind"])
                day.fold(b, out)
    if day.truth() != before:
        day.shout("the second controller changed a host")
    b.run("gpuaas-state", "check")
    return ", ".join(said)


def second_copied(day):
    """Somebody copies the file: to hosts it is the same controller, and their guards hold."""
    if day.unasked:
        return None
    path = day.dir + "/copy.%d.db" % day.step
    day.a.run("gpuaas-state", "backup", path)
    b = Control(day, path)
    said = []
    for _ in range(2):
        r = b.run("gpuaas-place", "--profile", "lab", "--gpus", "1", allow=(0, 1))
        for plan in r.of("plan"):
            host = day.hosts[plan["node"]]
            if not host.up:
                continue
            day.strangers.add(plan["allocation"])
            out = host.provision(plan)
            b.fold(out)
            # The other controller gets the results of these orders as well.
            day.a.fold(out)
            said.append("%s on %s: %s" % (plan["allocation"], host.node,
                                          out[-1].get("code") or "runs"))
    if day.rng.random() < 0.5:
        for row in b.allocations("active"):
            if row[0] in day.strangers:
                r = b.run("gpuaas-release", row[0])
                said.append(release_on_host(day, r.of("release-order"), b, quiet=True))
    b.run("gpuaas-state", "check")
    shutil.rmtree(path, ignore_errors=True)
    return "; ".join(said) or deliver(day, [])
