import CSystem
import Foundation
import TestSupport

/// A running `obdscan serve` with its answers.
final class ServedPage: Sendable {
    /// An answer.
    struct Answer: CustomStringConvertible {
        var status: Int
        /// The fields by their names in lower case; if a name occurs twice, the last one.
        var fields: [String: String]
        var body: [UInt8]
        /// Whether the body is complete.
        var isWhole: Bool

        var text: String { String(decoding: body, as: UTF8.self) }
        var description: String { "\(status) \(fields)\n\(text)" }

        /// The objects of its lines.
        func objects() throws -> [[String: Any]] { try Outcome.objects(text) }
    }

    struct Unreachable: Error {}

    let program: RunningProgram
    /// The address from its output.
    let url: String
    let port: UInt16

    /// Starts it on any free port of the loopback interface, unless `arguments` contain an address.
    init(
        _ workplace: Workplace, _ arguments: [String], _ environment: [String: String]? = nil
    ) async throws {
        let place = arguments.contains("--listen") ? [] : ["--listen", "127.0.0.1:0"]
        program = try RunningProgram(
            Workplace.program, ["serve"] + arguments + place,
            environment: environment ?? workplace.environment)
        url = try await program.lines(with: "http://").first ?? ""
        let rest = url.dropFirst("http://".count).prefix { $0 != "/" }
        guard let port = rest.split(separator: ":").last.flatMap({ UInt16($0) }) else {
            throw Unreachable()
        }
        self.port = port
    }

    /// Sends a GET and returns the answer.
    func get(_ target: String, host: String? = nil, _ fields: [String] = []) async throws -> Answer
    {
        let lines =
            ["GET \(target) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")"] + fields + ["", ""]
        return try await send(lines.joined(separator: "\r\n"))
    }

    /// Sends these bytes and returns the answer.
    func send(_ text: String) async throws -> Answer {
        let answer = try await onThread { [port] in
            Self.answer(try Self.exchange(text, port) { _ in false })
        }
        KeptObjects.keep(answer.text)
        return answer
    }

    /// Reads a stream until it contains all of `words`, each as often as it is listed.
    func stream(_ target: String, until words: [String]) async throws -> String {
        try await onThread { [port] in
            let request = "GET \(target) HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let bytes = try Self.exchange(request, port) { bytes in
                let text = String(decoding: bytes, as: UTF8.self)
                return words.allSatisfy { word in
                    text.components(separatedBy: word).count > words.count { $0 == word }
                }
            }
            let text = String(decoding: bytes, as: UTF8.self)
            // Server-sent events.
            KeptObjects.keep(text.replacing("\ndata: ", with: "\n"))
            return text
        }
    }

    /// Repeats a request until `isEnough` returns true, for at most 20 seconds.
    func wait(
        for target: String, until isEnough: ([[String: Any]]) -> Bool
    ) async throws -> [[String: Any]] {
        let deadline = sys_monotonic_ns() + 20_000_000_000
        while true {
            let objects = try await get(target).objects()
            if isEnough(objects) { return objects }
            guard sys_monotonic_ns() < deadline else {
                throw RunningProgram.Overdue(description: "\(target) stays \(objects)")
            }
        }
    }

    private static func exchange(
        _ text: String, _ port: UInt16, until isEnough: ([UInt8]) -> Bool
    ) throws -> [UInt8] {
        let socket = sys_stream_socket(AF_INET, 0)
        defer { close(socket) }
        var place = sockaddr_in()
        place.sin_family = sa_family_t(AF_INET)
        place.sin_port = port.bigEndian
        place.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let length = UInt32(MemoryLayout<sockaddr_in>.size)
        withUnsafeBytes(of: &place) { _ = sys_connect(socket, $0.baseAddress, length) }
        let deadline = sys_monotonic_ns() + 30_000_000_000
        var waiting = [pollfd(fd: socket, events: Int16(POLLOUT), revents: 0)]
        _ = sys_ppoll_until(&waiting, 1, deadline)
        guard sys_socket_error(socket) == 0 else { throw Unreachable() }
        let request = Array(text.utf8)
        _ = request.withUnsafeBytes { sys_write(socket, $0.baseAddress, $0.count) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 * 1024)
        while !isEnough(bytes) {
            waiting = [pollfd(fd: socket, events: Int16(POLLIN), revents: 0)]
            guard sys_ppoll_until(&waiting, 1, deadline) > 0, sys_monotonic_ns() < deadline else {
                throw RunningProgram.Overdue(
                    description: "only came: " + String(decoding: bytes, as: UTF8.self))
            }
            let count = buffer.withUnsafeMutableBytes { sys_read(socket, $0.baseAddress, $0.count) }
            if count <= 0 { break }
            bytes += buffer[..<count]
        }
        return bytes
    }

    private static func answer(_ bytes: [UInt8]) -> Answer {
        let mark = Array("\r\n\r\n".utf8)
        let end =
            bytes.indices.first { bytes[$0...].starts(with: mark) } ?? bytes.endIndex
        let lines = String(decoding: bytes[..<end], as: UTF8.self).components(separatedBy: "\r\n")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon].lowercased()] = line[colon...].dropFirst()
                .trimmingCharacters(in: .whitespaces)
        }
        var rest = bytes[min(end + 4, bytes.endIndex)...]
        let status = lines[0].split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        guard fields["transfer-encoding"] == "chunked" else {
            return Answer(
                status: status, fields: fields, body: Array(rest),
                isWhole: fields["content-length"] == "\(rest.count)")
        }
        var body: [UInt8] = []
        while let line = rest.firstIndex(of: 0x0D) {
            let count = Int(String(decoding: rest[..<line], as: UTF8.self), radix: 16) ?? 0
            rest = rest[(line + 2)...]
            if count == 0 {
                return Answer(status: status, fields: fields, body: body, isWhole: true)
            }
            body += rest.prefix(count)
            rest = rest.dropFirst(count + 2)
        }
        return Answer(status: status, fields: fields, body: body, isWhole: false)
    }
}
