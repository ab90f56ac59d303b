SELECT timeKey AS value, sum(number) AS clicks
FROM (
SELECT intDiv(toInt64(toUnixTimestamp(toStartOfHour(time))) * 1000 + transform(roundDown(toInt64(toUnixTimestamp(toStartOfHour(time))) * 1000, {p7:Array(Int64)}), {p7:Array(Int64)}, {p8:Array(Int64)}, 0) + 259200000, 3600000) % 168 AS timeKey, count() AS number
FROM clicks
WHERE workspaceId = {p1:UInt32}
  AND toStartOfHour(time) >= toDateTime(fromUnixTimestamp64Milli({p2:Int64}, 'UTC'), 'UTC')
  AND toStartOfHour(time) < toDateTime(fromUnixTimestamp64Milli({p3:Int64}, 'UTC'), 'UTC')
  AND bot = ''
GROUP BY timeKey
UNION ALL
SELECT intDiv(toUnixTimestamp64Milli(time) + transform(roundDown(toUnixTimestamp64Milli(time), {p7:Array(Int64)}), {p7:Array(Int64)}, {p8:Array(Int64)}, 0) + 259200000, 3600000) % 168 AS timeKey, count() AS number
FROM clicks
WHERE workspaceId = {p4:UInt32}
  AND time >= fromUnixTimestamp64Milli({p5:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p6:Int64}, 'UTC')
  AND bot = ''
GROUP BY timeKey
)
GROUP BY timeKey
ORDER BY value
-- p1 = 7
-- p2 = 1787205600000
-- p3 = 1793577600000
-- p4 = 7
-- p5 = 1787203800000
-- p6 = 1787205600000
-- p7 = [0]
-- p8 = [7200000]
