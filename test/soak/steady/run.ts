import { existsSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { shown, tableText } from '../figures.ts'
import { verifyData } from '../server.ts'
import { judge, judgeKinds, type Verdict } from './judge.ts'
import { pictureOf } from './picture.ts'
import { openPlace, STORES } from './places.ts'
import { MEASURES, minutesOf } from './recording.ts'
import { soak } from './soak.ts'

// A soak of use: the built command serves honest accounts, sites that misbehave, streams that come
// and go, pages of scripts where there is a Chromium (CHROMIUM=path), and one hostile call in twenty.
// npm run soak -- [--minutes 60] [--store sqlite|postgres-redis] [--warm-up 5] [--picture FILE.svg]
// The figures of each minute are printed and judged. The last line is `N passed, N failed`.

const WARM_UP_SHARE = 0.2
const LEAST_WARM_UP = 2
const HOSTILE_SHARE = [0.03, 0.07] as const
/**
 * One kind of each loop of the honest accounts: the last of its turn, so that no call before it
 * hangs.
 */
const KINDS = [
  'export',
  '20-page run',
  'preview',
  'list tasks',
  'run on a bad site',
  'followed run',
]

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    store: { type: 'string', default: 'sqlite' },
    'warm-up': { type: 'string' },
    picture: { type: 'string' },
    'heap-mb': { type: 'string', default: '512' },
  },
})
const minutes = positive('minutes', values.minutes)
const warmUp = Math.round(
  values['warm-up'] === undefined
    ? Math.max(LEAST_WARM_UP, minutes * WARM_UP_SHARE)
    : positive('warm-up', values['warm-up']),
)
const store = STORES.find((name) => name === values.store)
if (store === undefined) throw new Error(`--store must be one of ${STORES.join(', ')}`)
const chromium = process.env['CHROMIUM'] ?? '/usr/bin/chromium'
const browser = existsSync(chromium) ? chromium : null
// A picture that cannot be written fails now, and not after an hour.
if (values.picture !== undefined) writeFileSync(values.picture, '')

console.log(
  `A soak of ${minutes} minutes on ${store}, of which ${warmUp} to warm up, ` +
    `${browser === null ? 'without a browser' : `with ${browser}`}`,
)
const place = await openPlace(store)
const verdicts: Verdict[] = []
try {
  const { recording, hostile, crashes } = await soak(place, {
    ms: minutes * 60_000,
    heapMb: positive('heap-mb', values['heap-mb']),
    browser,
    onMinute: (done) => console.log(`  ${done} min`),
  })
  const verify = await verifyData(place.verifyArgs)
  const { samples } = recording
  const broken = samples.filter(({ error }) => error !== null)
  const worst = hostile.filter(({ isGood }) => !isGood)
  const share = hostile.length / (hostile.length + samples.length)
  verdicts.push(
    ...judge(recording, warmUp),
    {
      what: 'honest calls',
      figure: `${samples.length}, of which failed: ${broken.length}${examples(broken.map(({ kind, error }) => `${kind}: ${error}`))}`,
      isGood: broken.length === 0,
    },
    judgeKinds(recording, browser === null ? KINDS : [...KINDS, 'rendered run']),
    {
      what: 'hostile calls',
      figure: `${hostile.length}, ${(share * 100).toFixed(1)} % of all; without a good end: ${worst.length}${examples(worst.map(({ what, became }) => `${what}: ${became}`))}`,
      isGood: worst.length === 0 && share >= HOSTILE_SHARE[0] && share <= HOSTILE_SHARE[1],
    },
    { what: 'processes', figure: crashes.join('; ') || 'were up', isGood: crashes.length === 0 },
    { what: 'verify', figure: verify ?? 'found nothing', isGood: verify === null },
  )
  console.log(
    `\nThe least of each minute, and its p99\n\n${tableText(
      ['minute', ...MEASURES.map(([, name]) => name), 'peak RSS', 'p99', 'probe p99', 'calls'],
      minutesOf(recording).map(({ least, peakRssMb, p99, probeP99, calls }, index) => [
        `${index + 1}${index < warmUp ? ' (warm-up)' : ''}`,
        ...MEASURES.map(([measure, , unit]) => least[measure].toFixed(unit === '' ? 0 : 1)),
        peakRssMb.toFixed(1),
        shown(p99),
        shown(probeP99),
        String(calls),
      ]),
    )}\n`,
  )
  if (values.picture !== undefined)
    writeFileSync(
      values.picture,
      pictureOf(recording, warmUp, `npm run soak -- --minutes ${minutes} --store ${store}`),
    )
} finally {
  await place.close()
}
for (const { what, figure, isGood } of verdicts)
  console.log(`${isGood ? 'ok    ' : 'FAILED'} ${what}: ${figure}`)
const failures = verdicts.filter(({ isGood }) => !isGood).length
console.log(`${verdicts.length - failures} passed, ${failures} failed`)
process.exitCode = failures > 0 ? 1 : 0

function positive(name: string, text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0`)
  return value
}

function examples(texts: readonly string[]): string {
  const few = [...new Set(texts)].slice(0, 5)
  return few.length === 0 ? '' : ` (${few.join('; ')})`
}
