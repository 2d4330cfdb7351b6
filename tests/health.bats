# SPDX-License-Identifier: Apache-2.0
# The health of slots: what proves it, what fails it, what that keeps off sale, and the way back.

load helper
load lab

setup()
{
  common_setup
}

# health INDEX: the health of a slot, and what gave it
health()
{
  gpuaas-list slots | jq -r --argjson i "$1" 'select(.slot_index==$i)|"\(.health_state) \(.health_detail)"'
}

slot()
{
  gpuaas-list slots | jq -r --argjson i "$1" 'select(.slot_index==$i)|.slot'
}

attention()
{
  gpuaas-list attention | jq -r '[.code,.object,.state]|join(" ")'
}

# quickly CMD…: on the host, with deadlines of minutes that are over in seconds
quickly()
{
  [[ -f $T/clock.so ]] || gcc -shared -fPIC -o "$T/clock.so" "$SRC/tests/fake/fast_clock.c" -ldl
  here env LD_PRELOAD="$T/clock.so:libumockdev-preload.so.0" FAST_CLOCK=30 "$@"
}

# offered INDEX: the command that attention has for the health of a slot
offered()
{
  here gpuaas-list attention --where "object=$(slot "$1")" --where code=health_failed | jq -r .command
}

# back_to_sale INDEX: does what the list of attention says about the slot, on its mended host
back_to_sale()
{
  local command
  setup_host lab1
  command=$(offered "$1")
  # Of a GPU that was gone: only a look at the host shows that it is back.
  if [[ $command == "gpuaas-discover | gpuaas-approve --record-only" ]]; then
    run_ok here bash -c "$command"
    command=$(offered "$1")
  fi
  [[ $command == "gpuaas-approve repair $(slot "$1") --reason TEXT"* ]]
  run_ok here bash -c "${command//TEXT/mended}"
}

# no_health_in_the_way: the state holds, and nothing of health waits for a person
no_health_in_the_way()
{
  run_ok gpuaas-state check
  assert_equal "$(gpuaas-list attention --where code=health_failed)" ""
}

@test "a wipe proves a slot, and so does a guest that became ready" {
  make_lab
  [[ $(health 0) == "ok disk wiped and GPU reset (evidence "* ]]
  since=$(gpuaas-list slots | jq -rs '.[0].health_since')
  [[ $since == 20??-* ]]
  run_ok gpuaas-list slots --table
  assert_output HEALTH
  run_ok gpuaas-show "$(slot 0)" --table
  assert_output "health_since            ${since:0:10} ${since:11:8}Z"
  # Nothing of it is news in a life without trouble.
  here bash -c 'gpuaas-place --profile lab --name job | gpuaas-provision' > "$T/out"
  here bash -c 'gpuaas-release job | gpuaas-wipe' > "$T/out"
  assert_equal "$(gpuaas-list slots | jq -rs '.[0].health_since')" "$since"
  # A slot of which nothing is known.
  state_sql "UPDATE slot SET health_state = 'unknown', health_detail = NULL, generation = generation + 1"
  here bash -c 'gpuaas-place --profile lab --name again | gpuaas-provision' > "$T/out"
  [[ $(health 0) == "ok allocation "*" became ready at "* ]]
  assert_equal "$(health 1)" "unknown null"
  no_health_in_the_way
}

