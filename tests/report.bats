# SPDX-License-Identifier: Apache-2.0
# gpuaas-report: use and cost, against an oracle that counts on its own (tests/usage-oracle).

load helper
source "$SRC/tests/lab.bash"

oracle()
{
  "$SRC/tests/usage-oracle" "$@"
}

# Whole histories in a state: make_histories SEED [ALLOCATIONS]
make_histories()
{
  echo "# seed $1"
  gpuaas-state init --lab > "$T/made"
  oracle make "$GPUAAS_STATE" "$@"
}

# One allocation with spans by hand: span KIND COUNT PRICE FROM TO|'' (PROJECT, TYPE, ID, SHAPE)
span()
{
  local id=${ID-00000001}
  state_sql "PRAGMA foreign_keys=ON;
    INSERT OR IGNORE INTO node (id, since, region) SELECT 'h1', 'x', 'west' WHERE NOT EXISTS
      (SELECT 1 FROM node);
    INSERT INTO allocation (id, request, project, shape, count, since, node_id, accelerator_type,
      profile, profile_version, profile_record, price_micros, created_at, created_by)
      SELECT '$id', '{}', '${PROJECT-vision}', '${SHAPE-slice}', $2, 'x', 'h1',
      ${TYPE-'nvidia-h200-141gb'}, 'h200-slice', 1, '{}', $3, 'x', 'me'
      WHERE NOT EXISTS (SELECT 1 FROM allocation WHERE id = '$id');
    INSERT INTO usage (allocation_id, usage_kind, count, accelerator_type, price_micros,
      started_at, ended_at, number, project, profile, node_id)
      SELECT id, '$1', $2, ${TYPE-'nvidia-h200-141gb'}, $3, '$4', nullif('$5', ''), number,
      project, profile, node_id FROM allocation WHERE id = '$id';" 2>&1
}

# As an older version, or a foreign hand, left spans: without what refuses them now.
unguarded()
{
  state_sql 'DROP TRIGGER usage_insert'
}

new_state()
{
  gpuaas-state init --lab > "$T/made"
  TYPE="'nvidia-h200-141gb'"
}

profile()
{
  jq_in_order -c --arg name "$1" --arg type "$2" --argjson price "$3" \
    '.name = $name | .types = [$type] | .price_micros = $price' "$SRC/share/objects/h200-slice.json"
}

@test "random histories: every grouping reproduces the usage rows to the second and the millionth" {
  local seed=${GA_SEED-$((RANDOM * 32768 + RANDOM))} by n=0
  make_histories "$seed" 250
  for by in '' project type profile node allocation project,type type,project,node \
    project,type,profile,node,allocation; do
    run_ok gpuaas-report cost --by "$by" --from 2025-01-01 --to 2026-06-30T01:02:03Z
    printf '%s\n' "$output" > "$T/records"
    run_ok oracle check "$GPUAAS_STATE" cost "$T/records"
    run_ok gpuaas-report usage --by "$by" --from 2025-02-03T04:05:06.7Z --to 2025-09-01
    printf '%s\n' "$output" > "$T/records"
    run_ok oracle check "$GPUAAS_STATE" usage "$T/records"
    n=$((n + 2))
  done
  assert_equal "$n" 18
  # Something was there to be counted, of every kind, and something was open.
  run_ok gpuaas-report usage --from 2025-01-01
  jq_is '[.active_gpu_seconds, .provisioning_gpu_seconds, .hold_gpu_seconds, .cleanup_gpu_seconds,
    .open_spans] | all(. > 0)' true
}

# Six projects: of one team each, of two teams, of a retired one only, of none.
make_teams()
{
  local -a teams=('"alpha", projects: ["project-0", "project-1", "project-3"]'
    '"beta", projects: ["project-2", "project-3", "project-2"]' '"none"'
    '"closed", projects: ["project-0", "project-4"], retired: true')
  printf '{kind: "gpuaas.team/1", name: %s}\n' "${teams[@]}" | while read -r team; do
    jq_in_order -nc "$team"
  done | gpuaas-state apply - > "$T/made"
}

@test "by team: that which has the project now; a project of several or of none is nobody's" {
  local seed=${GA_SEED-$((RANDOM * 32768 + RANDOM))} by
  make_histories "$seed" 150
  make_teams
  for by in team team,project team,type,node; do
    run_ok gpuaas-report cost --by "$by" --from 2025-01-01 --to 2026-06-30
    printf '%s\n' "$output" > "$T/records"
    run_ok oracle check "$GPUAAS_STATE" cost "$T/records"
    run_ok gpuaas-report usage --by "$by" --from 2025-02-03 --to 2025-09-01
    printf '%s\n' "$output" > "$T/records"
    run_ok oracle check "$GPUAAS_STATE" usage "$T/records"
  done
  run_ok gpuaas-report cost --by team,project --from 2025-01-01
  jq_is '"\(.team) \(.project)"' "alpha project-0
alpha project-1
beta project-2
null project-3
null project-4
null project-5"
  # Once, however many lines there are, and only where the report is by teams.
  assert_equal "$(grep -c 'under no team' <<< "$stderr")" 1
  assert_stderr "'project-3' (of several: alpha, beta), 'project-4' (of none), 'project-5' (of none)"
  run_ok gpuaas-report cost --by project --from 2025-01-01
  assert_equal "$stderr" ""
  # Teams are as of now: use of before moves with its project.
  jq_in_order -nc '{kind: "gpuaas.team/1", name: "beta", projects: ["project-2", "project-0", "project-5"]}' |
    gpuaas-state apply - > "$T/made"
  run_ok gpuaas-report usage --by team,project --from 2025-01-01
  jq_is 'select(.project == "project-0" or .project == "project-5").team' $'beta\nnull'
  gpuaas-report cost --format focus --currency EUR --from 2025-01-15 --to 2025-12-24 > "$T/focus.csv" \
    2> "$T/said"
  grep -q 'under no team' "$T/said"
  run_ok oracle focus "$GPUAAS_STATE" "$T/focus.csv" "$(date -u -d 2025-01-15 +%s)" \
    "$(date -u -d 2025-12-24 +%s)"
  # Without teams all of it is nobody's, and FOCUS has projects.
  gpuaas-list teams --json | jq_in_order -c '.retired = true' | gpuaas-state apply - > "$T/made"
  run_ok gpuaas-report cost --by team --from 2025-01-01
  jq_is .team null
  run_ok gpuaas-report cost --format focus --currency EUR --from 2025-01-15 --to 2025-12-24
  assert_equal "$stderr" ""
  refute_output ,Team,
}

