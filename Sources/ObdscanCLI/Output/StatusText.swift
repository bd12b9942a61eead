import Adapters
import OBDCore
import ScanSession

extension AdapterStatus {
    /// The adapter's own words.
    var text: String {
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

extension Answer {
    /// The request as one would type it: `01 0C`, `AT RV`.
    var requestText: String {
        switch request {
        case .vehicle(let request):
            request.payload.map { Hex.string([$0]) }.joined(separator: " ")
        case .action(_, let action): action.command
        case .command(_, let text, _, _), .monitor(_, let text, _): text
        }
    }
}
