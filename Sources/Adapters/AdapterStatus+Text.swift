extension AdapterStatus {
    /// Whether these are words of the adapter that have nothing to do with the request.
    package var isNoAnswer: Bool {
        switch self {
        case .activityAlert, .lowPowerAlert, .confirmation: true
        default: false
        }
    }

    /// The adapter's own text; for a DoIP gateway, the message type and code.
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
        case .fatalCANError: "ERR94"
        case .activityAlert: "ACT ALERT"
        case .lowPowerAlert: "LP ALERT"
        case .confirmation: "OK"
        case .unknownCommand: "?"
        case .busOff: "bus-off"
        case .errorPassive: "error passive"
        case .wireFault: "wire fault"
        case .notAcknowledged: "no acknowledgement"
        case .sourceRefused: "DoIP 8003 02"
        case .unknownTarget: "DoIP 8003 03"
        case .requestTooLong: "DoIP 8003 04"
        case .gatewayBusy: "DoIP 8003 05"
        case .targetUnreachable: "DoIP 8003 06"
        case .unknownNetwork: "DoIP 8003 07"
        case .transportFailed: "DoIP 8003 08"
        case .messageRefused: "DoIP 0000"
        }
    }
}
