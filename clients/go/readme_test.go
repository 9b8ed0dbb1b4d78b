package pushprovider_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"pushprovider.example/go"
	"pushprovider.example/go/mocktest"
)

// The samples of the README are parts of this file, so they compile.

func paste(ctx context.Context) {
	client := pushprovider.New("http://127.0.0.1:8080", strings.TrimSpace(os.Getenv("PUSHSERVE_API_KEY")))
	push := pushprovider.Push{Token: "5f3ad1c07b9e4286", Payload: json.RawMessage(`{"aps":{"alert":"Your parcel has arrived"}}`), TTL: "2h"}
	sent, err := client.Send(ctx, push, pushprovider.SendOptions{Wait: 10 * time.Second})
	if err == nil && sent.Notification != nil {
		fmt.Println(sent.Notification.Outcome.Kind)
	}
}

func testAParcelArrives(t *testing.T) {
	mock := mocktest.Start(t)
	notify("5f3ad1c07b9e4286")
	mock.Wait("body:parcel", mocktest.Expected{Exactly: 1})
}

func follow(ctx context.Context, client *pushprovider.Client) error {
	results := client.Results(loadCursor())
	results.Follow = true
	for results.Next(ctx) {
		job := results.Item()
		fmt.Println(job.ID, job.Outcome.Kind, job.Outcome.Reason)
		storeCursor(results.Cursor())
	}
	return results.Err()
}

func campaign(ctx context.Context, client *pushprovider.Client, payload any, lines chan pushprovider.CampaignLine) error {
	campaign, err := client.MakeCampaign(ctx, pushprovider.NewCampaign{Name: "Sale", Payload: payload, Rate: 500})
	upload, err := client.Upload(ctx, campaign.ID, lines)
	campaign, err = client.StartCampaign(ctx, campaign.ID)
	campaign, err = client.Watch(ctx, campaign.ID, time.Second, func(c pushprovider.Campaign) { fmt.Println(c.State, c.Lines) })
	fmt.Println(upload.Refusals, campaign.State)
	err = client.Report(ctx, campaign.ID, pushprovider.ReportOptions{OnlyFailures: true}, func(line pushprovider.ReportLine) error {
		fmt.Println(line.Line, line.Outcome, line.Reason)
		return nil
	})
	var problem *pushprovider.Error
	if errors.As(err, &problem) {
		fmt.Println(problem.Code, problem.Field, problem.Remedy)
	}
	return err
}

func receive(body []byte, request *http.Request) error {
	event, err := pushprovider.VerifyWebhook(body, request.Header, os.Getenv("WEBHOOK_SECRET"))
	fmt.Println(event.ID, event.Type)
	return err
}

func testAnUninstalledApp(t *testing.T) {
	mock := mocktest.Start(t)
	mock.SetDevice("5f3ad1c07b9e4286", mocktest.NewDevice{State: "unregistered"})
	mock.Inject(mocktest.Fault{Steps: []any{mocktest.Answer(503, "ServiceUnavailable")}, Times: 1})
	notify("5f3ad1c07b9e4286")
	mock.Wait("reason:Unregistered", mocktest.Expected{Exactly: 1})
	mock.AssertNothingPushed("body:secret")
	mock.AssertNoViolations()
}

func notify(string)      {}
func loadCursor() string { return "" }
func storeCursor(string) {}

var _ = []any{paste, testAParcelArrives, follow, campaign, receive, testAnUninstalledApp}

func TestTheSamplesOfTheREADMECompile(t *testing.T) {
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	compiled := map[string]bool{"}": true, "": true}
	for _, line := range strings.Split(string(source), "\n") {
		compiled[strings.ReplaceAll(strings.TrimSpace(line), "func test", "func Test")] = true
	}
	blocks := strings.Split(string(page), "```")
	for index := 1; index < len(blocks); index += 2 {
		for _, line := range strings.Split(strings.TrimPrefix(blocks[index], "go\n"), "\n") {
			code, _, _ := strings.Cut(line, "  //")
			if !compiled[strings.TrimSpace(code)] {
				t.Errorf("%q of the README isn't in readme_test.go", strings.TrimSpace(code))
			}
		}
	}
}
