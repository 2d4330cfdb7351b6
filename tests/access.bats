#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The rights of users: grants and teams with real separate users, and two people for an override.
#
# Operators become the system user that owns the state by sudo, as gpuaas-internals(7) says; here
# setpriv does what sudo does. Each runs with accounts and groups of its own over /etc/passwd and
# /etc/group, in a mount namespace, and with a login uid where the kernel lets one be set.

load helper

OWNER=871
declare -gA UIDS=([alice]=5001 [bob]=5002 [carol]=5003 [dave]=5004)

setup()
{
  common_setup
  ((EUID == 0)) || skip "root is needed to become somebody else"
  unshare -m true 2> /dev/null || skip "mount namespaces are needed for accounts of the test's own"
  # The checkout may lie where others may not look.
  mkdir "$T/bin"
  cp "$GPUAAS_BUILD"/bin/gpuaas-{state,list,show,match,place,approve,release,node,vm,profile} "$T/bin"
  PATH=$T/bin:$PATH
  chmod -R a+rX "$T/bin"
  chmod 711 "$T"
  chmod 1777 "$T/tmp" "$T/asan"
  make_accounts
  LOGIN=$(bash -c 'echo 5001 > /proc/self/loginuid && cat /proc/self/loginuid' 2> /dev/null) || :
  if [[ $LOGIN != 5001 && $(cat /proc/self/loginuid 2> /dev/null) != 4294967295 ]]; then
    skip "somebody is logged in here, and the login uid cannot be changed"
  fi
  export LOGIN
  install -d -m 700 -o "$OWNER" -g "$OWNER" "$T/state"
  export GPUAAS_STATE=$T/state/state.db GPUAAS_NODE=n000
  root gpuaas-state init --lab > "$T/made"
  root gpuaas-state apply "$SRC/share/objects/lab.json" >> "$T/made"
}

make_accounts()
{
  local name
  cp /etc/passwd "$T/passwd"
  cp /etc/group "$T/group"
  for name in "${!UIDS[@]}"; do
    echo "$name:x:${UIDS[$name]}:${UIDS[$name]}::/nowhere:/bin/false"
    echo "$name:x:${UIDS[$name]}:" >&3
  done >> "$T/passwd" 3>> "$T/group"
  cat >> "$T/group" << 'END'
ops:x:6001:alice,bob
admins:x:6002:bob,dave
vision:x:6003:carol
odd name$(x)'":x:6004:alice
END
  chmod a+r "$T/passwd" "$T/group"
}

# with_accounts LOGIN CMD…: nobody (-) or a login uid
# shellcheck disable=SC2016 # for the inner shell
with_accounts()
{
  unshare -m --propagation private bash -c '
    mount --bind "$1/passwd" /etc/passwd && mount --bind "$1/group" /etc/group || exit 99
    [[ $2 == - ]] || echo "$2" 2> /dev/null > /proc/self/loginuid || :
    exec "${@:3}"' - "$T" "$@"
}

# Root itself, whoever is logged in where the tests run.
root()
{
  with_accounts 4294967295 env -u SUDO_UID "$@"
}

# sudo_as REAL SUDO LOGIN CMD…: what sudo gives a command
sudo_as()
{
  with_accounts "$3" setpriv --reuid="$1" --regid="$1" --clear-groups --inh-caps=-all \
    --bounding-set=-all env SUDO_UID="$2" "${@:4}"
}

# by NAME CMD…: as NAME who logged in and became the owner of the state by sudo
by()
{
  local uid=${UIDS[$1]}
  sudo_as "$OWNER" "$uid" "$uid" "${@:2}"
}

# root applies objects
apply()
{
  printf '%s\n' "$@" | root gpuaas-state apply - > "$T/applied"
}

# grant NAME ACTIONS MEMBERS: actions with commas between
grant()
{
  apply "{\"kind\":\"gpuaas.grant/1\",\"name\":\"$1\",\"actions\":[\"${2//,/\",\"}\"],$3}"
}

team()
{
  apply "{\"kind\":\"gpuaas.team/1\",\"name\":\"$1\",\"projects\":[$2],\"groups\":[$3]}"
}

