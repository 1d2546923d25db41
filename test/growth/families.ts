/** Input that grows: a text of about `size` characters. */
export interface Family {
  readonly name: string
  readonly make: (size: number) => string
  /** True if large pages alone show how steeply CPU grows: work of another kind hides it before. */
  readonly isLate?: boolean
}

const repeat = (unit: string) => (size: number) =>
  unit.repeat(Math.max(1, Math.floor(size / unit.length)))
const around = (before: string, unit: string, after: string) => (size: number) =>
  before +
  unit.repeat(Math.max(1, Math.floor((size - before.length - after.length) / unit.length))) +
  after
const halves =
  (before: string, unit: string, between: string, other: string, after: string) => (size: number) =>
    before + repeat(unit)(size / 2) + between + repeat(other)(size / 2) + after

/** A unit that depends on its number. */
const numbered =
  (before: string, unit: (i: number) => string, after = '') =>
  (size: number) => {
    const parts = [before]
    for (let length = 0, index = 0; length < size; index++) {
      const part = unit(index)
      parts.push(part)
      length += part.length
    }
    return parts.join('') + after
  }

/** A list of four cards with such parts. */
const cards = (parts: (size: number) => string) => (size: number) => {
  const title = '<a href=/x>some words of the title of a card</a>'
  return `<div>${`<div class=card>${title}${parts(size / 4)}</div>`.repeat(4)}</div>`
}
const lettersOf = (number: number) =>
  String(number).replace(/\d/g, (digit) => 'abcdefghij'[Number(digit)] ?? '')

/** Text for readers of any kind. */
export const TEXTS: readonly Family[] = Object.entries({
  'a letter': repeat('a'),
  digits: repeat('1'),
  spaces: repeat(' '),
  'a letter, spaces, a letter': around('a', ' ', 'a'),
  'line feeds': around('a', '\n', 'a'),
  'carriage returns': around('a', '\r', 'a'),
  'digits and commas': around('1', ',', '1'),
  'digits and dots': repeat('1.'),
  'digits in groups': repeat('1 000,'),
  'currency signs': around('', '1 ', '€x'),
  quotes: repeat('"'),
  'quotes and commas': repeat('","'),
  backslashes: around('"', '\\', '"'),
  'opening brackets': repeat('['),
  'nested brackets': halves('', '[', '', ']', ''),
  'small lists': around('[', '[],', '[]]'),
  'objects of a list': around('[', '{"name":"a","price":1.5,"url":"/a"},', '{}]'),
  'small objects': around('[', '{},', '{}]'),
  'many members': numbered('{', (i) => `"m${i}":${i},`, '"z":0}'),
  'percent escapes': repeat('%41'),
  'colons and slashes': repeat(':/'),
  stars: repeat('*a'),
  dashes: repeat('- '),
  'equals signs': repeat('='),
  'fences and line feeds': around('```', '\n', 'x'),
  ampersands: repeat('&amp;'),
  'words and commas': repeat('word, '),
  'lines of words': repeat('key: value\n'),
  surrogates: repeat('\ud83d'),
  'signs that are 18 letters long': repeat('\ufdfa '),
  dates: repeat('12 jan '),
  ages: repeat('3 days ago '),
  'numbers and units': repeat('1 hour '),
  'words of dates': repeat('jan monday '),
  'ranges with words': repeat('1-2 million '),
  'signs of fractions': repeat('3½ '),
  times: repeat('10:30 '),
  comments: repeat('/* '),
  'ends of comments': around('<!--', '-->{', ''),
  'lists in objects': numbered('{', (i) => `"m${i}":[`),
} satisfies Record<string, (size: number) => string>).map(([name, make]) => ({ name, make }))

