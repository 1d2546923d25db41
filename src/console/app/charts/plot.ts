import { effect } from '@preact/signals'
import uPlot from 'uplot'
import { look } from '../choices.ts'
import { figure } from '../parts/show.tsx'

/** A bar: its name, and the values of its stacked parts. */
export interface Bar {
  readonly name: string
  /** A shorter name, for the axis. Default: the name. */
  readonly mark?: string
  readonly values: readonly number[]
}

/** Bars on a canvas. */
export interface Plot {
  /** Shows other bars. The zoom stays. */
  show(bars: readonly Bar[]): void
  /** Chooses the bar at this distance from the chosen one, or the last or first that is shown. */
  walk(step: number): void
  /** Shows half as many bars around the chosen one, or twice as many. */
  zoom(factor: 0.5 | 2): void
  showAll(): void
  close(): void
}

/** Settings of {@link openPlot}. */
export interface PlotOptions {
  /**
   * Its size is the size of the plot, its colour that of the texts, its border's colour that of the
   * lines.
   */
  readonly element: HTMLElement
  /** An element for each part of a bar, whose background is the colour of the part. */
  readonly dots: readonly Element[]
  /** The bar below the pointer. `null`: none. */
  readonly onChosen: (index: number | null) => void
  readonly onZoomed: (isZoomed: boolean) => void
}

/** Steps of both axes: counts have no halves. */
const STEPS = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((n) => n * 10 ** power)).flat()
const FONT = '12px system-ui, sans-serif'
/** A few bars are not as wide as the screen. */
const WIDEST_BAR = 64

/** Draws bars in an element. Dragging zooms in, and a double click shows all bars again. */
export function openPlot({ element, dots, onChosen, onZoomed }: PlotOptions): Plot {
  let bars: readonly Bar[] = []
  let isZoomed = false
  const whole = () => ({ min: -0.5, max: Math.max(1, bars.length) - 0.5 })
  const showAll = () => plot.setScale('x', whole())
  const size = () => ({ width: element.clientWidth, height: element.clientHeight })
  const text = () => getComputedStyle(element).color
  const line = () => getComputedStyle(element).borderTopColor
  const axis: uPlot.Axis = {
    stroke: text,
    font: FONT,
    incrs: STEPS,
    grid: { stroke: line, width: 1 },
    ticks: { stroke: line, width: 1, size: 4 },
  }
  const plot = new uPlot(
    {
      ...size(),
      // The name of the last bar is wider than the bar.
      padding: [8, 32, 0, 0],
      legend: { show: false },
      cursor: {
        y: false,
        points: { show: false },
        drag: { x: true, y: false, dist: 8 },
        bind: {
          dblclick: () => () => {
            showAll()
            return null
          },
        },
      },
      scales: {
        x: { time: false, range: (_, min, max) => [min, max] },
        y: { range: (_, __, max) => [0, Math.max(1, max) * 1.05] },
      },
      axes: [
        {
          ...axis,
          space: 150,
          size: 32,
          grid: { show: false },
          values: (_, splits) =>
            splits.map((index) => bars[index]?.mark ?? bars[index]?.name ?? ''),
        },
        { ...axis, values: (_, splits) => splits.map((value) => figure(value)) },
      ],
      // The highest is drawn first, and the parts below it are drawn over it.
      series: [
        {},
        ...dots.toReversed().map((dot) => ({
          fill: () => getComputedStyle(dot).backgroundColor,
          width: 0,
          points: { show: false },
          ...(uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [0.9, WIDEST_BAR] }) }),
        })),
      ],
      hooks: {
        setCursor: [({ cursor: { idx } }) => onChosen(idx ?? null)],
        setScale: [
          ({ scales: { x } }, key) => {
            if (key !== 'x') return
            const { min, max } = whole()
            isZoomed = (x?.min ?? min) > min || (x?.max ?? max) < max
            onZoomed(isZoomed)
          },
        ],
      },
    },
    [[], ...dots.map(() => [])],
    element,
  )
  const choose = (index: number) => plot.setCursor({ left: plot.valToPos(index, 'x'), top: 0 })
  const shown = () => ({ ...whole(), ...definedOf(plot.scales['x']) })
  const sizes = new ResizeObserver(() => plot.setSize(size()))
  sizes.observe(element)
  const system = matchMedia('(prefers-color-scheme: dark)')
  // Paths keep their original colours, so they are made again.
  const redraw = () => {
    if (bars.length > 0) plot.redraw()
  }
  system.addEventListener('change', redraw)
  const endLook = effect(() => {
    void look.value
    redraw()
  })
  return {
    show(next) {
      bars = next
      plot.setData(
        [
          bars.map((_, index) => index),
          ...dots.map((_, index) => bars.map(({ values }) => sumOf(values, dots.length - index))),
        ],
        false,
      )
      plot.setScale('x', isZoomed ? shown() : whole())
    },
    walk(step) {
      const { min, max } = shown()
      const [first, last] = [Math.ceil(min), Math.floor(max)]
      const next = (plot.cursor.idx ?? (step > 0 ? first - 1 : last + 1)) + step
      choose(Math.min(last, Math.max(first, next)))
    },
    zoom(factor) {
      const { min, max } = shown()
      const middle = plot.cursor.idx ?? (min + max) / 2
      const half = Math.max(1, (max - min) * factor) / 2
      const { idx: chosen } = plot.cursor
      plot.setScale('x', {
        min: Math.max(whole().min, middle - half),
        max: Math.min(whole().max, middle + half),
      })
      // The same bar is then at another position. uPlot draws it there in its own microtask, before
      // this one.
      if (typeof chosen === 'number') queueMicrotask(() => choose(chosen))
    },
    showAll,
    close() {
      endLook()
      system.removeEventListener('change', redraw)
      sizes.disconnect()
      plot.destroy()
    },
  }
}

/** The ends of a scale, if it already has some. */
function definedOf(scale: uPlot.Scale | undefined): { min?: number; max?: number } {
  const { min, max } = scale ?? {}
  return typeof min === 'number' && typeof max === 'number' ? { min, max } : {}
}

/** The height of the lowest parts together. */
function sumOf(values: readonly number[], count: number): number {
  return values.slice(0, count).reduce((sum, value) => sum + value, 0)
}
