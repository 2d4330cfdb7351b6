# SPDX-License-Identifier: Apache-2.0
# gpuaas-image: what a node keeps, how it comes there, and what is placed on it.

load helper
load lab

# raw_image FILE MIB: random bytes at the start and at the end, a hole between
raw_image()
{
  truncate -s "$2M" "$1"
  head -c 300K /dev/urandom | dd of="$1" conv=notrunc status=none
  head -c 1000 /dev/urandom | dd of="$1" bs=1 seek=$(($2 * 1048576 - 1000)) conv=notrunc status=none
}

digest_of()
{
  echo "sha256:$(sha256sum < "$1" | cut -d ' ' -f 1)"
}

kept()
{
  gpuaas-image list |
    jq -r 'select(.withdrawn_at == null and (.path|startswith(env.GPUAAS_IMAGES))) | .image'
}

# Nothing but the folders of the store, and the records of images that lie elsewhere.
store_is_empty()
{
  assert_equal "$(find "$GPUAAS_IMAGES" -type f ! -name '*.in-place' ! -name '*.withdrawn')" ""
}

@test "a file that is not there is not found, by every command" {
  run_status 5 gpuaas-image add "$T/nowhere" --name x
  assert_stderr "cannot find image '$T/nowhere'"
  run_status 5 gpuaas-image verify "$T/nowhere"
  assert_stderr "gpuaas-image list shows"
}

@test "the key and the database of the host are no image, under whatever name" {
  mkdir -p "$GPUAAS_HOST_DIR"
  echo secret > "$GPUAAS_HOST_DIR/node.key"
  ln "$GPUAAS_HOST_DIR/node.key" "$T/other"
  ln -s "$GPUAAS_HOST_DIR/node.key" "$T/link"
  for file in "$GPUAAS_HOST_DIR/node.key" "$T/other" "$T/link"; do
    run_status 6 gpuaas-image add "$file" --name key --probe running --firmware bios
    assert_stderr "which gpuaas itself needs"
    run_status 6 gpuaas-image add "$file" --copy --name key --probe running --firmware bios
  done
  run ! grep -rl secret "$GPUAAS_IMAGES"
}

@test "a file that is added in place stays where it is; it is listed, verified and withdrawn" {
  raw_image "$T/a.raw" 9
  run_ok gpuaas-image add "$T/a.raw" --name a
  jq_is 'select(.kind == "gpuaas.node-image/1") | .path' "$T/a.raw"
  run_ok gpuaas-image verify "$T/a.raw"
  run_ok gpuaas-image list
  jq_is '.path' "$T/a.raw"
  jq_is '.image' a
  run_ok gpuaas-image verify a
  run_ok gpuaas-image add "$T/a.raw" --name ubuntu
  # A name that this node does not have gets those near to it.
  for command in verify list rm; do
    run_status 5 gpuaas-image "$command" ubunto
    assert_stderr "near to it: 'ubuntu'; gpuaas-image list shows "
  done
  run_ok gpuaas-image rm ubuntu
  sum=$(sha256sum < "$T/a.raw")
  run_ok gpuaas-image rm a
  assert_stderr "its file stays"
  jq_is '.withdrawn_at != null' true
  jq_is '.digest' "$(digest_of "$T/a.raw")"
  assert_equal "$(sha256sum < "$T/a.raw")" "$sum"
  store_is_empty
  run_ok gpuaas-image list
  assert_output ""
  run_status 5 gpuaas-image rm a
  raw_image "$T/b.raw" 9
  gpuaas-image add "$T/b.raw" --name b > /dev/null
  printf x | dd of="$T/b.raw" bs=1 seek=100 conv=notrunc status=none
  run_status 1 gpuaas-image verify b
  jq_is '.withdrawn_at != null' true
  # Added anew, the file is one image: what it was before is noted no longer.
  run_ok gpuaas-image add "$T/b.raw" --name b
  run_ok gpuaas-image list
  jq_slurp_is 'map(.digest)|join(" ")' "$(digest_of "$T/b.raw")"
  # Moved into the folder by --copy, the copy alone counts.
  run_ok gpuaas-image add "$T/b.raw" --name b --copy
  run_ok gpuaas-image list
  jq_slurp_is 'map(.path|startswith(env.GPUAAS_IMAGES))|join(" ")' true
}

