import Adapters
public import Diagnostics
import OBDCore
import ScanSession
import ScanTool
import Synchronization

/// The services in which to ask the ECUs of a vehicle.
public struct VehicleServices: Sendable {
    /// One profile, or two if some ECUs only support the newer services.
    public let profiles: [DiagnosticProfile]
    /// The first request, which shows why no ECU answers.
    public let first: QueryResult?
    /// Whether any ECU answered the request.
    public let isAnswered: Bool
}

/// The services of a session's vehicle, which are found once.
final class KnownServices: Sendable {
    private struct Known {
        /// The services that were found, and the set-up in which they were found.
        var found: (services: VehicleServices, questions: [SetupQuestion])?
        /// The set-up whose silence was reported; the user may have turned the ignition on since.
        var silence: [SetupQuestion]?
    }

    private let known = Mutex(Known())

    /// The services that were found; nil after another set-up.
    func services(_ questions: [SetupQuestion]) -> VehicleServices? {
        known.withLock { known in
            known.found?.questions == questions ? known.found?.services : nil
        }
    }

    func note(_ services: VehicleServices, _ questions: [SetupQuestion]) {
        known.withLock { $0.found = (services, questions) }
    }

    /// Whether the silence during a set-up was not reported before.
    func takeSilence(_ questions: [SetupQuestion]) -> Bool {
        known.withLock { known in
            defer { known.silence = questions }
            return known.silence != questions
        }
    }
}

extension Vehicle {
    /// Finds out in which services to ask the vehicle.
    ///
    /// Requests of the adapter's set-up are not repeated.
    ///
    /// - Throws: ``VehicleError/adapterSaid(_:)`` if the adapter reports that there is no vehicle.
    public func services() throws(VehicleError) -> VehicleServices {
        let questions = scan.link?.identity.questions ?? []
        if let found = known.services(questions) { return found }
        var discovery = ProfileDiscovery(forced: forcedProtocol)
        // The silence during the set-up is reported once; the vehicle may answer later.
        let isNews = questions.contains { !$0.messages.isEmpty } || known.takeSilence(questions)
        var first: QueryResult?
        var hasTried = false
        while true {
            switch discovery.step {
            case .ask(let payload, let on):
                let asked: QueryResult
                if isNews, let told = told(payload, on: on) {
                    asked = told
                } else {
                    // This protocol is only tried, so the adapter's stored one stays.
                    if let on, on != forcedProtocol {
                        _ = try ask(.tryProtocol(on))
                        hasTried = true
                    }
                    asked = try ask(payload)
                }
                first = first ?? asked
                discovery.answered(
                    asked.answers, on: asked.answer.exchange.vehicleProtocol)
            case .found(let profiles):
                let services = VehicleServices(
                    profiles: Self.distinct(profiles), first: first, isAnswered: true)
                known.note(services, questions)
                return services
            case .nobody:
                if hasTried { _ = try ask(.forgetProtocol) }
                if let status = first?.status, status != .noData {
                    throw .adapterSaid(status)
                }
                // An ECU with an address of OBD answers one of these requests.
                if let ecu, !othersOfSetup.isEmpty, ecu.physicalRequest.isUsualRequest {
                    throw .silentECU(ecu, others: othersOfSetup)
                }
                // Some ECUs answer other services but not this one.
                let family =
                    first?.answer.exchange.vehicleProtocol?.family ?? forcedProtocol?.family
                    ?? .can
                return VehicleServices(
                    profiles: [DiagnosticProfile(classic: family)], first: first,
                    isAnswered: false)
            }
        }
    }

    /// The profiles that the set-up has found; nil if further requests are needed.
    private var profilesOfSetup: [DiagnosticProfile]? {
        var discovery = ProfileDiscovery(forced: forcedProtocol)
        while true {
            switch discovery.step {
            case .ask(let payload, let on):
                guard let told = told(payload, on: on) else { return nil }
                discovery.answered(told.answers, on: told.answer.exchange.vehicleProtocol)
            case .found(let profiles): return Self.distinct(profiles)
            case .nobody: return nil
            }
        }
    }

