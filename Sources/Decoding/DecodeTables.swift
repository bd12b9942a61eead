import Adapters
import Diagnostics
import OBDCore
import PIDTables

/// The tables that `decode` needs.
///
/// To read the embedded ones whole takes longer than all else that one line needs, so a short text
/// gets only the records whose identifiers are in it. The first text that is longer, or followed by
/// another, gets everything; so does who brings tables of their own.
public struct DecodeTables {
    /// What of the PID tables is loaded.
    public private(set) var table = PIDTable()
    /// Names and scalings of monitors, as far as loaded.
    public private(set) var monitors = MonitorTables()

    private let ownFiles: [TableFile]
    private let request: String
    /// Whether that is everything.
    public private(set) var isWhole = false
    private var isFirst = true

    /// Texts up to this many bytes are looked through.
    private static let shortText = 4096

    /// Tables with `ownFiles` over the embedded ones, for answers to `request`.
    ///
    /// - Throws: `TableError` or `MonitorTableError`, as ``grow(for:)``.
    public init(_ ownFiles: [TableFile], request: String?) throws {
        self.ownFiles = ownFiles
        self.request = request ?? ""
        if !ownFiles.isEmpty { try loadAll() }
    }

    /// A decoder that has seen nothing yet.
    public var decoder: ResponseDecoder { ResponseDecoder(table: table, monitors: monitors) }

    /// Loads what `chunk` may ask for; says whether that was more than was there.
    public mutating func grow(for chunk: ArraySlice<UInt8>) throws -> Bool {
        guard !isWhole else { return false }
        // The text of a recording may spell a digit as an escape.
        guard isFirst, chunk.count <= Self.shortText, !chunk.contains(UInt8(ascii: "\\")) else {
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

/// The bytes that a text may spell in hexadecimal: every two digits that follow each other,
/// whatever is between them, because only its reader knows where bytes begin.
struct SpelledBytes {
    private var isSpelled = [Bool](repeating: false, count: 256)

    /// Adds what `text` spells.
    public mutating func note(_ text: some Sequence<UInt8>) {
        var high: UInt8?
        for character in text {
            guard let digit = Hex.value(character) else { continue }
            if let high { isSpelled[Int(high << 4 | digit)] = true }
            high = digit
        }
    }

    /// Whether an answer in this text may hold what `id` identifies.
    public func mayIdentify(_ id: DataID) -> Bool {
        // The low byte of a parameter group may be an address; data identifiers that stand for a PID
        // of OBD have it as their low byte.
        let byte = id.service == DataID.parameterGroups ? id.id >> 8 : id.id
        return isSpelled[Int(byte & 0xFF)]
    }

    /// Whether an answer in this text may be a monitoring test: of service 05, of service 06, or of
    /// data identifiers F6xx.
    public var mayHoldMonitorTests: Bool { isSpelled[0x45] || isSpelled[0x46] || isSpelled[0xF6] }
}
