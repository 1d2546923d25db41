import fc from 'fast-check'
import { expect, it } from 'vitest'
import { attachment, fileName } from '../../../src/features/common/downloads.ts'
import { codePoint } from '../../support/any-text.ts'

it.each([
  ['My shop', 'My-shop-exec_1.csv'],
  ['', 'results-exec_1.csv'],
  ['../../etc/passwd', 'etc-passwd-exec_1.csv'],
  ['a\r\nX-Evil: 1', 'a-X-Evil-1-exec_1.csv'],
  ['例え 🐟', '例え-🐟-exec_1.csv'],
  ['evil\u202Egpj.exe', 'evil-gpj.exe-exec_1.csv'],
  ['C:\\con"', 'C-con-exec_1.csv'],
  ['x'.repeat(120), `${'x'.repeat(80)}-exec_1.csv`],
])('the file of %j has the name %s', (title, name) => {
  expect(fileName(title, 'exec_1', 'csv')).toBe(name)
})

it('the header has any name unchanged, and an ASCII name beside it', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.string({ unit: codePoint }),
        fc.string({
          unit: fc.constantFrom('"', '\\', '\r', '\n', ';', '%', "'", '*', '\ud800', 'é', '/'),
        }),
      ),
      (title) => {
        const name = fileName(title, 'exec_1', 'csv')
        const header =
          new Headers({ 'content-disposition': attachment(name) }).get('content-disposition') ?? ''
        const [, ascii, full] =
          /^attachment; filename="([\w.() -]+)"; filename\*=UTF-8''([\w.!~%-]+)$/.exec(header) ?? []
        expect(decodeURIComponent(full ?? '')).toBe(name)
        expect(ascii).toMatch(/exec_1\.csv$/)
        expect(name).not.toMatch(/[/\\\r\n"]|^\./)
      },
    ),
  )
})
