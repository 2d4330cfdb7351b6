# SPDX-License-Identifier: Apache-2.0
# gpuaas-validate: scenarios through adapters that work, that break, and that lie.

load helper

setup()
{
  common_setup
  TOY=$SRC/tests/adapters/toy FAULTY=$SRC/tests/adapters/odd
  export ODD_PIDS=$T/pids ODD_VERBS=$T/verbs TOY_SCALE=5
  : > "$ODD_PIDS"
}

# No adapter is left, no child of one, and no folder.
nothing_left()
{
  local pid
  while read -r pid; do
    wait_for 10 has_ended "$pid"
  done < "$ODD_PIDS"
  assert_equal "$(ls -A "$TMPDIR")" ""
}

# A scenario in $T/own: PRI-04 under this id, changed by FILTER.
own() # ID FILTER
{
  mkdir -p "$T/own"
  command jq --arg id "$1" ".id = \$id | $2" "$SRC/share/scenarios/PRI-04.json" > "$T/own/$1.json"
}

@test "a scheduler that keeps the rules passes, and one that evicts the oldest first fails and the reason says so" {
  run_ok gpuaas-validate run --adapter "$TOY" --only PRI-04 --only REC-01
  jq_is '"\(.scenario) \(.outcome) \(.why)"' $'PRI-04 pass all checks are met\nREC-01 pass all checks are met'
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
  printf '#!/bin/sh\nexec %q --oldest\n' "$TOY" > "$T/oldest"
  chmod +x "$T/oldest"
  run_status 1 gpuaas-validate run --adapter "$T/oldest" --only REC-01
  jq_is .outcome fail
  jq_is .why "kept: 'own1' is evicted at 0.0 s"
  nothing_left
}

@test "what a technology has no notion of is unsupported and not tried" {
  run_status 1 gpuaas-validate run --adapter "$FAULTY" --only QUO-01
  jq_is '"\(.outcome): \(.why)"' 'unsupported: no such notion: limits'
  assert_equal "$(sort -u "$ODD_VERBS")" hello
  nothing_left
}

# odd FAULT VERB REASON: inconclusive, for this reason, and nothing is left.
odd()
{
  : > "$ODD_PIDS"
  run env ODD="$1" ODD_AT="$2" gpuaas-validate run --adapter "$FAULTY" --only PRI-04
  if [[ $status -ne 1 ]] || ! jq -e --arg why "$3" '.outcome == "inconclusive" and (.why | contains($why))' \
    <<< "$output" > "$T/matches" || ! "$SRC/tests/validate" "$SRC/share/schema" <<< "$output" > "$T/valid"; then
    echo "$1: $status: $output" | head -c 2000
    return 1
  fi
  nothing_left
}

@test "an adapter that breaks makes an outcome inconclusive, and leaves nothing behind" {
  export TOY_SCALE=2 # a deadline of a second
  odd hang jobs "jobs: timeout: no reply before the deadline"
  odd late jobs "jobs: timeout: no reply before the deadline"
  odd 'endless stderr' jobs "jobs: timeout: no reply before the deadline"
  odd child jobs "jobs: timeout: no reply before the deadline"
  odd setsid jobs "jobs: timeout: no reply before the deadline"
  odd die jobs "jobs: died: it ended before it replied: the licence of the toy has expired"
  odd die hello "the adapter did not say what it is: died: it ended before it replied: the licence"
  odd close jobs "jobs: died: it ended before it replied"
}

@test "what the shell before it started is not an adapter's, and goes on" {
  export TOY_SCALE=2 ODD=setsid ODD_AT=jobs FAULTY
  # A process keeps its children when it becomes another program.
  run sh -c 'sleep 101 & echo $! > "$T/bystander"; exec gpuaas-validate run --adapter "$FAULTY" --only PRI-04'
  assert_status 1
  kill -0 "$(< "$T/bystander")"
  kill "$(< "$T/bystander")"
  nothing_left
}

