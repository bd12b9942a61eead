import CSystem
import Foundation
import OBDCore
import Testing

@testable import Accessory

/// A folder for sockets.
///
/// It is removed at the end.
private final class Folder {
    let path: String

    init() throws {
        var template = Array("/tmp/obdscan-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// Opens a listening socket.
    ///
    /// Without a `backlog` it is bound but does not listen.
    func listen(_ name: String, backlog: Int32? = 4, stream: Bool = true) throws -> Int32 {
        let kind = stream ? SOCK_STREAM.rawValue : SOCK_DGRAM.rawValue
        let descriptor = socket(AF_UNIX, Int32(kind), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) {
            $0.copyBytes(from: "\(path)/\(name)".utf8)
        }
        let isBound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        try #require(isBound)
        if let backlog { try #require(Glibc.listen(descriptor, backlog) == 0) }
        return descriptor
    }
}

@Suite struct `A UNIX-domain socket` {
    private let folder: Folder

    init() throws { folder = try Folder() }

    private func transport(_ path: String) throws -> any Transport {
        try TransportRegistry.system.address("unix:\(path)").transport
    }

    /// The fault if the path cannot be opened.
    private func fault(_ path: String) throws -> UnixSocketFault? {
        do throws(AccessoryError) {
            let session = try UnixSocketTransport(path: path).open(
                within: .seconds(8), cancelledBy: nil)
            let isOpen = session != nil
            Issue.record("opened: \(isOpen)")
            return nil
        } catch {
            return error.fault as? UnixSocketFault
        }
    }

    @Test(arguments: ["unix:/run/obd.sock", "unix:obd.sock", "unix:./a:b?c", "unix:@name"])
    func `a printed address can be read again`(_ text: String) throws {
        let address = try TransportRegistry.system.address(text)
        #expect(address.description == text)
        #expect(try TransportRegistry.system.address("\(address)") == address)
        #expect(address == AccessoryAddress(UnixSocketTransport(path: String(text.dropFirst(5)))))
    }

    @Test func `the address of a UNIX socket has a path`() {
        #expect(throws: AddressError(.missing("path"), in: "unix:")) {
            try TransportRegistry.system.address("unix:")
        }
    }

    @Test func `bytes pass both ways until the program closes the socket`() throws {
        let listener = try folder.listen("a")
        defer { close(listener) }
        let connector = try transport("\(folder.path)/a").connector()
        guard var session = try connector.open() else {
            Issue.record("not opened")
            return
        }
        #expect(session.kind == .stream)
        #expect(connector.reachesAccessory)
        let peer = accept(listener, nil, nil)
        try session.write(Array("ATI\r".utf8))
        var buffer = [UInt8](repeating: 0, count: 16)
        #expect(read(peer, &buffer, 16) == 4)
        #expect(write(peer, "ELM>", 4) == 4)
        let bytes = try session.receive()
        #expect(bytes == Array("ELM>".utf8))
        let nothing = try session.receive()
        #expect(nothing.isEmpty)
        close(peer)
        do throws(AccessoryError) {
            _ = try session.receive()
            Issue.record("nothing was noticed")
        } catch {
            #expect(error.isLoss)
            #expect(error.explanation.message == "unix:\(folder.path)/a closed the connection")
            #expect(error.explanation.hint?.contains("program that serves it") == true)
        }
    }

    @Test
    func `a missing socket and a file that is not a stream socket have different errors`() throws {
        #expect(try fault("\(folder.path)/none") == .notFound(path: "\(folder.path)/none"))
        #expect(try fault("/dev/null/a") == .notFound(path: "/dev/null/a"))
        #expect(try fault("/dev/null") == .notASocket(path: "/dev/null"))
        #expect(try fault(folder.path) == .notASocket(path: folder.path))
        let datagrams = try folder.listen("d", backlog: nil, stream: false)
        defer { close(datagrams) }
        #expect(try fault("\(folder.path)/d") == .notAStream(path: "\(folder.path)/d"))
    }

    @Test func `a socket whose program ended refuses connections`() throws {
        close(try folder.listen("a"))
        #expect(try fault("\(folder.path)/a") == .refused(path: "\(folder.path)/a"))
    }

    @Test func `a socket with a full queue fails at once`() throws {
        let listener = try folder.listen("a", backlog: 0)
        defer { close(listener) }
        let first = try transport("\(folder.path)/a").open(within: .seconds(8), cancelledBy: nil)
        let isOpen = first != nil
        #expect(isOpen)
        #expect(try fault("\(folder.path)/a") == .busy(path: "\(folder.path)/a"))
    }

    // unix(7): sun_path has 108 bytes, including the final NUL.
    @Test func `a path has at most 107 bytes`() throws {
        let name = String(repeating: "s", count: 107 - folder.path.utf8.count - 1)
        let listener = try folder.listen(name)
        defer { close(listener) }
        let session = try transport("\(folder.path)/\(name)").open(
            within: .seconds(8), cancelledBy: nil)
        let isOpen = session != nil
        #expect(isOpen)
        let path = "\(folder.path)/\(name)s"
        #expect(try fault(path) == .pathTooLong(path: path))
        let words = UnixSocketFault.pathTooLong(path: path).words
        #expect(words.explanation.message == "unix: the path has 108 bytes, and 107 are the limit")
        #expect(
            words.explanation.hint
                == "name it from its folder: cd \(folder.path), then -d unix:\(name)s")
        #expect(words.explanation.category == .usage)
    }

    @Test(.enabled(if: geteuid() != 0, "root sees no permissions"))
    func `if the user lacks permission, the error names the owner`() throws {
        let listener = try folder.listen("a")
        defer { close(listener) }
        chmod("\(folder.path)/a", 0o400)
        #expect(
            try fault("\(folder.path)/a")
                == .permissionDenied(path: "\(folder.path)/a", group: nil))
    }

    @Test func `all names of a socket mean one adapter, remembered by its full path`() throws {
        let listener = try folder.listen("a")
        defer { close(listener) }
        try #require(symlink("\(folder.path)/a", "\(folder.path)/b") == 0)
        let real = try transport("\(folder.path)/a")
        let link = try transport("\(folder.path)/b")
        #expect(real.identity == link.identity)
        #expect(real.memoryKey == "unix:\(folder.path)/a")
        #expect(real.isExclusive && !real.isServedHere)
        #expect(try transport("/none").identity == "unix:/none")
        #expect(try transport("/none").memoryKey == "unix:/none")
    }

    @Test(arguments: [
        UnixSocketFault.notFound(path: "p"), .notASocket(path: "p"), .notAStream(path: "p"),
        .permissionDenied(path: "p", group: nil), .permissionDenied(path: "p", group: "obd"),
        .refused(path: "p"), .busy(path: "p"), .pathTooLong(path: "p"),
    ])
    func `every error has a remedy`(_ fault: UnixSocketFault) {
        let words = AccessoryError.unixSocket(fault).words
        #expect(
            words.explanation.message.contains("p") && !words.explanation.message.hasSuffix("."))
        #expect(words.explanation.hint?.isEmpty == false)
        #expect(AccessoryError.unixSocket(fault) == AccessoryError(fault))
        #expect(AccessoryError.unixSocket(fault) != .lost(address: "p", errno: 0))
    }
}
