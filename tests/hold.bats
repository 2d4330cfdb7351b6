# SPDX-License-Identifier: Apache-2.0
# Release with a way back: hold, undo, the profile's default, what is over, and being asked on a
# terminal.

load helper
load lab

# make_vm [APPLY-FILTER]: an active allocation named demo; its id is in $ID
make_vm()
{
  make_lab
  [[ -z ${1-} ]] || jq_in_order -c "$1" "$SRC/share/objects/lab.json" | gpuaas-state apply - > /dev/null
  here bash -c 'gpuaas-place --profile lab --gpus 1 --name demo --project vision | gpuaas-provision' \
    > "$T/provisioned"
  ID=$(allocation)
  DOMAIN=gpuaas-$ID
  DISK=$WORK/disks/$(gpuaas-list slots --where state=active | jq -r '.nvme_path | sub(".*/"; "")')
}

domstate()
{
  virsh -q -c "$LIBVIRTD_URI" domstate "$DOMAIN"
}

# The member of the allocation.
of_it()
{
  gpuaas-list allocations | jq -r --arg id "$ID" "select(.allocation == \$id) | $1"
}

billed()
{
  gpuaas-list usage | jq -r '.usage_kind + (if .ended_at then "" else " open" end)'
}

is_over()
{
  gpuaas-list attention | grep -q '"hold_over"'
}

# typed TEXT COMMAND…: the command on a terminal on which TEXT is typed
typed()
{
  local text=$1
  shift
  printf '%s\n' "$text" | here script --quiet --return --command "$*" /dev/null
}

@test "a hold stops the VM and keeps its disk; undo starts it again" {
  make_vm
  sum=$(sha256sum < "$DISK")
  run_ok here gpuaas-release demo --hold 24h --reason 'away until Monday'
  jq_is '[.kind,.allocation,.power_wanted,.power_observed]|join(" ")' "gpuaas.power/1 $ID off off"
  assert_equal "$(domstate)" "shut off"
  assert_equal "$(of_it '[.state,.power_observed,.reason]|join("|")')" "held|off|away until Monday"
  until=$(date -ud "$(of_it .expires_at)" +%s)
  ((until - $(date +%s) > 86000 && until - $(date +%s) <= 86400))
  # Nothing of it is sold, and what is billed is the hold.
  slots_are active available
  assert_equal "$(billed)" $'provisioning\nactive\nhold open'
  assert_equal "$(sha256sum < "$DISK")" "$sum"
  run_ok gpuaas-list attention
  assert_equal "$output" ""
  # It is as it should be, and started by nobody, also after a reboot.
  run_ok here gpuaas-reconcile --repair --boot
  jq_is 'select(.kind == "gpuaas.observation/1") | [.agreed,.drifts]|join(" ")' "true 0"
  run_status 4 here gpuaas-vm start demo
  assert_stderr "gpuaas-release --undo $ID"
  assert_equal "$(domstate)" "shut off"
  run_ok here gpuaas-release demo --undo
  jq_is '[.kind,.power_wanted,.power_observed]|join(" ")' "gpuaas.power/1 on on"
  assert_equal "$(domstate)" running
  assert_equal "$(of_it '[.state,.power_wanted,.power_observed,.expires_at,.reason]|map(tostring)|join(" ")')" \
    "active on on null null"
  assert_equal "$(billed)" $'provisioning\nactive\nhold\nactive open'
  assert_equal "$(sha256sum < "$DISK")" "$sum"
  run_status 4 here gpuaas-release demo --undo
  assert_stderr "there is no hold to end"
  run_ok here bash -c 'gpuaas-release demo | gpuaas-wipe'
  allocation_is released
  slots_are available available
  run_ok gpuaas-state check
  run_ok gpuaas-state audit verify
}

# The identity of a file as a disk.
file_id()
{
  printf 'file:%x:%d' "$(stat -Lc %d "$1")" "$(stat -Lc %i "$1")"
}

