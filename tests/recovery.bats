# SPDX-License-Identifier: Apache-2.0
# Bringing a state back: restore and its epoch, rebuild from the hosts, adopt, migration from older
# schemas, and every seeded corruption that gpuaas-state check must name.

load helper
# shellcheck source=tests/lab.bash
source "$SRC/tests/lab.bash"

sql()
{
  sqlite3 "$GPUAAS_STATE" "$@"
}

restore()
{
  run_ok gpuaas-state restore "$1" --reason "a disk died"
}

@test "restore needs a reason and a backup, and changes nothing without them" {
  run_ok gpuaas-state init --lab
  run_ok gpuaas-state backup "$T/b.db"
  before=$(sha256sum "$GPUAAS_STATE")
  run_status 2 gpuaas-state restore "$T/b.db"
  assert_stderr "--reason"
  run_status 5 gpuaas-state restore "$T/none.db" --reason x
  run_status 2 gpuaas-state restore "$GPUAAS_STATE" --reason x
  assert_stderr "the state itself"
  : > "$T/empty.db"
  run_status 4 gpuaas-state restore "$T/empty.db" --reason x
  echo "a letter" > "$T/letter.db"
  run_status 4 gpuaas-state restore "$T/letter.db" --reason x
  assert_stderr "is not a state of gpuaas"
  sqlite3 "$T/b.db" 'PRAGMA user_version=99'
  run_status 4 gpuaas-state restore "$T/b.db" --reason x
  assert_stderr "newer gpuaas"
  assert_equal "$(sha256sum "$GPUAAS_STATE")" "$before"
  assert_equal "$(find "$T" -maxdepth 1 -name 'state.db.*' ! -name '*.lock' ! -name '*.gate')" ""
}

@test "restore starts a new epoch, keeps what it replaced, and says so in the audit" {
  run_ok gpuaas-state init --lab
  run_ok gpuaas-state backup "$T/b.db"
  run_ok gpuaas-state apply "$SRC/share/objects/lab.json"
  head=$(gpuaas-state audit head | jq -r .hash)
  restore "$T/b.db"
  jq_is .action restore
  jq_is .epoch 2
  assert_stderr "is kept as"
  kept=$(echo "$GPUAAS_STATE".replaced-*)
  assert_equal "$(sqlite3 "${kept%-wal}" 'SELECT count(*) FROM profile')" 1
  assert_equal "$(sql 'SELECT count(*) FROM profile')" 0
  assert_equal "$(gpuaas-state audit head | jq -r '.detail | .reason, .replaced_hash')" "a disk died
$head"
  run_ok gpuaas-state check
  rm -f "$GPUAAS_STATE".replaced-*
  restore "$T/b.db"
  jq_is .epoch 3
}

@test "a damaged or lost state is replaced too" {
  run_ok gpuaas-state init --lab
  run_ok gpuaas-state backup "$T/b.db"
  printf 'xxxxxxxxxxxxxxxx' | dd of="$GPUAAS_STATE" conv=notrunc status=none
  restore "$T/b.db"
  run_ok gpuaas-state check
  rm -f "$GPUAAS_STATE"*
  restore "$T/b.db"
  refute_stderr "is kept as"
  run_ok gpuaas-state check
}

@test "a backup with findings, or of another kind of state, is refused" {
  run_ok gpuaas-state init --lab
  run_ok gpuaas-state apply "$SRC/share/objects/lab.json"
  run_ok gpuaas-state backup "$T/b.db"
  sqlite3 "$T/b.db" "DROP TRIGGER audit_unchanged; UPDATE audit SET actor = 'x' WHERE seq = 1"
  run_status 4 gpuaas-state restore "$T/b.db" --reason x
  jq_is .check audit_chain
  assert_stderr "does not hold"
  run_ok gpuaas-state --state "$T/real.db" init
  run_ok gpuaas-state --state "$T/real.db" backup "$T/r.db"
  run_status 4 gpuaas-state restore "$T/r.db" --reason x
  assert_stderr "of a lab"
}

