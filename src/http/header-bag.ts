/**
 * Response headers that the steps of a request gather; a plain object, as that is the cheapest
 * thing a `Response` takes.
 */
export type HeaderBag = Record<string, string>
