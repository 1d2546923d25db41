import { hash } from 'node:crypto'

/** SHA-256 of a text's UTF-8 bytes, in lower-case hex, by the runtime's own code on this thread. */
export function shortDigest(text: string): string {
  return hash('sha256', text)
}
