# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# A real guest in QEMU's own emulation, for what libvirt's test driver does not have: a console, and
# a guest that does not listen. KVM is never used.
#
#   qemu_start DIR ALLOCATION   a private session libvirtd (as nobody when this is root) with the
#                               domain gpuaas-ALLOCATION, which carries that id; sets QEMU_URI
#   qemu_stop DIR               also after a start that failed
#
# The guest is one sector: it prints GUEST-READY on its serial port and then every character that
# comes; it knows no ACPI, so that a request to shut down is not heard.

qemu_guest()
{
  as --32 -o "$1/guest.o" - << 'ASM' &&
.code16
.globl _start
_start: cli
        xorw %ax, %ax
        movw %ax, %ds
        movw $msg, %si
1:      lodsb
        testb %al, %al
        jz 2f
        call putc
        jmp 1b
2:      movw $0x3fd, %dx
        inb %dx, %al
        testb $1, %al
        jz 2b
        movw $0x3f8, %dx
        inb %dx, %al
        call putc
        jmp 2b
putc:   movb %al, %bl
        movw $0x3fd, %dx
3:      inb %dx, %al
        testb $0x20, %al
        jz 3b
        movb %bl, %al
        movw $0x3f8, %dx
        outb %al, %dx
        ret
msg:    .asciz "GUEST-READY\r\n"
        .org 510
        .word 0xaa55
ASM
    ld -m elf_i386 -Ttext 0x7c00 --oformat binary -o "$1/guest.img" "$1/guest.o" &&
    truncate -s 1M "$1/guest.img"
}

# qemu_as DIR CMD…: as whom the daemon runs, with everything of it below DIR
qemu_as()
{
  local dir=$1 drop=()
  shift
  [[ $EUID -ne 0 ]] || drop=(setpriv --reuid 65534 --regid 65534 --clear-groups)
  "${drop[@]}" env HOME="$dir" XDG_RUNTIME_DIR="$dir/run" XDG_CONFIG_HOME="$dir/home" \
    XDG_CACHE_HOME="$dir/home" XDG_DATA_HOME="$dir/home" "$@"
}

qemu_start()
{
  local dir=$1 id=$2
  mkdir -p "$dir/run" "$dir/home" && qemu_guest "$dir" || return 1
  cat > "$dir/libvirtd.conf" << CONF
unix_sock_dir = "$dir"
auth_unix_rw = "none"
auth_unix_ro = "none"
log_outputs = "3:file:$dir/libvirtd.log"
CONF
  cat > "$dir/guest.xml" << XML
<domain type='qemu'><name>gpuaas-$id</name><memory unit='MiB'>32</memory><vcpu>1</vcpu>
<metadata><gpuaas:allocation xmlns:gpuaas='https://gpuaas.org/xmlns/domain/1' id='$id'
generation='2' attempt='attempt0' node='n-1ab100000000'/></metadata>
<os><type arch='x86_64' machine='pc'>hvm</type><boot dev='hd'/></os>
<devices><disk type='file' device='disk'><driver name='qemu' type='raw'/>
<source file='$dir/guest.img'/><target dev='hda' bus='ide'/></disk>
<serial type='pty'><target port='0'/></serial>
<channel type='unix'><target type='virtio' name='org.qemu.guest_agent.0'/></channel>
<memballoon model='none'/><controller type='usb' model='none'/></devices></domain>
XML
  [[ $EUID -ne 0 ]] || { chmod 711 "$(dirname "$dir")" && chown -R 65534:65534 "$dir"; } || return 1
  QEMU_URI="qemu+unix:///session?socket=$dir/libvirt-sock"
  qemu_as "$dir" timeout 60 libvirtd -d -t 60 -f "$dir/libvirtd.conf" -p "$dir/pid" \
    > /dev/null 3>&- || { cat "$dir/libvirtd.log" >&2; return 1; }
  virsh -q -c "$QEMU_URI" define "$dir/guest.xml" && virsh -q -c "$QEMU_URI" start "gpuaas-$id"
}

qemu_stop()
{
  local dir=$1 pid name
  [[ -s $dir/pid ]] || return 0
  while read -r name; do
    [[ -z $name ]] || virsh -q -c "$QEMU_URI" destroy "$name" || :
  done < <(virsh -q -c "$QEMU_URI" list --name)
  pid=$(< "$dir/pid")
  kill "$pid" 2> /dev/null || :
  while [[ -e /proc/$pid/exe ]]; do
    sleep 0.01 # between two looks at a condition
  done
}
