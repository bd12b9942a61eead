import Adapters
public import Diagnostics
public import OBDCore
import ScanSession

/// The trouble codes of one vehicle, with each ECU and each list kept apart.
public struct CodeScan: Sendable {
    /// One of the lists that an ECU keeps.
    public struct List: Sendable {
        /// The status of the codes in the list.
        public var kind: CodeReport.Kind
        /// The request and its outcome.
        public var asked: QueryResult
        /// The codes in the list, without those of an earlier list with the same status.
        ///
        /// UDS reports a confirmed code again among the pending ones.
        public var items: [DiagnosticItem]

        /// Whether the request was for a parameter group of SAE J1939.
        public var isParameterGroup: Bool {
            // There is no service 00.
            asked.answer.exchange.request?.first == 0x00
        }

        /// The meanings of a list of `ecu` that has several; nil if there is none.
        public func meanings(for ecu: ECUAddress?) -> [String]? {
            for case .error(let error) in asked.answer.items where error.ecu == ecu {
                if case .unsettled(let meanings) = error.fault { return meanings }
            }
            return nil
        }

        /// The outcome of the list for `ecu`.
        public func told(by ecu: ECUAddress?) -> Told {
            let reply = asked.answer.reply
            let answers = asked.answers.filter { $0.ecu == ecu }
            let messages = reply.messages.count { $0.ecu == ecu }
            let isDamaged =
                reply.errors.contains { $0.ecu == ecu || $0.ecu == nil }
                || asked.answer.items.contains {
                    if case .error(let error) = $0 { error.ecu == ecu } else { false }
                }
            // Without addresses, a message that does not match may be the only answer of another ECU.
            if isDamaged || messages > 0 && answers.isEmpty
                || ecu == nil && messages > answers.count
            {
                return .broken
            }
            let request = asked.answer.exchange.request ?? []
            if answers.contains(where: { $0.isPositiveAnswer(to: request) }) { return .list }
            if let refusal = answers.first { return .refused(NegativeResponse(refusal.payload)) }
            // A status other than NO DATA means that messages may have been lost.
            let isQuiet =
                asked.problem == nil && reply.texts.isEmpty && reply.voltage == nil
                && reply.statuses.allSatisfy { $0.recovery == .normal }
            return isQuiet ? .silent : .broken
        }
    }

    /// The outcome of an ECU's list.
    public enum Told: Hashable, Sendable {
        /// The list is complete.
        case list
        /// The ECU refused; in SAE J1939 the reason is not known.
        case refused(NegativeResponse?)
        /// The answer is damaged, incomplete, or for another request.
        case broken
        /// There was no answer.
        case silent
    }

    /// The properties that identify a code.
    private struct Known: Hashable {
        var ecu: ECUAddress?
        var kind: CodeReport.Kind
        var code: CodeReport.Code
        var isActive: Bool?
    }

    /// The ECUs' check engine light and number of codes.
    public var status: [QueryResult]
    /// Stored, pending and permanent codes.
    public var lists: [List]
    /// ECUs at their own addresses, if they were asked.
    public var modules: [ModuleScan.Module] = []
    /// The names of the ECUs.
    public var names = ECUNames()

