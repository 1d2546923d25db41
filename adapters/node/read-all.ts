import type { IncomingMessage } from 'node:http'

/**
 * Reads the whole body; `null` once it exceeds `maxBytes`. The caller must then drain the rest.
 *
 * @throws the error that cut the body off
 */
export function readAll(req: IncomingMessage, maxBytes: number): Promise<Uint8Array | null> {
  return new Promise((resolve, reject) => {
    const chunks: Uint8Array[] = []
    let length = 0
    const leave = (): void =>
      void req.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
    const onData = (chunk: Uint8Array): void => {
      length += chunk.length
      if (length <= maxBytes) return void chunks.push(chunk)
      leave()
      req.pause()
      resolve(null)
    }
    const onEnd = (): void => {
      leave()
      resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, length))
    }
    const onError = (error: Error): void => {
      leave()
      reject(error)
    }
    const onClose = (): void =>
      onError(new Error('The client disconnected before its request was complete'))
    req.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
  })
}
