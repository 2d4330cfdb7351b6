# SPDX-License-Identifier: Apache-2.0
# A record that the state took and did not believe is no success; things that are over are neither
# named nor kept: user-data beside the state, drift of allocations that ended.

load helper
load lab

# ahead SECONDS CMD…: on a machine whose clock is that far ahead
ahead()
{
  [[ -e $T/clock_at.so ]] || gcc -shared -fPIC -o "$T/clock_at.so" "$SRC/tests/clock_at.c" -ldl
  CLOCK_AHEAD=$1 LD_PRELOAD="$T/clock_at.so${LD_PRELOAD:+:$LD_PRELOAD}" "${@:2}"
}

# The same in the recorded host, whose own preload stays behind it.
here_ahead()
{
  here env CLOCK_AHEAD="$1" LD_PRELOAD="$T/clock_at.so:libumockdev-preload.so.0" "${@:2}"
}

there_ahead()
{
  there env CLOCK_AHEAD="$1" LD_PRELOAD="$T/clock_at.so:libumockdev-preload.so.0" "${@:2}"
}

kept_user_data()
{
  ls "$T/user-data" 2> /dev/null | paste -sd ' '
}

@test "a clock that was ahead: the wipe that cannot count yet does not begin, says from when, and waits" {
  make_lab
  ahead 0 true
  gpuaas-place --profile lab --name job > "$T/plan"
  here_ahead 600 gpuaas-provision "$T/plan" > "$T/running"
  allocation_is active
  slot=$(jq -r '.bundles[0].slot' "$T/plan")
  from=$(state_sql "SELECT substr(max(dirty_since), 1, 10) || ' ' || substr(max(dirty_since), 12, 8) || 'Z' FROM device")
  here gpuaas-release job > "$T/released"
  disks=$(cat "$WORK"/disks/* | sha256sum)
  run_status 8 here gpuaas-wipe "$T/released"
  assert_stderr "a wipe counts from then on"
  assert_stderr "$from"
  jq_slurp_is 'map(.kind)|join(" ")' gpuaas.released/1
  assert_equal "$(gpuaas-list slots --where "slot=$slot" | jq -r .state)" wiping
  # It waits, and every way that leads to it says the same.
  run_status 8 here gpuaas-wipe --pending
  assert_stderr "$from"
  run_status 8 gpuaas-approve repair "$slot" --reason again
  assert_stderr "a wipe counts from then on"
  assert_equal "$(cat "$WORK"/disks/* | sha256sum)" "$disks"
  run_ok here_ahead 660 gpuaas-wipe --pending
  jq_is .outcome confirmed
  slots_are available available
  run_ok gpuaas-state check
}

@test "evidence that the state does not believe: its fold is no success, and the way on says from when" {
  make_lab
  ahead 0 true
  gpuaas-place --profile lab --name job > "$T/plan"
  there_ahead 600 gpuaas-provision "$T/plan" > "$T/running"
  ahead 600 gpuaas-state fold "$T/running" > "$T/folded"
  slot=$(jq -r '.bundles[0].slot' "$T/plan")
  from=$(state_sql "SELECT substr(max(dirty_since), 1, 10) || ' ' || substr(max(dirty_since), 12, 8) || 'Z' FROM device")
  GPUAAS_NODE=elsewhere gpuaas-release job > "$T/order"
  there bash -c 'gpuaas-release - | gpuaas-wipe' < "$T/order" > "$T/done"
  run_status 4 gpuaas-state fold "$T/done"
  assert_stderr "slot '$slot' is cleanup_blocked: the wipe began at"
  assert_stderr "hint: a wipe counts from $from on; then: gpuaas-approve repair $slot"
  # The record went on all the same, and the same again says the same.
  jq_slurp_is 'last.kind' gpuaas.wipe-evidence/1
  run_status 4 gpuaas-state fold "$T/done"
  assert_stderr "a wipe counts from $from on"
  run_ok gpuaas-list attention --where "object=$slot"
  jq_is '.code' wipe_too_old
  jq_is ".sentence | endswith(\"; a wipe counts from $from on; TEXT: what was done\")" true
  run_status 8 gpuaas-approve repair "$slot" --reason again
  assert_stderr "$from"
  assert_equal "$(gpuaas-list slots --where "slot=$slot" | jq -r .state)" cleanup_blocked
  ahead 660 gpuaas-approve repair "$slot" --reason again > "$T/again"
  there_ahead 660 gpuaas-wipe "$T/again" > "$T/done"
  run_ok ahead 660 gpuaas-state fold "$T/done"
  slots_are available available
}

@test "evidence of next year is not believed, and closes nothing until then" {
  make_lab
  ahead 0 true
  gpuaas-place --profile lab --name job > "$T/plan"
  there gpuaas-provision "$T/plan" > "$T/running"
  gpuaas-state fold "$T/running" > "$T/folded"
  slot=$(jq -r '.bundles[0].slot' "$T/plan")
  GPUAAS_NODE=elsewhere gpuaas-release job > "$T/order"
  there gpuaas-release - < "$T/order" > "$T/orders"
  there_ahead 31536000 gpuaas-wipe "$T/orders" > "$T/done"
  run_status 4 gpuaas-state fold "$T/done"
  assert_stderr "slot '$slot' is cleanup_blocked: the wipe began at $(date -d '+365 days' +%Y)"
  assert_stderr "the clocks of host and state differ"
  run_ok gpuaas-list attention --where "object=$slot"
  jq_is .code wipe_ahead
  # With the clock mended the way that is offered succeeds at once.
  gpuaas-approve repair "$slot" --reason "the clock of the host was mended" > "$T/again"
  there gpuaas-wipe "$T/again" > "$T/done"
  run_ok gpuaas-state fold "$T/done"
  slots_are available available
  gpuaas-place --profile lab --name job2 > "$T/plan"
  there gpuaas-provision "$T/plan" > "$T/running"
  gpuaas-state fold "$T/running" > "$T/folded"
  run_ok state_sql "SELECT max(dirty_since) < '$(date -u -d '+10 minutes' +%Y-%m-%dT%H:%M:%S)' FROM device"
  assert_equal "$output" 1
  run_ok gpuaas-state check
}

@test "a discovery of next year is refused, and one that was stored keeps no right one out" {
  make_lab
  ahead 0 true
  here_ahead 31536000 gpuaas-discover > "$T/next-year"
  before=$(snapshot)
  run_status 4 gpuaas-approve --record-only < "$T/next-year"
  assert_stderr "is from $(date -u -d '+365 days' +%Y)"
  assert_stderr "the clocks of host and state differ"
  assert_equal "$(snapshot)" "$before"
  here_ahead 240 gpuaas-discover > "$T/soon"
  run_ok gpuaas-approve --record-only < "$T/soon"
  # An older version took it.
  run_ok ahead 31536000 gpuaas-approve --record-only < "$T/next-year"
  run_ok here bash -c 'gpuaas-discover | gpuaas-approve --record-only'
  year=$(state_sql 'SELECT substr(observed_at, 1, 4) FROM node')
  assert_equal "$year" "$(date -u +%Y)"
}

@test "folded on the spot and not believed: status and sentence are the state's" {
  make_lab
  ahead 0 true
  here bash -c 'gpuaas-place --profile lab --name job | gpuaas-provision' > "$T/running"
  here gpuaas-release job > "$T/released"
  # The wipe succeeds by what its order says, which is not what the state ordered: it forgot the GPU.
  slot=$(jq -r 'select(.kind=="gpuaas.wipe-order/1").object' "$T/released")
  jq_in_order -c 'if .kind=="gpuaas.wipe-order/1" then .gpu_identity = null else . end' "$T/released" > "$T/weaker"
  run_status 4 here gpuaas-wipe "$T/weaker"
  jq_slurp_is last.outcome confirmed
  assert_stderr "slot '$slot' is cleanup_blocked: gpu_identity is unknown: the wipe was beside"
  assert_stderr "gpuaas-approve repair $slot"
  run_ok gpuaas-list attention --where "object=$slot"
  jq_is .code wrong_device
}

@test "a wipe order that is no longer in force wipes nothing: its disk may be another's by now" {
  make_lab
  here bash -c 'gpuaas-place --profile lab --name job | gpuaas-provision' > "$T/running"
  slot=$(jq -r 'select(.kind=="gpuaas.provisioned/1").slots[0].slot // empty' "$T/running")
  slot=${slot:-$(gpuaas-list slots --where state=active | jq -r .slot)}
  here gpuaas-release job > "$T/released"
  # The guard refuses it, and the disk is given away; somebody puts his data there.
  wwid=$(jq -r 'select(.kind=="gpuaas.wipe-order/1").nvme_wwid' "$T/released")
  path=$(jq -r 'select(.kind=="gpuaas.wipe-order/1").nvme_path' "$T/released")
  exec 7< "$WORK/disks/${path##*/}"
  run_status 4 here gpuaas-wipe "$T/released"
  assert_stderr "the wipe of disk '$wwid' of slot '$slot' is not_started: nvme_in_use"
  assert_stderr "hint: end what uses the disk; then gpuaas-approve repair $slot --reason TEXT | gpuaas-wipe"
  assert_equal "$(here gpuaas-list attention --where object="$slot" | jq -r .command)" \
    "gpuaas-approve repair $slot --reason TEXT | gpuaas-wipe"
  gpuaas-approve repair "$slot" --reason "tried again" > "$T/again"
  run_status 4 here gpuaas-wipe "$T/again"
  assert_stderr "hint: end what uses the disk; then gpuaas-approve repair $slot --reason TEXT | gpuaas-wipe"
  exec 7<&-
  gpuaas-approve quarantine "$slot" --reason broken
  gpuaas-approve disable "$slot" --reason broken
  gpuaas-approve retire "$slot" --reason broken --disposal "handed to the storage team"
  mkfs.ext4 -q "$WORK/disks/${path##*/}"
  disks=$(cat "$WORK"/disks/* | sha256sum)
  run_status 4 here gpuaas-wipe --pending
  assert_stderr "its wipe order '"
  assert_stderr "is no longer in force, and nothing was wiped"
  run_status 4 here gpuaas-wipe "$T/released"
  assert_equal "$(cat "$WORK"/disks/* | sha256sum)" "$disks"
}

@test "on a host without the state: what an order was refused for may be another's data by now" {
  make_lab
  GPUAAS_NODE=elsewhere gpuaas-place --profile lab --name job > "$T/plan"
  there gpuaas-provision "$T/plan" > "$T/running"
  gpuaas-state fold "$T/running" > "$T/folded"
  GPUAAS_NODE=elsewhere gpuaas-release job > "$T/order"
  there gpuaas-release - < "$T/order" > "$T/orders"
  disk=$WORK/disks/$(basename "$(jq -r 'select(.kind=="gpuaas.wipe-order/1").nvme_path' "$T/orders")")
  exec 7< "$disk"
  run_status 4 there gpuaas-wipe "$T/orders"
  assert_stderr "hint: end what uses the disk; then the operator of the state orders the wipe again, as gpuaas-list attention says there"
  exec 7<&-
  mkfs.ext4 -q "$disk"
  disks=$(cat "$WORK"/disks/* | sha256sum)
  run_status 4 there gpuaas-wipe --pending
  jq_is '.reason | contains("nvme_signature")' true
  run_status 4 there gpuaas-wipe "$T/orders"
  assert_equal "$(cat "$WORK"/disks/* | sha256sum)" "$disks"
}

@test "an old order wipes nothing that a later tenant has, also where libvirt does not answer" {
  make_lab
  here bash -c 'gpuaas-place --profile lab --gpus 1 --name aa | gpuaas-provision' > "$T/running"
  here gpuaas-release aa > "$T/order"
  here gpuaas-wipe "$T/order"
  here bash -c 'gpuaas-place --profile lab --gpus 2 --name bb | gpuaas-provision' > "$T/running"
  disks=$(cat "$WORK"/disks/* | sha256sum)
  export GPUAAS_LIBVIRT_URI="test+unix:///default?socket=/nowhere"
  run_status 4 here gpuaas-wipe "$T/order"
  assert_stderr "no longer in force"
  # Nothing that a person pastes ends the VM of the later tenant.
  assert_stderr "nothing is to be done for it: gpuaas-show "
  refute_stderr gpuaas-release
  run_status 4 here env GPUAAS_STATE=/nowhere/state.db gpuaas-wipe "$T/order"
  assert_stderr "is not_started: nvme_signature"
  jq_slurp_is 'last.guard[] | select(.step == "domains") | .detail | contains("and it is unknown whether libvirt still has its VM")' true
  assert_equal "$(cat "$WORK"/disks/* | sha256sum)" "$disks"
}

@test "a repaired slot is wiped by its new order only, and what was confirmed is answered again" {
  make_lab
  here bash -c 'gpuaas-place --profile lab --name job | gpuaas-provision' > "$T/running"
  here gpuaas-release job > "$T/released"
  slot=$(gpuaas-list slots --where state=wiping | jq -r .slot)
  path=$(jq -r 'select(.kind=="gpuaas.wipe-order/1").nvme_path' "$T/released")
  exec 7< "$WORK/disks/${path##*/}"
  run_status 4 here gpuaas-wipe "$T/released"
  exec 7<&-
  gpuaas-approve repair "$slot" --reason "the reader is gone" > "$T/again"
  disks=$(cat "$WORK"/disks/* | sha256sum)
  run_status 4 here gpuaas-wipe --pending
  assert_stderr "is no longer in force"
  assert_stderr "gpuaas-approve repair $slot --reason TEXT | gpuaas-wipe"
  assert_equal "$(cat "$WORK"/disks/* | sha256sum)" "$disks"
  run_ok here gpuaas-wipe "$T/again"
  slots_are available available
  run_ok here gpuaas-wipe "$T/again"
  jq_slurp_is last.outcome confirmed
}

# The content of the disk of the slot with this index
disk_of()
{
  path=$(gpuaas-list slots --where "slot_index=$1" | jq -r .nvme_path)
  echo "$WORK/disks/${path##*/}"
}

