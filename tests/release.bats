# SPDX-License-Identifier: Apache-2.0
# Release on the host side, with orders written by hand and no state.

load helper
load plan

setup()
{
  common_setup
  setup_host lab1
  make_image 12 5
  start_libvirtd
}

provision()
{
  plan "$@" > "$T/plan"
  run_ok in_host gpuaas-provision "$T/plan"
}

release()
{
  in_host bash -c 'gpuaas-release - < "$1"' - "$T/order"
}

open_entries()
{
  sqlite3 "$GPUAAS_HOST_DIR/host.db" "SELECT op, subject FROM journal WHERE undone = 0 AND object = 'a110c000'"
}

@test "everything provision made is gone, and the wipes are ordered" {
  provision . 2
  release_order . 2 > "$T/order"
  run_ok release
  jq_is .kind $'gpuaas.released/1\ngpuaas.wipe-order/1\ngpuaas.wipe-order/1'
  jq_slurp_is '.[0].steps|map(select(.step=="vm_stopped").outcome)|.[0]' confirmed
  jq_slurp_is '.[0].steps|map(select(.step=="binding").outcome)|unique|join(",")' confirmed
  jq_slurp_is '.[1:]|map(.attempt)|join(" ")' 'w0000000 w0000001'
  jq_slurp_is '.[1:]|map(.cause)|unique|join(" ")' release
  run_ok virsh -q -c "$LIBVIRTD_URI" list --all --name
  refute_output gpuaas-
  run_ok find "$GPUAAS_HOST_DIR/vm" "$T/dhcp" -mindepth 1
  assert_equal "$output" ""
  run_ok open_entries
  assert_equal "$output" ""
}

@test "an order carried out twice says the same and does nothing" {
  provision
  release_order > "$T/order"
  run_ok release
  first=$output
  run_ok release
  assert_equal "$output" "$first"
}
