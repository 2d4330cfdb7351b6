# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# A recorded host whose /etc, /run, /var/lib/gpuaas, kernel settings and network are its own: load
# after helper.bash. Needs root, for the namespaces.
#
#   machine SCRIPT [ARG…]   run a bash script in it; one recording lives as long as one script.
#                           Its /etc is made of $T/etc (given) and $T/etc.new (what was written).
#   fakes                   ovs-vsctl and ovs-ofctl (a plain bridge), update-grub, tuned-adm, …;
#                           each notes its command line in $T/ran

fakes()
{
  mkdir -p "$T/bin" "$T/etc" "$T/etc.new" "$T/run" "$T/data" "$T/sysctl"
  # shellcheck disable=SC2016 # for the fakes
  printf '%s\n' '#!/bin/bash' 'echo "${0##*/} $*" >> '"$T/ran" > "$T/head"
  cat "$T/head" - > "$T/bin/ovs-vsctl" << EOF
mode=$T/fail-mode
case "\$*" in
*br-exists*) [[ -e \$mode ]] || exit 2 ;;
*add-br*) ip link add "\$4" type bridge 2> /dev/null; echo secure > \$mode ;;
*get-fail-mode*) cat \$mode ;;
*mac_in_use) echo '"0a:00:00:00:00:01"' ;;
*other-config:hwaddr) cat $T/hwaddr 2> /dev/null || : ;;
*other-config:hwaddr=*) echo "\${*##*=}" > $T/hwaddr ;;
*"other-config hwaddr") rm -f $T/hwaddr ;;
*list-ports*) cat $T/ports 2> /dev/null || : ;;
*del-br*) ip link del "\$4"; rm -f \$mode ;;
*set-fail-mode*) echo "\$4" > \$mode ;;
*del-fail-mode*) echo > \$mode ;;
esac
EOF
  cat "$T/head" - > "$T/bin/ovs-ofctl" << EOF
case "\$*" in
*add-flows*) cat > $T/flows ;;
*dump-flows*) cat $T/flows 2> /dev/null ;;
*del-flows*) rm -f $T/flows ;;
esac
exit 0
EOF
  cat "$T/head" - > "$T/bin/tuned-adm" << EOF
if [[ \$1 == profile ]]; then echo "\$2" > /etc/tuned/active_profile; fi
if [[ \$1 == off ]]; then : > /etc/tuned/active_profile; fi
EOF
  cat "$T/head" - > "$T/bin/update-grub" << EOF
mkdir -p /boot/grub
GRUB_CMDLINE_LINUX=
for f in /etc/default/grub.d/*.cfg; do [[ ! -e \$f ]] || . "\$f"; done
echo "linux /vmlinuz root=/dev/x \$GRUB_CMDLINE_LINUX" > /boot/grub/grub.cfg
EOF
  cat "$T/head" - > "$T/bin/systemctl" << EOF
while [[ \$1 == --* ]]; do shift; done
dir=/etc/systemd/system/multi-user.target.wants
case \$1 in
enable) mkdir -p \$dir && ln -sf /usr/lib/systemd/system/\$2 \$dir/\$2 ;;
disable) rm -f \$dir/\$2; rmdir --ignore-fail-on-non-empty \$dir ;;
start) : > $T/run/active.\$2 ;;
stop) rm -f $T/run/active.\$2 ;;
is-active) [[ -e $T/run/active.\$3 ]] ;;
esac
EOF
  for name in update-initramfs multipathd mdadm lvm dnsmasq libvirtd; do
    cp "$T/head" "$T/bin/$name"
  done
  rm "$T/bin/libvirtd" # its presence makes undo ask libvirt
  chmod 755 "$T"/bin/*
  # net.ipv4 is the network namespace's own; what is the whole machine's is a copy.
  (cd /proc/sys && cp --parents net/core/{r,w}mem_max net/core/netdev_max_backlog vm/swappiness \
    vm/zone_reclaim_mode fs/aio-max-nr "$T/sysctl/")
  chmod -R u+w "$T/sysctl"
  cat > "$T/mounts" << EOF
set -e
mount -t tmpfs tmpfs /mnt
mkdir /mnt/{etc.work,sbin,sbin.work,bin,bin.work}
mount -t tmpfs tmpfs $T/ov
mkdir $T/ov/{up,work,sbin,sbin.work,bin,bin.work}
cp -a $T/etc.new/. $T/ov/up/
cp $T/bin/ovs-* $T/bin/systemctl $T/ov/bin/
find $T/bin -type f ! -name 'ovs-*' ! -name systemctl -exec cp {} $T/ov/sbin/ ';'
mount -t overlay o -o lowerdir=$T/etc:$T/base,upperdir=$T/ov/up,workdir=$T/ov/work /etc
mount -t overlay o -o lowerdir=/usr/bin,upperdir=$T/ov/bin,workdir=$T/ov/bin.work /usr/bin
mount -t overlay o -o lowerdir=/usr/sbin,upperdir=$T/ov/sbin,workdir=$T/ov/sbin.work /usr/sbin
mount --bind $T/run /run
mkdir -p /var/lib/gpuaas && mount --bind $T/data /var/lib/gpuaas
mount -t tmpfs tmpfs /boot
[[ ! -e $T/grub.cfg ]] || install -D $T/grub.cfg /boot/grub/grub.cfg
for part in net/core vm fs; do mount --bind $T/sysctl/\$part /proc/sys/\$part; done
ip link set lo up
set +e
EOF
  # The files of /etc that the programs themselves need.
  mkdir -p "$T/ov" "$T/base"
  mkdir -p "$T/base/tuned"
  : > "$T/base/tuned/active_profile"
  rm -f "$T/fail-mode" "$T/flows" "$T/ports"
  cp -a /etc/passwd /etc/group /etc/ld.so.cache /etc/alternatives "$T/base/"
}

machine()
{
  # The journal is where it is on a real host.
  unset GPUAAS_HOST_DIR
  # The sanitizers report on stderr, as in in_host.
  # shellcheck disable=SC2016 # for the other bash
  ASAN_OPTIONS=${ASAN_OPTIONS/log_path=*([^:]):/} UBSAN_OPTIONS=${UBSAN_OPTIONS/log_path=*([^:]):/} \
    unshare --mount --net --propagation private bash -c '
    source "$T/mounts" || exit 125
    script=$1
    shift
    "$SRC/tests/hosts/enter" "$HOST" "$WORK" -- bash -c "$script" - "$@"
    status=$?
    cp -a "$T/ov/up/." "$T/etc.new/" 2> /dev/null
    exit "$status"' - "$@" 3>&-
}
