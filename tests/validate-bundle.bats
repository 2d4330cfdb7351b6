# SPDX-License-Identifier: Apache-2.0
# gpuaas-validate: test plans, bundles of evidence, and their check.

load helper

setup()
{
  common_setup
  TOY=$SRC/tests/adapters/toy
  export TOY_SCALE=100 TOY_CLOCK=virtual
}

# A bundle of PRI-04 in $T/b.tar.zst, made with these options.
bundle() # OPTION…
{
  run_ok gpuaas-validate run --adapter "$TOY" --only PRI-04 --out "$T/b.tar.zst" "$@"
}

unpack() # BUNDLE FOLDER
{
  mkdir -p "$2"
  tar -C "$2" -xf "$1"
}

# An adapter in $T/wrapped: the toy, whose replies pass through the Python in standard input (reply,
# verb).
wrap()
{
  { printf '#!/usr/bin/python3\nimport importlib.machinery, json, os, sys\nsys.dont_write_bytecode = True\n'
    printf 'toy = importlib.machinery.SourceFileLoader("toy", %s).load_module()\n' "'$TOY'"
    printf 'for line in sys.stdin:\n    request = json.loads(line)\n    verb = request["verb"]\n'
    printf '    reply = toy.reply_to(request)\n'
    cat
    printf '    print(json.dumps(reply), flush=True)\n'; } > "$T/wrapped"
  chmod +x "$T/wrapped"
}

@test "a plan names all scenarios, and people approve it and agree on it" {
  run_ok gpuaas-validate plan
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
  local plan=$output digest
  digest=$(jq -r .digest <<< "$plan")
  assert_equal "$(jq '.scenarios | length' <<< "$plan")" "$(ls "$SRC"/share/scenarios | wc -l)"
  run_ok gpuaas-validate plan --approve --by 'Anna Lee' --reason 'as agreed on Friday'
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
  jq_is '"\(.kind) \(.by) \(.plan_digest)"' "gpuaas.approval/1 Anna Lee $digest"
  openssl genpkey -algorithm ed25519 -out "$T/key" 2> "$T/openssl"
  run_ok gpuaas-validate plan --agreed 'only MUST counts' --by Anna --with Bert --with Chris --sign "$T/key"
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
  jq_is '"\(.kind) \(.people | join(",")) \(.agreed) \(.signature.key | length)"' \
    "gpuaas.alignment/1 Anna,Bert,Chris only MUST counts 44"
  # A changed scenario is another plan.
  cp -r "$SRC/share/scenarios" "$T/own"
  sed -i 's/"title": *"/&My /' "$T/own/PRI-04.json"
  run_ok gpuaas-validate plan --scenarios "$T/own"
  [[ $(jq -r .digest <<< "$output") != "$digest" ]]
}

@test "a plan that nobody speaks for is refused" {
  run_status 2 gpuaas-validate plan --approve
  assert_stderr "--by is missing"
  run_status 2 gpuaas-validate plan --agreed 'only MUST counts' --by Anna
  assert_stderr "--with is missing"
  run_status 2 gpuaas-validate plan --by Anna
  run_status 2 gpuaas-validate plan --approve --by ' '
  run_status 2 gpuaas-validate plan --agreed x --by Anna --with ''
  run_status 2 gpuaas-validate plan --approve --agreed x --by Anna --with Bert
  echo x > "$T/key"
  run_status 3 gpuaas-validate plan --approve --by Anna --sign "$T/key"
  assert_stderr "openssl genpkey"
}

