import Adapters
import OBDCore
import ScanTool

// Listens to the bus, and passes on what the frames mean.
extension Runner {
    /// Longer than any session: three years.
    private static var endless: Duration { .seconds(100_000_000) }

    /// Begins to listen, again after a lost link or an adapter that stopped; false if the session does not listen.
    mutating func listenOn() -> Bool {
        guard let filters = listening, driver.handover.mayAsk, !driver.life.isEnding else {
            return false
        }
        if let pause = listeningPause, now < pause {
            deadlines.plan = pause
            return true
        }
        // An adapter may stop at once, again and again.
        listeningPause = now + .seconds(1)
        submit(
            .monitor(
                id: RequestID(rawValue: 0), text: AdapterCommand.monitorEverything,
                atMost: Self.endless, filters: filters), for: nil)
        return true
    }

    /// Ends the listening of an adapter that cannot.
    mutating func giveUpListening() {
        listening = nil
        tell(.pollDidFinish)
    }

    /// Takes a frame of the bus.
    mutating func hear(_ frame: BusFrame) {
        guard isHearing, listener != nil else { return }
        var batches: [ReadingBatch] = []
        listener?.take(frame, at: frameTime ?? now, &batches)
        batches = batches.filter { takesPlaceOfAnswer($0) ?? true }
        offerHeard(batches)
    }

    /// Whether to use a message that an ECU sent by itself in place of an answer; nil for a batch without a message.
    ///
    /// What arrives while its own request runs is taken as the answer.
    private mutating func takesPlaceOfAnswer(_ batch: ReadingBatch) -> Bool? {
        guard let message = batch.messages.first else { return nil }
        guard let polled, let group = message.parameterGroup else { return false }
        let request = DataID(DataID.parameterGroups, group).requestPayload
        if driver.handover.request?.request.payload == request { return false }
        let isUsed = polled.plan.hear(message, at: batch.answered)
        if polled.watchesMotion {
            polled.plan.take(batch.items, at: batch.answered)
            tellBatteryNews()
        }
        return isUsed
    }

    /// Passes on what still waited, at the end of the session.
    mutating func finishListening() {
        guard listener != nil else { return }
        var batches: [ReadingBatch] = []
        listener?.finish(at: now, &batches)
        listener = nil
        offerHeard(batches)
    }

    private mutating func offerHeard(_ batches: [ReadingBatch]) {
        guard !batches.isEmpty else { return }
        for batch in batches { stream?.take(batch) }
        // A batch holds codes as well.
        let readings = batches.reduce(0) { sum, batch in
            sum + batch.items.count { if case .reading = $0 { true } else { false } }
        }
        core.noteHeard(readings: readings, at: now)
        let sinks = sinks
        heardBatches.offer(batches) { Self.firstFullSink(of: sinks, for: $0, from: $1) }
        let dropped = heardBatches.takeDropped()
        if dropped > 0 { loseFrames(dropped) }
    }

    /// Counts frames that were lost, and reports them.
    mutating func loseFrames(_ count: Int) {
        core.noteLostFrames(count)
        tell(.didLoseFrames(count))
    }

    /// Offers what waited for space again.
    mutating func retryHeard() {
        let sinks = sinks
        heardBatches.retry { Self.firstFullSink(of: sinks, for: $0, from: $1) }
    }
}
