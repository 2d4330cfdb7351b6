# SPDX-License-Identifier: Apache-2.0
# share/images: what can be tried of the recipes without building an image (make check-cloud and
# make check-vm build them).

load helper

# gpus N [CLASS]: a /sys with N functions of NVIDIA's, an NVSwitch and a network card
gpus()
{
  local i
  mkdir -p "$T"/sys/bus/pci/devices/0000:e3:00.0 "$T"/sys/bus/pci/devices/0000:1a:00.0
  printf '%s\n' 0x10de > "$T/sys/bus/pci/devices/0000:e3:00.0/vendor"
  printf '%s\n' 0x068000 > "$T/sys/bus/pci/devices/0000:e3:00.0/class"
  printf '%s\n' 0x15b3 > "$T/sys/bus/pci/devices/0000:1a:00.0/vendor"
  printf '%s\n' 0x020700 > "$T/sys/bus/pci/devices/0000:1a:00.0/class"
  for ((i = 1; i <= $1; i++)); do
    mkdir -p "$T/sys/bus/pci/devices/0000:0$i:00.0"
    echo 0x10de > "$T/sys/bus/pci/devices/0000:0$i:00.0/vendor"
    echo "${2:-0x030200}" > "$T/sys/bus/pci/devices/0000:0$i:00.0/class"
  done
}

# nvidia_smi STATUS LINE…: what the driver's tool says
nvidia_smi()
{
  mkdir -p "$T/bin"
  {
    echo '#!/bin/sh'
    printf "echo '%s'\n" "${@:2}"
    echo "exit $1"
  } > "$T/bin/nvidia-smi"
  chmod +x "$T/bin/nvidia-smi"
  PATH=$T/bin:$PATH
}

gpu_ready()
{
  "$SRC/share/images/cuda/gpu-ready" "$T/sys" "$T/version"
}

@test "the CUDA image is ready when the driver serves each GPU that PCI shows" {
  gpus 2
  echo 570.133.20 > "$T/version"
  nvidia_smi 0 '570.133.20, GPU-0f1e2d3c' '570.133.20, GPU-4b5a6978'
  run_ok gpu_ready
  assert_equal "$output" "gpuaas-gpu-ready 2 570.133.20"
}

@test "the CUDA image is not ready: a GPU less, another driver, no driver" {
  gpus 2
  echo 570.133.20 > "$T/version"
  nvidia_smi 0 '570.133.20, GPU-0f1e2d3c'
  run_status 1 gpu_ready
  assert_output "PCI shows 2 GPUs, the driver serves 1"
  nvidia_smi 0 '575.57.08, GPU-0f1e2d3c' '575.57.08, GPU-4b5a6978'
  run_status 1 gpu_ready
  assert_output "the driver is 575.57.08, the image was built with 570.133.20"
  nvidia_smi 9 "NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver."
  run_status 1 gpu_ready
  assert_output "could not communicate"
  rm "$T/version"
  nvidia_smi 0 '570.133.20, GPU-0f1e2d3c' '570.133.20, GPU-4b5a6978'
  run_status 1 gpu_ready
  assert_output "names no driver"
}

@test "the CUDA image without a GPU has nothing to prove; a graphics class counts" {
  gpus 0
  echo 570.133.20 > "$T/version"
  run_ok gpu_ready
  assert_equal "$output" "gpuaas-gpu-ready 0 none"
  gpus 1 0x030000
  nvidia_smi 0 '570.133.20, GPU-0f1e2d3c'
  run_ok gpu_ready
  assert_equal "$output" "gpuaas-gpu-ready 1 570.133.20"
}

@test "recipes show their options, and tune refuses what is no root file system" {
  for recipe in tiny/build base/build cuda/build base/tune; do
    run_ok "$SRC/share/images/$recipe" --help
    assert_output "usage: ${recipe#*/} "
  done
  # Each option that a recipe takes.
  for recipe in tiny base cuda; do
    run_ok "$SRC/share/images/$recipe/build" --help
    for option in $(sed -n 's/^  \(--[a-z-]*\)).*/\1/p' "$SRC/share/images/$recipe/build"); do
      [[ $option == --help ]] || assert_output "$option"
    done
  done
  assert_output "[--hook SCRIPT]"
  touch "$T/file"
  run_status 1 "$SRC/share/images/base/tune" "$T/file"
  assert_stderr "'$T/file' is no folder; usage: tune ROOT"
  run_status 1 "$SRC/share/images/base/tune"
}

