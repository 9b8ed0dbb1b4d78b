// Package pushprovider is a client of the push service pushserve. Package mocktest is one of its mock, for tests.
package pushprovider

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	mathrand "math/rand"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"pushprovider.example/go/internal/strict"
)

// An Error is a request that failed: the problem document. Code is for programs, Detail and Remedy are for people. Without an answer,
// Status is 0 and Code is "no_answer".
type Error struct {
	Problem
	RetryAfter     time.Duration // how long the service asked to wait
	IdempotencyKey string        // that of the call, if it had one: repeat the call with it
	cause          error
	isOfRetry      bool
}

func (e *Error) Error() string {
	words := []string{e.Code + ":", e.Detail}
	if e.Status != 0 {
		words = append([]string{strconv.Itoa(e.Status)}, words...)
	}
	if e.Field != "" {
		words = append(words, "("+e.Field+")")
	}
	return strings.TrimSpace(strings.Join(append(words, e.Remedy), " "))
}

func (e *Error) Unwrap() error { return e.cause }

// A Client sends requests, and repeats them if that is right. It can be used by several goroutines at the same time.
type Client struct {
	Timeout      time.Duration // how long an answer may take; 30 s
	Retries      int           // how often a request is repeated at most; 3
	LongestPause time.Duration // the longest pause before a repetition; 60 s
	HTTP         *http.Client

	base      string
	authorize func(*http.Request) // a function, so that no %v shows the key
}

// New returns a client of the service at an address, with an API key.
func New(base, key string) *Client {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	if standard, ok := http.DefaultTransport.(*http.Transport); ok { // A program can have replaced it.
		transport = standard.Clone()
	}
	transport.DialContext = (&net.Dialer{Timeout: 5 * time.Second}).DialContext
	refuse := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{
		Timeout: 30 * time.Second, Retries: 3, LongestPause: time.Minute, base: strings.TrimRight(base, "/"),
		HTTP: &http.Client{Transport: transport, CheckRedirect: refuse},
		authorize: func(request *http.Request) {
			if key != "" {
				request.Header.Set("Authorization", "Bearer "+key)
			}
		},
	}
}

// A Request is one request of the API. Do sends those for which there is no method.
type Request struct {
	Method, Path string
	Query        url.Values
	Body         any    // sent as JSON; []byte is sent as it is
	ContentType  string // application/json if it is empty
	Key          string // the idempotency key
	Repeatable   bool   // a POST that can be repeated without an idempotency key
	Longer       time.Duration
	Accepts      func(*http.Response) bool // which answers that are no success are read nevertheless
}

// Do sends a request, and decodes the answer into `into` unless it is nil. *[]byte gets the body.
//
// A request is repeated after 429; after 502, 503, 504 and without an answer only if it may be carried out twice: all but a POST without
// an idempotency key. A retry that finds nothing to delete is a success.
func (c *Client) Do(ctx context.Context, request Request, into any) error {
	body, err := request.body()
	if err != nil {
		return err
	}
	safe := request.Repeatable || request.Key != "" || request.Method != http.MethodPost
	for attempt := 0; ; attempt++ {
		wasSent, failure := c.once(ctx, request, body, into)
		if failure == nil {
			return nil
		}
		failure.IdempotencyKey, failure.isOfRetry = request.Key, attempt > 0
		if failure.isOfRetry && failure.Status == http.StatusNotFound && request.Method == http.MethodDelete && into == nil {
			return nil
		}
		mayRepeat := failure.Status == http.StatusTooManyRequests || failure.Code == "idempotency_in_progress"
		switch failure.Status {
		case 0:
			mayRepeat = safe || !wasSent
		case 502, 503, 504:
			mayRepeat = safe
		}
		pause := failure.RetryAfter
		if pause == 0 {
			growing := math.Min(0.2*math.Pow(2, float64(attempt)), c.LongestPause.Seconds())
			pause = time.Duration(growing * (0.5 + mathrand.Float64()/2) * float64(time.Second))
		}
		if attempt >= c.Retries || !mayRepeat || pause > c.LongestPause || ctx.Err() != nil {
			return failure
		}
		select {
		case <-ctx.Done():
			return failure
		case <-time.After(pause):
		}
	}
}

