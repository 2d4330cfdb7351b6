# SPDX-License-Identifier: Apache-2.0
# The texts of a program about itself agree: --help, --introspect-cli, its man page, the
# schemas of its records, the exit statuses. Every program of bin/ is held to it.

load helper

setup()
{
  common_setup
  PROGRAMS=()
  local file
  for file in "$SRC"/bin/*.c; do
    PROGRAMS+=("$(basename "$file" .c)")
  done
  : > "$T/bad"
}

# Notes what is wrong; all_good fails with everything noted.
bad()
{
  echo "$*" >> "$T/bad"
}

all_good()
{
  [[ ! -s $T/bad ]] || { cat "$T/bad"; return 1; }
}

introspect()
{
  "$1" --introspect-cli
}

# The words of a man page as a reader sees them: mdoc's \- and \(aq are what they print.
page()
{
  [[ -f $SRC/man/$1.$2 ]] || return 1
  mandoc -T utf8 -O width=100 "$SRC/man/$1.$2" | sed 's/.\x08//g'
}

@test "every program is built" {
  for p in "${PROGRAMS[@]}"; do
    [[ -x $GPUAAS_BUILD/bin/$p ]] || bad "$p: not in $GPUAAS_BUILD/bin"
  done
  [[ ${#PROGRAMS[@]} -gt 0 ]]
  all_good
}

@test "introspection is JSON of the draft's shape" {
  for p in "${PROGRAMS[@]}"; do
    introspect "$p" > "$T/i.json" || bad "$p: --introspect-cli failed"
    jq -e --arg p "$p" '.mediaType == "application/vnd.uapi-group.cli-introspection"
      and .command.name == $p and (.command.version | length > 0)
      and (.command.description | length > 0) and (.command.options | length > 0)
      and ([.command.options[], .command.commands[].options[] | (.names | length > 0)
            and (.description | length > 0) and (.type == "flag") == (has("argument") | not)] | all)' \
      "$T/i.json" > "$T/out" || bad "$p: $(head -c 200 "$T/out")"
    # Each name once on a command line.
    jq -r '(.command, .command.commands[]) | .name as $n | [.options[].names[]]
      | group_by(.)[] | select(length > 1) | "\($n): \(.[0]) twice"' "$T/i.json" >> "$T/bad"
  done
  all_good
}

# lacking NAMES TEXT: the names, a line each, that are no word of the text
lacking()
{
  awk 'FILENAME == ARGV[1] { names[++n] = $0; next }
    { split($0, words, /[ ,]+/); for (i in words) seen[words[i]] }
    END { for (i = 1; i <= n; i++) if (!(names[i] in seen)) print names[i] }' "$1" "$2"
}

# crooked FILE: helps of options that do not begin in the 32nd column
crooked()
{
  grep -P '^  (-\w,|   ) --' "$1" | grep -vP '^.{29}  \S|^  (-\w,|   ) --\S+( \S+)?$' || :
}

@test "--help names every option, command and kind that introspection names" {
  for p in "${PROGRAMS[@]}"; do
    "$p" --help > "$T/help" 2> "$T/err" || bad "$p --help: status $?"
    [[ ! -s $T/err ]] || bad "$p --help writes to stderr: $(head -c 200 "$T/err")"
    introspect "$p" > "$T/i.json"
    jq -r '.command | (.options[].names[], .commands[].name,
      (.["x-gpuaas.consumes"][], .["x-gpuaas.produces"][]
       | ltrimstr("gpuaas.") | sub("/.*"; "")))' "$T/i.json" > "$T/names"
    [[ -s $T/names ]]
    lacking "$T/names" "$T/help" | sed "s/^/$p --help lacks /" >> "$T/bad"
    while read -r command; do
      "$p" "$command" --help > "$T/one" || bad "$p $command --help: status $?"
      jq -r --arg c "$command" '.command.commands[] | select(.name == $c)
        | .options[].names[]' "$T/i.json" > "$T/names"
      lacking "$T/names" "$T/one" | sed "s/^/$p $command --help lacks /" >> "$T/bad"
      crooked "$T/one" | sed "s/^/$p $command --help is crooked: /" >> "$T/bad"
    done < <(jq -r '.command.commands[].name' "$T/i.json")
    crooked "$T/help" | sed "s/^/$p --help is crooked: /" >> "$T/bad"
    # And the other way: what help shows, introspection has.
    sed -n 's/^  \(-[a-z], \|    \)\(--[a-z-]*\).*/\2/p' "$T/help" > "$T/names"
    jq -r '.command.options[].names[]' "$T/i.json" > "$T/has"
    lacking "$T/names" "$T/has" | sed "s/.*/$p --help shows &, introspection does not/" >> "$T/bad"
  done
  all_good
}

