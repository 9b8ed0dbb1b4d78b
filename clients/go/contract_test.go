package pushprovider

import (
	"context"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"pushprovider.example/go/internal/contract"
	"pushprovider.example/go/internal/strict"
)

func TestMain(m *testing.M) {
	strict.Members = true
	os.Exit(m.Run())
}

func real(t testing.TB) *Client {
	t.Helper()
	if os.Getenv("PUSHSERVE_URL") == "" {
		t.Skip("PUSHSERVE_URL isn't set; run the tests with clients/contract/with-service")
	}
	t.Cleanup(func() {
		// Pushes on their way would arrive in the next test.
		other := New(os.Getenv("PUSHSERVE_URL"), os.Getenv("PUSHSERVE_API_KEY"))
		for {
			counts := must[Status](t)(other.Status(context.Background())).Apps[0].Counts
			if counts["waiting"]+counts["leased"]+counts["started"] == 0 {
				return
			}
			time.Sleep(20 * time.Millisecond)
		}
	})
	return New(os.Getenv("PUSHSERVE_URL"), os.Getenv("PUSHSERVE_API_KEY"))
}

func hello(digit string) Push {
	return Push{Token: DeviceToken("5f3ad1c07b9e428" + digit), Payload: map[string]any{"aps": map[string]any{"alert": "Hello"}}}
}

func must[T any](t testing.TB) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal(t testing.TB, got, expected any) {
	t.Helper()
	if !reflect.DeepEqual(got, expected) {
		t.Fatalf("got %v, expected %v", got, expected)
	}
}

func channel[T any](values ...T) <-chan T {
	made := make(chan T, len(values))
	for _, value := range values {
		made <- value
	}
	close(made)
	return made
}

