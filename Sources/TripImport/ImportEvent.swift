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

    /// Whether the file can be read once somebody says on which day it begins.
    public var needsDay = false

    init(line: Int, reason: String) {
        self.line = line
        self.reason = reason
    }

    /// Times without a day, and none in the file's name.
    static func noDay(line: Int) -> ImportFault {
        var fault = ImportFault(line: line, reason: "the file does not say on which day it begins")
        fault.needsDay = true
        return fault
    }
}

/// Lines of other programs that cannot be read and are passed over.
public struct SkippedLines: Hashable, Sendable {
    /// How many.
    public private(set) var count = 0
    /// The first of them.
    public private(set) var first: ImportFault?

    /// Nothing was passed over.
    public init() {}

    mutating func add(_ fault: ImportFault) {
        count += 1
        if first == nil { first = fault }
    }
}

/// The forms of files that can be read.
public enum ImportFormat: Hashable, Sendable {
    /// Our own JSON Lines.
    case jsonLines
    /// Our own CSV with a line per reading.
    case csvLong
    /// CSV with a column per signal, perhaps below some lines of text: Torque's, python-OBD scripts',
    /// our own, and those of many apps.
    case csvWide
    /// Car Scanner's CSV with a line per reading.
    case carScanner
    /// Freematics' lines of time, key and value.
    case freematics
    /// Frames of a CAN bus.
    case frames(FrameLogForm)

    /// What a file is that begins with `bytes`, its whole first line at least; nil for something else.
    public init?(_ bytes: [UInt8]) {
        let bytes = UTF16Pieces.decoded(bytes)
        let first = bytes.first { $0 > 0x20 && ![0xEF, 0xBB, 0xBF].contains($0) }
        if first == 0x7B {
            self = .jsonLines
            return
        }
        if let form = FrameLogForm(beginning: bytes) {
            self = .frames(form)
            return
        }
        if FreematicsImport.begins(bytes) {
            self = .freematics
            return
        }
        var csv = CSVReader(bytes)
        for row in 0..<WideImport.longestPreamble {
            guard let header = csv.next() else { return nil }
            guard header.count > 1 else { continue }
            if CarScannerImport.isHeading(header) {
                self = .carScanner
                return
            }
            if header.contains("signal") && header.contains("value") && header.contains("time") {
                guard row == 0 else { return nil }
                self = .csvLong
                return
            }
            if header.contains("failureType") || header.contains("failure_type") {
                // A list of trouble codes is not a trip.
                return nil
            }
            if WideColumns(header) != nil {
                self = .csvWide
                return
            }
        }
        return nil
    }
}
