// Command bench measures mercer beside its peers, in one run, on the same
// inputs and the same number of threads, and checks both results.
//
//	bench/run engine          one suite
//	bench/run                 all suites
//	bench/run engine --json   one JSON object a row
//	bench/run svm             support vector machines beside LIBSVM on fourteen sets
//	bench/run forest          random forests and boosted trees beside scikit-learn's
//	bench/run spread          the other learners beside scikit-learn on five shapes, with memory
//	bench/run threads         every parallel path at 1, 2, 4, … threads: times, efficiency, BLAS beside it
//	bench/run python          the Python package beside scikit-learn and scikit-learn-intelex, called from Python
//	bench/run serve           predictions over the wire beside MLServer
//	bench/run soak            mercer serve for an hour of everything that happens to a server (--for 5m: less)
//	bench/run text            mercer fit on texts and strings beside LinearSVC with its grid, a million short texts beside HashingVectorizer
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
	{"forest", forests},
	{"growth", growth},
	{"tune", tuning},
	{"stat", stat},
	{"large", large},
	{"nodes", nodesSuite},
	// Tables of their own.
	{"structured", structuredSpeed}, // after a table of scores on strings, series, trees, bags and graphs
	{"auto", nil},                   // scores, not times
	{"svm", nil},                    // support vector machines beside LIBSVM on real sets
	{"spread", nil},                 // the other learners beside scikit-learn on five shapes
	{"threads", nil},                // every parallel path at 1, 2, 4, … threads
	{"python", nil},                 // the Python package, transport included
	{"serve", nil},                  // mercer serve beside MLServer
	{"soak", nil},                   // mercer serve for an hour; only where it is named
	{"text", nil},                   // mercer fit on texts and strings beside LinearSVC with its grid
	{"flights", nil},                // mercer fit on 327,346 rows beside scikit-learn
	{"snacks", nil},                 // objectives on few centres beside LIBSVM's optimum
	{"huge", nil},                   // mercer fit on a file of 100 million rows; only where it is named
}

// asked is the command line.
type asked struct {
	suites                   []string
	asJSON, resume           bool
	only, parts, best, job   string
	repeats, splits, clients int
	rows, parallel           int
	budget, limit, lasting   time.Duration
}

func commandLine() asked {
	var q asked
	args := os.Args[1:]
	for len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		q.suites, args = append(q.suites, args[0]), args[1:]
	}
	flags := flag.NewFlagSet("bench/run", flag.ExitOnError)
	flags.BoolVar(&q.asJSON, "json", false, "print one JSON object for each row")
	flags.StringVar(&q.only, "only", "", "run only the rows whose name contains this")
	flags.IntVar(&q.repeats, "repeats", 0, "interleaved repeats of each side; 0 chooses by duration")
	flags.DurationVar(&q.budget, "budget", autoBudget,
		"auto: of each call; more than the default only on a busy machine, where CPU seconds say what it would have taken")
	flags.BoolVar(&q.resume, "resume", false, "auto: take our own results from out/ too, where an earlier run left them")
	flags.IntVar(&q.rows, "rows", autoTrain,
		"auto: most rows to fit on; with more than the default only sets that have them")
	flags.IntVar(&q.parallel, "parallel", 1, "auto: so many splits side by side, each with THREADS threads")
	flags.StringVar(&q.job, "job", "", "auto: only this set/split, into out/")
	flags.IntVar(&q.splits, "splits", 0,
		"auto: so many splits of each set; structured: so many seeds of plain mercer fit; 0: as many as the protocol has")
	flags.StringVar(&q.parts, "parts", "tuned,plain,growth,speed", "structured: what of it is run")
	flags.DurationVar(&q.limit, "cap", 25*time.Second,
		"svm: LIBSVM is stopped after so long (and 12 times ours), and its time is then at least that; 0: never")
	flags.DurationVar(&q.lasting, "for", 0, "serve: how long each load lasts (10s); soak: how long all of it does (1h)")
	flags.IntVar(&q.clients, "connections", 64, "serve: connections side by side")
	flags.StringVar(&q.best, "best", "one", "auto: what tune.Auto may choose: one, committee")
	flags.Parse(args)

	if q.best != "one" && q.best != "committee" {
		fmt.Fprintf(os.Stderr, "bench/run: --best %q; give one or committee\n", q.best)
		os.Exit(2)
	}
	known := map[string]bool{}
	for _, s := range suites {
		known[s.name] = true
	}
	for _, n := range q.suites {
		if !known[n] {
			fmt.Fprintf(os.Stderr, "bench/run: there is no suite %q\n", n)
			os.Exit(2)
		}
	}
	return q
}

