import CSystem
import Foundation
import OBDCore
import SystemIO
import Testing

@testable import Accessory

@Suite struct `A server that is not an adapter` {
    /// Sends `answer` once the first request has come completely.
    private static func serve(_ answer: String) throws -> UInt16 {
        let (listener, port) = try ListeningSockets.tcp()
        Thread.detachNewThread {
            defer { close(listener) }
            var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
            guard poll(&waiting, 1, 10_000) > 0 else { return }
            let client = accept(listener, nil, nil)
            defer { close(client) }
            var received: [UInt8] = []
            while !received.suffix(2).elementsEqual("\n\n".utf8) {
                var buffer = [UInt8](repeating: 0, count: 256)
                let count = read(client, &buffer, buffer.count)
                if count <= 0 { return }
                received += buffer[..<count]
            }
            _ = Array(answer.utf8).withUnsafeBytes { write(client, $0.baseAddress, $0.count) }
        }
        return port
    }

    @Test(arguments: ["HTTP/1.1 200 OK\r\n\r\n<html>", "HTTP/1.0 400 Bad Request\r\n\r\n"])
    func `a web server is reported with the ports that adapters use`(answer: String) throws {
        let port = try Self.serve(answer)
        let found = try #require(
            TCPTransport(host: "127.0.0.1", port: port).stranger(cancelledBy: nil))
        #expect(
            found.explanation.message == "tcp:127.0.0.1:\(port): this is a web page, not an adapter"
        )
        #expect(found.explanation.hint == "adapters listen on 35000: -d tcp:127.0.0.1:35000")
        #expect(found.words.step == .adapter)
    }

    @Test(arguments: ["?\r\r>", "", "SSH-2.0-x\r\n"])
    func `a server that is not a web server stays unknown`(answer: String) throws {
        let port = try Self.serve(answer)
        #expect(TCPTransport(host: "127.0.0.1", port: port).stranger(cancelledBy: nil) == nil)
    }

    @Test func `a transport without a network does not look for other servers`() {
        #expect(SerialTransport(path: "/dev/null", rate: nil).stranger(cancelledBy: nil) == nil)
    }
}
