package pushprovider

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Batch is how many pushes or lines one request of a stream has.
const Batch = 500

const keptRefusals = 1000

// --- Pushes

// SendOptions are optional.
type SendOptions struct {
	Wait           time.Duration // wait for the outcome, at most 60 s; Accepted.Notification has it if it comes in time
	IdempotencyKey string        // to repeat a call; without it, each call has its own
	ValidateOnly   bool
}

// Send sends a push. When it returns, the push is on the disk of the service.
func (c *Client) Send(ctx context.Context, push Push, options ...SendOptions) (answer Accepted, err error) {
	if push.User != "" {
		return answer, errors.New("a user can have several devices: use SendToUser, whose answer has an item for each")
	}
	return answer, c.Do(ctx, sendRequest(push, options), &answer)
}

// SendToUser sends a push to all devices of its user: Devices is their number, and Items has an answer for each.
func (c *Client) SendToUser(ctx context.Context, push Push, options ...SendOptions) (answer Page[Accepted], err error) {
	return answer, c.Do(ctx, sendRequest(push, options), &answer)
}

// SendAll sends up to 1000 pushes, all or none of them: if one is invalid, Error.Problems names each invalid one.
func (c *Client) SendAll(ctx context.Context, pushes []Push, options ...SendOptions) ([]Accepted, error) {
	var page Page[Accepted]
	err := c.Do(ctx, sendRequest(pushes, options), &page)
	return page.Items, err
}

func sendRequest(body any, options []SendOptions) Request {
	o := first(options)
	query := queryOf("wait", duration(o.Wait), "validate_only", o.ValidateOnly)
	return Request{
		Method: http.MethodPost, Path: "/v1/notifications", Query: query, Body: body, Longer: o.Wait,
		Key: firstOf(o.IdempotencyKey, NewKey()),
	}
}

// SendStream sends the pushes of a channel until it is closed, and calls `answered` for each, in their order. The channel is read no faster
// than the service stores: the next pushes only when the last ones are answered. What is in the channel is sent at once, at most 500
// together. An invalid push has a Problem and does not stop the others. An error of `answered` ends the stream.
//
// Each push gets a dedupe key, so that its batch can be repeated when the answers are lost. Before SendStream returns an error of the service,
// it calls `answered` for the pushes whose answers are known: Accepted.Line is the number of the push.
func (c *Client) SendStream(ctx context.Context, pushes <-chan Push, answered func(Accepted) error) error {
	for before := 0; ; {
		batch, err := nextBatch(ctx, pushes)
		if err != nil || batch == nil {
			return err
		}
		answers, failure := c.sendBatch(ctx, batch)
		for index, answer := range answers {
			if answer.Line == 0 {
				continue
			}
			answer.Line = before + index + 1
			if err := answered(answer); err != nil {
				return err
			}
		}
		if failure != nil {
			return failure
		}
		before += len(batch)
	}
}

// sendBatch returns an answer for each push. After an error, those that aren't known have no Line.
func (c *Client) sendBatch(ctx context.Context, batch []Push) ([]Accepted, error) {
	made, waiting := make([]Accepted, len(batch)), make([]int, len(batch))
	for index := range batch {
		batch[index].DedupeKey = firstOf(batch[index].DedupeKey, NewKey())
		waiting[index] = index
	}
	for len(waiting) > 0 {
		rest := make([]Push, len(waiting))
		for position, index := range waiting {
			rest[position] = batch[index]
		}
		answers, err := askLines[Accepted](ctx, c, Request{
			Method: http.MethodPost, Path: "/v1/notifications", Body: linesOf(rest), ContentType: ndjson, Repeatable: true,
			Longer: time.Minute, Accepts: isRefusedStream,
		})
		if err != nil {
			return made, err
		}
		stopped := Problem{Code: "stream_stopped", Detail: "The service ended the stream."}
		for _, answer := range answers {
			if answer.Line > 0 && answer.Line <= len(waiting) {
				made[waiting[answer.Line-1]] = answer
			} else if answer.Result == "stopped" && answer.Problem != nil {
				stopped = *answer.Problem
			}
		}
		left := []int{}
		for _, index := range waiting {
			if made[index].Line == 0 {
				left = append(left, index)
			}
		}
		if len(left) == len(waiting) {
			return made, &Error{Problem: stopped}
		}
		waiting = left
	}
	return made, nil
}

// isRefusedStream: each line was refused, and the answers say why.
func isRefusedStream(answer *http.Response) bool {
	return answer.StatusCode == 422 && strings.Contains(answer.Header.Get("Content-Type"), "ndjson")
}

