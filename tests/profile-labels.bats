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

@test "good labels are shown with what they mean and what they leave out" {
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
  found '{"nvidia.com/gpu.product":"GRID-T4-1B"}' '{"nvidia.com/gpu":"1"}'
  assert_status 0
  has "info parts nvidia.com/gpu.product"
  jq_is .type nvidia-t4-16gb
}

@test "wrong, malformed, ambiguous and unpublished labels are reported as such" {
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

@test "labels that contradict each other, the resources or the machine are reported" {
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

@test "labels that hold PCI ids are shown with the type, and an id that nobody knows as unknown" {
  local nfd=feature.node.kubernetes.io/pci
  found '{"amd.com/gpu.device-id":"ffff","beta.amd.com/gpu.device-id.ffff":"8"}' '{"amd.com/gpu":"8"}'
  assert_status 1
  has "warning unknown_value amd.com/gpu.device-id"
  # Labels that say the same are reported once.
  refute_output beta.
  found '{"amd.com/gpu.device-id":"74a1","amd.com/gpu.vram":"192G","beta.amd.com/gpu.vram.192G":"8"}' '{"amd.com/gpu":"8"}'
  assert_status 0
  jq_is 'select(.label == "amd.com/gpu.device-id").type' amd-mi300x-192gb
  has "info present amd.com/gpu.vram"
  found '{"amd.com/gpu.device-id":"x74a1","amd.com/gpu.vram":"lots"}' '{"amd.com/gpu":"8"}'
  has "error number_malformed amd.com/gpu.device-id"
  has "error number_malformed amd.com/gpu.vram"
  found '{"beta.amd.com/gpu.device-id.74a1":"4","beta.amd.com/gpu.device-id.740f":"four","beta.amd.com/gpu.product-name.AMD_Instinct_MI300X_OAM":"4","beta.amd.com/gpu.product-name.MI999":"4","beta.amd.com/gpu.vram.64G":"4"}' \
    '{"amd.com/gpu":"8"}'
  has "info present beta.amd.com/gpu.device-id.74a1"
  has "error number_malformed beta.amd.com/gpu.device-id.740f"
  has "info lossy beta.amd.com/gpu.product-name.AMD_Instinct_MI300X_OAM"
  has "error unknown_value beta.amd.com/gpu.product-name.MI999"
  has "info present beta.amd.com/gpu.vram.64G"
  found '{"gpu.intel.com/device-id.0380-0bd5.present":"true","gpu.intel.com/device-id.0380-0bd5.count":"all","gpu.intel.com/device-id.0300-4680.present":"true"}' \
    '{"gpu.intel.com/i915":"8"}'
  has "info present gpu.intel.com/device-id.0380-0bd5.present"
  has "error number_malformed gpu.intel.com/device-id.0380-0bd5.count"
  has "warning unknown_value gpu.intel.com/device-id.0300-4680.present"
  found "{\"$nfd-0302_10de_2335.present\":\"true\",\"nvidia.com/gpu.product\":\"NVIDIA-L4\"}" '{"nvidia.com/gpu":"8"}'
  assert_status 1
  has "info present $nfd-0302_10de_2335.present"
  has "warning type_conflict null"
  found "{\"$nfd-0302_10de_ffff.present\":\"true\",\"$nfd-0200_15b3_1021.present\":\"true\",\"$nfd-0b40_8086_4940.present\":\"true\"}" '{}'
  has "warning unknown_value $nfd-0302_10de_ffff.present"
  refute_output 15b3
  refute_output 8086
}

@test "labels of which the words are known, and keys that are nearly one that is read" {
  found '{"nvidia.com/mig.strategy":"single","nvidia.com/gpu.present":"true","nvidia.com/gpu.sharing-strategy":"mps"}' '{}'
  assert_status 0
  has "info present nvidia.com/mig.strategy"
  found '{"nvidia.com/mig.strategy":"sometimes","nvidia.com/gpu.present":"yes"}' '{}'
  assert_status 1
  has "warning unknown_value nvidia.com/mig.strategy"
  has "warning unknown_value nvidia.com/gpu.present"
  local key
  for key in nvidia.com/gpu.products nvidia.com/gpu.Product amd.com/gpu.productname gpu.intel.com/produkt \
    cloud.google.com/gke-accelerators accelerator.gpuaas/type-overide; do
    found "{\"$key\":\"x\"}" '{}'
    assert_status 1
    has "warning misspelled $key"
  done
  # Other keys of those domains are somebody's.
  found '{"nvidia.com/gpu.deploy.driver":"true","nvidia.com/mig.config":"all-disabled","nvidia.com/gpu.mode":"compute","nvidia.com/gpu":"true","beta.amd.com/gpu.family.AI":"8","beta.amd.com/gpu.cu-count.64":"8","karpenter.k8s.aws/instance-cpu-manufacturer":"intel","karpenter.k8s.aws/instance-memory":"1","cloud.google.com/gke-tpu-topology":"2x4","amd.com/gpu.cu-count.8":"1","example.com/gpu.products":"x","nvidia.com/gpu.present":"true"}' '{}'
  assert_status 0
  jq_is .label nvidia.com/gpu.present
}

@test "clouds that say whose they are or how many, against what the node offers" {
  found '{"kubernetes.azure.com/accelerator":"nvidia","eks.amazonaws.com/instance-gpu-manufacturer":"amd"}' '{"nvidia.com/gpu":"1"}'
  has "info present kubernetes.azure.com/accelerator"
  has "info present eks.amazonaws.com/instance-gpu-manufacturer"
  found '{"kubernetes.azure.com/accelerator":"nvidia","node.kubernetes.io/instance-type":"Standard_ND96isr_MI300X_v5"}' '{"amd.com/gpu":"8"}'
  assert_status 1
  has "error contradicts kubernetes.azure.com/accelerator"
  found '{"kubernetes.azure.com/accelerator":"gaming"}' '{}'
  has "warning unknown_value kubernetes.azure.com/accelerator"
  found '{"k8s.amazonaws.com/accelerator":"nvidia-tesla-k80"}' '{"nvidia.com/gpu":"1"}'
  assert_status 0
  jq_is .type nvidia-k80-12gb
  found '{"k8s.amazonaws.com/accelerator":"true"}' '{"nvidia.com/gpu":"1"}'
  has "warning unknown_value k8s.amazonaws.com/accelerator"
  found '{"cloud.google.com/gke-tpu-accelerator":"tpu-v5-lite-podslice"}' '{"google.com/tpu":"4"}'
  assert_status 0
  jq_is .type google-tpu-v5e
  found '{"karpenter.k8s.aws/instance-gpu-name":"l4","karpenter.k8s.aws/instance-gpu-count":"4"}' '{"nvidia.com/gpu":"1"}'
  assert_status 1
  has "warning count_instance null"
  # 0 is a part of one.
  found '{"karpenter.k8s.aws/instance-gpu-name":"l4","karpenter.k8s.aws/instance-gpu-count":"0"}' '{"nvidia.com/gpu":"1"}'
  assert_status 0
  # No label of GFD, and the cloud's tells the type: nothing is missing.
  found '{"cloud.google.com/gke-accelerator":"nvidia-tesla-a100"}' '{"nvidia.com/gpu":"8"}'
  assert_status 0
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

@test "hostile keys and values reach neither the terminal nor another line" {
  found "$(jq_in_order -nc '{"amd.com/gpu.device-id.\u001b[2J\n": "8", "nvidia.com/gpu.\u001bproduct": "x\u001b[31m",
    "gpu.intel.com/device-id.\u001b-0bd5.present": "true", "nvidia.com/mig.strategy": "\u001bc"}')" '{}'
  assert_status 1
  has "error number_malformed amd.com/gpu.device-id.?[2J?"
  has "warning misspelled nvidia.com/gpu.?product"
  assert_equal "${#lines[@]}" 4
  refute_output u001b
  run_status 1 gpuaas-profile labels check --table "$T/nodes.json"
  refute_output $'\x1b'
}

@test "labels has one command, and reads standard input" {
  run_status 2 gpuaas-profile labels fix
  assert_stderr "labels check"
  run_ok gpuaas-profile labels check - <<< '{"items":[]}'
  assert_stderr "0 nodes, 0 findings"
}
