# SPDX-License-Identifier: Apache-2.0
# gpuaas-match: requirements against the profiles of a state with H200, A100 and V100.

load helper

# fleet SLUG NAME DEVICE NUMBER: a node with eight free GPUs of a type.
fleet()
{
  sed "s/nvidia-h200-141gb/$1/g; s/NVIDIA H200 141GB/$2/g; s/\"2335\"/\"$3\"/g" "$T/pattern" |
    "$GPUAAS_BUILD/bench/fleet" "$GPUAAS_STATE" 1 "$4"
}

# profile NAME TYPE PRICE [FILTER]
profile()
{
  jq_in_order -c --arg name "$1" --arg type "$2" --argjson price "$3" \
    ".name = \$name | .types = [\$type] | .price_micros = \$price | .counts = [1] |
    .vcpus_per_gpu = 4 | .memory_mib_per_gpu = 8192 | ${4-.}" \
    "$SRC/share/objects/h200-slice.json" | gpuaas-state apply - > "$T/applied"
}

setup()
{
  common_setup
  export GPUAAS_ESTIMATORS_DIR=$T/estimators.d
  setup_host h200
  in_host gpuaas-discover > "$T/pattern"
  gpuaas-state init --lab > "$T/made"
  profile premium nvidia-h200-141gb 5000000
  profile standard nvidia-a100-sxm4-80gb 3000000
  profile basic nvidia-v100-sxm2-16gb 1500000
  fleet nvidia-h200-141gb 'NVIDIA H200 141GB' 2335 1
  fleet nvidia-a100-sxm4-80gb 'NVIDIA A100 80GB' 20b2 2
  fleet nvidia-v100-sxm2-16gb 'NVIDIA V100 16GB' 1db1 3
  # The profiles name none: requests do, and without any image nothing is placed.
  image base
  GPT2=(--model-params 1.5B --samples 100000 --sequence-tokens 1024 --epochs 3)
}

# withdraw TYPE: its node is drained, nothing of it can be had.
withdraw()
{
  local node
  node=$(gpuaas-list slots | jq -r --arg t "$1" 'select(.accelerator_type==$t).node' | head -n 1)
  gpuaas-node drain "$node" --reason test > "$T/drained"
}

estimator()
{
  printf '#!/bin/bash\n%s\n' "$2" > "$T/$1"
  chmod +x "$T/$1"
}

@test "without a requirement it is the list of offers, by price" {
  run_ok gpuaas-match --json
  jq_is '"\(.rank) \(.profile) \(.accelerator_type) \(.availability) \(.available_count) \(.cost_per_hour_micros)"' \
    "1 basic nvidia-v100-sxm2-16gb now 8 1500000
2 standard nvidia-a100-sxm4-80gb now 8 3000000
3 premium nvidia-h200-141gb now 8 5000000"
  run_ok gpuaas-match --table
  assert_output 'NVIDIA H200 141GB'
}

# heading NAME: the word of each row of a table below that heading
heading()
{
  local head at
  head=$(head -n 1 <<< "$output")
  [[ $head == *"$1"* ]] || { echo "no column $1: $head"; return 1; }
  at=${head%%"$1"*}
  tail -n +2 <<< "$output" | cut -c "$((${#at} + 1))-" | awk '{ print $1 }'
}

@test "a requirement in a pipe is read with -, and refused without it" {
  echo '{"kind":"gpuaas.requirement/1","memory_mib":81920}' > "$T/requirement.json"
  run_ok gpuaas-match - < "$T/requirement.json"
  run_status 2 gpuaas-match < "$T/requirement.json"
  assert_output ""
  assert_stderr "records wait on standard input, and this command does not read them"
  assert_stderr "hint: 'gpuaas-match -' reads a requirement"
  { echo; cat "$T/requirement.json"; } > "$T/blank.json"
  run_status 2 gpuaas-match < "$T/blank.json"
  mkfifo "$T/pipe"
  exec 9<> "$T/pipe"
  run_ok gpuaas-match <&9
  cat "$T/requirement.json" >&9
  run_status 2 gpuaas-match --team t1 <&9
  assert_stderr "records wait on standard input"
  # In a loop over records the options are the requirement.
  run_ok gpuaas-match --memory 16GB <&9
  # A stage that begins later than this one is waited for.
  run bash -c 'exec 2>&1; { cat "$T/requirement.json" | jq -c .; } | gpuaas-match'
  assert_status 2
  # They still wait there.
  read -r line <&9
  assert_equal "$line" "$(< "$T/requirement.json")"
  exec 9>&-
}

@test "one currency for every price that is shown, or none" {
  export GPUAAS_CURRENCY=EUR
  estimator theirs 'cat > "$0.in"; echo "[]"'
  run_ok gpuaas-profile list --public --json
  jq_is .currency $'EUR\nEUR\nEUR'
  run_ok gpuaas-profile list --table
  assert_equal "$(heading PRICE/GPU-HOUR | paste -sd ' ') $(heading CURRENCY | paste -sd ' ')" "1.50 5.00 3.00 EUR EUR EUR"
  run_ok gpuaas-match --json --max-cost-per-hour 2 --estimator "$T/theirs" --model-params 1B --train-tokens 1B
  jq_is .currency $'EUR\nEUR\nEUR'
  jq_is 'select(.profile == "premium").reasons[] | select(.code == "slo_cost").sentence' \
    'an hour costs 5.00 EUR, and at most 2.00 is wanted'
  assert_equal "$(jq -r '[.profiles[] | .currency] | unique | @json' "$T/theirs.in")" '["EUR"]'
  run_ok gpuaas-match --table
  assert_equal "$(heading PRICE/HOUR | paste -sd ' ') $(heading CURRENCY | paste -sd ' ')" "1.50 3.00 5.00 EUR EUR EUR"
  run_ok gpuaas-report cost --json
  jq_is .currency EUR
  profile cheap nvidia-h200-141gb 4000000
  run_status 4 gpuaas-report cost --what-if type=h200
  assert_stderr "several prices: cheap at 4.00 EUR, premium at 5.00 EUR"
  # The record that is kept has none, and where none is set nobody makes one up.
  run_ok gpuaas-list profiles
  refute_output currency
  unset GPUAAS_CURRENCY
  run_ok gpuaas-profile list --table
  refute_output CURRENCY
  run_ok gpuaas-match --json --max-cost-per-hour 2
  jq_is 'select(.profile == "premium") | [.currency, (.reasons[] | select(.code == "slo_cost").sentence)] | @json' \
    '[null,"an hour costs 5.00, and at most 2.00 is wanted"]'
  run_status 4 gpuaas-report cost --what-if type=h200
  assert_stderr "cheap at 4.00, premium at 5.00"
}

@test "GPT-2: memory first, then time ranges with their basis, then what it costs" {
  run_ok gpuaas-match --json "${GPT2[@]}"
  jq_is '"\(.rank) \(.profile) \(.fits) \(.seconds_low) \(.seconds) \(.seconds_high) \(.cost_micros) \(.confidence)"' \
    "1 premium true 6317 7140 10908 9916667 similar
2 standard true 14097 16059 22803 13382500 measured
3 basic false null null null null null"
  jq_is 'select(.profile=="basic") | .reasons[0].code, .memory_needed_mib' "memory_too_small
22889"
  # The published 2.1 and 5.3 hours lie in the ranges.
  jq_slurp_is 'map(select(.fits) | ({premium: 7560, standard: 19080}[.profile]) as $said |
    .seconds_low <= $said and $said <= .seconds_high)' '[
  true,
  true
]'
}

