//go:build js && wasm

// Command wasm is the playground's answers for a page without a server. It runs in a worker: the
// page posts {id, request} or {id, cancel}, and gets {id, part} for each part of an answer and {id,
// ended} when nothing more is computed for it, taken back or not.
package main

import (
	"context"
	"encoding/json"
	"sync"
	"syscall/js"
	"time"

	"github.com/mercer-ml/mercer/internal/play"
)

func main() {
	var player play.Player
	var mu sync.Mutex
	running := map[int]context.CancelFunc{}
	post := func(id int, p play.Part) {
		text, err := json.Marshal(p)
		if err != nil {
			text, _ = json.Marshal(play.Part{Fault: &play.Fault{Message: err.Error()}, Done: true})
		}
		js.Global().Call("postMessage", map[string]any{"id": id, "part": string(text)})
	}
	js.Global().Set("onmessage", js.FuncOf(func(_ js.Value, args []js.Value) any {
		m := args[0].Get("data")
		id := m.Get("id").Int()
		mu.Lock()
		defer mu.Unlock()
		if m.Get("cancel").Truthy() {
			if cancel := running[id]; cancel != nil {
				cancel()
			}
			return nil
		}
		ctx, cancel := context.WithCancel(context.Background())
		running[id] = cancel
		text := m.Get("request").String()
		go func() {
			// A pause hands the thread back to the worker's event loop, which learns of cancelled
			// questions there.
			time.Sleep(time.Microsecond)
			var q play.Request
			if err := json.Unmarshal([]byte(text), &q); err != nil {
				post(id, play.Part{Fault: &play.Fault{Message: err.Error()}, Done: true})
			} else if ctx.Err() == nil {
				_ = player.Handle(ctx, q, func(p play.Part) error { // the error is that of a question taken back
					post(id, p)
					time.Sleep(time.Microsecond)
					return nil
				})
			}
			cancel()
			mu.Lock()
			delete(running, id)
			mu.Unlock()
			js.Global().Call("postMessage", map[string]any{"id": id, "ended": true})
		}()
		return nil
	}))
	js.Global().Call("postMessage", map[string]any{"ready": true})
	select {}
}
