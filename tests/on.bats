# SPDX-License-Identifier: Apache-2.0
# gpuaas-on: one command on many nodes, through real ssh and sshd.

load helper
load ssh

setup()
{
  common_setup
  [[ -x /usr/sbin/sshd ]] || skip "sshd is missing: packaging/install-deps --test"
  ssh_machines h1 h2 h3
}

teardown()
{
  stop_hosts
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
    jq_in_order -nc --arg n "$node" '{kind: "gpuaas.node-settings/1", node: $n, address: $n}'
  done > "$T/settings"
  gpuaas-state apply "$T/settings" >> "$T/made"
}

# of NODE FILTER: jq over the records of one node
of()
{
  jq_in_order -rc --arg n "$1" "select(.node == \$n) | $2" <<< "$output"
}

# Another way to a machine in ssh's configuration.
reach()
{
  sed -i "/^Host $1\$/,/^Host /s|^  ProxyCommand .*|  ProxyCommand $2|" "$T/ssh/config"
}

@test "no orders: nothing runs, a warning says so, and a refusal before keeps its status" {
  three_nodes
  run_ok gpuaas-on gpuaas-provision < /dev/null
  assert_equal "$output" ""
  assert_stderr "no orders came, and the command was run nowhere"
  gpuaas-state apply "$SRC/share/objects/lab.json" > "$T/out"
  run_status 1 bash -c 'set -o pipefail; gpuaas-place --profile lab | gpuaas-on gpuaas-provision'
  jq_is .kind gpuaas.refusal/1
  assert_stderr "no orders came"
  run_status 1 bash -c 'gpuaas-place --profile lab | gpuaas-on gpuaas-provision > "$T/out"'
}

@test "discoveries of many nodes come whole, and the state takes them" {
  three_nodes
  for n in h1 h2 h3; do
    ssh_runs "$n" <<< "cat $T/$n.discovery"
  done
  run_ok gpuaas-on --nodes lab=true gpuaas-discover --json
  assert_equal "$(ends)" "h1 true h2 true h3 true"
  printf '%s\n' "$output" > "$T/all"
  run_ok "$SRC/tests/validate" "$SRC/share/schema" < "$T/all"
  for n in h1 h2 h3; do
    grep -v node-end "$T/all" | grep -F "\"node\":\"$n\"" | cmp - "$T/$n.discovery"
    # The end says how many lines, and their digest.
    output=$(< "$T/all")
    assert_equal "$(of "$n" 'select(.kind == "gpuaas.node-end/1") | [.records, .digest] | join(" ")')" \
      "$(wc -l < "$T/$n.discovery") sha256:$(sha256sum < "$T/$n.discovery" | cut -d ' ' -f 1)"
  done
  run_ok gpuaas-approve --record-only < "$T/all"
  # Nodes are chosen as gpuaas-list nodes chooses.
  run_ok gpuaas-on --nodes node=h2 --nodes lab=true gpuaas-discover
  assert_equal "$(ends)" "h2 true"
  run_status 1 gpuaas-on --nodes state=retired gpuaas-discover
  assert_stderr "no node matches"
  run_status 5 gpuaas-on --nodes pool=none gpuaas-discover
  assert_stderr "there is no pool 'none'"
  run_status 2 gpuaas-on --nodes colour=red gpuaas-discover
}

@test "a command line arrives as it was given, and its input is only for orders" {
  three_nodes
  # shellcheck disable=SC2016 # nothing of this is for the shell here
  words=('$HOME' "it's" '' 'a  b' '; touch bad' '`id`' '*' -P --json)
  ssh_runs h1 << RUN
eval "set -- \$SSH_ORIGINAL_COMMAND"
printf '%s\n' "\$@" > $T/words
wc -c > $T/input
RUN
  run_ok gpuaas-on --nodes node=h1 gpuaas-discover "${words[@]}" < "$T/h1.discovery"
  printf '%s\n' gpuaas-discover "${words[@]}" | cmp - "$T/words"
  assert_equal "$(< "$T/input")" 0
}