# too_wide WHO FILE: lines wider than 80 columns
too_wide()
{
  awk -v who="$1" 'length($0) > 80 { print who " is wider than 80 columns: " $0 }' "$2" >> "$T/bad"
}

@test "--help and the lists of commands and programs fit 80 columns" {
  for p in "${PROGRAMS[@]}"; do
    "$p" --help > "$T/help"
    # A line of authorized_keys is one line.
    grep -v 'restrict,command=' "$T/help" > "$T/kept"
    too_wide "$p --help" "$T/kept"
    introspect "$p" | jq -r '.command.commands[] | "\(.name)\t\(.description)"' > "$T/commands"
    while IFS=$'\t' read -r command text; do
      "$p" "$command" --help > "$T/help"
      too_wide "$p $command --help" "$T/help"
    done < "$T/commands"
    [[ -s $T/commands ]] || continue
    # Without a command it shows them all, with a line each.
    run_status 2 "$p"
    too_wide "$p" <(tail -n +3 <<< "$stderr")
    while IFS=$'\t' read -r command text; do
      grep -q "^  $command  *${text:0:30}" <<< "$stderr" || bad "$p without command lacks '$command'"
    done < "$T/commands"
  done
  all_good
}

@test "gpuaas help has every program in a group, with a line" {
  run_ok gpuaas help
  refute_output "others"
  too_wide "gpuaas help" <(echo "$output")
  for p in "${PROGRAMS[@]}"; do
    [[ $p == gpuaas ]] || grep -qE "^    ${p#gpuaas-} +[a-z].{10}" <<< "$output" || bad "gpuaas help lacks $p"
  done
  all_good
}

@test "--version says name and version" {
  for p in "${PROGRAMS[@]}"; do
    [[ $("$p" --version) =~ ^"$p "[0-9]+\.[0-9]+\.[0-9]+$ ]] || bad "$p: $("$p" --version 2>&1)"
  done
  all_good
}

@test "an unknown option, command or value ends with 2, one sentence and a hint" {
  for p in "${PROGRAMS[@]}"; do
    for args in --no-such-option '--version=1' '--json --table'; do
      status=0
      # shellcheck disable=SC2086 # words
      "$p" $args > "$T/out" 2> "$T/err" < /dev/null || status=$?
      [[ $p != gpuaas || $args == --no* ]] || continue
      [[ $status -eq 2 ]] || bad "$p $args: status $status"
      [[ ! -s $T/out ]] || bad "$p $args: writes to stdout"
      [[ $(head -n 1 "$T/err") == "$p: "* ]] || bad "$p $args: $(head -n 1 "$T/err")"
    done
    if introspect "$p" | jq -e '.command.commands | length > 0' > "$T/out"; then
      status=0
      "$p" no-such-command > "$T/out" 2> "$T/err" < /dev/null || status=$?
      [[ $status -eq 2 ]] || bad "$p no-such-command: status $status"
      grep -q 'hint: ' "$T/err" || bad "$p no-such-command: no hint"
      status=0
      "$p" > "$T/out" 2> "$T/err" < /dev/null || status=$?
      [[ $status -eq 2 ]] || bad "$p without a command: status $status"
    fi
  done
  all_good
}

@test "errors as records match their schema" {
  for p in "${PROGRAMS[@]}"; do
    GPUAAS_ERRORS=json "$p" --no-such-option 2> "$T/err" < /dev/null && bad "$p: status 0"
    [[ $(jq -r .status "$T/err") == 2 ]] || bad "$p: $(head -c 300 "$T/err")"
    cat "$T/err" >> "$T/errs"
  done
  "$SRC/tests/validate" "$SRC/share/schema" < "$T/errs" > "$T/out" 2>&1 || bad "$(< "$T/out")"
  assert_equal "$(tail -n 1 "$T/out")" "${#PROGRAMS[@]} records: gpuaas.error/1"
  all_good
}

# says COMMAND: run by a shell; its exit status in $status, its words in $words. They go through a
# pipe: bats' own files would be under the limit that a command sets itself.
says()
{
  status=0
  words=$(bash -c "$1" 2>&1) || status=$?
}

