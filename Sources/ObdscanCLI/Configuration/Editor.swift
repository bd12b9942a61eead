import Glibc
import SystemIO

enum Editor {
    /// Opens `path` and waits until the editor ends.
    ///
    /// `$VISUAL` and `$EDITOR` may hold options; no shell reads them.
    static func open(_ path: String) throws(Failure) {
        let chosen = [environment("VISUAL"), environment("EDITOR")].compactMap(\.self)
            .first { !$0.isEmpty }
        let words = (chosen ?? "vi").split(separator: " ").map(String.init) + [path]
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) }
        arguments.append(nil)
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        let fault = posix_spawnp(&child, words[0], nil, nil, &arguments, environ)
        guard fault == 0 else {
            throw Failure(
                "\(words[0]): \(SystemError.text(of: fault))",
                hint: "set EDITOR to an editor that is installed", status: .unavailable)
        }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0 {
            guard errno == EINTR else { return }
        }
        guard status == 0 else {
            throw Failure(
                "\(words[0]) ended with a fault",
                hint: "the file is \(path); EDITOR names another editor", status: .unavailable)
        }
    }
}
