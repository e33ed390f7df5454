/* Whether the file that a command executes is still the same, which build it is, and which libraries it needs. */
#include "runner/command/command.h"
#include "runner/base/base.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

bool lauka_executable_hash(const char *path, uint8_t digest[LAUKA_SHA256_SIZE])
{
    FILE *file = lauka_file_stream(path);

    if (!file)
        return false;
    bool good = lauka_sha256(file, digest);
    fclose(file);
    return good;
}

int lauka_executable_read(const char *path, struct lauka_executable *executable)
{
    struct stat about;

    if (stat(path, &about) != 0)
        return errno;
    executable->device = about.st_dev;
    executable->inode = about.st_ino;
    executable->size = about.st_size;
    executable->changed = about.st_ctime;
    executable->hashed =
        lauka_executable_hash(path, executable->sha256); /* it may not be readable */
    return 0;
}

bool lauka_executable_is_same(const char *path, const struct lauka_executable *known)
{
    struct lauka_executable now = {0};

    if (lauka_executable_read(path, &now) != 0 || now.device != known->device ||
        now.inode != known->inode || now.size != known->size)
        return false;
    if (!now.hashed || !known->hashed)
        return now.changed == known->changed;
    return memcmp(now.sha256, known->sha256, sizeof now.sha256) == 0;
}

bool lauka_executable_has_same_content(const char *path, const struct lauka_executable *known)
{
    struct lauka_executable now = {0};

    return known->hashed && lauka_executable_read(path, &now) == 0 && now.hashed &&
           now.size == known->size && memcmp(now.sha256, known->sha256, sizeof now.sha256) == 0;
}

/* ---- which build a program is ---------------------------------------------------------------- */

/* As its linker has recorded it: the note NT_GNU_BUILD_ID of an ELF file, or LC_UUID of a Mach-O file. The file may come
 * from anybody, so each offset and size in it is checked against what can be read. */

enum { HEADERS_MOST = 256, NOTES_MOST = 65536, COMMANDS_MOST = 65536, SLICES_MOST = 32 };
enum { BUILD_ID_MOST = 64 };

struct image { /* a program; some files hold several */
    FILE *file;
    uint64_t begin; /* in the file */
    bool big;       /* the more significant byte comes first */
    bool wide;      /* 64 bit */
};

/* ---- numbers ------------------------------------------------------------------------------------ */

static uint64_t number(const struct image *image, const uint8_t *bytes, int size)
{
    uint64_t value = 0;

    for (int i = 0; i < size; i++)
        value = value << 8 | bytes[image->big ? i : size - 1 - i];
    return value;
}

/* That many bytes of the image, from an offset that the file itself gives. */
static bool fetch(const struct image *image, uint64_t offset, void *bytes, size_t size)
{
    const uint64_t most = INT64_MAX / 2;

    return offset < most && image->begin < most &&
           fseeko(image->file, (off_t)(image->begin + offset), SEEK_SET) == 0 &&
           fread(bytes, 1, size, image->file) == size;
}

/* ---- ELF: gabi, "Object Files" ------------------------------------------------------------------- */

static uint64_t padded(uint64_t size, uint64_t align)
{
    return (size + align - 1) / align * align;
}

/* A sequence of notes. Each has the sizes of its name and content, and its type. */
static bool find_note(const struct image *image, uint64_t offset, uint64_t size, uint64_t align,
                      char text[LAUKA_BUILD_ID_SIZE])
{
    enum { NT_GNU_BUILD_ID = 3, HEAD = 12 };
    uint8_t head[HEAD], name[4], id[BUILD_ID_MOST];

    size = size < NOTES_MOST ? size : NOTES_MOST;
    for (uint64_t at = 0; at + HEAD <= size;) {
        if (!fetch(image, offset + at, head, HEAD))
            return false;
        uint64_t name_size = number(image, head, 4), id_size = number(image, head + 4, 4);
        uint64_t id_at = at + padded(HEAD + name_size, align);
        if (number(image, head + 8, 4) == NT_GNU_BUILD_ID && name_size == sizeof name &&
            id_size > 0 && id_size <= sizeof id && id_at + id_size <= size &&
            fetch(image, offset + at + HEAD, name, sizeof name) && memcmp(name, "GNU", 4) == 0 &&
            fetch(image, offset + id_at, id, (size_t)id_size)) {
            lauka_hex_put(id, (size_t)id_size, text);
            return true;
        }
        at = id_at + padded(id_size, align);
    }
    return false;
}

struct headers { /* of a program: where they are, how large each is, and how many */
    uint64_t offset, size, count;
};

