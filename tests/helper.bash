# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Every bats file loads this: `load helper`.
#
# Each test gets a short temporary folder $T in memory, with the programs of $GPUAAS_BUILD (default
# build) first in PATH, GPUAAS_STATE and GPUAAS_HOST_DIR below $T, and $SRC the source tree. At its
# end, also on failure: processes of `background` and the private libvirtd are ended, $T is removed,
# and a sanitizer report fails the test. A file with its own setup or teardown calls common_setup
# and common_teardown in them.
#
#   setup_host NAME [KEY=VALUE…]  make the recorded host at $HOST (again: disks in $WORK stay)
#   wiped_fleet                   the nodes of $T/fleet.rec in the state: slots wiped, with the image "lab"
#   in_host CMD…                  run CMD in it; HOST=… WORK=… in_host CMD… for another one
#   "$SRC/tests/own-conf" "GPUAAS_PATH=$T/bin:$FIXED_PATH" CMD…
#                                 run CMD where the fakes of $T/bin are found; PATH counts for nothing
#   start_libvirtd, stop_libvirtd the test driver on a private socket; sets LIBVIRTD_URI and
#                                 GPUAAS_LIBVIRT_URI
#   background CMD…               start CMD and remember it; its pid is in $BG_PID
#   wait_for SECONDS CMD…         wait until CMD succeeds; fails at the deadline
#   has_ended PID                 for wait_for
#   stopped_at TEXT CMD…          start CMD in the background; it stops right after a line of its output
#                                 with TEXT. goes_on lets it go on to its end, as run --separate-stderr
#   run_ok CMD…                   run CMD, which must end with 0
#   run_status N CMD…             run CMD, which must end with N
#   assert_status N               the last run ended with N
#   sign KEYFILE < RECORDS        each record with its signature, made with openssl
#   by_node < RECORDS             each record signed with a key made from the name of its node
#   sql FILE…, state_sql, host_sql, without_triggers
#                                 look into a database and change it by hand (sql.bash)
#   know_keys                     the state has those keys of the nodes that it has
#   public_key KEYFILE            as it stands in signatures and in discoveries
#   jq_is FILTER TEXT             jq -r FILTER over $output (every record) gives exactly TEXT
#   jq_slurp_is FILTER TEXT       the same over the list of all records
#   assert_output TEXT, refute_output TEXT, assert_stderr TEXT, refute_stderr TEXT
#                                 TEXT does (not) stand somewhere in $output or $stderr
#   assert_equal ACTUAL EXPECTED
#   refute_grep ARG…              grep finds nothing; a file that is not there is a failure, not that
#
# run, run_ok and run_status keep stdout in $output and $lines. run_ok and run_status keep stderr
# apart in $stderr. A bare `! cmd` never fails a test: write `run ! cmd`.

if ! declare -F bats_require_minimum_version > /dev/null; then
  echo "bats is too old: 1.7 or newer is needed (Debian 12 has 1.8)" >&2
  exit 1
fi
bats_require_minimum_version 1.7.0

SRC=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
GPUAAS_BUILD=$(cd "$SRC" && realpath -m "${GPUAAS_BUILD:-build}")
export SRC GPUAAS_BUILD
# shellcheck source=tests/libvirtd.bash
source "$SRC/tests/libvirtd.bash"
# shellcheck source=tests/sql.bash
source "$SRC/tests/sql.bash"

# jq 1.6 needs 30 ms to begin with, a third of what all the tests took; gojq needs 3, and has the
# members of an object in the order of their names. Where theirs matters, jq_in_order keeps it.
jq()
{
  gojq "$@"
}
jq_in_order()
{
  command jq "$@"
}
export -f jq jq_in_order

common_setup()
{
  T=$(mktemp -d /dev/shm/ga.XXXXXX)
  HOST=$T/host WORK=$T/work BG=()
  mkdir "$T/tmp" "$T/asan"
  export T HOST WORK
  export GPUAAS_STATE=$T/state.db GPUAAS_HOST_DIR=$T/hostdir GPUAAS_IMAGES=$T/kept
  # Where programs are looked for; own-conf puts a folder before them.
  export FIXED_PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
  export TMPDIR=$T/tmp HOME=$T PATH=$GPUAAS_BUILD/bin:$FIXED_PATH LC_ALL=C.UTF-8 TZ=UTC
  export ENTER_TREES=$BATS_FILE_TMPDIR/trees
  unset GPUAAS_ERRORS GPUAAS_LOG
  # The caller's terminal is nothing to a test: on one that can more than dumb a pager waits for keys.
  unset COLUMNS LINES PAGER GPUAAS_PAGER LESS LESSSECURE NO_COLOR
  export TERM=dumb
  # Reports go to files: a program that is expected to fail must not hide one.
  shopt -s extglob
  export ASAN_OPTIONS=log_path=$T/asan/a:exitcode=99:detect_stack_use_after_return=1
  export UBSAN_OPTIONS=log_path=$T/asan/u:print_stacktrace=1
  export LSAN_OPTIONS=suppressions=$SRC/tests/lsan.supp:print_suppressions=0
}

