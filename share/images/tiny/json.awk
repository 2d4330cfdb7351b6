# SPDX-License-Identifier: Apache-2.0
# A JSON text as lines PATH=VALUE, paths by "/"; escapes in strings stay as they are but \" and \/.

/^#/ { next }
{ text = text $0 }

function space()
{
  while (substr(text, at, 1) ~ /[ \t\r]/)
    at++
}

function string(  from, s)
{
  from = ++at
  while (at <= length(text) && substr(text, at, 1) != "\"")
    at += substr(text, at, 1) == "\\" ? 2 : 1
  s = substr(text, from, at++ - from)
  gsub(/\\"/, "\"", s)
  gsub(/\\\//, "/", s)
  return s
}

function value(path,  c, n, name, from)
{
  space()
  c = substr(text, at, 1)
  if (c == "{" || c == "[") {
    at++
    for (n = 0; at <= length(text); n++) {
      space()
      if (substr(text, at, 1) ~ /[]}]/)
        break
      name = n
      if (c == "{") {
        name = string()
        space()
        at++
      }
      value(path == "" ? name : path "/" name)
      space()
      if (substr(text, at, 1) == ",")
        at++
    }
    at++
  } else if (c == "\"") {
    print path "=" string()
  } else {
    from = at
    while (at <= length(text) && substr(text, at, 1) !~ /[],} \t]/)
      at++
    print path "=" substr(text, from, at - from)
  }
}

END {
  at = 1
  if (text ~ /^[ \t]*\{/)
    value("")
}
