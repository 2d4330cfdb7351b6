# SPDX-License-Identifier: Apache-2.0
# gpuaas-profile list: what operators, teams and everybody see of profiles, and what is published.

load helper

setup()
{
  common_setup
  gpuaas-state init --lab > "$T/init"
  image '{"name":"lab"}'
  profile premium-gpu '.types = ["nvidia-h200-141gb"] | .price_micros = 5000000'
}

# image CHANGE: an image of that name.
image()
{
  jq_in_order -c --argjson c "$1" '. + $c' << 'END' | gpuaas-state apply - > "$T/applied"
{"kind":"gpuaas.image/1","name":"lab","digest":"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","format":"raw","file_bytes":1048576,"size_bytes":1048576,"firmware":"bios","probe":"running","user":"ubuntu"}
END
}

# profile NAME [CHANGE]: the lab profile under another name, with what CHANGE (of jq) makes of it.
profile()
{
  jq_in_order -c --arg name "$1" "select(.kind == \"gpuaas.profile/1\") | .name = \$name | ${2:-.}" \
    "$SRC/share/objects/lab.json" | gpuaas-state apply - > "$T/applied"
}

# fleet NODES SLOTS [HOST [KEY=VALUE…]]: that many nodes of that many clean slots, each with the image.
fleet()
{
  setup_host "${3-h200}" "${@:4}"
  in_host gpuaas-discover > "$T/host.rec"
  "$SRC/tests/fleet" "$1" "$2" < "$T/host.rec" > "$T/fleet.rec"
  wiped_fleet
}

# raw SQL: without the guards, for states that would take a whole life to reach
raw()
{
  state_sql "$(state_sql \
    "SELECT 'DROP TRIGGER ' || name || ';' FROM sqlite_master
      WHERE type = 'trigger' AND name NOT LIKE 'slot_counted%'") $1"
}

# numbers NAME: available, largest, total, unknown of a profile, as the public view has them
numbers()
{
  gpuaas-profile list --public --json | jq_in_order -c "select(.name == \"$1\") |
    [.availableCount, .largestAvailable, .totalCount, .unknownCount]"
}

@test "the members that catalogues read are there, with the catalogue's facts" {
  fleet 2 2
  run_ok gpuaas-profile list --public --json
  jq_is .summary 'Premium GPU (NVIDIA H200 141GB) - 4 available'
  jq_is '[.name, .acceleratorType, .acceleratorTypes[], .memory, .memoryGb, .architecture] | @json' \
    '["premium-gpu","nvidia-h200-141gb","nvidia-h200-141gb","141GB",141,"Hopper"]'
  jq_is '[.vendor, .computeCapability, .memoryBandwidthGBs, .bf16Tflops, .fp64Tflops] | @json' \
    '["nvidia","9.0",4800,989.5,34]'
  jq_is '[.available, .availableCount, .totalCount, .pricePerHour, .priceMicros, .currency] | @json' \
    '[true,4,4,5,5000000,null]'
  # Every member of the sample of a catalogue's answer is one of ours.
  jq_is '[ "name", "acceleratorType", "acceleratorTypes", "memory", "memoryGb", "architecture", "vendor",
    "computeCapability", "memoryBandwidthGBs", "bf16Tflops", "available", "availableCount", "totalCount",
    "asOf", "staleSeconds", "pricePerHour", "currency" ] - keys | length' 0
  GPUAAS_CURRENCY=euro run_status 2 gpuaas-profile list --public --json
  assert_stderr "'euro' is no currency"
  GPUAAS_CURRENCY=EUR run_ok gpuaas-profile list --public --json
  jq_is .currency EUR
  run_ok gpuaas-profile list --public --table
  assert_output "premium-gpu  Premium GPU (NVIDIA H200 141GB) - 4 available             2"
}

@test "a price is a decimal to the last millionth" {
  profile premium-gpu '.price_micros = 3350001'
  run_ok gpuaas-profile list --public --json
  assert_output '"pricePerHour":3.350001,"priceMicros":3350001,'
}

# A request gets what is shown as available.
@test "what placement refuses is not available" {
  fleet 2 4
  assert_equal "$(numbers premium-gpu)" '[8,4,8,0]'
  gpuaas-place --profile premium-gpu --gpus 4 > "$T/plan"
  assert_equal "$(numbers premium-gpu)" '[4,4,8,0]'
  gpuaas-place --profile premium-gpu --gpus 1 > "$T/plan"
  assert_equal "$(numbers premium-gpu)" '[3,2,8,0]'
  # Three are left, and in threes nothing is sold.
  profile pairs '.counts = [2] | .types = ["nvidia-h200-141gb"]'
  assert_equal "$(numbers pairs)" '[2,2,8,0]'
  run_ok gpuaas-place --profile pairs --gpus 2
  assert_equal "$(numbers pairs)" '[0,0,8,0]'
  run_status 1 gpuaas-place --profile pairs --gpus 2
  # Another type, another pool, too much memory, an image that no node has.
  profile other '.types = ["nvidia-l4-24gb"]'
  assert_equal "$(numbers other)" '[0,0,0,0]'
  profile there '.pool = "elsewhere"'
  assert_equal "$(numbers there)" '[0,0,0,0]'
  image '{"name":"other"}'
  profile without '.image = "other"'
  assert_equal "$(numbers without)" '[0,0,8,0]'
}