@test "orders go to the node they name, everything else is passed on" {
  three_nodes
  # shellcheck disable=SC2016 # for the shell over there
  for n in h1 h2 h3; do
    ssh_runs "$n" <<< "cat > $T/$n.input"
  done
  { gpuaas-list nodes; gpuaas-state expect; cat "$T/h2.discovery"; } > "$T/stream"
  run_ok gpuaas-on gpuaas-reconcile - < "$T/stream"
  for n in h1 h2 h3; do
    gpuaas-state expect --node "$n" | jq_in_order -c 'del(.at)' > "$T/want"
    jq_in_order -c 'del(.at)' "$T/$n.input" | cmp - "$T/want"
    assert_equal "$(of "$n" 'select(.kind == "gpuaas.node-end/1") | .orders')" 1
  done
  grep -v '^{"kind":"gpuaas.expectation/' "$T/stream" > "$T/others"
  grep -v '^{"kind":"gpuaas.node-end/' <<< "$output" | cmp - "$T/others"
  # A bad line: what came before it is carried out, and said.
  { gpuaas-state expect --node h1; echo '{"kind":'; gpuaas-state expect --node h2; } > "$T/bad"
  rm "$T"/h?.input
  run_status 3 gpuaas-on gpuaas-reconcile - < "$T/bad"
  assert_stderr "standard input, line 2"
  assert_equal "$(ends)" "h1 true"
  [[ -s $T/h1.input && ! -e $T/h2.input ]]
}

@test "down, refusing, hanging and cut: each is a failure with its code, and the others go on" {
  three_nodes
  reach h1 false
  ssh_runs h2 <<< "cat $T/h2.discovery"
  # The connection dies within the third line.
  ssh_runs h3 << RUN
echo '{"kind":"gpuaas.drift/1","node":"h3"}'
head -n 2 $T/h3.discovery
sed -n 3p $T/h3.discovery | head -c 100
until grep -q drift $T/three; do sleep 0.01; done
kill -9 \$PPID
RUN
  : > "$T/three"
  run_status 9 tee_to "$T/three" gpuaas-on --timeout 60s --nodes lab=true gpuaas-discover
  assert_equal "$(failures)" "h1 connection_lost 9, h3 connection_lost 9"
  assert_equal "$(ends)" "h1 false h2 true h3 false"
  # Nothing of a discovery that was cut comes out; the whole one is taken.
  assert_equal "$(of h3 'select(.kind == "gpuaas.host/1")')" ""
  run_status 9 gpuaas-approve --record-only < "$T/three" # the failure's that went by
  assert_equal "$(jq -rs 'map(select(.kind == "gpuaas.node/1").node) | join(" ")' <<< "$output")" h2
  # One that takes the connection and never speaks, and a command that never ends.
  reach h1 "sleep 1000"
  ssh_runs h3 <<< "exec sleep 1000"
  run --separate-stderr gpuaas-on --connect-timeout 4s --timeout 8s --nodes lab=true gpuaas-discover
  assert_status 8
  assert_equal "$(failures)" "h1 unreachable 8, h3 timed_out 8"
  assert_equal "$(ends)" "h1 false h2 true h3 false"
}

@test "refused: a host key that is not known, one that changed, a key that is not let in" {
  three_nodes
  sed -i '/^h1 /d' "$T/ssh/known_hosts"
  sed -i "s|^h2 .*|h2 $(cut -d ' ' -f 1,2 "$T/ssh/h3/host_key.pub")|" "$T/ssh/known_hosts"
  : > "$T/ssh/h3/authorized_keys"
  run --separate-stderr gpuaas-on --nodes lab=true gpuaas-discover
  assert_status 6
  assert_equal "$(failures)" "h1 host_key 6, h2 host_key 6, h3 login_denied 6"
  assert_output "host key has changed"
  # An earlier version took such an address.
  without_triggers "UPDATE node SET address = '-oProxyCommand=id' WHERE id = 'h1'"
  run --separate-stderr gpuaas-on --nodes node=h1 gpuaas-discover
  assert_equal "$(failures)" "h1 address 2"
  jq_in_order -c '.node = "h9"' <(gpuaas-state expect --node h1) > "$T/h9"
  run_status 5 gpuaas-on gpuaas-reconcile - < "$T/h9"
  assert_equal "$(failures)" "h9 unknown_node 5"
  # The environment does not choose what is run.
  printf '#!/bin/sh\n: > "%s/ran"\n' "$T" > "$T/evil"
  chmod +x "$T/evil"
  GPUAAS_SSH=$T/evil run gpuaas-on --nodes node=h3 gpuaas-discover
  run ! test -e "$T/ran"
  on_by "$T/none"
  run_status 9 gpuaas-on --nodes node=h3 gpuaas-discover
  assert_equal "$(failures)" "h3 connection_failed 9"
}

