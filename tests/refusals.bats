#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# Refusals of placement are kept: gpuaas-list refusals, gpuaas-report refusals and the metrics.

load helper

setup()
{
  common_setup
  gpuaas-state init --lab > "$T/init"
  jq_in_order -c '.vcpus_per_gpu = 1' "$SRC/share/objects/lab.json" > "$T/lab.json"
  cat >> "$T/lab.json" << 'END'
{"kind":"gpuaas.profile/1","name":"whole","shape":"baremetal","price_micros":0,"wipe":{"minimum_class":"clear","verify":"full","gpu_memory":"if_supported"}}
{"kind":"gpuaas.profile/1","name":"old","shape":"slice","types":["nvidia-h200-141gb"],"counts":[1,8],"price_micros":0,"retired":true,"wipe":{"minimum_class":"clear","verify":"full","gpu_memory":"if_supported"}}
{"kind":"gpuaas.image/1","name":"lab","digest":"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","format":"raw","file_bytes":1048576,"size_bytes":1048576,"firmware":"bios","probe":"running","user":"ubuntu"}
END
  gpuaas-state apply "$T/lab.json" > "$T/apply"
  # A test that begins at the end of a day would have rows of two days.
  wait_for 120 is_early_enough
}

is_early_enough()
{
  [[ $(date -u +%H:%M:%S) < 23:58:30 ]]
}

# fleet NODES SLOTS: that many nodes of that many clean slots, each with the image.
fleet()
{
  setup_host h200
  in_host gpuaas-discover > "$T/h200.rec"
  "$SRC/tests/fleet" "$1" "$2" < "$T/h200.rec" > "$T/fleet.rec"
  wiped_fleet
}

# refused OPTION…: a request that placement refuses
refused()
{
  run_status 1 gpuaas-place --profile lab --image lab "$@"
}

kept()
{
  gpuaas-list refusals | jq -r "$1"
}

metric()
{
  gpuaas-export openmetrics | grep "^$1{" | sort
}

@test "a refused request is one row of a day, however often it is made" {
  for _ in 1 2 3; do refused --gpus 4 --project vision --name big; done
  refused --gpus 4 --project vision --name other
  run_ok gpuaas-list refusals
  jq_slurp_is 'map("\(.name) \(.count) \(.attempts) \(.code)")|join(",")' \
    "big 4 3 no_capacity,other 4 1 no_capacity"
  jq_slurp_is '.[0] | "\(.project) \(.profile) \(.shape) \(.type) \(.types|tostring) \(.request_id)"' \
    'vision lab slice null [] null'
  jq_slurp_is '.[0] | .day == .first_at[:10] and .last_at > .first_at and (.user | test("root"))' true
  jq_slurp_is '.[0].sentence == .[1].sentence' true
  run_ok gpuaas-list refusals --where name=other --table
  assert_output "no_capacity"
  # User and project stand in 80 columns; the type, the same in all rows, goes first.
  COLUMNS=80 run_ok gpuaas-list refusals --table
  [[ ${lines[0]} =~ ^LAST.*CODE.*GPUS.*PROFILE.*PROJECT.*USER$ ]]
  run_ok gpuaas-list refusals --newest --limit 1
  jq_is .name other
  run_ok gpuaas-list refusals --after 1
  jq_is .name other
  run_ok gpuaas-list refusals --since 2030-01-01T00:00:00Z
  assert_equal "$output" ""
  run_ok gpuaas-state check
}

@test "a row tells user, project, profile, shape, type, GPUs, name, request id and reason apart" {
  refused --gpus 1
  refused --gpus 2
  refused --gpus 1 --project p
  refused --gpus 1 --request-id a
  refused --gpus 1 --request-id b
  refused --gpus 1 --type nvidia-h200-141gb
  refused --gpus 1 --type b200 --type nvidia-h200-141gb
  run_status 1 gpuaas-place --profile whole
  run_status 1 gpuaas-place --profile old
  refused --gpus 1 --node nowhere
  assert_equal "$(kept '"\(.profile) \(.shape) \(.count) \(.project) \(.request_id) \(.type) \(.code)"')" \
"lab slice 1 default null null no_capacity
lab slice 2 default null null no_capacity
lab slice 1 p null null no_capacity
lab slice 1 default a null no_capacity
lab slice 1 default b null no_capacity
lab slice 1 default null nvidia-h200-141gb no_capacity
lab slice 1 default null nvidia-b200-180gb no_capacity
whole baremetal null default null null no_capacity
old slice 1 default null nvidia-h200-141gb profile_retired
lab slice 1 default null null node_missing"
}

