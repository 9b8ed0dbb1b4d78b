// Package mocktest is a client of the mock of APNs, pushsend mock, for tests.
package mocktest

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"pushprovider.example/go"
)

// TB is the part of testing.TB that a mock needs.
type TB interface {
	Helper()
	Fatalf(format string, values ...any)
	Cleanup(func())
	Setenv(name, value string)
}

// A Mock is a mock for a test. What fails, fails the test.
type Mock struct {
	URL         string
	Environment map[string]string // APNS_URL, APNS_CA and the other variables of pushsend mock exec, for the program under test

	tb     TB
	client *pushprovider.Client
	prefix string
}

// Start starts a mock, which ends with the test and with this process. Without options, it takes that of MOCK_URL if there is one, and resets
// it. The options are those of pushsend mock exec. The program is PUSHSEND_BINARY, or pushsend in the PATH.
//
// APNS_URL, APNS_CA and the others are set for the test.
func Start(tb TB, options ...string) *Mock {
	tb.Helper()
	environment := map[string]string{}
	for _, name := range variables {
		if value := os.Getenv(name); value != "" { // go test notices Getenv, so it runs the tests again for another mock.
			environment[name] = value
		}
	}
	if environment["MOCK_URL"] == "" || len(options) > 0 {
		environment = start(tb, options)
		for name, value := range environment {
			tb.Setenv(name, value)
		}
	}
	mock := At(tb, environment["MOCK_URL"])
	mock.Environment = environment
	mock.Reset()
	return mock
}

// At is the mock at an address.
func At(tb TB, address string) *Mock {
	client := pushprovider.New(address, os.Getenv("PUSHSEND_MOCK_TOKEN"))
	client.Timeout, client.Retries = 10*time.Second, 2
	client.HTTP.Transport.(*http.Transport).Proxy = nil
	tb.Cleanup(client.HTTP.CloseIdleConnections)
	return &Mock{URL: address, tb: tb, client: client, prefix: "/v1"}
}

// What pushsend mock exec sets: docs/mock.md#environment-variables.
var variables = []string{
	"APNS_URL", "APNS_HOST", "APNS_PORT", "APNS_CA", "APNS_KEY_FILE", "APNS_KEY_ID", "APNS_TEAM_ID", "APNS_TOPIC", "MOCK_URL",
	"PUSHSEND_STATE", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE",
}

// The mock ends with its command, and cat ends when its input is closed: also if this process is killed.
var script = `printf '%s\n' "$` + strings.Join(variables, `" "$`) + `"; exec cat`

// startLimit is how long a mock may take to start.
var startLimit = 30 * time.Second

func start(tb TB, options []string) map[string]string {
	tb.Helper()
	program := os.Getenv("PUSHSEND_BINARY")
	if program == "" {
		program = "pushsend"
	}
	command := exec.Command(program, append(append([]string{"mock", "exec"}, options...), "--", "sh", "-c", script)...)
	command.Stderr = os.Stderr
	command.Env = append(os.Environ(), "MOCK_URL=")
	input, err := command.StdinPipe()
	if err != nil {
		tb.Fatalf("%v", err)
	}
	output, err := command.StdoutPipe()
	if err != nil {
		tb.Fatalf("%v", err)
	}
	if err := command.Start(); err != nil {
		tb.Fatalf("There is no %s. Install pushsend, or set PUSHSEND_BINARY or MOCK_URL. (%v)", program, err)
	}
	tb.Cleanup(func() {
		input.Close()
		_ = command.Wait()
	})
	environment := map[string]string{}
	limit := time.AfterFunc(startLimit, func() {
		_ = command.Process.Kill()
		output.Close()
	})
	lines := bufio.NewScanner(output)
	for len(environment) < len(variables) && lines.Scan() {
		environment[variables[len(environment)]] = lines.Text()
	}
	if !limit.Stop() || len(environment) < len(variables) {
		tb.Fatalf("The mock didn't start. Its message is on standard error.")
	}
	go io.Copy(io.Discard, output)
	return environment
}

// --- Pushes: a search is described in docs/mock-api.md, for example `title:Hello topic:com.example.*`

// Expected is how many pushes a search must match: at least one if nothing is given. AssertNothingPushed takes Within and After.
type Expected struct {
	Within           time.Duration // for Wait, 5 s if nothing is given
	AtLeast, Exactly int
	After            int // only pushes with a higher number count
}

