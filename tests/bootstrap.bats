# SPDX-License-Identifier: Apache-2.0
# gpuaas-host-bootstrap: images, and recorded hosts whose /etc, /run and network are their own.

load helper
load bootstrap

setup()
{
  common_setup
  [[ $EUID -eq 0 ]] || skip "preparing a host needs root"
}

# ---- images ----

# An image with what a Debian server has, some of it in the way.
make_image()
{
  IMG=$T/img
  mkdir -p "$IMG"/{etc/default/grub.d,etc/mdadm,etc/lvm,etc/systemd/system,usr/sbin,var/lib}
  touch "$IMG"/usr/sbin/{update-grub,update-initramfs,mdadm,lvm}
  echo 'GRUB_CMDLINE_LINUX="quiet"' > "$IMG/etc/default/grub"
  printf 'HOMEHOST <system>\nno newline at the end, and a byte: \377' > "$IMG/etc/mdadm/mdadm.conf"
  chmod 640 "$IMG/etc/mdadm/mdadm.conf"
}

# Everything of an image but the journal: names, modes, owners, links, content.
photograph()
{
  (cd "$1" && find . -path ./var/lib/gpuaas -prune -o -printf '%y %m %U %G %l %p\n' | sort &&
    find . -path ./var/lib/gpuaas -prune -o -type f -print0 | sort -z | xargs -0r sha256sum)
}

@test "an image: files only, twice is once, undo puts every byte back" {
  make_image
  before=$(photograph "$IMG")
  run_ok gpuaas-host-bootstrap --mode slice --root "$IMG" --hugepages 1G:8
  jq_is 'select(.kind == "gpuaas.bootstrap/1") | "\(.mode) \(.action) \(.node) \(.left)"' \
    "slice apply null 0"
  jq_is 'select(.state == "changed") | .subject' "/etc/gpuaas/gpuaas.conf
/var/lib/gpuaas/dhcp-hosts
/etc/default/grub.d/60-gpuaas.cfg
/etc/modules-load.d/gpuaas.conf
/etc/initramfs-tools/hooks/gpuaas
/etc/sysctl.d/60-gpuaas.conf
/etc/gpuaas/dnsmasq.conf"
  # Programs to be run wait for the image's machine, which finds them in its journal.
  jq_is 'select(.state == "waiting") | .subject' "update-initramfs
update-grub"
  grep -q 'intel_iommu=on amd_iommu=on iommu=pt default_hugepagesz=1G hugepagesz=1G hugepages=8"' \
    "$IMG/etc/default/grub.d/60-gpuaas.cfg"
  grep -qx vfio-pci "$IMG/etc/modules-load.d/gpuaas.conf"
  [[ -x $IMG/etc/initramfs-tools/hooks/gpuaas ]]
  refute_grep -q NODE "$IMG/etc/gpuaas/gpuaas.conf"
  run ! test -e "$IMG/etc/udev/rules.d/61-gpuaas.rules"
  # Each machine of the image makes a key of its own.
  [[ -e $IMG/var/lib/gpuaas/host/host.db ]]
  run ! test -e "$IMG/var/lib/gpuaas/host/node.key"

  after=$(photograph "$IMG")
  touch "$T/mark"
  # Hugepages stay without being asked for again.
  run_ok gpuaas-host-bootstrap --root "$IMG"
  jq_is 'select(.kind == "gpuaas.bootstrap/1") | "\(.changes) \(.mode_source)"' "0 setting"
  assert_equal "$(photograph "$IMG")" "$after"
  assert_equal "$(find "$IMG/etc" "$IMG/usr" -newer "$T/mark")" ""

  run_ok gpuaas-host-bootstrap --root "$IMG" --undo
  assert_equal "$(photograph "$IMG")" "$before"
  run_ok gpuaas-host-bootstrap --root "$IMG" --undo
  jq_is .changes 0
}

@test "an image: --check and --dry-run write nothing, not even a journal" {
  make_image
  before=$(photograph "$IMG")
  run_status 1 gpuaas-host-bootstrap --mode slice --root "$IMG" --check
  jq_is 'select(.kind == "gpuaas.bootstrap/1") | "\(.action) \(.ready) \(.changes)"' "check false 8"
  run_ok gpuaas-host-bootstrap --mode slice --root "$IMG" --dry-run
  jq_is 'select(.state == "pending" and .step == "modules") | .inverse' "remove it"
  assert_equal "$(photograph "$IMG")" "$before"
  run ! test -e "$IMG/var/lib/gpuaas"
  # As a program that only shows, it ends without a word when nobody reads any more.
  for how in --check --dry-run; do
    run_status 141 bash -c 'exec 3> >(:); wait $!; exec gpuaas-host-bootstrap --mode slice --root "$1" "$2" >&3' - "$IMG" "$how"
    refute_stderr "Broken pipe"
  done
}

@test "an image: its links do not lead out of it" {
  make_image
  mkdir "$T/outside" "$IMG/elsewhere"
  ln -s /elsewhere "$IMG/etc/sysctl.d"
  ln -s "$T/outside" "$IMG/etc/modules-load.d"
  run gpuaas-host-bootstrap --mode slice --root "$IMG"
  [[ -f $IMG/elsewhere/60-gpuaas.conf ]]
  assert_equal "$(ls "$T/outside")" ""
  run ! test -e /elsewhere
}