@test "a node that was not seen for too long counts as unknown, never as free" {
  fleet 2 2
  state_sql "UPDATE node SET observed_at = '2020-01-01T00:00:00.000000Z', generation = generation + 1
    WHERE id = 'n000'"
  assert_equal "$(numbers premium-gpu)" '[2,2,4,2]'
  # As placement has it.
  run_status 1 gpuaas-place --profile premium-gpu --gpus 2 --node n000
  assert_output stale
  state_sql "UPDATE node SET observed_at = '2020-01-02T00:00:00.000000Z', generation = generation + 1
    WHERE id = 'n001'"
  run_ok gpuaas-profile list --public --json
  jq_is '[.summary, .available, .unknownCount, .asOf, .staleSeconds] | @json' \
    '["Premium GPU (NVIDIA H200 141GB) - availability unknown",false,4,null,null]'
  GPUAAS_STALE_AFTER=0 run_ok gpuaas-profile list --public --json
  jq_is '[.availableCount, .unknownCount, .asOf] | @json' '[4,0,"2020-01-01T00:00:00.000000Z"]'
}

@test "cordoned slots and nodes, and maintenance, are not available" {
  fleet 2 2
  state_sql "UPDATE slot SET cordon = 'loose', generation = generation + 1
    WHERE node_id = 'n000' AND slot_index = 0"
  assert_equal "$(numbers premium-gpu)" '[3,2,4,0]'
  gpuaas-node maintenance n001 --from 2020-01-01T00:00:00Z --to 2096-01-01T00:00:00Z \
    --reason cables > "$T/window" || { cat "$T/window"; false; }
  assert_equal "$(numbers premium-gpu)" '[1,1,4,0]'
  state_sql "UPDATE node SET cordon_reason = 'noise', generation = generation + 1 WHERE id = 'n000'"
  assert_equal "$(numbers premium-gpu)" '[0,0,4,0]'
  run_ok gpuaas-profile list --public --json
  jq_is '[.expectedAvailableAt, .expectedBasis] | @json' \
    '["2096-01-01T00:00:00.000000Z","maintenance_ending"]'
  # A second window is open when the first ends.
  run_ok gpuaas-node maintenance n001 --from 2095-06-01T00:00:00Z --to 2097-01-01T00:00:00Z --reason fans
  run_ok gpuaas-profile list --public --json
  jq_is '[.expectedAvailableAt, .expectedBasis] | @json' \
    '["2097-01-01T00:00:00.000000Z","maintenance_ending"]'
}

# Durations of wipes are those of the fixture's evidence: some seconds.
# why NAME: the code under which nothing of a profile is available
why()
{
  gpuaas-profile list --public --json | jq -r "select(.name == \"$1\") | .unavailableCode"
}

@test "a profile of which nothing is available has the code with which placement refuses" {
  profile other '.image = "nowhere" | .types = ["nvidia-h200-141gb"]'
  profile whole '.shape = "baremetal" | del(.counts)'
  profile any 'del(.image)'
  fleet 1 2
  assert_equal "$(why premium-gpu),$(why any)" null,null
  for name in premium-gpu other whole any; do
    refusal=$(gpuaas-place --profile "$name" --dry-run --json | jq -r 'select(.kind == "gpuaas.refusal/1").code')
    # that without an image is offered with the image that a request will name
    [[ $name == any ]] || assert_equal "$name $(why "$name")" "$name ${refusal:-null}"
  done
  assert_equal "$(why other)" image_missing
  run_ok gpuaas-profile list --table
  assert_output "image_missing"
  assert_output PRICE/GPU-HOUR # gpuaas-match has that of the whole answer
  gpuaas-node drain n000 --reason x > "$T/drained" || :
  assert_equal "$(why premium-gpu),$(why any)" node_draining,node_draining
}

# The code is that of the nodes of several types alone: a request gets one of one type.
@test "a retired profile and nodes of several types have their codes too" {
  fleet 2 2
  profile retired .
  profile whole '.shape = "baremetal" | del(.counts, .vcpus_per_gpu, .memory_mib_per_gpu, .image)'
  gpuaas-profile retire retired > "$T/retired"
  run_ok gpuaas-profile list --all --json
  jq_is 'select(.name == "retired") | "\(.available) \(.unavailableCode)"' 'false profile_retired'
  raw "UPDATE slot SET accelerator_type = 'nvidia-l4-24gb' WHERE node_id = 'n001' AND slot_index = 0"
  run_ok gpuaas-profile list --json
  jq_is 'select(.name == "whole") | "\(.availableCount) \(.mixedMachines.unavailableCode)"' '4 null'
  gpuaas-node drain n001 --reason x > "$T/drained" || :
  run_ok gpuaas-profile list --json
  jq_is 'select(.name == "whole") |
    "\(.availableCount) \(.unavailableCode) \(.mixedMachines.unavailableCode)"' '2 null node_draining'
  run_ok gpuaas-match --json
  jq_is 'select(.profile == "whole") | "\(.accelerator_type) \(.availability) \(.unavailable_code)"' \
    'nvidia-h200-141gb now null
null none node_draining'
}

