import type { ExportColumnType } from '../../src/ports/row-work.ts'
import type { Row } from '../../src/kernel/json.ts'
import { createRandom } from '../random.ts'

/** Columns of every row, with what they hold. */
export const TYPES = {
  id: 'integer',
  title: 'text',
  description: 'text',
  url: 'url',
  price: 'number',
  rating: 'number',
  inStock: 'boolean',
  seenAt: 'date',
  category: 'text',
  city: 'text',
} as const satisfies Record<string, ExportColumnType>

export const NAMES = Object.keys(TYPES)
export const BATCH = 500
const DISTINCT = 20_000
const WORDS = [
  'steel',
  'garden',
  'light',
  'compact',
  'with',
  'handle',
  'and',
  'warranty',
  'of',
  'two',
  'years',
  'größer',
  'naïve',
  '价格',
  'лампа',
  '😀',
] as const
const CITIES = [
  'Zürich',
  'København',
  'Łódź',
  '東京',
  'Lisbon',
  'Paris',
  'Αθήνα',
  'New York',
] as const

/**
 * Rows as a crawl of a shop finds them: text, numbers, dates, letters outside ASCII, some quotes,
 * commas, line breaks and gaps.
 */
export const POOL: readonly (readonly Row[])[] = Array.from(
  { length: DISTINCT / BATCH },
  (_, batch) => Array.from({ length: BATCH }, (_row, index) => rowOf(batch * BATCH + index)),
)

/** Rows taken so far, of the pool or as segments. */
export const consumed = { rows: 0 }

/** So many rows, in batches: the pool again and again, so that making rows costs nothing. */
export async function* rowsOf(count: number): AsyncGenerator<readonly Row[]> {
  for (let batch = 0; batch * BATCH < count; batch++) {
    const rows = POOL[batch % POOL.length] ?? []
    consumed.rows += BATCH
    yield rows.length > count - batch * BATCH ? rows.slice(0, count - batch * BATCH) : rows
  }
}

function rowOf(id: number): Row {
  const random = createRandom(7, 'row', id)
  const words = (count: number) => Array.from({ length: count }, () => random.pick(WORDS)).join(' ')
  const note = random.below(10)
  return {
    id,
    title: words(4),
    description:
      note === 0
        ? `a "quoted" one, ${words(8)}`
        : note === 1
          ? `${words(5)}\n${words(5)}`
          : words(10),
    url: `https://shop.example.com/category/${random.below(50)}/product/${id}`,
    price: random.below(100_000) / 100,
    rating: random.below(4) === 0 ? null : random.below(50) / 10,
    inStock: random.below(3) > 0,
    seenAt: new Date(Date.UTC(2026, 0, 1) + random.below(300 * 86_400) * 1_000)
      .toISOString()
      .replace('.000Z', 'Z'),
    category: random.pick(['lamps', 'chairs', 'tables', 'tools'] as const),
    city: random.pick(CITIES),
  }
}
