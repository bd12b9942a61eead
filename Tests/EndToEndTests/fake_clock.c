// A machine whose battery clock has no battery, for LD_PRELOAD. In the folder that FAKE_CLOCK names, the file `state`
// says by how many seconds its wall clock is wrong, whether the kernel counts it as synchronised, and how many seconds
// the machine has slept: "-172800 0 0".
// rtc/rtc0/since_epoch holds the time of its battery clock.
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

static void state(long *offset, int *synchronised, long *slept) {
    char text[64] = "";
    char path[4096];
    snprintf(path, sizeof path, "%s/state", getenv("FAKE_CLOCK"));
    int file = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY);
    *offset = *synchronised = *slept = 0;
    if (file < 0) return;
    if (read(file, text, sizeof text - 1) > 0) sscanf(text, "%ld %d %ld", offset, synchronised, slept);
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    int result = syscall(SYS_clock_gettime, clock, time);
    if (clock == CLOCK_REALTIME || clock == CLOCK_BOOTTIME) {
        long offset, slept;
        int synchronised;
        state(&offset, &synchronised, &slept);
        time->tv_sec += slept + (clock == CLOCK_REALTIME ? offset : 0);
    }
    return result;
}

int adjtimex(struct timex *buffer) {
    long offset, slept;
    int synchronised;
    state(&offset, &synchronised, &slept);
    int result = syscall(SYS_adjtimex, buffer);
    buffer->status = synchronised ? buffer->status & ~STA_UNSYNC : buffer->status | STA_UNSYNC;
    return result < 0 ? 0 : result;
}

// This machine's own word on its clock does not count.
int access(const char *path, int mode) {
    if (strstr(path, "/timesync/")) return -1;
    return syscall(SYS_faccessat, AT_FDCWD, path, mode);
}

// The battery clock is a file.
static const char *place(const char *path, char *other) {
    const char *folder = "/sys/class/rtc";
    if (strncmp(path, folder, strlen(folder))) return path;
    snprintf(other, 4096, "%s/rtc%s", getenv("FAKE_CLOCK"), path + strlen(folder));
    return other;
}

DIR *opendir(const char *path) {
    char other[4096];
    DIR *(*next)(const char *) = (DIR * (*)(const char *)) dlsym(RTLD_NEXT, "opendir");
    return next(place(path, other));
}

int open(const char *path, int flags, ...) {
    char other[4096];
    va_list more;
    va_start(more, flags);
    int mode = va_arg(more, int);
    va_end(more);
    return syscall(SYS_openat, AT_FDCWD, place(path, other), flags, mode);
}
