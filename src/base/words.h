/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * words - lists of words in a string
 */
#ifndef RB_WORDS_H
#define RB_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Are the @n letters at @word one of @words, which have blanks or ends of lines
 * between them?
 */
bool rb_words_have(const char *words, const char *word, size_t n);

#endif