# fleet NODES SLOTS [wiped]: available slots, or tainted ones in wiping
fleet()
{
  setup_host h200
  in_host gpuaas-discover > "$T/h200.rec"
  "$SRC/tests/fleet" "$1" "$2" < "$T/h200.rec" > "$T/fleet.rec"
  root gpuaas-approve --all-ready < "$T/fleet.rec" > "$T/slots"
  [[ ${3-} == tainted ]] || {
    "$SRC/tests/evidence" < "$T/slots" > "$T/evidence"
    root gpuaas-state fold "$T/evidence" > "$T/folded"
  }
  cat > "$T/image" << 'END'
{"kind":"gpuaas.image/1","name":"lab","digest":"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","format":"raw","file_bytes":1048576,"size_bytes":1048576,"firmware":"bios","probe":"running","user":"ubuntu"}
END
  jq_in_order -c 'select(.kind == "gpuaas.host/1") | {kind: "gpuaas.node-image/1", node, image: "lab",
    digest: ("sha256:" + "a" * 64), path: "/images/lab.raw",
    verified_at: "2026-11-20T00:00:00.000000Z"}' "$T/fleet.rec" >> "$T/image"
  root gpuaas-state apply "$T/image" > "$T/applied"
}

slot_of()
{
  state_sql "SELECT id FROM slot WHERE slot_index = $1 ORDER BY node_id LIMIT 1"
}

rows()
{
  state_sql "SELECT count(*) FROM audit${1:+ WHERE action = '$1'}"
}

# The last row of the audit.
audited()
{
  state_sql "SELECT $1 FROM audit ORDER BY seq DESC LIMIT 1"
}

# refused NAME CMD…: ends with 6, says who, and stands in the audit
refused()
{
  run_status 6 by "$@"
  assert_stderr "is denied to '$1'(${UIDS[$1]})"
  assert_equal "$(audited "action || ' ' || (actor LIKE '$1(${UIDS[$1]}) via sudo%')")" \
    "access_refused 1"
}

place()
{
  gpuaas-place --profile lab --project vision "$@"
}

@test "without a grant users who can write the state can do everything, and check says so" {
  fleet 1 2
  run_ok by alice gpuaas-place --profile lab --project vision
  run_ok by dave gpuaas-release "$(jq -r .allocation <<< "$output")"
  run_ok by alice gpuaas-node drain n000 --reason x
  run_ok by alice gpuaas-state check
  assert_stderr "there are no grants: users who can write the state can do everything"
}

@test "a grant closes its action to all others: refused, with who, what and how; in the audit" {
  fleet 1 4
  grant ops-place place '"group":"ops"'
  run_status 6 by carol gpuaas-place --profile lab --project vision
  jq_is '"\(.kind) \(.status) \(.code)"' "gpuaas.refusal/1 6 no_grant"
  assert_equal "$(jq -r .sentence <<< "$output")" "place of profile 'lab' for project 'vision' in \
any pool is denied to 'carol'(5003), in groups 'carol', 'vision': no grant gives them place of it"
  [[ $(jq -r .hint <<< "$output") == "allowed by grant 'ops-place' (to group 'ops'); grants are \
given by users who can write the state;"* ]]
  assert_equal "$(audited "action || ' ' || object || ' ' || json_extract(detail, '$.action')")" \
    "access_refused vision place"
  assert_equal "$(audited "json_extract(detail, '$.groups')")" '["carol","vision"]'
  assert_equal "$(audited "actor LIKE 'carol(5003) via sudo%'")" 1
  assert_equal "$(audited program)" gpuaas-place
  run_ok by alice gpuaas-place --profile lab --project vision
  run_ok by bob gpuaas-place --profile lab --project vision
  # Root can write the file, and the audit says that it was root.
  run_ok root gpuaas-place --profile lab --project vision
  assert_equal "$(audited actor)" "root(0)"
  # Other actions are as they were.
  run_ok by carol gpuaas-node set n000 --name x
  run_ok by carol gpuaas-state check
  assert_stderr "no grant names approve, release, wipe, override, administer"
  assert_stderr "and so give themselves any grant"
}

@test "of a stream those that may not be placed are refused, and the others placed" {
  fleet 1 4
  grant p place '"group":"ops","projects":["vision"]'
  for p in vision speech vision; do
    echo "{\"kind\":\"gpuaas.request/1\",\"profile\":\"lab\",\"count\":1,\"project\":\"$p\"}"
  done > "$T/requests"
  run_status 6 by alice gpuaas-place < "$T/requests"
  jq_slurp_is 'map(.kind) | join(" ")' "gpuaas.plan/1 gpuaas.refusal/1 gpuaas.plan/1"
  assert_equal "$(rows access_refused)" 1
  # A dry run shows the same, and leaves nothing.
  before=$(rows)
  run_status 6 by alice gpuaas-place --dry-run < "$T/requests"
  jq_slurp_is 'map(.kind) | join(" ")' "gpuaas.plan/1 gpuaas.refusal/1 gpuaas.plan/1"
  assert_equal "$(rows)" "$before"
}

