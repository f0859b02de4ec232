import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Sends files one after another with the JDK's client and its default settings, in which it offers HTTP/2 by an upgrade. */
class TwoRequests {
    public static void main(String[] words) throws Exception {
        var client = HttpClient.newHttpClient();
        for (int i = 0; i < Integer.parseInt(words[1]); i++) {
            var request = HttpRequest.newBuilder(URI.create(words[0])).timeout(Duration.ofSeconds(20))
                .PUT(HttpRequest.BodyPublishers.ofString(words[2])).build();
            var status = client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
            if (status != 201) throw new Exception("the answer is " + status);
        }
    }
}
