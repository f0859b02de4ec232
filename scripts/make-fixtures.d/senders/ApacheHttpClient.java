// Apache HttpClient's MultipartEntityBuilder. The JDK reads no JSON: the form stands here again.

import java.io.File;
import org.apache.http.client.methods.HttpPost;
import org.apache.http.entity.ContentType;
import org.apache.http.entity.mime.HttpMultipartMode;
import org.apache.http.entity.mime.MultipartEntityBuilder;
import org.apache.http.impl.client.HttpClients;
import org.apache.http.util.VersionInfo;

public class ApacheHttpClient {
    public static void main(String[] words) throws Exception {
        HttpMultipartMode mode = HttpMultipartMode.valueOf(words[0]);
        ContentType text = ContentType.create("text/plain", "UTF-8");
        MultipartEntityBuilder form = MultipartEntityBuilder.create()
            .setMode(mode)
            .setCharset(mode == HttpMultipartMode.STRICT ? null : java.nio.charset.StandardCharsets.UTF_8)
            .addTextBody("title", "Grüße & \"more\"", text)
            .addTextBody("näme \"q\" %0A", "awkward", text)
            .addTextBody("empty", "", text)
            .addTextBody("lines", "one\r\ntwo\r\n\r\nthree", text)
            .addBinaryBody("file", new File(System.getenv("FORM_FILENAME")))
            .addBinaryBody("nothing", new byte[0], ContentType.APPLICATION_OCTET_STREAM, "");
        HttpPost request = new HttpPost(words[1]);
        request.setEntity(form.build());
        HttpClients.createDefault().execute(request).close();
        VersionInfo version = VersionInfo.loadVersionInfo("org.apache.http.client", null);
        System.out.println("Apache HttpClient " + version.getRelease() + ", " + mode);
    }
}
