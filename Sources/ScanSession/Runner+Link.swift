import Accessory
import OBDCore
import ScanTool
import SystemIO

// Opens a session and finds its line rate.
extension Runner {
    mutating func openSession() {
        do {
            let cancel = core.stop.descriptor
            guard var opened = try configuration.connector.open(cancelledBy: cancel),
                try settleRate(of: &opened)
            else {
                followUps.append(.openFailed)
                carryOut(driver.life.take(.stopRequested))
                return
            }
            if let longest = opened.longestMessage { machine.limitRequests(to: longest) }
            session = consume opened
            now = SystemClock.now()
            tell(.toolDidConnect)
            followUps.append(.opened)
        } catch {
            now = SystemClock.now()
            lastFault = error
            followUps.append(.openFailed)
        }
    }

    /// Sets the line to the adapter's rate; false if a stop was requested in the meantime.
    mutating func settleRate(of session: inout DescriptorSession) throws(AccessoryError)
        -> Bool
    {
        let step = connectPlan.next(
            lineHasRate: session.kind == .serialLine, isGiven: session.isRateGiven)
        switch step {
        case .asItIs: return true
        case .trust(let rate):
            try session.setLineRate(rate)
            return true
        case .search(let rates):
            for rate in rates {
                do {
                    try session.setLineRate(rate)
                } catch {
                    guard error.isOfLineRate else { throw error }
                    continue
                }
                tellProgress(.lineRate(rate))
                switch try ask(&session) {
                case .answered: return true
                case .silent: continue
                case .stopped: return false
                }
            }
            throw .serial(.noAnswerAtAnyRate(path: session.name, rates: rates))
        }
    }

    private enum Verdict {
        case answered, silent, stopped
    }

    private mutating func ask(_ session: inout DescriptorSession) throws(AccessoryError) -> Verdict
    {
        for _ in 0..<LineProbe.questions {
            session.discardInput()
            now = SystemClock.now()
            record(LineProbe.question, .toAdapter)
            try session.write(LineProbe.question)
            var probe = LineProbe()
            let deadline = now + LineProbe.patience
            var set = PollSet()
            let stop = set.add(core.stop.descriptor)
            set.add(session.descriptor)
            while now < deadline {
                do {
                    try set.wait(until: deadline)
                } catch {
                    throw .system(call: error.call, address: session.name, errno: error.errno)
                }
                now = SystemClock.now()
                if set.isReadable(stop) { return .stopped }
                let bytes = try session.receive()
                if !bytes.isEmpty { record(bytes, .fromAdapter) }
                if probe.receive(bytes) { return .answered }
            }
        }
        return .silent
    }
}
