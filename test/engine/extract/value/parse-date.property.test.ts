import fc from 'fast-check'
import { expect, test } from 'vitest'
import { parseDate, readDate } from '../../../../src/engine/extract/value/parse-date.ts'
import { failingCases } from '../../../support/failing-cases.ts'

test('dates are read without a language', async () => {
  const failing = await failingCases(
    [
      ['2026-01-05', '2026-01-05'],
      ['2026-01-05T14:30', '2026-01-05T14:30:00'],
      ['2026-01-05T14:30:15.123Z', '2026-01-05T14:30:15Z'],
      ['2026-01-05 14:30:15 +0200', '2026-01-05T14:30:15+02:00'],
      ['Mon, 05 Jan 2026 14:30:15 GMT', '2026-01-05T14:30:15Z'],
      ['5 January 2026', '2026-01-05'],
      ['5th of January, 2026', '2026-01-05'],
      ['January 5, 2026', '2026-01-05'],
      ['Jan. 5th 2026 at 2:30 pm', '2026-01-05T14:30:00'],
      ['Posted on Sept 9, 2025 by Ann', '2025-09-09'],
      ['05.01.2026', '2026-01-05'],
      ['31/12/2026', '2026-12-31'],
      ['12/31/2026', '2026-12-31'],
      ['03/03/2026', '2026-03-03'],
      ['2026/1/5', '2026-01-05'],
      ['2026年1月5日', '2026-01-05'],
      ['20260105', '2026-01-05'],
      ['1767623400', '2026-01-05T14:30:00Z'],
      ['1767623400000', '2026-01-05T14:30:00Z'],
      ['12:30 am, nothing; 2026-01-05 12:30 AM', '2026-01-05T00:30:00'],
      ['2024-02-29', '2024-02-29'],
    ] as const,
    ([text]) => text,
    ([text, expected]) => expect(parseDate(text)).toBe(expected),
  )
  expect(failing).toEqual([])
})

test('a text without a whole date, or with two readings, is not a date', async () => {
  const failing = await failingCases(
    [
      '',
      'yesterday',
      '01/02/2026',
      '2026-02-30',
      '2025-13-01',
      '31.02.2026',
      'January 2026',
      '99/99/2026',
    ] as const,
    (text) => text,
    (text) => expect(parseDate(text)).toBeNull(),
  )
  expect(failing).toEqual([])
})

test('dates are read in their language', async () => {
  const failing = await failingCases(
    [
      ['5. März 2026', 'de', '2026-03-05'],
      ['05. Mai 2026, 14:30', 'de', '2026-05-05T14:30:00'],
      ['Le 1er février 2026', 'fr', '2026-02-01'],
      ['5 de enero de 2026', 'es', '2026-01-05'],
      ['12 stycznia 2026', 'pl', '2026-01-12'],
      ['5 января 2026 г.', 'ru', '2026-01-05'],
      ['3 gennaio 2026', 'it', '2026-01-03'],
      ['5 Ocak 2026', 'tr', '2026-01-05'],
      ['5 March 2026', 'de', '2026-03-05'],
      ['01/02/2026', 'fr', '2026-02-01'],
      ['01/02/2026', 'en-GB', '2026-02-01'],
      ['01-02-2026', 'nl', '2026-02-01'],
      ['٠٥.٠١.٢٠٢٦', 'ar', '2026-01-05'],
      ['01/02/2026', 'en', null],
      ['01/02/2026', 'en-US', null],
      ['01/02/2026', 'not a tag!', null],
      ['5 foobar 2026', 'de', null],
      ['5. u ožujku 2026.', 'hr', '2026-03-05'],
      ['5. u rujnu 2026.', 'hr', '2026-09-05'],
      ['v únoru 5, 2026', 'cs', '2026-02-05'],
      ['5 červenci 2026', 'cs', '2026-07-05'],
      ['в марте 5, 2026', 'ru', '2026-03-05'],
      ['5 জানুয়ারী 2026', 'bn', '2026-01-05'],
      ['7 траўня 2026', 'be', '2026-05-07'],
      ['5 mayor 2026', 'es', null],
      ['5 Marcin 2026', 'pl', null],
      ['5 जनवरी 2026 3:20 अपराह्न', 'hi', '2026-01-05T15:20:00'],
      ['5. svibnja 2026. u podne', 'hr', '2026-05-05T12:00:00'],
      ['5. Mai 2026, Mitternacht', 'de', '2026-05-05T00:00:00'],
    ] as const,
    ([text, language]) => `${text} (${language})`,
    ([text, language, expected]) => expect(parseDate(text, { language })).toBe(expected),
  )
  expect(failing).toEqual([])
})