    /// Requests all lists; a refused or missing list does not hide the others.
    public init(_ vehicle: Vehicle, in services: VehicleServices) throws(VehicleError) {
        status = try vehicle.readiness(in: services)
        lists = []
        var answers: [(kind: CodeReport.Kind, asked: [QueryResult])] = []
        for (query, kind) in [
            (DiagnosticQuery.storedCodes, CodeReport.Kind.stored), (.previousCodes, .stored),
            (.pendingCodes, .pending), (.permanentCodes, .permanent),
        ] {
            answers.append((kind, try vehicle.ask(query, in: services)))
        }
        let all = status + answers.flatMap(\.asked)
        var known: Set<Known> = []
        for (kind, asked) in answers {
            for asked in asked.map({ vehicle.settled($0, by: all) }) {
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
        names = vehicle.ecuNames(of: ecus, in: services)
    }

    private static let kinds: [CodeReport.Kind] = [.stored, .pending, .permanent]

    /// All requests.
    public var asked: [QueryResult] { status + lists.map(\.asked) + modules.flatMap(\.asked) }

    /// The time when the last answer was complete.
    public var time: Instant { asked.map(\.answer.answered).max() ?? .zero }

    /// All codes in the order in which they were reported.
    public var codes: [CodeReport] { listedCodes + modules.flatMap { newCodes(of: $0) } }

    private var listedCodes: [CodeReport] {
        lists.flatMap { list in
            list.items.compactMap { item in
                if case .code(let report) = item { report } else { nil }
            }
        }
    }

    /// A module's codes without those in its OBD lists, which have no failure type.
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

    /// Every ECU that sent a message, in the order of their addresses.
    public var ecus: [ECUAddress?] {
        let all = asked.flatMap { $0.answer.reply.messages.map(\.ecu) }
        let known = Set(all.compactMap(\.self)).sorted()
        return known.isEmpty ? (all.isEmpty ? [] : [nil]) : known
    }

    /// The known facts about an ECU without codes.
    public enum Absence: Hashable, Sendable {
        /// The ECU's lists are complete and empty.
        case noCodes
        /// The ECU's list of stored codes is complete and empty; its lists of pending or permanent codes are
        /// missing.
        case noStoredCodes
        /// The ECU counts this many stored codes, but its list is missing or empty.
        case announced(Int, listIsEmpty: Bool)
        /// The ECU refused the request for codes.
        case refused(NegativeResponse?)
        /// The ECU's list has several meanings.
        case notSettled
        /// The answer is damaged, incomplete, or for another request.
        case broken
        /// There was no answer.
        case unanswered
    }

    /// Why `ecu` has no codes to show; only a complete list proves that it has none.
    public func absence(of ecu: ECUAddress?, _ table: PIDTable) -> Absence {
        let stored = told(.stored, by: ecu)
        if stored != .list, let module = modules.first(where: { $0.module.responder == ecu }),
            module.service != nil, module.asked.allSatisfy({ $0.answer.reply.errors.isEmpty })
        {
            return .noCodes
        }
        if lists.contains(where: { $0.meanings(for: ecu) != nil }) { return .notSettled }
        let count = announced(by: ecu, table)
        if let count, count > 0 { return .announced(count, listIsEmpty: stored == .list) }
        switch stored {
        case .list: break
        case .refused(let refusal): return .refused(refusal)
        case .broken: return .broken
        case .silent: return count.map { .announced($0, listIsEmpty: false) } ?? .unanswered
        }
        // ECUs without emissions functions do not answer a request for a parameter group.
        let mayBeSilent = lists.contains { $0.kind == .pending && $0.isParameterGroup }
        if told(.permanent, by: ecu) == .broken { return .noStoredCodes }
        switch told(.pending, by: ecu) {
        case .list: return .noCodes
        case .refused(let refusal): return refusal?.isForGood ?? true ? .noCodes : .noStoredCodes
        case .silent: return mayBeSilent ? .noCodes : .noStoredCodes
        case .broken: return .noStoredCodes
        }
    }

    /// The combined outcome of all lists with one status; each service of a vehicle may have such a list.
    public func told(_ kind: CodeReport.Kind, by ecu: ECUAddress?) -> Told {
        let asked = lists.filter { $0.kind == kind }
        let all = asked.map { $0.told(by: ecu) }
        if all.contains(.broken) { return .broken }
        // DM1 comes first; an ECU without previously active codes (DM2) may not answer.
        if asked.first?.isParameterGroup ?? false { return all.first ?? .silent }
        return all.contains(.list) ? .list : all.first { $0 != .silent } ?? .silent
    }

    /// Why the codes are not known, if so: an ECU that did not report its codes may still have some.
    public func problem(_ vehicle: Vehicle) -> VehicleError? {
        if let problem = vehicle.problem(of: asked) { return problem }
        let heard = lists.flatMap { $0.asked.answers } + status.flatMap(\.answers)
        let own = Set(heard.map(\.ecu)).union(lists.flatMap(\.brokenECUs))
        let hasList = own.contains { told(.stored, by: $0) == .list }
        for ecu in own.sorted(by: { ($0?.value ?? 0) < ($1?.value ?? 0) }) {
            // The ECU reported its codes at its own address.
            if absence(of: ecu, vehicle.table) == .noCodes { continue }
            if told(.stored, by: ecu) == .list,
                let difference = difference(of: ecu, vehicle.table),
                difference.counted > difference.listed
            {
                return .codesMissing(
                    counted: difference.counted, listed: difference.listed, of: ecu)
            }
            for kind in Self.kinds {
                let told = told(kind, by: ecu)
                guard isUnknown(told, kind, hasList: hasList) else { continue }
                // A list with a wrong count is shown anyway.
                if told == .broken,
                    listedCodes.contains(where: { $0.ecu == ecu && $0.kind == kind })
                {
                    continue
                }
                let missing = lists.filter { $0.kind == kind && $0.told(by: ecu) == told }
                if let meanings = missing.lazy.compactMap({ $0.meanings(for: ecu) }).first {
                    return .codesNotSettled(kind, of: ecu, meanings)
                }
                let asked = missing.map(\.asked)
                let status = asked.compactMap(\.status).first { $0 != .noData }
                return asked.compactMap(\.error).first ?? status.map { .adapterSaid($0) }
                    ?? .codeListMissing(kind, of: ecu)
            }
        }
        return nil
    }

    /// Whether a list with this outcome leaves open whether there are codes.
    private func isUnknown(_ told: Told, _ kind: CodeReport.Kind, hasList: Bool) -> Bool {
        switch told {
        case .list: return false
        case .broken: return true
        // Pending and permanent codes were added in later editions.
        case .silent where kind != .stored: return false
        case .silent: return !(hasList && (lists.first?.isParameterGroup ?? false))
        // If another ECU has reported its codes, an ECU without an answer may not keep any codes.
        case .refused(let refusal):
            return !((hasList || kind != .stored) && refusal?.isForGood ?? true)
        }
    }

    /// Whether a list of `ecu` was damaged or replaced by another message.
    public func hasBrokenList(of ecu: ECUAddress?) -> Bool {
        Self.kinds.contains { told($0, by: ecu) == .broken }
    }

    /// The number of codes in PID 01 of `ecu` and the number of stored codes in its list, if they differ.
    ///
    /// The count is of stored codes only (SAE J1979).
    public func difference(of ecu: ECUAddress?, _ table: PIDTable) -> (counted: Int, listed: Int)? {
        guard let counted = announced(by: ecu, table) else { return nil }
        let listed = listedCodes.filter { $0.ecu == ecu && $0.kind == .stored }.count
        return counted == listed ? nil : (counted, listed)
    }

    /// The number of codes in PID 01 of `ecu`; nil if it did not report it.
    public func announced(by ecu: ECUAddress?, _ table: PIDTable) -> Int? {
        var sum: Int?
        for case .reading(let reading) in status.flatMap(\.answer.items)
        where reading.ecu == ecu && table[reading.signal].id == "DTC_CNT" {
            guard case .number(let count) = reading.value else { continue }
            // Without headers the answers of several ECUs cannot be separated.
            if ecu != nil { return Int(count) }
            sum = (sum ?? 0) + Int(count)
        }
        return sum
    }

    /// Whether any ECU reports codes, or counts some that are missing.
    public func hasCodes(_ table: PIDTable) -> Bool {
        if !codes.isEmpty { return true }
        return ecus.contains { ecu in
            if case .announced(let count, _) = absence(of: ecu, table) { count > 0 } else { false }
        }
    }

    /// Whether `ecu` turns the check engine light on; nil if it did not report that.
    public func lampIsOn(_ ecu: ECUAddress?, _ table: PIDTable) -> Bool? {
        let told = Readiness(status.flatMap(\.answer.items), table: table).ecus
            .first { $0.ecu == ecu }?.lampIsOn
        return told ?? lamps(of: ecu)?.malfunction
    }

    /// The lamps of `ecu` in SAE J1939; nil if it did not report them.
    public func lamps(of ecu: ECUAddress?) -> CodeReport.Lamps? {
        lists.lazy.flatMap(\.asked.answer.reply.messages)
            .filter { $0.ecu == ecu }.compactMap(\.lamps).first
    }

    /// Whether the vehicle uses SAE J1939.
    public var isOnJ1939: Bool { lists.contains(where: \.isParameterGroup) }
}

extension Vehicle {
    /// An answer without headers on an unknown protocol, decoded again after all answers of a scan: any of them may
    /// show how the list has to be read.
    fileprivate func settled(_ asked: QueryResult, by all: [QueryResult]) -> QueryResult {
        let exchange = asked.answer.exchange
        let messages = asked.answer.reply.messages
        guard exchange.family == nil, messages.contains(where: { $0.ecu == nil }) else {
            return asked
        }
        var decoder = ResponseDecoder(table: table, monitors: MonitorTables())
        for question in scan.link?.identity.questions ?? [] {
            decoder.note(question.messages, in: Exchange())
        }
        for one in all { decoder.note(one.answer.reply.messages, in: one.answer.exchange) }
        var settled = asked
        settled.answer.items = []
        for message in messages { decoder.decode(message, in: exchange, &settled.answer.items) }
        decoder.endExchange(exchange, &settled.answer.items)
        return settled
    }
}

extension CodeScan.List {
    /// The ECUs that answered with something other than a list.
    fileprivate var brokenECUs: [ECUAddress?] {
        let reply = asked.answer.reply
        return (reply.messages.map(\.ecu) + reply.errors.compactMap(\.ecu))
            .filter { told(by: $0) == .broken }
    }
}

extension NegativeResponse {
    /// Whether the refusal means that the ECU never supports the service, so it has no such list.
    fileprivate var isForGood: Bool {
        switch nrc.rawValue {
        // ISO 14229-1: service or sub-function not supported, or not in the active session.
        case 0x11, 0x12, 0x7E, 0x7F: true
        default: false
        }
    }
}
