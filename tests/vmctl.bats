# SPDX-License-Identifier: Apache-2.0
# gpuaas-vm: power, rebuild, access of a running allocation, on the state's machine and without it.

load helper
load lab
load qemu

teardown()
{
  qemu_stop "$T/q"
  common_teardown
}

# make_vm: an active allocation in the lab; its id is in $ID, its disk in $DISK
make_vm()
{
  make_lab
  here bash -c 'gpuaas-place --profile lab --gpus 1 --name demo --project vision | gpuaas-provision' \
    > "$T/provisioned"
  ID=$(allocation)
  allocation_is active
  SLOT=$(jq -r 'select(.kind == "gpuaas.allocation/1").slots[0]' "$T/provisioned")
  DISK=$WORK/disks/$(gpuaas-list slots | jq -r --arg id "$SLOT" 'select(.slot == $id).nvme_path |
    sub(".*/"; "")')
  IMAGE=$T/images/lab.raw
}

# cloned: the disk begins with the image's bytes
cloned()
{
  cmp -n "$(stat -c %s "$IMAGE")" "$IMAGE" "$DISK"
}

domstate()
{
  virsh -q -c "$LIBVIRTD_URI" domstate "gpuaas-$ID"
}

power_is()
{
  assert_equal "$(gpuaas-list allocations |
    jq -r --arg id "$ID" 'select(.allocation == $id) | "\(.power_wanted) \(.power_observed)"')" "$1"
}

audit_of()
{
  gpuaas-list audit --where "object=$1" | jq -r '.action'
}

@test "stop, start, reboot: each is reported, recorded, and done once" {
  make_vm
  power_is "on on"
  run_ok here gpuaas-vm stop demo
  jq_is '[.kind,.allocation,.power_wanted,.power_observed,.reason]|join(" ")' \
    "gpuaas.power/1 $ID off off stopped"
  assert_equal "$(domstate)" "shut off"
  power_is "off off"
  run_ok here gpuaas-vm stop "$ID"
  jq_is .reason already_off
  run_ok here gpuaas-vm start "${ID:0:5}"
  jq_is '[.power_wanted,.power_observed,.reason]|join(" ")' "on on started"
  assert_equal "$(domstate)" running
  power_is "on on"
  run_ok here gpuaas-vm start "$ID"
  jq_is .reason already_on
  run_ok here gpuaas-vm reboot "$ID" --force
  jq_is '[.power_wanted,.power_observed,.reason]|join(" ")' "on on rebooted"
  run audit_of "$ID"
  assert_equal "$(grep -c '^power$' <<< "$output")" 3
  # A dry run says what would be done and leaves it.
  run_ok here gpuaas-vm reboot "$ID" --dry-run
  jq_is '[.dry_run,.reason]|join(" ")' "true rebooted"
  assert_stderr "ask domain gpuaas-$ID to shut down"
  run_ok here gpuaas-vm stop "$ID" --dry-run
  jq_is '[.dry_run,.power_observed]|join(" ")' "true on"
  power_is "on on"
  # A VM that an operator stopped is no drift, and stays off after a reboot of the host.
  run_ok here gpuaas-vm stop "$ID"
  run here gpuaas-reconcile --repair --boot
  jq_slurp_is 'map(select((.code // "") | startswith("power")))|length' 0
  assert_equal "$(domstate)" "shut off"
}

@test "a GPU that only the site's catalogue knows is known to a start too" {
  # Its class is none of an accelerator's.
  eval "recorded_$(declare -f setup_host)"
  setup_host()
  {
    recorded_setup_host "$@" && grep -rlZ 0x030200 "$HOST" | xargs -0 sed -i 's/0x030200/0xff0000/'
  }
  export GPUAAS_ACCELERATORS=$T/site.json
  echo '{"accelerators":[{"slug":"acme-x1-64gb","name":"Acme X1 64GB","vendor":"NVIDIA","vendor_id":"10de",
    "pci":[{"device_id":"2335","function":"physical"}],"memory":{"gpu_gb":64}}]}' > "$T/site.json"
  make_vm
  run_ok here gpuaas-vm reboot "$ID" --force
  jq_is '[.power_wanted,.power_observed,.reason]|join(" ")' "on on rebooted"
}