@test "a row of machines of several types has the code of these machines" {
  fleet 3 3
  profile whole '.shape = "baremetal" | del(.counts, .vcpus_per_gpu, .memory_mib_per_gpu, .image)'
  raw "UPDATE slot SET accelerator_type = 'nvidia-l4-24gb' WHERE node_id <> 'n000' AND slot_index = 0"
  raw "UPDATE slot SET state = 'retired', retired = 1 WHERE node_id = 'n002' AND slot_index = 2"
  gpuaas-node drain n001 --reason x > "$T/drained" || :
  run_ok gpuaas-match --gpus 3 --json
  jq_is 'select(.profile == "whole") |
    "\(.accelerator_type) \(.count) \(.availability) \(.unavailable_code)"' \
    'nvidia-h200-141gb 3 now null
null 3 none not_ready'
}

@test "where nothing is available it says when, and on what that rests" {
  fleet 1 2
  profile pairs '.counts = [2] | .types = ["nvidia-h200-141gb"]'
  gpuaas-place --profile premium-gpu --gpus 2 > "$T/plan"
  run_ok gpuaas-profile list --public --json
  # Its holder named no end.
  jq_is '[.name, .availableCount, .expectedAvailableAt, .expectedBasis] | @json' \
    $'["pairs",0,null,null]\n["premium-gpu",0,null,null]'
  # One of the two is being wiped: a single one is expected, a pair is not.
  slot=$(state_sql "SELECT id FROM slot WHERE slot_index = 0")
  other=$(state_sql "SELECT id FROM slot WHERE slot_index = 1")
  now=$(date -u +%Y-%m-%dT%H:%M:%S.000000Z)
  cp "$GPUAAS_STATE" "$T/before.db"
  raw "UPDATE slot SET state = 'wiping', since = '$now' WHERE id = '$slot'"
  run_ok gpuaas-profile list --public --json
  jq_is '[.name, .expectedAvailableAt != null, .expectedBasis] | @json' \
    $'["pairs",false,null]\n["premium-gpu",true,"wiping"]'
  jq_is 'select(.name == "premium-gpu") | .expectedAvailableAt | sub("\\..*"; "Z") | fromdate |
    . >= (now - 60) and . < (now + 7200)' true
  # The other is held until a time: the pair comes after that.
  raw "UPDATE allocation SET state = 'held', expires_at = '2096-01-01T00:00:00.000000Z'"
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name == "pairs") | [.expectedBasis, .expectedAvailableAt[0:13]] | @json' \
    '["hold_ending","2096-01-01T00"]'
  # A slot that is out of order is not waited for.
  raw "UPDATE slot SET cordon = 'loose' WHERE id = '$other'"
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name == "pairs") | .expectedBasis' null
}

@test "several types have their own numbers, a generic profile has those of all" {
  fleet 1 2
  profile two '.types = ["nvidia-h100-sxm5-80gb", "nvidia-h200-141gb"]'
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name == "two") | [.acceleratorType, .memoryGb, .availableCount,
    (.byType[] | .acceleratorType, .memoryGb, .availableCount, .totalCount)] | @json' \
    '["nvidia-h100-sxm5-80gb",80,2,"nvidia-h100-sxm5-80gb",80,0,0,"nvidia-h200-141gb",141,2,2]'
  # A generic profile has no type and no facts, and counts all.
  profile generic-gpu .
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name == "generic-gpu") | [.summary, .acceleratorType, .memory, .architecture] | @json' \
    '["Generic GPU - 2 available",null,null,null]'
  run_ok gpuaas-profile list --public --type h200 --json
  jq_is .name $'premium-gpu\ntwo'
  run_ok gpuaas-profile list --type nvidia-h100-sxm5-80gb --json
  jq_is .name two
  run_status 2 gpuaas-profile list --type nvidia-a101-sxm4-80gb
  assert_stderr "'nvidia-a101-sxm4-80gb' is no type of the catalogue; near to it: nvidia-a100-sxm4-80gb"
  assert_stderr "gpuaas-profile catalog"
}

# pending ID PROFILE GPUS: a request that waits
pending()
{
  state_sql "INSERT INTO allocation (id, request, project, shape, count, since, profile, profile_version,
      profile_record, price_micros, created_at, created_by, profile_types)
    SELECT '$1', '{}', 'manhattan', 'slice', $3, '2026-11-20T00:00:00.000000Z', name, version, record, 0,
      '2026-11-20T00:00:00.000000Z', 'somebody', (SELECT char(10) || group_concat(value, char(10)) || char(10)
        FROM json_each(record, '\$.types')) FROM profile WHERE name = '$2' AND current = 1"
}

