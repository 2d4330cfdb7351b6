/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes secrets out of what an adapter says before it becomes evidence: passwords, tokens, private
 * keys, the credentials of a kubeconfig and of URLs, Kubernetes secrets. GA_REDACTED stands in
 * their place. A secret that has no form of its own and no name beside it cannot be found.
 */
#ifndef GA_VALIDATE_REDACT_H
#define GA_VALIDATE_REDACT_H

#include <jansson.h>

#include "base/str.h"

#define GA_REDACTED "REDACTED"

/* Adds the text, which may have any bytes, without its secrets. Doing it twice changes nothing
 * more. Returns whether there were some. */
bool ga_redact(const char *text, size_t len, struct ga_str *out);
/* Takes the secrets out of all texts of the JSON, in place; a JSON that is a text itself is
 * replaced. Returns whether there were some. */
bool ga_redact_json(json_t **json);

#endif
