import CSystem
import Glibc

/// A plain thread.
///
/// The thread blocks all signals, because they are for the main thread. The blocked signals include SIGPIPE,
/// so that writing to a closed peer is an error and does not end the program.
public struct SystemThread: Sendable {
    private let thread: pthread_t

    /// Starts `body` on its own thread; the thread has to be joined.
    ///
    /// Other programs see `name`, of which Linux keeps 15 characters.
    public init(
        named name: String? = nil, _ body: @escaping @Sendable () -> Void
    ) throws(SystemError) {
        let box = Unmanaged.passRetained(
            Body {
                if let name { sys_name_thread(name) }
                body()
            })
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

    /// Waits for the thread to end; may be called once.
    public func join() { pthread_join(thread, nil) }

    /// Lets the thread end by itself, as an alternative to ``join()``.
    public func detach() { pthread_detach(thread) }

    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }
}
