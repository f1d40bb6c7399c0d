package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// Peer is a Python process that holds one case at a time: it loads the inputs
// once and runs its side of the work when asked, so that start-up and file
// reading are never timed.
type Peer struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	dir  string
	dead error
}

type peerReply struct {
	Peer    string            `json:"peer"`
	Seconds float64           `json:"seconds"`
	CPU     float64           `json:"cpu"`
	MB      float64           `json:"mb"`
	Result  map[string]string `json:"result"`
	Missing string            `json:"missing"`
}

// StartPeer starts the Python side of a suite. Without Python every Load says
// so.
func StartPeer(suite string) *Peer {
	p := &Peer{}
	python := ".venv/bin/python"
	if env := os.Getenv("BENCH_PYTHON"); env != "" {
		python = env
	}
	if _, err := os.Stat(python); err != nil {
		p.dead = errors.New("no Python environment; run bench/setup")
		return p
	}
	dir, err := os.MkdirTemp("out", "peer-")
	if err != nil {
		p.dead = err
		return p
	}
	p.dir, _ = filepath.Abs(dir)
	p.cmd = exec.Command(python, "-u", "peers/worker.py", suite, p.dir)
	p.cmd.Stderr = os.Stderr
	p.in, _ = p.cmd.StdinPipe()
	out, _ := p.cmd.StdoutPipe()
	p.out = bufio.NewReader(out)
	p.dead = p.cmd.Start()
	return p
}

func (p *Peer) ask(request any) (r peerReply, err error) {
	if p.dead != nil {
		return r, p.dead
	}
	b, err := json.Marshal(request)
	if err != nil {
		return r, err
	}
	if _, err = p.in.Write(append(b, '\n')); err == nil {
		var line []byte
		if line, err = p.out.ReadBytes('\n'); err == nil {
			err = json.Unmarshal(line, &r)
		}
	}
	if err != nil {
		p.dead = fmt.Errorf("the Python side stopped: %w", err)
		return r, p.dead
	}
	if r.Missing != "" {
		return r, errors.New(r.Missing)
	}
	return r, nil
}

// Load hands the inputs over and returns the peer's name and version.
func (p *Peer) Load(function string, in Inputs, args map[string]any) (string, error) {
	if p.dead != nil {
		return function, p.dead
	}
	files := map[string]string{}
	for name, a := range in {
		file := filepath.Join(p.dir, name+".npy")
		if err := writeNPY(file, a); err != nil {
			return function, err
		}
		files[name] = file
	}
	r, err := p.ask(map[string]any{"op": "load", "function": function, "inputs": files, "args": args})
	if r.Peer == "" {
		r.Peer = function
	}
	return r.Peer, err
}

// Time runs the loaded work once.
func (p *Peer) Time() (float64, error) {
	r, err := p.ask(map[string]any{"op": "time"})
	return r.Seconds, err
}

// TimeCPU is Time with the processor time beside it.
func (p *Peer) TimeCPU() (wall, cpu float64, err error) {
	r, err := p.ask(map[string]any{"op": "time"})
	return r.Seconds, r.CPU, err
}

// Memory runs the loaded work once more and returns the most memory it took above what was held
// before, in MB.
func (p *Peer) Memory() (float64, error) {
	r, err := p.ask(map[string]any{"op": "memory"})
	return r.MB, err
}

// Result fetches the arrays of the last run.
func (p *Peer) Result() (Inputs, error) {
	r, err := p.ask(map[string]any{"op": "result"})
	if err != nil {
		return nil, err
	}
	out := Inputs{}
	for name, file := range r.Result {
		a, err := readNPY(file)
		if err != nil {
			return nil, err
		}
		out[name] = a
	}
	return out, nil
}

// Stop ends the process and removes its files.
func (p *Peer) Stop() {
	if p.cmd != nil && p.cmd.Process != nil {
		p.in.Close()
		p.cmd.Wait()
	}
	if p.dir != "" {
		os.RemoveAll(p.dir)
	}
}
