import { sha256Hex } from '../../kernel/crypto.ts'
import type { Blobs } from '../../ports/blobs.ts'
import { eachPage, FEW } from '../../records/paginate.ts'
import { mediaBlob } from '../media/records.ts'
import type { MediaRecord } from '../media/records.ts'
import type { Records } from '../records.ts'
import type { Findings } from './findings.ts'

/**
 * Reads the bytes of each media item, and compares them with the digest that names it: a power cut
 * or a disk may have torn them.
 */
export async function verifyMedia(
  records: Records,
  blobs: Blobs,
  account: string,
  findings: Findings,
): Promise<void> {
  for await (const page of eachPage(records.media, account, [], FEW)) {
    findings.checked('holdings', page.length)
    for (const { value, version } of page) {
      const fault = await faultOf(blobs, value)
      const rest = findings.pace.step()
      if (rest) await rest
      // An item that was deleted meanwhile may have lost its bytes.
      if (fault === null || (await records.media.get(account, value.id))?.version !== version)
        continue
      await findings.addOne('holdings', account, value.id, fault)
    }
  }
}

async function faultOf(blobs: Blobs, item: MediaRecord): Promise<string | null> {
  const blob = mediaBlob(item)
  const bytes = await blobs.get(blob)
  if (bytes === null) return `blob ${blob} is gone, with its bytes`
  if (bytes.length !== item.bytes)
    return `blob ${blob} is damaged: it has ${bytes.length} of ${item.bytes} bytes`
  return (await sha256Hex(new Uint8Array(bytes))) === item.sha256
    ? null
    : `blob ${blob} is damaged: its bytes are not those of its digest`
}
