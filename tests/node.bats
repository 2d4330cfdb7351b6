# SPDX-License-Identifier: Apache-2.0
# gpuaas-node: settings, the life of a node, drains and what blocks them, evacuation, maintenance.

load helper

setup()
{
  common_setup
  gpuaas-state init --lab > "$T/init"
  cat "$SRC/share/objects/lab.json" - > "$T/lab.json" << 'END'
{"kind":"gpuaas.image/1","name":"lab","digest":"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","format":"raw","file_bytes":1048576,"size_bytes":1048576,"firmware":"bios","probe":"running","user":"ubuntu"}
END
  gpuaas-state apply "$T/lab.json" > "$T/apply"
}

# fleet NODES SLOTS: that many nodes of that many clean slots, each with the image; NODE: the first.
fleet()
{
  setup_host h200
  in_host gpuaas-discover > "$T/h200.rec"
  "$SRC/tests/fleet" "$1" "$2" < "$T/h200.rec" > "$T/fleet.rec"
  wiped_fleet
  NODE=$(gpuaas-list nodes --limit 1 | jq -r .node)
}

# running [OPTIONS OF PLACE]: an allocation on NODE, as if its host had provisioned it; its id.
running()
{
  gpuaas-place --profile lab --node "$NODE" "$@" > "$T/plan"
  local id
  id=$(jq -r .allocation "$T/plan")
  gpuaas-list allocations --where "allocation=$id" | jq_in_order -c '.state = "active" |
    .power_observed = "on" | .since = (now | todate | sub("Z"; ".000000Z"))' > "$T/result"
  by_node < "$T/result" | gpuaas-state fold - > "$T/folded"
  [[ $(gpuaas-list allocations --where "allocation=$id" | jq -r .state) == active ]] || return 1
  echo "$id"
}

node_is()
{
  assert_equal "$(gpuaas-node show "$NODE" | jq -r 'select(.kind=="gpuaas.node/1").state')" "$1"
}

@test "settings are those of gpuaas-state apply, and what is not named stays" {
  fleet 1 1
  run_ok gpuaas-node set "$NODE" --address h7.example.net --region eu --pool h200 \
    --reserved-cpus 0-1 --reserved-memory 8G --bridge ovsbr7 --prefix 24
  jq_is '[.address,.region,.pool,.reserved_cpus,.reserved_memory_mib,.network.bridge]|join(" ")' \
    "h7.example.net eu h200 0-1 8192 ovsbr7"
  generation=$(jq .generation <<< "$output")
  run_ok gpuaas-node set "$NODE" --uplink eth7
  jq_is '[.network.bridge,.network.uplink,.network.prefix_bits,.address]|join(" ")' \
    "ovsbr7 eth7 24 h7.example.net"
  run_ok gpuaas-node set "$NODE" --uplink eth7
  jq_is .generation "$((generation + 1))"
  run_ok gpuaas-node rename "$NODE" h7
  # A record that names the node by its name makes no second node of that id.
  jq_in_order -nc '{kind: "gpuaas.node-settings/1", node: "h7", pool: "gold"}' > "$T/by-name"
  run_status 4 gpuaas-state apply "$T/by-name"
  assert_stderr "a new node cannot have the id 'h7': it means node $NODE"
  jq_in_order -nc --arg id "$(gpuaas-list slots --limit 1 | jq -r .slot)" \
    '{kind: "gpuaas.node-settings/1", node: $id, pool: "gold"}' > "$T/by-slot"
  run_status 4 gpuaas-state apply "$T/by-slot"
  assert_stderr "it means slot "
  assert_equal "$(gpuaas-list nodes -o name)" "$NODE"
  # A slot's id cannot be the name of a node either.
  run_status 4 gpuaas-node rename "$NODE" "$(gpuaas-list slots --limit 1 | jq -r .slot)"
  assert_stderr "cannot have the name"
  run_ok gpuaas-node show h7
  jq_is 'select(.kind=="gpuaas.node/1").node' "$NODE"
  run_ok gpuaas-node list --where pool=h200
  jq_is .name h7
  run_status 5 gpuaas-node list --where pool=none
  assert_stderr "there is no pool 'none'"
  # Empty: unknown again, and nothing else moves.
  run_ok gpuaas-node set h7 --pool '' --address= --reserved-cpus '' --bridge ''
  jq_is '[.pool,.address,.reserved_cpus,.network.bridge]|map(tostring)|join(" ")' \
    "null null null null"
  jq_is '[.name,.region,.network.uplink,.reserved_memory_mib]|join(" ")' "h7 eu eth7 8192"
  generation=$(jq .generation <<< "$output")
  run_ok gpuaas-node set h7 --pool ''
  jq_is .generation "$generation"
  run_ok gpuaas-list audit --where action=node_settings_applied
  jq_slurp_is 'last.detail|fromjson? // .|[has("pool"),.pool]|map(tostring)|join(" ")' "true null"
  run_ok gpuaas-node set h7 --pool h200
  run_status 2 gpuaas-node set h7 --fabric-mode ''
  run_status 2 gpuaas-node set h7 --pool 'Not a Name'
  assert_stderr pool
  run_status 5 gpuaas-node set nowhere --pool h200
  run_ok gpuaas-node mode h7 baremetal --dry-run
  assert_stderr "dry run"
  jq_is .mode baremetal
  run_ok gpuaas-node show h7
  jq_is 'select(.kind=="gpuaas.node/1").mode' slice
  run_status 2 gpuaas-node mode h7 whole
  run_status 2 gpuaas-node mode h7 slce
  assert_stderr "gpuaas-node: MODE takes one of slice, baremetal, not 'slce'"
  assert_stderr "gpuaas-node: hint: near to it: 'slice'; see 'gpuaas-node mode --help'"
}

