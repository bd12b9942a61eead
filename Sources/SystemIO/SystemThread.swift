import Glibc

/// A plain thread.
///
/// It takes no signals: those are the main thread's. SIGPIPE among them, so that writing to a peer
/// that has gone is an error and not the end of the program.
public struct SystemThread: Sendable {
    private let thread: pthread_t

    /// Starts `body` on its own thread; it has to be joined.
    public init(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
        let box = Unmanaged.passRetained(Body(body))
        var thread = pthread_t()
        let error = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                var all = sigset_t()
                sigfillset(&all)
                pthread_sigmask(SIG_BLOCK, &all, nil)
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, box.toOpaque())
        if error != 0 {
            box.release()
            throw SystemError(call: "pthread_create", errno: error)
        }
        self.thread = thread
    }

    /// Waits for the thread's end; once.
    public func join() { pthread_join(thread, nil) }

    /// Lets the thread end by itself; instead of ``join()``.
    public func detach() { pthread_detach(thread) }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
