import type { Download } from '../../../client.ts'

/** Saves a file of the API where the browser keeps downloads. `onBytes`: how much is there. */
export async function save(
  { name, contentType, body }: Download,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<void> {
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  const reader = body.getReader()
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    chunks.push(read.value)
    bytes += read.value.length
    onBytes(bytes)
  }
  const url = URL.createObjectURL(new Blob(chunks, { type: contentType }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}
