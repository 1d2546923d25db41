/** Numbers of objects, and where they begin, at the start of an object stream. */
const HEADER = /^[\0\t\n\f\r \d]*/
const INTEGER = /\d{1,9}/g

/** An unpacked part with objects, which may list others. */
export interface PdfText {
  readonly text: string
  /** The number of its objects and the position of the first, if they are certain. */
  readonly objects: ObjectsOfStream | 'unclear'
}

/** The number of objects in an object stream, and the position of the first. */
export interface ObjectsOfStream {
  readonly count: number
  readonly first: number
}

/** The positions at which the objects of a text begin, in order; `null` if they are not certain. */
export function objectStarts({ text, objects }: PdfText): readonly number[] | null {
  if (objects === 'unclear') return null
  const { count, first } = objects
  const [header = ''] = HEADER.exec(text) ?? []
  const numbers = [...header.matchAll(INTEGER)].map(Number).slice(0, 2 * count)
  if (numbers.length < 2 * count) return null
  return numbers
    .flatMap((number, index) => (index % 2 === 1 ? [first + number] : []))
    .toSorted((left, right) => left - right)
}