@test "requests that wait are shown, by profile, whatever is free" {
  fleet 1 2
  profile premium-gpu '.types = ["nvidia-h200-141gb"]'
  profile other '.types = ["nvidia-l4-24gb"]'
  pending waits001 premium-gpu 2
  pending waits002 premium-gpu 4
  pending waits003 other 1
  run_ok gpuaas-profile list --public --json
  jq_is '[.name, .availableCount, .pendingCount, .summary] | @json' \
    '["other",0,1,"Other (NVIDIA L4 24GB) - none available, 1 pending"]
["premium-gpu",2,6,"Premium GPU (NVIDIA H200 141GB) - 2 available, 6 pending"]'
  refute_output manhattan
  # A request that waits holds nothing yet, and one that got something waits no more.
  gpuaas-place --profile premium-gpu --gpus 2 > "$T/plan"
  run_ok gpuaas-profile list --json
  jq_is 'select(.name == "premium-gpu") | [.pendingCount, .summary] | @json' \
    '[6,"Premium GPU (NVIDIA H200 141GB) - none available, 6 pending"]'
  run_ok gpuaas-release waits002
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name == "premium-gpu") | .pendingCount' 2
  # A new version of the profile does not lose sight of them.
  profile premium-gpu '.types = ["nvidia-h200-141gb"] | .price_micros = 1'
  state_sql "UPDATE node SET observed_at = '2020-01-01T00:00:00.000000Z', generation = generation + 1"
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name == "premium-gpu") | .summary' \
    'Premium GPU (NVIDIA H200 141GB) - availability unknown, 2 pending'
}

# Modules 1 and 5 of this machine are out of order. Its partitions of two are 1 3, 2 4, 5 7 and 6 8.
@test "GPUs behind NVSwitches are available in partitions that there are" {
  setup_host h200
  export GPUAAS_LIBNVFM=$GPUAAS_BUILD/tests/libnvfm.so.1 GPUAAS_FAKE_FABRIC=$HOST/fabric.json
  in_host gpuaas-discover > "$T/fleet.rec"
  wiped_fleet
  profile pairs '.counts = [2]'
  profile fours '.counts = [4]'
  # Six are free: two pairs and two single ones, and no four of them.
  assert_equal "$(numbers premium-gpu)" '[6,2,8,0]'
  assert_equal "$(numbers pairs)" '[4,2,8,0]'
  assert_equal "$(numbers fours)" '[0,0,8,0]'
  run_status 1 gpuaas-place --profile fours --gpus 4
  jq_is .code topology_blocked
  # Where six are free a request for three sees no more than placement gives.
  profile threes '.counts = [2, 3]'
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name == "premium-gpu" or .name == "threes") |
    [.name, .availableCounts, .byType[].availableCounts] | @json' \
    '["premium-gpu",[1,2],[1,2]]
["threes",[2],[2]]'
  run_ok gpuaas-match --gpus 3 --json
  jq_is 'select(.profile == "threes") | [.count, .available_count, .availability, .unavailable_code] |
    @json' '[3,4,"none","fabric_blocked"]'
  run_status 1 gpuaas-match --gpus 3 --request
  assert_stderr "'gpuaas-place --dry-run' with that profile and as many GPUs says what blocks it"
  run_status 1 gpuaas-place --dry-run --profile threes --gpus 3
  jq_is .code fabric_blocked
  gpuaas-place --profile pairs --gpus 2 > "$T/plan"
  assert_equal "$(numbers premium-gpu)" '[4,2,8,0]'
  assert_equal "$(numbers pairs)" '[2,2,8,0]'
  gpuaas-place --profile pairs --gpus 2 > "$T/plan"
  assert_equal "$(numbers premium-gpu)" '[2,1,8,0]'
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name == "pairs") | [.availableCount, .expectedAvailableAt, .expectedBasis] | @json' \
    '[0,null,null]'
  # A hold that ends gives back its partition with its GPUs.
  raw "UPDATE allocation SET state = 'held', expires_at = '2096-01-01T00:00:00.000000Z'
    WHERE id = '$(jq -r .allocation "$T/plan")'"
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name == "pairs") | [.expectedBasis, .expectedAvailableAt[0:13]] | @json' \
    '["hold_ending","2096-01-01T00"]'
}

@test "a plan whose time is over gives back its fabric partition" {
  setup_host h200
  export GPUAAS_LIBNVFM=$GPUAAS_BUILD/tests/libnvfm.so.1 GPUAAS_FAKE_FABRIC=$HOST/fabric.json
  in_host gpuaas-discover > "$T/fleet.rec"
  wiped_fleet
  profile pairs '.counts = [2]'
  gpuaas-place --profile pairs --gpus 2 > "$T/plan"
  gpuaas-place --profile pairs --gpus 2 > "$T/plan"
  assert_equal "$(numbers premium-gpu)$(numbers pairs)" '[2,1,8,0][0,0,8,0]'
  expire
  assert_equal "$(numbers premium-gpu)$(numbers pairs)" '[6,2,8,0][4,2,8,0]'
  run_ok gpuaas-place --profile pairs --gpus 2
}

@test "a name that several types have stands once among the words" {
  run_ok gpuaas-profile create any-a100 --type a100,h200 --count 1
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name == "any-a100") | .displayName + "; " + (.byType | length | tostring)' \
    "Any A100 (NVIDIA A100 80GB or NVIDIA A100 64GB or NVIDIA A100 40GB or NVIDIA H200 141GB); 6"
}