@test "random windows: parts of a time add up to it, to the millionth" {
  local seed=${GA_SEED-$((RANDOM * 32768 + RANDOM))} cut previous=2025-01-01T00:00:00Z end
  make_histories "$seed" 120
  end=2026-08-01T00:00:00Z
  : > "$T/parts"
  for cut in $(awk -v seed="$seed" 'BEGIN { srand(seed)
    for (i = 0; i < 9; i++) print 1735689600 + int(rand() * 49000000) }' | sort -n); do
    cut=$(date -u -d "@$cut" +%Y-%m-%dT%H:%M:%SZ)
    [[ $cut > $previous ]] || continue
    gpuaas-report cost --by project,type --from "$previous" --to "$cut" --json >> "$T/parts"
    previous=$cut
  done
  gpuaas-report cost --by project,type --from "$previous" --to "$end" --json >> "$T/parts"
  run_ok gpuaas-report cost --by project,type --from 2025-01-01 --to "$end"
  sum='group_by([.project, .type]) | map([.[0].project, .[0].type, (map(.cost_micros) | add),
    (map(.billed_gpu_seconds) | add), (map(.not_billed_gpu_seconds) | add)])'
  assert_equal "$(jq_in_order -cs "$sum" "$T/parts")" "$(jq_in_order -cs "$sum" <<< "$output")"
}

@test "FOCUS rows: the columns, months, and the same sums" {
  make_histories 11 150
  run_ok gpuaas-report cost --format focus --currency EUR --from 2025-01-15 --to 2025-12-24
  gpuaas-report cost --format focus --currency EUR --from 2025-01-15 --to 2025-12-24 > "$T/focus.csv"
  run_ok oracle focus "$GPUAAS_STATE" "$T/focus.csv" "$(date -u -d 2025-01-15 +%s)" \
    "$(date -u -d 2025-12-24 +%s)"
  # The mandatory columns of FOCUS 1.2, and lines that end as RFC 4180 has them.
  for column in BilledCost BillingAccountId BillingAccountName BillingCurrency BillingPeriodEnd \
    BillingPeriodStart ChargeCategory ChargeClass ChargeDescription ChargePeriodEnd ChargePeriodStart \
    ContractedCost EffectiveCost InvoiceIssuerName ListCost PricingQuantity PricingUnit ProviderName \
    PublisherName ServiceCategory ServiceName; do
    head -n 1 "$T/focus.csv" | tr -d '\r' | tr , '\n' | grep -qx "$column"
  done
  [[ $(head -n 1 "$T/focus.csv") == *$'\r' ]]
  # The sum of the rows is the record's.
  total=$(gpuaas-report cost --json --from 2025-01-15 --to 2025-12-24 | jq .cost_micros)
  assert_equal "$(python3 -c 'import csv, sys, fractions
print(sum(fractions.Fraction(r["BilledCost"]) for r in csv.DictReader(open(sys.argv[1], newline=""))) * 10**6)' \
    "$T/focus.csv")" "$total"
}

# But for RegionName, which has to be there where RegionId is, and the two that are not of FOCUS.
@test "FOCUS rows have the columns of the published sample, in its order" {
  sample=/work/shared/data/samples/focus.csv
  [[ -f $sample ]] || skip "$sample is missing"
  new_state
  assert_equal "$(gpuaas-report cost --format focus --currency USD | head -n 1 | tr -d '\r')" \
    "$(sed -n '1s/,RegionId,/,RegionId,RegionName,/p' "$sample"),x_GpuCount,x_ProfileVersion"
}