// nextBatch waits for a value, and adds those that are ready. It returns nil at the end.
func nextBatch[T any](ctx context.Context, source <-chan T) (batch []T, err error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case value, ok := <-source:
		if !ok {
			return nil, nil
		}
		batch = append(batch, value)
	}
	for len(batch) < Batch {
		select {
		case value, ok := <-source:
			if !ok {
				return batch, nil
			}
			batch = append(batch, value)
		default:
			return batch, nil
		}
	}
	return batch, nil
}

// Notification returns the state of a push, with its history.
func (c *Client) Notification(ctx context.Context, id string) (answer Notification, err error) {
	return answer, c.get(ctx, "/v1/notifications/"+url.PathEscape(id), queryOf("history", true), &answer)
}

// List selects a page. Notifications takes one of IDs, Outcome, State, Token, CollapseID and DedupeKey, and with the state waiting DueBefore;
// NewestResults takes Outcome, Reason, Since and Before. With Alerts, these and DeadLetters also list what each push says. IDs that aren't nil,
// but empty, are refused: they don't mean everything.
type List struct {
	App, After, Outcome, State              string
	Token, CollapseID, DedupeKey, DueBefore string
	Reason, Campaign, Since, Before         string
	IDs                                     []string
	Limit                                   int
	Alerts                                  bool
}

func (l List) query() url.Values {
	query := queryOf(
		"app", l.App, "after", l.After, "outcome", l.Outcome, "state", l.State, "token", l.Token, "collapse_id", l.CollapseID,
		"dedupe_key", l.DedupeKey, "due_before", l.DueBefore, "reason", l.Reason, "campaign", l.Campaign, "since", l.Since, "before", l.Before,
		"limit", l.Limit, "alerts", l.Alerts)
	if l.IDs != nil {
		query.Set("ids", strings.Join(l.IDs, ","))
	}
	return query
}

func (c *Client) Notifications(ctx context.Context, list List) (page Page[Notification], err error) {
	return page, c.get(ctx, "/v1/notifications", list.query(), &page)
}

// Cancel cancels a push that has not been started.
func (c *Client) Cancel(ctx context.Context, id string) (answer Cancelled, err error) {
	err = c.Do(ctx, Request{Method: http.MethodDelete, Path: "/v1/notifications/" + url.PathEscape(id)}, &answer)
	if failure := refusedRetry(err, "already_finished"); failure != nil && failure.Outcome == "not_sent" {
		return Cancelled{ID: id, Result: "cancelled"}, nil
	}
	return answer, err
}

// refusedRetry is an error that an earlier request of the same call can have caused, which was carried out.
func refusedRetry(err error, code string) (failure *Error) {
	if errors.As(err, &failure) && failure.isOfRetry && failure.Code == code {
		return failure
	}
	return nil
}

// Matching limits CancelAll to a "token", a "collapse_id" and "due_before". With "dry_run": true, nothing is cancelled. The service refuses
// a nil and an empty text: a value that is missing by mistake must not mean everything.
type Matching map[string]any

// CancelAll cancels all waiting pushes of an app, or those that match, and returns how many.
func (c *Client) CancelAll(ctx context.Context, app string, matching ...Matching) (answer CancelledAll, err error) {
	request := Request{Method: http.MethodPost, Path: "/v1/notifications/cancel", Query: queryOf("app", app)}
	if len(matching) > 0 {
		request.Body = matching[0]
	}
	return answer, c.Do(ctx, request, &answer)
}

// --- Results

// Results iterates over outcomes. Store Cursor after each one, and begin with it the next time:
//
//	results := client.Results(cursor)
//	for results.Next(ctx) {
//		store(results.Item(), results.Cursor())
//	}
//	return results.Err()
type Results struct {
	Follow bool   // wait for more after the last one
	App    string // only those of an app

	client *Client
	items  []Notification
	item   Notification
	cursor string
	gap    bool
	err    error
}

// Results begins after a cursor; after "" with the oldest outcome.
func (c *Client) Results(after string) *Results { return &Results{client: c, cursor: after} }

func (r *Results) Item() Notification { return r.item }
func (r *Results) Cursor() string     { return r.cursor }
func (r *Results) Err() error         { return r.err }

// Gap is true if outcomes were deleted before you read them.
func (r *Results) Gap() bool { return r.gap }

