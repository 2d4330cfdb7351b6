# SPDX-License-Identifier: Apache-2.0
# gpuaas-profile list: what operators, teams and everybody see of profiles, and what is published.

load helper

# Two H200 of one host: the first slot is wiped and free, the wipe of the second still waits.
setup()
{
  common_setup
  setup_host lab1
  gpuaas-state init --lab > /dev/null
  gpuaas-state apply "$SRC/share/objects/lab.json" > /dev/null
  in_host gpuaas-discover > "$T/discovery"
  gpuaas-approve --all-ready < "$T/discovery" > "$T/approved"
  NODE=$(jq -r 'select(.kind=="gpuaas.host/1").node' "$T/discovery")
}

wipe_one()
{
  jq -c 'select(.kind=="gpuaas.wipe-order/1")' "$T/approved" | sed -n "$1p" | in_host gpuaas-wipe |
    gpuaas-state fold > /dev/null
}

# profile NAME [MEMBER=JSON…]: lab.json's profile under another name, with other members.
profile()
{
  local object
  object=$(jq -c --arg name "$1" 'select(.kind=="gpuaas.profile/1")|.name=$name' "$SRC/share/objects/lab.json")
  for member in "${@:2}"; do
    object=$(jq -c "$member" <<< "$object")
  done
  gpuaas-state apply - <<< "$object" > /dev/null
}

@test "what is available is what is wiped and free, and the facts are the catalogue's" {
  profile premium-gpu '.types=["nvidia-h200-141gb"]' '.price_micros=5000000'
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name=="premium-gpu")|[.available,.availableCount,.totalCount]|@json' '[false,0,2]'
  wipe_one 1
  run_ok gpuaas-profile list --public --json
  jq_is 'select(.name=="premium-gpu")|.summary' 'Premium GPU (NVIDIA H200 141GB) - 1 available'
  jq_is 'select(.name=="premium-gpu")|[.available,.availableCount,.largestAvailable,.pendingCount]|@json' \
    '[true,1,1,0]'
}
