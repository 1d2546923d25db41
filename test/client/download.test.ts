import fc from 'fast-check'
import { expect, test } from 'vitest'
import { attachment } from '../../src/features/common/downloads.ts'
import { downloadOf } from '../../src/client/download.ts'
import { codePoint } from '../support/any-text.ts'

const nameOf = (disposition: string | null) =>
  downloadOf(
    new Response('x', {
      headers: disposition === null ? {} : { 'Content-Disposition': disposition },
    }),
  ).name

test('the name of a file is read from the header that the service writes', () => {
  const names = fc
    .string({ unit: codePoint, minLength: 1, maxLength: 40 })
    .filter((name) => name.isWellFormed() && !/[/\\\0]/.test(name))
  fc.assert(fc.property(names, (name) => nameOf(attachment(name)) === name))
})

test.for<readonly [string | null, string]>([
  [null, ''],
  ['attachment', ''],
  ['attachment; filename=rows.csv', 'rows.csv'],
  ['attachment; filename="a b.csv"', 'a b.csv'],
  ['attachment; filename="plain.csv"; filename*=UTF-8\'\'l%C3%A4den.csv', 'läden.csv'],
  ['attachment; filename="plain.csv"; filename*=UTF-8\'\'%E0%A4%A', 'plain.csv'],
  ['attachment; filename="../../etc/passwd"', 'passwd'],
  ["attachment; filename*=UTF-8''..%2F..%5Cevil%00.exe", 'evil.exe'],
])('the header %s is read', ([disposition, name]) => {
  expect(nameOf(disposition)).toBe(name)
})

test('a file without a body is an empty stream', async () => {
  const { body, contentType } = downloadOf(new Response(null))
  expect(await new Response(body).text()).toBe('')
  expect(contentType).toBe('')
})
