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
  state_sql .dump
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
  state_sql "SELECT id FROM slot WHERE slot_index = $1"
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

@test "on a terminal, orders that go to nobody say what comes next" {
  discover lab1
  node=$(jq -r 'select(.kind == "gpuaas.host/1").node' "$T/lab1.rec")
  # shellcheck disable=SC2016 # for the inner shell
  approve=("$SRC/tests/on-terminal" 24x300 sh -c 'gpuaas-approve "$@" < "$T/lab1.rec"' -)
  next="these orders do nothing yet, and nothing is for sale before its wipe: "
  run_ok "${approve[@]}" --all-ready --dry-run
  refute_output "these orders"
  GPUAAS_NODE=$node run_ok "${approve[@]}" --all-ready
  assert_equal "$(grep -c "$next" <<< "$output")" 1
  [[ ${lines[-1]%$'\r'} == "$next'gpuaas-discover | gpuaas-approve --all-ready | gpuaas-wipe' does it" ]]
  # Approved again in a pipe, the same orders go to the next program.
  run_ok gpuaas-approve --all-ready < "$T/lab1.rec"
  jq_slurp_is 'map(select(.kind == "gpuaas.wipe-order/1")) | length' 2
  GPUAAS_NODE=$node run_ok "${approve[@]}" --slot 1
  assert_output "gpuaas-approve --slot 1 | gpuaas-wipe"
  GPUAAS_NODE=another run_ok "$SRC/tests/on-terminal" 24x300 gpuaas-approve repair "$(slot_of 0)" "$(slot_of 1)" --reason "new fan"
  [[ ${lines[-1]%$'\r'} == "$next'gpuaas-approve repair $(slot_of 0) $(slot_of 1) --reason 'new fan' | gpuaas-on gpuaas-wipe | gpuaas-state fold -' does it" ]]
  run_ok gpuaas-approve repair "$(slot_of 0)" --reason x
  assert_equal "$stderr" ""
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
  run_status 2 gpuaas-approve --slot 0 --slot abc < "$T/h200.rec"
  assert_stderr "--slot 'abc' is not a whole number from 0 to 255"
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
  run_ok gpuaas-approve --all-ready < <(cat "$T/lab1.rec" "$T/other" "$T/domains.rec")
  jq_slurp_is '[.[] | select(.kind == "gpuaas.future/1")] | length' 1
  run_ok gpuaas-list node
  assert_equal "${#lines[@]}" 2
}

# pipeline: the road of new disks, all of it
pipeline()
{
  in_host bash -c 'set -o pipefail; gpuaas-discover | gpuaas-approve --all-ready | gpuaas-wipe'
}

state_of()
{
  state_sql "SELECT state || coalesce((SELECT ' ' || group_concat(json_extract(value, '$.code'), ' ')
    FROM json_each(blockers)), '') FROM slot WHERE slot_index = $1"
}

@test "a disk full of what has no signature is left alone, and --all-ready says what it went by" {
  setup_host lab1
  in_host true
  wwid=eui.002538b1000000a1 disk=$WORK/disks/nvme2n1
  # A raw database; and a file system whose superblocks are gone
  yes 'customer row 4711' | head -c 16777216 > "$disk"
  mkfs.ext4 -q "$WORK/disks/nvme1n1" 16M
  dd if=/dev/zero of="$WORK/disks/nvme1n1" bs=1M count=1 conv=notrunc status=none
  before=$(cat "$WORK"/disks/nvme[12]n1 | sha256sum)
  run_status 1 pipeline
  assert_stderr "content of 2 disks of 'n-1ab100000000': no known signature, and not empty"
  assert_equal "$(cat "$WORK"/disks/nvme[12]n1 | sha256sum)" "$before"
  assert_equal "$(state_of 0)" "disabled nvme_signature tainted"
  run_ok gpuaas-list slots
  jq_slurp_is '.[0].blockers[0].hint' \
    "look at it; if its content may be destroyed: gpuaas-discover | gpuaas-approve --slot 0 --destroy-data $wwid | gpuaas-wipe"
  # One is given up; the other stays.
  run_ok in_host bash -c 'gpuaas-discover | gpuaas-approve --all-ready --destroy-data '"$wwid"' | gpuaas-wipe'
  assert_equal "$(state_of 0)" available
  assert_equal "$(state_of 1)" "disabled nvme_signature tainted"
  cmp "$disk" <(head -c 16777216 /dev/zero)
  # Empty ones are reported as well.
  truncate -s 0 "$WORK/disks/nvme1n1"
  truncate -s 16M "$WORK/disks/nvme1n1"
  run_ok pipeline
  assert_stderr "content of 2 disks of 'n-1ab100000000': no known signature, all zero (4096 blocks of 4 KiB sampled of each)"
  assert_equal "$(state_of 1)" available
}

