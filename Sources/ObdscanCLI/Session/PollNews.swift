import Formats
import OBDCore
import ScanSession

/// Turns a session's events into messages for the user during polling.
struct PollNews {
    private let accessory: String
    private var isLost = false

    /// Messages about a connected device.
    init(accessory: String) {
        self.accessory = accessory
    }

    /// The message about `event`; nil = none.
    mutating func note(_ event: ScanEvent) -> String? {
        switch event {
        case .toolDidDisconnect(let error?):
            isLost = true
            return "the link was lost (\(Failure(error).message)); reconnecting"
        case .toolDidInitialize:
            defer { isLost = false }
            return isLost ? "the link is back" : nil
        case .toolDidFailToInitialize(let failure):
            isLost = true
            return Failure(failure, accessory: accessory).message
        case .toolWillSleep: return "the adapter is about to sleep"
        case .recordingFailed(let number):
            return "the recording cannot be written any more: \(describe(errno: number))"
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