// Wait waits for pushes that match, and returns them. It fails the test with the nearest pushes if they do not come.
func (m *Mock) Wait(search string, expected ...Expected) []Push {
	m.tb.Helper()
	e := first(expected)
	if e.Within == 0 {
		e.Within = 5 * time.Second
	}
	return m.expect("wait", e, map[string]any{"query": search})
}

// WaitInOrder waits until each search matches a later push than the one before.
func (m *Mock) WaitInOrder(within time.Duration, searches ...string) []Push {
	m.tb.Helper()
	return m.expect("wait", Expected{Within: within}, map[string]any{"in_order": searches})
}

// AssertPushed is the same as Wait for pushes that have arrived already.
func (m *Mock) AssertPushed(search string, expected ...Expected) []Push {
	m.tb.Helper()
	return m.expect("assert", first(expected), map[string]any{"query": search})
}

// AssertNothingPushed fails the test if a matching push arrived, or arrives within a time.
func (m *Mock) AssertNothingPushed(search string, expected ...Expected) {
	m.tb.Helper()
	e, verb := first(expected), "wait"
	if e.Within == 0 {
		verb = "assert"
	}
	m.expect(verb, Expected{Within: e.Within, After: e.After}, map[string]any{"query": search, "none": true})
}

// AssertNoViolations fails the test if a client broke a rule of APNs, also one that APNs does not enforce. Rules that are only a guess don't
// count.
func (m *Mock) AssertNoViolations() {
	m.tb.Helper()
	lines := []string{}
	for _, each := range m.Violations() {
		if each.Confidence != "?" {
			lines = append(lines, fmt.Sprintf("  %s (push %d): %s %s", each.ID, each.Push, each.Fact, each.Detail))
		}
	}
	if len(lines) > 0 {
		m.tb.Fatalf("Clients broke rules of APNs (%d):\n%s", len(lines), strings.Join(lines[:min(5, len(lines))], "\n"))
	}
}

// answer is that of an expectation that is met or not.
type answer struct {
	Matches
	Code       string
	NearMisses []struct {
		Push        Push
		Differences []struct{ Expected, Found string }
	} `json:"near_misses"`
}

func (m *Mock) expect(verb string, e Expected, body map[string]any) []Push {
	m.tb.Helper()
	for name, value := range map[string]int{"at_least": e.AtLeast, "exactly": e.Exactly, "after": e.After} {
		if value != 0 {
			body[name] = value
		}
	}
	if e.Within != 0 {
		body["within"] = fmt.Sprintf("%dms", e.Within.Milliseconds())
	}
	var text []byte
	m.do(pushprovider.Request{
		Method: http.MethodPost, Path: "/pushes/" + verb, Body: body, Repeatable: true, Longer: e.Within + 5*time.Second,
		Accepts: func(answer *http.Response) bool { return answer.StatusCode == http.StatusConflict },
	}, &text)
	var got answer
	if err := json.Unmarshal(text, &got); err != nil {
		m.tb.Fatalf("%v", err)
	}
	if !got.Holds {
		m.tb.Fatalf("%s", got.description())
	}
	return got.Matches.Matches
}

func (a answer) description() string {
	lines := []string{a.Detail}
	for _, push := range a.Matches.Matches[:min(5, len(a.Matches.Matches))] {
		lines = append(lines, "  it matched: "+push.String())
	}
	for _, miss := range a.NearMisses {
		lines = append(lines, "  near: "+miss.Push.String())
		for _, each := range miss.Differences {
			found := each.Found
			if found == "" {
				found = "nothing"
			}
			lines = append(lines, fmt.Sprintf("      expected %s, found %s", each.Expected, found))
		}
	}
	return strings.Join(lines, "\n")
}

// String shortens the device token.
func (p Push) String() string {
	what, payload := p.Reason, p.Payload
	if what == "" {
		what = p.PushType
	}
	if len(payload) > 200 {
		payload = payload[:200]
	}
	return fmt.Sprintf("%d  %d  %s  %s  %s  %s", p.Number, p.Status, what, p.Topic, p.Token, payload)
}

// Pushes are the requests in the log that match.
func (m *Mock) Pushes(search string) []Push {
	m.tb.Helper()
	return all[Push](m, "/pushes", url.Values{"q": {search}})
}

func (m *Mock) Push(number int) Push {
	m.tb.Helper()
	return get[Push](m, fmt.Sprintf("/pushes/%d", number), nil)
}
func (m *Mock) Latest(search string) Push {
	m.tb.Helper()
	return get[Push](m, "/pushes/latest", url.Values{"q": {search}})
}