@test "what is matched and what is placed has one gate" {
  local row setting project fits
  fleet 1 4
  team vision '"vision"' '"vision"'
  jq_in_order -c 'select(.kind == "gpuaas.profile/1") | .teams = ["vision"]' "$SRC/share/objects/lab.json" |
    root gpuaas-state apply - > "$T/applied"
  for row in "auto vision true" "auto speech false" "auto - false" "off speech true" "off - true"; do
    read -r setting project fits <<< "$row"
    apply "{\"kind\":\"gpuaas.access-settings/1\",\"grants\":\"$setting\"}"
    set -- --project "$project"
    [[ $project != - ]] || shift 2
    run by carol gpuaas-match --json "$@"
    jq_is '.fits' "$fits"
    if [[ $fits == true ]]; then
      run_ok by carol gpuaas-match --request "$@"
      run_ok by carol gpuaas-place --dry-run <<< "$output"
      jq_is .project "${2-default}"
    else
      run_status 1 by carol gpuaas-match --request "$@"
      run_status 6 by carol gpuaas-place --dry-run --profile lab "$@"
      jq_is .code team_profile
    fi
  done
}

@test "every program that changes the state asks" {
  fleet 1 4
  a=$(by alice gpuaas-place --profile lab --project vision | jq -r .allocation)
  s=$(slot_of 3)
  root gpuaas-state backup "$T/state/backup.db" > "$T/backup"
  chown "$OWNER" "$T/state/backup.db"
  grant all approve,place,release,wipe,override,administer '"group":"admins"'
  refused alice gpuaas-release "$a"
  refused alice gpuaas-release "$a" --hold 1h
  refused alice gpuaas-release "$a" --undo
  refused alice gpuaas-approve cordon "$s" --reason x
  refused alice gpuaas-approve disable "$s" --reason x
  refused alice gpuaas-approve enable "$s"
  refused alice gpuaas-approve repair "$s" --reason x
  refused alice gpuaas-approve retire "$s" --reason x
  refused alice gpuaas-approve --all-ready < "$T/fleet.rec"
  refused alice gpuaas-approve --record-only < "$T/fleet.rec"
  refused alice gpuaas-approve --slot 1 --destroy-data eui.n000-1 < "$T/fleet.rec"
  refused alice gpuaas-node set n000 --pool a
  refused alice gpuaas-node mode n000 baremetal
  refused alice gpuaas-node rename n000 x
  refused alice gpuaas-node drain n000 --reason x
  refused alice gpuaas-node undrain n000
  refused alice gpuaas-node quarantine n000 --reason x
  refused alice gpuaas-node lost n000 --reason x --yes
  refused alice gpuaas-node retire n000 --reason x --yes
  refused alice gpuaas-node revoke-key n000 --reason x --yes
  refused alice gpuaas-node maintenance n000 --to 2h --reason x
  m=$(by bob gpuaas-node maintenance n000 --from 8h --to 9h --reason x | jq -r .maintenance)
  refused alice gpuaas-node end-maintenance "$m"
  refused alice gpuaas-state apply - < "$SRC/share/objects/h200-slice.json"
  refused alice gpuaas-state apply - < "$T/image"
  refused alice gpuaas-state apply - <<< '{"kind":"gpuaas.node-settings/1","node":"n000","pool":"x"}'
  for o in '{"kind":"gpuaas.grant/1","name":"me","actions":["place"],"user":"alice"}' \
    '{"kind":"gpuaas.team/1","name":"me"}' \
    '{"kind":"gpuaas.access-settings/1","grants":"off"}'; do
    refused alice gpuaas-state apply - <<< "$o"
  done
  refused alice gpuaas-state restore "$T/state/backup.db" --reason x
  refused alice gpuaas-profile nodes set n000 4xh200 --reason x
  refused alice gpuaas-profile nodes set k8s-1 4xh200 --reason x
  refused alice gpuaas-vm stop "$a"
  refused alice gpuaas-vm rebuild "$a" --yes
  # Reading is everybody's who can read the file; dry runs say the same and leave nothing.
  before=$(rows)
  run_ok by alice gpuaas-list grants
  run_ok by alice gpuaas-show "$a"
  run_status 6 by alice gpuaas-release "$a" --dry-run
  run_status 6 by alice gpuaas-approve cordon "$s" --reason x --dry-run
  run_status 6 by alice gpuaas-node drain n000 --reason x --dry-run
  run_status 6 by alice gpuaas-profile create new --count 1 --price 1 --dry-run
  run_status 6 by alice gpuaas-profile nodes set n000 4xh200 --reason x --dry-run
  assert_equal "$(rows)" "$before"
  # Nothing of all that was done.
  assert_equal "$(state_sql "SELECT group_concat(state, ' ') FROM slot")" \
    "reserved available available available"
  run_ok by bob gpuaas-approve cordon "$s" --reason x
  run_ok by bob gpuaas-node set n000 --name x
  run_ok by bob gpuaas-release "$a"
  run_ok by bob gpuaas-state check
  refute_stderr "users who can write the state can do that"
}