@test "a disk that an allocation has is not wiped by hand, whatever libvirt says" {
  make_vm
  here gpuaas-release demo --hold 24h > "$T/held"
  sum=$(sha256sum < "$DISK")
  wwid=$(gpuaas-list slots --where state=active | jq -r .nvme_wwid)
  for libvirt in "$LIBVIRTD_URI" 'test+unix:///default?socket=/nonexistent'; do
    run --separate-stderr here env GPUAAS_LIBVIRT_URI="$libvirt" gpuaas-wipe --device "$wwid" --confirm "$wwid" \
      --class clear
    assert_equal "$status" 4
    run --separate-stderr here env GPUAAS_LIBVIRT_URI="$libvirt" gpuaas-wipe --device "$wwid" --class clear --dry-run
    assert_equal "$status" 4
  done
  virsh -q -c "$LIBVIRTD_URI" undefine "$DOMAIN"
  run_status 4 here gpuaas-wipe --device "$wwid" --confirm "$wwid" --class clear
  jq_is '.reason' "nvme_in_use: the journal of this host gives it to allocation $ID; 'gpuaas-release $ID' orders its wipe"
  assert_equal "$(sha256sum < "$DISK")" "$sum"
  # Nor what gpuaas itself goes by, which is a file as a disk of a lab is, whatever name it has.
  export GPUAAS_BACKUPS=$T/backups
  mkdir -p "$GPUAAS_BACKUPS" "$GPUAAS_HOST_DIR/deep/er" "$T/elsewhere"
  for own in "$GPUAAS_BACKUPS/b.db" "$GPUAAS_HOST_DIR/deep/er/x" "$GPUAAS_IMAGES/i.raw" "$T/elsewhere/linked"; do
    head -c 1M /dev/urandom > "$own"
  done
  ln "$GPUAAS_IMAGES/i.raw" "$T/elsewhere/hard"
  ln -s "$GPUAAS_BACKUPS/b.db" "$T/elsewhere/soft"
  ln -s "$T/elsewhere/linked" "$GPUAAS_IMAGES/link"
  for own in "$GPUAAS_HOST_DIR/host.db" "$GPUAAS_STATE" "$GPUAAS_BACKUPS/b.db" "$GPUAAS_HOST_DIR/deep/er/x" \
    "$GPUAAS_IMAGES/i.raw" "$T/elsewhere/hard" "$T/elsewhere/soft" "$T/elsewhere/linked"; do
    sum=$(sha256sum < "$own")
    run --separate-stderr here gpuaas-wipe --device "$own" --class clear --dry-run --lab
    assert_stderr "which gpuaas itself needs, and is no disk to wipe"
    run --separate-stderr here gpuaas-wipe --device "$own" --class clear --lab \
      --confirm "$(file_id "$own")"
    assert_equal "$status" 4
    assert_equal "$(sha256sum < "$own")" "$sum"
  done
}

@test "a folder of gpuaas's own that cannot be read stops a wipe by hand, and says why" {
  local own=$T/mine
  mkdir -p "$own/host/closed" "$own/images"
  truncate -s 1M "$own/disk"
  chmod 700 "$own/host/closed"
  chmod 711 "$T"
  chmod -R a+rX "$own/disk" "$own/images"
  run_status 6 setpriv --reuid=65534 --regid=65534 --clear-groups \
    env GPUAAS_HOST_DIR="$own/host" GPUAAS_IMAGES="$own/images" GPUAAS_STATE="$own/none.db" \
    GPUAAS_BACKUPS="$own/no" gpuaas-wipe --lab --device "$own/disk" --class clear --dry-run
  assert_stderr "cannot check whether the disk is a file in '$own/host': Permission denied"
}

