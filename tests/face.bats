# SPDX-License-Identifier: Apache-2.0
# The terminal: words and objects after Tab, pressed in a real bash and a real zsh.

load helper
load lab

setup()
{
  common_setup
}

teardown()
{
  tmux -S "$T/tmux" kill-server 2> /dev/null || :
  common_teardown
}

# A node h7 with two slots, and the allocation job1 on one of them.
with_objects()
{
  make_lab
  gpuaas-node rename n-1ab100000000 h7 > "$T/renamed"
  here gpuaas-place --profile lab --gpus 1 --project vision --name job1 > "$T/placed"
}

# offers PROGRAM WORD…: the words only, in one line
offers()
{
  "$1" --complete "${@:2}" > "$T/offered"
  cut -f 1 "$T/offered" | paste -sd ' '
}

@test "options that name objects offer them, and closed words are offered" {
  local word
  with_objects
  gpuaas-node set h7 --region eu --pool blue > "$T/set"
  assert_equal "$(offers gpuaas-match --accept '')" "precision headroom"
  assert_equal "$(offers gpuaas-match --image l)" lab
  assert_equal "$(offers gpuaas-match --project v)" vision
  assert_equal "$(offers gpuaas-match --model llama3.1)" "llama3.1-405b llama3.1-8b"
  # The id says whose it is.
  gpuaas-release --complete '' > "$T/offered"
  grep -q "^job1"$'\t'"placed vision" "$T/offered"
  grep -q "^$(gpuaas-list allocations -o name)"$'\t'"job1 placed vision" "$T/offered"
  assert_equal "$(offers gpuaas-node set h7 --region e)" eu
  assert_equal "$(offers gpuaas-node set h7 --pool b)" blue
  for word in app team; do
    assert_equal "$(gpuaas-match --introspect-cli | jq -r --arg n "$word" \
      '.. | objects | select(.names? == ["--" + $n]) | .argument["x-gpuaas.means"]')" "$word"
  done
}

@test "only what works is offered: forms of a kind, codes that there are, slots that are not retired" {
  local slot
  with_objects
  assert_equal "$(offers gpuaas-list slots -o '')" "json table wide csv name"
  assert_equal "$(offers gpuaas-list audit -o sys)" syslog
  assert_equal "$(offers gpuaas-report usage -o f)" ""
  assert_equal "$(offers gpuaas-report cost -o f)" focus
  slot=$(gpuaas-list slots --where state=available -o name | head -n 1)
  gpuaas-approve disable "$slot" --reason "bay 3" > "$T/said"
  without_triggers "UPDATE slot SET blockers =
    '[{\"code\":\"nvme_signature\",\"subject\":null,\"evidence\":null,\"hint\":null}]' WHERE id = '$slot'"
  assert_equal "$(offers gpuaas-list slots --where blockers=)" blockers=nvme_signature
  assert_equal "$(offers gpuaas-approve cordon "$slot")" "$slot"
  without_triggers "UPDATE slot SET state = 'retired', retired = 1 WHERE id = '$slot'"
  assert_equal "$(offers gpuaas-approve cordon "$slot")" ""
  assert_equal "$(offers gpuaas-show "$slot")" "$slot"
}

