# SPDX-License-Identifier: Apache-2.0
# The frame (lib/cli/frame) does this for every program.

load helper
load lab

setup()
{
  common_setup
}

# commands_with OPTION: "PROGRAM" or "PROGRAM COMMAND" of each that has it
commands_with()
{
  local program
  for program in "$GPUAAS_BUILD"/bin/gpuaas-*; do
    # The shell of hosts has no options.
    [[ -x $program && $program != *-host-shell ]] || continue
    "$program" --introspect-cli
  done | jq -r --arg option "--$1" '.command|. as $p|
    (if (.commands|length) > 0 then .commands[]|.name = $p.name + " " + .name else . end)|
    select(any(.options[]; .names|index($option)))|.name'
}

# A lab with an active allocation, vm1, and objects that each command below can work on.
make_busy_lab()
{
  make_lab
  gpuaas-node rename "$(gpuaas-list nodes | jq -r .node)" h7 > "$T/made"
  here bash -c 'gpuaas-place --profile lab --gpus 1 --project p --image lab --name vm1 |
    gpuaas-provision' > "$T/made"
  gpuaas-node maintenance h7 --from 48h --to 50h --reason test > "$T/window"
  gpuaas-list slots --where state=available | jq -r .slot > "$T/slot"
}

# A command line with --dry-run for each; a program that is not here fails the test.
dry_run_of()
{
  case $1 in
    gpuaas-approve) echo "gpuaas-approve quarantine $(< "$T/slot") --reason test" ;;
    gpuaas-host-bootstrap) echo "gpuaas-host-bootstrap --mode slice" ;;
    "gpuaas-node set") echo "gpuaas-node set h7 --pool a" ;;
    "gpuaas-node mode") echo "gpuaas-node mode h7 slice" ;;
    "gpuaas-node rename") echo "gpuaas-node rename h7 h8" ;;
    "gpuaas-node drain") echo "gpuaas-node drain h7 --reason test" ;;
    "gpuaas-node undrain") echo "gpuaas-node undrain h7" ;;
    "gpuaas-node quarantine") echo "gpuaas-node quarantine h7 --reason test" ;;
    "gpuaas-node lost") echo "gpuaas-node lost h7 --reason test" ;;
    "gpuaas-node retire") echo "gpuaas-node retire h7 --reason test" ;;
    "gpuaas-node revoke-key") echo "gpuaas-node revoke-key h7 --reason test" ;;
    "gpuaas-node maintenance")
      echo "gpuaas-node maintenance h7 --from 60h --to 61h --reason test" ;;
    "gpuaas-node end-maintenance")
      echo "gpuaas-node end-maintenance $(jq -r .maintenance "$T/window")" ;;
    gpuaas-place) echo "gpuaas-place --profile lab --gpus 1 --project p --image lab" ;;
    "gpuaas-profile nodes") echo "gpuaas-profile nodes clear h7" ;;
    "gpuaas-profile create") echo "gpuaas-profile create other --count 1 --image lab" ;;
    "gpuaas-profile set") echo "gpuaas-profile set lab --price 2" ;;
    "gpuaas-profile retire") echo "gpuaas-profile retire lab" ;;
    "gpuaas-profile teams") echo "gpuaas-profile teams lab --everyone" ;;
    gpuaas-provision) echo "gpuaas-place --profile lab --gpus 1 --project p --image lab \
      --dry-run --json 2> $T/before | gpuaas-provision" ;;
    gpuaas-release) echo "gpuaas-release vm1" ;;
    "gpuaas-state apply") echo "gpuaas-state apply $SRC/share/objects/h200-slice.json" ;;
    "gpuaas-state notify") echo "gpuaas-state notify" ;;
    "gpuaas-vm start") echo "gpuaas-vm start vm1" ;;
    "gpuaas-vm stop") echo "gpuaas-vm stop vm1" ;;
    "gpuaas-vm reboot") echo "gpuaas-vm reboot vm1" ;;
    "gpuaas-vm rebuild") echo "gpuaas-vm rebuild vm1" ;;
    "gpuaas-vm publish") echo "gpuaas-vm publish vm1 --port 8080" ;;
    "gpuaas-vm unpublish") echo "gpuaas-vm unpublish vm1 --port 8080" ;;
    gpuaas-wipe) echo "gpuaas-release vm1 --dry-run --json 2> $T/before | gpuaas-wipe" ;;
    *) echo "no dry run of '$1' is known to this test" >&2; return 1 ;;
  esac
}

