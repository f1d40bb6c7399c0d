package cli

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/data/load"
	"github.com/mercer-ml/mercer/internal/files"
	"github.com/mercer-ml/mercer/internal/format/csvio"
	"github.com/mercer-ml/mercer/internal/host"
	"github.com/mercer-ml/mercer/serve"
)

// predictByServer sends the file to a server as it is, which reads it as this program would, and
// writes what it answers.
func (a *App) predictByServer(ctx context.Context, o *predictOptions) error {
	at, err := o.serverURL()
	if err != nil {
		return err
	}
	body, err := a.rawData(o.Data)
	if err != nil {
		return err
	}
	defer body.Close()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, at, body)
	if err != nil {
		return usage("--server: %w", err)
	}
	request.Header.Set("Content-Type", "application/octet-stream")
	request.Header.Set("TE", "trailers")
	if o.TokenFile != "" {
		tokens, err := host.Tokens(o.TokenFile, nil)
		if err != nil {
			return usage("--token-file: %w", err)
		}
		request.Header.Set("Authorization", "Bearer "+tokens()[0])
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("the server does not answer: %w", err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return refusedByServer(answer)
	}
	if o.Output == "" {
		err = copyAnswer(a.Out, answer)
	} else {
		err = files.WriteUntil(ctx, o.Output, func(w io.Writer) error { return copyAnswer(w, answer) })
	}
	if err == nil && !o.Quiet {
		remarks := serve.RemarksOf(answer.Trailer)
		for _, note := range remarks.Notes {
			fmt.Fprintf(a.Err, "%s: %s\n", o.Data, note)
		}
		tellPolicies(a.Err, o.Data, &remarks.Doubtful)
	}
	return err
}

// copyAnswer takes the answer over, and looks whether it came to its end.
func copyAnswer(w io.Writer, answer *http.Response) error {
	if _, err := io.Copy(w, answer.Body); err != nil {
		return fmt.Errorf("the answer of the server ended early: %w", err)
	}
	if text := answer.Trailer.Get("Mercer-Error"); text != "" {
		if plain, err := strconv.Unquote(text); err == nil {
			text = plain
		}
		return &UsageError{fmt.Errorf("%s", text)}
	}
	return nil
}

// refusedByServer is what a server said instead of an answer: the fault of the request, or its own.
func refusedByServer(answer *http.Response) error {
	var said struct{ Error string }
	text, _ := io.ReadAll(io.LimitReader(answer.Body, 1<<16))
	if json.Unmarshal(text, &said) != nil || said.Error == "" {
		said.Error = fmt.Sprintf("the server answers with %s", answer.Status)
	}
	err := fmt.Errorf("%s", said.Error)
	if answer.StatusCode >= 500 || answer.StatusCode == http.StatusTooManyRequests {
		return err
	}
	return &UsageError{err}
}

// serverURL is where the predictions of the model are, with the options that say what is wanted and
// how the file is written.
func (o *predictOptions) serverURL() (string, error) {
	u, err := url.Parse(o.Server)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return "", usage("--server: %q is no address; write http://HOST:PORT", o.Server)
	}
	name, version, versioned := strings.Cut(o.Model, "/")
	u = u.JoinPath("predict", name)
	if versioned {
		u = u.JoinPath("versions", version)
	}
	q := url.Values{}
	for name, set := range map[string]bool{"proba": o.Proba, "std": o.Std, "decision": o.Decision,
		"contributions": o.Contributions, "keep": o.Keep, "remarks": o.Remarks} {
		if set {
			q.Set(name, "1")
		}
	}
	if o.Interval != 0 {
		q.Set("interval", strconv.FormatFloat(o.Interval, 'g', -1, 64))
	}
	if o.Of != "observation" {
		q.Set("of", o.Of)
	}
	format := o.Input.Format
	if format == "" && o.Data != "-" { // the name of the file does not travel
		if f := load.Detect(o.Data, nil); f != "csv" || strings.Contains(o.Data, ".csv") {
			format = string(f)
		}
	}
	for name, value := range map[string]string{
		"missing": o.Policy.Missing, "unseen": o.Policy.Unseen, "format": format, "delimiter": o.Input.Delimiter,
		"decimal":  o.Input.Decimal,
		"encoding": o.Input.Encoding, "sheet": o.Input.Sheet, "header": o.Input.Header,
	} {
		if value != "" && value != "auto" {
			q.Set(name, value)
		}
	}
	for name, values := range map[string][]string{"na": o.Input.NA, "type": o.Input.Types, "ignore": o.Input.Ignore} {
		for _, v := range values {
			q.Add(name, v)
		}
	}
	u.RawQuery = q.Encode()
	return u.String(), nil
}

// rawData is the bytes of a file, of standard input, or of a built-in set as CSV.
func (a *App) rawData(path string) (io.ReadCloser, error) {
	if path == "-" {
		return io.NopCloser(a.In), nil
	}
	f, err := os.Open(path)
	if err == nil {
		if isDirectory(path) {
			f.Close()
			return nil, usage("%s: a folder; a server takes files", path)
		}
		return f, nil
	}
	set, failed := data.Builtin(path, 0)
	if failed != nil {
		return nil, inputError(cmp.Or(err, failed))
	}
	r, w := io.Pipe()
	go func() {
		buffered := bufio.NewWriter(w)
		out := csvio.NewWriter(buffered, ',')
		w.CloseWithError(cmp.Or(out.Write(set), out.Flush(), buffered.Flush()))
	}()
	return r, nil
}
