# SPDX-License-Identifier: Apache-2.0
# Conditions on what members name, lists that are empty, and the words that -o name passes on.

load helper

# Two nodes of 4 GPUs; h7 in the pool training of the region west; vm1 of the project vision.
setup()
{
  common_setup
  gpuaas-state init --lab > "$T/init"
  cat "$SRC/share/objects/lab.json" - << 'END' | gpuaas-state apply - > "$T/applied"
{"kind":"gpuaas.image/1","name":"lab","digest":"sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa","format":"raw","file_bytes":1048576,"size_bytes":1048576,"firmware":"bios","probe":"running","user":"ubuntu"}
{"kind":"gpuaas.region/1","name":"north","open":false,"reason":"opens in March"}
{"kind":"gpuaas.team/1","name":"red","projects":["speech"]}
{"kind":"gpuaas.profile/1","name":"later","shape":"slice","counts":[1],"vcpus_per_gpu":1,"memory_mib_per_gpu":512,"image":"ghost","price_micros":0,"wipe":{"minimum_class":"clear","verify":"sampled","gpu_memory":"if_supported"},"pool":"spare","types":["nvidia-h200-141gb"]}
END
  setup_host h200
  in_host gpuaas-discover | "$SRC/tests/fleet" 2 4 > "$T/fleet.rec"
  wiped_fleet
  NODE=$(gpuaas-list nodes --limit 1 -o name)
  gpuaas-node rename "$NODE" h7 > "$T/set"
  gpuaas-node set h7 --pool training --region west >> "$T/set"
  gpuaas-place --profile lab --project vision --name vm1 > "$T/plan"
  gpuaas-place --profile lab --gpus 64 --project research > "$T/refused" || :
}

# KIND CONDITION WORD: the condition is mistyped, and WORD is near to it
mistyped()
{
  cat << 'END'
nodes pool=trainin training
nodes pool=training,trainin training
nodes pool!=trainin training
nodes region=wset west
allocations profile=lap lab
allocations project=visoin vision
allocations project=speach speech
tasks node=h8 h7
plans profile!=lap lab
profiles image=lap lab
profiles region=nort north
node-images image=lap lab
pools pool=spar spare
pools region=wets west
teams projects=speach speech
refusals project=reserch research
usage profile=lap lab
attention project=visio vision
END
}

@test "a condition with a mistyped profile, image, region, pool, project or team is refused with near words" {
  local kind condition word
  while read -r kind condition word; do
    echo "$kind $condition"
    run --separate-stderr gpuaas-list "$kind" --where "$condition"
    [[ $stderr = *"near to it: '$word'"* ]]
    # Where records match all the same, a message names the value.
    [[ -n $output ]] || assert_status 5
  done < <(mistyped)
  # A command that acts is refused, whatever else its conditions match.
  for condition in project=visoin project!=visoin profile=lab,lap; do
    run_status 5 gpuaas-release --where "$condition" --yes
    assert_stderr "near to it: "
    assert_equal "$output" ""
  done
  run_status 5 gpuaas-node drain --where pool=trainin --reason test
  assert_stderr "there is no pool 'trainin'"
  assert_stderr "near to it: 'training'; 'gpuaas-list pools' shows them"
  run_status 5 gpuaas-on --nodes region=wset true
  assert_stderr "there is no region 'wset'"
  run_status 5 gpuaas-release --where project!=visoin --yes
  assert_stderr "near to it: 'vision'; 'gpuaas-list allocations' shows them"
  assert_equal "$(gpuaas-list allocations -o csv --columns state | tail -n 1)" placed
}

@test "--since of allocations goes by the column SINCE, the last change of state" {
  without_triggers "UPDATE allocation SET created_at = '2026-01-01T00:00:00.000000Z', since = created_at"
  run_ok gpuaas-list allocations --since 5m
  assert_output ""
  gpuaas-release vm1 > "$T/out"
  run_ok gpuaas-list allocations --since 5m
  jq_is '"\(.name) \(.state)"' "vm1 cancelled"
  run_ok gpuaas-list allocations --where 'created_at<2026-01-02'
  jq_is .name vm1
}