@test "an image in place that is withdrawn is placed no more" {
  make_lab
  here gpuaas-image rm lab | gpuaas-state apply -
  run_status 1 gpuaas-place --profile lab --gpus 1
  assert_output image_missing
  here gpuaas-image add "$T/images/lab.raw" --name lab --probe running --firmware bios |
    gpuaas-state apply -
  run_ok gpuaas-place --profile lab --gpus 1
}

@test "a plan of an image that was withdrawn after it was placed is refused, until the image is added again" {
  local add=(gpuaas-image add "$T/images/lab.raw" --name lab --probe running --firmware bios)
  make_lab
  for how in in_place copied; do
    if [[ $how == copied ]]; then
      here "${add[@]}" --copy | gpuaas-state apply - > "$T/applied"
    fi
    gpuaas-place --profile lab --gpus 1 --name "${how/_/-}" > "$T/plan"
    here gpuaas-image rm lab > "$T/withdrawn"
    run_status 5 here gpuaas-provision "$T/plan"
    jq_is '[.phase,.code]|join(" ")' "recheck image_missing"
    here "${add[@]}" | gpuaas-state apply - > "$T/applied"
    gpuaas-place --profile lab --gpus 1 --name "${how/_/-}-again" > "$T/plan"
    run_ok here gpuaas-provision "$T/plan"
    for name in "${how/_/-}" "${how/_/-}-again"; do
      here bash -c 'gpuaas-release --yes "$1" | gpuaas-wipe' - "$name" > "$T/freed"
    done
  done
}

@test "a rebuild of an image that this host has withdrawn since is refused, and the VM goes on" {
  make_lab
  gpuaas-place --profile lab --gpus 1 --name a | here gpuaas-provision > "$T/active"
  run_status 4 here gpuaas-image rm lab
  cp "$T/images/lab.raw" "$T/good"
  printf x | dd of="$T/images/lab.raw" bs=1 seek=100 conv=notrunc status=none
  run_status 1 here gpuaas-image verify lab
  run_ok here gpuaas-image list
  jq_is '.withdrawn_at != null' true
  # The file is what it was again, and the node still has it as withdrawn.
  cp "$T/good" "$T/images/lab.raw"
  run_status 5 here gpuaas-vm rebuild a --yes
  jq_is 'select(.kind == "gpuaas.failure/1") | [.phase,.code]|join(" ")' "rebuild_check image_missing"
  allocation_is active
  run_ok here gpuaas-image verify lab
  run_ok here gpuaas-vm rebuild a --yes
}

@test "an image says how long a machine of it may take to be ready, within bounds" {
  raw_image "$T/a.raw" 9
  run_ok gpuaas-image add "$T/a.raw" --name a --ready 15m
  jq_is 'select(.kind == "gpuaas.image/1") | .ready_seconds' 900
  for wrong in 0s 25h -1s soon; do
    run gpuaas-image add "$T/a.raw" --name a --ready "$wrong"
    assert_status 2
    assert_output "--ready"
  done
  run_ok gpuaas-image add - --name b --ready 90s < "$T/a.raw"
  jq_is 'select(.kind == "gpuaas.image/1") | .ready_seconds' 90
  run_ok gpuaas-image add "$T/a.raw" --name c
  jq_is 'select(.kind == "gpuaas.image/1") | has("ready_seconds")' false
}