@test "files in the way: nothing at all is changed" {
  make_image
  mkdir -p "$IMG/etc/sysctl.d"
  echo 'vm.swappiness=1' > "$IMG/etc/sysctl.d/60-gpuaas.conf"
  before=$(photograph "$IMG")
  run_status 4 gpuaas-host-bootstrap --mode slice --root "$IMG"
  assert_stderr "nothing was changed: /etc/sysctl.d/60-gpuaas.conf: somebody else wrote"
  assert_equal "$(photograph "$IMG")" "$before"
  run_status 1 gpuaas-host-bootstrap --mode slice --root "$IMG" --check
  jq_is 'select(.state == "blocked") | .subject' /etc/sysctl.d/60-gpuaas.conf

  rm "$IMG/etc/sysctl.d/60-gpuaas.conf"
  ln -s /etc/passwd "$IMG/etc/sysctl.d/60-gpuaas.conf"
  run_status 4 gpuaas-host-bootstrap --mode slice --root "$IMG"
  assert_stderr "it is a symbolic link"
  rm "$IMG/etc/sysctl.d/60-gpuaas.conf"
  mkdir "$IMG/etc/sysctl.d/60-gpuaas.conf"
  run_status 4 gpuaas-host-bootstrap --mode slice --root "$IMG"
  assert_stderr "it is no regular file"
}

@test "settings: missing keys are added, present ones never changed, others refused" {
  make_image
  mkdir "$IMG/etc/gpuaas"
  printf '# mine\nGPUAAS_BRIDGE=br-x\nGPUAAS_NODE=rack1-7' > "$IMG/etc/gpuaas/gpuaas.conf"
  run_status 2 gpuaas-host-bootstrap --mode slice --root "$IMG" --network 10.1.0.5/24
  run_status 2 gpuaas-host-bootstrap --mode slice --root "$IMG" --hugepages 3G:1
  run_status 4 gpuaas-host-bootstrap --mode slice --root "$IMG" --bridge br-y
  assert_stderr "GPUAAS_BRIDGE is 'br-x'"
  run_ok gpuaas-host-bootstrap --mode slice --root "$IMG" --uplink eno1
  assert_equal "$(cat "$IMG/etc/gpuaas/gpuaas.conf")" "# mine
GPUAAS_BRIDGE=br-x
GPUAAS_NODE=rack1-7
# Written by gpuaas-host-bootstrap; present keys are never changed.
GPUAAS_MODE=slice
GPUAAS_NETWORK=10.100.0.0/24
GPUAAS_UPLINK=eno1
GPUAAS_DHCP_HOSTS=/var/lib/gpuaas/dhcp-hosts
GPUAAS_LEASES=/var/lib/gpuaas/dnsmasq.leases"
  grep -qx 'interface=br-x' "$IMG/etc/gpuaas/dnsmasq.conf"
  jq_is 'select(.kind == "gpuaas.bootstrap/1") | .node' rack1-7
  run_status 4 gpuaas-host-bootstrap --mode baremetal --root "$IMG"
  assert_stderr "this host was prepared for slice"
}

@test "tags are intent: the mode by them, two of them refused, an option over them" {
  make_image
  mkdir -p "$IMG/etc/gpuaas" "$IMG/run/cloud-init"
  run_status 2 gpuaas-host-bootstrap --root "$IMG" --dry-run
  assert_stderr "'gpuaas-host-bootstrap --mode slice' or baremetal sets it"
  echo 'rack7 gpuaas-profile-baremetal' > "$IMG/etc/gpuaas/tags"
  run_ok gpuaas-host-bootstrap --root "$IMG" --dry-run
  jq_is 'select(.kind == "gpuaas.bootstrap/1") | "\(.mode) \(.mode_source) \(.tags[0])"' \
    "baremetal tag gpuaas-profile-baremetal"
  jq_is 'select(.state == "pending") | .step' "configuration
folder
disks_initramfs"
  echo '{"ds":{"meta_data":{"tags":["a","gpuaas-profile-slice-vm"]}}}' \
    > "$IMG/run/cloud-init/instance-data.json"
  run_status 4 gpuaas-host-bootstrap --root "$IMG" --dry-run
  assert_stderr "has the tags"
  run_ok gpuaas-host-bootstrap --root "$IMG" --dry-run --mode baremetal
  rm "$IMG/etc/gpuaas/tags"
  run_ok gpuaas-host-bootstrap --root "$IMG" --dry-run
  jq_is 'select(.kind == "gpuaas.bootstrap/1") | "\(.mode) \(.mode_source)"' "slice tag"
  echo '{"tags":[' > "$IMG/run/cloud-init/instance-data.json"
  run_status 2 gpuaas-host-bootstrap --root "$IMG" --dry-run
}

@test "undo leaves what others changed since, and says it" {
  make_image
  run_ok gpuaas-host-bootstrap --mode slice --root "$IMG"
  echo '# by hand' >> "$IMG/etc/gpuaas/dnsmasq.conf"
  rm "$IMG/etc/modules-load.d/gpuaas.conf"
  echo mine > "$IMG/etc/sysctl.d/10-mine.conf"
  run_status 1 gpuaas-host-bootstrap --root "$IMG" --undo
  jq_is 'select(.state == "left") | "\(.subject): \(.reason)"' \
"/etc/gpuaas/dnsmasq.conf: somebody else changed it since
/etc/sysctl.d: something else is in it
/etc/gpuaas: something else is in it"
  [[ $(tail -n 1 "$IMG/etc/gpuaas/dnsmasq.conf") == '# by hand' ]]
  [[ -f $IMG/etc/sysctl.d/10-mine.conf ]]
  run ! test -e "$IMG/etc/sysctl.d/60-gpuaas.conf"
}

