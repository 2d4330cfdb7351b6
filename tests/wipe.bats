#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
#
# gpuaas-wipe on recorded hosts, and on real block devices where the machine has loop devices.

load helper

WWID1=eui.002538b1000000a1 # nvme2n1 of lab1
LOOPS=() # loop devices over others, the newest first
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
  for over in "${LOOPS[@]}"; do
    losetup -d "$over" 2> /dev/null || :
  done
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

# The folder of GPU 0 in the recorded host, for files that are laid over it
gpu0_files()
{
  local dir=$HOST/sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:00.0/0000:18:00.0
  mkdir -p "$dir"
  echo "$dir"
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

# An allocation had the disk since its last wipe, and is gone, as this host's journal has it.
tenant()
{
  local now
  now=$(date -u +%FT%T.%6NZ)
  host_sql "INSERT INTO journal (object, op, subject, inverse, done, undone, at, undone_at)
    VALUES ('eeee0000', 'disk', '$WWID1', '{}', 1, 1, '$now', '$now')"
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

@test "a disk in place of the file of orders is refused, with how to wipe one" {
  setup_host lab1
  run_status 2 in_host gpuaas-wipe "$(disk)"
  assert_stderr "'$(disk)' is a disk, or another file without records"
  assert_stderr "'gpuaas-wipe --device $(disk)': first look at it with --dry-run"
  printf '\n  {"kind":"gpuaas.node-end/1"' > "$T/cut"
  run_status 3 in_host gpuaas-wipe "$T/cut"
  refute_stderr "is a disk"
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

# domain NAME DEVICES: defines (again) a domain with these devices
domain()
{
  local uuid
  uuid=$(virsh -q -c "$LIBVIRTD_URI" domuuid "$1" 2> /dev/null) || :
  cat > "$T/domain.xml" << XML
<domain type='test'><name>$1</name>${uuid:+<uuid>$uuid</uuid>}<memory unit='MiB'>64</memory><os><type>hvm</type></os>
<devices>$2</devices></domain>
XML
  virsh -q -c "$LIBVIRTD_URI" define "$T/domain.xml"
}

@test "a disk that a domain will have when it starts is refused: by volume, by its next definition, as a whole drive" {
  make_lab
  start_libvirtd
  virsh -q -c "$LIBVIRTD_URI" pool-define /dev/stdin <<< \
    "<pool type='dir'><name>drives</name><target><path>/dev</path></target></pool>"
  virsh -q -c "$LIBVIRTD_URI" pool-start drives
  virsh -q -c "$LIBVIRTD_URI" vol-create drives /dev/stdin <<< \
    "<volume><name>nvme2n1</name><capacity>16777216</capacity><target><format type='raw'/></target></volume>"
  assert_equal "$(virsh -q -c "$LIBVIRTD_URI" vol-path nvme2n1 --pool drives)" /dev/nvme2n1
  volume="<disk type='volume' device='disk'><source pool='drives' volume='nvme2n1'/><target dev='vda'/></disk>"
  block="<disk type='block' device='disk'><source dev='/dev/nvme2n1'/><target dev='vda'/></disk>"
  below="<disk type='file' device='disk'><driver name='qemu' type='qcow2'/><source file='/srv/over.qcow2'/>
    <backingStore type='block'><format type='raw'/><source dev='/dev/nvme2n1'/><backingStore/></backingStore>
    <target dev='vda'/></disk>"
  whole="<hostdev mode='subsystem' type='pci' managed='yes'><source>
    <address domain='0x0000' bus='0x19' slot='0x00' function='0x0'/></source></hostdev>"
  for devices in "$volume" "$below" "$whole"; do
    domain somebody "$devices"
    wipe 4
    jq_is .reason 'nvme_in_use: libvirt domain somebody uses it'
    virsh -q -c "$LIBVIRTD_URI" undefine somebody
  done
  # It runs without the disk, and has it when it starts again.
  domain somebody ""
  virsh -q -c "$LIBVIRTD_URI" start somebody
  for devices in "$block" "$volume"; do
    domain somebody "$devices"
    run ! grep -q nvme2n1 <(virsh -q -c "$LIBVIRTD_URI" dumpxml somebody)
    wipe 4
    jq_is .reason 'nvme_in_use: libvirt domain somebody uses it'
  done
  virsh -q -c "$LIBVIRTD_URI" destroy somebody
  # A volume that libvirt does not find may be the disk.
  domain somebody "${volume/nvme2n1/gone}"
  wipe 4
  assert_output "nvme_in_use: whether domain 'somebody' uses it is not known: volume 'gone' of storage pool 'drives' cannot \
be looked up: "
  is_full
  virsh -q -c "$LIBVIRTD_URI" vol-create drives /dev/stdin <<< \
    "<volume><name>gone</name><capacity>16777216</capacity><target><format type='raw'/></target></volume>"
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
  tenant
  mkfs.ext4 -q "$(disk)" 16M
  wipe 0 '.attempt = "ccccccc3"'
  jq_is '.guard[] | select(.step == "signatures").detail | contains("expected")' true
}

@test "what this host has as wiped and unused is no tenant's, whatever cause the order names" {
  make_lab
  wipe 0 # host.db did not know the disk: the order is believed
  at=$(host_sql "SELECT at FROM evidence")
  spared()
  {
    before=$(sha256sum < "$(disk)")
    wipe 4 ".attempt = \"cccccc$((++n + 10))\"" '.generation = 99' "$@"
    jq_is '.outcome, (.reason|split(":")[0])' $'not_started\nnvme_signature'
    assert_output "this host knows the disk as wiped since $at by attempt bbbbbbb1, and gpuaas did not use it since; "
    assert_output "--destroy-data $WWID1' allows its wipe"
    assert_equal "$(sha256sum < "$(disk)")" "$before"
    # The dry run says the same.
    run --separate-stderr in_host gpuaas-wipe --dry-run "$T/order"
    assert_output "this host knows the disk as wiped since $at"
  }
  mkfs.ext4 -q "$(disk)" 16M
  for change in . '.cause = "repair"' '.allocation = "a110c000"' '.object = "aaaaaaa2"'; do
    spared "$change"
  done
  fill
  spared '.cause = "repair"'
  # The same order once more is answered from the journal, as before.
  wipe 0
  jq_is '.attempt + " " + .outcome' "bbbbbbb1 confirmed"
  is_full
  # An order with permission allows its loss.
  wipe 0 '.attempt = "cccccc30"' '.cause = "repair"' ".destroy_data = \"$WWID1\""
  is_zero
  wipe 0 '.attempt = "cccccc31"' '.cause = "repair"' '.wipe.verify = "full"'
  # A tenant had it since: its data goes.
  tenant
  fill
  wipe 0 '.attempt = "cccccc32"'
  is_zero
  # A wipe began to write since, under another order: what it left goes.
  order '.attempt = "cccccc33"' '.object = "aaaaaaa2"' > "$T/order"
  gcc -shared -fPIC -o "$T/kill_at.so" "$SRC/tests/kill_at.c" -ldl
  run in_host env LD_PRELOAD="$T/kill_at.so:libumockdev-preload.so.0" KILL_SIGNAL=9 \
    KILL_AT='"phase":"markers","state":"finished"' gpuaas-wipe --progress json "$T/order"
  assert_status 10
  run ! is_zero
  wipe 0 '.attempt = "cccccc34"' '.cause = "repair"'
  is_zero
  # After a boot somebody else may have had the whole machine: an allocation that was never here is believed.
  setup_host lab1 boot_id=7ab10000-0000-4000-8000-000000000007
  mkfs.ext4 -q "$(disk)" 16M
  at=$(host_sql "SELECT max(at) FROM evidence WHERE outcome = 'confirmed'")
  wipe 4 '.attempt = "cccccc40"'
  assert_output "this host knows the disk as wiped since $at by attempt cccccc34"
  wipe 0 '.attempt = "cccccc41"' '.allocation = "a110c000"'
  # Without its memory the host believes every order.
  mkfs.ext4 -q "$(disk)" 16M
  wipe 4 '.attempt = "cccccc42"'
  rm "$GPUAAS_HOST_DIR"/host.db*
  wipe 0 '.attempt = "cccccc43"'
  is_zero
}

@test "content without a signature needs its permission at the first wipe too" {
  make_lab
  while IFS=$'\t' read -r what change; do
    : $((++n))
    truncate -s 0 "$(disk)"
    truncate -s 16M "$(disk)"
    eval "$change"
    before=$(sha256sum < "$(disk)")
    wipe 4 '.cause = "first"' ".attempt = \"ddddddd$n\""
    echo "$what: $output"
    jq_is '.reason | split(":")[0]' nvme_signature
    jq_is '[.guard[] | select(.outcome == "failed") | .step] | join(" ")' content
    assert_output "unknown content"
    assert_output "--destroy-data $WWID1"
    assert_equal "$(sha256sum < "$(disk)")" "$before"
  done << 'CASES'
a raw database	yes 'customer row 4711' | head -c 16777216 > "$(disk)"
ext4 without its first MiB	mkfs.ext4 -q "$(disk)" 16M; dd if=/dev/zero of="$(disk)" bs=1M count=1 conv=notrunc status=none
one byte	printf x | dd of="$(disk)" bs=1 seek=9000000 conv=notrunc status=none
CASES
  ((n == 3))
  wipe 0 '.cause = "first"' '.attempt = "ddddddd8"' ".destroy_data = \"$WWID1\""
  jq_is '.guard[] | select(.step == "content").detail | test("unknown content.*as ordered")' true
  is_zero
  # Zeros and erased flash are no data.
  wipe 0 '.cause = "first"' '.attempt = "ddddddd9"'
  jq_is '.guard[] | select(.step == "content").detail' 'empty: 4096 blocks of 4 KiB looked at, all 0x00'
  head -c 16777216 /dev/zero | tr '\0' '\377' > "$(disk)"
  wipe 0 '.cause = "first"' '.attempt = "dddddd10"'
  jq_is '.guard[] | select(.step == "content").detail' 'pattern: 4096 blocks of 4 KiB looked at, all 0xff'
  # A tenant's disk is full of what nobody knows.
  tenant
  fill
  wipe 0 '.attempt = "dddddd11"'
  jq_is '.guard[] | select(.step == "content").detail | contains("(expected)")' true
}

@test "a first wipe that was killed after its guard goes on, and one that was refused does not" {
  command -v strace > /dev/null || skip "strace is missing"
  make_lab
  truncate -s 0 "$(disk)"
  truncate -s 16M "$(disk)"
  order '.cause = "first"' > "$T/order"
  # At the zero pass: the markers are on the disk.
  ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 run in_host strace -f -qq -o "$T/strace" -e trace=fallocate \
    -e inject=fallocate:signal=KILL:when=1 gpuaas-wipe "$T/order"
  grep -q SIGKILL "$T/strace"
  run ! is_zero
  run_ok in_host gpuaas-wipe "$T/order"
  jq_is .outcome confirmed
  is_zero
  # Refused, tried again: data that came before the guard passed is nobody's marker.
  fill
  order '.cause = "first"' '.attempt = "ddddddd2"' > "$T/order"
  run_status 4 in_host gpuaas-wipe "$T/order"
  run_status 4 in_host gpuaas-wipe "$T/order"
  is_full
}

# kill_after PHASE [SIGNAL]: carries out $T/order, ended when that phase has finished
kill_after()
{
  [[ -e $T/kill_at.so ]] || gcc -shared -fPIC -o "$T/kill_at.so" "$SRC/tests/kill_at.c" -ldl
  run in_host env LD_PRELOAD="$T/kill_at.so:libumockdev-preload.so.0" KILL_SIGNAL="${2:-9}" \
    KILL_AT="\"phase\":\"$1\",\"state\":\"finished\"" gpuaas-wipe --progress json "$T/order"
  grep -q "\"phase\":\"$1\",\"state\":\"finished\"" <<< "$output"
}

@test "a first wipe that ended before its first byte lets no data pass that came since" {
  make_lab
  for phase in guard settle recheck; do
    for signal in 9 15; do
      : $((++n))
      truncate -s 0 "$(disk)"
      truncate -s 16M "$(disk)"
      order '.cause = "first"' ".attempt = \"dddddd0$n\"" > "$T/order"
      kill_after "$phase" "$signal"
      ((status))
      is_zero
      fill
      for again in same other; do
        [[ $again == same ]] ||
          order '.cause = "first"' ".attempt = \"dddddd1$n\"" > "$T/order"
        run_status 4 in_host gpuaas-wipe "$T/order"
        echo "$signal after $phase, $again order"
        jq_is '.reason | split(":")[0]' nvme_signature
        is_full
      done
      run_status 4 in_host gpuaas-wipe --pending
      is_full
    done
  done
  # Nor does an order that was refused when its guard had passed.
  truncate -s 0 "$(disk)"
  truncate -s 16M "$(disk)"
  wipe 7 '.cause = "first"' '.attempt = "dddddd21"' '.wipe.minimum_class = "purge"'
  jq_is '.reason | split(":")[0]' policy_not_reachable
  fill
  wipe 4 '.cause = "first"' '.attempt = "dddddd22"'
  is_full
}

@test "a first wipe that began excuses what it left, and no signature; looking again forgets nothing" {
  make_lab
  truncate -s 0 "$(disk)"
  truncate -s 16M "$(disk)"
  order '.cause = "first"' '.attempt = "dddddd31"' > "$T/order"
  kill_after markers
  run ! is_zero
  cp "$(disk)" "$T/marked"
  mkfs.ext4 -q "$(disk)" 16M
  before=$(sha256sum < "$(disk)")
  run_status 4 in_host gpuaas-wipe "$T/order"
  assert_output ext4
  assert_equal "$(sha256sum < "$(disk)")" "$before"
  cp "$T/marked" "$(disk)"
  kill_after guard
  kill_after recheck 15
  run_ok in_host gpuaas-wipe "$T/order"
  jq_is .outcome confirmed
  jq_is '.guard[] | select(.step == "content").detail | contains("(expected)")' true
  is_zero
}

@test "a first order that is run again still names the leave that it needs" {
  make_lab
  mkfs.ext4 -q "$(disk)" 16M
  wipe 4 '.cause = "first"'
  assert_output "gpuaas-discover | gpuaas-approve --slot INDEX --destroy-data $WWID1"
  wipe 4 '.cause = "first"'
  assert_output "gpuaas-discover | gpuaas-approve --slot INDEX --destroy-data $WWID1"
}

@test "what the kernel exports is in use: nvmet, LIO, by path, by number, of a file" {
  make_lab
  nvmet=sys/kernel/config/nvmet/subsystems/nqn.x lio=sys/kernel/config/target/core/iblock_0/d1
  while IFS=$'\t' read -r file text by; do
    : $((++n))
    rm -rf "$HOST/sys/kernel/config"
    mkdir -p "$HOST/${file%/*}"
    echo "$text" > "$HOST/$file"
    wipe 4 ".attempt = \"fffffff$n\""
    jq_is .reason "nvme_in_use: it is exported by $by"
    is_full
    # The other disk is not.
    run_ok in_host gpuaas-wipe --lab --device "$WWID2" --confirm "$WWID2" --class clear --dry-run
    jq_is '[.guard[] | select(.outcome == "failed")] | length' 0
  done << CASES
$nvmet/namespaces/1/device_path	/dev/nvme2n1	nvmet subsystem nqn.x/1
$nvmet/passthru/device_path	/dev/nvme2	nvmet passthru of subsystem nqn.x
$lio/udev_path	/dev/nvme2n1	LIO iblock_0/d1
$lio/info	iBlock device: nvme2n1  readonly: 0        Major: $(in_host sh -c 'tr : " " < /sys/block/nvme2n1/dev' | awk '{ print $1 " Minor: " $2 }')  CLAIMED: IBLOCK	LIO iblock_0/d1
sys/kernel/config/target/core/fileio_0/d2/info	TCM FILEIO ID: 0        File: /dev/nvme2n1  Size: 16777216  Mode: O_DSYNC	LIO fileio_0/d2
sys/kernel/config/usb_gadget/g1/functions/mass_storage.0/lun.0/file	/dev/nvme2n1	USB gadget g1/mass_storage.0/lun.0
CASES
  ((n == 6))
  # Native multipath names a namespace by its hidden path there; a controller that is not to be
  # found may be that of any disk.
  rm -rf "$HOST/sys/kernel/config"
  mkdir -p "$HOST/$nvmet/passthru" "$HOST/sys/class/nvme/nvme77/nvme2c77n1"
  echo /dev/nvme77 > "$HOST/$nvmet/passthru/device_path"
  wipe 4 '.attempt = "ffffffa1"'
  jq_is .reason "nvme_in_use: it is exported by nvmet passthru of subsystem nqn.x"
  is_full
  echo /dev/nvme78 > "$HOST/$nvmet/passthru/device_path"
  # With a file as disk that is no reason to stop.
  wipe 0 '.attempt = "ffffffa2"'
  jq_is '.guard[] | select(.step == "exports") | .outcome' not_proven
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

@test "no order is pending on this host: the operator learns which slots wait, and how their orders come" {
  load lab
  start_libvirtd
  setup_host lab1
  gpuaas-state init --lab > "$T/made"
  gpuaas-state apply "$SRC/share/objects/lab.json" >> "$T/made"
  here gpuaas-discover > "$T/discovery"
  run_ok here gpuaas-wipe --pending
  assert_equal "$output" ""
  assert_equal "$stderr" "gpuaas-wipe: note: no wipe order is pending on this host, and in the state no slot of it waits for a wipe"
  # The orders went to a file, and this host never read them.
  here gpuaas-approve --all-ready < "$T/discovery" > "$T/orders"
  slots_are wiping wiping
  # Orders in the pipe are not left unread in silence.
  run_status 2 here gpuaas-wipe --pending < "$T/orders"
  assert_output ""
  assert_stderr "records wait on standard input, and this command does not read them"
  assert_stderr "hint: without --pending, gpuaas-wipe reads wipe-orders"
  slots=$(gpuaas-list slots | jq -r .slot | paste -sd ' ')
  run_ok here gpuaas-wipe --pending
  assert_equal "$output" ""
  assert_stderr "pending on this host, and in the state these slots of it wait for a wipe: $slots"
  assert_stderr "hint: write their orders again: gpuaas-approve repair $slots --reason"
  # Another node's slots are none of this host's; without a state nobody knows which wait.
  GPUAAS_NODE=n2 run_ok here gpuaas-wipe --pending
  assert_stderr "no slot of it waits for a wipe"
  GPUAAS_STATE=$T/nowhere.db run_ok here gpuaas-wipe --pending
  assert_stderr "the state could not be read, so slots of this host may wait for a wipe: there is no state at '$T/nowhere.db'"
  assert_stderr "hint: orders come through a pipe: 'gpuaas-release ALLOCATION | gpuaas-wipe'"
  echo "this is a letter and no database" > "$T/letter"
  GPUAAS_STATE=$T/letter run_ok here gpuaas-wipe --pending
  assert_stderr "the state could not be read, so slots of this host may wait for a wipe: "
  # The timer comes every ten minutes and has nothing to say.
  run_ok here gpuaas-wipe --pending --unanswered
  assert_equal "$output$stderr" ""
  # The command of the hint ends it.
  run_ok here bash -c "$(here gpuaas-wipe --pending 2>&1 | sed -n 's/.*orders again: //p')"
  slots_are available available
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
  id=$(gpuaas-wipe --lab --device "$file" --dry-run | jq -r .device.wwid)
}

in_read_back()
{
  grep -q '"phase":"read_back","state":"started"' "$T/out"
}

@test "SIGTERM ends in evidence: failed, interrupted" {
  make_large
  gpuaas-wipe --lab --device "$file" --confirm "$id" --class clear --progress json > "$T/out" 3>&- &
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
  gpuaas-wipe --lab --device "$file" --confirm "$id" --class clear --progress json > "$T/out" 3>&- &
  pid=$!
  BG+=("$pid")
  wait_for 30 in_read_back
  kill -STOP "$pid"
  run_status 4 gpuaas-wipe --lab --device "$file" --confirm "$id" --class clear
  jq_is '.reason | split(":")[0]' nvme_in_use
  assert_stderr "hint: end what uses the disk; then run the same again"
  kill -KILL "$pid"
  wait_for 10 has_ended "$pid"
  run_status 0 gpuaas-wipe --lab --device "$file" --confirm "$id" --class clear
  jq_is .outcome confirmed
}

@test "an order killed anywhere starts over" {
  command -v strace > /dev/null || skip "strace is missing"
  make_lab
  # 137: as the order is kept; 10: its worker.
  while read -r call when ends; do
    ((!n)) || tenant
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
      tenant
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
      *,guard | *,settle | *,recheck) assert_equal "$status $outcome" "8 not_started" ;;
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
  run_status 2 in_host gpuaas-wipe --lab --device /dev/nvme2n1
  assert_stderr "--dry-run"
  run_status 4 in_host gpuaas-wipe --lab --device /dev/nvme2n1 --confirm "$WWID2"
  run_status 5 in_host gpuaas-wipe --lab --device eui.0 --confirm eui.0
  run_status 2 in_host gpuaas-wipe --confirm "$WWID2"
  run_status 2 in_host gpuaas-wipe --lab --pending
  # An order and its evidence name their own class: an option that would be ignored is refused.
  order > "$T/order"
  for option in --class=purge --class=clear --verify=full --verify=sampled; do
    run_status 2 in_host gpuaas-wipe "$option" "$T/order"
    assert_stderr "go with --device"
    run_status 2 in_host gpuaas-wipe "$option" --certificate x
  done
  run_status 2 in_host gpuaas-wipe --lab --device /dev/nvme2n1 --pending
  is_full
  run_status 0 in_host gpuaas-wipe --lab --device "$WWID1" --confirm "$WWID1" --class clear
  jq_is .outcome confirmed
  jq_is .cause alone
  jq_is .object null
  is_zero
  is_full nvme1n1
}

@test "alone: a file is a disk in a lab only" {
  head -c 1M /dev/urandom > "$T/archive.tar"
  sum=$(sha256sum < "$T/archive.tar")
  id=$(printf 'file:%x:%d' "$(stat -c %d "$T/archive.tar")" "$(stat -c %i "$T/archive.tar")")
  refused()
  {
    run_status 4 gpuaas-wipe --device "$T/archive.tar" --confirm "$id" --class clear "$@"
    jq_is '.outcome, (.reason|split(":")[0])' $'not_started\nnvme_not_block'
    assert_equal "$(sha256sum < "$T/archive.tar")" "$sum"
  }
  refused # there is no state
  run_status 4 gpuaas-wipe --device "$T/archive.tar" --class clear --dry-run
  assert_output nvme_not_block
  gpuaas-state init > "$T/made"
  refused
  refused --lab # the state of this machine is of real disks
  rm "$GPUAAS_STATE"
  run_ok gpuaas-wipe --device "$T/archive.tar" --confirm "$id" --class clear --lab
  jq_is '"\(.outcome) \(.lab)"' "confirmed true"
  head -c 1M /dev/urandom > "$T/archive.tar"
  gpuaas-state init --lab > "$T/made"
  run_ok gpuaas-wipe --device "$T/archive.tar" --confirm "$id" --class clear
}

@test "sampled read-back says what could remain" {
  truncate -s 1G "$T/file"
  id=$(gpuaas-wipe --lab --device "$T/file" --dry-run | jq -r .device.wwid)
  run_status 0 gpuaas-wipe --lab --device "$T/file" --confirm "$id" --class clear --verify sampled
  jq_is '.read_back | [.verify, .remnant_bound_ppb] | @csv' '"sampled",1123678'
  jq_is '.read_back.bytes_read < .device.size_bytes' true
  evidence=$(jq -r .evidence <<< "$output")
  run_status 0 gpuaas-wipe --certificate "$evidence"
  assert_output "0.112368 % of the disk at 99 % confidence"
}

@test "alone: no state is needed, and without room for its evidence nothing is wiped" {
  make_lab
  touch "$T/file"
  GPUAAS_HOST_DIR=$T/file/hostdir run_status 10 in_host gpuaas-wipe --lab --device "$WWID1" --confirm "$WWID1" --class clear
  assert_stderr "nothing was wiped: its evidence could not be kept"
  assert_equal "$output" ""
  is_full
  run_status 0 in_host gpuaas-wipe --lab --device "$WWID1" --confirm "$WWID1" --class clear
  is_zero
}

@test "alone: evidence that could not be kept afterwards is shown, and is no success" {
  make_lab
  in_host gpuaas-wipe --pending
  host_sql "CREATE TRIGGER full BEFORE INSERT ON evidence BEGIN
    SELECT RAISE(ABORT, 'disk_full: there is no room'); END"
  run_status 4 in_host gpuaas-wipe --lab --device "$WWID1" --confirm "$WWID1" --class clear
  jq_is .outcome confirmed
  jq_is '.digest | startswith("sha256:")' true
  assert_stderr "the evidence is not kept on this host: there is no room"
  is_zero
}

@test "the boot disk is refused" {
  make_lab
  wwid=eui.0025384000000001
  run_status 4 in_host gpuaas-wipe --lab --device "$wwid" --confirm "$wwid" --class clear
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
  # Another device than ordered is not touched, and what was not reset is not proved.
  wipe 9 "$gpu" '.attempt = "ccccccc2"' '.gpu_device = "10de:0000"'
  jq_is '[.outcome, .gpu_reset.outcome, (.reason | split(":")[0])] | join(" ")' "failed failed gpu_reset_failed"
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
  jq_is '.gpu_memory.detail | endswith("users other than its owner may write it")' true
  # Anybody could swap the target of a link, and a file in a folder of everybody's.
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

# reset_of METHODS-NOW JQ-RESULT: a wipe resets GPU 0 so, and its list of methods is as it was
reset_of()
{
  rm -rf "$GPUAAS_HOST_DIR"
  run_status 0 in_host bash -c 'gpuaas-wipe "$1" > "$2"; r=$?
    read -r now < /sys/bus/pci/devices/0000:18:00.0/reset_method; echo "$now"; exit "$r"' - "$T/order" "$T/evidence"
  assert_equal "$output" "$1"
  run_ok jq -r '[.gpu_reset.outcome, (.gpu_reset.detail | sub(", [0-9.]+ s"; "")), .gpu_reset_method] | join("|")' "$T/evidence"
  assert_equal "$output" "$2"
}

@test "GPU: a bus reset where nothing else hangs from the bridge, else the kernel's first method; the list is put back" {
  make_lab
  order '.gpu_pci_address = "0000:18:00.0"' > "$T/order"
  reset_of "flr bus" "confirmed|0000:18:00.0 by bus reset|bus"
  setup_host lab1 'gpu.1.addr="0000:18:01.0"'
  reset_of "flr bus" \
    "confirmed|0000:18:00.0 by flr reset (no bus reset: 0000:18:01.0 is also below 0000:17:00.0)|flr"
  # A list of bus alone is no way to reset it then.
  setup_host lab1 'gpu.1.addr="0000:18:01.0"' gpu.0.reset_method=bus
  reset_of bus "not_proven|the kernel has no reset method for 0000:18:00.0 alone: 0000:18:01.0 is also below 0000:17:00.0|"
  setup_host lab1 gpu.0.reset_method=flr
  reset_of flr "confirmed|0000:18:00.0 by flr reset (no bus reset: the kernel offers none)|flr"
  setup_host lab1 gpu.0.reset_method=
  reset_of "" "not_proven|the kernel has no reset method for 0000:18:00.0|"
}

@test "GPU: its sound function is no obstacle to a bus reset, but a driver of it is" {
  make_lab
  order '.gpu_pci_address = "0000:18:00.0"' > "$T/order"
  local row='{"addr": "0000:18:00.1", "id": "10de:22ba", "class": "040300"'
  jq_in_order ".pci += [$row, \"driver\": \"vfio-pci\"}]" "$SRC/tests/hosts/lab1.json" > "$T/sound.json"
  jq_in_order ".pci += [$row, \"driver\": \"snd_hda_intel\"}]" "$SRC/tests/hosts/lab1.json" > "$T/driven.json"
  setup_host "$T/sound.json"
  reset_of "flr bus" "confirmed|0000:18:00.0 by bus reset|bus"
  setup_host "$T/driven.json"
  reset_of "flr bus" \
    "confirmed|0000:18:00.0 by flr reset (no bus reset: driver 'snd_hda_intel' uses 0000:18:00.1)|flr"
}

@test "GPU: a reset that the kernel fails is a failed step, and the list of methods is put back" {
  make_lab
  order '.gpu_pci_address = "0000:18:00.0"' > "$T/order"
  ln -s /dev/full "$(gpu0_files)/reset"
  run --separate-stderr in_host bash -c 'gpuaas-wipe "$1" > "$2"
    cat /sys/bus/pci/devices/0000:18:00.0/reset_method' - "$T/order" "$T/evidence"
  assert_equal "$output" "flr bus"
  run_ok jq -r '[.gpu_reset.outcome, (.gpu_reset.detail | endswith("No space left on device")), .gpu_reset_method] | tostring' "$T/evidence"
  assert_equal "$output" '["failed",true,null]'
}

# injected FILE WHAT: a wipe on whose host the system call WHAT of that file of GPU 0, or of that node, comes back so
injected()
{
  rm -rf "$GPUAAS_HOST_DIR"
  run --separate-stderr in_host bash -c 'root=$UMOCKDEV_DIR/sys/bus/pci/devices/0000:18:00.0
    file=$(readlink -f "$root")/$1
    [[ $1 != /* ]] || file=$UMOCKDEV_DIR$1
    strace -f -qq -o "$3" -P "$file" -e "inject=$2" gpuaas-wipe "$4" > "$5"
    cat /sys/bus/pci/devices/0000:18:00.0/reset_method' - \
    "$1" "$2" "$T/strace" "$T/order" "$T/evidence"
  grep -q INJECTED "$T/strace"
  # The file that plays it is empty when a write to it was refused.
  [[ $1 == reset_method ]] || assert_equal "$output" "flr bus"
  run_ok jq -r '[.gpu_reset.outcome, (.gpu_reset.detail | sub(", [0-9.]+ s"; "")), .gpu_reset_method] | join("|")' "$T/evidence"
}

@test "GPU: the kernel's word for 'no such method' and for 'it did not come back' is the same, and is told apart" {
  command -v strace > /dev/null || skip "strace is missing"
  make_lab gpu.0.command=ffff
  order '.gpu_pci_address = "0000:18:00.0"' > "$T/order"
  injected reset write:error=ENOTTY
  assert_equal "$output" "failed|'0000:18:00.0' does not answer after its reset|"
  assert_equal "$(grep -c INJECTED "$T/strace")" 1
  # It answers: none of its methods was to be had.
  setup_host lab1
  injected reset write:error=ENOTTY
  assert_equal "$output" \
    "not_proven|the kernel has no reset method for 0000:18:00.0 alone: the kernel did not accept it|"
  assert_equal "$(grep -c INJECTED "$T/strace")" 3
  # No choice: the kernel takes its own, where that reaches nobody else, and does not say which.
  injected reset_method write:error=EINVAL
  assert_equal "$output" "confirmed|0000:18:00.0 by the kernel's reset (no bus reset: the kernel did not accept it)|"
  # Any other word is a failure, after which nothing else is tried.
  injected reset write:error=EIO
  assert_equal "$output" "failed|cannot reset '0000:18:00.0' by bus: Input/output error|"
  assert_equal "$(grep -c INJECTED "$T/strace")" 1
}

@test "GPU: a reset that does not return is a failed step, holds up no pipe, and the list is put back when it does" {
  make_lab
  order '.gpu_pci_address = "0000:18:00.0"' > "$T/order"
  gcc -shared -fPIC -o "$T/clock.so" "$SRC/tests/fake/fast_clock.c" -ldl
  # A writer that opens it waits for a reader, as in a kernel that waits for the device.
  mkfifo "$(gpu0_files)/reset"
  run --separate-stderr in_host env LD_PRELOAD="$T/clock.so:libumockdev-preload.so.0" FAST_CLOCK=300 timeout 120 bash -c "$(declare -f wait_for)"'
    cd /sys/bus/pci/devices/0000:18:00.0
    gpuaas-wipe "$1" | cat > "$2"
    now=$(< reset_method)
    read -rn 1 said < reset
    wait_for 60 grep -qx "flr bus" reset_method
    echo "$now $said"' - "$T/order" "$T/evidence"
  assert_equal "$output" "bus 1"
  run_ok jq -r '[.outcome, .gpu_reset.outcome, (.gpu_reset.detail | sub("/.*/"; ""))] | join("|")' "$T/evidence"
  assert_equal "$output" "failed|failed|the kernel did not return from writing 'reset'"
}

@test "GPU: a reset whose process is killed is a failed step, and the list is put back" {
  make_lab
  order '.gpu_pci_address = "0000:18:00.0"' > "$T/order"
  mkfifo "$(gpu0_files)/reset"
  run --separate-stderr in_host bash -c "$(declare -f wait_for)"'
    cd /sys/bus/pci/devices/0000:18:00.0
    gpuaas-wipe "$1" > "$2" &
    wait_for 60 grep -qx bus reset_method
    # The program, the worker of the order, and below it the one that resets.
    wait_for 60 pgrep -P "$(pgrep -P "$!")" > "$3"
    kill -KILL "$(< "$3")"
    wait "$!"
    cat reset_method' - "$T/order" "$T/evidence" "$T/child"
  assert_equal "$output" "flr bus"
  run_ok jq -r '[.outcome, .gpu_reset.outcome, .gpu_reset.detail] | join("|")' "$T/evidence"
  assert_equal "$output" "failed|failed|cannot reset '0000:18:00.0' by bus: Interrupted system call"
}

@test "GPU: a group that the kernel gives to nobody is in use, whoever it is" {
  command -v strace > /dev/null || skip "strace is missing"
  make_lab
  order '.gpu_pci_address = "0000:18:00.0"' > "$T/order"
  injected /dev/vfio/10 openat:error=EBUSY
  assert_equal "$output" "failed|a process that cannot be seen has the IOMMU group of '0000:18:00.0' open|"
}

@test "GPU: what failed its reset is not scrubbed: it may be another's, or another" {
  [[ $(id -u) -eq 0 ]] || skip "an operator's method must belong to root"
  make_lab
  mkdir "$T/scrub"
  printf '#!/bin/sh\n: > "%s/scrubbed"\n' "$T" > "$T/scrub/10de:2335"
  chmod 755 "$T/scrub/10de:2335"
  order '.gpu_pci_address = "0000:18:00.0"' > "$T/order"
  run --separate-stderr in_host env GPUAAS_GPU_SCRUB_DIR="$T/scrub" bash -c \
    'exec 7< /dev/vfio/10; gpuaas-wipe "$1" 7<&-; exit "$?"' - "$T/order"
  jq_is '[.gpu_reset.outcome, .gpu_memory.outcome, .gpu_memory.detail] | join("|")' \
    "failed|not_proven|not begun: gpu_reset failed"
  run ! test -e "$T/scrubbed"
  rm -rf "$GPUAAS_HOST_DIR"
  run_ok in_host env GPUAAS_GPU_SCRUB_DIR="$T/scrub" gpuaas-wipe "$T/order"
  test -e "$T/scrubbed"
}

@test "GPU: its users are looked for whatever driver it is bound to, and before it is scrubbed" {
  [[ $(id -u) -eq 0 ]] || skip "an operator's method must belong to root"
  make_lab gpu.0.driver=nvidia
  head -c 4096 /dev/zero > "$(gpu0_files)/resource0"
  mkdir "$T/scrub"
  printf '#!/bin/sh\n: > "%s/scrubbed"\n' "$T" > "$T/scrub/10de:2335"
  chmod 755 "$T/scrub/10de:2335"
  order '.gpu_pci_address = "0000:18:00.0"' > "$T/order"
  run --separate-stderr in_host env GPUAAS_GPU_SCRUB_DIR="$T/scrub" bash -c \
    'exec 7< /sys/bus/pci/devices/0000:18:00.0/resource0; gpuaas-wipe "$1" 7<&-; exit "$?"' - "$T/order"
  jq_is '[.outcome, .gpu_reset.outcome, .gpu_memory.detail] | join("|")' "failed|failed|not begun: gpu_reset failed"
  run ! test -e "$T/scrubbed"
  rm -rf "$GPUAAS_HOST_DIR"
  run --separate-stderr in_host env GPUAAS_GPU_SCRUB_DIR="$T/scrub" gpuaas-wipe "$T/order"
  jq_is '[.gpu_reset.detail, .gpu_memory.outcome] | join("|")' "driver 'nvidia' uses 0000:18:00.0|confirmed"
  test -e "$T/scrubbed"
}

# held_by NODE: somebody has NODE open, and the GPU is not reset under it
held_by()
{
  rm -rf "$GPUAAS_HOST_DIR"
  run --separate-stderr in_host bash -c 'exec 7< "$1" && gpuaas-wipe "$2" > "$3"
    read -rn 1 said < /sys/bus/pci/devices/0000:18:00.0/reset; echo "${said:-nothing} $$"' - \
    "$1" "$T/order" "$T/evidence"
  [[ $output == "nothing "* ]]
  local holder=${output#* }
  run_ok jq -r '.gpu_reset | "\(.outcome) \(.detail)"' "$T/evidence"
  assert_equal "$output" "failed process $holder (bash) has '0000:18:00.0' open"
}

@test "GPU: nobody resets it under who has its group, its IOMMUFD node or its memory open" {
  [[ $(id -u) -eq 0 ]] || skip "only root sees what others have open"
  make_lab
  order '.gpu_pci_address = "0000:18:00.0"' > "$T/order"
  held_by /dev/vfio/10
  mkdir -p "$(gpu0_files)/vfio-dev/vfio3" "$HOST/dev/vfio/devices"
  : > "$HOST/dev/vfio/devices/vfio3"
  head -c 4096 /dev/zero > "$(gpu0_files)/resource0"
  held_by /dev/vfio/devices/vfio3
  held_by /sys/bus/pci/devices/0000:18:00.0/resource0
  # Another device's node is no matter.
  rm -rf "$GPUAAS_HOST_DIR"
  run_status 0 in_host bash -c 'exec 7< /dev/vfio/19 && exec gpuaas-wipe "$1"' - "$T/order"
  jq_is .gpu_reset.outcome confirmed
}

@test "a GPU that the host's driver uses is left alone" {
  make_lab gpu.0.driver=nvidia
  wipe 7 '.gpu_pci_address = "0000:18:00.0"' '.gpu_identity = "slot:1:10de:2335"'
  jq_is .gpu_reset.outcome not_proven
  jq_is '.gpu_reset.detail | contains("nvidia")' true
  jq_is '[.outcome, (.reason | split(":")[0])] | join(" ")' "failed gpu_reset_not_proven"
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

# mounted DEV [OPTIONS]: on $T/mnt, in a mount namespace of its own. In ours another test's new namespace would take a copy
# with it, and DEV would stay mounted there.
mounted()
{
  rm -f "$T/up"
  unshare -m sh -c 'mount -o "$3" "$1" "$2/mnt" && : > "$2/up" && exec tail -f /dev/null' - "$1" "$T" "${2-rw}" &
  BG+=($!)
  wait_for 10 test -e "$T/up"
  run ! mountpoint -q "$T/mnt"
}

@test "loop device: wiped" {
  make_loop
  head -c 32M /dev/zero | tr '\0' 'x' > "$LOOP"
  # As nvme-cli takes it; nothing is read as records, and nothing is erased.
  run_status 2 gpuaas-wipe "$LOOP"
  assert_stderr "'$LOOP' is a disk, and records are read from a file or a pipe"
  assert_stderr "'gpuaas-wipe --device $LOOP': first look at it with --dry-run"
  run_status 7 gpuaas-wipe --device "$LOOP" --confirm "$id"
  jq_is '.reason | split(":")[0]' policy_not_reachable
  assert_stderr "hint: '--class clear' overwrites the disk with zeros"
  alone 0
  jq_is .outcome confirmed
  jq_is .device.medium block
  jq_is '.device | .diskseq_before == .diskseq_after and .diskseq_before != null' true
  cmp "$LOOP" <(head -c 32M /dev/zero)
}

@test "loop device: mounted, in use as swap, open" {
  make_loop
  file_system "$LOOP"
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
  file_system "$LOOP"
  mounted "$LOOP"
  alone 4
  assert_output "nvme_mounted"
}

@test "loop device: its file is mounted on another file, here or in another namespace" {
  make_loop
  head -c 32M /dev/urandom > "$LOOP"
  : > "$T/other"
  unshare -m sh -c 'mount --bind "$1/backing" "$1/other" && : > "$1/up" && exec tail -f /dev/null' - "$T" &
  BG+=($!)
  wait_for 10 test -e "$T/up"
  stays_as_it_is "nvme_mounted: its file is mounted on $T/other (seen by process "
  nsenter -t "${BG[-1]}" -m gpuaas-wipe --device "$LOOP" --confirm "$id" --class clear > "$T/out" || status=$?
  assert_equal "$(jq -r .outcome "$T/out")" not_started
  end_last
  alone 0
}

@test "loop device: a partition mounted; a partition is no disk" {
  make_loop
  addpart "$LOOP" 1 2048 32768
  sys=/sys/class/block/${LOOP#/dev/}p1
  IFS=: read -r major minor < "$sys/dev"
  # Where nothing makes nodes: one, removed with the device.
  [[ -b ${LOOP}p1 ]] || { mknod "${LOOP}p1" b "$major" "$minor" && NODE=${LOOP}p1; }
  file_system "${LOOP}p1"
  mounted "${LOOP}p1"
  alone 4
  assert_output "nvme_mounted: ${LOOP#/dev/}p1 is mounted on $T/mnt"
  end_last
  run_status 4 gpuaas-wipe --device "${LOOP}p1" --dry-run
  assert_stderr "is a partition"
  alone 0
  wait_for 10 test ! -e "$sys"
}

# stays_as_it_is TEXT [DEVICE]: a wipe of the loop device (or DEVICE) is refused, TEXT says why, and no byte of the
# backing file changes
stays_as_it_is()
{
  local device=${2-$LOOP} before who
  who=$(gpuaas-wipe --lab --device "$device" --dry-run | jq -r .device.wwid)
  settle
  before=$(sha256sum < "$T/backing")
  run_status 4 gpuaas-wipe --lab --device "$device" --confirm "$who" --class clear
  jq_is .outcome not_started
  jq_is '.reason|test("^nvme_(mounted|in_use): ")' true
  assert_output "$1"
  settle
  assert_equal "$(sha256sum < "$T/backing")" "$before"
}

# Data that was written through loop devices reaches the file: each flush takes it one device further.
settle()
{
  for _ in "$LOOP" "${LOOPS[@]}"; do
    sync
  done
}

# file_system DEVICE: an ext4 that has nothing left to write later by itself
file_system()
{
  mkfs.ext4 -q -E lazy_itable_init=0,lazy_journal_init=0 "$1"
}

# loop_over FILE [OPTION...]: another loop device, in $OVER, which the teardown takes away
loop_over()
{
  OVER=$(losetup -f --show "${@:2}" "$1")
  LOOPS=("$OVER" "${LOOPS[@]}")
}

@test "loop device: another loop device over it, with and without an offset, mounted or not" {
  make_loop
  loop_over "$LOOP"
  stays_as_it_is "below loop device ${OVER#/dev/} ($LOOP)"
  losetup -d "$OVER"
  loop_over "$LOOP" -o 1048576
  file_system "$OVER"
  settle
  mounted "$OVER" ro
  stays_as_it_is "nvme_mounted: ${OVER#/dev/} is mounted on $T/mnt"
  assert_output "below loop device ${OVER#/dev/} ($LOOP)"
  end_last
  losetup -d "$OVER"
  alone 0
}

@test "loop device: a loop device over a partition" {
  make_loop
  addpart "$LOOP" 1 2048 32768
  IFS=: read -r major minor < "/sys/class/block/${LOOP#/dev/}p1/dev"
  [[ -b ${LOOP}p1 ]] || { mknod "${LOOP}p1" b "$major" "$minor" && NODE=${LOOP}p1; }
  loop_over "${LOOP}p1"
  stays_as_it_is "below loop device ${OVER#/dev/} (${LOOP}p1)"
  losetup -d "$OVER"
  # By another node of the partition, which is removed: the kernel knows the device all the same.
  mknod "$T/node" b "$major" "$minor"
  loop_over "$T/node"
  rm "$T/node"
  stays_as_it_is "below loop device ${OVER#/dev/}"
}

@test "loop device: a loop device over a file that lies on it, whose mount is hidden" {
  make_loop
  file_system "$LOOP"
  # In a mount namespace of its own, mounted, looped, unmounted lazily: no mount of the disk is to be seen.
  unshare -m bash -c 'mount -o noinit_itable "$1" "$2/mnt" && truncate -s 4M "$2/mnt/in" && losetup -f --show "$2/mnt/in" > "$2/inner" &&
    umount -l "$2/mnt"' - "$LOOP" "$T"
  OVER=$(< "$T/inner")
  LOOPS=("$OVER")
  stays_as_it_is "below loop device ${OVER#/dev/}"
  # And over that one.
  loop_over "$OVER"
  stays_as_it_is "${OVER#/dev/} ($(< "$T/inner"))"
}

@test "two loop devices of one file, and the file itself" {
  make_loop
  stays_as_it_is "below loop device ${LOOP#/dev/} ($T/backing)" "$T/backing"
  loop_over "$T/backing"
  stays_as_it_is "below loop device ${OVER#/dev/} ($T/backing)"
  file_system "$OVER"
  settle
  mounted "$OVER" ro
  stays_as_it_is "nvme_mounted: ${OVER#/dev/} is mounted on $T/mnt"
  # A path that is gone hides nothing.
  ln "$T/backing" "$T/again"
  mv "$T/backing" "$T/renamed"
  rm "$T/renamed"
  mv "$T/again" "$T/backing"
  stays_as_it_is "nvme_mounted: ${OVER#/dev/} is mounted on $T/mnt"
  end_last
  losetup -d "$OVER"
  alone 0
}

# in_memory FILE: a process that has it mapped, and no descriptor of it
in_memory()
{
  python3 - "$1" "$T/mapped" 3>&- << 'END' &
import mmap, os, sys, signal
fd = os.open(sys.argv[1], os.O_RDWR)
memory = mmap.mmap(fd, 1 << 20)
os.closerange(3, 256)
os.close(os.open(sys.argv[2], os.O_CREAT | os.O_WRONLY))
signal.pause()
END
  BG+=($!)
  wait_for 10 test -e "$T/mapped"
}

@test "a process that has the disk mapped and its descriptor closed is refused" {
  make_loop
  in_memory "$LOOP"
  stays_as_it_is "(python3) has it open (mapped)"
  end_last
  rm "$T/mapped"
  # The backing file mapped is the disk mapped.
  in_memory "$T/backing"
  stays_as_it_is "(python3) has it open (mapped)"
  end_last
  alone 0
}

@test "a process that root cannot look at for a moment is looked at again" {
  command -v strace > /dev/null || skip "strace is missing"
  [[ $(id -u) -eq 0 ]] || skip "to others most processes are hidden"
  make_lab
  open_in_sleep /dev/null
  local maps=${BG[-1]}/maps
  order '.gpu_pci_address = "0000:18:00.0"' > "$T/order"
  # A leak check cannot run under strace.
  export ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0
  # Hidden when the guard looks, then seen; and hidden for good.
  run_status 0 in_host strace -f -qq -o "$T/strace" -P "$maps" -e inject=openat:error=EACCES:when=1..2 \
    gpuaas-wipe "$T/order"
  grep -q INJECTED "$T/strace"
  jq_is '[.guard[] | select(.step | endswith("open_files")) | .outcome] | unique | join(" ")' confirmed
  order '.gpu_pci_address = "0000:18:00.0"' '.attempt = "bbbbbbb2"' > "$T/order"
  run_status 0 in_host strace -f -qq -o "$T/strace" -P "$maps" -e inject=openat:error=EACCES \
    gpuaas-wipe "$T/order"
  jq_is '.gpu_reset | .outcome + " " + .detail' "not_proven it is unknown whether a process uses '0000:18:00.0'"
  jq_is '.guard[] | select(.step == "open_files") | .outcome + " " + .detail' \
    "not_proven the open files of process ${BG[-1]##*/} cannot be read, even by root"
}

@test "a thread whose leader has ended still has the disk open" {
  make_loop
  cat > "$T/thread.c" << 'END'
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static void *wait_here(void *arg)
{
  (void)arg;
  for (;;)
    pause();
}
int main(int argc, char **argv)
{
  pthread_t t;

  if (argc != 3 || open(argv[1], O_RDWR) < 0 || pthread_create(&t, NULL, wait_here, NULL) ||
      open(argv[2], O_CREAT | O_WRONLY, 0600) < 0)
    return 1;
  pthread_exit(NULL);
}
END
  gcc -o "$T/thread" "$T/thread.c" -pthread
  background "$T/thread" "$LOOP" "$T/up"
  wait_for 10 test -e "$T/up"
  wait_for 10 grep -q '^State:.*Z' "/proc/$BG_PID/status"
  stays_as_it_is "has it open"
}

@test "a lab order refuses a block device" {
  make_loop
  order ".nvme_wwid = \"$id\"" > "$T/order"
  run_status 4 gpuaas-wipe "$T/order"
  jq_is .outcome not_started
}

@test "a user who may not make the folder of the host gets the hint to use sudo" {
  mkdir -m 700 "$T/closed"
  chmod 755 "$T"
  GPUAAS_HOST_DIR=$T/closed/h run_status 6 setpriv --reuid=65534 --regid=65534 --clear-groups \
    "$GPUAAS_BUILD/bin/gpuaas-wipe" --pending
  assert_stderr "what this host keeps is root's: give the command to sudo"
}