@test "an inventory changes another node only for who may administer that" {
  local id
  fleet 1 2
  id=$(root gpuaas-place --profile lab --project vision | jq -r .allocation)
  # Sold whole, unverified since a restore; the machine "lead", of another pool, deployed it.
  without_triggers "UPDATE meta SET epoch = 2; UPDATE node SET held_by = '$id', pool = 'gold', observed_at = '2026-11-20T00:00:00.000000Z';
    UPDATE claim SET held_by = '$id'; UPDATE allocation SET shape = 'baremetal', state = 'active'; UPDATE slot SET state = 'active' WHERE state = 'reserved';
    INSERT INTO node (id, since, pool) VALUES ('lead', '2026-11-20T00:00:00.000000Z', 'mine');
    INSERT INTO node_key (node_id, key, registered_at) VALUES ('lead', '$(echo '{"kind":"gpuaas.host/1","node":"lead"}' | by_node | jq -r .node_key)', '2026-11-20T00:00:00.000000Z')"
  chown -R "$OWNER" "$T/state"
  grant g administer '"group":"admins","pools":["mine"]'
  jq_in_order -cn --arg id "$id" '{object: "n000", object_kind: "machine", program: "status",
    order: {node: "n000", allocation: $id}, result: {state: "tenant", allocation: $id}}' > "$T/status"
  jq_in_order -cn --arg id "$id" '{object: $id, program: "release", result: {kind: "gpuaas.released/1", allocation: $id,
    node: "n000", generation: 1, attempt: "at000000", dry_run: false, at: "2026-11-20T00:00:00.000000Z", steps: [],
    slots: [], lab: true}}' > "$T/release"
  sql "$GPUAAS_STATE" "SELECT attempt FROM allocation" > "$T/attempt"
  for works in status release; do
    jq_in_order -c --arg a "$(< "$T/attempt")" '.attempt = $a | if .result.attempt then .result.attempt = $a else . end' "$T/$works" |
      inventory_by lead > "$T/inventory"
    chmod a+r "$T/inventory"
    run_status 6 by bob gpuaas-state adopt --reason test - < "$T/inventory"
    assert_stderr "administer of node 'n000' is denied to 'bob'"
  done
  assert_equal "$(sql "$GPUAAS_STATE" "SELECT state FROM allocation; SELECT max(epoch_verified) FROM slot")" $'active\n1'
}

@test "grants are for profiles, pools and projects" {
  fleet 2 2
  root gpuaas-node set n001 --pool b > "$T/set"
  jq_in_order -c '.name = "big"' "$SRC/share/objects/lab.json" | root gpuaas-state apply - > "$T/big"
  grant one place,release,administer \
    '"group":"ops","profiles":["lab"],"pools":["b"],"projects":["vision"]'
  run_status 6 by alice gpuaas-place --profile big --project vision --pool b
  run_status 6 by alice gpuaas-place --profile lab --project speech --pool b
  run_status 6 by alice gpuaas-place --profile lab --project vision
  assert_output "in any pool"
  [[ $(jq -r .hint <<< "$output") == *"limited to other profiles, pools or projects"* ]]
  run_status 6 by alice gpuaas-place --profile lab --project vision --node n000
  run_ok by alice gpuaas-place --profile lab --project vision --pool b
  a=$(jq -r .allocation <<< "$output")
  jq_is .node n001
  run_ok by alice gpuaas-place --profile lab --project vision --node n001
  b=$(root gpuaas-place --profile lab --project vision --node n000 | jq -r .allocation)
  refused alice gpuaas-release "$b"
  run_ok by alice gpuaas-release "$a"
  # A limit lets nothing through that has no such property, as a node has no project.
  refused alice gpuaas-node drain n001 --reason x
  grant two administer '"group":"ops","pools":["b"]'
  run_ok by alice gpuaas-node set n001 --name x
  refused alice gpuaas-node set n000 --pool b
  refused alice gpuaas-node set n001 --pool c
  run_status 6 by alice gpuaas-state apply - <<< '{"kind":"gpuaas.team/1","name":"x"}'
}

@test "grants to a user, by name and by number; revoked ones count for nobody and open nothing" {
  fleet 1 4
  grant a place '"user":"alice"'
  run_ok by alice gpuaas-place --profile lab --project vision
  run_status 6 by bob gpuaas-place --profile lab --project vision
  grant b place '"user":"5002"'
  run_ok by bob gpuaas-place --profile lab --project vision
  grant a place '"user":"alice","revoked":true'
  run_status 6 by alice gpuaas-place --profile lab --project vision
  grant b place '"user":"5002","revoked":true'
  run_status 6 by alice gpuaas-place --profile lab --project vision
  [[ $(jq -r .hint <<< "$output") == "no grant for place covers it;"* ]]
  apply '{"kind":"gpuaas.access-settings/1","grants":"off"}'
  run_ok by alice gpuaas-place --profile lab --project vision
}

