import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkWritable, outputFormat } from '../../../adapters/command/output-file.ts'
import { FORMAT_NAMES } from '../../../src/engine/export/formats.ts'

it('an output file may have the extension of any export format', () => {
  for (const name of FORMAT_NAMES)
    expect(outputFormat(`some.rows.${name.toUpperCase()}`)).toBe(name)
  expect(() => outputFormat('rows.pdf')).toThrow(
    FORMAT_NAMES.toSorted().map((name) => `.${name}`)[0] ?? '?',
  )
})

it('a file that cannot be written is known before there is anything to write', () => {
  const folder = mkdtempSync(join(tmpdir(), 'seine-test-'))
  try {
    const path = (name: string) => join(folder, name)
    mkdirSync(path('folder.csv'))
    writeFileSync(path('old.csv'), 'old')
    expect(() => checkWritable('--out', path('none/rows.csv'))).toThrow('there is no folder')
    expect(() => checkWritable('--out', path('folder.csv'))).toThrow('is no file')
    // Root may write anywhere, but no file is a folder.
    expect(() => checkWritable('--out', path('old.csv/rows.csv'))).toThrow(
      /^--out .* cannot be written \(ENOTDIR\)$/,
    )
    checkWritable('--out', path('old.csv'))
    checkWritable('--save-recipe', path('new.json'))
    expect(readdirSync(folder).toSorted()).toEqual(['folder.csv', 'old.csv'])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
