#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# gpuaas-approve: from a discovery to slots and wipe-orders, and the operator's moves.

load helper

setup()
{
  common_setup
  gpuaas-state init --lab > "$T/init"
  gpuaas-state apply "$SRC/share/objects/lab.json" > "$T/apply"
}

# The discovery of a recorded host, at $T/NAME.rec.
discover()
{
  setup_host "$1" "${@:2}"
  in_host gpuaas-discover > "$T/$1.rec"
}

dump()
{
  sqlite3 "$GPUAAS_STATE" .dump
}

# Slots that are clean and available, of the recorded host NAME.
make_available()
{
  discover "$1"
  gpuaas-approve --all-ready < "$T/$1.rec" > "$T/slots"
  "$SRC/tests/evidence" < "$T/slots" > "$T/evidence"
  gpuaas-state fold "$T/evidence" > "$T/folded"
}

slot_of()
{
  sqlite3 "$GPUAAS_STATE" "SELECT id FROM slot WHERE slot_index = $1"
}

@test "a complete candidate goes to wiping with its order, the node becomes active" {
  discover lab1
  run_ok gpuaas-approve --all-ready < "$T/lab1.rec"
  jq_slurp_is '[.[] | .kind]|join(" ")' \
    "gpuaas.slot/1 gpuaas.wipe-order/1 gpuaas.slot/1 gpuaas.wipe-order/1"
  jq_slurp_is '[.[] | select(.kind == "gpuaas.slot/1") | .state, .tainted]|join(" ")' \
    "wiping true wiping true"
  jq_slurp_is '[.[] | select(.kind == "gpuaas.wipe-order/1") | .cause, .wipe.minimum_class]
    | join(" ")' "first clear first clear"
  jq_slurp_is '.[0].slot == .[1].object and .[0].generation == .[1].generation' true
  run_ok gpuaas-list node
  jq_is .state active
}

@test "the same stream again changes nothing and gives the same records" {
  discover h200
  run_ok gpuaas-approve --all-ready < "$T/h200.rec"
  first=$output
  dump > "$T/before"
  run_ok gpuaas-approve --all-ready < "$T/h200.rec"
  assert_equal "$output" "$first"
  dump > "$T/after"
  cmp "$T/before" "$T/after"
}

@test "incomplete candidates are stored disabled with their reasons; --explain says the fix" {
  discover h200
  run_ok gpuaas-approve --all-ready --explain < "$T/h200.rec"
  jq_slurp_is '[.[] | select(.state == "disabled") | "\(.slot_index) \(.blockers[0].code)"]
    | join(", ")' "3 missing_fabric_vf, 5 iommu_group_shared"
  assert_stderr "slot 3 of 'n-8a2000000000': missing_fabric_vf"
  assert_stderr "fix: "
}

@test "--slot approves that one; nothing approvable ends with 1" {
  discover h200
  run_ok gpuaas-approve --slot 0 < "$T/h200.rec"
  jq_slurp_is '[.[] | .slot_index // empty] | tostring' '[0]'
  run_status 1 gpuaas-approve --slot 3 < "$T/h200.rec"
  jq_is .state disabled
  run_status 5 gpuaas-approve --slot 9 < "$T/h200.rec"
  assert_stderr "there is no candidate 9"
}

@test "--record-only stores what was seen and makes no slot" {
  discover lab1
  run_ok gpuaas-approve --record-only < "$T/lab1.rec"
  jq_is '"\(.kind) \(.state) \(.slots)"' "gpuaas.node/1 enrolled 0"
  run_ok gpuaas-list candidate
  assert_equal "${#lines[@]}" 2
}

@test "--dry-run shows the same and changes nothing" {
  discover lab1
  dump > "$T/before"
  run_ok gpuaas-approve --all-ready --dry-run < "$T/lab1.rec"
  jq_slurp_is '[.[] | .dry_run] | tostring' '[true,true,true,true]'
  dump > "$T/after"
  cmp "$T/before" "$T/after"
}