@test "an adapter that talks nonsense makes an outcome inconclusive" {
  export TOY_SCALE=2
  odd endless jobs "jobs: failed: the reply is no JSON object"
  odd blank jobs "jobs: failed: the reply is no JSON object"
  odd 'no json' jobs "jobs: failed: the reply is no JSON object"
  odd 'no object' jobs "jobs: failed: the reply is no JSON object"
  odd 'no utf-8' jobs "jobs: failed: the reply is no JSON object"
  odd long jobs "jobs: failed: a reply is longer than 4 MiB"
  odd 'other id' jobs "jobs: failed: the reply has id"
  odd twice submit "failed: the reply has id"
  odd 'no result' jobs "jobs: failed: the reply has no result"
  odd 'wrong result' jobs "jobs: failed: the result: member 'jobs"
  odd both jobs "jobs: failed: the reply is ok and has an error"
  odd words jobs "jobs: failed: two?lines and much"
  odd 'no result' hello "the adapter did not say what it is: failed: the reply has no result"
}

@test "an adapter that lies about jobs makes an outcome inconclusive" {
  odd ghost jobs "jobs: failed: it shows a job that was never submitted"
  odd 'job twice' jobs "jobs: failed: it shows a job twice"
  odd silent submit "submit: failed: it says nothing of a job that was submitted"
  odd leftovers teardown "teardown: failed: it left behind: queue a"
}

@test "an adapter that gives one id to several jobs fails a scenario about lost jobs" {
  ODD='same id' ODD_AT=jobs run_status 1 gpuaas-validate run --adapter "$FAULTY" --only REL-04
  jq_is '"\(.outcome): \(.why)"' "fail: none-lost: id 1 was given to 'race1' and to 'race2'"
  nothing_left
}

@test "an adapter that does not tear down spoils the next scenario, which does not pass" {
  ODD=forget ODD_AT=teardown run_status 1 gpuaas-validate run --adapter "$FAULTY" --only PRI-04 --only REC-01
  jq_slurp_is 'map("\(.scenario) \(.outcome)") | join(", ")' "PRI-04 pass, REC-01 inconclusive"
  assert_output "it shows a job that was never submitted"
  nothing_left
}

@test "a signal tears down once and leaves no process and no folder" {
  TOY_SCALE=100 background gpuaas-validate run --adapter "$FAULTY" --only PRI-04 > "$T/out" 2> "$T/err"
  wait_for 20 grep -q jobs "$ODD_VERBS"
  kill -INT "$BG_PID"
  status=0
  wait "$BG_PID" || status=$?
  assert_equal "$status" 8
  assert_equal "$(grep -c teardown "$ODD_VERBS")" 1
  grep -q interrupted "$T/err"
  [[ ! -s $T/out ]]
  nothing_left
}

@test "a signal while the adapter hangs ends the request soon, and the scenario has no verdict" {
  TOY_SCALE=100 ODD=hang background gpuaas-validate run --adapter "$FAULTY" --only PRI-04 > "$T/out" 2> "$T/err"
  wait_for 20 grep -q jobs "$ODD_VERBS"
  kill -TERM "$BG_PID"
  status=0
  wait "$BG_PID" || status=$?
  assert_equal "$status" 8
  assert_equal "$(grep -c teardown "$ODD_VERBS")" 1
  [[ ! -s $T/out ]]
  nothing_left
}

@test "an adapter that cannot be executed is refused before anything runs" {
  : > "$T/file"
  run_status 6 gpuaas-validate run --adapter "$T/file"
  assert_stderr "cannot be executed"
  assert_stderr "chmod +x"
  run_status 6 gpuaas-validate run --adapter "$T"
  run_status 5 gpuaas-validate run --adapter "$T/none"
  run_status 2 gpuaas-validate run
  run_status 5 gpuaas-validate run --adapter "$FAULTY" --only PRI-99
  assert_stderr "gpuaas-validate list"
  [[ ! -s $ODD_PIDS ]]
  nothing_left
}

# refused STATUS TEXT: the folder of scenarios is refused, and nothing is run.
refused()
{
  run_status "$1" gpuaas-validate run --adapter "$FAULTY" --scenarios "$T/own"
  assert_stderr "$2"
  [[ ! -s $ODD_PIDS ]]
  rm -r "$T/own"
}

