# SPDX-License-Identifier: Apache-2.0
# Apps: manifests in the state, and the machines that match, list and place give to them.

load helper

# fleet SLUG NAME DEVICE NUMBER: a node with eight free GPUs of a type.
fleet()
{
  sed "s/nvidia-h200-141gb/$1/g; s/NVIDIA H200 141GB/$2/g; s/\"2335\"/\"$3\"/g" "$T/pattern" |
    "$GPUAAS_BUILD/bench/fleet" "$GPUAAS_STATE" 1 "$4"
}

# profile NAME TYPES PRICE [FILTER]
profile()
{
  jq_in_order -c --arg name "$1" --arg types "$2" --argjson price "$3" \
    ".name = \$name | .types = (\$types / \" \") | .price_micros = \$price | .counts = [1, 3] |
    .vcpus_per_gpu = 4 | .memory_mib_per_gpu = 8192 | .domain_type = \"test\" | ${4-.}" \
    "$SRC/share/objects/h200-slice.json" | gpuaas-state apply - > "$T/applied"
}

# image NAME [FILTER]: an image, with a copy on each node.
image()
{
  local digest
  digest=sha256:$(printf 'a%.0s' {1..64})
  jq_in_order -cn --arg d "$digest" --arg name "$1" "{kind:\"gpuaas.image/1\",name:\$name,digest:\$d,
    format:\"raw\",file_bytes:1048576,size_bytes:1048576,firmware:\"bios\",probe:\"running\"} | ${2-.}" |
    gpuaas-state apply - > "$T/applied"
  gpuaas-list nodes | jq_in_order -c --arg d "$digest" --arg name "$1" '{kind:"gpuaas.node-image/1",node,
    image:$name,digest:$d,path:"/images/x.raw",verified_at:"2026-11-20T00:00:00.000000Z"}' |
    gpuaas-state apply - > "$T/applied"
}

setup()
{
  common_setup
  gpuaas-state init --lab > "$T/made"
}

# A fleet of three types; an image with a driver and Docker, and one without facts.
some_fleet()
{
  setup_host h200
  in_host gpuaas-discover > "$T/pattern"
  fleet nvidia-h200-141gb 'NVIDIA H200 141GB' 2335 1
  fleet nvidia-a100-sxm4-80gb 'NVIDIA A100 80GB' 20b2 2
  fleet nvidia-v100-sxm2-16gb 'NVIDIA V100 16GB' 1db1 3
  image plain
  image full '.driver_version = "570.133.20" | .cuda_version = "12.8" |
    .features = ["docker", "nvidia-container-toolkit"]'
  gpuaas-state apply "$SRC/share/objects/apps/vllm.json" > "$T/applied"
}

