# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034
#
# The virtual GPU host: machine_start QEMU ROOT RUN, machine_wait SECONDS, machine_stop.
# QEMU and ROOT are the folders tests/vm/image prints; RUN is a folder of this run, with share/ in
# it, which the guest mounts. Everything the guest writes stays in RUN.
#
# Two NUMA nodes, each with a PCIe root of its own: two GPU stand-ins, two NVMe drives and an SR-IOV
# adapter below each; a fifth drive below the first. Emulated IOMMU, four CPUs for slots and two for
# the host. Software emulation only: this machine's /dev/kvm is not opened. The guest has one: its
# processors have SVM, emulated too, so that its tenants are domains of KVM as on a real host, and
# are translated once, not twice. The IOMMU has eim=on so that the guest's kernel uses x2APIC: QEMU
# 10.0 now and then loses an end of interrupt written to the memory of an xAPIC (seen: vector 236 in
# service on a processor that is halted, all below it pending for good), and on a quiet machine two
# boots in three ended so. Its virtio devices have ioeventfd=off: their queues are then looked at in
# the guest's own write to the doorbell, and not when QEMU's main loop hears of it. With it a write
# to the root disk now and then was not heard of, and the queue stood still for good, because virtio
# has no timeout (seen: fdatasync for 450 s on an idle guest, at an end when QEMU was stopped and
# continued, which looks at all queues). Features that make a real processor faster or safer and an emulated
# one slower are taken out of it: copying by bytes (erms and its like), a check of each access to
# user memory (smap), a fifth level of page tables (la57).

machine_memory=5120 machine_disk=128M

# The names of a device of the topology at both sides: nvme0 … nvme4 are serials and file names.
machine_devices()
{
  local run=$1 node port slot=1 n
  machine_args+=(
    -device "pxb-pcie,id=pxb0,bus=pcie.0,bus_nr=32,numa_node=0"
    -device "pxb-pcie,id=pxb1,bus=pcie.0,bus_nr=128,numa_node=1"
  )
  for node in 0 1; do
    for port in gpu0 gpu1 nvme0 nvme1 nic nvme2; do
      [[ $port != nvme2 || $node == 0 ]] || continue
      machine_args+=(-device
        "pcie-root-port,id=port$slot,bus=pxb$node,chassis=$slot,slot=$slot,addr=$((slot % 8)).0")
      case $port in
      gpu*) machine_args+=(-device "pci-testdev,id=gpu$slot,bus=port$slot,membar=256M") ;;
      nic)
        machine_args+=(-netdev "hubport,id=fabric$node,hubid=$((node + 1))"
          -device "igb,id=nic$node,bus=port$slot,netdev=fabric$node,mac=52:54:00:fa:b0:0$node") ;;
      nvme*)
        n=$((node * 2 + ${port#nvme}))
        [[ $port != nvme2 ]] || n=4
        # Since the guest asked for it, drives of two tenants sit in each other's place.
        [[ ! -e $run/share/swap-drives || $n -ne 0 && $n -ne 2 ]] || n=$((2 - n))
        machine_args+=(
          -drive "if=none,id=drive$n,file=$run/disks/nvme$n.raw,format=raw,discard=unmap,cache=unsafe"
          -device "nvme,id=nvme$n,bus=port$slot,serial=GAVM$n,drive=drive$n") ;;
      esac
      slot=$((slot + 1))
    done
  done
}

machine_start()
{
  local qemu=$1 root=$2 run=$3 n
  local -a start=(qemu-system-x86_64)
  machine_args=()
  if [[ $qemu != / ]]; then
    export QEMU_MODULE_DIR=$qemu/usr/lib/x86_64-linux-gnu/qemu
    start=("$qemu/usr/lib64/ld-linux-x86-64.so.2" --library-path "$qemu/usr/lib/x86_64-linux-gnu"
      "$qemu/usr/bin/qemu-system-x86_64" -L "$qemu/usr/share/qemu" -L "$qemu/usr/share/seabios"
      -L "$qemu/usr/lib/ipxe/qemu")
  fi
  mkdir -p "$run/disks" "$run/share"
  for n in 0 1 2 3 4; do
    [[ -e $run/disks/nvme$n.raw ]] || truncate -s "$machine_disk" "$run/disks/nvme$n.raw"
  done
  [[ -e $run/root.qcow2 ]] ||
    qemu-img create -q -f qcow2 -b "$root/disk.img" -F raw "$run/root.qcow2"
  machine_devices "$run"
  "${start[@]}" -name gpuhost -nodefaults -display none -no-user-config -no-reboot \
    -machine q35,kernel-irqchip=split,sata=off,smbus=off,hpet=off -accel tcg,thread=multi,tb-size=512 \
    -cpu max,family=23,model=1,stepping=2,+svm,-vmx,-erms,-fsrm,-fzrm,-fsrs,-fsrc,-smap,-la57 \
    -smp 6,sockets=2,cores=3,threads=1 -m "$machine_memory" \
    -object "memory-backend-ram,id=ram0,size=$((machine_memory / 2))M" \
    -object "memory-backend-ram,id=ram1,size=$((machine_memory / 2))M" \
    -numa node,nodeid=0,cpus=0-2,memdev=ram0 -numa node,nodeid=1,cpus=3-5,memdev=ram1 \
    -device intel-iommu,intremap=on,caching-mode=on,device-iotlb=on,eim=on \
    -kernel "$root/grub.lkrn" \
    -drive "if=none,id=root,file=$run/root.qcow2,format=qcow2,cache=unsafe,discard=unmap" \
    -device virtio-blk-pci,drive=root,bus=pcie.0,bootindex=1,ioeventfd=off \
    -fsdev "local,id=share,path=$run/share,security_model=none,multidevs=remap" \
    -device virtio-9p-pci,fsdev=share,mount_tag=share,bus=pcie.0,ioeventfd=off \
    -netdev "user,id=uplink,restrict=on,guestfwd=tcp:10.0.2.100:7-cmd:/bin/cat" \
    -device virtio-net-pci,netdev=uplink,bus=pcie.0,romfile=,ioeventfd=off \
    -device virtio-rng-pci,bus=pcie.0,ioeventfd=off \
    -serial "file:$run/serial.log" -qmp "unix:$run/qmp,server=on,wait=off" \
    "${machine_args[@]}" > "$run/qemu.log" 2>&1 < /dev/null &
  machine_pid=$!
}

# Waits until QEMU has ended, with machine_status; 1 when it has not within SECONDS.
machine_wait()
{
  local end=$((SECONDS + $1))
  while kill -0 "$machine_pid" 2> /dev/null; do
    ((SECONDS < end)) || return 1
    sleep 1
  done
  machine_status=0
  wait "$machine_pid" || machine_status=$?
  machine_pid='' # another process may have the number from now on
}

machine_stop()
{
  [[ -n ${machine_pid-} ]] || return 0
  kill "$machine_pid" 2> /dev/null || true
  for ((i = 0; i < 100; i++)); do
    kill -0 "$machine_pid" 2> /dev/null || break
    sleep 0.1
  done
  kill -KILL "$machine_pid" 2> /dev/null || true
  wait "$machine_pid" 2> /dev/null || true
  machine_pid=''
}