@test "data that the host finds on a wiped disk takes its slot out of sale, and goes by leave only" {
  make_lab
  while IFS=$'\t' read -r what change; do
    disk=$(disk_of 0)
    eval "$change"
    before=$(sha256sum < "$disk")
    gpuaas-place --profile lab --name "$what" --gpus 2 > "$T/plan"
    slot=$(jq -r '.bundles[0].slot' "$T/plan")
    wwid=$(jq -r '.bundles[0].nvme_wwid' "$T/plan")
    there gpuaas-provision "$T/plan" > "$T/failed" || :
    assert_equal "$(jq -r .code "$T/failed")" nvme_signature
    # The permission is not for a disk that the state has as wiped, and a warning says so.
    run_ok here bash -c "gpuaas-discover | gpuaas-approve --slot 0 --destroy-data $wwid"
    assert_stderr "is reserved: --destroy-data changed nothing"
    run_status 4 fold "$T/failed"
    allocation_is cancelled
    slots_are disabled available
    run_ok here gpuaas-list attention --where "object=$slot"
    jq_is .code nvme_signature
    jq_is ".sentence | contains(\"'$wwid'\")" true
    command=$(jq -r .command <<< "$output")
    assert_equal "$command" "gpuaas-discover | gpuaas-approve --slot 0 --destroy-data $wwid | gpuaas-wipe"
    # Without the leave nothing goes, by whatever way.
    run here bash -c 'gpuaas-discover | gpuaas-approve --all-ready | gpuaas-wipe'
    run here bash -c "gpuaas-approve enable $slot | gpuaas-wipe"
    run gpuaas-approve repair "$slot" --reason again
    slots_are disabled available
    assert_equal "$(sha256sum < "$disk")" "$before"
    # The next one gets the other slot.
    run_ok here bash -c "set -o pipefail; gpuaas-place --profile lab --name $what-2 | gpuaas-provision"
    run_ok here bash -c "set -o pipefail; gpuaas-release $what-2 | gpuaas-wipe"
    run_ok here bash -c "set -o pipefail; $command"
    assert_stderr "slot $slot: its next wipe destroys the data on disk '$wwid'"
    slots_are available available
    cmp "$disk" <(head -c 16777216 /dev/zero)
    run_ok gpuaas-state check
  done << 'CASES'
signature	mkfs.ext4 -q "$disk" 16M
content	yes nobody | head -c 16M > "$disk"
CASES
}

