SELECT splitByChar('\0', names)[1] AS value, splitByChar('\0', names)[2] AS within1, splitByChar('\0', names)[3] AS within2, sum(number) AS clicks
FROM (
SELECT concat(city, '\0', region, '\0', country) AS names, count() AS number
FROM clicks
WHERE workspaceId = {p1:UInt32}
  AND toStartOfMonth(time) >= toDate(fromUnixTimestamp64Milli({p2:Int64}, 'UTC'))
  AND toStartOfMonth(time) < toDate(fromUnixTimestamp64Milli({p3:Int64}, 'UTC'))
  AND bot = ''
GROUP BY names
UNION ALL
SELECT concat(city, '\0', region, '\0', country) AS names, count() AS number
FROM clicks
WHERE workspaceId = {p4:UInt32}
  AND time >= fromUnixTimestamp64Milli({p5:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p6:Int64}, 'UTC')
  AND bot = ''
GROUP BY names
UNION ALL
SELECT concat(city, '\0', region, '\0', country) AS names, count() AS number
FROM clicks
WHERE workspaceId = {p7:UInt32}
  AND time >= fromUnixTimestamp64Milli({p8:Int64}, 'UTC')
  AND time < fromUnixTimestamp64Milli({p9:Int64}, 'UTC')
  AND bot = ''
GROUP BY names
)
GROUP BY names
ORDER BY clicks DESC, names
LIMIT {p10:UInt64}
-- p1 = 7
-- p2 = 1788220800000
-- p3 = 1793491200000
-- p4 = 7
-- p5 = 1787203800000
-- p6 = 1788220800000
-- p7 = 7
-- p8 = 1793491200000
-- p9 = 1793577600000
-- p10 = 5000