func (r Request) body() ([]byte, error) {
	if r.Method == http.MethodGet || r.Method == http.MethodDelete {
		return nil, nil
	}
	if r.Body == nil {
		return []byte("{}"), nil
	}
	if bytes, ok := r.Body.([]byte); ok {
		return bytes, nil
	}
	return toJSON(r.Body)
}

// toJSON leaves <, > and & as they are: a payload is sent byte for byte, and has a limit.
func toJSON(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(value)
	return text.Bytes(), err
}

func (c *Client) once(ctx context.Context, r Request, body []byte, into any) (wasSent bool, failure *Error) {
	limited, cancel := context.WithTimeout(ctx, c.Timeout+r.Longer)
	defer cancel()
	address := c.base + r.Path
	if len(r.Query) > 0 {
		address += "?" + r.Query.Encode()
	}
	request, err := http.NewRequestWithContext(limited, r.Method, address, bytes.NewReader(body))
	if err != nil {
		return false, noAnswer(err)
	}
	if body != nil {
		request.Header.Set("Content-Type", firstOf(r.ContentType, "application/json"))
	}
	if r.Key != "" {
		request.Header.Set("Idempotency-Key", r.Key)
	}
	c.authorize(request)
	response, err := c.HTTP.Do(request)
	if err != nil {
		var operation *net.OpError
		return !(errors.As(err, &operation) && operation.Op == "dial"), noAnswer(err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return true, noAnswer(err)
	}
	if response.StatusCode/100 != 2 && (r.Accepts == nil || !r.Accepts(response)) {
		return true, problemOf(response, answer)
	}
	if err := decode(answer, into); err != nil {
		problem := Problem{Status: response.StatusCode, Code: "bad_answer", Detail: "The answer isn't one of this API.", Remedy: checkAddress}
		return true, &Error{Problem: problem, cause: err}
	}
	return true, nil
}

const checkAddress = "Check the address, and whether the server runs."

func noAnswer(cause error) *Error {
	var address *url.Error
	if errors.As(cause, &address) {
		cause = address.Err // The address has the query, which can name a device token.
	}
	detail := "The server didn't answer: " + cause.Error() + "."
	problem := Problem{Code: "no_answer", Detail: detail, Remedy: checkAddress}
	return &Error{Problem: problem, cause: cause}
}

func problemOf(response *http.Response, answer []byte) *Error {
	lines := bytes.Split(bytes.TrimSpace(answer), []byte("\n"))
	last := lines[len(lines)-1] // The last line of a stream says why it was stopped.
	var problem Problem
	stopped := struct{ Problem *Problem }{&problem}
	if json.Unmarshal(last, &stopped) != nil || problem.Code == "" {
		_ = json.Unmarshal(last, &problem)
	}
	if problem.Code == "" {
		problem = Problem{Code: "http_status", Detail: "The answer has no description."}
	}
	problem.Status = response.StatusCode
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After"))
	return &Error{Problem: problem, RetryAfter: time.Duration(seconds) * time.Second}
}

func decode(answer []byte, into any) error {
	if into == nil || len(answer) == 0 {
		return nil
	}
	switch into := into.(type) {
	case *[]byte:
		*into = answer
		return nil
	case func([]byte) error:
		return into(answer)
	}
	decoder := json.NewDecoder(bytes.NewReader(answer))
	if strict.Members {
		decoder.DisallowUnknownFields()
	}
	return decoder.Decode(into)
}

// NewKey returns an idempotency key that nobody has used.
func NewKey() string {
	var random [16]byte
	if _, err := rand.Read(random[:]); err != nil {
		panic(err) // The system has no random numbers.
	}
	return fmt.Sprintf("%x", random)
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// queryOf makes a query of pairs of names and values, and leaves out values that are empty, zero or false.
func queryOf(pairs ...any) url.Values {
	query := url.Values{}
	for index := 0; index < len(pairs); index += 2 {
		switch value := pairs[index+1]; value {
		case "", 0, false:
		default:
			query.Set(pairs[index].(string), fmt.Sprint(value))
		}
	}
	return query
}
