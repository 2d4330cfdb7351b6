# SPDX-License-Identifier: Apache-2.0
# The examples of share/baremetal: a whole machine to its tenant and back, by MAAS (an API that plays
# tests/maas/*.json) and by ssh.

load helper
load plan
load lab
load ssh

setup()
{
  common_setup
  METAL=$T/metal
  mkdir -p "$METAL" "$T/api" "$T/run"
  cp -a "$SRC/share/baremetal/maas/." "$SRC/share/baremetal/answer.bash" "$METAL/"
  export GPUAAS_BAREMETAL_DIR=$METAL
  echo 'consumer7Kx:token9Qw:Zr4secretVb8' > "$METAL/maas.key"
  chmod 600 "$METAL/maas.key"
  echo 'n-1ab100000000 h7' > "$METAL/machines"
  ssh-keygen -q -t ed25519 -N '' -f "$T/key"
}

# metal_plan JQ: a plan of bare metal
metal_plan()
{
  [[ -e $T/image.json ]] || make_image 1 1
  plan ".shape = \"baremetal\" | .image = null | $1" 2
}

# maas_plays SCENARIO [JQ]: starts MAAS with tests/maas/SCENARIO.json changed by JQ
maas_plays()
{
  rm -rf "$T/api"
  mkdir "$T/api"
  jq "${2:-.}" "$SRC/tests/maas/$1.json" > "$T/$1.json"
  background "$SRC/tests/maas/server" "$T/$1.json" "$T/api"
  wait_for 20 test -s "$T/api/port"
  cat > "$METAL/maas.conf" <<END
MAAS_URL=http://127.0.0.1:$(< "$T/api/port")/MAAS/
MAAS_KEY_FILE=$METAL/maas.key
MAAS_TENANT_IMAGE=ubuntu/noble
MAAS_TRUSTED_IMAGE=custom/gpuaas-host
MAAS_TRUSTED_EPHEMERAL=yes
MAAS_POLL_SECONDS=0.05
MAAS_LIMIT_SECONDS=${LIMIT-60}
SSH=$T/ssh
SSH_KEY=$T/key
END
}

# Every step was taken, and MAAS got no other request.
maas_is_done()
{
  [[ ! -e $T/api/wrong ]] || cat "$T/api/wrong"
  [[ ! -e $T/api/wrong && $(< "$T/api/left") == 0 ]]
}

# hook STAGE: the example as gpuaas runs it: a clean environment and the order on standard input
hook()
{
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C "$METAL/$1/50-maas" < "$T/order"
}

# A hook that fails says one sentence.
says()
{
  local stage=$1
  shift
  run_status 1 hook "$stage"
  assert_equal "$output" ""
  assert_equal "$(tail -n 1 <<< "$stderr")" "$*"
}

# The trusted system, reached by ssh: the recorded host after another boot. It answers only who
# expects the host key that was deployed with it.
trusted_ssh()
{
  HOST=$T/trusted setup_host lab1 "boot_id=7ab10000-0000-4000-8000-000000000007"
  cat > "$T/ssh" <<END
#!/bin/bash
for word in "\$@"; do case \$word in UserKnownHostsFile=*) known=\${word#*=} ;; esac; done
sed -n 's/^  ed25519_public: /192.0.2.7 /p' "$T/api/user_data-deploy" | cmp -s - "\$known" ||
  { echo "Host key verification failed." >&2; exit 255; }
printf '%s\n' "\$*" >> "$T/ssh.log"
export PATH=$PATH GPUAAS_NODE=\$(sed -n 's/^    GPUAAS_NODE=//p' "$T/api/user_data-deploy")
exec "$SRC/tests/hosts/enter" "$T/trusted" "$T/work" -- bash -c "\${!#}"
END
  chmod +x "$T/ssh"
}

@test "MAAS deploys: our trusted system is given up, the tenant's arrives" {
  maas_plays deploy
  metal_plan . > "$T/order"
  run_ok hook deploy
  jq_is '[.address,.machine,.image,length]|join(" ")' "192.0.2.7 h7 ubuntu/noble 3"
  maas_is_done
  run_ok cat "$T/api/user_data-deploy"
  assert_equal "${lines[0]}" "#cloud-config-archive"
  assert_output 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKey me@x'
  refute_output '"content":null'
}

@test "the image that a request names is installed by both examples, and another one is refused" {
  metal_plan '.tenant_image = {name: "jammy-gpu", digest: "sha256:'"$(printf '%064d' 0)"'"}' > "$T/order"
  maas_plays deploy
  says deploy "the plan wants image 'jammy-gpu', and there is no file '$METAL/images' that says what it is here"
  printf 'other ubuntu/noble\njammy-gpu\n' > "$METAL/images"
  says deploy "the plan wants image 'jammy-gpu', and '$METAL/images' has no line for it: it says what the image is here"
  printf 'other ubuntu/noble\njammy-gpu custom/jammy\n' > "$METAL/images"
  maas_plays deploy '(.. | strings) |= if . == "ubuntu" then "custom" elif . == "noble" then "jammy" else . end'
  run_ok hook deploy
  jq_is .image custom/jammy
  maas_is_done
  installer_lab
  rm "$T/tenant.raw"
  head -c 1M /dev/urandom > "$T/jammy.raw"
  printf 'jammy-gpu %s\n' "$T/jammy.raw" > "$METAL/images"
  run_ok by_ssh deploy
  jq_is .image "$T/jammy.raw"
  cmp -n 1048576 "$T/jammy.raw" "$T/work/disks/nvme2n1"
  jq_in_order -c '.tenant_image.name = "nothere"' "$T/order" > "$T/nothere"
  mv "$T/nothere" "$T/order"
  run_status 1 by_ssh deploy
  assert_stderr "the plan wants image 'nothere'"
}

@test "MAAS releases: a trusted system with a host key of this deployment proves itself" {
  trusted_ssh
  maas_plays release
  release_order '.shape = "baremetal"' > "$T/order"
  run_ok hook release
  maas_is_done
  jq_is '[.boot_id, .image, .machine, .address]|join(" ")' \
    "7ab10000-0000-4000-8000-000000000007 custom/gpuaas-host h7 192.0.2.7"
  jq_is '.disks|contains(["eui.002538b1000000a1","eui.002538b1000000a2"])' true
  HOST=$T/trusted in_host gpuaas-discover > "$T/seen"
  jq_is .fingerprint "$(jq -r 'select(.kind=="gpuaas.host/1").fingerprint' "$T/seen")"
}

@test "MAAS says who has a machine: a tenant of gpuaas, one from before, or nobody" {
  echo '{"node":"n-1ab100000000","allocation":null}' > "$T/order"
  maas_plays deploy "$(at read '.machine.owner_data = {gpuaas_allocation: "a110c000", gpuaas_stage: "tenant"} |
    .machine.osystem = "ubuntu" | .machine.distro_series = "noble"')"
  run_ok hook status
  maas_is_done
  jq_is '[.state, .allocation, .machine, .image, .owner, .address] | join(" ")' \
    "tenant a110c000 h7 ubuntu/noble gpuaas 192.0.2.7"
  maas_plays deploy "$(at read '.machine.osystem = "ubuntu" | .machine.distro_series = "noble" | .machine.owner = "acme"')"
  run_ok hook status
  jq_is '[.state, .allocation, .owner] | map(tostring) | join(" ")' "tenant null acme"
  maas_plays deploy "$(at read .)"
  run_ok hook status
  jq_is .state trusted
  maas_plays deploy "$(at read '.machine.status_name = "Ready"')"
  run_ok hook status
  jq_is .state free
}

# One record of the lab state on a machine that is no GPU host, whole machines sold by it.
controller()
{
  export GPUAAS_NODE=controller
}

# host CMD…: on the node, which has no state
node()
{
  GPUAAS_STATE=$T/nowhere.db GPUAAS_HOST_DIR=$T/there GPUAAS_NODE=n-1ab100000000 in_host "$@"
}

# Stands in for the ssh of gpuaas-on: it enters the node.
node_ssh()
{
  cat > "$T/node-ssh" <<END
#!/bin/bash
export PATH=$PATH GPUAAS_STATE=$T/nowhere.db GPUAAS_HOST_DIR=$T/there GPUAAS_NODE=n-1ab100000000
exec "$SRC/tests/hosts/enter" "$HOST" "$WORK" -- bash -c "\${!#}"
END
  chmod +x "$T/node-ssh"
  on_by "$T/node-ssh"
  export XDG_RUNTIME_DIR=$T/run
}

make_metal()
{
  controller
  setup_host lab1
  gpuaas-state init --lab > "$T/made"
  gpuaas-state apply "$SRC/share/objects/lab-baremetal.json" >> "$T/made"
  node gpuaas-discover > "$T/discovery"
  gpuaas-approve --all-ready --mode baremetal --profile lab-baremetal < "$T/discovery" > "$T/orders"
  node gpuaas-wipe < "$T/orders" > "$T/wiped"
  gpuaas-state fold "$T/wiped" > "$T/folded"
}

# own: the scenario speaks of the allocation of this state
own()
{
  echo "(.. | strings) |= gsub(\"a110c000\"; \"$(allocation)\")"
}

@test "the whole path: placed, deployed by MAAS, released, untrusted, proved, wiped" {
  make_metal
  trusted_ssh
  slots_are available available
  gpuaas-place --profile lab-baremetal --baremetal --name whole > "$T/plan"
  maas_plays deploy "$(own)"
  run_ok gpuaas-provision "$T/plan"
  maas_is_done
  jq_is '[.state,.access.address]|join(" ")' "active 192.0.2.7"
  slots_are active active
  run_ok gpuaas-release whole --reason over
  printf '%s\n' "$output" > "$T/order"
  jq_is .boot_id 1ab10000-0000-4000-8000-000000000001
  mv "$METAL/release/50-maas" "$T/50-maas"
  printf '#!/bin/sh\necho \x27{"image":"base"}\x27\n' > "$METAL/release/50-none"
  chmod 755 "$METAL/release/50-none"
  run_status 4 gpuaas-release - < "$T/order"
  jq_is .code untrusted_host
  slots_are cleanup_blocked cleanup_blocked
  run_ok gpuaas-list attention
  jq_slurp_is 'map(.object_kind+" "+.code)|join(", ")' \
    "slot untrusted_host, slot untrusted_host, allocation release_failed"
  # One command leaves it, and it is carried out below.
  jq_slurp_is 'map(.command)|unique|length' 1
  command=$(jq -rs '.[0].command' <<< "$output")
  # No other way leads to a wipe that the tenant's own system would answer.
  slot=$(gpuaas-list slots --json | jq -rs '.[0].slot')
  run_status 4 gpuaas-approve repair "$slot" --reason impatient
  slots_are cleanup_blocked cleanup_blocked
  rm "$METAL/release/50-none"
  mv "$T/50-maas" "$METAL/release/50-maas"
  maas_plays release "$(own)"
  node_ssh
  run_ok bash -o pipefail -c "$command"
  maas_is_done
  jq_slurp_is 'map(select(.kind=="gpuaas.released/1"))[0].steps|map(.step+" "+.outcome)|join(",")' \
    "trusted_host confirmed,disk not_proven,disk confirmed,disk confirmed"
  jq_slurp_is 'map(select(.kind=="gpuaas.wipe-evidence/1").device.wwid)|sort|join(" ")' \
    "eui.002538b1000000a1 eui.002538b1000000a2"
  slots_are available available
  # The tenant had a disk that no slot has: until a person says otherwise nobody else gets it.
  run_status 1 gpuaas-place --profile lab-baremetal --baremetal
  jq_is '.nodes[0]|[.code,.detail]|join(" ")|test("^node_draining disk .*: it is in no slot, so nothing wipes it, after allocation ")' true
  jq_is .hint "when the reason is settled: gpuaas-node undrain n-1ab100000000"
  run_ok gpuaas-list attention
  jq_is '[.code, .object, .command] | join(" ")' "disk_not_wiped n-1ab100000000 gpuaas-node undrain n-1ab100000000 --reason TEXT"
  jq_is '.sentence | contains("it is in no slot, so nothing wipes it, after allocation ")' true
  command=$(jq -r .command <<< "$output")
  run_ok bash -c "${command/TEXT/\'erased by the vendor\'}"
  run_ok gpuaas-list attention
  assert_equal "$output" ""
  run_ok gpuaas-place --profile lab-baremetal --baremetal --dry-run
  run_ok gpuaas-state check
}