@test "a start that finds its disk in use is refused, said why, and works when that is mended" {
  make_vm
  run_ok here gpuaas-vm stop demo
  disk=$(jq '.bundles[0].nvme_path' <<< "$(host_sql \
    "SELECT order_text FROM attempt WHERE program = 'provision'")")
  setup_host lab1 "nvme.$([[ $disk == *nvme2n1* ]] && echo 1 || echo 2).mount=/data"
  run_status 4 here gpuaas-vm start demo
  jq_slurp_is 'map([.kind,.reason // .code, .phase // ""]|join(" "))|join(",")' \
    "gpuaas.power/1 not_started ,gpuaas.failure/1 nvme_mounted power_define"
  assert_equal "$(domstate)" "shut off"
  power_is "on off"
  allocation_is active
  setup_host lab1
  run_ok here gpuaas-vm start demo
  jq_is .reason started
  power_is "on on"
}

@test "a guest that powered itself off is no drift, and a start after it works" {
  make_vm
  virsh -q -c "$LIBVIRTD_URI" shutdown "gpuaas-$ID"
  run here gpuaas-reconcile
  jq_slurp_is 'map(select(.code == "power_off" and .severity != "info"))|length' 0
  run_ok here gpuaas-vm start "$ID"
  jq_is .reason started
  assert_equal "$(domstate)" running
}

@test "only our own domain, only an active allocation, only one at a time" {
  make_vm
  run_status 5 here gpuaas-vm stop nobody
  # A stranger's domain of the same name.
  virsh -q -c "$LIBVIRTD_URI" destroy "gpuaas-$ID"
  virsh -q -c "$LIBVIRTD_URI" undefine "gpuaas-$ID"
  virsh -q -c "$LIBVIRTD_URI" define /dev/stdin << XML
<domain type='test'><name>gpuaas-$ID</name><memory>65536</memory><os><type>hvm</type></os></domain>
XML
  virsh -q -c "$LIBVIRTD_URI" start "gpuaas-$ID"
  run_status 4 here gpuaas-vm stop "$ID"
  jq_is '[.kind,.code]|join(" ")' "gpuaas.failure/1 domain_exists"
  run_status 4 here gpuaas-vm rebuild "$ID" --yes
  jq_is '[.phase,.code]|join(" ")' "rebuild_check domain_exists"
  assert_equal "$(domstate)" running
  cloned
  virsh -q -c "$LIBVIRTD_URI" destroy "gpuaas-$ID"
  virsh -q -c "$LIBVIRTD_URI" undefine "gpuaas-$ID"
  # Somebody works on it.
  exec 8> "$GPUAAS_HOST_DIR/hold/$ID"
  flock 8
  run_status 8 here gpuaas-vm start "$ID"
  assert_stderr "is being worked on by"
  assert_equal "$output" ""
  exec 8>&-
  # Gone from libvirt: it is defined again from its plan.
  run_ok here gpuaas-vm start "$ID"
  assert_equal "$(domstate)" running
  # Intent to release: nothing is switched on again.
  GPUAAS_NODE=elsewhere run_ok here gpuaas-release "$ID"
  jq_is .kind gpuaas.release-order/1
  run_status 4 here gpuaas-vm stop "$ID"
  assert_stderr "is releasing"
  assert_equal "$(domstate)" running
}

