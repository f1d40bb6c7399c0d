package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// The bars of the suite.
const (
	barREST      = 15_000 // requests a second, one row of iris each, 64 connections
	barRESTTail  = 10e-3  // seconds of 99 of 100
	barRESTPeer  = 20     // times MLServer's
	barGRPC      = 12_000
	barLargePeer = 10  // times MLServer's, 4 700 support vectors of 50 features
	barRows      = 1.2 // times mercer predict's own time, 10 000 rows in one binary request
	barStart     = 0.5 // seconds until 100 models of a megabyte are ready
)

// serveRun is what of the suite is run.
type serveRun struct {
	only    string
	asJSON  bool
	seconds time.Duration // of each measurement
	clients int
}

// served is a line of the table.
type serveRow struct {
	Work    string  `json:"work"`
	Figure  string  `json:"figure"`
	Ours    float64 `json:"ours"`
	Theirs  float64 `json:"theirs,omitempty"`
	Bar     string  `json:"bar"`
	OK      bool    `json:"ok"`
	Note    string  `json:"note,omitempty"`
	Missing string  `json:"missing,omitempty"`
}

// serving measures mercer serve beside MLServer: one process of each, the client on the same cores.
func serving(out io.Writer, run serveRun) bool {
	program, err := buildOurs()
	if err == nil {
		err = os.MkdirAll(filepath.Join("out", "serve"), 0o777)
	}
	var models *serveModels
	if err == nil {
		models, err = fitServeModels(filepath.Join("out", "serve"))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/run serve:", err)
		return false
	}
	b := &serveBench{run: run, program: program, models: models, out: out}
	fmt.Fprintf(out,
		"mercer serve, %d cores for server and client together, %d connections, %v each, load average before: %s\n",
		runtime.GOMAXPROCS(0), run.clients, run.seconds, loadAverage())
	ok := true
	for _, part := range []struct {
		name string
		run  func() ([]serveRow, error)
	}{{"start", b.start}, {"ours", b.ours}, {"rows", b.rows}} {
		if run.only != "" && !strings.Contains(part.name, run.only) {
			continue
		}
		rows, err := part.run()
		if err != nil {
			fmt.Fprintf(os.Stderr, "bench/run serve: %s: %v\n", part.name, err)
			ok = false
		}
		for _, r := range rows {
			r.print(out, run.asJSON)
			ok = ok && r.OK
		}
	}
	return ok
}

func (r serveRow) print(out io.Writer, asJSON bool) {
	if asJSON {
		b, _ := json.Marshal(r)
		fmt.Fprintf(out, "%s\n", b)
		return
	}
	verdict := "ok  "
	if !r.OK {
		verdict = "MISS"
	}
	theirs := ""
	if r.Theirs > 0 {
		theirs = fmt.Sprintf("  MLServer %.4g, ratio %.3g", r.Theirs, r.Ours/r.Theirs)
	}
	if r.Missing != "" {
		theirs = "  peer missing: " + r.Missing
	}
	fmt.Fprintf(out, "%s  %-58s %10.5g %-12s (reach %s)%s  %s\n", verdict, r.Work, r.Ours, r.Figure, r.Bar, theirs, r.Note)
}

// loadAverage is what else the machine does, where it says.
func loadAverage() string {
	b, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "unknown"
	}
	return strings.Join(strings.Fields(string(b))[:3], " ")
}

type serveBench struct {
	run     serveRun
	program string
	models  *serveModels
	out     io.Writer
}

