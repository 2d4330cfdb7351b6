# SPDX-License-Identifier: Apache-2.0
# The helpers themselves: a helper that cannot fail would make every other test worthless.

load helper

@test "a recorded host: its devices, its disks stay, a fact can be changed" {
  setup_host lab1
  run_ok in_host ls /sys/bus/pci/devices
  assert_output 0000:18:00.0
  in_host dd if=/dev/zero of=/dev/nvme2n1 bs=4096 count=1 conv=notrunc status=none
  run_ok du -k "$WORK/disks/nvme2n1"
  assert_output 4
  setup_host lab1 cmdline=quiet
  run_ok in_host cat /proc/cmdline
  assert_equal "$output" quiet
  run_ok du -k "$WORK/disks/nvme2n1"
  assert_output 4
}

@test "a private libvirtd is shared by processes and ends" {
  start_libvirtd
  run_ok virsh -q -c "$LIBVIRTD_URI" destroy test
  run_ok virsh -q -c "$LIBVIRTD_URI" undefine test
  run_ok virsh -q -c "$LIBVIRTD_URI" list --all
  assert_equal "$output" ""
  pid=$(<"$T/lv/pid")
  run ! has_ended "$pid"
  stop_libvirtd
  has_ended "$pid"
}

@test "background work ends with the test" {
  background sleep 600
  run ! has_ended "$BG_PID"
  common_teardown
  has_ended "$BG_PID"
  run ! test -e "$T"
  common_setup
}

@test "assertions fail when they should" {
  run_ok printf '{"a":1}\n{"a":2}\n'
  jq_is .a $'1\n2'
  jq_slurp_is 'map(.a)|add' 3
  run ! jq_is .a 1
  run_ok printf '{"a":1}\n'
  run ! run_ok false
  run ! run_status 3 true
  run_status 1 false
  run ! assert_status 0
  run ! assert_equal 1 2
  run_ok printf 'some words'
  assert_output words
  ( run ! refute_output words )
  ( run ! assert_output other )
  refute_output other
  run_ok sh -c 'echo bad >&2'
  assert_stderr bad
  ( run ! refute_stderr bad )
  run ! wait_for 0 false
  echo words > "$T/file"
  refute_grep other "$T/file"
  run ! refute_grep words "$T/file"
  run ! refute_grep other "$T/none"
}

@test "a sanitizer report fails the test that caused it" {
  echo "ERROR: AddressSanitizer" > "$T/asan/a.1"
  run ! common_teardown
  common_setup
}
