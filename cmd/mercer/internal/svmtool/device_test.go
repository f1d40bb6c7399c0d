package svmtool

import (
	"strings"
	"testing"
)

// -D names a device, and refuses what no device does.
func TestDeviceOption(t *testing.T) {
	for _, c := range []struct {
		args, fault string
	}{
		{"-D cpu x", ""}, {"-D gpu x", ""}, {"-D auto x", ""}, {"-d 2 x", ""},
		{"-D 1 x", "auto, cpu or gpu"}, {"-D gpu -i 1 x", "-D gpu with -i 1"}, {"-D gpu -t 4 x", "precomputed"}, {"-D", ""},
	} {
		p, err := parseTrain(strings.Fields(c.args))
		switch {
		case c.args == "-D":
			if err == nil {
				t.Error("-D without a value passes")
			}
		case c.fault == "" && err != nil:
			t.Errorf("%s: %v", c.args, err)
		case c.fault != "" && (err == nil || !strings.Contains(err.Error(), c.fault)):
			t.Errorf("%s: %v, want %q", c.args, err, c.fault)
		case err == nil && strings.HasPrefix(c.args, "-D") && p.Device != strings.Fields(c.args)[1]:
			t.Errorf("%s: device %q", c.args, p.Device)
		}
	}
}