@test "the mode of a node in use stays, and the hint drains it first" {
  fleet 1 1
  running > "$T/id"
  run_status 4 gpuaas-node mode "$NODE" baremetal
  assert_stderr "node '$NODE' is in use: its mode cannot become baremetal"
  assert_stderr "hint: 'gpuaas-node drain $NODE --reason TEXT' first"
  assert_stderr "'gpuaas-list claims --where node=$NODE --where live=true'"
}

@test "every state of a node is left by its command, over edges only" {
  fleet 1 1
  run_status 2 gpuaas-node drain "$NODE"
  assert_stderr "needs --reason"
  run_status 2 gpuaas-node drain "$NODE" --reason "new firmware" --deadline "5m ago"
  assert_stderr "--deadline: '5m ago' is in the past"
  node_is active
  run_ok gpuaas-node drain "$NODE" --reason "new firmware" --deadline 24h
  jq_is '[.state,.cordon_reason,.drain_deadline != null]|join(" ")' "draining new firmware true"
  generation=$(jq .generation <<< "$output")
  run_ok gpuaas-node drain "$NODE"
  jq_is '[.cordon_reason,.generation]|join(" ")' "new firmware $generation"
  run_status 4 gpuaas-node quarantine "$NODE" --reason smoke --generation 1
  assert_stderr "has changed"
  run_ok gpuaas-node quarantine "$NODE" --reason smoke --generation "$generation"
  jq_is '[.state,.cordon_reason,.drain_deadline]|map(tostring)|join(" ")' "quarantined new firmware; smoke null"
  # A drain ends neither a quarantine nor its reason.
  run_ok gpuaas-node drain "$NODE" --reason later
  jq_is '[.state,.cordon_reason]|join(" ")' "quarantined new firmware; smoke; later"
  run_ok gpuaas-node drain "$NODE" --reason smoke
  jq_is '[.state,.cordon_reason]|join(" ")' "quarantined new firmware; smoke; later"
  run_status 4 gpuaas-node drain "$NODE" --reason later --deadline 2h
  assert_stderr "is quarantined, so its drain has no deadline"
  run_status 4 gpuaas-node undrain "$NODE"
  assert_stderr "is quarantined until a person has checked it: new firmware; smoke; later"
  run_ok gpuaas-node undrain "$NODE" --reason "it was dust"
  jq_is '[.state,.cordon_reason]|map(tostring)|join(" ")' "active null"
  assert_stderr "gpuaas-node: node $NODE: this ends 'new firmware; smoke; later'"
  assert_equal "$(gpuaas-list audit --newest --limit 1 | jq -r '.detail | "\(.reason), \(.ended)"')" \
    "it was dust, new firmware; smoke; later"
  # At the bound the newest is refused, and no other one goes.
  for n in 1 2 3 4; do
    run_ok gpuaas-node drain "$NODE" --reason "$n$(printf '%01000d' 0)"
  done
  run_status 4 gpuaas-node drain "$NODE" --reason "5$(printf '%01000d' 0)"
  assert_stderr "is draining for so many reasons that no other fits"
  assert_equal "$(gpuaas-list nodes | jq -r '.cordon_reason | split("; ") | map(.[:1]) | join("")')" 1234
  # A quarantine has room: the last one before it goes.
  run_ok gpuaas-node quarantine "$NODE" --reason "5$(printf '%01000d' 0)"
  jq_is '.cordon_reason | split("; ") | map(.[:1]) | join("")' 1235
  run_ok gpuaas-node undrain "$NODE" --reason "a test"
  run_ok gpuaas-node quarantine "$NODE" --reason again --dry-run
  node_is active
  run_ok gpuaas-node quarantine "$NODE" --reason again
  run_ok gpuaas-node undrain "$NODE" --reason "it was the fan"
  run_status 4 gpuaas-node retire "$NODE" --reason old --yes
  assert_stderr "gpuaas-node drain"
  run_ok gpuaas-node drain "$NODE" --reason old
  run_status 4 gpuaas-node retire "$NODE" --reason old --yes
  assert_stderr "not retired"
  slot=$(gpuaas-list slots | jq -r .slot)
  gpuaas-approve disable "$slot" --reason old > "$T/out"
  gpuaas-approve retire "$slot" --reason old > "$T/out"
  run_status 2 gpuaas-node retire "$NODE" --reason old < /dev/null
  assert_stderr "--yes"
  node_is draining
  run_ok gpuaas-node retire "$NODE" --reason old --yes
  jq_is .state retired
  run_status 4 gpuaas-node undrain "$NODE"
  run_ok gpuaas-state check
  run_ok gpuaas-list audit --where "object=$NODE"
  jq_is 'select(.action=="node_undrained") | .detail.reason // "none"' $'it was dust\na test\nit was the fan'
}

@test "on a terminal a node that cannot be retired is refused before its name is typed" {
  fleet 1 1
  run script -qec "gpuaas-node retire $NODE --reason old" /dev/null < /dev/null
  assert_status 4
  refute_output "type the name"
  assert_equal "$(gpuaas-list nodes | jq -r .state)" active
}

