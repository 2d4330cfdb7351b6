# SPDX-License-Identifier: Apache-2.0
# gpuaas-serve: the published view over real sockets, passed as systemd passes them.

load helper

setup()
{
  common_setup
  FILE=$T/public.json
  publish 4
  cat > "$T/client" << 'END'
#!/usr/bin/env python3
# activate FILE COMMAND…  listen on loopback, write the port to FILE, run COMMAND with the socket as 3
# raw PORT                send standard input as it is, print what comes back
# many PORT N             N clients at once, each counted by status; all are connected before one asks
# slow PORT               hold a connection that never asks, print "open", and wait for its end
import os, socket, sys, threading
what = sys.argv[1]
if what == "activate":
    s = socket.socket()
    s.bind(("127.0.0.1", 0))
    s.listen(512)
    with open(sys.argv[2] + ".new", "w") as f:
        f.write(str(s.getsockname()[1]))
    os.rename(sys.argv[2] + ".new", sys.argv[2])
    os.dup2(s.fileno(), 3)
    os.set_inheritable(3, True)
    os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()))
    os.execvp(sys.argv[3], sys.argv[3:])
port = int(sys.argv[2])
def connect():
    return socket.create_connection(("127.0.0.1", port), timeout=60)
def rest(s):
    got = b""
    try:
        while chunk := s.recv(65536):
            got += chunk
    except ConnectionResetError:
        pass
    return got
if what == "raw":
    s = connect()
    try:
        s.sendall(sys.stdin.buffer.read())
        s.shutdown(socket.SHUT_WR)
    except OSError:
        pass  # it was refused before all of it was sent
    sys.stdout.buffer.write(rest(s))
elif what == "many":
    n = int(sys.argv[3])
    clients = [connect() for _ in range(n)]
    answers = [b""] * n
    def ask(i):
        clients[i].sendall(b"GET /api/hardware-profiles HTTP/1.1\r\nHost: x\r\n\r\n")
        answers[i] = rest(clients[i])
    threads = [threading.Thread(target=ask, args=(i,)) for i in range(n)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    bodies = {a.split(b"\r\n\r\n", 1)[-1] for a in answers}
    good = sum(a.startswith(b"HTTP/1.1 200 ") for a in answers)
    print(good, len(bodies), len(bodies.pop()))
elif what == "slow":
    s = connect()
    s.sendall(b"GET /api/hard")
    print("open", flush=True)
    rest(s)
END
  chmod +x "$T/client"
}

# publish N: what gpuaas-profile list --public --output writes, with N available.
publish()
{
  printf '{"madeAt":"2026-11-22T06:45:04.118532Z","profiles":[\n{"name":"premium-gpu","availableCount":%d}\n]}\n' \
    "$1" > "$FILE.new"
  mv "$FILE.new" "$FILE"
}

# activate OPTION…: the server with a socket as systemd passes it; sets PORT and URL.
activate()
{
  rm -f "$T/port"
  background "$T/client" activate "$T/port" gpuaas-serve --file "$FILE" "$@"
  wait_for 30 test -s "$T/port"
  PORT=$(< "$T/port")
  URL=http://127.0.0.1:$PORT/api/hardware-profiles
}

