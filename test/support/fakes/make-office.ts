import JSZip from 'jszip'

const TYPES = 'http://schemas.openxmlformats.org/package/2006/content-types'
const RELATIONS = 'http://schemas.openxmlformats.org/package/2006/relationships'
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const SHEET = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const WORD = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main'
const CORE =
  'xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" ' +
  'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"'

/** Packs parts as an archive. */
export async function makeArchive(parts: Readonly<Record<string, string>>): Promise<Uint8Array> {
  const zip = new JSZip()
  for (const [name, text] of Object.entries(parts)) zip.file(name, text)
  return zip.generateAsync({ type: 'uint8array', compression: 'DEFLATE' })
}

function packageOf(
  main: string,
  mainType: string,
  others: Readonly<Record<string, readonly [type: string, text: string]>>,
  core: string,
): Record<string, string> {
  const overrides = Object.entries(others)
    .map(([name, [type]]) => `<Override PartName="/${name}" ContentType="${type}"/>`)
    .join('')
  return {
    '[Content_Types].xml':
      `<Types xmlns="${TYPES}"><Default Extension="rels" ` +
      'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>' +
      `<Default Extension="xml" ContentType="application/xml"/><Override PartName="/${main}` +
      `" ContentType="${mainType}"/>${overrides}</Types>`,
    '_rels/.rels':
      `<Relationships xmlns="${RELATIONS}"><Relationship Id="r1" Type="${OFFICE}` +
      `/officeDocument" Target="${main}"/><Relationship Id="r2" ` +
      'Type="http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties" ' +
      'Target="docProps/core.xml"/></Relationships>',
    'docProps/core.xml': `<cp:coreProperties ${CORE}>${core}</cp:coreProperties>`,
    ...Object.fromEntries(Object.entries(others).map(([name, [, text]]) => [name, text])),
  }
}

/** A Word file with this content of its body (ECMA-376 part 1, 17), and links by id. */
export function makeDocx(
  body: string,
  { core = '', links = {} }: { core?: string; links?: Readonly<Record<string, string>> } = {},
): Promise<Uint8Array> {
  const relations = Object.entries(links)
    .map(
      ([id, url]) =>
        `<Relationship Id="${id}" Type="${OFFICE}/hyperlink" Target="${url}" TargetMode="External"/>`,
    )
    .join('')
  const styles = ['Title', 'heading 1', 'heading 2']
    .map(
      (name) =>
        `<w:style w:type="paragraph" w:styleId="${name.replace(' ', '')}"><w:name w:val="${name}"/></w:style>`,
    )
    .join('')
  return makeArchive({
    ...packageOf(
      'word/document.xml',
      'application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml',
      {
        'word/styles.xml': [
          'application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml',
          `<w:styles xmlns:w="${WORD}">${styles}</w:styles>`,
        ],
      },
      core,
    ),
    'word/_rels/document.xml.rels':
      `<Relationships xmlns="${RELATIONS}"><Relationship Id="s" Type="${OFFICE}` +
      `/styles" Target="styles.xml"/>${relations}</Relationships>`,
    'word/document.xml': `<w:document xmlns:w="${WORD}" xmlns:r="${OFFICE}"><w:body>${body}</w:body></w:document>`,
  })
}

/** A paragraph of a Word file. */
export function paragraph(text: string, style = '', isBold = false): string {
  return (
    `<w:p>${style === '' ? '' : `<w:pPr><w:pStyle w:val="${style}"/></w:pPr>`}<w:r>` +
    `${isBold ? '<w:rPr><w:b/></w:rPr>' : ''}<w:t>${text}</w:t></w:r></w:p>`
  )
}

/** A table of a Word file, whose first row is bold. */
export function wordTable(rows: readonly (readonly string[])[]): string {
  const cells = (texts: readonly string[], isBold: boolean): string =>
    texts.map((text) => `<w:tc>${paragraph(text, '', isBold)}</w:tc>`).join('')
  return `<w:tbl>${rows.map((texts, index) => `<w:tr>${cells(texts, index === 0)}</w:tr>`).join('')}</w:tbl>`
}