@test "nonsense of one node is its failure, and what is well goes on" {
  three_nodes
  ssh_runs h1 << RUN
echo "Welcome to h1!"
sed -n 1p $T/h1.discovery > /dev/null
echo '{"kind":"gpuaas.drift/1","node":"h1","x":1}'
RUN
  ssh_runs h2 << RUN
head -c 1100000 /dev/zero | tr '\\0' x
echo
echo '{"kind":"gpuaas.drift/1","node":"h2","x":1}'
RUN
  ssh_runs h3 << RUN
echo '{"kind":"gpuaas.drift/1","node":"h3","x":1}'
echo '{"kind":"gpuaas.drift/1","node":"h1","x":2}'
echo '{"kind":"gpuaas.drift/1","node":"h3","x":3}'
RUN
  run --separate-stderr gpuaas-on --nodes lab=true gpuaas-reconcile
  assert_equal "$(failures)" "h1 not_a_record 3, h2 line_too_long 3, h3 other_node 4"
  assert_equal "$(ends)" "h1 false h2 false h3 false"
  assert_equal "$(jq_in_order -rc 'select(.kind == "gpuaas.drift/1") | [.node, .x] | join(" ")' <<< "$output" |
    sort | paste -sd ,)" "h1 1,h2 1,h3 1"
  # A discovery whose end does not fit would spoil the others' for whoever reads them.
  ssh_runs h1 <<< "sed 2d $T/h1.discovery"
  ssh_runs h2 <<< "sed '\$d' $T/h2.discovery"
  ssh_runs h3 <<< "cat $T/h3.discovery"
  run --separate-stderr gpuaas-on --nodes lab=true gpuaas-discover
  assert_equal "$(failures)" "h1 bad_discovery 3, h2 cut_short 3"
  printf '%s\n' "$output" > "$T/three"
  run_status 3 gpuaas-approve --record-only < "$T/three"
  assert_equal "$(jq -rs 'map(select(.kind == "gpuaas.node/1").node) | join(" ")' <<< "$output")" h3
}

@test "the command's status and words: told once, with the node's id" {
  three_nodes
  ssh_runs h1 << RUN
echo "gpuaas-wipe: libvirt is not there" >&2
exit 9
RUN
  ssh_runs h2 << RUN
echo '{"kind":"gpuaas.failure/1","node":null,"object":null,"attempt":null,"generation":null,"program":"gpuaas-wipe","phase":null,"code":"disk_gone","sentence":"x","hint":null,"status":7,"at":"2026-01-01T00:00:00Z","dry_run":false}'
exit 7
RUN
  ssh_runs h3 <<< "exec no-such-program"
  run --separate-stderr gpuaas-on --nodes lab=true gpuaas-wipe
  assert_equal "$(failures)" "h1 command_failed 9, h2 disk_gone 7, h3 program_missing 7"
  assert_equal "$(ends)" "h1 false h2 true h3 false"
  assert_stderr "h1: gpuaas-wipe: libvirt is not there"
  assert_output "ended with status 9: gpuaas-wipe: libvirt is not there"
  # "No" is an answer.
  ssh_runs h1 <<< "exit 1"
  run_status 1 gpuaas-on --nodes node=h1 gpuaas-reconcile
  assert_equal "$(ends)" "h1 true"
  # Characters that steer a terminal do not get to one.
  ssh_runs h1 <<< "printf 'a\\033[2Jb\\n' >&2"
  run_ok gpuaas-on --nodes node=h1 gpuaas-reconcile
  assert_stderr "h1: a?[2Jb"
  # Nor as one character of two bytes (CSI), as one byte, or by turning the direction of text.
  ssh_runs h1 <<< "printf 'a\\302\\2332Jb\\233c\\342\\200\\256d\\r\\n' >&2"
  run_ok gpuaas-on --nodes node=h1 gpuaas-reconcile
  assert_stderr "h1: a?2Jb?c?d"
  run ! grep -qaP '\x1b|\x9b|\xe2\x80\xae|\r' <<< "$stderr"
  # The same in the sentence of a record, which quotes the last words of the host.
  ssh_runs h1 <<< "printf 'a\\302\\2332Jb\\342\\200\\256d\\n' >&2; exit 9"
  run --separate-stderr gpuaas-on --table --nodes node=h1 gpuaas-reconcile
  run ! grep -qaP '\x1b|\x9b|\xe2\x80\xae' <<< "$output$stderr"
}