test('dates are read among words, times and signs', async () => {
  const failing = await failingCases(
    [
      ['2:30 pm, January 5, 2026', 'en', '2026-01-05T14:30:00'],
      ['Tue Aug 5 12:00:00 2025', 'en', '2025-08-05T12:00:00'],
      ['5 May 2026 23:24 EDT', 'en', '2026-05-05T23:24:00-04:00'],
      ['5 May 2026, 8 am (PST)', 'en', '2026-05-05T08:00:00-08:00'],
      ['May 5–10, 2026', 'en', '2026-05-05'],
      ['Sunday, 06-Nov-94 08:49:37 GMT', 'en', '1994-11-06T08:49:37Z'],
      ['2019-sep-1', 'en', '2019-09-01'],
      ['5. 1. 26', 'de', '2026-01-05'],
      ['Mo, 12-Mär-2026 um 9.30 pm', 'de', '2026-03-12T21:30:00'],
      ['5. März 2026, 14 Uhr', 'de', '2026-03-05T14:00:00'],
      ['lundi, mars 5 2026 à 21h30', 'fr', '2026-03-05T21:30:00'],
      ['sept. 5, 2026', 'fr', '2026-09-05'],
      ['12-08, 2026', 'nl', '2026-08-12'],
      ['Пнд, 07 янв. 2019 г. в 12:15', 'ru', '2019-01-07T12:15:00'],
      ['2026年1月5日(月) 21時40分', 'ja', '2026-01-05T21:40:00'],
      ['2026년 1월 5일', 'ko', '2026-01-05'],
      ['1월 5일, 2026', 'ko', '2026-01-05'],
      ['下午3:05 2026年1月5日', 'zh', '2026-01-05T15:05:00'],
      ['5 พ.ค. 2026', 'th', '2026-05-05'],
      ['5. März 2026', 'en', '2026-03-05'],
      ['5 listopad 2026', 'en', null],
      ['version 1.2.10.4', 'en', null],
      ['5 May 10 comments', 'en', null],
      ['20260105T143000Z', 'en', '2026-01-05T14:30:00Z'],
    ] as const,
    ([text, language]) => `${text} (${language})`,
    ([text, language, expected]) => expect(parseDate(text, { language })).toBe(expected),
  )
  expect(failing).toEqual([])
})

const NOW = Date.UTC(2026, 4, 20, 10, 30)

