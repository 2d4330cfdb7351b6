# SPDX-License-Identifier: Apache-2.0
# gpuaas-validate new and matrix: the beginning of an adapter, and what bundles say together.

load helper

setup()
{
  common_setup
  TOY=$SRC/tests/adapters/toy
  export TOY_SCALE=100 TOY_CLOCK=virtual
}

# A bundle $T/FILE of the scenarios, run through ADAPTER.
bundle() # FILE ADAPTER SCENARIO…
{
  local only=() id
  for id in "${@:3}"; do only+=(--only "$id"); done
  run gpuaas-validate run --adapter "$2" --out "$T/$1" --by 'Anna Lee' "${only[@]}"
  [[ -s $T/$1 ]] || { echo "no bundle: $output"; return 1; }
}

# The toy with FILTER of sed, as $T/NAME.
toy() # NAME FILTER
{
  sed "$2" "$TOY" > "$T/$1"
  chmod +x "$T/$1"
}

# Each link of the page leads to a file, each element is closed, and nothing is loaded or run.
check_page() # FILE
{
  python3 - "$1" << 'PYTHON'
import html.parser, os, sys, urllib.parse
class Page(html.parser.HTMLParser):
    open, links = [], 0
    def handle_starttag(self, tag, attributes):
        assert tag not in ("script", "img", "iframe", "link", "object", "form"), tag
        for name, value in attributes:
            assert name in ("lang", "charset", "name", "content", "http-equiv", "class", "href"), name
            if name == "href":
                path = urllib.parse.unquote(value)
                assert path.startswith("./") and os.path.exists(path), value
                self.links += 1
        if tag not in ("meta", "br"):
            self.open.append(tag)
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
page = Page()
page.feed(open(sys.argv[1], encoding="utf-8").read())
assert not page.open and page.links, (page.open, page.links)
PYTHON
}

@test "the beginning of an adapter answers hello, setup and teardown, and says what to write next" {
  cd "$T"
  run_ok gpuaas-validate new htcondor
  assert_equal "$output" $'htcondor/adapter\nhtcondor/README.md'
  run grep -rl @NAME@ htcondor
  assert_equal "$output" ""
  assert_equal "$(bash -n htcondor/adapter 2>&1)" ""
  run_status 1 gpuaas-validate run --adapter htcondor/adapter --only PRI-04 --out new.tar.zst
  jq_is '"\(.outcome): \(.why)"' "inconclusive: queues: failed: the function queues of the adapter is not written yet"
  tar --zstd -xOf new.tar.zst results/PRI-04/protocol.ndjson > protocol
  assert_equal "$(command jq -r '.sent.verb // empty' protocol | paste -sd ' ')" "hello setup queues teardown"
  assert_equal "$(command jq -r 'select(.received).received.ok' protocol | paste -sd ' ')" "true true false true"
  assert_equal "$(command jq -r '.received.result.technology? // empty' protocol)" htcondor
  run_status 1 gpuaas-validate run --adapter htcondor/adapter --only QUO-01
  jq_is '"\(.outcome): \(.why)"' "unsupported: no such notion: limits"
  grep -q 'gpuaas-validate run --adapter ./adapter --only PRI-04' htcondor/README.md
}

@test "new makes no folder that exists, and none for a name that no technology can have" {
  cd "$T"
  mkdir there
  run_status 4 gpuaas-validate new there
  assert_stderr "'there' exists already"
  assert_equal "$(ls -A there)" ""
  run_ok gpuaas-validate new there --dir here
  [[ -x here/adapter ]]
  ln -s nowhere link
  run_status 4 gpuaas-validate new link
  run_status 2 gpuaas-validate new 'A b'
  assert_stderr "cannot be the name of a technology"
  run_status 2 gpuaas-validate new ../up
  [[ ! -e ../up ]]
}

