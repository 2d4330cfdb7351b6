# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # TEST_URI is for the tests; output is set by run
#
# Machines behind real ssh and sshd, without a network: ssh's ProxyCommand is `sshd -i`, so nothing
# listens and no port can be taken.
#
#   ssh_machines NAME…     keys and configuration of machines that let the controller's key in; sets
#                          it as gpuaas-on's ssh. A key runs $T/ssh/NAME/run, an executable with the
#                          command in SSH_ORIGINAL_COMMAND: any command, until it is replaced
#   ssh_runs NAME          reads that executable from stdin
#   ssh_stop               ends the connections that are shared (in teardown)
#   three_hosts NAME…      a state, and these machines as nodes of it that run the real programs, each
#                          in a recorded host and with a libvirt of its own; the controller's key
#                          runs gpuaas-host-shell there. Sets TEST_URI[NAME]
#   stop_hosts             ends their libvirts (in teardown)
#   line COMMANDS          runs a pipeline, which must succeed; its output is in $T/line
#   tee_to FILE CMD…       so that what runs elsewhere can see what has arrived
#   ends, failures         of $output: "NODE COMPLETE …" and "NODE CODE STATUS, …", sorted

ssh_machines()
{
  local name dir=$T/ssh
  mkdir -p "$dir" "$T/r"
  # sshd insists on this folder when root runs it; its service makes it.
  ((EUID)) || mkdir -p /run/sshd
  ssh-keygen -q -t ed25519 -N '' -C controller -f "$dir/key"
  for name; do
    mkdir -p "$dir/$name"
    ssh-keygen -q -t ed25519 -N '' -C "$name" -f "$dir/$name/host_key"
    echo "$name $(cut -d ' ' -f 1,2 "$dir/$name/host_key.pub")" >> "$dir/known_hosts"
    echo "restrict,command=\"$dir/$name/run\" $(< "$dir/key.pub")" > "$dir/$name/authorized_keys"
    # shellcheck disable=SC2016 # for the inner shell
    ssh_runs "$name" <<< 'exec sh -c "$SSH_ORIGINAL_COMMAND"'
    cat > "$dir/$name/sshd_config" <<CONF
HostKey $dir/$name/host_key
AuthorizedKeysFile $dir/$name/authorized_keys
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin forced-commands-only
PidFile none
LogLevel ERROR
CONF
    cat >> "$dir/config" <<CONF
Host $name
  HostKeyAlias $name
  ProxyCommand /usr/sbin/sshd -i -f $dir/$name/sshd_config -E $dir/$name/log
CONF
  done
  cat >> "$dir/config" <<CONF
Host *
  IdentityFile $dir/key
  IdentitiesOnly yes
  IdentityAgent none
  GlobalKnownHostsFile none
  UserKnownHostsFile $dir/known_hosts
CONF
  printf '#!/bin/sh\nexec ssh -F %s/config "$@"\n' "$dir" > "$dir/ssh"
  chmod +x "$dir/ssh"
  on_by "$dir/ssh"
  export XDG_RUNTIME_DIR=$T/r
}

# on_by SSH: gpuaas-on takes that program for ssh, as gpuaas.conf says
on_by()
{
  ((EUID == 0)) || skip "gpuaas.conf is root's"
  mkdir -p "$T/on"
  printf '#!/bin/sh\nexec "%s/tests/own-conf" "GPUAAS_SSH=%s" "%s/bin/gpuaas-on" "$@"\n' "$SRC" "$1" \
    "$GPUAAS_BUILD" > "$T/on/gpuaas-on"
  chmod +x "$T/on/gpuaas-on"
  [[ $PATH == "$T/on:"* ]] || PATH=$T/on:$PATH
}

ssh_runs()
{
  { echo '#!/bin/bash'; cat; } > "$T/ssh/$1/run.new"
  chmod +x "$T/ssh/$1/run.new"
  mv "$T/ssh/$1/run.new" "$T/ssh/$1/run"
}

ssh_stop()
{
  local socket
  for socket in "$T"/r/gpuaas-on/*; do
    [[ ! -S $socket ]] || ssh -F none -o ControlPath="$socket" -O exit controller 2> /dev/null || :
  done
}

three_hosts()
{
  local n i=0
  declare -gA TEST_URI
  mkdir -p "$T/images"
  truncate -s 4M "$T/images/lab.raw"
  gpuaas-state init --lab > "$T/made"
  gpuaas-state apply "$SRC/share/objects/lab.json" >> "$T/made"
  for n in "$@"; do
    i=$((i + 1))
    mkdir -p "$T/$n/dhcp"
    libvirtd_start "$T/lv$n"
    TEST_URI[$n]=$LIBVIRTD_URI
    generate_host "$T/$n/host" lab1 "nvme.1.serial=S64FNE0L10000$i" \
      "nvme.1.eui=002538b10000000$i" "nvme.2.serial=S64FNE0L20000$i" "nvme.2.eui=002538b20000000$i" \
      "boot_id=1ab10000-0000-4000-8000-00000000000$i"
    # As in_host: the sanitizers' reports are their exit status in there.
    ssh_runs "$n" << RUN
export ASAN_OPTIONS='${ASAN_OPTIONS/log_path=*([^:]):/}' UBSAN_OPTIONS='${UBSAN_OPTIONS/log_path=*([^:]):/}'
export LSAN_OPTIONS='$LSAN_OPTIONS' PATH=$GPUAAS_BUILD/bin:\$PATH GPUAAS_NODE=$n GPUAAS_LIBVIRT_URI='$LIBVIRTD_URI'
export GPUAAS_STATE=$T/$n/nowhere.db GPUAAS_HOST_DIR=$T/$n/hostdir GPUAAS_IMAGES=$T/$n/kept
export GPUAAS_DHCP_HOSTS=$T/$n/dhcp GPUAAS_LEASES=$T/$n/leases
exec "$SRC/tests/hosts/enter" "$T/$n/host" "$T/$n/work" -- gpuaas-host-shell
RUN
    # A node becomes known by its first discovery, which somebody looks at.
    "$T/ssh/ssh" "$n" gpuaas-discover | gpuaas-approve --record-only > "$T/$n.recorded"
    jq -nc --arg n "$n" '{kind: "gpuaas.node-settings/1", node: $n, address: $n}' |
      gpuaas-state apply - >> "$T/made"
  done
}

stop_hosts()
{
  local n
  for n in h1 h2 h3; do
    [[ ! -d $T/lv$n ]] || libvirtd_stop "$T/lv$n"
  done
}

line()
{
  bash -o pipefail -c "$1" > "$T/line" 2> "$T/words" || { echo "status $?: $1"; cat "$T/line" "$T/words"; return 1; }
}

tee_to()
{
  "${@:2}" | tee "$1"
  return "${PIPESTATUS[0]}"
}

ends()
{
  jq -rs 'map(select(.kind == "gpuaas.node-end/1")) | sort_by(.node)
    | map("\(.node) \(.complete)") | join(" ")' <<< "$output"
}

failures()
{
  jq -rs 'map(select(.kind == "gpuaas.failure/1")) | sort_by(.node)
    | map("\(.node) \(.code) \(.status)") | join(", ")' <<< "$output"
}
