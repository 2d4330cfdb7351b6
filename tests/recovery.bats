# SPDX-License-Identifier: Apache-2.0
# Bringing a state back: restore and its epoch, rebuild from the hosts, adopt, migration from older
# schemas, and every seeded corruption that gpuaas-state check must name.

load helper
# shellcheck source=tests/lab.bash
source "$SRC/tests/lab.bash"

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
  mkfifo "$T/pipe.db"
  run_status 4 timeout -s KILL 20 gpuaas-state restore "$T/pipe.db" --reason x
  assert_stderr "is no file with a state"
  sql "$T/b.db" 'PRAGMA user_version=99'
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
  assert_equal "$(sql "${kept%-wal}" 'SELECT count(*) FROM profile')" 1
  assert_equal "$(state_sql 'SELECT count(*) FROM profile')" 0
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
  sql "$T/b.db" "DROP TRIGGER audit_unchanged; UPDATE audit SET actor = 'x' WHERE seq = 1"
  run_status 4 gpuaas-state restore "$T/b.db" --reason x
  jq_is .check audit_chain
  assert_stderr "has 1 finding: nothing was restored"
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
  jq_in_order -c '.name = "other"' "$SRC/share/objects/lab.json" >&9
  exec 9>&-
  wait_for 10 test -s "$T/rc"
  assert_equal "$(cat "$T/rc")" 4
  grep -q "was replaced while" "$T/err"
  assert_equal "$(state_sql 'SELECT count(*) FROM profile')" 0
}

@test "after a restore nothing is placed, until the node agreed and the slot was wiped" {
  make_lab
  gpuaas-state backup "$T/b.db"
  restore "$T/b.db"
  run_status 1 gpuaas-place --profile lab --gpus 1 --project p --json
  assert_output unverified_since_restore
  here gpuaas-reconcile > "$T/drift"
  assert_equal "$(state_sql 'SELECT epoch_verified FROM node')" 2
  run_status 1 gpuaas-place --profile lab --gpus 1 --project p --json
  assert_output unverified_since_restore
  run_ok gpuaas-list attention --json
  jq_slurp_is 'map(select(.code == "unverified_since_restore" and .object_kind == "slot")) | length' 2
  # the triggers hold it too, for whoever has another road
  run state_sql "UPDATE slot SET epoch_verified = 3, generation = generation + 1"
  [[ $output == *"only grows"* ]]
}

@test "after a restore attention has the commands that open the node and its slots again" {
  make_lab
  old=$(gpuaas-list slots | jq -rs '.[0].slot')
  gpuaas-approve disable "$old" --reason moved > "$T/x"
  gpuaas-approve retire "$old" --reason moved > "$T/x"
  # Its disk is clean by the wipe of the slot that was, of which its host has no record for this one.
  here bash -c 'gpuaas-discover | gpuaas-approve --slot 0 --slot 1 | gpuaas-wipe' > "$T/x"
  assert_equal "$(gpuaas-list slots --where state=available | wc -l)" 2
  gpuaas-state backup "$T/b.db"
  restore "$T/b.db"
  while read -r -u 3 command; do
    [[ $command != *gpuaas-on* ]]
    run_ok here bash -o pipefail -c "${command/TEXT/restored}"
  done 3< <(here gpuaas-list attention --where code=unverified_since_restore | jq -r .command | uniq)
  run_ok here gpuaas-list attention
  assert_equal "$output" ""
  assert_equal "$(gpuaas-list slots --where state=available | wc -l)" 2
  run_ok gpuaas-place --profile lab --gpus 2
}

# inject WHAT: restores $T/b.db with strace doing WHAT to a system call; an open reader keeps the WAL
inject()
{
  ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 run strace -f -o "$T/strace" -e trace=rename,fsync,unlink -e inject="$1" \
    gpuaas-state restore "$T/b.db" --reason "a test"
}

@test "a restore that is killed or fails at any step leaves a whole state, or none and the old one" {
  command -v strace > /dev/null || skip "strace is missing"
  gpuaas-state init --lab > "$T/x"
  gpuaas-state apply "$SRC/share/objects/lab.json" > "$T/x"
  gpuaas-state backup "$T/b.db" > "$T/x"
  gpuaas-state apply - < <(jq_in_order -c '.name = "later"' "$SRC/share/objects/lab.json") > "$T/x"
  mkdir "$T/keep"
  cp "$GPUAAS_STATE" "$T/keep"
  local killed=0 failed=0 none=0 call n
  for call in rename fsync unlink; do
    for ((n = 1; n <= 12; n++)); do
      for how in signal=KILL error=EIO; do
        rm -f "$GPUAAS_STATE"*
        cp "$T/keep/state.db" "$GPUAAS_STATE"
        inject "$call:$how:when=$n"
        # The injection is over when the call is not made so often.
        grep -qE 'INJECTED|killed by SIGKILL' "$T/strace" || break 2
        if [[ $how == signal=KILL ]]; then killed=$((killed + 1)); else failed=$((failed + 1)); fi
        if [[ ! -e $GPUAAS_STATE ]]; then
          [[ $how == signal=KILL ]] || { echo "$call $n: no state is left"; show_run; false; }
          assert_equal "$(sql "$GPUAAS_STATE".replaced-*[0-9Z] "SELECT count(*) FROM profile")" 2
          # Nobody begins an empty state beside it by mistake.
          run_status 5 gpuaas-list slots
          assert_stderr "is the state that a restore replaced"
          assert_stderr "run gpuaas-state restore again"
          run_status 4 gpuaas-state init --lab
          assert_stderr "is the state that a restore replaced"
          none=$((none + 1))
        else
          run_ok gpuaas-state check
          epoch=$(jq -rs '.[-1].epoch' <<< "$output")
          assert_equal "$(state_sql 'SELECT count(*) FROM profile') $epoch" \
            "$((epoch == 1 ? 2 : 1)) $epoch"
        fi
        run_ok gpuaas-state restore "$T/b.db" --reason again
        run_ok gpuaas-state check
      done
    done
  done
  ((killed >= 4 && failed >= 4 && none >= 1))
}

