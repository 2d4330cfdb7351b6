# SPDX-License-Identifier: Apache-2.0
# Provisioning on the host side, with plans written by hand and no state.

load helper
load plan

setup()
{
  common_setup
  setup_host lab1
  make_image 12 5
}

disk0()
{
  cmp -n "$(stat -c %s "$IMAGE")" "$IMAGE" "$WORK/disks/nvme2n1"
}

@test "a plan becomes an active allocation" {
  start_libvirtd
  plan > "$T/plan"
  run_ok in_host gpuaas-provision "$T/plan"
  jq_is .kind gpuaas.allocation/1
  jq_is '[.allocation,.state,.power_observed,.attempt]|join(" ")' "a110c000 active on attempt0"
  disk0
  run_ok virsh -q -c "$LIBVIRTD_URI" domstate gpuaas-a110c000
  assert_output running
  run_ok cat "$T/dhcp/gpuaas-a110c000"
  assert_equal "$output" "02:00:00:00:00:01,10.100.0.11,gpuaas-a110c000,infinite"
}