@test "GPT-2: 2.1, 5.3 and 18.7 hours cost 10.50, 15.90 and 28.05" {
  profile basic nvidia-v100-sxm2-32gb 1500000
  profile small nvidia-v100-sxm2-16gb 1500000
  estimator theirs 'cat > "$0.in"; echo "[{\"profile\":\"premium\",\"hoursLow\":1.9,\"hours\":2.1,\"hoursHigh\":2.5,
    \"basis\":\"example\"},{\"profile\":\"standard\",\"hours\":5.3},{\"profile\":\"basic\",\"hours\":18.7},
    {\"profile\":\"small\",\"hours\":18.7}]"'
  run_ok gpuaas-match --json "${GPT2[@]}" --estimator "$T/theirs"
  # A profile that is too small has no time, whatever an estimator says.
  jq_is '"\(.profile) \(.seconds) \(.cost_micros) \(.confidence) \(.basis)"' \
    "premium 7560 10500000 external theirs: example
standard 19080 15900000 external theirs: it gives no basis for that
basic 67320 28050000 external theirs: it gives no basis for that
small null null null null"
  jq_is 'select(.profile=="small").reasons[].code' memory_too_small
  # Where a time is known, it is not said that none is.
  jq_is 'select(.profile=="basic").unknown[].code' memory
  assert_equal "$stderr" ""
  run_ok gpuaas-match --json "${GPT2[@]}"
  jq_is 'select(.profile=="basic").unknown[].code' "memory
no_basis"
  run_ok jq_in_order -c '[.job.tokens, (.profiles[] | .profile, .gpus), (.profiles[] | select(.profile=="premium") |
    .acceleratorType, .memoryGb, .bf16Tflops)]' "$T/theirs.in"
  assert_output '[307200000,"basic",1,"premium",1,"standard",1,"nvidia-h200-141gb",141,989.5]'
}

@test "the parameters of a built-in model make a time where all of them work on each token" {
  estimator theirs 'cat > "$0.in"; echo "[]"'
  run_ok gpuaas-match --json --model llama3.1-8b --method lora --train-tokens 1B --estimator "$T/theirs"
  jq_is 'select(.profile=="premium") | .seconds, .confidence' "99259
similar"
  assert_equal "$(jq .job.params "$T/theirs.in")" 8000000000
  run_ok gpuaas-match --json --model mixtral-8x7b --method lora --train-tokens 1B --estimator "$T/theirs"
  jq_is 'select(.profile=="premium") | .seconds, (.unknown[] | select(.code=="no_basis").sentence)' "null
no time: a model of experts does not use all its parameters at once"
  assert_equal "$(jq .job.params "$T/theirs.in")" null
}

@test "an estimator gets one GPU, also of a card that has several" {
  profile dual amd-mi250x-128gb 1000000
  profile quad nvidia-a16-16gb 1000000
  profile old nvidia-k80-12gb 1000000
  estimator theirs 'cat > "$0.in"; echo "[]"'
  run_ok gpuaas-match --json --model-params 100M --train-tokens 1B --estimator "$T/theirs"
  # A link goes from GPU to GPU, and each of the two has all of it; power is always of the card.
  run_ok jq_in_order -c '.profiles[] | select(.profile | IN("dual", "quad", "old")) |
    [.profile, .gpus, .memoryGb, .memoryBandwidthGBs, .bf16Tflops, .fp16Tflops, .fp8Tflops, .linkGBs, .tdpW]' "$T/theirs.in"
  assert_equal "$output" '["dual",1,64,1638.4,191.5,191.5,null,400,280]
["old",1,12,240,null,null,null,null,150]
["quad",1,16,200,null,18.43,null,null,62.5]'
}

@test "measured: 120 against 75 tokens/s, and what is lost where the better one is gone" {
  cat > "$T/runs.json" <<'END'
{"hardware_configuration":"H200 x 1","tps_mean":120,"e2e_p99":400.2,"model":"llama-7b"}
[{"customProperties":{"hardware_type":{"metadataType":"x","string_value":"nvidia-a100-sxm4-80gb"},
  "hardware_count":{"int_value":"1"},"requests_per_second":{"double_value":1.5}},"mean_output_tokens":50,
  "model_name":"LLaMA-7B"}]
{"hardware":"no such thing","tps_mean":1}
END
  run_status 2 gpuaas-match --measured "$T/runs.json"
  assert_stderr 'several models'
  run_ok gpuaas-match --json --model llama-7b --measured "$T/runs.json" --tokens-per-second 100
  assert_stderr '1 record of --measured is of hardware'
  jq_is '"\(.profile) \(.fits) \(.slo) \(.tokens_per_second_milli) \(.p99_ms) \([.reasons[].code]|join(","))|"' \
    "premium true met 120000 401 |
basic null unknown null null |
standard false missed 75000 null slo_tokens|"
  withdraw nvidia-h200-141gb
  run_ok gpuaas-match --json --model llama-7b --measured "$T/runs.json" --tokens-per-second 100
  jq_is 'select(.fallback and .profile=="standard").fallback' 'A100 instead of H200, which is not available now: 75 instead of 120 tokens/s'
  # 401 ms were measured on one.
  run_ok gpuaas-match --json --model llama-7b --measured "$T/runs.json" --max-latency-ms 401
  jq_is 'select(.profile=="premium").slo' met
  run_status 1 gpuaas-match --json --model llama-7b --measured "$T/runs.json" --max-latency-ms 400
  jq_is 'select(.profile=="premium") | .slo, .reasons[0].code' "missed
slo_latency"
}

@test "published throughput, with its basis; none is made up" {
  profile four nvidia-h200-141gb 4000000 '.counts = [8]'
  run_ok gpuaas-match --json --model Llama2-70B
  jq_is 'select(.profile=="premium") | .tokens_per_second_milli, .confidence' "4150550
similar"
  jq_is 'select(.profile=="premium").basis | test("mlperf-inference-5.1.* 14 runs on 8 GPUs, scaled by the number of GPUs$")' true
  jq_is 'select(.profile=="four") | .tokens_per_second_milli, .confidence' "33204400
measured"
  jq_is 'select(.profile=="standard" or .profile=="basic") | .tokens_per_second_milli, .reasons[0].code' "null
memory_too_small
null
memory_too_small"
  run_ok gpuaas-match --json --model llama3.1-8b
  jq_is 'select(.profile=="standard") | .tokens_per_second_milli, ([.unknown[].code] | join(","))' "null
memory,no_basis"
  run_status 1 gpuaas-match --json --model nobody-has-it
  jq_slurp_is 'map(.tokens_per_second_milli == null and .unknown[1].code == "no_basis") | all' true
}

# image [NAME]: a verified copy of it on every node.
image()
{
  local digest name=${1-big}
  digest=sha256:$(printf 'a%.0s' {1..64})
  jq_in_order -cn --arg d "$digest" --arg name "$name" '{kind:"gpuaas.image/1",name:$name,digest:$d,format:"raw",file_bytes:1048576,
    size_bytes:1048576,firmware:"bios",probe:"running",user:"ubuntu"}' | gpuaas-state apply - > "$T/applied"
  gpuaas-list nodes | jq_in_order -c --arg d "$digest" --arg name "$name" '{kind:"gpuaas.node-image/1",node,image:$name,
    digest:$d,path:"/images/big.raw",verified_at:"2026-11-20T00:00:00.000000Z"}' | gpuaas-state apply - > "$T/applied"
}

