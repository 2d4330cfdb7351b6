# SPDX-License-Identifier: Apache-2.0
# gpuaas-profile nodes: from discoveries, from Kubernetes' nodes, and by hand.

load helper

setup()
{
  common_setup
  export GPUAAS_ACCELERATORS_DIR=$T/d
}

# node NAME LABELS CAPACITY [MORE]: a List of one node, in JSON.
node()
{
  jq_in_order -nc --arg n "$1" --argjson l "$2" --argjson c "$3" --argjson more "${4:-{\}}" \
    '{apiVersion: "v1", kind: "List", items: [{kind: "Node", metadata: {name: $n, labels: $l},
      status: {capacity: $c, allocatable: $c,
        conditions: [{type: "Ready", status: "True", lastHeartbeatTime: "2026-11-20T16:40:00Z"}]}}
      * $more]}'
}

# view LABELS CAPACITY [MORE]: the view of such a node in $output.
view()
{
  node n1 "$@" > "$T/nodes.json"
  run_ok gpuaas-profile nodes "$T/nodes.json"
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
}

warned()
{
  jq -r '.warnings[].code' <<< "$output" | grep -qx "$1" || { echo "no $1: $output"; return 1; }
}

@test "each family of labels says its type, with counts, memory, state and age" {
  cat > "$T/nodes.json" << 'END'
{"apiVersion":"v1","kind":"List","items":[
{"kind":"Node","metadata":{"name":"w01","labels":{"nvidia.com/gpu.product":"NVIDIA-A100-SXM4-80GB","nvidia.com/gpu.memory":"81920","nvidia.com/gpu.count":"8","nvidia.com/gfd.timestamp":"1763900000"}},
 "status":{"capacity":{"memory":"2113000000Ki","nvidia.com/gpu":"8"},"allocatable":{"nvidia.com/gpu":"8"},"conditions":[{"type":"Ready","status":"True"}]}},
{"kind":"Node","metadata":{"name":"w17","labels":{"nvidia.com/gpu.product":"NVIDIA-H200","nvidia.com/gpu.memory":"143771","nvidia.com/gpu.count":"8"}},
 "status":{"capacity":{"nvidia.com/gpu":"8"},"allocatable":{"nvidia.com/gpu":"7"},"conditions":[{"type":"Ready","status":"False"}]}},
{"kind":"Node","metadata":{"name":"amd","labels":{"amd.com/gpu.product-name":"AMD_Instinct_MI300X_OAM","amd.com/gpu.device-id":"74a1","amd.com/gpu.vram":"192G","beta.amd.com/gpu.device-id.74a1":"8"}},
 "status":{"capacity":{"amd.com/gpu":"8"},"allocatable":{"amd.com/gpu":"8"}}},
{"kind":"Node","metadata":{"name":"intel","labels":{"gpu.intel.com/product":"Max_1550","gpu.intel.com/device.count":"8","gpu.intel.com/device-id.0380-0bd5.present":"true"}},
 "spec":{"unschedulable":true},"status":{"capacity":{"gpu.intel.com/i915":"8"},"conditions":[{"type":"Ready","status":"True"}]}},
{"kind":"Node","metadata":{"name":"bare","labels":{"kubernetes.io/os":"linux"}},"status":{}}
]}
END
  run_ok gpuaas-profile nodes "$T/nodes.json"
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
  jq_is '"\(.node) \(.types[0].type) \(.summary) \(.allocatable) \(.state)"' \
    "amd amd-mi300x-192gb 8x AMD Instinct MI300X 192GB 8 null
bare null no GPU null null
intel intel-max-1550-128gb 8x Intel Data Center GPU Max 1550 128GB null Ready,SchedulingDisabled
w01 nvidia-a100-sxm4-80gb 8x NVIDIA A100 80GB 8 Ready
w17 nvidia-h200-141gb 8x NVIDIA H200 141GB 7 NotReady"
  jq_is 'select(.node == "w01") | "\(.node_memory_mib) \(.types[0].memory_gb) \(.observed_at)
\(.age_seconds > 0) \(.types[0].rung)"' "2063476 80 2025-11-23T12:13:20.000000Z
true label"
  jq_is 'select(.node == "amd").types[0].rung' pci
  run_ok gpuaas-profile nodes - --table < "$T/nodes.json"
  assert_output "8x NVIDIA H200 141GB"
}

