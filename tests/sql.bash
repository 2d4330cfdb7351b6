# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# How the tests look into a database and change it by hand. Only this file and tests/database.py, its
# like for Python, know which engine that is (tests/check-source): for another one the functions here
# change, and no test.
#
#   sql FILE [STATEMENT…]   runs the statements, without one those of stdin; also .dump and .schema.
#                           A row is a line with "|" between its columns. The status is that of the
#                           first error: 19 where a constraint or a trigger refuses.
#   state_sql [STATEMENT…]  the same in the state
#   host_sql [STATEMENT…]   the same in the host's own database
#   without_triggers SQL    changes the state's rows while every trigger is away
#
# A lock is waited for, as every program of gpuaas does.

sql_here=${BASH_SOURCE[0]%/*}
sql_engine=sqlite3 # for a bench, which measures it beside gpuaas

sql()
{
  "$sql_engine" -cmd '.timeout 5000' "$@"
}

state_sql()
{
  sql "$GPUAAS_STATE" "$@"
}

host_sql()
{
  sql "$GPUAAS_HOST_DIR/host.db" "$@"
}
export sql_engine
export -f sql state_sql host_sql

without_triggers()
{
  python3 - "$GPUAAS_STATE" "$1" "$sql_here" << 'END'
import sys
sys.path.insert(1, sys.argv[3])
import database
db = database.to_write(sys.argv[1])
database.drop_triggers(db)
db.executescript(sys.argv[2])
END
}