@test "rebuild: the tenant's bytes are gone, the image is there again, the claim is the same" {
  make_vm
  printf 'TENANT-WAS-HERE' | dd of="$DISK" bs=1 seek=9437184 conv=notrunc status=none
  printf 'AND-HERE' | dd of="$DISK" bs=1 seek=512 conv=notrunc status=none
  before=$(gpuaas-list claims | jq_in_order -c 'select(.live)')
  seed=$(sha256sum < "$GPUAAS_HOST_DIR/vm/$ID/seed.iso")
  run_ok here gpuaas-vm rebuild demo --dry-run
  jq_is '[.kind,.dry_run,.reason]|join(" ")' "gpuaas.power/1 true rebuilt"
  assert_stderr "wipe disk"
  grep -aq TENANT-WAS-HERE "$DISK"
  run_status 2 here gpuaas-vm rebuild demo
  assert_stderr "--yes is missing"
  grep -aq TENANT-WAS-HERE "$DISK"
  run_ok here gpuaas-vm rebuild demo --yes
  jq_slurp_is 'map(.kind)|join(" ")' \
    "gpuaas.wipe-evidence/1 gpuaas.allocation/1 gpuaas.power/1"
  jq_slurp_is '.[0]|[.cause,.outcome,.object,.allocation,.class]|join(" ")' \
    "rebuild confirmed $SLOT $ID clear"
  jq_slurp_is '.[1].state' active
  cloned
  refute_grep -aqE 'TENANT-WAS-HERE|AND-HERE' "$DISK"
  assert_equal "$(domstate)" running
  assert_equal "$(sha256sum < "$GPUAAS_HOST_DIR/vm/$ID/seed.iso")" "$seed"
  assert_equal "$(gpuaas-list claims | jq_in_order -c 'select(.live)')" "$before"
  allocation_is active
  run gpuaas-list slots --where "slot=$SLOT"
  jq_is '[.state,.tainted]|join(" ")' "active true"
  # Data that was written after that wipe is remembered as not wiped.
  run_ok host_sql "SELECT (SELECT max(at) FROM journal WHERE op = 'disk'
    AND undone = 0) > (SELECT max(at) FROM evidence)"
  assert_equal "$output" 1
  # The evidence is kept, told once, and says nothing about the slot's own wipe to come.
  run gpuaas-list evidence --where cause=rebuild
  jq_slurp_is length 1
  run audit_of "$SLOT"
  assert_output rebuild_wiped
  run_ok here bash -c 'gpuaas-release "$1" | gpuaas-wipe' - "$ID"
  slots_are available available
  run_ok gpuaas-state check
  run_ok host_sql \
    "SELECT count(*) FROM journal WHERE undone = 0 AND object = '$ID'"
  assert_equal "$output" 0
}

# typed WORD CMD…: CMD in the recorded host on a terminal, at which WORD is typed
typed()
{
  local word=$1
  shift
  printf '%s\n' "$word" | in_host script -qefc "$*" "$T/screen" > "$T/shown"
}

@test "rebuild asks on a terminal for the allocation's name" {
  make_vm
  printf 'TENANT-WAS-HERE' | dd of="$DISK" bs=1 seek=9437184 conv=notrunc status=none
  run typed demos gpuaas-vm rebuild demo
  assert_status 1
  grep -q "everything on the disks of $ID (demo) will be destroyed" "$T/screen"
  grep -q "nothing was done" "$T/screen"
  grep -aq TENANT-WAS-HERE "$DISK"
  assert_equal "$(domstate)" running
  run typed demo gpuaas-vm rebuild "$ID" --json
  assert_status 0
  refute_grep -aq TENANT-WAS-HERE "$DISK"
  cloned
}

