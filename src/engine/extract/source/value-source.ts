import type { Json } from '../../../kernel/json.ts'
import type { FieldSource } from '../../recipe/recipe-input.ts'
import type { Parts } from '../page/in-turns.ts'
import type { PageContent } from '../page/page-content.ts'
import { convertJson } from '../value/convert.ts'
import { collect, collectParts, compileRefine, textOfJson, paidFor } from './refine.ts'
import type { Find, FindParts } from './refine.ts'
import type { Compiling, Matches, RowNode, ValueReader } from './reader.ts'
import { textOf } from '../tree/text-content.ts'
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
          return read(match, page)
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
  return (page, _, node) => {
    const text =
      node.item !== undefined
        ? textOfJson(node.item)
        : node.element === null
          ? page.readable
          : textOf(node.element, page.budget)
    const values = refine?.(text, page) ?? []
    if (many) return values.map((value) => paidFor(value, page.budget))
    return paidFor(values[0] ?? null, page.budget)
  }
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
  return Object.assign(
    (page: PageContent, _: Matches, node: RowNode) =>
      read(
        (take) => documentsOf(page, node).some((document) => query(document, page.budget, take)),
        page,
      ),
    {
      *parts(page: PageContent, _: Matches, node: RowNode): Parts<Json> {
        if (node.item === undefined && page.isData) yield* page.readData()
        const documents = documentsOf(page, node)
        return yield* read.parts((take) => findIn(documents, query, page, take), page)
      },
    },
  )
}

/** Passes the matches of a path in documents. */
function* findIn(
  documents: readonly Json[],
  query: JsonPath,
  { budget }: PageContent,
  take: (match: Json) => Parts<boolean>,
): Parts<void> {
  for (const document of documents) if (yield* query.parts(document, budget, take)) return
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
  return Object.assign(
    (page: PageContent) =>
      read((take) => placed(page).some((document) => query(document, page.budget, take)), page),
    {
      *parts(page: PageContent): Parts<Json> {
        yield* kind === 'state' ? page.readState() : page.readData()
        const documents = placed(page)
        return yield* read.parts((take) => findIn(documents, query, page, take), page)
      },
    },
  )
}
