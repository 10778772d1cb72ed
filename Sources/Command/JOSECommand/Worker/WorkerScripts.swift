#if Redis
    import JOSERedis

    /// The scripts of a queue in Redis Streams. Each is one step that happens wholly or not at all.
    ///
    /// An entry of the stream has the field `rows`: rows with an id and a token, one in each line. `working` is a hash with a value for
    /// each entry whose worker died, `at|deaths|gone`: the index of the row that is verified alone, or -1; how often a worker died
    /// with it; and the indices of the rows that are not verified again, each with a comma behind it.
    enum WorkerScripts {
        // A command that needs memory is refused while there is none, unless the script has written before. So each script begins with
        // one that needs none, except the first of a stream and of a worker.

        /// Creates the group of workers, and the stream with it. Returns 0 if it did, and 1 if the group exists.
        static let begin = RedisScript(
            """
            if redis.call('EXISTS', KEYS[1]) == 1 then
              for _, one in ipairs(redis.call('XINFO', 'GROUPS', KEYS[1])) do if one[2] == ARGV[1] then return 1 end end
            end
            redis.call('XGROUP', 'CREATE', KEYS[1], ARGV[1], '0', 'MKSTREAM')
            return 0
            """)

        /// Returns entries for a worker: those of workers whose lease has ended, if `ARGV[4]` is the time in milliseconds after which
        /// they are taken over, and then new ones. After ten times that time an entry counts as one that ended its worker, although the
        /// worker lives. Entries whose time has come return to the stream first. Each is returned as its id, the
        /// number of attempts, its value of `working` or `-`, and the length of its rows, and behind the line feed the rows.
        static let take = RedisScript(
            """
            local stream, later, working, dead = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
            local group, me, count, idle = ARGV[1], ARGV[2], tonumber(ARGV[3]), tonumber(ARGV[4])
            local most, limit, lease = tonumber(ARGV[5]), tonumber(ARGV[6]), ARGV[7]
            local out = {}
            local function field(fields, name)
              for i = 1, #fields, 2 do if fields[i] == name then return fields[i + 1] end end
            end
            local function refuse(id, rows, reason)
              redis.call('XACK', stream, group, id)
              redis.call('XADD', dead, '*', 'entry', id, 'reason', reason, 'rows', rows or '')
              redis.call('XDEL', stream, id)
              redis.call('HDEL', working, id)
            end
            local function give(id, fields, value)
              local rows = field(fields, 'rows')
              if not rows then return refuse(id, rows, 'no_rows') end
              if #rows > most then return refuse(id, rows, 'too_large') end
              local tries = tonumber(field(fields, 'tries') or '0') or 0
              out[#out + 1] = string.format('%s %d %s %d\\n', id, tries, value or '-', #rows) .. rows .. '\\n'
            end
            local function gone(reply) return reply and reply.err and string.find(reply.err, 'NOGROUP', 1, true) end
            local time = redis.call('TIME')
            local now = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000))
            for _, member in ipairs(redis.call('ZRANGEBYSCORE', later, '-inf', now, 'LIMIT', 0, count)) do
              redis.call('ZREM', later, member)
              local tries, rows = string.match(member, '^%S+ (%d+)\\n(.*)$')
              redis.call('XADD', stream, '*', 'tries', tries, 'rows', rows)
            end
            if idle > 0 then
              local pending = redis.pcall('XPENDING', stream, group, 'IDLE', idle, '-', '+', 1000)
              if gone(pending) then return 'NOGROUP' end
              if pending.err then return pending end
              for _, one in ipairs(pending) do
                local id, lives = one[1], redis.call('EXISTS', lease .. one[2]) == 1
                if #out < count and (not lives or one[3] >= 10 * idle) then
                  local claimed = redis.call('XCLAIM', stream, group, me, idle, id)[1]
                  if claimed then
                    local at, deaths, past =
                      string.match(redis.call('HGET', working, id) or '-1|0|', '^(-?%d+)|(%d+)|(.*)$')
                    if at ~= '-1' then
                      deaths = deaths + 1
                      if deaths >= limit then at, deaths, past = '-1', 0, past .. at .. ',' end
                    end
                    local value = string.format('%s|%d|%s', at, deaths, past)
                    redis.call('HSET', working, id, value)
                    give(id, claimed[2], value)
                  else
                    redis.call('XACK', stream, group, id)
                  end
                end
              end
              for _, one in ipairs(redis.call('XINFO', 'CONSUMERS', stream, group)) do
                local name, left, silent = one[2], one[4], one[6]
                if left == 0 and silent > idle and name ~= me and redis.call('EXISTS', lease .. name) == 0 then
                  redis.call('XGROUP', 'DELCONSUMER', stream, group, name)
                end
              end
            end
            if #out < count then
              local read = redis.pcall('XREADGROUP', 'GROUP', group, me, 'COUNT', count - #out, 'STREAMS', stream, '>')
              if gone(read) then return 'NOGROUP' end
              if read and read.err then return read end
              if read then for _, one in ipairs(read[1][2]) do give(one[1], one[2]) end end
            end
            return table.concat(out)
            """)

        /// Marks the row of an entry that is verified alone next. Returns 1 if the entry belongs to another worker by now.
        static let mark = RedisScript(
            """
            if #redis.call('XPENDING', KEYS[1], ARGV[1], ARGV[3], ARGV[3], 1, ARGV[2]) == 0 then return 1 end
            redis.call('XCLAIM', KEYS[1], ARGV[1], ARGV[2], 0, ARGV[3], 'JUSTID')
            local at, deaths, past = string.match(redis.call('HGET', KEYS[2], ARGV[3]) or '-1|0|', '^(-?%d+)|(%d+)|(.*)$')
            if at ~= ARGV[4] then deaths = '0' end
            redis.call('HSET', KEYS[2], ARGV[3], ARGV[4] .. '|' .. deaths .. '|' .. past)
            return 0
            """)

        /// Acknowledges an entry, and then adds its answers, the rows to verify later, and those that ended their workers. Returns 1 if
        /// the entry belongs to another worker by now, which answers it. A worker that finds this out was stopped and has not died: the
        /// death that was counted is taken back.
        static let finish = RedisScript(
            """
            local id = ARGV[2]
            if redis.call('XACK', KEYS[1], ARGV[1], id) == 0 then
              local value = redis.call('HGET', KEYS[4], id)
              if value then
                local at, deaths, past = string.match(value, '^(-?%d+)|(%d+)|(.*)$')
                if tonumber(deaths) > 0 then
                  redis.call('HSET', KEYS[4], id, string.format('%s|%d|%s', at, deaths - 1, past))
                end
              end
              return 1
            end
            if ARGV[3] ~= '' then redis.call('XADD', KEYS[2], '*', 'entry', id, 'answers', ARGV[3]) end
            if ARGV[4] ~= '' then
              local time = redis.call('TIME')
              local due = string.format('%.0f', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[6])
              redis.call('ZADD', KEYS[3], due, id .. ' ' .. ARGV[5] .. '\\n' .. ARGV[4])
            end
            if ARGV[7] ~= '' then redis.call('XADD', KEYS[5], '*', 'entry', id, 'reason', 'worker_died', 'rows', ARGV[7]) end
            redis.call('XDEL', KEYS[1], id)
            redis.call('HDEL', KEYS[4], id)
            return 0
            """)

        /// Renews the time for which a worker counts as alive.
        static let live = RedisScript(
            """
            if redis.call('PEXPIRE', KEYS[1], ARGV[1]) == 0 then redis.call('SET', KEYS[1], '', 'PX', ARGV[1]) end
            return 0
            """)

        /// Removes a worker that has no entry left. Returns the number of those that it has.
        static let leave = RedisScript(
            """
            redis.call('DEL', KEYS[2])
            for _, one in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
              if one[2] == ARGV[2] and one[4] > 0 then return one[4] end
            end
            redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], ARGV[2])
            return 0
            """)

        /// Returns the number of entries that are not answered.
        static let left = RedisScript("return redis.call('XLEN', KEYS[1]) + redis.call('ZCARD', KEYS[2])")

        /// Adds an entry once, however often it is sent. Returns 1 if it was there.
        static let add = RedisScript(
            """
            local mark = redis.pcall('SET', KEYS[2], '', 'NX', 'EX', 600)
            if not mark then return 1 end
            if mark.err then
              if string.find(mark.err, 'OOM', 1, true) then return redis.error_reply('OOM of the script') end
              return mark
            end
            redis.call('XADD', KEYS[1], '*', 'rows', ARGV[1])
            return 0
            """)
    }
#endif
