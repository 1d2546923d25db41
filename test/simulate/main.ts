import { parseArgs } from 'node:util'
import { replaceGlobals } from './runtime.ts'

// Plays simulated worlds: npm run simulate -- --seed N [--seeds M] [--minutes T] [--storm T] [--bail]
// [--story]. --minutes: real ones, until no further world begins. --storm: the most virtual minutes
// in which things go wrong. --bail: ends with the first world that breaks a promise.
// Exit code 0: every promise held.

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    minutes: { type: 'string' },
    storm: { type: 'string', default: '150' },
    bail: { type: 'boolean', default: false },
    story: { type: 'boolean', default: false },
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

const first = Number(values.seed)
const most = values.minutes === undefined ? Number(values.seeds) : Infinity
const seconds = values.minutes === undefined ? Infinity : Number(values.minutes) * 60
let [played, hours, executions, failed] = [0, 0, 0, 0]
for (let seed = first; seed < first + most && elapsed() < seconds; seed++) {
  if (values.bail && failed > 0) break
  unhandled = null
  const result = await play(seed, Number(values.storm))
  if (unhandled !== null) {
    failed++
    console.log(`seed ${seed}: a rejection that nobody handles: ${unhandled}`)
  }
  played++
  hours += result.ms / 3_600_000
  executions += result.executions
  if (values.story) console.log(result.story.join('\n'))
  if (result.broken.length === 0) continue
  failed++
  console.log(`seed ${seed}: ${result.broken.join('; ')}`)
}
const perHour = Math.round((hours / elapsed()) * 3_600)
console.log(
  `${played} worlds, ${Math.round(hours)} virtual hours (${perHour} an hour), ` +
    `${executions} executions; ${failed} broke a promise`,
)
process.exitCode = failed === 0 ? 0 : 1
