import OBDCore

/// The commands that set an ELM327-class adapter up, as data.
///
/// Every step tolerates `?`: clones know half of the set. Whatever the adapter does not confirm is
/// not counted on, because the reader of its answers follows what it confirmed.
enum SetupScript {
    /// One command and what it is for.
    struct Step: Hashable, Sendable {
        /// What a step asks for, where its answer matters beyond OK.
        enum Purpose: Hashable, Sendable {
            /// A setting.
            case setting
            /// The banner.
            case banner
            /// Whether it is an STN.
            case stnFirmware
            /// The protocol to use or to begin the search with.
            case vehicleProtocol
            /// Asks the vehicle: the search happens here.
            case search
            /// Asks the vehicle once more.
            case secondSearch
            /// Which protocol the search found.
            case protocolNumber
            /// Sets a protocol to ask whether the vehicle speaks OBDonUDS alone (SAE J1979-2).
            case forcedProtocol(VehicleProtocol)
            /// Asks an OBDonUDS vehicle for its protocol identifier.
            case protocolIdentifier(VehicleProtocol)
            /// Asks a J1939 vehicle for its active codes.
            case activeCodes
        }

        var command: String
        var purpose: Purpose
        /// Whether `OK` and nothing else confirms it.
        var isSetting: Bool {
            switch purpose {
            case .setting, .vehicleProtocol, .forcedProtocol: true
            case .banner, .stnFirmware, .search, .secondSearch, .protocolNumber,
                .protocolIdentifier, .activeCodes:
                false
            }
        }
        /// How long its prompt may take.
        var patience: Duration

        /// What all ECUs are asked by it, and the protocol that is forced; nil = it is for the adapter.
        ///
        /// `chosen` is the protocol of the user.
        func question(
            _ chosen: VehicleProtocol?
        ) -> (request: [UInt8], forced: VehicleProtocol?)? {
            guard let request = Hex.bytes(command) else { return nil }
            switch purpose {
            case .search, .secondSearch: return (request, chosen)
            case .protocolIdentifier(let candidate): return (request, candidate)
            case .activeCodes: return (request, .j1939)
            case .setting, .banner, .stnFirmware, .vehicleProtocol, .protocolNumber,
                .forcedProtocol:
                return nil
            }
        }

        init(_ command: String, _ purpose: Purpose = .setting, patience: Duration = .seconds(2)) {
            self.command = command
            self.purpose = purpose
            self.patience = patience
        }
    }

    /// The first words to an adapter in an unknown state, one after another until one is answered.
    ///
    /// Never a bare CR, which repeats the last command. `AT D` first, because it is also the first
    /// setting: an adapter in step loses no time. 7F 7F are DEL characters, which no adapter takes
    /// for a command. `AT Z` comes last: it takes a second and may drop a changed line rate.
    static let firstWords: [(bytes: [UInt8], patience: Duration)] = [
        (Array("ATD\r".utf8), .milliseconds(600)),
        ([0x7F, 0x7F, 0x0D], .milliseconds(400)),
        (Array("ATI\r".utf8), .seconds(1)),
        (Array("ATZ\r".utf8), .seconds(4)),
    ]

    /// After a prompt that came late, more may come; so much quiet says that it is over.
    static let settlingTime = Duration.milliseconds(120)
    /// The search over all protocols, ISO slow initialisations included.
    static let searchPatience = Duration.seconds(40)
    /// The first request, as long as no `SEARCHING...` was seen.
    static let firstRequestPatience = Duration.seconds(15)

    /// The settings, in order; an adapter whose defaults have no line feeds needs not be told.
    static func settings(afterDefaults: Bool, sendsLineFeeds: Bool, probesSTN: Bool) -> [Step] {
        var steps: [Step] = []
        if !afterDefaults { steps.append(Step("ATD")) }
        steps += [
            // No echo, no line feeds, no blanks: fewer bytes on slow links. Headers on, so that
            // every ECU's answer stays its own.
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
            // What was true last time is tried first; silence leads back to the usual search.
            return [Step("ATSPA", .forcedProtocol(.j1939)), activeCodes(.activeCodes)]
                + automatic
        }
        if let fixed = options.vehicleProtocol { return [select(fixed), search] }
        guard let remembered = options.rememberedProtocol else { return automatic }
        // A: search on when it is not this one.
        return [Step("ATSPA\(remembered.digit)", .vehicleProtocol), search]
    }

    /// Sets the one protocol to use.
    static func select(_ fixed: VehicleProtocol) -> Step {
        Step("ATSP\(fixed.digit)", .vehicleProtocol)
    }

    private static let search = Step("0100", .search, patience: firstRequestPatience)
    private static let automatic = [Step("ATSP0", .vehicleProtocol), search]

    /// DM1 (SAE J1939-73), which every ECU with diagnostics answers.
    private static func activeCodes(_ purpose: Step.Purpose) -> Step {
        Step("00FECA", purpose, patience: .seconds(5))
    }

    /// Headers on, once more.
    static let headers = Step("ATH1")
    /// The first request, once more.
    static let firstRequest = search

    /// Once more: vehicles that were asleep leave the first request unanswered.
    static let secondSearch = Step("0100", .secondSearch, patience: firstRequestPatience)

    /// The question which protocol the search found.
    static let protocolNumber = Step("ATDPN", .protocolNumber)

    /// Asks for SAE J1979-2's protocol identifier on the protocol in use.
    static func identifier(_ candidate: VehicleProtocol) -> Step {
        Step("22F810", .protocolIdentifier(candidate), patience: .seconds(5))
    }

    /// What finds a vehicle that speaks OBDonUDS alone (SAE J1979-2), or SAE J1939.
    ///
    /// Both leave the adapter's own search without an answer, so each CAN protocol is forced and
    /// asked for the protocol identifier, and J1939 for its active codes.
    /// `AT TP` stores nothing, and at the end the adapter searches again as before.
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
