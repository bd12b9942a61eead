import Adapters
public import Diagnostics
public import OBDCore
import ScanSession

/// What the ECUs of one vehicle say about trouble codes; every ECU and every list is by itself.
public struct CodeScan: Sendable {
    /// One of the lists that an ECU keeps.
    public struct List: Sendable {
        /// Which.
        public var kind: CodeReport.Kind
        /// The question and what became of it.
        public var asked: QueryResult
        /// What it brought; a code that an earlier list brought in the same kind is left out: UDS
        /// shows a confirmed code again when it is asked for pending ones.
        public var items: [DiagnosticItem]

        /// Whether a parameter group of SAE J1939 was asked for.
        public var isParameterGroup: Bool {
            // No service is 00.
            asked.answer.exchange.request?.first == 0x00
        }

        /// What became of the list of `ecu`.
        public func told(by ecu: ECUAddress?) -> Told {
            let reply = asked.answer.reply
            let answers = asked.answers.filter { $0.ecu == ecu }
            let messages = reply.messages.count { $0.ecu == ecu }
            let isDamaged =
                reply.errors.contains { $0.ecu == ecu || $0.ecu == nil }
                || asked.answer.items.contains {
                    if case .error(let error) = $0 { error.ecu == ecu } else { false }
                }
            // Without addresses what answers something else may be all that another ECU said.
            if isDamaged || messages > 0 && answers.isEmpty
                || ecu == nil && messages > answers.count
            {
                return .broken
            }
            let request = asked.answer.exchange.request ?? []
            if answers.contains(where: { $0.isPositiveAnswer(to: request) }) { return .list }
            if let refusal = answers.first { return .refused(NegativeResponse(refusal.payload)) }
            // Any other word than NO DATA says that more may have been sent than came.
            let isQuiet =
                asked.problem == nil && reply.texts.isEmpty && reply.voltage == nil
                && reply.statuses.allSatisfy { $0.recovery == .normal }
            return isQuiet ? .silent : .broken
        }
    }

    /// What became of an ECU's list.
    public enum Told: Hashable, Sendable {
        /// It came whole.
        case list
        /// The ECU refused; in SAE J1939 without a reason that is known here.
        case refused(NegativeResponse?)
        /// What came is damaged, cut short, or answers another request.
        case broken
        /// Nothing came.
        case silent
    }

    /// What makes a code the same.
    private struct Known: Hashable {
        var ecu: ECUAddress?
        var kind: CodeReport.Kind
        var code: CodeReport.Code
        var isActive: Bool?
    }

    /// What the ECUs say about lamp and number of codes.
    public var status: [QueryResult]
    /// Stored, pending and permanent codes.
    public var lists: [List]
    /// ECUs at addresses of their own, where they were asked for.
    public var modules: [ModuleScan.Module] = []

