package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"runtime"
	"time"

	"github.com/mercer-ml/mercer/data"
	"github.com/mercer-ml/mercer/internal/play"
	"github.com/mercer-ml/mercer/internal/play/web"
	"github.com/spf13/cobra"
)

// playPort is where the playground listens unless it is told otherwise: the same at every start, so
// that links and bookmarks of its scenes keep their meaning. Where it is taken, the ports after it
// are tried, playPorts in all, and then any that is free.
const (
	playPort  = 8642
	playPorts = 10
)

type playOptions struct {
	Data      string
	Port      int
	Fixed     bool // the port was asked for
	NoBrowser bool
	Input     inputOptions
}

func newPlay(a *App) *cobra.Command {
	o := &playOptions{}
	cmd := &cobra.Command{
		Use:   "play [DATA]",
		Short: "See what kernels do, on a page in the browser",
		Long: `Open the playground: a page in the browser, served by this program to this
machine alone, on which points are drawn and kernels, learners, tests and
projections answer while a slider moves. DATA is offered there beside the
built-in sets. Nothing is read from the network and nothing is sent there.

The link works once, in one browser; press Enter here for a new one. Ctrl-C
ends the playground. It listens on port 8642 at every start, so that links to
its scenes keep: open the printed link once, and they work again. Where that
port is taken it says so, and takes the next that is free.

To share scenes with others, publish the static playground: one folder for any
web host, written by docs/playground/build.`,
		Example: "  mercer play\n  mercer play measurements.csv\n  mercer play --no-browser --port 8080",
		Args:    dataArgs(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				o.Data = args[0]
			}
			o.Fixed = cmd.Flags().Changed("port")
			return a.play(cmd.Context(), o)
		},
	}
	f := cmd.Flags()
	f.IntVar(&o.Port, "port", playPort, "port to listen on; 0: any that is free")
	f.BoolVar(&o.NoBrowser, "no-browser", false, "print the link and open nothing")
	o.Input.flags(f)
	return cmd
}

func (a *App) play(ctx context.Context, o *playOptions) error {
	own, err := a.ownData(ctx, o)
	if err != nil {
		return err
	}
	if o.Port < 0 || o.Port > 65535 {
		return usage("--port: %d is no port; give 0 to 65535", o.Port)
	}
	l, err := a.listenToPlay(ctx, o)
	if err != nil {
		return err
	}
	page, err := web.New(&play.Player{Own: own}, l.Addr())
	if err != nil {
		return errors.Join(err, l.Close())
	}
	link := func() string { return fmt.Sprintf("http://%s/?token=%s", l.Addr(), page.NewToken()) }
	first := link()
	if _, err := fmt.Fprintln(a.Out, first); err != nil {
		return errors.Join(err, l.Close())
	}
	if !o.NoBrowser {
		if err := openBrowser(first); err != nil {
			fmt.Fprintln(a.Err, "no browser could be opened; open the link above")
		}
	}
	fmt.Fprintln(a.Err, "Enter: a new link. Ctrl-C: the end.")
	go func() {
		for lines := bufio.NewScanner(a.In); lines.Scan() && ctx.Err() == nil; {
			fmt.Fprintln(a.Out, link())
		}
	}()
	return servePage(ctx, l, page)
}

// listenToPlay listens on the port that was asked for, or on the first of the usual ones that is
// free.
func (a *App) listenToPlay(ctx context.Context, o *playOptions) (net.Listener, error) {
	var c net.ListenConfig
	listen := func(port int) (net.Listener, error) { return c.Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", port)) }
	l, err := listen(o.Port)
	if o.Fixed && err != nil {
		return nil, fmt.Errorf("--port: %w; give another, or 0 for any that is free", err)
	}
	for i := 1; err != nil && i < playPorts; i++ {
		l, err = listen(o.Port + i)
	}
	if err != nil {
		if l, err = listen(0); err != nil {
			return nil, fmt.Errorf("no port to listen on: %w", err)
		}
	}
	if !o.Fixed && l.Addr().(*net.TCPAddr).Port != o.Port {
		fmt.Fprintf(a.Err,
			"port %d is taken (by another playground?): this one is at %s, and links to scenes at %d do not lead here\n", o.Port,
			l.Addr(), o.Port)
	}
	return l, nil
}

// ownData is the file that was given, nil without one.
func (a *App) ownData(ctx context.Context, o *playOptions) (*data.Dataset, error) {
	if o.Data == "" {
		return nil, nil
	}
	in, err := o.Input.options(a)
	if err != nil {
		return nil, err
	}
	in.NoTarget = true
	return a.read(ctx, o.Data, in)
}

// servePage serves until the context ends, which is how a person ends it.
func servePage(ctx context.Context, l net.Listener, page http.Handler) error {
	s := &http.Server{Handler: page, ReadHeaderTimeout: 10 * time.Second,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	context.AfterFunc(ctx, func() { s.Close() })
	if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// openBrowser asks the system for the person's browser.
func openBrowser(link string) error {
	name, args := "xdg-open", []string{link}
	switch runtime.GOOS {
	case "darwin":
		name = "open"
	case "windows":
		name, args = "rundll32", []string{"url.dll,FileProtocolHandler", link}
	}
	c := exec.Command(name, args...)
	if err := c.Start(); err != nil {
		return err
	}
	go c.Wait() // for the system to forget it; what a browser says at its end is its own
	return nil
}
