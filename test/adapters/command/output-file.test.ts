import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, expect, it } from 'vitest'
import { parseExtract } from '../../../adapters/command/extract-flags.ts'
import { checkInPlace, checkOutput, outputFormat } from '../../../adapters/command/output-file.ts'
import { FORMAT_NAMES } from '../../../src/engine/export/formats.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'seine-test-'))
  return () => rmSync(folder, { recursive: true, force: true })
})
const path = (name: string) => join(folder, name)
const names = () => readdirSync(folder).toSorted()

it('an output file may have the extension of any export format', () => {
  for (const name of FORMAT_NAMES)
    expect(outputFormat(`some.rows.${name.toUpperCase()}`)).toBe(name)
  expect(() => outputFormat('rows.pdf')).toThrow(
    FORMAT_NAMES.toSorted().map((name) => `.${name}`)[0] ?? '?',
  )
})

it('a misspelt format is met with the one that was meant', async () => {
  expect(() => outputFormat('rows.jsno')).toThrow(
    '--out rows.jsno: .jsno is not known; use .csv, .json, .jsonl, .xlsx, .parquet, .xml, .html; ' +
      'did you mean .json?',
  )
  const extract = ['https://shop.example/', '--out', '-', '--format']
  await expect(parseExtract([...extract, 'parqet'])).rejects.toThrow(
    '--format must be csv, json, jsonl, xlsx, parquet, xml, html, not "parqet"; did you mean parquet?',
  )
  expect((await parseExtract([...extract, 'CSV']))?.out).toEqual({ path: '-', format: 'csv' })
})

it('a file that cannot be written is known before there is anything to write', () => {
  mkdirSync(path('folder.csv'))
  mkdirSync(path('taken.csv.part'))
  writeFileSync(path('old.csv'), 'old')
  const before = names()
  expect(() => checkOutput(path('none/rows.csv'))).toThrow('there is no folder')
  expect(() => checkOutput(path('old.csv/rows.csv'))).toThrow('there is no folder')
  expect(() => checkOutput(path('folder.csv'))).toThrow('is not a file; name one, or - for stdout')
  // Root may write anywhere, but a folder is not a file.
  expect(() => checkOutput(path('taken.csv'))).toThrow(/^--out .* cannot be written \(EISDIR\)$/)
  checkOutput(path('old.csv'))
  checkOutput(path('new.csv'))
  expect(names()).toEqual(before)
})

it('a part that is there belongs to somebody, and stays as it is', () => {
  writeFileSync(path('rows.csv.part'), 'half of it')
  checkOutput(path('rows.csv'))
  expect(readFileSync(path('rows.csv.part'), 'utf8')).toBe('half of it')
})

it('a recipe may be saved to a device, and none is made by the question whether it can', async () => {
  const args = ['https://example.com/', '--save-recipe']
  expect(await parseExtract([...args, '/dev/null'])).toMatchObject({ saveRecipe: '/dev/null' })
  // No file has this name with anything behind it.
  const longest = path('r'.repeat(255))
  expect(await parseExtract([...args, longest])).toMatchObject({ saveRecipe: longest })
  expect(names()).toEqual([])
  await expect(parseExtract([...args, folder])).rejects.toThrow(/is not a file$/)
  expect(() => checkInPlace('--save-recipe', path('none/r.json'))).toThrow('there is no folder')
})
