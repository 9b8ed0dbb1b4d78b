extension OpenAPIDocument {
    /// A text of a request, such as the name of an app: 1 to 512 bytes without a zero byte.
    static let name = text(512)
    /// A duration that is not zero.
    static let duration = #""pattern": "^(0{0,3}[1-9][0-9]{0,7}(ms|s|m|h)|0{0,3}[1-9][0-9]{0,3}d)$""#

    /// A text of at most this number of bytes. The document can only count characters.
    static func text(_ most: Int, _ more: String = "") -> String {
        #"{"type": "string", "minLength": 1, "maxLength": \#(most), "pattern": "^[^\\u0000]*$"\#(more)}"#
    }

    static let schemas = #"""
           "Problem": {"type": "object", "description": "RFC 9457.", "required": ["type", "title", "status", "code", "detail"], "properties": {
            "type": {"type": "string"}, "title": {"type": "string"}, "status": {"type": "integer"},
            "code": {"type": "string", "description": "A stable word for programs."}, "detail": {"type": "string"},
            "field": {"type": "string", "description": "The JSON Pointer of the member, or the name of the parameter or header."},
            "line": {"type": "integer"}, "column": {"type": "integer"}, "remedy": {"type": "string"},
            "findings": {"type": "array", "items": {"$ref": "#/components/schemas/Finding"}},
            "refused": {"type": "integer", "description": "How many pushes of an array, or lines of an upload, are refused."},
            "problems": {"type": "array", "description": "The problems of an array's pushes, at most 100.", "items": {"type": "object", "required": ["code", "detail"], "properties": {
             "code": {"type": "string"}, "detail": {"type": "string"}, "field": {"type": "string"}, "line": {"type": "integer"}, "column": {"type": "integer"}, "remedy": {"type": "string"}}}}}},
           "Finding": {"type": "object", "required": ["rule", "severity", "detail", "remedy"], "properties": {
            "rule": {"type": "string"}, "severity": {"enum": ["error", "warning"]}, "detail": {"type": "string"},
            "field": {"type": "string"}, "line": {"type": "integer"}, "column": {"type": "integer"}, "remedy": {"type": "string"}}},
           "NewNotification": {"type": "object", "required": ["payload"], "additionalProperties": false,
            "description": "A push to the device of a token, or to the subscribers of a channel.",
            "if": {"required": ["token"]}, "then": {"not": {"required": ["channel"]}}, "else": {"required": ["channel"]},
            "not": {"required": ["expires_at", "ttl"]}, "properties": {
            "app": \#(name), "token": {"type": "string", "pattern": "^([0-9a-fA-F]{2}){1,100}$"},
            "channel": {"type": "string", "minLength": 1, "maxLength": 200},
            "payload": {"type": "object", "description": "It is sent byte for byte, or is a template for vars."},
            "vars": {"type": "object", "description": "The values of a template: {{name}}."},
            "topic": \#(name),
            "push_type": {"type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[A-Za-z0-9._-]+$", "examples": ["alert", "background", "voip", "complication", "fileprovider", "mdm", "location", "liveactivity", "pushtotalk", "widgets", "controls", "accessory"], "description": "Another one is sent, too, with a warning: it may be newer than this service."},
            "priority": {"enum": [10, 5, 1]}, "collapse_id": \#(text(64)),
            "deliver_at": {"$ref": "#/components/schemas/Time"}, "expires_at": {"$ref": "#/components/schemas/Time"},
            "ttl": {"type": "string", "description": "A duration such as 2h, counted from deliver_at, or from now without deliver_at.", \#(duration)},
            "store": {"type": "boolean", "default": true, "description": "Whether Apple may store the push."},
            "queue_priority": {"enum": ["high", "normal", "low"], "default": "normal"},
            "dedupe_key": \#(name),
            "registered_at": {"type": ["string", "number"], "description": "When the app registered the token: a time, or milliseconds since 1970."}}},
           "Time": {"anyOf": [{"type": "string", "format": "date-time"}, {"type": "number", "minimum": 0, "maximum": 99999999999}], "description": "A time such as 2026-11-22T07:00:00Z, in UTC without a zone, or seconds since 1970."},
           "Accepted": {"type": "object", "required": ["result"], "properties": {
            "id": {"type": "string", "format": "uuid"}, "result": {"enum": ["queued", "duplicate", "valid"]},
            "warnings": {"type": "array", "items": {"$ref": "#/components/schemas/Finding"}},
            "notification": {"$ref": "#/components/schemas/Notification"}}},
           "AcceptedItems": {"type": "object", "required": ["items"], "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/Accepted"}}}},
           "Notification": {"type": "object", "required": ["id", "app", "state", "queued_at", "deliver_at", "attempts", "queue_priority"], "properties": {
            "id": {"type": "string", "format": "uuid"}, "app": {"type": "string"}, "token": {"type": "string"}, "channel": {"type": "string"},
            "state": {"enum": ["held", "waiting", "leased", "started", "finished"]}, "outcome": {"$ref": "#/components/schemas/Outcome"},
            "queued_at": {"type": "string", "format": "date-time"}, "deliver_at": {"type": "string", "format": "date-time"},
            "expires_at": {"type": "string", "format": "date-time"}, "finished_at": {"type": "string", "format": "date-time"},
            "attempts": {"type": "integer"}, "queue_priority": {"enum": ["high", "normal", "low"]}, "dedupe_key": {"type": "string"},
            "campaign": {"type": "string", "format": "uuid"}, "line": {"type": "integer"}, "redriven_as": {"type": "string", "format": "uuid"}, "cursor": {"type": "string"},
            "history": {"type": "array", "items": {"type": "object", "required": ["at", "event"], "properties": {
             "at": {"type": "string", "format": "date-time"}, "event": {"type": "string"}, "detail": {"type": "string"}}}}}},
           "Outcome": {"type": "object", "required": ["kind"], "properties": {
            "kind": {"enum": ["accepted", "rejected", "unknown", "not_sent"]}, "reason": {"type": "string"}, "detail": {"type": "string"},
            "status": {"type": "integer"}, "apns_unique_id": {"type": "string", "format": "uuid"}, "gone_since": {"type": "string", "format": "date-time"}}},
           "NotificationPage": {"type": "object", "required": ["items", "next"], "properties": {
            "items": {"type": "array", "items": {"$ref": "#/components/schemas/Notification"}}, "next": {"type": ["string", "null"]}}},
           "Session": {"type": "object", "required": ["apps", "scopes", "csrf"], "properties": {
            "apps": {"type": "array", "items": {"type": "string"}}, "scopes": {"type": "array", "items": {"enum": ["send", "read", "cancel", "admin"]}},
            "csrf": {"type": "string", "description": "A request with the cookie that changes something needs it in x-csrf-token."}}},
           "AppStatus": {"type": "object", "required": ["name", "state", "connected", "credentials", "in_flight", "counts"], "properties": {
            "name": {"type": "string"}, "state": {"enum": ["running", "resting", "paused", "refused", "down"]}, "reason": {"type": "string"},
            "warnings": {"type": "array", "description": "What has changed about the app since the start of the service: topic, environment, credentials.", "items": {"type": "string"}},
            "connected": {"type": "boolean"}, "credentials": {"enum": ["untried", "accepted", "refused", "unreadable"]},
            "certificate_days_left": {"type": "integer"}, "in_flight": {"type": "integer"}, "oldest_due_seconds": {"type": "integer"},
            "counts": {"type": "object", "additionalProperties": {"type": "integer"}}}}
        """#
}
