# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Machines behind real ssh and sshd, without a network: ssh's ProxyCommand is `sshd -i`, so nothing
# listens and no port can be taken.
#
#   ssh_machines NAME…     keys and configuration of machines that let the controller's key in; sets
#                          GPUAAS_SSH. What a key may run is $T/ssh/NAME/run, an executable with the
#                          command in SSH_ORIGINAL_COMMAND: any command, until it is replaced
#   ssh_runs NAME          reads that executable from stdin
#   ssh_stop               ends the connections that are shared (in teardown)

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
  export GPUAAS_SSH=$dir/ssh XDG_RUNTIME_DIR=$T/r
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
