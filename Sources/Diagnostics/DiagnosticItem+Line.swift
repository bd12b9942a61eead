extension DiagnosticItem {
    /// The number of the input line on which it began; 0 if it is not from a text.
    public var line: Int {
        switch self {
        case .reading(let reading): reading.line
        case .monitor(let monitor): monitor.line
        case .monitorTest(let result): result.line
        case .code(let report): report.line
        case .negativeResponse(_, _, let line): line
        case .message(let message): message.line
        case .error(let error): error.line
        }
    }
}
