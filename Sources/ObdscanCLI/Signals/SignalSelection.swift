import Diagnostics
import OBDCore
import PIDTables

/// One signal that a user asked for.
struct SelectedSignal: Hashable, Sendable {
    /// The record that carries it; nil = the voltage at the adapter, which no record carries.
    var record: PIDTable.Record?
    /// The signal; nil = every signal of the record.
    var signal: SignalIndex?
    /// Under what the record is asked for; nil = the voltage at the adapter.
    var dataID: DataID?
    /// Whether the user gave service and number, which mean what they say.
    var isByNumber = false
    /// How often it is wanted; nil = as everything else.
    var pace: SignalPace?

    /// A signal of a record, asked for as the table names it.
    init(record: PIDTable.Record?, signal: SignalIndex?, isByNumber: Bool = false) {
        self.record = record
        self.signal = signal
        dataID = record?.dataID
        self.isByNumber = isByNumber
    }
}

extension SessionNeeds {
    /// What asking for `records` needs of the session.
    ///
    /// A vehicle that answers no service 01, as many electric ones, may still answer the ECU that a
    /// table names; its address tells which CAN that is.
    mutating func take(_ records: [PIDTable.Record]) {
        guard let target = records.lazy.compactMap(\.target).first,
            records.allSatisfy({ $0.target?.form == target.form })
        else { return }
        switch target.form {
        case .can11: assumed = .can11At500
        case .can29: assumed = .can29At500
        case .byte: return
        }
        vehicle = .maybeSilent
    }
}

/// Finds signals by what users type: SAE name (`RPM`), alias (`coolant-temp`) or `01:0C`.
struct SignalNames {
    let table: PIDTable
    private let voltage: SignalIndex?

    /// Names of the signals in `table`.
    init(_ table: PIDTable) {
        self.table = table
        voltage = table.adapterVoltage
    }

    /// The signal or record that `name` means; a ``Failure`` with the nearest names where none does.
    func find(_ name: String) throws(Failure) -> SelectedSignal {
        if let id = Self.dataID(name) {
            guard let record = table.record(id) else {
                let owners = table.records.filter { $0.dataID == id }.compactMap(\.responder)
                guard owners.isEmpty else {
                    throw Failure(
                        "\(id) is \(owners.count) records, of "
                            + owners.map(\.description).joined(separator: ", "),
                        hint: "name a signal: obdscan pids list \(id)", status: .usage)
                }
                throw Failure(
                    "no PID table knows \(id)",
                    hint: Self.remedy(for: id.service)
                        ?? "raw data of any PID: obdscan send \(id.service)\(id.idText)",
                    status: .usage)
            }
            return SelectedSignal(record: record, signal: nil, isByNumber: true)
        }
        let wanted = Self.key(name)
        var byAlias: SelectedSignal?
        for record in table.records {
            for index in record.signals {
                let place = SignalIndex(rawValue: index)
                let signal = table[place]
                if Self.key(signal.id) == wanted {
                    return selected(record, place)
                }
                if byAlias == nil, signal.aliases.contains(where: { Self.key($0) == wanted }) {
                    byAlias = selected(record, place)
                }
            }
        }
        if let byAlias { return byAlias }
        if let place = name.lastIndex(of: "@"), place != name.startIndex {
            throw Failure(
                "no signal is called \"\(name)\"",
                hint: "only live and log take a pace: \(name[..<place])", status: .usage)
        }
        let near = nearest(to: wanted)
        throw Failure(
            "no signal is called \"\(name)\"",
            hint: near.isEmpty
                ? Self.service(name).flatMap(Self.remedy) ?? "obdscan pids list shows all names"
                : "did you mean \(near.joined(separator: ", "))?",
            status: .usage)
    }

    /// The signal as it is asked for; the voltage at the adapter belongs to no record.
    func selected(_ record: PIDTable.Record, _ signal: SignalIndex) -> SelectedSignal {
        SelectedSignal(record: signal == voltage ? nil : record, signal: signal)
    }

    /// Reads `01:0C`, `010C` and `22:F40C`; nil for a name.
    static func dataID(_ text: String) -> DataID? {
        if text.contains(":") { return DataID(text) }
        guard text.utf8.count == 4 || text.utf8.count == 6, let bytes = Hex.bytes(text),
            let service = bytes.first, bytes.count == (service == 0x22 ? 3 : 2)
        else { return nil }
        return DataID(Service(service), bytes.dropFirst().reduce(0) { $0 << 8 | UInt32($1) })
    }

    /// A service alone, by its two digits.
    private static func service(_ text: String) -> Service? {
        text.utf8.count == 2 ? Hex.bytes(text).flatMap(\.first).map { Service($0) } : nil
    }

    /// The command that shows what a service without measured values has; nil for other services.
    private static func remedy(for service: Service) -> String? {
        switch service {
        case .freezeFrame: "obdscan freeze shows freeze frames"
        case .storedCodes, .pendingCodes, .permanentCodes, .readCodeInformation:
            "obdscan dtc shows trouble codes"
        case .clearCodes, .clearDiagnosticInformation: "obdscan dtc clear clears trouble codes"
        case .oxygenSensorTests, .monitorTests: "obdscan monitors shows test results"
        default: nil
        }
    }

    /// Case, blanks, hyphens and underscores make no difference.
    static func key(_ text: String) -> [UInt8] {
        text.utf8.compactMap { character in
            switch character {
            case 0x20, 0x2D, 0x5F: nil
            case 0x41...0x5A: character + 0x20
            default: character
            }
        }
    }

    /// At most three names that a slip of the fingers could have meant.
    private func nearest(to wanted: [UInt8]) -> [String] {
        let bound = wanted.count < 4 ? 1 : wanted.count < 8 ? 2 : 3
        var found: [(distance: Int, name: String, service: Service)] = []
        for record in table.records {
            for index in record.signals {
                let signal = table[SignalIndex(rawValue: index)]
                let candidates = ([signal.id] + signal.aliases).map {
                    (distance: editDistance(Self.key($0), wanted, bound: bound), name: $0)
                }
                guard let best = candidates.min(by: { $0.distance < $1.distance }),
                    best.distance <= bound
                else { continue }
                found.append((best.distance, best.name, record.dataID.service))
            }
        }
        // What most vehicles speak comes before what trucks call it.
        let usual = found.filter { $0.service != DataID.parameterGroups }
        let others = found.filter { $0.service == DataID.parameterGroups }
        var names: [String] = []
        for candidate in (usual + others).sorted(by: { $0.distance < $1.distance })
        where names.count < 3
            && !names.contains(where: { Self.key($0) == Self.key(candidate.name) })
        {
            names.append(candidate.name)
        }
        return names
    }
}
