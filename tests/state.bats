# SPDX-License-Identifier: Apache-2.0
# gpuaas-state through its command line: init, migrate, apply, check, backup, audit, and the files
# it refuses.

load helper

@test "init makes a file 0600 in a folder 0700, once" {
  export GPUAAS_STATE=$T/new/deep/state.db
  run_ok gpuaas-state init
  jq_is .action init
  jq_is .lab false
  assert_equal "$(stat -c %a "$T/new/deep")" 700
  assert_equal "$(stat -c %a "$GPUAAS_STATE")" 600
  before=$(sha256sum "$GPUAAS_STATE")
  run_status 4 gpuaas-state init --lab
  assert_stderr "exists already"
  assert_equal "$(sha256sum "$GPUAAS_STATE")" "$before"
}

@test "a schema stays as it was: whoever changes a table or the text of a trigger adds a migration" {
  run_ok gpuaas-state init
  version=$(state_sql 'PRAGMA user_version')
  state_sql "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name" \
    > "$T/schema"
  assert_equal "schema $version: $(sha256sum < "$T/schema")" \
    "schema $version: $(grep -v "^#" "$SRC/tests/schemas/schema-$version.sha256")"
}

@test "check and audit verify end with a verdict for people, and with its numbers in the record" {
  run_ok gpuaas-state init
  gpuaas-state apply "$SRC/share/objects/lab.json" > "$T/applied"
  run_ok gpuaas-state check
  jq_is 'select(.kind == "gpuaas.state/1") | "\(.findings) \(.audit_rows) \(.audit_from < .audit_to)"' \
    "0 2 true"
  run_ok gpuaas-state check --table
  [[ ${lines[-1]} =~ ^"ok: the state is in order: 2 rows of the audit, the chain is unbroken from 2"[0-9\ :-]+"Z to 2"[0-9\ :-]+Z$ ]]
  run_ok gpuaas-state audit verify --table
  [[ ${lines[-1]} =~ ^"ok: the audit is in order: 2 rows" ]]
  without_triggers "UPDATE audit SET actor = 'nobody(65534)' WHERE seq = 1"
  run_status 1 gpuaas-state audit verify --table
  [[ ${lines[-1]} =~ ^"1 finding: the audit is not in order" ]]
  run_status 1 gpuaas-state check
  jq_is 'select(.kind == "gpuaas.state/1") | .findings > 1' true
  run_status 1 gpuaas-state check --table
  [[ ${lines[-1]} =~ ^[0-9]+" findings: the state is not in order" ]]
}

@test "a lab stays a lab" {
  run_ok gpuaas-state init --lab
  jq_is .lab true
  run_ok gpuaas-state check
  jq_is 'select(.action == "check") | .lab' true
}

@test "no state, a newer, an older, a foreign one, and a letter" {
  run_status 5 gpuaas-state check
  assert_stderr "gpuaas-state init"
  run_ok gpuaas-state init
  state_sql 'PRAGMA user_version=99'
  run_status 4 gpuaas-state check
  assert_stderr "newer gpuaas"
  run_status 4 gpuaas-state migrate
  state_sql 'PRAGMA user_version=0'
  run_status 4 gpuaas-state check
  assert_stderr "gpuaas-state migrate"
  state_sql 'PRAGMA user_version=1; PRAGMA application_id=7'
  run_status 4 gpuaas-state check
  assert_stderr "is not a state of gpuaas"
  echo "this is a letter and no database" > "$T/letter"
  run_status 4 gpuaas-state --state "$T/letter" check
  assert_equal "$(cat "$T/letter")" "this is a letter and no database"
}

@test "migrate makes a dropped trigger again, and check misses it before" {
  run_ok gpuaas-state init
  state_sql 'DROP TRIGGER slot_state'
  run_status 1 gpuaas-state check
  jq_is 'select(.kind == "gpuaas.finding/1") | .check' trigger
  count=$(state_sql "SELECT count(*) + 2 FROM sqlite_schema WHERE type = 'trigger'")
  jq_is 'select(.check) | .sentence' "1 of $count triggers and views are missing: slot_state"
  # Another object of the same name does not count.
  state_sql 'DROP TRIGGER slot_kept; CREATE VIEW slot_kept AS SELECT 1'
  run_status 1 gpuaas-state check
  jq_is 'select(.check) | .sentence' "2 of $count triggers and views are missing: slot_kept, slot_state"
  state_sql "SELECT 'DROP TRIGGER ' || name || ';' FROM sqlite_schema WHERE type = 'trigger'" > "$T/drop"
  state_sql "$(cat "$T/drop"); DROP VIEW slot_kept"
  run_status 1 gpuaas-state check
  jq_is "select(.check) | .sentence | test(\"^$((count - 1)) of $count .*: ([a-z_]+, ){4}[a-z_]+ and others$\")" true
  run_ok gpuaas-state migrate
  run_ok gpuaas-state check
}