@test "a mixed node of which the labels tell only one model is shown so" {
  view '{"nvidia.com/gpu.product":"Tesla-V100-SXM2-16GB","nvidia.com/gpu.memory":"16384","nvidia.com/gpu.count":"4"}' \
    '{"nvidia.com/gpu":"8"}'
  jq_is .summary "Mixed (4x V100, 4x GPU - type unknown (nvidia.com/gpu))"
  jq_is .gpus 8
  warned count_mismatch
  view '{"beta.amd.com/gpu.device-id.74a1":"4","beta.amd.com/gpu.device-id.740f":"4","amd.com/gpu.product-name.AMD_Instinct_MI300X_OAM":"4"}' \
    '{"amd.com/gpu":"8"}'
  jq_is .summary "Mixed (4x MI300X, 4x MI210)"
  jq_is .mixed true
}

@test "MIG, shared and time-sliced GPUs are parts of whole ones" {
  view '{"nvidia.com/gpu.product":"NVIDIA-H100-80GB-HBM3","nvidia.com/gpu.count":"8"}' \
    '{"nvidia.com/gpu":"4","nvidia.com/mig-1g.10gb":"14","nvidia.com/mig-3g.40gb":"4"}'
  jq_is '[.gpus, .allocatable, .types[0].type] | map(tostring) | join(" ")' \
    "8 22 nvidia-h100-sxm5-80gb"
  jq_is '.parts | map("\(.count) \(.profile)") | join(", ")' "14 MIG 1g.10gb, 4 MIG 3g.40gb"
  view '{"nvidia.com/gpu.product":"NVIDIA-A100-SXM4-40GB-MIG-1g.5gb","nvidia.com/gpu.count":"56","nvidia.com/gpu.memory":"4864"}' \
    '{"nvidia.com/gpu":"56"}'
  jq_is '"\(.types[0].type) \(.gpus) \(.summary)"' \
    "nvidia-a100-sxm4-40gb null NVIDIA A100 40GB in 56x MIG 1g.5gb"
  # And NVIDIA's own T4 whose memory is in bytes.
  view '{"nvidia.com/gpu.product":"Tesla-T4-SHARED","nvidia.com/gpu.memory":"16106127360","nvidia.com/gpu.count":"1","nvidia.com/gpu.replicas":"8"}' \
    '{"nvidia.com/gpu":"8"}'
  jq_is '"\(.types[0].type) \(.gpus) \(.parts[0].count) \(.parts[0].profile)"' \
    "nvidia-t4-16gb 1 8 shared"
  warned memory_unit
}

@test "what labels leave open, memory settles; what nothing settles stays open" {
  view '{"nvidia.com/gpu.product":"NVIDIA-H100","nvidia.com/gpu.memory":"81559"}' '{"nvidia.com/gpu":"8"}'
  jq_is '"\(.types[0].type) \(.types[0].rung)"' "nvidia-h100-sxm5-80gb memory"
  view '{"nvidia.com/gpu.product":"NVIDIA-H100"}' '{"nvidia.com/gpu":"8"}'
  jq_is '"\(.types[0].type) \(.types[0].may_be | join(" "))"' \
    "null nvidia-h100-sxm5-80gb nvidia-h100-sxm5-94gb"
  # The memory in the name is its CPU's.
  view '{"nvidia.com/gpu.product":"NVIDIA-GH200-480GB"}' '{"nvidia.com/gpu":"1"}'
  jq_is '"\(.types[0].type) \(.types[0].memory_gb)"' "nvidia-gh200-96gb 96"
}