@test "a profile of whole machines counts machines that are free as a whole" {
  fleet 2 2
  profile whole '.shape = "baremetal" | .types = ["nvidia-h200-141gb"] | del(.counts, .vcpus_per_gpu,
    .memory_mib_per_gpu, .image)'
  profile other '.shape = "baremetal" | .types = ["nvidia-l4-24gb"] | del(.counts, .vcpus_per_gpu,
    .memory_mib_per_gpu, .image)'
  assert_equal "$(numbers whole)" '[4,2,4,0]'
  assert_equal "$(numbers other)" '[0,0,0,0]'
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name == "whole") | [.shape, .counts, .summary, .memoryGb] | @json' \
    '["baremetal",[],"Whole (NVIDIA H200 141GB) - 4 available",141]'
  # A slice on one of them, and it is no whole machine any more.
  gpuaas-place --profile premium-gpu --gpus 1 > "$T/slice"
  assert_equal "$(numbers whole)" '[2,2,4,0]'
  gpuaas-place --profile whole --baremetal > "$T/whole"
  assert_equal "$(numbers whole)" '[0,0,4,0]'
  assert_equal "$(numbers premium-gpu)" '[1,1,4,0]'
  run_status 1 gpuaas-place --profile whole --baremetal
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name == "whole") | [.available, .expectedBasis] | @json' '[false,null]'
  # The machine is back from its tenant and is wiped.
  raw "UPDATE allocation SET state = 'released' WHERE shape = 'baremetal';
    UPDATE slot SET state = 'wiping', since = '$(date -u +%Y-%m-%dT%H:%M:%S.000000Z)'
    WHERE node_id = '$(jq -r .node "$T/whole")'"
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name == "whole") | [.available, .expectedBasis] | @json' '[false,"wiping"]'
  # A blocker remains when its tenant has gone: it is not promised.
  raw "UPDATE node SET blockers = '[{\"code\":\"iommu_off\",\"evidence\":null,\"hint\":null}]'"
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name == "whole") | [.available, .expectedBasis] | @json' '[false,null]'
}

# expire: the time of every plan that nobody took up is over, and no writer has freed its slots yet
expire()
{
  state_sql "UPDATE allocation SET expires_at = '2020-01-01T00:00:00.000000Z', generation = generation + 1
    WHERE state = 'placed'"
}

# A plan that placement would free first counts as available: nothing else writes on a quiet site.
@test "what a plan has whose time is over is available, and is placed" {
  fleet 2 2
  gpuaas-place --profile premium-gpu --gpus 2 > "$T/plan"
  gpuaas-place --profile premium-gpu --gpus 2 > "$T/plan"
  assert_equal "$(numbers premium-gpu)" '[0,0,4,0]'
  expire
  assert_equal "$(numbers premium-gpu)" '[4,2,4,0]'
  run_ok gpuaas-profile list --public --json
  jq_is '[.summary, .available, .expectedAvailableAt] | @json' \
    '["Premium GPU (NVIDIA H200 141GB) - 4 available",true,null]'
  # As placement says when it writes nothing, and as a request is made of it.
  gpuaas-match --gpus 2 --request --project p > "$T/request"
  run_ok gpuaas-place --dry-run < "$T/request"
  jq_is .kind gpuaas.plan/1
  run_ok gpuaas-place --explain --dry-run --profile premium-gpu --gpus 2
  # Nothing but the plan ended: what is out of order stays so.
  state_sql "UPDATE slot SET cordon = 'loose', generation = generation + 1
    WHERE node_id = 'n000' AND slot_index = 0"
  assert_equal "$(numbers premium-gpu)" '[3,2,4,0]'
  run_ok gpuaas-place --profile premium-gpu --gpus 2
  assert_equal "$(numbers premium-gpu)" '[1,1,4,0]'
  run_status 1 gpuaas-place --profile premium-gpu --gpus 2
}

@test "a machine that an expired plan had whole is free as a whole" {
  fleet 1 2
  profile whole '.shape = "baremetal" | .types = ["nvidia-h200-141gb"] | del(.counts, .vcpus_per_gpu,
    .memory_mib_per_gpu, .image)'
  gpuaas-place --profile whole --baremetal > "$T/whole"
  assert_equal "$(numbers whole)$(numbers premium-gpu)" '[0,0,2,0][0,0,2,0]'
  expire
  assert_equal "$(numbers whole)$(numbers premium-gpu)" '[2,2,2,0][2,2,2,0]'
  # One slice whose time is not over, and it is none.
  gpuaas-place --profile premium-gpu --gpus 1 > "$T/plan"
  gpuaas-place --profile premium-gpu --gpus 1 --expires 0s > "$T/plan"
  assert_equal "$(numbers whole)$(numbers premium-gpu)" '[0,0,2,0][1,1,2,0]'
  run_status 1 gpuaas-place --profile whole --baremetal
}

# A card of two GPUs is two PCI functions: what is sold, counted and described is one of them.
@test "a GPU of MI250X is half a card" {
  profile mi250x '.types = ["amd-mi250x-128gb"]'
  fleet 1 8 mi300x defaults.gpu.id=1002:7408
  run_ok gpuaas-profile list --public --type mi250x --json
  jq_is '[.summary, .memory, .memoryGb, .architecture, .vendor, .computeCapability] | @json' \
    '["MI250X (AMD Instinct MI250X 128GB) - 8 available","64GB",64,"CDNA2","amd",null]'
  jq_is '[.availableCount, .largestAvailable, .totalCount, .byType[0].memoryGb, .byType[0].totalCount] | @json' \
    '[8,8,8,64,8]'
  # Of the catalogue's figures of a card: 3276.8 GB/s, 383, 47.9 and 47.87 TFLOPS.
  jq_is '[.memoryBandwidthGBs, .bf16Tflops, .fp32Tflops, .fp64Tflops, .fp8Tflops] | @json' \
    '[1638.4,191.5,23.95,23.935,null]'
  run_ok gpuaas-place --profile mi250x --gpus 1
  assert_equal "$(numbers mi250x)" '[7,4,8,0]'
}

