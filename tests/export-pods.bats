# SPDX-License-Identifier: Apache-2.0
# gpuaas-export pods: the type of each running pod that has accelerators, as a patch that nobody
# applies; where a node of several types does not tell, nothing is guessed.

load helper

setup()
{
  common_setup
  export GPUAAS_ACCELERATORS_DIR=$T/d
}

# pod NAME NODE RESOURCE [MORE]: a running pod in JSON
pod()
{
  jq_in_order -nc --arg n "$1" --arg node "$2" --arg r "$3" --argjson more "${4:-{\}}" \
    '{kind: "Pod", metadata: {name: $n, namespace: "models", uid: ("uid-" + $n)}, spec: {nodeName: $node,
      containers: [{name: "main", resources: {limits: (if $r == "" then {} else {($r): "2"} end)}}]},
      status: {phase: "Running"}} * $more'
}

# node NAME LABELS CAPACITY
node()
{
  jq_in_order -nc --arg n "$1" --argjson l "$2" --argjson c "$3" \
    '{kind: "Node", metadata: {name: $n, labels: $l}, status: {capacity: $c, allocatable: $c}}'
}

nodes()
{
  node h200 '{"nvidia.com/gpu.product":"NVIDIA-H200","nvidia.com/gpu.count":"8"}' '{"nvidia.com/gpu":"8"}'
  # One model is labelled, and four more GPUs are there.
  node mixed '{"nvidia.com/gpu.product":"Tesla-V100-SXM2-16GB","nvidia.com/gpu.count":"4"}' '{"nvidia.com/gpu":"8"}'
  # NVIDIA's and AMD's in one machine.
  node both '{"nvidia.com/gpu.product":"NVIDIA-L40S","nvidia.com/gpu.count":"2","beta.amd.com/gpu.device-id.740f":"2"}' \
    '{"nvidia.com/gpu":"2","amd.com/gpu":"2"}'
  node mig '{"nvidia.com/gpu.product":"NVIDIA-H100-80GB-HBM3","nvidia.com/gpu.count":"8","nvidia.com/mig.strategy":"mixed"}' \
    '{"nvidia.com/gpu":"4","nvidia.com/mig-1g.10gb":"14"}'
  node amd2 '{"beta.amd.com/gpu.device-id.74a1":"4","beta.amd.com/gpu.device-id.740f":"4"}' '{"amd.com/gpu":"8"}'
}

# claimed NAME CLAIM: a pod on node h200 whose claim "gpu" was made from a template
claimed()
{
  pod "$1" h200 '' "$(jq_in_order -nc --arg c "$2" '{spec: {resourceClaims: [{name: "gpu", resourceClaimTemplateName: "one"}]},
    status: {resourceClaimStatuses: [{name: "gpu", resourceClaimName: $c}]}}')"
}

# claim NAME DEVICE… : a ResourceClaim with these devices (DRIVER/POOL/DEVICE)
claim()
{
  local name=$1
  shift
  jq_in_order -nc --arg n "$name" '{apiVersion: "resource.k8s.io/v1", kind: "ResourceClaim",
    metadata: {name: $n, namespace: "models"}, status: {allocation: {devices: {results: [$ARGS.positional[] |
    split("/") | {request: "gpu", driver: .[0], pool: .[1], device: .[2]}]}}}}' --args "$@"
}

# slice DRIVER POOL DEVICES [MORE]: a ResourceSlice of node h200; DEVICES in JSON
slice()
{
  jq_in_order -nc --arg d "$1" --arg p "$2" --argjson l "$3" --argjson more "${4:-{\}}" \
    '{apiVersion: "resource.k8s.io/v1", kind: "ResourceSlice", metadata: {name: "s"}, spec: ({driver: $d, nodeName: "h200",
      pool: {name: $p, generation: 1, resourceSliceCount: 1}, devices: $l} * $more)}'
}

# device NAME PRODUCT
device()
{
  jq_in_order -nc --arg n "$1" --arg p "$2" '{name: $n, attributes: {type: {string: "gpu"}, productName: {string: $p}}}'
}

# list: what comes on stdin as one List of kubectl, pods first as kubectl has them
list()
{
  jq_in_order -cs '{apiVersion: "v1", kind: "List", items: .}' > "$T/all.json"
}

patches()
{
  run_ok gpuaas-export pods "$T/all.json" "$@"
  [[ -z $output ]] || "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
}

annotated()
{
  jq_in_order -nc --arg t "$1" '{metadata: {annotations: {"accelerator.opendatahub.io/type": $t}}}'
}

# told: name, state, type, basis and warnings of each pod
told()
{
  jq_is '"\(.name) \(.state) \(.type) \(.basis) \(.warnings | map(.code) | join(",") | if . == "" then "-" else . end)"' "$1"
}

