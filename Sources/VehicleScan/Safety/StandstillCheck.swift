import Adapters
import Diagnostics
import OBDCore
import ScanSession

/// Requires a vehicle to prove that its engine is off and that it does not move.
///
/// Silence, damage and refusals prove nothing. All ECUs are asked regardless of `--ecu`, and under the
/// adapter's usual settings regardless of typed commands.
public struct StandstillCheck: Sendable {
    let vehicle: Vehicle

    /// A check of `vehicle`.
    public init(_ vehicle: Vehicle) { self.vehicle = vehicle }

    /// Throws unless the vehicle proves that it stands still, or supports neither signal.
    public func run() throws(VehicleError) {
        for signal in StandstillSignal.allCases {
            switch try finding(of: signal) {
            case .still, .unsupported: continue
            case .moving: throw .inMotion(signal)
            case .silent: throw .standstillUnproven(signal, .noAnswer)
            case .unclear(let doubt): throw .standstillUnproven(signal, doubt)
            }
        }
    }

    private var profiles: [DiagnosticProfile] {
        switch vehicle.scan.link?.capabilities.vehicleProtocol?.family {
        case .j1939: [.j1939]
        case .iso9141, .iso14230, .j1850: [.classicLegacy]
        // Some ECUs in a car only support the newer services.
        case .can, nil: [.classicCAN, .onUDS]
        }
    }

    private func finding(of signal: StandstillSignal) throws(VehicleError)
        -> StandstillSignal.Finding
    {
        var findings: [StandstillSignal.Finding] = []
        for profile in profiles {
            let found = try finding(of: signal, profile)
            if found == .still || found == .moving { return found }
            findings.append(found)
        }
        return .together(findings)
    }

    private func finding(
        of signal: StandstillSignal, _ profile: DiagnosticProfile
    ) throws(VehicleError) -> StandstillSignal.Finding {
        var found = StandstillSignal.Finding.silent
        // Twice, because the first answer may have been disturbed.
        for _ in 0..<2 {
            let asked = try vehicle.askEveryECU(signal.request(profile))
            guard asked.problem == nil else { return .unclear(.incomplete) }
            found = signal.finding(in: asked.answer.reply, profile)
            guard case .unclear = found else { break }
        }
        guard found == .silent, let request = StandstillSignal.mapRequest(profile) else {
            return found
        }
        let asked = try vehicle.askEveryECU(request)
        guard asked.problem == nil else { return .unclear(.incomplete) }
        return signal.isSupported(in: asked.answer.reply, profile) == false ? .unsupported : .silent
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

    /// Runs `body` under the settings of a session's set-up, then restores those of the user.
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
        for text in TypedSettings.usualSettings(on: spoken) { try set(text, vehicle) }
        for text in TypedSettings.usualForms { _ = try vehicle.command(text) }
        // Also if the vehicle does not stand still, because the user may type the next line after this one.
        let outcome: Result<Void, VehicleError> = Result { () throws(VehicleError) in try body() }
        for text in texts { try set(text, vehicle) }
        try outcome.get()
    }

    private func set(_ text: String, _ vehicle: Vehicle) throws(VehicleError) {
        let asked = try vehicle.command(text)
        let lines = asked.answer.reply.rawLines(without: text, banner: nil)
        guard asked.problem == nil, AdapterCommand.isConfirmed(text, by: lines) else {
            throw .settingNotConfirmed(text)
        }
    }
}
