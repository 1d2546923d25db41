/** Facts about a page besides its content. */
export const PAGE_FACTS = [
  'url',
  'finalUrl',
  'status',
  'outcome',
  'error',
  'contentType',
  'bytes',
  'label',
  'depth',
  'foundOn',
] as const

/** The parts of a product that a page is about. */
export const PRODUCT_PARTS = [
  'name',
  'price',
  'currency',
  'availability',
  'sku',
  'mpn',
  'gtin',
  'brand',
  'rating',
  'reviews',
  'description',
  'image',
  'reasons',
] as const

/** One of {@link PRODUCT_PARTS}. */
export type ProductPart = (typeof PRODUCT_PARTS)[number]

/** One of {@link PAGE_FACTS}. */
export type PageFact = (typeof PAGE_FACTS)[number]
