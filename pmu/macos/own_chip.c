/* Which of Apple's chips this is. */
#include "pmu/macos/darwin.h"
#include "pmu/apple/apple.h"

#include <stddef.h>

const struct lauka_apple_chip *lauka_native_chip(void)
{
    uint32_t family = 0;
    size_t size = sizeof family;
    if (lauka_darwin()->sysctlbyname("hw.cpufamily", &family, &size, NULL, 0) != 0)
        return NULL;
    return lauka_apple_chip_of(family);
}
