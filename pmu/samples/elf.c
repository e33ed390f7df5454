/* elf: which function lies where in a file, by its symbol tables (System V ABI, chapters 4 and 5; elf(5)).
 * The file is not trusted: every offset is checked against its size. */
#include "pmu/samples/samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { CLASS_32 = 1, CLASS_64 = 2 };                                /* EI_CLASS */
enum { SECTION_SYMTAB = 2, SECTION_DYNSYM = 11 };                   /* sh_type */
enum { SEGMENT_LOAD = 1, SEGMENT_EXECUTE = 1 };                     /* p_type, p_flags */
enum { SYMBOL_NOTYPE = 0, SYMBOL_FUNCTION = 2, SYMBOL_IFUNC = 10 }; /* ELF32_ST_TYPE */
enum { SYMBOLS_MOST = 8 << 20, SECTIONS_MOST = 65536, SEGMENTS_MOST = 64, BACK = 16 };
/* Of names of one place, so many bytes decide: a file may have a million that differ in their last byte only. */
enum { NAME_COMPARED = 256 };

struct file {
    const unsigned char *bytes;
    size_t size;
    bool wide; /* 64 bits */
};

struct section {
    uint64_t type, flags, offset, size, entry, link;
};

static bool is_inside(const struct file *file, uint64_t offset, uint64_t size)
{
    return offset <= file->size && size <= file->size - offset;
}

/* A number of that many bytes, which must lie inside. */
static uint64_t number(const struct file *file, uint64_t offset, size_t size)
{
    uint16_t half;
    uint32_t word;
    uint64_t whole;
    const unsigned char *at = file->bytes + offset;
    if (size == 2)
        return memcpy(&half, at, 2), half;
    if (size == 4)
        return memcpy(&word, at, 4), word;
    return memcpy(&whole, at, 8), whole;
}

/* A field of the header, by its offset in either class. */
static uint64_t field(const struct file *file, uint64_t base, unsigned narrow, unsigned wide,
                      size_t size_narrow, size_t size_wide)
{
    return file->wide ? number(file, base + wide, size_wide)
                      : number(file, base + narrow, size_narrow);
}

static bool is_readable(struct file *file)
{
    const uint16_t one = 1;
    const unsigned char order = *(const unsigned char *)&one == 1 ? 1 : 2; /* EI_DATA: LSB, MSB */
    if (file->size < 64 || memcmp(file->bytes, "\177ELF", 4) != 0 || file->bytes[5] != order)
        return false;
    file->wide = file->bytes[4] == CLASS_64;
    return file->wide || file->bytes[4] == CLASS_32;
}

/* ---- segments -------------------------------------------------------------------------------- */

static int read_segment(const struct file *file, uint64_t at, struct lauka_elf *elf)
{
    struct lauka_elf_segment segment = {
        .offset = field(file, at, 4, 8, 4, 8),
        .address = field(file, at, 8, 16, 4, 8),
        .size = field(file, at, 16, 32, 4, 8),
    };
    uint64_t flags = field(file, at, 24, 4, 4, 4);
    if (number(file, at, 4) != SEGMENT_LOAD || !(flags & SEGMENT_EXECUTE))
        return 0;
    if (elf->segment_count ==
        SEGMENTS_MOST) /* each symbol asks all of them; programs have one or two */
        return ENOEXEC;
    struct lauka_elf_segment *grown =
        realloc(elf->segments, (elf->segment_count + 1) * sizeof *grown);
    if (!grown)
        return ENOMEM;
    elf->segments = grown;
    elf->segments[elf->segment_count++] = segment;
    return 0;
}

static int read_segments(const struct file *file, struct lauka_elf *elf)
{
    uint64_t offset = field(file, 0, 28, 32, 4, 8), count = field(file, 0, 44, 56, 2, 2),
             size = field(file, 0, 42, 54, 2, 2);
    int error = 0;
    if (size < (file->wide ? 56u : 32u) || !is_inside(file, offset, count * size))
        return ENOEXEC;
    for (uint64_t i = 0; i < count && !error; i++)
        error = read_segment(file, offset + i * size, elf);
    return error;
}

/* ---- symbols --------------------------------------------------------------------------------- */

struct sections {
    uint64_t offset, size, count;
};

static bool find_sections(const struct file *file, struct sections *sections)
{
    sections->offset = field(file, 0, 32, 40, 4, 8);
    sections->size = field(file, 0, 46, 58, 2, 2);
    sections->count = field(file, 0, 48, 60, 2, 2);
    return sections->size >= (file->wide ? 64u : 40u) && sections->count <= SECTIONS_MOST &&
           is_inside(file, sections->offset, sections->count * sections->size);
}

