import ArgumentParser

/// A limit, or the word off, which lifts the limit of the configuration.
enum LiftedLimit<Limit: ExpressibleByArgument & Sendable>: ExpressibleByArgument, Sendable {
    case off
    case limit(Limit)

    init?(argument: String) {
        if argument == "off" {
            self = .off
        } else if let limit = Limit(argument: argument) {
            self = .limit(limit)
        } else {
            return nil
        }
    }

    /// The limit that holds; nil = none.
    static func chosen(_ option: Self?, or configured: Limit?) -> Limit? {
        switch option {
        case .limit(let limit): limit
        case .off: nil
        case nil: configured
        }
    }
}
