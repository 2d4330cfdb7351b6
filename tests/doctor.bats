#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# gpuaas-doctor: every check of a machine and its state, in the order in which a person acts.

load helper
load lab

# digest: of everything that a check could change
digest()
{
  find "$T" -path "$T/tmp" -prune -o -path "$T/out" -prune -o -path "$T/conf.*" -prune -o -type f ! -name '*-shm' ! -name '*-wal' \
    -print0 | sort -z | xargs -0 sha256sum
}

# Fakes of systemctl: fake WORD OUTPUT STATUS …: what it says to each word
fake_systemctl()
{
  mkdir -p "$T/bin"
  {
    echo '#!/bin/bash'
    echo 'case $* in'
    while (($#)); do
      printf '%s) echo %s; exit %s ;;\n' "$1" "$2" "$3"
      shift 3
    done
    echo 'esac'
    echo 'exit 1'
  } > "$T/bin/systemctl"
  chmod +x "$T/bin/systemctl"
}

doctor()
{
  "$SRC/tests/own-conf" "GPUAAS_PATH=$T/bin:$FIXED_PATH" gpuaas-doctor "$@"
}

# Runs a command without GPUAAS_STATE, which names a state.
without_name()
{
  (unset GPUAAS_STATE && "$@")
}

@test "a machine without GPU and state: nothing has to be done, and the checks that were left out are listed" {
  fake_systemctl
  # The state of this machine, if it has one, is none of the test's.
  [[ ! -e /var/lib/gpuaas/state.db ]] || skip "this machine has a state"
  run_ok without_name doctor --json
  jq_slurp_is 'map("\(.rank) \(.severity) \(.check) \(.code)")|join(",")' \
    "1 unchecked state no_state,2 unchecked discover null"
  assert_stderr "ok: nothing has to be done; what could not be checked is listed"
  run_ok without_name doctor --table
  assert_output "there is no state at"
  assert_equal "$(tail -n 1 <<< "$output")" "ok: nothing has to be done; what could not be checked is listed"
  [[ ! -e $GPUAAS_STATE && ! -e $GPUAAS_HOST_DIR ]]
}

@test "a state that is named and not there is the first thing to do: it is lost, or the name is wrong" {
  fake_systemctl
  run_status 1 doctor --json
  jq_slurp_is '.[0] | "\(.severity) \(.check) \(.code)"' "error state no_state"
  jq_slurp_is '.[0].sentence | test("^there is no state at .*gpuaas-state restore")' true
  assert_stderr "1 thing to do"
  run_status 1 without_name doctor --json --state "$T/sate.db"
  jq_slurp_is '.[0] | "\(.severity) \(.check) \(.code)"' "error state no_state"
  run_status 1 without_name "$SRC/tests/own-conf" "GPUAAS_STATE=$T/sate.db" gpuaas-doctor --json
  jq_slurp_is '.[0] | "\(.severity) \(.check) \(.code)"' "error state no_state"
}

@test "a damaged state comes first, then what needs a person; each with its command, and nothing changes" {
  fake_systemctl 'is-system-running' running 0
  make_lab
  slot=$(gpuaas-list slots --limit 1 | jq -r .slot)
  gpuaas-approve cordon "$slot" --reason "ticket 7" > "$T/said"
  digest > "$T/out"
  run_status 1 doctor --json
  jq_slurp_is 'map(select(.check == "attention"))|map("\(.severity) \(.code) \(.object) \(.command)")|join(",")' \
    "warning cordoned $slot gpuaas-approve uncordon $slot"
  jq_slurp_is '[.[].rank] == [range(1; length + 1)]' true
  assert_stderr "1 thing to do"
  diff "$T/out" <(digest)
  # acknowledged, it has not to be done, and is counted
  gpuaas-state acknowledge "$slot" --reason later --until 1d > "$T/said"
  run_ok doctor --json
  assert_stderr "1 acknowledged entry is hidden"
  gpuaas-state acknowledge "$slot" --remove > "$T/said"
  without_triggers "UPDATE audit SET actor = 'nobody(65534)' WHERE seq = 1"
  run_status 1 doctor --json
  jq_slurp_is '.[0] | "\(.check) \(.severity)"' "state error"
  jq_slurp_is 'map(.check)|index("state") < index("attention")' true
  # A cordon stands behind the fault of a later slot.
  other=$(gpuaas-list slots --where "slot!=$slot" | jq -rs '.[-1].slot')
  without_triggers "UPDATE slot SET state = 'cleanup_blocked' WHERE id = '$other'"
  run_status 1 doctor --json
  jq_slurp_is 'map(select(.check == "attention").object)|join(" ")' "$other $slot"
  without_triggers "UPDATE slot SET state = 'available' WHERE id = '$other'"
  jq_slurp_is 'map(select(.code == "audit_chain")) | .[0] | "\(.command) \(.sentence | test("with a backup$"))"' "null true"
  without_triggers "UPDATE device SET dirty_since = '2026-11-24T00:00:00.000000Z'
    WHERE id = (SELECT nvme_wwid FROM slot WHERE id = '$slot')"
  run_status 1 doctor --json
  # A command with a text to fill in stands in the sentence; the one to paste shows the slot.
  jq_slurp_is 'map(select(.check == "state" and .object == "'"$slot"'"))[0] |
    "\(.command) \(.sentence | contains("gpuaas-approve disable '"$slot"' --reason TEXT"))"' "gpuaas-show $slot true"
  # TEXT is refused where it is pasted as it stands.
  run_status 2 gpuaas-approve disable "$slot" --reason TEXT
}

@test "a host with GPUs: its blockers, its setup, and the timers" {
  fake_systemctl is-system-running running 0 "'is-enabled gpuaas-backup.timer'" disabled 1 \
    "'is-failed --quiet gpuaas-export.service'" failed 0
  setup_host lab1
  gpuaas-state init --lab > "$T/init"
  run_status 1 in_host "$SRC/tests/own-conf" "GPUAAS_PATH=$T/bin:$FIXED_PATH" gpuaas-doctor --json
  jq_slurp_is 'map(select(.check == "units") | "\(.severity) \(.object) \(.command)")|join(",")' \
    "error gpuaas-export.service journalctl -u gpuaas-export.service -n 50,warning gpuaas-backup.timer systemctl enable --now gpuaas-backup.timer"
  jq_slurp_is 'any(.[]; .check == "bootstrap")' true
  jq_slurp_is 'any(.[]; .sentence | test("no GPU"))' false
  # A command is one to paste, and the one that the sentence has; else the sentence says what to do by hand.
  jq_slurp_is 'map(select(.code == "disk_autoactivation_missing")) | .[0] | "\(.command) \(.sentence | test("run .gpuaas-host-bootstrap --mode slice."))"' \
    "gpuaas-host-bootstrap --mode slice true"
  jq_slurp_is 'map(select(.code == "libvirt_missing" or .code == "firmware_missing") | .command|tostring)|join(",")' null,null
  jq_slurp_is 'any(.[]; .command == "gpuaas-discover")' false
  jq_slurp_is 'map(select(.check == "bootstrap") | .sentence)|join(",")' \
    "not checked: the mode of this host is not set; 'gpuaas-host-bootstrap --mode slice' or baremetal sets it, as does GPUAAS_MODE in /etc/gpuaas/gpuaas.conf"
  # with a mode, the steps of the setup
  run_status 1 in_host "$SRC/tests/own-conf" "GPUAAS_PATH=$T/bin:$FIXED_PATH" env GPUAAS_MODE=slice gpuaas-doctor --json
  jq_slurp_is 'map(select(.check == "bootstrap" and .severity == "warning") | .command|tostring)|unique|join(",")' \
    "gpuaas-host-bootstrap --mode slice,null"
}

# found SLOT_INDEX: the codes of discover about that candidate
found()
{
  run --separate-stderr in_host "$SRC/tests/own-conf" "GPUAAS_PATH=$T/bin:$FIXED_PATH" gpuaas-doctor --json
  jq -rs --arg object "#$1" 'map(select(.check == "discover" and .object == $object) | .code)|join(" ")' <<< "$output"
}

@test "the data of a tenant is no finding, and blockers that attention has stand there once" {
  fake_systemctl is-system-running running 0
  make_lab
  slot=$(gpuaas-list slots --where slot_index=0 | jq -r .slot)
  path=$(gpuaas-list slots --where slot_index=0 | jq -r .nvme_path)
  yes 'row of a tenant' | head -c 16777216 > "$WORK/disks/${path##*/}"
  # Data that nobody knows on a disk for sale is one.
  assert_equal "$(found 0)" nvme_signature
  for state in provisioning active releasing wiping cleanup_blocked quarantined; do
    without_triggers "UPDATE slot SET state = '$state' WHERE id = '$slot'"
    assert_equal "$state $(found 0)" "$state "
    [[ $output != *--destroy-data* ]]
  done
  # No command to paste has a stage that erases a disk, also not a later one.
  without_triggers "UPDATE slot SET state = 'cleanup_blocked' WHERE id = '$slot'"
  run_status 1 doctor --json
  jq_slurp_is 'map(select(.object == "'"$slot"'" and .check == "attention") |
    "\(.command) \(.sentence | test("gpuaas-wipe"))") | join(",")' "gpuaas-show $slot true"
  # A disabled slot whose blocker the state knows is in attention.
  without_triggers "UPDATE slot SET state = 'disabled', blockers = '[{\"code\":\"nvme_signature\",\"subject\":null,\"evidence\":\"data\",\"hint\":null}]' WHERE id = '$slot'"
  assert_equal "$(found 0)" ""
  # The sentence has the command that destroys data; the command to paste only shows the slot.
  found 0 > "$T/codes"
  jq_slurp_is 'map(select(.code == "nvme_signature")) | map("\(.check) \(.command) \(.sentence | test("--destroy-data"))")|join(",")' \
    "attention gpuaas-show $slot true"
  without_triggers "UPDATE slot SET blockers = '[]' WHERE id = '$slot'"
  found 0 > "$T/codes"
  assert_equal "$(< "$T/codes")" nvme_signature
  jq_slurp_is 'map(select(.code == "nvme_signature")) | map("\(.check) \(.command) \(.sentence | test("--destroy-data"))")|join(",")' \
    "discover null true"
}

@test "nobody is advised to destroy data that no state here has in a slot: it may be a tenant's" {
  fake_systemctl is-system-running running 0
  make_lab
  path=$(gpuaas-list slots --where slot_index=0 | jq -r .nvme_path)
  yes 'row of a tenant' | head -c 16777216 > "$WORK/disks/${path##*/}"
  without_triggers "UPDATE slot SET state = 'active' WHERE slot_index = 0"
  assert_equal "$(found 0)" ""
  echo "this is a letter and no database" > "$T/letter"
  gpuaas-state init --lab --state "$T/new.db" > "$T/init"
  for GPUAAS_STATE in "$T/none.db" "$T/letter" "$T/new.db"; do
    export GPUAAS_STATE
    assert_equal "$GPUAAS_STATE $(found 0)" "$GPUAAS_STATE "
    run --separate-stderr in_host "$SRC/tests/own-conf" "GPUAAS_PATH=$T/bin:$FIXED_PATH" gpuaas-doctor --json
    [[ $output != *--destroy-data* ]]
    jq_slurp_is 'map(select(.code == "nvme_signature") | "\(.severity) \(.command) \(.sentence | test("candidates #0, and no state"))")|join(",")' \
      "unchecked null true"
  done
  # A lost state is restored: a new one would know no tenant.
  export GPUAAS_STATE=$T/none.db
  run --separate-stderr in_host "$SRC/tests/own-conf" "GPUAAS_PATH=$T/bin:$FIXED_PATH" gpuaas-doctor --json
  jq_slurp_is 'map(select(.code == "no_state").sentence | test("gpuaas-state restore.*gpuaas-state init"))|join(",")' true
}

@test "a state that cannot be used is the first thing to do; a program that is not installed is left out" {
  fake_systemctl
  gpuaas-state init > "$T/init"
  echo "this is a letter and no database" > "$T/letter"
  run_status 1 doctor --json --state "$T/letter"
  jq_slurp_is '.[0] | "\(.severity) \(.check) \(.code)"' "error state foreign_file"
  mkdir "$T/alone"
  cp "$GPUAAS_BUILD/bin/gpuaas-doctor" "$GPUAAS_BUILD/bin/gpuaas-state" "$T/alone"
  run -0 --separate-stderr "$SRC/tests/own-conf" "GPUAAS_PATH=$T/bin" "$T/alone/gpuaas-doctor" --json
  jq_slurp_is 'map(select(.check == "discover" or .check == "attention") | "\(.severity) \(.object)")|sort|join(",")' \
    "unchecked gpuaas-discover,unchecked gpuaas-list"
}