@test "an address that ssh or a shell would read as more than a host is refused; tenants get it as jump_host" {
  fleet 1 1
  gpuaas-node set "$NODE" --address h7.example.net > "$T/out"
  for address in -oProxyCommand=id '$(touch x)' 'x;id' 'a b' '`id`'; do
    echo "$address"
    run_status 2 gpuaas-node set "$NODE" "--address=$address"
    assert_stderr "member 'address' is not an address for ssh: a name or an IP of a host: '$address'"
    run_status 3 gpuaas-state apply - < <(jq -nc --arg n "$NODE" --arg a "$address" \
      '{kind: "gpuaas.node-settings/1", node: $n, address: $a}')
    assert_stderr "member 'address' is not an address for ssh"
  done
  assert_equal "$(gpuaas-list nodes | jq -r .address)" h7.example.net
  for address in 192.0.2.7 root@h7 'fe80::1%eth0'; do
    run_ok gpuaas-node set "$NODE" --address "$address"
    jq_is .address "$address"
  done
}

@test "a node that was never approved is not drained, and may be retired" {
  gpuaas-state apply - > "$T/out" << 'END'
{"kind":"gpuaas.node-settings/1","node":"h9","address":"h9.example.net"}
END
  run_status 4 gpuaas-node drain h9 --reason x
  assert_stderr "gpuaas-approve --all-ready"
  run_status 4 gpuaas-node undrain h9
  run_ok gpuaas-node retire h9 --reason "never came" --yes
  jq_is .state retired
}

@test "drain says what blocks it, whose, until when, and the command" {
  fleet 2 2
  job=$(running --project vision --name job --run-time 2h)
  gpuaas-place --profile lab --node "$NODE" --project speech > "$T/plan"
  plan=$(jq -r .allocation "$T/plan")
  run_status 1 gpuaas-node drain "$NODE" --reason "new firmware"
  jq_slurp_is 'map(select(.kind=="gpuaas.drain-blocker/1")) | length' 2
  jq_is "select(.object==\"$job\")|[.code,.project,.state,.command]|join(\" \")" \
    "in_use vision active gpuaas-node drain $NODE --evacuate --consent $job"
  jq_is "select(.object==\"$job\")|(.until|sub(\"[.].*\";\"Z\")|fromdate) - (.since|sub(\"[.].*\";\"Z\")|fromdate) | (. > 7100 and . < 7300)" \
    true
  run_status 1 gpuaas-node drain "$NODE" --deadline "$(date -u -d '+3 hours' +%FT%TZ)"
  jq_is "select(.object==\"$job\")|[.command,(.sentence|test(\": wait for it$\"))]|join(\" \")" \
    "gpuaas-node drain $NODE true"
  jq_is "select(.object==\"$job\").owner" "$(gpuaas-list audit --where action=placed --limit 1 | jq -r .actor)"
  # The command does not begin the plan on the node that drains.
  jq_is "select(.object==\"$plan\")|[.code,.command]|join(\" \")" "not_taken_up gpuaas-show $plan"
  jq_is "select(.object==\"$plan\").sentence" \
    "a plan of project speech that is not begun yet: gpuaas-release $plan ends it before it expires"
  run_status 1 gpuaas-node drain "$NODE" --table
  assert_output "requested by root"
  # The expiry of the plan is over once its host took it up.
  run_ok gpuaas-list allocations
  jq_is "select(.allocation == \"$job\").expires_at" null
  jq_is "select(.allocation == \"$plan\").expires_at != null" true
  # Nothing new comes; what is there is not touched.
  run_status 1 gpuaas-place --profile lab --node "$NODE"
  jq_is .nodes[0].code node_draining
  assert_equal "$(gpuaas-list allocations --where "allocation=$job" | jq -r .state)" active
  # Released, its slots are in the way until they are wiped.
  gpuaas-release "$plan" > "$T/out"
  gpuaas-release "$job" > "$T/order"
  run_status 1 gpuaas-node drain "$NODE"
  jq_is "select(.kind==\"gpuaas.drain-blocker/1\")|[.object,.code]|join(\" \")" "$job releasing"
}

