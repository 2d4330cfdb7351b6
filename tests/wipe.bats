#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gpuaas-wipe on recorded hosts, and on real block devices where the machine has loop devices.

load helper

WWID1=eui.002538b1000000a1 # nvme2n1 of lab1
NVME=1 # its row in the facts
WWID2=eui.002538b1000000a2 # nvme1n1

setup()
{
  common_setup
  export GPUAAS_NODE=n1
}

teardown()
{
  [[ -z ${NODE-} ]] || rm -f -- "$NODE"
  [[ -z ${LOOP-} ]] || losetup -d "$LOOP"
  common_teardown
}

# order [JQ-CHANGE…]: a wipe order for the first disk of lab1
order()
{
  local IFS='|'
  jq_in_order -cn --arg wwid "$WWID1" '{kind: "gpuaas.wipe-order/1", node: "n1", object: "aaaaaaa1",
    claim: null, allocation: null, generation: 3, attempt: "bbbbbbb1", dry_run: false,
    issued_at: "2026-11-20T19:00:00.000000Z", cause: "release", nvme_wwid: $wwid,
    nvme_serial: null, nvme_path: "/dev/nvme2n1", nvme_size_bytes: 16777216, destroy_data: null,
    gpu_identity: null, gpu_pci_address: null, gpu_device: null, fabric_vf_pci_address: null,
    fabric_pf_pci_address: null,
    wipe: {minimum_class: "clear", verify: "full", gpu_memory: "if_supported"}, lab: true} | '"${*:-.}"
}

# open_in_sleep FILE: somebody has it open
open_in_sleep()
{
  sleep 1000 < "$1" &
  BG+=($!)
  wait_for 10 grep -qx sleep "/proc/${BG[-1]}/comm"
}

end_last()
{
  kill "${BG[-1]}"
  wait_for 10 has_ended "${BG[-1]}"
}

# wipe STATUS [JQ-CHANGE…]: carries out such an order
wipe()
{
  order "${@:2}" > "$T/order"
  run_status "$1" in_host gpuaas-wipe "$T/order"
}

disk()
{
  echo "$WORK/disks/${1:-nvme2n1}"
}

# Fills the disk with other bytes than zero.
fill()
{
  head -c 16777216 /dev/zero | tr '\0' 'x' > "$(disk "${1:-}")"
}

make_lab()
{
  setup_host lab1 "$@"
  in_host true # makes the disks
  fill
  fill nvme1n1
}

is_zero()
{
  cmp -s "$(disk "${1:-}")" <(head -c 16777216 /dev/zero)
}

is_full()
{
  cmp -s "$(disk "${1:-}")" <(head -c 16777216 /dev/zero | tr '\0' 'x')
}

@test "an order is carried out and proved" {
  make_lab
  wipe 0
  jq_is .outcome confirmed
  jq_is .class clear
  jq_is '[.attempts[] | .method + " " + .outcome] | join(",")' 'zeroout confirmed'
  jq_is '.markers | [.written > 60, .surviving, .unreadable] | @csv' true,0,0
  jq_is '.read_back | [.verify, .bytes_read, .mismatches] | @csv' '"full",16777216,0'
  jq_is .device.medium file
  jq_is .lab true
  jq_is '[.guard[] | select(.outcome == "failed")] | length' 0
  is_zero
  is_full nvme1n1
}

@test "a confirmed order answers again and touches nothing" {
  make_lab
  wipe 0
  first=$output
  fill
  wipe 0
  assert_equal "$output" "$first"
  is_full
}

@test "the same attempt with another text is refused" {
  make_lab
  wipe 0
  wipe 4 '.generation = 4'
  assert_stderr "another text"
}

@test "evidence is a chain" {
  make_lab
  wipe 0
  first=$(jq -r .digest <<< "$output")
  wipe 0 '.attempt = "bbbbbbb2"'
  jq_is .previous_digest "$first"
}

@test "dry-run orders and orders for others are refused" {
  make_lab
  wipe 4 '.dry_run = true'
  assert_stderr "dry run"
  assert_equal "$output" ""
  wipe 4 '.node = "n2"'
  assert_stderr "is for node 'n2'"
  is_full
}

