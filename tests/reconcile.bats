# SPDX-License-Identifier: Apache-2.0
# Reconcile on the host side: expectations written by hand, a recorded host, libvirt's test driver.

load helper
load plan

setup()
{
  common_setup
  setup_host lab1
  make_image 12 5
  wipe_disks
}

# expectation [JQ]: what lab1 should look like with the plan's allocation active on slot 0
expectation()
{
  mkdir -p "$T/dhcp"
  jq -cn --arg t "$T" --arg at "${AT:-$(date -u +%FT%T.%6NZ)}" "$PARTS"'
    bundles(2) as $b | $at as $since | # since just now: nothing is stuck
    {kind:"gpuaas.expectation/1",node:"n-1ab100000000",at:$at,epoch:1,mode:"slice",
     state:"active",fingerprint:null,boot_id:"1ab10000-0000-4000-8000-000000000001",network:network,
     lab:true,
     slots:[{bundle:$b[0],state:"active",since:$since,allocation:"a110c000"},
            {bundle:$b[1],state:"available",since:$since,allocation:null}],
     allocations:[{allocation:"a110c000",name:"demo",state:"active",since:$since,generation:3,
       attempt:"attempt0",domain:"gpuaas-a110c000",shape:"slice",power:"on",
       fabric_partition:null,slots:["s0000000"],expires_at:null}]} | '"${1:-.}"
}

provisioned()
{
  start_libvirtd
  plan > "$T/plan"
  run_ok in_host gpuaas-provision "$T/plan"
}

# Nobody has anything: slot 0 is free again.
ENDED='.allocations=[] | .slots[0].allocation=null | .slots[0].state="wiping" |
       .slots[0].since=.at'

# reconcile STATUS EXPECTATION-FILTER [OPTION…]
reconcile()
{
  expectation "$2" > "$T/expectation"
  run_status "$1" in_host gpuaas-reconcile "${@:3}" "$T/expectation"
}

codes()
{
  jq -rs 'map(select(.kind=="gpuaas.drift/1" and .severity!="info") |
    .code + (if .repaired then "!" else "" end)) | join(" ")' <<< "$output"
}

@test "what is as it should be is silent" {
  provisioned
  reconcile 0 .
  assert_equal "$(codes)" ""
  jq_slurp_is '.[-1]|[.kind,.agreed,.allocations[0].power]|join(" ")' \
    "gpuaas.observation/1 true on"
}

@test "an expectation for another node is refused" {
  expectation '.node="n-other"' > "$T/expectation"
  run_status 4 in_host gpuaas-reconcile --repair "$T/expectation"
  assert_stderr "of node 'n-other'"
  GPUAAS_ERRORS=json run_status 4 in_host gpuaas-reconcile "$T/expectation"
  assert_stderr '"reason":"wrong_node"'
  assert_equal "$output" ""
}

@test "a bad expectation, and --repair with --plan" {
  expectation 'del(.mode)' > "$T/expectation"
  run_status 3 in_host gpuaas-reconcile "$T/expectation"
  assert_stderr "mode"
  run_status 2 in_host gpuaas-reconcile --repair --plan "$T/expectation"
}

@test "records that are not for it are passed on" {
  start_libvirtd
  release_order > "$T/other"
  expectation "$ENDED" > "$T/expectation"
  run_ok in_host sh -c "cat $T/other $T/expectation | gpuaas-reconcile -"
  jq_slurp_is '[.[0].kind, .[-1].kind] | join(" ")' "gpuaas.release-order/1 gpuaas.observation/1"
}

@test "a domain that is gone is an error that nobody repairs by a guess" {
  provisioned
  virsh -q -c "$LIBVIRTD_URI" destroy gpuaas-a110c000
  virsh -q -c "$LIBVIRTD_URI" undefine gpuaas-a110c000
  reconcile 1 . --repair --boot
  assert_equal "$(codes)" "domain_missing"
  jq_slurp_is '.[-1]|[.agreed,.allocations[0].power]|join(" ")' "false off"
  jq_slurp_is '.[0]|[.severity,.observation,.object,.command]|join(" ")' \
    "error bad a110c000 gpuaas-vm start a110c000"
}

