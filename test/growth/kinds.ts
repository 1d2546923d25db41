import type { Family } from './families.ts'

// Families of inputs that look like those of sites: they reach the readers of goods, posts,
// articles, pagers and feeds, which merely hostile inputs do not reach.

const around = (before: string, unit: string, after = '') => numbered(before, () => unit, after)

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

const named = (kinds: Record<string, (size: number) => string>): readonly Family[] =>
  Object.entries(kinds).map(([name, make]) => ({ name, make }))

const PROSE =
  'The river rises in the hills, and runs past the mill. Nobody knows who built it, but it stands. '
const GERMAN =
  'Der Fluss und die Mühle sind nicht von hier, aber das ist auch nicht wichtig für uns. '
const data = (json: string): string => `<script type="application/ld+json">${json}</script>`
const OFFER =
  '{"@type":"Offer","url":"/list","price":"1.234","priceCurrency":"EUR","availability":"https://schema.org/InStock"}'

/** Goods: on a page of their own, in a list, and in structured data. */
export const GOODS = named({
  'a product in state': numbered(
    '<meta property="og:site_name" content="b"><h1>Mill</h1><script>var a=[',
    (i) => `{name:"Mill",brandName:"b",price:"${i}"},`,
    ']</script>',
  ),
  'products in data': around(
    '<h1>Mill</h1>',
    data(
      '{"@type":"Product","name":"Mill","sku":"MILL-1","brand":{"name":"b"},"offers":[' +
        `${OFFER}],"aggregateRating":{"ratingValue":"4,5","reviewCount":"12"}}`,
    ),
  ),
  'offers of a product': numbered(
    '<h1>Mill</h1><script type="application/ld+json">{"@type":"Product","name":"Mill","offers":[',
    () => `${OFFER},`,
    `${OFFER}]}</script>`,
  ),
  'one product with goods beside it': numbered(
    `<main><h1>Mill</h1>${data(`{"@type":"Product","name":"Mill","offers":{"@type":"AggregateOffer","lowPrice":1}}`)}`,
    (i) =>
      `<article class=card><img data-src=/i${i}.png src=/x.gif><h2><a href=/a${i}` +
      `>the mill of number ${i}</a></h2><b class=price>${i}.234 €</b></article>`,
  ),
  'goods with icons, numbers and names': numbered(
    '<div>',
    (i) =>
      `<div class=card>${i % 2 === 0 ? '<img src=/new.svg>' : ''}<a href=/a${i}><img src=/i${i}.png><h4>AB-${i}10</h4>` +
      `<p class=card-name>The mill of number ${i}</p></a><b class=price>$${i}.50</b></div>`,
  ),
  'a product with controls': around(
    '<h1>Mill</h1><b class=price>$ 12</b>',
    '<form class="related-products"><a class="related-item">b</a><button class=similar>c' +
      '</button></form><p class="you-may-also-like"><a href=/b>c</a><b class=price>$ 13</b>' +
      '</p>',
  ),
  'a code that is repeated': around('<h1>Mill</h1><b class=price>$ 12</b>', '<p>AB-12345 '),
  'numbers that are unclear': around('<ul>', '<li><b class=price>1.234</b> <i>1,234</i>'),
  'numbers in German': around(`<p>${GERMAN}`, `<li><b class=price>1.234</b> ${GERMAN}`),
  'properties of goods': around(
    '',
    '<div itemscope itemtype=http://schema.org/Product><b itemprop=name>a</b><i itemprop=brand>b</i></div>',
  ),
})

