import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readDate } from '../../../src/engine/export/read-date.ts'

it('a date is read like by the calendar of the runtime', () => {
  const date = fc.date({
    min: new Date('0000-01-01T00:00:00Z'),
    max: new Date('9999-12-31T23:59:59Z'),
    noInvalidDate: true,
  })
  fc.assert(
    fc.property(date, fc.integer({ min: -1439, max: 1439 }), (moment, offset) => {
      const iso = moment.toISOString()
      expect(readDate(iso)).toEqual({ at: moment.getTime(), isDay: false })
      expect(readDate(iso.slice(0, 19))).toEqual({
        at: Date.parse(`${iso.slice(0, 19)}Z`),
        isDay: false,
      })
      expect(readDate(iso.slice(0, 10))).toEqual({ at: Date.parse(iso.slice(0, 10)), isDay: true })
      const two = (value: number) => String(Math.abs(value)).padStart(2, '0')
      const zone = `${offset < 0 ? '-' : '+'}${two(Math.trunc(offset / 60))}:${two(offset % 60)}`
      expect(readDate(`${iso.slice(0, 19)}${zone}`)?.at).toBe(
        Date.parse(`${iso.slice(0, 19)}Z`) - offset * 60_000,
      )
    }),
  )
})

it.each([
  '',
  'tomorrow',
  '2026',
  '2026-13-01',
  '2026-00-01',
  '2026-02-29',
  '2100-02-29',
  '2026-04-31',
  '2026-01-00',
  '2026-01-01T24:00:00',
  '2026-01-01T10:60:00',
  '2026-01-01T10:00',
  '2026-01-01 10:00:00',
  ' 2026-01-01',
  '2026-01-01\n',
  '+02026-01-01',
  '2026-01-01T10:00:00+24:00',
])('%j is not read as a date', (text) => {
  expect(readDate(text)).toBeNull()
})

it.each(['2024-02-29', '2000-02-29', '0000-02-29', '0050-06-30'])(
  '%j is read as a date',
  (text) => {
    expect(readDate(text)?.at).toBe(Date.parse(text))
  },
)