@test "a GPU that does not come back from its reset is not sold until it is repaired" {
  make_lab
  here bash -c 'gpuaas-place --profile lab --name job | gpuaas-provision' > "$T/out"
  setup_host lab1 gpu.0.silent=1
  quickly gpuaas-release job > "$T/released" || status=$?
  assert_status 9
  assert_equal "$(health 0)" \
    "failed gpu_reset failed: '0000:18:00.0' does not answer 60 s after its reset"
  [[ $(health 1) == "ok "* ]]
  quickly gpuaas-wipe < "$T/released" > "$T/evidence" || true
  [[ $(health 0) == "failed gpu_reset failed: '0000:18:00.0' "* ]]
  run ! grep -x available <(gpuaas-list slots | jq -r 'select(.slot_index==0)|.state')
  # One of two is left, and the other is named.
  run_status 1 gpuaas-place --profile lab --gpus 2
  jq_is .kind gpuaas.refusal/1
  run_ok gpuaas-place --profile lab --name other
  jq_is '.bundles[0].slot_index' 1
  gpuaas-release other > "$T/out"
  # No repair is offered while it cannot succeed: a look at the host is, and what comes before it.
  for look in 1 2; do
    run_ok here gpuaas-list attention --where "object=$(slot 0)"
    jq_is .command "gpuaas-discover | gpuaas-approve --record-only"
    jq_is ".sentence | contains(\"start the machine cold first\") and contains(\"after $(gpuaas-list slots |
      jq -r 'select(.slot_index==0).health_since | .[0:10] + " " + .[11:19] + "Z"') sees it answer\")" true
    run_ok here bash -c "$(jq -r .command <<< "$output")"
  done
  # The machine was started anew: the same look sees the GPU, and from then on a repair is offered.
  setup_host lab1
  run_ok here bash -c 'gpuaas-discover | gpuaas-approve --record-only'
  run_ok here gpuaas-list attention --where "object=$(slot 0)"
  [[ $(jq -r '.command' <<< "$output") == "gpuaas-approve repair $(slot 0) --reason TEXT"* ]]
  refute_output "cold first"
  # In whatever state the failed reset left it, this is the way back.
  command=$(jq -r .command <<< "$output")
  run_ok here bash -c "${command//TEXT/reseated}"
  slots_are available available
  [[ $(health 0) == "unknown repaired: reseated" || $(health 0) == "ok disk wiped"* ]]
  run_ok here bash -c 'gpuaas-place --profile lab --gpus 2 --name both | gpuaas-provision'
  [[ $(health 0) == "ok "* ]]
  no_health_in_the_way
}

@test "a GPU that falls off the bus takes its slot off sale; approve, place, list and metrics say so" {
  make_lab
  setup_host lab1 gpu.0.silent=1
  run_status 1 here gpuaas-reconcile
  jq_is 'select(.kind=="gpuaas.drift/1" and .severity=="error")|[.code,.object,.observed]|join(" ")' \
    "gpu_lost $(slot 0) all ones in its configuration space, power state D0"
  slots_are disabled available
  [[ $(health 0) == "failed gpu_lost: expected slot:1:10de:2335 that answers at 0000:18:00.0, "* ]]
  # The list of attention, each fact once, and the metric that the alert reads.
  run_ok here gpuaas-list attention --where "object=$(slot 0)"
  jq_slurp_is 'map(.code)|join(" ")' health_failed
  run_ok here gpuaas-list attention --where code=health_failed
  jq_is '[.object,.state,.since]|join(" ")' \
    "$(slot 0) disabled $(gpuaas-list slots | jq -rs '.[0].health_since')"
  jq_is '.sentence|test("^gpu_lost: expected ")' true
  run_ok gpuaas-export openmetrics
  assert_output 'gpuaas_attention{code="health_failed"} 1'
  # No gate lets it through.
  run here bash -c 'gpuaas-discover | gpuaas-approve --all-ready'
  slots_are disabled available
  # Discovery saw as well that it does not answer.
  assert_equal "$(gpuaas-list slots | jq -r 'select(.slot_index==0)|[.blockers[].code]|join(" ")')" \
    "health_failed gpu_not_answering"
  run_status 1 here gpuaas-approve enable "$(slot 0)"
  jq_is '[.state, .blockers[].code]|join(" ")' "disabled health_failed gpu_not_answering"
  run_status 1 gpuaas-place --profile lab --gpus 2
  jq_is '.nodes[0]|[.code,.detail]|map(tostring)|join(" ")|test("health_failed")' true
  # Blocked by name too, the row still has the command that works.
  run_ok here gpuaas-list attention --where code=health_failed
  jq_is .state disabled
  jq_is '.sentence|contains("start the machine cold first")' true
  assert_equal "$(offered 0)" "gpuaas-discover | gpuaas-approve --record-only"
  # A discovery answers faults that a discovery saw, a person answers faults of health.
  setup_host lab1
  run here bash -c 'gpuaas-discover | gpuaas-approve --all-ready'
  assert_equal "$(gpuaas-list slots | jq -r 'select(.slot_index==0)|[.blockers[].code]|join(" ")')" health_failed
  back_to_sale 0
  slots_are available available
  assert_equal "$(health 0)" "unknown repaired: mended"
  run_ok here gpuaas-reconcile
  run_ok here bash -c 'gpuaas-place --profile lab --gpus 2 --name both | gpuaas-provision'
  [[ $(health 0) == "ok allocation "* ]]
  no_health_in_the_way
}

