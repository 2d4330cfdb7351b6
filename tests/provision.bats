# SPDX-License-Identifier: Apache-2.0
# Provisioning on the host side, with plans written by hand and no state.

load helper
load plan

setup()
{
  common_setup
  setup_host lab1
  make_image 12 5
  wipe_disks
}

disk0()
{
  cmp -n "$(stat -c %s "$IMAGE")" "$IMAGE" "$WORK/disks/nvme2n1"
}

@test "a plan becomes an active allocation" {
  start_libvirtd
  plan > "$T/plan"
  run_ok in_host gpuaas-provision "$T/plan"
  jq_is .kind gpuaas.allocation/1
  jq_is '[.allocation,.state,.power_observed,.attempt]|join(" ")' "a110c000 active on attempt0"
  disk0
  run_ok virsh -q -c "$LIBVIRTD_URI" domstate gpuaas-a110c000
  assert_output running
  run_ok cat "$T/dhcp/gpuaas-a110c000"
  assert_equal "$output" "02:00:00:00:00:01,10.100.0.11,gpuaas-a110c000,infinite"
  # QEMU, another user, passes through to the seed.
  run_ok stat -c %a "$GPUAAS_HOST_DIR/vm" "$GPUAAS_HOST_DIR/vm/a110c000"
  assert_equal "$output" $'711\n711'
}

# provision [PLAN]: in the recorded host, with the preload of kill_at.c when KILL_AT is set
provision()
{
  if [[ -n ${KILL_AT-} ]]; then
    in_host env LD_PRELOAD="$T/kill_at.so:libumockdev-preload.so.0" \
      gpuaas-provision --progress json "${1:-$T/plan}"
  else
    in_host gpuaas-provision "${1:-$T/plan}"
  fi
}

untouched()
{
  cmp -n "$(stat -c %s "$WORK/disks/nvme2n1")" "$WORK/disks/nvme2n1" /dev/zero
  run ! test -e "$GPUAAS_HOST_DIR/vm/a110c000"
  run_ok find "$T/dhcp" -mindepth 1
  assert_equal "$output" ""
}

# The content of host.db, as text
host_db()
{
  host_sql .dump
}

# told_errors N BOOT: gpuaas-reconcile told of so many errors of the first GPU in that boot
told_errors()
{
  host_sql "INSERT OR REPLACE INTO gpu_errors (gpu_identity, boot_id, fatal, at)
    VALUES ('slot:1:10de:2335', '$2', $1, '2026-11-20T18:00:00.000000Z')"
}

# refused STATUS CODE JQ [PHASE]: a plan changed by JQ is refused with the code, in that phase, and nothing is touched
refused()
{
  plan "$3" > "$T/plan"
  run_status "$1" provision
  jq_is '[.kind,.code,.status]|join(" ")' "gpuaas.failure/1 $2 $1"
  [[ -z ${4-} ]] || jq_is .phase "$4"
  untouched
}