# command and rest of the sentence of the blocker $job
blocker()
{
  jq -r --arg job "$job" 'select(.kind == "gpuaas.drain-blocker/1" and .object == $job) |
    .command + (.sentence | capture("(?<end>: [^:]*)$") // {end: ""}).end' <<< "$output"
}

@test "no command of a node ends a tenant whose run time is not over" {
  fleet 1 2
  job=$(running --project vision --name job --run-time 29d)
  run_ok gpuaas-node show "$NODE"
  assert_equal "$(blocker)" "gpuaas-show $job: only its owner ends it before then"
  run_status 1 gpuaas-node drain "$NODE" --reason fan --deadline 2h
  assert_equal "$(blocker)" "gpuaas-show $job: only its owner ends it before then"
  run_status 1 gpuaas-node drain "$NODE" --deadline 30d
  assert_equal "$(blocker)" "gpuaas-node drain $NODE: wait for it"
  run_ok gpuaas-node undrain "$NODE"
  # Of another one nobody knows when it ends; a plan is not ended either.
  job=$(running --name other)
  run_status 1 gpuaas-node drain "$NODE" --reason fan
  assert_equal "$(blocker)" "gpuaas-show $job: only its owner ends it"
  run_status 1 gpuaas-node drain "$NODE" --table
  assert_output "$ gpuaas-show $job"
  refute_output "gpuaas-release"
}

@test "a hold and a plan have an end for a drain, and a command after it" {
  fleet 1 2
  job=$(running --name job --run-time 29d)
  gpuaas-release job --hold 1h --reason unpaid > "$T/hold"
  gpuaas-place --profile lab --node "$NODE" > "$T/plan"
  plan=$(jq -r .allocation "$T/plan")
  run_status 1 gpuaas-node drain "$NODE" --reason fw
  ends=$(gpuaas-list allocations --where state=held | jq -r .expires_at)
  jq_is "select(.object==\"$job\")|.state + \" \" + .until" "held $ends"
  assert_equal "$(blocker)" "gpuaas-show $job: only its owner ends it before then"
  jq_is "select(.object==\"$plan\").until" "$(jq -r .expires_at "$T/plan")"
  run_status 1 gpuaas-node drain "$NODE" --deadline 2h
  assert_equal "$(blocker)" "gpuaas-node drain $NODE: wait for it"
  without_triggers "UPDATE allocation SET expires_at = '2026-11-20T00:00:00.000000Z'"
  run_status 1 gpuaas-node drain "$NODE"
  assert_equal "$(blocker)" "$(gpuaas-list attention --where code=hold_over | jq -r .command): its hold is over"
  jq_is "select(.object==\"$plan\")|.sentence" \
    "a plan of project default that was not begun before 2026-11-20 00:00:00Z"
  jq_is "select(.object==\"$plan\").command" "$(gpuaas-list attention --where code=plan_expired | jq -r .command)"
}

@test "the commands of a node that does not drain only show" {
  fleet 2 2
  job=$(running --run-time 1s)
  # shellcheck disable=SC2016 # for the inner shell
  wait_for 10 bash -c '[[ $(gpuaas-list attention --where object="$0" | jq -r .code) == run_time_over ]]' "$job"
  gpuaas-place --profile lab --node "$NODE" > "$T/plan"
  run_ok gpuaas-node show "$NODE"
  assert_equal "$(blocker)" "gpuaas-show $job: its time is over"
  jq_is "select(.code == \"not_taken_up\").command" "gpuaas-show $(jq -r .allocation "$T/plan")"
  run_status 1 gpuaas-node drain "$NODE" --reason fan
  assert_equal "$(blocker)" "gpuaas-release $job | gpuaas-on gpuaas-release - | gpuaas-on gpuaas-wipe | gpuaas-state fold -: its time is over"
}

@test "evacuation: only with consent, only when there is another place, and nothing twice" {
  fleet 2 1
  job=$(running --project vision --name job)
  run_status 2 gpuaas-node drain "$NODE" --reason x --consent "$job"
  run_status 1 gpuaas-node drain "$NODE" --reason "new firmware" --evacuate
  jq_slurp_is 'map(.kind)|join(" ")' "gpuaas.node/1 gpuaas.drain-blocker/1"
  run_status 1 gpuaas-node drain "$NODE" --evacuate --consent job --dry-run
  assert_stderr "would be placed elsewhere"
  jq_slurp_is 'map(.kind)|join(" ")' "gpuaas.node/1 gpuaas.drain-blocker/1"
  run_status 1 gpuaas-node drain "$NODE" --evacuate --consent job
  jq_slurp_is 'map(.kind)|join(" ")' \
    "gpuaas.node/1 gpuaas.plan/1 gpuaas.release-order/1 gpuaas.drain-blocker/1"
  jq_is "select(.kind==\"gpuaas.plan/1\") | .node != \"$NODE\" and .project == \"vision\"" true
  jq_is 'select(.kind=="gpuaas.release-order/1").allocation' "$job"
  jq_is 'select(.kind=="gpuaas.drain-blocker/1").code' releasing
  new=$(jq -r 'select(.kind=="gpuaas.plan/1").allocation' <<< "$output")
  run_ok gpuaas-show "$job"
  jq_is 'select(.kind=="gpuaas.audit/1" and .action=="release_requested").detail.reason | contains("'"$new"'")' true
  run_status 4 gpuaas-node drain "$NODE" --evacuate --consent "$job"
  assert_stderr "releasing"
  run_status 5 gpuaas-node drain "$NODE" --evacuate --consent zzzzzzzz
  run_ok gpuaas-state check
}

@test "an evacuation on a terminal says what carries out its orders" {
  fleet 2 1
  job=$(running --name job)
  run "$SRC/tests/on-terminal" 24x300 gpuaas-node drain "$NODE" --reason fan --evacuate --consent job
  assert_output "nothing runs yet: 'gpuaas-list plan --where allocation="
  assert_output "nothing is stopped yet: 'gpuaas-release $job | gpuaas-on gpuaas-release - | gpuaas-on gpuaas-wipe | gpuaas-state fold -' does it"
}

@test "an evacuation of something that is not there, or not here, drains nothing" {
  fleet 2 1
  job=$(running --name job)
  other=$(gpuaas-list nodes --where "node!=$NODE" | jq -r .node)
  run_status 5 gpuaas-node drain "$NODE" --reason fan --evacuate --consent "$job" --consent jbo
  assert_stderr "there is no allocation 'jbo'"
  run_status 4 gpuaas-node drain "$other" --reason fan --evacuate --consent "$job"
  assert_stderr "is not on node '$other'"
  run_status 4 gpuaas-node drain "$other" --reason fan --evacuate --consent "$job" --dry-run
  assert_equal "$(gpuaas-list nodes | jq -r .state | sort -u)" active
  assert_equal "$(gpuaas-list allocations | jq -r '"\(.allocation) \(.state)"')" "$job active"
}

@test "evacuation without another place leaves the allocation running" {
  fleet 1 2
  job=$(running)
  run_status 1 gpuaas-node drain "$NODE" --reason x --evacuate --consent "$job"
  assert_stderr "allocation $job goes on running: it has no other place"
  refute_stderr "node_draining"
  jq_is 'select(.kind=="gpuaas.refusal/1").hint' "it moves when another node has room: gpuaas-list nodes and gpuaas-list slots show them; gpuaas-show $job shows the owner, who can end it"
  jq_is 'select(.kind=="gpuaas.refusal/1") | "\(.code): \(.sentence)"' \
    "no_capacity: no other node has room for it"
  jq_is 'select(.kind=="gpuaas.refusal/1").nodes[0].code' node_draining
  jq_is 'select(.kind=="gpuaas.drain-blocker/1").code' in_use
  assert_equal "$(gpuaas-list allocations | jq -r .state)" active
}

# first OPTIONS: as if an evacuation of $job was killed when the new place was claimed
first()
{
  state_sql "SELECT request FROM allocation WHERE id = '$job'" |
    jq_in_order -c --arg id "evacuate-$job-1" 'del(.name, .node) | .request_id = $id' > "$T/request"
  gpuaas-place "$@" < "$T/request" > "$T/first"
  jq -r .allocation "$T/first"
}

# the allocation of the plan that an evacuation gives
evacuated_to()
{
  run_status 1 gpuaas-node drain "$NODE" --evacuate --consent "$job"
  jq_slurp_is 'map(.kind)|join(" ")' \
    "gpuaas.node/1 gpuaas.plan/1 gpuaas.release-order/1 gpuaas.drain-blocker/1"
  jq -r 'select(.kind=="gpuaas.plan/1").allocation' <<< "$output" > "$T/to"
}

@test "killed between its two steps, an evacuation goes on with the place it has" {
  fleet 2 1
  job=$(running)
  gpuaas-node drain "$NODE" --reason x > "$T/out" || :
  id=$(first)
  evacuated_to
  assert_equal "$(< "$T/to")" "$id"
}

@test "lost adds its reason to that of a quarantine" {
  fleet 1 1
  gpuaas-node quarantine "$NODE" --reason rootkit > "$T/out"
  run_ok gpuaas-list nodes
  since=$(jq -r .since <<< "$output")
  gpuaas-node lost "$NODE" --reason "burnt down" --yes > "$T/out"
  run_ok gpuaas-list nodes
  jq_is '[.state,.cordon_reason,.since]|join("|")' "quarantined|rootkit; burnt down|$since"
}

@test "a drain of a quarantined node prints the commands of a node that drains" {
  fleet 2 1
  job=$(running --run-time 2h)
  gpuaas-node quarantine "$NODE" --reason smoke > "$T/out"
  run_status 1 gpuaas-node drain "$NODE"
  jq_is 'select(.kind=="gpuaas.drain-blocker/1").command' "gpuaas-node drain $NODE --evacuate --consent $job"
}

@test "a place of an evacuation that is gone, released or expired, is found again" {
  fleet 2 1
  job=$(running)
  gpuaas-node drain "$NODE" --reason x > "$T/out" || :
  id=$(first)
  gpuaas-release "$id" > "$T/out"
  evacuated_to
  [[ $(< "$T/to") != "$id" ]]
}

@test "a place that expires before the evacuation is confirmed is found again" {
  fleet 2 1
  job=$(running)
  gpuaas-node drain "$NODE" --reason x > "$T/out" || :
  id=$(first --expires 1s)
  # shellcheck disable=SC2016 # for the inner shell
  wait_for 10 bash -c '[[ $(gpuaas-list attention --where object="$0" | jq -r .code) == plan_expired ]]' "$id"
  evacuated_to
  [[ $(< "$T/to") != "$id" ]]
}

@test "a slot that was quarantined does not keep the rest of its failed allocation" {
  fleet 1 2
  gpuaas-place --profile lab --gpus 2 > "$T/plan"
  id=$(jq -r .allocation "$T/plan")
  jq_in_order -c '{kind: "gpuaas.failure/1", node, object: .allocation, attempt, generation,
    program: "gpuaas-provision", phase: "define", code: "failed", sentence: "no", hint: null,
    status: 9, at: .created_at, dry_run: false}' "$T/plan" > "$T/failure"
  by_node < "$T/failure" > "$T/signed"
  run_status 9 gpuaas-state fold "$T/signed"
  first=$(jq -r .bundles[0].slot "$T/plan")
  gpuaas-approve quarantine "$first" --reason smoke > "$T/out"
  # The command that attention names for the allocation works, for what is left of it.
  run_ok gpuaas-list attention
  jq_is "select(.object == \"$id\").command" "gpuaas-release $id | gpuaas-on gpuaas-release - | gpuaas-on gpuaas-wipe | gpuaas-state fold -"
  run_ok gpuaas-release "$id"
  jq_is '.bundles | map(.slot) | join(" ")' "$(jq -r .bundles[1].slot "$T/plan")"
  jq_in_order -c '{kind: "gpuaas.released/1", allocation, node, generation, attempt, dry_run: false,
    at: .issued_at, steps: [], slots: .bundles | map(.slot), lab: true}' <<< "$output" > "$T/done"
  by_node < "$T/done" > "$T/signed"
  run_ok gpuaas-state fold "$T/signed"
  run_ok gpuaas-list slots
  jq_slurp_is 'map(.state)|join(" ")' "quarantined wiping"
  run_ok gpuaas-state check
  run_ok gpuaas-approve disable "$first" --reason smoke
  gpuaas-approve enable "$first" | "$SRC/tests/evidence" > "$T/evidence"
  run_ok gpuaas-state fold "$T/evidence"
  run_ok gpuaas-list slots
  jq_slurp_is 'map(.state)|join(" ")' "available wiping"
  run_ok gpuaas-state check
}

