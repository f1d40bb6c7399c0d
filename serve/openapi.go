package serve

import (
	"fmt"
	"maps"
	"net/http"
	"slices"

	"github.com/mercer-ml/mercer/data"
)

// object is a JSON object of the description.
type object = map[string]any

// openAPI describes the server for programs: the protocol's paths, and for each model the rows that
// it takes.
func (s *Server) openAPI(w http.ResponseWriter, r *http.Request) error {
	paths := object{
		"/v2":                                        get("Server metadata", ref("ServerMetadata")),
		"/v2/health/live":                            get("Whether the server is alive", ref("Live")),
		"/v2/health/ready":                           get("Whether the server is ready", ref("Ready")),
		"/v2/models/{name}":                          named(get("Model metadata", ref("ModelMetadata"))),
		"/v2/models/{name}/ready":                    named(get("Whether a model is ready", ref("ModelReady"))),
		"/v2/models/{name}/infer":                    named(infer()),
		"/v2/models/{name}/versions/{version}":       versioned(get("Metadata of a version", ref("ModelMetadata"))),
		"/v2/models/{name}/versions/{version}/ready": versioned(get("Whether a version is ready", ref("ModelReady"))),
		"/v2/models/{name}/versions/{version}/infer": versioned(infer()),
		"/v2/repository/index": object{"post": operation("The models of the repository", nil,
			array(ref("RepositoryEntry")))},
		"/v2/repository/models/{name}/load": named(object{"post": operation("Load a model", nil,
			object{"type": "object"})}),
		"/v2/repository/models/{name}/unload": named(object{"post": operation("Unload a model", nil,
			object{"type": "object"})}),
		"/metrics": object{"get": object{"summary": "Metrics for Prometheus",
			"responses": object{"200": object{"description": "metrics", "content": object{"text/plain": object{}}}}}},
	}
	schemas := protocolSchemas()
	c := *s.models.Load()
	for _, name := range slices.Sorted(maps.Keys(c)) {
		v := c[name].versions[c[name].latest]
		if v == nil {
			continue
		}
		row, answer := v.rowSchema(), v.answerSchema()
		schemas["row."+name], schemas["prediction."+name] = row, answer
		paths["/predict/"+name] = predictPath(name)
	}
	return writeJSON(w, http.StatusOK, object{
		"openapi": "3.0.3",
		"info": object{"title": "mercer", "version": orUnknown(s.options.Version),
			"description": "Predictions of kernel models: the Open Inference Protocol, version 2, and tables as files hold them."},
		"paths": paths,
		"components": object{"schemas": schemas,
			"securitySchemes": object{"bearer": object{"type": "http", "scheme": "bearer"}}},
	})
}

func orUnknown(version string) string {
	if version == "" {
		return "unknown"
	}
	return version
}

func ref(name string) object       { return object{"$ref": "#/components/schemas/" + name} }
func array(of object) object       { return object{"type": "array", "items": of} }
func content(schema object) object { return object{"application/json": object{"schema": schema}} }
func get(what string, answer object) object {
	return object{"get": operation(what, nil, answer)}
}

// operation is a request with its answers.
func operation(what string, body, answer object) object {
	out := object{"summary": what, "responses": object{
		"200":     object{"description": "the answer", "content": content(answer)},
		"default": object{"description": "what is wrong", "content": content(ref("Error"))},
	}}
	if body != nil {
		out["requestBody"] = object{"required": true, "content": content(body)}
	}
	return out
}

func infer() object {
	return object{"post": operation("Predictions of tensors", ref("InferenceRequest"), ref("InferenceResponse"))}
}

func pathParameter(name string) object {
	return object{"name": name, "in": "path", "required": true, "schema": object{"type": "string"}}
}

func named(path object) object {
	path["parameters"] = []object{pathParameter("name")}
	return path
}

func versioned(path object) object {
	path["parameters"] = []object{pathParameter("name"), pathParameter("version")}
	return path
}

