import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../support/free-port.ts'
import { makeAccounts } from '../accounts.ts'
import { PREVIEW_PAUSE_MS } from '../api.ts'
import type { Outcome } from '../attack.ts'
import { isSample, type Sample } from '../figures.ts'
import { commandArgs, Server } from '../server.ts'
import { startSites } from '../stage.ts'
import type { CrowdWork } from './crowd.ts'
import type { Place } from './places.ts'
import type { Look, Pulse, Recording } from './recording.ts'

/** The settings of a soak. */
export interface SoakOptions {
  readonly ms: number
  /** Of the server's main thread. */
  readonly heapMb: number
  /** The path of a Chromium; `null`: no page is rendered. */
  readonly browser: string | null
  readonly onMinute: (minutes: number) => void
}

/** The result of a soak, before it is judged. */
export interface SoakReport {
  readonly recording: Recording
  readonly hostile: readonly Outcome[]
  /** Unexpected ends of the server and of those who use it. */
  readonly crashes: readonly string[]
}

const HOST = '127.0.0.1'
const PAGE_BYTES = 4_096
const MB = 1_048_576
/** One call in twenty is hostile. */
const HONEST_CALLS_PER_HOSTILE = 19
const LOOK_MS = 1_000
const MINUTE_MS = 60_000

/** Serves an empty place for a time, with everybody at work. */
export async function soak(place: Place, options: SoakOptions): Promise<SoakReport> {
  const accounts = await makeAccounts(place.open(), options.ms / PREVIEW_PAUSE_MS)
  const port = await freePort()
  const url = `http://${HOST}:${port}`
  const crashes: string[] = []
  const samples: Sample[] = []
  const hostile: Outcome[] = []
  const looks: Look[] = []
  let pulse: Pulse | null = null
  const browserArgs = ['--browser', options.browser ?? '', '--no-browser-sandbox']
  const server = new Server({
    args: commandArgs(place.data, port, [
      ...place.serveArgs,
      ...(options.browser === null ? [] : browserArgs),
    ]),
    heapMb: options.heapMb,
    profiles: null,
    watch: {
      script: join(import.meta.dirname, 'vitals.ts'),
      message: (message) => {
        if (isPulse(message)) pulse = message
      },
    },
    onCrash: (what) => crashes.push(what),
  })
  const sites = await startSites()
  const start = (file: string): ChildProcess => {
    const child = fork(join(import.meta.dirname, file))
    // Without it, nobody makes its calls, and what nobody calls does not fail.
    child.once('exit', (code, signal) => crashes.push(`${file} ended with ${signal ?? code}`))
    return child
  }
  const moody = start('moody-site.ts')
  const children = [moody]
  try {
    const [sitePort]: unknown[] = await once(moody, 'message')
    await server.start()
    const [tenant, crowd, stranger] = [
      start('../tenant.ts'),
      start('crowd.ts'),
      start('hostile-calls.ts'),
    ]
    children.push(tenant, crowd, stranger)
    let due = 0
    for (const child of [tenant, crowd])
      child.on('message', (message) => {
        if (!isSample(message)) return
        samples.push(message)
        if (++due < HONEST_CALLS_PER_HOSTILE) return
        due = 0
        stranger.send('call', () => undefined)
      })
    stranger.on('message', (message) => {
      if (isOutcomes(message)) hostile.push(...message.outcomes)
    })
    const work: CrowdWork = {
      url,
      site: `http://${HOST}:${String(sitePort)}`,
      shop: sites.shop,
      key: accounts.crowd,
      hasBrowser: options.browser !== null,
    }
    stranger.send({ url, origin: sites.hostile, accounts })
    tenant.send({
      url,
      shop: sites.shop,
      key: accounts.honest,
      previewKeys: accounts.previews,
      deletesTasks: true,
    })
    crowd.send(work)
    const from = Date.now()
    const until = from + options.ms
    for (let minute = 0; Date.now() < until; await pause(LOOK_MS)) {
      const latest = pulse
      // A server that is held tells nothing new, and a minute without a look is a fault.
      pulse = null
      const look = latest === null ? null : await lookAt(server, place, latest)
      if (look !== null) looks.push(look)
      const past = Math.floor((Date.now() - from) / MINUTE_MS)
      if (past > minute) options.onMinute((minute = past))
      if (server.isLost) break
    }
    const recording = { from, until: Date.now(), looks, samples: [...samples] }
    return { recording, hostile: [...hostile], crashes: [...crashes] }
  } finally {
    // Before the server, as calls that are cut off now are nobody's failure.
    for (const child of children) child.kill('SIGKILL')
    sites.close()
    await server.close()
  }
}

/** `null`: it has ended since. */
async function lookAt(server: Server, place: Place, pulse: Pulse): Promise<Look | null> {
  const sizes = await place.measure()
  const { pid } = server
  if (pid === undefined) return null
  try {
    const [, resident = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')
    return {
      ...pulse,
      ...sizes,
      at: Date.now(),
      rssMb: (Number(resident) * PAGE_BYTES) / MB,
      files: readdirSync(`/proc/${pid}/fd`).length,
    }
  } catch {
    return null
  }
}

function isPulse(value: unknown): value is Pulse {
  return typeof value === 'object' && value !== null && 'heapMb' in value && 'timers' in value
}

function isOutcomes(value: unknown): value is { readonly outcomes: readonly Outcome[] } {
  return typeof value === 'object' && value !== null && 'outcomes' in value
}
