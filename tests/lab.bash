# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The state and the host lab1 together, for tests of the whole pipeline:
#
#   make_lab [OPTION…]  state, profile lab, both slots approved with those options, wiped and
#                       available, the image on the node, libvirt's test driver
#   here CMD…           on the machine that holds the state
#   there CMD…          on the host as another machine: a folder of its own and no state
#   fold FILE…          folds results; only its status and words are shown
#   states              the states of slots and of allocations, one line each
#   slots_are STATE…    the states of the slots, by index
#   allocation_is STATE the state of the newest allocation; allocation: its id
#   snapshot            what the state holds and what lies on the disks, as one digest each

# shellcheck disable=SC2016 # for the inner shell
make_lab()
{
  start_libvirtd
  setup_host lab1
  mkdir -p "$T/images" "$T/dhcp"
  export GPUAAS_DHCP_HOSTS=$T/dhcp GPUAAS_LEASES=$T/leases
  gpuaas-state init --lab > "$T/made"
  gpuaas-state apply "$SRC/share/objects/lab.json" >> "$T/made"
  here gpuaas-discover > "$T/discovery"
  here bash -c 'gpuaas-approve --all-ready "${@:2}" < "$1" | gpuaas-wipe' - "$T/discovery" "$@" > "$T/wiped"
  truncate -s 8M "$T/images/lab.raw"
  head -c 1M /dev/urandom | dd of="$T/images/lab.raw" conv=notrunc status=none
  here gpuaas-image add "$T/images/lab.raw" --name lab --probe running --firmware bios |
    gpuaas-state apply - >> "$T/made"
  # It is one machine with one key, wherever its folder is, and it remembers its wipes.
  cp -a "$GPUAAS_HOST_DIR" "$T/there"
}

here()
{
  in_host "$@"
}

there()
{
  GPUAAS_STATE=$T/nowhere.db GPUAAS_HOST_DIR=$T/there in_host "$@"
}

fold()
{
  cat "$@" | gpuaas-state fold - > "$T/folded"
}

states()
{
  gpuaas-list slots | jq -r '"slot \(.slot_index) \(.state) \(.tainted)"'
  gpuaas-list allocations | jq -r '"allocation \(.allocation) \(.state)"'
}

slots_are()
{
  assert_equal "$(gpuaas-list slots | jq -rs 'map(.state)|join(" ")')" "$*"
}

allocation()
{
  gpuaas-list allocations | jq -rs 'sort_by(.created_at)[-1].allocation'
}

allocation_is()
{
  assert_equal "$(gpuaas-list allocations | jq -rs 'sort_by(.created_at)[-1].state')" "$1"
}

snapshot()
{
  state_sql .dump | sha256sum
  cat "$WORK"/disks/* | sha256sum
}
