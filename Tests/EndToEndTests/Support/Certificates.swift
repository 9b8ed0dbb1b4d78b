extension Workspace {
    /// Puts into the folder `certs` what `certs.example/make.sh` makes: a CA, a server pair, a key, and `.p12` files.
    func makeCertificates() async throws {
        try await prepare("cp -Rp '\(ExampleCertificates.folder())' certs")
    }
}
