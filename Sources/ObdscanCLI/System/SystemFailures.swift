import Accessory

extension Failure {
    /// A system call that cannot fail did.
    init(_ error: SystemError) {
        self.init("\(error.call): \(describe(errno: error.errno))", status: .bug)
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
