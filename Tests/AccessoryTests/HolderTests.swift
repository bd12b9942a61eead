import CSystem
import Glibc
import Testing

@testable import Accessory

@Suite struct `The program that has a device` {
    /// /proc/locks in the format of proc(5), as a kernel printed it.
    private static let locks = """
        1: POSIX  ADVISORY  WRITE 708 00:1a:5 0 EOF
        2: FLOCK  ADVISORY  WRITE 4711 00:1a:5 0 EOF
        2: -> FLOCK  ADVISORY  WRITE 4712 00:1a:5 0 EOF
        3: FLOCK  ADVISORY  WRITE 33 08:01:5 0 EOF
        4: OFDLCK ADVISORY  WRITE -1 00:1a:6 0 EOF
        5: FLOCK  ADVISORY  WRITE 0 00:1a:7 0 EOF
        6: FLOCK  ADVISORY
        """

    @Test(
        arguments: [
            (0x1A, 5, 4711), (0x1A, 6, nil), (0x1A, 7, nil), (0x1B, 5, nil),
        ] as [(UInt64, UInt64, Int32?)])
    func `the process that locks a device is found in the kernel's list of locks`(
        minor: UInt64, inode: UInt64, pid: Int32?
    ) {
        let file = DeviceHolder.LockedFile(major: 0, minor: minor, inode: inode)
        #expect(DeviceHolder.owner(of: file, in: Self.locks) == pid)
    }

    @Test func `a file on a disk is not confused with a pty of the same number`() {
        let file = DeviceHolder.LockedFile(major: 8, minor: 1, inode: 5)
        #expect(DeviceHolder.owner(of: file, in: Self.locks) == 33)
    }

    /// This process serves the pty and has its other end open, too.
    ///
    /// `cat` only reads it.
    @Test
    func `the program that serves a pty is named only if no other program has the pty open`() throws
    {
        var name = [CChar](repeating: 0, count: 64)
        let server = sys_open_pty(&name, name.count)
        try #require(server >= 0)
        defer { close(server) }
        let path = String(
            decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let side = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
        defer { close(side) }
        #expect(DeviceHolder.find(path)?.pid == getpid())

        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, path, O_RDONLY | O_NOCTTY, 0)
        var words: [UnsafeMutablePointer<CChar>?] = [strdup("cat"), nil]
        defer { for word in words { free(word) } }
        var child: pid_t = 0
        try #require(posix_spawn(&child, "/bin/cat", &actions, nil, &words, nil) == 0)
        defer {
            kill(child, SIGKILL)
            var status: Int32 = 0
            waitpid(child, &status, 0)
        }
        // posix_spawn(3) returns when the child runs its program. By then the file is open.
        #expect(DeviceHolder.find(path) == AccessoryError.Holder(pid: child, program: "cat"))
    }
}