    /// The only protocol to use: the user's choice, or the one found if no other is possible, because other
    /// ECUs speak it or because 01 00 is not a request in it (SAE J1939).
    private var forcedProtocol: VehicleProtocol? {
        if let vehicleProtocol { return vehicleProtocol }
        return foundProtocol.flatMap {
            !othersOfSetup.isEmpty || [.j1939, .doip].contains($0) ? $0 : nil
        }
    }

    /// The ECUs that answered the set-up, if only another one is to be asked.
    private var othersOfSetup: [ECUAddress] {
        guard let ecu else { return [] }
        let answered = scan.link?.identity.questions.flatMap(\.messages).compactMap(\.ecu) ?? []
        return answered.contains(ecu) ? [] : Array(Set(answered)).sorted { $0.value < $1.value }
    }

    private var foundProtocol: VehicleProtocol? { scan.link?.capabilities.vehicleProtocol }

    private static func distinct(
        _ profiles: [ECUAddress?: DiagnosticProfile]
    ) -> [DiagnosticProfile] {
        DiagnosticProfile.allCases.filter { profiles.values.contains($0) }
    }

    /// The answer to a request of the set-up; nil if the set-up did not send it in the same way.
    private func told(_ payload: [UInt8], on forced: VehicleProtocol?) -> QueryResult? {
        guard let link = scan.link else { return nil }
        let found = foundProtocol
        let known =
            link.identity.answer(to: payload, on: forced)
            ?? (forced == found ? link.identity.answer(to: payload, on: nil) : nil)
        guard let known else { return nil }
        let request = request(payload)
        let exchange = Exchange(request: payload, vehicleProtocol: found)
        var reply = Reply()
        reply.messages = known.messages
        reply.statuses = known.statuses
        var decoder = ResponseDecoder(table: table, monitors: MonitorTables())
        var items: [DiagnosticItem] = []
        decoder.note(reply.messages, in: exchange)
        for message in reply.messages { decoder.decode(message, in: exchange, &items) }
        decoder.endExchange(exchange, &items)
        let result = QueryResult(
            answer: filtered(
                Answer(
                    request: .vehicle(request), exchange: exchange, reply: reply, items: items,
                    asked: link.time, answered: link.time)))
        // The set-up asked all ECUs; a request to a single ECU may still get an answer.
        return request.target != nil && result.answers.isEmpty ? nil : result
    }

    /// Asks in each of the vehicle's services, and skips those without such a request.
    public func ask(
        _ query: DiagnosticQuery, in services: VehicleServices
    ) throws(VehicleError) -> [QueryResult] {
        try ask(query, by: services.profiles)
    }

    /// Asks with each of several profiles.
    public func ask(
        _ query: DiagnosticQuery, by profiles: [DiagnosticProfile]
    ) throws(VehicleError) -> [QueryResult] {
        var asked: [QueryResult] = []
        for profile in profiles {
            guard let payload = profile.request(for: query) else { continue }
            // A constant value that was read during the set-up is not requested again.
            if query.isConstant, let told = told(payload, on: foundProtocol),
                !told.answers.isEmpty
            {
                asked.append(told)
                continue
            }
            asked.append(
                try ask(
                    .vehicle(request(payload, mayRepeat: profile.isReadOnly(query)))))
        }
        return asked
    }

    /// Asks which monitors have run since codes were cleared.
    ///
    /// SAE J1979-2 has a separate identifier for the readiness in this cycle. An ECU without it is asked for
    /// the equivalent of PID 01.
    public func readiness(in services: VehicleServices) throws(VehicleError) -> [QueryResult] {
        var asked = try ask(.readiness, in: services)
        if services.profiles.contains(.onUDS), Self.monitors(asked, .sinceClear).isEmpty {
            asked += try ask(.readinessByPID, by: [.onUDS])
        }
        return asked
    }

    /// Asks which monitors have run in this cycle; `known` is the result of ``readiness(in:)``.
    ///
    /// In SAE J1979-2 this is reported with the codes of each readiness group. The codes are requested for
    /// each known group, or for all groups.
    public func readinessThisCycle(
        in services: VehicleServices, known: [QueryResult]
    ) throws(VehicleError) -> [QueryResult] {
        var profiles = services.profiles
        var asked: [QueryResult] = []
        if profiles.contains(.onUDS) {
            let there = Set(Self.monitors(known, .sinceClear).filter(\.supported).map(\.monitor))
            let isTold = !there.isEmpty && there.isDisjoint(with: Self.onlyByPID)
            for monitor in MonitorStatus.Monitor.readinessGroups
            where !isTold || there.contains(monitor) {
                guard let group = monitor.readinessGroup else { continue }
                asked += try ask(.readinessGroup(group), by: [.onUDS])
            }
            if !Self.monitors(asked, .thisCycle).isEmpty { profiles.removeAll { $0 == .onUDS } }
        }
        return try asked + ask(.readinessThisCycle, by: profiles)
    }

