import { createMediaLinks } from '../../../src/features/media/links.ts'
import { imageSize, sniffType } from '../../../src/engine/media/sniff.ts'
import { sha256Hex } from '../../../src/kernel/crypto.ts'
import { Change } from '../../../src/records/change.ts'
import { SYSTEM } from '../../../src/records/collection.ts'
import { mediaId } from '../../../src/engine/media/link-media.ts'
import { mediaBlob } from '../../../src/features/media/records.ts'
import { platformSecret } from '../../../src/records/platform-secret.ts'
import type { Records } from '../../../src/features/records.ts'
import type { Blobs } from '../../../src/ports/blobs.ts'
import type { Clock } from '../../../src/ports/clock.ts'

/** Writes a media item of an account, like the worker; returns its id. */
export async function addMedia(
  {
    records,
    blobs,
    clock,
  }: { readonly records: Records; readonly blobs: Blobs; readonly clock: Clock },
  account: string,
  {
    bytes,
    declared = '',
    sourceUrl,
  }: {
    readonly bytes: Uint8Array<ArrayBuffer>
    readonly declared?: string
    readonly sourceUrl: string
  },
): Promise<string> {
  const links = createMediaLinks({
    secret: () => platformSecret(records, () => new Uint8Array(32).fill(5), 'media'),
    clock,
  })
  const [owner, sha256] = await Promise.all([links.ownerOf(account), sha256Hex(bytes)])
  const contentType = sniffType(bytes, declared)
  const size = imageSize(bytes, contentType)
  await blobs.put(mediaBlob({ owner, sha256 }), bytes)
  const change = new Change()
  records.media.put(change, account, {
    id: mediaId(sha256),
    kind: contentType.startsWith('image/') ? 'image' : 'file',
    sha256,
    owner,
    contentType,
    bytes: bytes.length,
    width: size?.width ?? null,
    height: size?.height ?? null,
    sourceUrl,
    firstSeenAt: clock.now(),
  })
  records.mediaTimes.put(change, account, { firstSeenAt: clock.now(), id: mediaId(sha256) })
  records.mediaOwners.put(change, SYSTEM, { owner, account })
  await records.commit(change)
  return mediaId(sha256)
}
