package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// soak runs mercer serve for a while under everything that happens to a server: requests of all
// forms, models that are replaced, damaged, removed and brought back, clients that leave in the
// middle, connections that idle, and the process itself killed. Every answer must be one that a
// model which was there gives, to the last bit; at the end there must be no more goroutines, files
// or memory than at the beginning.
func soak(out io.Writer, lasting time.Duration) bool {
	s, err := newSoaking(out)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench/run soak:", err)
		return false
	}
	fmt.Fprintf(out, "soak: %v on loopback, load average before: %s\n", lasting, loadAverage())
	ctx, end := context.WithTimeout(context.Background(), lasting)
	defer end()
	if err := s.restart(); err != nil {
		fmt.Fprintln(os.Stderr, "bench/run soak:", err)
		return false
	}
	var all sync.WaitGroup
	for i := range 24 {
		all.Go(func() { s.client(ctx, i) })
	}
	for range 4 {
		all.Go(func() { s.rude(ctx) })
	}
	all.Go(func() { s.replace(ctx) })
	s.kill(ctx)
	all.Wait()
	return s.verdict()
}

// soaking is a soak under way.
type soaking struct {
	out     io.Writer
	log     *os.File // what the server says of damaged files
	program string
	folder  string
	known   map[string]bool // answers that one of the models gives
	request map[string][]byte
	files   [2][]byte // of the two models that take turns

	mu     sync.RWMutex // held for writing while there is no server
	server *process

	answers, refused, broken, swaps, kills, ends, wrong atomic.Int64
	first                                               gauge // before the load, of the process that lives last
	high                                                gauge
}

// gauge is what a process holds.
type gauge struct{ goroutines, files, memory float64 }

// newSoaking fits two machines that answer differently and notes what they say.
func newSoaking(out io.Writer) (*soaking, error) {
	program, err := buildOurs()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join("out", "soak")
	if err := os.RemoveAll(dir); err != nil {
		return nil, err
	}
	models, err := fitServeModels(filepath.Join(dir, "fit"))
	if err != nil {
		return nil, err
	}
	s := &soaking{out: out, program: program, folder: filepath.Join(dir, "models"), known: map[string]bool{},
		request: map[string][]byte{}}
	if err := os.MkdirAll(s.folder, 0o777); err != nil {
		return nil, err
	}
	if s.log, err = os.OpenFile(filepath.Join(dir, "server.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o666); err != nil {
		return nil, err
	}
	if s.files[0], err = os.ReadFile(filepath.Join(models.folder, "iris.mercer")); err != nil {
		return nil, err
	}
	if s.files[1], err = otherIris(filepath.Join(dir, "other.mercer")); err != nil {
		return nil, err
	}
	row := models.irisRow
	s.request["rest"] = restRequest("m", "x", row, "")
	s.request["binary"] = binaryRequest("m", "x", append(append([]float64{}, row...), 6.3, 2.9, 5.6, 1.8), 4, "decision")
	csv := "sepal_length,sepal_width,petal_length,petal_width\n5.1,3.5,1.4,0.2\n6.3,2.9,5.6,1.8\n"
	s.request["table"] = fmt.Appendf(nil,
		"POST /predict/m?decision=1 HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\nContent-Length: %d\r\n\r\n%s", len(csv),
		csv)
	for _, file := range s.files { // what each says, asked of it alone
		if err := os.WriteFile(filepath.Join(s.folder, "m.mercer"), file, 0o666); err != nil {
			return nil, err
		}
		if err := s.restart(); err != nil {
			return nil, err
		}
		for kind := range s.request {
			p, err := dial(s.server.address)
			if err != nil {
				return nil, err
			}
			body, err := p.answer(s.request[kind])
			p.c.Close()
			if err != nil {
				return nil, fmt.Errorf("%s: %w", kind, err)
			}
			s.known[kind+string(body)] = true
		}
	}
	if len(s.known) != 2*len(s.request) {
		return nil, fmt.Errorf("%d different answers of two models to %d requests", len(s.known), len(s.request))
	}
	return s, nil
}

// restart starts the server anew and waits until it is ready.
func (s *soaking) restart() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.server != nil {
		s.server.stop()
	}
	p, err := startMercer(s.program, s.folder, s.log)
	if err != nil {
		return err
	}
	s.server = p
	time.Sleep(time.Second)
	s.first, err = readGauge(p.address)
	return err
}

// client asks in all forms, each answer being one of those known. While the server is being killed
// connections break, which is no wrong answer.
func (s *soaking) client(ctx context.Context, seed int) {
	rng := rand.New(rand.NewPCG(uint64(seed), 9))
	kinds := []string{"rest", "binary", "table"}
	var p *plain
	for ctx.Err() == nil {
		s.mu.RLock()
		address := s.server.address
		s.mu.RUnlock()
		if p == nil {
			var err error
			if p, err = dial(address); err != nil {
				s.broken.Add(1)
				time.Sleep(20 * time.Millisecond)
				continue
			}
		}
		kind := kinds[rng.IntN(len(kinds))]
		body, err := p.answer(s.request[kind])
		var status *statusError
		switch {
		// it was removed, or is shutting down
		case errors.As(err, &status) && (status.code == 404 || status.code == 503 || status.code == 429):
			s.refused.Add(1)
		case err != nil && status != nil:
			s.wrong.Add(1)
			fmt.Fprintf(s.out, "%s: %v\n", kind, err)
		case err != nil:
			s.broken.Add(1)
			p.c.Close()
			p = nil
		case !s.known[kind+string(body)]:
			s.wrong.Add(1)
			fmt.Fprintf(s.out, "%s: an answer that no model gives: %s\n", kind, body)
		default:
			s.answers.Add(1)
		}
		if p != nil && rng.IntN(200) == 0 { // clients come and go
			p.c.Close()
			p = nil
		}
		time.Sleep(time.Duration(rng.IntN(3)) * time.Millisecond)
	}
	if p != nil {
		p.c.Close()
	}
}

