# SPDX-License-Identifier: Apache-2.0
# The demo as a test: every stage ends as it should, and every record it prints fits its schema.

load helper

@test "the demo runs through, and each of its records fits its schema" {
  # Outside in_host: the sanitizers' log_path would crash under umockdev.
  run_ok env ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS= GPUAAS_PLAYGROUND="$T/playground" \
    "$SRC/share/demo/lifecycle" --json
  assert_output "GPUAAS_PLAYGROUND=$T/playground $SRC/share/demo/shell"
  grep '^{' <<< "$output" > "$T/records"
  "$SRC/tests/validate" "$SRC/share/schema" < "$T/records" > "$T/kinds"
  for kind in host candidate end slot plan explanation refusal allocation failure attention \
    released wipe-evidence drift observation claim task usage audit; do
    grep -q "gpuaas.$kind/1" "$T/kinds"
  done
  # A user can go on with the state that it leaves behind.
  run_status 1 env ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS= GPUAAS_PLAYGROUND="$T/playground" \
    "$SRC/share/demo/shell" gpuaas-reconcile --json
  jq_slurp_is '[.[] | select(.code == "domain_missing")] | length' 2
}
