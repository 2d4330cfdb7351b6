# SPDX-License-Identifier: Apache-2.0
# gpuaas-export kueue, odh, dra, slurm: against the schemas of the published CRDs and Slurm's own
# parser, from discoveries, slots and profiles; what cannot be said is left out and told.

load helper

setup()
{
  common_setup
  export GPUAAS_ACCELERATORS_DIR=$T/d
}

# A lab with so many nodes of eight H200, n00001 with the host gpu-host-1 and so on.
fleet()
{
  gpuaas-state init --lab > "$T/init"
  gpuaas-state apply "$SRC/share/objects/h200-slice.json" > "$T/apply"
  setup_host h200
  in_host gpuaas-discover > "$T/pattern"
  "$GPUAAS_BUILD/bench/fleet" "$GPUAAS_STATE" "$1" < "$T/pattern"
  state_sql "UPDATE node SET generation = generation + 1,
    name = replace(id, 'n0000', 'gpu-host-')"
}

# slot NODE INDEX TYPE|NULL: a node that was not discovered, with a slot of that type
slot()
{
  state_sql "PRAGMA foreign_keys=ON;
    INSERT INTO node (id, since) SELECT '$1', 'x' WHERE NOT EXISTS (SELECT 1 FROM node WHERE id = '$1');
    INSERT INTO slot (id, node_id, slot_index, since, accelerator_type, type_name)
      VALUES ('$1-$2', '$1', $2, 'x', nullif('$3', 'NULL'), 'GPU')" 2>&1
}

profile()
{
  jq_in_order -c --arg name "$1" --argjson types "$2" '.name = $name | .types = $types' \
    "$SRC/share/objects/h200-slice.json" | gpuaas-state apply - > "$T/apply"
}

# $output is a List of valid objects of this kind only, so many of them.
valid()
{
  printf '%s\n' "$output" > "$T/list.json"
  /usr/bin/python3 -c 'import jsonschema' 2> /dev/null ||
    skip "jsonschema is missing (package python3-jsonschema)"
  /usr/bin/python3 - "$SRC/tests/kube-schemas.json" "$T/list.json" "$1" "$2" << 'END'
import json
import sys
import jsonschema
schema, made = (json.load(open(f, encoding="utf-8")) for f in sys.argv[1:3])
jsonschema.Draft7Validator.check_schema(schema)
jsonschema.Draft7Validator(schema).validate(made)
kinds = [o["kind"] for o in made["items"]]
assert kinds == [sys.argv[3]] * int(sys.argv[4]), kinds
END
}

@test "the samples of the formats are valid, and what is not valid is seen" {
  output=$(jq -n '{apiVersion: "v1", kind: "List", items: [{apiVersion: "kueue.x-k8s.io/v1beta2",
    kind: "ResourceFlavor", metadata: {name: "x"}, spec: {nodeLabels: {"a/b": "c"}}}]}')
  valid ResourceFlavor 1
  good=$output
  for change in '.items[0].spec.nodeLabels["a/b"] = "c d"' '.items[0].metadata.name = "A"' \
    '.items[0].spec.nodelabels = {}' '.items[0].apiVersion = "v1"' \
    '.items[0].spec.tolerations = [{operator: "Exists", value: "x"}]'; do
    output=$(jq "$change" <<< "$good")
    run ! valid ResourceFlavor 1
  done
  output=$(jq -n '{apiVersion: "v1", kind: "List", items: [{apiVersion: "infrastructure.opendatahub.io/v1",
    kind: "HardwareProfile", metadata: {name: "x", namespace: "y", annotations: {}}, spec: {identifiers: [],
    scheduling: {type: "Queue", node: {}}}}]}')
  run ! valid HardwareProfile 1
}

