# SPDX-License-Identifier: Apache-2.0
# The demo as a test: every stage ends as it should, every record it prints fits its schema, and the
# shell in its playground lives as long as its user.

load helper

setup()
{
  common_setup
  # Outside in_host: the sanitizers' log_path would crash under umockdev.
  export ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS="" GPUAAS_PLAYGROUNDS=$T
  unset GPUAAS_PLAYGROUND
  demo=$SRC/share/demo playground=$T/gpuaas-playground-$UID
}

# A shell whose command waits: its pid is in $BG_PID, and it is in the recorded host already.
waiting_shell()
{
  rm -f "$T/in"
  background "$demo/shell" bash -c 'echo $$ > "$1"; exec sleep 1000' - "$T/in" 2> "$T/shell.err"
  wait_for 120 test -s "$T/in"
  inner=$(< "$T/in") socket=$playground/libvirt.$BG_PID
  holder=$(< "$socket/holder") libvirtd=$(< "$socket/pid")
}

vms_of()
{
  # shellcheck disable=SC2016 # for the inner shell
  "$demo/shell" bash -c 'virsh -q -c "$GPUAAS_LIBVIRT_URI" list --name' 2> "$T/shell.err" |
    grep -c ^gpuaas- || :
}

@test "the demo runs through, each of its records fits its schema, and its shell goes on with them" {
  export GPUAAS_PLAYGROUND=$T/playground
  run_ok "$demo/lifecycle" --json
  assert_output "GPUAAS_PLAYGROUND=$T/playground $demo/shell"
  # It begins with the story, and not with this machine.
  assert_equal "$(grep -m 1 '^==' <<< "$output")" \
    "== The life of GPU capacity: approve, place, run, release, wipe with proof"
  assert_equal "$(grep -n -m 1 '^\$ gpuaas-' <<< "$output" | cut -d: -f2-)" "$ gpuaas-state init --lab"
  grep '^{' <<< "$output" > "$T/records"
  "$SRC/tests/validate" "$SRC/share/schema" < "$T/records" > "$T/kinds"
  for kind in host candidate end slot plan explanation refusal allocation failure attention \
    released wipe-evidence drift observation claim task usage audit; do
    grep -q "gpuaas.$kind/1" "$T/kinds"
  done
  # Its VMs were off, as after a reboot, and are started again.
  run_ok "$demo/shell" gpuaas-list allocations --where state=active --json
  jq_slurp_is 'map(.name + " " + .power_observed) | sort | join(", ")' "job1 on, job2 on"
  assert_stderr "started again: 2"
  run_ok "$demo/shell" gpuaas-reconcile --json
  # The profile as it ships works there, too.
  # shellcheck disable=SC2016 # for the inner shell
  run_ok "$demo/shell" bash -c 'gpuaas-state apply "$0" > /dev/null
    gpuaas-place --profile h200-slice --gpus 2 --image debian-12 --name mine | gpuaas-provision --json' \
    "$SRC/share/objects/h200-slice.json"
  jq_slurp_is 'map(select(.kind == "gpuaas.allocation/1"))[-1] | "\(.name) \(.state) \(.profile_version)"' "mine active 2"
}

@test "a shell makes its playground, a second one has its own, and none is replaced under a shell" {
  waiting_shell
  run_status 4 "$demo/lifecycle"
  assert_stderr "'$playground' is in use (shell, process $BG_PID, since "
  run_status 4 env GPUAAS_PLAYGROUND="$playground" "$demo/shell" true
  assert_stderr "is in use (shell, process $BG_PID, since "
  # Each of them has the objects of the man pages.
  run_ok "$demo/shell" gpuaas-list allocations --json
  assert_stderr "this one is '$playground.2'"
  jq_slurp_is 'map([.name, .profile, .state] | join(" ")) | sort | join(", ")' \
    "job1 h200-slice active, job2 h200-slice active"
  # The second one has ended, and the first still has its libvirtd.
  run_ok virsh -q -c "test+unix:///default?socket=$socket/libvirt-sock" list --name
  assert_equal "$(grep -c ^gpuaas- <<< "$output")" 2
  [[ -e /proc/$holder && -e /proc/$inner && -e /proc/$libvirtd ]]
}

@test "a folder that is no playground is left alone, whatever the names of its files" {
  mkdir -p "$T/mine/src"
  echo precious > "$T/mine/src/data"
  for file in lock .gpuaas-playground; do
    echo x > "$T/mine/$file"
    run_status 4 env GPUAAS_PLAYGROUND="$T/mine" "$demo/shell" true
    run_status 4 env GPUAAS_PLAYGROUND="$T/mine" "$demo/shell" --fresh true
    run_status 4 env GPUAAS_PLAYGROUND="$T/mine" "$demo/lifecycle"
    assert_stderr "'$T/mine' is not empty and no playground"
    assert_equal "$(find "$T/mine" -type f -exec cat {} + | sort | uniq | tr '\n' ' ')" "precious x "
  done
  # An empty folder becomes one, and --fresh makes it anew.
  mkdir "$T/empty"
  for again in '' --fresh; do
    run_ok env GPUAAS_PLAYGROUND="$T/empty" "$demo/shell" $again touch "$T/empty/extra"
  done
  grep -qx 'A playground of gpuaas: .*' "$T/empty/.gpuaas-playground"
}