@test "a bundle has what was seen, is checked without findings, and is never replaced" {
  bundle --by 'Anna Lee' --seed 5
  assert_stderr "not signed"
  unpack "$T/b.tar.zst" "$T/u"
  assert_equal "$(cd "$T/u" && find . -type f -printf '%P\n' | sort)" \
    "$(printf '%s\n' deployment.md friction.md gaps.md manifest.json plan.json results/PRI-04/observations.ndjson \
      results/PRI-04/protocol.ndjson results/PRI-04/stderr results/PRI-04/verdict.json risks.md scenarios/PRI-04.json \
      workarounds.json)"
  cat "$T"/u/{manifest,plan,scenarios/PRI-04,results/PRI-04/verdict}.json "$T/u/results/PRI-04/observations.ndjson" |
    "$SRC/tests/validate" "$SRC/share/schema"
  # The verdict of the bundle is the one that was printed.
  assert_equal "$(< "$T/u/results/PRI-04/verdict.json")" "$output"
  # The adapter gets the digest of the plan and the seed.
  assert_equal "$(jq -rs '.[0].sent.params | "\(.plan) \(.seed)"' "$T/u/results/PRI-04/protocol.ndjson")" \
    "$(gpuaas-validate plan | jq -r .digest) 5"
  grep -q 'technology: toy 1 (system)' "$T/u/deployment.md"
  grep -q 'REC-01 (must), .*: not run' "$T/u/gaps.md"
  run_ok gpuaas-validate verify "$T/b.tar.zst"
  assert_equal "$output" ""
  assert_stderr "0 findings"
  assert_stderr "run by Anna Lee"
  assert_stderr "1 judged again: 1 pass"
  assert_stderr "not signed: anybody can have made it"
  cp "$T/b.tar.zst" "$T/before"
  run_status 4 gpuaas-validate run --adapter "$TOY" --only PRI-04 --out "$T/b.tar.zst"
  assert_stderr "exists"
  cmp "$T/b.tar.zst" "$T/before"
  run_status 2 gpuaas-validate run --adapter "$TOY" --only PRI-04 --by Anna
  # Nothing is left beside it.
  assert_equal "$(find "$T" -maxdepth 1 -name '*tar.zst*' -printf '%f\n')" b.tar.zst
}

# The files of an unpacked bundle with each time and digest masked.
masked() # FOLDER
{
  (cd "$1" && find . -type f | LC_ALL=C sort | xargs -d '\n' grep -H '' |
    sed -E 's/20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z/TIME/g; /manifest/s/sha256:[0-9a-f]{64}/DIGEST/g')
}

@test "two runs give the same bundle but for times" {
  gpuaas-validate run --adapter "$TOY" --only PRI-04 --only REC-01 --out "$T/1.tar.zst" > "$T/out1" 2> "$T/err"
  gpuaas-validate run --adapter "$TOY" --only PRI-04 --only REC-01 --out "$T/2.tar.zst" > "$T/out2" 2> "$T/err"
  unpack "$T/1.tar.zst" "$T/u1"
  unpack "$T/2.tar.zst" "$T/u2"
  cmp "$T/out1" "$T/out2"
  masked "$T/u1" > "$T/m1"
  masked "$T/u2" > "$T/m2"
  [[ -s $T/m1 ]]
  cmp "$T/m1" "$T/m2"
  # Entries: by name, owner 0, one time.
  tar -tvf "$T/1.tar.zst" --numeric-owner | awk '{ print $1, $2, $4, $5 }' | sort -u > "$T/heads"
  assert_equal "$(wc -l < "$T/heads")" 1
  grep -q '^-rw-r--r-- 0/0' "$T/heads"
  tar -tf "$T/1.tar.zst" > "$T/names"
  LC_ALL=C sort -c "$T/names"
}

@test "secrets are in no file of a bundle" {
  wrap << 'PY'
    if verb == "hello":
        reply["result"]["configuration"] = "user: x\npassword: canary-1\n-----BEGIN PRIVATE KEY-----\ncanary-2\n-----END PRIVATE KEY-----\nend\n"
        reply["result"]["components"] = [{"name": "db", "version": "postgres://u:canary-3@h/"}]
    if verb == "submit":
        os.makedirs("raw", exist_ok=True)
        with open("raw/kube.json", "w") as file:
            json.dump({"kind": "Config", "users": [{"user": {"token": "canary-4", "client-key-data": "canary-5"}}]}, file)
        reply["raw"] = ["raw/kube.json"]
        print("Authorization: Bearer canary-6-canary", file=sys.stderr, flush=True)
        reply["secret"] = "canary-7"
    if verb == "jobs":
        for job in reply["result"]["jobs"]:
            job["reason"] = {"code": "no_capacity", "native": "curl --token canary-8 x"}
PY
  echo 'api_key = canary-9' > "$T/risks.md"
  echo 'PASSWORD="canary-10"' > "$T/run.log"
  echo '{"zone": "a", "password": "canary-11"}' > "$T/param.json"
  run_ok gpuaas-validate run --adapter "$T/wrapped" --only PRI-04 --out "$T/b.tar.zst" --attach "$T/risks.md" \
    --attach "$T/run.log" --param "$T/param.json"
  unpack "$T/b.tar.zst" "$T/u"
  run grep -rn canary "$T/u"
  assert_equal "$output" ""
  for file in configuration/applied deployment.md results/PRI-04/{raw/kube.json,stderr,protocol.ndjson,observations.ndjson} \
    risks.md attached/run.log parameters.json; do
    grep -q REDACTED "$T/u/$file" || { echo "nothing was taken out of $file"; return 1; }
  done
  # The rest of them is there, and the bundle is right.
  grep -q '^user: x$' "$T/u/configuration/applied"
  jq -e '.kind == "Config"' "$T/u/results/PRI-04/raw/kube.json"
  jq -e '.zone == "a"' "$T/u/parameters.json"
  run_ok gpuaas-validate verify "$T/b.tar.zst"
}