    /// Monitors in PID 01 that are not readiness groups.
    private static let onlyByPID: Set<MonitorStatus.Monitor> = [
        .egrVvt, .oxygenSensor, .oxygenSensorHeater, .gpfOrACRefrigerant,
    ]

    private static func monitors(
        _ asked: [QueryResult], _ scope: MonitorStatus.Scope
    ) -> [MonitorStatus] {
        asked.flatMap(\.answer.items).compactMap { item in
            if case .monitor(let status) = item, status.scope == scope { status } else { nil }
        }
    }

    /// Test results of service 06 by its support maps: monitor ids on CAN, test ids before it.
    public func monitorTests(in services: VehicleServices) throws(VehicleError) -> [QueryResult] {
        let supported = try supportedIDs(in: services) { .supportedMonitors($0) }
        var results: [QueryResult] = []
        for id in supported.all { results += try ask(.monitorTests(id), in: services) }
        return results
    }

    /// Asks for support maps, one after the other as long as there are more.
    public func supportedIDs(
        in services: VehicleServices, _ query: (UInt8) -> DiagnosticQuery
    ) throws(VehicleError) -> SupportedIDs {
        var supported = SupportedIDs()
        var base: UInt8 = 0
        var hasMore = true
        while hasMore {
            hasMore = false
            for asked in try ask(query(base), in: services) {
                if supported.take(asked) { hasMore = true }
            }
            base &+= 0x20
            if base == 0 { break }
        }
        return supported
    }

    /// Whether the vehicle lacks a signal according to its lists of PIDs.
    package func missingSignals(
        in services: VehicleServices
    ) throws(VehicleError) -> (String) -> Bool {
        let supported = try supportedIDs(in: services) { .supportedPIDs($0) }
        let names = SignalNames(table)
        return { name in
            guard let id = (try? names.find(name))?.record?.dataID, id.service == .currentData
            else { return false }
            return supported.rulesOut(UInt8(truncatingIfNeeded: id.id))
        }
    }

    /// Why `asked` got no answer; nil if there was one.
    public func problem(of asked: [QueryResult?]) -> VehicleError? {
        let asked = asked.compactMap(\.self)
        if asked.contains(where: { !$0.answers.isEmpty }) { return nil }
        for one in asked {
            if let problem = one.error { return problem }
            if let status = one.status, status != .unknownCommand { return .adapterSaid(status) }
        }
        return asked.compactMap(\.status).first.map { .adapterSaid($0) } ?? .noAnswer
    }
}

extension Vehicle {
    /// The services in which to request `selected`.
    ///
    /// The services follow from the vehicle's answers during the set-up; the vehicle is only asked again if
    /// it did not answer.
    public func signalProfiles(for selected: [SelectedSignal]) throws(VehicleError)
        -> [DiagnosticProfile]
    {
        if let family = scan.link?.capabilities.vehicleProtocol?.family, family != .can {
            return [DiagnosticProfile(classic: family)]
        }
        if let profiles = profilesOfSetup { return profiles }
        if selected.allSatisfy({ $0.isByNumber || $0.dataID == nil }) { return [.classicCAN] }
        return try services().profiles
    }
}

extension DiagnosticQuery {
    /// Whether the answer is the same in every session.
    fileprivate var isConstant: Bool {
        switch self {
        case .supportedPIDs, .supportedInfoTypes, .information: true
        case .currentData, .readiness, .readinessByPID, .readinessThisCycle, .readinessGroup,
            .freezeFrameCode, .freezeFrame, .freezeFrames, .snapshot, .storedCodes, .pendingCodes,
            .permanentCodes, .previousCodes, .supportedMonitors, .monitorTests, .clearCodes:
            false
        }
    }
}
