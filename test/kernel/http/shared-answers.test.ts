import { expect, test } from 'vitest'
import { SharedAnswers, answerText } from '../../../src/kernel/http/shared-answers.ts'

/** A record whose reads are counted, of so many characters. */
function recordOf(version: string, characters = 10) {
  let reads = 0
  return {
    version,
    json: 'x'.repeat(characters),
    get value() {
      reads++
      return { version }
    },
    get reads() {
      return reads
    },
  }
}

test('a version of a record is read, written and digested once', () => {
  const answers = new SharedAnswers(({ version }: { version: string }) => ({ shown: version }))
  let digests = 0
  const digest = (text: string) => `${text.length}-${digests++}`
  const [first, again, changed] = [recordOf('1'), recordOf('1'), recordOf('2')]
  const answer = answers.of('a', first)
  expect(answerText(answer, null)).toEqual({ json: '{"shown":"1"}', etag: null })
  expect(answerText(answer, digest)).toEqual({ json: '{"shown":"1"}', etag: '"13-0"' })
  const repeated = answers.of('a', again)
  expect(answerText(repeated, digest)).toEqual({ json: '{"shown":"1"}', etag: '"13-0"' })
  expect(again.reads).toBe(0)
  expect(answerText(answers.of('a', changed), digest).json).toBe('{"shown":"2"}')
  expect(answerText(answers.of('b', recordOf('1')), digest).etag).toBe('"13-2"')
})

test('an answer that is not shared is written each time', () => {
  const answer = { count: 1 }
  expect(answerText(answer, null).json).toBe('{"count":1}')
  answer.count = 2
  expect(answerText(answer, null).json).toBe('{"count":2}')
})

test('the answers that are remembered are bounded in characters, and a long one is not', () => {
  const answers = new SharedAnswers(({ version }: { version: string }) => ({ version }))
  answers.of('long', recordOf('1', 20_001))
  answers.of('unknown', { value: { version: '1' }, version: '1' })
  expect(answers.size).toBe(0)
  for (let i = 0; i < 120; i++) answers.of(`name ${i}`, recordOf('1', 20_000))
  expect(answers.size).toBe(50)
  for (let i = 0; i < 120; i++) answers.of('name 119', recordOf(String(i + 2), 20_000))
  expect(answers.size).toBe(50)
  const oldest = recordOf('1', 20_000)
  answers.of('name 0', oldest)
  expect(oldest.reads).toBe(1)
})
