# SPDX-License-Identifier: Apache-2.0
# Release on the host side, with orders written by hand and no state.

load helper
load plan

setup()
{
  common_setup
  setup_host lab1
  make_image 12 5
  wipe_disks
  start_libvirtd
}

provision()
{
  plan "$@" > "$T/plan"
  run_ok in_host gpuaas-provision "$T/plan"
}

release()
{
  in_host bash -c 'gpuaas-release - < "$1"' - "$T/order"
}

open_entries()
{
  host_sql "SELECT op, subject FROM journal WHERE undone = 0 AND object = 'a110c000'"
}

@test "everything provision made is gone, and the wipes are ordered" {
  provision . 2
  release_order . 2 > "$T/order"
  run_ok release
  jq_is .kind $'gpuaas.released/1\ngpuaas.wipe-order/1\ngpuaas.wipe-order/1'
  jq_slurp_is '.[0].steps|map(select(.step=="vm_stopped").outcome)|.[0]' confirmed
  jq_slurp_is '.[0].steps|map(select(.step=="binding").outcome)|unique|join(",")' confirmed
  jq_slurp_is '.[1:]|map(.attempt)|join(" ")' 'w0000000 w0000001'
  jq_slurp_is '.[1:]|map(.cause)|unique|join(" ")' release
  run_ok virsh -q -c "$LIBVIRTD_URI" list --all --name
  refute_output gpuaas-
  run_ok find "$GPUAAS_HOST_DIR/vm" "$T/dhcp" -mindepth 1
  assert_equal "$output" ""
  run_ok open_entries
  assert_equal "$output" ""
}

@test "an order carried out twice says the same and does nothing" {
  provision
  release_order > "$T/order"
  run_ok release
  first=$output
  run_ok release
  assert_equal "$output" "$first"
}

@test "a foreign domain of the same name is left alone" {
  provision
  release_order '.domain = "test"' > "$T/order"
  run_status 4 release
  jq_is '[.kind,.phase,.code]|join(" ")' "gpuaas.failure/1 vm_stopped domain_exists"
  run_ok virsh -q -c "$LIBVIRTD_URI" domstate test
  assert_output running
}

@test "orders that are not to be carried out" {
  provision
  for case in "dry_run:.dry_run = true" "duplicate_identity:.bundles += .bundles" \
    "duplicate_identity:.bundles += [.bundles[0] | .slot = \"aaaaaaaa\"]" \
    "duplicate_identity:.bundles[0].slot = .allocation" "wrong_node:.node = \"n-somewhere\"" \
    "no_wipe_policy:.bundles[0].wipe_attempt = null"; do
    release_order "${case#*:} | .attempt = \"$(printf 'at%06d' "$((RANDOM))")\"" > "$T/order"
    run --separate-stderr release
    jq_is '[.kind,.code]|join(" ")' "gpuaas.failure/1 ${case%%:*}"
    [[ $status -eq 3 || $status -eq 4 ]]
  done
}

@test "a dry run says what would be done and does nothing" {
  provision
  release_order > "$T/order"
  before=$(open_entries)
  run_ok in_host bash -c 'gpuaas-release --dry-run < "$1"' - "$T/order"
  jq_slurp_is 'map(.dry_run)|unique|join(",")' true
  assert_stderr "shut down domain gpuaas-a110c000"
  assert_stderr "undo lease 02:00:00:00:00:01"
  jq_slurp_is '[.[0].steps[] | select(.step == "changes_undone").detail][0]' \
    "$(open_entries | grep -cv disk) entries of the journal"
  assert_equal "$(open_entries)" "$before"
  run_ok virsh -q -c "$LIBVIRTD_URI" domstate gpuaas-a110c000
  assert_output running
}

@test "host.db lost: the order alone takes the domain back" {
  provision
  rm -rf "$GPUAAS_HOST_DIR"
  release_order > "$T/order"
  run_ok release
  run_ok virsh -q -c "$LIBVIRTD_URI" list --all --name
  refute_output gpuaas-
}

@test "libvirt down: a failure, and the same order goes on later" {
  provision
  release_order > "$T/order"
  GPUAAS_LIBVIRT_URI="test+unix:///default?socket=$T/nobody" run_status 9 release
  jq_is '[.phase,.code]|join(" ")' "vm_stopped libvirt_down"
  run_ok release
  jq_slurp_is '.[0].kind' gpuaas.released/1
}

