/* Descriptors that lauka receives from the launcher: see lending.c. */
#include "runner/launch/launch.h"
#include "runner/launch/launcher.h"

#include <errno.h>
#include <string.h>

int lauka_launcher_lend(void *context, const void *event, size_t size, int cpu)
{
    struct lauka_launcher *launcher = context;
    struct launcher_loan *loan = &launcher->shared->loan;
    struct lauka_error ignored;

    *loan = (struct launcher_loan){.cpu = cpu, .error = EINVAL};
    if (size <= sizeof loan->event) {
        memcpy(loan->event, event, size);
        if (!launcher_ask(launcher, REQUEST_LEND, &ignored))
            loan->error = ESRCH;
    }
    int descriptor;
    if (loan->error == 0)
        loan->error = launcher_receive_descriptors(launcher->loans, &descriptor, 1);
    errno = loan->error;
    return loan->error ? -1 : descriptor;
}