@test "kueue: a flavor for each type that nodes or profiles have, by the labels that select it" {
  fleet 1
  slot old 0 nvidia-a100-sxm4-80gb
  slot old 1 nvidia-a100-sxm4-80gb
  slot amd 0 amd-mi300x-192gb
  slot odd 0 NULL
  slot odder 0 nvidia-x9000
  slot odder 1 nvidia-h200-141gb
  profile training '["nvidia-b200-180gb", "nvidia-h200-141gb"]'
  run_status 1 gpuaas-export dra --classes
  assert_stderr "of node 'odder' is left out: GPUs whose type is not known"
  run_status 1 gpuaas-export kueue
  assert_stderr "of node 'odd' is left out: GPUs whose type is not known"
  assert_stderr "of node 'odder' is left out: GPUs whose type is not known"
  valid ResourceFlavor 4
  jq_is '.items[] | "\(.metadata.name) \(.spec.nodeLabels | to_entries | map("\(.key)=\(.value)") | join(","))"' \
    "amd-mi300x-192gb amd.com/gpu.product-name=AMD_Instinct_MI300X_OAM
nvidia-a100-sxm4-80gb nvidia.com/gpu.product=NVIDIA-A100-SXM4-80GB
nvidia-b200-180gb nvidia.com/gpu.product=NVIDIA-B200
nvidia-h200-141gb nvidia.com/gpu.product=NVIDIA-H200"
  # The other spelling of a type is reported, because its nodes are not selected.
  assert_stderr "AMD_Instinct_MI300X) are not selected"
  # The labels select that type only: the node view of such a node says so.
  printf '%s\n' "$output" | jq_in_order -c '{apiVersion: "v1", kind: "List", items: [.items[] | {kind: "Node",
    metadata: {name: .metadata.name, labels: .spec.nodeLabels}, status: {capacity: {}}}]}' > "$T/nodes.json"
  run_ok gpuaas-profile nodes "$T/nodes.json"
  jq_is '[.node, .types[0].type] | unique | length' $'1\n1\n1\n1'
}

@test "every type of the catalogue: its labels select it and no other, or a warning says to label" {
  gpuaas-state init --lab > "$T/init"
  n=0
  gpuaas-profile catalog --json | jq -r .slug > "$T/slugs"
  while read -r slug; do
    echo "SELECT 1; INSERT INTO slot (id, node_id, slot_index, since, accelerator_type) VALUES
      ('s$n', 'n', $n, 'x', '$slug');"
    n=$((n + 1))
  done < "$T/slugs" > "$T/slots.sql"
  state_sql "INSERT INTO node (id, since) VALUES ('n', 'x')"
  state_sql < "$T/slots.sql" > "$T/out"
  run_ok gpuaas-export kueue
  valid ResourceFlavor "$n"
  ((n >= 112))
  printf '%s\n' "$output" | jq_in_order -c '{apiVersion: "v1", kind: "List", items: [.items[] | {kind: "Node",
    metadata: {name: .metadata.name, labels: .spec.nodeLabels}, status: {capacity: {}}}]}' > "$T/nodes.json"
  gpuaas-export kueue 2>&1 > "$T/flavors.json" | grep -o 'type-override=.*' | sed 's/.*=\([^ ]*\) .*/\1/' | sort > "$T/told"
  jq -r '.items[] | select(.spec.nodeLabels["accelerator.gpuaas/type-override"]) | .metadata.name' \
    "$T/flavors.json" | sort > "$T/override"
  cmp "$T/told" "$T/override"
  run_ok gpuaas-profile nodes "$T/nodes.json"
  jq_slurp_is 'map(select(.node != .types[0].type) | .node) | join(" ")' ""
  # No two flavors have the same labels.
  assert_equal "$(jq_in_order -c '.items[].spec.nodeLabels' "$T/flavors.json" | sort | uniq -d)" ""
  # All of them as classes too, where a driver is known.
  run gpuaas-export dra --classes
  assert_status 1
  gpuaas-export dra --classes 2> "$T/said" > "$T/classes.json" || :
  output=$(< "$T/classes.json")
  valid DeviceClass $((n - $(grep -c 'is left out' "$T/said")))
}