@test "standard output that is closed is an error, also for --version" {
  for p in "${PROGRAMS[@]}"; do
    says "$p --version >&-"
    [[ $status -eq 10 && $words == "$p: cannot write to standard output: Bad file descriptor" ]] ||
      bad "$p >&-: status $status: $words"
    says "$p --version <&- >&- 2>&-"
    [[ $status -eq 10 && ! $words ]] || bad "$p without descriptors: status $status: $words"
    says "$p --version <&- 2>&-"
    [[ $status -eq 0 && $words == "$p "* ]] || bad "$p <&- 2>&-: status $status: $words"
  done
  gpuaas-state init --lab > "$T/made"
  for p in "report cost" "report cost --format focus --currency EUR" "export openmetrics" "list audit" "state check" \
    "help" "state apply $SRC/share/objects/lab.json" "match --table"; do
    says "gpuaas $p >&-"
    [[ $status -eq 10 && $words == *": cannot write to standard output: Bad file descriptor" ]] ||
      bad "gpuaas $p >&-: status $status: $words"
  done
  # A program with nothing to write misses nothing.
  for p in "list slots" "place < /dev/null" "wipe < /dev/null" "match --table --request"; do
    says "gpuaas $p"
    before="$status $words"
    says "gpuaas $p >&-"
    [[ $before == "$status $words" ]] || bad "gpuaas $p: $before; >&-: $status $words"
  done
  all_good
}

@test "libcrypto is loaded by who digests: where it cannot be, that is an error, and a query is none" {
  mkdir "$T/broken"
  echo 'no library' > "$T/broken/libcrypto.so.3"
  run_status 10 env LD_LIBRARY_PATH="$T/broken" gpuaas-state init --lab
  assert_equal "$output" ""
  assert_equal "$stderr" "gpuaas-state: cannot load 'libcrypto.so.3': $T/broken/libcrypto.so.3: file too short
gpuaas-state: hint: it is OpenSSL's: install libssl3t64 or libssl3, whichever this system has"
  # A library of that name, with nothing in it.
  mkdir "$T/empty"
  gcc -shared -o "$T/empty/libcrypto.so.3" -x c /dev/null
  run_status 10 env LD_LIBRARY_PATH="$T/empty" gpuaas-state init --lab
  assert_stderr "'libcrypto.so.3' lacks a function: $T/empty/libcrypto.so.3: undefined symbol: BIO_ctrl"
  # The same command finishes the work when the library is there.
  run_ok gpuaas-state init --lab
  run_ok gpuaas-state apply "$SRC/share/objects/lab.json"
  for p in "state --version" "list slots" "list audit" "profile list" "profile catalog" \
    "report usage"; do
    says "LD_LIBRARY_PATH=$T/broken gpuaas $p"
    [[ $status -eq 0 && $words != *libcrypto* ]] || bad "gpuaas $p: status $status: $words"
  done
  all_good
}

@test "a limit on the size of files is an error" {
  for p in "${PROGRAMS[@]}" "gpuaas help"; do
    [[ $p == *" "* ]] || p+=" --help"
    $p > "$T/help"
    for limit in 0 1; do
      says "ulimit -f $limit; $p > '$T/cut'"
      [[ $status -eq 10 && $words == "${p%% *}: cannot write to standard output: File too large" ]] ||
        (($(stat -c %s "$T/help") <= limit * 1024)) || bad "$p, ulimit -f $limit: status $status: $words"
      cmp -s "$T/cut" <(head -c "$((limit * 1024))" "$T/help") || bad "$p, ulimit -f $limit: not the beginning"
    done
  done
  all_good
}

@test "stdout that is full is an error" {
  for p in "${PROGRAMS[@]}"; do
    status=0
    "$p" --help > /dev/full 2> "$T/err" || status=$?
    [[ $status -eq 10 ]] || bad "$p --help > /dev/full: status $status: $(head -c 200 "$T/err")"
  done
  all_good
}

@test "stdout that is full hides no other error" {
  printf '%s\n' '{"kind":"gpuaas.team/1","name":"one"}' nonsense > "$T/records"
  gpuaas-state init --lab > /dev/null
  for form in --table --json; do
    status=0
    gpuaas-state apply $form "$T/records" > /dev/full 2> "$T/err" || status=$?
    case $form$status in
    --table3)
      grep -q "line 2" "$T/err"
      # A full output is reported too, after it.
      [[ $(grep -c "cannot write to standard output" "$T/err") -eq 1 ]]
      [[ $(head -n 1 "$T/err") == *"line 2"* ]]
      ;;
    --json10) # it ended at the first record
      [[ $(grep -c "cannot write to standard output" "$T/err") -eq 1 ]]
      ;;
    *) bad "$form: status $status: $(cat "$T/err")" ;;
    esac
  done
  all_good
}