test('dates that depend on a reference are read on 20 May 2026', async () => {
  const failing = await failingCases(
    [
      ['3 days ago', 'en', '2026-05-17'],
      ['Posted 3 hours ago by Ann', 'en', '2026-05-20T07:30:00Z'],
      ['about an hour ago', 'en', '2026-05-20T09:30:00Z'],
      ['two weeks ago', 'en', '2026-05-06'],
      ['in 1.5 hours', 'en', '2026-05-20T12:00:00Z'],
      ['1 year, 2 months and 3 days ago', 'en', '2025-03-17'],
      ['3 months ago', 'en', '2026-02-20'],
      ['yesterday at 14:30', 'en', '2026-05-19T14:30:00'],
      ['the day before yesterday', 'en', '2026-05-18'],
      ['last week', 'en', '2026-05-13'],
      ['just now', 'en', '2026-05-20T10:30:00Z'],
      ['3h', 'en', '2026-05-20T07:30:00Z'],
      ['2d', 'en', '2026-05-18'],
      ['vor 3 Wochen', 'de', '2026-04-29'],
      ['gestern, 18 Uhr', 'de', '2026-05-19T18:00:00'],
      ['il y a deux jours', 'fr', '2026-05-18'],
      ['hace unas 3 horas', 'es', '2026-05-20T07:30:00Z'],
      ['hace cerca de 3 horas', 'es', '2026-05-20T07:30:00Z'],
      ['aujourdʹhui', 'fr', '2026-05-20'],
      ['vör 4 Johre', 'ksh', '2022-05-20'],
      ['දින 2න්', 'si', '2026-05-22'],
      ['ʻi he ʻaho ʻe 2', 'to', '2026-05-22'],
      ["'i he 'aho 'e 2", 'to', '2026-05-22'],
      ['час назад', 'ru', '2026-05-20T09:30:00Z'],
      ['3天前', 'zh', '2026-05-17'],
      ['3 日前', 'ja', '2026-05-17'],
      ['3 days ago', 'de', '2026-05-17'],
      ['5 May', 'en', '2026-05-05'],
      ['30 Dec', 'en', '2025-12-30'],
      ['June 1 at 5 pm', 'en', '2026-06-01T17:00:00'],
      ['Monday', 'en', '2026-05-18'],
      ['Wednesday', 'en', '2026-05-13'],
      ['Freitag, 9:15', 'de', '2026-05-15T09:15:00'],
      ['10:04 am', 'en', '2026-05-20T10:04:00'],
      ['3 days ago, on 5 March 2026', 'en', '2026-03-05'],
      ['several days ago', 'en', null],
      ['несколько часов назад', 'ru', null],
      ['delivered in the last 3 days', 'en', null],
      ['5 items in 3 rooms', 'en', null],
      ['Buy it now', 'en', null],
      ['May I help?', 'en', null],
      ['99999 years ago', 'en', null],
      ['5 มีนาคม ค.ศ. 2024', 'th', null],
      ['2024. gada 5. marts', 'lv', null],
      ['2024 m. kovo 5 d.', 'lt', null],
      ['31 दिस॰ 2023', 'hi', '2023-12-31'],
      ['24. 11. 12.', 'ko', '2024-11-12'],
      ['24.11.12', 'de', '2012-11-24'],
      ['24/11/12', 'en-CA', '2012-11-24'],
    ] as const,
    ([text, language]) => `${text} (${language})`,
    ([text, language, expected]) => expect(parseDate(text, { language, now: NOW })).toBe(expected),
  )
  expect(failing).toEqual([])
})

test('a relative date needs a reference', () => {
  for (const text of ['3 days ago', 'yesterday', '5 May', 'Monday', '10:04 am', '3h'])
    expect(parseDate(text, { language: 'en' })).toBeNull()
})

test('a relative date is right if the month lacks the day of the reference', () => {
  const now = Date.UTC(2026, 2, 31)
  expect(parseDate('1 month ago', { now })).toBe('2026-02-28')
})

test('dates are read in the order that is named', async () => {
  const failing = await failingCases(
    [
      ['26-01-05', 'ymd', '2026-01-05'],
      ['05/01/26', 'dmy', '2026-01-05'],
      ['16 July 13', 'ymd', '2016-07-13'],
      ['01/02/2026', 'dmy', '2026-02-01'],
      ['01/02/2026', 'mdy', '2026-01-02'],
      ['01.02.2026', 'mdy', '2026-01-02'],
      ['31/01/2026', 'mdy', null],
      ['2026/01/02', 'dmy', '2026-01-02'],
    ] as const,
    ([text, order]) => `${text} (${order})`,
    ([text, order, expected]) => expect(parseDate(text, { order, language: 'de' })).toBe(expected),
  )
  expect(failing).toEqual([])
})

test('a date with two readings is reported as unclear', () => {
  expect(readDate('01/02/2026')).toEqual({ value: null, isUnclear: true })
  expect(readDate('31/02/2026')).toEqual({ value: null, isUnclear: false })
})

test('dates that the parser writes, and those of Date, are read', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('1900-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
      (date) => {
        const iso = parseDate(date.toISOString())
        expect(iso).toBe(date.toISOString().replace(/\.\d+Z/, 'Z'))
        expect(parseDate(iso ?? '')).toBe(iso)
        expect(parseDate(date.toUTCString())).toBe(iso)
      },
    ),
  )
})