@test "a rebuild that fails leaves the allocation active, with the reason and two ways out" {
  make_vm
  cp "$IMAGE" "$T/good"
  printf XXXXXXXX | dd of="$IMAGE" bs=1 seek=100 conv=notrunc status=none
  run_status 4 here gpuaas-vm rebuild "$ID" --yes
  jq_slurp_is 'map(.kind)|join(" ")' "gpuaas.wipe-evidence/1 gpuaas.failure/1"
  jq_slurp_is '.[1]|[.phase,.code]|join(" ")' "rebuild_clone image_digest"
  allocation_is active
  run_ok here gpuaas-list attention
  jq_is 'select(.object_kind == "allocation")|[.code,.command]|join(" ")' \
    "rebuild_failed gpuaas-vm rebuild $ID"
  run_status 4 here gpuaas-vm start "$ID"
  assert_stderr "gpuaas-vm rebuild $ID"
  # No wipe of this disk waits for anybody.
  run_ok here gpuaas-wipe --pending
  assert_equal "$output" ""
  dd if="$T/good" of="$IMAGE" conv=notrunc status=none
  run_ok here gpuaas-vm rebuild "$ID" --yes
  cloned
  run gpuaas-list attention
  assert_equal "$output" ""
}

@test "without a state: names of this host, records that fold elsewhere" {
  make_vm
  alone()
  {
    GPUAAS_STATE=$T/nowhere.db in_host "$@"
  }
  run_ok alone gpuaas-vm stop demo
  jq_is '[.allocation,.reason]|join(" ")' "$ID stopped"
  printf '%s\n' "$output" > "$T/told"
  power_is "on on"
  fold "$T/told"
  power_is "off off"
  fold "$T/told"
  run_ok alone gpuaas-vm rebuild "${ID:0:6}" --yes
  printf '%s\n' "$output" > "$T/told"
  fold "$T/told"
  power_is "on on"
  run gpuaas-list evidence --where cause=rebuild
  jq_slurp_is length 1
  run_status 5 alone gpuaas-vm start nobody
  run_ok here bash -c 'gpuaas-release "$1" | gpuaas-wipe' - "$ID"
  run_status 4 alone gpuaas-vm start "$ID"
  assert_stderr "the release of '$ID' is done"
}

@test "a rebuild killed at every boundary starts over and ends well" {
  make_vm
  gcc -shared -fPIC -o "$T/kill_at.so" "$SRC/tests/kill_at.c" -ldl
  for phase in check stop undo wipe clone seed network devices fabric define start lease_seen ready; do
    printf 'TENANT-WAS-HERE' | dd of="$DISK" bs=1 seek=9437184 conv=notrunc status=none
    KILL_SIGNAL=9 KILL_AT="\"phase\":\"rebuild_$phase\",\"state\":\"finished\"" \
      run --separate-stderr here env LD_PRELOAD="$T/kill_at.so:libumockdev-preload.so.0" \
      gpuaas-vm rebuild "$ID" --yes --progress json
    assert_status 137
    run_ok here gpuaas-vm rebuild "$ID" --yes
    cloned
    refute_grep -aq TENANT-WAS-HERE "$DISK"
    assert_equal "$(domstate)" running
    run_ok host_sql \
      "SELECT count(*), count(DISTINCT op || subject) FROM journal WHERE undone = 0"
    assert_equal "${output%|*}" "${output#*|}"
  done
  run_ok here gpuaas-wipe --pending
  assert_equal "$output" ""
  run_ok here bash -c 'gpuaas-release "$1" | gpuaas-wipe' - "$ID"
  slots_are available available
}