@test "recipes say what they lack before they begin" {
  run_status 1 "$SRC/share/images/tiny/build"
  assert_stderr usage
  run_status 1 "$SRC/share/images/base/build" --size 100 "$T/out.raw"
  assert_stderr "at least 1024"
  run_status 1 "$SRC/share/images/cuda/build" --driver-version 570 --key /dev/null "$T/out.raw"
  assert_stderr "a whole version"
  run_status 1 "$SRC/share/images/cuda/build" --driver-version 570.133.20 --key "$T/none" "$T/o.raw"
  assert_stderr "the key that signs"
  run ! compgen -G "$T/*.raw"
}

@test "a guest is tuned: the host's windows of TCP, locked memory, large pages, no irqbalance" {
  local key value
  mkdir "$T/root"
  "$SRC/share/images/base/tune" "$T/root"
  # Each setting is one that a kernel has, and the host's where the host sets it, too.
  while IFS='=' read -r key value; do
    key=${key// /} value=${value# }
    # The minus: a kernel may lack it.
    [[ $key == -* || -e /proc/sys/${key//.//} ]]
    key=${key#-}
    run grep -o "{ \"$key\", \"[^\"]*\"" "$SRC/lib/decide/setup/text.c"
    [[ -z $output ]] || assert_equal "$output" "{ \"$key\", \"$value\""
  done < <(grep -v '^#' "$T/root/etc/sysctl.d/60-gpuaas.conf")
  assert_equal "$(grep -c '^[^#]' "$T/root/etc/sysctl.d/60-gpuaas.conf")" 6
  grep -qx '\* - memlock unlimited' "$T/root/etc/security/limits.d/60-gpuaas.conf"
  grep -qx 'DefaultLimitMEMLOCK=infinity' "$T/root/etc/systemd/system.conf.d/60-gpuaas.conf"
  run_ok cut -d ' ' -f 1,2,7 <(grep -v '^#' "$T/root/etc/tmpfiles.d/gpuaas.conf")
  assert_equal "$output" "w- /sys/kernel/mm/transparent_hugepage/enabled always
w- /sys/kernel/mm/transparent_hugepage/defrag madvise"
  refute_grep -qE '^packages.*irqbalance' "$SRC/share/images/base/build"
  # And it comes with every image.
  grep -qF '"$here/tune" "$root"' "$SRC/share/images/base/settle"
}

# asks_mmdebstrap: instead of mmdebstrap, what it was called with ($T/args) and its first hook
# ($T/hook)
asks_mmdebstrap()
{
  mkdir -p "$T/bin"
  cat > "$T/bin/mmdebstrap" << END
#!/bin/bash
printf '%s\n' "\$@" > "$T/args"
hook=\$(sed -n "s/^--customize-hook='\(.*\)' .*/\1/p" "$T/args" | head -1)
cp "\$hook" "$T/hook"
exit 1
END
  for tool in mcopy mkfs.vfat sfdisk mke2fs fakeroot; do cp /bin/true "$T/bin/$tool"; done
  chmod +x "$T/bin/mmdebstrap"
  PATH=$T/bin:$PATH
}

# The hooks of the recipe that mmdebstrap was given, one name a line
hooks()
{
  sed -n "s|^--customize-hook='.*/\(.*\)' .*|\1|p" "$T/args" | paste -sd ' '
}

@test "an image of Ubuntu: its mirrors, kernel and keyring, and no other distribution" {
  asks_mmdebstrap
  run_status 1 "$SRC/share/images/base/build" --distribution ubuntu --keyring "$T/none" "$T/o.raw"
  assert_stderr "there is no keyring '$T/none'"
  run ! test -e "$T/args"
  run_status 1 "$SRC/share/images/base/build" --distribution fedora "$T/o.raw"
  assert_stderr "debian or ubuntu, not 'fedora'"
  echo key > "$T/ubuntu.gpg"
  run_status 1 "$SRC/share/images/base/build" --distribution ubuntu --keyring "$T/ubuntu.gpg" "$T/o.raw"
  run_ok cat "$T/args"
  assert_output "--keyring=$T/ubuntu.gpg"
  assert_output "linux-image-virtual,apt,"
  assert_output "linux-modules-extra-"
  assert_output "deb http://security.ubuntu.com/ubuntu noble-security main universe"
  refute_grep -q debian.org "$T/args"
  run_status 1 "$SRC/share/images/base/build" "$T/o.raw"
  run_ok cat "$T/args"
  assert_output "deb http://deb.debian.org/debian bookworm main"
  refute_grep -q -e keyring -e ubuntu "$T/args"
  run ! compgen -G "$T/*.raw"
}

@test "packages, sources, keys and hooks of a recipe and of its caller add up, in their order" {
  asks_mmdebstrap
  cd "$T"
  touch one two k8s.asc extra.gpg
  run_status 1 "$SRC/share/images/base/build" --include slurmd,munge --include jq --hook one --hook two \
    --source 'deb http://a.example a b' --key k8s.asc --source 'deb http://c.example c d' --key extra.gpg o.raw
  assert_equal "$(hooks)" "one two settle"
  run_ok cat "$T/args"
  assert_output ",zstd,slurmd,munge,jq"
  assert_output "cp -- '$T/k8s.asc'"
  assert_output "cp -- '$T/extra.gpg'"
  assert_output "deb http://a.example a b
deb http://c.example c d"
  # The recipe on top loses none of them, and its driver is in when the caller's hooks run.
  echo key > nvidia.pub
  run_status 1 "$SRC/share/images/cuda/build" --driver-version 570.133.20 --key nvidia.pub --include slurmd \
    --hook one --source 'deb http://a.example a b' --source-key k8s.asc --hook two o.raw
  assert_equal "$(hooks)" "hook one two settle"
  run_ok cat "$T/args"
  assert_output ",zstd,dkms,gcc,make,libc6-dev,gnupg,slurmd"
  assert_output "deb http://a.example a b"
  assert_output "cp -- '$T/k8s.asc'"
  refute_grep -q nvidia.pub "$T/args"
}

@test "a path is one word for the shell of a hook, and an image replaces only a file" {
  asks_mmdebstrap
  cd "$T"
  local key="a';touch broken;'.gpg"
  echo key > "$key"
  run_status 1 "$SRC/share/images/base/build" --key "$key" o.raw
  mkdir root
  sed -n 's/^--setup-hook=//p' args > setup
  while read -r hook; do sh -c "$hook" sh "$T/root"; done < setup
  run_ok cat "root/etc/apt/trusted.gpg.d/$key"
  run ! test -e broken
  # The CUDA recipe's key is in the text of its hook.
  run_status 1 "$SRC/share/images/cuda/build" --driver-version 570.133.20 --key "$key" o.raw
  mkdir -p root/etc/apt/keyrings
  sh hook "$T/root" || :
  run_ok cat root/etc/apt/keyrings/nvidia.gpg
  run ! test -e broken
  echo other > other
  ln -s other o.raw
  for recipe in base tiny; do
    run_status 1 "$SRC/share/images/$recipe/build" o.raw
    assert_stderr "'o.raw' is there and is no regular file"
  done
}

@test "the CUDA recipe makes Debian and Ubuntu, from NVIDIA's folder for the suite" {
  local of
  asks_mmdebstrap
  echo key > "$T/nvidia.pub"
  echo key > "$T/ubuntu.gpg"
  local cuda=("$SRC/share/images/cuda/build" --key "$T/nvidia.pub" --keyring "$T/ubuntu.gpg")
  for of in 'debian bookworm debian12' 'debian trixie debian13' 'ubuntu noble ubuntu2404'; do
    # shellcheck disable=SC2086 # a list of words
    set -- $of
    run_status 1 "${cuda[@]}" --driver-version 580.95.05 --distribution "$1" --suite "$2" "$T/o.raw"
    run_ok cat "$T/args" "$T/hook"
    assert_output " $2-updates main"
    assert_output "https://developer.download.nvidia.com/compute/cuda/repos/$3/x86_64/ /"
    shellcheck -s sh "$T/hook"
  done
  assert_output "linux-headers-virtual"
  assert_output "libnvidia-compute-580 nvidia-dkms-580-open nvidia-utils-580 nvidia-compute-utils-580"
  refute_grep -qe linux-headers-amd64 -e nvidia-driver-cuda "$T/hook"
  # Since 590 without the branch. The suite is that of the distribution.
  run_status 1 "${cuda[@]}" --driver-version 590.48.01 --distribution ubuntu "$T/o.raw"
  run_ok cat "$T/args" "$T/hook"
  assert_output "noble-security main universe"
  assert_output "libnvidia-compute nvidia-dkms-open nvidia-utils nvidia-compute-utils"
  rm "$T/args"
  run_status 1 "${cuda[@]}" --driver-version 580.95.05 --suite sid "$T/o.raw"
  assert_stderr "no repository of NVIDIA's is known for 'sid': name it by --repository"
  run_status 1 "${cuda[@]}" --driver-version 580.95.05 --distribution fedora "$T/o.raw"
  assert_stderr "debian or ubuntu, not 'fedora'"
  run ! test -e "$T/args"
  run_status 1 "${cuda[@]}" --driver-version 580.95.05 --suite sid --repository http://here.example:8080/x/ "$T/o.raw"
  run_ok cat "$T/hook"
  assert_output "] http://here.example:8080/x/ /"
  assert_output 'Pin: origin "here.example"'
}

@test "the CUDA recipe pins the driver and hands the base its hook" {
  mkdir -p "$T/images/base"
  cp -r "$SRC/share/images/cuda" "$T/images/"
  # Instead of the base recipe: what it was called with, and the hook that it would run.
  cat > "$T/images/base/build" << 'STUB'
#!/bin/bash
printf '%s\n' "$@" > "$ARGS"
while (($#)); do
  [[ $1 != --hook ]] || cp "$2" "$HOOK"
  shift
done
STUB
  chmod +x "$T/images/base/build"
  export ARGS=$T/args HOOK=$T/hook
  echo '-----BEGIN PGP PUBLIC KEY BLOCK-----' > "$T/nvidia.pub"
  run_ok "$T/images/cuda/build" --driver-version 570.133.20 --key "$T/nvidia.pub" \
    --mirror http://mirror.example/debian "$T/cuda.raw"
  assert_output "--name cuda-570 --driver-version 570.133.20 --cuda-version 12.8 --probe ssh --user debian"
  run_ok cat "$T/args"
  assert_output "http://mirror.example/debian"
  assert_output "$T/cuda.raw"
  shellcheck -s sh "$T/hook"
  run_ok cat "$T/hook"
  assert_output "Pin: version 570.133.20-*"
  assert_output 'Pin: origin "developer.download.nvidia.com"'
  assert_output "signed-by=/etc/apt/keyrings/nvidia.asc"
  assert_output "gpuaas-persistence.service"
  run_ok "$T/images/cuda/build" --driver-version 570.133.20 --key "$T/nvidia.pub" --distribution ubuntu "$T/cuda.raw"
  assert_output "--name cuda-570-ubuntu --driver-version 570.133.20 --cuda-version 12.8 --probe ssh --user ubuntu"
  # With containers the image has what apps require, and says so.
  run_ok "$T/images/cuda/build" --driver-version 570.133.20 --key "$T/nvidia.pub" --containers "$T/cuda.raw"
  assert_output "--feature docker --feature nvidia-container-toolkit --probe ssh"
  shellcheck -s sh "$T/hook"
  run_ok cat "$T/hook"
  assert_output 'nvidia-ctk runtime configure --runtime=docker'
}