    /// Asks for everything; a list that is refused or silent hides none of the others.
    public init(_ vehicle: Vehicle, in services: VehicleServices) throws(VehicleError) {
        status = try vehicle.readiness(in: services)
        lists = []
        var known: Set<Known> = []
        for (query, kind) in [
            (DiagnosticQuery.storedCodes, CodeReport.Kind.stored), (.previousCodes, .stored),
            (.pendingCodes, .pending), (.permanentCodes, .permanent),
        ] {
            for asked in try vehicle.ask(query, in: services) {
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

    private static let kinds: [CodeReport.Kind] = [.stored, .pending, .permanent]

    /// Everything that was asked.
    public var asked: [QueryResult] { status + lists.map(\.asked) + modules.flatMap(\.asked) }

    /// When the last answer was complete.
    public var time: Instant { asked.map(\.answer.answered).max() ?? .zero }

    /// Every code, in the order in which it was reported.
    public var codes: [CodeReport] { listedCodes + modules.flatMap { newCodes(of: $0) } }

    private var listedCodes: [CodeReport] {
        lists.flatMap { list in
            list.items.compactMap { item in
                if case .code(let report) = item { report } else { nil }
            }
        }
    }

    /// A module's codes without those that its OBD lists have told already: there they stand
    /// without a failure type.
    public func newCodes(of module: ModuleScan.Module) -> [CodeReport] {
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
    public var ecus: [ECUAddress?] {
        let all = asked.flatMap { $0.answer.reply.messages.map(\.ecu) }
        let known = Set(all.compactMap(\.self)).sorted()
        return known.isEmpty ? (all.isEmpty ? [] : [nil]) : known
    }

    /// What is known where an ECU has no code to show.
    public enum Absence: Hashable, Sendable {
        /// Its lists came, and are empty.
        case noCodes
        /// Its list of stored codes came, and is empty; that of pending or permanent ones did not come.
        case noStoredCodes
        /// It counts this many stored codes, but their list did not come, or came empty.
        case announced(Int, listIsEmpty: Bool)
        /// It refused.
        case refused(NegativeResponse?)
        /// What came is damaged, cut short, or answers another request.
        case broken
        /// Nothing is known.
        case unanswered
    }

    /// Why there is no code of `ecu` to show; only a list that came whole says that there is none.
    public func absence(of ecu: ECUAddress?, _ table: PIDTable) -> Absence {
        let stored = told(.stored, by: ecu)
        if stored != .list, let module = modules.first(where: { $0.module.responder == ecu }),
            module.service != nil, module.asked.allSatisfy({ $0.answer.reply.errors.isEmpty })
        {
            return .noCodes
        }
        let count = announced(by: ecu, table)
        if let count, count > 0 { return .announced(count, listIsEmpty: stored == .list) }
        switch stored {
        case .list: break
        case .refused(let refusal): return .refused(refusal)
        case .broken: return .broken
        case .silent: return count.map { .announced($0, listIsEmpty: false) } ?? .unanswered
        }
        // Silence is how ECUs without emissions duties answer a request for a parameter group.
        let mayBeSilent = lists.contains { $0.kind == .pending && $0.isParameterGroup }
        if told(.permanent, by: ecu) == .broken { return .noStoredCodes }
        switch told(.pending, by: ecu) {
        case .list: return .noCodes
        case .refused(let refusal): return refusal?.isForGood ?? true ? .noCodes : .noStoredCodes
        case .silent: return mayBeSilent ? .noCodes : .noStoredCodes
        case .broken: return .noStoredCodes
        }
    }

    /// What became of the lists of one kind, taken together: each of a vehicle's services may have
    /// one.
    public func told(_ kind: CodeReport.Kind, by ecu: ECUAddress?) -> Told {
        let asked = lists.filter { $0.kind == kind }
        let all = asked.map { $0.told(by: ecu) }
        if all.contains(.broken) { return .broken }
        // DM1 comes first; an ECU without previous codes (DM2) may stay silent.
        if asked.first?.isParameterGroup ?? false { return all.first ?? .silent }
        return all.contains(.list) ? .list : all.first { $0 != .silent } ?? .silent
    }

    /// Why it is not known which codes there are, where that is so: of what an ECU did not tell, nobody
    /// may conclude that it has none.
    public func problem(_ vehicle: Vehicle) -> VehicleError? {
        if let problem = vehicle.problem(of: asked) { return problem }
        let heard = lists.flatMap { $0.asked.answers } + status.flatMap(\.answers)
        let own = Set(heard.map(\.ecu)).union(lists.flatMap(\.brokenECUs))
        let hasList = own.contains { told(.stored, by: $0) == .list }
        for ecu in own.sorted(by: { ($0?.value ?? 0) < ($1?.value ?? 0) }) {
            // Its own address told them.
            if absence(of: ecu, vehicle.table) == .noCodes { continue }
            for kind in Self.kinds {
                let told = told(kind, by: ecu)
                guard isUnknown(told, kind, hasList: hasList) else { continue }
                // What came of a list with a wrong count is shown.
                if told == .broken,
                    listedCodes.contains(where: { $0.ecu == ecu && $0.kind == kind })
                {
                    continue
                }
                let asked = lists.filter { $0.kind == kind && $0.told(by: ecu) == told }
                    .map(\.asked)
                let status = asked.compactMap(\.status).first { $0 != .noData }
                return asked.compactMap(\.error).first ?? status.map { .adapterSaid($0) }
                    ?? .codeListMissing(kind, of: ecu)
            }
        }
        return nil
    }

    /// Whether a list that became of `told` leaves open whether there are codes.
    private func isUnknown(_ told: Told, _ kind: CodeReport.Kind, hasList: Bool) -> Bool {
        switch told {
        case .list: return false
        case .broken: return true
        // Pending and permanent codes came with later editions.
        case .silent where kind != .stored: return false
        case .silent: return !(hasList && (lists.first?.isParameterGroup ?? false))
        // An ECU beside one that told its codes may have none to keep.
        case .refused(let refusal):
            return !((hasList || kind != .stored) && refusal?.isForGood ?? true)
        }
    }

    /// Whether a list of `ecu` came damaged or was replaced by something else.
    public func hasBrokenList(of ecu: ECUAddress?) -> Bool {
        Self.kinds.contains { told($0, by: ecu) == .broken }
    }

    /// What `ecu` counts in PID 01 and how many stored codes it lists, where that differs; the
    /// count is of stored codes alone (SAE J1979).
    public func difference(of ecu: ECUAddress?, _ table: PIDTable) -> (counted: Int, listed: Int)? {
        guard let counted = announced(by: ecu, table) else { return nil }
        let listed = listedCodes.filter { $0.ecu == ecu && $0.kind == .stored }.count
        return counted == listed ? nil : (counted, listed)
    }

    /// How many codes `ecu` counts in PID 01; nil where it did not tell.
    public func announced(by ecu: ECUAddress?, _ table: PIDTable) -> Int? {
        for case .reading(let reading) in status.flatMap(\.answer.items)
        where reading.ecu == ecu && table[reading.signal].id == "DTC_CNT" {
            if case .number(let count) = reading.value { return Int(count) }
        }
        return nil
    }

    /// Whether any ECU reports codes, or counts some that did not come.
    public func hasCodes(_ table: PIDTable) -> Bool {
        if !codes.isEmpty { return true }
        return ecus.contains { ecu in
            if case .announced(let count, _) = absence(of: ecu, table) { count > 0 } else { false }
        }
    }

    /// Whether `ecu` asks for the malfunction indicator lamp; nil where it did not tell.
    public func lampIsOn(_ ecu: ECUAddress?, _ table: PIDTable) -> Bool? {
        let told = Readiness(status.flatMap(\.answer.items), table: table).ecus
            .first { $0.ecu == ecu }?.lampIsOn
        return told
            ?? lists.lazy.flatMap(\.asked.answer.reply.messages)
            .filter { $0.ecu == ecu }.compactMap(\.lampIsOn).first
    }
}

extension CodeScan.List {
    /// The ECUs of which something came that is not a list.
    fileprivate var brokenECUs: [ECUAddress?] {
        let reply = asked.answer.reply
        return (reply.messages.map(\.ecu) + reply.errors.compactMap(\.ecu))
            .filter { told(by: $0) == .broken }
    }
}

extension NegativeResponse {
    /// Whether it says that the ECU has no such service, now or ever: it keeps no such list.
    fileprivate var isForGood: Bool {
        switch nrc.rawValue {
        // ISO 14229-1: service or sub-function not supported, the same in the active session.
        case 0x11, 0x12, 0x7E, 0x7F: true
        default: false
        }
    }
}