@test "a stream counts only whole" {
  discover lab1
  dump > "$T/before"
  run_status 3 gpuaas-approve --all-ready < <(head -n 2 "$T/lab1.rec")
  assert_stderr "has no end record"
  run_status 3 gpuaas-approve --all-ready < <(tail -n +2 "$T/lab1.rec")
  assert_stderr "a candidate without its host record"
  run_status 3 gpuaas-approve --all-ready < <(sed 2d "$T/lab1.rec")
  assert_stderr "does not match the lines before it"
  run_status 3 gpuaas-approve --all-ready < <(sed 's/02:/06:/' "$T/lab1.rec")
  assert_stderr "does not match the lines before it"
  run_status 3 gpuaas-approve --all-ready < \
    <(jq_in_order -c 'if .kind == "gpuaas.candidate/1" then .fingerprint |= sub("sha256:....";
      "sha256:0000") else . end' "$T/lab1.rec")
  assert_stderr "of another host or another discovery"
  dump > "$T/after"
  cmp "$T/before" "$T/after"
}

@test "other kinds are passed on, several hosts follow one another" {
  discover lab1
  discover domains
  echo '{"kind":"gpuaas.future/1","x":1}' > "$T/other"
  run gpuaas-approve --all-ready < <(cat "$T/lab1.rec" "$T/other" "$T/domains.rec")
  jq_slurp_is '[.[] | select(.kind == "gpuaas.future/1")] | length' 1
  run_ok gpuaas-list node
  assert_equal "${#lines[@]}" 2
}

@test "a disk with content needs --destroy-data of its wwid, which goes into the order" {
  discover lab1
  jq_in_order -c 'if .kind == "gpuaas.candidate/1" and .slot_index == 0
    then .nvme.signatures = ["nvme2n1: ext4"] else . end' "$T/lab1.rec" | seal > "$T/data.rec"
  wwid=$(jq -r 'select(.slot_index == 0) | .nvme.wwid' "$T/lab1.rec")
  run_status 1 gpuaas-approve --slot 0 < "$T/data.rec"
  jq_is '.blockers[0].code' nvme_signature
  jq_is '.blockers[0].hint | contains("--destroy-data")' true
  run_status 5 gpuaas-approve --slot 0 --destroy-data eui.ffff < "$T/data.rec"
  run_ok gpuaas-approve --slot 0 --destroy-data "$wwid" < "$T/data.rec"
  jq_is 'select(.kind == "gpuaas.wipe-order/1") | .destroy_data' "$wwid"
}

# The end record made anew, as a host would that has seen this.
seal()
{
  python3 -c '
import hashlib, json, sys
lines = sys.stdin.readlines()
end = json.loads(lines.pop())
end["digest"] = "sha256:" + hashlib.sha256("".join(lines).encode()).hexdigest()
sys.stdout.writelines(lines)
print(json.dumps(end, separators=(",", ":")))'
}

@test "Fabric Manager's partitions are kept by id, each once" {
  discover lab1
  partitions()
  {
    jq_in_order -c --argjson p "$1" 'if .kind == "gpuaas.host/1" then .fabric_manager.partitions = $p
      | .observed_at |= sub("^...."; "2199") else . end' "$T/lab1.rec" | seal
  }
  kept()
  {
    sqlite3 "$GPUAAS_STATE" 'SELECT fabric_mode, partitions FROM node'
  }
  gpuaas-approve --record-only < "$T/lab1.rec" > "$T/out"
  assert_equal "$(kept)" 'none|{}'
  partitions '[{"id":10,"module_ids":[7],"active":null},{"id":2,"module_ids":[1,3],"active":true}]' > "$T/two.rec"
  run_ok gpuaas-approve --record-only < "$T/two.rec"
  assert_equal "$(kept)" 'partitions|{"2":[1,3],"10":[7]}'
  partitions '[{"id":3,"module_ids":[1],"active":null},{"id":3,"module_ids":[2],"active":null}]' > "$T/twice.rec"
  run_status 3 gpuaas-approve --record-only < "$T/twice.rec"
  assert_stderr "has two partitions 3"
  # One that is down says nothing.
  partitions '[]' > "$T/none.rec"
  run_ok gpuaas-approve --record-only < "$T/none.rec"
  assert_equal "$(kept)" 'partitions|{"2":[1,3],"10":[7]}'
}

