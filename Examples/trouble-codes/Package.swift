// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "trouble-codes",
    dependencies: [.package(name: "obdscan", path: "../..")],
    targets: [
        .executableTarget(
            name: "trouble-codes", dependencies: [.product(name: "OBDScan", package: "obdscan")],
            swiftSettings: [.treatAllWarnings(as: .error)])
    ],
    swiftLanguageModes: [.v6]
)