@test "a plan that is not to be carried out is refused before anything is touched" {
  start_libvirtd
  refused 4 dry_run '.dry_run = true'
  refused 4 wrong_node '.node = "n-somewhere"'
  refused 4 expired '.expires_at = "2026-01-01T00:00:00.000000Z"'
  refused 4 other_boot '.boot_id = "22220000-0000-4000-8000-000000000001"'
  refused 4 fingerprint_changed ".fingerprint = \"sha256:$(printf '%064d' 0)\""
  refused 4 missing_gpu '.bundles[0].gpu_pci_address = "0000:77:00.0"'
  refused 4 gpu_changed '.bundles[0].gpu_device = "10de:9999"'
  refused 4 gpu_changed '.bundles[0].gpu_identity = "slot:9:10de:2335"'
  refused 4 missing_fabric_vf '.bundles[0].fabric_vf_pci_address = "0000:1a:01.7"'
  refused 5 image_missing '.image.path = "/nowhere/image.raw"'
  refused 4 image_digest ".image.chunks_digest = \"sha256:$(printf '%064d' 0)\""
  refused 4 image_digest ".image.chunks_digest = null | .image.digest = \"sha256:$(printf '%064d' 0)\""
  refused 4 image_size '.image.size_bytes = 20971520'
  refused 4 hugepages '.memory_mib = 1048576'
  refused 4 bridge_missing '.network.bridge = "nobridge"'
  refused 7 dhcp_hosts_dir '.domain_type = "qemu" | .network.dhcp_hosts_dir = "/nowhere"'
  refused 4 mmio_budget '.domain_type = "qemu" | .network.bridge = null'
  refused 4 not_lab '.lab = false'
  # Twice the same slot, or another with a device of it: nobody waits for himself.
  refused 4 duplicate_identity '.bundles += [.bundles[0]]' hold
  refused 4 duplicate_identity '.bundles += [.bundles[0] | .slot = "aaaaaaaa"]' hold
  refused 4 duplicate_identity '.bundles[0].slot = .allocation' hold
  refused 5 user_data_missing ".user_data_digest = \"sha256:$(printf '%064d' 0)\""
  plan > "$T/good"
  sed 's/"vcpus":4/"vcpus":5/' "$T/good" > "$T/plan"
  run_status 4 provision
  jq_is .code old_digest
  untouched
  # The refusals left nothing that keeps the plan itself from being carried out.
  run_ok provision "$T/good"
}

@test "a disk that is used, or is another one, is refused before a write" {
  start_libvirtd
  refused 5 missing_nvme '.bundles[0].nvme_wwid = "eui.00000000deadbeef"'
  plan > "$T/plan"
  setup_host lab1 nvme.1.mount=/data
  run_status 4 provision
  jq_is '.phase' recheck
  assert_output /data
  setup_host lab1
  plan '.bundles[0].nvme_size_bytes = 4096' > "$T/plan"
  run_status 4 provision
  untouched
}

@test "a GPU that does not answer, or that nothing can reset, is refused before a write" {
  start_libvirtd
  setup_host lab1 gpu.0.command=ffff
  refused 4 gpu_not_answering . recheck
  setup_host lab1 gpu.0.reset_method=
  refused 7 gpu_no_reset . recheck
}

@test "a GPU that a process has open is refused before a write, and the process is named" {
  [[ $(id -u) -eq 0 ]] || skip "only root sees what others have open"
  start_libvirtd
  plan > "$T/plan"
  run_status 4 in_host bash -c 'exec 7< /dev/vfio/10; echo "$$" > "$1"
    gpuaas-provision "$2" 7<&-; exit "$?"' - "$T/holder" "$T/plan"
  jq_is '[.phase, .code] | join(" ")' "recheck device_in_use"
  jq_is .sentence "process $(< "$T/holder") (bash) has '0000:18:00.0' open"
  untouched
}

@test "a GPU or disk that a running domain will have when it starts again is refused before a write" {
  start_libvirtd
  plan > "$T/plan"
  somebody()
  {
    virsh -q -c "$LIBVIRTD_URI" define /dev/stdin << XML
<domain type='test'><name>somebody</name>${uuid:+<uuid>$uuid</uuid>}<memory unit='MiB'>64</memory>
<os><type>hvm</type></os><devices>$1</devices></domain>
XML
  }
  uuid=''
  somebody ""
  virsh -q -c "$LIBVIRTD_URI" start somebody
  uuid=$(virsh -q -c "$LIBVIRTD_URI" domuuid somebody)
  somebody "<hostdev mode='subsystem' type='pci' managed='no'><source>
    <address domain='0x0000' bus='0x18' slot='0x00' function='0x0'/></source></hostdev>"
  run_status 4 provision
  jq_is '[.code,.sentence]|join(": ")' "device_in_use: '0000:18:00.0' is used by domain 'somebody'"
  untouched
  somebody "<disk type='block' device='disk'><source dev='/dev/nvme2n1'/><target dev='vda'/></disk>"
  run_status 4 provision
  jq_is .code nvme_in_use
  assert_output "libvirt domain somebody uses it"
  untouched
  somebody "<disk type='volume' device='disk'><source pool='none' volume='data'/><target dev='vda'/></disk>"
  run_status 4 provision
  jq_is .code nvme_in_use
  assert_output "whether domain 'somebody' uses it is not known: volume 'data' of storage pool 'none' cannot be looked up"
  untouched
}