@test "on the host itself, root looks again at what discover could not read" {
  setup_host lab1
  in_host true # makes the disks
  mkswap "$WORK/disks/nvme2n1" > "$T/mkswap" 2>&1
  chmod 000 "$WORK/disks/nvme2n1"
  # Root without capabilities reads no more than anybody else.
  in_host setpriv --bounding-set=-all --inh-caps=-all gpuaas-discover > "$T/blind"
  run_ok jq_in_order -c 'select(.slot_index == 0) | .nvme | [.signatures_known, .signatures]' "$T/blind"
  assert_equal "$output" '[false,[]]'
  # Elsewhere nobody can look: unknown blocks at the gate.
  GPUAAS_NODE=elsewhere gpuaas-approve --all-ready --dry-run < "$T/blind" > "$T/there" || true
  node=$(jq -r 'select(.kind == "gpuaas.host/1") | .node' "$T/blind")
  in_host env GPUAAS_NODE="$node" gpuaas-approve --all-ready --dry-run < "$T/blind" > "$T/here" ||
    true
  there=$(jq_in_order -c 'select(.slot_index == 0) | [.blockers[] | .code] | sort' "$T/there")
  here=$(jq_in_order -c 'select(.slot_index == 0) | [.blockers[] | .code] | sort' "$T/here")
  echo "there $there, here $here"
  assert_equal "$there" '["nvme_not_block","tainted"]' # whether it is one is not known
  assert_equal "$here" '["nvme_signature","tainted"]'
}

@test "hardware that changed is blocked until it is accepted" {
  discover lab1
  gpuaas-approve --all-ready < "$T/lab1.rec" > "$T/out"
  jq_in_order -c '.fingerprint = "sha256:" + ("0" * 64)
    | if has("observed_at") then .observed_at |= sub("^...."; "2199") else . end' \
    "$T/lab1.rec" | seal > "$T/changed.rec"
  run_ok gpuaas-approve --all-ready < "$T/changed.rec"
  run_ok gpuaas-list node
  jq_is '.blockers[].code' fingerprint_changed
  run_ok gpuaas-approve --all-ready --accept-change < "$T/changed.rec"
  run_ok gpuaas-list node
  jq_is '.blockers | length' 0
  jq_is .fingerprint "sha256:$(printf '0%.0s' {1..64})"
}

@test "an older discovery than the one stored is refused" {
  discover lab1
  gpuaas-approve --record-only < "$T/lab1.rec" > "$T/out"
  jq_in_order -c 'if has("observed_at") then .observed_at |= sub("^...."; "1999") else . end' \
    "$T/lab1.rec" | seal > "$T/old.rec"
  run_status 4 gpuaas-approve --record-only < "$T/old.rec"
  assert_stderr "is stored already"
}

@test "without a profile that can use it nothing becomes a slot" {
  rm -f "$GPUAAS_STATE"*
  gpuaas-state init --lab > "$T/init"
  discover lab1
  run_status 1 gpuaas-approve --all-ready < "$T/lab1.rec"
  jq_slurp_is '.[0].blockers[0].code' no_profile
}

@test "a real state refuses files" {
  rm -f "$GPUAAS_STATE"*
  gpuaas-state init > "$T/init"
  gpuaas-state apply "$SRC/share/objects/lab.json" > "$T/apply"
  discover lab1
  run_status 1 gpuaas-approve --all-ready < "$T/lab1.rec"
  jq_slurp_is '[.[0].blockers[].code] | (contains(["nvme_not_block"]) and
    contains(["wipe_not_possible"]) and contains(["disk_autoactivation"]))' true
}

