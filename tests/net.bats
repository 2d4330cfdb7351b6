# SPDX-License-Identifier: Apache-2.0
# The private network with real packets: Open vSwitch, nftables and dnsmasq in namespaces, guests
# that lie. The programs need no hook: /run is the bench's own.

load helper
load plan
load net

setup()
{
  common_setup
  [[ $EUID -eq 0 ]] || skip "only root makes network namespaces"
  [[ -c /dev/net/tun ]] || skip "the userspace switch makes its ports by /dev/net/tun"
  setup_host lab1 sysctl='{"net.ipv4.ip_forward":1}'
  make_image 12 5
  wipe_disks
  net_start
}

teardown()
{
  net_stop
  common_teardown
}

# Both tenants, and everything as reconcile sets it up.
ready()
{
  two_tenants
  reconcile any . --repair
}

@test "what bootstrap leaves out, reconcile finds and sets up" {
  two_tenants
  reconcile 1 .
  assert_equal "$(codes)" "bridge_open nat_missing isolation_missing ovs_flows_missing ovs_flows_missing"
  assert_equal "$(drift isolation_missing .observed)" "no table 'ip gpuaas'"
  reconcile any . --repair
  assert_equal "$(codes)" \
    "bridge_open! nat_missing! isolation_missing! ovs_flows_missing! ovs_flows_missing!"
  reconcile any .
  assert_equal "$(codes)" ""
  assert_equal "$(net ovs-vsctl get-fail-mode ovsbr0)" secure
}