@test "missing and malformed labels leave a GPU of unknown type, never none" {
  view '{"feature.node.kubernetes.io/pci-10de.present":"true"}' '{"nvidia.com/gpu":"4"}'
  jq_is .summary "4x GPU - type unknown (nvidia.com/gpu)"
  warned label_missing
  view '{"feature.node.kubernetes.io/pci-0302_10de.present":"true"}' '{}'
  jq_is .summary "GPU - type unknown (10de)"
  warned driver_missing
  view '{"feature.node.kubernetes.io/pci-0302_10de_2335.present":"true"}' '{}'
  jq_is '.types[0].type' nvidia-h200-141gb
  view '{"feature.node.kubernetes.io/pci-0c03_10de.present":"true","feature.node.kubernetes.io/pci-0302_10de_2335.present":"false"}' '{}'
  jq_is .summary "no GPU"
  view '{"nvidia.com/gpu.product":"NVIDIA-X9000","nvidia.com/gpu.count":"many","nvidia.com/gpu.memory":"-1"}' \
    '{"nvidia.com/gpu":"8"}'
  jq_is .summary "8x GPU - type unknown (nvidia.com/gpu.product=NVIDIA-X9000)"
  warned label_unknown
  warned number_malformed
  view '{"nvidia.com/gpu.product":"NVIDIA-H200","nvidia.com/gpu.memory":"24576"}' '{"nvidia.com/gpu":"8"}'
  warned memory_ratio
  view '{}' '{}' '{"status":{"conditions":[{"type":"Ready","status":"True","lastHeartbeatTime":"now"}]}}'
  warned time_malformed
  view '{"nvidia.com/gpu.product":"NVIDIA-H200"}' '{"nvidia.com/gpu":"4"}' '{"status":{"allocatable":{"nvidia.com/gpu":"8","amd.com/gpu":"1"}}}'
  jq_is '[.warnings[] | select(.code == "count_mismatch")] | map(.sentence) | sort | join(", ")' \
    "it may hand out 1 of amd.com/gpu and has 0, it may hand out 8 of nvidia.com/gpu and has 4"
  # The same node twice: each item is shown, and which is right is not known.
  jq_in_order -c '.items += .items + [.items[0] * {metadata: {name: "n0"}}]' "$T/nodes.json" > "$T/twice.json"
  run_ok gpuaas-profile nodes "$T/twice.json"
  jq_is '"\(.node) \([.warnings[] | select(.code == "node_twice")] | length)"' "n0 0
n1 1
n1 1"
  # Labels that dashboards look for and nobody publishes say nothing.
  view '{"amd.com/gpu.product":"MI300X","intel.com/gpu.product":"Max 1550"}' '{}'
  jq_is .summary "no GPU"
}

@test "clouds: a machine's name and the platform's labels tell the type" {
  view '{"node.kubernetes.io/instance-type":"p5.48xlarge"}' '{"nvidia.com/gpu":"8"}'
  jq_is '"\(.types[0].type) \(.types[0].rung)"' "nvidia-h100-sxm5-80gb instance"
  view '{"cloud.google.com/gke-accelerator":"nvidia-tesla-a100","node.kubernetes.io/instance-type":"a2-highgpu-1g"}' \
    '{"nvidia.com/gpu":"2"}'
  jq_is '"\(.types[0].type) \(.types[0].rung)"' "nvidia-a100-sxm4-40gb label"
  warned count_instance
  view '{"node.kubernetes.io/instance-type":"Standard_NC24ads_A100_v4"}' '{}'
  jq_is '"\(.gpus) \(.types[0].memory_gb) \(.types[0].may_be | join(" "))"' \
    "1 80 nvidia-a100-sxm4-80gb nvidia-a100-pcie-80gb"
  warned driver_missing
  view '{"cloud.google.com/gke-tpu-accelerator":"tpu-v6e-slice"}' '{"google.com/tpu":"4"}'
  jq_is '"\(.gpus) \(.types[0].type) \(.types[0].rung)"' "4 google-tpu-v6e label"
  view '{"karpenter.k8s.aws/instance-gpu-name":"l4","karpenter.k8s.aws/instance-gpu-count":"4"}' '{}'
  jq_is '"\(.gpus) \(.types[0].type)"' "4 nvidia-l4-24gb"
  view '{"node.kubernetes.io/instance-type":"inf2.48xlarge"}' '{"aws.amazon.com/neuron":"12"}'
  jq_is '"\(.gpus) \(.types[0].type)"' "12 aws-inferentia2"
}

