import Foundation
import TestSupport
import Testing

/// The mock as a proxy for senders that have Apple's hosts built in.
@Suite(.takingTurns, .timeLimit(.minutes(60))) struct MockProxyTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func exec(_ flags: [String], _ script: String) async throws -> Ended {
        try await workspace.run(
            [BuiltProgram.pushsend.path(), "mock", "exec"] + flags
                + ["--", "sh", "-c", "P='\(BuiltProgram.pushsend.path())'; \(script)"])
    }

    /// A push with curl, which reads HTTPS_PROXY. It prints the status and the reason.
    private static func push(to url: String, device: String = "0f0f", _ flags: String = "") -> String {
        """
        curl -sS --http2 --cacert "$APNS_CA" \(flags) -H "authorization: bearer $($P jwt --mock)" -H "apns-topic: $APNS_TOPIC" \
        -H 'apns-push-type: alert' -d '{"aps":{"alert":"Hi"}}' -w '%{http_code}\\n' "\(url)/3/device/\(device)"
        """
    }

    private static let environments = "curl -sS \"$MOCK_URL/v1/pushes\" | grep -o '\"environment\":\"[a-z]*\"'"

    @Test func `curl reaches the mock by Apple's names, and the name decides the environment`() async throws {
        let ended = try await exec(
            ["--https-proxy"],
            """
            \(Self.push(to: "https://api.push.apple.com")); \(Self.push(to: "https://api.sandbox.push.apple.com:2197"))
            \(Self.push(to: "https://api.development.push.apple.com")); \(Self.environments)
            """)
        #expect(ended.outputLines.prefix(3) == ["200", "200", "200"], "\(ended.errors)")
        #expect(
            ended.outputLines.dropFirst(3) == [
                "\"environment\":\"production\"", "\"environment\":\"sandbox\"", "\"environment\":\"sandbox\"",
            ])
    }

    @Test func `a device of the other environment is refused, and the remedy names the host`() async throws {
        let device = "{\"environment\": \"sandbox\", \"topics\": [\"com.example.app\"]}"
        let ended = try await exec(
            ["--https-proxy"],
            """
            curl -sS -o /dev/null -X PUT --json '\(device)' "$MOCK_URL/v1/devices/0f0f"
            \(Self.push(to: "https://api.push.apple.com")); \(Self.push(to: "https://api.sandbox.push.apple.com"))
            curl -sS "$MOCK_URL/v1/pushes/1"
            """)
        #expect(ended.output.hasPrefix("{\"reason\":\"BadDeviceToken\"}400\n200\n"), "\(ended.output) \(ended.errors)")
        #expect(ended.output.contains("api.push.apple.com belongs to production"))
        #expect(ended.output.contains("Connect to api.sandbox.push.apple.com."))
    }

    /// As with a line in /etc/hosts: no proxy, but Apple's name in the TLS handshake.
    @Test func `Apple's name in the TLS handshake decides the environment too`() async throws {
        let ended = try await exec(
            [],
            """
            \(Self.push(to: "https://api.push.apple.com:$APNS_PORT", "--resolve api.push.apple.com:$APNS_PORT:127.0.0.1"))
            \(Self.push(to: "$APNS_URL")); \(Self.environments)
            """)
        #expect(
            ended.outputLines == ["200", "200", "\"environment\":\"production\"", "\"environment\":\"sandbox\""],
            "\(ended.errors)")
    }

    @Test func `channels are managed by Apple's names and ports`() async throws {
        let create = """
            curl -sS --http2 --cacert "$APNS_CA" -H "authorization: bearer $($P jwt --mock)" \
            -d '{"message-storage-policy":1,"push-type":"LiveActivity"}' -w '%{http_code}\\n'
            """
        let path = "1/apps/com.example.app/channels"
        let ended = try await exec(
            ["--https-proxy"],
            """
            \(create) "https://api-manage-broadcast.sandbox.push.apple.com:2195/\(path)"
            \(create) "https://api-manage-broadcast.push.apple.com:2196/\(path)"
            \(create) "https://api-manage-broadcast.push.apple.com:2195/\(path)"; echo $?
            """)
        #expect(ended.outputLines.prefix(3) == ["201", "201", "000"], "\(ended.output) \(ended.errors)")
        #expect(ended.errors.contains("Use port 2196."))
    }

    @Test func `other hosts get 403 with an explanation, and a tunnel with --proxy-others`() async throws {
        let refused = try await exec(
            ["--https-proxy"], "curl -sS -o /dev/null -w '%{http_connect}\\n' --noproxy '' https://localhost:$APNS_PORT"
        )
        #expect(refused.output == "403\n")
        #expect(refused.errors.contains("NO_PROXY"))
        // The other host is the mock itself, so that nothing leaves this machine.
        let relayed = try await exec(
            ["--https-proxy", "--proxy-others"], "\(Self.push(to: "$APNS_URL", "--noproxy ''")); \(Self.environments)")
        #expect(relayed.outputLines == ["200", "\"environment\":\"sandbox\""], "\(relayed.errors)")
        let nothing = try await exec(
            ["--https-proxy", "--proxy-others"],
            "curl -sS -o /dev/null -w '%{http_connect}\\n' --noproxy '' https://127.0.0.1:1; echo $?")
        #expect(nothing.outputLines == ["502", "56"], "\(nothing.errors)")
    }

    @Test func `a mock that others can reach is never an open proxy`() async throws {
        let ended = try await exec(["--listen", "0.0.0.0", "--proxy-others"], "true")
        #expect(ended.status == 64)
        #expect(ended.errors.contains("loopback") && ended.errors.contains("Leave out --proxy-others"))
    }

    @Test func `a large body passes a tunnel to another host in both directions`() async throws {
        _ = try await workspace.run(["sh", "-c", "head -c 3000000 /dev/urandom > large"])
        let script = """
            cat > server.py << 'END'
            import http.server, sys
            class Echo(http.server.BaseHTTPRequestHandler):
                def do_POST(self):
                    body = self.rfile.read(int(self.headers["content-length"]))
                    self.send_response(200)
                    self.send_header("content-length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                def log_message(self, *_): pass
            server = http.server.HTTPServer(("127.0.0.1", 0), Echo)
            print(server.server_port, flush=True)
            server.serve_forever()
            END
            python3 server.py > port & server=$!
            while ! [ -s port ]; do sleep 0.05; done
            curl -sS --proxytunnel --proxy "http://127.0.0.1:$APNS_PORT" --data-binary @large -H 'Expect:' \
                "http://127.0.0.1:$(cat port)/" -o back
            echo $?; cmp large back && echo same; kill $server
            """
        let ended = try await exec(["--proxy-others"], script)
        #expect(ended.outputLines == ["0", "same"], "\(ended.errors)")
    }

    @Test func `what is no proper CONNECT gets 400, and a client that never ends it loses its connection`() async throws
    {
        let script = """
            python3 - << 'END'
            import os, socket
            def ask(text):
                with socket.create_connection(("127.0.0.1", int(os.environ["APNS_PORT"])), 60) as peer:
                    peer.sendall(text)
                    answer = b""
                    while piece := peer.recv(65536): answer += piece
                    return answer
            print(ask(b"CONNECT api.push.apple.com HTTP/1.1\\r\\n\\r\\n").split(b"\\r\\n")[0].decode())
            print(ask(b"CONNECT " + b"x" * 9000).split(b"\\r\\n")[0].decode())
            print(len(ask(b"CONNECT api.push.apple.com:443 HTTP/1.1\\r\\n")))
            print(ask(b"CONNECT api.push.apple.com:443 HTTP/1.1\\r\\n\\r\\n").split(b"\\r\\n")[0].decode())
            print(ask(b"CONNECT 127.0.0.1:1 HTTP/1.1\\r\\n\\r\\n").split(b"\\r\\n")[0].decode())
            END
            """
        let ended = try await exec(["--limit", "handshake-time=2s", "--proxy-others"], script)
        #expect(
            ended.outputLines == [
                "HTTP/1.1 400 Bad Request", "HTTP/1.1 400 Bad Request", "0", "HTTP/1.1 200 Connection established",
                "HTTP/1.1 502 Bad Gateway",
            ], "\(ended.errors)")
    }

    // MARK: Senders that others wrote

    @Test func `aioapns, with its own proxy option, pushes to Apple's name`() async throws {
        let python = try #require(BuiltProgram.python)
        let script = """
            import asyncio, gc, os, ssl
            from aioapns import APNs, NotificationRequest
            from aioapns.connection import APNsBaseClientProtocol

            async def main():
                client = APNs(
                    key=open(os.environ["APNS_KEY_FILE"]).read(), key_id=os.environ["APNS_KEY_ID"],
                    team_id=os.environ["APNS_TEAM_ID"], topic=os.environ["APNS_TOPIC"], use_sandbox=False,
                    ssl_context=ssl.create_default_context(cafile=os.environ["APNS_CA"]),
                    proxy_host="localhost", proxy_port=int(os.environ["APNS_PORT"]))
                requests = [NotificationRequest(device_token="0f" * 32, message={"aps": {"alert": "Hi"}}) for _ in range(20)]
                answers = await asyncio.gather(*map(client.send_notification, requests))
                print(len(answers), {answer.status for answer in answers})

            # aioapns forgets the transport of its tunnel, and when Python collects that, it closes the socket of the connection.
            gc.disable()
            # aioapns closes a connection without an answer for 10 s, and cannot open another one through a proxy then.
            APNsBaseClientProtocol.INACTIVITY_TIME = 600
            # aioapns 4.0 uses methods of asyncio that Python 3.11 has removed.
            from asyncio.trsock import TransportSocket
            for name in ("send", "recv", "recv_into", "close"):
                setattr(TransportSocket, name, lambda self, *rest, name=name: getattr(self._sock, name)(*rest))
            asyncio.run(asyncio.wait_for(main(), 300))
            """
        try workspace.write(script, to: "push.py")
        let ended = try await exec([], "'\(python)' push.py; \(Self.environments) | sort -u")
        #expect(ended.outputLines == ["20 {'200'}", "\"environment\":\"production\""], "\(ended.errors)")
    }

    @Test func `httpx pushes by HTTPS_PROXY alone`() async throws {
        let python = try #require(BuiltProgram.python)
        let script = """
            import os, ssl, subprocess, sys
            import httpx
            token = subprocess.run([sys.argv[1], "jwt", "--mock"], capture_output=True, text=True).stdout.strip()
            context = ssl.create_default_context(cafile=os.environ["APNS_CA"])
            with httpx.Client(http2=True, verify=context) as client:
                answer = client.post("https://api.push.apple.com/3/device/" + "0f" * 32, json={"aps": {"alert": "Hi"}}, headers={
                    "authorization": "bearer " + token, "apns-topic": "com.example.app", "apns-push-type": "alert"})
                print(answer.http_version, answer.status_code)
            """
        try workspace.write(script, to: "push.py")
        let ended = try await exec(["--https-proxy"], "'\(python)' push.py \"$P\"")
        #expect(ended.output == "HTTP/2 200\n", "\(ended.errors)")
    }

    @Test(.enabled(if: BuiltProgram.isInstalled("node"), "there is no Node here"))
    func `node:http2 pushes through a tunnel`() async throws {
        let script = """
            import http from 'node:http';
            import http2 from 'node:http2';
            import tls from 'node:tls';
            import { execFileSync } from 'node:child_process';
            const token = execFileSync(process.argv[2], ['jwt', '--mock'], { encoding: 'utf8' }).trim();
            const host = 'api.push.apple.com';
            const proxy = new URL(process.env.HTTPS_PROXY);
            http.request({ host: proxy.hostname, port: proxy.port, method: 'CONNECT', path: `${host}:443` })
              .on('connect', (answer, socket) => {
                const secure = tls.connect({ socket, servername: host, ALPNProtocols: ['h2'] }, () => {
                  const session = http2.connect(`https://${host}`, { createConnection: () => secure });
                  const request = session.request({
                    ':method': 'POST', ':path': '/3/device/0f0f', authorization: `bearer ${token}`,
                    'apns-topic': 'com.example.app', 'apns-push-type': 'alert' });
                  request.on('response', (headers) => { console.log(headers[':status']); request.resume(); });
                  request.on('end', () => session.close());
                  request.end('{"aps":{"alert":"Hi"}}');
                });
              }).end();
            """
        try workspace.write(script, to: "push.mjs")
        let ended = try await exec(["--https-proxy"], "node push.mjs \"$P\"")
        #expect(ended.output == "200\n", "\(ended.errors)")
    }

    @Test(.enabled(if: BuiltProgram.isInstalled("javac"), "there is no JDK here"))
    func `a JVM pushes through the proxy, with the mock's truststore`() async throws {
        let script = """
            import java.net.*;
            import java.net.http.*;
            import java.net.http.HttpResponse.BodyHandlers;

            public class Push {
                public static void main(String[] arguments) throws Exception {
                    var proxy = ProxySelector.of(new InetSocketAddress("localhost", Integer.parseInt(System.getenv("APNS_PORT"))));
                    var client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).proxy(proxy).build();
                    var push = HttpRequest.newBuilder(URI.create("https://api.push.apple.com/3/device/0f0f"))
                        .header("authorization", "bearer " + arguments[0])
                        .header("apns-topic", "com.example.app").header("apns-push-type", "alert")
                        .POST(HttpRequest.BodyPublishers.ofString("{\\"aps\\":{\\"alert\\":\\"Hi\\"}}")).build();
                    var answer = client.send(push, BodyHandlers.ofString());
                    System.out.println(answer.version() + " " + answer.statusCode());
                }
            }
            """
        try workspace.write(script, to: "Push.java")
        let ended = try await exec(
            [],
            """
            curl -sS -o trust.p12 "$MOCK_URL/v1/truststore.p12?password=changeit"
            java -Djavax.net.ssl.trustStore=trust.p12 -Djavax.net.ssl.trustStorePassword=changeit Push.java "$($P jwt --mock)"
            """)
        #expect(ended.output == "HTTP_2 200\n", "\(ended.errors)")
    }
}
