import Accessory
import SystemIO

extension Failure {
    /// An unexpected failure of a system call.
    init(_ error: SystemError) {
        self.init(systemCall: error.call, errno: error.errno)
    }
}

extension EventDescriptor {
    /// An event that is not set.
    static func made() throws(Failure) -> EventDescriptor {
        do throws(SystemError) {
            return try EventDescriptor()
        } catch {
            throw Failure(error)
        }
    }
}
