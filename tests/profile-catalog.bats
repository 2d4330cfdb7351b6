# SPDX-License-Identifier: Apache-2.0
# gpuaas-profile catalog: the catalogue shown, searched, checked, extended and corrected.

load helper

setup()
{
  common_setup
  mkdir "$T/d"
  export GPUAAS_ACCELERATORS_DIR=$T/d # in a recorded host too
}

@test "the catalogue has 112 types, and nothing in it contradicts itself" {
  run_ok gpuaas-profile catalog
  jq_slurp_is length 112
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
  run_ok gpuaas-profile catalog check
  assert_equal "$output" ""
  assert_stderr "112 types, nothing is wrong"
}

@test "a search is in slugs, names, labels, PCI ids and machines of clouds" {
  run_ok gpuaas-profile catalog h200 sxm
  jq_is .slug nvidia-h200-141gb
  run_ok gpuaas-profile catalog 10de:25b6
  jq_slurp_is 'map(.slug) | join(" ")' "nvidia-a16-16gb nvidia-a2-16gb"
  run_ok gpuaas-profile catalog ml.p4d.24xlarge
  jq_is .slug nvidia-a100-sxm4-40gb
  assert_stderr "'p4d.24xlarge' is a machine of aws with 8: nvidia-a100-sxm4-40gb"
  run_ok gpuaas-profile catalog nvidia-h100
  assert_stderr "means nvidia-h100-sxm5-80gb or nvidia-h100-sxm5-94gb"
  run_ok gpuaas-profile catalog mi300x --table
  assert_output "AMD Instinct MI300X 192GB"
  run_status 1 gpuaas-profile catalog no-such-thing
  assert_stderr "matches 'no-such-thing'"
  run_status 1 gpuaas-profile catalog h100 amd
  assert_stderr "no accelerator type of the catalogue has all of 'h100' and 'amd'"
}

@test "a drop-in extends and corrects, and says so" {
  cat > "$T/d/10-own.json" << 'END'
{"schema":"gpuaas.accelerators/1",
 "sources":[{"name":"site","what":"our bench","where":null,"trust":"observed"}],
 "accelerators":[{"slug":"acme-x1-64gb","name":"Acme X1 64GB","vendor_id":"1abc",
  "pci":[{"device_id":"0001"}],"pci_sources":["site"],
  "memory":{"nominal_gb":64,"size_sources":["site"]}}],
 "corrections":[{"slug":"nvidia-h200-nvl-141gb","power":{"tdp_w":500,"sources":["site"]}}],
 "groups":[{"name":"big","types":["acme-x1-64gb","nvidia-h200-141gb"]}]}
END
  run_ok gpuaas-profile catalog acme
  jq_is '[.slug,.memory.gpu_gb,.origin,.power.tdp_w]|map(tostring)|join(" ")' \
    "acme-x1-64gb 64 $T/d/10-own.json null"
  run_ok gpuaas-profile catalog h200-nvl
  jq_is '[.power.tdp_w,.memory.nominal_gb,.dense.bf16_gflops]|join(" ")' "500 141 840000"
  run_ok gpuaas-profile catalog big
  jq_slurp_is 'map(.slug)|join(" ")' "acme-x1-64gb nvidia-h200-141gb"
  run_ok gpuaas-profile catalog check
  # A later file corrects what an earlier one brought.
  echo '{"corrections":[{"slug":"acme-x1-64gb","name":"Acme X1"}]}' > "$T/d/20-name.json"
  run_ok gpuaas-profile catalog acme
  jq_is .name "Acme X1"
}

# refused TEXT REASON: a drop-in of TEXT is refused with its name and the reason, wherever it lies.
refused()
{
  echo "$1" > "$T/bad.json"
  run_status 3 gpuaas-profile catalog check "$T/bad.json"
  assert_stderr "$T/bad.json"
  assert_stderr "$2"
  cp "$T/bad.json" "$T/d/bad.json"
  run_status 3 gpuaas-profile catalog
  assert_stderr "$T/d/bad.json"
  assert_stderr "$2"
  rm "$T/d/bad.json"
}

