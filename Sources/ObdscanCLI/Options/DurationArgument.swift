import ArgumentParser
import OBDCore

/// A duration in an option: `90`, `90s`, `10m`, `1h30m`, `500ms`.
struct DurationArgument: ExpressibleByArgument, Hashable, Sendable {
    /// The duration.
    var duration: Duration

    init?(argument: String) {
        guard let duration = Duration(text: argument) else { return nil }
        self.duration = duration
    }
}

/// The age from which trips are deleted: `365d`, `48h`.
///
/// A number alone would mean seconds, and `1` for a day would delete everything.
struct AgeArgument: ExpressibleByArgument, Hashable, Sendable {
    /// A day or more.
    var duration: Duration

    init?(argument: String) {
        guard argument.last?.isLetter == true, let duration = Duration(text: argument),
            duration >= .seconds(86_400)
        else { return nil }
        self.duration = duration
    }
}
