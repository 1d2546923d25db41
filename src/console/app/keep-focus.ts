const FOCUSABLE = 'a[href], button, input, select, textarea, summary, [tabindex="0"]'

/** An element on the way from the focused element up to the root, with its position in its parent. */
type Step = readonly [element: Element, index: number]

/**
 * Keeps the focus where the reader works. Without it the keyboard would start at the top of the
 * page. A button that is disabled while it works gets it back afterwards. If an element disappears,
 * the focus goes to the element at its place, or the next one, else to the heading of that part or
 * of another screen. A button gets it only from a button of its kind, so that the next Enter does
 * not start, pay or remove something else.
 */
export function keepFocus(root: Element): void {
  let way: readonly Step[] = []
  let isDue = false
  root.addEventListener('focusin', ({ target }) => {
    // A grid has its own rules, because its cells come and go while it scrolls.
    const isKept = target instanceof Element && !target.closest('[role=grid]')
    way = isKept ? wayOf(target, root) : []
  })
  root.addEventListener('pointerdown', ({ target }) => {
    // A reader who clicks beside all elements does not want the focus back.
    if (isLost() || !document.activeElement?.contains(target instanceof Node ? target : null))
      way = []
  })
  const options = {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['disabled'],
  }
  new MutationObserver(() => {
    if (isDue || way.length === 0) return
    isDue = true
    // A screen changes in several steps.
    requestAnimationFrame(() => {
      isDue = false
      // The reader may have scrolled on.
      if (isLost() && document.hasFocus()) successorOf(way)?.focus({ preventScroll: true })
    })
  }).observe(root, options)
}

function isLost(): boolean {
  const { activeElement } = document
  return activeElement === null || activeElement === document.body
}

function wayOf(element: Element, root: Element): Step[] {
  const way: Step[] = []
  for (let step = element; step !== root && step.parentElement; step = step.parentElement)
    way.push([step, [...step.parentElement.children].indexOf(step)])
  return way
}

/** The element that gets the focus now. `null`: none yet. */
function successorOf(way: readonly Step[]): HTMLElement | null {
  for (const [depth, [element]] of way.entries()) {
    if (!element.isConnected) continue
    if (element.id === 'main') break
    if (depth === 0) return element instanceof HTMLElement && isOpen(element) ? element : null
    // Further up, the child on the way has already been searched.
    const isLowest = way[depth - 1]?.[0].isConnected === false
    const index = (way[depth - 1]?.[1] ?? 0) + (isLowest ? 0 : 1)
    const same = isLowest ? sameIn(element, way.slice(0, depth)) : null
    const isNext = (next: HTMLElement) => isHarmless(next, way[0]?.[0])
    if (same !== null && isNext(same)) return isOpen(same) ? same : null
    const after = firstIn([...element.children].slice(index), isNext)
    if (after !== null) return after
    if (element.tagName === 'SECTION') return heading(element.querySelector('h2'))
  }
  return heading(document.querySelector('main h1'))
}

/** The element that is now at the place of a way. At the end of a list it is the last entry. */
function sameIn(ancestor: Element, way: readonly Step[]): HTMLElement | null {
  let same = ancestor
  for (const [element, index] of way.toReversed()) {
    const next = same.children[Math.min(index, same.children.length - 1)]
    if (next?.tagName !== element.tagName) return null
    same = next
  }
  return same instanceof HTMLElement && same.matches(FOCUSABLE) ? same : null
}

function firstIn(
  elements: readonly Element[],
  isNext: (element: HTMLElement) => boolean,
): HTMLElement | null {
  for (const element of elements)
    for (const inside of [element, ...element.querySelectorAll(FOCUSABLE)])
      if (inside instanceof HTMLElement && inside.matches(FOCUSABLE))
        if (isOpen(inside) && isNext(inside)) return inside
  return null
}

/**
 * True for an element that only shows something, and for a button that does the same as the earlier
 * one.
 */
function isHarmless(next: HTMLElement, before: Element | undefined): boolean {
  return (
    !next.matches('button:not([role=tab])') ||
    (next.className === before?.className && next.textContent === before.textContent)
  )
}

/** True if an element can have the focus. */
function isOpen(element: HTMLElement): boolean {
  return !element.matches(':disabled') && element.checkVisibility()
}

function heading(element: HTMLElement | null): HTMLElement | null {
  if (element) element.tabIndex = -1
  return element
}
