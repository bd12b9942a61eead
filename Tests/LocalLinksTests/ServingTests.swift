import Accessory
import Foundation
import Glibc
import OBDCore
import SystemIO
import Testing

@testable import LocalLinks
@testable import Simulator

/// The devices of `sim:` and `replay:`, on the same kind of descriptors that a session uses.
@Suite struct `Serving on a descriptor` {
    /// A host that sends a line and reads until the prompt.
    private struct Host: ~Copyable {
        var session: DescriptorSession

        init(_ connector: Connector) throws {
            guard let session = try connector.open() else { throw CancellationError() }
            self.session = session
        }

        /// Sends a line and returns the answer up to the prompt.
        ///
        /// After ten seconds, it returns what has come.
        mutating func ask(_ line: String) throws -> String {
            try session.write(Array((line + "\r").utf8))
            var answer: [UInt8] = []
            var set = PollSet()
            let deadline = SystemClock.now() + .seconds(10)
            while answer.last != UInt8(ascii: ">") {
                set.removeAll()
                set.add(session.descriptor)
                if try set.wait(until: deadline) == 0 { break }
                answer += try session.receive()
            }
            return String(decoding: answer, as: UTF8.self)
        }
    }

    @Test func `a simulated adapter answers over a socket pair`() throws {
        var host = try Host(SimulatorLink.connector("petrol?latency=0&frozen=true"))
        #expect(try host.ask("ATE0") == "ATE0\rOK\r\r>")
        #expect(try host.ask("0100") == "SEARCHING...\r41 00 BE 3F A8 13 \r41 00 80 18 00 11 \r\r>")
    }

    @Test func `the answer of a simulated adapter arrives after its delay`() throws {
        var host = try Host(SimulatorLink.connector("petrol?latency=30ms&wait=0&search=0&at=0"))
        _ = try host.ask("ATE0")
        _ = try host.ask("0100")
        let before = SystemClock.now()
        _ = try host.ask("01051")
        let time = SystemClock.now() - before
        // The answer must not come early. How late it comes depends on the machine.
        #expect(time >= .milliseconds(30))
    }

    @Test func `after a reconnect the adapter has its earlier state`() throws {
        let connector = try SimulatorLink.connector("petrol?latency=0&engine=off")
        var first = try Host(connector)
        _ = try first.ask("ATE0")
        _ = try first.ask("04")
        first.session.close()
        var second = try Host(connector)
        #expect(try second.ask("ATDPN") == "A6\r\r>")
        #expect(try second.ask("03") == "43 00 \r43 00 \r\r>")
        let fresh = try SimulatorLink.connector("petrol?latency=0&engine=off")
        var other = try Host(fresh)
        #expect(try other.ask("03").contains("43 02 03 01 04 20"))
    }

    @Test func `a fault in an address is a usage failure`() {
        #expect(throws: LocalLinkFault.self) { try SimulatorLink.connector("petrol?latency=soon") }
        do throws(LocalLinkFault) {
            _ = try SimulatorLink.connector("lorry")
        } catch {
            #expect(error.explanation.category == .usage)
            let scenarios = "petrol, diesel, electric, hybrid, motorcycle, onuds, truck"
            #expect(error.explanation.message.contains(scenarios))
        }
    }

    @Test func `a missing, empty or damaged recording has an error`() throws {
        let folder = FileManager.default.temporaryDirectory.path + "/obdscan-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let cases: [(name: String, text: String?, category: Explanation.Category, part: String)] = [
            ("missing", nil, .noInput, "No such file"),
            ("empty", "", .badInput, "no command"),
            ("damaged", "obdscan-transcript 1\n0.0 ? AT\n", .badInput, ":2: "),
            ("newer", "obdscan-transcript 9\n", .badInput, ":1: "),
        ]
        for (name, text, category, part) in cases {
            let path = folder + "/" + name
            if let text { try text.write(toFile: path, atomically: false, encoding: .utf8) }
            do throws(LocalLinkFault) {
                _ = try ReplayLink.connector(path: path)
                Issue.record("\(name) was taken")
            } catch {
                #expect(error.explanation.category == category, "\(name)")
                #expect(error.explanation.message.contains(part), "\(error.explanation.message)")
            }
        }
    }

    @Test func `a port that is in use has an error`() throws {
        let socket = try ListeningSocket.tcp(ServedHost(port: 0))
        let port = try #require(socket.address.split(separator: ":").last.flatMap { UInt16($0) })
        #expect(throws: LocalLinkFault.port(ServedHost(port: port), errno: EADDRINUSE)) {
            _ = try ListeningSocket.tcp(ServedHost(port: port))
        }
        _ = consume socket
    }

    /// The link to the pty must never replace a file.
    @Test func `a symbolic link instead of the recording is refused`() throws {
        let path = FileManager.default.temporaryDirectory.path + "/obdscan-\(UUID().uuidString)"
        try "mine".write(toFile: path, atomically: false, encoding: .utf8)
        defer { unlink(path) }
        #expect(throws: LocalLinkFault.link(path: path, errno: EEXIST)) {
            _ = try PseudoTerminal.open(link: path)
        }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "mine")
    }

    /// Sends the commands of every recorded conversation again.
    ///
    /// Each command must get its recorded answer.
    @Test func `recorded conversations are answered as recorded`() throws {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("Transcripts").path
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter {
            $0.hasSuffix(".txt")
        }
        #expect(names.count > 20)
        for name in names.sorted() {
            let path = folder + "/" + name
            let adapter = try ReplayLink.adapter(reading: path)
            var host = try Host(ReplayLink.connector(path: path))
            for exchange in adapter.exchanges {
                let answer = try host.ask(exchange.command)
                #expect(
                    answer == String(decoding: exchange.answer, as: UTF8.self),
                    "\(name) \(exchange.command)")
            }
        }
    }
}
