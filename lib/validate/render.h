/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Renderings of a matrix for people, from its record alone. Both have the same parts in the same
 * order: support matrix, behaviour, comparisons, gaps, risks, who executed, reviewed and approved,
 * what was not run and why. All texts of the record are foreign: they are escaped.
 *
 * A bundle is linked by its path relative to the rendering: as it was named, or its last part alone
 * when that is absolute.
 */
#ifndef GA_VALIDATE_RENDER_H
#define GA_VALIDATE_RENDER_H

#include "base/str.h"
#include "record/matrix.h"

/* A word of the record for people: "Partially supported"; the word itself where there is none. */
const char *ga_matrix_word(const char *word);
/* Adds Markdown (with tables as of GitHub) to out. */
void ga_matrix_markdown(const struct ga_matrix *matrix, struct ga_str *out);
/* Adds one HTML page to out: no script, nothing is loaded. */
void ga_matrix_html(const struct ga_matrix *matrix, struct ga_str *out);

#endif
