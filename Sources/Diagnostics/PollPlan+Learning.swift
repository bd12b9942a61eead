public import OBDCore

// Learns from replies.
extension PollPlan {
    /// Records the outcome of request `id`.
    public mutating func answered(_ id: RequestID, _ outcome: Outcome, at now: Instant) {
        guard let asked = pending, asked.id == id else { return }
        pending = nil
        if watchesMotion { tellGuard(outcome, at: now) }
        switch outcome {
        case .answered(let messages, let intact, let pending):
            learn(from: messages, isCountable: intact && !pending, to: asked, at: now)
        case .silent, .notSent:
            forgetFrames(of: asked)
            if asked.isBatch {
                askAlone(asked.items, at: now)
            } else {
                if case .notSent = outcome { items[asked.items[0]].fare.notSent += 1 }
                noteMiss(of: asked.items[0], at: now)
            }
        case .refused:
            forgetFrames(of: asked)
            switch (asked.isBatch, asked.withFrameCount) {
            case (true, true):
                batchWithFrameCount = .refused
                countedBatchRefusals.note(at: now)
            case (true, false):
                batching = .refused
                batchRefusals.note(at: now)
            case (false, true):
                longestCounted = min(longestCounted, asked.payload.count - 1)
                countRefusals.note(at: now)
            case (false, false):
                noteMiss(of: asked.items[0], at: now)
                return
            }
            retryNow(asked.items, at: now)
        case .failed:
            forgetFrames(of: asked)
            if asked.isBatch {
                noteFailure(ofBatch: asked.items, at: now)
            } else {
                noteFailure(of: asked.items[0], at: now)
            }
        }
    }

    /// The number of frames to wait for; it is forgotten after a number of uses and learned again.
    mutating func takeFrameCount(
        for asked: Pending, at now: Instant, link: LinkCapabilities
    ) -> Int? {
        guard link.frameCountHelps else { return nil }
        if link.heardECUs != heardECUs {
            heardECUs = link.heardECUs
            forgetAllFrames()
        }
        if asked.isBatch {
            if batchWithFrameCount == .refused, countedBatchRefusals.holds(at: now) { return nil }
        } else if asked.payload.count > longestCounted, countRefusals.holds(at: now) {
            return nil
        }
        guard var known = frameCount(of: asked) else { return nil }
        known.uses += 1
        let isWornOut = known.uses > link.frameCountUses
        setFrameCount(isWornOut ? nil : known, of: asked)
        return isWornOut ? nil : known.frames
    }

    private func frameCount(of asked: Pending) -> FrameCount? {
        if !asked.isBatch { return items[asked.items[0]].frameCount }
        return frameCounts[Key(payload: asked.payload, target: asked.target)]
    }

    /// Stores the number of received frames; returns whether it was the same as last time.
    private mutating func noteFrames(_ frames: Int, of asked: Pending) -> Bool {
        if !asked.isBatch {
            defer { items[asked.items[0]].lastFrames = frames }
            return items[asked.items[0]].lastFrames == frames
        }
        // Mixed periods create new batches all the time; forgotten counts are learned again.
        if lastFrames.count >= Self.mostBatches {
            lastFrames.removeAll()
            frameCounts.removeAll()
        }
        return lastFrames.updateValue(
            frames, forKey: Key(payload: asked.payload, target: asked.target)) == frames
    }

    private mutating func setFrameCount(_ count: FrameCount?, of asked: Pending) {
        if asked.isBatch {
            frameCounts[Key(payload: asked.payload, target: asked.target)] = count
        } else {
            items[asked.items[0]].frameCount = count
        }
    }

    /// Forgets all frame counts, because another ECU has answered.
    private mutating func forgetAllFrames() {
        frameCounts.removeAll()
        lastFrames.removeAll()
        for index in items.indices {
            items[index].frameCount = nil
            items[index].lastFrames = nil
        }
    }

    /// Forgets the frame count of a request and the counts from which it was learned.
    private mutating func forgetFrames(of asked: Pending) {
        setFrameCount(nil, of: asked)
        if asked.isBatch {
            lastFrames[Key(payload: asked.payload, target: asked.target)] = nil
        } else {
            items[asked.items[0]].lastFrames = nil
        }
    }

    // MARK: Learning

    private mutating func learn(
        from messages: [ECUMessage], isCountable: Bool, to asked: Pending, at now: Instant
    ) {
        let answered = answeredItems(messages, asked)
        let wasOut = lastAnswer.map { now - $0 >= Self.shortestOutage } ?? true
        let isFirst = wasOut && nothingIsAnswered && answered.contains { !items[$0].isWatched }
        for index in answered { noteAnswer(of: index, inBatch: asked.isBatch, at: now) }
        if isFirst { beginAnew(at: now) }
        if !answered.isEmpty { lastAnswer = now }
        let missing = asked.items.filter { !answered.contains($0) }
        let isComplete = isCountable && missing.isEmpty
        if asked.isBatch {
            if isComplete {
                (batching, batchRefusals) = (.works, Refusals())
                if asked.withFrameCount {
                    (batchWithFrameCount, countedBatchRefusals) = (.works, Refusals())
                }
            }
            // Records missing from a batch may be unsupported, or the batch was not understood, so ask them
            // alone.
            if !missing.isEmpty { askAlone(missing, at: now) }
        } else if let only = missing.first {
            noteMiss(of: only, at: now)
        } else if asked.withFrameCount, isComplete, asked.payload.count > longestCounted {
            // The count was refused before, but not because the adapter does not know counts.
            (longestCounted, countRefusals) = (.max, Refusals())
        }
        guard isComplete else {
            forgetFrames(of: asked)
            return
        }
        let frames = messages.reduce(0) { $0 + $1.frames }
        // Learned only from two equal counts. An extra character on the way to the adapter also acts as a
        // count and cuts off the other ECUs' answers.
        if !asked.withFrameCount, noteFrames(frames, of: asked),
            frames <= Self.largestFrameCount
        {
            setFrameCount(FrameCount(frames: frames), of: asked)
        }
    }

