# SPDX-License-Identifier: Apache-2.0
# The runbook has each code that the programs give, and no other.

load helper

setup()
{
  common_setup
  # A copy of what is compared, to be broken.
  mkdir -p "$T/tree/tests"
  cp "$SRC/tests/codes" "$T/tree/tests"
  cp -r "$SRC/man" "$SRC/lib" "$SRC/bin" "$T/tree"
}

codes()
{
  "$T/tree/tests/codes" "$GPUAAS_BUILD"
}

@test "each state, blocker, refusal, drift, phase and warning has its item, and each item its code" {
  run_ok codes
  assert_equal "$output" ""
  # It does not agree for want of anything to compare.
  run_ok "$T/tree/tests/codes" "$GPUAAS_BUILD" --list
  ((${#lines[@]} > 250))
  for one in $'SLOTS\tcleanup_blocked' $'DRIFT\tnat_missing' $'REFUSALS\tno_capacity' \
    $'BLOCKERS\twipe_unknown' $'ATTENTION\thold_over' $'PHASES\trebuild_wipe' \
    $'PREREQUISITES\tkvm' $'WARNINGS\tnode_id_clone' $'ANSWERS OF NODES\tnode_draining' \
    $'REFUSED BY THE STATE\tconcurrent_update' $'DRAINS\tin_use' $'POWER\tstopped' $'POWER\trebuilt' $'POWER\tguest_did_not_stop' \
    $'FAILURES\tfm_nvlink_error' $'FAILURES\tno_lease' $'ANSWERS OF MATCH\tno_basis' \
    $'FINDINGS OF LABELS\tlossy' $'FINDINGS OF LABELS\tmachine' \
    $'WARNINGS OF NODES\ttype_conflict' $'WARNINGS OF PODS\tdevice_repeated' \
    $'WARNINGS OF PODS\tannotation_wrong'; do
    grep -qxF "$one" <<< "$output"
  done
}

@test "a new code, an item of an old one and a wrong order are found" {
  sed -i 's/ga_reasons_add(ret, "missing_gpu"/ga_reasons_add(ret, "gpu_on_fire"/' "$T/tree/lib/decide/slot/verdict.c"
  sed -i 's/say(ret, "no_single_node"/say(ret, "spread_out"/' "$T/tree/lib/decide/place/refuse.c"
  sed -i 's/too_late(p, "no_lease"/too_late(p, "no_packet"/' "$T/tree/lib/act/vm/provision_ready.c"
  sed -i 's/^\.It Sy hold_over$/.It Sy held_over/' "$T/tree/man/gpuaas-codes.7"
  sed -i 's/^\.It Sy cleanup_blocked$/.It Sy blocked/' "$T/tree/man/gpuaas-operations.7"
  run_status 1 codes
  for line in "gpuaas-codes.7: BLOCKERS has no item 'gpu_on_fire'" \
    "gpuaas-codes.7: REFUSALS has no item 'spread_out'" \
    "gpuaas-codes.7: REFUSALS: nothing gives the code 'no_single_node'" \
    "gpuaas-codes.7: FAILURES has no item 'no_packet'" \
    "gpuaas-codes.7: FAILURES: nothing gives the code 'no_lease'" \
    "gpuaas-codes.7: ATTENTION has no item 'hold_over'" \
    "gpuaas-codes.7: ATTENTION: nothing gives the code 'held_over'" \
    "gpuaas-codes.7: the items of ATTENTION are not in the order of the alphabet" \
    "gpuaas-operations.7: SLOTS has no item 'cleanup_blocked'"; do
    assert_output "$line"
  done
}

@test "a new code of what Kubernetes says is found, and one that stands in no known way is a finding" {
  sed -i 's/ga_view_warn(v, "memory_ratio"/ga_view_warn(v, "memory_odd"/' "$T/tree/lib/catalog/weigh.c"
  sed -i 's/? "device_repeated" : "device_missing"/? "device_twice" : "device_missing"/' \
    "$T/tree/lib/exchange/kube/claim.c"
  sed -i 's/warn(ret, "annotation_wrong"/warn(ret, "annotation_odd"/' "$T/tree/lib/exchange/kube/pod.c"
  sed -i 's/w->code = "lossy"/w->code = "vague"/' "$T/tree/lib/exchange/kube/label.c"
  sed -i 's/"info", "machine", keys/"info", "cloud", keys/' "$T/tree/lib/exchange/kube/label.c"
  run_status 1 codes
  for line in "WARNINGS OF NODES has no item 'memory_odd'" \
    "WARNINGS OF NODES: nothing gives the code 'memory_ratio'" \
    "WARNINGS OF PODS has no item 'device_twice'" "WARNINGS OF PODS has no item 'annotation_odd'" \
    "FINDINGS OF LABELS has no item 'vague'" "FINDINGS OF LABELS has no item 'cloud'"; do
    assert_output "gpuaas-codes.7: $line"
  done
  sed -i 's/ga_view_warn(v, "memory_odd"/ga_view_warn(v, odd/' "$T/tree/lib/catalog/weigh.c"
  run_status 1 codes
  assert_stderr "ga_view_warn() is given the code 'odd'"
}
