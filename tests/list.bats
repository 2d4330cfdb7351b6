# SPDX-License-Identifier: Apache-2.0
# gpuaas-list, gpuaas-show and the front, on a state made by the programs themselves.

load helper

# Two slots of lab1: the first wiped, the wipe of the second still waits.
setup()
{
  common_setup
  setup_host lab1
  gpuaas-state init --lab > /dev/null
  gpuaas-state apply "$SRC/share/objects/lab.json" > /dev/null
  in_host gpuaas-discover > "$T/discovery"
  gpuaas-approve --all-ready < "$T/discovery" > "$T/approved"
  jq_in_order -c 'select(.kind=="gpuaas.wipe-order/1")' "$T/approved" | head -n 1 |
    in_host gpuaas-wipe > "$T/evidence"
  WIPED=$(jq -r .object "$T/evidence")
  WAITS=$(jq -r 'select(.kind=="gpuaas.slot/1").slot' "$T/approved" | grep -v "$WIPED")
  NODE=$(jq -r .node "$T/evidence")
}

@test "every kind is listed, in singular and plural, and reads as records" {
  local kind
  for kind in node slot candidate profile image node-image allocation plan claim task usage \
    evidence audit pool region attention nodes slots pools plans; do
    run_ok gpuaas-list "$kind"
    [[ -z $output ]] || jq_slurp_is 'all(.kind|startswith("gpuaas."))' true
  done
}

@test "conditions, limits and what is behind an id" {
  run_ok gpuaas-list slots --where state=available
  jq_is .slot "$WIPED"
  run_ok gpuaas-list slots --where tainted=true
  jq_is .slot "$WAITS"
  run_status 5 gpuaas-list slots --where state=available --where node=elsewhere
  assert_equal "$output" ""
  run_ok gpuaas-list slots --where wipe.verify=full --limit 1
  jq_slurp_is length 1
  run_ok gpuaas-list slots
  jq_is .slot_index $'0\n1'
  run_ok gpuaas-list slots --after "$(gpuaas-list slots --limit 1 | jq -r .slot)"
  jq_is .slot_index 1
  run_ok gpuaas-list audit --after 2 --limit 2
  jq_is .seq $'3\n4'
  run_ok gpuaas-list audit --since 2020-01-01T00:00:00Z
  jq_is 'select(.action=="wiped").object' "$WIPED"
  run_ok gpuaas-list audit --since 2096-01-01T00:00:00Z
  assert_equal "$output" ""
  for since in 2020-01 2020-01-01 '2020-01-01 08:00:00Z' '3600d ago'; do
    assert_equal "$(gpuaas-list audit --since "$since" --json)" "$(gpuaas-list audit --json)"
  done
  run_status 2 gpuaas-list audit --since '2026-11-25 03:56'
  assert_stderr "--since: '2026-11-25 03:56' does not say that it is UTC"
  run_ok gpuaas-list evidence --since 1h
  jq_is .object "$WIPED"
}

@test "a condition on a node, slot or allocation takes a name, or the beginning of an id" {
  gpuaas-node set "$NODE" --name h7 > "$T/set"
  run_ok gpuaas-list slots
  all=$output
  local condition list
  for condition in node=h7 "node=${NODE:0:3}" "node=$NODE"; do
    run_ok gpuaas-list slots --where "$condition"
    assert_equal "$output" "$all"
    assert_equal "$stderr" ""
  done
  run_ok gpuaas-list slots --where "slot=${WIPED:0:5}"
  jq_is .slot "$WIPED"
  run_ok gpuaas-node list --where node=h7
  jq_is .node "$NODE"
  run_ok gpuaas-list events --where node=h7 --limit 1
  jq_is .node "$NODE"
  run_ok gpuaas-list events --where node=h7 --limit 1 --follow
  jq_is .node "$NODE"
  run_ok gpuaas-list events --where node=null --limit 1
  jq_is .node null
  assert_equal "$stderr" ""
  # A name that fits nothing is refused, and one that fits several must be made clear.
  for kind in slots nodes tasks claims; do
    run_status 5 gpuaas-list "$kind" --where node=h8
    assert_equal "$output" ""
    assert_stderr "gpuaas-list: there is no node 'h8'"
  done
  # Where others match, it is a warning: the list is not what the name meant.
  for condition in 'node!=h8' node=h7,h8; do
    for list in gpuaas-list\ slots gpuaas-list\ nodes gpuaas-node\ list; do
      # shellcheck disable=SC2086 # two words
      run_ok $list --where "$condition"
      [[ $output ]]
      assert_stderr "there is no node 'h8'"
    done
  done
  run_status 5 gpuaas-list usage --where allocation=h8
  assert_stderr "there is no allocation 'h8'"
  run_status 5 gpuaas-node list --where node=h8
  assert_stderr "there is no node 'h8'"
  for node in alike1 alike2; do
    GPUAAS_HOST_DIR=$T/$node in_host gpuaas-discover --node "$node" | gpuaas-approve --record-only > "$T/recorded"
  done
  run_status 2 gpuaas-list slots --where node=alike
  assert_stderr "'alike' could be node alike1, node alike2"
  assert_stderr "hint: give more of the id of the one that is meant"
}

