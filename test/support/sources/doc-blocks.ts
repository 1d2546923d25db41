import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from './sources.ts'

/** A fenced block of code in a page of the documentation. */
export interface DocBlock {
  /** The line of its opening fence, from 1. */
  readonly line: number
  /** The word after the fence, such as `ts` or `sh`. */
  readonly language: string
  /** The comment above it, without its brackets: a file, `output`, or why it is not run. */
  readonly marker: string
  readonly code: string
}

const FENCE = /^```(\S*)$/
const MARKER = /^<!-- (.+) -->$/
const FILE = /^(examples\/[^\s#]+)(?:#([\w-]+))?$/

/** The pages that users read: the README and what is in `docs`. */
export function docPages(): ReadonlyMap<string, string> {
  const inDocs = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name.replaceAll('\\', '/')}`)
  return new Map(
    ['README.md', ...inDocs.toSorted()].map((path) => [
      path,
      readFileSync(join(root, path), 'utf8'),
    ]),
  )
}

/** The blocks of a page, in order. */
export function blocksOf(page: string): DocBlock[] {
  const blocks: DocBlock[] = []
  withBlocks(page, (block) => {
    blocks.push(block)
    return block.code
  })
  return blocks
}

/** The page with the code of each block as `write` returns it. */
export function withBlocks(page: string, write: (block: DocBlock) => string): string {
  const lines = page.split('\n')
  const rewritten: string[] = []
  for (let line = 0; line < lines.length; line++) {
    const fence = lines[line] ?? ''
    rewritten.push(fence)
    const language = FENCE.exec(fence)?.[1]
    if (language === undefined) continue
    const end = lines.indexOf('```', line + 1)
    if (end < 0) throw new Error(`The block at line ${line + 1} has no end`)
    const above = lines[line - 1] === '' ? lines[line - 2] : lines[line - 1]
    const block = {
      line: line + 1,
      language,
      marker: MARKER.exec(above ?? '')?.[1] ?? '',
      code: lines.slice(line + 1, end).join('\n'),
    }
    rewritten.push(write(block), '```')
    line = end
  }
  return rewritten.join('\n')
}

/** The page with each block that is a file, or a region of one, as the file has it. */
export function withSnippets(page: string, read: (path: string) => string): string {
  return withBlocks(page, ({ marker, code }) => {
    const [, path, region] = FILE.exec(marker) ?? []
    return path === undefined ? code : snippetOf(read(path), region)
  })
}

/** The file that a block shows, in whole or in part. */
export function fileOf({ marker }: DocBlock): string | undefined {
  return FILE.exec(marker)?.[1]
}

/** The files that blocks of a page show. */
export function snippetFiles(page: string): string[] {
  return blocksOf(page).flatMap((block) => fileOf(block) ?? [])
}

function snippetOf(text: string, region: string | undefined): string {
  if (region === undefined)
    return text
      .split('\n')
      .filter((line) => !/^\s*\/\/#(end)?region/.test(line))
      .join('\n')
      .trimEnd()
  const lines = text.split('\n')
  const begin = lines.findIndex((line) => line.trim() === `//#region ${region}`)
  const end = lines.findIndex((line, index) => index > begin && line.trim() === '//#endregion')
  if (begin < 0 || end < 0) throw new Error(`The file has no region ${region}`)
  return lines.slice(begin + 1, end).join('\n')
}
