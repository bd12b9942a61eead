import OBDCore
import Synchronization

/// Repeats the start of work that failed in some threads, while other threads work.
public final class StartRetries: Sendable {
    private struct Count {
        /// The threads that work or try to.
        var busy: Int
        /// The alarm clocks of the others.
        var waiting: [EventDescriptor] = []
    }

    private let count: Mutex<Count>

    /// All of `threads` try first.
    public init(threads: Int) { count = Mutex(Count(busy: threads)) }

    /// Calls `attempt` until it succeeds, no other thread is busy any more, or `inbox` gets a signal.
    ///
    /// - Parameters:
    ///   - pause: The time until the next attempt; nil if another one would fail in the same way.
    ///   - tell: Gets each failure that has a pause, and the pause; nil if there is no other attempt.
    /// - Returns: The result of the last attempt.
    public func run<Value>(
        _ inbox: SignalInbox, pause: (any Error) -> Duration?,
        tell: (any Error, Duration?) -> Void, attempt: () throws -> Value
    ) -> Result<Value, any Error> {
        defer { _ = leave(nil) }
        while true {
            do {
                return .success(try attempt())
            } catch {
                guard let pause = pause(error), let alarm = try? EventDescriptor() else {
                    return .failure(error)
                }
                let isAlone = leave(alarm)
                tell(error, isAlone ? nil : pause)
                var list = WaitList()
                let signals = list.add(inbox.descriptor)
                let end = list.add(alarm.descriptor)
                list.add(deadline: SystemClock.now() + pause)
                list.wait()
                let isLast = list.isReady(signals) || list.isReady(end)
                comeBack(alarm)
                if isLast { return .failure(error) }
            }
        }
    }

    /// A thread is no longer busy; if none is, waiting threads need not wait any longer.
    ///
    /// - Returns: whether no thread is busy.
    private func leave(_ alarm: EventDescriptor?) -> Bool {
        count.withLock { count in
            if let alarm { count.waiting.append(alarm) }
            count.busy -= 1
            if count.busy == 0 { for alarm in count.waiting { alarm.signal() } }
            return count.busy == 0
        }
    }

    private func comeBack(_ alarm: EventDescriptor) {
        count.withLock { count in
            count.waiting.removeAll { $0 === alarm }
            count.busy += 1
        }
    }
}