@test "object=NAME finds what gpuaas-show NAME finds, and rows with exactly that value" {
  gpuaas-node set "$NODE" --name h7 > "$T/set"
  echo '{"kind":"gpuaas.team/1","name":"blue","projects":["p"]}' | gpuaas-state apply - > "$T/team"
  for name in h7 "$NODE" "${NODE:0:3}"; do
    run_ok gpuaas-list audit --where "object=$name" --newest --limit 1
    jq_is '"\(.object) \(.action)"' "$NODE node_settings_applied"
    # Evidence and tasks are of slots and allocations: the node stands for them.
    run_ok gpuaas-list evidence --where "object=$name"
    jq_is .object "$WIPED"
  done
  run_ok gpuaas-list audit --where object=blue
  jq_is .action team_applied
  run_ok gpuaas-list audit --where object=lab --limit 1
  jq_is .object lab
  run_ok gpuaas-list tasks --where "object=$WAITS"
  assert_equal "$output" ""
  for name in "${WIPED:0:5}" h7; do
    run_ok gpuaas-list tasks --where "object=$name"
    jq_slurp_is 'map(.object) | unique | join(" ")' "$WIPED"
  done
  for kind in tasks audit events attention evidence; do
    run_status 5 gpuaas-list "$kind" --where object=nothing
    assert_stderr "there is no object 'nothing'"
  done
  # A profile has a command of its own, which the hint names.
  run_status 5 gpuaas-show lab
  assert_stderr "hint: 'gpuaas-list profiles --where name=lab' shows what has that name"
}

@test "a history in pages, newest first" {
  run_ok gpuaas-list audit --newest
  all=$(jq .seq <<< "$output") page='' after=()
  assert_equal "$(sort -rn <<< "$all")" "$all"
  while run_ok gpuaas-list events --newest --limit 3 "${after[@]}" && [[ -n $output ]]; do
    page+=$(jq .seq <<< "$output")$'\n' after=(--after "$(jq .seq <<< "${lines[-1]}")")
  done
  assert_equal "${page%$'\n'}" "$all"
  run_status 2 gpuaas-list slots --newest
  assert_stderr "histories: tasks usage evidence audit events"
  run_status 2 gpuaas-list audit --newest --follow
}

@test "regions: those declared and those of nodes" {
  gpuaas-node set "$NODE" --region west > "$T/set"
  run_ok gpuaas-list regions
  jq_is '[.name,.title,.open,.nodes,.slots,.available]|map(tostring)|join(" ")' "west null true 1 2 1"
  jq_in_order -cn '{kind:"gpuaas.region/1",name:"asia",title:"Singapore",open:false,reason:"opens in March"}' |
    gpuaas-state apply - > "$T/region"
  run_ok gpuaas-list regions --table
  [[ ${lines[0]} =~ ^REGION\ +TITLE\ +OPEN\ +REASON\ +NODES\ +SLOTS\ +AVAILABLE$ ]]
  [[ ${lines[1]} =~ ^asia\ +Singapore\ +no\ +opens\ in\ March\ +0\ +0\ +0$ ]]
  run_ok gpuaas-list nodes --table
  [[ ${lines[0]} =~ \ REGION\  && ${lines[1]} =~ \ west\  ]]
  run_ok gpuaas-list pools --table
  [[ ${lines[0]} =~ \ REGION\  && ${lines[1]} =~ \ west\  ]]
  # Everything in a list can be applied, and a region be declared no more.
  gpuaas-list regions > "$T/regions"
  run_ok gpuaas-state apply "$T/regions"
  echo '{"kind":"gpuaas.region/1","name":"asia","open":false,"retired":true}' | gpuaas-state apply - > "$T/region"
  run_ok gpuaas-list regions
  jq_is .name west
}