@test "the man page of a program has every option, command, and the sections" {
  for p in "${PROGRAMS[@]}"; do
    # The front has its page in section 7, with the pipeline.
    [[ $p != gpuaas ]] || continue
    section=1
    [[ ! -f $SRC/man/$p.8 ]] || section=8
    page "$p" "$section" > "$T/page" || { bad "$p: no man page"; continue; }
    introspect "$p" > "$T/i.json"
    # The options that every program has stand in gpuaas(7).
    jq -r '.command | (.options[].names[], .commands[].options[].names[],
      .commands[].name) | select(IN("--json", "--table", "-o", "--format", "--columns", "--sort", "--no-pager", "-h", "--help", "--version",
        "--introspect-cli") | not)' "$T/i.json" | sort -u > "$T/names"
    awk 'FILENAME == ARGV[1] { names[$0]; next } { text = text "\n" $0 }
      END { for (name in names) if (!index(text, name)) print name }' "$T/names" "$T/page" |
      sed "s/^/$p: its man page lacks /" >> "$T/bad"
    for head in NAME SYNOPSIS DESCRIPTION 'EXIT STATUS' EXAMPLES 'SEE ALSO'; do
      echo "$head"
    done > "$T/names"
    grep -vxFf "$T/page" "$T/names" | sed "s/^/$p: its man page lacks /" >> "$T/bad" || :
    # And nothing that the program does not have.
    sed -n 's/^\.It Fl Fl \([a-z-]*\).*/--\1/p' "$SRC/man/$p.$section" > "$T/names"
    jq -r '[.. | .names? // empty | .[]] | .[]' "$T/i.json" > "$T/has"
    lacking "$T/names" "$T/has" |
      sed "s/.*/$p: its man page shows &, the program has no such option/" >> "$T/bad"
  done
  for name in --json --table --format --columns --sort --no-pager --help --version --introspect-cli; do
    page gpuaas 7 > "$T/page"
    grep -qF -- "$name" "$T/page" || bad "gpuaas(7) lacks $name"
  done
  all_good
}

