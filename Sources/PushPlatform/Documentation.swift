/// Where the documentation of the programs is: scripts/site reads the address here.
package enum Documentation {
    package static let site = "https://OWNER.github.io/PushProvider/"

    /// The variable with another address, for those who keep a copy of the site.
    package static let variable = "PUSHPROVIDER_DOCS"

    /// The address of the site.
    package static func address(_ variables: Variables = .ofProcess) -> String {
        guard let given = variables[set: variable] else { return site }
        return given.hasSuffix("/") ? given : given + "/"
    }

    /// The address of a page on the site.
    ///
    /// - Parameters:
    ///   - page: Its file, such as `docs/device-tokens.md`.
    ///   - variables: The environment.
    /// - Returns: The address of the HTML page.
    package static func address(of page: String, _ variables: Variables = .ofProcess) -> String {
        let name = page.hasPrefix("docs/") ? page.dropFirst("docs/".count) : page[...]
        return address(variables) + name.replacing(".md", with: ".html", maxReplacements: 1)
    }
}
