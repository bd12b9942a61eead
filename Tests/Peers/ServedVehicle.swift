import Foundation
import OBDCore
import Simulator

/// The built `obdscan simulate` as a separate process.
final class ServedVehicle {
    /// The address in its first line of output.
    let address: String
    private let process: Process

    /// Starts it and waits until it prints its address.
    init(_ arguments: [String]) throws {
        process = Process()
        process.executableURL = Self.program
        process.arguments = ["simulate"] + arguments
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var line: [UInt8] = []
        while line.last != 0x0A {
            let bytes = output.fileHandleForReading.availableData
            if bytes.isEmpty { break }
            line += bytes
        }
        address = String(decoding: line.dropLast(), as: UTF8.self)
    }

    deinit {
        if process.isRunning { process.terminate() }
    }

    /// Ends it like a service manager; returns its exit code.
    func stop() -> Int32 {
        process.terminate()
        process.waitUntilExit()
        return process.terminationReason == .exit ? process.terminationStatus : -1
    }

    /// `obdscan`: the path in the environment variable OBDSCAN, else the program next to the tests.
    static var program: URL {
        if let named = ProcessInfo.processInfo.environment["OBDSCAN"] {
            return URL(fileURLWithPath: named)
        }
        let tests = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        return tests.deletingLastPathComponent().appendingPathComponent("obdscan")
    }
}

/// The results that another project's client must find, from the simulator's own values.
struct Expectation: Encodable {
    struct Value: Encodable {
        var pid: UInt32
        var signal: String
        var value: Double
        var step: Double
    }

    var address: String
    var `protocol`: String
    var values: [Value]
    var vin: String?
    var stored: [String]
    var pending: [String]?
    var mil: Bool

    /// The engine ECU of a frozen vehicle at `address`.
    init(_ options: SimulatorOptions, address: String) throws {
        let vehicle = try SimulatedVehicle(options)
        self.address = address
        `protocol` = vehicle.vehicleProtocol.digit
        values = vehicle.values(after: .zero).filter { $0.ecu == vehicle.ecus[0] }.map {
            Value(pid: $0.id.id, signal: $0.signal, value: $0.value, step: $0.step)
        }
        // Before CAN, python-OBD misreads the map of info types and therefore never requests the
        // VIN, and it takes the first two bytes of a pending code for a count.
        let isCAN = vehicle.vehicleProtocol.family == .can
        vin = isCAN ? options.vin?.text : nil
        stored = (options.codes ?? []).map(\.text)
        pending = isCAN ? (options.pending ?? []).map(\.text) : nil
        mil = !stored.isEmpty
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(address, forKey: .address)
        try container.encode(`protocol`, forKey: .protocol)
        try container.encode(values, forKey: .values)
        try container.encode(vin, forKey: .vin)
        try container.encode(stored, forKey: .stored)
        try container.encode(pending, forKey: .pending)
        try container.encode(mil, forKey: .mil)
    }

    private enum Key: String, CodingKey {
        case address, `protocol`, values, vin, stored, pending, mil
    }
}