static struct section read_section(const struct file *file, const struct sections *sections,
                                   uint64_t index)
{
    uint64_t at = sections->offset + index * sections->size;
    return (struct section){
        .type = number(file, at + 4, 4),
        .offset = field(file, at, 16, 24, 4, 8),
        .size = field(file, at, 20, 32, 4, 8),
        .link = field(file, at, 24, 40, 4, 4),
        .entry = field(file, at, 36, 56, 4, 8),
    };
}

/* A global name is preferred to a weak or a local one, and these to one without a type. */
static uint8_t rank_of(unsigned info)
{
    unsigned binding = info >> 4, type = info & 15;
    uint8_t rank = binding == 1 ? 0 : binding == 2 ? 1 : 2;
    return (uint8_t)(rank + (type == SYMBOL_NOTYPE ? 3 : 0));
}

static bool is_function(unsigned info, uint64_t section)
{
    unsigned type = info & 15;
    return section != 0 &&
           (type == SYMBOL_FUNCTION || type == SYMBOL_IFUNC || type == SYMBOL_NOTYPE);
}

static bool is_executed(const struct lauka_elf *elf, uint64_t address)
{
    for (size_t s = 0; s < elf->segment_count; s++)
        if (address - elf->segments[s].address < elf->segments[s].size)
            return true;
    return false;
}

struct table {
    struct section symbols, names;
    const char *texts; /* the names' bytes, with a NUL behind the last: they outlive the file */
};

static void read_symbol(const struct file *file, const struct table *table, uint64_t at,
                        struct lauka_elf *elf)
{
    uint64_t name = number(file, at, 4), address = field(file, at, 4, 8, 4, 8);
    unsigned info = file->bytes[at + (file->wide ? 4 : 12)];
    uint64_t section = field(file, at, 14, 6, 2, 2);
    if (!is_function(info, section) || name == 0 || name >= table->names.size ||
        !is_executed(elf, address))
        return;
    const char *text = table->texts + name;
    if (!*text || *text == '$') /* Arm's mapping symbols are no functions */
        return;
    elf->symbols[elf->symbol_count++] = (struct lauka_elf_symbol){
        .address = address,
        .size = field(file, at, 8, 16, 4, 8),
        .name = text,
        .rank = rank_of(info),
    };
}

/* False if there is none, or it is damaged. */
static bool find_table(const struct file *file, const struct sections *sections, uint64_t type,
                       struct table *table)
{
    for (uint64_t i = 0; i < sections->count; i++) {
        table->symbols = read_section(file, sections, i);
        if (table->symbols.type != type || table->symbols.link >= sections->count)
            continue;
        table->names = read_section(file, sections, table->symbols.link);
        return table->symbols.entry >= (file->wide ? 24u : 16u) && table->names.size > 0 &&
               is_inside(file, table->symbols.offset, table->symbols.size) &&
               is_inside(file, table->names.offset, table->names.size);
    }
    return false;
}

/* Copies all names at once: names may share bytes, so that one for each symbol could be any number of times as long as
 * the file. Returns 0 or ENOMEM. */
static int keep_texts(const struct file *file, struct table *table, struct lauka_elf *elf)
{
    const size_t size = (size_t)table->names.size;
    char **grown = realloc(elf->texts, (elf->text_count + 1) * sizeof *grown);
    if (grown)
        elf->texts = grown;
    char *texts = grown ? malloc(size + 1) : NULL;
    if (!texts)
        return ENOMEM;
    memcpy(texts, file->bytes + table->names.offset, size);
    texts[size] = '\0';
    elf->texts[elf->text_count++] = texts;
    table->texts = texts;
    return 0;
}

static int read_table(const struct file *file, const struct sections *sections, uint64_t type,
                      struct lauka_elf *elf)
{
    struct table table;
    if (!find_table(file, sections, type, &table))
        return 0;
    uint64_t count = table.symbols.size / table.symbols.entry;
    if (count == 0 || count > SYMBOLS_MOST)
        return 0;
    struct lauka_elf_symbol *grown =
        realloc(elf->symbols, (elf->symbol_count + count) * sizeof *grown);
    if (!grown)
        return ENOMEM;
    elf->symbols = grown;
    int error = keep_texts(file, &table, elf);
    for (uint64_t i = 0; i < count && !error; i++)
        read_symbol(file, &table, table.symbols.offset + i * table.symbols.entry, elf);
    return error;
}

