import type { Row } from '../../../kernel/json.ts'

/** First rows that each template gave on its fixture. Written by `npm run templates`. */
export const SAMPLES: Readonly<Record<string, readonly Row[]>> = {}
