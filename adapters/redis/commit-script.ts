import { Script } from './client.ts'

/** The answer of {@link COMMIT}. */
export const WRITTEN = 'written'
export const STALE = 'stale'
export const NO_NUMBER = 'no number'

/**
 * Writes one commit. Redis runs a script atomically but does not roll back, so everything that can
 * fail is checked before the first write.
 *
 * Keys: entries, index, expiring, results for the caller.
 * Values: the time, the new version, then four lists, each after its length: results that have
 * arrived and can be deleted, checks (key, version or ''), sets (key, expiry or '', text), deletes,
 * adds (key, amount).
 *
 * A client that lost its connection sends the script again, although it may
 * have run. The result stored under its version shows this.
 */
export const COMMIT = new Script(`
local entries, index, expiring, answers = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local now, version = tonumber(ARGV[1]), ARGV[2]
local call = redis.call
local at = 3
local function list(width)
  local first, count = at + 1, tonumber(ARGV[at])
  at = first + count * width
  return first, at - 1
end

local given = call('HGET', answers, version)
if given then return given end

local function live(key)
  local raw = call('HGET', entries, key)
  if not raw then return nil end
  local had, expires, from = string.match(raw, '^(%S+) (%S*) ()')
  if expires ~= '' and tonumber(expires) <= now then return nil end
  return had, expires, string.sub(raw, from)
end

local answer = '${WRITTEN}'
local arrived, arrived_end = list(1)
local check, check_end = list(2)
local set, set_end = list(3)
local delete, delete_end = list(1)
local add, add_end = list(2)

for i = check, check_end, 2 do
  if (live(ARGV[i]) or '') ~= ARGV[i + 1] then
    answer = '${STALE}'
    break
  end
end

local sums = {}
if answer == '${WRITTEN}' then
  for i = add, add_end, 2 do
    local _, expires, text = live(ARGV[i])
    local present = 0
    if text then present = string.match(text, '^-?%d') and tonumber(text) end
    local sum = present and present + tonumber(ARGV[i + 1])
    -- Not a number, or too large for one: no sum equals itself less itself then.
    if not sum or sum - sum ~= 0 then
      answer = '${NO_NUMBER}'
      break
    end
    -- As many digits as a double has; no sign before a zero.
    sums[#sums + 1] = { ARGV[i], expires or '', sum == 0 and '0' or string.format('%.17g', sum) }
  end
end

-- The first write: what keeps Redis from writing, such as a lack of memory, keeps it from this one.
call('HSET', answers, version, answer)
call('PEXPIRE', answers, 86400000)
for i = arrived, arrived_end do call('HDEL', answers, ARGV[i]) end
if answer ~= '${WRITTEN}' then return answer end

local function put(key, expires, text)
  if call('HSET', entries, key, version .. ' ' .. expires .. ' ' .. text) == 1 then call('ZADD', index, 0, key) end
  if expires == '' then call('ZREM', expiring, key) else call('ZADD', expiring, expires, key) end
end
local function remove(key)
  if call('HDEL', entries, key) == 1 then
    call('ZREM', index, key)
    call('ZREM', expiring, key)
  end
end

for i = delete, delete_end do remove(ARGV[i]) end
for i = set, set_end, 3 do put(ARGV[i], ARGV[i + 1], ARGV[i + 2]) end
for _, sum in ipairs(sums) do put(sum[1], sum[2], sum[3]) end
-- A few of the expired a commit, so that what nobody reads again does not stay for ever.
for _, key in ipairs(call('ZRANGEBYSCORE', expiring, '-inf', now, 'LIMIT', 0, 20)) do remove(key) end
return answer
`)
