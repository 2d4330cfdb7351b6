# SPDX-License-Identifier: Apache-2.0
# gpuaas-profile create, show, set, retire, teams: by hand, from nodes, suggested.

load helper

setup()
{
  common_setup
  export GPUAAS_ACCELERATORS_DIR=$T/d
  gpuaas-state init --lab > "$T/init"
}

profile()
{
  gpuaas-profile "$@"
}

# hand NAME MORE…: a profile with what a slice needs.
hand()
{
  profile create "$1" --count 1,2,4,8 --vcpus-per-gpu 12 --memory-per-gpu 64G "${@:2}"
}

# discovered HOST: the recorded host stands in the state, with nothing approved.
discovered()
{
  setup_host "$1"
  in_host gpuaas-discover --node "$1" | gpuaas-approve --record-only > "$T/recorded"
}

@test "a profile made by hand has what the options say, and is the record that apply would make" {
  run_ok profile create premium --type H200 --type nvidia-a100-sxm4-80gb --count 1,2 --count 4 \
    --vcpus-per-gpu 24 --memory-per-gpu 64G --hugepages 1G --image ubuntu --price 10.50 \
    --region eu --pool p1 --team red,blue --wipe purge --wipe-verify sampled \
    --wipe-gpu-memory required --domain-type qemu --hold 1h --graceful 90s
  made=$output
  assert_stderr "type 'H200' is nvidia-h200-141gb"
  assert_stderr "there is no image 'ubuntu' yet"
  assert_stderr "there is no team 'red' yet"
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$made"
  assert_equal "$made" '{"kind":"gpuaas.profile/1","name":"premium","version":1,"shape":"slice","types":["nvidia-h200-141gb","nvidia-a100-sxm4-80gb"],"counts":[1,2,4],"vcpus_per_gpu":24,"memory_mib_per_gpu":65536,"hugepage_kib":1048576,"image":"ubuntu","price_micros":10500000,"wipe":{"minimum_class":"purge","verify":"sampled","gpu_memory":"required"},"domain_type":"qemu","hold_seconds":3600,"graceful_seconds":90,"region":"eu","pool":"p1","teams":["red","blue"],"retired":false}'
  run_ok profile show premium
  assert_equal "$output" "$made"
  run_ok gpuaas-state apply - <<< "$made"
  run_ok profile show premium
  jq_is .version 1
  run_ok gpuaas-list audit --where action=profile_applied
  jq_is '"\(.object) \(.detail.version) \(.program)"' "premium 1 gpuaas-profile"
}

@test "no profile for a real state is made with the test driver" {
  export GPUAAS_STATE=$T/real.db
  gpuaas-state init > "$T/init"
  run_status 4 hand one --domain-type test
  assert_stderr "profile 'one' has domain_type test"
  assert_stderr "hint: give it --domain-type kvm: gpuaas-profile create takes that, and gpuaas-profile set of one that is there"
  hand one > "$T/made"
  run_status 4 profile set one --domain-type test
  profile show one > "$T/shown"
  cmp "$T/made" "$T/shown"
  # Files for a lab can be applied, and retired.
  run_ok gpuaas-state apply - <<< "$(jq -c '.domain_type = "test"' "$T/made")"
  run_ok profile retire one
}

@test "a name that is taken is refused, also by a retired profile" {
  hand one > "$T/made"
  run_status 4 hand one --price 3
  assert_stderr "there is a profile 'one' already: version 1"
  assert_stderr "gpuaas-profile set one"
  profile retire one > "$T/retired"
  run_status 4 hand one
  assert_stderr "already, retired: version 2"
  assert_stderr "gpuaas-profile retire one --undo"
  GPUAAS_ERRORS=json run_status 4 hand one
  assert_stderr '"reason":"profile_exists"'
  run_ok profile retire one --undo
  jq_is '"\(.version) \(.retired)"' "3 false"
}

