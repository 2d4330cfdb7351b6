# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2016 # filters of jq
#
# Plans and release orders for the recorded host lab1, written by hand, so that the host side is
# tested without any state. IMAGE is set by make_image.

# make_image SIZE_MIB DATA_MIB: a raw image with data at its start and holes behind, and its chunks
make_image()
{
  IMAGE=$T/images/lab.raw
  mkdir -p "$T/images"
  truncate -s "$1M" "$IMAGE"
  head -c "$2M" /dev/urandom | dd of="$IMAGE" conv=notrunc status=none
  gpuaas-image add "$IMAGE" --name lab-image --probe running > "$T/image.json"
}

image_member()
{
  jq -r "select(.kind==\"gpuaas.image/1\").$1" "$T/image.json"
}

# seal: reads a plan without digest, adds the digest of its compact text
seal()
{
  local text digest
  text=$(jq_in_order -c .)
  digest=$(printf %s "$text" | sha256sum)
  echo "${text%?},\"digest\":\"sha256:${digest%% *}\"}"
}

# The parts of the records below, for jq: the first N slots of lab1, and its network.
PARTS='
  def bundles($n): [
    {slot:"s0000000",claim:"c0000000",slot_index:0,generation:3,numa_node:0,
     gpu_identity:"slot:1:10de:2335",gpu_pci_address:"0000:18:00.0",gpu_device:"10de:2335",module_id:2,
     nvme_wwid:"eui.002538b1000000a1",nvme_serial:"S7LANE0L000001",nvme_path:"/dev/nvme2n1",
     nvme_size_bytes:16777216,fabric_vf_pci_address:"0000:1a:00.1",fabric_pf_pci_address:"0000:1a:00.0",
     cpuset:"0-3",memory_mib:2048,mac:"02:00:00:00:00:01",private_ip:"10.100.0.11",
     bridge:"ovsbr0",port:"gp-0",wipe_attempt:null},
    {slot:"s0000001",claim:"c0000001",slot_index:1,generation:4,numa_node:1,
     gpu_identity:"slot:2:10de:2335",gpu_pci_address:"0000:9a:00.0",gpu_device:"10de:2335",module_id:1,
     nvme_wwid:"eui.002538b1000000a2",nvme_serial:"S7LANE0L000002",nvme_path:"/dev/nvme1n1",
     nvme_size_bytes:16777216,fabric_vf_pci_address:"0000:1a:00.2",fabric_pf_pci_address:"0000:1a:00.0",
     cpuset:"8-11",memory_mib:2048,mac:"02:00:00:00:00:02",private_ip:"10.100.0.12",
     bridge:"ovsbr0",port:"gp-1",wipe_attempt:null}] | .[:$n];
  def network: {bridge:"ovsbr0",uplink:"eth0",gateway:"10.100.0.1",prefix_bits:24,
    dhcp_hosts_dir:($t+"/dhcp"),lease_file:null};
'

# plan [JQ [N]]: a plan of N slots (1), changed by the filter JQ before it is sealed
plan()
{
  local filter=${1:-.} n=${2:-1}
  mkdir -p "$T/dhcp"
  jq_in_order -cn --argjson n "$n" --arg t "$T" --arg image "$IMAGE" \
    --arg digest "$(image_member digest)" --arg chunks "$(image_member chunks_digest)" \
    --argjson size "$(image_member size_bytes)" --arg format "$(image_member format)" "$PARTS"'
    bundles($n) as $b |
    {kind:"gpuaas.plan/1",allocation:"a110c000",name:"demo",node:"n-1ab100000000",generation:2,
     attempt:"attempt0",dry_run:false,shape:"slice",project:"vision",profile:"lab",
     profile_version:1,count:($b|length),created_at:"2026-11-20T18:00:00.000000Z",
     expires_at:"2999-01-01T00:00:00.000000Z",epoch:1,
     boot_id:"1ab10000-0000-4000-8000-000000000001",fingerprint:null,bundles:$b,
     vcpus:(4*($b|length)),memory_mib:(2048*($b|length)),hugepage_kib:1048576,
     image:{name:"lab-image",digest:$digest,chunks_digest:$chunks,path:$image,format:$format,
            size_bytes:$size,firmware:"efi",probe:"running",user:"ubuntu",driver_version:null},
     domain:"gpuaas-a110c000",domain_type:"test",mac:$b[0].mac,private_ip:$b[0].private_ip,
     port:$b[0].port,network:network,keys:["ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKey me@x"],
     user_data_digest:null,fabric_partition:null,
     wipe:{minimum_class:"clear",verify:"full",gpu_memory:"if_supported"},price_micros:4000000,
     lab:true} | '"$filter" | seal
}

# wipe_orders: the orders to wipe both slots
wipe_orders()
{
  jq_in_order -cn "$PARTS"'
    bundles(2)[] | {kind:"gpuaas.wipe-order/1",node:"n-1ab100000000",object:.slot,claim:null,
      allocation:null,generation:1,attempt:"w900000\(.slot_index)",dry_run:false,
      issued_at:"2026-11-20T17:00:00.000000Z",cause:"first",nvme_wwid,nvme_serial,nvme_path,
      nvme_size_bytes,destroy_data:null,gpu_identity,gpu_pci_address,gpu_device,
      fabric_vf_pci_address:null,fabric_pf_pci_address:null,
      wipe:{minimum_class:"clear",verify:"full",gpu_memory:"if_supported"},lab:true}'
}

# wipe_disks: the host has wiped both, and its host.db says so; without that no plan is carried out.
# It does so once a file of tests, and is the same host in each of them.
wipe_disks()
{
  local kept=$BATS_FILE_TMPDIR/wiped
  mkdir -p "$GPUAAS_HOST_DIR"
  chmod 700 "$GPUAAS_HOST_DIR"
  if [[ -d $kept ]]; then
    cp -a "$kept/." "$GPUAAS_HOST_DIR"
    return
  fi
  wipe_orders | in_host gpuaas-wipe > "$T/wiped-before" 2> "$T/wiped-words" ||
    { cat "$T/wiped-words"; return 1; }
  cp -a "$GPUAAS_HOST_DIR" "$T/wiped-host"
  mv -T "$T/wiped-host" "$kept" || [[ -d $kept ]] # a case beside this one was faster
}

# release_order [JQ [N]]: the order that takes the plan's devices back
release_order()
{
  jq_in_order -cn --argjson n "${2:-1}" --arg t "$T" "$PARTS"'
    bundles($n) as $b |
    {kind:"gpuaas.release-order/1",allocation:"a110c000",node:"n-1ab100000000",generation:3,
     attempt:"attempt1",dry_run:false,issued_at:"2026-11-20T19:00:00.000000Z",shape:"slice",
     domain:"gpuaas-a110c000",graceful_seconds:1,
     bundles:($b|to_entries|map(.value+{wipe_attempt:"w000000\(.key)",generation:9})),
     fabric_partition:null,network:network,
     wipe:{minimum_class:"clear",verify:"full",gpu_memory:"if_supported"},lab:true} | '"${1:-.}"
}