@test "lost: asked first, everything on it given up, the node quarantined" {
  fleet 1 2
  job=$(running)
  run_status 2 gpuaas-node lost "$NODE" --yes
  run_status 2 gpuaas-node lost "$NODE" --reason fire < /dev/null
  assert_stderr "--yes"
  run_ok gpuaas-node lost "$NODE" --reason fire --dry-run
  would=$(jq -r 'select(.kind=="gpuaas.drain-blocker/1")|[.object,.state,.command,.sentence]|join(" ")' \
    <<< "$output")
  assert_output "is release_failed since"
  assert_output "not billed, its slots: $(gpuaas-list slots --where "allocation=$job" | jq -r .slot) cleanup_blocked"
  node_is active
  assert_equal "$(gpuaas-list allocations --where "allocation=$job" | jq -r .state)" active
  run_ok gpuaas-node lost "$NODE" --reason fire --yes
  assert_equal "$(jq -r 'select(.kind=="gpuaas.drain-blocker/1")|[.object,.state,.command,.sentence]|join(" ")' \
    <<< "$output" | sed 's/since [^,]*//')" "$(sed 's/since [^,]*//' <<< "$would")"
  jq_is 'select(.kind=="gpuaas.node/1")|[.state,.cordon_reason]|join(" ")' "quarantined fire"
  jq_is "select(.kind==\"gpuaas.drain-blocker/1\")|[.object,.state]|join(\" \")" "$job release_failed"
  run_ok gpuaas-list usage --where "allocation=$job"
  jq_slurp_is 'all(.ended_at != null)' true
  run_ok gpuaas-list slots --where tainted=true
  jq_is .state cleanup_blocked
  run_ok gpuaas-state check
  # Its idle slot is where it was, and nothing is placed on it; nothing says to undrain a host that is gone.
  assert_equal "$(gpuaas-list slots --where state=available | jq -s length)" 1
  run_status 1 gpuaas-place --profile lab
  assert_output node_quarantined
  run_ok gpuaas-list attention --where "object=$NODE"
  jq_is .command "gpuaas-list slots --where node=$NODE"
  jq_is '.sentence|startswith("fire; the host is lost")' true
  # It burned: its slots are retired with a record of that, its allocation ends, and then the node.
  slot=$(gpuaas-list slots --where state=cleanup_blocked | jq -r .slot)
  idle=$(gpuaas-list slots --where state=available | jq -r .slot)
  gpuaas-approve quarantine "$slot" --reason fire > "$T/out"
  run_status 4 gpuaas-approve disable "$slot" --reason fire
  assert_stderr "gpuaas-approve retire $slot --reason TEXT --disposal TEXT"
  run_status 4 gpuaas-approve retire "$slot" --reason fire
  run_ok gpuaas-approve retire "$slot" --reason fire --disposal burnt
  gpuaas-approve disable "$idle" --reason fire > "$T/out"
  gpuaas-approve retire "$idle" --reason fire > "$T/out"
  run_ok gpuaas-release "$job"
  jq_is .state released
  run_ok gpuaas-node retire "$NODE" --reason fire --yes
  run_ok gpuaas-list attention
  assert_equal "$output" ""
  run_ok gpuaas-state check
}