@test "what is still broken is not repaired by a word: a discovery has to see it answer" {
  make_lab
  setup_host lab1 gpu.0.silent=1
  run_status 1 here gpuaas-reconcile
  # Nobody looked since, and then who looked saw it dead.
  for look in none dead; do
    run_status 4 here gpuaas-approve repair "$(slot 0)" --reason hope
    assert_stderr "no discovery since has seen its GPU well"
    slots_are disabled available
    [[ $(health 0) == "failed gpu_lost: "* ]]
    run_ok here bash -c 'gpuaas-discover | gpuaas-approve --record-only'
  done
  # Nor by way of a quarantine.
  gpuaas-approve quarantine "$(slot 0)" --reason hope > "$T/out"
  run_status 4 here gpuaas-approve repair "$(slot 0)" --reason hope
  gpuaas-approve disable "$(slot 0)" --reason hope > "$T/out"
  setup_host lab1
  run_ok here bash -c 'gpuaas-discover | gpuaas-approve --record-only'
  run_ok here gpuaas-approve repair "$(slot 0)" --reason reseated
  # The health is mended; the reason of the person who disabled it stays until enable.
  slots_are disabled available
  run_ok here gpuaas-approve enable "$(slot 0)"
  slots_are available available
}

@test "a discovery that sees a GPU or disk dead, gone or without a reset takes its slot off sale" {
  local fact detail
  make_lab
  cp -a "$GPUAAS_STATE" "$T/good.db"
  # The host is as it was approved, but for what the device answers.
  while IFS='|' read -r fact detail; do
    cp "$T/good.db" "$GPUAAS_STATE"
    setup_host lab1 "$fact"
    run_ok here bash -c 'gpuaas-discover | gpuaas-approve --record-only'
    slots_are disabled available
    assert_equal "$(health 0)" "failed discovery: $detail"
    run_status 1 gpuaas-place --profile lab --gpus 2
    run_status 4 gpuaas-approve repair "$(slot 0)" --reason hope
    assert_stderr "no discovery since has seen its GPU well"
    setup_host lab1
  done << END
gpu.0.silent=1|'0000:18:00.0' does not answer on the bus
gpu.0.reset_method=|the kernel has no way to reset '0000:18:00.0' between tenants
END
  # One that is gone changes what was approved: it fails with the change that is accepted.
  cp "$T/good.db" "$GPUAAS_STATE"
  setup_host lab1 gpu.1=null
  run_ok here bash -c 'gpuaas-discover | gpuaas-approve --all-ready --accept-change'
  slots_are available disabled
  [[ $(health 1) == "failed discovery: GPU of slot $(slot 1) is not on the host" ]]
  # The GPU of the first slot is gone, and that of the second moves up in the host's order.
  cp "$T/good.db" "$GPUAAS_STATE"
  setup_host lab1 gpu.0=null
  run here bash -c 'gpuaas-discover | gpuaas-approve --all-ready --accept-change'
  slots_are disabled available
  assert_equal "$(gpuaas-list slots | jq -r 'select(.slot_index==0)|[.gpu_identity,.blockers[].code]|join(" ")')" \
    "slot:1:10de:2335 missing_gpu"
}

@test "a new slot of a GPU that failed is failed too: its retirement repaired nothing" {
  make_lab
  setup_host lab1 'gpu.0.aer={"fatal":7}'
  run_status 1 here gpuaas-reconcile
  slots_are disabled available
  run_ok gpuaas-approve retire "$(slot 0)" --reason 'new number'
  # Also where its disk came from a slot that was well, and retired later.
  gpuaas-approve disable "$(slot 1)" --reason swap > "$T/out"
  run_ok gpuaas-approve retire "$(slot 1)" --reason swap
  setup_host lab1 'gpu.0.aer={"fatal":7}' nvme.1.eui=002538b1000000a1 nvme.2.eui=002538b1000000a2
  run here bash -c 'gpuaas-discover | gpuaas-approve --slot 0 --slot 1 --accept-change | gpuaas-wipe'
  run_ok gpuaas-list slots --where state=disabled
  jq_is '[.slot_index,.health_state]|join(" ")' "0 failed"
  run here bash -c 'gpuaas-discover | gpuaas-approve --slot 0 --slot 1 | gpuaas-wipe'
  run_ok gpuaas-list slots --where state=disabled
  jq_is '[.slot_index,.health_state]|join(" ")' "0 failed"
  jq_is '.health_detail|test("^gpu_errors: ")' true
  run_ok here bash -c "gpuaas-approve repair $(jq -r .slot <<< "$output") --reason 'new card' | gpuaas-wipe"
  assert_equal "$(gpuaas-list slots --where state=available | jq -s length)" 2
}

