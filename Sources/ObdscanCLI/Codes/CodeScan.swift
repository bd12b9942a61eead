import Adapters
import Diagnostics
import OBDCore
import ScanSession
import TripExport

/// What the ECUs of one vehicle say about trouble codes; every ECU and every list stands alone.
struct CodeScan: Sendable {
    /// One of the lists that an ECU keeps.
    struct List: Sendable {
        /// Which.
        var kind: CodeReport.Kind
        /// The question and what became of it.
        var asked: Asked
        /// What it brought; a code that an earlier list brought in the same kind is left out: UDS
        /// tells a confirmed code again when it is asked for pending ones.
        var items: [DiagnosticItem]

        /// Whether a parameter group of SAE J1939 was asked for.
        var isParameterGroup: Bool {
            guard case .vehicle(let request) = asked.answer.request else { return false }
            return request.service == DataID.parameterGroups
        }
    }

    /// What makes a code the same.
    private struct Known: Hashable {
        var ecu: ECUAddress?
        var kind: CodeReport.Kind
        var code: CodeReport.Code
        var isActive: Bool?
    }

    /// What the ECUs say about lamp and number of codes.
    var status: [Asked]
    /// Stored, pending and permanent codes.
    var lists: [List]
    /// ECUs at addresses of their own, where they were asked for.
    var modules: [ModuleScan.Module] = []

    /// Asks for everything; a list that is refused or silent hides none of the others.
    init(_ connection: Connection, in services: VehicleServices) throws(ScanError) {
        status = try connection.readiness(in: services)
        lists = []
        var known: Set<Known> = []
        for (query, kind) in [
            (DiagnosticQuery.storedCodes, CodeReport.Kind.stored), (.previousCodes, .stored),
            (.pendingCodes, .pending), (.permanentCodes, .permanent),
        ] {
            for asked in try connection.ask(query, in: services) {
                let items = asked.answer.items.filter { item in
                    guard case .code(let report) = item else { return true }
                    return known.insert(
                        Known(
                            ecu: report.ecu, kind: report.kind, code: report.code,
                            isActive: report.isActive)
                    ).inserted
                }
                lists.append(List(kind: kind, asked: asked, items: items))
            }
        }
    }

    /// Everything that was asked.
    var asked: [Asked] { status + lists.map(\.asked) + modules.flatMap(\.asked) }

    /// When the last answer was complete.
    var time: Instant { asked.map(\.answer.answered).max() ?? .zero }

    /// Every code, in the order in which it was reported.
    var codes: [CodeReport] { listedCodes + modules.flatMap { newCodes(of: $0) } }

    private var listedCodes: [CodeReport] {
        lists.flatMap { list in
            list.items.compactMap { item in
                if case .code(let report) = item { report } else { nil }
            }
        }
    }

    /// A module's codes without those that its OBD lists have told already: there they stand
    /// without a failure type.
    func newCodes(of module: ModuleScan.Module) -> [CodeReport] {
        module.codes.filter { report in
            guard case .dtc(let code) = report.code, code.failureType ?? 0 == 0 else { return true }
            return !listedCodes.contains { listed in
                guard case .dtc(let other) = listed.code else { return false }
                return listed.ecu == report.ecu && listed.kind == report.kind
                    && other.code == code.code && other.failureType ?? 0 == 0
            }
        }
    }

    /// Every ECU that said anything, in the order of their addresses.
    var ecus: [ECUAddress?] {
        let all = asked.flatMap { $0.answer.reply.messages.map(\.ecu) }
        let known = Set(all.compactMap(\.self)).sorted()
        return known.isEmpty ? (all.isEmpty ? [] : [nil]) : known
    }

    /// What is known where an ECU has no code to show.
    enum Absence: Hashable, Sendable {
        /// It answered, or counts none: there are no codes.
        case noCodes
        /// It counts so many codes, but its list of stored ones did not come, or came empty.
        case announced(Int, listIsEmpty: Bool)
        /// Nothing is known.
        case unanswered
    }

    /// Why there is no code of `ecu` to show.
    func absence(of ecu: ECUAddress?, _ table: PIDTable) -> Absence {
        let stored = lists.filter { $0.kind == .stored }
        let isDamaged = stored.contains { list in
            list.asked.answer.reply.errors.contains { $0.ecu == ecu || $0.ecu == nil }
                || list.items.contains {
                    if case .error(let e) = $0 { e.ecu == ecu } else { false }
                }
        }
        let answered = stored.contains { list in
            list.asked.answer.reply.messages.contains { $0.ecu == ecu && !$0.isRefusal }
        }
        let isEmpty = answered && !isDamaged
        if !isEmpty, let module = modules.first(where: { $0.module.responder == ecu }),
            module.service != nil, module.asked.allSatisfy({ $0.answer.reply.errors.isEmpty })
        {
            return .noCodes
        }
        switch announced(by: ecu, table) {
        case 0: return .noCodes
        case let count?: return .announced(count, listIsEmpty: isEmpty)
        case nil: return isEmpty ? .noCodes : .unanswered
        }
    }

    /// What `ecu` counts in PID 01 and how many stored codes it lists, where that differs; the
    /// count is of stored codes alone (SAE J1979).
    func difference(of ecu: ECUAddress?, _ table: PIDTable) -> (counted: Int, listed: Int)? {
        guard let counted = announced(by: ecu, table) else { return nil }
        let listed = listedCodes.filter { $0.ecu == ecu && $0.kind == .stored }.count
        return counted == listed ? nil : (counted, listed)
    }

    /// How many codes `ecu` counts in PID 01; nil where it did not tell.
    func announced(by ecu: ECUAddress?, _ table: PIDTable) -> Int? {
        for case .reading(let reading) in status.flatMap(\.answer.items)
        where reading.ecu == ecu && table[reading.signal].id == "DTC_CNT" {
            if case .number(let count) = reading.value { return Int(count) }
        }
        return nil
    }

    /// Whether any ECU reports codes, or counts some that did not come.
    func hasCodes(_ table: PIDTable) -> Bool {
        if !codes.isEmpty { return true }
        return ecus.contains { ecu in
            if case .announced = absence(of: ecu, table) { true } else { false }
        }
    }

    /// Whether `ecu` asks for the malfunction indicator lamp; nil where it did not tell.
    func lampIsOn(_ ecu: ECUAddress?, _ table: PIDTable) -> Bool? {
        let told = Readiness(status.flatMap(\.answer.items), table: table).ecus
            .first { $0.ecu == ecu }?.lampIsOn
        return told
            ?? lists.lazy.flatMap(\.asked.answer.reply.messages)
            .filter { $0.ecu == ecu }.compactMap(\.lampIsOn).first
    }
}

extension CodeReport {
    /// The list it is in; in SAE J1939 a stored code may not be active any more.
    var kindText: String {
        isActive == false ? "\(kind.rawValue), not active" : kind.rawValue
    }

    /// The code with its failure type: `P0301-11`.
    var fullText: String { code.fullText }
}

extension CodeReport.Code {
    /// The code with its failure type: `P0301-11`; without the count of SAE J1939.
    var fullText: String {
        switch self {
        case .dtc(let code): code.description
        case .j1939(let code): code.text
        }
    }

    /// The failure type as two digits; nil without one.
    var failureType: String? {
        guard case .dtc(let code) = self else { return nil }
        return code.failureType.map { Hex.string([$0]) }
    }
}