@test "drain offers an evacuation only where there is another node" {
  fleet 1 1
  job=$(running)
  run_status 1 gpuaas-node drain "$NODE" --reason fan
  jq_is "select(.object==\"$job\").command" \
    "gpuaas-show $job"
}

@test "on a terminal the name is typed" {
  fleet 1 1
  gpuaas-node rename "$NODE" h7 > "$T/out"
  # shellcheck disable=SC2016 # for the shell of script(1)
  run script -qec 'gpuaas-node lost h7 --reason fire' "$T/typescript" <<< "h8"
  assert_output "type the name of the node, h7"
  node_is active
  run script -qec 'gpuaas-node lost h7 --reason fire' "$T/typescript" <<< "h7"
  node_is quarantined
}

@test "maintenance is planned, listed, ended, and never changed" {
  fleet 1 1
  run_status 2 gpuaas-node maintenance "$NODE" --to 2h
  assert_stderr "needs --reason"
  run_status 2 gpuaas-node maintenance "$NODE" --reason x
  run_status 2 gpuaas-node maintenance "$NODE" --from 2h --to 1h --reason x
  assert_stderr "before it begins"
  run_status 2 gpuaas-node maintenance "$NODE" --from 2020-01-01T00:00:00Z \
    --to 2020-01-02T00:00:00Z --reason x
  assert_stderr "over already"
  run_status 2 gpuaas-node maintenance "$NODE" --to tomorrow --reason x
  assert_stderr "24h"
  run_ok gpuaas-node maintenance "$NODE" --from 24h --to 26h --reason "power supply"
  jq_is '[.state,.reason]|join(" ")' "planned power supply"
  window=$(jq -r .maintenance <<< "$output")
  run_ok gpuaas-node maintenance "$NODE" --to 1h --reason "fan"
  jq_is .state open
  run_ok gpuaas-list maintenance
  jq_is .reason $'fan\npower supply'
  run_ok gpuaas-node show "$NODE"
  jq_is 'select(.kind=="gpuaas.maintenance/1").reason' $'fan\npower supply'
  run_ok gpuaas-node end-maintenance "${window:0:5}"
  jq_is .state ended
  run_status 4 gpuaas-node end-maintenance "$window"
  run_status 5 gpuaas-node end-maintenance zzzzzzzz
  run_ok gpuaas-node show "$NODE"
  jq_is 'select(.kind=="gpuaas.maintenance/1").reason' fan
  for sql in "UPDATE maintenance SET reason = 'other'" "DELETE FROM maintenance" \
    "UPDATE maintenance SET ended_at = NULL" \
    "INSERT OR REPLACE INTO maintenance SELECT id, node_id, from_at, to_at, 'x', created_at, created_by, NULL FROM maintenance"; do
    run state_sql "$sql"
    [[ $status -ne 0 ]] || { echo "went through: $sql"; return 1; }
  done
}

