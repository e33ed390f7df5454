/* Which characters are letters, in the static release. The C library's regular expressions and patterns ask for
 * characters of the whole of Unicode, by tables of 12 kB. lauka never calls setlocale(3), so that a character is a
 * byte, and those outside ASCII are neither letters nor punctuation. Part of no other build: see build/compile.zig. */
#include <stdbool.h>
#include <wctype.h>

static bool is_among(wint_t character, wint_t first, wint_t last)
{
    return character - first <= last - first;
}

int iswalpha(wint_t character)
{
    return is_among(character | ('a' ^ 'A'), 'a', 'z');
}

int iswpunct(wint_t character)
{
    return is_among(character, '!', '~') && !iswalpha(character) && !is_among(character, '0', '9');
}

wint_t towlower(wint_t character)
{
    return is_among(character, 'A', 'Z') ? character - 'A' + 'a' : character;
}

wint_t towupper(wint_t character)
{
    return is_among(character, 'a', 'z') ? character - 'a' + 'A' : character;
}