@test "fatal errors of the bus fail a slot once, and more of them again" {
  local boot=1ab10000-0000-4000-8000-000000000001 # lab1.json
  make_lab
  setup_host lab1 'gpu.0.aer={"fatal":2}'
  run_status 1 here gpuaas-reconcile
  slots_are disabled available
  assert_equal "$(health 0)" \
    "failed gpu_errors: expected no fatal bus error of its GPU, and the host shows 2 since the host's start (boot $boot)"
  run_ok here bash -c "gpuaas-approve repair $(slot 0) --reason 'link trained anew' | gpuaas-wipe"
  slots_are available available
  # The counters stay until the host starts again: an error for the list, none for the slot.
  run_status 1 here gpuaas-reconcile
  slots_are available available
  assert_equal "$(attention)" "gpu_errors $(slot 0) available"
  setup_host lab1 'gpu.0.aer={"fatal":3}'
  run_status 1 here gpuaas-reconcile
  slots_are disabled available
}

@test "as many fatal errors after a reboot as before it are new ones: the slot fails again" {
  make_lab
  setup_host lab1 'gpu.0.aer={"fatal":1}'
  run_status 1 here gpuaas-reconcile
  run_ok here bash -c "gpuaas-approve repair $(slot 0) --reason reseated | gpuaas-wipe"
  slots_are available available
  # The counter began at 0 with the boot, and the card fails at every one.
  setup_host lab1 boot_id=7ab10000-0000-4000-8000-000000000007 'gpu.0.aer={"fatal":1}'
  run_status 1 here gpuaas-reconcile
  slots_are disabled available
  [[ $(health 0) == "failed gpu_errors: "*"(boot 7ab10000-0000-4000-8000-000000000007)" ]]
  # Repaired in this boot: the same count is no new fault.
  run_ok here bash -c "gpuaas-approve repair $(slot 0) --reason reseated | gpuaas-wipe"
  run_status 1 here gpuaas-reconcile
  slots_are available available
  gpuaas-place --profile lab --gpus 2 > "$T/plan"
  run_ok here gpuaas-provision "$T/plan"
}

@test "fatal errors that nobody told of are no tenant's: provisioning refuses, and fails the slot" {
  make_lab
  gpuaas-place --profile lab --gpus 1 > "$T/plan"
  setup_host lab1 'gpu.0.aer={"fatal":2}'
  run_status 4 here gpuaas-provision "$T/plan"
  jq_is 'select(.kind == "gpuaas.failure/1") | .phase + " " + .code' "recheck health_failed"
  slots_are disabled available
  [[ $(health 0) == "failed recheck: "*"fatal errors of GPU '0000:18:00.0', 2 since"* ]]
  allocation_is cancelled
  # Told, and repaired by a person: the count stays, and is no reason any more.
  run_status 1 here gpuaas-reconcile
  run_ok here bash -c "gpuaas-approve repair $(slot 0) --reason 'link trained anew' | gpuaas-wipe"
  slots_are available available
  gpuaas-place --profile lab --gpus 2 > "$T/plan"
  run_ok here gpuaas-provision "$T/plan"
}

@test "a narrow link and errors that were corrected are reported, and fail nothing" {
  make_lab
  setup_host lab1 gpu.0.current_link_width=4 'gpu.1.aer={"correctable":5000,"nonfatal":1}'
  run_status 1 here gpuaas-reconcile
  jq_slurp_is 'map(select(.code=="gpu_degraded"))|map("\(.severity) \(.object) \(.observed)")|join("; ")' \
    "warning $(slot 0) 4 of 16 lanes; warning $(slot 1) 1 uncorrectable error, 5000 or more errors corrected"
  slots_are available available
  assert_equal "$(gpuaas-list slots | jq -rs 'map(.health_state)|join(" ")')" "ok ok"
}

@test "a tenant keeps a slot that fails, and nobody gets it after" {
  make_lab
  here bash -c 'gpuaas-place --profile lab --name job | gpuaas-provision' > "$T/out"
  setup_host lab1 gpu.0.silent=1
  run_status 1 here gpuaas-reconcile
  slots_are active available
  allocation_is active
  run_ok here gpuaas-list attention --where code=health_failed
  jq_is '[.state,.command]|join(": ")' "active: gpuaas-discover | gpuaas-approve --record-only"
  setup_host lab1
  run_ok here bash -c 'gpuaas-discover | gpuaas-approve --record-only'
  assert_equal "$(offered 0)" "gpuaas-approve repair $(slot 0) --reason TEXT"
  here bash -c 'gpuaas-release job | gpuaas-wipe' > "$T/out"
  slots_are disabled available
  back_to_sale 0
  slots_are available available
  no_health_in_the_way
}

