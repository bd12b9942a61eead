import Accessory
import SystemIO

extension Failure {
    /// An unexpected failure of a system call.
    init(_ error: SystemError) {
        self.init(systemCall: error.call, errno: error.errno)
    }
}
