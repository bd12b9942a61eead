// Functions of Linux that Swift's Glibc module lacks: macros with arguments, variadic calls, kernel
// structures. Each function makes a single system call and returns its result, or -1 with errno set on
// failure.
#ifndef CSYSTEM_H
#define CSYSTEM_H

#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/types.h>

// An eventfd, non-blocking, closed on exec.
int sys_eventfd(void);

// Adds one to an eventfd. Never blocks.
int sys_eventfd_signal(int fd);

// Resets an eventfd to zero. Never blocks; EAGAIN if it was zero.
int sys_eventfd_take(int fd);

// Waits for `count` descriptors until `deadline_ns` of sys_monotonic_ns; a negative deadline waits without a
// limit. Restarts after EINTR.
int sys_ppoll_until(struct pollfd *fds, unsigned count, int64_t deadline_ns);

// Nanoseconds since the boot, by a clock that cannot be set and that counts while the machine sleeps.
int64_t sys_monotonic_ns(void);

// Nanoseconds of CLOCK_REALTIME since 1970.
int64_t sys_realtime_ns(void);

// 1 if the kernel says that its wall clock is synchronised (adjtimex(2)), 0 if it says that it is not.
int sys_clock_is_synchronised(void);

// Names the calling thread for other programs, with at most 15 characters.
void sys_name_thread(const char *name);

// A signalfd for `mask`, non-blocking, closed on exec.
int sys_signalfd(const sigset_t *mask);

// The number of the next signal of a signalfd; 0 if none is pending.
int sys_signalfd_next(int fd);

// open(2) of a terminal for reading and writing, not as the controlling terminal, non-blocking, closed on
// exec.
int sys_open_tty(const char *path);

// Sets a terminal to raw mode: 8 bits, no parity, no flow control, modem lines ignored and left raised on
// close. Keeps the speed.
int sys_tty_make_raw(int fd);

// Sets any line rate with termios2 and BOTHER; unit: bit/s. Reads back the driver's actual rate and returns
// it.
int sys_tty_set_rate(int fd, unsigned rate);

// The current line rate; unit: bit/s.
int sys_tty_rate(int fd);

// Discards received bytes that were not read and written bytes that were not sent.
int sys_tty_flush(int fd);

// Waits until all written bytes were sent.
int sys_tty_drain(int fd);

// Refuses every later open(2) of the terminal (except by root), or allows it again.
int sys_tty_exclusive(int fd, int on);

// Asks the driver to deliver bytes at once (FTDI: 16 ms → 1 ms). Not all drivers support it.
int sys_tty_low_latency(int fd);

// open(2) of a file without a name in `folder` for writing (O_TMPFILE), accessible to its owner only, closed
// on exec.
int sys_open_unnamed(const char *folder, unsigned mode);

// A descriptor that becomes readable when the process ends (pidfd_open(2), Linux 5.3), closed on exec.
int sys_open_process(int pid);

// An exclusive flock(2) without waiting; EWOULDBLOCK if another program holds one.
int sys_lock(int fd);

// An exclusive flock(2); waits until no other program holds one.
int sys_wait_for_lock(int fd);

// The master side of a new pseudo terminal, non-blocking, closed on exec; `name` receives the path of its
// slave side.
int sys_open_pty(char *name, size_t size);

// A stream socket, non-blocking, closed on exec.
int sys_stream_socket(int family, int protocol);

// connect(2) to an IPv4, IPv6 or other address of `length` bytes.
int sys_connect(int fd, const void *address, unsigned length);

// connect(2) to a Unix socket by its path.
int sys_connect_unix(int fd, const char *path);

// accept4(2): the next host on a listening socket, non-blocking, closed on exec.
int sys_accept(int fd);

// The pending error of a socket (SO_ERROR); 0 means connected.
int sys_socket_error(int fd);

