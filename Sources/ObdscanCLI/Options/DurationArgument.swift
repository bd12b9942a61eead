import ArgumentParser
import OBDCore

/// A duration in an option: `90`, `90s`, `10m`, `1h30m`, `500ms`.
struct DurationArgument: ExpressibleByArgument, Hashable, Sendable {
    var duration: Duration

    init?(argument: String) {
        guard let duration = Duration(text: argument) else { return nil }
        self.duration = duration
    }
}
