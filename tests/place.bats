#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# gpuaas-place: requests to plans, refusals that say why, many writers at once.

load helper

setup()
{
  common_setup
  gpuaas-state init --lab > "$T/init"
  jq_in_order -c '.vcpus_per_gpu = 1' "$SRC/share/objects/lab.json" > "$T/lab.json"
  cat >> "$T/lab.json" << 'END'
{"kind":"gpuaas.profile/1","name":"whole","shape":"baremetal","price_micros":0,"wipe":{"minimum_class":"clear","verify":"full","gpu_memory":"if_supported"}}
{"kind":"gpuaas.image/1","name":"lab","digest":"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","format":"raw","file_bytes":1048576,"size_bytes":1048576,"firmware":"bios","probe":"running","user":"ubuntu"}
END
  gpuaas-state apply "$T/lab.json" > "$T/apply"
}

# fleet NODES SLOTS: that many nodes of that many clean slots, each with the image.
fleet()
{
  setup_host h200
  in_host gpuaas-discover > "$T/h200.rec"
  "$SRC/tests/fleet" "$1" "$2" < "$T/h200.rec" > "$T/fleet.rec"
  wiped_fleet
}

place()
{
  gpuaas-place --profile lab "$@"
}

# request N MORE: a stream of N requests for one GPU
requests()
{
  jq_in_order -nc --argjson n "$1" 'range($n) | {kind: "gpuaas.request/1", profile: "lab", count: 1}'
}

@test "a plan says all a host needs, and its claims are committed" {
  fleet 2 8
  run_ok place --gpus 2 --project vision --name train1 --key "ssh-ed25519 AAAA me"
  jq_is '"\(.node) \(.count) \(.shape) \(.project) \(.name) \(.vcpus) \(.memory_mib)"' \
    "n000 2 slice vision train1 2 1024"
  jq_is '[.bundles[].slot_index] | tostring' '[0,1]'
  jq_is '[.bundles[].nvme_wwid] | tostring' '["eui.n000-0","eui.n000-1"]'
  jq_is '.image.name, .keys[0], .domain_type' $'lab\nssh-ed25519 AAAA me\ntest'
  digest=$(jq_in_order -c 'del(.digest)' <<< "$output" | tr -d '\n' | sha256sum)
  jq_is .digest "sha256:${digest%% *}"
  assert_equal "$(state_sql "SELECT count(*) FROM claim WHERE live = 1")" 2
  assert_equal "$(state_sql "SELECT count(*) FROM slot WHERE state = 'reserved'")" 2
  plan=$output
  run_ok gpuaas-list plan
  assert_equal "$output" "$plan"
  run_ok gpuaas-state check
  run_ok gpuaas-state audit verify
}

@test "--guide asks for what is not given and prints a command that works" {
  fleet 2 8
  mkdir "$T/.ssh"
  echo "ssh-ed25519 AAAA me" > "$T/.ssh/id_ed25519.pub"
  # gpuaas-place repeats the question after a wrong answer; an empty line takes the default
  run_ok gpuaas-place --guide --project a <<< $'7\nslice\n\n3\n2\nlab\n\n'
  assert_equal "$output" \
    "gpuaas-place --profile lab --gpus 2 --image lab --key $T/.ssh/id_ed25519.pub --project a"
  assert_stderr "'7' is none of these"
  assert_stderr "16 GPUs available"
  assert_stderr "now it would be placed on node 'n000'"
  assert_equal "$(state_sql "SELECT count(*) FROM claim")" 0
  run_ok bash -c "$output"
  jq_is '"\(.count) \(.project) \(.keys[0])"' "2 a ssh-ed25519 AAAA me"
  run_ok gpuaas-place --guide --key 'ssh-ed25519 AAAA me' <<< $'2\n\n\n'
  assert_equal "$output" "gpuaas-place --profile whole --baremetal --key 'ssh-ed25519 AAAA me'"
  # an app leaves out what it cannot run on, and the guide prints the answer of placement
  gpuaas-state apply - << 'END' > "$T/applied"
{"kind":"gpuaas.app/1","name":"pair","title":"Two GPUs","runtime":"oci","span":"single_node","shapes":["slice"],"counts":[2],"cuda_min":"12.4"}
END
  run_status 1 gpuaas-place --guide --app pair <<< $'\n\n\n\n\n'
  assert_stderr "baremetal is left out: app 'pair' runs on slice, not on baremetal"
  refute_stderr "slice is left out"
  assert_stderr "How many GPUs? (2)"
  assert_stderr "app 'pair' can run in no image that a node has"
  run_status 1 gpuaas-place --guide --app pair --region eu --image lab --key "ssh-ed25519 AAAA me" <<< $'\n\n'
  assert_stderr "now it would be refused"
  assert_output "--gpus 2 --app pair"
  run_status 5 gpuaas-place --guide --app nothing < /dev/null
  run_status 2 gpuaas-place --guide <<< 2
  assert_stderr "the input ended before the last question was answered"
  run_status 5 gpuaas-place --guide --profile nothing < /dev/null
}

