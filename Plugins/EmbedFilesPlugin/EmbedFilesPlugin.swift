import Foundation
import PackagePlugin

/// Converts a top-level folder of data files to string literals of the target that uses it.
///
/// SwiftPM runs a plugin again only after a source folder of the package has gained or lost a file.
/// Therefore each target contains a link to its folder, which is excluded as a source. Without the
/// link, SwiftPM would miss edits of a new file, and a removed file would stop the build.
@main
struct EmbedFilesPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder: String
        var options: [String] = []
        switch target.name {
        case "PIDTables":
            folder = "pids"
        case "Simulator":
            folder = "vehicles"
        case "TripStore":
            folder = "migrations"
            options = ["--numbered"]
        case "Dashboard":
            folder = "web"
        case "ObdscanCLI":
            folder = "completions"
        default:
            throw Unknown(target: target.name)
        }
        let root = context.package.directoryURL.appending(
            path: folder, directoryHint: .isDirectory
        ).resolvingSymlinksInPath()
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedFiles.swift")
        return [
            .buildCommand(
                displayName: "Embedding \(folder)/",
                executable: try context.tool(named: "EmbedFiles").url,
                arguments: options + [
                    root.path(percentEncoded: false), output.path(percentEncoded: false),
                ],
                inputFiles: try inputs(under: root),
                outputFiles: [output])
        ]
    }

    private func inputs(under root: URL) throws -> [URL] {
        guard
            let all = FileManager.default.enumerator(
                at: root, includingPropertiesForKeys: nil, options: .skipsHiddenFiles)
        else { return [root] }
        return [root] + all.compactMap { $0 as? URL }
    }
}

struct Unknown: Error, CustomStringConvertible {
    var target: String
    var description: String { "EmbedFilesPlugin: which folder belongs to target \(target)?" }
}