@test "a shell that is hung up, ended or killed leaves no process, and the next one says what is lost" {
  for signal in HUP TERM; do
    waiting_shell
    kill -"$signal" "$BG_PID"
    for pid in "$BG_PID" "$inner" "$holder" "$libvirtd"; do
      wait_for 30 has_ended "$pid"
    done
    assert_equal "$(vms_of)" 2
    grep -qF 'started again: 2' "$T/shell.err"
  done
  waiting_shell
  kill -KILL "$BG_PID"
  for pid in "$inner" "$holder" "$libvirtd"; do
    wait_for 60 has_ended "$pid"
  done
  # The VMs are known from the end of the shell before it.
  assert_equal "$(vms_of)" 2
  waiting_shell
  # shellcheck disable=SC2016 # for the inner shell
  rm -r "$playground/domains"
  kill -KILL "$BG_PID"
  wait_for 30 has_ended "$inner"
  assert_equal "$(vms_of)" 0
  grep -q 'lost, the shell before was killed: ' "$T/shell.err"
}

@test "the playground has the man pages, a greeting that fits, and needs no unit tests" {
  run_ok "$demo/shell" man -w gpuaas-list
  assert_output "/gpuaas-list.1"
  sed "s|$T|/dev/shm|" "$playground/banner" > "$T/banner"
  run ! grep -E '.{81}' "$T/banner"
  run_ok make -n -C "$SRC" playground
  refute_output "/unit/"
  refute_output "bench/fleet"
}

@test "a tree without what the playground needs says how it is built, and takes no playground" {
  mkdir "$T/part"
  ln -s "$(realpath "$GPUAAS_BUILD/bin")" "$T/part/bin"
  run_status 7 env GPUAAS_BUILD="$T/part" GPUAAS_PLAYGROUND="$T/new" "$demo/shell" true
  assert_stderr "'make playground' builds and installs what is needed"
  refute_stderr "is in use"
  [[ ! -e $T/new ]]
}

@test "the prompt says where one is, and exit what remains and how to come back" {
  # script gives it a terminal.
  run_ok timeout 120 script -qec "$demo/shell" /dev/null <<< $'gpuaas-list nodes -o name\nexit'
  assert_output "gpuaas playground$ "
  assert_output "n-8a2000000000"
  assert_output "The playground stays in $playground:"
  assert_output "$demo/shell --fresh    begins anew"
}

# The indented lines of a section of README, without comments.
readme_commands()
{
  awk -v section="## $1" '/^## / { in_it = $0 == section } in_it && /^    / { print substr($0, 5) }' \
    "$SRC/README.md"
}

@test "the quick start of README runs as it is printed, in less than a quarter of an hour" {
  local line begun=$SECONDS
  readme_commands "Quick start" > "$T/quick"
  mapfile -t lines < "$T/quick"
  assert_equal "${lines[0]}" "make playground"
  # The shell reads each line as it stands, and after it a line that keeps its status.
  for line in "${lines[@]:1}"; do
    [[ $line != make\ * ]] || break
    printf '%s > %q 2>&1\n' "${line%%    #*}" "$T/out"
    printf 'printf "%%s\\t%%s\\n" $? %q >> %q\n' "$line" "$T/statuses"
    printf 'cat %q\n' "$T/out"
  done > "$T/typed"
  grep -q '^exit' "$T/typed"
  # The programs are built, and their packages installed.
  run_ok make -s -C "$SRC" SUB=: DEPS=: B="$GPUAAS_BUILD" playground < "$T/typed"
  while IFS=$'\t' read -r status line; do
    [[ $line == *"status $status"* || ($status == 0 && $line != *"# "*status*) ]] ||
      { echo "status $status: $line"; show_run; return 1; }
  done < "$T/statuses"
  # It was placed, provisioned, released and wiped.
  assert_equal "$(wc -l < "$T/statuses")" "$(($(grep -n '^exit' "$T/quick" | cut -d : -f 1) - 2))"
  run_ok "$demo/shell" gpuaas-list allocations --json
  jq_slurp_is '.[] | select(.name == "first") | [.state, .count] | join(" ")' "released 2"
  run_ok "$demo/shell" gpuaas-list evidence --where allocation=first --json
  jq_slurp_is 'map(.outcome) | join(" ")' "confirmed confirmed"
  run_ok "$demo/shell" gpuaas-list slots --json
  jq_slurp_is 'map(select(.state == "available" and (.tainted | not))) | length' 4
  ((SECONDS - begun < 900))
}
