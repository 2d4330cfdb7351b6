# SPDX-License-Identifier: Apache-2.0
# Bad input and trouble: one clear sentence, its status, and state and disks as they were.

load helper
load lab

# Every program that reads records, with the arguments that make it read them.
READERS=("gpuaas-approve --all-ready" gpuaas-place gpuaas-provision gpuaas-release gpuaas-wipe
  "gpuaas-reconcile -" "gpuaas-state apply -" "gpuaas-state fold -")

# small_state: a lab with slots that wait for their first wipe; no libvirt
small_state()
{
  setup_host lab1
  gpuaas-state init --lab > "$T/made"
  gpuaas-state apply "$SRC/share/objects/lab.json" >> "$T/made"
  here gpuaas-discover > "$T/discovery"
  gpuaas-approve --all-ready < "$T/discovery" > "$T/approved"
}

# one_sentence: stderr is one message of the program and at most a hint
one_sentence()
{
  assert_equal "$(grep -vc ': hint: ' <<< "$stderr")" 1
}

# refuse STATUS TEXT COMMAND…: from stdin; says TEXT in one sentence and changes nothing
refuse()
{
  local before
  before=$(state_sql .dump | sha256sum)
  run_status "$1" "${@:3}"
  assert_stderr "$2"
  one_sentence
  assert_equal "$(state_sql .dump | sha256sum)" "$before"
}

# bad_line TEXT FILE: every reader refuses the file with this sentence
bad_line()
{
  local program
  for program in "${READERS[@]}"; do
    # shellcheck disable=SC2086 # program and arguments
    refuse 3 "$1" $program < "$2"
  done
}

@test "lines that are no records" {
  small_state
  echo hello > "$T/in"
  bad_line "standard input, line 1: not JSON" "$T/in"
  echo '{"kind":"gpuaas.x/1"}{"kind":"gpuaas.x/1"}' > "$T/in"
  bad_line "standard input, line 1: more than one JSON document on the line" "$T/in"
  printf '{"kind":"gpuaas.x/1",\n"a":1}\n' > "$T/in"
  bad_line "line 1: not one whole JSON object a line" "$T/in"
  assert_stderr "jq -c"
  head -c 10485760 /dev/zero | tr '\0' x > "$T/in"
  bad_line "line 1: the line is longer than 1 MiB" "$T/in"
  printf '{"kind":"gpuaas.x/1","a":"\xff"}\n' > "$T/in"
  bad_line "line 1: not JSON" "$T/in"
  echo '{"kind":"gpuaas.x/1","a":1,"a":2}' > "$T/in"
  bad_line "line 1: not JSON: duplicate object key" "$T/in"
  # A byte order mark is seen, though a terminal shows nothing for it.
  printf '\xef\xbb\xbf{"kind":"gpuaas.x/1"}\n' > "$T/in"
  bad_line "line 1: not JSON: '[' or '{' expected near '\\ufeff'" "$T/in"
}

@test "kinds that are not ours, or of another version" {
  small_state
  echo '["gpuaas.plan/1"]' > "$T/in"
  bad_line 'line 1: a JSON document without "kind" is not a record' "$T/in"
  echo '{"kind":"somebody.else/1"}' > "$T/in"
  bad_line "line 1: kind 'somebody.else/1' is not a gpuaas record" "$T/in"
  echo '{"kind":"gpuaas.plan/2"}' > "$T/in"
  bad_line "kind 'gpuaas.plan/2' is of another version: this is gpuaas.plan/1" "$T/in"
}

