import Adapters
import Diagnostics
import Formats
import OBDCore
import ScanSession
import ScanTool
import SystemIO

extension ScanEvent {
    package var text: String {
        switch self {
        case .scanDidStart: "polling starts"
        case .scanDidPause: "polling paused"
        case .scanDidCancel: "polling cancelled"
        case .scanDidRest(let rest): "polling rests: \(rest.reason)"
        case .scanDidWake: "polling continues: the vehicle is on again"
        case .toolDidConnect: "device opened"
        case .toolDidDisconnect(let error):
            "device closed" + (error.map { ": \($0.explanation.message)" } ?? "")
        case .toolDidInitialize(let link):
            "adapter ready: \(link.title)"
                + (link.capabilities.vehicleProtocol.map { ", \($0.title)" } ?? "")
        case .toolDidFailToInitialize(let failure):
            "adapter not set up: \(failure.explanation(at: "adapter").message)"
        case .toolWillSleep: "the adapter is about to sleep"
        case .toolDidReport(let status): status.explanation(insteadOfAnswerAt: "adapter").message
        case .didSendCommand(let request):
            switch request {
            case .vehicle(let request):
                "sent \(Hex.string(request.payload))"
                    + (request.target.map { " to \($0)" } ?? "")
            case .action(_, let action): "sent \(action.command)"
            case .command(_, let text, _, _), .monitor(_, let text, _, _): "sent \(text)"
            }
        case .didReceiveResponses(_, let count): "received " + counted(count, "message")
        case .didReceiveUnasked(let count):
            "\(counted(count, "byte")) came before a request was sent, ignored"
        case .didReceiveVoltage(let volts): "voltage \(fixed(volts, 1)) V"
        case .didTimeOut: "no complete answer in time"
        case .didNotSend(let request): request.unsentText
        case .didReceiveError(let report):
            "error: \(report.reason.words), failure \(report.attempt) in a row, next: \(report.next.words)"
        case .pollDidFinish: "polling done"
        case .didChangeState(let step):
            "state \(step.from.rawValue) -> \(step.to.rawValue) (\(step.event.rawValue))"
        case .recordingFailed(let number):
            "the recording cannot be written: \(SystemError.text(of: number))"
        case .didLoseFrames(let count):
            "\(counted(count, "frame")) came faster than they were read, and are lost"
        case .didLoseEvents(let count): "\(count) events were not read in time and are lost"
        case .didProgress(let progress):
            switch progress {
            case .lineRate(let rate): "trying \(rate) bit/s"
            case .protocolSearch: "searching for the vehicle's protocol"
            case .longSearch: "the vehicle has not answered yet; the search continues"
            case .setupGoesOn(let failure):
                "adapter not set up: \(failure.explanation(at: "adapter").message)"
            case .heard(let line): "heard \(line)"
            case .heardFrame(let frame):
                "frame \(frame.id?.description ?? "—") \(Hex.string(frame.data))"
            }
        case .sessionDidEnd(let error):
            "session over" + (error.map { ": \($0.explanation(at: "adapter").message)" } ?? "")
        }
    }
}

extension ErrorReason {
    /// The event, within a line.
    fileprivate var words: String {
        switch self {
        case .openFailed: "the adapter cannot be opened"
        case .linkLost: "the adapter has disappeared"
        case .initialisation(let failure): failure.explanation(at: "adapter").message
        case .initialisationTimedOut: "setting up the adapter did not finish"
        case .adapterRestarted: "the adapter restarted or lost its settings"
        case .flooded: "the adapter sent more data than any answer has"
        case .unresponsive: "the adapter gives no prompt"
        }
    }
}

extension NextStep {
    /// The next step, as a part of a line.
    fileprivate var words: String {
        switch self {
        case .reinitialise(let pause):
            "the adapter is set up again after \(durationText(pause.seconds))"
        case .awaitSession(let pause):
            "the adapter is opened again after \(durationText(pause.seconds))"
        case .givenUp: "nothing"
        }
    }
}

extension VehicleRequest {
    /// Why a request cannot be sent.
    var unsentText: String {
        let isReading = Self.isReadOnly(payload, to: target, on: nil)
        let reason =
            isReading
            ? "the adapter cannot send it, or refuses a setting that it needs"
            : "it is not known to only read"
        return "\(Hex.string(payload))" + (target.map { " to \($0)" } ?? "")
            + " is not asked: \(reason)"
    }
}
