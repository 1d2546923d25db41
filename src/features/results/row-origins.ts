import { codesOfRows, matchedSource } from '../../engine/extract/source-trace.ts'
import { sourceTexts } from '../../engine/plan/source-name.ts'
import type { ParsedRecipe } from '../../engine/recipe/parse-recipe.ts'
import { joined } from '../../kernel/bytes.ts'
import type { Json, Row } from '../../kernel/json.ts'
import { decodeProvenance } from '../common/provenance.ts'
import { rowsPart } from '../executions/records.ts'
import type { SegmentRecord } from '../executions/records.ts'
import type { Records } from '../records.ts'

/** Number of receipts that are read at once. */
const PAGES_AT_ONCE = 500
const COMMA = 44
const LINE_FEED = 10
const OPEN = Uint8Array.of(91)
const encoder = new TextEncoder()

/** The origin of a row if its execution has stored none. */
const UNKNOWN: Row = { _page: null, _fetchedAt: null, _digest: null, _sources: null }

/** Reads the origins of the rows of one execution. */
export class RowOrigins {
  readonly #records: Records
  readonly #account: string
  readonly #columns: readonly string[]
  readonly #texts: readonly (readonly string[])[]

  /** `recipe`: the execution's recipe, completed by detection. */
  constructor(records: Records, account: string, { recipe, facts }: ParsedRecipe) {
    this.#records = records
    this.#account = account
    this.#columns = facts.columns
    this.#texts = sourceTexts(recipe, facts.columns)
  }

  /**
   * Returns the origin of each row of a segment, as values of its columns. Rows of one page that
   * have their values from the same sources share one.
   */
  async of(segment: SegmentRecord, blob: Uint8Array): Promise<readonly Row[]> {
    const { provenance = 0, execution, rows } = segment
    const pages = provenance === 0 ? [] : decodeProvenance(blob.subarray(blob.length - provenance))
    const origins: Row[] = []
    for (let from = 0; from < pages.length; from += PAGES_AT_ONCE) {
      const some = pages.slice(from, from + PAGES_AT_ONCE)
      const visits = await this.#records.visits.getMany(
        this.#account,
        some.map(({ seq }) => [execution, seq]),
      )
      for (const [index, { fetchedAt, digest, sources }] of some.entries()) {
        const visit = visits[index]?.value
        for (const run of sources) {
          const origin: Row = {
            _page: visit ? (visit.finalUrl ?? visit.url) : null,
            _fetchedAt: fetchedAt === null ? null : new Date(fetchedAt).toISOString(),
            _digest: digest,
            _sources: this.#sourcesOf(run[0]),
          }
          for (const _ of codesOfRows([run])) origins.push(origin)
        }
      }
    }
    while (origins.length < rows) origins.push(UNKNOWN)
    return origins
  }

  /** Returns the rows of a segment as lines whose first member is the origin of the row. */
  async lines(segment: SegmentRecord, blob: Uint8Array): Promise<Uint8Array> {
    const origins = await this.of(segment, blob)
    const body = rowsPart(segment, blob)
    const pieces: Uint8Array[] = []
    let length = 0
    let [last, text]: [Row | undefined, Uint8Array] = [undefined, OPEN]
    for (let [position, index] = [0, 0]; position < body.length; index++) {
      const feed = body.indexOf(LINE_FEED, position)
      const end = feed < 0 ? body.length : feed + 1
      const origin = origins[index] ?? UNKNOWN
      if (origin !== last) text = encoder.encode(`[${JSON.stringify(origin)}`)
      last = origin
      const rest = body.subarray(body.indexOf(COMMA, position), end)
      pieces.push(text, rest)
      length += text.length + rest.length
      position = end
    }
    return joined(pieces, length)
  }

  #sourcesOf(codes: string): Json {
    if (codes === '') return null
    return Object.fromEntries(
      this.#columns.map((column, index) => {
        const matched = matchedSource(codes, index)
        if (matched === null) return [column, null]
        const { alternative, isDefault } = matched
        const source = isDefault ? 'default' : (this.#texts[index]?.[alternative] ?? null)
        return [column, { alternative, source }]
      }),
    )
  }
}