@test "teams: their projects are placed and released by their members" {
  fleet 1 4
  team vision '"vision","vision-batch"' '"vision"'
  run_status 6 by alice gpuaas-place --profile lab --project vision-batch
  jq_is .code team_project
  assert_equal "$(jq -r .sentence <<< "$output" | sed 's/.*: //')" \
    "project 'vision-batch' belongs to team 'vision'"
  [[ $(jq -r .hint <<< "$output") == "members may of group 'vision'; teams are set by "* ]]
  run_ok by carol gpuaas-place --profile lab --project vision-batch
  a=$(jq -r .allocation <<< "$output")
  # A project that no team lists is everybody's.
  run_ok by alice gpuaas-place --profile lab --project speech
  b=$(jq -r .allocation <<< "$output")
  refused alice gpuaas-release "$a"
  assert_stderr "belongs to team 'vision'"
  refused alice gpuaas-vm stop "$a"
  # A user with the grant administer ends also others' work, and places nothing for them.
  grant admins administer '"group":"admins"'
  run_status 6 by dave gpuaas-place --profile lab --project vision
  run_ok by dave gpuaas-release "$a"
  run_ok by carol gpuaas-release "$b"
  # A retired team owns nothing.
  apply '{"kind":"gpuaas.team/1","name":"vision","projects":["vision"],"groups":["vision"],"retired":true}'
  run_ok by alice gpuaas-place --profile lab --project vision
}

@test "a profile with teams is for their projects and members" {
  fleet 1 4
  jq_in_order -c '.name = "gold" | .teams = ["vision"]' "$SRC/share/objects/lab.json" |
    root gpuaas-state apply - > "$T/gold"
  run_status 6 by carol gpuaas-place --profile gold --project vision
  jq_is .code team_profile
  [[ $(jq -r .hint <<< "$output") == "no team that the profile names has the project and a group;"* ]]
  team vision '"vision"' '"vision"'
  run_ok by carol gpuaas-place --profile gold --project vision
  run_status 6 by carol gpuaas-place --profile gold --project speech
  jq_is .code team_profile
  assert_output "and the project is 'speech'"
  run_status 6 by alice gpuaas-place --profile gold --project speech
  # Root may.
  run_ok root gpuaas-place --profile gold --project speech
}

@test "who it is: the login before sudo's word, and neither can be made up" {
  fleet 1 4
  grant p place '"user":"alice"'
  # A system user whom sudo made says who it was; a person who sets the variable does not.
  run_ok sudo_as "$OWNER" 5001 - gpuaas-place --profile lab --project vision
  [[ $LOGIN == 5001 ]] || skip "login uids cannot be set here"
  run_status 6 sudo_as "$OWNER" 5001 5003 gpuaas-place --profile lab --project vision
  assert_output "'carol'(5003)"
  [[ $(audited actor) == "alice(5001) via sudo, login carol(5003)" ]]
  # Root by su or sudo is whoever logged in; root that nobody logged in as is root.
  run_status 6 with_accounts 5003 env -u SUDO_UID gpuaas-place --profile lab --project vision
  run_ok with_accounts 0 env -u SUDO_UID gpuaas-place --profile lab --project vision
  # A user who claims to be root by a variable is not root.
  run_status 6 sudo_as "$OWNER" 0 - gpuaas-place --profile lab --project vision
}

# The end record made anew, as a host would that has seen this.
seal()
{
  python3 -c '
import hashlib, json, sys
lines = sys.stdin.read().splitlines(True)
end = json.loads(lines[-1])
end["digest"] = "sha256:" + hashlib.sha256("".join(lines[:-1]).encode()).hexdigest()
sys.stdout.write("".join(lines[:-1]) + json.dumps(end, separators=(",", ":")) + "\n")'
}

# An override that needs two, for the slot of index 1, which is disabled and was never wiped.
make_unwiped()
{
  fleet 1 4 tainted
  s=$(slot_of 1)
  state_sql "UPDATE slot SET state = 'cleanup_blocked', generation = generation + 1
    WHERE id = '$s'"
  root gpuaas-approve quarantine "$s" --reason burnt > "$T/q"
  root gpuaas-approve disable "$s" --reason burnt > "$T/q"
}

