import Dashboard
import Foundation
import Testing
import WebServer

private let decoder = "/usr/bin/zbarimg"

@Suite struct `The picture of an address` {
    /// A foreign decoder reads our codes by ISO/IEC 18004: versions 1 to 10 and their masks.
    @Test(
        .enabled(if: FileManager.default.isExecutableFile(atPath: decoder)),
        arguments: [1, 14, 20, 30, 45, 60, 70, 84, 100, 106, 120, 130, 150, 180, 200, 213])
    func `another program reads the address in the picture`(_ length: Int) throws {
        let letters = Array("http://192.168.1.20:8327/?token=aZ09-._~")
        let text = String(
            (0..<length).map { letters[($0 * 7 + $0 / letters.count) % letters.count] })
        let code = try #require(QRCode(text))
        let (margin, scale) = (4, 4)
        let side = (code.size + 2 * margin) * scale
        var image = "P1\n\(side) \(side)\n"
        for y in 0..<side {
            image +=
                (0..<side).map { x in
                    code.isDark(x / scale - margin, y / scale - margin) ? "1" : "0"
                }.joined(separator: " ") + "\n"
        }
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("picture-\(UUID().uuidString).pbm")
        try image.write(to: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(at: file) }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: decoder)
        process.arguments = ["--raw", "-q", "-Sdisable", "-Sqrcode.enable", file.path]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(String(decoding: bytes, as: UTF8.self) == text + "\n")
    }

    @Test func `the picture has two rows of modules per line and a border`() throws {
        let code = try #require(QRCode("HI"))
        let lines = try #require(AddressPicture.lines("HI", columns: 29, hasColours: false))
        #expect(lines.count == 15)
        #expect(lines.allSatisfy { $0.count == 29 })
        #expect(lines.prefix(2).allSatisfy { $0.allSatisfy { $0 == "█" } })
        for y in 0..<code.size {
            let line = Array(lines[(y + 4) / 2])
            for x in 0..<code.size {
                let light = (y + 4) % 2 == 0 ? ["█", "▀"] : ["█", "▄"]
                #expect(light.contains(String(line[x + 4])) == !code.isDark(x, y))
            }
        }
        #expect(AddressPicture.lines("HI", columns: 28, hasColours: false) == nil)
        let coloured = try #require(AddressPicture.lines("HI", columns: 80, hasColours: true))
        #expect(coloured.allSatisfy { $0.hasPrefix("\u{1B}[97;40m") && $0.hasSuffix("\u{1B}[0m") })
    }
}

@Suite struct `Map tiles` {
    @Test(arguments: [
        ("https://tile.example.org/{z}/{x}/{y}.png", "https://tile.example.org"),
        ("http://127.0.0.1:8080/t/{z}/{x}/{y}", "http://127.0.0.1:8080"),
        ("https://a.example.org/{z}/{x}/{y}@2x.png?key=1", "https://a.example.org"),
    ])
    func `a template with zoom and place gives tiles`(_ text: String, _ origin: String) throws {
        let source = try #require(TileSource(text))
        #expect(source.origin == origin)
        let policy = WebPage.policy(nonce: "n", tiles: source)
        #expect(policy.contains("img-src data: 'self' \(origin);"))
        let page = String(decoding: WebPage.dashboard(nonce: "n", tiles: source), as: UTF8.self)
        #expect(page.contains("data-tiles=\"\(text)\""))
    }

    @Test(arguments: [
        "", "tile.example.org/{z}/{x}/{y}", "ftp://a/{z}/{x}/{y}", "https:///{z}/{x}/{y}",
        "https://a.org/{z}/{x}", "https://a.org; script-src *//{z}/{x}/{y}",
        "https://a.org/{z}/{x}/{y}\"><script>", "https://a b/{z}/{x}/{y}",
        "https://user@a.org/{z}/{x}/{y}",
    ])
    func `any other template gives no tiles`(_ text: String) { #expect(TileSource(text) == nil) }

    @Test func `no tile is loaded unless the user names a source`() {
        #expect(WebPage.policy(nonce: "n").contains("img-src data: 'self';"))
        let page = String(decoding: WebPage.dashboard(nonce: "n"), as: UTF8.self)
        #expect(page.contains("data-tiles=\"\""))
        #expect(!page.contains("{{"))
    }

    @Test(arguments: ["manifest.json", "icon.svg"])
    func `tiles and icons are files of the page`(_ name: String) {
        #expect(!WebPage.file(name).isEmpty)
    }
}
