export const HELP = `seine – web data extraction: pages in, a file of rows out

Usage
  seine extract <url> [options]    extract rows from a site
  seine serve [options]            serve the HTTP API and run its jobs
  seine mcp [options]              the tools for agents over stdin and stdout
  seine init [host]                write a starter file for the framework of this project
  seine config check [options]     show what is set and where each value comes from
  seine verify [options]           recompute stored indexes, balances and counters; report differences
  seine backup <dir|file.tar>      copy a deployment while it runs, or one account of it
  seine restore <dir|file.tar>     put a backup into an empty deployment, or an account into one
  seine erase <account>            delete all that is stored of an account
  seine doctor [url]               check this machine, the settings and what they name
  seine bench [options]            measure this machine on a generated site
  seine completion <shell>         complete commands and flags in bash, zsh or fish

On the data of a server here, or of one elsewhere by --url or SEINE_URL and SEINE_KEY
  seine runs                       executions: list, show, start, pause, resume, cancel, retry, delete
  seine pages RUN                  each URL of an execution and its outcome
  seine rows RUN                   its rows as a table
  seine export RUN --out FILE      its rows in a file
  seine tasks                      saved recipes: list, show, create, delete, export, import
  seine preview FILE               try a recipe on a few pages
  seine estimate FILE              what a recipe costs at most
  seine schedule                   when a task runs by itself: show, set, remove
  seine datasets                   items over several executions: list, show, items, changes, export
  seine templates                  ready-made recipes: list, show, run
  seine keys                       API keys: list, create, revoke
  seine usage                      credits: balance, callers, ledger
  seine accounts                   of an operator: list, show, suspend, resume, close, plan, adjust, keys
  seine operator                   of an operator: runs, stuck, release, cancel, workers, health, log

  seine <command> --help           all options of a command
  seine --version

Data is kept in .seine (SQLite) unless --data says otherwise.
`

export const EXTRACT_HELP = `seine extract <url> … – extract rows from a site

Without --recipe, --items and --follow it detects what the page has: repeated items (a list, a table,
products), or else an article. --field adds a column to those of a list or table.

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
  --depth <n>             at most n links away from <url>
  --scope <s>             page, path, host, domain or any: which links are followed
  --delay <time>          time between two requests to one host: 500ms, 2s or 1m
  --concurrency <n>       pages at the same time, 1 to 256
  --ignore-robots         ignore robots.txt
  --header <name: value>  a header of requests, --cookie <name=value> a cookie; repeat them
  --render                run the scripts of pages in the Chromium of this machine; needs playwright-core
                          (npm install seine playwright-core)
  --browser <path|url>    another Chromium

What to take
  --field <name=css>      a column; name:number=css gives it a type (text html markdown number
                          integer boolean date url json), name=css@attribute takes an attribute
  --no-detect             the columns of --field alone
  --items <css>           one row for each match instead of one for the page
  --unique <a,b>          columns that identify a row; a row that came before is dropped
  --recipe <file.json>    a recipe file instead of flags; <url>, if given, replaces its start URLs

Where to
  --out <file>            write all rows: .csv, .json, .jsonl, .xlsx, .parquet, .xml or .html;
                          - is stdout, with --format csv
  --json                  all rows on stdout, one JSON object a line
  --limit <n>             rows of the table, default 10
  --save-recipe <file>    the recipe that was used, for --recipe, seine tasks create or the API
  --data <dir>            data directory, default .seine; :memory: keeps nothing
  --store, --blobs, --config   other data, as for seine serve; --account <id> and --user <id> whose
  --url <url>             a server that does it, with its key in SEINE_KEY; SEINE_URL is the same
  --resume <id>           continue an interrupted execution
  --allow-private-network allow localhost and private addresses

On data that others use too, it also works on their queued executions while it runs. So
--allow-private-network is refused where other accounts have data; the setting is for all of them.

Several <url> may be given, and - reads them from stdin, one a line. The first 20 are looked at: lists
of several shapes become one table. Of several kinds of pages (lists, articles) the most frequent is
read, or the first; the others are named at the end.
Ctrl-C pauses the execution and prints how to continue.
Exit codes: 0 done, 1 failed or no rows, 2 wrong use, 130 interrupted. If scripts write a page, a row
with only its title and address does not count.
`

export const CONFIG_HELP = `seine config – settings of seine serve

  seine config check [options]     check all settings, show each value and where it comes from; takes
                                   the options of seine serve, shows no secrets, opens no store
  seine config settings            all settings with their variables and defaults
  seine config schema              the JSON Schema of seine.config.json

Exit codes: 0 all settings are right, 2 one is wrong or unknown.
`

