import { expect, test } from 'vitest'
import { OfferedTools, offeredTools } from '../../src/mcp/extended/offered-tools.ts'
import { withChosenTools } from '../../src/mcp/extended/service.ts'
import type { ToolService } from '../../src/mcp/tool-service.ts'

const toolOf = (description: string) => ({
  name: 'preview',
  description,
  inputSchema: {
    type: 'object' as const,
    properties: { recipe: { description: 'A recipe. save_task keeps it.' } },
  },
})

test('a tool is made once for a list of tools, and again when the API describes it anew', () => {
  const [first] = offeredTools(['preview', 'map']).tools([toolOf('Runs it. `watch` repeats it.')])
  const [second] = offeredTools(['preview', 'map']).tools([toolOf('Runs it. `watch` repeats it.')])
  const [changed] = offeredTools(['preview', 'map']).tools([toolOf('Runs it twice.')])
  expect(first).toMatchObject({
    description: 'Runs it.',
    inputSchema: { properties: { recipe: { description: 'A recipe.' } } },
  })
  expect(second).toBe(first)
  expect(changed?.description).toBe('Runs it twice.')
})

test('another list of tools has its own texts', () => {
  const tool = toolOf('Runs it. `watch` repeats it.')
  const [alone] = offeredTools(['preview']).tools([tool])
  const [both] = offeredTools(['preview', 'watch']).tools([tool])
  expect([alone?.description, both?.description]).toEqual(['Runs it.', tool.description])
})

test('clients that choose ever new lists do not fill the memory', () => {
  const first = offeredTools(['preview', 'crawl'])
  expect(offeredTools(['preview', 'crawl'])).toBe(first)
  for (let list = 0; list < 64; list++) offeredTools([`tool${list}`])
  expect(offeredTools(['preview', 'crawl'])).not.toBe(first)
})

test('a text loses the parts that name a tool that is not offered', () => {
  const offered = new OfferedTools(['preview', 'get_run'])
  const texts = [
    'The recipe works. save_task keeps it.',
    'The rows remain: read them with get_run.',
    'The recipe runs. `preview` runs it; save_task keeps it; `watch` runs it by a schedule.',
    'Watch the page; save_task keeps it.',
    'save_task alone is named here.',
  ]
  expect(texts.map((text) => offered.text(text))).toEqual([
    'The recipe works.',
    'The rows remain: read them with get_run.',
    'The recipe runs. `preview` runs it.',
    'Watch the page.',
    'save_task alone is named here.',
  ])
})

test('text of a caller names no tool', () => {
  const offered = new OfferedTools(['preview'])
  for (const text of [
    'The page could not be read: https://pens.example.com/get_run?x=1 answered 404. Try again.',
    'No column has values: "get_run". Name it otherwise.',
    'arguments.fields.save_task: is no selector; correct it.',
    'The columns save_tasks and my_get_run are empty. Look again.',
  ])
    expect(offered.text(text)).toBe(text)
})

test('the result of a tool is returned, even if it is unknown which tools the key may use', async () => {
  const requests: string[] = []
  const ended = (status: number, body: object) => ({
    status,
    headers: {},
    body: JSON.stringify(body),
  })
  const service: ToolService = {
    list: async () => ({ refusal: null, tools: [] }),
    call: async () => {
      throw new Error('A tool of the six was called')
    },
  }
  const chosen = withChosenTools(service, {
    names: ['save_task', 'preview'],
    baseUrl: 'http://api.example',
    send: async ({ method, url }) => {
      requests.push(`${method} ${new URL(url).pathname}`)
      return method === 'POST'
        ? ended(201, { success: true, data: { id: 'task_1', name: 'n', status: 'active' } })
        : ended(503, { success: false, error: { code: 'SERVICE_UNAVAILABLE', message: 'Away' } })
    },
  })
  const { result } = await chosen.call(
    {
      credential: {},
      signal: new AbortController().signal,
      progressToken: null,
      notify: () => undefined,
      beat: () => undefined,
    },
    'save_task',
    { name: 'n', recipe: { start: { urls: ['https://a.example/'] } } },
  )
  expect(requests).toEqual(['POST /api/v1/tasks', 'GET /api/v1/me'])
  expect(result).toMatchObject({ structuredContent: { taskId: 'task_1' } })
})