# 740c is a MI250 or a MI250X, and no source of this machine says which.
@test "GPUs whose type is open are shown in generic profiles only" {
  profile mi250x '.types = ["amd-mi250x-128gb", "amd-mi250-128gb"]'
  profile generic .
  fleet 1 2 mi300x defaults.gpu.id=1002:740c
  assert_equal "$(numbers mi250x)" '[0,0,0,0]'
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name == "generic") | [.summary, .byType] | @json' \
    '["Generic - 2 available",[{"acceleratorType":null,"availableCount":2,"availableCounts":[1,2],"expectedAvailableAt":null,"largestAvailable":2,"memoryGb":null,"name":"type unknown","totalCount":2}]]'
}

# Seven profiles whose types fill some 3 MiB of the view each.
@test "a file of more than 16 MiB is not published, and the previous one stays" {
  file=$T/public.json
  gpuaas-profile list --public --output "$file"
  cp "$file" "$T/before"
  for name in a b c d e f g; do
    profile "$name" .
  done
  raw "UPDATE profile SET record = json_set(record, '\$.types', (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL
      SELECT i + 1 FROM n WHERE i < 10000) SELECT json_group_array(printf('own-accelerator-type-with-a-name-%d', i))
      FROM n)) WHERE name IN ('a', 'b', 'c', 'd', 'e', 'f', 'g')"
  run_status 4 gpuaas-profile list --public --output "$file"
  assert_stderr "'$file' would be larger than 16 MiB"
  assert_stderr "retire profiles"
  cmp "$file" "$T/before"
  assert_equal "$(find "$T" -maxdepth 1 -name '*public*')" "$file"
  # As the hint says: with half of them it is less, and is published.
  raw "UPDATE profile SET record = json_set(record, '\$.retired', json('true')) WHERE name IN ('d', 'e', 'f', 'g')"
  run_ok gpuaas-profile list --public --output "$file"
  jq -e '.profiles | length == 4' "$file"
  size=$(stat -c %s "$file")
  [[ $size -gt $((6 << 20)) && $size -le $((16 << 20)) ]]
}

@test "operators see versions, teams and what is retired; everybody sees his own" {
  gpuaas-state apply - > "$T/applied" << 'END'
{"kind":"gpuaas.team/1","name":"physics","projects":["p1"]}
END
  profile for-physics '.teams = ["physics"]'
  profile old '.retired = true'
  profile premium-gpu '.price_micros = 6000000'
  run_ok gpuaas-profile list --json
  jq_is '[.name, .version, .retired, (.teams // [])] | @json' \
    $'["for-physics",1,false,["physics"]]\n["premium-gpu",2,false,[]]'
  run_ok gpuaas-profile list --all --json
  jq_is '[.name, .retired] | @json' $'["for-physics",false]\n["old",true]\n["premium-gpu",false]'
  run_ok gpuaas-profile list --team chemistry --json
  jq_is .name premium-gpu
  assert_stderr "there is no team 'chemistry'"
  run_ok gpuaas-profile list --public --json
  jq_is '[.name, has("version"), has("teams"), has("retired")] | @json' '["premium-gpu",false,false,false]'
  refute_output physics
  run_ok gpuaas-profile list --public --team physics --json
  jq_is .name $'for-physics\npremium-gpu'
  refute_stderr "there is no team"
  refute_output '"physics"'
  run_status 2 gpuaas-profile list --public --all
  assert_stderr "for operators"
}

# Every text of the state's nodes, slots, allocations, devices and people is looked for.
@test "nothing of the infrastructure leaks, whatever it is called" {
  fleet 2 2
  profile for-physics '.teams = []'
  state_sql "UPDATE node SET name = 'a\"b' || char(39) || '; DROP' || char(27) || '[2Jx', address = '10.66.66.66',
    pool = 'vault7', region = 'atlantis', generation = generation + 1 WHERE id = 'n000'"
  gpuaas-place --profile premium-gpu --gpus 1 --project manhattan --name trinity > "$T/plan"
  state_sql "UPDATE node SET cordon_reason = 'gone-fission', generation = generation + 1 WHERE id = 'n001'"
  gpuaas-profile list --public --output "$T/public.json"
  gpuaas-profile list --json > "$T/operators"
  state_sql "SELECT id FROM node UNION SELECT name FROM node UNION SELECT address FROM node
    UNION SELECT pool FROM node UNION SELECT region FROM node UNION SELECT cordon_reason FROM node
    UNION SELECT fingerprint FROM node UNION SELECT boot_id FROM node
    UNION SELECT id FROM slot UNION SELECT gpu_id FROM slot UNION SELECT gpu_identity FROM slot
    UNION SELECT gpu_pci_address FROM slot UNION SELECT nvme_wwid FROM slot UNION SELECT nvme_serial FROM slot
    UNION SELECT nvme_path FROM slot UNION SELECT mac FROM slot UNION SELECT private_ip FROM slot
    UNION SELECT id FROM allocation UNION SELECT name FROM allocation UNION SELECT project FROM allocation
    UNION SELECT id FROM claim UNION SELECT created_by FROM allocation" | grep -v '^$' | sort -u > "$T/secrets"
  [[ $(wc -l < "$T/secrets") -ge 30 ]]
  grep -qx manhattan "$T/secrets"
  # The user of the tests may be root, and that name stands in no view either.
  run grep -oFf "$T/secrets" "$T/public.json" "$T/operators"
  assert_equal "$output" ""
  jq -e '.profiles | length == 2' "$T/public.json"
}

