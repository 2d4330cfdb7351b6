# SPDX-License-Identifier: Apache-2.0
# gpuaas-discover on recorded hosts, and on the machine the tests run on.

load helper

discover()
{
  run_ok in_host gpuaas-discover "$@"
}

host_is()
{
  jq_is "select(.kind == \"gpuaas.host/1\") | $1" "$2"
}

candidates_are()
{
  jq_is "select(.kind == \"gpuaas.candidate/1\") | $1" "$2"
}

left_out_is()
{
  host_is "[.left_out[] | select($1) | .code] | unique | join(\" \")" "$2"
}

@test "h200: each GPU gets the disk and the function behind its own switch" {
  setup_host h200
  discover
  candidates_are '[.slot_index, .gpu.pci_address, .nvme.pci_address, .fabric.vf_pci_address // "-"] | join(" ")' \
"0 0000:18:00.0 0000:19:00.0 0000:1a:00.1
1 0000:2a:00.0 0000:2b:00.0 0000:2c:00.1
2 0000:3a:00.0 0000:3b:00.0 0000:3c:00.1
3 0000:5d:00.0 0000:5e:00.0 -
4 0000:9a:00.0 0000:9b:00.0 0000:9c:00.1
5 0000:ab:00.0 0000:ac:00.0 0000:ad:00.1
6 0000:ba:00.0 0000:bb:00.0 0000:bc:00.1
7 0000:db:00.0 0000:dc:00.0 0000:dd:00.1"
  candidates_are 'select(.reasons != []) | "\(.slot_index) \(.reasons[].code)"' \
"3 missing_fabric_vf
5 iommu_group_shared"
  candidates_are 'select(.slot_index == 5) | .gpu.iommu_group_members | join(" ")' 0000:ae:00.0
  # The namespace's number is not its controller's: the wwid is what counts.
  candidates_are 'select(.slot_index == 2) | .nvme | "\(.path) \(.wwid)"' "/dev/nvme9n1 eui.002538b5410a1021"
}

@test "h200: the facts of a GPU, a disk and a function" {
  setup_host h200
  discover
  candidates_are 'select(.slot_index == 0) | .gpu | "\(.identity) \(.vendor_id):\(.device_id):\(.subsystem_vendor_id):\(.subsystem_device_id):\(.revision) \(.class) \(.type) \(.type_name)"' \
    "slot:1:10de:2335 10de:2335:10de:18be:a1 030200 nvidia-h200-141gb NVIDIA H200 141GB"
  candidates_are 'select(.slot_index == 0) | .gpu | [.numa_node, .iommu_group, .driver, .pcie_switch, .physical_slot, .boot_display, (.reset_methods | join("+")), ([.bars[].size_bytes / 1048576] | join("+"))] | map(tostring) | join(" ")' \
    "0 40 vfio-pci 0000:16:00.0 1 false flr+bus 16+262144+32"
  candidates_are 'select(.slot_index == 2) | .nvme | [.serial, .model, .firmware, .size_bytes, .logical_block_bytes, .nsid, .namespaces, .diskseq, .is_block, .signatures_known, .capabilities.oacs] | map(tostring) | join("|")' \
    "S7LANE0W510415|SAMSUNG MZWLO3T8HCLS-00A07|OPPA4B5Q|67108864|512|1|1|17|false|true|null"
  candidates_are 'select(.slot_index == 0) | .fabric | [.pf_pci_address, .vf_index, .numa_node, .driver, .link_layer, .rdma_device, .guid, .claim_mode] | map(tostring) | join(" ")' \
    "0000:1a:00.0 0 0 vfio-pci infiniband mlx5_0 a088:c203:0010:0000 per_slot_vf"
}

