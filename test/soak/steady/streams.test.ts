import { expect, onTestFinished, test, vi } from 'vitest'
import { followToEnd } from './streams.ts'

/** Answers each request with the next of some streams, and with the last one from then on. */
function serve(...streams: readonly string[]): void {
  let next = 0
  const answer = async (): Promise<Response> =>
    new Response(streams[Math.min(next++, streams.length - 1)])
  const fetched = vi.spyOn(globalThis, 'fetch').mockImplementation(answer)
  onTestFinished(() => fetched.mockRestore())
}

const ADDRESS = { url: 'http://localhost/events', key: 'key' }
const PAGE = 'id: 1\nevent: page\ndata: {"url":"http://localhost/1"}\n\n'
const END = 'id: 2\nevent: end\ndata: {}\n\n'

test('streams that tell each page and the end once have no fault', async () => {
  serve(PAGE, END)
  expect(await followToEnd(ADDRESS, 0)).toBeNull()
})

test('a page that is told twice, and an end that never comes, are faults', async () => {
  serve(PAGE, PAGE + END)
  expect(await followToEnd(ADDRESS, 0)).toBe('streams have told a page twice')
  serve(PAGE, '')
  expect(await followToEnd(ADDRESS, 0)).toBe('no stream has told the end')
})
