package mocktest

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"pushprovider.example/go"
	"pushprovider.example/go/internal/contract"
	"pushprovider.example/go/internal/strict"
)

func TestMain(m *testing.M) {
	strict.Members = true
	os.Exit(m.Run())
}

var hello = NewPush{Token: "0f0f", Payload: `{"aps":{"alert":"Hello"}}`, Topic: "com.example.app", PushType: "alert"}

func check(t testing.TB, holds bool) {
	t.Helper()
	if !holds {
		t.Fatal("it doesn't hold")
	}
}

func TestEachOperationOfTheMock(t *testing.T) {
	mock, document := Start(t), contract.Read(t, "mock", "MockConsole")
	document.Watch(t, mock.client.HTTP)
	strict.Members = false // It has examples for people.
	setup := mock.Setup()
	strict.Members = true
	check(t, setup.Port != 0 && strings.Contains(string(mock.KeyPEM()), "PRIVATE KEY"))
	check(t, mock.Send(hello).Status == 200)
	check(t, mock.Wait("body:Hello", Expected{Exactly: 1})[0].Token == "0f0f")
	check(t, len(mock.WaitInOrder(time.Second, "body:Hello")) == 1)
	check(t, len(mock.AssertPushed("body:Hello")) == 1)
	mock.AssertNothingPushed("body:Other")
	mock.AssertNothingPushed("body:Other", Expected{Within: 100 * time.Millisecond})
	mock.AssertNoViolations()
	number := mock.Latest("").Number
	check(t, len(mock.Push(number).Headers) > 0 && mock.Count("") == 1 && mock.Pushes("body:Hello")[0].Number == number)
	mock.AssertNothingPushed("", Expected{After: number})
	mock.Clear()

	fault := mock.Inject(Fault{Steps: []any{Answer(503, "ServiceUnavailable")}, Times: 2})
	check(t, mock.Send(hello).Status == 503)
	check(t, mock.Fault(fault).Applied == 1 && len(mock.Faults()) == 1)
	mock.RemoveFault(fault)
	mock.RemoveFaults()

	check(t, mock.SetDevice("0f0f", NewDevice{State: "unregistered"}).State == "unregistered")
	check(t, mock.Device("0f0f").State == "unregistered" && len(mock.Devices()) == 1)
	mock.RemoveDevice("0f0f")
	mock.RemoveDevices()
	check(t, mock.Play("throttled").Name == "throttled")
	check(t, mock.PlayOwn(map[string]any{"name": "revoked", "revoked_keys": "all"}).Name == "revoked")
	mock.EndScenario()
	check(t, mock.StopClock("2030-01-01T00:00:00Z").IsStopped)
	check(t, mock.AdvanceClock(3*time.Hour).IsMoved && !mock.SetClock("system").IsMoved && !mock.Clock().IsMoved)
	check(t, mock.ChangeSettings(map[string]any{"unknown_tokens": "reject"})["unknown_tokens"] == mock.Settings()["unknown_tokens"])
	mock.Reset()

	t.Run("a part", func(t *testing.T) {
		part := mock.InNamespace(t, fmt.Sprintf("team-%d", time.Now().UnixNano()))
		part.AssertNothingPushed("", Expected{Within: 100 * time.Millisecond})
		check(t, mock.Send(hello).Status == 200 && part.Count("") == 0)
	})
	document.AssertComplete(t)
}

func TestTypesHaveEachMemberOfTheDocument(t *testing.T) {
	contract.Read(t, "mock", "MockConsole").CompareNamed(t, map[string]any{
		"Push": Push{}, "Fact": Fact{}, "Outcome": PhoneOutcome{}, "Result": Matches{}, "FaultCount": FaultCount{}, "Device": Device{},
		"Clock": Clock{}, "Scenario": Scenario{}, "Violation": Violation{}, "Namespace": Namespace{}, "SentPush": SentPush{},
		"Setup": Setup{}, "Fault": Fault{}, "NewPush": NewPush{}, "Problem": pushprovider.Problem{},
	})
}

// A failing is a test that may fail.
type failing struct {
	*testing.T
	message string
}

func (f *failing) Helper() {}
func (f *failing) Fatalf(format string, values ...any) {
	f.message = fmt.Sprintf(format, values...)
	runtime.Goexit()
}

// message is how a test fails.
func message(t *testing.T, body func(*Mock)) string {
	t.Helper()
	test, done := &failing{T: t}, make(chan bool)
	go func() {
		defer close(done)
		mock := At(test, os.Getenv("MOCK_URL"))
		body(mock)
	}()
	<-done
	return test.message
}

