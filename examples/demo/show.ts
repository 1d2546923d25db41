import type { Execution } from 'seine/client'

const BAR = 30

/**
 * Shows how far an execution is: a bar that redraws itself on a terminal, a line every twenty pages
 * elsewhere, and the last one at the end.
 */
export function createProgress(stream: NodeJS.WriteStream): {
  update(execution: Execution): void
  end(): void
} {
  let lines = -1
  let last = ''
  let text = ''
  const writeLine = (): void => {
    if (text !== last) stream.write(`${text}\n`)
    last = text
  }
  return {
    update({ counters: { visited, pending, rows } }) {
      text = `${visited} of ${visited + pending} pages, ${rows} rows`
      if (stream.isTTY) {
        const filled = Math.round((visited / Math.max(1, visited + pending)) * BAR)
        stream.write(`\r\x1b[2K${'█'.repeat(filled)}${'░'.repeat(BAR - filled)} ${text}`)
      } else if (Math.floor(visited / 20) > lines) {
        lines = Math.floor(visited / 20)
        writeLine()
      }
    },
    end: () => void (stream.isTTY ? stream.write('\n') : writeLine()),
  }
}

/** Rows as an aligned table, at most `width` columns wide. */
export function table(
  rows: readonly Readonly<Record<string, unknown>>[],
  columns: readonly string[],
  width: number,
): string {
  const cells = [columns, ...rows.map((row) => columns.map((column) => String(row[column] ?? '')))]
  const widths = columns.map((_, i) =>
    Math.min(34, Math.max(...cells.map((line) => line[i]?.length ?? 0))),
  )
  const line = (texts: readonly string[]) =>
    texts
      .map((text, i) => cut(text, widths[i] ?? 0).padEnd(widths[i] ?? 0))
      .join('  ')
      .trimEnd()
  return [
    line(columns),
    widths.map((size) => '─'.repeat(size)).join('  '),
    ...cells.slice(1).map(line),
  ]
    .map((text) => `${cut(text, width)}\n`)
    .join('')
}

function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text
}