@test "set makes a new version and says what differs; versions stay, and are the way back" {
  hand one --type h200 --price 3.50 --team red > "$T/made"
  run_ok profile set one --price 4 --type h200,a100 --pool fast
  jq_is '"\(.version) \(.price_micros) \(.pool) \(.teams[0])"' "2 4000000 fast red"
  jq_is '.types | join(" ")' "nvidia-h200-141gb nvidia-a100-pcie-80gb nvidia-a100-sxm4-80gb nvidia-a100-sxm-64gb nvidia-a100-pcie-40gb nvidia-a100-sxm4-40gb"
  assert_stderr "profile 'one' becomes version 2"
  assert_stderr "price_micros            3500000 -> 4000000"
  assert_stderr 'pool                    none -> "fast"'
  refute_stderr "counts"
  run_ok profile set one --price 4.00
  assert_stderr "nothing differs: profile 'one' stays at version 2"
  jq_is .version 2
  run_ok profile set one --generic --pool ''
  jq_is '"\(.types) \(.pool)"' "null null"
  run_ok profile show one@1
  jq_is '"\(.version) \(.price_micros)"' "1 3500000"
  run_ok gpuaas-state apply - <<< "$output"
  applied=$output
  run_ok profile show one
  jq_is '"\(.version) \(.price_micros) \(.types[0])"' "4 3500000 nvidia-h200-141gb"
  assert_equal "$applied" "$output"
  run_ok gpuaas-state apply "$SRC/share/objects/h200-baremetal.json" --table
  assert_output "h200-baremetal        1  baremetal"
  run_ok profile show one --versions
  jq_slurp_is 'map(.version) | tostring' '[1,2,3,4]'
  run_status 5 profile show one@9
  assert_stderr "has no version 9: 4 is its newest"
  run_status 5 profile show two
  run_status 5 profile show two --versions
  run_status 5 profile set two --price 1
  run_status 2 profile show one@x
  run_status 2 profile set one
  assert_stderr "none is given"
  run_ok profile set one --price 40
  assert_stderr "the price becomes ten times what it was, or more"
  run_ok profile set one --price 4
  assert_stderr "the price becomes a tenth of what it was, or less"
  run_ok profile set one --price 39.99
  refute_stderr "the price becomes"
  run_ok profile set one --price 0
  assert_stderr "'gpuaas-profile set one --price PRICE' changes that"
}

@test "--dry-run shows and changes nothing" {
  hand one --price 3 > "$T/made"
  state_sql .dump > "$T/before"
  run_ok hand two --price 3 --dry-run
  jq_is '"\(.name) \(.version)"' "two 1"
  assert_stderr "nothing is changed"
  run_ok profile set one --price 4 --dry-run
  jq_is .version 2
  run_ok profile retire one --dry-run
  run_ok profile teams one --allow red --dry-run
  state_sql .dump > "$T/after"
  cmp "$T/before" "$T/after"
}

@test "teams are allowed and forbidden; nobody is never said by an empty list" {
  hand one > "$T/made"
  run_status 4 profile teams one --forbid red
  assert_stderr "every team may use it"
  run_ok profile teams one --allow red,blue
  assert_stderr "every team could use it until now"
  jq_is '.teams | tostring' '["red","blue"]'
  run_ok profile teams one --allow green --forbid red
  jq_is '.teams | tostring' '["blue","green"]'
  run_ok profile teams one --forbid yellow
  assert_stderr "team 'yellow' may not use it anyway"
  run_status 4 profile teams one --forbid blue,green
  assert_stderr "the last that may use it"
  run_ok profile show one
  jq_is '.teams | tostring' '["blue","green"]'
  run_ok profile teams one --everyone
  jq_is .teams null
  run_status 2 profile teams one
  run_status 2 profile teams one --everyone --allow red
}

