import { isTag, isText } from 'domhandler'
import type { Element } from 'domhandler'
import { StepParts, type Parts } from '../page/in-turns.ts'
import type { PageContent } from '../page/page-content.ts'
import { isHidden, nameOf } from '../format/beside.ts'
import { leadsHome } from '../format/metadata-title.ts'
import { nextElement } from '../select/matching.ts'
import { collapse, textStart } from '../tree/text-content.ts'

/** The facts that a label can name. */
export type Labelled = 'sku' | 'mpn' | 'gtin' | 'brand'

// Words before a value, in the languages of many shops.
const SKU = new RegExp(
  '^(?:(?:product |seller )?sku(?: code)?|(?:item|product|stock|article|catalog(?:ue)?|style|listing|' +
    String.raw`ad|post)[ -]?(?:code|no\.?|number|id|#)|ebay item number|item #|asin|r[eé]f(?:[eé]rence|` +
    String.raw`erencia|erência|\.)?(?: no\.?| (?:du )?produit)?|art(?:ikel|icle|\.)?[ -]?(?:nr|nummer|no|` +
    String.raw`code)\.?|bestell(?:nummer|-?nr\.?)|product(?:code|nummer)|produkt(?:nummer|id)|produktkod|` +
    String.raw`codice(?: articolo| prodotto)?|cod(?:\.|ice)? (?:articolo|prodotto|produs)|` +
    String.raw`c[oó]d(?:igo|\.)(?: del? produc?to)?|kod (?:produktu|towaru)|n(?:r|umer) (?:produktu|` +
    'katalogowy)|kód(?: (?:produktu|zboží))?|(?:katalogové|objednací) číslo|cikkszám|termékkód|' +
    'šifra(?: (?:artikla|izdelka|proizvoda))?|tuote(?:numero|koodi)|tootekood|prekės kodas|preces kods|' +
    String.raw`varenr\.?|varenummer|(?:ürün|stok) kodu|κωδικός(?: προϊόντος)?|артикул|` +
    'код(?: товару?)?|номер товара|מק["״]?ט|' +
    '商品(?:編號|编号|番号|コード|編碼)|品番|貨號|货号|' +
    '(?:상품|제품)(?:번호|코드)|mã (?:sản phẩm|sp)|kode produk|รหัสสินค้า)$',
  'iu',
)
const MPN = new RegExp(
  String.raw`^(?:mpn|(?:manufacturer|mfr\.?|model|part)(?: part)?[ -]?(?:no\.?|number|#|code)|` +
    String.raw`hersteller(?:nummer|-?nr\.?)|modell?(?:nummer)?|modelo|modello|модель|型號|型号|모델)$`,
  'iu',
)
const GTIN = new RegExp(
  '^(?:gtin(?:-?(?:8|12|13|14))?|ean(?:-?(?:8|13))?|ean[ -]?(?:code|kód|kod)|upc|barcode|' +
    'isbn(?:-?(?:10|13))?|штрих-?код|條碼|条码)$',
  'iu',
)
const BRAND = new RegExp(
  '^(?:brand(?: name)?|make|manufacturer(?: name)?|maker|marke|hersteller|marque|fabricant|' +
    'constructeur|marca|fabricante|produttore|merk|fabrikant|varemærke|mærke|märke|varumärke|merkki|' +
    'valmistaja|bränd|tootja|zīmols|ražotājs|prekės ženklas|gamintojas|marka|markası|üretici|producent|' +
    'značka|výrobce|výrobca|márka|gyártó|producător|brend|blagovna znamka|proizvajalec|proizvođač|' +
    'μάρκα|κατασκευαστής|марка|бренд|торгов(?:ая|а) марка|' +
    'производител[ья]?|виробник|מותג|יצרן|' +
    '品牌(?:名[称稱])?|廠牌|生产商|制造商|製造商|' +
    'ブランド名?|メーカー名?|브랜드명?|제조사|' +
    'thương hiệu|nhãn hiệu|merek|ยี่ห้อ|แบรนด์|' +
    'الماركة|العلامة التجارية)$',
  'iu',
)
const LABELS: Readonly<Record<Labelled, RegExp>> = { sku: SKU, mpn: MPN, gtin: GTIN, brand: BRAND }
const KINDS: readonly Labelled[] = ['sku', 'mpn', 'gtin', 'brand']

/** True for a word that names a fact: `Brand`, `Artikelnummer`, `Make / manufacturer`. */
export function isLabelOf(kind: Labelled, text: string): boolean {
  const label = LABELS[kind]
  return (
    label.test(text) ||
    (text.includes('/') && text.split('/', 3).every((part) => label.test(part.trim())))
  )
}

/** Longer texts are neither a label nor its value. */
const LONGEST_LABEL = 40
const LONGEST_VALUE = 80
/** Steps of an element that nobody pays for. */
const LABEL_STEPS = 20
/** Tags whose own text is not a label. */
const SILENT = new Set(['script', 'style', 'noscript', 'template', 'option', 'title', 'button'])

/** A value beside its label. */
export interface LabelledValue {
  readonly value: string
  /** The label as the page writes it. */
  readonly label: string
}