@test "a GPU that does not answer, and one that nothing can reset, have a reason" {
  setup_host lab1 gpu.0.command=ffff gpu.1.reset_method=
  discover
  candidates_are '"\(.slot_index) \(.gpu.answers) \(.gpu.can_reset) \(.reasons | map(.code) | join(","))"' \
"0 false true gpu_not_answering
1 true false gpu_no_reset"
  candidates_are '.reasons[] | select(.hint == null)' ""
  # A reset of the bus alone is one where nothing else hangs from the bridge.
  setup_host lab1 gpu.0.reset_method=bus
  discover
  candidates_are 'select(.slot_index == 0) | .gpu.can_reset' true
  setup_host lab1 'gpu.1.addr="0000:18:01.0"' gpu.0.reset_method=bus
  discover
  candidates_are 'select(.slot_index == 0) | "\(.gpu.can_reset) \(.reasons[0].code): \(.reasons[0].evidence)"' \
    "false gpu_no_reset: its only reset, of the bus, reaches other devices too"
}

@test "h200: what is left out, and why" {
  setup_host h200
  discover
  left_out_is '.address == "0000:04:00.0"' boot_display
  left_out_is '.device == "switch"' nvswitch
  host_is '[.left_out[] | select(.device == "switch")] | length' 4
  left_out_is '.device == "nvme"' boot_disk
  host_is '.left_out[] | select(.device == "nvme") | .evidence' "nvme4n1p2 mounted on /; nvme4n1p1 mounted on /boot/efi (eui.002538b911000b07)"
  left_out_is '.address == "0000:05:00.0" or .address == "0000:05:00.1"' dpu_management
  left_out_is '.address == "0000:5f:00.0"' no_free_vf
  left_out_is '.address == "0000:1a:00.2"' in_use
  left_out_is '.address == "0000:02:00.0"' management_nic
}

@test "the stream closes with a count and a digest over its own bytes" {
  setup_host h200
  in_host gpuaas-discover > "$T/stream"
  output=$(< "$T/stream")
  jq_slurp_is 'map(.kind) | [first, last] | join(" ")' "gpuaas.host/1 gpuaas.end/1"
  jq_slurp_is '.[-1].count' 8
  jq_slurp_is '.[-1].digest' "sha256:$(head -n -1 "$T/stream" | sha256sum | cut -d' ' -f1)"
  jq_slurp_is 'map(.fingerprint) | unique | length' 1
  jq_slurp_is 'map(.node) | unique | join(" ")' n-8a2000000000
}

@test "suggestions share out what the host has, in whole cores" {
  setup_host h200
  discover
  candidates_are '[.slot_index, .suggested.cpuset, .suggested.memory_mib, .suggested.private_ip, .suggested.port] | map(tostring) | join(" ")' \
"0 0-11,96-107 196608 10.100.0.2 gpuaas0
1 12-23,108-119 196608 10.100.0.3 gpuaas1
2 24-35,120-131 196608 10.100.0.4 gpuaas2
3 36-47,132-143 196608 10.100.0.5 gpuaas3
4 48-59,144-155 196608 10.100.0.6 gpuaas4
5 60-71,156-167 196608 10.100.0.7 gpuaas5
6 72-83,168-179 196608 10.100.0.8 gpuaas6
7 84-95,180-191 196608 10.100.0.9 gpuaas7"
  jq_slurp_is '[.[].suggested.mac? // empty] | [length, (unique | length)] | join(" ")' "8 8"
}

@test "settings: reserves, network, bridge" {
  setup_host lab1
  GPUAAS_RESERVED_CPUS=0,16 GPUAAS_NETWORK=192.168.7.0/28 GPUAAS_BRIDGE=br9 GPUAAS_UPLINK=eno1 discover
  candidates_are '[.suggested.cpuset, .suggested.private_ip, .suggested.bridge] | join(" ")' \
"1-7,17-23 192.168.7.2 br9
8-15,24-31 192.168.7.3 br9"
  host_is '.network | [.gateway, .prefix_bits, .uplink] | map(tostring) | join(" ")' "192.168.7.1 28 eno1"
  host_is '[.warnings[].code] | index("no_reserved_cpus")' null
  host_is '.prerequisites[] | select(.name == "bridge") | .state' missing
}