# The host as after the wipe, without what it did since
fresh_host()
{
  rm -rf "$GPUAAS_HOST_DIR"
  wipe_disks
}

@test "killed at every boundary and run again: everything is gone, nothing is written twice" {
  gcc -shared -fPIC -o "$T/kill_at.so" "$SRC/tests/kill_at.c" -ldl
  for signal in 9 15 2; do
    for phase in hold vm_stopped fabric undo devices; do
      provision
      release_order > "$T/order"
      run --separate-stderr in_host env LD_PRELOAD="$T/kill_at.so:libumockdev-preload.so.0" \
        KILL_SIGNAL=$signal KILL_AT="\"phase\":\"$phase\",\"state\":\"finished\"" \
        bash -c 'gpuaas-release --progress json < "$1"' - "$T/order"
      if ((signal == 9)); then assert_status 10; else assert_status 8; fi
      run_ok release
      jq_slurp_is 'map(.kind)|join(" ")' "gpuaas.released/1 gpuaas.wipe-order/1"
      run_ok open_entries
      assert_equal "$output" ""
      run_ok virsh -q -c "$LIBVIRTD_URI" list --all --name
      refute_output gpuaas-
      rm -rf "$WORK/disks"
      fresh_host
    done
  done
}

@test "release, wipe, and the slot's disk is empty again" {
  provision
  release_order > "$T/order"
  run_ok in_host bash -c 'set -o pipefail; gpuaas-release < "$1" | gpuaas-wipe' - "$T/order"
  jq_is '.kind' $'gpuaas.released/1\ngpuaas.wipe-evidence/1'
  jq_slurp_is '.[1].outcome' confirmed
  cmp "$WORK/disks/nvme2n1" <(head -c 16777216 /dev/zero)
}

@test "a GPU that does not answer after its reset: the status says so, its disk is wiped all the same" {
  provision
  release_order > "$T/order"
  gcc -shared -fPIC -o "$T/fast_clock.so" "$SRC/tests/fake/fast_clock.c" -ldl
  # Its ids still read right; its command register reads as ones.
  setup_host lab1 gpu.0.command=ffff
  export FAST_CLOCK=100
  run_status 9 in_host env LD_PRELOAD="$T/fast_clock.so:libumockdev-preload.so.0" \
    bash -c 'gpuaas-release < "$1"' - "$T/order"
  jq_is .kind $'gpuaas.released/1\ngpuaas.wipe-order/1'
  jq_slurp_is '.[0].steps | map(select(.step == "gpu_reset") | "\(.outcome) \(.detail)") | join(",")' \
    "failed '0000:18:00.0' does not answer 60 s after its reset"
  assert_stderr "'a110c000' is released, but step gpu_reset failed"
  assert_stderr "then do what 'gpuaas-list attention' says"
  said=$output
  # The same order again says the same.
  run_status 9 in_host env LD_PRELOAD="$T/fast_clock.so:libumockdev-preload.so.0" \
    bash -c 'gpuaas-release < "$1"' - "$T/order"
  assert_equal "$output" "$said"
  run --separate-stderr in_host env LD_PRELOAD="$T/fast_clock.so:libumockdev-preload.so.0" \
    bash -c 'gpuaas-release < "$1" | gpuaas-wipe' - "$T/order"
  jq_slurp_is '.[1] | [.kind, .gpu_reset.outcome, (.read_back.bytes_read | tostring)] | join(" ")' \
    "gpuaas.wipe-evidence/1 failed 16777216"
  cmp "$WORK/disks/nvme2n1" <(head -c 16777216 /dev/zero)
}

@test "the method of the reset stands in the released record" {
  provision
  release_order > "$T/order"
  run_ok release
  jq_slurp_is '.[0].steps | map(select(.step == "gpu_reset") | .detail | sub(", .*"; "")) | join(",")' \
    "0000:18:00.0 by bus reset"
}

@test "a tenant's user-data is gone after release" {
  mkdir -p "$GPUAAS_HOST_DIR/user-data"
  printf 'hunter2\n' > "$T/ud"
  digest=$(sha256sum "$T/ud" | cut -d' ' -f1)
  cp "$T/ud" "$GPUAAS_HOST_DIR/user-data/$digest"
  provision ".user_data_digest = \"sha256:$digest\""
  release_order > "$T/order"
  run_ok release
  refute_grep -rq hunter2 "$GPUAAS_HOST_DIR"
}