@test "a price or a name that does not belong there is refused before it is shown" {
  run_status 3 gpuaas-state apply - << 'END'
{"kind":"gpuaas.profile/1","name":"evil\u001b[2J","shape":"slice","price_micros":0,"wipe":{"minimum_class":"clear","verify":"full","gpu_memory":"if_supported"}}
END
  # A type that the catalogue lacks is shown as it is, without facts.
  raw "UPDATE profile SET record = json_set(record, '\$.types', json('[\"own<b>-type\"]')) WHERE current = 1"
  run_ok gpuaas-profile list --public --json
  jq_is '[.acceleratorType, .memory, .byType[0].name] | @json' '["own<b>-type",null,"own<b>-type"]'
}

# barred CMD…: as somebody who may not read the state; root without its capabilities is one.
barred()
{
  local may=()
  [[ $EUID -ne 0 ]] || may=(setpriv --bounding-set '-dac_override,-dac_read_search' --inh-caps=-all)
  chmod 000 "$GPUAAS_STATE"
  "${may[@]}" "$@" || { status=$?; chmod 600 "$GPUAAS_STATE"; return "$status"; }
  chmod 600 "$GPUAAS_STATE"
}

@test "who may not read the state is answered from what is published of it" {
  fleet 2 2
  profile for-physics '.teams = []'
  export GPUAAS_PUBLISHED=$T/public.json
  run_status 6 barred gpuaas-profile list --public
  assert_stderr "nothing is published"
  gpuaas-profile list --public --output "$GPUAAS_PUBLISHED"
  run_ok barred gpuaas-profile list --public --json
  jq_is '[.name, .availableCount, .totalCount] | @json' $'["for-physics",4,4]\n["premium-gpu",4,4]'
  assert_equal "$stderr" ""
  # It is the published one, not the state: that has fewer now. Its age is of now.
  gpuaas-place --profile premium-gpu --gpus 2 > "$T/plan"
  jq_in_order -c --arg at "$(date -u -d '2 hours ago' +%Y-%m-%dT%H:%M:%S.000000Z)" '.profiles |= map(.asOf = $at)' \
    "$GPUAAS_PUBLISHED" > "$T/public.old"
  GPUAAS_PUBLISHED=$T/public.old run_ok barred gpuaas-profile list --public --type nvidia-h200-141gb --json
  jq_is 'select(.name == "premium-gpu") | [.availableCount, .staleSeconds >= 7200] | @json' '[4,true]'
  GPUAAS_PUBLISHED=$T/public.old run_ok barred gpuaas-profile list --public --table --columns profile,age
  [[ $output =~ premium-gpu\ +2h ]]
  # The basis of the numbers is too old: nobody knows what is free.
  GPUAAS_STALE_AFTER=1h GPUAAS_PUBLISHED=$T/public.old run_ok barred gpuaas-profile list --public --json
  jq_is 'select(.name == "premium-gpu") | [.available, .availableCount, .largestAvailable, .availableCounts, .unknownCount,
    .totalCount, (.summary | split(" - ")[1]), .byType[0].availableCount, .byType[0].availableCounts] | @json' \
    '[false,0,0,null,4,4,"availability unknown",0,null]'
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
  GPUAAS_STALE_AFTER=1h GPUAAS_PUBLISHED=$T/public.old run_ok barred gpuaas-match --memory 80GB --json
  jq_is 'select(.profile == "premium-gpu") | .availability' unknown
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name == "premium-gpu") | .availableCount' 2
  run_ok barred gpuaas-match --memory 80GB --json
  jq_is '[.profile, .fits, .availability] | @json' $'["for-physics",true,"now"]\n["premium-gpu",true,"now"]'
  run_ok barred gpuaas-profile list --public --team physics
  assert_stderr "no profiles of teams"
  run_ok barred gpuaas-match --memory 80GB --team physics --json
  assert_stderr "no profiles of teams"
  run_ok barred gpuaas-match --memory 80GB --image nobodys --json
  assert_stderr "does not list the nodes with a copy of image 'nobodys'"
  # An app is judged by its manifest and the images, and neither is published.
  run_status 6 barred gpuaas-match --app vllm
  assert_stderr "apps are not published"
  assert_stderr "by --memory, --stack, --vendor and --min-compute-capability"
  run_status 6 barred gpuaas-place --guide --app vllm < /dev/null
  assert_stderr "apps are not published"
  run_ok barred gpuaas-place --guide --node n000 --key "ssh-ed25519 AAAA me" <<< $'\n\n\n'
  assert_stderr "the numbers are of all GPUs, whatever your options leave"
  assert_output "gpuaas-place --profile premium-gpu --gpus 1"
  # He gets neither the operators' views nor a state that he names.
  run_status 6 barred gpuaas-profile list
  run_status 6 barred gpuaas-profile list --public --state "$GPUAAS_STATE"
  run_status 6 barred gpuaas-profile list --public --output "$T/other.json"
  [[ ! -e $T/other.json ]]
}