@test "who had the state open before a restore writes nothing after it" {
  run_ok gpuaas-state init --lab
  run_ok gpuaas-state backup "$T/b.db"
  mkfifo "$T/pipe"
  background bash -c 'gpuaas-state apply - < "$1" > "$2/out" 2> "$2/err"; echo $? > "$2/rc"' \
    - "$T/pipe" "$T"
  exec 9> "$T/pipe"
  cat "$SRC/share/objects/lab.json" >&9
  wait_for 10 grep -q profile "$T/out"
  restore "$T/b.db"
  jq -c '.name = "other"' "$SRC/share/objects/lab.json" >&9
  exec 9>&-
  wait_for 10 test -s "$T/rc"
  assert_equal "$(cat "$T/rc")" 4
  grep -q "was replaced while" "$T/err"
  assert_equal "$(sql 'SELECT count(*) FROM profile')" 0
}

@test "after a restore nothing is placed, until the node agreed and the slot was wiped" {
  make_lab
  gpuaas-state backup "$T/b.db"
  restore "$T/b.db"
  run_status 1 gpuaas-place --profile lab --gpus 1 --project p --json
  assert_output unverified_since_restore
  here gpuaas-reconcile > "$T/drift"
  assert_equal "$(sql 'SELECT epoch_verified FROM node')" 2
  run_status 1 gpuaas-place --profile lab --gpus 1 --project p --json
  assert_output unverified_since_restore
  # the triggers hold it too, for whoever has another road
  run sql "UPDATE slot SET epoch_verified = 3, generation = generation + 1"
  [[ $output == *"only grows"* ]]
}

# ---- schemas ----

# old_state N FILE: the state of schema N as its release left it
old_state()
{
  rm -f "$2"
  sqlite3 "$2" < "$SRC/tests/schemas/state-$1.dump"
  sqlite3 "$2" "PRAGMA application_id=$((0x47505541)); PRAGMA user_version=$1" \
    'PRAGMA journal_mode=WAL' > "$T/made"
  chmod 600 "$2"
}

@test "a state of each older schema is migrated and holds what it held" {
  for dump in "$SRC"/tests/schemas/state-*.dump; do
    n=${dump##*-} n=${n%.dump}
    old_state "$n" "$GPUAAS_STATE"
    before=$(sql "SELECT id, state, generation FROM slot UNION ALL SELECT id, state, generation
      FROM allocation UNION ALL SELECT id, digest, 0 FROM wipe_evidence")
    run_status 4 gpuaas-list slots
    assert_stderr "gpuaas-state migrate"
    run_ok gpuaas-state migrate
    run_ok gpuaas-state check
    assert_equal "$(sql "SELECT id, state, generation FROM slot UNION ALL SELECT id, state, generation
      FROM allocation UNION ALL SELECT id, digest, 0 FROM wipe_evidence")" "$before"
    assert_equal "$(gpuaas-list allocations | jq -rs 'map(.state)|sort|join(" ")')" "active released"
    assert_equal "$(gpuaas-state audit head | jq -c '[.action, .detail.from]')" "[\"state_migrated\",$n]"
    # migrated again, nothing moves
    run_ok gpuaas-state migrate
    run_ok gpuaas-state check
    # and what was on sale still is, but for a node that is stale by now
    run gpuaas-place --profile lab --gpus 1 --project p --json
    [[ $status -eq 0 || $output == *stale* ]]
  done
}

@test "a backup of each older schema is restored" {
  for dump in "$SRC"/tests/schemas/state-*.dump; do
    n=${dump##*-} n=${n%.dump}
    rm -f "$GPUAAS_STATE"*
    old_state "$n" "$T/old.db"
    restore "$T/old.db"
    jq_is .epoch 2
    run_ok gpuaas-state check
    assert_equal "$(sqlite3 "$T/old.db" 'PRAGMA user_version')" "$n"
  done
}

@test "a downgrade is refused by every program, and changes nothing" {
  run_ok gpuaas-state init --lab
  sql 'PRAGMA user_version=1000'
  before=$(sql .dump | sha256sum)
  for command in "gpuaas-state check" "gpuaas-state migrate" "gpuaas-state backup $T/b.db" \
    "gpuaas-state expect --node n" "gpuaas-list slots" "gpuaas-show x" \
    "gpuaas-place --profile lab --gpus 1 --project p" "gpuaas-release x" \
    "gpuaas-approve disable x --reason y"; do
    # shellcheck disable=SC2086 # words
    run_status 4 $command
    assert_stderr "newer gpuaas"
  done
  run_status 4 gpuaas-state apply "$SRC/share/objects/lab.json"
  assert_equal "$(sql .dump | sha256sum)" "$before"
  [[ ! -e $T/b.db ]]
}