@test "odh: a profile each, by node labels or by queue, with the type in annotations" {
  fleet 1
  profile many '["nvidia-b200-180gb", "nvidia-h200-141gb"]'
  profile any '[]'
  jq_in_order -c '.name = "old" | .retired = true' "$SRC/share/objects/h200-slice.json" | gpuaas-state apply - > "$T/apply"
  run_ok gpuaas-export odh
  valid HardwareProfile 3
  assert_stderr "many: labels of nodes select one type: only its first, nvidia-b200-180gb"
  jq_is '.items[] | "\(.metadata.name) \(.metadata.annotations["accelerator.opendatahub.io/type"])
\(.spec.scheduling.node.nodeSelector | tojson)"' 'any null
{}
h200-slice nvidia-h200-141gb
{"nvidia.com/gpu.product":"NVIDIA-H200"}
many nvidia-b200-180gb
{"nvidia.com/gpu.product":"NVIDIA-B200"}'
  jq_is '.items[1].spec.identifiers | map("\(.identifier) \(.minCount)..\(.maxCount)") | join(", ")' \
    "cpu 20..160, memory 65536Mi..524288Mi, nvidia.com/gpu 1..8"
  jq_is '.items[1].metadata | "\(.namespace) \(.annotations["opendatahub.io/display-name"])"' \
    "opendatahub h200-slice (NVIDIA H200 141GB)"
  run_ok gpuaas-export odh --local-queue gpus --namespace models
  valid HardwareProfile 3
  assert_equal "$stderr" ""
  jq_is '.items[] | "\(.metadata.namespace) \(.spec.scheduling.kueue.localQueueName)
\(.metadata.annotations["accelerator.opendatahub.io/type"])"' 'models gpus
null
models gpus
nvidia-h200-141gb
models gpus
null'
  # Nodes of two makers: there is no one name to ask for any type.
  slot amd 0 amd-mi300x-192gb
  run_status 1 gpuaas-export odh
  assert_stderr "profile 'any' is left out"
  valid HardwareProfile 2
  run_status 2 gpuaas-export odh --local-queue "Not a name"
}

@test "dra: the devices of each node with their types, and classes that select them" {
  fleet 2
  slot amd 0 amd-mi300x-192gb
  run_ok gpuaas-export dra
  valid ResourceSlice 3
  jq_is '.items[] | "\(.spec.nodeName) \(.spec.driver) \(.spec.devices | length)"' "amd gpu.amd.com 1
gpu-host-1 gpu.nvidia.com 8
gpu-host-2 gpu.nvidia.com 8"
  jq_is '.items[1] | "\(.metadata.name) \(.spec.pool.name)"' "gpu-host-1-gpu.nvidia.com-0 gpu-host-1"
  jq_is '.items[1].spec.devices[3] | [.name, .attributes.productName.string,
    .attributes.cudaComputeCapability.version, .attributes["resource.kubernetes.io/pciBusID"].string,
    .attributes["accelerator.gpuaas/type"].string, .capacity.memory.value] | join(" ")' \
    "gpu-3 NVIDIA H200 9.0.0 0000:13:00.0 nvidia-h200-141gb 143771Mi"
  run_ok gpuaas-export dra --classes
  valid DeviceClass 2
  assert_equal "$stderr" ""
  jq_is '.items[1].spec.selectors[0].cel.expression' \
    'device.driver == "gpu.nvidia.com" && ("type" in device.attributes["accelerator.gpuaas"] ? device.attributes["accelerator.gpuaas"].type == "nvidia-h200-141gb" : "type" in device.attributes["gpu.nvidia.com"] && device.attributes["gpu.nvidia.com"].type == "gpu" && "productName" in device.attributes["gpu.nvidia.com"] && device.attributes["gpu.nvidia.com"].productName in ["NVIDIA H200"])'
  # A node of more devices than a slice takes.
  local sql='' i
  for ((i = 1; i < 130; i++)); do
    sql+="INSERT INTO slot (id, node_id, slot_index, since, accelerator_type) VALUES
      ('amd-$i', 'amd', $i, 'x', 'amd-mi300x-192gb');"
  done
  state_sql "$sql"
  run_ok gpuaas-export dra
  valid ResourceSlice 4
  jq_is '.items[:2][] | "\(.metadata.name) \(.spec.pool.resourceSliceCount) \(.spec.devices | length)"' \
    "amd-gpu.amd.com-0 2 128
