import { expect, it } from 'vitest'
import { AnswerMemory } from '../../src/engine/model/answer-memory.ts'

const ASKER = { account: 'acme', execution: 'exec_1' }
const memory = () => new AnswerMemory<number>({ now: () => 0 })

it('the execution that has asked pays each time, and no other does', () => {
  const own = memory()
  own.remember('a', ASKER, { json: { price: 1 }, tokens: 7 })
  const tokensOf = (execution: string | null) => own.recall('a', { ...ASKER, execution })?.tokens
  expect(['exec_1', 'exec_2', null, 'exec_1'].map(tokensOf)).toEqual([7, null, null, 7])
})

it('holds 1,000 answers, those that were used last, and 8 million characters', () => {
  const own = memory()
  const isThere = (key: string) => own.recall(key, ASKER) !== null
  for (let n = 0; n < 1_000; n++) own.remember(`${n}`, ASKER, { json: n, tokens: 1 })
  expect(isThere('0')).toBe(true)
  own.remember('new', ASKER, { json: 0, tokens: 1 })
  expect(['0', '1', '2', 'new'].map(isThere)).toEqual([true, false, true, true])
  for (let n = 0; n < 81; n++)
    own.remember(`long${n}`, ASKER, { json: 'x'.repeat(99_000), tokens: 1 })
  expect(['0', 'new', 'long0', 'long1', 'long80'].map(isThere)).toEqual([
    false,
    false,
    false,
    true,
    true,
  ])
})

it('an answer that is too long is not kept, and a new one takes the place of the old', () => {
  const own = memory()
  own.remember('long', ASKER, { json: 'x'.repeat(100_000), tokens: 1 })
  expect(own.recall('long', ASKER)).toBeNull()
  for (const json of [1, 2]) own.remember('a', ASKER, { json, tokens: json })
  expect(own.recall('a', ASKER)).toEqual({ json: 2, tokens: 2 })
})

it('the same text is another question for another account', async () => {
  const own = memory()
  const question = { instructions: 'i', schema: {}, text: 't' }
  const keys = await Promise.all([
    own.keyOf(ASKER, question),
    own.keyOf({ ...ASKER, execution: null }, question),
    own.keyOf({ ...ASKER, account: 'globex' }, question),
    own.keyOf(ASKER, { ...question, text: 'u' }),
  ])
  expect(new Set(keys).size).toBe(3)
  expect(keys[0]).toBe(keys[1])
})