@test "raw files that lead out of the adapter's folder, or are none, are named and not taken" {
  echo secret-of-the-host > "$T/host"
  export T
  wrap << 'PY'
    if verb == "setup":
        os.makedirs("raw")
        os.symlink(os.environ["T"] + "/host", "raw/link")
        os.symlink(os.environ["T"], "dir")
        os.mkfifo("raw/pipe")
        open("raw/good.txt", "w").write("good\n")
        open("raw/big", "w").write("x" * (1 << 20) + "x")
        for i in range(110):
            open(f"raw/n{i}", "w").write("n")
        reply["raw"] = ["raw/good.txt", "raw/good.txt", "raw/link", "dir/host", "raw/pipe", "raw/big", "raw/none", "raw",
                        os.environ["T"] + "/host", "../" * 9 + "etc/passwd", "raw/../../x", "a b", "x" * 200]
        reply["raw"] += [f"raw/n{i}" for i in range(110)]
PY
  run_ok gpuaas-validate run --adapter "$T/wrapped" --only PRI-04 --out "$T/b.tar.zst"
  unpack "$T/b.tar.zst" "$T/u"
  assert_equal "$(ls "$T/u/results/PRI-04/raw" | wc -l)" 100
  assert_equal "$(< "$T/u/results/PRI-04/raw/good.txt")" good
  run grep -rln secret-of-the-host "$T/u"
  assert_equal "$output" ""
  grep -q "raw file 'raw/link' is not here: it is a link" "$T/u/friction.md"
  grep -q "raw file 'dir/host' is not here: it is a link" "$T/u/friction.md"
  grep -q "raw file 'raw/pipe' is not here: it is no regular file" "$T/u/friction.md"
  grep -q "raw file 'raw/big' is not here: it is too large" "$T/u/friction.md"
  grep -q "raw file 'raw/none' is not here: No such file" "$T/u/friction.md"
  grep -q "raw file 'raw/n109' is not here: there are too many" "$T/u/friction.md"
  assert_equal "$(grep -c 'its name cannot stand in a bundle' "$T/u/friction.md")" 5
  run_ok gpuaas-validate verify "$T/b.tar.zst"
}

@test "what broke, fails and is not supported stands in the pages of a bundle" {
  printf '#!/bin/sh\nexec %q --oldest\n' "$TOY" > "$T/oldest"
  chmod +x "$T/oldest"
  run_status 1 gpuaas-validate run --adapter "$T/oldest" --only REC-01 --only QUO-01 --out "$T/b.tar.zst"
  unpack "$T/b.tar.zst" "$T/u"
  grep -q 'REC-01 (must), .*: kept: ' "$T/u/risks.md"
  grep -q 'QUO-01 (must), .*: unsupported: no such notion: limits' "$T/u/gaps.md"
  TOY_CLOCK=real TOY_SCALE=2 ODD=hang ODD_AT=jobs run_status 1 gpuaas-validate run --adapter "$SRC/tests/adapters/odd" \
    --only PRI-04 --out "$T/c.tar.zst"
  unpack "$T/c.tar.zst" "$T/v"
  grep -q 'PRI-04: jobs: timeout: no reply before the deadline' "$T/v/friction.md"
  wrap <<< '    if verb in ("setup", "queues"): reply["result"] = {"ignored": ["weight of a"], "workarounds": ["flag=x"]}'
  run_status 1 gpuaas-validate run --adapter "$T/wrapped" --only PRI-04 --out "$T/d.tar.zst"
  unpack "$T/d.tar.zst" "$T/w"
  jq -e '.["PRI-04"] | length > 0' "$T/w/workarounds.json"
  assert_equal "$(grep -c 'weight of a' "$T/w/deployment.md")" 1
  run_ok gpuaas-validate verify "$T"/{b,c,d}.tar.zst
  # A broken adapter has a bundle, too.
  printf '#!/bin/sh\nexit 3\n' > "$T/dead"
  chmod +x "$T/dead"
  run_status 1 gpuaas-validate run --adapter "$T/dead" --only PRI-04 --out "$T/e.tar.zst"
  run_ok gpuaas-validate verify "$T/e.tar.zst"
}

