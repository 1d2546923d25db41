import { describe, expect, test } from 'vitest'
import { TEXTS } from './families.ts'
import { tooLarge, tooSteep, type Subject } from './measure.ts'
import { PAGE_SUBJECTS, TEXT_SUBJECTS, XML_SUBJECTS } from './subjects.ts'

const subjects = [...PAGE_SUBJECTS, ...XML_SUBJECTS, ...TEXT_SUBJECTS]

describe('CPU grows as the input does', () => {
  test.each(subjects.map((subject) => [subject.name, subject] as const))('%s', (_, subject) => {
    expect(tooSteep(subject)).toEqual([])
  })
})

describe('memory is bounded by the input', () => {
  test.each(subjects.filter(({ holds }) => holds !== undefined).map((subject) => [subject.name, subject] as const))('%s', (_, subject) => {
    expect(tooLarge(subject)).toEqual([])
  })
})

test('the measure finds what is not linear', () => {
  const spaces = TEXTS.filter(({ name }) => name === 'a letter, spaces, a letter')
  const trims: Subject = { name: 'trims', families: spaces, prepare: (text) => () => new RegExp(String.raw`\s+$`).exec(text) }
  const copies: Subject = { name: 'copies', families: spaces, holds: 2, prepare: (text) => () => Array.from({ length: text.length }, (_, at) => at) }
  expect(tooSteep(trims)).toHaveLength(1)
  expect(tooLarge(copies)).toHaveLength(1)
})
