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

# The state knows the host's key from here on.
enrol()
{
  on_host gpuaas-discover | gpuaas-approve --record-only
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
  local change expected=4
  head -n 1 "$T/orders" | on_host gpuaas-wipe > "$T/good"
  enrol
  for change in '.generation+=1' '.attempt="zzzzzzzz"' '.dry_run=true' '.lab=false' '.object=null' \
    '.node="elsewhere"'; do
    # The host's own key signs it: it is the fold that refuses, and not for want of a signature.
    jq_in_order -c "$change" "$T/good" | sign "$T/far/node.key" > "$T/bad"
    [[ $change != .node=* ]] || expected=6
    run_status "$expected" gpuaas-state fold "$T/bad"
    assert_equal "$(slot_state)" wiping
  done
  jq_in_order -c '.class="purge"' "$T/good" | sign "$T/far/node.key" > "$T/bad"
  run_status 3 gpuaas-state fold "$T/bad"
  assert_stderr "digest"
  jq_in_order -c '.object="zzzzzzzz"' "$T/good" | sign "$T/far/node.key" > "$T/bad"
  run_status 5 gpuaas-state fold "$T/bad"
  assert_equal "$(slot_state)" wiping
  run_ok gpuaas-list evidence
  assert_equal "$output" ""
  run_ok gpuaas-state fold "$T/good"
  assert_equal "$(slot_state)" available
}

@test "one result that came too late does not keep the others out" {
  on_host gpuaas-wipe < "$T/orders" > "$T/results"
  enrol
  { head -n 1 "$T/results" | jq_in_order -c '.attempt="zzzzzzzz"' | sign "$T/far/node.key"; cat "$T/results"; } > "$T/mixed"
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

# seal KEY: makes the digest of the record on stdin again, and signs it with the host's own key
seal()
{
  local text
  text=$(jq_in_order -c 'del(.signature, .digest)')
  text=$(jq_in_order -c --arg d "sha256:$(printf %s "$text" | sha256sum | cut -d ' ' -f 1)" '.digest = $d' <<< "$text")
  printf 'gpuaas.signature/1\n%s' "$text" > "$T/text"
  openssl pkeyutl -sign -rawin -inkey "$1" -in "$T/text" -out "$T/value"
  jq_in_order -c --arg v "$(base64 -w 0 "$T/value")" --arg k "$(openssl pkey -in "$1" -pubout -outform DER |
    tail -c 32 | base64 -w 0)" '. + {signature: {key: $k, value: $v}}' <<< "$text"
}

@test "evidence is judged from its content: what lies in one member makes no slot available" {
  local change code member n=0
  declare -A seen=()
  head -n 1 "$T/orders" | on_host gpuaas-wipe > "$T/good"
  jq_in_order -c . "$T/good" | cmp - "$T/good"
  # Sealed again as it is it is the same: what is refused below is refused for its content.
  seal "$T/far/node.key" < "$T/good" | cmp - "$T/good"
  gpuaas-state backup "$T/before.db" > "$T/made"
  while IFS='|' read -r change code member; do
    rm -f "$GPUAAS_STATE"*
    cp "$T/before.db" "$GPUAAS_STATE"
    jq_in_order -c "$change" "$T/good" | seal "$T/far/node.key" > "$T/bad"
    run --separate-stderr gpuaas-state fold "$T/bad"
    echo "$change: $status"
    assert_equal "$(slot_state)" cleanup_blocked
    run_ok gpuaas-list slots --where "slot=$SLOT"
    jq_is '.blockers[-1].code' "$code"
    jq_is ".blockers[-1].evidence | contains(\"$member\")" true
    jq_is .tainted true
    run_ok gpuaas-state check
    refute_output gpuaas.finding
    refute_stderr "not judged by content"
    : $((++n))
    # The way back, once a code: another wipe, by the command that attention has.
    if [[ -z ${seen[$code]-} ]]; then
      seen[$code]=1
      run_ok gpuaas-list attention --where "object=$SLOT"
      jq_is '[.code, .command] | join(" ")' \
        "$code gpuaas-approve repair $SLOT --reason TEXT | gpuaas-on gpuaas-wipe | gpuaas-state fold -"
      gpuaas-approve repair "$SLOT" --reason "a test" | on_host gpuaas-wipe | gpuaas-state fold - > "$T/folded"
      assert_equal "$(slot_state)" available
    fi
  done <<'END'
.read_back.bytes_read = 0|wipe_not_proven|read_back.bytes_read is 0, and the disk has 16777216 bytes
.read_back.mismatches = 7|wipe_failed|read_back.mismatches is 7
.read_back = null|wipe_not_proven|read_back is null
.read_back.verify = "sampled"|wipe_below_policy|read_back.verify is sampled
.markers.surviving = 99|wipe_failed|markers.surviving is 99 of
.markers.written = 1|wipe_not_proven|markers.written is 1
.markers = null|wipe_not_proven|markers is null
.attempts = []|wipe_not_proven|attempts is empty
.attempts[0].outcome = "failed"|wipe_not_proven|attempts[0].outcome is failed
.attempts[0].method = "sanitize_crypto"|wipe_not_proven|attempts[0].method is sanitize_crypto
.guard[0].outcome = "failed"|wipe_not_proven|guard[0].outcome is failed
.guard = []|wipe_not_proven|guard has no step 'exclusive_open'
del(.guard[-1])|wipe_not_proven|guard has no step 'identity_after_open_files'
.device.size_bytes = 1|wrong_device|device.size_bytes is 1, and the disk of the slot has 16777216 bytes
.device.wwid = "eui.00000000000000ff"|wrong_device|device.wwid is eui.00000000000000ff
.device.serial = "S0"|wrong_device|device.serial is S0
.device.diskseq_after = "999"|wrong_device|device.diskseq_after is 999
.device.medium = "block"|wrong_device|device.medium is block
.gpu_identity = "slot:2:10de:2335"|wrong_device|gpu_identity is slot:2:10de:2335
.class = "purge"|wipe_below_policy|class is purge, and the best of attempts is clear
.policy.verify = "sampled"|wipe_below_policy|policy.verify is sampled
.gpu_reset.outcome = "failed"|gpu_reset_failed|gpu_reset.outcome is failed
.gpu_reset.outcome = "not_proven"|gpu_reset_not_proven|gpu_reset.outcome is not_proven
.gpu_reset.outcome = "not_needed"|gpu_reset_not_proven|gpu_reset.outcome is not_needed
.gpu_reset.step = "gpu_memory"|wipe_not_proven|gpu_reset.step is gpu_memory
.gpu_memory.outcome = "failed"|gpu_memory_not_proven|gpu_memory.outcome is failed
.vf_state.outcome = "failed"|vf_not_proven|vf_state.outcome is failed
.vf_state.outcome = "not_needed"|vf_not_proven|vf_state.outcome is not_needed
.status = 9|wipe_not_proven|status is 9, and outcome is confirmed
.reason = "failed: the drive failed"|wipe_not_proven|reason is 'failed: the drive failed'
.cause = "repair"|wipe_not_proven|cause is repair, and the order's is first
.cause = "alone"|wipe_not_proven|cause is alone
.read_back.finished_at = .started_at|wipe_not_proven|read_back.finished_at is
.outcome = "failed"|wipe_failed|outcome is failed
del(.rules)|evidence_old|rules is missing
END
  ((n == 35 && ${#seen[@]} == 9))
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

@test "a failure without an object stands in the audit once, however often it is folded" {
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
    .since = (now + 600 | todate | sub("Z$"; ".000000Z"))' | sign "$T/far/node.key" |
    gpuaas-state fold - > "$T/folded"
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