@test "a hold that is over is released by --pending, and nothing else is" {
  make_vm
  run_ok here gpuaas-release demo --hold 1h
  run_ok here gpuaas-release --pending
  assert_equal "$output" ""
  allocation_is held
  # Asked again, it ends at another time; the VM is off already.
  run_ok here gpuaas-release demo --hold 1s
  jq_is .reason already_off
  assert_equal "$(billed)" $'provisioning\nactive\nhold open'
  wait_for 20 is_over
  run_ok here gpuaas-list attention
  jq_is '[.object,.code,.command]|join(" ")' \
    "$ID hold_over gpuaas-release --pending | gpuaas-wipe"
  run_ok here gpuaas-release --pending --dry-run
  jq_slurp_is '.[0] | [.kind,.dry_run]|join(" ")' "gpuaas.released/1 true"
  allocation_is held
  run_ok here bash -c 'gpuaas-release --pending | gpuaas-wipe'
  jq_slurp_is 'map(.kind)|join(" ")' "gpuaas.released/1 gpuaas.wipe-evidence/1"
  allocation_is released
  slots_are available available
  assert_equal "$(billed)" $'provisioning\nactive\nhold\ncleanup'
  run_status 4 here gpuaas-release "$ID" --hold 1h
  run_ok gpuaas-state check
}

@test "a dry run of the wipe after a dry run of the release expects the VM to be gone" {
  make_vm
  here gpuaas-release demo --hold 0 --dry-run > "$T/would"
  run_ok here gpuaas-wipe --dry-run "$T/would"
  jq_is 'select(.kind == "gpuaas.wipe-evidence/1").reason' \
    "dry_run: nothing was done; libvirt domain $DOMAIN uses it, and ends with the release"
  allocation_is active
  assert_equal "$(domstate)" running
  # Of another allocation it is a use as before, and so it is for an order that is none of a dry run.
  jq -c 'if .kind == "gpuaas.wipe-order/1" or .allocation then .allocation = "zzzzzzzz" else . end' \
    "$T/would" > "$T/other"
  run here gpuaas-wipe --dry-run "$T/other"
  assert_output "nvme_in_use: libvirt domain $DOMAIN uses it"
  jq -c 'if .kind == "gpuaas.wipe-order/1" then .dry_run = false else . end' "$T/would" > "$T/real"
  run here gpuaas-wipe --dry-run "$T/real"
  assert_output "nvme_in_use: libvirt domain $DOMAIN uses it"
}

@test "the profile's hold is the default, and 0 releases at once" {
  make_vm '.hold_seconds = 7200'
  assert_equal "$(gpuaas-list profiles | jq -s 'map(.hold_seconds) | max')" 7200
  run_ok here gpuaas-release demo --dry-run
  jq_is '[.kind,.dry_run]|join(" ")' "gpuaas.power/1 true"
  allocation_is active
  assert_equal "$(domstate)" running
  run_ok here gpuaas-release demo
  allocation_is held
  # Released again, it ends.
  run_ok here bash -c 'gpuaas-release demo | gpuaas-wipe'
  allocation_is released
  here bash -c 'gpuaas-place --profile lab --gpus 1 --name demo --project vision | gpuaas-provision' \
    > "$T/again"
  run_ok here bash -c 'gpuaas-release demo --hold 0 | gpuaas-wipe'
  jq_slurp_is 'map(.kind)|join(" ")' "gpuaas.released/1 gpuaas.wipe-evidence/1"
}

@test "a profile that cannot be read is no profile without a hold: nothing ends by it" {
  make_vm '.hold_seconds = 7200'
  state_sql "
    DROP TRIGGER allocation_snapshot; DROP TRIGGER allocation_fixed;
    UPDATE allocation SET profile_record = json_remove(profile_record, '\$.name'),
      generation = generation + 1 WHERE id = '$ID'"
  for hold in "" "--hold 1h"; do
    # shellcheck disable=SC2086 # option and value, or nothing
    run_status 3 here gpuaas-release demo $hold
    assert_stderr "profile 'lab', as allocation '$ID' was placed with it, cannot be read"
    assert_stderr "name"
    assert_stderr "'gpuaas-release $ID --hold 0' releases it at once"
    allocation_is active
  done
  assert_equal "$(domstate)" running
  run_ok here bash -c 'gpuaas-release demo --hold 0 | gpuaas-wipe'
  allocation_is released
}

