import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { setPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../support/free-port.ts'
import { makeAccounts, openData } from './accounts.ts'
import type { AttackCase, Outcome } from './attack.ts'
import type { Order, Report } from './attacker.ts'
import { isSample, type Sample } from './figures.ts'
import type { Turn } from './loop-turns.ts'
import { Server, commandArgs, verifyData } from './server.ts'

/** The lengths of the parts, in ms, and the limits. */
export interface Pace {
  /** `0` for no quiet time, if it has been measured before. */
  readonly quietMs: number
  /** Each case is repeated until so much time is over. */
  readonly caseMs: number
  /** How long its executions may take to end after that. */
  readonly settleMs: number
  readonly heapMb: number
  /** The folder that gets CPU profiles of the server; `null`: none are written. */
  readonly profiles: string | null
}

/** The result of a case. */
export interface CaseReport {
  readonly attackCase: AttackCase
  readonly outcomes: readonly Outcome[]
  readonly crashes: readonly string[]
  readonly samples: readonly Sample[]
  readonly peakRssMb: number
  /** The long turns of the server's event loop. */
  readonly turns: readonly Turn[]
}

/** The results of a server, from an empty data directory to its end. */
export interface StageReport {
  readonly quiet: readonly Sample[]
  readonly cases: readonly CaseReport[]
  /** The differences; `null` if the data directory agrees with itself. */
  readonly verify: string | null
  readonly quietRssMb: number
  /** Those of its start. Every server has some, so without any nothing was measured. */
  readonly startTurns: readonly Turn[]
  readonly quietTurns: readonly Turn[]
}

/** The ports of the sites. */
export interface Sites {
  readonly shop: string
  readonly hostile: string
  close(): void
}

const HOST = '127.0.0.1'
const LOW_PRIORITY = 10
/** Starts are slower than later work. */
const WARM_UP_MS = 3_000
/** Between two rounds of a case: what is measured is what one request costs, and not how many come. */
const BETWEEN_MS = 500
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Starts the sites, each in a process of its own. What the hostile site and the attacker compute is
 * not to slow the server down, as they would be other machines: they have a low priority.
 */
export async function startSites(): Promise<Sites> {
  const [shop, hostile] = await Promise.all([startSite('shop'), startSite('hostile')])
  lowerPriority(hostile.child)
  return {
    shop: shop.origin,
    hostile: hostile.origin,
    close() {
      for (const { child } of [shop, hostile]) child.disconnect()
    },
  }
}

function lowerPriority({ pid }: ChildProcess): void {
  if (pid !== undefined) setPriority(pid, LOW_PRIORITY)
}

async function startSite(name: 'shop' | 'hostile') {
  const child = fork(join(import.meta.dirname, 'site.ts'), [name])
  const [port]: unknown[] = await once(child, 'message')
  return { child, origin: `http://${HOST}:${String(port)}` }
}

/**
 * Starts a server on an empty data directory, with the honest tenant at work, and runs cases until
 * they are over or one has done lasting harm: a server that died or is still held, and what is left
 * in the store, must not be blamed on the next case.
 */
export async function runStage(
  cases: readonly AttackCase[],
  sites: Sites,
  pace: Pace,
  log: (line: string) => void,
): Promise<StageReport> {
  const data = mkdtempSync(join(tmpdir(), 'seine-soak-'))
  const accounts = await makeAccounts(openData(data))
  const port = await freePort()
  const url = `http://${HOST}:${port}`
  const crashes: string[] = []
  const isHost = cases[0]?.server === 'host'
  const server = new Server({
    args: isHost
      ? [join(import.meta.dirname, 'host.ts'), data, String(port), `${sites.hostile}/model`]
      : commandArgs(data, port),
    heapMb: pace.heapMb,
    profiles: pace.profiles,
    onCrash: (what) => {
      crashes.push(what)
      log(`    the server ${what}`)
    },
  })
  await server.start()
  const samples: Sample[] = []
  const tenant = fork(join(import.meta.dirname, 'tenant.ts'))
  // Its own waiting for a processor does not count, so it is the one that waits.
  lowerPriority(tenant)
  tenant.on('message', (message) => {
    if (isSample(message)) samples.push(message)
  })
  tenant.send({
    url,
    shop: sites.shop,
    key: accounts.honest,
    previewKeys: accounts.previews,
    deletesTasks: false,
  })
  const attacker = fork(join(import.meta.dirname, 'attacker.ts'))
  lowerPriority(attacker)
  const target = { url, origin: sites.hostile, accounts }
  const reports: CaseReport[] = []
  let quiet: readonly Sample[] = []
  let quietRssMb = 0
  let startTurns: readonly Turn[] = []
  let quietTurns: readonly Turn[] = []
  try {
    await pause(WARM_UP_MS)
    samples.length = 0
    server.takePeakRss()
    startTurns = server.takeTurns()
    await pause(pace.quietMs)
    quiet = samples.splice(0)
    quietRssMb = server.takePeakRss()
    quietTurns = server.takeTurns()
    for (const attackCase of cases) {
      log(`  ${attackCase.id}: ${attackCase.about}`)
      const until = Date.now() + pace.caseMs
      let isStuck = false
      do {
        ;({ isStuck } = await send(attacker, { target, case: attackCase.id }))
        await pause(BETWEEN_MS)
      } while (Date.now() < until && crashes.length === 0 && !isStuck)
      const { outcomes } = await send(attacker, { settleMs: pace.settleMs })
      reports.push({
        attackCase,
        outcomes,
        crashes: crashes.splice(0),
        samples: samples.splice(0),
        peakRssMb: server.takePeakRss(),
        turns: server.takeTurns(),
      })
      if (isSpoilt(reports.at(-1))) break
    }
  } finally {
    // At once, as calls that are cut off now are nobody's failure.
    tenant.kill('SIGKILL')
    attacker.kill('SIGKILL')
    await server.close()
  }
  const verify = await verifyData(['--data', data])
  rmSync(data, { recursive: true, force: true, maxRetries: 3 })
  return { quiet, cases: reports, verify, quietRssMb, startTurns, quietTurns }
}

/**
 * Whether a case has left something behind: a crash, a call without an answer, an execution that
 * has not ended.
 */
function isSpoilt(report: CaseReport | undefined): boolean {
  return (
    report !== undefined &&
    (report.crashes.length > 0 || report.outcomes.some(({ isOver }) => !isOver))
  )
}

/** Resolves with the attacker's answer. */
async function send(attacker: ChildProcess, order: Order): Promise<Report> {
  const answer = new Promise<Report>((resolve, reject) => {
    attacker.once('exit', () => reject(new Error('The attacker has ended')))
    attacker.once('message', (report) => {
      attacker.removeAllListeners('exit')
      if (isReport(report)) resolve(report)
      else reject(new TypeError('The attacker answered with something else'))
    })
  })
  attacker.send(order)
  return answer
}

function isReport(value: unknown): value is Report {
  return typeof value === 'object' && value !== null && 'outcomes' in value && 'isStuck' in value
}
