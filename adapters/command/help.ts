export const HELP = `seine – web data extraction: pages in, a file of rows out

Usage
  seine extract <url> [options]    extract rows from a site
  seine serve [options]            serve the HTTP API and run its jobs
  seine keys create [options]      create an API key
  seine verify [options]           recompute stored indexes, balances and counters; report differences
  seine bench [options]            measure this machine on a generated site
  seine <command> --help           all options of a command
  seine --version

Data is kept in .seine (SQLite) unless --data says otherwise.
`

export const EXTRACT_HELP = `seine extract <url> – extract rows from a site

Without --recipe and --field it detects what the page has: repeated items (a list, a table,
products), or else an article.

  seine extract https://shop.example/lamps
  seine extract https://shop.example/lamps --next "a.next" --out lamps.csv
  seine extract https://shop.example/lamps --follow ".card a" --next "a.next" --pages 100 \\
    --field "name=h1" --field "price:number=.price" --field "image=img@src" --out lamps.jsonl

What to visit
  --follow <css>          follow these links and take the rows from their pages; repeat it for a
                          further level. <css> may also be an XPath (//h1) or, on JSON pages,
                          a JSONPath ($.items[*]), here and below
  --next <css>            the link to the next page of a list
  --pages <n>             visit at most n pages
  --concurrency <n>       pages at the same time, 1 to 256
  --ignore-robots         ignore robots.txt

What to take
  --field <name=css>      a column; name:number=css gives it a type (text html markdown number
                          integer boolean date url json), name=css@attribute takes an attribute
  --items <css>           one row for each match instead of one for the page
  --recipe <file.json>    a recipe file instead of flags; <url>, if given, replaces its start URLs

Where to
  --out <file>            write all rows: .csv, .json, .jsonl, .xlsx, .parquet, .xml or .html
  --data <dir>            data directory, default .seine; :memory: keeps nothing
  --resume <id>           continue an interrupted execution
  --allow-private-network allow localhost and private addresses

Ctrl-C pauses the execution and prints how to continue. Exit codes: 0 done, 1 failed, 2 wrong use, 130 interrupted.
`

export const SERVE_HELP = `seine serve – serve the HTTP API and run its jobs

  --port <n>              default 3000; 0 picks a free one
  --host <h>              default 127.0.0.1
  --data <dir>            data directory, default .seine; :memory: keeps nothing
  --durability <d>        full: commits and files are on the disk before they are confirmed, slower;
                          normal (default): a power loss may lose the last ones
  --key <svc_sk_…>        also accept this key, with scope * on the account "default"
  --metrics-port <n>      also serve /metrics for Prometheus, on a port of its own; 0 picks a free one
  --public-url <url>      URL at which clients reach it; links in answers begin with it
  --trust-proxy <list>    proxies before it whose headers are believed: addresses and networks, or how many
  --proxy-header <name>   x-forwarded-for (default; with X-Forwarded-Proto, -Host, -Prefix), or forwarded
  --cors <origins>        origins whose pages may read answers, or *
  --jwt-issuer <url>      also accept tokens of this OpenID Connect issuer, as it is in "iss"; each
  --jwt-audience <aud>    user, or organisation (org_id), has an account. They must have this audience
  --rate <service=rate>   such as tasks=120/60s or mcp=off; repeat it. Services: tasks, analytics, billing,
                          mcp, authentication
  --allow-private-network allow tasks to fetch localhost and private addresses
  --no-rate-limit         disable the HTTP rate limits
  --search-url <url>      SearXNG instance for web searches of agents or, with a key in
                          SEINE_BRAVE_KEY, Brave Search. With neither, agents search fetched pages
  --search-on-private-network  the instance may be on localhost or a private address, over http

Each flag may be an environment variable: SEINE_PUBLIC_URL, SEINE_RATE=tasks=120/60s,mcp=off,
SEINE_NO_RATE_LIMIT=1, SEINE_KEY (which, unlike --key, no other user of the machine can read).

GET /healthz says that the process answers; GET /readyz whether store and blobs do (else 503).

It prints "listening http://HOST:PORT" once it listens. If the data directory has no key yet, a
development key is created and shown once. SIGINT and SIGTERM end it cleanly; unfinished executions
continue at the next start.
`

export const KEYS_HELP = `seine keys create – create an API key and print it once

  --name <text>           name of the key, default "command line"
  --scopes <a,b>          default *; such as tasks:*,executions:read
  --expires <time>        such as 12h, 30d or 8w; default never
  --data <dir>            data directory, default .seine

It may be used while a server runs on the same data directory.
`

export const VERIFY_HELP = `seine verify – recompute stored indexes, balances and counters; report differences

It recomputes every index, every account's ledger with its wallet, holds, months and statements, every
execution's counters from its receipt, rows and payments, and the roll-ups of analytics.

  --account <id>          only this account
  --repair                write missing index entries and delete surplus ones; change nothing else
  --json                  the whole report as JSON
  --data <dir>            data directory, default .seine

It may run while a server runs on the same data directory: a difference is checked again before it
counts. Exit codes: 0 no difference, or repaired; 1 differences; 2 wrong use.
`

export const BENCH_HELP = `seine bench – measure this machine on a generated site

It starts a generated shop in its own process. First it only fetches all pages, which is the upper bound. Then
it crawls them to stored rows as a task would, exports the rows, and calls the API. It deletes what it wrote.

  --pages <n>             pages of the site, default 1000
  --concurrency <n>       pages at the same time, default 16
  --latency <ms>          how long the site waits before it answers, default 0
  --in <dir>              folder on the disk to measure; default the system's folder for temporary files
  --json                  the figures as JSON
`
