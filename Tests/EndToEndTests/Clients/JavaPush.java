import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Pushes with Java's HttpClient over one connection and prints a JSON object for each answer.
 *
 * <p>{@code java JavaPush.java ORIGIN CA_FILE PROVIDER_TOKEN TOPIC DEVICE_TOKEN GONE_TOKEN}
 *
 * <p>One push, one to a device token that is gone, then twenty at once.
 */
public class JavaPush {
    private final HttpClient client;
    private final String origin;
    private final String providerToken;
    private final String topic;

    JavaPush(String origin, String caFile, String providerToken, String topic) throws Exception {
        this.origin = origin;
        this.providerToken = providerToken;
        this.topic = topic;
        client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_2).sslContext(trusting(caFile)).build();
    }

    private static SSLContext trusting(String caFile) throws Exception {
        var store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (var file = Files.newInputStream(Path.of(caFile))) {
            store.setCertificateEntry("mock", CertificateFactory.getInstance("X.509").generateCertificate(file));
        }
        var factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        var context = SSLContext.getInstance("TLS");
        context.init(null, factory.getTrustManagers(), null);
        return context;
    }

    private CompletableFuture<Void> push(String deviceToken) {
        var request = HttpRequest.newBuilder(URI.create(origin + "/3/device/" + deviceToken))
                .timeout(Duration.ofSeconds(250))
                .header("authorization", "bearer " + providerToken)
                .header("apns-topic", topic)
                .header("apns-push-type", "alert")
                .POST(HttpRequest.BodyPublishers.ofString("{\"aps\":{\"alert\":\"Hello\"}}"))
                .build();
        return client.sendAsync(request, HttpResponse.BodyHandlers.ofString()).thenAccept(JavaPush::print);
    }

    private static synchronized void print(HttpResponse<String> answer) {
        var reason = answer.body().replaceFirst(".*\"reason\":\"(\\w+)\".*", "$1");
        System.out.printf(
                "{\"version\":\"%s\",\"status\":%d,\"reason\":\"%s\",\"apns_id\":\"%s\"}%n",
                answer.version(), answer.statusCode(), reason, answer.headers().firstValue("apns-id").orElse(""));
    }

    public static void main(String[] words) throws Exception {
        var sender = new JavaPush(words[0], words[1], words[2], words[3]);
        sender.push(words[4]).join();
        sender.push(words[5]).join();
        var pushes = Stream.generate(() -> sender.push(words[4])).limit(20).toArray(CompletableFuture[]::new);
        CompletableFuture.allOf(pushes).join();
    }
}
