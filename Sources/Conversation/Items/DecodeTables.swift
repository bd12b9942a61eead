import Adapters
import Diagnostics
import OBDCore
import PIDTables

/// The tables for `decode`.
///
/// Reading all embedded tables takes longer than everything else for a single line. A short text therefore
/// only gets the records whose identifiers occur in it. The first text that is longer, or followed by another
/// one, gets all tables. If the user has own tables, every text gets all records.
public struct DecodeTables {
    /// The part of the PID tables that is loaded.
    public private(set) var table = PIDTable()
    /// The loaded names and scalings of monitors.
    public private(set) var monitors = MonitorTables()

    private let ownFiles: [TableFile]
    private let request: String
    /// Whether all tables are loaded.
    public private(set) var isWhole = false
    private var isFirst = true

    /// Texts up to this length are searched for identifiers; unit: bytes.
    static let shortText = 4096

    /// Tables in which `ownFiles` take precedence over the embedded ones, for answers to `request`.
    ///
    /// - Throws: `TableError` or `MonitorTableError`, like ``grow(for:)``.
    public init(_ ownFiles: [TableFile], request: String?) throws {
        self.ownFiles = ownFiles
        self.request = request ?? ""
        if !ownFiles.isEmpty { try loadAll() }
    }

    /// A decoder that has decoded nothing yet.
    public var decoder: ResponseDecoder { ResponseDecoder(table: table, monitors: monitors) }

    /// Loads the tables that `chunk` may need; returns whether further tables were loaded.
    ///
    /// `mayBeOddlySpelled` means that a byte may consist of other characters than two hexadecimal digits.
    public mutating func grow(
        for chunk: ArraySlice<UInt8>, mayBeOddlySpelled: Bool
    ) throws -> Bool {
        guard !isWhole else { return false }
        // A recording may contain a digit as an escape sequence.
        let mayBeEscaped = chunk.contains(UInt8(ascii: "\\"))
        guard isFirst, chunk.count <= Self.shortText, !mayBeEscaped, !mayBeOddlySpelled else {
            try loadAll()
            return true
        }
        isFirst = false
        var bytes = SpelledBytes()
        bytes.note(request.utf8)
        bytes.note(chunk)
        table = try PIDTables.excerpt { bytes.mayIdentify($0) }
        if bytes.mayHoldMonitorTests { monitors = try PIDTables.monitorTables() }
        return true
    }

    private mutating func loadAll() throws {
        table = try PIDTables.load(ownFiles)
        monitors = try PIDTables.monitorTables()
        isWhole = true
    }
}

/// The bytes that a text may contain in hexadecimal: every two consecutive digits.
///
/// Any characters may be between the digits, because only the text's reader knows where bytes begin.
struct SpelledBytes {
    private var isSpelled = [Bool](repeating: false, count: 256)

    /// Adds the bytes in `text`.
    public mutating func note(_ text: some Sequence<UInt8>) {
        var high: UInt8?
        for character in text {
            guard let digit = Hex.value(character) else { continue }
            if let high { isSpelled[Int(high << 4 | digit)] = true }
            high = digit
        }
    }

    /// Whether an answer in this text may contain the record of `id`.
    public func mayIdentify(_ id: DataID) -> Bool {
        // The low byte of a parameter group may be an address. Data identifiers for PIDs of OBD have the PID
        // as their low byte.
        let byte = id.service == DataID.parameterGroups ? id.id >> 8 : id.id
        // Reports 11 and 12 have the parts of report 01.
        if id.service == .readCodeInformation, id.id == 0x01, isSpelled[0x11] || isSpelled[0x12] {
            return true
        }
        return isSpelled[Int(byte & 0xFF)]
    }

    /// Whether an answer in this text may be a monitor test of service 05, service 06, or data identifiers
    /// F6xx.
    public var mayHoldMonitorTests: Bool { isSpelled[0x45] || isSpelled[0x46] || isSpelled[0xF6] }
}
