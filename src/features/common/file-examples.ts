const rows = [
  { title: 'Fountain pen', price: 24.5 },
  { title: 'Ink, blue', price: null },
]

/** What documentation shows of files, by format; of what is no text there is no example. */
export const FILE_EXAMPLES: Readonly<Record<string, string>> = {
  csv: 'title,price\r\nFountain pen,24.5\r\n"Ink, blue",\r\n',
  jsonl: rows.map((row) => `${JSON.stringify(row)}\n`).join(''),
  json: JSON.stringify(rows),
  xml: '<?xml version="1.0" encoding="UTF-8"?>\n<rows xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n<row><title>Fountain pen</title><price>24.5</price></row>\n<row><title>Ink, blue</title><price xsi:nil="true"/></row>\n</rows>\n',
  html: '<table><thead><tr><th scope="col">title</th><th class="n" scope="col">price</th></tr></thead><tbody><tr><td>Fountain pen</td><td class="n">24.5</td></tr></tbody></table>',
}