@test "placement keeps what would run into maintenance off the node, and says why" {
  fleet 1 2
  gpuaas-node maintenance "$NODE" --from 2h --to 4h --reason "power supply" > "$T/out"
  window=$(jq -r .maintenance "$T/out")
  run_ok gpuaas-place --profile lab --run-time 1h --dry-run
  assert_equal "$stderr" "gpuaas-place: dry run: nothing is changed"
  run_status 1 gpuaas-place --profile lab --run-time 3h --explain
  jq_is 'select(.kind=="gpuaas.refusal/1")|[.nodes[0].code,.nodes[0].detail]|join(" ")' \
    "maintenance_ahead power supply"
  jq_is 'select(.kind=="gpuaas.explanation/1")|[.nodes[0].code,.nodes[0].detail]|join(" ")' \
    "maintenance_ahead power supply"
  jq_is 'select(.kind=="gpuaas.refusal/1").sentence | contains("maintenance_ahead: power supply")' true
  # Nobody knows how long it runs: it is placed, with a warning.
  run_ok gpuaas-place --profile lab
  assert_stderr "has maintenance from"
  assert_stderr "power supply"
  gpuaas-node maintenance "$NODE" --to 1h --reason "fan" > "$T/out"
  run_status 1 gpuaas-place --profile lab --run-time 5m
  jq_is '[.nodes[0].code,.nodes[0].detail]|join(" ")' "maintenance fan"
  run_status 1 gpuaas-place --profile lab
  gpuaas-node end-maintenance "$(jq -r .maintenance "$T/out")" > "$T/out"
  gpuaas-node end-maintenance "$window" > "$T/out"
  run_ok gpuaas-place --profile lab --run-time 3h
  assert_equal "$stderr" ""
}

@test "a stream of requests sees maintenance that is planned between two of them" {
  fleet 1 3
  mkfifo "$T/in"
  background bash -c 'gpuaas-place < "$T/in" > "$T/answers" 2> "$T/words"'
  exec 9> "$T/in"
  request='{"kind":"gpuaas.request/1","profile":"lab","count":1,"project":"vision","run_seconds":7200}'
  echo "$request" >&9
  wait_for 20 test -s "$T/answers"
  gpuaas-node maintenance "$NODE" --from 1h --to 2h --reason "fan" > "$T/out"
  echo "$request" >&9
  exec 9>&-
  wait_for 20 has_ended "$BG_PID"
  run cat "$T/answers"
  jq_is .kind $'gpuaas.plan/1\ngpuaas.refusal/1'
  jq_is 'select(.kind=="gpuaas.refusal/1").nodes[0].code' maintenance_ahead
}

@test "placement takes a node by its name" {
  fleet 2 1
  gpuaas-node rename "$NODE" h7 > "$T/out"
  run_ok gpuaas-place --profile lab --node h7 --request-id once
  jq_is .node "$NODE"
  plan=$output
  # The same request, by the id: the same plan.
  run_ok gpuaas-place --profile lab --node "$NODE" --request-id once
  assert_equal "$output" "$plan"
  run_status 1 gpuaas-place --profile lab --node h8
  jq_is .nodes[0].code other_node_wanted
}

@test "placement says the reason of a drain" {
  fleet 1 1
  gpuaas-node drain "$NODE" --reason "new firmware" > "$T/out"
  run_status 1 gpuaas-place --profile lab
  jq_is '[.code,.nodes[0].code,.nodes[0].detail]|join(" ")' "not_ready node_draining new firmware"
  jq_is .sentence "1 GPU would fit on node '$NODE', but the node is not usable (node_draining: new firmware)"
  jq_is .hint "when the reason is settled: gpuaas-node undrain $NODE"
}

# A second host beside the one that holds the state: other disks, a folder of its own, no state.
second()
{
  HOST=$T/host2 WORK=$T/work2 GPUAAS_HOST_DIR=$T/far GPUAAS_STATE=$T/nowhere.db GPUAAS_NODE=h2 \
    GPUAAS_DHCP_HOSTS=$T/dhcp2 GPUAAS_LEASES=$T/leases2 GPUAAS_IMAGES=$T/kept2 in_host "$@"
}

