/** Pixels of an image. */
export interface ImageSize {
  readonly width: number
  readonly height: number
}

/** How far into a JPEG its size is looked for; profiles and thumbnails may come before it. */
const MAX_SEGMENTS = 200

/**
 * Reads width and height from the head of a PNG, GIF, WebP or JPEG; `null` for any other type, and
 * for a damaged head.
 */
export function imageSize(bytes: Uint8Array, contentType: string): ImageSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    const size = READERS[contentType]?.(view) ?? null
    return size !== null && size.width > 0 && size.height > 0 ? size : null
  } catch (error) {
    // The head ends before the size does.
    if (error instanceof RangeError) return null
    throw error
  }
}

const READERS: Readonly<Record<string, (view: DataView) => ImageSize | null>> = {
  'image/png': (view) => ({ width: view.getUint32(16), height: view.getUint32(20) }),
  'image/gif': (view) => ({ width: view.getUint16(6, true), height: view.getUint16(8, true) }),
  'image/webp': readWebp,
  'image/jpeg': readJpeg,
}

function readWebp(view: DataView): ImageSize | null {
  switch (view.getUint8(15)) {
    case 0x20: // "VP8 ": lossy
      return { width: view.getUint16(26, true) & 0x3fff, height: view.getUint16(28, true) & 0x3fff }
    case 0x4c: {
      // "VP8L": lossless
      const bits = view.getUint32(21, true)
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 }
    }
    case 0x58: // "VP8X": extended
      return {
        width: 1 + view.getUint16(24, true) + (view.getUint8(26) << 16),
        height: 1 + view.getUint16(27, true) + (view.getUint8(29) << 16),
      }
    default:
      return null
  }
}

/** Walks the segments to the first frame header (SOF0–SOF15 without DHT, JPG and DAC). */
function readJpeg(view: DataView): ImageSize | null {
  let at = 2
  for (let segment = 0; segment < MAX_SEGMENTS; segment++) {
    if (view.getUint8(at) !== 0xff) return null
    const marker = view.getUint8(at + 1)
    if (marker === 0xff) {
      at++
      continue
    }
    const isFrame =
      marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc
    if (isFrame) return { height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    if (marker === 0xda || marker === 0xd9) return null
    at += 2 + view.getUint16(at + 2)
  }
  return null
}
