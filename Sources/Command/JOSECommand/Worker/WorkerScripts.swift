#if Redis
    import JOSERedis

    /// The scripts of a queue in Redis Streams. Redis runs a script without other commands in between, and does not
    /// undo one that fails. So a script checks the types of its keys first and adds before it removes: no failure loses
    /// a row. A command that needs memory is refused while there is none, unless the script has written before: so the
    /// first write of each is one that needs none.
    ///
    /// An entry of the stream has the field `rows`: rows with an id and a token, one in each line. `working` is a hash
    /// with a value for each entry whose worker died, `at|by|begun|gone`: the index of the row that is verified alone,
    /// or -1; the worker that began it, or `-`; the number of workers that began it and did not end it; and the indices
    /// of the rows that are not verified again, each with a comma behind it.
    enum WorkerScripts {
        /// The largest number of rows of an entry.
        static let maximumRows = 1024

        private static let common = """
            local group = 'bulla'
            local function demand(kind, ...)
              for _, key in ipairs({...}) do
                local found = redis.call('TYPE', key).ok
                if found ~= 'none' and found ~= kind then error('WRONGTYPE: a key of the queue has another type', 0) end
              end
            end
            local function renew(lease, time)
              if redis.call('PEXPIRE', lease, time) == 0 then redis.call('SET', lease, '', 'PX', time) end
            end
            local function failed(reply) return string.find(reply.err, 'NOGROUP', 1, true) and 'NOGROUP' or reply end
            local function state(working, id)
              local at, by, begun, past =
                string.match(redis.call('HGET', working, id) or '', '^(-?%d+)|([^|]*)|(%d+)|(.*)$')
              if at then return at, by, tonumber(begun), past end
              return '-1', '-', 0, ''
            end
            local function keep(working, id, at, by, begun, past)
              redis.call('HSET', working, id, string.format('%s|%s|%d|%s', at, by, begun, past))
            end
            local function field(fields, name)
              for i = 1, #fields, 2 do if fields[i] == name then return fields[i + 1] end end
            end
            local function clock()
              local time = redis.call('TIME')
              return time[1] * 1000 + math.floor(time[2] / 1000)
            end
            local function forget(stream, working, id)
              redis.call('XACK', stream, group, id)
              redis.call('XDEL', stream, id)
              redis.call('HDEL', working, id)
            end

            """

        /// Creates the group of workers, and the stream with it, and runs each command of the other scripts once
        /// without an effect, so that a user that lacks a permission is refused at the start. Returns 0.
        static let begin = RedisScript(
            common + """
                local stream, answers, later, working, dead = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
                demand('stream', stream, answers, dead)
                demand('zset', later)
                demand('hash', working)
                renew(KEYS[6], ARGV[2])
                local exists = false
                if redis.call('EXISTS', stream) == 1 then
                  for _, one in ipairs(redis.call('XINFO', 'GROUPS', stream)) do exists = exists or one[2] == group end
                end
                if not exists then redis.call('XGROUP', 'CREATE', stream, group, '0', 'MKSTREAM') end
                for _, key in ipairs({stream, answers, dead}) do
                  local refused = redis.pcall('XADD', key, '0-0', 'rows', '')
                  if not string.find(refused.err, 'greater', 1, true) then return refused end
                end
                redis.call('ZADD', later, 'XX', 0, '')
                redis.call('ZRANGEBYSCORE', later, '-inf', '-inf')
                redis.call('ZREM', later, '')
                redis.call('ZCARD', later)
                redis.call('HSET', working, '', '')
                redis.call('HGET', working, '')
                redis.call('HDEL', working, '')
                redis.call('XREADGROUP', 'GROUP', group, ARGV[1], 'COUNT', 1, 'STREAMS', stream, '0')
                redis.call('XCLAIM', stream, group, ARGV[1], 0, '0-0', 'JUSTID')
                redis.call('XPENDING', stream, group)
                redis.call('XACK', stream, group, '0-0')
                redis.call('XDEL', stream, '0-0')
                redis.call('XINFO', 'CONSUMERS', stream, group)
                redis.call('XGROUP', 'DELCONSUMER', stream, group, '')
                redis.call('XLEN', stream)
                redis.call('TIME')
                return 0
                """)

        /// Returns entries for a worker: those that Redis gave it and that are not in `ARGV[8]`, the ids that its
        /// threads have, because a reply was lost; if `ARGV[4]` is 1, those of workers whose lease has ended and those
        /// that any worker has held for ten times as long, unless the worker's own lease has ended, which is a sign of
        /// an outage; and new ones. Entries that are due in `later` are added to the stream first. Each is returned as
        /// a line with its id, the number of attempts, `at|gone` of its value of `working` or `-`, the numbers of its
        /// rows and of their bytes, and the time at which a worker first read it, as milliseconds since 1970 and before
        /// now; the rows follow.
        static let take = RedisScript(
            common + """
                local stream, later, working, dead = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
                local me, count, idle = ARGV[1], tonumber(ARGV[2]), tonumber(ARGV[3])
                local max_bytes, limit, lease = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
                local taken, now = {}, clock()
                for id in string.gmatch(ARGV[8], '%S+') do taken[id] = true end
                local out = {}
                demand('stream', stream, dead)
                demand('zset', later)
                demand('hash', working)
                local lived = redis.call('EXISTS', lease .. me) == 1
                renew(lease .. me, idle)
                local function lines(rows)
                  local found, at = 0, 1
                  while at <= #rows and found <= \(maximumRows) do
                    found, at = found + 1, (string.find(rows, '\\n', at, true) or #rows) + 1
                  end
                  return found
                end
                local function refuse(id, rows, reason)
                  redis.call('XADD', dead, '*', 'entry', id, 'reason', reason, 'rows', rows or '')
                  forget(stream, working, id)
                end
                local function give(id, fields, shown)
                  local rows, tries = field(fields, 'rows'), field(fields, 'tries') or '0'
                  if not rows then return refuse(id, rows, 'no_rows') end
                  if #rows > max_bytes then return refuse(id, rows, 'too_large') end
                  if not string.find(rows, '[^\\n]') then return refuse(id, rows, 'no_rows') end
                  if not string.find(tries, '^%d%d?%d?$') then return refuse(id, rows, 'bad_tries') end
                  local number = lines(rows)
                  if number > \(maximumRows) then return refuse(id, rows, 'too_many_rows') end
                  local since = field(fields, 'since') or ''
                  since = string.find(since, '^%d+$') and #since < 16 and math.min(tonumber(since), now) or now
                  local head = string.format('%s %d %s %d %d', id, tries, shown, number, #rows)
                  out[#out + 1] = string.format('%s %.0f %.0f\\n', head, since, now - since) .. rows .. '\\n'
                end
                local function offer(id, fields, ended)
                  if not ended and not redis.call('HGET', working, id) then return give(id, fields, '-') end
                  local at, by, begun, past = state(working, id)
                  if begun >= limit then at, begun, past = '-1', 0, past .. at .. ',' end
                  keep(working, id, at, '-', begun, past)
                  give(id, fields, at .. '|' .. past)
                end
                local function take_over(id, ended)
                  local claimed = redis.call('XCLAIM', stream, group, me, 0, id)[1]
                  if not claimed then return forget(stream, working, id) end
                  offer(id, claimed[2], ended)
                end
                local owned = redis.pcall('XPENDING', stream, group, '-', '+', 100000, me)
                if owned.err then return failed(owned) end
                for _, one in ipairs(owned) do
                  if #out < count and not taken[one[1]] then take_over(one[1], false) end
                end
                local due = string.format('%.0f', now)
                for _, member in ipairs(redis.call('ZRANGEBYSCORE', later, '-inf', due, 'LIMIT', 0, count)) do
                  local tries, since, rows = string.match(member, '^%S+ (%d+) (%d+)\\n(.*)$')
                  redis.call('XADD', stream, '*', 'tries', tries or '-', 'since', since or '-', 'rows', rows or member)
                  redis.call('ZREM', later, member)
                end
                if ARGV[4] == '1' and lived then
                  for _, one in ipairs(redis.call('XINFO', 'CONSUMERS', stream, group)) do
                    local name, left, silent = one[2], one[4], one[6]
                    if redis.call('EXISTS', lease .. name) == 0 then
                      if left == 0 and silent > idle then
                        redis.call('XGROUP', 'DELCONSUMER', stream, group, name)
                      elseif left > 0 and #out < count then
                        local silenced = redis.call('XPENDING', stream, group, 'IDLE', idle, '-', '+', count - #out, name)
                        for _, entry in ipairs(silenced) do take_over(entry[1], true) end
                      end
                    end
                  end
                  if #out < count then
                    local stale = redis.call('XPENDING', stream, group, 'IDLE', 10 * idle, '-', '+', count - #out)
                    for _, entry in ipairs(stale) do take_over(entry[1], true) end
                  end
                end
                if #out < count then
                  local read =
                    redis.call('XREADGROUP', 'GROUP', group, me, 'COUNT', count - #out, 'STREAMS', stream, '>')
                  if read then for _, one in ipairs(read[1][2]) do offer(one[1], one[2], false) end end
                end
                return table.concat(out)
                """)

        /// Records the row of an entry that is verified alone next, or -1, and that a worker lives which has ended the
        /// one before it. Returns 1 if the entry belongs to another worker by now: if that one believes that the row
        /// ended this worker, it is corrected.
        ///
        /// A row counts as begun before it is verified, and once for each worker, however often the call is repeated;
        /// only the correction of another worker's count is made again by a repeated call.
        static let mark = RedisScript(
            common + """
                local stream, working, lease = KEYS[1], KEYS[2], KEYS[3]
                local me, id, next, ended, time = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5]
                demand('hash', working)
                renew(lease, time)
                local owned = redis.pcall('XPENDING', stream, group, id, id, 1, me)
                if owned.err then return failed(owned) end
                local at, by, begun, past = state(working, id)
                if #owned == 0 then
                  if at == ended and begun > 0 then keep(working, id, at, by, begun - 1, past) end
                  return 1
                end
                redis.call('XCLAIM', stream, group, me, 0, id, 'JUSTID')
                if next ~= at then begun = 0 end
                if next ~= '-1' and (next ~= at or by ~= me) then begun = begun + 1 end
                keep(working, id, next, me, begun, past)
                return 0
                """)

        /// Adds the answers of an entry, the rows to verify later, and those that ended their workers, and then removes
        /// the entry. Returns 1 if it was removed before.
        static let finish = RedisScript(
            common + """
                local stream, answers, later, working, dead = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
                local me, id = ARGV[1], ARGV[2]
                demand('stream', stream, answers, dead)
                demand('zset', later)
                demand('hash', working)
                local owned = redis.pcall('XCLAIM', stream, group, me, 0, id, 'JUSTID')
                if owned.err then return failed(owned) end
                if #owned == 0 then return 1 end
                if ARGV[4] ~= '' then
                  local due = string.format('%.0f', clock() + ARGV[6])
                  redis.call('ZADD', later, due, id .. ' ' .. ARGV[5] .. ' ' .. ARGV[8] .. '\\n' .. ARGV[4])
                end
                if ARGV[7] ~= '' then redis.call('XADD', dead, '*', 'entry', id, 'reason', 'worker_died', 'rows', ARGV[7]) end
                if ARGV[3] ~= '' then redis.call('XADD', answers, '*', 'entry', id, 'answers', ARGV[3]) end
                forget(stream, working, id)
                return 0
                """)

        /// Renews the time for which a worker counts as alive.
        static let live = RedisScript(
            common + """
                renew(KEYS[1], ARGV[1])
                return 0
                """)

        /// Adds each entry that the ending worker has not finished to the stream again, as a new entry with the same
        /// rows, attempts and value of `working`, in which a row that this worker began does not count. Then removes
        /// the old entry and the consumer, so that nothing stays pending.
        static let leave = RedisScript(
            common + """
                local stream, working, me = KEYS[1], KEYS[2], ARGV[1]
                demand('stream', stream)
                demand('hash', working)
                local owned = redis.pcall('XPENDING', stream, group, '-', '+', 100000, me)
                if owned.err then return failed(owned) end
                for _, one in ipairs(owned) do
                  local id = one[1]
                  local claimed = redis.call('XCLAIM', stream, group, me, 0, id)[1]
                  if claimed then
                    local tries, rows = field(claimed[2], 'tries') or '0', field(claimed[2], 'rows') or ''
                    local since = field(claimed[2], 'since') or '-'
                    local added = redis.call('XADD', stream, '*', 'tries', tries, 'since', since, 'rows', rows)
                    if redis.call('HGET', working, id) then
                      local at, by, begun, past = state(working, id)
                      if by == me and begun > 0 then begun = begun - 1 end
                      keep(working, added, at, '-', begun, past)
                    end
                  end
                  forget(stream, working, id)
                end
                redis.call('XGROUP', 'DELCONSUMER', stream, group, me)
                return 0
                """)

        /// Returns the number of entries that are not answered.
        static let left = RedisScript("return redis.call('XLEN', KEYS[1]) + redis.call('ZCARD', KEYS[2])")

        /// Adds an entry once, however often it is sent. A hash has the number of the last entry that was added at each
        /// position of the window: entries of a position have ascending numbers. A repeated call renews the expiration
        /// of the hash, so that replicas which confirm that write have the entry as well. Returns 0.
        static let add = RedisScript(
            """
            local last = redis.call('HGET', KEYS[2], ARGV[3])
            if not last or tonumber(last) < tonumber(ARGV[2]) then
              redis.call('XADD', KEYS[1], '*', 'rows', ARGV[1])
              redis.call('HSET', KEYS[2], ARGV[3], ARGV[2])
            end
            redis.call('EXPIRE', KEYS[2], 86400)
            return 0
            """)

        /// Does nothing, so that a user who may not run a script by its text is refused at the start.
        static let probe = RedisScript("return 0")
    }
#endif
