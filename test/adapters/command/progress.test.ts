import { expect, test } from 'vitest'
import { createBar, createLines } from '../../../adapters/command/progress.ts'

function stream(columns = 80) {
  const chunks: string[] = []
  return { written: chunks, columns, write: (text: string) => void chunks.push(text) }
}

test('a bar redraws one line and deletes it at the end', () => {
  const out = stream()
  let now = 0
  const bar = createBar(out, () => now)
  bar.update({ visited: 0, known: 1, rows: 0, failed: 0 })
  now = 2_000
  bar.update({ visited: 30, known: 60, rows: 28, failed: 2 })
  bar.end()
  expect(out.written).toEqual([
    `\r\x1b[2K${'░'.repeat(24)} 0 of 1 pages, 0 rows`,
    `\r\x1b[2K${'█'.repeat(12)}${'░'.repeat(12)} 30 of 60 pages, 28 rows, 2 failed · 15 pages/s`,
    '\r\x1b[2K',
  ])
})

test('a bar never wraps in a narrow terminal', () => {
  const out = stream(30)
  createBar(out, () => 0).update({ visited: 1, known: 2, rows: 1, failed: 0 })
  expect(out.written.join('').replace('\r\x1b[2K', '')).toHaveLength(29)
})

test('a line is written at most every two seconds, the last line always, and no line twice', () => {
  const out = stream()
  let now = 0
  const lines = createLines(out, () => now)
  for (; now <= 5_000; now += 500)
    lines.update({ visited: now / 500, known: 10, rows: 1, failed: 0 })
  lines.end()
  lines.end()
  expect(out.written).toEqual([
    '0 of 10 pages, 1 row\n',
    '4 of 10 pages, 1 row\n',
    '8 of 10 pages, 1 row\n',
    '10 of 10 pages, 1 row\n',
  ])
})
