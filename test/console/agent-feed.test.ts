import { expect, test } from 'vitest'
import { createFeed } from '../../src/console/app/agent/feed.ts'
import { connectHost } from '../../src/console/app/agent/host.ts'
import type { ToolAnswer } from '../../src/console/app/agent/host.ts'

// Proves that the view of the MCP App reads all rows of a result in their order, follows a run to
// its end, reports errors, continues on request, and follows the protocol with its host.

type Data = { readonly [name: string]: unknown }
const answer = (structuredContent: unknown): ToolAnswer => ({
  structuredContent,
  text: '',
  isError: false,
})
const failure = (text: string): ToolAnswer => ({ structuredContent: null, text, isError: true })

/** A run of which the rows 0 to `found` are there, and the calls that were made. */
function runOf(limit = 3) {
  const state = { found: 0, done: false, broken: false, calls: new Array<Data>() }
  const read = ({ cursor = '0' }: Data): ToolAnswer => {
    if (state.broken) return failure('Too many requests: wait 7 seconds')
    const start = Number(cursor)
    const end = Math.min(state.found, start + limit)
    const rows = Array.from({ length: end - start }, (_, index) => ({ n: start + index }))
    return answer({
      runId: 'exec_1',
      status: state.done ? 'succeeded' : 'running',
      done: state.done,
      reason: null,
      pages: { discovered: 9, fetched: state.found, failed: 0 },
      credits: 1,
      failedPages: [],
      rowsFound: state.found,
      columns: ['n'],
      rows,
      nextCursor: end < state.found ? String(end) : null,
    })
  }
  const naps = new Array<() => void>()
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  }
  return {
    state,
    read,
    settle,
    /** Lets the time pass that the feed waits. */
    async wake() {
      naps.splice(0).forEach((nap) => nap())
      await settle()
    },
    feed: createFeed({
      async call(tool, args) {
        state.calls.push({ tool, ...args })
        return read(args)
      },
      sleep: () => new Promise((resolve) => naps.push(resolve)),
      isSeen: () => true,
    }),
  }
}
const numbers = (rows: readonly Data[]) => rows.map(({ n }) => n)

test('the rows of a run are read in parts, each once, by get_run', async () => {
  const { feed, state, read, settle } = runOf()
  Object.assign(state, { found: 8, done: true })
  feed.take(read({}), { runId: 'exec_1' })
  while (feed.hasMore.value) {
    feed.more()
    await settle()
  }
  expect(numbers(feed.rows.value)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  expect(state.calls).toEqual([
    { tool: 'get_run', runId: 'exec_1', limit: 100, cursor: '3' },
    { tool: 'get_run', runId: 'exec_1', limit: 100, cursor: '6' },
  ])
})

test('a run that works is asked again until its end, and its table grows', async () => {
  const { feed, state, read, settle, wake } = runOf()
  feed.take(read({}), {})
  await settle()
  expect([feed.run.value?.status, feed.rows.value.length]).toEqual(['running', 0])
  for (const count of [2, 3, 5]) {
    state.found = count
    await wake()
    feed.more()
    await settle()
    expect(numbers(feed.rows.value)).toEqual(Array.from({ length: count }, (_, index) => index))
  }
  state.done = true
  await wake()
  expect(feed.run.value?.done).toBe(true)
  const before = state.calls.length
  await wake()
  expect(state.calls).toHaveLength(before)
})

test('a result that begins in the middle of the rows becomes a table from the first', async () => {
  const { feed, state, read, settle } = runOf()
  Object.assign(state, { found: 6, done: true })
  feed.take(read({ cursor: '3' }), { runId: 'exec_1', cursor: '3' })
  await settle()
  expect(numbers(feed.rows.value)).toEqual([0, 1, 2])
})

test('a failure is said, what was read stays, and the reader may ask again', async () => {
  const { feed, state, read, settle, wake } = runOf()
  state.found = 2
  feed.take(read({}), {})
  state.broken = true
  await settle()
  await wake()
  expect(feed.problem.value).toBe('Too many requests: wait 7 seconds')
  expect(numbers(feed.rows.value)).toEqual([0, 1])
  const before = state.calls.length
  await wake()
  expect(state.calls).toHaveLength(before)
  Object.assign(state, { broken: false, done: true })
  feed.again()
  await settle()
  expect([feed.problem.value, feed.run.value?.done]).toEqual([null, true])
})

test('a result without rows leaves nothing of the one before', async () => {
  for (const next of [
    failure('No such run'),
    { ...answer({ valid: true }), text: 'It is valid.' },
  ]) {
    const { feed, state, read, settle, wake } = runOf()
    Object.assign(state, { found: 5 })
    feed.take(read({}), { runId: 'exec_1' })
    await settle()
    expect([feed.run.value?.runId, numbers(feed.rows.value)]).toEqual(['exec_1', [0, 1, 2]])
    feed.take(next, { runId: 'exec_2' })
    const { run, rows, columns, hasMore } = feed
    expect([run.value, rows.value, columns.value, hasMore.value]).toEqual([null, [], [], null])
    // A second question does not get the rows of the run before.
    const before = state.calls.length
    feed.again()
    feed.more()
    await settle()
    await wake()
    expect(state.calls).toHaveLength(before)
    expect(rows.value).toEqual([])
  }
})

/** A feed whose calls are answered when the test says so, in any order. */
function waitingFeed() {
  const calls = new Array<{
    readonly args: Data
    readonly resolve: (answer: ToolAnswer) => void
    readonly reject: (error: Error) => void
  }>()
  const naps = new Array<() => void>()
  const feed = createFeed({
    call(tool, args) {
      const { promise, resolve, reject } = Promise.withResolvers<ToolAnswer>()
      calls.push({ args: { tool, ...args }, resolve, reject })
      return promise
    },
    sleep: () => new Promise((resolve) => naps.push(resolve)),
    isSeen: () => true,
  })
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await Promise.resolve()
  }
  return { feed, calls, naps, settle }
}
const itemsFrom = (n: number, nextCursor: string | null) =>
  answer({ columns: ['n'], items: [{ n }], nextCursor })