// ours measures one row a request, by REST and by gRPC, and MLServer on the same rows.
func (b *serveBench) ours() ([]serveRow, error) {
	s, err := startMercer(b.program, b.models.folder, os.Stderr)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	ctx := context.Background()
	measure := func(name string, row []float64) (measured, error) {
		return hammer(ctx, s.address, restRequest(name, s.address, row, `,"outputs":[{"name":"prediction"}]`), b.run.clients,
			b.run.seconds)
	}
	iris, err := measure("iris", b.models.irisRow)
	if err != nil {
		return nil, err
	}
	large, err := measure("large", b.models.largeRow)
	if err != nil {
		return nil, err
	}
	grpc, err := hammerGRPC(ctx, s.address, "iris", b.models.irisRow, b.run.clients, b.run.seconds)
	if err != nil {
		return nil, err
	}
	s.stop()
	rows := []serveRow{
		{Work: "iris SVM, one row a request, REST JSON", Figure: "requests/s", Ours: iris.rate, Bar: fmt.Sprint(barREST),
			OK: iris.rate >= barREST},
		{Work: "the same: 99 of 100 within", Figure: "s", Ours: iris.tail, Bar: fmt.Sprint(barRESTTail),
			OK: iris.tail < barRESTTail},
		{Work: "the same by gRPC", Figure: "requests/s", Ours: grpc.rate, Bar: fmt.Sprint(barGRPC), OK: grpc.rate >= barGRPC,
			Note: fmt.Sprintf("99 of 100 within %.3g s", grpc.tail)},
		{Work: "iris SVM beside MLServer", Figure: "requests/s", Ours: iris.rate, Bar: fmt.Sprintf("%d ×", barRESTPeer)},
		{Work: fmt.Sprintf("%d support vectors × 50, one row, beside MLServer", b.models.largeCentres), Figure: "requests/s",
			Ours: large.rate, Bar: fmt.Sprintf("%d ×", barLargePeer), Note: fmt.Sprintf("99 of 100 within %.3g s", large.tail)},
	}
	theirIris, theirLarge, err := b.peer(ctx)
	for i, theirs := range []measured{theirIris, theirLarge} {
		r := &rows[3+i]
		if err != nil {
			r.Missing, r.OK = err.Error(), true
			continue
		}
		r.Theirs = theirs.rate
		r.OK = r.Ours >= theirs.rate*[]float64{barRESTPeer, barLargePeer}[i]
		r.Note += fmt.Sprintf(" MLServer: 99 of 100 within %.3g s", theirs.tail)
	}
	return rows, nil
}

// rows measures 10 000 rows in one binary request beside mercer predict on the same rows in a file.
func (b *serveBench) rows() ([]serveRow, error) {
	s, err := startMercer(b.program, b.models.folder, os.Stderr)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	best, alone := 1e9, 1e9
	request := binaryRequest("large", s.address, b.models.many, 50, "prediction")
	for range 5 {
		t, err := once(s.address, request)
		if err != nil {
			return nil, err
		}
		best = min(best, t.Seconds())
		spent, _, err := program(0, b.program, "predict", filepath.Join(b.models.folder, "large.mercer"), b.models.manyFile,
			"-q", "-o", filepath.Join("out", "serve", "predicted.csv"))
		if err != nil {
			return nil, err
		}
		alone = min(alone, spent.wall)
	}
	return []serveRow{{Work: "10 000 rows in one binary request over mercer predict", Figure: "times", Ours: best / alone,
		Bar: fmt.Sprintf("%g ×", barRows), OK: best <= barRows*alone,
		Note: fmt.Sprintf("%.3g s, mercer predict %.3g s", best, alone)}}, nil
}

// start measures the time from the command to the first yes of the probe, with 100 models of a
// megabyte.
func (b *serveBench) start() ([]serveRow, error) {
	folder, err := hundredModels(filepath.Join("out", "serve", "hundred"))
	if err != nil {
		return nil, err
	}
	best := 1e9
	for range 3 {
		begun := time.Now()
		s, err := startMercer(b.program, folder, os.Stderr)
		if err != nil {
			return nil, err
		}
		_, err = once(s.address, []byte("GET /v2/health/ready HTTP/1.1\r\nHost: x\r\n\r\n"))
		took := time.Since(begun).Seconds()
		s.stop()
		if err != nil {
			return nil, err
		}
		best = min(best, took)
	}
	return []serveRow{{Work: "start to ready with 100 models of 1 MB", Figure: "s", Ours: best,
		Bar: fmt.Sprintf("%g s", barStart), OK: best < barStart}}, nil
}
