/// A limit, or the word off, which lifts the limit of a weaker source.
package enum LiftedLimit<Limit: Hashable & Sendable>: Hashable, Sendable {
    case off
    case limit(Limit)

    /// `off`, or what `read` reads; nil for anything else.
    package init?(_ text: String, _ read: (String) -> Limit?) {
        if text == "off" {
            self = .off
        } else if let limit = read(text) {
            self = .limit(limit)
        } else {
            return nil
        }
    }

    /// The limit; nil = off.
    package var limit: Limit? {
        if case .limit(let limit) = self { limit } else { nil }
    }
}
