// Command bench measures mercer beside its peers, in one run, on the same
// inputs and the same number of threads, and checks both results.
//
//	bench/run engine          one suite
//	bench/run                 all suites
//	bench/run engine --json   one JSON object a row
//	bench/run svm             support vector machines beside LIBSVM on fourteen sets
//	bench/run spread          the other learners beside scikit-learn on five shapes, with memory
//	bench/run serve           predictions over the wire beside MLServer
//	bench/run soak            mercer serve for an hour of everything that happens to a server (--for 5m: less)
//	bench/run flights         mercer fit on 327,346 rows in a minute and in ten
//	bench/run growth          how time and memory grow with rows and centres (--only centres: without support vector machines), with pictures
//	bench/run snacks          a machine on few centres beside LIBSVM's optimum on a9a, as centres are added
//	bench/run huge            mercer fit on a file of 100 million rows in 2 GB and twenty minutes
package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
)

// suites in the order of the floors of the house.
var suites = []struct {
	name  string
	cases func() []Case
}{
	{"engine", engine},
	{"kernels", kernels},
	{"graphs", graphCases},
	{"learners", learners},
	{"growth", growth},
	{"tune", tuning},
	{"stat", stat},
	{"large", large},
	// Tables of their own.
	{"structured", structuredSpeed}, // after a table of scores on strings, series, trees, bags and graphs
	{"auto", nil},                   // scores, not times
	{"svm", nil},                    // support vector machines beside LIBSVM on real sets
	{"spread", nil},                 // the other learners beside scikit-learn on five shapes
	{"serve", nil},                  // mercer serve beside MLServer
	{"soak", nil},                   // mercer serve for an hour; only where it is named
	{"flights", nil},                // mercer fit on 327,346 rows beside scikit-learn
	{"snacks", nil},                 // objectives on few centres beside LIBSVM's optimum
	{"huge", nil},                   // mercer fit on a file of 100 million rows; only where it is named
}

func main() {
	if len(os.Args) > 4 && os.Args[1] == launchWord {
		launch(os.Args[2:])
	}
	var names []string
	args := os.Args[1:]
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		names, args = append(names, args[0]), args[1:]
	}
	flags := flag.NewFlagSet("bench/run", flag.ExitOnError)
	asJSON := flags.Bool("json", false, "print one JSON object for each row")
	only := flags.String("only", "", "run only the rows whose name contains this")
	repeats := flags.Int("repeats", 0, "interleaved repeats of each side; 0 chooses by duration")
	peersOnly := flags.Bool("peers-only", false, "auto: only fill the cache of the peers' results")
	oursOnly := flags.Bool("ours-only", false, "auto: only fill out/ with our own results")
	budget := flags.Duration("budget", autoBudget, "auto: of each call; more than the default only on a busy machine, where CPU seconds say what it would have taken")
	cached := flags.Bool("cached", false, "auto: only sets whose peers' results are in the cache")
	resume := flags.Bool("resume", false, "auto: take our own results from out/ too, where an earlier run left them")
	splits := flags.Int("splits", 0, "auto: so many splits of each set; structured: so many seeds of plain mercer fit; 0: as many as the protocol has")
	parts := flags.String("parts", "tuned,plain,growth,speed", "structured: what of it is run")
	limit := flags.Duration("cap", 25*time.Second, "svm: LIBSVM is stopped after so long (and 12 times ours), and its time is then at least that; 0: never")
	lasting := flags.Duration("for", 0, "serve: how long each load lasts (10s); soak: how long all of it does (1h)")
	clients := flags.Int("connections", 64, "serve: connections side by side")
	best := flags.String("best", "one", "auto: what tune.Auto may choose: one, committee")
	most := flags.Int("most", 0, "auto: at most so many calls of tune.Auto; with --resume another run goes on")
	flags.Parse(args)

	if *best != "one" && *best != "committee" {
		fmt.Fprintf(os.Stderr, "bench/run: --best %q; give one or committee\n", *best)
		os.Exit(2)
	}
	known := map[string]bool{}
	for _, s := range suites {
		known[s.name] = true
	}
	for _, n := range names {
		if !known[n] {
			fmt.Fprintf(os.Stderr, "bench/run: there is no suite %q\n", n)
			os.Exit(2)
		}
	}

	table := NewTable(os.Stdout, *asJSON)
	failed := false
	for _, s := range suites {
		if len(names) > 0 && !contains(names, s.name) || len(names) == 0 && (s.name == "soak" || s.name == "huge") {
			continue
		}
		switch s.name {
		case "structured":
			part := func(name string) bool { return contains(strings.Split(*parts, ","), name) }
			if part("tuned") || part("plain") {
				failed = !structured(os.Stdout, structuredRun{*only, *asJSON, *repeats, *splits, part("tuned"), part("plain")}) || failed
			}
			if part("growth") && *only == "" && !*asJSON {
				if err := structuredGrowth(os.Stdout); err != nil {
					fmt.Fprintf(os.Stderr, "bench/run structured: %v\n", err)
					failed = true
				}
			}
			if !part("speed") {
				continue
			}
		case "auto":
			failed = !automatic(os.Stdout, autoRun{*only, *asJSON, *peersOnly, *oursOnly, *cached, *resume, *splits, *most, *budget, bestOf(*best)}) || failed
			continue
		case "serve":
			failed = !serving(os.Stdout, serveRun{*only, *asJSON, cmp.Or(*lasting, 10*time.Second), *clients}) || failed
			continue
		case "soak":
			failed = !soak(os.Stdout, cmp.Or(*lasting, time.Hour)) || failed
			continue
		case "flights":
			if err := flights(os.Stdout, []time.Duration{time.Minute, 10 * time.Minute}); err != nil {
				fmt.Fprintf(os.Stderr, "bench/run flights: %v\n", err)
				failed = true
			}
			continue
		case "huge":
			if err := huge(os.Stdout, 100_000_000/shrunk(), 20*time.Minute/time.Duration(shrunk())); err != nil {
				fmt.Fprintf(os.Stderr, "bench/run huge: %v\n", err)
				failed = true
			}
			continue
		case "snacks":
			if err := snacksGrowth(os.Stdout, shrunk()); err != nil {
				fmt.Fprintf(os.Stderr, "bench/run snacks: %v\n", err)
				failed = true
			}
			continue
		case "growth":
			if strings.Contains("centres", *only) && !*asJSON {
				if err := largeGrowth(os.Stdout, shrunk()); err != nil {
					fmt.Fprintf(os.Stderr, "bench/run growth: %v\n", err)
					failed = true
				}
			}
		case "spread":
			failed = !spread(os.Stdout, *only, *repeats, *asJSON) || failed
			continue
		case "svm":
			failed = !supportMachines(os.Stdout, machineRun{only: *only, asJSON: *asJSON, limit: *limit}) || failed
			continue
		}
		peer := StartPeer(s.name)
		for _, c := range s.cases() {
			if !strings.Contains(c.Work, *only) {
				continue
			}
			row := c.Measure(peer, *repeats)
			table.Add(row)
			failed = failed || !row.OK
			if c.Measured == nil {
				continue
			}
			if err := c.Measured(row); err != nil {
				fmt.Fprintf(os.Stderr, "bench/run %s: %v\n", s.name, err)
				failed = true
			}
		}
		peer.Stop()
		table.Summary(s.name)
	}
	table.Close()
	if failed {
		os.Exit(1)
	}
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