@test "--guide counts what the options leave, and prefers the cheapest of what is there" {
  fleet 2 8
  gpuaas-node set n000 --region eu --pool p --name h7 > "$T/set"
  jq_in_order -c 'select(.kind == "gpuaas.profile/1" and .name == "lab") | (.name = "zebra" | .price_micros = 2000000),
    (.name = "yak" | .price_micros = 3000000), (.name = "cheap" | .price_micros = 1000000 | .region = "eu")' \
    "$T/lab.json" | gpuaas-state apply - > "$T/applied"
  guide() { run gpuaas-place --guide --key 'ssh-ed25519 AAAA me' --image lab "$@" <<< $'\n\n\n'; }
  guide
  assert_output "zebra: NVIDIA H200 141GB; 16 GPUs available"
  assert_output "gpuaas-place --profile cheap --gpus 1"
  for options in "--region eu" "--pool p" "--node h7" "--region eu --run-time 1h"; do
    guide $options
    assert_output "Which hardware? (GPUs that your options leave)"
    assert_output "zebra: NVIDIA H200 141GB; 8 GPUs available"
  done
  guide --node n001
  assert_output "cheap: 0 GPUs available"
  assert_output "gpuaas-place --profile zebra --gpus 1"
  guide --type a100
  assert_output "zebra: 0 GPUs available"
  guide --min-memory 1T
  assert_output "zebra: 0 GPUs available"
  guide --min-memory 100G
  assert_output "zebra: NVIDIA H200 141GB; 16 GPUs available"
  # The number that is wanted counts, too.
  guide --gpus 8 --node n001
  assert_output "gpuaas-place --profile zebra"
  run_ok gpuaas-place --profile zebra --node n001
  guide --gpus 8 --node n001
  assert_output "gpuaas-place --profile cheap"
  run_status 5 gpuaas-place --guide --node nothing < /dev/null
}

@test "--dry-run claims nothing" {
  fleet 1 2
  state_sql .dump > "$T/before"
  run_ok place --gpus 2 --dry-run --explain
  jq_slurp_is '.[0].dry_run' true
  jq_slurp_is '.[1].nodes[0].terms[0].name' type_preference
  state_sql .dump > "$T/after"
  cmp "$T/before" "$T/after"
}

@test "slices are packed, whole nodes are kept, a baremetal claim takes one whole" {
  fleet 3 4
  run_ok place --gpus 2
  jq_is .node n000
  run_ok place --gpus 1
  jq_is .node n000
  run_ok gpuaas-place --profile whole
  jq_is '"\(.node) \(.count) \(.image)"' "n001 4 null"
  run_ok place --gpus 4
  jq_is .node n002
  run_status 1 gpuaas-place --profile whole
  jq_is '"\(.code) \([.nodes[].code] | join(" "))"' \
    "no_capacity held_by_slices held_by_baremetal held_by_slices"
  jq_is .sentence "a baremetal node wanted, and the nearest node 'n000' is held by slices"
  run_status 1 gpuaas-place --profile whole --gpus 9
  jq_is '"\(.code): \(.sentence): \(.hint)"' "no_capacity: a baremetal node of 9 GPUs or more wanted, and the largest machine has 4 GPUs: ask for at most 4"
  run_ok place --gpus 1
  jq_is .node n000
  run_status 1 place --gpus 1
  jq_is .code no_capacity
}

