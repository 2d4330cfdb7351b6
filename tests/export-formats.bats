# SPDX-License-Identifier: Apache-2.0
# gpuaas-export kueue, odh, dra, slurm: against the schemas of the published CRDs and Slurm's own
# parser, from discoveries, slots and profiles; what cannot be said is left out and told.

load helper

setup()
{
  common_setup
  export GPUAAS_ACCELERATORS_DIR=$T/d
}

# A lab with so many nodes of eight H200.
fleet()
{
  gpuaas-state init --lab > "$T/init"
  gpuaas-state apply "$SRC/share/objects/h200-slice.json" > "$T/apply"
  setup_host h200
  in_host gpuaas-discover > "$T/pattern"
  "$GPUAAS_BUILD/bench/fleet" "$GPUAAS_STATE" "$1" < "$T/pattern"
}

# slot NODE INDEX TYPE|NULL: a node that was not discovered, with a slot of that type
slot()
{
  sqlite3 "$GPUAAS_STATE" "PRAGMA foreign_keys=ON;
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
  profile training '["nvidia-b200-180gb", "nvidia-h200-141gb"]'
  run_ok gpuaas-export kueue
  valid ResourceFlavor 4
  jq_is '.items[] | "\(.metadata.name) \(.spec.nodeLabels | to_entries | map("\(.key)=\(.value)") | join(","))"' \
    "amd-mi300x-192gb amd.com/gpu.product-name=AMD_Instinct_MI300X_OAM
nvidia-a100-sxm4-80gb nvidia.com/gpu.product=NVIDIA-A100-SXM4-80GB
nvidia-b200-180gb nvidia.com/gpu.product=NVIDIA-B200
nvidia-h200-141gb nvidia.com/gpu.product=NVIDIA-H200"
  # The other spelling of a type is told, because its nodes are not selected.
  assert_stderr "AMD_Instinct_MI300X) are not selected"
  # What labels select is that type: the node view of such a node says so.
  printf '%s\n' "$output" | jq_in_order -c '{apiVersion: "v1", kind: "List", items: [.items[] | {kind: "Node",
    metadata: {name: .metadata.name, labels: .spec.nodeLabels}, status: {capacity: {}}}]}' > "$T/nodes.json"
  run_ok gpuaas-profile nodes "$T/nodes.json"
  jq_is '[.node, .types[0].type] | unique | length' $'1\n1\n1\n1'
}

@test "every type of the catalogue: its labels select it and no other, or somebody is told to label" {
  gpuaas-state init --lab > "$T/init"
  n=0
  gpuaas-profile catalog --json | jq -r .slug > "$T/slugs"
  while read -r slug; do
    echo "SELECT 1; INSERT INTO slot (id, node_id, slot_index, since, accelerator_type) VALUES
      ('s$n', 'n', $n, 'x', '$slug');"
    n=$((n + 1))
  done < "$T/slugs" > "$T/slots.sql"
  sqlite3 "$GPUAAS_STATE" "INSERT INTO node (id, since) VALUES ('n', 'x')"
  sqlite3 "$GPUAAS_STATE" < "$T/slots.sql" > "$T/out"
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
    "cpu 24..192, memory 65536Mi..524288Mi, nvidia.com/gpu 1..8"
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
  # Nodes of two makers: what any type is asked for as is not one thing.
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
n00001 gpu.nvidia.com 8
n00002 gpu.nvidia.com 8"
  jq_is '.items[1].spec.devices[3] | [.name, .attributes.productName.string,
    .attributes.cudaComputeCapability.version, .attributes["resource.kubernetes.io/pciBusID"].string,
    .attributes["accelerator.gpuaas/type"].string, .capacity.memory.value] | join(" ")' \
    "gpu-3 NVIDIA H200 9.0.0 0000:13:00.0 nvidia-h200-141gb 143771Mi"
  run_ok gpuaas-export dra --classes
  valid DeviceClass 2
  jq_is '.items[1].spec.selectors[0].cel.expression' \
    'device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"].productName in ["NVIDIA H200"]'
  # A node of more devices than a slice takes.
  local sql='' i
  for ((i = 1; i < 130; i++)); do
    sql+="INSERT INTO slot (id, node_id, slot_index, since, accelerator_type) VALUES
      ('amd-$i', 'amd', $i, 'x', 'amd-mi300x-192gb');"
  done
  sqlite3 "$GPUAAS_STATE" "$sql"
  run_ok gpuaas-export dra
  valid ResourceSlice 4
  jq_is '.items[:2][] | "\(.metadata.name) \(.spec.pool.resourceSliceCount) \(.spec.devices | length)"' \
    "amd-gpu.amd.com-0 2 128
