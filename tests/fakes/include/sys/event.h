/* sys/event.h, of macOS: as much of kqueue(2) as is used. In place of it on the simulated Mac. */
#ifndef LAUKA_TESTS_FAKES_SYS_EVENT_H
#define LAUKA_TESTS_FAKES_SYS_EVENT_H

#include <stdint.h>
#include <time.h>

struct kevent {
    uintptr_t ident;
    int16_t filter;
    uint16_t flags;
    uint32_t fflags;
    intptr_t data;
    void *udata;
};

#define EVFILT_PROC (-5)
#define EV_ADD 0x0001
#define EV_ONESHOT 0x0010
#define NOTE_EXIT 0x80000000u

#define EV_SET(event, ident_, filter_, flags_, fflags_, data_, udata_)                             \
    (*(event) = (struct kevent){(ident_), (filter_), (flags_), (fflags_), (data_), (udata_)})

int kqueue(void);
int kevent(int queue, const struct kevent *changes, int change_count, struct kevent *events,
           int event_count, const struct timespec *timeout);

#endif
