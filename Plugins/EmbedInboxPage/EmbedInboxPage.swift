import Foundation
import PackagePlugin

/// Embeds the files of `Sources/InboxPage` in the target that uses this plugin, so that a program needs no files beside it.
///
/// The encoder makes one Swift file of them. It runs again when one of them changes, appears or disappears.
@main struct EmbedInboxPage: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let folder = context.package.directoryURL.appending(path: "Sources/InboxPage")
        let output = context.pluginWorkDirectoryURL.appending(path: "InboxPageFiles.swift")
        let files = Self.files(in: folder)
        guard !files.isEmpty else {
            Diagnostics.error("There are no files in \(folder.path()).")
            return []
        }
        return [
            .buildCommand(
                displayName: "Embedding the inbox page",
                executable: try context.tool(named: "InboxPageEncoder").url,
                arguments: [path(of: output), path(of: folder)]
                    + files.map { String(path(of: $0).dropFirst(path(of: folder).count + 1)) },
                inputFiles: files, outputFiles: [output])
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