@test "a dry run, the guide and a request that is placed keep nothing; a stream keeps each" {
  refused --gpus 4 --dry-run
  assert_equal "$(kept .seq)" ""
  fleet 1 2
  run_ok gpuaas-place --profile lab --gpus 1
  assert_equal "$(kept .seq)" ""
  jq_in_order -nc '(1, 8, 8, 1) | {kind: "gpuaas.request/1", profile: "lab", count: .}' > "$T/requests"
  echo '{"kind":"gpuaas.request/1","profile":"lab","types":["gtx9"],"name":"typo"}' >> "$T/requests"
  run gpuaas-place < "$T/requests"
  assert_equal "$(kept '"\(.count) \(.attempts) \(.type) \(.name)"')" $'8 2 null null\n1 1 null null\n1 1 null typo'
  # what evacuation tries is no demand of a user
  run gpuaas-node drain n000 --evacuate
  assert_equal "$(kept .seq | wc -l)" 3
}

# adds_up REPORT: its groups, whatever they are, add up to the total of all
adds_up()
{
  local by all
  # shellcheck disable=SC2016 # jq's variables
  all='[.[] | [.requests, .gpus, .gpu_days, .attempts]] | transpose | map(add) | join(" ")'
  for by in code,type code user day project,profile code,day; do
    assert_equal "$by: $(gpuaas-report refusals "$@" --by "$by" | jq -rs "$all")" \
      "$by: $(gpuaas-report refusals "$@" --by profile | jq -rs "$all")"
  done
}

@test "the report and the metrics count a request once, and no mistake" {
  for _ in 1 2 3; do refused --gpus 8 --name big; done
  refused --gpus 2 --type nvidia-h200-141gb
  # Names that nothing has, and what the profile does not sell: no GPU would have helped.
  refused --gpus 8 --name big --node nowhere
  echo '{"kind":"gpuaas.request/1","profile":"lab","types":["gtx9"],"name":"typo"}' > "$T/typo"
  run_status 2 gpuaas-place < "$T/typo"
  run_status 1 gpuaas-place --profile old
  run_ok gpuaas-report refusals
  jq_slurp_is 'map("\(.code) \(.type) \(.requests) \(.gpus) \(.gpu_days) \(.attempts)")|join(",")' \
    "no_capacity null 1 8 8 3,no_capacity nvidia-h200-141gb 1 2 2 1"
  run_ok gpuaas-report refusals --by profile
  jq_is '"\(.profile) \(.code) \(.requests) \(.gpus) \(.attempts)"' "lab null 2 10 4"
  assert_equal "$(kept .code | sort -u | paste -sd ' ')" "no_capacity node_missing profile_retired unknown_type"
  # the same request on the day before: one request, and a second day
  state_sql "INSERT INTO refusal (day, actor, project, profile, shape, type, types, count, name,
      request_id, code, sentence, attempts, first_at, last_at)
    SELECT date(day, '-1 day'), actor, project, profile, shape, type, types, count, name, request_id,
      code, sentence, 5, date(day, '-1 day') || 'T10:00:00.000000Z',
      date(day, '-1 day') || 'T11:00:00.000000Z' FROM refusal WHERE seq = 1"
  # and for another reason: it stands with the first
  state_sql "INSERT INTO refusal (day, actor, project, profile, shape, type, types, count, name,
      request_id, code, sentence, attempts, first_at, last_at)
    SELECT day, actor, project, profile, shape, type, types, count, name, request_id,
      'topology_blocked', sentence, 2, last_at, last_at FROM refusal WHERE seq = 1"
  run_ok gpuaas-report refusals --from 72h --by code
  jq_slurp_is 'map("\(.code) \(.requests) \(.gpus) \(.gpu_days) \(.attempts)")|join(",")' \
    "no_capacity 2 10 18 9,topology_blocked 0 0 0 2"
  run_ok gpuaas-report refusals --from 72h --by day
  jq_slurp_is 'map("\(.requests) \(.gpus) \(.gpu_days) \(.attempts)")|join(",")' "1 8 8 5,1 2 10 6"
  adds_up --from 72h
  run_ok gpuaas-report refusals --from 72h --by code,user,project --table
  assert_output "2 requests for 10 GPUs refused, in 11 attempts"
  # The verdict has the form of time that tables have, and the list is a history.
  [[ $output =~ [0-9]\ [0-9:]{8}Z\ to\ [0-9-]{10}\ [0-9:]{8}Z:\ 2\ requests ]]
  run_ok gpuaas-report refusals --from 2020-01 --to 2020-02 --table
  assert_output "0 requests for 0 GPUs refused, in 0 attempts"
  run_ok gpuaas-report refusals --from 2020-01 --to 2020-02
  assert_equal "$output" ""
  run_ok gpuaas-list refusals --table
  [[ ${lines[1]} =~ \ [0-9-]{10}\ [0-9:]{8}Z ]]
  run_status 2 gpuaas-report refusals --by node
  assert_stderr "code type project profile user day"
  run_status 2 gpuaas-report refusals --by cod
  assert_stderr "'code'"
  run_status 2 gpuaas-report refusals --by code,
  assert_equal "$(metric gpuaas_refusals)" 'gpuaas_refusals{code="no_capacity",type="nvidia-h200-141gb"} 1
