extension AdapterStatus {
    /// The adapter's own words.
    public var text: String {
        switch self {
        case .noData: "NO DATA"
        case .unableToConnect: "UNABLE TO CONNECT"
        case .busInitError: "BUS INIT: ERROR"
        case .busBusy: "BUS BUSY"
        case .busError: "BUS ERROR"
        case .canError: "CAN ERROR"
        case .dataError: "DATA ERROR"
        case .rxError: "<RX ERROR"
        case .bufferFull: "BUFFER FULL"
        case .feedbackError: "FB ERROR"
        case .stopped: "STOPPED"
        case .flowControlTimeout: "FC RX TIMEOUT"
        case .lowVoltageReset: "LV RESET"
        case .internalError: "ERR"
        case .unknownCommand: "?"
        }
    }
}
