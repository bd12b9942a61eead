import CSystem
import Foundation
import OBDCore
import SystemIO
import Testing

@testable import Accessory

/// A connection with both ends in this process.
private struct Pair: ~Copyable {
    var session: DescriptorSession
    let peer: Int32

    init(_ kind: Int32 = Int32(SOCK_STREAM.rawValue)) throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, kind | Int32(SOCK_NONBLOCK.rawValue), 0, &ends) == 0)
        session = DescriptorSession(descriptor: ends[0], kind: .stream, name: "pair")
        peer = ends[1]
    }

    deinit { close(peer) }
}

/// A pty whose other end is in this process.
private final class Pty {
    let main: Int32
    let path: String

    init() throws {
        var name = [CChar](repeating: 0, count: 128)
        main = sys_open_pty(&name, name.count)
        try #require(main >= 0)
        path = String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { close(main) }
}

private func awaitBytes(
    _ session: inout DescriptorSession
) throws(AccessoryError) -> [UInt8] {
    var set = PollSet()
    set.add(session.descriptor)
    do {
        try set.wait(until: SystemClock.now() + .seconds(5))
    } catch {
        throw .system(call: error.call, address: session.name, errno: error.errno)
    }
    return try session.receive()
}

@Suite struct `A session` {
    @Test func `every byte is read, however the bytes are cut`() throws {
        var pair = try Pair()
        let nothing = try pair.session.receive()
        #expect(nothing.isEmpty)
        #expect(write(pair.peer, "41 0C", 5) == 5)
        let bytes = try awaitBytes(&pair.session)
        #expect(bytes == Array("41 0C".utf8))
    }

    /// One end of a socket pair, as a transport of another package would open it.
    @Test func `a descriptor that blocks is refused`() throws {
        var ends: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
        let end = ends[0]
        defer { close(ends[1]) }
        let connector = Connector(SerialTransport(path: "/dev/own", rate: nil)) { _, _ in
            DescriptorSession(descriptor: end, kind: .stream, name: "own")
        }
        do {
            _ = try connector.open()
            Issue.record("a blocking descriptor was accepted")
        } catch {
            #expect(error == AccessoryError(LinkFault.blocks(address: "own")))
        }
    }

    @Test(arguments: [false, true])
    func `a hung-up terminal gives the same error when reading and writing`(
        writes: Bool
    ) throws {
        var name = [CChar](repeating: 0, count: 128)
        let main = sys_open_pty(&name, name.count)
        try #require(main >= 0)
        let path = name.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        let end = sys_open_tty(path)
        try #require(end >= 0)
        var session = DescriptorSession(descriptor: end, kind: .terminal, name: path)
        close(main)
        do {
            if writes { try session.write([0x0D]) } else { _ = try session.receive() }
            Issue.record("a terminal without its other end took the call")
        } catch {
            #expect(error.isLoss)
            #expect(error.explanation.message == "\(path) closed the connection")
        }
    }

    @Test func `bytes that do not fit are kept and written when there is space`() throws {
        var pair = try Pair()
        let sent = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 % 251) }
        try pair.session.write(Array(sent[..<1_500_000]))
        let isFull = pair.session.wantsToWrite
        #expect(isFull)
        // Later bytes go after those that are kept.
        try pair.session.write(Array(sent[1_500_000...]))
        var received: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while received.count < sent.count {
            let count = read(pair.peer, &buffer, buffer.count)
            if count > 0 { received += buffer[..<count] }
            if pair.session.wantsToWrite { try pair.session.flush() }
            if count <= 0 && !pair.session.wantsToWrite { break }
        }
        #expect(received == sent)
    }

    @Test func `the session ends when the peer closes`() throws {
        var pair = try Pair()
        shutdown(pair.peer, Int32(SHUT_RDWR))
        #expect(throws: AccessoryError.lost(address: "pair", errno: 0)) {
            try pair.session.receive()
        }
    }

    @Test func `a pulled cable ends the session with the system's error`() throws {
        var pty: Pty? = try Pty()
        let path = try #require(pty?.path)
        guard var session = try Connector.serial(path: path, rate: nil).open() else {
            Issue.record("not opened")
            return
        }
        pty = nil
        do throws(AccessoryError) {
            _ = try session.receive()
            Issue.record("nothing was noticed")
        } catch {
            guard error.isLoss else {
                Issue.record("\(error)")
                return
            }
        }
    }
}

