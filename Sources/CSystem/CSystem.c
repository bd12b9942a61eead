#define _GNU_SOURCE
#include "CSystem.h"

#include <asm/termbits.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/can.h>
#include <linux/can/raw.h>
#include <linux/netlink.h>
#include <linux/serial.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/timex.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define NS 1000000000

void sys_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

int sys_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

int sys_eventfd_signal(int fd) { return eventfd_write(fd, 1); }

int sys_eventfd_take(int fd) {
    eventfd_t value;
    return eventfd_read(fd, &value);
}

int sys_open_unnamed(const char *folder, unsigned mode) {
    return open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
}

int sys_open_process(int pid) {
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

int64_t sys_monotonic_ns(void) {
    struct timespec now;
    // Unlike CLOCK_MONOTONIC it counts while the machine sleeps, so that what follows has the right time.
    clock_gettime(CLOCK_BOOTTIME, &now);
    return (int64_t)now.tv_sec * NS + now.tv_nsec;
}

int64_t sys_realtime_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * NS + now.tv_nsec;
}

int sys_clock_is_synchronised(void) {
    struct timex state;
    memset(&state, 0, sizeof state);
    if (adjtimex(&state) < 0) return -1;
    return !(state.status & STA_UNSYNC);
}

int sys_ppoll_until(struct pollfd *fds, unsigned count, int64_t deadline_ns) {
    for (;;) {
        struct timespec left, *wait = NULL;
        if (deadline_ns >= 0) {
            int64_t gap = deadline_ns - sys_monotonic_ns();
            if (gap < 0) gap = 0;
            left.tv_sec = gap / NS;
            left.tv_nsec = gap % NS;
            wait = &left;
        }
        int ready = ppoll(fds, count, wait, NULL);
        if (ready >= 0 || errno != EINTR) return ready;
    }
}

int sys_signalfd(const sigset_t *mask) { return signalfd(-1, mask, SFD_NONBLOCK | SFD_CLOEXEC); }

int sys_signalfd_next(int fd) {
    struct signalfd_siginfo info;
    ssize_t count = sys_read(fd, &info, sizeof info);
    if (count == (ssize_t)sizeof info) return (int)info.ssi_signo;
    return count < 0 && errno != EAGAIN ? -1 : 0;
}

int sys_open_tty(const char *path) { return open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC); }

int sys_tty_make_raw(int fd) {
    struct termios2 t;
    if (ioctl(fd, TCGETS2, &t) < 0) return -1;
    t.c_iflag &= ~(IGNBRK | BRKINT | PARMRK | ISTRIP | INLCR | IGNCR | ICRNL | IXON | IXOFF | IXANY);
    t.c_oflag &= ~OPOST;
    t.c_lflag &= ~(ECHO | ECHONL | ICANON | ISIG | IEXTEN);
    // Without HUPCL, closing does not drop the modem lines, from which some cables take their power.
    t.c_cflag &= ~(PARENB | CSTOPB | CSIZE | CRTSCTS | HUPCL);
    t.c_cflag |= CS8 | CREAD | CLOCAL;
    t.c_cc[VMIN] = 1;
    t.c_cc[VTIME] = 0;
    return ioctl(fd, TCSETS2, &t);
}

int sys_tty_set_rate(int fd, unsigned rate) {
    struct termios2 t;
    if (ioctl(fd, TCGETS2, &t) < 0) return -1;
    t.c_cflag &= ~(CBAUD | CBAUD << IBSHIFT);
    t.c_cflag |= BOTHER | BOTHER << IBSHIFT;
    t.c_ispeed = rate;
    t.c_ospeed = rate;
    if (ioctl(fd, TCSETS2, &t) < 0) return -1;
    return sys_tty_rate(fd);
}

int sys_tty_rate(int fd) {
    struct termios2 t;
    if (ioctl(fd, TCGETS2, &t) < 0) return -1;
    return (int)t.c_ospeed;
}

int sys_tty_flush(int fd) { return ioctl(fd, TCFLSH, TCIOFLUSH); }

// The same as tcdrain(3), whose header conflicts with the kernel's termios2.
int sys_tty_drain(int fd) { return ioctl(fd, TCSBRK, 1); }

int sys_tty_exclusive(int fd, int on) { return ioctl(fd, on ? TIOCEXCL : TIOCNXCL); }

int sys_tty_low_latency(int fd) {
    struct serial_struct serial;
    if (ioctl(fd, TIOCGSERIAL, &serial) < 0) return -1;
    serial.flags |= ASYNC_LOW_LATENCY;
    return ioctl(fd, TIOCSSERIAL, &serial);
}

int sys_lock(int fd) { return flock(fd, LOCK_EX | LOCK_NB); }

