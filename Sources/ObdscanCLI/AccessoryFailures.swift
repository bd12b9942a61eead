import Accessory
import LocalLinks
import Simulator

// What users are told of accessories that cannot be opened or went away.
extension Failure {
    /// An accessory that cannot be opened, or went away.
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

    /// A `sim:` address that names something unknown.
    init(_ error: SimulatorError) {
        self.init(LocalLinkFault.options(error))
    }

    /// The message among those of other accessories: with this one's name before it, unless it begins
    /// with what that is about already.
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
    /// What a command ends with because of an accessory's fault.
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
