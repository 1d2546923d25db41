import { expect, test } from 'vitest'
import { PAGES, TEXTS, type Family } from '../../growth/families.ts'
import { tooSteep } from '../../growth/measure.ts'
import { PAGE_SUBJECTS, TEXT_SUBJECTS } from '../../growth/subjects.ts'

/** Inputs that once took quadratic time or worse. `npm run test:growth` measures all kinds of work. */
const once: readonly (readonly [subject: string, family: string])[] = [
  ['the format metadata', 'title of spaces'],
  ['the format metadata', 'title and headings'],
  ['the format markdown', 'quotes around lines'],
  ['the next link', 'links of arrows'],
  ['the next link', 'links in a pagination'],
  ['detection', 'many tables'],
  ['a value as number', 'digits and commas'],
  ['an answer of a model', 'fences and line feeds'],
  ['the lines of a PDF', 'a letter'],
  ['a word in a list', 'a letter'],
]

const families: readonly Family[] = [...PAGES, ...TEXTS]

test.each(once)('the time of %s is linear in %s', async (subjectName, familyName) => {
  const subject = [...PAGE_SUBJECTS, ...TEXT_SUBJECTS].find(({ name }) => name === subjectName)
  const family = families.find(({ name }) => name === familyName)
  if (subject === undefined || family === undefined) throw new Error('There is no such measurement')
  expect(await tooSteep({ ...subject, families: [family] })).toEqual([])
})