@test "files that people attach are in the bundle, and others are refused before anything runs" {
  echo 'Two racks were down.' > "$T/friction.md"
  echo 'up 1' > "$T/metrics.prom"
  bundle --attach "$T/friction.md" --attach "$T/metrics.prom"
  unpack "$T/b.tar.zst" "$T/u"
  assert_equal "$(tail -n 1 "$T/u/friction.md")" 'Two racks were down.'
  assert_equal "$(< "$T/u/attached/metrics.prom")" 'up 1'
  run_ok gpuaas-validate verify "$T/b.tar.zst"
  echo x > "$T/a b"
  run_status 2 gpuaas-validate run --adapter "$TOY" --only PRI-04 --out "$T/c" --attach "$T/a b"
  assert_stderr "rename it"
  run_status 5 gpuaas-validate run --adapter "$TOY" --only PRI-04 --out "$T/c" --attach "$T/none"
  run_status 2 gpuaas-validate run --adapter "$TOY" --only PRI-04 --out "$T/c" --attach "$T"
  run_status 4 gpuaas-validate run --adapter "$TOY" --only PRI-04 --out "$T/c" --attach "$T/friction.md" --attach "$T/friction.md"
  echo '[1]' > "$T/param"
  run_status 3 gpuaas-validate run --adapter "$TOY" --only PRI-04 --param "$T/param"
  assert_stderr "no JSON object"
  run_status 10 gpuaas-validate run --adapter "$TOY" --only PRI-04 --out "$T/none/c"
  [[ ! -e $T/c ]]
}

@test "a run that is interrupted leaves no bundle" {
  export ODD_PIDS=$T/pids ODD_VERBS=$T/verbs
  TOY_CLOCK=real background gpuaas-validate run --adapter "$SRC/tests/adapters/odd" --only PRI-04 --out "$T/b.tar.zst" \
    > "$T/out" 2> "$T/err"
  wait_for 20 grep -q jobs "$ODD_VERBS"
  kill -INT "$BG_PID"
  status=0
  wait "$BG_PID" || status=$?
  assert_equal "$status" 8
  assert_equal "$(find "$T" -maxdepth 1 -name '*tar.zst*')" ""
}

@test "a signature is checked, and compared with the key that is given" {
  openssl genpkey -algorithm ed25519 -out "$T/key" 2> "$T/openssl"
  bundle --sign "$T/key"
  assert_stderr ", signed"
  run_ok gpuaas-validate verify "$T/b.tar.zst"
  local key
  key=$(tar -xOf "$T/b.tar.zst" signature | jq -r .key)
  assert_stderr "signed with the key $key, which was not compared"
  run_ok gpuaas-validate verify --key "$key" "$T/b.tar.zst"
  run_status 1 gpuaas-validate verify --key "${key//[a-z]/A}" "$T/b.tar.zst"
  jq_is '"\(.code) \(.object)"' "signer_differs $key"
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
  run_status 2 gpuaas-validate verify --key abc "$T/b.tar.zst"
  run_ok gpuaas-validate run --adapter "$TOY" --only PRI-04 --out "$T/plain.tar.zst"
  run_status 1 gpuaas-validate verify --key "$key" "$T/plain.tar.zst" "$T/b.tar.zst"
  jq_is '"\(.bundle) \(.code)"' "$T/plain.tar.zst signature_missing"
}

# The bundle made again by Python, after a change of its files (name: bytes).
repack() # BUNDLE OUT < PYTHON
{
  { cat << 'PY'
import io, subprocess, sys, tarfile
data = subprocess.run(["zstd", "-dc", sys.argv[1]], check=True, stdout=subprocess.PIPE).stdout
with tarfile.open(fileobj=io.BytesIO(data)) as tar:
    members = {m.name: m for m in tar}
    files = {name: tar.extractfile(m).read() for name, m in members.items()}
time = next(iter(members.values())).mtime
PY
    cat
    cat << 'PY'
out = io.BytesIO()
with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as tar:
    for name in sorted(files):
        info = tarfile.TarInfo(name)
        info.size, info.mtime = len(files[name]), time
        tar.addfile(info, io.BytesIO(files[name]))
subprocess.run(["zstd", "-q", "-f", "-o", sys.argv[2]], check=True, input=out.getvalue())
PY
  } > "$T/repack.py"
  python3 "$T/repack.py" "$1" "$2"
}

