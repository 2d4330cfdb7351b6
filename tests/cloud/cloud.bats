# SPDX-License-Identifier: Apache-2.0
# A full Debian cloud image with real cloud-init through the real programs: libvirt and QEMU in
# software, Open vSwitch's userspace datapath, dnsmasq, a loop device as the disk of a slot. Run by
# tests/cloud/enter (make check-cloud).
#
# PCI and the name of the disk are a recorded host's (lab1): this machine has neither GPU nor NVMe.
# The plan is a real node's, not a lab's: the disk is a block device with every check of the guard.

load ../helper

W=/run/cloud
MARKER=gpuaas-tenant-was-here

setup()
{
  export T=$W HOST=$W/host WORK=$W/work HOME=$W TMPDIR=$W/tmp LC_ALL=C.UTF-8 TZ=UTC
  export PATH=$GPUAAS_BUILD/bin:$PATH GPUAAS_HOST_DIR=$W/hostdir GPUAAS_STATE=$W/none.db
  export GPUAAS_IMAGES=$W/kept GPUAAS_LIBVIRT_URI="qemu:///system?socket=$W/libvirt/libvirt-sock"
}

teardown()
{
  if [[ -z ${BATS_TEST_COMPLETED-} ]]; then
    tail -n 30 "$W"/*.log "$W"/hostdir/vm/*/console.log 2> /dev/null || :
  fi
}

# detached CMD…: in the background, without any descriptor of bats; its output is in a log
detached()
{
  (
    for fd in /proc/self/fd/*; do
      fd=${fd##*/}
      ((fd < 3)) || eval "exec $fd>&-"
    done
    "$@"
  ) < /dev/null >> "$W/$1.log" 2>&1 &
  echo $! >> "$W/pids"
}

