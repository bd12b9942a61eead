/// The fault of a `sim:` address.
public enum SimulatorError: Error, Hashable, Sendable {
    case unknownScenario(String)
    /// A vehicle file cannot be read.
    case vehicleFile(VehicleFileError)
    case unknownPersonality(String)
    case unknownOption(String)
    /// The value of an option is not valid; `expected` describes a valid one.
    case invalidValue(option: String, value: String, expected: String)

    /// One sentence for the user, with the valid choices.
    public var reason: String {
        switch self {
        case .unknownScenario(let name):
            "no scenario \"\(name)\"; there are "
                + Scenario.names.joined(separator: ", ")
        case .vehicleFile(let error):
            error.description
        case .unknownPersonality(let name):
            "no personality \"\(name)\"; there are "
                + SimulatorCatalogue.personalities.map(\.name).joined(separator: ", ")
        case .unknownOption(let name):
            "no option \"\(name)\"; there are "
                + SimulatorOptions.names.joined(separator: ", ")
        case .invalidValue(let option, let value, let expected):
            "\(option)=\(value): \(expected) expected"
        }
    }
}

/// The available simulations, for lists and messages.
public enum SimulatorCatalogue {
    /// A name for options with its description.
    public struct Entry: Hashable, Sendable {
        /// The name to type.
        public var name: String
        /// One line for the user.
        public var title: String
    }

    /// The scenarios; the first one is the default.
    public static var scenarios: [Entry] {
        Scenario.all.map { Entry(name: $0.name, title: $0.title) }
    }

    /// The adapters; the first one is the default.
    public static var personalities: [Entry] {
        Personality.all.map { Entry(name: $0.name, title: $0.title) } + [
            Entry(name: SimulatorOptions.goLink, title: "GoLink: binary frames, no AT commands")
        ] + SimulatedCANDevice.Kind.allCases.map { Entry(name: $0.rawValue, title: $0.title) }
    }

    /// The options after the question mark, with their form and meaning.
    public static var options: [Entry] {
        [
            Entry(
                name: "personality=NAME",
                title: "the adapter; the list above names them; doip: none, but a DoIP gateway"),
            Entry(
                name: "protocol=6", title: "what the vehicle speaks, 1 to A as ELM327 numbers them"),
            Entry(name: "ecus=3", title: "how many ECUs answer, 1 to 8"),
            Entry(name: "seed=1", title: "one of many drives that differ in small movements"),
            Entry(name: "start=90s", title: "where in the drive the session begins"),
            Entry(name: "frozen=true", title: "every value stays the same; or a time: where"),
            Entry(name: "engine=off", title: "ignition on, engine off: codes can be cleared"),
            Entry(name: "ignition=off", title: "no ECU is awake"),
            Entry(name: "latency=20ms", title: "request to answer; 0: nothing takes any time"),
            Entry(name: "jitter=5ms", title: "up to this much is added to an answer's time"),
            Entry(name: "wait=100ms", title: "the adapter's wait for more answers without a count"),
            Entry(name: "at=5ms", title: "the time that an adapter command takes"),
            Entry(name: "search=2s", title: "the time that the search for a protocol takes"),
            Entry(name: "baud=38400", title: "the adapter's line rate in bit/s"),
            Entry(name: "slow=800ms", title: "some answers come late, after response pending"),
            Entry(
                name: "faults=drop:0.001,flip:0.001",
                title: "faults on the link, each with its share of bytes or lines; seed chooses"),
            Entry(name: "vin=…", title: "the vehicle's number"),
            Entry(name: "codes=P0301,U0100", title: "stored codes of the engine ECU, or none"),
            Entry(name: "pending=P0171", title: "its pending codes, or none"),
            Entry(name: "permanent=none", title: "its permanent codes, or none"),
        ]
    }
}
