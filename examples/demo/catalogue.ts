/** A shelf of the demo shop. */
export interface Category {
  readonly slug: string
  readonly name: string
  readonly products: readonly Product[]
}

/** A thing the demo shop sells. */
export interface Product {
  readonly slug: string
  readonly sku: string
  readonly name: string
  readonly category: string
  /** Euros. */
  readonly price: number
  /** 1 to 5, one decimal. */
  readonly rating: number
  readonly reviews: number
  /** 0: sold out. */
  readonly stock: number
  readonly description: string
  /** Hue of its picture, in degrees. */
  readonly hue: number
}

const SHELVES = [
  {
    slug: 'notebooks',
    name: 'Notebooks',
    code: 'NB',
    from: 6,
    uses: [
      'lists and first drafts',
      'a year of small sketches',
      'field notes in light rain',
      'minutes that somebody reads',
    ],
    kinds: ['Pocket notebook', 'Ruled notebook', 'Dotted journal', 'Sketchbook', 'Field book'],
    finishes: ['in oatmeal linen', 'in forest cloth', 'in black cloth', 'with a cork cover'],
  },
  {
    slug: 'pens',
    name: 'Pens & pencils',
    code: 'PN',
    from: 9,
    uses: ['letters', 'margins and footnotes', 'straight lines', 'signing for parcels'],
    kinds: ['Fountain pen', 'Rollerball', 'Brush pen', 'Mechanical pencil', 'Drafting pen'],
    finishes: ['in brass', 'in matte black', 'in sea green', 'in walnut'],
  },
  {
    slug: 'desk',
    name: 'For the desk',
    code: 'DK',
    from: 14,
    uses: [
      'a small room',
      'a desk by the window',
      'the end of a long shelf',
      'people who tidy on Fridays',
    ],
    kinds: ['Desk lamp', 'Paper tray', 'Pen stand', 'Letter opener', 'Bookend'],
    finishes: ['of ash', 'of blackened steel', 'of beech', 'of “moon” stoneware'],
  },
] as const

/** The shop's stock: 3 categories of 20 products, always the same. */
export const CATALOGUE: readonly Category[] = SHELVES.map((shelf, s) => ({
  slug: shelf.slug,
  name: shelf.name,
  products: shelf.kinds.flatMap((kind, k) =>
    shelf.finishes.map((finish, f): Product => {
      const number = s * 20 + k * 4 + f
      const name = `${kind} ${finish}`
      return {
        slug: name.toLowerCase().replaceAll(/[^a-z]+/g, '-'),
        sku: `${shelf.code}-${String(100 + number)}`,
        name,
        category: shelf.name,
        price:
          Math.round((shelf.from + k * 3.5 + f * 1.25 + ((number * 37) % 11) * 0.45) * 100) / 100,
        rating: 3 + ((number * 8) % 21) / 10,
        reviews: 3 + ((number * 53) % 240),
        stock: number % 9 === 4 ? 0 : 1 + ((number * 29) % 40),
        description:
          `${name}, made for ${shelf.uses[f] ?? 'every day'}. ` +
          (number % 2 === 0 ? 'Comes in a plain box.' : 'Repaired free of charge for ten years.'),
        hue: (number * 47) % 360,
      }
    }),
  ),
}))
