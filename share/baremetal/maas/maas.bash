# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash disable=SC2034,SC2154 # variables are shared by the files of an example
#
# MAAS API 2.0 (MAAS 3.2 or newer) for deploy/50-maas, release/50-maas and status/50-maas. Settings are in maas.conf
# beside it, the machines of the nodes in machines: "NODE HOSTNAME-OR-SYSTEM-ID" a line, and the
# images that plans may name in images: "IMAGE OSYSTEM/SERIES" a line.
#
# The key goes to curl on its standard input, never as an argument; what is sent lies in a private
# folder of this run. The machine's own annotations name the allocation that it serves
# (gpuaas_allocation, gpuaas_stage): a machine that carries another's is left alone.

# shellcheck source=share/baremetal/answer.bash
source "$here/answer.bash"

maas_open()
{
  local file=$here/maas.conf
  [[ -r $file ]] || fail "there is no '$file': see gpuaas-host(7)"
  url=$(setting "$file" MAAS_URL)
  url=${url%/}
  key_file=$(setting "$file" MAAS_KEY_FILE "$here/maas.key")
  trusted=$(setting "$file" MAAS_TRUSTED_IMAGE)
  tenant=$(setting "$file" MAAS_TENANT_IMAGE)
  tenant=$(image_of "$here/images" "$tenant")
  ephemeral=$(setting "$file" MAAS_TRUSTED_EPHEMERAL no)
  poll=$(setting "$file" MAAS_POLL_SECONDS 15)
  limit=$(setting "$file" MAAS_LIMIT_SECONDS 3600)
  login=$(setting "$file" SSH_USER root)
  ssh=$(setting "$file" SSH ssh)
  ssh_key=$(setting "$file" SSH_KEY /root/.ssh/id_ed25519)
  ca=$(setting "$file" MAAS_CA "")
  [[ $trusted == */* && $tenant == */* ]] ||
    fail "'$file' or images: images are OSYSTEM/SERIES, such as custom/gpuaas-host or ubuntu/noble"
  private "$key_file"
  IFS=: read -r consumer token secret < "$key_file" || :
  [[ -n ${consumer-} && -n ${token-} && -n ${secret-} ]] ||
    fail "'$key_file' does not hold a MAAS API key: CONSUMER:TOKEN:SECRET"
  private_folder
  deadline=$(($(now) + limit))
}

# The settings of curl that nobody else may see.
curl_secret()
{
  local nonce
  nonce=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  printf 'header = "Authorization: OAuth oauth_version=\\"1.0\\", '
  printf 'oauth_signature_method=\\"PLAINTEXT\\", oauth_consumer_key=\\"%s\\", ' "$consumer"
  printf 'oauth_token=\\"%s\\", oauth_signature=\\"%%26%s\\", ' "$token" "$secret"
  printf 'oauth_nonce=\\"%s\\", oauth_timestamp=\\"%s\\""\n' "$nonce" "$(date +%s)"
}

# pause SECONDS: between two questions; fails at the deadline
pause()
{
  (($(now) < deadline)) || fail "machine '$machine' is not $1 after $limit s: ${2:-see MAAS}"
  sleep "$poll"
}

# one_request METHOD PATH [CURL-ARGUMENT…]: sets $code (000: no answer) and $body, $retry_after
one_request()
{
  local method=$1 path=$2 why
  shift 2
  code=$(curl_secret | curl -q -sS -K - --request "$method" --max-time 120 --max-filesize 67108864 \
    --proto '=https,http' ${ca:+--cacert "$ca"} -H 'Accept: application/json' -H 'Expect:' \
    -D "$folder/head" -o "$folder/body" -w '%{http_code}' "$@" "$url/api/2.0/$path" \
    2> "$folder/why") || code=000
  why=$(tail -n 1 "$folder/why" 2> /dev/null) || :
  body=$(tr -d '\0' < "$folder/body" 2> /dev/null) || body=
  [[ $code != 000 ]] || body=${why:-no answer}
  retry_after=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9]\{1,4\}\).*/\1/p' "$folder/head" 2> /dev/null |
    head -n 1) || :
  rm -f "$folder/head" "$folder/body"
}

# One sentence of what MAAS said, which may be JSON, a page or text.
maas_said()
{
  local said
  said=$(jq -r 'if type == "object" then [.[] | if type == "array" then .[] else . end | tostring] |
    join("; ") else tostring end' <<< "$body" 2> /dev/null) || said=$body
  said=$(tr -s '[:space:][:cntrl:]' ' ' <<< "$said")
  said=${said:0:300}
  echo "${said% }"
}

# request WHAT METHOD PATH [CURL-ARGUMENT…]: prints what MAAS answered; it asks a busy MAAS again
# until the deadline; for a read also one that cannot be reached.
request()
{
  local what=$1 wait
  shift
  while :; do
    one_request "$@"
    case $code in
    2??) return 0 ;;
    503) ;;
    000 | 502 | 504) [[ $1 == GET ]] || break ;;
    *) break ;;
    esac
    wait=${retry_after:-$poll}
    (($(now) + ${wait%.*} < deadline)) || break
    say "machine '$machine': MAAS is busy ($code: $(maas_said)); asked again in $wait s"
    sleep "$wait"
  done
  case $code in
  000) fail "machine '$machine': $what: MAAS at $url does not answer: $(maas_said)" ;;
  401) fail "machine '$machine': $what: MAAS refuses the key in '$key_file' (401: $(maas_said))" ;;
  *) fail "machine '$machine': $what: MAAS said $code: $(maas_said)" ;;
  esac
}