@test "for ever is refused, and where an older version took it, it is long and not over at once" {
  make_vm
  for seconds in 300000000000 316224001 9007199254740991; do
    jq_in_order -c --argjson s $seconds '.hold_seconds = $s' "$SRC/share/objects/lab.json" > "$T/profile"
    run_status 3 gpuaas-state apply "$T/profile"
    assert_stderr "member 'hold_seconds' is $seconds, not within 0 .. 316224000"
  done
  run_status 2 gpuaas-place --profile lab --gpus 1 --run-time 99999999999d
  run_status 3 gpuaas-place <<< '{"kind":"gpuaas.request/1","profile":"lab","count":1,"project":"vision","run_seconds":9300000000000}'
  assert_stderr "member 'run_seconds' is 9300000000000, not within 0 .. 316224000"
  jq_in_order -c '.hold_seconds = 316224000' "$SRC/share/objects/lab.json" > "$T/profile"
  run_ok gpuaas-state apply "$T/profile"
  # As a version without the bound left them.
  state_sql "
    DROP TRIGGER allocation_snapshot; DROP TRIGGER allocation_fixed;
    UPDATE allocation SET profile_record = json_set(profile_record, '\$.hold_seconds', 300000000000),
      request = json_set(request, '\$.run_seconds', 9300000000000),
      generation = generation + 1 WHERE id = '$ID'"
  assert_equal "$(state_sql "SELECT json_extract(profile_record, '\$.hold_seconds'),
    json_extract(request, '\$.run_seconds') FROM allocation WHERE id = '$ID'")" "300000000000|9300000000000"
  state_sql "UPDATE node SET reserved_memory_mib = 9007199254740991, generation = generation + 1"
  run_ok gpuaas-list nodes
  jq_is .reserved_memory_mib 1073741824
  run_ok gpuaas-list attention
  refute_output run_time
  run_ok here gpuaas-release demo
  allocation_is held
  assert_equal "$(of_it .expires_at | cut -c 1-4)" "$(date -ud '3660 days' +%Y)"
  run_ok here gpuaas-release --pending
  assert_equal "$output" ""
  allocation_is held
}

@test "on another machine: the order travels, and what the host did is folded" {
  make_lab
  gpuaas-place --profile lab --name demo > "$T/plan"
  there gpuaas-provision "$T/plan" > "$T/provisioned"
  run_ok fold "$T/provisioned"
  ID=$(allocation) DOMAIN=gpuaas-$ID
  GPUAAS_NODE=elsewhere run_ok gpuaas-release demo --hold 24h
  jq_is '[.kind,.action,.node]|join(" ")' "gpuaas.hold-order/1 hold $(of_it .node)"
  printf '%s\n' "$output" > "$T/order"
  assert_equal "$(of_it '[.state,.power_wanted,.power_observed]|join(" ")')" "held off on"
  # Lost on the way, it can be had again.
  GPUAAS_NODE=elsewhere run_ok gpuaas-release demo --hold 24h
  jq_is .attempt "$(jq -r .attempt "$T/order")"
  # Here the host has no state.
  there gpuaas-release - < "$T/order" > "$T/held"
  assert_equal "$(domstate)" "shut off"
  run_ok fold "$T/held"
  run_ok fold "$T/held"
  assert_equal "$(of_it '[.state,.power_wanted,.power_observed]|join(" ")')" "held off off"
  # The state does not believe a start by hand there.
  there gpuaas-vm start "$ID" > "$T/by-hand"
  run_status 4 fold "$T/by-hand"
  assert_stderr "is held"
  there gpuaas-release - < "$T/order" > "$T/held"
  run_ok fold "$T/held"
  GPUAAS_NODE=elsewhere gpuaas-release demo --undo > "$T/undo"
  # For another attempt or another node it is no order.
  for change in '.attempt = "aaaaaaaa"' '.node = "n-somewhere"' '.dry_run = true'; do
    jq_in_order -c "$change" "$T/undo" > "$T/changed"
    run_status 4 there gpuaas-release - < "$T/changed"
    assert_equal "$(domstate)" "shut off"
  done
  GPUAAS_NODE=elsewhere run_ok gpuaas-release demo --undo
  jq_is .action undo
  there gpuaas-release - < "$T/undo" > "$T/started"
  assert_equal "$(domstate)" running
  run_ok fold "$T/started"
  assert_equal "$(of_it '[.state,.power_wanted,.power_observed]|join(" ")')" "active on on"
  run_ok gpuaas-state check
}

