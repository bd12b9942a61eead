import ArgumentParser
import OBDCore

/// A length of time as options take it: `90`, `90s`, `10m`, `1h30m`, `500ms`.
struct DurationArgument: ExpressibleByArgument, Hashable, Sendable {
    /// The length.
    var duration: Duration

    init?(argument: String) {
        guard let duration = Duration(text: argument) else { return nil }
        self.duration = duration
    }
}