export const VERIFY_HELP = `seine verify – recompute stored indexes, balances and counters; report differences

It recomputes every index, every account's ledger with its wallet, holds, months and statements, every
execution's counters from its page report, rows and payments, and the roll-ups of analytics.

  --account <id>          only this account
  --repair                write missing index entries and delete surplus ones, count again what accounts
                          have, and copy the readable records of a damaged SQLite file into a new
                          file, while no server uses it; the ledger is never changed
  --json                  the whole report as JSON; that of a server has at most 100 differences of
                          an account, and the number of the others as "more"
  --data <dir>            data directory, default .seine
  --store <url>, --blobs <url>, --config <file>   as for seine serve
  --url <url>             a server that does it, with its key in SEINE_KEY, which has the scope
                          operator; SEINE_URL is the same. A server does not repair

It may run while a server runs on the same data directory: a difference is checked again before it
counts. If a SQLite file is damaged, it lists the records that cannot be read. Exit codes: 0 no
difference, or repaired; 1 differences, or records are gone; 2 wrong use.
`

export const BACKUP_HELP = `seine backup <dir|file.tar|s3://bucket/prefix> – copy a deployment while it runs

All records as they were at one moment, and the blobs that they name: rows, kept pages and media. The
store must be SQLite or Postgres. The copy is as secret as the data itself,
so it is made where the data is: no server gives it away (--url).

  --account <id>          only this account, to keep it or to move it to another deployment
  --json                  what was copied, as JSON
  --data <dir>            data directory, default .seine
  --store <url>, --blobs <url>, --config <file>   as for seine serve

Exit codes: 0 done; 1 failed, or blobs are missing; 2 wrong use.
`

export const RESTORE_HELP = `seine restore <dir|file.tar|s3://bucket/prefix> – put a backup into an empty deployment

It checks the whole backup, writes it, and verifies what is there. The store may be another than the one
that was copied. A backup of one account goes into a deployment that has no such account.
If it was cut short, run it again with the same backup. Start no server before it has ended:
the data of a running one is not replaced, so --url is refused.

  --no-verify             do not verify
  --data <dir>            data directory, default .seine
  --store <url>, --blobs <url>, --config <file>   as for seine serve

Exit codes: 0 done; 1 failed, or there are differences; 2 wrong use.
`

export const ERASE_HELP = `seine erase <account> – delete all that is stored of an account

Records, indexes, money, keys, jobs, rows, pages and media. Cancel its executions first, and see that
nobody can sign in for it. Other accounts are not touched, and the server may keep running. The log of
operators keeps the name of the account, with what they did to it and why.

  --yes                   do it; it cannot be undone
  --data <dir>            data directory, default .seine
  --store <url>, --blobs <url>, --config <file>   as for seine serve
  --url <url>             a server that does it, with its key in SEINE_KEY, which has the scope
                          operator; SEINE_URL is the same. seine accounts close comes first
  --reason <text>         why, for the log of that server

Exit codes: 0 nothing is left; 1 failed; 2 wrong use.
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

export const DOCTOR_HELP = `seine doctor [url] – check this machine, the settings and what they name

It checks Node, the settings, the disk, the store, the blobs, the servers of queue and limiter, the API
keys and the browser. With <url> it fetches that page as an execution would, and says what came. It takes
the options of seine serve, and shows no secrets.
With --url it checks a server elsewhere: whether it answers, is ready, and takes the key.

  --url <url>             that server, with its key in SEINE_KEY. SEINE_URL is the same, unless a page,
                          or flags or settings that say where data is, mean this machine
  --json                  the checks as JSON, one a line

Exit codes: 0 all is well, 1 something is wrong, 2 wrong use.
`

export const INIT_HELP = `seine init [host] – write a starter file for the framework of this project

It writes one file, in which Seine runs inside your app below /data (Next.js: four files), and says how to
install and start it. Without <host> it takes the framework in package.json. No file is overwritten.

  <host>                  express, fastify, hono, next, elysia, bun, deno, cloudflare, node-http, or
                          serve (Seine alone)
  --dir <dir>             where to write, default the current folder

The same files with explanations: docs/hosts.
`

export const MCP_HELP = `seine mcp – the tools for agents (MCP) over stdin and stdout

For clients that start a server themselves. It works on the data of this machine, in this process, or
passes everything on to a server elsewhere. Both need no port. It ends when its stdin does.

  seine mcp --data ~/seine
  SEINE_URL=https://data.example.com SEINE_KEY=svc_sk_… seine mcp

  --tools <names>         extended for all tools, or names with commas between; default the six. A
                          server elsewhere has those that it offers (--mcp-tools of seine serve)
  --url <url>             a server elsewhere; default SEINE_URL
  --key <key>             its key; SEINE_KEY keeps it out of the list of processes
  --account <id>          on data here: the account, default the command's own; --user <id> its user
  --data <dir>            data directory, default .seine
  --store <url>, --blobs <url>, --config <file>   as for seine serve
  --allow-private-network allow localhost and private addresses

Stdout has messages of the protocol alone; what people should know is on stderr.
Exit codes: 0 its client has closed it, 1 failed, 2 wrong use.
`

export const COMPLETION_HELP = `seine completion <bash|zsh|fish> – complete commands and flags in a shell

  bash   eval "$(seine completion bash)"      in ~/.bashrc
  zsh    eval "$(seine completion zsh)"       in ~/.zshrc, after compinit
  fish   seine completion fish | source       in ~/.config/fish/config.fish
`