amd-gpu.amd.com-1 2 2"
  # Read back: pods whose claims gave them these devices.
  jq_in_order -c '.items[], (("gpu-host-2/gpu-3/gpu.nvidia.com", "amd/gpu-129/gpu.amd.com") | split("/") as $d |
    {kind: "Pod", metadata: {name: $d[0]}, spec: {resourceClaims: [{name: "gpu", resourceClaimName: $d[0]}]},
      status: {phase: "Running"}},
    {kind: "ResourceClaim", metadata: {name: $d[0]}, status: {allocation: {devices: {results: [
      {driver: $d[2], pool: $d[0], device: $d[1]}]}}}})' <<< "$output" |
    jq_in_order -cs '{items: .}' > "$T/pods.json"
  run_ok gpuaas-export pods "$T/pods.json"
  jq_is '"\(.name) \(.type) \(.basis)"' "gpu-host-2 nvidia-h200-141gb device
amd amd-mi300x-192gb device"
  # A GPU of no known type is reported, not made up.
  slot odd 0 NULL
  run_status 1 gpuaas-export dra
  assert_stderr "of node 'odd' is left out: 1 of its GPUs"
  valid ResourceSlice 4
}

@test "dra: classes select by what each driver says, or a warning says that they select our own slices only" {
  gpuaas-state init --lab > "$T/init"
  slot a 0 amd-mi300x-192gb
  slot b 0 intel-flex-140-12gb
  slot c 0 intel-gaudi2-96gb
  slot d 0 intel-gaudi3-128gb
  run_ok gpuaas-export dra --classes
  valid DeviceClass 4
  jq_is '.items[] | "\(.metadata.name) \(.spec.selectors[0].cel.expression | capture("(?<by>[a-zA-Z]+ in \\[.*\\])|false").by)"' \
    'amd-mi300x-192gb productName in ["AMD_Instinct_MI300X_OAM", "AMD_Instinct_MI300X"]
intel-flex-140-12gb pciId in ["0x56c1"]
intel-gaudi2-96gb model in ["Gaudi2"]
intel-gaudi3-128gb null'
  # Whole GPUs, not their partitions and virtual functions; Gaudis have none.
  jq_is '.items[] | "\(.metadata.name) \(.spec.selectors[0].cel.expression |
    [capture("attributes\\[\"(?<of>[a-z.]+)\"\\]\\.type == \"(?<type>[a-z]+)\" && ") | .of, .type] | join(" ") | if . == "" then "-" else . end)"' \
    'amd-mi300x-192gb gpu.amd.com amdgpu
intel-flex-140-12gb gpu.intel.com gpu
intel-gaudi2-96gb -
intel-gaudi3-128gb -'
  assert_equal "$stderr" "intel-gaudi3-128gb: its class selects devices of our own slices only: nothing that gaudi.intel.com says of a device is known to mean this type alone"
}

# gres.conf as exported, with device files that are there: $T/slurm/dev/nvidia0 to 7
gres_files()
{
  local i
  mkdir -p "$T/slurm/dev"
  for i in {0..7}; do
    ln -sf /dev/null "$T/slurm/dev/nvidia$i"
  done
  gpuaas-export slurm --gres --device-files 2> "$T/slurm/warned" |
    sed "s|/dev/nvidia|$T/slurm/dev/nvidia|" > "$T/slurm/gres.conf"
}

# And with those that a person knows of the node "mixed".
gres_by_hand()
{
  sed -i "/File=/!{/Type=nvidia-a100/s|\$| File=$T/slurm/dev/nvidia[0-1]|; /Type=nvidia-l40s/s|\$| File=$T/slurm/dev/nvidia2|}" \
    "$T/slurm/gres.conf"
}

# Slurm's own parser reads slurm.conf and gres.conf for a node: slurm NODE; for a host of a name, which
# finds its node by itself: slurm '' HOST
slurm()
{
  local program
  # By this name: under slurmd-wlm, Debian's other one, it does not read slurm.conf as slurmd does.
  program=$(PATH=$PATH:/usr/sbin type -P slurmd) || skip "slurmd is missing (package slurmd)"
  mkdir -p "$T/slurm/spool"
  { printf '%s\n' ClusterName=test SlurmctldHost=localhost AuthType=auth/none SlurmUser=root GresTypes=gpu \
      SelectType=select/cons_tres TaskPlugin=task/none ProctrackType=proctrack/linuxproc \
      SlurmdSpoolDir="$T/slurm/spool" SlurmdPidFile="$T/slurm/pid" SlurmdLogFile="$T/slurm/log"
    gpuaas-export slurm --nodes
    echo "PartitionName=all Nodes=ALL Default=YES"; } > "$T/slurm/slurm.conf"
  gres_files
  gres_by_hand
  if [[ -n $1 ]]; then
    timeout 60 "$program" -N "$1" -f "$T/slurm/slurm.conf" -G > "$T/slurm/said" 2>&1
  else
    # shellcheck disable=SC2016 # the shell inside has them
    timeout 60 unshare --uts sh -c 'hostname "$1" && exec "$2" -f "$3" -G' - "$2" "$program" \
      "$T/slurm/slurm.conf" > "$T/slurm/said" 2>&1
  fi
}

