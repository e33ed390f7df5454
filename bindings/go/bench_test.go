package bench

import (
	"regexp"
	"strings"
	"testing"
)

func counting(calls *uint64) []Benchmark {
	return []Benchmark{
		{"count", func(seed uint64) func() { return func() { *calls += seed } }},
		{"broken", func(uint64) func() { return func() { panic("no\ndatabase") } }},
	}
}

func TestAWholeConversation(t *testing.T) {
	var calls uint64
	var out strings.Builder
	requests := "hello 1\nlist\nrun count 100 7\nbye\nhello 1\n"
	if err := Serve(counting(&calls), strings.NewReader(requests), &out); err != nil {
		t.Fatal(err)
	}
	expected := regexp.MustCompile(`^hello 1\nbenchmark count\nbenchmark broken\nok\nok [0-9]+ [0-9]+\n$`)
	if !expected.MatchString(out.String()) || calls != 700 {
		t.Fatalf("%q, %d calls", out.String(), calls)
	}
}

func TestWhatFailsIsAnErrorOfOneLine(t *testing.T) {
	var calls uint64
	for request, expected := range map[string]string{
		"run broken 1 1": "error no database", "run other 1 1": notUnderstood, "run count x 1": notUnderstood,
		"run count 1 -1": notUnderstood, "run count": notUnderstood, "": notUnderstood,
	} {
		if text, goesOn := Answer(counting(&calls), request); text != expected || !goesOn {
			t.Errorf("%q: %q", request, text)
		}
	}
}

func TestNamesAreChecked(t *testing.T) {
	for _, name := range []string{"", "two words", "line\nfeed", strings.Repeat("x", 301)} {
		if check([]Benchmark{{name, nil}}) == nil {
			t.Errorf("%q", name)
		}
	}
}
