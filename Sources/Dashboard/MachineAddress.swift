import Glibc

/// The address of this machine for other machines.
package enum MachineAddress {
    /// The host name in lower case; nil without one.
    package static var name: String? {
        var bytes = [CChar](repeating: 0, count: 256)
        guard gethostname(&bytes, bytes.count - 1) == 0 else { return nil }
        let name = String(
            decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return name.isEmpty ? nil : name.lowercased()
    }

    /// An address in a network of this machine; else its name, else that of the loopback interface.
    package static func reachable(ofIPv6 isIPv6: Bool) -> String {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return name ?? "localhost" }
        defer { freeifaddrs(list) }
        var next = list
        while let entry = next?.pointee {
            next = entry.ifa_next
            guard let address = entry.ifa_addr, entry.ifa_flags & UInt32(IFF_UP) != 0,
                entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0,
                Int32(address.pointee.sa_family) == (isIPv6 ? AF_INET6 : AF_INET)
            else { continue }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let length = socklen_t(
                isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
            guard
                getnameinfo(
                    address, length, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
            else { continue }
            let found = String(
                decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            // A link-local address with a zone cannot be used in a URL.
            if !found.contains("%") { return found }
        }
        return name ?? "localhost"
    }
}
