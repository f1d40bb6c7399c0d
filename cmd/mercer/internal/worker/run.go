package worker

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
)

// runArgs is a command line, the data sets that it names, and the models.
type runArgs struct {
	Args   []string                `json:"args"`
	Tables map[string][]columnHead `json:"tables"`
	Models []string                `json:"models"` // each is an array of its name
}

// run does what a command line asks for, with data and files in memory.
func run(ctx context.Context, c *call) (*answer, error) {
	var args runArgs
	if err := c.decode(&args); err != nil {
		return nil, err
	}
	in := Given{Sets: map[string]*data.Dataset{}, Models: map[string]*model.Model{}}
	for name, columns := range args.Tables {
		d, err := c.table(name, columns)
		if err != nil {
			return nil, err
		}
		if err := data.InferKinds(d, data.Inference{Literal: true}); err != nil {
			return nil, err
		}
		in.Sets[name] = d
	}
	for _, name := range args.Models {
		file, err := vector[byte](c.arrays, name)
		if err != nil {
			return nil, err
		}
		if in.Models[name], err = model.Decode(bytes.Clone(file)); err != nil {
			return nil, err
		}
	}
	var out bytes.Buffer
	said := &lines{tell: c.say}
	code, files := c.Run(ctx, args.Args, in, &out, said)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	a := newAnswer()
	a.result["code"], a.result["out"], a.result["err"] = code, out.String(), said.rest.String()
	for name, file := range files {
		put(a, "file."+name, file)
	}
	return a, nil
}

// Given is what a command line may name as if it were files.
type Given struct {
	Sets   map[string]*data.Dataset
	Models map[string]*model.Model
}

// lines takes what a verb says while it works: progress is a JSON object on a line and goes to
// tell, all else is kept.
type lines struct {
	mu      sync.Mutex
	pending []byte
	rest    bytes.Buffer
	tell    func(text string)
}

var _ io.Writer = (*lines)(nil)

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.pending = append(l.pending, p...)
	for {
		i := bytes.IndexByte(l.pending, '\n')
		if i < 0 {
			return len(p), nil
		}
		line := l.pending[:i+1]
		l.pending = l.pending[i+1:]
		var state struct {
			Done    int    `json:"done"`
			Planned int    `json:"planned"`
			Best    string `json:"best"`
		}
		if line[0] == '{' && json.Unmarshal(line, &state) == nil {
			if l.tell != nil && state.Planned > 0 {
				l.tell(fmt.Sprintf("%d of %d, best so far %s", state.Done, state.Planned, state.Best))
			}
			continue
		}
		l.rest.Write(line)
	}
}
