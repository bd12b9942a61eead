import Accessory
import Diagnostics
import Formats
import Foundation
import OBDCore
import PIDTables
import Reports
import ScanSession
import Synchronization
import SystemIO
import VehicleScan

@testable import ObdscanCLI

/// An adapter within the tests' process that answers each request from a table.
///
/// The adapter waits for lines, never for a time, and keeps the received lines.
final class TableAdapter: Sendable {
    /// Answers by request; each further request gets the next answer, and the last answer is
    /// repeated.
    ///
    /// Lines of an answer are separated by `|`, and blanks are ignored. A request that is not in
    /// the table gets `NO DATA`, an adapter command `OK`.
    private let table: [String: [String]]
    private let received = Mutex<[String]>([])

    /// An answer that closes the connection.
    static let hangUp = "hang up"

    init(_ table: [String: [String]]) { self.table = table }

    /// How often a request was received; a single carriage return repeats the previous one.
    func count(_ request: String) -> Int {
        received.withLock { lines in
            var last = ""
            return lines.count { line in
                if !line.isEmpty { last = line }
                return last == request
            }
        }
    }

    /// The requests to the vehicle, in order.
    var requests: [String] { received.withLock { $0.filter { !$0.hasPrefix("AT") } } }

    /// A connector for sessions with this adapter.
    var connector: Connector {
        .descriptor(name: "adapter") { [self] () throws(AccessoryError) in
            var ends: [Int32] = [-1, -1]
            guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
                throw .system(call: "socketpair", address: "adapter", errno: errno)
            }
            let mine = ends[1]
            do throws(SystemError) {
                let thread = try SystemThread { [self] in
                    serve(mine)
                    close(mine)
                }
                thread.detach()
            } catch {
                throw .system(call: error.call, address: "adapter", errno: error.errno)
            }
            return ends[0]
        }
    }

    private func serve(_ descriptor: Int32) {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(descriptor, &byte, 1) == 1 {
            if byte > 0x20 { line.append(byte) }
            guard byte == 0x0D else { continue }
            let said = answer(String(decoding: line, as: UTF8.self))
            if said == Self.hangUp { return }
            let answer = Array((said + "\r\r>").utf8)
            line = []
            guard write(descriptor, answer, answer.count) == answer.count else { return }
        }
    }

    private func answer(_ line: String) -> String {
        let isForAdapter = line.hasPrefix("AT") || line.hasPrefix("ST")
        // An odd last digit is the expected number of frames.
        let request = isForAdapter || line.count.isMultiple(of: 2) ? line : String(line.dropLast())
        let earlier = received.withLock { lines in
            defer { lines.append(request) }
            return lines.count { $0 == request }
        }
        if let answers = table[request] {
            let answer = answers[min(earlier, answers.count - 1)].replacing("|", with: "\r")
            // The blanks in frames are only for the reader of the test.
            return answer.hasPrefix("7E") ? answer.filter { $0 != " " } : answer
        }
        return switch request {
        case "ATI", "ATZ": "ELM327 v1.5"
        case "ATDPN": "A6"
        case "STI": "?"
        // Two ECUs without further support maps.
        case "0100": "7E806410098180000\r7E906410080100000"
        default: isForAdapter ? "OK" : "NO DATA"
        }
    }
}

/// A command's link to a vehicle with answers from a table.
struct TableVehicle {
    let adapter: TableAdapter
    let connection: Vehicle
    let services: VehicleServices

    /// Runs `body` with a vehicle that has two ECUs at 7E8 and 7E9, unless `answers` changes that.
    static func run(
        _ answers: [String: [String]], ecu: UInt32? = nil, sinks: [any ReadingSink] = [],
        _ body: (TableVehicle) throws -> Void
    ) throws {
        let adapter = TableAdapter(answers)
        let table = try PIDTables.standard()
        var configuration = SessionConfiguration(connector: adapter.connector)
        configuration.policy.repeatPause = .milliseconds(1)
        configuration.policy.firstPause = .milliseconds(1)
        let scan = try ScanSession.start(
            configuration, decoder: try responseDecoder(table), sinks: sinks)
        defer { scan.stop() }
        let connection = Vehicle(
            scan: scan, table: table, accessory: "adapter", key: nil,
            ecu: ecu.map { ECUAddress($0, .can11) }, vehicleProtocol: nil,
            inbox: try SignalInbox.relay())
        try body(
            TableVehicle(
                adapter: adapter, connection: connection, services: try connection.services()))
    }

    /// Reads the codes of the ECUs.
    func codes() throws -> CodeScan { try CodeScan(connection, in: services) }

    /// A printer of codes that writes nothing to standard error.
    func printer(_ format: OutputFormat = .text) throws -> CodePrinter {
        CodePrinter(
            OutputOptions(format: format, quiet: true), table: connection.table,
            knowledge: CodeKnowledge(), accessory: connection.accessory)
    }

    /// The output of `body`.
    static func printed(_ body: (inout TextOutput) throws -> Void) throws -> String {
        let collected = CollectedBytes()
        var writer = TextOutput(sink: collected.take)
        try body(&writer)
        try writer.flush()
        return String(decoding: collected.bytes, as: UTF8.self)
    }
}