@test "the choice is deployed, and its figures stay with the allocation" {
  # No node has the image yet: placement would refuse the request.
  run_status 1 gpuaas-match --json "${GPT2[@]}" --request --project vision --name tune --image big
  assert_stderr "only nodes with a verified copy of image 'big' count (gpuaas-image prewarm)"
  run_ok gpuaas-match --json "${GPT2[@]}" --image big
  jq_is 'select(.profile=="premium") | "\(.fits) \(.availability) \(.available_count)"' "true none 0"
  image
  run_ok gpuaas-match --json "${GPT2[@]}" --request --project vision --name tune --image big
  jq_is '"\(.kind) \(.profile) \(.types[0]) \(.count) \(.project) \(.match.seconds) \(.match.cost_micros)"' \
    'gpuaas.request/1 premium nvidia-h200-141gb 1 vision 7140 9916667'
  printf '%s\n' "$output" > "$T/request"
  run_ok gpuaas-place < "$T/request"
  jq_is '"\(.kind) \(.profile) \(.project)"' 'gpuaas.plan/1 premium vision'
  allocation=$(jq -r .allocation <<< "$output")
  run_ok gpuaas-show "$allocation" --json
  jq_is 'select(.kind=="gpuaas.allocation-match/1") |
    "\(.allocation) \(.match.accelerator_type) \(.match.seconds_low) \(.match.cost_micros) \(.match.confidence)"' \
    "$allocation nvidia-h200-141gb 6317 9916667 similar"
  run_ok gpuaas-show "$allocation" --table
  assert_output 'not measured on the type'
}

@test "matches are no request: gpuaas-place passes them on, and says that nothing is placed" {
  gpuaas-match "${GPT2[@]}" > "$T/matches"
  run_status 2 gpuaas-place < "$T/matches"
  assert_equal "$output" "$(cat "$T/matches")"
  assert_stderr 'the input has matches and no request: nothing is placed'
  image
  gpuaas-match "${GPT2[@]}" --request --image big >> "$T/matches"
  run_ok gpuaas-place --dry-run < "$T/matches"
  assert_equal "$(jq -r .kind <<< "$output" | sort -u)" $'gpuaas.match/1\ngpuaas.plan/1'
}

@test "what cannot be had now is no request" {
  withdraw nvidia-h200-141gb
  run_status 1 gpuaas-match --memory 141GB --request
  assert_equal "$output" ''
  assert_stderr "the best is profile 'premium'"
  run_status 1 gpuaas-match --memory 500GB --request
  assert_stderr 'no profile fits'
  run_status 1 gpuaas-match --json --memory 500GB
  jq_slurp_is 'map(.reasons[0].code)|unique|join(" ")' memory_too_small
  # Nothing else would do, and says so in the pipe's request too.
  run_ok gpuaas-match --json --architecture hopper --memory 80GB --request
  assert_stderr 'A100 instead of H200'
  jq_is '.profile, .match.fallback' "standard
A100 instead of H200, which is not available now"
  # A higher price is a loss, too; an equal one is not named.
  profile dear nvidia-h200-141gb 7000000
  gpuaas-node undrain n00001 --reason test > "$T/drained"
  withdraw nvidia-a100-sxm4-80gb
  run_ok gpuaas-match --json --memory 80GB
  jq_is 'select(.fallback) | "\(.profile): \(.fallback)"' "premium: H200 instead of A100, which is not available now: 5.00 instead of 3.00 an hour
dear: H200 instead of A100, which is not available now: 7.00 instead of 3.00 an hour"
  # Nothing can be had with or without a copy of an image.
  withdraw nvidia-h200-141gb
  run_status 1 gpuaas-match --memory 80GB --request --image big
  assert_stderr "says what blocks it"
  refute_stderr "verified copy"
}

@test "a state without profiles says so, and what makes one" {
  rm -f "$GPUAAS_STATE"*
  gpuaas-state init --lab > "$T/made"
  run_ok gpuaas-match --table
  assert_equal "$output" ''
  assert_stderr "there is no profile yet: 'gpuaas-profile create' makes one"
  run_status 1 gpuaas-match --memory 80GB --request
  assert_stderr "there is no profile yet"
  run_status 1 gpuaas-match --memory 80GB --json
}

@test "nodes that were not seen for too long are unknown, never free" {
  GPUAAS_STALE_AFTER=1s wait_for 20 bash -c \
    'gpuaas-match --json --memory 141GB | jq -es "map(select(.profile==\"premium\"))[0].availability == \"unknown\""'
  GPUAAS_STALE_AFTER=1s run_status 1 gpuaas-match --memory 141GB --request
  assert_stderr "it is unknown whether a fitting profile is available now: nodes of the best, 'premium'"
}

@test "teams: profiles of others do not fit" {
  gpuaas-state apply - > "$T/applied" <<< '{"kind":"gpuaas.team/1","name":"red","projects":["vision"]}'
  profile premium nvidia-h200-141gb 5000000 '.teams = ["red"]'
  run_ok gpuaas-match --json --team red
  jq_is 'select(.profile=="premium").fits' true
  run_ok gpuaas-match --json --team blue
  jq_is 'select(.profile=="premium") | .fits, .reasons[0].code, .rank' "false
team
3"
  refute_output red
}

@test "a project: only profiles of its teams, those that gpuaas-place accepts" {
  local team
  for team in '"red","projects":["vision","shared"]' '"blue","projects":["speech","shared"]' '"all"'; do
    gpuaas-state apply - > "$T/applied" <<< "{\"kind\":\"gpuaas.team/1\",\"name\":$team}"
  done
  profile premium nvidia-h200-141gb 5000000 '.teams = ["red"]'
  for row in "vision true" "shared true" "speech false" "nobodys false"; do
    run_ok gpuaas-match --json --project "${row% *}"
    jq_is 'select(.profile=="premium").fits' "${row#* }"
  done
  # Without one it is the project that gpuaas-place takes then.
  run_ok gpuaas-match --json
  jq_is 'select(.profile=="premium") | .fits, .reasons[0].code' "false
team"
  # The team of the option decides, and a team that lists no project is for every one.
  run_ok gpuaas-match --json --project speech --team red
  jq_is 'select(.profile=="premium").fits' true
  profile premium nvidia-h200-141gb 5000000 '.teams = ["red", "all"]'
  run_ok gpuaas-match --json --project speech
  jq_is 'select(.profile=="premium").fits' true
  gpuaas-state apply - > "$T/applied" <<< '{"kind":"gpuaas.team/1","name":"all","retired":true}'
  run_ok gpuaas-match --json --project speech
  jq_is 'select(.profile=="premium").fits' false
  # Where neither grants nor teams count.
  gpuaas-state apply - > "$T/applied" <<< '{"kind":"gpuaas.access-settings/1","grants":"off"}'
  run_ok gpuaas-match --json --project speech
  jq_is 'select(.profile=="premium").fits' true
}

@test "a generic profile is offered with what it gives" {
  jq_in_order -c '.name = "any" | del(.types) | .counts = [1] | .price_micros = 1 |
    .vcpus_per_gpu = 4 | .memory_mib_per_gpu = 8192' "$SRC/share/objects/h200-slice.json" |
    gpuaas-state apply - > "$T/applied"
  run_ok gpuaas-match --json --memory 80GB
  jq_is 'select(.profile=="any") | "\(.accelerator_type) \(.fits)"' "nvidia-a100-sxm4-80gb true
nvidia-h200-141gb true
nvidia-v100-sxm2-16gb false"
  image
  run_ok gpuaas-match --json --memory 80GB --request --image big
  jq_is '"\(.profile) \(.types[0])"' 'any nvidia-a100-sxm4-80gb'
  run_ok gpuaas-place --dry-run <<< "$output"
}

# machine_profile NAME FILTER: what FILTER makes of the profile of whole machines
machine_profile()
{
  jq_in_order -c --arg name "$1" ".name = \$name | $2" "$SRC/share/objects/h200-baremetal.json" |
    gpuaas-state apply - > "$T/applied"
}

# small NODES TYPE NAME DEVICE: machines with four free GPUs of a type, from n000 on.
small()
{
  sed "s/nvidia-h200-141gb/$2/g; s/NVIDIA H200 141GB/$3/g; s/\"2335\"/\"$4\"/g" "$T/pattern" |
    "$SRC/tests/fleet" "$1" 4 | gpuaas-approve --all-ready > "$T/slots"
  "$SRC/tests/evidence" < "$T/slots" | gpuaas-state fold - > "$T/folded"
}