@test "bare metal: the operator's executables, and proof of a trusted image" {
  export GPUAAS_BAREMETAL_DIR=$T/metal
  mkdir -p "$T/metal/deploy" "$T/metal/release"
  metal='.shape = "baremetal" | .image = null'
  plan "$metal" > "$T/plan"
  run_status 7 in_host gpuaas-provision "$T/plan"
  jq_is .code no_hooks
  fresh_host
  printf '#!/bin/sh\ncat > "%s/seen"\necho \x27{"address":"192.0.2.7"}\x27\n' "$T" > "$T/metal/deploy/10-deploy"
  chmod 775 "$T/metal/deploy/10-deploy"
  plan "$metal" > "$T/plan"
  run_status 6 in_host gpuaas-provision "$T/plan"
  jq_is .code hook_unsafe
  chmod 755 "$T/metal/deploy/10-deploy"
  # Anybody could swap the target of a link, and a file in a folder of everybody's.
  mv "$T/metal/deploy/10-deploy" "$T/deploy"
  ln -s "$T/deploy" "$T/metal/deploy/10-deploy"
  fresh_host
  run_status 6 in_host gpuaas-provision "$T/plan"
  jq_is '.code + (.sentence | if contains("symbolic link") then " link" else . end)' "hook_unsafe link"
  mv "$T/deploy" "$T/metal/deploy/10-deploy"
  chmod 777 "$T/metal/deploy"
  fresh_host
  run_status 6 in_host gpuaas-provision "$T/plan"
  jq_is .code hook_unsafe
  chmod 755 "$T/metal/deploy"
  # A file that an editor or dpkg leaves behind does not run, as with every other hook.
  for name in 10-deploy~ 10-deploy.dpkg-old .10-deploy.swp; do
    printf '#!/bin/sh\ntouch "%s/ran-%s"\n' "$T" "$name" > "$T/metal/deploy/$name"
    chmod 755 "$T/metal/deploy/$name"
  done
  fresh_host
  run_ok in_host gpuaas-provision "$T/plan"
  jq_is '.state+" "+.access.address' "active 192.0.2.7"
  assert_equal "$(find "$T" -maxdepth 1 -name 'ran-*')" ""
  assert_equal "$(jq -r .allocation "$T/seen")" a110c000
  release_order '.shape = "baremetal"' > "$T/order"
  printf '#!/bin/sh\necho \x27{"boot_id":"1ab10000-0000-4000-8000-000000000001","image":"base"}\x27\n' \
    > "$T/metal/release/10-back"
  chmod 755 "$T/metal/release/10-back"
  run_status 4 release
  jq_is .code untrusted_host
  # A machine that was booted anew, and that nobody can compare with the one that was approved.
  answer='"boot_id":"new","image":"base"'
  printf '#!/bin/sh\necho \x27{%s}\x27\n' "$answer" > "$T/metal/release/10-back"
  run_status 4 release
  assert_output "neither the order nor this host has the fingerprint of its hardware"
  approved=sha256:$(printf '%064d' 7)
  release_order ".shape = \"baremetal\" | .attempt = \"attempt2\" | .fingerprint = \"$approved\"" \
    > "$T/order"
  run_status 4 release
  assert_output "the fingerprint of its hardware was not reported"
  # The order names no boot: the plan of this host does.
  release_order ".shape = \"baremetal\" | .attempt = \"attempt3\" | .fingerprint = \"$approved\" |
    del(.boot_id)" > "$T/order"
  printf '#!/bin/sh\necho \x27{%s,"fingerprint":"%s"}\x27\n' \
    "${answer/new/1ab10000-0000-4000-8000-000000000001}" "$approved" > "$T/metal/release/10-back"
  run_status 4 release
  assert_output "it was not booted since it was handed over"
  printf '#!/bin/sh\necho \x27{%s,"fingerprint":"%s"}\x27\n' "$answer" "$approved" \
    > "$T/metal/release/10-back"
  run_ok release
  jq_slurp_is '.[0].steps|map(.step+" "+.outcome)|join(",")' "trusted_host confirmed"
}

