# SPDX-License-Identifier: Apache-2.0
# The unit files: what systemd says of them, how exposed each is, that every command in them is real
# and works with no more than the unit leaves it.

load helper

setup()
{
  common_setup
  UNITS=$T/units
  mkdir "$UNITS"
  for unit in "$SRC"/packaging/systemd/*.{service,timer,socket}; do
    sed "s|@bindir@|$GPUAAS_BUILD/bin|" "$unit" > "$UNITS/${unit##*/}"
  done
  # The one program of theirs that is not ours.
  [[ -x /usr/sbin/dnsmasq ]] || sed -i 's|/usr/sbin/dnsmasq|/bin/true|' "$UNITS/gpuaas-dnsmasq.service"
}

teardown()
{
  [[ -z ${LOOP-} ]] || losetup -d "$LOOP"
  common_teardown
}

# The value of a setting of a service; several lines are one.
setting()
{
  sed -n "s/^$2=//p" "$UNITS/$1.service" | paste -sd ' '
}

@test "systemd finds nothing wrong with the units" {
  command -v systemd-analyze > /dev/null || skip "systemd is missing"
  run_ok systemd-analyze verify --man=no "$UNITS"/*
  assert_equal "$output$stderr" ""
  # It would see a mistake.
  echo 'ProtectEverything=yes' >> "$UNITS/gpuaas-wipe.service"
  run systemd-analyze verify --man=no "$UNITS"/*
  assert_output "gpuaas-wipe.service"
}

# Tenths, as gpuaas-internals(7) has them. A unit that opens up fails here first.
@test "no unit is more exposed than the table says" {
  command -v systemd-analyze > /dev/null || skip "systemd is missing"
  mandoc -Tutf8 "$SRC/man/gpuaas-internals.7" | col -bx > "$T/page"
  for unit in "$UNITS"/*.service; do
    name=${unit##*/} name=${name%.service}
    most=$(sed -nE "s/^ *$name +([0-9])\.([0-9]): .*/\1\2/p" "$T/page")
    [[ -n $most ]] || { echo "gpuaas-internals(7) has no figure for $name"; false; }
    [[ $(systemd-analyze --version | head -n 1) == 'systemd 252 '* ]] || most=$((most + 3))
    run_ok systemd-analyze security --offline=true --threshold="$most" --no-pager "$unit"
    # Another systemd counts otherwise; with this one the table is exact.
    [[ $(systemd-analyze --version | head -n 1) == 'systemd 252 '* ]] || continue
    run ! systemd-analyze security --offline=true --threshold=$((most - 1)) --no-pager "$unit"
  done
}

@test "every service is hardened and says where to read on" {
  for unit in "$UNITS"/*.service; do
    for line in NoNewPrivileges=yes PrivateTmp=yes ProtectSystem=strict SystemCallArchitectures=native \
      DevicePolicy=closed RestrictNamespaces=yes ProtectKernelLogs=yes; do
      grep -qx "$line" "$unit" || { echo "$unit lacks $line"; false; }
    done
    for key in CapabilityBoundingSet SystemCallFilter RestrictAddressFamilies Documentation \
      ConditionPathExists; do
      # A service that a socket starts answers, whatever is there.
      [[ $key != ConditionPathExists || ! -e ${unit%.service}.socket ]] || continue
      grep -q "^$key=" "$unit" || { echo "$unit lacks $key"; false; }
    done
  done
  # Each timer has its service, and both are found by what follows their name.
  for timer in "$UNITS"/*.timer; do
    [[ -e ${timer%.timer}.service ]]
    grep -qx 'WantedBy=timers.target' "$timer"
  done
  for socket in "$UNITS"/*.socket; do
    [[ -e ${socket%.socket}.service ]]
    grep -qx 'WantedBy=sockets.target' "$socket"
  done
}

@test "the settings that two units share are the same" {
  diff <(sed -n '/PRIVILEGES/,/^UMask/p' "$UNITS/gpuaas-reconcile.service") \
    <(sed -n '/PRIVILEGES/,/^UMask/p' "$UNITS/gpuaas-reconcile-boot.service")
  # A release puts back what a repair does, in the same places.
  diff <(sed -n '/PRIVILEGES/,/^UMask/p' "$UNITS/gpuaas-reconcile.service") \
    <(sed -n '/PRIVILEGES/,/^UMask/p' "$UNITS/gpuaas-release.service")
}

@test "the commands in the units are command lines of the programs" {
  for unit in "$UNITS"/gpuaas-{host,wipe,reconcile,reconcile-boot,publish,release,serve}.service; do
    read -ra words < <(sed -n 's/^ExecStart=//p' "$unit")
    run_ok "${words[0]}" --introspect-cli
    known=$(jq -r ".command|..|.names?|arrays[]" <<< "$output")
    for word in "${words[@]:1}"; do
      [[ $word == --* ]] || continue
      grep -qxF -e "$word" <<< "$known" || { echo "${unit##*/}: ${words[0]} has no $word"; false; }
    done
  done
}

