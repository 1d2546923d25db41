import { expect, it } from 'vitest'
import { outputFormat } from '../../../adapters/command/output-file.ts'
import { FORMAT_NAMES } from '../../../src/engine/export/formats.ts'

it('an output file may have the extension of any export format', () => {
  for (const name of FORMAT_NAMES)
    expect(outputFormat(`some.rows.${name.toUpperCase()}`)).toBe(name)
  expect(() => outputFormat('rows.pdf')).toThrow(
    FORMAT_NAMES.toSorted().map((name) => `.${name}`)[0] ?? '?',
  )
})
