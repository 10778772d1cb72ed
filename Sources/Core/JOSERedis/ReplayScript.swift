#if Redis
    internal import JOSETokens

    /// The script that adds a mark in one step, and the meaning of its results.
    enum ReplayScript {
        /// The keys are those of the mark and of its client's marks; the arguments are the expiration of the token,
        /// that of the mark, the limit of the client, and the member for its sorted set, whose scores are expirations.
        ///
        /// The first write is the one that a server without memory, with too few replicas or in the role of a replica
        /// rejects.
        static let script = RedisScript(
            """
            local time = redis.call('TIME')
            local now = time[1] * 1000 + math.floor(time[2] / 1000)
            local ends = tonumber(ARGV[1])
            if ends <= now then return 2 end
            if redis.call('EXISTS', KEYS[1]) == 1 then return 1 end
            local from = string.format('(%.0f', now)
            if redis.call('ZCOUNT', KEYS[2], from, '+inf') >= tonumber(ARGV[3]) then return 3 end
            if not redis.call('SET', KEYS[1], '', 'NX', 'PXAT', ARGV[2]) then return 1 end
            redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now))
            redis.call('ZADD', KEYS[2], ARGV[1], ARGV[4])
            if redis.call('PTTL', KEYS[2]) < ends - now then redis.call('PEXPIREAT', KEYS[2], ARGV[1]) end
            return 0
            """)

        /// Runs each command of `script` once without an effect, so that a user who lacks a permission is refused at
        /// the start. The keys are of no mark. If the argument is 1, the first is written for a millisecond, which
        /// replicas can confirm. Returns 0.
        static let check = RedisScript(
            """
            redis.call('TIME')
            redis.call('GET', KEYS[1])
            redis.call('EXISTS', KEYS[1])
            redis.call('ZCOUNT', KEYS[2], '-inf', '-inf')
            redis.call('SET', KEYS[1], '', 'XX', 'PX', 1)
            redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', '-inf')
            redis.call('ZADD', KEYS[2], 'XX', 0, '')
            redis.call('PTTL', KEYS[2])
            redis.call('PEXPIREAT', KEYS[2], 1)
            if ARGV[1] == '1' then redis.call('SET', KEYS[1], '', 'PX', 1) end
            return 0
            """)

        /// Returns the meaning of a result. One that the script does not have counts as no answer.
        static func answer(_ number: Int64) -> ReplayAnswer {
            switch number {
            case 0: .fresh
            case 1: .seen
            case 2: .expired
            case 3: .shareFull
            default: .unavailable
            }
        }
    }
#endif