gpuaas_refusals{code="no_capacity"} 1'
  assert_equal "$(metric gpuaas_refused_gpus)" 'gpuaas_refused_gpus{code="no_capacity",type="nvidia-h200-141gb"} 2
gpuaas_refused_gpus{code="no_capacity"} 8'
  assert_equal "$(metric gpuaas_refusal_attempts)" 'gpuaas_refusal_attempts{code="no_capacity",type="nvidia-h200-141gb"} 1
gpuaas_refusal_attempts{code="no_capacity"} 3'
  # The next day of the month is no new request for the metrics, and the next month is.
  state_sql "UPDATE refusal SET day = date(day, 'start of month'), name = 'later' WHERE seq = 1;
    DELETE FROM refusal WHERE seq <> 1"
  if [[ $(date -u +%d) != 01 ]]; then
    refused --gpus 8 --name later
    assert_equal "$(metric gpuaas_refused_gpus | tail -n 1)" 'gpuaas_refused_gpus{code="no_capacity"} 8'
    assert_equal "$(metric gpuaas_refusal_attempts | tail -n 1)" 'gpuaas_refusal_attempts{code="no_capacity"} 4'
    state_sql "DELETE FROM refusal WHERE seq <> 1"
  fi
  state_sql "UPDATE refusal SET day = date(day, '-1 day')"
  refused --gpus 8 --name later
  assert_equal "$(metric gpuaas_refused_gpus | tail -n 1)" 'gpuaas_refused_gpus{code="no_capacity"} 16'
}

