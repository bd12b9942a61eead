public import OBDCore

extension DiagnosticItem {
    /// The ECU that sent the item; nil if headers were off.
    public var ecu: ECUAddress? {
        switch self {
        case .reading(let reading): reading.ecu
        case .monitor(let monitor): monitor.ecu
        case .monitorTest(let result): result.ecu
        case .code(let report): report.ecu
        case .negativeResponse(_, let ecu, _): ecu
        case .message(let message): message.ecu
        case .error(let error): error.ecu
        }
    }
}