@test "a bad drop-in is refused with its file and the reason" {
  refused '{"accelerators":[{"slug":"nvidia-h200-141gb","name":"mine"}]}' "is there already"
  refused '{"accelerators":[{"slug":"x","name":"X","power":{"tdp_w":1,"sources":["hearsay"]}}]}' \
    "source 'hearsay' is not known"
  refused '{"corrections":[{"slug":"nvidia-h9000","name":"X"}]}' "of no known accelerator"
  refused '{"accelerators":[{"slug":"x","name":"X","colour":"red"}]}' "unknown member 'colour'"
  refused '{"accelerators":[{"slug":"x","name":"X","memory":{"nominal_gb":-1}}]}' \
    "memory.nominal_gb"
  refused '{"sources":[{"name":"wiki","what":"mine","trust":"weak"}]}' \
    "source 'wiki' is there already, described in other words by built-in"
  refused '{"schema":"gpuaas.accelerators/9"}' "gpuaas.accelerators/9"
  refused '{"acclerators":[]}' "unknown member 'acclerators'"
  refused '{"corrections":{"slug":"nvidia-h200-141gb"}}' "'corrections' is not a list"
  refused '{"accelerators":{"slug":"x","name":"X"}}' "'accelerators' is not a list"
  refused '{' "not JSON"
  refused '[]' "no JSON object"
  refused "{\"accelerators\":[{\"slug\":\"x\",\"name\":\"a\\u001b[31m\"}]}" "control characters"
}