@test "disable, enable, cordon, quarantine, retire: each edge, with a reason, once" {
  make_available lab1
  s=$(slot_of 0)
  run_status 2 gpuaas-approve disable "$s"
  assert_stderr "needs --reason"
  run_ok gpuaas-approve cordon "$s" --reason "fan noise"
  jq_is '"\(.state) \(.cordon_reason)"' "available fan noise"
  run_ok gpuaas-approve uncordon "$s"
  jq_is .cordon_reason null
  run_ok gpuaas-approve disable "$s" --reason "move the rack"
  jq_is .state disabled
  before=$(jq .generation <<< "$output")
  run_ok gpuaas-approve disable "$s" --reason "move the rack"
  assert_equal "$(jq .generation <<< "$output")" "$before"
  run_ok gpuaas-approve --all-ready < "$T/lab1.rec"
  jq_slurp_is '.[0].state' disabled
  run_ok gpuaas-approve enable "$s"
  jq_is '"\(.state) \(.cordon_reason)"' "available null"
  run_status 4 gpuaas-approve retire "$s" --reason old
  assert_stderr "disable $s --reason"
  run_ok gpuaas-approve quarantine "$s" --reason "smells burnt"
  run_ok gpuaas-approve disable "$s" --reason "smells burnt"
  run_ok gpuaas-approve retire "$s" --reason scrapped
  jq_is .state retired
  run_ok gpuaas-state check
  run_ok gpuaas-state audit verify
}

@test "an unwiped slot is retired only with a record of its disposal" {
  discover h200
  gpuaas-approve --all-ready < "$T/h200.rec" > "$T/out"
  s=$(slot_of 3)
  run_status 4 gpuaas-approve retire "$s" --reason old
  assert_stderr "--disposal"
  run_ok gpuaas-approve retire "$s" --reason old --disposal "shredded, certificate 17"
  jq_is '"\(.state) \(.tainted)"' "retired true"
}

@test "usage: what to approve, unknown moves, a terminal for a pipe" {
  run_status 2 gpuaas-approve < /dev/null
  assert_stderr "--all-ready, --slot INDEX or --record-only"
  run_status 2 gpuaas-approve polish
  run_status 5 gpuaas-approve disable 00000000 --reason x
}

@test "where the view that triggers ask is gone, nothing moves, and what helps is said" {
  make_available lab1
  sqlite3 "$GPUAAS_STATE" 'DROP VIEW slot_proven'
  run_status 10 gpuaas-approve disable "$(slot_of 0)" --reason noise
  assert_stderr "no such table: main.slot_proven"
  assert_stderr "gpuaas-state check"
  run_status 1 gpuaas-state check
  assert_output "migrate makes all triggers again"
  run_ok gpuaas-state migrate
  run_ok gpuaas-approve disable "$(slot_of 0)" --reason noise
}

@test "a type that ids leave open is what somebody recorded for the node, of a slot too" {
  # Ids that tell are believed.
  discover lab1
  gpuaas-approve --record-only < "$T/lab1.rec" > "$T/node"
  node=$(jq -r .node "$T/node")
  gpuaas-profile nodes set "$node" 2xa16 --reason 'a slip of the pen' 2> "$T/words"
  run_ok gpuaas-approve --all-ready --dry-run < "$T/lab1.rec"
  jq_slurp_is '[.[] | select(.kind == "gpuaas.slot/1") | .accelerator_type] | unique | tostring' '["nvidia-h200-141gb"]'
  gpuaas-profile nodes clear "$node" 2> "$T/words"
  discover lab1 gpu.0.id=10de:25b6 gpu.1.id=10de:25b6
  run_ok gpuaas-approve --all-ready --dry-run < "$T/lab1.rec"
  jq_slurp_is '[.[] | select(.kind == "gpuaas.slot/1") | .accelerator_type] | tostring' '[null,null]'
  gpuaas-approve --record-only < "$T/lab1.rec" > "$T/node"
  # What ids exclude is no type of theirs.
  gpuaas-profile nodes set "$node" 2xh200 --reason 'a slip of the pen' 2> "$T/words"
  run_ok gpuaas-approve --all-ready --dry-run < "$T/lab1.rec"
  jq_slurp_is '[.[] | select(.kind == "gpuaas.slot/1") | .accelerator_type] | tostring' '[null,null]'
  gpuaas-profile nodes set "$node" 2xa16 --reason 'printed on the card'
  run_ok gpuaas-approve --all-ready < "$T/lab1.rec"
  jq_slurp_is '[.[] | select(.kind == "gpuaas.slot/1") | .accelerator_type, .type_name] | unique | tostring' \
    '["NVIDIA A16 16GB","nvidia-a16-16gb"]'
}
