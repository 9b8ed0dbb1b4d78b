internal import NIOCore

/// The description of the API for programs, in the form of OpenAPI 3.1. A test compares it with the routes.
enum OpenAPIDocument {
    /// The document that `/v1/openapi.json` returns.
    static let bytes = Array(
        (head + [notifications, campaigns, results, tokens, sessions, service].joined(separator: ",\n") + tail).utf8)

    /// The same for all answers, so that an answer copies nothing.
    static let buffer = ByteBuffer(bytes: bytes)

    private static let head = #"""
        {"openapi": "3.1.0",
         "info": {"title": "pushserve", "version": "1",
          "description": "A durable queue in front of APNs. Each push is on disk before it is acknowledged, and ends in one recorded outcome."},
         "security": [{"key": []}],
         "tags": [
          {"name": "notifications", "description": "Pushes, their states and outcomes."},
          {"name": "campaigns", "description": "Lists of lines that are sent at their own rate."},
          {"name": "results", "description": "Outcomes in the order in which they were committed."},
          {"name": "dead letters", "description": "Notifications that were given up."},
          {"name": "gone tokens", "description": "Device tokens that Apple has reported gone."},
          {"name": "apps", "description": "The apps and their state."},
          {"name": "sessions", "description": "Logins of browsers."},
          {"name": "service", "description": "The service itself."}],
         "paths": {

        """#

    private static let tail = #"""

         },
         "components": {
          "securitySchemes": {"key": {"type": "http", "scheme": "bearer", "description": "An API key of this service."}},
          "parameters": {
           "app": {"name": "app", "in": "query", "schema": \#(name), "description": "The app. It can be left out if the key is for one app only. Requests that list something then list it for all apps of the key."},
           "limit": {"name": "limit", "in": "query", "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}, "description": "The maximum number of entries."},
           "after": {"name": "after", "in": "query", "schema": {"type": "string"}, "description": "The `next` of the previous answer."},
           "appName": {"name": "name", "in": "path", "required": true, "schema": {"type": "string", "minLength": 1}, "description": "The app."},
           "campaign": {"name": "id", "in": "path", "required": true, "schema": {"type": "string", "format": "uuid"}, "description": "The id of the campaign."},
           "id": {"name": "id", "in": "path", "required": true, "schema": {"type": "string", "format": "uuid"}, "description": "The id of the notification, which is its apns-id."}
          },
          "responses": {
           "Problem": {"description": "What is wrong, and how to correct it.", "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}},
           "Later": {"description": "Try again after the number of seconds in Retry-After.", "headers": {"Retry-After": {"schema": {"type": "integer", "minimum": 1}}}, "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}}
          },
          "schemas": {
        \#(schemas),
        \#(campaignSchemas)
          }
         }
        }

        """#
}
