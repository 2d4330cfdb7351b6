# SPDX-License-Identifier: Apache-2.0
"""A controller: one state file, and the real programs on it, each call timed and judged."""

import json
import os
import sqlite3
import subprocess
import time

from host import dump

# What no program may end with, whatever it is asked: a bad record, the system, a signal.
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
        self.calls = 0

    def env(self):
        d = self.day
        d.calls += 1
        return {**os.environ, "GPUAAS_STATE": self.path, "GPUAAS_NODE": "controller",
                "GPUAAS_HOST_DIR": d.dir + "/nohost", "LD_PRELOAD": d.preload,
                "DAY_SHIFT": str(d.shift), "DAY_RANDOM": str(d.seed * 1000003 + d.calls * 7919)}

    def start(self, argv, stdin=""):
        """A process whose input is given at once; finish() takes its result."""
        with open(self.day.dir + "/in.%d" % self.day.calls, "w+", encoding="utf-8") as f:
            f.write(stdin)
            f.seek(0)
            p = subprocess.Popen(argv, stdin=f, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                 env=self.env(), text=True)
        os.unlink(f.name)
        p.argv, p.began = argv, time.monotonic()
        return p

    def finish(self, p, allow=(0,)):
        try:
            out, err = p.communicate(timeout=120)
        except subprocess.TimeoutExpired:
            p.kill()
            self.day.shout("%s did not end" % " ".join(p.argv))
        self.day.took(p.argv, time.monotonic() - p.began)
        self.day.heard(p.argv, p.returncode, err)
        if p.returncode not in allow or p.returncode in NEVER or p.returncode < 0:
            self.day.shout("%s ended with %d:\n%s%s" % (" ".join(p.argv), p.returncode, err, out))
        return Result(p.argv, p.returncode, out, err)

    def run(self, *argv, stdin="", allow=(0,)):
        return self.finish(self.start(list(argv), stdin), allow)

    def together(self, calls, allow):
        """Several programs at the same time; [(argv, stdin)]."""
        started = [self.start(list(argv), stdin) for argv, stdin in calls]
        return [self.finish(p, allow) for p in started]

    def fold(self, records, clean=False):
        """clean: nothing moved since the orders were given, so that every result counts."""
        r = self.run("gpuaas-state", "fold", "-", stdin="".join(dump(x) + "\n" for x in records),
                     allow=(0, 1, 4, 5, 6, 7, 8, 9))
        if clean and "is not folded" in r.err:
            self.day.shout("a result that nothing stands against was refused:\n" + r.err)
        return r

    def sql(self, query, *args):
        db = sqlite3.connect("file:%s?mode=ro" % self.path, uri=True)
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