@test "what Node Feature Discovery saw is evidence by PCI id, for what the node offers too" {
  local nfd=feature.node.kubernetes.io/pci
  view "{\"$nfd-0302_10de_2335.present\":\"true\"}" '{"nvidia.com/gpu":"8"}'
  jq_is '"\(.types[0].type) \(.types[0].rung) \(.gpus) \(.warnings | length)"' "nvidia-h200-141gb pci 8 0"
  view "{\"$nfd-0302_10de_2335.present\":\"true\",\"nvidia.com/gpu.product\":\"NVIDIA-A100-SXM4-80GB\"}" '{"nvidia.com/gpu":"8"}'
  jq_is .types[0].type nvidia-h200-141gb
  warned type_conflict
  # Of two it is the one that the labels tell of, and one that nobody knows leaves it to them.
  view "{\"$nfd-0302_10de_2335.present\":\"true\",\"$nfd-0302_10de_20b2.present\":\"true\",\"nvidia.com/gpu.product\":\"NVIDIA-A100-SXM4-80GB\"}" \
    '{"nvidia.com/gpu":"8"}'
  jq_is '"\(.types[0].type) \(.warnings | length)"' "nvidia-a100-sxm4-80gb 0"
  view "{\"$nfd-0302_10de_2335.present\":\"true\",\"$nfd-0302_10de_ffff.present\":\"true\"}" '{"nvidia.com/gpu":"8"}'
  jq_is .types[0].type null
  warned label_missing
  # The graphics of the machine's own processor are no accelerator.
  view "{\"$nfd-0300_1002_1638.present\":\"true\",\"$nfd-1200_1002_74a1.present\":\"true\"}" '{"amd.com/gpu":"8"}'
  jq_is .types[0].type amd-mi300x-192gb
  view "{\"$nfd-0300_1002_1638.present\":\"true\"}" '{}'
  jq_is .summary "no GPU"
  view "{\"$nfd-0300_10de.present\":\"true\",\"$nfd-0302_10de_2335.present\":\"true\",\"$nfd-1200_10de_2335.present\":\"true\",\"$nfd-10de.present\":\"true\"}" '{}'
  jq_is '"\(.summary) \(.warnings | length)"' "NVIDIA H200 141GB 1"
  # A device of another maker than what is offered, and one whose class says little.
  view "{\"$nfd-1200_1002_74a1.present\":\"true\",\"$nfd-0302_10de_2335.present\":\"true\"}" '{"nvidia.com/gpu":"2"}'
  jq_is '"\(.summary) \(.gpus)"' "Mixed (2x H200, MI300X) null"
  warned driver_missing
  view "{\"$nfd-0880_1d0f_7164.present\":\"true\",\"$nfd-0680_10de_22a3.present\":\"true\",\"$nfd-0403_10de_22bd.present\":\"true\"}" '{}'
  jq_is .summary "AWS Trainium"
  view "{\"$nfd-1200_1da3_1020.present\":\"true\"}" '{"habana.ai/gaudi":"8"}'
  jq_is .types[0].type intel-gaudi2-96gb
}

@test "label_missing is reported where nothing shows the type, and not where a cloud or a person does" {
  local labels
  for labels in '{"cloud.google.com/gke-accelerator":"nvidia-tesla-a100"}' '{"node.kubernetes.io/instance-type":"p5.48xlarge"}' \
    '{"accelerator.gpuaas/type-override":"nvidia-l4-24gb","accelerator.gpuaas/type-override-owner":"ops"}'; do
    view "$labels" '{"nvidia.com/gpu":"8"}'
    jq_is '"\(.types[0].type != null) \(.warnings | length)"' "true 0"
  done
  view '{"node.kubernetes.io/instance-type":"Standard_ND96isr_MI300X_v5"}' '{"amd.com/gpu":"8"}'
  jq_is '.warnings | length' 0
  # A name that leaves it open does not show it.
  view '{"karpenter.k8s.aws/instance-gpu-name":"a100"}' '{"nvidia.com/gpu":"8"}'
  warned label_missing
  view '{}' '{"amd.com/gpu":"8"}'
  warned label_missing
}

