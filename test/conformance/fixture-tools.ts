import type { CallToolResult, Tool } from '@modelcontextprotocol/sdk/types.js'
import type { ToolCallContext, ToolService } from '../../src/mcp/tool-service.ts'

type Fixture = {
  readonly tool: Omit<Tool, 'name'>
  readonly call: (context: ToolCallContext) => CallToolResult | Promise<CallToolResult>
}

const NOTHING = { type: 'object' as const, properties: {} }
/** A picture of one pixel. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+M8AAAMBAQDJ/pLvAAAAAElFTkSuQmCC'
/** A sound without samples. */
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='
const text = (content: string) => ({ type: 'text' as const, text: content })
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' }
const resource = (uri: string, mimeType: string, content: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text: content },
})

/** Tools that the suite requires of a server: it prescribes their names, descriptions and answers. */
const FIXTURES: Readonly<Record<string, Fixture>> = {
  test_simple_text: {
    tool: { description: 'Answers with text', inputSchema: NOTHING },
    call: () => ({ content: [text('This is a simple text response for testing.')] }),
  },
  test_image_content: {
    tool: { description: 'Answers with a picture', inputSchema: NOTHING },
    call: () => ({ content: [image] }),
  },
  test_audio_content: {
    tool: { description: 'Answers with a sound', inputSchema: NOTHING },
    call: () => ({ content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }] }),
  },
  test_embedded_resource: {
    tool: { description: 'Answers with a resource', inputSchema: NOTHING },
    call: () => ({
      content: [
        resource('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
      ],
    }),
  },
  test_multiple_content_types: {
    tool: { description: 'Answers with several kinds', inputSchema: NOTHING },
    call: () => ({
      content: [
        text('Multiple content types test:'),
        image,
        resource(
          'test://mixed-content-resource',
          'application/json',
          '{"test":"data","value":123}',
        ),
      ],
    }),
  },
  test_error_handling: {
    tool: { description: 'Fails', inputSchema: NOTHING },
    call: () => ({
      isError: true,
      content: [text('This tool intentionally returns an error for testing')],
    }),
  },
  test_tool_with_logging: {
    tool: { description: 'Logs', inputSchema: NOTHING },
    call({ notify }) {
      for (const data of [
        'Tool execution started',
        'Tool processing data',
        'Tool execution completed',
      ])
        notify({ method: 'notifications/message', params: { level: 'info', data } })
      return { content: [text('Logged three times')] }
    },
  },
  test_logging_tool: {
    tool: { description: 'Would log, if it were asked to', inputSchema: NOTHING },
    call: () => ({ content: [text('Nothing was logged')] }),
  },
  test_streaming_elicitation: {
    tool: { description: 'Answers, and asks nothing on its stream', inputSchema: NOTHING },
    call: () => ({ content: [text('Nothing was asked')] }),
  },
  test_tool_with_progress: {
    tool: { description: 'Tells how far it is', inputSchema: NOTHING },
    call({ notify, progressToken }) {
      for (const progress of [0, 50, 100])
        if (progressToken !== null)
          notify({
            method: 'notifications/progress',
            params: { progressToken, progress, total: 100, message: `${progress} of 100` },
          })
      return { content: [text(String(progressToken))] }
    },
  },
  json_schema_2020_12_tool: {
    tool: {
      description: 'Has keywords of JSON Schema 2020-12',
      inputSchema: {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: {
          address: {
            type: 'object',
            properties: { street: { type: 'string' }, city: { type: 'string' } },
          },
        },
        properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
        additionalProperties: false,
      },
    },
    call: () => ({ content: [text('none')] }),
  },
}

/**
 * The platform's service with the suite's tools beside its own. The platform decides who may call
 * them.
 */
export function withFixtureTools(service: ToolService): ToolService {
  return {
    capabilities: { logging: {} },
    ...(service.ask && { ask: service.ask }),
    async list(context) {
      const listed = await service.list(context)
      return listed.refusal
        ? listed
        : {
            ...listed,
            tools: [
              ...listed.tools,
              ...Object.entries(FIXTURES).map(([name, { tool }]) => ({ name, ...tool })),
            ],
          }
    },
    async call(context, name, args) {
      const fixture = Object.hasOwn(FIXTURES, name) ? FIXTURES[name] : undefined
      if (!fixture) return service.call(context, name, args)
      const { refusal } = await service.list(context)
      return {
        refusal,
        result: refusal ? { isError: true, content: [] } : await fixture.call(context),
      }
    },
  }
}