@test "a slot that may not be sold as a slice is left out of slices, not of the machine behind them" {
  fleet 1 2
  without_triggers "UPDATE slot SET fabric_vf_pci_address = NULL WHERE slot_index = 0"
  jq_in_order -nc '(["lab", 2], ["whole", 2], ["lab", 1]) |
    {kind: "gpuaas.request/1", profile: .[0], count: .[1]}' > "$T/requests"
  # The machine is whole all the same; after it nothing is left.
  run_status 1 gpuaas-place < "$T/requests"
  jq_slurp_is 'map(.code // .shape) | join(" ")' "fabric_blocked baremetal no_capacity"
  assert_stderr "missing_fabric_vf"
}

@test "a node that is none, or could be several, is named in the refusal" {
  fleet 2 2
  run_status 1 place --gpus 1 --node nowhere
  jq_is '"\(.code): \(.sentence): \(.hint)"' \
    "node_missing: there is no node 'nowhere': 'gpuaas-list nodes' shows them"
  jq_is '.alternatives[0]' "1 GPU of type nvidia-h200-141gb on node n000 now"
  run_status 1 place --gpus 1 --node n00
  jq_is '"\(.code): \(.sentence)"' "node_missing: 'n00' could be node n000, node n001"
  for slot in $(gpuaas-list slots --where node=n001 | jq -r .slot); do
    gpuaas-approve disable "$slot" --reason gone > "$T/out"
    gpuaas-approve retire "$slot" --reason gone > "$T/out"
  done
  gpuaas-node quarantine n001 --reason gone > "$T/out"
  gpuaas-node retire n001 --reason gone --yes > "$T/out"
  run_status 1 place --gpus 1 --node n001
  jq_is '"\(.code): \(.sentence)"' "node_missing: node 'n001' is retired, or was never there"
  run_ok place --gpus 1 --node n000
}

@test "nothing is placed in a region that is not open" {
  fleet 2 2
  gpuaas-node set n000 --region eu > "$T/set"
  region() { jq_in_order -cn --arg name "$1" --argjson open "$2" '{kind:"gpuaas.region/1",$name,$open,reason:"flooded"}' | gpuaas-state apply - > "$T/region"; }
  region eu false
  region asia false
  region us true
  run_status 1 place --region eu
  jq_is '"\(.code): \(.sentence)"' "region_closed: region 'eu' is not open: flooded"
  jq_is '.hint' "open regions: us; 'gpuaas-list regions' shows all"
  run_status 1 place --region asia
  jq_is .code region_closed
  run_status 1 place --region mars
  jq_is '"\(.code) \(.hint)"' "other_region_wanted open regions: us; 'gpuaas-list regions' shows all"
  run_status 1 place --region aisa
  jq_is '"\(.sentence). \(.hint)"' \
    "there is no region 'aisa'. near to it: 'asia'; open regions: us; 'gpuaas-list regions' shows all"
  run_ok place --explain --dry-run
  jq_is 'select(.nodes)|.nodes[0]|.code+" "+.detail' "region_closed flooded"
  # A placer that runs sees what a person declares meanwhile.
  mkfifo "$T/in"
  exec 7<> "$T/in"
  background bash -c 'exec gpuaas-place < "$T/in" > "$T/plans" 7>&-'
  requests 1 >&7
  wait_for 10 test -s "$T/plans"
  region eu true
  jq_in_order -nc '{kind:"gpuaas.request/1",profile:"lab",count:1,region:"eu"}' >&7
  exec 7>&-
  wait_for 10 has_ended "$BG_PID"
  assert_equal "$(jq -r .node < "$T/plans")" $'n001\nn000'
}

