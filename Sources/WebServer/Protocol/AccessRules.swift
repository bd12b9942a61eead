/// Which requests are admitted, by host, origin, token and method.
///
/// A foreign page in the same browser must not get any data: neither through a host name that it
/// has pointed at this machine (DNS rebinding; `Host`), nor through a script, a picture or a frame
/// (`Origin`, `Sec-Fetch-Site`). A request that changes something must show that it comes from our page, or have
/// the token in a field that no browser adds by itself.
package struct AccessRules: Sendable {
    /// The verdict about a request.
    package enum Verdict: Hashable, Sendable {
        /// The request is answered.
        case allowed
        /// The method is another one than the address has: POST for what changes something, otherwise
        /// GET, or HEAD, which requests the head of the same answer.
        case otherMethod
        /// The host name is not one of this machine.
        case foreignHost
        /// A foreign page sent the request.
        case foreignOrigin
        /// The request would change something, and does not say which page sent it.
        case originMissing
        case tokenMissing
        case tokenWrong
    }

    /// Whether the server is reachable only from this machine, so that only loopback names are
    /// valid.
    package var isLoopback: Bool
    /// Further names of the machine, in lower case.
    package var names: Set<String>
    /// The token; nil = none is required.
    package var token: AccessToken?
    /// The name of the cookie with the token.
    package var cookie: String
    /// The paths that change something.
    package var commands: Set<[String]>

    package init(
        isLoopback: Bool, names: Set<String>, token: AccessToken?, cookie: String,
        commands: Set<[String]> = []
    ) {
        self.commands = commands
        self.isLoopback = isLoopback
        self.names = names
        self.token = token
        self.cookie = cookie
    }

    package func verdict(_ head: RequestHead) -> Verdict {
        guard let host = head.value("host").flatMap({ HostName($0) }), isOurs(host) else {
            return .foreignHost
        }
        if !isSameOrigin(head, host) { return .foreignOrigin }
        // Check this after the origin, so that a foreign page learns nothing more.
        guard methods(of: head.path).contains(head.method) else { return .otherMethod }
        let isCommand = commands.contains(head.path)
        guard let token else { return isCommand && !isOfPage(head) ? .originMissing : .allowed }
        let words = self.words(of: head)
        // Compare all tokens, so that the time does not show which one matches.
        var isRight = false
        for word in words where token.matches(word) { isRight = true }
        guard isRight else { return words.isEmpty ? .tokenMissing : .tokenWrong }
        if isCommand, !isOfPage(head), head.value("authorization") == nil { return .originMissing }
        return .allowed
    }

    /// The methods of a path.
    package func methods(of path: [String]) -> [String] {
        commands.contains(path) ? ["POST"] : ["GET", "HEAD"]
    }

    /// Whether a request says that a page sent it; that page is ours if the origin is.
    private func isOfPage(_ head: RequestHead) -> Bool {
        head.value("origin") != nil || head.value("sec-fetch-site") == "same-origin"
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
        // A link on any page may open the page.
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

    /// The tokens in a request: from `Authorization`, from the cookie, and from the page's URL.
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
        // The token is read only from this URL; other URLs are stored in histories and logs of other
        // programs.
        if head.path.isEmpty, let word = head.queryValue("token") { words.append(word) }
        return words
    }
}