@test "reconcile reports a rebuild that was killed, nobody repairs it, and it is released like any other" {
  make_vm
  gcc -shared -fPIC -o "$T/kill_at.so" "$SRC/tests/kill_at.c" -ldl
  for phase in stop undo wipe clone seed define; do
    printf 'TENANT-WAS-HERE' | dd of="$DISK" bs=1 seek=9437184 conv=notrunc status=none
    KILL_SIGNAL=9 KILL_AT="\"phase\":\"rebuild_$phase\",\"state\":\"finished\"" \
      run --separate-stderr here env LD_PRELOAD="$T/kill_at.so:libumockdev-preload.so.0" \
      gpuaas-vm rebuild "$ID" --yes --progress json
    assert_status 137
    run here gpuaas-reconcile --repair --boot
    jq_slurp_is 'map(select(.code == "attempt_open"))|map("\(.observed) | \(.command) | \(.repaired)")|join(",")' \
      "rebuild left after rebuild_$phase | gpuaas-vm rebuild $ID | false"
    if [[ $phase != stop && $phase != define ]]; then
      jq_slurp_is 'map(select(.code == "domain_missing"))[0].command' "gpuaas-vm rebuild $ID"
      run virsh -q -c "$LIBVIRTD_URI" domstate "gpuaas-$ID"
      assert_status 1
    fi
    # Nothing but the rebuild itself goes on with it.
    run_status 4 here gpuaas-vm start "$ID"
    run_ok here bash -c 'gpuaas-release "$1" | gpuaas-wipe' - "$ID"
    slots_are available available
    refute_grep -aq TENANT-WAS-HERE "$DISK"
    run_ok host_sql \
      "SELECT count(*) FROM journal WHERE undone = 0 AND object = '$ID'"
    assert_equal "$output" 0
    here bash -c 'gpuaas-place --profile lab --gpus 1 --name demo --project vision | gpuaas-provision' \
      > "$T/provisioned"
    ID=$(allocation)
    SLOT=$(jq -r 'select(.kind == "gpuaas.allocation/1").slots[0]' "$T/provisioned")
    DISK=$WORK/disks/$(gpuaas-list slots | jq -r --arg id "$SLOT" \
      'select(.slot == $id).nvme_path | sub(".*/"; "")')
  done
  run_ok gpuaas-state check
}

@test "a rebuild of two slots wipes both disks and makes one machine of them again" {
  make_lab
  here bash -c 'gpuaas-place --profile lab --gpus 2 --name pair --project vision | gpuaas-provision' \
    > "$T/provisioned"
  ID=$(allocation)
  for disk in nvme1n1 nvme2n1; do
    printf 'TENANT-WAS-HERE' | dd of="$WORK/disks/$disk" bs=1 seek=9437184 conv=notrunc status=none
  done
  run_ok here gpuaas-vm rebuild pair --yes
  jq_slurp_is 'map(select(.kind == "gpuaas.wipe-evidence/1"))|map(.outcome)|join(" ")' \
    "confirmed confirmed"
  refute_grep -aq TENANT-WAS-HERE "$WORK/disks/nvme1n1" "$WORK/disks/nvme2n1"
  assert_equal "$(domstate)" running
  slots_are active active
}

@test "access: the published host key, and ssh that takes no other" {
  make_vm
  run_ok here gpuaas-vm access demo
  jq_is '[.kind,.allocation,.address]|join(" ")' "gpuaas.access/1 $ID $(gpuaas-list slots |
    jq -r --arg id "$SLOT" 'select(.slot == $id).private_ip')"
  jq_is '.known_hosts' "$(< "$GPUAAS_HOST_DIR/vm/$ID/known_hosts")"
  # From elsewhere the way in is its node, where the state knows by which address that is reached.
  jq_is '.jump_host' null
  node=$(gpuaas-list nodes | jq -r .node)
  jq_in_order -nc --arg n "$node" '{kind:"gpuaas.node-settings/1",node:$n,address:"h7.example.com"}' |
    gpuaas-state apply - > "$T/applied"
  run_ok here gpuaas-vm rebuild demo --yes
  run_ok here gpuaas-vm access demo
  jq_is '.jump_host' h7.example.com
  run_ok here gpuaas-vm access demo -o csv
  assert_output "allocation,node,user,address,jump_host,host_key_fingerprint,known_hosts"
  assert_output "h7.example.com,SHA256:"
  mkdir "$T/bin"
  printf '#!/bin/sh\nprintf "%%s\\n" "$@"\n' > "$T/bin/ssh"
  chmod 755 "$T/bin/ssh"
  ((EUID == 0)) || skip "only root can have a gpuaas.conf"
  run_ok here "$SRC/tests/own-conf" "GPUAAS_PATH=$T/bin:$FIXED_PATH" gpuaas-vm ssh demo -- nvidia-smi -L
  assert_output "-oStrictHostKeyChecking=yes"
  assert_output "-oUserKnownHostsFile=$GPUAAS_HOST_DIR/vm/$ID/known_hosts"
  assert_equal "${lines[-2]} ${lines[-1]}" "nvidia-smi -L"
  refute_output h7.example.com # this is it
  rm "$GPUAAS_HOST_DIR/vm/$ID/known_hosts"
  run_status 4 here gpuaas-vm ssh demo
  assert_stderr "impostor"
}