/** Lists: posts, teasers, tables beside them, and links to their next page. */
export const LISTS = named({
  'titles that are cut': numbered(
    '<main>',
    (i) => `<li><h2><a href=/a${i} title="The mill of number ${i}">The mill of…</a></h2><p>a ${i}`,
  ),
  'addresses in links': numbered(
    '<main>',
    (i) => `<li><h2>The mill of number ${i}</h2><a href="mailto:m${i}@a.example?a=b">Write</a>`,
  ),
  'posts of plain elements': numbered(
    '<main>',
    (i) =>
      `<div><b><a href=/u/a${i}>ann ${i}</a></b><i>a</i><div>${PROSE}</div><div><div><b>` +
      `<a href=/u/b${i}>ben ${i}</a></b><i>a</i><div>${PROSE}</div></div></div></div>`,
  ),
  'buttons of pages': numbered(
    '<p class=pager><button disabled>1</button>',
    (i) => `<button data-url="?page=${i + 2}">${i + 2}</button>`,
  ),
  posts: numbered(
    '<main>',
    (i) =>
      `<div class=post><a class=author href=/u/${i}>Ann Lee ${i}</a> <time>2024-01-02` +
      `</time><div class=text>${i} ${PROSE}${PROSE}</div></div>`,
  ),
  'posts with pictures and counts': numbered(
    '<main>',
    (i) =>
      `<div class=post><div class=user><img src=/p/${i}.png><a class=username href=/u/${i}>Ann Lee ` +
      `${i}</a> <i class=badge>old</i></div><b>${i} replies</b><div class=post-body>${i} ${PROSE}` +
      `${PROSE}</div><img src=/q/${i}.png></div>`,
  ),
  'tables with the same headings': numbered(
    '',
    (i) =>
      '<table class=part><tr><th>Team<th>Won<th>Lost' +
      `${`<tr><td>The mill ${i}<td>1<td>2`.repeat(3)}</table>`,
  ),
  'tables that are items': numbered(
    '<main>',
    (i) =>
      `<table><tr><td><h3><a href=/n/${i}>The mill that has number ${i}</a></h3><tr><td>${PROSE}` +
      `<tr><td>${i} days ago</table><hr>`,
  ),
  teasers: numbered(
    '<main>',
    (i) =>
      `<article class=teaser><h2><a href=/n/${i}>The mill that has number ${i}</a></h2><p>` +
      `${PROSE}${PROSE}</p></article>`,
  ),
  'titles in titles': numbered(
    '<main>',
    (i) =>
      `<div class=item><div class=item-title><a class=item-title href=/t${i}>The mill ${i}` +
      ` of them</a> x</div><p class=text>${PROSE}</p></div>`,
  ),
  'titles of two kinds': numbered('<ul>', (i) =>
    i % 2 === 0
      ? `<li class=row><h2 class=one><a href=/a${i}>The mill ${i}</a></h2><p>${PROSE}</p>`
      : `<li class=row><div class=two><h3><a href=/b${i}>The hill ${i}</a></h3></div><p>${PROSE}</p>`,
  ),
  'lists in lists of cards': numbered(
    '<main>',
    (i) =>
      `<section class=group><h2>Group ${i}</h2><div class=card><h3><a href=/c${i}>The card ` +
      `${i}</a></h3><p>${PROSE}</p></div><div class=card><h3><a href=/d${i}>A card ${i}` +
      `</a></h3><p>${PROSE}</p></div></section>`,
  ),
  'rows of two': numbered(
    '<table>',
    (i) =>
      `<tr class=story><td><a href=/s/${i}>The mill that has number ${i}</a><td class=rank>${i}` +
      `<tr><td colspan=2><b class=score>${i} points</b> by <a href=/user/${i}>Ann ${i}</a>`,
  ),
  'paragraphs of two kinds': numbered(
    '<main>',
    (i) => `<p class=name>The mill that has number ${i}<p class=words>${PROSE} ${i}`,
  ),
  'terms and what they mean': numbered('<dl>', (i) => `<dt>Mill ${i}<dd>${PROSE} ${i}`),
  'headings and what is below them': numbered(
    '<main>',
    (i) => `<h3><a href=/h/${i}>The mill ${i}</a> 2024-01-02</h3><p>${PROSE}<p>${PROSE}`,
  ),
  'cards without names': numbered(
    '<ul>',
    (i) =>
      `<li><h3><a href=/c${i}>the card of number ${i}</a></h3><p>Firm ${i}a</p>` +
      `<p>${i} replies, ${i} views</p></li>`,
  ),
  'comments in comments': numbered(
    '<main>',
    (i) =>
      `<div class=comment><a class=author href=/u/${i}>Ann ${i}</a><div class=body>${PROSE} ${i}` +
      `</div><div class=comment><a class=author href=/u/${i}>Bob ${i}</a><div class=body>${PROSE}` +
      '</div></div></div>',
  ),
  'columns with names': numbered(
    '<ul>',
    (i) =>
      `<li class=card><h3><a href=/c/${i}>The card ${i}</a> 2024-01-02</h3><b class=phone>+44 ${i}</b> ` +
      `<i>${i} stars today</i> <dl><dt>Maker<dd>Mill ${i}a</dl><a class=tag href=/t>a${i}</a>` +
      `<a class=tag href=/t>b${i}</a><u>199${i % 10}</u><s>1h ${i % 60}m</s><p class=agent><b>Ann ` +
      `${i}a</b> <q>Lee</q></p><em>Size: no. ${i}a</em> <i title=Area>${i}0 m²</i> ` +
      `<a href=/c/${i}/forks>${i}</a> <a href=mailto:a${i}@a.example>a${i}</a></li>`,
  ),
  'threads in a table': numbered(
    '<table><thead><tr><th><a href=?sort=1>Thread</a><th>Answers<th>Last post<tbody>',
    (i) =>
      `<tr><td><a href=/t/${i}>A thread with number ${i}</a> by <a href=/user/${i}>Ann ${i}</a> ` +
      `<time datetime=2024-01-02></time><td>${i}<td>Bob ${i}`,
  ),
  'counted answers with links between them': numbered(
    '<main>',
    (i) =>
      `<div class="box answer-item-${i}"><a href=/u/${i}>Ann ${i}</a><p class=answer_body>${PROSE}</div>` +
      `<div class=box><a href=/q/${i}>A question</a></div>`.repeat(i % 2),
  ),
  'threads above the numbers of pages': numbered(
    '<table>',
    (i) => `<tr><td><a href=/t${i}>Thread about the mill ${i}</a><td>Ann ${i}<td>${i} answers`,
    '<tr><td colspan=3><a href="?page=2">2</a></table>',
  ),
  'cards that are links': numbered(
    '<ul>',
    (i) => `<li class=card><a href=/c/${i}><p>2024-01-02<p class=name>The card ${i}<p>${PROSE}</a>`,
  ),
  'questions that open': numbered(
    '<main>',
    (i) => `<details><summary>What is part ${i} of it for?</summary><p>${PROSE} ${i}</details>`,
  ),
  'a menu of food': numbered(
    '<div class=menu>',
    (i) =>
      `<div class=dish><b class=dish-name>Pie ${i}</b><i class=price>${i}.50</i><p>${PROSE}</div>`,
  ),
  'prices of a sale': numbered(
    '<ul>',
    (i) =>
      `<li class=card><a href=/c/${i}>The card ${i} of the mill</a><b class="price-item--regular ` +
      `regular">$${i}9</b><b class=price-item--sale>$${i}5</b></li>`,
  ),
  'a calendar and its days': numbered(
    `<table><tr>${'<th>Mo'.repeat(7)}${`<tr>${'<td>1'.repeat(7)}`.repeat(5)}</table><ul>`,
    (i) => `<li><a href=/a${i}>a${i}</a>`,
    '</ul>',
  ),
  'a calendar beside links': around(
    '<table><tr><th>Mo<th>Tu<th>We<th>Th<th>Fr<th>Sa<th>Su' +
      `${'<tr><td>1<td>2<td>3<td>4<td>5<td>6<td>7'.repeat(5)}</table><ul>` +
      `${'<li><a href=/a>a river of the hills</a>'.repeat(8)}</ul>`,
    '<!-- -->',
  ),
  'pages of numbers': numbered(
    '<nav class=pagination>1 | ',
    (i) => `<a href="/list/page/${i + 2}">${i + 2}</a> | `,
  ),
  'a next link among links': numbered(
    '<div class=pager><a class=next-page aria-label="Next page" href="/list?page=2">Next</a></div>',
    (i) => `<a href="/x${i}">${i}</a>`,
  ),
  'links to more': numbered('', (i) => `<p><a href="/list?page=${i}">Show more</a>`),
  'pages beside a text': numbered(
    '<div class=pagination>',
    (i) => `Page ${i + 1} <a href="/list?page=${i + 2}">${i + 2}</a> `,
  ),
  'next links': numbered(
    '',
    (i) => `<p class=pager><a title="Next" href="/list?page=${i}">Next</a>`,
  ),
})

