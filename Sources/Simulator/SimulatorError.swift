/// What is wrong with a `sim:` address.
public enum SimulatorError: Error, Hashable, Sendable {
    /// There is no scenario of this name.
    case unknownScenario(String)
    /// There is no personality of this name.
    case unknownPersonality(String)
    /// There is no option of this name.
    case unknownOption(String)
    /// An option's value cannot be read; `expected` tells how it looks.
    case invalidValue(option: String, value: String, expected: String)

    /// One sentence for people, with what would be right.
    public var reason: String {
        switch self {
        case .unknownScenario(let name):
            "no scenario “\(name)”; there are "
                + SimulatorCatalogue.scenarios.map(\.name).joined(separator: ", ")
        case .unknownPersonality(let name):
            "no personality “\(name)”; there are "
                + SimulatorCatalogue.personalities.map(\.name).joined(separator: ", ")
        case .unknownOption(let name):
            "no option “\(name)”; there are "
                + SimulatorOptions.names.joined(separator: ", ")
        case .invalidValue(let option, let value, let expected):
            "\(option)=\(value): \(expected) expected"
        }
    }
}

/// What can be simulated, for lists and for messages.
public enum SimulatorCatalogue {
    /// A name that options accept and what it stands for.
    public struct Entry: Hashable, Sendable {
        /// As typed.
        public var name: String
        /// One line for people.
        public var title: String
    }

    /// The scenarios; the first one is the default.
    public static var scenarios: [Entry] {
        Scenario.all.map { Entry(name: $0.name, title: $0.title) }
    }

    /// The adapters; the first one is the default.
    public static var personalities: [Entry] {
        Personality.all.map { Entry(name: $0.name, title: $0.title) }
    }
}