@test "contradictions: every source is shown, the better one wins, a warning says so" {
  view '{"nvidia.com/gpu.product":"NVIDIA-L4","nvidia.com/gpu.count":"1","node.kubernetes.io/instance-type":"g5.xlarge"}' \
    '{"nvidia.com/gpu":"1"}'
  jq_is '"\(.types[0].type) \(.types[0].evidence | map(.source) | join(" "))"' \
    "nvidia-l4-24gb label instance"
  warned type_conflict
  # An override is a person's word: above labels, below PCI ids.
  view '{"nvidia.com/gpu.product":"NVIDIA-L4","accelerator.gpuaas/type-override":"nvidia-a10g-24gb","accelerator.gpuaas/type-override-owner":"ops"}' \
    '{"nvidia.com/gpu":"1"}'
  jq_is '"\(.types[0].type) \(.types[0].rung) \(.types[0].evidence[1].by)"' \
    "nvidia-a10g-24gb manual ops"
  warned type_conflict
  view '{"amd.com/gpu.device-id":"74a1","accelerator.gpuaas/type-override":"amd-mi210-64gb"}' '{"amd.com/gpu":"8"}'
  jq_is .types[0].type amd-mi300x-192gb
  warned type_conflict
  warned override_without_owner
  view '{"nvidia.com/gpu.product":"NVIDIA-L4","accelerator.gpuaas/type-override":"no-such"}' '{"nvidia.com/gpu":"1"}'
  jq_is .types[0].type nvidia-l4-24gb
  warned override_unknown
}

# discovered HOST: its discovery in a new state.
discovered()
{
  [[ -f $GPUAAS_STATE ]] || gpuaas-state init --lab > "$T/init"
  setup_host "$1"
  in_host gpuaas-discover --node "$1" | gpuaas-approve --record-only > "$T/recorded"
}

@test "discoveries of the state: types by PCI ids, unknown ones with their ids" {
  discovered h200
  discovered mixed
  run_ok gpuaas-profile nodes
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
  jq_is 'select(.node == "h200") | "\(.summary) \(.types[0].rung) \(.state) \(.age_seconds >= 0)"' \
    "8x NVIDIA H200 141GB subsystem enrolled true"
  jq_slurp_is 'map(.node) | join(" ")' "h200 mixed"
  jq_slurp_is 'map(.gpus > 0) | all' true
  run_ok gpuaas-profile nodes --type h200
  jq_slurp_is 'map(.node) | join(" ")' "h200"
  run_ok gpuaas-profile nodes --sort -gpus
  jq_slurp_is 'map(.gpus) | . == (sort | reverse)' true
  run_status 2 gpuaas-profile nodes --type nvidia-a101-sxm4-80gb
  assert_stderr "'nvidia-a101-sxm4-80gb' is no type of the catalogue; near to it: nvidia-a100-sxm4-80gb"
}

@test "the bare name of a product finds every form of it, and the answer says what a name meant" {
  node w1 '{"nvidia.com/gpu.product":"NVIDIA-A100-SXM4-80GB","nvidia.com/gpu.count":"4"}' '{"nvidia.com/gpu":"4"}' \
    > "$T/nodes.json"
  run_ok gpuaas-profile nodes --type a100 "$T/nodes.json"
  jq_is .types[0].type nvidia-a100-sxm4-80gb
  assert_stderr "type 'a100' means nvidia-a100-pcie-40gb, nvidia-a100-pcie-80gb, nvidia-a100-sxm-64gb, nvidia-a100-sxm4-40gb, nvidia-a100-sxm4-80gb"
  # A name that finds nothing says what it meant, too.
  run_ok gpuaas-profile nodes --type h200 "$T/nodes.json"
  assert_equal "$output" ""
  assert_stderr "type 'h200' means nvidia-h200-141gb"
  run_ok gpuaas-profile nodes --type nvidia-a100-sxm4-80gb "$T/nodes.json"
  assert_equal "$stderr" ""
  # An 80 GB and a 40 GB card may hide behind one name: neither is chosen by guessing.
  gpuaas-state init --lab > "$T/init"
  run_status 2 gpuaas-profile nodes set n1 8xh100 --reason x
  assert_stderr "nvidia-h100-pcie-80gb"
}

