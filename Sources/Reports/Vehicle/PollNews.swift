import Adapters
import Diagnostics
import Formats
import OBDCore
import ScanSession
import ScanTool
import SystemIO

/// Turns a session's events into messages for the user during polling.
package struct PollNews {
    private let accessory: String
    private var isLost = false

    package init(accessory: String) {
        self.accessory = accessory
    }

    /// The message about `event`; nil = none.
    package mutating func note(_ event: ScanEvent) -> String? {
        switch event {
        case .toolDidDisconnect(let error?):
            isLost = true
            return "the link was lost (\(error.explanation.message)); reconnecting"
        case .toolDidInitialize:
            defer { isLost = false }
            return isLost ? "the link is back" : nil
        case .toolDidFailToInitialize(let failure):
            isLost = true
            return failure.explanation(at: accessory).message
        case .toolWillSleep: return "the adapter is about to sleep"
        case .recordingFailed(let number):
            return "the recording cannot be written any more: \(SystemError.text(of: number))"
        case .scanDidRest(let rest): return rest.words
        case .scanDidWake(let rest): return rest.wakeWords
        case .didNotSend(let request): return request.unsentText
        case .scanDidStart, .scanDidPause, .scanDidCancel, .toolDidConnect, .toolDidDisconnect(nil),
            .didSendCommand, .didReceiveUnasked, .didReceiveResponses, .didReceiveVoltage,
            .didTimeOut, .didReceiveError, .pollDidFinish, .didChangeState, .didProgress,
            .didLoseEvents,
            .sessionDidEnd:
            return nil
        }
    }
}

extension BatteryGuard.Rest {
    /// The message when polling pauses.
    var words: String {
        "the vehicle is off (\(reason)): polling is paused and continues by itself"
    }

    var wakeWords: String { "polling continues: \(wakeReason)" }
}