@Suite struct `A serial line` {
    @Test func `the line is raw: every byte passes both ways`() throws {
        let pty = try Pty()
        guard var session = try Connector.serial(path: pty.path, rate: nil).open() else {
            Issue.record("not opened")
            return
        }
        #expect(session.kind == .terminal)
        let all = (0...255).map { UInt8($0) }
        #expect(write(pty.main, all, 256) == 256)
        var received: [UInt8] = []
        while received.count < 256 {
            let bytes = try awaitBytes(&session)
            if bytes.isEmpty { break }
            received += bytes
        }
        #expect(received == all)
        try session.write(all)
        var peer = DescriptorSession(descriptor: dup(pty.main), kind: .stream, name: "peer")
        var passed: [UInt8] = []
        while passed.count < 256 {
            let bytes = try awaitBytes(&peer)
            if bytes.isEmpty { break }
            passed += bytes
        }
        #expect(passed == all)
    }

    @Test func `the line has one user at a time, and the error names that user`() throws {
        let pty = try Pty()
        let session = try Connector.serial(path: pty.path, rate: nil).open()
        let isOpen = session != nil
        #expect(isOpen)
        do throws(AccessoryError) {
            _ = try Connector.serial(path: pty.path, rate: nil).open()
            Issue.record("opened twice")
        } catch {
            guard case SerialFault.inUse(pty.path, let holder)? = error.fault as? SerialFault else {
                Issue.record("\(error)")
                return
            }
            // This process has both ends.
            #expect(holder?.pid == getpid())
            #expect(holder?.program.isEmpty == false)
        }
    }

    @Test func `the line can be used again after the session`() throws {
        let pty = try Pty()
        for _ in 0..<2 {
            let session = try Connector.serial(path: pty.path, rate: nil).open()
            let isOpen = session != nil
            #expect(isOpen)
            session?.close()
        }
    }

    @Test func `a missing line and a file that is not a line have different errors`() throws {
        #expect(throws: AccessoryError.serial(.notFound(path: "/dev/obdscan-none"))) {
            _ = try Connector.serial(path: "/dev/obdscan-none", rate: nil).open()
        }
        #expect(throws: AccessoryError.serial(.notATerminal(path: "/dev/null"))) {
            _ = try Connector.serial(path: "/dev/null", rate: nil).open()
        }
        #expect(throws: AccessoryError.serial(.notATerminal(path: "/tmp"))) {
            _ = try Connector.serial(path: "/tmp", rate: nil).open()
        }
    }

    @Test func `the error names the group that may open the line`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "obdscan-\(UUID())")
        try Data().write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        // Root can give the file to another group.
        if getuid() == 0 { chown(file.path(), 0, 20) }
        let number: gid_t = getuid() == 0 ? 20 : getgid()
        let name = getgrgid(number).map { String(cString: $0.pointee.gr_name) } ?? String(number)
        for (mode, expected) in [(0o660, name), (0o640, nil), (0o600, nil)] as [(mode_t, String?)] {
            chmod(file.path(), mode)
            #expect(Files.groupName(of: file.path()) == expected)
        }
        // The hint must not suggest joining root's group.
        if getuid() == 0 {
            chown(file.path(), 0, 0)
            chmod(file.path(), 0o660)
            #expect(Files.groupName(of: file.path()) == nil)
        }
        #expect(Files.groupName(of: "/nowhere") == nil)
    }

    @Test func `a live program's UUCP lock is respected`() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "obdscan-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // HDB format: the process number in ten columns. Process 1 is always alive.
        try "         1\n".write(
            to: folder.appending(path: "LCK..ttyUSB9"), atomically: true, encoding: .utf8)
        #expect(DeviceHolder.byLockFile(of: "/dev/ttyUSB9", in: folder.path())?.pid == 1)
        #expect(DeviceHolder.byLockFile(of: "/dev/ttyUSB8", in: folder.path()) == nil)
        try "2147483646\n".write(
            to: folder.appending(path: "LCK..ttyUSB7"), atomically: true, encoding: .utf8)
        #expect(DeviceHolder.byLockFile(of: "/dev/ttyUSB7", in: folder.path()) == nil)
    }
}

