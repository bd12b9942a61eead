import Formats
import OBDCore
import Settings
import TripRecorder

extension PositionReceiver {
    /// The receiver of `text` or the configuration; nil = none, or `off`.
    static func chosen(
        _ text: String?, note: @escaping @Sendable (String) -> Void
    ) throws -> PositionReceiver? {
        guard let text = text ?? UserSettings.current.gps, text != "off" else { return nil }
        guard let source = PositionSource(text) else {
            throw Failure(
                "\(text) is not a source of positions",
                hint: "gpsd://HOST:PORT, serial:/dev/ttyUSB1?baud=4800 or a path; a file in this "
                    + "folder is ./NAME", status: .usage)
        }
        return try PositionReceiver(source, privacy: UserSettings.current.privacy) {
            note($0.words)
        }
    }
}

extension PositionReceiver.News {
    fileprivate var words: String {
        switch self {
        case .works(let source): "Positions come from \(source)."
        case .failed(let error): "no positions: \(error.explanation.message); obdscan keeps trying"
        case .noReceiver: "gpsd has no receiver; gpsdctl add /dev/ttyUSB1 gives it one"
        case .refused(let words): "gpsd refuses: \(words)"
        }
    }
}