@test "members of detail, which depend on the action, are compared, too" {
  gpuaas-node quarantine h7 --reason "new fan" > "$T/out"
  run_ok gpuaas-list audit --where 'detail.reason=new fan'
  jq_is '"\(.action) \(.detail.reason)"' "node_quarantined new fan"
  run_ok gpuaas-list audit --where detail.reason=fan
  assert_output ""
  run_ok gpuaas-list audit --where action=node_quarantined --where 'detail.from!=draining'
  assert_equal "${#lines[@]}" 1
  # Names and beginnings of ids, as everywhere; what names nothing is compared as it is.
  run_ok gpuaas-list audit --where action=placed --where "detail.node=$NODE"
  found=$output
  [[ -n $found ]]
  run_ok gpuaas-list audit --where action=placed --where detail.node=h7
  assert_equal "$output" "$found"
  run_ok gpuaas-list audit --where action=placed --where detail.node!=h7
  assert_output ""
  run_ok gpuaas-list audit --where detail.node=h77
  assert_output ""
  run_status 2 gpuaas-list audit --where detail=fan
  assert_stderr "'detail' has members and no value of its own"
  assert_stderr "hint: 'detail.NAME' is one"
}

@test "a name that several kinds have: one object is shown, and the other kinds are named" {
  gpuaas-state apply - <<< '{"kind":"gpuaas.team/1","name":"vm1","projects":["vision"]}' > "$T/applied"
  run_ok gpuaas-show vm1 --json
  jq_slurp_is '.[0] | "\(.kind) \(.name)"' "gpuaas.allocation/1 vm1"
  assert_equal "$stderr" "gpuaas-show: note: the allocation 'vm1' is shown; 'gpuaas-list teams --where name=vm1' lists another object of that name"
  run_ok gpuaas-list teams --where name=vm1
  jq_is .name vm1
  run_ok gpuaas-show red
  assert_equal "$stderr" ""
}

@test "a value outside a closed set is refused with near words, and held_by knows what holds a node" {
  local kind condition near
  while read -r kind condition near; do
    echo "$kind $condition"
    run_status 2 gpuaas-list "$kind" --where "$condition"
    assert_stderr "near to it: '$near'"
  done << 'END'
attention state=disabld disabled
events action=plced placed
audit action=plcd placed
tasks phase=recheckk recheck
evidence cause=relase release
slots gpu_memory=confirmd confirmed
END
  # Codes that are no phases are not near to one; the steps of a wipe are phases of no page.
  run_status 2 gpuaas-list tasks --where phase=defin
  assert_stderr "near to it: 'define', 'power_define', 'rebuild_define'"
  run_ok gpuaas-list tasks --where phase=guard
  run_status 5 gpuaas-list nodes --where held_by=zz
  assert_stderr "there is no allocation 'zz'"
  run_ok gpuaas-list nodes --where held_by=slices -o name
  assert_equal "${#lines[@]}" 1
  # A command that acts takes the word also where it holds no node now.
  gpuaas-release vm1 --yes > "$T/cancelled"
  run_ok gpuaas-list nodes --where held_by=null -o name
  assert_equal "${#lines[@]}" 2
  run_ok gpuaas-node drain --where 'held_by!=slices' --reason test --dry-run
}

# titles KIND: those of its table, a line each
titles()
{
  gpuaas-list "$1" -o wide | head -n 1 | sed 's/   */\n/g'
}

