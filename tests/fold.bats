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
    jq -c 'select(.kind=="gpuaas.wipe-order/1")' > "$T/orders"
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
    jq -c "$change" "$T/good" > "$T/bad"
    run_status 4 gpuaas-state fold "$T/bad"
    assert_equal "$(slot_state)" wiping
  done
  jq -c '.class="purge"' "$T/good" > "$T/bad"
  run_status 3 gpuaas-state fold "$T/bad"
  assert_stderr "digest"
  jq -c '.object="zzzzzzzz"' "$T/good" > "$T/bad"
  run_status 5 gpuaas-state fold "$T/bad"
  assert_equal "$(slot_state)" wiping
  run_ok gpuaas-list evidence
  assert_equal "$output" ""
  run_ok gpuaas-state fold "$T/good"
  assert_equal "$(slot_state)" available
}

@test "one result that came too late does not keep the others out" {
  on_host gpuaas-wipe < "$T/orders" > "$T/results"
  { jq -c '.attempt="zzzzzzzz"' "$T/results" | head -n 1; cat "$T/results"; } > "$T/mixed"
  run_status 4 gpuaas-state fold "$T/mixed"
  run_ok gpuaas-list slots --where state=available
  jq_slurp_is length 2
}

@test "a wipe that cannot vouch for the disk blocks its slot" {
  # The disk is not the one that the order names: nothing is erased, and nothing is sold.
  head -n 1 "$T/orders" | jq -c '.nvme_wwid="eui.00000000000000ff"' |
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
