public import Diagnostics
import Formats
public import OBDCore

/// What a file says, one after the other.
public enum ImportEvent: Sendable {
    /// A trip begins; what is known of it.
    case trip(name: String?, tags: [String], vin: VIN?, start: UTC?)
    /// Something of the trip.
    case entry(TripEntry, at: UTC)
}

/// A line of a file that cannot be read.
public struct ImportFault: Error, Hashable, Sendable {
    /// Counted from 1.
    public var line: Int
    /// Why, in half a sentence.
    public var reason: String

    init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }
}

/// The forms of files that can be read.
public enum ImportFormat: String, Hashable, Sendable {
    /// Our own JSON Lines.
    case jsonLines
    /// Our own CSV with a line per reading.
    case csvLong
    /// CSV with a column per signal: Torque's, python-OBD scripts', our own.
    case csvWide

    /// What a file is that begins with `bytes`, its whole first line at least; nil for something else.
    public init?(_ bytes: [UInt8]) {
        let first = bytes.first { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) }
        if first == 0x7B {
            self = .jsonLines
            return
        }
        var csv = CSVReader(Array(bytes.prefix { $0 != 0x0A } + [0x0A]))
        guard let header = csv.next(), header.count > 1 else { return nil }
        if header.contains("signal") && header.contains("value") && header.contains("time") {
            self = .csvLong
        } else if header.contains("failureType") || header.contains("failure_type") {
            // A list of trouble codes is not a trip.
            return nil
        } else if WideColumns(header) != nil {
            self = .csvWide
        } else {
            return nil
        }
    }
}