/** Articles with their asides and comments. */
export const ARTICLES = named({
  'an article among teasers': numbered(
    '<meta property="og:type" content="article"><title>The mill - Site</title><article>' +
      `<h1>The mill</h1>${`<p>${PROSE}${PROSE}</p>`.repeat(8)}`,
    (i) =>
      '<div class=more>' +
      `<div><h3><a href=/n${i}>The hill that has number ${i}</a></h3>A river.</div>`.repeat(5) +
      '</div>',
  ),
  'an article among galleries': numbered(
    '<meta property="og:type" content="article"><title>The mill</title><article>' +
      `<h1>The mill</h1>${`<p>${PROSE}${PROSE}</p>`.repeat(8)}`,
    (i) => `<div class="gallery slideshow"><p>${PROSE} ${i}</p></div><p>${PROSE}</p>`,
  ),
  'people who wrote': numbered(
    '<article><h1>The mill</h1>' +
      `${data('{"@type":"Article","author":[{"@id":"#a"},{"@id":"#b"}]}')}` +
      `${data('{"@id":"#a","@type":"Person","name":"Ann Lee"}')}`,
    (i) => `<p class=byline>By <b class=author rel=author>Ann Lee${i}</b>, ann</p><p>${PROSE}</p>`,
  ),
  'sources of texts': around(
    '<meta name=author content=a.example><meta name="twitter:creator" content="@AnnLee"><h1>a</h1>' +
      '<p class=date>2 January 2024</p>',
    '<p>Source: Mill Agency</p><time datetime=2024-01-02T03:04>x</time>',
  ),
  'times beside the day of a change': around(
    '<meta name=date content=2024-01-05><h1>a</h1>',
    '<p>a</p><time datetime=2024-01-02>x</time>',
  ),
  'people in data': numbered(
    `<h1>The mill</h1><script type="application/ld+json">{"@type":"Article","headline":"The mill","author":[`,
    (i) => `{"@id":"#${i}"},{"@type":"Person","name":"Ann Lee${i}"},"Bob Ray",`,
    '0]}</script>',
  ),
  'a title and one heading': around(
    '<title>The mill - Site</title><h2>The mill</h2>',
    `<p>${PROSE}`,
  ),
  'a heading that says less': around(
    '<title>Of the mill on a hill over the river</title><h1>A mill which was built before anyone knew</h1>',
    `<p>${PROSE}`,
  ),
  'links to what it is': numbered('<head>', (i) => `<link rel="canonical x" href=/c${i}>`),
  'code in text': around('<p>', '<code> a`b </code><tt>``</tt> <code><div>x</div></code>'),
  'strong headings': around('', '<h2> <strong>The mill</strong> </h2><p>a'),
  'answers to comments': around(
    '<article><h1>a</h1><p>b</article><div id=comments>',
    '<div class=comment><div class=author><span class="author name">Ann ' +
      '<b class=username>Lee</b></span></div><time>2024-01-02</time>' +
      '<p class=comment-content>a b c</p></div>',
  ),
  'comments in data': numbered(
    '<script type="application/ld+json">{"@type":"Article","comment":[',
    (i) =>
      `{"@type":"Comment","text":"a b ${i}","author":{"name":"Ann"},"dateCreated":"2024-01-02"},`,
    '0]}</script>',
  ),
})

