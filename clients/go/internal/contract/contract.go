// Package contract compares the clients with the OpenAPI documents, for their tests.
package contract

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// A Document is an OpenAPI document, and which of its operations were called.
type Document struct {
	Paths      map[string]map[string]Operation
	Components struct{ Schemas map[string]Schema }

	called, notOffered map[string]bool
}

type Operation struct {
	OperationID string
	Responses   map[string]struct {
		Content map[string]struct{ Schema Schema }
	}
}

type Schema struct {
	Ref        string `json:"$ref"`
	Properties map[string]json.RawMessage
	Items      *Schema
}

// Read reads a document: "service" of "PushService", "mock" of "MockConsole".
func Read(t testing.TB, name, target string) *Document {
	t.Helper()
	root := os.Getenv("PUSHPROVIDER_ROOT")
	document := &Document{called: map[string]bool{}, notOffered: map[string]bool{}}
	text, err := os.ReadFile(filepath.Join(root, "Sources/OpenAPI", target, "openapi.json"))
	if err != nil {
		t.Fatalf("PUSHPROVIDER_ROOT must be the folder of the clone: %v", err)
	}
	if err := json.Unmarshal(text, document); err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadFile(filepath.Join(root, "clients/contract/not-offered.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range strings.Split(string(list), "\n") {
		if strings.HasPrefix(line, name+" ") {
			document.notOffered[strings.TrimPrefix(line, name+" ")] = true
		}
	}
	return document
}

// Watch notes the operation of each request of a client.
func (d *Document) Watch(t testing.TB, client *http.Client) {
	client.Transport = &watcher{d, t, client.Transport}
}

type watcher struct {
	document *Document
	t        testing.TB
	next     http.RoundTripper
}

func (w *watcher) RoundTrip(request *http.Request) (*http.Response, error) {
	chosen := ""
	for template, verbs := range w.document.Paths {
		operation, ok := verbs[strings.ToLower(request.Method)]
		pattern := "^" + regexp.MustCompile(`{\w+}`).ReplaceAllString(template, "[^/]+") + "$"
		if ok && regexp.MustCompile(pattern).MatchString(request.URL.Path) && (chosen == "" || template == request.URL.Path) {
			chosen = operation.OperationID
		}
	}
	if chosen == "" && !strings.HasPrefix(request.URL.Path, "/v1/namespaces/") {
		w.t.Errorf("%s %s isn't in the document", request.Method, request.URL.Path)
	}
	w.document.called[chosen] = true
	return w.next.RoundTrip(request)
}

// AssertComplete fails the test if an operation was not called.
func (d *Document) AssertComplete(t testing.TB) {
	t.Helper()
	for _, verbs := range d.Paths {
		for _, operation := range verbs {
			if name := operation.OperationID; !d.called[name] && !d.notOffered[name] {
				t.Errorf("%s is neither offered nor in clients/contract/not-offered.txt", name)
			}
		}
	}
}

// Compare fails the test if a type lacks a member of a schema, or of those below it.
func (d *Document) Compare(t testing.TB, kind reflect.Type, schema Schema) {
	t.Helper()
	for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
		kind = kind.Elem()
	}
	for schema.Ref != "" || schema.Items != nil {
		if schema.Items != nil {
			schema = *schema.Items
		} else {
			schema = d.Components.Schemas[schema.Ref[strings.LastIndex(schema.Ref, "/")+1:]]
		}
	}
	if kind.Kind() != reflect.Struct {
		return
	}
	fields := map[string]reflect.Type{}
	for _, field := range reflect.VisibleFields(kind) {
		fields[strings.Split(field.Tag.Get("json"), ",")[0]] = field.Type
	}
	for name, raw := range schema.Properties {
		member, ok := fields[name]
		if !ok {
			t.Errorf("%s lacks %s", kind, name)
			continue
		}
		var below Schema
		_ = json.Unmarshal(raw, &below)
		d.Compare(t, member, below)
	}
}

// CompareNamed compares types with the schemas of these names.
func (d *Document) CompareNamed(t testing.TB, kinds map[string]any) {
	t.Helper()
	for name, value := range kinds {
		schema, ok := d.Components.Schemas[name]
		if !ok {
			t.Errorf("The document has no schema %s", name)
		}
		d.Compare(t, reflect.TypeOf(value), schema)
	}
}

// CompareAnswer compares a type with the answer of an operation.
func (d *Document) CompareAnswer(t testing.TB, name string, value any) {
	t.Helper()
	for _, verbs := range d.Paths {
		for _, operation := range verbs {
			if operation.OperationID == name {
				d.Compare(t, reflect.TypeOf(value), operation.Responses["200"].Content["application/json"].Schema)
				return
			}
		}
	}
	t.Errorf("The document has no operation %s", name)
}