// Next goes to the next outcome. It returns false after the last one, and after an error.
func (r *Results) Next(ctx context.Context) bool {
	for len(r.items) == 0 {
		var page Page[Notification]
		page, r.err = r.client.ResultsPage(ctx, List{After: r.cursor, App: r.App})
		if r.err != nil {
			return false
		}
		r.items, r.gap = page.Items, r.gap || page.Gap
		if len(page.Items) > 0 {
			break
		}
		r.cursor = page.Next
		if !r.Follow {
			return false
		}
		if r.err = pause(ctx, time.Second); r.err != nil {
			return false
		}
	}
	r.item, r.items = r.items[0], r.items[1:]
	r.cursor = r.item.Cursor
	return true
}

func (c *Client) ResultsPage(ctx context.Context, list List) (page Page[Notification], err error) {
	return page, c.get(ctx, "/v1/results", list.query(), &page)
}

// NewestResults are the newest outcomes first. After is the Next of the previous page, so Each reads them all.
func (c *Client) NewestResults(ctx context.Context, list List) (page Page[Notification], err error) {
	list.Before, list.After = firstOf(list.After, list.Before), ""
	query := list.query()
	query.Set("order", "newest")
	return page, c.get(ctx, "/v1/results", query, &page)
}

// Statistics counts outcomes by "reason", "app" or "minute", of the last hour or since a time. Each text can be empty.
func (c *Client) Statistics(ctx context.Context, app, since, by string) (answer Statistics, err error) {
	return answer, c.get(ctx, "/v1/statistics", queryOf("app", app, "since", since, "by", by), &answer)
}

func (c *Client) DeadLetters(ctx context.Context, list List) (page Page[Notification], err error) {
	return page, c.get(ctx, "/v1/dead-letters", list.query(), &page)
}

// RedriveOptions are optional: TTL is how long the new pushes are worth sending, from now on.
type RedriveOptions struct{ TTL time.Duration }

// Redrive sends dead letters again, as new pushes.
func (c *Client) Redrive(ctx context.Context, app string, ids []string, options ...RedriveOptions) ([]Redriven, error) {
	body := map[string]any{"ids": append([]string{}, ids...)}
	if ttl := duration(first(options).TTL); ttl != "" {
		body["ttl"] = ttl
	}
	var page Page[Redriven]
	err := c.Do(ctx, Request{
		Method: http.MethodPost, Path: "/v1/dead-letters/redrive", Query: queryOf("app", app), Body: body, Repeatable: true,
	}, &page)
	return page.Items, err
}

// GoneTokens are device tokens that Apple has reported gone.
func (c *Client) GoneTokens(ctx context.Context, list List) (page Page[GoneToken], err error) {
	return page, c.get(ctx, "/v1/gone-tokens", list.query(), &page)
}

func (c *Client) ForgetGoneToken(ctx context.Context, app, token string) error {
	path := "/v1/gone-tokens/" + url.PathEscape(token)
	return c.Do(ctx, Request{Method: http.MethodDelete, Path: path, Query: queryOf("app", app)}, nil)
}

// Export returns everything that is kept of a device token: an object for each notification, and for each app that has it as gone.
func (c *Client) Export(ctx context.Context, app, token string) ([]map[string]any, error) {
	query := queryOf("app", app, "token", token)
	return askLines[map[string]any](ctx, c, Request{Method: http.MethodGet, Path: "/v1/export", Query: query, Longer: time.Minute})
}

// Erase erases everything that concerns a device token, and returns how many notifications that were.
func (c *Client) Erase(ctx context.Context, app, token string) (int, error) {
	var answer struct{ Erased int }
	query := queryOf("app", app, "token", token)
	err := c.Do(ctx, Request{Method: http.MethodDelete, Path: "/v1/notifications", Query: query, Longer: time.Minute}, &answer)
	return answer.Erased, err
}

// Each calls `found` for each entry of all pages: Each(ctx, client.GoneTokens, List{}, func(token GoneToken) error { ... }).
func Each[T any](ctx context.Context, page func(context.Context, List) (Page[T], error), list List, found func(T) error) error {
	for {
		page, err := page(ctx, list)
		if err != nil {
			return err
		}
		for _, item := range page.Items {
			if err := found(item); err != nil {
				return err
			}
		}
		if page.Next == "" || (len(page.Items) == 0 && page.Next == list.After) {
			return nil
		}
		list.After = page.Next
	}
}

// --- Campaigns

// MakeCampaign makes a draft. A key makes a repeated call harmless; without one, only the retries of this call are.
func (c *Client) MakeCampaign(ctx context.Context, campaign NewCampaign, key ...string) (answer Campaign, err error) {
	idempotency := firstOf(first(key), NewKey())
	return answer, c.Do(ctx, Request{Method: http.MethodPost, Path: "/v1/campaigns", Body: campaign, Key: idempotency}, &answer)
}

