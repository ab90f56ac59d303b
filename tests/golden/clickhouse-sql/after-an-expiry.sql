SELECT value, sum(number) AS clicks
FROM (
SELECT key AS value, count() AS number
FROM clicks
WHERE workspaceId = {p1:UInt32}
  AND time >= fromUnixTimestamp64Milli({p2:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p3:Int64}, 'UTC')
  AND NOT (time < fromUnixTimestamp64Milli({p4:Int64}, 'UTC') AND batch <= {p5:UInt64})
  AND bot = ''
GROUP BY value
UNION ALL
SELECT key AS value, sum(clicks) AS number
FROM expired_clicks FINAL
WHERE workspaceId = {p6:UInt32}
  AND time >= fromUnixTimestamp64Milli({p7:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
  AND NOT isBot
  AND generation <= {p9:UInt64}
GROUP BY value
)
GROUP BY value
ORDER BY clicks DESC, value
LIMIT {p10:UInt64}
-- p1 = 7
-- p2 = 1795132800000
-- p3 = 1795219200000
-- p4 = 1790812800000
-- p5 = 41
-- p6 = 7
-- p7 = 1795132800000
-- p8 = 1795219200000
-- p9 = 1
-- p10 = 10