@test "two people retire an unwiped slot: one proposes, another confirms" {
  make_unwiped
  grant over override '"group":"ops"'
  # A command that one person may not give is refused in a proposal, too.
  run_status 4 by alice gpuaas-approve retire "$(slot_of 2)" --reason old --disposal shredded
  assert_stderr "retire is for slots that are disabled"
  before=$(rows)
  run_status 1 by alice gpuaas-approve retire "$s" --reason old --disposal shredded --dry-run
  assert_equal "$(rows)" "$before"
  run_status 1 by alice gpuaas-approve retire "$s" --reason old --disposal "shredded, certificate 17"
  assert_stderr "once another person has confirmed it before"
  jq_slurp_is '"\(.[0].state) \(.[1].kind) \(.[1].state) \(.[1].action)"' \
    "disabled gpuaas.proposal/1 pending retire_unwiped"
  p=$(jq -rs '.[1].proposal' <<< "$output")
  # Again by the same person: the same; something else has to wait.
  run_status 1 by alice gpuaas-approve retire "$s" --reason old --disposal "shredded, certificate 17"
  jq_slurp_is '.[1].proposal' "$p"
  run_status 4 by bob gpuaas-approve retire "$s" --reason old --disposal "shredded, certificate 18"
  assert_stderr "gpuaas-approve confirm $p"
  run_ok gpuaas-list attention --where code=second_person
  jq_is '"\(.object) \(.command)"' "$s gpuaas-approve confirm $p"
  # The same person, whatever way: by sudo, as root, as another user by sudo or su.
  run_status 6 by alice gpuaas-approve confirm "$p"
  assert_stderr "was made by alice(5001) via sudo: somebody else has to confirm it"
  assert_equal "$(audited "action || ' ' || json_extract(detail, '$.reason')")" \
    "access_refused same_person"
  run_status 6 with_accounts 5001 env SUDO_UID=5001 gpuaas-approve confirm "$p"
  assert_stderr "was made by alice(5001)"
  if [[ $LOGIN == 5001 ]]; then
    run_status 6 sudo_as "$OWNER" 5002 5001 gpuaas-approve confirm "$p"
    assert_stderr "was made by alice(5001)"
    run_status 6 with_accounts 5001 env -u SUDO_UID gpuaas-approve confirm "$p"
    assert_stderr "was made by alice(5001)"
  fi
  # Somebody who may not, and nobody in particular.
  refused carol gpuaas-approve confirm "$p"
  run_status 6 root gpuaas-approve confirm "$p"
  assert_stderr "root(0) can be anybody"
  run_ok by bob gpuaas-approve confirm "$p"
  jq_slurp_is '"\(.[0].kind) \(.[0].state) \(.[0].tainted) \(.[1].state)"' \
    "gpuaas.slot/1 retired true confirmed"
  # Both stand in the record and in the audit.
  [[ $(state_sql "SELECT disposal FROM slot WHERE id = '$s'") == \
    "shredded, certificate 17; proposed by alice(5001) via sudo, confirmed by bob(5002) via sudo" ]]
  run_ok gpuaas-show "$s"
  jq_slurp_is 'map(select(.kind=="gpuaas.proposal/1"))[0] | "\(.proposed_by) \(.decided_by)"' \
    "alice(5001) via sudo bob(5002) via sudo"
  jq_slurp_is 'map(select(.kind=="gpuaas.audit/1" and (.action|startswith("override_"))) |
    "\(.action) \(.actor)") | join(", ")' \
    "override_proposed alice(5001) via sudo, override_confirmed bob(5002) via sudo"
  run_status 4 by bob gpuaas-approve confirm "$p"
  assert_stderr "was confirmed by bob(5002) via sudo"
  run_ok gpuaas-list attention --where code=second_person
  assert_equal "$output" ""
  run_ok root gpuaas-state check
}