@test "a domain of an ended allocation is reported and left alone with all it has" {
  provisioned
  reconcile 1 "$ENDED" --repair
  assert_equal "$(codes)" "domain_orphan"
  run_ok virsh -q -c "$LIBVIRTD_URI" domstate gpuaas-a110c000
  assert_output running
  [[ -e $GPUAAS_HOST_DIR/vm/a110c000/seed.iso && -e $T/dhcp/gpuaas-a110c000 ]]
}

@test "an allocation begun after the expectation was written is no orphan" {
  AT=2026-01-01T00:00:00.000000Z
  provisioned
  virsh -q -c "$LIBVIRTD_URI" destroy gpuaas-a110c000
  virsh -q -c "$LIBVIRTD_URI" undefine gpuaas-a110c000
  reconcile 0 "$ENDED | .slots[0].state=\"available\"" --repair
  assert_equal "$(codes)" ""
  [[ -e $GPUAAS_HOST_DIR/vm/a110c000/seed.iso && -e $T/dhcp/gpuaas-a110c000 ]]
}

@test "what an ended allocation left is planned, undone once, and then silent" {
  local before
  provisioned
  before=$(sha256sum "$WORK/disks/nvme2n1")
  virsh -q -c "$LIBVIRTD_URI" destroy gpuaas-a110c000
  virsh -q -c "$LIBVIRTD_URI" undefine gpuaas-a110c000
  reconcile 1 "$ENDED" --plan
  assert_equal "$(codes)" "journal_open dhcp_reservation_stale seed_orphan"
  assert_stderr "journal_open a110c000: would carry out the inverses"
  [[ -e $GPUAAS_HOST_DIR/vm/a110c000/seed.iso && -e $T/dhcp/gpuaas-a110c000 ]]
  reconcile 0 "$ENDED" --repair
  assert_equal "$(codes)" "journal_open! dhcp_reservation_stale! seed_orphan!"
  jq_slurp_is '.[-1]|[.agreed,.journal_open]|map(tostring)|join(" ")' "true 0" # the bindings of GPU and VF stay, as the node's: nothing waits
  [[ ! -e $GPUAAS_HOST_DIR/vm/a110c000 && ! -e $T/dhcp/gpuaas-a110c000 ]]
  # A disk is never touched, whatever its allocation.
  assert_equal "$(sha256sum "$WORK/disks/nvme2n1")" "$before"
  reconcile 0 "$ENDED" --repair
  assert_equal "$(codes)" ""
}

@test "what is being worked on is left alone" {
  provisioned
  virsh -q -c "$LIBVIRTD_URI" destroy gpuaas-a110c000
  virsh -q -c "$LIBVIRTD_URI" undefine gpuaas-a110c000
  background flock "$GPUAAS_HOST_DIR/hold/a110c000" sh -c "touch $T/held; exec sleep 60"
  wait_for 5 test -e "$T/held"
  reconcile 0 "$ENDED" --repair
  assert_equal "$(codes)" ""
  [[ -e $GPUAAS_HOST_DIR/vm/a110c000/seed.iso && -e $T/dhcp/gpuaas-a110c000 ]]
}

# told: the fatal errors of GPUs that were reported, as provision reads them
told()
{
  host_sql "SELECT group_concat(gpu_identity || ' ' || fatal, ', ') FROM gpu_errors"
}

@test "fatal errors of the bus during a wipe are noted only once they are reported" {
  start_libvirtd
  setup_host lab1 'gpu.1.aer={"fatal":1}'
  exec 8> "$GPUAAS_HOST_DIR/hold/s0000001"
  flock 8
  reconcile 0 "$ENDED"
  assert_equal "$(codes), noted: $(told)" ", noted: "
  exec 8>&-
  reconcile 1 "$ENDED"
  assert_equal "$(codes), noted: $(told)" "gpu_errors, noted: slot:2:10de:2335 1"
}

