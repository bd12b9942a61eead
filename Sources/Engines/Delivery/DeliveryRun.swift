import OBDCore
import Publishing
import SystemIO
import TripStore

/// A change of a sink, for better or worse.
package enum DeliveryNews: Hashable, Sendable {
    /// The sink has a fault, and another attempt follows.
    case fault(String)
    /// The fault of the sink is over.
    case works
    /// The file of cursors cannot be written.
    case forgetful
    /// The result of a command that a broker forwarded.
    case command(String)
    /// So many lines were refused up to now.
    case refused(Int)
    case ended(SinkEnd)

    /// The changes from `old` to `new`.
    package static func between(_ old: SinkReport, and new: SinkReport) -> [DeliveryNews] {
        var news: [DeliveryNews] = []
        // After the end nothing is tried again, and the end says why.
        if let fault = new.fault, old.fault == nil, new.end == nil { news.append(.fault(fault)) }
        if new.fault == nil, old.fault != nil, new.end == nil { news.append(.works) }
        if new.isForgetful, !old.isForgetful { news.append(.forgetful) }
        if let command = new.command, command != old.command { news.append(.command(command)) }
        if new.refused > old.refused { news.append(.refused(new.refused)) }
        if let end = new.end, old.end == nil { news.append(.ended(end)) }
        return news
    }
}

/// Another process delivers to a sink.
package struct SinkIsBusy: Error, Hashable {
    package var sink: String
}

/// Delivers to sinks, each on its own thread.
package struct DeliveryRun {
    /// A sink and its thread of delivery.
    package struct Work: Sendable {
        package var name: String
        /// The sink's address in the file of cursors.
        package var target: String
        /// Delivers until everything is sent or `stop` is signalled; `wake` signals new data.
        package var run:
            @Sendable (SinkState, _ stop: EventDescriptor, _ wake: EventDescriptor) -> Void

        package init(
            name: String, target: String,
            _ run: @escaping @Sendable (SinkState, EventDescriptor, EventDescriptor) -> Void
        ) {
            self.name = name
            self.target = target
            self.run = run
        }
    }

    private struct Running {
        var name: String
        var state: SinkState
        var wake: EventDescriptor
        var thread: SystemThread
        /// The last reported state.
        var told = SinkReport()
    }

    private let deliveries: DeliveryStore
    private let watch: FileWatch
    private let stop: EventDescriptor
    private let changed: EventDescriptor

    /// A run over the trips of `database`.
    package init(_ deliveries: DeliveryStore, database: String) throws(SystemError) {
        self.deliveries = deliveries
        watch = FileWatch(database + "-wal")
        stop = try EventDescriptor()
        changed = try EventDescriptor()
    }

    /// Delivers until every sink has ended; a signal stops the sinks.
    ///
    /// - Parameters:
    ///   - begun: is called when all are under way.
    ///   - passed: is called at least once a second.
    ///   - tell: is called with the index of a sink and its change.
    /// - Returns: The last report of each sink.
    /// - Throws: Why one could not begin, after the others have stopped.
    package func run(
        _ works: [Work], _ inbox: SignalInbox, begun: () -> Void = {},
        passed: () -> Void = {}, tell: (_ place: Int, DeliveryNews) -> Void
    ) throws -> [SinkReport] {
        var running: [Running] = []
        func tellAll() {
            for place in running.indices {
                let report = running[place].state.current
                for news in DeliveryNews.between(running[place].told, and: report) {
                    tell(place, news)
                }
                running[place].told = report
            }
        }
        var failure: (any Error)?
        do {
            for work in works { running.append(try start(work)) }
            begun()
        } catch {
            failure = error
            stop.signal()
        }
        while running.contains(where: { $0.state.current.end == nil }) {
            var list = WaitList()
            let signalled = list.add(inbox.descriptor)
            _ = list.add(changed.descriptor)
            let written = list.add(watch.descriptor)
            list.add(deadline: SystemClock.now() + .seconds(1))
            list.wait()
            if list.isReady(signalled), inbox.next() != nil {
                stop.signal()
                inbox.letMoreThrough()
            }
            if list.isReady(written) {
                watch.take()
                for sink in running { sink.wake.signal() }
            }
            watch.renew()
            changed.take()
            passed()
            tellAll()
        }
        for sink in running {
            sink.thread.join()
            try? deliveries.release(sink.name)
        }
        tellAll()
        if let failure { throw failure }
        return running.map(\.state.current)
    }

    private func start(_ work: Work) throws -> Running {
        do throws(StoreError) {
            try deliveries.claim(work.name, target: work.target)
        } catch {
            guard case .locked = error else { throw error }
            throw SinkIsBusy(sink: work.name)
        }
        let state = SinkState(changed: changed)
        let wake = try EventDescriptor()
        let stop = stop
        return Running(
            name: work.name, state: state, wake: wake,
            thread: try SystemThread { work.run(state, stop, wake) })
    }
}