@test "--where takes each cell that a table prints" {
  local kind title lower cell condition n=0
  gpuaas-list slots --where state=available -o name | head -n 1 > "$T/slot"
  run_ok gpuaas-approve cordon "$(< "$T/slot")" --reason test
  gpuaas-list slots -o name | tail -n 1 > "$T/slot"
  run_ok gpuaas-approve disable "$(< "$T/slot")" --reason test
  for kind in nodes slots candidates profiles images node-images allocations plans claims tasks usage \
    evidence audit events refusals pools regions teams attention; do
    while IFS= read -r title; do
      case $kind.$title in
      # JSON, and prose.
      audit.DETAIL | *.REASON | *.HINT | *.COMMAND | *.DETAIL | *.WOULD\ FIT) continue ;;
      esac
      while IFS= read -r cell; do
        echo "$kind '$title=$cell'"
        run_ok gpuaas-list "$kind" --where "$title=$cell"
        [[ -n $output ]]
        lower=${title,,}
        run_ok gpuaas-list "$kind" --where "${lower// /_}=$cell"
        [[ -n $output ]]
        n=$((n + 1))
      done < <(gpuaas-list "$kind" -o table --columns "$title" --limit 20 | tail -n +2 | sed 's/^ *//;s/ *$//' | sort -u | head -n 3)
    done < <(titles "$kind")
  done
  [[ $n -gt 150 ]]
  for condition in state=cordoned 'state=available, cordoned' 'state="available, cordoned"' cordoned=yes; do
    run_ok gpuaas-list slots --where "$condition"
    jq_is '.state + " " + .cordon_reason' 'available test'
    run_ok gpuaas-list slots --where "$condition" -o csv
    assert_output ',available,true,'
  done
  run_ok gpuaas-list slots --where 'state!=cordoned' --where state=available -o name
  assert_equal "${#lines[@]}" $(($(gpuaas-list slots --where state=available -o name | wc -l) - 1))
}

@test "a name that something has is a value, also where no record of the list has it" {
  local line
  while read -r line; do
    echo "$line"
    run_ok gpuaas-list ${line% *} --where "${line#* }"
    assert_equal "$output$stderr" ""
  done << 'END'
allocations project=speech
allocations project=research
allocations profile=later
nodes pool=spare
nodes region=north
profiles region=west
profiles name=lap
regions name=nort
allocations name=vm9
END
  # A profile may name an image that nobody applied, and rows are found by it.
  run_ok gpuaas-list profiles --where image=ghost
  jq_is .name later
  run_ok gpuaas-list profiles --where image=ghost --where shape=baremetal
  assert_equal "$output" ""
  run_status 5 gpuaas-list node-images --where image=ghost
  assert_stderr "there is no image 'ghost'"
  run_ok gpuaas-list allocations --where project=vision,speech --where profile=lab
  jq_is .name vm1
}

@test "a type is found by each name that the other options take, and a mistyped one is refused" {
  local n name
  n=$(gpuaas-list slots | wc -l)
  gpuaas-list slots --limit 1 | jq -r '.accelerator_type, .type_name' > "$T/names"
  printf '%s\n' h200 H200 'NVIDIA H200' >> "$T/names"
  while read -r name; do
    for condition in "accelerator_type=$name" "type_name=$name" "type=$name" "accelerator_type=l4,$name"; do
      echo "$condition"
      run_ok gpuaas-list slots --where "$condition"
      assert_equal "${#lines[@]}" "$n"
    done
    for condition in "accelerator_type!=$name" "type!=$name"; do
      run_ok gpuaas-list slots --where "$condition"
      assert_equal "$output" ""
    done
  done < "$T/names"
  for condition in accelerator_type=l4 accelerator_type=a100; do
    run_ok gpuaas-list slots --where "$condition"
    assert_equal "$output$stderr" ""
  done
  run_ok gpuaas-list profiles --where types=h200 -o name
  assert_output later
  run_ok gpuaas-list candidates --where gpu.type=h200 --limit 1
  [[ -n $output ]]
  run_ok gpuaas-list pools --where type=h200 --where pool=training
  [[ -n $output ]]
  run_status 2 gpuaas-list slots --where accelerator_type=h20x
  assert_stderr "'h20x' is no type of the catalogue; near to it: nvidia-h20-"
  run_status 2 gpuaas-approve cordon --where accelerator_type!=h20x --reason test
  assert_stderr "'h20x' is no type of the catalogue"
  run_ok gpuaas-list slots --where 'cordon_reason!=null'
  assert_equal "$output" ""
}