// TCP_NODELAY, keep-alive and TCP_USER_TIMEOUT: a peer that vanished is noticed after about half a minute,
// even if nothing was sent to it.
int sys_tcp_tune(int fd);

// TCP_QUICKACK: acknowledges received data at once. The kernel forgets the setting, so each read needs a
// call.
int sys_tcp_acknowledge(int fd);

// read(2), restarted after EINTR.
ssize_t sys_read(int fd, void *bytes, size_t count);

// write(2), restarted after EINTR. The thread must have SIGPIPE blocked or ignored.
ssize_t sys_write(int fd, const void *bytes, size_t count);

// Connects an RFCOMM socket; `address` is the Bluetooth address in reverse of the printed order.
int sys_rfcomm_connect(int fd, const uint8_t address[6], uint8_t channel);

// AF_BLUETOOTH and BTPROTO_RFCOMM.
int sys_af_bluetooth(void);
int sys_btproto_rfcomm(void);

// Asks for an encrypted link (BT_SECURITY_MEDIUM), so that pairing starts if it is missing.
int sys_rfcomm_security(int fd);

// A socket that receives the kernel's device events (NETLINK_KOBJECT_UEVENT), non-blocking.
int sys_uevent_socket(void);

// One datagram of a uevent socket from the kernel; 0 if there is none or it is from another sender.
ssize_t sys_uevent_receive(int fd, void *bytes, size_t count);

// An epoll descriptor, closed on exec; readable if one of its descriptors is.
int sys_epoll(void);

// Adds a descriptor to an epoll descriptor for reading.
int sys_epoll_add(int epoll, int fd);

// The major device number of an open node; -1 with errno set on failure.
int sys_device_major(int fd);

// An inotify descriptor, non-blocking.
int sys_inotify(void);

// Watches a file for writes.
int sys_inotify_watch_writes(int fd, const char *path);

// Watches a folder for names that are added, removed or change their permissions.
int sys_inotify_watch_folder(int fd, const char *path);

// A CAN_RAW socket, non-blocking, closed on exec; EPROTONOSUPPORT or EAFNOSUPPORT if the kernel module is
// missing.
int sys_can_socket(void);

// Accepts frames whose identifier equals that of a filter in the bits of its mask; `filters` has pairs of
// identifier and mask.
int sys_can_filter(int fd, const uint32_t *filters, unsigned pairs);

// The size of struct can_frame, and how many frames sys_can_receive() reads at most.
#define SYS_CAN_FRAME 16
#define SYS_CAN_FRAMES 32

// Reads the frames that have arrived without waiting; `bytes` has room for SYS_CAN_FRAMES. Returns their number,
// 0 at the end of the stream, or -1 with errno. Frames before an end or an error come first.
// After sys_can_observe(), `times` gets the time of each frame by CLOCK_REALTIME in nanoseconds, 0 if there is none,
// and `dropped` the number of frames that the kernel has dropped so far, if it reports one.
int sys_can_receive(int fd, void *bytes, int64_t *times, uint32_t *dropped);

// Asks for the kernel's time of each frame and the number of dropped ones, and for room for `bytes` of frames; less
// without CAP_NET_ADMIN.
int sys_can_observe(int fd, int bytes);

// The number of bytes that can be read at once (FIONREAD); -1 with errno if the kernel does not say.
int sys_waiting_bytes(int fd);

// The number of frames that the kernel has dropped so far because the socket had no room (SO_MEMINFO). The counter
// beside a frame only has the drops before that frame was queued. Returns -1 with errno if there is none.
int sys_can_dropped(int fd, uint32_t *dropped);

// Accepts error frames (CAN_RAW_ERR_FILTER).
int sys_can_errors(int fd, uint32_t classes);

// bind(2) to the interface with this index.
int sys_can_bind(int fd, int index);

// A socket for the state of network interfaces (NETLINK_ROUTE), closed on exec; a read ends after a second.
int sys_route_socket(void);

#endif