@test "FOCUS: the worked example, cell by cell" {
  new_state
  span active 2 5000000 2026-11-20T02:00:00.900000Z 2026-11-20T04:06:00.100000Z
  run_ok gpuaas-report cost --format focus --currency USD --from 2026-11-01 --to 2026-12-01
  output=$(python3 -c 'import csv, json, sys
for r in csv.DictReader(sys.stdin): print(json.dumps(r))' <<< "$output")
  jq_is '[.BilledCost, .ListUnitPrice, .PricingQuantity, .PricingUnit]|join(" ")' "21.00 5.00 4.2 GPU-Hours"
  jq_is '[.BillingPeriodStart, .BillingPeriodEnd]|join(" ")' "2026-11-01T00:00:00Z 2026-12-01T00:00:00Z"
  jq_is '[.ChargePeriodStart, .ChargePeriodEnd]|join(" ")' "2026-11-20T02:00:00Z 2026-11-20T04:06:00Z"
  jq_is '[.SkuId, .SubAccountId, .SubAccountType, .ResourceId, .RegionId, .BillingCurrency]|join(" ")' \
    "nvidia-h200-141gb vision Project 00000001 west USD"
  jq_is '[.SkuMeter, .SkuPriceId, .RegionName, .x_GpuCount, .x_ProfileVersion]|join(" ")' \
    "GPU time nvidia-h200-141gb/h200-slice west 2 1"
  jq_is '.SkuPriceDetails|fromjson|[.GpuCount, .x_AcceleratorType, .x_Profile]|join(" ")' \
    "1 nvidia-h200-141gb h200-slice"
  jq_is '.Tags|fromjson|."accelerator.opendatahub.io/type"' nvidia-h200-141gb
  jq_is '[.ChargeClass, .ResourceName]|join("")' ""
  jq_is .ChargeDescription "nvidia-h200-141gb, 2 GPUs for 7560 s"
  # A type that is not known has a SKU too, so that what is metered and its price have their parent.
  ID=00000002 TYPE=NULL span active 1 5000000 2026-11-20T02:00:00.000000Z 2026-11-20T03:00:00.000000Z
  run_ok gpuaas-report cost --format focus --currency USD --from 2026-11-01 --to 2026-12-01
  output=$(python3 -c 'import csv, json, sys
for r in csv.DictReader(sys.stdin): print(json.dumps(r))' <<< "$output")
  jq_is 'select(.ResourceId == "00000002")|[.SkuId, .SkuPriceId, .SkuPriceDetails]|join(" ")' \
    'gpu-unknown gpu-unknown/h200-slice {"GpuCount":1,"x_Profile":"h200-slice"}'
  jq_is 'select(.ResourceId == "00000002").ChargeDescription' "GPU of unknown type, 1 GPU for 3600 s"
  # The provider of the bill has a name.
  GPUAAS_PROVIDER='+Ops, "GPU"' run_ok gpuaas-report cost --format focus --currency USD --from 2026-11-01 \
    --to 2026-12-01
  assert_output "\"'+Ops, \"\"GPU\"\"\""
}

@test "only time in use is billed; the rest is shown by what it was" {
  new_state
  span provisioning 4 3600000000 2026-02-01T00:00:00.000000Z 2026-02-01T00:00:10.000000Z
  span active 4 3600000000 2026-02-01T00:00:10.000000Z 2026-02-01T00:01:10.000000Z
  span hold 4 3600000000 2026-02-01T00:01:10.000000Z 2026-02-01T00:02:00.000000Z
  span cleanup 4 3600000000 2026-02-01T00:02:00.000000Z 2026-02-01T00:02:05.000000Z
  run_ok gpuaas-report usage --from 2026-02
  jq_is '.from[:10] + " " + .to[:19]' "2026-02-01 2026-03-01T00:00:00"
  run_ok gpuaas-report usage --from 2026-02-01 --to 2026-03-01
  jq_is '[.active_gpu_seconds, .provisioning_gpu_seconds, .hold_gpu_seconds, .cleanup_gpu_seconds]|join(" ")' \
    "240 40 200 20"
  run_ok gpuaas-report cost --from 2026-02-01 --to 2026-03-01 --currency EUR
  jq_is '[.billed_gpu_seconds, .not_billed_gpu_seconds, .cost_micros, .currency]|join(" ")' \
    "240 260 240000000 EUR"
  run_ok gpuaas-report cost --from 2026-02-01 --to 2026-03-01 --table --by project --currency EUR
  assert_output "240.00"
  assert_output "0.067 GPU hours in use, 240.00 EUR"
  # A window within the span: to the second, whatever stands behind its point.
  run_ok gpuaas-report cost --from 2026-02-01T00:00:59Z --to 2026-02-01T00:01:09.999Z
  jq_is '[.billed_gpu_seconds, .cost_micros]|join(" ")' "40 40000000"
  run_ok gpuaas-report cost --from 2026-03-01 --to 2026-03-02
  jq_is '[.billed_gpu_seconds, .spans, .cost_micros, .price_min_micros]|map(tostring)|join(" ")' "0 0 0 null"
}

@test "midnight, a leap day, a year's end: UTC seconds and nothing else" {
  new_state
  span active 1 3600000000 2023-12-31T23:59:59.000000Z 2024-03-01T00:00:01.000000Z
  TZ=Europe/Berlin run_ok gpuaas-report cost --from 2024-02-29 --to 2024-03-01
  jq_is .billed_gpu_seconds 86400
  run_ok gpuaas-report cost --from 2024-01-01 --to 2024-03-01
  jq_is .billed_gpu_seconds $((60 * 86400))
  run_ok gpuaas-report cost --from 2023-01-01 --to 2025-01-01
  jq_is .billed_gpu_seconds $((60 * 86400 + 2))
  # Through the change to summer time of 2026 in Europe.
  ID=00000002 span active 1 3600000000 2026-03-28T00:00:00.000000Z 2026-03-30T00:00:00.000000Z
  TZ=Europe/Berlin run_ok gpuaas-report cost --from 2026-03-29 --to 2026-03-30
  jq_is .billed_gpu_seconds 86400
  # FOCUS cuts it at the months.
  run_ok gpuaas-report cost --format focus --currency EUR --from 2023-01-01 --to 2025-01-01
  assert_equal "$(grep -c Usage-Based <<< "$output")" 4
  run_status 2 gpuaas-report cost --from 2026-12-31T23:59:60Z
}

@test "a new price holds for what is placed from then on" {
  make_lab
  jq_in_order -c '.price_micros = 3600000000' "$SRC/share/objects/lab.json" | gpuaas-state apply - > "$T/made"
  gpuaas-place --profile lab --gpus 1 --project vision --name old | here gpuaas-provision > "$T/p"
  jq_in_order -c '.price_micros = 7200000000' "$SRC/share/objects/lab.json" | gpuaas-state apply - > "$T/made"
  gpuaas-place --profile lab --gpus 1 --project speech --name new | here gpuaas-provision > "$T/p"
  # Spans that are open go on: two seconds of each.
  counted()
  {
    gpuaas-report cost --from 1h --by project --json |
      jq -es 'length == 2 and all(.[]; .billed_gpu_seconds >= 2)' > "$T/counted"
  }
  wait_for 20 counted
  run_ok gpuaas-report cost --from 1h --by project,type,profile
  jq_is '[.project, .type, .profile, (.cost_micros / .billed_gpu_seconds), .price_min_micros]|
    map(tostring)|join(" ")' "speech nvidia-h200-141gb lab 2000000 7200000000
vision nvidia-h200-141gb lab 1000000 3600000000"
  jq_slurp_is 'map(.open_spans)|add' 2
  # The release ends billing at its request; what comes then is cleanup.
  gpuaas-release old > "$T/order"
  billed=$(gpuaas-report cost --from 1h --json --by project | jq 'select(.project=="vision").cost_micros')
  gpuaas-list usage | jq -e 'select(.project=="vision" and .usage_kind=="cleanup").ended_at == null' > "$T/open"
  here gpuaas-release - < "$T/order" > "$T/released"
  jq_in_order -c 'select(.kind=="gpuaas.wipe-order/1")' "$T/released" | here gpuaas-wipe > "$T/wiped"
  wait_for 20 counted
  run_ok gpuaas-report cost --from 1h --by project
  jq_is 'select(.project=="vision").cost_micros' "$billed"
  printf '%s\n' "$output" > "$T/records"
  run_ok oracle check "$GPUAAS_STATE" cost "$T/records"
}

@test "the type of an allocation is that of its devices, and stays" {
  make_lab
  gpuaas-place --profile lab --gpus 1 --project vision --name job | here gpuaas-provision > "$T/p"
  slot=$(gpuaas-list slots | jq -r 'select(.state=="active").slot')
  run_ok gpuaas-list allocations
  jq_is .type nvidia-h200-141gb
  for change in "UPDATE allocation SET accelerator_type = 'nvidia-b200', generation = generation + 1" \
    "UPDATE slot SET accelerator_type = 'nvidia-b200', generation = generation + 1 WHERE id = '$slot'" \
    "UPDATE claim SET accelerator_type = 'nvidia-b200'" \
    "UPDATE usage SET accelerator_type = 'nvidia-b200'"; do
    run state_sql "$change"
    [[ $status -ne 0 ]]
  done
  run_ok state_sql "SELECT DISTINCT accelerator_type FROM claim"
  assert_equal "$output" nvidia-h200-141gb
}

@test "a machine with GPUs of two types, sold whole, is billed by type" {
  setup_host lab1
  new_state
  gpuaas-state apply "$SRC/share/objects/lab-baremetal.json" > "$T/made"
  here gpuaas-discover > "$T/discovery"
  jq_in_order -c 'select(.kind != "gpuaas.end/1") | if .slot_index == 1 then
    .gpu.type = "nvidia-a100-sxm4-80gb" else . end' "$T/discovery" > "$T/other"
  jq_in_order -c --arg d "sha256:$(sha256sum < "$T/other" | cut -d ' ' -f 1)" \
    'select(.kind == "gpuaas.end/1") | .digest = $d' "$T/discovery" >> "$T/other"
  # shellcheck disable=SC2016 # for the inner shell
  here bash -c 'gpuaas-approve --all-ready < "$1" | gpuaas-wipe' - "$T/other" > "$T/wiped"
  run_ok gpuaas-list slots --where state=available
  jq_is .accelerator_type $'nvidia-h200-141gb\nnvidia-a100-sxm4-80gb'
  run_ok gpuaas-place --profile lab-baremetal --project vision
  id=$(jq -r .allocation <<< "$output")
  run_ok state_sql "SELECT coalesce(accelerator_type, 'several') FROM allocation"
  assert_equal "$output" several
  run_ok state_sql "SELECT accelerator_type FROM claim WHERE claim_kind = 'slot' ORDER BY 1"
  assert_equal "$output" $'nvidia-a100-sxm4-80gb\nnvidia-h200-141gb'
  unguarded
  state_sql "INSERT INTO usage (allocation_id, usage_kind, count, price_micros, started_at,
    ended_at, number, project, profile, node_id) SELECT id, 'active', 2, 1800,
    '2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:01.000000Z', number, project, profile,
    node_id FROM allocation WHERE id = '$id'"
  run_ok gpuaas-report cost --by type --from 2026-01-01 --to 2026-01-02
  jq_is '[.type, .billed_gpu_seconds, .cost_micros]|join(" ")' "nvidia-a100-sxm4-80gb 1 0
nvidia-h200-141gb 1 0"
  # The sum has the same parts, so that it is the sum of them.
  run_ok gpuaas-report cost --from 2026-01-01 --to 2026-01-02
  jq_is '[.billed_gpu_seconds, .cost_micros, .allocations]|join(" ")' "2 0 1"
}

@test "a state of before gets the types of its claims" {
  state_sql < "$SRC/tests/schemas/state-1.dump"
  state_sql "PRAGMA application_id=$((0x47505541)); PRAGMA user_version=1" \
    'PRAGMA journal_mode=WAL' > "$T/made"
  run_ok gpuaas-state migrate
  run_ok state_sql "SELECT DISTINCT accelerator_type FROM claim"
  assert_equal "$output" nvidia-h200-141gb
  run_ok gpuaas-report usage --by project,type --from 2026-11-21 --to 2026-11-21T01:47:02Z
  jq_is '[.project, .type, .allocations]|join(" ")' "vision nvidia-h200-141gb 1"
}

@test "metrics of what is open have the types that reports have, to the millionth" {
  local seed=${GA_SEED-$((RANDOM * 32768 + RANDOM))} id=00000001
  make_histories "$seed" 150
  gpuaas-export openmetrics > "$T/metrics"
  run_ok oracle open "$GPUAAS_STATE" "$T/metrics"
  # An hour of machines with several types, sold whole, costs what the metrics say.
  rm "$GPUAAS_STATE"*
  new_state
  SHAPE=baremetal TYPE=NULL span active 8 24799999 2026-02-01T00:00:00.000000Z ''
  state_sql .schema | grep -o 'CREATE TRIGGER [a-z_]*' | sed 's/CREATE/DROP/; s/$/;/' |
    state_sql
  for slot in 1:gpu-a 2:gpu-a 3:gpu-b; do
    state_sql "INSERT INTO slot (id, node_id, slot_index, since) VALUES
        ('s${slot%:*}', 'h1', ${slot%:*}, 'x');
      INSERT INTO claim (id, allocation_id, node_id, slot_id, claim_kind, live, created_at, ended_at,
        accelerator_type) VALUES ('c${slot%:*}', '$id', 'h1', 's${slot%:*}', 'slot', 0, 'x', 'x',
        '${slot#*:}')"
  done
  gpuaas-export openmetrics | sed -n 's/^gpuaas_usage_open_cost_per_hour{type="\(.*\)"} /\1 /p' |
    tr -d . | sort > "$T/metrics"
  run_ok gpuaas-report cost --by type --from 2026-02-01 --to 2026-02-01T01:00:00Z
  assert_equal "$(jq -r '"\(.type // "unknown") \(.cost_micros)"' <<< "$output" | sort)" "$(< "$T/metrics")"
  assert_equal "$(< "$T/metrics")" $'gpu-a 49599998\ngpu-b 24799999\nunknown 123999995'
}

@test "what if it had been another type: a question with its basis, never recorded" {
  new_state
  { profile h200-slice nvidia-h200-141gb 5000000; profile a100-slice nvidia-a100-sxm4-80gb 3000000; } |
    gpuaas-state apply - > "$T/made"
  span active 2 5000000 2026-11-20T02:00:00.000000Z 2026-11-20T04:06:00.000000Z
  before=$(state_sql .dump | sha256sum)
  run_ok gpuaas-report cost --from 2026-11-01 --to 2026-12-01 --by project \
    --what-if type=nvidia-a100-sxm4-80gb
  jq_is '[.cost_micros, .what_if.cost_micros, .what_if.difference_micros, .what_if.price_micros]|join(" ")' \
    "21000000 12600000 -8400000 3000000"
  jq_is '[.what_if.type, .what_if.profile, .what_if.profile_version]|join(" ")' \
    "nvidia-a100-sxm4-80gb a100-slice 1"
  jq_is '.what_if.basis|contains("same GPU seconds")' true
  assert_equal "$(state_sql .dump | sha256sum)" "$before"
  # Two profiles that disagree: whose price?
  profile a100-cheap nvidia-a100-sxm4-80gb 1000000 | gpuaas-state apply - > "$T/made"
  run_status 4 gpuaas-report cost --what-if type=nvidia-a100-sxm4-80gb
  assert_stderr "a100-cheap at 1.00, a100-slice at 3.00"
  assert_stderr "profile=a100-cheap"
  run_ok gpuaas-report cost --from 2026-11-01 --to 2026-12-01 \
    --what-if type=nvidia-a100-sxm4-80gb,profile=a100-cheap
  jq_is .what_if.cost_micros 4200000
  run_status 5 gpuaas-report cost --what-if type=nvidia-b200
  assert_stderr "no profile names the type 'nvidia-b200-180gb'"
  run_status 5 gpuaas-report cost --what-if type=nvidia-a100-sxm4-80gb,profile=h200-slice
  local bad
  for bad in nvidia-b200 profile=x type= type=a,type=b type=a,colour=red "type=a,"; do
    run_status 2 gpuaas-report cost --what-if "$bad"
  done
}

# what_if TYPE: the question, its answer's type and cost
what_if()
{
  run_ok gpuaas-report cost --from 2026-11-01 --to 2026-12-01 --what-if "type=$1"
  jq_is '[.what_if.type, .what_if.cost_micros] | join(" ")' "$2"
}

@test "what if: a type by whatever name it has, and refusals of what is none or several" {
  new_state
  { profile h200-slice nvidia-h200-141gb 5000000; profile a100-slice nvidia-a100-sxm4-80gb 3000000; } |
    gpuaas-state apply - > "$T/made"
  span active 2 5000000 2026-11-20T02:00:00.000000Z 2026-11-20T04:06:00.000000Z
  what_if nvidia-a100-sxm4-80gb 'nvidia-a100-sxm4-80gb 12600000'
  assert_equal "$stderr" ""
  # The label, the driver's name, and an alias in other letters.
  local name
  for name in NVIDIA-A100-SXM4-80GB 'NVIDIA A100-SXM4-80GB' a100-sxm4-80gb; do
    what_if "$name" 'nvidia-a100-sxm4-80gb 12600000'
    assert_stderr "type '$name' is nvidia-a100-sxm4-80gb"
  done
  what_if H200,profile=h200-slice 'nvidia-h200-141gb 21000000'
  # Of the A100s one has a price: it is that.
  what_if a100 'nvidia-a100-sxm4-80gb 12600000'
  assert_stderr "type 'a100' is taken as nvidia-a100-sxm4-80gb: there is one price, nvidia-a100-sxm4-80gb at 3.00"
  what_if a100,profile=a100-slice 'nvidia-a100-sxm4-80gb 12600000'
  # Two at one price are one answer; at two prices nobody chooses for whoever asks.
  profile a100-pcie nvidia-a100-pcie-80gb 3000000 | gpuaas-state apply - > "$T/made"
  what_if a100 'nvidia-a100-pcie-80gb 12600000'
  profile a100-pcie nvidia-a100-pcie-80gb 2000000 | gpuaas-state apply - > "$T/made"
  run_status 2 gpuaas-report cost --what-if type=a100
  assert_stderr "'a100' means several types with several prices: nvidia-a100-pcie-80gb at 2.00, nvidia-a100-sxm4-80gb at 3.00"
  assert_equal "$output" ""
  what_if a100,profile=a100-pcie 'nvidia-a100-pcie-80gb 8400000'
  profile a100-dear nvidia-a100-sxm4-80gb 9000000 | gpuaas-state apply - > "$T/made"
  run_status 2 gpuaas-report cost --what-if type=a100-80gb
  assert_stderr "nvidia-a100-sxm4-80gb at several prices"
  # Which V100 is not said, and none has a price.
  run_status 2 gpuaas-report cost --what-if type=v100
  assert_stderr "'v100' means one of several types: nvidia-v100-pcie-16gb, nvidia-v100-pcie-32gb"
  run_status 2 gpuaas-report cost --what-if type=A100-SXM4-80GB-MIG-1g.10gb
  assert_stderr "'A100-SXM4-80GB-MIG-1g.10gb' is a part of a GPU"
  GPUAAS_ERRORS=json run_status 2 gpuaas-report cost --what-if type=nvidia-a101-sxm4-80gb
  assert_stderr "'nvidia-a101-sxm4-80gb' is no type of the catalogue; near to it: nvidia-a100-sxm4-80gb"
  assert_stderr '"reason":"unknown_type"'
  # A type that a profile names has a price, also where the drop-in that describes it is missing.
  profile own-slice acme-x1-64gb 1000000 | gpuaas-state apply - > "$T/made"
  what_if acme-x1-64gb 'acme-x1-64gb 4200000'
  run_status 2 gpuaas-report cost --what-if type=acme-x1-64gb,profile=h200-slice
  assert_stderr "'acme-x1-64gb' is no type of the catalogue"
}

@test "random histories: the what-if of every group" {
  make_histories "${GA_SEED-$((RANDOM * 32768 + RANDOM))}" 80
  profile p9 nvidia-b200-180gb 1234567 | gpuaas-state apply - > "$T/made"
  run_ok gpuaas-report cost --by project,type --from 2025-01-01 --what-if type=nvidia-b200-180gb
  printf '%s\n' "$output" > "$T/records"
  run_ok oracle check "$GPUAAS_STATE" cost "$T/records" 1234567
}

@test "records match their schema, tables are aligned also with hostile words" {
  make_histories 5 100
  profile p9 nvidia-b200-180gb 1 | gpuaas-state apply - > "$T/made"
  { gpuaas-report cost --by project,node,profile,allocation --from 2025-01-01 --json
    gpuaas-report cost --by project --from 2025-01-01 --what-if type=nvidia-b200-180gb --json
    gpuaas-report usage --from 2025-01-01 --json; } > "$T/records"
  run_ok "$SRC/tests/validate" "$SRC/share/schema" < "$T/records"
  run_ok gpuaas-report cost --by type --from 2025-01-01 --format table
  assert_output '-"x",\x0a'
  # Every row but the total ends where the head does: the numbers of the last column stand on its right.
  while IFS= read -r row; do
    [[ $row == *"GPU hours in use"* || ${#row} == "${#lines[0]}" ]]
  done <<< "$output"
}

@test "tables show costs in cents, prices and records to the millionth" {
  new_state
  span active 1 6972000 2026-02-01T00:00:00.000000Z 2026-02-01T00:16:40.000000Z
  ID=00000002 PROJECT=small span active 1 1 2026-02-01T00:00:00.000000Z 2026-02-01T01:00:00.000000Z
  profile p9 nvidia-b200-180gb 1000001 | gpuaas-state apply - > "$T/made"
  run_ok gpuaas-report cost --from 2026-02 --by project --what-if type=nvidia-b200-180gb --currency EUR --json
  jq_slurp_is 'map([.cost_micros, .price_min_micros, .what_if.difference_micros]|join(" "))|join(",")' \
    "1 1 1000000,1936667 6972000 -1658889"
  run_ok gpuaas-report cost --from 2026-02 --by project --what-if type=nvidia-b200-180gb --currency EUR --table
  refute_output "1.936667"
  [[ ${lines[2]} =~ \ vision\ .*\ 1\.94\ .*\ 0\.28\ +-1\.66$ ]]
  # An amount that would be 0 stays.
  [[ ${lines[1]} =~ \ small\ .*\ 0\.000001\ .*\ 1\.00\ +1\.00$ ]]
  assert_output " GPU hours in use, 1.94 EUR"
  run_ok gpuaas-profile show p9 --table
  assert_output "1.000001"
}

@test "a wrong question is refused with what would be right" {
  new_state
  run_status 2 gpuaas-report cost --from 2026-02-02 --to 2026-02-01
  assert_stderr "there is no time from 2026-02-02T00:00:00Z to 2026-02-01T00:00:00Z"
  run_status 2 gpuaas-report cost --from 2026-02-02 --to 2026-02-02
  run_status 2 gpuaas-report cost --from yesterday
  assert_stderr "24h for so long ago"
  run_status 2 gpuaas-report cost --from 2026-02-30
  run_status 2 gpuaas-report cost --to 2026-2-1
  run_status 2 gpuaas-report cost --by colour
  assert_stderr "team project type profile node allocation"
  run_status 2 gpuaas-report cost --by project,
  run_status 2 gpuaas-report cost --by project,,type
  run_status 2 gpuaas-report cost --format xml
  run_status 2 gpuaas-report usage --format focus
  run_status 2 gpuaas-report usage --what-if type=x
  run_status 2 gpuaas-report cost --format focus
  assert_stderr "GPUAAS_CURRENCY"
  run_status 2 gpuaas-report cost --currency euro
  run_status 2 gpuaas-report cost --format focus --currency EUR --by project
  run_status 2 gpuaas-report
  run_status 5 gpuaas-report cost --state "$T/none"
}

@test "what contradicts itself or cannot be said is refused, with its cause" {
  local two
  new_state
  for two in 'json --table' 'table --json' 'focus --json' 'focus --table'; do
    # shellcheck disable=SC2086 # two words
    run_status 2 gpuaas-report cost --currency EUR --format $two
    assert_stderr "--format ${two% *} and ${two#* } exclude each other"
    assert_equal "$output" ""
  done
  run_status 2 gpuaas-report usage --json --format table
  run_ok gpuaas-report usage --format json --json
  run_ok gpuaas-report usage --format table --table
  # A duration has a bound, and the refusal names it.
  run_ok gpuaas-report usage --from 3660d
  run_status 2 gpuaas-report usage --from 36500d
  assert_stderr "--from: '36500d' is neither a time, a day, a month nor a duration of at most 3660d"
  # An option of other programs names the one that has its meaning here.
  run_status 2 gpuaas-report cost --since 24h
  assert_stderr "unknown option '--since'"
  assert_stderr "hint: here --from has that meaning"
  run_status 2 gpuaas-list usage --from 24h
  assert_stderr "hint: here --since has that meaning"
  # The issuer of the bill is text.
  GPUAAS_PROVIDER=$'a\xffb' run_status 2 gpuaas-report cost --format focus --currency EUR
  assert_stderr "GPUAAS_PROVIDER"
  assert_equal "$output" ""
  GPUAAS_PROVIDER=$'a\xffb' run_ok gpuaas-report cost
  # FOCUS is no way out of a question that it refuses.
  profile dear nvidia-b200-180gb 1000000000000 | gpuaas-state apply - > "$T/made"
  span active 65536 1 2020-01-01T00:00:00.000000Z 2026-01-01T00:00:00.000000Z
  run_ok gpuaas-report cost --from 2020-01-01 --to 2026-01-01
  run_status 4 gpuaas-report cost --from 2020-01-01 --to 2026-01-01 --what-if type=nvidia-b200-180gb
  assert_stderr "ask for less time or group by more"
  refute_stderr FOCUS
}

@test "prices: negative and absurd ones are refused when they are applied" {
  new_state
  local price
  for price in -1 1000000000001 9007199254740991 1.5 '"5"'; do
    profile p nvidia-h200-141gb "$price" > "$T/profile"
    run_status 3 gpuaas-state apply "$T/profile"
    assert_stderr price_micros
  done
  run_ok gpuaas-list profiles
  assert_equal "$output" ""
  profile p nvidia-h200-141gb 1000000000000 | gpuaas-state apply - > "$T/made"
  run_ok gpuaas-list profiles
  jq_is .price_micros 1000000000000
}

@test "a sum beyond the integers of records is refused, and FOCUS has it" {
  new_state
  span active 65536 9007199254740991 2020-01-01T00:00:00.000000Z 2026-01-01T00:00:00.000000Z
  run_status 4 gpuaas-report cost --from 2020-01-01 --to 2026-01-01
  assert_stderr "too large"
  assert_stderr "FOCUS rows have no such limit"
  gpuaas-report cost --from 2020-01-01 --to 2026-01-01 --format focus --currency IRR > "$T/focus.csv"
  run_ok oracle focus "$GPUAAS_STATE" "$T/focus.csv" "$(date -u -d 2020-01-01 +%s)" \
    "$(date -u -d 2026-01-01 +%s)"
  # Spans that no program of ours writes are named, not counted.
  unguarded
  ID=00000002 span active -1 5 2026-01-01T00:00:00.000000Z 2026-01-02T00:00:00.000000Z
  run_status 10 gpuaas-report usage --from 2025-12-01 --to 2026-02-01
  assert_stderr "of allocation '00000002' cannot be counted: its GPUs or its price"
}

@test "spans that end before they begin, last for ever or have no GPUs break no report" {
  new_state
  unguarded
  ID=00000001 span active 1 3600000000 2026-02-01T00:00:00.000000Z 2026-02-01T01:00:00.000000Z
  ID=00000002 span active 8 3600000000 2026-02-03T00:00:00.000000Z 2026-01-01T00:00:00.000000Z
  ID=00000003 span active 0 3600000000 2026-02-01T00:00:00.000000Z 2026-02-01T01:00:00.000000Z
  ID=00000004 span active 1 0 0001-01-01T00:00:00.000001Z 9999-12-31T23:59:59.999999Z
  run_ok gpuaas-report cost --from 2026-01-01 --to 2026-03-01 --by allocation
  jq_slurp_is 'map([.allocation, .billed_gpu_seconds, .cost_micros]|join(" "))|join(", ")' \
    "00000001 3600 3600000000, 00000003 0 0, 00000004 5097600 0"
  # One that was used for ever at the highest price there is.
  ID=00000005 span active 65536 9007199254740991 0001-01-01T00:00:00.000001Z 9999-12-31T23:59:59.999999Z
  run_status 4 gpuaas-report cost --from 0001-01-02 --to 9999-12-31
  assert_stderr "too large"
  run_ok gpuaas-report usage --from 2026-01-01 --to 2026-03-01
  gpuaas-report cost --from 2026-01-01 --to 2026-03-01 --format focus --currency IRR > "$T/focus.csv"
  run_status 1 gpuaas-state check
  jq_slurp_is '[.[] | select(.check == "billing") | .object] | unique | join(" ")' 00000002
}

@test "a span whose times are none is named in every report" {
  local n=10000000 begins ends from
  new_state
  unguarded
  while IFS='|' read -r begins ends; do
    n=$((n + 1))
    ID=$n span active 1 5 "$begins" "$ends"
    for from in 1970-01-01 2026-02-02; do
      run_status 10 gpuaas-report usage --from $from --to 2027-01-01
      assert_stderr "of allocation '$n' cannot be counted: its times are none"
    done
    state_sql 'DROP TRIGGER IF EXISTS usage_kept' 'DELETE FROM usage'
  done << 'END'
yesterday|
2026-02-01|2026-02-03T00:00:00.000000Z
2026-02-01T00:00:00.000000Z|later
2026-02-01T00:00:00.000000Z|2026-13-01T00:00:00.000000Z
2026-02-01T00:00:00.000000+01:00|
2460000.5|2026-02-03T00:00:00.000000Z
2026-02-30T00:00:00.000000Z|2026-03-03T00:00:00.000000Z
2026-02-01T24:00:00.000000Z|2026-02-03T00:00:00.000000Z
0000-12-31T00:00:00.000000Z|
2026-02-01T00:00:00.Z|2026-02-03T00:00:00.000000Z
2026-02-01T00:00:00.0Z|2026-02-03T00:00:00.0Z0Z
2026-02-01T00:00:00Z|2026-02-03T00:00:00 and a bit Z
END
}

@test "use by the user who requested it" {
  new_state
  ID=00000001 span active 2 1000000 2026-01-01T00:00:00.000000Z 2026-01-01T01:00:00.000000Z
  ID=00000002 span active 1 1000000 2026-01-01T00:00:00.000000Z 2026-01-01T02:00:00.000000Z
  state_sql "INSERT INTO allocation (id, request, project, shape, count, since, node_id, accelerator_type, profile,
    profile_version, profile_record, price_micros, created_at, created_by) SELECT '00000003', request, project, shape,
    count, since, node_id, accelerator_type, profile, profile_version, profile_record, price_micros, created_at, 'you'
    FROM allocation WHERE id = '00000002'"
  ID=00000003 span active 1 1000000 2026-01-01T00:00:00.000000Z 2026-01-01T00:30:00.000000Z
  run_ok gpuaas-report usage --by user --from 2026-01-01 --to 2026-01-02
  jq_is '"\(.user) \(.allocations) \(.active_gpu_seconds) \(.project)"' "me 2 14400 null
you 1 1800 null"
  run_ok gpuaas-report cost --by project,user --from 2026-01-01 --to 2026-01-02
  jq_is '"\(.project) \(.user) \(.cost_micros)"' "vision me 4000000
vision you 500000"
  run_ok gpuaas-report usage --by project --from 2026-01-01 --to 2026-01-02
  jq_is .user null
  run_ok gpuaas-report usage --by user --from 2026-01-01 --to 2026-01-02 --table
  assert_output USER
}