@test "the view for everybody is replaced whole and readable, and nothing else can be" {
  run_ok gpuaas-state init --lab
  run_ok gpuaas-state apply "$SRC/share/objects/lab.json"
  mkdir "$T/run"
  echo old > "$T/run/public.json"
  chmod 600 "$T/run/public.json"
  run_ok gpuaas-profile list --public --output "$T/run/public.json"
  assert_equal "$output" ""
  assert_equal "$(stat -c %a "$T/run/public.json")" 644
  assert_equal "$(ls "$T/run")" public.json
  jq -e '.madeAt and (.profiles|map(.kind)|unique == ["gpuaas.hardware-profile/1"])' "$T/run/public.json"
  # The time of the list is the only difference from what is printed.
  diff <(jq_in_order -c '.profiles[]|del(.madeAt)' "$T/run/public.json") \
    <(gpuaas-profile list --public --json | jq_in_order -c 'del(.madeAt)')
  # A publication that cannot be finished leaves the old file, and no half of a new one beside.
  cp "$T/run/public.json" "$T/before"
  run_status 5 gpuaas-profile list --public --output "$T/run/public.json" --state "$T/none.db"
  cmp "$T/before" "$T/run/public.json"
  run_status 10 gpuaas-profile list --public --output "$T/nowhere/public.json"
  assert_stderr "its folder must be there"
  run_status 2 gpuaas-profile list --output "$T/run/all.json"
  assert_stderr "for everybody"
  run_status 2 gpuaas-profile list --public --team t --output "$T/run/all.json"
  assert_equal "$(ls "$T/run")" public.json
}

# ---- the programs within what the units leave them ----

# The system calls of a filter such as "@system-service ~@privileged @chown", in its order.
calls_of()
{
  systemd-analyze syscall-filter 2> /dev/null | awk -v filter="$1" '
    /^@/ { set = $1 }
    /^    [@a-z0-9_-]+$/ { members[set] = members[set] " " $1 }
    function change(word, add,   names, n, i) {
      if (word !~ /^@/) {
        left[word] = add
        return
      }
      n = split(members[word], names, " ")
      for (i = 1; i <= n; i++)
        change(names[i], add)
    }
    END {
      n = split(filter, words, " ")
      for (i = 1; i <= n; i++)
        change(substr(words[i], 1 + (words[i] ~ /^~/)), words[i] !~ /^~/)
      for (name in left)
        if (left[name])
          print name
    }' | sort
}

# fits UNIT TRACE: every call and every address family of a trace is allowed to the unit.
fits()
{
  local filter
  filter=$(setting "$1" SystemCallFilter)
  calls_of "${filter//\~@privileged @resources/\~@privileged \~@resources}" > "$T/allowed"
  [[ $(wc -l < "$T/allowed") -gt 100 ]]
  sed -nE 's/^[0-9]+ +([a-z0-9_]+)\(.*/\1/p' "$2" | sort -u > "$T/used"
  grep -qx openat "$T/used"
  # Calls that fail softly: glibc reads its limits, umockdev's preload is not ours.
  run_ok comm -13 "$T/allowed" "$T/used"
  assert_equal "$output" "${3-}"
  setting "$1" RestrictAddressFamilies | tr ' ' '\n' | sort > "$T/allowed"
  sed -nE 's/^[0-9]+ +socket\((AF_[A-Z0-9]+),.*/\1/p' "$2" | sort -u > "$T/used"
  run_ok comm -13 "$T/allowed" "$T/used"
  assert_equal "$output" ""
}

# traced CMD…: with its system calls in $T/trace; a leak check cannot run under strace
traced()
{
  ASAN_OPTIONS=${ASAN_OPTIONS-}:detect_leaks=0 strace -f -qq -o "$T/trace" "$@"
}

