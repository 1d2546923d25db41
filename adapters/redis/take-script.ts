import { Script } from './client.ts'

/**
 * One call against a bucket by GCRA, in the whole numbers of `src/kernel/fair/gcra.ts`: parts of a
 * millisecond, `limit` of them. Key: the bucket. Values: the time or '' for the server's, limit,
 * period, burst, cost. Returns `1` if the call is allowed (else `0`), the remaining calls, and the
 * reset time.
 */
export const TAKE = new Script(`
local limit, period, burst, cost = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4]), tonumber(ARGV[5])
local now
if ARGV[1] == '' then
  local time = redis.call('TIME')
  now = time[1] * 1000 + math.floor(time[2] / 1000)
else
  now = math.floor(tonumber(ARGV[1]))
end
local capacity = (burst + 1) * period
local before = 0
local bucket = redis.call('GET', KEYS[1])
if bucket then
  local ms, part, of = string.match(bucket, '^(%S+) (%S+) (%S+)$')
  part, of = tonumber(part), tonumber(of)
  if of ~= limit then part = math.ceil(part * limit / of) end
  -- A clock that went back, or a rate that was lowered, does not make a debt.
  before = math.min(math.max(0, (tonumber(ms) - now) * limit + part), capacity)
end
local after = before + cost * period
local allowed = after <= capacity
local left = allowed and after or before
if allowed and cost > 0 then
  local full = now + math.floor(left / limit)
  -- A minute longer than the bucket needs, so that clocks which differ forget nothing.
  local value = string.format('%.0f %.0f %.0f', full, math.fmod(left, limit), limit)
  redis.call('SET', KEYS[1], value, 'PX', string.format('%.0f', full - now + 60000))
end
local ahead = allowed and left or after - capacity
local remaining = string.format('%.0f', math.floor((capacity - left) / period))
local reset = string.format('%.0f', now + math.ceil(ahead / limit))
return { allowed and '1' or '0', remaining, reset }
`)
