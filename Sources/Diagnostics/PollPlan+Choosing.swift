import OBDCore

// Chooses the next request and the records in it.
extension PollPlan {
    func isFinished(_ item: Item) -> Bool {
        if item.isWatched { return true }
        return rounds.map { item.roundsDone >= $0 } ?? false
    }

    /// The due record with the earliest deadline; among those without a period, the one not asked for the
    /// longest time.
    func mostUrgentItem(at now: Instant) -> Int? {
        var best: Int?
        // By index, because items are large and would be copied.
        for index in items.indices where items[index].due <= now && !isFinished(items[index]) {
            guard let current = best else {
                best = index
                continue
            }
            if comesBefore(items[index], items[current]) { best = index }
        }
        return best
    }

    private func comesBefore(_ left: Item, _ right: Item) -> Bool {
        let leftDeadline = deadline(of: left)
        let rightDeadline = deadline(of: right)
        if leftDeadline != rightDeadline { return leftDeadline < rightDeadline }
        let never = Instant(nanoseconds: .min)
        return (left.lastAsked ?? never) < (right.lastAsked ?? never)
    }

    /// After this time, a record without a period comes before those that became due later.
    ///
    /// Otherwise such records would never be asked if the link is too slow for the periods of the others.
    private static let longestWait = Duration.seconds(1)

    /// The time by which a due record should be asked.
    private func deadline(of item: Item) -> Instant {
        guard let period = item.want.period else {
            return (item.lastAsked ?? item.due) + Self.longestWait
        }
        return item.due + period
    }

    /// When to check again.
    ///
    /// Records that are asked less often are included, so that waiting for them is not the same as being
    /// idle.
    func nextDue(at now: Instant) -> Instant? {
        var earliest: Instant?
        for item in items where !isFinished(item) {
            let held = item.heldSince ?? item.due
            let next = held > now ? held : item.due
            earliest = earliest.map { min($0, next) } ?? next
        }
        if let voltageDue, earliest != nil || isForVoltage {
            earliest = min(earliest ?? voltageDue, voltageDue)
        }
        return earliest
    }

    func batch(around first: Int, at now: Instant, link: LinkCapabilities) -> [Int] {
        let limit = batchLimit(link, items[first].want, at: now)
        guard limit > 1, items.count > 1, items[first].mayBatch else { return [first] }
        var others: [Int] = []
        for index in items.indices
        where index != first && mayJoin(items[index], items[first], at: now) {
            others.append(index)
        }
        if others.count >= limit {
            others.sort { comesBefore(items[$0], items[$1]) }
            others.removeLast(others.count - limit + 1)
        }
        others.append(first)
        // In the order of the table, so that a rotation repeats the same batch and its frame count stays
        // valid.
        others.sort()
        return others
    }

    private func mayJoin(_ item: Item, _ first: Item, at now: Instant) -> Bool {
        item.mayBatch && item.due <= now && !isFinished(item)
            && item.want.target == first.want.target
            && item.want.dataID.service == first.want.dataID.service
            && item.want.responder == first.want.responder
    }

    private func batchLimit(
        _ link: LinkCapabilities, _ want: Want, at now: Instant
    ) -> Int {
        if batching == .refused, batchRefusals.holds(at: now) { return 1 }
        guard link.vehicleProtocol?.family == .can else { return 1 }
        guard let shape = ServiceShape.of(want.dataID.service.rawValue) else { return 1 }
        return link.selectors(of: shape, to: want.target)
    }

    mutating func request(
        for chosen: [Int], at now: Instant, link: LinkCapabilities
    ) -> VehicleRequest {
        let target = items[chosen[0]].want.target
        var payload = items[chosen[0]].payload
        for index in chosen.dropFirst() {
            payload += items[index].payload.dropFirst()
        }
        for index in chosen {
            items[index].fare.asked += 1
            if let period = items[index].want.period {
                // Counted from the due time and not from now, so that a late answer does not shift the
                // schedule.
                let next = items[index].due + period
                if next > now {
                    items[index].due = next
                } else {
                    if items[index].lastAsked != nil, battery.rest == nil {
                        items[index].fare.noteMissed(of: period, since: next, at: now)
                    }
                    items[index].due = now + period
                }
            }
            items[index].lastAsked = now
            items[index].heldSince = nil
        }
        let id = nextID()
        var asked = Pending(
            id: id, items: chosen, payload: payload, target: target, withFrameCount: false)
        let frames = takeFrameCount(for: asked, at: now, link: link)
        asked.withFrameCount = frames != nil
        pending = asked
        var request = VehicleRequest(
            id: id, target: target, payload: payload, expectedFrames: frames)
        if let responder = items[chosen[0]].want.responder { request.responders = .one(responder) }
        return request
    }
}