@test "files may describe one source in the same words, and in no others" {
  local source='{"name":"site","what":"our bench","where":null,"trust":"observed"}'
  echo "{\"sources\":[$source],\"accelerators\":[{\"slug\":\"acme-x1\",\"name\":\"Acme X1\",
    \"power\":{\"tdp_w\":300,\"sources\":[\"site\"]}}]}" > "$T/d/10-one.json"
  sed 's/acme-x1/acme-x2/; s/Acme X1/Acme X2/' "$T/d/10-one.json" > "$T/d/20-two.json"
  run_ok gpuaas-profile catalog acme
  jq_slurp_is 'map(.slug)|join(" ")' "acme-x1 acme-x2"
  run_ok gpuaas-profile catalog check
  run_ok gpuaas-profile catalog check "$T"/d/*.json
  sed -i 's/observed/weak/' "$T/d/20-two.json"
  run_ok gpuaas-profile catalog check "$T/d/20-two.json"
  run_status 3 gpuaas-profile catalog check "$T"/d/*.json
  assert_stderr "'$T/d/20-two.json': source 'site' is there already, described in other words by $T/d/10-one.json"
  run_status 3 gpuaas-profile catalog
  assert_stderr "described in other words by $T/d/10-one.json"
  assert_stderr "give it another name"
  refute_stderr "looks at it alone"
}

@test "a pipe or a folder that is called like a drop-in is refused, and nobody waits for it" {
  mkfifo "$T/d/pipe.json"
  run_status 3 timeout 20 gpuaas-profile catalog
  assert_stderr "catalogue '$T/d/pipe.json' is no regular file"
  rm "$T/d/pipe.json"
  mkdir "$T/d/folder.json"
  run_status 3 gpuaas-profile catalog
  assert_stderr "catalogue '$T/d/folder.json' is no regular file"
}

@test "what names a type that is not there is refused, once all drop-ins are read" {
  refused '{"groups":[{"name":"big","types":["no-such-type"]}]}' \
    "group 'big' names the type 'no-such-type', which is not there"
  refused '{"instances":[{"provider":"aws","name":"zz.big","types":["no-such-type"],"count":4,"sources":["wiki"]}]}' \
    "machine 'zz.big' names the type 'no-such-type'"
  refused '{"platform_labels":[{"key":"cloud.google.com/gke-accelerator","value":"zz","types":["no-such-type"],"sources":["wiki"]}]}' \
    "label 'zz' names the type 'no-such-type'"
  # A file may name what a later one brings.
  echo '{"groups":[{"name":"big","types":["acme-x1"]}]}' > "$T/d/10.json"
  run_status 3 gpuaas-profile catalog big
  assert_stderr "$T/d/10.json"
  echo '{"accelerators":[{"slug":"acme-x1","name":"Acme X1"}]}' > "$T/d/20.json"
  run_ok gpuaas-profile catalog big
  jq_is .slug acme-x1
  run_ok gpuaas-profile catalog check "$T/d/10.json" "$T/d/20.json"
  run_status 3 gpuaas-profile catalog check "$T/d/10.json"
  # A file that stands in for the catalogue, too.
  echo '{"accelerators":[],"groups":[{"name":"big","types":["nvidia-h200-141gb"]}]}' > "$T/own.json"
  GPUAAS_ACCELERATORS=$T/own.json GPUAAS_ACCELERATORS_DIR=/nonexistent run_status 3 gpuaas-profile catalog
  assert_stderr "$T/own.json"
}

@test "a drop-in that contradicts the catalogue is found by check" {
  cat > "$T/odd.json" << 'END'
{"sources":[{"name":"site","what":"our bench","where":null,"trust":"observed"},
  {"name":"rumour","what":"heard","where":null,"trust":"gospel"}],
 "accelerators":[
  {"slug":"acme-x1-64gb","name":"A","memory":{"nominal_gb":32,"size_sources":["site"]}},
  {"slug":"acme-x2","name":"B","power":{"tdp_w":300}},
  {"slug":"acme-x3","name":"C","aliases":["H200"]},
  {"slug":"acme-x4","name":"D","memory":{"nominal_gb":64,"reported_mib":81920,
   "size_sources":["site"],"reported_sources":["site"]}},
  {"slug":"acme-x5","name":"E","vendor_id":"10de","pci":[{"device_id":"2335",
   "subsystems":[{"id":"10de:18be"}]}],"pci_sources":["site"]}],
 "corrections":[{"slug":"nvidia-l4-24gb","pci":[{"device_id":"27b8","ambiguous":"one of ours has it"}]},
  {"slug":"amd-mi25-16gb","pci":[{"device_id":"6860","revisions":["00","01","02"]}]}],
 "groups":[{"name":"gone","types":[]},{"name":"h100-80gb-x","types":["acme-x2"]}]}
END
  run_status 1 gpuaas-profile catalog check "$T/odd.json"
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
  for want in "acme-x1-64gb suffix" "acme-x2 no_source" "acme-x3 name" "acme-x4 memory_ratio" \
    "acme-x5 subsystem" "gone no_type" "rumour trust" \
    "nvidia-h200-141gb pci" "acme-x5 pci"; do
    jq -r '"\(.object) \(.check)"' <<< "$output" | grep -qx "$want" || { echo "$want"; false; }
  done
  # A type that is marked ambiguous, or distinguished by its revision, is no contradiction.
  jq_slurp_is 'map(select(.object == "nvidia-l4-24gb" or .object == "amd-mi25-16gb")) | length' 0
}

@test "the catalogue is what make-accelerators makes of the gathered facts" {
  local facts
  for facts in "$SRC/shared" "$SRC/../shared"; do
    [[ ! -f $facts/data/accelerators.json ]] || break
  done
  [[ -f $facts/data/accelerators.json ]] || skip "the gathered facts (shared/data) are not here"
  "$SRC/packaging/make-accelerators" "$facts/data/accelerators.json" |
    cmp - "$SRC/share/accelerators.json"
}

@test "discovery knows what a drop-in names" {
  setup_host mixed
  run_ok in_host gpuaas-discover
  refute_output nvidia-rtx-a6000-48gb
  cat > "$T/d/a6000.json" << 'END'
{"sources":[{"name":"site","what":"our own","where":null,"trust":"observed"}],
 "accelerators":[{"slug":"nvidia-rtx-a6000-48gb","name":"NVIDIA RTX A6000 48GB","vendor_id":"10de",
  "pci":[{"device_id":"2230"}],"pci_sources":["site"]}]}
END
  run_ok in_host gpuaas-discover
  assert_output '"type":"nvidia-rtx-a6000-48gb"'
  echo '{"accelerators":[{"slug":"nvidia-l4-24gb","name":"mine"}]}' > "$T/d/bad.json"
  run_status 3 in_host gpuaas-discover
  assert_stderr bad.json
}