// rude sends halves of requests, nonsense, and nothing.
func (s *soaking) rude(ctx context.Context) {
	rng := rand.New(rand.NewPCG(7, 7))
	for ctx.Err() == nil {
		s.mu.RLock()
		address := s.server.address
		s.mu.RUnlock()
		c, err := net.Dial("tcp", address)
		if err != nil {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		request := s.request["binary"]
		switch rng.IntN(4) {
		case 0:
			c.Write(request[:rng.IntN(len(request))])
		case 1:
			c.Write([]byte("POST /v2/models/m/infer HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n{\"inputs\":[["))
			c.(*net.TCPConn).CloseWrite()
			io.Copy(io.Discard, c)
		case 2:
			c.Write([]byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\nnonsense"))
		}
		time.Sleep(time.Duration(rng.IntN(200)) * time.Millisecond)
		c.Close()
	}
}

// replace puts one of the two models in the place of the other, sometimes by way of a damaged file
// or of none.
func (s *soaking) replace(ctx context.Context) {
	rng := rand.New(rand.NewPCG(5, 5))
	file := filepath.Join(s.folder, "m.mercer")
	for n := 0; ctx.Err() == nil; n++ {
		switch rng.IntN(6) {
		case 0:
			os.WriteFile(file, s.files[n%2][:len(s.files[n%2])/2], 0o666)
		case 1:
			os.Remove(file)
		default:
			beside := file + ".new"
			os.WriteFile(beside, s.files[n%2], 0o666)
			os.Rename(beside, file)
		}
		s.swaps.Add(1)
		pause(ctx, time.Duration(500+rng.IntN(1500))*time.Millisecond)
	}
	os.WriteFile(file, s.files[0], 0o666)
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// kill ends the process again and again, in order and not, and watches what it holds before.
func (s *soaking) kill(ctx context.Context) {
	for n := 0; ; n++ {
		for range 20 {
			pause(ctx, time.Second)
			if ctx.Err() != nil {
				return
			}
			if g, err := readGauge(s.server.address); err == nil {
				s.high = gauge{max(s.high.goroutines, g.goroutines), max(s.high.files, g.files), max(s.high.memory, g.memory)}
			}
		}
		if n%2 == 0 {
			s.server.cmd.Process.Signal(syscall.SIGKILL)
			s.server.cmd.Wait()
			s.server.stopped = true
			s.kills.Add(1)
		} else {
			s.ends.Add(1)
		}
		if err := s.restart(); err != nil {
			s.wrong.Add(1)
			fmt.Fprintln(s.out, "it does not come back:", err)
			return
		}
	}
}

// verdict looks at what is left when nobody asks any more.
func (s *soaking) verdict() bool {
	time.Sleep(3 * time.Second)
	last, err := readGauge(s.server.address)
	s.server.stop()
	fmt.Fprintf(s.out, "%d answers, all of them right but %d; %d told to come again; %d connections broken by kills\n",
		s.answers.Load(), s.wrong.Load(), s.refused.Load(), s.broken.Load())
	fmt.Fprintf(s.out, "%d changes of the model file; %d times killed, %d times ended in order\n", s.swaps.Load(),
		s.kills.Load(), s.ends.Load())
	fmt.Fprintf(s.out,
		"the last process at its start, and after the load: goroutines %g and %g, files %g and %g, memory %.1f and %.1f "+
			"MB; at the most %g, %g, %.1f MB\n",
		s.first.goroutines, last.goroutines, s.first.files, last.files, s.first.memory/1e6, last.memory/1e6,
		s.high.goroutines, s.high.files, s.high.memory/1e6)
	leaked := last.goroutines > s.first.goroutines+8 || last.files > s.first.files+8 || last.memory > s.first.memory+200e6
	return err == nil && s.wrong.Load() == 0 && s.answers.Load() > 0 && !leaked
}

var gaugeLine = regexp.MustCompile(`(?m)^(go_goroutines|process_open_fds|process_resident_memory_bytes) (\S+)$`)

// readGauge asks the server's own metrics.
func readGauge(address string) (g gauge, err error) {
	p, err := dial(address)
	if err != nil {
		return g, err
	}
	defer p.c.Close()
	body, err := p.answer([]byte("GET /metrics HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"))
	if err != nil {
		return g, err
	}
	for _, m := range gaugeLine.FindAllSubmatch(body, -1) {
		x, _ := strconv.ParseFloat(string(m[2]), 64)
		switch string(m[1]) {
		case "go_goroutines":
			g.goroutines = x
		case "process_open_fds":
			g.files = x
		default:
			g.memory = x
		}
	}
	return g, nil
}

// statusError is an answer other than 200.
type statusError struct {
	code int
	body string
}

func (e *statusError) Error() string {
	return fmt.Sprintf("status %d: %s", e.code, strings.TrimSpace(e.body))
}

// answer is ask for answers of any form, in chunks as well.
func (p *plain) answer(request []byte) ([]byte, error) {
	p.c.SetDeadline(time.Now().Add(time.Minute))
	if _, err := p.c.Write(request); err != nil {
		return nil, err
	}
	r, err := readResponse(p.in)
	if err != nil {
		return nil, err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	if r.StatusCode != 200 {
		return nil, &statusError{r.StatusCode, string(body)}
	}
	return bytes.Clone(body), nil
}
