extension OpenAPIDocument {
    static func problems(_ statuses: Int...) -> String {
        (statuses + [401, 403, 421, 429, 503]).sorted().map { status in
            let name = status == 429 || status == 503 ? "Later" : "Problem"
            return ##""\##(status)": {"$ref": "#/components/responses/\##(name)"}"##
        }.joined(separator: ", ")
    }

    static func answer(_ status: Int, _ description: String, _ schema: String) -> String {
        #""\#(status)": {"description": "\#(description)", "content": {"application/json": {"schema": \#(schema)}}}"#
    }

    static func schema(_ name: String) -> String { ##"{"$ref": "#/components/schemas/\##(name)"}"## }

    static func parameter(_ name: String) -> String { ##"{"$ref": "#/components/parameters/\##(name)"}"## }

    /// The body of a write whose path has all values. Only a browser with a session has to send it.
    static let emptyBody = """
        "requestBody": {"required": false, "content": {"application/json": {"schema": {"type": "object", "additionalProperties": false}}}}
        """

    private static let uuid = "[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"

    static let notifications = #"""
          "/v1/notifications": {
           "post": {"operationId": "send", "tags": ["notifications"], "summary": "Accepts pushes. Requires the scope `send`.",
            "description": "One push, an array of up to 1000 (all or none), or a stream of lines (application/x-ndjson). Each line of a stream is answered with a line as soon as its push is durable.",
            "parameters": [\#(parameter("app")),
             {"name": "wait", "in": "query", "schema": {"type": "string", "pattern": "^([0-9]{1,4}ms|[0-5]?[0-9]s|60s|1m)$"}, "description": "How long to wait for the outcome of one push, at most 60 s, such as 10s. If the outcome comes in time, the answer is 200."},
             {"name": "validate_only", "in": "query", "schema": {"type": "boolean", "default": false}, "description": "Only checks the pushes, and sends nothing."},
             {"name": "answers", "in": "query", "schema": {"enum": ["all", "refused"], "default": "all"}, "description": "For a stream: all answers each line; refused answers only refused lines, with a summary at the end."},
             {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string", "minLength": 1, "maxLength": 255}, "description": "For 24 hours, a repeated request with the same key gets the first answer. Not for a stream."}],
            "requestBody": {"required": true, "content": {
             "application/json": {"schema": {"oneOf": [\#(schema("NewNotification")), {"type": "array", "minItems": 1, "maxItems": 1000, "items": \#(schema("NewNotification"))}]}},
             "application/x-ndjson": {"schema": {"type": "string", "description": "A NewNotification on each line."}}}},
            "responses": {\#(answer(200, "The outcome came in time, or the push was only checked.", #"{"oneOf": [\#(schema("Accepted")), \#(schema("AcceptedItems"))]}"#)),
             "202": {"description": "The pushes are durable.", "content": {"application/json": {"schema": {"oneOf": [\#(schema("Accepted")), \#(schema("AcceptedItems"))]}}, "application/x-ndjson": {"schema": {"type": "string"}}}},
             "422": {"description": "What is wrong; for a stream with a length in which no line was accepted, its answers.", "content": {"application/problem+json": {"schema": \#(schema("Problem"))}, "application/x-ndjson": {"schema": {"type": "string"}}}},
             \#(problems(400, 404, 409, 413, 415))}},
           "get": {"operationId": "listNotifications", "tags": ["notifications"], "summary": "Lists notifications of an app.",
            "parameters": [{"name": "ids", "in": "query", "schema": {"type": "string", "pattern": "^\#(uuid)(,\#(uuid))*$"}, "description": "Up to 1000 ids with commas between them."},
             {"name": "outcome", "in": "query", "schema": {"enum": ["accepted", "rejected", "unknown", "not_sent"]}, "description": "Only those with the outcome."},
             {"name": "state", "in": "query", "schema": {"enum": ["held", "waiting", "leased", "started", "finished"]}, "description": "Only those in the state."},
             \#(parameter("app")), \#(parameter("limit")), \#(parameter("after"))],
            "responses": {\#(answer(200, "A page.", schema("NotificationPage"))), \#(problems(400, 404))}}
          },
          "/v1/notifications/{id}": {
           "get": {"operationId": "notification", "tags": ["notifications"], "summary": "The state of a notification.",
            "parameters": [\#(parameter("id")), \#(parameter("app")), {"name": "history", "in": "query", "schema": {"type": "boolean", "default": false}, "description": "Whether to include the history of the notification."}],
            "responses": {\#(answer(200, "The notification.", schema("Notification"))), \#(problems(400, 404))}},
           "delete": {"operationId": "cancel", "tags": ["notifications"], "summary": "Cancels a notification that has not been started.",
            "parameters": [\#(parameter("id")), \#(parameter("app"))],
            "responses": {\#(answer(200, "It will not be sent. With the result `unknown`, an earlier try may have reached Apple.", #"{"type": "object", "required": ["id", "result"], "properties": {"id": {"type": "string"}, "result": {"enum": ["cancelled", "unknown"]}, "detail": {"type": "string"}}}"#)), \#(problems(400, 404, 409, 415))}}
          },
          "/v1/notifications/cancel": {
           "post": {"operationId": "cancelAll", "tags": ["notifications"], "summary": "Cancels all waiting notifications of an app, or those whose device tokens seem not to fit its setup.",
            "parameters": [\#(parameter("app"))],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "additionalProperties": false, "properties": {"app": \#(name), "suspected": {"type": "boolean", "description": "Only those that wait since the app stopped because of their device tokens."}}}}}},
            "responses": {\#(answer(200, "How many were cancelled.", #"{"type": "object", "required": ["cancelled"], "properties": {"cancelled": {"type": "integer"}}}"#)), \#(problems(400, 404, 413, 415))}}
          }
        """#

    static let results = #"""
          "/v1/results": {
           "get": {"operationId": "results", "tags": ["results"], "summary": "Outcomes in the order in which they were committed.",
            "parameters": [\#(parameter("app")), \#(parameter("limit")), \#(parameter("after"))],
            "responses": {\#(answer(200, "A page. Its next stays valid, even if the page is empty.", #"{"type": "object", "required": ["items", "next", "gap"], "properties": {"items": {"type": "array", "items": \#(schema("Notification"))}, "next": {"type": "string"}, "gap": {"type": "boolean", "description": "Whether outcomes were deleted before they were read."}}}"#)), \#(problems(400, 404))}}
          },
          "/v1/results/events": {
           "get": {"operationId": "resultEvents", "tags": ["results"], "summary": "Outcomes as server-sent events: result and gap.",
            "description": "The id of an event is a cursor; Last-Event-ID resumes after it. Without a cursor, the events begin now.",
            "parameters": [\#(parameter("app")), \#(parameter("after")), {"name": "Last-Event-ID", "in": "header", "schema": {"type": "string"}, "description": "The id of the last event that was read."}],
            "responses": {"200": {"description": "The events.", "content": {"text/event-stream": {"schema": {"type": "string"}}}}, \#(problems(400, 404))}}
          },
          "/v1/dead-letters": {
           "get": {"operationId": "deadLetters", "tags": ["dead letters"], "summary": "Dead letters: notifications that were given up, and can be sent again.",
            "parameters": [\#(parameter("app")), \#(parameter("limit")), \#(parameter("after"))],
            "responses": {\#(answer(200, "A page.", schema("NotificationPage"))), \#(problems(400, 404))}}
          },
          "/v1/dead-letters/redrive": {
           "post": {"operationId": "redrive", "tags": ["dead letters"], "summary": "Sends dead letters again, as new notifications. Requires the scope `admin`.",
            "parameters": [\#(parameter("app"))],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "required": ["ids"], "additionalProperties": false, "properties": {"app": \#(name), "ids": {"type": "array", "minItems": 1, "maxItems": 1000, "items": {"type": "string", "format": "uuid"}}, "ttl": {"type": "string", \#(duration)}}}}}},
            "responses": {\#(answer(200, "The result for each dead letter.", #"{"type": "object", "required": ["items"], "properties": {"items": {"type": "array", "items": {"type": "object", "required": ["id", "result"], "properties": {"id": {"type": "string"}, "result": {"enum": ["queued", "already_redriven", "not_a_dead_letter", "payload_erased", "not_found"]}, "redriven_as": {"type": "string"}, "deliver_at": {"type": "string", "format": "date-time"}, "expires_at": {"type": "string", "format": "date-time"}, "changes": {"type": "array", "description": "What differs from the dead letter.", "items": {"type": "string"}}}}}, "next": {"type": "null"}}}"#)), \#(problems(400, 404, 413, 415))}}
          }
        """#

    static let tokens = #"""
          "/v1/gone-tokens": {
           "get": {"operationId": "goneTokens", "tags": ["gone tokens"], "summary": "Device tokens that Apple has reported gone.",
            "parameters": [\#(parameter("app")), \#(parameter("limit")), \#(parameter("after"))],
            "responses": {\#(answer(200, "A page.", #"{"type": "object", "required": ["items", "next"], "properties": {"items": {"type": "array", "items": {"type": "object", "required": ["token", "gone_since"], "properties": {"token": {"type": "string"}, "gone_since": {"type": "string", "format": "date-time"}}}}, "next": {"type": ["string", "null"]}}}"#)), \#(problems(400, 404))}}
          },
          "/v1/gone-tokens/{token}": {
           "delete": {"operationId": "forgetGoneToken", "tags": ["gone tokens"], "summary": "Forgets that a token is gone. Requires the scope `admin`.",
            "parameters": [{"name": "token", "in": "path", "required": true, "schema": {"type": "string", "pattern": "^([0-9a-fA-F]{2}){1,100}$"}, "description": "The device token."}, \#(parameter("app"))],
            "responses": {"204": {"description": "It is forgotten."}, \#(problems(400, 404, 415))}}
          }
        """#

    static let sessions = #"""
          "/v1/session": {
           "post": {"operationId": "logIn", "tags": ["sessions"], "summary": "Turns a key into a session of a browser: a cookie that scripts cannot read.", "security": [],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "required": ["key"], "additionalProperties": false, "properties": {"key": {"type": "string", "minLength": 1, "maxLength": 512}}}}}},
            "responses": {\#(answer(200, "The session. The cookie is in set-cookie.", schema("Session"))), \#(problems(400, 413, 415))}},
           "get": {"operationId": "session", "tags": ["sessions"], "summary": "The session of the cookie.", "security": [],
            "responses": {\#(answer(200, "The session.", schema("Session"))), \#(problems(400))}},
           "delete": {"operationId": "logOut", "tags": ["sessions"], "summary": "Ends the session of the cookie.", "security": [],
            "parameters": [{"name": "x-csrf-token", "in": "header", "schema": {"type": "string"}, "description": "The token of the session."}],
            "responses": {"204": {"description": "There is no session any more."}, \#(problems(400, 415))}}
          },
          "/v1/apps/{name}/pause": {
           "post": {"operationId": "pauseApp", "tags": ["apps"], "summary": "Pauses an app. Its jobs wait. Requires the scope `admin`.",
            "parameters": [\#(parameter("appName"))], \#(emptyBody), "responses": {"204": {"description": "The app is paused."}, \#(problems(400, 404, 413, 415))}}
          },
          "/v1/apps/{name}/resume": {
           "post": {"operationId": "resumeApp", "tags": ["apps"], "summary": "Resumes a paused app. Requires the scope `admin`.",
            "parameters": [\#(parameter("appName"))], \#(emptyBody), "responses": {"204": {"description": "The app sends."}, \#(problems(400, 404, 413, 415))}}
          }
        """#

    static let service = #"""
          "/v1/status": {
           "get": {"operationId": "status", "tags": ["apps"], "summary": "The state of the apps.", "parameters": [\#(parameter("app"))],
            "responses": {\#(answer(200, "The apps of the key.", #"{"type": "object", "required": ["version", "apps", "now"], "properties": {"version": {"type": "string"}, "apps": {"type": "array", "items": \#(schema("AppStatus"))}, "workers": {"type": "array", "description": "Left out if there can be only one.", "items": {"type": "object", "required": ["name", "version", "seen_at"], "properties": {"name": {"type": "string"}, "version": {"type": "string"}, "seen_at": {"type": "string", "format": "date-time"}}}}, "now": {"type": "string", "format": "date-time"}}}"#)), \#(problems(400, 404))}}
          },
          "/livez": {
           "get": {"operationId": "live", "tags": ["service"], "summary": "Whether the process runs.", "security": [],
            "responses": {"200": {"description": "It does.", "content": {"text/plain": {"schema": {"type": "string"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Later"}}}
          },
          "/readyz": {
           "get": {"operationId": "ready", "tags": ["service"], "summary": "Whether a notification can be stored.", "security": [],
            "responses": {"200": {"description": "It can.", "content": {"text/plain": {"schema": {"type": "string"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Later"}}}
          },
          "/v1/openapi.json": {
           "get": {"operationId": "openAPI", "tags": ["service"], "summary": "This document.", "security": [],
            "responses": {"200": {"description": "The document.", "content": {"application/json": {"schema": {"type": "object"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Later"}}}
          }
        """#
}
