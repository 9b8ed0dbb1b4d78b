package pushprovider

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

const later = `{"status":503,"code":"queue_unavailable","detail":"The queue can't be used at the moment."}`

// An answer of a server in the tests. Without a status, the connection ends.
type reply struct {
	status     int
	body       string
	retryAfter string
	kind       string
}

type request struct {
	key, body string
	query     url.Values
}

func answering(t *testing.T, replies ...reply) (*Client, *[]request) {
	t.Helper()
	var lock sync.Mutex
	requests := []request{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		lock.Lock()
		defer lock.Unlock()
		body, _ := io.ReadAll(r.Body)
		requests = append(requests, request{r.Header.Get("Idempotency-Key"), string(body), r.URL.Query()})
		given := replies[len(replies)-1]
		if len(requests) <= len(replies) {
			given = replies[len(requests)-1]
		}
		if given.status == 0 {
			panic(http.ErrAbortHandler)
		}
		if given.retryAfter != "" {
			w.Header().Set("Retry-After", given.retryAfter)
		}
		w.Header().Set("Content-Type", firstOf(given.kind, "application/json"))
		w.Header().Set("Location", "http://elsewhere.example/")
		w.WriteHeader(given.status)
		fmt.Fprint(w, given.body)
	}))
	t.Cleanup(server.Close)
	return New(server.URL, "psk_secret"), &requests
}

func problem(t testing.TB, err error) *Error {
	t.Helper()
	var problem *Error
	if !errors.As(err, &problem) {
		t.Fatalf("%v is no Error", err)
	}
	return problem
}

func TestAPushToAUserHasAnAnswerForEachDevice(t *testing.T) {
	client, requests := answering(t, reply{202, `{"items":[{"id":"1","result":"queued"},{"id":"2","result":"queued"}],"devices":2}`, "", ""})
	push := Push{User: "42", Payload: map[string]any{"aps": map[string]any{}}}
	sent := must[Page[Accepted]](t)(client.SendToUser(context.Background(), push))
	equal(t, []any{sent.Devices, sent.Items[0].ID, sent.Items[1].ID}, []any{2, "1", "2"})
	equal(t, strings.TrimSpace((*requests)[0].body), `{"payload":{"aps":{}},"user":"42"}`)
	_, err := client.Send(context.Background(), push)
	equal(t, err != nil && strings.Contains(err.Error(), "SendToUser"), true)
	equal(t, len(*requests), 1)
}

func TestARetryHasTheSameKey(t *testing.T) {
	for _, failure := range []reply{{status: 503, body: later}, {}} {
		client, requests := answering(t, failure, reply{status: 202, body: `{"id":"1","result":"queued"}`})
		equal(t, must[Accepted](t)(client.Send(context.Background(), hello("1"))).ID, "1")
		must[Accepted](t)(client.Send(context.Background(), hello("1")))
		equal(t, len(*requests), 3)
		equal(t, (*requests)[0].key, (*requests)[1].key)
		equal(t, (*requests)[1].key == (*requests)[2].key || (*requests)[0].key == "", false)
	}
}

func TestAnErrorHasWhatRepeatsTheCall(t *testing.T) {
	client, requests := answering(t, reply{status: 500})
	_, err := client.Send(context.Background(), hello("1"))
	equal(t, problem(t, err).IdempotencyKey, (*requests)[0].key)
}

func TestARetryIsNotRefusedForWhatTheFirstRequestDid(t *testing.T) {
	ctx, conflict := context.Background(), reply{status: 409, body: `{"code":"campaign_state"}`}
	client, _ := answering(t, reply{}, reply{status: 404, body: `{"code":"not_found"}`})
	check(t, client.ForgetGoneToken(ctx, "", "0f0f"))
	client, _ = answering(t, reply{}, reply{status: 409, body: `{"code":"already_finished","outcome":"not_sent"}`})
	equal(t, must[Cancelled](t)(client.Cancel(ctx, "1")), Cancelled{ID: "1", Result: "cancelled"})
	client, _ = answering(t, reply{}, conflict, reply{status: 200, body: `{"state":"finished","started_at":"2030-01-01T00:00:00Z"}`})
	equal(t, must[Campaign](t)(client.StartCampaign(ctx, "1")).State, "finished")
	client, _ = answering(t, reply{}, conflict, reply{status: 200, body: `{"state":"cancelled"}`})
	_, err := client.StartCampaign(ctx, "1")
	equal(t, problem(t, err).Code, "campaign_state")
	client, _ = answering(t, reply{status: 404, body: `{"code":"not_found"}`})
	equal(t, problem(t, client.ForgetGoneToken(ctx, "", "0f0f")).Code, "not_found")
}