func TestEachOperationOfTheService(t *testing.T) {
	ctx, client := context.Background(), real(t)
	document := contract.Read(t, "service", "PushService")
	document.Watch(t, client.HTTP)

	check(t, client.Ready(ctx))
	push := hello("1")
	push.DedupeKey = NewKey()
	sent := must[Accepted](t)(client.Send(ctx, push, SendOptions{Wait: 10 * time.Second}))
	equal(t, sent.Notification.Outcome.Kind, "accepted")
	equal(t, len(must[[]Accepted](t)(client.SendAll(ctx, []Push{hello("2"), hello("3")}))), 2)
	results := []string{}
	check(t, client.SendStream(ctx, channel(hello("4"), hello("5")), func(answer Accepted) error {
		results = append(results, answer.Result)
		return nil
	}))
	equal(t, results, []string{"queued", "queued"})
	equal(t, len(must[Notification](t)(client.Notification(ctx, sent.ID)).History) > 0, true)
	equal(t, must[Page[Notification]](t)(client.Notifications(ctx, List{IDs: []string{sent.ID}})).Items[0].ID, sent.ID)
	followed := client.Results("")
	followed.Follow = true
	for followed.Next(ctx) && followed.Item().ID != sent.ID {
	}
	check(t, followed.Err())

	token := string(hello("1").Token)
	equal(t, must[Page[Notification]](t)(client.Notifications(ctx, List{Token: token, Limit: 1})).Items[0].ID, sent.ID)
	isFound := false
	check(t, Each(ctx, client.NewestResults, List{Outcome: "accepted", Limit: 2}, func(each Notification) error {
		isFound = isFound || each.ID == sent.ID
		return nil
	}))
	equal(t, isFound, true)
	equal(t, must[Statistics](t)(client.Statistics(ctx, "", "", "minute")).Items[0].Accepted >= 1, true)
	equal(t, must[Page[Webhook]](t)(client.Webhooks(ctx, "")).Items[0].App, "shop")
	equal(t, must[TestedWebhook](t)(client.TestWebhook(ctx, "shop")).Result, "taken")
	check(t, client.RetryWebhook(ctx, "shop"))
	_, err := client.SendToUser(ctx, Push{User: "42", Payload: hello("1").Payload})
	var failure *Error
	equal(t, errors.As(err, &failure) && failure.Code == "no_recipients", true)

	push = hello("6")
	push.DeliverAt = "2100-01-01T00:00:00Z"
	later := must[Accepted](t)(client.Send(ctx, push))
	equal(t, must[Cancelled](t)(client.Cancel(ctx, later.ID)).Result, "cancelled")
	must[Accepted](t)(client.Send(ctx, push))
	equal(t, must[CancelledAll](t)(client.CancelAll(ctx, "")).Cancelled >= 1, true)

	push = hello("7")
	push.Token = DeviceToken("990410" + strings.Repeat("0", 58))
	gone := must[Accepted](t)(client.Send(ctx, push, SendOptions{Wait: 10 * time.Second}))
	equal(t, gone.Notification.Outcome.Reason, "Unregistered")
	tokens := []DeviceToken{}
	check(t, Each(ctx, client.GoneTokens, List{}, func(token GoneToken) error {
		tokens = append(tokens, token.Token)
		return nil
	}))
	equal(t, tokens, []DeviceToken{push.Token})
	check(t, client.ForgetGoneToken(ctx, "", string(push.Token)))
	equal(t, len(must[Page[Notification]](t)(client.DeadLetters(ctx, List{})).Items), 0)
	equal(t, must[[]Redriven](t)(client.Redrive(ctx, "", []string{sent.ID}, RedriveOptions{TTL: time.Hour}))[0].Result, "not_a_dead_letter")

	payload := map[string]any{"aps": map[string]any{"alert": "{{name}}"}}
	draft := must[Campaign](t)(client.MakeCampaign(ctx, NewCampaign{Name: "Points", Payload: payload, Rate: 1000}))
	lines := channel(CampaignLine{"token": "5f3ad1c07b9e4286", "name": "Ann"}, CampaignLine{"token": "x", "name": "Ben"})
	upload := must[Upload](t)(client.Upload(ctx, draft.ID, lines))
	equal(t, []int{upload.Accepted, upload.Refused, upload.NextLine}, []int{1, 1, 3})
	equal(t, *must[Campaign](t)(client.ChangeRate(ctx, draft.ID, 500)).Rate, 500.0)
	must[Campaign](t)(client.StartCampaign(ctx, draft.ID, StartOptions{Open: true}))
	equal(t, must[Campaign](t)(client.PauseCampaign(ctx, draft.ID)).State, "paused")
	must[Campaign](t)(client.ResumeCampaign(ctx, draft.ID))
	must[Campaign](t)(client.CloseCampaign(ctx, draft.ID))
	equal(t, must[Campaign](t)(client.Watch(ctx, draft.ID, 50*time.Millisecond, func(Campaign) {})).State, "finished")
	report := func(options ReportOptions) (found []string) {
		check(t, client.Report(ctx, draft.ID, options, func(line ReportLine) error {
			found = append(found, line.Outcome)
			return nil
		}))
		return found
	}
	equal(t, report(ReportOptions{}), []string{"accepted", "not_sent"})
	equal(t, report(ReportOptions{OnlyFailures: true}), []string{"not_sent"})
	other := must[Campaign](t)(client.MakeCampaign(ctx, NewCampaign{Name: "None"}))
	equal(t, strings.HasPrefix(must[Campaign](t)(client.CancelCampaign(ctx, other.ID)).State, "cancel"), true)
	found := 0
	check(t, Each(ctx, client.Campaigns, List{Limit: 1}, func(Campaign) error { found++; return nil }))
	equal(t, found >= 2, true)
	equal(t, must[Campaign](t)(client.Campaign(ctx, draft.ID)).Name, "Points")

	check(t, client.PauseApp(ctx, "shop", "The sale is over."))
	app := must[Status](t)(client.Status(ctx)).Apps[0]
	equal(t, app.State+": "+app.Reason, "paused: The sale is over.")
	check(t, client.ResumeApp(ctx, "shop"))
	exported, kept := must[[]map[string]any](t)(client.Export(ctx, "", token)), false
	for _, line := range exported {
		kept = kept || line["id"] == sent.ID
	}
	equal(t, kept, true)
	equal(t, must[int](t)(client.Erase(ctx, "", token)) >= 1, true)
	equal(t, len(must[[]map[string]any](t)(client.Export(ctx, "", token))), 0)
	document.AssertComplete(t)
}

func TestTypesHaveEachMemberOfTheDocument(t *testing.T) {
	document := contract.Read(t, "service", "PushService")
	document.CompareNamed(t, map[string]any{
		"Problem": Problem{}, "NewNotification": Push{}, "NewCampaign": NewCampaign{}, "Accepted": Accepted{},
		"AcceptedItems": Page[Accepted]{}, "NotificationPage": Page[Notification]{}, "Campaign": Campaign{}, "AppStatus": AppStatus{},
		"ReportLine": ReportLine{},
	})
	for name, value := range map[string]any{
		"results": Page[Notification]{}, "status": Status{}, "cancel": Cancelled{}, "cancelAll": CancelledAll{}, "redrive": Page[Redriven]{},
		"goneTokens": Page[GoneToken]{}, "campaigns": Page[Campaign]{}, "statistics": Statistics{}, "webhooks": Page[Webhook]{},
		"testWebhook": TestedWebhook{},
	} {
		document.CompareAnswer(t, name, value)
	}
}

type recorder struct {
	testing.TB
	failed bool
}

func (r *recorder) Errorf(string, ...any) { r.failed = true }
func (r *recorder) Helper()               {}

func TestAMemberThatATypeLacksFails(t *testing.T) {
	document, noted := contract.Read(t, "service", "PushService"), &recorder{}
	document.CompareNamed(noted, map[string]any{"Campaign": Status{}})
	equal(t, noted.failed, true)
}