# The scenario from a machine that is Ready.
ready='(.steps[:2][].answer.machine) |= {status_name: "Ready", owner: "", owner_data: {}} |
  .steps |= map(select(.name | IN("release", "releasing", "ready") | not))'

# at STEP JQ: the answer of a step changed, and the scenario ends there
at()
{
  echo "(.steps|map(.name)|index(\"$1\")) as \$i | .steps |= .[:\$i+1] | .steps[\$i].answer |= ($2)"
}

@test "what MAAS says against it is one sentence that names the machine" {
  metal_plan . > "$T/order"
  maas_plays deploy "$(at find '{status: 401, body: "Authorization Error: Invalid API key."}')"
  says deploy "machine 'h7': looking for it: MAAS refuses the key in '$METAL/maas.key' (401:" \
    "Authorization Error: Invalid API key.)"
  maas_is_done
  maas_plays deploy "$(at find '{body: []}') | .steps += [{name: \"gone\", method: \"GET\",
    path: \"machines/h7/\", answer: {status: 404, body: \"No Machine matches the given query.\"}}]"
  says deploy "machine 'h7': reading it: MAAS said 404: No Machine matches the given query."
  maas_is_done
  maas_plays deploy "$(at allocate '{status: 409, body: "No machine with system ID 4y3h7n available."}')"
  says deploy "machine 'h7': op=allocate: MAAS said 409: No machine with system ID 4y3h7n available."
  maas_is_done
  maas_plays deploy "$(at deploy '{status: 400, body: {distro_series: ["noble is not", "known"]}}')"
  says deploy "machine 'h7': op=deploy: MAAS said 400: noble is not; known"
  maas_is_done
  maas_plays deploy "$(at deployed '.machine.status_name = "Failed deployment" |
    .machine.status_message = "curtin command install: failed"')"
  says deploy "machine 'h7' is 'Failed deployment' in MAAS, not Deployed: curtin command install: failed"
  maas_is_done
  maas_plays deploy "$(at deployed '.machine.distro_series = "jammy"')"
  says deploy "machine 'h7' runs 'ubuntu/jammy', but needs 'ubuntu/noble'"
  maas_plays deploy "$(at power '.body.state = "off"')"
  says deploy "machine 'h7' is Deployed and its power is 'off' in MAAS"
}

@test "hooks ask a busy MAAS again, and give up on one that is away or never ready" {
  metal_plan . > "$T/order"
  busy='{status: 503, headers: {"Retry-After": "1"}, body: "No IP addresses available."}'
  maas_plays deploy "(.steps|map(.name)|index(\"deploy\")) as \$i |
    .steps |= .[:\$i] + [.[\$i] | .answer = $busy] + .[\$i:]"
  run_ok hook deploy
  maas_is_done
  LIMIT=3 maas_plays deploy "$ready | $(at deploy "$busy") | .steps[-1].times = 9"
  says deploy "machine 'h7': op=deploy: MAAS said 503: No IP addresses available."
  LIMIT=3 maas_plays deploy "$ready | $(at deploying .) | .steps[-1].times = 999"
  says deploy "machine 'h7' is not Deployed after 3 s: MAAS says Deploying: Performing PXE boot"
  kill "$BG_PID"
  wait_for 10 has_ended "$BG_PID"
  sed -i 's/^MAAS_LIMIT_SECONDS=.*/MAAS_LIMIT_SECONDS=1/' "$METAL/maas.conf"
  run_status 1 hook deploy
  assert_stderr "machine 'h7': looking for it: MAAS at http://127.0.0.1:"
  assert_stderr "does not answer: curl: (7)"
}

@test "a machine that is somebody else's is left alone" {
  metal_plan . > "$T/order"
  maas_plays deploy "$(at read '.machine.owner_data = {gpuaas_allocation: "0ther000", gpuaas_stage: "tenant"}')"
  says deploy "machine 'h7' is deployed for allocation '0ther000': release that first"
  maas_is_done
  maas_plays deploy "$(at read '.machine.osystem = "ubuntu" | .machine.distro_series = "noble"')"
  says deploy "machine 'h7' runs 'ubuntu/noble', not the trusted image 'custom/gpuaas-host': not ours to release"
  maas_plays deploy "$(at read '.machine.locked = true')"
  says deploy "machine 'h7' is locked in MAAS: unlock it there when it may be released"
  maas_plays deploy "$(at read '.machine.status_name = "Rescue mode"')"
  says deploy "machine 'h7' is 'Rescue mode' in MAAS, neither Ready nor Deployed"
  release_order '.shape = "baremetal"' > "$T/order"
  maas_plays release "$(at read '.machine.owner_data.gpuaas_allocation = "0ther000"')"
  says release "machine 'h7' is deployed for '0ther000', not for allocation 'a110c000'"
  maas_plays release "$(at read '.machine.owner_data = {}')"
  says release "machine 'h7' is deployed for 'nobody of gpuaas', not for allocation 'a110c000'"
  maas_plays release "$(at deployed '.machine.owner_data.gpuaas_allocation = "0ther000"')"
  says release "machine 'h7' was deployed for '0ther000' (trusted) meanwhile"
}

