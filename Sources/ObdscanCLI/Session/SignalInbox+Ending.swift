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

    /// Ends whatever the inbox is for by a signal that waits: the process, or what the thread does.
    ///
    /// - Throws: ``Interrupted`` when there is a process to go on with.
    func end() throws {
        guard let number = next() else { return }
        if isOfProcess { Self.die(of: number) }
        throw Interrupted()
    }

    /// Ends the process by the signal that asked for it, so that its parent sees the cause.
    static func die(of number: Int32) -> Never {
        letEndingsThrough()
        raise(number)
        exit(128 + number)
    }
}
