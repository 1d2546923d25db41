/** A value of YAML. */
export type Yaml = string | readonly Yaml[] | { readonly [name: string]: Yaml }

interface Line {
  readonly indent: number
  readonly text: string
}

/**
 * Reads the part of YAML that the files of `examples/deploy` and `.github` have: block maps and
 * lists, lists in brackets, texts with and without quotes, `{}`, and `|` for several lines.
 *
 * @throws {Error} for what it does not know
 */
export function readYaml(source: string): Yaml {
  const lines = source
    .split('\n')
    .map((line) => line.replace(/^(\s*)#.*$/, '$1').replace(/\s+#\s.*$/, ''))
    .filter((line) => line.trim() !== '')
    .map((line) => ({ indent: line.length - line.trimStart().length, text: line.trim() }))
  const [value, rest] = block(lines)
  if (rest.length > 0) throw new Error(`YAML: ${rest[0]?.text} is at the wrong place`)
  return value
}

/** The value that begins with the first line, and the lines after it. */
function block(lines: readonly Line[]): [Yaml, readonly Line[]] {
  const [first] = lines
  if (!first) return ['', []]
  return first.text.startsWith('- ') ? list(lines, first.indent) : map(lines, first.indent)
}

function list(lines: readonly Line[], indent: number): [Yaml, readonly Line[]] {
  const items: Yaml[] = []
  let rest = lines
  for (let line = rest[0]; line?.indent === indent && line.text.startsWith('- '); line = rest[0]) {
    const text = line.text.slice(2).trim()
    if (/^[\w-]+:(?: |$)/.test(text)) {
      // A map whose first key is beside the dash.
      const [item, after] = map([{ indent: indent + 2, text }, ...rest.slice(1)], indent + 2)
      items.push(item)
      rest = after
    } else {
      items.push(scalar(text))
      rest = rest.slice(1)
    }
  }
  return [items, rest]
}

function map(lines: readonly Line[], indent: number): [Yaml, readonly Line[]] {
  const entries: Record<string, Yaml> = {}
  let rest = lines
  for (let line = rest[0]; line?.indent === indent; line = rest[0]) {
    const [, name, text = ''] = /^"?([\w.${}-]+)"?:(?: (.*))?$/.exec(line.text) ?? []
    if (name === undefined) throw new Error(`YAML: what is ${line.text}?`)
    rest = rest.slice(1)
    const [next] = rest
    if (text === '|') {
      const end = rest.findIndex((inner) => inner.indent <= indent)
      const inner = end === -1 ? rest : rest.slice(0, end)
      entries[name] = inner.map((each) => each.text).join('\n')
      rest = rest.slice(inner.length)
    } else if (text !== '') entries[name] = scalar(text)
    else if (
      next &&
      (next.indent > indent || (next.indent === indent && next.text.startsWith('- ')))
    ) {
      const [value, after] = block(rest)
      entries[name] = value
      rest = after
    } else entries[name] = ''
  }
  return [entries, rest]
}

function scalar(text: string): Yaml {
  if (text === '{}') return {}
  if (text.startsWith('[') && text.endsWith(']'))
    return text
      .slice(1, -1)
      .split(/,\s*/)
      .map((item) => scalar(item.trim()))
  return /^(["'])(.*)\1$/.exec(text)?.[2] ?? text
}