@test "a stream and a copied file are kept whole, with the digests of the bytes" {
  raw_image "$T/a.raw" 9
  gpuaas-image add - --name a --probe serial < "$T/a.raw" > "$T/a.json"
  gpuaas-image add "$T/a.raw" --copy --name b > "$T/b.json"
  gpuaas-image add "$T/a.raw" --name a --probe serial > "$T/place.json"
  for name in a b; do
    path=$(jq -r 'select(.path) | .path' "$T/$name.json")
    assert_equal "$(jq -r .digest "$T/$name.json" | sort -u)" "$(digest_of "$T/a.raw")"
    cmp "$path" "$T/a.raw"
    [[ $path == "$GPUAAS_IMAGES/$name/"*.image ]]
    (($(stat -c '%b * 512' "$path") < 2 * 1048576)) # the hole stays a hole
  done
  # The record of the image is the same, wherever its bytes came from.
  diff <(grep gpuaas.image/1 "$T/a.json") <(grep gpuaas.image/1 "$T/place.json")
  run_ok gpuaas-image list
  jq_slurp_is 'map(.image)|join(" ")' "a b"
  jq_slurp_is 'map(.file_bytes)|unique|.[0]' 9437184
  assert_equal "$(find "$GPUAAS_IMAGES" -type f -perm /077)" ""
}

