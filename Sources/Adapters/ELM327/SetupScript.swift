import OBDCore

/// The commands that set up an ELM327-class adapter, as data.
///
/// Every step tolerates `?`, because clones know only half of the commands. A setting that the adapter does
/// not confirm is not assumed: the reader of its answers only follows confirmed settings.
enum SetupScript {
    struct Step: Hashable, Sendable {
        /// The purpose of a step, which decides how its answer is used.
        enum Purpose: Hashable, Sendable {
            case setting
            case banner
            /// Finds out whether the adapter is an STN.
            case stnFirmware
            /// Sets the protocol to use, or the first one of the search.
            case vehicleProtocol
            /// Asks the vehicle, which starts the search.
            case search
            /// Asks the vehicle once more.
            case secondSearch
            /// Asks which protocol the search found.
            case protocolNumber
            /// Forces a protocol, to ask whether the vehicle only supports OBDonUDS (SAE J1979-2).
            case forcedProtocol(VehicleProtocol)
            /// Asks an OBDonUDS vehicle for its protocol identifier.
            case protocolIdentifier(VehicleProtocol)
            /// Asks a J1939 vehicle for its active codes.
            case activeCodes
            /// Listens whether the bus speaks this protocol.
            case hearing(VehicleProtocol)
        }

        var command: String
        var purpose: Purpose
        /// Whether only `OK` confirms the step.
        var isSetting: Bool {
            switch purpose {
            case .setting, .vehicleProtocol, .forcedProtocol: true
            case .banner, .stnFirmware, .search, .secondSearch, .protocolNumber,
                .protocolIdentifier, .activeCodes, .hearing:
                false
            }
        }
        /// Whether the step listens to the bus until it is stopped.
        var isHearing: Bool {
            if case .hearing = purpose { true } else { false }
        }
        /// The time limit for the step's prompt.
        var patience: Duration

        /// The functional request of the step and the forced protocol; nil if the step is for the adapter.
        ///
        /// `chosen` is the user's protocol.
        func question(
            _ chosen: VehicleProtocol?
        ) -> (request: [UInt8], forced: VehicleProtocol?)? {
            guard let request = Hex.bytes(command) else { return nil }
            switch purpose {
            case .search, .secondSearch: return (request, chosen)
            case .protocolIdentifier(let candidate): return (request, candidate)
            case .activeCodes: return (request, .j1939)
            case .setting, .banner, .stnFirmware, .vehicleProtocol, .protocolNumber,
                .forcedProtocol, .hearing:
                return nil
            }
        }

        init(_ command: String, _ purpose: Purpose = .setting, patience: Duration = .seconds(2)) {
            self.command = command
            self.purpose = purpose
            self.patience = patience
        }
    }

    /// The first commands for an adapter in an unknown state, sent in order until one is answered.
    ///
    /// No step is a single CR, because a CR repeats the last command. `AT D` comes first, because it is also
    /// the first setting, which saves time if the adapter is in step. 7F 7F are DEL characters, which no
    /// adapter takes for a command. `AT Z` comes last, because it takes a second and may reset a changed line
    /// rate.
    static let firstWords: [(bytes: [UInt8], patience: Duration)] = [
        (Array("ATD\r".utf8), .milliseconds(600)),
        ([0x7F, 0x7F, 0x0D], .milliseconds(400)),
        (Array("ATI\r".utf8), .seconds(1)),
        (Array("ATZ\r".utf8), .seconds(4)),
    ]

    /// The quiet time after a late prompt, after which no more prompts are expected.
    static let settlingTime = Duration.milliseconds(120)
    /// The time limit of the search over all protocols, including the slow ISO initialisations.
    static let searchPatience = Duration.seconds(40)
    /// The time limit of the first request, unless `SEARCHING...` was received.
    static let firstRequestPatience = Duration.seconds(15)

    /// The settings in order; line feeds are not turned off if the adapter's default is off.
    static func settings(afterDefaults: Bool, sendsLineFeeds: Bool, probesSTN: Bool) -> [Step] {
        var steps: [Step] = []
        if !afterDefaults { steps.append(Step("ATD")) }
        steps += [
            // No echo, line feeds or blanks: fewer bytes on slow links. Headers are on to keep the answers of
            // the ECUs apart.
            Step("ATE0"), Step("ATL0"), Step("ATS0"), Step("ATH1"),
            Step("ATI", .banner),
        ]
        if afterDefaults && !sendsLineFeeds { steps.removeAll { $0.command == "ATL0" } }
        if probesSTN { steps.append(Step("STI", .stnFirmware)) }
        return steps
    }

