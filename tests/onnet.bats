# SPDX-License-Identifier: Apache-2.0
# gpuaas-on over a network: three hosts as network namespaces, each with a real sshd that listens on
# its own address behind its own link. Links are cut in the middle, hosts come back later, results
# come late, twice and in the wrong order: nothing is lost, nothing happens twice.

load helper
load ssh

setup()
{
  common_setup
  [[ $EUID -eq 0 ]] || skip "only root makes network namespaces"
  [[ -x /usr/sbin/sshd ]] || skip "sshd is missing: packaging/install-deps --test"
  command -v ss > /dev/null || skip "ss is missing: packaging/install-deps --test"
  ssh_machines h1 h2 h3
  net_of_hosts h1 h2 h3
  three_hosts h1 h2 h3
  for n in 1 2 3; do
    gpuaas-node set "h$n" --address "10.77.$n.2" >> "$T/made"
  done
  gpuaas-on --nodes lab=true gpuaas-image add "$T/images/lab.raw" --name lab --probe running \
    --firmware bios | gpuaas-state apply - > "$T/image"
  line "gpuaas-on --nodes lab=true gpuaas-discover | gpuaas-approve --all-ready | gpuaas-on gpuaas-wipe |
    gpuaas-state fold -"
  slots_are available
}

teardown()
{
  ssh_stop
  [[ -z ${NET_PID-} ]] || kill -9 "$NET_PID" 2> /dev/null || :
  [[ -z ${NET_PID-} ]] || wait "$NET_PID" 2> /dev/null || :
  stop_hosts
  common_teardown
}

# The machines of ssh_machines get addresses, and ssh goes there from the controller's namespace.
net_of_hosts()
{
  local name n=0
  for name; do
    n=$((n + 1))
    sed -i "s|^Host $name\$|Host $name 10.77.$n.2|" "$T/ssh/config"
    sed -i "/^Host $name /,/^Host /s|^  ProxyCommand .*|  HostName 10.77.$n.2|" "$T/ssh/config"
  done
  unshare -m -n -p -f --kill-child --mount-proc "$SRC/tests/net/hosts" "$T" "$@" \
    > "$T/net.log" 2>&1 3>&- &
  NET_PID=$!
  wait_for 60 net_is_told
  [[ -e $T/net.up ]] || { cat "$T/net.log"; return 1; }
  printf '#!/bin/sh\nexec nsenter --net=/proc/%s/ns/net ssh -F %s/ssh/config "$@"\n' "$NET_PID" \
    "$T" > "$T/ssh/ssh"
}

net_is_told()
{
  [[ -e $T/net.up ]] || has_ended "$NET_PID"
}

# link NAME up|down
link()
{
  nsenter --net="/proc/$NET_PID/ns/net" ip link set "to-$1" "$2"
}

slots_are()
{
  assert_equal "$(gpuaas-list slots | jq -rs 'map(.state) | unique | join(",")')" "$1"
}

allocations_are()
{
  assert_equal "$(gpuaas-list allocations | jq -rs 'sort_by(.name) |
    map("\(.name) \(.state)") | join(", ")')" "$1"
}

# The content of the state, without who looked when.
picture()
{
  gpuaas-list slots
  gpuaas-list allocations
  gpuaas-list tasks
  gpuaas-list usage
  gpuaas-list evidence
}

place_three()
{
  for n in h1 h2 h3; do
    gpuaas-place --profile lab --gpus 1 --node "$n" --name "job-$n"
  done > "$T/plans"
}

# The output of gpuaas-on, to the state, which reports refusals of single results
fold_all()
{
  gpuaas-state fold - < "$1" > "$T/folded" 2> "$T/fold.err" || :
}

@test "over three links: sold, reconciled, released, and folded twice and backwards" {
  place_three
  run_ok gpuaas-on gpuaas-provision < "$T/plans"
  assert_equal "$(ends)" "h1 true h2 true h3 true"
  printf '%s\n' "$output" > "$T/results"
  # The last said first: nothing is lost by it.
  tac "$T/results" > "$T/backwards"
  run_ok gpuaas-state fold "$T/backwards"
  allocations_are "job-h1 active, job-h2 active, job-h3 active"
  before=$(picture)
  run_ok gpuaas-state fold "$T/results"
  assert_equal "$(picture)" "$before"
  line "gpuaas-state expect | gpuaas-on gpuaas-reconcile - | gpuaas-state fold -"
  # Released; the wipes are folded before what let the slots go, and then once more in order.
  gpuaas-release job-h1 job-h2 job-h3 > "$T/orders"
  gpuaas-on gpuaas-release - < "$T/orders" > "$T/released"
  gpuaas-on gpuaas-wipe < "$T/released" > "$T/wiped"
  jq_in_order -c 'select(.kind == "gpuaas.wipe-evidence/1")' "$T/wiped" > "$T/evidence"
  assert_equal "$(wc -l < "$T/evidence")" 3
  run_status 4 gpuaas-state fold "$T/evidence"
  assert_stderr "not wiping"
  slots_are available,releasing
  run_ok gpuaas-state fold "$T/wiped"
  slots_are available
  before=$(picture)
  run_ok gpuaas-state fold "$T/wiped"
  run_ok gpuaas-state fold "$T/evidence"
  # A result of an order that is over: known, and nothing moves.
  run_ok gpuaas-state fold "$T/results"
  assert_equal "$(picture)" "$before"
  run_ok gpuaas-state check
}