@test "a proposal is withdrawn, expires, and is of the disk it was made for" {
  make_unwiped
  grant over override '"group":"ops"'
  apply '{"kind":"gpuaas.access-settings/1","confirm_seconds":60}'
  run_status 1 by alice gpuaas-approve retire "$s" --reason old --disposal shredded
  p=$(jq -rs '.[1].proposal' <<< "$output")
  jq_slurp_is '.[1] | ([.expires_at, .proposed_at] | map(.[:19] + "Z" | fromdate) | .[0] - .[1])' 60
  refused carol gpuaas-approve withdraw "$p"
  run_ok by alice gpuaas-approve withdraw "$p"
  jq_is '"\(.state) \(.decided_by)"' "withdrawn alice(5001) via sudo"
  run_status 4 by bob gpuaas-approve confirm "$p"
  assert_stderr "was withdrawn by alice"
  # One whose time is over counts no more, and a new one may be made.
  state_sql "INSERT INTO proposal (id, action, slot_id, device_id, reason, disposal,
    proposed_by, proposed_uid, proposed_humans, proposed_at, expires_at) SELECT 'aaaaaaaa', action,
    slot_id, device_id, reason, disposal, proposed_by, proposed_uid, proposed_humans,
    '2026-01-01T00:00:00.000000Z', '2026-01-02T00:00:00.000000Z' FROM proposal"
  run_status 4 by bob gpuaas-approve confirm aaaa
  assert_stderr "was to be confirmed before 2026-01-02"
  run_status 1 by alice gpuaas-approve retire "$s" --reason old --disposal shredded
  q=$(jq -rs '.[1].proposal' <<< "$output")
  [[ $q != "$p" ]]
  run_ok gpuaas-list proposals
  jq_slurp_is 'map(.state) | sort | join(" ")' "expired pending withdrawn"
  state_sql "UPDATE slot SET nvme_wwid = 'eui.another', generation = generation + 1
    WHERE id = '$s'"
  run_status 4 by bob gpuaas-approve confirm "$q"
  assert_stderr "no longer has the disk 'eui.n000-1'"
  run_status 5 by bob gpuaas-approve confirm zzzz
  # An id that is not enough for one proposal does not keep the others.
  state_sql "INSERT INTO proposal (id, action, slot_id, device_id, reason, disposal,
    proposed_by, proposed_uid, proposed_humans, proposed_at, expires_at) SELECT 'aaaaaaab', action,
    slot_id, device_id, reason, disposal, proposed_by, proposed_uid, proposed_humans,
    proposed_at, expires_at FROM proposal WHERE id = 'aaaaaaaa'"
  run_status 2 by alice gpuaas-approve withdraw aaaa "$q"
  assert_stderr "'aaaa' begins the id of more than one proposal"
  jq_is '"\(.proposal) \(.state)"' "$q withdrawn"
}

@test "two people let a disk be destroyed that holds somebody's data" {
  setup_host lab1
  in_host gpuaas-discover > "$T/lab1.rec"
  jq_in_order -c 'if .kind == "gpuaas.candidate/1" and .slot_index == 0
    then .nvme.signatures = ["nvme2n1: ext4"] else . end' "$T/lab1.rec" | seal > "$T/data.rec"
  wwid=$(jq -r 'select(.slot_index == 0) | .nvme.wwid' "$T/lab1.rec")
  grant over override,approve,wipe '"group":"ops"'
  run_status 1 by alice gpuaas-approve --slot 0 --destroy-data "$wwid" --reason "old server" \
    < "$T/data.rec"
  jq_slurp_is 'map(.kind) | join(" ")' "gpuaas.slot/1 gpuaas.proposal/1"
  jq_slurp_is '"\(.[0].state) \(.[1].device)"' "disabled $wwid"
  p=$(jq -rs '.[1].proposal' <<< "$output")
  # Without a second person nothing may be destroyed.
  assert_equal "$(state_sql "SELECT count(*) FROM device WHERE destroy_data_by
    IS NOT NULL")" 0
  run_status 6 by alice gpuaas-approve confirm "$p"
  run_ok by bob gpuaas-approve confirm "$p"
  jq_slurp_is 'map(.kind) | join(" ")' "gpuaas.slot/1 gpuaas.wipe-order/1 gpuaas.proposal/1"
  jq_slurp_is '"\(.[0].state) \(.[1].destroy_data)"' "wiping $wwid"
  assert_equal "$(state_sql "SELECT destroy_data_by FROM device
    WHERE destroy_data_by IS NOT NULL")" \
    "proposed by alice(5001) via sudo, confirmed by bob(5002) via sudo"
}

@test "a confirmation that cannot have its effect is refused and not used up" {
  setup_host lab1
  local data='if .kind == "gpuaas.candidate/1" and .slot_index == 0
    then .nvme.signatures = ["nvme2n1: ext4"] else . end'
  in_host gpuaas-discover > "$T/lab1.rec"
  wwid=$(jq -r 'select(.slot_index == 0) | .nvme.wwid' "$T/lab1.rec")
  jq_in_order -c "$data"' | if .kind == "gpuaas.candidate/1" and .slot_index == 0
    then .gpu.boot_display = true else . end' "$T/lab1.rec" | seal > "$T/display.rec"
  grant over override,approve,wipe '"group":"ops"'
  run_status 1 by alice gpuaas-approve --slot 0 --destroy-data "$wwid" --reason "old server" \
    < "$T/display.rec"
  jq_slurp_is '.[0].blockers | map(.code) | join(" ")' "gpu_is_boot_display nvme_signature tainted"
  p=$(jq -rs '.[1].proposal' <<< "$output")
  before=$(rows)
  run_status 4 by bob gpuaas-approve confirm "$p"
  assert_stderr "something else blocks slot '$(slot_of 0)': gpu_is_boot_display"
  assert_stderr "confirm again before"
  assert_equal "$(rows)" "$before"
  # Without that blocker the same proposal still counts.
  in_host gpuaas-discover | jq_in_order -c "$data" | seal > "$T/data.rec"
  by alice gpuaas-approve --record-only < "$T/data.rec" > "$T/node"
  run_ok by bob gpuaas-approve confirm "$p"
  jq_slurp_is '"\(.[0].state) \(.[1].destroy_data) \(.[2].state)"' "wiping $wwid confirmed"
}