@test "a GPU whose reset fails: no domain is started" {
  start_libvirtd
  plan > "$T/plan"
  local dir=$HOST/sys/devices/pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:00.0/0000:18:00.0
  mkdir -p "$dir"
  ln -s /dev/full "$dir/reset"
  run_status 10 provision
  jq_is '[.phase, .code] | join(" ")' "devices reset_failed"
  run_ok virsh -q -c "$LIBVIRTD_URI" list --all --name
  refute_output gpuaas-
}

@test "libvirt that does not answer is a failure that changes nothing" {
  export GPUAAS_LIBVIRT_URI="test+unix:///default?socket=$T/nobody"
  plan > "$T/plan"
  run_status 9 provision
  jq_is .code libvirt_down
  untouched
}

@test "an image whose bytes changed fails in clone, and its attempt is over" {
  start_libvirtd
  printf x | dd of="$IMAGE" bs=1 seek=4194305 conv=notrunc status=none
  plan > "$T/plan"
  run_status 4 provision
  jq_is '[.phase,.code]|join(" ")' "clone image_digest"
  failed=$output
  run_status 4 provision
  assert_equal "$output" "$failed"
}

@test "killed at every boundary and run again: it goes on, and nothing is done twice" {
  gcc -shared -fPIC -o "$T/kill_at.so" "$SRC/tests/kill_at.c" -ldl
  for signal in 9 15 2; do
    for phase in hold recheck prerequisites clone seed network devices fabric define start \
      lease_seen ssh_ready; do
      start_libvirtd
      plan ".attempt = \"$(printf 'at%s%04d' "${signal:0:1}x" "$((RANDOM % 10000))")\"" > "$T/plan"
      KILL_SIGNAL=$signal KILL_AT="\"phase\":\"$phase\",\"state\":\"finished\"" \
        run --separate-stderr provision
      # The worker of an order was killed (10), or gave up at the next phase (8).
      if ((signal == 9)); then assert_status 10; else assert_status 8; fi
      run_ok provision
      jq_is '[.kind,.state]|join(" ")' "gpuaas.allocation/1 active"
      disk0
      run_ok virsh -q -c "$LIBVIRTD_URI" domstate gpuaas-a110c000
      assert_output running
      run_ok host_sql \
        "SELECT count(*), count(DISTINCT op || subject) FROM journal WHERE undone = 0"
      assert_equal "${output%|*}" "${output#*|}"
      stop_libvirtd
      rm -rf "$GPUAAS_HOST_DIR" "$T/dhcp" "$WORK/disks"
      wipe_disks
    done
  done
}

@test "killed twice while it waits for the guest: the disk of the running guest is not written again" {
  gcc -shared -fPIC -o "$T/kill_at.so" "$SRC/tests/kill_at.c" -ldl
  start_libvirtd
  plan > "$T/plan"
  for signal in 15 2 9; do
    KILL_SIGNAL=$signal KILL_AT='"phase":"ssh_ready","state":"started"' \
      run --separate-stderr provision
    if ((signal == 9)); then assert_status 10; else assert_status 8; fi
    # The guest writes.
    printf 'of the tenant' | dd of="$WORK/disks/nvme0n1" bs=512 seek=100 conv=notrunc status=none
    assert_equal "$(host_sql "SELECT phase FROM attempt WHERE program = 'provision'")" lease_seen
  done
  run_ok provision
  jq_is '[.kind,.state]|join(" ")' "gpuaas.allocation/1 active"
  jq_is '[.phases[].phase] | map(select(. == "clone")) | length' 0
  assert_equal "$(dd if="$WORK/disks/nvme0n1" bs=512 skip=100 count=1 status=none | tr -d '\0' |
    cut -c1-13)" 'of the tenant'
}

