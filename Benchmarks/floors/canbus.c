/* A CAN bus for machines whose kernel has none: loaded before a program (LD_PRELOAD), it gives the program a
   socket of the ECU in can.c, which passes one frame a message as a raw CAN socket does.

     cc -O2 -shared -fPIC -o canbus.so canbus.c
     canfloor PATH ecu & CANBUS=PATH LD_PRELOAD=./canbus.so obdscan bench rpm -d can:vcan0

   Filters are not set, since nobody else sends. The program sees one interface, vcan0. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/can/raw.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <net/if_arp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define NEXT(name) static __typeof__(&name) next; if (!next) next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static const char interface[] = "vcan0";
static int bus = -1;

unsigned if_nametoindex(const char *name) { return strcmp(name, interface) ? 0 : 1; }

/* A socket at which the answer to the question about the interface already waits. */
static int routes(void) {
    struct {
        struct nlmsghdr head;
        struct ifinfomsg link;
        struct rtattr attribute;
        char name[sizeof interface + 2];
    } answer = {.head = {.nlmsg_len = sizeof answer, .nlmsg_type = RTM_NEWLINK},
                .link = {.ifi_type = ARPHRD_CAN, .ifi_index = 1, .ifi_flags = IFF_UP},
                .attribute = {.rta_len = RTA_LENGTH(sizeof interface), .rta_type = IFLA_IFNAME}};
    int ends[2];
    memcpy(answer.name, interface, sizeof interface);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) return -1;
    return write(ends[1], &answer, sizeof answer) < 0 ? -1 : ends[0];
}

int socket(int family, int type, int protocol) {
    NEXT(socket);
    if (family == AF_NETLINK && protocol == NETLINK_ROUTE) return routes();
    if (family != AF_CAN) return next(family, type, protocol);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    strncpy(address.sun_path, getenv("CANBUS"), sizeof address.sun_path - 1);
    bus = next(AF_UNIX, SOCK_SEQPACKET | (type & (SOCK_NONBLOCK | SOCK_CLOEXEC)), 0);
    return connect(bus, (struct sockaddr *)&address, sizeof address) ? -1 : bus;
}

int bind(int descriptor, const struct sockaddr *address, socklen_t length) {
    NEXT(bind);
    return descriptor == bus ? 0 : next(descriptor, address, length);
}

int setsockopt(int descriptor, int level, int name, const void *value, socklen_t length) {
    NEXT(setsockopt);
    return level == SOL_CAN_RAW ? 0 : next(descriptor, level, name, value, length);
}