@test "settings that cannot be are refused, and named" {
  setup_host lab1
  GPUAAS_NETWORK=10.0.0.1/24 run_status 2 in_host gpuaas-discover
  assert_stderr "GPUAAS_NETWORK: '10.0.0.1/24' has host bits set"
  GPUAAS_RESERVED_CPUS=a run_status 2 in_host gpuaas-discover
  assert_stderr GPUAAS_RESERVED_CPUS
  GPUAAS_RESERVED_MEMORY=lots run_status 2 in_host gpuaas-discover
  assert_stderr GPUAAS_RESERVED_MEMORY
  GPUAAS_ACCELERATORS=/nonexistent run_status 5 in_host gpuaas-discover
  assert_stderr "'/nonexistent' does not exist"
  run_status 2 in_host gpuaas-discover --node 'No Name'
  assert_stderr "'No Name' is not a name"
  run_status 2 in_host gpuaas-discover extra
}

@test "a mounted, held, swapped-on or multipath disk is in no candidate" {
  setup_host h200 nvme.0.mount=/data nvme.1.holder=dm-0 nvme.2.swap=true nvme.3.multipath=true
  discover
  left_out_is '.name == "/dev/nvme8n1"' mounted
  left_out_is '.name == "/dev/nvme7n1"' in_use
  left_out_is '.name == "/dev/nvme9n1"' in_use
  host_is '.left_out[] | select(.name == "/dev/nvme7n1") | .evidence' "held by dm-0 (eui.002538b5410a1011)"
  host_is '.left_out[] | select(.name == "/dev/nvme9n1") | .evidence' "swap on nvme9n1 (eui.002538b5410a1021)"
  left_out_is '.code == "hidden_path"' hidden_path
  candidates_are 'select(.slot_index == 3) | .nvme | "\(.wwid) \(.pci_address)"' \
    "eui.002538b5410a1031 0000:5e:00.0"
  candidates_are 'select(.nvme == null) | .reasons[].code' "missing_nvme
missing_nvme
missing_nvme"
}

@test "a disk below a loop device is in no candidate, and loop and mount are named" {
  setup_host lab1 nvme.1.loop=/srv/customer
  discover
  left_out_is '.name == "/dev/nvme2n1"' mounted
  host_is '.left_out[] | select(.name == "/dev/nvme2n1") | .evidence' \
    "loop700 mounted on /srv/customer; under loop device loop700 (/dev/nvme2n1) (eui.002538b1000000a1)"
  candidates_are 'select(.nvme.path == "/dev/nvme2n1")' ""
  # Not mounted, and over a file on the file system of another disk
  sed -i '/loop700/d' "$HOST/proc/self/mountinfo"
  discover
  left_out_is '.name == "/dev/nvme2n1"' in_use
  echo "99 25 259:777 / /data rw - ext4 /dev/nvme1n1 rw" >> "$HOST/proc/self/mountinfo"
  echo /data/image > "$HOST/sys/devices/virtual/block/loop700/loop/backing_file"
  discover
  left_out_is '.name == "/dev/nvme2n1"' ""
  host_is '.left_out[] | select(.name == "/dev/nvme1n1") | .evidence' \
    "nvme1n1 mounted on /data; under loop device loop700 (/data/image) (eui.002538b1000000a2)"
}

@test "a disk that the kernel exports is in no candidate" {
  setup_host lab1
  mkdir -p "$HOST/sys/kernel/config/nvmet/subsystems/nqn.x/namespaces/7"
  echo /dev/nvme2n1 > "$HOST/sys/kernel/config/nvmet/subsystems/nqn.x/namespaces/7/device_path"
  discover
  left_out_is '.name == "/dev/nvme2n1"' in_use
  host_is '.left_out[] | select(.name == "/dev/nvme2n1") | .evidence' "exported by nvmet subsystem nqn.x/7 (eui.002538b1000000a1)"
}

