# SPDX-License-Identifier: Apache-2.0
# gpuaas-profile labels check: what the labels of Kubernetes' nodes are worth.

load helper

# found LABELS CAPACITY: the findings of such a node in $output, "severity code label".
found()
{
  jq_in_order -nc --argjson l "$1" --argjson c "$2" '{items: [{kind: "Node", metadata: {name: "n1", labels: $l},
    status: {capacity: $c, allocatable: $c}}]}' > "$T/nodes.json"
  run --separate-stderr gpuaas-profile labels check "$T/nodes.json"
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
}

has()
{
  jq -r '"\(.severity) \(.code) \(.label)"' <<< "$output" | grep -qxF "$1" ||
    { echo "no '$1' in: $output"; return 1; }
}

@test "good labels are told with what they mean and what they leave out" {
  found '{"nvidia.com/gpu.product":"NVIDIA-A100-SXM4-80GB","nvidia.com/gpu.memory":"81920","nvidia.com/gpu.count":"8","nvidia.com/gpu.family":"ampere","nvidia.com/gpu.compute.major":"8","nvidia.com/gpu.compute.minor":"0"}' \
    '{"nvidia.com/gpu":"8"}'
  assert_status 0
  has "info present nvidia.com/gpu.product"
  jq_is 'select(.label == "nvidia.com/gpu.product").type' nvidia-a100-sxm4-80gb
  found '{"nvidia.com/gpu.product":"NVIDIA-H200"}' '{"nvidia.com/gpu":"8"}'
  assert_status 0
  has "info lossy nvidia.com/gpu.product"
  found '{"nvidia.com/gpu.product":"A100-SXM4-80GB"}' '{"nvidia.com/gpu":"8"}'
  has "info old_spelling nvidia.com/gpu.product"
  found '{"nvidia.com/gpu.product":"NVIDIA-H200-MIG-1g.18gb"}' '{"nvidia.com/gpu":"7"}'
  has "info parts nvidia.com/gpu.product"
}

@test "wrong, malformed, ambiguous and unpublished labels are told as such" {
  found '{"nvidia.com/gpu.product":"NVIDIA-X1","nvidia.com/gpu.count":"eight"}' '{}'
  assert_status 1
  has "error unknown_value nvidia.com/gpu.product"
  has "error number_malformed nvidia.com/gpu.count"
  found '{"nvidia.com/gpu.product":"NVIDIA-H100"}' '{"nvidia.com/gpu":"8"}'
  assert_status 1
  has "warning ambiguous nvidia.com/gpu.product"
  found '{"nvidia.com/gpu.product":"NVIDIA-H200-SXM"}' '{"nvidia.com/gpu":"8"}'
  has "warning written_by_hand nvidia.com/gpu.product"
  found '{"amd.com/gpu.product":"MI300X","intel.com/gpu.product":"Max"}' '{}'
  has "warning never_published amd.com/gpu.product"
  has "warning never_published intel.com/gpu.product"
  found '{"nvidia.com/gpu.product":"Tesla-T4","nvidia.com/gpu.memory":"16106127360"}' '{"nvidia.com/gpu":"1"}'
  has "warning memory_unit nvidia.com/gpu.memory"
  found '{"amd.com/gpu.product-name":"MI300X"}' '{}'
  has "error unknown_value amd.com/gpu.product-name"
  found '{"gpu.intel.com/product":7}' '{}'
  has "error no_text gpu.intel.com/product"
}

@test "labels that contradict each other, the resources or the machine are told" {
  found '{"nvidia.com/gpu.product":"NVIDIA-H200","nvidia.com/gpu.family":"ampere","nvidia.com/gpu.compute.major":"8","nvidia.com/gpu.compute.minor":"0"}' \
    '{"nvidia.com/gpu":"8"}'
  assert_status 1
  has "error contradicts nvidia.com/gpu.family"
  has "error contradicts nvidia.com/gpu.compute.major"
  found '{"nvidia.com/gpu.product":"NVIDIA-H200","nvidia.com/gpu.count":"4"}' '{"nvidia.com/gpu":"8"}'
  has "warning count_mismatch null"
  found '{"nvidia.com/gpu.product":"NVIDIA-L4","nvidia.com/gpu.count":"1","node.kubernetes.io/instance-type":"g5.xlarge"}' \
    '{"nvidia.com/gpu":"1"}'
  has "info machine node.kubernetes.io/instance-type"
  has "warning type_conflict null"
  found '{}' '{"nvidia.com/gpu":"8"}'
  has "warning label_missing null"
}

@test "the five distributions are told apart by labels of their own" {
  local case
  for case in 'eks eks.amazonaws.com/nodegroup' 'eks karpenter.k8s.aws/instance-family' \
    'gke cloud.google.com/gke-nodepool' 'aks kubernetes.azure.com/agentpool' \
    'openshift node.openshift.io/os_id' 'kubernetes kubernetes.io/os'; do
    found "{\"${case#* }\":\"x\",\"nvidia.com/gpu.product\":\"NVIDIA-H200\"}" '{"nvidia.com/gpu":"8"}'
    jq_is .platform "${case%% *}"
  done
  # OpenShift on a cloud is OpenShift.
  found '{"eks.amazonaws.com/nodegroup":"x","node.openshift.io/os_id":"rhcos","nvidia.com/gpu.product":"NVIDIA-H200"}' \
    '{"nvidia.com/gpu":"8"}'
  jq_is .platform openshift
  # And each one's own labels for accelerators.
  found '{"cloud.google.com/gke-accelerator":"nvidia-h100-mega-80gb","node.kubernetes.io/instance-type":"a3-megagpu-8g"}' \
    '{"nvidia.com/gpu":"8"}'
  has "info present cloud.google.com/gke-accelerator"
  has "info machine node.kubernetes.io/instance-type"
  found '{"karpenter.k8s.aws/instance-gpu-name":"a100","node.kubernetes.io/instance-type":"p4de.24xlarge"}' \
    '{"nvidia.com/gpu":"8"}'
  has "info ambiguous karpenter.k8s.aws/instance-gpu-name"
  found '{"kubernetes.azure.com/accelerator":"nvidia","node.kubernetes.io/instance-type":"Standard_ND96asr_v4"}' \
    '{"nvidia.com/gpu":"8"}'
  has "info machine node.kubernetes.io/instance-type"
  jq_is 'select(.code == "machine").type' nvidia-a100-sxm4-40gb
}

@test "labels has one command, and reads standard input" {
  run_status 2 gpuaas-profile labels fix
  assert_stderr "labels check"
  run_ok gpuaas-profile labels check - <<< '{"items":[]}'
  assert_stderr "0 nodes, 0 findings"
}