/** Elements that some sources read in a special way. */
export const ELEMENTS = named({
  pictures: around(
    '',
    '<picture><source srcset="/a.webp 2x, /b.webp"><img src=/a.png></picture><video><source src=/v.mp4></video>',
  ),
  'times in cells': around(
    '<table><tr><th>a<th>b',
    '<tr><td><time datetime=2024-01-02>x</time><td>1',
  ),
  'JSON in attributes': around(
    '',
    `<p data-json='{"a":[{"name":"b"},{"name":"c"}],"url":"/i.png"}'>`,
  ),
  'values of microformats': around(
    '',
    '<div class=h-entry><a class="p-author h-card" href=/a>Ann</a><p class=p-name>b</p></div>',
  ),
  'times of RDFa': around(
    '<div about="/s" typeof="schema:T">',
    '<time property="schema:d">2024-01-02</time><time property="schema:e">P1D</time>',
  ),
  'broken JSON-LD': around('', data("{'@type':'Product','name':'a',}")),
  'one broken block': around(
    '<script type="application/ld+json">[',
    "{'name':'a',},",
    ']</script>',
  ),
  'media in data': around(
    '<h1>a</h1><script type="application/ld+json">{"@type":"Product","name":"a","image":[',
    '{"contentUrl":{"a":1},"url":"/i.png"},{"@id":"/j.png"},',
    '"/k.png"]}</script>',
  ),
  'forms that end': around('', '<form><p>a</form><form><b></form>x</b></form>'),
  'selects that end': around(
    '',
    '<select><optgroup><option>a</option></optgroup><option>b</select><table><tr><td><select></td></select></table>',
  ),
  'labels of charsets': around('<meta charset=iso-8859-2>', '<p>\u00e9'),
  'names with namespaces': around(
    '<div xmlns:b="http://b.example/">',
    '<b:c d:e=1>x</b:c><svg><a>y</a></svg>',
  ),
  'styles with addresses': around(
    '',
    '<style>@import "/a.css"; p { background: url(/b.png) }</style><p style="background:url(/c.png)">a',
  ),
  'values that were lost': around(
    '<meta property="og:x" content="a"><script type="application/ld+json">[',
    '{"name":"a","inner":{"price":"3.10"}},',
    '0]</script><h1>a</h1>',
  ),
})

