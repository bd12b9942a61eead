import Adapters
import Diagnostics
import OBDCore
import ScanSession

/// Makes a vehicle prove that its engine does not run and that it does not move.
///
/// Silence, damage and refusals prove nothing. All ECUs are asked, whatever `--ecu` says, and under
/// the adapter's usual settings, whatever was typed.
struct StandstillCheck {
    let connection: Connection

    /// Refuses unless the vehicle proves that it stands still, or knows neither signal.
    func run() throws {
        for signal in StandstillSignal.allCases {
            switch try finding(of: signal) {
            case .still, .unsupported: continue
            case .moving:
                throw Failure(
                    "refused while \(signal.motion)",
                    hint: "stop it, switch the ignition on again and retry; --force overrides",
                    status: .timedOut)
            case .silent: throw Failure(withoutProofOf: signal, "no answer")
            case .unclear(let reason): throw Failure(withoutProofOf: signal, reason)
            }
        }
    }

    private var profiles: [DiagnosticProfile] {
        switch connection.scan.link?.capabilities.vehicleProtocol?.family {
        case .j1939: [.j1939]
        case .iso9141, .iso14230, .j1850: [.classicLegacy]
        // Some ECUs of a car know only the newer services.
        case .can, nil: [.classicCAN, .onUDS]
        }
    }

    private func finding(of signal: StandstillSignal) throws -> StandstillSignal.Finding {
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
    ) throws -> StandstillSignal.Finding {
        var found = StandstillSignal.Finding.silent
        // Once more: the first answer may have been disturbed.
        for _ in 0..<2 {
            let asked = try connection.askEveryECU(signal.request(profile))
            guard asked.problem == nil else { return .unclear("no complete answer") }
            found = signal.finding(in: asked.answer.reply, profile)
            guard case .unclear = found else { break }
        }
        guard found == .silent, let request = StandstillSignal.mapRequest(profile) else {
            return found
        }
        let asked = try connection.askEveryECU(request)
        guard asked.problem == nil else { return .unclear("no complete answer") }
        return signal.isSupported(in: asked.answer.reply, profile) == false ? .unsupported : .silent
    }
}

/// The settings of the adapter that a user typed, so that they can be put back.
struct TypedCommands {
    private var texts: [String] = []
    private var settings = TypedSettings()
    private var isLost = false
    /// Whether requests may mean something else since; also by a command that was not confirmed.
    private var areSettingsOthers = false

    /// Takes note of a command to the adapter and of whether it was confirmed; with consent it is not
    /// sent again.
    mutating func take(_ text: String, isConfirmed: Bool, withConsent: Bool) {
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

    /// Runs `body` under the settings that a session's set-up makes, and puts those of the user back.
    ///
    /// - Throws: a ``Failure`` where the adapter does not take them; nothing may be sent then.
    func underUsualSettings(_ connection: Connection, _ body: () throws -> Void) throws {
        guard !texts.isEmpty || areSettingsOthers || isLost else {
            try body()
            return
        }
        guard !isLost, settings.areKnown else {
            throw Failure(
                "nothing was sent: commands before it cannot be put back after the vehicle was "
                    + "asked whether its engine runs",
                hint: "Send it in a run of its own, or with --force.", status: .timedOut)
        }
        guard let spoken = connection.scan.link?.identity.vehicleProtocol else {
            throw Failure(
                "nothing was sent: the vehicle did not answer when the adapter was set up, so it "
                    + "cannot be asked whether its engine runs",
                hint: Failure.proofHint, status: .timedOut)
        }
        for text in ["AT D", "AT CAF1", "AT SP \(spoken.digit)"] { try set(text, connection) }
        // Not every adapter knows them, and answers can be read without.
        for text in ["AT E0", "AT L0", "AT S0", "AT H1"] { _ = try connection.command(text) }
        // Also where the vehicle does not stand: the next line may be typed after this one.
        let outcome = Result { try body() }
        for text in texts { try set(text, connection) }
        try outcome.get()
    }

    private func set(_ text: String, _ connection: Connection) throws {
        let asked = try connection.command(text)
        let lines = asked.answer.reply.rawLines(without: text, banner: nil)
        guard asked.problem == nil, RawCommand.isConfirmed(text, by: lines) else {
            throw Failure(
                "nothing was sent: the adapter does not confirm \(text), so the vehicle cannot be "
                    + "asked whether its engine runs",
                hint: Failure.proofHint, status: .timedOut)
        }
    }
}

extension Failure {
    /// What to do where the proof is missing.
    static let proofHint =
        "Turn the ignition on with the engine off, and retry. --force sends it without this proof."

    fileprivate init(withoutProofOf signal: StandstillSignal, _ reason: String) {
        self.init(
            "nothing was sent: the vehicle does not prove that it stands still "
                + "(\(signal.name): \(reason))",
            hint: Self.proofHint, status: .timedOut)
    }
}