@test "a disk without a signature is reported by what it reads as" {
  setup_host lab1
  in_host true
  yes 'customer row 4711' | head -c 16777216 > "$WORK/disks/nvme2n1"
  discover
  candidates_are '[.slot_index, .nvme.content, .nvme.signatures_known, .nvme.uses_known] | map(tostring) | join(" ")' \
"0 unknown_content true true
1 empty true true"
  candidates_are 'select(.slot_index == 1) | .nvme.content_blocks' 4096
  candidates_are 'select(.slot_index == 0) | .reasons[] | "\(.code): \(.evidence); \(.hint)"' \
    "nvme_signature: unknown content: no known signature, and not empty; look at it; if nobody needs the data: gpuaas-discover | gpuaas-approve --slot 0 --destroy-data eui.002538b1000000a1 | gpuaas-wipe"
}

@test "a signature on a disk is reported, with the command that gives the data up" {
  setup_host lab1
  in_host true
  mkswap -q "$WORK/disks/nvme2n1"
  discover
  candidates_are 'select(.slot_index == 0) | .nvme.signatures | join(" ")' "nvme2n1: swap"
  candidates_are 'select(.slot_index == 0) | .reasons[] | "\(.code) \(.hint)"' \
    "nvme_signature look at it; if nobody needs the data: gpuaas-discover | gpuaas-approve --slot 0 --destroy-data eui.002538b1000000a1 | gpuaas-wipe"
  candidates_are 'select(.slot_index == 1) | .reasons | length' 0
}

@test "the fingerprint follows the hardware, not names, drivers, mounts or the boot" {
  local one
  setup_host lab1
  discover
  one=$(jq -r 'select(.kind == "gpuaas.end/1").fingerprint' <<< "$output")
  setup_host lab1 gpu.0.driver=nvidia nvme.1.mount=/data nvme.2.ctrl=7 machine_id=00000000000000000000000000000001
  discover
  host_is .fingerprint "$one"
  setup_host lab1 gpu.1=null
  discover
  run ! jq -e --arg f "$one" 'select(.kind == "gpuaas.host/1") | .fingerprint == $f' <<< "$output"
  setup_host lab1 nvme.1.eui=002538b1000000ff
  discover
  run ! jq -e --arg f "$one" 'select(.kind == "gpuaas.host/1") | .fingerprint == $f' <<< "$output"
}

@test "the working directory makes no difference" {
  local one
  setup_host lab1
  cd /
  discover
  one=$(jq -rs '.[-1].fingerprint' <<< "$output")
  cd "$T"
  discover
  host_is .fingerprint "$one"
  jq_slurp_is '[.[] | select(.nvme and .fabric.rdma_device)] | length' 2
}

@test "a GPU on a host driver is a candidate all the same" {
  setup_host lab1 gpu.0.driver=nvidia
  discover
  candidates_are '"\(.gpu.driver) \(.reasons | length)"' "nvidia 0
vfio-pci 0"
}

@test "what breaks isolation is a blocker with its fix" {
  setup_host lab1 iommu.kind=none cmdline="quiet"
  discover
  host_is '.blockers[0] | .code' no_iommu
  host_is '.blockers[0].hint | test("intel_iommu=on iommu=pt")' true
  candidates_are '.gpu.iommu_group | tostring' "null
null"
  setup_host lab1 cmdline="intel_iommu=on iommu=pt pcie_acs_override=downstream"
  discover
  host_is '[.blockers[].code] | join(" ")' acs_override
  setup_host lab1 modules.vfio_iommu_type1.allow_unsafe_interrupts=Y
  discover
  host_is '[.blockers[].code] | join(" ")' unsafe_interrupts
  setup_host lab1 cmdline="intel_iommu=on iommu=pt intremap=off"
  discover
  host_is '[.blockers[].code] | join(" ")' no_interrupt_remapping
  setup_host lab1
  discover
  host_is '.blockers | length' 0
}

