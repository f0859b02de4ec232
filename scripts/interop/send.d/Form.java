// Form PORT: a servlet of Tomcat 10 with its own limits, which puts parts on disk.

import jakarta.servlet.MultipartConfigElement;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.File;
import java.io.IOException;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.startup.Tomcat;
import org.apache.catalina.util.ServerInfo;

public class Form extends HttpServlet {
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.getWriter().println(ServerInfo.getServerInfo());
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
        response.setContentType("text/plain; charset=utf-8");
        String[] path = request.getRequestURI().split("/");
        switch (path[1]) {
            case "moved" -> {
                response.setStatus(307);
                response.setHeader("Location", "/form");
            }
            case "full" -> answer(response, 413, "too large");
            case "busy" -> {
                if (new File("busy-" + path[2]).createNewFile()) {
                    response.setHeader("Retry-After", "1");
                    answer(response, 503, "busy");
                } else {
                    rows(request, response);
                }
            }
            default -> rows(request, response);
        }
    }

    private static void answer(HttpServletResponse response, int status, String text) throws IOException {
        response.setStatus(status);
        response.getWriter().println(text);
    }

    private static void rows(HttpServletRequest request, HttpServletResponse response) throws ServletException, IOException {
        for (var part : request.getParts()) {
            try (var content = new DigestInputStream(part.getInputStream(), MessageDigest.getInstance("SHA-256"))) {
                long size = content.transferTo(java.io.OutputStream.nullOutputStream());
                String digest = HexFormat.of().formatHex(content.getMessageDigest().digest());
                response.getWriter().printf("{\"name\": %s, \"filename\": %s, \"size\": %d, \"sha256\": \"%s\"}%n",
                    json(part.getName()), json(part.getSubmittedFileName()), size, digest);
            } catch (java.security.NoSuchAlgorithmException error) {
                throw new ServletException(error);
            }
        }
    }

    private static String json(String text) {
        if (text == null) return "null";
        var result = new StringBuilder("\"");
        for (char unit : text.toCharArray()) {
            if (unit < ' ' || unit > '~' || unit == '"' || unit == '\\') result.append(String.format("\\u%04x", (int) unit));
            else result.append(unit);
        }
        return result.append('"').toString();
    }

    public static void main(String[] words) throws Exception {
        Logger.getLogger("").setLevel(Level.WARNING);
        var tomcat = new Tomcat();
        tomcat.setBaseDir(".");
        tomcat.setPort(Integer.parseInt(words[0]));
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        var context = tomcat.addContext("", new File(".").getAbsolutePath());
        context.setRequestCharacterEncoding("UTF-8");
        var servlet = Tomcat.addServlet(context, "form", new Form());
        servlet.setMultipartConfigElement(new MultipartConfigElement(new File(".").getAbsolutePath(), -1, -1, 1 << 16));
        context.addServletMappingDecoded("/*", "form");
        tomcat.start();
        tomcat.getServer().await();
    }
}