/** Pages. */
const LATE = new Set(['long classes around elements', 'cards among parts of a card'])
export const PAGES: readonly Family[] = Object.entries({
  'one line of text': around('<p>', 'a ', ''),
  'spaces in text': around('<p>a', ' ', 'a'),
  'opening signs': repeat('<'),
  'end tags without a name': around('<table>', 'x</>', ''),
  'unfinished tags': repeat('<a'),
  'unfinished attributes': repeat('<a b="'),
  'unfinished comments': repeat('<!--'),
  'comments in text': repeat('x<!---->'),
  'end tags of paragraphs': around('<body>', '</p>', ''),
  'stray end tags': repeat('x</x>'),
  'far end tags': around(`<p><table><td>${'<span>'.repeat(400)}`, '</p>', ''),
  'end tags of other headings': repeat('<h1>a</h2>'),
  paragraphs: repeat('<p>a'),
  'empty elements': repeat('<i></i>'),
  'elements in elements': halves('', '<div>', 'x', '</div>', ''),
  'quotes around lines': around(`${'<blockquote>'.repeat(450)}<pre>`, 'a\n', ''),
  'quotes in quotes': repeat('<blockquote>a'),
  'lists in lists': repeat('<ul><li>a'),
  'list items': around('<ul>', '<li><a href=/x>a b c d e f</a>', '</ul>'),
  'an index beside comments': around(
    '<b><p>x</b>y</p>',
    '<h2>A</h2> <!-- --> <ul><li><a href=/x>Aa</a><li><a href=/y>Ab</a><li><a href=/z>Ac</a></ul>',
    '',
  ),
  'a page in a noscript': around('<p>a</p><noscript>', '<p>some words of it</p>', '</noscript>'),
  'groups in groups': numbered('', (i) => (i < 480 ? '<div><p>a<p>b' : '<p>c'), ''),
  'marks in marks': repeat('<b><i>a'),
  'misnested marks': repeat('<b><p>a</b>'),
  'marks of many paragraphs': numbered('', (i) => `<p><b id=i${i}>a</p>`),
  'text in tables': around('<table>', 'a<div>', ''),
  'marks after objects that rows end': halves(
    '<!doctype html><table>',
    '<marquee><tr>',
    '<td>',
    '<b></b>',
    '',
  ),
  'wide tables': around('<table><tr>', '<td>1', '</table>'),
  'long tables': around('<table><tr><th>a<th>b', '<tr><td>1<td>2', '</table>'),
  'many tables': repeat('<table><tr><th>a<th>b<tr><td>1<td>2<tr><td>3<td>4</table>'),
  'columns of one name': (size) =>
    `<table><tr>${repeat('<th>a')(size / 3)}<tr>${repeat('<td>1')(size / 3)}<tr>${repeat('<td>2')(size / 3)}`,
  headings: around('<title>b</title>', '<h1>aaaa</h1>', ''),
  'title and headings': halves('<title>', 'ab ', '</title>', '<h1>ab b</h1>', ''),
  'title of spaces': around(
    '<meta property="og:site_name" content="s"><meta property="og:title" content="a',
    ' ',
    's">',
  ),
  'long descriptions': halves(
    '<h1>ab cd</h1><meta name="description" content="ab ',
    'ef ',
    '"><meta property="og:description" content="ab ',
    'cd ',
    '">',
  ),
  'many metas': numbered('<head>', (i) => `<meta property="og:a${i}" content="b">`),
  'many links': numbered('<nav>', (i) => `<a href="/${i}">${i}</a>`),
  'links in a pagination': numbered(
    '<div class="pagination"><b>1</b>',
    (i) => `<a href="?page=${i}">${i % 9999}</a>`,
  ),
  'links in links': repeat('<a href=/a>x<div>'),
  'links of arrows': around('<a rel=x href=/b>a', '›', 'a</a>'),
  'a long class': halves('<div class="pagination ', 'abcdef ', '">', '<a href="/b">2</a>', ''),
  'many classes': numbered('<div class="', (i) => `class${i} `, '">a</div>'),
  'many attributes': numbered('<a', (i) => ` a${i}=1`, '>'),
  'bodies with attributes': numbered('', (i) => `<body b${i}=1>`),
  properties: around('<div itemscope>', '<i itemprop=a>x', ''),
  'names of one property': around('<div itemscope><i itemprop="', 'ab ', '">x'),
  'items in items': repeat('<div itemscope itemprop=a>x'),
  'blocks of JSON-LD': repeat(
    '<script type="application/ld+json">{"@type":"Product","name":"a"}</script>',
  ),
  'one block of JSON-LD': around(
    '<script type="application/ld+json">[',
    '{"headline":"a"},',
    '0]</script>',
  ),
  'long classes around elements': cards(
    (size) => `<em class="${repeat('abcdefgh ')(size / 2)}">${repeat('<b>w</b>')(size / 2)}</em>`,
  ),
  'cards among parts of a card': cards(
    (size) => repeat('<i></i>')(size / 4) + repeat('<div class=card></div>')((size * 3) / 4),
  ),
  'a long property around kinds': (size) =>
    numbered(
      `<main><section><div itemprop="${repeat('a')(size / 2)}">`,
      (i) => `<p class=kind${lettersOf(i)}>x</p>`,
    )(size / 2),
  'digits and separators': around('<ul><li class=price>', '1,', ''),
  'headers in headers': around('<header>'.repeat(400), '<header></header>', ''),
  breaks: repeat('a<br>'),
  ampersands: repeat('&amp;'),
  'unfinished entities': repeat('&a'),
  scripts: repeat('<script><!--<script></script>'),
  'scripts of a stream': numbered(
    '',
    (i) => `<script>self.__next_f.push([1,"${i}:{\\"a\\":1}\\n"])</script>`,
  ),
  'lines of a name and a price': numbered('<ul>', (i) => `<li>Cup ${i} <b>$4</b></li>`),
  'a noscript': around('<noscript>', '<script></noscript', ''),
  templates: repeat('<template>'),
  'templates with columns': repeat('<template><col><script></template>'),
  'templates with cells': repeat('<template><td><svg><title><b></td><style></style></template>'),
  'HTML in SVG': repeat('<svg><desc><i><svg><g></p>'),
  'formatting in selects': repeat('<select><b><option>a'),
  'comments in scripts': repeat('<script><!--<script></script>--></script>'),
  frames: around('<input type=hidden>', '<frameset> <frame></frameset>', ''),
  'document types': repeat('<!doctype html public "-//W3C//DTD HTML 4.0//" "x">'),
  forms: repeat('<form><select><option>'),
  SVG: repeat('<svg><a>'),
  prices: around('<div>', '<p class=price>$ 1,00</p>', ''),
  'items that name one part': halves(
    '<div id=p>',
    '<i itemprop=a>x</i>',
    '</div>',
    '<div itemscope itemref=p></div>',
    '',
  ),
  'parts of one item': numbered('', (i) => `<p id=p${i} itemprop=a itemscope itemref=p${i + 1}>`),
  'dates of an item': around('<div class=h-event>', '<i class=dt-start>10:30</i>', ''),
  'properties in properties': around('<div class=h-entry>', '<div class="e-a p-b u-c dt-d">x', ''),
  'microformats in microformats': repeat('<div class="h-entry p-a">x'),
  'values of a property': around('<div class=h-card><p class=p-tel>', '<i class=value>1</i>', ''),
  'statements of one thing': (size) =>
    numbered('<div about="/a">', (i) => `<i property="schema:p${i}">x</i>`, '</div>')(size / 2) +
    numbered(
      '<div about="/s" typeof="schema:T">',
      (i) => `<a rel="schema:q${i}" resource="/a"></a>`,
    )(size / 2),
  'names with a long vocabulary': (size) =>
    numbered(
      `<div typeof=T vocab="http://a.example/${'v'.repeat(size / 2)}">`,
      (i) => `<i property="p${i}">x</i>`,
    )(size),
  'a thing with a long name': (size) =>
    numbered(
      `<div typeof="schema:T" about="http://a.example/${'v'.repeat(size / 2)}">`,
      (i) => `<i property="schema:p${i}">x</i>`,
    )(size),
  'a list of RDF': numbered(
    '<div prefix="rdf: http://www.w3.org/1999/02/22-rdf-syntax-ns#" about="/s" ' +
      'typeof="schema:T"><a rel="schema:q" resource="_:a0"></a></div>',
    (i) =>
      `<p about="_:a${i}"><a rel="rdf:first" resource="/x"></a><a rel="rdf:rest" resource="_:a${i + 1}"></a></p>`,
  ),
  'lists of an element': around(
    '<div about="/s" typeof="schema:T">',
    '<a rel="schema:q" inlist href=/x></a>',
    '',
  ),
  'cells that span': around('<table>', '<tr><td rowspan=9 colspan=200>1<td>2', '</table>'),
  'cells that span all': around(
    `<table><tr>${'<td rowspan=0>1'.repeat(200)}`,
    '<tr><td>2',
    '</table>',
  ),
  'headings that span': around(
    '<table>',
    '<tr><th rowspan=3>a<th colspan=2>b',
    '<tr><td>1</table>',
  ),
  'state of a script': around('<script>window.a = [', '{"name":"a","price":1},', '0]</script>'),
  'blocks of state': repeat('<script type="application/json">{"sku":"a"}</script>'),
  'a state without end': around('<script>var a = ', '[{"a":', ''),
  'labels and values': around('<h1>a</h1>', '<dt>SKU:</dt><dd>12</dd>', ''),
  comments: around(
    '<div class=comments>',
    '<div class=comment><b class=author>Ann</b> <time>2024-01-02</time><p class=content>a b</div>',
    '</div>',
  ),
  cards: around(
    '<main>',
    '<article class=card><img src=/i.png><h2><a href=/a>a name of it</a></h2>' +
      '<p>some words about it, of which there are enough to be read as its description</p>' +
      '<b class=price>$ 1.50</b></article>',
    '</main>',
  ),
  buttons: around('<h1>a</h1>', '<button class=buy>buy</button>', ''),
  'headings above texts that lead on': numbered(
    '<body>',
    (i) => `<h2>Report ${i}</h2><div><p>a text of some words</p><a href=/${i}>More on it</a></div>`,
  ),
  'columns of headings above texts': numbered('<body>', (i) => {
    const record = `<h2>Report ${i}</h2><div>a text of words <a href=/${i}/`
    return `<div>${[1, 2, 3].map((j) => `${record}${j}>More on it</a></div>`).join('')}</div>`
  }),
  'rows of cells that name nothing': numbered(
    '<table><tr><td><table>',
    (i) =>
      `<tr><td><font><a href=/${i}>A thread ${i}</a></font><td><font><a href=/u?user=${i}>Ann ${i}` +
      '</a></font><td><table><tr><td><font>Mar 5, 2026</font></table>',
  ),
  'footnotes in cells': around('<table><tr><th>a<th>b', '<tr><td>1<sup>[2]</sup><td>2', '</table>'),
} satisfies Record<string, (size: number) => string>).map(([name, make]) => ({
  name,
  make,
  isLate: LATE.has(name),
}))