# has_gres LINES: the GPUs that slurmd found, "TYPE COUNT" each, and it printed nothing else
has_gres()
{
  assert_equal "$(sed 's/.*Gres Name=gpu Type=\([^ ]*\) Count=\([0-9]*\) .*/\1 \2/' "$T/slurm/said")" "$1"
}

@test "slurm: the lines of a fleet, and Slurm's parser reads them" {
  fleet 2
  slot mixed 0 nvidia-a100-sxm4-80gb
  slot mixed 1 nvidia-a100-sxm4-80gb
  slot mixed 2 nvidia-l40s-48gb
  run_ok gpuaas-export slurm
  printf '%s\n' "$output" > "$T/lines"
  cat > "$T/expected" << 'END'
# slurm.conf: nodes; GresTypes=gpu belongs there too
NodeName=mixed Gres=gpu:nvidia-a100-sxm4-80gb:2,gpu:nvidia-l40s-48gb:1 Feature=nvidia-a100-sxm4-80gb,nvidia-l40s-48gb
NodeName=n00001 NodeHostname=gpu-host-1 CPUs=192 RealMemory=2097152 Gres=gpu:nvidia-h200-141gb:8 Feature=nvidia-h200-141gb
NodeName=n00002 NodeHostname=gpu-host-2 CPUs=192 RealMemory=2097152 Gres=gpu:nvidia-h200-141gb:8 Feature=nvidia-h200-141gb
# gres.conf
NodeName=mixed Name=gpu Type=nvidia-a100-sxm4-80gb Count=2
NodeName=mixed Name=gpu Type=nvidia-l40s-48gb Count=1
NodeName=n00001 Name=gpu Type=nvidia-h200-141gb Count=8
NodeName=n00002 Name=gpu Type=nvidia-h200-141gb Count=8
END
  diff "$T/expected" "$T/lines"
  assert_stderr "no File= for the GPUs of 'mixed' and 2 others: slurmd drops them"
  assert_stderr "--device-files"
  run_ok gpuaas-export slurm --nodes
  assert_equal "$stderr" ""
  run_ok gpuaas-export slurm --gres --device-files
  assert_stderr "no File= for the GPUs of 'mixed': slurmd drops them"
  assert_stderr "by hand"
  assert_output "NodeName=n00001 Name=gpu Type=nvidia-h200-141gb Count=8 File=/dev/nvidia[0-7]"
  refute_output "sxm4-80gb Count=2 File"
  run_status 2 gpuaas-export slurm --gres --nodes
  # slurmd has of gres.conf what slurm.conf says, too, and warns of the rest.
  slurm n00002
  has_gres "nvidia-h200-141gb 8"
  slurm mixed
  has_gres "nvidia-a100-sxm4-80gb 2
nvidia-l40s-48gb 1"
}

@test "slurm: a slurmd finds its node by the name of its host" {
  unshare --uts true 2> "$T/unshare" || skip "no host name may be set here: $(< "$T/unshare")"
  fleet 2
  slot mixed 0 nvidia-l40s-48gb
  gpuaas-node rename n00002 gpu2.rack7.example > "$T/renamed"
  for host in gpu-host-1 gpu2.rack7.example mixed; do
    slurm '' $host
    [[ $host == mixed ]] || has_gres "nvidia-h200-141gb 8"
  done
  has_gres "nvidia-l40s-48gb 1"
}

@test "slurm: the parser in use refuses what is wrong" {
  fleet 1
  slurm n00001
  sed -i '2s/Count=8/Kount=8/' "$T/slurm/gres.conf"
  local program
  program=$(PATH=$PATH:/usr/sbin type -P slurmd)
  run ! timeout 60 "$program" -N n00001 -f "$T/slurm/slurm.conf" -G
}

