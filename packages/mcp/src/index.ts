// The groups are the topics of the API reference: a comment names the topic and its guides.

// Tools: docs/mcp.md
export { type CallOptions, getMcp, type Mcp, mcp } from './lib/mcp.ts'
export { type McpOptions } from './lib/mcp-options.ts'
export { type NamedTool, type ToolChoice, type ToolChoices } from './lib/choose-operations.ts'
export { type ToolAnnotations, type ToolDefinition } from './lib/tool.ts'
export { type ToolResult } from './lib/call-tool.ts'
export { type ToolSource } from './lib/create-server.ts'
export { serveStdio, type StdioStreams } from './lib/serve-stdio.ts'
export { type JsonObject } from './lib/json.ts'