@test "a link cut in the middle: the others go on, the host finishes, and its result comes later" {
  cp "$T/ssh/h2/run" "$T/whole"
  # h2 begins, and goes on when its link is gone.
  ssh_runs h2 << RUN
touch "$T/began"
until [[ -e $T/cut ]]; do sleep 0.02; done
exec 3> "$T/h2.done"
"$T/whole"
echo "\$?" >&3
RUN
  place_three
  gpuaas-on --timeout 15s --connect-timeout 4s gpuaas-provision < "$T/plans" > "$T/results" \
    2> "$T/words" 3>&- &
  on=$!
  BG+=("$on")
  wait_for 60 test -e "$T/began"
  link h2 down
  touch "$T/cut"
  wait_for 120 has_ended "$on"
  output=$(< "$T/results")
  assert_equal "$(ends)" "h1 true h2 false h3 true"
  assert_equal "$(failures)" "h2 timed_out 8"
  fold_all "$T/results"
  allocations_are "job-h1 active, job-h2 placed, job-h3 active"
  # It did its work all the same, and nobody heard of it.
  wait_for 120 test -s "$T/h2.done"
  assert_equal "$(< "$T/h2.done")" 0
  virsh -q -c "${TEST_URI[h2]}" list --name | grep gpuaas-
  # As long as the link is down every command says so, of h2 alone.
  mv "$T/whole" "$T/ssh/h2/run"
  run --separate-stderr gpuaas-on --connect-timeout 3s --nodes lab=true gpuaas-discover
  assert_equal "$(ends)" "h1 true h2 false h3 true"
  link h2 up
  line "gpuaas-state expect | gpuaas-on gpuaas-reconcile --repair - | gpuaas-state fold -"
  allocations_are "job-h1 active, job-h2 active, job-h3 active"
  before=$(picture)
  fold_all "$T/results"
  run_ok gpuaas-state fold "$T/line"
  assert_equal "$(picture)" "$before"
  run_ok gpuaas-state check
}

@test "a host that is away while it is released, and one that is away while it wipes" {
  place_three
  line "gpuaas-on gpuaas-provision < $T/plans | gpuaas-state fold -"
  link h3 down
  gpuaas-release job-h1 job-h2 job-h3 > "$T/orders"
  gpuaas-on --connect-timeout 4s --timeout 15s gpuaas-release - < "$T/orders" > "$T/released" \
    2> "$T/words" || :
  output=$(< "$T/released")
  assert_equal "$(ends)" "h1 true h2 true h3 false"
  # Between its release and its wipe h2 goes too.
  link h2 down
  gpuaas-on --connect-timeout 4s --timeout 15s gpuaas-wipe < "$T/released" > "$T/wiped" \
    2> "$T/words" || :
  fold_all "$T/wiped"
  allocations_are "job-h1 released, job-h2 released, job-h3 releasing"
  assert_equal "$(gpuaas-list slots | jq -rs 'map("\(.node) \(.state)") | unique | join(", ")')" \
    "h1 available, h2 available, h2 wiping, h3 available, h3 releasing"
  # An hour later both are back: what h2 owes it knows itself, h3 gets the same order again.
  link h2 up
  link h3 up
  line "gpuaas-on --nodes node=h2 gpuaas-wipe --pending | gpuaas-state fold -"
  gpuaas-release job-h3 > "$T/again"
  cmp <(jq_in_order -c 'select(.node == "h3")' "$T/orders") "$T/again"
  line "gpuaas-on gpuaas-release - < $T/again | gpuaas-on gpuaas-wipe | gpuaas-state fold -"
  slots_are available
  allocations_are "job-h1 released, job-h2 released, job-h3 released"
  # All that was ever said, once more.
  before=$(picture)
  fold_all "$T/wiped"
  run_ok gpuaas-state fold "$T/line"
  assert_equal "$(picture)" "$before"
  run_ok gpuaas-state check
}