common_teardown()
{
  local pid reports=0
  for pid in "${BG[@]}"; do
    kill "$pid" 2> /dev/null || :
  done
  for pid in "${BG[@]}"; do
    wait_for 10 has_ended "$pid" || kill -9 "$pid" 2> /dev/null || :
    wait "$pid" 2> /dev/null || :
  done
  stop_libvirtd
  if [[ -n $(find "$T/asan" -type f -print -quit) ]]; then
    cat "$T"/asan/*
    reports=1
  fi
  if [[ -n ${GA_KEEP-} ]]; then
    echo "# kept: $T" >&3
  else
    chmod -R u+rwX -- "${T:?}" 2> /dev/null || :
    rm -rf -- "${T:?}"
  fi
  return "$reports"
}

setup()
{
  common_setup
}

teardown()
{
  common_teardown
}

# generate_host FOLDER NAME [KEY=VALUE…]: the same arguments give the same bytes, and Python takes ten
# times as long as a copy: each host is made once for a file of tests.
generate_host()
{
  local folder=$1 made
  shift
  made=$BATS_FILE_TMPDIR/hosts/$(printf '%s\n' "$@" | cksum | tr ' ' -)
  if [[ ! -d $made ]]; then
    mkdir -p "$BATS_FILE_TMPDIR/hosts"
    "$SRC/tests/hosts/generate" "$1" "$made.new" "${@:2}" && mv -- "$made.new" "$made" || return
  fi
  cp -aT -- "$made" "$folder"
}

# sign KEYFILE < RECORDS: prints each record with its signature, as any program can make it.
sign()
{
  local line value
  while IFS= read -r line; do
    line=$(jq_in_order -c 'del(.signature)' <<< "$line")
    printf 'gpuaas.signature/1\n%s' "$line" > "$T/tmp/text"
    openssl pkeyutl -sign -rawin -inkey "$1" -in "$T/tmp/text" -out "$T/tmp/value"
    value=$(base64 -w 0 "$T/tmp/value")
    # shellcheck disable=SC2016 # variables of jq
    jq_in_order -c --arg v "$value" --arg k "$(public_key "$1")" \
      '. + {signature: {key: $k, value: $v}}' <<< "$line"
  done
}

# A simulated node signs with a key made from its name: by_node < RECORDS
by_node()
{
  "$SRC/tests/signed"
}

# inventory_by NODE [AT [HOST]] < WORKS: prints an inventory of NODE, signed with the key made from its
# name; a work needs object, program, order and result alone; HOST is a host record.
inventory_by()
{
  # shellcheck disable=SC2016 # variables of jq
  jq_in_order -c --arg n "$1" '{kind: "gpuaas.inventory-work/1", node: $n, object,
    object_kind: (.object_kind // "allocation"), program, attempt: (.attempt // "at000000"),
    state: (.state // "done"), started_at: "2026-11-20T00:00:00.000000Z", order, result, power: null,
    unwiped_by: null}' > "$T/tmp/works"
  cat "$T/tmp/works"
  # shellcheck disable=SC2016 # variables of jq
  jq_in_order -cn --arg n "$1" --arg at "${2:-$(date -u +%Y-%m-%dT%H:%M:%S.%6NZ)}" \
    --argjson count "$(wc -l < "$T/tmp/works")" --arg d "sha256:$(sha256sum < "$T/tmp/works" | cut -c 1-64)" \
    --argjson host "${3:-null}" '{kind: "gpuaas.inventory/1", node: $n, at: $at, count: $count, domains_known: true,
      $host, candidates: [], digest: $d}' | by_node
}

# The state has the key of each node that by_node signs with, and no other of it.
know_keys()
{
  gpuaas-list nodes --json | jq_in_order -c '{kind: "gpuaas.host/1", node}' | "$SRC/tests/signed" |
    jq -r '"UPDATE node_key SET revoked_at = registered_at, reason = \"test\"
        WHERE node_id = \"\(.node)\" AND revoked_at IS NULL;
      INSERT INTO node_key (node_id, key, registered_at)
        VALUES (\"\(.node)\", \"\(.node_key)\", \"2026-11-20T00:00:00.000000Z\");"' |
    tr '"' "'" | sql "$GPUAAS_STATE"
}

public_key()
{
  openssl pkey -in "$1" -pubout -outform DER | tail -c 32 | base64 -w 0
}

setup_host()
{
  rm -rf -- "${HOST:?}"
  generate_host "$HOST" "$@"
}

# The sanitizers make the folder of their log_path before umockdev's preload is ready, and crash:
# inside a recorded host they report on stderr and by their exit status instead.
wiped_fleet()
{
  gpuaas-approve --all-ready < "$T/fleet.rec" > "$T/slots"
  "$SRC/tests/evidence" < "$T/slots" > "$T/evidence"
  gpuaas-state fold "$T/evidence" > "$T/folded"
  jq_in_order -c 'select(.kind == "gpuaas.host/1") | {kind: "gpuaas.node-image/1", node, image: "lab",
    digest: ("sha256:" + "a" * 64), path: "/images/lab.raw",
    verified_at: "2026-11-20T00:00:00.000000Z"}' "$T/fleet.rec" > "$T/images"
  gpuaas-state apply "$T/images" > "$T/applied"
}

in_host()
{
  ASAN_OPTIONS=${ASAN_OPTIONS/log_path=*([^:]):/} UBSAN_OPTIONS=${UBSAN_OPTIONS/log_path=*([^:]):/} \
    "$SRC/tests/hosts/enter" "$HOST" "$WORK" -- "$@" 3>&-
}

start_libvirtd()
{
  libvirtd_start "$T/lv"
  export LIBVIRTD_URI GPUAAS_LIBVIRT_URI=$LIBVIRTD_URI
}

stop_libvirtd()
{
  [[ ! -d $T/lv ]] || libvirtd_stop "$T/lv"
}

background()
{
  "$@" 3>&- &
  BG_PID=$!
  BG+=("$BG_PID")
}

# Gone or a zombie: only then are its files, locks and namespaces given back (its memory and so its exe go first).
has_ended()
{
  local stat
  { read -r stat < "/proc/$1/stat"; } 2> /dev/null || return 0
  [[ ${stat##*) } == [ZX]* ]]
}

wait_for()
{
  local end=$((SECONDS + $1))
  until "${@:2}"; do
    if ((SECONDS >= end)); then
      echo "not within $1 s: ${*:2}"
      return 1
    fi
    sleep 0.05 # between two looks at a condition
  done
}

is_stopped()
{
  local stat
  read -r stat < "/proc/$1/stat"
  [[ ${stat##*) } == T* ]]
}

stopped_at()
{
  gcc -shared -fPIC -o "$T/kill_at.so" "$SRC/tests/kill_at.c" -ldl
  background env LD_PRELOAD="$T/kill_at.so" KILL_AT="$1" KILL_SIGNAL=19 "${@:2}" > "$T/stopped.out" 2> "$T/stopped.err"
  wait_for 20 is_stopped "$BG_PID"
}

goes_on()
{
  kill -CONT "$BG_PID"
  wait_for 20 has_ended "$BG_PID"
  # shellcheck disable=SC2034 # for the test
  status=0
  wait "$BG_PID" || status=$?
  output=$(< "$T/stopped.out")
  stderr=$(< "$T/stopped.err")
}

show_run()
{
  # shellcheck disable=SC2154 # set by run
  printf 'status %s\n--- stdout\n%s\n--- stderr\n%s\n---\n' "$status" "$output" "${stderr-}"
}

run_status()
{
  local expected=$1
  run --separate-stderr "${@:2}"
  # shellcheck disable=SC2154 # set by run
  if [[ $status -ne $expected ]]; then
    echo "expected status $expected of: ${*:2}"
    show_run
    return 1
  fi
}

run_ok()
{
  run_status 0 "$@"
}

assert_status()
{
  if [[ $status -ne $1 ]]; then
    echo "expected status $1"
    show_run
    return 1
  fi
}

assert_equal()
{
  if [[ $1 != "$2" ]]; then
    printf 'expected: %s\nactual:   %s\n' "$2" "$1"
    return 1
  fi
}

refute_grep()
{
  local found=0
  grep "$@" || found=$?
  [[ $found -eq 1 ]] || { echo "grep $* ended with $found"; return 1; }
}

jq_compare()
{
  local expected=$1 actual
  shift
  # shellcheck disable=SC2154 # output is set by run
  if ! actual=$(jq "$@" <<< "$output" 2>&1); then
    echo "jq failed: $actual"
    show_run
    return 1
  fi
  assert_equal "$actual" "$expected" || { show_run; return 1; }
}

jq_is()
{
  jq_compare "$2" -r "$1"
}

jq_slurp_is()
{
  jq_compare "$2" -rs "$1"
}

assert_output()
{
  [[ $output == *"$1"* ]] || { echo "not on stdout: $1"; show_run; return 1; }
}

refute_output()
{
  [[ $output != *"$1"* ]] || { echo "on stdout: $1"; show_run; return 1; }
}

assert_stderr()
{
  [[ ${stderr-} == *"$1"* ]] || { echo "not on stderr: $1"; show_run; return 1; }
}

refute_stderr()
{
  [[ ${stderr-} != *"$1"* ]] || { echo "on stderr: $1"; show_run; return 1; }
}
