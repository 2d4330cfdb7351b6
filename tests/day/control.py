# SPDX-License-Identifier: Apache-2.0
"""A controller: one state file, and the real programs on it, each call timed and judged."""

import json
import os
import random
import select
import socket
import subprocess
import time

from host import dump
import database  # after host: it stands in the folder that host.py finds

# No program may end so, whatever its arguments: a bad record, the system, a signal.
NEVER = {2, 3, 10}


class Result:
    def __init__(self, argv, status, out, err):
        self.argv, self.status, self.err = argv, status, err
        self.records = [json.loads(line) for line in out.splitlines()]

    def of(self, kind):
        return [r for r in self.records if r["kind"] == "gpuaas.%s/1" % kind]


class Control:
    def __init__(self, day, path):
        self.day, self.path = day, path
        self.calls = self.turns = 0

    def env(self):
        d = self.day
        d.calls += 1
        return {**os.environ, "GPUAAS_STATE": self.path, "GPUAAS_NODE": "controller",
                "GPUAAS_HOST_DIR": d.dir + "/nohost", "LD_PRELOAD": d.preload,
                "DAY_SHIFT": str(d.shift), "DAY_RANDOM": str(d.seed * 1000003 + d.calls * 7919)}

    def start(self, argv, stdin="", turn=None):
        """A process whose input is given at once; finish() takes its result. turn: its end of the
        socket by which it asks for its turns (preload.c)."""
        name, env = self.day.dir + "/%s.%d", self.env()
        if turn is not None:
            env["DAY_TURN"] = str(turn.fileno())
        with open(name % ("in", self.day.calls), "w+", encoding="utf-8") as f:
            f.write(stdin)
            f.seek(0)
            out = open(name % ("out", self.day.calls), "w+", encoding="utf-8")
            err = open(name % ("err", self.day.calls), "w+", encoding="utf-8")
            p = subprocess.Popen(argv, stdin=f, stdout=out, stderr=err, env=env,
                                 pass_fds=(turn.fileno(),) if turn is not None else ())
        for f in (f, out, err):
            os.unlink(f.name)
        p.argv, p.began, p.texts = argv, time.monotonic(), (out, err)
        return p

    def finish(self, p, allow=(0,)):
        try:
            p.wait(timeout=120)
        except subprocess.TimeoutExpired:
            p.kill()
            self.day.shout("%s did not end" % " ".join(p.argv))
        texts = []
        for f in p.texts:
            f.seek(0)
            texts.append(f.read())
            f.close()
        out, err = texts
        self.day.took(p.argv, time.monotonic() - p.began)
        self.day.heard(p.argv, p.returncode, err)
        if p.returncode not in allow or p.returncode in NEVER or p.returncode < 0:
            self.day.shout("%s ended with %d:\n%s%s" % (" ".join(p.argv), p.returncode, err, out))
        return Result(p.argv, p.returncode, out, err)

    def run(self, *argv, stdin="", allow=(0,)):
        return self.finish(self.start(list(argv), stdin), allow)

    def together(self, calls, allow):
        """Several programs at the same time; [(argv, stdin)]. Each stops before each turn that it
        takes at the state; when all wait there or have ended, the seed says whose turn it is. So
        every interleaving of their transactions can come, and comes again with its seed."""
        rng = random.Random(self.day.seed * 1000003 + self.day.step)
        started, sockets, self.turns = [], {}, 0
        for i, (argv, stdin) in enumerate(calls):
            ours, theirs = socket.socketpair()
            started.append(self.start(list(argv), stdin, theirs))
            theirs.close()
            sockets[i] = ours
        running, waiting, deadline = set(sockets), set(), time.monotonic() + 120
        while running or waiting:
            if not running:
                i = rng.choice(sorted(waiting))
                waiting.remove(i)
                running.add(i)
                self.turns += 1
                sockets[i].send(b"!")
            ready, _, _ = select.select([sockets[i] for i in running], [], [],
                                        max(0, deadline - time.monotonic()))
            if not ready:
                self.day.shout("%s: neither ended nor came to its turn" % "; ".join(
                    " ".join(started[i].argv) for i in sorted(running)))
            for i in sorted(running):
                if sockets[i] in ready:
                    running.remove(i)
                    if sockets[i].recv(1):
                        waiting.add(i)
        for s in sockets.values():
            s.close()
        return [self.finish(p, allow) for p in started]

    def fold(self, records, clean=False):
        """clean: nothing moved since the orders were given, so that every result counts."""
        r = self.run("gpuaas-state", "fold", "-", stdin="".join(dump(x) + "\n" for x in records),
                     allow=(0, 1, 4, 5, 6, 7, 8, 9))
        if clean and "is not folded" in r.err:
            self.day.shout("a result that nothing stands against was refused:\n" + r.err)
        return r

    def sql(self, query, *args):
        db = database.to_read(self.path)
        try:
            return db.execute(query, args).fetchall()
        finally:
            db.close()

    def allocations(self, *states):
        return self.sql("SELECT id, node_id, state FROM allocation WHERE state IN (%s) "
                        "ORDER BY number" % ",".join("?" * len(states)), *states)

    def slots(self, *states):
        return self.sql("SELECT id, node_id, state FROM slot WHERE state IN (%s) "
                        "ORDER BY number" % ",".join("?" * len(states)), *states)
