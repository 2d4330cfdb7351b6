# SPDX-License-Identifier: Apache-2.0
# A day with forty hosts, in short (tests/day; make day is the long one): churn, failures, drains,
# reboots, lost hosts, restores, second controllers. Each fact that it
# checks after a step is made wrong once, and must be seen.

load helper

day()
{
  "$SRC/tests/day/run" --dir "$T/day" "$@" 3>&-
}

@test "forty hosts, three hundred events: nothing sold twice or unwiped, everything given back" {
  run day --seed "${DAY_SEED:-20261122}" --events "${DAY_EVENTS:-300}" --nodes 40 --slots 2
  [[ $status -eq 0 ]] || { echo "$output"; return 1; }
  assert_output "40 hosts, 80 slots, 300 events"
  echo "# ${lines[2]}" >&3
  # Of every kind of thing that a day has, at least one.
  for kind in place release at_once drain restore reboot host_back second_restored; do
    assert_output " $kind "
  done
}

@test "a host whose wipes erase nothing, a claim that is gone, a state that nobody leaves: seen" {
  run day --seed 7 --events 60 --nodes 3 --slots 2 --break wipe
  assert_status 1
  assert_output "has the data of"
  rm -rf "$T/day"
  run day --seed 7 --events 30 --nodes 3 --slots 2 --break claim
  assert_status 1
  assert_output "gpuaas-state check ended with 1"
  rm -rf "$T/day"
  run day --seed 7 --events 30 --nodes 3 --slots 2 --break exit
  assert_status 1
  assert_output "unknown_state"
  assert_output "again: make day SEED=7"
}

@test "a seed gives the same day again, also where programs run at the same time" {
  local args=(--seed 11 --events 90 --nodes 4 --slots 2 --verbose)
  run day "${args[@]}"
  assert_status 0
  printf '%s\n' "${lines[@]}" | grep -E '^[0-9]+ [a-z_]+: ' | grep -v ' backup: ' > "$T/first"
  rm -rf "$T/day"
  run day "${args[@]}"
  assert_status 0
  printf '%s\n' "${lines[@]}" | grep -E '^[0-9]+ [a-z_]+: ' | grep -v ' backup: ' > "$T/second"
  diff "$T/first" "$T/second"
  # More turns than programs: transactions of one can come between those of another.
  awk '/ at_once: / && $5 > $3 { n++ } END { exit !n }' "$T/first"
}
