import type { Element } from 'domhandler'
import type { Matcher, Matching } from './matching.ts'
import { previousElement } from './siblings.ts'

const FORMULA = /^\s*(?:([+-]?\d{0,6})n(?:\s*([+-])\s*(\d{1,6}))?|([+-]?\d{1,6}))\s*$/i

/** Compiles `odd`, `even`, `3`, `2n + 1`; `null` for anything else, such as `2n of .x`. */
export function nthChildMatcher(formula: string): Matcher | null {
  const text = formula.trim().toLowerCase()
  const parsed = FORMULA.exec(text === 'odd' ? '2n+1' : text === 'even' ? '2n' : text)
  if (parsed === null) return null
  const [, factor, sign, offset, plain] = parsed
  if (plain !== undefined) {
    const wanted = Number(plain)
    return (element, matching) => positionOf(element, matching) === wanted
  }
  const a = factor === '' || factor === '+' ? 1 : factor === '-' ? -1 : Number(factor)
  const b = offset === undefined ? 0 : Number(offset) * (sign === '-' ? -1 : 1)
  return (element, matching) => {
    const distance = positionOf(element, matching) - b
    return a === 0 ? distance === 0 : distance % a === 0 && distance / a >= 0
  }
}

// Elements come in document order, so the position of the sibling asked before is mostly the one
// just before.
function positionOf(element: Element, matching: Matching): number {
  const { parent } = element
  const known = parent === null ? undefined : matching.positions.get(parent)
  let steps = 1
  let position = 1
  for (let node: Element | null = element; node !== null; steps++) {
    if (known !== undefined && node === known.element) {
      position = known.position + steps - 1
      break
    }
    node = previousElement(node)
    position = steps
  }
  matching.budget.work(steps)
  if (parent !== null) matching.positions.set(parent, { element, position })
  return position
}