# A network of the test's own, with the table as the host has it: the programs see it, not ours.
in_net()
{
  nsenter --net="/proc/$NETNS_PID/ns/net" "$@"
}

has_net()
{
  [[ $(readlink "/proc/$1/ns/net") != "$(readlink /proc/self/ns/net)" ]]
}

make_net()
{
  [[ $EUID -eq 0 ]] || skip "only root makes network namespaces"
  background unshare --net sleep infinity
  NETNS_PID=$BG_PID
  wait_for 10 has_net "$NETNS_PID"
  in_net ip link set lo up
  in_net nft -f - << 'NFT'
add table ip gpuaas
add map ip gpuaas ingress { type inet_proto . inet_service : ipv4_addr . inet_service; }
add set ip gpuaas published { type inet_proto . ipv4_addr . inet_service; }
NFT
}

# netted CMD…: on the host, in that network
netted()
{
  in_host nsenter --net="/proc/$NETNS_PID/ns/net" "$@"
}

ports()
{
  in_net nft -j list map ip gpuaas ingress |
    jq_in_order -c '[.nftables[] | .map.elem // empty | .[] | .[0] | (.elem.val // .).concat]'
}

@test "publish: one port of the host leads to one guest, until unpublish or release" {
  make_net
  make_vm
  ip=$(gpuaas-list slots | jq -r --arg id "$SLOT" 'select(.slot == $id).private_ip')
  run_ok netted "$SRC/tests/on-terminal" 24x80 gpuaas-vm published demo
  assert_output "no published ports"
  run_ok netted gpuaas-vm publish demo --port 8080:80 --dry-run
  jq_is .dry_run true
  assert_equal "$(ports)" '[]'
  run_ok netted gpuaas-vm publish demo --port 8080:80
  jq_is '[.kind,.allocation,.proto,.port,.address,.to_port,.published]|join(" ")' \
    "gpuaas.ingress/1 $ID tcp 8080 $ip 80 true"
  run_ok in_net nft list map ip gpuaas ingress
  assert_output "tcp . 8080 comment \"$ID\" : $ip . 80"
  # So already: said again, nothing twice.
  run_ok netted gpuaas-vm publish demo --port 8080:80
  run_ok netted gpuaas-vm publish demo --port 8080 --proto udp
  assert_equal "$(ports)" '[["tcp",8080],["udp",8080]]'
  run_ok netted gpuaas-vm published demo
  jq_slurp_is 'map("\(.proto)/\(.port) \(.published)")|sort|join(" ")' "tcp/8080 true udp/8080 true"
  run_ok host_sql \
    "SELECT count(*) FROM journal WHERE undone = 0 AND done = 1 AND op = 'ingress'"
  assert_equal "$output" 2
  run_ok netted gpuaas-vm unpublish demo --port 8080 --proto udp
  jq_is '[.proto,.published]|join(" ")' "udp false"
  assert_equal "$(ports)" '[["tcp",8080]]'
  run_status 5 netted gpuaas-vm unpublish demo --port 8080 --proto udp
  run audit_of "$ID"
  assert_equal "$(grep -cE '^(un)?published$' <<< "$output")" 4
  run gpuaas-list tasks --where "object=$ID"
  assert_output publish_tcp_8080
  # After its release the port is closed and nothing of it is open work.
  run_ok netted bash -c 'gpuaas-release "$1" | gpuaas-wipe' - "$ID"
  slots_are available available
  assert_equal "$(ports)" '[]'
  run_ok host_sql \
    "SELECT count(*) FROM journal WHERE undone = 0 AND object <> 'node'"
  assert_equal "$output" 0
  run_status 4 netted gpuaas-vm publish demo --port 8080
}