@test "a slice gets out, masqueraded, and answers reach it alone" {
  ready
  serve outside -- tcp 7000 world
  serve outside -- udp 7001 world
  listen neighbour guest 2 -- eth0
  for proto in "tcp 7000" "udp 7001"; do
    # shellcheck disable=SC2086,SC2154 # protocol and port; packets is of net.bash
    run_ok guest 1 "$packets" ask ${proto% *} 10.9.0.2 ${proto#* }
    assert_equal "$output" "world 10.9.0.1"
  done
  run_ok guest 1 ping -c 1 -W 20 10.9.0.2
  run_ok guest 1 ping -c 1 -W 20 10.100.0.1
  run_ok guest 2 ping -c 1 -W 20 10.9.0.2
  # The host finds both slices, and asks each for its address only.
  run_ok net ping -c 1 -W 20 10.100.0.11
  run_ok net ping -c 1 -W 20 10.100.0.12
  run ! heard neighbour world
}

drops_are()
{
  [[ $(switch_drops) -eq $1 ]]
}

@test "what a slice may not send never arrives" {
  local gateway drops
  ready
  gateway=$(mac_of ovsbr0)
  listen neighbour guest 2 -- eth0
  listen host net -- ovsbr0
  listen world outside -- eth0
  # Each row: the frame; its MAC is the slice's own where it does not say.
  local rows=(
    "another MAC|smac=02:00:00:00:00:99 dmac=$gateway ip=udp src=10.100.0.11 dst=10.9.0.2"
    "the neighbour's MAC|smac=02:00:00:00:00:02 dmac=$gateway ip=udp src=10.100.0.12 dst=10.9.0.2"
    "the neighbour's address|dmac=$gateway ip=udp src=10.100.0.12 dst=10.9.0.2"
    "an address of the world|dmac=$gateway ip=udp src=10.9.0.2 dst=10.100.0.1"
    "ARP: I am the gateway|arp=reply spa=10.100.0.1 tpa=10.100.0.12"
    "ARP: I am the neighbour|arp=request spa=10.100.0.12 tpa=10.100.0.1"
    "ARP: the neighbour's MAC|arp=reply sha=02:00:00:00:00:02 spa=10.100.0.11 tpa=10.100.0.1"
    "ARP from another MAC|smac=02:00:00:00:00:99 arp=request sha=02:00:00:00:00:99 spa=10.100.0.11 tpa=10.100.0.1"
    "ARP without an address|arp=request spa=0.0.0.0 tpa=10.100.0.12"
    "straight to the neighbour|dmac=02:00:00:00:00:02 ip=udp src=10.100.0.11 dst=10.100.0.12"
    "to the neighbour by the gateway|dmac=$gateway ip=udp src=10.100.0.11 dst=10.100.0.12"
    "to the whole network|ip=udp src=10.100.0.11 dst=10.100.0.255"
    "to everybody|ip=udp src=10.100.0.11 dst=255.255.255.255"
    "multicast|dmac=01:00:5e:00:00:fb ip=udp src=10.100.0.11 dst=224.0.0.251 dport=5353"
    "the metadata of a cloud|dmac=$gateway ip=tcp src=10.100.0.11 dst=169.254.169.254 dport=80"
    "an offer of DHCP|ip=udp src=10.100.0.11 dst=255.255.255.255 sport=67 dport=68"
    "an offer of DHCP to the neighbour|dmac=02:00:00:00:00:02 ip=udp src=10.100.0.11 dst=10.100.0.12 sport=67 dport=68"
    "DHCP from another address|ip=udp src=10.100.0.12 dst=255.255.255.255 sport=68 dport=67"
    "IPv6|dmac=33:33:00:00:00:01 ip6=fe80::1"
    "a VLAN tag|vlan=7 dmac=$gateway ip=udp src=10.100.0.11 dst=10.9.0.2"
    "a priority tag|vlan=0 dmac=$gateway ip=udp src=10.100.0.11 dst=10.9.0.2"
    "another VLAN's ARP|vlan=7 arp=request spa=10.100.0.11 tpa=10.100.0.1"
  )
  drops=$(switch_drops)
  for row in "${rows[@]}"; do
    echo "${row%%|*}"
    # shellcheck disable=SC2086 # words of the frame
    guest 1 "$packets" send eth0 ${row#*|} data=evil
    drops=$((drops + 1))
    wait_for 30 drops_are "$drops"
  done
  # Allowed packets of the same sender pass.
  run_ok guest 1 "$packets" send eth0 dmac="$gateway" ip=udp src=10.100.0.11 dst=10.9.0.2 data=good
  wait_for 30 heard world good
  heard host good
  run ! heard neighbour good
  for who in host neighbour world; do
    run ! heard "$who" evil
  done
  # None of the ARP reached anybody who believes it.
  refute_grep -E '^(.{12}).{12}0806.{16}(020000000001|020000000099|020000000002)0a640001' \
    "$T/neighbour.frames"
  run_ok guest 2 ip neigh show 10.100.0.1
  refute_output 02:00:00:00:00:01
  run_ok net ip neigh show 10.100.0.12
  refute_output 02:00:00:00:00:01
  run_ok net ip neigh show
  refute_output 02:00:00:00:00:99
}

@test "without the switch's flow, the kernel does not lead from slice to slice either" {
  local gateway
  ready
  gateway=$(mac_of ovsbr0)
  listen neighbour guest 2 -- eth0
  run_ok guest 1 ping -c 1 -W 20 10.100.0.1
  net ovs-ofctl del-flows ovsbr0 "ip,in_port=1,nw_dst=10.100.0.0/24"
  refused forward guest 1 "$packets" send eth0 dmac="$gateway" ip=udp src=10.100.0.11 \
    dst=10.100.0.12 data=evil
  run ! heard neighbour evil
  reconcile any .
  assert_equal "$(codes)" ovs_flows_missing
  reconcile any . --repair
  assert_equal "$(codes)" "ovs_flows_missing!"
  dropped guest 1 "$packets" send eth0 dmac="$gateway" ip=udp src=10.100.0.11 dst=10.100.0.12
}

@test "the host is closed to slices but for DHCP, DNS and ICMP" {
  local gateway
  ready
  gateway=$(mac_of ovsbr0)
  serve net -- tcp 22 sshd
  serve net -- udp 53 dns
  run_ok guest 1 "$packets" ask udp 10.100.0.1 53
  assert_equal "$output" "dns 10.100.0.11"
  for address in 10.100.0.1 10.9.0.1; do # and not by its other name either
    refused input guest 1 "$packets" send eth0 dmac="$gateway" ip=tcp src=10.100.0.11 \
      dst="$address" dport=22
  done
  refused input guest 1 "$packets" send eth0 dmac="$gateway" ip=udp src=10.100.0.11 \
    dst=10.9.0.1 dport=53
  run_ok outside "$packets" ask tcp 10.9.0.1 22 # it does listen
  # The host's own way into a slice, and the answers back.
  serve guest 1 -- tcp 22 guest
  run_ok net "$packets" ask tcp 10.100.0.11 22
  assert_equal "$output" "guest 10.100.0.1"
}

@test "from outside nothing reaches a slice by its own address" {
  ready
  serve guest 1 -- tcp 80 guest
  outside ip route add 10.100.0.0/24 via 10.9.0.1
  refused forward outside "$packets" send eth0 dmac="$(mac_of uplink0)" \
    ip=tcp src=10.9.0.2 dst=10.100.0.11 dport=80
}

# shut HOW COMMAND…: COMMAND closes port 8080 while a connection through it is open. Packets on
# it are then dropped, or the host, that knows it no more, resets it.
shut()
{
  local how=$1
  shift
  mkfifo "$T/say"
  background outside "$packets" hold 10.9.0.1 8080 "$T/say" "$T/heard"
  exec 5> "$T/say"
  echo hello >&5
  wait_for 30 grep -qs "one 10.9.0.2" "$T/heard"
  "$@"
  run_status 1 outside "$packets" ask tcp 10.9.0.1 8080
  if [[ $how == dropped ]]; then
    refused forward bash -c 'echo again >&5'
  else
    echo again >&5
    wait_for 30 grep -qs silence "$T/heard"
  fi
  exec 5>&-
  assert_equal "$(grep -c "one 10.9.0.2" "$T/heard")" 1
  rm "$T/say" "$T/heard"
}

is_open()
{
  run_ok outside "$packets" ask tcp 10.9.0.1 8080
  assert_output "one 10.9.0.2"
}

@test "publish opens one port to one slice; unpublish and the end close it, open connections too" {
  ready
  serve guest 1 -- tcp 80 one
  serve guest 1 -- tcp 81 one
  serve guest 2 -- tcp 80 two
  run_status 1 outside "$packets" ask tcp 10.9.0.1 8080
  run_ok net_host gpuaas-vm publish a110c000 --port 8080:80
  is_open
  run_status 1 outside "$packets" ask tcp 10.9.0.1 8081
  run_status 1 outside "$packets" ask tcp 10.9.0.1 80
  # Not by a slice, whichever way: it would be traffic between slices.
  refused input guest 2 "$packets" send eth0 dmac="$(mac_of ovsbr0)" \
    ip=tcp src=10.100.0.12 dst=10.9.0.1 dport=8080
  # One port has one slice.
  run_status 4 net_host gpuaas-vm publish b220c000 --port 8080:80
  shut dropped run_ok net_host gpuaas-vm unpublish a110c000 --port 8080
  reconcile any .
  assert_equal "$(codes)" ""
}

refuses()
{
  local code=0
  "$1" "$packets" ask tcp "$2" "$3" || code=$?
  [[ $code -eq 1 ]]
}

known()
{
  net conntrack -L "--$1-src" "10.100.0.1$2" 2> /dev/null | wc -l
}

@test "release makes the kernel forget the connections of its slice, and no other's" {
  ready
  serve outside -- udp 7001 world
  serve guest 1 -- tcp 80 one
  run_ok net_host gpuaas-vm publish a110c000 --port 8080:80
  is_open
  for i in 1 2; do
    run_ok guest "$i" "$packets" ask udp 10.9.0.2 7001
    [[ $(known orig "$i") -eq 1 ]]
  done
  [[ $(known reply 1) -ge 1 ]]
  release_order > "$T/order"
  run_ok net_host gpuaas-release - < "$T/order"
  assert_equal "$(known orig 1)" 0
  assert_equal "$(known reply 1)" 0
  [[ $(known orig 2) -eq 1 ]]
}

@test "a published port comes back after a reboot, and goes with its allocation" {
  ready
  serve guest 1 -- tcp 80 one
  run_ok net_host gpuaas-vm publish a110c000 --port 8080:80
  net nft delete table ip gpuaas
  reconcile any .
  assert_equal "$(codes)" "nat_missing isolation_missing ingress_missing"
  assert_equal "$(drift ingress_missing .expected)" "tcp/8080 to 10.100.0.11 port 80"
  reconcile any . --repair
  assert_equal "$(codes)" "nat_missing! isolation_missing! ingress_missing!"
  is_open
  # Setting the rest of the table up again keeps it.
  net nft flush chain ip gpuaas forward
  reconcile any . --repair
  assert_equal "$(codes)" "isolation_missing!"
  is_open
  # The host listens there itself by now: it is not taken from it.
  net nft delete element ip gpuaas ingress '{ tcp . 8080 }'
  serve net -- tcp 8080 host
  reconcile any . --repair
  assert_equal "$(codes)" ingress_missing
  assert_stderr "the host itself listens on tcp/8080"
  net kill "$SERVE_PID"
  wait_for 30 refuses net 127.0.0.1 8080
  reconcile any . --repair
  assert_equal "$(codes)" "ingress_missing!"
  virsh -q -c "$LIBVIRTD_URI" destroy gpuaas-a110c000
  virsh -q -c "$LIBVIRTD_URI" undefine gpuaas-a110c000
  shut reset reconcile any '.allocations=[.allocations[1]] | .slots[0].allocation=null |
    .slots[0].state="available"' --repair
  # And its flows are gone with it.
  run_ok net ovs-ofctl dump-flows ovsbr0
  refute_output 02:00:00:00:00:01
  assert_output 02:00:00:00:00:02
}

@test "ports that nobody published: an ended allocation's is closed, others are for a person" {
  ready
  net nft add element ip gpuaas ingress \
    '{ tcp . 1001 comment "dead0000" : 10.100.0.11 . 1, udp . 1002 comment "b220c000" : 10.100.0.12 . 2, tcp . 1003 : 10.100.0.12 . 3 }'
  reconcile any . --repair
  assert_equal "$(codes)" "ingress_orphan! ingress_orphan ingress_orphan"
  run_ok net nft list map ip gpuaas ingress
  refute_output 1001
  assert_output 1002
  assert_output 1003
}

@test "dnsmasq gives the reserved address; a lease is seen, another's, missing, stale" {
  ready
  net dnsmasq --conf-file=/dev/null --interface=ovsbr0 --except-interface=lo --bind-interfaces \
    --dhcp-range=10.100.0.0,static,255.255.255.0,infinite --dhcp-hostsdir="$T/dhcp" \
    --dhcp-leasefile="$T/leases" --pid-file=/run/dnsmasq.pid --no-resolv --no-hosts --no-ping \
    --user=root --log-facility="$T/dnsmasq.log" --address=/host.test/10.9.9.9
  wait_for 30 test -e "$T/leases"
  reconcile any .
  assert_equal "$(codes)" "lease_missing lease_missing"
  cat > "$T/bound" <<'SH'
#!/bin/sh
[ "$1" != bound ] || echo "$ip $router $dns" > "$OUT"
SH
  chmod +x "$T/bound"
  for i in 1 2; do
    guest "$i" ip addr flush dev eth0
    run_ok guest "$i" env OUT="$T/got$i" busybox udhcpc -i eth0 -q -n -t 20 -T 2 -s "$T/bound"
    assert_equal "$(< "$T/got$i")" "10.100.0.1$i 10.100.0.1 10.100.0.1"
  done
  reconcile any .
  assert_equal "$(codes)" ""
  # Another address in a lease file, then none: told, never repaired by a guess.
  sed 's/ 10\.100\.0\.11 / 10.100.0.77 /' "$T/leases" > "$T/wrong"
  reconcile any ".network.lease_file=\"$T/wrong\"" --repair
  assert_equal "$(codes)" lease_mismatch
  assert_equal "$(drift lease_mismatch '[.expected,.observed]|join(" ")')" "10.100.0.11 10.100.0.77"
  sed -i '/02:00:00:00:00:01/d' "$T/wrong"
  reconcile any ".network.lease_file=\"$T/wrong\"" --repair
  assert_equal "$(codes)" lease_missing
  # The second tenant went while nobody could tell dnsmasq: its entry is closed, its lease is not.
  virsh -q -c "$LIBVIRTD_URI" destroy gpuaas-b220c000
  virsh -q -c "$LIBVIRTD_URI" undefine gpuaas-b220c000
  journal "UPDATE journal SET undone = 1 WHERE object = 'b220c000'"
  reconcile any "$ONE"
  [[ " $(codes) " == *" lease_stale "* ]]
  reconcile any "$ONE" --repair
  [[ " $(codes) " == *" lease_stale! "* ]]
  refute_grep -q 02:00:00:00:00:02 "$T/leases"
  grep -q 02:00:00:00:00:01 "$T/leases"
}

@test "Open vSwitch starts again: nothing passes until the flows stand again" {
  local before
  ready
  serve outside -- tcp 7000 world
  net "$SRC/tests/net/switch" stop
  net "$SRC/tests/net/switch" start
  net ip addr replace 10.100.0.1/24 dev ovsbr0
  net ip link set ovsbr0 up
  net "$packets" plain ovsbr0
  listen neighbour guest 2 -- eth0
  before=$(lookups)
  guest 1 "$packets" send eth0 dmac=02:00:00:00:00:02 ip=udp src=10.100.0.11 dst=10.100.0.12 \
    data=evil
  wait_for 30 more_than "$before" lookups
  run ! heard neighbour evil
  reconcile 1 .
  assert_equal "$(codes)" "bridge_open ovs_flows_missing ovs_flows_missing"
  assert_equal "$(drift ovs_flows_missing .severity)" error
  reconcile any . --repair
  assert_equal "$(codes)" "bridge_open! ovs_flows_missing! ovs_flows_missing!"
  run_ok guest 1 "$packets" ask tcp 10.9.0.2 7000
  dropped guest 1 "$packets" send eth0 dmac=02:00:00:00:00:02 ip=udp src=10.100.0.11 \
    dst=10.100.0.12 data=evil
  run ! heard neighbour evil
}

# Frames the switch has looked up a flow for.
lookups()
{
  net ovs-ofctl dump-tables ovsbr0 | grep -o 'lookup=[0-9]*' | head -n 1 | cut -d= -f2
}

@test "a bridge deleted below running guests: their ports come back without a restart" {
  ready
  serve outside -- tcp 7000 world
  net ovs-vsctl --timeout=30 del-br ovsbr0
  reconcile 1 . --repair
  assert_equal "$(codes)" "bridge_missing ovs_port_missing ovs_port_missing"
  assert_equal "$(drift ovs_port_missing .observed)" "on no bridge"
  net ovs-vsctl --timeout=30 add-br ovsbr0 -- set bridge ovsbr0 datapath_type=netdev
  net ip addr replace 10.100.0.1/24 dev ovsbr0
  net ip link set ovsbr0 up
  net "$packets" plain ovsbr0
  reconcile 1 . --plan
  assert_equal "$(codes)" "bridge_open ovs_port_missing ovs_port_missing"
  assert_equal "$(drift ovs_port_missing .repair)" add_port
  # shellcheck disable=SC2154 # of bats
  [[ $stderr == *"would put the port of a running guest on the bridge again, with its flows: gp-0"* ]]
  run_status 1 net ovs-vsctl --timeout=30 port-to-br gp-0
  reconcile any . --repair
  assert_equal "$(codes)" "bridge_open! ovs_port_missing! ovs_port_missing!"
  run_ok guest 1 "$packets" ask tcp 10.9.0.2 7000
  listen neighbour guest 2 -- eth0
  dropped guest 1 "$packets" send eth0 dmac=02:00:00:00:00:02 ip=udp src=10.100.0.11 \
    dst=10.100.0.12 data=evil
  run ! heard neighbour evil
  reconcile any .
  assert_equal "$(codes)" ""
}

@test "a port is not put on a bridge that is open" {
  two_tenants
  reconcile any . --repair
  net ovs-vsctl --timeout=30 del-port ovsbr0 gp-0
  net ip link add stranger type veth peer name stranger1
  net ovs-vsctl --timeout=30 add-port ovsbr0 stranger -- set-fail-mode ovsbr0 standalone
  reconcile 1 . --repair
  assert_equal "$(codes)" "ovs_flows_missing! bridge_open ovs_port_missing"
  [[ $stderr == *"add_port did not succeed: bridge 'ovsbr0' forwards what no flow allows"* ]]
  run_status 1 net ovs-vsctl --timeout=30 port-to-br gp-0
}

@test "a port that is made again has another number: its old flows protect nobody" {
  ready
  net ovs-vsctl --timeout=30 del-port ovsbr0 gp-0 -- add-port ovsbr0 gp-0 -- \
    set Interface gp-0 ofport_request=17
  wait_for 30 is_number gp-0 17
  reconcile 1 .
  assert_equal "$(codes)" ovs_flows_missing
  reconcile any . --repair
  assert_equal "$(codes)" "ovs_flows_missing!"
  run_ok guest 1 ping -c 1 -W 20 10.100.0.1
}

is_number()
{
  [[ $(net ovs-vsctl --timeout=30 get Interface "$1" ofport) == "$2" ]]
}

@test "a dead port of an idle slot is removed; one with an interface is not" {
  ready
  virsh -q -c "$LIBVIRTD_URI" destroy gpuaas-b220c000
  virsh -q -c "$LIBVIRTD_URI" undefine gpuaas-b220c000
  journal "UPDATE journal SET undone = 1 WHERE object = 'b220c000'"
  reconcile any "$ONE" --repair
  [[ " $(codes) " == *" ovs_port_orphan "* ]]
  run_ok net ovs-vsctl --timeout=30 port-to-br gp-1
  net ip link del gp-1
  # Somebody looks anew at what there is.
  net "$SRC/tests/net/switch" stop
  net "$SRC/tests/net/switch" start
  wait_for 30 is_number gp-1 -1
  reconcile any "$ONE" --repair
  [[ " $(codes) " == *" ovs_port_orphan! "* ]]
  run_status 1 net ovs-vsctl --timeout=30 port-to-br gp-1
}

@test "a bridge of another name, and a port on it, are for a person" {
  ready
  net ovs-vsctl --timeout=30 add-br br-new -- set bridge br-new datapath_type=netdev
  net ovs-vsctl --timeout=30 del-port ovsbr0 gp-0 -- add-port br-new gp-0
  reconcile 1 . --repair
  assert_equal "$(codes)" ovs_port_missing
  assert_equal "$(drift ovs_port_missing .observed)" "on br-new"
  net ovs-vsctl --timeout=30 del-br ovsbr0
  reconcile 1 . --repair
  assert_equal "$(codes)" "bridge_missing ovs_port_missing ovs_port_missing"
  assert_equal "$(drift bridge_missing .observed)" "no such bridge; there is: br-new"
  run ! net ovs-vsctl --timeout=30 br-exists ovsbr0
}

@test "a bridge with strangers' ports is not closed by a program" {
  two_tenants
  net ip link add stranger type veth peer name stranger1
  net ovs-vsctl --timeout=30 add-port ovsbr0 stranger
  reconcile any . --repair
  [[ " $(codes) " == *" bridge_open "* ]]
  assert_equal "$(drift bridge_open .command)" "ovs-vsctl set-fail-mode ovsbr0 secure"
  assert_equal "$(net ovs-vsctl --timeout=30 get-fail-mode ovsbr0)" ""
}

@test "forwarding that is off is switched on; rules of iptables are seen as NAT" {
  local seen=0
  ready
  serve outside -- tcp 7000 world
  # The kernel's own switch, without the recorded host around it.
  net sh -c 'echo 0 > /proc/sys/net/ipv4/ip_forward'
  expectation . > "$T/expectation"
  run net env GPUAAS_NODE=n-1ab100000000 gpuaas-reconcile "$T/expectation"
  assert_output '"code":"forwarding_off","severity":"error"'
  run net env GPUAAS_NODE=n-1ab100000000 gpuaas-reconcile --repair "$T/expectation"
  assert_equal "$(net cat /proc/sys/net/ipv4/ip_forward)" 1
  run_ok guest 1 "$packets" ask tcp 10.9.0.2 7000
  net nft delete table ip gpuaas
  reconcile any .
  [[ " $(codes) " == *" nat_missing isolation_missing "* ]]
  for tool in iptables-nft iptables-legacy; do
    net "$tool" -t nat -A POSTROUTING -s 10.100.0.0/24 -o uplink0 -j MASQUERADE || continue
    net "$tool" -t nat -S POSTROUTING | grep -q MASQUERADE
    reconcile any .
    [[ " $(codes) " != *" nat_missing "* && " $(codes) " == *" isolation_missing "* ]]
    net "$tool" -t nat -F POSTROUTING
    seen=$((seen + 1))
  done
  [[ $seen -gt 0 ]] # a kernel may lack the old iptables
}

# discovered: the warnings of the network that discover gives; the records are in $T/discovered
discovered()
{
  net_host env GPUAAS_DHCP_HOSTS="$T/dhcp" GPUAAS_LEASES="$T/leases" \
    GPUAAS_BRIDGE="${BRIDGE:-ovsbr0}" gpuaas-discover > "$T/discovered"
  jq -rs 'map(select(.kind=="gpuaas.host/1"))[0].warnings | map(select(.code |
    test("^(bridge_|stale_|isolation_|nat_rule)")) | .code + " " + .subject) | sort | join(", ")' \
    "$T/discovered"
}

