package plot

import "strings"

// units are endings of names of columns that say in what they are measured.
var units = map[string]string{
	"mm": "mm", "cm": "cm", "m": "m", "km": "km", "um": "µm", "nm": "nm", "inch": "in", "ft": "ft", "miles": "miles",
	"mg": "mg", "g": "g", "kg": "kg", "lb": "lb", "lbs": "lb", "ms": "ms", "sec": "s", "seconds": "s", "min": "min",
	"minutes": "min",
	"hours":   "h", "days": "days", "years": "years", "hz": "Hz", "khz": "kHz", "mhz": "MHz", "db": "dB", "v": "V",
	"mv": "mV", "kw": "kW", "kwh": "kWh", "mw": "MW",
	"pct": "%", "percent": "%", "usd": "USD", "eur": "EUR", "kpa": "kPa", "mpa": "MPa", "hpa": "hPa", "mbar": "mbar",
	"ppm": "ppm", "mph": "mph", "kmh": "km/h", "deg": "°", "celsius": "°C",
}

// AxisName is the name of a column as a reader has it: words apart, the unit in parentheses
// (sepal_length_cm, sepal length [cm] and sepal_length_(cm) are all "sepal length (cm)").
func AxisName(column string) string {
	name := column
	if strings.ContainsAny(name, "_") && !strings.ContainsAny(name, " ") {
		if name = strings.Trim(strings.ReplaceAll(name, "_", " "), " "); name == "" {
			return column
		}
	}
	if open := strings.LastIndexByte(name, '['); open > 0 && strings.HasSuffix(name, "]") {
		return strings.TrimRight(name[:open], " ") + " (" + name[open+1:len(name)-1] + ")"
	}
	if at := strings.LastIndexByte(name, ' '); at > 0 && name != column {
		if unit, ok := units[strings.ToLower(name[at+1:])]; ok {
			return name[:at] + " (" + unit + ")"
		}
	}
	return name
}

// UnitOf is the unit in the name of a column, empty where it has none.
func UnitOf(column string) string {
	name := AxisName(column)
	if open := strings.LastIndexByte(name, '('); open > 0 && strings.HasSuffix(name, ")") {
		return name[open+1 : len(name)-1]
	}
	return ""
}
