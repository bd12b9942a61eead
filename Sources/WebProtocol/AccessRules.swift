/// Who may ask: by which host, from which page, with which token.
///
/// A page of somebody else that is open in the same browser must get nothing: neither by a name that
/// it has pointed at this machine (DNS rebinding; `Host`), nor by a script, a picture or a frame
/// (`Origin`, `Sec-Fetch-Site`).
public struct AccessRules: Sendable {
    /// What is said to a request.
    public enum Verdict: Hashable, Sendable {
        /// It is answered.
        case allowed
        /// Only requests that read are: GET, and HEAD, which asks for the head of the same answer.
        case notGet
        /// It came by a name that is not this machine's.
        case foreignHost
        /// A page of somebody else sent it.
        case foreignOrigin
        /// It says no token.
        case tokenMissing
        /// It says another token.
        case tokenWrong
    }

    /// Whether only this machine is served, so that only names of the loopback count.
    public var isLoopback: Bool
    /// Further names under which the machine is known, in lower case.
    public var names: Set<String>
    /// The token; nil = none is asked for.
    public var token: AccessToken?
    /// Under which the browser keeps the token.
    public var cookie: String

    /// Rules.
    public init(isLoopback: Bool, names: Set<String>, token: AccessToken?, cookie: String) {
        self.isLoopback = isLoopback
        self.names = names
        self.token = token
        self.cookie = cookie
    }

    /// Whether a request is answered, and why it is not.
    public func verdict(_ head: RequestHead) -> Verdict {
        guard let host = head.value("host").flatMap({ HostName($0) }), isOurs(host) else {
            return .foreignHost
        }
        if !isSameOrigin(head, host) { return .foreignOrigin }
        // What else a foreign page sends is told nothing more.
        guard head.method == "GET" || head.isHeadOnly else { return .notGet }
        guard let token else { return .allowed }
        let words = self.words(of: head)
        // Every one is looked at: how long it takes must not say which.
        var isRight = false
        for word in words where token.matches(word) { isRight = true }
        return isRight ? .allowed : words.isEmpty ? .tokenMissing : .tokenWrong
    }

    private func isOurs(_ host: HostName) -> Bool {
        if host.isLoopback || names.contains(host.name) { return true }
        return !isLoopback && host.isAddress
    }

    private func isSameOrigin(_ head: RequestHead, _ host: HostName) -> Bool {
        if head.fields.contains(where: { $0.name == "origin" }) {
            guard let origin = head.value("origin"), let name = Self.host(ofOrigin: origin) else {
                return false
            }
            return name.name == host.name && name.port == host.port
        }
        switch head.value("sec-fetch-site") {
        case nil, "same-origin", "none": return true
        // A link from any page shows the page.
        default:
            return head.value("sec-fetch-mode") == "navigate"
                && head.value("sec-fetch-dest") == "document" && head.path.isEmpty
        }
    }

    private static func host(ofOrigin origin: String) -> HostName? {
        for scheme in ["http://", "https://"] where origin.hasPrefix(scheme) {
            return HostName(String(origin.dropFirst(scheme.count)))
        }
        return nil
    }

    /// The tokens that a request says: in its `Authorization`, in its cookie, in the page's own URL.
    private func words(of head: RequestHead) -> [String] {
        var words: [String] = []
        if let said = head.value("authorization") {
            let parts = said.split(separator: " ", maxSplits: 1)
            if parts.count == 2, parts[0].lowercased() == "bearer" {
                words.append(String(parts[1]))
            }
        }
        for field in head.fields where field.name == "cookie" {
            for pair in field.value.split(separator: ";") {
                let parts = pair.drop { $0 == " " }.split(separator: "=", maxSplits: 1)
                if parts.count == 2, parts[0] == cookie { words.append(String(parts[1])) }
            }
        }
        // Only there: elsewhere it would be in other programs' lists of what was opened.
        if head.path.isEmpty, let word = head.queryValue("token") { words.append(word) }
        return words
    }
}
