import Accessory

extension TransportRegistry {
    /// Every transport that `-d` takes: those of this machine, and what this program serves itself.
    static let all = system.adding([SimulatorTransport.self, ReplayTransport.self])
}

/// What is served here cannot be.
struct ServedFault: AccessoryFault {
    var failure: Failure

    var words: FaultWords {
        FaultWords(.link, failure.message, remedy: failure.hint, category: category)
    }

    private var category: FaultWords.Category {
        switch failure.status {
        case .usage: .usage
        case .noInput: .noInput
        case .badData: .badInput
        case .noPermission: .noPermission
        case .linkLost: .lost
        case .done, .findings, .unavailable, .bug, .cannotCreate, .timedOut, .badConfiguration:
            .unavailable
        }
    }
}
