const rows = [{ title: 'Fountain pen', price: 24.5 }, { title: 'Ink, blue', price: null }]

/** What documentation shows of files, by format; of what is no text there is no example. */
export const FILE_EXAMPLES: Readonly<Record<string, string>> = {
  csv: 'title,price\r\nFountain pen,24.5\r\n"Ink, blue",\r\n',
  jsonl: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  json: JSON.stringify(rows),
}