@test "a published view that is old, or none, is not taken for what is free" {
  fleet 1 2
  export GPUAAS_PUBLISHED=$T/public.json
  gpuaas-profile list --public --output "$T/good.json"
  jq_in_order -c --arg at "$(date -u -d '10 minutes ago' +%Y-%m-%dT%H:%M:%S.000000Z)" '.madeAt = $at' "$T/good.json" \
    > "$GPUAAS_PUBLISHED"
  run_ok barred gpuaas-profile list --public --json
  jq_is .availableCount 2
  [[ $stderr =~ was\ published\ 60[0-9]\ seconds\ ago ]]
  GPUAAS_STALE_AFTER=5m run_status 4 barred gpuaas-profile list --public --json
  assert_stderr "what is free now is not known"
  assert_equal "$output" ""
  jq_in_order -c '.madeAt = "2096-01-01T00:00:00.000000Z"' "$T/good.json" > "$GPUAAS_PUBLISHED"
  GPUAAS_STALE_AFTER=0 run_status 4 barred gpuaas-profile list --public --json
  assert_stderr "a clock is wrong"
  for bad in '.madeAt = "then"' 'del(.madeAt)' 'del(.profiles)' '.profiles = {}' '.profiles[0].kind = "gpuaas.profile/1"' \
    '.profiles[0].availableCount = "many"' 'del(.profiles[0].name)' '.profiles += [7]'; do
    jq_in_order -c "$bad" "$T/good.json" > "$GPUAAS_PUBLISHED"
    run_status 3 barred gpuaas-profile list --public --json
    assert_stderr "no published view of profiles"
    assert_equal "$output" ""
  done
  # Its texts steer no terminal.
  jq_in_order -c '.profiles[0]."\u001b[31m" = 1' "$T/good.json" > "$GPUAAS_PUBLISHED"
  run_status 3 barred gpuaas-profile list --public
  assert_stderr "unknown member '?[31m'"
  printf '{"madeAt":\e]0;x\a}' > "$GPUAAS_PUBLISHED"
  run_status 3 barred gpuaas-profile list --public
  refute_stderr $'\e'
  printf '{"madeAt":' > "$GPUAAS_PUBLISHED"
  run_status 3 barred gpuaas-match --memory 80GB
  truncate -s 17M "$GPUAAS_PUBLISHED"
  run barred gpuaas-profile list --public
  [[ $status -ne 0 ]]
}

@test "an index with a node that is not there is reported as damage, and nothing is listed" {
  fleet 1 2
  # The node goes while nobody knows that there is the index.
  state_sql "PRAGMA writable_schema=ON; CREATE TABLE hidden AS SELECT * FROM sqlite_schema
    WHERE name = 'node_alike'; DELETE FROM sqlite_schema WHERE name = 'node_alike'"
  state_sql "DROP TRIGGER node_kept; DELETE FROM node WHERE id = (SELECT min(id) FROM node)"
  state_sql "PRAGMA writable_schema=ON; INSERT INTO sqlite_schema SELECT * FROM hidden"
  run_status 10 gpuaas-profile list --public
  assert_stderr "is damaged: the index node_alike has a node"
  assert_stderr "go back to a backup"
  assert_equal "$output" ""
}

@test "a state that is damaged where it is counted is reported as damaged, and nothing is listed" {
  fleet 1 2
  # All that is read of nodes behind NVSwitches.
  raw "UPDATE slot SET module_id = slot_index;
    UPDATE node SET fabric_mode = 'partitions', partitions = '{\"0\":[0],\"1\":[1]}'"
  assert_equal "$(gpuaas-profile list --public --json | jq -s 'map(.availableCount) | max > 0')" true
  local root table
  for table in node_capacity node_alike node_image_copy allocation_partition; do
    cp "$GPUAAS_STATE" "$T/bad.db"
    sql "$T/bad.db" 'PRAGMA wal_checkpoint' > "$T/x"
    root=$(sql "$T/bad.db" "SELECT rootpage FROM sqlite_schema WHERE name = '$table'")
    head -c 4096 /dev/zero | tr '\0' '\377' | dd of="$T/bad.db" bs=4096 seek=$((root - 1)) conv=notrunc status=none
    run_status 10 gpuaas-profile list --public --state "$T/bad.db"
    assert_stderr "is damaged"
    assert_equal "$output" ""
  done
}

@test "no profile names a type that is no name: the user view would show it to everybody" {
  fleet 1 2
  for type in '\u202e10.66.66.66' 'n000 serial S123' 'A100!' "$(printf 'z%.0s' {1..64})"; do
    jq -c --arg type "$(printf %b "$type")" '.name = "odd" | .counts = [1] | .types = [$type]' "$SRC/share/objects/h200-slice.json" \
      > "$T/odd"
    run_status 3 gpuaas-state apply "$T/odd"
    assert_stderr "is no type: small letters"
  done
  run_status 5 gpuaas-profile show odd
}