@test "refusals tell apart, with the nearest that would fit" {
  fleet 2 4
  run_status 1 place --gpus 3
  jq_is '"\(.code) \(.alternatives | join(",")) \(.hint)"' \
    "count_not_allowed 1 GPU on node n000 now,2 GPUs on node n000 now,4 GPUs on node n000 now ask for 1, 2, 4 or 8"
  run_status 1 place --gpus 8
  jq_is '"\(.code) \(.alternatives[0])"' "no_single_node 4 GPUs on node n000 now"
  run_status 1 place --type b200
  jq_is '"\(.code): \(.sentence)"' "type_missing: no slot of type nvidia-b200-180gb is there"
  run_status 1 place --pool nowhere
  jq_is '"\(.code): \(.sentence): \(.nodes[0].code)"' \
    "other_pool_wanted: no node is in pool 'nowhere': other_pool_wanted"
  run_status 1 place --region nowhere --type h200
  jq_is '"\(.code): \(.sentence)"' "other_region_wanted: no node is in region 'nowhere'"
  run_status 1 place --min-memory 1T
  jq_is .code type_missing
  run_ok place --min-memory 100G --dry-run
  run_status 1 place --image none
  jq_is '"\(.code): \(.sentence)"' "image_missing: there is no image 'none'"
  jq_is '.hint | test("gpuaas-list images")' true
  state_sql "DELETE FROM node_image"
  run_status 1 place --node n000
  jq_is '"\(.code): \(.sentence)"' \
    "image_missing: 1 GPU would fit on node 'n000', but it has no verified copy of the image"
  gpuaas-state apply "$T/images" > "$T/applied"
  run_status 1 place --node elsewhere
  jq_is .nodes[0].code other_node_wanted
  run_status 5 gpuaas-place --profile nope
  assert_stderr "there is no profile 'nope'"
  GPUAAS_STALE_AFTER=0s run_ok place --dry-run
  state_sql "UPDATE node SET observed_at = '2020-01-01T00:00:00.000000Z',
    generation = generation + 1"
  run_status 1 place
  jq_is '"\(.code) \(.nodes[0].code)"' "not_ready stale"
}

@test "a type has any of its names, on each way of asking; one that is none is refused with near ones" {
  local name
  fleet 1 8
  export GPUAAS_ACCELERATORS_DIR=$T/d
  for name in h200 H200 'NVIDIA H200 141GB' nvidia-h200-141gb NVIDIA-H200; do
    run_ok place --type "$name"
    jq_is '.bundles | length' 1
  done
  assert_stderr "type 'NVIDIA-H200' is nvidia-h200-141gb"
  run_ok place --type a100 --type h200 --dry-run --explain
  assert_stderr "type 'a100' means several types, taken in this order: nvidia-a100-pcie-80gb,"
  # Said twice in two ways, it is one.
  run_ok place --type h200 --type H200 --dry-run
  assert_equal "$(state_sql "SELECT group_concat(DISTINCT request ->> '\$.types') FROM allocation")" \
    '["nvidia-h200-141gb"]'
  run_status 2 place --type h20x
  assert_equal "$output" ""
  assert_stderr "'h20x' is no type of the catalogue; near to it: nvidia-h20-"
  run_status 2 place --type h20x --dry-run --explain
  assert_stderr "near to it"
  run_status 2 place --type NVIDIA-H200-MIG-1g.18gb
  assert_stderr "a part of a GPU"
  # In a stream the others are answered all the same.
  jq_in_order -nc '("H200", "h20x", "nvidia-h200-141gb", "nvidia-b200-180gb") |
    {kind: "gpuaas.request/1", request_id: "r-\(.)", profile: "lab", types: [.]}' > "$T/in"
  run_status 2 gpuaas-place < "$T/in"
  jq_slurp_is 'map(.code // "plan") | join(" ")' "plan unknown_type plan type_missing"
  jq_is 'select(.code == "unknown_type") | "\(.status) \(.sentence | test("near to it")) \(.hint != null)"' \
    "2 true true"
  assert_equal "$stderr" ""
  first=$output
  run_status 2 gpuaas-place < "$T/in"
  assert_equal "$output" "$first"
  # A type that a drop-in named is there without it, by the name that it has there.
  state_sql "UPDATE slot SET accelerator_type = 'acme-x1', generation = generation + 1 WHERE slot_index > 6"
  run_ok place --type acme-x1
  run_status 2 place --type acme-x2
}