@test "lines of all nodes come as they are written, whole" {
  three_nodes
  for n in h1 h2 h3; do
    ssh_runs "$n" << RUN
pad=\$(head -c 3000 /dev/zero | tr '\\0' $n)
for i in {1..300}; do
  echo "{\"kind\":\"gpuaas.drift/1\",\"node\":\"$n\",\"n\":\$i,\"pad\":\"\$pad\"}"
done
RUN
  done
  run_ok gpuaas-on --nodes lab=true gpuaas-reconcile
  for n in h1 h2 h3; do
    # Each node's in its own order, nothing lost, nothing twice.
    cmp <(of "$n" 'select(.kind == "gpuaas.drift/1") | .n') <(seq 300)
  done
  # One that has much to say does not keep the others' first line back.
  ssh_runs h1 << RUN
echo '{"kind":"gpuaas.drift/1","node":"h1"}'
until [[ -e $T/go ]]; do sleep 0.02; done
RUN
  ssh_runs h2 <<< "echo '{\"kind\":\"gpuaas.drift/1\",\"node\":\"h2\"}'"
  gpuaas-on --nodes node=h1 gpuaas-reconcile > "$T/live" 3>&- &
  BG+=($!)
  wait_for 20 grep -q drift "$T/live"
  refute_grep -q node-end "$T/live"
  touch "$T/go"
  wait_for 20 grep -q node-end "$T/live"
}