@test "each scenario names requirements that are in the list, and each of these has a MUST scenario" {
  command jq -r '.requirements[].id' "$SRC/share/requirements.json" | sort > "$T/listed"
  assert_equal "$(uniq -d "$T/listed")" ""
  command jq -r '.requirements[].id' "$SRC"/share/scenarios/*.json | sort -u > "$T/named"
  assert_equal "$(comm -13 "$T/listed" "$T/named")" ""
  command jq -r 'select(.level == "must") | .requirements[] | select(.coverage == "full").id' \
    "$SRC"/share/scenarios/*.json | sort -u > "$T/shown"
  assert_equal "$(comm -23 "$T/listed" "$T/shown")" ""
  command jq -c . "$SRC/share/requirements.json" | "$SRC/tests/validate" "$SRC/share/schema"
}

@test "a bundle becomes a matrix: every requirement with a word and a reason, every number with its file" {
  cd "$T"
  bundle toy.tar.zst "$TOY" PRI-02 PRI-04 REC-01 OBS-03
  run_ok gpuaas-validate matrix toy.tar.zst
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
  jq_is '.columns | length' 1
  jq_is '.columns[0].cells | length' 10
  jq_is '.columns[0].cells[] | select(.requirement == "R-PRIORITY") | .support, .passed' $'partially_supported\n2'
  jq_is '.columns[0].cells[] | select(.requirement == "R-MULTICLUSTER") | "\(.support): \(.why)"' "not_supported: not run"
  jq_is '.columns[0].cells[] | select(.requirement == "R-OBSERVABILITY") | .why | test("no such notion: OBS-03")' true
  jq_is '.columns[0].results[] | select(.scenario == "REC-01") | .outcome, .shown[0].bundle' $'pass\ntoy.tar.zst'
  jq_is '.columns[0].bundles[0].executed_by' 'Anna Lee'
  jq_is '.columns[0].numbers[] | select(.scenario == "REC-01" and .name == "evictions").value' 4
  tar --zstd -tf toy.tar.zst | sort > there
  command jq -r '.columns[] | .numbers[].file, (.results[].shown[] | .file), .gaps[].file' <<< "$output" | sort -u > named
  assert_equal "$(comm -13 there named)" ""
  [[ -s named ]]
  # The same for people.
  run_ok gpuaas-validate matrix toy.tar.zst --table
  assert_output "R-MULTICLUSTER: Not supported: not run"
  run_ok gpuaas-validate matrix toy.tar.zst --markdown
  assert_equal "$(grep -c '^## ' <<< "$output")" 7
  run_ok gpuaas-validate matrix toy.tar.zst --html
  printf '%s\n' "$output" > page.html
  check_page page.html
  run_status 2 gpuaas-validate matrix toy.tar.zst --html --markdown
  run_status 2 gpuaas-validate matrix toy.tar.zst --html --json
  run_status 5 gpuaas-validate matrix nowhere.tar.zst
}

@test "without an approval of its plan a matrix is a draft" {
  cd "$T"
  bundle toy.tar.zst "$TOY" PRI-04
  gpuaas-validate plan --approve --by 'Cleo Park' > approval.json
  run_ok gpuaas-validate matrix toy.tar.zst
  jq_is .draft "no approval of the plan was given"
  run_ok gpuaas-validate matrix toy.tar.zst --approval approval.json
  jq_is '"\(.draft) \(.approval.by) \(.approval.signer)"' "null Cleo Park null"
  run_ok gpuaas-validate matrix toy.tar.zst --approval approval.json --html
  refute_output DRAFT
  # One of another plan, and one that is signed and then changed.
  mkdir own
  cp "$SRC/share/scenarios/PRI-04.json" own
  gpuaas-validate plan --approve --by 'Cleo Park' --scenarios own > other.json
  run_ok gpuaas-validate matrix toy.tar.zst --approval other.json --markdown
  assert_output "DRAFT"
  assert_output "the approval is of another plan"
  openssl genpkey -algorithm ed25519 -out key.pem
  gpuaas-validate plan --approve --by 'Cleo Park' --sign key.pem > signed.json
  run_ok gpuaas-validate matrix toy.tar.zst --approval signed.json
  jq_is '.draft, .approval.signer' "$(printf 'null\n%s' "$(command jq -r .signature.key signed.json)")"
  sed -i 's/Cleo/Dana/' signed.json
  run_status 3 gpuaas-validate matrix toy.tar.zst --approval signed.json
  assert_stderr "its signature does not fit it"
  run_status 3 gpuaas-validate matrix toy.tar.zst --approval toy.tar.zst
}

@test "a bundle of another plan and one that was changed are named, and count for nothing" {
  cd "$T"
  mkdir own
  command jq '.notes = "changed"' "$SRC/share/scenarios/PRI-04.json" > own/PRI-04.json
  run gpuaas-validate run --adapter "$TOY" --scenarios own --out other.tar.zst
  bundle toy.tar.zst "$TOY" PRI-04
  run_status 1 gpuaas-validate matrix toy.tar.zst other.tar.zst
  assert_stderr "'other.tar.zst' does not count: it is of another plan"
  jq_is '.apart[] | "\(.bundle) \(.technology)"' "other.tar.zst toy"
  jq_is '.columns[0].bundles | length' 1
  run_ok gpuaas-validate matrix other.tar.zst --scenarios own
  jq_is '.columns[0].results | map(.outcome) | join(" ")' pass
  # An edited verdict.
  mkdir edit
  tar --zstd -xf toy.tar.zst -C edit
  sed -i 's/"outcome":"pass"/"outcome":"fail"/' edit/results/PRI-04/verdict.json
  tar --zstd -cf edited.tar.zst -C edit .
  run_status 1 gpuaas-validate matrix edited.tar.zst --html
  assert_stderr "'edited.tar.zst' does not count: 'gpuaas-validate verify' finds"
  assert_output "No bundle counts."
  echo garbage > garbage.tar.zst
  run_status 1 gpuaas-validate matrix toy.tar.zst garbage.tar.zst
  jq_is '.apart[] | "\(.bundle) \(.technology)"' "garbage.tar.zst null"
  cp toy.tar.zst copy.tar.zst
  run_status 1 gpuaas-validate matrix toy.tar.zst copy.tar.zst
  jq_is '.apart | length' 1
}

@test "two bundles of one technology that disagree are both shown, and the failure counts" {
  cd "$T"
  printf '#!/bin/sh\nexec %q --oldest\n' "$TOY" > oldest
  chmod +x oldest
  bundle good.tar.zst "$TOY" REC-01
  bundle bad.tar.zst "$T/oldest" REC-01
  run_ok gpuaas-validate matrix good.tar.zst bad.tar.zst
  jq_is '.columns | length' 1
  jq_is '.columns[0].results[] | select(.scenario == "REC-01") | "\(.outcome) \(.disagree) \(.shown | map(.outcome) | sort | join(","))"' \
    "fail true fail,pass"
  jq_is '.columns[0].cells[] | select(.requirement == "R-PREEMPTION").why | test("bundles disagree: REC-01")' true
  one=$output
  run_ok gpuaas-validate matrix bad.tar.zst good.tar.zst
  assert_equal "$output" "$one"
  run_ok gpuaas-validate matrix bad.tar.zst good.tar.zst --html
  printf '%s\n' "$output" > page.html
  check_page page.html
  assert_output "bundles disagree"
}

@test "a model predicts, stands apart, never counts, and is compared with its technology" {
  cd "$T"
  toy model 's/"class": "system"/"class": "model"/'
  printf '#!/bin/sh\nexec %q --oldest\n' "$TOY" > oldest
  chmod +x oldest
  bundle model.tar.zst "$T/model" REC-01 PRI-04
  bundle real.tar.zst "$T/oldest" REC-01 PRI-04
  run_ok gpuaas-validate matrix model.tar.zst real.tar.zst
  jq_is '.columns | map(.class) | join(" ")' "system model"
  jq_is '.columns[1].cells | map(.support) | unique | join(" ")' no_prediction
  jq_is '.differences[] | "\(.scenario) \(.predicted) \(.seen)"' "REC-01 pass fail"
  run_ok gpuaas-validate matrix model.tar.zst real.tar.zst --html
  assert_output "it predicts and never counts"
  assert_output "Where documentation and behaviour differ"
}

@test "a team's own requirements are shown by their ids, and a list that means nothing is refused" {
  cd "$T"
  bundle toy.tar.zst "$TOY" PRI-04 REC-01
  asked() # REQUIREMENTS
  {
    printf '{"kind": "gpuaas.validation-requirements/1", "title": "Our PRD",\n "requirements": %s}\n' "$1" > own.json
  }
  asked '[{"id": "PRD 4.2", "title": "order", "covered_by": ["PRI-04"]},
    {"id": "PRD 4.3", "title": "all of it", "covered_by": ["R-PREEMPTION", "PRI-04"]}]'
  run_ok gpuaas-validate matrix toy.tar.zst --requirements own.json
  jq_is '.title' "Our PRD"
  jq_is '.columns[0].cells | map("\(.requirement) \(.support)") | join(", ")' "PRD 4.2 supported, PRD 4.3 partially_supported"
  asked '[{"id": "a", "title": "t", "covered_by": ["PRI-99"]}]'
  run_status 3 gpuaas-validate matrix toy.tar.zst --requirements own.json
  assert_stderr "'PRI-99' in covered_by is no scenario"
  asked '[{"id": "a", "title": "t"}, {"id": "a", "title": "u"}]'
  run_status 3 gpuaas-validate matrix toy.tar.zst --requirements own.json
  asked '['
  run_status 3 gpuaas-validate matrix toy.tar.zst --requirements own.json
  assert_stderr "line 2: "
  run_status 5 gpuaas-validate matrix toy.tar.zst --requirements nowhere.json
}