@test "every refusal ends in evidence and leaves the disk alone" {
  make_lab
  while IFS=$'\t' read -r status change reason; do
    wipe "$status" "$change"
    jq_is .outcome not_started
    jq_is .class none
    jq_is '.reason | split(":")[0]' "$reason"
    jq_is .markers null
    is_full
  done << 'CASES'
4	.attempt = "ccccccc1" | .lab = false	nvme_not_block
4	.attempt = "ccccccc2" | .nvme_size_bytes = 16777215	size_changed
4	.attempt = "ccccccc3" | .nvme_wwid = "eui.0"	found
7	.attempt = "ccccccc4" | .wipe.minimum_class = "purge"	policy_not_reachable
CASES
}

@test "a disk in use is refused" {
  for fact in mount=/data holder=dm-0; do
    make_lab "nvme.$NVME.$fact"
    : $((++n))
    wipe 4 ".attempt = \"ccccccc$n\""
    jq_is .outcome not_started
    jq_is '.reason | split(":")[0] | IN("nvme_mounted", "nvme_in_use")' true
    is_full
  done
}

@test "a disk that a process has open is refused, and who it is" {
  make_lab
  open_in_sleep "$(disk)"
  wipe 4
  jq_is .outcome not_started
  assert_output "(sleep) has it open"
  is_full
}

@test "a disk that a domain is defined with is refused" {
  make_lab
  start_libvirtd
  cat > "$T/domain.xml" << 'XML'
<domain type='test'><name>somebody</name><memory unit='MiB'>64</memory><os><type>hvm</type></os>
<devices><disk type='block' device='disk'><source dev='/dev/nvme2n1'/><target dev='vda'/></disk></devices>
</domain>
XML
  virsh -q -c "$LIBVIRTD_URI" define "$T/domain.xml"
  wipe 4
  jq_is .reason 'nvme_in_use: libvirt domain somebody uses it'
  is_full
  virsh -q -c "$LIBVIRTD_URI" undefine somebody
  wipe 0
  jq_is '.guard[] | select(.step == "domains").outcome' confirmed
}

@test "foreign content needs its own permission at the first wipe only" {
  make_lab
  mkfs.ext4 -q "$(disk)" 16M
  wipe 4 '.cause = "first"'
  jq_is '.reason | split(":")[0]' nvme_signature
  assert_output ext4
  wipe 4 '.cause = "first"' '.attempt = "ccccccc1"' '.destroy_data = "eui.other"'
  wipe 0 '.cause = "first"' '.attempt = "ccccccc2"' ".destroy_data = \"$WWID1\""
  jq_is '.guard[] | select(.step == "signatures").detail | contains("ext4")' true
  is_zero
  mkfs.ext4 -q "$(disk)" 16M
  wipe 0 '.attempt = "ccccccc3"'
  jq_is '.guard[] | select(.step == "signatures").detail | contains("expected")' true
}

@test "a dry run shows the plan and touches nothing" {
  make_lab
  order > "$T/order"
  run_status 0 in_host gpuaas-wipe --dry-run "$T/order"
  jq_is .dry_run true
  jq_is .outcome not_started
  jq_is '[.attempts[] | select(.detail | startswith("planned")).method] | join(",")' zeroout
  run_status 0 in_host gpuaas-wipe --dry-run --table "$T/order"
  assert_output "identity  $WWID1"
  assert_output "read-back (full) about"
  is_full
  [[ ! -e $GPUAAS_HOST_DIR ]]
}

@test "other records pass, several disks go side by side" {
  make_lab
  {
    echo '{"kind":"gpuaas.nothing/1","a":1}'
    order
    order '.object = "aaaaaaa2"' '.attempt = "bbbbbbb2"' ".nvme_wwid = \"$WWID2\""
    echo '{"kind":"gpuaas.nothing/1","a":2}'
  } > "$T/orders"
  run_status 0 in_host gpuaas-wipe --jobs 2 "$T/orders"
  jq_slurp_is 'map(select(.outcome == "confirmed")) | length' 2
  jq_slurp_is 'map(select(.a)) | map(.a) | @csv' 1,2
  is_zero
  is_zero nvme1n1
}