/** A sheet: its rows, and what stands before and after them, as written (ECMA-376 part 1, 18.3). */
export interface SheetParts {
  readonly name: string
  readonly rows: string
  readonly before?: string
  readonly after?: string
  readonly state?: 'hidden' | 'veryHidden'
}

/** A workbook. Style 1 is a day, 2 a day with its time; shared strings are `strings`. */
export function makeXlsx(
  sheets: readonly SheetParts[],
  {
    core = '',
    strings = [],
    is1904 = false,
  }: { core?: string; strings?: readonly string[]; is1904?: boolean } = {},
): Promise<Uint8Array> {
  const relations = sheets
    .map(
      (_, index) =>
        `<Relationship Id="s${index}" Type="${OFFICE}/worksheet" Target="worksheets/sheet${index}.xml"/>`,
    )
    .join('')
  const named = sheets
    .map(
      ({ name, state }, index) =>
        `<sheet name="${name}" sheetId="${index + 1}" r:id="s${index}"` +
        `${state === undefined ? '' : ` state="${state}"`}/>`,
    )
    .join('')
  const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml'
  return makeArchive({
    ...packageOf(
      'xl/workbook.xml',
      `${type}.sheet.main+xml`,
      {
        'xl/styles.xml': [
          `${type}.styles+xml`,
          `<styleSheet xmlns="${SHEET}"><fonts count="1"><font/></fonts><fills count="1">` +
            '<fill/></fills><borders count="1"><border/></borders><cellStyleXfs count="1">' +
            '<xf/></cellStyleXfs><cellXfs count="3"><xf numFmtId="0"/>' +
            '<xf numFmtId="14" applyNumberFormat="1"/>' +
            '<xf numFmtId="22" applyNumberFormat="1"/></cellXfs></styleSheet>',
        ],
        'xl/sharedStrings.xml': [
          `${type}.sharedStrings+xml`,
          `<sst xmlns="${SHEET}">${strings.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
        ],
        ...Object.fromEntries(
          sheets.map(({ rows, before = '', after = '' }, index) => [
            `xl/worksheets/sheet${index}.xml`,
            [
              `${type}.worksheet+xml`,
              `<worksheet xmlns="${SHEET}">${before}<sheetData>${rows}</sheetData>${after}</worksheet>`,
            ] as const,
          ]),
        ),
      },
      core,
    ),
    'xl/_rels/workbook.xml.rels':
      `<Relationships xmlns="${RELATIONS}">${relations}<Relationship Id="y" Type="${OFFICE}` +
      `/styles" Target="styles.xml"/><Relationship Id="t" Type="${OFFICE}/sharedStrings" ` +
      'Target="sharedStrings.xml"/></Relationships>',
    'xl/workbook.xml':
      `<workbook xmlns="${SHEET}" xmlns:r="${OFFICE}"><workbookPr` +
      `${is1904 ? ' date1904="1"' : ''}/><sheets>${named}</sheets></workbook>`,
  })
}

/** A cell of a sheet with a text. */
export function textCell(ref: string, text: string): string {
  return `<c r="${ref}" t="inlineStr"><is><t>${text}</t></is></c>`
}

/** Rows of texts and numbers, from a row's number on. */
export function sheetRows(rows: readonly (readonly (string | number)[])[], first = 1): string {
  return rows
    .map((cells, row) => {
      const values = cells.map((cell, index) => {
        const ref = `${String.fromCharCode(65 + index)}${first + row}`
        return typeof cell === 'number' ? `<c r="${ref}"><v>${cell}</v></c>` : textCell(ref, cell)
      })
      return `<row r="${first + row}">${values.join('')}</row>`
    })
    .join('')
}
