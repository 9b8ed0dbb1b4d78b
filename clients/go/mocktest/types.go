package mocktest

import "pushprovider.example/go"

// The members have the names of the OpenAPI document of the mock.

type Fact struct {
	ID         string `json:"id,omitempty"`
	Fact       string `json:"fact,omitempty"`
	Confidence string `json:"confidence,omitempty"`
	Detail     string `json:"detail,omitempty"`
}

type PhoneOutcome struct {
	Kind       string `json:"kind,omitempty"`
	Text       string `json:"text,omitempty"`
	Why        string `json:"why,omitempty"`
	Replaces   int    `json:"replaces,omitempty"`
	ReplacedBy int    `json:"replaced_by,omitempty"`
}

// A Push is a request that reached the mock.
type Push struct {
	Number        int                      `json:"number,omitempty"`
	Time          string                   `json:"time,omitempty"`
	TimeMs        int                      `json:"time_ms,omitempty"`
	Connection    int                      `json:"connection,omitempty"`
	Stream        int                      `json:"stream,omitempty"`
	Environment   string                   `json:"environment,omitempty"`
	Peer          string                   `json:"peer,omitempty"`
	Method        string                   `json:"method,omitempty"`
	Path          string                   `json:"path,omitempty"`
	Token         pushprovider.DeviceToken `json:"token,omitempty"`
	Topic         string                   `json:"topic,omitempty"`
	PushType      string                   `json:"push_type,omitempty"`
	Priority      string                   `json:"priority,omitempty"`
	Expiration    string                   `json:"expiration,omitempty"`
	CollapseID    string                   `json:"collapse_id,omitempty"`
	ChannelID     string                   `json:"channel_id,omitempty"`
	KeyID         string                   `json:"key_id,omitempty"`
	TeamID        string                   `json:"team_id,omitempty"`
	TokenIssuedAt string                   `json:"token_issued_at,omitempty"`
	Certificate   string                   `json:"certificate,omitempty"`
	Payload       string                   `json:"payload,omitempty"`
	PayloadBytes  int                      `json:"payload_bytes,omitempty"`
	Status        int                      `json:"status,omitempty"`
	Reason        string                   `json:"reason,omitempty"`
	Timestamp     int                      `json:"timestamp,omitempty"`
	Delivery      string                   `json:"delivery,omitempty"`
	APNSID        string                   `json:"apns_id,omitempty"`
	APNSUniqueID  string                   `json:"apns_unique_id,omitempty"`
	APNSRequestID string                   `json:"apns_request_id,omitempty"`
	Check         string                   `json:"check,omitempty"`
	Detail        string                   `json:"detail,omitempty"`
	Remedy        string                   `json:"remedy,omitempty"`
	Fault         int                      `json:"fault,omitempty"`
	FaultName     string                   `json:"fault_name,omitempty"`
	FactID        string                   `json:"fact_id,omitempty"`
	Fact          string                   `json:"fact,omitempty"`
	Confidence    string                   `json:"confidence,omitempty"`
	Allowances    []Fact                   `json:"allowances,omitempty"`
	Violations    []Fact                   `json:"violations,omitempty"`
	Answered      *bool                    `json:"answered,omitempty"`
	Phone         string                   `json:"phone,omitempty"`
	Outcome       *PhoneOutcome            `json:"outcome,omitempty"`
	Headers       []map[string]string      `json:"headers,omitempty"`
	Timeline      []map[string]any         `json:"timeline,omitempty"`
	Card          map[string]any           `json:"card,omitempty"`
}

type Matches struct {
	Detail  string `json:"detail,omitempty"`
	Holds   bool   `json:"holds,omitempty"`
	Count   int    `json:"count,omitempty"`
	Matches []Push `json:"matches,omitempty"`
}

type FaultCount struct {
	ID       int            `json:"id,omitempty"`
	Name     string         `json:"name,omitempty"`
	Applied  int            `json:"applied,omitempty"`
	IsActive bool           `json:"is_active,omitempty"`
	Fault    map[string]any `json:"fault,omitempty"`
}

type Device struct {
	Token         pushprovider.DeviceToken `json:"token,omitempty"`
	Topics        []string                 `json:"topics,omitempty"`
	Environment   string                   `json:"environment,omitempty"`
	State         string                   `json:"state,omitempty"`
	Since         string                   `json:"since,omitempty"`
	Online        *bool                    `json:"online,omitempty"`
	Notifications *bool                    `json:"notifications,omitempty"`
}

type Clock struct {
	Now       string `json:"now,omitempty"`
	IsMoved   bool   `json:"is_moved,omitempty"`
	IsStopped bool   `json:"is_stopped,omitempty"`
}

type Scenario struct {
	Name        string `json:"name,omitempty"`
	Description string `json:"description,omitempty"`
	Faults      int    `json:"faults,omitempty"`
	Devices     int    `json:"devices,omitempty"`
}

type Violation struct {
	Number     int    `json:"number,omitempty"`
	Time       string `json:"time,omitempty"`
	Connection int    `json:"connection,omitempty"`
	Push       int    `json:"push,omitempty"`
	Rejected   bool   `json:"rejected,omitempty"`
	ID         string `json:"id,omitempty"`
	Fact       string `json:"fact,omitempty"`
	Confidence string `json:"confidence,omitempty"`
	Detail     string `json:"detail,omitempty"`
}

type Namespace struct {
	Name                   string   `json:"name,omitempty"`
	Port                   int      `json:"port,omitempty"`
	KeyIDs                 []string `json:"key_ids,omitempty"`
	Environment            string   `json:"environment,omitempty"`
	Pushes                 int      `json:"pushes,omitempty"`
	SandboxChannelsPort    int      `json:"sandbox_channels_port,omitempty"`
	ProductionChannelsPort int      `json:"production_channels_port,omitempty"`
}

type SentPush struct {
	Status int    `json:"status,omitempty"`
	Reason string `json:"reason,omitempty"`
	APNSID string `json:"apns_id,omitempty"`
	KeyID  string `json:"key_id,omitempty"`
}

// Setup says where senders find the mock, and what they trust.
type Setup struct {
	Version                string              `json:"version,omitempty"`
	Namespace              string              `json:"namespace,omitempty"`
	URL                    string              `json:"url,omitempty"`
	Host                   string              `json:"host,omitempty"`
	Port                   int                 `json:"port,omitempty"`
	Environment            string              `json:"environment,omitempty"`
	KeyID                  string              `json:"key_id,omitempty"`
	TeamID                 string              `json:"team_id,omitempty"`
	CAPEM                  string              `json:"ca_pem,omitempty"`
	MockFlags              string              `json:"mock_flags,omitempty"`
	Instance               string              `json:"instance,omitempty"`
	SandboxChannelsPort    int                 `json:"sandbox_channels_port,omitempty"`
	ProductionChannelsPort int                 `json:"production_channels_port,omitempty"`
	KeyIDs                 []string            `json:"key_ids,omitempty"`
	CAFile                 string              `json:"ca_file,omitempty"`
	KeyFile                string              `json:"key_file,omitempty"`
	Abilities              []string            `json:"abilities,omitempty"`
	Files                  map[string]string   `json:"files,omitempty"`
	MagicTokens            []map[string]string `json:"magic_tokens,omitempty"`
	Clients                map[string]string   `json:"clients,omitempty"`
}