@test "a confirmation for a disk that was wiped meanwhile is refused" {
  setup_host lab1
  in_host gpuaas-discover > "$T/lab1.rec"
  wwid=$(jq -r 'select(.slot_index == 0) | .nvme.wwid' "$T/lab1.rec")
  grant over override,approve,wipe '"group":"ops"'
  run_status 1 by alice gpuaas-approve --slot 0 --destroy-data "$wwid" --reason "old server" \
    < "$T/lab1.rec"
  p=$(jq -rs '.[1].proposal' <<< "$output")
  by alice gpuaas-approve enable "$(slot_of 0)" > "$T/order"
  in_host gpuaas-wipe < "$T/order" > "$T/wiped"
  run_status 4 by bob gpuaas-approve confirm "$p"
  assert_stderr "disk '$wwid' of slot '$(slot_of 0)' counts as wiped"
  assert_stderr "gpuaas-approve withdraw $p"
}

@test "one operator alone: two people only where they are required" {
  make_unwiped
  grant over override '"group":"ops"'
  apply '{"kind":"gpuaas.access-settings/1","two_people":"off"}'
  run_ok by alice gpuaas-approve retire "$s" --reason old --disposal shredded
  jq_is .state retired
  apply '{"kind":"gpuaas.access-settings/1","two_people":"required"}'
  grant over override '"group":"ops","revoked":true'
  refused alice gpuaas-approve retire "$(slot_of 2)" --reason old --disposal shredded
}

@test "listed and shown, with names that are hostile" {
  apply '{"kind":"gpuaas.grant/1","name":"odd","actions":["place"],"group":"odd name$(x)'\''\"","note":"<b>&\\u00e4"}'
  fleet 1 2
  run_ok by alice gpuaas-place --profile lab --project vision
  run_status 6 by bob gpuaas-place --profile lab --project vision
  [[ $(jq -r .hint <<< "$output") == *"(to group 'odd name\$(x)'\"')"* ]]
  team vision '"vision"' '"vision"'
  run_ok by dave gpuaas-list teams --table
  assert_output "TEAM"
  run_ok by dave gpuaas-list grants --table
  assert_output "odd name"
  run_ok by dave gpuaas-show vision
  jq_slurp_is '"\(.[0].kind) \(.[-1].action)"' "gpuaas.team/1 team_applied"
  run_ok by dave gpuaas-show odd
  jq_slurp_is '"\(.[0].kind) \(.[1].action) \(.[1].actor)"' "gpuaas.grant/1 grant_applied root(0)"
  # Applied again nothing changes.
  before=$(rows)
  team vision '"vision"' '"vision"'
  assert_equal "$(rows)" "$before"
  # A grant of nothing, or to nobody, is refused.
  for o in '"actions":[],"user":"x"' '"actions":["place"]' '"actions":["fly"],"user":"x"' \
    '"actions":["place"],"user":"x","group":"y"' '"actions":["place"],"group":""'; do
    run_status 3 root gpuaas-state apply - <<< "{\"kind\":\"gpuaas.grant/1\",\"name\":\"g\",$o}"
  done
}

@test "profiles are changed by who may administer them, where they are and where they go" {
  apply "$(root gpuaas-profile show lab | jq_in_order -c '.name = "one" | .pool = "theirs"')"
  grant g administer '"group":"admins","pools":["mine"]'
  local args
  for args in "set one --price 3" "set one --pool mine" "retire one" "teams one --allow red" \
    "create two --pool theirs --count 1 --vcpus-per-gpu 1 --memory-per-gpu 1G"; do
    # shellcheck disable=SC2086 # words of a command line
    run_status 6 by dave gpuaas-profile $args
    assert_equal "$output" ""
  done
  run_ok root gpuaas-profile show one
  jq_is '"\(.version) \(.pool)"' "1 theirs"
  run_ok by dave gpuaas-profile create two --pool mine --count 1 --vcpus-per-gpu 1 \
    --memory-per-gpu 1G
  run_ok by dave gpuaas-profile set two --price 3
  run_status 6 by dave gpuaas-profile set two --pool theirs
  run_status 6 by alice gpuaas-profile retire two
  run_ok root gpuaas-list audit --where action=access_refused
  jq_slurp_is length 7
}
