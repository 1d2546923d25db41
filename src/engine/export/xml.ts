import { TEXT_PART } from './format.ts'
import type { ExportFormat } from './format.ts'

/**
 * XML 1.0: `<rows>` of `<row>`, in it an element a column. A name that XML does not allow goes into
 * `<field name="…">`, nothing is `xsi:nil`, members of objects are elements by the same rule, and
 * those of a list are `<item>`s.
 */
export const xmlFormat: ExportFormat = {
  name: 'xml',
  extension: 'xml',
  contentType: 'application/xml; charset=utf-8',
  compressible: true,
  needsTypes: false,
  keepsObjects: false,
  partSize: TEXT_PART,
  async open(columns) {
    const { openXml } = await import('./xml/write-xml.ts')
    return openXml(columns)
  },
  async *assemble(columns, parts) {
    const { assembleXml } = await import('./xml/write-xml.ts')
    yield* assembleXml(columns, parts)
  },
}
