import { isTag } from 'domhandler'
import type { Element } from 'domhandler'
import { hasWord } from '../select/attribute-matcher.ts'
import { isHidden } from '../format/beside.ts'
import { within } from '../auto/item-elements.ts'
import { StepParts, type Parts } from '../page/in-turns.ts'
import type { PageContent } from '../page/page-content.ts'
import { textStart } from '../tree/text-content.ts'
import type { NumberFormat } from '../value/number-format.ts'
import { parseNumber, readNumber } from '../value/parse-number.ts'

const PRICE_NAME = /price|(?:^|[\s_-])(?:preis|prix|precio|prezzo|cena|hinta)(?:$|[\s_-])/i
/** Names of prices that are not the current price. */
const OTHER_PRICE = new RegExp(
  String.raw`old|was\b|before|regular|retail|list-?price|strike|striked|crossed|barred|instal+ment|` +
    'rrp|msrp|uvp|compare|original|saving|save|discount|per-?unit|unit-?price|shipping|range|' +
    'filter|tax|from',
  'i',
)
const EARLIER_NAME = /old|was\b|before|strike|crossed|barred|original|list-?price|rrp|msrp|uvp/i
const MONEY = new RegExp(
  String.raw`[$€£¥₹₽₩₺₴₪฿₫₦]|(?<!\p{L})(?:USD|EUR|GBP|CHF|SEK|NOK|DKK|PLN|` +
    'CZK|HUF|RON|kr|zł|Kč|Ft|lei|' +
    String.raw`руб|грн|Rs\.?|R\$|NT|TL|元|円|원)(?!\p{L})`,
  'iu',
)
const RELATED = new RegExp(
  String.raw`(?:^|[\s_-])(?:related|recommend\w*|similar|upsell|cross-?sell|also|recently|viewed|` +
    String.raw`accessor\w*|carousel|slider|minicart|mini-cart|basket|cart|header|footer|menu|nav)(?:$|` +
    String.raw`[\s_-])`,
  'i',
)
/** A part with a button is not a list. */
const ADD_TO_CART = /add-?to-?(?:cart|basket|bag)/gi
const BUY = new RegExp(
  '^(?:add to (?:cart|basket|bag|trolley)|buy(?: it)? now|buy|order now|purchase|' +
    'in den (?:waren|einkaufs)korb|jetzt kaufen|kaufen|ajouter au panier|acheter|' +
    'añadir (?:al carrito|a la cesta)|agregar al carrito|comprar(?: ahora| agora| já)?|' +
    'adicionar ao carrinho|aggiungi al carrello|acquista|in winkelwagen|in winkelmandje|' +
    'bestellen|läggs? i (?:varukorgen?|kundvagn)|köp|lägg i kundvagn(?:en)?|læg i kurv(?:en)?|' +
    'køb|legg i handlekurv|kjøp|lisää (?:ostos)?koriin|osta|lisa (?:ostu)?korvi|' +
    'pievienot grozam|ielikt grozā|pirkt|į krepšelį|do koszyka|dodaj do koszyka|kup teraz|' +
    'do košíku|přidat do košíku|koupit|do košíka|kosárba|adaug[aă] [iî]n co[sș]|v košarico|' +
    'dodaj v košarico|dodaj u košaricu|sepete ekle|в корзину|' +
    'добавить в корзину|купить|' +
    'в кошик|купити|הוסף לסל|加入購物車|加入购物车|' +
    '放入購物車|立即購買|立即购买|直接購買|カートに入れる|' +
    '購入する|장바구니(?: 담기)?|구매하기|' +
    '바로구매|thêm vào giỏ hàng|mua ngay)$',
  'iu',
)
const GONE = new RegExp(
  '^(?:(?:currently |temporarily )?(?:out[ -]of[ -]stock|sold ?out|unavailable|not available)|' +
    'no longer available|this (?:item|product) is (?:currently |temporarily )?(?:out of stock|sold out|' +
    'unavailable|not available|no longer available)|(?:(?:derzeit|zurzeit|zur zeit|momentan|leider|' +
    'aktuell) )?(?:nicht (?:mehr )?(?:verfügbar|auf lager|lieferbar)|ausverkauft|vergriffen)|' +
    '(?:(?:actuellement|produit|article) )?(?:épuisé|indisponible|en rupture(?: de stock)?|' +
    'rupture de stock)|(?:producto )?agotado|sin (?:stock|existencias)|no disponible|' +
    '(?:produto )?(?:esgotado|indisponível)|(?:fora de|sem) (?:estoque|stock)|(?:prodotto )?(?:esaurito|' +
    'non disponibile)|(?:tijdelijk )?(?:uitverkocht|niet (?:op voorraad|leverbaar|beschikbaar))|' +
    'slut(?: i lager)?|slutsåld|(?:finns )?ej i lager|ikke på lager|udsolgt|utsolgt|loppuunmyyty|' +
    'välja müüdud|läbi müüdud|nav pieejams|išparduota|wyprzedan[ye]|' +
    '(?:produkt |chwilowo )?niedostępny|brak w magazynie|(?:není|nie je) skladem|vyprodáno|vypredané|' +
    'elfogyott|nincs (?:készleten|raktáron)|stoc epuizat|indisponibil|ni na zalogi|nije dostupno|' +
    'rasprodano|(?:ürün )?tükendi|stokta yok|εξαντλ(?:ημένο|ήθηκε)|μη διαθέσιμο|' +
    'нет (?:в наличии|на складе)|распродано|' +
    'немає в наявності|товар закончился|' +
    'няма в наличност|אזל מהמלאי|غير متوفر|' +
    '缺貨|缺货|无货|無貨|無庫存|暫無庫存|' +
    '已售完|售完|補貨中|在庫切れ|在庫なし|売り切れ|品切れ|完売|품절|일시품절|' +
    String.raw`(?:tạm )?hết hàng|stok habis|สินค้าหมด)\.?!?$`,
  'iu',
)
const AMOUNT = /\d[\d.,'\u00a0\u202f ]*/g
/** Matches a discount such as `21%`. */
const SHARE = /\d[\d.,]{0,6}\s?%/g
const SHORT = 20
const LONGEST_NAMES = 500
/** Number of elements after the heading that count as near it. */
const MOST_NEAR = 200
const THERE = new RegExp(
  String.raw`^(?:(?:only )?\d{1,6}\+? (?:left )?(?:pieces )?in stock|in stock|available(?: now)?|` +
    '(?:sofort )?(?:auf lager|lieferbar|verfügbar)|en stock|disponible|em stock|disponibile|' +
    'op voorraad|i lager|på lager|varastossa|laos|dostępny|skladem|na sklade|raktáron|în stoc|' +
    'na zalogi|stokta|в наличии|є в наявності|במלאי|有貨|' +
    String.raw`现货|現貨|在庫あり)\.?!?$`,
  'iu',
)
/** Longer texts are not a price, a button or a message. */
const LONGEST = 60
/** Maximum number of elements around a heading that may hold the price. */
const MOST_AROUND = 3_000
/** Steps of an element, and of one in a price, that nobody pays for. */
const SEEN_STEPS = 40
const CHILD_STEPS = 8

/** Visible facts of a product on its page. */
export interface SeenProduct {
  readonly price: number | null
  /** The text of the price. */
  readonly priceText: string | null
  /** The position of the price's element. */
  readonly priceIndex: number | null
  /** The first ambiguous text of a price, which can be read in two ways. */
  readonly unclearPrice: string | null
  /** Prices that are struck through, or called earlier ones. */
  readonly earlier: ReadonlySet<number>
  /** The text of a button to buy the product, and its position. */
  readonly buy: string | null
  readonly buyIndex: number | null
  /** The text that says that it is in stock. */
  readonly there: string | null
  /** The text that says that it is out of stock. */
  readonly gone: string | null
  /** The article number in an element whose name says so. */
  readonly sku: string | null
}

/** Returns in parts the facts that a page shows about its product, which has this heading. */
export function* seenParts(page: PageContent, heading: Element | null): Parts<SeenProduct> {
  const from = heading?.startIndex ?? 0
  let price: SeenPrice | null = null
  let priceIndex: number | null = null
  let buy: string | null = null
  let buyIndex: number | null = null
  let there: string | null = null
  let gone: string | null = null
  let sku: string | null = null
  let unclearPrice: string | null = null
  const earlier = new Set<number>()
  const parts = new StepParts(page.budget)
  for (const element of yield* shownElements(page, from)) {
    page.budget.unpaid(SEEN_STEPS)
    if (parts.ends()) yield
    const names = namesOf(element)
    const distance = (element.startIndex ?? 0) - from
    if (buy === null && isButton(element, names) && isBuying(element, page)) {
      buy = labelOf(element, page)
      buyIndex = element.startIndex
    }
    if (distance >= 0 && isLeaf(element)) {
      const text = textStart(element, LONGEST, page.budget)
      if (gone === null && GONE.test(text)) gone = text
      if (there === null && THERE.test(text)) there = text
    }
    sku ??= skuOf(element, page)
    if (isLeaf(element) && (EARLIER_NAME.test(names) || isStruck(element))) {
      const value = parseNumber(textStart(element, SHORT, page.budget), amountsOf(page))
      if (value !== null) earlier.add(value)
    }
    // Without a heading, only its name distinguishes the price from others.
    const isNear = heading !== null && distance >= 0 && distance <= MOST_NEAR
    if (!mayBePrice(element, names, isNear)) continue
    const seen = yield* priceOf(element, names, isNear, page)
    if (seen === null) continue
    if (seen.value === null) {
      unclearPrice ??= seen.text
      continue
    }
    const score = seen.score + (distance >= 0 ? 1 : 0) + (isNear ? 1 : 0)
    if (price !== null && score <= price.score) continue
    price = { value: seen.value, text: seen.text, score }
    priceIndex = element.startIndex
  }
  return {
    price: price?.value ?? null,
    priceText: price?.text ?? null,
    priceIndex,
    unclearPrice,
    earlier,
    buy,
    buyIndex,
    there,
    gone,
    sku,
  }
}

/** The number in `data-sku`, or in an element of the class `sku`. */
function skuOf(element: Element, page: PageContent): string | null {
  const { attribs } = element
  const text =
    attribs['data-sku'] ??
    (hasWord((attribs['class'] ?? '').toLowerCase(), 'sku')
      ? textStart(element, LONGEST, page.budget)
      : '')
  return /^[\w./-]{2,40}$/.test(text) ? text : null
}

/** How prices of a page are written. */
const amountsOf = ({ language }: PageContent): NumberFormat => ({ language, isAmount: true })

/**
 * A price that an element shows. `null`: it can be read in two ways. A higher score means that it
 * more likely belongs to the product.
 */
interface SeenPrice<Value = number> {
  readonly value: Value
  readonly text: string
  readonly score: number
}

/** False for nearly all elements, so that few are read in parts. */
function mayBePrice(element: Element, names: string, isNear: boolean): boolean {
  const isNamed = PRICE_NAME.test(names)
  return (isNamed || (isNear && isLeaf(element))) && !OTHER_PRICE.test(names) && !isStruck(element)
}

function* priceOf(
  element: Element,
  names: string,
  isNear: boolean,
  page: PageContent,
): Parts<SeenPrice<number | null> | null> {
  const isNamed = PRICE_NAME.test(names)
  const text = yield* currentText(element, page)
  const hasCurrency = MONEY.test(text)
  if (text.length >= LONGEST || (!isNamed && !hasCurrency)) return null
  const money = text.replace(SHARE, ' ')
  const { value, isUnclear } = readNumber(money, amountsOf(page))
  const isAlone = money.match(AMOUNT)?.length === 1
  // A long text with several amounts contains more than a price.
  if ((value === null && !isUnclear) || (!isAlone && text.length > SHORT)) return null
  if (value !== null && value <= 0) return null
  return {
    value,
    text,
    score:
      (isNamed ? 3 : 0) + (hasCurrency ? 2 : 0) + (isAlone ? 2 : 0) + (text.length < SHORT ? 1 : 0),
  }
}

function namesOf({ attribs }: Element): string {
  return `${attribs['class'] ?? ''} ${attribs['id'] ?? ''} ${attribs['itemprop'] ?? ''}`.slice(
    0,
    LONGEST_NAMES,
  )
}

function isButton({ name, attribs }: Element, names: string): boolean {
  return (
    name === 'button' ||
    name === 'input' ||
    name === 'a' ||
    attribs['role'] === 'button' ||
    /btn|button|cart|buy|basket/i.test(names)
  )
}

/**
 * The elements that are not hidden and not in a list of other products. An element that contains
 * the heading does not count as such a list. `heading`: its position.
 */
function* shownElements(page: PageContent, heading: number): Parts<Element[]> {
  const { elements } = page.tree
  page.budget.workAhead(12 * elements.length)
  const parts = new StepParts(page.budget)
  const shown: Element[] = []
  let until = -1
  for (const element of elements) {
    page.budget.did(12)
    if (parts.ends()) yield
    const position = element.startIndex ?? 0
    if (position <= until) continue
    const names = `${element.attribs['class'] ?? ''} ${element.attribs['id'] ?? ''}`
    const isWhole =
      element.name === 'body' ||
      element.name === 'html' ||
      element.name === 'main' ||
      (heading > position && heading <= (element.endIndex ?? position))
    if (
      !isWhole &&
      (isHidden(element) ||
        element.name === 'header' ||
        element.name === 'footer' ||
        element.name === 'nav' ||
        element.name === 'script' ||
        element.name === 'style' ||
        (names.length > 1 &&
          names.length < 300 &&
          RELATED.test(names.replace(ADD_TO_CART, ' ')) &&
          !isControl(element)))
    ) {
      until = element.endIndex ?? position
      continue
    }
    shown.push(element)
  }
  page.budget.did()
  return shown
}

function isControl(element: Element): boolean {
  return element.name === 'form' || element.name === 'button' || element.name === 'a'
}

function isLeaf(element: Element): boolean {
  return (
    element.children.length > 0 &&
    element.children.length <= 3 &&
    !element.children.some(hasElements)
  )
}

function hasElements(node: Element['children'][number]): boolean {
  return isTag(node) && node.children.some(isTag)
}

/** The class of a parent is read for each of its children, so its length is limited. */
function classOf({ attribs }: Element): string {
  return (attribs['class'] ?? '').slice(0, LONGEST_NAMES)
}

function isStruck(element: Element): boolean {
  let node: Element | null = element
  for (let up = 0; up < 4 && node !== null; up++) {
    if (node.name === 'del' || node.name === 's' || node.name === 'strike') return true
    if (up > 0 && /\b(?:old|was|strike)/i.test(classOf(node))) return true
    node = node.parent !== null && isTag(node.parent) ? node.parent : null
  }
  return false
}

/** Returns a price's text. If it also contains an earlier price, returns only the current part. */
function* currentText(element: Element, page: PageContent): Parts<string> {
  const { budget } = page
  const parts = new StepParts(budget)
  let hasEarlier = false
  for (const child of element.children) {
    budget.unpaid(CHILD_STEPS)
    if (parts.ends()) yield
    hasEarlier = isTag(child) && isEarlier(child)
    if (hasEarlier) break
  }
  if (!hasEarlier) return textStart(element, LONGEST, budget)
  for (const part of within(element, budget, MOST_AROUND)) {
    if (parts.ends()) yield
    if (isEarlier(part) || isStruck(part)) continue
    const text = textStart(part, LONGEST, budget)
    if (/\d/.test(text)) return text
  }
  return ''
}

function isEarlier(part: Element): boolean {
  return (
    part.name === 'del' ||
    part.name === 's' ||
    part.name === 'strike' ||
    OTHER_PRICE.test(classOf(part))
  )
}

function labelOf(element: Element, page: PageContent): string {
  return (
    textStart(element, LONGEST, page.budget) ||
    (element.attribs['value'] ?? element.attribs['aria-label'] ?? element.attribs['title'] ?? '')
      .slice(0, LONGEST)
      .trim()
  )
}

function isBuying(element: Element, page: PageContent): boolean {
  if (Object.hasOwn(element.attribs, 'disabled')) return false
  return BUY.test(
    labelOf(element, page)
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim(),
  )
}
