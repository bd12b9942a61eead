import Glibc
import OBDCore
import SystemIO

/// A web server answers at the address instead of an adapter.
///
/// Routers have one, and so do adapters for their own settings.
public struct WebPageFault: AccessoryFault {
    /// The address that was tried.
    public var address: String
    /// The web server's host.
    public var host: String

    /// The fault in words.
    public var words: FaultWords {
        let host = self.host.contains(":") ? "[\(self.host)]" : self.host
        return FaultWords(
            .adapter, "\(address): this is a web page, not an adapter",
            hint: "adapters listen on 35000: -d tcp:\(host):35000")
    }
}

extension TCPTransport {
    private static let patience = Duration.seconds(2)
    /// The start of every answer of a web server (RFC 9112).
    private static let mark = Array("HTTP/".utf8)

    /// Requests a web page: an adapter has no pages and treats the request as an unknown command.
    public func stranger(cancelledBy cancel: Int32?) -> AccessoryError? {
        do throws(AccessoryError) {
            guard
                let session = try TCPClient.connect(
                    host: host, port: port, name: name, within: Self.patience, cancelledBy: cancel)
            else { return nil }
            guard Self.isWebServer(session, cancelledBy: cancel) else { return nil }
            return AccessoryError(WebPageFault(address: name, host: host))
        } catch {
            return nil
        }
    }

    private static func isWebServer(
        _ session: borrowing DescriptorSession, cancelledBy cancel: Int32?
    ) -> Bool {
        let descriptor = session.descriptor
        let deadline = SystemClock.now() + patience
        // The lines end in LF alone, which web servers accept (RFC 9112, 2.2). An adapter that has not
        // answered would repeat its last command at a CR, and that command is unknown.
        let request = Array("GET / HTTP/1.0\n\n".utf8)
        guard (try? writeAll(request, to: descriptor)) != nil else { return false }
        var received: [UInt8] = []
        while received.count < mark.count {
            var set = PollSet()
            let link = set.add(descriptor)
            let flag = set.add(cancel ?? -1)
            guard let ready = try? set.wait(until: deadline), ready > 0, !set.isReadable(flag),
                set.isReadable(link)
            else { return false }
            var buffer = [UInt8](repeating: 0, count: 256)
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0, errno == EAGAIN || errno == EINTR { continue }
            if count <= 0 { return false }
            received += buffer[..<count]
        }
        return received.starts(with: mark)
    }
}