@test "every kind has a schema and a section in gpuaas-records(5)" {
  run_ok "$SRC/tests/validate" --schemas "$SRC/share/schema"
  page gpuaas-records 5 > "$T/page"
  jq -r 'select(.properties.kind) | "\(input_filename)\t\(.properties.kind.const)"' "$SRC"/share/schema/*.json > "$T/kinds"
  while IFS=$'\t' read -r schema kind; do
    [[ $kind == "gpuaas.$(basename "$schema" .json)/"* ]] || bad "$schema is of $kind"
    grep -qF "$kind" "$T/page" || bad "gpuaas-records(5) lacks $kind"
  done < "$T/kinds"
  [[ -s $T/kinds ]]
  # The members of every record stand there by name.
  jq -r 'select(.properties.kind) | .properties | keys[]' "$SRC"/share/schema/*.json | sort -u > "$T/members"
  grep -oE '[a-zA-Z][a-zA-Z0-9_]*' "$T/page" | sort -u > "$T/words"
  comm -23 "$T/members" "$T/words" | sed 's/^/gpuaas-records(5) lacks the member /' >> "$T/bad"
  # Each record that programs say they read or write is a kind.
  for p in "${PROGRAMS[@]}"; do
    introspect "$p" | jq -r --arg p "$p" \
      '.command["x-gpuaas.consumes", "x-gpuaas.produces"][] | "\($p)\t\(.)"'
  done > "$T/named"
  while IFS=$'\t' read -r p kind; do
    name=${kind#gpuaas.}
    [[ -f $SRC/share/schema/${name%/*}.json ]] || bad "$p: no schema of $kind"
  done < "$T/named"
  [[ -s $T/named ]]
  all_good
}

@test "the exit statuses stand in gpuaas(7) as they are in err.h" {
  page gpuaas 7 > "$T/page"
  for status in 0 1 2 3 4 5 6 7 8 9 10; do
    sed -n '/^EXIT STATUS/,/^[A-Z]/p' "$T/page" | grep -qE "^ +$status( |\$)" ||
      bad "gpuaas(7), EXIT STATUS lacks $status"
  done
  all_good
}

# Real output of programs, against the schemas: valid NAME…, the kinds that must be there.
valid()
{
  local kind
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output" > "$T/valid" 2>&1 ||
    { cat "$T/valid"; return 1; }
  for kind; do
    grep -qE "gpuaas\.$kind/[0-9]" "$T/valid" || { echo "no $kind: $(tail -n 1 "$T/valid")"; return 1; }
  done
}

@test "what the recorded hosts show matches the schemas" {
  for host in lab1 h200 mi300x mixed domains; do
    HOST=$T/$host WORK=$T/w-$host
    setup_host "$host"
    run --separate-stderr in_host gpuaas-discover
    valid host candidate end
  done
}

@test "a changed record does not match its schema" {
  setup_host lab1
  run_ok in_host gpuaas-discover
  valid host
  good=$output
  for change in '.stranger = 1' 'del(.node)' '.boot_id = 7' '.kind = "gpuaas.host/2"' '{node} + .'; do
    output=$(jq_in_order -c "select(.kind == \"gpuaas.host/1\") | $change" <<< "$good")
    [[ -n $output ]]
    run ! valid host
  done
}

@test "what the first stages of the pipeline write matches the schemas" {
  setup_host lab1
  gpuaas-state init --lab
  run_ok in_host gpuaas-discover --node h1
  printf '%s\n' "$output" > "$T/seen"
  run --separate-stderr gpuaas-approve --all-ready --by test < "$T/seen"
  valid slot
  run_ok gpuaas-list slot
  valid slot
  run_ok gpuaas-list node
  valid node
}

@test "every setting a program reads is in gpuaas(7)" {
  local key missing=""
  for key in $(grep -oh 'ga_cli_setting("[A-Z_]*"' -r "$SRC/bin" "$SRC/lib" | cut -d'"' -f2 | sort -u); do
    grep -q "Ev $key" "$SRC/man/gpuaas.7" || missing+=" $key"
  done
  assert_equal "$missing" ""
}

@test "every reason code of the predicate is in gpuaas-codes(7)" {
  local code missing=""
  for code in $(grep -o '"[a-z_]\+"' "$SRC/lib/decide/slot/verdict.c" | tr -d '"' |
    grep _ | grep -vx 'per_slot_vf\|tenant_slice\|unknown_content' | sort -u); do
    sed -n '/^.Sh BLOCKERS/,/^.Sh DRAINS/p' "$SRC/man/gpuaas-codes.7" |
      grep -q "^.It Sy $code\$" || missing+=" $code"
  done
  assert_equal "$missing" ""
}

@test "the refusal of a mistyped option or command names what is near to it" {
  local slip word count=0
  for p in "${PROGRAMS[@]}"; do
    introspect "$p" > "$T/i.json"
    # The command, and an option of it with a letter too many; "-" stands for no command.
    jq -r '(.command | ["-", .options[].names[]]), (.command.commands[]? | [.name, .options[].names[]])
      | .[0] as $c | .[1:][] | select(length > 6) | "\($c) \(.)"' "$T/i.json" > "$T/options"
    while read -r command word; do
      [[ $command != - ]] || command=
      slip=${word:0:4}x${word:4}
      # shellcheck disable=SC2086 # a command or nothing
      "$p" $command "$slip=1" > "$T/out" 2> "$T/err" < /dev/null || :
      grep -qF "near to it: '--" "$T/err" || bad "$p $command $slip: $(cat "$T/err")"
      count=$((count + 1))
    done < "$T/options"
    while read -r word; do
      "$p" "${word}x" > "$T/out" 2> "$T/err" < /dev/null || :
      grep -qF "near to it: '" "$T/err" || bad "$p ${word}x: $(cat "$T/err")"
    done < <(jq -r '.command.commands[]?.name' "$T/i.json")
  done
  [[ $count -gt 100 ]]
  run_status 2 gpuaas-profile create x --counts 1,2
  assert_stderr "unknown option '--counts'"
  assert_stderr "near to it: '--count'; see 'gpuaas-profile create --help'"
  run_status 2 gpuaas-place --frobnicate=--profile
  assert_stderr "hint: see 'gpuaas-place --help'"
  all_good
}

@test "every command line that pages, units and messages show is one" {
  run_ok "$SRC/tests/commands" "$GPUAAS_BUILD"
  # It would see one that is not.
  mkdir -p "$T/tree/tests" "$T/tree/man"
  cp "$SRC/tests/commands" "$T/tree/tests"
  printf '%s\n' '.Dl # sudo -u gpuaas gpuaas-place --gpu 2 | gpuaas-provision' \
    '.Ql gpuaas-wipe --class none ;' '.Dl gpuaas-wipe --pending' \
    '.Dl $ ssh h7 gpuaas-nothing' > "$T/tree/man/x.1"
  run_status 1 "$T/tree/tests/commands" "$GPUAAS_BUILD"
  assert_output "unknown option '--gpu'"
  assert_output "not 'none'"
  assert_output "no program gpuaas-nothing"
  assert_equal "${lines[-1]}" "5 command lines, 3 wrong"
}