@test "the answer to a hold that was undone comes too late" {
  make_lab
  gpuaas-place --profile lab --name demo > "$T/plan"
  there gpuaas-provision "$T/plan" > "$T/provisioned"
  run_ok fold "$T/provisioned"
  ID=$(allocation) DOMAIN=gpuaas-$ID
  export GPUAAS_NODE=elsewhere
  gpuaas-release demo --hold 24h > "$T/order"
  unset GPUAAS_NODE
  there gpuaas-release - < "$T/order" > "$T/off"
  jq -e '.order_issued_at != null' "$T/off" > "$T/out"
  GPUAAS_NODE=elsewhere gpuaas-release demo --undo > "$T/undo"
  # The answer to the hold was on its way for long.
  run_status 4 fold "$T/off"
  assert_stderr "is active by a later order"
  assert_equal "$(of_it '[.state,.power_wanted]|join(" ")')" "active on"
  there gpuaas-release - < "$T/undo" > "$T/on"
  GPUAAS_NODE=elsewhere gpuaas-release demo --hold 24h > "$T/again"
  run_status 4 fold "$T/on"
  assert_equal "$(of_it '[.state,.power_wanted]|join(" ")')" "held off"
  there gpuaas-release - < "$T/again" > "$T/off"
  run_ok fold "$T/off"
  # Asked for longer while it is held: the order of before is answered as well.
  GPUAAS_NODE=elsewhere gpuaas-release demo --hold 48h > "$T/longer"
  there gpuaas-release - < "$T/again" > "$T/off"
  run_ok fold "$T/off"
  GPUAAS_NODE=elsewhere gpuaas-release demo --undo > "$T/undo"
  there gpuaas-release - < "$T/undo" > "$T/on"
  run_ok fold "$T/on"
  # A person at the host has no order, and is believed.
  there gpuaas-vm stop "$ID" > "$T/by-hand"
  jq -e '.order_issued_at == null' "$T/by-hand" > "$T/out"
  run_ok fold "$T/by-hand"
  assert_equal "$(of_it '[.state,.power_wanted]|join(" ")')" "active off"
}

@test "a hold that fails on its host is a failure, and attention shows it until it is done" {
  make_lab
  gpuaas-place --profile lab --name demo > "$T/plan"
  there gpuaas-provision "$T/plan" > "$T/provisioned"
  run_ok fold "$T/provisioned"
  ID=$(allocation) DOMAIN=gpuaas-$ID
  GPUAAS_NODE=elsewhere gpuaas-release demo --hold 24h > "$T/order"
  # Before anything of it is touched: this host knows of no such allocation.
  GPUAAS_STATE=$T/nowhere.db GPUAAS_HOST_DIR=$T/new run_status 5 in_host gpuaas-release - < "$T/order"
  jq_is '[.kind,.program,.object,.phase]|join(" ")' "gpuaas.failure/1 gpuaas-release $ID power_check"
  # While its VM gets the request to stop.
  GPUAAS_LIBVIRT_URI="test+unix:///default?socket=$T/nobody" run_status 9 \
    there gpuaas-release - < "$T/order"
  printf '%s\n' "$output" > "$T/failed"
  run_status 9 fold "$T/failed"
  run_status 9 fold "$T/failed"
  assert_equal "$(gpuaas-list audit --where action=hold_failed | wc -l)" 1
  run_ok gpuaas-list attention
  jq_is '[.object,.code,.state,.command]|join(" ")' "$ID hold_failed held gpuaas-on --nodes \
node=n-1ab100000000 gpuaas-vm stop $ID | gpuaas-state fold -"
  jq_is '.sentence|startswith("its VM could not be stopped: ")' true
  run_ok gpuaas-list tasks --where "object=$ID" --where state=failed
  jq_is .phase power_stop
  there gpuaas-release - < "$T/order" > "$T/off"
  run_ok fold "$T/off"
  run_ok gpuaas-list attention
  assert_equal "$output" ""
  GPUAAS_NODE=elsewhere gpuaas-release demo --undo > "$T/undo"
  GPUAAS_LIBVIRT_URI="test+unix:///default?socket=$T/nobody" run_status 9 \
    there gpuaas-release - < "$T/undo"
  printf '%s\n' "$output" > "$T/failed"
  run_status 9 fold "$T/failed"
  run_ok gpuaas-list attention
  jq_is '[.object,.code,.command]|join(" ")' "$ID undo_failed gpuaas-release --undo $ID | \
gpuaas-on gpuaas-release - | gpuaas-state fold -"
  there gpuaas-release - < "$T/undo" > "$T/on"
  run_ok fold "$T/on"
  run_ok gpuaas-list attention
  assert_equal "$output" ""
  run_ok gpuaas-state check
}