@test "an edited verdict is found, and so is an archive that is packed differently" {
  bundle
  repack "$T/b.tar.zst" "$T/e.tar.zst" << 'PY'
files["results/PRI-04/verdict.json"] = files["results/PRI-04/verdict.json"].replace(b'"pass"', b'"fail"')
PY
  run_status 1 gpuaas-validate verify "$T/e.tar.zst"
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
  jq_slurp_is 'map("\(.code) \(.object)") | join(", ")' \
    "archive_differs null, digest_differs results/PRI-04/verdict.json, verdict_differs PRI-04"
  assert_output "says fail, its observations give pass"
  assert_stderr "3 findings"
  COLUMNS=80 run_status 1 gpuaas-validate verify --table "$T/e.tar.zst"
  assert_output verdict_differs
}

@test "a bundle of another plan is named" {
  bundle
  run_ok gpuaas-validate verify --scenarios "$SRC/share/scenarios" "$T/b.tar.zst"
  cp -r "$SRC/share/scenarios" "$T/own"
  rm "$T/own/QUO-01.json"
  run_status 1 gpuaas-validate verify --scenarios "$T/own" "$T/b.tar.zst"
  jq_is .code plan_differs
  assert_output "$(gpuaas-validate plan | jq -r .digest)"
  assert_output "$(gpuaas-validate plan --scenarios "$T/own" | jq -r .digest)"
}

# hostile NAME REASON < PYTHON that adds entries to tar: it is refused for this reason.
hostile()
{
  { printf 'import io, sys, tarfile\ntar = tarfile.open(sys.argv[1], "w", format=tarfile.GNU_FORMAT)\n'
    printf 'def add(name, data=b"x", **more):\n    info = tarfile.TarInfo(name)\n    info.size = len(data)\n'
    printf '    for k, v in more.items():\n        setattr(info, k, v)\n    tar.addfile(info, io.BytesIO(data))\n'
    cat
    printf 'tar.close()\n'; } > "$T/hostile.py"
  python3 "$T/hostile.py" "$T/hostile.tar"
  zstd -q -f "$T/hostile.tar" -o "$T/hostile.zst"
  refused "$T/hostile.zst" "$1"
}

refused() # FILE REASON
{
  run_status 1 gpuaas-validate verify "$1"
  jq_is .code archive_refused
  assert_output "$2"
  assert_stderr "cannot be checked"
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
}

@test "hostile archives are refused, and nothing is unpacked" {
  hostile "'a' is no regular file" <<< 'add("a", b"", type=tarfile.SYMTYPE, linkname="/etc/passwd")'
  hostile "is no regular file" <<< $'add("a")\nadd("b", b"", type=tarfile.LNKTYPE, linkname="a")'
  hostile "is no regular file" <<< 'add("a", b"", type=tarfile.CHRTYPE, devmajor=1, devminor=3)'
  hostile "is no regular file" <<< 'add("a", b"", type=tarfile.FIFOTYPE)'
  hostile "name that is not allowed" <<< 'add("a/", b"", type=tarfile.DIRTYPE)'
  hostile "name that is not allowed" <<< 'add("/etc/x")'
  hostile "name that is not allowed" <<< 'add("../x")'
  hostile "name that is not allowed" <<< 'add("a/../../x")'
  hostile "name that is not allowed" <<< 'add("a\x1b[2Jb")'
  hostile "name that is not allowed" <<< 'add("a" * 300)'
  hostile "'a' is there twice" <<< $'add("a")\nadd("b")\nadd("a")'
  hostile "more than 10000 files" <<< $'for i in range(10001): add(f"f{i}")'
  hostile "it has no files" <<< ''
  hostile "more than 200 times larger" <<< 'add("a", bytes(30 << 20))'
  # No zstd, no tar, cut off, nothing.
  cp "$T/hostile.tar" "$T/plain"
  refused "$T/plain" "it is no zstd archive"
  : > "$T/empty"
  refused "$T/empty" "it is no zstd archive"
  head -c 5000 /dev/urandom | zstd -q -o "$T/noise"
  refused "$T/noise" "tar archive"
  bundle
  head -c 1500 "$T/b.tar.zst" > "$T/cut"
  refused "$T/cut" "it"
  refused "$T" "no regular file"
  mkfifo "$T/pipe"
  refused "$T/pipe" "no regular file"
  run_status 5 gpuaas-validate verify "$T/none"
  run_status 1 gpuaas-validate verify "$T/cut" "$T/b.tar.zst"
  assert_stderr "'$T/b.tar.zst': sha256:"
  [[ -z $(ls -A "$TMPDIR") ]]
}

