import { isObject } from '../../kernel/json.ts'
import type { ToolName } from './tool-schema.ts'

type Data = { readonly [name: string]: unknown }

/** A table of longer cells is hard to read: each row becomes a list. */
const MOST_IN_CELL = 80
const MOST_COLUMNS = 8

/**
 * The result of a tool as Markdown, which costs a model fewer tokens than JSON and has unescaped
 * line breaks. `null`: the text is the result's JSON, because connectors parse that of `search`.
 * The notice comes after all lines of the service itself, because a page could imitate lines after
 * its own text.
 */
export function resultText(tool: ToolName, result: object): string | null {
  const data: Data = { ...result }
  switch (tool) {
    case 'search':
      return null
    case 'fetch':
      return pageText(data)
    case 'search_templates':
      return templatesText(data)
    case 'run_template':
      return isObject(data['run']) ? runText(data['run']) : 'The parameters are valid.'
    case 'crawl':
    case 'get_run':
      return runText(data)
  }
}

function pageText({ id, title, url, text, metadata, notice }: Data): string {
  const facts = isObject(metadata) ? metadata : {}
  const { author, date, part, parts, nextId, hint } = facts
  const about = [title, author, date].filter((fact) => typeof fact === 'string' && fact !== '')
  const rest =
    typeof nextId === 'string'
      ? `[Part ${shown(part)} of ${shown(parts)}: call fetch with id "${nextId}" for the next]`
      : null
  return paragraphs([
    `id: ${shown(id)}`,
    typeof hint === 'string' ? hint : null,
    rest,
    shown(notice),
    // The address comes from the site if it redirects.
    shown(url),
    about.map(shown).join(' · '),
    shown(text),
  ])
}

function templatesText({ templates, nextCursor }: Data): string {
  const parts = objectsIn(templates).map(
    ({ id, name, description, parameters, columns, creditsPerPage }) =>
      paragraphs([
        `## ${shown(id)}: ${shown(name)}`,
        `${shown(description)} Credits a page: ${shown(creditsPerPage)}.`,
        `Parameters (JSON Schema): ${shown(parameters)}`,
        columns === null
          ? null
          : `Columns: ${objectsIn(columns)
              .map(({ name: column, type }) => `${shown(column)} (${shown(type)})`)
              .join(', ')}`,
      ]),
  )
  return paragraphs([
    parts.length === 0 ? 'No template was found.' : null,
    ...parts,
    typeof nextCursor === 'string' ? `More templates: cursor "${nextCursor}"` : null,
  ])
}

function runText(run: Data): string {
  const { runId, status, reason, pages, credits, rowsFound, nextCursor, exportUrl, next } = run
  const { fetched, failed } = isObject(pages) ? pages : {}
  const columns = Array.isArray(run['columns']) ? run['columns'].map(shown) : []
  const rows = objectsIn(run['rows'])
  const failures = objectsIn(run['failedPages']).map(
    ({ url, code, message }) => `- ${shown(url)}: ${shown(message)} (${shown(code)})`,
  )
  return paragraphs([
    `Run ${shown(runId)}: ${shown(status)}. Pages: ${shown(fetched)} fetched, ` +
      `${shown(failed)} failed. Rows: ${shown(rowsFound)}. Credits: ${shown(credits)}.`,
    typeof nextCursor === 'string' ? `nextCursor: ${nextCursor}` : null,
    shown(next),
    `All rows as CSV: ${shown(exportUrl)}`,
    isObject(reason) || rows.length + failures.length > 0 ? shown(run['notice']) : null,
    // It may quote a page.
    isObject(reason) ? `Reason: ${shown(reason['message'])} (${shown(reason['code'])})` : null,
    failures.length > 0 ? `Failed pages:\n${failures.join('\n')}` : null,
    rows.length > 0 ? rowsText(columns, rows) : null,
  ])
}

/** Returns rows as a table, or as one list for each row if their cells are long. */
export function rowsText(columns: readonly string[], rows: readonly Data[]): string {
  const cells = rows.map((row) => columns.map((column) => shown(row[column])))
  const isTable =
    columns.length <= MOST_COLUMNS &&
    cells.every((row) => row.every((cell) => cell.length <= MOST_IN_CELL && !cell.includes('\n')))
  if (!isTable)
    return rows
      .map((row, index) => {
        const values = columns.flatMap((column) => {
          const value = row[column]
          if (value === null || value === undefined) return []
          const text = shown(value)
          return [text.includes('\n') ? `${column}:\n\n${text}\n` : `${column}: ${text}`]
        })
        return `## Row ${index + 1}\n${values.join('\n')}`
      })
      .join('\n\n')
  const line = (values: readonly string[]): string =>
    `| ${values.map((value) => value.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(columns), line(columns.map(() => '---')), ...cells.map(line)].join('\n')
}

/** A value in text: a text as it is, anything else as JSON, nothing for `null`. */
function shown(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function objectsIn(value: unknown): readonly Data[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

function paragraphs(parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join('\n\n')
}