@test "a file written again by us has an inverse for each time" {
  make_image
  run_ok gpuaas-host-bootstrap --mode slice --root "$IMG" --hugepages 1G:4
  first=$(cat "$IMG/etc/default/grub.d/60-gpuaas.cfg")
  run_ok gpuaas-host-bootstrap --root "$IMG" --hugepages 2M:512
  grep -q 'hugepagesz=2M hugepages=512' "$IMG/etc/default/grub.d/60-gpuaas.cfg"
  refute_grep -q hugepagesz=1G "$IMG/etc/default/grub.d/60-gpuaas.cfg"
  [[ $first == *hugepages=4* ]]
  run_ok gpuaas-host-bootstrap --root "$IMG" --undo
  jq_is 'select(.step == "etc_file" and (.subject | startswith("/etc/default"))) | .subject' \
"/etc/default/grub.d/60-gpuaas.cfg#2
/etc/default/grub.d/60-gpuaas.cfg"
  run ! test -e "$IMG/etc/default/grub.d/60-gpuaas.cfg"
}

# ---- killed ----

@test "killed after any step and run again: the same files, and the same undo" {
  gcc -shared -fPIC -o "$T/kill_at.so" "$SRC/tests/kill_at.c" -ldl
  make_image
  before=$(photograph "$IMG")
  cp -a "$IMG" "$T/whole"
  run_ok gpuaas-host-bootstrap --mode slice --root "$T/whole"
  want=$(photograph "$T/whole")
  mapfile -t subjects < <(jq -r 'select(.state == "changed") | .subject' <<< "$output")
  [[ ${#subjects[@]} -ge 6 ]]
  for subject in "${subjects[@]}"; do
    rm -rf "$IMG"
    cp -a "$T/whole" "$IMG"
    run_ok gpuaas-host-bootstrap --root "$IMG" --undo
    rm -rf "$IMG/var/lib/gpuaas"
    run env LD_PRELOAD="$T/kill_at.so" KILL_AT="\"$subject\",\"state\":\"changed\"" \
      gpuaas-host-bootstrap --mode slice --root "$IMG" --json
    assert_status 137
    run_ok gpuaas-host-bootstrap --mode slice --root "$IMG"
    jq_is 'select(.state == "waiting") | .subject' "update-initramfs
update-grub"
    assert_equal "$(photograph "$IMG")" "$want"
    run_ok gpuaas-host-bootstrap --root "$IMG" --undo
    assert_equal "$(photograph "$IMG")" "$before"
  done
}

@test "killed between the intent and the write: the next run closes the intent" {
  make_image
  run_ok gpuaas-host-bootstrap --mode slice --root "$IMG"
  want=$(photograph "$IMG")
  # As it stands after the intent: the entry is there and not done, the file is not there.
  rm "$IMG/etc/modules-load.d/gpuaas.conf"
  sql "$IMG/var/lib/gpuaas/host/host.db" "UPDATE journal SET done = 0
    WHERE subject IN ('/etc/modules-load.d/gpuaas.conf', '/etc/sysctl.d/60-gpuaas.conf')"
  run_ok gpuaas-host-bootstrap --root "$IMG"
  jq_is 'select(.state == "changed") | .subject' /etc/modules-load.d/gpuaas.conf
  assert_equal "$(photograph "$IMG")" "$want"
  run_ok gpuaas-host-bootstrap --root "$IMG" --undo
  run ! test -e "$IMG/etc/modules-load.d/gpuaas.conf" -o -e "$IMG/etc/sysctl.d"
}

@test "two at once: the second names the one that works" {
  make_image
  run_ok gpuaas-host-bootstrap --mode slice --root "$IMG"
  exec 7> "$IMG/var/lib/gpuaas/host/hold/bootstrap"
  flock 7
  run_status 8 gpuaas-host-bootstrap --root "$IMG"
  assert_stderr "'bootstrap' is being worked on"
  exec 7>&-
}

# ---- a machine ----

@test "h200: checked, prepared once, checked again, twice is once, undone" {
  setup_host h200
  fakes
  start_libvirtd
  mkdir -p "$T/etc/default" "$T/etc/mdadm"
  : > "$T/etc/default/grub"
  printf 'HOMEHOST <system>' > "$T/etc/mdadm/mdadm.conf"
  cp "$(type -P true)" "$T/bin/libvirtd"
  # shellcheck disable=SC2016 # for the machine
  run machine '
    photo() { (cd /etc && find . -printf "%y %m %l %p\n" | sort; find . -type f -print0 | sort -z |
      xargs -0 sha256sum; sysctl -a 2> /dev/null | grep -E "tcp_[rw]mem|gc_thresh3"
      for f in vm/swappiness fs/aio-max-nr; do echo "$(< /proc/sys/$f)"; done
      ip -br link; nft list ruleset
      tr -d "\n" < /sys/bus/pci/devices/0000:18:00.0/driver_override | sed "s/(null)//") 2>&1; }
    photo > "$T/before"
    gpuaas-host-bootstrap --mode slice --check > "$T/check1"; echo $?
    gpuaas-host-bootstrap --mode slice > "$T/apply"; echo $?
    touch "$T/mark"; : > "$T/ran"; photo > "$T/after"
    gpuaas-host-bootstrap > "$T/again"; echo $?
    find /etc /var/lib/gpuaas/dhcp-hosts -newer "$T/mark" > "$T/newer"; cp "$T/ran" "$T/ran.again"
    photo | cmp - "$T/after" && echo same
    gpuaas-host-bootstrap --check > "$T/check2"; echo $?
    for f in gpuaas/devices udev/rules.d/61-gpuaas.rules lvm/lvmlocal.conf \
      multipath/conf.d/gpuaas.conf mdadm/mdadm.conf; do cat /etc/$f > "$T/${f##*/}"; done
    nft -j list ruleset > "$T/rules"; ip -4 -br addr show ovsbr0 > "$T/addr"
    gpuaas-host-bootstrap --undo > "$T/undo"; echo $?
    photo | diff "$T/before" - && echo as before'
  assert_equal "$output" "1
0
0
same
0
0
as before"
  output=$(< "$T/check1")
  jq_is 'select(.kind == "gpuaas.bootstrap/1") | "\(.ready) \(.changes > 30)"' "false true"
  output=$(< "$T/apply")
  jq_is 'select(.step and (.state | IN("changed", "ok") | not)) | .subject' ""
  jq_is 'select(.kind == "gpuaas.bootstrap/1") | "\(.ready) \(.reboot_required) \(.left) \(.node)"' \
    "true false 0 n-8a2000000000"
  jq_is 'select(.kind == "gpuaas.bootstrap/1") | [.firmware[].name] | join(" ")' \
    "iommu sriov acs resizable_bar nic_mode secure_boot"
  jq_is 'select(.kind == "gpuaas.bootstrap/1") | .firmware[] | select(.name == "acs") | .state' missing
  output=$(< "$T/again")
  jq_is 'select(.kind == "gpuaas.bootstrap/1") | "\(.changes) \(.ready)"' "0 true"
  assert_equal "$(< "$T/newer")" ""
  refute_grep -qE 'add-|set-|del-|update-|reconfigure|profile' "$T/ran.again"
  "$SRC/tests/validate" "$SRC/share/schema" < "$T/apply" > "$T/valid"
  "$SRC/tests/validate" "$SRC/share/schema" < "$T/undo" > "$T/valid"

  # Rules for slices, and none for the rest: the boot disk, the DPU, the functions of the host.
  assert_equal "$(grep -c '^ATTRS' "$T/61-gpuaas.rules")" 8
  refute_grep -q 'eui.0025384000000001' "$T/61-gpuaas.rules"
  grep -q 'r|^/dev/disk/by-id/nvme-eui\[.\]002538b5410a1001(-part\[0-9\]+)?$|' "$T/lvmlocal.conf"
  grep -qF 'wwid "^eui[.]002538b5410a1001$"' "$T/gpuaas.conf"
  grep -qx 'AUTO -all' "$T/mdadm.conf"
  assert_equal "$(grep -c ^gpu "$T/devices")" 8
  assert_equal "$(grep -c ^pf "$T/devices")" 8
  assert_equal "$(grep -c ^vf "$T/devices")" 7
  refute_grep -q 0000:05:00 "$T/devices"
  grep -q '10.100.0.1/24' "$T/addr"
  jq -e '.nftables[] | select(.table.name == "gpuaas")' "$T/rules"
}

@test "recorded untuned and tuned: side by side, and nothing else of the host changes" {
  setup_host h200
  fakes
  start_libvirtd
  mkdir -p "$T/etc/default" "$T/disk"
  : > "$T/etc/default/grub"
  cp "$(type -P true)" "$T/bin/libvirtd"
  # shellcheck disable=SC2016 # for the machine
  run machine '
    photo() { (cd /etc && find . -type f -printf "%m %p\n" -exec sha256sum {} + | sort
      sysctl -a 2> /dev/null | grep -E "tcp_[rw]mem|gc_thresh3|swappiness"; ip -br link
      find /var/lib/gpuaas -not -path "*/host*") 2>&1; }
    photo > "$T/before"
    gpuaas-host-bootstrap --record --scratch "$T/disk" --table > "$T/table1"; echo $?
    GPUAAS_MODE=baremetal gpuaas-host-bootstrap --record 2> "$T/untunable"; echo $?
    photo | diff "$T/before" - && [[ -z $(ls -A "$T/disk") ]] && echo unchanged
    gpuaas-host-bootstrap --mode slice > /dev/null; echo $?
    gpuaas-host-bootstrap --record --scratch "$T/disk" > "$T/records"; echo $?
    sql /var/lib/gpuaas/host/host.db "SELECT count(*), sum(tuned) FROM tuning"
    gpuaas-host-bootstrap --record --scratch "$T/nowhere" 2> "$T/refused"; echo $?'
  assert_equal "$output" "0
4
unchanged
0
0
2|1
10"
  refute_grep -q -e '--mode' "$T/untunable"
  output=$(< "$T/table1")
  assert_output "TUNED "
  assert_output "not recorded"
  assert_output "there is no record of this host tuned"
  assert_output "'gpuaas-host-bootstrap --check --mode slice' shows them"
  output=$(< "$T/refused")
  assert_output "cannot open the folder '$T/nowhere'"
  output=$(< "$T/records")
  "$SRC/tests/validate" "$SRC/share/schema" < "$T/records" > "$T/valid"
  jq_is '"\(.node) \(.tuned) \(.left > 0)"' "n-8a2000000000 false true
n-8a2000000000 true false"
  jq_is '.settings[] | select(.name == "vm.swappiness") | "\(.value) \(.wanted) \(.ok)"' \
    "$(< /proc/sys/vm/swappiness) 10 false
10 10 true"
  # A file system without direct I/O cannot be measured, and says so.
  jq_is '.measured[] | [.name, .runs == 3 and .bytes > 0 and .seconds > 0 and .mib_per_second > 0
      or (.reason // "" | contains("direct I/O"))] | join(" ")' "clone true
read_back true
network true
clone true
read_back true
network true"
}

@test "the host's key: made when the host is prepared, shown by discover, and never by a look" {
  setup_host h200
  fakes
  start_libvirtd
  mkdir -p "$T/etc/default"
  : > "$T/etc/default/grub"
  # shellcheck disable=SC2016 # for the machine
  run machine '
    key() { stat -c %a /var/lib/gpuaas/host/node.key 2> /dev/null || echo none; }
    shown() { gpuaas-discover | jq -r "select(.kind==\"gpuaas.host/1\").node_key"; }
    gpuaas-host-bootstrap --mode slice --check > "$T/out"; key; shown
    gpuaas-host-bootstrap --mode slice --dry-run > "$T/out" 2> "$T/err"; key
    gpuaas-host-bootstrap --mode slice > "$T/out"; key; shown > "$T/shown"
    gpuaas-host-bootstrap > "$T/out"; shown | cmp - "$T/shown"'
  assert_equal "$output" "none
null
none
600"
  assert_equal "$(< "$T/shown")" "$(public_key "$T/data/host/node.key")"
}

@test "undo is refused while something of slices lives on the host" {
  setup_host lab1
  fakes
  # shellcheck disable=SC2016 # for the machine
  run machine '
    gpuaas-host-bootstrap --mode slice > /dev/null; echo $?
    sql /var/lib/gpuaas/host/host.db "INSERT INTO journal (object, op, subject, inverse, at)
      VALUES (\"aaaa2222\", \"domain\", \"gp-x\", \"{}\", \"2026-01-01T00:00:00.000000Z\")"
    gpuaas-host-bootstrap --undo 2>&1; echo $?'
  [[ $output == *"'aaaa2222' is on this host: its domain 'gp-x' is not undone"* ]]
  assert_equal "${lines[-1]}" 4
}

@test "without IOMMU arguments: configured, waiting for the reboot, and says so" {
  setup_host lab1 cmdline=quiet iommu.kind=none 'gpu.0.driver=null'
  fakes
  # shellcheck disable=SC2016 # for the machine
  run machine '
    gpuaas-host-bootstrap --mode slice --hugepages 1G:8; echo $?
    cat /boot/grub/grub.cfg >&2; gpuaas-host-bootstrap --check; echo $?'
  [[ $output == *"intel_iommu=on iommu=pt default_hugepagesz=1G hugepagesz=1G hugepages=8"* ]]
  output=$(grep '^{' <<< "$output")
  jq_is 'select(.kind == "gpuaas.bootstrap/1") | "\(.action) \(.reboot_required) \(.ready)"' \
"apply true false
check true false"
  jq_is 'select(.state == "waiting" and .step == "bind") | .subject' "0000:18:00.0
0000:18:00.0"
}

@test "too many hugepages for the memory: refused before anything is changed" {
  setup_host lab1
  fakes
  # shellcheck disable=SC2016 # for the machine
  run machine 'gpuaas-host-bootstrap --mode slice --hugepages 1G:100000 2>&1; echo $?; ls /etc/gpuaas'
  [[ $output == *"nothing was changed: --hugepages"* && $output == *$'\n4\n'* ]]
  run ! test -e "$T/data/dhcp-hosts"
}

@test "a clone is refused until it has an id of its own" {
  setup_host lab1 machine_id=00000000000000000000000000000000
  fakes
  run machine 'gpuaas-host-bootstrap --mode slice 2>&1; echo $?'
  [[ $output == *"two hosts with one id would be one node"* ]]
  assert_equal "${lines[-1]}" 7
  run machine 'gpuaas-host-bootstrap --mode slice --node h7 > /dev/null; grep NODE /etc/gpuaas/gpuaas.conf'
  assert_equal "$output" GPUAAS_NODE=h7
}

@test "virtual functions: made where there are none, never changed behind a back" {
  setup_host lab1 'nic.0.vfs=[]'
  fakes
  start_libvirtd
  # shellcheck disable=SC2016 # for the machine
  run machine '
    pf=/sys/bus/pci/devices/0000:1a:00.0
    gpuaas-host-bootstrap --mode slice > "$T/apply"; echo $?
    echo $(< $pf/sriov_numvfs) $(< $pf/sriov_drivers_autoprobe)
    gpuaas-host-bootstrap --vfs 4 > "$T/four"; echo $(< $pf/sriov_numvfs)
    grep -c ^vf /etc/gpuaas/devices
    gpuaas-host-bootstrap --undo > /dev/null; echo $(< $pf/sriov_numvfs)'
  # One for each GPU; then another number, by way of none, because an option says so.
  assert_equal "$output" "0
2 0
4
4
0"
  output=$(< "$T/apply")
  jq_is 'select(.step == "vfs" and .state == "changed") | .subject' 0000:1a:00.0
}

@test "at boot: only what is listed, by identity, and nothing else is written" {
  setup_host lab1
  fakes
  run machine 'gpuaas-host-bootstrap --mode slice > /dev/null; echo $?; cp /etc/gpuaas/devices "$T/list"'
  # A reboot: bindings, the bridge's address and the table are gone. The list has one GPU only, and
  # says that it was at another address.
  sed -i '/^gpu .*slot:2/d; s/^gpu 0000:18:00.0/gpu 0000:99:00.0/' "$T/etc.new/gpuaas/devices"
  # shellcheck disable=SC2016 # for the machine
  run machine '
    touch "$T/mark"; ip link add ovsbr0 type bridge # as the switch does when it starts
    gpuaas-host-bootstrap --boot > "$T/boot"; echo $?
    cat /sys/bus/pci/devices/0000:18:00.0/driver_override
    head -c 10 /sys/bus/pci/devices/0000:9a:00.0/driver_override
    find /etc -newer "$T/mark"; ip -4 -br addr show ovsbr0
    nft list table ip gpuaas > /dev/null && echo table
    gpuaas-host-bootstrap --boot > "$T/twice"; echo $?'
  [[ ${lines[0]} == 0 && ${lines[1]} == vfio-pci && ${lines[2]} != vfio-pci* ]]
  [[ $output == *10.100.0.1/24*table* && $output != */etc/* && ${lines[-1]} == 0 ]]
  output=$(< "$T/boot")
  jq_is 'select(.step == "bind" and .state == "changed") | .subject' "0000:18:00.0
0000:1a:00.1
0000:1a:00.2"
  output=$(< "$T/twice")
  jq_is 'select(.kind == "gpuaas.bootstrap/1") | .changes' 0
}

@test "the devices file of somebody else stops everything" {
  setup_host lab1
  fakes
  mkdir -p "$T/etc/gpuaas"
  printf '# Written by gpuaas-host-bootstrap\ngpu ../../etc/passwd\n' > "$T/etc/gpuaas/devices"
  run machine 'gpuaas-host-bootstrap --boot 2>&1; echo $?'
  [[ $output == *"is no 'sort address identity'"* ]]
  assert_equal "${lines[-1]}" 3
}

@test "only root prepares or checks a host" {
  run_status 6 setpriv --reuid 65534 --clear-groups "$GPUAAS_BUILD/bin/gpuaas-host-bootstrap" \
    --mode slice --check
  assert_stderr "only root"
}

@test "what another bridge carries is not cut off" {
  setup_host lab1
  fakes
  echo standalone > "$T/fail-mode"
  printf 'gpuaas0\neno1\n' > "$T/ports"
  # shellcheck disable=SC2016 # for the machine
  run machine 'ip link add ovsbr0 type bridge; gpuaas-host-bootstrap --mode slice > "$T/apply"; echo $?'
  assert_equal "$output" 1
  output=$(< "$T/apply")
  jq_is 'select(.state == "manual") | "\(.step): \(.hint)"' \
    "bridge: give slices a bridge of their own (--bridge), or, when 'eno1' may be cut off, ovs-vsctl set-fail-mode ovsbr0 secure"
  refute_grep -qE 'set-fail|add-flow|del-flow' "$T/ran"
}

@test "units: those that are there are enabled and started, libvirt-guests not, undo the other way" {
  setup_host lab1
  fakes
  start_libvirtd
  mkdir -p "$T/run/systemd/system" "$T/etc/systemd/system/multi-user.target.wants"
  for unit in gpuaas-host.service gpuaas-dnsmasq.service gpuaas-wipe.timer libvirt-guests.service; do
    : > "$T/etc/systemd/system/$unit"
  done
  ln -s /etc/systemd/system/libvirt-guests.service \
    "$T/etc/systemd/system/multi-user.target.wants/libvirt-guests.service"
  # shellcheck disable=SC2016 # for the machine
  run machine '
    wants() { (cd /etc/systemd/system/multi-user.target.wants && echo *); }
    gpuaas-host-bootstrap --mode slice > "$T/apply"; echo $?
    wants; (cd "$T/run" && echo active.*); mv "$T/ran" "$T/applied"
    gpuaas-host-bootstrap > "$T/again"; echo $?; : > "$T/ran"
    gpuaas-host-bootstrap --undo > /dev/null; wants; (cd "$T/run" && echo active.*)'
  assert_equal "$output" "0
gpuaas-dnsmasq.service gpuaas-host.service gpuaas-wipe.timer
active.gpuaas-dnsmasq.service active.gpuaas-wipe.timer
0
libvirt-guests.service
active.*"
  output=$(< "$T/again")
  jq_is 'select(.kind == "gpuaas.bootstrap/1") | "\(.changes) \(.left)"' "0 0"
  # systemd reads its units once, when all of them are enabled
  run sed -n 's/^systemctl \(.*able .*\|daemon-reload\)$/\1/p' "$T/applied"
  assert_equal "$(grep -c '^--quiet --no-reload ' <<< "$output") $(tail -n 1 <<< "$output") ${#lines[@]}" \
    "4 daemon-reload 5"
}

@test "LVM: a filter that accepts is a person's, one that rejects is repeated after ours" {
  setup_host lab1
  fakes
  mkdir -p "$T/etc/lvm"
  printf 'devices {\n\t# global_filter = [ "a|.*|" ]\n\tglobal_filter = [ "r|/dev/sd[z]|" ]\n}\n' \
    > "$T/etc/lvm/lvm.conf"
  printf 'local {\n}' > "$T/etc/lvm/lvmlocal.conf"
  run machine 'gpuaas-host-bootstrap --mode slice > /dev/null; cat /etc/lvm/lvmlocal.conf
    gpuaas-host-bootstrap --check > /dev/null; echo $?'
  assert_equal "$output" 'local {
}
# gpuaas-host-bootstrap begin
# Disks of slots: never scanned, never activated.
devices/global_filter = [ "r|^/dev/disk/by-id/nvme-eui[.]002538b1000000a1(-part[0-9]+)?$|", "r|^/dev/disk/by-id/nvme-eui[.]002538b1000000a2(-part[0-9]+)?$|", "r|/dev/sd[z]|" ]
# gpuaas-host-bootstrap end
0'
  rm -r "$T/etc.new" "$T/data"
  fakes
  printf 'devices {\n\tglobal_filter = [ "a|.*|" ]\n}\n' > "$T/etc/lvm/lvm.conf"
  # shellcheck disable=SC2016 # for the machine
  run machine 'gpuaas-host-bootstrap --mode slice > "$T/apply"; echo $?'
  assert_equal "$output" 1
  output=$(< "$T/apply")
  jq_is 'select(.state == "manual") | .subject' /etc/lvm/lvm.conf
}

@test "LVM itself reads the filter, and what it rejects is not seen" {
  command -v lvmconfig > /dev/null || skip "lvm2 is not installed"
  mkdir "$T/lvm"
  printf 'devices {\n\tglobal_filter = [ "r|/dev/sdz|" ]\n}\n' > "$T/lvm/lvm.conf"
  printf '%s\n' 'local {' '}' \
    'devices/global_filter = [ "r|^/dev/disk/by-id/nvme-eui[.]1(-part[0-9]+)?$|" ]' \
    > "$T/lvm/lvmlocal.conf"
  LVM_SYSTEM_DIR=$T/lvm LVM_SUPPRESS_FD_WARNINGS=1 run_ok lvmconfig devices/global_filter
  assert_output '"r|^/dev/disk/by-id/nvme-eui[.]1(-part[0-9]+)?$|"'
  LVM_SYSTEM_DIR=$T/lvm LVM_SUPPRESS_FD_WARNINGS=1 run_ok lvmconfig --validate
}

@test "md: the host's own arrays stay, a tenant's are not assembled, and a stopped one is not lost" {
  setup_host lab1
  fakes
  mkdir -p "$T/etc/mdadm"
  echo 'HOMEHOST <system>' > "$T/etc/mdadm/mdadm.conf"
  cat >> "$T/bin/mdadm" << 'EOF'
[[ ! -e $T/arrays ]] || echo 'ARRAY /dev/md/0 metadata=1.2 name=h:0 UUID=1:2:3:4'
EOF
  sed -i "s|\$T|$T|" "$T/bin/mdadm"
  : > "$T/arrays"
  # shellcheck disable=SC2016 # for the machine
  run machine 'gpuaas-host-bootstrap --mode slice > /dev/null; rm "$T/arrays"
    gpuaas-host-bootstrap > /dev/null; cat /etc/mdadm/mdadm.conf'
  assert_equal "$output" 'HOMEHOST <system>
# gpuaas-host-bootstrap begin
# Only the host'"'"'s own arrays are assembled, none on a disk of a slot.
ARRAY /dev/md/0 UUID=1:2:3:4
AUTO -all
# gpuaas-host-bootstrap end'
}

@test "a shared file edited since: undo takes out our block and nothing else" {
  setup_host lab1
  fakes
  start_libvirtd
  mkdir -p "$T/etc/mdadm"
  printf 'HOMEHOST <system>\nMAILADDR root\n' > "$T/etc/mdadm/mdadm.conf"
  # shellcheck disable=SC2016 # for the machine
  run machine 'gpuaas-host-bootstrap --mode slice > /dev/null
    sed -i s/root/ops/ /etc/mdadm/mdadm.conf; echo "# later" >> /etc/mdadm/mdadm.conf
    gpuaas-host-bootstrap --undo > /dev/null; echo $?; cat /etc/mdadm/mdadm.conf'
  assert_equal "$output" "0
HOMEHOST <system>
MAILADDR ops
# later"
  printf '# gpuaas-host-bootstrap begin\nhalf a block\n' > "$T/etc/mdadm/mdadm.conf"
  rm -r "$T/etc.new" "$T/data"
  fakes
  run machine 'gpuaas-host-bootstrap --mode slice 2>&1; echo $?; ls /etc/gpuaas 2>&1'
  [[ $output == *"the lines that begin and end our block in it do not match"* && $output == *$'\n4\n'* ]]
  [[ ${lines[-1]} == *"No such file"* ]]
}

@test "discovery: what grub.d asks for and the kernel lacks is a reboot; hints lead here" {
  setup_host lab1 cmdline=quiet
  fakes
  mkdir -p "$T/etc/default/grub.d"
  echo 'GRUB_CMDLINE_LINUX="$GRUB_CMDLINE_LINUX iommu=pt"' > "$T/etc/default/grub.d/60-gpuaas.cfg"
  echo 'GRUB_CMDLINE_LINUX="amd_iommu=on"' > "$T/etc/default/grub.d/60-gpuaas.cfg.old"
  run machine 'gpuaas-discover'
  jq_is 'select(.kind == "gpuaas.host/1") | .reboot_required' true
  jq_is 'select(.kind == "gpuaas.host/1") | .warnings[] | select(.code == "reboot_required") | "\(.subject) \(.evidence)"' \
    "iommu=pt it is in /etc/default/grub.d/60-gpuaas.cfg and not in /proc/cmdline"
  jq_is 'select(.kind == "gpuaas.host/1") | .prerequisites[] | select(.name == "disk_autoactivation") | .hint' \
    "run 'gpuaas-host-bootstrap --mode slice', which keeps LVM, md and multipath from the disks of slots"
  mkdir -p "$T/etc/udev/rules.d"
  echo 'ATTRS{wwid}=="eui.002538b1000000a1"' > "$T/etc/udev/rules.d/61-gpuaas.rules"
  run machine 'gpuaas-discover'
  jq_is 'select(.kind == "gpuaas.host/1") | .prerequisites[] | select(.name == "disk_autoactivation") | "\(.state) \(.evidence)"' \
    "missing rules of gpuaas in /etc/udev/rules.d name 1 disks, and not /dev/nvme1n1"
}

@test "a disk that holds something is reported before the host stops seeing it" {
  setup_host lab1
  fakes
  mkdir -p "$WORK/disks"
  truncate -s 16M "$WORK/disks/nvme1n1"
  mkswap -q "$WORK/disks/nvme1n1"
  chmod 1644 "$WORK/disks/nvme1n1"
  run --separate-stderr machine 'gpuaas-host-bootstrap --mode slice --dry-run'
  assert_status 0
  jq_is 'select(.step == "disks_udev") | .change' "write it; not empty now: nvme1n1: swap"
}

# ---- user-data ----

# The script that cloud-init writes to PATH.
script_of()
{
  awk -v path="$2" '
    /^  - path: / { mine = $3 == path; text = 0 }
    mine && /^    content: \|$/ { text = 1; next }
    text && /^      |^$/ { print substr($0, 7); next }
    { text = 0 }' "$1"
}

@test "user-data: valid for cloud-init, its scripts are sound, its options exist" {
  local file mode
  for mode in slice baremetal; do
    file=$SRC/packaging/cloud-init/$mode-host.yaml
    assert_equal "$(head -n 1 "$file")" "#cloud-config"
    if command -v cloud-init > /dev/null; then
      run_ok cloud-init schema -c "$file"
    fi
    if python3 -c 'import yaml' 2> /dev/null; then
      run_ok python3 -c 'import sys, yaml, json; json.dump(yaml.safe_load(open(sys.argv[1])), sys.stdout)' "$file"
      jq -e '(.packages | length > 3 and (unique | length) == length) and .runcmd == [["/usr/local/sbin/gpuaas-first-boot"]]
        and ([.write_files[] | .path and .permissions and .content] | all)' <<< "$output"
    fi
    script_of "$file" /usr/local/sbin/gpuaas-first-boot > "$T/first-boot"
    grep -q host-bootstrap "$T/first-boot"
    shellcheck -e SC1091,SC2154 "$T/first-boot"
    while read -r option; do
      gpuaas-host-bootstrap --introspect-cli |
        jq -e --arg o "$option" '[.command.options[].names[]] | index($o)' > "$T/out"
    done < <(sed -n '/gpuaas-host-bootstrap .*--/,/json/p' "$T/first-boot" | grep -o -- '--[a-z-]*')
    # The tag is one the program knows, and says this mode.
    make_image
    mkdir -p "$IMG/etc/gpuaas"
    script_of "$file" /etc/gpuaas/tags > "$IMG/etc/gpuaas/tags"
    run_ok gpuaas-host-bootstrap --root "$IMG" --dry-run
    jq_is 'select(.kind == "gpuaas.bootstrap/1") | "\(.mode) \(.mode_source)"' "$mode tag"
    rm -r "$IMG"
  done
}

@test "a whole machine: its settings, the rules of its disks, and nothing bound, bridged or tuned" {
  setup_host lab1 gpu.0.driver=nvidia
  fakes
  # shellcheck disable=SC2016 # for the machine
  run machine '
    gpuaas-host-bootstrap --mode baremetal > "$T/apply"; echo $?
    (cd /etc && find gpuaas sysctl.d udev modules-load.d lvm -type f 2> /dev/null)
    gpuaas-host-bootstrap --check > "$T/check"; echo $?
    head -c 6 /sys/bus/pci/devices/0000:18:00.0/driver_override; echo; nft list ruleset; ip -br link'
  [[ $output == $'0\ngpuaas/gpuaas.conf\nudev/rules.d/61-gpuaas.rules\nlvm/lvmlocal.conf\n0\n'* && $output != *ovsbr0* && $output != *table* ]]
  [[ $output != *vfio* ]]
  output=$(< "$T/check")
  jq_is 'select(.kind == "gpuaas.bootstrap/1") | "\(.mode) \(.ready) \(.changes)"' "baremetal true 0"
}

@test "on a terminal it shows the changes and asks; anything but yes changes nothing" {
  make_image
  before=$(photograph "$IMG")
  for answer in n '' no; do
    run script -qec "gpuaas-host-bootstrap --mode slice --root $IMG" /dev/null <<< "$answer"
    assert_status 1
    assert_output "/etc/modules-load.d/gpuaas.conf"
    assert_output "Make them now? [y/N]"
    assert_output "nothing was changed"
    assert_equal "$(photograph "$IMG")" "$before"
  done
  run script -qec "gpuaas-host-bootstrap --mode slice --root $IMG" /dev/null <<< y
  assert_status 0
  [[ -e $IMG/etc/modules-load.d/gpuaas.conf ]]
  run script -qec "gpuaas-host-bootstrap --root $IMG --hugepages 2M:64 --yes" /dev/null < /dev/null
  refute_output "[y/N]"
  assert_status 0
}

@test "a step that fails keeps no other, and the status says so" {
  setup_host lab1 gpu.0.driver=nvidia
  fakes
  # A recorded host binds nothing: the first GPU stays where it is.
  # shellcheck disable=SC2016 # for the machine
  run machine 'gpuaas-host-bootstrap --mode slice > "$T/apply" 2> "$T/err"; echo $?
    nft list table ip gpuaas > /dev/null && echo table'
  assert_equal "$output" "7
table"
  grep -q "bind 0000:18:00.0: '0000:18:00.0' is bound to 'nvidia'" "$T/err"
  output=$(< "$T/apply")
  jq_is 'select(.state == "failed") | .subject' 0000:18:00.0
  jq_is 'select(.step == "bind" and .state == "changed") | .subject' "0000:9a:00.0
0000:1a:00.1
0000:1a:00.2"
  jq_is 'select(.kind == "gpuaas.bootstrap/1") | "\(.left) \(.ready)"' "1 false"
}

@test "a reader that goes away does not stop the work" {
  make_image
  mkfifo "$T/fifo"
  background head -n 1 "$T/fifo"
  status=0
  gpuaas-host-bootstrap --mode slice --root "$IMG" --json > "$T/fifo" 2> "$T/err" || status=$?
  # Where all fitted into the pipe before the reader went, nothing was lost.
  [[ $status -eq 10 || $status -eq 0 ]]
  [[ -e $IMG/etc/gpuaas/dnsmasq.conf ]]
}

@test "a folder that was too narrow is opened for passing, and narrowed again" {
  make_image
  mkdir -m 700 "$IMG/var/lib/gpuaas"
  run_ok gpuaas-host-bootstrap --mode slice --root "$IMG"
  assert_equal "$(stat -c %a "$IMG/var/lib/gpuaas")" 711
  run_ok gpuaas-host-bootstrap --root "$IMG" --undo
  assert_equal "$(stat -c %a "$IMG/var/lib/gpuaas")" 700
  run_ok gpuaas-host-bootstrap --mode slice --root "$IMG"
  chmod 755 "$IMG/var/lib/gpuaas"
  run_status 1 gpuaas-host-bootstrap --root "$IMG" --undo
  jq_is 'select(.state == "left") | .subject' /var/lib/gpuaas
  assert_equal "$(stat -c %a "$IMG/var/lib/gpuaas")" 755
}
