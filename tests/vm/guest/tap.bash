# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154
# Checks of the scenario. Each is one line of $share/checks.ndjson with its evidence.

share=/run/share
state=/var/lib/vm
logs=$share/log
# Seconds until a tenant of an emulated machine is up: the deadline of a hang.
boot_limit=600

now() { cut -d ' ' -f 1 /proc/uptime; }
log() { echo "$(now) $*" >> "$share/story.log"; }

# record OK NAME EVIDENCE
record()
{
  jq -nc --arg name "$2" --argjson ok "$1" --arg stage "$stage" --arg uptime "$(now)" \
    --arg evidence "$(printf '%s' "$3" | tr -d '\000\r' | head -c 2000)" \
    '{stage: $stage, name: $name, ok: $ok, uptime_seconds: ($uptime | tonumber),
      evidence: $evidence}' >> "$share/checks.ndjson"
  log "$([[ $1 == true ]] && echo ok || echo NOT OK) - $2"
}

# check NAME COMMAND…: what the command prints is the evidence, its status the outcome
check()
{
  local name=$1 said got=0
  shift
  said=$("$@" 2>&1) || got=$?
  if ((got)); then
    record false "$name" "$said (status $got)"
  else
    record true "$name" "$said"
  fi
  return 0
}

# status WANT COMMAND…: the command ends with this status; its output goes to $out
status()
{
  local want=$1 got=0
  shift
  "$@" > "$out" 2> "$out.err" || got=$?
  echo "'$*' ended with $got"
  ((got == want)) && return
  tail -c 900 "$out.err"
  return 1
}

# found FILTER FILE: what jq finds in the records, one line each; nothing is a failure
found() { jq -r "$@" | grep .; }

# wait_for SECONDS COMMAND…: until it succeeds
wait_for()
{
  local end=$((SECONDS + $1))
  shift
  until "$@" > /dev/null 2>&1; do
    ((SECONDS < end)) || { echo "not within its time: $*"; return 1; }
    sleep 0.5
  done
}
