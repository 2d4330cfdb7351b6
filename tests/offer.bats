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

# fleet NODES SLOTS: that many nodes of that many clean slots, each with the image.
fleet()
{
  setup_host h200
  in_host gpuaas-discover > "$T/h200.rec"
  "$SRC/tests/fleet" "$1" "$2" < "$T/h200.rec" > "$T/fleet.rec"
  gpuaas-approve --all-ready < "$T/fleet.rec" > "$T/slots"
  "$SRC/tests/evidence" < "$T/slots" > "$T/evidence"
  gpuaas-state fold "$T/evidence" > "$T/folded"
  jq_in_order -c 'select(.kind == "gpuaas.host/1") | {kind: "gpuaas.node-image/1", node, image: "lab",
    digest: ("sha256:" + "a" * 64), path: "/images/lab.raw",
    verified_at: "2026-11-20T00:00:00.000000Z"}' "$T/fleet.rec" > "$T/images"
  gpuaas-state apply "$T/images" > "$T/applied"
}

in_state()
{
  sqlite3 "$GPUAAS_STATE" "$1"
}

# raw SQL: without the guards, for states that would take a whole life to reach
raw()
{
  sqlite3 "$GPUAAS_STATE" "$(sqlite3 "$GPUAAS_STATE" \
    "SELECT 'DROP TRIGGER ' || name || ';' FROM sqlite_master WHERE type = 'trigger'") $1"
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
  assert_output "premium-gpu  Premium GPU (NVIDIA H200 141GB) - 4 available  2"
}

@test "a price is a decimal to the last millionth" {
  profile premium-gpu '.price_micros = 3350001'
  run_ok gpuaas-profile list --public --json
  assert_output '"pricePerHour":3.350001,"priceMicros":3350001,'
}

# What is said to be available is what a request gets.
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
  in_state "UPDATE node SET observed_at = '2020-01-01T00:00:00.000000Z', generation = generation + 1
    WHERE id = 'n000'"
  assert_equal "$(numbers premium-gpu)" '[2,2,4,2]'
  # As placement has it.
  run_status 1 gpuaas-place --profile premium-gpu --gpus 2 --node n000
  assert_output stale
  in_state "UPDATE node SET observed_at = '2020-01-02T00:00:00.000000Z', generation = generation + 1
    WHERE id = 'n001'"
  run_ok gpuaas-profile list --public --json
  jq_is '[.summary, .available, .unknownCount, .asOf, .staleSeconds] | @json' \
    '["Premium GPU (NVIDIA H200 141GB) - availability unknown",false,4,null,null]'
  GPUAAS_STALE_AFTER=0 run_ok gpuaas-profile list --public --json
  jq_is '[.availableCount, .unknownCount, .asOf] | @json' '[4,0,"2020-01-01T00:00:00.000000Z"]'
}

@test "cordoned slots and nodes, and maintenance, are not available" {
  fleet 2 2
  in_state "UPDATE slot SET cordon_reason = 'loose', generation = generation + 1
    WHERE node_id = 'n000' AND slot_index = 0"
  assert_equal "$(numbers premium-gpu)" '[3,2,4,0]'
  gpuaas-node maintenance n001 --from 2020-01-01T00:00:00Z --to 2096-01-01T00:00:00Z \
    --reason cables > "$T/window" || { cat "$T/window"; false; }
  assert_equal "$(numbers premium-gpu)" '[1,1,4,0]'
  in_state "UPDATE node SET cordon_reason = 'noise', generation = generation + 1 WHERE id = 'n000'"
  assert_equal "$(numbers premium-gpu)" '[0,0,4,0]'
  run_ok gpuaas-profile list --public --json
  jq_is '[.expectedAvailableAt, .expectedBasis] | @json' \
    '["2096-01-01T00:00:00.000000Z","maintenance_ending"]'
}

# Durations of wipes are those of the fixture's evidence: some seconds.
@test "where nothing is available it says when, and on what that rests" {
  fleet 1 2
  profile pairs '.counts = [2] | .types = ["nvidia-h200-141gb"]'
  gpuaas-place --profile premium-gpu --gpus 2 > "$T/plan"
  run_ok gpuaas-profile list --public --json
  # Who has it said nothing of an end.
  jq_is '[.name, .availableCount, .expectedAvailableAt, .expectedBasis] | @json' \
    $'["pairs",0,null,null]\n["premium-gpu",0,null,null]'
  # One of the two is being wiped: a single one is expected, a pair is not.
  slot=$(in_state "SELECT id FROM slot WHERE slot_index = 0")
  other=$(in_state "SELECT id FROM slot WHERE slot_index = 1")
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
  raw "UPDATE slot SET cordon_reason = 'loose' WHERE id = '$other'"
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name == "pairs") | .expectedBasis' null
}

