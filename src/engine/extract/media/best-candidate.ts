const MAX_LENGTH = 100_000
const MAX_CANDIDATES = 100
const DESCRIPTOR = /(?:^|\s)(\d+(?:\.\d+)?)([wx])(?:\s|$)/

/**
 * The URL of the largest image that a `srcset` offers: the widest, else the densest, of equals the
 * first (HTML Standard, image candidate strings). `null` if it names none.
 */
export function bestCandidate(srcset: string): string | null {
  let best: { readonly url: string; readonly size: number } | null = null
  let at = 0
  for (let read = 0; read < MAX_CANDIDATES && srcset.length <= MAX_LENGTH; read++) {
    while (at < srcset.length && /[\s,]/.test(srcset.charAt(at))) at++
    if (at === srcset.length) break
    const start = at
    while (at < srcset.length && !/\s/.test(srcset.charAt(at))) at++
    const written = srcset.slice(start, at)
    const url = written.replace(/(?<!,),+$/, '')
    const end = url.length < written.length ? at : endOfDescriptors(srcset, at)
    const size = sizeOf(srcset.slice(at, end))
    at = end
    if (best === null || size > best.size) best = { url, size }
  }
  return best?.url ?? null
}

/** A comma inside of parentheses is part of a descriptor. */
function endOfDescriptors(srcset: string, from: number): number {
  let depth = 0
  for (let at = from; at < srcset.length; at++) {
    const char = srcset.charAt(at)
    if (char === '(') depth++
    else if (char === ')') depth = Math.max(0, depth - 1)
    else if (char === ',' && depth === 0) return at
  }
  return srcset.length
}

/**
 * Widths and densities do not stand in one `srcset`; where they do, a width is the larger number
 * anyhow.
 */
function sizeOf(descriptors: string): number {
  return Number(DESCRIPTOR.exec(descriptors)?.[1] ?? 1)
}
