# SPDX-License-Identifier: Apache-2.0
# gpuaas-serve: the published view over real sockets, passed as systemd passes them and by its own tool.

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
# table PORT              requests in all shapes, each on a connection of its own that stays open until the
#                         server ends it: print those whose status is not what it should be
# many PORT N             N clients at once, each counted by status; all are connected before one asks
# slow PORT               hold a connection that never asks, print "open", and wait for its end
# hold PORT N             N connections that say nothing, print "open", and wait for the end of all
# drip PORT WHAT          send a byte of WHAT (line, headers) every 20 ms, until the server ends it
# sip PORT FILE SIZE      ask, read a byte every 20 ms until FILE is there, then the rest; print the status and
#                         whether it was less than SIZE
import os, select, socket, sys, threading
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
elif what == "table":
    PATH = b"/api/hardware-profiles"
    def request(target=PATH, fields=b"Host: x\r\n", method=b"GET", version=b"HTTP/1.1"):
        return method + b" " + target + b" " + version + b"\r\n" + fields + b"\r\n"
    def field(name, size):  # of a request of that size
        return b"Host: x\r\n" + name + b"a" * (size - len(request()) - len(name) - 2) + b"\r\n"
    def cookies(n):
        return b"Host: x\r\nCookie: " + b"; ".join([b"a=1"] * n) + b"\r\n"
    rows = [(f"{n} arguments", "200", request(PATH + b"?" + b"&".join([b"a"] * n)))
            for n in (230, 240, 245, 250, 300, 1000, 8000)]
    rows += [(f"{n} arguments", "414 431", request(PATH + b"?" + b"&".join([b"a"] * n))) for n in (9000, 40000)]
    rows += [(f"{n} cookies", "200", request(fields=cookies(n))) for n in (1, 250, 398)]
    rows += [(f"{n} cookies", "431", request(fields=cookies(n))) for n in (399, 500, 1000, 3000, 20000)]
    rows += [(f"{n} fields", "200", request(fields=b"Host: x\r\n" + b"a:\r\n" * (n - 1))) for n in (250, 400)]
    rows += [(f"{n} fields", "431", request(fields=b"Host: x\r\n" + b"a:\r\n" * (n - 1)))
             for n in (401, 700, 1000, 4000, 20000)]
    rows += [(f"{size} bytes with {name.decode()}", "200", request(fields=field(name, size)))
             for size in (8000, 16000, 16100, 16200, 16384) for name in (b"X: ", b"Cookie: ", b"Cookie: a=")]
    rows += [(f"{size} bytes with {name.decode()}", "431", request(fields=field(name, size)))
             for size in (16385, 20000, 40000, 100000) for name in (b"X: ", b"Cookie: ")]
    rows += [(f"{n} bytes in front of a path", "404", request(b"/" * n + PATH)) for n in (1, 16000)]
    rows += [(f"{n} bytes in front of a path", "414 431", request(b"/" * n + PATH)) for n in (17000, 40000, 100000)]
    rows += [(f"a query of {n}", "200", request(PATH + b"?" + b"?" * n)) for n in (0, 1, 16000)]
    rows += [(f"a query of {n}", "414 431", request(PATH + b"?" + b"?" * n)) for n in (17000, 40000, 100000)]
    rows += [
        ("HTTP/1.0 without a host", "200", request(fields=b"", version=b"HTTP/1.0")),
        ("no host", "400", request(fields=b"")),
        ("no host in HTTP/1.9", "400", request(fields=b"", version=b"HTTP/1.9")),
        ("two hosts", "400", request(fields=b"Host: x\r\nA: b\r\nhost: x\r\n")),
        ("a host with a path", "400", request(fields=b"Host: x/\r\n")),
        ("the whole address", "200", request(b"http://x:8742" + PATH + b"?a")),
        ("the whole address, another path", "404", request(b"http://x:8742/" + PATH)),
        ("a NUL in the path", "400 closed", request(PATH + b"\0x")),
        ("a NUL in the query", "400 closed", request(PATH + b"?a\0x")),
        ("a NUL in the query, then HTTP", "400 closed", request(PATH + b"?a\0HTTP/1.1")),
        ("a NUL in the method", "400 closed", request(method=b"GET\0x")),
        ("a length that is no number", "400", request(fields=b"Host: x\r\nContent-Length: x\r\n")),
        ("a length too large", "413", request(fields=b"Host: x\r\nContent-Length: 9" + b"9" * 30 + b"\r\n")),
        ("a field without a colon", "400", request(fields=b"Host: x\r\nabc\r\n")),
        ("HTTP/0.9", "505", request(version=b"HTTP/0.9")),
        ("HTTP/2", "505", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        ("no version", "400", b"GET / \r\n\r\n"),
        ("a word", "closed", b"hello\r\n\r\n"),
        ("TLS", "closed", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"),
    ]
    for name, wanted, sent in rows:
        s = connect()
        s.settimeout(30)
        try:
            s.sendall(sent)
            got = rest(s)
            status = got[9:12].decode() if got else "closed"
        except TimeoutError:
            status = "silence"
        except OSError:
            status = "an end while it was sent"
        if status not in wanted.split():
            print(f"{name}: {status}, not {wanted}")
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
elif what == "hold":
    clients = [connect() for _ in range(int(sys.argv[3]))]
    print("open", flush=True)
    for s in clients:
        s.settimeout(None)
        assert rest(s) == b""
elif what == "drip":
    s = connect()
    s.sendall(b"GET /" if sys.argv[3] == "line" else b"GET /api/hardware-profiles HTTP/1.1\r\nHost: ")
    print("open", flush=True)
    for _ in range(60 * 50):
        if select.select([s], [], [], 0.02)[0]:
            sys.exit(rest(s) != b"")
        try:
            s.send(b"a")
        except OSError:
            sys.exit(0)
    sys.exit("it was never ended")
elif what == "sip":
    s = socket.socket()
    s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    s.settimeout(60)
    s.connect(("127.0.0.1", port))
    s.sendall(b"GET /api/hardware-profiles HTTP/1.1\r\nHost: x\r\n\r\n")
    got = s.recv(1)
    print("open", flush=True)
    while not os.path.exists(sys.argv[3]):
        select.select([], [], [], 0.02)
        got += s.recv(1)
    got += rest(s)
    head, body = got.split(b"\r\n\r\n", 1)
    print(head.split(b"\r\n")[0].decode(), len(body) < int(sys.argv[4]))
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

# activate OPTION…: the server with a socket as systemd passes it; sets SERVER (its pid), PORT and URL.
activate()
{
  rm -f "$T/port"
  background "$T/client" activate "$T/port" gpuaas-serve --file "$FILE" "$@"
  SERVER=$BG_PID
  wait_for 30 test -s "$T/port"
  PORT=$(< "$T/port")
  URL=http://127.0.0.1:$PORT/api/hardware-profiles
}

# holds N: the server has N connections, beside the socket that listens
holds()
{
  (($(find "/proc/$SERVER/fd" -lname 'socket:*' | wc -l) == $1 + 1))
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
  # 304 has no length, or that of what is not sent.
  assert_equal "$(sed -n 's/^Content-Length: //p' <<< "$output" | grep -vx "$(stat -c %s "$FILE")")" ''
  ask -H "If-None-Match: \"x\", W/$tag" "$URL"
  assert_output 'HTTP/1.1 304 '
  ask -H 'If-None-Match: "x"' -H "if-none-match: $tag" "$URL"
  assert_output 'HTTP/1.1 304 '
  ask -H "If-Modified-Since: $(sed -n 's/^Last-Modified: //p' <<< "$output")" "$URL"
  assert_output 'HTTP/1.1 304 '
  ask -H 'If-None-Match: "other"' "$URL"
  assert_output 'HTTP/1.1 200 '
  ask -I "$URL"
  assert_output 'HTTP/1.1 200 '
  assert_output "Content-Length: $(stat -c %s "$FILE")"
  # The next publication has another tag, and is given at once.
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
  # Ahead of the clock, which was set back: nobody knows how old it is. 64 bits of nanoseconds do not hold 2400.
  local when
  for when in '2 hours' 2400-01-01; do
    touch -d "$when" "$FILE"
    ask "$URL"
    assert_output 'HTTP/1.1 503 '
    refute_output 'Last-Modified'
    assert_equal "$(jq -r .error "$T/body")" 'what was published is dated in the future: the clock was set back'
  done
  rm "$FILE"
  ask "$URL"
  assert_output 'HTTP/1.1 503 '
  assert_equal "$(jq -r .error "$T/body")" 'nothing is published, or it cannot be read or is too large'
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

@test "stderr says why nothing is given, with the path, once each time it begins" {
  activate 2> "$T/words"
  rm "$FILE"
  ask "$URL"
  ask "$URL"
  refute_output "$FILE"
  ln -s /etc/passwd "$FILE"
  ask "$URL"
  rm "$FILE"
  truncate -s $(((16 << 20) + 1)) "$FILE"
  ask "$URL"
  assert_output 'HTTP/1.1 503 '
  refute_grep -F "$FILE" "$T/body"
  rm "$FILE"
  mkdir "$FILE"
  ask "$URL"
  rmdir "$FILE"
  touch "$FILE"
  ask "$URL"
  publish 1
  ask "$URL"
  assert_output 'HTTP/1.1 200 '
  rm "$FILE"
  ask "$URL"
  assert_equal "$(< "$T/words")" "\
gpuaas-serve: nothing is published: there is no '$FILE'; gpuaas-publish.timer writes it
gpuaas-serve: cannot read '$FILE': it is a link
gpuaas-serve: '$FILE' is too large to be served: 16777217 bytes, 16777216 at most
gpuaas-serve: '$FILE' is no regular file
gpuaas-serve: '$FILE' is empty
gpuaas-serve: nothing is published: there is no '$FILE'; gpuaas-publish.timer writes it"
}

@test "16 MiB are served, and not a byte more" {
  activate
  truncate -s $((16 << 20)) "$FILE"
  ask "$URL"
  assert_output 'HTTP/1.1 200 '
  cmp "$FILE" "$T/body"
  truncate -s $(((16 << 20) + 1)) "$FILE"
  ask "$URL"
  assert_output 'HTTP/1.1 503 '
  [[ $(stat -c %s "$T/body") -lt 200 ]]
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

@test "up to 16 KiB are answered by what they ask, and the rest is refused at once, not at the deadline" {
  activate --deadline 1h --stale 1h
  run_ok "$T/client" table "$PORT"
  assert_equal "$output" ''
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

# stays WHAT…: a client in the background that has connected and printed "open"; its pid is in $BG_PID, what it
# prints in $T/stays.$BG_PID
stays()
{
  background "$T/client" "$1" "$PORT" "${@:2}" > "$T/stays"
  wait_for 30 test -s "$T/stays"
  mv "$T/stays" "$T/stays.$BG_PID"
}

# slow_clients: who drips the request line, drips headers, says nothing, and reads an answer that no buffer takes
slow_clients()
{
  SLOW=()
  rm -f "$T/ended"
  local how
  for how in "drip line" "drip headers" "hold 1" "sip $T/ended $(stat -c %s "$FILE")"; do
    # shellcheck disable=SC2086 # words
    stays $how
    SLOW+=("$BG_PID")
  done
}

@test "while some drip, say nothing or sip, the others are served" {
  truncate -s 8M "$FILE"
  activate --deadline 1h
  slow_clients
  wait_for 30 holds 4
  run_ok "$T/client" many "$PORT" 4
  assert_equal "$output" "4 1 $(stat -c %s "$FILE")"
  wait_for 30 holds 4
}

@test "who drips, says nothing or sips is ended at the deadline" {
  truncate -s 8M "$FILE"
  activate --deadline 1s
  slow_clients
  wait_for 30 holds 0
  : > "$T/ended"
  local pid
  for pid in "${SLOW[@]}"; do
    wait_for 60 has_ended "$pid"
    wait "$pid"
  done
  # Bytes that were under way to the slow reader arrive, and no more.
  assert_equal "$(tail -n 1 "$T/stays.${SLOW[3]}")" "HTTP/1.1 200 OK True"
  # A client that asks at once has all of what a busy machine, too, sends in that second.
  truncate -s 256K "$FILE"
  run_ok "$T/client" many "$PORT" 1
  assert_equal "$output" "1 1 $(stat -c %s "$FILE")"
  run_status 2 gpuaas-serve --listen :0 --deadline 0
  assert_stderr "--deadline is too short"
}

@test "no more than 500 connections are held; who comes then waits for a place and is answered" {
  activate --deadline 1h
  stays hold 520
  crowd=$BG_PID
  wait_for 30 holds 500
  background curl -sS --max-time 120 -o "$T/body" "$URL"
  # The listening socket takes it in the order of coming, and nobody leaves: it waits.
  wait_for 30 eval '(($(ss -Htn "sport = :$PORT" | wc -l) == 521))'
  holds 500
  [[ ! -e $T/body ]]
  kill "$crowd"
  wait_for 30 has_ended "$BG_PID"
  wait "$BG_PID"
  cmp "$FILE" "$T/body"
  wait_for 30 holds 0
  # Where they do not leave, the deadline makes the places free.
  kill "$SERVER"
  wait_for 30 has_ended "$SERVER"
  activate --deadline 1s
  stays hold 520
  ask "$URL"
  assert_output 'HTTP/1.1 200 '
  wait_for 30 has_ended "$BG_PID"
  wait "$BG_PID"
}

# by_systemd OPTION…: systemd's own tool holds the socket and starts the server for the first client
by_systemd()
{
  rm -f "$T/said"
  background systemd-socket-activate -E ASAN_OPTIONS -E UBSAN_OPTIONS -E LSAN_OPTIONS "$@" \
    "$GPUAAS_BUILD/bin/gpuaas-serve" --file "$FILE" 2> "$T/said"
  wait_for 30 grep -q Listening "$T/said"
}

@test "systemd's own socket activation: TCP and Unix sockets, started by the first client" {
  # An address of this test alone: the tool takes no port 0.
  local at=127.$((16 + RANDOM % 200)).$((RANDOM % 256)).$((1 + RANDOM % 254)):8742
  by_systemd -l "$at"
  [[ $(readlink "/proc/$BG_PID/exe") == */systemd-socket-activate ]]
  ask "http://$at/api/hardware-profiles"
  assert_output 'HTTP/1.1 200 '
  cmp "$FILE" "$T/body"
  [[ $(readlink "/proc/$BG_PID/exe") == */gpuaas-serve ]]
  ask "http://$at/"
  assert_output 'HTTP/1.1 404 '
  kill "$BG_PID"
  wait_for 30 has_ended "$BG_PID"
  wait "$BG_PID"
  by_systemd -l "$T/socket"
  rm "$T/body"
  ask --unix-socket "$T/socket" http://localhost/api/hardware-profiles
  assert_output 'HTTP/1.1 200 '
  cmp "$FILE" "$T/body"
  kill "$BG_PID"
  wait_for 30 has_ended "$BG_PID"
  wait "$BG_PID"
}

@test "systemd's own socket activation: two sockets, a connection and packets are refused" {
  local how
  for how in "-l $T/a -l $T/b" "--seqpacket -l $T/a"; do
    # shellcheck disable=SC2086 # options
    by_systemd $how
    run /usr/bin/python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET if sys.argv[2] == "--seqpacket" else socket.SOCK_STREAM)
s.connect(sys.argv[1])' "$T/a" "${how%% *}"
    assert_status 0
    wait_for 30 has_ended "$BG_PID"
    run wait "$BG_PID"
    assert_status 2
    case $how in
    --seqpacket*) grep -q 'descriptor 3 is no stream socket that listens' "$T/said" ;;
    *) grep -q '2 sockets were passed, and one is served' "$T/said" ;;
    esac
    rm -f "$T/a" "$T/b"
  done
  by_systemd --accept -l "$T/a"
  run ! curl -sS --max-time 60 --unix-socket "$T/a" http://localhost/
  wait_for 30 grep -q 'descriptor 3 is no stream socket that listens' "$T/said"
}

@test "a signal ends it after the answers under way, and it ends by itself when nobody asks" {
  activate
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
  assert_stderr "no stream socket that listens"
  run_status 2 bash -c 'LISTEN_PID=$$ LISTEN_FDS=2 exec gpuaas-serve 3< /dev/null'
  run_status 2 gpuaas-serve --listen localhost
  run_status 2 gpuaas-serve --listen localhost:80
  run_status 2 gpuaas-serve --listen 127.0.0.1:65536
  run_status 2 gpuaas-serve --listen ::1:80
}