@test "every prerequisite has a state, and each that is not met its fix" {
  setup_host lab1 sysctl='{"net.ipv4.ip_forward":0}'
  discover
  host_is '[.prerequisites[].name] | join(" ")' "kvm iommu_groups kernel_arguments interrupt_remapping no_acs_override no_unsafe_interrupts vfio_pci sriov ovs bridge ip_forward nat_rule libvirt firmware rdma free_space disk_autoactivation"
  host_is '[.prerequisites[] | select(.state != "ok" and .hint == null)] | length' 0
  host_is '[.prerequisites[] | select(.evidence == null)] | length' 0
  host_is '.prerequisites[] | select(.name == "ip_forward") | .state' missing
  host_is '[.warnings[].code] | index("ip_forward_missing") != null' true
  host_is '[.warnings[].code] | index("userspace_datapath")' null
  setup_host lab1 net.1.tun_flags=0x1002
  discover
  host_is '.warnings[] | select(.code == "userspace_datapath") | .subject' ovsbr0
  host_is '.blockers | length' 0
}

@test "the node id: the machine id, a setting, an option; a clone is reported" {
  setup_host lab1
  discover
  host_is .node n-1ab100000000
  GPUAAS_NODE=h7 discover
  host_is .node h7
  GPUAAS_NODE=h7 discover --node h8
  host_is .node h8
  setup_host lab1 machine_id=00000000000000000000000000000000
  discover
  host_is '[.warnings[].code] | index("node_id_clone") != null' true
  GPUAAS_NODE=h7 discover
  host_is '[.warnings[].code] | index("node_id_clone")' null
}

@test "Fabric Manager is read where its library is, and nothing is made up without" {
  setup_host h200
  export GPUAAS_LIBNVFM=$GPUAAS_BUILD/tests/libnvfm.so.1 GPUAAS_FAKE_FABRIC=$HOST/fabric.json
  discover
  host_is '.fabric_manager | "\(.state) \(.partitions | length) \(.partitions[3].module_ids | join(","))"' "ok 15 1,3"
  jq_slurp_is '[.[] | .gpu?.module_id // empty] | join(" ")' "2 4 3 1 7 5 8 6"
  echo 4 > "$HOST/fabric.json.active"
  discover
  host_is '[.fabric_manager.partitions[] | select(.active) | .id] | join(" ")' 4
  unset GPUAAS_FAKE_FABRIC
  discover
  host_is .fabric_manager.state unknown
  host_is '.fabric_manager.evidence | test("cannot connect")' true
  GPUAAS_LIBNVFM=/nonexistent.so discover
  host_is '.fabric_manager | "\(.state) \(.partitions | length)"' "absent 0"
  jq_slurp_is '[.[] | .gpu?.module_id // empty] | length' 0
}

@test "mi300x: AMD, RoCE functions are fabric" {
  setup_host mi300x
  discover
  jq_slurp_is '[.[] | select(.gpu and .nvme and .fabric and .reasons == [])] | length' 8
  candidates_are 'select(.slot_index == 0) | "\(.gpu.type) \(.fabric.link_layer) \(.fabric.rdma_device)"' \
    "amd-mi300x-192gb ethernet bnxt_re0"
  left_out_is '.code == "no_gpu_left"' no_gpu_left
}

@test "mixed: no NUMA affinity, no SR-IOV, a type nobody knows, two namespaces on a drive" {
  setup_host mixed
  discover
  candidates_are '[.gpu.type_name, .numa_node, .nvme.nsid, .nvme.namespaces, .suggested.cpuset] | map(tostring) | join("|")' \
"NVIDIA L40S 48GB|null|1|2|0-15,32-47
type unknown (10de:2230)|null|2|2|16-31,48-63"
  candidates_are 'select(.slot_index == 1) | [.reasons[].code] | join(" ")' "iommu_group_shared gpu_is_boot_display missing_fabric_vf"
  # approve refuses its slot with the same reason: its audio function stays with the host.
  candidates_are 'select(.slot_index == 1).reasons[0].evidence' "IOMMU group 9 also has 0000:42:00.1 (of its own card)"
}

