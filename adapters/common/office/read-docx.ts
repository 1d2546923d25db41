import JSZip from 'jszip'
import mammoth from 'mammoth'
import type { DocumentHtml } from '../../../src/ports/document-reader.ts'
import type { WorkBudget } from '../../../src/ports/page-limits.ts'
import { unpack } from './unpack.ts'
import { withHeadings } from './word-headings.ts'

/** Styles that are missing in mammoth's own map. */
const STYLES = ["p[style-name='Title'] => h1:fresh", "p[style-name='Subtitle'] => p:fresh"]
/** Maximum number of bytes of a file's properties that are read. */
const LONGEST_FACTS = 20_000
/** mammoth makes one tree of the tags, and another of the paragraphs and runs. */
const COSTS = { tagSteps: 16, tagBytes: 8 }

/**
 * Converts a Word file to a web page: headings, paragraphs, lists, tables, links and notes. Of
 * pictures only the alternative text is kept. The properties of the file are in the page's `head`
 * (ECMA-376 part 2, core properties).
 *
 * @throws {PageTooCostly} if the budget is used up, because a file cannot be converted in part
 * @throws {Error} if the file is not a Word file, or is damaged
 */
export async function readDocx(
  body: Uint8Array,
  openBudget: () => WorkBudget,
): Promise<DocumentHtml> {
  const budget = openBudget()
  const bytes = await unpack(body, budget, COSTS)
  const fact = await factsOf(bytes)
  const { value } = await mammoth.convertToHtml(
    { arrayBuffer: bytes.buffer, buffer: Buffer.from(bytes.buffer) },
    {
      styleMap: STYLES,
      transformDocument: (document: unknown) => withHeadings(document),
      // A file must not choose how it is read, or name other files.
      includeEmbeddedStyleMap: false,
      externalFileAccess: false,
      convertImage: mammoth.images.imgElement(async () => ({ src: '' })),
    },
  )
  budget.work(value.length)
  budget.make(value.length)
  const language = fact('dc:language')
  const created = fact('dcterms:created')
  const head = [
    `<title>${fact('dc:title')}</title>`,
    metaOf('author', fact('dc:creator')),
    metaOf('description', fact('dc:description')),
    created === '' ? '' : `<meta property="article:published_time" content="${created}">`,
  ].join('')
  const html = language === '' ? '<html>' : `<html lang="${language}">`
  return {
    html: `<!doctype html>${html}<head>${head}</head><body><article>${value}</article></body></html>`,
    spent: budget.handOver(),
  }
}

/**
 * Returns a function that reads a property, escaped for HTML. The result is empty if the file does
 * not have it.
 */
async function factsOf(bytes: Uint8Array): Promise<(name: string) => string> {
  const zip = await JSZip.loadAsync(bytes)
  const xml = ((await zip.file('docProps/core.xml')?.async('string')) ?? '').slice(0, LONGEST_FACTS)
  return (name) => {
    const start = xml.indexOf(`<${name}`)
    const from = start === -1 ? -1 : xml.indexOf('>', start)
    if (from === -1 || xml[from - 1] === '/') return ''
    const end = xml.indexOf('<', from)
    // Entities of XML are entities of HTML too.
    return end === -1
      ? ''
      : xml
          .slice(from + 1, end)
          .trim()
          .replaceAll('"', '&quot;')
  }
}

function metaOf(name: string, content: string): string {
  return content === '' ? '' : `<meta name="${name}" content="${content}">`
}
