import { Script } from './client.ts'

/**
 * Reads a range at one moment. Keys: entries, index. Values: the time, both exclusive bounds, the
 * maximum number, and `1` for descending order. Returns keys and stored values alternately.
 */
export const LIST = new Script(`
local entries, index = KEYS[1], KEYS[2]
local now, over, under, limit, reverse = tonumber(ARGV[1]), ARGV[2], ARGV[3], tonumber(ARGV[4]), ARGV[5] == '1'
local found, count = {}, 0
while count < limit do
  -- No call takes more values than fit on Lua's stack.
  local wanted = math.min(limit - count, 1000)
  local keys
  if reverse then
    keys = redis.call('ZREVRANGEBYLEX', index, '(' .. under, '(' .. over, 'LIMIT', 0, wanted)
  else
    keys = redis.call('ZRANGEBYLEX', index, '(' .. over, '(' .. under, 'LIMIT', 0, wanted)
  end
  if #keys == 0 then break end
  local raws = redis.call('HMGET', entries, unpack(keys))
  for i, key in ipairs(keys) do
    local raw = raws[i]
    local expires = raw and string.match(raw, '^%S+ (%S*) ')
    if expires and (expires == '' or tonumber(expires) > now) then
      found[count * 2 + 1] = key
      found[count * 2 + 2] = raw
      count = count + 1
    end
  end
  if #keys < wanted then break end
  if reverse then under = keys[#keys] else over = keys[#keys] end
end
return found
`)
