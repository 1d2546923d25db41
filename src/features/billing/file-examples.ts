/** A statement as files. */
export const STATEMENT_FILES = {
  csv: 'at,id,kind,cause,execution,task,wallet,held,revenue,grants,expired,balance,pages,note\r\n2030-01-01T00:00:00.000Z,le_01K3A0B8D2F6H0K4N7Q1T5W9Y3,grant,plan:2030-01,,,1000,0,0,-1000,0,1000,,Credits of the plan Starter\r\n',
  html: '<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>Statement 2030-01</title></head><body>…</body></html>\n',
}
