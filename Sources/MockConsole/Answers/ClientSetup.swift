import APNSVocabulary
import MockAPNs

/// Ready configurations for known clients, as text to paste.
enum ClientSetup {
    static func all(host: String, port: Int, _ credentials: MockCredentials) -> [(client: String, lines: String)] {
        let url = "https://\(host):\(port)"
        let (key, team) = (credentials.keyID, credentials.teamID)
        return [
            (
                "curl",
                "curl --http2 --cacert ca.pem -H \"authorization: bearer $(pushsend jwt --key AuthKey_\(key).p8 --key-id \(key) --team-id \(team))\" -H 'apns-topic: com.example.app' -d '{\"aps\":{\"alert\":\"Hello\"}}' \(url)/3/device/TOKEN"
            ),
            (
                "pushsend",
                "pushsend send TOKEN --endpoint \(host):\(port) --cacert ca.pem --key AuthKey_\(key).p8 --key-id \(key) --team-id \(team) --topic com.example.app -m Hello"
            ),
            (
                "pushy",
                """
                new ApnsClientBuilder().setApnsServer("\(host)", \(port)).setTrustedServerCertificateChain(new File("ca.pem"))
                    .setSigningKey(ApnsSigningKey.loadFromPkcs8File(new File("AuthKey_\(key).p8"), "\(team)", "\(key)")).build();
                """
            ),
            ("apns2", "client := apns2.NewTokenClient(token); client.Host = \"\(url)\""),
            (
                "node-apn",
                "new apn.Provider({ token: { key: 'AuthKey_\(key).p8', keyId: '\(key)', teamId: '\(team)' }, address: '\(host)', port: \(port), ca: ['ca.pem'] })"
            ),
            (
                "node",
                "NODE_EXTRA_CA_CERTS=ca.pem node sender.js  # http2.connect('\(url)')"
            ),
            ("httpx", "httpx.Client(http2=True, verify='ca.pem', base_url='\(url)')"),
        ]
    }
}
