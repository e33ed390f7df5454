/* The smallest program on Linux: an ELF file in memory whose only instructions are exit(0). */
#include "runner/machine/machine.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
/* xor %edi,%edi; mov $60,%eax; syscall */
static const uint8_t code[] = {0x31, 0xff, 0xb8, 0x3c, 0x00, 0x00, 0x00, 0x0f, 0x05};
enum { MACHINE = EM_X86_64 };
#elif defined(__aarch64__)
/* mov x0, #0; mov x8, #93; svc #0 */
static const uint8_t code[] = {0x00, 0x00, 0x80, 0xd2, 0xa8, 0x0b,
                               0x80, 0xd2, 0x01, 0x00, 0x00, 0xd4};
enum { MACHINE = EM_AARCH64 };
#else
static const uint8_t code[] = {0};
enum { MACHINE = EM_NONE };
#endif

struct image {
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    uint8_t code[sizeof code];
};

static void make_image(struct image *image)
{
    const uint64_t base = 0x400000;

    memset(image, 0, sizeof *image);
    memcpy(image->header.e_ident, ELFMAG, SELFMAG);
    image->header.e_ident[EI_CLASS] = ELFCLASS64;
    image->header.e_ident[EI_DATA] = ELFDATA2LSB;
    image->header.e_ident[EI_VERSION] = EV_CURRENT;
    image->header.e_type = ET_EXEC;
    image->header.e_machine = MACHINE;
    image->header.e_version = EV_CURRENT;
    image->header.e_entry = base + offsetof(struct image, code);
    image->header.e_phoff = offsetof(struct image, segment);
    image->header.e_ehsize = sizeof image->header;
    image->header.e_phentsize = sizeof image->segment;
    image->header.e_phnum = 1;
    image->segment = (Elf64_Phdr){.p_type = PT_LOAD,
                                  .p_flags = PF_R | PF_X,
                                  .p_vaddr = base,
                                  .p_paddr = base,
                                  .p_filesz = sizeof *image,
                                  .p_memsz = sizeof *image,
                                  .p_align = 0x10000};
    memcpy(image->code, code, sizeof code);
}

int lauka_floor_open(char *path, size_t size, int *handle)
{
    struct image image;
    char own[64];

    *handle = -1;
    if (MACHINE == EM_NONE)
        return ENOTSUP;
    int file = memfd_create("lauka-floor", MFD_CLOEXEC);
    if (file < 0)
        return errno;
    make_image(&image);
    bool written =
        write(file, &image, sizeof image) == (ssize_t)sizeof image && fchmod(file, 0500) == 0;
    snprintf(own, sizeof own, "/proc/self/fd/%d", file);
    if (written)
        *handle = open(own, O_RDONLY | O_CLOEXEC); /* who may write it may not execute it */
    int error = *handle < 0 ? errno : 0;
    close(file);
    snprintf(path, size, "/proc/%ld/fd/%d", (long)getpid(), *handle);
    return error;
}

void lauka_floor_close(int handle)
{
    if (handle >= 0)
        close(handle);
}