@test "members that are missing or wrong are named, with the line" {
  small_state
  order=$(jq_in_order -c 'select(.kind=="gpuaas.wipe-order/1")' "$T/approved" | head -n 1)
  request='{"kind":"gpuaas.request/1","profile":"lab"}'
  host=$(head -n 1 "$T/discovery") profile=$(cat "$SRC/share/objects/lab.json")
  while IFS='|' read -r program record change text; do
    { echo; jq_in_order -c "$change" <<< "${!record}"; } > "$T/in"
    # shellcheck disable=SC2086 # program and arguments
    refuse 3 "line 2, $(jq -r .kind <<< "${!record}"): $text" $program < "$T/in"
  done << 'CASES'
gpuaas-place|request|del(.profile)|member 'profile' is missing
gpuaas-place|request|.count="one"|member 'count' must be a whole number, not text
gpuaas-place|request|.count=1.5|member 'count' must be a whole number, not a fraction
gpuaas-place|request|.count=0|member 'count' is 0, not within 1 .. 64
gpuaas-place|request|.keys=[1]|member 'keys[0]' must be text
gpuaas-place|request|.colour=1|unknown member 'colour'
gpuaas-place|request|.project=""|member 'project' is empty
gpuaas-approve --all-ready|host|del(.boot_id)|member 'boot_id' is missing
gpuaas-wipe|order|del(.wipe)|member 'wipe' is missing
gpuaas-wipe|order|.nvme_size_bytes=-5|member 'nvme_size_bytes' is -5
gpuaas-wipe|order|.attempt="../x"|member 'attempt' is not an id
gpuaas-wipe|order|.wipe.minimum_class="none"|member 'wipe.minimum_class' takes one of clear, purge, not 'none'
gpuaas-state apply -|profile|del(.shape)|member 'shape' is missing
gpuaas-state apply -|profile|.counts=["x"]|member 'counts[0]' must be a whole number
gpuaas-state apply -|profile|.name="a/b"|member 'name' is not a name
CASES
  jq_in_order -c '.counts=[]' <<< "$profile" > "$T/in"
  refuse 3 "profile 'lab' sells slices: member 'counts' must not be empty" gpuaas-state apply - \
    < "$T/in"
}

@test "a discovery that is not whole" {
  small_state
  grep -v gpuaas.end "$T/discovery" > "$T/in"
  refuse 3 "has no end record: it was cut off, and nothing of it was stored" \
    gpuaas-approve --all-ready < "$T/in"
  tail -n +2 "$T/discovery" > "$T/in"
  refuse 3 "line 1: a candidate without its host record before it" \
    gpuaas-approve --all-ready < "$T/in"
  jq_in_order -c 'if .slot_index == 1 then .slot_index = 5 else . end' "$T/discovery" > "$T/in"
  refuse 3 "the end does not match the lines before it" gpuaas-approve --all-ready < "$T/in"
  refuse 3 "standard input brought no discovery" gpuaas-approve --all-ready < /dev/null
}

