# SPDX-License-Identifier: Apache-2.0
# The fold by pipe: what a host without a state did, brought to the state by its records.

load helper

# The state is here; the host has a folder of its own and no state.
setup()
{
  common_setup
  setup_host lab1
  gpuaas-state init --lab > /dev/null
  gpuaas-state apply "$SRC/share/objects/lab.json" > /dev/null
  in_host gpuaas-discover | gpuaas-approve --all-ready |
    jq_in_order -c 'select(.kind=="gpuaas.wipe-order/1")' > "$T/orders"
  SLOT=$(head -n 1 "$T/orders" | jq -r .object)
}

on_host()
{
  GPUAAS_STATE=$T/nowhere.db GPUAAS_HOST_DIR=$T/far in_host "$@"
}

slot_state()
{
  gpuaas-list slots --where "slot=$SLOT" | jq -r .state
}

@test "wiped there, folded here, twice" {
  head -n 1 "$T/orders" | on_host gpuaas-wipe --progress json > "$T/results"
  assert_equal "$(slot_state)" wiping
  run_ok gpuaas-state fold "$T/results"
  assert_equal "$(slot_state)" available
  run_ok gpuaas-list tasks --where "object=$SLOT"
  jq_slurp_is 'length > 0' true
  before=$(gpuaas-list audit | wc -l)
  run_ok gpuaas-state fold "$T/results"
  assert_equal "$(gpuaas-list audit | wc -l)" "$before"
  run_ok gpuaas-list evidence
  jq_slurp_is length 1
}

@test "what must not be folded is refused, and moves nothing" {
  local change
  head -n 1 "$T/orders" | on_host gpuaas-wipe > "$T/good"
  for change in '.generation+=1' '.attempt="zzzzzzzz"' '.dry_run=true' '.lab=false' '.object=null' \
    '.node="elsewhere"'; do
    jq_in_order -c "$change | del(.signature)" "$T/good" > "$T/bad"
    run_status 4 gpuaas-state fold "$T/bad"
    assert_equal "$(slot_state)" wiping
  done
  jq_in_order -c '.class="purge" | del(.signature)' "$T/good" > "$T/bad"
  run_status 3 gpuaas-state fold "$T/bad"
  assert_stderr "digest"
  jq_in_order -c '.object="zzzzzzzz" | del(.signature)' "$T/good" > "$T/bad"
  run_status 5 gpuaas-state fold "$T/bad"
  assert_equal "$(slot_state)" wiping
  run_ok gpuaas-list evidence
  assert_equal "$output" ""
  run_ok gpuaas-state fold "$T/good"
  assert_equal "$(slot_state)" available
}

@test "one result that came too late does not keep the others out" {
  on_host gpuaas-wipe < "$T/orders" > "$T/results"
  { jq_in_order -c '.attempt="zzzzzzzz" | del(.signature)' "$T/results" | head -n 1; cat "$T/results"; } > "$T/mixed"
  run_status 4 gpuaas-state fold "$T/mixed"
  run_ok gpuaas-list slots --where state=available
  jq_slurp_is length 2
}

@test "a wipe that cannot vouch for the disk blocks its slot" {
  # The disk is not the one that the order names: nothing is erased, and nothing is sold.
  head -n 1 "$T/orders" | jq_in_order -c '.nvme_wwid="eui.00000000000000ff"' |
    on_host gpuaas-wipe > "$T/results" 2> /dev/null || :
  run_ok cat "$T/results"
  jq_is .outcome not_started
  run gpuaas-state fold "$T/results"
  assert_equal "$(slot_state)" cleanup_blocked
  run_ok gpuaas-list slots --where "slot=$SLOT"
  jq_is .tainted true
}

@test "no record and no result" {
  run_status 3 gpuaas-state fold - <<< 'no record'
  run_status 3 gpuaas-state fold - <<< '{"kind":"other/1"}'
  run_ok gpuaas-state fold - < /dev/null
}

