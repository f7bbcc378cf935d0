/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * words - lists of words in a string
 */
#include "base/words.h"

#include <string.h>

#define SEPARATORS " \n"

bool rb_words_have(const char *words, const char *word, size_t n)
{
	for (; *words; words += strcspn(words, SEPARATORS)) {
		words += strspn(words, SEPARATORS);
		if (strcspn(words, SEPARATORS) == n && !strncmp(words, word, n))
			return true;
	}
	return false;
}