@test "a dry run of every program and command says so, on stderr, in each table and in CSV" {
  local command line before
  make_busy_lab
  before=$(snapshot)
  commands_with dry-run > "$T/commands"
  (($(wc -l < "$T/commands") >= 27))
  while read -r command; do
    line=$(dry_run_of "$command")
    echo "$line"
    run --separate-stderr here bash -c "$line --dry-run --json"
    echo "$stderr"
    assert_equal "$(grep -c "^${command%% *}: dry run: nothing is changed\$" <<< "$stderr")" 1
    jq_slurp_is 'map(select(has("dry_run")).dry_run)|unique - [true]|length' 0
    # These have no record here: a node with work is not retired, no hook is installed, types that
    # a person gave are no records, and no port is published.
    case $command in
      "gpuaas-node retire" | "gpuaas-state notify" | "gpuaas-profile nodes" | *unpublish)
        continue ;;
    esac
    [[ -n $output ]]
    run --separate-stderr here bash -c "$line --dry-run --format csv"
    [[ ${lines[0]} = *dry_run* ]]
    run --separate-stderr here bash -c "$line --dry-run --table"
    # The table of each kind begins with the column; a kind without a table has a line.
    [[ $command = gpuaas-wipe ]] || grep -E '^(DRY RUN |  dry_run  )' <<< "$output"
    assert_equal "$(snapshot)" "$before"
  done < "$T/commands"
}

# Each program that reads a stream, and a kind that it does not take.
@test "a stage whose input held nothing for it says what came and what it takes" {
  make_lab
  gpuaas-list slots > "$T/slots"
  run_ok gpuaas-release - < "$T/slots"
  assert_equal "$output" "$(< "$T/slots")"
  assert_equal "$stderr" "gpuaas-release: 2 slot records passed on; no release order or hold \
order came: nothing was done"
  run_ok here bash -c 'gpuaas-provision < "$T/slots"'
  assert_equal "$stderr" "gpuaas-provision: 2 slot records passed on; no plan came: nothing was done"
  run_ok here bash -c 'gpuaas-list nodes | cat - "$T/slots" | gpuaas-wipe'
  assert_equal "$stderr" "gpuaas-wipe: 1 node record, 2 slot records passed on; no wipe order came: \
nothing was done"
  run_ok gpuaas-place < "$T/slots"
  assert_stderr "gpuaas-place: 2 slot records passed on; no request came: nothing was done"
  run_ok gpuaas-state fold - < "$T/slots"
  assert_stderr "2 slot records passed on; no progress, allocation, released, "
  run_ok here bash -c 'gpuaas-reconcile - < "$T/slots"'
  assert_stderr "2 slot records passed on; no expectation came: nothing was done"
  run_ok gpuaas-image prewarm --from "$T/images" - < "$T/slots"
  assert_stderr "2 slot records passed on; no image came: nothing was done"
  run_ok gpuaas-release - <<< '{"kind":"gpuaas.not-known/1"}'
  assert_stderr "1 not known record passed on; no release order"
}

@test "an empty input is reported, and the status is 0" {
  local program
  make_lab
  : > "$T/empty"
  for program in gpuaas-release gpuaas-wipe gpuaas-provision gpuaas-place "gpuaas-state fold" \
    "gpuaas-image prewarm --from $T/images"; do
    run_ok here bash -c "$program < /dev/null"
    assert_equal "$output" ""
    assert_equal "$stderr" "${program%% *}: no record came: nothing was done"
  done
  run_ok here gpuaas-provision "$T/empty"
  assert_equal "$stderr" "gpuaas-provision: no record came from '$T/empty': nothing was done"
}