/** Texts of dates and numbers, as people write them. */
export const VALUES = named({
  'a compact date': around('20240102T101112Z', ' '),
  'short years': around('24/01/02 ', '24. jan 24, 02/01/24 '),
  'hours with halves': around('3 january 2024 ', '10:30 p.m. GMT+2 10.15 pm EST '),
  'zones of a time': around('2024-01-02 10:30 +02:00 ', '10:30 -0500 '),
  'about some days': around('about ', '3 days ago, in about 2 hours '),
  'months in another case': around('', '2. studenom 2024 ', ''),
  'a date and spaces': around('2. Januar 2024, 14 Uhr', ' '),
  'years first': around('24年1月2日 ', '24-01-02 24 jan 02 '),
  'a price of groups': around('', '1.234 € '),
  'an amount before': around('', 'EUR 1,234 '),
  'a number and a word': around('1.234', ' Stück'),
  'a price and a word': around('1,234', ' USD'),
  'a number and words that multiply': around('1,5', ' Mio. mille'),
  'a number and a letter': around('$1,5M', ' M k'),
  'a number and signs': around('5億', '2千万'),
  'a number with spaces': around('1,234', ' '),
})

/** Documents of JSON whose members have a meaning. */
export const JSONS = named({
  'texts that are compared': numbered(
    '[',
    (i) => `{"name":"ab${i}\u{1f600}","other":"ab${i}\uffff"},`,
    '{}]',
  ),
  'a list with a next address': around(
    '{"next":"/list?page=2","items":[',
    '{"name":"a","price":1},',
    '{"name":"b","price":2}]}',
  ),
  'a list with a token': around(
    '{"nextCursor":"abc","items":[',
    '{"name":"a","price":1},',
    '{"name":"b","price":2}]}',
  ),
  'a list with links': around(
    '{"_links":{"next":{"href":"/list?page=2"}},"items":[',
    '{"name":"a","price":1},',
    '{"name":"b","price":2}]}',
  ),
  'addresses of media': around('[', '"/a.png",{"contentUrl":"/b.png"},', '0]'),
  'numbers as names': numbered('{', (i) => `"${(i * 7_919) % 1_000_003}":0,`, '"a":0}'),
})

/** Feeds whose contents are HTML. */
export const FEEDS = named({
  'contents of a feed': around(
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    '<entry><title>a</title><content type="html">&lt;p&gt;a b&lt;/p&gt;</content>' +
      '<content type="image/png">aGk=</content></entry>',
    '</feed>',
  ),
  'contents in Base64': around(
    '<feed xmlns="http://www.w3.org/2005/Atom">',
    '<entry><title>a</title><content mode="base64" type="text/html">PHA+YSBiPC9wPg==</content></entry>',
    '</feed>',
  ),
  'one long content': around(
    '<feed xmlns="http://www.w3.org/2005/Atom"><entry><content type="html">',
    '&lt;p&gt;a b&lt;/p&gt;',
    '</content></entry></feed>',
  ),
})