func (m *Mock) Count(search string) int {
	m.tb.Helper()
	return get[struct{ Count int }](m, "/pushes/count", url.Values{"q": {search}}).Count
}

func (m *Mock) Clear() { m.tb.Helper(); m.delete("/pushes") }

func (m *Mock) Violations() []Violation {
	m.tb.Helper()
	return all[Violation](m, "/violations", url.Values{})
}

// A NewPush is sent to the mock itself, signed with its key.
type NewPush struct {
	Token      string `json:"token"`
	Payload    string `json:"payload"`
	Topic      string `json:"topic,omitempty"`
	PushType   string `json:"push_type,omitempty"`
	Priority   int    `json:"priority,omitempty"`
	Expiration *int   `json:"expiration,omitempty"`
	CollapseID string `json:"collapse_id,omitempty"`
}

func (m *Mock) Send(push NewPush) SentPush {
	m.tb.Helper()
	return put[SentPush](m, http.MethodPost, "/send", push)
}

// --- Faults, devices, clock, settings

// A Fault is described in docs/mock-api.md#failure-injection: Fault{Steps: []any{map[string]any{"answer": ...}, "judge"}, Times: 1}.
type Fault struct {
	Steps []any          `json:"steps"`
	When  map[string]any `json:"when,omitempty"`
	Times int            `json:"times,omitempty"`
	At    string         `json:"at,omitempty"`
	Name  string         `json:"name,omitempty"`
}

// Answer is the step that sends this answer.
func Answer(status int, reason string) any {
	return map[string]any{"answer": map[string]any{"status": status, "reason": reason}}
}

// Inject injects a fault, and returns its id.
func (m *Mock) Inject(fault Fault) int {
	m.tb.Helper()
	return put[struct{ IDs []int }](m, http.MethodPost, "/faults", fault).IDs[0]
}

func (m *Mock) Faults() []FaultCount {
	m.tb.Helper()
	return get[page[FaultCount]](m, "/faults", nil).Items
}

func (m *Mock) Fault(id int) FaultCount {
	m.tb.Helper()
	return get[FaultCount](m, fmt.Sprintf("/faults/%d", id), nil)
}
func (m *Mock) RemoveFault(id int) { m.tb.Helper(); m.delete(fmt.Sprintf("/faults/%d", id)) }
func (m *Mock) RemoveFaults()      { m.tb.Helper(); m.delete("/faults") }

// NewDevice says what a device is like: State is "unregistered", ...
type NewDevice struct {
	Topics        []string `json:"topics,omitempty"`
	Environment   string   `json:"environment,omitempty"`
	State         string   `json:"state,omitempty"`
	Since         string   `json:"since,omitempty"`
	Online        *bool    `json:"online,omitempty"`
	Notifications *bool    `json:"notifications,omitempty"`
}

// SetDevice registers or changes a device.
func (m *Mock) SetDevice(token string, device NewDevice) Device {
	m.tb.Helper()
	return put[Device](m, http.MethodPut, "/devices/"+url.PathEscape(token), device)
}

func (m *Mock) Device(token string) Device {
	m.tb.Helper()
	return get[Device](m, "/devices/"+url.PathEscape(token), nil)
}

func (m *Mock) Devices() []Device {
	m.tb.Helper()
	return all[Device](m, "/devices", url.Values{})
}

func (m *Mock) RemoveDevice(token string) {
	m.tb.Helper()
	m.delete("/devices/" + url.PathEscape(token))
}
func (m *Mock) RemoveDevices() { m.tb.Helper(); m.delete("/devices") }

// Play plays a scenario: "apns-outage", "throttled", ...
func (m *Mock) Play(name string) Scenario {
	m.tb.Helper()
	return m.PlayOwn(map[string]any{"name": name})
}

// PlayOwn plays a scenario of your own, as docs/mock.md describes it: anything that becomes its JSON.
func (m *Mock) PlayOwn(scenario any) Scenario {
	m.tb.Helper()
	return put[Scenario](m, http.MethodPut, "/scenario", scenario)
}

func (m *Mock) EndScenario() { m.tb.Helper(); m.delete("/scenario") }
func (m *Mock) Clock() Clock { m.tb.Helper(); return get[Clock](m, "/clock", nil) }

// SetClock sets the mock's clock: a time, or "system".
func (m *Mock) SetClock(now string) Clock {
	m.tb.Helper()
	return put[Clock](m, http.MethodPut, "/clock", map[string]any{"now": now})
}