@test "what waits is counted, and several types have their own numbers" {
  fleet 1 2
  profile two '.types = ["nvidia-h100-sxm5-80gb", "nvidia-h200-141gb"]'
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name == "two") | [.acceleratorType, .memoryGb, .availableCount,
    (.byType[] | .acceleratorType, .memoryGb, .availableCount, .totalCount)] | @json' \
    '["nvidia-h100-sxm5-80gb",80,2,"nvidia-h100-sxm5-80gb",80,0,0,"nvidia-h200-141gb",141,2,2]'
  # A generic profile has no type and no facts, and is told of all.
  profile generic-gpu .
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name == "generic-gpu") | [.summary, .acceleratorType, .memory, .architecture] | @json' \
    '["Generic GPU - 2 available",null,null,null]'
  run_ok gpuaas-profile list --public --type h200 --json
  jq_is .name $'premium-gpu\ntwo'
  run_ok gpuaas-profile list --type nvidia-h100-sxm5-80gb --json
  jq_is .name two
  run_status 2 gpuaas-profile list --type nonesuch
  assert_stderr "gpuaas-profile catalog"
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
  run_ok gpuaas-profile list --public --json
  jq_is '[.name, has("version"), has("teams"), has("retired")] | @json' '["premium-gpu",false,false,false]'
  refute_output physics
  run_ok gpuaas-profile list --public --team physics --json
  jq_is .name $'for-physics\npremium-gpu'
  refute_output '"physics"'
  run_status 2 gpuaas-profile list --public --all
  assert_stderr "for operators"
}

# Every text of the state's nodes, slots, allocations, devices and people is looked for.
@test "nothing of the infrastructure leaks, whatever it is called" {
  fleet 2 2
  profile for-physics '.teams = []'
  in_state "UPDATE node SET name = 'a\"b' || char(39) || '; DROP' || char(27) || '[2Jx', address = '10.66.66.66',
    pool = 'vault7', region = 'atlantis', generation = generation + 1 WHERE id = 'n000'"
  gpuaas-place --profile premium-gpu --gpus 1 --project manhattan --name trinity > "$T/plan"
  in_state "UPDATE node SET cordon_reason = 'gone-fission', generation = generation + 1 WHERE id = 'n001'"
  gpuaas-profile list --public --output "$T/public.json"
  gpuaas-profile list --json > "$T/operators"
  in_state "SELECT id FROM node UNION SELECT name FROM node UNION SELECT address FROM node
    UNION SELECT pool FROM node UNION SELECT region FROM node UNION SELECT cordon_reason FROM node
    UNION SELECT fingerprint FROM node UNION SELECT boot_id FROM node
    UNION SELECT id FROM slot UNION SELECT gpu_id FROM slot UNION SELECT gpu_identity FROM slot
    UNION SELECT gpu_pci_address FROM slot UNION SELECT nvme_wwid FROM slot UNION SELECT nvme_serial FROM slot
    UNION SELECT nvme_path FROM slot UNION SELECT mac FROM slot UNION SELECT private_ip FROM slot
    UNION SELECT id FROM allocation UNION SELECT name FROM allocation UNION SELECT project FROM allocation
    UNION SELECT id FROM claim UNION SELECT created_by FROM allocation" | grep -v '^$' | sort -u > "$T/secrets"
  [[ $(wc -l < "$T/secrets") -ge 30 ]]
  grep -qx manhattan "$T/secrets"
  # Who runs the tests may be called root, and that stands in no view either.
  run grep -oFf "$T/secrets" "$T/public.json" "$T/operators"
  assert_equal "$output" ""
  jq -e '.profiles | length == 2' "$T/public.json"
}

@test "a price or a name that does not belong there is refused before it is told" {
  run_status 3 gpuaas-state apply - << 'END'
{"kind":"gpuaas.profile/1","name":"evil\u001b[2J","shape":"slice","price_micros":0,"wipe":{"minimum_class":"clear","verify":"full","gpu_memory":"if_supported"}}
END
  # A type that the catalogue lacks is told as it is, without facts.
  raw "UPDATE profile SET record = json_set(record, '\$.types', json('[\"own<b>-type\"]')) WHERE current = 1"
  run_ok gpuaas-profile list --public --json
  jq_is '[.acceleratorType, .memory, .byType[0].name] | @json' '["own<b>-type",null,"own<b>-type"]'
}