@test "types: unknown ones are refused with near ones, drop-ins count, apply warns and keeps" {
  run_status 2 hand one --type nvidia-h200-140gb
  assert_stderr "near to it: nvidia-h200-141gb"
  assert_stderr "gpuaas-profile catalog"
  run_status 2 hand one --type h200,H200
  assert_stderr "is given twice: it is nvidia-h200-141gb"
  run_status 2 hand one --type NVIDIA-A100-SXM4-40GB-MIG-1g.5gb
  assert_stderr "a part of a GPU"
  run_status 2 hand one --type ''
  mkdir "$T/d"
  echo '{"accelerators":[{"slug":"acme-x1-64gb","name":"Acme X1 64GB"}]}' > "$T/d/acme.json"
  run_ok hand one --type 'Acme X1 64GB'
  jq_is '.types[0]' acme-x1-64gb
  rm "$T/d/acme.json"
  run_status 2 hand two --type acme-x1-64gb
  run_ok profile show one
  gpuaas-state apply - <<< "$(jq_in_order -c '.name = "kept" | .types += ["H200"]' <<< "$output")" \
    > "$T/applied" 2> "$T/said"
  grep -qF "'acme-x1-64gb' is no type of the catalogue" "$T/said"
  grep -qF "type 'H200' is nvidia-h200-141gb" "$T/said"
  run_ok profile show kept
  jq_is '.types | join(" ")' "acme-x1-64gb nvidia-h200-141gb"
  assert_equal "$(jq -r '.types[1]' "$T/applied")" nvidia-h200-141gb
  run_status 3 gpuaas-state apply - <<< "$(jq_in_order -c '.types = ["H200","h200"]' <<< "$output")"
}

@test "a generic profile asks no catalogue" {
  mkdir "$T/d"
  echo '{' > "$T/d/broken.json"
  run_ok hand one
  run_ok gpuaas-state apply - <<< "$output"
  run_status 3 hand two --type h200
  assert_stderr broken.json
}

@test "what can be nothing but a slip is refused" {
  local args
  while IFS= read -r args; do
    # shellcheck disable=SC2086 # words of an option and its value
    run_status 2 hand bad $args
    assert_equal "$output" ""
  done << 'END'
--price -1
--price 1e3
--price 3,50
--price 1000001
--price 3.1234567
--price .5
--count 0
--count 65
--count 1,,2
--count many
--vcpus-per-gpu 0
--memory-per-gpu 1K
--memory-per-gpu -1
--hugepages 3K
--hugepages 4K
--hugepages 2G
--hugepages 1G --memory-per-gpu 1536M
--hugepages 2M --memory-per-gpu 65M
--count 3,3
--count 8
--team NO
--team red,
--pool a/b
END
  run_status 2 hand $'evil\e[31m'
  refute_stderr $'\e'
  run_status 2 hand two --image $'a\nb'
  run_status 2 hand "$(printf 'x%.0s' {1..64})"
  run_status 2 hand Upper
  run_status 2 profile create
  run_status 2 profile create one two
  run_status 2 profile create naked
  assert_stderr "--count"
  run_status 2 profile create naked --type h200
  assert_stderr "--count is missing"
  run_status 2 profile create twice --count 1,1
  assert_stderr "--count 1 is given twice"
  for record in '.counts = [0]' '.counts = [1,1]' '.counts = [65]' '.types = ["a","a"]' \
    '.types = [""]' '.price_micros = -1' '.price_micros = 1000000000001' '.hugepage_kib = 4' \
    '.hugepage_kib = 0' '.hugepage_kib = 1048576 | .memory_mib_per_gpu = 1536' \
    '.hugepage_kib = 2048 | .memory_mib_per_gpu = 1'; do
    run_status 3 gpuaas-state apply - <<< "$(hand ok --dry-run 2> "$T/said" | jq_in_order -c "$record")"
  done
  run_ok gpuaas-list profiles
  assert_equal "$output" ""
}