@test "on a terminal an empty list says so, with its conditions; in a pipe it says nothing" {
  local line command
  while IFS='|' read -r command line; do
    echo "$command"
    run_ok "$SRC/tests/on-terminal" 24x80 $command
    assert_equal "$output" "$line"
    run_ok $command
    assert_equal "$output$stderr" ""
    run_ok "$SRC/tests/on-terminal" 24x80 bash -c "$command 2> $T/said"
    assert_equal "$output$(< "$T/said")" "$line"
  done << 'END'
gpuaas-list slots --where state=active|no slot matches --where state=active
gpuaas-list slots --where state=active --where node=h7 -o json|no slot matches --where state=active --where node=h7
gpuaas-list apps|no apps
gpuaas-list usage|no entry of usage
gpuaas-list usage --since 24h|no entry of usage matches --since 24h
gpuaas-list attention --where code=stuck|no entry of attention matches --where code=stuck
gpuaas-node list --where state=quarantined|no node matches --where state=quarantined
gpuaas-profile list --type nvidia-l4-24gb|no profile matches --type nvidia-l4-24gb
gpuaas-image list|no images
END
  run_ok "$SRC/tests/on-terminal" 24x80 gpuaas-list slots --where state=available
  refute_output "no slot"
  run_ok "$SRC/tests/on-terminal" 24x80 gpuaas-list slots --where 'cordon_reason=fan noise'
  assert_equal "$output" "no slot matches --where 'cordon_reason=fan noise'"
}

@test "a command that acts refuses a value after != that only ended objects, or none, have" {
  local id old condition
  id=$(gpuaas-list allocations -o name)
  gpuaas-place --profile lab --project vision --name stand-in > "$T/plan"
  # A name that an earlier version took.
  without_triggers "UPDATE allocation SET name = '$id' WHERE name = 'stand-in'"
  gpuaas-place --profile lab --project vision --name "${id:0:4}" > "$T/plan"
  gpuaas-list allocations -o name > "$T/ids"
  for old in $(grep -v "$id" "$T/ids"); do
    run_ok gpuaas-release "$old" --yes
  done
  for condition in "name!=$id" "name!=${id:0:4}" "allocation!=${id:0:4}" "allocation!=$old" "name=vm1,$id" \
    "allocation=vm1,$old"; do
    echo "$condition"
    run_status 5 gpuaas-release --where "$condition" --yes
    assert_equal "$output" ""
    [[ $stderr = *"released, cancelled or retired"* || $stderr = *"=$id means that one"* ]]
  done
  for condition in access.address!=1.2.3.4 network.expected_ip!=1.2.3.4 tenant_image!=nosuch count!=99; do
    echo "$condition"
    run_status 5 gpuaas-release --where "$condition" --yes
    assert_stderr "no allocation has the ${condition%!*} '${condition#*=}'"
  done
  for condition in nvme_wwid nvme_serial gpu_pci_address nvme_path mac private_ip slot_index fingerprint; do
    echo "$condition"
    run_status 5 gpuaas-approve cordon --reason test --where "$condition!=99"
    assert_stderr "no slot has the $condition '99'"
  done
  run_status 5 gpuaas-node drain --reason test --where boot_id!=99
  run_status 5 gpuaas-on --nodes 'address!=h9' true
  assert_stderr "no node has the address 'h9'"
  assert_equal "$(gpuaas-list allocations -o csv --columns name,state | grep -c placed)" 1
  # One value alone takes nothing by mistake, and a list shows what there is.
  run_ok gpuaas-release --where "name=$id" --yes
  assert_stderr "no allocation meets the conditions: nothing was done"
  run_ok gpuaas-list allocations --where "name!=$id" --where state=placed
  jq_is .name vm1
  # A reason, a closed set and a node without an allocation need no record that has them.
  for condition in reason!=nosuch state!=active "node!=$(gpuaas-list nodes --where name=null --limit 1 -o name)"; do
    run_ok gpuaas-release --where "$condition" --dry-run
  done
  run_ok gpuaas-release --where name!=null --where slots!=null --yes
  jq_is .name vm1
}