@test "a profile without the type, a place without nodes and types that are taken are told apart" {
  fleet 2 2
  state_sql "UPDATE slot SET accelerator_type = 'nvidia-a100-sxm4-80gb', generation = generation + 1
    WHERE node_id = 'n001'"
  jq_in_order -c 'select(.counts and .name == "lab") | .name = "only", .name = "far" | .types = ["nvidia-h200-141gb"]' \
    "$T/lab.json" > "$T/only.json"
  jq_in_order -c 'if .name == "far" then .pool = "east" else . end' "$T/only.json" |
    gpuaas-state apply - > "$T/applied"
  run_status 1 gpuaas-place --profile only --type nvidia-a100-sxm4-80gb
  jq_is '"\(.code): \(.sentence)"' \
    "type_missing: profile 'only' does not have nvidia-a100-sxm4-80gb: it has nvidia-h200-141gb"
  jq_is '.alternatives[0]' "1 GPU of type nvidia-h200-141gb on node n000 now"
  run_status 1 gpuaas-place --profile only --node n001
  jq_is .sentence "no slot of type nvidia-h200-141gb is on node 'n001'"
  run_status 1 gpuaas-place --profile far
  jq_is '"\(.code): \(.sentence)"' \
    "other_pool_wanted: no node is in pool 'east', which profile 'far' names"
  run_status 1 gpuaas-place --profile far --pool west --dry-run --explain
  jq_slurp_is '.[0].sentence' "the request names pool 'west', and profile 'far' names pool 'east'"
  gpuaas-place --profile only --gpus 2 > "$T/plan"
  run_status 1 gpuaas-place --profile only
  jq_is '"\(.code): \(.sentence)"' \
    "no_capacity: 1 GPU wanted, and none of type nvidia-h200-141gb is free (2 GPUs of other types are)"
}

@test "a cordoned slot: table, answer and refusal give the reason, and the hint the command" {
  fleet 1 2
  gpuaas-place --profile lab > "$T/plan"
  s=$(gpuaas-list slots --where state=available | jq -r .slot)
  run_ok gpuaas-list slots --table
  refute_output REASON
  gpuaas-approve cordon "$s" --reason "bad cable" > "$T/out"
  run_ok gpuaas-list slots --table
  [[ ${lines[0]} == *"  REASON" ]]
  [[ $(grep "^$s " <<< "$output") == *"  available, cordoned  "*"  bad cable" ]]
  run_status 1 gpuaas-place --profile lab
  jq_is '"\(.code): \(.sentence)"' \
    "not_ready: 1 GPU would fit on node 'n000', but slots of it are not available (cordoned: bad cable)"
  jq_is '.nodes[0] | "\(.code) \(.detail)"' "cordoned bad cable"
  jq_is .hint "when that is settled, 'gpuaas-approve uncordon $s' puts slot 1 of it back on sale"
  gpuaas-approve uncordon "$s" > "$T/out"
  gpuaas-approve disable "$s" --reason "bad cable" > "$T/out"
  run_status 1 gpuaas-place --profile lab
  jq_is .hint "when that is settled, 'gpuaas-approve enable $s | gpuaas-wipe' puts slot 1 of it back on sale"
  # A cordoned one needs both; one with a fault that neither settles shows the fault.
  gpuaas-approve cordon "$s" --reason "bad cable" > "$T/out"
  run_status 1 gpuaas-place --profile lab
  jq_is .hint "when that is settled, 'gpuaas-approve uncordon $s' and 'gpuaas-approve enable $s | gpuaas-wipe' put slot 1 of it back on sale"
  gpuaas-approve uncordon "$s" > "$T/out"
  for fault in "evidence_old: cordoned" "nvme_mounted: nvme_mounted"; do
    state_sql "UPDATE slot SET blockers = '[{\"code\":\"${fault%:*}\"}]', generation = generation + 1
      WHERE id = '$s'"
    run_status 1 gpuaas-place --profile lab
    jq_is '.nodes[0].code' "${fault#* }"
  done
  [[ $(jq -r .hint <<< "$output") != *gpuaas-approve\ enable* ]]
  state_sql "UPDATE slot SET blockers = '[]', generation = generation + 1 WHERE id = '$s'"
  gpuaas-approve enable "$s" > "$T/out"
  run_ok gpuaas-place --profile lab
}