// Upload adds the lines of a channel to a campaign until it is closed. To continue after an interruption, call it again with the same lines:
// each has its number, and the service ignores those that it has.
func (c *Client) Upload(ctx context.Context, id string, lines <-chan CampaignLine) (total Upload, err error) {
	number := 1
	for {
		batch, err := nextBatch(ctx, lines)
		if err != nil || batch == nil {
			return total, err
		}
		var answer Campaign
		err = c.Do(ctx, Request{
			Method: http.MethodPost, Path: campaignPath(id) + "/lines", Query: queryOf("from", number), Body: linesOf(batch),
			ContentType: ndjson, Repeatable: true, Longer: time.Minute,
		}, &answer)
		if err != nil {
			return total, err
		}
		if now := answer.Upload; now != nil {
			if number > 1 {
				now.Unfilled = common(total.Unfilled, now.Unfilled)
			}
			total.Accepted += now.Accepted
			total.Repeated += now.Repeated
			total.Refused += now.Refused
			total.Doubled += now.Doubled
			total.NextLine, total.Unfilled = now.NextLine, now.Unfilled
			total.Refusals = atMost(keptRefusals, append(total.Refusals, now.Refusals...))
			total.DoubledLines = atMost(100, append(total.DoubledLines, now.DoubledLines...))
		}
		number += len(batch)
	}
}

func (c *Client) Campaign(ctx context.Context, id string) (answer Campaign, err error) {
	return answer, c.get(ctx, campaignPath(id), nil, &answer)
}

func (c *Client) Campaigns(ctx context.Context, list List) (page Page[Campaign], err error) {
	return page, c.get(ctx, "/v1/campaigns", list.query(), &page)
}

// ChangeRate changes the lines per second; 0 is no limit.
func (c *Client) ChangeRate(ctx context.Context, id string, rate float64) (answer Campaign, err error) {
	body := map[string]any{"rate": nil}
	if rate != 0 {
		body["rate"] = rate
	}
	return answer, c.Do(ctx, Request{Method: http.MethodPatch, Path: campaignPath(id), Body: body}, &answer)
}

// StartOptions are optional: Open accepts lines until CloseCampaign, Unfilled starts although a placeholder has no value.
type StartOptions struct{ Open, Unfilled bool }

func (c *Client) StartCampaign(ctx context.Context, id string, options ...StartOptions) (Campaign, error) {
	o := first(options)
	answer, err := c.step(ctx, id, "start", queryOf("open", o.Open, "unfilled", o.Unfilled))
	if refusedRetry(err, "campaign_state") != nil {
		if campaign, failure := c.Campaign(ctx, id); failure == nil && campaign.StartedAt != "" {
			return campaign, nil
		}
	}
	return answer, err
}

func (c *Client) CloseCampaign(ctx context.Context, id string) (Campaign, error) {
	return c.step(ctx, id, "close", nil)
}

func (c *Client) PauseCampaign(ctx context.Context, id string) (Campaign, error) {
	return c.step(ctx, id, "pause", nil)
}

func (c *Client) ResumeCampaign(ctx context.Context, id string) (Campaign, error) {
	return c.step(ctx, id, "resume", nil)
}

func (c *Client) CancelCampaign(ctx context.Context, id string) (Campaign, error) {
	return c.step(ctx, id, "cancel", nil)
}

func (c *Client) step(ctx context.Context, id, step string, query url.Values) (answer Campaign, err error) {
	path := campaignPath(id) + "/" + step
	return answer, c.Do(ctx, Request{Method: http.MethodPost, Path: path, Query: query, Repeatable: true}, &answer)
}

// Watch calls `changed` with the campaign now and after each pause, until the campaign has ended, which it returns.
func (c *Client) Watch(ctx context.Context, id string, every time.Duration, changed func(Campaign)) (Campaign, error) {
	for {
		campaign, err := c.Campaign(ctx, id)
		if err != nil {
			return campaign, err
		}
		changed(campaign)
		if campaign.HasEnded() {
			return campaign, nil
		}
		if err := pause(ctx, every); err != nil {
			return campaign, err
		}
	}
}

// ReportOptions are optional.
type ReportOptions struct {
	OnlyFailures bool
	After        int // that of the last line that you have read, or its Line if it has no After
}