# Sets $id and $record to the one machine of the node.
find_machine()
{
  local found
  machine=$(machine_of "$here/machines" "$node")
  machine=${machine%%[[:space:]]*}
  [[ -n $machine && $machine =~ ^[A-Za-z0-9.-]+$ ]] ||
    fail "'$here/machines' names no machine for node '$node'"
  request "looking for it" GET "machines/?hostname=${machine%%.*}"
  found=$(jq -c --arg m "$machine" '[.[] | select(.hostname == $m or .fqdn == $m)]' <<< "$body") ||
    fail "machine '$machine': MAAS answered something that is no list of machines"
  case $(jq length <<< "$found") in
  1) id=$(jq -r '.[0].system_id' <<< "$found") ;;
  0) id=$machine ;;
  *) fail "machine '$machine': MAAS has more than one of that name; give its system id" ;;
  esac
  [[ $id =~ ^[A-Za-z0-9-]+$ ]] || fail "MAAS has no machine '$machine'"
  read_machine
}

read_machine()
{
  local -a said
  request "reading it" GET "machines/$id/"
  record=$body
  mapfile -t said < <(jq -r '[.system_id, .status_name, "\(.osystem)/\(.distro_series)",
    .owner_data.gpuaas_allocation // "", .owner_data.gpuaas_stage // ""][] | tostring |
    split("\n") | join(" ")' <<< "$record" 2> /dev/null)
  [[ ${said[0]-} == "$id" ]] ||
    fail "machine '$machine': MAAS answered something that is no machine"
  status_name=${said[1]} runs=${said[2]} whose=${said[3]} stage=${said[4]}
}

operation()
{
  local op=$1
  shift
  request "op=$op" POST "machines/$id/?op=$op" "$@"
}

# wait_for STATUS: until MAAS says the machine is that; a status that begins with Failed, or is in
# the way of it, ends it.
wait_for()
{
  while :; do
    read_machine
    [[ $status_name != "$1" ]] || return 0
    case $status_name in
    Failed* | *failed | Broken | Missing | Retired)
      fail "machine '$machine' is '$status_name' in MAAS, not $1: $(jq -r .status_message <<< "$record")"
      ;;
    esac
    pause "$1" "MAAS says $status_name: $(jq -r .status_message <<< "$record")"
  done
}

# To Ready, whatever it ran; its disks are not touched by it: gpuaas wipes them and proves it.
give_up_system()
{
  [[ $(jq -r .locked <<< "$record") != true ]] ||
    fail "machine '$machine' is locked in MAAS: unlock it there when it may be released"
  operation release --form-string erase=false --form-string "comment=gpuaas $allocation: $1"
  wait_for Ready
}

# install STAGE IMAGE USER-DATA-FILE [CURL-ARGUMENT…]: from Ready to Deployed
install()
{
  local to=$1 image=$2
  base64 -w 0 < "$3" > "$folder/user-data.b64"
  shift 3
  # Taken first, and by name, so that nobody else has it between two of these requests.
  request "op=allocate" POST "machines/?op=allocate" --form-string "system_id=$id" \
    --form-string "comment=gpuaas $allocation: $to"
  operation set_workload_annotations --form-string "gpuaas_allocation=$allocation" \
    --form-string "gpuaas_stage=$to" --form-string "gpuaas_node=$node"
  operation deploy --form-string "osystem=${image%%/*}" --form-string "distro_series=${image#*/}" \
    --form-string "comment=gpuaas $allocation: $to" -F "user_data=<$folder/user-data.b64" "$@"
  rm -f "$folder/user-data.b64"
  arrived "$to" "$image"
}

# Deployed, by us, with the image of the plan, and switched on.
arrived()
{
  local power
  wait_for Deployed
  [[ $whose == "$allocation" && $stage == "$1" ]] ||
    fail "machine '$machine' was deployed for '${whose:-nobody}' (${stage:-unknown}) meanwhile"
  [[ $runs == "$2" ]] || fail "machine '$machine' runs '$runs', but needs '$2'"
  address=$(jq -r '.ip_addresses[0] // empty' <<< "$record")
  [[ -n $address ]] || fail "machine '$machine' is Deployed and has no address in MAAS"
  request "asking for its power" GET "machines/$id/?op=query_power_state"
  power=$(jq -r '.state // "unknown"' <<< "$body") || power=unknown
  [[ $power == on ]] || fail "machine '$machine' is Deployed and its power is '$power' in MAAS"
}
