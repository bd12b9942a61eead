import Testing

@testable import Publishing

@Suite struct `Secrets in answers of a server` {
    @Test(arguments: [
        "unauthorized: Token s3cr+t/Wört= is not known", "token=s3cr%2Bt%2FW%C3%B6rt%3D",
        "token=s3cr%2bt%2fW%c3%b6rt%3d",
        "Authorization: Basic dXNlcjpzM2NyK3QvV8O2cnQ9", "user:s3cr+t/Wört= has no right",
    ])
    func `secrets are removed in every form`(text: String) {
        let secrets = KnownSecrets(["s3cr+t/Wört=", "user:s3cr+t/Wört="])
        let clean = secrets.removed(from: text)
        #expect(clean.contains("***"), "\(clean)")
        for piece in ["s3cr", "W%C3", "W%c3", "Wört", "dXNlcjpz"] {
            #expect(!clean.contains(piece))
        }
        #expect(secrets.removed(from: "database not found: cars") == "database not found: cars")
        #expect(KnownSecrets(["", "a"]).removed(from: "a b") == "a b")
    }

    @Test(arguments: [
        "token", "TOKEN", "access_token", "api_key", "api-key", "apikey", "%74oken", "%61pi_key",
        "%2574oken", "auth_token", "p", "client_secret",
    ])
    func `secrets are recognised by the names of parameters`(name: String) {
        #expect(throws: SinkAddress.Fault.secret) {
            try SinkAddress("influx+http://host:8086/?db=cars&\(name)=abcdefgh")
        }
        #expect(!KnownSecrets.isName("db") && !KnownSecrets.isName("bucket"))
    }
}