is_listening()
{
  in_net grep -qi ":$(printf %04x "$1") 0*:0000 0A" /proc/net/tcp
}

@test "publish refuses what the host has or another allocation has, and ports that are none" {
  make_net
  make_vm
  # Not through in_net: what is ended is this process, not a shell that waits for it.
  background nsenter --net="/proc/$NETNS_PID/ns/net" python3 -c 'import socket, signal
s = socket.socket(); s.bind(("0.0.0.0", 9090)); s.listen(); signal.pause()'
  wait_for 20 is_listening 9090
  run_status 4 netted gpuaas-vm publish "$ID" --port 9090
  assert_stderr "the host itself listens on tcp/9090"
  run_status 4 netted gpuaas-vm publish "$ID" --port 22
  assert_stderr "is the ssh port of this host"
  run_ok netted gpuaas-vm publish "$ID" --port 2222:22
  run_status 4 netted gpuaas-vm publish "$ID" --port 2222:23
  assert_stderr "leads to"
  for port in 0 65536 x 80:0 80:x :80 80: ''; do
    run_status 2 netted gpuaas-vm publish "$ID" --port "$port"
  done
  run_status 2 netted gpuaas-vm publish "$ID"
  run_status 2 netted gpuaas-vm publish "$ID" --port 80 --proto sctp
  netted bash -c 'gpuaas-place --profile lab --gpus 1 --name other --project vision |
    gpuaas-provision' > "$T/provisioned"
  run_status 4 netted gpuaas-vm publish other --port 2222
  assert_stderr "is published for allocation '$ID'"
  assert_equal "$(ports)" '[["tcp",2222]]'
  # Without the table nothing is published, and nothing is left in the journal.
  in_net nft delete table ip gpuaas
  run_status 7 netted gpuaas-vm publish other --port 2223
  run_ok host_sql \
    "SELECT group_concat(subject) FROM journal WHERE undone = 0 AND op = 'ingress'"
  assert_equal "$output" tcp/2222
  run_ok netted gpuaas-vm published "$ID"
  jq_is .published false
}

# make_guest: the allocation as make_vm has it, its domain in QEMU for real
make_guest()
{
  make_vm
  qemu_start "$T/q" "$ID"
  export GPUAAS_LIBVIRT_URI=$QEMU_URI
  LIBVIRTD_URI=$QEMU_URI
}

shows()
{
  grep -aq "$1" "$T/shown"
}

