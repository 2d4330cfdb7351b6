# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared by the files of an example
#
# An installer reached by ssh, for deploy/50-ssh and release/50-ssh. Settings are in ssh.conf beside
# it, the machines of the nodes in machines: "NODE ADDRESS" a line, and the images that plans may
# name in images: "IMAGE FILE" a line.
#
# NETBOOT is the site's own executable, by BMC or boot server: "NETBOOT NODE installer" switches the
# machine off and on into the installer, an image in memory with gpuaas in it, which must answer by
# ssh with the host key on NETBOOT's standard input; "NETBOOT NODE disk" starts it from its disk.
# The key is made for that one start: whoever had the machine before never had it, and an installer
# that has not been started again cannot answer.

# shellcheck source=share/baremetal/answer.bash
source "$here/answer.bash"

installer_open()
{
  local file=$here/ssh.conf
  [[ -r $file ]] || fail "there is no '$file': see gpuaas-host(7)"
  netboot=$(setting "$file" NETBOOT)
  image=$(setting "$file" TENANT_IMAGE)
  image=$(image_of "$here/images" "$image")
  root=$(setting "$file" TENANT_ROOT_PARTITION 1)
  installer=$(setting "$file" INSTALLER_IMAGE)
  poll=$(setting "$file" POLL_SECONDS 10)
  limit=$(setting "$file" LIMIT_SECONDS 3600)
  login=$(setting "$file" SSH_USER root)
  ssh=$(setting "$file" SSH ssh)
  keyscan=$(setting "$file" SSH_KEYSCAN ssh-keyscan)
  ssh_key=$(setting "$file" SSH_KEY /root/.ssh/id_ed25519)
  [[ -x $netboot ]] || fail "NETBOOT '$netboot' in '$file' cannot be run"
  [[ $root =~ ^[0-9]{1,2}$ ]] || fail "TENANT_ROOT_PARTITION in '$file' is no number"
  machine=$(machine_of "$here/machines" "$node")
  machine=${machine%%[[:space:]]*}
  [[ $machine =~ ^[A-Za-z0-9.:-]+$ && $machine != -* ]] ||
    fail "'$here/machines' has no address for node '$node'"
  address=$machine
  private_folder
  deadline=$(($(now) + limit))
}

pause()
{
  (($(now) < deadline)) || fail "machine '$machine' is not $1 after $limit s: ${2:-no answer}"
  sleep "$poll"
}

new_host_key()
{
  ssh-keygen -q -t ed25519 -N '' -C "gpuaas $allocation" -f "$1"
}

# start HOW KEY: by the site's executable; the key goes in on its standard input
start()
{
  "$netboot" "$node" "$1" < "$2" > "$folder/said" 2> "$folder/why" ||
    fail "machine '$machine': '$netboot $node $1' failed: $(tail -n 1 "$folder/why")"
}

# remote COMMAND: on the installer, and on nothing else
remote()
{
  "$ssh" -F /dev/null -i "$ssh_key" -l "$login" -o BatchMode=yes -o ConnectTimeout=10 \
    -o IdentitiesOnly=yes -o StrictHostKeyChecking=yes -o GlobalKnownHostsFile=/dev/null \
    -o UserKnownHostsFile="$folder/known_hosts" -o HostKeyAlgorithms=ssh-ed25519 \
    -o ServerAliveInterval=15 -o ServerAliveCountMax=4 "$address" "$1" 2> "$folder/why"
}

# From whatever ran there into the installer; $answer is what it proves. Its node id is given to it:
# an image in memory has none of its own, and which machine it is the fingerprint tells.
boot_installer()
{
  local said approved
  new_host_key "$folder/installer"
  start installer "$folder/installer"
  printf '%s %s\n' "$address" "$(cut -d' ' -f1,2 < "$folder/installer.pub")" > "$folder/known_hosts"
  until said=$(remote 'cat /etc/gpuaas/image-id' < /dev/null); do
    pause "in the installer" "$(tail -n 1 "$folder/why")"
  done
  [[ $said == "$installer" ]] ||
    fail "machine '$machine' runs the image '${said:0:100}', not the installer '$installer'"
  said=$(remote "grep -qx GPUAAS_NODE=$node /etc/gpuaas/gpuaas.conf 2> /dev/null ||
    echo GPUAAS_NODE=$node >> /etc/gpuaas/gpuaas.conf; export GPUAAS_NODE=$node; $asked" < /dev/null) ||
    fail "machine '$machine': it cannot say what it is: $(tail -n 1 "$folder/why")"
  answer=$(proof "$installer" <<< "$said")
  approved=$(member fingerprint)
  [[ -z $approved || $(jq -r .fingerprint <<< "$answer") == "$approved" ]] ||
    fail "machine '$machine' is not the hardware that was approved as node '$node'"
}
