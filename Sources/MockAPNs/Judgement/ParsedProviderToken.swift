/// The result of reading the `authorization` header of a request.
package enum ParsedProviderToken: Hashable, Sendable {
    /// There is no header, or nothing after `bearer`.
    case absent
    /// The header does not begin with `bearer` (for example `Basic`).
    case otherScheme
    /// The header does not contain a provider token. The sentence says why and contains no secret.
    case malformed(String)
    /// A readable provider token. Its validity is checked later, by ``APNSState/judge(_:authorizedBy:on:at:ids:)``.
    case read(ProviderTokenContent)

    /// The content of the provider token; `nil` if it could not be read.
    package var content: ProviderTokenContent? {
        if case .read(let content) = self { content } else { nil }
    }
}