/** Returns the first value of each kind that stands beside a label: `Brand: Halden`. */
export function* labelledParts(page: PageContent): Parts<ReadonlyMap<Labelled, LabelledValue>> {
  const labelled = new Map<Labelled, LabelledValue>()
  const { elements } = page.tree
  page.budget.workAhead(2 * elements.length)
  const parts = new StepParts(page.budget)
  for (const element of elements) {
    page.budget.did(2)
    if (parts.ends()) yield
    if (labelled.size === KINDS.length) break
    if (SILENT.has(element.name) || isHidden(element)) continue
    const [begin, rest] = ownLabel(element)
    page.budget.unpaid(LABEL_STEPS)
    if (begin === '') continue
    const kind = KINDS.find((candidate) => !labelled.has(candidate) && isLabelOf(candidate, begin))
    if (kind === undefined) continue
    const value = rest === '' ? valueBeside(element, page) : rest
    if (value !== '' && value.length <= LONGEST_VALUE && fits(kind, value))
      labelled.set(kind, { value, label: begin })
  }
  page.budget.did()
  return labelled
}

function fits(kind: Labelled, value: string): boolean {
  if (kind === 'brand') return /\p{L}/u.test(value) && !/[:?]$/.test(value)
  if (kind === 'gtin') return /^\d[\d -]{6,16}[\dX]$/.test(value)
  return /^[\p{L}\p{N}][\p{L}\p{N}\s./_#-]{1,40}$/u.test(value) && /\d/.test(value)
}

/** Returns an element's own text up to a colon, and the text after it. */
function ownLabel(element: Element): readonly [string, string] {
  const first = element.children.find((child) => !isText(child) || child.data.trim() !== '')
  if (first === undefined || !isText(first) || first.data.length > 200) return ['', '']
  const text = collapse(first.data)
  const colon = /[:：]/.exec(text)?.index ?? -1
  const label = (colon === -1 ? text : text.slice(0, colon)).trim()
  if (label.length > LONGEST_LABEL) return ['', '']
  return [label, colon === -1 ? '' : text.slice(colon + 1).trim()]
}

/** Returns the text after a label: in its element, in the next one, or in the next of its parent. */
function valueBeside(element: Element, page: PageContent): string {
  const after = element.children.find(
    (child, index) => index > 0 && isTag(child) && !isHidden(child),
  )
  if (after !== undefined && isTag(after)) {
    const inside = valueIn(after, page)
    if (inside !== '') return inside
  }
  let node: Element | null = element
  for (let up = 0; up < 2 && node !== null; up++) {
    const next: Element | null = nextElement(node)
    if (next !== null) return valueIn(next, page)
    // A text after the label's element: `<b>SKU:</b> 123`.
    const tail = node.next
    if (tail !== null && isText(tail)) {
      const text = collapse(tail.data).replace(/^[:：]\s*/, '')
      if (text !== '') return text
    }
    const { parent }: Element = node
    node = parent !== null && isTag(parent) ? parent : null
  }
  return ''
}

function valueIn(element: Element, page: PageContent): string {
  return textStart(element, LONGEST_VALUE + 1, page.budget).replace(/^[:：]\s*/, '')
}

/** Names of an element with the brand of a product: `product-brand`, `vendor`. */
const BRAND_NAME = new RegExp(
  String.raw`(?:^|\s)(?:(?:product|item|pdp)[_-]{0,2})?(?:info|details|title)?[_-]{0,2}(?:brand|vendor|` +
    String.raw`manufacturer|marke|marca|marque|hersteller)(?:[_-]{1,2}(?:name|link|title))?(?:$|\s)`,
  'i',
)
/** Number of elements before and after the heading among which the brand is. */
const BESIDE_HEADING = 10
const LONGEST_BRAND = 40
const HEADING = /^h[1-6]$/
/** A text that asks for a click, or that speaks of brands, names none. */
const NO_BRAND = new RegExp(
  String.raw`^(?:all|more|shop|visit|view|see|discover|alle|mehr|tous|toutes|ver)(?!\p{L})|` +
    String.raw`(?<!\p{L})(?:brands?|vendors?|marken?|marques?|marcas?|hersteller)(?!\p{L})`,
  'iu',
)
const BEFORE_BRAND = /^(?:by|von|par|por) /i

/**
 * Returns the brand that a page shows in an element of this name right beside the name of the
 * product, with no other heading between them. The heading itself, or a link to the first page of
 * the site, is none. `null`: there is none.
 */
export function brandBesideHeading(page: PageContent, heading: Element): string | null {
  for (const element of elementsBeside(page.tree.elements, heading)) {
    page.budget.work(LABEL_STEPS)
    if (element === heading || SILENT.has(element.name) || !BRAND_NAME.test(nameOf(element)))
      continue
    if (isHidden(element) || leadsHome(page, element)) continue
    const text = textStart(element, LONGEST_BRAND + 1, page.budget)
    const [label = '', value = ''] = text.split(/[:：]\s?/, 2)
    const brand = isLabelOf('brand', label.trim())
      ? value.trim()
      : text.replace(BEFORE_BRAND, '').trim()
    if (brand.length <= LONGEST_BRAND && fits('brand', brand) && !NO_BRAND.test(brand)) return brand
  }
  return null
}

/** The elements from the heading above to the one below. */
function elementsBeside(elements: readonly Element[], heading: Element): readonly Element[] {
  const index = heading.startIndex ?? 0
  const isOther = (element: Element): boolean => HEADING.test(element.name) && element !== heading
  const before = elements.slice(Math.max(0, index - BESIDE_HEADING), index)
  const after = elements.slice(index, index + BESIDE_HEADING)
  const below = after.findIndex(isOther)
  return [
    ...before.slice(Math.max(0, before.findLastIndex(isOther))),
    ...after.slice(0, below === -1 ? after.length : below + 1),
  ]
}