@test "leftovers that no journal tells of" {
  start_libvirtd
  mkdir -p "$GPUAAS_HOST_DIR/vm/zzzzzzzz" "$GPUAAS_HOST_DIR/vm/a110c000" "$T/dhcp"
  touch "$GPUAAS_HOST_DIR"/vm/{zzzzzzzz,a110c000}/seed.iso "$GPUAAS_HOST_DIR/vm/zzzzzzzz/host_key"
  echo "02:00:00:00:00:09,10.100.0.99,old,infinite" > "$T/dhcp/gpuaas-zzzzzzzz"
  echo "a stranger's" > "$T/dhcp/printer"
  reconcile 1 . --repair
  assert_equal "$(codes)" "dhcp_reservation_missing! dhcp_reservation_stale! seed_orphan! domain_missing"
  [[ ! -e $GPUAAS_HOST_DIR/vm/zzzzzzzz && ! -e $T/dhcp/gpuaas-zzzzzzzz ]]
  [[ -e $GPUAAS_HOST_DIR/vm/a110c000/seed.iso && -e $T/dhcp/printer ]]
}

@test "a folder of the tenant's does not lead out of its own" {
  start_libvirtd
  mkdir -p "$GPUAAS_HOST_DIR/vm" "$T/precious"
  touch "$T/precious/data"
  ln -s "$T/precious" "$GPUAAS_HOST_DIR/vm/zzzzzzzz"
  reconcile 1 "$ENDED" --repair
  assert_equal "$(codes)" "seed_orphan"
  assert_stderr "remove_seed did not succeed"
  [[ -e $T/precious/data ]]
}

@test "without libvirt nothing is claimed and nothing removed" {
  export GPUAAS_LIBVIRT_URI="test+unix:///default?socket=$T/none"
  mkdir -p "$GPUAAS_HOST_DIR/vm/zzzzzzzz"
  touch "$GPUAAS_HOST_DIR/vm/zzzzzzzz/seed.iso"
  reconcile 0 "$ENDED" --repair
  assert_equal "$(codes)" ""
  jq_slurp_is 'map(select(.code=="unobserved" and .object=="domains"))[0].observation' unknown
  [[ -e $GPUAAS_HOST_DIR/vm/zzzzzzzz/seed.iso ]]
  reconcile 1 '.slots[0].state="active"'
  jq_slurp_is '.[-1].allocations[0].power' null
}

@test "a DHCP reservation that was lost is written again, byte for byte" {
  provisioned
  mv "$T/dhcp/gpuaas-a110c000" "$T/was"
  reconcile 1 .
  assert_equal "$(codes)" "dhcp_reservation_missing"
  reconcile 0 . --repair
  assert_equal "$(codes)" "dhcp_reservation_missing!"
  cmp "$T/was" "$T/dhcp/gpuaas-a110c000"
  reconcile 0 .
}

@test "a seed that was lost" {
  provisioned
  rm "$GPUAAS_HOST_DIR/vm/a110c000/seed.iso"
  reconcile 1 . --repair
  assert_equal "$(codes)" "seed_missing"
}

@test "a guest's own poweroff is no drift; somebody else's is" {
  provisioned
  virsh -q -c "$LIBVIRTD_URI" shutdown gpuaas-a110c000
  reconcile 0 . --repair --boot
  jq_slurp_is 'map(select(.code=="power_off"))[0]|[.severity,.observation,.observed]|join(" ")' \
    "info ok off (guest)"
  run_ok virsh -q -c "$LIBVIRTD_URI" domstate gpuaas-a110c000
  assert_output "shut off"
  virsh -q -c "$LIBVIRTD_URI" start gpuaas-a110c000
  virsh -q -c "$LIBVIRTD_URI" destroy gpuaas-a110c000
  reconcile 1 . --repair --boot
  assert_equal "$(codes)" "power_off"
  jq_slurp_is 'map(select(.code=="power_off"))[0].repair' null
}

