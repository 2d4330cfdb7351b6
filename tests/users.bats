# SPDX-License-Identifier: Apache-2.0
# Users: what works without root, and a state that a user of its own owns while root works beside it.

load helper
load lab

# Numbers that no account has: nobody's own, and a system user's as sysusers.d makes one.
ANYBODY=65534 OWNER=871

setup()
{
  common_setup
  ((EUID == 0)) || skip "root is needed to become somebody else"
  # The checkout may lie where others may not look.
  mkdir "$T/bin" "$T/objects"
  cp "$GPUAAS_BUILD"/bin/gpuaas-{state,list,place,approve,release,discover} "$SRC/tests/hosts/enter" \
    "$T/bin"
  cp "$SRC"/share/objects/*.json "$T/objects"
  PATH=$T/bin:$PATH
  chmod -R a+rX "$T/bin" "$T/objects"
  chmod 711 "$T"
  chmod 1777 "$T/tmp" "$T/asan"
}

# as UID CMD…: without groups, without capabilities
as()
{
  setpriv --reuid="$1" --regid="$1" --clear-groups --inh-caps=-all --bounding-set=-all "${@:2}"
}

# The state of $OWNER in a folder of its own, and root's folder beside it.
make_owned()
{
  install -d -m 700 -o "$OWNER" -g "$OWNER" "$T/state"
  export GPUAAS_STATE=$T/state/state.db
  as "$OWNER" gpuaas-state init --lab > "$T/made"
}

# Everything in the folder is the owner's, and nobody else may look at it.
is_owners()
{
  assert_equal "$(stat -c '%u %a' "$T/state")" "$OWNER 700"
  run_ok find "$T/state" -mindepth 1 \( ! -uid "$OWNER" -o ! -gid "$OWNER" -o -perm /077 \) -printf '%p %u %m\n'
  assert_equal "$output" ""
}

owner()
{
  as "$OWNER" "$@"
}

@test "discover works for anybody, on this machine and on a recorded host" {
  run_ok as "$ANYBODY" gpuaas-discover --json
  jq_is 'select(.kind=="gpuaas.end/1").kind' gpuaas.end/1
  jq_is 'select(.kind=="gpuaas.host/1").prerequisites|length' 17
  setup_host h200
  run_ok in_host gpuaas-discover
  root=$output
  install -d -o "$ANYBODY" -g "$ANYBODY" "$T/own"
  # As in_host does: a sanitizer's log file and umockdev do not go together.
  run_ok env ASAN_OPTIONS="${ASAN_OPTIONS/log_path=*([^:]):/}" \
    UBSAN_OPTIONS="${UBSAN_OPTIONS/log_path=*([^:]):/}" \
    setpriv --reuid="$ANYBODY" --regid="$ANYBODY" --clear-groups --bounding-set=-all \
    "$T/bin/enter" "$HOST" "$T/own" -- gpuaas-discover
  # The same hardware, and nothing guessed: what differs is unknown without root.
  for filter in 'select(.kind=="gpuaas.host/1").fingerprint' \
    'select(.kind=="gpuaas.candidate/1")|[.slot_index,.gpu.pci_address,.nvme.wwid,.fabric.vf_pci_address]'; do
    assert_equal "$(jq_in_order -c "$filter" <<< "$output")" "$(jq_in_order -c "$filter" <<< "$root")"
  done
  [[ $(jq_in_order -c 'select(.kind=="gpuaas.candidate/1").gpu.pci_address' <<< "$output") == *0000:18:00.0* ]]
  jq -s -e 'map(select(.kind=="gpuaas.host/1").warnings[].code)|index("mounts_unknown")' <<< "$output"
}

@test "the state of a user of its own: made, used and checked without root" {
  make_owned
  is_owners
  run_ok owner gpuaas-state apply "$T/objects/lab.json"
  run_ok owner gpuaas-list profiles
  jq_is .name lab
  run_status 1 owner gpuaas-place --profile lab --project vision
  jq_is .kind gpuaas.refusal/1
  run_ok owner gpuaas-state check
  is_owners
  # Others are refused, and get nothing.
  run_status 6 as "$ANYBODY" gpuaas-list profiles
  assert_stderr "denied"
  run_status 6 as "$ANYBODY" gpuaas-place --profile lab --project vision
  assert_stderr "denied"
}

@test "root works on the owner's state and locks nobody out" {
  make_owned
  # Root is first at every file that lies beside the state.
  run_ok gpuaas-state apply "$T/objects/lab.json"
  is_owners
  rm "$T"/state/state.db.{gate,lock}
  run_ok gpuaas-list profiles
  run_ok gpuaas-state check
  is_owners
  run_ok owner gpuaas-state apply "$T/objects/lab-baremetal.json"
  # Also what place keeps beside it, though it finds no capacity.
  echo '#cloud-config' > "$T/user-data"
  run_status 1 gpuaas-place --profile lab --project vision --user-data "$T/user-data"
  [[ -d $T/state/user-data && -z $(ls "$T/state/user-data") ]] # and what was refused goes again
  is_owners
  # And while somebody has it open: WAL and shared memory are there.
  mkfifo "$T/in"
  background bash -c 'gpuaas-state apply - < "$1" > "$2"' - "$T/in" "$T/applied"
  exec 7> "$T/in"
  jq_in_order -c . "$T/objects/lab.json" >&7
  wait_for 20 test -s "$T/applied"
  [[ -e $T/state/state.db-wal ]]
  is_owners
  run_ok owner gpuaas-state apply "$T/objects/lab.json"
  exec 7>&-
  is_owners
}

@test "root makes a state in the owner's folder: it is the owner's" {
  install -d -m 700 -o "$OWNER" -g "$OWNER" "$T/state"
  export GPUAAS_STATE=$T/state/state.db
  run_ok gpuaas-state init --lab
  is_owners
  run_ok owner gpuaas-state apply "$T/objects/lab.json"
  # In a folder of root's it is root's.
  GPUAAS_STATE=$T/roots.db run_ok gpuaas-state init --lab
  assert_equal "$(stat -c '%u %a' "$T/roots.db")" "0 600"
}

@test "a link that somebody put beside the state gives root's files to nobody" {
  make_owned
  echo secret > "$T/roots"
  rm -f "$T/state/state.db.lock"
  ln "$T/roots" "$T/state/state.db.lock"
  run gpuaas-state apply "$T/objects/lab.json"
  assert_equal "$(stat -c '%u' "$T/roots")" 0
  rm "$T/state/state.db.lock"
  ln -s "$T/roots" "$T/state/state.db.lock"
  run_status 10 gpuaas-state apply "$T/objects/lab.json"
  assert_equal "$(stat -c '%u' "$T/roots")" 0
}

@test "the whole life: operators own the state, root acts on the host" {
  start_libvirtd
  setup_host lab1
  mkdir -p "$T/images" "$T/dhcp" "$GPUAAS_HOST_DIR"
  chmod 711 "$GPUAAS_HOST_DIR"
  export GPUAAS_DHCP_HOSTS=$T/dhcp GPUAAS_LEASES=$T/leases GPUAAS_NODE=h1
  make_owned
  run_ok owner gpuaas-state apply "$T/objects/lab.json"
  here gpuaas-discover > "$T/discovery"
  # The owner approves and places; root wipes, provisions and folds as it goes.
  run_ok owner gpuaas-approve --all-ready --by alice < "$T/discovery"
  here gpuaas-wipe <<< "$output" > "$T/wiped"
  is_owners
  truncate -s 8M "$T/images/lab.raw"
  here gpuaas-image add "$T/images/lab.raw" --name lab --probe running --firmware bios > "$T/image"
  run_ok owner gpuaas-state apply - < "$T/image"
  printf '#cloud-config\nruncmd: [echo hunter2]\n' > "$T/user-data"
  owner gpuaas-place --profile lab --gpus 2 --project vision --name job --user-data "$T/user-data" \
    > "$T/plan"
  is_owners
  here gpuaas-provision "$T/plan" > "$T/running"
  is_owners
  slots_are active active
  # User-data that place kept beside the state has come to the host, and goes with the tenant.
  run_ok grep -rlaq hunter2 "$GPUAAS_HOST_DIR"/vm/*/seed.iso
  run_ok find "$GPUAAS_HOST_DIR/user-data" -type f -printf '%m %u\n'
  assert_equal "$output" "600 root"
  # The host belongs to root: the owner's release commits the intent and hands the order on.
  run_ok owner env SUDO_UID=0 gpuaas-release job --reason 'done'
  jq_is .kind gpuaas.release-order/1
  slots_are releasing releasing
  here gpuaas-release - <<< "$output" > "$T/released"
  refute_grep -rq hunter2 "$GPUAAS_HOST_DIR"
  here gpuaas-wipe < "$T/released" > "$T/wiped"
  slots_are available available
  run_ok here gpuaas-reconcile
  jq_is '[.agreed,.drifts]|join(" ")' "true 0"
  is_owners
  run_ok owner gpuaas-place --profile lab --project vision
  run_ok owner gpuaas-state check
  run_ok owner gpuaas-state audit verify
  # The person of the row: the owner is a system user whom people become by sudo.
  run_ok owner gpuaas-list audit --json
  for actor in 'root(0) via sudo' 'root(0)' "uid($OWNER)"; do
    jq -s -e --arg actor "$actor" 'any(.actor | . == $actor or startswith($actor + ", login"))' \
      <<< "$output"
  done
}

@test "SUDO_UID of an ordinary user is not believed: anybody can set it" {
  install -d -m 700 -o "$ANYBODY" -g "$ANYBODY" "$T/state"
  export GPUAAS_STATE=$T/state/state.db
  run_ok as "$ANYBODY" env SUDO_UID=0 gpuaas-state init --lab
  run_ok as "$ANYBODY" gpuaas-list audit --json
  jq_is '.actor | test("sudo|root")' false
}

@test "the published view is for anybody, whoever owns the state" {
  make_owned
  run_ok owner gpuaas-state apply "$T/objects/lab.json"
  mkdir -m 755 "$T/run"
  run_ok gpuaas-profile list --public --output "$T/run/public.json"
  is_owners
  run_ok as "$ANYBODY" cat "$T/run/public.json"
  jq_is '.profiles[].kind' gpuaas.hardware-profile/1
  # No key of it can name infrastructure.
  jq -r '.profiles[] | keys[]' <<< "$output" > "$T/keys"
  grep -qx name "$T/keys"
  refute_grep -iE 'node|slot|host|address|project|pool|team' "$T/keys"
}