@test "stages of the ordinary pipelines say nothing of it, also behind a refusal" {
  make_lab
  run_ok here bash -c 'gpuaas-place --profile lab --gpus 1 --project p --image lab --name vm1 |
    gpuaas-provision'
  refute_stderr "nothing was done"
  run_ok here bash -c 'gpuaas-release vm1 | gpuaas-wipe'
  refute_stderr "nothing was done"
  run_ok here bash -c 'gpuaas-state expect | gpuaas-reconcile - | gpuaas-state fold -'
  refute_stderr "nothing was done"
  # A refusal and a failure say why no order follows: one line is enough.
  run_status 1 here bash -c 'gpuaas-place --profile lab --gpus 8 --project p --image lab |
    gpuaas-provision | gpuaas-state fold -'
  refute_stderr "nothing was done"
  # A worker of its own handles each order, and says nothing of its input either.
  run_ok here bash -c 'gpuaas-place --profile lab --gpus 1 --project p --image lab |
    gpuaas-provision --jobs 2'
  refute_stderr "nothing was done"
  # The timers of a host run without orders most of the time.
  run_ok here bash -c 'gpuaas-wipe --pending --unanswered --progress none --json;
    gpuaas-release --pending --progress none --json'
  assert_equal "$output$stderr" ""
}

# A command line for each operand and option that names a node, slot or allocation; @ is where its
# id, a prefix of it or its name goes.
naming()
{
  cat << 'END'
node gpuaas-node show @
node gpuaas-node set @ --pool a --dry-run
node gpuaas-node mode @ slice --dry-run
node gpuaas-node rename @ h8 --dry-run
node gpuaas-node drain @ --reason test --dry-run
node gpuaas-node undrain @ --dry-run
node gpuaas-node quarantine @ --reason test --dry-run
node gpuaas-node lost @ --reason test --dry-run
node gpuaas-node retire @ --reason test --dry-run
node gpuaas-node revoke-key @ --reason test --dry-run
node gpuaas-node maintenance @ --from 60h --to 61h --reason test --dry-run
node gpuaas-node list --where node=@
node gpuaas-list slots --where node=@
node gpuaas-list nodes --after @
node gpuaas-list audit --where object=@
node gpuaas-show @
node gpuaas-state expect --node @
node gpuaas-reconcile --node @ --plan
node gpuaas-place --profile lab --gpus 1 --project p --image lab --node @ --dry-run
node gpuaas-profile create other --count 1 --image lab --from-nodes @ --dry-run
node gpuaas-on --nodes node=@ true
slot gpuaas-approve cordon @ --reason test --dry-run
slot gpuaas-list slots --after @
slot gpuaas-list claims --where slot=@
slot gpuaas-show @
slot gpuaas-wipe --certificate @
allocation gpuaas-node drain h7 --reason test --evacuate --consent @ --dry-run
allocation gpuaas-show @
allocation gpuaas-release @ --dry-run
allocation gpuaas-list usage --where allocation=@
allocation gpuaas-list tasks --where object=@
allocation gpuaas-list allocations --after @
allocation gpuaas-provision --resume @ --dry-run
allocation gpuaas-vm start @ --dry-run
allocation gpuaas-vm stop @ --dry-run
allocation gpuaas-vm reboot @ --dry-run
allocation gpuaas-vm rebuild @ --dry-run
allocation gpuaas-vm publish @ --port 8080 --dry-run
allocation gpuaas-vm unpublish @ --port 8080 --dry-run
allocation gpuaas-vm published @
allocation gpuaas-vm console @
allocation gpuaas-vm access @
END
}

