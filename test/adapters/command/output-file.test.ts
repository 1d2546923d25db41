import { expect, it } from 'vitest'
import { outputFormat } from '../../../adapters/command/output-file.ts'
import { FORMAT_NAMES } from '../../../src/engine/export/formats.ts'

it('a file may have the extension of every format that there is', () => {
  for (const name of FORMAT_NAMES)
    expect(outputFormat(`some.rows.${name.toUpperCase()}`)).toBe(name)
  expect(() => outputFormat('rows.pdf')).toThrow(
    FORMAT_NAMES.toSorted().map((name) => `.${name}`)[0] ?? '?',
  )
})