@test "pages and memory go together by what each guest gets" {
  run_ok hand whole --hugepages 1G --memory-per-gpu 3G
  run_ok profile create pairs --count 2,4 --hugepages 1G --memory-per-gpu 1536M
  run_ok hand small --hugepages 2M --memory-per-gpu 1536M
  run_ok hand none --hugepages 0 --memory-per-gpu 1537M
  run_status 2 profile set pairs --count 1,2
  assert_stderr "a guest of 1 GPU gets 1536 MiB"
  # An older profile of the state can still be retired.
  state_sql "UPDATE profile SET current = 0 WHERE name = 'whole';
    INSERT INTO profile (name, version, record, created_at, current) SELECT name, 2,
    replace(replace(record, '\"hugepage_kib\":1048576', '\"hugepage_kib\":4'),
    '\"version\":1', '\"version\":2'), created_at, 1 FROM profile WHERE name = 'whole'"
  run_status 2 profile set whole --price 3
  assert_stderr "no pages of 4 KiB"
  run_ok profile retire whole
}

@test "an empty value takes away what a profile may be without, and says where it may not" {
  local option
  hand one --hugepages 2M --hold 1h --graceful 5s --image lab --region eu --pool p --type h200 \
    --team red > "$T/made"
  run_ok profile set one --vcpus-per-gpu '' --memory-per-gpu '' --hugepages '' --hold '' \
    --graceful '' --image '' --region '' --pool ''
  jq_is '[.vcpus_per_gpu, .memory_mib_per_gpu, .hugepage_kib, .hold_seconds, .graceful_seconds, .image,
    .region, .pool] | tostring' '[null,null,null,null,null,null,null,null]'
  run_ok hand two --hold '' --image ''
  jq_is '"\(has("hold_seconds")) \(has("image"))"' "false false"
  run_status 2 profile set one --type ''
  assert_stderr "--generic"
  run_status 2 profile set one --team ''
  assert_stderr "gpuaas-profile teams one --everyone"
  run_status 2 profile set one --count ''
  assert_stderr "--count is missing"
  for option in --price --shape --wipe --wipe-verify --wipe-gpu-memory --domain-type; do
    run_status 2 profile set one "$option" ''
    assert_stderr "$option"
  done
  for option in '--vcpus-per-gpu 0' '--vcpus-per-gpu 4097' '--vcpus-per-gpu x' '--memory-per-gpu x' \
    '--hugepages x' '--hold x' '--graceful x'; do
    # shellcheck disable=SC2086 # an option and its value
    run_status 2 profile set one $option
    assert_stderr "${option%% *}"
  done
  run_ok profile show one
  jq_is '"\(.version) \(.types | length) \(.teams | length)"' "2 1 1"
  # A baremetal profile needs no counts.
  profile create whole --shape baremetal --count 8 > "$T/made"
  run_ok profile set whole --count ''
  jq_is 'has("counts")' false
}

@test "the table of versions shows what versions differ in" {
  hand one --type h200 --price 3.50 > "$T/made"
  profile set one --price 4 --team red > "$T/set"
  run_ok profile show one --versions --table
  assert_output "nvidia-h200-141gb"
  assert_equal "$(grep -c 3.50 <<< "$output") $(grep -c 4.00 <<< "$output") $(grep -c red <<< "$output")" \
    "1 1 1"
  refute_output POOL
  # Also what a table has no room for, where versions differ in it.
  profile set one --pool zz --graceful 7s > "$T/made"
  profile set one --wipe-gpu-memory required > "$T/made"
  run_ok profile show one --versions --table
  assert_output POOL
  [[ $output =~ zz\ +7s\ +required ]] || { echo "$output"; return 1; }
  # Of one version only that it is bound to a place.
  run_ok profile show one --table
  assert_output POOL
  refute_output GRACEFUL
}