@test "a program offers commands, options, kinds, members and closed values" {
  gpuaas-state init --lab > "$T/made"
  assert_equal "$(offers gpuaas-state ini)" init
  assert_equal "$(offers gpuaas-discover --vers)" --version
  assert_equal "$(offers gpuaas-approve --wipe-class '')" "clear purge"
  assert_equal "$(offers gpuaas-approve --wipe-class=p)" --wipe-class=purge
  assert_equal "$(offers gpuaas-approve qua)" quarantine
  assert_equal "$(offers gpuaas-list s)" slots
  assert_equal "$(offers gpuaas-list slots --where state=av)" state=available
  assert_equal "$(offers gpuaas-list slots --where=state=av)" --where=state=available
  assert_equal "$(offers gpuaas-list slots --where state=active,wip)" state=active,wiping
  # Of the kind that the program chooses from, whatever else it writes.
  assert_equal "$(offers gpuaas-release --where power_w)" "power_wanted= "
  assert_equal "$(offers gpuaas-release --where nvme)" ""
  assert_equal "$(offers gpuaas-on --nodes poo)" "pool= "
  assert_equal "$(offers gpuaas-approve cordon --where state=clea)" state=cleanup_blocked
  assert_equal "$(offers gpuaas-node drain --where state=q)" state=quarantined
  assert_equal "$(offers gpuaas-show allocations --where state=hel)" state=held
  assert_equal "$(offers gpuaas-list slots --where 'tainted!=')" "tainted!=true tainted!=false"
  assert_equal "$(offers gpuaas-list evidence --where outc)" "outcome= "
  tail -n 1 "$T/offered" | grep -qx $'\tnospace'
  assert_equal "$(offers gpuaas-list slots --sort -slot_i)" -slot_index
  assert_equal "$(offers gpuaas-list pools --columns pool,profi)" pool,profile
  assert_equal "$(offers gpuaas-report cost --by team,t)" "team,team team,type"
  assert_equal "$(offers gpuaas-node mode h7 '')" "slice baremetal"
  assert_equal "$(offers gpuaas-place --type h200-s)" h200-sxm
  assert_equal "$(offers gpuaas-wipe -o w)" wide
  # A stage that reads a file offers files; one that reads nothing offers its options.
  offers gpuaas-wipe "" > "$T/words"
  grep -qx $'\tfiles' "$T/offered"
  [[ $(offers gpuaas-discover "") == "--node --mode "* ]]
  # Each command has its line.
  grep -qx $'drain\tstop placement.*' <(gpuaas-node --complete dr)
}

@test "a program offers the objects of the state, with what they are" {
  with_objects
  id=$(jq -r .allocation "$T/placed")
  assert_equal "$(offers gpuaas-node drain "")" "h7 n-1ab100000000"
  assert_equal "$(offers gpuaas-release "")" "job1 $id"
  assert_equal "$(offers gpuaas-release jo)" job1
  assert_output_of "job1"$'\t'"placed vision lab n-1ab100000000"
  assert_equal "$(offers gpuaas-approve cordon "" | wc -w)" 2
  assert_equal "$(offers gpuaas-place --profile "")" lab
  assert_equal "$(offers gpuaas-place --image la)" lab
  assert_equal "$(offers gpuaas-place --project "")" vision
  assert_equal "$(offers gpuaas-list allocations --where project=v)" project=vision
  assert_equal "$(offers gpuaas-list slots --where node=h)" node=h7
  [[ " $(offers gpuaas-list slots --where type_name=h200) " = *" type_name=h200 "* ]]
  [[ " $(offers gpuaas-list profiles --where types=nvidia-h2) " = *" types=nvidia-h200-141gb "* ]]
  assert_equal "$(offers gpuaas-list profiles --where name=l)" name=lab
  assert_equal "$(offers gpuaas-list grants --where profiles=x,l)" profiles=x,lab
  assert_equal "$(offers gpuaas-show jo)" job1
  # Of another state, which --state names; and none of one that is not there.
  assert_equal "$(offers gpuaas-show --state "$T/none.db" jo)" ""
  state=$GPUAAS_STATE
  assert_equal "$(GPUAAS_STATE=$T/none.db offers gpuaas-show --state "$state" jo)" job1
  # An allocation that has ended cannot be released, and can be shown.
  gpuaas-release job1 --yes > "$T/released" 2> "$T/said"
  assert_equal "$(offers gpuaas-release "")" ""
  assert_equal "$(offers gpuaas-show jo)" job1
}

assert_output_of()
{
  grep -qxF -- "$1" "$T/offered" || { cat "$T/offered"; return 1; }
}

