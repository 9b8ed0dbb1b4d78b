package pushprovider

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

var (
	// ErrWebhook is a message that must not be trusted. Answer 400, so that the service gives it up.
	ErrWebhook = errors.New("the message must not be trusted")
	// ErrWebhookTime is an ErrWebhook, but one of the two clocks can be wrong. Answer 425, so that the service posts the message again.
	ErrWebhookTime = fmt.Errorf("%w: its time is too far from the clock of this machine", ErrWebhook)
)

// Tolerance is how far the time of a message may be away from the clock of this machine, so that nobody can replay an old one.
const Tolerance = 5 * time.Minute

// VerifyWebhook returns the event of a message with a valid signature of one of the secrets. The body is the one that arrived, byte for byte.
// Messages can be repeated, always with the same ID.
//
// Its errors are ErrWebhook and ErrWebhookTime. Any other one, as of a secret that can't be used, says nothing about the message: answer 500,
// and the service posts it again.
func VerifyWebhook(body []byte, header http.Header, secrets ...string) (WebhookEvent, error) {
	return verifyWebhook(body, header, time.Now(), secrets)
}

func verifyWebhook(body []byte, header http.Header, now time.Time, secrets []string) (event WebhookEvent, err error) {
	if len(secrets) == 0 {
		secrets = []string{""}
	}
	keys := make([][]byte, len(secrets))
	for index, secret := range secrets {
		key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(strings.TrimSpace(secret), "whsec_"))
		if err != nil || len(key) < 24 { // Everybody can sign with an empty key.
			return event, errors.New("a webhook secret is missing or mistyped; it is whsec_ and 24 to 64 bytes in base64")
		}
		keys[index] = key
	}
	id, sent, signatures := header.Get("webhook-id"), header.Get("webhook-timestamp"), header.Get("webhook-signature")
	seconds, err := strconv.ParseInt(sent, 10, 64)
	if err != nil || id == "" || signatures == "" {
		return event, fmt.Errorf("%w: it lacks webhook-id, webhook-timestamp or webhook-signature", ErrWebhook)
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > Tolerance || age < -Tolerance {
		return event, fmt.Errorf("%w (%s)", ErrWebhookTime, age.Round(time.Second))
	}
	for _, key := range keys {
		code := hmac.New(sha256.New, key)
		code.Write([]byte(id + "." + sent + "."))
		code.Write(body)
		expected := []byte("v1," + base64.StdEncoding.EncodeToString(code.Sum(nil)))
		for _, offered := range strings.Split(signatures, " ") {
			if hmac.Equal(expected, []byte(offered)) {
				err := json.Unmarshal(body, &event)
				event.ID = id
				return event, err
			}
		}
	}
	return event, fmt.Errorf(
		"%w: no signature fits; compare the secret with the secrets file of the service, and pass the body unchanged", ErrWebhook)
}
