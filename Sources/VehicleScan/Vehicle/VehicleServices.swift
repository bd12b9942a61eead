import Adapters
public import Diagnostics
import OBDCore
import ScanSession

/// The services in which the ECUs of a vehicle are asked.
public struct VehicleServices: Sendable {
    /// One or, where some ECUs know only the newer services, two.
    public let profiles: [DiagnosticProfile]
    /// The first question: it tells why nobody answers.
    public let first: QueryResult?
    /// Whether any ECU answered it.
    public let isAnswered: Bool
}

extension Vehicle {
    /// Finds out in which services the vehicle is asked.
    ///
    /// - Throws: ``VehicleError/adapterSaid(_:)`` when the adapter says that there is no vehicle to ask.
    public func services() throws(VehicleError) -> VehicleServices {
        // Where the adapter's setting up found it, 01 00 would be no request.
        let isJ1939 = scan.link?.capabilities.vehicleProtocol == .j1939
        let forced = vehicleProtocol ?? (isJ1939 ? .j1939 : nil)
        var discovery = ProfileDiscovery(forced: forced)
        var first: QueryResult?
        while true {
            switch discovery.step {
            case .ask(let payload, let on):
                // Tried, not stored: what the adapter remembers stays.
                if let on, on != forced { _ = try ask(.tryProtocol(on)) }
                let asked = try ask(payload)
                first = first ?? asked
                discovery.answered(
                    asked.answers, on: asked.answer.exchange.vehicleProtocol)
            case .found(let profiles):
                let distinct = DiagnosticProfile.allCases.filter { profiles.values.contains($0) }
                return VehicleServices(profiles: distinct, first: first, isAnswered: true)
            case .nobody:
                if vehicleProtocol == nil, !isJ1939 { _ = try ask(.forgetProtocol) }
                if let status = first?.status, status != .noData {
                    throw .adapterSaid(status)
                }
                // Some ECUs answer other services, though not this one.
                let family =
                    first?.answer.exchange.vehicleProtocol?.family ?? forced?.family ?? .can
                return VehicleServices(
                    profiles: [DiagnosticProfile(classic: family)], first: first,
                    isAnswered: false)
            }
        }
    }

    /// Asks in each of the vehicle's services; those that have no such question are passed over.
    public func ask(
        _ query: DiagnosticQuery, in services: VehicleServices
    ) throws(VehicleError) -> [QueryResult] {
        try ask(query, by: services.profiles)
    }

    /// Asks by each of several profiles.
    public func ask(
        _ query: DiagnosticQuery, by profiles: [DiagnosticProfile]
    ) throws(VehicleError) -> [QueryResult] {
        var asked: [QueryResult] = []
        for profile in profiles {
            guard let payload = profile.request(for: query) else { continue }
            asked.append(
                try ask(
                    .vehicle(request(payload, mayRepeat: profile.isReadOnly(query)))))
        }
        return asked
    }

    /// Asks what has run since codes were cleared.
    ///
    /// SAE J1979-2 has an identifier of its own for that; an ECU that does not know it is asked for
    /// what stands for PID 01.
    public func readiness(in services: VehicleServices) throws(VehicleError) -> [QueryResult] {
        var asked = try ask(.readiness, in: services)
        if services.profiles.contains(.onUDS), Self.monitors(asked, .sinceClear).isEmpty {
            asked += try ask(.readinessByPID, by: [.onUDS])
        }
        return asked
    }

    /// Asks what has run in this cycle; `known` is what ``readiness(in:)`` brought.
    ///
    /// In SAE J1979-2 the codes of each readiness group tell it: those of every group that is known
    /// to be there are asked for, or of all.
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

    /// Monitors that PID 01 tells and that are no readiness group.
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

    /// Asks for support maps, one behind the other as long as there are more.
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

    /// Why nothing came for `asked`; nil when something did.
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
    /// The services in which `selected` are asked for.
    ///
    /// What the vehicle answered when the adapter was set up tells; only where it did not, it is
    /// asked again.
    public func signalProfiles(for selected: [SelectedSignal]) throws(VehicleError)
        -> [DiagnosticProfile]
    {
        if let family = scan.link?.capabilities.vehicleProtocol?.family, family != .can {
            return [DiagnosticProfile(classic: family)]
        }
        switch scan.link?.identity.services {
        case .classic: return [.classicCAN]
        case .onUDS: return [.onUDS]
        case .j1939: return [.j1939]
        case nil: break
        }
        if selected.allSatisfy({ $0.isByNumber || $0.dataID == nil }) { return [.classicCAN] }
        return try services().profiles
    }
}