@test "the view that triggers ask is missed, found out when it says more, and made again" {
  run_ok gpuaas-state init
  state_sql 'DROP VIEW slot_proven'
  run_status 1 gpuaas-state check
  state_sql 'CREATE VIEW slot_proven AS SELECT id, state, nvme_wwid, gpu_id, wipe_evidence_id FROM slot'
  run_status 1 gpuaas-state check
  jq_is 'select(.kind == "gpuaas.finding/1" and .object) | .object' slot_proven
  run_ok gpuaas-state migrate
  run_ok gpuaas-state check
  # Its beginning is a view, too.
  state_sql "$(state_sql "SELECT 'DROP VIEW slot_proven; ' || substr(sql, 1, instr(sql, 'WHERE') - 1)
    FROM sqlite_schema WHERE name = 'slot_proven'")"
  run_status 1 gpuaas-state check
  jq_is 'select(.kind == "gpuaas.finding/1" and .object) | .object' slot_proven
  # A trigger that somebody hung on it goes with it.
  state_sql 'CREATE TRIGGER "an ""odd"" one" INSTEAD OF INSERT ON slot_proven BEGIN SELECT 1; END'
  run_ok gpuaas-state migrate
  run_ok gpuaas-state check
}

@test "a state that a foreign hand changed is found out" {
  run_ok gpuaas-state init
  run_ok gpuaas-state apply "$SRC/share/objects/lab.json"
  state_sql "DROP TRIGGER audit_unchanged; UPDATE audit SET actor = 'nobody' WHERE seq = 2"
  run_status 1 gpuaas-state audit verify
  jq_is .object 2
  run_status 1 gpuaas-state check
  jq_slurp_is '[.[] | .check // empty] | sort | join(" ")' "audit_chain trigger"
}

@test "what is sold twice or unwiped is found although the triggers are gone" {
  run_ok gpuaas-state init
  state_sql "
    PRAGMA foreign_keys=OFF;
    DROP TRIGGER slot_birth; DROP TRIGGER claim_insert; DROP INDEX claim_slot_sold_once;
    INSERT INTO node (id, since) VALUES ('n', 'x');
    INSERT INTO slot (id, node_id, slot_index, since, state) VALUES ('s', 'n', 1, 'x', 'available');
    INSERT INTO claim (id, allocation_id, node_id, slot_id, claim_kind, live, held_by, created_at)
    VALUES ('c1', 'a1', 'n', 's', 'slot', 1, 'slices', 'x'), ('c2', 'a2', 'n', 's', 'slot', 1, 'slices', 'x')"
  run_status 1 gpuaas-state check
  for word in sold_once tainted incomplete claim_left integrity trigger; do
    jq_slurp_is "[.[] | .check // empty] | index(\"$word\") != null" true
  done
}