func TestEachNamespaceHasItsOwnVariables(t *testing.T) {
	mock := Start(t)
	for count := 0; count < 2; count++ {
		t.Run("a part/of #1", func(t *testing.T) {
			part := mock.InNamespace(t, t.Name())
			strict.Members = false
			port := fmt.Sprint(part.Setup().Port)
			strict.Members = true
			check(t, part.Environment["APNS_PORT"] == port && strings.HasSuffix(part.Environment["APNS_URL"], ":"+port))
			check(t, mock.Environment["APNS_PORT"] != port)
		})
	}
	parent := &failing{T: t}
	got := message(t, func(child *Mock) { mock.of(parent).InNamespace(child.tb, strings.Repeat("x", 65)) })
	check(t, strings.Contains(got, "invalid_value") && parent.message == "")
}

func TestAllPagesAreRead(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pages := map[string]string{"": `{"items":[{"number":1}],"next":"1"}`, "1": `{"items":[{"number":2}]}`}
		fmt.Fprint(w, pages[r.URL.Query().Get("after")])
	}))
	defer server.Close()
	check(t, len(At(t, server.URL).Pushes("")) == 2)
}

func TestOnlyTheVariablesOfTheMockCount(t *testing.T) {
	t.Setenv("APNS_KEY", "-----BEGIN\nAPNS_URL=x\nAAAA")
	mock := Start(t, "--no-magic")
	_, found := mock.Environment["APNS_KEY"]
	check(t, !found && strings.HasPrefix(os.Getenv("APNS_URL"), "https://"))
	_, err := os.Stat(os.Getenv("SSL_CERT_FILE"))
	check(t, err == nil)
}

func TestAMockThatDoesNotStartIsNotWaitedFor(t *testing.T) {
	program := t.TempDir() + "/pushsend"
	check(t, os.WriteFile(program, []byte("#!/bin/sh\nexec cat\n"), 0o700) == nil)
	t.Setenv("PUSHSEND_BINARY", program)
	defer func(limit time.Duration) { startLimit = limit }(startLimit)
	startLimit = 100 * time.Millisecond
	check(t, strings.Contains(message(t, func(mock *Mock) { start(mock.tb, nil) }), "didn't start"))
}

func TestAPushIsPrintedWithAShortToken(t *testing.T) {
	push := Push{Token: "5f3ad1c07b9e4286", Path: "/3/device/5f3ad1c07b9e4286"}
	check(t, !strings.Contains(fmt.Sprintf("%v %+v", push, []Push{push}), "5f3ad1c07b9e4286"))
}

func TestAFailureShowsTheNearestPushes(t *testing.T) {
	mock := Start(t)
	other := hello
	other.Payload = `{"aps":{"alert":"Hallo"}}`
	mock.Send(other)
	got := message(t, func(mock *Mock) { mock.Wait("body:Hello", Expected{Within: 100 * time.Millisecond}) })
	check(t, strings.Contains(got, `matched "body:Hello"`) && strings.Contains(got, "expected body:Hello, found Hallo"))
	got = message(t, func(mock *Mock) { mock.AssertNothingPushed("body:Hallo") })
	check(t, strings.Contains(got, "expected none"))
}

func TestABrokenRuleIsShown(t *testing.T) {
	mock, guess, wrong := Start(t), hello, hello
	// What APNs does with an expiration in the past is only a guess.
	guess.Expiration = new(int)
	*guess.Expiration = 1
	mock.Send(guess)
	check(t, mock.Violations()[0].Confidence == "?")
	mock.AssertNoViolations()
	wrong.CollapseID = strings.Repeat("x", 65)
	mock.Send(wrong)
	check(t, strings.Contains(message(t, (*Mock).AssertNoViolations), "rules of APNs"))
	check(t, len(mock.Pushes("")) == 2)
}

func TestAWrongSearchIsAnError(t *testing.T) {
	Start(t)
	check(t, strings.Contains(message(t, func(mock *Mock) { mock.Wait("titel:Hello") }), "400"))
}

func TestAMockIsStartedAndEndsWithItsTest(t *testing.T) {
	var address string
	t.Run("a test", func(t *testing.T) {
		mock := Start(t, "--unknown-tokens", "reject")
		check(t, mock.Send(hello).Reason == "BadDeviceToken")
		check(t, os.Getenv("APNS_URL") == mock.Environment["APNS_URL"])
		address = mock.URL
	})
	client := pushprovider.New(address, "")
	client.Retries = 0
	check(t, client.Do(context.Background(), pushprovider.Request{Method: "GET", Path: "/livez"}, nil) != nil)
}
