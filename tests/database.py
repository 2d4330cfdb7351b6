# SPDX-License-Identifier: Apache-2.0
"""How the checks in Python open a database, as tests/sql.bash is for the rest. No other script knows
which engine it is (tests/check-source): for another one these two files change."""

import sqlite3

Failed = (sqlite3.Error, sqlite3.Warning)


def to_read(path):
    """A database that this connection cannot change."""
    return sqlite3.connect("file:%s?mode=ro" % path, uri=True, timeout=60, isolation_level=None)


def to_write(path):
    """A transaction begins with BEGIN; without it each statement is one."""
    return sqlite3.connect(path, timeout=60, isolation_level=None)


def in_memory(scripts=(), copy_of=None):
    """A database that ends with its connection: of the scripts, or a copy of the file copy_of."""
    db = sqlite3.connect(":memory:")
    if copy_of:
        source = to_read(copy_of)
        source.backup(db)
        source.close()
    for script in scripts:
        db.executescript(script)
    return db


def drop_triggers(db):
    """The statements that make them again."""
    triggers = db.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        db.execute("DROP TRIGGER " + name)
    return [text for _, text in triggers]
