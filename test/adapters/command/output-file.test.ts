import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { checkWritable, outputFormat } from '../../../adapters/command/output-file.ts'
import { temporaryFolder } from '../../support/command.ts'
import { FORMAT_NAMES } from '../../../src/engine/export/formats.ts'

it('an output file may have the extension of any export format', () => {
  for (const name of FORMAT_NAMES)
    expect(outputFormat(`some.rows.${name.toUpperCase()}`)).toBe(name)
  expect(() => outputFormat('rows.pdf')).toThrow(
    FORMAT_NAMES.toSorted().map((name) => `.${name}`)[0] ?? '?',
  )
})

it('a file that cannot be written is known before there is anything to write', () => {
  const folder = temporaryFolder()
  try {
    const path = (name: string) => join(folder.path, name)
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
    expect(readdirSync(folder.path).toSorted()).toEqual(['folder.csv', 'old.csv'])
  } finally {
    folder.remove()
  }
})