// predictPath is the path for tables of one model.
func predictPath(name string) object {
	query := func(name, what string, schema object) object {
		return object{"name": name, "in": "query", "description": what, "schema": schema}
	}
	truth, text := object{"type": "boolean"}, object{"type": "string"}
	row, answer := ref("row."+name), ref("prediction."+name)
	either := func(one object) object { return object{"oneOf": []object{one, array(one)}} }
	return object{"post": object{
		"summary": "Predictions of the rows of a table, answered in kind",
		"parameters": []object{
			query("proba", "the probability of each class", truth), query("std", "standard deviations", truth),
			query("decision", "decision values", truth), query("contributions",
				"what each column adds to the decision value, or to the value of a regression", truth),
			query("interval", "the share of observations that low and high hold", object{"type": "number"}),
			query("of", "observation, mean or, of several targets, all of them together", text),
			query("keep", "the columns of the request, too", truth),
			query("remarks", "CSV: a column with what is doubtful about each row", truth),
			query("missing", "error, drop or mean", text),
			query("unseen", "zero or error", text),
			query("forecast", "models of a series: so many steps after it, without a body",
				object{"type": "integer", "minimum": 1}),
		},
		"requestBody": object{"required": true, "content": object{
			"application/json": object{"schema": either(row)}, "application/jsonl": object{"schema": row},
			"text/csv": object{"schema": text},
		}},
		"responses": object{
			"200": object{"description": "the predictions",
				"content": object{"application/json": object{"schema": either(answer)},
					"application/jsonl": object{"schema": answer}, "text/csv": object{"schema": text}}},
			"default": object{"description": "what is wrong", "content": content(ref("Error"))},
		},
	}}
}

// rowSchema is a row that the model takes.
func (v *served) rowSchema() object {
	members := object{}
	for i, c := range v.schema.columns {
		if i == 1000 {
			break // of features without names of their own
		}
		d := c.describe()
		m := object{"nullable": true}
		if d.Wants != "" {
			m["description"] = d.Wants
		}
		switch {
		case c.kind == data.Numeric:
			m["type"] = "number"
		case c.kind == data.Sequence:
			m["oneOf"] = []object{{"type": "array", "items": object{}}, {"type": "string"}}
		default:
			m["type"] = "string"
		}
		members[c.name] = m
	}
	return object{"type": "object", "properties": members, "required": v.schema.names()[:min(len(v.schema.columns), 1000)]}
}

// answerSchema is a row that it gives.
func (v *served) answerSchema() object {
	number := object{"type": "number"}
	if v.transforms() {
		members := object{}
		for _, t := range v.schema.outputs {
			members[t.name] = object{"type": "number", "nullable": true}
		}
		return object{"type": "object", "properties": members, "required": namesOf(v.schema.outputs)}
	}
	prediction := object{"type": "number", "nullable": true}
	if classes := v.model.Classes(); len(classes) > 0 {
		prediction = object{"type": "string", "nullable": true, "enum": classes}
	}
	members := object{outPrediction: prediction}
	if v.model.HasProba() {
		for _, c := range v.model.Classes() {
			members[fmt.Sprintf("p(%s)", c)] = number
		}
	}
	return object{"type": "object", "properties": members, "required": []string{outPrediction}}
}

// protocolSchemas are the protocol's own objects.
func protocolSchemas() object {
	text, truth, whole := object{"type": "string"}, object{"type": "boolean"}, object{"type": "integer", "format": "int64"}
	members := func(required []string, p object) object {
		return object{"type": "object", "properties": p, "required": required}
	}
	params := object{"type": "object", "additionalProperties": object{"oneOf": []object{text, {"type": "number"}, truth}}}
	shape, values := array(whole), object{"type": "array", "items": object{}}
	tensor := object{"name": text, "datatype": text, "shape": shape, "parameters": params, "data": values}
	described := members([]string{"name", "datatype", "shape"}, object{"name": text, "datatype": text, "shape": shape})
	return object{
		"Error":      members([]string{"error"}, object{"error": text}),
		"Live":       members([]string{"live"}, object{"live": truth}),
		"Ready":      members([]string{"ready"}, object{"ready": truth}),
		"ModelReady": members([]string{"name", "ready"}, object{"name": text, "ready": truth, "error": text}),
		"ServerMetadata": members([]string{"name", "version", "extensions"},
			object{"name": text, "version": text, "extensions": array(text)}),
		"TensorMetadata": described,
		"ModelMetadata": members([]string{"name", "platform", "inputs", "outputs"},
			object{"name": text, "versions": array(text), "platform": text, "inputs": array(ref("TensorMetadata")),
				"outputs": array(ref("TensorMetadata")), "properties": object{"type": "object", "additionalProperties": text}}),
		"RequestInput":   members([]string{"name", "datatype", "shape"}, tensor),
		"RequestOutput":  members([]string{"name"}, object{"name": text, "parameters": params}),
		"ResponseOutput": members([]string{"name", "datatype", "shape"}, tensor),
		"RepositoryEntry": members([]string{"name", "state"},
			object{"name": text, "version": text, "state": text, "reason": text}),
		"InferenceRequest": members([]string{"inputs"}, object{"id": text, "parameters": params,
			"inputs": array(ref("RequestInput")), "outputs": array(ref("RequestOutput"))}),
		"InferenceResponse": members([]string{"model_name", "outputs"},
			object{"model_name": text, "model_version": text, "id": text, "parameters": params,
				"outputs": array(ref("ResponseOutput"))}),
	}
}
