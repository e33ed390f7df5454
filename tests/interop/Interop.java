// The other side of the exchange: HdrHistogram for Java writes a log, or prints the content of one.
// java -cp hdrhistogram.jar Interop.java write|read FILE

import java.io.File;
import java.io.PrintStream;
import java.util.Random;
import org.HdrHistogram.DoubleHistogram;
import org.HdrHistogram.DoubleHistogramIterationValue;
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

    // The same of a double histogram: middles of buckets, as the bits of a double.
    static void print(DoubleHistogram histogram) {
        System.out.printf("%s %d %d double digits %d total %d%n",
                histogram.getTag() == null ? "-" : histogram.getTag(), histogram.getStartTimeStamp(),
                histogram.getEndTimeStamp(), histogram.getNumberOfSignificantValueDigits(),
                histogram.getTotalCount());
        for (DoubleHistogramIterationValue value : histogram.recordedValues())
            System.out.printf("  %016x %d%n", Double.doubleToLongBits(
                    histogram.medianEquivalentValue(value.getValueIteratedTo())),
                    value.getCountAtValueIteratedTo());
    }

    static void print(EncodableHistogram histogram) {
        if (histogram instanceof DoubleHistogram)
            print((DoubleHistogram) histogram);
        else
            print((Histogram) histogram);
    }

    static void read(String path) throws Exception {
        HistogramLogReader reader = new HistogramLogReader(new File(path));
        EncodableHistogram histogram;
        while ((histogram = reader.nextIntervalHistogram()) != null)
            print(histogram);
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
            if (i % 4 == 1)
                shift(histogram);
            put(writer, histogram, i % 3 == 0 ? null : "tag." + i, i);
            put(writer, doubles(random, i), "double." + i, i);
        }
    }

    // Moves the values to other buckets, as far as there is room.
    static void shift(Histogram histogram) {
        try {
            histogram.shiftValuesRight(1);
        } catch (ArrayIndexOutOfBoundsException noRoomBelow) {
            return;
        }
    }

    // Of values from some nanoseconds to some years, all in seconds.
    static DoubleHistogram doubles(Random random, int i) {
        DoubleHistogram histogram = new DoubleHistogram(1 + i % 5);
        double scale = Math.pow(10, i % 18 - 9);
        for (int n = 0; n < 20 * i; n++)
            histogram.recordValueWithCount(scale * (1 + 100 * random.nextDouble()), 1 + random.nextInt(9));
        return histogram;
    }

    static void put(HistogramLogWriter writer, EncodableHistogram histogram, String tag, int i) {
        histogram.setTag(tag);
        histogram.setStartTimeStamp(1700000000500L + 1000L * i);
        histogram.setEndTimeStamp(1700000001000L + 1000L * i);
        writer.outputIntervalHistogram(histogram);
        print(histogram);
    }

    public static void main(String[] arguments) throws Exception {
        if (arguments[0].equals("read"))
            read(arguments[1]);
        else
            write(arguments[1]);
    }
}
