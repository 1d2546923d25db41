import type { Row } from '../../../kernel/json.ts'

/** First rows that each template gave on its fixture, long texts cut. Made by `npm run templates`: do not edit. */
export const SAMPLES: Readonly<Record<string, readonly Row[]>> = {
  "article": [
    {"url":"https://gazette.example.com/2030/harbour-bridge","title":"Harbour bridge opens after nine years","author":"Ines Calder","published":"2030-01-31T07:45:00Z","modified":"2030-01-31T12:10:00Z","section":"City","summary":"The swing bridge across the inner harbour carried its first buses on Thursday.","image":"https://gazette.example.com/media/2030/bridge-1200.jpg","markdown":"City\n\n# Harbour bridge opens after nine years\n\nBy [Ines Calder](https://gazette.example.com/staff/calder) and [Tom Okafor](https://gazette.example.com/staff/okafor) 31 January 2030\n\n![The new bridge at dawn](https://gazette.example.com/media/2030/bridge-800.jpg)\n\n*The bridge on its first morning.*\n\nAt a quarter to six on Thursday morning the first bus rolled over the new swing bridge, nine years a…"},
  ],
  "contacts": [
    {"page":"https://boatyard.example.com/","name":"Tidewater Yard","emails":[],"phones":["+44 20 7946 0018"],"address":null,"social":["https://www.instagram.com/tidewateryard","https://github.com/tidewateryard/"]},
    {"page":"https://boatyard.example.com/contact-us","name":"Tidewater Yard Ltd","emails":["yard@boatyard.example.com","repairs@boatyard.example.com"],"phones":["+44 20 7946 0018"],"address":"Slip 4, Harbour Road Westhaven WH1 2AB","social":[]},
  ],
  "cooking-recipe": [
    {"url":"https://larder.example.com/plum-cake","name":"Plum cake from a tray","author":"Rosa Hartmann","ingredients":["500 g flour","1 kg plums","200 ml milk","20 g yeast"],"steps":["Mix flour, milk and yeast; let it rise for an hour.","Halve the plums.","Bake at 180 degrees until the edges are brown."],"prepTime":"PT30M","cookTime":"PT45M","totalTime":"PT1H15M","yield":"12 pieces","calories":"240 kcal","rating":4.5,"image":"https://larder.example.com/i/plum.jpg"},
    {"url":"https://larder.example.com/pea-soup","name":"Pea soup for a cold watch","author":"Jon Pell","ingredients":["400 g split peas","1 ham bone"],"steps":["Soak the peas overnight.","Simmer with the bone until they fall apart."],"prepTime":null,"cookTime":"PT2H","totalTime":null,"yield":"6 bowls","calories":null,"rating":null,"image":"https://larder.example.com/i/pea.jpg"},
  ],
  "docs-markdown": [
    {"url":"https://tiller.example.com/docs/","title":"Start here","breadcrumbs":["Docs"],"modified":"2030-01-10","markdown":"# Start here\n\nTiller steers small boats by a file. It reads the file once, and then it holds the course until you tell it otherwise.\n\nGo on with [the installation](https://tiller.example.com/docs/install.html), which takes a minute."},
    {"url":"https://tiller.example.com/docs/install.html","title":"Install","breadcrumbs":["Docs","Install"],"modified":"2030-01-12T08:00:00Z","markdown":"# Install\n\nTiller needs a rudder and a shell. Any shell will do, and nearly any rudder.\n\n```sh\ntiller init --boat marigold\ntiller steer north\n```\n\n## Check it\n\n| Command | Shows |\n| --- | --- |\n| `tiller status` | the course |"},
  ],
  "events": [
    {"name":"The Lighthouse Quartet","starts":"2030-02-14T19:30:00Z","ends":"2030-02-14T22:00:00Z","venue":"Harbour Hall","city":"Westhaven","price":22,"currency":"GBP","organizer":"Friends of the Hall","status":"https://schema.org/EventScheduled","description":"Strings and a foghorn.","url":"https://harbourhall.example.com/e/quartet","image":"https://harbourhall.example.com/i/quartet.jpg"},
    {"name":"The Pilot's Daughter","starts":"2030-02-20","ends":null,"venue":"Small stage","city":"Westhaven","price":12,"currency":"GBP","organizer":null,"status":"https://schema.org/EventPostponed","description":null,"url":"https://harbourhall.example.com/e/daughter","image":null},
  ],
  "feed": [
    {"title":"Harbour bridge opens after nine years","url":"https://gazette.example.com/2030/harbour-bridge","id":"gz-20300131-1","date":"2030-01-31T07:45:00Z","author":"Ines Calder","categories":["City","Transport & ships"],"summary":"The swing bridge carried its first buses.","content":"## Opening\n\nAt a quarter to six the [first bus](https://gazette.example.com/lines/9) rolled over.","enclosure":null,"feed":"https://gazette.example.com/feed.xml"},
    {"title":"Fish market moves indoors & stays","url":"https://gazette.example.com/2030/fish-market","id":"https://gazette.example.com/2030/fish-market","date":"2030-01-30T16:20:00Z","author":null,"categories":[],"summary":"After forty winters in the wind.","content":null,"enclosure":"https://gazette.example.com/audio/fish.mp3","feed":"https://gazette.example.com/feed.xml"},
  ],
  "forum-thread": [
    {"thread":"How much anchor chain?","id":"js-post-9001","author":"seal","date":"2030-01-02T10:00:00Z","text":"How much chain for a boat of nine metres?  \nI have thirty.","page":"https://sailors.example.com/threads/anchor-chain.118/"},
    {"thread":"How much anchor chain?","id":"js-post-9002","author":"oldbarnacle","date":"2030-01-02T11:30:00Z","text":"> I have thirty.\n\nThen you have **enough**. See [scope](https://sailors.example.com/wiki/scope).","page":"https://sailors.example.com/threads/anchor-chain.118/"},
  ],
  "job-postings": [
    {"title":"Rigger","employer":"Tidewater Yard","city":"Westhaven","country":"GB","remote":null,"type":"FULL_TIME","salaryFrom":2600,"salaryTo":3100,"currency":"GBP","salaryUnit":"MONTH","posted":"2030-01-15","validThrough":"2030-03-01T00:00:00Z","description":"<p>Splicing, swaging and a head for heights.</p>","page":"https://careers.example.com/o/rigger"},
    {"title":"Harbour pilot","employer":"Port of Westhaven","city":"Westhaven","country":"GB","remote":null,"type":["FULL_TIME","CONTRACTOR"],"salaryFrom":61000,"salaryTo":null,"currency":"GBP","salaryUnit":"YEAR","posted":"2030-01-20","validThrough":null,"description":"Master's ticket required.","page":"https://careers.example.com/o/pilot"},
  ],
  "json-api": [
    {"id":"WH-1","name":"Westhaven bar","latitude":54.81,"tags":["wave","wind"]},
    {"id":"WH-2","name":"Outer pile","latitude":54.9,"tags":[]},
  ],
  "link-check": [
    {"url":"https://harbourhall.example.com/","outcome":"fetched","status":200,"error":null,"foundOn":null,"leadsTo":"https://harbourhall.example.com/","title":"Harbour Hall"},
    {"url":"https://harbourhall.example.com/calendar","outcome":"fetched","status":200,"error":null,"foundOn":"https://harbourhall.example.com/","leadsTo":"https://harbourhall.example.com/calendar","title":"Calendar"},
  ],
  "news-section": [
    {"title":"Harbour bridge opens after nine years","url":"https://gazette.example.com/2030/harbour-bridge","date":"2030-01-31T07:45:00Z","author":"Ines Calder","description":"The swing bridge across the inner harbour carried its first buses on Thursday.","image":"https://gazette.example.com/media/harbour-bridge-300.jpg"},
    {"title":"Fish market moves indoors for good","url":"https://gazette.example.com/2030/fish-market","date":"2030-01-30T16:20:00Z","author":"Tom Okafor","description":"After forty winters in the wind the sellers get a roof, a cold store and a tap each.","image":"https://gazette.example.com/media/fish-market-300.jpg"},
  ],
  "page-metadata": [
    {"url":"https://gazette.example.com/2030/harbour-bridge","title":"Harbour bridge opens","description":"First buses on Thursday.","canonical":"https://gazette.example.com/2030/harbour-bridge","robots":"index, max-image-preview:large","language":"en-GB","alternates":[{"language":"de","url":"https://gazette.example.com/de/2030/hafenbruecke"},{"language":"x-default","url":"https://gazette.example.com/2030/harbour-bridge"}],"headings":["Harbour bridge opens after nine years"],"ogTitle":"Harbour bridge opens after nine years","ogDescription":"Nine years, four minutes.","ogType":"article","ogImage":"https://gazette.example.com/media/bridge.jpg","siteName":"The Tidewater Gazette","twitterCard":"summary_large_image","icon":"https://gazette.example.com/favicon.ico","feeds":["https://gazette.example.com/feed.xml"],"structured":["NewsArticle","Organization"]},
    {"url":"https://harbourhall.example.com/","title":"Harbour Hall","description":null,"canonical":null,"robots":null,"language":null,"alternates":[],"headings":["Harbour Hall","Programme"],"ogTitle":null,"ogDescription":null,"ogType":null,"ogImage":null,"siteName":null,"twitterCard":null,"icon":null,"feeds":[],"structured":[]},
  ],
  "product": [
    {"url":"https://lamps.example.com/p/halden","name":"Halden desk lamp, brass","price":129,"currency":"EUR","availability":"https://schema.org/InStock","sku":"HAL-07-BR","gtin":"4006381333931","brand":"Nordlys","rating":4.6,"reviews":118,"description":"A jointed arm of brushed brass and a shade that turns.","image":"https://lamps.example.com/i/halden-1.jpg"},
  ],
  "product-list": [
    {"title":"Halden desk lamp, brass","url":"https://lamps.example.com/p/halden","price":129,"rating":4.6,"image":"https://lamps.example.com/i/halden-300.jpg"},
    {"title":"Moss lamp with clamp","url":"https://lamps.example.com/p/moss","price":39,"rating":4.1,"image":"https://lamps.example.com/i/moss-300.jpg"},
  ],
  "reviews": [
    {"author":"Petra","rating":9,"date":"2030-01-12","title":"Woken by gulls, as promised","text":"Quiet room, loud roof. We would come again."},
    {"author":"M. O'Dowd","rating":6,"date":"2030-01-09","title":"Breakfast ends at nine","text":"It does. So be early."},
  ],
  "search-results": [
    {"title":"Survey of the tide mills on the eastern creek","url":"https://archive.example.com/r/1204","description":"Twelve mills, of which tide drives nine and the miller’s wife two more.","date":"1891-06-02"},
    {"title":"Letter concerning a mill pond","url":"https://archive.example.com/r/0877","description":"The pond leaks at springs, writes the tenant, and he asks for clay.","date":"1874-03-11"},
  ],
  "sitemap": [
    {"url":"https://gazette.example.com/2030/harbour-bridge","modified":"2030-01-31T12:10:00Z","changes":"daily","priority":0.8,"images":["https://gazette.example.com/media/2030/bridge-1200.jpg"],"sitemap":"https://gazette.example.com/sitemap-2030.xml"},
    {"url":"https://gazette.example.com/city?page=1&sort=new","modified":null,"changes":null,"priority":null,"images":[],"sitemap":"https://gazette.example.com/sitemap-2030.xml"},
  ],
  "tables": [
    {"line":"Northpoint","ship":"Petrel","passengers":412300,"change":-1.2,"url":"https://figures.example.com/lines/1"},
    {"line":"Islands","ship":"Fulmar","passengers":288950,"change":4,"url":"https://figures.example.com/lines/2"},
  ],
}