# The host was started anew: domains are defined and off, and libvirt does not know why.
rebooted()
{
  virsh -q -c "$LIBVIRTD_URI" dumpxml gpuaas-a110c000 > "$T/xml"
  stop_libvirtd
  rm -rf "$T/lv"
  start_libvirtd
  virsh -q -c "$LIBVIRTD_URI" define "$T/xml"
}

@test "after a reboot recorded domains start again, and only with --boot" {
  provisioned
  rebooted
  reconcile 1 '.boot_id="another"' --repair
  assert_equal "$(codes)" "power_off"
  jq_slurp_is 'map(select(.code=="power_off"))[0]|[.repair,.command]|join(" ")' \
    "start_domain gpuaas-reconcile --repair --boot"
  reconcile 1 '.boot_id="another"' --plan --boot
  assert_stderr "power_off a110c000: would start a recorded domain"
  reconcile 0 '.boot_id="another"' --repair --boot
  assert_equal "$(codes)" "power_off!"
  run_ok virsh -q -c "$LIBVIRTD_URI" domstate gpuaas-a110c000
  assert_output running
  reconcile 0 '.boot_id="another"' --repair --boot
  assert_equal "$(codes)" ""
}

@test "a domain with another slot's disk is not started" {
  provisioned
  virsh -q -c "$LIBVIRTD_URI" dumpxml gpuaas-a110c000 | sed 's/1000000a1/1000000a2/' > "$T/swapped"
  rebooted
  virsh -q -c "$LIBVIRTD_URI" define "$T/swapped"
  reconcile 1 '.boot_id="another"' --repair --boot
  assert_equal "$(codes)" "power_off"
  assert_stderr "does not have the disk eui.002538b1000000a1"
  run_ok virsh -q -c "$LIBVIRTD_URI" domstate gpuaas-a110c000
  assert_output "shut off"
}

@test "a held allocation that runs, and a paused one" {
  provisioned
  reconcile 1 '.allocations[0].state="held" | .allocations[0].power="off"' --repair
  assert_equal "$(codes)" "power_on"
  virsh -q -c "$LIBVIRTD_URI" suspend gpuaas-a110c000
  reconcile 1 . --repair
  assert_equal "$(codes)" "guest_unhealthy"
}

@test "two domains with one disk" {
  provisioned
  virsh -q -c "$LIBVIRTD_URI" dumpxml gpuaas-a110c000 |
    sed -e 's/gpuaas-a110c000/copy/' -e '/<uuid>/d' -e '/<metadata>/,/<\/metadata>/d' > "$T/copy"
  virsh -q -c "$LIBVIRTD_URI" define "$T/copy"
  reconcile 1 . --repair
  assert_equal "$(codes)" "domain_duplicate"
  run_ok virsh -q -c "$LIBVIRTD_URI" domstate gpuaas-a110c000
  assert_output running
}

@test "an interrupted provision is finished" {
  provisioned
  host_sql "UPDATE attempt SET state='working', phase='network', result=NULL WHERE program = 'provision'"
  reconcile 1 '.allocations[0].state="provisioning"'
  assert_equal "$(codes)" "attempt_open"
  reconcile 0 '.allocations[0].state="provisioning"' --repair
  assert_equal "$(codes)" "attempt_open!"
  jq_slurp_is '.[0]|[.kind,.allocation,.state]|join(" ")' "gpuaas.allocation/1 a110c000 active"
}

