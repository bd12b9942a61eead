import OBDCore

// The commands of ELM327-class adapters.
extension AdapterAction {
    /// The command of an ELM327 as users type it: `AT RV`.
    public var command: String {
        switch self {
        case .readVoltage: "AT RV"
        case .identify: "AT I"
        case .tryProtocol(let tried): "AT TP \(tried.digit)"
        case .forgetProtocol: "AT SP 0"
        }
    }
}

extension AdapterRequest {
    /// The request in the form for an ELM327, with actions as commands.
    var asCommand: AdapterRequest {
        guard case .action(let id, let action) = self else { return self }
        return .command(id: id, text: action.command.filter { $0 != " " }, mayRepeat: true)
    }
}