@test "each manifest that is shipped is applied and matched, and its user-data is cloud-config" {
  local file name n=0 yaml=0
  profile premium nvidia-h200-141gb 5000000 '.image = "full" | .counts = [1]'
  profile metal nvidia-h200-141gb 4000000 '.shape = "baremetal"'
  image full '.driver_version = "570.133.20" | .cuda_version = "12.8" |
    .features = ["docker", "nvidia-container-toolkit", "slurm", "kubernetes"]'
  for file in "$SRC"/share/objects/apps/*.json; do
    name=$(basename "$file" .json)
    run_ok gpuaas-state apply "$file"
    jq_is '"\(.name) \(.version)"' "$name 1"
    # Applied again it changes nothing.
    run_ok gpuaas-state apply "$file"
    jq_is .version 1
    run --separate-stderr gpuaas-match --json --app "$name" --image full
    case $(jq -r '"\(.shapes | join(" ")) \(.span)"' "$file") in
    'slice baremetal single_node' | 'slice single_node')
      jq_is 'select(.profile == "premium") | "\(.fits) \(.reasons | length)"' "true 0"
      ;;
    'baremetal multi_node')
      jq_is 'select(.profile == "premium") | "\(.fits) \(.reasons[0].code)"' "false app_shape"
      ;;
    *) false ;;
    esac
    n=$((n + 1))
  done
  assert_equal "$n" 9
  run_ok gpuaas-list apps
  jq_slurp_is 'map(.name) | join(" ")' \
    "jupyter kubernetes kubernetes-cluster oci slurm slurm-cluster system-vm vllm vllm-ray"
  for file in "$SRC"/share/objects/apps/*.yaml; do
    [[ -e ${file%.yaml}.json ]]
    assert_equal "$(head -n 1 "$file")" '#cloud-config'
    refute_grep -E ':latest|image: [^:]*$|token=.|password' "$file"
    python3 - "$file" "$T" << 'END'
import re, subprocess, sys
import yaml
text = open(sys.argv[1]).read()
data = yaml.safe_load(text)
assert set(data) == {"write_files", "runcmd"}, data.keys()
for f in data["write_files"]:
    assert f["path"].startswith("/") and f["content"]
    if f["content"].startswith("#!/bin/sh"):
        assert f["permissions"] == "0755", f["path"]
        subprocess.run(["sh", "-n"], input=f["content"], text=True, check=True)
    if f["path"].endswith((".conflist", ".json")):
        import json
        json.loads(f["content"])
    if f["path"].endswith(".yaml"):
        assert list(yaml.safe_load_all(f["content"]))
# Each image of a container has a tag.
for image in re.findall(r"(?:IMAGE=|image: )(\S+)", text):
    assert re.search(r"/[^/:]+:[^:]+$", image), image
END
    yaml=$((yaml + 1))
  done
  assert_equal "$yaml" 5
}

@test "the user-data of apps is what cloud-init takes" {
  command -v cloud-init > /dev/null || skip "cloud-init is not installed"
  for file in "$SRC"/share/objects/apps/*.yaml; do
    run_ok cloud-init schema --config-file "$file"
  done
}

@test "a machine for vLLM: two of five profiles do not fit, and two commands say why" {
  profile premium nvidia-h200-141gb 5000000 '.image = "full"'
  profile standard nvidia-a100-sxm4-80gb 3000000 '.image = "full"'
  profile either "nvidia-h200-141gb nvidia-a100-sxm4-80gb" 4000000 '.image = "full"'
  profile basic nvidia-v100-sxm2-16gb 1500000 '.image = "full"'
  profile bare-image nvidia-h200-141gb 4500000 '.image = "plain"'
  some_fleet
  run_ok gpuaas-match --json --app vllm
  jq_is 'select(.fits) | .profile' "standard
either
either
premium"
  jq_is 'select(.fits | not) | "\(.profile): \(.reasons | map(.code) | join(" "))"' \
    "basic: app_memory app_capability
bare-image: app_driver app_cuda app_feature app_feature"
  run_ok gpuaas-match --table --app vllm
  assert_output "basic: app 'vllm' needs GPUs with 24 GB of memory, and nvidia-v100-sxm2-16gb has 16 GB"
  assert_output "bare-image: the GPU driver of image 'plain' is not known, and app 'vllm' needs 570.26 or later"
  assert_output "bare-image: app 'vllm' needs an image with docker"
  # The same predicate refuses, and names what would fit.
  run_status 1 gpuaas-place --profile basic --app vllm
  jq_is '"\(.code) \(.status)"' "app_memory 1"
  jq_is '.alternatives[]' "profile 'either' with 1 GPU of nvidia-h200-141gb or nvidia-a100-sxm4-80gb
profile 'premium' with 1 GPU of nvidia-h200-141gb
profile 'standard' with 1 GPU of nvidia-a100-sxm4-80gb"
  run_status 1 gpuaas-place --profile basic --app vllm --table
  assert_output "app_memory  basic       1
    app_memory,app_capability
basic: app 'vllm' needs GPUs with 24 GB of memory, and nvidia-v100-sxm2-16gb has 16 GB
basic: app 'vllm' needs CUDA compute capability 8.0"
  assert_output "would fit: profile 'premium' with 1 GPU of nvidia-h200-141gb"
  # On a terminal no line of it is too long, nor one of the sentences of match and list.
  run script -qec "stty cols 80; gpuaas-place --profile bare-image --app vllm" /dev/null
  assert_status 1
  assert_output "    570.26 or later: gpuaas-image add --driver-version says it"
  run ! grep -E '.{81}' <<< "${output//$'\r'/}"
  run_status 1 gpuaas-place --guide --app vllm --profile bare-image --gpus 1 --image plain --key 'ssh-ed25519 AAAA me'
  assert_stderr "now it would be refused:
  the GPU driver of image"
  run_status 1 gpuaas-place --profile bare-image --app vllm
  jq_is '.code' app_driver
  jq_is '.alternatives[0]' "image 'full'"
  # A count that the app does not allow, and what would fit.
  run_status 1 gpuaas-place --profile premium --gpus 3 --app vllm
  jq_is '"\(.code): \(.sentence)"' "app_count: app 'vllm' runs on 1, 2, 4 or 8 GPUs, not on 3"
  # The choice of match is placed, with the app.
  run_ok gpuaas-match --json --app vllm --request --name chat
  jq_is '"\(.profile) \(.app)"' "standard vllm"
  printf '%s\n' "$output" > "$T/request"
  run_ok gpuaas-place < "$T/request"
  allocation=$(jq -r .allocation <<< "$output")
  assert_equal "$(state_sql "SELECT app, app_version FROM allocation WHERE id = '$allocation'")" 'vllm|1'
  run_ok gpuaas-list allocations
  jq_is '"\(.name) \(.app) \(.app_version)"' "chat vllm 1"
  # Of three allocations the app can run on one.
  run_ok gpuaas-place --profile basic --name small
  run_ok gpuaas-place --profile bare-image --name plain
  run_ok gpuaas-list allocations --app vllm
  jq_is .name chat
  run_ok gpuaas-list allocations --app vllm --explain
  jq_is '"\(.name) \(.fits) \(.app):\(.reasons | map(" " + .code) | join(""))"' "chat true vllm:
small false vllm: app_memory app_capability
plain false vllm: app_driver app_cuda app_feature app_feature"
  run_ok gpuaas-list allocations --app vllm --explain --where fits=false --limit 1
  jq_is .name small
  run_ok gpuaas-list allocations --app vllm --explain --table
  assert_output "small: app 'vllm' needs GPUs with 24 GB of memory"
  for command in "gpuaas-match --app vllm" "gpuaas-list allocations --app vllm --explain"; do
    run script -qec "stty cols 60; $command" /dev/null
    assert_output "    nvidia-v100-sxm2-16gb has 16 GB"
    grep -E '^([0-9]\.|small:|plain:|    )' <<< "${output//$'\r'/}" > "$T/sentences"
    run ! grep -E '.{61}' "$T/sentences"
  done
  # An image that was replaced since is not the one that an allocation has.
  gpuaas-list images --where name=full | jq_in_order -c '.digest = "sha256:" + ("b" * 64)' |
    gpuaas-state apply - > "$T/applied"
  run_ok gpuaas-list allocations --app vllm --explain --where name=chat
  jq_is '"\(.fits) \(.reasons[0].code)"' "false app_image_unknown"
  jq_is '.reasons[0].sentence | startswith("image \u0027full\u0027 was replaced since")' true
  run_ok gpuaas-state check
  run_status 2 gpuaas-list nodes --app vllm
  run_status 2 gpuaas-list allocations --explain
  run_status 5 gpuaas-list allocations --app nothing
}

@test "no request goes past the manifest, and of a profile's types only allowed ones are taken" {
  # A profile of any type, and one whose first type the app does not allow.
  profile any x 1000000 'del(.types) | .image = "full"'
  profile both "nvidia-v100-sxm2-16gb nvidia-a100-sxm4-80gb" 1000000 '.image = "full"'
  some_fleet
  run_ok gpuaas-place --profile both --app vllm
  jq_is .node n00002
  run_ok gpuaas-place --profile both --app vllm --dry-run --explain
  jq_is 'select(.kind == "gpuaas.explanation/1").nodes[] | select(.node == "n00003").code' app_type
  # The same in a request by record; a second one of the same id is the same.
  printf '{"kind":"gpuaas.request/1","profile":"any","app":"vllm","request_id":"r%d"}\n' {1..15} > "$T/requests"
  run_ok gpuaas-place < "$T/requests"
  jq_slurp_is 'map(.node) | unique | join(" ")' "n00001 n00002"
  head -n 1 "$T/requests" > "$T/again"
  first=$(jq -r .allocation <<< "${lines[0]}")
  run_ok gpuaas-place < "$T/again"
  jq_is .allocation "$first"
  # All that the app allows is taken; eight others are free.
  run_status 1 gpuaas-place <<< '{"kind":"gpuaas.request/1","profile":"any","app":"vllm"}'
  jq_is .code no_capacity
  jq_is '.nodes[] | select(.node == "n00003").code' app_type
  run_ok gpuaas-place <<< '{"kind":"gpuaas.request/1","profile":"any"}'
  jq_is .node n00003
  # A type, an image and a count that the request names are judged too.
  run_status 1 gpuaas-place <<< '{"kind":"gpuaas.request/1","profile":"any","app":"vllm","types":["nvidia-v100-sxm2-16gb"]}'
  jq_is .code app_memory
  run_status 1 gpuaas-place <<< '{"kind":"gpuaas.request/1","profile":"any","app":"vllm","image":"plain"}'
  jq_is .code app_driver
  run_status 1 gpuaas-place <<< '{"kind":"gpuaas.request/1","profile":"any","app":"vllm","count":3}'
  jq_is .code app_count
  run_status 1 gpuaas-place --profile any --app vllm --baremetal
  jq_is .code profile_shape
  run_status 5 gpuaas-place --profile any --app nothing
  jq_is '"\(.code) \(.sentence)"' "no_app there is no app 'nothing'"
  jq_in_order -c '.retired = true' "$SRC/share/objects/apps/vllm.json" | gpuaas-state apply - > "$T/applied"
  run_status 1 gpuaas-place --profile any --app vllm
  jq_is '"\(.code) \(.alternatives | length)"' "app_retired 0"
  run_ok gpuaas-show vllm --json
  jq_is 'select(.kind == "gpuaas.app/1") | "\(.version) \(.retired)"' "2 true"
  jq_is 'select(.kind == "gpuaas.audit/1") | "\(.action) \(.detail.version)"' "app_applied 1
app_applied 2"
}

@test "a manifest that could fit nothing is refused, and a mistyped word is reported" {
  run_status 3 gpuaas-state apply - <<< '{"kind":"gpuaas.app/1","name":"cuda","title":"t","runtime":"oci","span":"single_node","shapes":["slice"]}'
  assert_stderr "app 'cuda': member 'name' is a word for a software platform"
  run_status 3 gpuaas-state apply - <<< '{"kind":"gpuaas.app/1","name":"x","title":"t","runtime":"slurm","span":"multi_node","shapes":["slice"]}'
  assert_stderr "member 'shapes' for span multi_node can only be"
  run_ok gpuaas-state apply - <<< '{"kind":"gpuaas.app/1","name":"x","title":"t","runtime":"oci","span":"single_node","shapes":["slice"],"types":["nvidia-h200"],"vendors":["Nvidea"]}'
  assert_stderr "app 'x': type 'nvidia-h200' is not in the catalogue"
  assert_stderr "app 'x': vendor 'Nvidea' is not in the catalogue"
  run_status 5 gpuaas-match --app nothing
  assert_stderr "there is no app 'nothing'"
}

@test "an app on several nodes gets one of its machines, whole, and no slice" {
  cat "$SRC"/share/objects/{lab,lab-baremetal}.json "$SRC"/share/objects/apps/{slurm-cluster,vllm-ray,system-vm}.json |
    gpuaas-state apply - > "$T/applied"
  setup_host lab1
  in_host gpuaas-discover > "$T/discovery"
  gpuaas-approve --all-ready --mode baremetal --profile lab-baremetal < "$T/discovery" > "$T/orders"
  in_host gpuaas-wipe < "$T/orders" > "$T/wiped"
  gpuaas-state fold "$T/wiped" > "$T/folded"
  run_status 1 gpuaas-place --profile lab --app slurm-cluster
  jq_is '"\(.code) \(.alternatives | join(" "))"' "app_shape profile 'lab-baremetal'"
  run_status 1 gpuaas-place --profile lab-baremetal --app system-vm
  jq_is '"\(.code) \(.shape)"' "app_shape baremetal"
  # The machine has two GPUs; a manifest may want another number, or all that there is.
  jq_in_order -c '.counts = [4]' "$SRC/share/objects/apps/slurm-cluster.json" | gpuaas-state apply - > "$T/applied"
  run_status 1 gpuaas-place --profile lab-baremetal --app slurm-cluster
  jq_is '"\(.code) \(.nodes[0].code)"' "app_count app_count"
  run_status 1 gpuaas-place --profile lab-baremetal --app slurm-cluster --gpus 5
  jq_is .code app_count
  jq_in_order -c '.counts = [2]' "$SRC/share/objects/apps/slurm-cluster.json" | gpuaas-state apply - > "$T/applied"
  run_ok gpuaas-match --json --app slurm-cluster --request
  printf '%s\n' "$output" > "$T/request"
  jq_is '"\(.profile) \(.shape) \(.count) \(.app)"' "lab-baremetal baremetal 2 slurm-cluster"
  run_ok gpuaas-place < "$T/request"
  jq_is '"\(.shape) \(.bundles | length)"' "baremetal 2"
  run_ok gpuaas-list allocations --app slurm-cluster
  jq_is '"\(.app) \(.app_version)"' "slurm-cluster 3"
  run_ok gpuaas-list allocations --app vllm-ray --explain
  jq_is '.reasons[0].code' app_count
}

# machine NUMBER GPUS: a baremetal node of that many free H200; NUMBER is not used twice
machine()
{
  "$SRC/tests/fleet" "$(($1 + 1))" "$2" < "$T/pattern" |
    jq_in_order -c --arg n "$(printf 'n%03d' "$1")" 'select(.node == $n)' > "$T/machine"
  gpuaas-approve --all-ready --mode baremetal --profile metal < "$T/machine" > "$T/slots"
  "$SRC/tests/evidence" < "$T/slots" | gpuaas-state fold - > "$T/folded"
}

@test "machines of several sizes and types: match, guide and place judge each node" {
  setup_host h200
  in_host gpuaas-discover > "$T/pattern"
  profile metal x 1000000 '.shape = "baremetal" | del(.types, .counts, .vcpus_per_gpu, .memory_mib_per_gpu)'
  profile lab x 1000000 'del(.types) | .image = "full"'
  image full '.driver_version = "570.133.20" | .cuda_version = "12.8" |
    .features = ["docker", "nvidia-container-toolkit"]'
  gpuaas-state apply "$SRC/share/objects/apps/vllm.json" - > "$T/applied" << 'END'
{"kind":"gpuaas.app/1","name":"one","title":"One GPU","runtime":"oci","span":"single_node","shapes":["baremetal"],"counts":[1]}
{"kind":"gpuaas.app/1","name":"h200","title":"H200","runtime":"oci","span":"single_node","shapes":["baremetal"],"types":["nvidia-h200-141gb"]}
END
  # Nothing is approved yet: that is the reason, and no type is blamed.
  run_status 1 gpuaas-place --profile lab --app vllm
  jq_is .code no_capacity
  run --separate-stderr gpuaas-match --json --app one
  jq_is 'select(.profile == "metal") | "\(.fits) \(.count) \(.availability)"' "true null none"
  machine 0 1
  machine 1 2
  run_ok gpuaas-match --json --app one
  jq_is 'select(.profile == "metal") | "\(.fits) \(.count) \(.availability)"' "true 1 now"
  run_ok gpuaas-place --guide --app one --key 'ssh-ed25519 AAAA me' <<< $'\n\n\n'
  assert_stderr "metal: NVIDIA H200 141GB; 1 GPU available, at most 1 in one request"
  assert_stderr "slice is left out: app 'one' runs on baremetal, not on slice"
  assert_stderr "now it would be placed on node 'n000'"
  # For baremetal every image is offered, and no node has a copy.
  run_ok gpuaas-place --guide --app vllm --baremetal --key 'ssh-ed25519 AAAA me' <<< $'\n\n\n\n'
  assert_output "--image full"
  # A node with two types, and then with one that is not known.
  state_sql "UPDATE slot SET accelerator_type = 'nvidia-a100-sxm4-80gb', generation = generation + 1 WHERE node_id = 'n001' AND slot_index = 0"
  gpuaas-node drain n000 --reason test > "$T/drained"
  run_ok gpuaas-match --json
  jq_is 'select(.profile == "metal" and .accelerator_type == null) | "\(.fits) \(.count) \(.availability) \(.unknown[0].sentence)"' \
    "true 2 now its machines have GPUs of several or unknown types"
  run_ok gpuaas-place --profile metal --dry-run
  run --separate-stderr gpuaas-match --json --app h200
  jq_is 'select(.profile == "metal" and .accelerator_type == null) | .reasons[] | "\(.code)"' app_type
  run_status 1 gpuaas-place --profile metal --app h200 --dry-run
  state_sql "UPDATE slot SET accelerator_type = NULL, generation = generation + 1 WHERE node_id = 'n001' AND slot_index = 0"
  run --separate-stderr gpuaas-match --json --app h200
  jq_is 'select(.profile == "metal" and .accelerator_type == null) | .reasons[] | "\(.code)"' app_type_unknown
}

@test "the guide counts what the app can have, and a refusal names the first cause" {
  profile both "nvidia-v100-sxm2-16gb nvidia-a100-sxm4-80gb" 1000000 '.image = "full" | .counts = [8]'
  profile premium nvidia-h200-141gb 5000000 '.image = "full" | .counts = [8]'
  profile budget nvidia-v100-sxm2-16gb 500000 '.image = "full" | .counts = [8]'
  some_fleet
  gpuaas-place --profile both --type nvidia-a100-sxm4-80gb --gpus 8 > "$T/plan"
  run_ok gpuaas-place --guide --app vllm --key 'ssh-ed25519 AAAA me' <<< $'\n\n\n\n'
  assert_stderr "both: NVIDIA A100 80GB; 0 GPUs available"
  assert_stderr "premium: NVIDIA H200 141GB; 8 GPUs available"
  assert_output "--profile premium"
  # A profile that the app cannot run on, by name: the answer and the status say no.
  run_status 1 gpuaas-place --guide --app vllm --profile budget --gpus 8 --image full --key 'ssh-ed25519 AAAA me'
  assert_stderr "now it would be refused:"
  assert_output "gpuaas-place"
  # Types that the profile does not have are its reason, not the app's.
  run_status 1 gpuaas-place --profile premium --type v100 --gpus 8 --app vllm
  jq_is .code type_missing
  # An image that is not there is no image whose content is not known.
  for options in "--app vllm" ""; do
    run_status 1 gpuaas-place --profile premium --gpus 8 --image nothere $options
    jq_is '"\(.code) \(.sentence)"' "image_missing there is no image 'nothere'"
  done
  # A damaged record of an image ends no batch, and each explanation names its request.
  without_triggers "UPDATE image SET record = '{}' WHERE name = 'full'"
  run gpuaas-place --explain << 'END'
{"kind":"gpuaas.request/1","profile":"premium","count":8,"app":"vllm","image":"plain","request_id":"first"}
{"kind":"gpuaas.request/1","profile":"budget","count":8,"image":"plain","request_id":"second"}
END
  assert_status 1
  jq_is 'select(.kind == "gpuaas.explanation/1") | "\(.request_id) \(.nodes | map(.code // "taken") | unique | join(" "))"' \
    "first app_driver
second taken type_missing"
}