@test "when the data that the host found is gone, its slot comes back by a first wipe" {
  make_lab
  disk=$(disk_of 0)
  yes nobody | head -c 16M > "$disk"
  run here bash -c 'gpuaas-place --profile lab --name job | gpuaas-provision'
  slots_are disabled available
  truncate -s 0 "$disk"
  truncate -s 16M "$disk"
  run_ok here bash -c 'gpuaas-discover | gpuaas-approve --slot 0 > '"$T/order"
  assert_equal "$(jq -r 'select(.kind == "gpuaas.wipe-order/1") | "\(.cause) \(.destroy_data)"' "$T/order")" "first null"
  run_ok here gpuaas-wipe "$T/order"
  slots_are available available
}

# rebuilt JQ-CHANGE: evidence of a rebuild by the host of slot 0, sealed and signed by its key
rebuilt()
{
  local text slot
  slot=$(gpuaas-list slots --where slot_index=0 | jq -r .slot)
  text=$(jq_in_order -c --arg slot "$slot" 'select(.kind == "gpuaas.wipe-evidence/1" and .object == $slot)
    | .cause = "rebuild" | .evidence = "rebd1111"
    | .attempt = "nventedd" | '"$1"' | del(.digest, .signature)' "$T/wiped")
  jq_in_order -c --arg d "sha256:$(printf %s "$text" | sha256sum | cut -d ' ' -f 1)" \
    '.digest = $d' <<< "$text" | sign "$T/there/node.key"
}

@test "evidence of a rebuild says nothing of a slot that its allocation does not have" {
  make_lab
  failed='.outcome = "failed" | .reason = "gpu_reset_failed: x" | .gpu_reset.outcome = "failed" | .status = 3'
  for change in '.allocation = null' '.allocation = "nventedd"' ".allocation = \"nventedd\" | $failed"; do
    rebuilt "$change" > "$T/rebuilt"
    run_status 4 fold "$T/rebuilt"
    assert_stderr "belongs to nobody"
    slots_are available available
    assert_equal "$(gpuaas-list evidence | jq -rs 'map(select(.cause == "rebuild")) | length')" 0
  done
  here bash -c 'gpuaas-place --profile lab --name job | gpuaas-provision' > "$T/running"
  rebuilt ".allocation = \"nventedd\" | $failed" > "$T/rebuilt"
  run_status 4 fold "$T/rebuilt"
  assert_stderr "belongs to $(allocation)"
  rebuilt ".allocation = \"$(allocation)\"" > "$T/rebuilt"
  run_ok fold "$T/rebuilt"
}

@test "user-data stays as long as an allocation may need it, and no longer" {
  make_lab
  printf '#cloud-config\npassword: hunter2\n' > "$T/ud"
  printf '#cloud-config\npassword: other\n' > "$T/other"
  digest=$(sha256sum "$T/ud" | cut -d ' ' -f 1)
  gpuaas-place --profile lab --name a --user-data "$T/ud" > "$T/plan"
  gpuaas-place --profile lab --name b --user-data "$T/ud" > "$T/second"
  assert_equal "$(kept_user_data)" "$digest"
  here gpuaas-provision "$T/plan" > "$T/running"
  # The plan of b is cancelled, and a still has it.
  run_ok gpuaas-release b
  assert_equal "$(kept_user_data)" "$digest"
  run_ok here bash -c 'set -o pipefail; gpuaas-release a | gpuaas-wipe'
  assert_equal "$(kept_user_data)" ""
  refute_grep -rq hunter2 "$T"/state.db* "$T/hostdir"
  # Of a plan that nobody takes up.
  gpuaas-place --profile lab --name c --user-data "$T/other" > "$T/plan"
  assert_equal "$(kept_user_data)" "$(sha256sum "$T/other" | cut -d ' ' -f 1)"
  run_ok gpuaas-release c
  assert_equal "$(kept_user_data)" ""
}

@test "user-data of a host elsewhere goes with the fold of its release" {
  make_lab
  printf 'hunter2\n' > "$T/ud"
  gpuaas-place --profile lab --name a --user-data "$T/ud" > "$T/plan"
  there gpuaas-provision --user-data-dir "$T/user-data" "$T/plan" | fold
  GPUAAS_NODE=elsewhere gpuaas-release a > "$T/order"
  assert_equal "$(kept_user_data)" "$(sha256sum "$T/ud" | cut -d ' ' -f 1)"
  there bash -c 'gpuaas-release - | gpuaas-wipe' < "$T/order" | fold
  assert_equal "$(kept_user_data)" ""
}

@test "user-data of what was refused, expired or lost with its node goes with it" {
  make_lab
  ahead 0 true
  printf 'hunter2\n' > "$T/ud"
  digest=$(sha256sum "$T/ud" | cut -d ' ' -f 1)
  run_status 1 gpuaas-place --profile lab --node nowhere --user-data "$T/ud"
  assert_equal "$(kept_user_data)" ""
  gpuaas-place --profile lab --name a --user-data "$T/ud" > "$T/plan"
  # A dry run frees nothing, and removes nothing.
  ahead 7200 gpuaas-place --profile lab --dry-run > "$T/out"
  assert_equal "$(kept_user_data)" "$digest"
  # The next placement frees what nobody took up.
  ahead 7200 gpuaas-place --profile lab --name b > "$T/out"
  assert_equal "$(gpuaas-list allocations --where name=a | jq -r .state)" cancelled
  assert_equal "$(kept_user_data)" ""
  gpuaas-place --profile lab --name c --user-data "$T/ud" > "$T/plan"
  node=$(jq -r .node "$T/plan")
  assert_equal "$(kept_user_data)" "$digest"
  gpuaas-node lost "$node" --reason fire --dry-run --yes > "$T/out"
  assert_equal "$(kept_user_data)" "$digest"
  run_ok gpuaas-node lost "$node" --reason fire --yes
  assert_equal "$(kept_user_data)" ""
  run_ok gpuaas-state check
}

@test "what a crash left of user-data is named by check and removed by the next pass, and nothing else is" {
  make_lab
  printf 'hunter2\n' > "$T/ud"
  gpuaas-place --profile lab --name a --user-data "$T/ud" > "$T/plan"
  digest=$(sha256sum "$T/ud" | cut -d ' ' -f 1)
  left=$(printf 'left' | sha256sum | cut -d ' ' -f 1)
  touch "$T/user-data/$left" "$T/user-data/.$left@state.db" "$T/user-data/$left.Ab3xYz" \
    "$T/user-data/README" "$T/user-data/$left.backup2"
  run_status 1 gpuaas-state check
  jq_is 'select(.check=="user_data_left") | "\(.object) \(.hint)"' \
    "user-data/$left gpuaas-release --pending
user-data/$left.Ab3xYz gpuaas-release --pending"
  # While somebody places it is not touched: a file may be there before its plan.
  exec 7< "$T/user-data"
  flock -s 7
  run_ok gpuaas-release --pending
  assert_equal "$(kept_user_data)" "$(printf '%s\n' "$digest" "$left" "$left.Ab3xYz" "$left.backup2" README | sort | paste -sd ' ')"
  exec 7<&-
  run_ok gpuaas-release --pending
  assert_equal "$(kept_user_data)" "$(printf '%s\n' "$digest" "$left.backup2" README | sort | paste -sd ' ')"
  run_ok gpuaas-state check
}

@test "user-data of a plan that a look at its host cancelled goes with it" {
  make_lab
  printf 'hunter2\n' > "$T/ud"
  gpuaas-place --profile lab --gpus 2 --name a --user-data "$T/ud" > "$T/plan"
  setup_host lab1 'gpu.0.aer={"fatal":2}'
  run_status 1 here gpuaas-reconcile
  allocation_is cancelled
  assert_equal "$(ls -A "$T/user-data")" ""
}

@test "user-data of a plan that its provisioning cancelled goes with it" {
  make_lab
  printf 'hunter2\n' > "$T/ud"
  gpuaas-place --profile lab --name a --user-data "$T/ud" > "$T/plan"
  setup_host lab1 'gpu.0.aer={"fatal":2}' 'gpu.1.aer={"fatal":2}'
  run_status 4 here gpuaas-provision --dry-run "$T/plan"
  assert_equal "$(kept_user_data)" "$(sha256sum "$T/ud" | cut -d ' ' -f 1)"
  run_status 4 here gpuaas-provision "$T/plan"
  allocation_is cancelled
  refute_grep -rq hunter2 "$T/user-data" "$T"/state.db* "$T/hostdir"
  assert_equal "$(ls -A "$T/user-data")" ""
}

@test "user-data of two states in one folder: each removes its own alone" {
  make_lab
  printf 'hunter2\n' > "$T/ud"
  digest=$(sha256sum "$T/ud" | cut -d ' ' -f 1)
  run_ok gpuaas-state backup "$T/copy.db"
  gpuaas-place --profile lab --name a --user-data "$T/ud" > "$T/plan"
  run_ok gpuaas-state init --lab --state "$T/empty.db"
  for other in empty copy; do
    run_ok gpuaas-state check --state "$T/$other.db"
    run_ok gpuaas-release --pending --state "$T/$other.db"
    assert_equal "$(kept_user_data)" "$digest"
  done
  # The same bytes in both: they go with the last that needs them.
  gpuaas-place --state "$T/copy.db" --profile lab --name b --user-data "$T/ud" > "$T/second"
  run_ok gpuaas-release --state "$T/copy.db" b
  assert_equal "$(kept_user_data)" "$digest"
  gpuaas-place --state "$T/copy.db" --profile lab --name c --user-data "$T/ud" > "$T/second"
  run_ok gpuaas-release a
  assert_equal "$(kept_user_data)" "$digest"
  run_ok gpuaas-release --state "$T/copy.db" c
  assert_equal "$(ls -A "$T/user-data")" ""
}

@test "user-data of a state that was renamed goes with its last allocation" {
  make_lab
  printf 'hunter2\n' > "$T/ud"
  gpuaas-place --profile lab --name a --user-data "$T/ud" > "$T/plan"
  mv "$GPUAAS_STATE" "$T/main.db"
  export GPUAAS_STATE=$T/main.db
  run_ok gpuaas-release a
  run_ok gpuaas-release --pending
  assert_equal "$(ls -A "$T/user-data")" ""
}

@test "user-data that an older version has put beside the state: kept, and removed by the state that knows it" {
  make_lab
  printf 'hunter2\n' > "$T/ud"
  digest=$(sha256sum "$T/ud" | cut -d ' ' -f 1)
  other=$(printf 'other' | sha256sum | cut -d ' ' -f 1)
  gpuaas-place --profile lab --name a --user-data "$T/ud" > "$T/plan"
  touch "$T/user-data/$other"
  rm "$T/user-data/.$digest@state.db" # it made no marks
  run_ok gpuaas-release --pending
  assert_equal "$(kept_user_data)" "$(printf '%s\n' "$digest" "$other" | sort | paste -sd ' ')"
  rm "$T/user-data/.$digest@state.db"
  run_ok gpuaas-release a
  assert_equal "$(kept_user_data)" "$other"
}

@test "drift of an allocation that has ended: attention and hooks name it no more" {
  ((EUID == 0)) || skip "hooks must belong to root: this needs root"
  make_lab
  here bash -c 'gpuaas-place --profile lab --name job | gpuaas-provision' > "$T/running"
  id=$(allocation)
  node=$(gpuaas-list nodes | jq -r .node)
  export GPUAAS_NOTIFY_DIR=$T/notify.d
  install -d -m 755 "$GPUAAS_NOTIFY_DIR"
  printf '#!/bin/bash\ncat >> %q\n' "$T/told" > "$GPUAAS_NOTIFY_DIR/keep"
  chmod 755 "$GPUAAS_NOTIFY_DIR/keep"
  # found AT: the domain of the allocation is missing, and a person is to release it
  found()
  {
    jq_in_order -cn --arg node "$node" --arg id "$id" --arg at "$1" '{kind:"gpuaas.drift/1", node:$node,
      object:$id, code:"domain_missing", severity:"error", expected:"a domain", observed:"none",
      observation:"bad", age_seconds:0, repair:null, command:"gpuaas-release \($id)", repaired:false,
      at:$at}' | sign "$GPUAAS_HOST_DIR/node.key"
  }
  found "$(date -u +%FT%T.%6NZ)" | gpuaas-state fold - > "$T/folded"
  run_ok gpuaas-list attention --where code=domain_missing
  jq_is '[.object_kind, .object, .command] | join(" ")' "allocation $id gpuaas-release $id"
  run_ok here bash -c 'set -o pipefail; gpuaas-release job | gpuaas-wipe'
  run_ok gpuaas-list attention
  refute_output "$id"
  run_ok gpuaas-state notify
  [[ ! -e $T/told ]] || refute_grep -q "$id" "$T/told"
  # Its traces on a host count for the node afterwards, with no command of the allocation.
  found "$(date -u +%FT%T.%6NZ)" | gpuaas-state fold - > "$T/folded"
  run_ok gpuaas-list attention --where code=domain_missing
  jq_is '[.object_kind, .object] | join(" ")' "node $node"
  refute_output "gpuaas-release $id"
  assert_output "gpuaas-reconcile --repair"
}