@test "a slot in use is repaired where it is" {
  make_lab
  here bash -c 'gpuaas-place --profile lab --name job | gpuaas-provision' > "$T/out"
  run_status 4 gpuaas-approve repair "$(slot 0)" --reason x
  assert_stderr "is active: repair is for slots that are cleanup_blocked, disabled, wiping"
  setup_host lab1 gpu.0.silent=1
  run_status 1 here gpuaas-reconcile
  run_ok gpuaas-approve repair "$(slot 0)" --reason 'the guest reset it'
  jq_is '[.state,.health_state,.health_detail]|join(" ")' "active unknown repaired: the guest reset it"
  slots_are active available
}

@test "a GPU that was lost and was seen to answer since is no drift any more" {
  make_lab
  setup_host lab1 gpu.0.silent=1
  run_status 1 here gpuaas-reconcile
  setup_host lab1
  run_ok here bash -c 'gpuaas-discover | gpuaas-approve --record-only'
  run_ok gpuaas-approve repair "$(slot 0)" --reason mended
  run_ok here gpuaas-list attention --where code=gpu_lost
  assert_equal "$output" ""
}

@test "who disabled a slot finds it disabled after its repair" {
  make_lab
  gpuaas-approve disable "$(slot 0)" --reason 'fan is loud' > "$T/out"
  setup_host lab1 gpu.0.silent=1
  run here gpuaas-reconcile
  [[ $(health 0) == "failed gpu_lost: "* ]]
  back_to_sale 0
  slots_are disabled available
  assert_equal "$(health 0)" "unknown repaired: mended"
  run_ok here bash -c "gpuaas-approve enable $(slot 0) | gpuaas-wipe"
  slots_are available available
}

@test "a plan on a slot that fails is cancelled" {
  make_lab
  gpuaas-place --profile lab --gpus 2 --name job > "$T/plan"
  slots_are reserved reserved
  setup_host lab1 gpu.1.silent=1
  run_status 1 here gpuaas-reconcile
  allocation_is cancelled
  slots_are available disabled
  run_ok gpuaas-state check
}

@test "a GPU that is lost before a guest gets it" {
  make_lab
  gpuaas-place --profile lab --gpus 2 --name job > "$T/plan"
  setup_host lab1 gpu.0.silent=1
  run_status 4 here gpuaas-provision "$T/plan"
  jq_is '[.phase,.code]|join(" ")' "recheck gpu_not_answering"
  assert_equal "$(health 0)" \
    "failed recheck: GPU '0000:18:00.0' of slot '$(slot 0)' does not answer in configuration space"
  [[ $(health 1) == "ok "* ]]
  # Nothing was touched: the plan gave its slots back.
  slots_are disabled available
  allocation_is cancelled
  setup_host lab1
  back_to_sale 0
  slots_are available available
  # The same of a GPU that cannot be reset any more: it is not placed and refused for ever.
  gpuaas-place --profile lab --gpus 2 --name next > "$T/plan"
  setup_host lab1 gpu.0.reset_method=
  run_status 7 here gpuaas-provision "$T/plan"
  jq_is '[.phase,.code]|join(" ")' "recheck gpu_no_reset"
  assert_equal "$(health 0)" "failed recheck: the kernel has no way to reset '0000:18:00.0'"
  slots_are disabled available
  allocation_is cancelled
  # It answers, and that is not enough: a look that finds a way to reset it comes before a repair.
  for look in 1 2; do
    assert_equal "$(offered 0)" "gpuaas-discover | gpuaas-approve --record-only"
    run_ok here bash -c "$(offered 0)"
  done
  back_to_sale 0
  slots_are available available
}