@test "the same bytes again are no error; other bytes never take a name" {
  raw_image "$T/a.raw" 5
  raw_image "$T/b.raw" 5
  gpuaas-image add - --name a < "$T/a.raw" > "$T/first"
  sum=$(cat "$GPUAAS_IMAGES"/a/*.image | sha256sum)
  run_ok gpuaas-image add "$T/a.raw" --copy --name a --firmware bios
  assert_stderr "was here already"
  jq_is 'select(.firmware) | .firmware' bios
  run_status 4 gpuaas-image add "$T/b.raw" --copy --name a
  assert_stderr "is here already"
  assert_equal "$output" ""
  assert_equal "$(cat "$GPUAAS_IMAGES"/a/*.image | sha256sum)" "$sum"
  run_status 4 gpuaas-image add "$T/b.raw" --copy --name c --digest "$(digest_of "$T/a.raw")"
  assert_stderr instead
  assert_equal "$(kept)" a
  for name in ../x .x A/b '' "$(printf 'x%.0s' {1..64})"; do
    run_status 2 gpuaas-image add "$T/a.raw" --copy --name "$name"
  done
  assert_equal "$(find "$GPUAAS_IMAGES" -type f | wc -l)" 3
}

@test "compressed and qcow2 streams; one that refers to another file is refused" {
  raw_image "$T/a.raw" 9
  qemu-img convert -f raw -O qcow2 "$T/a.raw" "$T/a.qcow2"
  gzip -k "$T/a.raw"
  xz -k "$T/a.raw"
  chunks=$(gpuaas-image add "$T/a.raw" --name raw | jq -r '.chunks_digest // empty')
  for file in a.qcow2 a.raw.gz a.raw.xz; do
    run_ok gpuaas-image add - --name "n-$file" < "$T/$file"
    jq_is 'select(.size_bytes) | .size_bytes' 9437184
    jq_is 'select(.size_bytes) | .chunks_digest' "$chunks"
    run_ok gpuaas-image verify "n-$file"
  done
  qemu-img create -q -f qcow2 -F raw -b "$T/a.raw" "$T/hostile.qcow2"
  run_status 6 gpuaas-image add - --name hostile < "$T/hostile.qcow2"
  run_status 3 gpuaas-image add - --name torn < <(head -c 60 "$T/a.qcow2")
  run_status 4 gpuaas-image add - --name empty < <(:)
  assert_equal "$(kept | wc -l)" 3
  assert_equal "$(find "$GPUAAS_IMAGES/.incoming" -type f)" ""
}

incoming_has()
{
  (($(find "$GPUAAS_IMAGES/.incoming" -type f -size +"$1"k 2> /dev/null | wc -l) > 0))
}

@test "killed while it reads: no half image, and the next run sweeps what was left" {
  raw_image "$T/a.raw" 9
  mkfifo "$T/pipe"
  background bash -c 'exec gpuaas-image add - --name a < "$T/pipe"'
  exec 7> "$T/pipe"
  head -c 3M /dev/urandom >&7
  wait_for 60 incoming_has 1000
  # Another one does not sweep away what is still being read.
  gpuaas-image add "$T/a.raw" --copy --name other > "$T/other"
  incoming_has 1000
  kill -9 "$BG_PID"
  exec 7>&-
  wait_for 60 has_ended "$BG_PID"
  assert_equal "$(kept)" other
  gpuaas-image add - --name a < "$T/a.raw" > "$T/out"
  assert_equal "$(find "$GPUAAS_IMAGES/.incoming" -type f)" ""
  cmp "$GPUAAS_IMAGES"/a/*.image "$T/a.raw"
}

@test "killed when it is in place and not told: the same command tells it" {
  raw_image "$T/a.raw" 5
  gcc -shared -fPIC -o "$T/kill_at.so" "$SRC/tests/kill_at.c" -ldl
  run env LD_PRELOAD="$T/kill_at.so" KILL_AT=gpuaas.image/1 \
    gpuaas-image add "$T/a.raw" --copy --name a
  assert_status 137
  run_ok gpuaas-image add "$T/a.raw" --copy --name a
  jq_is 'select(.path) | .image' a
  # A removal that was killed between its record and the files is simply run again.
  run env LD_PRELOAD="$T/kill_at.so" KILL_AT=withdrawn_at gpuaas-image rm a
  assert_status 137
  assert_equal "$(kept)" ""
  run_ok gpuaas-image rm a
  jq_is '.withdrawn_at != null' true
  store_is_empty
}

@test "what does not fit is refused before it is read" {
  mkfifo "$T/pipe"
  exec 7<> "$T/pipe" # it never ends: only a refusal without reading comes back
  run_status 7 timeout 60 gpuaas-image add - --name big --size 3T < "$T/pipe"
  assert_stderr "MiB free"
  exec 7>&-
  store_is_empty
}

place_status()
{
  run_status "$1" gpuaas-place --profile lab --image img --dry-run
}

@test "place asks for a verified copy: kept, used, withdrawn, brought again" {
  make_lab
  raw_image "$T/img.raw" 5
  here gpuaas-image add - --name img --probe running --firmware bios < "$T/img.raw" > "$T/added"
  grep gpuaas.image/1 "$T/added" | gpuaas-state apply - > "$T/out"
  place_status 1
  jq_is .code image_missing
  gpuaas-state apply "$T/added" > "$T/out"
  place_status 0
  run_ok gpuaas-place --profile lab --image img --name job
  echo "$output" > "$T/plan"
  run_ok here gpuaas-provision "$T/plan"
  cmp -n 5242880 "$T/img.raw" "$WORK/disks/nvme2n1"
  # An allocation was made from it: rebuilding it would read it again.
  run_ok here gpuaas-image list img
  jq_is '.used_by[0]' "$(allocation)"
  # Another name for the same bytes is another image.
  here gpuaas-image add - --name twin --probe running --firmware bios < "$T/img.raw" > "$T/out"
  run_ok here gpuaas-image list twin
  jq_is '.used_by // "nobody"' nobody
  run_ok here gpuaas-image rm twin
  # The notes of verify about the copy do not change who uses it.
  run_ok here gpuaas-image verify img
  run_ok here gpuaas-image list img
  jq_is '.used_by|join(" ")' "$(allocation)"
  run_status 4 here gpuaas-image rm img
  assert_stderr "in use"
  assert_equal "$output" ""
  place_status 0
  run_ok here bash -c 'gpuaas-release job | gpuaas-wipe'
  run_ok here gpuaas-image list img
  jq_is '.used_by // "nobody"' nobody
  run_ok here gpuaas-image rm img
  echo "$output" > "$T/gone"
  store_is_empty
  place_status 0 # the state has not heard of it
  run_ok gpuaas-state apply "$T/gone"
  place_status 1
  jq_is .code image_missing
  # The record of the removal is older than the copy that comes now, and takes nothing away.
  mkdir "$T/source"
  gzip < "$T/img.raw" > "$T/source/img.raw.gz"
  run_status 4 here bash -c 'gpuaas-list images --where name=img |
    gpuaas-image prewarm --from "$T/source"'
  assert_stderr instead
  store_is_empty
  cp "$T/img.raw" "$T/source/img"
  run_ok here bash -c 'gpuaas-list images --where name=img |
    gpuaas-image prewarm --from "$T/source"'
  echo "$output" > "$T/back"
  gpuaas-state apply "$T/back" > "$T/out"
  run_ok gpuaas-state apply "$T/gone"
  assert_stderr "stays: it was verified at"
  jq_is .withdrawn_at null
  jq_is .verified_at "$(jq -r .verified_at "$T/back")"
  place_status 0
}

@test "prewarm brings what is lacking from another node's folder, and says what is not there" {
  raw_image "$T/a.raw" 5
  raw_image "$T/b.raw" 5
  GPUAAS_IMAGES=$T/other gpuaas-image add "$T/a.raw" --copy --name a > "$T/a.json"
  GPUAAS_IMAGES=$T/other gpuaas-image add "$T/b.raw" --copy --name b > "$T/b.json"
  gpuaas-image add "$T/b.raw" --name lost | grep gpuaas.image/1 > "$T/lost.json"
  run_status 5 bash -c 'cat "$T"/{lost,a,b}.json | gpuaas-image prewarm --from "$T/other"'
  assert_stderr "no file for image 'lost'"
  # Other kinds are passed on: the copies of the other node are still its own.
  jq_slurp_is '[.[]|select(.path|startswith(env.GPUAAS_IMAGES))|.image]|join(" ")' "a b"
  assert_equal "$(kept | xargs)" "a b"
  verified=$(gpuaas-image list a | jq -r .verified_at)
  run_ok bash -c 'grep gpuaas.image/1 "$T/a.json" | gpuaas-image prewarm --from "$T/nowhere"'
  jq_is .verified_at "$verified"
  # Another version under the same name: both stay until the old one is removed.
  GPUAAS_IMAGES=$T/newer gpuaas-image add "$T/b.raw" --copy --name a | grep gpuaas.image/1 > "$T/n"
  run_ok gpuaas-image prewarm --from "$T/newer" "$T/n"
  run_ok gpuaas-image list a
  assert_equal "${#lines[@]}" 2
  run_ok gpuaas-image rm a --digest "$(digest_of "$T/a.raw")"
  run_ok gpuaas-image list a
  jq_is .digest "$(digest_of "$T/b.raw")"
}

@test "a copy that changed is withdrawn by verify, and the others are read all the same" {
  make_lab
  for name in a b c; do
    raw_image "$T/$name.raw" 5
    here gpuaas-image add "$T/$name.raw" --copy --name $name | gpuaas-state apply - > "$T/out"
  done
  printf x | dd of="$(echo "$GPUAAS_IMAGES"/a/*.image)" bs=1 seek=100 conv=notrunc status=none
  echo >> "$(echo "$GPUAAS_IMAGES"/b/*.chunks)"
  run_status 1 here gpuaas-image verify --all
  assert_stderr "is not what was added"
  jq_slurp_is 'map(select(.withdrawn_at)|.image)|join(" ")' "a b"
  jq_slurp_is 'map(select(.withdrawn_at == null)|.image)|join(" ")' "c lab"
  echo "$output" > "$T/verdict"
  run_ok gpuaas-state apply "$T/verdict"
  assert_equal "$(gpuaas-list node-images | jq -r .image | xargs)" "c lab"
  assert_equal "$(gpuaas-list audit | jq -r 'select(.action == "node_image_withdrawn") | .detail.image' | xargs)" "a b"
  assert_equal "$(kept)" c
  run_status 2 gpuaas-image verify
  run_status 2 gpuaas-image verify --all c
  run_status 5 gpuaas-image rm nothing
  # A good copy takes the place of the bad one.
  run_ok gpuaas-image add "$T/a.raw" --copy --name a
  run_ok gpuaas-image verify a
}
