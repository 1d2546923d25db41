import type { FieldSource } from '../../recipe/field-schema.ts'
import { checkedJsonPath } from '../value/checked-json-path.ts'
import type { Compiling, Reader } from './place.ts'
import { compileValues } from './value-source.ts'

/** Compiles `json`: a path from the row's item, or from the document of a JSON page. */
export function compileJson(
  source: FieldSource,
  path: string,
  at: string,
  compiling: Compiling,
): Reader {
  const query = checkedJsonPath(path, `${at}.json`, compiling.issues)
  const read = compileValues(source, at, compiling)
  if (compiling.ground === 'element')
    compiling.issues.push({
      path: `${at}.json`,
      message:
        'cannot be read from an element: json is for JSON pages, whose items begin with $; add css or xpath for JSON inside of an element, or use jsonld',
    })
  return (page, _, place) => {
    const documents = place.item !== undefined ? [place.item] : page.isData ? page.data : []
    return read((take) => documents.some((document) => query(document, page.budget, take)), page)
  }
}

/** Compiles `jsonld`: a path over the page's JSON-LD, wherever the row is read. */
export function compileJsonLd(
  source: FieldSource,
  path: string,
  at: string,
  compiling: Compiling,
): Reader {
  const query = checkedJsonPath(path, `${at}.jsonld`, compiling.issues)
  const read = compileValues(source, at, compiling)
  // A filter judges the members of what it is applied to, so a block that is itself the product
  // would never be asked; as a member of the list of blocks it is.
  const isAnywhere = path.startsWith('$..')
  return (page) =>
    read(
      (take) =>
        page.data.some((document) => query(isAnywhere ? [document] : document, page.budget, take)),
      page,
    )
}
