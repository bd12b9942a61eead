import Accessory
import SystemIO

extension Failure {
    /// A system call that cannot fail did.
    init(_ error: SystemError) {
        self.init(systemCall: error.call, errno: error.errno)
    }
}

extension EventDescriptor {
    /// A flag that is down.
    static func made() throws(Failure) -> EventDescriptor {
        do throws(SystemError) {
            return try EventDescriptor()
        } catch {
            throw Failure(error)
        }
    }
}
