import Adapters
import Diagnostics
import OBDCore
import ScanSession
import ScanTool

/// Requires a vehicle to prove that its engine is off and that it does not move.
///
/// Every ECU that was heard in the session has to prove standstill. Silence, damage and refusals prove
/// nothing. All ECUs are asked regardless of `--ecu` and of a gateway's functional address, and under the
/// adapter's usual settings regardless of typed commands.
public struct StandstillCheck {
    /// The facts about the link.
    private let capabilities: LinkCapabilities
    /// The ECUs that have been heard so far.
    private let heard: () -> HeardECUs
    /// Sends a request; the reply is nil if the exchange was not completed.
    private let reply: (VehicleRequest) throws(VehicleError) -> Reply?

    /// A check of `vehicle`.
    public init(_ vehicle: Vehicle) {
        self.init(
            vehicle.scan.link?.capabilities ?? LinkCapabilities(), heard: { vehicle.scan.heard }
        ) { (request) throws(VehicleError) in
            let asked = try vehicle.askUnfiltered(request)
            return asked.problem == nil ? asked.answer.reply : nil
        }
    }

    /// A check of the vehicle at the other end of a link.
    init(
        _ capabilities: LinkCapabilities, heard: @escaping () -> HeardECUs,
        reply: @escaping (VehicleRequest) throws(VehicleError) -> Reply?
    ) {
        self.capabilities = capabilities
        self.heard = heard
        self.reply = reply
    }

    /// Throws unless every ECU of the vehicle proves that it stands still, or does not have the signals.
    public func run() throws(VehicleError) {
        for signal in StandstillSignal.allCases { try prove(signal) }
    }

    private var profiles: [DiagnosticProfile] {
        switch capabilities.vehicleProtocol?.family {
        case .j1939: [.j1939]
        case .iso9141, .iso14230, .j1850: [.classicLegacy]
        // Some ECUs in a car only support the newer services.
        case .can, nil: [.classicCAN, .onUDS]
        }
    }

    private func prove(_ signal: StandstillSignal) throws(VehicleError) {
        var proof = StandstillProof(signal)
        for profile in profiles {
            try ask(signal.request(profile), profile, &proof)
            if proof.isComplete(heard()) { return }
            guard let request = StandstillSignal.mapRequest(profile) else { continue }
            try ask(request, profile, &proof)
            if proof.isComplete(heard()) { return }
        }
        let known = heard()
        for ecu in proof.missing(of: known) {
            try askAlone(ecu, known.ecus[ecu] ?? .withOthers, &proof)
            guard proof.proven.contains(ecu) else {
                throw .standstillUnproven(signal, .noProof(of: ecu))
            }
        }
        guard proof.isComplete(heard()) else {
            throw .standstillUnproven(signal, .noAnswer)
        }
    }

    /// Asks an ECU that does not answer requests to all ECUs.
    ///
    /// In SAE J1939 it only says there that it does not have a parameter group.
    private func askAlone(
        _ ecu: ECUAddress, _ reach: HeardECUs.Reach, _ proof: inout StandstillProof
    ) throws(VehicleError) {
        for profile in profiles {
            let target: ECUAddress
            switch reach {
            case .alone(let address): target = address
            case .withOthers where profile == .j1939: target = ecu.physicalRequest
            case .withOthers: return
            }
            var request = VehicleRequest(
                id: RequestID(rawValue: 0), target: target,
                payload: proof.signal.request(profile), ending: .silence)
            request.responders = .one(ecu)
            try take(request, profile, &proof)
            if proof.proven.contains(ecu) { return }
            guard let map = StandstillSignal.mapRequest(profile) else { continue }
            request.payload = map
            try take(request, profile, &proof)
            if proof.proven.contains(ecu) { return }
        }
    }