@test "gpuaas-show of a region or a pool names the list that has it, also beside an object of that name" {
  local name list
  while read -r name list; do
    run_status 5 gpuaas-show "$name"
    assert_stderr "there is no object '$name'"
    assert_stderr "hint: 'gpuaas-list $list=$name' shows what has that name"
    # shellcheck disable=SC2086 # words
    run_ok gpuaas-list $list="$name"
    [[ -n $output ]]
  done << 'END'
training pools --where pool
west regions --where name
north regions --where name
lab profiles --where name
END
  gpuaas-node rename h7 west > "$T/set"
  gpuaas-node set west --pool red > "$T/set"
  run_ok gpuaas-show west
  assert_stderr "note: the node 'west' is shown; 'gpuaas-list regions --where name=west' lists another"
  run_ok gpuaas-show red
  assert_stderr "note: the team 'red' is shown; 'gpuaas-list pools --where pool=red' lists another"
}

@test "a code or a phase that no page and no record has is refused after = and !=, in lists and in commands that act" {
  local command
  while read -r command; do
    echo "$command"
    run_status 2 $command
    assert_equal "$output" ""
    assert_stderr "is never the value of"
  done << 'END'
gpuaas-release --where phases.phase!=ssh_redy --dry-run -o name
gpuaas-release --where phases.phase!=nosuch --dry-run -o name
gpuaas-release --where phases.phase=ssh_ready,ssh_redy --dry-run -o name
gpuaas-approve disable --where blockers.code!=taintd --reason test --dry-run
gpuaas-approve disable --where blockers!=taintd --reason test --dry-run
gpuaas-list attention --where code!=cordond
gpuaas-list attention --where code=cordoned,cordond
gpuaas-list slots --where blockers!=taintd
gpuaas-list tasks --where phase!=defin
END
  run_status 2 gpuaas-list attention --where code!=cordond
  assert_stderr "near to it: 'cordoned'"
  run_status 2 gpuaas-release --where phases.phase!=ssh_redy --dry-run
  assert_stderr "near to it: 'ssh_ready'"
  # A word of the page needs no record that has it.
  run_ok gpuaas-release --where phases.phase!=ssh_ready --dry-run -o name
  [[ -n $output ]]
  run_ok gpuaas-approve cordon --where blockers!=tainted --reason test --dry-run -o name
  [[ -n $output ]]
  # A host of another version may report a code that no page has: a record has it.
  slot=$(gpuaas-list slots --limit 1 -o name)
  without_triggers "UPDATE slot SET blockers = '[{\"code\":\"moonlight\",\"subject\":null,\"evidence\":\"it shines\",\"hint\":null}]' WHERE id = '$slot'"
  run_ok gpuaas-list slots --where blockers=moonlight -o name
  assert_output "$slot"
  run_ok gpuaas-list slots --where blockers.code!=moonlight -o name
  refute_output "$slot"
}

@test "an empty list has no member of an element: null finds it, and != null does not" {
  slot=$(gpuaas-list slots --limit 1 -o name)
  without_triggers "UPDATE slot SET blockers = json('[{\"code\":\"tainted\",\"subject\":\"x\",\"evidence\":\"y\",\"hint\":\"z\"}]') WHERE id = '$slot'"
  assert_equal "$(gpuaas-list slots --where blockers.code!=null -o name)" "$slot"
  assert_equal "$(gpuaas-list slots --where blockers.code=null -o name)" "$(gpuaas-list slots --where blockers=null -o name)"
  [[ $(gpuaas-list slots --where blockers.code=null | wc -l) -gt 0 ]]
  assert_equal "$(gpuaas-list slots --where cordoned=false | wc -l)" "$(gpuaas-list slots | wc -l)"
  gpuaas-approve cordon "$slot" --reason x > "$T/out"
  assert_equal "$(gpuaas-list slots --where cordoned!=false -o name)" "$slot"
  assert_equal "$(gpuaas-list slots --where cordoned=true -o name)" "$slot"
}