func TestAnAnswerOfSomethingElseIsAnError(t *testing.T) {
	client, requests := answering(t, reply{status: 200, body: "<html>"})
	_, err := client.Status(context.Background())
	equal(t, []any{problem(t, err).Code, problem(t, err).Status}, []any{"bad_answer", 200})
	_, err = client.Export(context.Background(), "", "0f0f")
	equal(t, problem(t, err).Code, "bad_answer")
	equal(t, len(*requests), 2)
}

func TestAValueThatLooksEmptyIsSent(t *testing.T) {
	client, requests := answering(t, reply{status: 200, body: `{"items":[]}`})
	for _, value := range []string{"0", "false"} {
		must[Page[Notification]](t)(client.Notifications(context.Background(), List{DedupeKey: value}))
		equal(t, (*requests)[len(*requests)-1].query, url.Values{"dedupe_key": {value}})
	}
}

func TestWhatMatchesIsCancelled(t *testing.T) {
	client, requests := answering(t, reply{status: 200, body: `{"matching":2,"more":true}`})
	matching := Matching{"collapse_id": "order-1", "token": nil, "dry_run": true}
	equal(t, must[CancelledAll](t)(client.CancelAll(context.Background(), "shop", matching)), CancelledAll{Matching: 2, More: true})
	equal(t, strings.TrimSpace((*requests)[0].body), `{"collapse_id":"order-1","dry_run":true,"token":null}`)
}

func TestARedriveHasATimeToLive(t *testing.T) {
	client, requests := answering(t, reply{status: 200, body: `{"items":[]}`})
	must[[]Redriven](t)(client.Redrive(context.Background(), "", []string{"a"}, RedriveOptions{TTL: time.Hour}))
	must[[]Redriven](t)(client.Redrive(context.Background(), "", nil))
	equal(t, []string{strings.TrimSpace((*requests)[0].body), strings.TrimSpace((*requests)[1].body)},
		[]string{`{"ids":["a"],"ttl":"3600s"}`, `{"ids":[]}`})
}

type otherTransport struct{ http.RoundTripper }

func TestAReplacedDefaultTransportIsNoMistake(t *testing.T) {
	standard := http.DefaultTransport
	defer func() { http.DefaultTransport = standard }()
	http.DefaultTransport = otherTransport{standard}
	client, _ := answering(t, reply{status: 200})
	check(t, client.Ready(context.Background()))
}

func TestWhatMayHaveHappenedIsNotRepeated(t *testing.T) {
	post := Request{Method: http.MethodPost, Path: "/v1/something"}
	for _, failure := range []reply{{status: 503, body: later}, {}} {
		client, requests := answering(t, failure)
		problem(t, client.Do(context.Background(), post, nil))
		equal(t, len(*requests), 1)
	}
	client, requests := answering(t, reply{status: 429, body: later}, reply{status: 200, body: "{}"})
	check(t, client.Do(context.Background(), post, nil))
	equal(t, len(*requests), 2)
}

func TestRetriesAreBounded(t *testing.T) {
	client, requests := answering(t, reply{status: 503, body: later})
	client.Retries = 2
	_, err := client.Status(context.Background())
	equal(t, problem(t, err).Code, "queue_unavailable")
	equal(t, len(*requests), 3)
	client, requests = answering(t, reply{status: 503, body: later, retryAfter: "3600"})
	_, err = client.Status(context.Background())
	equal(t, problem(t, err).RetryAfter, time.Hour)
	equal(t, len(*requests), 1)
}

func TestRetryAfterIsWaitedFor(t *testing.T) {
	client, _ := answering(t, reply{status: 503, body: later, retryAfter: "1"}, reply{status: 200, body: `{"version":"1"}`})
	before := time.Now()
	equal(t, must[Status](t)(client.Status(context.Background())).Version, "1")
	equal(t, time.Since(before) >= time.Second, true)
}

