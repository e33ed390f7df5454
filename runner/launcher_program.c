/* The launcher as a program of its own, which the build has put beside this file. */
#include "runner/launch/launch.h"

static const unsigned char bytes[] = {
#ifdef __has_embed
#if __has_embed("launcher_program")
#embed "launcher_program" suffix(, )
#endif
#endif
    0};

const struct lauka_program lauka_launcher_program = {bytes, sizeof bytes - 1};
