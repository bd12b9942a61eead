import Adapters
import Diagnostics
import OBDCore
import ScanSession
import SystemIO
import VehicleScan

/// Sends the same requests to a vehicle again and again and measures the times.
package struct LinkBench {
    /// Records with one value that most vehicles support, in order of preference.
    package static let usual: [UInt8] = [
        0x0C, 0x0D, 0x05, 0x11, 0x04, 0x0F, 0x0B, 0x10, 0x0E, 0x2F, 0x33,
    ]
    /// After this many consecutive failures of one kind of request, the benchmark stops sending it.
    private static let mostFailures = 3

    private let connection: Vehicle
    private let wants: [PollPlan.Want]
    private let requests: Int
    private var left: [BenchFigures.Kind]
    private var done: [BenchFigures] = []
    /// The number of frames that answer this many records, known after a request without count
    /// digit.
    private var frames: [Int: Int] = [:]

    package init(_ connection: Vehicle, wants: [PollPlan.Want], requests: Int) {
        self.connection = connection
        self.wants = wants
        self.requests = requests
        left = [.adapter, .records(1, countDigit: false), .records(1, countDigit: true)]
        let link = connection.scan.link?.capabilities
        let most = min(6, link?.itemsPerRequest ?? 1, wants.count)
        let isBatchable = wants.prefix(max(1, most)).allSatisfy {
            $0.length != nil && $0.dataID.service == .currentData && $0.target == nil
        }
        if most > 1, isBatchable, link?.vehicleProtocol?.family == .can {
            left += [.records(most, countDigit: false), .records(most, countDigit: true)]
        }
    }

    /// Measures the next kind of request; nil after the last one.
    package mutating func next() throws -> BenchFigures? {
        while !left.isEmpty {
            let kind = left.removeFirst()
            guard let request = request(kind) else { continue }
            var figures = BenchFigures(kind)
            var inARow = 0
            while figures.requests < requests, inARow < Self.mostFailures {
                let asked = try connection.ask(request)
                figures.requests += 1
                if take(asked, of: kind, into: &figures) {
                    inARow = 0
                } else {
                    figures.failed += 1
                    inARow += 1
                }
            }
            if case .records(_, countDigit: true) = kind,
                connection.scan.link?.capabilities.frameCountHelps == false
            {
                // The adapter refused each request with the digit, and the session repeated the request
                // without the digit.
                figures.failed = figures.requests
                figures.roundTrips = []
                figures.readings = 0
            }
            done.append(figures)
            return figures
        }
        return nil
    }

    /// Polls as `live` and `log` do it, and ends the session.
    package func poll(for duration: Duration) throws -> BenchFigures {
        let begun = SystemClock.now()
        connection.scan.poll(PollPlan(wants: wants))
        var loop = PollLoop(connection, queue: nil, until: SystemClock.now() + duration)
        let end = try loop.run { _, _ in
        } batch: { _ in
        }
        switch end {
        case .stopped: throw ScanError.interrupted
        case .failed(let error): throw error
        case .duration, .finished, .vehicleOff, .otherVehicle: break
        }
        // The statistics count from the start of polling.
        let statistics = connection.scan.statistics
        var figures = BenchFigures(.polling)
        figures.requests = statistics.requests
        figures.readings = statistics.readings
        figures.failed = statistics.timeouts
        figures.seconds = (SystemClock.now() - begun).seconds
        return figures
    }

    /// The conclusions from all measurements, including those of `polling`.
    package func verdict(_ polling: BenchFigures) -> BenchVerdict {
        var verdict = BenchVerdict()
        let single = figures(.records(1, countDigit: false))
        let digit = figures(.records(1, countDigit: true))
        if let digit {
            verdict.countDigit =
                digit.works && connection.scan.link?.capabilities.frameCountHelps != false
            if let without = single?.roundTrip(0.5), let with = digit.roundTrip(0.5) {
                verdict.saved = without - with
            }
        }
        for case .records(let count, countDigit: false) in done.map(\.kind) where count > 1 {
            verdict.batch = figures(.records(count, countDigit: false))?.works == true ? count : 1
        }
        verdict.readingsPerSecond = polling.readingsPerSecond
        return verdict
    }

    private func figures(_ kind: BenchFigures.Kind) -> BenchFigures? {
        done.first { $0.kind == kind }
    }

    /// The request of a kind; nil if earlier measurements show that it is useless.
    private func request(_ kind: BenchFigures.Kind) -> AdapterRequest? {
        switch kind {
        case .adapter:
            return .action(id: RequestID(rawValue: 0), .identify)
        case .polling: return nil
        case .records(let count, let countDigit):
            var request = connection.request(payload(count), target: wants[0].target)
            if countDigit {
                guard connection.scan.link?.capabilities.frameCountHelps == true,
                    let frames = frames[count], (1...15).contains(frames)
                else { return nil }
                request.expectedFrames = frames
            }
            return .vehicle(request)
        }
    }

    private func payload(_ count: Int) -> [UInt8] {
        let first = wants[0].dataID
        var payload = [first.service.rawValue]
        if first.digits > 2 { payload.append(UInt8(truncatingIfNeeded: first.id >> 8)) }
        payload.append(UInt8(truncatingIfNeeded: first.id))
        if first.service == .freezeFrame { payload.append(0) }
        for want in wants[1..<count] { payload.append(UInt8(truncatingIfNeeded: want.dataID.id)) }
        return payload
    }

    /// Adds the time of an answer; returns false if the answer was incomplete.
    private mutating func take(
        _ asked: QueryResult, of kind: BenchFigures.Kind, into figures: inout BenchFigures
    ) -> Bool {
        let time = (asked.answer.answered - asked.answer.asked).seconds
        figures.seconds += time
        switch kind {
        case .adapter:
            guard asked.problem == nil, !asked.answer.reply.texts.isEmpty else { return false }
        case .polling: return false
        case .records(let count, let countDigit):
            let answered = Set(
                asked.answer.items.compactMap { item -> DataID? in
                    guard case .reading(let reading) = item else { return nil }
                    return reading.dataID
                })
            guard asked.problem == nil, asked.answer.reply.errors.isEmpty,
                wants.prefix(count).allSatisfy({ answered.contains($0.dataID) })
            else { return false }
            for case .reading in asked.answer.items { figures.readings += 1 }
            if !countDigit {
                frames[count] = asked.answer.reply.messages.reduce(0) { $0 + $1.frames }
            }
        }
        figures.roundTrips.append(time)
        return true
    }
}
