import type { Json } from '../../../kernel/json.ts'
import type { FieldSource } from '../../recipe/recipe-input.ts'
import type { PageContent } from '../page/page-content.ts'
import { convertJson } from '../value/convert.ts'
import { collect, compileRefine, textOfJson, paidFor } from './refine.ts'
import type { Find } from './refine.ts'
import { withNeeds } from './reader.ts'
import type { Compiling, ValueReader } from './reader.ts'
import { textOf } from '../tree/text-content.ts'
import { checkedJsonPath } from '../value/json-path.ts'

/** Reads all matches of a source: the first valid value, or for `many` all of them. */
type ReadValues = (find: Find<Json>, page: PageContent) => Json

/** Compiles the steps after finding: the nested fields of a value, or pattern, transforms and type. */
export function compileValues(
  source: FieldSource,
  sourcePath: string,
  compiling: Compiling,
): ReadValues {
  const { as, many = false } = source
  if (source.fields !== undefined) {
    const nested = compiling.group(source.fields, `${sourcePath}.fields`, 'json')
    return (find, page) =>
      collect(find, many, page.budget, (item) => nested.read(page, { element: null, item }))
  }
  const refine = compileRefine(source, sourcePath, compiling)
  if (refine === null)
    return (find, page) => collect(find, many, page.budget, (value) => convertJson(value, as, page))
  return (find, page) => {
    const value = collect(find, many, page.budget, (match) => {
      const values = match === null ? [] : refine(textOfJson(match), page)
      return many ? values : (values[0] ?? null)
    })
    return many && Array.isArray(value) ? value.flat() : value
  }
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
  const readJson: ValueReader = (page, _, node) => {
    const documents = node.item !== undefined ? [node.item] : page.isData ? page.data : []
    return read((take) => documents.some((document) => query(document, page.budget, take)), page)
  }
  return compiling.ground !== 'page'
    ? readJson
    : withNeeds(readJson, function* (page) {
        if (page.isData) yield* page.readData()
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
  const readDocuments: ValueReader = (page) =>
    read(
      (take) =>
        (kind === 'state' ? page.state : page.data).some((document) =>
          query(isAnywhere ? [document] : document, page.budget, take),
        ),
      page,
    )
  return withNeeds(readDocuments, (page) => (kind === 'state' ? page.readState() : page.readData()))
}
