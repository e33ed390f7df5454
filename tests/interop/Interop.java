// The other side of the exchange: HdrHistogram for Java writes a log, or prints the content of one.
// java -cp hdrhistogram.jar Interop.java write|read FILE

import java.io.File;
import java.io.PrintStream;
import java.util.Random;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.HdrHistogram.HistogramLogReader;
import org.HdrHistogram.HistogramLogWriter;

public class Interop {
    // What tests/interop/interop.c prints: a line for the interval, one for each bucket in use.
    static void print(Histogram histogram) {
        System.out.printf("%s %d %d digits %d lowest %d highest %d total %d%n",
                histogram.getTag() == null ? "-" : histogram.getTag(), histogram.getStartTimeStamp(),
                histogram.getEndTimeStamp(), histogram.getNumberOfSignificantValueDigits(),
                histogram.getLowestDiscernibleValue(), histogram.getHighestTrackableValue(),
                histogram.getTotalCount());
        for (HistogramIterationValue value : histogram.recordedValues())
            System.out.printf("  %d %d%n",
                    histogram.highestEquivalentValue(value.getValueIteratedTo()),
                    value.getCountAtValueIteratedTo());
    }

    static void read(String path) throws Exception {
        HistogramLogReader reader = new HistogramLogReader(new File(path));
        EncodableHistogram histogram;
        while ((histogram = reader.nextIntervalHistogram()) != null)
            print((Histogram) histogram);
    }

    static void write(String path) throws Exception {
        HistogramLogWriter writer = new HistogramLogWriter(new PrintStream(path));
        writer.outputComment("[written by HdrHistogram for Java]");
        writer.outputLogFormatVersion();
        writer.outputStartTime(1700000000500L);
        writer.setBaseTime(1700000000500L);
        writer.outputBaseTime(1700000000500L);
        writer.outputLegend();
        Random random = new Random(7);
        for (int i = 0; i < 25; i++) {
            Histogram histogram = new Histogram(1L << i % 5 * 3, Long.MAX_VALUE >> i, 1 + i % 5);
            for (int n = 0; n < 40 * i; n++)
                histogram.recordValueWithCount((random.nextLong() >>> 1) >>> i + random.nextInt(63 - i),
                        1 + (random.nextLong() >>> 30 + i));
            histogram.setTag(i % 3 == 0 ? null : "tag." + i);
            histogram.setStartTimeStamp(1700000000500L + 1000L * i);
            histogram.setEndTimeStamp(1700000001000L + 1000L * i);
            writer.outputIntervalHistogram(histogram);
            print(histogram);
        }
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("read"))
            read(arguments[1]);
        else
            write(arguments[1]);
    }
}