@test "from nodes: types, counts, CPUs and memory of each GPU, less what is reserved" {
  discovered h200
  run_ok profile create one --from-nodes h200 --price 3.50
  jq_is '"\(.shape) \(.types | join(" ")) \(.counts) \(.vcpus_per_gpu) \(.memory_mib_per_gpu) \(.hugepage_kib)"' \
    "slice nvidia-h200-141gb [1,2,4,8] 24 196608 1048576"
  # Memory that is reserved after the discovery counts too.
  gpuaas-state apply - > "$T/applied" << 'END'
{"kind":"gpuaas.node-settings/1","node":"h200","reserved_cpus":"0-3","reserved_memory_mib":1048576}
END
  run_ok profile create two --from-nodes h200
  jq_is '"\(.vcpus_per_gpu) \(.memory_mib_per_gpu)"' "20 131072"
  # Options stand above what nodes have.
  run_ok profile create three --from-nodes h200 --count 2 --vcpus-per-gpu 4 --type h200
  jq_is '"\(.counts) \(.vcpus_per_gpu)"' "[2] 4"
  gpuaas-state apply - > "$T/applied" \
    <<< '{"kind":"gpuaas.node-settings/1","node":"h200","mode":"baremetal"}'
  run_ok profile create four --from-nodes h200
  jq_is '"\(.shape) \(.counts) \(.vcpus_per_gpu) \(.types[0])"' \
    "baremetal null null nvidia-h200-141gb"
  run_status 5 profile create five --from-nodes nowhere
  run_status 5 profile create five --from-nodes h200 nowhere
}

@test "from nodes of several types: only in the order that --mixed takes" {
  discovered h200
  discovered mi300x
  run_status 4 profile create two --from-nodes h200 mi300x --shape slice
  assert_stderr "these nodes have several types: "
  assert_stderr "--mixed takes them in this order"
  GPUAAS_ERRORS=json run_status 4 profile create two --from-nodes h200 mi300x --shape slice
  assert_stderr '"reason":"mixed_types"'
  run_ok profile create two --from-nodes h200 mi300x --shape slice --mixed
  jq_is '.types | sort | join(" ")' "amd-mi300x-192gb nvidia-h200-141gb"
  assert_stderr "preference 1: $(jq -r '.types[0]' <<< "$output")"
  assert_stderr "preference 2: $(jq -r '.types[1]' <<< "$output")"
  # Named, there is nothing to choose.
  run_ok profile create three --from-nodes h200 mi300x --shape slice --type mi300x
  jq_is '.types | join(" ")' amd-mi300x-192gb
  run_status 2 profile create four --mixed
  assert_stderr "goes with --from-nodes"
}

@test "from nodes whose type is not known there is no profile" {
  discovered h200
  export GPUAAS_ACCELERATORS=$T/none.json
  echo '{"accelerators":[{"slug":"acme-x1-64gb","name":"Acme X1 64GB"}]}' > "$T/none.json"
  run_status 4 profile create one --from-nodes h200
  assert_stderr "node 'h200'"
  GPUAAS_ERRORS=json run_status 4 profile create one --from-nodes h200
  assert_stderr '"reason":"type_open"'
  run_ok gpuaas-list profiles
  assert_equal "$output" ""
}

@test "a selection is piped in" {
  discovered h200
  profile nodes --type h200 --json > "$T/selection"
  run_ok profile create one --from-nodes - < "$T/selection"
  jq_is '.types[0]' nvidia-h200-141gb
  run_status 1 profile create two --from-nodes - < /dev/null
  assert_stderr "no node came"
  jq_in_order -c '.source = "kubernetes"' "$T/selection" > "$T/kubernetes"
  run_status 2 profile create two --from-nodes - < "$T/kubernetes"
  assert_stderr "is one of Kubernetes"
  run_status 3 profile create two --from-nodes - <<< '{"kind":"gpuaas.node-view/1"}'
}