    /// The steps that connect the vehicle.
    static func connection(_ options: ELM327Dialect.Options) -> [Step] {
        if options.vehicleProtocol == .j1939 {
            return [Step("ATSPA", .vehicleProtocol), activeCodes(.search)]
        }
        if options.vehicleProtocol == nil, options.rememberedProtocol == .j1939 {
            // Try the protocol of last time first; if the vehicle is silent, use the normal search.
            return [Step("ATSPA", .forcedProtocol(.j1939)), activeCodes(.activeCodes)]
                + automatic
        }
        if let fixed = options.vehicleProtocol { return [select(fixed), search] }
        guard let remembered = options.rememberedProtocol else { return automatic }
        // A: continue with a search if it is not this protocol.
        return [Step("ATSPA\(remembered.digit)", .vehicleProtocol), search]
    }

    /// The steps that find the bus by listening, and send nothing to it.
    ///
    /// The adapter shows the bytes of each frame (`AT CAF0`) and acknowledges none (`AT CSM1`, its default). A
    /// protocol is always set before `AT MA`, because an adapter that has none would search, which asks.
    static func listening(_ options: ELM327Dialect.Options) -> [Step] {
        var candidates: [VehicleProtocol] = [.can11At500, .can29At500, .can11At250, .can29At250]
        if let fixed = options.vehicleProtocol {
            candidates = [fixed]
        } else if let last = options.rememberedProtocol {
            // The frames of SAE J1939 are whole in the protocol of its identifiers.
            let first = last == .j1939 ? .can29At250 : last
            if let place = candidates.firstIndex(of: first) {
                candidates.insert(candidates.remove(at: place), at: 0)
            }
        }
        return [Step("ATCAF0"), silence]
            + candidates.flatMap { candidate in
                [
                    Step("ATSP\(candidate.digit)", .forcedProtocol(candidate)),
                    Step("ATMA", .hearing(candidate)),
                ]
            } + candidates.prefix(1).map { Step("ATSP\($0.digit)", .forcedProtocol($0)) }
    }

    /// Leaves the frames of others without an acknowledgement while the adapter monitors.
    static let silence = Step(AdapterCommand.silentMonitoring)

    /// Selects the only protocol to use.
    static func select(_ fixed: VehicleProtocol) -> Step {
        Step("ATSP\(fixed.digit)", .vehicleProtocol)
    }

    private static let search = Step("0100", .search, patience: firstRequestPatience)
    private static let automatic = [Step("ATSP0", .vehicleProtocol), search]

    /// Requests DM1 (SAE J1939-73), which every ECU with diagnostics answers.
    private static func activeCodes(_ purpose: Step.Purpose) -> Step {
        Step("00FECA", purpose, patience: .seconds(5))
    }

    /// Turns headers on again.
    static let headers = Step("ATH1")
    static let firstRequest = search

    /// Repeats the first request, which vehicles that were asleep do not answer.
    static let secondSearch = Step("0100", .secondSearch, patience: firstRequestPatience)

    /// Asks which protocol the search found.
    static let protocolNumber = Step("ATDPN", .protocolNumber)

    /// Asks for the protocol identifier of SAE J1979-2 on the current protocol.
    static func identifier(_ candidate: VehicleProtocol) -> Step {
        Step("22F810", .protocolIdentifier(candidate), patience: .seconds(5))
    }

    /// Finds a vehicle that only supports OBDonUDS (SAE J1979-2), or SAE J1939.
    ///
    /// These vehicles do not answer the adapter's own search. Each CAN protocol is therefore forced
    /// and asked for the protocol identifier, and J1939 is asked for its active codes. `AT TP`
    /// stores nothing, and at the end the adapter searches again as before.
    static let forced: [Step] =
        [
            VehicleProtocol.can11At500, .can29At500, .can11At250, .can29At250,
        ].flatMap { candidate in
            [
                Step("ATTP\(candidate.digit)", .forcedProtocol(candidate)),
                identifier(candidate),
            ]
        } + [
            Step("ATTPA", .forcedProtocol(.j1939)), activeCodes(.activeCodes), Step("ATSP0"),
        ]
}
