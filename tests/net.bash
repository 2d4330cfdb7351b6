# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2154 # status and output are set by run
#
# A network bench with real packets (tests/net/inside) and two allocations on it, for net.bats:
#
#   net_start, net_stop      the bench; the host of the slices is its own network namespace
#   net CMD…                 on that host; guest N CMD…: as slice N (1, 2); outside CMD…: behind the
#                            uplink
#   two_tenants              both slots of lab1 provisioned, their domains run (test driver)
#   expectation [JQ]         what the state expects then
#   reconcile STATUS JQ [OPTION…]   on the bench's host; codes: those of the network, "!" repaired
#   journal SQL              changes host.db by hand
#   packets                  tests/net/packets: makes frames and connections
#   dropped CMD…             runs CMD and waits until the switch has dropped one more of slice 1
#   refused CHAIN CMD…       runs CMD and waits until nft has dropped one more in that chain

net_start()
{
  unshare -m -n -p -f --kill-child --mount-proc "$SRC/tests/net/inside" "$T" \
    > "$T/net.log" 2>&1 3>&- &
  NET_PID=$!
  wait_for 90 net_is_told
  [[ -e $T/net.up ]] || { cat "$T/net.log"; return 1; }
}

net_is_told()
{
  [[ -e $T/net.up ]] || has_ended "$NET_PID"
}

# The first process of a PID namespace takes all others with it.
net_stop()
{
  [[ -z ${NET_PID-} ]] || kill -9 "$NET_PID" 2> /dev/null || :
  [[ -z ${NET_PID-} ]] || wait "$NET_PID" 2> /dev/null || :
}

net()
{
  nsenter --mount="/proc/$NET_PID/ns/mnt" --net="/proc/$NET_PID/ns/net" \
    --pid="/proc/$NET_PID/ns/pid_for_children" --wd="$SRC" -- "$@" 3>&-
}

guest()
{
  net ip netns exec "s$1" "${@:2}"
}

outside()
{
  net ip netns exec out "$@"
}

# The MAC of an interface of the host.
mac_of()
{
  net ip -j link show dev "$1" | jq -r '.[0].address'
}

packets=$SRC/tests/net/packets

net_host()
{
  net env ASAN_OPTIONS="${ASAN_OPTIONS/log_path=*([^:]):/}" \
    UBSAN_OPTIONS="${UBSAN_OPTIONS/log_path=*([^:]):/}" \
    "$SRC/tests/hosts/enter" "$HOST" "$WORK" -- "$@"
}

two_tenants()
{
  start_libvirtd
  plan > "$T/plan1"
  plan '.bundles=[.bundles[1]] | .count=1 | .allocation="b220c000" | .attempt="attempt2" |
    .vcpus=4 | .memory_mib=2048 | .domain="gpuaas-b220c000" | .mac=.bundles[0].mac |
    .private_ip=.bundles[0].private_ip | .port=.bundles[0].port' 2 > "$T/plan2"
  run_ok in_host gpuaas-provision "$T/plan1"
  run_ok in_host gpuaas-provision "$T/plan2"
}

expectation()
{
  jq -cn --arg t "$T" --arg at "$(date -u +%FT%T.%6NZ)" "$PARTS"'
    def tenant($id; $attempt; $slot):
      {allocation:$id,name:$id,state:"active",since:$at,generation:3,attempt:$attempt,
       domain:("gpuaas-"+$id),shape:"slice",power:"on",fabric_partition:null,slots:[$slot],
       expires_at:null};
    bundles(2) as $b |
    {kind:"gpuaas.expectation/1",node:"n-1ab100000000",at:$at,epoch:1,mode:"slice",
     state:"active",fingerprint:null,boot_id:"1ab10000-0000-4000-8000-000000000001",
     network:(network+{uplink:"uplink0",lease_file:($t+"/leases")}),lab:false,
     slots:[{bundle:$b[0],state:"active",since:$at,allocation:"a110c000"},
            {bundle:$b[1],state:"active",since:$at,allocation:"b220c000"}],
     allocations:[tenant("a110c000";"attempt0";"s0000000"),
                  tenant("b220c000";"attempt2";"s0000001")]} | '"${1:-.}"
}

# The second tenant has gone, and its slot is idle.
# shellcheck disable=SC2034 # for net.bats
ONE='.allocations=[.allocations[0]] | .slots[1].allocation=null | .slots[1].state="available"'

reconcile()
{
  expectation "$2" > "$T/expectation"
  run --separate-stderr net_host gpuaas-reconcile "${@:3}" "$T/expectation"
  if [[ $1 != any && $status -ne $1 ]]; then
    show_run
    return 1
  fi
  assert_equal "$(jq -rs 'map(select(.kind=="gpuaas.observation/1"))|length' <<< "$output")" 1
}

codes()
{
  jq -rs 'map(select(.kind=="gpuaas.drift/1" and .severity!="info" and
    (.code|test("lease|dhcp|ovs|bridge|nat|isolation|forward|ingress|journal"))) |
    .code + (if .repaired then "!" else "" end)) | join(" ")' <<< "$output"
}

drift()
{
  jq -rs "map(select(.code==\"$1\"))[0] | $2" <<< "$output"
}

journal()
{
  host_sql "$1"
}

# The packets that flows with the actions "drop" have taken.
switch_drops()
{
  net ovs-ofctl dump-flows ovsbr0 |
    awk '/actions=drop/ { match($0, /n_packets=[0-9]+/); n += substr($0, RSTART + 10, RLENGTH - 10) }
      END { print n + 0 }'
}

nft_drops()
{
  net nft -j list chain ip gpuaas "$1" |
    jq '[.nftables[].rule | select(.expr and (.expr|map(has("drop"))|any)) |
      .expr[] | .counter.packets // 0] | add // 0'
}

more_than()
{
  [[ $("${@:2}") -gt $1 ]]
}

dropped()
{
  local before
  before=$(switch_drops)
  "$@"
  wait_for 30 more_than "$before" switch_drops
}

refused()
{
  local before
  before=$(nft_drops "$1")
  "${@:2}"
  wait_for 30 more_than "$before" nft_drops "$1"
}

# serve NS… -- PROTO PORT TEXT: a server, $SERVE_PID; NS… is net, "guest N" or outside
serve()
{
  local where=() ready
  while [[ $1 != -- ]]; do
    where+=("$1")
    shift
  done
  ready=$T/serve.$RANDOM
  background "${where[@]}" "$packets" serve "$2" "$3" "$4" "$ready"
  wait_for 30 grep -qs ready "$ready"
  # shellcheck disable=SC2034 # for net.bats; its number on the bench
  SERVE_PID=$(cut -d' ' -f2 "$ready")
}

# listen NAME NS… -- IFACE: the frames that arrive there, in $T/NAME.frames
listen()
{
  local where=() name=$1
  shift
  while [[ $1 != -- ]]; do
    where+=("$1")
    shift
  done
  background "${where[@]}" "$packets" listen "$2" "$T/$name.frames"
  wait_for 30 grep -qs ready "$T/$name.frames"
}

# heard NAME TEXT: whether a frame with the text arrived
heard()
{
  grep -qs "$(printf %s "$2" | xxd -p)" "$T/$1.frames"
}