@test "what was only shown is not carried out" {
  make_lab
  gpuaas-place --profile lab --dry-run > "$T/plan"
  before=$(states; cat "$WORK"/disks/* | sha256sum)
  run_status 4 here gpuaas-provision "$T/plan"
  jq_is .code dry_run
  here bash -c 'gpuaas-discover | gpuaas-approve --slot 0 --dry-run' > "$T/out"
  assert_equal "$(states; cat "$WORK"/disks/* | sha256sum)" "$before"
  gpuaas-place --profile lab --name job > "$T/plan"
  here gpuaas-provision "$T/plan" > "$T/out"
  before=$(states; cat "$WORK"/disks/* | sha256sum)
  GPUAAS_NODE=elsewhere gpuaas-release --dry-run job > "$T/order"
  run_status 4 here bash -c 'gpuaas-release < "$1"' - "$T/order"
  jq_is .code dry_run
  run_ok virsh -q -c "$LIBVIRTD_URI" domstate "gpuaas-$(allocation)"
  assert_output running
  assert_equal "$(states; cat "$WORK"/disks/* | sha256sum)" "$before"
}

@test "unknown options, ids, and a prefix of several" {
  small_state
  for program in "$GPUAAS_BUILD"/bin/gpuaas*; do
    [[ -x $program && $program != *.* ]] || continue
    refuse 2 "unknown option '--frobnicate'" "$program" --frobnicate < /dev/null
  done
  refuse 5 "there is no object 'zzzzzzzz'" gpuaas-show zzzzzzzz
  refuse 5 "there is no allocation 'zzzzzzzz'" gpuaas-release zzzzzzzz
  refuse 5 "there is no slot 'zzzzzzzz'" gpuaas-approve disable zzzzzzzz --reason x
  refuse 5 "there is no profile 'nothing'" gpuaas-place --profile nothing
  refuse 5 "there is no node 'nothing'" gpuaas-state expect --node nothing
  gpuaas-state init --lab --state "$T/fleet.db" > "$T/out"
  gpuaas-state apply --state "$T/fleet.db" "$SRC/share/objects/lab.json" > "$T/out"
  setup_host h200
  here gpuaas-discover > "$T/h200"
  "$GPUAAS_BUILD/bench/fleet" "$T/fleet.db" 5 < "$T/h200"
  run_status 2 gpuaas-show --state "$T/fleet.db" n0000
  assert_stderr "'n0000' could be node n00001, node n00002"
  one_sentence
  run_ok gpuaas-show --state "$T/fleet.db" n00003
  # Forty slots and 32 letters: two of them begin with the same one.
  letter=$(gpuaas-list slots --state "$T/fleet.db" | jq -r '.slot[:1]' | sort | uniq -d | head -n 1)
  run_status 2 gpuaas-approve disable "$letter" --reason x --state "$T/fleet.db"
  one_sentence
}

# Every program that needs the state.
STATE_PROGRAMS=("gpuaas-list slots" "gpuaas-show x" "gpuaas-place --profile lab"
  "gpuaas-approve disable x --reason y" "gpuaas-release x" "gpuaas-state check"
  "gpuaas-state fold -" "gpuaas-state apply -" "gpuaas-state expect --node x"
  "gpuaas-state audit verify" "gpuaas-state migrate")

# no_state STATUS TEXT: no program uses that state, and its bytes stay
no_state()
{
  local program before
  before=$(sha256sum "$GPUAAS_STATE" 2>&1 || :)
  for program in "${STATE_PROGRAMS[@]}"; do
    [[ $program != *migrate || ${3-} != older ]] || continue
    # shellcheck disable=SC2086 # program and arguments
    run_status "$1" $program < /dev/null
    assert_stderr "$2"
    one_sentence
  done
  assert_equal "$(sha256sum "$GPUAAS_STATE" 2>&1 || :)" "$before"
}

@test "a state that is missing, older, newer, foreign, damaged, a folder" {
  no_state 5 "there is no state at '$T/state.db'"
  gpuaas-state init --lab > "$T/out"
  state_sql 'PRAGMA user_version=99' 'PRAGMA journal_mode=DELETE' > "$T/out"
  no_state 4 "this program knows"
  state_sql 'PRAGMA user_version=0'
  no_state 4 "this program needs" older
  state_sql 'PRAGMA application_id=7'
  no_state 4 "is not a state of gpuaas"
  head -c 100000 /dev/urandom > "$GPUAAS_STATE"
  no_state 4 "is not a state of gpuaas"
  rm "$GPUAAS_STATE"
  mkdir "$GPUAAS_STATE"
  run_status 4 gpuaas-list slots
  assert_stderr "is not a state of gpuaas"
}

@test "a state whose pages are damaged" {
  small_state
  state_sql 'PRAGMA journal_mode=DELETE' > "$T/out"
  pages=$(($(stat -c %s "$GPUAAS_STATE") / 4096))
  dd if=/dev/urandom of="$GPUAAS_STATE" bs=4096 seek=3 count=$((pages - 4)) conv=notrunc status=none
  run_status 10 gpuaas-list slots
  assert_stderr "is damaged"
  assert_stderr "go back to a backup"
  run_status 10 gpuaas-place --profile lab
  assert_stderr "is damaged"
}

@test "a state on a network file system" {
  gcc -shared -fPIC -o "$T/statfs.so" "$SRC/tests/fake/statfs.c" -ldl
  gpuaas-state init --lab > "$T/out"
  export FAKE_FS_PATH=$GPUAAS_STATE FAKE_FS_TYPE
  for type in 0x6969:NFS 0xff534d42:CIFS 0x65735546:FUSE; do
    FAKE_FS_TYPE=${type%:*}
    for program in "${STATE_PROGRAMS[@]}"; do
      # shellcheck disable=SC2086 # program and arguments
      LD_PRELOAD=$T/statfs.so run_status 7 $program < /dev/null
      assert_stderr "'$GPUAAS_STATE' is on ${type#*:}, where locks between programs do not hold"
      one_sentence
    done
  done
  # Nothing is made there, not even an empty file.
  mkdir "$T/far"
  FAKE_FS_PATH=$T/far LD_PRELOAD=$T/statfs.so run_status 7 gpuaas-state init --state "$T/far/state.db"
  assert_equal "$(ls -A "$T/far")" ""
}

@test "a state that another holds past the deadline" {
  small_state
  background flock "$GPUAAS_STATE.lock" -c "echo held > $T/held; exec sleep 60"
  wait_for 10 test -e "$T/held"
  export GPUAAS_DEADLINE=0
  slot=$(gpuaas-list slots | jq -rs '.[0].slot')
  refuse 8 "is locked by" gpuaas-place --profile lab
  # The last one to write has ended: its name would lead to a stranger.
  assert_stderr "an unknown program"
  refuse 8 "is locked by" gpuaas-approve --all-ready < "$T/discovery"
  refuse 8 "is locked by" gpuaas-approve quarantine "$slot" --reason x
  refuse 8 "is locked by" gpuaas-state apply "$SRC/share/objects/lab.json"
  run_ok gpuaas-list slots
  run_ok gpuaas-state check
}

@test "standard input that is closed is no empty one" {
  small_state
  before=$(state_sql .dump | sha256sum)
  for program in "${READERS[@]}"; do
    run_status 10 here bash -c "$program <&-"
    assert_stderr "Bad file descriptor"
    assert_equal "$output" ""
  done
  assert_equal "$(state_sql .dump | sha256sum)" "$before"
  # A program whose command line has everything does not read it.
  run_ok bash -c 'gpuaas-list slots <&-'
}

# Through pipes: bats' own files would be under the limit.
@test "a limit on the size of files ends a change, and the state is as it was" {
  small_state
  before=$(state_sql .dump | sha256sum)
  slot=$(gpuaas-list slots | jq -rs '.[0].slot')
  ended=()
  for kib in 0 1 4 16 31 32 33 36 40 48 64 96 128 192 256 512 1024 4096; do
    status=0
    words=$(ulimit -f "$kib"; gpuaas-approve cordon "$slot" --reason x 2>&1) || status=$?
    ended+=("$status")
    [[ $status -ne 0 ]] || break
    echo "$kib KiB, status $status: $words"
    [[ $status -eq 10 && $words == "gpuaas-approve: "* ]]
    run_ok gpuaas-state check
    assert_equal "$(state_sql .dump | sha256sum)" "$before"
  done
  # Some limits were too small, and the last was not.
  [[ ${#ended[@]} -gt 3 && ${ended[-1]} -eq 0 ]]
  run_ok gpuaas-state check
}

# ends STATUS COMMAND: run by a shell, so that it can redirect
ends()
{
  run_status "$1" here bash -c "$2"
}

@test "standard output that is full or gone: what was committed stands and is printed again" {
  make_lab
  ends 10 'gpuaas-place --profile lab --name job > /dev/full'
  assert_stderr "cannot write to standard output: No space left on device"
  allocation_is placed
  ends 10 'gpuaas-list plan > /dev/full'
  gpuaas-list plan > "$T/plan"
  run_ok gpuaas-list plan
  assert_equal "$output" "$(< "$T/plan")"
  # The VM that was begun is finished, whoever listens.
  ends 10 "gpuaas-provision $T/plan > /dev/full"
  allocation_is active
  run_ok here gpuaas-provision "$T/plan"
  jq_is .state active
  ends 10 'exec 3> >(:); wait $!; gpuaas-release job >&3'
  assert_stderr "cannot write to standard output: Broken pipe"
  allocation_is released
  slots_are wiping available
  ends 10 'gpuaas-wipe --pending > /dev/full'
  slots_are available available
  for program in "list audit" "show job" "state check" "list slots --table"; do
    ends 10 "gpuaas-$program > /dev/full"
  done
  ends 10 'gpuaas-list slots >&-'
  assert_stderr "cannot write to standard output: Bad file descriptor"
  # Not in the recorded host, where umockdev takes a missing descriptor for its socket.
  run_status 10 bash -c 'gpuaas-list slots >&- 2>&-'
  run_ok gpuaas-state check
}

@test "a plan that cannot be carried out stays placed, and nothing is written" {
  make_lab
  gpuaas-place --profile lab --name job > "$T/plan"
  disks=$(cat "$WORK"/disks/* | sha256sum)
  refused()
  {
    run_status "$1" here "${@:3}"
    jq_is '[.kind,.code]|join(" ")' "gpuaas.failure/1 $2"
    slots_are reserved available
    allocation_is placed
    assert_equal "$(cat "$WORK"/disks/* | sha256sum)" "$disks"
  }
  GPUAAS_NODE=elsewhere refused 4 wrong_node gpuaas-provision "$T/plan"
  jq_in_order -c '.vcpus += 1' "$T/plan" > "$T/edited"
  refused 4 old_digest gpuaas-provision "$T/edited"
  GPUAAS_LIBVIRT_URI="test+unix:///default?socket=$T/nobody" \
    refused 9 libvirt_down gpuaas-provision "$T/plan"
  mv "$T/images/lab.raw" "$T/images/away"
  refused 5 image_missing gpuaas-provision "$T/plan"
  mv "$T/images/away" "$T/images/lab.raw"
  for fact in nvme.1.holder=dm-0:nvme_in_use nvme.1.mount=/data:nvme_mounted; do
    setup_host lab1 "${fact%:*}"
    refused 4 "${fact#*:}" gpuaas-provision "$T/plan"
    # The slot is as it was, so attention has nothing of it.
    jq_is '.hint | test("provision again; or gpuaas-release") and (test("attention") | not)' true
    assert_equal "$(gpuaas-list attention)" ""
  done
  setup_host lab1
  # None of it keeps the plan from being carried out in the end.
  run_ok here gpuaas-provision "$T/plan"
  slots_are active available
}

@test "data on a disk ends its plan, and nothing is written" {
  make_lab
  gpuaas-place --profile lab --name job > "$T/plan"
  yes 'customer row 4711' | head -c 16M > "$WORK/disks/nvme2n1"
  disks=$(cat "$WORK"/disks/* | sha256sum)
  run_status 4 here gpuaas-provision "$T/plan"
  jq_is '[.kind,.code]|join(" ")' "gpuaas.failure/1 nvme_signature"
  jq_is '.hint|contains("gpuaas-list attention")' true
  slots_are disabled available
  allocation_is cancelled
  assert_equal "$(cat "$WORK"/disks/* | sha256sum)" "$disks"
}

@test "a plan whose time is over" {
  make_lab
  gpuaas-place --profile lab --name job --expires 1s > "$T/plan"
  expires=$(jq -r .expires_at "$T/plan")
  is_past() { [[ $(date -u +%Y-%m-%dT%H:%M:%S.%6NZ) > $expires ]]; }
  wait_for 10 is_past
  disks=$(cat "$WORK"/disks/* | sha256sum)
  run_status 4 here gpuaas-provision "$T/plan"
  jq_is .code expired
  run_ok gpuaas-list attention
  jq_is .code plan_expired
  assert_equal "$(cat "$WORK"/disks/* | sha256sum)" "$disks"
  # The command that attention names frees the slot.
  run_ok bash -c "$(jq -r .command <<< "$output")"
  slots_are available available
}

@test "a folder of DHCP reservations that is a file is found before anything is written" {
  make_lab
  gpuaas-place --profile lab --name job > "$T/plan"
  dir=$(jq -r .network.dhcp_hosts_dir "$T/plan")
  [[ $dir == "$T"/* ]] || skip "the lab's plan names $dir"
  rmdir "$dir"
  : > "$dir"
  disks=$(cat "$WORK"/disks/* | sha256sum)
  run_status 7 here gpuaas-provision "$T/plan"
  jq_is '[.phase,.code]|join(" ")' "prerequisites dhcp_hosts_dir"
  allocation_is placed
  assert_equal "$(cat "$WORK"/disks/* | sha256sum)" "$disks"
}

@test "a VM that never answers fails at its deadline, and is released" {
  make_lab
  gcc -shared -fPIC -o "$T/clock.so" "$SRC/tests/fake/fast_clock.c" -ldl
  here gpuaas-image add "$T/images/lab.raw" --name silent --probe serial --firmware bios |
    gpuaas-state apply - > "$T/out"
  # The first asks for no address; the second has one and says nothing.
  for case in "no_lease requested no address" "not_ready did not become ready"; do
    gpuaas-place --profile lab --image silent --name "job-${case%% *}" > "$T/plan"
    [[ $case != not_ready* ]] || jq -r '"1999999999 \(.mac) \(.private_ip) * *"' "$T/plan" > "$T/leases"
    run_status 8 here env LD_PRELOAD="$T/clock.so:libumockdev-preload.so.0" FAST_CLOCK=300 \
      gpuaas-provision "$T/plan"
    jq_is .code "${case%% *}"
    jq_is ".sentence|test(\"${case#* } within [0-9]+ s\")" true
    slots_are cleanup_blocked available
    run_ok here bash -c "gpuaas-release job-${case%% *} | gpuaas-wipe"
    slots_are available available
  done
  run_ok virsh -q -c "$LIBVIRTD_URI" list --all --name
  refute_output gpuaas-
}

# interrupt PHASE PROGRAM FILE: SIGINT when the phase has ended
interrupt()
{
  run_status 8 here env LD_PRELOAD="$T/kill_at.so:libumockdev-preload.so.0" KILL_SIGNAL=2 \
    KILL_AT="\"phase\":\"$1\",\"state\":\"finished\"" "$2" --progress json - < "$3"
}

@test "SIGINT between phases: it stops, and is run again" {
  make_lab
  gcc -shared -fPIC -o "$T/kill_at.so" "$SRC/tests/kill_at.c" -ldl
  gpuaas-place --profile lab --name job > "$T/plan"
  interrupt recheck gpuaas-provision "$T/plan"
  slots_are reserved available
  interrupt define gpuaas-provision "$T/plan"
  run_ok here gpuaas-provision "$T/plan"
  slots_are active available
  GPUAAS_NODE=elsewhere gpuaas-release job > "$T/order"
  interrupt vm_stopped gpuaas-release "$T/order"
  run_ok here bash -c 'gpuaas-release < "$1"' - "$T/order"
  slots_are wiping available
  grep wipe-order <<< "$output" > "$T/wipe"
  interrupt markers gpuaas-wipe "$T/wipe"
  jq_is 'select(.kind=="gpuaas.wipe-evidence/1")|.outcome' failed
  slots_are cleanup_blocked available
  slot=$(gpuaas-list slots --where slot_index=0 | jq -r .slot)
  run_ok here bash -c "gpuaas-approve repair $slot --reason again | gpuaas-wipe"
  slots_are available available
  run_ok gpuaas-state check
}
