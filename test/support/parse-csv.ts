/** Reads RFC 4180, strictly: every line ends with CRLF, quotes are where they belong. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (let at = 0; at < text.length;) {
    let cell = ''
    if (text[at] === '"') {
      for (at++; ; at++) {
        if (at >= text.length) throw new Error('unclosed quote')
        if (text[at] !== '"') cell += text[at]
        else if (text[at + 1] === '"') cell += text[at++]
        else break
      }
      at++
    } else {
      while (at < text.length && !',\r\n"'.includes(text[at] ?? '')) cell += text[at++]
      if (text[at] === '"') throw new Error('quote inside a bare cell')
    }
    row.push(cell)
    if (text[at] === ',') at++
    else if (text.startsWith('\r\n', at)) {
      rows.push(row)
      row = []
      at += 2
    } else throw new Error(`no end of cell at ${at}`)
  }
  if (row.length > 0) throw new Error('the last line has no end')
  return rows
}