@test "domains: PCI domains above 0 and a drive behind VMD" {
  setup_host domains
  discover
  candidates_are '.gpu.pci_address' "0001:18:00.0
0002:9a:00.0"
  host_is '.left_out[] | select(.code == "no_gpu_left") | .address' 10000:e1:00.0
}

@test "a catalogue of one's own names what the built-in one does not know" {
  setup_host mixed
  echo '{"accelerators":[{"slug":"nvidia-rtx-a6000-48gb","name":"NVIDIA RTX A6000 48GB","vendor_id":"10de","pci":[{"device_id":"2230"}]}]}' > "$T/own.json"
  GPUAAS_ACCELERATORS=$T/own.json discover
  candidates_are '.gpu.type_name' "type unknown (10de:26b9)
NVIDIA RTX A6000 48GB"
}

@test "for people: every reason beside its fix" {
  setup_host h200
  discover --table
  assert_output "boot_disk"
  assert_output "#5 iommu_group_shared: IOMMU group 120 also has 0000:ae:00.0"
  assert_output "fix: move the other device to another slot"
  assert_output "NVIDIA H200 141GB"
  discover --table --explain
  assert_output "/dev/kvm is there (not opened)"
}

@test "it reads only, and never opens /dev/kvm" {
  setup_host lab1
  # The leak checker does not work under strace.
  ASAN_OPTIONS=$ASAN_OPTIONS:detect_leaks=0 in_host strace -f -o "$T/trace" -e trace=open,openat,openat2,creat,unlink,unlinkat,rename,mkdir,mkdirat,ioctl gpuaas-discover > /dev/null
  run grep -E 'O_WRONLY|O_RDWR|O_CREAT|O_TRUNC|^[0-9]+ +(creat|unlink|rename|mkdir)' "$T/trace"
  # The glue opens /dev/null, umockdev its own sockets.
  refute_output /sys
  refute_output /dev/nvme
  run grep -F '"/dev/kvm"' "$T/trace"
  assert_status 1
  run grep -c nvme2n1 "$T/trace"
  assert_status 0
}

@test "this machine: a host record, whatever it is, also without root" {
  run_ok gpuaas-discover
  jq_slurp_is '[.[] | select(.kind == "gpuaas.host/1" or .kind == "gpuaas.end/1")] | length' 2
  jq_slurp_is '.[0].fingerprint == .[-1].fingerprint' true
  [[ $EUID -eq 0 ]] || return 0
  mkdir "$T/any"
  cp "$GPUAAS_BUILD/bin/gpuaas-discover" "$T/any/"
  chmod 755 "$T" "$T/any" "$T/any/gpuaas-discover"
  local as_root=$output
  run_ok setpriv --reuid 65534 --regid 65534 --clear-groups "$T/any/gpuaas-discover"
  jq_slurp_is '.[0].fingerprint' "$(jq -rs '.[0].fingerprint' <<< "$as_root")"
}

@test "what the operator's catalogue names is an accelerator, whatever its class and vendor" {
  setup_host lab1
  discover
  candidates_are '.gpu.type' "nvidia-h200-141gb
nvidia-h200-141gb"
  jq '.accelerators += [{slug: "own-card", name: "Own Card", vendor: "Own", vendor_id: "8086",
    pci: [{device_id: "09a2", role: "pf", subsystems: [], ambiguous: null}]}]' \
    "$BATS_TEST_DIRNAME/../share/accelerators.json" > "$T/own.json"
  GPUAAS_ACCELERATORS=$T/own.json discover
  candidates_are 'select(.gpu.type == "own-card") | "\(.gpu.pci_address) \(.gpu.class)"' \
    "0000:00:00.0 088000"
}