@test "a name that a shell would run or change is never offered" {
  mkdir "$T/bin"
  # shellcheck disable=SC2016 # the text is the name
  printf '%s\n' '#!/bin/sh' "cat <<'X'" \
    '{"node":"$(touch /tmp/x)","name":"a;b","state":"s"}' '{"node":"n 1","name":"h7","state":"\u001b[2J"}' \
    '{"node":7,"name":null}' '[]' 'no record' X > "$T/bin/gpuaas-list"
  chmod +x "$T/bin/gpuaas-list"
  cp "$GPUAAS_BUILD/bin/gpuaas-node" "$T/bin"
  assert_equal "$("$T/bin/gpuaas-node" --complete drain "")" $'h7\t\\x1b[2J'
}

@test "gpuaas offers programs, and what they offer; gpuaas-on that of its command" {
  gpuaas-state init --lab > "$T/made"
  assert_equal "$(offers gpuaas disc)" discover
  assert_equal "$(offers gpuaas launch --ap)" --app
  assert_equal "$(offers gpuaas discover --vers)" --version
  assert_equal "$(offers gpuaas --vers)" --version
  assert_equal "$(offers gpuaas help rel)" release
  assert_equal "$(offers gpuaas nosuch "")" ""
  assert_equal "$(offers gpuaas-on gpuaas-list sl)" slots
  assert_equal "$(offers gpuaas-on --nodes region=x gpuaas-list sl)" slots
}

@test "every value and operand has a word whose meaning is known, in --introspect-cli too" {
  for program in "$GPUAAS_BUILD"/bin/gpuaas*; do
    [[ -x $program && $program != *.* ]] || continue
    "$program" --introspect-cli | jq -r '.command | .name as $n | (., .commands[]) | .name as $c
      | (.options[] | select(.type == "string" or .type == "path") | .argument
          | select(has("x-gpuaas.means") | not) | "\($n) \($c): \(.name)"),
        (.["x-gpuaas.operands"][][] | select(has("name") and (.means | not)) | "\($n) \($c): \(.name)")' \
      >> "$T/unknown"
  done
  assert_equal "$(sort -u "$T/unknown")" ""
  run_ok gpuaas-approve --introspect-cli
  jq_is '.command["x-gpuaas.operands"] | map(map(.word // .means) | join(" ")) | join(", ")' \
    "disable slot, enable slot, repair slot, cordon slot, uncordon slot, quarantine slot, retire slot, \
confirm proposal, withdraw proposal"
  run_ok gpuaas-place --introspect-cli
  jq_is '.command.options[] | select(.names[0] == "--profile") | .argument["x-gpuaas.means"]' profile
}