@test "an interrupted provision of an ended allocation is undone" {
  provisioned
  virsh -q -c "$LIBVIRTD_URI" destroy gpuaas-a110c000
  virsh -q -c "$LIBVIRTD_URI" undefine gpuaas-a110c000
  host_sql "UPDATE attempt SET state='working', phase='network', result=NULL WHERE program = 'provision'"
  reconcile 0 "$ENDED" --repair
  assert_equal "$(codes)" "attempt_open! journal_open! dhcp_reservation_stale! seed_orphan!"
  reconcile 0 "$ENDED" --repair
  assert_equal "$(codes)" ""
  # Its plan given once more has no result to tell, and says what became of it.
  run_status 4 in_host gpuaas-provision "$T/plan"
  jq_is '[.kind,.phase,.code]|join(" ")' "gpuaas.failure/1 hold undone"
}

@test "a result that was lost on its way is written again" {
  provisioned
  reconcile 1 '.allocations[0].state="provisioning"'
  assert_equal "$(codes)" "result_untold"
  reconcile 0 '.allocations[0].state="provisioning"' --repair
  jq_slurp_is '.[0]|[.kind,.allocation,.state]|join(" ")' "gpuaas.allocation/1 a110c000 active"
  assert_equal "$(codes)" "result_untold!"
}

@test "disks: mounted, gone, of another size, at another path" {
  start_libvirtd
  setup_host lab1 nvme.1.mount=/data
  reconcile 1 "$ENDED" --repair
  [[ $(codes) == *disk_in_use* ]]
  setup_host lab1
  reconcile 1 "$ENDED | .slots[1].bundle.nvme_wwid=\"eui.77\"" --repair
  assert_equal "$(codes)" "disk_missing"
  reconcile 1 "$ENDED | .slots[1].bundle.nvme_size_bytes=4096" --repair
  assert_equal "$(codes)" "disk_changed"
  reconcile 0 "$ENDED | .slots[1].bundle.nvme_path=\"/dev/nvme7n1\"" --repair
  jq_slurp_is 'map(select(.code=="disk_path_moved"))[0]|[.expected,.observed]|join(" ")' \
    "/dev/nvme7n1 /dev/nvme1n1"
}

@test "GPUs: another identity, another address, a fabric function that is gone" {
  start_libvirtd
  reconcile 1 "$ENDED | .slots[1].bundle.gpu_identity=\"slot:9:10de:2335\"" --repair
  assert_equal "$(codes)" "pci_missing"
  reconcile 1 "$ENDED | .slots[1].bundle.gpu_pci_address=\"0000:77:00.0\"" --repair
  assert_equal "$(codes)" "pci_moved"
  reconcile 1 "$ENDED | .slots[1].bundle.fabric_vf_pci_address=\"0000:77:00.1\"" --repair
  assert_equal "$(codes)" "pci_missing"
}

@test "outside the lab: a driver that took the GPU away is an error, a running guest keeps it" {
  provisioned
  setup_host lab1 gpu.0.driver=nvidia
  # It sets nftables and forwarding of the host up: those of a network of its own.
  expectation '.lab=false' > "$T/expectation"
  run_status 1 in_host unshare --net gpuaas-reconcile --repair "$T/expectation"
  [[ " $(codes) " == *" pci_binding "* ]]
  jq_slurp_is 'map(select(.code=="pci_binding"))[0]|[.severity,.repair,.observed]|map(tostring)|join(" ")' \
    "error null driver nvidia"
}

@test "hardware, boot and time" {
  start_libvirtd
  reconcile 1 "$ENDED | .fingerprint=\"sha256:$(printf 'a%.0s' {1..64})\""
  assert_equal "$(codes)" "fingerprint_changed"
  reconcile 0 "$ENDED | .boot_id=\"another\""
  jq_slurp_is 'map(select(.code=="boot_changed"))[0].severity' info
  reconcile 1 "$ENDED | .slots[1].state=\"wiping\" | .slots[1].since=\"2020-01-01T00:00:00.000000Z\""
  assert_equal "$(codes)" "stuck"
  jq_slurp_is 'map(select(.code=="stuck"))[0].command | length > 0' true
  jq_slurp_is 'map(select(.code=="stuck"))[0].age_seconds > 86400' true
}

