import Accessory
import LocalLinks
import Simulator

// Messages about devices that cannot be opened or disappeared.
extension Failure {
    /// A device that cannot be opened or disappeared.
    init(_ error: AccessoryError) {
        let words = error.words
        self.init(words.what, hint: words.remedy, status: ExitStatus(words.category))
    }

    /// A link that cannot be served here.
    init(_ fault: LocalLinkFault) {
        if case .link(let path, let errno) = fault {
            self.init(outputFile: path, errno: errno)
        } else {
            let words = fault.words
            self.init(words.what, hint: words.remedy, status: ExitStatus(words.category))
        }
    }

    /// A `sim:` address with an unknown vehicle or option.
    init(_ error: SimulatorError) {
        self.init(LocalLinkFault.options(error))
    }

    /// The message with the device's name before it, for a list with messages about other devices.
    ///
    /// The name is left out if the message begins with it already.
    func told(of accessory: String) -> String {
        let scheme = accessory.firstIndex(of: ":").map { accessory.index(after: $0) }
        let place = accessory[(scheme ?? accessory.startIndex)...].prefix { $0 != "?" }
        let head = message.firstRange(of: ": ").map { message[..<$0.lowerBound] } ?? ""
        let isNamed =
            message.hasPrefix(accessory) || (!place.isEmpty && message.hasPrefix(place))
            || (!head.isEmpty && place.hasPrefix(head))
        return isNamed ? message : "\(accessory): \(message)"
    }
}

extension ExitStatus {
    /// The exit code for a fault of a device.
    init(_ category: FaultWords.Category) {
        self =
            switch category {
            case .unavailable: .unavailable
            case .noPermission: .noPermission
            case .lost: .linkLost
            case .usage: .usage
            case .noInput: .noInput
            case .badInput: .badData
            }
    }
}