int sys_wait_for_lock(int fd) {
    int result;
    do result = flock(fd, LOCK_EX);
    while (result < 0 && errno == EINTR);
    return result;
}

int sys_open_pty(char *name, size_t size) {
    int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return -1;
    if (grantpt(fd) == 0 && unlockpt(fd) == 0) {
        int error = ptsname_r(fd, name, size);
        if (error == 0) return fd;
        errno = error;
    }
    int error = errno;
    close(fd);
    errno = error;
    return -1;
}

int sys_stream_socket(int family, int protocol) {
    return socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, protocol);
}

int sys_connect(int fd, const void *address, unsigned length) {
    return connect(fd, (const struct sockaddr *)address, (socklen_t)length);
}

int sys_connect_unix(int fd, const char *path) {
    struct sockaddr_un to;
    memset(&to, 0, sizeof to);
    to.sun_family = AF_UNIX;
    if (strlen(path) >= sizeof to.sun_path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(to.sun_path, path);
    return connect(fd, (const struct sockaddr *)&to, sizeof to);
}

int sys_accept(int fd) { return accept4(fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC); }

int sys_socket_error(int fd) {
    int error = 0;
    socklen_t length = sizeof error;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &length) < 0) return -1;
    return error;
}

int sys_tcp_tune(int fd) {
    int on = 1, idle = 10, interval = 5, probes = 4;
    if (setsockopt(fd, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof on) < 0) return -1;
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPINTVL, &interval, sizeof interval);
    setsockopt(fd, IPPROTO_TCP, TCP_KEEPCNT, &probes, sizeof probes);
    // Keep-alive does not work while data are unacknowledged; this limits the wait in that case.
    unsigned unacknowledged = 30000;
    setsockopt(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, &unacknowledged, sizeof unacknowledged);
    return setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

int sys_tcp_acknowledge(int fd) {
    int on = 1;
    return setsockopt(fd, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof on);
}

ssize_t sys_read(int fd, void *bytes, size_t count) {
    ssize_t got;
    do got = read(fd, bytes, count);
    while (got < 0 && errno == EINTR);
    return got;
}

ssize_t sys_write(int fd, const void *bytes, size_t count) {
    ssize_t put;
    do put = write(fd, bytes, count);
    while (put < 0 && errno == EINTR);
    return put;
}

// BlueZ's headers are not needed for these numbers of the kernel (net/bluetooth/bluetooth.h,
// net/bluetooth/rfcomm.h).
#ifndef AF_BLUETOOTH
#define AF_BLUETOOTH 31
#endif
#define BTPROTO_RFCOMM_NUMBER 3
#define SOL_BLUETOOTH_NUMBER 274
#define BT_SECURITY_NUMBER 4
#define BT_SECURITY_MEDIUM_LEVEL 2

struct rfcomm_address {
    sa_family_t family;
    uint8_t address[6];
    uint8_t channel;
};

int sys_af_bluetooth(void) { return AF_BLUETOOTH; }

int sys_btproto_rfcomm(void) { return BTPROTO_RFCOMM_NUMBER; }

int sys_rfcomm_connect(int fd, const uint8_t address[6], uint8_t channel) {
    struct rfcomm_address to;
    memset(&to, 0, sizeof to);
    to.family = AF_BLUETOOTH;
    memcpy(to.address, address, 6);
    to.channel = channel;
    return connect(fd, (const struct sockaddr *)&to, sizeof to);
}

int sys_rfcomm_security(int fd) {
    struct {
        uint8_t level, key_size;
    } security = {BT_SECURITY_MEDIUM_LEVEL, 0};
    return setsockopt(fd, SOL_BLUETOOTH_NUMBER, BT_SECURITY_NUMBER, &security, sizeof security);
}

