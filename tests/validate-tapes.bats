# SPDX-License-Identifier: Apache-2.0
# gpuaas-validate: each scenario through whole runs: of its tapes, and of adapters without a scheduler.

load helper

setup()
{
  common_setup
  ADAPTERS=$SRC/tests/adapters TAPES=$T/tapes
  export TAPES
  scenarios
}

# All scenarios in $T/all. In the place of a trace stand the jobs that its tape has, which end soon.
scenarios()
{
  local file id
  mkdir "$T/all"
  for file in "$SRC"/share/scenarios/*.json; do
    id=$(basename "$file" .json)
    sed -n 's/^# trace //p' "$SRC/tests/tapes/$id.pass" | command jq --slurp --slurpfile scenario "$file" '
      map({submit: .}) as $jobs | $scenario[0] |
      .act |= map(if .trace then $jobs[] else . end) |
      (.expect[] | select(.within_seconds == 2592000)).within_seconds = 3600' > "$T/all/$id.json"
  done
}

# Runs all scenarios through an adapter into $T/verdicts.
run_all() # ADAPTER
{
  gpuaas-validate run --adapter "$ADAPTERS/$1" --scenarios "$T/all" > "$T/verdicts" 2> "$T/err" ||
    [[ $? -eq 1 ]]
  [[ ! -s $T/err ]]
  assert_equal "$(wc -l < "$T/verdicts")" "$(ls "$T/all" | wc -l)"
}

@test "each scenario passes the tape of a technology that keeps its rule" {
  ls "$SRC"/tests/tapes/*.pass > "$TAPES"
  run_all tape
  command jq -r 'select(.outcome != "pass") | "\(.scenario) \(.outcome): \(.why)"' "$T/verdicts" > "$T/wrong"
  assert_equal "$(< "$T/wrong")" ""
  "$SRC/tests/validate" "$SRC/share/schema" < "$T/verdicts"
}

@test "each scenario fails the tape of its negative, by the check that the tape names" {
  ls "$SRC"/tests/tapes/*.fail > "$TAPES"
  run_all tape
  for tape in "$SRC"/tests/tapes/*.fail; do
    echo "$(basename "$tape" .fail)$(sed -n 's/^# fails/ fails/p' "$tape")"
  done > "$T/expected"
  while read -r id _ check; do
    command jq -r --arg id "$id" --arg check "$check" 'select(.scenario == $id and .outcome == "fail" and
      ((.why | contains($check)) or any(.checks[]; .id == $check and .result == "missed"))) |
      "\($id) fails \($check)"' "$T/verdicts"
  done < "$T/expected" > "$T/actual"
  assert_equal "$(< "$T/actual")" "$(< "$T/expected")"
}

# The requirements whose MUSTs of full coverage all pass, of the verdicts of a run.
supported()
{
  command jq -r --slurp --slurpfile verdicts "$T/verdicts" '
    ($verdicts | map({key: .scenario, value: .outcome}) | from_entries) as $outcome |
    [.[] | select(.level == "must") | .id as $id | .requirements[] | select(.coverage == "full") |
      {requirement: .id, outcome: $outcome[$id]}] |
    group_by(.requirement)[] | select(all(.outcome == "pass")) | .[0].requirement' "$T"/all/*.json
}

@test "an adapter that says yes to everything passes no MUST" {
  GUESS=yes run_all guess
  command jq -r 'select(.outcome == "pass").scenario' "$T/verdicts" > "$T/passed"
  while read -r id; do
    command jq -e '.level == "should"' "$T/all/$id.json" > /dev/null || echo "$id"
  done < "$T/passed" > "$T/wrong"
  assert_equal "$(< "$T/wrong")" ""
  assert_equal "$(supported)" ""
}

@test "an adapter that rolls dice supports no requirement" {
  for seed in ${GA_SEEDS:-1}; do
    GUESS=$seed run_all guess
    assert_equal "seed $seed: $(supported)" "seed $seed: "
  done
}