/* By numbers only; symbols that are equal to them stay in some order. */
static int compare_symbols(const void *a, const void *b)
{
    const struct lauka_elf_symbol *left = a, *right = b;
    if (left->address != right->address)
        return left->address < right->address ? -1 : 1;
    if (left->rank != right->rank)
        return left->rank - right->rank;
    if (left->size != right->size) /* the whole rather than a label in it */
        return left->size > right->size ? -1 : 1;
    return 0;
}

/* One symbol for each address: the lowest by numbers, and of several such the first by name, so that builds of one
 * program tell the same one. */
static void keep_symbol(struct lauka_elf *elf, size_t *kept, struct lauka_elf_symbol symbol)
{
    struct lauka_elf_symbol *last = *kept > 0 ? &elf->symbols[*kept - 1] : NULL;
    if (!last || last->address != symbol.address)
        elf->symbols[(*kept)++] = symbol;
    else if (last->name != symbol.name && compare_symbols(last, &symbol) == 0 &&
             strncmp(symbol.name, last->name, NAME_COMPARED) < 0)
        *last = symbol;
}

/* A symbol without a size reaches to the next one. */
static void sort_symbols(struct lauka_elf *elf)
{
    size_t kept = 0;
    if (elf->symbol_count > 1)
        qsort(elf->symbols, elf->symbol_count, sizeof *elf->symbols, compare_symbols);
    for (size_t i = 0; i < elf->symbol_count; i++)
        keep_symbol(elf, &kept, elf->symbols[i]);
    elf->symbol_count = kept;
    for (size_t i = 0; i + 1 < kept; i++)
        if (elf->symbols[i].size == 0)
            elf->symbols[i].size = elf->symbols[i + 1].address - elf->symbols[i].address;
}

/* On an error those of before stay. */
static int read_symbols(const struct file *file, struct lauka_elf *elf)
{
    const size_t before = elf->symbol_count;
    struct sections sections;
    int error = 0;
    if (find_sections(file, &sections)) {
        error = read_table(file, &sections, SECTION_SYMTAB, elf);
        elf->whole |= elf->symbol_count > before;
        if (!error)
            error = read_table(file, &sections, SECTION_DYNSYM, elf);
    }
    if (error)
        elf->symbol_count = before;
    else
        sort_symbols(elf);
    return error;
}

int lauka_elf_read_segments(const void *bytes, size_t size, struct lauka_elf *elf)
{
    struct file file = {bytes, size, false};
    *elf = (struct lauka_elf){0};
    int error = is_readable(&file) ? read_segments(&file, elf) : ENOEXEC;
    if (error)
        lauka_elf_done(elf);
    return error;
}

int lauka_elf_read(const void *bytes, size_t size, struct lauka_elf *elf)
{
    int error = lauka_elf_read_segments(bytes, size, elf);
    if (!error)
        error = lauka_elf_add(bytes, size, elf);
    if (error)
        lauka_elf_done(elf);
    return error;
}

int lauka_elf_add(const void *bytes, size_t size, struct lauka_elf *elf)
{
    struct file file = {bytes, size, false};
    return is_readable(&file) ? read_symbols(&file, elf) : ENOEXEC;
}

/* ---- asked ----------------------------------------------------------------------------------- */

/* Of a byte of the file, where it is executed. */
static bool address_of(const struct lauka_elf *elf, uint64_t offset, uint64_t *address)
{
    for (size_t s = 0; s < elf->segment_count; s++) {
        const struct lauka_elf_segment *segment = &elf->segments[s];
        *address = segment->address + (offset - segment->offset);
        if (offset - segment->offset < segment->size)
            return true;
    }
    return false;
}

/* Labels may lie inside a function, so a few symbols before the nearest one are searched, too. */
size_t lauka_elf_find(const struct lauka_elf *elf, uint64_t offset)
{
    uint64_t address;
    size_t low = 0, high = elf->symbol_count;
    if (!address_of(elf, offset, &address))
        return elf->symbol_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (elf->symbols[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (size_t i = low; i > 0 && low - i < BACK; i--) {
        const struct lauka_elf_symbol *symbol = &elf->symbols[i - 1];
        if (address - symbol->address < symbol->size)
            return i - 1;
    }
    return elf->symbol_count;
}

void lauka_elf_done(struct lauka_elf *elf)
{
    free(elf->symbols);
    free(elf->segments);
    for (size_t i = 0; i < elf->text_count; i++)
        free(elf->texts[i]);
    free(elf->texts);
    *elf = (struct lauka_elf){0};
}