@test "evacuation for real: stopped and wiped on one host, made again on the other" {
  load lab
  rm "$GPUAAS_STATE"*
  make_lab
  mkdir "$T/dhcp2"
  HOST=$T/host2 WORK=$T/work2 setup_host lab1 nvme.0.eui=0025384000000b00 nvme.0.serial=SECOND0 \
    nvme.1.eui=0025384000000b10 nvme.1.serial=SECOND1 nvme.2.eui=0025384000000b20 nvme.2.serial=SECOND2
  second gpuaas-discover | gpuaas-approve --all-ready > "$T/approved"
  second gpuaas-wipe < "$T/approved" | gpuaas-state fold - > "$T/folded"
  second gpuaas-image add "$T/images/lab.raw" --name lab --probe running --firmware bios |
    gpuaas-state apply - > "$T/out"
  first=$(gpuaas-list nodes | jq -r .node | grep -v '^h2$')
  here bash -c 'gpuaas-place --profile lab --name job --node "$1" | gpuaas-provision' - "$first" > "$T/running"
  old=$(jq -r .allocation "$T/running")
  run_status 1 gpuaas-node drain "$first" --reason "new firmware" --evacuate --consent job
  printf '%s\n' "$output" > "$T/moves"
  here gpuaas-release - < "$T/moves" > "$T/released"
  here gpuaas-wipe < "$T/released" > "$T/wiped"
  second gpuaas-provision < "$T/wiped" > "$T/done"
  gpuaas-state fold "$T/done" > "$T/folded"
  run_ok gpuaas-node drain "$first"
  jq_slurp_is 'map(.kind)|join(" ")' gpuaas.node/1
  run_ok gpuaas-list allocations
  jq_is 'select(.allocation=="'"$old"'").state' released
  jq_is 'select(.allocation!="'"$old"'")|[.state,.node]|join(" ")' "active h2"
  run_ok gpuaas-list slots --where "node=$first"
  jq_slurp_is 'map(.state)|join(" ")' "available available"
  run_ok gpuaas-state check
  run_ok gpuaas-list attention
  assert_equal "$output" ""
}

@test "several nodes: each by itself, those that meet a condition, and the first bad status" {
  local nodes
  fleet 3 1
  mapfile -t nodes < <(gpuaas-list nodes | jq -r .node)
  gpuaas-node rename "${nodes[0]}" h7 > "$T/out"
  # Named twice it is done once; one that is not there does not keep the others.
  run_status 5 gpuaas-node drain h7 nosuch "${nodes[0]}" "${nodes[1]}" --reason fan
  jq_is '"\(.node) \(.state)"' "${nodes[0]} draining
${nodes[1]} draining"
  assert_stderr "there is no node 'nosuch'"
  assert_equal "$(gpuaas-list audit --where action=node_draining | wc -l)" 2
  run_ok gpuaas-node undrain --where state=draining --dry-run
  jq_is '"\(.node) \(.state)"' "${nodes[0]} active
${nodes[1]} active"
  assert_equal "$(gpuaas-list nodes --where state=draining | wc -l)" 2
  run_ok gpuaas-node undrain --where state=draining
  assert_equal "$(gpuaas-list nodes --where state=active | wc -l)" 3
  run_ok gpuaas-node undrain --where state=draining
  assert_equal "$output" ''
  assert_stderr "no node meets the conditions: nothing was done"
  # A refusal in the middle.
  NODE=${nodes[1]} job=$(NODE=${nodes[1]} running)
  run_status 4 gpuaas-node mode "${nodes[@]}" baremetal
  jq_is .node "${nodes[0]}
${nodes[2]}"
  assert_equal "$(grep -c 'gpuaas-node: ' <<< "$stderr")" 2 # the error and its hint
  run_ok gpuaas-node mode --where mode=baremetal baremetal
  jq_is .node "${nodes[0]}
${nodes[2]}"
  run_status 1 gpuaas-node drain "${nodes[@]}" --reason fan --deadline 24h
  jq_is 'select(.kind=="gpuaas.drain-blocker/1").object' "$job"
  jq_slurp_is 'map(select(.kind=="gpuaas.node/1" and .drain_deadline != null)) | length' 3
  run_status 1 gpuaas-node drain --where state=draining --reason fan --table
  assert_output DEADLINE
  run_ok gpuaas-node show --where state=draining
  jq_slurp_is 'map(select(.kind=="gpuaas.node/1")) | length' 3
  # Options for one node.
  run_status 2 gpuaas-node drain "${nodes[0]}" "${nodes[1]}" --generation 3
  assert_stderr "--generation is for one node, and these are 2"
  run_status 2 gpuaas-node drain "${nodes[0]}" "${nodes[1]}" --evacuate --consent "$job"
  run_status 2 gpuaas-node drain h7 --where state=active
  assert_stderr "either name each node, or give conditions"
  run_status 2 gpuaas-node drain
  assert_stderr "a node is missing"
  run_status 2 gpuaas-node mode baremetal
  run_status 2 gpuaas-node drain --where colour=red --reason x
  run_status 5 gpuaas-node drain --where node=nosuch --reason x
  run_ok gpuaas-state check
}

@test "a node that does not meet the conditions any more when its turn comes is left alone" {
  local nodes condition
  fleet 3 1
  mapfile -t nodes < <(gpuaas-list nodes | jq -r .node)
  stopped_at gpuaas.node/1 gpuaas-node drain --where state=active --reason mine --json
  gpuaas-node drain "${nodes[1]}" --reason theirs > "$T/drained"
  goes_on
  assert_status 0
  jq_is .node "${nodes[0]}
${nodes[2]}"
  assert_equal "$stderr" "node ${nodes[1]} is not changed: it does not meet the conditions any more"
  run_ok gpuaas-list nodes
  jq_slurp_is 'map(.cordon_reason)|join(" ")' "mine theirs mine"
  # A name that no node has is refused before anything is done.
  for condition in 'node!=h77' "node=${nodes[0]},h77" 'name!=h77'; do
    run_status 5 gpuaas-node undrain --where "$condition"
    assert_stderr "there is no node 'h77'"
  done
  assert_equal "$(gpuaas-list nodes --where state=draining | wc -l)" 3
  run_ok gpuaas-node show --where 'node!=h77'
  assert_stderr "there is no node 'h77'"
  jq_slurp_is 'map(select(.kind=="gpuaas.node/1")) | length' 3
}
