SELECT value, sum(number) AS clicks
FROM (
SELECT linkId AS value, count() AS number
FROM clicks
WHERE workspaceId = {p1:UInt32}
  AND toStartOfMonth(time) >= toDate(fromUnixTimestamp64Milli({p2:Int64}, 'UTC'))
  AND toStartOfMonth(time) < toDate(fromUnixTimestamp64Milli({p3:Int64}, 'UTC'))
  AND bot = ''
GROUP BY value
UNION ALL
SELECT linkId AS value, count() AS number
FROM clicks
WHERE workspaceId = {p4:UInt32}
  AND time >= fromUnixTimestamp64Milli({p5:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p6:Int64}, 'UTC')
  AND NOT (time < fromUnixTimestamp64Milli({p7:Int64}, 'UTC') AND batch <= {p8:UInt64})
  AND bot = ''
GROUP BY value
UNION ALL
SELECT linkId AS value, count() AS number
FROM clicks
WHERE workspaceId = {p9:UInt32}
  AND time >= fromUnixTimestamp64Milli({p10:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p11:Int64}, 'UTC')
  AND NOT (time < fromUnixTimestamp64Milli({p12:Int64}, 'UTC') AND batch <= {p13:UInt64})
  AND bot = ''
GROUP BY value
UNION ALL
SELECT linkId AS value, sum(clicks) AS number
FROM expired_clicks FINAL
WHERE workspaceId = {p14:UInt32}
  AND time >= fromUnixTimestamp64Milli({p15:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p16:Int64}, 'UTC')
  AND NOT isBot
  AND generation <= {p17:UInt64}
GROUP BY value
)
GROUP BY value
ORDER BY clicks DESC, value
LIMIT {p18:UInt64}
-- p1 = 7
-- p2 = 1790812800000
-- p3 = 1793491200000
-- p4 = 7
-- p5 = 1787203800000
-- p6 = 1790812800000
-- p7 = 1790812800000
-- p8 = 41
-- p9 = 7
-- p10 = 1793491200000
-- p11 = 1793577600000
-- p12 = 1790812800000
-- p13 = 41
-- p14 = 7
-- p15 = 1787203800000
-- p16 = 1793577600000
-- p17 = 1
-- p18 = 10
