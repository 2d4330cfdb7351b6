# SPDX-License-Identifier: Apache-2.0
# gpuaas-on: one command on many nodes, through real ssh and sshd.

load helper
load ssh

setup()
{
  common_setup
  command -v /usr/sbin/sshd > /dev/null || skip "sshd is missing"
  ssh_machines h1 h2 h3
}

teardown()
{
  ssh_stop
  common_teardown
}

# Three nodes in the state, each found by its own discovery.
three_nodes()
{
  local node
  gpuaas-state init --lab > "$T/made"
  setup_host lab1
  for node in h1 h2 h3; do
    GPUAAS_NODE=$node in_host gpuaas-discover > "$T/$node.discovery"
    gpuaas-approve --record-only < "$T/$node.discovery" > "$T/$node.recorded"
    jq -nc --arg n "$node" '{kind: "gpuaas.node-settings/1", node: $n, address: $n}'
  done | gpuaas-state apply - >> "$T/made"
}

# node NODE FILTER: jq over the records that have this node
node()
{
  jq -rc --arg n "$1" "select(.node == \$n) | $2" <<< "$output"
}

ends()
{
  jq -rs 'map(select(.kind == "gpuaas.node-end/1")) | sort_by(.node)
    | map("\(.node) \(.complete)") | join(" ")' <<< "$output"
}

@test "discoveries of many nodes come whole, and the state takes them" {
  three_nodes
  for n in h1 h2 h3; do
    ssh_runs "$n" <<< "cat $T/$n.discovery"
  done
  run_ok gpuaas-on --nodes lab=true gpuaas-discover --json
  assert_equal "$(ends)" "h1 true h2 true h3 true"
  printf '%s\n' "$output" > "$T/all"
  run_ok gpuaas-approve --record-only < "$T/all"
  for n in h1 h2 h3; do
    grep -v node-end "$T/all" | jq -c --arg n "$n" 'select(.node == $n)' | cmp - <(jq -c . "$T/$n.discovery")
  done
  # Nodes are chosen as gpuaas-list nodes does.
  run_ok gpuaas-on --nodes node=h2 --nodes lab=true gpuaas-discover
  assert_equal "$(ends)" "h2 true"
  run_status 1 gpuaas-on --nodes pool=none gpuaas-discover
  assert_stderr "no node matches"
  run_status 2 gpuaas-on --nodes colour=red gpuaas-discover
}

@test "a node that is down, one that hangs, one that is cut: failures, and the others go on" {
  three_nodes
  sed -i '/^Host h1$/,/^Host h2$/s|^  ProxyCommand .*|  ProxyCommand false|' "$T/ssh/config"
  ssh_runs h2 <<< "cat $T/h2.discovery"
  # The connection dies in the middle of the third line.
  ssh_runs h3 << RUN
head -n 2 $T/h3.discovery
sed -n 3p $T/h3.discovery | head -c 100
kill -9 \$PPID
RUN
  run gpuaas-on --nodes lab=true gpuaas-discover
  [[ $status -eq 9 ]]
}
