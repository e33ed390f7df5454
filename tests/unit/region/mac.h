/* lauka_region.h as macOS compiles it, on the simulated Mac of tests/fakes. Include it first. */
#ifndef LAUKA_TESTS_REGION_MAC_H
#define LAUKA_TESTS_REGION_MAC_H

#include <dlfcn.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

#include "pmu/apple/apple.h"
#include "pmu/macos/darwin.h"
#include "tests/fakes/fake.h"
#include "tests/unit/expect.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#undef __linux__
#define __APPLE__ 1
#define dlopen(path, mode) (lauka_darwin()->open_library(path))
#define dlsym(library, name) (lauka_darwin()->find_symbol(library, name))
#define geteuid() (lauka_darwin()->euid())
#include "include/lauka_region.h"

uint64_t mach_absolute_time(void)
{
    return lauka_darwin()->ticks();
}

static void power_on(unsigned macos, unsigned euid)
{
    fake_options = (struct fake_options){.macos = macos, .euid = euid};
    fake_reset();
}

#endif
