/** Reads RFC 4180, strictly: every line ends with CRLF, quotes are where they belong. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (let position = 0; position < text.length;) {
    let cell = ''
    if (text[position] === '"') {
      for (position++; ; position++) {
        if (position >= text.length) throw new Error('unclosed quote')
        if (text[position] !== '"') cell += text[position]
        else if (text[position + 1] === '"') cell += text[position++]
        else break
      }
      position++
    } else {
      while (position < text.length && !',\r\n"'.includes(text[position] ?? ''))
        cell += text[position++]
      if (text[position] === '"') throw new Error('quote inside a bare cell')
    }
    row.push(cell)
    if (text[position] === ',') position++
    else if (text.startsWith('\r\n', position)) {
      rows.push(row)
      row = []
      position += 2
    } else throw new Error(`no end of cell at ${position}`)
  }
  if (row.length > 0) throw new Error('the last line has no end')
  return rows
}