@test "data that comes between discovery and wipe is refused, and repair does not destroy it" {
  discover lab1
  in_host gpuaas-approve --slot 0 < "$T/lab1.rec" > "$T/slots"
  yes 'customer row 4711' | head -c 16777216 > "$WORK/disks/nvme2n1"
  before=$(sha256sum < "$WORK/disks/nvme2n1")
  run_status 4 in_host gpuaas-wipe "$T/slots"
  jq_is 'select(.reason) | .reason | split(":")[0]' nvme_signature
  run_status 4 in_host bash -c "gpuaas-approve repair $(slot_of 0) --reason again | gpuaas-wipe"
  jq_is 'select(.cause) | [.cause, .outcome] | join(" ")' "first not_started"
  assert_equal "$(sha256sum < "$WORK/disks/nvme2n1")" "$before"
  # To look at evidence that confirms nothing is no failure.
  run_ok gpuaas-list evidence
  jq_slurp_is '.[0].status' 4
  run_ok gpuaas-show "$(slot_of 0)"
  jq_slurp_is 'map(select(.kind == "gpuaas.wipe-evidence/1"))[0].status' 4
  # With leave the same command can.
  in_host bash -c 'gpuaas-discover | gpuaas-approve --slot 0 --destroy-data eui.002538b1000000a1' > "$T/allowed"
  run_ok in_host bash -c "gpuaas-approve repair $(slot_of 0) --reason again | gpuaas-wipe"
  assert_equal "$(state_of 0)" available
}

@test "approve on the host looks at the disks again: what came since discovery counts" {
  discover lab1
  yes 'customer row 4711' | head -c 16777216 > "$WORK/disks/nvme2n1"
  generate_host "$T/later" lab1 nvme.2.loop=/srv/customer
  HOST=$T/later run_status 1 in_host gpuaas-approve --all-ready < "$T/lab1.rec"
  jq_is 'select(.slot_index == 0) | .blockers | map(.code) | join(" ")' "nvme_signature tainted"
  jq_is 'select(.slot_index == 1) | .blockers | map(.code) | join(" ")' "nvme_mounted nvme_in_use tainted"
  jq_is 'select(.slot_index == 1) | .blockers[1].evidence' "in use: loop700 (/dev/nvme1n1)"
}

@test "data on a disk that was wiped here makes it unclean" {
  setup_host lab1
  run_ok pipeline
  assert_equal "$(state_of 0)" available
  yes 'customer row 4711' | head -c 16777216 > "$WORK/disks/nvme2n1"
  gpuaas-approve disable "$(slot_of 0)" --reason look > "$T/out"
  run_ok pipeline
  assert_equal "$(state_of 0)" "disabled nvme_signature tainted"
  assert_equal "$(state_sql "SELECT dirtied_by FROM device WHERE id = 'eui.002538b1000000a1'")" found_data
  # Leave is for the wipe that it leads to: of a slot that a person keeps out it leads to none.
  run_status 1 in_host bash -c 'gpuaas-discover | gpuaas-approve --slot 0 --destroy-data eui.002538b1000000a1'
  assert_stderr "first: gpuaas-approve enable $(slot_of 0)"
  run_status 1 gpuaas-approve enable "$(slot_of 0)"
  assert_stderr "slot $(slot_of 0): this ends 'look'"
  run_ok in_host bash -c 'gpuaas-discover | gpuaas-approve --slot 0 --destroy-data eui.002538b1000000a1 | gpuaas-wipe'
  assert_equal "$(state_of 0)" available
  cmp "$WORK/disks/nvme2n1" <(head -c 16777216 /dev/zero)
}

@test "a disk with content needs --destroy-data of its wwid, which goes into the order" {
  discover lab1
  jq_in_order -c 'if .kind == "gpuaas.candidate/1" and .slot_index == 0
    then .nvme.signatures = ["nvme2n1: ext4"] else . end' "$T/lab1.rec" | seal > "$T/data.rec"
  wwid=$(jq -r 'select(.slot_index == 0) | .nvme.wwid' "$T/lab1.rec")
  run_status 1 gpuaas-approve --slot 0 < "$T/data.rec"
  jq_is '.blockers[0].code' nvme_signature
  jq_is '.blockers[0].hint | contains("--destroy-data")' true
  # In attention the command stands once: in its own column.
  run_ok gpuaas-list attention --where object_kind=slot
  jq_is '.command|contains("--destroy-data")' true
  jq_is '.sentence|contains("destroy-data")' false
  jq_is '.sentence|endswith("if its content may be destroyed: the command")' true
  run_status 5 gpuaas-approve --slot 0 --destroy-data eui.ffff < "$T/data.rec"
  run_ok gpuaas-approve --slot 0 --destroy-data "$wwid" < "$T/data.rec"
  jq_is 'select(.kind == "gpuaas.wipe-order/1") | .destroy_data' "$wwid"
}