@test "suggestions group nodes that are alike, and are not made twice" {
  discovered h200
  state_sql .dump > "$T/before"
  run_ok profile create --suggest --price 3.50
  state_sql .dump > "$T/after"
  cmp "$T/before" "$T/after"
  jq_is '"\(.name) \(.types[0]) \(.counts) \(.price_micros)"' \
    "h200-141gb nvidia-h200-141gb [1,2,4,8] 3500000"
  assert_stderr "suggested for profile 'h200-141gb': h200"
  suggested=$output
  run_ok profile create --suggest --price 3.50
  assert_equal "$output" "$suggested"
  run_ok gpuaas-state apply - <<< "$suggested"
  run_ok profile create --suggest
  assert_equal "$output" ""
  assert_stderr "covered by profile 'h200-141gb': h200"
  # The name is taken by something else: another one.
  run_ok profile set h200-141gb --vcpus-per-gpu 1
  run_ok profile create --suggest
  jq_is .name h200-141gb-2
  run_status 2 profile create --suggest one
}

# ---- what comes of them at placement ----

# fleet NODES SLOTS: that many nodes of that many clean slots of H200, each with the image lab.
fleet()
{
  setup_host h200
  hand any > "$T/any" 2>&1 # how the slots are wiped
  in_host gpuaas-discover > "$T/h200.rec"
  "$SRC/tests/fleet" "$1" "$2" < "$T/h200.rec" > "$T/fleet.rec"
  gpuaas-approve --all-ready < "$T/fleet.rec" > "$T/slots"
  "$SRC/tests/evidence" < "$T/slots" > "$T/evidence"
  gpuaas-state fold "$T/evidence" > "$T/folded"
  {
    echo '{"kind":"gpuaas.image/1","name":"lab","digest":"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","format":"raw","file_bytes":1048576,"size_bytes":1048576,"firmware":"bios","probe":"running","user":"ubuntu"}'
    jq_in_order -c 'select(.kind == "gpuaas.host/1") | {kind: "gpuaas.node-image/1", node, image: "lab",
      digest: ("sha256:" + "a" * 64), path: "/images/lab.raw",
      verified_at: "2026-11-20T00:00:00.000000Z"}' "$T/fleet.rec"
  } > "$T/images"
  gpuaas-state apply "$T/images" > "$T/applied"
}

# is_type NODE TYPE: what the slots of the node are.
is_type()
{
  state_sql "UPDATE slot SET accelerator_type = '$2', generation = generation + 1
    WHERE node_id = '$1'"
}

@test "a generic profile gives the plan it gave before there were types, byte for byte" {
  fleet 2 8
  profile create lab --count 1,2,4,8 --vcpus-per-gpu 1 --memory-per-gpu 512M --image lab \
    --domain-type test --graceful 5s > "$T/made"
  run_ok gpuaas-place --profile lab --gpus 2 --project vision
  jq_in_order -c '.allocation = "A" | .attempt = "T" | .controller = "C" | .created_at = "c" |
    .expires_at = "e" | .domain = "D" | .digest = "d" |
    .bundles |= map(.slot = "S" | .claim = "K")' <<< "$output" > "$T/plan"
  cmp "$T/plan" "$SRC/tests/plan-generic.json"
  run_ok gpuaas-list allocations
  jq_is '"\(has("type_reason")) \(has("profile_changed"))"' "false false"
}

@test "the first type that fits is taken, and the allocation says why it is not the first" {
  fleet 2 2
  is_type n001 nvidia-a100-sxm4-80gb
  hand two --type h200,a100-sxm4-80gb --image lab --vcpus-per-gpu 1 --memory-per-gpu 512M > "$T/made"
  run_ok gpuaas-place --profile two --gpus 2
  jq_is .node n000
  run_ok gpuaas-place --profile two --gpus 2
  jq_is .node n001
  second=$(jq -r .allocation <<< "$output")
  reason="nvidia-h200-141gb had no free slot on any node: nvidia-a100-sxm4-80gb is second in the order"
  run_ok gpuaas-list allocations
  jq_is 'select(.node == "n001") | "\(.type): \(.type_reason)"' "nvidia-a100-sxm4-80gb: $reason"
  jq_is 'select(.node == "n000") | "\(.type): \(.type_reason)"' "nvidia-h200-141gb: null"
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
  run_ok gpuaas-list audit --where action=placed
  jq_is "select(.object == \"$second\").detail.type_reason" "$reason"
  run_ok gpuaas-show "$second" --table
  assert_output "$reason"
  run_ok gpuaas-state check
}