@test "a file that is no scenario is refused with its place" {
  own X-01 '.expect[0].check = "arre"'
  refused 3 "member 'expect[0].check'"
  own X-01 '.expect[0].jobs = ["q*"]'
  refused 3 "expect 'order' names job 'q*', which no step submits"
  own X-01 '.expect[0].jobs = []'
  refused 3 "expect 'order' is of kind order and lacks jobs"
  own X-01 '.expect[0].at_worst_seconds = 30'
  refused 3 "expect 'order' has at_worst_seconds that are not later than within_seconds"
  own X-01 '.expect[0].surprise = 1'
  refused 3 surprise
  own X-01 .
  mv "$T/own/X-01.json" "$T/own/X-02.json"
  refused 3 "its name must be X-01.json"
  mkdir "$T/own"
  mkfifo "$T/own/X-01.json"
  refused 3 "is no regular file"
  own X-01 .
  head -c 2M /dev/zero | tr '\0' ' ' >> "$T/own/X-01.json"
  refused 3 "is longer than 1 MiB"
  mkdir "$T/own"
  echo '{' > "$T/own/X-01.json"
  refused 3 "line"
  mkdir "$T/own"
  refused 5 "has no scenario"
}

@test "an id with a typing error is refused with the near ones, before anything runs" {
  run_status 5 gpuaas-validate run --adapter /bin/true --only PRI-4
  assert_stderr "has no scenario 'PRI-4'"
  assert_stderr "hint: near to it: 'PRI-04'"
}

@test "list has the scenarios, in a table too, and --only completes their ids" {
  run_ok gpuaas-validate list
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
  assert_equal "$(wc -l <<< "$output")" "$(ls "$SRC"/share/scenarios | wc -l)"
  COLUMNS=80 run_ok gpuaas-validate list --table
  assert_output "REC-01"
  assert_equal "$(awk 'length > 80' <<< "$output")" ""
  run_ok gpuaas-validate --complete run --only REC-0
  assert_output $'REC-01\tan owner gets its guarantee back'
}

@test "the scenarios of an installed program are found, wherever it is" {
  mkdir -p "$T/usr/bin" "$T/usr/share/gpuaas/scenarios"
  cp "$GPUAAS_BUILD/bin/gpuaas-validate" "$T/usr/bin"
  cp "$SRC/share/scenarios/PRI-04.json" "$T/usr/share/gpuaas/scenarios"
  run_ok "$T/usr/bin/gpuaas-validate" list
  jq_is .id PRI-04
}

@test "the pages have every verb and member of the messages, and every word of a scenario" {
  mandoc -T utf8 -O width=100 "$SRC/man/gpuaas-adapter.7" | sed 's/.\x08//g' > "$T/adapter"
  mandoc -T utf8 -O width=100 "$SRC/man/gpuaas-scenario.5" | sed 's/.\x08//g' > "$T/scenario"
  jq -r '[.. | .properties? // empty | keys[]], (.["$defs"] // {} | keys), (.properties.verb.enum // []) | .[]' \
    "$SRC"/share/schema/adapter-*.json | sort -u > "$T/words"
  [[ -s $T/words ]]
  while read -r word; do
    grep -qw -- "$word" "$T/adapter" || { echo "gpuaas-adapter(7) lacks $word"; return 1; }
  done < "$T/words"
  jq -r '.. | (.properties? // {} | keys[]), (.enum? // [] | .[])' "$SRC/share/schema/scenario.json" | sort -u > "$T/words"
  [[ -s $T/words ]]
  while read -r word; do
    grep -qw -- "$word" "$T/scenario" || { echo "gpuaas-scenario(5) lacks $word"; return 1; }
  done < "$T/words"
  # And every reason that a scenario knows.
  jq -r '(.given + .expect)[] | .codes[]?' "$SRC"/share/scenarios/*.json | sort -u > "$T/words"
  while read -r word; do
    grep -qw -- "$word" "$T/adapter" || { echo "gpuaas-adapter(7) lacks the reason $word"; return 1; }
  done < "$T/words"
}

@test "the adapter and the scenario of the pages work" {
  sed -n '/^#!\/usr\/bin\/python3/,/^\.Ed/p' "$SRC/man/gpuaas-adapter.7" |
    sed '/^\.Ed/d; s/^\\&//; s/\\e/\\/g' > "$T/adapter"
  chmod +x "$T/adapter"
  SCALE=5 run_ok gpuaas-validate run --adapter "$T/adapter" --only PRI-04
  jq_is .outcome pass
  mkdir "$T/own"
  sed -n '/^{$/,/^}$/p' "$SRC/man/gpuaas-scenario.5" > "$T/own/MY-01.json"
  run_ok gpuaas-validate run --adapter "$TOY" --scenarios "$T/own"
  jq_is '"\(.scenario) \(.outcome)"' "MY-01 pass"
}