# The lines as exported for a real Slurm on this machine in $T/slurm: the nodes are here, their CPUs and memory
# are not, and each device file is a name in $T/slurm/dev of one that is there.
slurm_files()
{
  local ports
  mkdir -p "$T/slurm/munge"
  # All are taken before one is given back.
  mapfile -t ports < <(/usr/bin/python3 -c 'import socket
for s in [socket.create_server(("127.0.0.1", 0)) for _ in range(3)]: print(s.getsockname()[1])')
  { cat << END
ClusterName=test
SlurmctldHost=$(hostname -s)(127.0.0.1)
SlurmctldPort=${ports[0]}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
AuthType=auth/munge
AuthInfo=socket=$T/slurm/munge/socket
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
GresTypes=gpu
SelectType=select/cons_tres
TaskPlugin=task/none
ProctrackType=proctrack/linuxproc
MpiDefault=none
StateSaveLocation=$T/slurm/state
SlurmctldPidFile=$T/slurm/slurmctld.pid
SlurmdSpoolDir=$T/slurm/spool.%n
SlurmdPidFile=$T/slurm/%n.pid
END
    gpuaas-export slurm --nodes | sed 's/ CPUs=[0-9]*//; s/ RealMemory=[0-9]*//
      s/ NodeHostname=[^ ]*//; s/^NodeName=.*/& NodeHostname=localhost NodeAddr=127.0.0.1/' |
      sed "/^NodeName=mixed /s/\$/ Port=${ports[1]}/; /^NodeName=n00001 /s/\$/ Port=${ports[2]}/"
    echo "PartitionName=all Nodes=ALL Default=YES"; } > "$T/slurm/slurm.conf"
  gres_files
}

# Ends what runs of it, and starts it with the files as they are now: a controller that knows nothing yet, and
# a slurmd for each node.
slurm_start()
{
  local pid node
  for pid in "${SLURM[@]}"; do
    kill "$pid"
    wait_for 30 has_ended "$pid"
  done
  rm -rf "$T/slurm/state"
  mkdir -p "$T/slurm/state" "$T/slurm/spool.mixed" "$T/slurm/spool.n00001"
  background slurmctld -D -c &> "$T/slurm/slurmctld.log"
  SLURM=("$BG_PID")
  for node in mixed n00001; do
    background slurmd -D -N "$node" &> "$T/slurm/$node.log"
    SLURM+=("$BG_PID")
  done
}

# slurm_says NODE TEXT…: what scontrol says of the node has each of these
slurm_says()
{
  local node=$1 said text
  said="$(timeout 30 scontrol show node "$node" -o 2>&1) "
  printf '%s\n' "$said" > "$T/slurm/said"
  for text in "${@:2}"; do
    [[ $said == *" $text "* ]] || return 1
  done
}

# becomes NODE TEXT…: the same within half a minute; else the output, and the logs
becomes()
{
  wait_for 30 slurm_says "$@" || { tail -n 20 "$T/slurm/said" "$T/slurm"/*.log; return 1; }
}

@test "slurm: a real controller and the slurmd of each node agree about the lines" {
  PATH=$PATH:/usr/sbin:/sbin
  local program
  for program in munged slurmctld slurmd scontrol; do
    [[ -n $(type -P $program) ]] || skip "$program is missing (packages munge, slurmctld, slurmd, slurm-client)"
  done
  fleet 1
  slot mixed 0 nvidia-a100-sxm4-80gb
  slot mixed 1 nvidia-a100-sxm4-80gb
  slot mixed 2 nvidia-l40s-48gb
  slurm_files
  export SLURM_CONF=$T/slurm/slurm.conf
  # munged wants its socket where others may reach it.
  chmod 711 "$T"
  head -c 64 /dev/urandom > "$T/slurm/munge/key"
  chmod 600 "$T/slurm/munge/key"
  background munged --foreground --key-file="$T/slurm/munge/key" --socket="$T/slurm/munge/socket" \
    --pid-file="$T/slurm/munge/pid" --log-file="$T/slurm/munge/log" --seed-file="$T/slurm/munge/seed" \
    &> "$T/slurm/munged.log"
  wait_for 30 test -S "$T/slurm/munge/socket"
  SLURM=()
  # Slurm does with the node without files as the export warned.
  grep -q "no File= for the GPUs of 'mixed': slurmd drops them" "$T/slurm/warned"
  slurm_start
  becomes n00001 Gres=gpu:nvidia-h200-141gb:8 State=IDLE
  becomes mixed 'Reason=gres/gpu count reported lower than configured (0 < 3)'
  # With the files that a person knows, both are right; a gres.conf with one too few is seen.
  gres_by_hand
  slurm_start
  becomes mixed Gres=gpu:nvidia-a100-sxm4-80gb:2,gpu:nvidia-l40s-48gb:1 State=IDLE
  becomes n00001 Gres=gpu:nvidia-h200-141gb:8 State=IDLE
  sed -i 's/Count=8\(.*\)\[0-7\]/Count=7\1[0-6]/' "$T/slurm/gres.conf"
  slurm_start
  becomes n00001 'Reason=gres/gpu count reported lower than configured (7 < 8)'
  becomes mixed State=IDLE
}

@test "names that a format cannot hold are refused by name, and nothing is written" {
  gpuaas-state init --lab > "$T/init"
  local name
  for name in default ALL $'a\nNodeName=b' 'a b' 'n[1-9]' 'x=y' '#x' '-x' 'ünde' "$(printf 'x%.0s' {1..64})"; do
    rm -f "$GPUAAS_STATE"*
    gpuaas-state init --lab > "$T/init"
    slot "$name" 0 nvidia-h200-141gb
    run_status 4 gpuaas-export slurm --output "$T/out.conf"
    assert_stderr "has a name that Slurm does not take"
    [[ ! -e $T/out.conf ]]
  done
  for name in a_b a- a..b .a 'A' $'a\x1b[2J'; do
    rm -f "$GPUAAS_STATE"*
    gpuaas-state init --lab > "$T/init"
    slot "$name" 0 nvidia-h200-141gb
    run_status 4 gpuaas-export dra
    assert_equal "$output" ""
    assert_stderr "has a name that Kubernetes does not take"
    refute_stderr $'\x1b'
  done
  # A host's name goes into the files too: as it is, or not at all.
  rm -f "$GPUAAS_STATE"*
  gpuaas-state init --lab > "$T/init"
  slot n1 0 nvidia-h200-141gb
  for name in $'a\nNodeName=b' 'a b' 'n[1-9]' 'x=y' $'a\x1b[2J'; do
    state_sql "UPDATE node SET generation = generation + 1, name = '$name'"
    for what in slurm dra; do
      run_status 4 gpuaas-export $what --output "$T/out.conf"
      assert_stderr "has a name that"
      refute_stderr $'\x1b'
      [[ ! -e $T/out.conf ]]
    done
  done
  # Also the first of several nodes.
  for what in "gpu_1 dra" "all slurm --nodes"; do
    read -r name what <<< "$what"
    rm -f "$GPUAAS_STATE"*
    gpuaas-state init --lab > "$T/init"
    for node in "$name" h2 h3; do
      slot "$node" 0 nvidia-h200-141gb
    done
    # shellcheck disable=SC2086 # the command and its option
    GPUAAS_ERRORS=json run_status 4 gpuaas-export $what --output "$T/out.conf"
    assert_stderr name_unfit
    assert_stderr "'$name'"
    [[ ! -e $T/out.conf ]]
  done
  rm -f "$GPUAAS_STATE"*
  gpuaas-state init --lab > "$T/init"
  profile a_b '["nvidia-h200-141gb"]'
  GPUAAS_ERRORS=json run_status 4 gpuaas-export odh
  assert_stderr name_unfit
}

@test "a state with nothing in it makes empty lists" {
  gpuaas-state init --lab > "$T/init"
  for what in kueue odh dra "dra --classes"; do
    # shellcheck disable=SC2086 # the command and its option
    run_ok gpuaas-export $what
    jq_is '.items | length' 0
  done
  run_ok gpuaas-export slurm
  assert_equal "${#lines[@]}" 2
  run_ok gpuaas-export kueue --output "$T/flavors.json"
  assert_equal "$(stat -c %a "$T/flavors.json")" 644
  jq -e '.items == []' "$T/flavors.json"
}
