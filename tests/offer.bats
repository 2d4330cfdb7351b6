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
  jq -c --argjson c "$1" '. + $c' << 'END' | gpuaas-state apply - > "$T/applied"
{"kind":"gpuaas.image/1","name":"lab","digest":"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","format":"raw","file_bytes":1048576,"size_bytes":1048576,"firmware":"bios","probe":"running","user":"ubuntu"}
END
}

# profile NAME [CHANGE]: the lab profile under another name, with what CHANGE (of jq) makes of it.
profile()
{
  jq -c --arg name "$1" "select(.kind == \"gpuaas.profile/1\") | .name = \$name | ${2:-.}" \
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
  jq -c 'select(.kind == "gpuaas.host/1") | {kind: "gpuaas.node-image/1", node, image: "lab",
    digest: ("sha256:" + "a" * 64), path: "/images/lab.raw",
    verified_at: "2026-11-20T00:00:00.000000Z"}' "$T/fleet.rec" > "$T/images"
  gpuaas-state apply "$T/images" > "$T/applied"
}

in_state()
{
  sqlite3 "$GPUAAS_STATE" "$1"
}

# numbers NAME: available, largest, total, unknown of a profile, as the public view has them
numbers()
{
  gpuaas-profile list --public --json | jq -c "select(.name == \"$1\") |
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
