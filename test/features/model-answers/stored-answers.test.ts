import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSqliteStore } from '../../../adapters/sqlite/index.ts'
import { createMemoryStore } from '../../../src/defaults/memory-store.ts'
import { createStoredAnswers } from '../../../src/features/model-answers/stored-answers.ts'
import { createRecords } from '../../../src/features/records.ts'
import { questionKey } from '../../../src/engine/model/answer-memory.ts'
import { DAY_MS } from '../../../src/kernel/time.ts'
import type { Json } from '../../../src/kernel/json.ts'
import type { Clock } from '../../../src/ports/clock.ts'
import type { Store } from '../../../src/ports/store.ts'

const ASKER = { account: 'acme', execution: 'exec_1' }
const TOKENS = { input: 7, output: 1 }

const STORES: Readonly<Record<string, (clock: Pick<Clock, 'now'>) => Store>> = {
  memory: (clock) => createMemoryStore({ clock }),
  SQLite: (clock) => createSqliteStore({ path: ':memory:', clock }),
}

let now = 0
let warnings: string[] = []
let store: Store = createMemoryStore()

/** The answers as a process has them. */
const open = (through: Store = store) =>
  createStoredAnswers({
    records: createRecords(through),
    clock: { now: () => now, sleep: async () => {} },
    logger: { debug() {}, info() {}, warn: (message) => void warnings.push(message), error() {} },
  })
const keyOf = (set: string, nth: number) => `${set}${String(nth).padStart(62, '0')}`
const put = (key: string, json: Json) => {
  now++
  return open().remember(ASKER, key, { json, tokens: TOKENS })
}
const areThere = (keys: readonly string[]) =>
  Promise.all(keys.map(async (key) => (await open().recall(ASKER, key)) !== null))

describe.each(Object.entries(STORES))('in %s', (_name, createStore) => {
  beforeEach(() => {
    now = 0
    warnings = []
    store = createStore({ now: () => now })
  })
  afterEach(() => store.close())

  it('the execution that has asked pays in each process, and no other does', async () => {
    await put(keyOf('aa', 1), { price: 1 })
    const tokensOf = async (execution: string | null) =>
      (await open().recall({ ...ASKER, execution }, keyOf('aa', 1)))?.tokens
    expect(await Promise.all(['exec_1', 'exec_2', null, 'exec_1'].map(tokensOf))).toEqual([
      TOKENS,
      null,
      null,
      TOKENS,
    ])
  })

  it('a set has eight answers, of which the oldest make room for new ones', async () => {
    const keys = Array.from({ length: 10 }, (_, nth) => keyOf('aa', nth))
    await put(keyOf('bb', 0), 'of another set')
    for (const key of keys) await put(key, 1)
    expect(await areThere(keys)).toEqual([false, false, ...Array<boolean>(8).fill(true)])
    expect(await areThere([keyOf('bb', 0)])).toEqual([true])
    expect(await createRecords(store).modelAnswers.list('acme', { limit: 100 })).toHaveLength(9)
  })

  it('a set has 256 KiB, and an answer that is too long for one is not kept', async () => {
    const keys = Array.from({ length: 4 }, (_, nth) => keyOf('aa', nth))
    for (const key of keys) await put(key, 'é'.repeat(49_000))
    expect(await areThere(keys)).toEqual([false, false, true, true])
    await put(keyOf('cc', 0), 'é'.repeat(50_000))
    expect(await areThere([keyOf('cc', 0)])).toEqual([false])
  })

  it('a new answer takes the place of the old, and holds for a week', async () => {
    for (const json of [1, 2]) await put(keyOf('aa', 0), json)
    expect(await open().recall(ASKER, keyOf('aa', 0))).toEqual({ json: 2, tokens: TOKENS })
    now += 7 * DAY_MS
    expect(await areThere([keyOf('aa', 0)])).toEqual([false])
  })

  it('the same question is another record in another account', async () => {
    await put(keyOf('aa', 0), 1)
    expect(await open().recall({ ...ASKER, account: 'globex' }, keyOf('aa', 0))).toBeNull()
  })

  it('an answer with signs that stores refuse comes back as it was', async () => {
    const json = { text: 'a\u0000b\ud800', ['__proto__']: 'own' }
    await put(keyOf('aa', 0), json)
    const answer = await open().recall(ASKER, keyOf('aa', 0))
    expect(JSON.stringify(answer?.json)).toBe(JSON.stringify(json))
  })

  it('a store that fails is an answer that is not there, and is logged', async () => {
    const away = async (): Promise<never> => {
      throw new Error('away')
    }
    const answers = open({ ...store, get: away, list: away, commit: away })
    await answers.remember(ASKER, keyOf('aa', 0), { json: 1, tokens: TOKENS })
    expect(await answers.recall(ASKER, keyOf('aa', 0))).toBeNull()
    expect(warnings).toEqual([
      'The answer of a model could not be kept',
      'The answer of a model could not be looked up',
    ])
  })
})

it('other instructions, another schema and another text are other questions', async () => {
  const question = { instructions: 'i', schema: {}, text: 't' }
  const keys = await Promise.all([
    questionKey({}, question),
    questionKey({}, { ...question }),
    questionKey({}, { ...question, instructions: 'j' }),
    questionKey({}, { ...question, schema: { type: 'object' } }),
    questionKey({}, { ...question, text: 'u' }),
    questionKey({ name: 'another model' }, question),
  ])
  expect(new Set(keys).size).toBe(5)
  expect(keys[0]).toBe(keys[1])
})
