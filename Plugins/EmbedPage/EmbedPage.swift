import Foundation
import PackagePlugin

/// Embeds the files of a web page, and the OpenAPI document of its server, in the target that uses this plugin, so that a program
/// needs no files beside it.
///
/// The encoder makes one Swift file of them. It runs again when one of them changes, appears or disappears.
@main struct EmbedPage: BuildToolPlugin {
    /// The folder of each target's own page. All pages share `Sources/PageStyle`. The document is in `Sources/OpenAPI/TARGET`.
    private static let folders = ["MockConsole": "InboxPage", "PushService": "ServicePage"]

    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let own = Self.folders[target.name] else {
            Diagnostics.error("\(target.name) has no page: see the list of folders in Plugins/EmbedPage.")
            return []
        }
        let output = context.pluginWorkDirectoryURL.appending(path: "PageFiles.swift")
        var (arguments, inputs) = ([path(of: output)], [URL]())
        for name in [own, "PageStyle", "OpenAPI/\(target.name)"] {
            let folder = context.package.directoryURL.appending(path: "Sources/\(name)")
            let files = Self.files(in: folder)
            guard !files.isEmpty else {
                Diagnostics.error("There are no files in \(folder.path()).")
                return []
            }
            inputs += files
            let length = path(of: folder).count + 1
            for file in files { arguments += [path(of: folder), String(path(of: file).dropFirst(length))] }
        }
        return [
            .buildCommand(
                displayName: "Embedding the page of \(target.name)",
                executable: try context.tool(named: "PageEncoder").url,
                arguments: arguments, inputFiles: inputs, outputFiles: [output])
        ]
    }

    private static func files(in folder: URL) -> [URL] {
        let all = FileManager.default.enumerator(
            at: folder, includingPropertiesForKeys: [.isRegularFileKey], options: .skipsHiddenFiles)
        let files = (all?.allObjects as? [URL] ?? []).filter {
            (try? $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile) == true
        }
        return files.sorted { $0.path() < $1.path() }
    }

    private func path(of url: URL) -> String { url.path(percentEncoded: false) }
}
