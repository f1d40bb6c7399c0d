package play

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mercer-ml/mercer/data"
)

// Request is one question of a page.
type Request struct {
	Scene  string `json:"scene"`
	Page   string `json:"page"`   // which page asks, for Base to mean something
	Number int    `json:"number"` // of the question, counted by the page from 1
	// Base is the number of an earlier question of the same scene from which only Fields differ; 0
	// means that Fields are all.
	Base   int                        `json:"base,omitempty"`
	Fields map[string]json.RawMessage `json:"fields"`
}

// Part is a piece of an answer. The last one of an answer has Done set, and a Fault where the
// answer failed.
type Part struct {
	Stage string `json:"stage,omitempty"` // what Value is: "fit", "surface", "judged" …
	Value any    `json:"value,omitempty"`
	Fault *Fault `json:"fault,omitempty"`
	Done  bool   `json:"done,omitempty"`
}

// Player answers pages. The zero value is ready; it is safe for concurrent use.
type Player struct {
	// Own is a data set of the person's, offered beside the built-in ones; nil: none.
	Own *data.Dataset

	memory memory
}

// sender passes a part on. Its error is that of the page having gone.
type sender func(stage string, value any) error

// scene answers the questions of one scene.
type scene func(ctx context.Context, p *Player, fields map[string]json.RawMessage, send sender) error

// scenes lists what a page can ask for.
func scenes() map[string]scene {
	return map[string]scene{
		"catalogue":    asked(catalogue),
		"kernel":       asked(readKernel),
		"data":         asked(readData),
		"classify":     asked(classify),
		"regress":      asked(regress),
		"look":         asked(look),
		"components":   asked(components),
		"denoise":      asked(denoise),
		"digit":        asked(digit),
		"correlate":    asked(correlate),
		"latent":       asked(latent),
		"cluster":      asked(group),
		"density":      asked(estimate),
		"two-sample":   asked(twoSample),
		"independence": asked(independence),
		"search":       asked(search),
		"strings":      asked(compareStrings),
		"trees":        asked(compareTrees),
		"graphs":       asked(compareGraphs),
		"bags":         asked(compareBags),
		"series":       asked(compareSeries),
		"rankings":     asked(compareRankings),
		"gallery":      asked(gallery),
	}
}

// Handle answers a question: parts are sent in order, the last has Done set. A fault of the
// question or of the work is a part like others; the error is that of send, or of the context.
func (p *Player) Handle(ctx context.Context, r Request, send func(Part) error) error {
	err := p.answer(ctx, r, func(stage string, value any) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return send(Part{Stage: stage, Value: value})
	})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return send(Part{Fault: faultOf(err), Done: true})
}

func (p *Player) answer(ctx context.Context, r Request, send sender) (err error) {
	answer, ok := scenes()[r.Scene]
	if !ok {
		names := []string{}
		for name := range scenes() {
			names = append(names, name)
		}
		slices.Sort(names)
		return &Fault{Field: "scene", Message: fmt.Sprintf("no scene %q; there are %s", r.Scene, strings.Join(names, ", "))}
	}
	fields, err := p.memory.recall(r)
	if err != nil {
		return err
	}
	return answer(ctx, p, fields, send)
}

// asked is the scene of a function that takes its settings as a struct. Fields that the struct does
// not have are refused: a misspelt setting would otherwise be one that does nothing.
func asked[Q any](f func(ctx context.Context, p *Player, q Q, send sender) error) scene {
	return func(ctx context.Context, p *Player, fields map[string]json.RawMessage, send sender) error {
		whole, err := json.Marshal(fields)
		if err != nil {
			return err
		}
		var q Q
		d := json.NewDecoder(bytes.NewReader(whole))
		d.DisallowUnknownFields()
		if err := d.Decode(&q); err != nil {
			return unreadable(err)
		}
		return f(ctx, p, q, send)
	}
}

// unreadable says which setting is of the wrong type.
func unreadable(err error) error {
	var wrong *json.UnmarshalTypeError
	if errors.As(err, &wrong) {
		return &Fault{Field: wrong.Field, Message: fmt.Sprintf("%s is a %s where a %s is wanted", wrong.Field, wrong.Value,
			wrong.Type)}
	}
	return &Fault{Message: "the question cannot be read: " + err.Error()}
}
