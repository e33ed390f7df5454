// Two benchmarks in Go.
package main

import (
	"fmt"
	"sort"

	bench "github.com/OWNER/lauka/bindings/go"
)

var kept int

func main() {
	bench.Main([]bench.Benchmark{
		{Name: "sort", Prepare: func(seed uint64) func() {
			numbers := make([]int, 100)
			for i := range numbers {
				numbers[i] = int((seed/2 + uint64(i)*7919) % 1000)
			}
			own := make([]int, len(numbers))
			return func() {
				copy(own, numbers)
				sort.Ints(own)
				kept += own[0]
			}
		}},
		{Name: "format", Prepare: func(seed uint64) func() {
			return func() { kept += len(fmt.Sprintf("%d words %.3f", seed, 3.25)) }
		}},
	})
}
