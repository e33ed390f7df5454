import java.io.BufferedReader;
import java.io.FileReader;
import java.io.FileWriter;
import java.io.IOException;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * Benchmarks in Java that lauka compares, by the protocol lauka-bench/1 of docs/suite.md. Only a function's loop is
 * measured, not what comes before it. `javac -d old LaukaBench.java` compiles it; two builds are compared by
 * `lauka suite --adapter lauka -- java -cp old LaukaBench --vs java -cp new LaukaBench`.
 */
public final class LaukaBench {
    /** Each prepares what it needs, and returns what an iteration does. */
    private static final Map<String, LongFunction<Supplier<Object>>> BENCHMARKS = new LinkedHashMap<>();

    static {
        BENCHMARKS.put("sort", seed -> {
            int[] numbers = numbersOf(seed);
            return () -> {
                int[] own = numbers.clone();
                Arrays.sort(own);
                return own;
            };
        });
        BENCHMARKS.put("words", seed -> {
            String text = Arrays.toString(numbersOf(seed));
            return () -> text.split(", ");
        });
    }

    /** Holds results, so that they are computed. */
    static volatile Object kept;

    private static int[] numbersOf(long seed) {
        int[] numbers = new int[100];
        for (int i = 0; i < numbers.length; i++)
            numbers[i] = (int) ((seed + i * 7919L) % 1000);
        return numbers;
    }

    /** Of the whole process, in nanoseconds: compilers and collectors of garbage work on other threads. */
    private static long cpuTime() {
        return ((com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getProcessCpuTime();
    }

    private static String run(String name, long iterations, long seed) {
        Supplier<Object> iteration = BENCHMARKS.get(name).apply(seed % 1_000_000_000);
        long cpu = cpuTime(), wall = System.nanoTime();
        for (long i = 0; i < iterations; i++)
            kept = iteration.get();
        long took = System.nanoTime() - wall;
        return "ok " + took + " " + (cpuTime() - cpu);
    }

    private static String answer(String line) {
        String[] words = line.split(" ");
        if (line.equals("hello 1"))
            return line;
        if (line.equals("list"))
            return "benchmark " + String.join("\nbenchmark ", BENCHMARKS.keySet()) + "\nok";
        if (words.length == 4 && words[0].equals("run") && BENCHMARKS.containsKey(words[1]))
            return run(words[1], Long.parseLong(words[2]), Long.parseLong(words[3]));
        return "error this is not understood";
    }

    public static void main(String[] arguments) throws IOException {
        String descriptors = System.getenv("LAUKA_BENCH_FDS");
        if (descriptors == null) {
            System.err.println("run this with: lauka suite --adapter lauka -- java ... --vs java ...");
            System.exit(1);
        }
        String[] numbers = descriptors.split(",");
        try (BufferedReader requests = new BufferedReader(new FileReader("/dev/fd/" + numbers[0]));
             Writer answers = new FileWriter("/dev/fd/" + numbers[1])) {
            for (String line = requests.readLine(); line != null && !line.equals("bye"); line = requests.readLine()) {
                answers.write(answer(line) + "\n");
                answers.flush();
            }
        }
    }
}