# ---- schemas ----

# old_state N FILE: the state of schema N as its release left it
old_state()
{
  rm -f "$2"
  sql "$2" < "$SRC/tests/schemas/state-$1.dump"
  sql "$2" "PRAGMA application_id=$((0x47505541)); PRAGMA user_version=$1" \
    'PRAGMA journal_mode=WAL' > "$T/made"
  chmod 600 "$2"
}

@test "a state of each older schema is migrated and holds what it held" {
  for dump in "$SRC"/tests/schemas/state-*.dump; do
    n=${dump##*-} n=${n%.dump}
    old_state "$n" "$GPUAAS_STATE"
    before=$(state_sql "SELECT id, state, generation FROM slot UNION ALL SELECT id, state, generation
      FROM allocation UNION ALL SELECT id, digest, 0 FROM wipe_evidence")
    run_status 4 gpuaas-list slots
    assert_stderr "gpuaas-state migrate"
    run_ok gpuaas-state migrate
    run_ok gpuaas-state check
    refute_output gpuaas.finding
    ((n >= 20)) || assert_stderr "older than the rules that content is judged by"
    assert_equal "$(state_sql "SELECT id, state, generation FROM slot UNION ALL SELECT id, state, generation
      FROM allocation UNION ALL SELECT id, digest, 0 FROM wipe_evidence")" "$before"
    assert_equal "$(gpuaas-list allocations | jq -rs 'map(.state)|unique-["cancelled"]|join(" ")')" "active released"
    assert_equal "$(gpuaas-state audit head | jq_in_order -c '[.action, .detail.from]')" "[\"state_migrated\",$n]"
    # migrated again, nothing moves
    run_ok gpuaas-state migrate
    run_ok gpuaas-state check
    # and what was on sale still is, but for a node that is stale by now
    run gpuaas-place --profile lab --gpus 1 --project p --json
    [[ $status -eq 0 || $output == *stale* ]]
  done
}

@test "a cordon of an older schema stays one, and enable ends the reason of a disabled slot" {
  old_state 25 "$GPUAAS_STATE"
  on_sale=$(state_sql "SELECT id FROM slot WHERE state = 'available' LIMIT 1")
  in_use=$(state_sql "SELECT id FROM slot WHERE state = 'active' LIMIT 1")
  state_sql "UPDATE slot SET cordon_reason = 'loose', generation = generation + 1 WHERE id = '$in_use'" \
    "UPDATE slot SET state = 'disabled', cordon_reason = 'rack', generation = generation + 1
      WHERE id = '$on_sale'"
  run_ok gpuaas-state migrate
  run_ok gpuaas-list slots --where "slot=$in_use"
  jq_is '"\(.state): \(.cordon_reason), \(.cordon)"' "active: loose, loose"
  run_ok gpuaas-list slots --where "slot=$on_sale"
  jq_is '"\(.state): \(.cordon_reason), \(.cordon)"' "disabled: rack, null"
  run_ok gpuaas-approve enable "$on_sale"
  jq_slurp_is '.[0] | "\(.cordon_reason), \(.cordon)"' "null, null"
}

@test "a backup of each older schema is restored" {
  for dump in "$SRC"/tests/schemas/state-*.dump; do
    n=${dump##*-} n=${n%.dump}
    rm -f "$GPUAAS_STATE"*
    old_state "$n" "$T/old.db"
    restore "$T/old.db"
    jq_is .epoch 2
    run_ok gpuaas-state check
    assert_equal "$(sql "$T/old.db" 'PRAGMA user_version')" "$n"
  done
}

@test "a downgrade is refused by every program, and changes nothing" {
  run_ok gpuaas-state init --lab
  state_sql 'PRAGMA user_version=1000'
  before=$(state_sql .dump | sha256sum)
  for command in "gpuaas-state check" "gpuaas-state migrate" "gpuaas-state backup $T/b.db" \
    "gpuaas-state expect --node n" "gpuaas-list slots" "gpuaas-show x" \
    "gpuaas-place --profile lab --gpus 1 --project p" "gpuaas-release x" \
    "gpuaas-approve disable x --reason y"; do
    # shellcheck disable=SC2086 # words
    run_status 4 $command
    assert_stderr "newer gpuaas"
  done
  run_status 4 gpuaas-state apply "$SRC/share/objects/lab.json"
  assert_equal "$(state_sql .dump | sha256sum)" "$before"
  [[ ! -e $T/b.db ]]
}

# ---- adopt and rebuild ----

place_one()
{
  gpuaas-place --profile lab --gpus 1 --project vision "$@" --json > "$T/plan"
  jq -r .allocation "$T/plan"
}

provision_last()
{
  here gpuaas-provision < "$T/plan" > "$T/provisioned"
}

inventory()
{
  here gpuaas-reconcile --inventory > "$T/inventory"
}

adopt()
{
  run --separate-stderr gpuaas-state adopt --reason "after the restore" --json "$@" < "$T/inventory"
}

# Adopting must not touch these: the host's disks, its memory, its domains.
host_snapshot()
{
  cat "$WORK"/disks/* | sha256sum
  host_sql .dump | sha256sum
  virsh -c "$GPUAAS_LIBVIRT_URI" list --all 2> "$T/virsh" | sha256sum
}

epochs()
{
  state_sql "SELECT group_concat(epoch_verified, ' ') FROM (SELECT epoch_verified FROM slot ORDER BY slot_index)"
}

@test "adopt takes in what began after the backup, touches nothing, and opens the rest for sale" {
  make_lab
  gpuaas-state backup "$T/b.db"
  kept=$(place_one --name kept)
  provision_last
  gone=$(place_one)
  provision_last
  here bash -c "gpuaas-release $gone | gpuaas-wipe" > "$T/x"
  slots_are active available
  restore "$T/b.db"
  slots_are available available
  inventory
  before=$(host_snapshot)
  adopt
  assert_status 0
  assert_equal "$(host_snapshot)" "$before"
  assert_equal "$(jq -r 'select(.kind == "gpuaas.allocation/1").allocation' <<< "$output")" "$kept"
  assert_equal "$(jq -r 'select(.kind == "gpuaas.finding/1").check' <<< "$output")" not_recorded
  slots_are active available
  assert_equal "$(epochs)" "2 2"
  allocation_is active
  assert_equal "$(state_sql 'SELECT count(*) FROM usage WHERE ended_at IS NULL')" 1
  assert_equal "$(state_sql "SELECT a.accelerator_type, c.accelerator_type, u.accelerator_type
    FROM allocation a JOIN claim c ON c.allocation_id = a.id JOIN usage u ON u.allocation_id = a.id
    WHERE a.id = '$kept' AND u.ended_at IS NULL")" \
    'nvidia-h200-141gb|nvidia-h200-141gb|nvidia-h200-141gb'
  run_ok gpuaas-state check
  # the node is out until its reconcile agreed
  run_status 1 gpuaas-place --profile lab --gpus 1 --project p --json
  here gpuaas-reconcile > "$T/x"
  run_ok gpuaas-place --profile lab --gpus 1 --project p --json
  # again: nothing more
  heads=$(gpuaas-list claims | jq -s length)
  adopt
  assert_status 0
  assert_equal "$(gpuaas-list claims | jq -s length)" "$heads"
  # what was adopted ends as any other
  here bash -c "gpuaas-release $kept | gpuaas-wipe" > "$T/x"
  slots_are available reserved
  run_ok gpuaas-state check
  # and of what came since the audit names all, as of any other
  without_triggers "DELETE FROM audit WHERE action = 'wiped'"
  run_status 1 gpuaas-state check
  jq_slurp_is 'map(select(.check == "audit_short" and .sentence != null) | .sentence | select(test("evidence")))|length > 0' true
}

@test "adopt catches up: released, wiped and sold again since the backup" {
  make_lab
  first=$(place_one)
  provision_last
  placed=$(place_one --name placed)
  gpuaas-state backup "$T/b.db"
  provision_last
  here bash -c "gpuaas-release $first | gpuaas-wipe" > "$T/x"
  second=$(place_one --name second)
  provision_last
  restore "$T/b.db"
  inventory
  adopt
  assert_status 0
  slots_are active active
  assert_equal "$(gpuaas-list allocations | jq -rs 'map(select(.state == "active").allocation) | sort | join(" ")')" \
    "$(printf '%s\n' "$placed" "$second" | sort | paste -sd ' ')"
  assert_equal "$(state_sql "SELECT state FROM allocation WHERE id = '$first'")" released
  assert_equal "$(epochs)" "2 2"
  run_ok gpuaas-state check
  run_ok here gpuaas-reconcile --json
  here bash -c "gpuaas-release $second | gpuaas-wipe; gpuaas-release $placed | gpuaas-wipe" > "$T/x"
  slots_are available available
  run_ok gpuaas-state check
}

@test "an adopted allocation keeps its app, where the state has it in that version" {
  make_lab
  app() { jq_in_order -cn --arg title "$1" '{kind:"gpuaas.app/1",name:"one",$title,runtime:"oci",span:"single_node",shapes:["slice"]}' | gpuaas-state apply - > "$T/x"; }
  app One
  gpuaas-state backup "$T/b.db"
  place_one --name kept --app one > "$T/x"
  assert_equal "$(jq -r '"\(.app) \(.app_version)"' "$T/plan")" "one 1"
  provision_last
  app First
  place_one --name lost --app one > "$T/x"
  provision_last
  restore "$T/b.db"
  inventory
  adopt
  assert_status 0
  assert_equal "$(gpuaas-list allocations | jq -rs 'sort_by(.name) | map("\(.name) \(.app) \(.app_version)") | join(", ")')" \
    "kept one 1, lost null null"
  assert_equal "$(jq -r 'select(.kind == "gpuaas.finding/1") | "\(.check): \(.sentence)"' <<< "$output")" \
    "not_recorded: the state has no version 2 of app 'one': the allocation is taken in without it"
  run_ok gpuaas-state check
  run_ok gpuaas-list allocations --app one
  # A host claims what it likes: a name of another form, no version, an app that nobody named.
  inventory
  claims() {
    restore "$T/b.db"
    know_keys
    grep -F inventory-work "$T/inventory" | jq_in_order -c 'select(.order.name != "lost") | select(.program == "provision").order |= ('"$1"')' > "$T/works"
    grep -vF inventory-work "$T/inventory" | jq_in_order -c --arg d "sha256:$(sha256sum < "$T/works" | cut -c 1-64)" \
      --argjson n "$(wc -l < "$T/works")" --arg at "$(date -u +%FT%T.%6NZ)" \
      'del(.signature) | .at = $at | .digest = $d | .count = $n' | by_node > "$T/end"
    cat "$T/works" "$T/end" > "$T/forged"
    run --separate-stderr gpuaas-state adopt --reason forged --json "$T/forged"
    gpuaas-state check
  }
  claims '.app = "../one"'
  jq_is 'select(.check == "not_adopted").sentence | startswith("member \u0027app\u0027 is not a name")' true
  claims '.app = "two"'
  jq_is 'select(.check == "not_recorded").sentence' \
    "the state has no version 1 of app 'two': the allocation is taken in without it"
  claims 'del(.app_version)'
  jq_is 'select(.check == "not_recorded").sentence' \
    "the plan has no version of app 'one': the allocation is taken in without it"
  claims 'del(.app)'
  jq_is 'select(.check == "not_recorded").check' ""
  run_ok gpuaas-list allocations
  jq_is '"\(.name) \(.app) \(.app_version)"' "kept null null"
}

@test "a plan does not expire under a host that took it up since the backup" {
  make_lab
  placed=$(place_one)
  gpuaas-state backup "$T/b.db"
  provision_last
  restore "$T/b.db"
  state_sql "UPDATE allocation SET expires_at = '2020-01-01T00:00:00.000000Z', generation = generation + 1"
  run_status 1 gpuaas-place --profile lab --gpus 1 --project p --json
  assert_equal "$(state_sql "SELECT state FROM allocation WHERE id = '$placed'")" placed
  inventory
  adopt
  assert_status 0
  assert_equal "$(state_sql "SELECT state FROM allocation WHERE id = '$placed'")" active
}

@test "a disk that was written since is not adopted; --wipe orders its wipe, and that opens it" {
  make_lab
  gpuaas-state backup "$T/b.db"
  id=$(place_one)
  provision_last
  here gpuaas-release "$id" > "$T/order"
  restore "$T/b.db"
  inventory
  adopt
  assert_status 1
  assert_equal "$(jq -r 'select(.check == "unverified_since_restore").sentence' <<< "$output")" \
    "the host wrote on its disk since it was wiped"
  assert_equal "$(epochs)" "1 2"
  slots_are available available
  adopt --wipe
  slots_are wiping available
  jq_in_order -c 'select(.kind == "gpuaas.wipe-order/1")' <<< "$output" > "$T/order"
  # Until a host has seen the new epoch, it carries out orders of the one before.
  run_status 4 here gpuaas-wipe < "$T/order"
  assert_stderr "orders of the state"
  run here gpuaas-reconcile
  here gpuaas-wipe < "$T/order" > "$T/x"
  slots_are available available
  assert_equal "$(epochs)" "2 2"
  run_ok gpuaas-state check
}

@test "a wipe of before the last tenant is not told again for the one after him" {
  make_lab
  id=$(place_one)
  provision_last
  slot=$(gpuaas-list slots --where state=active | jq -r .slot)
  here gpuaas-release "$id" > "$T/order"
  gpuaas-state backup "$T/b.db"
  here gpuaas-wipe < "$T/order" > "$T/x"
  later=$(place_one)
  provision_last
  assert_equal "$(gpuaas-list slots --where state=active | jq -r .slot)" "$slot"
  restore "$T/b.db"
  # The state waits for that wipe; the host has its proof, and the next tenant's data on the disk.
  run here gpuaas-reconcile --repair
  slots_are wiping available
  assert_output result_untold
  # Ordered again, the guard sees who runs there, and the old proof is not shown.
  gpuaas-approve repair "$slot" --reason "after the restore" > "$T/order"
  run_status 4 here gpuaas-wipe "$T/order"
  jq_is "select(.outcome).outcome" not_started
  slots_are cleanup_blocked available
  virsh -q -c "$LIBVIRTD_URI" destroy "gpuaas-$later"
  virsh -q -c "$LIBVIRTD_URI" undefine "gpuaas-$later"
  gpuaas-approve repair "$slot" --reason "he knows" > "$T/order"
  run_ok here gpuaas-wipe "$T/order"
  jq_is "select(.outcome).outcome" confirmed
  slots_are available available
  run_ok gpuaas-state check
}

@test "an inventory of before the restore opens nothing; one of after it does, also twice" {
  make_lab
  gpuaas-state backup "$T/b.db"
  inventory
  id=$(place_one)
  provision_last
  slot=$(gpuaas-list slots --where state=active | jq -r .slot)
  here gpuaas-release "$id" > "$T/order"
  restore "$T/b.db"
  adopt
  assert_status 4
  # Both times, of two clocks.
  at=$(jq -r 'select(.kind == "gpuaas.inventory/1").at' "$T/inventory")
  assert_stderr "is from ${at:0:10} ${at:11:8}Z by its clock"
  at=$(gpuaas-list audit --where action=state_restored | jq -r .at)
  assert_stderr "restored or rebuilt at ${at:0:10} ${at:11:8}Z by the clock here"
  assert_equal "$(epochs)" "1 1"
  cp "$T/inventory" "$T/old"
  inventory
  adopt
  assert_status 1
  adopt
  assert_status 1
  assert_equal "$(epochs)" "1 2"
  here gpuaas-reconcile > "$T/x"
  run_ok gpuaas-place --profile lab --gpus 1
  jq_is ".bundles[0].slot == \"$slot\"" false
  run_status 1 gpuaas-place --profile lab --gpus 1
  # The state has seen the host since: an inventory of before that is old, too.
  here gpuaas-discover | gpuaas-approve --record-only > "$T/x"
  adopt
  assert_status 4
  assert_stderr "and the state has a discovery of it from"
  # A rebuild refuses later what it did not take, too.
  rm -f "$GPUAAS_STATE"*
  run gpuaas-state rebuild --lab --reason x "$T/inventory"
  [[ $status -le 1 ]]
  run_status 4 gpuaas-state adopt --reason x "$T/old"
  assert_stderr "restored or rebuilt at"
}

@test "a key that was revoked since the backup is not taken after the restore" {
  make_lab
  node=$(gpuaas-list nodes | jq -r .node)
  gpuaas-state backup "$T/b.db"
  run_ok gpuaas-node revoke-key "$node" --reason stolen --yes
  restore "$T/b.db"
  assert_stderr "keys that were revoked since the backup, and stay revoked: 1"
  run_ok gpuaas-list audit --where action=key_revoked
  jq_is '[.detail.reason, .detail.after] | join(" ")' "stolen state_restored"
  inventory
  adopt
  assert_status 6
  assert_stderr "the key of the signature was revoked"
  assert_equal "$(epochs)" "1 1"
  run_ok gpuaas-list attention --where code=unverified_since_restore
  [[ $output != *"counts again"* ]]
  # Again: it is known as revoked, and a backup that lacks the node cannot have its key.
  gpuaas-state backup "$T/c.db"
  restore "$T/c.db"
  refute_stderr "stay revoked"
  GPUAAS_STATE=$T/empty.db gpuaas-state init --lab > "$T/x"
  restore "$T/empty.db"
  assert_stderr "a key of node '$node' was revoked, and the backup does not have the node"
  # The state is lost, and with it who was revoked: restore and attention say so.
  rm -f "$GPUAAS_STATE"*
  restore "$T/b.db"
  assert_stderr "keys that were revoked since the backup count again"
  assert_stderr "gpuaas-node revoke-key NODE --reason TEXT --yes"
  run_ok gpuaas-list attention --where code=unverified_since_restore
  jq_slurp_is 'map(select(.object_kind == "node").sentence | contains("node revoke-key")) | all' true
  inventory
  run_ok gpuaas-node revoke-key "$node" --reason stolen --yes
  adopt
  assert_status 6
}

@test "what the host cannot prove is not adopted: no host.db, a strange domain, no libvirt" {
  make_lab
  gpuaas-state backup "$T/b.db"
  id=$(place_one)
  provision_last
  restore "$T/b.db"
  # libvirt is away: what is idle may be in use
  GPUAAS_LIBVIRT_URI="test+unix:///default?socket=$T/none" inventory
  adopt
  assert_status 1
  assert_equal "$(epochs)" "2 1"
  assert_output "libvirt of the host did not say"
  # host.db is lost: the domain runs, and nobody can tell with what
  restore "$T/b.db"
  mv "$GPUAAS_HOST_DIR" "$T/lost"
  inventory
  # Its key went with it, so that anybody could say this: a person says that it is the same host.
  adopt
  assert_status 6
  assert_stderr "is not signed, and it has a key"
  assert_stderr "gpuaas-approve --record-only --accept-change"
  here gpuaas-wipe --pending
  here gpuaas-discover | gpuaas-approve --record-only --accept-change > "$T/enrolled"
  inventory
  jq_count=$(jq -s 'map(select(.object_kind == "domain")) | length' "$T/inventory")
  assert_equal "$jq_count" 1
  adopt
  assert_status 1
  assert_equal "$(jq -r 'select(.check == "not_adopted").object' <<< "$output")" "$id"
  assert_equal "$(epochs)" "1 1"
  assert_equal "$(gpuaas-list allocations)" ""
}

@test "an inventory that was cut short or changed is not taken" {
  make_lab
  gpuaas-state backup "$T/b.db"
  place_one > "$T/x"
  provision_last
  restore "$T/b.db"
  inventory
  cp "$T/inventory" "$T/whole"
  sed '$d' "$T/whole" > "$T/inventory"
  adopt
  assert_status 1
  jq_is .check cut_short
  sed 1d "$T/whole" > "$T/inventory"
  adopt
  assert_status 3
  assert_stderr "is not what its host wrote"
  sed 's/"vision"/"hidden"/' "$T/whole" > "$T/inventory"
  adopt
  assert_status 3
  assert_equal "$(epochs)" "1 1"
  run_status 2 gpuaas-state adopt "$T/whole"
  assert_stderr "--reason"
}

@test "a release in an inventory ends its own allocation alone" {
  make_lab
  one=$(place_one --name one)
  provision_last
  place_one --name two > "$T/x"
  provision_last
  gpuaas-state backup "$T/two.db"
  GPUAAS_STATE=$T/two.db gpuaas-release one > "$T/order"
  other=$(gpuaas-list slots | jq -r --arg id "$one" 'select(.allocation != $id).slot')
  know_keys
  # shellcheck disable=SC2016 # variables of jq
  jq_in_order -c --arg s "$other" 'select(.kind == "gpuaas.release-order/1") | .attempt = "at000000" |
    .bundles[0].slot = $s | del(.signature) | {object: .allocation, program: "release", order: .,
      result: {kind: "gpuaas.released/1", allocation, node, generation, attempt, dry_run: false, at: .issued_at,
        steps: [], slots: [], lab: true}}' "$T/order" > "$T/works"
  inventory_by "$(jq -r .result.node "$T/works")" < "$T/works" > "$T/inventory"
  adopt
  assert_status 1
  jq_is '.object + ": " + .sentence' \
    "$one: the release order of allocation '$one' is not for the slots that it has in the state"
  slots_are active active
  run_ok gpuaas-state check
}

@test "a lost state is rebuilt from its hosts" {
  make_lab
  kept=$(place_one --name kept)
  provision_last
  mac=$(gpuaas-list slots | jq -r 'select(.slot_index == 0).mac')
  inventory
  run_status 4 gpuaas-state rebuild --lab --reason x "$T/inventory"
  assert_stderr "exists already"
  rm -f "$GPUAAS_STATE"*
  run_status 2 gpuaas-state rebuild --lab "$T/inventory"
  run_status 2 gpuaas-state rebuild --lab --reason x - <<< ''
  [[ ! -e $GPUAAS_STATE ]]
  before=$(host_snapshot)
  run_ok gpuaas-state rebuild --lab --reason "the disk died" --json "$T/inventory"
  assert_equal "$(host_snapshot)" "$before"
  assert_equal "$(jq -r 'select(.kind == "gpuaas.state/1") | .epoch' <<< "$output")" 2
  assert_stderr "profiles, images, node settings"
  assert_equal "$(gpuaas-list slots | jq -r '[.slot_index, .state, .mac, .accelerator_type] | join(" ")')" \
    "0 active $mac nvidia-h200-141gb"
  allocation_is active
  run_ok gpuaas-state check
  run_ok here gpuaas-reconcile --json
  # the rest of the host is approved as that of a new one
  gpuaas-state apply "$SRC/share/objects/lab.json" > "$T/x"
  here bash -c 'gpuaas-discover | gpuaas-approve --all-ready | gpuaas-wipe' > "$T/x" || :
  slots_are active available
  here bash -c "gpuaas-release $kept | gpuaas-wipe" > "$T/x"
  slots_are available available
  run_ok gpuaas-state check
}

# The use so far: spans, with their owners and prices.
spans()
{
  state_sql "SELECT allocation_id, usage_kind, count, accelerator_type, price_micros, started_at, ended_at, project,
    profile, node_id FROM usage ORDER BY started_at, id"
}

# The type of the newest allocation, of its slots, its claims and its spans; - where there is none.
types()
{
  state_sql "SELECT DISTINCT ifnull(a.accelerator_type, '-') || ' ' || ifnull(s.accelerator_type, '-') || ' ' ||
    ifnull(c.accelerator_type, '-') || ' ' || ifnull(u.accelerator_type, '-') FROM allocation a
    JOIN claim c ON c.allocation_id = a.id JOIN slot s ON s.id = c.slot_id JOIN usage u ON u.allocation_id = a.id
    WHERE a.number = (SELECT max(number) FROM allocation)"
}

# typed_lab: version 2 of the profile names a type, and costs something
typed_lab()
{
  jq_in_order -c '.types = ["nvidia-h200-141gb"] | .price_micros = 3600000000' "$SRC/share/objects/lab.json" |
    gpuaas-state apply - > "$T/typed"
}

# reported ARG…: gpuaas-report has what is still in use, which it has from the first whole second on
reported()
{
  run_ok gpuaas-report "$@" --from 2020-01-01 --to 2096-01-01
  [[ $output == *'"open_spans":1'* ]]
}

# A catalogue that has another type and nothing else.
forget_types()
{
  echo '{"accelerators":[{"slug":"acme-x1-64gb","name":"Acme X1 64GB"}]}' > "$T/none.json"
  export GPUAAS_ACCELERATORS=$T/none.json
}

H200=nvidia-h200-141gb

@test "after a rebuild what runs is of its type, and billed from its beginning at its price" {
  make_lab
  typed_lab
  gone=$(place_one)
  provision_last
  here bash -c "gpuaas-release $gone | gpuaas-wipe" > "$T/x"
  kept=$(gpuaas-place --profile lab --gpus 2 --project vision --json | tee "$T/plan" | jq -r .allocation)
  provision_last
  before=$(spans | grep "^$kept")
  assert_equal "$(wc -l <<< "$before")" 2
  assert_equal "$(cut -d'|' -f2-5 <<< "$before")" "provisioning|2|$H200|3600000000
active|2|$H200|3600000000"
  inventory
  rm -f "$GPUAAS_STATE"*
  run_ok gpuaas-state rebuild --lab --reason "the disk died" "$T/inventory"
  # Looking is no provisioning, whether its progress was heard of or not.
  assert_equal "$(spans | tail -n 1)" "$(tail -n 1 <<< "$before")"
  assert_equal "$(spans | head -n 1)" "$(head -n 1 <<< "$before" | awk -F'|' -v OFS='|' -v at="$(jq -rs '
    map(select(.kind == "gpuaas.allocation/1")) | [.[-1].phases[] |
    select(.phase | IN("hold", "recheck", "prerequisites") | not)][0].started_at' "$T/provisioned")" '{ $6 = at } 1')"
  assert_equal "$(types)" "$H200 $H200 $H200 $H200"
  wait_for 10 reported cost --by project,profile,type
  jq_is '[.project, .profile, .type, .allocations, .open_spans, .price_min_micros, .price_max_micros] | @json' \
    "[\"vision\",\"lab\",\"$H200\",1,1,3600000000,3600000000]"
  # Its end is billed as any other: what was open is closed, and the clean-up is of the same type.
  run_ok here gpuaas-reconcile --json
  here bash -c "gpuaas-release $kept | gpuaas-wipe" > "$T/x"
  assert_equal "$(state_sql "SELECT usage_kind, accelerator_type, ended_at IS NULL FROM usage ORDER BY id")" \
    "provisioning|$H200|0
active|$H200|0
cleanup|$H200|0"
  assert_equal "$(state_sql "SELECT count(*) FROM usage u JOIN usage n ON n.id = u.id + 1 WHERE n.started_at <> u.ended_at")" 0
  run_ok gpuaas-state check
}

@test "a rebuild with GPUs that the catalogue does not know: they are of no type, and are counted so" {
  make_lab
  kept=$(place_one)
  provision_last
  forget_types
  inventory
  rm -f "$GPUAAS_STATE"*
  run_ok gpuaas-state rebuild --lab --reason "the disk died" "$T/inventory"
  allocation_is active
  assert_equal "$(types)" "- - - -"
  assert_equal "$(gpuaas-list slots | jq -r '[.accelerator_type, .gpu_device] | @json')" '[null,"10de:2335"]'
  wait_for 10 reported usage --by type
  jq_is '[.type, .allocations, .open_spans] | @json' '[null,1,1]'
  run_ok gpuaas-state check
  # With its type in the catalogue again nothing is another by adopting once more.
  unset GPUAAS_ACCELERATORS
  inventory
  adopt
  assert_status 0
  assert_equal "$(types)" "- - - -"
  # A slot gets its type by being approved again, when nobody has it; what ran without one keeps none.
  run_ok here gpuaas-reconcile --json
  typed_lab
  slot=$(gpuaas-list slots | jq -r .slot)
  here bash -c "gpuaas-release $kept | gpuaas-wipe" > "$T/x"
  gpuaas-approve disable "$slot" --reason "its type is known now" > "$T/x"
  here bash -c 'gpuaas-discover | gpuaas-approve --all-ready | gpuaas-wipe' > "$T/x"
  run_ok gpuaas-approve enable "$slot"
  slots_are available available
  assert_equal "$(gpuaas-list slots | jq -r .accelerator_type)" "$H200
$H200"
  assert_equal "$(state_sql 'SELECT DISTINCT accelerator_type IS NULL FROM usage')" 1
  run_ok gpuaas-state check
}

@test "hosts know no hold: after a rebuild what was held is active without power, and counts so" {
  make_lab
  kept=$(place_one)
  provision_last
  here gpuaas-release "$kept" --hold 24h --reason away > "$T/x"
  allocation_is held
  inventory
  rm -f "$GPUAAS_STATE"*
  run_ok gpuaas-state rebuild --lab --reason "the disk died" "$T/inventory"
  assert_equal "$(gpuaas-list allocations | jq -r '[.state, .power_wanted, .power_observed] | @json')" \
    '["active","on","off"]'
  assert_equal "$(state_sql "SELECT group_concat(usage_kind || (ended_at IS NULL)) FROM usage")" provisioning0,active1
  run here gpuaas-reconcile --json
  jq_is 'select(.kind == "gpuaas.drift/1").code' power_off
}

# A backup of before the host was approved, with the profile in it.
@test "adopted with a type its profile names, or none that is known: the claim is what it was" {
  make_lab
  typed_lab
  gpuaas-state --state "$T/new.db" init --lab > "$T/x"
  GPUAAS_STATE=$T/new.db gpuaas-state apply "$SRC/share/objects/lab.json" > "$T/x"
  GPUAAS_STATE=$T/new.db typed_lab
  gpuaas-state --state "$T/new.db" backup "$T/b.db" > "$T/x"
  kept=$(place_one)
  provision_last
  restore "$T/b.db"
  inventory
  adopt
  assert_status 0
  assert_equal "$(types)" "$H200 $H200 $H200 $H200"
  assert_equal "$(state_sql "SELECT profile_version, json_extract(profile_record, '\$.types[0]') FROM allocation")" "2|$H200"
  # Its GPU is of a type that nobody knows: it runs all the same, at the price of its plan.
  restore "$T/b.db"
  forget_types
  inventory
  adopt
  assert_status 0
  assert_equal "$(jq -r 'select(.kind == "gpuaas.allocation/1").allocation' <<< "$output")" "$kept"
  assert_equal "$(types)" "- - - -"
  assert_equal "$(state_sql "SELECT profile_version, json_extract(profile_record, '\$.types'), price_micros FROM allocation")" \
    "2||3600000000"
  assert_equal "$(state_sql "SELECT usage_kind, price_micros FROM usage ORDER BY id")" "provisioning|3600000000
active|3600000000"
  run_ok gpuaas-state check
  # Nothing else of the profile is placed there.
  run here gpuaas-reconcile
  here gpuaas-discover | gpuaas-approve --all-ready > "$T/slots" || :
  "$SRC/tests/evidence" < "$T/slots" | gpuaas-state fold - > "$T/x" || :
  run_status 1 gpuaas-place --profile lab --gpus 1 --project p --json
  assert_output type_missing
}

@test "a rebuild without the lab flag takes nothing of a lab" {
  make_lab
  place_one > "$T/x"
  provision_last
  inventory
  rm -f "$GPUAAS_STATE"*
  run_status 1 gpuaas-state rebuild --reason x --json "$T/inventory"
  assert_equal "$(jq -r 'select(.check == "not_adopted").sentence' <<< "$output")" \
    "allocation '$(jq -r .allocation "$T/plan")' is of a lab"
  assert_equal "$(gpuaas-list slots)" ""
}

# ---- what check must find ----

# drop_triggers FILE
drop_triggers()
{
  sql "$1" "SELECT 'DROP TRIGGER ' || name || ';' FROM sqlite_schema WHERE type = 'trigger'" |
    sql "$1"
}

# make_sold: slot 0 active for "kept", slot 1 used once and available again
make_sold()
{
  make_lab
  place_one --name kept > "$T/x"
  provision_last
  local gone
  gone=$(place_one)
  provision_last
  here bash -c "gpuaas-release $gone | gpuaas-wipe" > "$T/x"
  slots_are active available
  run_ok gpuaas-state check
  gpuaas-state backup "$T/good.db"
}

# seed CHECK OBJECT TITLE SQL: whether the corruption is found by name
seed()
{
  local object=null db=$T/bad.db
  cp "$T/good.db" "$db"
  [[ $2 == - ]] || object=$(sql "$db" "${2:1:-1}")
  [[ -n $object ]] || { echo "$3: it has no object"; return 1; }
  drop_triggers "$db"
  sql "$db" "PRAGMA foreign_keys=OFF; PRAGMA ignore_check_constraints=ON; $4" > "$T/seeded" ||
    { echo "$3: was not seeded"; return 1; }
  run --separate-stderr gpuaas-state --state "$db" --json check
  if [[ $status -ne 1 ]] || ! jq -es --arg check "$1" --arg object "$object" \
    'any(.[]; .check == $check and ((.object // "null") | tostring) == $object)' <<< "$output" > "$T/found"; then
    echo "$3: $1 of $object is not found"
    show_run
    return 1
  fi
}

@test "each seeded corruption is found by name" {
  make_sold
  local line check='' object='' title='' sql='' n=0
  while IFS= read -r line; do
    [[ $line != '#'* ]] || continue
    if [[ $line == '== '* ]]; then
      [[ -z $check ]] || seed "$check" "$object" "$title" "$sql"
      [[ $line =~ ^==\ ([a-z_]+)\ (\(.*\)|-)\ ([^\)]+)$ ]]
      check=${BASH_REMATCH[1]} object=${BASH_REMATCH[2]} title=${BASH_REMATCH[3]} sql='' n=$((n + 1))
    else
      sql+=$line$'\n'
    fi
  done < <(cat "$SRC/tests/corruptions"; echo '== end - end')
  ((n - 1 >= 30)) || { echo "only $((n - 1)) corruptions"; false; }
  # the state they were made of is whole
  run_ok gpuaas-state --state "$T/good.db" check
}

@test "bytes that were damaged are found, or the file is refused; never passed" {
  make_sold
  pages=$(sql "$T/good.db" 'PRAGMA page_count')
  for root in $(sql "$T/good.db" "SELECT rootpage FROM sqlite_schema WHERE name IN
    ('slot', 'claim', 'audit', 'device', 'sqlite_autoindex_slot_1', 'allocation')"); do
    cp "$T/good.db" "$T/bad.db"
    head -c 64 /dev/zero | tr '\0' x |
      dd of="$T/bad.db" bs=1 seek=$(((root - 1) * 4096)) conv=notrunc status=none
    run gpuaas-state --state "$T/bad.db" check
    [[ $status -eq 1 || $status -eq 10 ]] || { echo "page $root: $status $output"; false; }
    [[ $output == *integrity* || $output == *damaged* ]]
    # and no backup of it is put in the place of a state
    run ! gpuaas-state restore "$T/bad.db" --reason x
  done
  cp "$T/good.db" "$T/bad.db"
  truncate -s $((pages / 2 * 4096)) "$T/bad.db"
  run gpuaas-state --state "$T/bad.db" check
  [[ $status -eq 1 || $status -eq 10 ]]
  [[ $output == *integrity* || $output == *damaged* ]]
  # a value in a row, found by what it contradicts: the record of the evidence
  cp "$T/good.db" "$T/bad.db"
  sed -i 's/"outcome":"confirmed"/"outcome":"confirmeD"/' "$T/bad.db"
  run_status 1 gpuaas-state --state "$T/bad.db" --json check
  assert_output evidence_digest
}

# ---- backups by timer ----

@test "backups are dated, checked, and the newest are kept; one with findings costs no older one" {
  run_ok gpuaas-state init --lab
  mkdir -p "$T/backup"
  for day in 01 02 03; do
    cp "$GPUAAS_STATE" "$T/backup/state-202601${day}T000000Z.db"
  done
  echo mine > "$T/backup/state-notes.db"
  run_ok gpuaas-state backup --keep 2 "$T/backup" --json
  jq_is .action backup
  made=$(jq -r .path <<< "$output")
  assert_equal "$(stat -c %a "$made")" 600
  assert_equal "$(cd "$T/backup" && printf '%s\n' *)" "state-20260103T000000Z.db
${made##*/}
state-notes.db"
  # it is a state that restore takes
  run_ok gpuaas-state restore "$made" --reason test
  drop_triggers "$GPUAAS_STATE"
  state_sql "UPDATE audit SET actor = 'x' WHERE seq = 1"
  run_status 1 gpuaas-state backup --keep 1 "$T/backup" --json
  assert_output audit_chain
  [[ $(jq -rs '.[-1].path' <<< "$output") == *.findings ]]
  [[ -e $T/backup/state-20260103T000000Z.db && -e $made ]]
  run_status 2 gpuaas-state backup --keep 0 "$T/backup"
}
