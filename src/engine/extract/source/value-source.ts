import type { Json } from '../../../kernel/json.ts'
import type { FieldSource } from '../../recipe/recipe-input.ts'
import type { Parts } from '../page/in-turns.ts'
import type { PageContent } from '../page/page-content.ts'
import { convertJson, convertJsonParts } from '../value/convert.ts'
import {
  collect,
  collectParts,
  compileRefine,
  each,
  eachParts,
  textOfJson,
  paidFor,
} from './refine.ts'
import type { Find, FindParts } from './refine.ts'
import type { Compiling, Matches, RowNode, ValueReader } from './reader.ts'
import { textOf, textParts } from '../tree/text-content.ts'
import { checkedJsonPath } from '../value/json-path.ts'
import type { JsonPath } from '../value/json-path.ts'

/** Reads all matches of a source: the first valid value, or for `many` all of them. */
interface ReadValues {
  (find: Find<Json>, page: PageContent): Json
  /** The same in parts. */
  parts(find: FindParts<Json>, page: PageContent): Parts<Json>
}

/** Compiles the steps after finding: the nested fields of a value, or pattern, transforms and type. */
export function compileValues(
  source: FieldSource,
  sourcePath: string,
  compiling: Compiling,
): ReadValues {
  const { as, many = false } = source
  if (source.fields !== undefined) {
    const nested = compiling.group(source.fields, `${sourcePath}.fields`, 'json')
    return Object.assign(
      (find: Find<Json>, page: PageContent) =>
        collect(find, many, page.budget, (item) => nested.read(page, { element: null, item })),
      {
        parts: (find: FindParts<Json>, page: PageContent) =>
          collectParts(find, many, page.budget, (item) =>
            nested.readParts(page, { element: null, item }),
          ),
      },
    )
  }
  const refine = compileRefine(source, sourcePath, compiling)
  const read = (match: Json, page: PageContent): Json => {
    if (refine === null) return convertJson(match, as, page)
    const values = match === null ? [] : refine(textOfJson(match), page)
    return many ? values : (values[0] ?? null)
  }
  const spread = (value: Json): Json =>
    refine !== null && many && Array.isArray(value) ? value.flat() : value
  return Object.assign(
    (find: Find<Json>, page: PageContent) =>
      spread(collect(find, many, page.budget, (match) => read(match, page))),
    {
      *parts(find: FindParts<Json>, page: PageContent) {
        const whole = function* (match: Json): Parts<Json> {
          yield
          return refine === null ? yield* convertJsonParts(match, as, page) : read(match, page)
        }
        return spread(yield* collectParts(find, many, page.budget, whole))
      },
    },
  )
}

/** Compiles a `regex` without another source. It searches the text of the row's item or of the page. */
export function compileText(
  source: FieldSource,
  sourcePath: string,
  compiling: Compiling,
): ValueReader {
  const { many = false } = source
  const refine = compileRefine(source, sourcePath, compiling)
  const read = (text: string, page: PageContent): Json => {
    const values = refine?.(text, page) ?? []
    if (many) return values.map((value) => paidFor(value, page.budget))
    return paidFor(values[0] ?? null, page.budget)
  }
  return Object.assign(
    (page: PageContent, _: Matches, { element, item }: RowNode) =>
      read(
        item !== undefined
          ? textOfJson(item)
          : element === null
            ? page.readable
            : textOf(element, page.budget),
        page,
      ),
    {
      *parts(page: PageContent, _: Matches, { element, item }: RowNode): Parts<Json> {
        if (item !== undefined) return read(textOfJson(item), page)
        if (element !== null) return read(yield* textParts(element, page.budget), page)
        yield* page.readReadable()
        return read(page.readable, page)
      },
    },
  )
}

/** Compiles `json`: a path from the row's item, or from the document of a JSON page. */
export function compileJson(
  source: FieldSource,
  path: string,
  sourcePath: string,
  compiling: Compiling,
): ValueReader {
  const query = checkedJsonPath(path, `${sourcePath}.json`, compiling.issues)
  const read = compileValues(source, sourcePath, compiling)
  if (compiling.ground === 'element')
    compiling.issues.push({
      path: `${sourcePath}.json`,
      message:
        'cannot be read from an element: json needs a JSON page, whose items begin with $; for ' +
        'JSON in an element add css or xpath, or use jsonld',
    })
  const documentsOf = (page: PageContent, { item }: RowNode): readonly Json[] =>
    item !== undefined ? [item] : page.isData ? page.data : []
  return readerOfMatches(read, query, documentsOf, function* (page, { item }) {
    if (item === undefined && page.isData) yield* page.readData()
  })
}

/**
 * Compiles `jsonld` or `state`: a path over the page's JSON-LD, or over the JSON that scripts left
 * in it, independent of the row's node.
 */
export function compileDocuments(
  source: FieldSource,
  kind: 'jsonld' | 'state',
  path: string,
  sourcePath: string,
  compiling: Compiling,
): ValueReader {
  const query = checkedJsonPath(path, `${sourcePath}.${kind}`, compiling.issues)
  const read = compileValues(source, sourcePath, compiling)
  // A filter tests the members of a value. So a block that is itself the product would not be
  // tested, unless it is a member of the list of blocks.
  const isAnywhere = path.startsWith('$..')
  const placed = (page: PageContent): readonly Json[] =>
    (kind === 'state' ? page.state : page.data).map((document) =>
      isAnywhere ? [document] : document,
    )
  return readerOfMatches(read, query, placed, (page) =>
    kind === 'state' ? page.readState() : page.readData(),
  )
}

/** Reads the matches of a path in documents. In parts, `needs` first makes what those are made of. */
function readerOfMatches(
  read: ReadValues,
  query: JsonPath,
  documentsOf: (page: PageContent, node: RowNode) => readonly Json[],
  needs: (page: PageContent, node: RowNode) => Parts<void>,
): ValueReader {
  return Object.assign(
    (page: PageContent, _: Matches, node: RowNode) =>
      read(
        (take) => documentsOf(page, node).some((document) => query(document, page.budget, take)),
        page,
      ),
    {
      parts: (page: PageContent, _: Matches, node: RowNode) =>
        read.parts(function* (take) {
          yield* needs(page, node)
          for (const document of documentsOf(page, node))
            if (yield* query.parts(document, page.budget, take)) return
        }, page),
    },
  )
}

/** Reads the values of a list. In parts, `needs` first makes what the list is made of. */
export function readerOfValues(
  read: ReadValues,
  valuesOf: (page: PageContent, node: RowNode) => readonly Json[],
  needs: (page: PageContent) => Parts<void>,
): ValueReader {
  return Object.assign(
    (page: PageContent, _: Matches, node: RowNode) => read(each(valuesOf(page, node)), page),
    {
      *parts(page: PageContent, _: Matches, node: RowNode): Parts<Json> {
        yield* needs(page)
        const values = valuesOf(page, node)
        return yield* read.parts((take) => eachParts(values, take), page)
      },
    },
  )
}