# fabric: the fake Fabric Manager beside the recorded host; what it says is active
fabric()
{
  export GPUAAS_LIBNVFM=$T/libnvfm.so.1 GPUAAS_FAKE_FABRIC=$HOST/fabric.json
  [[ -e $GPUAAS_LIBNVFM ]] || gcc -shared -fPIC -D_GNU_SOURCE -iquote "$SRC/lib" \
    -o "$GPUAAS_LIBNVFM" "$SRC/tests/fake/libnvfm.c" -ljansson
}

active_partitions()
{
  cat "$HOST/fabric.json.active" 2> /dev/null || :
}

@test "the fabric partition is active while the allocation lives" {
  fabric
  id=$(jq '.partitions[0].id' "$HOST/fabric.json")
  provision ".fabric_partition = $id" 2
  assert_equal "$(active_partitions)" "$id"
  release_order ".fabric_partition = $id" 2 > "$T/order"
  run_ok release
  jq_slurp_is '.[0].steps|map(select(.step=="fabric_partition").outcome)|.[0]' confirmed
  assert_equal "$(active_partitions)" ""
}

@test "a partition that Fabric Manager does not know, or will not activate, fails in fabric" {
  fabric
  plan '.fabric_partition = 999' > "$T/plan"
  run_status 5 in_host gpuaas-provision "$T/plan"
  jq_is '[.phase,.code]|join(" ")' "fabric fabric_partition_unknown"
  # A host that never wrote to the disk.
  fresh_host
  truncate -s 0 "$WORK/disks/nvme2n1"
  truncate -s 16777216 "$WORK/disks/nvme2n1"
  echo 1 > "$HOST/fabric.json.fail"
  id=$(jq '.partitions[0].id' "$HOST/fabric.json")
  plan ".fabric_partition = $id" > "$T/plan"
  run --separate-stderr in_host gpuaas-provision "$T/plan"
  assert_status 9
  jq_is .phase fabric
  release_order . > "$T/order"
  run_ok release
  run_ok open_entries
  assert_equal "$output" ""
}

# placed NAME…: an allocation of that name each, placed, on a fleet with a state.
placed()
{
  local name
  gpuaas-state init --lab > "$T/init"
  cat "$SRC/share/objects/lab.json" - << 'END' | gpuaas-state apply - > "$T/applied"
{"kind":"gpuaas.image/1","name":"lab","digest":"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","format":"raw","file_bytes":1048576,"size_bytes":1048576,"firmware":"bios","probe":"running","user":"ubuntu"}
END
  setup_host h200
  in_host gpuaas-discover | "$SRC/tests/fleet" 1 4 > "$T/fleet.rec"
  mv "$T/images" "$T/images.lab" # wiped_fleet writes a file of that name
  wiped_fleet
  for name; do
    gpuaas-place --profile lab --project vision --name "$name" > "$T/plan"
  done
}

states()
{
  gpuaas-list allocations | jq -r '"\(.name) \(.state)"' | sort | paste -sd ' '
}

@test "the name of an ended allocation is never taken for the beginning of another one's id" {
  placed d
  id=$(jq -r .allocation "$T/plan")
  gpuaas-place --profile lab --project vision --name "${id:0:3}" > "$T/plan"
  run_ok gpuaas-release "${id:0:3}"
  run_status 4 gpuaas-release "${id:0:3}"
  run_ok gpuaas-show "${id:0:4}" --json
  jq_slurp_is '.[0].state' placed
}

@test "several allocations: each by itself, those that meet a condition, and the first bad status" {
  placed a b c d
  run_status 5 gpuaas-release a nosuch b a
  jq_is '"\(.name) \(.state)"' $'a cancelled\nb cancelled'
  assert_stderr "there is no allocation 'nosuch'"
  run_status 4 gpuaas-release a c
  jq_is .name c
  assert_equal "$(states)" "a cancelled b cancelled c cancelled d placed"
  run_ok gpuaas-release --where project=vision --dry-run
  jq_is .name d
  # In a pipe --yes says that the conditions are meant.
  run_status 2 gpuaas-release --where project=vision
  assert_stderr "--yes is missing: --where may match more than is meant"
  assert_equal "$(states)" "a cancelled b cancelled c cancelled d placed"
  run_ok gpuaas-release --where project=vision --yes
  jq_is .name d
  run_ok gpuaas-release --where project=vision --yes
  assert_stderr "no allocation meets the conditions: nothing was done"
  run_status 2 gpuaas-release --where project=vision --pending --yes
  run_status 2 gpuaas-release a --where project=vision --yes
  run_ok gpuaas-state check
}

