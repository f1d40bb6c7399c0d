package serve

import (
	"context"
	"runtime"
	"sync"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/model"
)

// maxBatch is the most rows that are computed together for several requests: some tiles of the
// kernel, and no more than what a request that has just missed a batch should wait for.
const maxBatch = 256

// batcher joins requests to one model. Nothing waits for company that is not there: a request that
// finds a free slot lets those that are ready to run come in (on a machine with as many cores as
// slots they could not while it computes), and is then computed with all that wait. Who comes when
// no slot is free is computed, with all others that came meanwhile, as soon as one is. So batches
// grow with the load, and the wait is bounded by one batch. A row has the same bits whatever it is
// computed with.
type batcher struct {
	predict func(ctx context.Context, x *data.Encoded, w model.Want) (*model.Prediction, error)
	seen    func(rows int) // told the rows of each computation

	mu      sync.Mutex
	free    int // slots
	waiting []*waiter
}

// waiter is a request in the queue.
type waiter struct {
	ctx    context.Context
	x      *data.Encoded
	want   model.Want
	done   chan struct{}
	answer *model.Prediction
	err    error
}

// do is predict, perhaps with others.
func (b *batcher) do(ctx context.Context, x *data.Encoded, w model.Want) (*model.Prediction, error) {
	if x.Len() > maxBatch { // it fills tiles by itself, and nobody waits for it
		b.seen(x.Len())
		return b.predict(ctx, x, w)
	}
	q := &waiter{ctx: ctx, x: x, want: w, done: make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, q)
	lead := b.free > 0
	if lead {
		b.free--
	}
	b.mu.Unlock()
	if lead {
		runtime.Gosched()
		b.lead()
	}
	select {
	case <-q.done:
		return q.answer, q.err
	case <-ctx.Done():
		return nil, context.Cause(ctx) // whoever takes it from the queue sees the same
	}
}

// lead computes a batch of those who wait in a slot that was taken, and gives the slot to the next
// of them, or back. These get a goroutine of their own: this one may have an answer to write.
func (b *batcher) lead() {
	for batch, own := b.next(), true; batch != nil; batch = b.next() {
		if !own {
			go func() {
				b.run(batch)
				b.lead()
			}()
			return
		}
		b.run(batch)
		own = false
	}
}

// next takes a batch, or gives the slot back where nobody waits.
func (b *batcher) next() []*waiter {
	b.mu.Lock()
	defer b.mu.Unlock()
	batch := b.take()
	if batch == nil {
		b.free++
	}
	return batch
}

// take is the first who waits and all that can be computed with it; nil where nobody waits. mu is
// held.
func (b *batcher) take() (batch []*waiter) {
	rows := 0
	left := b.waiting[:0]
	for _, q := range b.waiting {
		switch {
		case q.ctx.Err() != nil: // it has gone
		case batch == nil, rows+q.x.Len() <= maxBatch && fits(batch[0], q):
			rows += q.x.Len()
			batch = append(batch, q)
		default:
			left = append(left, q)
		}
	}
	clear(b.waiting[len(left):])
	b.waiting = left
	return batch
}

// run computes a batch. Where that fails each is computed alone: the fault of one is not that of
// the others.
func (b *batcher) run(batch []*waiter) {
	defer func() {
		for _, q := range batch {
			close(q.done)
		}
	}()
	if len(batch) > 1 {
		x := join(batch)
		b.seen(x.Len())
		// Nobody of them may end it for the others.
		if p, err := b.predict(context.WithoutCancel(batch[0].ctx), x, batch[0].want); err == nil {
			share(batch, p)
			return
		}
	}
	for _, q := range batch {
		b.seen(q.x.Len())
		q.answer, q.err = b.predict(q.ctx, q.x, q.want)
	}
}
