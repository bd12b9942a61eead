import Formats
import Glibc
import OBDCore

/// The reason why a command ends: the fault, a hint, and the exit code.
struct Failure: Error, Hashable, Sendable {
    /// Names the object and its fault; no full stop, no line break.
    var message: String
    /// The remedy.
    var hint: String?
    var status: ExitStatus
    /// Whether the adapter works and the vehicle does not answer: it may be off.
    var isOfSilentVehicle = false

    init(_ message: String, hint: String? = nil, status: ExitStatus) {
        self.message = message
        self.hint = hint
        self.status = status
    }

    /// A failure without a message, after everything was printed already.
    static func silent(_ status: ExitStatus) -> Failure {
        Failure("", status: status)
    }

    /// `obdscan: message` and, on its own line, `hint: …`.
    var text: String {
        if message.isEmpty { return "" }
        // `sim:` ends with its own colon.
        let words = printable(message).replacing("sim:: ", with: "sim: ")
        return "obdscan: \(words)\n" + (hint.map { "hint: \(printable($0))\n" } ?? "")
    }
}

extension Failure: Explained {
    var explanation: Explanation {
        Explanation(message, hint: hint, status.category, isOfSilentVehicle: isOfSilentVehicle)
    }
}

/// Prints the failure to stderr and ends the process with its exit code.
func endProcess(_ failure: Failure) -> Never {
    tellOnStandardError(failure.text)
    exit(failure.status.rawValue)
}

/// Runs `body` and puts its error into words.
func mapped<Value, Fault: Explained>(_ body: () throws(Fault) -> Value) throws(Failure) -> Value {
    do {
        return try body()
    } catch {
        throw Failure(error)
    }
}
