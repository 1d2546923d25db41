import { beforeEach, expect, test, vi } from 'vitest'
import { systemClock } from '../../src/defaults/system-clock.ts'

// The console knows that a server goes away. The test says how it answers.
let status: number | null = 200
let requests = 0
let waits: (() => void)[] = []
const page = { querySelector: () => null, hidden: false }

beforeEach(() => {
  status = 200
  requests = 0
  waits = []
  vi.stubGlobal('sessionStorage', { getItem: () => null, setItem() {}, removeItem() {} })
  vi.stubGlobal('document', page)
  vi.stubGlobal('location', new URL('http://console.example/'))
  vi.stubGlobal('fetch', async () => {
    requests++
    if (status === null) throw new TypeError('fetch failed')
    return new Response('{}', { status })
  })
  vi.spyOn(systemClock, 'sleep').mockImplementation(
    () => new Promise((resolve) => void waits.push(resolve)),
  )
})

const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

/** Lets the time pass after which the server may be looked at again. */
async function pass(times = 1): Promise<void> {
  for (let turn = 0; turn < times; turn++) {
    for (const end of waits.splice(0)) end()
    await settle()
  }
}

async function open() {
  const { isAway, watchServer, whenBack } = await import('../../src/console/app/away.ts')
  const { me } = await import('../../src/console/app/session.ts')
  isAway.value = false
  me.value = JSON.parse('{ "scopes": [] }')
  void watchServer()
  return { isAway, whenBack, me }
}

test('a page that asks for nothing notices that the server goes away and is back', async () => {
  const { isAway } = await open()
  await pass(4)
  expect([requests, isAway.value]).toEqual([1, false])
  status = null
  await pass(4)
  expect([requests, isAway.value]).toEqual([2, true])
  // It is then looked for more often.
  status = 502
  await pass()
  expect([requests, isAway.value]).toEqual([3, true])
  // A refusal is an answer.
  status = 429
  await pass()
  expect([requests, isAway.value]).toEqual([4, false])
  page.hidden = true
  await pass(8)
  page.hidden = false
  expect(requests).toBe(4)
})

test('a request without an answer is repeated once the server is there, unless nobody waits', async () => {
  const { isAway, whenBack } = await open()
  const repeated: string[] = []
  const left = new AbortController()
  status = null
  whenBack(() => repeated.push('left'), left.signal)
  whenBack(() => repeated.push('waits'))
  await settle()
  expect(isAway.value).toBe(true)
  left.abort()
  whenBack(() => repeated.push('late'), left.signal)
  await pass(2)
  expect(repeated).toEqual([])
  status = 200
  await pass(3)
  expect([repeated, isAway.value]).toEqual([['waits'], false])
})

test('somebody whose key has ended is told so', async () => {
  const { isSignedOut } = await import('../../src/console/app/parts/problem.ts')
  isSignedOut.value = false
  await open()
  status = 401
  await pass(4)
  expect(isSignedOut.value).toBe(true)
  isSignedOut.value = false
})