// Report calls `found` with the result of each line.
func (c *Client) Report(ctx context.Context, id string, options ReportOptions, found func(ReportLine) error) error {
	only := ""
	if options.OnlyFailures {
		only = "failures"
	}
	for after := options.After; ; {
		page, err := askLines[ReportLine](ctx, c, Request{
			Method: http.MethodGet, Path: campaignPath(id) + "/report", Query: queryOf("after", after, "limit", 1000, "only", only),
			Longer: time.Minute,
		})
		if err != nil || len(page) == 0 {
			return err
		}
		for _, line := range page {
			if err := found(line); err != nil {
				return err
			}
			after = line.Line
			if line.After != 0 {
				after = line.After
			}
		}
	}
}

// --- Apps

// PauseApp pauses an app. The status and the audit show the reason to other people.
func (c *Client) PauseApp(ctx context.Context, name string, reason ...string) error {
	if why := first(reason); why != "" {
		return c.appStep(ctx, name, "pause", map[string]any{"reason": why})
	}
	return c.appStep(ctx, name, "pause", nil)
}

func (c *Client) ResumeApp(ctx context.Context, name string) error {
	return c.appStep(ctx, name, "resume", nil)
}

func (c *Client) appStep(ctx context.Context, name, step string, body any) error {
	path := "/v1/apps/" + url.PathEscape(name) + "/" + step
	return c.Do(ctx, Request{Method: http.MethodPost, Path: path, Body: body, Repeatable: true}, nil)
}

// Webhooks are those of an app, or with "" of all.
func (c *Client) Webhooks(ctx context.Context, app string) (page Page[Webhook], err error) {
	return page, c.get(ctx, "/v1/webhooks", queryOf("app", app), &page)
}

// TestWebhook posts a test event, and waits for the answer.
func (c *Client) TestWebhook(ctx context.Context, app string) (answer TestedWebhook, err error) {
	path := "/v1/webhooks/" + url.PathEscape(app) + "/test"
	return answer, c.Do(ctx, Request{Method: http.MethodPost, Path: path, Repeatable: true, Longer: time.Minute}, &answer)
}

// RetryWebhook posts the events that wait after a failure now.
func (c *Client) RetryWebhook(ctx context.Context, app string) error {
	path := "/v1/webhooks/" + url.PathEscape(app) + "/retry"
	return c.Do(ctx, Request{Method: http.MethodPost, Path: path, Repeatable: true}, nil)
}

func (c *Client) Status(ctx context.Context) (answer Status, err error) {
	return answer, c.get(ctx, "/v1/status", nil, &answer)
}

// Ready returns nil if the service can store a push.
func (c *Client) Ready(ctx context.Context) error { return c.get(ctx, "/readyz", nil, nil) }

// --- Parts

const ndjson = "application/x-ndjson"

func (c *Client) get(ctx context.Context, path string, query url.Values, into any) error {
	return c.Do(ctx, Request{Method: http.MethodGet, Path: path, Query: query}, into)
}

func campaignPath(id string) string { return "/v1/campaigns/" + url.PathEscape(id) }

func linesOf[T any](values []T) (lines []byte) {
	for _, value := range values {
		line, err := toJSON(value)
		if err != nil {
			line = []byte("null\n") // The service refuses the line, so that each push has its answer.
		}
		lines = append(lines, line...)
	}
	return lines
}

func askLines[T any](ctx context.Context, c *Client, request Request) (values []T, err error) {
	err = c.Do(ctx, request, func(body []byte) error {
		for _, line := range bytes.Split(body, []byte("\n")) {
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			var value T
			if err := decode(line, &value); err != nil {
				return err
			}
			values = append(values, value)
		}
		return nil
	})
	return values, err
}

// duration is a time as the API has it: 10s or 250ms.
func duration(time time.Duration) string {
	switch milliseconds := time.Milliseconds(); {
	case milliseconds == 0:
		return ""
	case milliseconds%1000 == 0:
		return strconv.FormatInt(milliseconds/1000, 10) + "s"
	default:
		return strconv.FormatInt(milliseconds, 10) + "ms"
	}
}

func pause(ctx context.Context, length time.Duration) error {
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

func first[T any](options []T) (value T) {
	if len(options) > 0 {
		value = options[0]
	}
	return value
}

func atMost[T any](count int, values []T) []T {
	if len(values) > count {
		return values[:count]
	}
	return values
}

func common(texts, others []string) (both []string) {
	for _, text := range texts {
		for _, other := range others {
			if text == other {
				both = append(both, text)
			}
		}
	}
	return both
}