@test "discover tells of an open bridge, no isolation, a stale lease, a stale port, another name" {
  two_tenants
  touch "$T/leases"
  assert_equal "$(discovered)" \
    "bridge_open ovsbr0, isolation_missing ovsbr0, nat_rule_missing nat_rule"
  reconcile any . --repair
  assert_equal "$(discovered)" ""
  echo "0 02:00:00:00:00:01 10.100.0.11 one *
0 02:00:00:00:00:77 10.100.0.77 gone *
duid 00:01:00:01" > "$T/leases"
  net ovs-vsctl --timeout=30 --no-wait add-port ovsbr0 gp-7
  wait_for 30 is_number gp-7 -1
  assert_equal "$(discovered)" "stale_lease 02:00:00:00:00:77, stale_port gp-7"
  assert_equal "$(BRIDGE=br-new discovered)" \
    "bridge_missing bridge, bridge_renamed br-new, isolation_missing br-new, stale_lease 02:00:00:00:00:77, stale_port gp-7"
  # Another table of the host that lets nothing pass on.
  net nft add table ip filter
  net nft add chain ip filter FORWARD '{ type filter hook forward priority 0; policy drop; }'
  discovered > /dev/null
  assert_equal "$(jq -rs 'map(select(.kind=="gpuaas.host/1"))[0].warnings |
    map(select(.code=="forward_dropped").evidence)[0]' "$T/discovered")" \
    "table 'filter', chain 'FORWARD' of nftables drops by its policy what it does not accept"
}