@test "machines of two sizes: the one that was chosen is given" {
  small 1 nvidia-h200-141gb 'NVIDIA H200 141GB' 2335
  machine_profile whole '.price_micros = 1'
  run_ok gpuaas-match --json --memory 141GB
  jq_is 'select(.profile=="whole") | "\(.count) \(.availability) \(.cost_per_hour_micros)"' "8 now 8"
  run_ok gpuaas-match --memory 141GB --request
  jq_is '"\(.profile) \(.count) \(.match.count)"' "whole 8 8"
  run_ok gpuaas-place --dry-run <<< "$output"
  jq_is '"\(.count) \(.bundles | length)"' "8 8"
  # A request without a count gets the smallest that there is.
  run_ok gpuaas-place --dry-run --profile whole
  jq_is .count 4
  # None with so many is free any more, and the refusal says that.
  gpuaas-place --profile whole --gpus 5 > "$T/plan"
  run_status 1 gpuaas-place --profile whole --gpus 5
  jq_is '"\(.count) \(.sentence)"' '5 a baremetal node of 5 GPUs or more wanted, and the largest free machine of type nvidia-h200-141gb has 4 GPUs'
}

@test "each type of a profile has its own machines" {
  small 2 nvidia-a100-sxm4-80gb 'NVIDIA A100 80GB' 20b2
  # The machine with eight A100 is not to be had.
  gpuaas-node drain n00002 --reason test > "$T/drained"
  machine_profile whole '.types = ["nvidia-a100-sxm4-80gb", "nvidia-h200-141gb"] | .price_micros = 1'
  run_ok gpuaas-match --json --gpus 8
  jq_is 'select(.profile=="whole") | "\(.accelerator_type) \(.fits) \(.count) \(.availability)"' \
    "nvidia-h200-141gb true 8 now
nvidia-a100-sxm4-80gb true 8 none"
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name=="whole") | [.largestAvailable, (.byType[] | .availableCount, .largestAvailable)] | @json' '[8,8,4,8,8]'
}

@test "seven of a type on each of two nodes are no eight" {
  local node
  fleet nvidia-a100-sxm4-80gb 'NVIDIA A100 80GB' 20b2 4
  image
  profile two nvidia-h200-141gb 1 '.counts = [1, 8] | .image = "big" |
    .types = ["nvidia-a100-sxm4-80gb", "nvidia-h200-141gb"]'
  for node in n00002 n00004; do
    gpuaas-place --profile two --gpus 1 --node "$node" > "$T/plan"
  done
  run_ok gpuaas-match --json --gpus 8
  jq_is 'select(.profile=="two") | "\(.accelerator_type) \(.availability) \(.available_count) \(.largest_available)"' \
    "nvidia-h200-141gb now 8 8
nvidia-a100-sxm4-80gb none 14 1"
  run_ok gpuaas-match --gpus 8 --request
  run_ok gpuaas-place --dry-run <<< "$output"
  jq_is '"\(.count) \(.bundles[0].gpu_device)"' '8 10de:2335'
}

@test "later is shown for the type and the count that are expected, and for no other" {
  local node
  image
  profile two nvidia-h200-141gb 1 '.counts = [1, 8] | .image = "big" |
    .types = ["nvidia-a100-sxm4-80gb", "nvidia-h200-141gb"]'
  for node in n00001 n00002; do
    gpuaas-place --profile two --gpus 8 --node "$node" > "$T/plan"
  done
  state_sql "$(state_sql \
    "SELECT 'DROP TRIGGER ' || name || ';' FROM sqlite_master
      WHERE type = 'trigger' AND name NOT LIKE 'slot_counted%'")
    UPDATE slot SET state = 'wiping', since = '$(date -u +%Y-%m-%dT%H:%M:%S.000000Z)'
      WHERE node_id = 'n00002' AND slot_index = 0"
  run_ok gpuaas-match --json
  jq_is 'select(.profile=="two") | "\(.accelerator_type) \(.count) \(.availability) \(.expected_available_at != null)"' \
    "nvidia-a100-sxm4-80gb 1 later true
nvidia-h200-141gb 1 none false"
  run_ok gpuaas-match --json --gpus 8
  jq_is 'select(.profile=="two") | "\(.accelerator_type) \(.count) \(.availability) \(.expected_available_at)"' \
    "nvidia-a100-sxm4-80gb 8 unknown null
nvidia-h200-141gb 8 none null"
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name=="two") | (.byType[0].expectedAvailableAt == .expectedAvailableAt), .byType[1].expectedAvailableAt' "true
null"
}

@test "estimators that fail leave the list without their times, with a warning" {
  local one
  estimator slow 'exec sleep 60 > /dev/null'
  estimator status 'echo "[]"; echo "no $(printf "\033[1m")luck" >&2; exit 3'
  estimator garbage 'echo "2 hours, I guess"'
  estimator absurd 'echo "[{\"profile\":\"premium\",\"hours\":1e300}]"'
  estimator negative 'echo "[{\"profile\":\"premium\",\"hours\":-1}]"'
  estimator order 'echo "[{\"profile\":\"premium\",\"hoursLow\":3,\"hours\":2}]"'
  estimator hostile 'printf "[{\"profile\":\"premium\",\"hours\":1,\"basis\":\"a\\\\u001b[1mb\"}]"'
  estimator c1 'printf "[{\"profile\":\"premium\",\"hours\":1,\"basis\":\"a\\u009b1mb\"}]"'
  estimator bidi 'printf "[{\"profile\":\"premium\",\"hours\":1,\"basis\":\"a\\u202eb\"}]"'
  estimator long 'echo "["; head -c 3000000 /dev/zero | tr "\0" " "; echo "]"'
  for one in slow status garbage absurd negative order hostile c1 bidi long missing; do
    run_ok gpuaas-match --json "${GPT2[@]}" --estimator "$T/$one" --estimator-seconds 1
    jq_is 'select(.profile=="premium") | .seconds, .estimator' "7140
null"
    assert_stderr "estimator '$one' is left out"
    refute_stderr $'\033'
    [[ $one != long ]] || assert_stderr "its answer is longer than 1 MiB"
  done
  # Without a training no estimator runs, and a warning says so.
  run_ok gpuaas-match --json --model-params 1B --estimator "$T/absurd"
  assert_stderr "warning: --estimator is not run"
  # A member that is null counts as missing.
  estimator null 'echo "[{\"profile\":\"premium\",\"hoursLow\":null,\"hours\":1,\"basis\":null}]"'
  run_ok gpuaas-match --json "${GPT2[@]}" --estimator "$T/null"
  jq_is 'select(.profile=="premium") | .seconds_low, .seconds, .estimator' "3600
3600
null"
  estimator other 'echo "[{\"profile\":\"nobody\",\"hours\":1},{\"profile\":\"premium\",\"hours\":1}]"'
  run_ok gpuaas-match --json "${GPT2[@]}" --estimator "$T/garbage" --estimator "$T/other"
  assert_stderr "answered 1 time for a profile or type"
  jq_is 'select(.profile=="premium") | .seconds, .estimator' "3600
other"
}

@test "what steers a terminal does not reach it" {
  local bidi=$'\xe2\x80\xae' c1=$'\xc2\x9b' # in any locale
  run_status 1 gpuaas-match --json --model "a${bidi}b${c1}c"
  assert_stderr "warning: nobody measured the model 'a?b?c'"
  echo "{\"hardware\":\"H200\",\"tps_mean\":1,\"model\":\"llama${bidi}7b\"}" > "$T/runs.json"
  run_status 1 gpuaas-match --json --model llama-7b --measured "$T/runs.json"
  assert_stderr "near to it: llama?7b"
  echo "{\"hardware\":\"H200\",\"tps_mean\":1,\"model\":\"m\",\"precision\":\"fp${bidi}8\"}" > "$T/runs.json"
  run_ok gpuaas-match --table --model m --model-params 100B --measured "$T/runs.json"
  assert_output "it ran there in fp?8"
  refute_output "$bidi"
  echo "{\"kind\":\"gpuaas.team/1\",\"name\":\"red\",\"note\":\"a${bidi}b${c1}c\"}" | gpuaas-state apply - > "$T/applied"
  run_ok gpuaas-list teams --table
  assert_output 'a\u202eb\u009bc'
  refute_output "$bidi"
}