@test "a wrong question gets an answer that helps" {
  # gpus>0 without quotes: the shell took ">0" away.
  run_status 2 gpuaas-list allocations --where gpus
  assert_stderr "'gpus' is not MEMBER=VALUE"
  assert_stderr "in quotes: without them the shell takes > and < for files"
  run_status 2 gpuaas-list slots state=available
  assert_stderr "unexpected operand 'state=available'"
  assert_stderr "a condition stands behind --where: --where 'state=available'"
  run_status 2 gpuaas-list slots "cordon_reason=it's hot, and it has been so since the machine came here"
  assert_stderr "behind --where: --where 'cordon_reason=it'\''s hot, and it has been so since the machine came here'"
  run_status 2 gpuaas-list slots more
  refute_stderr "a condition"
  run_status 2 gpuaas-list
  assert_stderr "attention"
  run_status 2 gpuaas-list things
  assert_stderr "kinds: nodes slots"
  assert_stderr " evidence "
  run_status 2 gpuaas-list slots --where colour=red
  assert_stderr "its members: slot node"
  run_status 2 gpuaas-list slots --where state
  assert_stderr "MEMBER=VALUE"
  run_status 2 gpuaas-list slots --since tomorrow
  run_status 2 gpuaas-list candidates --after 1
  run_status 2 gpuaas-list tasks --after one
  run_status 5 gpuaas-list slots --after zzzzzzzz
  run_status 2 gpuaas-list slots --limit 0
  run_status 5 gpuaas-list slots --state "$T/none"
  assert_stderr "gpuaas-state init"
}

@test "pools count slots by state" {
  run_ok gpuaas-list pools
  jq_is '[.nodes,.slots,.available,.cleaning,.largest]|join(" ")' "1 2 1 1 1"
}

@test "a pool's columns count every slot, and its part in fragments is a percentage" {
  run_ok gpuaas-list pools --table
  [[ ${lines[0]} =~ \ FRAGMENTED$ ]]
  [[ ${lines[1]} =~ \ [0-9]+\.[0-9]%$ ]]
  digest=sha256:$(printf 'a%.0s' {1..64})
  jq_in_order -cn --arg d "$digest" --arg node "$NODE" '{kind:"gpuaas.image/1",name:"lab",digest:$d,format:"raw",
    file_bytes:1048576,size_bytes:1048576,firmware:"bios",probe:"running",user:"ubuntu"},
    {kind:"gpuaas.node-image/1",$node,image:"lab",digest:$d,path:"/images/lab.raw",
    verified_at:"2026-11-20T00:00:00.000000Z"}' | gpuaas-state apply - > "$T/applied"
  gpuaas-place --profile lab > "$T/plan"
  run_ok gpuaas-list pools --table
  assert_equal "$(sed 's/  */\n/g' <<< "${lines[0]}" | sed -n '4,10p' | xargs)" \
    "SLOTS AVAILABLE RESERVED ACTIVE CLEANING BLOCKED DISABLED"
  # shellcheck disable=SC2086 # the columns
  set -- ${lines[1]}
  assert_equal "${*:4:7}" "2 0 1 0 1 0 0"
}

