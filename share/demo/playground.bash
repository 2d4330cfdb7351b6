# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# The playground of the demo: a recorded host, a state, disks that are files, and a libvirtd with
# the test driver. lifecycle and shell source this; both set $here to their folder.
#
#   playground_take FOLDER PROGRAM  makes the folder if it is missing, and locks it until this process
#                                   ends; sets $playground. 1: somebody has it (playground_holder);
#                                   ends the process with 4 for a folder that is no playground
#   playground_make                 a fresh recorded host with nothing else in it
#   playground_open                 its libvirtd runs, and the VMs of the last time are defined again,
#                                   off, as after a reboot; exports the settings of the programs
#   playground_close                remembers the VMs and ends libvirtd
#   playground_enter COMMAND…       runs it in the recorded host
#
# The libvirtd lives as long as the process that opened it: the connection that keeps it (see
# libvirtd.bash) has no limit, but ends with its parent, however that ends.

# The programs of the source tree, else those installed beside share.
for bin in "${GPUAAS_BUILD:-$here/../../build}/bin" "$here/../../../bin"; do
  [[ ! -x $bin/gpuaas ]] || { PATH=$(realpath "$bin"):$PATH; break; }
done
export PATH

# Beside this file when installed, where they are tested in the source tree.
part() {
  local place
  for place in "$here/$1" "$here/../../tests/$1" "$here/../../tests/hosts/$1" \
    "${GPUAAS_BUILD:-$here/../../build}/tests/$1"; do
    [[ -e $place ]] && { realpath "$place"; return; }
  done
  echo "demo: '$1' is missing beside '$here': 'make playground' builds and installs what is needed" >&2
  return 7
}

playground_tools() {
  local tool
  for tool in gpuaas umockdev-run virsh jq flock setpriv setsid; do
    command -v "$tool" > /dev/null || {
      echo "demo: '$tool' is missing: 'make demo' builds and installs what is needed" >&2
      exit 7
    }
  done
  part libnvfm.so.1 > /dev/null || exit 7
}

# GPUAAS_PLAYGROUNDS is for the tests.
playground_default() {
  echo "${GPUAAS_PLAYGROUNDS:-/dev/shm}/gpuaas-playground-$UID"
}

# Prints the holder that the lock of a folder names.
playground_holder() {
  local holder=''
  read -r holder 2> /dev/null < "$1/lock" || :
  echo "${holder:-another process}"
}

# A file of this name and content is the first thing in each playground. A folder that has something
# else and no such file is never touched.
playground_marker=.gpuaas-playground
playground_mark='A playground of gpuaas: share/demo/shell --fresh removes everything in this folder.'

playground_take() {
  local folder=$1
  [[ -e $folder ]] || (umask 077 && mkdir -p -- "$folder")
  # /dev/shm is everybody's, and what is made anew is removed first.
  if [[ -L $folder || ! -d $folder || ! -O $folder ]]; then
    echo "demo: '$folder' is not a folder of yours: name another in GPUAAS_PLAYGROUND" >&2
    exit 6
  fi
  # One at a time, so that nobody sees a new folder with half of its mark.
  exec {lock}< "$folder"
  flock "$lock"
  [[ -n $(ls -A -- "$folder") ]] || echo "$playground_mark" > "$folder/$playground_marker"
  exec {lock}<&-
  if [[ -L $folder/$playground_marker || ! -f $folder/$playground_marker ||
    $(< "$folder/$playground_marker") != "$playground_mark" ]]; then
    echo "demo: '$folder' is not empty and no playground: name another folder in GPUAAS_PLAYGROUND, or empty this one" >&2
    exit 4
  fi
  exec {lock}>> "$folder/lock"
  flock -n "$lock" || { exec {lock}>&-; return 1; }
  echo "$2, process $$, since $(date '+%F %T')" > "$folder/lock"
  playground=$(cd -P -- "$folder" && pwd)
  settings=(
    "GPUAAS_STATE=$playground/state/state.db"
    "GPUAAS_HOST_DIR=$playground/hostdir"
    "GPUAAS_IMAGES=$playground/images"
    "GPUAAS_DHCP_HOSTS=$playground/dhcp-hosts"
    "GPUAAS_LEASES=$playground/leases"
    "GPUAAS_LIBNVFM=$(part libnvfm.so.1)"
    "GPUAAS_FAKE_FABRIC=$playground/host/fabric.json"
  )
}

playground_make() {
  find "${playground:?}" -mindepth 1 -maxdepth 1 ! -name lock ! -name "$playground_marker" -exec rm -rf -- {} +
  mkdir "$playground/dhcp-hosts"
  if [[ -e $here/h200.tar.gz ]]; then
    mkdir "$playground/host"
    tar -xzf "$here/h200.tar.gz" -C "$playground/host"
  else
    # The second socket has the two bundles that are not complete.
    "$(part generate)" h200 "$playground/host" nic.3.vfs.0=vfio-pci nic.7.vfs.0=mlx5_core
  fi
  # An image of 8 MiB: 3 MiB of content, the rest a hole.
  head -c 3145728 /dev/urandom > "$playground/debian-12.raw"
  truncate -s 8M "$playground/debian-12.raw"
}

# Without a terminal: virsh would ask for a polkit agent on it.
playground_virsh() {
  setsid -w virsh -q -c "$LIBVIRTD_URI" "$@"
}

playground_open() {
  local file
  # shellcheck source=tests/libvirtd.bash
  source "$(part libvirtd.bash)"
  # The libvirtd of a shell that was killed ends by itself, and takes the sockets in its folder along.
  rm -rf -- "$playground"/libvirt.*
  LIBVIRTD_SECONDS=0 libvirtd_start "$playground/libvirt.$$" {lock}>&-
  export GPUAAS_LIBVIRT_URI=$LIBVIRTD_URI "${settings[@]}"
  for file in "$playground"/domains/*.xml; do
    [[ ! -e $file ]] || playground_virsh define "$file" > /dev/null
  done
}

# The definition of a VM outlives a reboot of a host. The test driver forgets it, so it is kept here.
playground_close() {
  local names name kept=$playground/domains.new
  rm -rf -- "$kept"
  mkdir "$kept"
  if names=$(playground_virsh list --all --name); then
    for name in $names; do
      [[ $name != gpuaas-* ]] || playground_virsh dumpxml --inactive "$name" > "$kept/$name.xml"
    done
    rm -rf -- "$playground/domains"
    mv -- "$kept" "$playground/domains"
  fi
  libvirtd_stop "$playground/libvirt.$$"
  rm -rf -- "$playground/libvirt.$$"
}

playground_enter() {
  "$(part enter)" "$playground/host" "$playground/work" -- "$@"
}
