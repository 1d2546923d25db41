/**
 * How the JSON bodies of an operation look. Clients were promised other than the envelopes in a few
 * places (spec parts 2 and 7).
 */
export interface BodyStyle {
  /** `envelope`: `{ success, data }`; `bare`: the data alone. */
  readonly success: 'envelope' | 'bare'
  /** `envelope`: `{ success, error: { code, message } }`; `text`: `{ error: message }`. */
  readonly error: 'envelope' | 'text'
}

/** Nearly every operation. */
export const ENVELOPES: BodyStyle = { success: 'envelope', error: 'envelope' }

/** The media CDN: bytes, or `{ error }` (spec part 7). */
export const MEDIA_BODIES: BodyStyle = { success: 'bare', error: 'text' }