# Runs with an id, a prefix or a name print the same but for times and new ids.
as_run()
{
  run --separate-stderr here timeout 20 $1 < /dev/null
  printf '%s\n' "$status" "$(jq -r '.kind, .node, .slot, .allocation, .object' <<< "$output" 2>&1 |
    grep -v '^[0-9a-z]\{8\}$')"
}

@test "operands and options that name an object take its id, a unique prefix and its name" {
  local kind line id name byid
  make_busy_lab
  declare -A ids=([node]=$(gpuaas-list nodes | jq -r .node)
    [slot]=$(gpuaas-list slots --where state=active | jq -r .slot)
    [allocation]=$(gpuaas-list allocations | jq -r .allocation))
  declare -A names=([node]=h7 [slot]=${ids[slot]} [allocation]=vm1)
  while read -r kind line; do
    id=${ids[$kind]} name=${names[$kind]}
    byid=$(as_run "${line/@/$id}")
    echo "$line: ${byid:0:40}"
    [[ ${byid%%$'\n'*} != 5 || $line = gpuaas-on* || $line = *unpublish* ]]
    for name in "$name" "${id:0:6}"; do
      assert_equal "$(as_run "${line/@/$name}")" "$byid"
    done
    # Nothing is named so: 5, and what is spelled nearly so, and where they are listed.
    run --separate-stderr here timeout 20 ${line/@/${names[$kind]}z} < /dev/null
    echo "$stderr"
    if [[ $line = gpuaas-place* ]]; then
      assert_output "near to it: 'h7'"
    elif [[ $line != *--consent* ]]; then
      assert_status 5
      [[ $kind = slot || $line = *--after* || $line = gpuaas-provision* ||
        $stderr = *"near to it: '${names[$kind]}'"* ]]
    fi
  done < <(naming)
  # Each such operand is in the list above.
  for line in "$GPUAAS_BUILD"/bin/gpuaas-*; do
    [[ -x $line && $line != *-host-shell ]] || continue
    "$line" --introspect-cli
  done | jq -r '.command|. as $p|
    (.commands[]|select((.arguments // "")|test("NODE|SLOT|ALLOCATION|ID"))|
    "\($p.name) \(.name)"), (.options[]|select((.argument.name // "")|test("^(NODE|ALLOCATION|ID)"))|
    "\($p.name) \(.names[-1])"), (.commands[]|. as $c|.options[]|
    select((.argument.name // "")|test("^(NODE|ALLOCATION)"))|"\($p.name) \(.names[-1])")' |
    sort -u > "$T/those"
  while read -r line; do
    case $line in
      # A machine that may not be in the state, and a node of Kubernetes; ssh, which would connect,
      # finds its allocation as access does.
      *" --machine" | "gpuaas-profile nodes" | "gpuaas-vm ssh") continue ;;
      # Their operand is the name of a new profile.
      "gpuaas-profile create") continue ;;
    esac
    echo "in introspection: $line"
    naming | grep -F -- "${line%% *}" | grep -qF -- "${line#* }"
  done < "$T/those"
}

@test "the name of an allocation that has ended still finds it, until another one has it" {
  local old
  make_busy_lab
  old=$(gpuaas-list allocations | jq -r .allocation)
  run_ok here bash -c 'gpuaas-release vm1 --yes | gpuaas-wipe'
  run_ok gpuaas-show vm1
  assert_equal "$(jq -rs '.[0].allocation' <<< "$output")" "$old"
  run_ok gpuaas-list tasks --where object=vm1
  [[ -n $output ]]
  # It offers the objects that this host has evidence of.
  here gpuaas-wipe --complete --certificate '' > "$T/offered"
  grep -qx $'vm1\t' "$T/offered"
  grep -qx "$old"$'\t' "$T/offered"
  while read -r word; do
    here gpuaas-wipe --certificate "$word" > "$T/certificate"
  done < <(cut -f 1 "$T/offered")
  run_ok here gpuaas-wipe --list
  assert_equal "$output" "$(cut -f 1 "$T/offered")"
  run_ok env GPUAAS_HOST_DIR="$T/none" gpuaas-wipe --list
  assert_equal "$output" ""
  [[ ! -e $T/none ]]
  run_ok here gpuaas-wipe --certificate vm1
  assert_output "CERTIFICATE"
  run_ok here gpuaas-wipe --certificate "$(gpuaas-list evidence --limit 1 -o name)"
  assert_output "CERTIFICATE"
  run_ok here gpuaas-wipe --certificate "${old:0:5}"
  assert_output "CERTIFICATE"
  # Its address may belong to another guest by now.
  run_status 4 here gpuaas-vm access vm1
  assert_stderr "the release of '$old' is done"
  assert_equal "$output" ""
  run_status 4 here gpuaas-vm start vm1
  assert_stderr "its VM is gone: 'gpuaas-show $old' shows how it ended"
  run_ok here bash -c 'gpuaas-place --profile lab --gpus 1 --project p --image lab --name vm1 |
    gpuaas-provision'
  run_ok gpuaas-show vm1
  [[ $(jq -rs '.[0].allocation' <<< "$output") != "$old" ]]
}

@test "a wrong word gets the near ones, and the list of what there is" {
  make_busy_lab
  run_status 2 gpuaas-list slotz
  assert_stderr "near to it: 'slots'; kinds: nodes slots "
  run_status 2 gpuaas-report
  assert_stderr "a command is missing"
  assert_stderr "usage          GPU seconds"
  run_status 2 gpuaas-export prometheus
  assert_stderr "openmetrics    metrics for Prometheus"
  run_status 2 gpuaas-report usage --by nod
  assert_stderr "near to it: 'node'; --by takes, with commas: team "
  run_status 2 gpuaas lst
  assert_stderr "near to it: 'list'"
  run_status 5 gpuaas-place --profile lap --gpus 1 --project p
  assert_stderr "near to it: 'lab'; 'gpuaas-list profiles' shows them"
  run_status 1 gpuaas-place --profile lab --gpus 1 --project p --image lat
  jq_is .hint "near to it: 'lab'; 'gpuaas-list images' shows them; 'gpuaas-image add' makes one"
  run_status 5 gpuaas-profile set lap --price 2
  assert_stderr "near to it: 'lab'"
  # Spaces and case are no other name.
  run_status 5 gpuaas-show "VM1 "
  assert_stderr "near to it: 'vm1'"
  GPUAAS_STALE_AFTER=24 run_status 2 gpuaas-list slots
  assert_stderr "GPUAAS_STALE_AFTER: '24' has no unit"
}

@test "--where: alternatives, negation, order, and near words for what cannot be" {
  make_busy_lab
  # Two slots: 0 is active, 1 is available.
  for condition in state=available,active state!=wiping "slot_index>=0" "since>2026-01-01" \
    "since>24h" "tainted=yes,no" "node=h7,h7" "node!=null"; do
    run_ok gpuaas-list slots --where "$condition"
    assert_equal "${#lines[@]} $condition" "2 $condition"
  done
  for condition in state!=active "slot_index>0" "#>0" "allocation!=vm1" allocation=null; do
    run_ok gpuaas-list slots --where "$condition"
    jq_is .slot_index 1
  done
  run_ok gpuaas-list slots --where "since<24h"
  assert_equal "$output" ""
  # A time as the table shows it.
  run_ok gpuaas-list allocations --where "since=$(gpuaas-list allocations --columns since -o table |
    tail -n 1)"
  jq_is .name vm1
  run_ok gpuaas-list allocations --where gpus=1 --where "GPUS<2" --where "priority>0"
  jq_is .name vm1
  run_ok gpuaas-list audit --where actor=root --limit 1
  [[ -n $output ]]
  run_ok gpuaas-list events --where "object!=h7" --limit 1
  run_ok gpuaas-node list --where "slots>1" --where state!=retired
  jq_is .name h7
  # A closed set, a number, a truth value.
  # A code that no page has is a typing error, where nothing has it.
  run_status 2 gpuaas-list attention --where code=stuk
  assert_stderr "near to it: 'stuck'"
  run_ok gpuaas-list attention --where code=stuck
  run_status 2 gpuaas-list slots --where state=avilable
  assert_stderr "'avilable' is never the value of 'state'"
  assert_stderr "near to it: 'available'; it is one of disabled, available, "
  run_status 2 gpuaas-list allocations --where state=Active
  assert_stderr "near to it: 'active'"
  run_status 2 gpuaas-list evidence --where outcome=ok
  assert_stderr "it is one of confirmed, not_started, unknown, failed"
  run_status 2 gpuaas-list usage --where usage_kind=activ
  assert_stderr "near to it: 'active'"
  run_status 2 gpuaas-list slots --where gpus=2
  assert_stderr "'gpus' is no member of gpuaas.slot/1"
  run_status 2 gpuaas-list allocations --where count=two
  assert_stderr "'two' is no number, and 'count' has numbers"
  run_status 2 gpuaas-list slots --where "state>active"
  assert_stderr "'>' compares numbers and times, and 'state' has none"
  run_status 2 gpuaas-list allocations --where "since>yesterday"
  run_status 2 gpuaas-node list --where mode=slices
  assert_stderr "near to it: 'slice'"
  run_status 5 gpuaas-on --nodes h8 true
  assert_stderr "near to it: 'h7'"
}

@test "state apply refuses kinds that it does not take, and shows what it would change" {
  make_busy_lab
  run_status 3 gpuaas-state apply - <<< '{"kind":"gpuaas.profil/1","name":"x"}'
  assert_equal "$output" ""
  assert_stderr "standard input, line 1: there is no kind 'gpuaas.profil/1'"
  assert_stderr "near to it: 'gpuaas.profile/1'"
  gpuaas-list slots > "$T/slots"
  run_status 3 gpuaas-state apply "$T/slots"
  assert_stderr "$T/slots, line 1: a record of kind 'gpuaas.slot/1' is nothing to apply"
  assert_stderr "apply takes gpuaas.profile/1, gpuaas.app/1, "
  # A refusal of the stage before is passed on, with its status.
  run_status 1 bash -c "gpuaas-place --profile lab --gpus 8 --project p --image lab |
    gpuaas-state apply -"
  # The changes of a record, behind those of the records before it in the same run.
  gpuaas-list profiles > "$T/profile"
  before=$(snapshot)
  { jq -c '.price_micros = 2000000 | .counts = [1]' "$T/profile"
    echo '{"kind":"gpuaas.team/1","name":"red","projects":["p"]}'
    jq -c '.name = "other" | .teams = ["red"]' "$T/profile"
    cat "$T/profile"
  } > "$T/objects"
  run_ok gpuaas-state apply --dry-run "$T/objects"
  jq_is '[.record, .object, .change, .dry_run]|map(tostring)|join(" ")' \
    "gpuaas.profile/1 lab changed true
gpuaas.team/1 red new true
gpuaas.profile/1 other new true
gpuaas.profile/1 lab changed true"
  jq_slurp_is '.[0].members|map("\(.member) \(.before) \(.after)")|join(", ")' \
    "version 1 2, counts [1,2,4,8] [1], price_micros 0 2000000"
  jq_slurp_is '.[2].members|map(select(.member == "teams"))|.[0]|[.before, .after]|tostring' \
    '[null,"[\"red\"]"]'
  assert_equal "$(snapshot)" "$before"
  run_ok gpuaas-state apply --dry-run --table "$T/objects"
  assert_output "    price_micros 0 -> 2000000"
  run_ok gpuaas-state apply --dry-run "$T/profile"
  jq_is '.change' unchanged
  # A node that is not there is a new one, unless another one has its id as a name.
  run_ok gpuaas-state apply --dry-run - \
    <<< '{"kind":"gpuaas.node-settings/1","node":"h77","pool":"a"}'
  jq_is .change new
  run_status 4 gpuaas-state apply --dry-run - \
    <<< '{"kind":"gpuaas.node-settings/1","node":"h7","pool":"a"}'
  assert_stderr "a new node cannot have the id 'h7'"
  run_ok gpuaas-state apply --dry-run - \
    <<< "$(gpuaas-list nodes | jq -c '{kind: "gpuaas.node-settings/1", node: .node, pool: "a"}')"
  jq_is '.members|map(.member)|join(" ")' "pool generation"
  # An error is the same as without: nothing is noted, and the file and line are named.
  run_status 3 gpuaas-state apply --dry-run - <<< '{"kind":"gpuaas.team/1","nam":"red"}'
  assert_stderr "standard input: line 1, gpuaas.team/1: unknown member 'nam'"
  # The same function for one profile.
  run_ok gpuaas-profile set lab --price 2 --dry-run
  assert_stderr "  price_micros            0 -> 2000000"
  assert_equal "$(snapshot)" "$before"
}

@test "the words that stand for a reason are refused as one, in every program" {
  local program line word command
  make_busy_lab
  before=$(snapshot)
  for program in "$GPUAAS_BUILD"/bin/gpuaas-*; do
    [[ -x $program && $program != *-host-shell ]] || continue
    "$program" --introspect-cli
  done | jq -r '.command|. as $p|
    ((.options[]|select(.argument.name == "TEXT")|"\($p.name)  \(.names[-1])"),
     (.commands[]|. as $c|.options[]|select(.argument.name == "TEXT")|
      "\($p.name) \($c.name) \(.names[-1])"))' | grep -- --reason > "$T/options"
  (($(wc -l < "$T/options") >= 10))
  while read -r line; do
    for word in TEXT REASON ... …; do
      # shellcheck disable=SC2086 # a program, and perhaps a command
      run_status 2 ${line% *} ${line##* } "$word"
      assert_stderr "--reason '$word' stands for a text of yours"
    done
  done < "$T/options"
  # A record has the same rule, and an idempotency key is no text of a person.
  local reason
  for reason in "  " TEXT; do
    run_status 3 gpuaas-state apply - <<< "{\"kind\":\"gpuaas.region/1\",\"name\":\"eu\",\"open\":false,\"reason\":\"$reason\"}"
    assert_stderr "member 'reason'"
  done
  run_status 5 gpuaas-place --profile nosuch --gpus 1 --request-id TEXT
  assert_stderr nosuch
  # A command of attention, pasted as it stands, changes nothing and says why.
  gpuaas-approve quarantine "$(< "$T/slot")" --reason "a test" > "$T/out"
  before=$(snapshot)
  gpuaas-list attention | jq -r .command > "$T/commands"
  grep -q 'reason TEXT' "$T/commands"
  while read -r command; do
    [[ $command != *"reason TEXT"* ]] || run ! here bash -c "set -o pipefail; $command"
  done < "$T/commands"
  assert_equal "$(snapshot)" "$before"
  run_ok gpuaas-approve cordon "$(< "$T/slot")" --reason "TEXT of the ticket" --dry-run
}

# reads PID: it reads its input, or has opened the state before that
reads()
{
  find "/proc/$1/fd" -lname '*memfd:records*' -o -lname "$GPUAAS_STATE" | grep -q .
}

@test "a dry run of apply that waits for its input keeps no other writer waiting, and has a bound" {
  gpuaas-state init --lab > "$T/init"
  mkfifo "$T/input"
  gpuaas-state apply --dry-run --json - < "$T/input" > "$T/changes" &
  reader=$!
  exec 7> "$T/input"
  echo '{"kind":"gpuaas.team/1","name":"red","projects":["a"],"groups":["b"]}' >&7
  wait_for 10 reads "$reader"
  run_ok timeout 5 gpuaas-state apply - <<< '{"kind":"gpuaas.team/1","name":"blue","projects":["a"],"groups":["b"]}'
  exec 7>&-
  wait "$reader"
  assert_equal "$(jq -r '"\(.object) \(.change)"' "$T/changes")" "red new"
  run_status 2 gpuaas-state apply --dry-run - < <(yes '{}' | head -c 68000000)
  assert_stderr "at most 64 MiB"
}

# A file that is a pipe: programs wait for its writer, and a signal ends that at once. Some of them
# block signals there, because they change the state.
@test "a pipe that nobody writes to is waited for, and a signal ends it" {
  make_lab
  mkfifo "$T/pipe"
  local -a waits=("gpuaas-state apply $T/pipe" "gpuaas-state fold $T/pipe"
    "gpuaas-place --profile lab --key $T/pipe" "gpuaas-place --profile lab --user-data $T/pipe"
    "gpuaas-image add $T/pipe --name x")
  local wait
  for wait in "${waits[@]}"; do
    # 137 is what ended by SIGKILL.
    # shellcheck disable=SC2086 # words of a command
    run_status 124 timeout -k 10 2 $wait
  done
  cat "$SRC/share/objects/lab.json" > "$T/pipe" &
  run_ok gpuaas-state apply "$T/pipe"
  wait $!
  run_ok gpuaas-state apply <(cat "$SRC/share/objects/lab.json")
  run_ok gpuaas-state apply /dev/stdin < "$SRC/share/objects/lab.json"
  run_status 4 gpuaas-state migrate --state "$T/pipe"
  assert_stderr "'$T/pipe' is not a state of gpuaas"
}

# Each program that takes a text of a person has it from the frame.
@test "a text of a person is not blank, without end, of control characters or unseen ones" {
  run_ok gpuaas-state init --lab
  run_ok gpuaas-state backup "$T/b.db"
  local -a asks=("gpuaas-node drain n1" "gpuaas-node lost n1 --dry-run" "gpuaas-approve cordon s1"
    "gpuaas-approve disable s1" "gpuaas-release a1" "gpuaas-state acknowledge x --until 3d"
    "gpuaas-state restore $T/b.db" "gpuaas-profile nodes set n1 h200")
  local ask
  for ask in "${asks[@]}"; do
    # shellcheck disable=SC2086 # words of a command
    run_status 2 $ask --reason ""
    assert_stderr "--reason is empty"
    # shellcheck disable=SC2086
    run_status 2 $ask --reason "  "
    assert_stderr "--reason is empty"
    # shellcheck disable=SC2086
    run_status 2 $ask --reason " TEXT… "
    assert_stderr "--reason ' TEXT… ' stands for a text of yours"
    # shellcheck disable=SC2086
    run_status 2 $ask --reason $'\xc2\xa0\xe3\x85\xa4\xe2\xa0\x80'
    assert_stderr "--reason is empty"
    # shellcheck disable=SC2086
    run_status 2 $ask --reason $'a\eb'
    assert_stderr "control characters"
    # shellcheck disable=SC2086
    run_status 2 $ask --reason $'a\xe2\x80\xaeb'
    assert_stderr "nobody sees"
    # shellcheck disable=SC2086
    run_status 2 $ask --reason $'\xff'
    assert_stderr "UTF-8"
    # shellcheck disable=SC2086
    run_status 2 $ask --reason "$(printf 'x%.0s' {1..1025})"
    assert_stderr "--reason is longer than 1024 bytes"
  done
  run_ok gpuaas-state restore "$T/b.db" --reason "$(printf 'x%.0s' {1..1024})"
}

@test "--help of a command has the examples of that command alone" {
  run_ok gpuaas-node drain --help
  assert_output "gpuaas-node drain h7 --reason 'new firmware' --deadline 24h"
  refute_output "gpuaas-node set"
  refute_output "reads:"
  refute_output "writes:"
  run_ok gpuaas-state acknowledge --help
  assert_output "gpuaas-state acknowledge SLOT"
  refute_output "gpuaas-state init"
  run_ok gpuaas-node --help
  assert_output "gpuaas-node set"
  assert_output "writes:"
}
