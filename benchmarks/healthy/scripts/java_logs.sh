set -e
cat > A.java <<'J'
import java.util.logging.*;
public class A { public static void main(String[] a) throws Exception { Logger l = Logger.getLogger("training"); for (int i = 0; i < 3000; i++) { l.info("step " + i + " of job application_" + (1700000000L + i) + " finished in " + (i % 97) + " ms"); byte[] b = new byte[100000]; } } }
J
javac -verbose A.java; java -Xlog:all=info -verbose:gc -Xmx64m A