@test "a patch for each running pod with GPUs: missing, wrong, right, unknown" {
  { pod a h200 nvidia.com/gpu
    pod b h200 nvidia.com/gpu "$(annotated nvidia-h200-141gb)"
    pod c h200 nvidia.com/gpu "$(annotated nvidia-a100-sxm4-80gb)"
    pod d mixed nvidia.com/gpu
    pod e gone nvidia.com/gpu
    pod f h200 ''
    pod g h200 nvidia.com/gpu '{"status":{"phase":"Pending"}}'
    pod h mixed nvidia.com/gpu "$(annotated nvidia-v100-sxm2-16gb)"
    nodes; } | list
  patches
  told "a missing nvidia-h200-141gb node -
c wrong nvidia-h200-141gb node annotation_wrong
d unknown null null type_unknown
e unknown null null node_missing
h unknown null null type_unknown,annotation_unproven"
  jq_is 'select(.name == "a") | [.namespace, .uid, .node, .resource] | join(" ")' "models uid-a h200 nvidia.com/gpu"
  jq_is 'select(.name == "a" or .name == "c").patch | tojson' \
    '{"metadata":{"annotations":{"accelerator.opendatahub.io/type":"nvidia-h200-141gb"}}}
{"metadata":{"annotations":{"accelerator.opendatahub.io/type":"nvidia-h200-141gb"}}}'
  # Where nothing is known, nothing is to change.
  jq_is 'select(.type == null).patch' $'null\nnull\nnull'
  patches --all
  jq_is 'select(.state == "right") | "\(.name) \(.patch)"' "b null"
  # Nothing of it is applied, and the state is not needed; standard input does as well.
  [[ ! -e $GPUAAS_STATE ]]
  before=$output
  run_ok gpuaas-export pods --all - < "$T/all.json"
  assert_equal "$output" "$before"
  run_ok gpuaas-export pods --table "$T/all.json"
  assert_output nvidia-h200-141gb
}

@test "what a pod asks for settles a mixed node, or it does not" {
  { pod nv both nvidia.com/gpu
    pod amd both amd.com/gpu
    pod part mig nvidia.com/mig-1g.10gb
    pod two amd2 amd.com/gpu
    pod intel h200 gpu.intel.com/i915
    pod shared h200 nvidia.com/gpu.shared
    pod many both nvidia.com/gpu '{"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":1}}},
      {"resources":{"limits":{"amd.com/gpu":1}}}]}}'
    pod init h200 '' '{"spec":{"initContainers":[{"resources":{"requests":{"nvidia.com/gpu":"1"}}}]}}'
    pod none h200 '' '{"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":"0","cpu":"4"}}}]}}'
    nodes; } | list
  patches
  jq_is '"\(.name) \(.type) \(.basis) \(.warnings | map(.code) | join(",") | if . == "" then "-" else . end)"' \
    "nv nvidia-l40s-48gb resource -
amd amd-mi210-64gb resource -
part nvidia-h100-sxm5-80gb node -
two null null mixed_node
intel null null nothing_there
shared nvidia-h200-141gb node -
many null null several_resources
init nvidia-h200-141gb node -"
  # MIG on a node whose other type has none.
  { pod m x nvidia.com/mig-1g.10gb
    node x '{"accelerator.gpuaas/type-override":"nvidia-h100-sxm5-80gb"}' '{"nvidia.com/mig-1g.10gb":"7"}'; } | list
  patches
  jq_is .type nvidia-h100-sxm5-80gb
}

# asks NAME NODE RESOURCE… : a pod that asks for one of each
asks()
{
  local name=$1 node=$2
  shift 2
  pod "$name" "$node" '' "$(jq_in_order -nc '{spec: {containers: [{resources: {limits: ($ARGS.positional |
    map({(.): "1"}) | add)}}]}}' --args "$@")"
}

@test "a pod that asks for several resources has their type, where it is one" {
  { asks mig mig nvidia.com/gpu nvidia.com/mig-1g.10gb
    asks parts mig nvidia.com/mig-1g.10gb nvidia.com/mig-2g.20gb nvidia.com/gpu
    asks neuron trn aws.amazon.com/neuron aws.amazon.com/neuroncore
    asks both both nvidia.com/gpu amd.com/gpu
    asks mixed mixed nvidia.com/gpu nvidia.com/gpu.shared
    asks gone gone nvidia.com/gpu nvidia.com/gpu.shared
    # shellcheck disable=SC2046 # a word each
    asks more h200 $(printf 'nvidia.com/mig-%s ' {1..40})
    pod nowhere '' nvidia.com/gpu
    node trn '{"node.kubernetes.io/instance-type":"trn2.48xlarge"}' '{"aws.amazon.com/neuron":"16","aws.amazon.com/neuroncore":"128"}'
    nodes; } | list
  patches
  told "mig missing nvidia-h100-sxm5-80gb node -
parts missing nvidia-h100-sxm5-80gb node -
neuron missing aws-trainium2-96gb node -
both unknown null null several_resources
mixed unknown null null several_resources
gone unknown null null several_resources
more unknown null null several_resources
nowhere unknown null null node_missing"
  jq_is 'select(.type == null and .name != "mixed" and .name != "more").warnings[0].sentence' \
    "it has nvidia.com/gpu and amd.com/gpu, and they are nvidia-l40s-48gb and amd-mi210-64gb: one annotation cannot name both
it has nvidia.com/gpu and nvidia.com/gpu.shared, and its node 'gone' is not in the document
it runs, and no spec.nodeName says on which node"
}