@test "what can be held, and how the order looks" {
  make_vm
  run_status 2 here gpuaas-release demo --hold 1h --undo
  run_status 2 here gpuaas-release --pending demo
  run_status 2 here gpuaas-release --hold 1h
  run_status 2 here gpuaas-release demo --hold soon
  gpuaas-place --profile lab --gpus 1 --name next --project vision > "$T/plan"
  run_status 4 here gpuaas-release next --hold 1h
  assert_stderr "only what is in use can be held"
  run_status 5 here gpuaas-release nobody --hold 1h
  # A plan that nobody took up is cancelled without a word.
  run_ok here gpuaas-release next
  jq_is .state cancelled
}

@test "on a terminal the name must be typed before data is lost" {
  command -v script > /dev/null || skip "script (bsdutils) is missing"
  make_vm
  run typed no gpuaas-release demo
  assert_status 1
  assert_output "type its name to go on"
  assert_output "nothing was done"
  allocation_is active
  # A hold can be undone, and a dry run does nothing: neither asks.
  run typed '' gpuaas-release demo --dry-run
  assert_status 0
  refute_output "type its name"
  run typed '' gpuaas-release demo --hold 1h
  assert_status 0
  refute_output "type its name"
  allocation_is held
  run typed demo gpuaas-release demo
  assert_status 0
  assert_output "type its name to go on"
  allocation_is released
  here bash -c 'gpuaas-wipe --pending' > "$T/wiped"
  here bash -c 'gpuaas-place --profile lab --gpus 1 --name demo --project vision | gpuaas-provision' \
    > "$T/again"
  run typed '' gpuaas-release demo --yes
  assert_status 0
  refute_output "type its name"
  assert_equal "$(gpuaas-list allocations --where state=active)" ""
}

@test "ended in the middle: the order stands, and the same command finishes it" {
  make_vm
  sum=$(sha256sum < "$DISK")
  GPUAAS_LIBVIRT_URI="test+unix:///default?socket=$T/nobody" run_status 9 \
    here gpuaas-release demo --hold 24h
  assert_equal "$(of_it '[.state,.power_wanted,.power_observed]|join(" ")')" "held off on"
  assert_equal "$(domstate)" running
  run_status 1 here gpuaas-reconcile
  jq_is 'select(.kind == "gpuaas.drift/1") | [.code,.command]|join(" ")' \
    "power_on gpuaas-vm stop $ID"
  # Either the command of the drift or the same words again.
  run_ok here gpuaas-vm stop demo
  assert_equal "$(of_it '[.state,.power_wanted,.power_observed]|join(" ")')" "held off off"
  run_ok here gpuaas-release demo --hold 24h
  jq_is .reason already_off
  GPUAAS_LIBVIRT_URI="test+unix:///default?socket=$T/nobody" run here gpuaas-release demo --undo
  [[ $status -ne 0 ]]
  assert_equal "$(of_it '[.state,.power_wanted,.power_observed]|join(" ")')" "active on off"
  run_ok here gpuaas-release demo --undo
  jq_is '[.power_observed,.reason]|join(" ")' "on started"
  assert_equal "$(domstate)" running
  assert_equal "$(sha256sum < "$DISK")" "$sum"
  assert_equal "$(billed)" $'provisioning\nactive\nhold\nactive open'
  run_ok gpuaas-state check
}
