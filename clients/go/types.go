package pushprovider

// The members have the names of the OpenAPI document. Members that a newer service adds are ignored.

// A DeviceToken is the address of a device. Printed, it is shortened.
type DeviceToken string

func (t DeviceToken) String() string {
	if len(t) <= 12 {
		return string(t)
	}
	return string(t[:8]) + "…" + string(t[len(t)-4:])
}

// GoString keeps %#v from printing the whole token.
func (t DeviceToken) GoString() string { return t.String() }

// String keeps %v from printing the payload.
func (p Push) String() string { return "a push to " + p.Token.String() + p.Channel }

// GoString is the same for %#v.
func (p Push) GoString() string { return p.String() }

// A CampaignLine has a token and the values for the placeholders of the payload; docs/batch.md has its members.
type CampaignLine map[string]any

// HasEnded is true when no line of the campaign will be sent any more.
func (c Campaign) HasEnded() bool { return c.State == "finished" || c.State == "cancelled" }

// A NewCampaign is a draft. Payload can have placeholders: {{name}}.
type NewCampaign struct {
	Name          string  `json:"name"`
	App           string  `json:"app,omitempty"`
	Payload       any     `json:"payload,omitempty"`
	Topic         string  `json:"topic,omitempty"`
	PushType      string  `json:"push_type,omitempty"`
	Priority      int     `json:"priority,omitempty"`
	CollapseID    string  `json:"collapse_id,omitempty"`
	Expires       string  `json:"expires,omitempty"`
	QueuePriority string  `json:"queue_priority,omitempty"`
	TokenColumn   string  `json:"token_column,omitempty"`
	Audience      string  `json:"audience,omitempty"`
	Rate          float64 `json:"rate,omitempty"`
	StartsAt      string  `json:"starts_at,omitempty"`
	ExpiresAt     string  `json:"expires_at,omitempty"`
}

// A Push goes to the device of a token, to the subscribers of a channel, or with SendToUser to all devices of a user. With Once, Apple
// tries once, and does not store the push. Payload is anything that becomes a JSON object.
type Push struct {
	Payload       any         `json:"payload,omitempty"`
	Token         DeviceToken `json:"token,omitempty"`
	Channel       string      `json:"channel,omitempty"`
	User          string      `json:"user,omitempty"`
	Vars          any         `json:"vars,omitempty"`
	App           string      `json:"app,omitempty"`
	Topic         string      `json:"topic,omitempty"`
	PushType      string      `json:"push_type,omitempty"`
	Priority      int         `json:"priority,omitempty"`
	CollapseID    string      `json:"collapse_id,omitempty"`
	DeliverAt     string      `json:"deliver_at,omitempty"`
	ExpiresAt     string      `json:"expires_at,omitempty"`
	TTL           string      `json:"ttl,omitempty"`
	Once          bool        `json:"once,omitempty"`
	QueuePriority string      `json:"queue_priority,omitempty"`
	DedupeKey     string      `json:"dedupe_key,omitempty"`
	RegisteredAt  string      `json:"registered_at,omitempty"`
	Traceparent   string      `json:"traceparent,omitempty"`
}