int sys_uevent_socket(void) {
    int fd = socket(AF_NETLINK, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
    if (fd < 0) return -1;
    int on = 1, room = 1 << 20;
    struct sockaddr_nl address;
    memset(&address, 0, sizeof address);
    address.nl_family = AF_NETLINK;
    address.nl_groups = 1;
    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room);
    if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &on, sizeof on) < 0
        || bind(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        int error = errno;
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

ssize_t sys_uevent_receive(int fd, void *bytes, size_t count) {
    struct sockaddr_nl from;
    memset(&from, 0, sizeof from);
    struct iovec part = {bytes, count};
    char control[CMSG_SPACE(sizeof(struct ucred))];
    struct msghdr message;
    memset(&message, 0, sizeof message);
    message.msg_name = &from;
    message.msg_namelen = sizeof from;
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    ssize_t got;
    do got = recvmsg(fd, &message, 0);
    while (got < 0 && errno == EINTR);
    if (got <= 0) return got;
    // Any process may send to this group, but only the kernel has port 0.
    if (from.nl_pid != 0 || (message.msg_flags & MSG_TRUNC)) return 0;
    return got;
}

int sys_inotify(void) { return inotify_init1(IN_NONBLOCK | IN_CLOEXEC); }

int sys_inotify_watch_folder(int fd, const char *path) {
    return inotify_add_watch(
        fd, path, IN_CREATE | IN_DELETE | IN_ATTRIB | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR);
}

int sys_inotify_watch_writes(int fd, const char *path) {
    return inotify_add_watch(fd, path, IN_MODIFY);
}

int sys_epoll(void) { return epoll_create1(EPOLL_CLOEXEC); }

int sys_epoll_add(int epoll, int fd) {
    struct epoll_event event = {.events = EPOLLIN, .data = {.fd = fd}};
    return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

int sys_device_major(int fd) {
    struct stat status;
    if (fstat(fd, &status) < 0) return -1;
    return (int)major(status.st_rdev);
}

int sys_can_socket(void) {
    return socket(PF_CAN, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, CAN_RAW);
}

int sys_can_filter(int fd, const uint32_t *filters, unsigned pairs) {
    // struct can_filter is such a pair.
    return setsockopt(fd, SOL_CAN_RAW, CAN_RAW_FILTER, filters, pairs * sizeof(struct can_filter));
}

int sys_can_observe(int fd, int bytes) {
    int on = 1;
    if (setsockopt(fd, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on) < 0) return -1;
    if (setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &on, sizeof on) < 0) return -1;
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) == 0) return 0;
    return setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

// The time and the counter in the control data of a frame.
static void read_control(struct msghdr *message, int64_t *time, uint32_t *dropped) {
    *time = 0;
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        if (c->cmsg_level != SOL_SOCKET) continue;
        if (c->cmsg_type == SCM_TIMESTAMPNS) {
            struct timespec stamp;
            memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
            *time = (int64_t)stamp.tv_sec * NS + stamp.tv_nsec;
        } else if (c->cmsg_type == SO_RXQ_OVFL) {
            memcpy(dropped, CMSG_DATA(c), sizeof *dropped);
        }
    }
}

int sys_can_receive(int fd, void *bytes, int64_t *times, uint32_t *dropped) {
    struct iovec parts[SYS_CAN_FRAMES];
    struct mmsghdr messages[SYS_CAN_FRAMES];
    _Alignas(struct cmsghdr) char
        control[SYS_CAN_FRAMES][CMSG_SPACE(sizeof(struct timespec)) + CMSG_SPACE(sizeof(uint32_t))];
    memset(messages, 0, sizeof messages);
    for (int i = 0; i < SYS_CAN_FRAMES; i++) {
        parts[i].iov_base = (char *)bytes + i * SYS_CAN_FRAME;
        parts[i].iov_len = SYS_CAN_FRAME;
        messages[i].msg_hdr.msg_iov = &parts[i];
        messages[i].msg_hdr.msg_iovlen = 1;
        messages[i].msg_hdr.msg_control = control[i];
        messages[i].msg_hdr.msg_controllen = sizeof control[i];
    }
    int count;
    do count = recvmmsg(fd, messages, SYS_CAN_FRAMES, MSG_DONTWAIT, NULL);
    while (count < 0 && errno == EINTR);
    // The end of a stream is a message without bytes; there may be frames before it.
    for (int i = 0; i < count; i++) {
        if (messages[i].msg_len != SYS_CAN_FRAME) return i;
        read_control(&messages[i].msg_hdr, &times[i], dropped);
    }
    return count;
}

int sys_waiting_bytes(int fd) {
    int count = 0;
    return ioctl(fd, FIONREAD, &count) < 0 ? -1 : count;
}

int sys_can_dropped(int fd, uint32_t *dropped) {
    uint32_t counters[SK_MEMINFO_VARS] = {0};
    socklen_t length = sizeof counters;
    if (getsockopt(fd, SOL_SOCKET, SO_MEMINFO, counters, &length) < 0) return -1;
    *dropped = counters[SK_MEMINFO_DROPS];
    return 0;
}

int sys_can_errors(int fd, uint32_t classes) {
    return setsockopt(fd, SOL_CAN_RAW, CAN_RAW_ERR_FILTER, &classes, sizeof classes);
}

int sys_can_bind(int fd, int index) {
    struct sockaddr_can address = {.can_family = AF_CAN, .can_ifindex = index};
    return bind(fd, (struct sockaddr *)&address, sizeof address);
}

int sys_route_socket(void) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0) return -1;
    struct timeval second = {.tv_sec = 1};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
    return fd;
}