@test "only codes are values of code, and the words are those of the list" {
  local code
  run_status 2 gpuaas-list attention --where code=stuk
  assert_stderr "'stuk' is never the value of 'code'"
  assert_stderr "near to it: 'stuck'"
  for code in available 10 slot; do
    run_status 2 gpuaas-list attention --where "code=$code"
    assert_stderr "gpuaas-codes(7) has the codes"
  done
  run_ok gpuaas-list attention --where code=stuck
}

@test "the words of gpu_memory and cause are a closed set" {
  run_status 2 gpuaas-list slots --where gpu_memory=not_provn
  assert_stderr "near to it: 'not_proven'"
  run_status 2 gpuaas-list evidence --where cause=relase
  assert_stderr "near to it: 'release'"
  run_ok gpuaas-list evidence --where cause=rebuild,alone
}

# takes KIND: the command that takes the words of "gpuaas-list KIND -o name"; "-": none does, and
# -o name is refused
takes()
{
  case $1 in
    nodes | slots | allocations | plans | teams | grants | apps | attention) echo gpuaas-show ;;
    profiles) echo gpuaas-profile show ;;
    images | node-images) echo gpuaas-place --profile lab --dry-run --image ;;
    pools) echo gpuaas-place --profile lab --dry-run --pool ;;
    regions) echo gpuaas-place --profile lab --dry-run --region ;;
    maintenance) echo gpuaas-node end-maintenance ;;
    evidence) echo gpuaas-list evidence --after ;; # on its host: gpuaas-wipe --certificate
    proposals) echo gpuaas-show ;;
    candidates | claims | tasks | usage | audit | events | refusals | access-settings) echo - ;;
  esac
}

@test "each kind has a word for -o name that another program takes, or refuses it" {
  local kind word command n=0
  gpuaas-node maintenance h7 --from 48h --to 50h --reason test > "$T/window"
  gpuaas-state apply - > "$T/applied" << 'END'
{"kind":"gpuaas.grant/1","name":"all","actions":["place"],"group":"staff"}
END
  gpuaas-state apply "$SRC"/share/objects/apps/*.json > "$T/apps"
  gpuaas-approve quarantine "$(gpuaas-list slots --where state=available --limit 1 -o name)" \
    --reason test > "$T/quarantined"
  for kind in $(gpuaas-list 2>&1 | sed -n 's/.*hint: //p'); do
    command=$(takes "$kind")
    echo "$kind: $command"
    [[ -n $command ]]
    if [[ $command = - ]]; then
      run_status 2 gpuaas-list "$kind" -o name
      assert_equal "$output" ""
      assert_stderr "-o name prints what another program takes, and a record of "
      continue
    fi
    run_ok gpuaas-list "$kind" -o name
    echo "$output"
    for word in $(head -n 3 <<< "$output"); do
      n=$((n + 1))
      run --separate-stderr $command "$word" < /dev/null
      [[ $status != 5 && $status != 2 ]]
    done
  done
  ((n > 20))
}

@test "-o name of several kinds prints the objects, and of none of them is refused" {
  run_ok gpuaas-show h7 -o name
  assert_equal "$output" "$NODE"$'\n'"$(gpuaas-list slots --where node=h7 -o name)"
  run_ok gpuaas-show vm1 -o name
  assert_equal "$output" "$(gpuaas-list allocations -o name)"
  run_ok gpuaas-place --profile lab --project vision --name vm2 -o name
  run_ok gpuaas-show "$output"
  # A refusal is no word to go on with: it is reported.
  run_status 1 gpuaas-place --profile lab --gpus 64 --project vision -o name
  assert_equal "$output" ""
  assert_stderr "gpuaas-place: "
  for command in gpuaas-doctor "gpuaas-report usage" "gpuaas-profile labels check -"; do
    run_status 2 $command -o name <<< '{"kind":"Node","metadata":{"name":"a","labels":{"nvidia.com/gpu.cout":"8"}}}'
    assert_equal "$output" ""
    assert_stderr "-o name prints what another program takes, and a record of "
    assert_stderr "-o csv --columns NAME,... prints members of it"
  done
}