@test "nothing is free only while others use the slots; else the refusal names the node's reason" {
  fleet 1 2
  # A profile of slices does not sell a machine, nor the reverse.
  run_status 1 gpuaas-place --profile lab --baremetal
  jq_is '"\(.code): \(.sentence)"' "profile_shape: profile 'lab' is of the shape slice, and the request of baremetal"
  gpuaas-place --profile lab > "$T/plan"
  gpuaas-place --profile lab > "$T/plan"
  run_status 1 gpuaas-place --profile lab
  jq_is '"\(.code): \(.sentence)"' "no_capacity: 1 GPU wanted, and nothing is free"
  gpuaas-release "$(jq -r .allocation "$T/plan")" > "$T/out"
  gpuaas-state backup "$T/backup.db" > "$T/out"
  gpuaas-state restore "$T/backup.db" --reason test > "$T/out"
  run_status 1 gpuaas-place --profile lab
  jq_is '"\(.code): \(.sentence)"' \
    "not_ready: 1 GPU would fit on node 'n000', but the node is not usable (unverified_since_restore)"
}

@test "a slice without an image is refused as that, and no node is blamed" {
  fleet 1 2
  jq_in_order -c 'select(.counts and .name == "lab") | .name = "bare" | del(.image)' "$T/lab.json" |
    gpuaas-state apply - > "$T/applied"
  run_status 1 gpuaas-place --profile bare
  jq_is '"\(.code): \(.sentence)"' \
    "image_not_named: no image is named: neither by the request nor by profile 'bare'"
  jq_is '"\(.nodes | length) \(.hint | test("--image NAME"))"' "0 true"
  jq_in_order -nc '{kind: "gpuaas.request/1", profile: "bare"}' > "$T/in"
  run_status 1 gpuaas-place --dry-run --explain < "$T/in"
  jq_slurp_is '.[0].code' image_not_named
  run_ok gpuaas-place --profile bare --image lab
}

@test "a baremetal plan names the wanted image, and one that the state does not have is refused" {
  fleet 2 8
  run_status 1 gpuaas-place --profile whole --image nothere
  jq_is '"\(.code) \(.shape): \(.sentence)"' "image_missing baremetal: there is no image 'nothere'"
  run_ok gpuaas-place --profile whole --name plain
  jq_is '"\(.image) \(has("tenant_image"))"' "null false"
  run_ok gpuaas-place --profile whole --image lab --name dressed
  jq_is '"\(.image) \(.tenant_image.name) \(.tenant_image.digest[:12])"' "null lab sha256:aaaaa"
  run_ok gpuaas-show --json dressed
  jq_is 'select(.kind == "gpuaas.allocation/1").tenant_image' lab
  run_ok gpuaas-show --table dressed
  assert_output "tenant_image            lab"
}

@test "memory is that of the maker, as everywhere" {
  local size
  fleet 1 8
  state_sql "UPDATE slot SET accelerator_type = 'nvidia-v100-sxm2-16gb', generation = generation + 1"
  for size in 80 80G 80GB 80GiB 81920M 17; do
    run_status 1 place --min-memory "$size"
    jq_is .code type_missing
  done
  for size in 16 16G 16GB 16384MiB 1; do
    run_ok place --min-memory "$size" --dry-run
  done
  for size in '' 0 16K -1 lots 16.5; do
    run_status 2 place --min-memory "$size"
    assert_stderr --min-memory
  done
}

@test "slots that wait for their wipe are named" {
  setup_host lab1
  in_host gpuaas-discover > "$T/lab1.rec"
  gpuaas-approve --all-ready < "$T/lab1.rec" > "$T/slots"
  run_status 1 place
  jq_is .code waiting_for_wipe
  jq_is .hint "gpuaas-wipe --pending on that host; \
bring the image to the node (gpuaas-image prewarm), or name another"
}

@test "the same request_id gives the same plan, byte for byte; another request is a conflict" {
  fleet 1 4
  run_ok place --gpus 2 --request-id r1
  first=$output
  run_ok place --gpus 2 --request-id r1
  assert_equal "$output" "$first"
  run_status 4 place --gpus 1 --request-id r1
  assert_stderr "belongs to another request"
  assert_equal "$(state_sql "SELECT count(*) FROM allocation")" 1
}