@test "old rows go and the sums stay; a user has a bounded number of rows on a day" {
  refused --gpus 1 --name first
  state_sql "UPDATE refusal SET day = '2020-01-01'"
  refused --gpus 1 --name second
  assert_equal "$(kept .name)" second
  assert_equal "$(metric gpuaas_refusals)" 'gpuaas_refusals{code="no_capacity"} 2'
  state_sql "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
    INSERT INTO refusal (day, actor, project, profile, shape, type, types, count, name, request_id,
      code, sentence, attempts, first_at, last_at)
    SELECT day, actor, project, profile, shape, type, types, count, 'n' || i, '', code, sentence, 1,
      first_at, last_at FROM refusal, n"
  refused --gpus 1 --name second
  for name in a b c; do refused --gpus 1 --project "p$name" --name "new-$name" --request-id "$name"; done
  assert_equal "$(kept .seq | wc -l)" 1001
  assert_equal "$(gpuaas-list refusals --newest --limit 1 |
    jq -r '"\(.project) \(.name) \(.request_id) \(.count) \(.attempts)"')" "null null null null 3"
  assert_equal "$(kept 'select(.name == "second") | .attempts')" 2
  # Requests that nobody else bounds share a row for each type, however they differ.
  for n in $(seq 1 30); do
    jq_in_order -nc --argjson n "$n" '{kind: "gpuaas.request/1", profile: "lab", count: (1 + $n % 8),
      types: (["nvidia-h200-141gb", "nvidia-b200-180gb", "nvidia-l40s-48gb", "nvidia-a100-sxm4-80gb"] |
        if $n % 2 == 1 then reverse else . end | .[:1 + $n % 4]), name: "n\($n)x"}'
  done > "$T/requests"
  run_status 1 gpuaas-place < "$T/requests"
  # two types, and two codes
  assert_equal "$(kept .seq | wc -l)" 1005
  # A profile that does not exist is none that a user can fill the rows with.
  for n in 1 2 3; do run gpuaas-place --profile "none$n" --type gtx9; done
  assert_equal "$(kept .seq | wc -l)" 1005
  run_ok gpuaas-state check
}

@test "a refusal is given, and plans stand, when it cannot be kept" {
  fleet 1 2
  state_sql "CREATE TRIGGER no_room BEFORE INSERT ON refusal BEGIN SELECT RAISE(ABORT, 'no room'); END"
  jq_in_order -nc '(1, 8) | {kind: "gpuaas.request/1", profile: "lab", count: .}' > "$T/requests"
  run_status 1 gpuaas-place < "$T/requests"
  jq_slurp_is 'map(.kind)|join(" ")' "gpuaas.plan/1 gpuaas.refusal/1"
  assert_stderr "the refusal is not kept in the state"
  assert_stderr "no room"
  assert_equal "$(state_sql "SELECT count(*) FROM claim WHERE live = 1")" 1
  assert_equal "$(state_sql 'SELECT count(*) FROM refusal_total')" 0
  # Without a plan they are kept in one transaction with the decision: the answer stands, too.
  refused --gpus 8
  assert_equal "$(jq -r .code <<< "$output")" no_capacity
  assert_stderr "no room"
  state_sql "DROP TRIGGER no_room"
  run_status 1 gpuaas-place < "$T/requests"
  refute_stderr "not kept"
  assert_equal "$(kept .count)" 8
}

@test "a report with a group for each row takes no longer than one with few" {
  refused --gpus 1
  state_sql "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 40000)
    INSERT INTO refusal (day, actor, project, profile, shape, type, types, count, name, request_id,
      code, sentence, attempts, first_at, last_at)
    SELECT day, actor, 'p' || i, profile, shape, type, types, count, name, '', code, sentence, 1,
      first_at, last_at FROM refusal, n"
  run_ok timeout 10 gpuaas-report refusals --by day,project --json
  assert_equal "${#lines[@]}" 40001
}

@test "hostile words of a request stay words" {
  jq_in_order -nc '{kind: "gpuaas.request/1", profile: "lab", count: 8, request_id: "a\"b $(id) x'\''; --"}' > "$T/requests"
  run_status 1 gpuaas-place < "$T/requests"
  assert_equal "$(kept .request_id)" "a\"b \$(id) x'; --"
  run_ok gpuaas-list refusals --table
  run_ok gpuaas-state check
}

@test "a backup keeps refusals, and a restore has those of the backup" {
  refused --gpus 1 --name first
  gpuaas-state backup "$T/b.db" > "$T/made"
  refused --gpus 1 --name second
  run_ok gpuaas-state restore "$T/b.db" --reason "a disk died"
  assert_equal "$(kept .name)" first
}