@test "a bad line ends the stream, orders before it stand" {
  make_lab
  { order; echo 'no record'; } > "$T/orders"
  run_status 3 in_host gpuaas-wipe "$T/orders"
  assert_stderr "line 2"
  jq_is .outcome confirmed
  is_zero
}

@test "what was refused waits for --pending" {
  make_lab
  open_in_sleep "$(disk)"
  wipe 4
  end_last
  run_status 0 in_host gpuaas-wipe --pending
  jq_is .outcome confirmed
  is_zero
  run_status 0 in_host gpuaas-wipe --pending
  assert_equal "$output" ""
}

@test "orders that wait for their turn are not lost with the terminal" {
  [[ $(id -u) -eq 0 ]] || skip "an operator's method must belong to root"
  make_lab
  mkdir "$T/scrub"
  mkfifo "$T/never"
  exec 8<> "$T/never"
  cat > "$T/scrub/10de:2335" <<END
#!/bin/bash
: > "$T/began"
until [[ -e $T/go ]]; do read -rt 0.05 < "$T/never" || :; done
END
  chmod 755 "$T/scrub/10de:2335"
  export GPUAAS_GPU_SCRUB_DIR=$T/scrub
  {
    order '.gpu_pci_address = "0000:18:00.0"' '.gpu_device = "10de:2335"'
    order '.object = "aaaaaaa2"' '.attempt = "bbbbbbb2"' ".nvme_wwid = \"$WWID2\"" \
      '.nvme_path = "/dev/nvme1n1"'
    order '.object = "aaaaaaa3"' '.attempt = "bbbbbbb3"' '.node = "n2"'
  } > "$T/orders"
  background in_host gpuaas-wipe --jobs 1 "$T/orders" > "$T/out" 2> "$T/words"
  wait_for 30 test -e "$T/began"
  is_full nvme1n1
  # The terminal is closed: all of it ends at once.
  mapfile -t all < <(ps -eo pid=,args= | awk -v t="$T/orders" 'index($0, "gpuaas-wipe --jobs 1 " t) { print $1 }')
  ((${#all[@]} >= 2))
  kill -9 "${all[@]}" || :
  for pid in "${all[@]}"; do
    wait_for 10 has_ended "$pid"
  done
  : > "$T/go"
  exec 8>&-
  is_full nvme1n1
  # The order of another node is none of this host's.
  run_status 0 in_host gpuaas-wipe --pending
  jq_slurp_is 'map(.attempt+" "+.outcome)|sort|join(", ")' "bbbbbbb1 confirmed, bbbbbbb2 confirmed"
  is_zero
  is_zero nvme1n1
}

# A large disk, so that there is time to interrupt its read-back.
make_large()
{
  setup_host lab1
  in_host true
  file=$T/large
  truncate -s 8G "$file"
  id=$(gpuaas-wipe --device "$file" --dry-run | jq -r .device.wwid)
}

in_read_back()
{
  grep -q '"phase":"read_back","state":"started"' "$T/out"
}

@test "SIGTERM ends in evidence: failed, interrupted" {
  make_large
  gpuaas-wipe --device "$file" --confirm "$id" --class clear --progress json > "$T/out" 3>&- &
  pid=$!
  BG+=("$pid")
  wait_for 30 in_read_back
  kill -TERM "$pid"
  status=0
  wait "$pid" || status=$?
  assert_equal "$status" 8
  output=$(tail -1 "$T/out")
  jq_is .outcome failed
  jq_is '.reason | split(":")[0]' interrupted
  jq_is .read_back.finished_at null
}

@test "one worker a disk, and SIGKILL leaves a disk that can be wiped again" {
  make_large
  gpuaas-wipe --device "$file" --confirm "$id" --class clear --progress json > "$T/out" 3>&- &
  pid=$!
  BG+=("$pid")
  wait_for 30 in_read_back
  kill -STOP "$pid"
  run_status 4 gpuaas-wipe --device "$file" --confirm "$id" --class clear
  jq_is '.reason | split(":")[0]' nvme_in_use
  kill -KILL "$pid"
  wait_for 10 has_ended "$pid"
  run_status 0 gpuaas-wipe --device "$file" --confirm "$id" --class clear
  jq_is .outcome confirmed
}

@test "an order killed anywhere starts over" {
  command -v strace > /dev/null || skip "strace is missing"
  make_lab
  # 137: as the order is kept; 10: its worker.
  while read -r call when ends; do
    fill
    : $((++n))
    order ".attempt = \"$(printf 'eeeeee%02d' "$n")\"" > "$T/order"
    # A leak check cannot run under strace.
    ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 run in_host strace -f -qq -o "$T/strace" -e "trace=$call" \
      -e "inject=$call:signal=KILL:when=$when" gpuaas-wipe "$T/order"
    echo "$call $when: $status $output"
    assert_equal "$status" "$ends"
    grep -q SIGKILL "$T/strace"
    run_status 0 in_host gpuaas-wipe "$T/order"
    jq_is .outcome confirmed
    is_zero
  done << 'POINTS'
mkdir 1 137
flock 1 137
pwrite64 5 137
pwrite64 40 10
fallocate 1 10
fdatasync 4 137
fdatasync 7 10
pread64 90 10
fdatasync 9 10
POINTS
}

@test "stopped at every phase and run again: never called clean before it is proved" {
  make_lab
  gcc -shared -fPIC -o "$T/kill_at.so" "$SRC/tests/kill_at.c" -ldl
  order '.attempt = "eeeeeee0"' > "$T/order"
  run_ok in_host gpuaas-wipe --progress json "$T/order"
  mapfile -t phases < <(jq -r 'select(.state == "finished") | .phase' <<< "$output")
  ((${#phases[@]} >= 8))
  for signal in 9 15 2; do
    for phase in "${phases[@]}"; do
      fill
      : $((++n))
      order ".attempt = \"$(printf 'eeeeee%02d' "$n")\"" > "$T/order"
      run --separate-stderr in_host env LD_PRELOAD="$T/kill_at.so:libumockdev-preload.so.0" \
        KILL_SIGNAL=$signal KILL_AT="\"phase\":\"$phase\",\"state\":\"finished\"" \
        gpuaas-wipe --progress json "$T/order"
      echo "$signal after $phase: $status"
      grep -q "\"phase\":\"$phase\",\"state\":\"finished\"" <<< "$output"
      outcome=$(jq -r 'select(.outcome) | .outcome' <<< "$output")
      case $signal,$phase in
      9,*) assert_equal "$status $outcome" "10 " ;;
      *,guard | *,settle) assert_equal "$status $outcome" "8 not_started" ;;
      # Proved already: what is left takes no time.
      *,identity | *,gpu_* | *,vf_state) assert_equal "$status $outcome" "0 confirmed" ;;
      *) assert_equal "$status $outcome" "8 failed" ;;
      esac
      run_ok in_host gpuaas-wipe "$T/order"
      jq_is .outcome confirmed
      is_zero
    done
  done
}

@test "alone: the identity must be confirmed" {
  make_lab
  run_status 2 in_host gpuaas-wipe --device /dev/nvme2n1
  assert_stderr "--dry-run"
  run_status 4 in_host gpuaas-wipe --device /dev/nvme2n1 --confirm "$WWID2"
  run_status 5 in_host gpuaas-wipe --device eui.0 --confirm eui.0
  run_status 2 in_host gpuaas-wipe --confirm "$WWID2"
  run_status 2 in_host gpuaas-wipe --device /dev/nvme2n1 --pending
  is_full
  run_status 0 in_host gpuaas-wipe --device "$WWID1" --confirm "$WWID1" --class clear
  jq_is .outcome confirmed
  jq_is .cause alone
  jq_is .object null
  is_zero
  is_full nvme1n1
}

@test "sampled read-back says what could remain" {
  truncate -s 1G "$T/file"
  id=$(gpuaas-wipe --device "$T/file" --dry-run | jq -r .device.wwid)
  run_status 0 gpuaas-wipe --device "$T/file" --confirm "$id" --class clear --verify sampled
  jq_is '.read_back | [.verify, .remnant_bound_ppb] | @csv' '"sampled",1123678'
  jq_is '.read_back.bytes_read < .device.size_bytes' true
  evidence=$(jq -r .evidence <<< "$output")
  run_status 0 gpuaas-wipe --certificate "$evidence"
  assert_output "0.112368 % of the disk at 99 % confidence"
}

@test "alone: no state and no folder to keep evidence in are needed" {
  make_lab
  touch "$T/file"
  export GPUAAS_HOST_DIR=$T/file/hostdir
  run_status 0 in_host gpuaas-wipe --device "$WWID1" --confirm "$WWID1" --class clear
  jq_is .outcome confirmed
  jq_is '.digest | startswith("sha256:")' true
  assert_stderr "not kept"
}

@test "the boot disk is refused" {
  make_lab
  wwid=eui.0025384000000001
  run_status 4 in_host gpuaas-wipe --device "$wwid" --confirm "$wwid" --class clear
  jq_is '.reason | split(":")[0]' nvme_mounted
}

@test "the certificate says what was proved and names no hardware" {
  make_lab
  wipe 0
  evidence=$(jq -r .evidence <<< "$output")
  serial=$(jq -r .device.serial <<< "$output")
  for key in "$evidence" aaaaaaa1 bbbbbbb1; do
    run_status 0 in_host gpuaas-wipe --certificate "$key"
    assert_output "$evidence"
    assert_output "16777216 of 16777216 bytes read, 0 blocks not zero"
    refute_output "$serial"
    refute_output "$WWID1"
    refute_output 0000:
  done
  run_status 5 in_host gpuaas-wipe --certificate nothing1
}

@test "GPU: reset, memory by the operator's method, fabric function" {
  make_lab
  gpu='.gpu_pci_address = "0000:18:00.0" | .gpu_device = "10de:2335"'
  wipe 0 "$gpu"
  jq_is .gpu_reset.outcome confirmed
  jq_is .gpu_memory.outcome not_proven
  wipe 7 "$gpu" '.attempt = "ccccccc1"' '.wipe.gpu_memory = "required"'
  jq_is .outcome failed
  jq_is '.reason | split(":")[0]' gpu_memory_not_proven
  # Another device than ordered is not touched.
  wipe 0 "$gpu" '.attempt = "ccccccc2"' '.gpu_device = "10de:0000"'
  jq_is .gpu_reset.outcome failed
  [[ $(id -u) -eq 0 ]] || skip "an operator's method must belong to root"
  export GPUAAS_GPU_SCRUB_DIR=$T/scrub
  mkdir "$T/scrub"
  printf '#!/bin/sh\necho "cleared $1"\n' > "$T/scrub/10de:2335"
  chmod 755 "$T/scrub/10de:2335"
  wipe 0 "$gpu" '.attempt = "ccccccc3"' '.wipe.gpu_memory = "required"'
  jq_is .gpu_memory.outcome confirmed
  jq_is '.gpu_memory.detail | endswith("cleared 0000:18:00.0")' true
  chmod 777 "$T/scrub/10de:2335"
  wipe 7 "$gpu" '.attempt = "ccccccc4"' '.wipe.gpu_memory = "required"'
  jq_is .gpu_memory.outcome not_proven
  jq_is '.gpu_memory.detail | endswith("others than its owner may write it")' true
  # What a link names, and what stands in a folder of everybody's, could be swapped.
  mv "$T/scrub/10de:2335" "$T/method"
  chmod 755 "$T/method"
  ln -s "$T/method" "$T/scrub/10de:2335"
  wipe 7 "$gpu" '.attempt = "ccccccc5"' '.wipe.gpu_memory = "required"'
  jq_is '.gpu_memory | [.outcome, (.detail | contains("symbolic link"))] | tostring' '["not_proven",true]'
  mv "$T/method" "$T/scrub/10de:2335"
  chmod 777 "$T/scrub"
  wipe 7 "$gpu" '.attempt = "ccccccc6"' '.wipe.gpu_memory = "required"'
  jq_is '.gpu_memory | [.outcome, (.detail | contains("could put hooks into"))] | tostring' '["not_proven",true]'
}

@test "a method that fails is no proof, whatever signals a parent ignores" {
  [[ $(id -u) -eq 0 ]] || skip "an operator's method must belong to root"
  make_lab
  export GPUAAS_GPU_SCRUB_DIR=$T/scrub
  mkdir "$T/scrub"
  printf '#!/bin/sh\nexit 3\n' > "$T/scrub/10de:2335"
  chmod 755 "$T/scrub/10de:2335"
  order '.gpu_pci_address = "0000:18:00.0"' '.gpu_device = "10de:2335"' \
    '.wipe.gpu_memory = "required"' > "$T/orders"
  # bash -c, not a function: what is ignored stays so over exec.
  run_status 7 in_host timeout 60 bash -c "trap '' CHLD; exec gpuaas-wipe $T/orders"
  jq_is '[.outcome, .gpu_memory.outcome, (.gpu_memory.detail | contains("status 3"))] | tostring' \
    '["failed","failed",true]'
  run_status 7 in_host timeout 60 bash -c "trap '' CHLD; exec gpuaas-wipe --jobs 2 $T/orders"
}

@test "a GPU that the host's driver uses is left alone" {
  make_lab gpu.0.driver=nvidia
  wipe 0 '.gpu_pci_address = "0000:18:00.0"'
  jq_is .gpu_reset.outcome not_proven
  jq_is '.gpu_reset.detail | contains("nvidia")' true
}

# ---- real block devices ----

make_loop()
{
  [[ $(id -u) -eq 0 ]] || skip "loop devices need root"
  truncate -s 32M "$T/backing"
  LOOP=$(losetup -P -f --show "$T/backing" 2> /dev/null) || skip "no loop device"
  id=$(gpuaas-wipe --device "$LOOP" --dry-run | jq -r .device.wwid)
  IN=()
  mkdir "$T/mnt"
}

alone()
{
  run_status "$1" "${IN[@]}" gpuaas-wipe --device "$LOOP" --confirm "$id" --class clear
}

# mounted DEV: on $T/mnt, in a mount namespace of its own. In ours another test's new namespace would take a copy
# with it, and DEV would stay mounted there.
mounted()
{
  unshare -m sh -c 'mount "$1" "$2/mnt" && : > "$2/up" && exec sleep 1000' - "$1" "$T" &
  BG+=($!)
  wait_for 10 test -e "$T/up"
  run ! mountpoint -q "$T/mnt"
}

@test "loop device: wiped" {
  make_loop
  head -c 32M /dev/zero | tr '\0' 'x' > "$LOOP"
  run_status 7 gpuaas-wipe --device "$LOOP" --confirm "$id"
  jq_is '.reason | split(":")[0]' policy_not_reachable
  alone 0
  jq_is .outcome confirmed
  jq_is .device.medium block
  jq_is '.device | .diskseq_before == .diskseq_after and .diskseq_before != null' true
  cmp "$LOOP" <(head -c 32M /dev/zero)
}

@test "loop device: mounted, in use as swap, open" {
  make_loop
  mkfs.ext4 -q "$LOOP"
  mounted "$LOOP"
  IN=(nsenter -t "${BG[-1]}" -m)
  alone 4
  assert_output "nvme_mounted: ${LOOP#/dev/} is mounted on $T/mnt"
  end_last
  IN=()
  open_in_sleep "$LOOP"
  alone 4
  assert_output "(sleep) has it open"
  end_last
  blkid "$LOOP" | grep -q ext4
  alone 0
}

@test "loop device: a mount in another namespace" {
  make_loop
  mkfs.ext4 -q "$LOOP"
  mounted "$LOOP"
  alone 4
  assert_output "nvme_mounted"
}

@test "loop device: a partition mounted; a partition is no disk" {
  make_loop
  addpart "$LOOP" 1 2048 32768
  sys=/sys/class/block/${LOOP#/dev/}p1
  IFS=: read -r major minor < "$sys/dev"
  # Where nothing makes nodes: one, removed with the device.
  [[ -b ${LOOP}p1 ]] || { mknod "${LOOP}p1" b "$major" "$minor" && NODE=${LOOP}p1; }
  mkfs.ext4 -q "${LOOP}p1"
  mounted "${LOOP}p1"
  alone 4
  assert_output "nvme_mounted: ${LOOP#/dev/}p1 is mounted on $T/mnt"
  end_last
  run_status 4 gpuaas-wipe --device "${LOOP}p1" --dry-run
  assert_stderr "is a partition"
  alone 0
  wait_for 10 test ! -e "$sys"
}

@test "a lab order refuses a block device" {
  make_loop
  order ".nvme_wwid = \"$id\"" > "$T/order"
  run_status 4 gpuaas-wipe "$T/order"
  jq_is .outcome not_started
}