/** Documents of XML, like sitemaps and feeds. */
export const XMLS: readonly Family[] = Object.entries({
  'entries of a feed': around(
    '<rss><channel>',
    '<item><title>a</title><link>http://a.example/b</link></item>',
    '</channel></rss>',
  ),
  'entries in entries': around('<rss>', '<item><title>a', ''),
  'entries of one line': around('<rss><item><description>', 'a ', ''),
  'a sitemap': around('<urlset>', '<url><loc>http://a.example/b</loc></url>', '</urlset>'),
  CDATA: around('<rss><item><title>', '<![CDATA[a]]>', ''),
  'unfinished CDATA': around('<rss>', '<![CDATA[', ''),
  'opening signs': around('<a>', '<', ''),
  'processing instructions': around('<a>', '<?b?>', ''),
  declarations: around('', '<!ENTITY a "b">', '<a>'),
  'entities of its own': around('<!DOCTYPE rss [<!ENTITY a "b">]><rss><channel>', '<item>&a;', ''),
  'CDATA beside entities': around(
    '<!DOCTYPE rss [<!ENTITY a "b">]><rss>',
    '&a;<![CDATA[&a;]]>',
    '',
  ),
  'elements in elements': halves('', '<a>', '', '</a>', ''),
  'names with prefixes': around('<a>', '<b:c d:e="f"/>', ''),
  'stray end tags': around(`<a>${'<b>'.repeat(450)}`, '</c>', ''),
  'many attributes': numbered('<urlset', (i) => ` a${i}=""`, '></urlset>'),
  'attributes without an end': numbered('<urlset', (i) => ` a${i}=""`),
  'an attribute of entities': around('<urlset a="', '&lt;', ''),
} satisfies Record<string, (size: number) => string>).map(([name, make]) => ({ name, make }))