@test "a type that somebody recorded counts where ids say nothing, and says who, when and why" {
  discovered h200
  export GPUAAS_ACCELERATORS=$T/none.json
  echo '{"accelerators":[{"slug":"acme-x1-64gb","name":"Acme X1 64GB"}]}' > "$T/none.json"
  run_ok gpuaas-profile nodes --unknown
  jq_is .summary "8x GPU - type unknown (10de:2335)"
  run_ok gpuaas-profile nodes set h200 8xacme-x1-64gb --reason "printed on the card" --dry-run -o table
  [[ ${lines[0]} == "DRY RUN  NODE "* && ${lines[1]} == "yes "*"Acme X1 64GB"* ]]
  run_ok gpuaas-profile nodes
  jq_is .summary "8x GPU - type unknown (10de:2335)"
  run_ok gpuaas-profile nodes set h200 8xacme-x1-64gb --reason "printed on the card"
  assert_equal "$stderr" ""
  jq_is .summary "8x Acme X1 64GB"
  run_ok gpuaas-profile nodes
  jq_is '.types[0] | "\(.type) \(.rung) \(.count)"' "acme-x1-64gb manual 8"
  jq_is '.types[0].evidence[1] | "\(.source) \(.said) \(.by != null) \(.at != null)"' \
    "manual acme-x1-64gb: printed on the card true true"
  run_ok gpuaas-profile nodes --unknown
  assert_equal "$output" ""
  unset GPUAAS_ACCELERATORS
  # PCI ids are better evidence than a person.
  run_ok gpuaas-profile nodes set h200 a2 --reason "a guess"
  assert_stderr "type_conflict: pci says '10de:2335/10de:18be', manual says 'nvidia-a2-16gb: a guess': the first counts"
  run_ok gpuaas-profile nodes
  jq_is '.types[0].type' nvidia-h200-141gb
  warned type_conflict
  run_ok gpuaas-list audit
  jq_is 'select(.action == "type_recorded") | "\(.object) \(.detail.types[0].type)"' \
    "h200 acme-x1-64gb
h200 nvidia-a2-16gb"
  run_ok gpuaas-profile nodes clear h200 --dry-run
  run_ok gpuaas-profile nodes clear h200
  jq_is '"\(.node) \(.warnings | length)"' "h200 0"
  run_ok gpuaas-profile nodes
  jq_is '.warnings | length' 0
  run_status 5 gpuaas-profile nodes clear h200
  # A node of Kubernetes has no labels: a person says what it has.
  run_ok gpuaas-profile nodes set k8s-7 4xA100-SXM4-40GB 4xTesla-V100-SXM2-16GB --reason "row 4"
  assert_stderr "taken as one of Kubernetes"
  node k8s-7 '{}' '{}' > "$T/nodes.json"
  run_ok gpuaas-profile nodes "$T/nodes.json"
  jq_is .summary "Mixed (4x A100, 4x V100)"
}

@test "a node of Kubernetes is known by its whole name, which a node of the state may have, too" {
  discovered h200
  run_ok gpuaas-profile nodes set h2 4xl4 --reason x
  assert_stderr "'h2' is no node of the state: it is taken as one of Kubernetes"
  run_ok gpuaas-profile nodes
  jq_is '"\(.summary) \(.warnings | length)"' "8x NVIDIA H200 141GB 0"
  node h2 '{}' '{}' > "$T/nodes.json"
  run_ok gpuaas-profile nodes "$T/nodes.json"
  jq_is .summary "4x NVIDIA L4 24GB"
  # The state's name of a node is Kubernetes' name of it.
  state_sql "UPDATE node SET name = 'w01', generation = generation + 1"
  run_ok gpuaas-profile nodes set w01 8xh200 --reason x
  assert_stderr "'w01' is node 'h200' of the state"
  node w01 '{}' '{"nvidia.com/gpu":"8"}' > "$T/nodes.json"
  run_ok gpuaas-profile nodes "$T/nodes.json"
  jq_is .summary "8x NVIDIA H200 141GB"
  run_ok gpuaas-profile nodes clear w01
  # A record from before the node came to the state is the node's, and is cleared with it.
  state_sql "UPDATE node SET name = 'h2', generation = generation + 1"
  run_ok gpuaas-profile nodes
  warned type_conflict
  run_ok gpuaas-profile nodes clear h2
  run_ok gpuaas-profile nodes
  jq_is '.warnings | length' 0
}