@Suite struct `A TCP connection` {
    /// Opens a listening socket on a port that the system chooses.
    private func listener(_ family: Int32) throws -> (descriptor: Int32, port: UInt16)? {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_storage()
        var length = socklen_t(family == AF_INET ? 16 : 28)
        if family == AF_INET {
            withUnsafeMutableBytes(of: &address) {
                $0.storeBytes(
                    of: sockaddr_in(
                        sin_family: sa_family_t(AF_INET), sin_port: 0,
                        sin_addr: in_addr(s_addr: UInt32(0x7F00_0001).bigEndian),
                        sin_zero: (0, 0, 0, 0, 0, 0, 0, 0)), as: sockaddr_in.self)
            }
        } else {
            withUnsafeMutableBytes(of: &address) {
                var loopback = sockaddr_in6()
                loopback.sin6_family = sa_family_t(AF_INET6)
                loopback.sin6_addr = in6addr_loopback
                $0.storeBytes(of: loopback, as: sockaddr_in6.self)
            }
        }
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, length) == 0 && listen(descriptor, 4) == 0
                    && getsockname(descriptor, $0, &length) == 0
            }
        }
        guard bound else {
            close(descriptor)
            return nil
        }
        let port = withUnsafeBytes(of: &address) { UInt16($0[2]) << 8 | UInt16($0[3]) }
        return (descriptor, port)
    }

    @Test(arguments: [("127.0.0.1", AF_INET), ("localhost", AF_INET), ("::1", AF_INET6)])
    func `IPv4, IPv6 and host names connect`(_ host: String, _ family: Int32) throws {
        guard let server = try listener(family) else {
            // Without IPv6, the machine can test no more.
            #expect(family == AF_INET6)
            return
        }
        defer { close(server.descriptor) }
        let connector = Connector.tcp(host: host, port: server.port)
        guard var session = try connector.open() else {
            Issue.record("not opened")
            return
        }
        let peer = accept(server.descriptor, nil, nil)
        defer { close(peer) }
        try session.write(Array("ATI\r".utf8))
        // This read blocks until loopback delivers the bytes.
        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(read(peer, &buffer, 16) == 4)
    }

    @Test func `a refused connection has an error`() throws {
        let server = try #require(try listener(AF_INET))
        close(server.descriptor)
        let connector = Connector.tcp(host: "127.0.0.1", port: server.port)
        #expect(
            throws: AccessoryError.tcp(
                .unreachable(address: "tcp:127.0.0.1:\(server.port)", errno: ECONNREFUSED))
        ) { _ = try connector.open() }
    }

    @Test
    func `if the server closes, the error explains that many Wi-Fi adapters accept one client`()
        throws
    {
        let server = try #require(try listener(AF_INET))
        defer { close(server.descriptor) }
        guard var session = try Connector.tcp(host: "127.0.0.1", port: server.port).open() else {
            Issue.record("not opened")
            return
        }
        close(accept(server.descriptor, nil, nil))
        do throws(AccessoryError) {
            while true { _ = try awaitBytes(&session) }
        } catch {
            #expect(error.isLoss && error.explanation.category == .lost)
            #expect(
                error.explanation.message == "tcp:127.0.0.1:\(server.port) closed the connection")
            #expect(
                error.explanation.hint?.hasPrefix("most Wi-Fi adapters serve one program") == true)
        }
    }

    @Test func `a name without an address has an error`() {
        do throws(AccessoryError) {
            _ = try Connector.tcp(host: "no.such.host.invalid", port: 1).open()
            Issue.record("opened")
        } catch {
            guard
                case TCPFault.nameNotResolved("no.such.host.invalid", _)? = error.fault as? TCPFault
            else {
                Issue.record("\(error)")
                return
            }
        }
    }

    @Test func `connecting can be cancelled`() throws {
        let server = try #require(try listener(AF_INET))
        defer { close(server.descriptor) }
        // The server accepts no connection. Once its queue is full, further connections wait.
        var others: [Int32] = []
        defer { for other in others { close(other) } }
        let flag = try EventDescriptor()
        flag.signal()
        for _ in 0..<16 {
            let session = try Connector.tcp(host: "127.0.0.1", port: server.port).open(
                within: .seconds(20), cancelledBy: flag.descriptor)
            guard let session else { return }
            others.append(dup(session.descriptor))
        }
        Issue.record("every connection was taken at once")
    }
}

@Suite struct `A Bluetooth connection` {
    @Test(arguments: [
        // Linux net/bluetooth/lib.c, bt_to_errno.
        (EACCES, AccessoryError.bluetooth(address: "x", .authenticationFailed)),
        (EBADE, .bluetooth(address: "x", .keyLost)),
        (EBUSY, .bluetooth(address: "x", .busy)),
        (EMLINK, .bluetooth(address: "x", .busy)),
        (EHOSTDOWN, .bluetooth(address: "x", .silent)),
        (ETIMEDOUT, .bluetooth(address: "x", .silent)),
        (ECONNREFUSED, .bluetooth(address: "x", .refused(channel: 3))),
        (ECONNRESET, .bluetooth(address: "x", .failed(errno: ECONNRESET))),
        (ENOSYS, .bluetooth(address: "x", .failed(errno: ENOSYS))),
        (EHOSTUNREACH, .bluetooth(.unavailable(errno: EHOSTUNREACH))),
    ])
    func `different failures have different errors`(_ number: Int32, _ error: AccessoryError) {
        #expect(AccessoryError.bluetooth(errno: number, "x", channel: 3) == error)
    }

    @Test func `a machine without Bluetooth has an error`() throws {
        let probe = socket(31, Int32(SOCK_STREAM.rawValue), 3)
        if probe >= 0 {
            close(probe)
            return
        }
        let number = errno
        let address = try #require(BluetoothAddress("00:11:22:33:44:55"))
        #expect(throws: AccessoryError.bluetooth(.unavailable(errno: number))) {
            _ = try Connector(RFCOMMTransport(address, channel: nil)).open()
        }
    }
}