# started FILE: an estimator has written its process id there.
started()
{
  [[ -s $1 && $(tail -c 1 "$1" | wc -l) -eq 1 ]]
}

@test "an estimator ends with gpuaas-match, however that ends" {
  local signal
  estimator mute 'trap "" HUP INT TERM; sleep 600 > /dev/null & echo $$ $! > "$0.pids"; wait; wait'
  for signal in TERM INT KILL; do
    rm -f "$T/mute.pids"
    # A shell starts what is in the background without SIGINT.
    background env --default-signal gpuaas-match --json "${GPT2[@]}" --estimator "$T/mute" --estimator-seconds 600
    wait_for 20 started "$T/mute.pids"
    kill -s "$signal" "$BG_PID"
    wait "$BG_PID" || :
    read -r leader other < "$T/mute.pids"
    BG+=("$leader" "$other")
    wait_for 20 has_ended "$leader"
    wait_for 20 has_ended "$other"
  done
}

@test "the folder of estimators: by name, and only what root alone may write" {
  [[ $EUID -eq 0 ]] || skip "needs root: the folder has to be root's"
  mkdir -m 755 "$GPUAAS_ESTIMATORS_DIR"
  estimator estimators.d/10-first 'echo "[{\"profile\":\"premium\",\"hours\":1}]"'
  estimator estimators.d/20-second 'echo "[{\"profile\":\"premium\",\"hours\":2},{\"profile\":\"standard\",\"hours\":4}]"'
  chmod 755 "$GPUAAS_ESTIMATORS_DIR"/*
  run_ok gpuaas-match --json "${GPT2[@]}"
  jq_is 'select(.fits) | "\(.profile) \(.seconds) \(.estimator)"' "premium 3600 10-first
standard 14400 20-second"
  chmod 777 "$GPUAAS_ESTIMATORS_DIR/10-first"
  run_ok gpuaas-match --json "${GPT2[@]}"
  assert_stderr "estimator '10-first' is left out: users other than its owner may write it"
  jq_is 'select(.profile=="premium").estimator' 20-second
  chmod 777 "$GPUAAS_ESTIMATORS_DIR"
  run_ok gpuaas-match --json "${GPT2[@]}"
  assert_stderr "users other than root"
  jq_is 'select(.profile=="premium").estimator' null
}

@test "a requirement as a record, with options over it" {
  printf '%s\n' '{"kind":"gpuaas.requirement/1","memory_mib":81920,"stack":"cuda"}' > "$T/need"
  run_ok gpuaas-match --json - < "$T/need"
  jq_is 'select(.fits).profile' "standard
premium"
  run_ok gpuaas-match --json "$T/need" --memory 141GB
  jq_is 'select(.fits).profile' premium
  run_status 1 gpuaas-match --table --vendor intel --stack rocm
  output=${output%%$'\n\n'*}
  assert_equal "$(heading REASON | paste -sd ' ')" 'app_incompatible app_incompatible app_incompatible'
  run_status 1 gpuaas-match --json "$T/need" --stack rocm
  jq_slurp_is 'map(.reasons[0].code)|unique|join(" ")' app_incompatible
  # For one release the words of the stack are read where they stood before, with a warning.
  run_status 1 gpuaas-match --json --app rocm
  jq_slurp_is 'map(.reasons[0].code)|unique|join(" ")' app_incompatible
  assert_stderr "warning: app 'rocm' is read as stack 'rocm'"
  run_status 1 gpuaas-match --json - <<< '{"kind":"gpuaas.requirement/1","app":"rocm"}'
  assert_stderr "warning: app 'rocm' is read as stack 'rocm'"
}

@test "bad input is refused and says why" {
  local bad
  for bad in '{"kind":"gpuaas.requirement/1","unheard_of":1}' '{"kind":"gpuaas.requirement/1","params":-5}' \
    '{"kind":"gpuaas.requirement/1","params":1e30}' '{"kind":"gpuaas.requirement/1","precision":"fp7"}' \
    '{"kind":"gpuaas.requirement/1","model":"a\u0007b"}' 'x' '' \
    '{"kind":"gpuaas.requirement/1","samples":5}' '{"kind":"gpuaas.requirement/1","params":5}' \
    '{"kind":"gpuaas.requirement/1","min_compute_capability":"abc"}' \
    '{"kind":"gpuaas.requirement/1","architectures":["hoper"]}' \
    '{"kind":"gpuaas.requirement/1","train_tokens":5,"epochs":2}' '{"kind":"gpuaas.requirement/1","checkpoints":2}'; do
    run_status 3 gpuaas-match - <<< "$bad"
    assert_equal "$output" ''
  done
  # Options may add what the record lacks; an added value may be wrong.
  run_ok gpuaas-match --json - --sequence-tokens 5 --model-params 1B <<< '{"kind":"gpuaas.requirement/1","samples":5}'
  run_status 2 gpuaas-match - --model-params 5 <<< '{"kind":"gpuaas.requirement/1","params":7000000}'
  run_status 2 gpuaas-match - --epochs 5 <<< '{"kind":"gpuaas.requirement/1","train_tokens":5}'
  assert_stderr "epochs need samples"
  run_status 2 gpuaas-match --model-params 1B --train-tokens 1B --epochs 3
  run_status 2 gpuaas-match --model-params 1B --checkpoints 3
  assert_stderr "checkpoints need a training"
  run_status 2 gpuaas-match --max-cost-per-hour abc
  assert_stderr "--max-cost-per-hour 'abc' is no price of an hour"
  assert_stderr "3.50; at most 1000000"
  printf '%s\n' '{"kind":"gpuaas.requirement/1"}' '{"kind":"gpuaas.requirement/1"}' > "$T/two"
  run_status 3 gpuaas-match "$T/two"
  assert_stderr 'second requirement'
  run_status 2 gpuaas-match --model-params 1e30
  run_status 2 gpuaas-match --model-params=-7
  run_status 2 gpuaas-match --model-params 7x
  run_status 2 gpuaas-match --memory 80EB
  run_status 2 gpuaas-match --max-cost-per-hour 0.0000001
  run_status 2 gpuaas-match --min-compute-capability new
  run_status 2 gpuaas-match --samples 5
  run_status 2 gpuaas-match --model $'a\033b'
  run_status 2 gpuaas-match --require-architecture
  printf '{"hardware":"H200","tps_mean":-1}' > "$T/bad"
  run_status 3 gpuaas-match --measured "$T/bad"
  assert_stderr 'record 1'
  printf '{"hardware":"H200","tps_mean":1,"tps_mean":1}' > "$T/bad"
  run_status 3 gpuaas-match --measured "$T/bad"
  assert_stderr 'the text after record 0 has a member twice'
  printf '{"hardware_configuration":"H200 X 8","hardware_count":4,"tps_mean":1}' > "$T/bad"
  run_status 3 gpuaas-match --measured "$T/bad"
  assert_stderr "record 1: 'H200 X 8' has 8 GPUs, and its count is 4"
  printf '{"hardware_configuration":"H200 X 8","hardware_count":8,"tps_mean":1}' > "$T/bad"
  run_ok gpuaas-match --json --measured "$T/bad"
  run_status 5 gpuaas-match "$T/nofile.json"
  assert_stderr "nofile.json' does not exist"
  run_status 5 gpuaas-match llama-3-70b
  assert_stderr "a file with requirements is expected, or '-' for standard input"
  printf '{"hardware":"H200"' > "$T/bad"
  run_status 3 gpuaas-match --measured "$T/bad"
}

@test "a gigabyte without a newline is refused in bounded memory" {
  # The sanitizers reserve more than any limit.
  local limit=100000
  if grep -qa __asan_init "$(command -v gpuaas-match)"; then limit=unlimited; fi
  run_status 3 bash -c "ulimit -v $limit; head -c 1G /dev/zero | tr '\\0' x | gpuaas-match -"
  # A valid file that is too large is refused for its size, and a smaller one is read.
  { echo '{"hardware":"H200","tps_mean":1}'; head -c 16000000 /dev/zero | tr '\0' ' '; } > "$T/big"
  run_ok gpuaas-match --json --measured "$T/big"
  head -c 1000000 /dev/zero | tr '\0' ' ' >> "$T/big"
  run_status 10 gpuaas-match --measured "$T/big"
  assert_stderr "too large"
}

@test "a model without its parameters: those that are built in, else nobody knows and nothing is deployed" {
  image
  profile one nvidia-h200-141gb 1
  profile eight nvidia-h200-141gb 1000000 '.counts = [1, 2, 4, 8]'
  run_ok gpuaas-match --json --model llama3.1-405b
  jq_is 'select(.profile == "one" or .profile == "basic" or .profile == "eight") |
    "\(.profile) \(.count) \(.fits) \(.memory_needed_mib) \(.tokens_per_second_milli) \([.reasons[].code] | join(","))|"' \
    "eight 8 true 96560 295200 |
one 1 false 772477 null memory_too_small|
basic 1 false 772477 null memory_too_small|"
  assert_stderr "model 'llama3.1-405b' has 405000000000 parameters: Meta's model cards of Llama 2 and Llama 3.1"
  gpuaas-state apply - > "$T/applied" <<< '{"kind":"gpuaas.profile/1","name":"eight","retired":true}' || :
  # A model that nobody knows is not sent on, also where nothing is known against it.
  run_status 1 gpuaas-match --json --model nobody-has-it
  jq_slurp_is 'map(.fits == null and any(.unknown[]; .code == "memory") and .memory_needed_mib == null) | all' true
  assert_stderr "it is unknown whether any profile fits, even 'one'"
  run_status 1 gpuaas-match --table --model nobody-has-it
  output=${output%%$'\n\n'*}
  assert_equal "$(heading FITS | sort -u)" unknown
  assert_stderr "warning: nobody measured the model 'nobody-has-it'"
  run_status 1 gpuaas-match --model nobody-has-it --request --image big
  assert_equal "$output" ''
  assert_stderr "it is unknown whether any profile fits"
  assert_stderr "--model-params"
  run_ok gpuaas-match --model nobody-has-it --model-params 7B --request --image big
  jq_is .profile one
  # Memory that somebody names is a statement of its own.
  run_ok gpuaas-match --model nobody-has-it --memory 80GB --request --image big
  # Where nobody knows whether it is as fast as wanted, a warning says so.
  run_ok gpuaas-match --model-params 7B --tokens-per-second 10 --request --image big
  assert_stderr "warning: it is unknown whether profile 'one' is as fast as required"
}

@test "the precision that was measured is the one that is shown" {
  profile eight nvidia-h200-141gb 1 '.counts = [8]'
  run_ok gpuaas-match --json --model llama2-70b --precision bf16
  jq_is 'select(.profile == "eight") | .tokens_per_second_milli, (.unknown[] | select(.code == "no_basis").sentence)' \
    "null
no throughput: on the type the model was measured in fp8 (server), and not in bf16 (server)"
  run_ok gpuaas-match --json --model llama2-70b
  jq_is 'select(.profile == "eight") | .tokens_per_second_milli, (.unknown[] | select(.code == "no_basis").sentence)' \
    "33204400
the throughput is for fp8, and the memory for 16 bits: name the precision"
  run_ok gpuaas-match --json --model llama2-70b --precision fp8
  jq_is 'select(.profile == "eight") | .tokens_per_second_milli, .memory_needed_mib, ([.unknown[].code] | join(","))' \
    "33204400
8345
memory"
  # Without a precision nobody knows whether it is met, and the person who deploys it sees that.
  image
  run_ok gpuaas-match --json --model llama2-70b --tokens-per-second 4000 --request --image big
  jq_is .profile eight
  assert_stderr "warning: it is unknown whether profile 'eight' is as fast as required"
  run_status 1 gpuaas-match --json --model llama2-70b --tokens-per-second 4000
  jq_is 'select(.profile == "eight") | .fits, .slo' "null
unknown"
  run_ok gpuaas-match --json --model llama2-70b --precision fp8 --tokens-per-second 4000
  jq_is 'select(.profile == "eight").slo' met
}

@test "a machine that is busy is judged as what it is" {
  image
  # Eight A100, of which one is in use: nothing of the machine is to be had whole.
  jq_in_order -c '.name = "whole" | .types = ["nvidia-a100-sxm4-80gb"] | .price_micros = 2500000' \
    "$SRC/share/objects/h200-baremetal.json" | gpuaas-state apply - > "$T/applied"
  gpuaas-place --profile standard --gpus 1 --image big > "$T/plan"
  whole() { jq_is 'select(.profile == "whole") | "\(.fits) \(.count) \(.cost_per_hour_micros) \(.slo) \(.availability) \([.reasons[].code] | join(","))|"' "$1"; }
  run_ok gpuaas-match --json --model-params 70B
  whole "true 8 20000000 null none |"
  run_ok gpuaas-match --json --max-cost-per-hour 3
  whole "false 8 20000000 missed none slo_cost|"
  run_ok gpuaas-match --json --gpus 8
  whole "true 8 20000000 null none |"
  run_status 1 gpuaas-match --json --gpus 16
  whole "false 8 20000000 null none count_not_offered|"
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name == "whole" or .name == "standard") | .byType[0].largestMachine' "null
8"
  # Of a machine that nobody has seen nothing is made up.
  jq_in_order -c '.name = "unseen" | .types = ["nvidia-l40s-48gb"] | .price_micros = 1' \
    "$SRC/share/objects/h200-baremetal.json" | gpuaas-state apply - > "$T/applied"
  run_status 1 gpuaas-match --json --model-params 70B --max-cost-per-hour 100 --train-tokens 1B
  jq_is 'select(.profile == "unseen") |
    [.fits, .count, .cost_per_hour_micros, .seconds, .cost_micros, .slo, ([.unknown[].code] | index("count") != null)] | @json' \
    '[null,null,null,null,null,"unknown",true]'
  run_ok gpuaas-match --table
  assert_output unseen
}

@test "words that mean nothing are refused where the catalogue has all of them, else said" {
  run_status 2 gpuaas-match --architecture hoper
  assert_stderr "'hoper' is no architecture of the catalogue; near to it: Hopper"
  run_status 2 gpuaas-match --architecture ada
  assert_stderr "near to it: Ada Lovelace"
  run_ok gpuaas-match --json --architecture 'ada lovelace' --architecture ada-lovelace --architecture HOPPER
  jq_is .profile "premium
basic
standard"
  run_status 2 gpuaas-match --vendor nvidea
  assert_stderr "'nvidea' is no vendor of the catalogue; near to it: NVIDIA"
  printf '%s\n' '{"kind":"gpuaas.requirement/1","vendor":"nvidea"}' > "$T/need"
  run_status 3 gpuaas-match "$T/need"
  assert_stderr "'nvidea' is no vendor of the catalogue"
  run_status 2 gpuaas-match "$T/need" --vendor nvidya
  profile gaudi intel-gaudi3-128gb 1
  run_ok gpuaas-match --json --vendor intel
  jq_is 'select(.fits).profile' gaudi
  run_status 1 gpuaas-match --json --model llama2-70
  assert_stderr "warning: nobody measured the model 'llama2-70'; near to it: llama2-70b"
  run_status 1 gpuaas-match --json --model 'Llama 2 70B'
  assert_stderr "near to it: llama2-70b, llama3.1-8b; if it has 70B parameters: --model-params 70B"
  run_status 1 gpuaas-match --json --model meta-llama/Llama-3.1-8B-Instruct
  assert_stderr "near to it: llama3.1-8b; if it has 8B parameters: --model-params 8B"
  run_status 1 gpuaas-match --json --model mixtral-8x22b
  refute_stderr "--model-params 22B"
  run_status 1 gpuaas-match --json --team nosuch --memory 500GB
  assert_stderr "warning: there is no team 'nosuch'"
  run_status 2 gpuaas-match --model-params 7
  assert_stderr "7B?"
}

@test "the table has the ranges to plan with" {
  run_ok gpuaas-match --table "${GPT2[@]}"
  assert_output '2 (1.8-3)'
  assert_output '9.92 (8.77-15.15)'
  profile four nvidia-h200-141gb 4000000 '.counts = [8]'
  run_ok gpuaas-match --table --model llama2-70b
  assert_output '33204 (29027-34194)'
}

@test "measured: what ran there says nothing of another model, and of no more than fits" {
  echo '{"hardware":"nvidia-v100-sxm2-16gb","tps_mean":75,"model":"llama-7b"}' > "$T/runs.json"
  image
  run_status 1 gpuaas-match --json --model-params 405B --measured "$T/runs.json" --tokens-per-second 50 --request \
    --image big --project vision
  assert_equal "$output" ''
  assert_stderr "warning: the measurements are of 'llama-7b', and do not count: if the model is that one, give --model"
  run_status 1 gpuaas-match --json --model llama-7b --model-params 7B --layers 32 --kv-heads 32 --head-size 128 \
    --context 1000000 --batch 64 --measured "$T/runs.json"
  jq_is 'select(.profile=="basic") | .fits, .reasons[0].code' "false
memory_too_small"
  run_ok gpuaas-match --json --model llama-7b --model-params 9B --measured "$T/runs.json"
  jq_is 'select(.profile=="basic") | .fits, (.unknown[] | select(.sentence | test("it ran there")).sentence)' "true
16.8 GiB would be needed of each GPU (of 1) in 16 bits; it ran there, in an unknown precision"
  # A run in another precision does not count for the wanted one.
  echo '{"hardware":"H200","tps_mean":75,"model":"llama-7b","precision":"FP8"}' > "$T/runs.json"
  run_ok gpuaas-match --json --model llama-7b --precision fp8 --measured "$T/runs.json"
  jq_is 'select(.profile=="premium").tokens_per_second_milli' 75000
  run_status 1 gpuaas-match --json --model llama-7b --precision bf16 --measured "$T/runs.json"
  jq_is 'select(.profile=="premium").tokens_per_second_milli' null
  echo '{"hardware":"H200","tps_mean":75,"model":"llama-7b","precision":8}' > "$T/runs.json"
  run_status 3 gpuaas-match --json --model llama-7b --measured "$T/runs.json"
  assert_stderr "record 1: 'precision' is no text"
}

@test "measured: the answer does not depend on the order of the file" {
  local at one two
  one='{"hardware":"H200","model":"m","tps_mean":30,"e2e_p99":100}'
  two='{"hardware":"H200","model":"m","tps_mean":900,"e2e_p99":4000}'
  for at in "$one $two" "$two $one"; do
    printf '%s\n' "$at" > "$T/runs.json"
    run_ok gpuaas-match --json --model m --measured "$T/runs.json" --tokens-per-second 500
    jq_is 'select(.profile=="premium") | "\(.fits) \(.slo) \(.tokens_per_second_low_milli) \(.tokens_per_second_milli) \(.tokens_per_second_high_milli) \(.p99_ms)"' \
      "true met 30000 900000 900000 4000"
    jq_is 'select(.profile=="premium") | .basis | test("of 2 records")' true
  done
  # A record that has no throughput takes none away that is published.
  echo '{"hardware_configuration":"H200 x 8","ttft_p99":100,"model":"llama2-70b"}' > "$T/runs.json"
  profile four nvidia-h200-141gb 4000000 '.counts = [8]'
  run_ok gpuaas-match --json --model llama2-70b --precision fp8 --measured "$T/runs.json" --tokens-per-second 4000
  jq_is 'select(.profile=="four") | .slo, .tokens_per_second_milli, .confidence' "met
33204400
measured"
  # Both at once nobody has measured.
  run_status 1 gpuaas-match --json --model llama2-70b --precision fp8 --measured "$T/runs.json" --tokens-per-second 4000 \
    --max-latency-ms 100 --latency ttft
  jq_is 'select(.profile=="four") | .slo, .p99_ms' "unknown
100"
  # A record that names no model does not count for the wanted one.
  echo '{"hardware":"H200","tps_mean":900}' > "$T/runs.json"
  run_status 1 gpuaas-match --json --model m --measured "$T/runs.json"
  jq_is 'select(.profile=="premium").tokens_per_second_milli' null
  assert_stderr "1 record of --measured names no model, and does not count for 'm'"
  run_ok gpuaas-match --json --measured "$T/runs.json"
  jq_is 'select(.profile=="premium").tokens_per_second_milli' 900000
}

@test "a precision that a type lacks, and weights without room for a cache, are not ordered unasked" {
  image
  run_ok gpuaas-match --json --model-params 30B --precision fp8
  jq_is '"\(.profile) \(.fits) \([.reasons[].code] | join(","))|"' "premium true |
basic false precision_missing,memory_too_small|
standard false precision_missing|"
  gpuaas-node drain n00001 --reason test > "$T/drained"
  run_status 1 gpuaas-match --model-params 30B --precision fp8 --request --image base
  assert_equal "$output" ''
  run_ok gpuaas-match --model-params 30B --precision fp8 --request --image base --accept precision
  jq_is .profile standard
  gpuaas-node undrain n00001 > "$T/drained"
  # 130.4 of the 140.4 GiB of an H200: a server starts with no cache at all.
  run_status 1 gpuaas-match --json --model llama2-70b
  jq_is 'select(.profile=="premium") | [.fits, .reasons[].code, .reasons[].sentence] | @json' \
    '[false,"memory_no_headroom","130.4 GiB of each GPU (of 1) are needed for the weights in 16 bits, and it has 140.4 GiB: less than a tenth is left for the cache"]'
  run_status 1 gpuaas-match --model llama2-70b --request --image base
  run_ok gpuaas-match --model llama2-70b --request --image base --accept headroom
  jq_is .profile premium
  run_ok gpuaas-match --json - <<< '{"kind":"gpuaas.requirement/1","model":"llama2-70b","accept":["headroom"]}'
  # With the context it is counted, by the numbers of the built-in model.
  run_ok gpuaas-match --json --model llama2-70b --context 4096
  jq_is 'select(.profile=="premium") | [.fits, .memory_needed_mib] | @json' '[true,134795]'
  run_status 1 gpuaas-match --json --model llama2-70b --context 131072
  assert_stderr "warning: model 'llama2-70b' takes at most 4096 tokens, not 131072"
  jq_is 'select(.profile=="premium") | .memory_needed_mib, .reasons[0].code' "174475
memory_too_small"
  run_status 2 gpuaas-match --accept hedroom
  assert_stderr "gpuaas-match: --accept takes one of precision, headroom, not 'hedroom'"
  run_status 3 gpuaas-match - <<< '{"kind":"gpuaas.requirement/1","accept":["hedroom"]}'
}

@test "a note stands once, with the answers that it is of" {
  profile second nvidia-h200-141gb 5000000
  profile third nvidia-a100-sxm4-80gb 9000000
  run_ok gpuaas-match --table --model llama3.1-8b --max-cost-per-hour 6
  assert_equal "$(grep -c 'the cache of the attention is not counted' <<< "$output")" 1
  assert_output '1-5: not known: the cache of the attention is not counted: it needs 128 KiB for each token'
  assert_output '2, 3: mlperf-inference-5.1'
  assert_output '1, 4, 5: not known: no throughput: no such model was measured on the type'
}

@test "--prefer: the fastest, or the cheapest" {
  run_ok gpuaas-match --json "${GPT2[@]}" --prefer time
  jq_is 'select(.fits) | "\(.profile) \(.seconds)"' "premium 7140
standard 16059"
  profile premium nvidia-h200-141gb 50000000
  run_ok gpuaas-match --json "${GPT2[@]}" --prefer cost
  jq_is 'select(.fits).profile' "standard
premium"
  run_ok gpuaas-match --json "${GPT2[@]}"
  jq_is 'select(.fits).profile' "standard
premium"
  run_ok gpuaas-match --json - <<< "$(jq -cn '{kind:"gpuaas.requirement/1",params:1500000000,train_tokens:307200000,prefer:"time"}')"
  jq_is 'select(.fits).profile' "premium
standard"
  # The loss is rounded as in the table.
  gpuaas-node drain n00002 --reason test > "$T/drained"
  run_ok gpuaas-match --table "${GPT2[@]}"
  assert_output '1. premium: H200 instead of A100, which is not available now: 99.17 instead of 13.38 in all'
  run_status 2 gpuaas-match --prefer speed
}

@test "fewer are available than the number of GPUs: the code of the refusal of that number" {
  profile premium nvidia-h200-141gb 5000000 '.counts = [1, 2, 4, 8]'
  profile fours nvidia-h200-141gb 5000000 '.counts = [4]'
  for i in 1 2 3 4 5 6; do
    gpuaas-place --profile premium --gpus 1 --image base > "$T/plan"
  done
  # Two are free: no four, and no number that the profile does not have.
  run_ok gpuaas-match --json --gpus 4
  jq_is 'select(.accelerator_type == "nvidia-h200-141gb") |
    "\(.profile) \(.available_count) \(.availability) \(.unavailable_code)"' \
    "fours 0 none no_capacity
premium 2 none no_capacity"
  jq_is 'select(.profile == "basic") | "\(.availability) \(.unavailable_code) \(.reasons[0].code)"' \
    'none count_not_allowed count_not_offered'
  run_status 1 gpuaas-place --profile premium --gpus 4 --image base --dry-run --json
  jq_is .code no_capacity
  # The model needs four of them.
  run_ok gpuaas-match --json --model-params 200B --precision bf16 --accept headroom
  jq_is 'select(.profile == "premium") | "\(.count) \(.availability) \(.unavailable_code)"' '4 none no_capacity'
  # A number that is free has no code.
  run_ok gpuaas-match --json --gpus 2
  jq_is 'select(.profile == "premium") | "\(.availability) \(.unavailable_code)"' 'now null'
  # Another image, of no node.
  run_ok gpuaas-match --json --gpus 2 --image nowhere
  jq_is 'select(.profile == "premium") | "\(.availability) \(.unavailable_code)"' 'none image_missing'
}

@test "at 80 columns each row of which nothing is available says why, long names too" {
  local long=h200-141gb-nvlink-premium-team-research-and-development-2026-a1
  gpuaas-node drain n00001 --reason test > "$T/drained"
  COLUMNS=80 run_ok gpuaas-match --table "${GPT2[@]}"
  assert_equal "$(heading 'BLOCKED BY' | head -n 3 | paste -sd ' ')" '- not_ready -'
  profile "$long" nvidia-h200-141gb 5000000 '.counts = [8]'
  COLUMNS=80 run_ok gpuaas-match --table "${GPT2[@]}"
  assert_output 'BLOCKED BY'
  assert_output 'h200-141gb-nvlink-'
  [[ $(grep -c not_ready <<< "$output") == 2 ]]
  [[ $(wc -L <<< "$output") -le 80 ]]
  COLUMNS=80 run_ok gpuaas-profile list --table
  assert_equal "$(heading 'BLOCKED BY' | grep . | paste -sd ' ')" '- not_ready not_ready -'
  assert_output 'research-and-development-2026-a1'
  [[ $(wc -L <<< "$output") -le 80 ]]
}

@test "at 80 columns the answer to the question is there: hours and cost of a training, or the price" {
  local question
  for question in "${GPT2[*]}" "${GPT2[*]} --gpus 1 --image nowhere" "${GPT2[*]} --max-cost-per-hour 4"; do
    # shellcheck disable=SC2086 # words
    COLUMNS=80 run --separate-stderr gpuaas-match --table $question
    [[ ${lines[0]} =~ FITS.*HOURS.*COST ]] || { echo "$question: $output" >&2; return 1; }
    [[ $(wc -L <<< "$output") -le 80 ]]
  done
  for question in "--max-cost-per-hour 20 --model llama3.1-8b" \
    "--model llama2-70b --precision fp8 --tokens-per-second 4000" "--memory 80GB --max-cost-per-hour 4"; do
    # shellcheck disable=SC2086 # words
    COLUMNS=80 run --separate-stderr gpuaas-match --table $question
    [[ ${lines[0]} =~ FITS.*PRICE/HOUR ]] || { echo "$question: $output" >&2; return 1; }
    [[ $(wc -L <<< "$output") -le 80 ]]
  done
  # Where not both have room, the speed of a model stays, and its price goes.
  withdraw nvidia-v100-sxm2-16gb
  profile h200-141gb-slice-of-the-team nvidia-h200-141gb 5000000
  COLUMNS=80 run --separate-stderr gpuaas-match --table --model llama3.1-8b
  [[ ${lines[0]} =~ TOKENS/S ]] || { echo "$output" >&2; return 1; }
  [[ $(wc -L <<< "$output") -le 80 ]]
  run_status 2 gpuaas-match --table --columns rank,time
  assert_stderr "hours cost price/hour"
}

@test "none available: the code of the refusal that a request gets" {
  local node image
  profile missing nvidia-h200-141gb 1 '.image = "nowhere"'
  profile nothing nvidia-l4-24gb 1
  gpuaas-node drain n00002 --reason test > "$T/drained"
  gpuaas-place --profile basic --gpus 1 --image base > "$T/plan"
  gpuaas-list slots --where node=n00003 --where state=available | jq -r .slot |
    xargs -rn1 gpuaas-approve cordon --reason test > "$T/cordoned"
  run_ok gpuaas-match --json
  jq_is '"\(.profile) \(.availability) \(.unavailable_code)"' "premium now null
missing none image_missing
nothing none type_missing
basic none not_ready
standard none not_ready"
  run_ok gpuaas-profile list --json
  jq_is '"\(.name) \(.available) \(.unavailableCode) \(.byType[0].unavailableCode)"' \
    "basic false not_ready not_ready
missing false image_missing image_missing
nothing false type_missing type_missing
premium true null null
standard false not_ready not_ready"
  # It is what placement says.
  for profile in missing nothing basic standard; do
    image=()
    [[ $profile == missing ]] || image=(--image base)
    run_status 1 gpuaas-place --profile "$profile" --dry-run "${image[@]}"
    jq_is .code "$(gpuaas-profile list --json |
      jq -r --arg p "$profile" 'select(.name == $p).unavailableCode')"
  done
  run_ok gpuaas-match --table
  output=${output%%$'\n\n'*}
  assert_equal "$(heading 'BLOCKED BY' | paste -sd ' ')" \
    '- image_missing type_missing not_ready not_ready'
  # The same column shows it there, and no second one does.
  COLUMNS=200 run_ok gpuaas-profile list --table
  assert_equal "$(heading 'BLOCKED BY' | paste -sd ' ')" 'not_ready image_missing type_missing - not_ready'
  refute_output REASON
}