@test "types by hand are for GPUs that the node tells of, and make no more of them" {
  discovered h200
  run_ok gpuaas-profile nodes set h200 4xh200 4xl4 --reason x
  assert_stderr "count_mismatch: 4 of 'nvidia-h200-141gb' were recorded by hand, the node reports 8"
  assert_stderr "type_conflict: pci says '10de:2335/10de:18be', manual says 'nvidia-l4-24gb: x'"
  run_ok gpuaas-profile nodes
  jq_is '"\(.summary) \(.gpus) \(.types[0].evidence | map(.source) | join(" "))"' \
    "8x NVIDIA H200 141GB 8 pci manual manual"
  run_ok gpuaas-profile nodes set h200 8xh200 1xl4 --reason x
  assert_stderr "count_mismatch: 9 GPUs were recorded by hand, the node reports 8"
  # Several that resources count are of what a person says, and the others stay unknown.
  node k8s '{}' '{"nvidia.com/gpu":"8"}' > "$T/nodes.json"
  run_ok gpuaas-profile nodes set k8s 4xA100-SXM4-40GB 2xTesla-V100-SXM2-16GB --reason x
  run_ok gpuaas-profile nodes "$T/nodes.json"
  jq_is '"\(.summary) \(.gpus)"' "Mixed (4x A100, 2x V100, 2x GPU - type unknown (nvidia.com/gpu)) 8"
  jq_is '.warnings | map(.code) | join(" ")' label_missing
  # A person is better than a label.
  node k8s '{"nvidia.com/gpu.product":"NVIDIA-H200","nvidia.com/gpu.count":"8"}' '{"nvidia.com/gpu":"8"}' \
    > "$T/nodes.json"
  run_ok gpuaas-profile nodes set k8s 4xh200 4xl4 --reason x
  run_ok gpuaas-profile nodes "$T/nodes.json"
  jq_is '"\(.summary) \(.gpus)"' "Mixed (4x H200, 4x L4) 8"
  jq_is '.warnings | map(.code) | join(" ")' "count_mismatch type_conflict"
  # Both numbers were left out: how the eight divide is not known.
  run_ok gpuaas-profile nodes set k8s h200 l4 --reason x
  run_ok gpuaas-profile nodes "$T/nodes.json"
  jq_is '"\(.summary) \(.gpus)"' "Mixed (H200, L4) null"
  # A set that ids leave open divides, too.
  node k8s '{"amd.com/gpu.device-id":"740c"}' '{"amd.com/gpu":"8"}' > "$T/nodes.json"
  run_ok gpuaas-profile nodes set k8s 4xamd-mi250-128gb 4xamd-mi250x-128gb --reason x
  run_ok gpuaas-profile nodes "$T/nodes.json"
  jq_is '"\(.summary) \(.gpus) \(.warnings | length)"' "Mixed (4x MI250, 4x MI250X) 8 0"
}

@test "a type is recorded only with a reason, and only one that is known" {
  gpuaas-state init --lab > "$T/init"
  run_status 2 gpuaas-profile nodes set n1 h200
  assert_stderr --reason
  run_status 2 gpuaas-profile nodes set n1 A100 --reason x
  assert_stderr "one of several types"
  run_status 2 gpuaas-profile nodes set n1 4xnvidia-a101-sxm4-80gb --reason x
  assert_stderr "'nvidia-a101-sxm4-80gb' is no type of the catalogue; near to it: nvidia-a100-sxm4-80gb"
  run_status 2 gpuaas-profile nodes set n1 0xh200 --reason x
  assert_stderr "'0xh200': a node has 1 .. 1024 of a type"
  run_status 2 gpuaas-profile nodes set n1 1025xh200 --reason x
  run_status 2 gpuaas-profile nodes set n1 99999999999999999999xh200 --reason x
  assert_stderr "a node has 1 .. 1024 of a type"
  # Parts are no type of a GPU.
  run_status 2 gpuaas-profile nodes set n1 A100-SXM4-40GB-MIG-1g.5gb --reason x
  assert_stderr "is a part of a GPU"
  run_status 2 gpuaas-profile nodes set n1 4xTesla-T4-SHARED --reason x
  # The reason stands in records.
  run_status 2 gpuaas-profile nodes set n1 h200 --reason "$(printf 'a%.0s' {1..1025})"
  assert_stderr "--reason is longer than 1024 bytes"
  run_status 2 gpuaas-profile nodes set n1 h200 --reason $'a\nb'
  run_status 2 gpuaas-profile nodes set n1 h200 --reason $'a\xff'
  assert_stderr "--reason is not text in UTF-8"
  run_status 2 gpuaas-profile nodes clear n1 --reason $'a\x7f'
  run_status 2 gpuaas-profile nodes set "a b" h200 --reason x
  run_status 2 gpuaas-profile nodes set n1 h200 4xa2 2xH200 --reason x
  assert_stderr "the type 'nvidia-h200-141gb' is given twice"
  run_ok gpuaas-list audit
  jq_is 'select(.action == "type_recorded")' ""
}

