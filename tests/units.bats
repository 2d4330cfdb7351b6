# SPDX-License-Identifier: Apache-2.0
# The unit files: what systemd says of them, how exposed each is, that every command in them is real
# and works with no more than the unit leaves it.

load helper

setup()
{
  common_setup
  UNITS=$T/units
  mkdir "$UNITS"
  for unit in "$SRC"/packaging/systemd/*.{service,timer}; do
    sed "s|@bindir@|$GPUAAS_BUILD/bin|" "$unit" > "$UNITS/${unit##*/}"
  done
  # What is not here yet, or not ours.
  [[ -e $SRC/bin/gpuaas-host-bootstrap.c ]] ||
    sed -i "s|$GPUAAS_BUILD/bin/gpuaas-host-bootstrap|/bin/true|" "$UNITS/gpuaas-host.service"
  [[ -x /usr/sbin/dnsmasq ]] || sed -i 's|/usr/sbin/dnsmasq|/bin/true|' "$UNITS/gpuaas-dnsmasq.service"
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

# Tenths, as gpuaas-hacking(7) has them. A unit that opens up fails here first.
@test "no unit is more exposed than the table says" {
  command -v systemd-analyze > /dev/null || skip "systemd is missing"
  mandoc -Tutf8 "$SRC/man/gpuaas-hacking.7" | col -bx > "$T/page"
  for unit in "$UNITS"/*.service; do
    name=${unit##*/} name=${name%.service}
    most=$(sed -nE "s/^ *$name +([0-9])\.([0-9]) .*/\1\2/p" "$T/page")
    [[ -n $most ]] || { echo "gpuaas-hacking(7) has no figure for $name"; false; }
    run_ok systemd-analyze security --offline=true --threshold="$most" --no-pager "$unit"
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
      grep -q "^$key=" "$unit" || { echo "$unit lacks $key"; false; }
    done
  done
  # Each timer has its service, and both are found by what follows their name.
  for timer in "$UNITS"/*.timer; do
    [[ -e ${timer%.timer}.service ]]
    grep -qx 'WantedBy=timers.target' "$timer"
  done
}

@test "the settings that two units share are the same" {
  diff <(sed -n '/PRIVILEGES/,/^UMask/p' "$UNITS/gpuaas-reconcile.service") \
    <(sed -n '/PRIVILEGES/,/^UMask/p' "$UNITS/gpuaas-reconcile-boot.service")
}

@test "the commands in the units are command lines of the programs" {
  for unit in "$UNITS"/gpuaas-{wipe,reconcile,reconcile-boot,publish}.service; do
    read -ra words < <(sed -n 's/^ExecStart=//p' "$unit")
    run_ok "${words[0]}" --introspect-cli
    known=$(jq -r '.command.options[].names[]' <<< "$output")
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
  run_ok gpuaas-list public --output "$T/run/public.json"
  assert_equal "$output" ""
  assert_equal "$(stat -c %a "$T/run/public.json")" 644
  assert_equal "$(ls "$T/run")" public.json
  jq -e '.kind == "gpuaas.public/1"' "$T/run/public.json"
  # The time of the list is the only difference from what is printed.
  diff <(jq -c 'del(.at)' "$T/run/public.json") <(gpuaas-list --public --json | jq -c 'del(.at)')
  # What cannot be finished leaves what was there, and no half of it beside.
  cp "$T/run/public.json" "$T/before"
  run_status 5 gpuaas-list public --output "$T/run/public.json" --state "$T/none.db"
  cmp "$T/before" "$T/run/public.json"
  run_status 10 gpuaas-list public --output "$T/nowhere/public.json"
  assert_stderr "its folder must be there"
  run_status 2 gpuaas-list slots --output "$T/run/slots.json"
  assert_stderr "not for them"
  assert_equal "$(ls "$T/run")" public.json
}
