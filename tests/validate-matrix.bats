# SPDX-License-Identifier: Apache-2.0
# gpuaas-validate new and matrix: the beginning of an adapter, and what bundles say together.

load helper

setup()
{
  common_setup
}

@test "the beginning of an adapter answers hello, setup and teardown, and says what to write next" {
  cd "$T"
  run_ok gpuaas-validate new htcondor
  assert_equal "$output" $'htcondor/adapter\nhtcondor/README.md'
  run grep -rl @NAME@ htcondor
  assert_equal "$output" ""
  assert_equal "$(bash -n htcondor/adapter 2>&1)" ""
  printf '#!/bin/sh\ntee -a %q | %q | tee -a %q\n' "$T/requests" "$T/htcondor/adapter" "$T/replies" > both
  chmod +x both
  run_status 1 gpuaas-validate run --adapter ./both --only PRI-04
  jq_is '"\(.outcome): \(.why)"' "inconclusive: queues: failed: the function queues of the adapter is not written yet"
  assert_equal "$(command jq -r .verb requests | paste -sd ' ')" "hello setup queues teardown"
  assert_equal "$(command jq -r .ok replies | paste -sd ' ')" "true true false true"
  assert_equal "$(command jq -r 'select(.result.technology).result.technology' replies)" htcondor
  run_status 1 gpuaas-validate run --adapter ./both --only QUO-01
  jq_is '"\(.outcome): \(.why)"' "unsupported: no such notion: limits"
  grep -q 'gpuaas-validate run --adapter ./adapter --only PRI-04' htcondor/README.md
}

@test "new makes no folder that exists, and none for a name that no technology can have" {
  cd "$T"
  mkdir there
  run_status 4 gpuaas-validate new there
  assert_stderr "'there' exists already"
  assert_equal "$(ls -A there)" ""
  run_ok gpuaas-validate new there --dir here
  [[ -x here/adapter ]]
  ln -s nowhere link
  run_status 4 gpuaas-validate new link
  run_status 2 gpuaas-validate new 'A b'
  assert_stderr "cannot be the name of a technology"
  run_status 2 gpuaas-validate new ../up
  [[ ! -e ../up ]]
}

@test "each scenario names requirements that are in the list, and each of these has a MUST scenario" {
  command jq -r '.requirements[].id' "$SRC/share/requirements.json" | sort > "$T/listed"
  assert_equal "$(uniq -d "$T/listed")" ""
  command jq -r '.requirements[].id' "$SRC"/share/scenarios/*.json | sort -u > "$T/named"
  assert_equal "$(comm -13 "$T/listed" "$T/named")" ""
  command jq -r 'select(.level == "must") | .requirements[] | select(.coverage == "full").id' \
    "$SRC"/share/scenarios/*.json | sort -u > "$T/shown"
  assert_equal "$(comm -23 "$T/listed" "$T/shown")" ""
  command jq -c . "$SRC/share/requirements.json" | "$SRC/tests/validate" "$SRC/share/schema"
}