test('an answer about the result before is dropped, and the next result is read meanwhile', async () => {
  const { feed, calls, settle } = waitingFeed()
  feed.take(itemsFrom(1, 'a'), { datasetId: 'one' })
  feed.more()
  feed.take(itemsFrom(10, 'b'), { datasetId: 'two' })
  // The first call is under way still: the new result does not wait for it.
  feed.more()
  expect(calls.map(({ args }) => [args['datasetId'], args['cursor']])).toEqual([
    ['one', 'a'],
    ['two', 'b'],
  ])
  calls[0]?.resolve(itemsFrom(2, 'c'))
  await settle()
  expect([numbers(feed.rows.value), feed.problem.value]).toEqual([[10], null])
  // A late answer did not free the way for a third call.
  feed.more()
  expect(calls).toHaveLength(2)
  calls[1]?.resolve(itemsFrom(11, null))
  await settle()
  expect([numbers(feed.rows.value), feed.hasMore.value]).toEqual([[10, 11], false])
})

test('a failure about the result before is dropped, and does not hide that of the next', async () => {
  const { feed, calls, settle } = waitingFeed()
  for (const end of ['reject', 'error', 'rows'] as const) {
    feed.take(itemsFrom(1, 'a'), { datasetId: 'one' })
    feed.more()
    feed.take(end === 'rows' ? failure('No such dataset') : itemsFrom(10, null), {})
    const call = calls.at(-1)
    if (end === 'reject') call?.reject(new Error('The connection is lost'))
    else call?.resolve(end === 'error' ? failure('Denied') : itemsFrom(2, null))
    await settle()
    expect(feed.problem.value).toBe(end === 'rows' ? 'No such dataset' : null)
    expect(numbers(feed.rows.value)).toEqual(end === 'rows' ? [] : [10])
  }
})

test('the run of the result before is not followed any more', async () => {
  const { feed, calls, naps, settle } = waitingFeed()
  const runAs = (runId: string, status: string) =>
    answer({
      run: { runId, status, done: status !== 'running', columns: [], rows: [], nextCursor: null },
    })
  feed.take(runAs('exec_1', 'running'), {})
  await settle()
  feed.take(runAs('exec_2', 'running'), {})
  await settle()
  naps.splice(0).forEach((wake) => wake())
  await settle()
  expect(calls.map(({ args }) => args['runId'])).toEqual(['exec_2'])
  feed.take({ ...answer({ valid: true }), text: 'The parameters are valid.' }, {})
  calls[0]?.resolve(runAs('exec_2', 'succeeded'))
  await settle()
  expect([feed.run.value, feed.note.value]).toEqual([null, 'The parameters are valid.'])
  naps.splice(0).forEach((wake) => wake())
  await settle()
  expect(calls).toHaveLength(1)
})