@test "begun before: a deployment is waited for, and not made again" {
  metal_plan . > "$T/order"
  arriving='.machine += {status_name: "Deploying", osystem: "ubuntu", distro_series: "noble",
    owner_data: {gpuaas_allocation: "a110c000", gpuaas_stage: "tenant", gpuaas_node: "n-1ab100000000"}}'
  maas_plays deploy "(.steps[:2][].answer) |= ($arriving) |
    .steps |= map(select(.name | IN(\"find\", \"read\", \"deploying\", \"busy\", \"deployed\", \"power\")))"
  run_ok hook deploy
  jq_is .address 192.0.2.7
  maas_is_done
}

@test "the key is seen by nobody: no argument, no environment, no file that others can read" {
  metal_plan . > "$T/order"
  chmod 644 "$METAL/maas.key"
  maas_plays deploy
  says deploy "'$METAL/maas.key' holds a secret and can be read by others: chmod 600 '$METAL/maas.key'"
  chmod 600 "$METAL/maas.key"
  # A killed run leaves its folder, in memory; this one must not.
  before=$(find /run /tmp -maxdepth 1 -name 'gpuaas-metal.*' | sort)
  maas_plays deploy '(.steps[] | select(.name == "deploy")).answer.hold = true'
  background hook deploy > "$T/answer" 2> "$T/words"
  hook=$BG_PID
  wait_for 20 test -s "$T/api/asked"
  # curl waits for its answer now; nothing of it may show, and it must be there to be seen.
  curl=$(pgrep -f -- '-K - --request POST')
  [[ -n $curl ]]
  for process in /proc/[0-9]*; do
    [[ ${process#/proc/} != "$$" && ${process#/proc/} != "$BASHPID" ]] || continue
    run ! grep -aqE 'Zr4secretVb8|token9Qw' "$process/cmdline" "$process/environ"
  done
  folders=(/run/gpuaas-metal.*)
  [[ -d ${folders[0]} && ${#folders[@]} -gt $(grep -c . <<< "$before") ]]
  run find /run /tmp -maxdepth 2 -path '*gpuaas-metal*' -perm /077
  assert_equal "$output" ""
  refute_grep -rqE 'Zr4secretVb8|token9Qw' "${folders[@]}"
  touch "$T/api/go"
  wait_for 20 has_ended "$hook"
  maas_is_done
  refute_grep -qE 'Zr4secretVb8|token9Qw' "$T/answer" "$T/words"
  assert_equal "$(find /run /tmp -maxdepth 1 -name 'gpuaas-metal.*' | sort)" "$before"
}

@test "nobody proves to be the machine: another host key, another node, other hardware" {
  release_order '.shape = "baremetal"' > "$T/order"
  trusted_ssh
  # All that MAAS does must be done in this time, on a busy machine too: ssh is refused until its end.
  LIMIT=15 maas_plays release "$ready | (.steps[] | select(.name == \"busy\")).answer.headers = {}"
  cp "$T/ssh" "$T/ssh.good"
  sed -i 's/ed25519_public/of_the_tenant/' "$T/ssh"
  run_status 1 hook release
  assert_stderr "machine 'h7' is not reached by ssh at 192.0.2.7 after 15 s: Host key verification failed."
  cp "$T/ssh.good" "$T/ssh"
  sed -i 's/GPUAAS_NODE=.*$/GPUAAS_NODE=n-other/' "$T/ssh"
  maas_plays release
  run_status 1 hook release
  assert_stderr "machine 'h7' says it is node 'n-other', not 'n-1ab100000000'"
}

# ---- by ssh ----

# installer_lab [KEY=VALUE…]: the ssh example with a machine that can be started: NETBOOT keeps the
# public half of the host key it was given, and ssh answers only a client that expects it. Its commands
# run in the recorded host, with mount and its like standing in.
installer_lab()
{
  rm -rf "$METAL"
  mkdir -p "$METAL" "$T/there" "$T/bin"
  cp -a "$SRC/share/baremetal/ssh/." "$SRC/share/baremetal/answer.bash" "$METAL/"
  echo 'n-1ab100000000 192.0.2.9' > "$METAL/machines"
  HOST=$T/trusted setup_host lab1 boot_id=9ab10000-0000-4000-8000-000000000009 \
    'nvme.1.parts=[{"size_mib":8,"fs":"ext4"}]' "$@"
  truncate -s 4M "$T/tenant.raw"
  head -c 1M /dev/urandom | dd of="$T/tenant.raw" conv=notrunc status=none
  cat > "$METAL/ssh.conf" <<END
NETBOOT=$T/bin/netboot
INSTALLER_IMAGE=installer-7
TENANT_IMAGE=$T/tenant.raw
POLL_SECONDS=0.05
LIMIT_SECONDS=${LIMIT-60}
SSH=$T/bin/ssh
SSH_KEYSCAN=$T/bin/keyscan
SSH_KEY=$T/key
END
  cat > "$T/bin/netboot" <<END
#!/bin/bash
echo "\$*" >> "$T/there/starts"
[[ \$2 == disk ]] || { umask 077; cat > "$T/there/new" && ssh-keygen -y -f "$T/there/new" > "$T/there/key"; }
echo "\$2" > "$T/there/runs"
END
  # The first question finds the machine still starting.
  cat > "$T/bin/ssh" <<END
#!/bin/bash
for word in "\$@"; do case \$word in UserKnownHostsFile=*) known=\${word#*=} ;; esac; done
[[ \$(< "$T/there/runs") == installer ]] || { echo "Connection refused" >&2; exit 255; }
[[ -e $T/there/asked ]] || { : > "$T/there/asked"; echo "Connection timed out" >&2; exit 255; }
[[ \$(< "\$known") == "192.0.2.9 \$(cut -d' ' -f1,2 < "$T/there/key")" ]] ||
  { echo "Host key verification failed." >&2; exit 255; }
export PATH=$T/bin/inside:$PATH
exec "$SRC/tests/hosts/enter" "$T/trusted" "$T/work" -- bash -c "\${!#}"
END
  cat > "$T/bin/keyscan" <<END
#!/bin/bash
[[ \$(< "$T/there/runs") == disk ]] || exit 1
echo "192.0.2.9 \$(sed -n 's/^  ed25519_public: //p' "$T/there/seed/vendor-data")"
END
  mkdir -p "$T/bin/inside"
  printf '#!/bin/sh\n' | tee "$T/bin/inside/blockdev" > "$T/bin/inside/udevadm"
  printf '#!/bin/sh\necho "$1" > "%s/mounted"\necho "$2" > "%s/at"\n' "$T/there" "$T/there" > "$T/bin/inside/mount"
  printf '#!/bin/sh\nmv "$1/var/lib/cloud/seed/nocloud" "%s/seed" && rm -r "$1"\n' "$T/there" > "$T/bin/inside/umount"
  # /etc of an image in memory.
  printf '#!/bin/sh\n[ "$1" != /etc/gpuaas/image-id ] || { echo installer-7; exit; }\nexec /bin/cat "$@"\n' \
    > "$T/bin/inside/cat"
  printf '#!/bin/sh\n[ "$1" != -qx ] || exit 0\nexec /bin/grep "$@"\n' > "$T/bin/inside/grep"
  chmod +x "$T"/bin/{netboot,ssh,keyscan} "$T"/bin/inside/*
}

by_ssh()
{
  env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C "$METAL/$1/50-ssh" < "$T/order"
}

@test "ssh deploys: image written, read back and seeded, the tenant's own host key awaited" {
  installer_lab
  metal_plan '.user_data_digest = null' | jq_in_order -c '. + {user_data: "#!/bin/sh\necho hello\n"}' > "$T/order"
  run_ok by_ssh deploy
  jq_is '[.address, .machine, .image]|join(" ")' "192.0.2.9 192.0.2.9 $T/tenant.raw"
  cmp -n 4194304 "$T/tenant.raw" "$T/work/disks/nvme2n1"
  assert_equal "$(< "$T/there/mounted")" /dev/nvme2n1p1
  assert_equal "$(< "$T/there/seed/user-data")" $'#!/bin/sh\necho hello'
  grep -q 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIKey me@x' "$T/there/seed/vendor-data"
  assert_equal "$(< "$T/there/starts")" $'n-1ab100000000 installer\nn-1ab100000000 disk'
  jq_is .host_key "$(sed -n 's/^  ed25519_public: //p' "$T/there/seed/vendor-data")"
}

@test "ssh releases: the installer proves the machine, and only a new start of it is believed" {
  installer_lab
  HOST=$T/trusted in_host gpuaas-discover > "$T/seen"
  fingerprint=$(jq -r 'select(.kind=="gpuaas.host/1").fingerprint' "$T/seen")
  release_order ".shape = \"baremetal\" | .fingerprint = \"$fingerprint\"" > "$T/order"
  run_ok by_ssh release
  jq_is '[.boot_id, .image, .fingerprint]|join(" ")' \
    "9ab10000-0000-4000-8000-000000000009 installer-7 $fingerprint"
  release_order ".shape = \"baremetal\" | .fingerprint = \"sha256:$(printf '%064d' 0)\"" > "$T/order"
  run_status 1 by_ssh release
  assert_stderr "machine '192.0.2.9' is not the hardware that was approved as node 'n-1ab100000000'"
  release_order '.shape = "baremetal" | .boot_id = "9ab10000-0000-4000-8000-000000000009"' > "$T/order"
  run_status 1 by_ssh release
  assert_stderr "machine '192.0.2.9' was not started again: its boot id is that of before the hand-over"
  # A start that did nothing: the installer of before, or the tenant, does not have the new key.
  printf '#!/bin/sh\nexit 0\n' > "$T/bin/netboot"
  sed -i 's/^LIMIT_SECONDS=.*/LIMIT_SECONDS=1/' "$METAL/ssh.conf"
  run_status 1 by_ssh release
  assert_stderr "machine '192.0.2.9' is not in the installer after 1 s: Host key verification failed."
  printf '#!/bin/sh\necho "BMC: no route" >&2\nexit 3\n' > "$T/bin/netboot"
  run_status 1 by_ssh release
  assert_stderr "machine '192.0.2.9': '$T/bin/netboot n-1ab100000000 installer' failed: BMC: no route"
}

@test "ssh writes to no disk that is another, missing or mounted" {
  installer_lab 'nvme.1.mount=/data'
  metal_plan . > "$T/order"
  run_status 1 by_ssh deploy
  assert_stderr "/dev/nvme2n1 is mounted"
  metal_plan '.bundles[0].nvme_wwid = "eui.00000000deadbeef"' > "$T/order"
  run_status 1 by_ssh deploy
  assert_stderr "there is no disk eui.00000000deadbeef"
  metal_plan ".bundles[0].nvme_wwid = \"x'; reboot #\"" > "$T/order"
  run_status 1 by_ssh deploy
  assert_stderr "the plan of 'a110c000' names no disk"
  run ! cmp -s -n 1048576 "$T/tenant.raw" "$T/work/disks/nvme2n1"
  # Written, and not what is read back.
  installer_lab
  printf '#!/bin/sh\n/bin/cat > "%s/swallowed"\n' "$T" > "$T/bin/inside/dd"
  chmod +x "$T/bin/inside/dd"
  metal_plan . > "$T/order"
  run_status 1 by_ssh deploy
  assert_stderr "what was written to eui.002538b1000000a1 does not read back as '$T/tenant.raw'"
  refute_grep -q disk "$T/there/starts"
}

# ---- where ----

@test "refused on the node that holds the state, and where there are no executables, before a write" {
  setup_host lab1
  metal_plan . > "$T/plan"
  gpuaas-state init --lab > "$T/made"
  run_status 4 in_host gpuaas-provision --dry-run "$T/plan"
  jq_is '[.kind,.code]|join(" ")' "gpuaas.failure/1 holds_state"
  rm "$GPUAAS_STATE"* "$METAL/status/50-maas"
  mv "$METAL/deploy/50-maas" "$T/50-maas"
  run_status 7 in_host gpuaas-provision "$T/plan"
  jq_is '[.phase,.code]|join(" ")' "recheck no_hooks"
  # A file that is none of them is named.
  install -m 755 "$T/50-maas" "$METAL/deploy/10-mine.sh"
  install -m 644 "$T/50-maas" "$METAL/deploy/10-mine"
  GPUAAS_NODE=controller run_status 7 gpuaas-provision "$T/plan"
  jq_is '[.phase,.code]|join(" ")' "recheck no_hooks"
  jq_is '.sentence | (contains("\u002710-mine.sh\u0027 (a name has only letters, digits, \u0027_\u0027 and \u0027-\u0027)") and
    contains("\u002710-mine\u0027 (it is not executable)"))' true
  rm "$METAL/deploy/10-mine" "$METAL/deploy/10-mine.sh"
  printf '#!/bin/sh\ncat > "%s/order"\necho \x27{}\x27\n' "$T" > "$METAL/deploy/50-other"
  chmod 775 "$METAL/deploy/50-other"
  GPUAAS_NODE=controller run_status 6 gpuaas-provision "$T/plan"
  jq_is '[.phase,.code]|join(" ")' "recheck hook_unsafe"
  [[ ! -e $T/order ]]
  # Nothing of it kept the plan from being carried out later, on the node itself or from elsewhere.
  chmod 755 "$METAL/deploy/50-other"
  GPUAAS_NODE=controller run_ok gpuaas-provision "$T/plan"
  jq_is .state active
  assert_equal "$(jq -r .allocation "$T/order")" a110c000
}

@test "a deploy whose answer is none makes no active machine, and its plan is not run again" {
  rm "$METAL"/{deploy,status}/50-maas
  metal_plan ".private_ip = null" > "$T/plan"
  export GPUAAS_NODE=controller
  for answer in '{"address":"192.0.2.7"\n}' '{"address":"192.0.2.7"}\ndone' '{"address":7}' \
    '{"address":"-oProxyCommand=x"}' '{"address":""}'; do
    printf '#!/bin/sh\necho x >> "%s/runs"\nprintf \x27%s\\n\x27\n' "$T" "$answer" > "$METAL/deploy/50-other"
    chmod 755 "$METAL/deploy/50-other"
    rm -rf "$GPUAAS_HOST_DIR" "$T/runs"
    run_status 9 gpuaas-provision "$T/plan"
    jq_is '[.phase,.code]|join(" ")' "deploy hook_answer"
    jq_is '.hint | contains("gpuaas-release a110c000 | gpuaas-release - | gpuaas-on gpuaas-wipe")' true
  done
  run_status 9 gpuaas-provision "$T/plan"
  assert_stderr "note: plan of 'a110c000' is not run again, because it has failed"
  assert_equal "$(< "$T/runs")" x
  # Without an address it is active, with a warning.
  printf '#!/bin/sh\necho a log\necho {}\n' > "$METAL/deploy/50-other"
  rm -rf "$GPUAAS_HOST_DIR"
  run_ok gpuaas-provision "$T/plan"
  jq_is .state active
  assert_stderr "warning: the executables in baremetal.d/deploy answer no address"
}

@test "user-data goes to the executables on standard input, and stays nowhere" {
  mkdir -p "$T/ud"
  printf '#!/bin/sh\necho sesame\n' > "$T/text"
  digest=$(sha256sum < "$T/text")
  cp "$T/text" "$T/ud/${digest%% *}"
  printf '#!/bin/sh\ncat > "%s/order"\necho \x27{}\x27\n' "$T" > "$METAL/deploy/50-other"
  chmod 755 "$METAL/deploy/50-other"
  rm "$METAL"/{deploy,status}/50-maas
  metal_plan ".user_data_digest = \"sha256:${digest%% *}\"" > "$T/plan"
  export GPUAAS_NODE=controller
  run_status 5 gpuaas-provision "$T/plan"
  jq_is '[.phase,.code]|join(" ")' "recheck user_data_missing"
  run_ok gpuaas-provision --user-data-dir "$T/ud" "$T/plan"
  refute_output sesame
  assert_equal "$(jq -r .user_data "$T/order")" "$(< "$T/text")"
  refute_grep -rq sesame "$GPUAAS_HOST_DIR"
}

# deploy_waits: an executable that keeps its orders in $T/orders and ends when there is $T/go
deploy_waits()
{
  cat > "$METAL/deploy/50-slow" <<END
#!/bin/bash
cat >> "$T/orders"; echo >> "$T/orders"
: > "$T/began"
until [[ -e $T/go ]]; do read -rt 0.05 < "$T/never" || :; done
echo '{"address":"192.0.2.7"}'
END
  chmod 755 "$METAL/deploy/50-slow"
  mkfifo "$T/never"
  exec 8<> "$T/never"
}

@test "killed while the tenant's system arrives: resumed, with its user-data, and told once" {
  rm "$METAL"/{deploy,status}/50-maas
  mkdir -p "$T/ud"
  echo sesame > "$T/text"
  digest=$(sha256sum < "$T/text")
  cp "$T/text" "$T/ud/${digest%% *}"
  deploy_waits
  metal_plan ".user_data_digest = \"sha256:${digest%% *}\"" > "$T/plan"
  export GPUAAS_NODE=controller
  background gpuaas-provision --user-data-dir "$T/ud" "$T/plan" > "$T/first" 2> "$T/words"
  killed=$BG_PID
  wait_for 20 test -e "$T/began"
  # The one that waits for the executable too, which may be a worker.
  mapfile -t all < <(echo "$killed"; pgrep -P "$killed" gpuaas-provis)
  kill -9 "${all[@]}"
  for pid in "${all[@]}"; do
    wait_for 10 has_ended "$pid"
  done
  : > "$T/go"
  run_ok gpuaas-provision --user-data-dir "$T/ud" --resume a110c000
  jq_is '[.state,.access.address]|join(" ")' "active 192.0.2.7"
  assert_equal "$(jq -r .user_data < "$T/orders" | grep -c sesame)" 2
  exec 8>&-
}

@test "what a worker does after its program was killed stays in the state" {
  make_metal
  rm "$METAL/deploy/50-maas"
  deploy_waits
  gpuaas-place --profile lab-baremetal --baremetal --name whole > "$T/plan"
  background gpuaas-provision "$T/plan" > "$T/first" 2> "$T/words"
  program=$BG_PID
  wait_for 20 test -e "$T/began"
  worker=$(pgrep -P "$program" gpuaas-provis)
  kill -9 "$program"
  wait_for 10 has_ended "$program"
  # The last to close takes the journal away: the worker is not to be overlooked as one who has it.
  gpuaas-state apply "$SRC/share/objects/lab.json" > "$T/out"
  : > "$T/go"
  wait_for 20 has_ended "$worker"
  exec 8>&-
  run_ok gpuaas-list allocations
  jq_is .state active
  run_ok gpuaas-state check
}

@test "a machine with a tenant's unwiped disk or GPU in no slot is not sold whole" {
  local old device slot
  make_lab
  # A tenant had the second slot; its wipe could not begin, and it was retired with a disposal.
  gpuaas-approve cordon "$(gpuaas-list slots | jq -r 'select(.slot_index==0).slot')" --reason x > "$T/out"
  here bash -c 'gpuaas-place --profile lab --gpus 1 --name a | gpuaas-provision' > "$T/out"
  here gpuaas-release a > "$T/order"
  old=$(gpuaas-list slots | jq -r 'select(.slot_index==1).slot')
  gpuaas-approve quarantine "$old" --reason x > "$T/out" || :
  setup_host lab1 nvme.2.eui=002538b1000000ff
  here gpuaas-wipe "$T/order" > "$T/out" || :
  setup_host lab1
  for verb in quarantine disable; do gpuaas-approve "$verb" "$old" --reason x > "$T/out"; done
  gpuaas-approve retire "$old" --reason x --disposal shredded > "$T/out"
  gpuaas-approve disable "$(gpuaas-list slots --where state=available | jq -r .slot)" --reason mode > "$T/out"
  gpuaas-state apply "$SRC/share/objects/lab-baremetal.json" > "$T/out"
  here bash -c 'gpuaas-discover | gpuaas-approve --slot 0 --mode baremetal --profile lab-baremetal' > "$T/out" || :
  slot=$(gpuaas-list slots --where state=disabled | jq -r .slot)
  gpuaas-approve uncordon "$slot" > "$T/out"
  gpuaas-approve enable "$slot" > "$T/out"
  run_status 1 gpuaas-place --profile lab-baremetal --baremetal
  assert_stderr "the node is not sold as baremetal: its '"
  assert_stderr "is in no slot and was not wiped since"
  # Nor without the card beside which the disk stood: the disk is there still.
  setup_host lab1 gpu.1=null
  here bash -c 'gpuaas-discover | gpuaas-approve --slot 0 --mode baremetal --profile lab-baremetal --accept-change' > "$T/out" || :
  run_status 1 gpuaas-place --profile lab-baremetal --baremetal
  assert_stderr "'eui.002538b1000000a2' is in no slot and was not wiped since"
  # Without both nothing of the tenant is left in the machine.
  setup_host lab1 gpu.1=null nvme.2=null
  run here bash -c 'gpuaas-discover | gpuaas-approve --slot 0 --accept-change'
  run_ok gpuaas-place --profile lab-baremetal --baremetal --dry-run
  setup_host lab1
  run here bash -c 'gpuaas-discover | gpuaas-approve --slot 0 --accept-change'
  run_status 1 gpuaas-place --profile lab-baremetal --baremetal
  # In a slot it is wiped, and then the machine is sold.
  run_ok here bash -c 'gpuaas-discover | gpuaas-approve --slot 1 --profile lab-baremetal --destroy-data eui.002538b1000000a2 | gpuaas-wipe'
  run_ok gpuaas-place --profile lab-baremetal --baremetal
}

# ---- hosts that no slice fits on ----

# whole_by_hand HOST [KEY=VALUE…]: a state on a controller, HOST as node n-plain, and executables
# of an operator who has no API: deploy remembers the order; release answers as the trusted system,
# which is HOST after another boot.
whole_by_hand()
{
  export GPUAAS_NODE=controller
  setup_host "$@"
  HOST=$T/trusted setup_host "$@" boot_id=9ab10000-0000-4000-8000-000000000009
  rm -r "$METAL"
  mkdir -p "$METAL/deploy" "$METAL/release"
  printf '#!/bin/sh\ncat > "%s/tenant"\necho \x27{"address":"192.0.2.7"}\x27\n' "$T" > "$METAL/deploy/50-hand"
  cat > "$METAL/release/50-hand" <<END
#!/bin/sh
export PATH=$PATH GPUAAS_NODE=n-plain
"$SRC/tests/hosts/enter" "$T/trusted" "$WORK" -- gpuaas-discover |
  jq -c -s '(map(select(.kind == "gpuaas.host/1"))[0] | {boot_id, fingerprint, image: "plain-7"}) +
    {disks: map(.nvme.wwid // empty)}'
END
  chmod 755 "$METAL"/*/50-hand
  gpuaas-state init --lab > "$T/made"
  gpuaas-state apply "$SRC/share/objects/lab-baremetal.json" >> "$T/made"
  gpuaas-state apply "$SRC/share/objects/lab.json" >> "$T/made"
  plain gpuaas-discover > "$T/discovery"
}

# plain CMD…: on the server, which has no state; HOST=$T/trusted plain CMD…: after its return
plain()
{
  GPUAAS_STATE=$T/nowhere.db GPUAAS_HOST_DIR=$T/there GPUAAS_NODE=${PLAIN-n-plain} in_host "$@"
}

# sold_whole [--mode baremetal]
sold_whole()
{
  gpuaas-approve --all-ready "$@" --profile lab-baremetal < "$T/discovery" > "$T/orders"
  plain gpuaas-wipe < "$T/orders" > "$T/wiped"
  gpuaas-state fold "$T/wiped" > "$T/folded"
}

@test "the reason that counts: of slots that no slice fits on, and of a GPU that does not answer" {
  whole_by_hand mixed
  run_status 1 gpuaas-approve --all-ready --profile lab < "$T/discovery"
  run_status 1 gpuaas-place --profile lab-baremetal --baremetal
  jq_is '.sentence | contains("(missing_fabric_vf)")' true
  jq_is '.hint | contains("gpuaas-approve --all-ready --mode baremetal | gpuaas-on gpuaas-wipe")' true
  # A wipe does not bring a dead GPU back: its disk, not wiped yet, is the last reason.
  setup_host lab1 gpu.0.command=ffff
  PLAIN=n-dead plain gpuaas-discover --mode baremetal > "$T/discovery"
  gpuaas-approve --all-ready --profile lab-baremetal < "$T/discovery" > "$T/orders"
  run_status 1 gpuaas-place --profile lab-baremetal --baremetal
  jq_is '.sentence | contains("(gpu_not_answering)")' true
  run_ok gpuaas-list attention --where code=gpu_not_answering
  jq_is '.sentence | contains("power the host off and on")' true
}

@test "no SR-IOV, a GPU with the console: a plain machine goes to a tenant and comes back" {
  whole_by_hand mixed
  jq -e 'select(.kind == "gpuaas.candidate/1").reasons | map(.code) | contains(["missing_fabric_vf"])' \
    "$T/discovery" > "$T/out"
  # Prepared for baremetal, nothing that only slices need is missing, and its node is sold whole.
  export GPUAAS_MODE=baremetal
  plain gpuaas-discover > "$T/discovery"
  run_ok cat "$T/discovery"
  jq_is 'select(.kind == "gpuaas.candidate/1") | [.reasons, .fabric, .suggested.mac, .suggested.port] | tojson' \
    $'[[],null,null,null]\n[[],null,null,null]'
  jq_is 'select(.kind == "gpuaas.host/1") | [.mode, (.prerequisites | map(.name)), (.warnings | map(.code))] | tojson' \
    '["baremetal",["free_space","disk_autoactivation"],["disk_autoactivation_missing"]]'
  sold_whole
  slots_are available available
  run_ok cat "$T/wiped"
  jq_is 'select(.kind == "gpuaas.wipe-evidence/1").vf_state | .outcome + ": " + .detail' \
    $'not_needed: none: the slot has no fabric function\nnot_needed: none: the slot has no fabric function'
  # Attention and check have nothing against it.
  run_ok gpuaas-list attention
  assert_equal "$output" ""
  run_ok gpuaas-state check
  run_ok bash -o pipefail -c "gpuaas-place --profile lab-baremetal --baremetal --name whole | gpuaas-provision"
  jq_is '[.state,.access.address]|join(" ")' "active 192.0.2.7"
  # The tenant has the machine: all its CPUs and memory, and no address that a VM would get.
  assert_equal "$(jq -c '[(.bundles | map(.fabric_vf_pci_address) | unique), .mac, .private_ip, .port, .vcpus, .memory_mib]' \
    "$T/tenant")" '[[null],null,null,null,64,262144]'
  # No key is registered with what the tenant signs, even if it knows the attempt in force.
  gpuaas-state backup "$T/copy.db" > "$T/out"
  GPUAAS_STATE=$T/copy.db without_triggers "DELETE FROM node_key"
  sql "$GPUAAS_STATE" "SELECT plan FROM allocation" | jq_in_order -c '{kind:"gpuaas.progress/1",node,
    object:.allocation,attempt,generation,phase:"recheck",state:"started",at:.created_at,elapsed_micros:null,bytes:null,total_bytes:null,
    detail:null}' | by_node > "$T/forged"
  GPUAAS_STATE=$T/copy.db run_status 6 gpuaas-state fold "$T/forged"
  assert_stderr "a tenant has node 'n-plain', and the key of the signature may be the tenant's"
  # No slice besides, and the node stays what it is.
  run_status 4 gpuaas-node mode n-plain slice
  assert_stderr "is in use"
  run_ok bash -o pipefail -c "gpuaas-release whole --reason over | gpuaas-release - > '$T/back'"
  HOST=$T/trusted plain gpuaas-wipe < "$T/back" > "$T/wiped"
  run_ok gpuaas-state fold "$T/wiped"
  slots_are available available
  run_ok gpuaas-show whole
  jq_is 'select(.kind == "gpuaas.allocation/1").state' released
  run_ok gpuaas-state check
  # Nothing that slices need is drift.
  gpuaas-state expect --node n-plain > "$T/want"
  HOST=$T/trusted run_ok plain gpuaas-reconcile - < "$T/want"
  jq_is 'select(.kind == "gpuaas.observation/1").agreed' true
  jq_is 'select(.kind == "gpuaas.drift/1" and .severity != "info").code' ""
  HOST=$T/trusted plain gpuaas-discover | gpuaas-approve --record-only > "$T/out"
  run_ok gpuaas-list attention
  assert_equal "$output" ""
  run_ok gpuaas-place --profile lab-baremetal --baremetal --dry-run
}

@test "a GPU whose driver is loaded: discovery and wipe say so before a wipe fails at its reset" {
  whole_by_hand mixed iommu.kind=none gpu.0.driver=nouveau gpu.1.driver=null
  plain gpuaas-discover --mode baremetal > "$T/discovery"
  run_ok jq -c 'select(.kind == "gpuaas.host/1").warnings[] | select(.code | startswith("gpu_")) |
    [.code, .subject, (.hint | contains("echo 0000:02:00.0 > /sys/bus/pci/drivers/nouveau/unbind"))]' "$T/discovery"
  assert_equal "$output" '["gpu_wipe_unproven","0000:02:00.0",true]'
  gpuaas-approve --all-ready --profile lab-baremetal < "$T/discovery" > "$T/orders"
  run_status 7 plain gpuaas-wipe "$T/orders"
  printf '%s\n' "$output" > "$T/wiped"
  assert_stderr "warning: this wipe will not prove that GPU 0000:02:00.0 is cleared: driver 'nouveau' uses it"
  run_status 7 gpuaas-state fold "$T/wiped"
  slots_are cleanup_blocked available
  run_ok gpuaas-list attention --where code=gpu_reset_not_proven
  jq_is '.sentence | contains("or to no driver (echo ADDRESS > /sys/bus/pci/drivers/DRIVER/unbind)")' true
  # An executable that clears its memory is as good.
  mkdir "$T/scrub"
  touch "$T/scrub/10de:26b9"
  GPUAAS_GPU_SCRUB_DIR=$T/scrub plain gpuaas-discover --mode baremetal > "$T/discovery"
  run_ok cat "$T/discovery"
  jq_is 'select(.kind == "gpuaas.host/1").warnings | map(.code) | index("gpu_wipe_unproven")' null
  # A GPU that cannot be reset needs one.
  setup_host mixed iommu.kind=none gpu.1.reset_method=
  GPUAAS_GPU_SCRUB_DIR=$T/scrub plain gpuaas-discover --mode baremetal > "$T/discovery"
  run_ok jq -r 'select(.kind == "gpuaas.host/1").warnings[] | select(.code == "gpu_wipe_unproven").hint' "$T/discovery"
  assert_equal "$output" "install an executable that clears its memory as $T/scrub/10de:2230 (gpuaas-wipe(1))"
}

@test "without an IOMMU, and with shared groups: sold as baremetal; slices get the real reason" {
  # A host that isolates nothing, and has no adapter at all.
  whole_by_hand lab1 cmdline=quiet iommu.kind=none nic.0=null
  run_status 1 gpuaas-approve --all-ready < "$T/discovery"
  jq_slurp_is 'map(select(.kind == "gpuaas.slot/1").blockers | map(.code) | contains(["not_ready", "missing_fabric_vf"])) | all' true
  run_ok gpuaas-node show n-plain
  jq_is '.blockers | map(.code) | contains(["no_iommu"])' true
  sold_whole --mode baremetal
  slots_are available available
  # Looked at for slices, and sold whole: no slot keeps an address or CPUs of a slice.
  run_ok gpuaas-list slots
  jq_is '[.mac, .private_ip, .port, .bridge, .cpuset, .memory_mib] | unique | tojson' $'[null]\n[null]'
  # A free machine is no fragments.
  run_ok gpuaas-list pools
  jq_is '[.available, .largest, .fragmentation_ppm] | join(" ")' "2 2 0"
  run_ok gpuaas-node show n-plain
  jq_is '.blockers | length' 0
  run_ok gpuaas-place --profile lab-baremetal --baremetal --dry-run
  run_ok gpuaas-list attention
  assert_equal "$output" ""
  # To sell slices its slots are judged again, and they say why not; a wipe does not sell them.
  run_status 4 gpuaas-node mode n-plain slice
  assert_stderr "approved for baremetal"
  for slot in $(gpuaas-list slots | jq -r .slot); do gpuaas-approve disable "$slot" --reason slices > "$T/out"; done
  gpuaas-node mode n-plain slice > "$T/out"
  run_ok gpuaas-node show n-plain
  jq_is '.blockers | map(.code) | contains(["no_iommu"])' true
  run_ok gpuaas-list slots
  jq_is '.blockers | map(.code) | index("node_mode") != null' $'true\ntrue'
  slot=$(jq -rs '.[0].slot' <<< "$output")
  gpuaas-approve repair "$slot" --reason again > "$T/orders"
  plain gpuaas-wipe < "$T/orders" > "$T/wiped"
  gpuaas-state fold "$T/wiped" > "$T/folded"
  slots_are disabled disabled
}

@test "eight GPUs, one without a function and one with another device in its group: sold whole" {
  whole_by_hand h200
  gpuaas-approve --all-ready --dry-run < "$T/discovery" > "$T/slices"
  run_ok jq -c 'select(.kind == "gpuaas.slot/1" and .state == "disabled") | .blockers[0].code' "$T/slices"
  assert_equal "$output" $'"missing_fabric_vf"\n"iommu_group_shared"'
  # Looked at for baremetal, it sells no slices: what these need was not read.
  plain gpuaas-discover --mode baremetal > "$T/whole"
  run_status 1 gpuaas-approve --slot 0 --mode slice < "$T/whole"
  jq_slurp_is 'map(select(.kind == "gpuaas.slot/1"))[0].blockers | (map(.code) | join(" ")) + ": " + .[0].hint' \
    "not_ready tainted: sell it as baremetal (gpuaas-approve --mode baremetal), or prepare it for slices (gpuaas-host-bootstrap --undo, then gpuaas-host-bootstrap --mode slice) and discover again"
  run_ok gpuaas-node show n-plain
  jq_is '.blockers | map(.code) | join(" ")' host_mode
  plain gpuaas-discover > "$T/discovery"
  # Sold whole with some of its GPUs alone, the others would be neither billed nor wiped.
  gpuaas-state backup "$T/some.db" > "$T/out"
  GPUAAS_STATE=$T/some.db gpuaas-approve --slot 0 --slot 3 --mode baremetal < "$T/discovery" > "$T/two"
  "$SRC/tests/evidence" < "$T/two" > "$T/evidence"
  GPUAAS_STATE=$T/some.db gpuaas-state fold "$T/evidence" > "$T/folded"
  GPUAAS_STATE=$T/some.db run_status 1 gpuaas-place --profile lab-baremetal --baremetal
  jq_is '.sentence | contains("(gpu_in_no_slot)")' true
  gpuaas-approve --slot 0 --slot 3 < "$T/discovery" > "$T/slices"
  run_status 1 gpuaas-place --profile lab-baremetal --baremetal
  jq_is '.hint' "only slices need that; to sell the node as baremetal: 'gpuaas-on --nodes node=n-plain gpuaas-discover | gpuaas-approve --all-ready --mode baremetal | gpuaas-on gpuaas-wipe | gpuaas-state fold -'"
  jq_is '.sentence | contains("(missing_fabric_vf)")' true
  gpuaas-approve --all-ready --mode baremetal --profile lab-baremetal < "$T/discovery" > "$T/slots"
  "$SRC/tests/evidence" < "$T/slots" > "$T/evidence"
  gpuaas-state fold "$T/evidence" > "$T/folded"
  assert_equal "$(gpuaas-list slots --where state=available | jq -r .slot | wc -l)" 8
  run_ok gpuaas-place --profile lab-baremetal --baremetal --name whole
  jq_is '.bundles | map(.fabric_vf_pci_address != null) | [length, (map(select(.)) | length)] | join(" ")' "8 7"
  gpuaas-release whole > "$T/out"
  run_status 1 gpuaas-place --profile lab --gpus 1
  jq_is '.nodes[0].code' node_mode
  # Changed by hand to slices, the slots that were judged for baremetal are named and left out.
  without_triggers "UPDATE node SET mode = 'slice'"
  run_status 1 gpuaas-state check
  jq_slurp_is 'map(select(.check == "incomplete")) | length' 7
  run_ok gpuaas-list attention --where code=not_for_sale
  jq_slurp_is 'map(select(.sentence | contains("blocks it for slices: missing_"))) | length' 7
}

# status_says STATE ALLOCATION: what the operator's executable answers about a machine (ALLOCATION null: for
# nobody of gpuaas)
status_says()
{
  mkdir -p "$METAL/status"
  printf '#!/bin/sh\ncat > "%s/question"\necho \x27{"state":"%s","allocation":%s,"machine":"h7","image":"tenant-9","owner":"acme","address":"192.0.2.7"}\x27\n' \
    "$T" "$1" "$2" > "$METAL/status/50-hand"
  chmod 755 "$METAL/status/50-hand"
}

# adopts [ARG…]: the inventory of the controller, which deploys
adopts()
{
  gpuaas-reconcile --inventory ${MACHINE:+--machine "$MACHINE"} > "$T/inventory"
  run gpuaas-state adopt --reason test "$@" "$T/inventory"
}

# After a restore a tenant may have the node: every command of attention about it asks who deploys.
asks_who_deploys()
{
  run_ok gpuaas-list attention
  jq_slurp_is 'map(select(.node == "n-plain").command) | unique | join("; ")' \
    "gpuaas-reconcile --inventory --machine n-plain | gpuaas-state adopt --reason TEXT -"
}

@test "after a restore a whole machine is adopted when the operator's executables confirm its tenant" {
  whole_by_hand mixed
  sold_whole --mode baremetal
  gpuaas-state backup "$T/before.db" > "$T/out"
  gpuaas-place --profile lab-baremetal --baremetal --name whole | gpuaas-provision > "$T/active"
  id=$(jq -r .allocation "$T/active")
  gpuaas-state backup "$T/after.db" > "$T/out"
  # The backup is from before the tenant.
  gpuaas-state restore "$T/before.db" --reason test > "$T/out"
  asks_who_deploys
  jq_slurp_is 'map(select(.object_kind == "node").sentence | endswith("if none has it: gpuaas-state expect --node n-plain | gpuaas-on gpuaas-reconcile --take-over - | gpuaas-state fold -")) | all' true
  adopts
  jq_is 'select(.check == "not_adopted").sentence | contains("does not show the tenant of node \u0027n-plain\u0027")' true
  status_says trusted null
  adopts
  jq_is 'select(.check == "not_adopted").sentence' "no tenant has node 'n-plain': baremetal.d/status says 'trusted'"
  status_says tenant '"0ther000"'
  adopts
  jq_is 'select(.check == "not_adopted").sentence' "node 'n-plain' is deployed for allocation '0ther000', not for allocation '$id'"
  assert_equal "$(gpuaas-list allocations)" ""
  run_status 1 gpuaas-place --profile lab-baremetal --baremetal
  status_says tenant "\"$id\""
  adopts
  jq_is 'select(.kind == "gpuaas.allocation/1") | [.allocation, .state, .shape] | join(" ")' "$id active baremetal"
  assert_equal "$(jq -c . "$T/question")" "{\"allocation\":\"$id\",\"node\":\"n-plain\"}"
  slots_are active active
  run_ok gpuaas-list slots
  jq_is .tainted $'true\ntrue'
  run_ok gpuaas-list attention --where code=unverified_since_restore
  refute_output n-plain
  run_ok gpuaas-state check
  run_status 1 gpuaas-place --profile lab-baremetal --baremetal
  jq_is '.nodes[0].code' held_by_baremetal
  # From a backup that has the tenant the slots are verified by the same answer.
  gpuaas-state restore "$T/after.db" --reason test > "$T/out"
  asks_who_deploys
  adopts
  jq_slurp_is 'map(select(.kind == "gpuaas.slot/1").state) | join(" ")' "active active"
  run_ok gpuaas-list attention --where code=unverified_since_restore
  refute_output n-plain
  # And it comes back as any other. Its trusted system runs in memory, and remembers no state.
  rm "$T/there"/host.db*
  run_ok bash -o pipefail -c "gpuaas-release whole --reason over | gpuaas-release - > '$T/back'"
  HOST=$T/trusted plain gpuaas-wipe < "$T/back" > "$T/wiped"
  gpuaas-state fold "$T/wiped" > "$T/folded"
  slots_are available available
}

@test "after a restore a deployment that failed is adopted as that, and its release proves the rest" {
  whole_by_hand mixed
  sold_whole --mode baremetal
  gpuaas-state backup "$T/before.db" > "$T/out"
  printf '#!/bin/sh\necho no network >&2\nexit 1\n' > "$METAL/deploy/50-hand"
  gpuaas-place --profile lab-baremetal --baremetal --name whole > "$T/plan"
  run ! gpuaas-provision "$T/plan"
  gpuaas-state restore "$T/before.db" --reason test > "$T/out"
  adopts
  jq_is 'select(.kind == "gpuaas.allocation/1").state' failed
  slots_are cleanup_blocked cleanup_blocked
  run_status 1 gpuaas-place --profile lab-baremetal --baremetal
  run_ok bash -o pipefail -c "gpuaas-release whole --reason over | gpuaas-release - > '$T/back'"
  slots_are wiping wiping
}

@test "a machine that a tenant had before gpuaas knew it: taken in by a person, tainted, released, wiped" {
  whole_by_hand mixed
  status_says trusted null
  export MACHINE=n-plain
  local how=(--machine n-plain --project acme --profile lab-baremetal --name theirs)
  adopts "${how[@]}"
  assert_status 5
  assert_output "there is no node 'n-plain'"
  gpuaas-approve --record-only < "$T/discovery" > "$T/out"
  adopts "${how[@]}"
  assert_output "'n-plain' sells slices, and a tenant has all of it"
  gpuaas-node mode n-plain baremetal > "$T/out"
  adopts "${how[@]}"
  assert_output "no tenant has node 'n-plain': baremetal.d/status says 'trusted'"
  status_says tenant '"0ther000"'
  adopts "${how[@]}"
  assert_output "is deployed for allocation '0ther000', not for a tenant from before gpuaas"
  status_says tenant null
  # An answer counts only in its form.
  local answer="$METAL/status/50-hand" change
  for change in 's/"allocation":null/"allocation":7/ neither a text nor null' 's/null/"x"/ no id' \
    's/"machine":"h7"/"node":"other"/ another node' 's/192.0.2.7/-oProxyCommand=x/ its address is none'; do
    status_says tenant null
    sed -i "${change%%/ *}/" "$answer"
    adopts "${how[@]}"
    assert_output "${change#*/ }"
  done
  status_says tenant null
  # An answer from before the last discovery does not count.
  gpuaas-reconcile --inventory --machine n-plain > "$T/old"
  plain gpuaas-discover | gpuaas-approve --record-only > "$T/out"
  run_status 4 gpuaas-state adopt --reason test "${how[@]}" "$T/old"
  assert_stderr "does not show the tenant since then"
  # Nor what a server with slots of its own reports of another.
  gpuaas-state backup "$T/two.db" > "$T/out"
  sql "$T/two.db" "INSERT INTO node (id, since) VALUES ('other', 'x');
    INSERT INTO slot (id, node_id, slot_index, since) VALUES ('s0ther00', 'other', 0, 'x')"
  gpuaas-reconcile --node other --inventory --machine n-plain > "$T/other"
  GPUAAS_STATE=$T/two.db run_status 4 gpuaas-state adopt --reason test "${how[@]}" "$T/other"
  assert_stderr "node 'other' has slots of its own: it does not speak for node 'n-plain'"
  adopts --machine n-plain --profile lab
  assert_output "profile 'lab' is for slices"
  gpuaas-state backup "$T/four.db" > "$T/out"
  GPUAAS_STATE=$T/four.db gpuaas-profile retire lab-baremetal > "$T/out"
  GPUAAS_STATE=$T/four.db run_status 1 gpuaas-state adopt --reason test "${how[@]}" "$T/inventory"
  assert_stderr "profile 'lab-baremetal' is retired"
  # Project and name are those of a request; without --machine they are refused.
  run_status 2 gpuaas-state adopt --reason test --machine n-plain --profile lab-baremetal --project 'no name!' "$T/inventory"
  assert_stderr "member 'project' is not a name"
  run_status 2 gpuaas-state adopt --reason test --machine n-plain --profile lab-baremetal --name 'x y' "$T/inventory"
  assert_stderr "member 'name' is not a name"
  run_status 2 gpuaas-state adopt --reason test --project acme "$T/inventory"
  assert_stderr "belong to --machine"
  # A changed inventory is refused, and the audit has that; one without its end is a finding.
  jq_in_order -c 'if .kind == "gpuaas.inventory/1" then .at = "2026-11-20T00:00:00.000000Z" else . end' "$T/inventory" > "$T/changed"
  run_status 6 gpuaas-state adopt --reason test "${how[@]}" "$T/changed"
  run_ok gpuaas-list audit --where action=result_refused
  jq_is '[.object, .detail.reason] | join(" ")' "controller bad_signature"
  head -n 1 "$T/inventory" > "$T/short"
  run_status 1 gpuaas-state adopt --reason test "${how[@]}" "$T/short"
  jq_is .check cut_short
  assert_equal "$(gpuaas-list allocations; gpuaas-list slots --where node=n-plain)" ""
  # No slot is left beside the tenant.
  gpuaas-state backup "$T/three.db" > "$T/out"
  sql "$T/three.db" "INSERT INTO slot (id, node_id, slot_index, since) VALUES ('s0ther00', 'n-plain', 7, 'x')"
  GPUAAS_STATE=$T/three.db run_status 4 gpuaas-state adopt --reason test "${how[@]}" "$T/inventory"
  assert_stderr "slot 's0ther00' of node 'n-plain' is not in its last discovery"
  assert_stderr "gpuaas-approve retire s0ther00"
  adopts "${how[@]}"
  assert_status 0
  id=$(jq -r 'select(.kind == "gpuaas.allocation/1").allocation' <<< "$output")
  jq_is 'select(.kind == "gpuaas.allocation/1") | [.state, .shape, .project, .access.address] | join(" ")' \
    "active baremetal acme 192.0.2.7"
  slots_are active active
  run_ok gpuaas-list slots --where node=n-plain
  jq_is .tainted $'true\ntrue'
  assert_equal "$(gpuaas-list claims --where live=true | jq -r .claim | wc -l)" 3
  run_ok gpuaas-list audit --where action=taken_in
  jq_is '.detail | [.node, .owner, .image, .reason] | join(" ")' "n-plain acme tenant-9 test"
  run_ok gpuaas-state check
  # Its host never worked, and so has no key yet. While the tenant can show any, none is taken.
  run_ok gpuaas-list attention
  assert_equal "$output" ""
  GPUAAS_STATE=$T/nowhere.db GPUAAS_HOST_DIR=$T/tenants GPUAAS_NODE=n-plain in_host bash -c \
    'gpuaas-wipe --pending && gpuaas-discover' > "$T/shown"
  jq -c 'select(.kind == "gpuaas.host/1") | .node_key' "$T/shown" | grep -q '^"'
  run_status 4 gpuaas-approve --record-only --accept-change < "$T/shown"
  assert_stderr "a tenant has node 'n-plain', and the discovery may be the tenant's"
  run_ok gpuaas-list audit --where action=key_registered
  assert_equal "$output" ""
  run_ok gpuaas-list usage
  jq_is '[.allocation, .usage_kind] | join(" ")' "$id active"
  # Not twice, and to nobody else.
  adopts "${how[@]}"
  assert_output "is held by $id"
  run_status 1 gpuaas-place --profile lab-baremetal --baremetal
  jq_is '.nodes[0].code' held_by_baremetal
  run_ok gpuaas-list plan
  assert_equal "$output" ""
  # After a restore it is verified by the command of attention, whatever its name: the executables
  # know its id, and by now its allocation.
  status_says tenant "\"$id\""
  gpuaas-state backup "$T/taken.db" > "$T/out"
  gpuaas-state restore "$T/taken.db" --reason test > "$T/out"
  asks_who_deploys
  gpuaas-node rename n-plain h8 > "$T/out"
  MACHINE=h8 adopts
  assert_status 0
  jq_slurp_is 'map(select(.kind == "gpuaas.slot/1").state) | join(" ")' "active active"
  assert_equal "$(jq -r .node "$T/question")" n-plain
  run_ok gpuaas-list attention --where code=unverified_since_restore
  assert_equal "$output" ""
  # An answer that changes nothing says so, and executables that fail are heard.
  adopts
  assert_output "the answer about node 'n-plain' changes nothing: allocation '$id' is active"
  printf '#!/bin/sh\necho "no machine $(jq -r .node)" >&2\nexit 1\n' > "$METAL/status/50-hand"
  run_status 1 gpuaas-reconcile --inventory --machine h8
  assert_stderr "node 'n-plain': nobody says who has it"
  assert_stderr "no machine n-plain"
  # Its end: the trusted system proves itself, its disks are wiped, and only then it is sold.
  run_ok bash -o pipefail -c "gpuaas-release theirs --reason over | gpuaas-release - > '$T/back'"
  slots_are wiping wiping
  HOST=$T/trusted plain gpuaas-wipe < "$T/back" > "$T/wiped"
  run_ok gpuaas-state fold "$T/wiped"
  slots_are available available
  run_ok gpuaas-state check
  gpuaas-node undrain n-plain > "$T/out" || :
  run_ok gpuaas-place --profile lab-baremetal --baremetal --dry-run
}

# a_node NAME [SLOT]: a node that the state knows by a key, with a slot
a_node()
{
  sql "$GPUAAS_STATE" "INSERT INTO node (id, since) VALUES ('$1', '2026-11-20T00:00:00.000000Z')"
  [[ ! ${2-} ]] || sql "$GPUAAS_STATE" "INSERT INTO slot (id, node_id, slot_index, since) VALUES ('$2', '$1', 0, '2026-11-20T00:00:00.000000Z')"
  echo "{\"kind\":\"gpuaas.host/1\",\"node\":\"$1\"}" | by_node |
    jq -r "\"INSERT INTO node_key (node_id, key, registered_at) VALUES ('$1', '\\(.node_key)', '2026-11-20T00:00:00.000000Z')\"" |
    sql "$GPUAAS_STATE"
}

# failed_in PHASE: the work of the plan, which failed there
failed_in()
{
  jq_in_order -c --arg phase "$1" 'del(.signature) | .attempt = "at000000" | {object: .allocation, program: "provision",
    state: "failed", order: ., result: {kind: "gpuaas.failure/1", node, object: .allocation, attempt, generation,
      program: "gpuaas-provision", $phase, code: "x", sentence: "x", hint: null, status: 7, at: .created_at,
      dry_run: false}}' "$T/plan"
}

# adopts_of NODE [AT] < WORKS: what NODE says
adopts_of()
{
  inventory_by "$@" > "$T/inventory"
  run gpuaas-state adopt --reason test "$T/inventory"
}

@test "a disk in no slot stays in the reason of its node, until a person says how it was erased" {
  whole_by_hand mixed
  sold_whole --mode baremetal
  # The trusted system reports every disk that the machine has, also the one that it boots from.
  cat > "$METAL/release/60-disks" <<END
#!/bin/sh
"$SRC/tests/hosts/enter" "$T/trusted" "$WORK" -- sh -c 'cat /sys/block/*/wwid' | jq -Rcs '{disks: split("\n")[:-1]}'
END
  chmod 755 "$METAL/release/60-disks"
  gpuaas-place --profile lab-baremetal --baremetal --name whole | gpuaas-provision > "$T/active"
  id=$(jq -r .allocation "$T/active")
  # Drained for a maintenance before the tenant ended.
  gpuaas-node drain n-plain --reason "new DIMM" > "$T/out" || :
  run_ok bash -o pipefail -c "gpuaas-release whole --reason over | gpuaas-release - > '$T/back'"
  disk="disk eui.002538b311000311: it is in no slot, so nothing wipes it, after allocation $id had the machine"
  run_ok gpuaas-node list
  jq_is '.state + ": " + .cordon_reason' "draining: new DIMM; $disk"
  # The same result again adds nothing, and another reason takes nothing away.
  run_ok gpuaas-state fold <(jq_in_order -c 'select(.kind == "gpuaas.released/1")' "$T/back")
  run_ok gpuaas-node list
  jq_is .cordon_reason "new DIMM; $disk"
  gpuaas-node drain n-plain --reason "new fan" > "$T/out" || :
  gpuaas-node quarantine n-plain --reason smoke > "$T/out"
  run_ok gpuaas-node list
  jq_is '.state + ": " + .cordon_reason' "quarantined: new DIMM; new fan; smoke; $disk"
  gpuaas-node drain n-plain --reason "new fan" > "$T/out" || :
  HOST=$T/trusted plain gpuaas-wipe < "$T/back" > "$T/wiped"
  gpuaas-state fold "$T/wiped" > "$T/folded"
  run_status 4 gpuaas-node undrain n-plain
  assert_stderr "is not sold: $disk"
  assert_stderr "gpuaas-node undrain n-plain --reason TEXT"
  run_ok gpuaas-node undrain n-plain --reason "erased by hand: gpuaas-wipe --device"
  jq_is '.cordon_reason' null
  # A wipe on a quarantined node sells nothing: a person does.
  mapfile -t ids < <(gpuaas-list slots --where state=disabled -o name)
  run_ok gpuaas-approve enable "${ids[@]}"
  run_ok gpuaas-list audit --where action=node_undrained
  jq_is '.detail.reason + "; " + .detail.disks' "erased by hand: gpuaas-wipe --device; $disk"
  run_ok gpuaas-place --profile lab-baremetal --baremetal --dry-run
}

# remembers: from now on the operator's release executable keeps its order in $T/asked
remembers()
{
  sed -i "2i cat > '$T/asked'" "$METAL/release/50-hand"
}

# breaks, mends: whether that executable works; after that it remembers.
breaks()
{
  cp "$METAL/release/50-hand" "$T/hand"
  printf '#!/bin/sh\necho no network >&2\nexit 1\n' > "$METAL/release/50-hand"
}

mends()
{
  cp "$T/hand" "$METAL/release/50-hand"
  remembers
}

@test "a quarantined slot is its tenant's until the machine came back; no order takes what another has" {
  whole_by_hand mixed
  sold_whole --mode baremetal
  gpuaas-place --profile lab-baremetal --baremetal --name first | gpuaas-provision > "$T/active"
  breaks
  run bash -o pipefail -c "gpuaas-release first --reason over | gpuaas-release - > '$T/back'"
  assert_status 9
  mapfile -t slots < <(gpuaas-list slots | jq -r .slot)
  for slot in "${slots[@]}"; do
    gpuaas-approve quarantine "$slot" --reason looked > "$T/out"
    run_status 4 gpuaas-approve disable "$slot" --reason looked
    assert_stderr "still belongs to allocation"
    assert_stderr "gpuaas-release"
  done
  run_ok gpuaas-list slots
  jq_is '.allocation != null' $'true\ntrue'
  gpuaas-state backup "$T/let-go.db" > "$T/out"
  # Released, they are wiped like others, and their disks stand in slots: that drains nothing.
  mends
  run_ok bash -o pipefail -c "gpuaas-release first | gpuaas-release - > '$T/back'"
  run_ok gpuaas-node list
  jq_is .state active
  for slot in "${slots[@]}"; do
    run_ok gpuaas-approve disable "$slot" --reason looked
    gpuaas-approve enable "$slot"
  done > "$T/orders"
  HOST=$T/trusted plain gpuaas-wipe < "$T/orders" > "$T/wiped"
  run_ok gpuaas-state fold "$T/wiped"
  slots_are available available
  # A state whose older version let the slots go: wiped first, and sold, it is not taken from the second.
  export GPUAAS_STATE=$T/let-go.db
  triggers=$(sql "$GPUAAS_STATE" "SELECT sql || ';' FROM sqlite_schema WHERE type = 'trigger' ORDER BY rowid")
  without_triggers "UPDATE claim SET live = 0, held_by = NULL, ended_at = use_ended_at;
    UPDATE node SET held_by = NULL WHERE held_by IS NOT NULL; UPDATE slot SET state = 'disabled'; $triggers"
  run_status 4 gpuaas-release first
  assert_stderr "was not wiped since"
  for slot in "${slots[@]}"; do gpuaas-approve repair "$slot" --reason again; done > "$T/orders"
  HOST=$T/trusted plain gpuaas-wipe < "$T/orders" > "$T/wiped"
  run_ok gpuaas-state fold "$T/wiped"
  slots_are available available
  gpuaas-place --profile lab-baremetal --baremetal --name second | gpuaas-provision > "$T/active"
  rm "$T/asked"
  run_ok bash -o pipefail -c "gpuaas-release first | gpuaas-release -"
  jq_is 'select(.kind == "gpuaas.allocation/1") | .name + " " + .state' "first released"
  [[ ! -e $T/asked ]]
  run_ok gpuaas-list allocations
  jq_slurp_is 'map("\(.name) \(.state)") | sort | join(", ")' "first released, second active"
  run_ok gpuaas-state check
}

@test "a release order that is over takes no machine: ask the state, or the operator's executables" {
  whole_by_hand mixed
  sold_whole --mode baremetal
  gpuaas-place --profile lab-baremetal --baremetal --name first > "$T/plan"
  gpuaas-provision < "$T/plan" > "$T/active"
  gpuaas-release first --reason over > "$T/order"
  gpuaas-release - < "$T/order" > "$T/back"
  HOST=$T/trusted plain gpuaas-wipe < "$T/back" > "$T/wiped"
  gpuaas-state fold "$T/wiped" > "$T/folded"
  gpuaas-place --profile lab-baremetal --baremetal --name second | gpuaas-provision > "$T/active"
  remembers
  # Here it is only reported again; where host.db was lost, the state refuses it.
  run_ok gpuaas-release - < "$T/order"
  jq_is 'select(.kind == "gpuaas.released/1").allocation' "$(jq -r .allocation "$T/order")"
  GPUAAS_HOST_DIR=$T/lost run_status 4 gpuaas-release - < "$T/order"
  jq_is '.phase + " " + .code' "hold wrong_state"
  # Another deployer has no state: who has the machine is what its executables say.
  status_says tenant "$(jq -c .allocation "$T/active")"
  rm "$T/tenant"
  GPUAAS_STATE=$T/nowhere.db GPUAAS_HOST_DIR=$T/other run_status 4 gpuaas-release - < "$T/order"
  jq_is '.phase + " " + .code' "hold sold_once"
  GPUAAS_STATE=$T/nowhere.db GPUAAS_HOST_DIR=$T/other run_status 4 gpuaas-provision < "$T/plan"
  jq_is 'select(.kind == "gpuaas.failure/1") | .phase + " " + .code' "recheck sold_once"
  [[ ! -e $T/asked && ! -e $T/tenant ]]
  # The order in force is carried out by a deployer that has no state, too.
  gpuaas-release second --reason over > "$T/order"
  GPUAAS_STATE=$T/nowhere.db GPUAAS_HOST_DIR=$T/other run_ok gpuaas-release - < "$T/order"
  [[ -s $T/asked ]]
}

@test "an inventory releases and wipes nothing of another node; who deploys reports a release" {
  whole_by_hand mixed
  sold_whole --mode baremetal
  gpuaas-place --profile lab-baremetal --baremetal --name whole > "$T/plan"
  gpuaas-provision < "$T/plan" > "$T/active"
  before=$(date -u +%Y-%m-%dT%H:%M:%S.%6NZ)
  id=$(jq -r .allocation "$T/active")
  gpuaas-state backup "$T/two.db" > "$T/out"
  GPUAAS_STATE=$T/two.db gpuaas-release whole --reason over > "$T/order"
  a_node evil s0evi100
  a_node lead
  jq_in_order -c --arg id "$id" 'select(.kind == "gpuaas.release-order/1") | .attempt = "at000000" | del(.signature) |
    {object: $id, program: "release", order: ., result: {kind: "gpuaas.released/1", allocation: $id, node, generation,
      attempt, dry_run: false, at: .issued_at, steps: [], slots: [.bundles[].slot], lab: true}}' "$T/order" > "$T/works"
  adopts_of evil < "$T/works"
  jq_is 'select(.check == "not_adopted") | .object + ": " + .sentence' \
    "$id: allocation '$id': node 'evil' has slots of its own: it does not speak for node 'n-plain'"
  jq_in_order -c '{object: .allocation, program: "provision", order: ., result: null, attempt}' "$T/plan" > "$T/given"
  # Anybody can sign with some key: who is unknown to the state does not speak for it.
  key=$(by_node <<< '{"kind":"gpuaas.host/1","node":"nobody7"}' | jq -r .node_key)
  adopts_of nobody7 "" "$(head -n 1 "$T/discovery" | jq -c --arg key "$key" '.node = "nobody7" | .node_key = $key')" \
    < <(cat "$T/given" "$T/works")
  jq_is 'select(.check == "not_adopted").sentence' \
    "allocation '$id': the state has no key of 'nobody7', which speaks for node 'n-plain'"
  # Order, result and work are of one allocation, on one node.
  for change in '.order.allocation = "0ther000"' '.order.node = "lead"' '.result.allocation = "0ther000"' \
    '.result.node = "lead"'; do
    adopts_of lead < <(cat "$T/given"; jq_in_order -c "$change" "$T/works")
    jq_is 'select(.check == "not_adopted").object' "$id"
    refute_output "no order that the state gave"
  done
  # A machine that never got an order for it did not deploy it; an attempt that is made up is none.
  adopts_of lead < "$T/works"
  jq_is 'select(.check == "not_adopted").sentence' \
    "the inventory of 'lead' has no order that the state gave for allocation '$id': that machine did not deploy node 'n-plain'"
  adopts_of lead < <(jq_in_order -c '.attempt = "made0000"' "$T/given"; cat "$T/works")
  jq_is 'select(.check == "not_adopted").sentence | contains("no order that the state gave")' true
  adopts_of lead < <(jq_in_order -c '.object = "0ther000"' "$T/given"; cat "$T/works")
  assert_output "no order that the state gave"
  slots_are disabled active active
  # The order in force may be another one: the plan is known by its phases.
  gpuaas-state backup "$T/three.db" > "$T/out"
  GPUAAS_STATE=$T/three.db gpuaas-release whole --reason again > "$T/out"
  GPUAAS_STATE=$T/three.db adopts_of lead < <(cat "$T/given" "$T/works")
  GPUAAS_STATE=$T/three.db slots_are disabled wiping wiping
  adopts_of lead < <(cat "$T/given" "$T/works")
  assert_status 0
  slots_are disabled wiping wiping
  # Not their wipes.
  gpuaas-list slots --where node=n-plain | jq -r .slot > "$T/slots"
  run_ok gpuaas-wipe --pending
  while read -r slot; do gpuaas-approve repair "$slot" --reason x; done < "$T/slots" > "$T/orders" || :
  "$SRC/tests/evidence" < "$T/orders" | jq_in_order -c 'del(.signature) | {object, object_kind: "slot", program: "wipe", attempt, result: .}' > "$T/works"
  adopts_of lead < "$T/works"
  jq_slurp_is 'map(select(.check == "not_adopted").sentence | contains("and \u0027lead\u0027 has no proof of its wipe")) | [length, all] | map(tostring) | join(" ")' "2 true"
  slots_are disabled wiping wiping
  # Nor who had the machine before that.
  without_triggers "UPDATE node SET observed_at = '2026-11-20T00:00:00.000000Z' WHERE id = 'n-plain'"
  adopts_of lead "$before" < <(failed_in deploy | jq_in_order -c '.object = "0ther000" | .order.allocation = .object')
  assert_output "node 'n-plain' came back from its last tenant at"
}

@test "while a tenant has a machine, nothing that it shows or signs counts" {
  whole_by_hand mixed
  sold_whole --mode baremetal
  gpuaas-state backup "$T/before.db" > "$T/out"
  gpuaas-place --profile lab-baremetal --baremetal --name whole | gpuaas-provision > "$T/active"
  id=$(jq -r .allocation "$T/active")
  know_keys # the tenant is root, and may have found the key of the host
  # A discovery would move disks of other machines here, make slots, and say another boot id.
  jq_in_order -c 'if .kind == "gpuaas.host/1" then .boot_id = "00000000-0000-4000-8000-000000000001" else . end' \
    "$T/discovery" > "$T/forged"
  sed -i '$d' "$T/forged"
  jq_in_order -c --arg d "sha256:$(sha256sum < "$T/forged" | cut -c 1-64)" 'select(.kind == "gpuaas.end/1") | .digest = $d' \
    "$T/discovery" >> "$T/forged"
  for how in --record-only --all-ready; do
    run_status 4 gpuaas-approve "$how" --accept-change < "$T/forged"
    assert_stderr "a tenant has node 'n-plain', and the discovery may be the tenant's"
  done
  # An inventory signed with its key would end the allocation and prove the wipes.
  inventory_by n-plain <<< "{\"object\":\"$id\",\"program\":\"release\",\"order\":null,\"result\":null}" > "$T/own"
  run_status 6 gpuaas-state adopt --reason test "$T/own"
  assert_stderr "a tenant has node 'n-plain', and what it signs may be the tenant's"
  echo '{"kind":"gpuaas.inventory/1","node":"n-plain","at":"2026-11-20T00:00:00.000000Z","count":0,"domains_known":true,"host":null,"candidates":[],"digest":"sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"}' > "$T/none"
  run_status 4 gpuaas-state adopt --reason test "$T/none"
  assert_stderr "its inventory may be the tenant's"
  # Nobody brings the host record of another.
  jq_in_order -c --argjson host "$(head -n 1 "$T/discovery")" '.node = "zzz" | .host = $host' "$T/none" > "$T/other"
  run_status 4 gpuaas-state adopt --reason test "$T/other"
  assert_stderr "the inventory of 'zzz' has the host record of 'n-plain'"
  slots_are active active
  run_status 1 gpuaas-place --profile lab-baremetal --baremetal
  # After a restore of a state that did not know the tenant, no other key is taken.
  rm -f "$GPUAAS_STATE"* # with it, the key that know_keys revoked would stay revoked
  gpuaas-state restore "$T/before.db" --reason test > "$T/out"
  GPUAAS_STATE=$T/nowhere.db GPUAAS_HOST_DIR=$T/tenants GPUAAS_NODE=n-plain in_host bash -c \
    'gpuaas-wipe --pending && gpuaas-discover' > "$T/shown"
  run_status 4 gpuaas-approve --record-only --accept-change < "$T/shown"
  assert_stderr "since the restore nobody has said whether a tenant has it"
}

@test "a rebuilt state sells no machine of which the deployer says that a tenant has it" {
  whole_by_hand mixed
  sold_whole --mode baremetal
  gpuaas-place --profile lab-baremetal --baremetal --name whole | gpuaas-provision > "$T/active"
  status_says tenant "\"$(jq -r .allocation "$T/active")\""
  gpuaas-reconcile --inventory --machine n-plain > "$T/known"
  export GPUAAS_STATE=$T/new.db
  run_status 1 gpuaas-state rebuild --lab --reason lost "$T/known"
  jq_is 'select(.check == "not_adopted").hint | contains("adopt --machine n-plain")' true
  run_ok gpuaas-node show n-plain
  jq_is '"\(.mode) \(.state)"' "baremetal enrolled"
  run_ok gpuaas-list attention --where object=n-plain --where code=unverified_since_restore
  jq_is .object n-plain
  gpuaas-state apply "$SRC/share/objects/lab-baremetal.json" > "$T/out"
  plain gpuaas-discover > "$T/discovery"
  gpuaas-approve --all-ready --profile lab-baremetal < "$T/discovery" > "$T/orders"
  run_status 1 gpuaas-place --profile lab-baremetal --baremetal
  jq_is '.nodes[0].code' unverified_since_restore
}

@test "a forged deployment or answer takes nothing, nor does one that is old, or of a failure before a write" {
  whole_by_hand mixed
  sold_whole --mode baremetal
  gpuaas-state backup "$T/before.db" > "$T/out"
  gpuaas-place --profile lab-baremetal --baremetal --name whole > "$T/plan"
  gpuaas-provision < "$T/plan" > "$T/active"
  id=$(jq -r .allocation "$T/active")
  a_node lead
  gpuaas-state backup "$T/after.db" > "$T/out"
  gpuaas-state restore "$T/after.db" --reason test > "$T/out"
  # Executables that failed or answered another question say nothing.
  jq_in_order -cn --arg id "$id" '{object: "n-plain", object_kind: "machine", program: "status", state: "failed",
    order: {node: "n-plain", allocation: $id}, result: {state: "tenant", allocation: $id}}' > "$T/works"
  adopts_of lead < "$T/works"
  jq_is 'select(.check == "not_adopted").sentence | contains("does not show the tenant of node \u0027n-plain\u0027")' true
  adopts_of lead < <(jq_in_order -c '.state = "done" | .order.allocation = "0ther000"' "$T/works")
  assert_equal "$output" ""
  adopts_of lead < <(jq_in_order -c '.state = "done"' "$T/works")
  jq_slurp_is 'map(select(.kind == "gpuaas.slot/1").state) | join(" ")' "active active"
  # A deployment that failed, of the machine before its tenant.
  gpuaas-state restore "$T/before.db" --reason test > "$T/out"
  a_node lead
  a_node evil s0evi100
  failed_in hold > "$T/works"
  adopts_of lead < "$T/works"
  jq_is '.check + ": " + .sentence' \
    "not_recorded: its deployment on 'n-plain' failed in the phase 'hold', before it wrote: nothing of it is taken"
  adopts_of evil < "$T/works"
  jq_is .check not_adopted
  failed_in deploy > "$T/wrote"
  adopts_of evil < "$T/wrote"
  assert_output "node 'evil' has slots of its own"
  adopts_of lead "$(date -u -d '+1 day' +%Y-%m-%dT%H:%M:%S.000000Z)" < "$T/wrote"
  assert_output "the clocks of host and state differ"
  without_triggers "UPDATE node SET observed_at = '2026-11-20T00:00:00.000000Z' WHERE id = 'n-plain'"
  adopts_of lead 2026-11-21T00:00:00.000000Z < "$T/wrote"
  assert_output "and the state was restored or rebuilt at"
  assert_equal "$(gpuaas-list allocations)" ""
  slots_are disabled available available
  adopts_of lead < "$T/wrote"
  jq_is 'select(.kind == "gpuaas.allocation/1").state' failed
}