@test "apply is idempotent and stores the working objects" {
  run_ok gpuaas-state init
  for i in 1 2; do
    for file in "$SRC"/share/objects/*.json; do
      run_ok gpuaas-state apply "$file"
    done
  done
  profiles=$(cat "$SRC"/share/objects/*.json | grep -c '"gpuaas.profile/1"')
  assert_equal "$(state_sql 'SELECT count(*), max(version) FROM profile')" "$profiles|1"
  run_ok gpuaas-state apply - < <(jq_in_order -c '.price_micros = 7' "$SRC/share/objects/lab.json")
  assert_equal "$(state_sql "SELECT count(*), max(version) FROM profile WHERE name = 'lab'")" "2|2"
  run_ok gpuaas-state audit verify
}

@test "apply names what is wrong, and earlier lines stand" {
  run_ok gpuaas-state init
  good=$(cat "$SRC/share/objects/lab.json")
  run_status 3 gpuaas-state apply - <<< "$good
{\"kind\":\"gpuaas.profile/1\",\"name\":\"x\"}"
  assert_stderr "line 2"
  assert_equal "$(state_sql 'SELECT count(*) FROM profile')" 1
  run_status 3 gpuaas-state apply - <<< "not json"
  run_status 2 gpuaas-state apply
  run_status 5 gpuaas-state apply "$T/nofile"
}

@test "apply reads several files in order, and an error names the file and the line" {
  run_ok gpuaas-state init
  team() { echo "{\"kind\":\"gpuaas.team/1\",\"name\":\"$1\"}"; }
  team one > "$T/one"
  { team three; echo '{"kind":"gpuaas.region/1","name":"x","open":false}'; team four; } > "$T/bad"
  run_ok gpuaas-state apply "$T/one" - "$SRC/share/objects/lab.json" <<< "$(team two)"
  jq_is .name $'one\ntwo\nlab'
  # A wrong name changes nothing, and standard input is read once.
  run_status 5 gpuaas-state apply "$T/bad" "$T/nofile"
  run_status 2 gpuaas-state apply - "$T/bad" - <<< "$(team five)"
  assert_stderr "standard input is named twice"
  assert_equal "$(state_sql 'SELECT group_concat(name) FROM team')" one,two
  run_status 3 gpuaas-state apply "$T/one" "$T/bad" - <<< "$(team five)"
  assert_stderr "$T/bad, line 2: region 'x' is not open and has no reason"
  assert_equal "$(state_sql 'SELECT group_concat(name) FROM team')" one,three,two
  run_status 3 gpuaas-state apply - <<< '{"kind":"gpuaas.team/1"}'
  assert_stderr "standard input: line 1, gpuaas.team/1: "
}

@test "an image that only a lab can prove ready is none of a real state" {
  image='{"kind":"gpuaas.image/1","name":"vm","digest":"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","format":"raw","file_bytes":1048576,"size_bytes":1048576,"firmware":"bios","probe":"running","user":"ubuntu"}'
  run_ok gpuaas-state init
  run_status 4 gpuaas-state apply - <<< "$image"
  assert_stderr "image 'vm' proves readiness by 'running' only, which counts in a lab state alone"
  assert_equal "$(gpuaas-list images)" ""
  run_ok gpuaas-state apply - <<< "${image/running/ssh}"
  run_ok gpuaas-state --state "$T/lab.db" init --lab
  run_ok gpuaas-state --state "$T/lab.db" apply - <<< "$image"
}

@test "a result for nothing known is refused and the next one is still taken" {
  run_ok gpuaas-state init
  failure='{"kind":"gpuaas.failure/1","node":"n1","object":"00000000","attempt":"00000000","generation":1,"program":"gpuaas-wipe","phase":"guard","code":"x","sentence":"x","hint":null,"status":4,"at":"2026-11-20T00:00:00.000000Z","dry_run":false}'
  run_status 6 gpuaas-state fold - <<< "$failure"
  assert_stderr "not signed"
}

@test "a state that cannot be written" {
  local as=()
  export GPUAAS_STATE=$T/ro/state.db
  run_ok gpuaas-state init
  chmod 400 "$GPUAAS_STATE"
  if [[ $EUID -eq 0 ]]; then # root writes everything
    chmod 755 "$T" && chown -R 65534 "$T/ro"
    as=(setpriv --reuid=65534 --clear-groups)
  fi
  run_status 6 "${as[@]}" gpuaas-state apply - < "$SRC/share/objects/lab.json"
  assert_stderr "cannot be written"
}

# as_nobody COMMAND…: as a user who is neither root nor an operator
as_nobody()
{
  run --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all --inh-caps=-all "$@"
}

@test "a user who may not open the state learns whose it is, and how operators get there" {
  ((EUID == 0)) || skip "a state of another user: this needs root"
  local hint
  chmod 755 "$T"
  export GPUAAS_STATE=$T/state/state.db
  mkdir -m 755 "$T/state"
  run_ok gpuaas-state init --lab
  hint="run the command as that user: sudo COMMAND --state $GPUAAS_STATE; gpuaas-host(7), OPERATORS WITHOUT ROOT, says who may"
  for command in "list slots" "show h7" "state check" "place --profile lab --gpus 1"; do
    # shellcheck disable=SC2086 # words
    as_nobody gpuaas-$command
    assert_equal "$command $status" "$command 6"
    assert_stderr "state '$GPUAAS_STATE' cannot be "
    assert_stderr "Permission denied: it belongs to root(0), and you are nobody(65534)"
    assert_stderr "hint: $hint"
  done
  as_nobody gpuaas-doctor --json
  assert_equal "$status" 0
  jq_slurp_is '.[0] | "\(.severity) \(.check) \(.code) \(.command)"' "unchecked state denied null"
  assert_output "$hint"
  assert_stderr "nothing to do was found, but this user may not check everything"
  # A discovery needs no state.
  as_nobody gpuaas-discover
  assert_equal "$status" 0
  # As packages set it up: the folder of a system user, closed to all others.
  chown -R daemon "$T/state"
  chmod 700 "$T/state"
  for command in "list slots" "place --profile lab --gpus 1" "state init"; do
    # shellcheck disable=SC2086 # words
    as_nobody gpuaas-$command
    assert_equal "$command $status" "$command 6"
    assert_stderr "Permission denied: the folder '$T/state' belongs to daemon(1), and you are nobody(65534)"
    assert_stderr "hint: run the command as that user: sudo -u daemon COMMAND --state $GPUAAS_STATE; "
  done
  # A shell takes the path as one word.
  as_nobody gpuaas-list slots --state "$T/state/it's a state"
  assert_stderr "COMMAND --state '$T/state/it'\''s a state'; "
  # An owner without the permission needs no sudo.
  chown -R 65534 "$T/state"
  chmod 600 "$T/state"
  as_nobody gpuaas-list slots
  assert_equal "$status" 6
  assert_stderr "hint: its permissions: ls -ld $T/state"
}

@test "a writer that holds the turn is named at the deadline" {
  run_ok gpuaas-state init
  background flock "$GPUAAS_STATE.lock" -c "echo held > $T/held; exec sleep 60"
  wait_for 10 test -e "$T/held"
  GPUAAS_DEADLINE=1 run_status 8 gpuaas-state apply "$SRC/share/objects/lab.json"
  assert_stderr "is locked by"
  GPUAAS_DEADLINE=x run_status 2 gpuaas-state apply "$SRC/share/objects/lab.json"
  run_ok gpuaas-state check
}

@test "backup of a state in use is a whole state" {
  run_ok gpuaas-state init --lab
  run_ok gpuaas-state apply "$SRC/share/objects/lab.json"
  run_ok gpuaas-state backup "$T/copy.db"
  assert_equal "$(stat -c %a "$T/copy.db")" 600
  run_ok gpuaas-state --state "$T/copy.db" check
  run_status 10 gpuaas-state backup "$T/no/such/folder/copy.db"
  assert_equal "$(find "$T" -name '*.part')" ""
}

@test "audit head is the last row" {
  run_ok gpuaas-state init
  run_ok gpuaas-state apply "$SRC/share/objects/lab.json"
  run_ok gpuaas-state audit head
  jq_is .seq 2
  jq_is .action profile_applied
  jq_is .program gpuaas-state
  run_status 2 gpuaas-state audit nonsense
}

@test "32 writers at once: nothing lost, the chain whole" {
  run_ok gpuaas-state init
  for i in $(seq 32); do
    jq_in_order -c ".name = \"p$i\"" "$SRC/share/objects/lab.json" > "$T/p$i.json"
    background gpuaas-state apply "$T/p$i.json"
  done
  for pid in "${BG[@]}"; do
    wait "$pid"
  done
  assert_equal "$(state_sql 'SELECT count(*) FROM profile')" 32
  run_ok gpuaas-state audit verify
  run_ok gpuaas-state check
}

@test "a copy that a user may only read: the message says what reading needs" {
  run_ok gpuaas-state init --lab
  ((EUID == 0)) || skip "another user: this needs root"
  mkdir -m 755 "$T/copy"
  cp "$GPUAAS_STATE" "$T/copy/"
  chmod 644 "$T/copy/state.db"
  chmod 755 "$T"
  run_status 6 setpriv --reuid nobody --clear-groups gpuaas-list slots --state "$T/copy/state.db"
  assert_stderr "cannot be read by this user: programs that only read it need the files"
  assert_stderr "copy the file with its '-wal' to a folder of your own"
}

@test "a full or a read-only file system: what cannot be read or written says why, and what to do" {
  mkdir "$T/small"
  # shellcheck disable=SC2016 # for the other bash
  run_ok unshare --map-root-user --mount bash -c '
    mount -t tmpfs -o size=4M small "$T/small" && cd "$T/small" || exit 1
    export GPUAAS_STATE=$T/small/s/state.db GPUAAS_ERRORS=json
    gpuaas-state init > "$T/out"
    mount -o remount,ro "$T/small"
    gpuaas-list nodes 2>&1; echo $?
    gpuaas-state apply "$SRC/share/objects/lab.json" 2>&1; echo $?
    mount -o remount,rw "$T/small"
    dd if=/dev/zero of=fill bs=4k 2> "$T/full"
    gpuaas-list nodes 2>&1; echo $?
    gpuaas-state apply "$SRC/share/objects/lab.json" 2>&1; echo $?
    rm fill
    gpuaas-list nodes; echo $?'
  printf '%s\n' "$output" > "$T/said"
  assert_equal "$(grep -v '^{' "$T/said" | paste -sd ' ')" "6 6 10 10 0"
  output=$(grep '^{' "$T/said")
  jq_is .reason "read_only
read_only
disk_full
disk_full"
  jq_slurp_is 'map(.hint | split(" ")[:2] | join(" ")) | unique | join(", ")' "make room, mount it"
}