# confined UNIT CMD…: with the unit's capabilities, no new privileges, everything but $T read-only
# where ProtectSystem=strict makes it so. In a network of its own with a bridge br0 when BRIDGE says.
confined()
{
  local caps
  caps=$(setting "$1" CapabilityBoundingSet | tr 'A-Z ' 'a-z,' | sed 's/cap_/+/g')
  # shellcheck disable=SC2016 # for the inner shell
  export BRIDGE
  unshare --mount --propagation slave ${BRIDGE:+--net} bash -c 'if [[ ${BRIDGE-} ]]; then
      ip link add br0 type bridge && ip addr add 10.100.0.1/24 dev br0 && ip link set br0 up
    fi &&
    mount --rbind / /mnt && mount -o remount,bind,ro /mnt &&
    cd /mnt && pivot_root . mnt && umount -l /mnt && caps=$1 && shift &&
    exec setpriv --no-new-privs --bounding-set="-all,$caps" "$@"' - "$caps" "${@:2}"
}

needs_root()
{
  ((EUID == 0)) || skip "root is needed to give privileges up"
}

@test "publish works within its unit" {
  needs_root
  run_ok gpuaas-state init --lab
  run_ok gpuaas-state apply "$SRC/share/objects/lab.json"
  mkdir "$T/run"
  run_ok confined gpuaas-publish gpuaas-profile list --public --output "$T/run/public.json"
  [[ -s $T/run/public.json ]]
  traced gpuaas-profile list --public --output "$T/run/public.json"
  [[ $GPUAAS_BUILD == *asan* ]] || fits gpuaas-publish "$T/trace"
  # It is confined.
  run_status 10 confined gpuaas-publish gpuaas-profile list --public --output /usr/public.json
  assert_stderr "Read-only"
}

