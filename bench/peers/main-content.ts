/** The main content of a page by Readability and by Defuddle, each with linkedom's document. */
import { Readability } from '@mozilla/readability'
import { Defuddle } from 'defuddle/node'
import { parseHTML } from 'linkedom'

export function readability(html: string): string {
  const { document } = parseHTML(html)
  return new Readability(document).parse()?.textContent ?? ''
}

export async function defuddle(html: string, url: string): Promise<string> {
  const { document } = parseHTML(html)
  const { content } = await Defuddle(document, url)
  return content
}
