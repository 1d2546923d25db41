import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { readXml } from '../support/strict-xml.ts'
import type { XmlElement } from '../support/strict-xml.ts'

const PATH = process.env['SOFFICE'] ?? '/usr/bin/soffice'
const run = promisify(execFile)

/** A cell as LibreOffice keeps it. */
export interface OfficeCell {
  readonly type: string
  readonly formula: string | null
  /** The number, the date in ISO 8601, or the text. */
  readonly value: string
  /** The text that is shown. */
  readonly shown: string
}

/** LibreOffice without a window, with a profile that is thrown away. */
export class LibreOffice implements AsyncDisposable {
  readonly #folder: string

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async open(): Promise<LibreOffice> {
    if (!existsSync(PATH))
      throw new Error(
        `There is no ${PATH}: install Debian's package libreoffice-calc, or set SOFFICE`,
      )
    return new LibreOffice(await mkdtemp(join(tmpdir(), 'seine-office-')))
  }

  /** Converts a file to another kind; `input` and `output` are filters, for kinds that need options. */
  async convert(
    bytes: Uint8Array,
    from: string,
    to: string,
    { input, output }: { input?: string; output?: string } = {},
  ): Promise<Buffer> {
    const source = join(this.#folder, `file.${from}`)
    await writeFile(source, bytes)
    const target = join(this.#folder, 'out')
    await rm(target, { recursive: true, force: true })
    await run(
      PATH,
      [
        `-env:UserInstallation=${pathToFileURL(join(this.#folder, 'profile'))}`,
        '--headless',
        '--norestore',
        ...(input === undefined ? [] : [`--infilter=${input}`]),
        '--convert-to',
        output === undefined ? to : `${to}:${output}`,
        '--outdir',
        target,
        source,
      ],
      { timeout: 200_000 },
    )
    return readFile(join(target, `file.${to}`))
  }

  /** The cells of each sheet. */
  async sheets(bytes: Uint8Array, from: string, input?: string): Promise<OfficeCell[][][]> {
    const document = readXml(
      (await this.convert(bytes, from, 'fods', input === undefined ? {} : { input })).toString(),
    )
    return findAll(document, 'table:table').map((table) =>
      findAll(table, 'table:table-row')
        .map(cellsOf)
        .filter((row) => row.length > 0),
    )
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true })
  }
}

function cellsOf(row: XmlElement): OfficeCell[] {
  const cells = row.children.flatMap((cell) =>
    Array.from(
      { length: Math.min(100, Number(cell.attributes['table:number-columns-repeated'] ?? 1)) },
      () => cellOf(cell),
    ),
  )
  while (cells.at(-1)?.type === 'none') cells.pop()
  return cells
}

function cellOf({ attributes, children }: XmlElement): OfficeCell {
  const shown = children
    .filter(({ name }) => name === 'text:p')
    .map(textOf)
    .join('\n')
  return {
    type: attributes['office:value-type'] ?? 'none',
    formula: attributes['table:formula'] ?? null,
    value: attributes['office:value'] ?? attributes['office:date-value'] ?? shown,
    shown,
  }
}

/** The text of a paragraph, in which elements stand for spaces and tabs that XML would lose. */
function textOf({ parts }: XmlElement): string {
  return parts
    .map((part) => {
      if (typeof part === 'string') return part
      if (part.name === 'text:s') return ' '.repeat(Number(part.attributes['text:c'] ?? 1))
      return part.name === 'text:tab' ? '\t' : part.name === 'text:line-break' ? '\n' : textOf(part)
    })
    .join('')
}

function findAll(element: XmlElement, name: string): XmlElement[] {
  return element.children.flatMap((child) => (child.name === name ? [child] : findAll(child, name)))
}