@test "the whole life: placed here, carried out there, folded here" {
  load plan
  make_image 12 5
  start_libvirtd
  mkdir -p "$T/dhcp"
  on_host gpuaas-wipe < "$T/orders" > "$T/wiped"
  gpuaas-state fold "$T/wiped" > /dev/null
  node=$(jq -r .node "$T/orders" | head -n 1)
  jq_in_order -c --arg n "$node" 'if has("image") then .image="lab"|.node=$n else .name="lab" end' \
    "$T/image.json" | gpuaas-state apply - > /dev/null
  jq_in_order -cn --arg n "$node" --arg t "$T" \
    "$PARTS"'{kind:"gpuaas.node-settings/1",node:$n,network:network}' | gpuaas-state apply - > /dev/null
  gpuaas-place --profile lab --gpus 1 --name job > "$T/plan"
  run_ok gpuaas-list plan
  assert_equal "$output" "$(< "$T/plan")"
  on_host gpuaas-provision "$T/plan" > "$T/running"
  run_ok gpuaas-list allocations
  jq_is .state placed
  run_ok gpuaas-state fold "$T/running"
  run_ok gpuaas-list allocations
  jq_is '[.state,.power_observed,(.phases|length > 5)]|join(" ")' "active on true"
  run_ok gpuaas-list plan
  assert_equal "$output" ""
  GPUAAS_NODE=elsewhere gpuaas-release job > "$T/order"
  run_ok cat "$T/order"
  jq_is .kind gpuaas.release-order/1
  run_ok gpuaas-list slots --where state=releasing
  jq_slurp_is length 1
  on_host gpuaas-release < "$T/order" > "$T/released"
  on_host gpuaas-wipe < "$T/released" > "$T/evidence"
  run_ok gpuaas-state fold "$T/evidence"
  run_ok gpuaas-list slots --where state=available
  jq_slurp_is length 2
  run_ok gpuaas-list usage
  jq_is '[.usage_kind,(.ended_at!=null)]|join(" ")' $'provisioning true\nactive true\ncleanup true'
  # It began with what touched something: looking before that is nobody's use.
  jq_is 'select(.usage_kind == "provisioning").started_at' "$(jq -r 'select(.state == "active") | [.phases[] |
    select(.phase != "hold" and .phase != "recheck" and .phase != "prerequisites")][0].started_at' "$T/running")"
  run_ok gpuaas-list claims --where live=true
  assert_equal "$output" ""
  run_ok gpuaas-show job
  jq_slurp_is '[.[]|select(.kind=="gpuaas.wipe-evidence/1")]|length' 1
  run_ok gpuaas-state check
  run_ok gpuaas-state audit verify
}

@test "a failure without an object stands in the audit once, however often it is told" {
  rows()
  {
    gpuaas-list audit --where action=failure | wc -l
  }
  told()
  {
    jq_in_order -cn --arg at "$1" --arg why "$2" '{kind:"gpuaas.failure/1",program:"gpuaas-on",
      node:"n-1ab100000000",object:null,attempt:null,generation:null,dry_run:false,phase:null,
      code:"unreachable",status:8,sentence:$why,hint:null,at:$at}' > "$T/failure"
    run_status 8 gpuaas-state fold "$T/failure"
  }
  told 2026-11-20T19:00:00.000000Z "no answer"
  told 2026-11-20T19:00:00.000000Z "no answer"
  assert_equal "$(rows)" 1
  # The same again at the next run of a timer.
  told 2026-11-20T19:05:00.000000Z "no answer"
  assert_equal "$(rows)" 1
  told 2026-11-20T19:10:00.000000Z "no route"
  assert_equal "$(rows)" 2
  # After something else has happened to the node it is news.
  gpuaas-node drain n-1ab100000000 --reason fan > "$T/drained" || :
  told 2026-11-20T19:15:00.000000Z "no route"
  assert_equal "$(rows)" 3
}

@test "a host whose clock is ahead: its use is counted once, and none of it is lost" {
  on_host gpuaas-wipe < "$T/orders" | gpuaas-state fold - > "$T/folded"
  digest=sha256:$(printf 'a%.0s' {1..64})
  jq_in_order -cn --arg digest "$digest" --arg node "$(jq -r .node "$T/orders" | head -n 1)" '
    {kind: "gpuaas.image/1", name: "lab", $digest, format: "raw", file_bytes: 1048576,
      size_bytes: 1048576, firmware: "bios", probe: "running", user: "ubuntu"},
    {kind: "gpuaas.node-image/1", $node, image: "lab", $digest, path: "/images/lab.raw",
      verified_at: "2026-11-20T00:00:00.000000Z"}' | gpuaas-state apply - > "$T/applied"
  gpuaas-place --profile lab --gpus 1 --project vision --name job > "$T/plan"
  gpuaas-list allocations | jq_in_order -c '.state = "active" | .power_observed = "on" |
    .since = (now + 600 | todate | sub("Z$"; ".000000Z"))' | gpuaas-state fold - > "$T/folded"
  in_use()
  {
    gpuaas-report usage --from 1h --json | jq -e '.active_gpu_seconds > 0' > "$T/used"
  }
  wait_for 20 in_use
  export GPUAAS_NODE=elsewhere
  { gpuaas-release job --hold 1h; gpuaas-release job --undo; gpuaas-release job; } > "$T/ordered"
  run_ok gpuaas-list usage
  jq_is .usage_kind $'provisioning\nactive\nhold\nactive\ncleanup'
  jq_slurp_is '[.[:-1], .[1:]] | transpose | all(.[0].ended_at == .[1].started_at)' true
  jq_slurp_is '[.[] | .started_at, .ended_at // empty] | . == sort' true
  run_ok gpuaas-state check
}