@test "input that is no document of nodes is refused, and nothing is printed" {
  local text
  for text in '' '{' '[]' '{"items":[{"metadata":{"name":"a"}},]}' '{"items":[1]}' '{"items":{}}' \
    '{"items":[{"kind":"Pod","metadata":{"name":"p"}}]}' '{"items":[{"metadata":{}}]}' \
    '{"items":[]} {"items":[]}' '{"items":[],"items":[]}' '{"items":[{"metadata":{"name":"a"}}' \
    '{"items":[{"metadata":{"name":"a","labels":7}}]}' '{"items":[{"a":1,"a":2}]}' '{"it\u0065ms":[{"metadata":{"name":"a"}}]}'; do
    printf '%s' "$text" > "$T/in"
    run_status 3 gpuaas-profile nodes - < "$T/in"
    assert_equal "$output" ""
  done
  run_ok gpuaas-profile nodes - <<< '{"kind":"Node","metadata":{"name":"alone"}}'
  jq_is .node alone
  run_status 5 gpuaas-profile nodes /nonexistent
}

@test "hostile strings neither break the table nor reach the terminal" {
  node $'evil\e[31m\nname' '{"nvidia.com/gpu.product":"NVIDIA\u001b]0;x\u0007-H200"}' '{"nvidia.com/gpu":"8"}' \
    > "$T/nodes.json"
  run_ok gpuaas-profile nodes "$T/nodes.json" --table
  assert_equal "$(wc -l <<< "$output")" 2
  refute_output $'\e'
  run_ok gpuaas-profile nodes "$T/nodes.json"
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
  run_status 1 gpuaas-profile labels check "$T/nodes.json" --table
  refute_output $'\e'
}

@test "a thousand nodes of kubectl are read, and memory is bounded whatever comes" {
  "$SRC/tests/kube-nodes" 1000 > "$T/nodes.json"
  [[ $(stat -c %s "$T/nodes.json") -gt 14000000 ]]
  run_ok gpuaas-profile nodes "$T/nodes.json"
  jq_slurp_is 'length, (map(select(.types[0].type)) | length)' "1000
834"
  # 256 MiB hold the program and an item, not the input.
  # The sanitizers take address space of their own: not under them.
  grep -q __asan_init "$GPUAAS_BUILD/bin/gpuaas-profile" || ulimit -v 262144
  run_status 3 bash -c "{ printf '{\"items\":['; yes '{\"metadata\":{\"name\":\"a\"}},'; } | gpuaas-profile nodes -"
  assert_stderr "more than"
  run_status 3 bash -c "{ printf '{\"items\":[{\"a\":\"'; yes aaaaaaaaaaaaaaaaaaaaaaaaaaaa; } | gpuaas-profile nodes -"
  assert_stderr "4 MiB"
  run_status 3 bash -c "{ printf '{\"a\":\"'; yes aaaaaaaaaaaaaaaaaaaaaaaaaaaa; } | gpuaas-profile labels check -"
  assert_stderr "4 MiB"
  run_status 3 bash -c "{ printf '{\"items\":['; yes ' '; } | gpuaas-profile nodes -"
  assert_stderr "MiB"
}