@test "no way of asking leads to a type that the profile does not name, and the state refuses it" {
  fleet 2 2
  is_type n001 nvidia-a100-sxm4-80gb
  hand one --type h200 --image lab --vcpus-per-gpu 1 --memory-per-gpu 512M > "$T/made"
  profile create whole --shape baremetal --type h200 > "$T/made"
  run_status 1 gpuaas-place --profile one --node n001
  jq_is .code type_missing
  run_status 1 gpuaas-place --profile one --type nvidia-a100-sxm4-80gb
  jq_is .code type_missing
  run_status 1 gpuaas-place --profile whole --node n001
  run_ok gpuaas-place --profile whole --dry-run
  jq_is .node n000
  jq_in_order -nc 'range(4) | {kind: "gpuaas.request/1", request_id: "r\(.)", profile: "one", count: 1}' \
    > "$T/requests"
  run_status 1 gpuaas-place < "$T/requests"
  jq_slurp_is 'map(.node // .code) | join(" ")' "n000 n000 no_capacity no_capacity"
  run_status 1 gpuaas-place < "$T/requests"
  jq_slurp_is 'map(.node // .code) | join(" ")' "n000 n000 no_capacity no_capacity"
  # A write past the programs is refused too.
  run state_sql "INSERT INTO claim (id, allocation_id, node_id, slot_id, claim_kind, live, held_by,
    created_at) SELECT 'x', a.id, s.node_id, s.id, 'slot', 1, 'slices', 'x' FROM allocation a, slot s
    WHERE s.node_id = 'n001' LIMIT 1"
  [[ $status != 0 ]]
  assert_output wrong_type
  assert_equal "$(state_sql "SELECT count(*) FROM claim c JOIN slot s ON s.id = c.slot_id
    WHERE s.accelerator_type <> 'nvidia-h200-141gb'")" 0
}

@test "what runs keeps its version, and is marked when another is the current one" {
  fleet 1 4
  hand one --image lab --price 3 --vcpus-per-gpu 1 --memory-per-gpu 512M > "$T/made"
  run_ok gpuaas-place --profile one --gpus 1
  run_ok profile set one --price 5
  assert_stderr "1 allocation keeps the version it was placed with"
  run_ok gpuaas-place --profile one --gpus 1
  run_ok gpuaas-list allocations
  jq_slurp_is 'map("\(.profile_version) \(.profile_changed)") | sort | join(", ")' \
    "1 true, 2 null"
  run_ok gpuaas-list allocations --table
  assert_output "PROFILE CHANGED"
  run_ok gpuaas-list allocations --where profile_changed=true
  jq_is .profile_version 1
  assert_equal "$(state_sql "SELECT price_micros FROM allocation ORDER BY number")" $'3000000\n5000000'
  run_ok profile retire one
  run_status 1 gpuaas-place --profile one --gpus 1
  jq_is .code profile_retired
  run_ok profile retire one --undo
  run_ok gpuaas-place --profile one --gpus 1
  run_ok gpuaas-state check
}

@test "the rollout of gpuaas-profiles(7) works as it is printed" {
  fleet 1 4
  hand gpu --image lab > "$T/made"
  local command n=0
  while IFS= read -r command; do
    n=$((n + 1))
    run_ok bash -c "$command"
  done < <(sed -n '/^\.Sh ROLLING OUT TYPES/,/^\.Sh MIGRATING/{
      s/\\e$/\\/
      s/^\.Dl \\ \\ \\ \\ / /p
      s/^\.Dl \$ //p
    }' "$SRC/man/gpuaas-profiles.7" | sed ':a; /\\$/{N; s/\\\n//; ta}; s/h7/n000/; s/debian-12/lab/')
  assert_equal "$n" 5
}
