export const HELP = `seine – web data extraction: pages in, a file of rows out

Usage
  seine extract <url> [options]    take rows from a site
  seine serve [options]            serve the HTTP API and work off its queue
  seine keys create [options]      make an API key
  seine verify [options]           work out anew what is kept, and say what differs
  seine bench [options]            measure this machine on a generated site
  seine <command> --help           all options of a command
  seine --version

Data is kept in .seine (SQLite) unless --data says otherwise.
`

export const EXTRACT_HELP = `seine extract <url> – take rows from a site

Without --recipe and --field it looks at the page and takes the repeated items (a list, a table,
products), or else the article.

  seine extract https://shop.example/lamps
  seine extract https://shop.example/lamps --next "a.next" --out lamps.csv
  seine extract https://shop.example/lamps --follow ".card a" --next "a.next" --pages 100 \\
    --field "name=h1" --field "price:number=.price" --field "image=img@src" --out lamps.jsonl

What to visit
  --follow <css>          follow these links and take the rows from the pages they lead to;
                          given again, a further level. Everywhere an XPath (//h1) or, on JSON
                          pages, a JSONPath ($.items[*]) may stand for <css>
  --next <css>            the link to the next page of a list
  --pages <n>             visit at most n pages
  --concurrency <n>       pages at the same time, 1 to 256
  --ignore-robots         do not ask robots.txt

What to take
  --field <name=css>      a column; name:number=css gives it a type (text html markdown number
                          integer boolean date url json), name=css@attribute takes an attribute
  --items <css>           one row for each match instead of one for the page
  --recipe <file.json>    a whole recipe instead; <url>, if given, replaces its start URLs

Where to
  --out <file>            write all rows: .csv, .json, .jsonl, .xlsx, .parquet, .xml or .html
  --data <dir>            data directory, default .seine; :memory: keeps nothing
  --resume <id>           go on with an execution that was interrupted
  --allow-private-network let it fetch localhost and private addresses

Ctrl-C pauses the execution and says how to go on. Exit codes: 0 done, 1 failed, 2 wrong use, 130 interrupted.
`

export const SERVE_HELP = `seine serve – serve the HTTP API and work off its queue

  --port <n>              default 3000; 0 picks a free one
  --host <h>              default 127.0.0.1
  --data <dir>            data directory, default .seine; :memory: keeps nothing
  --key <svc_sk_…>        admit this key too, with scope * on the account "default"
  --allow-private-network let tasks fetch localhost and private addresses
  --no-rate-limit         switch the HTTP rate limits off
  --search-url <url>      search the web for agents by this SearXNG instance; also SEINE_SEARCH_URL. Or by
                          Brave Search, with a key in SEINE_BRAVE_KEY. Else agents search what was fetched
  --search-on-private-network  the instance may be on localhost or a private address, over http

It prints "listening http://HOST:PORT" once it listens. If the data directory has no key yet, a
development key is made and shown once. SIGINT and SIGTERM end it cleanly; unfinished executions go on
at the next start.
`

export const KEYS_HELP = `seine keys create – make an API key and print it once

  --name <text>           what it is for, default "command line"
  --scopes <a,b>          default *; such as tasks:*,executions:read
  --expires <time>        such as 12h, 30d or 8w; default never
  --data <dir>            data directory, default .seine

It may be used while a server runs on the same data directory.
`

export const VERIFY_HELP = `seine verify – work out anew what is kept, and say what differs

It recomputes every index, every account's ledger with its wallet, holds, months and statements, every
execution's counters from its receipt, rows and payments, and the roll-ups of analytics.

  --account <id>          this account alone
  --repair                write missing index entries and delete surplus ones; nothing else is changed
  --json                  the whole report as JSON
  --data <dir>            data directory, default .seine

It may run while a server runs on the same data directory: what looks wrong is looked at again before it
counts. Exit codes: 0 all is well, or was repaired; 1 there is a difference; 2 wrong use.
`

export const BENCH_HELP = `seine bench – measure this machine on a generated site

It starts a shop on this machine as a process of its own, fetches all its pages with nothing else, which is the
limit, then crawls it to stored rows as a task would, exports them, and calls the API. What it writes is deleted.

  --pages <n>             pages of the site, default 1000
  --concurrency <n>       pages at the same time, default 16
  --latency <ms>          how long the site waits before it answers, default 0
  --in <dir>              where to write, for the disk that matters; default the system's folder for temporary files
  --json                  the figures as JSON
`