@test "console: what the guest prints is shown and recorded, and the audit names the recording" {
  make_guest
  mkfifo "$T/typed"
  exec 9<> "$T/typed"
  background here gpuaas-vm console demo < "$T/typed" > "$T/shown" 2> "$T/words"
  console=$BG_PID
  printf 'hello-guest' >&9
  wait_for 60 shows hello-guest
  run audit_of "$ID"
  assert_output console_opened
  # The second one is refused, and leaves nothing behind.
  run_status 9 here gpuaas-vm console demo
  printf '\x1d' >&9
  wait "$console"
  exec 9>&-
  assert_equal "$(< "$T/words")" "$(printf 'console of %s, recorded in %s; ^] leaves it\nleft the console' \
    "$ID" "$(echo "$GPUAAS_HOST_DIR"/console/*.log)")"
  recording=$(echo "$GPUAAS_HOST_DIR"/console/*.log)
  assert_equal "$(stat -c %a "$recording")" 600
  cmp "$recording" "$T/shown"
  run jq -r 'select(.action == "console_closed") | .detail | "\(.path) \(.digest) \(.bytes)"' \
    <(gpuaas-list audit --where "object=$ID")
  assert_output "$recording sha256:$(sha256sum < "$recording" | cut -d' ' -f1) $(stat -c %s "$recording")"
  # The shown text is in no record.
  refute_grep -aq hello-guest "$GPUAAS_STATE" "$GPUAAS_HOST_DIR/host.db"
  run_ok "$SRC/tests/validate" "$SRC/share/schema" < "${recording%.log}.json"
  fold "${recording%.log}.json"
}

@test "console: the guest's end is its end, and an off VM has none" {
  make_guest
  background here gpuaas-vm console demo < /dev/null > "$T/shown" 2> "$T/words"
  console=$BG_PID
  wait_for 60 grep -q 'recorded in' "$T/words"
  virsh -q -c "$QEMU_URI" destroy "gpuaas-$ID"
  wait "$console"
  grep -q 'the console ended' "$T/words"
  run_status 4 here gpuaas-vm console demo
  assert_stderr "gpuaas-vm start"
  # The test driver has no consoles.
  export GPUAAS_LIBVIRT_URI="test+unix:///default?socket=$T/lv/libvirt-sock"
  run_status 9 here gpuaas-vm console demo
}

@test "a guest that does not listen is left running, unless --force says otherwise" {
  make_guest
  run_status 8 here gpuaas-vm stop demo --timeout 1s
  jq_is '[.power_wanted,.power_observed,.reason]|join(" ")' "off on guest_did_not_stop"
  assert_stderr "--force"
  assert_equal "$(domstate)" running
  power_is "off on"
  run_status 8 here gpuaas-vm reboot demo --timeout 0s
  assert_equal "$(domstate)" running
  run_ok here gpuaas-vm stop demo --timeout 1s --force
  jq_is '[.power_wanted,.power_observed,.reason]|join(" ")' "off off powered_off"
  assert_equal "$(domstate)" "shut off"
}

@test "reconcile: a guest agent that is silent while its VM runs, and only then" {
  make_guest
  run here gpuaas-reconcile
  jq_slurp_is 'map(select(.code == "guest_unhealthy"))|map("\(.object) \(.severity) \(.command)")|join(",")' \
    "$ID warning gpuaas-vm console $ID"
  run_ok here gpuaas-vm stop demo --timeout 0s --force
  run here gpuaas-reconcile
  jq_slurp_is 'map(select(.code == "guest_unhealthy"))|length' 0
}

@test "a host.db of before rebuilds is migrated, with all that stands in it" {
  mkdir -p "$GPUAAS_HOST_DIR"
  {
    cat "$SRC/share/sql/host-0001-base.sql"
    echo "INSERT INTO attempt (attempt, object, program, order_text, started_at)
      VALUES ('attempt9', 'a110c000', 'provision', '{}', '2026-01-01T00:00:00.000000Z');
      PRAGMA application_id = 0x47505548; PRAGMA user_version = 1;"
  } | host_sql
  setup_host lab1
  run_status 4 here gpuaas-vm access a110c000
  assert_stderr "the provisioning of 'a110c000' is working"
  run_ok host_sql "PRAGMA user_version" \
    "SELECT attempt || object || program || state FROM attempt"
  newest=$(find "$SRC/share/sql" -name "host-*.sql" | wc -l)
  assert_equal "$output" "$newest"$'\nattempt9a110c000provisionworking'
  # The rules of the old table hold for the new one.
  run ! host_sql "DELETE FROM attempt"
  run ! host_sql "UPDATE attempt SET order_text = '[]'"
  run ! host_sql "INSERT INTO attempt (attempt, object, program, order_text,
    started_at) VALUES ('attempt8', 'x', 'nonsense', '{}', '2026-01-01T00:00:00.000000Z')"
}
