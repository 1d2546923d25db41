import { readFile, writeFile } from 'node:fs/promises'
import { arch, availableParallelism, loadavg, platform, totalmem } from 'node:os'

/** A Markdown table; every column but the first is aligned right. */
export function markdownTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [
    line(header),
    line(header.map((_, column) => (column === 0 ? '---' : '---:'))),
    ...rows.map(line),
  ].join('\n')
}

/** A figure with three significant digits or as a whole number; a dash for none. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–'
  return value >= 100
    ? Math.round(value).toLocaleString('en-US')
    : value.toPrecision(value < 1 ? 2 : 3)
}

/**
 * The machine as far as it explains figures. `load` is the mean of the last minute, taken when this
 * is called.
 */
export function machine() {
  return {
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    platform: `${platform()}-${arch()}`,
    node: process.versions.node,
    load: Number((loadavg()[0] ?? NaN).toFixed(1)),
  }
}

/**
 * Replaces what stands between `<!-- name:start -->` and `<!-- name:end -->` of the README beside
 * this file.
 *
 * @throws {Error} if the markers are not there.
 */
export async function writeSection(name: string, content: string): Promise<void> {
  const readme = new URL('./README.md', import.meta.url)
  const text = await readFile(readme, 'utf8')
  const start = `<!-- ${name}:start -->`
  const end = `<!-- ${name}:end -->`
  const from = text.indexOf(start)
  const to = text.indexOf(end)
  if (from < 0 || to < from) throw new Error(`bench/README.md has no section ${name}`)
  await writeFile(
    readme,
    `${text.slice(0, from + start.length)}\n\n${content}\n\n${text.slice(to)}`,
  )
}

/** How this process was called, without the options that only say where its results go. */
export function commandLine(script: string): string {
  const args = process.argv
    .slice(2)
    .filter((arg, index, all) => !/^--(write|json)\b/.test(arg) && all[index - 1] !== '--json')
  return ['node', script, ...args].join(' ')
}

/** The line above a table that tells where its figures come from. */
export function provenance(
  command: string,
  { cores, memoryGiB, platform: system, node, load }: ReturnType<typeof machine>,
): string {
  return (
    `\`${command}\` on ${new Date().toISOString().slice(0, 10)}: ${cores} cores, ${memoryGiB}` +
    ` GiB, ${system}, Node ${node}, load ${load} at the start.`
  )
}