    mutating func noteAnswer(of index: Int, inBatch: Bool, at now: Instant) {
        items[index].misses = 0
        items[index].hasAnswered = true
        items[index].failedBatches = 0
        items[index].roundsDone += 1
        // Requests to a vehicle at rest do not count for the reached interval.
        if battery.rest == nil { items[index].fare.noteAnswer(at: now) }
        if inBatch {
            items[index].timesTakenOut = 0
            return
        }
        guard !items[index].mayBatch else { return }
        items[index].answersAlone += 1
        let doublings = min(max(0, items[index].timesTakenOut - 1), 6)
        if items[index].failedAlone
            || items[index].answersAlone >= Self.answersBeforeBatch << doublings
        {
            items[index].failedAlone = false
            items[index].answersAlone = 0
            items[index].mayBatch = items[index].want.fitsBatch && !items[index].isWatched
        }
    }

    /// Whether each record that was requested since the last answer is now requested less often, or will be
    /// soon.
    ///
    /// Records that are asked rarely prove nothing.
    var nothingIsAnswered: Bool {
        let asked = items.filter { item in
            guard !item.isWatched, let time = item.lastAsked else { return false }
            return lastAnswer.map { time >= $0 } ?? true
        }
        return !asked.isEmpty && asked.allSatisfy { $0.misses >= Self.missesBeforeRest }
    }

    /// The requested records that are in any ECU's answer.
    private func answeredItems(_ messages: [ECUMessage], _ asked: Pending) -> [Int] {
        let service = items[asked.items[0]].want.dataID.service
        guard asked.items.count > 1 else {
            let dataID = items[asked.items[0]].want.dataID
            return messages.contains(where: dataID.isAnswered(by:)) ? asked.items : []
        }
        var found: Set<Int> = []
        let width = ServiceShape.of(service.rawValue)?.selectorWidth ?? 1
        for message in messages where message.payload.first == service.positiveResponse {
            var place = 1
            while place + width <= message.payload.count {
                let id = message.payload[place..<place + width].reduce(UInt32(0)) {
                    $0 << 8 | UInt32($1)
                }
                guard let index = asked.items.first(where: { items[$0].want.dataID.id == id }),
                    let length = items[index].want.length,
                    place + width + length <= message.payload.count
                else { break }
                found.insert(index)
                place += width + length
            }
        }
        return asked.items.filter(found.contains)
    }

    private mutating func askAlone(_ indices: [Int], at now: Instant) {
        for index in indices {
            items[index].mayBatch = false
            items[index].answersAlone = 0
            items[index].failedAlone = false
        }
        retryNow(indices, at: now)
    }

    private mutating func retryNow(_ indices: [Int], at now: Instant) {
        for index in indices { items[index].due = min(items[index].due, now) }
    }

    /// Handles a failed batch: the adapter or the ECU may not support it, or the failure was temporary.
    private mutating func noteFailure(ofBatch indices: [Int], at now: Instant) {
        retryNow(indices, at: now)
        for index in indices { items[index].failedBatches += 1 }
        let suspects = indices.filter { items[$0].failedBatches >= Self.failuresBeforeAlone }
        for index in suspects { items[index].timesTakenOut += 1 }
        askAlone(suspects, at: now)
    }

    private mutating func noteFailure(of index: Int, at now: Instant) {
        items[index].misses += 1
        items[index].failedAlone = true
        if items[index].misses < Self.missesBeforeRest {
            retryNow([index], at: now)
        } else {
            rest(index, at: now)
        }
    }

    private mutating func noteMiss(of index: Int, at now: Instant) {
        items[index].misses += 1
        items[index].roundsDone += 1
        if items[index].misses >= Self.missesBeforeRest { rest(index, at: now) }
    }

    private mutating func rest(_ index: Int, at now: Instant) {
        let doublings = min(items[index].misses - Self.missesBeforeRest, 5)
        let isOutage =
            items[index].hasAnswered
            && lastAnswer.map { now - $0 >= Self.longestRestInOutage } ?? false
        let longest = isOutage ? Self.longestRestInOutage : Self.longestRest
        let end = now + min(Duration.seconds(1 << doublings), longest)
        guard items[index].due < end else { return }
        items[index].heldSince = max(items[index].due, now)
        items[index].due = end
    }

    /// Whether a record would be due now if it were not asked less often after silence or a failure, or if
    /// the vehicle were not left alone.
    public func isHoldingBack(at now: Instant) -> Bool {
        battery.rest != nil
            || items.contains { item in
                item.due > now && !isFinished(item) && item.heldSince.map { $0 <= now } ?? false
            }
    }

    /// Restarts after an outage, because silence from a sleeping vehicle or on a dead link proves nothing.
    mutating func beginAnew(at now: Instant) {
        for index in items.indices {
            items[index].due = items[index].misses > 0 ? now : max(items[index].due, now)
            items[index].heldSince = nil
            items[index].misses = 0
            items[index].failedBatches = 0
            items[index].lastAsked = nil
            items[index].mayBatch = items[index].want.fitsBatch && !items[index].isWatched
        }
    }
}
