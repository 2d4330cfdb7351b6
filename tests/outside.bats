# SPDX-License-Identifier: Apache-2.0
# Input from outside: the caller's PATH, the settings file, and characters that steer a
# terminal, whoever said them.

load helper

setup()
{
  common_setup
  mkdir "$T/bin"
}

# evil NAME…: programs of these names that note that they were run
evil()
{
  local name
  for name in "$@"; do
    printf '#!/bin/sh\necho %s >> "%s"\nexit 1\n' "$name" "$T/ran" > "$T/bin/$name"
    chmod 755 "$T/bin/$name"
  done
}

# The bytes of U+009B (CSI), ESC, a lone 0x9b and U+202E in a text
CSI=$'\302\233' ESC=$'\033' LONE=$'\233' TURN=$'\342\200\256'

# Nothing of these in $1.
is_clean()
{
  run ! grep -qaP '\x1b|\x9b|\xe2\x80\xae' <<< "$1"
}

@test "programs in the caller's PATH are not run, and sbin is found without it; gpuaas.conf alone says other folders" {
  ((EUID == 0)) || skip "only root looks at the whole host, and has a gpuaas.conf"
  evil qemu-img nft ip ovs-vsctl mdadm lvm conntrack multipathd udevadm
  /usr/bin/qemu-img create -q -f qcow2 "$T/a.qcow2" 8M
  run_ok env PATH="$T/bin:$PATH" gpuaas-image add "$T/a.qcow2" --name a
  run env PATH="$T/bin:$PATH" gpuaas-host-bootstrap --mode slice --dry-run --json
  run ! test -e "$T/ran"
  # As cron has it: without sbin.
  run --separate-stderr env PATH="$GPUAAS_BUILD/bin:/usr/bin:/bin" \
    gpuaas-host-bootstrap --mode slice --dry-run --json
  refute_output "cannot run"
  refute_stderr "cannot run"
  # The same where the settings say so: then they are run, so the test above would have seen it.
  run_status 9 "$SRC/tests/own-conf" "GPUAAS_PATH=$T/bin:$FIXED_PATH" gpuaas-image add "$T/a.qcow2" --name a
  assert_stderr "qemu-img"
  run "$SRC/tests/own-conf" "GPUAAS_PATH=$T/bin:$FIXED_PATH" gpuaas-host-bootstrap --mode slice --dry-run --json
  for name in qemu-img nft; do
    grep -qx "$name" "$T/ran"
  done
  # No variable says it.
  rm "$T/ran"
  GPUAAS_PATH=$T/bin run_ok gpuaas-image add "$T/a.qcow2" --name a
  run ! test -e "$T/ran"
}

@test "a settings file that must be a regular file that only root can change is refused, and so is a path that is none" {
  ((EUID == 0)) || skip "only root can have a gpuaas.conf"
  run_ok "$SRC/tests/own-conf" GPUAAS_PATH=/usr/bin gpuaas-list --version
  # shellcheck disable=SC2016 # for the other bash
  local conf='chmod "$1" /etc/gpuaas/gpuaas.conf && chown "$2" /etc/gpuaas/gpuaas.conf && gpuaas-list --version'
  run_ok "$SRC/tests/own-conf" GPUAAS_LOG=off bash -c "$conf" - 644 0
  for change in "664 0" "646 0" "644 65534"; do
    # shellcheck disable=SC2086 # two words
    run_status 6 "$SRC/tests/own-conf" GPUAAS_LOG=off bash -c "$conf" - $change
    assert_stderr "must be a regular file that only root can change"
    assert_stderr "hint: chown root /etc/gpuaas/gpuaas.conf"
  done
  # No value is no setting, as everywhere in that file.
  run_ok "$SRC/tests/own-conf" GPUAAS_PATH= gpuaas-list --version
  for path in bin:/usr/bin /usr/bin: ::; do
    run_status 2 "$SRC/tests/own-conf" "GPUAAS_PATH=$path" gpuaas-list --version
    assert_stderr "GPUAAS_PATH of '/etc/gpuaas/gpuaas.conf'"
  done
}