struct segment { /* what a program header tells of it */
    uint64_t type, offset, address, size, align;
};

static bool find_headers(const struct image *image, struct headers *headers)
{
    const bool wide = image->wide;
    uint8_t head[64];

    if (!fetch(image, 0, head, wide ? 64 : 52))
        return false;
    headers->offset = wide ? number(image, head + 32, 8) : number(image, head + 28, 4);
    headers->size = number(image, head + (wide ? 54 : 42), 2);
    headers->count = number(image, head + (wide ? 56 : 44), 2);
    return headers->size >= (wide ? 56u : 32u) && headers->count <= HEADERS_MOST &&
           headers->offset <= INT64_MAX / 4;
}

static bool read_segment(const struct image *image, const struct headers *headers, uint64_t i,
                         struct segment *segment)
{
    const bool wide = image->wide;
    uint8_t entry[56];

    if (!fetch(image, headers->offset + i * headers->size, entry, wide ? 56 : 32))
        return false;
    segment->type = number(image, entry, 4);
    segment->offset = wide ? number(image, entry + 8, 8) : number(image, entry + 4, 4);
    segment->address = wide ? number(image, entry + 16, 8) : number(image, entry + 8, 4);
    segment->size = wide ? number(image, entry + 32, 8) : number(image, entry + 16, 4);
    segment->align = wide ? number(image, entry + 48, 8) : number(image, entry + 28, 4);
    return true;
}

/* In segments of the type PT_NOTE. */
static bool find_in_elf(const struct image *image, char text[LAUKA_BUILD_ID_SIZE])
{
    enum { PT_NOTE = 4 };
    struct headers headers;
    struct segment segment;

    if (!find_headers(image, &headers))
        return false;
    for (uint64_t i = 0; i < headers.count; i++) {
        if (!read_segment(image, &headers, i, &segment))
            return false;
        if (segment.type == PT_NOTE && segment.offset < INT64_MAX / 4 &&
            find_note(image, segment.offset, segment.size, segment.align == 8 ? 8 : 4, text))
            return true;
    }
    return false;
}

/* ---- which libraries it needs: gabi, "Dynamic Linking" -------------------------------------------- */

enum { PT_LOAD = 1, PT_DYNAMIC = 2, DT_NEEDED = 1, DT_STRTAB = 5, DT_RPATH = 15, DT_RUNPATH = 29 };
enum { DYNAMIC_MOST = 4096, NEEDED_MOST = 255 };

/* The first segment of this type that has the address, or any if that is 0. */
static bool find_segment(const struct image *image, uint64_t type, uint64_t address,
                         struct segment *found)
{
    struct headers headers;

    if (!find_headers(image, &headers))
        return false;
    for (uint64_t i = 0; i < headers.count; i++) {
        if (!read_segment(image, &headers, i, found))
            return false;
        if (found->type == type &&
            (address == 0 || (address >= found->address && address - found->address < found->size)))
            return true;
    }
    return false;
}

/* The value of the nth entry with this tag in the dynamic section; false: there are fewer. */
static bool find_dynamic(const struct image *image, uint64_t tag, size_t nth, uint64_t *value)
{
    const int half = image->wide ? 8 : 4;
    struct segment dynamic;
    uint8_t entry[16];

    if (!find_segment(image, PT_DYNAMIC, 0, &dynamic))
        return false;
    for (uint64_t i = 0; i < DYNAMIC_MOST && (i + 1) * 2 * (uint64_t)half <= dynamic.size; i++) {
        if (dynamic.offset > INT64_MAX / 4 ||
            !fetch(image, dynamic.offset + i * 2 * (uint64_t)half, entry, 2 * (size_t)half) ||
            number(image, entry, half) == 0)
            return false;
        if (number(image, entry, half) == tag && nth-- == 0) {
            *value = number(image, entry + half, half);
            return true;
        }
    }
    return false;
}

/* The text of such an entry, cut after NEEDED_MOST bytes. Returns its length, 0 if there is none. */
static size_t read_dynamic(const struct image *image, uint64_t tag, size_t nth,
                           char text[NEEDED_MOST + 1])
{
    uint64_t at = 0, strings = 0;
    struct segment segment;

    *text = '\0';
    if (!find_dynamic(image, tag, nth, &at) || !find_dynamic(image, DT_STRTAB, 0, &strings) ||
        !find_segment(image, PT_LOAD, strings, &segment) || segment.offset > INT64_MAX / 4 ||
        at > UINT32_MAX)
        return 0;
    const uint64_t from = image->begin + segment.offset + (strings - segment.address) + at;
    if (from > INT64_MAX / 2 || fseeko(image->file, (off_t)from, SEEK_SET) != 0)
        return 0;
    text[fread(text, 1, NEEDED_MOST, image->file)] = '\0';
    return strlen(text);
}