test('items of a dataset are read by the same call, and a page that was read has no more', async () => {
  const calls = new Array<Data>()
  const feed = createFeed({
    async call(tool, args) {
      calls.push({ tool, ...args })
      return answer({ columns: ['n'], items: [{ n: 2 }], nextCursor: null })
    },
    sleep: () => new Promise(() => {}),
    isSeen: () => true,
  })
  const input = { datasetId: 'ds_1', state: 'all' }
  feed.take(answer({ columns: ['n'], items: [{ n: 1 }], nextCursor: 'c' }), input)
  feed.more()
  await Promise.resolve()
  await Promise.resolve()
  expect(numbers(feed.rows.value)).toEqual([1, 2])
  expect(calls).toEqual([{ tool: 'query_dataset', ...input, limit: 100, cursor: 'c' }])
  feed.take(answer({ columns: ['n'], rows: [{ n: 5 }], recipe: {} }), { url: 'https://a.example/' })
  expect([numbers(feed.rows.value), feed.hasMore.value, feed.run.value]).toEqual([[5], false, null])
  feed.take({ ...answer({ valid: true, run: null }), text: 'The parameters are valid.' }, {})
  expect([feed.note.value, feed.problem.value]).toEqual(['The parameters are valid.', null])
})

test('the view introduces itself, answers its host, and hears nothing that is not a message', async () => {
  const sent = new Array<Data>()
  const updates = new Array<unknown>()
  let take: (message: unknown) => void = () => {}
  const connecting = connectHost(
    { post: (message) => void sent.push(message), listen: (to) => (take = to) },
    {
      onInput: (args) => updates.push(['input', args]),
      onResult: ({ text }) => updates.push(['result', text]),
      onCancelled: () => updates.push(['cancelled']),
      onContext: (context) => updates.push(['context', context]),
      onEnd: () => updates.push(['end']),
    },
  )
  expect(sent.splice(0)).toMatchObject([
    { jsonrpc: '2.0', id: 1, method: 'ui/initialize', params: { protocolVersion: '2026-01-26' } },
  ])
  for (const stray of [null, 7, 'x', {}, { jsonrpc: '2.0', id: 99, result: {} }]) take(stray)
  take({
    jsonrpc: '2.0',
    id: 1,
    result: { hostCapabilities: { serverTools: {} }, hostContext: { theme: 'dark' } },
  })
  const host = await connecting
  expect([host.callsTools, host.opensLinks]).toEqual([true, false])
  expect(sent.splice(0)).toEqual([
    { jsonrpc: '2.0', method: 'ui/notifications/initialized', params: {} },
  ])
  const say = (method: string, params: Data) => take({ jsonrpc: '2.0', method, params })
  say('ui/notifications/tool-input', { arguments: { url: 'x' } })
  say('ui/notifications/tool-result', { content: [{ type: 'text', text: 'rows' }, null] })
  say('ui/notifications/tool-cancelled', {})
  say('ui/notifications/of-tomorrow', {})
  take({ jsonrpc: '2.0', id: 'a', method: 'ping' })
  take({ jsonrpc: '2.0', id: 'b', method: 'ui/resource-teardown', params: {} })
  take({ jsonrpc: '2.0', id: 'c', method: 'tools/list', params: {} })
  expect(updates).toEqual([
    ['context', { theme: 'dark' }],
    ['input', { url: 'x' }],
    ['result', 'rows'],
    ['cancelled'],
    ['end'],
  ])
  expect(sent.splice(0)).toEqual([
    { jsonrpc: '2.0', id: 'a', result: {} },
    { jsonrpc: '2.0', id: 'b', result: {} },
    {
      jsonrpc: '2.0',
      id: 'c',
      error: { code: -32_601, message: 'This view has no method tools/list' },
    },
  ])
  const call = host.call('get_run', { runId: 'r' })
  take({ jsonrpc: '2.0', id: 2, error: { code: -32_000, message: 'Denied by the user' } })
  await expect(call).rejects.toThrow('Denied by the user')
})