@test "what goes beside accelerators is not asked for: monitoring, and shares of one" {
  flex='{"gpu.intel.com/product":"Flex_170","gpu.intel.com/device.count":"2"}'
  { pod monitor intel gpu.intel.com/i915_monitoring
    pod share intel gpu.intel.com/i915 '{"spec":{"containers":[{"resources":{"limits":{"gpu.intel.com/i915":"1",
      "gpu.intel.com/millicores":"500","gpu.intel.com/memory.max":"8G"}}}]}}'
    pod hami h200 nvidia.com/gpu '{"spec":{"containers":[{"resources":{"limits":{"nvidia.com/gpu":"1",
      "nvidia.com/gpumem":"8192","nvidia.com/gpucores":"30"}}}]}}'
    pod watch h200 nvidia.com/gpumem
    node intel "$flex" '{"gpu.intel.com/i915":"2","gpu.intel.com/i915_monitoring":"1"}'
    nodes; } | list
  patches
  jq_is '"\(.name) \(.resource) \(.type) \(.warnings | length)"' "share gpu.intel.com/i915 intel-flex-170-16gb 0
hami nvidia.com/gpu nvidia-h200-141gb 0"
}

@test "what was recorded by hand counts where there is a state" {
  gpuaas-state init --lab > "$T/init"
  { pod d mixed nvidia.com/gpu
    node mixed '{}' '{"nvidia.com/gpu":"8"}'; } | list
  patches
  jq_is .type null
  gpuaas-profile nodes set mixed 8xA100-SXM4-80GB --reason "looked at it" 2> "$T/said"
  patches
  jq_is .type nvidia-a100-sxm4-80gb
}

@test "bad documents are refused with the item; hostile names stay one line" {
  pod $'a\x1b[2J\n' h200 nvidia.com/gpu | list
  patches
  assert_equal "${#lines[@]}" 1
  refute_output $'\x1b'
  run_ok gpuaas-export pods --table "$T/all.json"
  refute_output $'\x1b'
  echo '{"kind":"List","items":[{"kind":"Secret","metadata":{"name":"x"}}]}' > "$T/all.json"
  run_status 3 gpuaas-export pods "$T/all.json"
  assert_stderr "item 1: it is a Secret, not a Pod"
  echo '{"kind":"List","items":[{"kind":"Pod","metadata":{}}]}' > "$T/all.json"
  run_status 3 gpuaas-export pods "$T/all.json"
  assert_stderr "it has no name"
  echo '{"kind":"List","items":[{"kind":"Pod"' > "$T/all.json"
  run_status 3 gpuaas-export pods "$T/all.json"
  run_status 5 gpuaas-export pods "$T/none.json"
  run_status 2 gpuaas-export pods --output "$T/x" "$T/all.json"
  # Too much is refused, with bounded memory.
  (grep -q __asan_init "$GPUAAS_BUILD/bin/gpuaas-export" || ulimit -v 1500000
    { echo '{"items":['; yes '{"kind":"Pod","metadata":{"name":"x"}},' | head -n 100001; } |
    run_status 3 gpuaas-export pods -)
}

@test "many pods and nodes: all are listed, in the order they came" {
  { for i in {1..300}; do pod "p$i" "h200" nvidia.com/gpu; done; nodes; } | list
  patches
  jq_slurp_is 'length, (map(select(.type == "nvidia-h200-141gb")) | length), .[299].name' $'300\n300\np300'
}