@test "a condition with a name that no object has is refused: it would match everything, or less than is meant" {
  local condition
  placed a b
  for condition in 'node!=h77' "node=$(gpuaas-list nodes --limit 1 -o name),h77" 'allocation!=jobb1' 'allocation=a,jobb1' \
    'name!=jobb1' name=a,jobb1; do
    run_status 5 gpuaas-release --where "$condition" --yes
    assert_stderr "there is no "
    run_status 5 gpuaas-release --where state=placed --where "$condition" --dry-run
    assert_equal "$output" ""
  done
  assert_equal "$(states)" "a placed b placed"
  # An id is no name: with != the condition would take the very one that is to be kept.
  local id
  id=$(gpuaas-list allocations --where name=a -o name)
  for condition in "name!=$id" "name!=${id:0:6}" "name=$id"; do
    run_status 5 gpuaas-release --where "$condition" --yes
    assert_stderr "no allocation has the name '${condition##*=}': an id begins so"
    assert_stderr "=$id means that one"
  done
  run_status 5 gpuaas-approve cordon --reason x --where 'claim!=nosuch'
  assert_stderr "no slot has the claim 'nosuch'"
  assert_equal "$(states)" "a placed b placed"
  run_ok gpuaas-release --where 'allocation!=a' --where 'name!=null' --yes
  jq_is .name b
}

@test "on a terminal conditions show what they match, and the number is typed" {
  local typed
  placed a b
  run script -qec 'gpuaas-release --where project=vision' "$T/typescript" <<< "1"
  assert_output "a of project vision: placed on"
  assert_output "type their number, 2, to go on"
  assert_output "nothing was done: that is not their number"
  assert_equal "$(states)" "a placed b placed"
  run script -qec 'gpuaas-release --where project=vision' "$T/typescript" < /dev/null
  assert_equal "$(states)" "a placed b placed"
  for typed in +2 ' 2' 02 -18446744073709551614 2x 0x2; do
    run script -qec 'gpuaas-release --where project=vision' "$T/typescript" <<< "$typed"
    assert_output "nothing was done: that is not their number"
    assert_equal "$typed: $(states)" "$typed: a placed b placed"
  done
  run script -qec 'gpuaas-release --where project=vision' "$T/typescript" <<< "2"
  assert_equal "$(states)" "a cancelled b cancelled"
}

# in_use NAME: the allocation is active on its host.
in_use()
{
  gpuaas-list allocations --where "name=$1" | jq_in_order -c '.state = "active" | .power_observed = "on"' > "$T/result"
  by_node < "$T/result" | gpuaas-state fold - > "$T/folded"
}

@test "an allocation that does not meet the conditions any more when its turn comes is left alone" {
  local b d
  placed a b c
  b=$(gpuaas-list allocations --where name=b -o name)
  stopped_at '"name":"a"' gpuaas-release --where state=placed --where project=vision --yes --json
  in_use b
  goes_on
  assert_status 0
  assert_equal "$stderr" "allocation $b is not changed: it does not meet the conditions any more"
  assert_equal "$(states)" "a cancelled b active c cancelled"
  # One that another command has ended is left alone, too.
  d=$(gpuaas-place --profile lab --project vision --name d | jq -r .allocation)
  in_use d
  stopped_at 'gpuaas.hold-order/1' gpuaas-release --where state=active --hold 1h --yes --json
  gpuaas-release d --yes > "$T/released"
  goes_on
  assert_status 0
  assert_equal "$stderr" "allocation $d is not changed: it does not meet the conditions any more"
  assert_equal "$(states)" "a cancelled b held c cancelled d releasing"
  run_ok gpuaas-state check
}

@test "conditions do not replace the names: data is destroyed only of an allocation whose name is typed" {
  placed a b
  in_use a
  in_use b
  assert_equal "$(states)" "a active b active"
  run script -qec 'gpuaas-release --where project=vision' "$T/typescript" < <(printf '2\na\nno\n')
  assert_output "everything on the disks of"
  assert_equal "$(states)" "a releasing b active"
  run_ok gpuaas-release --where project=vision --where state=active --yes
  assert_equal "$(states)" "a releasing b releasing"
}