@test "a line of gpuaas.conf that counts for nothing is reported, and a setting is not" {
  ((EUID == 0)) || skip "only root can have a gpuaas.conf"
  run_ok "$SRC/tests/own-conf" $'# a comment\n\nGPUAAS_CURRENCY=EUR\nGPUAAS_PAHT=/secret\ngarbage\nPATH=/x' \
    gpuaas-list --version
  assert_equal "$(grep -c warning <<< "$stderr")" 3
  assert_stderr "gpuaas-list: warning: line 4 of '/etc/gpuaas/gpuaas.conf' has no effect: there is no setting 'GPUAAS_PAHT'; near to it: GPUAAS_PATH"
  assert_stderr "line 5 of '/etc/gpuaas/gpuaas.conf' has no effect: it is no KEY=VALUE"
  assert_stderr "line 6 of '/etc/gpuaas/gpuaas.conf' has no effect: there is no setting 'PATH'"
  [[ $stderr != *secret* ]]
  # Through the front it is reported once.
  run_ok "$SRC/tests/own-conf" garbage gpuaas list --version
  assert_equal "$(grep -c warning <<< "$stderr")" 1
  # Every setting that the page has is one.
  grep '^[.]It Ev GPUAAS' "$SRC/man/gpuaas.7" | grep -o 'GPUAAS_[A-Z_]*' | sed 's/$/=x/' > "$T/conf"
  [[ $(wc -l < "$T/conf") -gt 25 ]]
  run "$SRC/tests/own-conf" "$(sed 's/^GPUAAS_\(PATH\|DEADLINE\)=.*/# &/' "$T/conf")" gpuaas-list --version
  [[ $output$stderr != *"there is no setting"* ]]
}

@test "what steers a terminal does not get there by an operand, a name or a record" {
  local bad="a${CSI}2Jb${ESC}[2J${LONE}c${TURN}d"
  run_status 2 gpuaas "$bad"
  assert_stderr "gpuaas-a?2Jb?[2J?c?d"
  # shellcheck disable=SC2154 # set by run
  is_clean "$stderr"
  gpuaas-state init --lab > "$T/made"
  run_status 5 gpuaas-state apply "$T/$bad"
  assert_stderr "a?2Jb?[2J?c?d"
  is_clean "$stderr"
  # A record of a later version is passed on as it is to programs …
  local text="a${CSI}2Jb${TURN}c"
  printf '{"kind":"gpuaas.slot/1","%s":"%s"}\n' "$text" "$text" > "$T/record"
  run_ok gpuaas-wipe --json "$T/record"
  assert_equal "$output" "$(< "$T/record")"
  # … and to people in the spelling of JSON.
  run script -qec "gpuaas-wipe --json '$T/record'" /dev/null
  assert_output 'a\u009b2Jb\u202ec'
  is_clean "$output"
  run_ok gpuaas-wipe --table "$T/record"
  is_clean "$output"
}

@test "what nobody sees, and what ends a line, is spelled out for people; other scripts are printed as they are" {
  # As bytes: bash reads \u by the locale that it was started in.
  local -A hidden=([00ad]=$'\xc2\xad' [180e]=$'\xe1\xa0\x8e' [200b]=$'\xe2\x80\x8b'
    [200c]=$'\xe2\x80\x8c' [200d]=$'\xe2\x80\x8d' [200e]=$'\xe2\x80\x8e' [200f]=$'\xe2\x80\x8f'
    [2028]=$'\xe2\x80\xa8' [2029]=$'\xe2\x80\xa9' [2060]=$'\xe2\x81\xa0' [2064]=$'\xe2\x81\xa4'
    [206a]=$'\xe2\x81\xaa' [feff]=$'\xef\xbb\xbf' ['db40\udc01']=$'\xf3\xa0\x80\x81'
    ['db40\udc7f']=$'\xf3\xa0\x81\xbf')
  local scripts='Zürich Ελλάδα Москва 東京 العربية हिन्दी 😀'
  gpuaas-state init --lab > "$T/made"
  for code in "${!hidden[@]}"; do
    local one=${hidden[$code]}
    printf '{"kind":"gpuaas.team/1","name":"red","note":"a%sb"}\n' "$one" | gpuaas-state apply - > "$T/applied"
    run_ok gpuaas-list teams --table
    assert_output "a\\u${code}b"
    refute_output "$one"
    run_ok gpuaas-list teams
    assert_output "a${one}b"
    run script -qec "gpuaas-list teams --json" /dev/null
    assert_output "a\\u${code}b"
    refute_output "$one"
    run_status 5 gpuaas-state apply "$T/a${one}b"
    # shellcheck disable=SC2154 # set by run
    [[ $stderr != *"$one"* ]]
  done
  printf '{"kind":"gpuaas.team/1","name":"red","note":"%s"}\n' "$scripts" | gpuaas-state apply - > "$T/applied"
  run_ok gpuaas-list teams --table
  assert_output "$scripts"
  run_status 5 gpuaas-state apply "$T/$scripts"
  assert_stderr "$scripts"
}
