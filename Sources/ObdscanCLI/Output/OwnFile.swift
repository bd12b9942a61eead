import Adapters
import Formats
import Glibc
import OBDCore
import Reports
import SystemIO

/// A kind of file that a command writes, and recognises when it would replace one.
///
/// A file of the same kind is replaced. Any other file stays, because it has nothing to do with obdscan.
enum OwnFile {
    /// A page for people: HTML or PDF.
    case page
    /// A report about a problem.
    case problem
    /// A table of trouble codes.
    case codes(CodeTable.Form)
    /// A table of PIDs that an import made.
    case table
    /// The bytes of a conversation with an adapter.
    case conversation
    /// Trips in a format.
    case trips(TripFileFormat)
    /// A table of a logbook.
    case logbook
    /// A table of energy.
    case energy

    /// The last line of a PDF, which readers of PDF skip.
    static let endOfPDF = Array("\n%obdscan\n".utf8)

    /// The name of this kind of file, for messages.
    private var title: String {
        switch self {
        case .page: "a page that obdscan wrote"
        case .problem: "a report that obdscan wrote"
        case .codes: "a table of trouble codes"
        case .table: "a table that obdscan pids import wrote"
        case .conversation: "a recorded conversation"
        case .logbook: "a logbook"
        case .energy: "a table of obdscan trips energy"
        case .trips(let format): "an export of obdscan as \(format.rawValue)"
        }
    }

    /// Whether a file with these bytes is of this kind.
    func recognises(_ bytes: [UInt8]) -> Bool {
        func begins(_ text: String) -> Bool { bytes.starts(with: text.utf8) }
        switch self {
        case .page:
            return bytes.starts(with: HTMLPage.beginning.utf8)
                || bytes.suffix(Self.endOfPDF.count).elementsEqual(Self.endOfPDF)
        case .problem: return begins("obdscan report\n")
        case .table: return begins("# Made by obdscan pids import.")
        case .conversation: return Transcript.isTranscript(bytes)
        case .codes(.xlsx), .trips(.xlsx):
            return Workbook.beginnings.contains { bytes.starts(with: $0) }
        case .codes(.jsonl):
            return CodeBatch.Subject.allCases.contains { begins("{\"kind\":\"\($0.kind)\"") }
        case .codes(.csv):
            var reader = CSVReader(bytes)
            let heading = reader.next()
            return CodeBatch.Subject.allCases.contains { $0.columns == heading }
        case .logbook:
            var reader = CSVReader(bytes)
            return reader.next() == Logbook.columns
        case .energy:
            var reader = CSVReader(bytes)
            return reader.next() == EnergyReport.columns
        case .trips(.csv): return Self.isExport(bytes)
        case .trips(.json): return begins("{\"kind\":\"trip\",\"id\":")
        case .trips(.gpx), .trips(.kml):
            return String(decoding: bytes.prefix(1024), as: UTF8.self).contains("obdscan")
        case .trips(.influx): return begins("obd,trip=")
        case .trips(.kuksa): return begins("field,signal,value,delay")
        // A database is never replaced.
        case .trips(.sqlite): return false
        }
    }

    /// Whether a table is an export of readings: its heading, and the time in its first row.
    private static func isExport(_ bytes: [UInt8]) -> Bool {
        var reader = CSVReader(bytes)
        guard let heading = reader.next(), let first = heading.first,
            first == "time" || first.hasPrefix("time [every ") || first.hasPrefix("time (")
        else { return false }
        if heading.starts(with: ["time", "ecu", "service", "pid"]) { return true }
        if let row = reader.next(), let time = row.first, time.hasSuffix("Z"), UTC(time) != nil {
            return true
        }
        // Times may be local ones or seconds, which other programs write, too; our signals have short names
        // and units.
        return heading.dropFirst().contains { name in
            guard let start = name.firstRange(of: " (")?.lowerBound, name.hasSuffix(")") else {
                return false
            }
            return name == "latitude (°)"
                || name[..<start].allSatisfy {
                    $0.isUppercase || $0.isNumber || " _-".contains($0)
                }
        }
    }

    /// Refuses a path whose file has nothing to do with the command; nil and standard output are not
    /// files.
    func check(mayReplace path: String?) throws(Failure) {
        guard let path, let size = OutputFile.size(of: path), size > 0 else { return }
        var bytes = (try? Files.beginning(of: path, limit: 65_536)) ?? []
        // The mark of a PDF is its end.
        if bytes.starts(with: "%PDF".utf8) { bytes = (try? Files.bytes(of: path)) ?? [] }
        if recognises(bytes) { return }
        throw Failure(
            "\(path) exists already and is not \(title)",
            hint: "name another file, or move this one away first",
            status: .cannotCreate)
    }
}
