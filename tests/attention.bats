# SPDX-License-Identifier: Apache-2.0
# gpuaas-list attention: what is drifted, unproven, running out of time or room, with the command.

load helper

# fleet NODES SLOTS: as in node.bats; NODE: the first of them.
fleet()
{
  gpuaas-state init --lab > "$T/init"
  cat "$SRC/share/objects/lab.json" - > "$T/lab.json" << 'END'
{"kind":"gpuaas.image/1","name":"lab","digest":"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","format":"raw","file_bytes":1048576,"size_bytes":1048576,"firmware":"bios","probe":"running","user":"ubuntu"}
END
  gpuaas-state apply "$T/lab.json" > "$T/apply"
  setup_host h200
  in_host gpuaas-discover > "$T/h200.rec"
  "$SRC/tests/fleet" "$1" "$2" < "$T/h200.rec" > "$T/fleet.rec"
  wiped_fleet
  NODE=$(gpuaas-list nodes --limit 1 | jq -r .node)
}

running()
{
  gpuaas-place --profile lab --node "$NODE" "$@" > "$T/plan" || return 1
  local id
  id=$(jq -r .allocation "$T/plan")
  gpuaas-list allocations --where "allocation=$id" | jq_in_order -c '.state = "active" |
    .power_observed = "on" | .since = (now | todate | sub("Z"; ".000000Z"))' > "$T/result"
  by_node < "$T/result" | gpuaas-state fold - > "$T/folded" || return 1
  echo "$id"
}

# drift AT CODE OBJECT [CHANGE]: what a reconcile at that time would have found
drift()
{
  jq_in_order -cn --arg node "$NODE" --arg at "$1" --arg code "$2" --arg object "$3" '{kind:"gpuaas.drift/1",
    node:$node, object:$object, code:$code, severity:"error", expected:"this", observed:"that",
    observation:"bad", age_seconds:0, repair:null, command:"gpuaas-show \($object)",
    repaired:false, at:$at}' | jq_in_order -c "${4-.}"
}

# observation AT AGREED
observation()
{
  jq_in_order -cn --arg node "$NODE" --arg at "$1" --argjson agreed "$2" '{kind:"gpuaas.observation/1",
    node:$node, at:$at, boot_id:null, fingerprint:null, agreed:$agreed, journal_open:0, drifts:0,
    allocations:[]}'
}

codes()
{
  gpuaas-list attention | jq -r .code | sort | paste -sd ' '
}

@test "drift stands there until a run does not find it again, whatever the order it comes in" {
  fleet 1 1
  slot=$(gpuaas-list slots | jq -r .slot)
  one=2026-11-20T10:00:00.000000Z two=2026-11-20T11:00:00.000000Z three=2026-11-20T12:00:00.000000Z
  { drift $one pci_binding "$slot"; drift $one nat_missing "$NODE"; observation $one false; } > "$T/one"
  # One is mended, one stays.
  { drift $two nat_missing "$NODE"; observation $two false; } > "$T/two"
  observation $three true > "$T/three"
  by_node < "$T/one" | gpuaas-state fold - > "$T/out"
  assert_equal "$(codes)" "nat_missing pci_binding"
  run_ok gpuaas-list attention
  jq_is "select(.code==\"pci_binding\")|[.object,.object_kind,.node,.since,.command]|join(\" \")" \
    "$slot slot $NODE $one gpuaas-show $slot"
  jq_is 'select(.code=="pci_binding").sentence' "expected this, and the host shows that"
  by_node < "$T/two" | gpuaas-state fold - > "$T/out"
  assert_equal "$(codes)" nat_missing
  run_ok gpuaas-list attention
  jq_is .since "$one"
  by_node < "$T/three" | gpuaas-state fold - > "$T/out"
  assert_equal "$(codes)" ""
  # A late record changes nothing.
  { drift $one ovs_port_missing "$slot"; drift $two stuck "$slot"; observation $two false; } > "$T/late"
  by_node < "$T/late" | gpuaas-state fold - > "$T/out"
  assert_equal "$(codes)" ""
  by_node < "$T/one" | gpuaas-state fold - > "$T/out"
  assert_equal "$(codes)" ""
  run_ok gpuaas-state check
}