@test "a dry run prints what would be done and changes nothing" {
  start_libvirtd
  plan > "$T/plan"
  before=$(host_db)
  run_ok in_host gpuaas-provision --dry-run "$T/plan"
  jq_is '[.state,.dry_run]|join(" ")' "placed true"
  assert_stderr "write image lab-image"
  # The domain as it is, line by line, to its end; the reset by the method that would be chosen.
  assert_stderr "define domain gpuaas-a110c000:
<domain type='test'>
  <name>gpuaas-a110c000</name>"
  assert_stderr "
</domain>
start domain gpuaas-a110c000"
  assert_stderr "write bus to /sys/bus/pci/devices/0000:18:00.0/reset_method, 1 to \
/sys/bus/pci/devices/0000:18:00.0/reset, and the methods back"
  untouched
  assert_equal "$(host_db)" "$before"
}

@test "a disk that host.db does not have as wiped is refused, also by a dry run" {
  start_libvirtd
  # Never wiped here: the host was set up anew, or host.db is lost.
  mv "$GPUAAS_HOST_DIR" "$T/kept-db"
  plan > "$T/plan"
  run_status 4 in_host gpuaas-provision --dry-run "$T/plan"
  jq_is '[.phase, .code, .dry_run] | map(tostring) | join(" ")' "recheck not_wiped true"
  run ! test -e "$GPUAAS_HOST_DIR"
  run_status 4 provision
  jq_is '[.phase, .code] | join(" ")' "recheck not_wiped"
  assert_output "no record of a finished wipe of disk 'eui.002538b1000000a1' of slot 's0000000'"
  jq_is '.hint | contains("gpuaas-release a110c000")' true
  untouched
  # Wiped, and written by another since.
  rm -r "$GPUAAS_HOST_DIR"
  mv "$T/kept-db" "$GPUAAS_HOST_DIR"
  host_sql "INSERT INTO journal (object, op, subject, inverse, done, at)
    VALUES ('b220c000', 'disk', 'eui.002538b1000000a1', '{}', 1, '2999-01-01T00:00:00.000000Z')"
  run_status 4 in_host gpuaas-provision --dry-run "$T/plan"
  jq_is .code not_wiped
  run_status 4 provision
  jq_is '[.phase, .code] | join(" ")' "recheck not_wiped"
  assert_output "was written by allocation 'b220c000' and not wiped since"
  # The other disk has its wipe.
  plan '.bundles = [.bundles[1]] | .count = 1 | .vcpus = 4 | .memory_mib = 2048' 2 > "$T/plan"
  run_ok provision
}

@test "fatal bus errors that the state does not know refuse their GPU; those that it knows do not" {
  start_libvirtd
  setup_host lab1 'gpu.0.aer={"fatal":2}'
  plan > "$T/plan"
  run_status 4 in_host gpuaas-provision --dry-run "$T/plan"
  jq_is .code health_failed
  run_status 4 provision
  jq_is '[.phase, .code] | join(" ")' "recheck health_failed"
  assert_output "the bus has counted fatal errors of GPU '0000:18:00.0', 2 since"
  untouched
  told_errors 2 2222
  refused 4 health_failed . recheck
  told_errors 1 1ab10000-0000-4000-8000-000000000001
  refused 4 health_failed . recheck
  told_errors 2 1ab10000-0000-4000-8000-000000000001
  run_ok provision
}

