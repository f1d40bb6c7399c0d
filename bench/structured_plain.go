package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// plain is what mercer fit reaches on the file, told nothing but the seed: on the official test
// rows, or on the rows that it holds out itself, by several seeds. It builds the program, and
// returns its last choice and the processor time it took.
func (s structuredSet) plain(run structuredRun) (scores []float64, chosen string, cpu float64, err error) {
	program, err := filepath.Abs("out/mercer")
	if err != nil {
		return nil, "", 0, err
	}
	build := exec.Command("go", "build", "-o", program, "./cmd/mercer")
	build.Dir = ".."
	if message, err := build.CombinedOutput(); err != nil {
		return nil, "", 0, fmt.Errorf("building mercer: %w: %s", err, message)
	}
	folder, err := os.MkdirTemp("out", "plain-")
	if err != nil {
		return nil, "", 0, err
	}
	defer os.RemoveAll(folder)
	at, err := filepath.Abs(structuredFolder)
	if err != nil {
		return nil, "", 0, err
	}
	call := func(args ...string) (out plainOutput, err error) {
		cmd := exec.Command(program, args...)
		cmd.Dir = folder
		var said, result bytes.Buffer
		cmd.Stderr, cmd.Stdout = &said, &result
		err = cmd.Run()
		cpu += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
		if err != nil {
			return out, fmt.Errorf("mercer %s: %w: %s", strings.Join(args, " "), err, said.String())
		}
		return out, json.Unmarshal(result.Bytes(), &out)
	}
	seeds := cmp.Or(s.seeds, structuredSeeds)
	if run.seeds > 0 {
		seeds = run.seeds
	}
	if s.test != "" {
		seeds = 1
	}
	for seed := 1; seed <= seeds; seed++ {
		args := append([]string{"fit", filepath.Join(at, s.file), "--json", "--seed", fmt.Sprint(seed)}, s.plainFlags...)
		out, err := call(args...)
		if err != nil {
			return nil, "", 0, err
		}
		chosen = out.Learner + " " + out.Kernel
		if len(chosen) > 60 {
			chosen = chosen[:57] + "…"
		}
		if s.test != "" {
			if out, err = call("eval", "model.mercer", filepath.Join(at, s.test), "--json"); err != nil {
				return nil, "", 0, err
			}
			out.Test = []plainScore{{s.metric().Name, out.Scores[s.metric().Name]}}
		}
		found := false
		for _, t := range out.Test {
			if t.Metric == s.metric().Name {
				scores, found = append(scores, t.Value), true
			}
		}
		if !found {
			return nil, "", 0, fmt.Errorf("mercer fit %s: no %s among the scores of its test", s.file, s.metric().Name)
		}
	}
	return scores, chosen, cpu, nil
}

// plainOutput is what of the JSON of mercer fit and mercer eval is read.
type plainOutput struct {
	Learner, Kernel string
	Test            []plainScore       // of mercer fit
	Scores          map[string]float64 // of mercer eval
}

type plainScore struct {
	Metric string
	Value  float64
}