# The disk of the first slot is the loop device: its number, size and sequence in the recorded /sys.
make_host()
{
  local number=${CLOUD_LOOP##*loop}
  "$SRC/tests/hosts/generate" lab1 "$HOST" 'defaults.gpu.bars=["16M64p"]' nvme.1.size_mib=4096 \
    nvme.2=null nvme.0=null
  python3 - "$HOST/host.umockdev" "$number" "$(< "/sys/block/loop$number/diskseq")" << 'PY'
import re, sys
path, number, seq = sys.argv[1:]
blocks = open(path).read().split("\n\n")
for i, block in enumerate(blocks):
    if re.match(r"P: .*/block/nvme2n1$|P: .*/nvme2n1$", block.split("\n")[0]):
        block = re.sub(r"(?m)^N: .*\n", "", block)
        block = re.sub(r"(?m)^(A: dev=)259:\d+", r"\g<1>7:" + number, block)
        block = re.sub(r"(?m)^(A: diskseq=|E: DISKSEQ=)\d+", r"\g<1>" + seq, block)
        block = re.sub(r"(?m)^E: MAJOR=259$", "E: MAJOR=7", block)
        blocks[i] = re.sub(r"(?m)^E: MINOR=\d+$", "E: MINOR=" + number, block)
open(path, "w").write("\n\n".join(blocks))
PY
  # Not a file of the recording: the node itself, in this /dev.
  sed -i '/^nvme2n1\t/d' "$HOST/disks.tsv"
  rm -f "$HOST"/dev/disk/by-id/*002538b1000000a1*
  mknod /dev/nvme2n1 b 7 "$number"
}

start_ovs()
{
  local run=/run/openvswitch
  mkdir -p $run
  ovsdb-tool create $run/conf.db /usr/share/openvswitch/vswitch.ovsschema
  detached ovsdb-server --remote=punix:$run/db.sock $run/conf.db
  wait_for 60 test -S $run/db.sock
  ovs-vsctl --timeout=60 --no-wait init
  detached ovs-vswitchd
  wait_for 60 ovs-vsctl --timeout=60 add-br ovsbr0 -- set bridge ovsbr0 datapath_type=netdev
  ip addr add 10.100.0.1/24 dev ovsbr0
  ip link set ovsbr0 up
}

start_dnsmasq()
{
  mkdir -p "$W/dhcp"
  detached dnsmasq --conf-file=/dev/null --keep-in-foreground --log-facility=- --log-dhcp \
    --interface=ovsbr0 --bind-interfaces --except-interface=lo --port=0 --user=root \
    --dhcp-range=10.100.0.0,static,255.255.255.0,12h --dhcp-hostsdir="$W/dhcp" \
    --dhcp-leasefile="$W/leases" --pid-file=
}

# in_host, where ioctls on what is not recorded, the loop device, go to the kernel: umockdev answers
# them all, as long as it has this socket.
in_world()
{
  # shellcheck disable=SC2016 # for the inner shell
  in_host bash -c 'cd "$UMOCKDEV_DIR" && rm -f ioctl/_default dev/kvm; exec "$@"' - "$@"
}

libvirt_answers()
{
  virsh -q -c "$GPUAAS_LIBVIRT_URI" list > /dev/null 2>&1
}

# In the recorded host too, whose functions it is to hand over.
start_libvirt()
{
  local drivers=$W/drivers
  mkdir -p "$W/libvirt" "$drivers" "$W/bin"
  ln -s /usr/lib/*/libvirt/connection-driver/libvirt_driver_qemu.so "$drivers/"
  ln -s "$SRC/tests/cloud/qemu" "$W/bin/qemu-system-x86_64"
  printf '%s\n' 'user = "root"' 'group = "root"' 'dynamic_ownership = 0' 'remember_owner = 0' \
    'security_driver = "none"' 'namespaces = []' 'stdio_handler = "file"' > /etc/libvirt/qemu.conf
  printf '%s\n' "unix_sock_dir = \"$W/libvirt\"" 'auth_unix_rw = "none"' \
    "log_outputs = \"2:file:$W/libvirtd.log\"" > "$W/libvirtd.conf"
  gcc -shared -fPIC -o "$W/libvirtd_world.so" "$SRC/tests/fake/libvirtd_world.c"
  detached in_world env PATH="$W/bin:$PATH" LIBVIRT_DRIVER_DIR="$drivers" \
    LD_PRELOAD="$W/libvirtd_world.so:libumockdev-preload.so.0" \
    libvirtd -f "$W/libvirtd.conf" -p "$W/libvirtd.pid"
  wait_for 120 libvirt_answers || { tail -n 30 "$W"/*.log; return 1; }
}

setup_file()
{
  [[ -n ${CLOUD_LOOP-} ]] || { echo "run tests/cloud/enter, or make check-cloud" >&2; return 1; }
  mkdir -p "$W/tmp"
  setup
  make_host
  start_ovs
  start_dnsmasq
  ssh-keygen -q -t ed25519 -N '' -f "$W/key"
  detached python3 "$SRC/tests/cloud/phone" 10.100.0.1 8000 "$W/phone"
  start_libvirt
}

teardown_file()
{
  local pid
  while read -r pid; do
    kill "$pid" 2> /dev/null || :
  done < "$W/pids"
}

image_fact()
{
  jq -r "select(.kind == \"gpuaas.image/1\").$2" "$1.json"
}

seal()
{
  local text
  text=$(jq_in_order -c .)
  jq_in_order -c --arg d "sha256:$(printf %s "$text" | sha256sum | cut -d ' ' -f 1)" '. + {digest: $d}' \
    <<< "$text"
}

# plan ALLOCATION IMAGE IP [JQ]: of the first slot
plan()
{
  jq_in_order -cn --arg id "$1" --arg image "$2" --arg ip "$3" --arg digest "$(image_fact "$2" digest)" \
    --arg chunks "$(image_fact "$2" chunks_digest)" --arg name "$(image_fact "$2" name)" \
    --argjson size "$(image_fact "$2" size_bytes)" --arg key "$(< "$W/key.pub")" --arg w "$W" \
    --argjson disk "$CLOUD_LOOP_BYTES" '
    {kind:"gpuaas.plan/1",allocation:$id,name:"vision-1",node:"n-1ab100000000",generation:2,
     attempt:("t" + $id[1:]),dry_run:false,shape:"slice",project:"vision",profile:"cloud",
     profile_version:1,count:1,created_at:"2026-11-20T18:00:00.000000Z",
     expires_at:"2999-01-01T00:00:00.000000Z",epoch:1,
     boot_id:"1ab10000-0000-4000-8000-000000000001",fingerprint:null,
     bundles:[{slot:"s0000000",claim:"c0000000",slot_index:0,generation:3,numa_node:null,
       gpu_identity:"slot:1:10de:2335",gpu_pci_address:"0000:18:00.0",gpu_device:"10de:2335",
       module_id:2,nvme_wwid:"eui.002538b1000000a1",nvme_serial:"S7LANE0L000001",
       nvme_path:"/dev/nvme2n1",nvme_size_bytes:$disk,fabric_vf_pci_address:null,
       fabric_pf_pci_address:null,cpuset:"0-1",memory_mib:2048,mac:"02:00:00:00:00:01",
       private_ip:$ip,bridge:"ovsbr0",port:"gp-0",wipe_attempt:null}],
     vcpus:2,memory_mib:2048,hugepage_kib:null,
     image:{name:$name,digest:$digest,chunks_digest:$chunks,path:$image,format:"raw",
       size_bytes:$size,firmware:"bios",probe:"ssh",user:"debian",
       driver_version:null},
     domain:("gpuaas-" + $id),domain_type:"qemu",mac:"02:00:00:00:00:01",private_ip:$ip,
     port:"gp-0",network:{bridge:"ovsbr0",uplink:"eth0",gateway:"10.100.0.1",prefix_bits:24,
       dhcp_hosts_dir:($w + "/dhcp"),lease_file:($w + "/leases")},keys:[$key],
     user_data_digest:null,fabric_partition:null,
     wipe:{minimum_class:"clear",verify:"full",gpu_memory:"if_supported"},price_micros:4000000,
     lab:false}' | jq_in_order -c "${4:-.}" | seal
}

# The tenant's own user-data, in a file named by its digest.
user_data()
{
  mkdir -p "$W/user-data"
  cat > "$W/user-data.yaml" << 'YAML'
#cloud-config
users:
  - default
  - name: alice
    groups: [sudo]
    shell: /bin/bash
write_files:
  - path: /etc/tenant
    content: written by the tenant's user-data
phone_home:
  url: http://10.100.0.1:8000/$INSTANCE_ID
  post: [hostname, instance_id, pub_key_ed25519]
  tries: 5
YAML
  sum=$(sha256sum < "$W/user-data.yaml" | cut -d ' ' -f 1)
  mv "$W/user-data.yaml" "$W/user-data/$sum"
  echo "sha256:$sum"
}

guest()
{
  ssh -F /dev/null -T -i "$W/key" -oBatchMode=yes -oStrictHostKeyChecking=yes \
    -oHostKeyAlgorithms=ssh-ed25519 -oGlobalKnownHostsFile=/dev/null \
    -oUserKnownHostsFile="$W/known_hosts" -oConnectTimeout=10 debian@10.100.0.11 "$@"
}

# No plan is carried out on a disk that host.db does not have as wiped.
first_wipe()
{
  jq_in_order -cn --argjson disk "$CLOUD_LOOP_BYTES" '
    {kind:"gpuaas.wipe-order/1",node:"n-1ab100000000",object:"s0000000",claim:null,allocation:null,
     generation:1,attempt:"w9000000",dry_run:false,issued_at:"2026-11-20T17:00:00.000000Z",
     cause:"first",nvme_wwid:"eui.002538b1000000a1",nvme_serial:"S7LANE0L000001",
     nvme_path:"/dev/nvme2n1",nvme_size_bytes:$disk,destroy_data:null,gpu_identity:null,
     gpu_pci_address:null,gpu_device:null,fabric_vf_pci_address:null,fabric_pf_pci_address:null,
     wipe:{minimum_class:"clear",verify:"full",gpu_memory:"if_supported"},lab:false}' > "$W/first"
  run_ok in_world bash -c 'gpuaas-wipe < "$1"' - "$W/first"
}

@test "a plan becomes a VM that serves, with cloud-init, on a disk of its own" {
  first_wipe
  digest=$(user_data)
  plan ac100000 "$CLOUD_IMAGE" 10.100.0.11 ".user_data_digest = \"$digest\"" > "$W/plan"
  run_ok in_world gpuaas-provision --progress json --user-data-dir "$W/user-data" "$W/plan"
  printf '%s\n' "$output" > "$W/provisioned"
  jq_is 'select(.kind == "gpuaas.allocation/1") | .state' active
  jq_is 'select(.kind == "gpuaas.allocation/1") | .network.lease_state' seen
  jq_is 'select(.kind == "gpuaas.allocation/1") | .access.address' 10.100.0.11
  # The published host key is what a person would check.
  cut -d ' ' -f 2- "$W"/hostdir/vm/ac100000/known_hosts | sed 's/^/10.100.0.11 /' > "$W/known_hosts"
  assert_equal "$(jq -r 'select(.kind == "gpuaas.allocation/1") | .access.host_key_fingerprint' \
    "$W/provisioned")" "$(ssh-keygen -l -f "$W/known_hosts" | cut -d ' ' -f 2)"
}

cloud_init_is_done()
{
  [[ $(guest cloud-init status 2> /dev/null) == *done* ]]
}

@test "cloud-init made the tenant's machine: name, users, keys, host key, disk" {
  wait_for 400 cloud_init_is_done
  run_ok guest hostname
  assert_output vision-1
  run_ok guest id alice
  assert_output sudo
  run_ok guest cat /etc/tenant
  assert_output "written by the tenant"
  run_ok guest cat .ssh/authorized_keys
  assert_output "$(cut -d ' ' -f 2 "$W/key.pub")"
  run_ok guest sudo cat /etc/ssh/ssh_host_ed25519_key.pub
  assert_output "$(cut -d ' ' -f 3 "$W/known_hosts")"
  run_ok guest sudo sshd -T
  assert_output "passwordauthentication no"
  run_ok guest sudo passwd -S root
  assert_output "root L"
  # The root file system grew into the disk, of which the image is a part.
  run_ok guest df --output=size -B1 /
  ((${lines[1]} > 3 * 1073741824))
  run_ok guest sudo cloud-init query v1.instance_id
  assert_output gpuaas-ac100000-tc100000
  run_ok guest cat /proc/bus/pci/devices
  assert_output 1b360005 # what stands for the GPU
}

has_phoned()
{
  grep -q instance_id "$W/phone" 2> /dev/null
}

@test "it phones home, with its name and the host key that the seed published" {
  wait_for 300 has_phoned
  run_ok cat "$W/phone"
  assert_output gpuaas-ac100000-tc100000
  assert_output "$(cut -d ' ' -f 3 "$W/known_hosts")"
}

@test "released: nothing of it is left on the host but its bytes on the disk" {
  run_ok guest "sudo sh -c 'echo $MARKER > /var/marker; sync'"
  grep -q "$MARKER" "$CLOUD_LOOP"
  jq_in_order -cn --slurpfile p "$W/plan" '$p[0] as $p |
    {kind:"gpuaas.release-order/1",allocation:$p.allocation,node:$p.node,generation:3,
     attempt:"r0000001",dry_run:false,issued_at:"2026-11-20T19:00:00.000000Z",shape:"slice",
     domain:$p.domain,graceful_seconds:60,
     bundles:($p.bundles | map(. + {wipe_attempt:"w0000001",generation:9})),fabric_partition:null,
     network:$p.network,wipe:$p.wipe,lab:false}' > "$W/order"
  run_ok in_world bash -c 'gpuaas-release < "$1"' - "$W/order"
  printf '%s\n' "$output" > "$W/released"
  run_ok virsh -q -c "$GPUAAS_LIBVIRT_URI" list --all --name
  refute_output gpuaas-
  run_ok ovs-vsctl list-ports ovsbr0
  refute_output gp-0
  assert_equal "$(ls "$W/dhcp")" ""
  run ! test -e "$W/hostdir/vm/ac100000"
  grep -q "$MARKER" "$CLOUD_LOOP"
}

@test "wiped: not one byte of the tenant in any place of the disk" {
  grep gpuaas.wipe-order/1 "$W/released" > "$W/wipe"
  run_ok in_world bash -c 'gpuaas-wipe < "$1"' - "$W/wipe"
  jq_is 'select(.kind == "gpuaas.wipe-evidence/1") | .outcome' confirmed
  run ! grep -q "$MARKER" "$CLOUD_LOOP"
  cmp -n "$CLOUD_LOOP_BYTES" "$CLOUD_LOOP" /dev/zero
}

# Somebody who has the address and a host key of his own.
start_impostor()
{
  ip addr add 10.100.0.12/24 dev ovsbr0
  dropbearkey -t ed25519 -f "$W/impostor" > /dev/null 2>&1
  detached dropbear -F -E -s -r "$W/impostor" -p 10.100.0.12:22
  wait_for 30 ssh-keyscan -t ed25519 10.100.0.12
}

@test "an impostor on the expected address is refused" {
  start_impostor
  plan ac100001 "$MUTE_IMAGE" 10.100.0.12 '.network.lease_file = null' > "$W/plan2"
  run_status 4 in_world gpuaas-provision "$W/plan2"
  jq_is 'select(.kind == "gpuaas.failure/1") | [.phase, .code] | join(" ")' \
    "ssh_ready host_key_mismatch"
  run_ok cat "$W/hostdir/vm/ac100001/known_hosts"
}
