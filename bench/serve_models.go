package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/kernel"
	"github.com/mercer-ml/mercer/learn/ridge"
	"github.com/mercer-ml/mercer/learn/svm"
	"github.com/mercer-ml/mercer/model"
	"gonum.org/v1/gonum/mat"
)

// serveModels are the models that both servers serve.
type serveModels struct {
	folder       string // with iris.mercer and large.mercer
	irisRow      []float64
	largeRow     []float64
	largeCentres int
	many         []float64 // 10 000 rows of 50
	manyFile     string    // the same as NPY
}

// What the machine with many support vectors learns: noise, so that almost every row becomes one.
const (
	largeRows, largeWidth  = 4800, 50
	largeC, largeGamma     = 1.0, 0.02
	irisC, irisLengthscale = 4.0, 2.0
)

func fitServeModels(dir string) (*serveModels, error) {
	m := &serveModels{folder: filepath.Join(dir, "models"), manyFile: filepath.Join(dir, "many.npy")}
	if err := os.MkdirAll(m.folder, 0o777); err != nil {
		return nil, err
	}
	ctx := context.Background()
	if err := saveIris(filepath.Join(m.folder, "iris.mercer"), kernel.Gaussian{Lengthscale: irisLengthscale},
		irisC); err != nil {
		return nil, err
	}
	m.irisRow = []float64{5.1, 3.5, 1.4, 0.2}

	rng := rand.New(rand.NewPCG(1, 2))
	points := mat.NewDense(largeRows, largeWidth, nil)
	for i := range largeRows {
		for j := range largeWidth {
			points.Set(i, j, rng.NormFloat64())
		}
	}
	labels := make([]int, largeRows)
	for i := range labels {
		labels[i] = rng.IntN(2)
	}
	// 1/(2·5²) = 0.02
	large, err := svm.Classification[kernel.Vec, int]{Kernel: kernel.Gaussian{Lengthscale: 5}, C: largeC}.Fit(ctx,
		data.Rows(points), labels)
	if err != nil {
		return nil, err
	}
	m.largeCentres = large.Func().Centers.Len()
	file, err := model.New(large, model.Info{})
	if err != nil {
		return nil, err
	}
	if err := file.Save(filepath.Join(m.folder, "large.mercer")); err != nil {
		return nil, err
	}
	m.largeRow = points.RawRowView(0)
	for range 10_000 * largeWidth {
		m.many = append(m.many, rng.NormFloat64())
	}
	codes := make([]float64, largeRows)
	for i, c := range labels {
		codes[i] = float64(c)
	}
	for name, a := range map[string]Array{
		m.manyFile:                        {Rows: 10_000, Cols: largeWidth, Data: m.many},
		filepath.Join(dir, "large_x.npy"): {Rows: largeRows, Cols: largeWidth, Data: points.RawMatrix().Data},
		filepath.Join(dir, "large_y.npy"): {Rows: largeRows, Cols: 1, Data: codes},
	} {
		if err := writeNPY(name, a); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// hundredModels writes a hundred models of about a megabyte: 1 300 centres of 100 features.
func hundredModels(dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	rng := rand.New(rand.NewPCG(3, 4))
	x := mat.NewDense(1300, 100, nil)
	y := make([]float64, 1300)
	for i := range y {
		for j := range 100 {
			x.Set(i, j, rng.NormFloat64())
		}
		y[i] = rng.NormFloat64()
	}
	fitted, err := ridge.Regression[kernel.Vec]{Kernel: kernel.Gaussian{Lengthscale: 10},
		Lambda: 1}.Fit(context.Background(), data.Rows(x), y)
	if err != nil {
		return "", err
	}
	m, err := model.New(fitted, model.Info{})
	if err != nil {
		return "", err
	}
	for i := range 100 {
		file := filepath.Join(dir, fmt.Sprintf("m%d.mercer", i))
		if _, err := os.Stat(file); err == nil {
			continue
		}
		if err := m.Save(file); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// process is a server that was started.
type process struct {
	cmd     *exec.Cmd
	address string
	stopped bool
}

// startMercer starts our server on a free port and returns when it says that it is ready. Its
// errors go to log.
func startMercer(program, folder string, log io.Writer) (*process, error) {
	c := exec.Command(program, "serve", folder, "--listen", "127.0.0.1:0", "--quiet")
	c.Stderr = log
	out, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	p := &process{cmd: c}
	line, err := bufio.NewReader(out).ReadString('\n')
	_, address, ok := strings.Cut(strings.TrimSpace(line), "http://")
	if err != nil || !ok {
		p.stop()
		return nil, fmt.Errorf("mercer serve said %q: %v", line, err)
	}
	go io.Copy(io.Discard, out)
	p.address = address
	return p, nil
}

// stop ends the server, as a system does.
func (p *process) stop() {
	if p.stopped {
		return
	}
	p.stopped = true
	p.cmd.Process.Signal(syscall.SIGTERM)
	done := make(chan struct{})
	go func() { p.cmd.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		p.cmd.Process.Kill()
		<-done
	}
}

// peer measures MLServer with scikit-learn's SVC on the same data. Its environment is
// bench/.venv-serve (bench/setup).
func (b *serveBench) peer(ctx context.Context) (iris, large measured, err error) {
	bin := ".venv-serve/bin"
	if _, err := os.Stat(filepath.Join(bin, "mlserver")); err != nil {
		return iris, large, errors.New("no MLServer; run bench/setup")
	}
	folder, err := filepath.Abs(filepath.Join("out", "serve", "mlserver"))
	if err != nil {
		return iris, large, err
	}
	fit := exec.Command(filepath.Join(bin, "python"), "peers/serve.py", folder, filepath.Join("out", "serve"),
		fmt.Sprint(largeC), fmt.Sprint(largeGamma), fmt.Sprint(irisC), fmt.Sprint(1/(2*irisLengthscale*irisLengthscale)))
	if out, err := fit.CombinedOutput(); err != nil {
		return iris, large, fmt.Errorf("peers/serve.py: %w: %s", err, out)
	}
	program, err := filepath.Abs(filepath.Join(bin, "mlserver"))
	if err != nil {
		return iris, large, err
	}
	c := exec.Command(program, "start", folder)
	log, err := os.Create(filepath.Join("out", "serve", "mlserver.log"))
	if err != nil {
		return iris, large, err
	}
	defer log.Close()
	c.Stdout, c.Stderr = log, log
	if err := c.Start(); err != nil {
		return iris, large, err
	}
	p := &process{cmd: c, address: "127.0.0.1:18080"}
	defer p.stop()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(200 * time.Millisecond) {
		if _, err = once(p.address, []byte("GET /v2/models/large/ready HTTP/1.1\r\nHost: x\r\n\r\n")); err == nil {
			break
		}
		if time.Now().After(end) {
			return iris, large, fmt.Errorf("MLServer is not ready after two minutes: %w", err)
		}
	}
	if iris, err = hammer(ctx, p.address, restRequest("iris", p.address, b.models.irisRow, ""), b.run.clients,
		b.run.seconds); err != nil {
		return iris, large, err
	}
	large, err = hammer(ctx, p.address, restRequest("large", p.address, b.models.largeRow, ""), b.run.clients,
		b.run.seconds)
	return iris, large, err
}

// otherIris is a model file with the columns of iris' and other answers.
func otherIris(file string) ([]byte, error) {
	if err := saveIris(file, kernel.Linear{}, 1); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
}

// saveIris fits a machine to iris.
func saveIris(file string, k kernel.Kernel[kernel.Vec], c float64) error {
	d, err := data.Builtin("iris", 0)
	if err != nil {
		return err
	}
	d.Target = d.Columns[len(d.Columns)-1].Name
	e, err := data.FitEncoder(d, data.EncoderOptions{})
	if err != nil {
		return err
	}
	x, err := e.TransformLabelled(d)
	if err != nil {
		return err
	}
	fitted, err := svm.Classification[kernel.Vec, int]{Kernel: k, C: c}.Fit(context.Background(), x.Dense, x.Codes())
	if err != nil {
		return err
	}
	m, err := model.New(fitted, model.Info{Encoder: e})
	if err != nil {
		return err
	}
	return m.Save(file)
}
