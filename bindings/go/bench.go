// Package bench has benchmarks that `lauka suite ./old ./new` compares, by the protocol lauka-bench/1 of docs/suite.md.
package bench

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Benchmark is a name without blanks, and a function that prepares the iterations and returns what one does: only
// that is measured. Equal seeds are to give equal work.
type Benchmark struct {
	Name    string
	Prepare func(seed uint64) func()
}

const notUnderstood = "error this request is not understood"

// cpuTime is that of the whole process, which includes the collector of garbage.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &usage) != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func measure(iteration func(), iterations uint64) (wall, cpu time.Duration) {
	cpu = cpuTime()
	begun := time.Now()
	for i := uint64(0); i < iterations; i++ {
		iteration()
	}
	wall = time.Since(begun)
	return wall, cpuTime() - cpu
}

func run(benchmark Benchmark, iterations, seed uint64) (answer string) {
	defer func() {
		if why := recover(); why != nil {
			answer = "error " + strings.Join(strings.Fields(fmt.Sprint(why)), " ")
		}
	}()
	wall, cpu := measure(benchmark.Prepare(seed), iterations)
	return fmt.Sprintf("ok %d %d", wall.Nanoseconds(), cpu.Nanoseconds())
}

func list(benchmarks []Benchmark) string {
	var text strings.Builder
	for _, each := range benchmarks {
		text.WriteString("benchmark " + each.Name + "\n")
	}
	return text.String() + "ok"
}

// Answer returns the answer to a request without its line feed, and false to `bye`.
func Answer(benchmarks []Benchmark, request string) (string, bool) {
	words := strings.Split(request, " ")
	switch {
	case request == "bye":
		return "", false
	case request == "hello 1":
		return request, true
	case request == "list":
		return list(benchmarks), true
	case words[0] != "run" || len(words) != 4:
		return notUnderstood, true
	}
	iterations, err := strconv.ParseUint(words[2], 10, 64)
	seed, otherErr := strconv.ParseUint(words[3], 10, 64)
	for _, each := range benchmarks {
		if each.Name == words[1] && err == nil && otherErr == nil {
			return run(each, iterations, seed), true
		}
	}
	return notUnderstood, true
}

// Serve answers requests until `bye` or the end of the input.
func Serve(benchmarks []Benchmark, requests io.Reader, answers io.Writer) error {
	lines := bufio.NewScanner(requests)
	for lines.Scan() {
		text, goesOn := Answer(benchmarks, lines.Text())
		if !goesOn {
			break
		}
		if _, err := io.WriteString(answers, text+"\n"); err != nil {
			return err
		}
	}
	return lines.Err()
}

// show prints what an iteration takes, from as many as take a tenth of a second.
func show(benchmarks []Benchmark) {
	for _, each := range benchmarks {
		iteration, iterations := each.Prepare(1), uint64(1)
		wall, _ := measure(iteration, iterations)
		for wall < 100*time.Millisecond {
			iterations *= 2
			wall, _ = measure(iteration, iterations)
		}
		fmt.Printf("%s\t%.1f ns\n", each.Name, float64(wall.Nanoseconds())/float64(iterations))
	}
}

func check(benchmarks []Benchmark) error {
	for _, each := range benchmarks {
		bad := func(r rune) bool { return r <= ' ' || r == 0x7f }
		if each.Name == "" || len(each.Name) > 300 || strings.IndexFunc(each.Name, bad) >= 0 {
			return fmt.Errorf("the name of a benchmark has no blanks and at most 300 bytes: %q", each.Name)
		}
	}
	return nil
}

// Main answers lauka's requests, if it started this program; otherwise it prints what an iteration takes. It ends the
// program.
func Main(benchmarks []Benchmark) {
	err := check(benchmarks)
	descriptors := os.Getenv("LAUKA_BENCH_FDS")
	if err == nil && descriptors == "" {
		show(benchmarks)
	} else if err == nil {
		var requests, answers uintptr
		if _, err = fmt.Sscanf(descriptors, "%d,%d", &requests, &answers); err == nil {
			err = Serve(benchmarks, os.NewFile(requests, "requests"), os.NewFile(answers, "answers"))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "lauka-bench:", err)
		os.Exit(1)
	}
	os.Exit(0)
}