func TestACancelledContextEndsThePause(t *testing.T) {
	client, requests := answering(t, reply{status: 503, body: later, retryAfter: "60"})
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	_, err := client.Status(ctx)
	problem(t, err)
	equal(t, len(*requests), 1)
}

func TestARedirectIsNotFollowed(t *testing.T) {
	client, requests := answering(t, reply{status: 307})
	_, err := client.Status(context.Background())
	equal(t, problem(t, err).Status, 307)
	equal(t, len(*requests), 1)
}

func TestNothingSecretIsShown(t *testing.T) {
	client := New("http://127.0.0.1:1", "psk_secret")
	client.Retries = 0
	_, err := client.Send(context.Background(), hello("1"))
	push := hello("1")
	shown := fmt.Sprintf("%v %+v %#v %v %+v %v %+v %#v", client, client, client, *client, *client, push, []Push{push}, push)
	shown += err.Error() + fmt.Sprintf("%+v", err) + fmt.Sprintf("%+v %#v", Notification{Token: push.Token}, GoneToken{Token: push.Token})
	for _, secret := range []string{"psk_secret", "5f3ad1c07b9e4281", "Hello"} {
		equal(t, strings.Contains(shown, secret), false)
	}
}

func TestAPayloadIsSentAsItIs(t *testing.T) {
	client, requests := answering(t, reply{status: 202, body: `{"result":"queued"}`})
	push := hello("1")
	push.Payload = json.RawMessage(`{"aps":{"alert":"<&>"}}`)
	must[Accepted](t)(client.Send(context.Background(), push))
	equal(t, strings.Contains((*requests)[0].body, `{"aps":{"alert":"<&>"}}`), true)
}

func TestAnErrorHasTheProblemDocument(t *testing.T) {
	_, err := real(t).Send(context.Background(), Push{Token: "0f0f", Payload: json.RawMessage(`{"aps":{"badge":"3"}}`)})
	e := problem(t, err)
	equal(t, []any{e.Status, e.Code, e.Field, e.Findings[0].Rule}, []any{422, "payload_refused", "/payload/aps/badge", "badge-number"})
	equal(t, e.Remedy != "" && strings.Contains(e.Error(), e.Remedy), true)
}

func TestARepeatedCallSendsNothingTwice(t *testing.T) {
	client, ids := real(t), map[string]bool{}
	for count := 0; count < 3; count++ {
		ids[must[Accepted](t)(client.Send(context.Background(), hello("1"), SendOptions{IdempotencyKey: "order-go"})).ID] = true
	}
	equal(t, len(ids), 1)
}

func TestAStreamIsReadNoFasterThanItIsStored(t *testing.T) {
	source := make(chan Push)
	go func() {
		defer close(source)
		for number := 0; number < 25; number++ {
			push := hello(fmt.Sprintf("%x", number%16))
			if number == 3 {
				push = Push{Token: "x"}
			}
			source <- push
		}
	}()
	lines, invalid := []int{}, []int{}
	check(t, real(t).SendStream(context.Background(), source, func(answer Accepted) error {
		lines = append(lines, answer.Line)
		if answer.Result == "invalid" {
			invalid = append(invalid, answer.Line)
		}
		return nil
	}))
	equal(t, len(lines), 25)
	equal(t, lines[24], 25)
	equal(t, invalid, []int{4})
}

func TestAnErrorEndsAStream(t *testing.T) {
	full, count := errors.New("enough"), 0
	err := real(t).SendStream(context.Background(), channel(hello("1"), hello("2"), hello("3")), func(Accepted) error {
		count++
		return full
	})
	equal(t, []any{err, count}, []any{full, 1})
}

func TestAStreamOfRefusedLinesAnswersEach(t *testing.T) {
	results := []string{}
	check(t, real(t).SendStream(context.Background(), channel(Push{Token: "x"}, Push{Token: "y"}), func(answer Accepted) error {
		results = append(results, answer.Result)
		return nil
	}))
	equal(t, results, []string{"invalid", "invalid"})
}

