internal import NIOCore

/// The description of the API for programs, in the form of OpenAPI 3.1. A test compares it with the routes.
enum OpenAPIDocument {
    static let bytes = Array(text.utf8)
    /// The same for all answers, so that an answer copies nothing.
    static let buffer = ByteBuffer(bytes: bytes)

    // swift-format-ignore
    private static let text = #"""
{"openapi": "3.1.0",
 "info": {"title": "The mock of APNs", "version": "1", "description": "What arrived at the mock, and what it does to its clients. Every path about one namespace also exists below /v1/namespaces/NAME."},
 "paths": {
  "/livez": {
   "get": {"operationId": "livez",
    "summary": "Whether the mock runs.",
    "responses": {"200": {"description": "It runs.", "content": {"text/plain": {"schema": {"type": "string"}}}}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/readyz": {
   "get": {"operationId": "readyz",
    "summary": "Whether the mock can serve.",
    "responses": {"200": {"description": "It can.", "content": {"text/plain": {"schema": {"type": "string"}}}}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/metrics": {
   "get": {"operationId": "metrics",
    "summary": "Figures for Prometheus.",
    "responses": {"200": {"description": "The figures.", "content": {"text/plain": {"schema": {"type": "string"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/openapi.json": {
   "get": {"operationId": "openAPI",
    "summary": "This document.",
    "responses": {"200": {"description": "The document.", "content": {"application/json": {"schema": {"type": "object"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/setup": {
   "get": {"operationId": "setup",
    "summary": "What a client needs to use the mock.",
    "responses": {"200": {"description": "Addresses, ids, files, ready configurations.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Setup"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/ca.pem": {
   "get": {"operationId": "authority",
    "summary": "The certificate of the mock's authority, in PEM.",
    "responses": {"200": {"description": "The certificate.", "content": {"application/x-pem-file": {"schema": {"type": "string"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/key.p8": {
   "get": {"operationId": "key",
    "summary": "The key for provider tokens that the mock made.",
    "responses": {"200": {"description": "The key.", "content": {"application/octet-stream": {"schema": {"type": "string"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/client.p12": {
   "get": {"operationId": "clientCertificate",
    "summary": "A client certificate with its key, made by the mock.",
    "parameters": [{"name": "topic", "in": "query", "required": false, "schema": {"type": "string", "pattern": "^[!-~]{1,200}$"}, "description": "The bundle id. Default: com.example.app."}, {"name": "password", "in": "query", "required": false, "schema": {"type": "string"}, "description": "The passphrase of the file. Default: mock."}],
    "responses": {"200": {"description": "The file.", "content": {"application/x-pkcs12": {"schema": {"type": "string"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "422": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/truststore.p12": {
   "get": {"operationId": "trustStore",
    "summary": "The authority as a trust store, also for Java.",
    "parameters": [{"name": "password", "in": "query", "required": false, "schema": {"type": "string"}, "description": "The passphrase of the file. Default: changeit."}],
    "responses": {"200": {"description": "The file.", "content": {"application/x-pkcs12": {"schema": {"type": "string"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "422": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/pushes": {
   "get": {"operationId": "listPushes",
    "summary": "The requests in the log.",
    "parameters": [{"name": "q", "in": "query", "required": false, "schema": {"type": "string"}, "description": "A search; docs/mock-api.md describes the language. Empty: everything matches."}, {"name": "limit", "in": "query", "required": false, "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}, "description": "The maximum number of entries."}, {"name": "after", "in": "query", "required": false, "schema": {"type": "integer", "minimum": 0, "maximum": 9223372036854775807}, "description": "Only entries after this number: the next of the previous answer."}, {"name": "order", "in": "query", "required": false, "schema": {"type": "string", "enum": ["oldest", "newest"], "default": "oldest"}, "description": "Which come first."}],
    "responses": {"200": {"description": "A page.", "content": {"application/json": {"schema": {"type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/Push"}}, "next": {"type": ["string", "null"]}, "total": {"type": "integer"}, "dropped_through": {"type": "integer"}}, "required": ["items", "next"], "additionalProperties": true}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}},
   "delete": {"operationId": "clearPushes",
    "summary": "Empties the log. The numbering continues.",
    "responses": {"204": {"description": "It is empty."}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/pushes/count": {
   "get": {"operationId": "countPushes",
    "summary": "How many requests in the log match.",
    "parameters": [{"name": "q", "in": "query", "required": false, "schema": {"type": "string"}, "description": "A search; docs/mock-api.md describes the language. Empty: everything matches."}],
    "responses": {"200": {"description": "The number.", "content": {"application/json": {"schema": {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"], "additionalProperties": false}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/pushes/latest": {
   "get": {"operationId": "latestPush",
    "summary": "The newest request that matches.",
    "parameters": [{"name": "q", "in": "query", "required": false, "schema": {"type": "string"}, "description": "A search; docs/mock-api.md describes the language. Empty: everything matches."}],
    "responses": {"200": {"description": "The request.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Push"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/pushes/wait": {
   "post": {"operationId": "waitForPushes",
    "summary": "Waits until an expectation is met, or cannot be met any more.",
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Expectation"}}}},
    "responses": {"200": {"description": "It is met.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Result"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "409": {"$ref": "#/components/responses/Problem"}, "413": {"$ref": "#/components/responses/Problem"}, "415": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "429": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/pushes/assert": {
   "post": {"operationId": "assertPushes",
    "summary": "Checks an expectation against what has arrived until now.",
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Expectation"}}}},
    "responses": {"200": {"description": "It is met.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Result"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "409": {"$ref": "#/components/responses/Problem"}, "413": {"$ref": "#/components/responses/Problem"}, "415": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "429": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/pushes/{number}": {
   "get": {"operationId": "push",
    "summary": "One request, with its header fields.",
    "parameters": [{"name": "number", "in": "path", "required": true, "schema": {"type": "integer", "minimum": 1}, "description": "The number of the push, from 1."}],
    "responses": {"200": {"description": "The request.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Push"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}},
   "delete": {"operationId": "removePush",
    "summary": "Removes one request from the log.",
    "parameters": [{"name": "number", "in": "path", "required": true, "schema": {"type": "integer", "minimum": 1}, "description": "The number of the push, from 1."}],
    "responses": {"204": {"description": "It is removed."}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/pushes/{number}/body": {
   "get": {"operationId": "pushBody",
    "summary": "The body of a request, as it arrived.",
    "parameters": [{"name": "number", "in": "path", "required": true, "schema": {"type": "integer", "minimum": 1}, "description": "The number of the push, from 1."}],
    "responses": {"200": {"description": "The bytes.", "content": {"application/octet-stream": {"schema": {"type": "string"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/pushes/{number}/frames": {
   "get": {"operationId": "pushFrames",
    "summary": "The HTTP/2 frames of both sides on the stream of a request.",
    "parameters": [{"name": "number", "in": "path", "required": true, "schema": {"type": "integer", "minimum": 1}, "description": "The number of the push, from 1."}],
    "responses": {"200": {"description": "The stream.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Stream"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/pushes/{number}/replay": {
   "post": {"operationId": "replayPush",
    "summary": "Sends a push to the mock again, signed with the mock's own key. Available only if the program that runs the mock supports it.",
    "parameters": [{"name": "number", "in": "path", "required": true, "schema": {"type": "integer", "minimum": 1}, "description": "The number of the push, from 1."}],
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "additionalProperties": false}}}},
    "responses": {"200": {"description": "The answer of the mock.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SentPush"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "413": {"$ref": "#/components/responses/Problem"}, "415": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "422": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/send": {
   "post": {"operationId": "sendPush",
    "summary": "Sends a push to the mock, signed with the mock's own key. Available only if the program that runs the mock supports it.",
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewPush"}}}},
    "responses": {"200": {"description": "The answer of the mock.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/SentPush"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "413": {"$ref": "#/components/responses/Problem"}, "415": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "422": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/lint": {
   "post": {"operationId": "lintPush",
    "summary": "Checks a payload and header fields. Available only if the program that runs the mock supports it.",
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewPush"}}}},
    "responses": {"200": {"description": "The findings, and the payload with all certain corrections.", "content": {"application/json": {"schema": {"type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/LintFinding"}}, "next": {"type": "null"}, "fixed": {"type": "string"}}, "required": ["items", "next"], "additionalProperties": true}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "413": {"$ref": "#/components/responses/Problem"}, "415": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/templates": {
   "get": {"operationId": "listTemplates",
    "summary": "Ready payloads. Available only if the program that runs the mock supports it.",
    "responses": {"200": {"description": "All of them.", "content": {"application/json": {"schema": {"type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/Template"}}, "next": {"type": "null"}}, "required": ["items", "next"], "additionalProperties": true}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/reasons": {
   "get": {"operationId": "listReasons",
    "summary": "The reasons of rejections: what each means, and what to do.",
    "responses": {"200": {"description": "All of them.", "content": {"application/json": {"schema": {"type": "object", "properties": {"items": {"type": "array", "items": {"type": "object", "properties": {"reason": {"type": "string"}, "status": {"type": "integer"}, "meaning": {"type": "string"}, "fault": {"type": "string"}, "advice": {"type": "string"}, "again": {"enum": ["never", "afterCorrection", "later", "onNewConnection", "withNewProviderToken"]}, "ends_device_token": {"type": "boolean"}}, "required": ["reason", "status", "meaning", "fault", "advice", "again", "ends_device_token"], "additionalProperties": true}}, "next": {"type": "null"}}, "required": ["items", "next"], "additionalProperties": true}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/faults": {
   "get": {"operationId": "listFaults",
    "summary": "The faults, and how often each has acted.",
    "responses": {"200": {"description": "All of them.", "content": {"application/json": {"schema": {"type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/FaultCount"}}, "next": {"type": ["string", "null"]}}, "required": ["items", "next"], "additionalProperties": true}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}},
   "post": {"operationId": "injectFaults",
    "summary": "Injects one fault or a list. All are checked before the first is injected.",
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"oneOf": [{"$ref": "#/components/schemas/Fault"}, {"type": "array", "items": {"$ref": "#/components/schemas/Fault"}}]}}, "application/yaml": {"schema": {"oneOf": [{"$ref": "#/components/schemas/Fault"}, {"type": "array", "items": {"$ref": "#/components/schemas/Fault"}}]}}}},
    "responses": {"201": {"description": "Their numbers.", "content": {"application/json": {"schema": {"type": "object", "properties": {"ids": {"type": "array", "items": {"type": "integer"}}}, "required": ["ids"], "additionalProperties": false}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "413": {"$ref": "#/components/responses/Problem"}, "415": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "429": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}},
   "delete": {"operationId": "removeFaults",
    "summary": "Removes all faults.",
    "responses": {"204": {"description": "They are removed."}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/faults/{id}": {
   "get": {"operationId": "fault",
    "summary": "One fault, and how often it has acted.",
    "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer", "minimum": 1}, "description": "The number of the fault."}],
    "responses": {"200": {"description": "The fault.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/FaultCount"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}},
   "delete": {"operationId": "removeFault",
    "summary": "Removes one fault.",
    "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "integer", "minimum": 1}, "description": "The number of the fault."}],
    "responses": {"204": {"description": "It is removed."}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/connections": {
   "get": {"operationId": "listConnections",
    "summary": "The connections, oldest first.",
    "parameters": [{"name": "limit", "in": "query", "required": false, "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}, "description": "The maximum number of entries."}, {"name": "after", "in": "query", "required": false, "schema": {"type": "integer", "minimum": 0, "maximum": 9223372036854775807}, "description": "Only entries after this number: the next of the previous answer."}, {"name": "open", "in": "query", "required": false, "schema": {"type": "boolean"}, "description": "Only those that are open, or only those that have ended."}],
    "responses": {"200": {"description": "A page.", "content": {"application/json": {"schema": {"type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/Connection"}}, "next": {"type": ["string", "null"]}}, "required": ["items", "next"], "additionalProperties": true}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/connections/{number}": {
   "get": {"operationId": "connection",
    "summary": "One connection with its settings, frames and streams.",
    "parameters": [{"name": "number", "in": "path", "required": true, "schema": {"type": "integer", "minimum": 1}, "description": "The number of the connection."}],
    "responses": {"200": {"description": "The connection.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Connection"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/connections/{number}/steps": {
   "post": {"operationId": "performSteps",
    "summary": "Executes steps on an open connection: GOAWAY, other SETTINGS, silence, the end.",
    "parameters": [{"name": "number", "in": "path", "required": true, "schema": {"type": "integer", "minimum": 1}, "description": "The number of the connection."}],
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"oneOf": [{"type": "array"}, {"type": "object"}, {"type": "string"}]}}}},
    "responses": {"202": {"description": "They begin.", "content": {"application/json": {"schema": {"type": "object"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "409": {"$ref": "#/components/responses/Problem"}, "413": {"$ref": "#/components/responses/Problem"}, "415": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/scenarios": {
   "get": {"operationId": "listScenarios",
    "summary": "The scenarios that need no file.",
    "responses": {"200": {"description": "All of them.", "content": {"application/json": {"schema": {"type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/Scenario"}}, "next": {"type": ["string", "null"]}}, "required": ["items", "next"], "additionalProperties": true}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/scenario": {
   "get": {"operationId": "scenario",
    "summary": "The active scenario.",
    "responses": {"200": {"description": "The scenario.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Scenario"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}},
   "put": {"operationId": "playScenario",
    "summary": "Activates a scenario. It replaces the active one.",
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewScenario"}}, "application/yaml": {"schema": {"$ref": "#/components/schemas/NewScenario"}}}},
    "responses": {"200": {"description": "The scenario is active.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Scenario"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "413": {"$ref": "#/components/responses/Problem"}, "415": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "429": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}},
   "delete": {"operationId": "endScenario",
    "summary": "Ends the active scenario.",
    "responses": {"204": {"description": "No scenario is active."}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/devices": {
   "get": {"operationId": "listDevices",
    "summary": "The registered devices, sorted by token.",
    "parameters": [{"name": "limit", "in": "query", "required": false, "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}, "description": "The maximum number of entries."}, {"name": "after", "in": "query", "required": false, "schema": {"type": "string"}, "description": "Only tokens after this one."}],
    "responses": {"200": {"description": "A page.", "content": {"application/json": {"schema": {"type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/Device"}}, "next": {"type": ["string", "null"]}}, "required": ["items", "next"], "additionalProperties": true}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}},
   "delete": {"operationId": "removeDevices",
    "summary": "Removes all devices.",
    "responses": {"204": {"description": "They are removed."}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/devices/{token}": {
   "get": {"operationId": "device",
    "summary": "One device.",
    "parameters": [{"name": "token", "in": "path", "required": true, "schema": {"type": "string", "pattern": "^([0-9A-Fa-f]{2}){1,64}$"}, "description": "The device token in hex."}],
    "responses": {"200": {"description": "The device.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Device"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}},
   "put": {"operationId": "putDevice",
    "summary": "Registers a device, or replaces it.",
    "parameters": [{"name": "token", "in": "path", "required": true, "schema": {"type": "string", "pattern": "^([0-9A-Fa-f]{2}){1,64}$"}, "description": "The device token in hex."}],
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewDevice"}}}},
    "responses": {"200": {"description": "It is replaced.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Device"}}}}, "201": {"description": "It is new.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Device"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "413": {"$ref": "#/components/responses/Problem"}, "415": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "422": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}},
   "delete": {"operationId": "removeDevice",
    "summary": "Removes a device. Its token is unknown from then on.",
    "parameters": [{"name": "token", "in": "path", "required": true, "schema": {"type": "string", "pattern": "^([0-9A-Fa-f]{2}){1,64}$"}, "description": "The device token in hex."}],
    "responses": {"204": {"description": "It is removed."}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/keys": {
   "get": {"operationId": "listKeys",
    "summary": "The keys whose provider tokens are accepted.",
    "responses": {"200": {"description": "All of them.", "content": {"application/json": {"schema": {"type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/Key"}}, "next": {"type": ["string", "null"]}}, "required": ["items", "next"], "additionalProperties": true}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}},
   "post": {"operationId": "trustKey",
    "summary": "Accepts the provider tokens of another key. Only its public half is kept.",
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/NewKey"}}}},
    "responses": {"201": {"description": "It is trusted.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Key"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "409": {"$ref": "#/components/responses/Problem"}, "413": {"$ref": "#/components/responses/Problem"}, "415": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "422": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/keys/{id}": {
   "delete": {"operationId": "revokeKey",
    "summary": "Stops accepting the provider tokens of a key.",
    "parameters": [{"name": "id", "in": "path", "required": true, "schema": {"type": "string"}, "description": "The key id."}],
    "responses": {"204": {"description": "It is revoked."}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/settings": {
   "get": {"operationId": "settings",
    "summary": "How strict the mock is where the behaviour of APNs is uncertain.",
    "responses": {"200": {"description": "The settings.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Settings"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}},
   "patch": {"operationId": "changeSettings",
    "summary": "Changes some settings; the others stay.",
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Settings"}}}},
    "responses": {"200": {"description": "The settings.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Settings"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "413": {"$ref": "#/components/responses/Problem"}, "415": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/settings/facts": {
   "get": {"operationId": "settingFacts",
    "summary": "Each setting with its value, its default, and what is known about APNs.",
    "responses": {"200": {"description": "The settings.", "content": {"application/json": {"schema": {"type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/SettingFact"}}, "next": {"type": ["string", "null"]}}, "required": ["items", "next"], "additionalProperties": true}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/authorities": {
   "get": {"operationId": "listAuthorities",
    "summary": "The authorities whose client certificates are accepted.",
    "responses": {"200": {"description": "All of them.", "content": {"application/json": {"schema": {"type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/Authority"}}, "next": {"type": ["string", "null"]}}, "required": ["items", "next"], "additionalProperties": true}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}},
   "post": {"operationId": "trustAuthority",
    "summary": "Accepts the client certificates of another authority.",
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"pem": {"type": "string", "description": "The certificate of the authority, in PEM."}}, "required": ["pem"], "additionalProperties": false}}}},
    "responses": {"201": {"description": "The authority.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Authority"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "413": {"$ref": "#/components/responses/Problem"}, "415": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "422": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/authorities/{sha256}": {
   "delete": {"operationId": "distrustAuthority",
    "summary": "Stops accepting the client certificates of an authority.",
    "parameters": [{"name": "sha256", "in": "path", "required": true, "schema": {"type": "string", "pattern": "^[0-9a-f]{64}$"}, "description": "SHA-256 of the certificate, in hex."}],
    "responses": {"204": {"description": "They are no longer accepted."}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/revoked-certificates": {
   "get": {"operationId": "listRevokedCertificates",
    "summary": "The client certificates that were revoked.",
    "responses": {"200": {"description": "All of them.", "content": {"application/json": {"schema": {"type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/RevokedCertificate"}}, "next": {"type": ["string", "null"]}}, "required": ["items", "next"], "additionalProperties": true}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/revoked-certificates/{sha256}": {
   "put": {"operationId": "revokeCertificate",
    "summary": "Revokes a client certificate. The mock no longer accepts it.",
    "parameters": [{"name": "sha256", "in": "path", "required": true, "schema": {"type": "string", "pattern": "^[0-9a-f]{64}$"}, "description": "SHA-256 of the certificate, in hex."}],
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "additionalProperties": false}}}},
    "responses": {"200": {"description": "The certificate.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/RevokedCertificate"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "413": {"$ref": "#/components/responses/Problem"}, "415": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "422": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}},
   "delete": {"operationId": "restoreCertificate",
    "summary": "Accepts a revoked client certificate again.",
    "parameters": [{"name": "sha256", "in": "path", "required": true, "schema": {"type": "string", "pattern": "^[0-9a-f]{64}$"}, "description": "SHA-256 of the certificate, in hex."}],
    "responses": {"204": {"description": "It is accepted again."}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/clock": {
   "get": {"operationId": "clock",
    "summary": "The clock that the mock uses for its checks.",
    "responses": {"200": {"description": "The clock.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Clock"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}},
   "put": {"operationId": "setClock",
    "summary": "Sets the clock, or resets it to the system's time.",
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"now": {"oneOf": [{"$ref": "#/components/schemas/Time"}, {"const": "system"}]}, "stopped": {"type": ["boolean", "null"]}}, "required": ["now"], "additionalProperties": false}}}},
    "responses": {"200": {"description": "The clock.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Clock"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "413": {"$ref": "#/components/responses/Problem"}, "415": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/clock/advance": {
   "post": {"operationId": "advanceClock",
    "summary": "Moves the clock.",
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"by": {"type": "string", "pattern": "^-?[0-9]{1,6}(ms|s|m|h|d)$"}}, "required": ["by"], "additionalProperties": false}}}},
    "responses": {"200": {"description": "The clock.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Clock"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "409": {"$ref": "#/components/responses/Problem"}, "413": {"$ref": "#/components/responses/Problem"}, "415": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/violations": {
   "get": {"operationId": "violations",
    "summary": "The rules that clients broke, including those that APNs does not enforce.",
    "parameters": [{"name": "order", "in": "query", "required": false, "schema": {"type": "string", "enum": ["oldest", "newest"], "default": "oldest"}, "description": "Which entry is first."}, {"name": "id", "in": "query", "required": false, "schema": {"type": "string"}, "description": "Only this rule."}, {"name": "limit", "in": "query", "required": false, "schema": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}, "description": "The maximum number of entries."}, {"name": "after", "in": "query", "required": false, "schema": {"type": "integer", "minimum": 0, "maximum": 9223372036854775807}, "description": "Only entries after this number: the next of the previous answer."}],
    "responses": {"200": {"description": "A page.", "content": {"application/json": {"schema": {"type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/Violation"}}, "next": {"type": ["string", "null"]}, "counts": {"type": "object", "additionalProperties": {"type": "integer"}}}, "required": ["items", "next"], "additionalProperties": true}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/events": {
   "get": {"operationId": "events",
    "summary": "The requests as they arrive and what changes on phones, as server-sent events. Last-Event-ID resumes.",
    "parameters": [{"name": "q", "in": "query", "required": false, "schema": {"type": "string"}, "description": "A search; docs/mock-api.md describes the language. Empty: everything matches."}, {"name": "after", "in": "query", "required": false, "schema": {"type": "integer", "minimum": 0, "maximum": 9223372036854775807}, "description": "Only entries after this number: the next of the previous answer."}],
    "responses": {"200": {"description": "The stream.", "content": {"text/event-stream": {"schema": {"type": "string"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "429": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/reset": {
   "post": {"operationId": "reset",
    "summary": "Resets the namespace to its state after the start.",
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {}, "required": [], "additionalProperties": false}}}},
    "responses": {"204": {"description": "It is done."}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "413": {"$ref": "#/components/responses/Problem"}, "415": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/stop": {
   "post": {"operationId": "stop",
    "summary": "Stops the whole mock.",
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {}, "required": [], "additionalProperties": false}}}},
    "responses": {"202": {"description": "It stops.", "content": {"application/json": {"schema": {"type": "object"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "413": {"$ref": "#/components/responses/Problem"}, "415": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/namespaces": {
   "get": {"operationId": "listNamespaces",
    "summary": "The namespaces: each has its own port, log, devices, faults and clock.",
    "responses": {"200": {"description": "All of them.", "content": {"application/json": {"schema": {"type": "object", "properties": {"items": {"type": "array", "items": {"$ref": "#/components/schemas/Namespace"}}, "next": {"type": ["string", "null"]}}, "required": ["items", "next"], "additionalProperties": true}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}},
   "post": {"operationId": "createNamespace",
    "summary": "Creates a namespace. Its paths begin with /v1/namespaces/NAME instead of /v1.",
    "requestBody": {"required": true, "content": {"application/json": {"schema": {"type": "object", "properties": {"name": {"type": "string", "pattern": "^[A-Za-z0-9_-]{1,64}$"}, "port": {"type": ["integer", "null"], "minimum": 0, "maximum": 65535}, "key_ids": {"type": ["array", "null"], "maxItems": 100, "items": {"type": "string", "pattern": "^[A-Za-z0-9]{10}$"}}, "environment": {"enum": ["sandbox", "production", null]}, "settings": {"oneOf": [{"$ref": "#/components/schemas/Settings"}, {"type": "null"}]}}, "required": ["name"], "additionalProperties": false}}}},
    "responses": {"201": {"description": "It is new.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Namespace"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "409": {"$ref": "#/components/responses/Problem"}, "413": {"$ref": "#/components/responses/Problem"}, "415": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "422": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
  "/v1/namespaces/{name}": {
   "get": {"operationId": "namespace",
    "summary": "One namespace.",
    "parameters": [{"name": "name", "in": "path", "required": true, "schema": {"type": "string"}, "description": "Its name."}],
    "responses": {"200": {"description": "The namespace.", "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Namespace"}}}}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}},
   "delete": {"operationId": "deleteNamespace",
    "summary": "Stops the mock of a namespace.",
    "parameters": [{"name": "name", "in": "path", "required": true, "schema": {"type": "string"}, "description": "Its name."}],
    "responses": {"204": {"description": "It is deleted."}, "400": {"$ref": "#/components/responses/Problem"}, "401": {"$ref": "#/components/responses/Problem"}, "403": {"$ref": "#/components/responses/Problem"}, "404": {"$ref": "#/components/responses/Problem"}, "409": {"$ref": "#/components/responses/Problem"}, "421": {"$ref": "#/components/responses/Problem"}, "503": {"$ref": "#/components/responses/Problem"}}}
  },
\#(phonePaths)
 },
 "components": {"schemas": {
 \#(phoneSchemas),
  "Push": {"type": "object", "properties": {"number": {"type": "integer"}, "time": {"type": "string"}, "time_ms": {"type": "integer"}, "connection": {"type": "integer"}, "stream": {"type": "integer"}, "environment": {"type": "string"}, "peer": {"type": "string"}, "method": {"type": "string"}, "path": {"type": "string"}, "token": {"type": "string"}, "topic": {"type": "string"}, "push_type": {"type": "string"}, "priority": {"type": "string"}, "expiration": {"type": "string"}, "collapse_id": {"type": "string"}, "channel_id": {"type": "string"}, "key_id": {"type": "string"}, "team_id": {"type": "string"}, "token_issued_at": {"type": "string"}, "certificate": {"type": "string"}, "payload": {"type": "string"}, "status": {"type": "integer"}, "reason": {"type": "string"}, "fact_id": {"type": "string"}, "fact": {"type": "string"}, "confidence": {"$ref": "#/components/schemas/Confidence"}, "allowances": {"type": "array", "items": {"$ref": "#/components/schemas/Fact"}}, "violations": {"type": "array", "items": {"$ref": "#/components/schemas/Fact"}}, "answered": {"type": "boolean"}, "phone": {"type": "string"}, "outcome": {"$ref": "#/components/schemas/Outcome"}, "timeline": {"type": "array", "items": {"$ref": "#/components/schemas/Stage"}}, "card": {"$ref": "#/components/schemas/Card"}}, "required": ["number", "time", "connection", "stream", "method", "path", "token", "payload", "status", "fact_id", "fact", "confidence"], "additionalProperties": true},
  "Confidence": {"description": "How certain a fact about APNs is; docs/mock-fidelity.md explains the marks.", "enum": ["2+", "A", "AA", "O", "1", "?"]},
  "Fact": {"description": "A fact about APNs; docs/mock-fidelity.md lists all of them by their ids.", "type": "object", "properties": {"id": {"type": "string"}, "fact": {"type": "string"}, "confidence": {"$ref": "#/components/schemas/Confidence"}, "detail": {"type": "string"}}, "required": ["id", "fact", "confidence"], "additionalProperties": true},
  "Expectation": {"description": "Either query with at most one of at_least, exactly and none, or in_order. Without a term about status or reason, only accepted requests count; with none, all do. A duration can also be in minutes or hours, up to 1h.", "anyOf": [{"type": "object", "properties": {"query": {"type": ["string", "null"], "maxLength": 4096}, "at_least": {"type": ["integer", "null"], "minimum": 1, "maximum": 1000000}, "exactly": {"type": "null"}, "none": {"enum": [false, null]}, "in_order": {"type": "null"}, "after": {"type": ["integer", "null"], "minimum": 0, "maximum": 9223372036854775807}, "within": {"type": ["string", "null"], "pattern": "^([0-9]{1,5}ms|[0-9]{1,2}s)$"}, "settle": {"type": ["string", "null"], "pattern": "^([0-9]{1,5}ms|[0-9]{1,2}s)$"}}, "required": [], "additionalProperties": false}, {"type": "object", "properties": {"query": {"type": ["string", "null"], "maxLength": 4096}, "at_least": {"type": "null"}, "exactly": {"type": "integer", "minimum": 0, "maximum": 1000000}, "none": {"enum": [false, null]}, "in_order": {"type": "null"}, "after": {"type": ["integer", "null"], "minimum": 0, "maximum": 9223372036854775807}, "within": {"type": ["string", "null"], "pattern": "^([0-9]{1,5}ms|[0-9]{1,2}s)$"}, "settle": {"type": ["string", "null"], "pattern": "^([0-9]{1,5}ms|[0-9]{1,2}s)$"}}, "required": ["exactly"], "additionalProperties": false}, {"type": "object", "properties": {"query": {"type": ["string", "null"], "maxLength": 4096}, "at_least": {"type": "null"}, "exactly": {"type": "null"}, "none": {"enum": [true]}, "in_order": {"type": "null"}, "after": {"type": ["integer", "null"], "minimum": 0, "maximum": 9223372036854775807}, "within": {"type": ["string", "null"], "pattern": "^([0-9]{1,5}ms|[0-9]{1,2}s)$"}, "settle": {"type": ["string", "null"], "pattern": "^([0-9]{1,5}ms|[0-9]{1,2}s)$"}}, "required": ["none"], "additionalProperties": false}, {"type": "object", "properties": {"query": {"type": "null"}, "at_least": {"type": "null"}, "exactly": {"type": "null"}, "none": {"enum": [false, null]}, "in_order": {"type": "array", "items": {"type": "string", "maxLength": 4096}, "minItems": 1, "maxItems": 100}, "after": {"type": ["integer", "null"], "minimum": 0, "maximum": 9223372036854775807}, "within": {"type": ["string", "null"], "pattern": "^([0-9]{1,5}ms|[0-9]{1,2}s)$"}, "settle": {"type": ["string", "null"], "pattern": "^([0-9]{1,5}ms|[0-9]{1,2}s)$"}}, "required": ["in_order"], "additionalProperties": false}]},
  "Time": {"description": "RFC 3339, or seconds since 1970; in the years 1 to 9999.", "oneOf": [{"type": "string", "pattern": "^((1[6-9]|[2-9][0-9])[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)?|-?[0-9]{1,10})$"}, {"type": "number", "minimum": -62135596800, "maximum": 99999999999}]},
  "NewPush": {"type": "object", "properties": {"payload": {"type": "string"}, "token": {"type": ["string", "null"]}, "topic": {"type": ["string", "null"]}, "push_type": {"type": ["string", "null"]}, "priority": {"oneOf": [{"type": "integer"}, {"type": "string", "pattern": "^[0-9]{1,3}$"}, {"type": "null"}]}, "expiration": {"oneOf": [{"type": "integer", "minimum": 0, "maximum": 253402300799}, {"type": "string", "pattern": "^[0-9]{1,10}$"}, {"type": "null"}]}, "collapse_id": {"type": ["string", "null"]}}, "required": ["payload"], "additionalProperties": false},
  "SentPush": {"type": "object", "properties": {"status": {"type": "integer"}, "reason": {"type": "string"}, "apns_id": {"type": "string"}, "key_id": {"type": "string"}}, "required": ["status", "key_id"], "additionalProperties": true},
  "LintFinding": {"type": "object", "properties": {"line": {"type": "integer"}, "column": {"type": "integer"}, "length": {"type": "integer"}, "severity": {"enum": ["error", "warning", "note"]}, "rule": {"type": "string"}, "subject": {"type": "string"}, "problem": {"type": "string"}, "remedy": {"type": "string"}, "fixable": {"type": "boolean"}}, "required": ["severity", "rule", "subject", "problem", "remedy", "fixable"], "additionalProperties": true},
  "Template": {"type": "object", "properties": {"name": {"type": "string"}, "about": {"type": "string"}, "push_type": {"type": "string"}, "topic": {"type": "string"}, "collapse_id": {"type": "string"}, "payload": {"type": "string"}}, "required": ["name", "about", "push_type", "topic", "payload"], "additionalProperties": true},
  "Result": {"type": "object", "properties": {"detail": {"type": "string"}, "holds": {"type": "boolean"}, "count": {"type": "integer"}, "matches": {"type": "array", "items": {"$ref": "#/components/schemas/Push"}}}, "required": ["detail", "holds", "count", "matches"], "additionalProperties": true},
  "Fault": {"type": "object", "description": "docs/faults.md describes all faults.", "required": ["steps"], "properties": {"name": {"type": "string"}, "at": {"type": "string"}, "when": {"type": "object"}, "steps": {"type": "array"}, "times": {"type": "integer"}}},
  "FaultCount": {"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string"}, "applied": {"type": "integer"}, "is_active": {"type": "boolean"}, "fault": {"type": "object"}}, "required": ["id", "name", "applied", "is_active"], "additionalProperties": true},
  "Connection": {"type": "object", "properties": {"number": {"type": "integer"}, "opened_at": {"type": "string"}, "is_open": {"type": "boolean"}, "peer": {"type": "string"}, "requests": {"type": "integer"}, "streams": {"type": "integer"}}, "required": ["number", "opened_at", "is_open", "requests", "streams"], "additionalProperties": true},
  "Stream": {"type": "object", "properties": {"id": {"type": "integer"}, "opened_at": {"type": "string"}, "frames": {"type": "array"}}, "required": ["id", "opened_at", "frames"], "additionalProperties": true},
  "Device": {"type": "object", "properties": {"token": {"type": "string"}, "topics": {"type": "array", "items": {"type": "string"}}, "environment": {"type": "string"}, "state": {"enum": ["active", "unregistered", "expired"]}, "since": {"type": "string"}, "online": {"type": "boolean"}, "notifications": {"type": "boolean"}}, "required": ["token", "topics", "state"], "additionalProperties": true},
  "NewDevice": {"description": "since needs the state unregistered or expired.", "anyOf": [{"type": "object", "properties": {"topics": {"type": ["array", "null"], "items": {"type": "string"}}, "environment": {"enum": ["sandbox", "production", null]}, "state": {"enum": ["active", null]}, "online": {"type": ["boolean", "null"]}, "notifications": {"type": ["boolean", "null"]}, "since": {"type": "null"}}, "additionalProperties": false}, {"type": "object", "properties": {"topics": {"type": ["array", "null"], "items": {"type": "string"}}, "environment": {"enum": ["sandbox", "production", null]}, "state": {"enum": ["unregistered", "expired"]}, "since": {"oneOf": [{"$ref": "#/components/schemas/Time"}, {"type": "null"}]}}, "required": ["state"], "additionalProperties": false}]},
  "Settings": {"type": "object", "description": "docs/mock-fidelity.md describes the settings.", "properties": {"unknown_tokens": {"enum": ["accept", "reject"]}, "magic_tokens": {"type": "boolean"}, "refuses_early_streams": {"type": "boolean"}, "streams_before_authentication": {"type": "integer", "minimum": 0, "maximum": 100000}, "streams_after_authentication": {"type": "integer", "minimum": 0, "maximum": 100000}, "falls_to_one_stream": {"type": "boolean"}, "errors_before_goaway": {"type": ["integer", "null"], "minimum": 1, "maximum": 1000000}, "idle_time": {"type": ["string", "null"], "pattern": "^[1-9][0-9]{0,5}(ms|s)$"}, "silence_after": {"type": ["string", "null"], "pattern": "^[1-9][0-9]{0,5}(ms|s)$"}, "announced_window": {"type": "integer", "minimum": 0, "maximum": 2147483647}, "announced_header_list_size": {"type": "integer", "minimum": 0, "maximum": 4294967295}, "announced_frame_size": {"type": "integer", "minimum": 16384, "maximum": 16777215}, "mdm_without_mdm_certificate_reason": {"type": ["string", "null"]}, "seed": {"type": "integer", "minimum": 0, "maximum": 9223372036854775807}, "environment_reason": {"type": "string"}, "second_team_reason": {"type": "string"}, "future_tolerance": {"type": "string", "pattern": "^[0-9]{1,6}(ms|s)$"}, "accepts_text_issue_time": {"type": "boolean"}, "accepts_der_signature": {"type": "boolean"}, "accepts_standard_base64": {"type": "boolean"}, "accepts_es512_name": {"type": "boolean"}, "counts_token_updates_by_use": {"type": "boolean"}, "refuses_certificates_by_goaway": {"type": "boolean"}, "topic_outside_certificate_reason": {"type": "string"}, "accepts_upper_case_apns_id": {"type": "boolean"}, "generates_lower_case_apns_id": {"type": "boolean"}, "uncovered_topic_reason": {"type": "string"}, "push_types": {"type": "array", "maxItems": 100, "items": {"type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[A-Za-z0-9._-]+$"}}, "topic_against_push_type_reason": {"type": ["string", "null"]}, "urgent_background_reason": {"type": ["string", "null"]}, "past_expiration_reason": {"type": ["string", "null"]}, "apps_without_broadcast": {"type": "array", "items": {"type": "string"}}, "channel_limit": {"type": "integer", "minimum": 0, "maximum": 10000}, "not_json_reason": {"type": ["string", "null"]}, "device_rate_limit": {"oneOf": [{"type": "null"}, {"type": "object", "properties": {"requests": {"type": "integer", "minimum": 1, "maximum": 1000000}, "seconds": {"type": ["integer", "null"], "minimum": 1, "maximum": 86400}}, "required": ["requests"], "additionalProperties": false}]}}, "additionalProperties": false},
  "Authority": {"type": "object", "properties": {"sha256": {"type": "string"}, "common_name": {"type": "string"}}, "required": ["sha256", "common_name"], "additionalProperties": true},
  "RevokedCertificate": {"type": "object", "properties": {"sha256": {"type": "string"}}, "required": ["sha256"], "additionalProperties": true},
  "SettingFact": {"type": "object", "properties": {"name": {"type": "string"}, "value": {}, "default": {}, "fact": {"type": "string"}, "confidence": {"type": "string"}}, "required": ["name", "value", "default", "fact", "confidence"], "additionalProperties": true},
  "Key": {"type": "object", "properties": {"related_key_id": {"type": "string"}, "key_id": {"type": "string"}, "team_id": {"type": "string"}, "topics": {"type": "array", "items": {"type": "string"}}, "environment": {"type": "string"}}, "required": ["key_id", "team_id"], "additionalProperties": true},
  "NewKey": {"type": "object", "properties": {"related_key_id": {"type": ["string", "null"], "pattern": "^[A-Za-z0-9]{10}$", "description": "Of a topic-specific key: the only other key that may use the same connection."}, "pem": {"type": "string", "description": "A .p8 file, or a public key in PEM."}, "key_id": {"type": "string", "pattern": "^[A-Za-z0-9]{10}$"}, "team_id": {"type": "string", "pattern": "^[A-Za-z0-9]{10}$"}, "topics": {"type": ["array", "null"], "items": {"type": "string"}}, "environment": {"enum": ["sandbox", "production", null]}}, "required": ["pem", "key_id", "team_id"], "additionalProperties": false},
  "Clock": {"type": "object", "properties": {"now": {"type": "string"}, "is_moved": {"type": "boolean"}, "is_stopped": {"type": "boolean"}}, "required": ["now", "is_moved", "is_stopped"], "additionalProperties": true},
  "Violation": {"type": "object", "properties": {"number": {"type": "integer"}, "time": {"type": "string"}, "connection": {"type": "integer"}, "push": {"type": "integer"}, "rejected": {"type": "boolean"}, "id": {"type": "string"}, "fact": {"type": "string"}, "confidence": {"$ref": "#/components/schemas/Confidence"}, "detail": {"type": "string"}}, "required": ["number", "time", "connection", "rejected", "id", "fact", "confidence"], "additionalProperties": true},
  "Namespace": {"type": "object", "properties": {"name": {"type": "string"}, "port": {"type": "integer"}, "key_ids": {"type": "array", "items": {"type": "string"}}, "environment": {"type": "string"}, "pushes": {"type": "integer"}}, "required": ["name", "port", "environment", "pushes"], "additionalProperties": true},
  "NewScenario": {"description": "The name of a ready scenario, or a whole one; docs/mock-api.md describes it.", "oneOf": [{"type": "object", "properties": {"name": {"type": ["string", "null"]}, "description": {"type": ["string", "null"]}, "settings": {"oneOf": [{"$ref": "#/components/schemas/Settings"}, {"type": "null"}]}, "clock": {"type": ["string", "null"]}, "revoked_keys": {"type": ["array", "null"], "items": {"type": "string"}}, "devices": {"type": ["array", "null"], "items": {"type": "object"}}, "faults": {"oneOf": [{"type": "null"}, {"$ref": "#/components/schemas/Fault"}, {"type": "array", "items": {"$ref": "#/components/schemas/Fault"}}]}}, "additionalProperties": false}, {"type": "array", "items": {"$ref": "#/components/schemas/Fault"}}]},
  "Scenario": {"type": "object", "properties": {"name": {"type": "string"}, "description": {"type": "string"}, "faults": {"type": "integer"}, "devices": {"type": "integer"}}, "required": ["name", "description"], "additionalProperties": true},
  "Setup": {"type": "object", "properties": {"version": {"type": "string"}, "namespace": {"type": "string"}, "url": {"type": "string"}, "host": {"type": "string"}, "port": {"type": "integer"}, "environment": {"type": "string"}, "key_id": {"type": "string"}, "team_id": {"type": "string"}, "ca_pem": {"type": "string"}, "mock_flags": {"type": "string"}}, "required": ["url", "host", "port", "environment", "key_id", "team_id", "ca_pem"], "additionalProperties": true},
  "Problem": {"type": "object", "properties": {"type": {"type": "string"}, "title": {"type": "string"}, "status": {"type": "integer"}, "code": {"type": "string"}, "detail": {"type": "string"}, "field": {"type": "string"}, "line": {"type": "integer"}, "column": {"type": "integer"}, "remedy": {"type": "string"}}, "required": ["type", "title", "status", "code", "detail"], "additionalProperties": true}
 },
  "responses": {"Problem": {"description": "What is wrong, and how to correct it (RFC 9457).", "content": {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}}}}}
"""#
}