# ask ARG…: curl with headers, its output without carriage returns in $output
ask()
{
  run_ok curl -sS --max-time 60 -D - -o "$T/body" "$@"
  output=${output//$'\r'/}
}

# raw REQUEST: what comes back of these bytes, in $output
raw()
{
  printf '%b' "$1" | "$T/client" raw "$PORT" > "$T/answer"
  output=$(tr -d '\0\r' < "$T/answer")
}

@test "the file is given as it is, with what a cache needs" {
  activate
  ask "$URL"
  assert_output 'HTTP/1.1 200 '
  assert_output 'Content-Type: application/json'
  assert_output 'Cache-Control: no-cache'
  assert_output 'Connection: close'
  assert_output "Last-Modified: $(date -u -d "@$(stat -c %Y "$FILE")" '+%a, %d %b %Y %H:%M:%S GMT')"
  [[ $output =~ Age:\ [0-9]+ ]]
  cmp "$FILE" "$T/body"
  tag=$(sed -n 's/^ETag: //p' <<< "$output")
  ask -H "If-None-Match: $tag" "$URL"
  assert_output 'HTTP/1.1 304 '
  ask -H "If-None-Match: \"x\", W/$tag" "$URL"
  assert_output 'HTTP/1.1 304 '
  ask -H "If-Modified-Since: $(sed -n 's/^Last-Modified: //p' <<< "$output")" "$URL"
  assert_output 'HTTP/1.1 304 '
  ask -H 'If-None-Match: "other"' "$URL"
  assert_output 'HTTP/1.1 200 '
  ask -I "$URL"
  assert_output 'HTTP/1.1 200 '
  assert_output "Content-Length: $(stat -c %s "$FILE")"
  # What is published next has another tag, and is given at once.
  publish 3
  ask -H "If-None-Match: $tag" "$URL"
  assert_output 'HTTP/1.1 200 '
  assert_equal "$(jq '.profiles[0].availableCount' "$T/body")" 3
}

@test "an old file, none, a link and a folder are not given as what is true now" {
  activate --stale 60s
  touch -d '61 seconds ago' "$FILE"
  ask "$URL"
  assert_output 'HTTP/1.1 503 '
  assert_output 'Retry-After: 10'
  refute_output 'ETag'
  assert_equal "$(jq -r .error "$T/body")" 'what was published is too old to say what is available now'
  rm "$FILE"
  ask "$URL"
  assert_output 'HTTP/1.1 503 '
  assert_equal "$(jq -r .error "$T/body")" 'nothing was published yet'
  ln -s /etc/passwd "$FILE"
  ask "$URL"
  assert_output 'HTTP/1.1 503 '
  rm "$FILE"
  mkdir "$FILE"
  ask "$URL"
  assert_output 'HTTP/1.1 503 '
  rmdir "$FILE"
  publish 1
  ask "$URL"
  assert_output 'HTTP/1.1 200 '
}

@test "other paths, other methods and no requests at all" {
  activate
  local path method
  for path in / /api /api/hardware-profiles/ /api/hardware-profilesx /api/hardware%2dprofiles \
    //api/hardware-profiles /api/../api/hardware-profiles /api/hardware-profiles%00 /etc/passwd; do
    ask --path-as-is "http://127.0.0.1:$PORT$path"
    assert_output 'HTTP/1.1 404 '
    assert_equal "$(jq -r .error "$T/body")" 'there is only /api/hardware-profiles'
  done
  for method in POST PUT DELETE PATCH OPTIONS TRACE get GETX; do
    ask -X "$method" "$URL"
    assert_output 'HTTP/1.1 405 '
    assert_output 'Allow: GET, HEAD'
  done
  ask "$URL?since=now"
  assert_output 'HTTP/1.1 200 '
  raw 'GET\r\n\r\n'
  refute_output ' 200 '
  raw "GET /api/hardware-profiles HTTP/1.1\\r\\nHost: x\\r\\nX: $(head -c 40000 /dev/zero | tr '\0' a)\\r\\n\\r\\n"
  refute_output ' 200 '
  raw "GET /$(head -c 40000 /dev/zero | tr '\0' a) HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n"
  refute_output ' 200 '
  raw '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'
  refute_output ' 200 '
  # It is still there for the others.
  ask "$URL"
  assert_output 'HTTP/1.1 200 '
}

@test "a hundred clients at once are all answered, while others hold their connections" {
  activate
  for i in 1 2 3; do
    background "$T/client" slow "$PORT" > "$T/slow$i"
  done
  for i in 1 2 3; do
    wait_for 30 test -s "$T/slow$i"
  done
  run_ok "$T/client" many "$PORT" 100
  assert_equal "$output" "100 1 $(stat -c %s "$FILE")"
}

@test "a signal ends it after the answers under way, and it ends by itself when nobody asks" {
  activate
  SERVER=$BG_PID
  ask "$URL"
  kill -TERM "$SERVER"
  wait_for 30 has_ended "$SERVER"
  wait "$SERVER"
  activate --idle 1s
  ask "$URL"
  assert_output 'HTTP/1.1 200 '
  wait_for 30 has_ended "$BG_PID"
  wait "$BG_PID"
}

@test "a socket of its own, and what is no socket" {
  background gpuaas-serve --listen :0 --file "$FILE" 2> "$T/where"
  wait_for 30 grep -q serving "$T/where"
  ask "$(sed -n 's/^serving //p' "$T/where")"
  cmp "$FILE" "$T/body"
  run_status 2 gpuaas-serve --file "$FILE"
  assert_stderr "gpuaas-serve.socket"
  run_status 2 bash -c 'LISTEN_PID=$$ LISTEN_FDS=1 exec gpuaas-serve 3< /dev/null'
  assert_stderr "no socket that listens"
  run_status 2 bash -c 'LISTEN_PID=$$ LISTEN_FDS=2 exec gpuaas-serve 3< /dev/null'
  run_status 2 gpuaas-serve --listen localhost
  run_status 2 gpuaas-serve --listen localhost:80
  run_status 2 gpuaas-serve --listen 127.0.0.1:65536
  run_status 2 gpuaas-serve --listen ::1:80
}