func main() {
	if len(os.Args) > 4 && os.Args[1] == launchWord {
		launch(os.Args[2:])
	}
	q := commandLine()
	table := NewTable(os.Stdout, q.asJSON)
	good := true
	for _, s := range suites {
		if len(q.suites) > 0 && !contains(q.suites, s.name) || len(q.suites) == 0 && (s.name == "soak" || s.name == "huge") {
			continue
		}
		good = q.own(s.name) && good
		if s.cases != nil && (s.name != "structured" || q.part("speed")) {
			good = q.measure(table, s.name, s.cases()) && good
		}
	}
	table.Close()
	if !good {
		os.Exit(1)
	}
}

// part says whether a part of the suite structured is asked for.
func (q asked) part(name string) bool { return contains(strings.Split(q.parts, ","), name) }

// own prints the tables that a suite has of its own, before its cases or instead of them. It says
// whether all is well.
func (q asked) own(suite string) bool {
	var err error
	switch suite {
	case "structured":
		good := true
		if q.part("tuned") || q.part("plain") {
			good = structured(os.Stdout, structuredRun{q.only, q.asJSON, q.repeats, q.splits, q.part("tuned"), q.part("plain")})
		}
		if q.part("growth") && q.only == "" && !q.asJSON {
			err = structuredGrowth(os.Stdout)
		}
		return told(suite, err) && good
	case "auto":
		return automatic(os.Stdout, autoRun{q.only, q.asJSON, q.job, q.resume, q.rows, q.splits, q.parallel, q.budget,
			bestOf(q.best)})
	case "serve":
		return serving(os.Stdout, serveRun{q.only, q.asJSON, cmp.Or(q.lasting, 10*time.Second), q.clients})
	case "python":
		return pythonPackage(os.Stdout, q.only, q.repeats, q.asJSON)
	case "threads":
		err = threads(os.Stdout, q.only)
	case "soak":
		return soak(os.Stdout, cmp.Or(q.lasting, time.Hour))
	case "spread":
		return spread(os.Stdout, q.only, q.repeats, q.asJSON)
	case "svm":
		return supportMachines(os.Stdout, machineRun{only: q.only, asJSON: q.asJSON, limit: q.limit})
	case "text":
		err = runText(q)
	case "flights":
		err = flights(os.Stdout, []time.Duration{time.Minute, 10 * time.Minute})
	case "huge":
		err = huge(os.Stdout, 100_000_000/shrunk(), 20*time.Minute/time.Duration(shrunk()))
	case "snacks":
		err = snacksGrowth(os.Stdout, shrunk())
	case "growth":
		if strings.Contains("centres", q.only) && !q.asJSON {
			err = largeGrowth(os.Stdout, shrunk())
		}
	}
	return told(suite, err)
}

// told prints what went wrong, and says whether nothing did.
func told(suite string, err error) bool {
	if err != nil {
		fmt.Fprintf(os.Stderr, "bench/run %s: %v\n", suite, err)
	}
	return err == nil
}

// measure runs the cases of a suite beside its peer. It says whether all of them are right and
// above their bars.
func (q asked) measure(table *Table, suite string, cases []Case) bool {
	good := true
	peer := StartPeer(suite)
	defer peer.Stop()
	for _, c := range cases {
		if !strings.Contains(c.Work, q.only) {
			continue
		}
		row := c.Measure(peer, q.repeats)
		table.Add(row)
		good = good && row.OK
		if c.Measured != nil {
			good = told(suite, c.Measured(row)) && good
		}
	}
	table.Summary(suite)
	return good
}

func contains(list []string, s string) bool {
	for _, l := range list {
		if l == s {
			return true
		}
	}
	return false
}