@test "both completions know every program" {
  for program in "$GPUAAS_BUILD"/bin/gpuaas*; do
    [[ -x $program && $program != *.* ]] || continue
    name=${program##*/}
    grep -qw -- "$name" <(sed -n '/^complete/,$p' "$SRC/completions/gpuaas.bash") || echo "bash: $name"
    grep -qE -- "^#compdef.* $name( |$)" "$SRC/completions/_gpuaas" || echo "zsh: $name"
  done > "$T/missing"
  assert_equal "$(cat "$T/missing")" ""
}

@test "members of a kind, codes of conditions, and entries of attention are offered" {
  local slot
  with_objects
  assert_equal "$(offers gpuaas-explain slot.health_st)" slot.health_state
  assert_equal "$(offers gpuaas-explain candidate.gpu.pci_ad)" candidate.gpu.pci_address
  assert_output_of "candidate.gpu.pci_address"$'\t'"PCI address: a cache, not an identity"
  assert_equal "$(offers gpuaas-explain slot.state.)" ""
  assert_equal "$(offers gpuaas-explain nosuch.)" ""
  assert_equal "$(offers gpuaas-state acknowledge '')" ""
  slot=$(gpuaas-list slots --where state=available -o name)
  gpuaas-approve quarantine "$slot" --reason "a disk fails" > "$T/quarantined"
  assert_equal "$(offers gpuaas-list attention --where code=)" code=quarantined
  assert_equal "$(offers gpuaas-state acknowledge '')" "$slot"
  assert_equal "$(offers gpuaas-state acknowledge "$slot" --code '')" quarantined
  assert_equal "$(offers gpuaas-state acknowledge job1 --code '')" ""
  gpuaas-state acknowledge "$slot" --reason "waits for a disk" --until 3d > "$T/acknowledged"
  assert_equal "$(offers gpuaas-state acknowledge --remove '')" "$slot"
  run_status 1 gpuaas-place --profile lab --gpus 9
  assert_equal "$(offers gpuaas-list refusals --where code=)" "code=$(jq -r .code <<< "$output")"
  assert_equal "$(offers gpuaas-report cost --currency '')" ""
}

# ---- a real terminal ----

# in_terminal COMMAND…: 80x24, with the environment of the test
in_terminal()
{
  tmux -S "$T/tmux" -f /dev/null new-session -d -s face -x 80 -y 24 "$(printf '%q ' "$@")"
}

screen()
{
  tmux -S "$T/tmux" capture-pane -p -t face
}

keys()
{
  tmux -S "$T/tmux" send-keys -t face "$@"
}

shows()
{
  screen | grep -qE -- "$1"
}

# types LINE PATTERN: types the line and Tab into an empty line; the screen then shows the pattern
types()
{
  keys C-u C-l
  keys -l "$1"
  wait_for 20 shows "^> ?${1:0:20}" || { screen; return 1; }
  keys Tab
  wait_for 20 shows "$2" || { echo "after '$1' and Tab no '$2':"; screen; return 1; }
}

@test "Tab in a real bash completes words, members, values and objects" {
  command -v tmux > /dev/null || skip "tmux is missing"
  with_objects
  cd "$T"
  touch brc some-file
  in_terminal env PS1='> ' bash --norc --noprofile -i
  keys "source $SRC/completions/gpuaas.bash" Enter
  types "gpuaas disc" "^> gpuaas discover *$"
  types "gpuaas-node dra" "^> gpuaas-node drain *$"
  types "gpuaas-node drain h" "^> gpuaas-node drain h7 *$"
  types "gpuaas-release jo" "^> gpuaas-release job1 *$"
  types "gpuaas-list slo" "^> gpuaas-list slots *$"
  types "gpuaas-list slots --where state=av" "^> gpuaas-list slots --where state=available *$"
  types "gpuaas-list slots --where sta" "^> gpuaas-list slots --where state=$"
  types "gpuaas-list slots --where=node=h" "^> gpuaas-list slots --where=node=h7 *$"
  types "gpuaas-list slots --where state!=av" "^> gpuaas-list slots --where state!=available *$"
  types "gpuaas-list slots --where 'state!=av" "^> gpuaas-list slots --where 'state!=available' *$"
  types "gpuaas-list slots --where \"node=h" "^> gpuaas-list slots --where \"node=h7\" *$"
  types "gpuaas-list slots --where 'slot_i" "^> gpuaas-list slots --where 'slot_index=$"
  types "gpuaas-list 'slots' --where state=av" "^> gpuaas-list 'slots' --where state=available *$"
  types "gpuaas-explain slot.health_st" "^> gpuaas-explain slot.health_state *$"
  types "gpuaas-place --profile l" "^> gpuaas-place --profile lab *$"
  types "gpuaas-wipe some" "^> gpuaas-wipe some-file *$"
  # No file where none is meant, though one begins so.
  types "gpuaas-list br" "^> gpuaas-list br$"
  keys C-u C-l
  keys -l "gpuaas-approve "
  keys Tab Tab
  # A second Tab lists the words, each with its line.
  wait_for 20 shows "^confirm  [(]" || { screen; return 1; }
  wait_for 20 shows "^withdraw  [(]" || { screen; return 1; }
  run ! shows "some-file"
}

@test "Tab in a real zsh completes the same, with a line for each word" {
  command -v zsh > /dev/null || skip "zsh is missing"
  with_objects
  cd "$T"
  touch brc some-file
  printf '%s\n' "PROMPT='> ' RPROMPT=" 'setopt no_beep no_list_beep' "fpath=($SRC/completions \$fpath)" \
    'autoload -Uz compinit; compinit -u -D' > "$T/.zshrc"
  in_terminal env ZDOTDIR="$T" zsh -i
  wait_for 20 shows "^>"
  types "gpuaas disc" "^> gpuaas discover *$"
  types "gpuaas-node dra" "^> gpuaas-node drain *$"
  types "gpuaas-node drain h" "^> gpuaas-node drain h7 *$"
  types "gpuaas-release jo" "^> gpuaas-release job1 *$"
  types "gpuaas-list slots --where state=av" "^> gpuaas-list slots --where state=available *$"
  types "gpuaas-list slots --where=node=h" "^> gpuaas-list slots --where=node=h7 *$"
  types "gpuaas-list slots --where slot_i" "^> gpuaas-list slots --where slot_index=$"
  types "gpuaas-list slots --where 'state!=av" "^> gpuaas-list slots --where 'state!=available' *$"
  types "gpuaas-explain slot.health_st" "^> gpuaas-explain slot.health_state *$"
  types "gpuaas-wipe some" "^> gpuaas-wipe some-file *$"
  types "gpuaas-node und" "^> gpuaas-node undrain *$"
  types "gpuaas-list br" "^> gpuaas-list br$"
  keys C-u C-l
  keys -l "gpuaas-node "
  keys Tab
  wait_for 20 shows "drain +-- stop placement on the node" || { screen; return 1; }
  run ! shows "some-file"
}

# of_terminal: whether the other screen is on and the cursor shows
of_terminal()
{
  tmux -S "$T/tmux" display-message -p -t face '#{alternate_on} #{cursor_flag}'
}

terminal_is()
{
  [[ $(of_terminal) == "$1" ]]
}

@test "--watch gives the terminal back on Ctrl-\\ and Ctrl-Z, and draws anew when it goes on" {
  command -v tmux > /dev/null || skip "tmux is missing"
  local pid
  with_objects
  cd "$T"
  in_terminal env PS1='> ' bash --norc --noprofile -i
  wait_for 20 shows '^>'
  keys "gpuaas-list slots --watch; echo ended \$?" Enter
  wait_for 20 shows '^gpuaas-list slots  '
  assert_equal "$(of_terminal)" "1 0"
  keys 'C-\'
  wait_for 20 shows '^ended 0'
  assert_equal "$(of_terminal)" "0 1"
  keys C-l 'stty -a' Enter
  wait_for 20 shows '[^-]icanon'
  shows ' echo '

  keys C-l 'gpuaas-list slots --watch' Enter
  wait_for 20 shows '^gpuaas-list slots  '
  keys C-z
  wait_for 20 shows 'Stopped  '
  assert_equal "$(of_terminal)" "0 1"
  keys C-l 'stty -a' Enter
  wait_for 20 shows '[^-]icanon'
  shows ' echo '
  gpuaas-approve cordon "$(gpuaas-list slots --limit 1 -o name)" --reason fan > "$T/cordoned"
  keys fg Enter
  wait_for 20 terminal_is "1 0"
  wait_for 20 shows '^gpuaas-list slots  '
  # Single keys end it again.
  keys q
  wait_for 20 terminal_is "0 1"

  # Stopped from elsewhere, it cannot give it back; it takes all of it when it goes on.
  keys C-l 'gpuaas-list slots --watch' Enter
  wait_for 20 shows '^gpuaas-list slots  '
  pid=$(pgrep -f '^gpuaas-list slots --watch' -P "$(tmux -S "$T/tmux" display-message -p -t face '#{pane_pid}')")
  kill -STOP "$pid"
  wait_for 20 shows 'Stopped  '
  keys fg Enter
  wait_for 20 shows '^gpuaas-list slots  '
  keys q
  wait_for 20 terminal_is "0 1"
}
