// OkHttp's MultipartBody. The JDK reads no JSON: the form stands here again.

import java.io.File;
import okhttp3.MediaType;
import okhttp3.MultipartBody;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import okhttp3.RequestBody;
import okhttp3.internal.Version;

public class OkHttp {
    public static void main(String[] words) throws Exception {
        String filename = System.getenv("FORM_FILENAME");
        MediaType bytes = MediaType.parse("application/octet-stream");
        MultipartBody form = new MultipartBody.Builder()
            .setType(MultipartBody.FORM)
            .addFormDataPart("title", "Grüße & \"more\"")
            .addFormDataPart("näme \"q\" %0A", "awkward")
            .addFormDataPart("empty", "")
            .addFormDataPart("lines", "one\r\ntwo\r\n\r\nthree")
            .addFormDataPart("file", filename, RequestBody.create(MediaType.parse("text/plain"), new File(filename)))
            .addFormDataPart("nothing", "", RequestBody.create(bytes, new byte[0]))
            .build();
        OkHttpClient client = new OkHttpClient();
        client.newCall(new Request.Builder().url(words[0]).post(form).build()).execute().close();
        System.out.println(Version.userAgent());
        client.dispatcher().executorService().shutdown();
        client.connectionPool().evictAll();
    }
}