@test "two at the same plan: one works, the other names who has it" {
  start_libvirtd
  plan > "$T/plan"
  mkdir -p "$GPUAAS_HOST_DIR/hold"
  exec 8> "$GPUAAS_HOST_DIR/hold/a110c000"
  flock 8
  run_status 8 provision
  assert_equal "$output" ""
  assert_stderr "is being worked on by"
  exec 8>&-
  run_ok provision
}

@test "--resume goes on with what this host has begun" {
  start_libvirtd
  run_status 5 in_host gpuaas-provision --resume a110c000
  plan > "$T/plan"
  run_ok provision
  first=$output
  run_ok in_host gpuaas-provision --resume a110c000
  assert_equal "$output" "$first"
  # A prefix and the name of its plan mean it too.
  for word in a110 demo; do
    run_ok in_host gpuaas-provision --resume "$word"
    assert_equal "$output" "$first"
  done
  run_status 5 in_host gpuaas-provision --resume b110
  assert_stderr "begun no plan of 'b110'"
}

@test "secrets stay in 0600 files and out of every record" {
  start_libvirtd
  mkdir -p "$GPUAAS_HOST_DIR/user-data"
  printf '#cloud-config\nruncmd: [echo hunter2]\n' > "$T/ud"
  digest=$(sha256sum "$T/ud" | cut -d' ' -f1)
  cp "$T/ud" "$GPUAAS_HOST_DIR/user-data/$digest"
  plan ".user_data_digest = \"sha256:$digest\"" > "$T/plan"
  run_ok in_host gpuaas-provision --progress json "$T/plan"
  refute_output hunter2
  refute_stderr hunter2
  refute_grep -rq hunter2 "$GPUAAS_HOST_DIR/host.db"
  run_ok stat -c %a "$GPUAAS_HOST_DIR/vm/a110c000/seed.iso"
  assert_equal "$output" 600
  grep -aq hunter2 "$GPUAAS_HOST_DIR/vm/a110c000/seed.iso"
  grep -aq "BEGIN OPENSSH PRIVATE KEY" "$GPUAAS_HOST_DIR/vm/a110c000/seed.iso"
}

@test "several plans at once, each on its own disk" {
  start_libvirtd
  { plan; plan '.allocation = "b220c000" | .domain = "gpuaas-b220c000" | .attempt = "attempt9" |
      .bundles = [.bundles[1]] | .count = 1 | .vcpus = 4 | .memory_mib = 2048' 2; } > "$T/plan"
  run_ok in_host gpuaas-provision --jobs 2 "$T/plan"
  jq_slurp_is 'map(.allocation)|sort|join(" ")' "a110c000 b220c000"
  cmp -n "$(stat -c %s "$IMAGE")" "$IMAGE" "$WORK/disks/nvme1n1"
}

@test "a driver in the image that is not of Fabric Manager's release is refused; unknown is not" {
  start_libvirtd
  printf '#!/bin/sh\necho "Fabric Manager version is : 550.54.15"\n' > "$T/fm"
  chmod 755 "$T/fm"
  export GPUAAS_FABRIC_MANAGER=$T/fm
  refused 4 fm_driver_mismatch '.fabric_partition = 1 | .image.driver_version = "570.86.15"'
  refused 4 fm_driver_mismatch '.fabric_partition = 1 | .image.driver_version = "550.5.1"'
  for plan in '.image.driver_version = "570.86.15"' \
    '.fabric_partition = 1 | .image.driver_version = "550.54.99"' \
    '.fabric_partition = 1'; do
    plan "$plan" > "$T/plan"
    run_ok in_host gpuaas-provision --dry-run "$T/plan"
    jq_is .state placed
  done
  plan '.fabric_partition = 1 | .image.driver_version = "570.86.15"' > "$T/plan"
  for fm in /nowhere/nv-fabricmanager true; do
    GPUAAS_FABRIC_MANAGER=$fm run_ok in_host gpuaas-provision --dry-run "$T/plan"
  done
}