type Finding struct {
	Rule     string `json:"rule,omitempty"`
	Severity string `json:"severity,omitempty"`
	Detail   string `json:"detail,omitempty"`
	Field    string `json:"field,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
	Remedy   string `json:"remedy,omitempty"`
}

// A Problem is a problem document (RFC 9457).
type Problem struct {
	Type         string    `json:"type,omitempty"`
	Title        string    `json:"title,omitempty"`
	Status       int       `json:"status,omitempty"`
	Code         string    `json:"code,omitempty"`
	Detail       string    `json:"detail,omitempty"`
	Field        string    `json:"field,omitempty"`
	Line         int       `json:"line,omitempty"`
	Column       int       `json:"column,omitempty"`
	Remedy       string    `json:"remedy,omitempty"`
	Findings     []Finding `json:"findings,omitempty"`
	Campaign     string    `json:"campaign,omitempty"` // of an interrupted upload
	Outcome      string    `json:"outcome,omitempty"`  // of already_finished
	Refused      int       `json:"refused,omitempty"`
	Problems     []Problem `json:"problems,omitempty"`
	SearchColumn int       `json:"search_column,omitempty"`
}

type Outcome struct {
	Kind         string `json:"kind,omitempty"`
	Reason       string `json:"reason,omitempty"`
	Detail       string `json:"detail,omitempty"`
	Status       int    `json:"status,omitempty"`
	APNSUniqueID string `json:"apns_unique_id,omitempty"`
	GoneSince    string `json:"gone_since,omitempty"`
}

type HistoryEvent struct {
	At     string `json:"at,omitempty"`
	Event  string `json:"event,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// Alert is what a push says, with the values of its template.
type Alert struct {
	Title string `json:"title,omitempty"`
	Body  string `json:"body,omitempty"`
}

type Try struct {
	StartedAt string `json:"started_at,omitempty"`
	Ended     string `json:"ended,omitempty"`
	Result    string `json:"result,omitempty"`
	Detail    string `json:"detail,omitempty"`
	Worker    string `json:"worker,omitempty"`
}

// A Posting is how far the webhook message of a notification is.
type Posting struct {
	State    string `json:"state,omitempty"`
	Failures int    `json:"failures,omitempty"`
	NextAt   string `json:"next_at,omitempty"`
	Detail   string `json:"detail,omitempty"`
}

// A Notification is a push in the queue. Outcome is nil until it has ended. From Topic on, members are those of one notification.
type Notification struct {
	ID            string         `json:"id,omitempty"`
	App           string         `json:"app,omitempty"`
	Token         DeviceToken    `json:"token,omitempty"`
	Channel       string         `json:"channel,omitempty"`
	User          string         `json:"user,omitempty"`
	State         string         `json:"state,omitempty"`
	Outcome       *Outcome       `json:"outcome,omitempty"`
	QueuedAt      string         `json:"queued_at,omitempty"`
	DeliverAt     string         `json:"deliver_at,omitempty"`
	ExpiresAt     string         `json:"expires_at,omitempty"`
	FinishedAt    string         `json:"finished_at,omitempty"`
	Attempts      int            `json:"attempts,omitempty"`
	QueuePriority string         `json:"queue_priority,omitempty"`
	DedupeKey     string         `json:"dedupe_key,omitempty"`
	Campaign      string         `json:"campaign,omitempty"`
	Line          int            `json:"line,omitempty"`
	RedrivenAs    string         `json:"redriven_as,omitempty"`
	Cursor        string         `json:"cursor,omitempty"`
	TraceID       string         `json:"trace_id,omitempty"`
	Alert         *Alert         `json:"alert,omitempty"`
	Topic         string         `json:"topic,omitempty"`
	PushType      string         `json:"push_type,omitempty"`
	Priority      int            `json:"priority,omitempty"`
	CollapseID    string         `json:"collapse_id,omitempty"`
	Once          bool           `json:"once,omitempty"`
	Payload       any            `json:"payload,omitempty"`
	Vars          map[string]any `json:"vars,omitempty"`
	PayloadState  string         `json:"payload_state,omitempty"`
	ClaimedBy     string         `json:"claimed_by,omitempty"`
	LostWorkers   int            `json:"lost_workers,omitempty"`
	StartedAt     string         `json:"started_at,omitempty"`
	Tries         []Try          `json:"tries,omitempty"`
	Webhook       *Posting       `json:"webhook,omitempty"`
	History       []HistoryEvent `json:"history,omitempty"`
}

// Accepted is the answer for one push. Line and Problem are those of a stream; Index is the push of an array with users, from 0.
type Accepted struct {
	Result       string        `json:"result,omitempty"`
	ID           string        `json:"id,omitempty"`
	Warnings     []Finding     `json:"warnings,omitempty"`
	Notification *Notification `json:"notification,omitempty"`
	Line         int           `json:"line,omitempty"`
	Index        int           `json:"index,omitempty"`
	Items        []Accepted    `json:"items,omitempty"` // in a stream: the answer for each device of a user
	Devices      int           `json:"devices,omitempty"`
	Problem      *Problem      `json:"problem,omitempty"`
}

// A Page is a part of a list. Next is the After of the next one. Gap: outcomes were deleted before you read them. Devices: sent to users,
// the number of pushes.
type Page[T any] struct {
	Items   []T    `json:"items,omitempty"`
	Next    string `json:"next,omitempty"`
	Gap     bool   `json:"gap,omitempty"`
	Devices int    `json:"devices,omitempty"`
}

type Cancelled struct {
	ID     string `json:"id,omitempty"`
	Result string `json:"result,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// CancelledAll counts pushes that won't be sent any more.
type CancelledAll struct {
	Cancelled int `json:"cancelled"`
	// An earlier try may have reached Apple.
	Unknown int `json:"unknown"`
	// With dry_run: how many match, and whether there are more than were counted.
	Matching int  `json:"matching,omitempty"`
	More     bool `json:"more,omitempty"`
}

type Refusal struct {
	Line    int    `json:"line,omitempty"`
	Code    string `json:"code,omitempty"`
	Detail  string `json:"detail,omitempty"`
	Field   string `json:"field,omitempty"`
	Remedy  string `json:"remedy,omitempty"`
	Outcome string `json:"outcome,omitempty"`
	Reason  string `json:"reason,omitempty"`
}

type Upload struct {
	Accepted     int       `json:"accepted,omitempty"`
	Repeated     int       `json:"repeated,omitempty"`
	Refused      int       `json:"refused,omitempty"`
	Refusals     []Refusal `json:"refusals,omitempty"`
	NextLine     int       `json:"next_line,omitempty"`
	Doubled      int       `json:"doubled,omitempty"` // lines with the token of an earlier line; Upload compares only those of one batch
	DoubledLines []int     `json:"doubled_lines,omitempty"`
	Unfilled     []string  `json:"unfilled,omitempty"`
}

type OutcomeCount struct {
	Kind   string `json:"kind,omitempty"`
	Reason string `json:"reason,omitempty"`
	Count  int    `json:"count,omitempty"`
}

type Campaign struct {
	ID            string         `json:"id,omitempty"`
	App           string         `json:"app,omitempty"`
	Name          string         `json:"name,omitempty"`
	State         string         `json:"state,omitempty"`
	Open          bool           `json:"open,omitempty"`
	CreatedAt     string         `json:"created_at,omitempty"`
	StartedAt     string         `json:"started_at,omitempty"`
	EndedAt       string         `json:"ended_at,omitempty"`
	StartsAt      string         `json:"starts_at,omitempty"`
	ExpiresAt     string         `json:"expires_at,omitempty"`
	EstimatedEnd  string         `json:"estimated_end,omitempty"`
	Rate          *float64       `json:"rate,omitempty"`
	RateNow       float64        `json:"rate_now,omitempty"`
	NextLine      int            `json:"next_line,omitempty"`
	Lines         map[string]int `json:"lines,omitempty"`
	Outcomes      []OutcomeCount `json:"outcomes,omitempty"`
	Topic         string         `json:"topic,omitempty"`
	PushType      string         `json:"push_type,omitempty"`
	Priority      int            `json:"priority,omitempty"`
	CollapseID    string         `json:"collapse_id,omitempty"`
	Expires       string         `json:"expires,omitempty"`
	QueuePriority string         `json:"queue_priority,omitempty"`
	TokenColumn   string         `json:"token_column,omitempty"`
	HasPayload    bool           `json:"has_payload,omitempty"`
	Audience      string         `json:"audience,omitempty"`
	Problem       string         `json:"problem,omitempty"` // why the service has paused the campaign
	Warnings      []Finding      `json:"warnings,omitempty"`
	Upload        *Upload        `json:"upload,omitempty"`
}

type ReportLine struct {
	Line         int         `json:"line,omitempty"`
	After        int         `json:"after,omitempty"` // of a further device of a user
	Outcome      string      `json:"outcome,omitempty"`
	State        string      `json:"state,omitempty"` // without an outcome
	Reason       string      `json:"reason,omitempty"`
	Status       int         `json:"status,omitempty"`
	Token        DeviceToken `json:"token,omitempty"`
	Ref          any         `json:"ref,omitempty"`
	ID           string      `json:"id,omitempty"`
	APNSID       string      `json:"apns_id,omitempty"`
	APNSUniqueID string      `json:"apns_unique_id,omitempty"`
	Attempts     int         `json:"attempts,omitempty"`
	FinishedAt   string      `json:"finished_at,omitempty"`
	GoneSince    string      `json:"gone_since,omitempty"`
	Code         string      `json:"code,omitempty"`
	Detail       string      `json:"detail,omitempty"`
	Field        string      `json:"field,omitempty"`
	Remedy       string      `json:"remedy,omitempty"`
}

type Redriven struct {
	ID         string   `json:"id,omitempty"`
	Result     string   `json:"result,omitempty"`
	RedrivenAs string   `json:"redriven_as,omitempty"`
	DeliverAt  string   `json:"deliver_at,omitempty"`
	ExpiresAt  string   `json:"expires_at,omitempty"`
	Changes    []string `json:"changes,omitempty"`
}

type GoneToken struct {
	Token     DeviceToken `json:"token,omitempty"`
	GoneSince string      `json:"gone_since,omitempty"`
}

// A DeliveryImport says how the import of Apple's delivery counts goes.
type DeliveryImport struct {
	ImportedAt string `json:"imported_at,omitempty"`
	Failure    string `json:"failure,omitempty"`
	NextAt     string `json:"next_at,omitempty"`
}

type AppStatus struct {
	Name                string          `json:"name,omitempty"`
	State               string          `json:"state,omitempty"`
	Reason              string          `json:"reason,omitempty"`
	Warnings            []string        `json:"warnings,omitempty"`
	Delivery            *DeliveryImport `json:"delivery,omitempty"`
	Recipients          string          `json:"recipients,omitempty"`
	Connected           bool            `json:"connected,omitempty"`
	Credentials         string          `json:"credentials,omitempty"`
	CertificateDaysLeft int             `json:"certificate_days_left,omitempty"`
	InFlight            int             `json:"in_flight,omitempty"`
	OldestDueSeconds    int             `json:"oldest_due_seconds,omitempty"`
	Counts              map[string]int  `json:"counts,omitempty"`
}

type Worker struct {
	Name    string `json:"name,omitempty"`
	Version string `json:"version,omitempty"`
	SeenAt  string `json:"seen_at,omitempty"`
	Lost    bool   `json:"lost,omitempty"`
}

type InboxPart struct {
	Inbox    string `json:"inbox,omitempty"`
	Part     string `json:"part,omitempty"`
	Works    bool   `json:"works,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Warning  string `json:"warning,omitempty"`
	WarnedAt string `json:"warned_at,omitempty"`
}

type Status struct {
	Version string      `json:"version,omitempty"`
	Apps    []AppStatus `json:"apps,omitempty"`
	Workers []Worker    `json:"workers,omitempty"`
	Inboxes []InboxPart `json:"inboxes,omitempty"`
	Now     string      `json:"now,omitempty"`
}

// A Count has by reason Kind, Reason and Count; by app or minute App or At, and how many of each outcome.
type Count struct {
	Kind     string `json:"kind,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Count    int    `json:"count,omitempty"`
	App      string `json:"app,omitempty"`
	At       string `json:"at,omitempty"`
	Accepted int    `json:"accepted,omitempty"`
	Rejected int    `json:"rejected,omitempty"`
	Unknown  int    `json:"unknown,omitempty"`
	NotSent  int    `json:"not_sent,omitempty"`
}

type Statistics struct {
	Since string  `json:"since,omitempty"`
	Now   string  `json:"now,omitempty"`
	By    string  `json:"by,omitempty"`
	Items []Count `json:"items,omitempty"`
}

type WebhookFailure struct {
	At      string         `json:"at,omitempty"`
	ID      string         `json:"id,omitempty"`
	Detail  string         `json:"detail,omitempty"`
	GivenUp bool           `json:"given_up,omitempty"`
	Body    map[string]any `json:"body,omitempty"`
}

type Webhook struct {
	App             string           `json:"app,omitempty"`
	URL             string           `json:"url,omitempty"`
	State           string           `json:"state,omitempty"`
	Outcomes        []string         `json:"outcomes,omitempty"`
	Waiting         int              `json:"waiting,omitempty"`
	OldestWaitingAt string           `json:"oldest_waiting_at,omitempty"`
	LastAnswer      string           `json:"last_answer,omitempty"`
	LastAnswerAt    string           `json:"last_answer_at,omitempty"`
	FailingSince    string           `json:"failing_since,omitempty"`
	Failures        []WebhookFailure `json:"failures,omitempty"`
}

type TestedWebhook struct {
	Result string `json:"result,omitempty"`
	Detail string `json:"detail,omitempty"`
}

// A WebhookEvent is a verified message. ID is the same in each repetition; Type is such as notification.accepted.
type WebhookEvent struct {
	Type      string       `json:"type,omitempty"`
	Timestamp string       `json:"timestamp,omitempty"`
	Data      Notification `json:"data,omitempty"`
	ID        string       `json:"-"`
}
