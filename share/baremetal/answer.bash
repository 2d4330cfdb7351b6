# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared by the files of an example
#
# The examples share this: how they fail, read settings, and let the trusted system prove itself.
# Copied to the folder above deploy and release; every executable there reads it from there.
#
# gpuaas runs an executable with PATH=/usr/sbin:/usr/bin:/sbin:/bin and nothing else of the
# environment: what a site sets stands in a file beside this one.

# fail SENTENCE: the last line on standard error is what gpuaas repeats.
fail()
{
  echo "$*" >&2
  exit 1
}

say()
{
  echo "$*" >&2
}

# private FILE: refuses a file that others than its owner can read, or that is another user's.
private()
{
  local mode owner
  [[ -f $1 && ! -L $1 ]] || fail "there is no file '$1'"
  read -r mode owner < <(stat -c '%a %u' -- "$1")
  [[ $mode == ?00 && ($owner == 0 || $owner == "$EUID") ]] ||
    fail "'$1' holds a secret and can be read by others: chmod 600 '$1'"
}

# setting FILE KEY [DEFAULT]: KEY=VALUE of a file; a line is text, never run.
setting()
{
  local line value
  while IFS= read -r line || [[ -n $line ]]; do
    [[ $line != "$2="* ]] || value=${line#*=}
  done < "$1"
  if [[ -z ${value-} && $# -lt 3 ]]; then
    fail "'$1' does not set $2"
  fi
  printf '%s\n' "${value:-${3-}}"
}

# The line "NODE …" of the file machines, without the node; fails when there is none.
machine_of()
{
  local node rest
  while read -r node rest; do
    [[ $node != "$2" ]] || { printf '%s\n' "$rest"; return 0; }
  done < "$1"
  fail "'$1' has no line for node '$2': it says which machine that is"
}

# image_of FILE DEFAULT: what the tool calls the image that the plan in $order wants, from a line
# "IMAGE WHAT" of the file images; DEFAULT when the plan wants none, as an order of release does.
image_of()
{
  local want name what
  want=$(jq -r '.tenant_image.name // empty' <<< "$order")
  [[ -n $want ]] || { printf '%s\n' "$2"; return 0; }
  [[ -r $1 ]] || fail "the plan wants image '$want', and there is no file '$1' that says what it is here"
  while read -r name what; do
    [[ $name != "$want" || -z $what ]] || { printf '%s\n' "$what"; return 0; }
  done < "$1"
  fail "the plan wants image '$want', and '$1' has no line for it: it says what the image is here"
}

# now: seconds that only go forward
now()
{
  local up
  read -r up _ < /proc/uptime
  echo "${up%.*}"
}

# member NAME: of the order in $order
member()
{
  jq -r --arg m "$1" '.[$m] // empty' <<< "$order"
}

# Reads the order from standard input into $order, and $allocation and $node out of it.
read_order()
{
  order=$(cat)
  allocation=$(member allocation)
  node=$(member node)
  [[ -n $allocation && $node =~ ^[A-Za-z0-9._-]+$ ]] || fail "there is no order on standard input"
}

# Reads the question of status from standard input into $order and $node; its allocation may be null.
read_question()
{
  order=$(cat)
  allocation=$(member allocation)
  node=$(member node)
  [[ $node =~ ^[A-Za-z0-9._-]+$ ]] || fail "there is no question on standard input"
}

# A folder of this run's own, with nothing left of it at the end.
private_folder()
{
  local in=/tmp
  umask 077
  [[ ! -w /run ]] || in=/run # in memory
  folder=$(mktemp -d "$in/gpuaas-metal.XXXXXX")
  trap 'rm -rf -- "$folder"' EXIT
}

# host_config KEY_FILE: cloud-config of a system that must answer with this host key, and lets the
# public keys in $keys in
host_config()
{
  local line
  echo "#cloud-config"
  echo "ssh_deletekeys: true"
  echo "ssh_keys:"
  echo "  ed25519_private: |"
  while IFS= read -r line; do
    echo "    $line"
  done < "$1"
  echo "  ed25519_public: $(cut -d' ' -f1,2 < "$1.pub")"
  authorized_keys
}

# trusted_config KEY_FILE: the same for the trusted system, which must know the id of its node: that
# of its disk is another one
trusted_config()
{
  host_config "$1"
  echo "write_files:"
  echo "- path: /etc/gpuaas/gpuaas.conf"
  echo "  append: true"
  echo "  content: |"
  echo "    GPUAAS_NODE=$node"
}

# authorized_keys: the public keys in $keys, a line each, as cloud-init reads them
authorized_keys()
{
  [[ -n $keys ]] || return 0
  echo "ssh_authorized_keys:"
  jq -Rc 'select(length > 0) | "- " + tojson' <<< "$keys" | jq -r .
}

# The commands that the trusted system runs: discovery, then the identity of every disk it sees.
# shellcheck disable=SC2016 # it is expanded there
asked='gpuaas-discover --json || exit; for f in /sys/class/block/*/wwid /sys/class/block/*/device/wwid
  do id=$(cat "$f" 2> /dev/null) && printf "disk %s\n" "$id"; done; :'

# proof IMAGE: reads what the trusted system said to $asked, prints the answer.
proof()
{
  local said host disks
  said=$(cat)
  host=$(grep -m 1 '^{"kind":"gpuaas.host/1"' <<< "$said") ||
    fail "machine '$machine' does not say what it is: gpuaas-discover printed no host record"
  [[ $(jq -r .node <<< "$host") == "$node" ]] ||
    fail "machine '$machine' says it is node '$(jq -r .node <<< "$host")', not '$node'"
  disks=$(sed -n 's/^disk //p' <<< "$said" | jq -Rnc '[inputs | select(length > 0)] | unique')
  jq -c --arg image "$1" --arg machine "$machine" --arg address "$address" --argjson disks "$disks" \
    '{boot_id, image: $image, fingerprint, machine: $machine, address: $address, disks: $disks}' \
    <<< "$host"
}