@test "an interrupted release goes on when its domain is off" {
  provisioned
  release_order '.graceful_seconds=0' > "$T/order"
  run_ok in_host sh -c "gpuaas-release - < $T/order"
  jq_slurp_is 'map(.kind)|join(" ")' "gpuaas.released/1 gpuaas.wipe-order/1"
  host_sql "UPDATE attempt SET state='working', result=NULL WHERE program='release'"
  reconcile 0 '.allocations[0].state="releasing" | .allocations[0].attempt="attempt1" |
    .slots[0].state="releasing" | .slots[0].since=.at | .allocations[0].since=.at' --repair
  assert_equal "$(codes)" "attempt_open!"
  jq_slurp_is 'map(select(.kind!="gpuaas.drift/1").kind)|join(" ")' \
    "gpuaas.released/1 gpuaas.wipe-order/1 gpuaas.observation/1"
}

@test "an interrupted release never ends a running domain" {
  provisioned
  release_order > "$T/order"
  host_sql "INSERT INTO attempt (attempt, object, program, order_text, started_at) VALUES
    ('attempt1', 'a110c000', 'release', '$(< "$T/order")', '2026-11-20T19:00:00.000000Z')"
  reconcile 1 '.allocations[0].state="releasing" | .allocations[0].attempt="attempt1" |
    .slots[0].state="releasing" | .slots[0].since=.at | .allocations[0].since=.at' --repair --boot
  assert_equal "$(codes)" "attempt_open"
  jq_slurp_is 'map(select(.code=="attempt_open"))[0].command' "gpuaas-release a110c000"
  run_ok virsh -q -c "$LIBVIRTD_URI" domstate gpuaas-a110c000
  assert_output running
}

@test "with the state on this machine no pipe is needed, and results are folded" {
  start_libvirtd
  run_ok gpuaas-state init --lab
  run in_host sh -c 'gpuaas-discover | gpuaas-approve --all-ready' # not ready, and so stored
  run_ok in_host gpuaas-reconcile < /dev/null
  jq_slurp_is '.[-1]|[.kind,.node,.agreed]|map(tostring)|join(" ")' \
    "gpuaas.observation/1 n-1ab100000000 true"
  run_ok gpuaas-state expect --node n-1ab100000000
  echo "$output" > "$T/expectation"
  run_ok in_host sh -c "gpuaas-reconcile - < $T/expectation"
  jq_slurp_is '.[-1].kind' gpuaas.observation/1
}

@test "fabric partitions: an inactive one of a guest that is off, one that is nobody's" {
  provisioned
  rebooted
  echo '{"gpus":[{"address":"0000:18:00.0","module_id":2},{"address":"0000:9a:00.0","module_id":1}],
    "partitions":[{"id":1,"module_ids":[1,2]},{"id":2,"module_ids":[1]},{"id":3,"module_ids":[2]}]}' \
    > "$T/fabric.json"
  export GPUAAS_LIBNVFM=$GPUAAS_BUILD/tests/libnvfm.so.1 GPUAAS_FAKE_FABRIC=$T/fabric.json
  echo 2 > "$T/fabric.json.active"
  reconcile 1 '.boot_id="another" | .allocations[0].fabric_partition=3' --repair --boot
  assert_equal "$(codes)" "power_off! partition_inactive! partition_orphan"
  run_ok sort "$T/fabric.json.active"
  assert_equal "${lines[*]}" "2 3"
  run_ok virsh -q -c "$LIBVIRTD_URI" domstate gpuaas-a110c000
  assert_output running
  # Below a running guest nothing is activated.
  echo 2 > "$T/fabric.json.active"
  reconcile 1 '.allocations[0].fabric_partition=3' --repair --boot
  assert_equal "$(codes)" "partition_inactive partition_orphan"
  run_ok cat "$T/fabric.json.active"
  assert_equal "$output" 2
}