@test "a GPU or a disk that is gone at the recheck is not sold again" {
  make_lab
  gpuaas-place --profile lab --gpus 2 --name job > "$T/plan"
  # With it the fingerprint of the host is another, which blames no slot.
  setup_host lab1 gpu.0.addr=0000:18:01.0 gpu.0.slot=9
  run_status 4 here gpuaas-provision "$T/plan"
  jq_is '[.phase,.code]|join(" ")' "recheck missing_gpu"
  assert_equal "$(health 0)" "failed recheck: GPU of slot '$(slot 0)' is not at '0000:18:00.0'"
  [[ $(health 1) == "ok "* ]]
  slots_are disabled available
  allocation_is cancelled
  run_ok here gpuaas-list attention --where "object=$(slot 0)" --where code=health_failed
  jq_is .command "gpuaas-discover | gpuaas-approve --record-only"
  back_to_sale 0
  slots_are available available
  gpuaas-place --profile lab --gpus 2 --name next > "$T/plan"
  setup_host lab1 nvme.2.eui=002538b1000000ff
  run_status 5 here gpuaas-provision "$T/plan"
  jq_is '[.phase,.code]|join(" ")' "recheck missing_nvme"
  [[ $(health 1) == "failed recheck: disk of slot '$(slot 1)': "*"'eui.002538b1000000a2'" ]]
  [[ $(health 0) != "failed "* ]]
  slots_are available disabled
  allocation_is cancelled
  back_to_sale 1
  slots_are available available
  no_health_in_the_way
}

@test "a guest that never became ready puts a slot in doubt, and its wipe settles that" {
  make_lab
  here gpuaas-image add "$T/images/lab.raw" --name silent --probe serial --firmware bios |
    gpuaas-state apply - > "$T/out"
  gpuaas-place --profile lab --image silent --name job > "$T/plan"
  run_status 8 quickly gpuaas-provision "$T/plan"
  [[ $(health 0) == "unknown lease_seen: "*"requested no address"* ]]
  here bash -c 'gpuaas-release job | gpuaas-wipe' > "$T/out"
  slots_are available available
  [[ $(health 0) == "ok disk wiped and GPU reset (evidence "* ]]
}

@test "a drive that cannot be wiped fails its slot" {
  make_lab
  here bash -c 'gpuaas-place --profile lab --name job | gpuaas-provision' > "$T/out"
  here gpuaas-release job > "$T/released"
  # The file that plays the disk cannot be written beyond 8 MiB.
  run here bash -c "ulimit -f 8192; gpuaas-wipe $T/released"
  slots_are cleanup_blocked available
  [[ $(health 0) == "failed drive eui.002538b1000000a1: wipe failed: "* ]]
  run_ok here bash -c "gpuaas-approve repair $(slot 0) --reason 'drive replaced' | gpuaas-wipe"
  slots_are available available
  [[ $(health 0) == "ok disk wiped and GPU reset (evidence "* ]]
  no_health_in_the_way
}

@test "leave to destroy that leads to no wipe is none: the slot that stays disabled has it not" {
  local wwid=eui.002538b1000000a2
  make_lab
  gpuaas-approve disable "$(slot 1)" --reason new > "$T/out"
  gpuaas-approve retire "$(slot 1)" --reason new > "$T/out"
  mkfs.ext4 -qF "$T/work/disks/nvme1n1"
  setup_host lab1 gpu.1.reset_method=
  run_status 1 here bash -c "gpuaas-discover | gpuaas-approve --slot 1 --destroy-data $wwid"
  assert_stderr "stays disabled, and --destroy-data allows nothing"
  # An earlier permission does not destroy data that came later.
  mkfs.ext4 -qF -L PRECIOUS "$T/work/disks/nvme1n1"
  setup_host lab1
  here bash -c 'gpuaas-discover | gpuaas-approve --record-only' > "$T/out"
  run_status 1 here bash -c "gpuaas-approve enable $(gpuaas-list slots --where state=disabled | jq -r .slot)"
  assert_stderr nvme_signature
  blkid -o value -s LABEL "$T/work/disks/nvme1n1" > "$T/label"
  assert_equal "$(< "$T/label")" PRECIOUS
}

@test "enable and repair give a slot no other disk than was approved" {
  make_lab
  gpuaas-approve disable "$(slot 1)" --reason swap > "$T/out"
  setup_host lab1 nvme.2.eui=002538b1000000ff
  run here bash -c 'gpuaas-discover | gpuaas-approve --record-only'
  for verb in enable "repair --reason x"; do
    # shellcheck disable=SC2086
    run --separate-stderr here gpuaas-approve ${verb%% *} "$(slot 1)" ${verb#"${verb%% *}"}
    [[ $status -ne 0 || $(jq -r 'select(.kind=="gpuaas.wipe-order/1").nvme_wwid' <<< "$output") == eui.002538b1000000a2 ]]
    assert_equal "$(gpuaas-list slots | jq -r 'select(.slot_index==1).nvme_wwid')" eui.002538b1000000a2
  done
}