@test "a sparse entry that claims a terabyte is refused" {
  hostile "" << 'PY'
add("a", b"x")
info = tarfile.TarInfo("b")
info.pax_headers = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.name": "b", "GNU.sparse.realsize": str(1 << 40)}
tar.format = tarfile.PAX_FORMAT
info.size = 512
tar.addfile(info, io.BytesIO(b"1\n0\n1\n".ljust(512, b"\0")))
PY
}

@test "a review is added, signed, and changes nothing else" {
  openssl genpkey -algorithm ed25519 -out "$T/key" 2> "$T/openssl"
  bundle
  run_ok gpuaas-validate verify "$T/b.tar.zst" --review --by 'Bert Ode' --verdict agree --reason 'saw it happen' \
    --sign "$T/key" --out "$T/r.tar.zst"
  run_ok gpuaas-validate verify "$T/r.tar.zst" --review --by 'Chris' --verdict contest --only PRI-04 \
    --reason 'the clock is virtual' --sign "$T/key" --out "$T/s.tar.zst"
  run_ok gpuaas-validate verify "$T/s.tar.zst"
  assert_stderr "Bert Ode agrees with the bundle: saw it happen (key "
  assert_stderr "Chris contests PRI-04: the clock is virtual (key "
  unpack "$T/b.tar.zst" "$T/u1"
  unpack "$T/s.tar.zst" "$T/u2"
  cat "$T"/u2/reviews/{bert-ode,chris.PRI-04}.json | "$SRC/tests/validate" "$SRC/share/schema"
  rm -r "$T/u2/reviews"
  diff -r "$T/u1" "$T/u2"
  run_status 4 gpuaas-validate verify "$T/s.tar.zst" --review --by 'Bert ode' --verdict contest --reason again \
    --sign "$T/key" --out "$T/t.tar.zst"
  run_status 4 gpuaas-validate verify "$T/b.tar.zst" --review --by Dora --verdict agree --reason 'fine' \
    --sign "$T/key" --out "$T/r.tar.zst"
  run_status 5 gpuaas-validate verify "$T/b.tar.zst" --review --by Dora --verdict agree --reason 'fine' --only PRI-01 \
    --sign "$T/key" --out "$T/t.tar.zst"
  run_status 2 gpuaas-validate verify "$T/b.tar.zst" --review --by Dora --verdict agree --reason 'fine' --out "$T/t.tar.zst"
  run_status 2 gpuaas-validate verify "$T/b.tar.zst" --by Dora
  [[ ! -e $T/t.tar.zst ]]
  # One that somebody changed.
  repack "$T/r.tar.zst" "$T/t.tar.zst" << 'PY'
files["reviews/bert-ode.json"] = files["reviews/bert-ode.json"].replace(b"agree", b"contest")
PY
  run_status 1 gpuaas-validate verify "$T/t.tar.zst"
  assert_output review_invalid
  # A bundle with findings gets no review.
  run_status 4 gpuaas-validate verify "$T/t.tar.zst" --review --by Dora --verdict agree --reason 'fine' \
    --sign "$T/key" --out "$T/x.tar.zst"
  [[ ! -e $T/x.tar.zst ]]
}

@test "a rerun compares the outcomes" {
  run_ok gpuaas-validate run --adapter "$TOY" --only PRI-04 --only REC-01 --out "$T/b.tar.zst" --seed 3
  run_ok gpuaas-validate verify "$T/b.tar.zst" --rerun --adapter "$TOY"
  assert_stderr "2 outcomes are the same again"
  printf '#!/bin/sh\nexec %q --oldest\n' "$TOY" > "$T/oldest"
  chmod +x "$T/oldest"
  run_status 1 gpuaas-validate verify "$T/b.tar.zst" --rerun --adapter "$T/oldest"
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
  jq_is '"\(.code) \(.object)"' "outcome_differs REC-01"
  run_ok gpuaas-validate verify "$T/b.tar.zst" --rerun --adapter "$T/oldest" --only PRI-04
  run_status 5 gpuaas-validate verify "$T/b.tar.zst" --rerun --adapter "$TOY" --only PRI-01
  run_status 2 gpuaas-validate verify "$T/b.tar.zst" --rerun
  run_status 2 gpuaas-validate verify "$T/b.tar.zst" --only PRI-04
  run_status 2 gpuaas-validate verify
}
