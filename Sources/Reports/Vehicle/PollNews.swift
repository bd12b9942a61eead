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
    /// The faults that were told since the adapter was last set up.
    private var faults: Set<String> = []
    /// The adapter's statuses that were told.
    private var told: Set<AdapterStatus> = []
    /// The frames that were lost so far, and when the number is said next.
    private var lost = (frames: 0, next: 1)

    package init(accessory: String) {
        self.accessory = accessory
    }

    /// An adapter's status in words, with the remedy.
    package func text(of status: AdapterStatus) -> String {
        let words = status.explanation(insteadOfAnswerAt: accessory)
        // The command that prints the message adds the accessory's name if there are several accessories.
        let head = "\(accessory): "
        let message =
            words.message.hasPrefix(head)
            ? String(words.message.dropFirst(head.count)) : words.message
        return message + (words.hint.map { "; " + $0 } ?? "")
    }

    /// A message about a fault; nil if the message was told since the adapter was last set up.
    ///
    /// A user who waits for a vehicle for hours reads each message once.
    private mutating func once(_ text: String) -> String? {
        faults.insert(text).inserted ? text : nil
    }

    /// The message about `event`; nil = none.
    package mutating func note(_ event: ScanEvent) -> String? {
        switch event {
        case .toolDidDisconnect(let error?):
            isLost = true
            return once("the link was lost (\(error.explanation.message)); reconnecting")
        case .toolDidInitialize:
            defer { (isLost, faults) = (false, []) }
            return isLost ? "the link is back" : nil
        case .toolDidFailToInitialize(let failure):
            isLost = true
            return once(failure.explanation(at: accessory).message)
        case .toolWillSleep: return "the adapter is about to sleep"
        case .toolDidReport(let status):
            return told.insert(status).inserted ? text(of: status) : nil
        case .recordingFailed(let number):
            return "the recording cannot be written any more: \(SystemError.text(of: number))"
        case .scanDidRest(let rest): return rest.words
        case .scanDidWake(let rest): return rest.wakeWords
        case .didNotSend(let request): return request.unsentText
        case .didLoseFrames(let count):
            lost.frames += count
            // A machine that is too slow loses frames all the time.
            guard lost.frames >= lost.next else { return nil }
            while lost.next <= lost.frames { lost.next *= 10 }
            return "\(counted(lost.frames, "frame")) came faster than they were read, and are "
                + "missing so far"
        case .scanDidStart, .scanDidPause, .scanDidCancel, .toolDidConnect, .toolDidDisconnect(nil),
            .didSendCommand, .didReceiveUnasked, .didReceiveResponses, .didReceiveVoltage,
            .didTimeOut, .didReceiveError, .pollDidFinish, .didChangeState, .didProgress,
            .didLoseEvents, .sessionDidEnd:
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