@test "--destroy-data that can allow nothing is refused" {
  discover lab1
  other=$(jq -r 'select(.slot_index == 1) | .nvme.wwid' "$T/lab1.rec")
  run_status 2 gpuaas-approve --slot 0 --destroy-data "$other" < "$T/lab1.rec"
  assert_stderr "--destroy-data: disk '$other' is of candidate 1, which is not approved here"
  assert_stderr "--slot 1 approves it"
  run_status 2 gpuaas-approve --record-only --destroy-data "$other" < "$T/lab1.rec"
  assert_stderr "--destroy-data allows nothing with --record-only"
  run_status 2 gpuaas-approve disable 00000000 --reason x --destroy-data "$other"
  assert_stderr "--destroy-data allows nothing with disable"
  assert_equal "$(gpuaas-list slots)" ""
  run_ok gpuaas-approve --slot 0 --slot 1 --destroy-data "$other" < "$T/lab1.rec"
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

@test "no identity of a device brings words that a shell reads" {
  discover lab1
  # Every text of a candidate that is not for people; only these take any text.
  jq -r 'select(.kind == "gpuaas.candidate/1" and .slot_index == 0) | paths(type == "string") |
    select(.[0] as $top | ["reasons", "kind", "node", "fingerprint"] | index($top) | not) | @json' \
    "$T/lab1.rec" > "$T/paths"
  grep -vE '"(type_name|physical_slot|model|firmware|serial|path|mounts|holders|signatures|reset_methods)"' \
    "$T/paths" > "$T/identities"
  for member in gpu.identity gpu.pci_address nvme.wwid nvme.pci_address nvme.diskseq fabric.vf_pci_address \
    fabric.guid fabric.rdma_device suggested.mac suggested.private_ip suggested.bridge suggested.port; do
    jq -r 'join(".")' "$T/identities" | grep -qxF "$member"
  done
  # shellcheck disable=SC2016 # a hostile text
  for text in 'eui.$(touch${IFS}pwned)' 'a b' "a'b" 'a|b' '--all'; do
    while read -r at; do
      jq_in_order -c --argjson at "$at" --arg text "$text" 'if .kind == "gpuaas.candidate/1" and .slot_index == 0
        then setpath($at; $text) else . end' "$T/lab1.rec" | seal > "$T/hostile.rec"
      run_status 3 gpuaas-approve --slot 0 < "$T/hostile.rec"
      assert_stderr "member '$(jq -r 'map(strings) | join(".")' <<< "$at")"
    done < "$T/identities"
  done
  run_ok gpuaas-list slots
  assert_equal "$output" ""
}

@test "Fabric Manager's partitions are kept by id, each once" {
  discover lab1
  partitions()
  {
    jq_in_order -c --argjson p "$1" 'if .kind == "gpuaas.host/1" then .fabric_manager.partitions = $p
      | .observed_at = (now + 60 | strftime("%Y-%m-%dT%H:%M:%S.000000Z")) else . end' "$T/lab1.rec" | seal
  }
  kept()
  {
    state_sql 'SELECT fabric_mode, partitions FROM node'
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
  gpuaas-approve --slot 0 < "$T/lab1.rec" > "$T/out"
  jq_in_order -c '.fingerprint = "sha256:" + ("0" * 64)
    | if has("observed_at") then .observed_at = (now + 60 | strftime("%Y-%m-%dT%H:%M:%S.000000Z")) else . end' \
    "$T/lab1.rec" | seal > "$T/changed.rec"
  run_ok gpuaas-approve --slot 0 < "$T/changed.rec"
  run_status 1 gpuaas-approve --slot 1 < "$T/changed.rec"
  run_ok gpuaas-list node
  jq_is '.blockers[].code' fingerprint_changed
  # Attention offers what ends it, for the node and for a slot that is out of sale.
  run_ok gpuaas-list attention --where object_kind=node --where code=fingerprint_changed
  jq_is '.command|sub(".*gpuaas-discover"; "gpuaas-discover")' \
    "gpuaas-discover | gpuaas-approve --all-ready --accept-change"
  jq_is '.sentence|contains("--dry-run")' true
  run_ok gpuaas-list attention --where object_kind=slot --where code=fingerprint_changed
  assert_output "gpuaas-approve --slot 1 --accept-change | "
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
  run_status 2 gpuaas-approve repair --reason x
  assert_stderr "repair needs a slot"
  assert_stderr "gpuaas-approve repair SLOT --reason TEXT"
  run_status 2 gpuaas-approve disable "$s"
  assert_stderr "needs --reason"
  run_status 2 gpuaas-approve disable "$s" "$(slot_of 1)"
  assert_equal "$(grep -c "needs --reason" <<< "$stderr")" 1
  run_ok gpuaas-approve cordon "$s" --reason "fan noise"
  jq_is '"\(.state) \(.cordon_reason)"' "available fan noise"
  # Every list says that it is off sale, and no count has it as available.
  run_ok gpuaas-list slots --table --where "slot=$s"
  assert_output "available, cordoned"
  all=$(gpuaas-list slots --where 'state!=retired' | wc -l)
  run_ok gpuaas-list pools
  jq_is '"\(.slots) \(.available) \(.disabled)"' "$all $((all - 1)) 1"
  run_ok gpuaas-list nodes
  jq_is '"\(.slots) \(.available)"' "$all $((all - 1))"
  gpuaas-node set "$(gpuaas-list nodes | jq -r .node)" --region eu1 > "$T/out"
  run_ok gpuaas-list regions
  jq_is '"\(.slots) \(.available)"' "$all $((all - 1))"
  run_status 4 gpuaas-approve enable "$s"
  assert_stderr "gpuaas-approve uncordon $s"
  # The cordon of one person outlives the disable of another, also with the same words.
  for reason in "move the rack" "fan noise"; do
    run_ok gpuaas-approve disable "$s" --reason "$reason"
    jq_is '"\(.state): \(.cordon_reason), \(.cordon)"' "disabled: $reason, fan noise"
    run_status 4 gpuaas-approve enable "$s"
    assert_stderr "is cordoned: fan noise"
    assert_stderr "hint: when that reason is settled: gpuaas-approve uncordon $s && gpuaas-approve enable $s"
    run_ok gpuaas-list attention --where "object=$s"
    # A row ends the reason that it shows, and no other.
    jq_is '"\(.sentence): \(.command)"' "fan noise: gpuaas-approve uncordon $s"
    run_ok gpuaas-approve uncordon "$s"
    jq_is '"\(.state): \(.cordon_reason), \(.cordon)"' "disabled: $reason, null"
    run_ok gpuaas-list attention --where "object=$s"
    jq_is '"\(.sentence): \(.command)"' \
      "$reason: gpuaas-approve enable $s | gpuaas-on gpuaas-wipe | gpuaas-state fold -"
    # Again, as after an answer that was lost: the reason of the disable is not its own.
    run_ok gpuaas-approve uncordon "$s"
    jq_is '"\(.state): \(.cordon_reason)"' "disabled: $reason"
    run_ok gpuaas-approve enable "$s"
    jq_is '"\(.state) \(.cordon_reason)"' "available null"
    run_ok gpuaas-approve cordon "$s" --reason "fan noise"
  done
  run_ok gpuaas-approve quarantine "$s" --reason smoke
  run_ok gpuaas-approve uncordon "$s"
  jq_is '"\(.state) \(.cordon_reason)"' "quarantined smoke"
  run_ok gpuaas-approve disable "$s" --reason smoke
  # A cordon that comes after the disable does not end its reason, and uncordon ends one of the two.
  run_ok gpuaas-approve cordon "$s" --reason later
  run_ok gpuaas-approve uncordon "$s"
  jq_is '"\(.state) \(.cordon_reason)"' "disabled smoke"
  run_ok gpuaas-approve enable "$s"
  # The reason of a second person stands beside that of the first.
  run_ok gpuaas-approve cordon "$s" --reason "fan noise"
  run_ok gpuaas-approve cordon "$s" --reason "fan"
  jq_is .cordon_reason "fan noise; fan"
  before=$(jq .generation <<< "$output")
  run_ok gpuaas-approve cordon "$s" --reason "fan noise"
  assert_equal "$(jq .generation <<< "$output")" "$before"
  # Not without end.
  for n in 1 2 3; do
    run_ok gpuaas-approve cordon "$s" --reason "$n$(printf '%01000d' 0)"
  done
  run_ok gpuaas-approve cordon "$s" --reason "$(printf '%0900d' 1)"
  run_status 4 gpuaas-approve cordon "$s" --reason "$(printf '%0900d' 2)"
  assert_stderr "hint: it stays so until they are settled: gpuaas-show $s has them"
  run_ok gpuaas-approve uncordon "$s"
  jq_is .cordon_reason null
  run_ok gpuaas-approve disable "$s" --reason "move the rack"
  jq_is .state disabled
  assert_equal "$(gpuaas-list slots --table --columns state --where "slot=$s" | tail -n 1)" disabled
  before=$(jq .generation <<< "$output")
  run_ok gpuaas-approve disable "$s" --reason "move the rack"
  assert_equal "$(jq .generation <<< "$output")" "$before"
  # A second disable adds its reason, and so does a program that disables after a person.
  run_ok gpuaas-approve disable "$s" --reason "sweep: no answer"
  jq_is .cordon_reason "move the rack; sweep: no answer"
  since=$(jq -r .generation <<< "$output")
  run_ok gpuaas-approve disable "$s" --reason "move the rack"
  jq_is .generation "$since"
  run_ok gpuaas-approve quarantine "$s" --reason smoke
  jq_is .cordon_reason "move the rack; sweep: no answer; smoke"
  # A condition finds each reason, and the whole.
  for reason in "move the rack" "sweep: no answer" smoke "move the rack; sweep: no answer; smoke"; do
    run_ok gpuaas-list slots --where "cordon_reason=$reason" -o name
    assert_output "$s"
    run_ok gpuaas-list slots --where "cordon_reason!=$reason" -o name
    refute_output "$s"
  done
  # A cordon and a quarantine end apart, and the message names only the one that ends.
  gpuaas-approve cordon "$s" --reason smoke > "$T/out"
  run_ok gpuaas-approve quarantine "$s" --reason fog
  refute_stderr "this ends"
  run_ok gpuaas-approve uncordon "$s"
  assert_stderr "slot $s: this ends 'smoke'"
  assert_equal "$(gpuaas-list audit --newest --limit 1 | jq -r '"\(.action) \(.detail.ended)"')" "uncordon smoke"
  for n in 1 2 3; do
    run_ok gpuaas-approve quarantine "$s" --reason "$n$(printf '%01000d' 0)"
  done
  run_ok gpuaas-approve quarantine "$s" --reason "$(printf '%0900d' 1)"
  run_status 4 gpuaas-approve quarantine "$s" --reason "$(printf '%0900d' 2)"
  assert_stderr "is quarantined for so many reasons that no other fits"
  assert_stderr "hint: it stays so until they are settled: gpuaas-show $s has them"
  # It moves also where its reason finds no room: the last one before it goes, into the audit only.
  run_ok gpuaas-approve disable "$s" --reason "$(printf '%0900d' 3)"
  jq_is '"\(.state) \(.cordon_reason | split("; ") | [.[0], .[-1][-1:], length] | map(tostring) | join(" "))"' \
    "disabled move the rack 3 8"
  run_ok gpuaas-approve --all-ready < "$T/lab1.rec"
  jq_slurp_is '.[0].state' disabled
  run_ok gpuaas-approve enable "$s"
  jq_is '"\(.state) \(.cordon_reason)"' "available null"
  run_status 4 gpuaas-approve retire "$s" --reason old
  assert_stderr "disable $s --reason"
  run_ok gpuaas-approve quarantine "$s" --reason "smells burnt"
  run_status 4 gpuaas-approve retire "$s" --reason scrapped
  assert_stderr "hint: gpuaas-approve disable $s --reason"
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

@test "a taint beside other blockers: each hint names a command that works" {
  # Slot 7 has no virtual function left.
  discover h200 nic.7.vfs.0=mlx5_core
  run_status 1 gpuaas-approve --slot 7 --explain < "$T/h200.rec"
  s=$(slot_of 7)
  assert_stderr "missing_fabric_vf"
  assert_stderr "tainted"
  assert_stderr "fix: after the fix of the other blockers: gpuaas-discover | gpuaas-approve --slot 7 | gpuaas-wipe"
  refute_stderr "gpuaas-approve repair"
  run_status 1 gpuaas-approve repair "$s" --reason x
  refute_output wipe-order
  run_status 4 gpuaas-approve retire "$s" --reason old
  assert_stderr "hint: record how the disk was destroyed with --disposal TEXT; a wipe needs the fix of its other blockers first ('gpuaas-show $s' shows them)"
  # A tenant's data is wiped whatever else blocks the slot.
  state_sql "UPDATE device SET dirtied_by = '$s' WHERE id = (SELECT nvme_wwid FROM slot WHERE id = '$s')"
  run_status 1 gpuaas-approve --slot 7 --explain < "$T/h200.rec"
  assert_stderr "not proven wiped since its last use, or less than its policy requires; fix: gpuaas-approve repair $s --reason TEXT | gpuaas-wipe"
  run_status 4 gpuaas-approve retire "$s" --reason old
  assert_stderr "hint: wipe it first (gpuaas-approve repair $s --reason TEXT | gpuaas-wipe)"
  run_ok gpuaas-approve repair "$s" --reason x
  jq_slurp_is '[.[] | select(.kind == "gpuaas.wipe-order/1")] | length' 1
}

@test "usage: what to approve, unknown commands, a terminal for a pipe" {
  run_status 2 gpuaas-approve < /dev/null
  assert_stderr "--all-ready, --slot INDEX or --record-only"
  run_status 2 gpuaas-approve reapir
  assert_stderr "unknown command 'reapir'"
  assert_stderr "near to it: 'repair'; see 'gpuaas-approve --help'"
  run_status 2 gpuaas-approve polish 00000000
  assert_stderr "unknown command 'polish'"
  run_status 2 gpuaas-approve polish --state "$T/none"
  assert_stderr "unknown command 'polish'"
  run_status 5 gpuaas-approve disable 00000000 --reason x
}

@test "where the view that triggers read is gone, nothing moves, and the refusal says what helps" {
  make_available lab1
  state_sql 'DROP VIEW slot_proven'
  run_status 10 gpuaas-approve disable "$(slot_of 0)" --reason noise
  assert_stderr "no such table: main.slot_proven"
  assert_stderr "gpuaas-state check"
  run_status 1 gpuaas-state check
  assert_output "'gpuaas-state migrate' makes all triggers again"
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
  # A type that the ids exclude is no type of theirs.
  gpuaas-profile nodes set "$node" 2xh200 --reason 'a slip of the pen' 2> "$T/words"
  run_ok gpuaas-approve --all-ready --dry-run < "$T/lab1.rec"
  jq_slurp_is '[.[] | select(.kind == "gpuaas.slot/1") | .accelerator_type] | tostring' '[null,null]'
  gpuaas-profile nodes set "$node" 2xa16 --reason 'printed on the card'
  run_ok gpuaas-approve --all-ready < "$T/lab1.rec"
  jq_slurp_is '[.[] | select(.kind == "gpuaas.slot/1") | .accelerator_type, .type_name] | unique | tostring' \
    '["NVIDIA A16 16GB","nvidia-a16-16gb"]'
}

@test "a slot whose policy asks for more than it was wiped by is wiped again" {
  make_available lab1
  slot=$(slot_of 0)
  run_ok gpuaas-approve disable "$slot" --reason "another policy"
  run_ok gpuaas-approve enable "$slot"
  jq_slurp_is 'map(.kind + .state)|join(" ")' gpuaas.slot/1available
  # As if it had been wiped under --verify sampled, and were approved with full now.
  run_ok gpuaas-approve disable "$slot" --reason "another policy"
  state_sql "DROP TRIGGER evidence_unchanged; UPDATE wipe_evidence SET verify = 'sampled'"
  run_ok gpuaas-state migrate
  run -19 state_sql "UPDATE slot SET state = 'available', disabled_reason = NULL, generation = generation + 1
    WHERE id = '$slot'"
  assert_output "wiped less than its policy asks"
  run_ok gpuaas-approve enable "$slot"
  jq_slurp_is 'map(.kind + (.state // ""))|join(" ")' "gpuaas.slot/1wiping gpuaas.wipe-order/1"
  "$SRC/tests/evidence" <<< "$output" > "$T/evidence"
  run_ok gpuaas-state fold "$T/evidence"
  assert_equal "$(state_sql "SELECT s.state, count(*) FROM slot s JOIN device d ON d.id IN
    (s.nvme_wwid, s.gpu_id) WHERE s.id = '$slot' AND d.cleared_by = s.wipe_evidence_id")" "available|2"
}

@test "a disk that was given away with its slot is no longer ours: its content counts again" {
  make_available lab1
  slot=$(slot_of 0)
  run_ok gpuaas-approve disable "$slot" --reason gone
  # A tenant's data is ours to destroy, until the disk is given away.
  run_ok state_sql "UPDATE device SET dirty_since = '$(date -u +%FT%T.%6NZ)',
    dirtied_by = '$slot' WHERE id = (SELECT nvme_wwid FROM slot WHERE id = '$slot')"
  run_ok gpuaas-approve retire "$slot" --reason gone --disposal "handed to the storage team"
  run_ok gpuaas-approve --slot 0 < "$T/lab1.rec"
  jq_slurp_is 'map(select(.kind == "gpuaas.wipe-order/1") | .cause)|join(" ")' first
}

# available: the recorded host lab1, discovered, approved and wiped; $s is its slot 0
available()
{
  setup_host lab1
  pipeline > "$T/out"
  s=$(slot_of 0)
  assert_equal "$(state_of 0)" available
}

# offered: the command that attention has for slot 0, with a reason in place of TEXT
offered()
{
  in_host gpuaas-list attention --where "object=$s" | jq -r '.command' | sed 's/ TEXT/ again/g'
}

evidence_of()
{
  state_sql "SELECT wipe_evidence_id FROM slot WHERE slot_index = $1"
}

@test "repair of a disabled slot wipes it again, and puts it back on sale" {
  available
  first=$(evidence_of 0)
  run_status 4 gpuaas-approve repair "$s" --reason doubt
  assert_stderr "gpuaas-approve disable $s --reason TEXT, then run this again"
  run_ok in_host bash -c "gpuaas-approve disable $s --reason 'host.db lost' > $T/disabled &&
    gpuaas-approve repair $s --reason 'host.db lost' | gpuaas-wipe"
  assert_equal "$(state_of 0)" available
  [[ $(evidence_of 0) != "$first" ]]
  jq_slurp_is 'map(select(.kind == "gpuaas.wipe-evidence/1") | .cause + " " + .outcome)|join(" ")' \
    "first confirmed"
  # The order is in force until then, and the devices count as used.
  gpuaas-approve disable "$s" --reason again > "$T/disabled"
  run_ok gpuaas-approve repair "$s" --reason again
  jq_slurp_is '.[0] | "\(.state) \(.tainted) \(.cordon_reason)"' "wiping true null"
  jq_slurp_is '.[1].cause' first
  run_ok gpuaas-state check
  run_status 4 gpuaas-approve retire "$s" --reason old
  run_ok gpuaas-state audit verify
}

@test "a slot that a person disabled and that is not proven wiped is named, with what wipes it" {
  available
  run_ok gpuaas-approve disable "$s" --reason "smells burnt"
  run_ok gpuaas-list attention --where "object=$s"
  jq_is '"\(.code) \(.command)" | split(" |")[0]' "cordoned gpuaas-approve enable $s"
  # As quarantine and disable leave one whose wipe failed.
  state_sql "UPDATE device SET dirty_since = '$(date -u +%FT%T.%6NZ)', dirtied_by = '$s'
    WHERE id IN (SELECT nvme_wwid FROM slot WHERE id = '$s' UNION SELECT gpu_id FROM slot WHERE id = '$s')"
  run_ok gpuaas-list attention --where "object=$s"
  jq_is '"\(.code): \(.sentence)"' "tainted: not proven wiped since its last use; disabled: smells burnt; TEXT: what was done"
  state_sql "UPDATE slot SET generation = generation + 1, blockers =
    '[{\"code\":\"wipe_unknown\",\"subject\":null,\"evidence\":\"cut off\",\"hint\":null}]' WHERE id = '$s'"
  run_ok gpuaas-list attention --where "object=$s"
  jq_is '"\(.code): \(.sentence)"' "wipe_unknown: cut off; disabled: smells burnt; TEXT: what was done"
  assert_equal "$(offered)" "gpuaas-approve repair $s --reason again | gpuaas-wipe"
  run_status 1 in_host bash -c 'gpuaas-discover | gpuaas-approve --slot 0'
  assert_stderr "slot 0 of '$(in_host gpuaas-discover | jq -r 'select(.kind == "gpuaas.host/1").node')': \
a person disabled it: smells burnt; fix: gpuaas-approve enable $s | gpuaas-wipe"
  run_ok in_host bash -c "$(offered)"
  assert_equal "$(state_of 0)" available
  run_ok gpuaas-list attention --where "object=$s"
  assert_equal "$output" ""
}

@test "a row that lacks something stays in view once it is out of sale, until it has it again" {
  available
  without_triggers "UPDATE slot SET fabric_vf_pci_address = NULL WHERE id = '$s'"
  gpuaas-state migrate > "$T/migrated" 2> "$T/said"
  assert_equal "$(offered)" "gpuaas-approve disable $s --reason missing_fabric_vf"
  run_ok in_host bash -c "$(offered)"
  assert_equal "$(state_of 0)" "disabled missing_fabric_vf"
  # A wipe does not answer it.
  run_ok in_host bash -c "gpuaas-approve repair $s --reason doubt | gpuaas-wipe"
  assert_equal "$(state_of 0)" "disabled missing_fabric_vf"
  assert_equal "$(offered)" "gpuaas-discover | gpuaas-approve --slot 0 | gpuaas-wipe"
  # A slot that a person took out goes back by its name.
  gpuaas-approve disable "$s" --reason missing_fabric_vf > "$T/disabled"
  assert_equal "$(offered)" \
    "gpuaas-discover | gpuaas-approve --record-only && gpuaas-approve enable $s | gpuaas-wipe"
  run_ok in_host bash -c "$(offered)"
  assert_equal "$(state_of 0)" available
  run_ok gpuaas-list attention --where "object=$s"
  assert_equal "$output" ""
}

@test "evidence that proves nothing: check says what wipes the slot again, and enable does not sell by it" {
  available
  evidence=$(evidence_of 0)
  without_triggers "UPDATE wipe_evidence SET record = json_set(record, '$.guard', json('[]'))
    WHERE id = '$evidence'"
  run_ok gpuaas-state migrate
  run_status 1 gpuaas-state check
  fix="gpuaas-approve disable $s --reason evidence_content && gpuaas-approve repair $s --reason evidence_content | gpuaas-wipe"
  jq_slurp_is '.[] | select(.check == "evidence_content") | "\(.object) \(.hint)"' "$evidence '$fix' wipes it again"
  gpuaas-approve disable "$s" --reason evidence_content > "$T/disabled"
  run_status 4 gpuaas-approve enable "$s"
  assert_stderr "evidence '$evidence' does not prove that it is wiped"
  assert_stderr "gpuaas-approve repair $s --reason evidence_content | gpuaas-wipe"
  assert_equal "$(state_of 0)" disabled
  run_ok in_host bash -c "$fix"
  assert_equal "$(state_of 0)" available
  run_status 1 gpuaas-state check # a record that was changed stays one
  jq_slurp_is 'map(.check // empty)|join(" ")' evidence_digest
}

@test "repair destroys no data that came on a disk since it was wiped, nor that of one given away" {
  available
  gpuaas-approve disable "$s" --reason doubt > "$T/disabled"
  wwid=$(state_sql "SELECT nvme_wwid FROM slot WHERE id = '$s'")
  disk=$WORK/disks/nvme2n1
  yes 'customer row 4711' | head -c 16777216 > "$disk"
  before=$(sha256sum < "$disk")
  in_host bash -c 'gpuaas-discover | gpuaas-approve --record-only' > "$T/seen"
  run_ok in_host bash -c "gpuaas-approve repair $s --reason doubt | gpuaas-wipe"
  assert_stderr "nvme_signature $wwid: unknown content"
  assert_equal "$(state_of 0)" "disabled nvme_signature tainted"
  assert_equal "$(sha256sum < "$disk")" "$before"
  assert_equal "$(offered)" "gpuaas-discover | gpuaas-approve --slot 0 --destroy-data $wwid | gpuaas-wipe"
  gpuaas-approve retire "$s" --reason gone --disposal "handed to the storage team" > "$T/retired"
  in_host bash -c 'gpuaas-discover | gpuaas-approve --slot 0' > "$T/seen" || true
  s=$(state_sql "SELECT id FROM slot WHERE slot_index = 0 AND state <> 'retired'")
  run_ok in_host bash -c "gpuaas-approve repair $s --reason doubt | gpuaas-wipe"
  assert_equal "$(sha256sum < "$disk")" "$before"
  run_ok in_host bash -c "$(offered)"
  assert_equal "$(state_sql "SELECT state FROM slot WHERE id = '$s'")" available
}

@test "repair destroys no data that came on a disk since it was wiped, where nobody looked" {
  available
  disk=$WORK/disks/nvme2n1
  mkfs.ext4 -q -F "$disk"
  before=$(sha256sum < "$disk")
  gpuaas-approve disable "$s" --reason doubt > "$T/disabled"
  for again in 1 2; do
    run --separate-stderr in_host bash -c "gpuaas-approve repair $s --reason doubt$again | gpuaas-wipe"
    jq_slurp_is 'map(select(.cause) | .cause)|unique|join(" ")' first
    assert_equal "$(sha256sum < "$disk")" "$before"
    [[ $(state_of 0) != available* ]]
  done
  # The command that is offered asks for leave first, and with it can succeed.
  [[ $(offered) == *--destroy-data* ]]
  run_ok in_host bash -c "$(offered)"
  assert_equal "$(state_sql "SELECT state FROM slot WHERE id = '$s'")" available
}

@test "a slot in a state that there is none is named, with what is left to do" {
  available
  without_triggers "UPDATE slot SET state = 'banana' WHERE id = '$s'"
  run_ok gpuaas-list attention --where "object=$s"
  jq_is '"\(.code) \(.state) \(.command)"' "unknown_state banana gpuaas-state check"
  run_status 1 gpuaas-state check
  jq_slurp_is 'map(select(.check == "unknown_state") | .hint)|join("")|startswith("stop all writers")' true
  run_status 4 gpuaas-approve disable "$s" --reason odd
  assert_stderr "no program of gpuaas writes that state: stop all writers and go back to a backup"
}

@test "what check says to do names the slot" {
  available
  without_triggers "UPDATE device SET dirty_since = '2026-11-24T00:00:00.000000Z'
    WHERE id = (SELECT nvme_wwid FROM slot WHERE id = '$s')"
  run_status 1 gpuaas-state check
  jq_slurp_is 'map(select(.check == "tainted") | .hint)|join("")' "'gpuaas-approve disable $s \
--reason TEXT' takes it out of sale; look at its audit, then 'gpuaas-approve repair $s --reason TEXT | gpuaas-wipe' \
wipes it again"
  # Which it does: what lies on the disk is looked at first, nobody knows where the mark came from.
  run_ok gpuaas-state migrate
  run_ok in_host bash -c "gpuaas-approve disable $s --reason odd > $T/disabled &&
    gpuaas-approve repair $s --reason odd | gpuaas-wipe"
  jq_slurp_is 'map(select(.cause) | .cause)|unique|join(" ")' first
  assert_equal "$(state_of 0)" available
  run_ok gpuaas-state check
}

@test "several slots: each by itself, those that meet a condition, and the first bad status" {
  local slots
  make_available lab1
  mapfile -t slots < <(gpuaas-list slots | jq -r .slot)
  run_status 5 gpuaas-approve cordon "${slots[1]}" 00000000 "${slots[0]}" "${slots[1]}" --reason fan
  jq_is .slot "${slots[1]}
${slots[0]}"
  run_ok gpuaas-approve uncordon --where cordon_reason=fan --dry-run
  jq_is .cordon_reason $'null\nnull'
  assert_equal "$(gpuaas-list slots --where cordon_reason=fan | wc -l)" 2
  run_ok gpuaas-approve uncordon --where cordon_reason=fan
  run_ok gpuaas-approve uncordon --where cordon_reason=fan
  assert_stderr "no slot meets the conditions: nothing was done"
  # A refusal of one: the other one is done, in a transaction of its own.
  gpuaas-approve disable "${slots[1]}" --reason old > "$T/out"
  run_status 4 gpuaas-approve retire "${slots[@]}" --reason old --dry-run
  jq_is '"\(.slot) \(.state)"' "${slots[1]} retired"
  # A verb that cannot be undone takes names only.
  run_status 2 gpuaas-approve retire --where state=disabled --reason old
  assert_stderr "retire takes no --where"
  run_status 2 gpuaas-approve confirm --where state=pending
  run_status 2 gpuaas-approve --all-ready --where state=disabled < "$T/lab1.rec"
  run_status 2 gpuaas-approve cordon "${slots[0]}" --where state=disabled --reason old
  run_status 4 gpuaas-approve retire "${slots[@]}" --reason old
  assert_equal "$(gpuaas-list slots | jq -r .state)" $'available\nretired'
  # A slot that is retired is not meant.
  run_ok gpuaas-approve cordon --where node="$(gpuaas-list nodes | jq -r .node)" --reason x
  jq_slurp_is 'length' 1
  run_ok gpuaas-state check
}

@test "the data of a tenant is not given away: --destroy-data of a slot in use is refused" {
  setup_host lab1
  run_ok pipeline
  in_host gpuaas-discover > "$T/now.rec"
  for state in provisioning active releasing; do
    without_triggers "UPDATE slot SET state = '$state' WHERE slot_index = 0"
    without_triggers "UPDATE device SET dirty_since = '2026-11-01T00:00:00.000000Z' WHERE id = 'eui.002538b1000000a1'"
    run_status 4 in_host gpuaas-approve --slot 0 --destroy-data eui.002538b1000000a1 --dry-run < "$T/now.rec"
    run_status 4 in_host gpuaas-approve --slot 0 --destroy-data eui.002538b1000000a1 < "$T/now.rec"
    assert_stderr "is $state: the data on its disk 'eui.002538b1000000a1' is its tenant's"
    assert_equal "$(state_sql "SELECT destroy_data_by FROM device WHERE id = 'eui.002538b1000000a1'")" ""
  done
  # Without it the slot is as it was.
  run_ok in_host gpuaas-approve --slot 0 < "$T/now.rec"
  assert_equal "$(state_sql "SELECT state FROM slot WHERE slot_index = 0")" releasing
}

@test "a slot that does not meet the conditions any more when its turn comes is left alone" {
  local slots
  make_available lab1
  mapfile -t slots < <(gpuaas-list slots | jq -r .slot)
  stopped_at gpuaas.slot/1 gpuaas-approve cordon --where state=available --where cordon_reason=null --reason mine --json
  gpuaas-approve cordon "${slots[1]}" --reason theirs > "$T/cordoned"
  goes_on
  assert_status 0
  jq_is .slot "${slots[0]}"
  assert_equal "$stderr" "slot ${slots[1]} is not changed: it does not meet the conditions any more"
  run_ok gpuaas-list slots
  jq_slurp_is 'map(.cordon_reason)|join(" ")' "mine theirs"
  run_status 5 gpuaas-approve uncordon --where 'slot!=zzzz'
  assert_stderr "there is no slot 'zzzz'"
  run_status 5 gpuaas-approve uncordon --where "slot=${slots[0]},zzzz"
  assert_equal "$(gpuaas-list slots --where cordon_reason=null)" ""
}

@test "an approval without a policy keeps the one that the slot has" {
  discover lab1
  run_ok gpuaas-approve --slot 0 --gpu-memory required --verify sampled < "$T/lab1.rec"
  run_ok gpuaas-approve --all-ready < "$T/lab1.rec"
  run_ok gpuaas-list slots --where slot_index=0
  jq_is '.wipe | "\(.gpu_memory) \(.verify)"' "required sampled"
}

@test "--all-ready leaves out the hardware that a person retired" {
  make_available lab1
  s=$(slot_of 0)
  gpuaas-approve disable "$s" --reason "GPU burns" > "$T/out"
  gpuaas-approve retire "$s" --reason "GPU burns" > "$T/out"
  run_ok gpuaas-approve --all-ready < "$T/lab1.rec"
  assert_stderr "candidate 0 of '$(gpuaas-list nodes -o name)' is left out: a person retired its hardware (slot $s); --slot 0 approves it all the same"
  assert_equal "$(gpuaas-list slots --where slot_index=0 --where state!=retired -o name)" ''
  run_ok gpuaas-approve --slot 0 < "$T/lab1.rec"
  jq_slurp_is '.[0] | "\(.slot_index) \(.state)"' "0 available"
}