static bool open_elf(FILE *file, uint8_t head[20], struct image *image)
{
    *image = (struct image){.file = file};
    if (!fetch(image, 0, head, 20) || memcmp(head, "\177ELF", 4) != 0)
        return false;
    image->wide = head[4] == 2;
    image->big = head[5] == 2;
    return true;
}

uint32_t lauka_elf_kind(FILE *file)
{
    struct image image;
    uint8_t head[20];

    return open_elf(file, head, &image)
               ? (uint32_t)(head[4] << 24 | head[5] << 16) | (uint32_t)number(&image, head + 18, 2)
               : 0;
}

void lauka_elf_needed(FILE *file, char *text, size_t size)
{
    struct image image;
    uint8_t head[20];
    char name[NEEDED_MOST + 1] = "";
    const bool is_elf = open_elf(file, head, &image);

    if (is_elf && read_dynamic(&image, DT_RUNPATH, 0, name) == 0)
        (void)read_dynamic(&image, DT_RPATH, 0, name);
    for (size_t i = 0, length; (length = strlen(name)) + 2 <= size; i++) {
        memcpy(text, name, length + 1);
        text += length + 1;
        size -= length + 1;
        if (!is_elf || read_dynamic(&image, DT_NEEDED, i, name) == 0)
            break;
    }
    *text = '\0';
}

/* ---- Mach-O: <mach-o/loader.h>, <mach-o/fat.h> --------------------------------------------------- */

static bool find_in_mach(const struct image *image, char text[LAUKA_BUILD_ID_SIZE])
{
    enum { LC_UUID = 0x1b };
    uint8_t head[28], command[24];
    uint64_t at = image->wide ? 32 : 28;

    if (!fetch(image, 0, head, sizeof head))
        return false;
    uint64_t count = number(image, head + 16, 4);
    for (uint64_t i = 0; i < count && at < COMMANDS_MOST && fetch(image, at, command, 8); i++) {
        uint64_t size = number(image, command + 4, 4);
        if (number(image, command, 4) == LC_UUID && size >= sizeof command &&
            fetch(image, at, command, sizeof command)) {
            lauka_hex_put(command + 8, 16, text);
            return true;
        }
        if (size < 8)
            return false;
        at += size;
    }
    return false;
}

/* MH_MAGIC and MH_MAGIC_64, in either byte order. */
static bool is_mach(const uint8_t magic[4], struct image *image)
{
    static const uint8_t narrow[] = {0xfe, 0xed, 0xfa, 0xce}, wide[] = {0xfe, 0xed, 0xfa, 0xcf};
    const uint8_t turned[] = {magic[3], magic[2], magic[1], magic[0]};

    image->big = memcmp(magic, narrow, 4) == 0 || memcmp(magic, wide, 4) == 0;
    image->wide = memcmp(magic, wide, 4) == 0 || memcmp(turned, wide, 4) == 0;
    return image->big || image->wide || memcmp(turned, narrow, 4) == 0;
}

/* Several programs in one file: the system decides which of them runs. Uses the first that has an ID. */
static bool find_in_slices(const struct image *file, char text[LAUKA_BUILD_ID_SIZE])
{
    const struct image big = {.file = file->file, .big = true};
    uint8_t head[8], slice[20], magic[4];

    if (!fetch(&big, 0, head, sizeof head))
        return false;
    uint64_t count = number(&big, head + 4, 4);
    for (uint64_t i = 0; i < count && i < SLICES_MOST; i++) {
        struct image own = {.file = file->file};
        if (!fetch(&big, 8 + i * sizeof slice, slice, sizeof slice))
            return false;
        own.begin = number(&big, slice + 8, 4);
        if (fetch(&own, 0, magic, sizeof magic) && is_mach(magic, &own) && find_in_mach(&own, text))
            return true;
    }
    return false;
}

bool lauka_build_id_find(FILE *file, char text[LAUKA_BUILD_ID_SIZE])
{
    static const uint8_t fat[] = {0xca, 0xfe, 0xba, 0xbe};
    struct image image;
    uint8_t head[20], magic[4];

    text[0] = 0;
    if (open_elf(file, head, &image))
        return find_in_elf(&image, text);
    if (!fetch(&image, 0, magic, sizeof magic))
        return false;
    if (memcmp(magic, fat, sizeof fat) == 0)
        return find_in_slices(&image, text);
    return is_mach(magic, &image) && find_in_mach(&image, text);
}