@test "a plan that nobody took up is freed when its time is over" {
  fleet 1 1
  run_ok place --expires 0s --name a
  run_ok place --name a
  assert_equal "$(state_sql "SELECT group_concat(state || ' ' || coalesce(reason, '-'), ', ')
    FROM (SELECT * FROM allocation ORDER BY created_at)")" "cancelled plan_expired, placed -"
}

@test "a stream: many requests, other kinds passed on, a bad line stops and earlier lines stand" {
  fleet 2 8
  { requests 3; echo '{"kind":"gpuaas.future/1"}'; requests 2; echo nonsense; } > "$T/in"
  run_status 3 gpuaas-place < "$T/in"
  jq_slurp_is '[.[] | select(.kind == "gpuaas.plan/1")] | length' 5
  jq_slurp_is '[.[] | select(.kind == "gpuaas.future/1")] | length' 1
  assert_stderr "line 7: not"
  assert_equal "$(state_sql "SELECT count(*) FROM allocation")" 5
  requests 20 > "$T/in"
  run_status 1 gpuaas-place < "$T/in"
  jq_slurp_is 'group_by(.kind) | map("\(.[0].kind) \(length)") | join(" ")' \
    "gpuaas.plan/1 11 gpuaas.refusal/1 9"
}

@test "an answer comes before the next request is waited for" {
  fleet 1 2
  mkfifo "$T/in" "$T/out"
  # In a shell of its own: opening a pipe waits for the other end.
  background bash -c "exec gpuaas-place < '$T/in' > '$T/out'"
  exec 8> "$T/in" 9< "$T/out"
  requests 1 >&8
  read -r -t 10 answer <&9
  assert_equal "$(jq -r .kind <<< "$answer")" gpuaas.plan/1
  requests 1 >&8
  read -r -t 10 answer <&9
  assert_equal "$(jq -r .kind <<< "$answer")" gpuaas.plan/1
  exec 8>&- 9<&-
  wait_for 10 has_ended "$BG_PID"
}

@test "the same fleet stored in any order gives the same plan" {
  fleet 3 4
  run_ok place --gpus 2 --dry-run
  jq_is '[.node, .bundles[].slot_index] | tostring' '["n000",0,1]'
  rm -f "$GPUAAS_STATE"*
  gpuaas-state init --lab > "$T/init"
  gpuaas-state apply "$T/lab.json" > "$T/apply"
  tac "$T/fleet.rec" | "$SRC/tests/fleet" --reverse > "$T/reversed.rec"
  gpuaas-approve --all-ready < "$T/reversed.rec" > "$T/slots"
  "$SRC/tests/evidence" < "$T/slots" > "$T/evidence"
  gpuaas-state fold "$T/evidence" > "$T/folded"
  gpuaas-state apply "$T/images" > "$T/applied"
  run_ok place --gpus 2 --dry-run
  jq_is '[.node, .bundles[].slot_index] | tostring' '["n000",0,1]'
}

@test "sixteen streaming writers at once: everything sold, nothing twice" {
  fleet 16 8
  requests 12 > "$T/in"
  for i in {1..16}; do
    gpuaas-place < "$T/in" > "$T/out.$i" 2> "$T/err.$i" 3>&- &
    pids[i]=$!
  done
  for i in {1..16}; do
    wait "${pids[i]}" || [[ $? -eq 1 ]]
  done
  cat "$T"/err.*
  run_ok cat "$T"/out.*
  jq_slurp_is 'group_by(.kind) | map("\(.[0].kind) \(length)") | join(" ")' \
    "gpuaas.plan/1 128 gpuaas.refusal/1 64"
  jq_slurp_is '[.[] | .bundles[]?.slot] | (length == (unique | length))' true
  assert_equal "$(state_sql "SELECT count(*) FROM claim WHERE live = 1")" 128
  run_ok gpuaas-state check
}

