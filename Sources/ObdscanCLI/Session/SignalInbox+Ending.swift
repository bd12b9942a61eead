import Glibc
import SystemIO

extension SignalInbox {
    /// Blocks the signals that end a command, and collects them.
    static func ofProcess() throws(Failure) -> SignalInbox {
        do throws(SystemError) {
            return try SignalInbox(endings)
        } catch {
            throw Failure(error)
        }
    }

    /// Ends the process by a pending signal, or throws if the inbox belongs to a thread.
    ///
    /// - Throws: ``Interrupted`` if the process continues.
    func end() throws {
        guard let number = next() else { return }
        if isOfProcess { Self.die(of: number) }
        throw Interrupted()
    }

    /// Ends the process by the signal that it received, so that its parent sees the cause.
    static func die(of number: Int32) -> Never {
        letEndingsThrough()
        raise(number)
        exit(128 + number)
    }
}