    /// Asks all ECUs, at each address that they may have in common.
    private func ask(
        _ payload: [UInt8], _ profile: DiagnosticProfile, _ proof: inout StandstillProof
    ) throws(VehicleError) {
        let groups = capabilities.everyECU
        var unknown = 0
        for group in groups {
            let request = VehicleRequest(
                id: RequestID(rawValue: 0), target: group, payload: payload, ending: .silence)
            do {
                try take(request, profile, &proof)
            } catch .standstillUnproven(_, .adapterSaid(.unknownTarget)) where groups.count > 1 {
                unknown += 1
            } catch {
                throw error
            }
        }
        guard unknown < groups.count else {
            throw .standstillUnproven(proof.signal, .adapterSaid(.unknownTarget))
        }
    }

    /// Asks twice at most, because the first answer may have been disturbed.
    private func take(
        _ request: VehicleRequest, _ profile: DiagnosticProfile, _ proof: inout StandstillProof
    ) throws(VehicleError) {
        var outcome = StandstillProof.Outcome.clear
        for _ in 0..<2 {
            guard let reply = try reply(request) else {
                outcome = .doubt(.incomplete)
                break
            }
            let isMap = request.payload == StandstillSignal.mapRequest(profile)
            outcome =
                isMap
                ? proof.takeMaps(reply, profile) : proof.take(reply, profile)
            guard case .doubt = outcome else { break }
        }
        switch outcome {
        case .clear: break
        case .moving: throw .inMotion(proof.signal)
        case .doubt(let doubt): throw .standstillUnproven(proof.signal, doubt)
        }
    }
}

/// The adapter settings that the user typed, kept so that they can be restored.
public struct TypedCommands: Sendable {
    private var texts: [String] = []
    private var settings = TypedSettings()
    private var isLost = false
    /// Whether typed commands may have changed the meaning of requests, even if not confirmed.
    private var areSettingsOthers = false

    /// No commands.
    public init() {}

    /// Records a command to the adapter and whether it was confirmed; a command with consent is not repeated.
    public mutating func take(_ text: String, isConfirmed: Bool, withConsent: Bool) {
        let before = settings
        settings.take(text, isConfirmed: isConfirmed)
        if settings != before { areSettingsOthers = true }
        if withConsent {
            isLost = isLost || !TypedSettings.changesNoRequest(text)
            return
        }
        guard isConfirmed else { return }
        if case .reset? = AdapterCommand(text) { texts = [] }
        texts.append(text)
    }

    /// Runs `body` under the settings of a session's set-up, then restores the user's settings.
    ///
    /// - Throws: if the adapter does not accept the settings; no request may be sent then.
    public func underUsualSettings(
        _ vehicle: Vehicle, _ body: () throws(VehicleError) -> Void
    ) throws(VehicleError) {
        guard !texts.isEmpty || areSettingsOthers || isLost else {
            try body()
            return
        }
        guard !isLost, settings.areKnown else { throw .settingsCannotBePutBack }
        guard let spoken = vehicle.scan.link?.identity.vehicleProtocol else {
            throw .noProtocolForCheck
        }
        try setUsual(on: spoken, vehicle)
        // Also if the vehicle does not stand still, because the user may type the next line after this one.
        let outcome: Result<Void, VehicleError> = Result { () throws(VehicleError) in try body() }
        // The check may have asked one ECU alone, and its address must not replace the user's.
        try setUsual(on: spoken, vehicle)
        for text in texts { try set(text, vehicle) }
        try outcome.get()
    }

    private func setUsual(
        on vehicleProtocol: VehicleProtocol, _ vehicle: Vehicle
    ) throws(VehicleError) {
        for text in TypedSettings.usualSettings(on: vehicleProtocol) { try set(text, vehicle) }
        for text in TypedSettings.usualForms { _ = try vehicle.command(text) }
    }

    private func set(_ text: String, _ vehicle: Vehicle) throws(VehicleError) {
        let asked = try vehicle.command(text)
        let lines = asked.answer.reply.rawLines(without: text, banner: nil)
        guard asked.problem == nil, AdapterCommand.isConfirmed(text, by: lines) else {
            throw .settingNotConfirmed(text)
        }
    }
}