@test "a reason is headed REASON in every table, and no heading is a sentence" {
  run_ok grep -o '"[A-Z#][^"]*"' "$SRC/lib/cli/frame/table_views.c"
  [[ ${#lines[@]} -gt 200 ]]
  refute_output '"WHY'
  refute_output ', '
}

@test "what has no table of its own is shown as gpuaas-show shows an object" {
  run_ok in_host gpuaas-reconcile --inventory --table
  # Each record begins with its kind, after an empty line; "-" stands for nothing.
  assert_equal "$(grep -v '^  ' <<< "$output")" $'inventory-work\n\ninventory'
  [[ ${#lines[@]} -gt 12 ]]
  for line in "${lines[@]}"; do
    [[ $line =~ ^(inventory(-work)?|\ \ [a-z_.]*\ +[^\ ].*)$ ]] || { echo "not one member: $line"; false; }
  done
  assert_output "  power                   -"
  assert_output "  object                  $WIPED"
}

@test "attention says what needs a person, why, and what to do" {
  run_ok gpuaas-list attention
  assert_equal "$output" ""
  jq_in_order -c "select(.kind==\"gpuaas.wipe-order/1\" and .object==\"$WAITS\")" "$T/approved" > "$T/order"
  # The disk is another than the one that was approved: the wipe cannot begin.
  jq_in_order -c '.nvme_wwid="eui.00000000000000ff"' "$T/order" > "$T/wrong"
  run --separate-stderr in_host gpuaas-wipe < "$T/wrong"
  run_ok gpuaas-list attention
  jq_is '[.object,.object_kind,.state]|join(" ")' "$WAITS slot cleanup_blocked"
  jq_is '.command|contains("'"$WAITS"'")' true
  jq_is '.sentence|length > 0' true
  run_ok gpuaas-list slots --where state=available
  jq_is .slot "$WIPED"
}

@test "show has everything of one object, by a prefix" {
  run_ok gpuaas-show "${WIPED:0:5}"
  jq_slurp_is '[.[].kind]|unique|join(" ")' \
    "gpuaas.audit/1 gpuaas.slot/1 gpuaas.task/1 gpuaas.wipe-evidence/1"
  jq_is 'select(.kind=="gpuaas.wipe-evidence/1").outcome' confirmed
  run_ok gpuaas-show "$NODE"
  jq_slurp_is '[.[]|select(.kind=="gpuaas.slot/1")]|length' 2
  run_ok gpuaas-show --table "$WIPED"
  assert_output "Wipe evidence"
  assert_output "Audit"
  # Several, each once; of those that meet a condition the operand is the kind.
  run_status 5 gpuaas-show "$WIPED" zzzz "${WIPED:0:5}" "$WAITS"
  jq_is 'select(.kind=="gpuaas.slot/1").slot' "$WIPED
$WAITS"
  run_ok gpuaas-show slots --where state=wiping
  jq_is 'select(.kind=="gpuaas.slot/1").slot' "$WAITS"
  run_ok gpuaas-show slot --where state=retired
  assert_stderr "no slot meets the conditions"
  run_status 2 gpuaas-show "$WIPED" --where state=wiping
  assert_stderr "with --where the operand is a kind"
  run_status 2 gpuaas-show slots nodes --where state=wiping
  run_ok gpuaas-show --table "$WIPED" "$WAITS"
  assert_equal "$(grep -c '^Audit' <<< "$output")" 2
  run_status 5 gpuaas-show zzzz
  assert_stderr "'gpuaas-list nodes', 'gpuaas-list slots' and 'gpuaas-list allocations'"
  run_status 2 gpuaas-show
}

@test "a reader that goes away ends the listing with status 10" {
  # shellcheck disable=SC2016 # for the inner shell
  run_ok bash -c 'gpuaas-list slots > /dev/full; echo $?'
  assert_equal "$output" 10
}

@test "the front runs the program beside it and lists what is there" {
  run_ok gpuaas list slots --limit 1
  jq_is .kind gpuaas.slot/1
  run_ok gpuaas help
  assert_output "    list"
  assert_output "    show"
  run_ok gpuaas help list
  assert_output "usage: gpuaas-list"
  run_ok gpuaas --version
  assert_output "gpuaas "
  run_status 2 gpuaas
  assert_equal "$stderr" "gpuaas: name a program: gpuaas PROGRAM ARGUMENT…
gpuaas: hint: 'gpuaas help' lists the programs, 'gpuaas doctor' says what to do first"
  run_status 2 gpuaas ../list
  run_status 2 gpuaas nothing
  assert_equal "$stderr" "gpuaas: there is no program 'gpuaas-nothing'
gpuaas: hint: 'gpuaas help' lists what is there"
  for near in lanch:launch lst:list reconsile:reconcile; do
    run_status 2 gpuaas "${near%:*}"
    assert_stderr "near to it: '${near#*:}'"
  done
  # Words of kubectl, virsh and shells.
  for meant in get:list "ps:list allocations" describe:show rm:release "stop:vm stop"; do
    run_status 2 gpuaas "${meant%:*}"
    assert_stderr "hint: near to it: '${meant#*:}'; 'gpuaas help' lists"
  done
  GPUAAS_ERRORS=json run_status 2 gpuaas lst
  jq -e '.sentence == "there is no program '"'gpuaas-lst'"'"' <<< "$stderr" > "$T/out"
  run_status 2 gpuaas launch --no-such-option
  assert_stderr "gpuaas-place: unknown option '--no-such-option'"
  run_ok gpuaas help
  assert_output "launch"
  run_status 2 gpuaas help nothing
  run_status 5 gpuaas show zzzz
}

@test "the front finds a program that is not beside it where gpuaas.conf says, never in the caller's PATH" {
  ((EUID == 0)) || skip "only root can have a gpuaas.conf"
  mkdir "$T/bin"
  printf '#!/bin/sh\necho "other $*"\n' > "$T/bin/gpuaas-other"
  chmod +x "$T/bin/gpuaas-other"
  PATH=$T/bin:$PATH run_status 2 gpuaas other a b
  assert_stderr "there is no program 'gpuaas-other'"
  PATH=$T/bin:$PATH run_ok gpuaas help
  refute_output "    other"
  run_ok "$SRC/tests/own-conf" "GPUAAS_PATH=$T/bin:$FIXED_PATH" gpuaas other a b
  assert_equal "$output" "other a b"
  run_ok "$SRC/tests/own-conf" "GPUAAS_PATH=$T/bin:$FIXED_PATH" gpuaas help
  assert_output "    other"
}

@test "events say what their object is, and go on behind a number" {
  run_ok gpuaas-list events
  jq_is "select(.action==\"wiped\")|[.object,.object_kind,.node]|join(\" \")" "$WIPED slot $NODE"
  jq_is 'select(.action=="profile_applied")|[.object,.object_kind,.node]|map(tostring)|join(" ")' \
    "lab null null"
  jq_slurp_is '[.[].seq] == ([.[].seq]|sort)' true
  last=$(jq -s '.[-1].seq' <<< "$output")
  run_ok gpuaas-list events --after "$((last - 1))"
  jq_is .seq "$last"
  run_status 2 gpuaas-list slots --follow
  run_status 2 gpuaas-list events --format syslog
}

# seen N: the follower gave at least N rows
seen()
{
  [[ $(wc -l < "$T/followed") -ge $1 ]]
}

@test "events --follow gives each row once, in order, also when it is ended and started again" {
  gpuaas-list events --follow > "$T/followed" 3>&- &
  pid=$! BG+=("$!")
  n=$(gpuaas-list audit | wc -l)
  wait_for 10 seen "$n"
  for i in 1 2 3; do
    gpuaas-approve cordon "$WIPED" --reason "number $i" > "$T/out"
    wait_for 10 seen "$((n + i))"
  done
  kill -TERM "$pid"
  status=0
  wait "$pid" || status=$?
  [[ $status -eq 0 ]]
  # Nobody follows meanwhile.
  gpuaas-approve uncordon "$WIPED" > "$T/out"
  last=$(jq -s '.[-1].seq' "$T/followed")
  gpuaas-list events --follow --after "$last" --limit 2 >> "$T/followed" 3>&- &
  pid=$! BG+=("$!")
  wait_for 10 seen "$((n + 4))"
  gpuaas-approve cordon "$WIPED" --reason "the last" > "$T/out"
  wait_for 10 has_ended "$pid"
  wait "$pid"
  assert_equal "$(jq .seq "$T/followed")" "$(gpuaas-list audit | jq .seq)"
}

@test "many writers: the follower has every row of the audit, in its order" {
  gpuaas-list events --follow > "$T/followed" 3>&- &
  pid=$! BG+=("$!")
  for i in 1 2 3 4; do
    for j in 1 2 3 4 5; do gpuaas-approve cordon "$WIPED" --reason "$i $j"; done > "$T/out.$i" 3>&- &
    writers+=("$!")
  done
  wait "${writers[@]}"
  wait_for 10 seen "$(gpuaas-list audit | wc -l)"
  assert_equal "$(jq .seq "$T/followed")" "$(gpuaas-list audit | jq .seq)"
  kill "$pid"
}

@test "a follower whose reader is gone ends" {
  mkfifo "$T/pipe"
  gpuaas-list events --follow > "$T/pipe" 3>&- &
  pid=$! BG+=("$!")
  head -n 1 < "$T/pipe" > "$T/out"
  wait_for 10 has_ended "$pid"
}

@test "a follower says so when the state is not the one it followed" {
  run_status 4 gpuaas-list events --follow --after 100000
  assert_stderr "was replaced"
  gpuaas-state backup "$T/backup.db" > "$T/out"
  gpuaas-list events --follow > "$T/followed" 2> "$T/words" 3>&- &
  pid=$! BG+=("$!")
  wait_for 10 seen "$(gpuaas-list audit | wc -l)"
  gpuaas-state restore "$T/backup.db" --reason "the disk was full" > "$T/out"
  wait_for 10 has_ended "$pid"
  status=0
  wait "$pid" || status=$?
  [[ $status -eq 4 ]]
  grep -q "was replaced" "$T/words"
}

@test "the audit as syslog messages" {
  run_ok gpuaas-list audit --format syslog --limit 3
  assert_equal "${#lines[@]}" 3
  for line in "${lines[@]}"; do
    [[ $line =~ ^\<1[0-9][0-9]\>1\ 20[0-9-]+T[0-9:.]+Z\ [^\ ]+\ gpuaas-[a-z]+\ -\ [a-z_]+\ \[gpuaas@32473\ seq=\"[0-9]+\"\ .*\ \{.*\}$ ]] ||
      { echo "$line"; return 1; }
  done
  [[ ${lines[0]} == *"hash=\"$(gpuaas-list audit --limit 1 | jq -r .hash)\""* ]]
}

@test "gpuaas-show refuses --columns for its page, and takes them for CSV" {
  run_status 2 gpuaas-show "$WIPED" --table --columns slot,state
  assert_stderr "--columns is for tables of one kind, and this is a page of several"
  assert_stderr "gpuaas-list KIND --where CONDITION --columns"
  assert_equal "$output" ""
  run_ok gpuaas-show "$WIPED" -o csv --columns slot,state
  assert_output "$WIPED,available"
}

# line N: the words of that line, a blank between
line()
{
  echo ${lines[$1]}
}

@test "in 80 and 60 columns a table keeps what a person acts on" {
  gpuaas-approve cordon "$WIPED" --reason 'the fan of the second tray sounds odd, see ticket 4711' > "$T/cordoned"
  COLUMNS=60 run_ok gpuaas-list slots --table
  assert_equal "$(line 0)" "SLOT STATE BLOCKERS REASON"
  assert_output "available, cordoned"
  COLUMNS=80 run_ok gpuaas-profile catalog --table
  assert_equal "$(line 0)" "TYPE NAME MEMORY BANDWIDTH"
  COLUMNS=60 run_ok gpuaas-profile catalog --table
  assert_equal "$(line 0)" "TYPE NAME MEMORY"
  gpuaas-approve uncordon "$WIPED" > "$T/cordoned"
  gpuaas-state apply - << 'END' > "$T/applied"
{"kind":"gpuaas.image/1","name":"lab","digest":"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","format":"raw","file_bytes":1048576,"size_bytes":1048576,"firmware":"bios","probe":"running","user":"ubuntu"}
END
  gpuaas-state apply - << END >> "$T/applied"
{"kind":"gpuaas.node-image/1","node":"$NODE","image":"lab","digest":"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","path":"/images/lab","verified_at":"2026-01-31T08:15:00.000000Z"}
END
  gpuaas-place --profile lab --project vision --name job1 > "$T/plan"
  COLUMNS=80 run_ok gpuaas-list allocations --table
  [[ $(line 0) = "ALLOCATION NAME STATE "*" PROJECT USER "* ]]
  [[ $(line 1) = *" vision $(id -un)($(id -u)) "* ]]
  run_ok gpuaas-list allocations --where "user=$(id -un)"
  jq_is .user "$(id -un)($(id -u))"
}

@test "gpuaas-show of a kind says how several are shown, and how they are listed" {
  local kind
  for kind in node nodes slots allocations; do
    run_status 5 gpuaas-show "$kind"
    assert_stderr "there is no object '$kind'"
    assert_stderr "'gpuaas-show ${kind%s}s --where CONDITION' shows several, and 'gpuaas-list ${kind%s}s' lists them"
  done
  run_status 5 gpuaas-show nodesss
  refute_stderr "--where CONDITION"
  gpuaas-node set "$NODE" --name nodes > "$T/set"
  run_ok gpuaas-show nodes --json
}