func TestABrokenStreamRepeatsItsBatchWithTheSameDedupeKeys(t *testing.T) {
	stopped := `{"line":1,"id":"1","result":"queued"}` + "\n" + `{"result":"stopped","problem":` + later + "}\n"
	client, requests := answering(t, reply{}, reply{status: 202, body: stopped, kind: ndjson},
		reply{status: 202, body: `{"line":1,"id":"2","result":"duplicate"}`, kind: ndjson})
	answers := []Accepted{}
	check(t, client.SendStream(context.Background(), channel(hello("1"), hello("2")), func(answer Accepted) error {
		answers = append(answers, answer)
		return nil
	}))
	equal(t, []any{answers[0].Line, answers[0].ID, answers[1].Line, answers[1].ID}, []any{1, "1", 2, "2"})
	equal(t, (*requests)[0].body, (*requests)[1].body)
	equal(t, (*requests)[2].body, strings.SplitAfter((*requests)[0].body, "\n")[1])
}

func TestAnswersOfAStoppedStreamCanHaveGaps(t *testing.T) {
	first := `{"line":1,"id":"a","result":"queued"}` + "\n" + `{"line":3,"id":"c","result":"queued"}` + "\n" +
		`{"result":"stopped","problem":` + later + "}"
	second := `{"line":1,"id":"x","result":"queued"}` + "\n" + `{"line":2,"id":"y","result":"queued"}`
	client, requests := answering(t, reply{status: 202, body: first, kind: ndjson}, reply{status: 202, body: second, kind: ndjson})
	got := []string{}
	source := channel(hello("1"), hello("2"), hello("3"), hello("4"))
	check(t, client.SendStream(context.Background(), source, func(answer Accepted) error {
		got = append(got, fmt.Sprint(answer.Line, " ", answer.ID))
		return nil
	}))
	equal(t, got, []string{"1 a", "2 x", "3 c", "4 y"})
	lines := strings.SplitAfter((*requests)[0].body, "\n")
	equal(t, (*requests)[1].body, lines[1]+lines[3])
}

func TestAnswersThatAreKnownComeBeforeTheError(t *testing.T) {
	text := `{"line":2,"id":"b","result":"queued"}` + "\n" + `{"result":"stopped","problem":` + later + "}"
	client, _ := answering(t, reply{status: 202, body: text, kind: ndjson}, reply{status: 503, body: later})
	client.Retries = 0
	got := []string{}
	err := client.SendStream(context.Background(), channel(hello("1"), hello("2"), hello("3")), func(answer Accepted) error {
		got = append(got, fmt.Sprint(answer.Line, " ", answer.ID))
		return nil
	})
	equal(t, problem(t, err).Code, "queue_unavailable")
	equal(t, got, []string{"2 b"})
}

func TestListsContinueWhereTheServiceSays(t *testing.T) {
	ctx := context.Background()
	client, requests := answering(t, reply{status: 200, body: `{"line":1,"after":9}`}, reply{status: 200})
	check(t, client.Report(ctx, "1", ReportOptions{}, func(ReportLine) error { return nil }))
	equal(t, (*requests)[1].query.Get("after"), "9")
	client, requests = answering(t, reply{status: 200, body: `{"items":[],"next":"c_1"}`},
		reply{status: 200, body: `{"items":[{"id":"1"}],"next":"c_2"}`}, reply{status: 200, body: `{"items":[],"next":"c_2"}`})
	ids, asked := []string{}, []string{}
	check(t, Each(ctx, client.NewestResults, List{IDs: []string{}}, func(each Notification) error {
		ids = append(ids, each.ID)
		return nil
	}))
	for _, each := range *requests {
		equal(t, each.query.Has("ids"), true)
		asked = append(asked, each.query.Get("before"))
	}
	equal(t, ids, []string{"1"})
	equal(t, asked, []string{"", "c_1", "c_2"})
}

func TestAnUploadHasWhatNoBatchHasAValueFor(t *testing.T) {
	client, _ := answering(t, reply{status: 200, body: `{"upload":{"accepted":500,"unfilled":["a","b"]}}`},
		reply{status: 200, body: `{"upload":{"accepted":1,"unfilled":["b","c"]}}`})
	total := must[Upload](t)(client.Upload(context.Background(), "1", channel(make([]CampaignLine, Batch+1)...)))
	equal(t, total.Accepted, 501)
	equal(t, total.Unfilled, []string{"b"})
}