@test "drift: repaired, unknown and info are none; drift without an object is reported for the node" {
  fleet 1 1
  at=2026-11-20T10:00:00.000000Z
  { drift $at power_off x '.severity = "info"'; drift $at pci_missing y '.observation = "unknown"'
    drift $at nat_missing z '.repaired = true'; drift $at domain_orphan gpuaas-zzzzzzzz '.command = null |
      .repair = "remove" | .severity = "warning"'; } > "$T/drifts"
  by_node < "$T/drifts" | gpuaas-state fold - > "$T/out"
  run_ok gpuaas-list attention
  jq_is '[.object,.object_kind,.code]|join(" ")' "$NODE node domain_orphan"
  jq_is '.sentence|startswith("gpuaas-zzzzzzzz: ")' true
  jq_is .command "gpuaas-state expect --node $NODE | gpuaas-on gpuaas-reconcile --repair - | gpuaas-state fold -"
  # Hardware that was accepted since is none either.
  drift $at fingerprint_changed "$NODE" ".observed = \"$(gpuaas-list nodes | jq -r .fingerprint)\"" > "$T/drifts"
  by_node < "$T/drifts" | gpuaas-state fold - > "$T/out"
  assert_equal "$(codes)" domain_orphan
  drift $at domain_orphan gpuaas-zzzzzzzz '.repaired = true' > "$T/drifts"
  by_node < "$T/drifts" | gpuaas-state fold - > "$T/out"
  assert_equal "$(codes)" ""
}

@test "hardware that nobody approved has a row, and the list of candidates shows the slots" {
  gpuaas-state init --lab > "$T/init"
  gpuaas-state apply "$SRC/share/objects/lab.json" > "$T/apply"
  setup_host h200
  in_host gpuaas-discover > "$T/h200.rec"
  "$SRC/tests/fleet" 1 3 < "$T/h200.rec" > "$T/fleet.rec"
  gpuaas-approve --record-only < "$T/fleet.rec" > "$T/out"
  NODE=$(gpuaas-list nodes | jq -r .node)
  gpuaas-node rename "$NODE" h7 > "$T/out"
  run_ok gpuaas-list attention
  jq_is '[.object,.name,.code,.state,.sentence,.command]|join("|")' \
    "$NODE|h7|not_approved|enrolled|3 candidates of the node wait for approval|gpuaas-on --nodes node=$NODE gpuaas-discover | gpuaas-approve --slot 0 --slot 1 --slot 2 | gpuaas-on gpuaas-wipe | gpuaas-state fold -"
  assert_equal "$(jq -r .since <<< "$output")" "$(gpuaas-list nodes | jq -r .since)"
  run_ok gpuaas-list attention --table
  assert_output "h7"
  run_ok gpuaas-list candidates
  jq_slurp_is 'map(has("slot"))|unique|tostring' '[false]'
  gpuaas-approve --slot 0 --slot 1 < "$T/fleet.rec" > "$T/slots"
  run_ok gpuaas-list attention --where code=not_approved
  jq_is .sentence "1 candidate of the node waits for approval"
  run_ok gpuaas-list candidates
  jq_slurp_is 'map("\(.slot_index) \(.slot)")|join(",")' \
    "$(gpuaas-list slots | jq -rs '(map("\(.slot_index) \(.slot)") + ["2 null"])|join(",")')"
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
  run_ok gpuaas-list candidates --where 'slot!=null'
  assert_equal "${#lines[@]}" 2
  gpuaas-approve --all-ready < "$T/fleet.rec" > "$T/slots"
  assert_equal "$(codes)" ""
  # A person decided about retired hardware; another disk in its place is new.
  slot=$(gpuaas-list slots --where slot_index=2 | jq -r .slot)
  "$SRC/tests/evidence" < "$T/slots" > "$T/evidence"
  gpuaas-state fold "$T/evidence" > "$T/folded"
  gpuaas-approve disable "$slot" --reason worn > "$T/out"
  gpuaas-approve retire "$slot" --reason worn > "$T/out"
  assert_equal "$(codes)" ""
  state_sql "UPDATE candidate SET record = json_set(record, '$.nvme.wwid', 'eui.new') WHERE slot_index = 2"
  assert_equal "$(codes)" not_approved
  # A blocker of the node has the only row.
  state_sql "UPDATE node SET blockers = '[{\"code\":\"no_iommu\",\"subject\":null,\"evidence\":\"none\",\"hint\":null}]', generation = generation + 1"
  assert_equal "$(codes)" no_iommu
}

@test "a row shows the name of a node and of an allocation" {
  fleet 1 2
  gpuaas-node rename "$NODE" h7 > "$T/out"
  job=$(running --name short --run-time 1s)
  # shellcheck disable=SC2016 # for the inner shell
  wait_for 10 bash -c '[[ $(gpuaas-list attention --where object="$0" | jq -r .code) == run_time_over ]]' "$job"
  drain_overdue
  run_ok gpuaas-list attention
  jq_slurp_is 'map("\(.code) \(.name)")|sort|join(",")' "drain_overdue h7,run_time_over short"
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
  COLUMNS=80 run_ok gpuaas-list attention --table
  [[ ${lines[0]} =~ ^OBJECT\ +NAME\ +CODE ]] || { echo "$output"; return 1; }
}

@test "a run time that is over, or nearly" {
  fleet 1 4
  long=$(running --run-time 3h --project vision)
  short=$(running --run-time 40m --project vision)
  run_ok gpuaas-list attention
  jq_is '[.object,.code,.project,.command]|join(" ")' \
    "$short run_time_ends vision gpuaas-show $short"
  # The lists say when, and one whose request has no run time has no end.
  COLUMNS=80 run_ok gpuaas-list allocations --table
  [[ ${lines[0]} == *" PROJECT "* ]] || { echo "$output"; return 1; }
  run_ok gpuaas-list allocations --table
  assert_output "in 3h"
  assert_output "in 40m"
  run_ok gpuaas-list allocations --table --columns ends --where "allocation=$long"
  assert_output "ENDS"
  run_ok gpuaas-show "$short" --table
  assert_output " (in 40m)"
  run_ok gpuaas-list allocations
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
  other=$(running)
  run_ok gpuaas-list allocations --where "allocation=$other"
  jq_is 'has("run_until")' false
  run_ok gpuaas-show "$long"
  began=$(jq -r 'select(.usage_kind == "active").started_at' <<< "$output")
  assert_equal "$(jq -r 'select(.run_until).run_until' <<< "$output")" \
    "$(date -ud "${began%.*}Z + 3 hours" +%FT%T).${began#*.}"
  over=$(running --run-time 1s)
  # shellcheck disable=SC2016 # for the inner shell
  wait_for 10 bash -c '[[ $(gpuaas-list attention --where object="$0" | jq -r .code) == run_time_over ]]' "$over"
  # Only now a command ends it. An operator at the node itself needs no ssh.
  run_ok gpuaas-list attention --where "object=$over"
  jq_is .command \
    "gpuaas-release $over | gpuaas-on gpuaas-release - | gpuaas-on gpuaas-wipe | gpuaas-state fold -"
  run_ok env GPUAAS_NODE="$NODE" gpuaas-list attention --where "object=$over"
  jq_is .command "gpuaas-release $over | gpuaas-wipe"
  run_ok gpuaas-list attention --where "object=$long"
  assert_equal "$output" ""
}

# drain_overdue: a drain of NODE whose deadline is over
drain_overdue()
{
  gpuaas-node drain "$NODE" --reason fan --deadline 1d > "$T/out" || :
  state_sql "UPDATE node SET drain_deadline = '2026-01-01T00:00:00.000000Z', generation = generation + 1
    WHERE id = '$NODE'"
}

@test "a drain past its deadline, and maintenance with something on the node" {
  fleet 1 2
  gpuaas-node maintenance "$NODE" --from 2h --to 4h --reason "power supply" > "$T/out"
  drain_overdue
  # Nothing is on it: both are well.
  assert_equal "$(codes)" ""
  gpuaas-node undrain "$NODE" > "$T/out"
  job=$(running)
  run_ok gpuaas-list attention
  jq_is '[.object,.code]|join(" ")' "$NODE maintenance_ahead"
  jq_is '.sentence|contains("power supply")' true
  gpuaas-node drain "$NODE" --reason "fan" --deadline 24h > "$T/out" || :
  assert_equal "$(codes)" ""
  drain_overdue
  run_ok gpuaas-list attention
  jq_is '[.object,.code,.since,.command]|join(" ")' \
    "$NODE drain_overdue 2026-01-01T00:00:00.000000Z gpuaas-node drain $NODE"
  jq_is '.sentence|endswith("1 claim is left")' true
  gpuaas-node maintenance "$NODE" --to 1h --reason "now" > "$T/out"
  assert_equal "$(codes)" "drain_overdue maintenance"
  gpuaas-release "$job" > "$T/out"
}

@test "the state's own file system is nearly full" {
  unshare --map-root-user --mount true 2> "$T/out" || skip "user namespaces are not allowed"
  mkdir "$T/small"
  # shellcheck disable=SC2016 # for the inner shell
  run_ok unshare --map-root-user --mount bash -c 'mount -t tmpfs -o size=32M small "$T/small" &&
    gpuaas-state init --lab --state "$T/small/state.db" > "$T/out" &&
    gpuaas-list attention --state "$T/small/state.db"'
  jq_is '[.object,.object_kind,.code,.command]|join(" ")' \
    "$T/small/state.db state disk_full df -h $T/small"
}

@test "a host without room, and GPU memory that was not proven to be clean: not in a lab" {
  fleet 1 2
  record=$(state_sql "SELECT record FROM node_observation" |
    jq_in_order -c '.prerequisites |= map(if .name == "free_space" then .state = "missing" | .evidence = "/var has 3 GiB free" else . end)')
  state_sql "UPDATE node_observation SET record = '${record//\'/\'\'}'"
  assert_equal "$(codes)" ""
  # A real state of the same content: triggers keep it from being made of a lab.
  state_sql "SELECT 'DROP TRIGGER ' || name || ';' FROM sqlite_schema
    WHERE type = 'trigger' AND tbl_name IN ('meta', 'wipe_evidence')" > "$T/drop"
  state_sql < "$T/drop"
  state_sql "UPDATE meta SET lab = 0"
  assert_equal "$(codes)" disk_full
  run_ok gpuaas-list attention --where code=disk_full
  jq_is '.sentence|startswith("/var has 3 GiB free")' true
  state_sql "UPDATE wipe_evidence SET gpu_memory = 'not_proven',
    record = json_set(record, '$.gpu_memory.detail', 'no scrub method')"
  run_ok gpuaas-list attention --where code=gpu_memory_not_proven
  jq_is '[.object,.command]|join(" ")' \
    "$NODE gpuaas-list slots --where node=$NODE --where gpu_memory=not_proven"
  jq_is '.sentence|(contains("2 slots") and contains("no scrub method"))' true
}

@test "a node that nobody has looked at for long, unless it is out anyway" {
  fleet 2 1
  assert_equal "$(codes)" ""
  state_sql "UPDATE node SET observed_at = '2026-01-01T00:00:00.000000Z',
    generation = generation + 1 WHERE id = '$NODE'"
  run_ok gpuaas-list attention
  jq_is '[.object,.code,.since]|join(" ")' "$NODE stale 2026-01-01T00:00:00.000000Z"
  export GPUAAS_STALE_AFTER=3650d
  assert_equal "$(codes)" ""
  export GPUAAS_STALE_AFTER=24h
  gpuaas-node drain "$NODE" --reason fan > "$T/out"
  assert_equal "$(codes)" ""
}

@test "a whole machine: every row says what takes it back, and never what would wipe here" {
  fleet 1 2
  gpuaas-state apply "$SRC/share/objects/lab-baremetal.json" > "$T/out"
  gpuaas-place --profile lab-baremetal --node "$NODE" --run-time 1s > "$T/plan"
  job=$(jq -r .allocation "$T/plan")
  whole="gpuaas-release $job | gpuaas-release - | gpuaas-on gpuaas-wipe | gpuaas-state fold -"
  mkdir -p "$T/metal/deploy" "$T/metal/release"
  printf '#!/bin/sh\necho no >&2\nexit 1\n' > "$T/metal/deploy/50-hand"
  cp "$T/metal/deploy/50-hand" "$T/metal/release/50-hand"
  chmod 755 "$T/metal"/*/50-hand
  GPUAAS_BAREMETAL_DIR=$T/metal GPUAAS_NODE=controller run gpuaas-provision "$T/plan"
  run_ok gpuaas-list attention
  jq_slurp_is 'map("\(.object_kind) \(.code)")|join(", ")' \
    "slot provision_failed, slot provision_failed, allocation failed"
  jq_slurp_is 'map(.command)|unique|join(", ")' "$whole"
  run gpuaas-node drain "$NODE" --reason fan --json
  jq_is 'select(.code=="blocked").command' "$whole"
  gpuaas-release "$job" > "$T/order"
  state_sql "UPDATE allocation SET since = '2026-01-01T00:00:00.000000Z',
    generation = generation + 1 WHERE id = '$job'"
  run_ok gpuaas-list attention --where code=stuck
  jq_is .command "$whole"
}

@test "on the node itself no command goes by ssh" {
  fleet 1 1
  at=2026-11-20T10:00:00.000000Z
  drift $at domain_orphan gpuaas-zzzzzzzz '.command = null | .repair = "remove"' > "$T/drifts"
  by_node < "$T/drifts" | gpuaas-state fold - > "$T/out"
  state_sql "UPDATE node SET observed_at = '2026-01-01T00:00:00.000000Z',
    generation = generation + 1"
  run_ok env GPUAAS_NODE="$NODE" gpuaas-list attention
  jq_is 'select(.code == "domain_orphan").command' "gpuaas-reconcile --repair"
  jq_is 'select(.code == "stale").command' "gpuaas-discover | gpuaas-approve --record-only"
  run_ok gpuaas-list attention
  jq_is 'select(.code == "stale").command' \
    "gpuaas-on --nodes node=$NODE gpuaas-discover | gpuaas-approve --record-only"
}

@test "a cordoned slot has a row with the person's reason; an object that has ended has none" {
  fleet 1 2
  slot=$(gpuaas-list slots --limit 1 | jq -r .slot)
  gpuaas-approve cordon "$slot" --reason "bad cable" > "$T/out"
  run_ok gpuaas-list attention
  jq_is '[.object,.code,.state,.sentence,.command]|join("|")' \
    "$slot|cordoned|available|bad cable|gpuaas-approve uncordon $slot"
  assert_equal "$(jq -r .since <<< "$output")" "$(gpuaas-list audit --where action=cordon | jq -r .at)"
  eval "$(jq -r .command <<< "$output")" > "$T/out"
  assert_equal "$(codes)" ""
  # A fault of the slot has its own row beside the cordon, whose command does not end the cordon.
  gpuaas-approve disable "$slot" --reason broken > "$T/out"
  without_triggers "UPDATE slot SET disabled_reason = NULL, blockers = json('[{\"code\":\"missing_disk\",\"subject\":\"x\",\"evidence\":\"no disk\",\"hint\":\"look\"}]') WHERE id = '$slot'"
  gpuaas-approve cordon "$slot" --reason "bad cable" > "$T/out"
  assert_equal "$(codes)" "cordoned missing_disk"
  run_ok gpuaas-list attention --where code=missing_disk
  jq_is .sentence "no disk; it is cordoned too, and sells only when all end"
  jq_is '.command | contains("--record-only")' true
  gpuaas-approve uncordon "$slot" > "$T/out" 2> "$T/err"
  grep -q "slot $slot: this ends 'bad cable'" "$T/err"
  without_triggers "UPDATE slot SET blockers = '[]' WHERE id = '$slot'"
  gpuaas-approve enable "$slot" > "$T/out"
  # So it has beside a failed health, and beside a quarantine.
  gpuaas-approve cordon "$slot" --reason "bad cable" > "$T/out"
  without_triggers "UPDATE slot SET health_state = 'failed', health_detail = 'dead' WHERE id = '$slot'"
  assert_equal "$(codes)" "cordoned health_failed"
  without_triggers "UPDATE slot SET health_state = 'ok', health_detail = NULL WHERE id = '$slot'"
  gpuaas-approve quarantine "$slot" --reason smoke > "$T/out"
  assert_equal "$(codes)" "cordoned quarantined"
  gpuaas-approve uncordon "$slot" > "$T/out"
  gpuaas-approve disable "$slot" --reason "looked at" > "$T/out"
  gpuaas-approve enable "$slot" > "$T/out"
  assert_equal "$(codes)" ""
  # A slot that was wiped while something kept it from sale, and that nothing keeps now, has a row; while
  # its node is quarantined only the node has one.
  without_triggers "UPDATE slot SET state = 'disabled' WHERE id = '$slot'"
  run_ok gpuaas-list attention
  jq_is '[.object,.code,.sentence]|join("|")' \
    "$slot|disabled|its wipe was right, and what kept it from sale then, a cordon, a fault or its node, has ended"
  gpuaas-node quarantine "$NODE" --reason fog > "$T/out"
  assert_equal "$(codes)" quarantined
  gpuaas-node undrain "$NODE" --reason cleared > "$T/out"
  gpuaas-approve enable "$slot" > "$T/out"
  assert_equal "$(codes)" ""
  # A slot that was retired with a failed health, and drift of it, are no work any more.
  gpuaas-approve disable "$slot" --reason broken > "$T/out"
  drift 2026-11-20T10:00:00.000000Z pci_binding "$slot" > "$T/drifts"
  by_node < "$T/drifts" | gpuaas-state fold - > "$T/out"
  state_sql "UPDATE slot SET health_state = 'failed', health_detail = 'dead', generation = generation + 1 WHERE id = '$slot'"
  assert_equal "$(codes)" "health_failed pci_binding"
  gpuaas-approve retire "$slot" --reason scrapped > "$T/out"
  assert_equal "$(codes)" ""
}

@test "a slot that a person disabled waits for a person" {
  fleet 1 2
  slot=$(gpuaas-list slots --limit 1 | jq -r .slot)
  gpuaas-approve disable "$slot" --reason "ticket 9" > "$T/out"
  run_ok gpuaas-list attention
  jq_is '[.object,.code,.state,.sentence,.command]|join("|")' \
    "$slot|cordoned|disabled|ticket 9|gpuaas-approve enable $slot | gpuaas-on gpuaas-wipe | gpuaas-state fold -"
  assert_equal "$(jq -r .since <<< "$output")" "$(gpuaas-list slots --where "slot=$slot" | jq -r .since)"
  run_ok gpuaas-approve enable "$slot"
  assert_equal "$(codes)" ""
}

@test "a slot whose wipe nobody has begun has a row, and none when it begins" {
  local wiping
  fleet 1 2
  job=$(running)
  gpuaas-release "$job" --yes > "$T/order"
  slot=$(jq -r '.bundles[0].slot' "$T/order")
  jq_in_order -c '{kind: "gpuaas.released/1", allocation, node, generation, attempt, dry_run: false,
    slots: [.bundles[].slot], steps: [], at: (now | todate | sub("Z"; ".000000Z")), lab}' "$T/order" > "$T/released"
  by_node < "$T/released" | gpuaas-state fold - > "$T/out"
  assert_equal "$(gpuaas-list slots --where "slot=$slot" | jq -r .state)" wiping
  # ago SECONDS: when the slot began to wait
  ago()
  {
    state_sql "UPDATE slot SET since = strftime('%Y-%m-%dT%H:%M:%S.000000Z', 'now', '-$1 seconds'),
      generation = generation + 1 WHERE id = '$slot'"
  }
  export GPUAAS_NODE=$NODE
  assert_equal "$(codes)" ""
  ago 61
  run_ok gpuaas-list attention
  jq_is '[.object,.code,.state,.command]|join("|")' "$slot|waiting_for_wipe|wiping|gpuaas-wipe --pending"
  jq_is '.sentence | startswith("its wipe was ordered at ")' true
  # The state hears of a wipe elsewhere only when it ends.
  export GPUAAS_NODE=another
  assert_equal "$(codes)" ""
  ago 3601
  run_ok gpuaas-list attention
  jq_is .command "gpuaas-on --nodes node=$NODE gpuaas-wipe --pending | gpuaas-state fold -"
  export GPUAAS_NODE=$NODE
  jq_in_order -cn --arg slot "$slot" --arg node "$NODE" \
    --arg attempt "$(state_sql "SELECT wipe_attempt FROM slot WHERE id = '$slot'")" \
    --argjson generation "$(state_sql "SELECT wipe_generation FROM slot WHERE id = '$slot'")" '{kind: "gpuaas.progress/1", node: $node, object: $slot, attempt: $attempt, generation: $generation, phase: "guard",
      state: "started", at: (now | todate | sub("Z"; ".000000Z")), elapsed_micros: 0, bytes: null, total_bytes: null, detail: null}' > "$T/progress"
  by_node < "$T/progress" | gpuaas-state fold - > "$T/out"
  assert_equal "$(codes)" ""
  # An order that only a pipe had is written again.
  state_sql "DELETE FROM task; UPDATE slot SET wipe_cause = 'repair', generation = generation + 1 WHERE id = '$slot'"
  run_ok gpuaas-list attention
  jq_is .command "gpuaas-approve repair $slot --reason TEXT | gpuaas-wipe"
  # The only word to fill in, and what to write for it.
  jq_is '.sentence | endswith("; TEXT: what was done")' true
}

@test "every row has a command that is one" {
  fleet 1 3
  running --run-time 1m > "$T/out"
  drain_overdue
  slot=$(gpuaas-list slots --where state=available --limit 1 | jq -r .slot)
  gpuaas-approve quarantine "$slot" --reason smoke > "$T/out"
  run_ok gpuaas-list attention --where "object=$slot"
  jq_is .sentence "smoke; TEXT: why"
  run_ok gpuaas-list attention --table
  assert_output "OBJECT "
  [[ ${lines[0]} =~ ^OBJECT\ +CODE\ +STATE ]]
  drift 2026-11-20T10:00:00.000000Z nat_missing "$NODE" '.command = null | .repair = "nat"' > "$T/drifts"
  by_node < "$T/drifts" | gpuaas-state fold - > "$T/out"
  gpuaas-list attention | jq -r .command > "$T/commands"
  [[ $(wc -l < "$T/commands") -ge 4 ]]
  # --version before the rest parses a command line and does nothing.
  tr '|' '\n' < "$T/commands" | sed 's/^ *\(gpuaas-[a-z]*\)/\1 --version/; s/--reason TEXT/--reason x/' > "$T/script"
  run_ok bash -e "$T/script"
  assert_equal "${#lines[@]}" "$(grep -c gpuaas- "$T/script")"
}

# attention FILTER: over the list of records of gpuaas-list attention
attention()
{
  gpuaas-list attention 2> "$T/hidden" | jq -rs "$1"
}

@test "an acknowledged entry is hidden, counted, and back at its end" {
  fleet 1 2
  slot=$(gpuaas-list slots --where slot_index=0 | jq -r .slot)
  gpuaas-approve cordon "$slot" --reason "ticket 7" > "$T/said"
  assert_equal "$(attention 'map("\(.object) \(.code)")|join(",")')" "$slot cordoned"
  run_ok gpuaas-state acknowledge "$slot" --reason "a NIC comes on Friday" --until 3d
  jq_is '"\(.object) \(.acknowledged.reason) \(.acknowledged.by | test("root"))"' \
    "$slot a NIC comes on Friday true"
  assert_equal "$(attention length)" 0
  assert_equal "$(cat "$T/hidden")" "1 acknowledged entry is hidden; 'gpuaas-list attention --all' shows it"
  run_ok gpuaas-list attention --all
  jq_is .acknowledged.reason "a NIC comes on Friday"
  refute_stderr hidden
  run_ok gpuaas-list attention --all --table
  assert_output "acknowledged: a NIC comes on Friday"
  run_ok gpuaas-list attention --where code=stuck
  refute_stderr hidden
  run_ok gpuaas-export openmetrics
  refute_output 'gpuaas_attention{'
  assert_output 'gpuaas_attention_acknowledged{code="cordoned"} 1'
  assert_equal "$(gpuaas-list audit --newest --limit 1 | jq -r '"\(.action) \(.object) \(.detail.code) \(.detail.reason)"')" \
    "acknowledged $slot cordoned a NIC comes on Friday"
  # its end
  state_sql "UPDATE acknowledgement SET until = '2020-01-01T00:00:00.000000Z'"
  assert_equal "$(attention 'map(.object)|join(",")')" "$slot"
  assert_equal "$(cat "$T/hidden")" ""
  run_ok gpuaas-export openmetrics
  assert_output 'gpuaas_attention{code="cordoned"} 1'
  run_ok gpuaas-state check
}

@test "an acknowledged entry that becomes another one is back; --remove shows it again" {
  fleet 1 2
  slot=$(gpuaas-list slots --where slot_index=0 | jq -r .slot)
  drift 2026-11-01T00:00:00.000000Z missing_disk "$slot" > "$T/drift"
  by_node < "$T/drift" | gpuaas-state fold - > "$T/folded"
  assert_equal "$(attention 'map(.code)|join(",")')" missing_disk
  run_ok gpuaas-state acknowledge "${slot:0:6}" --reason known --until 1h
  assert_equal "$(attention length)" 0
  # the same drift, seen differently
  state_sql "UPDATE node_drift SET observed = 'something worse'"
  assert_equal "$(attention length)" 1
  run_ok gpuaas-state acknowledge "$slot" --code missing_disk --reason known --until 1h
  assert_equal "$(attention length)" 0
  # a time in the words is no change
  state_sql "UPDATE node_drift SET observed = 'bad since 2026-11-01T00:00:00.000000Z'"
  run_ok gpuaas-state acknowledge "$slot" --code missing_disk --reason known --until 1h
  state_sql "UPDATE node_drift SET observed = 'bad since 2026-11-02T00:00:00.000000Z'"
  assert_equal "$(attention length)" 0
  # another code hides nothing and is not hidden
  gpuaas-approve cordon "$slot" --reason "ticket 7" > "$T/said"
  assert_equal "$(attention 'map(.code)|join(",")')" cordoned
  run_status 2 gpuaas-state acknowledge "$slot" --reason known --until 1h
  assert_stderr "missing_disk"
  run_status 5 gpuaas-state acknowledge "$slot" --code stuck --reason known --until 1h
  # shown again
  run_ok gpuaas-state acknowledge "$slot" --code missing_disk --remove
  jq_is '.acknowledged' null
  assert_equal "$(attention 'map(.code)|sort|join(",")')" cordoned,missing_disk
  run_status 5 gpuaas-state acknowledge "$slot" --code missing_disk --remove
  assert_equal "$(gpuaas-list audit --newest --limit 1 | jq -r .action)" acknowledge_removed
}

# acknowledged WORD…: the list has these rows, and none once each is acknowledged
acknowledged()
{
  local row
  assert_equal "$(attention 'map(.code)|sort|join(" ")')" "$*"
  gpuaas-list attention | jq -r '"\(.object) \(.code)"' > "$T/rows"
  while read -r row code; do
    run_ok gpuaas-state acknowledge "$row" --code "$code" --reason known --until 1h < /dev/null
  done < "$T/rows"
  assert_equal "$(attention length)" 0
}

@test "entries whose sentence has a time are hidden: a stale node, an expired placement, a stuck object" {
  fleet 1 3
  job=$(running --run-time 1s)
  # shellcheck disable=SC2016 # for the inner shell
  wait_for 10 bash -c '[[ $(gpuaas-list attention --where object="$0" | jq -r .code) == run_time_over ]]' "$job"
  acknowledged run_time_over
  gpuaas-release "$job" > "$T/out"
  state_sql "UPDATE allocation SET since = '2026-01-01T00:00:00.000000Z',
    generation = generation + 1 WHERE id = '$job'"
  acknowledged stuck
  state_sql "UPDATE node SET observed_at = '2026-01-01T00:00:00.000000Z',
    generation = generation + 1"
  acknowledged stale
}

@test "an entry whose sentence is made for the machine of a tenant is hidden, from each machine" {
  fleet 1 2
  gpuaas-state apply "$SRC/share/objects/lab-baremetal.json" > "$T/out"
  # Found before the machine had a tenant.
  drift 2026-11-20T10:00:00.000000Z domain_orphan gpuaas-zzzzzzzz '.command = null |
    .repair = "remove" | .observed = "there since 2026-11-01T00:00:00.000000Z"' > "$T/drifts"
  by_node < "$T/drifts" | gpuaas-state fold - > "$T/out"
  gpuaas-place --profile lab-baremetal --node "$NODE" > "$T/plan"
  mkdir -p "$T/metal/deploy" "$T/metal/release"
  printf '#!/bin/sh\nexit 1\n' > "$T/metal/deploy/50-hand"
  cp "$T/metal/deploy/50-hand" "$T/metal/release/50-hand"
  chmod 755 "$T/metal"/*/50-hand
  GPUAAS_BAREMETAL_DIR=$T/metal GPUAAS_NODE=controller run gpuaas-provision "$T/plan"
  assert_equal "$(attention 'map(.sentence | test("a tenant has the machine")) | any')" true
  acknowledged domain_orphan failed provision_failed provision_failed
  export GPUAAS_NODE=controller
  assert_equal "$(attention length)" 0
}

@test "acknowledge needs a reason and an end that is not far; the state and hooks by their words" {
  fleet 1 1
  slot=$(gpuaas-list slots --limit 1 | jq -r .slot)
  run_status 5 gpuaas-state acknowledge "$slot" --reason r --until 1d
  assert_stderr "attention has no entry of"
  gpuaas-approve cordon "$slot" --reason "ticket 7" > "$T/said"
  run_status 2 gpuaas-state acknowledge "$slot" --until 1d
  run_status 2 gpuaas-state acknowledge "$slot" --reason r
  run_status 2 gpuaas-state acknowledge "$slot" --reason r --until 91d
  run_status 2 gpuaas-state acknowledge "$slot" --reason r --until 2020-01-01T00:00:00Z
  run_status 2 gpuaas-state acknowledge "$slot" --reason r --until soon
  run_status 2 gpuaas-state acknowledge "$slot" --reason r --until 1d --remove
  run_status 2 gpuaas-list slots --all
  assert_equal "$(attention length)" 1
  state_sql "INSERT INTO notice_hook (hook, failing_since, failed_at, attempts, sentence) VALUES
    ('50-mail', '2026-11-01T00:00:00.000000Z', '2026-11-01T01:00:00.000000Z', 3, 'it ended with 1')"
  run_ok gpuaas-state acknowledge 50-mail --reason "the relay moves" --until 90d
  state_sql "UPDATE notice_hook SET attempts = 4, failed_at = '2026-11-01T02:00:00.000000Z'"
  assert_equal "$(attention 'map(.code)|join(",")')" cordoned
  state_sql "UPDATE notice_hook SET sentence = 'it is not there'"
  assert_equal "$(attention 'map(.code)|join(",")')" cordoned,notify_failed
}

@test "a slot that a person disabled shows that reason beside its blocker" {
  fleet 1 1
  slot=$(gpuaas-list slots --limit 1 | jq -r .slot)
  gpuaas-approve disable "$slot" --reason "waiting for a NIC, ticket 123" > "$T/said"
  state_sql "UPDATE slot SET blockers = '[{\"code\":\"no_fabric_vf\",\"subject\":null,\"evidence\":\"no function is free\",\"hint\":null}]',
    generation = generation + 1"
  assert_equal "$(attention '.[0] | "\(.code) \(.sentence)"')" \
    "no_fabric_vf no function is free; disabled: waiting for a NIC, ticket 123"
  run_ok gpuaas-list slots --table
  assert_output "waiting for a NIC"
  run_ok gpuaas-list audit --where "object=$slot" --newest --limit 1 --table
  assert_output "reason: waiting for a NIC, ticket 123"
}

@test "an entry of an allocation, or of a slot that one has, names the owner" {
  fleet 1 2
  gpuaas-place --profile lab > "$T/plan"
  slot=$(jq -r '.bundles[0].slot' "$T/plan")
  gpuaas-approve cordon "$slot" --reason test > "$T/out"
  other=$(gpuaas-list slots --where "slot!=$slot" -o name)
  gpuaas-approve cordon "$other" --reason test > "$T/out"
  without_triggers "UPDATE allocation SET expires_at = '2026-11-20T00:00:00.000000Z', created_by = 'alice(5001)'"
  run_ok gpuaas-list attention
  jq_slurp_is 'map("\(.object) \(.owner)")|sort|join(",")' \
    "$(printf '%s\n' "$slot alice(5001)" "$other null" "$(jq -r .allocation "$T/plan") alice(5001)" | sort | paste -sd ,)"
  run_ok gpuaas-list attention --where owner=alice --table
  assert_output "OWNER"
  refute_output "$other"
}

@test "a command to paste has in quotes whatever an older version stored as wwid" {
  fleet 1 1
  # shellcheck disable=SC2016 # a hostile text
  wwid='eui.$(touch${IFS}pwned); x'
  slot=$(gpuaas-list slots | jq -r .slot)
  without_triggers "PRAGMA foreign_keys = OFF; UPDATE device SET id = '$wwid' WHERE id = (SELECT nvme_wwid FROM slot WHERE id = '$slot');
    UPDATE slot SET nvme_wwid = '$wwid', state = 'disabled', blockers = '[{\"code\":\"nvme_signature\",\"subject\":null,\"evidence\":\"data\",\"hint\":null}]' WHERE id = '$slot'"
  run_ok gpuaas-list attention
  assert_output "--destroy-data '$wwid' | "
  without_triggers "UPDATE slot SET state = 'cleanup_blocked', blockers = '[{\"code\":\"wipe_not_started\",\"subject\":null,\"evidence\":\"nvme_signature: data\",\"hint\":null}]' WHERE id = '$slot'"
  run_ok gpuaas-list attention
  assert_output "--destroy-data '$wwid' && "
}

@test "a text of a host that is no command of the usual form is never the command to paste" {
  fleet 1 1
  slot=$(gpuaas-list slots | jq -r .slot)
  at=2026-11-20T10:00:00.000000Z
  # shellcheck disable=SC2016 # a hostile text
  for command in 'gpuaas-show x; touch pwned' 'lsblk $(touch pwned)'; do
    { drift $at disk_in_use "$slot" ".command = \"$command\""; observation $at false; } | by_node | gpuaas-state fold - > "$T/out"
    run_ok gpuaas-list attention
    jq_is 'select(.code == "disk_in_use").command' "gpuaas-state expect --node $NODE | gpuaas-on gpuaas-reconcile --repair - | gpuaas-state fold -"
    jq_is 'select(.code == "disk_in_use").sentence | endswith("pwned") or endswith("pwned)")' true
    at=2026-11-20T11:00:00.000000Z
  done
}
