# SPDX-License-Identifier: Apache-2.0
# The forms of standard output: -o, --columns and --sort of every program, and tables that fit the terminal.

load helper

setup()
{
  common_setup
  export COLUMNS=80 TERM=xterm
  setup_host h200
  gpuaas-state init --lab > "$T/made"
  gpuaas-state apply "$SRC/share/objects/lab.json" >> "$T/made"
  in_host gpuaas-discover > "$T/discovery"
  gpuaas-approve --all-ready < "$T/discovery" > "$T/orders" || :
}

# The lines of a table are no wider than the terminal, but for a command, which is copied.
fits()
{
  local line
  while IFS= read -r line; do
    [[ $line == "    \$ "* || ${#line} -le $1 ]] || { echo "too wide: $line"; return 1; }
  done <<< "$output"
}

@test "a table fits: what is empty or matters least is left out, a command is never broken" {
  run_ok gpuaas-list slots --table
  fits 80
  assert_equal "${lines[0]}" "SLOT      NODE            #  STATE     BLOCKERS"
  COLUMNS=120 run_ok gpuaas-list slots --table
  fits 120
  assert_output "TYPE"
  refute_output "ALLOCATION" # empty in every row
  run_ok gpuaas-list slots -o wide
  assert_output "GPU MEMORY"
  run_ok gpuaas-list attention --table
  fits 80
  assert_equal "$(grep -c '^    \$ ' <<< "$output")" 3
  run_status 1 gpuaas-place --profile lab --gpus 8 --table
  fits 80
  assert_output "    hint: gpuaas-list slots"
  # Without a terminal and without COLUMNS nothing is left out for its width.
  unset COLUMNS
  run_ok setsid -w gpuaas-list slots --table
  assert_output "eui.002538b5410a1001"
}

@test "a table in a pipe fits the terminal of its reader; in a file it has every column" {
  unset COLUMNS
  local on=("$SRC/tests/on-terminal" 24x70 sh -c)
  run_ok "${on[@]}" 'gpuaas-list slots -o table | cat'
  fits 70
  assert_output "BLOCKERS"
  # Its standard error may be none: the session has one.
  run_ok "${on[@]}" 'gpuaas-list slots -o table 2> /dev/null | cat'
  fits 70
  run_ok "${on[@]}" 'COLUMNS=100 gpuaas-list slots -o table | cat'
  fits 100
  assert_output " TYPE "
  for form in csv json wide; do
    "${on[@]}" "gpuaas-list slots -o $form | cat" > "$T/piped"
    assert_equal "$(< "$T/piped")" "$(setsid -w gpuaas-list slots -o "$form")"
  done
  "${on[@]}" "gpuaas-list slots -o table > '$T/file'"
  assert_equal "$(< "$T/file")" "$(setsid -w gpuaas-list slots -o table)"
}

@test "columns by title or member, in the order asked; a name that none has is refused before the work" {
  run_ok gpuaas-list slots --table --columns type,#,slot
  [[ ${lines[0]} == "TYPE "*"#  SLOT" ]]
  # The member that gpuaas(7) names as an example is one.
  run_ok gpuaas-list slots --table --columns "$(sed -n \
    '/^\.It Fl -columns/,/^\.It/s/^\.Pq \([a-z]*[._][a-z]*\)\( of a slot\)\? \.$/\1/p' "$SRC/man/gpuaas.7")"
  run_ok gpuaas-list slots --table --columns nvme_wwid
  assert_equal "${lines[0]}" NVME
  run_status 2 gpuaas-list slots --table --columns slott
  assert_stderr "'slott' is no column or member of gpuaas.slot/1"
  assert_stderr "near to it: 'slot'"
  # Nor is one left out that another list has: the fields of a script would shift.
  run_status 2 gpuaas-list slots -o csv --columns slot,project,state
  assert_stderr "'project' is no column or member of gpuaas.slot/1"
  assert_stderr "its columns: slot node # state"
  run_status 2 gpuaas-list slots --sort project
  assert_stderr "'project' is no column or member of gpuaas.slot/1"
  run_status 2 gpuaas-list slots --table --columns helth
  assert_stderr "near to it: 'health'"
  run_status 2 gpuaas-list evidence --table --columns evidence,at
  assert_stderr "near to it: 'started_at', 'finished_at'"
  run_status 2 gpuaas-report cost --table --columns cleanup
  run_ok gpuaas-report usage --table --columns cleanup
  run_ok gpuaas-list evidence --table --columns device.wwid
  gpuaas-state apply "$SRC/share/objects/apps/jupyter.json" > "$T/made"
  run_ok gpuaas-list allocations --app jupyter --explain --table --columns fits
  # Of a program that prints several kinds, each command takes the members of its own alone.
  run_status 2 gpuaas-profile show lab -o csv --columns name,availableCount,version
  assert_stderr "'availableCount' is no column or member of gpuaas.profile/1"
  run_status 2 gpuaas-profile catalog -o csv --columns slug,sentence,vendor
  assert_stderr "'sentence' is no column or member of gpuaas.accelerator/1"
  run_ok gpuaas-profile catalog check -o csv --columns sentence
  run_status 2 gpuaas-match --request --sort availability
  assert_stderr "'availability' is no column or member of gpuaas.request/1"
  run_status 2 gpuaas-state check --sort project
  assert_stderr "'project' is no column or member of gpuaas.finding/1"
  run_status 2 gpuaas-list slots --json --columns slot
  assert_stderr "--columns is for tables and CSV"
  run_status 2 in_host gpuaas-wipe --sort nosuch < "$T/orders"
  assert_stderr "'nosuch' is no column or member of any record that this command prints"
  assert_equal "$(gpuaas-list slots --where state=wiping -o name | wc -l)" 6
}

@test "a reader that has enough ends a command that only shows, without a message" {
  run_ok bash -c 'set -o pipefail; gpuaas-profile catalog 2> "$0" | head -n 1 > "$1"; true' \
    "$T/said" "$T/line"
  assert_equal "$(< "$T/said")" ""
}

@test "times are as seen from now, or exact where they are compared; numbers have their unit" {
  local exact='20[0-9][0-9]-[0-9][0-9]-[0-9][0-9] [0-9][0-9]:[0-9][0-9]:[0-9][0-9]Z' at
  run_ok gpuaas-list nodes --table
  [[ ${lines[0]} == *OBSERVED* && ${lines[1]} =~ (now|[0-9]+[sm]\ ago)\ *$ ]]
  run_ok gpuaas-list nodes --table --columns observed_at
  [[ ${lines[1]} =~ ^$exact$ ]]
  run_ok gpuaas-list nodes -o wide
  [[ ${lines[1]} =~ $exact ]]
  run_ok gpuaas-list audit --table --limit 1
  [[ ${lines[1]} =~ $exact ]]
  run_ok gpuaas-list nodes -o csv --columns observed_at
  assert_equal "${lines[1]}" "$(gpuaas-list nodes --json | jq -r .observed_at)"
  # The time that a table shows selects the same rows.
  at=$(gpuaas-list audit --table --columns at --limit 1 | tail -n 1)
  assert_equal "$(gpuaas-list audit --since "$at" --json)" "$(gpuaas-list audit --json)"
  run_ok gpuaas-profile catalog nvidia-h200-141gb --table
  assert_output "141 GB"
  assert_output "4.8 TB/s"
  run_ok in_host gpuaas-wipe --table < "$T/orders"
  run_ok gpuaas-list tasks --table
  [[ ${lines[0]} == *TOOK* && ${lines[1]} =~ (ms|s)$ ]]
}

@test "CSV and names for scripts; sorted by a title, highest first, what is empty last" {
  run_ok gpuaas-list slots -o csv --columns slot_index,state --sort -#
  assert_equal "${lines[0]}|${lines[1]}|${lines[8]}" "slot_index,state|7,wiping|0,wiping"
  run_ok gpuaas-list slots -o csv --columns type_name,blockers --sort slot_index
  assert_equal "$(python3 -c 'import csv, json, sys
rows = list(csv.reader(sys.stdin))
print(len(rows), {len(r) for r in rows}, json.loads(rows[4][1])[0]["code"])' <<< "$output")" "9 {2} missing_fabric_vf"
  run_ok gpuaas-list slots -o name --sort slot_index
  assert_equal "$output" "$(gpuaas-list slots --json | jq -rs 'sort_by(.slot_index)[].slot')"
  run_ok gpuaas-list slots --json --sort -slot_index
  jq_slurp_is 'map(.slot_index) | tostring' "[7,6,5,4,3,2,1,0]"
  run_status 2 gpuaas-list slots -o cvs
  assert_stderr "gpuaas-list: -o takes one of json, table, wide, csv, name"
  run_status 2 gpuaas-list slots -o josn
  assert_stderr "hint: near to it: 'json'"
  run_status 2 gpuaas-list slots --format cvs
  assert_stderr "gpuaas-list: --format takes one of"
  run_status 2 gpuaas-list slots -o wide --table
  assert_stderr "-o wide and --table exclude each other"
}

@test "why a phase failed stands below its row, and one that did not has no line" {
  jq -c 'select(.kind == "gpuaas.wipe-order/1") |
    .nvme_wwid = "eui.0000000000000bad" | .destroy_data = .nvme_wwid' "$T/orders" |
    head -n 1 > "$T/wrong"
  in_host gpuaas-wipe < "$T/wrong" > "$T/out" 2>&1 || :
  run_ok gpuaas-list tasks --table
  fits 80
  assert_equal "${#lines[@]}" 3
  [[ ${lines[1]} == *" guard "*" failed "* && ${lines[2]} == "    "*eui.0000000000000bad* ]]
}

@test "a terminal gets messages in lines of its width, with commands in quotes whole" {
  unset COLUMNS
  run_status 2 "$SRC/tests/on-terminal" 24x60 gpuaas-list slots -o cvs
  fits 60
  [[ ${lines[1]} == "    "* ]]
  # A command that is longer than the line stands whole on one of its own.
  run_status 2 "$SRC/tests/on-terminal" 24x20 gpuaas-list slots --nosuch
  grep -q "^    'gpuaas-list --help'" <<< "$output"
  # Without a terminal a message is one line.
  run_status 2 gpuaas-list slots -o cvs
  assert_equal "$(grep -c '' <<< "$stderr")" 1
}

# The last screen that a terminal got in the file.
last_screen()
{
  sed 's/\x1b\[H/\x01/g' "$T/screen" | tr '\001' '\f' | awk 'BEGIN { RS = "\f" } { last = $0 } END { print last }'
}

on_screen()
{
  last_screen | grep -qF -- "$1"
}

@test "--watch draws anew when the state changes elsewhere, and leaves the terminal as it was" {
  local slot signal
  unset COLUMNS
  slot=$(gpuaas-list slots --limit 1 -o name)
  for signal in INT TERM; do
    background "$SRC/tests/on-terminal" 20x80 gpuaas-list slots --watch --columns slot,cordon_reason > "$T/screen"
    wait_for 120 on_screen "$slot"
    run ! on_screen "because of $signal"
    gpuaas-approve cordon "$slot" --reason "because of $signal" > "$T/out"
    wait_for 120 on_screen "because of $signal"
    gpuaas-approve uncordon "$slot" > "$T/out"
    kill -"$signal" "$BG_PID"
    wait_for 120 has_ended "$BG_PID"
    # The screen and the cursor that were there before are there again.
    assert_equal "$(tail -c 14 "$T/screen" | od -An -c | tr -d ' \n')" '033[?25h033[?1049l'
  done
  # The last line counts the lines that do not fit; an error ends it.
  background "$SRC/tests/on-terminal" 6x80 gpuaas-list slots --watch > "$T/screen"
  wait_for 120 on_screen "more lines; the terminal is too small"
  kill -INT "$BG_PID"
  wait_for 120 has_ended "$BG_PID"
  run_status 5 "$SRC/tests/on-terminal" 20x80 gpuaas-show nosuch --watch
  run_status 2 gpuaas-list slots --watch
  assert_stderr "--watch draws a table on a terminal, and standard output is none"
  run_status 2 "$SRC/tests/on-terminal" 20x80 gpuaas-list slots --watch --json
  assert_output "standard output gets none"
}

@test "-o csv: on a terminal no text controls it, in a pipe the bytes stay" {
  gpuaas-state apply - > "$T/out" <<< '{"kind":"gpuaas.region/1","name":"north","open":true,"title":"x"}'
  # Another program wrote the state.
  state_sql "UPDATE region SET record = json_set(record, '$.title',
    'a' || char(27) || '[31m' || char(0x202e) || 'b' || char(13) || 'c' || char(10) || 'd')"
  run "$SRC/tests/on-terminal" 20x80 gpuaas-list regions -o csv --columns name,title
  assert_status 0
  assert_equal "${output//$'\r\n'/$'\n'}" 'name,title'$'\n''north,"a\u001b[31m\u202eb\u000dc\u000ad"'
  gpuaas-list regions -o csv --columns name,title > "$T/csv"
  printf 'name,title\nnorth,"a\e[31m\u202eb\rc\nd"\n' | cmp - "$T/csv"
}

@test "the title of a region is a text of a person" {
  local title
  for title in TEXT --yes " " $'a\u202eb' $'a\u200b'; do
    run_status 3 gpuaas-state apply - < <(jq -nc --arg t "$title" '{kind: "gpuaas.region/1", name: "north", open: true, title: $t}')
    assert_stderr "member 'title' "
  done
  run_ok gpuaas-state apply - <<< '{"kind":"gpuaas.region/1","name":"north","open":true,"title":"The \"north\", of Oslo"}'
}

@test "records of workers get the same form and order" {
  run_ok in_host gpuaas-wipe --jobs 2 -o csv --columns object,outcome < "$T/orders"
  assert_equal "$(grep -c ',confirmed$' <<< "$output")" 6
  for slot in $(gpuaas-list slots --where state=available -o name); do
    gpuaas-approve disable "$slot" --reason again > "$T/out"
    gpuaas-approve repair "$slot" --reason again
  done | jq -c 'select(.kind == "gpuaas.wipe-order/1")' > "$T/orders"
  run_ok in_host gpuaas-wipe --jobs 2 --sort -object < "$T/orders"
  assert_equal "$(jq -r 'select(.kind == "gpuaas.wipe-evidence/1").object' <<< "$output")" \
    "$(jq -r .object "$T/orders" | sort -r)"
}