// StopClock sets the mock's clock, and stops it there.
func (m *Mock) StopClock(now string) Clock {
	m.tb.Helper()
	return put[Clock](m, http.MethodPut, "/clock", map[string]any{"now": now, "stopped": true})
}

func (m *Mock) AdvanceClock(by time.Duration) Clock {
	m.tb.Helper()
	text := fmt.Sprintf("%dms", by.Milliseconds())
	return put[Clock](m, http.MethodPost, "/clock/advance", map[string]any{"by": text})
}

func (m *Mock) Settings() map[string]any {
	m.tb.Helper()
	return get[map[string]any](m, "/settings", nil)
}

func (m *Mock) ChangeSettings(settings map[string]any) map[string]any {
	m.tb.Helper()
	return put[map[string]any](m, http.MethodPatch, "/settings", settings)
}

// --- The mock itself

func (m *Mock) Setup() Setup { m.tb.Helper(); return get[Setup](m, "/setup", nil) }

// KeyPEM is the private key that signs provider tokens for this mock, a .p8.
func (m *Mock) KeyPEM() []byte { m.tb.Helper(); return get[[]byte](m, "/key.p8", nil) }

// Reset resets the mock to its state after the start.
func (m *Mock) Reset() {
	m.tb.Helper()
	m.do(pushprovider.Request{Method: http.MethodPost, Path: "/reset", Repeatable: true}, nil)
}

// InNamespace makes a part of the mock with its own port, log, devices and faults, for tests that run at the same time. It ends with the
// test of `tb`, whose Name can be its name. Environment names its port.
func (m *Mock) InNamespace(tb TB, name string) *Mock {
	tb.Helper()
	parent, name := m.of(tb), regexp.MustCompile("[^A-Za-z0-9_-]").ReplaceAllString(name, "-")
	put[Namespace](parent, http.MethodPost, "/namespaces", map[string]any{"name": name})
	tb.Cleanup(func() { parent.delete("/namespaces/" + url.PathEscape(name)) })
	part := m.of(tb)
	part.prefix, part.Environment = "/v1/namespaces/"+url.PathEscape(name), map[string]string{}
	for name, value := range m.Environment {
		part.Environment[name] = value
	}
	var setup Setup
	_ = json.Unmarshal(get[[]byte](part, "/setup", nil), &setup)
	part.Environment["APNS_URL"], part.Environment["APNS_HOST"] = setup.URL, setup.Host
	part.Environment["APNS_PORT"] = fmt.Sprint(setup.Port)
	return part
}

// of is the same mock for another test, which fails instead.
func (m *Mock) of(tb TB) *Mock {
	other := *m
	other.tb = tb
	return &other
}

// Do sends any other request of the API: phones, connections, keys.
func (m *Mock) Do(request pushprovider.Request, into any) error {
	request.Path = m.prefix + strings.TrimPrefix(request.Path, "/v1")
	return m.client.Do(context.Background(), request, into)
}

func (m *Mock) do(request pushprovider.Request, into any) {
	m.tb.Helper()
	if err := m.Do(request, into); err != nil {
		m.tb.Fatalf("%s %s: %v", request.Method, request.Path, err)
	}
}

func (m *Mock) delete(path string) {
	m.tb.Helper()
	m.do(pushprovider.Request{Method: http.MethodDelete, Path: path}, nil)
}

// page is a page of the mock.
type page[T any] struct {
	Items          []T
	Next           string
	Total, Kept    int
	DroppedThrough int `json:"dropped_through"`
	Counts         map[string]int
}

func get[T any](m *Mock, path string, query url.Values) (value T) {
	m.tb.Helper()
	m.do(pushprovider.Request{Method: http.MethodGet, Path: path, Query: query}, &value)
	return value
}

// all are the items of all pages.
func all[T any](m *Mock, path string, query url.Values) (items []T) {
	m.tb.Helper()
	for query.Set("limit", "1000"); ; {
		part := get[page[T]](m, path, query)
		items = append(items, part.Items...)
		if part.Next == "" || len(part.Items) == 0 {
			return items
		}
		query.Set("after", part.Next)
	}
}

func put[T any](m *Mock, method, path string, body any) (value T) {
	m.tb.Helper()
	m.do(pushprovider.Request{Method: method, Path: path, Body: body}, &value)
	return value
}

func first[T any](values []T) (value T) {
	if len(values) > 0 {
		value = values[0]
	}
	return value
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}