@test "keys and user-data: files, a private key is refused and not shown, user-data stays 0600" {
  fleet 1 4
  printf 'ssh-rsa AAAA a\n# comment\nssh-ed25519 BBBB b\n' > "$T/keys"
  run_ok place --key "$T/keys"
  jq_is '.keys | length' 2
  printf -- '-----BEGIN OPENSSH PRIVATE KEY-----\nsecret\n' > "$T/id"
  run_status 2 place --key "$T/id"
  assert_stderr "is a private key"
  refute_stderr secret
  run_status 5 place --key hello
  assert_stderr "--key: 'hello' does not exist"
  assert_stderr "a public key (ssh-ed25519 AAAA...), or a file with them (.pub), is expected"
  run_status 5 place --user-data hello
  assert_stderr "--user-data: 'hello' does not exist"
  echo '#cloud-config' > "$T/ud"
  run_ok place --user-data "$T/ud"
  digest=$(sha256sum < "$T/ud")
  jq_is .user_data_digest "sha256:${digest%% *}"
  assert_equal "$(stat -c %a "$T/user-data/${digest%% *}")" 600
  cmp "$T/ud" "$T/user-data/${digest%% *}"
}

@test "a real state places nothing on the test driver of libvirt" {
  fleet 1 1
  gpuaas-list profiles --where name=lab | jq_in_order -c '.domain_type = "test"' |
    gpuaas-state apply - > "$T/applied"
  without_triggers "UPDATE meta SET lab = 0"
  run_status 4 place --gpus 1
  assert_stderr "profile 'lab' has domain_type test"
  run_ok gpuaas-list claims
  assert_equal "$output" ''
}

@test "usage" {
  run_status 2 gpuaas-place --profile lab --gpus 0
  run_status 2 gpuaas-place --profile 'not a name'
  run_status 2 gpuaas-place operand
  # A request without its profile is none, and no requests come.
  run_status 2 gpuaas-place --gpus 2 --node h7 --type h200 < /dev/null
  assert_stderr "--gpus belongs to a request"
  assert_stderr "give --profile NAME"
  run_status 2 gpuaas-place --preemptible --dry-run < /dev/null
  run_status 2 gpuaas-place --run-time 5m < /dev/null
  run_status 2 gpuaas-place --key k < /dev/null
  run_ok gpuaas-place --dry-run --explain --expires 5m < /dev/null
  run_status 2 gpuaas-place --profile lab --run-time 5
  assert_stderr "--run-time: '5' has no unit"
  assert_stderr "give the unit: 5s, 5m, 5h"
  run_status 2 gpuaas-place --profile lab --type h200,mi300x
  assert_stderr "give --type again for each of them"
  fleet 1 2
  run_ok place --name twin
  twin=$output
  run_status 4 place --name twin
  assert_stderr "allocation '$(jq -r .allocation <<< "$twin")', which is placed, has the name 'twin'"
  assert_stderr "hint: give another --name"
  # The id of another object is no name; a name that only looks like an id is one.
  id=$(jq -r .allocation <<< "$twin") slot=$(jq -r '.bundles[0].slot' <<< "$twin")
  for name in "allocation $id" "slot $slot" "node n000"; do
    run_status 4 place --name "${name#* }" --dry-run
    run_status 4 place --name "${name#* }"
    assert_stderr "cannot have the name '${name#* }': it is that, or the id, of a"
    assert_stderr " ${name% *}"
    assert_stderr "hint: give another --name, or none; 'gpuaas-show ${name#* }' shows what has it"
  done
  run_ok place --name test1234
  other=$(jq -r .allocation <<< "$output")
  run_status 4 gpuaas-node set n000 --name test1234
  assert_stderr "node 'n000' cannot have the name 'test1234': allocation $other has it"
  run_status 4 gpuaas-state apply - <<< '{"kind":"gpuaas.node-settings/1","node":"test1234","pool":"a"}'
  assert_stderr "a new node cannot have the id 'test1234': it means allocation $other"
  # A state of before may have both. A whole name has no more to give.
  state_sql "UPDATE node SET name = 'test1234', generation = generation + 1 WHERE id = 'n000'"
  run_status 2 gpuaas-show test1234
  assert_stderr "'test1234' could be allocation $other, node n000"
  [[ $stderr == *"hint: give the id of the one that is meant" ]]
}
