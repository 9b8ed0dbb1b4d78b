extension OpenAPIDocument {
    private static func change(_ name: String, _ operation: String, _ summary: String, _ more: String = "") -> String {
        #"""
          "/v1/campaigns/{id}/\#(name)": {
           "post": {"operationId": "\#(operation)", "tags": ["campaigns"], "summary": "\#(summary)",
            "parameters": [\#(parameter("campaign")), \#(parameter("app"))\#(more)],
            \#(emptyBody),
            "responses": {\#(answer(200, "The campaign.", schema("Campaign"))), \#(problems(400, 404, 409, 413, 415, 422))}}
          }
        """#
    }

    private static func query(_ name: String, _ schema: String, _ description: String) -> String {
        #"{"name": "\#(name)", "in": "query", "schema": \#(schema), "description": "\#(description)"}"#
    }

    private static let word = #"{"type": "string"}"#
    private static let time = schema("Time")
    private static let lines =
        #""requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "array", "minItems": 1, "maxItems": 1000, "items": \#(schema("NewCampaignLine"))}}, "application/x-ndjson": {"schema": {"type": "string"}}, "text/csv": {"schema": {"type": "string"}}}}"#

    private static let unfilled = query(
        "unfilled", #"{"type": "boolean", "default": false}"#,
        "Whether the campaign starts although a placeholder without a value has probably a typo.")

    private static let fields = [
        query("name", word, "The name, if the body has the lines."),
        query("payload", word, "The payload for all lines, as JSON."),
        query("topic", word, "The topic."), query("push_type", word, "The push type."),
        query("priority", #"{"enum": [10, 5, 1]}"#, "The priority for Apple."),
        query("collapse_id", word, "The collapse id."),
        query("expires", word, "When the push of a line expires: once, apple, 2h, or a time."),
        query(
            "queue_priority", #"{"enum": ["high", "normal", "low"], "default": "low"}"#,
            "Which pushes of the app are sent first."),
        query("token_column", word, "The CSV column with the device tokens."),
        query(
            "rate", #"{"type": "number", "minimum": 0.001, "maximum": 1000000}"#, "Maximum lines per second."),
        query("starts_at", time, "When the first line is sent."),
        query("expires_at", time, "When unsent lines expire."),
        query("start", #"{"type": "boolean", "default": true}"#, "Whether the campaign starts after the last line."),
        unfilled,
    ].joined(separator: ",\n             ")

    static let campaigns = [
        #"""
          "/v1/campaigns": {
           "post": {"operationId": "makeCampaign", "tags": ["campaigns"], "summary": "Creates a campaign. Requires the scope `send`.",
            "description": "With JSON, a campaign without lines. With lines as the body, the query describes the campaign, and it starts after the last line. The same request with the same Idempotency-Key can be repeated and doubles nothing.",
            "parameters": [\#(parameter("app")),
             \#(fields),
             {"name": "Idempotency-Key", "in": "header", "schema": {"type": "string", "minLength": 1, "maxLength": 255}, "description": "The same request with the same key belongs to the same campaign."}],
            "requestBody": {"required": true, "content": {"application/json": {"schema": \#(schema("NewCampaign"))}, "application/x-ndjson": {"schema": {"type": "string"}}, "text/csv": {"schema": {"type": "string"}}}},
            "responses": {\#(answer(200, "A repeated request. The campaign exists already.", schema("Campaign"))), \#(answer(201, "The campaign.", schema("Campaign"))), \#(problems(400, 404, 409, 413, 415, 422))}},
           "get": {"operationId": "campaigns", "tags": ["campaigns"], "summary": "The campaigns of an app, the newest first.",
            "parameters": [\#(parameter("app")), \#(parameter("limit")), \#(parameter("after"))],
            "responses": {\#(answer(200, "A page.", #"{"type": "object", "required": ["items", "next"], "properties": {"items": {"type": "array", "items": \#(schema("Campaign"))}, "next": {"type": ["string", "null"]}}}"#)), \#(problems(400, 404))}}
          },
          "/v1/campaigns/{id}": {
           "get": {"operationId": "campaign", "tags": ["campaigns"], "summary": "A campaign with its progress.",
            "parameters": [\#(parameter("campaign")), \#(parameter("app"))],
            "responses": {\#(answer(200, "The campaign.", schema("Campaign"))), \#(problems(400, 404))}},
           "patch": {"operationId": "changeCampaign", "tags": ["campaigns"], "summary": "Changes the rate. Requires the scope `send`.",
            "parameters": [\#(parameter("campaign")), \#(parameter("app"))],
            "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "required": ["rate"], "additionalProperties": false, "properties": {"rate": {"type": ["number", "null"], "minimum": 0.001, "maximum": 1000000}}}}}},
            "responses": {\#(answer(200, "The campaign.", schema("Campaign"))), \#(problems(400, 404, 409, 413, 415))}}
          },
          "/v1/campaigns/{id}/lines": {
           "post": {"operationId": "addLines", "tags": ["campaigns"], "summary": "Adds any number of lines to a campaign. Requires the scope `send`.",
            "description": "JSON lines or CSV, one notification per line, or an array of up to 1000 lines as JSON. A line whose number the campaign already has is ignored. To continue an interrupted upload, set `from` to the `next_line` of the campaign.",
            "parameters": [\#(parameter("campaign")), \#(parameter("app")), \#(query("from", #"{"type": "integer", "minimum": 1, "maximum": 1099511627776}"#, "The number of the first line of the body. The header of a CSV body does not count."))],
            \#(lines),
            "responses": {\#(answer(200, "The campaign, and the results of the lines.", schema("Campaign"))), \#(problems(400, 404, 409, 413, 415, 422))}}
          }
        """#,
        change(
            "start", "startCampaign", "Starts a campaign. It then accepts no more lines, except with open=true.",
            ", " + query("open", #"{"type": "boolean", "default": false}"#, "Whether the campaign accepts more lines.")
                + ", " + unfilled),
        change("close", "closeCampaign", "Closes the campaign: it accepts no more lines, and ends after the last one."),
        change("pause", "pauseCampaign", "Pauses the campaign. Pushes in flight are completed."),
        change("resume", "resumeCampaign", "Resumes a paused campaign."),
        change("cancel", "cancelCampaign", "Cancels all lines that were not started. Requires the scope `cancel`."),
        #"""
          "/v1/campaigns/{id}/report": {
           "get": {"operationId": "campaignReport", "tags": ["campaigns"], "summary": "The result of each line, in the order of their numbers, as JSON lines.",
            "parameters": [\#(parameter("campaign")), \#(parameter("app")),
             \#(query("only", #"{"enum": ["failures"]}"#, "Only lines that were refused, or were not accepted.")),
             \#(query("after", #"{"type": "integer", "minimum": 0, "maximum": 1099511627776}"#, "The number of the last line that you have read.")),
             \#(query("limit", #"{"type": "integer", "minimum": 1, "maximum": 1099511627776}"#, "The maximum number of lines. Without it, all."))],
            "responses": {"200": {"description": "The lines.", "content": {"application/x-ndjson": {"schema": {"type": "string"}}}}, \#(problems(400, 404))}}
          }
        """#,
    ].joined(separator: ",\n")

    static let campaignSchemas = #"""
           "NewCampaign": {"type": "object", "required": ["name"], "additionalProperties": false, "properties": {
            "app": \#(name), "name": \#(text(200)),
            "payload": {"type": "object", "description": "The payload for lines without their own payload. It can have placeholders: {{name}}."},
            "topic": \#(name),
            "push_type": {"type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[A-Za-z0-9._-]+$", "examples": ["alert", "background", "voip", "complication", "fileprovider", "mdm", "location", "liveactivity", "pushtotalk", "widgets", "controls", "accessory"], "description": "Another one is sent, too, with a warning: it may be newer than this service."},
            "priority": {"enum": [10, 5, 1]}, "collapse_id": \#(text(64)),
            "expires": {"type": ["string", "number"], "minLength": 1, "maxLength": 64, "description": "once, apple, a duration such as 2h that begins when the line is released, or a time."},
            "queue_priority": {"enum": ["high", "normal", "low"], "default": "low"},
            "token_column": \#(text(200)),
            "rate": {"type": "number", "minimum": 0.001, "maximum": 1000000, "description": "The maximum number of lines per second."},
            "starts_at": {"$ref": "#/components/schemas/Time"}, "expires_at": {"$ref": "#/components/schemas/Time"}}},
           "NewCampaignLine": {"type": "object", "required": ["token"], "description": "A line as pushsend batch reads it. Other members are values for the payload of the campaign.", "properties": {
            "token": {"type": "string"}, "payload": {"type": "object"}, "topic": {"type": "string"}, "push_type": {"type": "string"},
            "priority": {"enum": [10, 5, 1]}, "collapse_id": {"type": "string"},
            "expires": {"description": "once, apple, a duration such as 2h, or a time."}, "registered_at": {"description": "When the app registered the token."},
            "ref": {"description": "Anything that your program recognizes the line by."}}},
           "Campaign": {"type": "object", "required": ["id", "app", "name", "state", "open", "created_at", "rate", "rate_now", "next_line", "lines"], "properties": {
            "id": {"type": "string", "format": "uuid"}, "app": {"type": "string"}, "name": {"type": "string"},
            "state": {"enum": ["draft", "scheduled", "running", "paused", "cancelling", "cancelled", "finished"]},
            "open": {"type": "boolean", "description": "Whether it accepts lines."},
            "created_at": {"type": "string", "format": "date-time"}, "started_at": {"type": "string", "format": "date-time"},
            "ended_at": {"type": "string", "format": "date-time"}, "starts_at": {"type": "string", "format": "date-time"},
            "expires_at": {"type": "string", "format": "date-time"}, "estimated_end": {"type": "string", "format": "date-time"},
            "rate": {"type": ["number", "null"]}, "rate_now": {"type": "number", "description": "How many lines per second got their outcome recently."},
            "next_line": {"type": "integer", "description": "The number of the next line of an upload."},
            "lines": {"type": "object", "required": ["total", "refused", "held", "waiting", "in_flight", "accepted", "rejected", "unknown", "not_sent"], "additionalProperties": {"type": "integer"}},
            "outcomes": {"type": "array", "items": {"type": "object", "required": ["kind", "count"], "properties": {
             "kind": {"enum": ["accepted", "rejected", "unknown", "not_sent"]}, "reason": {"type": "string"}, "count": {"type": "integer"}}}},
            "topic": {"type": "string"}, "push_type": {"type": "string"}, "priority": {"type": "integer"}, "collapse_id": {"type": "string"},
            "expires": {"type": "string"}, "queue_priority": {"enum": ["high", "normal", "low"]}, "token_column": {"type": "string"},
            "has_payload": {"type": "boolean"},
            "warnings": {"type": "array", "items": {"$ref": "#/components/schemas/Finding"}, "description": "What is doubtful for all lines."},
            "upload": {"type": "object", "required": ["accepted", "repeated", "refused", "refusals", "next_line"], "properties": {
             "doubled": {"type": "integer", "description": "How many lines have the token of an earlier line of the upload. They are sent."},
             "doubled_lines": {"type": "array", "description": "The numbers of the first 100 of them.", "items": {"type": "integer"}},
             "accepted": {"type": "integer"}, "repeated": {"type": "integer"}, "refused": {"type": "integer"}, "next_line": {"type": "integer"},
             "unfilled": {"type": "array", "items": {"type": "string"}, "description": "Placeholders with a default that no line of the upload has a value for, each in a sentence."},
             "refusals": {"type": "array", "items": {"type": "object", "required": ["line", "code", "detail"], "properties": {
              "line": {"type": "integer"}, "code": {"type": "string"}, "detail": {"type": "string"},
              "field": {"type": "string", "description": "The member of the line, for example topic or payload.aps.badge."}, "remedy": {"type": "string"},
              "outcome": {"const": "not_sent"}, "reason": {"const": "invalid"}}}}}}}}
        """#
}