amd-gpu.amd.com-1 2 2"
  # A GPU of no known type is told, not made up.
  slot odd 0 NULL
  run_status 1 gpuaas-export dra
  assert_stderr "of node 'odd' is left out: 1 of its GPUs"
  valid ResourceSlice 4
}

# What Slurm's own parser makes of slurm.conf and gres.conf for a node: slurm NODE
slurm()
{
  local program
  program=$(type -P slurmd-wlm || type -P slurmd || { [[ -x /usr/sbin/slurmd ]] && echo /usr/sbin/slurmd; }) ||
    skip "slurmd is missing (package slurmd)"
  mkdir -p "$T/slurm/spool"
  { printf '%s\n' ClusterName=test SlurmctldHost=localhost AuthType=auth/none SlurmUser=root GresTypes=gpu \
      SelectType=select/cons_tres TaskPlugin=task/none ProctrackType=proctrack/linuxproc \
      SlurmdSpoolDir="$T/slurm/spool" SlurmdPidFile="$T/slurm/pid" SlurmdLogFile="$T/slurm/log"
    gpuaas-export slurm --nodes
    echo "PartitionName=all Nodes=ALL Default=YES"; } > "$T/slurm/slurm.conf"
  gpuaas-export slurm --gres > "$T/slurm/gres.conf"
  timeout 60 "$program" -N "$1" -f "$T/slurm/slurm.conf" -G > "$T/slurm/said" 2>&1
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
NodeName=n00001 CPUs=192 RealMemory=2097152 Gres=gpu:nvidia-h200-141gb:8 Feature=nvidia-h200-141gb
NodeName=n00002 CPUs=192 RealMemory=2097152 Gres=gpu:nvidia-h200-141gb:8 Feature=nvidia-h200-141gb
# gres.conf
NodeName=mixed Name=gpu Type=nvidia-a100-sxm4-80gb Count=2
NodeName=mixed Name=gpu Type=nvidia-l40s-48gb Count=1
NodeName=n00001 Name=gpu Type=nvidia-h200-141gb Count=8
NodeName=n00002 Name=gpu Type=nvidia-h200-141gb Count=8
END
  diff "$T/expected" "$T/lines"
  run_ok gpuaas-export slurm --gres --device-files
  assert_output "NodeName=n00001 Name=gpu Type=nvidia-h200-141gb Count=8 File=/dev/nvidia[0-7]"
  refute_output "sxm4-80gb Count=2 File"
  run_status 2 gpuaas-export slurm --gres --nodes
  slurm n00002
  assert_equal "$(grep -c 'gpu:nvidia-h200-141gb' "$T/slurm/said")" 1
  slurm mixed
  grep -q gpu:nvidia-a100-sxm4-80gb "$T/slurm/said"
  grep -q gpu:nvidia-l40s-48gb "$T/slurm/said"
}

@test "slurm: the parser in use refuses what is wrong" {
  fleet 1
  slurm n00001
  sed -i '2s/Count=8/Kount=8/' "$T/slurm/gres.conf"
  local program
  program=$(type -P slurmd-wlm || type -P slurmd || echo /usr/sbin/slurmd)
  run ! timeout 60 "$program" -N n00001 -f "$T/slurm/slurm.conf" -G
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
