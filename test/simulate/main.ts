import { parseArgs } from 'node:util'
import { FAULT_KINDS } from './faults.ts'
import type { Played } from './play.ts'
import { replaceGlobals } from './runtime.ts'
import { shrink } from './shrink.ts'
import { optionsOf, parseForce, WHOLE } from './trims.ts'
import type { Trims } from './trims.ts'

// Plays simulated worlds: npm run simulate -- --seed N [--seeds M] [--minutes T] [--storm T] [--bail]
// [--story] [--shrink]. --minutes: real ones, until no further world begins. --storm: the most
// virtual minutes in which things go wrong. --bail: ends with the first world that breaks a promise.
// --shrink: makes each failing world smaller, and says how to play the small one again by
// [--until MINUTES] [--customers N] [--processes N] [--no-stranger] [--without KIND,KIND].
// --force KIND=NUMBER,…: faults that replace those that were drawn.
// Exit code 0: every promise held.

/** How many smaller worlds `--shrink` tries. */
const MOST_TRIES = 60
/** Lines of the story that `--shrink` shows, from its end. */
const SHOWN = 40

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    storm: { type: 'string', default: '150' },
    bail: { type: 'boolean', default: false },
    story: { type: 'boolean', default: false },
    shrink: { type: 'boolean', default: false },
    until: { type: 'string', default: 'Infinity' },
    customers: { type: 'string', default: 'Infinity' },
    processes: { type: 'string', default: 'Infinity' },
    'no-stranger': { type: 'boolean', default: false },
    without: { type: 'string', default: '' },
    force: { type: 'string', default: '' },
  },
})
const realNow = performance.now.bind(performance)
const began = realNow()
const elapsed = (): number => (realNow() - began) / 1_000
replaceGlobals()
const { play } = await import('./play.ts')

Error.stackTraceLimit = 40
// Otherwise it would end the process of Node.
let unhandled: string | null = null
process.on('unhandledRejection', (reason: unknown) => {
  unhandled ??= reason instanceof Error ? (reason.stack ?? reason.message) : String(reason)
})

const storm = Number(values.storm)
const names = values.without.split(',').filter((name) => name !== '')
for (const name of names)
  if (!FAULT_KINDS.some((kind) => kind === name))
    throw new Error(`--without: there is no kind ${name}, but ${FAULT_KINDS.join(', ')}`)
const trims: Trims = {
  ...WHOLE,
  until: Number(values.until),
  customers: Number(values.customers),
  processes: Number(values.processes),
  stranger: !values['no-stranger'],
  without: FAULT_KINDS.filter((kind) => names.includes(kind)),
  force: parseForce(values.force),
}

/** A rejection that nobody handles is a broken promise too: it comes after the others. */
async function playSeed(seed: number, trimmed: Trims): Promise<Played> {
  unhandled = null
  const result = await play(seed, storm, trimmed)
  return unhandled === null
    ? result
    : { ...result, broken: [...result.broken, `a rejection that nobody handles: ${unhandled}`] }
}

async function showSmaller(failed: Played): Promise<void> {
  const { seed } = failed
  const {
    trims: small,
    played: least,
    tries,
  } = await shrink(trims, failed, (trimmed) => playSeed(seed, trimmed), MOST_TRIES)
  console.log(`the end of the smallest of ${tries + 1} worlds:`)
  console.log(least.story.slice(-SHOWN).join('\n'))
  console.log(`first broken promise: ${least.broken[0]}`)
  console.log(`again: --seed ${seed} --storm ${storm} ${optionsOf(small)}`)
}

const first = Number(values.seed)
const most = values.minutes === undefined ? Number(values.seeds) : Infinity
const seconds = values.minutes === undefined ? Infinity : Number(values.minutes) * 60
let [played, hours, executions, failed] = [0, 0, 0, 0]
for (let seed = first; seed < first + most && elapsed() < seconds; seed++) {
  if (values.bail && failed > 0) break
  const result = await playSeed(seed, trims)
  played++
  hours += result.ms / 3_600_000
  executions += result.executions
  if (values.story) console.log(result.story.join('\n'))
  if (result.broken.length === 0) continue
  failed++
  console.log(`seed ${seed}: ${result.broken.join('; ')}`)
  if (values.shrink) await showSmaller(result)
}
const perHour = Math.round((hours / elapsed()) * 3_600)
console.log(
  `${played} worlds, seeds ${first} to ${first + played - 1}, ${Math.round(hours)} virtual hours ` +
    `(${perHour} an hour), ${executions} executions; ${failed} broke a promise`,
)
process.exitCode = failed === 0 ? 0 : 1