# A cluster in which some pods have their GPUs by claims.
cluster()
{
  claimed a c
  claimed b c | jq_in_order -c --argjson more "$(annotated nvidia-h200-141gb)" '. * $more'
  claimed d d | jq_in_order -c --argjson more "$(annotated nvidia-h200-141gb)" '. * $more'
  claimed e gone
  claimed f waits
  claimed g g
  claimed i i
  claimed k nic
  pod m h200 nvidia.com/gpu
  nodes
  claim c gpu.nvidia.com/h200/gpu-0 gpu.nvidia.com/h200/gpu-1
  claim d gpu.nvidia.com/h200/gpu-2
  claim waits | jq_in_order -c 'del(.status)'
  claim g gpu.nvidia.com/h200/gpu-9
  claim i gpu.nvidia.com/h200/gpu-0 gpu.nvidia.com/h200/gpu-2
  claim nic dra.net/h200/eth0
  slice gpu.nvidia.com h200 "[$(device gpu-0 'NVIDIA H200'), $(device gpu-2 'NVIDIA L40S')]"
  slice gpu.nvidia.com h200 "[$(device gpu-1 'NVIDIA H200')]"
  slice gpu.nvidia.com h200 "[$(device gpu-0 'NVIDIA L4'), $(device gpu-9 'NVIDIA L4')]" '{"pool": {"generation": 0}}'
}

@test "a pod whose claim gave it devices has the type that their slices say" {
  cluster | list
  patches --all
  told "a missing nvidia-h200-141gb device -
b right nvidia-h200-141gb device -
d wrong nvidia-l40s-48gb device annotation_wrong
e unknown null null claim_missing
f unknown null null claim_unallocated
g unknown null null device_missing
i unknown null null several_types
m missing nvidia-h200-141gb node -"
  jq_is 'select(.name == "a" or .name == "e") | "\(.resource) \(.patch | tojson)"' \
    'gpu.nvidia.com {"metadata":{"annotations":{"accelerator.opendatahub.io/type":"nvidia-h200-141gb"}}}
null null'
  jq_is 'select(.type == null).warnings[0].sentence' \
    "its claim 'gone' is not in the document
its claim 'waits' is not allocated
device 'gpu-9' of its claim 'g' is in no ResourceSlice of pool 'h200' of gpu.nvidia.com
its claims gave it nvidia-h200-141gb and nvidia-l40s-48gb: one annotation cannot name both"
  # In whichever order the items come, except that pods keep theirs.
  before=$(jq_in_order -cS . <<< "$output" | sort)
  for by in '.kind' 'tojson' '(tojson | explode | reverse)'; do
    cluster | jq_in_order -cs "sort_by($by)[]" | list
    patches --all
    assert_equal "$(jq_in_order -cS . <<< "$output" | sort)" "$before"
  done
}

@test "claims and slices as the older versions of their interface have them" {
  cluster | list
  patches
  before=$output
  cluster | jq_in_order -c 'if .kind == "ResourceSlice" then .apiVersion = "resource.k8s.io/v1beta1" |
    .spec.devices |= map({name, basic: del(.name)}) else . end' | list
  grep -q '"basic"' "$T/all.json"
  patches
  assert_equal "$output" "$before"
  cluster | jq_in_order -c 'if .kind | startswith("Resource") then .apiVersion = "resource.k8s.io/v1beta2" else . end' | list
  patches
  assert_equal "$output" "$before"
}

@test "without claims and slices in the document the output does not mention them" {
  { cluster; pod n h200 nvidia.com/gpu "$(claimed n c | jq_in_order -c 'del(.spec.containers)')"; } |
    jq_in_order -c 'select(.kind == "Pod" or .kind == "Node")' | list
  patches --all
  told "m missing nvidia-h200-141gb node -
n missing nvidia-h200-141gb node -"
  before=$output
  jq_in_order -c '.items[] | del(.spec.resourceClaims, .status.resourceClaimStatuses)' "$T/all.json" > "$T/plain"
  list < "$T/plain"
  patches --all
  assert_equal "$output" "$before"
}

@test "bad claims and slices are refused with the item; too many devices too, with bounded memory" {
  { claim c gpu.nvidia.com/h200/gpu-0; claim d gpu.nvidia.com/h200; } | list
  run_status 3 gpuaas-export pods "$T/all.json"
  assert_stderr "item 2: a device of it has no pool or no name"
  { claim c; claim c; } | list
  run_status 3 gpuaas-export pods "$T/all.json"
  assert_stderr "ResourceClaim 'models/c' is in the document more than once"
  { claimed a c; claim c $'gpu.nvidia.com/h200/g\x1b[2J\n'; slice gpu.nvidia.com h200 '[]'; } | list
  patches
  assert_equal "${#lines[@]}" 1
  refute_output $'\x1b'
  (grep -q __asan_init "$GPUAAS_BUILD/bin/gpuaas-export" || ulimit -v 1500000
    { echo '{"items":[0'
      for _ in {1..4}; do
        echo ',{"kind":"ResourceSlice","spec":{"driver":"gpu.nvidia.com","pool":{"name":"n"},"devices":['
        yes '{"name":"a"},' | head -n 260000
        echo '{"name":"b"}]}}'
      done
      echo ']}'; } | sed '1s/0//;2s/,//' | {
      run_status 3 gpuaas-export pods -
      assert_stderr "item 4: more than 1000000 devices of slices"
    })
}
