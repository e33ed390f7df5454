/* Values of options, read and refused in one way. `option` is the name that an error shows; each fails
 * with LAUKA_EXIT_USAGE. */
#ifndef LAUKA_RUNNER_OPTIONS_VALUES_H
#define LAUKA_RUNNER_OPTIONS_VALUES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "runner/base/base.h"
#include "runner/options.h"

/* A number of things: "500", "10k", "1.5M"; or of bytes: "4096", "64KiB", "1.5GB". Whole, from 1 on. */
bool option_parse_amount(const char *option, const char *text, bool bytes, uint64_t *amount,
                         struct lauka_error *error);

/* "5" (seconds), "500ms", "2m", in ns. */
bool option_parse_duration(const char *option, const char *text, uint64_t *ns,
                           struct lauka_error *error);

/* The first of the exit codes (0 to 255, commas between them) in *code. Returns what follows, "" after the
 * last one; NULL where that is no such code. */
const char *option_next_code(const char *text, size_t *code);

/* Appends a word that is kept, not copied. */
void option_add_text(const struct lauka_options *options, struct lauka_texts *texts,
                     const char *text);

/* What follows "B:" in front of a value that is for one command only, and which; the text itself
 * where there is no such letter. A is 0, Z 25, AA 26. */
const char *option_letter_end(const char *text, size_t *command);

#define LETTER_SIZE 8
/* The command's letter. Returns it. */
char *option_letter(size_t command, char letter[LETTER_SIZE]);

/* Whether the letter in front of the text, if there is one, is that of one of `count` commands. */
bool option_check_letter(const char *option, const char *text, size_t count,
                         struct lauka_error *error);

/* Commands, benchmark by benchmark, each of which has so many sides. A letter is a side's. */
struct option_sides {
    size_t commands, sides;
};

/* Of commands whose benchmarks are made. */
struct option_sides option_sides_of(const struct lauka_options *options);

/* The value for the command at `index`: the last one with its side's letter, or the only one, or its own
 * or its side's of those without a letter; NULL: none was given. */
const char *option_text_for(const struct lauka_texts *texts, size_t index,
                            struct option_sides among);

/* Whether there are none, one, one a side, or one a command without a letter; the error names the
 * numbers. */
bool option_check_texts(const char *option, const struct lauka_texts *texts,
                        struct option_sides among, struct lauka_error *error);

#endif