func TestResultsContinueAfterACursor(t *testing.T) {
	ctx, client := context.Background(), real(t)
	results := client.Results("")
	for results.Next(ctx) {
	}
	check(t, results.Err())
	equal(t, results.Gap(), false)
	sent := must[Accepted](t)(client.Send(ctx, hello("1"), SendOptions{Wait: 10 * time.Second}))
	again, found := client.Results(results.Cursor()), false
	for again.Next(ctx) {
		found = found || again.Item().ID == sent.ID
	}
	equal(t, found, true)
}

func TestAnUploadContinuesWhereItWasInterrupted(t *testing.T) {
	ctx, client := context.Background(), real(t)
	draft := must[Campaign](t)(client.MakeCampaign(ctx, NewCampaign{Name: "Many"}))
	lines := make([]CampaignLine, 700)
	for number := range lines {
		lines[number] = CampaignLine{"token": fmt.Sprintf("%08x", number), "payload": map[string]any{"aps": map[string]any{"alert": "x"}}}
	}
	equal(t, must[Upload](t)(client.Upload(ctx, draft.ID, channel(lines[:12]...))).Accepted, 12)
	total := must[Upload](t)(client.Upload(ctx, draft.ID, channel(lines...)))
	equal(t, []int{total.Repeated, total.Accepted, total.NextLine}, []int{12, 688, 701})
}

var other = "whsec_" + strings.Repeat("b3Ro", 8)

func TestASecretThatCannotBeUsedSaysNothingAboutTheMessage(t *testing.T) {
	for _, secret := range []string{"", "whsec_", "whsec_b3RoZXI=", other + "!", other + "b"} {
		_, err := VerifyWebhook([]byte("{}"), http.Header{}, other, secret)
		equal(t, err != nil && !errors.Is(err, ErrWebhook), true)
	}
	_, err := VerifyWebhook([]byte("{}"), http.Header{})
	equal(t, err != nil && !errors.Is(err, ErrWebhook), true)
}

func TestAMessageOfTheServiceIsVerified(t *testing.T) {
	sent := must[Accepted](t)(real(t).Send(context.Background(), hello("1"), SendOptions{Wait: 10 * time.Second}))
	var message struct {
		Headers map[string]string
		Body    string
	}
	for end := time.Now().Add(10 * time.Second); !strings.Contains(message.Body, sent.ID) && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		text := must[[]byte](t)(os.ReadFile(os.Getenv("WEBHOOK_MESSAGES")))
		for lines := bufio.NewScanner(bytes.NewReader(text)); !strings.Contains(message.Body, sent.ID) && lines.Scan(); {
			_ = json.Unmarshal(lines.Bytes(), &message)
		}
	}
	header, body, secret := http.Header{}, []byte(message.Body), os.Getenv("WEBHOOK_SECRET")
	for name, value := range message.Headers {
		header.Set(name, value)
	}
	event := must[WebhookEvent](t)(VerifyWebhook(body, header, other, secret))
	equal(t, []string{event.Type, event.Data.ID, event.ID}, []string{"notification.accepted", sent.ID, "msg_" + sent.ID})
	changed := header.Clone()
	changed.Set("webhook-id", "msg_other")
	for number, wrong := range []func() (WebhookEvent, error){
		func() (WebhookEvent, error) { return VerifyWebhook(append(body, ' '), header, secret) },
		func() (WebhookEvent, error) { return VerifyWebhook(body, header, other) },
		func() (WebhookEvent, error) { return VerifyWebhook(body, changed, secret) },
		func() (WebhookEvent, error) {
			return verifyWebhook(body, header, time.Now().Add(301*time.Second), []string{secret})
		},
		func() (WebhookEvent, error) { return VerifyWebhook(body, http.Header{}, secret) },
	} {
		_, err := wrong()
		equal(t, errors.Is(err, ErrWebhook) && !strings.Contains(err.Error(), secret), true)
		equal(t, errors.Is(err, ErrWebhookTime), number == 3)
	}
}