@test "serve works within its unit, on the socket it is passed" {
  needs_root
  echo '{"profiles":[]}' > "$T/public.json"
  chmod 755 "$T"
  cat > "$T/activate" << 'END'
import os, socket, sys
s = socket.create_server(("127.0.0.1", 0))
with open(sys.argv[1] + ".new", "w") as f:
    f.write(str(s.getsockname()[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
os.dup2(s.fileno(), 3)
os.set_inheritable(3, True)
os.environ.update(LISTEN_FDS="1", ASAN_OPTIONS="detect_leaks=0")
os.execvp(sys.argv[2], sys.argv[2:])
END
  background python3 "$T/activate" "$T/port" strace -f -qq -o "$T/trace" setpriv --reuid 65534 --regid 65534 \
    --clear-groups --no-new-privs --bounding-set=-all bash -c 'LISTEN_PID=$$ exec "$@"' - \
    "$GPUAAS_BUILD/bin/gpuaas-serve" --file "$T/public.json" --idle 1s
  wait_for 30 test -s "$T/port"
  run_ok curl -sSf --max-time 60 "http://127.0.0.1:$(< "$T/port")/api/hardware-profiles"
  assert_equal "$output" '{"profiles":[]}'
  wait_for 60 has_ended "$BG_PID"
  # None of it opens a socket of its own, and what gave privileges up before is not the unit's.
  sed -i '1,/execve("[^"]*gpuaas-serve"/d' "$T/trace"
  [[ $GPUAAS_BUILD == *asan* ]] || fits gpuaas-serve "$T/trace"
}

@test "backup works within its unit" {
  needs_root
  run_ok gpuaas-state init --lab
  mkdir "$T/run"
  run_ok confined gpuaas-backup gpuaas-state backup --keep 2 --json "$T/run/backup"
  [[ -s $(jq -r .path <<< "$output") ]]
  traced gpuaas-state backup --keep 2 --json "$T/run/backup"
  [[ $GPUAAS_BUILD == *asan* ]] || fits gpuaas-backup "$T/trace"
  run_status 10 confined gpuaas-backup gpuaas-state backup --keep 2 /usr/backup
  assert_stderr "Read-only"
}

@test "metrics are written within their unit" {
  needs_root
  run_ok gpuaas-state init --lab
  mkdir "$T/run"
  run_ok confined gpuaas-export gpuaas-export openmetrics --output "$T/run/gpuaas.prom"
  grep -qx '# EOF' "$T/run/gpuaas.prom"
  traced gpuaas-export openmetrics --output "$T/run/gpuaas.prom"
  [[ $GPUAAS_BUILD == *asan* ]] || fits gpuaas-export "$T/trace"
  run_status 10 confined gpuaas-export gpuaas-export openmetrics --output /usr/gpuaas.prom
  assert_stderr "Read-only"
}

@test "hooks get notices within their unit" {
  needs_root
  run_ok gpuaas-state init --lab
  setup_host h200
  in_host gpuaas-discover --node h1 > "$T/seen"
  run_ok gpuaas-approve --record-only < "$T/seen"
  state_sql "UPDATE node SET blockers = '[{\"code\":\"x\",\"subject\":\"x\",\"evidence\":\"x\",\"hint\":\"x\"}]',
    generation = generation + 1"
  mkdir "$T/hooks"
  printf '#!/bin/sh\ncat >> %q\n' "$T/told" > "$T/hooks/a"
  chmod 755 "$T/hooks" "$T/hooks/a"
  run_ok confined gpuaas-notify gpuaas-state notify --json --hooks "$T/hooks"
  jq_slurp_is "all(.[]; .told)" true
  [[ -s $T/told ]]
  # One more to tell.
  printf '#!/bin/sh\ncat >> %q\n' "$T/told" > "$T/hooks/b"
  chmod 755 "$T/hooks/b"
  traced gpuaas-state notify --json --hooks "$T/hooks" > "$T/out"
  [[ -s $T/out ]]
  [[ $GPUAAS_BUILD == *asan* ]] || fits gpuaas-notify "$T/trace"
}

@test "wipe works within its unit, on a block device with another's files open" {
  needs_root
  truncate -s 32M "$T/backing"
  LOOP=$(losetup -f --show "$T/backing" 2> /dev/null) || skip "no loop device"
  head -c 1M /dev/urandom > "$LOOP"
  id=$(gpuaas-wipe --device "$LOOP" --dry-run | jq -r .device.wwid)
  # The guard looks into processes of other users: without that right it doubts.
  setpriv --reuid=65534 --regid=65534 --clear-groups sleep 1000 3>&- &
  BG+=($!)
  run_ok confined gpuaas-wipe gpuaas-wipe --device "$LOOP" --confirm "$id" --class clear
  jq_is .outcome confirmed
  sed -i 's/ CAP_SYS_PTRACE//' "$UNITS/gpuaas-wipe.service"
  run_status 4 confined gpuaas-wipe gpuaas-wipe --device "$LOOP" --confirm "$id" --class clear
  jq_is .outcome not_started
  traced gpuaas-wipe --device "$LOOP" --confirm "$id" --class clear > "$T/out"
  [[ $GPUAAS_BUILD == *asan* ]] || fits gpuaas-wipe "$T/trace"
  losetup -d "$LOOP"
  LOOP=
}

@test "dnsmasq works within its unit, as a user of its own" {
  needs_root
  [[ -x /usr/sbin/dnsmasq ]] || skip "dnsmasq is missing"
  mkdir "$T/hosts" "$T/run"
  chmod 711 "$T"
  printf '%s\n' interface=br0 except-interface=lo bind-dynamic no-hosts port=0 dhcp-authoritative \
    dhcp-range=10.100.0.0,static,255.255.255.0,12h "dhcp-hostsdir=$T/hosts" \
    "dhcp-leasefile=$T/leases" > "$T/dnsmasq.conf"
  sed -n '/^ExecStart=/,/[^\\]$/p' "$UNITS/gpuaas-dnsmasq.service" | tr -d '\\\n' |
    sed "s|ExecStart=||; s|/etc/gpuaas|$T|; s|/run/gpuaas|$T/run|" > "$T/command"
  read -ra command <<< "$(cat "$T/command")"
  BRIDGE=yes confined gpuaas-dnsmasq strace -f -qq -o "$T/trace" "${command[@]}" 3>&- &
  BG+=($!)
  wait_for 30 test -s "$T/run/dnsmasq.pid"
  wait_for 30 grep -q 'inotify_add_watch\|setuid(' "$T/trace"
  pid=$(cat "$T/run/dnsmasq.pid")
  wait_for 30 grep -q "^Uid:.$(id -u dnsmasq)" "/proc/$pid/status"
  kill "$pid"
  wait_for 30 has_ended "$pid"
  [[ -e $T/leases ]]
  fits gpuaas-dnsmasq "$T/trace"
}

@test "the timers' commands, and what reconcile finishes, fit the filters of their units" {
  load lab
  command -v strace > /dev/null || skip "strace is missing"
  [[ $GPUAAS_BUILD != *asan* ]] || skip "the sanitizers' own system calls are not the unit's"
  make_lab
  gpuaas-place --profile lab --gpus 1 --project vision --name job > "$T/plan"
  # Killed when it had just cloned: reconcile goes on with it, so it needs what provision needs.
  gcc -shared -fPIC -o "$T/kill_at.so" "$SRC/tests/kill_at.c" -ldl
  run_status 10 in_host env LD_PRELOAD="$T/kill_at.so:libumockdev-preload.so.0" \
    KILL_AT='"phase":"clone","state":"finished"' gpuaas-provision --progress json "$T/plan"
  in_host strace -f -qq -o "$T/trace" gpuaas-reconcile --repair --json < /dev/null > "$T/out"
  allocation_is active
  fits gpuaas-reconcile "$T/trace"
  in_host gpuaas-release job > "$T/released"
  in_host strace -f -qq -o "$T/trace" gpuaas-wipe --pending --unanswered --progress none > "$T/out"
  assert_equal "$(jq -r .outcome "$T/out")" confirmed
  fits gpuaas-wipe "$T/trace"
}

@test "results of a timer on a host without a state are not lost: the state gets them when it asks" {
  load lab
  make_lab
  node=$(gpuaas-list nodes | jq -r .node)
  gpuaas-place --profile lab --gpus 1 --project vision --name job > "$T/plan"
  there gpuaas-provision "$T/plan" > "$T/results"
  fold "$T/results"
  GPUAAS_NODE=elsewhere gpuaas-release job > "$T/order"
  there gpuaas-release < "$T/order" > "$T/released"
  fold "$T/released"
  slots_are wiping available
  # Its output goes to the journal, and nobody reads it.
  there gpuaas-wipe --pending --unanswered --progress none --json > "$T/journal"
  assert_equal "$(jq -r .outcome "$T/journal")" confirmed
  slots_are wiping available
  # Told once more and again, until the state has it; the timer has nothing to do meanwhile.
  run_ok there gpuaas-wipe --pending --unanswered --progress none --json
  assert_equal "$output" ""
  gpuaas-state expect --node "$node" | there gpuaas-reconcile --repair - > "$T/told" || :
  assert_equal "$(jq -rs 'map(select(.kind=="gpuaas.wipe-evidence/1").outcome)|join(" ")' "$T/told")" confirmed
  fold "$T/told"
  slots_are available available
  [[ ! -e $T/nowhere.db ]]
  gpuaas-state expect --node "$node" | run_ok there gpuaas-reconcile --repair -
}

@test "a wipe that ended with less than confirmed is not begun again by the timer" {
  load lab
  make_lab
  gpuaas-place --profile lab --gpus 1 --project vision --name job > "$T/plan"
  here gpuaas-provision "$T/plan" > "$T/results"
  here gpuaas-release job > "$T/released"
  disk=$(here gpuaas-discover | jq -r --arg w "$(jq -r 'select(.kind=="gpuaas.wipe-order/1").nvme_wwid' \
    "$T/released")" 'select(.kind=="gpuaas.candidate/1" and .nvme.wwid==$w).nvme.path')
  sleep 1000 < "$WORK/disks/${disk##*/}" 3>&- &
  BG+=($!)
  run_status 4 here gpuaas-wipe --pending --unanswered --progress none
  jq_is .outcome not_started
  kill "${BG[-1]}"
  wait_for 10 has_ended "${BG[-1]}"
  run_ok here gpuaas-wipe --pending --unanswered --progress none
  assert_equal "$output" ""
  slots_are cleanup_blocked available
  # A person's repair makes a new order.
  slot=$(gpuaas-list slots --where state=cleanup_blocked | jq -r .slot)
  gpuaas-approve repair "$slot" --reason 'the disk was held' > "$T/orders"
  here gpuaas-wipe < "$T/orders" > "$T/wiped"
  slots_are available available
}

@test "gpuaas-host works within its unit: what a reboot lost comes back" {
  needs_root
  [[ $GPUAAS_BUILD != *asan* ]] || skip "the sanitizers' own system calls are not the unit's"
  load bootstrap
  setup_host lab1
  fakes
  run machine 'gpuaas-host-bootstrap --mode slice > "$T/apply"; echo $?'
  assert_equal "$output" 0
  caps=$(setting gpuaas-host CapabilityBoundingSet | tr 'A-Z ' 'a-z,' | sed 's/cap_/+/g')
  # shellcheck disable=SC2016 # for the machine
  run machine 'ip link add ovsbr0 type bridge # as the switch does when it starts
    ASAN_OPTIONS=detect_leaks=0 setpriv --no-new-privs --bounding-set="-all,$1" strace -f -qq -o "$T/trace" \
      gpuaas-host-bootstrap --boot > "$T/boot"; echo $?
    cat /sys/bus/pci/devices/0000:18:00.0/driver_override
    ip -4 -br addr show ovsbr0; nft list table ip gpuaas > /dev/null && echo table' "$caps"
  [[ ${lines[0]} == 0 && ${lines[1]} == vfio-pci && $output == *10.100.0.1/24*table ]]
  # Programs it runs are the real ones but for those of Open vSwitch.
  fits gpuaas-host "$T/trace"
}