@test "more nodes than at a time, and asked to stop" {
  three_nodes
  for n in h1 h2 h3; do
    ssh_runs "$n" << RUN
touch $T/runs.$n
# The others have a moment to come in between, which they must not.
for i in {1..20}; do (set -- $T/runs.*; ((\$# == 1))) || echo together >> $T/together; sleep 0.01; done
rm $T/runs.$n
RUN
  done
  run_ok gpuaas-on -P 1 --nodes lab=true gpuaas-reconcile
  assert_equal "$(ends)" "h1 true h2 true h3 true"
  [[ ! -e $T/together ]]
  for n in h1 h2 h3; do
    ssh_runs "$n" <<< "touch $T/$n.runs; exec sleep 1000"
  done
  gpuaas-on -P 2 --nodes lab=true gpuaas-reconcile > "$T/stopped" 2> "$T/words" 3>&- &
  pid=$!
  BG+=("$pid")
  wait_for 20 test -e "$T/h2.runs" -a -e "$T/h1.runs"
  kill -TERM "$pid"
  wait_for 20 has_ended "$pid"
  status=0
  wait "$pid" || status=$?
  assert_status 8
  output=$(< "$T/stopped")
  assert_equal "$(failures)" "h1 interrupted 8, h2 interrupted 8, h3 interrupted 8"
  assert_equal "$(ends)" "h1 false h2 false h3 false"
  [[ ! -e $T/h3.runs ]]
}

@test "connections are shared, in a folder of this user alone" {
  three_nodes
  ssh_runs h1 <<< "echo one >> $T/sessions"
  reach h1 "sh -c 'echo one >> $T/connections; exec /usr/sbin/sshd -i -f $T/ssh/h1/sshd_config -E $T/ssh/h1/log'"
  run_ok gpuaas-on --nodes node=h1 gpuaas-reconcile
  run_ok gpuaas-on --nodes node=h1 gpuaas-reconcile
  assert_equal "$(wc -l < "$T/sessions") $(wc -l < "$T/connections")" "2 1"
  assert_equal "$(stat -c %a "$T/r/gpuaas-on")" 700
  ssh_stop
  rm -r "$T/r/gpuaas-on"
  mkdir -m 777 "$T/r/gpuaas-on"
  run_ok gpuaas-on --nodes node=h1 gpuaas-reconcile
  assert_stderr "connections are not shared"
  assert_equal "$(ls "$T/r/gpuaas-on")" ""
  assert_equal "$(wc -l < "$T/connections")" 2
}

@test "three hosts found, approved, wiped, sold, reconciled, released" {
  three_hosts h1 h2 h3
  line "gpuaas-on --nodes lab=true gpuaas-discover | gpuaas-approve --record-only"
  line "gpuaas-on --nodes lab=true gpuaas-image add $T/images/lab.raw --name lab --probe running \
    --firmware bios | gpuaas-state apply -"
  line "gpuaas-on --nodes lab=true gpuaas-discover | gpuaas-approve --all-ready | gpuaas-on gpuaas-wipe |
    gpuaas-state fold -"
  assert_equal "$(gpuaas-list slots | jq -rs 'map(.node + " " + .state) | unique | join(",")')" \
    "h1 available,h2 available,h3 available"
  for n in h1 h2 h3; do
    gpuaas-place --profile lab --gpus 1 --node "$n" --name "job-$n"
  done > "$T/plans"
  line "gpuaas-on gpuaas-provision < $T/plans | gpuaas-state fold -"
  assert_equal "$(gpuaas-list allocations | jq -rs 'map(.node + " " + .state) | sort | join(",")')" \
    "h1 active,h2 active,h3 active"
  for n in h1 h2 h3; do
    virsh -q -c "${TEST_URI[$n]}" list --name | grep -F gpuaas-
  done
  line "gpuaas-state expect | gpuaas-on gpuaas-reconcile - | gpuaas-state fold -"
  assert_equal "$(jq -rs 'map(select(.kind == "gpuaas.observation/1") | "\(.node) \(.agreed)") | sort
    | join(",")' "$T/line")" "h1 true,h2 true,h3 true"
  line "gpuaas-release job-h1 job-h2 job-h3 | gpuaas-on gpuaas-release - | gpuaas-on gpuaas-wipe |
    gpuaas-state fold -"
  assert_equal "$(gpuaas-list allocations | jq -rs 'map(.state) | unique | join(",")')" released
  assert_equal "$(gpuaas-list slots | jq -rs 'map(.state) | unique | join(",")')" available
  run_ok gpuaas-state check
}

@test "a connection cut while a host works: the host finishes, and its result comes later" {
  three_hosts h1
  gpuaas-on --nodes lab=true gpuaas-image add "$T/images/lab.raw" --name lab --probe running \
    --firmware bios | gpuaas-state apply - > "$T/image"
  line "gpuaas-on --nodes lab=true gpuaas-discover | gpuaas-approve --all-ready | gpuaas-on gpuaas-wipe |
    gpuaas-state fold -"
  cp "$T/ssh/h1/run" "$T/whole"
  # The host's output ends up nowhere: its sshd is gone before the command is done.
  ssh_runs h1 << RUN
(setsid "$T/whole" < /dev/stdin > "$T/unheard" 2>&1; touch "$T/done") 3< /dev/stdin <&3 &
until grep -q '"phase":"clone"' "$T/unheard"; do sleep 0.01; done
sed '/"phase":"clone"/q' "$T/unheard"
head -n 1 "$T/unheard" | head -c 40
until grep -q clone "$T/cut"; do sleep 0.01; done
kill -9 \$PPID
RUN
  gpuaas-place --profile lab --gpus 1 --name job > "$T/plan"
  id=$(jq -r .allocation "$T/plan")
  : > "$T/cut"
  run_status 9 tee_to "$T/cut" gpuaas-on gpuaas-provision --progress json < "$T/plan"
  assert_equal "$(failures)" "h1 connection_lost 9"
  assert_equal "$(ends)" "h1 false"
  assert_output "no answer for $id"
  assert_output "gpuaas-state expect --node h1 | gpuaas-on gpuaas-reconcile"
  # Complete records are folded; the failure of the connection moves nothing but is reported.
  run_status 9 gpuaas-state fold - < "$T/cut"
  assert_equal "$(gpuaas-list allocations | jq -r .state)" provisioning
  wait_for 60 test -e "$T/done"
  mv "$T/whole" "$T/ssh/h1/run"
  line "gpuaas-state expect | gpuaas-on gpuaas-reconcile --repair - | gpuaas-state fold -"
  assert_equal "$(gpuaas-list allocations | jq -r .state)" active
  # Folded twice, nothing happens twice.
  before=$(gpuaas-list audit; gpuaas-list tasks)
  run_ok gpuaas-state fold - < "$T/line"
  assert_equal "$(gpuaas-list audit; gpuaas-list tasks)" "$before"
  run_ok gpuaas-state check
}

# as_b CMD…: the second controller, which somebody made of a backup
as_b()
{
  GPUAAS_STATE=$T/b.db "$@"
}

@test "two controllers by mistake: the host serves one, and both hear of the other" {
  three_hosts h1
  gpuaas-on --nodes lab=true gpuaas-image add "$T/images/lab.raw" --name lab --probe running \
    --firmware bios | gpuaas-state apply - > "$T/image"
  line "gpuaas-on --nodes lab=true gpuaas-discover | gpuaas-approve --all-ready | gpuaas-on gpuaas-wipe |
    gpuaas-state fold -"
  gpuaas-place --profile lab --gpus 1 --name early > "$T/plan"
  line "gpuaas-on gpuaas-provision < $T/plan | gpuaas-state fold -"
  gpuaas-state backup "$T/backup" > "$T/a.state"
  a=$(gpuaas-state check | jq -r .controller)
  as_b gpuaas-state restore "$T/backup" --reason "a look" > "$T/b.state"
  b=$(as_b gpuaas-state check | jq -r .controller)
  [[ $a != "$b" ]]
  # It may place nothing, because the host does not agree with it; nor can it make it agree.
  run_status 1 as_b gpuaas-place --profile lab --gpus 1
  assert_output unverified_since_restore
  as_b gpuaas-state expect --node h1 > "$T/want"
  run --separate-stderr as_b gpuaas-on gpuaas-reconcile --repair - < "$T/want"
  assert_status 4
  assert_output "carries out orders of the state $a of epoch 1"
  # An order all the same gets nowhere, on a slot that is free in both.
  sql "$T/b.db" "UPDATE slot SET epoch_verified = 2, generation = generation + 1;
    UPDATE node SET epoch_verified = 2, generation = generation + 1"
  as_b gpuaas-place --profile lab --gpus 1 --name late > "$T/plan.b"
  gpuaas-place --profile lab --gpus 1 --name late > "$T/plan.a"
  assert_equal "$(jq -r .bundles[0].nvme_wwid "$T/plan.b")" "$(jq -r .bundles[0].nvme_wwid "$T/plan.a")"
  run --separate-stderr as_b gpuaas-on gpuaas-provision < "$T/plan.b"
  assert_equal "$(failures)" "h1 other_controller 4"
  printf '%s\n' "$output" > "$T/said.b"
  as_b gpuaas-state fold "$T/said.b" > "$T/folded" || :
  late=$(jq -r .allocation "$T/plan.b")
  assert_equal "$(as_b gpuaas-list audit --where "object=$late" |
    jq -rs 'last | .action + " " + .detail.code')" "provision_not_started other_controller"
  # Nor does it end what it knows from the backup, or stop it.
  early=$(jq -r .allocation "$T/plan")
  as_b gpuaas-release --hold 1h "$early" > "$T/hold"
  run --separate-stderr as_b gpuaas-on gpuaas-release - < "$T/hold"
  assert_status 4
  assert_output "the order for '$early' comes from another state"
  as_b gpuaas-release "$early" > "$T/order"
  run --separate-stderr as_b gpuaas-on gpuaas-release - < "$T/order"
  assert_equal "$(failures)" "h1 other_controller 4"
  # Nor by saying nothing of whose orders they are.
  for order in hold order; do
    jq_in_order -c 'del(.controller)' < "$T/$order" > "$T/nobody"
    run --separate-stderr gpuaas-on gpuaas-release - < "$T/nobody"
    assert_equal "$(jq -r 'select(.kind == "gpuaas.failure/1").code' <<< "$output")" other_controller
    assert_output "comes from a state that it does not name"
  done
  gpuaas-state expect --node h1 | jq_in_order -c 'del(.controller)' > "$T/nobody"
  run --separate-stderr gpuaas-on gpuaas-reconcile --repair - < "$T/nobody"
  assert_output "comes from a state that it does not name"
  assert_equal "$(virsh -q -c "${TEST_URI[h1]}" list --name | grep gpuaas)" "gpuaas-$early"
  # The one that is served goes on, and sees the other.
  line "gpuaas-on gpuaas-provision < $T/plan.a | gpuaas-state fold -"
  run gpuaas-on gpuaas-reconcile - < <(gpuaas-state expect)
  assert_status 1
  printf '%s\n' "$output" > "$T/said.a"
  gpuaas-state fold "$T/said.a" > "$T/folded"
  run_ok gpuaas-list attention
  jq_is 'select(.code == "other_controller") | .sentence | test("'"$b"' of epoch 2")' true
  run_ok gpuaas-state check
  run_ok as_b gpuaas-state check
  # A person's word for the other one; then the first is refused, and takes it back.
  run_status 0 as_b gpuaas-on gpuaas-reconcile --take-over - < "$T/want" || assert_status 1
  gpuaas-release early late > "$T/order"
  run --separate-stderr gpuaas-on gpuaas-release - < "$T/order"
  assert_equal "$(failures)" "h1 other_controller 4, h1 other_controller 4"
  run gpuaas-on gpuaas-reconcile --take-over - < <(gpuaas-state expect)
  line "gpuaas-on gpuaas-release - < $T/order | gpuaas-on gpuaas-wipe | gpuaas-state fold -"
  assert_equal "$(gpuaas-list slots | jq -rs 'map(.state) | unique | join(",")')" available
  run_ok virsh -q -c "${TEST_URI[h1]}" list --all --name
  refute_output gpuaas
}

@test "user-data goes on the stream, in front of its plan, and comes back nowhere" {
  three_hosts h1
  # Sees all that is given and all that is written.
  mv "$T/ssh/h1/run" "$T/whole"
  ssh_runs h1 <<< "tee -a $T/given | $T/whole | tee -a $T/written"
  gpuaas-on --nodes lab=true gpuaas-image add "$T/images/lab.raw" --name lab --probe running \
    --firmware bios | gpuaas-state apply - > "$T/image"
  line "gpuaas-on --nodes lab=true gpuaas-discover | gpuaas-approve --all-ready | gpuaas-on gpuaas-wipe |
    gpuaas-state fold -"
  { printf '#cloud-config\nruncmd: [echo hunter2]\n#'; head -c 600000 /dev/urandom | base64 -w 0; } > "$T/ud"
  digest=$(sha256sum < "$T/ud" | cut -d ' ' -f 1)
  gpuaas-place --profile lab --gpus 1 --name job --user-data "$T/ud" > "$T/plan"
  refute_grep -q hunter2 "$T/plan"
  : > "$T/given"
  line "gpuaas-on gpuaas-provision < $T/plan | gpuaas-state fold -"
  assert_equal "$(gpuaas-list allocations | jq -r .state)" active
  assert_equal "$(jq -r .kind "$T/given" | paste -sd ' ')" \
    "$(printf "gpuaas.user-data/1 %.0s" {1..66})gpuaas.plan/1"
  run_ok "$SRC/tests/validate" "$SRC/share/schema" < "$T/given"
  cmp "$T/ud" "$T/h1/hostdir/user-data/$digest"
  assert_equal "$(stat -c %a "$T/h1/hostdir/user-data/$digest")" 600
  line "gpuaas-release job | gpuaas-on gpuaas-release - | gpuaas-on gpuaas-wipe | gpuaas-state fold -"
  [[ ! -e $T/h1/hostdir/user-data/$digest ]]
  # A plan that is refused leaves nothing of it on the host; a command that passes it on tells nobody.
  gpuaas-place --profile lab --gpus 1 --name again --user-data "$T/ud" |
    jq_in_order -c '.bundles[0].nvme_serial = "other"' > "$T/plan"
  run gpuaas-on gpuaas-provision < "$T/plan"
  [[ $status -ne 0 && ! -e $T/h1/hostdir/user-data/$digest ]]
  ssh_runs h1 <<< cat
  run_ok gpuaas-on gpuaas-provision < "$T/plan"
  assert_equal "$(jq -r .kind <<< "$output" | paste -sd ' ')" "gpuaas.plan/1 gpuaas.node-end/1"
  refute_grep -q "user-data/1" "$T/written"
}

@test "forced commands: the controller's key runs host programs, a host's key nothing or the fold" {
  mkdir "$T/touched"
  shell_says()
  {
    local role=$1 want=$2
    shift 2
    SSH_ORIGINAL_COMMAND=$* run --separate-stderr gpuaas-host-shell --role "$role" < /dev/null
    [[ $status -eq $want ]] || { echo "$role, $*: status $status, not $want"; show_run; return 1; }
  }
  shell_says host 0 "gpuaas-discover --version"
  assert_output "gpuaas-discover "
  shell_says host 0 "gpuaas-wipe '--help'"
  for line in id "sh -c id" "gpuaas-state fold -" "gpuaas-approve --help" "gpuaas-host-bootstrap --help" \
    "/usr/bin/gpuaas-wipe --help" "../gpuaas-wipe --help" "gpuaas wipe --help" "gpuaas-on id" \
    "gpuaas-wipe --help; touch $T/touched/a" "gpuaas-wipe --help | tee $T/touched/b" \
    "gpuaas-wipe --help > $T/touched/c" "gpuaas-wipe \$(touch $T/touched/d)" \
    "gpuaas-wipe \`touch $T/touched/e\`" "gpuaas-wipe & touch $T/touched/f" \
    $'gpuaas-wipe --help\ntouch '"$T/touched/g" "gpuaas-wipe --help '" "GPUAAS_STATE=x gpuaas-wipe --help" \
    "gpuaas-reconcile --state $T/x" "gpuaas-reconcile --state=$T/x" "" " "; do
    shell_says host 6 "$line"
    assert_equal "$output" ""
    [[ -n $stderr ]]
  done
  assert_equal "$(ls "$T/touched")" ""
  # Orders come on standard input: no option or operand names a disk, a file or another node.
  head -c 1M /dev/urandom > "$T/backup.tar"
  sum=$(sha256sum < "$T/backup.tar")
  id=$(printf 'file:%x:%d' "$(stat -c %d "$T/backup.tar")" "$(stat -c %i "$T/backup.tar")")
  for line in "gpuaas-wipe --device $T/backup.tar --confirm $id --class clear" \
    "gpuaas-wipe --device=$T/backup.tar --confirm=$id --class=clear --lab" "gpuaas-wipe --dev $T/backup.tar --dry-run" \
    "gpuaas-wipe '--dry-run jobs' --device $T/backup.tar" "gpuaas-wipe --progress none --device $T/backup.tar" \
    "gpuaas-wipe $T/backup.tar" "gpuaas-wipe -- $T/backup.tar" "gpuaas-wipe - --pending $T/backup.tar" \
    "gpuaas-wipe --pend" "gpuaas-wipe -d x" "gpuaas-wipe --class clear" "gpuaas-wipe - -" \
    "gpuaas-provision $T/backup.tar" "gpuaas-provision --user-data-dir $T" "gpuaas-provision --user-data-dir=$T" \
    "gpuaas-release $T/backup.tar" "gpuaas-release job" "gpuaas-release --pending --yes" \
    "gpuaas-reconcile $T/backup.tar" "gpuaas-reconcile --node h9 -" "gpuaas-discover --node h9" \
    "gpuaas-image prewarm $T/backup.tar" "gpuaas-image verify $T/backup.tar" "gpuaas-image rm ../x" \
    "gpuaas-vm stop --state $T/x job" "gpuaas-vm nothing" "gpuaas-image --state=$T/x list"; do
    shell_says host 6 "$line"
    assert_stderr "this key may not run"
  done
  assert_equal "$(sha256sum < "$T/backup.tar")" "$sum"
  # The controller's input reaches the program, whose own answer comes back.
  for line in "gpuaas-wipe --pending --unanswered" "gpuaas-wipe --jobs 2 --progress=none -" "gpuaas-release - --jobs 2" \
    "gpuaas-provision --progress json" "gpuaas-reconcile --repair --boot -" "gpuaas-reconcile --take-over -"; do
    shell_says host 0 "$line --help"
    assert_output "usage: "
  done
  for line in "gpuaas-vm rebuild job --yes --timeout 1m --help" "gpuaas-vm --help" "gpuaas-vm publish --port 80:80 job -h" \
    "gpuaas-image add /srv/i.raw --name lab --probe running --firmware bios --help" "gpuaas-image verify --all --help" \
    "gpuaas-image prewarm --from /mnt --help" "gpuaas-image rm lab --help"; do
    shell_says host 0 "$line"
    assert_output "usage: "
  done
  shell_says host 5 "gpuaas-vm ssh job -- nvidia-smi -L" # there is no such allocation
  shell_says controller 6 "gpuaas-discover"
  shell_says controller 6 "gpuaas-state fold - --state /x"
  shell_says controller 6 "gpuaas-state apply -"
  shell_says controller 5 "gpuaas-state fold -" # it runs: there is no state
  shell_says nothing 6 "gpuaas-state fold -"
  run_status 6 gpuaas-host-shell
  assert_stderr "no login"
  # A refusal is a failure like any other.
  three_nodes
  ssh_runs h1 <<< "exec $GPUAAS_BUILD/bin/gpuaas-host-shell"
  run_status 6 gpuaas-on --nodes node=h1 rm -rf /
  assert_equal "$(failures)" "h1 command_failed 6"
  assert_output "this key may not run"
}
