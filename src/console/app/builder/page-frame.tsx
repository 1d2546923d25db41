import { useEffect, useRef, useState } from 'preact/hooks'
import type { Snapshot } from '../../../client.ts'
import { words } from '../words.ts'
import { dressPage } from './page-files.ts'

/** Marked elements, with the kind of their mark. */
export interface Marks {
  readonly items: readonly number[]
  readonly values: readonly number[]
  readonly pointed: readonly number[]
}

interface Box {
  readonly kind: keyof Marks | 'current'
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

const MOST_HEIGHT = 20_000
const MOST_BOXES = 300
const INDEX = 'data-seine-index'
const LINK = '[data-seine-link]'
const policy = (
  window as { trustedTypes?: { createPolicy(name: string, rules: object): HtmlPolicy } }
).trustedTypes?.createPolicy('seine-snapshot', { createHTML: (html: string) => html })

interface HtmlPolicy {
  createHTML(html: string): string
}

/**
 * A kept page to point at. It is in a frame in which no scripts run. A layer over it receives
 * pointer and keys, so that nothing on the page is clicked. The arrow keys move in its tree, and
 * Enter points.
 */
export function PageFrame({
  snapshot,
  marks,
  onPoint,
}: {
  readonly snapshot: Snapshot
  readonly marks: Marks
  /** `link`: the link that contains the element, or is the element. */
  readonly onPoint: (element: number, link: number | null) => void
}) {
  const frame = useRef<HTMLIFrameElement>(null)
  const layer = useRef<HTMLDivElement>(null)
  const [height, setHeight] = useState(480)
  const [current, setCurrent] = useState<Element | null>(null)
  const [isReady, setReady] = useState(false)
  const [width, setWidth] = useState(0)
  const [, setDressed] = useState(0)

  useEffect(() => {
    const element = frame.current
    if (element === null) return
    setReady(false)
    setCurrent(null)
    element.srcdoc = policy?.createHTML(snapshot.html) ?? snapshot.html
  }, [snapshot])

  useEffect(() => {
    const page = frame.current?.contentDocument
    if (!isReady || !page) return
    const left = new AbortController()
    dressPage(page, snapshot, left.signal, () => {
      const { scrollHeight } = page.documentElement
      setHeight(Math.min(MOST_HEIGHT, Math.max(320, scrollHeight)))
      setDressed((times) => times + 1)
    })
    return () => left.abort()
  }, [snapshot, isReady])

  useEffect(() => {
    if (layer.current === null) return
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0))
    observer.observe(layer.current)
    return () => observer.disconnect()
  }, [])

  const page = frame.current?.contentDocument ?? null
  const elementAt = (event: MouseEvent): Element | null => {
    const box = layer.current?.getBoundingClientRect()
    if (page === null || box === undefined) return null
    const hit = page.elementFromPoint(event.clientX - box.left, event.clientY - box.top)
    return hit?.closest(`[${INDEX}]`) ?? null
  }
  const point = (element: Element | null): void => {
    const index = indexOf(element)
    if (index !== null) onPoint(index, indexOf(element?.closest(LINK) ?? null))
  }
  const walkBy = (key: string): boolean => {
    const next = page && neighbour(key, current ?? page.body)
    if (!next) return false
    setCurrent(next)
    const { top } = next.getBoundingClientRect()
    const pane = layer.current?.closest('.page')
    if (pane && (top < pane.scrollTop || top > pane.scrollTop + pane.clientHeight - 40))
      pane.scrollTop = Math.max(0, top - 80)
    return true
  }

  // Its width is read so that the marks move when the frame is resized.
  const boxes = isReady && page && width > 0 ? boxesOf(page, marks, current) : []
  return (
    <div class="page" role="group" aria-label={words.builder.page}>
      <div class="stage">
        <iframe
          ref={frame}
          onLoad={() => setReady(true)}
          sandbox="allow-same-origin"
          title={words.builder.page}
          tabIndex={-1}
          style={{ height: `${height}px` }}
        />
        <div
          ref={layer}
          class="layer"
          role="application"
          tabIndex={0}
          aria-label={words.builder.layer}
          onMouseMove={(event) => setCurrent(elementAt(event))}
          onMouseLeave={() => setCurrent(null)}
          onClick={(event) => point(elementAt(event))}
          onKeyDown={(event) => {
            if (event.key === 'Enter') point(current)
            else if (!walkBy(event.key)) return
            event.preventDefault()
          }}
        >
          {boxes.map(({ kind, ...box }, index) => (
            <div key={index} class={`mark ${kind}`} style={pixels(box)} />
          ))}
        </div>
      </div>
      <div class="hidden" role="status">
        {current && `${current.localName}: ${(current.textContent ?? '').trim().slice(0, 80)}`}
      </div>
    </div>
  )
}

function indexOf(element: Element | null): number | null {
  const index = element?.getAttribute(INDEX)
  return index === null || index === undefined ? null : Number(index)
}

/** The element to which an arrow key leads. */
function neighbour(key: string, from: Element): Element | null {
  switch (key) {
    case 'ArrowUp':
      return from.parentElement?.closest(`[${INDEX}]`) ?? null
    case 'ArrowDown':
      return from.firstElementChild
    case 'ArrowRight':
      return from.nextElementSibling ?? from.parentElement?.nextElementSibling ?? null
    case 'ArrowLeft':
      return from.previousElementSibling
    default:
      return null
  }
}

function boxesOf(page: Document, marks: Marks, current: Element | null): Box[] {
  const boxes: Box[] = []
  const add = (kind: Box['kind'], element: Element | null): void => {
    if (element === null || boxes.length >= MOST_BOXES) return
    const { left, top, width, height } = element.getBoundingClientRect()
    if (width > 0 && height > 0) boxes.push({ kind, left, top, width, height })
  }
  for (const kind of ['items', 'values', 'pointed'] as const)
    for (const index of marks[kind]) add(kind, page.querySelector(`[${INDEX}="${index}"]`))
  add('current', current)
  return boxes
}

function pixels(box: Omit<Box, 'kind'>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(box).map(([name, value]) => [name, `${value}px`]))
}
