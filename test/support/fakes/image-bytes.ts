/** The head of a PNG of that size, with `seed` after it to tell files apart. */
export function pngOf(width: number, height: number, seed = 0): Uint8Array<ArrayBuffer> {
  const bytes = Uint8Array.of(
    0x89,
    0x50,
    0x4e,
    0x47,
    0x0d,
    0x0a,
    0x1a,
    0x0a,
    0,
    0,
    0,
    13,
    0x49,
    0x48,
    0x44,
    0x52,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    0,
    8,
    6,
    0,
    0,
    0,
    seed,
  )
  const view = new DataView(bytes.buffer)
  view.setUint32(16, width)
  view.setUint32(20, height)
  return bytes
}

/** The head of a GIF of that size. */
export function gifOf(width: number, height: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.of(
    0x47,
    0x49,
    0x46,
    0x38,
    0x39,
    0x61,
    width & 255,
    width >> 8,
    height & 255,
    height >> 8,
    0,
    0,
    0,
  )
}

/** A JPEG up to its frame header, which stands after another segment. */
export function jpegOf(width: number, height: number): Uint8Array<ArrayBuffer> {
  return Uint8Array.of(
    0xff,
    0xd8,
    0xff,
    0xe0,
    0,
    6,
    1,
    2,
    3,
    4,
    0xff,
    0xff,
    0xc2,
    0,
    11,
    8,
    height >> 8,
    height & 255,
    width >> 8,
    width & 255,
    1,
  )
}

/** The head of a WebP of that size, in one of its three kinds. */
export function webpOf(
  kind: 'VP8 ' | 'VP8L' | 'VP8X',
  width: number,
  height: number,
): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(32)
  for (const [offset, text] of [
    [0, 'RIFF'],
    [8, 'WEBP'],
    [12, kind],
  ] as const)
    bytes.set(new TextEncoder().encode(text), offset)
  const view = new DataView(bytes.buffer)
  if (kind === 'VP8 ') {
    view.setUint16(26, width, true)
    view.setUint16(28, height, true)
  } else if (kind === 'VP8L') view.setUint32(21, (width - 1) | ((height - 1) << 14), true)
  else {
    view.setUint16(24, width - 1, true)
    view.setUint16(27, height - 1, true)
  }
  return bytes
}
